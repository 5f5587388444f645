// How a heatmap is cut up and which part of it a draw needs. No GPU here, so that tests can count.
#pragma once

#include <cmath>
#include <vector>

#include "gpu/gpu.h"

namespace rollscope::gpu {

inline constexpr int kTile = 2048;  // texels: what every WebGL2 allows

struct Tile {
  int level = 0;
  int x = 0, y = 0;  // texel of the level at its corner: column, row
  int w = 0, h = 0;
};

// Tiles of one level, row by row.
[[nodiscard]] inline std::vector<Tile> tiles_of(int level, int rows, int columns) {
  std::vector<Tile> out;
  for (int y = 0; y < rows; y += kTile)
    for (int x = 0; x < columns; x += kTile) out.push_back({level, x, y, columns - x < kTile ? columns - x : kTile, rows - y < kTile ? rows - y : kTile});
  return out;
}

// The finest level whose texels are at least a device pixel wide, so that no cell falls between two pixels.
[[nodiscard]] inline int level_for(double cell_device_px, int levels) {
  int level = 0;
  while (level + 1 < levels && std::ldexp(cell_device_px, level) < 1) ++level;
  return level;
}

}  // namespace rollscope::gpu
