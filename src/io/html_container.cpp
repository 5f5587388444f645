// Pages that hold BertViz's views, as a container: written by head_view or model_view, saved from a notebook or a
// notebook itself. The parameters of a view are JSON behind an assignment:
//
//   const params = {"attention": [...], "default_filter": ...};      since 2021
//   window.params = {"attention": {"all": {...}}, ...}                before
//   window.bertviz_params = {...}                                     neuron_view
//
// So the file is searched for "params = {", in windows, and what follows is read as JSON up to its end; the page is
// never parsed, and "</script>" inside a token is text like any other. In a notebook the page is itself a JSON string,
// in the srcdoc of a frame it is an attribute: the same search finds both, and a source undoes the escapes.
// Views: jessevig/bertviz, head_view.py and model_view.py.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/utf8.h"
#include "io/container.h"
#include "io/json_container.h"
#include "io/names.h"

namespace rollscope {
namespace {

constexpr std::size_t kWindow = 1 << 18;
constexpr std::size_t kLookBehind = 8, kLookAhead = 64;  // around the word that is searched for

enum class Escapes { none, json, html };

// What stands in a JSON string, or in an attribute in double quotes, from `offset` to its end, without the escapes.
// Read forwards; going back starts over. How long it is, only reading it tells: size() is the most it can be, and
// behind the end come zero bytes, which are no JSON.
class UnescapedSource final : public ByteSource {
 public:
  UnescapedSource(Source parent, std::uint64_t offset, Escapes escapes) : parent_(std::move(parent)), offset_(offset), escapes_(escapes) { restart(); }
  std::uint64_t size() const override { return parent_->size() - offset_; }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
    if (offset < at_) restart();
    while (at_ < offset) {
      if (auto done = next(); !done) return tl::unexpected(done.error());
      ++at_;
    }
    for (std::uint8_t& byte : out) {
      auto c = next();
      if (!c) return tl::unexpected(c.error());
      byte = *c;
      ++at_;
    }
    return {};
  }
 private:
  void restart() {
    at_ = 0;
    next_ = offset_;
    window_.clear();
    in_window_ = 0;
    pending_.clear();
    in_pending_ = 0;
    ended_ = false;
  }
  // The parent's next byte; nothing at its end.
  Result<int> raw() {
    if (in_window_ == window_.size()) {
      auto bytes = read_some(*parent_, next_, 1 << 16);
      if (!bytes) return tl::unexpected(bytes.error());
      if (bytes->empty()) return -1;
      window_ = std::move(*bytes);
      next_ += window_.size();
      in_window_ = 0;
    }
    return window_[in_window_++];
  }
  Result<std::uint8_t> next() {
    if (in_pending_ < pending_.size()) return static_cast<std::uint8_t>(pending_[in_pending_++]);
    if (ended_) return std::uint8_t{0};
    auto c = raw();
    if (!c) return tl::unexpected(c.error());
    if (*c < 0 || *c == '"') {
      ended_ = true;
      return std::uint8_t{0};
    }
    if (*c != (escapes_ == Escapes::json ? '\\' : '&')) return static_cast<std::uint8_t>(*c);
    pending_.clear();
    in_pending_ = 0;
    std::string name;  // "n", "u00e9"; "quot", "#34"
    const std::size_t most = escapes_ == Escapes::json ? 1 : 8;
    while (name.size() < most || (name[0] == 'u' && escapes_ == Escapes::json && name.size() < 5)) {
      auto more = raw();
      if (!more) return tl::unexpected(more.error());
      if (*more < 0) break;
      if (escapes_ == Escapes::html && *more == ';') break;
      name += static_cast<char>(*more);
    }
    if (escapes_ == Escapes::json) json_escape(name);
    else html_escape(name);
    return next();
  }
  void json_escape(const std::string& name) {
    if (name.size() == 5) {
      utf8_append(pending_, static_cast<char32_t>(std::strtoul(name.c_str() + 1, nullptr, 16)));  // half a pair cannot be met: BertViz writes ASCII
      return;
    }
    const char c = name.empty() ? ' ' : name[0];
    pending_ += c == 'n' || c == 'r' || c == 't' ? ' ' : c;
  }
  void html_escape(const std::string& name) {
    if (name == "quot" || name == "#34" || name == "#x22") pending_ += '"';
    else if (name == "amp" || name == "#38") pending_ += '&';
    else if (name == "lt") pending_ += '<';
    else if (name == "gt") pending_ += '>';
    else if (name == "#39" || name == "#x27" || name == "apos") pending_ += '\'';
    else pending_ += ' ';
  }

  Source parent_;
  std::uint64_t offset_;
  Escapes escapes_;
  std::uint64_t at_ = 0, next_ = 0;
  std::vector<std::uint8_t> window_;
  std::size_t in_window_ = 0;
  std::string pending_;
  std::size_t in_pending_ = 0;
  bool ended_ = false;
};

// Where the JSON of a view starts, and how it is escaped.
struct View {
  std::uint64_t offset = 0;
  Escapes escapes = Escapes::none;
};

// `text` starts with "params": the place of the brace that is assigned to it; 0: nothing is.
std::size_t assigned(std::string_view text) {
  std::size_t at = 6;
  const auto blank = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  };
  blank();
  if (at >= text.size() || text[at++] != '=') return 0;
  blank();
  return at < text.size() && text[at] == '{' ? at : 0;
}

// The first view at or behind `from`; its offset is the source's size if there is none.
Result<View> find_view(ByteSource& source, std::uint64_t from) {
  const std::uint64_t size = source.size();
  std::vector<std::uint8_t> window;
  for (std::uint64_t start = from; start < size;) {
    window.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, size - start)));
    if (auto done = source.read(start, window); !done) return tl::unexpected(done.error());
    const std::string_view text(reinterpret_cast<const char*>(window.data()), window.size());
    const bool last = start + window.size() == size;
    for (std::size_t at = text.find("params"); at != text.npos; at = text.find("params", at + 6)) {
      if (!last && at + kLookAhead > text.size()) break;
      const char before = at == 0 ? ' ' : text[at - 1];
      if ((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z')) continue;
      const std::size_t brace = assigned(text.substr(at, kLookAhead));
      if (brace == 0) continue;
      const std::string_view json = text.substr(at + brace + 1);
      const std::uint64_t offset = start + at + brace;
      if (json.starts_with("\"") || json.starts_with(" \"") || json.starts_with("\n")) return View{offset, Escapes::none};
      if (json.starts_with("\\\"")) return View{offset, Escapes::json};
      if (json.starts_with("&quot;") || json.starts_with("&#34;")) return View{offset, Escapes::html};
    }
    if (last) break;
    start += window.size() - kLookAhead - kLookBehind;
  }
  return View{size, Escapes::none};
}

std::string lowered_head(ByteSource& source, std::size_t count) {
  const auto bytes = read_some(source, 0, count);
  return bytes ? lower(std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size())) : std::string();
}

// What a page without a view is.
Error foreign_page(ByteSource& source, bool notebook) {
  if (notebook) return foreign_file("notebook");
  const std::string head = lowered_head(source, 1 << 16);
  const auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
  if (has("<svg") && !has("<html") && !has("<body")) return foreign_file("picture", "SVG");
  const auto start = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const std::string_view first = start == head.npos ? std::string_view() : std::string_view(head).substr(start);
  if (first.starts_with("<?xml") || first.starts_with("<error>")) {
    if (has("<error>") || has("<code>")) return foreign_file("error_page");
    return foreign_file("xml");
  }
  if (has("github.com") && has("<title>") && (has("octolytics") || has("github.githubassets.com") || has("data-turbo"))) return foreign_file("page_about_file");
  if (has("huggingface.co") && has("<title>") && (has("hugging face") || has("property=\"og:"))) return foreign_file("page_about_file");
  if (has("drive.google.com") || has("accounts.google.com") || has("kaggle.com") || has("dropbox.com")) return foreign_file("page_about_file");
  for (const char* word : {"<title>404", "<title>403", "<title>401", "<title>500", "<title>502", "<title>503", "not found</title>", "forbidden</title>", "access denied",
                           "bad gateway", "error response", "<title>error", "sign in", "log in</title>"})
    if (has(word)) return foreign_file("error_page");
  return foreign_file("html");
}

}  // namespace

Result<Container> read_html_container(const Source& source, std::uint64_t memory_limit) {
  constexpr int kMostTries = 256;  // a script may call anything params, but not without end
  const std::uint64_t size = source->size();
  std::optional<Container> out;
  std::optional<Error> error;
  std::vector<std::string> others;
  int tries = 0;
  for (std::uint64_t at = 0; at < size && tries < kMostTries;) {
    auto view = find_view(*source, at);
    if (!view) return tl::unexpected(view.error());
    if (view->offset >= size) break;
    auto head = read_some(*source, view->offset, 32);
    if (!head) return tl::unexpected(head.error());
    const bool attention = std::string(head->begin(), head->end()).find("attention") != std::string::npos;
    if (out) {  // the others are counted and not read
      at = view->offset + 1;
      if (attention) others.push_back("view " + std::to_string(others.size() + 2));
      continue;
    }
    ++tries;
    std::uint64_t end = 0;
    Result<JsonDocument> document;
    if (view->escapes == Escapes::none) {
      document = read_json_value(*source, view->offset, memory_limit, end);
    } else {
      UnescapedSource text(source, view->offset, view->escapes);
      document = read_json_value(text, 0, memory_limit, end);
      end += view->offset;  // at the earliest: escapes only make the text longer
    }
    at = std::max(end, view->offset + 1);
    if (!document) {
      if (document.error().code != ErrorCode::bad_json) return tl::unexpected(document.error());
      if (attention && !error) error = document.error();  // cut off in the middle; otherwise some script's own object
      continue;
    }
    switch (bertviz_view(document->root)) {
      case BertVizView::weights: out = json_container(*document, "bertviz-html"); break;
      case BertVizView::neuron:
        if (!error) error = foreign_file("neuron_view");
        break;
      case BertVizView::none: break;
    }
  }
  if (out) {
    if (!others.empty()) out->report.push_back(other_dumps(others, others.size() + 1));
    return std::move(*out);
  }
  if (error) return tl::unexpected(*error);
  const auto start = next_json_value(*source, 0);
  const auto first = read_some(*source, start.value_or(0), 1);
  return tl::unexpected(foreign_page(*source, first && !first->empty() && (*first)[0] == '{'));
}

}  // namespace rollscope
