// What an attention dump IS: streams of layers, each layer holding heads of row = query, column = key matrices,
// with the tokens that name rows and columns. No file formats here (src/io) and no mathematics (src/methods).
//
// Letters: L layers, H heads, Q queries, K keys, N where Q = K.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/matrix_view.h"
#include "base/report.h"

namespace rollscope {

enum class StreamKind : std::uint8_t { self, encoder, decoder, cross, contributions };
[[nodiscard]] std::string_view stream_kind_name(StreamKind kind);

enum class DType : std::uint8_t { f16, bf16, f32, f64, f8_e4m3, f8_e5m2, u8, i8, u16, i16, u32, i32, u64, i64, boolean };
[[nodiscard]] std::string_view dtype_name(DType type);  // "f32"; "bool" for boolean
[[nodiscard]] std::size_t dtype_size(DType type);       // bytes of one number

struct Token {
  std::string raw;       // as in the file; "" where the file names none
  std::string label;     // for reading: decoded, without the mark of a word's start; the position from 1 without tokens
  bool special = false;  // [CLS], </s>, <|endoftext|> ...
  int word = -1;         // tokens of one word share a number; -1: no word
  int segment = -1;      // of a pair or a list of texts, from 0; -1: not said
  bool starts_word = true;  // false: drawn close to the token before it
};

// One stack of attention: all layers that share rows and columns.
struct Stream {
  std::string name;  // "self", "encoder", "decoder", "cross", or the name in the file
  StreamKind kind = StreamKind::self;
  std::vector<int> layer_numbers;  // true numbers of the stored layers, ascending, from 0
  int heads = 0;                   // 0: one matrix per layer, heads already fused
  int queries = 0;
  int keys = 0;
  int batch = 1;  // items in the file, of which
  int item = 0;   // this one was read
  DType dtype = DType::f32;
  DType precision = DType::f32;  // what the numbers went through: bf16 where a bf16 tensor was saved as f32
  bool causal = false;       // measured: no weight above the diagonal in any layer (Q = K > 1)
  bool virtual_sink = false;  // the last key (and, where Q = K, the last query) is the virtual sink of ruling 2
  std::vector<Token> query_tokens;  // [Q]
  std::vector<Token> key_tokens;    // [K]
  std::vector<float> value_norms;     // [K] length of each key's value, mean over layers and heads; empty: unknown
  std::vector<std::string> predicts;  // [Q] what each row predicts, or empty (`output_tokens`, or the next token)

  [[nodiscard]] int layers() const { return static_cast<int>(layer_numbers.size()); }
};

// Patches of an image among the keys: `prefix` other tokens, then rows x columns in reading order.
struct PatchGrid {
  int prefix = 0;
  int rows = 0;  // 0: no grid
  int columns = 0;
};

// What stands beside the attention and some methods need. [shapes] count what the stream kept.
enum class ExtraKind : std::uint8_t {
  gradients,        // [L][H][Q][K] of a scalar, named in meta `target`; `name`: its class, "" where there is one scalar
  norms,            // [L][Q][K] of a vector that the query takes from the key; "" is the file's value_weighted_norms
  value_norms,      // [L][H'][K] of each head's transformed value; H' may be fewer than H (grouped queries)
  mixing_ratios,    // [L][Q]: the share of a token's new state that comes from other tokens
  residual_norms,   // [L][Q], with
  attention_norms,  // [L][Q] of what attention adds
  attribution,      // [K] for the output that was explained, or [Q][K]; signed
  scores,           // the same, or [rows][columns] of the grid
};
struct Extra {
  ExtraKind kind = ExtraKind::attribution;
  std::string stream;
  std::string name;        // class, norm, attribution; "" where the kind has one without a name
  std::vector<int> shape;
};

// Everything about a dump but its numbers.
struct DumpInfo {
  std::string file;    // name without folders
  std::string format;  // "npy", "npz", "safetensors", "json"
  std::uint64_t bytes = 0;
  std::vector<Stream> streams;  // the one to open first stands first: self, encoder, decoder, cross
  std::vector<std::string> companions;  // names of other arrays found beside the attention
  std::map<std::string, std::string, std::less<>> meta;     // attn-dump v1 values: strings as they are, others as JSON text
  std::map<std::string, std::string, std::less<>> assumed;  // --assume switches in force
  std::vector<Extra> extras;
  PatchGrid grid;
  std::string predictions;  // JSON array text of the metadata, or ""
  Report report;

  [[nodiscard]] const Stream* find(std::string_view name) const;
  [[nodiscard]] int index_of(std::string_view name) const;  // -1: none
  // Position in `extras`, -1: none. Without a `name` the first of the kind.
  [[nodiscard]] int find_extra(ExtraKind kind, std::string_view stream, const std::string* name = nullptr) const;
};

// Reads the numbers of one stream, head by head, as stored (after the orientation and the softmax that were
// assumed), not yet normalised. Heads are asked for in ascending (layer, head) order while a dump is loaded, so a
// packed file is inflated once; any other order may start over.
class StackSource {
 public:
  virtual ~StackSource() = default;
  // Fills `out` [Q][K]. `layer` counts stored layers, `head` from 0; a stream with heads == 0 has one head, 0.
  // Errors: read_failed, truncated_data, bad_header (damaged packing).
  [[nodiscard]] virtual Result<void> read_head(int layer, int head, MatrixView out) = 0;
};

// The numbers of one Extra: small ones are here, row-major; gradients and norms are read when they are asked for.
struct ExtraNumbers {
  std::vector<double> values;
  std::unique_ptr<StackSource> stack;
};

// The picture that the patches are of: RGB, row-major; width 0: the file holds none as numbers.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

// An open dump: what it is, and where its numbers come from. `stacks` runs parallel to info.streams, `extras` to
// info.extras.
struct Dump {
  DumpInfo info;
  std::vector<std::unique_ptr<StackSource>> stacks;
  std::vector<ExtraNumbers> extras;
  Picture picture;
};

// Messages between engine and page (base/archive.h).
template <class A> void fields(A& a, Token& t) { a(t.raw, t.label, t.special, t.word, t.segment, t.starts_word); }
template <class A> void fields(A& a, Stream& s) {
  a(s.name, s.kind, s.layer_numbers, s.heads, s.queries, s.keys, s.batch, s.item, s.dtype, s.precision, s.causal, s.virtual_sink,
    s.query_tokens, s.key_tokens, s.value_norms, s.predicts);
}
template <class A> void fields(A& a, PatchGrid& g) { a(g.prefix, g.rows, g.columns); }
template <class A> void fields(A& a, Picture& p) { a(p.width, p.height, p.rgb); }
template <class A> void fields(A& a, Extra& e) { a(e.kind, e.stream, e.name, e.shape); }
template <class A> void fields(A& a, ReportItem& r) { a(r.code, r.severity, r.params, r.where, r.assumption); }
template <class A> void fields(A& a, DumpInfo& d) {
  a(d.file, d.format, d.bytes, d.streams, d.companions, d.meta, d.assumed, d.extras, d.grid, d.predictions, d.report);
}

}  // namespace rollscope
