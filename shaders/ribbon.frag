// Ribbons: flat colour with an edge one device pixel soft. Cross stripes (1.3 on, 2.7 off at a period of 4) mark what
// goes to a sink: shape tells what colour tells.
in vec2 v_across;
in vec3 v_along;
flat in vec4 v_colour;
flat in vec2 v_soft;
out vec4 o_colour;

void main() {
  float cover = clamp(v_across.y + 0.5 - abs(v_across.x), 0.0, 1.0);
  if (v_along.z > 0.0) {
    float on = 0.325 * v_along.z;
    float d = v_along.x - v_along.z * floor(v_along.x / v_along.z + 0.5);
    cover *= clamp(0.5 * on + 0.5 - abs(d), 0.0, 1.0);
  }
  if (v_soft.x > 0.0) cover *= clamp(v_along.x / v_soft.x, 0.0, 1.0);
  if (v_soft.y > 0.0) cover *= clamp(v_along.y / v_soft.y, 0.0, 1.0);
  o_colour = v_colour * cover;
}
