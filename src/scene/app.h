// The heart of the page without a picture: state, the open dump, the latest answers of the engine, commands, undo.
// ui/ draws it and sends commands; app/page.cpp feeds it answers. Tests drive it with a Session of their own.
//
// Numbers are never stale on screen: after a command that changes the question, settled() is false until the answer
// has come, and the page draws no frame of the new state before (or until kPatience has passed, then the old picture
// stays, marked as waiting). So the first frame after a click carries the final numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/state.h"

namespace rollscope {

inline constexpr double kPatienceMs = 400;

class App {
 public:
  // Puts a question to the engine; the answer comes later through answer() or failure() with the returned number.
  using Ask = std::function<std::uint32_t(std::string_view verb, const std::string& args)>;
  using Cancel = std::function<void(std::uint32_t)>;
  using Tell = std::function<void(std::string_view event, const std::string& detail)>;
  App(Ask ask, Cancel cancel, Tell tell);
  // Words of the interface's language, {placeholders} included: "token.patch" = "row {row}, column {column}",
  // "token.patch_short" = "r{row} c{column}".
  using Words = std::function<std::string(std::string_view key)>;
  void set_words(Words words) { words_ = std::move(words); }

  // --- input from outside
  void open(DumpInfo dump);  // a new dump: fitting state, history cleared, first question asked
  void answer(std::uint32_t number, std::span<const std::uint8_t> archive);
  void failure(std::uint32_t number, const std::string& error_json);  // the old answer stays; tells "error"

  // --- what is there to draw
  [[nodiscard]] bool has_dump() const { return dump_.has_value(); }
  [[nodiscard]] const DumpInfo& dump() const { return *dump_; }
  // The stream of the recipe in force as its results have it (analysis/shown_stream.h): words where tokens are merged,
  // source and target tokens for a joint rollout.
  [[nodiscard]] const Stream& stream() const;
  [[nodiscard]] const Stream& stored_stream() const;  // the same as the file has it
  [[nodiscard]] PatchGrid grid() const;               // of stream()'s keys; rows 0: none
  [[nodiscard]] const AppState& state() const { return state_; }     // wanted
  [[nodiscard]] const AppState& shown() const { return shown_; }     // the state that view() answers: draw this one
  [[nodiscard]] const ViewData* view() const { return view_ ? &*view_ : nullptr; }
  [[nodiscard]] const MatrixData* matrix() const { return matrix_ ? &*matrix_ : nullptr; }  // fits shown(), or null: pending
  [[nodiscard]] const ThumbData* thumbs() const { return thumbs_ ? &*thumbs_ : nullptr; }
  // What single views ask for beside it; null: pending, or not to be had. The version changes with the numbers.
  [[nodiscard]] const WallData* wall() const { return wall_.data ? &*wall_.data : nullptr; }
  [[nodiscard]] std::uint64_t wall_version() const { return wall_.version; }
  [[nodiscard]] const DepthData* layers() const { return layers_.data ? &*layers_.data : nullptr; }
  [[nodiscard]] const LinesData* lines() const { return lines_.data ? &*lines_.data : nullptr; }
  [[nodiscard]] const CutData* cut() const { return cut_.data ? &*cut_.data : nullptr; }
  [[nodiscard]] const EdgeData* edge() const { return edge_.data ? &*edge_.data : nullptr; }
  [[nodiscard]] const BesideData* beside() const { return beside_.data ? &*beside_.data : nullptr; }
  [[nodiscard]] std::uint64_t beside_version() const { return beside_.version; }
  [[nodiscard]] const std::string& beside_failed() const { return beside_.failed; }  // the question that had no answer
  [[nodiscard]] Recipe other_recipe(const AppState& s) const;  // B of the comparison: the chosen one, else the usual other
  [[nodiscard]] const Picture* picture() const { return picture_.data && picture_.data->width > 0 ? &*picture_.data : nullptr; }
  [[nodiscard]] std::uint64_t picture_version() const { return picture_.version; }
  // A picture from outside: a file beside the dump, or the data URL of its metadata, decoded by the page. [h][w][3]
  void set_picture(Picture picture);
  [[nodiscard]] bool view_possible(ViewKind view) const;  // image: a grid of patches; heads: not fused in the file
  [[nodiscard]] std::uint64_t matrix_version() const { return matrix_version_; }  // changes when matrix() does
  [[nodiscard]] std::uint64_t view_version() const { return view_version_; }
  [[nodiscard]] bool settled() const;  // the answers for the wanted state are here
  [[nodiscard]] bool busy() const;     // any question is open
  [[nodiscard]] int depth() const;     // layers in the recipe's range
  [[nodiscard]] bool chain() const;    // tokens have a mass in every layer, and there is a result after each
  // The whole matrix of the recipe in force is not computed: the chosen row stands alone.
  [[nodiscard]] bool row_alone() const;
  [[nodiscard]] bool for_one_output() const;  // stored scores, the same for every row
  [[nodiscard]] int border() const;    // of a joint rollout: keys from here on are the target's; 0: none
  // "mean of 6 patches", where the row that is shown is the mean of several; else "".
  [[nodiscard]] std::string mean_name() const;
  // A token's words on screen: its label, or "row 3, column 5" for a patch; `short_form` for axes ("r3 c5").
  [[nodiscard]] std::string token_name(int index, bool key, bool short_form) const;

  // --- commands: the only way to change the state. Unknown ids and bad arguments change nothing and return an error.
  // Returns JSON: "{}" or {"error": {code, text, fix, params}}. Ids and arguments: scene/commands.h.
  std::string run(std::string_view id, std::string_view args_json = "{}");
  // Changes the state from C++ (panels); `step` false for a drag in progress: no history entry until one with true.
  // Indices are clamped to the dump. Neighbouring steps that move one slider, or the camera, are one entry.
  void set(const AppState& next, bool step = true);
  [[nodiscard]] bool can_undo() const { return !undo_.empty(); }
  [[nodiscard]] bool can_redo() const { return !redo_.empty(); }
  void undo();
  void redo();

  // Hover is not state: it leaves no history and asks no question.
  struct Hover {
    int query = -1, key = -1;  // a token of the strip, a row or column of the matrix
    int level = -1, node = -1; // a node of the graph
    int gap = -1, edge = -1;   // an edge of view()->gaps[gap].edges; edge -2: residual, -3: own attention, at `node`
    bool operator==(const Hover&) const = default;
  };
  Hover hover;
  bool playing = false;  // the layers are walked through, one after the other (ui/depth_view.cpp)

 private:
  struct Pending {
    std::uint32_t number = 0;  // 0: none
    std::string args;          // what was asked: two questions are the same when their arguments are
  };
  // An answer that only some views want.
  template <class T>
  struct Side {
    std::optional<T> data;
    Pending pending;
    std::string args, failed;  // the question answered; one not to be asked again and again
    std::uint64_t version = 0;
  };
  template <class T>
  void ask_side(Side<T>& side, std::string_view verb, bool wanted, std::string args);
  template <class T>
  bool take_side(Side<T>& side, std::uint32_t number, std::span<const std::uint8_t> archive);
  template <class T>
  bool fail_side(Side<T>& side, std::uint32_t number);
  template <class T>
  void forget_side(Side<T>& side);
  void ask_sides();
  [[nodiscard]] PatchGrid patches_of(const Recipe& recipe) const;  // that are rows and columns both; rows 0: none
  [[nodiscard]] std::string view_question(const AppState& s) const;
  [[nodiscard]] const Stream& stream_of(const Recipe& recipe) const;  // as stored
  [[nodiscard]] const Stream& shown_of(const Recipe& recipe) const;   // as its results have it
  [[nodiscard]] bool whole_matrix(const AppState& s) const;
  [[nodiscard]] std::string matrix_question(const AppState& s) const;
  void start_on(AppState& s, const Stream& stream, const Recipe& fresh) const;  // another stream: as opening it would
  void keep_token(AppState& s, const Recipe& before) const;  // the chosen tokens where rows and columns become others
  [[nodiscard]] int default_query(const Stream& stream) const;
  [[nodiscard]] int find_key(const AppState& s, const std::string& text, int by) const;
  [[nodiscard]] int strongest_key(const AppState& s, int by) const;
  void look_at_key(AppState& s, int key) const;
  void keep_in_range(AppState& s) const;  // clamps indices to the dump
  [[nodiscard]] std::optional<Error> check(const AppState& s) const;  // an index that the dump does not have
  [[nodiscard]] std::optional<Error> apply(std::string_view id, const struct Json& args);
  void remember(const AppState& before);  // history entry for the step from `before` to state_
  void state_changed();                   // asks what must be asked; shown_ follows where nothing is to be asked
  void put(Pending& pending, std::string_view verb, std::string args);
  void drop(Pending& pending);
  void ask_view();
  void ask_matrix();
  void ask_thumbs();
  void adopt_view();    // the answered view is what is shown from now on
  void adopt_matrix();  // takes the newest matrix when it fits what is shown; drops one that does not
  void tell_picture();
  void tell_selection();
  void tell_limits();

  Ask ask_;
  Cancel cancel_;
  Tell tell_;
  Words words_;
  std::optional<DumpInfo> dump_;
  struct ShownStream {
    Recipe of;  // stream, merging and whether it joins two sides
    Stream stream;
  };
  mutable std::vector<std::unique_ptr<ShownStream>> shown_streams_;
  AppState state_, shown_;
  std::optional<ViewData> view_;
  std::optional<MatrixData> matrix_, next_matrix_;  // next: answered before the view that it belongs to
  std::optional<ThumbData> thumbs_;
  std::string view_args_, matrix_args_, next_matrix_args_, thumbs_args_;  // the questions that these answer
  std::string failed_matrix_, failed_thumbs_;  // not to be asked again and again
  std::uint64_t matrix_version_ = 0, view_version_ = 0;
  Pending pending_view_, pending_matrix_, pending_thumbs_;
  Side<WallData> wall_;
  Side<DepthData> layers_;
  Side<Picture> picture_;
  Side<LinesData> lines_;
  Side<BesideData> beside_;
  Side<EdgeData> edge_;
  Side<CutData> cut_;
  std::vector<AppState> undo_, redo_;
  std::optional<AppState> drag_from_;  // the state before the drag in progress
  unsigned last_step_ = 0;             // fields that the newest history entry changed; 0: none
};

}  // namespace rollscope
