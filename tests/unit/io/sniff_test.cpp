#include "io/sniff.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

Sniffed of(std::string_view content, std::string_view name = "dump", std::uint64_t size = 0) {
  const Bytes bytes = bytes_of(content);
  return sniff({bytes.data(), std::min(bytes.size(), kSniffBytes)}, size ? size : bytes.size(), name);
}
// Kind and format, "archive tar".
std::string foreign(std::string_view content, std::string_view name = "dump") {
  const Sniffed s = of(content, name);
  if (s.kind != FileKind::foreign) return "not foreign";
  CHECK(s.what == s.error.params.at("detail"));
  CHECK_FALSE(error_fix(s.error).empty());
  const auto kind = s.error.params.find("kind");
  if (kind == s.error.params.end()) return s.what;
  const auto format = s.error.params.find("format");
  return kind->second + (format == s.error.params.end() ? "" : " " + format->second);
}

}  // namespace

TEST_CASE("text is told apart by how it starts") {
  for (const char* json : {"{\"a\": 1}", "[[0.1, 0.9]]", " \n[1, 2]", "[\"a\"]", "[[0.25,", "[null, 1]", "[[1, 0]", "[]", "[", "[[[[[[[[", "[NaN]", "[-1, 2]", "\xef\xbb\xbf{", "[1e-5, 2]"}) {
    CAPTURE(json);
    CHECK(of(json).kind == FileKind::json);
  }
  for (const char* table : {"[[0.1 0.9]", "[[1. 0.]", "[CLS],0.1", "[[ 0.1 0.9]", "[[nan 0.5]", "tensor([[1", "0.1 0.9", "a,b", "[[1 0]", "[[-1. 2.]", "\xef\xbb\xbf;a;b"}) {
    CAPTURE(table);
    CHECK(of(table).kind == FileKind::table);
  }
  for (const char* page : {"<html>", "\n  <!DOCTYPE html>", "<script>", "<svg>", "<?xml version"}) CHECK(of(page).kind == FileKind::html);
}

TEST_CASE("formats of others are recognised by their first bytes") {
  using namespace std::string_view_literals;
  CHECK(foreign("\x89HDF\r\n\x1a\n\0\0"sv) == "hdf5");
  CHECK(foreign("GGUF\3\0\0\0"sv) == "gguf");
  CHECK(foreign("PAR1\x15\4"sv) == "columns Parquet");
  CHECK(foreign("ARROW1\0\0"sv) == "columns Arrow (Feather)");
  CHECK(foreign("MATLAB 5.0 MAT-file, Platform: GLNXA64") == "matlab");
  CHECK(foreign("\x1f\x8b\x08\0"sv) == "archive gzip");
  CHECK(foreign("Rar!\x1a\7"sv) == "archive RAR");
  CHECK(foreign("7z\xbc\xaf\x27\x1c") == "archive 7-Zip");
  CHECK(foreign("\xfd" "7zXZ\0"sv) == "archive xz");
  CHECK(foreign("\x28\xb5\x2f\xfd") == "archive zstd");
  CHECK(foreign("BZh91AY") == "archive bzip2");
  CHECK(foreign("\x89PNG\r\n\x1a\n") == "picture PNG");
  CHECK(foreign("\xff\xd8\xff\xe0") == "picture JPEG");
  CHECK(foreign("RIFF\1\2\3\4WEBPVP8"sv) == "picture WebP");
  CHECK(foreign("%PDF-1.7") == "document PDF");
  CHECK(foreign("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv) == "document Microsoft Office 97");
  CHECK(foreign("SQLite format 3\0"sv) == "database SQLite");
  CHECK(foreign("\x7f" "ELF\2\1"sv) == "program");
  CHECK(foreign("\0\5\x16\7\0\2\0\0Mac OS X"sv) == "mac_fork");
  CHECK(foreign("bplist00\xd4"sv) == "cloud_placeholder");
  CHECK(foreign("\xff\xfe{\0}\0"sv) == "utf16");
  CHECK(foreign("0\0.\0" "5\0,\0" "0\0.\0" "5\0\n\0"sv) == "utf16");
  CHECK(foreign(std::string(600, '\0')) == "zeros");
  CHECK(foreign("\x08\x09\x12\x07pytorch\x1a\x06" "2.12.0") == "model ONNX");
  std::string tar(512, '\0');
  tar.replace(0, 8, "dump.npz").replace(257, 5, "ustar");
  CHECK(foreign(tar) == "archive tar");
}

TEST_CASE("formats without first bytes of their own are recognised by their names") {
  using namespace std::string_view_literals;
  CHECK(foreign("\1\2\3\4"sv, "model.onnx") == "model ONNX");
  CHECK(foreign("\1\2\3\4"sv, "saved_model.pb") == "model protobuf (TensorFlow or ONNX)");
  CHECK(foreign("\1\2\3\4"sv, "model.ckpt.data-00000-of-00001") == "model a TensorFlow checkpoint");
  CHECK(foreign("\x81\xa6params\0\1"sv, "flax_model.msgpack") == "tensors MessagePack (flax)");
  CHECK(foreign("\1\2\3\4"sv, "train.tfrecord") == "tensors TFRecord");
  CHECK(foreign("dump.npz\0\0\0"sv, "dump.tar") == "archive tar");
  CHECK(foreign("\1\2\3\4"sv, "dump.npy").find("it starts with the bytes 01 02 03 04, a .npy file with") == 0);
}

TEST_CASE("JSON that belongs to a model is told what it is") {
  const auto kind = [](std::string_view content) {
    const auto dump = open(content);
    REQUIRE_FALSE(dump.has_value());
    CHECK(code(dump) == "not_attention");
    return dump.error().params.count("kind") ? dump.error().params.at("kind") : "";
  };
  CHECK(kind(R"({"version": "1.0", "added_tokens": [], "model": {"type": "BPE", "vocab": {"a": 0}}})") == "tokenizer");
  CHECK(kind(R"({"model_type": "bert", "hidden_size": 384, "num_attention_heads": 12})") == "config");
  CHECK(kind(R"({"metadata": {"total_size": 1}, "weight_map": {"a": "model-00001.safetensors"}})") == "index");
  std::string vocabulary = "{";
  for (int i = 0; i < 60'000; ++i) vocabulary += "\"w" + std::to_string(i) + "\": " + std::to_string(i) + ", ";
  CHECK(kind(vocabulary + "\"end\": 60000}") == "tokenizer");
}
