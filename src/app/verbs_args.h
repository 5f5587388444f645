// Arguments of a verb: a JSON object from a script, the page or the command line, where everything may be wrong.
// Numbers may come as numbers or, from the command line, as text.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recipe_text.h"
#include "base/error.h"

namespace rollscope {

class Args {
 public:
  // "" counts as {}. Errors: usage (not a JSON object).
  [[nodiscard]] static Result<Args> parse(const std::string& json);
  Args(Args&&) noexcept;
  Args& operator=(Args&&) noexcept;
  ~Args();

  [[nodiscard]] bool has(std::string_view name) const;  // present and not null
  // Errors: unknown_option for a name outside the list.
  [[nodiscard]] Result<void> only(std::string_view verb, std::span<const std::string_view> names) const;
  [[nodiscard]] Result<void> only(std::string_view verb, std::initializer_list<std::string_view> names) const {
    return only(verb, std::span(names.begin(), names.size()));
  }
  // Each: the default where the name is missing. Errors: bad_value.
  [[nodiscard]] Result<std::string> text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] Result<int> integer(std::string_view name, int otherwise) const;
  [[nodiscard]] Result<double> number(std::string_view name, double low, double high, double otherwise) const;
  [[nodiscard]] Result<std::vector<double>> numbers(std::string_view name, double low, double high) const;  // 0.5, [0.2, 0.4] or "0.2,0.4"
  [[nodiscard]] Result<std::vector<int>> integers(std::string_view name) const;           // [0, 3] or "0,3"
  [[nodiscard]] Result<std::optional<std::pair<int, int>>> range(std::string_view name) const;  // [2, 6] or "2:6"; "all": none
  [[nodiscard]] Result<std::optional<std::pair<int, int>>> pair(std::string_view name, std::string_view allowed) const;  // the same, of any two numbers
  [[nodiscard]] Result<std::vector<std::pair<int, int>>> pairs(std::string_view name, std::string_view allowed) const;  // [[5, 0], [7, 2]] or "5:0,7:2"
  [[nodiscard]] Result<std::map<std::string, std::string, std::less<>>> texts(std::string_view name) const;  // {"a": "b"}
  [[nodiscard]] bool flag(std::string_view name) const;
  // The object behind `name`; an empty one where it is missing.
  [[nodiscard]] Result<Args> object(std::string_view name) const;
  // The objects of the list behind `name`. Errors: bad_value.
  [[nodiscard]] Result<std::vector<Args>> objects(std::string_view name) const;
  // A value as the user wrote it, for messages.
  [[nodiscard]] std::string shown(std::string_view name) const;

 private:
  struct Value;
  explicit Args(std::unique_ptr<Value> value);
  std::unique_ptr<Value> value_;
};

// The options of a recipe. Errors: bad_value.
inline constexpr std::array<std::string_view, 15> kRecipeOptions{
    "method", "stream", "fusion", "heads", "residual", "layers", "sink", "merge", "merge_queries", "merge_time", "class", "norms", "discard", "head", "minus"};
[[nodiscard]] Result<RecipeRequest> recipe_request(const Args& args);

}  // namespace rollscope
