// What the page module asks of its surroundings (src/platform/host.h), as the object that page_host.js calls.
import { Raster } from "./raster.js";

/**
 * @typedef {ReturnType<typeof makeHost>} Host  what the module calls, and what is still open
 * @param {{
 *   frames: import("./frames.js").Frames,
 *   canvas: HTMLCanvasElement,
 *   ask: (verb: string, args: string) => {promise: Promise<import("./engine-client.js").Answer>, cancel: () => void},
 *   answer: (number: number, archive: ArrayBuffer | null, error: object | null) => void,
 *   tell: (event: string, detail: any) => void,
 * }} parts
 */
export function makeHost({ frames, canvas, ask, answer, tell }) {
  const raster = new Raster();
  const open = new Map();  // number to {cancel, verb}: questions of the page module that have no answer yet
  let waiting = [];        // {verb, done}
  const asks = (verb) => [...open.values()].some((question) => question.verb === verb);
  const close = (number) => {
    const known = open.delete(number);
    waiting = waiting.filter(({ verb, done }) => asks(verb) || done());
    return known;
  };
  return {
    get pending() { return open.size; },
    asks,
    /** Resolves once no question of this kind is open. @param {string} verb @returns {Promise<void>} */
    answered: (verb) => new Promise((done) => { if (asks(verb)) waiting.push({ verb, done }); else done(); }),
    requestFrame: () => frames.request(),
    requestFrameIn: (ms) => frames.requestIn(ms),
    ask(number, verb, args) {
      const { promise, cancel } = ask(verb, args);
      open.set(number, { cancel, verb });
      promise.then(
        ({ blob }) => { if (open.has(number)) answer(number, blob, null); close(number); },
        (error) => {
          // What the page itself has cancelled it has forgotten.
          if (open.has(number)) answer(number, null, { code: error.code, text: error.text, fix: error.fix, params: error.params ?? {} });
          close(number);
        });
    },
    cancel(number) {
      open.get(number)?.cancel();
      close(number);
    },
    cursor(css) { canvas.style.cursor = css; },
    // Never in the midst of a frame: what the DOM does in answer may call the module again.
    tell(event, detail) { queueMicrotask(() => tell(event, detail ? JSON.parse(detail) : {})); },
    label: (text, px, bold, x, y, w, h, rgba, width) => raster.draw(text, { px, bold, x, y, w, h }, rgba, width),
    measure: (text, px, bold) => raster.measure(text, px, bold),
  };
}
