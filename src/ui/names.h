// Words for parts of a recipe and of a dump, in the interface's language.
#pragma once

#include <string>

#include "analysis/recipe_text.h"
#include "scene/shown_row.h"
#include "ui/ui.h"

namespace rollscope::ui {

[[nodiscard]] std::string method_words(const Ui& ui, const Recipe& r);        // "Attention flow"; stored scores by their name
[[nodiscard]] std::string source_words(const Ui& ui, std::string_view source);  // "integrated gradients"
[[nodiscard]] std::string mark_words(const Ui& ui, Method m);                 // "as published"
[[nodiscard]] std::string lacking_words(const Ui& ui, Lacking what);          // "needs gradients: see export"
[[nodiscard]] std::string residual_words(const Ui& ui, const Recipe& r);      // "0.50", "measured from norms"
[[nodiscard]] std::string merge_words(const Ui& ui, const Recipe& r);         // "merged to words before the product"
// unit: unit_name() of the recipe.
[[nodiscard]] std::string unit_words(const Ui& ui, std::string_view unit, bool percent);  // "rollout weight, %"
[[nodiscard]] std::string stream_words(const Ui& ui, const Stream& s);  // "self-attention"
[[nodiscard]] std::string fusion_words(const Ui& ui, const Recipe& r);  // "mean of 4"
[[nodiscard]] std::string layers_words(const Ui& ui, const Recipe& r);  // "1–4", "3"
[[nodiscard]] std::string row_layers_words(const Ui& ui);               // "Layer 3", "Layers 1–6": beside a single row
[[nodiscard]] std::string leaves_out_words(const Ui& ui);               // "leaves out values, MLP, layer norm"
[[nodiscard]] std::string weight_words(const Ui& ui);                   // "Rollout weight", "Attention weight"
[[nodiscard]] std::string other_recipe_words(const Ui& ui, const Recipe& other);  // "Residual 0.25"
[[nodiscard]] std::string sinks_words(const Ui& ui);                    // "[CLS]", "[CLS], [SEP]"
// "token 1, output of layer 4"; "after t', cross-attention, layer 3".
[[nodiscard]] std::string place_words(const Ui& ui);
// What the chosen row is called: its token, or in a cross stream what it predicts.
[[nodiscard]] std::string query_name(const Ui& ui, int query);
// Of the row that is shown, which may be a mean of several.
[[nodiscard]] std::string asked_name(const Ui& ui);
[[nodiscard]] bool predicts_known(const Ui& ui, int query);
// The text of a limit, translated when the locale has it.
[[nodiscard]] std::string limit_words(const Ui& ui, const ReportItem& item);
[[nodiscard]] bool has_limit(const ViewData& v, ReportCode code);
[[nodiscard]] const ReportItem* find_limit(const ViewData& v, ReportCode code);

}  // namespace rollscope::ui
