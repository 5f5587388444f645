// Numbers that no softmax gives, in every array that a method reads and for every method: each question has a row of
// finite numbers or a refusal with a code.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "app/session_fixture.h"
#include "methods/recipe.h"

namespace rollscope::test {
namespace {

constexpr int kLayers = 2, kHeads = 2, kTokens = 3;

// As Python's json writes them. 1e308: one is in range, a sum of two is not; 1e-320: a quotient by it overflows.
constexpr const char* kValues[] = {"NaN", "0", "-0.0", "-1", "-0.1", "-1e-300", "1e-320", "3.5e38", "1e308", "-1e308", "Infinity", "-Infinity"};
enum class Where { cell, column, row, head, all };
constexpr Where kWhere[] = {Where::cell, Where::column, Where::row, Where::head, Where::all};

// An array of rows that sum to 1, [L][H][N][N], or where `heads` is false [L][N][N], with the value put in.
std::string stack(bool heads, const char* value, Where where) {
  std::string text = "[";
  for (int l = 0; l < kLayers; ++l) {
    text += l ? ",[" : "[";
    for (int h = 0; h < (heads ? kHeads : 1); ++h) {
      if (heads) text += h ? ",[" : "[";
      for (int i = 0; i < kTokens; ++i) {
        text += i ? ",[" : "[";
        for (int j = 0; j < kTokens; ++j) {
          const bool here = l == 1 && h == 0;
          const bool put = value && (where == Where::all || (here && (where == Where::head || (where == Where::row && i == 0) || (where == Where::column && j == 1) ||
                                                                      (where == Where::cell && i == 0 && j == 1))));
          const char* plain[] = {"0.5", "0.3", "0.2"};
          text += (j ? "," : "") + std::string(put ? value : plain[(i + j + h) % 3]);
        }
        text += "]";
      }
      if (heads) text += "]";
    }
    text += "]";
  }
  return text + "]";
}

std::string list(const char* value, Where where) {
  std::string text = "[";
  for (int j = 0; j < kTokens; ++j) text += (j ? "," : "") + std::string(value && (where == Where::all || j == 1) ? value : "0.25");
  return text + "]";
}

struct Array {
  std::string name;
  enum class Shape { heads, layer, keys } shape;
};

// Dumps with every array that some method reads, the value in one of them.
std::vector<Array> self_arrays() {
  using Shape = Array::Shape;
  return {{"attentions", Shape::heads}, {"attention_grads/x", Shape::heads}, {"attention_grads/y", Shape::heads}, {"norms/n", Shape::layer},
          {"scores/cdam/x", Shape::keys}, {"attr/ig", Shape::keys}};
}

std::vector<Array> translation_arrays() {
  using Shape = Array::Shape;
  return {{"encoder_attentions", Shape::heads}, {"decoder_attentions", Shape::heads}, {"cross_attentions", Shape::heads},
          {"encoder_attention_grads/x", Shape::heads}, {"decoder_attention_grads/x", Shape::heads}, {"cross_attention_grads/x", Shape::heads}};
}

std::shared_ptr<ByteSource> dump_with(const std::vector<Array>& arrays, const std::string& broken, const char* value, Where where) {
  std::string text = R"({"format": "attn-dump", "version": 1, "axes": "lhqk")";
  for (const Array& array : arrays) {
    const char* put = array.name == broken ? value : nullptr;
    text += ", \"" + array.name + "\": " + (array.shape == Array::Shape::keys ? list(put, where) : stack(array.shape == Array::Shape::heads, put, where));
  }
  text += "}";
  return std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end()));
}

struct Asked {
  Method method;
  std::string args;
};

// Every method with every setting that enters its numbers, and some that it refuses.
std::vector<Asked> questions(bool translation) {
  std::vector<Asked> out;
  for (int m = 0; m < kMethods; ++m) {
    const auto method = static_cast<Method>(m);
    const MethodTraits& t = traits(method);
    std::string args = R"("method": ")" + std::string(t.name) + (method == Method::attribution ? ":ig\"" : "\"");
    if (t.gradients || method == Method::cdam) args += R"(, "class": "x")";
    if (translation) {
      if (method == Method::joint) out.push_back({method, args});
      const bool divided = method == Method::gradient_rollout || method == Method::gradient_rollout_mean_first;  // of self-attention alone
      if (method == Method::raw || (t.gradients && !divided)) out.push_back({method, args + R"(, "stream": "cross")"});
      continue;
    }
    if (method == Method::joint) continue;
    out.push_back({method, args});
    out.push_back({method, args + R"(, "row": 0)"});
    if (t.heads_fused)
      for (const char* fusion : {"max", "min"}) out.push_back({method, args + R"(, "fusion": ")" + fusion + "\""});
    if (t.residual)
      for (const char* residual : {"0", "1"}) out.push_back({method, args + R"(, "residual": )" + residual});
    if (t.attention)
      for (const char* sink : {"renormalise", "remove", "lift"}) out.push_back({method, args + R"(, "sink": ")" + sink + "\""});
    if (t.gradients) out.push_back({method, args + R"(, "minus": "y")"});
    if (method == Method::rollout) out.push_back({method, args + R"(, "head": "1:0")"});
    if (method == Method::flow) out.push_back({method, args + R"(, "pairs": "0:1,2:0")"});
    if (method == Method::vit_explain || method == Method::vit_explain_corrected)
      for (const char* discard : {"0", "1"}) out.push_back({method, args + R"(, "discard": )" + discard});
    out.push_back({method, args + R"(, "region": "1", "row": 0)"});
  }
  return out;
}

// What is wrong with an answer; "" where nothing is.
std::string problem(const Asked& asked, const Result<JobResult>& result) {
  if (!result) return error_name(result.error().code).empty() ? "a refusal without a code" : "";
  const auto e = parsed(result->json);
  if (const auto wrong = schema_problem(e, "explain"); !wrong.empty()) return wrong;
  const bool pairs = e["diagnostics"].HasMember("pairs");
  for (const auto& row : e["matrix"].GetArray())
    for (const auto& x : row.GetArray()) {
      if (x.IsNull()) {
        if (traits(asked.method).attention && !pairs) return "a number that is not finite";
        continue;
      }
      if (!std::isfinite(x.GetDouble())) return "a number that is not finite";
    }
  if (traits(asked.method).unit_rows && asked.args.find("lift") == std::string::npos && !e["signed"].GetBool())
    for (const auto& sum : e["diagnostics"]["sum"].GetArray())
      if (sum.GetDouble() > 1 + 1e-6) return "a row that sums to more than 1";
  return "";
}

// Whether the method's numbers come from such an array.
bool reads(Method method, const Array& array) {
  const MethodTraits& t = traits(method);
  if (array.shape == Array::Shape::keys) return !t.attention;
  if (array.shape == Array::Shape::layer) return method == Method::norm_rollout;
  return array.name.find("grads") == std::string::npos ? t.attention : t.gradients;
}

void all_answers(bool translation) {
  const auto arrays = translation ? translation_arrays() : self_arrays();
  const auto open = [&](Session& session, const std::string& broken, const char* value, Where where) {
    return run(session.open(dump_with(arrays, broken, value, where), R"({"name": "broken.json"})"));
  };
  // What the method takes on good numbers.
  std::vector<Asked> asked;
  std::set<Method> wanted, taken;
  Session good;
  must(open(good, "", nullptr, Where::all));
  for (Asked& one : questions(translation)) {
    CAPTURE(one.args);
    wanted.insert(one.method);
    const auto result = run(good.ask("explain", "{" + one.args + "}"));
    if (!result) {
      CHECK(result.error().code == ErrorCode::usage);
      continue;
    }
    CHECK(problem(one, result) == "");
    taken.insert(one.method);
    asked.push_back(std::move(one));
  }
  CHECK(taken == wanted);

  for (const Array& array : arrays)
    for (const char* value : kValues)
      for (const Where where : kWhere) {
        if (array.shape != Array::Shape::heads && (where == Where::column || where == Where::head)) continue;
        const std::string put = std::string(value) + " in " + array.name + ", " + std::to_string(static_cast<int>(where));
        CAPTURE(put);
        Session session;
        if (const auto opened = open(session, array.name, value, where); !opened) {
          CHECK_FALSE(error_name(opened.error().code).empty());
          continue;
        }
        for (const Asked& one : asked) {
          if (!reads(one.method, array)) continue;
          CAPTURE(one.args);
          CHECK(problem(one, run(session.ask("explain", "{" + one.args + "}"))) == "");
        }
      }
}

}  // namespace

TEST_CASE("every method of one sequence answers broken numbers with finite ones or a refusal") { all_answers(false); }

TEST_CASE("every method over source and target answers broken numbers with finite ones or a refusal") { all_answers(true); }

TEST_CASE("relevance that grows past a number is refused: all rows of a short text, and one row of a long one") {
  const auto repeated = [](const std::string& x, int count) {
    std::string text = "[";
    for (int k = 0; k < count; ++k) text += (k ? "," : "") + x;
    return text + "]";
  };
  for (const int tokens : {3, 520}) {  // from 513 on a row is computed alone
    CAPTURE(tokens);
    const auto array = [&](const std::string& x) { return repeated("[" + repeated(repeated(x, tokens), tokens) + "]", 2); };
    const std::string text = R"({"format": "attn-dump", "version": 1, "axes": "lhqk", "attentions": )" + array("0.002") + R"(, "attention_grads/x": )" + array("1e308") +
                             R"(, "attention_grads/y": )" + array("1") + "}";
    Session session;
    must(run(session.open(std::make_shared<MemorySource>(std::vector<std::uint8_t>(text.begin(), text.end())), R"({"name": "large.json"})")));
    for (const std::string more : {R"("class": "x")", R"("class": "x", "minus": "y")", R"("class": "y", "minus": "x")"}) {
      CAPTURE(more);
      const auto error = refused(run(session.ask("explain", R"({"method": "relevance", "row": 0, )" + more + "}")));
      CHECK(error.code == ErrorCode::overflow);
      CHECK(error_json(error).find("The numbers of relevance grow past what can be counted: weights or gradients in large.json are far too large.") != std::string::npos);
    }
    CHECK(run(session.ask("explain", R"({"method": "relevance", "row": 0, "class": "y"})")));
  }
}

}  // namespace rollscope::test
