// An embedded page begins as a picture: a figure by the engine, without WebGL, of which a browser gives a page only a
// few. A click starts the page itself in its place.
import { element } from "./dom.js";
import { figureArgs } from "./figure.js";

const REDRAW_MS = 250;  // after the frame has come to rest at another size

/**
 * @param {HTMLElement} stage
 * @param {{
 *   locale: import("./locale.js").Locale, theme: import("./theme.js").Theme,
 *   ask: (verb: string, args: object) => Promise<any>,
 *   wake: (state: any) => void,   starts the page, which takes the poster away
 *   idle: () => void,
 * }} app
 */
export function makePoster(stage, { locale, theme, ask, wake, idle }) {
  const picture = element("img", { alt: "" });
  const button = element("button", { type: "button", id: "poster", onclick: () => wake(state) }, picture, element("span", {}, locale.t("dom.poster")));
  stage.append(button);
  let state = {}, open = false, asked = 0, timer = 0, width = 0, pending = 0;

  async function draw() {
    if (!open) return;
    const turn = ++asked;
    width = Math.max(200, Math.min(4000, stage.clientWidth));
    const view = { view: "graph", query: 0, keep: 0.75, recipe: {}, ...state, matrix: { kind: "result", layer: -1, head: 0, scale: "linear", ...state.matrix } };
    ++pending;
    try {
      const { svg } = await ask("figure", figureArgs(view, { width: String(width), theme: theme.isDark ? "dark" : "light", language: locale.language }));
      if (turn !== asked) return;
      URL.revokeObjectURL(picture.src);
      picture.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      picture.alt = new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("desc")?.textContent ?? "";
      await picture.decode().catch(() => {});
    } catch (failure) {
      if (turn === asked) picture.alt = locale.error(failure).what;
    } finally {
      --pending;
      idle();
    }
  }
  const resized = new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(() => { if (Math.abs(stage.clientWidth - width) > 8) draw(); }, REDRAW_MS); });
  resized.observe(stage);
  locale.listeners.push(draw);
  theme.listeners.push(draw);
  return {
    get pending() { return pending > 0; },
    /** @param {any} info @param {any} [view]  as setState takes it */
    async show(info, view) {
      const [stream] = info.streams;
      // A rollout over a cross stream alone is refused; such a dump opens on the last layer's weights.
      state = view ?? (stream.kind === "cross" ? { recipe: { method: "raw", layers: [stream.layers - 1, stream.layers] }, view: "matrix" } : {});
      open = true;
      await draw();
    },
    state: () => state,
    setState(more) { state = { ...state, ...more, recipe: { ...state.recipe, ...more.recipe } }; draw(); return {}; },
    commands: () => [],
    command: () => ({ error: { code: "usage", params: { detail: "An embedded view is a picture until it is clicked, and a picture has no commands; embed it with live" } } }),
    stats: () => ({}),
    remove() { open = false; resized.disconnect(); button.remove(); },
  };
}
