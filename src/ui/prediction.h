// What the model said, where the dump's metadata holds it: the class of a classifier, the next token of a decoder.
#pragma once

#include <string>

#include "dump/dump.h"

namespace rollscope::ui {

struct Prediction {
  std::string label;        // "": nothing stored
  double probability = -1;  // -1: not stored
  bool next = false;        // a next token, else a class
};
[[nodiscard]] Prediction find_prediction(const DumpInfo& dump, const Stream& stream, int query);

}  // namespace rollscope::ui
