#include "io/pickle_arrays.h"

#include <algorithm>
#include <bit>

#include "base/half.h"
#include "io/inflate.h"
#include "io/npy.h"

namespace rollscope {
namespace {

using Kind = PickleKind;
using Array = PickleArray;

constexpr std::uint64_t kCheckedSize = 1'000'000, kCheckedTotal = 16'000'000;  // as for the members of a .npz

tl::unexpected<Error> bad(const std::string& detail) { return fail(ErrorCode::bad_pickle, {{"detail", detail}}); }

std::string called(const std::string& name) { return name.empty() ? "The array" : printable(name); }
std::string in_text(const std::string& name) { return name.empty() ? "the array" : printable(name); }

Array refused(Error error) {
  Array out;
  out.kind = Array::Kind::refused;
  out.error = std::move(error);
  return out;
}
Array refused_kind(const std::string& name, std::string_view kind, std::string_view call) {
  return refused({ErrorCode::unsupported_array, {{"array", called(name)}, {"kind", std::string(kind)}, {"call", std::string(call)}}});
}
Array refused_type(const std::string& name, std::string_view type) {
  return refused({ErrorCode::unsupported_dtype, {{"array", called(name)}, {"dtype", std::string(type)}}});
}

// A tuple of whole numbers of at most 64 axes that are not negative.
bool read_sizes(PickleFile& file, const PickleValue& given, std::vector<std::uint64_t>& out) {
  const PickleValue v = file.resolve(given);
  if (!file.data.is_sequence(v)) return false;
  if (file.data.items(v).size() > 64) return false;
  const auto items = file.data.items(v);  // a copy: resolve() may add records, and the list itself may move
  out.clear();
  for (const PickleValue& n : items) {
    const auto number = pickle_number(file, file.resolve(n));
    if (!number || !number->whole || !(number->value >= 0) || !(number->value < 0x1p62)) return false;
    out.push_back(n.is(Kind::integer) ? static_cast<std::uint64_t>(n.integer) : static_cast<std::uint64_t>(number->value));
  }
  return true;
}

bool read_size(PickleFile& file, const PickleValue& given, std::uint64_t& out) {
  const PickleValue v = file.resolve(given);
  if (!v.is(Kind::integer) || v.integer < 0) return false;
  out = static_cast<std::uint64_t>(v.integer);
  return true;
}

// ---- torch ----

struct Storage {
  Source bytes;
  std::uint64_t count = 0;  // numbers, as announced
  std::string type;         // "FloatStorage"
  bool packed = false, big_endian = false;
};

Result<Source> member_bytes(PickleFile& file, TorchStorages& where, const ZipMember& m, const std::string& key) {
  auto bytes = open_zip_member(where.archive, m);
  if (!bytes) return bytes;
  if (m.crc != 0 && m.size <= kCheckedSize && file.checked_bytes + m.size <= kCheckedTotal && file.checked.emplace(m.name, true).second) {
    file.checked_bytes += m.size;
    const auto sum = checksum(**bytes);
    if (!sum) return tl::unexpected(sum.error());
    if (*sum != m.crc) file.report.push_back(report_item(ReportCode::checksum, {{"name", printable("data/" + key)}}, key));
  }
  return bytes;
}

Result<Storage> read_storage(PickleFile& file, const PickleValue& given, const std::string& name) {
  const PickleValue v = file.resolve(given);
  const PickleData& data = file.data;
  if (!v.is(Kind::persistent)) return bad("the storage of " + in_text(name) + " is something else");
  const std::uint32_t origin = data.records[v.at].source;
  if (data.items(data.records[v.at].items[0]).size() > 16) return bad("the storage of " + in_text(name) + " is not described as torch does it");
  const auto id = data.items(data.records[v.at].items[0]);  // copies, as in read_sizes
  if (id.size() < 5 || data.short_text(id[0]) != "storage" || !data.is_string(id[2])) return bad("the storage of " + in_text(name) + " is not described as torch does it");
  const auto where = file.storages.find(origin);
  if (where == file.storages.end()) return bad("the storage of " + in_text(name) + " lies in another file");
  Storage out;
  if (id[1].is(Kind::name)) out.type = data.names[id[1].at].name;
  const std::string key(data.short_text(id[2]));
  const std::string said = "storage " + printable(key) + " of " + in_text(name);
  if (!read_size(file, id[4], out.count)) return bad(said + " has no length");
  out.big_endian = where->second.big_endian;
  if (!where->second.archive) {
    const auto range = where->second.ranges.find(key);
    if (range == where->second.ranges.end()) return bad(said + " is not in the file");
    out.bytes = range->second;
  } else {
    const auto member = where->second.members.find(key);
    if (member == where->second.members.end()) return bad(said + " is not in the archive");
    auto bytes = member_bytes(file, where->second, member->second, key);
    if (!bytes) return tl::unexpected(bytes.error());
    out.bytes = *bytes;
    out.packed = member->second.method != 0;
  }
  const auto type = torch_type(out.type);
  const std::uint64_t size = type ? dtype_size(*type) : 1;
  if (id.size() > 5 && data.is_sequence(id[5])) {  // a view of a storage, as torch before 1.6 kept it: (key, offset, size)
    const auto view = data.items(id[5]).size() == 3 ? data.items(id[5]) : std::vector<PickleValue>{};
    std::uint64_t offset = 0, count = 0;
    if (view.empty() || !read_size(file, view[1], offset) || !read_size(file, view[2], count)) return bad(said + " is a view that is not described");
    const auto begin = checked_mul(offset, size), length = checked_mul(count, size);
    if (!begin || !length || *begin > out.bytes->size() || *length > out.bytes->size() - *begin) return bad(said + " is a view that leaves it");
    out.bytes = std::make_shared<RangeSource>(out.bytes, *begin, *length);
    out.count = count;
  }
  const auto needed = checked_mul(out.count, size);
  if (!needed || *needed > out.bytes->size())
    return fail(ErrorCode::truncated_data, {{"what", "numbers in " + in_text(name)},
                                            {"expected", needed ? std::to_string(*needed) : "too many"},
                                            {"found", std::to_string(out.bytes->size())}});
  return out;
}

// Strides of a dense array in row-major order; axes of one entry may have any.
bool dense(const std::vector<std::uint64_t>& shape, const std::vector<std::uint64_t>& strides) {
  std::uint64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

Result<Array> read_tensor(PickleFile& file, const PickleValue& v, const std::string& name, bool typed) {
  const auto argument = [&](std::size_t i) { return file.data.argument(v, i); };
  auto storage = read_storage(file, argument(0), name);
  if (!storage) return tl::unexpected(storage.error());
  std::string type_name = storage->type;
  if (typed) {
    const PickleValue t = argument(6);
    type_name = t.is(Kind::name) ? file.data.names[t.at].name : "";
  }
  const auto type = torch_type(type_name);
  if (!type) {
    if (type_name.find("Q") != type_name.npos || type_name.starts_with("q")) return refused_kind(name, type_name, "a.dequantize()");
    return refused_type(name, printable(type_name));
  }
  StoredArray a;
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> strides;
  if (!read_size(file, argument(1), offset) || !read_sizes(file, argument(2), a.shape) || !read_sizes(file, argument(3), strides) || strides.size() != a.shape.size())
    return bad(in_text(name) + " has an offset, a size or strides that no tensor has");
  const auto elements = shape_product(a.shape);
  const std::uint64_t size = dtype_size(*type);
  if (!elements || !checked_mul(*elements, size)) return bad("the shape " + shape_text(a.shape) + " of " + in_text(name) + " is larger than any file");
  a.name = name;
  a.dtype = a.shown = *type;
  a.big_endian = storage->big_endian;
  a.packed = storage->packed;
  a.elements = *elements;
  if (a.elements == 0) {
    a.bytes = std::make_shared<MemorySource>(std::vector<std::uint8_t>{});
  } else {
    std::uint64_t span = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
      const auto step = checked_mul(a.shape[i] - 1, strides[i]);
      const auto sum = step ? checked_add(span, *step) : std::nullopt;
      if (!sum) return bad("the strides of " + in_text(name) + " are larger than any file");
      span = *sum;
    }
    const auto end = checked_add(offset, span);
    const std::uint64_t there = typed ? storage->bytes->size() / size : storage->count;
    if (!end || *end > there)
      return fail(ErrorCode::truncated_data, {{"what", "numbers in " + in_text(name) + ", each of " + std::to_string(size)},
                                              {"expected", end ? std::to_string(*end) : "too many"}, {"found", std::to_string(there)}});
    if (a.elements > span && a.elements > kMostRepeated)
      return fail(ErrorCode::too_big, {{"needed", std::to_string(a.elements) + " numbers"}, {"limit", std::to_string(kMostRepeated)},
                                       {"detail", in_text(name) + " repeats " + std::to_string(span) + " of them"}});
    if (!dense(a.shape, strides)) a.strides = std::move(strides);
    a.bytes = std::make_shared<RangeSource>(storage->bytes, offset * size, span * size);
  }
  Array out;
  out.kind = Array::Kind::numbers;
  out.numbers = std::move(a);
  return out;
}

Result<Array> read_bare_storage(PickleFile& file, const PickleValue& v, const std::string& name) {
  auto storage = read_storage(file, v, name);
  if (!storage) return tl::unexpected(storage.error());
  const auto type = torch_type(storage->type);
  if (!type) return refused_type(name, printable(storage->type));
  Array out;
  out.kind = Array::Kind::numbers;
  out.numbers.name = name;
  out.numbers.dtype = out.numbers.shown = *type;
  out.numbers.packed = storage->packed;
  out.numbers.big_endian = storage->big_endian;
  out.numbers.shape = {storage->count};
  out.numbers.elements = storage->count;
  out.numbers.bytes = storage->bytes;
  return out;
}

// ---- numpy ----

struct NumpyType {
  NpyHeader header;  // kind, dtype, item_size, big_endian
  bool objects = false, texts = false;
  std::optional<Error> error;
};

NumpyType read_type(const PickleFile& file, const PickleValue& v, const std::string& name) {
  const PickleData& data = file.data;
  NumpyType out;
  const auto unknown = [&](std::string_view type) {
    out.error = Error{ErrorCode::unsupported_dtype, {{"array", called(name)}, {"dtype", std::string(type)}}};
    return out;
  };
  const PickleClass known = file.known(v);
  if (known == PickleClass::text_array) {
    out.texts = true;
    return out;
  }
  if (known != PickleClass::dtype) return unknown("nothing known");
  const auto& state = data.items(data.object(v)->state);
  const PickleValue descr = data.argument(v, 0);
  if (state.size() > 3 && (data.is_sequence(state[3]) && !data.items(state[3]).empty())) return unknown("structured (named fields)");
  const std::string order(state.size() > 1 ? data.short_text(state[1]) : "");
  if (descr.is(Kind::name)) {  // ml_dtypes.bfloat16
    const PickleName& n = data.names[descr.at];
    const auto type = torch_type(n.name == "bool_" ? "bool" : n.name);
    if (!type) return unknown(printable(n.name));
    out.header.dtype = *type;
    out.header.item_size = dtype_size(*type);
    out.header.big_endian = order == ">";
    return out;
  }
  std::string text(data.short_text(descr));
  if (text.starts_with("O") || text == "|O") {
    out.objects = true;
    return out;
  }
  // Types of varying width say their size in the state: numpy.dtype("U", ...) with (3, "<", None, None, None, 20, 4, 0)
  if ((text == "U" || text == "S" || text == "a") && state.size() > 5 && state[5].is(Kind::integer) && state[5].integer >= 0)
    text += std::to_string(text == "U" ? state[5].integer / 4 : state[5].integer);
  if (const auto named = torch_type(text)) {
    out.header.dtype = *named;
    out.header.item_size = dtype_size(*named);
    out.header.big_endian = order == ">";
    return out;
  }
  if (auto done = read_npy_type(text, called(name), out.header); !done) {
    if (done.error().code == ErrorCode::bad_header) return unknown(printable(text));
    out.error = done.error();
    return out;
  }
  if (order == ">" || order == "<") out.header.big_endian = order == ">";
  return out;
}

// Texts of a Fortran-ordered array, as rows.
void to_rows(StoredText& t) {
  std::vector<std::string> out(t.texts.size());
  for (std::size_t i = 0; i < t.texts.size(); ++i) {
    std::size_t rest = i, row = 0;
    for (const std::uint64_t n : t.shape) {
      row = row * static_cast<std::size_t>(n) + rest % static_cast<std::size_t>(n);
      rest /= static_cast<std::size_t>(n);
    }
    // `rest` runs with the first axis fastest; `row` needs the last: both orders visit each place once.
    out[row] = std::move(t.texts[i]);
  }
  t.texts = std::move(out);
}

Result<Array> read_numpy(PickleFile& file, const std::string& name, const PickleValue& shape, const PickleValue& dtype, bool fortran, const PickleValue& raw) {
  const PickleData& data = file.data;
  Array out;
  NumpyType type = read_type(file, file.resolve(dtype), name);
  if (type.error) return refused(*type.error);
  if (!read_sizes(file, shape, type.header.shape)) return bad("the shape of " + in_text(name) + " is not one that an array has");
  const auto elements = shape_product(type.header.shape);
  if (!elements) return bad("the shape " + shape_text(type.header.shape) + " of " + in_text(name) + " is larger than any file");
  type.header.elements = *elements;
  if (type.objects || type.texts) {
    const PickleValue list = file.resolve(raw);
    if (!data.is_sequence(list) || data.items(list).size() != *elements) return refused({ErrorCode::object_array, {{"array", called(name)}}});
    out.kind = Array::Kind::items;
    out.items = data.items(list);
    out.shape = type.header.shape;
    if (fortran && out.shape.size() > 1) return refused({ErrorCode::object_array, {{"array", called(name)}}});
    return out;
  }
  if (!data.is_string(raw)) return bad("the numbers of " + in_text(name) + " are not bytes");
  auto bytes = data.bytes_of(raw);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto needed = checked_mul(*elements, type.header.item_size);
  if (!needed || *needed > (*bytes)->size())
    return fail(ErrorCode::truncated_data, {{"what", "numbers in " + in_text(name)}, {"expected", needed ? std::to_string(*needed) : "too many"}, {"found", std::to_string((*bytes)->size())}});
  fortran = fortran && type.header.shape.size() > 1;
  if (type.header.kind != NpyHeader::Kind::number) {
    auto texts = read_npy_texts(**bytes, type.header);
    if (!texts) return texts.error().code == ErrorCode::too_big ? Result<Array>(refused(texts.error())) : tl::unexpected(texts.error());
    out.kind = Array::Kind::texts;
    out.texts = {name, type.header.shape, std::move(*texts)};
    if (fortran) to_rows(out.texts);
    return out;
  }
  out.kind = Array::Kind::numbers;
  StoredArray& a = out.numbers;
  a.name = name;
  a.dtype = a.shown = type.header.dtype;
  a.big_endian = type.header.big_endian;
  a.fortran_order = fortran;
  a.shape = std::move(type.header.shape);
  a.elements = *elements;
  a.bytes = std::make_shared<RangeSource>(*bytes, 0, *needed);
  return out;
}

// The state that ndarray.__reduce__ gives: (1, shape, dtype, fortran, bytes), before 2000 without the 1.
Result<Array> read_numpy_state(PickleFile& file, const std::string& name, const PickleValue& state, bool masked) {
  const PickleData& data = file.data;
  const auto given = data.items(state);  // a copy, as in read_sizes
  const std::size_t first = !given.empty() && given[0].is(Kind::integer) ? 1 : 0;
  if (given.size() < first + 4) return refused({ErrorCode::object_array, {{"array", called(name)}}});
  if (masked && given.size() > first + 4 && data.is_string(given[first + 4])) {
    auto mask = data.bytes_of(given[first + 4]);
    if (!mask) return tl::unexpected(mask.error());
    auto some = read_some(**mask, 0, 16'000'000);
    if (!some) return tl::unexpected(some.error());
    if (std::any_of(some->begin(), some->end(), [](std::uint8_t b) { return b != 0; })) return refused_kind(name, "numpy.ma.MaskedArray", "a.filled(0)");
  }
  const bool fortran = given[first + 2].is(Kind::boolean) || given[first + 2].is(Kind::integer) ? given[first + 2].integer != 0 : false;
  return read_numpy(file, name, given[first], given[first + 1], fortran, given[first + 3]);
}

// A table whose columns are of one type: one block of numbers, columns x rows.
Result<Array> read_data_frame(PickleFile& file, const PickleValue& v, const std::string& name) {
  const PickleData& data = file.data;
  const auto refuse = [&] { return refused_kind(name, "pandas.DataFrame", "df.to_numpy()"); };
  const PickleValue state = data.object(v)->state;
  if (!state.is(Kind::dict)) return refuse();
  PickleValue manager;
  const auto& pairs = data.records[state.at].items;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (const auto key = data.short_text(pairs[i]); key == "_mgr" || key == "_data") manager = pairs[i + 1];
  const auto blocks = data.items(data.argument(manager, 0));
  if (blocks.size() != 1) return refuse();
  const PickleValue values = file.resolve(data.argument(blocks[0], 0));
  auto block = read_pickle_array(file, values, name);
  if (!block) return block;
  if (block->kind != Array::Kind::numbers || block->numbers.shape.size() != 2) return refuse();
  StoredArray& a = block->numbers;
  auto strides = strides_of(a);
  std::swap(a.shape[0], a.shape[1]);
  std::swap(strides[0], strides[1]);
  a.fortran_order = false;
  a.strides = dense(a.shape, strides) ? std::vector<std::uint64_t>{} : strides;
  return block;
}

template <class T>
T load(const std::uint8_t* p, bool big_endian) {
  std::array<std::uint8_t, sizeof(T)> b;
  std::copy_n(p, sizeof(T), b.begin());
  if (big_endian) std::reverse(b.begin(), b.end());
  return std::bit_cast<T>(b);
}

double one_number(DType type, const std::uint8_t* p, bool big) {
  switch (type) {
    case DType::f16: return half_to_float(load<std::uint16_t>(p, big));
    case DType::bf16: return bfloat16_to_float(load<std::uint16_t>(p, big));
    case DType::f32: return load<float>(p, big);
    case DType::f64: return load<double>(p, big);
    case DType::f8_e4m3: return float8_e4m3_to_float(*p);
    case DType::f8_e5m2: return float8_e5m2_to_float(*p);
    case DType::i8: return static_cast<std::int8_t>(*p);
    case DType::u16: return load<std::uint16_t>(p, big);
    case DType::i16: return load<std::int16_t>(p, big);
    case DType::u32: return load<std::uint32_t>(p, big);
    case DType::i32: return load<std::int32_t>(p, big);
    case DType::u64: return static_cast<double>(load<std::uint64_t>(p, big));
    case DType::i64: return static_cast<double>(load<std::int64_t>(p, big));
    case DType::u8:
    case DType::boolean: break;
  }
  return *p;
}

bool whole_type(DType type) {
  return type != DType::f16 && type != DType::bf16 && type != DType::f32 && type != DType::f64 && type != DType::f8_e4m3 && type != DType::f8_e5m2;
}

}  // namespace

PickleValue PickleFile::resolve(PickleValue v) {
  for (int step = 0; step < 32; ++step) {  // wrappers of wrappers; a cycle of them stands for nothing
    if (v.is(Kind::persistent)) {
      const auto& id = data.items(data.records[v.at].items[0]);
      if (id.size() < 2 || data.short_text(id[0]) != "module") return v;
      v = id[1];
      continue;
    }
    if (!v.is(Kind::object)) return v;
    switch (known(v)) {
      case PickleClass::first_argument: v = data.argument(v, 0); break;
      case PickleClass::retyped: {
        const auto [it, fresh] = retyped.emplace(v.at, PickleValue{});
        if (fresh) it->second = data.make_object(data.argument(v, 0), data.argument(v, 2), data.records[v.at].source);
        v = it->second;
        break;
      }
      case PickleClass::nested_file: {
        const auto it = nested.find(v.at);
        if (it == nested.end()) return v;
        v = it->second;
        break;
      }
      case PickleClass::sequence:
        if (!data.records[v.at].items.empty() || !data.is_sequence(data.argument(v, 0))) {
          PickleValue list = v;  // the record holds the items, as a list's does
          list.kind = Kind::list;
          return list;
        }
        v = data.argument(v, 0);
        break;
      default: return v;
    }
  }
  return {};
}

Result<Array> read_pickle_array(PickleFile& file, const PickleValue& v, const std::string& name) {
  const PickleData& data = file.data;
  if (v.is(Kind::persistent)) return read_bare_storage(file, v, name);
  if (!v.is(Kind::object)) return Array{};
  const auto argument = [&](std::size_t i) { return data.argument(v, i); };
  switch (file.known(v)) {
    case PickleClass::tensor: return read_tensor(file, v, name, false);
    case PickleClass::tensor_v3: return read_tensor(file, v, name, true);
    case PickleClass::sparse: return refused_kind(name, "torch.sparse", "a.to_dense()");
    case PickleClass::quantised: return refused_kind(name, "torch.quantized", "a.dequantize()");
    case PickleClass::meta_tensor: return refused_kind(name, "torch.device('meta')", "a.cpu()");
    case PickleClass::nested_tensor: return refused_kind(name, "torch.nested", "a.to_padded_tensor(0)");
    case PickleClass::wrapper: return refused_kind(name, "torch.Tensor (wrapper subclass)", "a.to_local()");
    case PickleClass::nested_file: return bad(in_text(name) + " is a nested file that could not be opened");
    case PickleClass::ndarray: return read_numpy_state(file, name, data.object(v)->state, false);
    case PickleClass::masked: return read_numpy_state(file, name, data.object(v)->state, true);
    case PickleClass::frombuffer: return read_numpy(file, name, argument(2), argument(1), data.short_text(argument(3)) == "F", argument(0));
    case PickleClass::jax_array: return read_numpy_state(file, name, argument(2), false);
    case PickleClass::data_frame: return read_data_frame(file, v, name);
    default: return Array{};
  }
}

std::optional<PickleNumber> pickle_number(const PickleFile& file, const PickleValue& v) {
  if (v.is(Kind::integer) || v.is(Kind::boolean)) return PickleNumber{static_cast<double>(v.integer), true};
  if (v.is(Kind::real)) return PickleNumber{v.real, false};
  if (file.known(v) != PickleClass::scalar) return std::nullopt;
  const NumpyType type = read_type(file, file.data.argument(v, 0), "");
  const PickleValue raw = file.data.argument(v, 1);
  if (type.error || type.objects || type.texts || type.header.kind != NpyHeader::Kind::number || !file.data.is_string(raw)) return std::nullopt;
  const auto bytes = file.data.bytes_of(raw);
  if (!bytes || (*bytes)->size() < type.header.item_size) return std::nullopt;
  const auto first = read_some(**bytes, 0, type.header.item_size);
  if (!first) return std::nullopt;
  return PickleNumber{one_number(type.header.dtype, first->data(), type.header.big_endian), whole_type(type.header.dtype)};
}

}  // namespace rollscope
