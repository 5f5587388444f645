// What the two passes share: programs, and the state of Dear ImGui's renderer that they borrow the context from.
#pragma once

#include <GLES3/gl3.h>

namespace rollscope::gpu {

// Compiles and links; 0 and a line on stderr when the driver refuses.
[[nodiscard]] GLuint make_program(const char* vertex, const char* fragment);

// Passes bind textures to units of their own: unit 0 and its sampler object belong to Dear ImGui.
inline constexpr GLint kWeightsUnit = 1, kColormapUnit = 2, kRowMaxUnit = 3;

// Restores on destruction what a pass changes. Draw callbacks run in the middle of ImGui's rendering.
class KeptState {
 public:
  KeptState();
  ~KeptState();
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;

 private:
  GLint program_ = 0, vertex_array_ = 0, array_buffer_ = 0, unit_ = 0, scissor_[4] = {};
  GLint source_rgb_ = 0, target_rgb_ = 0, source_alpha_ = 0, target_alpha_ = 0;
  GLboolean scissor_on_ = 0, blend_on_ = 0;
};

}  // namespace rollscope::gpu
