// What JSON of a dump means, wherever the JSON was found: a file, a line, the script of a page.
#pragma once

#include <string>
#include <vector>

#include "io/container.h"

namespace rollscope {

// Numbers that are kept, as the bytes that they are: `count` of them from `first` on.
[[nodiscard]] Source pool_source(std::shared_ptr<std::vector<Real>> pool, std::size_t first, std::size_t count);

// The arrays, texts and metadata of a document. They keep its pool, not its tree.
// Of a list of dumps, number `item` of those that hold attention; Container::records says how many there are.
[[nodiscard]] Container json_container(const JsonDocument& document, std::string format, int item = 0);

// What BertViz and Tensor2Tensor embed: {"attention": views}, or {"all": view, ...}.
enum class BertVizView { none, weights, neuron };  // neuron: queries and keys in place of weights
[[nodiscard]] BertVizView bertviz_view(const JsonValue& root);

// The remark that a file holds dumps beside the one that is opened: `count` in all; some of their names.
[[nodiscard]] ReportItem other_dumps(const std::vector<std::string>& names, std::size_t count);

}  // namespace rollscope
