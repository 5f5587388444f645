// From a request to a recipe: what the dump can give, and the defaults of the contracts.
#include <algorithm>

#include "analysis/recipe_text.h"
#include "analysis/shown_stream.h"
#include "base/text.h"

namespace rollscope {
namespace {

const Stream* of_kind(const DumpInfo& dump, std::initializer_list<StreamKind> kinds) {
  for (const auto kind : kinds)
    for (const auto& stream : dump.streams)
      if (stream.kind == kind) return &stream;
  return dump.streams.empty() ? nullptr : &dump.streams.front();
}

// The first stream; for a method that joins encoder and decoder the cross stream.
const Stream* default_stream(const DumpInfo& dump, const std::optional<Method>& method) {
  const bool joins = method && (*method == Method::joint || *method == Method::relevance || *method == Method::relevance_causal);
  if (joins && encoder_decoder(dump).complete()) return of_kind(dump, {StreamKind::cross});
  return of_kind(dump, {StreamKind::self, StreamKind::encoder, StreamKind::decoder, StreamKind::cross});
}

const Stream* named_stream(const DumpInfo& dump, const std::string& name) {
  if (const Stream* stream = dump.find(name)) return stream;
  for (const auto& stream : dump.streams)
    if (stream_kind_name(stream.kind) == name) return &stream;
  return nullptr;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + (name.empty() ? "(the one without a name)" : name);
  return out.empty() ? "nothing: the file has none" : out;
}

Error not_for_stream(const Stream& stream, Method method, Lacking what) {
  Params params{{"method", std::string(method_name(method))}, {"stream", stream.name}, {"kind", std::string(lacking_name(what))},
                {"remedy", "Ask for raw attention (--method raw)."}};
  switch (what) {
    case Lacking::encoder_and_decoder:
      params["detail"] = "cross-attention alone does not lead back to the input; that needs the encoder's and the decoder's maps";
      break;
    case Lacking::square:
      params["detail"] = formatted("its matrices are %d x %d, and layers can only be multiplied where they are square", stream.queries, stream.keys);
      break;
    case Lacking::gradients:
      params["detail"] = "it needs the gradients of a score with respect to the attention, and the file holds none that fit";
      params["remedy"] = "Save them: torch.autograd.grad(score, out.attentions), as attention_grads (web/export/rollscope_dump.py).";
      break;
    case Lacking::norms:
      params["detail"] = "it needs value_weighted_norms, norms/NAME or value_norms, and the file holds none that fit";
      params["remedy"] = "Save the norms of the weighted values, [layers][queries][keys], as value_weighted_norms.";
      break;
    case Lacking::cross:
      params["detail"] = "it joins encoder_attentions, decoder_attentions and cross_attentions, and the file does not hold all three";
      params["remedy"] = "Save all three of an encoder-decoder's outputs.";
      break;
    case Lacking::layers:
      params["detail"] = "what is there is a finished result, and not the layers that it was made of";
      params["remedy"] = "Ask whoever made it for the layers: a richer link, or the dump.";
      break;
    case Lacking::cdam_scores:
      params["detail"] = "it shows scores/cdam, and the file holds none";
      params["remedy"] = "Save the sum over dimensions of token times gradient, per token, as scores/cdam.";
      break;
    case Lacking::attributions:
      params["detail"] = "it shows attr/NAME or scores/NAME, and the file holds none";
      params["remedy"] = "Save one number per token as attr/NAME.";
      break;
    case Lacking::nothing: break;
  }
  return {ErrorCode::method_not_for_stream, std::move(params)};
}

tl::unexpected<Error> bad(std::string option, std::string value, std::string allowed) {
  return fail(ErrorCode::bad_value, {{"option", std::move(option)}, {"value", std::move(value)}, {"allowed", std::move(allowed)}});
}

tl::unexpected<Error> excluded(std::string detail) { return fail(ErrorCode::usage, {{"detail", std::move(detail)}}); }

bool is_cdam(const Extra& e) { return e.kind == ExtraKind::scores && (e.name == "cdam" || e.name.starts_with("cdam/") || e.name.starts_with("cdam_")); }

// One head over the fused layers below it (Abnar & Zuidema, appendix A.1): the range ends with the head's layer.
Result<void> settle_head(const Stream& stream, const RecipeRequest& request, Recipe& recipe) {
  if (!request.head) return {};
  const auto [asked, head] = *request.head;
  const int layer = asked < 0 ? recipe.end_layer - 1 : asked;
  if (recipe.method != Method::rollout)
    return excluded("head chooses one head of the top layer of a rollout, and " + std::string(method_name(recipe.method)) + " has none: choose heads of every layer (--heads)");
  if (stream.heads < 1) return excluded("head chooses one of a layer's heads, and those of " + stream.name + " are fused in the file");
  if (layer >= stream.layers() || head < 0 || head >= stream.heads)
    return fail(ErrorCode::out_of_range, {{"option", "head"}, {"value", formatted("%d:%d", asked, head)},
                                          {"allowed", formatted("layers 0 to %d with heads 0 to %d", stream.layers() - 1, stream.heads - 1)}});
  if (request.layers && layer != recipe.end_layer - 1)
    return excluded(formatted("head %d:%d is of the top layer of the range: leave layers out, or let them end at %d", asked, head, layer + 1));
  recipe.end_layer = layer + 1;
  recipe.head = head;
  return {};
}

Result<void> settle_class(const DumpInfo& dump, const Stream& stream, const RecipeRequest& request, Recipe& recipe) {
  if (!traits(recipe.method).gradients) {
    if (request.class_name && recipe.method != Method::cdam)
      return excluded("class chooses a gradient, and " + std::string(method_name(recipe.method)) + " reads none");
    return {};
  }
  const auto names = class_names(dump, stream);
  if (!request.class_name) {
    if (names.size() == 1) recipe.class_name = names[0];
    else if (std::find(names.begin(), names.end(), "") == names.end()) return bad("class", "nothing", listed(names));
    return {};
  }
  if (std::find(names.begin(), names.end(), *request.class_name) == names.end()) return bad("class", *request.class_name, listed(names));
  recipe.class_name = *request.class_name;
  return {};
}

Result<void> settle_source(const DumpInfo& dump, const Stream& stream, const RecipeRequest& request, Recipe& recipe) {
  const bool takes = recipe.method == Method::norm_rollout || !traits(recipe.method).attention;
  if (!takes) return request.source.empty() ? Result<void>{} : excluded("norms choose a matrix of norm-rollout, and " + std::string(method_name(recipe.method)) + " reads none");
  const auto names = source_names(dump, stream, recipe.method);
  std::string wanted = request.source;
  if (recipe.method == Method::cdam && request.class_name) wanted = *request.class_name;
  if (wanted.empty()) {
    if (recipe.method == Method::attribution && names.size() > 1) return bad("method", "attribution", "attribution:NAME with one of " + listed(names));
    recipe.source = names.front();
    return {};
  }
  for (const auto& name : names)
    if (name == wanted || (recipe.method == Method::cdam && (name == "cdam/" + wanted || name == "cdam_" + wanted))) {
      recipe.source = name;
      return {};
    }
  return bad(recipe.method == Method::norm_rollout ? "norms" : recipe.method == Method::cdam ? "class" : "method", wanted, listed(names));
}

// The second of a difference: what class_name or source could be as well, and is not.
Result<void> settle_minus(const DumpInfo& dump, const Stream& stream, const RecipeRequest& request, Recipe& recipe) {
  if (request.minus.empty()) return {};
  const MethodTraits& t = traits(recipe.method);
  const std::string name(method_name(recipe.method));
  if (!t.gradients && t.attention) return excluded("minus subtracts a second class, and " + name + " reads none: its rows are the same for every class");
  if (request.sink != SinkMode::keep) return excluded("minus subtracts rows as they are: leave out the sink's " + std::string(sink_mode_name(request.sink)));
  const auto names = t.gradients ? class_names(dump, stream) : source_names(dump, stream, recipe.method);
  const bool cdam = recipe.method == Method::cdam;
  for (const auto& one : names)
    if (one == request.minus || (cdam && (one == "cdam/" + request.minus || one == "cdam_" + request.minus))) recipe.minus = one;
  if (recipe.minus.empty()) return bad("minus", request.minus, listed(names));
  if (recipe.minus == (t.gradients ? recipe.class_name : recipe.source)) return excluded("minus names what it is subtracted from, " + recipe.minus + ": the difference is nothing");
  return {};
}

Result<void> settle_residual(const DumpInfo& dump, const Stream& stream, const RecipeRequest& request, Recipe& recipe) {
  recipe.residual = request.residual;
  if (request.measured) {
    const bool any = *request.measured == ResidualFrom::stated;
    for (const auto from : {ResidualFrom::norms, ResidualFrom::norms_mean, ResidualFrom::mixing})
      if ((any || *request.measured == from) && has_measured_residual(dump, stream, from) && recipe.residual_from == ResidualFrom::stated)
        recipe.residual_from = from;
    if (recipe.residual_from == ResidualFrom::stated)
      return bad("residual", any ? "measured" : std::string(residual_from_name(*request.measured)), "a number from 0 to 1: the file holds no residual_norms with attention_norms, and no mixing_ratios, that fit");
    if (recipe.method == Method::joint || recipe.method == Method::norm_rollout) return excluded("A measured residual goes with a rollout or a flow, not with " + std::string(method_name(recipe.method)));
    return {};
  }
  if (request.residuals.empty()) return {};
  const int depth = recipe.end_layer - recipe.first_layer;
  if (static_cast<int>(request.residuals.size()) != depth)
    return bad("residual", std::to_string(request.residuals.size()) + " numbers", "one number, or one for each of the " + std::to_string(depth) + " layers");
  if (recipe.method == Method::joint) return excluded("joint takes one residual weight");
  recipe.residuals = request.residuals;
  return {};
}

Result<void> settle_changes(const Stream& stream, const RecipeRequest& request, Recipe& recipe) {
  const MethodTraits& t = traits(recipe.method);
  const std::string name(method_name(recipe.method));
  recipe.sink = request.sink;
  if (recipe.sink != SinkMode::keep && !t.attention) return excluded(name + " holds no attention, so there is no sink to " + std::string(sink_mode_name(recipe.sink)));
  if (recipe.sink == SinkMode::lift && !has_chance(recipe)) return excluded("lift divides by what uniform attention gives, which " + name + " does not define");
  if (recipe.sink == SinkMode::remove && (!t.heads_fused || recipe.method == Method::joint)) return excluded("remove takes keys out of the fused attention, which " + name + " does not multiply");
  recipe.merge = request.merge;
  recipe.merge_queries = request.merge_queries;
  recipe.merge_time = request.merge_time;
  if (recipe.merge == Merge::pieces) return {};
  if (recipe.method == Method::joint) return excluded("merge " + std::string(merge_name(recipe.merge)) + " goes with one text, and joint has two");
  if (recipe.sink == SinkMode::lift) return excluded("lift is given per token, and merging adds tokens up");
  if (recipe.merge == Merge::segments && !has_segments(stream)) return excluded("The file does not tell segments apart: token_type_ids, or special tokens between the texts, would");
  if (recipe.merge_time == MergeTime::before && recipe.residual_from != ResidualFrom::stated) return excluded("A residual weight measured per token has no value for a word: merge after the product");
  const bool fused = recipe.method == Method::raw || recipe.method == Method::rollout || recipe.method == Method::rollout_reversed || recipe.method == Method::flow || recipe.method == Method::flow_normalised;
  if (recipe.merge_time == MergeTime::before && (!fused || !same_tokens(stream))) return excluded("merging before the product takes fused layers of one text, and " + name + " of " + stream.name + " has none");
  return {};
}

}  // namespace

std::string_view lacking_name(Lacking what) {
  constexpr std::string_view names[] = {"nothing", "encoder_and_decoder", "square", "gradients", "norms", "cross", "cdam_scores", "attributions", "layers"};
  return names[static_cast<std::size_t>(what)];
}

EncoderDecoder encoder_decoder(const DumpInfo& dump) {
  EncoderDecoder out;
  for (std::size_t i = 0; i < dump.streams.size(); ++i) {
    const Stream& s = dump.streams[i];
    const int at = static_cast<int>(i);
    if (s.virtual_sink) continue;
    if (s.kind == StreamKind::encoder && out.encoder < 0) out.encoder = at;
    if ((s.kind == StreamKind::decoder) && out.decoder < 0) out.decoder = at;
    if (s.kind == StreamKind::cross && out.cross < 0) out.cross = at;
  }
  if (out.encoder < 0 || out.decoder < 0 || out.cross < 0) return {};
  const auto stream = [&](int i) -> const Stream& { return dump.streams[static_cast<std::size_t>(i)]; };
  const Stream &e = stream(out.encoder), &d = stream(out.decoder), &c = stream(out.cross);
  const bool fit = e.queries == e.keys && d.queries == d.keys && c.queries == d.keys && c.keys == e.keys && c.layers() == d.layers();
  return fit ? out : EncoderDecoder{};
}

std::vector<std::string> class_names(const DumpInfo& dump, const Stream& stream) {
  std::vector<std::string> out;
  for (const Extra& e : dump.extras)
    if (e.kind == ExtraKind::gradients && e.stream == stream.name) out.push_back(e.name);
  return out;
}

std::vector<std::string> source_names(const DumpInfo& dump, const Stream& stream, Method method) {
  std::vector<std::string> out;
  bool value_norms = false;
  for (const Extra& e : dump.extras) {
    if (e.stream != stream.name) continue;
    const bool stored = e.kind == ExtraKind::attribution || e.kind == ExtraKind::scores;
    if (method == Method::norm_rollout && e.kind == ExtraKind::norms) {
      if (e.name.empty()) out.insert(out.begin(), "value_weighted_norms");
      else out.push_back(e.name);
    }
    value_norms = value_norms || (e.kind == ExtraKind::value_norms && stream.heads > 0 && stream.heads % e.shape[1] == 0);
    if (method == Method::cdam && is_cdam(e)) out.push_back(e.name);
    if (method == Method::attribution && stored && std::find(out.begin(), out.end(), e.name) == out.end()) out.push_back(e.name);
  }
  if (method == Method::norm_rollout && value_norms) out.push_back("value_norms");
  return out;
}

bool has_measured_residual(const DumpInfo& dump, const Stream& stream, ResidualFrom from) {
  const auto has = [&](ExtraKind kind) { return dump.find_extra(kind, stream.name) >= 0; };
  return from == ResidualFrom::mixing ? has(ExtraKind::mixing_ratios) : has(ExtraKind::residual_norms) && has(ExtraKind::attention_norms);
}

Lacking lacking(const DumpInfo& dump, const Stream& stream, Method method) {
  const bool cross = stream.kind == StreamKind::cross;
  if (method == Method::raw) return Lacking::nothing;
  if (const auto finished = dump.meta.find("finished"); finished != dump.meta.end() && finished->second == "true") return Lacking::layers;
  if (method == Method::joint) return encoder_decoder(dump).complete() ? Lacking::nothing : Lacking::cross;
  if (method == Method::cdam) return source_names(dump, stream, method).empty() ? Lacking::cdam_scores : Lacking::nothing;
  if (method == Method::attribution) return source_names(dump, stream, method).empty() ? Lacking::attributions : Lacking::nothing;
  const bool rules = method == Method::relevance || method == Method::relevance_causal;
  if (cross && rules) {
    const EncoderDecoder sides = encoder_decoder(dump);
    if (!sides.complete()) return Lacking::cross;
    for (const int i : {sides.encoder, sides.decoder, sides.cross})
      if (dump.find_extra(ExtraKind::gradients, dump.streams[static_cast<std::size_t>(i)].name) < 0) return Lacking::gradients;
    return Lacking::nothing;
  }
  const bool one_matrix = method == Method::grad_sam || method == Method::attention_gradient;
  if (!one_matrix && cross) return Lacking::encoder_and_decoder;
  if (!one_matrix && stream.queries != stream.keys) return Lacking::square;
  if (traits(method).gradients && dump.find_extra(ExtraKind::gradients, stream.name) < 0) return Lacking::gradients;
  if (method == Method::norm_rollout && source_names(dump, stream, method).empty()) return Lacking::norms;
  return Lacking::nothing;
}

bool multiplies(const Stream& stream, const Recipe& recipe) { return traits(recipe.method).chain && stream.kind != StreamKind::cross; }

bool is_chain(const Stream& stream, const Recipe& recipe) {
  return multiplies(stream, recipe) && has_unit_rows(recipe) && recipe.method != Method::rollout_reversed;
}

bool has_chance(const Recipe& recipe) {
  return (recipe.method == Method::raw || recipe.method == Method::rollout || recipe.method == Method::rollout_reversed) &&
         recipe.residual_from == ResidualFrom::stated && recipe.residuals.empty();
}

Result<Recipe> resolve_recipe(const DumpInfo& dump, const RecipeRequest& request) {
  const Stream* stream = request.stream.empty() ? default_stream(dump, request.method) : named_stream(dump, request.stream);
  if (!stream) {
    std::string names;
    for (const auto& s : dump.streams) names += (names.empty() ? "" : ", ") + s.name;
    return fail(ErrorCode::no_such_stream, {{"value", request.stream}, {"allowed", names}});
  }
  if (request.method == Method::joint && lacking(dump, *stream, Method::joint) == Lacking::nothing)
    stream = &dump.streams[static_cast<std::size_t>(encoder_decoder(dump).cross)];
  Recipe recipe;
  recipe.stream = stream->name;
  recipe.fusion = request.fusion;
  recipe.discard = request.discard;
  recipe.end_layer = stream->layers();
  const bool can_roll = lacking(dump, *stream, Method::rollout) == Lacking::nothing;
  recipe.method = request.method.value_or(can_roll ? Method::rollout : Method::raw);
  if (const Lacking what = lacking(dump, *stream, recipe.method); what != Lacking::nothing) return tl::unexpected(not_for_stream(*stream, recipe.method, what));
  if (!request.method && !can_roll) recipe.first_layer = stream->layers() - 1;

  if (request.layers) {
    auto [first, end] = *request.layers;
    if (end == -1) end = stream->layers();
    if (first < 0 || end > stream->layers() || first >= end)
      return fail(ErrorCode::out_of_range, {{"option", "layers"},
                                            {"value", formatted("%d:%d", first, end)},
                                            {"allowed", formatted("0:%d and ranges inside it", stream->layers())}});
    recipe.first_layer = first;
    recipe.end_layer = end;
  }
  if (auto done = settle_head(*stream, request, recipe); !done) return tl::unexpected(done.error());
  recipe.heads = request.heads;
  std::sort(recipe.heads.begin(), recipe.heads.end());
  recipe.heads.erase(std::unique(recipe.heads.begin(), recipe.heads.end()), recipe.heads.end());
  for (const int head : recipe.heads) {
    if (head >= 0 && head < std::max(1, stream->heads)) continue;
    return fail(ErrorCode::out_of_range,
                {{"option", "heads"}, {"value", std::to_string(head)},
                 {"allowed", stream->heads > 1 ? formatted("0 to %d", stream->heads - 1) : std::string("head 0 alone")}});
  }
  if (static_cast<int>(recipe.heads.size()) == std::max(1, stream->heads)) recipe.heads.clear();
  if (auto done = settle_class(dump, *stream, request, recipe); !done) return tl::unexpected(done.error());
  if (auto done = settle_source(dump, *stream, request, recipe); !done) return tl::unexpected(done.error());
  if (auto done = settle_minus(dump, *stream, request, recipe); !done) return tl::unexpected(done.error());
  if (auto done = settle_residual(dump, *stream, request, recipe); !done) return tl::unexpected(done.error());
  if (auto done = settle_changes(*stream, request, recipe); !done) return tl::unexpected(done.error());
  return recipe;
}

}  // namespace rollscope
