#include "io/pickle_walk.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "io/names.h"
#include "io/pickle_lists.h"

namespace rollscope {
namespace {

using Kind = PickleKind;

constexpr std::uint64_t kMetaText = 16'000'000;
constexpr std::uint64_t kMetaNumbers = 100'000;
constexpr int kMetaDepth = 16;

bool all_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

std::string valid_utf8(std::string_view text) {
  if (utf8_valid(text)) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    utf8_append(out, c.valid ? c.code : 0xfffd);
    at += c.bytes;
  }
  return out;
}

class Collector {
 public:
  Collector(PickleFile& file, Container& out) : file_(file), data_(file.data), out_(out) {}

  Result<void> collect(const PickleValue& root) {
    if (auto done = visit(root, false); !done) return done;
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      if (f.next == f.entries.size()) {
        open_.erase(f.record);
        frames_.pop_back();
        continue;
      }
      const Entry entry = f.entries[f.next++];
      path_.resize(f.path);
      const bool top = frames_.size() == 1 && f.named;
      if (!entry.name.empty()) {
        const bool slash = path_ == "attr" || path_ == "scores" || path_ == "norms" || path_.ends_with("attention_grads");  // attr/NAME
        if (!path_.empty()) path_ += slash ? "/" : ".";
        path_ += entry.name;
      }
      if (auto done = visit(entry.value, top); !done) return done;
    }
    return finish();
  }

 private:
  struct Entry {
    std::string name;  // "": stands in the place of what holds it
    PickleValue value;
  };
  struct Frame {
    std::vector<Entry> entries;
    std::size_t next = 0, path = 0;
    std::uint32_t record = 0;
    bool named = false;  // a dict or an object, whose keys may be metadata
  };

  tl::unexpected<Error> too_many(const std::string& limit, const std::string& what) {
    return fail(ErrorCode::too_big, {{"needed", "more than " + limit + " " + what}, {"limit", limit}, {"detail", "the pickle holds no dump, or refers to the same lists again and again"}});
  }

  bool taken(const std::string& name) { return !names_.insert(name).second; }

  // One value; what it holds is pushed as a frame and comes later.
  Result<void> visit(const PickleValue& given, bool top) {
    if (budget_ == 0 || --budget_ == 0) return too_many(std::to_string(kWalkValues), "values");
    const PickleValue v = file_.resolve(given);
    switch (v.kind) {
      case Kind::none:
        if (!taken(path_)) out_.nulls.push_back(path_);
        return {};
      case Kind::boolean:
      case Kind::integer:
      case Kind::real:
      case Kind::text:
      case Kind::bytes:
        if (top || is_sentence(v)) return add_scalar(v);
        return {};
      case Kind::name: return {};
      case Kind::list:
      case Kind::tuple:
      case Kind::set: return visit_list(v, top);
      case Kind::dict: return visit_dict(v, top);
      case Kind::persistent:
      case Kind::object: break;
    }
    if (file_.known(v) == PickleClass::scalar) {
      if (top) return add_scalar(v);
      return {};
    }
    auto array = read_pickle_array(file_, v, path_);
    if (!array) return tl::unexpected(array.error());
    switch (array->kind) {
      case PickleArray::Kind::numbers: return add_array(std::move(array->numbers));
      case PickleArray::Kind::texts:
        if (array->texts.shape.empty()) {
          if (!taken(path_)) out_.add_meta_text(path_, array->texts.texts[0]);
        } else if (!taken(path_)) {
          out_.texts.push_back(std::move(array->texts));
        }
        return {};
      case PickleArray::Kind::refused:
        if (!taken(path_)) out_.refused.push_back({path_, std::move(*array->error)});
        return {};
      case PickleArray::Kind::items: return visit_items(std::move(*array), top);
      case PickleArray::Kind::none: return v.is(Kind::object) ? visit_object(v, top) : Result<void>{};
    }
    return {};
  }

  Result<void> add_array(StoredArray a) {
    if (taken(a.name)) return {};
    if (out_.arrays.size() >= kWalkArrays) return too_many(std::to_string(kWalkArrays), "arrays");
    if (is_meta_name(a.name) && a.shape.size() == 1 && dtype_size(a.dtype) == 1 && a.strides.empty() && a.elements <= kMetaText) {
      auto bytes = read_some(*a.bytes, 0, a.elements);  // json.dumps(meta).encode(), as numbers
      if (!bytes) return tl::unexpected(bytes.error());
      out_.add_meta_text(a.name, std::string(bytes->begin(), bytes->end()));
      return {};
    }
    out_.arrays.push_back(std::move(a));
    return {};
  }

  // A record's sentence, which tells it from a layer.
  bool is_sentence(const PickleValue& v) const {
    return data_.is_string(v) && (path_.ends_with(".text") || path_.ends_with(".sentence") || path_.ends_with(".prompt"));
  }

  // A number or text on top of the file is metadata, and a sentence is under its path; deep inside others say nothing.
  Result<void> add_scalar(const PickleValue& v) {
    if (path_.empty() || taken(path_)) return {};
    if (data_.is_string(v)) {
      auto text = data_.long_text(v, kMetaText);
      if (!text) return text.error().code == ErrorCode::too_big ? Result<void>{} : tl::unexpected(text.error());
      out_.add_meta_text(path_, valid_utf8(*text));
      return {};
    }
    add_meta(path_, v);
    return {};
  }

  void add_meta(const std::string& key, const PickleValue& v) {
    std::vector<Real> pool;
    std::uint64_t left = kMetaNumbers;
    JsonValue wrapper;
    wrapper.kind = JsonValue::Kind::object;
    wrapper.members.push_back({key, to_json(v, pool, left, 0)});
    out_.add_meta(wrapper, pool);
  }

  // Depth is bounded by kMetaDepth, so this may call itself.
  JsonValue to_json(const PickleValue& given, std::vector<Real>& pool, std::uint64_t& left, int depth) {
    JsonValue out;
    const PickleValue v = file_.resolve(given);
    if (depth > kMetaDepth || left == 0 || --left == 0) return out;
    if (v.is(Kind::boolean)) {
      out.kind = JsonValue::Kind::boolean;
      out.number = static_cast<double>(v.integer);
    } else if (const auto number = pickle_number(file_, v)) {
      out.kind = JsonValue::Kind::number;
      out.number = number->value;
    } else if (std::string text; !v.is(Kind::none) && text_of(file_, v, text)) {
      out.kind = JsonValue::Kind::text;
      out.text = valid_utf8(text);
    } else if (data_.is_sequence(v)) {
      std::uint64_t budget = left;
      const PickleNumbers measured = measure_numbers(file_, v, "", budget);
      if (measured.kind == PickleNumbers::Kind::dense) {
        left = budget;
        add_numbers(number_array(file_, v, measured, ""), out, pool);
        out.present = measured.present;
      } else {
        out.kind = JsonValue::Kind::list;
        const std::vector<PickleValue> items = data_.items(v);
        for (const PickleValue& item : items) out.items.push_back(to_json(item, pool, left, depth + 1));
      }
    } else if (v.is(Kind::dict) || is_mapping(v)) {
      out.kind = JsonValue::Kind::object;
      for (const Entry& e : pairs_of(v)) out.members.push_back({e.name, to_json(e.value, pool, left, depth + 1)});
    } else if (auto array = read_pickle_array(file_, v, ""); array && array->kind == PickleArray::Kind::numbers && array->numbers.span() <= left && array->numbers.elements <= left) {
      left -= array->numbers.elements;
      add_numbers(array->numbers, out, pool);
    }
    return out;
  }

  static void add_numbers(const StoredArray& a, JsonValue& out, std::vector<Real>& pool) {
    const auto numbers = read_numbers(a);
    if (!numbers) return;
    if (a.shape.empty()) {
      out.kind = JsonValue::Kind::number;
      out.number = static_cast<double>((*numbers)[0]);
      return;
    }
    out.kind = JsonValue::Kind::numbers;
    out.first = pool.size();
    out.shape = a.shape;
    pool.insert(pool.end(), numbers->begin(), numbers->end());
  }

  // ---- what holds others ----

  Result<void> push(std::vector<Entry> entries, std::uint32_t record, bool named) {
    if (entries.empty()) return {};
    if (frames_.size() >= kWalkDepth) {
      if (!taken(path_)) out_.refused.push_back({path_, {ErrorCode::too_big, {{"needed", "more than " + std::to_string(kWalkDepth) + " lists within lists"}, {"limit", std::to_string(kWalkDepth)}, {"detail", "no dump is nested that deeply"}}}});
      return {};
    }
    if (record != kNoRecord && !open_.insert(record).second) return {};  // a list that holds itself
    frames_.push_back({std::move(entries), 0, path_.size(), record, named});
    return {};
  }

  Result<void> visit_list(const PickleValue& v, bool top) {
    const auto& items = data_.items(v);
    if (items.empty()) {  // cross_attentions=(): no stream, and no array
      if (!taken(path_)) empty_.push_back(path_);
      return {};
    }
    StoredText texts;
    if (read_texts(file_, v, path_, texts, budget_)) {
      if (!taken(path_)) out_.texts.push_back(std::move(texts));
      return {};
    }
    PickleNumbers measured = measure_numbers(file_, v, path_, budget_);
    if (budget_ == 0) return too_many(std::to_string(kWalkValues), "values");
    if (measured.kind == PickleNumbers::Kind::ragged) {
      if (!taken(path_)) out_.refused.push_back({path_, {ErrorCode::ragged, {{"where", measured.where}, {"detail", measured.detail}}}});
      return {};
    }
    if (measured.kind == PickleNumbers::Kind::dense) {
      if (top && is_attn_dump_key(path_) && (path_ == "offsets" || path_ == "image_size" || measured.shape.size() == 1)) {
        if (!taken(path_)) add_meta(path_, v);
        return {};
      }
      return add_array(number_array(file_, v, measured, path_));
    }
    if (top && is_attn_dump_key(path_) && (path_ == "predictions" || path_ == "gold" || path_ == "probabilities" || path_ == "word_ids")) {
      if (!taken(path_)) add_meta(path_, v);
      return {};
    }
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < data_.items(v).size(); ++i) entries.push_back({entry_name(data_.items(v)[i], i), data_.items(v)[i]});
    return push(std::move(entries), v.at, false);
  }

  // An entry of a list, by the layer and head that it says it is, or by its place; as in json_container.cpp.
  std::string entry_name(const PickleValue& given, std::size_t index) {
    int layer = -1, head = -1;
    const PickleValue item = file_.resolve(given);
    if (item.is(Kind::dict) || item.is(Kind::object))
      for (const Entry& e : pairs_of(item)) {
        if (e.name != "layer" && e.name != "head") continue;
        const auto number = pickle_number(file_, e.value);
        if (number && number->whole && number->value >= 0 && number->value < 10000) (e.name == "layer" ? layer : head) = static_cast<int>(number->value);
      }
    if (layer < 0) return std::to_string(index);
    return "layer_" + std::to_string(layer) + (head < 0 ? "" : ".head_" + std::to_string(head));
  }

  // An object array: a list with a shape.
  Result<void> visit_items(PickleArray array, bool top) {
    if (array.shape.empty() && array.items.size() == 1) return visit(array.items[0], top);  // np.array({...})
    const PickleValue list = data_.make(Kind::list, std::move(array.items));
    StoredText texts;
    if (read_texts(file_, list, path_, texts, budget_)) {
      if (texts.shape.size() == 1) texts.shape = array.shape;
      if (!taken(path_)) out_.texts.push_back(std::move(texts));
      return {};
    }
    objects_.push_back(path_);
    const PickleNumbers measured = measure_numbers(file_, list, path_, budget_);
    if (measured.kind == PickleNumbers::Kind::dense && measured.shape.size() == 1 && array.shape.size() > 1) {
      StoredArray a = number_array(file_, list, measured, path_);
      a.shape = array.shape;
      return add_array(std::move(a));
    }
    return visit_list(list, top);
  }

  bool is_mapping(const PickleValue& v) const { return v.is(Kind::object) && file_.known(v) == PickleClass::mapping; }

  std::string key_text(const PickleValue& key) {
    if (data_.is_string(key)) return valid_utf8(std::string(data_.short_text(key)).substr(0, 200));
    if (key.is(Kind::tuple)) {  // {(layer, head): matrix}
      std::string out;
      for (const PickleValue& part : data_.items(key)) {
        if (part.is(Kind::tuple) || out.size() > 200) return "";
        (out += out.empty() ? "" : ".") += key_text(part);
      }
      return out;
    }
    if (const auto number = pickle_number(file_, key)) return number->whole && number->value >= 0 ? std::to_string(static_cast<long long>(std::min(number->value, 1e15))) : "";
    return "";
  }

  // Key and value, key and value; a key that is no text gets the number of its place.
  void add_pairs(const std::vector<PickleValue>& pairs, std::vector<Entry>& out) {
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      std::string name = key_text(pairs[i]);
      if (name.empty()) name = std::to_string(i / 2);
      out.push_back({std::move(name), pairs[i + 1]});
    }
  }

  std::vector<Entry> pairs_of(const PickleValue& v) {
    std::vector<Entry> out;
    if (v.is(Kind::dict)) {
      add_pairs(data_.records[v.at].items, out);
      return out;
    }
    const PickleObject* o = data_.object(v);
    if (!o) return out;
    add_pairs(o->pairs, out);
    if (!is_mapping(v)) return out;
    for (const PickleValue& given : data_.items(o->args)) {  // Counter({...}); OrderedDict([[key, value], ...]) of Python 2
      if (given.is(Kind::dict)) add_pairs(data_.records[given.at].items, out);
      for (const PickleValue& pair : data_.items(given))
        if (data_.items(pair).size() == 2) add_pairs(data_.items(pair), out);
    }
    return out;
  }

  static bool has(const std::vector<Entry>& entries, std::string_view name) {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  }

  void refuse(Error error) {
    if (!taken(path_ + "\n")) out_.refused.push_back({path_, std::move(error)});
  }

  Result<void> visit_dict(const PickleValue& v, bool top) { return visit_entries(pairs_of(v), v, top); }

  Result<void> visit_entries(std::vector<Entry> entries, const PickleValue& v, bool top) {
    if (top && is_meta_name(path_)) {
      if (!taken(path_)) later_.push_back(v);
      return {};
    }
    if (has(entries, "param_groups") && has(entries, "state")) {
      refuse({ErrorCode::model_weights, {{"detail", "the state of an optimizer"}}});
      return {};
    }
    if (top && path_ == "attr" && std::none_of(entries.begin(), entries.end(), [&](const Entry& e) { return holds_numbers(e.value); })) {
      if (!taken(path_)) add_meta(path_, v);  // what is said about attributions
      return {};
    }
    // inputs = tokenizer(text): what the model was given is known by its own names, wherever it stands.
    if (frames_.size() == 1 && !path_.empty() && has(entries, "input_ids")) path_.clear();
    // An ActivationCache keeps its arrays below this.
    for (Entry& e : entries)
      if (e.name == "cache_dict") e.name.clear();
    return push(std::move(entries), v.at, true);
  }

  bool holds_numbers(const PickleValue& given) {
    const PickleValue v = file_.resolve(given);
    return data_.is_sequence(v) || v.is(Kind::persistent) || (v.is(Kind::object) && file_.known(v) != PickleClass::scalar && !is_mapping(v));
  }

  Result<void> visit_object(const PickleValue& v, bool top) {
    if (is_mapping(v)) return visit_dict(v, top);
    const PickleName* name = data_.callable(v);
    const std::string full = name ? printable(name->full()) : "an unnamed class";
    const std::string short_name = name ? name->name : "";
    std::vector<Entry> entries = pairs_of(v);
    const PickleObject object = *data_.object(v);
    if (file_.known(v) == PickleClass::reconstructor)  // a subclass of list or dict: what its base held
      if (const PickleValue base = file_.resolve(data_.argument(v, 2)); data_.is_sequence(base) || base.is(Kind::dict)) entries.push_back({"", base});
    const std::vector<PickleValue> items = data_.records[v.at].items;
    if (!items.empty()) entries.push_back({"", data_.make(Kind::list, items)});

    std::vector<Entry> state;
    add_state(object.state, state);
    if (has(state, "_parameters") && has(state, "_modules")) {
      refuse({ErrorCode::model_weights, {{"detail", "a whole model, as torch.save(model) writes it: " + full}}});
      return {};
    }
    if (short_name.find("Tokenizer") != short_name.npos && !has(state, "input_ids")) {
      refuse({ErrorCode::not_attention, {{"detail", "it holds a tokenizer (" + full + ")"}}});
      return {};
    }
    if (short_name.ends_with("Config")) return {};
    const bool bag = has(state, "data") && (short_name == "BatchEncoding" || short_name == "BatchFeature" || short_name == "UserDict");
    for (Entry& e : state) {
      if (bag && e.name == "data") e.name.clear();
      if (!e.name.empty() && has(entries, e.name)) continue;
      entries.push_back(std::move(e));
    }
    if (entries.empty()) {
      const auto& args = data_.items(object.args);
      for (std::size_t i = 0; i < args.size(); ++i)
        if (!args[i].is(Kind::name)) entries.push_back({args.size() == 1 ? "" : std::to_string(i), args[i]});
    }
    if (entries.empty()) classes_.push_back(full);
    if (bag && frames_.size() == 1) path_.clear();
    return visit_entries(std::move(entries), v, top);
  }

  // A dict; or (dict or None, dict of slots).
  void add_state(const PickleValue& state, std::vector<Entry>& out) {
    if (state.is(Kind::dict)) {
      add_pairs(data_.records[state.at].items, out);
      return;
    }
    const auto& parts = data_.items(state);
    if (state.is(Kind::tuple) && parts.size() == 2 && (parts[1].is(Kind::dict) || parts[1].is(Kind::none)) && (parts[0].is(Kind::dict) || parts[0].is(Kind::none))) {
      for (const PickleValue& part : parts)
        if (part.is(Kind::dict)) add_pairs(data_.records[part.at].items, out);
      return;
    }
    if (!parts.empty() || (state.is(Kind::object) && !state.is(Kind::none))) out.push_back({"", state});
  }

  // ---- at the end ----

  Result<void> finish() {
    for (const PickleValue& v : later_) {  // what stands on top goes before
      std::vector<Real> pool;
      std::uint64_t left = kMetaNumbers;
      out_.add_meta(to_json(v, pool, left, 0), pool);
    }
    drop_common_number();
    name_only_texts();
    if (out_.arrays.empty()) {
      for (const auto& path : objects_) out_.refused.push_back({path, {ErrorCode::object_array, {{"array", path.empty() ? "The array" : printable(path)}}}});
      for (const auto& path : empty_)
        if (path.empty() || name_meaning(path).role == NameRole::attention)
          out_.refused.push_back({path, {ErrorCode::empty, {{"detail", path.empty() ? "it is an empty list" : printable(path) + " is an empty list"}}}});
    }
    if (out_.arrays.empty() && out_.texts.empty() && out_.refused.empty() && out_.nulls.empty())
      return fail(ErrorCode::not_attention, {{"detail", classes_.empty() ? "there is no array in it" : "it holds an object of the class " + classes_.front() + " and no array"}});
    return {};
  }

  // torch.save((out.attentions, tokens)): the arrays are known as "0.0", "0.1" ..., and the first number is that of
  // the tuple. It goes where all arrays share it.
  void drop_common_number() {
    if (out_.arrays.size() < 2) return;
    const std::string& name = out_.arrays.front().name;
    const std::size_t dot = name.find('.');
    if (dot == name.npos || !all_digits(std::string_view(name).substr(0, dot))) return;
    const std::string common = name.substr(0, dot + 1);
    for (const auto& a : out_.arrays)
      if (!a.name.starts_with(common)) return;
    for (auto& a : out_.arrays) a.name.erase(0, common.size());
    for (auto& null : out_.nulls)
      if (null.starts_with(common)) null.erase(0, common.size());
  }

  void name_only_texts() {
    if (out_.texts.size() == 1 && all_digits(out_.texts[0].name)) out_.texts[0].name = "tokens";
  }

  static constexpr std::uint32_t kNoRecord = ~std::uint32_t{0};

  PickleFile& file_;
  PickleData& data_;
  Container& out_;
  std::uint64_t budget_ = kWalkValues;
  std::vector<Frame> frames_;
  std::string path_;
  std::set<std::uint32_t> open_;  // records of the frames
  std::set<std::string> names_;
  std::vector<std::string> objects_, empty_, classes_;
  std::vector<PickleValue> later_;
};

}  // namespace

Result<Container> collect_pickle(PickleFile& file, const PickleValue& root, std::string_view format) {
  if (auto done = open_nested_files(file); !done) return tl::unexpected(done.error());
  Container out;
  out.format = format;
  if (auto done = Collector(file, out).collect(root); !done) return tl::unexpected(done.error());
  out.report.insert(out.report.begin(), file.report.begin(), file.report.end());
  return out;
}

}  // namespace rollscope
