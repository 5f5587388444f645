#include "io/zip.h"

#include <doctest/doctest.h>

#include "io/builders.h"

using namespace rollscope;
using namespace rollscope::testing;
using Style = ZipEntry::Style;

namespace {

const std::vector<float> kNumbers = attention(6, 4, 4);
Bytes stack() { return npy_f4("(2, 3, 4, 4)", kNumbers); }

// A good archive with one thing changed.
Bytes archive(ZipEntry entry) {
  entry.name = "attentions.npy";
  entry.data = stack();
  return zip({std::move(entry)});
}

}  // namespace

TEST_CASE("archives of every Python read alike: stored, deflated, both zip64 styles, unseekable writers") {
  for (const bool deflate : {false, true})
    for (const Style style : {Style::plain, Style::real_sizes_with_zip64, Style::all_ones_with_zip64, Style::descriptor})
      for (const bool zip64_end : {false, true}) {
        CAPTURE(deflate);
        CAPTURE(static_cast<int>(style));
        auto dump = open(zip({{"attentions.npy", stack(), deflate, style}, {"tokens.npy", npy_texts({"a", "b", "c", "d"}), deflate, style}}, "", zip64_end));
        REQUIRE_MESSAGE(dump, text(dump));
        CHECK(all_heads(*dump) == reals(kNumbers));
        CHECK(labels(dump->info.streams[0].query_tokens) == "a b c d");
      }
}

TEST_CASE("heads of a packed member read in any order") {
  auto dump = open(zip({{"attentions.npy", stack(), true}}));
  REQUIRE(dump);
  const auto all = reals(kNumbers);
  for (const int h : {2, 0, 1, 1, 0}) {
    const auto one = head(*dump, 0, 1, h);
    CHECK(one == std::vector<Real>(all.begin() + (3 + h) * 16, all.begin() + (4 + h) * 16));
  }
}

TEST_CASE("a comment behind the directory, and one that looks like a directory, change nothing") {
  CHECK(open(zip({{"attentions.npy", stack()}}, "made by hand")));
  CHECK(open(zip({{"attentions.npy", stack()}}, std::string("PK\x05\x06", 4) + std::string(18, '\xff'))));
  CHECK(open(zip({{"attentions.npy", stack()}}, std::string(65535, ' '))));
}

TEST_CASE("an archive cut inside a member names the member and the bytes") {
  Bytes bytes = archive({});
  bytes.resize(300);
  const std::size_t start = 30 + 14;
  CHECK(text(open(bytes)) == "dump announces " + std::to_string(stack().size()) + " bytes of numbers in attentions.npy and ends after " + std::to_string(300 - start) + ".");
}

TEST_CASE("an archive without its directory is told from a cut one") {
  Bytes bytes = zip({{"attentions.npy", stack()}});
  bytes.resize(bytes.size() - 10);
  CHECK(code(open(bytes)) == "not_zip");
  Bytes tail = zip({{"attentions.npy", stack()}});
  tail.resize(tail.size() + 70000);
  CHECK(code(open(tail)) == "not_zip");
}

TEST_CASE("packing that is not read is named") {
  for (const auto& [method, name] : {std::pair{12, "bzip2"}, std::pair{14, "lzma"}, std::pair{93, "zstd"}, std::pair{99, "AES"}}) {
    ZipEntry entry;
    entry.method = method;
    const auto dump = open(archive(entry));
    CHECK(code(dump) == "unsupported_method");
    CHECK(text(dump).find(name) != std::string::npos);
  }
  ZipEntry locked;
  locked.flags = 1;
  CHECK(text(open(archive(locked))).find("password") != std::string::npos);
}

TEST_CASE("a member that promises more than deflate can pack is refused before it is inflated") {
  ZipEntry bomb;
  bomb.deflate = true;
  bomb.said_size = 4'000'000'000;
  const auto dump = open(archive(bomb));
  CHECK(code(dump) == "too_big");
  CHECK(text(dump).find("4 GB") != std::string::npos);
}

TEST_CASE("a member that inflates to less than announced is cut, to more is read as announced") {
  ZipEntry more;
  more.deflate = true;
  more.said_size = static_cast<std::int64_t>(stack().size()) + 40;
  auto dump = open(archive(more));
  CHECK(dump.has_value());  // the array itself is whole
  ZipEntry less = more;
  less.said_size = static_cast<std::int64_t>(stack().size()) - 40;
  CHECK(code(open(archive(less))) == "truncated_data");
}

TEST_CASE("members that share bytes are refused") {
  ZipEntry first{"attentions.npy", stack()}, second{"x.npy", stack()};
  second.said_offset = 0;
  CHECK(code(open(zip({first, second}))) == "bad_header");
}

TEST_CASE("a stored member must be as long as it says") {
  ZipEntry entry;
  entry.said_size = 100;
  CHECK(code(open(archive(entry))) == "bad_header");
}

TEST_CASE("a count that the directory does not keep is refused") {
  CHECK(code(open(zip({{"attentions.npy", stack()}}, "", false, 2))) == "bad_header");
  CHECK(code(open(zip({{"attentions.npy", stack()}}, "", true, 70000))) == "too_big");
}

TEST_CASE("the first of two members of one name is read, with a note") {
  auto other = kNumbers;
  std::swap(other[0], other[1]);
  auto dump = open(zip({{"attentions.npy", stack()}, {"attentions.npy", npy_f4("(2, 3, 4, 4)", other)}}));
  REQUIRE(dump);
  CHECK(all_heads(*dump) == reals(kNumbers));
  CHECK(reported(dump->info, ReportCode::duplicate_member));
}

TEST_CASE("a checksum that does not fit is a warning, one of zero is none") {
  ZipEntry entry;
  entry.said_crc = 12345;
  auto dump = open(archive(entry));
  REQUIRE(dump);
  CHECK(reported(dump->info, ReportCode::checksum));
  entry.said_crc = 0;
  dump = open(archive(entry));
  REQUIRE(dump);
  CHECK_FALSE(reported(dump->info, ReportCode::checksum));
}

TEST_CASE("names in an archive are labels, wherever they point") {
  for (const std::string& name : {std::string("../../attentions.npy"), std::string("/etc/attentions.npy"), std::string("a\\b\\attentions.npy"), std::string("\xff\xfe attentions.npy"), std::string("x\0attentions.npy", 16)}) {
    auto dump = open(zip({{name, stack()}}));
    CHECK_MESSAGE(dump.has_value(), text(dump));
  }
}

TEST_CASE("archives of other programs are told what they are") {
  CHECK(text(open(zip({{"archive/data.pkl", {1, 2}}}))).find("PyTorch") != std::string::npos);
  CHECK(text(open(zip({{"m/constants.pkl", {1}}, {"m/data.pkl", {1}}}))).find("TorchScript") != std::string::npos);
  CHECK(text(open(zip({{"[Content_Types].xml", {1}}}))).find("office") != std::string::npos);
  CHECK(text(open(zip({{"inner.npz", zip({{"attentions.npy", stack()}})}}))).find("inner.npz") != std::string::npos);
  CHECK(code(open(zip({}))) == "empty");
}

TEST_CASE("a packed dump reads the same twice, and after a step back") {
  auto dump = open(zip({{"layer_0.npy", npy_f4("(3, 4, 4)", attention(3, 4, 4)), true}, {"layer_1.npy", npy_f4("(3, 4, 4)", attention(3, 4, 4)), true}}));
  REQUIRE(dump);
  const auto first = all_heads(*dump);
  CHECK(all_heads(*dump) == first);
  CHECK(head(*dump, 0, 0, 1) == std::vector<Real>(first.begin() + 16, first.begin() + 32));
}

TEST_CASE("thousands of packed members open without a window each") {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 3000; ++i) entries.push_back({"layer_" + std::to_string(i) + ".npy", npy_f4("(1, 2, 2)", attention(1, 2, 2)), true});
  auto dump = open(zip(entries));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layers() == 3000);
  CHECK(head(*dump, 0, 2999, 0) == reals(attention(1, 2, 2)));
}
