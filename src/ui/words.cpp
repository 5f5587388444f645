#include "ui/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "scene/colormap.h"

namespace rollscope::ui {

void Words::load(std::string_view lang, std::string_view lines) {
  lang_ = std::string(lang);
  texts_.clear();
  missing_.clear();
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    std::string text;
    for (std::size_t i = tab + 1; i < line.size(); ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) {
        ++i;
        text += line[i] == 'n' ? '\n' : line[i];
      } else {
        text += line[i];
      }
    }
    texts_.insert_or_assign(std::string(line.substr(0, tab)), std::move(text));
  }
}

std::string_view Words::operator()(std::string_view id) const {
  const auto it = texts_.find(id);
  if (it != texts_.end()) return it->second;
  if (missing_.size() < 64) missing_.emplace(id);
  return id;
}

std::vector<Piece> split_pieces(std::string_view text) {
  std::vector<Piece> out;
  bool bold = false;
  std::size_t start = 0;
  auto flush = [&](std::size_t end) {
    if (end > start) out.push_back({false, bold, text.substr(start, end - start)});
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '*' && i + 1 < text.size() && text[i + 1] == '*') {
      flush(i);
      bold = !bold;
      start = i += 2;
    } else if (text[i] == '{') {
      const auto close = text.find('}', i);
      if (close == std::string_view::npos) break;
      flush(i);
      out.push_back({true, bold, text.substr(i + 1, close - i - 1)});
      start = i = close + 1;
    } else {
      ++i;
    }
  }
  flush(text.size());
  return out;
}

std::vector<Piece> Words::pieces(std::string_view id) const { return split_pieces((*this)(id)); }

std::string Words::fill(std::string_view id, const Slots& slots) const {
  std::string out;
  for (const Piece& p : pieces(id)) {
    if (!p.slot) {
      out += p.text;
      continue;
    }
    for (const auto& [name, value] : slots)
      if (name == p.text) out += value;
  }
  return out;
}

std::string Words::plural(std::string_view id, long long n, Slots slots) const {
  const bool one = lang_ == "fr" ? n <= 1 : lang_ != "ja" && n == 1;
  slots.emplace_back("n", count(n));
  return fill(std::string(id) + (one ? ".one" : ".other"), slots);
}

std::string Words::number(double value, int decimals) const {
  if (!std::isfinite(value)) return "–";
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::fabs(value));
  bool zero = true;
  for (char& c : text) {
    if (!c) break;
    if (c >= '1' && c <= '9') zero = false;
    if (c == '.') c = decimal();
  }
  return value < 0 && !zero ? std::string("−") + text : std::string(text);
}

std::string Words::percent(double weight) const {
  if (std::isnan(weight)) return "–";
  return rollscope::percent(weight, decimal());
}

std::string Words::percent_sign(double weight) const { return percent(weight) + "\u00A0%"; }
std::string Words::percent_fine(double weight) const { return number(weight * 100, 2) + "\u00A0%"; }
std::string Words::plain(double value, int digits) const { return significant(value, decimal(), digits); }
std::string Words::count(long long n) const { return grouped(n, lang_ == "fr" ? "\u00A0" : ","); }

std::string Words::quoted(std::string_view text) const {
  if (lang_ == "fr") return "«\u00A0" + std::string(text) + "\u00A0»";
  if (lang_ == "ja") return "「" + std::string(text) + "」";
  return "“" + std::string(text) + "”";
}

}  // namespace rollscope::ui
