// What the graph view keeps between frames: the layout and the ribbons on the GPU, made anew when a key part of the
// question changes. While only the camera moves, what it does not move (GraphPlan) stays.
#pragma once

#include <string>

#include "scene/graph_layout.h"
#include "ui/ui.h"

namespace rollscope::ui {

struct GraphPanel {
  GraphPlan plan;             // of the view of `key`, as `trace`
  PathTrace trace;
  GraphLayout layout;
  std::vector<float> traced;  // per ribbon, while an input's paths are lit
  double widen = 1;           // how much wider those are drawn
  gpu::RibbonBatch batch = 0, lit = 0;

  struct Key {
    std::uint64_t view = 0;
    Box area;
    double keep = 0;
    int top = 0;
    Camera camera;
    bool dark = false;
    int trace = -1;
    bool operator==(const Key& o) const {
      return view == o.view && area.x == o.area.x && area.y == o.area.y && area.w == o.area.w && area.h == o.area.h && keep == o.keep && top == o.top && camera == o.camera && dark == o.dark && trace == o.trace;
    }
  } key;
  bool made = false;
};

// Where the camera looks in the whole graph; shown while it is near, a press moves it.
void draw_graph_minimap(Ui& ui, const Box& area);
// The heads that make the chosen edge (GraphState::edge_layer); of a flow, the bottleneck from the chosen input.
void draw_edge_card(Ui& ui, const Box& area);

[[nodiscard]] Box graph_minimap_box(const Ui& ui, const Box& area);  // empty: not there
[[nodiscard]] Box edge_card_box(const Ui& ui, const Box& area);

// Lays out and uploads what changed.
void update_graph(Ui& ui, const Box& area, int trace);
// The part of each layer's attention that is drawn.
[[nodiscard]] double kept_part(const Ui& ui);
void forget_graph(Ui& ui, bool lost);  // lost: the context is gone, handles are void
// Colour of a ribbon of weight `w` (look.md, Graph).
[[nodiscard]] ImU32 ribbon_colour(const Ui& ui, double w, double largest);
// Queues a batch into the draw list, so that it keeps its place between ImGui's own shapes.
void draw_batch(Ui& ui, gpu::RibbonBatch batch, const Box& clip);

}  // namespace rollscope::ui
