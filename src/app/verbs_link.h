// The ladder of links that an explanation can go into, from the shortest to the richest, each decoded again and compared.
// Private to src/app.
#pragma once

#include <string>
#include <vector>

#include "app/verbs.h"
#include "io/link.h"
#include "io/link_error.h"

namespace rollscope {

// What a link leaves out, as codes: the page has words for them.
struct LinkRung {
  std::string payload;       // "view", "row", "rollout", "layers"
  std::string quantisation;  // "none", "sqrt8", "sum63", "sum127", "sum255"
  std::string fragment;      // "#a1d..."
  bool measured = false;
  LinkError error;
  std::vector<std::string> left_out;
};

// Channels that shorten or refuse what is longer (characters of the whole address).
struct LinkBudget {
  std::string_view name;
  int characters;
};
inline constexpr LinkBudget kLinkBudgets[] = {{"qr", 500}, {"chat", 1900}, {"slack", 3900}, {"web", 8000}, {"limit", 30000}};

// The options of a recipe that differ from the standard one, as JSON of `explain`'s options.
[[nodiscard]] std::string link_recipe_json(const Recipe& recipe, const Stream& stream);

// Where the layers of a link were fused by the same heads, the recipe gives the same picture: this is it, as the reader's
// page computes it from the decoded link. All rows of the answer. Errors: those of opening and of the recipe.
[[nodiscard]] Result<std::vector<std::vector<double>>> rows_from_link(const std::string& fragment, const Recipe& recipe);

// link {"recipe": {}, "query": 0, "state": "...", "text": true, "base": "https://...", "budget": 8000, "payload": "", "src": ""}
[[nodiscard]] Result<std::unique_ptr<Job>> make_link_job(std::shared_ptr<OpenDump> open, const Args& args);
// state {"recipe": {}, "query": 0} -> the view of a link, as setState takes it
[[nodiscard]] Result<std::unique_ptr<Job>> make_state_job(std::shared_ptr<OpenDump> open, const Args& args);
// unlink {"link": text} -> what stands in a link, without a dump
[[nodiscard]] Result<std::unique_ptr<Job>> make_unlink_job(const Args& args);

}  // namespace rollscope
