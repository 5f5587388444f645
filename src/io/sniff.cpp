#include "io/sniff.h"

#include <algorithm>

#include "base/utf8.h"
#include "io/link.h"
#include "io/names.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/zip.h"

namespace rollscope {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view kind;  // of foreign_kinds.inc; "": `format` says all
  std::string_view format;
  std::size_t offset = 0;
};

using namespace std::string_view_literals;
constexpr Magic kForeign[] = {
    {"\x89HDF\r\n\x1a\n"sv, "hdf5"sv, ""sv},
    {"GGUF"sv, "gguf"sv, ""sv},
    {"ggml"sv, "gguf"sv, ""sv},
    {"lmgg"sv, "gguf"sv, ""sv},
    {"PAR1"sv, "columns"sv, "Parquet"sv},
    {"ARROW1"sv, "columns"sv, "Arrow (Feather)"sv},
    {"FEA1"sv, "columns"sv, "Feather"sv},
    {"ORC"sv, "columns"sv, "ORC"sv},
    {"MATLAB 5.0"sv, "matlab"sv, ""sv},
    {"MATLAB 7.3"sv, "matlab"sv, ""sv},
    {"PK\x07\x08"sv, "archive"sv, "one part of a split zip"sv},
    {"\x1f\x8b"sv, "archive"sv, "gzip"sv},
    {"BZh"sv, "archive"sv, "bzip2"sv},
    {"\xfd"
     "7zXZ"sv, "archive"sv, "xz"sv},
    {"\x28\xb5\x2f\xfd"sv, "archive"sv, "zstd"sv},
    {"\x04\x22\x4d\x18"sv, "archive"sv, "lz4"sv},
    {"7z\xbc\xaf"sv, "archive"sv, "7-Zip"sv},
    {"Rar!"sv, "archive"sv, "RAR"sv},
    {"ustar"sv, "archive"sv, "tar"sv, 257},
    {"sys_info\0"sv, "archive"sv, "tar, as PyTorch wrote before version 0.1.10"sv},
    {"././@PaxHeader"sv, "archive"sv, "tar"sv},
    {"\x89PNG"sv, "picture"sv, "PNG"sv},
    {"\xff\xd8\xff"sv, "picture"sv, "JPEG"sv},
    {"GIF8"sv, "picture"sv, "GIF"sv},
    {"WEBP"sv, "picture"sv, "WebP"sv, 8},
    {"WAVE"sv, "media"sv, "WAV"sv, 8},
    {"ftypavif"sv, "picture"sv, "AVIF"sv, 4},
    {"ftyphei"sv, "picture"sv, "HEIC"sv, 4},
    {"ftyp"sv, "media"sv, "MP4"sv, 4},
    {"II*\0"sv, "picture"sv, "TIFF"sv},
    {"MM\0*"sv, "picture"sv, "TIFF"sv},
    {"ID3"sv, "media"sv, "MP3"sv},
    {"OggS"sv, "media"sv, "Ogg"sv},
    {"fLaC"sv, "media"sv, "FLAC"sv},
    {"%PDF"sv, "document"sv, "PDF"sv},
    {"%!PS"sv, "document"sv, "PostScript"sv},
    {"{\\rtf"sv, "document"sv, "RTF"sv},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "document"sv, "Microsoft Office 97"sv},
    {"SQLite format 3"sv, "database"sv, "SQLite"sv},
    {"\x7f"
     "ELF"sv, "program"sv, ""sv},
    {"MZ\x90"sv, "program"sv, ""sv},
    {"\0asm"sv, "program"sv, ""sv},
    {"\xcf\xfa\xed\xfe"sv, "program"sv, ""sv},
    {"\xff\xfe"sv, "utf16"sv, ""sv},
    {"\xfe\xff"sv, "utf16"sv, ""sv},
    {"\0\x05\x16\x07"sv, "mac_fork"sv, ""sv},
    {"bplist00"sv, "cloud_placeholder"sv, ""sv},
    {"TFL3"sv, "model"sv, "TensorFlow Lite"sv, 4},
    {"RDX"sv, "tensors"sv, "R (saveRDS)"sv},
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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Text that starts with a bracket and is no JSON: what numpy prints ([[0.1 0.9]), and tables whose first token is [CLS].
bool no_json(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '[' || text[at] == ' ')) ++at;
  if (at == text.size()) return false;
  const char c = text[at];
  if (!is_digit(c) && c != '-') return std::string_view("{\"]tfnNI\n\r\t").find(c) == std::string_view::npos || text.substr(at).starts_with("nan");
  while (at < text.size() && (is_digit(text[at]) || text[at] == '-' || text[at] == '+' || text[at] == 'e')) ++at;
  if (at + 1 < text.size() && text[at] == '.' && !is_digit(text[at + 1])) return true;  // "1. "
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == '-' || text[at] == '+' || text[at] == 'e')) ++at;
  if (at == text.size() || text[at] != ' ') return false;
  while (at < text.size() && text[at] == ' ') ++at;
  return at < text.size() && (is_digit(text[at]) || text[at] == '-' || text[at] == 'n' || text[at] == '.');
}

Sniffed foreign(std::string_view kind, std::string_view format = {}) {
  Error error = foreign_file(kind, format);
  std::string what = error.params["detail"];
  return {FileKind::foreign, std::move(what), std::move(error)};
}

Sniffed foreign_in_words(std::string what) { return {FileKind::foreign, what, {ErrorCode::unknown_format, {{"detail", what}}}}; }

// Formats that have no first bytes of their own: by the ends of their names.
Sniffed by_name(std::string_view name, std::span<const std::uint8_t> head, std::uint64_t size) {
  const std::string lowered = lower(name);
  const auto ends = [&](std::string_view suffix) { return lowered.ends_with(suffix); };
  if (ends(".onnx")) return foreign("model", "ONNX");
  if (ends(".msgpack")) return foreign("tensors", "MessagePack (flax)");
  if (ends(".tfrecord") || ends(".tfrecords")) return foreign("tensors", "TFRecord");
  if (ends(".index") || ends(".meta") || lowered.find(".data-0000") != lowered.npos || lowered == "checkpoint") return foreign("model", "a TensorFlow checkpoint");
  if (lowered == "saved_model.pb" || ends(".pb")) return foreign("model", "protobuf (TensorFlow or ONNX)");
  if (lowered.starts_with("events.out.tfevents")) return foreign("tensors", "TensorBoard events");
  if (ends(".tar")) return foreign("archive", "tar");
  if (ends(".mat")) return foreign("matlab");
  if (ends(".rds") || ends(".rdata")) return foreign("tensors", "R");
  if (lowered.starts_with("._")) return foreign("mac_fork");
  // ONNX: ir_version, then the producer's name.
  if (head.size() > 8 && head[0] == 0x08 && head[1] < 0x20 && head[2] == 0x12 && head[3] > 0 && head[3] < 0x20) {
    const std::string_view producer(reinterpret_cast<const char*>(head.data()) + 4, std::min<std::size_t>(head[3], head.size() - 4));
    if (std::all_of(producer.begin(), producer.end(), [](char c) { return c >= 0x20 && c < 0x7f; })) return foreign("model", "ONNX");
  }
  std::string what = "it starts with the bytes " + hex(head);
  if (ends(".npy")) what += ", a .npy file with 93 4e 55 4d 50 59";
  else if (ends(".npz") || ends(".zip")) what += ", a .npz file with 50 4b 03 04";
  else if (ends(".safetensors")) what += ", a .safetensors file with the length of its header and {";
  else if (size >= 16 && size % 4 == 0) what += ", which name no format: numbers alone, as tofile writes them, have lost their shape";
  return foreign_in_words(what);
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
  if (printable_text && (first == '{' || first == '[') && !content.starts_with("{\\rtf")) {
    if (first == '[' && no_json(content.substr(start))) return {FileKind::table, ""};
    return {FileKind::json, ""};
  }
  if (printable_text && start != content.npos && (content.substr(start) == "null" || content.substr(start).starts_with("null\n"))) return {FileKind::json, ""};
  if (sniff_safetensors(head, file_size)) return {FileKind::safetensors, ""};
  if (sniff_torch_legacy(text)) return {FileKind::torch_legacy, ""};
  if (head.size() >= 2 && head[0] == 0x80 && head[1] <= 5) return {FileKind::pickle, ""};
  if (sniff_old_pickle(text)) return {FileKind::pickle, ""};
  for (const Magic& m : kForeign)
    if (text.substr(std::min(text.size(), m.offset)).starts_with(m.bytes)) return m.kind.empty() ? foreign_in_words(std::string(m.format)) : foreign(m.kind, m.format);
  if (!head.empty() && std::all_of(head.begin(), head.end(), [](std::uint8_t b) { return b == 0; })) return foreign("zeros");
  if (printable_text && first == '<') return {FileKind::html, ""};
  const auto high = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
  const bool binary = 4 * high > text.size() && !utf8_valid(text.substr(0, text.size() - std::min<std::size_t>(text.size(), 3)));
  if (printable_text && !binary && looks_like_link(content)) return {FileKind::link, ""};
  if (printable_text && !binary && start != content.npos) return {FileKind::table, ""};
  if (printable_text && !binary) return foreign("text");  // blank
  // UTF-16 without a mark: every other byte of Latin text is zero.
  std::size_t zeros[2] = {};
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == 0;
  if (head.size() >= 16 && (zeros[0] == head.size() / 2 || zeros[1] == head.size() / 2) && zeros[0] + zeros[1] <= head.size() / 2 + 1) return foreign("utf16");
  return by_name(name, head, file_size);
}

}  // namespace rollscope
