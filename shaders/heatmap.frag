// Heatmap: weight -> range -> curve -> colormap, one draw per 2048 x 2048 tile.
// Row = query (down), column = key (right). Level k holds the MAX of 2^k x 2^k cells: a mean would fade
// the one strong cell that people zoom out to find. Texels are fetched, never filtered: a blend of two
// cells is a weight that no head has. The number on hover comes from the CPU copy, not from here.
uniform sampler2D u_weights;   // R16F, >= 0; negative: no value (a NaN would not survive every driver)
uniform sampler2D u_colormap;  // 256 x 1, sRGB, low to high
uniform sampler2D u_row_max;   // R32F, 1024 wide, all levels one after another
uniform vec2 u_range;          // weights at the ends of the colormap, x < y; log curve: 0 < x
uniform int u_curve;           // scene/state.h ScaleCurve: 0 linear, 1 log, 2 per row
uniform ivec2 u_tile;          // texel of the level at the tile's corner: column, row
uniform ivec2 u_size;          // texels of the tile
uniform int u_level;           // pyramid level; 0: a texel is a cell
uniform int u_row_offset;      // where this level starts in u_row_max
uniform bool u_causal;
uniform int u_hatched[16];     // columns off the scale
uniform int u_hatched_count;
uniform vec2 u_texel_px;       // device pixels of a texel
uniform float u_gap;           // device pixels between cells, whole; 0: none
uniform float u_scale;         // device pixels per CSS pixel
uniform vec3 u_masked;         // "no value here": a colour the colormap never shows
uniform vec3 u_hatch;          // lines of the hatch, the cross of a masked cell, the stair of the causal mask
uniform vec3 u_ground;
in vec2 v_texel;
in vec2 v_pixel;
out vec4 o_colour;

float position(float w, int row) {
  if (u_curve == 2) {
    int at = u_row_offset + row;
    float most = texelFetch(u_row_max, ivec2(at & 1023, at >> 10), 0).r;
    w = most > 0.0 ? w / most : 0.0;
  }
  if (u_curve == 1) return w <= u_range.x ? 0.0 : log(w / u_range.x) / log(u_range.y / u_range.x);
  return (w - u_range.x) / (u_range.y - u_range.x);
}

// Coverage of a line `width` CSS pixels wide at a distance of `d` device pixels from its middle.
float line_at(float d, float width) { return clamp(0.5 * width * u_scale + 0.5 - abs(d), 0.0, 1.0); }

void main() {
  ivec2 texel = clamp(ivec2(floor(v_texel)), ivec2(0), u_size - 1);
  ivec2 cell = u_tile + texel;  // column, row; of blocks from level 1 on
  if (u_causal) {
    if (cell.x > cell.y) discard;  // no such cell, not even an empty one
    if (cell.x == cell.y && u_level == 0 && u_texel_px.x >= 4.0) {
      // The stair: upper and right edge of the last cell of each row.
      vec2 from_edge = vec2(float(texel.x + 1) - v_texel.x, v_texel.y - float(texel.y)) * u_texel_px;
      if (min(from_edge.x, from_edge.y) < max(1.0, floor(u_scale))) {
        o_colour = vec4(u_hatch, 1.0);
        return;
      }
    }
  }
  // A pixel belongs to the gap when the next cell starts within the gap's width: whole pixels at every zoom.
  if (u_gap > 0.0) {
    ivec2 next = ivec2(floor(v_texel + u_gap / u_texel_px));
    if (next.x > texel.x || next.y > texel.y) discard;
  }
  float weight = texelFetch(u_weights, texel, 0).r;
  vec2 in_cell = (v_texel - vec2(texel)) * u_texel_px;  // device pixels from the cell's corner
  if (weight < 0.0) {
    o_colour = vec4(u_masked, 1.0);
    if (u_level == 0 && u_texel_px.x > 8.0 * u_scale) {
      vec2 size = u_texel_px - u_gap;
      float falling = (in_cell.x * size.y - in_cell.y * size.x) / length(size);
      float rising = ((size.x - in_cell.x) * size.y - in_cell.y * size.x) / length(size);
      o_colour.rgb = mix(u_masked, u_hatch, max(line_at(falling, 1.0), line_at(rising, 1.0)));
    }
    return;
  }
  for (int i = 0; i < u_hatched_count; ++i) {
    if (u_hatched[i] >> u_level == cell.x) {
      // Rising lines every 5 CSS pixels, fixed to the screen, so that neighbouring cells continue each other.
      float period = 5.0 * u_scale;
      float across = (v_pixel.x + v_pixel.y) * 0.70710678;
      float d = across - period * floor(across / period + 0.5);
      o_colour = vec4(mix(u_ground, u_hatch, line_at(d, 1.2)), 1.0);
      return;
    }
  }
  float t = clamp(position(weight, cell.y), 0.0, 1.0);
  o_colour = vec4(texelFetch(u_colormap, ivec2(int(t * 255.0 + 0.5), 0), 0).rgb, 1.0);
}
