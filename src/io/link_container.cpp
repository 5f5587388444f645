// A link as a dump: the weights it carries as one array with its tokens, so that every view works on what there is.
//
// A row and a rollout are results, not attention: they open as contributions of one layer, which nothing multiplies
// again. Of a row the other outputs are empty.
#include <algorithm>
#include <cstring>

#include "io/container.h"
#include "io/link.h"

namespace rollscope {
namespace {

constexpr std::uint64_t kFileLimit = 2 * kLinkCharacters;

StoredText list_of(std::string name, const std::vector<Token>& tokens) {
  StoredText out{std::move(name), {tokens.size()}, {}};
  for (const Token& t : tokens) out.texts.push_back(t.raw);
  return out;
}

void add_text(Container& out, std::string key, std::string text) {
  JsonValue v;
  v.kind = JsonValue::Kind::text;
  v.text = std::move(text);
  out.meta.emplace(std::move(key), std::move(v));
}

void add_numbers(Container& out, std::string key, const std::vector<Token>& tokens, int (*value)(const Token&)) {
  std::string list;
  for (const Token& t : tokens) list += (list.empty() ? "[" : ",") + std::to_string(value(t));
  out.add_meta_text(std::move(key), list + "]");
}

// [L][Q][K] of the real keys; the rest of a row is the virtual sink's.
std::vector<float> numbers_of(const LinkData& d) {
  const auto queries = static_cast<std::size_t>(d.queries), keys = static_cast<std::size_t>(d.keys), columns = static_cast<std::size_t>(d.columns());
  std::vector<float> out(static_cast<std::size_t>(d.matrices()) * queries * keys, 0.0f);
  std::size_t from = 0;
  for (int m = 0; m < d.matrices(); ++m)
    for (int i = 0; i < d.rows(); ++i, from += columns) {
      const std::size_t row = static_cast<std::size_t>(m) * queries + static_cast<std::size_t>(d.kind == LinkKind::row ? d.row : i);
      for (std::size_t j = 0; j < keys; ++j) out[row * keys + j] = static_cast<float>(d.weights[from + j]);
    }
  return out;
}

}  // namespace

Container link_container(const LinkData& d) {
  Container out;
  out.format = "link";
  const bool layers = d.kind == LinkKind::layers;
  const std::string side = !layers || d.stream == StreamKind::contributions ? "contributions"
                           : d.stream == StreamKind::encoder                ? "encoder_attentions"
                           : d.stream == StreamKind::decoder                ? "decoder_attentions"
                           : d.stream == StreamKind::cross                  ? "cross_attentions"
                                                                            : "attentions";
  StoredArray array;
  array.name = side;
  array.shape = {static_cast<std::uint64_t>(d.matrices()), static_cast<std::uint64_t>(d.queries), static_cast<std::uint64_t>(d.keys)};
  const auto numbers = numbers_of(d);
  array.elements = numbers.size();
  std::vector<std::uint8_t> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  array.bytes = std::make_shared<MemorySource>(std::move(bytes));
  out.arrays.push_back(std::move(array));

  add_text(out, "axes", "lqk");
  add_text(out, "values", "probs");
  if (d.sink) add_text(out, "sink", "dropped");
  if (!d.key_tokens.empty()) {
    const bool source = !d.square || d.stream == StreamKind::encoder;
    out.texts.push_back(list_of("tokens", d.square ? d.key_tokens : d.query_tokens));
    if (source) out.texts.push_back(list_of("source_tokens", d.key_tokens));
    if (d.square) {
      add_numbers(out, "special_mask", d.key_tokens, [](const Token& t) { return t.special ? 1 : 0; });
      const auto said = [&](auto member) { return std::all_of(d.key_tokens.begin(), d.key_tokens.end(), [&](const Token& t) { return t.*member >= 0; }); };
      if (said(&Token::segment)) add_numbers(out, "token_type_ids", d.key_tokens, [](const Token& t) { return t.segment; });
    }
  }
  if (d.grid.rows > 0) {
    out.add_meta_text("grid", "[" + std::to_string(d.grid.rows) + "," + std::to_string(d.grid.columns) + "]");
    out.add_meta_text("prefix_tokens", std::to_string(d.grid.prefix));
  }
  if (layers) {
    std::string numbers_list;
    for (const int n : d.layer_numbers) numbers_list += (numbers_list.empty() ? "[" : ",") + std::to_string(n);
    out.add_meta_text("layers", numbers_list + "]");
  }
  out.report.push_back(report_item(ReportCode::from_link, {}));
  if (!layers) out.add_meta_text("finished", "true");
  add_text(out, "link_recipe", d.recipe.empty() ? "{}" : d.recipe);
  return out;
}

Result<Container> read_link_container(const Source& source) {
  if (source->size() > kFileLimit) return fail(ErrorCode::too_big, {{"needed", human_bytes(static_cast<double>(source->size()))}, {"limit", human_bytes(kFileLimit)}, {"detail", "a link"}});
  auto bytes = read_some(*source, 0, source->size());
  if (!bytes) return tl::unexpected(bytes.error());
  const LinkFields fields = split_link({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (fields.data.empty()) return fail(ErrorCode::no_link);
  auto data = decode_link_data(fields.data);
  if (!data) return tl::unexpected(std::move(data.error()));
  return link_container(*data);
}

}  // namespace rollscope
