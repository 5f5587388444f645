// A WebGL context that remembers what it was told. Dear ImGui's backend and our passes ask for the state they are about to
// change, to put it back; a browser answers some of these questions from the graphics process, after all that was drawn
// before: 50 ms on a machine without a GPU. What only this page sets, this page knows.

const pair = (gl, both, rgb, alpha) => [[gl[rgb], both[0]], [gl[alpha], both[1]]];

/** @param {WebGL2RenderingContext | null} gl @returns {WebGL2RenderingContext | null} the same */
function remembering(gl) {
  if (!gl?.getParameter) return gl;
  const kept = new Map(), told = {
    viewport: (...box) => [[gl.VIEWPORT, Int32Array.of(...box)]],
    scissor: (...box) => [[gl.SCISSOR_BOX, Int32Array.of(...box)]],
    blendEquation: (mode) => pair(gl, [mode, mode], "BLEND_EQUATION_RGB", "BLEND_EQUATION_ALPHA"),
    blendEquationSeparate: (...modes) => pair(gl, modes, "BLEND_EQUATION_RGB", "BLEND_EQUATION_ALPHA"),
    blendFunc: (from, to) => [...pair(gl, [from, from], "BLEND_SRC_RGB", "BLEND_SRC_ALPHA"), ...pair(gl, [to, to], "BLEND_DST_RGB", "BLEND_DST_ALPHA")],
    blendFuncSeparate: (...f) => [...pair(gl, [f[0], f[2]], "BLEND_SRC_RGB", "BLEND_SRC_ALPHA"), ...pair(gl, [f[1], f[3]], "BLEND_DST_RGB", "BLEND_DST_ALPHA")],
    enable: (what) => [[`is${what}`, true]],
    disable: (what) => [[`is${what}`, false]],
    activeTexture: (unit) => [[gl.ACTIVE_TEXTURE, unit]],
  };
  const known = new Set([gl.VIEWPORT, gl.SCISSOR_BOX, gl.BLEND_EQUATION_RGB, gl.BLEND_EQUATION_ALPHA, gl.BLEND_SRC_RGB, gl.BLEND_SRC_ALPHA, gl.BLEND_DST_RGB, gl.BLEND_DST_ALPHA, gl.ACTIVE_TEXTURE]);
  for (const [name, states] of Object.entries(told)) {
    const set = gl[name].bind(gl);
    gl[name] = (...args) => { set(...args); for (const [state, value] of states(...args)) kept.set(state, value); };
  }
  const first = (state, ask) => { if (!kept.has(state)) kept.set(state, ask()); return kept.get(state); };
  const parameter = gl.getParameter.bind(gl), enabled = gl.isEnabled.bind(gl);
  gl.getParameter = (name) => (known.has(name) ? first(name, () => parameter(name)) : parameter(name));
  gl.isEnabled = (what) => first(`is${what}`, () => enabled(what));
  gl.canvas.addEventListener("webglcontextrestored", () => kept.clear(), { capture: true });  // all as at the beginning
  return gl;
}

/** Makes every context of this canvas one that remembers. @param {HTMLCanvasElement} canvas */
export function rememberState(canvas) {
  const get = canvas.getContext.bind(canvas), made = new WeakSet();
  canvas.getContext = (...args) => {
    const gl = get(...args);
    if (!gl || made.has(gl)) return gl;
    made.add(gl);
    return remembering(gl);
  };
}
