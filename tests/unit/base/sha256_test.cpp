#include "base/sha256.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

using namespace rollscope;

namespace {

std::vector<std::uint8_t> bytes(std::string_view text) { return {text.begin(), text.end()}; }

std::string digest(const std::vector<std::uint8_t>& data, std::size_t part) {
  Sha256 sha;
  for (std::size_t at = 0; at < data.size(); at += part) sha.add(std::span(data).subspan(at, std::min(part, data.size() - at)));
  return sha.hex();
}

}  // namespace

TEST_CASE("SHA-256 gives the digests of the standard, however the bytes are cut") {
  const std::pair<std::string_view, std::string_view> known[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
  for (const auto& [text, expected] : known)
    for (const std::size_t part : {1u, 3u, 64u, 1000u}) CHECK(digest(bytes(text), part) == expected);
  const std::vector<std::uint8_t> million(1'000'000, 'a');
  for (const std::size_t part : {63u, 64u, 65u, 1'000'000u}) CHECK(digest(million, part) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("every length around a block's end is padded right") {
  // Each digest hashed into one: one wrong padding changes it. Value from Python's hashlib.
  Sha256 all;
  for (std::size_t n = 0; n < 200; ++n) all.add(bytes(digest(std::vector<std::uint8_t>(n, 'x'), 7)));
  CHECK(all.hex() == "f61ffcc417e1f0e59eba2da7fa32fbe05b64e478b68c6bacf990455f00248b98");
}
