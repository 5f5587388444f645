// What a dump says while it is being opened: the plan, the row through the layers read so far, why it will not fit; and
// looks at a file that leave the open one alone.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "app/session_fixture.h"
#include "app/session_state.h"

using namespace rollscope;
using namespace rollscope::test;

namespace {

// A .npy of float32 whose every number is `value`, made as it is read: any size costs nothing.
class ConstantNpy final : public ByteSource {
 public:
  ConstantNpy(const std::string& shape, std::uint64_t numbers, float value) : size_(128 + 4 * numbers), value_(value) {
    header_ = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header_.resize(127, ' ');
    header_ += '\n';
  }
  std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
    read_ += out.size();
    std::uint8_t bytes[4];
    std::memcpy(bytes, &value_, 4);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = offset + i < 128 ? static_cast<std::uint8_t>(header_[offset + i]) : bytes[(offset + i) % 4];
    return {};
  }
  std::uint64_t read_ = 0;

 private:
  std::string header_;
  std::uint64_t size_;
  float value_;
};

std::shared_ptr<ConstantNpy> uniform_npy(int layers, int heads, int tokens) {
  return std::make_shared<ConstantNpy>(fmt::format("({}, {}, {}, {})", layers, heads, tokens, tokens),
                                       std::uint64_t{1} * layers * heads * tokens * tokens, 1.0f / static_cast<float>(tokens));
}

// Runs a job to its end, and hands on what it says on the way: at most one row after each step.
std::vector<rapidjson::Document> partials(Job& job) {
  std::vector<rapidjson::Document> out;
  CHECK(job.partial() == "");
  for (;;) {
    auto done = job.step();
    REQUIRE(done);
    if (*done) break;
    if (const auto text = job.partial(); !text.empty()) {
      out.push_back(parsed(text));
      CHECK(job.partial() == "");  // nothing new
    }
  }
  CHECK_FALSE(job.result().json.empty());
  return out;
}

std::vector<double> row_of(const rapidjson::Value& list) {
  std::vector<double> out;
  for (const auto& x : list.GetArray()) out.push_back(x.GetDouble());
  return out;
}

// Matrices of this size fill a step each, so that a row is there after each layer.
Numbers random_rows(std::vector<std::size_t> shape, bool causal = false) {
  Numbers out{shape, {}};
  const std::size_t queries = shape[shape.size() - 2], keys = shape.back();
  const std::size_t rows = std::accumulate(shape.begin(), shape.end() - 1, std::size_t{1}, std::multiplies<>());
  std::uint32_t state = 7;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t seen = causal ? r % queries + 1 : keys;
    double sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      state = state * 1664525u + 1013904223u;
      out.values.push_back(j < seen ? 1 + static_cast<double>(state >> 20) : 0);
      sum += out.values.back();
    }
    for (std::size_t j = 0; j < keys; ++j) out.values[out.values.size() - keys + j] /= sum;
  }
  return out;
}

}  // namespace

TEST_CASE("after each layer the first row is shown through the layers read so far") {
  for (const bool causal : {false, true}) {
    CAPTURE(causal);
    Session session;
    auto job = session.open(json_dump(random_rows({4, 3, 256, 256}, causal)), R"({"name": "test.json"})");
    REQUIRE(job);
    const auto said = partials(**job);
    REQUIRE(said.size() == 4);
    for (int layers = 1; layers <= 4; ++layers) {
      const auto& p = said[static_cast<std::size_t>(layers) - 1];
      CHECK(p["stream"].GetString() == std::string("self"));
      CHECK(p["query"].GetInt() == (causal ? 255 : 0));
      CHECK(p["layers"].GetInt() == layers);
      CHECK(p["of"].GetInt() == 4);
      const auto e = explain(session, fmt::format(R"({{"layers": [0, {}], "row": {}}})", layers, p["query"].GetInt()));
      CHECK(largest_difference(row_of(p["weights"]), row_of(e["matrix"][0])) <= 1e-12);
      REQUIRE(p["tokens"].Size() == 256);
      CHECK(p["tokens"][9].GetString() == std::string(e["keys"][9].GetString()));
    }
  }
}

TEST_CASE("of an encoder-decoder the encoder's rows are shown while it is read, of cross attention alone the raw row") {
  Session session;
  auto source = FileSource::open(dump_path("enfr_i_love_you.npz"));
  REQUIRE(source);
  {
    auto job = session.open(*source, R"({"name": "enfr.npz"})");
    REQUIRE(job);
    const auto said = partials(**job);
    REQUIRE_FALSE(said.empty());
    for (const auto& p : said) CHECK(p["stream"].GetString() == std::string("encoder"));
  }
  const auto cross = random_rows({3, 2, 256, 520});
  std::size_t at = 0;
  const std::string text = "{\"cross_attentions\": " + nested(cross, 0, at) + "}";
  auto job = session.open(std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end())), R"({"name": "cross.json"})");
  REQUIRE(job);
  const auto said = partials(**job);
  REQUIRE(said.size() == 3);
  for (int layer = 0; layer < 3; ++layer) {
    const auto& p = said[static_cast<std::size_t>(layer)];
    CHECK(p["query"].GetInt() == 255);
    const auto e = explain(session, fmt::format(R"({{"method": "raw", "layers": [{}, {}], "row": 255}})", layer, layer + 1));
    CHECK(largest_difference(row_of(p["weights"]), row_of(e["matrix"][0])) <= 1e-12);
  }
}

TEST_CASE("large single matrices are not held up by rows in between, and long texts have none") {
  Session session(std::uint64_t{3} << 30);
  auto job = session.open(uniform_npy(12, 1, 700), R"({"name": "x.npy"})");
  REQUIRE(job);
  const auto said = partials(**job);
  CHECK(said.size() >= 4);
  CHECK(said.size() < 12);
  auto longer = session.open(uniform_npy(1, 1, 4097), R"({"name": "x.npy"})");
  REQUIRE(longer);
  CHECK(partials(**longer).empty());
}

TEST_CASE("the plan is known before the first head is read") {
  Session session;
  const auto source = uniform_npy(6, 8, 256);
  auto job = session.open(source, R"({"name": "x.npy"})");
  REQUIRE(job);
  const auto done = (*job)->step();
  REQUIRE(done);
  CHECK_FALSE(*done);
  const auto p = (*job)->progress();
  CHECK(p.bytes == 0);
  CHECK(p.total == 6 * 8 * 256 * 256 * 4);
  CHECK(p.kept == 6 * (1 + 8) * 256 * 256 * sizeof(Real));  // few enough for the heads to stay
  CHECK(parsed(progress_json(p))["kept"].GetUint64() == p.kept);

  auto larger = session.open(uniform_npy(12, 12, 1024), R"({"name": "x.npy"})");
  REQUIRE(larger);
  REQUIRE((*larger)->step());
  CHECK((*larger)->progress().total == std::uint64_t{12 * 12 * 4} << 20);
  CHECK((*larger)->progress().kept == (std::uint64_t{12} << 20) * sizeof(Real));
}

TEST_CASE("what cannot fit is refused before it is read, with what would fit") {
  Session session(std::uint64_t{64} << 20);
  const auto source = uniform_npy(40, 12, 512);
  const auto error = refused(run(session.open(source, R"({"name": "long.npy"})")));
  CHECK(error.code == ErrorCode::too_big);
  CHECK(source->read_ < (std::uint64_t{20} << 20));  // the importer's sample
  CHECK(error_text(error).find("long.npy asks for ") == 0);
  CHECK(error.params.at("limit") == "67.1 MB");

  Stream stream;
  stream.name = "self";
  stream.layer_numbers.resize(40);
  stream.heads = 12;
  stream.queries = stream.keys = 512;
  const auto verdict = check_memory({stream}, std::uint64_t{64} << 20);
  REQUIRE_FALSE(verdict);
  const std::string detail = verdict.error().params.at("detail");
  const auto number_before = [&](const std::string& words) {
    const auto end = detail.find(words);
    REQUIRE_MESSAGE(end != detail.npos, detail);
    return std::stoi(detail.substr(detail.find_last_of(' ', end - 1) + 1));
  };
  const int layers = number_before(" of the layers"), tokens = number_before(" of the tokens");
  // The advice is true: that much opens, a little more does not.
  const auto opens = [&](int l, int n) {
    auto job = session.open(uniform_npy(l, 12, n), R"({"name": "x.npy"})");
    REQUIRE(job);
    return (*job)->step().has_value();
  };
  CHECK(opens(layers, 512));
  CHECK_FALSE(opens(layers + 1, 512));
  CHECK(opens(40, tokens));
  CHECK_FALSE(opens(40, tokens + 1));
  // 4096 tokens, 32 layers: past what any module's memory can hold.
  Session full;
  CHECK(refused(run(full.open(uniform_npy(32, 1, 4096), "{}"))).code == ErrorCode::too_big);
}

TEST_CASE("a preview is a picture of a file and leaves the open dump and its questions alone") {
  const Vector v("causal_6x4x3");
  Session session;
  must(run(session.open(json_dump(random_rows({1, 1, 2, 2})), R"({"name": "open.json"})")));
  const auto before = must(run(session.ask("explain", "{}"))).json;
  auto asked = session.ask("explain", "{}");
  REQUIRE(asked);
  const auto seen = must(run(session.open(json_dump(v.get("inputs/attn")), R"({"name": "test.json", "preview": true})")));
  CHECK(seen.json == "");
  MatrixData matrix;
  ArchiveReader archive(seen.blob);
  archive(matrix);
  REQUIRE_FALSE(archive.failed());
  CHECK(matrix.rows == 6);
  CHECK(largest_difference(matrix.values, v.get("expected/rollout").values) <= 1e-6);
  CHECK(must(finish(**asked)).json == before);
  CHECK(must(run(session.ask("explain", "{}"))).json == before);

  const auto cross = random_rows({2, 1, 3, 5});
  std::size_t at = 0;
  const std::string text = "{\"cross_attentions\": " + nested(cross, 0, at) + "}";
  const auto raw = must(run(session.open(std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end())), R"({"preview": true})")));
  MatrixData last;
  ArchiveReader again(raw.blob);
  again(last);
  REQUIRE_FALSE(again.failed());
  CHECK(largest_difference(last.values, std::vector<double>(cross.values.begin() + 15, cross.values.end())) <= 1e-6);

  const auto large = refused(run(session.open(uniform_npy(2, 12, 1024), R"({"name": "x.npy", "preview": true})")));
  CHECK(large.code == ErrorCode::too_big);
  CHECK(error_text(large).find("x.npy asks for 101 MB") == 0);
}

TEST_CASE("what lies beside a dump is a list of names and texts") {
  Session session;
  const auto code = [&](const std::string& beside) { return refused(run(session.open(uniform_npy(1, 1, 2), "{\"beside\": " + beside + "}"))).code; };
  CHECK(code("{}") == ErrorCode::bad_value);
  CHECK(code("[1]") == ErrorCode::bad_value);
  CHECK(code(R"([{"name": 1}])") == ErrorCode::bad_value);
  CHECK(code(R"([{"name": "a", "words": "b"}])") == ErrorCode::unknown_option);
  CHECK(session.open(uniform_npy(1, 1, 2), R"({"beside": [{"name": "tokens.txt", "text": "a\nb\n"}]})"));
}

TEST_CASE("a virtual sink does not make a causal stream look two-sided") {
  auto attn = random_rows({2, 2, 5, 5}, true);
  for (double& x : attn.values) x *= 0.8;  // the rest went to a sink that was not saved
  Session session;
  const auto info = parsed(must(run(session.open(json_dump(attn), R"({"assume": {"sums": "sink"}})"))).json);
  CHECK(info["streams"][0]["virtual_sink"].GetBool());
  CHECK(info["streams"][0]["causal"].GetBool());
  const auto e = explain(session, R"({"row": 2})");
  CHECK(e["matrix"][0][3].GetDouble() == 0);
  CHECK(e["matrix"][0][5].GetDouble() > 0.15);
  attn.values[1] = 0.1;  // row 0 reads key 1
  const auto other = parsed(must(run(session.open(json_dump(attn), R"({"assume": {"sums": "sink"}})"))).json);
  CHECK_FALSE(other["streams"][0]["causal"].GetBool());
}

TEST_CASE("a file that is cut while it is read, or empty, is said in words") {
  const auto path = std::filesystem::temp_directory_path() / "rollscope_cut.npy";
  {
    const auto whole = uniform_npy(8, 4, 256);
    std::vector<std::uint8_t> bytes(whole->size());
    REQUIRE(whole->read(0, bytes));
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  Session session;
  auto source = FileSource::open(path.string());
  REQUIRE(source);
  auto job = session.open(*source, R"({"name": "cut.npy"})");
  REQUIRE(job);
  REQUIRE((*job)->step());
  std::filesystem::resize_file(path, 4096);
  const auto error = refused(finish(**job));
  CHECK(error.code == ErrorCode::read_failed);
  CHECK(error_text(error) == "cut.npy could not be read: it became shorter while it was read.");
  std::filesystem::resize_file(path, 0);
  auto empty = FileSource::open(path.string());
  REQUIRE(empty);
  CHECK(refused(run(session.open(*empty, "{}"))).code == ErrorCode::empty);
  std::filesystem::remove(path);
  CHECK_FALSE(session.has_dump());
}
