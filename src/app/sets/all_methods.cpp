// What the methods beyond fused attention, its product and its mean are made with.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/recipe_text.h"
#include "app/session_state.h"

namespace rollscope {
namespace {

bool residual_inside(const DumpInfo& info) {
  const auto said = info.meta.find("residual_inside");
  return said != info.meta.end() && said->second == "true";
}

Error about(Error error, const OpenDump& open) {
  error.params.emplace("file", open.dump.info.file);
  return error;
}

class MakingFlow final : public Making {
 public:
  explicit MakingFlow(FlowWork work) : work_(std::move(work)) {}
  Result<bool> step() override { return work_.step(); }
  double fraction() const override { return work_.fraction(); }
  std::vector<FlowFacts> facts() const override { return work_.facts(); }

 private:
  FlowWork work_;
};

// R_ti of the rules of two sides: the encoder's layers, then each decoder layer's self- and cross-attention.
class MakingRelevance final : public Making {
 public:
  MakingRelevance(Relevance rules, std::vector<ConstMatrixView> encoder, std::vector<ConstMatrixView> decoder, std::vector<ConstMatrixView> cross, MatrixView out)
      : rules_(std::move(rules)), encoder_(std::move(encoder)), decoder_(std::move(decoder)), cross_(std::move(cross)), out_(out) {}
  Result<bool> step() override {
    if (running_) {
      if (!rules_.step()) return false;
      running_ = false;
      ++done_;
    }
    const std::size_t e = encoder_.size();
    if (done_ < e) rules_.self_i(encoder_[done_]);
    else if (done_ < e + 2 * decoder_.size()) (done_ - e) % 2 == 0 ? rules_.self_t(decoder_[(done_ - e) / 2]) : rules_.cross_t(cross_[(done_ - e) / 2]);
    else {
      const ConstMatrixView r = rules_.ti();
      std::copy(r.data, r.data + r.size(), out_.data);
      return true;
    }
    running_ = true;
    return false;
  }
  double fraction() const override { return static_cast<double>(done_) / static_cast<double>(encoder_.size() + 2 * decoder_.size() + 1); }

 private:
  Relevance rules_;
  std::vector<ConstMatrixView> encoder_, decoder_, cross_;
  MatrixView out_;
  std::size_t done_ = 0;
  bool running_ = false;
};

class MakingJoint final : public Making {
 public:
  MakingJoint(RealBuffer memory, RolloutWork encoder, ConstMatrixView rolled, std::vector<ConstMatrixView> self, std::vector<ConstMatrixView> cross, double residual, MatrixView out)
      : memory_(std::move(memory)), encoder_(std::move(encoder)), rolled_(rolled), self_(std::move(self)), cross_(std::move(cross)), residual_(residual), out_(out) {}
  Result<bool> step() override {
    if (!rolled_out_) {
      rolled_out_ = encoder_.step();
      return false;
    }
    if (!joint_) {
      auto work = JointWork::start(rolled_, {self_}, {cross_}, {residual_, residual_}, out_);
      if (!work) return tl::unexpected(std::move(work.error()));
      joint_.emplace(std::move(*work));
    }
    return joint_->step();
  }
  double fraction() const override { return joint_ ? 0.3 + 0.7 * joint_->fraction() : 0.3 * encoder_.fraction(); }

 private:
  RealBuffer memory_;
  RolloutWork encoder_;
  ConstMatrixView rolled_;
  std::vector<ConstMatrixView> self_, cross_;
  double residual_;
  MatrixView out_;
  std::optional<JointWork> joint_;
  bool rolled_out_ = false;
};

// The flow of one output.
class FlowRowWork final : public Work {
 public:
  FlowRowWork(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, int query, std::shared_ptr<const FusedStack> stack,
              std::function<void(std::shared_ptr<const FlowRow>)> done)
      : open_(std::move(open)), stream_(stream), recipe_(std::move(recipe)), query_(query), stack_(std::move(stack)), done_(std::move(done)) {}

  Result<bool> step() override {
    if (!row_) {
      row_ = std::make_shared<FlowRow>();
      row_->recipe = result_key(recipe_);
      row_->query = query_;
      row_->row.resize(static_cast<std::size_t>(stack_->layers[0].columns));
      const auto layers = chain_layers(*stack_, recipe_);
      auto work = FlowWork::start_row({layers}, chain_residual(open_->dump.info, recipe_), query_, row_->row);
      if (!work) return tl::unexpected(about(std::move(work.error()), *open_));
      work_ = std::make_unique<FlowWork>(std::move(*work));
      return false;
    }
    if (!work_->step()) return false;
    row_->facts = work_->facts().front();
    auto& rows = open_->streams[static_cast<std::size_t>(stream_)].flow_rows;
    if (rows.size() >= kFlowRows) rows.erase(rows.begin());
    rows.push_back(row_);
    done_(row_);
    return true;
  }

  JobProgress progress() const override {
    JobProgress p;
    p.fraction = work_ ? work_->fraction() : 0;
    return p;
  }

 private:
  std::shared_ptr<OpenDump> open_;
  int stream_;
  Recipe recipe_;
  int query_;
  std::shared_ptr<const FusedStack> stack_;
  std::function<void(std::shared_ptr<const FlowRow>)> done_;
  std::shared_ptr<FlowRow> row_;
  std::unique_ptr<FlowWork> work_;
};

template <class W, class Make>
Result<std::unique_ptr<Making>> made(Result<W> work, Make make) {
  if (!work) return tl::unexpected(std::move(work.error()));
  return std::unique_ptr<Making>(make(std::move(*work)));
}

}  // namespace

bool has_all_methods() { return true; }

bool is_further(Method method) { return traits(method).gradients || method == Method::vit_explain || method == Method::vit_explain_corrected || method == Method::norm_rollout; }

Result<std::unique_ptr<Making>> make_further_result(MakingInputs in) {
  const Recipe& recipe = in.recipe;
  if (recipe.method == Method::flow || recipe.method == Method::flow_normalised)
    return made(FlowWork::start({in.layers}, in.residual, in.out), [](FlowWork work) { return std::make_unique<MakingFlow>(std::move(work)); });
  const FusedStack& encoder = *in.stacks.encoder;
  const FusedStack& decoder = *in.stacks.decoder;
  std::vector<ConstMatrixView> self(decoder.layers.begin() + recipe.first_layer, decoder.layers.begin() + recipe.end_layer);
  if (recipe.method == Method::joint) {
    const int sources = encoder.layers[0].rows;
    auto rolled = RealBuffer::make(static_cast<std::size_t>(sources) * static_cast<std::size_t>(sources));
    if (!rolled) return tl::unexpected(std::move(rolled.error()));
    const MatrixView r = rolled->matrix(0, sources, sources);
    return made(RolloutWork::start(encoder.view(), in.residual, false, r), [&](RolloutWork work) {
      return std::make_unique<MakingJoint>(std::move(*rolled), std::move(work), r, std::move(self), std::move(in.layers), in.residual, in.out);
    });
  }
  const CrossRule rule = recipe.method == Method::relevance ? CrossRule::published : CrossRule::causal;
  return made(Relevance::start(in.out.rows, in.out.columns, rule), [&](Relevance rules) {
    return std::make_unique<MakingRelevance>(std::move(rules), encoder.layers, std::move(self), std::move(in.layers), in.out);
  });
}

std::unique_ptr<Work> make_flow_row_work(std::shared_ptr<OpenDump> open, int stream, Recipe recipe, int query, std::shared_ptr<const FusedStack> stack,
                                         std::function<void(std::shared_ptr<const FlowRow>)> done) {
  return std::make_unique<FlowRowWork>(std::move(open), stream, std::move(recipe), query, std::move(stack), std::move(done));
}

Result<void> StackWork::add_further_head(int layer, int head, bool first, bool last) {
  const Stream& s = open_->dump.info.streams[static_cast<std::size_t>(stream_)];
  StackSource& attention = *open_->dump.stacks[static_cast<std::size_t>(stream_)];
  const auto scratch = scratch_.matrix(0, s.queries, s.keys);
  const auto read = [&](StackSource& from, int at, MatrixView to) -> Result<void> {
    auto done = from.read_head(layer, at, to);
    if (!done) return tl::unexpected(about(std::move(done.error()), *open_));
    return {};
  };
  if (norms_) return read(*norms_, 0, layer_matrix(layer));
  if (gradients_) {
    constexpr std::pair<Method, GradientKind> kKinds[] = {{Method::gradient_rollout, GradientKind::positive}, {Method::relevance, GradientKind::positive},
                                                          {Method::gradient_rollout_mean_first, GradientKind::mean_first},
                                                          {Method::grad_sam, GradientKind::grad_sam}, {Method::attention_gradient, GradientKind::attention_gradient}};
    if (first) {
      const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return k.first == key_.method; });
      gradient_fuser_ = std::make_unique<GradientFuser>(layer_matrix(layer), kind->second, &building_->gradients);
    }
    const auto gradient = gradient_scratch_.matrix(0, s.queries, s.keys);
    if (auto done = read(attention, head, scratch); !done) return done;  // as stored: these methods divide later, if at all
    if (auto done = read(*gradients_, head, gradient); !done) return done;
    gradient_fuser_->add(scratch, gradient);
    if (last) gradient_fuser_->finish();
    return {};
  }
  if (key_.method == Method::vit_explain || key_.method == Method::vit_explain_corrected) {
    if (first) stored_fuser_ = std::make_unique<StoredFuser>(layer_matrix(layer), key_.fusion);
    if (auto done = read(attention, head, scratch); !done) return done;
    if (!aside_.empty()) {
      normalise_head(scratch, nullptr);
      remove_keys(scratch, aside_);
    }
    stored_fuser_->add(scratch);
    if (last) stored_fuser_->finish();
    return {};
  }
  if (key_.method == Method::norm_rollout) {  // of value norms
    if (first) norm_fuser_ = std::make_unique<ValueNormFuser>(layer_matrix(layer));
    if (auto done = read_normalised_head(*open_, stream_, layer, head, scratch); !done) return done;
    const int at = open_->dump.info.find_extra(ExtraKind::value_norms, s.name);
    const int value_heads = open_->dump.info.extras[static_cast<std::size_t>(at)].shape[1];
    const auto& values = open_->dump.extras[static_cast<std::size_t>(at)].values;
    const std::size_t keys = values.size() / static_cast<std::size_t>(s.layers() * value_heads);
    const std::size_t row = static_cast<std::size_t>(layer * value_heads + value_head(head, std::max(1, s.heads), value_heads)) * keys;
    std::vector<Real> norms(static_cast<std::size_t>(s.keys), Real{0});
    std::transform(values.begin() + static_cast<std::ptrdiff_t>(row), values.begin() + static_cast<std::ptrdiff_t>(row + std::min(keys, norms.size())), norms.begin(),
                   [](double x) { return static_cast<Real>(x); });
    norm_fuser_->add(scratch, norms);
    return {};
  }
  return {};
}

// From fused gradients, norms or stored attention to what is multiplied.
void StackWork::finish_further_layer(int layer) {
  const MatrixView fused = layer_matrix(layer);
  switch (key_.method) {
    case Method::vit_explain:
    case Method::vit_explain_corrected: {
      VitExplainOptions options = key_.method == Method::vit_explain ? kVitExplainPublished : kVitExplainCorrected;
      options.discard = key_.discard;
      vit_explain_layer(fused, options, {scratch_.data(), scratch_.size()});
      break;
    }
    case Method::gradient_rollout:
    case Method::gradient_rollout_mean_first: add_identity_and_normalise(fused); break;
    case Method::relevance:
      if (!joined_) add_identity(fused);
      break;
    case Method::norm_rollout:  // the rest of A~, its residual, comes with the product
      norms_to_transfer(fused, key_.source != "value_norms" && residual_inside(open_->dump.info), 0);
      break;
    default: break;
  }
}

void StackWork::mix_further_residual(int layer) {
  const auto of_layer = [&](ExtraKind kind) {
    const auto& values = extra(kind, "")->values;
    const auto rows = static_cast<std::size_t>(building_->layer(layer).rows);
    return std::span<const double>(values).subspan(static_cast<std::size_t>(layer) * rows, rows);
  };
  const MatrixView m = building_->layer(layer);
  if (!key_.residuals.empty() && layer >= key_.first_layer && layer < key_.end_layer)
    mix_residual(m, key_.residuals[static_cast<std::size_t>(layer - key_.first_layer)]);
  switch (key_.residual_from) {
    case ResidualFrom::stated: return;
    case ResidualFrom::mixing: mix_measured(m, of_layer(ExtraKind::mixing_ratios)); return;
    case ResidualFrom::norms:
    case ResidualFrom::norms_mean: {
      std::vector<double> r(static_cast<std::size_t>(m.rows));
      residual_weights(of_layer(ExtraKind::residual_norms), of_layer(ExtraKind::attention_norms), r);
      if (key_.residual_from == ResidualFrom::norms) mix_residual(m, r);
      else mix_residual(m, mean_residual(r));
    }
  }
}

}  // namespace rollscope
