// Damaged files: every prefix of a good small file, each in its own allocation so that the sanitizer sees the end,
// and every byte changed. Whatever comes out is an error with a text or a dump whose heads can be asked for.
#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

struct Good {
  std::string name;
  Bytes bytes;
};

std::vector<Good> good_files() {
  const auto a = attention(2, 3, 3);
  const std::string json = json_array(a, {1, 2, 3, 3});
  std::vector<Good> out;
  out.push_back({"npy", npy_f4("(1, 2, 3, 3)", a)});
  out.push_back({"npy, version 2, Fortran", npy(npy_dict("<f4", "(2, 3, 3)", "True"), raw(std::vector<float>(18, 1.0f / 3)), 2)});
  out.push_back({"npz", zip({{"attentions.npy", npy_f4("(1, 2, 3, 3)", a)}, {"tokens.npy", npy_texts({"a", "b", "c"})}, {"meta.npy", npy_meta("{\"axes\": \"lhqk\"}")}})});
  out.push_back({"npz, deflated, zip64", zip({{"attentions.npy", npy_f4("(1, 2, 3, 3)", a), true, ZipEntry::Style::all_ones_with_zip64}}, "note", true)});
  out.push_back({"safetensors", safetensors("{\"__metadata__\":{\"tokens\":\"[\\\"a\\\",\\\"b\\\",\\\"c\\\"]\"},\"attentions.0\":{\"dtype\":\"F32\",\"shape\":[2,3,3],\"data_offsets\":[0,72]}}", raw(a))});
  out.push_back({"json", bytes_of("{\"tokens\": [\"a\", \"b\", \"c\"], \"attentions\": " + json + "}")});
  out.push_back({"bertviz", bytes_of("{\"attention\": [{\"name\": null, \"attn\": " + json + ", \"left_text\": [\"a\", \"b\", \"c\"], \"right_text\": [\"a\", \"b\", \"c\"]}]}")});
  const std::string view = "{\"attention\": [{\"name\": null, \"attn\": " + json + ", \"left_text\": [\"a\", \"b\", \"c\"], \"right_text\": [\"a\", \"b\", \"c\"]}]}";
  out.push_back({"bertviz page", bytes_of("<div></div><script>\nconst params = " + view + ";\n</script>")});
  std::string escaped;
  for (const char c : view) (escaped += c == '"' ? "\\" : "") += c;
  out.push_back({"notebook", bytes_of("{\"cells\": [{\"cell_type\": \"code\", \"outputs\": [{\"data\": {\"text/html\": [\"const params = " + escaped + ";\\n\"]}}]}], \"nbformat\": 4}")});
  out.push_back({"table", bytes_of("# layer 1\n,\"a\",\"b\"\na,0.25,0.75\n\"b\",0.5,0.5\n\n# layer 2\n,a,b\na,0.75,25%\nb,nan,0.5\n")});
  out.push_back({"long table", bytes_of("layer\thead\tquery\tkey\tweight\n0\t0\t0\t0\t1\n0\t0\t1\t0\t0.5\n0\t0\t1\t1\t0.5\n")});
  out.push_back({"printed array", bytes_of("tensor([[0.25, 0.75],\n        [0.5000, nan]], device='cuda:0', grad_fn=<SoftmaxBackward0>)")});
  return out;
}

// A format of text may lack its end and still be whole.
bool may_open_cut(const std::string& name) { return name == "json" || name == "bertviz" || name == "bertviz page" || name == "notebook" || name.find("table") != name.npos; }

// Opens, reads everything, and asks for the texts that a person would see.
bool survives(Bytes bytes) {
  bytes.shrink_to_fit();
  ImportOptions options;
  options.memory_limit = 1 << 24;
  auto dump = open(std::move(bytes), options);
  if (!dump) return error_text(dump.error()).find("{") == std::string::npos || !error_text(dump.error()).empty();
  for (std::size_t i = 0; i < dump->info.streams.size(); ++i) {
    const Stream& s = dump->info.streams[i];
    if (static_cast<int>(s.query_tokens.size()) != s.queries || static_cast<int>(s.key_tokens.size()) != s.keys) return false;
    if (!s.predicts.empty() && static_cast<int>(s.predicts.size()) != s.queries) return false;
    all_heads(*dump, static_cast<int>(i));
  }
  for (const auto& item : dump->info.report) (void)report_text(item);
  return true;
}

}  // namespace

TEST_CASE("every prefix of a good file is refused or read, never worse") {
  for (const Good& good : good_files()) {
    CAPTURE(good.name);
    CHECK(open(good.bytes).has_value());
    for (std::size_t n = 0; n < good.bytes.size(); ++n) {
      CAPTURE(n);
      REQUIRE(survives(Bytes(good.bytes.begin(), good.bytes.begin() + static_cast<long>(n))));
    }
  }
}

TEST_CASE("no prefix of a binary file opens: something is always missing") {
  for (const Good& good : good_files()) {
    if (may_open_cut(good.name) || good.name.find("zip64") != std::string::npos) continue;
    CAPTURE(good.name);
    for (std::size_t n = 0; n < good.bytes.size(); ++n) {
      CAPTURE(n);
      REQUIRE_FALSE(open(Bytes(good.bytes.begin(), good.bytes.begin() + static_cast<long>(n))).has_value());
    }
  }
}

TEST_CASE("every byte of a good file may change") {
  for (const Good& good : good_files()) {
    CAPTURE(good.name);
    for (std::size_t i = 0; i < good.bytes.size(); ++i)
      for (const int change : {0x01, 0x80, 0xff}) {
        Bytes bytes = good.bytes;
        bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ change);
        CAPTURE(i);
        REQUIRE(survives(std::move(bytes)));
      }
  }
}

TEST_CASE("the file is named in every refusal, without its folders") {
  for (const char* content : {"", "x", "[", "{}", "PK\x03\x04", "\x93NUMPY", "null"}) {
    const auto dump = open(bytes_of(content), {}, "/home/me/secret/dump.npz");
    REQUIRE_FALSE(dump.has_value());
    CHECK(text(dump).starts_with(dump.error().code == ErrorCode::bad_header ? "The header of dump.npz" : dump.error().code == ErrorCode::ragged ? "The nested" : "dump.npz"));
    CHECK(text(dump).find("secret") == std::string::npos);
  }
}

TEST_CASE("the eight broken files have eight different texts") {
  std::vector<std::string> texts;
  const auto a = attention(6, 4, 4);
  Bytes long_header = npy(npy_dict("<f4", "(2, 2)"), {}, 2);
  long_header[11] = 0xff;
  for (const auto& [bytes, want] : {std::pair{npy(npy_dict("<f4", "(6, 4, 4)"), raw(attention(3, 4, 4))), "truncated_data"}, std::pair{long_header, "bad_header"},
                                    std::pair{npy(npy_dict("<f4", "(4294967296, 4294967296, 4)")), "bad_header"}, std::pair{npy(npy_dict("|O", "(2,)")), "object_array"},
                                    std::pair{bytes_of("\x93NUMPX\x01 and so on"), "unknown_format"}, std::pair{bytes_of("{\"attentions\": [null, null]}"), "all_none"},
                                    std::pair{bytes_of("[[1, 0], [1]]"), "ragged"}, std::pair{Bytes{}, "empty"}}) {
    const auto dump = open(bytes, {}, "dump.npy");
    CHECK(code(dump) == want);
    REQUIRE_FALSE(dump.has_value());
    CHECK_FALSE(error_fix(dump.error()).empty());
    texts.push_back(text(dump));
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(texts[i] != texts[j]);
}

TEST_CASE("files of other programs are told what they are") {
  const auto says = [](std::string_view content, std::string_view word) {
    const auto dump = open(bytes_of(content));
    CAPTURE(word);
    CHECK(code(dump) == "unknown_format");
    CHECK(text(dump).find(word) != std::string::npos);
  };
  says("\x89HDF\r\n\x1a\n....", "HDF5");
  says("GGUF....", "GGUF");
  says("\x1f\x8b....", "gzip");
  says("\x89PNG....", "PNG");
  says("<!DOCTYPE html><html>", "web page");
  says("hello there", "text without a table");
  says("MATLAB 5.0 MAT-file", "MATLAB");
}

TEST_CASE("extreme shapes are refused with an explanation or opened, and allocate nothing for their promises") {
  CHECK(code(open(npy(npy_dict("|u1", "(2000000, 1, 1)"), Bytes(2000000, 1)))) == "too_big");
  CHECK(code(open(npy(npy_dict("<f4", "(1, 1, 0, 5)")))) == "empty");
  CHECK(code(open(npy(npy_dict("<f4", "()"), raw(std::vector<float>{1})))) == "not_attention");
  CHECK(open(npy_f4("(1000, 1, 1, 1)", std::vector<float>(1000, 1.0f))));
  CHECK(code(open(npy(npy_dict("<U0", "(1000000000000,)")))) != "opens");
  std::string parts = "{\"a\":";
  for (int i = 0; i < 60; ++i) parts += "[";
  CHECK_FALSE(open(parts).has_value());
}

TEST_CASE("numbers at the edges of their types are read as they are") {
  auto tiny = open(npy_f4("(1, 1, 2, 2)", {1e-40f, 1, 1e-45f, 1}));
  REQUIRE(tiny);
  CHECK(head(*tiny, 0, 0, 0)[0] == Real(1e-40f));
  auto halves = open(npy(npy_dict("<f2", "(1, 1, 2, 2)"), raw(std::vector<std::uint16_t>{0x0001, 0x3c00, 0x03ff, 0x3c00})));
  REQUIRE(halves);
  CHECK(head(*halves, 0, 0, 0)[0] == Real(0x1p-24));
  CHECK(head(*halves, 0, 0, 0)[2] == Real(1023 * 0x1p-24));
  CHECK(open(npy_f4("(2, 2, 3, 3)", std::vector<float>(36, 0.0f))));
  CHECK(open(npy_f4("(2, 2, 3, 3)", std::vector<float>(36, std::nanf("")))));
  CHECK(open(npy_f4("(1, 1, 2, 2)", {1e38f, 1, 0, 1})));
}
