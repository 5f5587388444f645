#include "io/importer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "dump/tokens.h"
#include "io/assume.h"
#include "io/choose.h"
#include "io/extras.h"
#include "io/padding.h"
#include "io/readers.h"
#include "io/records.h"
#include "io/sniff.h"
#include "io/token_sources.h"
#include "io/value_norms.h"

namespace rollscope {
namespace {

std::string short_number(double x) { return formatted("%.3g", x); }

std::string joined(const std::vector<std::string>& names, std::size_t most = 12) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == most) return out + ", \u2026";
    out += (i ? ", " : "") + printable(names[i]);
  }
  return out;
}

Result<Container> read_container(const Source& source, const std::string& name, const ImportOptions& options) {
  auto head = read_some(*source, 0, kSniffBytes);
  if (!head) return tl::unexpected(head.error());
  if (head->empty()) return fail(ErrorCode::empty, {{"detail", "it has 0 bytes"}});
  const Sniffed kind = sniff(*head, source->size(), name);
  if (kind.kind != FileKind::foreign) return read_kind(kind.kind, source, options);
  return tl::unexpected(kind.error);
}

// What was read of the file, for a refusal that one wants to look behind.
std::string describe_contents(const Container& container) {
  constexpr std::size_t kMost = 40;
  std::string out = container.arrays.empty() && container.texts.empty() ? "" : describe_arrays(container, kMost);
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (std::size_t i = 0; i < std::min(kMost, container.nulls.size()); ++i) add(printable(container.nulls[i]) + " None");
  for (std::size_t i = 0; i < std::min(kMost, container.refused.size()); ++i) add(printable(container.refused[i].name) + " (not read)");
  return container.format + (out.empty() ? "" : ": " + out);
}

// One import: from a container to a dump.
class Importer {
 public:
  Importer(const ImportOptions& options, Assumptions assumed, Container container)
      : options_(options), assumed_(std::move(assumed)), container_(std::move(container)) {}

  Result<Dump> run() {
    dump_.info.format = container_.format;
    dump_.info.assumed.insert(options_.assume.begin(), options_.assume.end());
    if (auto done = add_beside(container_, options_.beside); !done) return tl::unexpected(done.error());
    auto records = select_record(container_, options_.item);
    if (!records) return tl::unexpected(records.error());
    records_ = *records;
    dump_.info.report = container_.report;
    auto request = axes_request();
    if (!request) return tl::unexpected(request.error());
    auto choice = choose_streams(container_, *request);
    if (!choice) return tl::unexpected(choice.error());
    for (Candidate& c : choice->streams)
      if (auto done = settle_sides(c); !done) return tl::unexpected(done.error());
    name_streams(choice->streams);
    for (Candidate& c : choice->streams)
      if (auto done = add_stream(c, choice->streams.size() == 1); !done) return tl::unexpected(done.error());
    if (auto done = add_rest(*choice); !done) return tl::unexpected(done.error());
    return std::move(dump_);
  }

 private:
  struct Named {
    std::string name;
    StreamKind kind;
  };

  Result<AxesRequest> axes_request() {
    AxesRequest out;
    out.assumed = assumed_.axes;
    out.stated = meta_text(container_, "axes").value_or("");
    out.layout_assumed = !assumed_.layout.empty();
    out.heads_first = assumed_.layout == "heads";
    out.item = item();
    auto beams = find_numbers(container_, {"beam_indices"});
    if (!beams) return tl::unexpected(beams.error());
    if (*beams && (*beams)->shape.size() == 2)
      if (const auto row = numbers_of_item(**beams, out.item)) {
        out.beam_items = (*beams)->shape[0];
        for (const double x : *row) out.beams.push_back(x >= 0 && x < 1e6 ? static_cast<int>(x) : -1);
      }
    auto mask = find_numbers(container_, {"attention_mask", "mask", "input_ids", "key_padding_mask"});
    if (!mask) return tl::unexpected(mask.error());
    if (*mask && (*mask)->shape.size() == 2) out.mask_items = (*mask)->shape[0];
    return out;
  }

  // The item of a batch inside an array; records of their own were told apart before.
  [[nodiscard]] int item() const { return records_ > 0 ? 0 : options_.item; }

  // Makes a matrix square that is meant to be: columns that nobody reads beyond the last row (a static cache), columns
  // that start late (key_offset). What stays unsquare reads something else than itself: a cross stream.
  Result<void> settle_sides(Candidate& c) {
    StackPlan& plan = c.placed.plan;
    if (plan.heads == 0 && c.sample.below_zero && c.sample.rows_are_one() && c.group.stream.empty()) c.group.stream = "contributions";
    if (c.group.stream == "cross" || plan.queries == plan.keys || assumed_.orientation == "columns") return {};
    const auto used = std::find(c.sample.column_used.rbegin(), c.sample.column_used.rend(), true);
    const int last = static_cast<int>(c.sample.column_used.rend() - used);  // one past the last column that is read
    if (plan.keys > plan.queries && plan.queries > 1 && last > 0 && last <= plan.queries && c.sample.rows > 0) {
      dump_.info.report.push_back(report_item(ReportCode::padding, {{"count", std::to_string(plan.keys - plan.queries)}, {"kept", std::to_string(plan.queries)}}));
      c.file_keys = plan.keys;
      plan.keys = plan.queries;
    } else if (const auto offset = meta_integer(container_, "key_offset"); offset && *offset > 0 && plan.keys + *offset == plan.queries) {
      for (LayerPlace& layer : plan.layers) {
        if (!layer.pieces.empty() || !layer.heads.empty()) return {};
        RowPiece piece{layer, 0, plan.queries, static_cast<int>(*offset), plan.keys};
        layer.pieces.push_back(std::move(piece));
      }
      plan.keys = plan.queries;
      offset_ = true;
    } else if (looks_banded(c)) {
      return fail(ErrorCode::windowed, {{"detail", printable(c.group.name) + " has " + std::to_string(plan.keys) + " places for " + std::to_string(plan.queries) + " tokens"}});
    } else {
      c.group.stream = "cross";
      unsquare_ = true;
      return {};
    }
    auto again = take_sample(plan, c.placed.dtype);
    if (!again) return tl::unexpected(again.error());
    c.sample = std::move(*again);
    return {};
  }

  // Longformer: column j of row i is not token j but a neighbour, or one of a few global tokens; the first rows have no
  // left neighbours.
  [[nodiscard]] bool looks_banded(const Candidate& c) const {
    const StackPlan& plan = c.placed.plan;
    const bool global = std::any_of(container_.arrays.begin(), container_.arrays.end(), [](const StoredArray& a) { return normal_name(a.name).find("global_attention") != std::string::npos; }) ||
                        std::any_of(container_.nulls.begin(), container_.nulls.end(), [](const std::string& n) { return normal_name(n).find("global_attention") != std::string::npos; });
    if (c.group.role == NameRole::attention && global) return true;
    return c.sample.band > 0 && plan.keys < plan.queries;
  }

  static StreamKind kind_of(std::string_view stream) {
    if (stream == "contributions") return StreamKind::contributions;
    return stream == "encoder" ? StreamKind::encoder : stream == "decoder" ? StreamKind::decoder : stream == "cross" ? StreamKind::cross : StreamKind::self;
  }

  // Names and order of the streams: self, encoder, decoder, cross; a second stack of one kind keeps the file's name.
  void name_streams(std::vector<Candidate>& streams) {
    const bool two_sided = std::any_of(streams.begin(), streams.end(), [](const Candidate& c) { return c.group.stream == "decoder" || c.group.stream == "cross"; });
    for (Candidate& c : streams) {
      // encoder.layer.0.attention is how an encoder-only model calls its modules.
      if (c.group.stream == "encoder" && c.group.path_like && !two_sided) c.group.stream.clear();
      if (c.group.stream == "decoder" && c.group.path_like && streams.size() == 1) c.group.stream.clear();
      if (c.group.stream.empty() && streams.size() == 1)
        if (const auto kind = meta_text(container_, "attention_kind"); kind && *kind != "self" && kind_of(*kind) != StreamKind::self) c.group.stream = *kind;
    }
    std::stable_sort(streams.begin(), streams.end(), [](const Candidate& a, const Candidate& b) { return kind_of(a.group.stream) < kind_of(b.group.stream); });
    for (const Candidate& c : streams) {
      const StreamKind kind = kind_of(c.group.stream);
      std::string name(stream_kind_name(kind));
      for (int n = 0; std::any_of(named_.begin(), named_.end(), [&](const Named& o) { return o.name == name; }); ++n)
        name = own_name(c) + (n ? " " + std::to_string(n + 1) : "");
      named_.push_back({name, kind});
    }
  }

  // "vision" of "vision_model_output.attentions.0": the words that say more than that it is attention.
  static std::string own_name(const Candidate& c) {
    std::string out;
    for (const std::string& word : name_words(c.group.name)) {
      const bool common = word == "model" || word == "output" || word == "outputs" || word == "out" || name_meaning(word).role == NameRole::attention ||
                          word.find_first_not_of("0123456789") == std::string::npos;
      if (!common) out += (out.empty() ? "" : "_") + word;
    }
    if (out.empty() && !c.group.name.empty()) out = c.group.name;
    return out.empty() ? "stream" : printable(out);
  }

  Result<void> add_stream(Candidate& c, bool only) {
    const Named& named = named_[dump_.info.streams.size()];
    Report& report = dump_.info.report;
    for (ReportItem& item : c.placed.report) {
      item.where = named.name;
      report.push_back(std::move(item));
    }
    StackPlan& plan = c.placed.plan;
    if (assumed_.orientation == "columns") {
      exchange(plan);
      auto again = take_sample(plan, c.placed.dtype);
      if (!again) return tl::unexpected(again.error());
      c.sample = std::move(*again);
      report.push_back(report_item(ReportCode::orientation_assumed, {}, named.name, "orientation=rows"));
    }
    if (plan.keys == 1 && plan.queries == 1 && c.sample.columns_are_one()) {
      // one token reading itself: nothing to judge
    } else {
      judge_numbers(c, named.name);
    }

    Stream s;
    s.name = named.name;
    s.kind = named.kind;
    s.layer_numbers = layer_numbers(c, named.name);
    s.heads = plan.heads;
    s.batch = records_ > 0 ? records_ : c.placed.batch;
    s.item = options_.item;
    s.dtype = c.placed.dtype;
    s.precision = c.sample.precision;
    s.causal = c.sample.causal && c.sample.rows > 0;

    const TokenContext context{&container_, item(), assumed_.tokens, only, c.group.stepped()};
    const int all_queries = plan.queries, all_keys = plan.keys;
    const int file_keys = c.file_keys > 0 ? c.file_keys : plan.keys;
    if (auto done = crop_padding(c, named, context); !done) return done;
    if (auto done = add_tokens(s, c, named, context, all_queries, all_keys); !done) return done;
    s.queries = plan.out_rows();
    s.keys = plan.out_columns();
    s.virtual_sink = plan.sink;
    auto norms = value_norms(container_, named.kind, context.only_stream, all_keys, plan.columns);
    if (!norms) return tl::unexpected(norms.error());
    s.value_norms = std::move(*norms);
    dump_.info.streams.push_back(std::move(s));
    placed_.push_back({plan, c.placed.axes, all_queries, file_keys});
    dump_.stacks.push_back(make_stored_stack(std::move(plan)));
    return {};
  }

  static void exchange(StackPlan& plan) {
    std::swap(plan.queries, plan.keys);
    for (LayerPlace& l : plan.layers) {
      std::swap(l.query, l.key);
      for (LayerPlace& h : l.heads) std::swap(h.query, h.key);
    }
  }

  // Weights, or scores; rows, or columns; full sums, or a sink left out.
  void judge_numbers(Candidate& c, const std::string& stream) {
    Report& report = dump_.info.report;
    const Sample& s = c.sample;
    StackPlan& plan = c.placed.plan;
    const std::string stated = meta_text(container_, "values").value_or("");
    const bool stated_scores = stated == "logits" || stated == "log_probs";
    if (!stated.empty() && !stated_scores && stated != "probs")
      report.push_back(report_item(ReportCode::unknown_assumption, {{"key", "values"}, {"value", printable(stated)}}, stream));
    if (assumed_.values == "logits" || (stated_scores && assumed_.values != "probs")) {
      plan.softmax = true;
      report.push_back(report_item(ReportCode::softmax_applied, {}, stream, "values=probs"));
      return;
    }
    const bool known = assumed_.values == "probs" || stated == "probs" || c.group.stream == "contributions";
    if (!s.rows_are_one() && s.columns_are_one() && assumed_.orientation.empty()) {
      report.push_back(report_item(ReportCode::transposed, {}, stream, "orientation=columns"));
    } else if (!known && !s.rows_are_one() && !s.columns_are_one() && s.rows > 0 && !s.could_be_weights()) {
      report.push_back(report_item(ReportCode::logits, {{"low", short_number(s.low)}, {"high", short_number(s.high)}}, stream, "values=logits"));
    }
    const bool dropped = meta_text(container_, "sink").value_or("") == "dropped";
    plan.sink = assumed_.sums == "sink" || (dropped && assumed_.sums != "renormalise");
    if (plan.sink)
      report.push_back(report_item(ReportCode::sink_dropped, {{"mean", short_number(std::max(0.0, 1 - s.sum_mean))}}, stream, "sums=renormalise"));
  }

  std::vector<int> layer_numbers(const Candidate& c, const std::string& stream) {
    Report& report = dump_.info.report;
    std::vector<int> numbers = c.placed.layer_numbers;
    const auto it = container_.meta.find("layers");
    if (it != container_.meta.end() || !c.group.numbered()) {
      const auto list = find_numbers(container_, {"layers", "layer_numbers", "layer_ids", "include_layers"});
      if (list && *list && (*list)->shape.size() == 1) {
        std::vector<int> stated;
        for (const double x : (*list)->values)
          if (x >= 0 && x < 1e6 && x == std::floor(x) && (stated.empty() || static_cast<int>(x) > stated.back())) stated.push_back(static_cast<int>(x));
        if (stated.size() == (*list)->values.size() && stated.size() == numbers.size()) numbers = stated;
        else if (named_.size() == 1)
          report.push_back(report_item(ReportCode::unknown_assumption, {{"key", "layers"}, {"value", std::to_string((*list)->values.size()) + " numbers for " + std::to_string(numbers.size()) + " layers"}}, stream));
      }
    }
    // layer_1 .. layer_12: people count so; modules (blocks.1) do not.
    if (c.group.numbered() && numbers.size() > 1 && numbers[0] == 1 && numbers.back() == static_cast<int>(numbers.size()) && counts_from_one(c.group.name) &&
        it == container_.meta.end() && container_.nulls.empty()) {
      for (int& n : numbers) --n;
      report.push_back(report_item(ReportCode::layers_from_one, {{"name", printable(c.group.first().name)}}, stream));
    }
    bool gaps = c.group.incomplete || (!c.group.first().present.empty() && !c.group.numbered());
    for (std::size_t i = 0; i < numbers.size(); ++i) gaps = gaps || numbers[i] != static_cast<int>(i);
    const NameMeaning own = name_meaning(c.group.name);
    for (const auto& null : container_.nulls) {  // {"attentions": [A0, None]} names its last layers only there
      const NameMeaning m = name_meaning(null);
      gaps = gaps || (c.group.numbered() && m.layer >= 0 && m.group == own.group);
    }
    if (gaps) {
      std::string text;
      for (const int n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
      report.push_back(report_item(ReportCode::layers_missing, {{"layers", text}}, stream));
    }
    return numbers;
  }

  // A number alone (a dict's key) or after a letter or "_", not a module's index.
  static bool counts_from_one(const std::string& name) {
    const auto digit = name.find_first_of("0123456789");
    return digit == 0 || (digit != name.npos && name[digit - 1] != '.' && name[digit - 1] != '/' && name[digit - 1] != '[');
  }

  Result<void> crop_padding(Candidate& c, const Named& named, const TokenContext& context) {
    StackPlan& plan = c.placed.plan;
    const int queries = plan.queries, keys = plan.keys, item = this->item();
    Result<std::vector<int>> rows, columns;
    switch (named.kind) {
      case StreamKind::cross:
        rows = kept_by_mask(container_, {"decoder_attention_mask", "target_mask", "tgt_mask"}, queries, item);
        columns = kept_by_mask(container_, {"encoder_attention_mask", "source_mask", "src_mask", "cross_attention_mask", "attention_mask", "src_key_padding_mask"}, keys, item);
        break;
      case StreamKind::encoder:
        columns = kept_by_mask(container_, {"encoder_attention_mask", "source_mask", "src_mask", "attention_mask", "mask", "src_key_padding_mask", "key_padding_mask"}, keys, item);
        break;
      case StreamKind::decoder:
        columns = context.only_stream
                      ? kept_by_mask(container_, {"decoder_attention_mask", "target_mask", "attention_mask", "mask"}, keys, item, c.group.stepped())
                      : kept_by_mask(container_, {"decoder_attention_mask", "target_mask", "tgt_mask", "tgt_key_padding_mask"}, keys, item);
        break;
      default:
        columns = kept_by_mask(container_, {"attention_mask", "mask", "key_padding_mask", "padding_mask", "pad_mask", "input_mask", "valid_mask"}, keys, item, c.group.stepped());
    }
    if (!rows) return tl::unexpected(rows.error());
    if (!columns) return tl::unexpected(columns.error());
    if (columns->empty()) {
      const TokenSide side = named.kind == StreamKind::cross ? TokenSide::cross_keys : side_of(named.kind);
      columns = kept_by_sample(context, side, keys, c.sample);
      if (!columns) return tl::unexpected(columns.error());
      if (columns->empty() && named.kind != StreamKind::cross && queries == keys && !offset_) columns = kept_by_numbers(plan, c.sample);
    }
    if (columns->empty() && (named.kind == StreamKind::self || context.only_stream))
      if (auto done = say_of_mask(keys, named.name); !done) return done;
    const bool square = named.kind != StreamKind::cross && queries == keys;
    if (square) rows = columns;
    const std::size_t lost = (columns->empty() ? 0 : static_cast<std::size_t>(keys) - columns->size()) +
                             (square || rows->empty() ? 0 : static_cast<std::size_t>(queries) - rows->size());
    if (lost > 0)
      dump_.info.report.push_back(report_item(ReportCode::padding, {{"count", std::to_string(lost)}, {"kept", std::to_string(columns->empty() ? static_cast<std::size_t>(keys) : columns->size())}}, named.name));
    plan.rows = std::move(*rows);
    plan.columns = std::move(*columns);
    return {};
  }

  // A mask that was left aside: it has another length, or keeps nothing.
  Result<void> say_of_mask(int keys, const std::string& stream) {
    auto list = find_numbers(container_, {"attention_mask", "mask", "key_padding_mask", "padding_mask"});
    if (!list) return tl::unexpected(list.error());
    if (!*list) return {};
    const auto values = numbers_of_item(**list, item());
    if (!values || values->empty()) return {};
    const bool none = std::all_of(values->begin(), values->end(), [](double x) { return x == 0; });
    const bool fits = values->size() == static_cast<std::size_t>(keys);
    if (fits && !none) return {};
    const std::string value = fits ? "0 for every position" : std::to_string(values->size()) + " entries for " + std::to_string(keys) + " positions";
    dump_.info.report.push_back(report_item(ReportCode::unknown_assumption, {{"key", printable((*list)->name)}, {"value", value}}, stream));
    return {};
  }

  static TokenSide side_of(StreamKind kind) {
    return kind == StreamKind::encoder ? TokenSide::encoder : kind == StreamKind::decoder ? TokenSide::decoder : TokenSide::self;
  }

  Result<void> add_tokens(Stream& s, const Candidate& c, const Named& named, const TokenContext& context, int all_queries, int all_keys) {
    const StackPlan& plan = c.placed.plan;
    Report& report = dump_.info.report;
    const bool cross = named.kind == StreamKind::cross;
    const bool by_name = !cross || !unsquare_;
    const TokenSide query_side = !by_name ? TokenSide::self : cross ? TokenSide::cross_queries : side_of(named.kind);
    const bool causal = s.causal || c.group.stepped() || (cross && decoder_causal_) || named.kind == StreamKind::decoder;
    auto queries = fit_tokens(context, query_side, all_queries, plan.rows, causal, named.name, report);
    if (!queries) return tl::unexpected(queries.error());
    if (named.kind == StreamKind::decoder) decoder_causal_ = s.causal;
    auto predicts = predictions_of(context, query_side, all_queries, plan.rows, cross || causal, *queries);
    if (!predicts) return tl::unexpected(predicts.error());
    s.predicts = std::move(*predicts);
    if (!cross && all_queries == all_keys) {
      s.key_tokens = queries->tokens;
    } else {
      const TokenSide key_side = !by_name ? TokenSide::self : cross ? TokenSide::cross_keys : side_of(named.kind);
      auto keys = fit_tokens(context, key_side, all_keys, plan.columns, false, named.name, report);
      if (!keys) return tl::unexpected(keys.error());
      s.key_tokens = std::move(keys->tokens);
    }
    any_tokens_ = any_tokens_ || queries->named;
    s.query_tokens = std::move(queries->tokens);
    if (plan.sink) {
      s.key_tokens.push_back(sink_token());
      if (plan.square()) {
        s.query_tokens.push_back(sink_token());
        if (!s.predicts.empty()) s.predicts.emplace_back();
      }
    }
    return {};
  }

  Result<void> add_rest(const Choice& choice) {
    DumpInfo& info = dump_.info;
    const Stream& first = info.streams.front();
    info.companions = choice.companions;
    for (const auto& [key, value] : container_.meta) {
      const bool is_text = value.is(JsonValue::Kind::text);
      info.meta[key] = is_text ? value.text : json_text(value, container_.meta_numbers);
      if (key == "image" && is_text) info.companions.push_back(key);
    }
    for (const auto& t : container_.texts)
      if (is_attn_dump_key(t.name) && info.meta.find(t.name) == info.meta.end()) {
        JsonValue list;
        list.kind = JsonValue::Kind::list;
        for (const auto& text : t.texts) {
          list.items.emplace_back();
          list.items.back().kind = JsonValue::Kind::text;
          list.items.back().text = text;
        }
        if (t.shape.size() == 1) info.meta[t.name] = json_text(list, {});
      }
    if (const auto it = info.meta.find("predictions"); it != info.meta.end() && it->second.starts_with("[")) info.predictions = it->second;
    if (const auto version = meta_integer(container_, "version"); version && *version != 1 && meta_text(container_, "format").value_or("") == "attn-dump")
      info.report.push_back(report_item(ReportCode::unknown_assumption, {{"key", "version"}, {"value", std::to_string(*version)}}));
    if (const auto offset = meta_integer(container_, "key_offset"); offset && *offset != 0)
      info.report.push_back(report_item(ReportCode::key_offset, {{"offset", std::to_string(*offset)}}, first.name));

    const bool patches = first.kind == StreamKind::self || first.kind == StreamKind::encoder;
    if (patches) {
      const int positions = first.keys - (first.virtual_sink ? 1 : 0);
      auto grid = find_grid(container_, positions, !any_tokens_ && first.queries == first.keys && !first.causal, info.report);
      if (!grid) return tl::unexpected(grid.error());
      info.grid = *grid;
    }
    if (auto done = add_extras_of_all(); !done) return done;
    if (info.grid.rows > 0) {
      auto picture = find_picture(container_, item());
      if (!picture) return tl::unexpected(picture.error());
      dump_.picture = std::move(*picture);
    }
    if (!any_tokens_) info.report.push_back(report_item(ReportCode::no_tokens));
    if (!choice.ignored.empty()) info.report.push_back(report_item(ReportCode::ignored, {{"names", joined(choice.ignored)}}));
    return {};
  }

  Result<void> add_extras_of_all() {
    auto request = axes_request();
    if (!request) return tl::unexpected(request.error());
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const Placed& p = placed_[i];
      const ExtraTarget target{&dump_.info.streams[i], &p.plan, p.queries, p.keys, p.axes, placed_.size() == 1, i == 0, assumed_.orientation == "columns"};
      if (auto done = add_extras(container_, *request, target, dump_); !done) return done;
    }
    return {};
  }

  // A stream as it lies in the file: what stands beside it has to fit.
  struct Placed {
    StackPlan plan;
    std::string axes;
    int queries = 0, keys = 0;
  };

  const ImportOptions& options_;
  Assumptions assumed_;
  Container container_;
  Dump dump_;
  std::vector<Placed> placed_;  // parallel to the streams
  std::vector<Named> named_;
  int records_ = 0;        // dumps in the file, one after another; 0: it is one
  bool offset_ = false;    // the first columns are not stored: nobody reads them, and they are no padding
  bool unsquare_ = false;  // a stream became a cross stream by its shape alone: no name tells the sides apart
  bool decoder_causal_ = false;
  bool any_tokens_ = false;
};

}  // namespace

Result<Dump> open_dump(Source source, std::string name, const ImportOptions& options) {
  const auto slash = name.find_last_of("/\\");
  const std::string file = slash == name.npos ? name : name.substr(slash + 1);
  const auto open = [&]() -> Result<Dump> {
    auto assumed = read_assumptions(options);
    if (!assumed) return tl::unexpected(assumed.error());
    auto container = read_container(source, file, options);
    if (!container) return tl::unexpected(container.error());
    const std::string found = describe_contents(*container);
    auto dump = Importer(options, std::move(*assumed), std::move(*container)).run();
    if (!dump && !found.empty()) dump.error().params.emplace("found", found);
    return dump;
  };
  Result<Dump> out = open();
  if (!out) {
    out.error().params["file"] = file.empty() ? "The file" : printable(file);
    return out;
  }
  out->info.file = file;
  out->info.bytes = source->size();
  return out;
}

Result<void> refusal(const DumpInfo& info) {
  for (const ReportItem& item : info.report) {
    if (item.severity != Severity::error) continue;
    Params params = item.params;
    params["file"] = info.file.empty() ? "The file" : printable(info.file);
    std::string found = info.format + ":";
    for (const Stream& s : info.streams)
      found += (&s == &info.streams.front() ? " " : ", ") + s.name + formatted(" (%d, %d, %d, %d) ", s.layers(), std::max(1, s.heads), s.queries, s.keys) + std::string(dtype_name(s.dtype));
    params["found"] = std::move(found);
    if (item.code == ReportCode::transposed) return fail(ErrorCode::transposed, std::move(params));
    params["detail"] = "the values go from " + params["low"] + " to " + params["high"] + ", and rows do not sum to 1";
    return fail(ErrorCode::logits, std::move(params));
  }
  return {};
}

}  // namespace rollscope
