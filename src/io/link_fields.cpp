// From an address, as people and chat programs hand it on, to the fields of a link.
#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "io/link.h"

namespace rollscope {
namespace {

constexpr int kRounds = 4;  // of percent-encoding that are undone
constexpr std::size_t kMostText = 2 * kLinkCharacters;

int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

// Once. What is no escape stays.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// White space, and what chat programs put into long words so that they can break: soft hyphens, zero width spaces.
bool is_invisible(char32_t c) { return c <= 0x20 || c == 0x7f || c == 0xa0 || c == 0xad || (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2060 || c == 0xfeff; }

std::string without_invisible(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_decode(text, at);
    if (!c.valid || !is_invisible(c.code)) out.append(text.substr(at, c.bytes));
    at += c.bytes;
  }
  return out;
}

bool is_data(std::string_view field) { return field.size() >= 2 && field[0] == 'a' && field[1] >= '0' && field[1] <= '9'; }

// Where the fields start: behind "#"; in an address inside an address "#" is an escape.
std::optional<std::string> fragment_of(std::string text, bool& repaired) {
  for (int round = 0; round <= kRounds; ++round) {
    if (const auto hash = text.find('#'); hash != text.npos) return text.substr(hash + 1);
    if (round == 0 && (is_data(text) || text.starts_with("a=") || text.starts_with("v=") || text.starts_with("src="))) return text;
    std::string decoded = percent_decoded(text);
    if (decoded == text) break;
    text = std::move(decoded);
    repaired = true;
  }
  return std::nullopt;
}

void take(std::string& field, std::string_view value) {
  if (field.empty()) field = std::string(value);
}

// `rounds` of decoding are left. A field of data may hold more fields once its "%26" is a "&".
void read_fields(std::string_view fragment, int rounds, LinkFields& out) {
  while (!fragment.empty()) {
    const auto end = std::min(fragment.find('&'), fragment.size());
    const std::string_view field = fragment.substr(0, end);
    fragment.remove_prefix(std::min(end + 1, fragment.size()));
    const bool source = field.starts_with("src=");
    if (source) {
      take(out.src, percent_decoded(field.substr(4)));
      continue;
    }
    if (field.find('%') != field.npos && rounds > 0) {
      if (const std::string decoded = without_invisible(percent_decoded(field)); decoded != field) {  // "%20" in it was a break of a line
        out.repaired = true;
        read_fields(decoded, rounds - 1, out);
        continue;
      }
    }
    if (is_data(field)) take(out.data, field);
    else if (field.starts_with("a=")) take(out.data, std::string("a").append(field.substr(2)));
    else if (field.starts_with("v=")) take(out.state, field.substr(2));
    else if (field.starts_with("sha=")) take(out.sha, field.substr(4));
  }
}

// A field ends in a letter or a digit: what a sentence or a bracket put behind it is no part of it.
void trim_end(std::string& field, bool& repaired) {
  while (!field.empty() && std::string_view(".,;:!?)]>}\"'*").find(field.back()) != std::string_view::npos) {
    field.pop_back();
    repaired = true;
  }
}

}  // namespace

LinkFields split_link(std::string_view text) {
  LinkFields out;
  if (text.size() > kMostText) text = text.substr(0, kMostText);
  const std::string visible = without_invisible(text);
  if (visible.size() != text.size()) out.repaired = true;
  auto fragment = fragment_of(visible, out.repaired);
  if (!fragment) return out;
  read_fields(*fragment, kRounds, out);
  for (std::string* field : {&out.data, &out.state, &out.sha}) trim_end(*field, out.repaired);
  return out;
}

bool looks_like_link(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos) return false;
  text.remove_prefix(start);
  if (text[0] == '#') text.remove_prefix(1);
  else if (text.starts_with("http://") || text.starts_with("https://")) return text.find("#a") != text.npos || text.find("%23a") != text.npos;
  return text.size() > 3 && is_data(text) && text.find_first_of(",;\t") == text.npos;
}

}  // namespace rollscope
