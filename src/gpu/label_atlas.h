// Token labels of any script, drawn once by the browser's text engine into one texture and reused. A label is keyed
// by text, size in device pixels and weight; its picture is white (tinted when drawn) unless it holds colour emoji.
// Labels asked for in a frame are rasterised together at its end, so a new label shows in the next frame, which is
// asked for; nothing is evicted within a frame, and between frames only a page that nothing on screen uses. Implements TextMeasure by host::measure with a cache.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_measure.h"
#include "gpu/gpu.h"

namespace rollscope::gpu {

class LabelAtlas final : public TextMeasure {
 public:
  explicit LabelAtlas(Gpu& gpu);
  ~LabelAtlas() override;
  struct Glyphs {
    Texture texture = 0;   // 0: not drawn yet
    float u0 = 0, v0 = 0, u1 = 0, v1 = 0;
    float width = 0, height = 0;  // CSS pixels of the picture
    float advance = 0;            // CSS pixels of the text; the picture has 2 px of padding at each side
    bool coloured = false;        // emoji: draw untinted
  };
  // px: CSS pixels. Also asks for the label when it is new.
  [[nodiscard]] Glyphs label(std::string_view text, float px, bool bold);
  [[nodiscard]] float width(std::string_view text, float px, bool bold) override;
  void begin_frame(float scale);  // device pixels per CSS pixel; a change empties the atlas
  // Rasterises what was asked for; true when something new was drawn: ask for another frame.
  bool end_frame();
  void lost();  // the texture is gone
  [[nodiscard]] bool pending() const;

 private:
  struct Entry;
  struct Page;
  void clear();
  void reuse_pages();
  void rasterise_one_by_one(const std::vector<Entry*>& batch);
  void rasterise_together(const std::vector<Entry*>& batch);
  [[nodiscard]] Page& page_for(Entry& entry, const std::vector<std::size_t>& first_shelf);

  Gpu& gpu_;
  float scale_ = 1;
  std::uint64_t frame_ = 0;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<Page> pages_;
  std::vector<std::string> wanted_;  // keys asked for since the last end_frame()
  std::map<std::string, float, std::less<>> widths_;
};

}  // namespace rollscope::gpu
