#include "io/axes.h"

#include <algorithm>

#include "io/steps.h"

namespace rollscope {
namespace {

using Shape = std::vector<std::uint64_t>;
constexpr std::uint64_t kMaxLayers = 10000;
constexpr std::uint64_t kMaxSide = 1 << 20;

// l, b, h, q, k, each at most once, with q and k.
bool valid_axes(const std::string& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (std::string_view("lbhqk").find(axes[i]) == std::string_view::npos || axes.find(axes[i], i + 1) != axes.npos) return false;
  return axes.find('q') != axes.npos && axes.find('k') != axes.npos;
}

std::string without(std::string axes, char letter) {
  axes.erase(std::remove(axes.begin(), axes.end(), letter), axes.end());
  return axes;
}

// Makes stated axes fit an array that lacks some of them: "lbhqk" said of the whole, the arrays being one per layer
// and squeezed. Empty: it does not fit.
std::string fit(const std::string& stated, const Shape& shape, bool per_layer) {
  if (!valid_axes(stated)) return "";
  std::vector<std::string> tries;
  if (per_layer) tries = {without(stated, 'l'), without(without(stated, 'l'), 'b'), without(without(stated, 'l'), 'h'), "b" + without(without(stated, 'l'), 'b')};
  else tries = {stated, without(stated, 'b'), without(stated, 'h'), without(without(stated, 'b'), 'h'), without(stated, 'l')};
  for (const auto& axes : tries)
    if (axes.size() == shape.size()) return axes;
  // One item, its axis kept.
  if (stated.find('b') == stated.npos && stated.size() + 1 == shape.size()) {
    if (shape[0] == 1) return "b" + stated;
    if (stated[0] == 'l' && shape[1] == 1) return "lb" + stated.substr(1);
  }
  return "";
}

std::string default_axes(const StackGroup& group, const Shape& shape, const AxesRequest& request, Report& report) {
  const std::size_t n = shape.size();
  if (group.numbered()) {
    if (n == 2) return "qk";
    const bool batch = shape[0] == 1 || (request.mask_items == shape[0] && shape[0] > 1);
    if (n == 3 && group.members.front().head < 0 && !batch && !request.layout_assumed) {
      ReportItem item = report_item(ReportCode::ambiguous_axes, {{"kind", "heads"}, {"shape", shape_text(shape)}, {"count", std::to_string(shape[0])}, {"switch", "axes=bqk"},
                                                                 {"detail", "as the heads of a layer, or as a batch with its heads already fused. It is read as heads"}}, group.name, "axes=bqk");
      item.severity = Severity::note;  // a layer without its batch axis is far commoner
      report.push_back(std::move(item));
    }
    if (n == 3) return group.members.front().head >= 0 || batch ? "bqk" : "hqk";
    if (n == 4) return "bhqk";
    return "";
  }
  if (n == 2) return "qk";
  if (n == 3) {
    if (shape[0] == 1) return "lqk";
    if (request.mask_items == shape[0]) return "bqk";
    const std::string axes = request.heads_first ? "hqk" : "lqk";
    if (!request.layout_assumed) {
      report.push_back(report_item(ReportCode::ambiguous_axes,
                                   {{"kind", "layout"}, {"shape", shape_text(shape)}, {"count", std::to_string(shape[0])}, {"switch", "layout=heads"},
                                    {"detail", "as " + std::to_string(shape[0]) + " layers, their heads already fused, or as that many heads of one layer. It is read as layers"}},
                                   group.name, "layout=heads"));
    }
    return axes;
  }
  if (n == 4) {
    if (!group.first().present.empty()) return "lhqk";  // [null, layer, null]: its first axis counts layers
    if (shape[0] == 1 || (request.mask_items == shape[0] && shape[0] > 1)) return "bhqk";
    return "lhqk";
  }
  if (n == 5) {
    if (!group.first().present.empty()) return "lbhqk";
    if (shape[0] == 1 && shape[1] > 1) return "blhqk";
    if (request.mask_items > 1 && request.mask_items == shape[0] && request.mask_items != shape[1]) return "blhqk";
    if (shape[1] > 1 && request.mask_items != shape[1])
      report.push_back(report_item(ReportCode::ambiguous_axes, {{"kind", "batch"}, {"shape", shape_text(shape)}, {"count", std::to_string(shape[0])},
                                                                {"other", std::to_string(shape[1])}, {"switch", "axes=blhqk"},
                                                                {"detail", "as layers of a batch, or as a batch of layers. Its first axis is read as layers"}},
                                   group.name, "axes=blhqk"));
    return "lbhqk";
  }
  return "";
}

struct Letters {
  std::uint64_t size[5] = {1, 1, 1, 1, 1};
  std::uint64_t stride[5] = {0, 0, 0, 0, 0};
  bool has[5] = {};
};
enum { kL, kB, kH, kQ, kK };

Letters letters_of(const StoredArray& a, const std::string& axes) {
  Letters out;
  const std::vector<std::uint64_t> strides = strides_of(a);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto at = std::string_view("lbhqk").find(axes[i]);
    out.size[at] = a.shape[i];
    out.stride[at] = strides[i];
    out.has[at] = true;
  }
  return out;
}

}  // namespace

Result<PlacedStack> place_axes(const StackGroup& group, const AxesRequest& request) {
  if (group.stepped()) return place_steps(group, request);
  PlacedStack out;
  const StoredArray& first = group.first();
  const std::string name = group.name.empty() ? "the array" : printable(group.name);
  Shape shape = first.shape;
  out.dtype = first.shown;
  if (first.elements == 0) return fail(ErrorCode::empty, {{"detail", name + " has the shape " + shape_text(shape) + ", so there is nothing in it"}});
  if (shape.size() < 2)
    return fail(ErrorCode::not_attention, {{"detail", name + " has the shape " + shape_text(shape) + ", and a matrix of attention needs two axes"}});

  std::string axes;
  if (!request.assumed.empty()) {
    axes = fit(request.assumed, shape, group.numbered());
    if (axes.empty())
      return fail(ErrorCode::bad_value, {{"option", "--assume axes"}, {"value", request.assumed},
                                         {"allowed", "one letter of l b h q k for each axis, with q and k; " + name + " has the shape " + shape_text(shape)}});
  } else if (!request.stated.empty()) {
    axes = fit(request.stated, shape, group.numbered());
    if (axes.empty())
      out.report.push_back(report_item(ReportCode::unknown_assumption, {{"key", "axes"}, {"value", printable(request.stated)}}, group.name));
  }
  // Leading axes of one entry say nothing. They stay where they stand, so strides need no change.
  Shape squeezed = shape;
  std::size_t leading = 0;
  if (axes.empty()) {
    const std::size_t most = group.numbered() ? 4 : 5;
    while (squeezed.size() > most && squeezed.front() == 1) {
      squeezed.erase(squeezed.begin());
      ++leading;
    }
    axes = default_axes(group, squeezed, request, out.report);
  }
  if (axes.empty())
    return fail(ErrorCode::not_attention, {{"detail", name + " has the shape " + shape_text(shape) + ", which is read in no known order of axes"}});
  out.axes = axes;

  const auto placed = [&](const StoredArray& a) {
    StoredArray view = a;  // only its shape is looked at
    if (leading > 0) {
      const auto gone = static_cast<std::ptrdiff_t>(leading);
      view.shape.erase(view.shape.begin(), view.shape.begin() + gone);
      if (!view.strides.empty()) view.strides.erase(view.strides.begin(), view.strides.begin() + gone);
    }
    return letters_of(view, axes);
  };
  const Letters letters = placed(first);
  constexpr const char* kNothing[5] = {"no layers", "no items", "no heads", "no queries", "no keys"};
  for (int i = 0; i < 5; ++i)
    if (letters.size[i] == 0) return fail(ErrorCode::empty, {{"detail", name + " has the shape " + shape_text(shape) + ": " + kNothing[i]}});
  const std::uint64_t layers = group.numbered() ? group.members.size() : letters.size[kL];
  if (layers > kMaxLayers || letters.size[kH] > kMaxLayers || letters.size[kQ] > kMaxSide || letters.size[kK] > kMaxSide)
    return fail(ErrorCode::too_big, {{"needed", shape_text(shape)}, {"limit", "10000 layers or heads and 1048576 tokens"}, {"detail", name + ", read as " + axes}});

  out.batch = static_cast<int>(std::min<std::uint64_t>(letters.size[kB], 1 << 30));
  if (request.item < 0 || request.item >= out.batch)
    return fail(ErrorCode::out_of_range, {{"option", "--item"}, {"value", std::to_string(request.item)},
                                          {"allowed", out.batch == 1 ? "0 only: the file holds one item" : "0 to " + std::to_string(out.batch - 1)}});
  if (out.batch > 1)
    out.report.push_back(report_item(ReportCode::batch_item, {{"count", std::to_string(out.batch)}, {"item", std::to_string(request.item)}}, group.name));

  StackPlan& plan = out.plan;
  plan.queries = static_cast<int>(letters.size[kQ]);
  plan.keys = static_cast<int>(letters.size[kK]);
  plan.heads = letters.has[kH] ? static_cast<int>(letters.size[kH]) : 0;

  const auto place_of = [&](const std::shared_ptr<const StoredArray>& a, const Letters& l, std::uint64_t layer) {
    LayerPlace p;
    p.array = a;
    p.base = layer * l.stride[kL] + static_cast<std::uint64_t>(request.item) * l.stride[kB];
    p.head = l.stride[kH];
    p.query = l.size[kQ] == 1 && l.stride[kK] == 1 ? l.size[kK] : l.stride[kQ];
    p.key = l.size[kK] == 1 ? 1 : l.stride[kK];
    return p;
  };

  if (!group.numbered()) {
    for (std::uint64_t l = 0; l < letters.size[kL]; ++l) plan.layers.push_back(place_of(group.members[0].array, letters, l));
    const bool by_layer = axes[0] == 'l' && leading == 0 && !first.present.empty();
    for (std::uint64_t l = 0; l < letters.size[kL]; ++l)
      out.layer_numbers.push_back(by_layer ? first.present[l] : static_cast<int>(l));
    return out;
  }
  for (const auto& m : group.members) {
    if (m.array->shape != shape)
      return fail(ErrorCode::ragged, {{"where", printable(m.array->name)}, {"detail", "shape " + shape_text(m.array->shape) + " there, " + shape_text(shape) + " in " + name}});
    const Letters l = placed(*m.array);
    LayerPlace place = place_of(m.array, l, 0);
    if (m.head < 0) {
      out.layer_numbers.push_back(m.layer);
      plan.layers.push_back(std::move(place));
      continue;
    }
    if (out.layer_numbers.empty() || out.layer_numbers.back() != m.layer) {
      out.layer_numbers.push_back(m.layer);
      plan.layers.emplace_back();
      plan.layers.back().array = m.array;
    }
    plan.layers.back().heads.push_back(std::move(place));
  }
  if (group.members.front().head >= 0) {
    const std::size_t heads = plan.layers.front().heads.size();
    for (const auto& layer : plan.layers)
      if (layer.heads.size() != heads)
        return fail(ErrorCode::ragged, {{"where", printable(layer.heads.front().array->name)}, {"detail", std::to_string(layer.heads.size()) + " heads in that layer, " + std::to_string(heads) + " in the first"}});
    plan.heads = static_cast<int>(heads);
  }
  return out;
}

}  // namespace rollscope
