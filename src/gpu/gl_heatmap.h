// The heatmap pass of the GL implementation: R16F tiles of every pyramid level, one draw per visible tile.
#pragma once

#include <GLES3/gl3.h>

#include <vector>

#include "gpu/gpu.h"
#include "gpu/tiles.h"

namespace rollscope::gpu {

class HeatmapPass {
 public:
  [[nodiscard]] bool start();
  void lost();
  [[nodiscard]] Heatmap create(std::span<const Gpu::Level> levels, std::span<const float> row_max);
  void draw(const HeatmapDraw& draw, const Viewport& viewport);
  void destroy(Heatmap heatmap);
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  struct TileTexture : Tile {
    GLuint texture = 0;
  };
  struct Map {
    bool alive = false;
    std::vector<TileTexture> tiles;
    std::vector<int> level_rows;   // rows of each level, for row_max
    GLuint row_max = 0;
    double bytes = 0;
  };
  std::vector<Map> maps_;  // handle = index + 1
  GLuint program_ = 0, vertices_ = 0;
  struct {
    GLint rect, texels, viewport, range, curve, tile, size, level, row_offset, causal, hatched, hatched_count, texel_px, gap, scale, masked, hatch, ground;
  } at_{};
  double bytes_ = 0;
};

}  // namespace rollscope::gpu
