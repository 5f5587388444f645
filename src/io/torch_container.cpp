// What torch.save writes: an archive of a pickle and one member for each storage, or, before 1.6, five pickles in a
// row and the storages behind them. Source: torch/serialization.py.
#include <algorithm>

#include "io/pickle_arrays.h"
#include "io/pickle_walk.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kPackedPickle = 256'000'000;  // a deflated data.pkl; torch stores it, and skipping costs inflating
constexpr std::uint64_t kOtherPickle = 64'000'000;    // members beside it that are looked through
constexpr std::uint64_t kLegacyProtocol = 1001;

constexpr std::string_view kZipPickle = "data.pkl in the PyTorch archive";
constexpr std::string_view kLegacyPickle = "the pickle in the PyTorch file";

bool looks_like_pickle(ByteSource& source, const std::string& name) {
  for (const std::string_view suffix : {".pkl", ".pickle", ".pk", ".p"})
    if (name.ends_with(suffix)) return true;
  const auto head = read_some(source, 0, 2);
  return head && head->size() == 2 && (*head)[0] == 0x80 && (*head)[1] >= 2 && (*head)[1] <= 5;
}

// Members that torch would not read may be read by something else: a dangerous name in them counts.
Result<void> look_through_others(const Source& source, const ZipDirectory& directory, const std::string& prefix) {
  std::uint64_t seen = 0;
  for (const ZipMember& m : directory.members) {
    if (m.name == prefix + "data.pkl" || m.name.starts_with(prefix + "data/")) continue;
    if (m.size > kOtherPickle || (seen += m.size) > kOtherPickle) continue;
    auto bytes = open_zip_member(source, m);
    if (!bytes || !looks_like_pickle(**bytes, m.name)) continue;
    PickleData data;
    if (auto done = read_pickle(data, *bytes, 0, printable(m.name)); !done && done.error().code == ErrorCode::dangerous_pickle) return tl::unexpected(done.error());
  }
  return {};
}

}  // namespace

Result<PickleValue> read_torch_zip(PickleFile& file, const Source& source, const ZipDirectory& directory) {
  const auto is_pickle = [](const ZipMember& m) { return m.name == "data.pkl" || m.name.ends_with("/data.pkl"); };
  // Of several the one nearest to the top: the others lie in folders that something else made.
  const ZipMember* pickle = nullptr;
  for (const ZipMember& m : directory.members)
    if (is_pickle(m) && (!pickle || m.name.size() < pickle->name.size())) pickle = &m;
  if (!pickle) return fail(ErrorCode::unknown_format, {{"detail", "it is a PyTorch archive without data.pkl"}});
  const std::string prefix = pickle->name.substr(0, pickle->name.size() - std::string_view("data.pkl").size());
  if (pickle->method != 0 && pickle->size > kPackedPickle)
    return fail(ErrorCode::too_big, {{"needed", human_bytes(static_cast<double>(pickle->size))}, {"limit", human_bytes(static_cast<double>(kPackedPickle))},
                                     {"detail", std::string(kZipPickle) + " is packed, and torch.save never packs"}});
  if (auto done = look_through_others(source, directory, prefix); !done) return tl::unexpected(done.error());
  auto bytes = open_zip_member(source, *pickle);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto number = static_cast<std::uint32_t>(file.data.sources.size());
  auto read = read_pickle(file.data, *bytes, 0, kZipPickle);
  if (!read) return tl::unexpected(read.error());
  TorchStorages& storages = file.storages[number];
  storages.archive = source;
  const std::string folder = prefix + "data/";
  for (const ZipMember& m : directory.members) {
    if (m.name.starts_with(folder)) storages.members.emplace(m.name.substr(folder.size()), m);
    if (m.name != prefix + "byteorder") continue;
    if (auto order = open_zip_member(source, m))
      if (auto text = read_some(**order, 0, 3)) storages.big_endian = std::string(text->begin(), text->end()) == "big";
  }
  return read->root;
}

Result<PickleValue> read_torch_legacy(PickleFile& file, const Source& source) {
  std::uint64_t at = 0;
  PickleValue root;
  std::uint32_t number = 0;
  std::size_t first = 0;
  for (int part = 0; part < 5; ++part) {  // magic, protocol, system, the object, keys of its storages
    if (part == 3) {
      number = static_cast<std::uint32_t>(file.data.sources.size());
      first = file.data.persistents.size();
    }
    auto read = read_pickle(file.data, source, at, kLegacyPickle);
    if (!read) return tl::unexpected(read.error());
    at = read->end;
    if (part == 1 && !(read->root.is(PickleKind::integer) && read->root.integer == kLegacyProtocol))
      return fail(ErrorCode::unknown_format, {{"detail", "it is a PyTorch file of a protocol other than 1001"}});
    if (part == 3) root = read->root;
    if (part < 4) continue;
    std::map<std::string, std::uint64_t> sizes;  // bytes of a number, by storage
    const PickleData& data = file.data;
    for (std::size_t i = first; i < data.persistents.size(); ++i) {
      const PickleRecord& record = data.records[data.persistents[i].at];
      const auto& id = data.items(record.items[0]);
      if (record.source != number || id.size() < 3 || !id[1].is(PickleKind::name)) continue;
      const std::string& storage = data.names[id[1].at].name;
      const auto type = torch_type(storage);
      const std::uint64_t size = type ? dtype_size(*type) : storage == "ComplexDoubleStorage" ? 16 : storage == "ComplexFloatStorage" ? 8 : storage == "QInt32Storage" ? 4 : storage == "ComplexHalfStorage" ? 4 : 1;
      sizes.emplace(data.short_text(id[2]), size);
    }
    TorchStorages& storages = file.storages[number];
    for (const PickleValue& k : data.items(read->root)) {
      const std::string key(data.short_text(k));
      auto head = read_some(*source, at, 8);
      if (!head) return tl::unexpected(head.error());
      const auto cut = [&](const std::string& expected) {
        return fail(ErrorCode::truncated_data, {{"what", "numbers"}, {"expected", expected}, {"found", std::to_string(source->size())}});
      };
      if (head->size() < 8) return cut(std::to_string(at + 8));
      at += 8;
      const auto size = sizes.find(key);
      const auto length = checked_mul(le64(head->data()), size == sizes.end() ? 1 : size->second);
      const auto end = length ? checked_add(at, *length) : std::nullopt;
      if (!end || *end > source->size()) return cut(end ? std::to_string(*end) : "too many");
      storages.ranges.emplace(key, std::make_shared<RangeSource>(source, at, *length));
      at = *end;
    }
  }
  return root;
}

Result<void> open_nested_files(PickleFile& file) {
  std::size_t opened = 0;
  for (std::size_t i = 0; i < file.data.objects.size(); ++i) {  // grows while it runs: files within files
    const std::uint32_t record = file.data.object_records[i];
    PickleValue v;
    v.kind = PickleKind::object;
    v.at = record;
    if (file.known(v) != PickleClass::nested_file) continue;
    if (++opened > kNestedFiles)
      return fail(ErrorCode::too_big, {{"needed", "more than " + std::to_string(kNestedFiles) + " nested torch files"}, {"limit", std::to_string(kNestedFiles)}, {"detail", "each storage is a file of its own in this pickle; write it with torch.save"}});
    const PickleValue given = file.data.argument(v, 0);
    if (!file.data.is_string(given)) continue;
    auto bytes = file.data.bytes_of(given);
    if (!bytes) return tl::unexpected(bytes.error());
    auto head = read_some(**bytes, 0, 4);
    if (!head) return tl::unexpected(head.error());
    Result<PickleValue> root;
    if (sniff_zip(*head)) {
      auto directory = read_zip_directory(*bytes);
      if (!directory) return tl::unexpected(directory.error());
      root = read_torch_zip(file, *bytes, *directory);
    } else {
      root = read_torch_legacy(file, *bytes);
    }
    if (!root) return tl::unexpected(root.error());
    file.nested[record] = *root;
  }
  return {};
}

Result<Container> read_torch_container(const Source& source, const ZipDirectory& directory) {
  const bool script = std::any_of(directory.members.begin(), directory.members.end(), [](const ZipMember& m) {
    return m.name == "constants.pkl" || m.name.ends_with("/constants.pkl") || m.name.find("/code/__torch__") != m.name.npos;
  });
  if (script) return fail(ErrorCode::model_weights, {{"detail", "a TorchScript program, as torch.jit.save writes it"}});
  PickleFile file;
  for (const auto& name : directory.duplicates) file.report.push_back(report_item(ReportCode::duplicate_member, {{"name", printable(name)}}, name));
  auto root = read_torch_zip(file, source, directory);
  if (!root) return tl::unexpected(root.error());
  return collect_pickle(file, *root, "torch");
}

Result<Container> read_torch_legacy_container(const Source& source) {
  PickleFile file;
  auto root = read_torch_legacy(file, source);
  if (!root) return tl::unexpected(root.error());
  return collect_pickle(file, *root, "torch");
}

Result<Container> read_pickle_container(const Source& source) {
  PickleFile file;
  auto read = read_pickle(file.data, source, 0, "the pickle");
  if (!read) return tl::unexpected(read.error());
  return collect_pickle(file, read->root, "pickle");
}

}  // namespace rollscope
