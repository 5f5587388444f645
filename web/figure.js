// A figure of what is shown: SVG as the engine draws it (src/figure), or PNG made of it by the browser.
import { openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { recipeOptions } from "./share.js";
import { download } from "./single-file.js";

const WIDTHS = ["85mm", "170mm", "800"];
const DRAWN = ["row", "matrix", "graph", "heads", "depth", "compare"];
/** The view in sight as a figure; what has none is shown by its row. */
export const figureOf = (view) => (view === "image" ? "image" : DRAWN.includes(view) ? view : "row");

/** What the engine is asked for a figure of the page's state. @param {any} state @param {object} look */
export function figureArgs(state, look) {
  const view = look.view ?? figureOf(state.view);
  const matrix = { kind: state.matrix.kind, layer: state.matrix.layer, head: state.matrix.head, curve: state.matrix.scale };
  return {
    recipe: recipeOptions(state.recipe), query: state.query, ...look, view,
    ...(view === "graph" ? { keep: state.keep } : {}), ...(view === "matrix" ? matrix : {}),
    ...(view === "compare" && state.compare?.recipe ? { b: recipeOptions(state.compare.recipe) } : {}),
  };
}

/** The face of the page inside a picture, which sees none of the page's own. @param {string} svg @param {ArrayBuffer[]} faces  400, 600 */
function withFaces(svg, faces) {
  const base64 = (bytes) => btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
  const rules = faces.map((bytes, i) => `@font-face{font-family:'IBM Plex Sans';font-weight:${i ? 600 : 400};src:url(data:font/ttf;base64,${base64(bytes)})}`).join("");
  return svg.replace("</title>", `</title><style>${rules}</style>`);
}

/** @param {string} svg @param {number} width @param {number} height  CSS pixels @param {number} scale @returns {Promise<Blob>} */
export async function pngOf(svg, width, height, scale) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const picture = new Image(Math.round(width * scale), Math.round(height * scale));
    picture.src = address;
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("canvas"))), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * @param {{
 *   locale: import("./locale.js").Locale, ask: (verb: string, args: object) => Promise<any>,
 *   state: any, file: string, dark: boolean, problem: (error: any) => void,
 *   faces: () => Promise<ArrayBuffer[]>,
 * }} app
 */
export async function showFigure({ locale, ask, state, file, dark, problem, faces }) {
  const picture = element("img", { alt: "", class: "figure-picture" });
  const line = element("p", { class: "faint", role: "status" });
  const choice = (key, values, chosen, word = (value) => locale.t(`dom.figure.${key}.${value}`)) => element("select", { "aria-label": locale.t(`dom.figure.${key}`), onchange: () => draw() },
    ...values.map((value) => element("option", { value, selected: value === chosen }, word(value))));
  const views = state.view === "image" ? ["image", ...DRAWN] : DRAWN;
  const view = choice("view", views, figureOf(state.view), (value) => (value === "row" ? locale.t("dom.figure.row") : locale.t(`ui.tab.${value}`)));
  const width = choice("width", WIDTHS, "170mm");
  const theme = choice("theme", ["light", "dark"], dark ? "dark" : "light", (value) => locale.t(`dom.theme.${value}`));
  const ground = choice("ground", ["theme", "transparent"], "theme");
  const scale = choice("scale", ["1", "2", "3", "4"], "2", (value) => `${value}×`);
  let drawn = null, asked = 0;
  async function draw() {
    const turn = ++asked;
    line.textContent = locale.t("dom.share.measuring.figure");
    try {
      const answer = await ask("figure", figureArgs(state, { view: view.value, width: width.value, theme: theme.value, ground: ground.value, language: locale.language }));
      if (turn !== asked) return;
      drawn = answer;
    } catch (failure) {
      if (turn !== asked) return;
      line.textContent = locale.error(failure).what;
      return;
    }
    URL.revokeObjectURL(picture.src);
    picture.src = URL.createObjectURL(new Blob([withFaces(drawn.svg, await faces())], { type: "image/svg+xml" }));
    picture.classList.toggle("dark", theme.value === "dark");
    line.textContent = locale.t("dom.figure.size", { width: Math.round(drawn.width), height: Math.round(drawn.height), kilobytes: locale.number.format(drawn.svg.length / 1000), pixels: `${Math.round(drawn.width * scale.value)} × ${Math.round(drawn.height * scale.value)}` });
  }
  const name = (end) => `${file.replace(/\.[^.]*$/, "")}.${drawn.view}.${end}`;
  const svg = element("button", { type: "button", onclick: () => download(new Blob([drawn.svg], { type: "image/svg+xml" }), name("svg")) }, "SVG");
  const png = element("button", { type: "button", class: "primary", onclick: async () => { try { download(await pngOf(withFaces(drawn.svg, await faces()), drawn.width, drawn.height, Number(scale.value)), name("png")); } catch (failure) { problem(failure); } } }, "PNG");
  const row = (key, control) => element("label", {}, element("span", {}, locale.t(`dom.figure.${key}`)), control);
  const dialog = openDialog({
    title: locale.t("dom.figure.title"), widest: true, closeLabel: locale.t("dom.close"),
    body: [element("div", { class: "figure-parts" },
      element("div", { class: "figure-choices" }, row("view", view), row("width", width), row("theme", theme), row("ground", ground), row("scale", scale), line),
      element("div", { class: "figure-sheet" }, picture))],
    buttons: [{ text: locale.t("dom.close") }], actions: [svg, png],
  });
  dialog.id = "figure";
  await draw();
}
