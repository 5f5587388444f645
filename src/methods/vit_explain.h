// vit-explain's rollout: weak connections are discarded layer by layer before the product.
//
// Source: Gildenblat, github.com/jacobgil/vit-explain (MIT), vit_rollout.py and vit_grad_rollout.py. Per layer:
//   F   heads fused as they are stored: mean, max or min (gradient variant: mean_first of methods/gradients.h)
//   F'  the floor(N^2 ratio) smallest entries of the whole matrix set to 0; equal values by index, the first go first
//   T   (F' + I) / 2, divided by row sums
// and R = T_L ... T_1 (methods/rollout.h, residual = 0). Their picture is row 0 without the class token, by its maximum.
//
// Three things in their code do something else than it says, and the published form keeps them:
//   T[i][j] is divided by the sum of row j, not i (no keepdim; issue 16): rows of T do not sum to 1
//   "keep the class token" keeps the one entry (0, 0); the gradient variant keeps nothing
//   gradients are stored from the top layer down and paired with layers from the bottom up (issue 6): pairing is the
//   caller's, who hands each GradientFuser its gradient
// Corrected: divided by the own row's sum, the class token's row and column kept.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix_view.h"
#include "methods/fusion.h"
#include "methods/recipe.h"

namespace rollscope {

enum class KeptEntries : std::uint8_t { none, class_entry, class_row_and_column };  // of token 0, never discarded
enum class RowDivision : std::uint8_t { by_column_index, by_row };  // whose sum divides T[i][j]: row j's, or row i's

struct VitExplainOptions {
  double discard = 0.9;  // share of the entries set to 0, in [0, 1]
  KeptEntries keep = KeptEntries::class_entry;
  RowDivision division = RowDivision::by_column_index;
};
inline constexpr VitExplainOptions kVitExplainPublished{};
inline constexpr VitExplainOptions kVitExplainGradientPublished{0.9, KeptEntries::none, RowDivision::by_column_index};
inline constexpr VitExplainOptions kVitExplainCorrected{0.9, KeptEntries::class_row_and_column, RowDivision::by_row};

// Fuses heads as they are stored: neither heads nor the fused rows are divided by their sums (ruling 1).
//   out [Q][K], the caller's; holds F after finish()
class StoredFuser {
 public:
  StoredFuser(MatrixView out, Fusion fusion) : out_(out), fusion_(fusion), fuser_(out, fusion, nullptr) {}
  // A row with a number that is not finite becomes zeros, in place.
  void add(MatrixView head);
  void finish();

 private:
  MatrixView out_;
  Fusion fusion_;
  LayerFuser fuser_;
  int count_ = 0;
};

// F -> T, in place: [N][N]. A number that is not finite counts as 0. A row sum that is not positive (only where F
// has negative numbers) or overflows divides by 1.
//   scratch  at least N^2 Real, overwritten; may be shared by all layers. Without discarding it is not touched.
// Cost: a few passes over N^2, on average.
void vit_explain_layer(MatrixView fused, const VitExplainOptions& options, std::span<Real> scratch);

}  // namespace rollscope
