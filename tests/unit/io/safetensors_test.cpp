#include "io/safetensors.h"

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

const std::vector<float> kNumbers = attention(2, 4, 4);
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}
std::string good() { return entry("attentions", "F32", "[1,2,4,4]", "[0,128]"); }
Result<Dump> with(const std::string& members, const Bytes& data = raw(kNumbers)) { return open(safetensors("{" + members + "}", data)); }
std::string why(const std::string& members, const Bytes& data = raw(kNumbers)) { return text(with(members, data)); }

}  // namespace

TEST_CASE("layers, tokens and titles of a safetensors file are found") {
  auto dump = with("\"__metadata__\":{\"tokens\":\"[\\\"a\\\", \\\"b\\\", \\\"c\\\", \\\"d\\\"]\",\"title\":\"hello\"}," + entry("attentions.0", "F32", "[1,4,4]", "[0,64]") + "," +
                   entry("attentions.1", "F32", "[1,4,4]", "[64,128]"));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 2);
  CHECK(all_heads(*dump) == reals(kNumbers));
  CHECK(labels(dump->info.streams[0].key_tokens) == "a b c d");
  CHECK(dump->info.meta.at("title") == "hello");
  CHECK(dump->info.meta.at("tokens") == "[\"a\", \"b\", \"c\", \"d\"]");
}

TEST_CASE("tokens that were saved with str() are a list all the same") {
  auto dump = with("\"__metadata__\":{\"tokens\":\"['[CLS]', \\\"it's\\\", 'b', '[SEP]']\"}," + good());
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(labels(dump->info.streams[0].key_tokens) == "[CLS] it's b [SEP]");
}

TEST_CASE("headers that are too short, too long or longer than the file are told apart") {
  CHECK(text(open(safetensors("{}", {}, 0))).find("0 bytes long") != std::string::npos);
  CHECK(text(open(safetensors("{}", {}, 1))).find("1 bytes long") != std::string::npos);
  Bytes huge = safetensors("{}", {}, -2);
  huge[7] = 0x80;
  CHECK(text(open(huge)).find("the limit is 100000000") != std::string::npos);
  CHECK(text(open(safetensors("{" + good() + "}", {}, 5000))).find("announces 5000 bytes of header") != std::string::npos);
}

TEST_CASE("tensors that overlap, leave holes, run backwards or past the end are refused") {
  CHECK(why(good() + "," + entry("x", "F32", "[4]", "[64,80]")).find("overlaps") != std::string::npos);
  CHECK(why(entry("attentions", "F32", "[1,1,4,4]", "[64,128]")).find("no tensor owns the bytes 0 to 64") != std::string::npos);
  CHECK(why(entry("attentions", "F32", "[1,2,4,4]", "[128,0]")).find("ends before it begins") != std::string::npos);
  CHECK(why(good(), {1, 2, 3}).find("announces 128 bytes of numbers and ends after 3") != std::string::npos);
  CHECK(why(entry("attentions", "F32", "[1,2,4,5]", "[0,128]")).find("has 128 bytes and needs 160") != std::string::npos);
  CHECK(why(entry("attentions", "F32", "[4611686018427387904,4]", "[0,128]")).find("larger than any file") != std::string::npos);
}

TEST_CASE("numbers in a header must be whole and positive") {
  for (const char* offsets : {"[0,1e3]", "[-1,128]", "[0,128.0]", "[0,9007199254740993]", "[0,\"128\"]", "[0,128,1]", "[0]", "[0,[128]]", "null"}) {
    CAPTURE(offsets);
    CHECK_FALSE(with(entry("attentions", "F32", "[1,2,4,4]", offsets)));
  }
}

TEST_CASE("a name that stands there twice is refused, as the format demands") {
  CHECK(why(good() + "," + good()).find("names attentions twice") != std::string::npos);
  CHECK(why("\"attentions\":{\"dtype\":\"F32\",\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,4]}").find("twice") != std::string::npos);
}

TEST_CASE("metadata holds texts only, though null is let pass") {
  CHECK(with("\"__metadata__\":null," + good()));
  CHECK(with("\"__metadata__\":{}," + good()));
  CHECK_FALSE(with("\"__metadata__\":{\"n\":3}," + good()));
  CHECK_FALSE(with("\"__metadata__\":{\"n\":{\"a\":\"b\"}}," + good()));
  CHECK_FALSE(with("\"__metadata__\":3," + good()));
}

TEST_CASE("a header that is not JSON, not an object or not UTF-8 is refused") {
  CHECK(code(open(safetensors("{" + good(), raw(kNumbers)))) == "bad_header");
  CHECK(code(open(safetensors("{\"\xff\":1}", {}))) == "bad_header");
  CHECK(code(open(safetensors("\xef\xbb\xbf{}", {}))) == "bad_header");
  CHECK_FALSE(open(safetensors("[1,2]", {})));
  CHECK(open(safetensors("{" + good() + "}      ", raw(kNumbers))));
  CHECK_FALSE(open(safetensors("{" + std::string(100000, '[') + "}", {})));
}

TEST_CASE("a tensor of unknown type is left aside, unless it is the attention") {
  auto dump = with(entry("attentions", "F32", "[1,2,4,4]", "[0,128]") + "," + entry("x", "XF8", "[4]", "[128,132]"), raw(attention(2, 4, 5)));
  CHECK(code(dump) == "opens");
  CHECK(reported(dump->info, ReportCode::ignored));
  CHECK(why(entry("attentions", "F4", "[1,1,4,4]", "[0,128]")).find("type F4") != std::string::npos);
}

TEST_CASE("a file of metadata alone is empty, one of weights is a model") {
  CHECK(code(with("\"__metadata__\":{\"a\":\"b\"}", {})) == "empty");
  CHECK(code(with(entry("h.0.attn.c_attn.weight", "F32", "[4,4]", "[0,64]") + "," + entry("h.0.attn.bias", "F32", "[1,1,4,4]", "[64,128]"))) == "model_weights");
  CHECK(code(with(entry("attentions", "F32", "[0,12,4,4]", "[0,0]"), {})) == "empty");
}

TEST_CASE("bfloat16 and eight-bit floats read exactly") {
  auto dump = with(entry("attentions", "BF16", "[1,1,2,2]", "[0,8]"), raw(std::vector<std::uint16_t>{0x3f00, 0x3f00, 0x3e80, 0x3f40}));
  REQUIRE(dump);
  CHECK(head(*dump, 0, 0, 0) == std::vector<Real>{0.5, 0.5, 0.25, 0.75});
  CHECK(dump->info.streams[0].dtype == DType::bf16);
  dump = with(entry("attentions", "F8_E4M3", "[1,1,2,2]", "[0,4]"), {0x30, 0x30, 0x28, 0x34});
  REQUIRE(dump);
  CHECK(head(*dump, 0, 0, 0) == std::vector<Real>{0.5, 0.5, 0.25, 0.75});
  dump = with(entry("attentions", "F8_E5M2", "[1,1,2,2]", "[0,4]"), {0x38, 0x38, 0x34, 0x3a});
  REQUIRE(dump);
  CHECK(head(*dump, 0, 0, 0) == std::vector<Real>{0.5, 0.5, 0.25, 0.75});
}
