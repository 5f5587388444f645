// The GPU by OpenGL ES 3, which in the browser is WebGL2. Textures of this file's are GL names, as ImGui wants them.
#include <GLES3/gl3.h>

#include <map>

#include "gpu/gl_heatmap.h"
#include "gpu/gl_ribbons.h"
#include "gpu/gl_util.h"
#include "gpu/gpu.h"

namespace rollscope::gpu {
namespace {

class GlGpu final : public Gpu {
 public:
  bool start() override { return heatmaps_.start() && ribbons_.start(); }
  void lost() override {
    textures_.clear();
    heatmaps_.lost();
    ribbons_.lost();
  }
  void begin_frame(const Viewport& viewport) override { viewport_ = viewport; }

  Texture create_texture(int width, int height, bool repeat, bool smooth) override {
    const KeptState kept;
    glActiveTexture(GL_TEXTURE0 + kWeightsUnit);
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
    const GLint filter = smooth ? GL_LINEAR : GL_NEAREST, wrap = repeat ? GL_REPEAT : GL_CLAMP_TO_EDGE;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
    textures_[texture] = 4.0 * width * height;
    return texture;
  }
  void update_texture(Texture texture, int x, int y, int width, int height, std::span<const std::uint8_t> rgba) override {
    const KeptState kept;
    glActiveTexture(GL_TEXTURE0 + kWeightsUnit);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  }
  void destroy_texture(Texture texture) override {
    if (textures_.erase(texture)) glDeleteTextures(1, &texture);
  }

  Heatmap create_heatmap(std::span<const Level> levels, std::span<const float> row_max) override { return heatmaps_.create(levels, row_max); }
  void draw_heatmap(const HeatmapDraw& draw) override { heatmaps_.draw(draw, viewport_); }
  void destroy_heatmap(Heatmap heatmap) override { heatmaps_.destroy(heatmap); }

  RibbonBatch create_ribbons(std::span<const RibbonInstance> ribbons) override { return ribbons_.create(ribbons); }
  void draw_ribbons(RibbonBatch batch, const Rect& clip) override { ribbons_.draw(batch, clip, viewport_); }
  void destroy_ribbons(RibbonBatch batch) override { ribbons_.destroy(batch); }

  double bytes() const override {
    double sum = heatmaps_.bytes() + ribbons_.bytes();
    for (const auto& [texture, size] : textures_) sum += size;
    return sum;
  }

 private:
  Viewport viewport_;
  std::map<Texture, double> textures_;
  HeatmapPass heatmaps_;
  RibbonPass ribbons_;
};

}  // namespace

std::unique_ptr<Gpu> make_gl_gpu() { return std::make_unique<GlGpu>(); }

}  // namespace rollscope::gpu
