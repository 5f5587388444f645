// What torch.save writes, in both layouts.
#include <doctest/doctest.h>

#include <algorithm>

#include "io/pickle_builders.h"

using namespace rollscope;
using namespace rollscope::testing;

namespace {

const std::vector<float> kNumbers = attention(2, 3, 3);
const std::vector<std::pair<std::string, Bytes>> kStorages{{"0", raw(kNumbers)}};
std::string code_of(const TensorSpec& t) { return code(open(torch_zip(tensor(t), kStorages))); }

}  // namespace

TEST_CASE("a tensor reads out of an archive and out of the layout before it") {
  for (const Bytes& file : {torch_zip(tensor(), kStorages), torch_legacy(tensor(), kStorages), torch_zip(dict({{"attentions", tensor()}}), kStorages)}) {
    auto dump = open(file);
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(dump->info.format == "torch");
    CHECK(all_heads(*dump) == reals(kNumbers));
  }
}

TEST_CASE("the layout before 1.6 is known in every protocol") {
  for (int protocol = 0; protocol <= 5; ++protocol) {
    CAPTURE(protocol);
    const std::string magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
    Bytes file = pickled(protocol < 2 ? "L119547037146038801333356L\n" : protocol < 4 ? magic : "\x95" + number_bytes(13, 8) + magic, protocol);
    const Bytes two = torch_legacy(tensor(), kStorages);
    file.insert(file.end(), two.begin() + 15, two.end());
    auto dump = open(file);
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(all_heads(*dump) == reals(kNumbers));
  }
}

TEST_CASE("views are read where they lie: offset, strides, one storage for several") {
  TensorSpec second;
  second.offset = 9;
  second.shape = {3, 3};
  second.strides = {3, 1};
  auto view = open(torch_zip(tensor(second), kStorages));
  REQUIRE_MESSAGE(view, rollscope::testing::text(view));
  CHECK(head(*view, 0, 0, 0) == part(kNumbers, 9, 18));
  TensorSpec turned = second;
  turned.strides = {1, 3};
  auto t = open(torch_zip(tensor(turned), kStorages), assume("orientation", "columns"));
  REQUIRE_MESSAGE(t, rollscope::testing::text(t));
  CHECK(head(*t, 0, 0, 0) == head(*view, 0, 0, 0));
  TensorSpec repeated;
  repeated.strides = {0, 3, 1};
  auto expanded = open(torch_zip(tensor(repeated), kStorages));
  REQUIRE_MESSAGE(expanded, rollscope::testing::text(expanded));
  const auto all = all_heads(*expanded);
  CHECK(std::vector<Real>(all.begin(), all.begin() + 9) == std::vector<Real>(all.begin() + 9, all.end()));
}

TEST_CASE("offsets, strides and shapes that leave their storage are refused") {
  TensorSpec t;
  t.offset = 1;
  CHECK(code_of(t) == "truncated_data");
  t = {};
  t.count = 19;
  CHECK(code_of(t) == "truncated_data");
  t = {};
  t.strides = {1LL << 61, 3, 1};
  CHECK(code_of(t) == "truncated_data");
  t.shape = {1LL << 40, 1LL << 40, 3};
  CHECK(code_of(t) == "bad_pickle");
  t = {};
  t.strides = {-9, 3, 1};
  CHECK(code_of(t) == "bad_pickle");
  t = {};
  t.offset = -1;
  CHECK(code_of(t) == "bad_pickle");
  t = {};
  t.strides = {3, 1};
  CHECK(code_of(t) == "bad_pickle");
  t = {};
  t.shape = {1, 1LL << 40};
  t.strides = {0, 0};
  CHECK(code_of(t) == "too_big");
  t = {};
  t.key = "../../x";
  CHECK(code_of(t) == "bad_pickle");
  t = {};
  t.storage = "ComplexFloatStorage";
  CHECK(code_of(t) == "unsupported_dtype");
  t = {};
  t.count = 1LL << 62;
  CHECK(code_of(t) == "truncated_data");
}

TEST_CASE("archives that were packed again, and big-endian ones, read the same") {
  Bytes swapped = raw(kNumbers);
  for (std::size_t i = 0; i < swapped.size(); i += 4) std::reverse(swapped.begin() + static_cast<long>(i), swapped.begin() + static_cast<long>(i) + 4);
  for (const Bytes& file : {zip({{"a/data.pkl", pickled(tensor()), true}, {"a/data/0", raw(kNumbers), true}}), torch_zip(tensor(), {{"0", swapped}}, {{"archive/byteorder", bytes_of("big")}})}) {
    auto dump = open(file);
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(all_heads(*dump) == reals(kNumbers));
  }
}

TEST_CASE("tensors without plain numbers are refused with what makes them plain") {
  for (const auto& [function, fix] : {std::pair{"_rebuild_sparse_tensor", "to_dense"}, std::pair{"_rebuild_qtensor", "dequantize"}, std::pair{"_rebuild_meta_tensor_no_storage", "cpu()"}, std::pair{"_rebuild_nested_tensor", "to_padded_tensor"}}) {
    const auto dump = open(torch_zip(dict({{"attentions", call(name("torch._utils", function), {integer(1)})}}), {}));
    CHECK(code(dump) == "unsupported_array");
    REQUIRE_FALSE(dump.has_value());
    CHECK(error_fix(dump.error()).find(fix) != std::string::npos);
  }
}

TEST_CASE("wrappers are looked through: parameters, subclasses, variables") {
  const Pickle none = call(name("collections", "OrderedDict"), {});
  for (const Pickle& value : {call(name("torch._utils", "_rebuild_parameter"), {tensor(), "\x88", none}), call(name("torch.autograd.variable", "Variable"), {tensor()}),
                              call(name("torch._tensor", "_rebuild_from_type_v2"), {name("torch._utils", "_rebuild_tensor_v2"), name("my", "Tensor"),
                                                                                   tuple({storage({}), integer(0), integers({2, 3, 3}), integers({9, 3, 1}), "\x89", none}), "}"})}) {
    auto dump = open(torch_zip(value, kStorages));
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(all_heads(*dump) == reals(kNumbers));
  }
}

TEST_CASE("a cycle of wrappers stands for nothing") {
  CHECK(code(open(torch_zip("]q" + number_bytes(0, 1) + name("torch._utils", "_rebuild_parameter") + "h" + number_bytes(0, 1) + "\x85Ra", {}))) != "opens");
}

TEST_CASE("storages that are torch files within a pickle are read, in both layouts") {
  const Pickle inner = storage({});
  for (const Bytes& nested : {torch_legacy(inner, kStorages), torch_zip(inner, kStorages)}) {
    const Pickle loaded = call(name("torch.storage", "_load_from_bytes"), {bytes(nested)});
    auto dump = open(pickled(list({call(name("torch._utils", "_rebuild_tensor_v2"), {loaded, integer(0), integers({2, 3, 3}), integers({9, 3, 1}), "\x89", "}"}),
                                   call(name("torch._utils", "_rebuild_tensor_v2"), {loaded, integer(0), integers({2, 3, 3}), integers({9, 3, 1}), "\x89", "}"})})));
    REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
    CHECK(dump->info.format == "pickle");
    CHECK(dump->info.streams[0].layers() == 2);
    CHECK(head(*dump, 0, 1, 0) == part(kNumbers, 0, 9));
  }
}

TEST_CASE("dangerous names are found in nested files, in other members, and in the header of the old layout") {
  const Pickle evil = call(name("os", "system"), {text("echo")});
  CHECK(code(open(pickled(list({call(name("torch.storage", "_load_from_bytes"), {bytes(torch_legacy(evil, {}))})})))) == "dangerous_pickle");
  CHECK(code(open(torch_zip(tensor(), kStorages, {{"archive/extra.pkl", pickled(evil)}}))) == "dangerous_pickle");
  CHECK(code(open(torch_zip(tensor(), kStorages, {{"archive/notes", pickled(evil)}}))) == "dangerous_pickle");
  CHECK(code(open(torch_zip(tensor(), kStorages, {{"archive/notes.txt", bytes_of("cos\nsystem\n")}}))) == "opens");
  Bytes legacy = pickled(std::string("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12));
  append(legacy, pickled(evil));
  CHECK(code(open(legacy)) == "dangerous_pickle");
}

TEST_CASE("TorchScript and whole models are refused as such") {
  const auto script = open(torch_zip(tensor(), kStorages, {{"archive/constants.pkl", pickled(")")}, {"archive/code/__torch__/net.py", bytes_of("x")}}));
  CHECK(code(script) == "model_weights");
  CHECK(rollscope::testing::text(script).find("TorchScript") != std::string::npos);
  const auto model = open(torch_zip(call(name("my.net", "Net"), {}) + dict({{"_parameters", dict({{"w", tensor()}})}, {"_modules", "}"}}) + "b", kStorages));
  CHECK(code(model) == "model_weights");
  CHECK(rollscope::testing::text(model).find("my.net.Net") != std::string::npos);
  CHECK(code(open_file("broken_is_a_model.pt")) == "model_weights");
}

TEST_CASE("storages of the old layout may be views of others") {
  const Pickle view = tuple({text("storage"), name("torch", "FloatStorage"), text("0"), text("cpu"), integer(18), tuple({text("v"), integer(9), integer(9)})}) + "Q";
  auto dump = open(torch_legacy(call(name("torch._utils", "_rebuild_tensor"), {view, integer(0), integers({3, 3}), integers({3, 1})}), kStorages));
  REQUIRE_MESSAGE(dump, rollscope::testing::text(dump));
  CHECK(head(*dump, 0, 0, 0) == part(kNumbers, 9, 18));
}

TEST_CASE("real files of torch: dicts, views, float8, what cannot be read beside what can") {
  auto views = open(seed("pickle/views.pt"));
  REQUIRE_MESSAGE(views, rollscope::testing::text(views));
  CHECK(views->info.streams[0].layers() == 2);
  CHECK(refusal(views->info));
  auto plain = open(seed("pickle/dict.pt"));
  REQUIRE_MESSAGE(plain, rollscope::testing::text(plain));
  CHECK(all_heads(*plain) == all_heads(*views));
  CHECK(plain->info.streams[0].query_tokens[1].raw == "caf\u00e9");
  auto legacy = open(seed("pickle/tuple.legacy.pt"));
  REQUIRE_MESSAGE(legacy, rollscope::testing::text(legacy));
  CHECK(all_heads(*legacy) == all_heads(*plain));
  auto kinds = open(seed("pickle/kinds.pt"));
  REQUIRE_MESSAGE(kinds, rollscope::testing::text(kinds));
  CHECK(kinds->info.streams[0].dtype == DType::f8_e4m3);
}

TEST_CASE("files of torch survive every cut and every changed byte") {
  for (const char* path : {"pickle/dict.pt", "pickle/tuple.legacy.pt"}) {
    CHECK_MESSAGE(damaged(seed(path), {0x01, 0x80, 0xff}) == "", path);
  }
}
