#include "io/pickle.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "io/pickle_builders.h"
#include "io/sniff.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

const std::vector<float> kNumbers = attention(2, 3, 3);
Pickle stack() { return ndarray("f4", {2, 3, 3}, bytes(raw(kNumbers))); }
std::string code_of(const Pickle& value, int protocol = 2) { return code(open(pickled(value, protocol))); }
std::string text_of(const Pickle& value) { return rollscope::testing::text(open(pickled(value))); }

// Reads the instructions only, whatever they stand for.
std::string runs(const Bytes& pickle) {
  PickleData data;
  const auto end = read_pickle(data, std::make_shared<MemorySource>(pickle), 0, "the pickle");
  return end ? "runs" : std::string(error_name(end.error().code));
}

}  // namespace

TEST_CASE("numpy arrays come out of pickles of every protocol alike") {
  auto first = open(seed("pickle/numpy.p4.pkl"));
  REQUIRE_MESSAGE(first, rollscope::testing::text(first));
  CHECK(first->info.format == "pickle");
  CHECK(first->info.streams[0].layers() == 2);
  CHECK(first->info.streams[0].heads == 2);
  CHECK(first->info.streams[0].query_tokens[1].raw == "caf\u00e9");
  const auto want = all_heads(*first);
  for (const char* protocol : {"0", "1", "2", "3", "5"}) {
    CAPTURE(protocol);
    auto dump = open(seed("pickle/numpy.p" + std::string(protocol) + ".pkl"));
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(all_heads(*dump) == want);
    CHECK(dump->info.streams[0].query_tokens[2].raw == "\u2581x");
  }
}

TEST_CASE("nested lists of floats come out of pickles of every protocol alike") {
  std::vector<Real> want;
  for (const char* protocol : {"0", "1", "2", "3", "4", "5"}) {
    CAPTURE(protocol);
    auto dump = open(seed("pickle/lists.p" + std::string(protocol) + ".pkl"));
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(dump->info.streams[0].heads == 2);
    CHECK(dump->info.streams[0].dtype == DType::f64);
    CHECK(dump->info.meta.at("note") == "x");
    if (want.empty()) want = all_heads(*dump);
    CHECK(all_heads(*dump) == want);
  }
}

TEST_CASE("pickles of Python 2 are read: old module names, texts without a type") {
  const auto text2 = [](const std::string& s) { return "U" + number_bytes(s.size(), 1) + s; };
  const Pickle type = call(name("numpy", "dtype"), {text2("f4"), integer(0), integer(1)}) + tuple({integer(3), text2("<"), "N", "N", "N", integer(-1), integer(-1), integer(0)}) + "b";
  const Bytes data = raw(kNumbers);
  const Pickle array = call(name("numpy.core.multiarray", "_reconstruct"), {name("numpy", "ndarray"), tuple({integer(0)}), text2("b")}) +
                       tuple({integer(1), integers({2, 3, 3}), type, "\x89", "T" + number_bytes(data.size(), 4) + std::string(data.begin(), data.end())}) + "b";
  const Pickle ordered = call(name("collections", "OrderedDict"), {list({list({text2("attentions"), array}), list({text2("tokens"), list({text2("a"), text2("b"), text2("c")})})})});
  auto dump = open(pickled(ordered));
  REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
  CHECK(all_heads(*dump) == reals(kNumbers));
  CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
}

TEST_CASE("every kind of numpy array is read or named") {
  std::vector<double> wide(kNumbers.begin(), kNumbers.end());
  Bytes swapped = raw(wide);
  for (std::size_t i = 0; i < swapped.size(); i += 8) std::reverse(swapped.begin() + static_cast<long>(i), swapped.begin() + static_cast<long>(i) + 8);
  auto big = open(pickled(ndarray("f8", {2, 3, 3}, bytes(swapped), false, ">")));
  REQUIRE_MESSAGE(big, rollscope::testing::text(big));
  CHECK(all_heads(*big) == reals(kNumbers));
  std::vector<float> columns(18);
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) columns[l + 2 * (i + 3 * j)] = kNumbers[9 * l + 3 * i + j];
  auto fortran = open(pickled(ndarray("f4", {2, 3, 3}, bytes(raw(columns)), true)));
  REQUIRE_MESSAGE(fortran, rollscope::testing::text(fortran));
  CHECK(all_heads(*fortran) == reals(kNumbers));
  CHECK(code_of(ndarray("c8", {1, 3, 3}, bytes(Bytes(72)))) == "unsupported_dtype");
  CHECK(code_of(ndarray("M8", {1, 3, 3}, bytes(Bytes(72)))) == "unsupported_dtype");
  CHECK(code_of(ndarray("f4", {1, 3, 4}, bytes(Bytes(36)))) == "truncated_data");
  CHECK(code_of(ndarray("f4", {1LL << 40, 1LL << 40}, bytes(Bytes(36)))) == "bad_pickle");
  CHECK(code_of(ndarray("f4", {-1, 3}, bytes(Bytes(36)))) == "bad_pickle");
  CHECK(code_of(ndarray("O", {2}, list({call(name("my", "Thing"), {}), call(name("my", "Thing"), {})}))) == "object_array");
  auto objects = open(pickled(ndarray("O", {2}, list({ndarray("f4", {1, 3, 3}, bytes(raw(attention(1, 3, 3)))), ndarray("f4", {1, 3, 3}, bytes(raw(attention(1, 3, 3))))}))));
  REQUIRE_MESSAGE(objects, rollscope::testing::text(objects));
  CHECK(objects->info.streams[0].layers() == 2);
}

TEST_CASE("bytes of 2 kB and of 200 kB are read alike, as bytes and as Latin-1 text") {
  for (const int tokens : {20, 160}) {
    const auto a = attention(2, tokens, tokens);
    const Bytes data = raw(a);
    std::string latin;
    for (const std::uint8_t b : data) b < 0x80 ? void(latin += static_cast<char>(b)) : void((latin += static_cast<char>(0xc0 | (b >> 6))) += static_cast<char>(0x80 | (b & 0x3f)));
    for (const Pickle& stored : {bytes(data), call(name("_codecs", "encode"), {text(latin), text("latin1")}), "\x96" + number_bytes(data.size(), 8) + std::string(data.begin(), data.end())}) {
      auto dump = open(pickled(ndarray("f4", {2, tokens, tokens}, stored)));
      REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
      CHECK(all_heads(*dump) == reals(a));
      CHECK(head(*dump, 0, 1, 0) == part(a, tokens * tokens, 2 * tokens * tokens));
    }
  }
}

TEST_CASE("objects of any class open by what they hold: items, state, slots, arguments") {
  const Pickle held = dict({{"attentions", stack()}, {"tokens", list({text("a"), text("b"), text("c")})}});
  const Pickle plain = call(name("my.module", "Thing"), {});
  for (const Pickle& object : {plain + held + "b", plain + tuple({"N", held}) + "b", call(name("types", "SimpleNamespace"), {held}),
                               call(name("copyreg", "_reconstructor"), {name("my", "Dict"), name("builtins", "dict"), held}),
                               name("my", "Output") + ")\x81" + "(" + text("attentions") + stack() + text("tokens") + list({text("a"), text("b"), text("c")}) + "u",
                               call(name("my", "Cache"), {}) + dict({{"cache_dict", held}, {"model", call(name("my", "Model"), {}) + dict({{"_parameters", "}"}, {"_modules", "}"}}) + "b"}}) + "b"}) {
    auto dump = open(pickled(object));
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(all_heads(*dump) == reals(kNumbers));
    CHECK(labels(dump->info.streams[0].query_tokens) == "a b c");
    CHECK(dump->info.streams[0].name == "self");
  }
}

TEST_CASE("metadata stands on top, as numbers, texts, a dict, or JSON in a text") {
  const Pickle json = text("{\"format\": \"attn-dump\", \"version\": 1, \"axes\": \"hqk\", \"title\": \"inner\"}");
  for (const Pickle& meta : {json, dict({{"axes", text("hqk")}, {"title", text("inner")}})}) {
    auto dump = open(pickled(dict({{"attentions", stack()}, {"meta", meta}, {"model", text("bert")}, {"prompt_len", integer(2)}})));
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(dump->info.streams[0].heads == 2);
    CHECK(dump->info.meta.at("title") == "inner");
    CHECK(dump->info.meta.at("model") == "bert");
  }
}

TEST_CASE("a layer that is None keeps its number") {
  auto dump = open(pickled(dict({{"attentions", tuple({stack(), "N", stack()})}})));
  REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
  CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{0, 2});
  CHECK(reported(dump->info, ReportCode::layers_missing));
  CHECK(code_of(dict({{"attentions", tuple({"N", "N"})}})) == "all_none");
  CHECK(code_of("N") == "all_none");
}

TEST_CASE("rows of different length are refused with their place") {
  const auto row = [](std::initializer_list<const char*> numbers) {
    std::vector<Pickle> items;
    for (const char* n : numbers) items.push_back("F" + std::string(n) + "\n");
    return list(items);
  };
  const auto dump = open(pickled(dict({{"attentions", list({list({row({"1", "0"}), row({"0.5", "0.5"})}), list({row({"1", "0"}), row({"1"})})})}})));
  CHECK(code(dump) == "ragged");
  CHECK(rollscope::testing::text(dump).find("attentions[1][1]") != std::string::npos);
}

TEST_CASE("names that run code are refused wherever they stand, and named") {
  for (const auto& [module, what] : std::vector<std::pair<std::string, std::string>>{
           {"os", "system"}, {"posix", "system"}, {"nt", "system"}, {"subprocess", "Popen"}, {"builtins", "eval"}, {"__builtin__", "exec"}, {"builtins", "__import__"}, {"builtins", "getattr"},
           {"builtins", "open"}, {"runpy", "run_path"}, {"sys", "exit"}, {"socket", "socket"}, {"shutil", "rmtree"}, {"importlib", "import_module"}, {"pickle", "loads"}, {"_pickle", "loads"},
           {"torch", "load"}, {"torch.hub", "load"}, {"ctypes", "CDLL"}, {"code", "interact"}, {"pty", "spawn"}, {"webbrowser", "open"}, {"requests.api", "get"}, {"numpy", "load"},
           {"numpy.testing._private.utils", "runstring"}, {"operator", "attrgetter"}, {"operator", "methodcaller"}, {"torch.serialization", "load"}, {"types", "CodeType"}, {"torch", "os.system"},
           {"collections", "OrderedDict.__init__.__globals__"}, {"asyncio.unix_events", "x"}, {"os.path", "join"}}) {
    CAPTURE(module + "." + what);
    const std::string full = module + "." + what;
    for (const Pickle& value : {call(name(module, what), {text("echo")}), text(module) + text(what) + "\x93" + tuple({text("echo")}) + "R", dict({{"attentions", stack()}, {"x", name(module, what)}}),
                                "(S'echo'\ni" + module + "\n" + what + "\n", "(" + name(module, what) + text("echo") + "o", name(module, what) + "0" + stack()}) {
      const auto dump = open(pickled(value, 4));
      CHECK(code(dump) == "dangerous_pickle");
      CHECK(rollscope::testing::text(dump).find(full) != std::string::npos);
    }
  }
  // Protocol 0 has no magic to be known by.
  CHECK(code(open(std::string_view("cos\nsystem\n(S'echo'\ntR."))) == "dangerous_pickle");
  CHECK(code(open(std::string_view("cposix\nsystem\np0\n(S'echo'\np1\ntp2\nRp3\n."))) == "dangerous_pickle");
  CHECK(code(open(std::string_view("(S'echo'\nios\nsystem\n."))) != "opens");
}

TEST_CASE("harmless names are harmless") {
  for (const auto& [module, what] : std::vector<std::pair<std::string, std::string>>{{"builtins", "set"}, {"builtins", "object"}, {"builtins", "slice"}, {"builtins", "range"}, {"builtins", "complex"},
                                                                                    {"datetime", "datetime"}, {"pathlib", "PosixPath"}, {"uuid", "UUID"}, {"code.models", "Output"}, {"copyreg", "__newobj__"},
                                                                                    {"transformers.models.bert.modeling_bert", "Evaluation"}, {"mycode", "open_dump"}, {"collections", "namedtuple"}})
    CHECK_MESSAGE(code_of(dict({{"attentions", stack()}, {"x", call(name(module, what), {})}})) == "opens", module << "." << what);
}

TEST_CASE("a stack that lacks what an instruction takes, and a memo that lacks an entry, are refused") {
  for (const std::string& program : {std::string("."), std::string("0."), std::string("R."), std::string("N\x85\x86."), std::string("e."), std::string("(e."), std::string("]e."), std::string("u."), std::string("}(Nu."),
                                     std::string("N(t\x93."), std::string("h\x05."), std::string("j\xff\xff\xff\xff."), std::string("g7\n."), std::string("q\x00.", 3), std::string("1."), std::string("((."), std::string("2."),
                                     std::string("Nb."), std::string("NNa."), std::string("NNNs."), std::string("\x93."), std::string("o."), std::string("(o."), std::string("\x82\x01."), std::string("\x97."), std::string("\xff."),
                                     std::string("Iabc\n."), std::string("Fxyz\n."), std::string("Snoquote\n."), std::string("\x8b\xff\xff\xff\x7f."), std::string("\x80\x09N.")}) {
    CAPTURE(program);
    CHECK(runs(bytes_of(program)) == "bad_pickle");
  }
}

TEST_CASE("lengths that reach past the end are cut files, and allocate nothing") {
  for (const std::string& program : {std::string("X\xff\xff\xff\xff" "ab."), std::string("B\x00\x00\x00\x80" "ab.", 8), "\x8d" + number_bytes(1ULL << 63, 8), "\x8e" + number_bytes(~0ULL, 8), "\x96" + number_bytes(1ULL << 62, 8),
                                     std::string("S'never"), std::string("cos"), std::string("N"), std::string("")}) {
    CAPTURE(program);
    CHECK(runs(bytes_of(program)) == "truncated_data");
  }
}

TEST_CASE("frames say nothing: lies in them are harmless") {
  CHECK(runs(bytes_of("\x80\x04\x95" + number_bytes(~0ULL, 8) + "N.")) == "runs");
  CHECK(runs(bytes_of("\x80\x04\x95" + number_bytes(0, 8) + "\x95" + number_bytes(3, 8) + "N.")) == "runs");
}

TEST_CASE("lists that share each other a billion times are stopped by a limit, and lists that hold themselves end") {
  Pickle laughs = list({text("ha"), text("ha")}) + "q" + number_bytes(0, 1);
  for (int i = 1; i < 40; ++i) {
    std::vector<Pickle> ten;
    for (int k = 0; k < 10; ++k) ten.push_back("h" + number_bytes(static_cast<std::uint64_t>(i - 1), 1));
    laughs += list(ten) + "q" + number_bytes(static_cast<std::uint64_t>(i), 1);
  }
  CHECK(code_of(laughs) == "too_big");
  CHECK(code_of(dict({{"attentions", stack()}, {"self", std::string("]q\x00h\x00" "a", 6)}})) == "opens");
  CHECK(code_of(std::string("}q\x00", 3) + text("x") + std::string("h\x00s", 3)) == "not_attention");
}

TEST_CASE("a hundred thousand tuples within tuples, and lists within lists, end in a refusal") {
  CHECK(code_of("N" + std::string(100'000, '\x85')) == "too_big");
  CHECK(code_of("(" + std::string(100'000, '(') + "N" + std::string(100'000, 'l') + "t") == "too_big");
  CHECK(code_of("K\x01" + std::string(100'000, '\x85')) == "too_big");
}

TEST_CASE("memo keys far apart cost nothing") {
  Pickle far = stack();
  far += "r" + number_bytes(0xffffffff, 4) + "0j" + number_bytes(0xffffffff, 4);
  CHECK(code_of(far) == "opens");
  CHECK(runs(bytes_of("Np999999999999999999\ng999999999999999999\n.")) == "runs");
}

TEST_CASE("too many instructions are refused") { CHECK(code(open(bytes_of("\x80\x02" + std::string(10'000'001, 'N') + "."))) == "too_big"); }

TEST_CASE("what is no dump is told what it is") {
  CHECK(code_of(call(name("torch.nn", "Linear"), {}) + dict({{"_parameters", "}"}, {"_modules", "}"}}) + "b") == "model_weights");
  CHECK(text_of(call(name("transformers", "BertTokenizerFast"), {}) + "}b").find("tokenizer") != std::string::npos);
  CHECK(code_of(dict({{"state", "}"}, {"param_groups", "]"}})) == "model_weights");
  CHECK(text_of(call(name("sklearn.svm", "SVC"), {})).find("sklearn.svm.SVC") != std::string::npos);
  CHECK(code_of(dict({{"encoder.weight", stack()}, {"encoder.bias", stack()}})) == "model_weights");
  CHECK(code_of(dict({{"attentions", "]"}})) == "empty");
}

TEST_CASE("cross attentions that are an empty tuple are no stream and no refusal") {
  auto dump = open(pickled(dict({{"attentions", stack()}, {"cross_attentions", ")"}})));
  REQUIRE(dump);
  CHECK(dump->info.streams.size() == 1);
}

TEST_CASE("tables and prose are not taken for pickles of protocol 0") {
  const auto kind = [](std::string_view head) { return sniff(bytes_of(head), head.size(), "dump").kind; };
  for (const char* prose : {"cat\ndog\npig\n", "(l)ist of things, 1, 2", "column\nvalue\nother\n1\n", "I 1, 2, 3", "(see below) a, b", "c", "(", ""}) CHECK_MESSAGE(kind(prose) != FileKind::pickle, prose);
  for (const char* pickle : {"(lp0\nI1\na.", "(dp1\n.", "(I1\nI2\ntp0\n.", "cnumpy.core.multiarray\n_reconstruct\np0\n(", "ccollections\nOrderedDict\nq\x01)"}) CHECK_MESSAGE(kind(pickle) == FileKind::pickle, pickle);
}

TEST_CASE("good pickles survive every cut and every changed byte") {
  for (const char* path : {"pickle/numpy.p0.pkl", "pickle/numpy.p2.pkl", "pickle/numpy.p5.pkl", "pickle/lists.p1.pkl", "pickle/kinds.p4.pkl", "pickle/torch_inside.p4.pkl"}) {
    CHECK_MESSAGE(damaged(seed(path), {0x01, 0x20, 0x80, 0xff}) == "", path);
  }
}

TEST_CASE("entries of a list stand in the order of the layers that they say they are, and texts make records") {
  // Written by Python: pickle.dumps([{"layer": 1, "attn": A}, {"layer": 0, "attn": B}], 2) and the like.
  const auto rows = [](const char* first, const char* second) {  // one layer of one head of two tokens, as lists of floats
    return std::string("(lp0\n(F") + first + "\nF" + second + "\nla(F0.5\nF0.5\nla";
  };
  auto dump = open(bytes_of("\x80\x02" "((dS'layer'\nI1\nsS'attn'\n" + rows("0.25", "0.75") + "s(dS'layer'\nI0\nsS'attn'\n" + rows("0.125", "0.875") + "sl."));
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].layer_numbers == std::vector<int>{0, 1});
  CHECK(head(*dump, 0, 0, 0)[0] == Real(0.125));
  CHECK(head(*dump, 0, 1, 0)[0] == Real(0.25));
  ImportOptions second;
  second.item = 1;
  dump = open(bytes_of("\x80\x02" "((dS'text'\nS'a b'\nsS'attn'\n" + rows("0.25", "0.75") + "s(dS'text'\nS'c d'\nsS'attn'\n" + rows("0.125", "0.875") + "sl."), second);
  REQUIRE_MESSAGE(dump, text(dump));
  CHECK(dump->info.streams[0].batch == 2);
  CHECK(head(*dump, 0, 0, 0)[0] == Real(0.125));
}
