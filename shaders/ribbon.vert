// Ribbons: one instanced strip of 40 segments along the cubic of scene/graph_layout.h ribbon_point(), so that what
// is drawn is what the pointer finds. No attributes per vertex: gl_VertexID says where along, and on which side.
uniform vec2 u_viewport;  // framebuffer, device pixels
uniform float u_scale;    // device pixels per CSS pixel
layout(location = 0) in vec4 a_ends;    // x0 y0 x1 y1, CSS pixels, y down
layout(location = 1) in vec2 a_widths;  // CSS pixels at either end
layout(location = 2) in vec4 a_colour;  // premultiplied
layout(location = 3) in float a_stripes;
layout(location = 4) in vec2 a_soft;    // CSS pixels over which an end fades
out vec2 v_across;   // distance from the middle and half the width, device pixels
out vec3 v_along;    // distance from the start and from the end, and the period of stripes, device pixels
flat out vec4 v_colour;
flat out vec2 v_soft;

const float kSegments = 40.0;

// Where vertex pair k lies along the curve: closer together at the ends, where it bends.
float along(int k) {
  float s = float(k) / kSegments;
  return s * s * (3.0 - 2.0 * s);
}

vec2 at(float t) {
  return mix(a_ends.xy, a_ends.zw, vec2(t * t * (3.0 - 2.0 * t), t * (1.5 + t * (t - 1.5))));
}

void main() {
  float t = along(gl_VertexID >> 1);
  float side = float(gl_VertexID & 1) * 2.0 - 1.0;
  vec2 chord = a_ends.zw - a_ends.xy;
  vec2 tangent = chord * vec2(6.0 * t * (1.0 - t), 1.5 - 3.0 * t + 3.0 * t * t);
  float size = length(tangent);
  vec2 normal = size > 0.0 ? vec2(-tangent.y, tangent.x) / size : vec2(1.0, 0.0);
  float width = max(mix(a_widths.x, a_widths.y, t), 1.0) * u_scale;
  float reach = 0.5 * width + 0.5;  // half a pixel more for the soft edge
  vec2 place = at(t) * u_scale + normal * side * reach;

  v_across = vec2(side * reach, 0.5 * width);
  v_along = vec3(0.0, 0.0, a_stripes * u_scale);
  if (a_stripes > 0.0 || a_soft.x > 0.0 || a_soft.y > 0.0) {
    // Length of the polygon that is drawn, up to here and in all.
    float before = 0.0, all = 0.0;
    vec2 last = at(0.0);
    for (int k = 1; k <= int(kSegments); ++k) {
      vec2 next = at(along(k));
      all += distance(last, next);
      if (k <= gl_VertexID >> 1) before = all;
      last = next;
    }
    v_along.xy = vec2(before, all - before) * u_scale;
  }
  v_colour = a_colour;
  v_soft = a_soft * u_scale;
  vec2 ndc = place / u_viewport * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
}
