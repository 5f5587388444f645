#include "gpu/label_atlas.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "platform/host_native.h"

using namespace rollscope;
using gpu::LabelAtlas;

namespace {

struct Bench {
  Bench() {
    host::native_host() = {};
    gpu->start();
    atlas.begin_frame(1);
  }
  std::unique_ptr<gpu::Gpu> gpu = gpu::make_null_gpu();
  LabelAtlas atlas{*gpu};
  // One frame that shows these labels; says whether something new was drawn.
  bool frame(const std::vector<std::string>& texts, float scale = 1) {
    atlas.begin_frame(scale);
    for (const auto& t : texts) (void)atlas.label(t, 13, false);
    return atlas.end_frame();
  }
};

}  // namespace

TEST_CASE("a label is drawn at the end of its first frame and shown from the next on") {
  Bench b;
  CHECK(b.atlas.label("chat", 13, false).texture == 0);
  CHECK(b.atlas.pending());
  CHECK(b.atlas.end_frame());
  CHECK_FALSE(b.atlas.pending());
  b.atlas.begin_frame(1);
  const auto g = b.atlas.label("chat", 13, false);
  CHECK(g.texture != 0);
  CHECK(g.u1 > g.u0);
  CHECK_FALSE(g.coloured);
  CHECK(g.advance == doctest::Approx(0.6 * 13 * 4));
  CHECK(g.width >= g.advance + 4);
  CHECK_FALSE(b.atlas.end_frame());  // nothing new: no frame is asked for
  CHECK(host::native_host().rasterised == 1);
}

TEST_CASE("size, weight and text each make another label") {
  Bench b;
  for (int round = 0; round < 2; ++round) {
    (void)b.atlas.label("a", 13, false);
    (void)b.atlas.label("a", 13, true);
    (void)b.atlas.label("a", 15.5f, false);
    (void)b.atlas.label("b", 13, false);
    b.atlas.end_frame();
    b.atlas.begin_frame(1);
  }
  CHECK(host::native_host().rasterised == 4);
}

TEST_CASE("three hundred new labels take one upload, none lies on another") {
  Bench b;
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back("token " + std::to_string(i * 37 % 1000));
  CHECK(b.frame(texts));
  CHECK(host::native_host().raster_calls == 1);
  b.atlas.begin_frame(1);
  std::vector<LabelAtlas::Glyphs> all;
  for (const auto& t : texts) all.push_back(b.atlas.label(t, 13, false));
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].texture);
    for (std::size_t k = 0; k < i; ++k)
      if (all[i].texture == all[k].texture)
        REQUIRE((all[i].u1 <= all[k].u0 || all[k].u1 <= all[i].u0 || all[i].v1 <= all[k].v0 || all[k].v1 <= all[i].v0));
  }
}

TEST_CASE("emoji keep their colours") {
  Bench b;
  b.frame({"\U0001F600", "smile"});
  b.atlas.begin_frame(1);
  CHECK(b.atlas.label("\U0001F600", 13, false).coloured);
  CHECK_FALSE(b.atlas.label("smile", 13, false).coloured);
}

TEST_CASE("another pixel ratio draws every label anew, at its own size") {
  Bench b;
  b.frame({"cat"});
  const double before = b.gpu->bytes();
  CHECK(before > 0);
  CHECK(b.frame({"cat"}, 2));
  b.atlas.begin_frame(2);
  CHECK(b.atlas.label("cat", 13, false).texture != 0);
  CHECK(host::native_host().rasterised == 2);
}

TEST_CASE("a long text scrolled through does not grow the atlas without end") {
  Bench b;
  double most = 0;
  for (int page = 0; page < 60; ++page) {
    std::vector<std::string> texts;
    for (int i = 0; i < 300; ++i) texts.push_back("a rather long token number " + std::to_string(page * 300 + i));
    b.frame(texts);
    CHECK_FALSE(b.frame(texts));  // all there in the second frame: nothing that is on screen was thrown out
    most = std::max(most, b.gpu->bytes());
  }
  CHECK(most <= 8.0 * 1024 * 1024 * 4);
}

TEST_CASE("more labels on screen than four pages hold still come to rest") {
  Bench b;
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) texts.push_back("a rather long token number " + std::to_string(i));
  CHECK(b.frame(texts));
  CHECK_FALSE(b.frame(texts));
  CHECK_FALSE(b.frame(texts));
}

TEST_CASE("a label too long for any page is measured but not drawn, and asks for no more frames") {
  Bench b;
  const std::string text(2000, 'x');
  b.frame({text});
  CHECK_FALSE(b.frame({text}));
  CHECK(b.atlas.label(text, 13, false).texture == 0);
  CHECK(b.atlas.width(text, 13, false) > 10000);
}

TEST_CASE("after a lost context everything is drawn again") {
  Bench b;
  b.frame({"cat", "mat"});
  b.gpu->lost();
  b.atlas.lost();
  b.gpu->start();
  CHECK(b.frame({"cat", "mat"}));
  b.atlas.begin_frame(1);
  CHECK(b.atlas.label("mat", 13, false).texture != 0);
}
