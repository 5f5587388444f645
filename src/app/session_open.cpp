// Opening a dump: the importer reads the headers, then every head of every stream goes by once. A preview reads the
// stream that opens first and ends in a picture of it instead.
#include <algorithm>
#include <utility>

#include "app/session_state.h"
#include "app/verbs.h"
#include "app/verbs_args.h"
#include "base/archive.h"
#include "io/bytes.h"
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
  if (stats.zero_rows == stats.rows) info.report.back().severity = Severity::warning;  // then nothing shown means anything
  const bool some = stats.rows > stats.nan_rows + stats.zero_rows;
  stream.causal = stream.kind != StreamKind::cross && stream.queries == stream.keys && stream.keys > 1 && some && !stats.upper_weight;
  if (stream.kind != StreamKind::self && stream.kind != StreamKind::decoder) return;
  const auto said = info.meta.find("causal");
  if (said == info.meta.end() || (said->second != "true" && said->second != "false")) return;
  if ((said->second == "true") != stream.causal)
    info.report.push_back(report_item(ReportCode::causal_differs, {{"said", said->second}}, stream.name));
}

enum class Purpose { open, describe, preview };

class OpenJob final : public Job {
 public:
  OpenJob(std::shared_ptr<Session::State> state, std::shared_ptr<ByteSource> source, std::string name, ImportOptions options, Purpose purpose)
      : state_(std::move(state)), source_(std::move(source)), name_(std::move(name)), options_(std::move(options)), purpose_(purpose) {}

  Result<bool> step() override {
    auto done = advance();
    if (!done) done.error().params.emplace("file", name_);
    return done;
  }

  JobProgress progress() const override {
    JobProgress p = progress_;
    p.fraction = p.total ? 0.02 + 0.98 * static_cast<double>(p.bytes) / static_cast<double>(p.total) : 0;
    return p;
  }

  JobResult result() override { return std::move(result_); }

  std::string partial() override { return partial_ ? partial_->take() : ""; }

 private:
  Result<bool> advance() {
    if (!open_) return import();
    if (partial_->walking()) {
      partial_->step();
      return false;
    }
    if (at_stream_ < end_stream_) return stack_ ? read() : begin_stream();
    return purpose_ == Purpose::preview ? picture() : conclude();
  }

  Result<bool> import() {
    auto dump = open_dump(source_, name_, options_);
    if (!dump) return tl::unexpected(std::move(dump.error()));
    if (auto refused = refusal(dump->info); !refused) {
      if (purpose_ != Purpose::describe) return tl::unexpected(std::move(refused.error()));
      result_.json = info_json(dump->info);
      return true;
    }
    auto recipe = resolve_recipe(dump->info, {});
    if (!recipe) return tl::unexpected(std::move(recipe.error()));
    auto& streams = dump->info.streams;
    if (purpose_ == Purpose::preview) {
      at_stream_ = static_cast<std::size_t>(dump->info.index_of(recipe->stream));
      end_stream_ = at_stream_ + 1;
    } else {
      end_stream_ = streams.size();
    }
    const std::vector<Stream> wanted(streams.begin() + static_cast<std::ptrdiff_t>(at_stream_), streams.begin() + static_cast<std::ptrdiff_t>(end_stream_));
    if (auto fits = check_memory(wanted, options_.memory_limit); !fits) return tl::unexpected(std::move(fits.error()));
    const OpenPlan plan = plan_of(wanted);
    progress_.total = static_cast<std::uint64_t>(plan.total);
    progress_.kept = static_cast<std::uint64_t>(plan.kept);
    open_ = std::make_shared<OpenDump>();
    open_->dump = std::move(*dump);
    open_->source = std::move(source_);
    open_->streams.resize(open_->dump.info.streams.size());
    shown_ = static_cast<std::size_t>(open_->dump.info.index_of(recipe->stream));
    partial_.emplace(open_->dump.info, *recipe);
    return false;
  }

  static std::uint64_t heads(const Stream& s) { return static_cast<std::uint64_t>(std::max(1, s.heads)); }
  static std::size_t head_size(const Stream& s) { return static_cast<std::size_t>(s.queries) * static_cast<std::size_t>(s.keys); }
  static std::uint64_t head_bytes(const Stream& s) { return head_size(s) * dtype_size(s.dtype); }
  Stream& stream() { return open_->dump.info.streams[at_stream_]; }

  Result<bool> begin_stream() {
    const Stream& s = stream();
    StreamData& data = open_->streams[at_stream_];
    const std::size_t all = static_cast<std::size_t>(heads(s)) * static_cast<std::size_t>(s.layers());
    data.stats.tolerance = sum_tolerance(s.precision);
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
    if (keeps_heads(s)) {
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
      ++layer_;
      if (at_stream_ == shown_) partial_->layer_read(stack_->view().slice(0, layer_));
      partial_->step();
      if (layer_ == s.layers()) {
        data.mean = std::move(stack_);
        scratch_ = {};
        fuser_.reset();
        report_numbers(data.stats, stream(), open_->dump.info);
        ++at_stream_;
        return false;
      }
    } while (bytes < kStepBytes && !partial_->walking());
    return false;
  }

  // The stream that was read, as the matrix that would be shown of it.
  Result<bool> picture() {
    if (!picture_) {
      auto job = make_verb_job(open_, "matrix", "{}");
      if (!job) return tl::unexpected(std::move(job.error()));
      picture_ = std::move(*job);
    }
    auto done = picture_->step();
    if (done && *done) result_ = picture_->result();
    return done;
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
  Purpose purpose_;
  std::shared_ptr<OpenDump> open_;
  std::optional<PartialRow> partial_;
  std::unique_ptr<Job> picture_;
  std::shared_ptr<FusedStack> stack_;
  std::unique_ptr<LayerFuser> fuser_;
  RealBuffer scratch_;
  std::size_t at_stream_ = 0, end_stream_ = 0, shown_ = 0;
  int layer_ = 0, head_ = 0;
  JobProgress progress_;
  JobResult result_;
};

}  // namespace

Result<std::unique_ptr<Job>> make_open_job(std::shared_ptr<Session::State> state, std::shared_ptr<ByteSource> source, const std::string& text) {
  auto args = Args::parse(text);
  if (!args) return tl::unexpected(std::move(args.error()));
  if (auto known = args->only("open", {"name", "assume", "item", "beside", "describe", "preview"}); !known) return tl::unexpected(std::move(known.error()));
  ImportOptions options;
  options.memory_limit = state->memory_limit;
  auto name = args->text("name", "file");
  if (!name) return tl::unexpected(std::move(name.error()));
  auto item = args->integer("item", 0);
  if (!item) return tl::unexpected(std::move(item.error()));
  options.item = *item;
  auto assume = args->texts("assume");
  if (!assume) return tl::unexpected(std::move(assume.error()));
  options.assume = std::move(*assume);
  auto beside = args->objects("beside");
  if (!beside) return tl::unexpected(std::move(beside.error()));
  for (const Args& one : *beside) {
    if (auto known = one.only("beside", {"name", "text"}); !known) return tl::unexpected(std::move(known.error()));
    auto file = one.text("name", "");
    if (!file) return tl::unexpected(std::move(file.error()));
    auto content = one.text("text", "");
    if (!content) return tl::unexpected(std::move(content.error()));
    options.beside.push_back({std::move(*file), std::move(*content)});
  }
  const Purpose purpose = args->flag("preview") ? Purpose::preview : args->flag("describe") ? Purpose::describe : Purpose::open;
  if (purpose == Purpose::preview && source->size() > kPreviewBytes)
    return fail(ErrorCode::too_big, {{"file", *name}, {"needed", human_bytes(static_cast<double>(source->size()))},
                                     {"limit", human_bytes(static_cast<double>(kPreviewBytes))},
                                     {"detail", "a preview is made of small files only"}});
  return std::unique_ptr<Job>(std::make_unique<OpenJob>(std::move(state), std::move(source), std::move(*name), std::move(options), purpose));
}

}  // namespace rollscope
