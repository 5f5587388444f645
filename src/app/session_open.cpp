// Opening a dump: the importer reads the headers, then every head of every stream goes by once.
#include <algorithm>
#include <utility>

#include "app/session_state.h"
#include "app/verbs.h"
#include "app/verbs_args.h"
#include "base/archive.h"
#include "io/importer.h"
#include "base/text.h"

namespace rollscope {
namespace {

double sum_tolerance(DType type) {
  switch (type) {
    case DType::f32:
    case DType::f64: return 1e-4;
    case DType::f16: return 5e-3;
    case DType::bf16: return 3e-2;
    default: return 5e-2;  // eight bits and integers
  }
}

// What only all the numbers can tell about a stream.
void report_numbers(const StackStats& stats, Stream& stream, DumpInfo& info) {
  if (stats.off_rows > 0)
    info.report.push_back(report_item(ReportCode::rows_not_normalised,
                                      {{"count", std::to_string(stats.off_rows)}, {"total", std::to_string(stats.rows)},
                                       {"low", formatted("%.4g", stats.lowest_sum)}, {"high", formatted("%.4g", stats.highest_sum)}},
                                      stream.name, "sums=renormalise"));
  if (stats.nan_rows > 0)
    info.report.push_back(report_item(ReportCode::nan_rows, {{"count", std::to_string(stats.nan_rows)}}, stream.name));
  if (stats.negative_rows > 0)
    info.report.push_back(report_item(ReportCode::negative_weights, {{"count", std::to_string(stats.negative_rows)}}, stream.name));
  if (stats.zero_rows > 0)
    info.report.push_back(report_item(ReportCode::zero_rows, {{"count", std::to_string(stats.zero_rows)}}, stream.name));
  const bool some = stats.rows > stats.nan_rows + stats.zero_rows;
  stream.causal = stream.kind != StreamKind::cross && stream.queries == stream.keys && stream.keys > 1 && some && !stats.upper_weight;
  if (stream.kind != StreamKind::self && stream.kind != StreamKind::decoder) return;
  const auto said = info.meta.find("causal");
  if (said == info.meta.end() || (said->second != "true" && said->second != "false")) return;
  if ((said->second == "true") != stream.causal)
    info.report.push_back(report_item(ReportCode::causal_differs, {{"said", said->second}}, stream.name));
}

class OpenJob final : public Job {
 public:
  OpenJob(std::shared_ptr<Session::State> state, std::shared_ptr<ByteSource> source, std::string name, ImportOptions options, bool describe)
      : state_(std::move(state)), source_(std::move(source)), name_(std::move(name)), options_(std::move(options)), describe_(describe) {}

  Result<bool> step() override {
    auto done = !open_ ? import() : at_stream_ < open_->streams.size() ? read() : conclude();
    if (!done) done.error().params.emplace("file", name_);
    return done;
  }

  JobProgress progress() const override {
    JobProgress p = progress_;
    p.fraction = p.total ? 0.02 + 0.98 * static_cast<double>(p.bytes) / static_cast<double>(p.total) : 0;
    return p;
  }

  JobResult result() override { return std::move(result_); }

 private:
  Result<bool> import() {
    auto dump = open_dump(std::move(source_), name_, options_);
    if (!dump) return tl::unexpected(std::move(dump.error()));
    if (auto refused = refusal(dump->info); !refused) {
      if (!describe_) return tl::unexpected(std::move(refused.error()));
      result_.json = info_json(dump->info);
      return true;
    }
    open_ = std::make_shared<OpenDump>();
    open_->dump = std::move(*dump);
    open_->streams.resize(open_->dump.info.streams.size());
    for (const auto& s : open_->dump.info.streams) progress_.total += head_bytes(s) * heads(s) * static_cast<std::uint64_t>(s.layers());
    return begin_stream();
  }

  static std::uint64_t heads(const Stream& s) { return static_cast<std::uint64_t>(std::max(1, s.heads)); }
  static std::size_t head_size(const Stream& s) { return static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys); }
  static std::uint64_t head_bytes(const Stream& s) { return head_size(s) * dtype_size(s.dtype); }
  Stream& stream() { return open_->dump.info.streams[at_stream_]; }

  Result<bool> begin_stream() {
    if (at_stream_ == open_->streams.size()) return false;
    const Stream& s = stream();
    StreamData& data = open_->streams[at_stream_];
    const std::size_t all = static_cast<std::size_t>(heads(s)) * static_cast<std::size_t>(s.layers());
    data.stats.tolerance = sum_tolerance(s.dtype);
    data.stats.virtual_sink = s.virtual_sink;
    data.stats.received.reserve(all * static_cast<std::size_t>(s.keys));
    data.stats.own.reserve(all * static_cast<std::size_t>(s.keys));
    data.stats.empty.reserve(all * static_cast<std::size_t>(s.queries));
    auto memory = RealBuffer::make(head_size(s) * static_cast<std::size_t>(s.layers()));
    auto scratch = RealBuffer::make(head_size(s));
    if (!memory) return tl::unexpected(std::move(memory.error()));
    if (!scratch) return tl::unexpected(std::move(scratch.error()));
    scratch_ = std::move(*scratch);
    stack_ = std::make_shared<FusedStack>();
    stack_->data = std::move(*memory);
    for (int l = 0; l < s.layers(); ++l) stack_->layers.push_back(stack_->data.matrix(static_cast<std::size_t>(l), s.queries, s.keys));
    if (s.heads > 1 && all * head_size(s) * sizeof(Real) <= kHeadsBytes) {
      if (auto kept = RealBuffer::make(all * head_size(s))) {
        data.heads = std::move(*kept);
        data.has_heads = true;
      }
    }
    layer_ = head_ = 0;
    return false;
  }

  // One head, or a few small ones.
  Result<bool> read() {
    constexpr std::size_t kStepBytes = std::size_t{1} << 20;
    std::size_t bytes = 0;
    do {
      const Stream& s = stream();
      StreamData& data = open_->streams[at_stream_];
      const auto matrix = scratch_.matrix(0, s.queries, s.keys);
      if (auto read = open_->dump.stacks[at_stream_]->read_head(layer_, head_, matrix); !read) return tl::unexpected(std::move(read.error()));
      if (head_ == 0)
        fuser_ = std::make_unique<LayerFuser>(stack_->data.matrix(static_cast<std::size_t>(layer_), s.queries, s.keys), Fusion::mean, &data.stats);
      fuser_->add(matrix);
      if (data.has_heads)
        std::copy(matrix.data, matrix.data + matrix.size(),
                  data.heads.matrix(static_cast<std::size_t>(layer_) * heads(s) + static_cast<std::size_t>(head_), s.queries, s.keys).data);
      bytes += matrix.size() * sizeof(Real);
      progress_.bytes += head_bytes(s);
      progress_.layer = layer_ + 1;
      progress_.layers = s.layers();
      if (++head_ < static_cast<int>(heads(s))) continue;
      fuser_->finish();
      head_ = 0;
      if (++layer_ < s.layers()) continue;
      data.mean = std::move(stack_);
      fuser_.reset();
      report_numbers(data.stats, stream(), open_->dump.info);
      ++at_stream_;
      return begin_stream();
    } while (bytes < kStepBytes);
    return false;
  }

  // Nothing can fail any more: the new dump takes the place of the old one.
  Result<bool> conclude() {
    DumpInfo& info = open_->dump.info;
    result_.json = info_json(info);
    ArchiveWriter archive;
    archive(info);
    result_.blob = archive.take();
    state_->open = std::move(open_);
    return true;
  }

  std::shared_ptr<Session::State> state_;
  std::shared_ptr<ByteSource> source_;
  std::string name_;
  ImportOptions options_;
  bool describe_;
  std::shared_ptr<OpenDump> open_;
  std::shared_ptr<FusedStack> stack_;
  std::unique_ptr<LayerFuser> fuser_;
  RealBuffer scratch_;
  std::size_t at_stream_ = 0;
  int layer_ = 0, head_ = 0;
  JobProgress progress_;
  JobResult result_;
};

}  // namespace

Result<std::unique_ptr<Job>> make_open_job(std::shared_ptr<Session::State> state, std::shared_ptr<ByteSource> source, const std::string& text) {
  auto args = Args::parse(text);
  if (!args) return tl::unexpected(std::move(args.error()));
  if (auto known = args->only("open", {"name", "assume", "item", "describe"}); !known) return tl::unexpected(std::move(known.error()));
  ImportOptions options;
  auto name = args->text("name", "file");
  if (!name) return tl::unexpected(std::move(name.error()));
  auto item = args->integer("item", 0);
  if (!item) return tl::unexpected(std::move(item.error()));
  options.item = *item;
  auto assume = args->texts("assume");
  if (!assume) return tl::unexpected(std::move(assume.error()));
  options.assume = std::move(*assume);
  return std::unique_ptr<Job>(std::make_unique<OpenJob>(std::move(state), std::move(source), std::move(*name), std::move(options), args->flag("describe")));
}

}  // namespace rollscope
