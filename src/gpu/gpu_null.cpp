// The GPU that draws nothing and refuses misuse: what a test drives the page's drawing code against. Every broken
// rule of gpu.h asserts here, where it is a test that fails, and not in a browser, where it is a black rectangle.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <map>

#include "gpu/gpu.h"

namespace rollscope::gpu {
namespace {

bool finite(const Rect& r) { return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.w) && std::isfinite(r.h) && r.w >= 0 && r.h >= 0; }

class NullGpu final : public Gpu {
 public:
  bool start() override {
    started_ = true;
    return true;
  }
  void lost() override {
    textures_.clear();
    heatmaps_.clear();
    ribbons_.clear();
    started_ = in_frame_ = false;
  }
  void begin_frame(const Viewport& v) override {
    assert(started_);
    assert(v.width >= 1 && v.height >= 1 && v.scale > 0 && std::isfinite(v.width * v.height * v.scale));
    in_frame_ = true;
  }

  Texture create_texture(int width, int height, bool, bool) override {
    assert(started_ && width > 0 && height > 0 && width <= 8192 && height <= 8192);
    textures_[++last_] = {width, height};
    return last_;
  }
  void update_texture(Texture texture, int x, int y, int width, int height, std::span<const std::uint8_t> rgba) override {
    const auto it = textures_.find(texture);
    assert(it != textures_.end());
    assert(x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= it->second.width && y + height <= it->second.height);
    assert(rgba.size() == static_cast<std::size_t>(width) * height * 4);
    it->second.filled = true;
  }
  void destroy_texture(Texture texture) override {
    const auto erased = textures_.erase(texture);
    assert(erased == 1);
  }

  Heatmap create_heatmap(std::span<const Level> levels, std::span<const float> row_max) override {
    assert(started_ && !levels.empty());
    double cells = 0;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const Level& l = levels[k];
      assert(l.rows > 0 && l.columns > 0 && l.cells.size() == static_cast<std::size_t>(l.rows) * l.columns);
      if (k > 0) assert(l.rows == (levels[k - 1].rows + 1) / 2 && l.columns == (levels[k - 1].columns + 1) / 2);
      cells += static_cast<double>(l.cells.size());
    }
    assert(row_max.empty() || row_max.size() == static_cast<std::size_t>(levels[0].rows));
    for (float m : row_max) assert(!std::isnan(m));
    heatmaps_[++last_] = {cells, levels[0].columns, !row_max.empty()};
    return last_;
  }
  void draw_heatmap(const HeatmapDraw& d) override {
    assert(in_frame_);
    const auto it = heatmaps_.find(d.heatmap);
    assert(it != heatmaps_.end());
    assert(finite(d.area) && std::isfinite(d.left) && std::isfinite(d.top) && std::isfinite(d.cell) && d.cell > 0);
    assert(std::isfinite(d.low) && std::isfinite(d.high) && d.low < d.high);
    assert(d.curve >= 0 && d.curve <= 2);
    assert(d.curve != 1 || d.low > 0);
    assert(d.curve != 2 || it->second.row_max);
    const auto map = textures_.find(d.colormap);
    assert(map != textures_.end() && map->second.width == 256 && map->second.height == 1 && map->second.filled);
    assert(d.hatched.size() <= kMaxHatched && d.gap >= 0);
    for (int column : d.hatched) assert(column >= 0 && column < it->second.columns);
  }
  void destroy_heatmap(Heatmap heatmap) override {
    const auto erased = heatmaps_.erase(heatmap);
    assert(erased == 1);
  }

  RibbonBatch create_ribbons(std::span<const RibbonInstance> ribbons) override {
    assert(started_ && !ribbons.empty());
    for (const auto& r : ribbons) {
      assert(std::isfinite(r.x0) && std::isfinite(r.y0) && std::isfinite(r.x1) && std::isfinite(r.y1));
      assert(std::isfinite(r.width0) && std::isfinite(r.width1) && r.width0 >= 0 && r.width1 >= 0);
      assert(r.stripes >= 0 && r.soft0 >= 0 && r.soft1 >= 0);
      const auto alpha = r.rgba >> 24;  // premultiplied: no part exceeds it
      assert((r.rgba & 255) <= alpha && (r.rgba >> 8 & 255) <= alpha && (r.rgba >> 16 & 255) <= alpha);
    }
    ribbons_[++last_] = ribbons.size();
    return last_;
  }
  void draw_ribbons(RibbonBatch batch, const Rect& clip) override {
    assert(in_frame_ && finite(clip));
    assert(ribbons_.contains(batch));
  }
  void destroy_ribbons(RibbonBatch batch) override {
    const auto erased = ribbons_.erase(batch);
    assert(erased == 1);
  }

  double bytes() const override {
    double sum = 0;
    for (const auto& [id, t] : textures_) sum += 4.0 * t.width * t.height;
    for (const auto& [id, h] : heatmaps_) sum += 2 * h.cells;
    for (const auto& [id, n] : ribbons_) sum += static_cast<double>(n * sizeof(RibbonInstance));
    return sum;
  }

 private:
  struct Size {
    int width, height;
    bool filled = false;
  };
  struct Map {
    double cells;
    int columns;
    bool row_max;
  };
  bool started_ = false, in_frame_ = false;
  std::uint32_t last_ = 0;
  std::map<Texture, Size> textures_;
  std::map<Heatmap, Map> heatmaps_;
  std::map<RibbonBatch, std::size_t> ribbons_;
};

}  // namespace

std::unique_ptr<Gpu> make_null_gpu() { return std::make_unique<NullGpu>(); }

}  // namespace rollscope::gpu
