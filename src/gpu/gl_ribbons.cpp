#include "gpu/gl_ribbons.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gpu/gl_util.h"
#include "shaders.h"

namespace rollscope::gpu {
namespace {

constexpr GLsizei kStripVertices = 2 * 40 + 2;  // ribbon.vert: 40 segments

}  // namespace

bool RibbonPass::start() {
  program_ = make_program(shaders::ribbon_vert, shaders::ribbon_frag);
  if (!program_) return false;
  viewport_ = glGetUniformLocation(program_, "u_viewport");
  scale_ = glGetUniformLocation(program_, "u_scale");
  return true;
}

void RibbonPass::lost() {
  batches_.clear();
  program_ = 0;
  bytes_ = 0;
}

RibbonBatch RibbonPass::create(std::span<const RibbonInstance> ribbons) {
  static_assert(sizeof(RibbonInstance) == 48);
  if (ribbons.empty()) return 0;
  const KeptState kept;
  Batch b;
  b.count = static_cast<GLsizei>(ribbons.size());
  glGenVertexArrays(1, &b.vertices);
  glGenBuffers(1, &b.buffer);
  glBindVertexArray(b.vertices);
  glBindBuffer(GL_ARRAY_BUFFER, b.buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(ribbons.size_bytes()), ribbons.data(), GL_STATIC_DRAW);
  const auto attribute = [](GLuint location, GLint size, GLenum type, std::size_t offset) {
    glEnableVertexAttribArray(location);
    glVertexAttribPointer(location, size, type, type == GL_UNSIGNED_BYTE, sizeof(RibbonInstance), reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(location, 1);
  };
  attribute(0, 4, GL_FLOAT, offsetof(RibbonInstance, x0));
  attribute(1, 2, GL_FLOAT, offsetof(RibbonInstance, width0));
  attribute(2, 4, GL_UNSIGNED_BYTE, offsetof(RibbonInstance, rgba));
  attribute(3, 1, GL_FLOAT, offsetof(RibbonInstance, stripes));
  attribute(4, 2, GL_FLOAT, offsetof(RibbonInstance, soft0));
  bytes_ += static_cast<double>(ribbons.size_bytes());

  const auto free = std::find_if(batches_.begin(), batches_.end(), [](const Batch& x) { return x.count == 0; });
  const auto index = free - batches_.begin();
  if (free == batches_.end()) batches_.push_back(b);
  else *free = b;
  return static_cast<RibbonBatch>(index + 1);
}

void RibbonPass::draw(RibbonBatch batch, const Rect& clip, const Viewport& view) {
  if (batch == 0 || batch > batches_.size() || batches_[batch - 1].count == 0) return;
  const Batch& b = batches_[batch - 1];
  const float x0 = std::floor(clip.x * view.scale), y0 = std::floor(clip.y * view.scale);
  const float x1 = std::ceil((clip.x + clip.w) * view.scale), y1 = std::ceil((clip.y + clip.h) * view.scale);
  if (x1 <= x0 || y1 <= y0) return;
  const KeptState kept;
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<GLint>(x0), static_cast<GLint>(view.height - y1), static_cast<GLsizei>(x1 - x0), static_cast<GLsizei>(y1 - y0));
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glUseProgram(program_);
  glUniform2f(viewport_, view.width, view.height);
  glUniform1f(scale_, view.scale);
  glBindVertexArray(b.vertices);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, kStripVertices, b.count);
}

void RibbonPass::destroy(RibbonBatch batch) {
  if (batch == 0 || batch > batches_.size() || batches_[batch - 1].count == 0) return;
  Batch& b = batches_[batch - 1];
  bytes_ -= static_cast<double>(b.count) * sizeof(RibbonInstance);
  glDeleteVertexArrays(1, &b.vertices);
  glDeleteBuffers(1, &b.buffer);
  b = {};
}

}  // namespace rollscope::gpu
