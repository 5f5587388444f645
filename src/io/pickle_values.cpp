#include <algorithm>

#include "io/pickle.h"
#include "io/pickle_bytes.h"

namespace rollscope {
namespace {

const std::vector<PickleValue> kNoItems;

}  // namespace

const PickleName* PickleData::callable(const PickleValue& v) const {
  const PickleObject* o = object(v);
  if (!o) return nullptr;
  PickleValue c = o->callable;
  if (c.is(PickleKind::persistent)) {  // torch before 1.6: ("module", class, file, source text)
    const auto& id = items(records[c.at].items[0]);
    if (id.size() > 1 && short_text(id[0]) == "module") c = id[1];
  }
  return c.is(PickleKind::name) ? &names[c.at] : nullptr;
}

PickleValue PickleData::argument(const PickleValue& v, std::size_t i) const {
  const PickleObject* o = object(v);
  if (!o) return {};
  const auto& args = items(o->args);
  return i < args.size() ? args[i] : PickleValue{};
}

const std::vector<PickleValue>& PickleData::items(const PickleValue& v) const { return is_sequence(v) ? records[v.at].items : kNoItems; }

std::string_view PickleData::short_text(const PickleValue& v) const {
  if (!is_string(v) || !strings[v.at].held) return "";
  const PickleString& s = strings[v.at];
  return std::string_view(held).substr(static_cast<std::size_t>(s.offset), static_cast<std::size_t>(s.length));
}

Result<std::string> PickleData::long_text(const PickleValue& v, std::uint64_t limit) const {
  if (!is_string(v)) return std::string();
  const PickleString& s = strings[v.at];
  if (s.held) return std::string(short_text(v));
  if (s.length > limit)
    return fail(ErrorCode::too_big, {{"needed", human_bytes(static_cast<double>(s.length)) + " of text"}, {"limit", human_bytes(static_cast<double>(limit))}, {"detail", "one text of the pickle"}});
  auto bytes = read_some(*sources[s.source], s.offset, s.length);
  if (!bytes) return tl::unexpected(bytes.error());
  return std::string(bytes->begin(), bytes->end());
}

Result<Source> PickleData::bytes_of(const PickleValue& v) const {
  const PickleString& s = strings[v.at];
  if (s.held) {
    std::string_view text = short_text(v);
    std::string bytes;
    // Of a text only its characters up to U+00FF can stand for bytes.
    if (v.is(PickleKind::text) && utf8_to_latin1(text, bytes)) text = bytes;
    return Source(std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end())));
  }
  Source range = std::make_shared<RangeSource>(sources[s.source], s.offset, s.length);
  if (!s.latin1 && !v.is(PickleKind::text)) return range;
  return open_latin1_text(range);
}

PickleValue PickleData::make(PickleKind kind, std::vector<PickleValue> items, std::uint32_t source) {
  PickleValue v;
  v.kind = kind;
  v.at = static_cast<std::uint32_t>(records.size());
  records.push_back({std::move(items), 0, source});
  if (kind == PickleKind::persistent) persistents.push_back(v);
  return v;
}

PickleValue PickleData::make_object(const PickleValue& callable, const PickleValue& args, std::uint32_t source) {
  const PickleValue v = make(PickleKind::object, {}, source);
  records[v.at].object = static_cast<std::uint32_t>(objects.size());
  objects.push_back({callable, args, {}, {}});
  object_records.push_back(v.at);
  return v;
}

}  // namespace rollscope
