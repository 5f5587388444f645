#include "analysis/head_table.h"

#include <algorithm>

namespace rollscope {

Result<void> pool(HeadTable& into, const HeadTable& more) {
  const auto differ = [&](const std::string& what) {
    return fail(ErrorCode::usage, {{"detail", "Heads can be averaged over dumps of one model: " + into.files.front() + " and " + more.files.front() + " differ in their " + what}});
  };
  if (into.numbers != more.numbers) return differ("layers");
  if (into.heads != more.heads) return differ("heads");
  if (into.stream != more.stream) return differ("streams");
  for (std::size_t m = 0; m < into.scores.size(); ++m) pool(into.scores[m], more.scores[m]);
  into.ids = into.ids || more.ids;
  into.rows = std::min(into.rows, more.rows);
  if (into.js.size() != more.js.size()) into.js.clear();
  const auto a = static_cast<double>(into.files.size()), b = static_cast<double>(more.files.size());
  for (std::size_t k = 0; k < into.js.size(); ++k) into.js[k] = (a * into.js[k] + b * more.js[k]) / (a + b);
  into.files.insert(into.files.end(), more.files.begin(), more.files.end());
  return {};
}

SimilarHeads similar_heads(const HeadTable& table, double height) {
  SimilarHeads out;
  const auto count = static_cast<int>(table.scores.size());
  if (table.js.empty() || count == 0) return out;
  const auto distances = js_distances(table.js);
  out.merges = average_linkage(distances, count);
  out.order = leaf_order(out.merges, count);
  const auto cluster = clusters_below(out.merges, count, height);
  std::vector<std::vector<int>> members;
  for (int m = 0; m < count; ++m) {
    const auto c = static_cast<std::size_t>(cluster[static_cast<std::size_t>(m)]);
    if (c >= members.size()) members.resize(c + 1);
    members[c].push_back(m);
  }
  for (auto& heads : members)
    if (heads.size() > 1) out.clusters.push_back(std::move(heads));
  if (count <= kExactMap) out.map = plane_map(distances, count);
  return out;
}

int similarity_rows(int heads, int queries, int keys) {
  for (const int rows : {32, 16, 8}) {
    const double m = heads;
    const double bytes = sizeof(double) * (m * std::min(rows, queries) * keys + 3 * m * m);
    if (bytes <= kSimilarBytes) return std::min(rows, queries);
  }
  return 0;
}

}  // namespace rollscope
