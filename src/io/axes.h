// Which axis of an array is what: layers, batch, heads, queries, keys. From what the user says, what the metadata
// say, and else from the number of axes (formats: attn-dump v1 "axes"; PyTorch and numpy habits).
//
//   one array for each layer   [q][k]   [H][q][k]   [B][H][q][k]
//   one array for all layers   [q][k]   [L][q][k]   [L][H][q][k]   [L][B][H][q][k]   [1][L][H][q][k]
//
// Steps of generate() hold the rows of their new tokens: io/steps.h finds them and places their rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/names.h"
#include "io/stored_stack.h"

namespace rollscope {

// Arrays that together are one stack.
struct StackGroup {
  struct Member {
    std::shared_ptr<const StoredArray> array;
    int layer = -1;  // -1: the array holds all layers
    int head = -1;   // -1: the array holds all heads of its layer
    int step = -1;   // of generate(): the array holds the rows of one step
  };
  std::string name;    // of the first array
  std::string stream;  // "", "encoder", "decoder", "cross"
  NameRole role = NameRole::unknown;
  bool path_like = false;
  std::vector<Member> members;  // ascending by layer, then head
  bool incomplete = false;      // layers of another shape were left out

  [[nodiscard]] const StoredArray& first() const { return *members.front().array; }
  [[nodiscard]] bool numbered() const { return members.front().layer >= 0; }
  [[nodiscard]] bool stepped() const { return members.front().step >= 0; }
};

struct AxesRequest {
  std::string assumed;  // --assume axes=
  std::string stated;   // metadata
  bool heads_first = false;  // --assume layout=heads: a bare 3-D array is the heads of one layer
  bool layout_assumed = false;
  int item = 0;
  std::uint64_t mask_items = 0;  // items that an attention mask has; 0: no mask
  std::vector<int> beams;        // beam_indices of the item: which row of the batch each step of generate() continued
  std::uint64_t beam_items = 0;  // items that beam_indices has; 0: none
};

struct PlacedStack {
  StackPlan plan;
  std::string axes;  // "lhqk", of the first array
  std::vector<int> layer_numbers;
  int batch = 1;
  DType dtype = DType::f32;
  Report report;  // ambiguous_axes, batch_item, unknown_assumption, generation_stitched
};

// Errors: bad_value (axes that do not fit), out_of_range (item), empty, not_attention (too few axes), ragged (layers
// that differ in shape), too_big (over 10000 layers or heads).
[[nodiscard]] Result<PlacedStack> place_axes(const StackGroup& group, const AxesRequest& request);

}  // namespace rollscope
