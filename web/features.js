// What the page needs of a browser, asked before anything large is loaded.

// A module of one function that makes a v128: browsers without SIMD refuse it (bytes by hand from the specification).
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

/** @returns {boolean} WebAssembly with SIMD, which both modules are built with */
export function hasWebAssembly() {
  try { return typeof WebAssembly === "object" && WebAssembly.validate(SIMD); } catch { return false; }
}

/** @returns {boolean} asked on a canvas of its own, so that the page's keeps its first context for the C++ side */
export function hasWebGL2() {
  try {
    const context = document.createElement("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();  // browsers count contexts; give this one back
    return context !== null;
  } catch { return false; }
}

/** @returns {boolean} fingers rather than a mouse: targets grow to 44 px */
export const hasTouch = () => matchMedia("(pointer: coarse)").matches;
