#include "methods/cdam.h"

#include <cassert>
#include <cmath>

namespace rollscope {

long long cdam_scores(ConstMatrixView tokens, ConstMatrixView gradients, std::span<double> scores) {
  assert(tokens.rows == gradients.rows && tokens.columns == gradients.columns);
  assert(static_cast<int>(scores.size()) == tokens.rows);
  long long bad = 0;
  for (int i = 0; i < tokens.rows; ++i) {
    double sum = 0;
    const auto token = tokens.row(i), gradient = gradients.row(i);
    for (std::size_t d = 0; d < token.size(); ++d) {
      const double term = static_cast<double>(token[d]) * static_cast<double>(gradient[d]);
      if (std::isfinite(term)) sum += term;
      else ++bad;
    }
    scores[static_cast<std::size_t>(i)] = sum;
  }
  return bad;
}

}  // namespace rollscope
