// A small dump and its explanations, computed plainly here, so that tests of the scene need no engine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/view_data.h"
#include "base/archive.h"
#include "scene/app.h"

namespace rollscope::test {

inline Stream make_stream(std::string name, StreamKind kind, int layers, int heads, std::vector<std::string> rows,
                          std::vector<std::string> columns) {
  Stream s;
  s.name = std::move(name);
  s.kind = kind;
  for (int l = 0; l < layers; ++l) s.layer_numbers.push_back(l);
  s.heads = heads;
  s.queries = static_cast<int>(rows.size());
  s.keys = static_cast<int>(columns.size());
  for (const auto& t : rows) s.query_tokens.push_back({.raw = t, .label = t});
  for (const auto& t : columns) s.key_tokens.push_back({.raw = t, .label = t});
  return s;
}

inline DumpInfo make_dump(int layers = 4, int heads = 2, std::vector<std::string> tokens = {"[CLS]", "a", "b", "c", "[SEP]"}) {
  DumpInfo d;
  d.file = "toy.npz";
  d.streams.push_back(make_stream("self", StreamKind::self, layers, heads, tokens, tokens));
  return d;
}

// Random row-stochastic maps [layers][n][n]; `causal` keeps the lower triangle.
inline std::vector<std::vector<double>> random_maps(int layers, int n, unsigned seed, bool causal = false) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> weight(1);
  std::vector<std::vector<double>> maps;
  for (int l = 0; l < layers; ++l) {
    std::vector<double> f(static_cast<std::size_t>(n) * n);
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += f[i * n + j] = causal && j > i ? 0 : std::pow(weight(random), 2);
      for (int j = 0; j < n; ++j) f[i * n + j] /= sum;
    }
    maps.push_back(std::move(f));
  }
  return maps;
}

// The view of output `query` with every edge, packed in token order.
inline ViewData explain(const std::vector<std::vector<double>>& maps, int n, int query, double r) {
  ViewData v;
  v.query = query;
  v.level = static_cast<int>(maps.size());
  const auto levels = maps.size() + 1;
  std::vector<std::vector<double>> mass(levels, std::vector<double>(n, 0));
  mass.back()[query] = 1;
  v.gaps.resize(maps.size());
  for (int l = static_cast<int>(maps.size()) - 1; l >= 0; --l) {
    Gap& gap = v.gaps[l];
    const auto& f = maps[l];
    auto& up = mass[l + 1];
    auto& down = mass[l];
    gap.residual_at.resize(n), gap.own_at.resize(n), gap.residual_from_offset.resize(n), gap.residual_to_offset.resize(n);
    std::vector<double> filled(n, 0);  // of the lower nodes, from the left
    for (int a = 0; a < n; ++a) {
      double at = 0;
      for (int b = 0; b < n; ++b) {
        double w = up[a] * (1 - r) * f[a * n + b];
        if (a == b) {
          gap.residual_at[a] = up[a] * r, gap.own_at[a] = w;
          gap.residual_from_offset[a] = at, gap.residual_to_offset[a] = filled[b];
          gap.residual += up[a] * r, gap.own += w;
          w += up[a] * r;
        } else if (w > 0) {
          gap.edges.push_back({a, b, static_cast<float>(w), static_cast<float>(at), static_cast<float>(filled[b])});
          gap.others += w;
        }
        at += w, filled[b] += w, down[b] += w;
      }
    }
    std::stable_sort(gap.edges.begin(), gap.edges.end(), [](const Edge& x, const Edge& y) { return x.weight > y.weight; });
  }
  for (const auto& m : mass) v.states.emplace_back(m.begin(), m.end());
  v.row = v.states[0];
  v.uniform.assign(n, 1.0f / n);
  for (float w : v.row) v.sum += w;
  v.recipe.end_layer = static_cast<int>(maps.size());
  v.recipe.residual = r;
  return v;
}

template <class M>
std::vector<std::uint8_t> archive(M m) {
  ArchiveWriter w;
  fields(w, m);
  return w.take();
}

// An App whose questions pile up here until the test answers them.
struct Bench {
  struct Question {
    std::uint32_t number;
    std::string verb, args;
  };
  std::vector<Question> asked;
  std::vector<std::uint32_t> cancelled;
  std::vector<std::pair<std::string, std::string>> told;
  std::uint32_t next = 0;
  App app{[this](std::string_view verb, const std::string& args) {
            asked.push_back({++next, std::string(verb), args});
            return next;
          },
          [this](std::uint32_t n) { cancelled.push_back(n); },
          [this](std::string_view event, const std::string& detail) { told.emplace_back(event, detail); }};

  [[nodiscard]] const Question* open_question(std::string_view verb) const {
    for (auto it = asked.rbegin(); it != asked.rend(); ++it)
      if (it->verb == verb) return std::find(cancelled.begin(), cancelled.end(), it->number) == cancelled.end() ? &*it : nullptr;
    return nullptr;
  }
  [[nodiscard]] int count(std::string_view verb) const {
    return static_cast<int>(std::count_if(asked.begin(), asked.end(), [&](const Question& q) { return q.verb == verb; }));
  }
  [[nodiscard]] int told_times(std::string_view event) const {
    return static_cast<int>(std::count_if(told.begin(), told.end(), [&](const auto& t) { return t.first == event; }));
  }
  // A view whose row is `weight` at `key`, so that a test can tell two answers apart.
  void answer_view(float weight = 0.5f) { answer_view_number(asked_number("view"), weight); }
  void answer_view_number(std::uint32_t number, float weight) {
    ViewData v;
    const auto keys = static_cast<std::size_t>(app.dump().find(app.state().recipe.stream)->keys);
    v.row.assign(keys, 0);
    v.row.back() = weight;
    v.uniform.assign(keys, 1.0f / static_cast<float>(keys));
    v.sum = weight;
    app.answer(number, archive(v));
  }
  void answer_matrix(float value = 0.5f) {
    MatrixData m;
    m.rows = m.columns = 2;
    m.values.assign(4, value);
    app.answer(asked_number("matrix"), archive(m));
  }
  void answer_thumbs() { app.answer(asked_number("thumbs"), archive(ThumbData{})); }
  [[nodiscard]] std::uint32_t asked_number(std::string_view verb) const {
    const Question* q = open_question(verb);
    return q ? q->number : 0;
  }
};

}  // namespace rollscope::test
