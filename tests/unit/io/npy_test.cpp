#include "io/npy.h"

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

Result<NpyHeader> header(Bytes bytes) {
  MemorySource source(std::move(bytes));
  return read_npy_header(source, "");
}
std::string why(const Result<NpyHeader>& h) { return h ? "reads" : error_text(h.error()); }
std::string name(const Result<NpyHeader>& h) { return h ? "reads" : std::string(error_name(h.error().code)); }

const Bytes kFour = raw(std::vector<float>{0.5f, 0.5f, 0.25f, 0.75f});

}  // namespace

TEST_CASE("a header reads whatever the order of its keys, with Python 2's long integers and without a trailing comma") {
  for (const char* text : {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", "{'shape': (2L, 2L,), 'descr': \"<f4\", 'fortran_order': False}\n",
                           "{ 'fortran_order' : False , 'shape':(2,2),'descr':'=f4' }   \n"}) {
    CAPTURE(text);
    const auto h = header(npy(text, kFour));
    REQUIRE_MESSAGE(h, why(h));
    CHECK(h->shape == std::vector<std::uint64_t>{2, 2});
    CHECK(h->elements == 4);
    CHECK(h->dtype == DType::f32);
    CHECK_FALSE(h->fortran_order);
  }
}

TEST_CASE("versions 1, 2 and 3 of the format read, later ones are named") {
  for (int version = 1; version <= 3; ++version) CHECK(header(npy(npy_dict("<f4", "(2, 2)"), kFour, version)));
  Bytes four = npy(npy_dict("<f4", "(2, 2)"), kFour);
  four[6] = 4;
  CHECK(why(header(four)).find("format version is 4") != std::string::npos);
}

TEST_CASE("every number type reads to the same values") {
  struct Case { const char* descr; Bytes data; std::vector<Real> values; };
  const std::vector<Case> cases{
      {"<f8", raw(std::vector<double>{0.5, 0.5, 0.25, 0.75}), {0.5, 0.5, 0.25, 0.75}},
      {"<f2", raw(std::vector<std::uint16_t>{0x3800, 0x3800, 0x3400, 0x3a00}), {0.5, 0.5, 0.25, 0.75}},
      {">f2", raw(std::vector<std::uint16_t>{0x0038, 0x0038, 0x0034, 0x003a}), {0.5, 0.5, 0.25, 0.75}},
      {"<V2", raw(std::vector<std::uint16_t>{0x3f00, 0x3f00, 0x3e80, 0x3f40}), {0.5, 0.5, 0.25, 0.75}},
      {">f4", {0x3f, 0, 0, 0, 0x3f, 0, 0, 0, 0x3e, 0x80, 0, 0, 0x3f, 0x40, 0, 0}, {0.5, 0.5, 0.25, 0.75}},
      {"|b1", {1, 0, 0, 1}, {1, 0, 0, 1}},
      {"|u1", {255, 0, 0, 255}, {255, 0, 0, 255}},
      {"<u2", raw(std::vector<std::uint16_t>{7, 0, 0, 7}), {7, 0, 0, 7}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.descr);
    const std::string shape = c.descr[1] == 'f' || c.descr[1] == 'V' ? "(2, 2)" : "(1, 2, 2)";
    auto dump = open(npy(npy_dict(c.descr, shape), c.data));
    REQUIRE_MESSAGE(dump, text(dump));
    CHECK(head(*dump, 0, 0, 0) == c.values);
  }
}

TEST_CASE("a header that is longer than any real one is refused before anything is allocated") {
  Bytes file = npy(npy_dict("<f4", "(2, 2)"), {}, 2);
  file.resize(12);
  for (int i = 0; i < 4; ++i) file[static_cast<std::size_t>(8 + i)] = i ? 0xff : 0xf0;
  CHECK(name(header(file)) == "bad_header");
  CHECK(why(header(file)).find("4294967280 bytes long, and the limit is 65536") != std::string::npos);
}

TEST_CASE("shapes that lie are refused: overflowing, negative, fractional, boolean, endless") {
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  for (const std::string& shape : {std::string("(4294967296, 4294967296, 2, 2)"), std::string("(9223372036854775808, 2)"), std::string("(18446744073709551616,)"),
                                   std::string("(-1, 4)"), std::string("(1e3,)"), std::string("(True,)"), std::string("(2.0, 2)"), std::string("4"), std::string("(2 2)"), std::string("(\xd9\xa2,)"), many + ")"}) {
    CAPTURE(shape);
    CHECK(name(header(npy(npy_dict("<f4", shape), kFour))) == "bad_header");
  }
}

TEST_CASE("headers that are no dict of three keys are refused with the reason") {
  const auto detail = [](const std::string& text) { return why(header(npy(text, kFour))); };
  CHECK(detail("{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 2)}").find("neither True nor False") != std::string::npos);
  CHECK(detail("{'descr': '<f4', 'fortran_order': False}").find("'shape' is missing") != std::string::npos);
  CHECK(detail("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}").find("twice") != std::string::npos);
  CHECK(detail("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'x': 1}").find("'x'") != std::string::npos);
  CHECK(detail("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)} + f()").find("follows") != std::string::npos);
  CHECK(detail(std::string(60000, '(')).find("{") != std::string::npos);
  CHECK(detail("{'descr': " + std::string(60000, '[')).find("brackets") != std::string::npos);
  CHECK(detail("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 2)}").find("not a text") != std::string::npos);
  CHECK(name(header(npy("", kFour))) == "bad_header");
}

TEST_CASE("types that hold no numbers are refused by their names") {
  CHECK(name(header(npy(npy_dict("|O", "(2,)")))) == "object_array");
  CHECK(why(header(npy(npy_dict("<c8", "(2,)"), kFour))).find("complex") != std::string::npos);
  CHECK(why(header(npy(npy_dict("<M8[ns]", "(2,)"), kFour))).find("date") != std::string::npos);
  CHECK(why(header(npy(npy_dict("<f16", "(1,)"), kFour))).find("<f16") != std::string::npos);
  CHECK(why(header(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", kFour))).find("structured") != std::string::npos);
  CHECK(name(header(npy(npy_dict("<U9999999999", "(1,)"), kFour))) == "bad_header");
  CHECK(name(header(npy(npy_dict("<x4", "(1,)"), kFour))) == "unsupported_dtype");
}

TEST_CASE("an array that ends early names the bytes that it announces and those that are there") {
  auto dump = open(npy(npy_dict("<f4", "(12, 12, 64, 64)"), Bytes(5000)), {}, "folder/cut.npy");
  CHECK(text(dump) == "cut.npy announces 2359296 bytes of numbers and ends after 5000.");
}

TEST_CASE("texts read as UTF-8, fixed width padding dropped") {
  Bytes data;
  for (const std::uint32_t c : {0x6771u, 0x4eacu, 0u, 0x1f389u, 0u, 0u}) put(data, c, 4);
  MemorySource source(npy(npy_dict("<U3", "(2,)"), data));
  const auto h = read_npy_header(source, "t");
  REQUIRE(h);
  const auto texts = read_npy_texts(source, *h);
  REQUIRE(texts);
  CHECK(*texts == std::vector<std::string>{"東京", "🎉"});
}

TEST_CASE("Fortran order reads as the same matrices") {
  const auto a = attention(2, 3, 3);
  std::vector<float> turned(a.size());  // [l][q][k] with the first index fastest
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t q = 0; q < 3; ++q)
      for (std::size_t k = 0; k < 3; ++k) turned[l + 2 * (q + 3 * k)] = a[(l * 3 + q) * 3 + k];
  auto dump = open(npy(npy_dict("<f4", "(2, 3, 3)", "True"), raw(turned)));
  REQUIRE(dump);
  CHECK(all_heads(*dump) == reals(a));
}
