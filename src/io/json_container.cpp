// JSON dumps as containers: attn-dump v1, BertViz's parameters in three generations, nested lists of any depth.
#include <algorithm>
#include <cassert>
#include <iterator>

#include "io/container.h"
#include "io/names.h"

namespace rollscope {
namespace {

using Kind = JsonValue::Kind;
constexpr DType kRealType = sizeof(Real) == 8 ? DType::f64 : DType::f32;

// The numbers of a document, as the bytes that they are.
class PoolSource final : public ByteSource {
 public:
  PoolSource(std::shared_ptr<std::vector<Real>> pool, std::size_t first, std::size_t count)
      : pool_(std::move(pool)), first_(first), count_(count) {}
  std::uint64_t size() const override { return static_cast<std::uint64_t>(count_) * sizeof(Real); }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
    assert(offset <= size() && out.size() <= size() - offset);
    if (!out.empty())
      std::memcpy(out.data(), reinterpret_cast<const std::uint8_t*>(pool_->data() + first_) + offset, out.size());
    return {};
  }

 private:
  std::shared_ptr<std::vector<Real>> pool_;
  std::size_t first_, count_;
};

class Collector {
 public:
  Collector(const JsonDocument& document, Container& out) : doc_(document), out_(out) {}

  void collect() {
    const JsonValue& root = doc_.root;
    if (!root.is(Kind::object)) {
      walk(root, "");
      return;
    }
    if (bertviz(root)) return;
    for (const auto& [key, value] : root.members) {
      if (is_meta_name(key) && value.is(Kind::object)) continue;
      if (belongs_to_meta(key, value)) add_meta(key, value);
      else walk(value, key);
    }
    for (const auto& [key, value] : root.members)  // what stands on top goes before
      if (is_meta_name(key) && value.is(Kind::object)) out_.add_meta(value, *doc_.pool);
  }

 private:
  static bool belongs_to_meta(const std::string& key, const JsonValue& v) {
    if (v.is(Kind::text) || v.is(Kind::number) || v.is(Kind::boolean)) return true;
    if (v.is(Kind::ragged) || v.is(Kind::null)) return false;
    if (!is_attn_dump_key(key)) return false;
    if (key == "offsets") return true;
    if (v.is(Kind::numbers)) return v.shape.size() == 1 && !v.all_null;
    if (key == "attr")  // what is said about attributions; arrays among them are read as such
      return std::none_of(v.members.begin(), v.members.end(), [](const auto& m) { return m.value.is(Kind::numbers); });
    return key == "predictions" || key == "gold" || key == "probabilities" || key == "word_ids" || key == "image_size";
  }

  void add_meta(const std::string& key, const JsonValue& value) {
    JsonValue wrapper;
    wrapper.members.push_back({key, value});
    out_.add_meta(wrapper, *doc_.pool);
  }

  void add_array(const JsonValue& v, const std::string& name) {
    const std::uint64_t count = shape_product(v.shape).value_or(0);  // counted while parsing, so it fits
    if (v.all_null && count > 0) {
      out_.nulls.push_back(name);
      return;
    }
    StoredArray a;
    a.name = name;
    a.dtype = kRealType;
    a.shown = DType::f64;
    a.shape = v.shape;
    a.elements = count;
    a.present = v.present;
    a.bytes = std::make_shared<PoolSource>(doc_.pool, v.first, static_cast<std::size_t>(count));
    out_.arrays.push_back(std::move(a));
  }

  bool add_texts(const JsonValue& v, const std::string& name) {
    const auto text_like = [](const JsonValue& list) {
      return list.is(Kind::list) && std::any_of(list.items.begin(), list.items.end(), [](const JsonValue& i) { return i.is(Kind::text); });
    };
    std::vector<std::string> texts;
    if (text_like(v)) {
      if (!json_texts(v, *doc_.pool, texts)) return false;
      const std::uint64_t n = texts.size();
      out_.texts.push_back({name, {n}, std::move(texts)});
      return true;
    }
    // A batch: one list of tokens for each item, of one length or padded by us to the longest.
    if (!v.is(Kind::list) || v.items.empty() || !std::all_of(v.items.begin(), v.items.end(), text_like)) return false;
    std::vector<std::vector<std::string>> rows(v.items.size());
    std::size_t longest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!json_texts(v.items[i], *doc_.pool, rows[i])) return false;
      longest = std::max(longest, rows[i].size());
    }
    if (longest > 1'000'000 / rows.size()) return false;
    StoredText out{name, {rows.size(), longest}, {}};
    for (auto& row : rows) {
      row.resize(longest);
      std::move(row.begin(), row.end(), std::back_inserter(out.texts));
    }
    out_.texts.push_back(std::move(out));
    return true;
  }

  // Depth is bounded by the parser's.
  void walk(const JsonValue& v, const std::string& path) {
    const bool named = path == "attr" || path == "scores" || path == "norms" || path.ends_with("attention_grads");  // attr/NAME
    const auto inner = [&](const std::string& key) { return path.empty() ? key : path + (named ? "/" : ".") + key; };
    switch (v.kind) {
      case Kind::null: out_.nulls.push_back(path); break;
      case Kind::numbers: add_array(v, path); break;
      case Kind::ragged:
        out_.refused.push_back({path, {ErrorCode::ragged, {{"where", v.where}, {"detail", v.text}}}});
        break;
      case Kind::list:
        if (add_texts(v, path)) break;
        for (std::size_t i = 0; i < v.items.size(); ++i) walk(v.items[i], inner(std::to_string(i)));
        break;
      case Kind::object:
        for (const auto& [key, value] : v.members) walk(value, inner(key));
        break;
      default: break;  // a lone text or number deep inside says nothing that is known
    }
  }

  // What head_view and model_view of BertViz embed: {"attention": [{"name", "attn", "left_text", "right_text"}]};
  // before 2021, and in Tensor2Tensor, an object of such views, the array there called "att".
  bool bertviz(const JsonValue& root) {
    const JsonValue* attention = root.find("attention");
    const bool bare = !attention && root.find("all") && root.find("all")->is(Kind::object);
    if (bare) attention = &root;
    if (!attention || !(attention->is(Kind::list) || attention->is(Kind::object))) return false;
    std::vector<std::pair<std::string, const JsonValue*>> views;
    for (const JsonValue& item : attention->items) {
      const JsonValue* name = item.find("name");
      views.emplace_back(name && name->is(Kind::text) ? name->text : "All", &item);
    }
    for (const auto& [key, value] : attention->members) views.emplace_back(key, &value);
    bool any = false, whole = false;
    for (const auto& [name, view] : views) any = any || attn(*view);
    if (!any) return false;
    for (const auto& [key, value] : root.members) {
      if (!bare && key != "attention" && (belongs_to_meta(key, value) || value.is(Kind::numbers)))
        add_meta(key == "include_layers" ? "layers" : key, value);
      if (is_meta_name(key) && value.is(Kind::object)) out_.add_meta(value, *doc_.pool);
    }
    for (const auto& [name, view] : views) {
      const JsonValue* matrix = attn(*view);
      if (!matrix) continue;
      const std::string kind = lower(name);
      const bool all = kind == "all" || kind == "self";
      if (all && whole) continue;
      if (!all && whole) {  // parts of the whole: sentence A to B
        out_.report.push_back(report_item(ReportCode::ignored, {{"names", printable(name)}}, name));
        continue;
      }
      whole = whole || all;
      const std::string stream = all ? "" : kind + ".";
      walk(*matrix, stream + "attentions");
      for (const auto& [from, to] : {std::pair{"left_text", "query_tokens"}, std::pair{"top_text", "query_tokens"},
                                     std::pair{"right_text", "key_tokens"}, std::pair{"bot_text", "key_tokens"}})
        if (const JsonValue* text = view->find(from)) add_texts(*text, stream + to);
    }
    return true;
  }

  static const JsonValue* attn(const JsonValue& view) {
    for (const char* key : {"attn", "att"})
      if (const JsonValue* v = view.find(key)) return v;
    return nullptr;
  }

  const JsonDocument& doc_;
  Container& out_;
};

}  // namespace

Result<Container> read_json_container(const Source& source, std::uint64_t memory_limit) {
  auto document = read_json(*source, memory_limit);
  if (!document) return tl::unexpected(document.error());
  Container out;
  out.format = "json";
  for (const auto& name : document->duplicates)
    out.report.push_back(report_item(ReportCode::duplicate_member, {{"name", printable(name)}}, name));
  Collector(*document, out).collect();
  return out;
}

}  // namespace rollscope
