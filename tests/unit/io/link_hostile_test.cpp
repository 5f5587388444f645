// Links as they arrive: cut, retyped, wrapped into other addresses, made to do harm. A message or the true picture.
#include <doctest/doctest.h>

#include <chrono>
#include <random>

#include "base/text.h"
#include "dump/tokens.h"
#include "io/link_builders.h"
#include "io/link_text.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

LinkData sample(bool causal = false) {
  LinkData d;
  d.kind = LinkKind::layers;
  d.steps = 127;
  d.causal = causal;
  d.queries = d.keys = 6;
  d.row = 2;
  d.heads = 4;
  d.layer_numbers = {0, 1, 2};
  d.key_tokens = make_tokens(std::vector<std::string>{"[CLS]", "who", "reads", "##ing", "whom", "[SEP]"});
  const auto weights = attention(3, 6, 6, causal);
  d.weights.assign(weights.begin(), weights.end());
  return d;
}

std::string outcome(std::string_view field, LinkData* saved = nullptr) {
  const auto data = decode_link_data(field, saved);
  return data ? "opens" : std::string(error_name(data.error().code));
}

std::string opened(const std::string& link) { return outcome(split_link(link).data); }

// The body that unpacks to these bytes, with a checksum that fits.
std::string forged(const LinkBytes& bytes) { return "a" + pack_field(bytes); }

}  // namespace

TEST_CASE("a link cut anywhere is a cut link, and its text is kept once the text has arrived") {
  const std::string whole = encode_link_data(sample());
  bool with_text = false;
  for (std::size_t n = 2; n < whole.size(); ++n) {
    CAPTURE(n);
    LinkData saved;
    const auto code = outcome(std::string_view(whole).substr(0, n), &saved);
    CHECK(code == "link_cut");
    if (with_text) CHECK_FALSE(saved.key_tokens.empty());
    with_text = with_text || !saved.key_tokens.empty();
    if (!saved.key_tokens.empty()) CHECK(labels(saved.key_tokens) == "[CLS] who reads ing whom [SEP]");
    CHECK(saved.weights.empty());
  }
  CHECK(with_text);
}

TEST_CASE("no changed character gives another picture") {
  for (const bool causal : {false, true}) {
    const LinkData before = sample(causal);
    const std::string whole = encode_link_data(before);
    const auto true_weights = decode_link_data(whole)->weights;
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const char c : std::string_view("Aa0-_.%#&~")) {
        if (whole[at] == c) continue;
        std::string changed = whole;
        changed[at] = c;
        LinkData saved;
        const auto data = decode_link_data(changed, &saved);
        if (data) CHECK(data->weights == true_weights);
        if (!saved.key_tokens.empty()) CHECK(labels(saved.key_tokens) == labels(before.key_tokens));
      }
    std::string swapped = whole;
    std::swap(swapped[10], swapped[11]);
    if (swapped != whole) CHECK(outcome(swapped) == "link_damaged");
    CHECK(outcome(whole.substr(0, 12) + whole.substr(13)) == "link_damaged");
  }
}

TEST_CASE("what a chat program does to a link is undone") {
  const std::string data = encode_link_data(sample()), state = encode_link_state("{\"query\":3}");
  const std::string fragment = data + "&v=" + state, link = "https://example.org/rollscope/#" + fragment;
  const auto percent = [](const std::string& text, std::string_view which) {
    std::string out;
    for (const char c : text) {
      if (which.find(c) == which.npos) out += c;
      else out += formatted("%%%02X", static_cast<unsigned char>(c));
    }
    return out;
  };
  const std::string signs = "#&=.-_:/%?";
  for (const std::string& text :
       {link, fragment, "#" + fragment, percent(link, signs), percent(percent(link, signs), signs), percent(fragment, "&=.-_"), percent(percent(fragment, "&=.-_"), "%"),
        "https://safe.example/?url=" + percent(link, signs) + "&data=05%7C01&reserved=0", "<" + link + ">", "(" + link + ").", "  " + link + " \n",
        link.substr(0, 60) + "\r\n" + link.substr(60), link.substr(0, 60) + "%20" + link.substr(60), link.substr(0, 60) + "\xe2\x80\x8b" + link.substr(60), link + "&utm_source=mail", "https://example.org/#a=" + data.substr(1) + "&v=" + state}) {
    CAPTURE(text);
    const LinkFields fields = split_link(text);
    CHECK(outcome(fields.data) == "opens");
    CHECK(decode_link_state(fields.state).value_or("") == "{\"query\":3}");
  }
  CHECK_FALSE(split_link(link).repaired);
  CHECK(split_link(percent(link, signs)).repaired);
}

TEST_CASE("each way of being wrong has its own code") {
  const std::string good = encode_link_data(sample());
  CHECK(opened("#" + good) == "opens");
  CHECK(opened("#a2" + good.substr(2)) == "newer_version");
  CHECK(opened("#a1r" + good.substr(3)) == "newer_version");
  CHECK(opened("#a17d" + good.substr(3)) == "newer_version");
  CHECK(opened("#" + good.substr(0, good.size() / 2)) == "link_cut");
  CHECK(opened("#" + good.substr(0, good.size() / 2) + "%2") == "link_encoded");
  CHECK(opened("#" + good.substr(0, 20) + "xyz" + good.substr(20)) == "link_damaged");
  CHECK(split_link("https://example.org/#lang=fr").empty());
  CHECK(split_link("https://example.org/").empty());
  CHECK(split_link("").empty());
  const auto no_data = open("https://example.org/#about");
  CHECK(code(no_data) == "no_link");
  const auto cut = open("#" + good.substr(0, 40));
  CHECK(code(cut) == "link_cut");
  CHECK(text(cut).find("40 characters") != std::string::npos);
}

TEST_CASE("of a repeated field the first holds, and a broken view leaves the data alone") {
  const std::string data = encode_link_data(sample());
  const LinkFields fields = split_link("#" + data + "&v=1dbroken&a1dother&sha=0123abcd&src=https%3A%2F%2Fexample.org%2Fa%2520b.npz%3Fx%3D1%26y");
  CHECK(outcome(fields.data) == "opens");
  CHECK_FALSE(decode_link_state(fields.state));
  CHECK(fields.sha == "0123abcd");
  CHECK(fields.src == "https://example.org/a%20b.npz?x=1&y");
}

TEST_CASE("a link that unpacks to gigabytes, or claims them, is refused in little time and memory") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(outcome(forged(LinkBytes(60'000'000, 0))) != "opens");
  CHECK(outcome("a1d" + std::string(kLinkCharacters, 'A') + ".0000") == "too_big");
  LinkData wide = sample();  // 1024 x 1024 x 256 weights announced, none sent
  wide.weights.clear();
  // kind, flags, stream, steps, heads, keys (1024), row, error, rows of a grid, layers (256) ... as varints
  LinkBytes head{2, 2, 0, 0xff, 1, 0, 0x80, 8, 0, 0, 0, 0x80, 2};
  head.insert(head.end(), 256, 0);
  head.push_back(0);
  const auto check = crc32(0, head.data(), static_cast<uInt>(head.size()));
  for (int k = 0; k < 3; ++k) head.push_back(static_cast<std::uint8_t>(check >> (8 * k)));
  CHECK(outcome(forged(head)) == "too_big");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("bytes of any kind behind a good checksum end in a message or in rows that sum to 1") {
  std::mt19937 random(7);
  const std::string good = encode_link_data(sample());
  bool all = false;
  const LinkBytes body = link_inflate(from_base64url(good.substr(3, good.find('.') - 3), all), 1 << 20, all);
  REQUIRE(all);
  for (int round = 0; round < 4000; ++round) {
    LinkBytes bytes = body;
    if (round % 4 == 0) {
      bytes.resize(random() % 200);
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    } else {
      for (unsigned k = 0; k <= random() % 4; ++k) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
      if (round % 4 == 2) bytes.resize(random() % bytes.size());
    }
    const auto data = decode_link_data(forged(bytes));
    if (!data) continue;
    for (std::size_t at = 0; at < data->weights.size(); at += static_cast<std::size_t>(data->columns())) {
      double sum = 0;
      for (int j = 0; j < data->columns(); ++j) sum += data->weights[at + static_cast<std::size_t>(j)];
      CHECK((sum == 0 || std::abs(sum - 1) < 1e-9));
    }
    (void)open("#" + forged(bytes));
  }
}

TEST_CASE("text that was changed at random never crashes the reader") {
  std::mt19937 random(11);
  const std::string link = "https://example.org/#" + encode_link_data(sample()) + "&v=" + encode_link_state("{\"query\":3}") + "&src=https%3A%2F%2Fexample.org%2Fx.npz";
  const std::string_view signs = "#&=%.:/?25aA1dv \xe2\x80\x8b\xff";
  for (int round = 0; round < 20000; ++round) {
    std::string text = link;
    for (unsigned k = 0; k <= random() % 5; ++k) {
      const auto at = random() % text.size();
      const char c = signs[random() % signs.size()];
      switch (random() % 3) {
        case 0: text[at] = c; break;
        case 1: text.insert(at, 1, c); break;
        default: text.erase(at, 1 + random() % 3);
      }
    }
    const LinkFields fields = split_link(text);
    (void)decode_link_data(fields.data);
    (void)decode_link_state(fields.state);
  }
}
