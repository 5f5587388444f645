// Heatmap: the rectangle of one tile. Four corners from gl_VertexID, no attributes.
uniform vec4 u_rect;      // x0 y0 x1 y1, device pixels, y down
uniform vec4 u_texels;    // the same corners in texels of the tile
uniform vec2 u_viewport;  // framebuffer, device pixels
out vec2 v_texel;
out vec2 v_pixel;         // device pixels, y down

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  v_pixel = mix(u_rect.xy, u_rect.zw, corner);
  v_texel = mix(u_texels.xy, u_texels.zw, corner);
  vec2 ndc = v_pixel / u_viewport * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
}
