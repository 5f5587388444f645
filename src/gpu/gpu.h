// The little that Rollscope asks of a GPU beside what ImGui draws: textures, heatmaps, ribbons. Two implementations:
// GL (gpu_gl.cpp, WebGL2 and OpenGL 3.3) and a null one for tests that refuses misuse (gpu_null.cpp).
// CPU copies stay with the caller: after a lost context everything is created anew (lost(), then start() again).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace rollscope::gpu {

using Texture = std::uint32_t;  // 0: none; also what ImGui draws as ImTextureID

struct Viewport {
  float width = 0, height = 0;  // framebuffer, device pixels
  float scale = 1;              // device pixels per CSS pixel
};
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;  // CSS pixels, y down
};

// One heatmap: the pyramid of one matrix, in R16F tiles of at most 2048 x 2048.
using Heatmap = std::uint32_t;
struct HeatmapDraw {
  Heatmap heatmap = 0;
  Rect area;                 // where on screen; also the clip
  double left = 0, top = 0;  // cell at the area's corner
  double cell = 1;           // CSS pixels per cell
  float low = 0, high = 1;   // weights at the ends of the colormap; log: 0 < low
  int curve = 0;             // 0 linear, 1 log, 2 per row: each row's own maximum (row_max given at creation) is 1
  Texture colormap = 0;      // 256 x 1
  std::uint32_t masked = 0;  // 0xRRGGBB of "no value" (NaN)
  bool causal = false;       // cells above the diagonal are not drawn
  std::span<const int> hatched;  // columns drawn as hatch: off the scale; at most kMaxHatched
  std::uint32_t hatch = 0, ground = 0;  // 0xRRGGBB of the hatch; `hatch` also crosses masked cells and draws the causal stair
  float gap = 1;             // px between cells when they are larger than 8 px
};

inline constexpr std::size_t kMaxHatched = 16;

// One ribbon for the GPU; positions in CSS pixels, y0 above. Widths under 1 px are drawn 1 px wide. 48 bytes.
struct RibbonInstance {
  float x0, y0, x1, y1;
  float width0, width1;
  std::uint32_t rgba;   // premultiplied 0xAABBGGRR
  float stripes;        // 0: solid; else period in px of cross stripes along the ribbon (sink)
  float soft0, soft1, reserved0, reserved1;  // soft: px over which the end at 0 and at 1 fades
};
using RibbonBatch = std::uint32_t;

class Gpu {
 public:
  virtual ~Gpu() = default;
  // Compiles shaders, makes what is permanent. False: no usable context.
  virtual bool start() = 0;
  // The context is gone: forgets every handle without touching it. Handles given out before are void.
  virtual void lost() = 0;
  virtual void begin_frame(const Viewport& viewport) = 0;

  // RGBA8, straight alpha, as ImGui blends. `repeat` tiles; `smooth` filters.
  virtual Texture create_texture(int width, int height, bool repeat, bool smooth) = 0;
  virtual void update_texture(Texture texture, int x, int y, int width, int height, std::span<const std::uint8_t> rgba) = 0;
  virtual void destroy_texture(Texture texture) = 0;

  // levels[k]: row-major cells of pyramid level k, sizes halving and rounding up. row_max [rows] for curve 2.
  struct Level {
    int rows, columns;
    std::span<const float> cells;
  };
  // Weights are kept as half floats; NaN, or any negative value, counts as "no value". Cost: an upload of 2 bytes a cell
  // of every level, strip by strip.
  virtual Heatmap create_heatmap(std::span<const Level> levels, std::span<const float> row_max) = 0;
  virtual void draw_heatmap(const HeatmapDraw& draw) = 0;
  virtual void destroy_heatmap(Heatmap heatmap) = 0;

  virtual RibbonBatch create_ribbons(std::span<const RibbonInstance> ribbons) = 0;
  virtual void draw_ribbons(RibbonBatch batch, const Rect& clip) = 0;
  virtual void destroy_ribbons(RibbonBatch batch) = 0;

  [[nodiscard]] virtual double bytes() const = 0;  // of textures and buffers alive
};

[[nodiscard]] std::unique_ptr<Gpu> make_gl_gpu();
[[nodiscard]] std::unique_ptr<Gpu> make_null_gpu();

}  // namespace rollscope::gpu
