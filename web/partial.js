// The row through the layers that have been read so far, while the rest is still being read: a strip of all tokens, and
// the strongest in words. It says of itself that it is not the end.
import { element } from "./dom.js";
import { drawHeat, topWithoutHeaviest } from "./heat.js";

const NAMED = 4;
const PIXELS = 1024;

/**
 * @param {{query: number, layers: number, of: number, tokens: string[], weights: number[]}} row
 * @param {import("./locale.js").Locale} locale
 * @returns {HTMLElement}
 */
export function partialRow({ query, layers, of, tokens, weights }, locale) {
  const percent = new Intl.NumberFormat(locale.language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const name = (index) => tokens[index] || locale.number.format(index + 1);
  const first = weights.map((weight, index) => ({ weight, index })).filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight).slice(0, NAMED);
  const strip = /** @type {HTMLCanvasElement} */ (element("canvas", { class: "strip", "aria-hidden": "true" }));
  const matrix = { rows: 1, columns: weights.length, values: weights };
  drawHeat(strip, matrix, PIXELS, topWithoutHeaviest(matrix));  // half of a row stays with the token itself
  return element("figure", { class: "partial" },
    element("figcaption", {}, locale.t(layers === 1 ? "dom.partial.first" : "dom.partial.caption", { token: name(query), last: layers, of })),
    strip,
    element("ol", {}, ...first.map(({ weight, index }) => element("li", {}, element("b", {}, name(index)), ` ${percent.format(weight)}`))));
}
