// JSON dumps as containers: attn-dump v1, BertViz's parameters in three generations, nested lists of any depth.
#include <algorithm>
#include <cassert>
#include <iterator>

#include "io/json_container.h"
#include "io/names.h"

namespace rollscope {
namespace {

using Kind = JsonValue::Kind;
constexpr DType kRealType = sizeof(Real) == 8 ? DType::f64 : DType::f32;

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

using Views = std::vector<std::pair<std::string, const JsonValue*>>;

Views views_of(const JsonValue& root) {
  const JsonValue* attention = root.find("attention");
  if (!attention && root.find("all") && root.find("all")->is(Kind::object)) attention = &root;
  Views out;
  if (!attention) return out;
  for (const JsonValue& item : attention->items) {
    const JsonValue* name = item.find("name");
    out.emplace_back(name && name->is(Kind::text) ? name->text : "All", &item);
  }
  for (const auto& [key, value] : attention->members) out.emplace_back(key, &value);
  return out;
}

const JsonValue* attn(const JsonValue& view) {
  for (const char* key : {"attn", "att"})
    if (const JsonValue* v = view.find(key)) return v;
  return nullptr;
}

class Collector {
 public:
  Collector(const JsonDocument& document, Container& out) : doc_(document), out_(out) {}

  void collect_item(int item) {
    const JsonValue& root = doc_.root;
    const JsonValue* records = records_of(root);
    if (!records) {
      collect(root);
      return;
    }
    std::vector<const JsonValue*> dumps;
    for (const JsonValue& v : records->items)
      if (attention_of(v)) dumps.push_back(&v);
    out_.records = dumps.size();
    collect(*dumps[std::min(static_cast<std::size_t>(std::max(item, 0)), dumps.size() - 1)]);
    for (const auto& [key, value] : root.members)  // what is said of all of them
      if (&value != records && belongs_to_meta(key, value)) add_meta(key, value);
  }

 private:
  void collect(const JsonValue& root) {
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
    // CircuitsVis: one layer, an array for each head.
    if (root.find("attentionHeadNames") || root.find("attention_head_names")) {
      JsonValue axes;
      axes.kind = Kind::text;
      axes.text = "hqk";
      add_meta("axes", axes);
    }
  }

  // The member that is attention by its name; null: there is none.
  static const JsonValue* attention_of(const JsonValue& v) {
    for (const auto& [key, value] : v.members) {
      const bool filled = value.is(Kind::numbers) ? value.shape.size() > 1 && !value.all_null : value.is(Kind::list) || value.is(Kind::object) || value.is(Kind::ragged);
      if (filled && name_meaning(key).role == NameRole::attention) return &value;
    }
    return nullptr;
  }

  // A dump of its own among others: it brings its text, or its weights fill all axes. Layers do neither.
  static bool is_record(const JsonValue& v) {
    const JsonValue* attention = attention_of(v);
    if (!attention || v.find("layer") || v.find("head")) return false;
    if (attention->is(Kind::numbers) && attention->shape.size() >= 4 && attention->shape[0] > 1) return true;
    return std::any_of(v.members.begin(), v.members.end(), [](const auto& m) {
      const std::string key = lower(m.name);
      const bool texts = key.find("token") != key.npos || key == "text" || key == "sentence" || key == "words" || key == "input";
      return texts && (m.value.is(Kind::text) || m.value.is(Kind::list));
    });
  }

  // The list of dumps that a document is, or holds under a name; null: it is one dump.
  static const JsonValue* records_of(const JsonValue& root) {
    const auto are_records = [](const JsonValue& v) {
      return v.is(Kind::list) && !v.items.empty() && std::all_of(v.items.begin(), v.items.end(), [](const JsonValue& i) { return i.is(Kind::object) || i.is(Kind::null); }) &&
             std::any_of(v.items.begin(), v.items.end(), is_record);
    };
    if (are_records(root)) return &root;
    if (attention_of(root)) return nullptr;
    for (const auto& [key, value] : root.members)
      if (are_records(value)) return &value;
    return nullptr;
  }

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
    a.bytes = pool_source(doc_.pool, v.first, static_cast<std::size_t>(count));
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

  // An entry of a list, by the layer and head that it says it is, or by its place.
  static std::string entry_name(const JsonValue& item, std::size_t index) {
    const auto whole = [&](const char* key) {
      const JsonValue* v = item.find(key);
      const bool number = v && v->is(Kind::number) && v->number >= 0 && v->number < 10000 && v->number == static_cast<int>(v->number);
      return number ? static_cast<int>(v->number) : -1;
    };
    const int layer = whole("layer"), head = whole("head");
    if (layer < 0) return std::to_string(index);
    return "layer_" + std::to_string(layer) + (head < 0 ? "" : ".head_" + std::to_string(head));
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
        for (std::size_t i = 0; i < v.items.size(); ++i) walk(v.items[i], inner(entry_name(v.items[i], i)));
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
    if (bertviz_view(root) != BertVizView::weights) return false;
    const bool bare = !root.find("attention");
    const auto views = views_of(root);
    bool whole = false;
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

  const JsonDocument& doc_;
  Container& out_;
};

// JSON that belongs to a model and is no dump, by its keys.
const char* foreign_json(const JsonValue& root) {
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  if (!root.is(Kind::object)) return nullptr;
  if (has("weight_map")) return "index";
  if (has("added_tokens") || has("added_tokens_decoder") || has("tokenizer_class") || has("unk_token") || has("bos_token") || has("mask_token")) return "tokenizer";
  if (const JsonValue* model = root.find("model"); model && model->find("vocab")) return "tokenizer";
  if (has("model_type") || has("architectures") || has("num_attention_heads") || has("hidden_size")) return "config";
  const auto& members = root.members;
  if (members.size() > 200 && std::all_of(members.begin(), members.end(), [](const auto& m) { return m.value.is(Kind::number); })) return "tokenizer";
  return nullptr;
}

bool has_matrix(const Container& c) {
  return !c.refused.empty() || std::any_of(c.arrays.begin(), c.arrays.end(), [](const StoredArray& a) { return a.shape.size() > 1; });
}

Result<std::string> head_of(ByteSource& source, std::uint64_t count) {
  const auto bytes = read_some(source, 0, count);
  if (!bytes) return tl::unexpected(bytes.error());
  return std::string(bytes->begin(), bytes->end());
}

// Lines that hold something, from `offset` on; `newlines`: those before it.
Result<std::vector<std::size_t>> lines_from(ByteSource& source, std::uint64_t offset, std::size_t newlines, std::size_t& count) {
  std::vector<std::size_t> first;
  bool blank = true;
  const auto end_line = [&] {
    if (blank) return;
    if (++count <= 12) first.push_back(newlines + 1);
    blank = true;
  };
  for (const std::uint64_t size = source.size(); offset < size;) {
    const auto bytes = read_some(source, offset, 1 << 16);
    if (!bytes) return tl::unexpected(bytes.error());
    for (const std::uint8_t b : *bytes) {
      if (b == '\n') {
        end_line();
        ++newlines;
      } else if (b > ' ') {
        blank = false;
      }
    }
    offset += bytes->size();
  }
  end_line();
  return first;
}

// An object a line. Lines that say which layer they are belong together; otherwise each is a dump, and the first that
// holds attention is read.
Result<Container> read_lines(const Source& source, std::uint64_t start, JsonDocument document, std::uint64_t end, std::uint64_t memory_limit) {
  if (document.root.find("layer")) {
    document = {};
    auto all = read_json_lines(*source, start, memory_limit);
    if (!all) return tl::unexpected(all.error());
    return json_container(*all, "json");
  }
  Container out = json_container(document, "json");
  for (bool more = true; more && !has_matrix(out);) {
    const auto next = next_json_value(*source, end);
    if (!next) return tl::unexpected(next.error());
    more = *next < source->size();
    if (!more) break;
    auto line = read_json_value(*source, *next, memory_limit, end);
    if (!line) return tl::unexpected(line.error());
    out = json_container(*line, "json");
  }
  std::size_t before = 0, count = 0;
  for (std::uint64_t at = 0; at < end; at += 1 << 16) {
    const auto bytes = read_some(*source, at, std::min<std::uint64_t>(1 << 16, end - at));
    if (!bytes) return tl::unexpected(bytes.error());
    before += static_cast<std::size_t>(std::count(bytes->begin(), bytes->end(), '\n'));
  }
  const auto others = lines_from(*source, end, before, count);
  if (!others) return tl::unexpected(others.error());
  std::vector<std::string> names;
  for (const std::size_t line : *others) names.push_back("line " + std::to_string(line));
  if (count > 0) out.report.push_back(other_dumps(names, count + 1));
  return out;
}

}  // namespace

Source pool_source(std::shared_ptr<std::vector<Real>> pool, std::size_t first, std::size_t count) {
  return std::make_shared<PoolSource>(std::move(pool), first, count);
}

Container json_container(const JsonDocument& document, std::string format, int item) {
  Container out;
  out.format = std::move(format);
  for (const auto& name : document.duplicates)
    out.report.push_back(report_item(ReportCode::duplicate_member, {{"name", printable(name)}}, name));
  Collector(document, out).collect_item(item);
  return out;
}

BertVizView bertviz_view(const JsonValue& root) {
  const Views views = views_of(root);
  const auto has = [&](const auto& test) { return std::any_of(views.begin(), views.end(), [&](const auto& v) { return test(*v.second); }); };
  if (has([](const JsonValue& v) { return attn(v) != nullptr; })) return BertVizView::weights;
  if (has([](const JsonValue& v) { return v.find("queries") && v.find("keys"); })) return BertVizView::neuron;
  return BertVizView::none;
}

ReportItem other_dumps(const std::vector<std::string>& names, std::size_t count) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + printable(name);
  if (names.size() + 1 < count) list += ", \u2026";
  return report_item(ReportCode::other_dumps, {{"count", std::to_string(count)}, {"names", list}});
}

Result<Container> read_json_container(const Source& source, std::uint64_t memory_limit, int item) {
  const auto head = head_of(*source, 1 << 16);
  if (!head) return tl::unexpected(head.error());
  if (head->find("\"cell_type\"") != head->npos) return read_html_container(source, memory_limit);  // a notebook
  const std::uint64_t start = head->starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::uint64_t end = 0;
  auto document = read_json_value(*source, start, memory_limit, end);
  std::uint64_t next = 0;
  if (document) {
    const auto rest = next_json_value(*source, end);
    if (!rest) return tl::unexpected(rest.error());
    next = *rest;
    const auto between = read_some(*source, end, std::min<std::uint64_t>(next - end + 1, 1 << 12));
    if (!between) return tl::unexpected(between.error());
    if (next < source->size()) {
      const bool new_line = std::find(between->begin(), between->end(), '\n') != between->end();
      if (document->root.is(Kind::object) && new_line && between->back() == '{') return read_lines(source, start, std::move(*document), end, memory_limit);
      document = fail(ErrorCode::bad_json, {{"detail", "something follows the end of the value"}, {"offset", std::to_string(next)}});
    }
  }
  if (!document) {
    // Perhaps it is what Python or numpy prints, which looks alike.
    constexpr std::uint64_t kMostPrinted = 16'000'000;
    const auto first = head->find_first_not_of(" \t\r\n", start);
    if (document.error().code == ErrorCode::bad_json && source->size() <= kMostPrinted && first != head->npos && (*head)[first] == '[') {
      auto printed = read_table_container(source);
      if (printed && !printed->arrays.empty() && printed->arrays[0].shape.size() > 1) return printed;
      if (printed) return tl::unexpected(document.error());
      if (const auto kind = printed.error().params.find("kind"); kind != printed.error().params.end() && kind->second == "elided") return printed;
    }
    return tl::unexpected(document.error());
  }
  const JsonValue& root = document->root;
  if (root.find("cells") && root.find("nbformat")) return read_html_container(source, memory_limit);
  if (bertviz_view(root) == BertVizView::neuron) return tl::unexpected(foreign_file("neuron_view"));
  Container out = json_container(*document, "json", item);
  const char* foreign = has_matrix(out) || !out.nulls.empty() ? nullptr : foreign_json(root);
  if (foreign) return tl::unexpected(foreign_file(foreign));
  return out;
}

}  // namespace rollscope
