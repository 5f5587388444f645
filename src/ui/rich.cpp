// Rich text (draw.h): runs of words and tokens, in one line or wrapped.
#include "ui/draw.h"

#include <algorithm>

namespace rollscope::ui {

Rich& Rich::add(std::string_view t, const Ink& ink) {
  if (!t.empty()) runs_.push_back({std::string(t), ink, false});
  return *this;
}

Rich& Rich::token(std::string_view t, const Ink& ink) {
  if (!t.empty()) runs_.push_back({std::string(t), ink, true});
  return *this;
}

Rich& Rich::markup(std::string_view t, const Ink& base, const Ink& strong) {
  for (const Piece& p : split_pieces(t))
    if (!p.slot) add(p.text, p.bold ? strong : base);
  return *this;
}

Rich& Rich::words(Ui& ui, std::string_view id, const Ink& base, const Ink& strong,
                  std::vector<std::pair<std::string_view, Run>> slots) {
  for (const Piece& p : ui.words.pieces(id)) {
    const Ink& ink = p.bold ? strong : base;
    if (!p.slot) {
      add(p.text, ink);
      continue;
    }
    for (auto& [name, run] : slots) {
      if (name != p.text) continue;
      Run r = run;
      if (r.ink.colour == 0) r.ink = ink;
      if (!r.text.empty()) runs_.push_back(std::move(r));
    }
  }
  return *this;
}

Rich& Rich::words(Ui& ui, std::string_view id, const Ink& base, std::vector<std::pair<std::string_view, Run>> slots) {
  return words(ui, id, base, Ink{base.px, Weight::semibold, ui.theme.ink}, std::move(slots));
}

namespace {

bool heavy(const Ink& ink) { return ink.weight == Weight::semibold || ink.weight == Weight::medium; }

float measure(Ui& ui, const Run& r, std::string_view t) {
  return r.token ? label_width(ui, t, r.ink.px, heavy(r.ink)) : text_width(ui, t, r.ink);
}

void put(Ui& ui, const Run& r, std::string_view t, float x, float base) {
  if (r.token) label(ui, x, base, t, r.ink.px, heavy(r.ink), r.ink.colour);
  else text(ui, x, base, t, r.ink);
}

bool is_cjk(std::string_view t) {
  return t.size() >= 3 && static_cast<unsigned char>(t[0]) >= 0xE3 && static_cast<unsigned char>(t[0]) <= 0xEF;
}

// Signs that never begin a line in Japanese.
bool closes(std::string_view c) {
  for (const char* s : {"。", "、", "）", "」", "』", "：", "；", "！", "？", "ー", "・", "ッ", "っ", "ゃ", "ゅ", "ょ", "ャ", "ュ", "ョ"})
    if (c == s) return true;
  return false;
}

}  // namespace

float Rich::width(Ui& ui) const {
  float w = 0;
  for (const Run& r : runs_) w += measure(ui, r, r.text);
  return w;
}

float Rich::line(Ui& ui, float x, float base) const {
  const float start = x;
  for (const Run& r : runs_) {
    put(ui, r, r.text, x, base);
    x += measure(ui, r, r.text);
  }
  return x - start;
}

float Rich::wrap(Ui& ui, float x, float top, float w, float line_height, bool draw, int max_lines) const {
  // A word is what lies between two places where a line may break; it may span several runs.
  struct Part {
    const Run* run;
    std::string_view text;
  };
  std::vector<Part> word;
  float at = 0, word_width = 0, pending_space = 0;
  int lines = 1;
  auto flush = [&] {
    if (word.empty()) return;
    if (at > 0 && at + pending_space + word_width > w + 0.5f) {
      at = 0;
      pending_space = 0;
      ++lines;
    }
    at += pending_space;
    pending_space = 0;
    if (draw && (max_lines == 0 || lines <= max_lines)) {
      float px = x + at;
      for (const Part& p : word) {
        put(ui, *p.run, p.text, px, baseline(top + static_cast<float>(lines - 1) * line_height, line_height, p.run->ink.px));
        px += measure(ui, *p.run, p.text);
      }
    }
    at += word_width;
    word.clear();
    word_width = 0;
  };
  for (const Run& r : runs_) {
    std::string_view rest = r.text;
    if (r.token) {  // a token is never broken
      word.push_back({&r, rest});
      word_width += measure(ui, r, rest);
      continue;
    }
    while (!rest.empty()) {
      if (rest[0] == '\n') {
        flush();
        at = 0;
        pending_space = 0;
        ++lines;
        rest.remove_prefix(1);
      } else if (rest[0] == ' ') {
        flush();
        pending_space += measure(ui, r, " ");
        rest.remove_prefix(1);
      } else if (is_cjk(rest)) {
        const auto c = rest.substr(0, 3);
        if (!closes(c)) flush();
        word.push_back({&r, c});
        word_width += measure(ui, r, c);
        rest.remove_prefix(3);
        if (c != std::string_view("「") && c != std::string_view("（") && !(is_cjk(rest) && closes(rest.substr(0, 3)))) flush();
      } else {
        std::size_t n = 0;
        while (n < rest.size() && rest[n] != ' ' && rest[n] != '\n' && !is_cjk(rest.substr(n))) ++n;
        word.push_back({&r, rest.substr(0, n)});
        word_width += measure(ui, r, rest.substr(0, n));
        rest.remove_prefix(n);
      }
    }
  }
  flush();
  const int shown = max_lines > 0 ? std::min(lines, max_lines) : lines;
  return static_cast<float>(shown) * line_height;
}

}  // namespace rollscope::ui
