// The interface's words: id to text in the language chosen, with named slots that each language puts in its own order.
// No sentence is glued together: a text holds {slots}, and **bold** where a value stands out.
//
// Numbers are written the language's way: 9.2 or 9,2.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollscope::ui {

using Slots = std::vector<std::pair<std::string_view, std::string>>;

// A piece of a text: words, or a slot's name.
struct Piece {
  bool slot = false;
  bool bold = false;
  std::string_view text;
};

class Words {
 public:
  // Lines "id\ttext\n"; \n and \\ are escaped in the text. Replaces everything.
  void load(std::string_view lang, std::string_view lines);
  [[nodiscard]] std::string_view lang() const { return lang_; }
  // The text of `id`; the id itself where none was loaded, so that a gap shows and nothing breaks.
  [[nodiscard]] std::string_view operator()(std::string_view id) const;
  // Ids that were asked for in vain since the texts were loaded.
  [[nodiscard]] const std::set<std::string, std::less<>>& missing() const { return missing_; }
  [[nodiscard]] bool has(std::string_view id) const { return texts_.find(id) != texts_.end(); }
  [[nodiscard]] std::string fill(std::string_view id, const Slots& slots) const;  // ** is dropped
  [[nodiscard]] std::vector<Piece> pieces(std::string_view id) const;             // views into the table
  // "1.one" / "1.other" by number: English and French differ at 0 and 1, Japanese has one form.
  [[nodiscard]] std::string plural(std::string_view id, long long n, Slots slots = {}) const;

  [[nodiscard]] char decimal() const { return lang_ == "fr" ? ',' : '.'; }
  [[nodiscard]] std::string number(double value, int decimals) const;  // "−" for minus, never "−0.0"
  [[nodiscard]] std::string percent(double weight) const;               // "9.2", "<0.1"
  [[nodiscard]] std::string percent_sign(double weight) const;          // "9.2 %" with a space that does not break
  [[nodiscard]] std::string percent_fine(double weight) const;          // "2.53 %"
  [[nodiscard]] std::string plain(double value, int digits = 3) const;  // "0.0123": numbers that are no shares
  [[nodiscard]] std::string count(long long n) const;                   // "1,138"
  [[nodiscard]] std::string quoted(std::string_view text) const;        // "terrible" in the language's marks

 private:
  std::string lang_ = "en";
  std::map<std::string, std::string, std::less<>> texts_;
  mutable std::set<std::string, std::less<>> missing_;
};

[[nodiscard]] std::vector<Piece> split_pieces(std::string_view text);

}  // namespace rollscope::ui
