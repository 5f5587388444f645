// Long work reports here and asks whether to go on.
#pragma once

namespace rollscope {

class Progress {
 public:
  virtual ~Progress() = default;
  // `fraction` in [0, 1], growing. Returns false when the work was cancelled: stop and return ErrorCode::cancelled.
  virtual bool advance(double fraction) = 0;
};

class NoProgress final : public Progress {
 public:
  bool advance(double) override { return true; }
};

}  // namespace rollscope
