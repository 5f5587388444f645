// The ribbon pass of the GL implementation: one instanced strip for a whole batch.
#pragma once

#include <GLES3/gl3.h>

#include <vector>

#include "gpu/gpu.h"

namespace rollscope::gpu {

class RibbonPass {
 public:
  [[nodiscard]] bool start();
  void lost();
  [[nodiscard]] RibbonBatch create(std::span<const RibbonInstance> ribbons);
  void draw(RibbonBatch batch, const Rect& clip, const Viewport& viewport);
  void destroy(RibbonBatch batch);
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  struct Batch {
    GLuint vertices = 0, buffer = 0;
    GLsizei count = 0;
  };
  std::vector<Batch> batches_;  // handle = index + 1; count 0: free
  GLuint program_ = 0;
  GLint viewport_ = -1, scale_ = -1;
  double bytes_ = 0;
};

}  // namespace rollscope::gpu
