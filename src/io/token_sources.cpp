#include "io/token_sources.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dump/tokens.h"
#include "io/names.h"

namespace rollscope {
namespace {

Result<std::vector<TextList>> lists(const TokenContext& c, Names names) { return find_texts(*c.container, names, c.item); }

void append(std::vector<TextList>& out, std::vector<TextList> more) { std::move(more.begin(), more.end(), std::back_inserter(out)); }

std::vector<std::string> select(const std::vector<std::string>& all, const std::vector<int>& kept) {
  if (kept.empty()) return all;
  std::vector<std::string> out;
  for (const int i : kept) out.push_back(all[static_cast<std::size_t>(i)]);
  return out;
}

bool is_image_placeholder(const std::string& piece) {
  const std::string p = lower(piece);
  return p.find("image") != p.npos && is_special_piece(piece);
}

// The special tokens that a tokenizer adds by itself, guessed from the spelling of the others.
std::vector<std::string> with_specials(const std::vector<std::string>& pieces, std::size_t missing) {
  const TokenFamily family = token_family(pieces);
  const bool bert = family == TokenFamily::plain || family == TokenFamily::word_piece;
  std::vector<std::string> out = pieces;
  const bool begins = !pieces.empty() && is_special_piece(pieces.front());
  const bool at_front = missing == 2 || !begins;
  if (at_front) out.insert(out.begin(), bert ? "[CLS]" : "<s>");
  if (missing == 2 || !at_front) out.push_back(bert ? "[SEP]" : "</s>");
  return out;
}

std::vector<std::string> without_padding(std::vector<std::string> pieces) {
  std::erase_if(pieces, is_padding_piece);
  return pieces;
}

// Without the special tokens at one or both ends, as far as that leaves `wanted`.
std::vector<std::string> without_specials(std::vector<std::string> pieces, std::size_t wanted) {
  if (pieces.size() > wanted && pieces.size() - wanted <= 2) {
    if (is_special_piece(pieces.front())) pieces.erase(pieces.begin());
    if (pieces.size() > wanted && is_special_piece(pieces.back())) pieces.pop_back();
  }
  return pieces;
}

// Whole-axis hints: special_mask, word_ids, token_type_ids. Only those that fit exactly are believed.
Result<TokenHints> hints_of(const TokenContext& c, const std::vector<int>& kept, std::size_t total, std::size_t count) {
  TokenHints out;
  const auto row = [&](Names names) -> Result<std::vector<double>> {
    auto list = find_numbers(*c.container, names);
    if (!list) return tl::unexpected(list.error());
    std::vector<double> none;
    if (!*list) return none;
    auto values = numbers_of_item(**list, c.item);
    if (!values || (values->size() != total && values->size() != count)) return none;
    if (values->size() == count) return *values;
    std::vector<double> some;
    for (const int i : kept) some.push_back((*values)[static_cast<std::size_t>(i)]);
    return some;
  };
  auto special = row({"special_mask", "special_tokens_mask"});
  if (!special) return tl::unexpected(special.error());
  for (const double x : *special) out.special.push_back(x != 0);
  auto words = row({"word_ids"});
  if (!words) return tl::unexpected(words.error());
  for (const double x : *words) out.word_ids.push_back(x >= 0 && x < 1e9 ? static_cast<int>(x) : -1);
  auto segments = row({"token_type_ids", "segment_ids"});
  if (!segments) return tl::unexpected(segments.error());
  for (const double x : *segments) out.segments.push_back(x >= 0 && x < 1e9 ? static_cast<int>(x) : -1);
  return out;
}

}  // namespace

bool is_padding_piece(const std::string& piece) {
  const std::string p = lower(piece);
  return p == "[pad]" || p == "<pad>" || p == "<|pad|>" || p == "<|endofpad|>" || p == "<blank>";
}

Result<std::vector<TextList>> token_lists(const TokenContext& c, TokenSide side) {
  std::vector<TextList> out;
  const auto add = [&](Names names) -> Result<void> {
    auto more = lists(c, names);
    if (!more) return tl::unexpected(more.error());
    append(out, std::move(*more));
    return {};
  };
  Result<void> done;
  const auto generic = [&]() -> Result<void> {
    return add({"tokens", "token_strings", "input_tokens", "str_tokens", "text_tokens", "tokens_text", "toks", "token", "query_tokens",
                "row_tokens", "left_text", "wordpieces", "pieces", "words", "labels", "token_labels", "key_tokens", "right_text",
                "sequences", "token_ids", "input_ids", "ids"});
  };
  switch (side) {
    case TokenSide::encoder:
    case TokenSide::cross_keys:
      if (side == TokenSide::cross_keys)
        done = add({"cross_key_tokens", "cross_attentions_key_tokens", "key_tokens", "column_tokens", "col_tokens", "memory_tokens"});
      if (done)
        done = add({"source_tokens", "encoder_tokens", "src_tokens", "encoder_input_tokens", "encoder_query_tokens",
                    "encoder_token_strings", "input_tokens", "encoder_words", "encoder_input_ids", "source_ids", "src_ids"});
      // input_ids are the source of an encoder-decoder model; elsewhere they are everything.
      if (done && side == TokenSide::cross_keys) done = add({"right_text", "input_ids"});
      if (done && side == TokenSide::encoder) done = c.only_stream ? generic() : add({"input_ids"});
      break;
    case TokenSide::decoder:
    case TokenSide::cross_queries:
      if (side == TokenSide::cross_queries) done = add({"cross_query_tokens", "query_tokens", "row_tokens"});
      if (done)
        done = add({"decoder_tokens", "target_tokens", "tgt_tokens", "decoder_input_tokens", "decoder_query_tokens",
                    "decoder_words", "tokens", "token_strings", "str_tokens", "left_text", "words", "decoder_input_ids", "target_ids", "tgt_ids", "sequences"});
      if (done && c.only_stream) done = generic();
      break;
    case TokenSide::self: done = generic(); break;
  }
  if (!done) return tl::unexpected(done.error());
  return out;
}

Result<FittedTokens> fit_tokens(const TokenContext& c, TokenSide side, int total, const std::vector<int>& kept, bool causal,
                                const std::string& stream, Report& report) {
  const auto all = static_cast<std::size_t>(total);
  const std::size_t n = kept.empty() ? all : kept.size();
  FittedTokens out;
  out.tokens = position_tokens(static_cast<int>(n));
  auto found = token_lists(c, side);
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) {  // a list of texts under any name, if it fits
    for (const auto& t : c.container->texts)
      if (t.texts.size() == all && !name_words(t.name).empty() && t.name.find("output") == std::string::npos) found->push_back({t.name, t.texts});
  }
  std::erase_if(*found, [&](const TextList& t) { return t.loose && t.texts.size() != all && t.texts.size() != n; });
  if (c.assumed == "ignore" || found->empty()) return out;
  // Words before ids; of each the list whose length fits, then one that is longer by the token that was never a query.
  const TextList* list = nullptr;
  for (const bool ids : {false, true})
    for (const std::size_t more : {std::size_t{0}, std::size_t{1}})
      for (const auto& candidate : *found) {
        const std::size_t size = candidate.texts.size();
        if (list || candidate.ids != ids || (more == 1 && !causal)) continue;
        if (size == n + more || size == all + more) list = &candidate;
      }
  if (!list) list = &found->front();
  std::vector<std::string> pieces = list->texts;
  while (pieces.size() > n && pieces.back().empty()) pieces.pop_back();  // shorter than others of its batch
  if (pieces.empty()) return out;
  const std::size_t given = pieces.size();

  const auto say = [&](const char* kind, std::string detail, std::string assumption, bool harmless = false) {
    ReportItem item = report_item(ReportCode::token_count,
                                  {{"tokens", std::to_string(given)}, {"positions", std::to_string(n)}, {"kind", kind}, {"detail", std::move(detail)},
                                   {"missing", std::to_string(n > given ? n - given : 0)}},
                                  stream, std::move(assumption));
    if (harmless) item.severity = Severity::note;
    report.push_back(std::move(item));
  };
  std::size_t numbered_from = n;  // positions from here on have no token
  if (given == all) {
    pieces = select(pieces, kept);
  } else if (given == n) {
    // already without padding
  } else if (causal && (given == all + 1 || given == n + 1)) {
    out.beyond = make_tokens(pieces).back().label;
    pieces.pop_back();
    if (pieces.size() == all) pieces = select(pieces, kept);
    say("next", "The last one was never a query: it is what the last row predicts.", "tokens=ignore", true);
  } else if (const auto bare = without_padding(pieces); given > n && bare.size() == n) {
    pieces = bare;
    say("padding", "The rest are padding.", "tokens=ignore", true);
  } else if (const auto inner = without_specials(pieces, n); given > n && inner.size() == n) {
    pieces = inner;
    say("dropped", "The special tokens at the ends were left out, as the attention has no place for them.", "tokens=ignore");
  } else if (causal && c.grown && given > all) {
    out.beyond = make_tokens(pieces)[all].label;
    pieces.resize(all);
    pieces = select(pieces, kept);
    say("next", "The next one is what the last row predicts.", "tokens=ignore", true);
  } else if (given < n) {
    const std::size_t missing = n - given;
    const auto images = static_cast<std::size_t>(std::count_if(pieces.begin(), pieces.end(), is_image_placeholder));
    if (images > 0 && missing % images == 0) {  // placeholders that the model replaced by their patches
      std::vector<std::string> grown;
      for (const std::string& piece : pieces) grown.insert(grown.end(), is_image_placeholder(piece) ? missing / images + 1 : 1, piece);
      pieces = std::move(grown);
      report.push_back(report_item(ReportCode::image_tokens, {{"count", std::to_string(missing + images)}}, stream));
    } else if (missing <= 2 && c.assumed == "add_specials") {
      pieces = with_specials(pieces, missing);
    } else {
      numbered_from = given;
      const std::string last = missing == 1 ? "The last position is numbered." : "The last " + std::to_string(missing) + " positions are numbered.";
      if (missing <= 2) say("specials", last + " Special tokens such as [CLS] may have been left out.", "tokens=add_specials");
      else say("rest", last, "tokens=ignore");
      pieces.resize(n);
    }
  } else {
    say("none", "No list of this length names these positions, so they are numbered.", "");
    return out;
  }
  if (numbered_from < n) pieces.resize(numbered_from);
  auto hints = hints_of(c, kept, all, n);
  if (!hints) return tl::unexpected(hints.error());
  std::vector<Token> named = make_tokens(pieces, *hints);
  std::move(named.begin(), named.end(), out.tokens.begin());
  for (std::size_t i = numbered_from; i < n; ++i) out.tokens[i].word = -1;
  out.named = true;
  return out;
}

Result<std::vector<std::string>> predictions_of(const TokenContext& c, TokenSide side, int total, const std::vector<int>& kept,
                                                bool teacher_forced, const FittedTokens& queries) {
  std::vector<std::string> out;
  if (side == TokenSide::encoder || side == TokenSide::cross_keys) return out;
  auto found = lists(c, {"output_tokens", "decoder_output_tokens", "predicted_tokens", "next_tokens"});
  if (!found) return tl::unexpected(found.error());
  const std::size_t n = queries.tokens.size();
  for (const auto& list : *found) {
    if (list.texts.size() != static_cast<std::size_t>(total) && list.texts.size() != n) continue;
    const auto pieces = list.texts.size() == n ? list.texts : select(list.texts, kept);
    for (const Token& t : make_tokens(pieces)) out.push_back(t.label);
    return out;
  }
  if (!teacher_forced || !queries.named) return out;
  for (std::size_t i = 1; i < n; ++i) out.push_back(queries.tokens[i].label);
  out.push_back(queries.beyond);
  return out;
}

}  // namespace rollscope
