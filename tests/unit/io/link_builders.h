// Links made from the dumps of tests/dumps, for tests of what they carry.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/builders.h"
#include "io/link.h"
#include "io/link_error.h"

namespace rollscope::testing {

// The fused layers of a dump as a link carries them, unrounded; `tokens`: of them the first so many, 0: all.
inline LinkData fused_link(Dump& dump, int steps, int stream = 0, int tokens = 0) {
  const Stream& s = dump.info.streams[static_cast<std::size_t>(stream)];
  const int rows = tokens ? tokens : s.queries, columns = tokens ? tokens : s.keys;
  LinkData out;
  out.kind = LinkKind::layers;
  out.stream = s.kind;
  out.steps = steps;
  out.causal = s.causal;
  out.square = s.kind != StreamKind::cross;
  out.heads = s.heads;
  out.queries = rows;
  out.keys = columns;
  out.layer_numbers = s.layer_numbers;
  out.key_tokens.assign(s.key_tokens.begin(), s.key_tokens.begin() + columns);
  if (!out.square) out.query_tokens = s.query_tokens;
  for (int l = 0; l < s.layers(); ++l) {
    std::vector<double> mean(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (int h = 0; h < std::max(1, s.heads); ++h) {
      const auto one = head(dump, stream, l, h);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          mean[static_cast<std::size_t>(i * columns + j)] += static_cast<double>(one[static_cast<std::size_t>(i * s.keys + j)]);
    }
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < columns; ++j) sum += mean[static_cast<std::size_t>(i * columns + j)];
      for (int j = 0; j < columns; ++j) mean[static_cast<std::size_t>(i * columns + j)] /= sum > 0 ? sum : 1;
    }
    out.weights.insert(out.weights.end(), mean.begin(), mean.end());
  }
  return out;
}

// Rollout with residual 1/2, in the plainest way: [N][N].
inline std::vector<double> rollout_of(const LinkData& layers) {
  const auto n = static_cast<std::size_t>(layers.queries);
  std::vector<double> r(n * n);
  for (std::size_t i = 0; i < n; ++i) r[i * n + i] = 1;
  for (std::size_t l = 0; l < layers.layer_numbers.size(); ++l) {
    std::vector<double> next(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) {
        const double step = 0.5 * (layers.weights[(l * n + i) * n + k] + (i == k));
        for (std::size_t j = 0; j < n; ++j) next[i * n + j] += step * r[k * n + j];
      }
    r = next;
  }
  return r;
}

inline LinkData rollout_link(const LinkData& layers) {
  LinkData out = layers;
  out.kind = LinkKind::rollout;
  out.steps = 0;
  out.weights = rollout_of(layers);
  return out;
}
inline LinkData row_link(const LinkData& layers, int row) {
  LinkData out = rollout_link(layers);
  out.kind = LinkKind::row;
  out.row = row;
  const auto n = static_cast<std::ptrdiff_t>(layers.keys);
  out.weights = std::vector<double>(out.weights.begin() + row * n, out.weights.begin() + (row + 1) * n);
  return out;
}

inline LinkError error_between(const std::vector<double>& before, const std::vector<double>& after, int columns) {
  LinkError out;
  const auto n = static_cast<std::size_t>(columns);
  for (std::size_t at = 0; at < before.size(); at += n) compare_row(std::span(before).subspan(at, n), std::span(after).subspan(at, n), {}, out);
  return out;
}

}  // namespace rollscope::testing
