#include "gpu/gl_heatmap.h"

#include <algorithm>
#include <cmath>

#include "gpu/gl_util.h"
#include "gpu/half.h"
#include "shaders.h"

namespace rollscope::gpu {
namespace {

constexpr int kRowMaxWidth = 1024;   // texels of a line of the row maxima
constexpr int kStrip = 1 << 18;      // texels converted and uploaded at a time: half a megabyte of scratch

GLuint make_texture(GLenum format, int width, int height) {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

void upload_tile(const Tile& tile, const Gpu::Level& level) {
  const int rows_at_once = std::max(1, kStrip / tile.w);
  std::vector<std::uint16_t> strip(static_cast<std::size_t>(std::min(rows_at_once, tile.h)) * tile.w);
  for (int y = 0; y < tile.h; y += rows_at_once) {
    const int rows = std::min(rows_at_once, tile.h - y);
    auto out = strip.begin();
    for (int i = 0; i < rows; ++i) {
      const float* from = level.cells.data() + static_cast<std::size_t>(tile.y + y + i) * level.columns + tile.x;
      out = std::transform(from, from + tile.w, out, half_weight);
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, tile.w, rows, GL_RED, GL_HALF_FLOAT, strip.data());
  }
}

void set_colour(GLint at, std::uint32_t rgb) {
  glUniform3f(at, static_cast<float>(rgb >> 16 & 255) / 255, static_cast<float>(rgb >> 8 & 255) / 255, static_cast<float>(rgb & 255) / 255);
}

}  // namespace

bool HeatmapPass::start() {
  program_ = make_program(shaders::heatmap_vert, shaders::heatmap_frag);
  if (!program_) return false;
  glGenVertexArrays(1, &vertices_);  // WebGL2 draws without attributes, but not without a vertex array of its own
  const auto at = [&](const char* name) { return glGetUniformLocation(program_, name); };
  at_ = {at("u_rect"), at("u_texels"), at("u_viewport"), at("u_range"), at("u_curve"), at("u_tile"), at("u_size"), at("u_level"),
         at("u_row_offset"), at("u_causal"), at("u_hatched"), at("u_hatched_count"), at("u_texel_px"), at("u_gap"), at("u_scale"),
         at("u_masked"), at("u_hatch"), at("u_ground")};
  GLint before = 0;
  glGetIntegerv(GL_CURRENT_PROGRAM, &before);
  glUseProgram(program_);
  glUniform1i(at("u_weights"), kWeightsUnit);
  glUniform1i(at("u_colormap"), kColormapUnit);
  glUniform1i(at("u_row_max"), kRowMaxUnit);
  glUseProgram(static_cast<GLuint>(before));
  return true;
}

void HeatmapPass::lost() {
  maps_.clear();
  program_ = vertices_ = 0;
  bytes_ = 0;
}

Heatmap HeatmapPass::create(std::span<const Gpu::Level> levels, std::span<const float> row_max) {
  const KeptState kept;
  glActiveTexture(GL_TEXTURE0 + kWeightsUnit);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  Map map;
  map.alive = true;
  int row_count = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    for (const Tile& tile : tiles_of(static_cast<int>(k), levels[k].rows, levels[k].columns)) {
      TileTexture t{tile, make_texture(GL_R16F, tile.w, tile.h)};
      upload_tile(tile, levels[k]);
      map.bytes += 2.0 * tile.w * tile.h;
      map.tiles.push_back(t);
    }
    map.level_rows.push_back(levels[k].rows);
    row_count += levels[k].rows;
  }
  // The largest of a block's rows stands for the block, as its cells do.
  const int lines = (row_count + kRowMaxWidth - 1) / kRowMaxWidth;
  std::vector<float> most(static_cast<std::size_t>(lines) * kRowMaxWidth, 0);
  if (!row_max.empty()) {
    std::copy(row_max.begin(), row_max.end(), most.begin());
    std::size_t from = 0;
    for (std::size_t k = 1; k < levels.size(); ++k) {
      const auto below = static_cast<std::size_t>(levels[k - 1].rows);
      const std::size_t to = from + below;
      for (std::size_t i = 0; i < static_cast<std::size_t>(levels[k].rows); ++i)
        most[to + i] = std::max(most[from + 2 * i], most[from + std::min(2 * i + 1, below - 1)]);
      from = to;
    }
  }
  map.row_max = make_texture(GL_R32F, kRowMaxWidth, lines);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kRowMaxWidth, lines, GL_RED, GL_FLOAT, most.data());
  map.bytes += 4.0 * kRowMaxWidth * lines;
  bytes_ += map.bytes;

  const auto free = std::find_if(maps_.begin(), maps_.end(), [](const Map& m) { return !m.alive; });
  const auto index = free - maps_.begin();
  if (free == maps_.end()) maps_.push_back(std::move(map));
  else *free = std::move(map);
  return static_cast<Heatmap>(index + 1);
}

void HeatmapPass::draw(const HeatmapDraw& d, const Viewport& view) {
  if (d.heatmap == 0 || d.heatmap > maps_.size() || !maps_[d.heatmap - 1].alive) return;
  const Map& map = maps_[d.heatmap - 1];
  const double scale = view.scale;
  const int level = level_for(d.cell * scale, static_cast<int>(map.level_rows.size()));
  const double texel = std::ldexp(d.cell * scale, level);  // device pixels
  const double x0 = std::round(d.area.x * scale), y0 = std::round(d.area.y * scale);
  const double x1 = std::round((d.area.x + d.area.w) * scale), y1 = std::round((d.area.y + d.area.h) * scale);
  if (x1 <= x0 || y1 <= y0 || !(texel > 0)) return;
  // Device pixel of texel 0's corner.
  const double origin_x = d.area.x * scale - d.left * d.cell * scale, origin_y = d.area.y * scale - d.top * d.cell * scale;

  const KeptState kept;
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<GLint>(x0), static_cast<GLint>(view.height - y1), static_cast<GLsizei>(x1 - x0), static_cast<GLsizei>(y1 - y0));
  glDisable(GL_BLEND);
  glUseProgram(program_);
  glBindVertexArray(vertices_);
  glActiveTexture(GL_TEXTURE0 + kColormapUnit);
  glBindTexture(GL_TEXTURE_2D, d.colormap);
  glActiveTexture(GL_TEXTURE0 + kRowMaxUnit);
  glBindTexture(GL_TEXTURE_2D, map.row_max);
  glActiveTexture(GL_TEXTURE0 + kWeightsUnit);

  glUniform2f(at_.viewport, view.width, view.height);
  glUniform2f(at_.range, d.low, d.high);
  glUniform1i(at_.curve, d.curve);
  glUniform1i(at_.level, level);
  int row_offset = 0;
  for (int k = 0; k < level; ++k) row_offset += map.level_rows[static_cast<std::size_t>(k)];
  glUniform1i(at_.row_offset, row_offset);
  glUniform1i(at_.causal, d.causal);
  const auto hatched = std::min(d.hatched.size(), kMaxHatched);
  if (hatched > 0) glUniform1iv(at_.hatched, static_cast<GLsizei>(hatched), d.hatched.data());
  glUniform1i(at_.hatched_count, static_cast<GLint>(hatched));
  glUniform2f(at_.texel_px, static_cast<float>(texel), static_cast<float>(texel));
  const bool gaps = level == 0 && d.cell > 8 && d.gap > 0;
  glUniform1f(at_.gap, gaps ? std::max(1.0f, std::round(d.gap * view.scale)) : 0.0f);
  glUniform1f(at_.scale, view.scale);
  set_colour(at_.masked, d.masked);
  set_colour(at_.hatch, d.hatch);
  set_colour(at_.ground, d.ground);

  for (const TileTexture& tile : map.tiles) {
    if (tile.level != level) continue;
    // The tile's rectangle, cut to the area: coordinates stay small, so that single precision is enough.
    const double left = origin_x + tile.x * texel, top = origin_y + tile.y * texel;
    const double right = left + tile.w * texel, bottom = top + tile.h * texel;
    const double ax = std::max(left, x0), ay = std::max(top, y0), bx = std::min(right, x1), by = std::min(bottom, y1);
    if (bx <= ax || by <= ay) continue;
    glUniform4f(at_.rect, static_cast<float>(ax), static_cast<float>(ay), static_cast<float>(bx), static_cast<float>(by));
    glUniform4f(at_.texels, static_cast<float>((ax - left) / texel), static_cast<float>((ay - top) / texel),
                static_cast<float>((bx - left) / texel), static_cast<float>((by - top) / texel));
    glUniform2i(at_.tile, tile.x, tile.y);
    glUniform2i(at_.size, tile.w, tile.h);
    glBindTexture(GL_TEXTURE_2D, tile.texture);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  }
}

void HeatmapPass::destroy(Heatmap heatmap) {
  if (heatmap == 0 || heatmap > maps_.size() || !maps_[heatmap - 1].alive) return;
  Map& map = maps_[heatmap - 1];
  for (const TileTexture& t : map.tiles) glDeleteTextures(1, &t.texture);
  glDeleteTextures(1, &map.row_max);
  bytes_ -= map.bytes;
  map = {};
}

}  // namespace rollscope::gpu
