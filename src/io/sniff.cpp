#include "io/sniff.h"

#include <algorithm>

#include "io/names.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/zip.h"

namespace rollscope {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view what;
};

using namespace std::string_view_literals;
constexpr Magic kForeign[] = {
    {"\x89HDF\r\n\x1a\n"sv, "it is an HDF5 file; in Python: A = h5py.File(f)['attentions'][()]; numpy.savez(...)"},
    {"GGUF"sv, "it is a GGUF model, and such files never hold attention weights"},
    {"PK\x07\x08"sv, "it is one part of a split zip archive"},
    {"\x1f\x8b"sv, "it is packed with gzip; unpack it first"},
    {"BZh"sv, "it is packed with bzip2; unpack it first"},
    {"\xfd"
     "7zXZ"sv, "it is packed with xz; unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "it is packed with zstd; unpack it first"},
    {"7z\xbc\xaf"sv, "it is a 7-Zip archive; unpack it first"},
    {"\x89PNG"sv, "it is a PNG picture"},
    {"\xff\xd8\xff"sv, "it is a JPEG picture"},
    {"GIF8"sv, "it is a GIF picture"},
    {"%PDF"sv, "it is a PDF document"},
    {"PAR1"sv, "it is a Parquet table; in Python: pandas.read_parquet(f).to_numpy()"},
    {"ARROW1"sv, "it is an Arrow table; in Python: pyarrow.feather.read_table(f)"},
    {"MATLAB 5.0"sv, "it is a MATLAB file; in Python: scipy.io.loadmat(f)"},
    {"SQLite format 3"sv, "it is an SQLite database"},
    {"\x7f"
     "ELF"sv, "it is a program"},
    {"\xff\xfe"sv, "it is text in UTF-16; save it as UTF-8"},
    {"\xfe\xff"sv, "it is text in UTF-16; save it as UTF-8"},
    {"# vtk"sv, "it is a VTK file"},
    {"sys_info\0"sv, "it is a PyTorch file from before version 0.1.10 (a tar archive); load it there, and numpy.savez(...)"},
    {"././@PaxHeader"sv, "it is a tar archive; unpack it first (torch.save wrote such files before version 0.1.10)"},
};

// torch.save before 1.6: a pickle of the number 0x1950a86a20f9469cfc6c goes first, in any protocol.
bool sniff_torch_legacy(std::string_view head) {
  if (head.starts_with("L119547037146038801333356L\n")) return true;
  if (head.size() < 12 || head[0] != '\x80' || static_cast<unsigned char>(head[1]) > 5) return false;
  head.remove_prefix(head[2] == '\x95' ? 11 : 2);  // a frame, from protocol 4 on
  return head.starts_with("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv);
}

bool identifier(std::string_view text, bool dotted) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (dotted && c == '.');
  });
}

// "p0\n": a memo entry of protocol 0, as its pickler puts one behind every container.
bool put_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return text.starts_with("p") && end > 1 && end <= 10 && text.substr(1, end - 1).find_first_not_of("0123456789") == text.npos;
}

// Pickles of protocols 0 and 1 have no magic. Each begins with a container or a class, remembered at once: no table
// and no prose does.
bool sniff_old_pickle(std::string_view head) {
  std::string_view text = head;
  while (text.size() > 1 && text[0] == '(') {
    text.remove_prefix(1);
    if ((text[0] == 'l' || text[0] == 'd' || text[0] == 't') && put_line(text.substr(1))) return true;
  }
  const bool nested = text.size() < head.size();
  if (text.size() > 2 && (text[0] == '}' || text[0] == ']' || text[0] == ')') && text[1] == 'q') return static_cast<unsigned char>(text[2]) < 2 || nested;
  if (nested && (text[0] == 'I' || text[0] == 'F' || text[0] == 'L')) {  // (I1\nI2\ntp0\n
    const std::size_t end = text.find('\n');
    return end != text.npos && end > 1 && end + 1 < text.size() && text.substr(1, end - 1).find_first_not_of("0123456789.-+eLnaif") == text.npos &&
           std::string_view("IFLt(NcSVg").find(text[end + 1]) != std::string_view::npos;
  }
  if (text.empty() || (text[0] != 'c' && !(nested && text[0] == 'i'))) return false;
  const std::size_t first = text.find('\n');
  const std::string_view module = text.substr(1, first == text.npos ? text.npos : first - 1);
  if (!identifier(module, true)) return false;
  if (first == text.npos) return module.size() > 40 && module.find('.') != module.npos;
  const std::size_t second = text.find('\n', first + 1);
  if (second == text.npos) return module.find('.') != module.npos && identifier(text.substr(first + 1), true);
  if (!identifier(text.substr(first + 1, second - first - 1), true) || second + 1 == text.size()) return false;
  const std::string_view behind = text.substr(second + 1);
  return put_line(behind) || std::string_view("q()}]R.").find(behind[0]) != std::string_view::npos || text[0] == 'i';
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t b : bytes.first(std::min<std::size_t>(bytes.size(), 6))) {
    if (!out.empty()) out += ' ';
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

}  // namespace

Sniffed sniff(std::span<const std::uint8_t> head, std::uint64_t file_size, std::string_view name) {
  if (sniff_npy(head)) return {FileKind::npy, ""};
  if (sniff_zip(head)) return {FileKind::zip, ""};
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  std::string_view content = text;
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  const auto start = content.find_first_not_of(" \t\r\n");
  const char first = start == content.npos ? '\0' : content[start];
  const bool printable_text = std::none_of(text.begin(), text.end(), [](char c) {
    const auto b = static_cast<unsigned char>(c);
    return b < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (printable_text && (first == '{' || first == '[')) return {FileKind::json, ""};
  if (printable_text && start != content.npos && (content.substr(start) == "null" || content.substr(start).starts_with("null\n"))) return {FileKind::json, ""};
  if (sniff_safetensors(head, file_size)) return {FileKind::safetensors, ""};
  if (sniff_torch_legacy(text)) return {FileKind::torch_legacy, ""};
  if (head.size() >= 2 && head[0] == 0x80 && head[1] <= 5) return {FileKind::pickle, ""};
  if (sniff_old_pickle(text)) return {FileKind::pickle, ""};
  for (const Magic& m : kForeign)
    if (text.starts_with(m.bytes)) return {FileKind::foreign, std::string(m.what)};

  const std::string lowered = lower(content.substr(start == content.npos ? 0 : start, 32));
  if (lowered.starts_with("<!doctype html") || lowered.starts_with("<html") || lowered.starts_with("<script") || lowered.starts_with("<div"))
    return {FileKind::foreign, "it is an HTML page; a BertViz page is not read yet, save out.attentions instead"};
  if (lowered.starts_with("<?xml") || lowered.starts_with("<svg")) return {FileKind::foreign, "it is an XML document"};
  const std::string extension = lower(name.substr(std::min(name.size(), name.rfind('.'))));
  if (printable_text && !text.empty()) {
    if (extension == ".csv" || extension == ".tsv" || content.find_first_of(",;\t") != content.npos)
      return {FileKind::foreign, "it is a table in text (CSV), which is not read yet; in Python: A = numpy.loadtxt(f, delimiter=','); numpy.save(...)"};
    return {FileKind::foreign, "it is plain text"};
  }
  std::string what = "it starts with the bytes " + hex(head);
  if (extension == ".npy") what += ", a .npy file with 93 4e 55 4d 50 59";
  else if (extension == ".npz" || extension == ".zip") what += ", a .npz file with 50 4b 03 04";
  else if (extension == ".safetensors") what += ", a .safetensors file with the length of its header and {";
  return {FileKind::foreign, what};
}

}  // namespace rollscope
