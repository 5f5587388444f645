#include "io/choose.h"

#include <algorithm>
#include <optional>

namespace rollscope {
namespace {

constexpr std::size_t kMostStreams = 16;

Result<Candidate> evaluate_as(const StackGroup& group, const AxesRequest& request) {
  auto placed = place_axes(group, request);
  if (!placed) return tl::unexpected(placed.error());
  auto sample = take_sample(placed->plan, placed->dtype);
  if (!sample) return tl::unexpected(sample.error());
  return Candidate{group, std::move(*placed), std::move(*sample)};
}

// Some libraries put the heads, or everything but the matrix, last: (N, N, B, H) of the first XLNet. Taken only where
// the usual order gives rows that sum to nothing in particular and this one gives rows that sum to 1.
std::vector<std::string> other_axes(const StackGroup& group) {
  switch (group.first().shape.size() + (group.numbered() ? 1 : 0)) {
    case 3: return {"qkl"};
    case 4: return group.numbered() ? std::vector<std::string>{"qkh", "qhk"} : std::vector<std::string>{"lqkh", "lqhk", "qklh"};
    case 5: return group.numbered() ? std::vector<std::string>{"qkbh", "bqkh", "bqhk"} : std::vector<std::string>{"lqkbh", "lbqkh", "lbqhk"};
    default: return {};
  }
}

Result<Candidate> evaluate(const StackGroup& group, const AxesRequest& request) {
  auto usual = evaluate_as(group, request);
  if (!usual || usual->surely_weights() || usual->sample.logs_are_one() || group.stepped() ||
      !request.assumed.empty() || !request.stated.empty())
    return usual;
  for (const std::string& axes : other_axes(group)) {
    AxesRequest again = request;
    again.assumed = axes;
    auto candidate = evaluate_as(group, again);
    if (!candidate || candidate->placed.plan.heads > 256) continue;
    const Sample& s = candidate->sample;
    if (s.rows < 8 || 10 * s.rows_one < 9 * s.rows || candidate->placed.plan.keys < 2) continue;
    candidate->placed.report.push_back(report_item(ReportCode::axes_found, {{"shape", shape_text(group.first().shape)}, {"axes", candidate->placed.axes}}, group.name));
    return candidate;
  }
  return usual;
}

bool says_attention(const std::string& name) {
  const NameRole role = name_meaning(name).role;
  return role == NameRole::attention || role == NameRole::scores;
}

// Evaluates the groups of some roles. The first failure is kept: it counts if nothing better is found.
struct Pool {
  std::vector<Candidate> good;
  std::optional<Error> error;
  std::vector<std::string> failed;
};

Result<Pool> evaluate_all(const SortedArrays& sorted, const AxesRequest& request, NameRole from, NameRole to) {
  Pool out;
  for (const StackGroup& group : sorted.groups) {
    if (group.role < from || group.role > to) continue;
    if (out.good.size() >= kMostStreams) {
      out.failed.push_back(group.name);
      continue;
    }
    auto candidate = evaluate(group, request);
    if (candidate && candidate->placed.plan.heads > 200 && !candidate->surely_weights() && !candidate->sample.logs_are_one()) {
      // (1, 754, 28, 28) is tokens x heads x heads, whatever it is called
      if (!out.error) out.error = Error{ErrorCode::not_attention, {{"detail", printable(group.name) + " has the shape " + shape_text(group.first().shape) + " and rows that do not sum to 1"}}};
      out.failed.push_back(group.name);
      continue;
    }
    if (candidate) {
      out.good.push_back(std::move(*candidate));
      continue;
    }
    // The user's own mistakes, and a failing medium, are not ours to work around.
    const ErrorCode code = candidate.error().code;
    if (code == ErrorCode::read_failed) return tl::unexpected(candidate.error());
    if (!out.error) out.error = candidate.error();
    out.failed.push_back(group.name);
  }
  return out;
}

// Of stacks for one stream, those whose numbers are weights push out those whose are not.
void keep_best(Pool& pool, std::vector<std::string>& ignored) {
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < pool.good.size(); ++i) {
    const Candidate& c = pool.good[i];
    const bool better = std::any_of(pool.good.begin(), pool.good.end(), [&](const Candidate& other) {
      if (&other == &c || other.group.stream != c.group.stream) return false;
      return (other.surely_weights() && !c.surely_weights()) || (other.sample.could_be_weights() && !c.sample.could_be_weights() && !c.surely_weights());
    });
    if (better) ignored.push_back(c.group.name);
    else kept.push_back(c);
  }
  pool.good = std::move(kept);
}

// Nothing says attention: the numbers decide, and an only array is taken at its word.
void keep_plausible(Pool& pool, std::vector<std::string>& ignored) {
  const bool sure = std::any_of(pool.good.begin(), pool.good.end(), [](const Candidate& c) { return c.surely_weights(); });
  const bool plain = std::any_of(pool.good.begin(), pool.good.end(), [](const Candidate& c) { return c.surely_weights() && c.group.role == NameRole::plain; });
  std::vector<Candidate> kept;
  for (Candidate& c : pool.good) {
    const bool square = c.placed.plan.queries == c.placed.plan.keys;
    bool keep = sure ? c.surely_weights() && (!plain || c.group.role == NameRole::plain) : pool.good.size() == 1 && square && c.placed.plan.queries > 1;
    if (!c.sample.could_be_weights() && c.placed.plan.heads > 200) keep = false;  // (1, 754, 28, 28): tokens x features
    switch (c.placed.dtype) {  // images and ids are square at times
      case DType::f16:
      case DType::bf16:
      case DType::f32:
      case DType::f64:
      case DType::f8_e4m3:
      case DType::f8_e5m2: break;
      default: keep = keep && c.sample.could_be_weights() && c.placed.plan.layers[0].array->shape.size() > 2;
    }
    if (keep) kept.push_back(std::move(c));
    else ignored.push_back(c.group.name);
  }
  std::stable_sort(kept.begin(), kept.end(), [](const Candidate& a, const Candidate& b) {
    if (a.group.stream.empty() != b.group.stream.empty()) return false;
    return a.placed.plan.layers.size() > b.placed.plan.layers.size();
  });
  pool.good = std::move(kept);
}

Error nothing_found(const Container& container, const SortedArrays& sorted, const std::optional<Error>& error) {
  if (sorted.parameters > 0)
    return {ErrorCode::model_weights, {{"detail", std::to_string(sorted.parameters) + " arrays such as " + printable(sorted.parameter)}}};
  if (!container.refused.empty()) return container.refused.front().error;
  if (!container.nulls.empty() && container.arrays.empty()) return {ErrorCode::all_none, {}};
  if (error && error->code != ErrorCode::not_attention) return *error;
  if (error && container.arrays.size() == 1) return *error;
  if (container.arrays.empty() && container.texts.empty()) return {ErrorCode::empty, {{"detail", "there is no array in it"}}};
  return {ErrorCode::not_attention, {{"detail", "it holds " + describe_arrays(container)}}};
}

}  // namespace

Result<Choice> choose_streams(const Container& container, const AxesRequest& request) {
  SortedArrays sorted = sort_arrays(container);
  Choice out;
  out.companions = std::move(sorted.companions);
  out.ignored = std::move(sorted.others);
  std::optional<Error> error;
  if (!sorted.windows.empty())
    return fail(ErrorCode::ragged, {{"kind", "windows"}, {"where", sorted.differ_at}, {"shapes", sorted.windows}, {"detail", sorted.windows + ". These look like windows (Swin), and no file says where a window lies, so no path leads through all layers"}});
  if (!sorted.layers_differ.empty())
    return fail(ErrorCode::ragged, {{"kind", "layers"}, {"where", sorted.differ_at}, {"shapes", sorted.layers_differ}, {"detail", sorted.layers_differ + ". No path leads through layers of different sizes"}});
  if (!sorted.heads_differ.empty()) return fail(ErrorCode::heads_differ, {{"detail", sorted.heads_differ}});

  for (const auto& [from, to] : {std::pair{NameRole::attention, NameRole::attention}, std::pair{NameRole::scores, NameRole::scores},
                                 std::pair{NameRole::plain, NameRole::unknown}}) {
    const bool by_name = to != NameRole::unknown;
    if (by_name && to == NameRole::scores) {
      // Attention that is there and cannot be used is what the file is about.
      if (error && error->code != ErrorCode::not_attention) return tl::unexpected(*error);
      for (const auto& refused : container.refused)
        if (says_attention(refused.name)) return tl::unexpected(refused.error);
    }
    if (to == NameRole::unknown) {
      for (const auto& null : container.nulls)
        if (says_attention(null)) return fail(ErrorCode::all_none);
      if (sorted.parameters > 0) break;  // a model holds square matrices too
    }
    auto pool = evaluate_all(sorted, request, from, to);
    if (!pool) return tl::unexpected(pool.error());
    if (pool->error && !error) error = pool->error;
    std::vector<std::string> ignored = pool->failed;
    if (by_name) {
      keep_best(*pool, ignored);
      // Matrices called attention.query.weight and the like in a model's file.
      if (sorted.parameters > 0) std::erase_if(pool->good, [](const Candidate& c) { return !c.surely_weights(); });
    } else {
      keep_plausible(*pool, ignored);
    }
    if (pool->good.empty()) continue;
    out.streams = std::move(pool->good);
    out.ignored.insert(out.ignored.end(), ignored.begin(), ignored.end());
    for (const StackGroup& group : sorted.groups)
      if (group.role > to) out.ignored.push_back(group.name);
    for (const auto& refused : container.refused) out.ignored.push_back(refused.name);
    return out;
  }
  return tl::unexpected(nothing_found(container, sorted, error));
}

}  // namespace rollscope
