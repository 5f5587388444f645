#include "gpu/gl_util.h"

#include <cstdio>

namespace rollscope::gpu {
namespace {

GLuint compile(GLenum kind, const char* source) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done) return shader;
  char log[512] = {};
  glGetShaderInfoLog(shader, sizeof log, nullptr, log);
  std::fputs(log, stderr);
  glDeleteShader(shader);
  return 0;
}

void enable(GLenum what, GLboolean on) {
  if (on) glEnable(what);
  else glDisable(what);
}

}  // namespace

GLuint make_program(const char* vertex, const char* fragment) {
  const GLuint v = compile(GL_VERTEX_SHADER, vertex), f = compile(GL_FRAGMENT_SHADER, fragment);
  if (!v || !f) return 0;
  const GLuint program = glCreateProgram();
  glAttachShader(program, v);
  glAttachShader(program, f);
  glLinkProgram(program);
  glDeleteShader(v);
  glDeleteShader(f);
  GLint done = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &done);
  if (done) return program;
  char log[512] = {};
  glGetProgramInfoLog(program, sizeof log, nullptr, log);
  std::fputs(log, stderr);
  glDeleteProgram(program);
  return 0;
}

KeptState::KeptState() {
  glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
  glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &array_buffer_);
  glGetIntegerv(GL_ACTIVE_TEXTURE, &unit_);
  glGetIntegerv(GL_SCISSOR_BOX, scissor_);
  glGetIntegerv(GL_BLEND_SRC_RGB, &source_rgb_);
  glGetIntegerv(GL_BLEND_DST_RGB, &target_rgb_);
  glGetIntegerv(GL_BLEND_SRC_ALPHA, &source_alpha_);
  glGetIntegerv(GL_BLEND_DST_ALPHA, &target_alpha_);
  scissor_on_ = glIsEnabled(GL_SCISSOR_TEST);
  blend_on_ = glIsEnabled(GL_BLEND);
}

KeptState::~KeptState() {
  glUseProgram(static_cast<GLuint>(program_));
  glBindVertexArray(static_cast<GLuint>(vertex_array_));
  glBindBuffer(GL_ARRAY_BUFFER, static_cast<GLuint>(array_buffer_));
  glActiveTexture(static_cast<GLenum>(unit_));
  glScissor(scissor_[0], scissor_[1], scissor_[2], scissor_[3]);
  glBlendFuncSeparate(static_cast<GLenum>(source_rgb_), static_cast<GLenum>(target_rgb_), static_cast<GLenum>(source_alpha_), static_cast<GLenum>(target_alpha_));
  enable(GL_SCISSOR_TEST, scissor_on_);
  enable(GL_BLEND, blend_on_);
}

}  // namespace rollscope::gpu
