// The page without a picture: where WebGL2 is missing the engine still answers, and the table is all there is to see.
import { element } from "./dom.js";

/**
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   mirror: import("./mirror.js").Mirror,
 *   explain: (options: object) => Promise<any>,
 * }} app
 */
export function makeTableView({ locale, mirror, explain }) {
  let info = null, recipe = {}, query = 0, asked = 0;

  const ask = async () => {
    const number = ++asked;
    const answer = await explain({ ...recipe, row: query });
    if (number !== asked) return;  // an older answer
    const weights = answer.matrix[0], chance = answer.uniform?.[0] ?? [];
    mirror.update({
      token: answer.queries[0] ?? label(query), sentence: answer.recipe.sentence ?? answer.recipe.method,
      percent: !["max-flow", "attribution"].includes(answer.recipe.unit) && Math.abs(weights.reduce((sum, weight) => sum + (weight ?? 0), 0) - 1) < 1e-3,
      rows: answer.keys.map((token, index) => ({ token, weight: weights[index], chance: chance[index] ?? null })),
    });
  };
  const tokens = () => info.tokens[info.streams[0].name]?.queries ?? [];
  const label = (index) => tokens()[index]?.label ?? String(index + 1);

  const controls = () => {
    const select = /** @type {HTMLSelectElement} */ (element("select", { id: "table-output", onchange: () => { query = Number(select.value); ask(); } },
      ...Array.from({ length: info.streams[0].queries }, (_, index) => element("option", { value: String(index), selected: index === query }, `${index + 1} ${label(index)}`))));
    return element("p", {}, element("label", {}, locale.t("dom.mirror.output"), " ", select));
  };

  return {
    /** @param {any} opened  info @param {any} [state]  as setState takes it */
    async show(opened, state = {}) {
      info = opened;
      const [stream] = info.streams;
      // A rollout over a cross stream alone is refused; such a dump opens on the last layer's weights.
      recipe = state.recipe ?? (stream.kind === "cross" ? { method: "raw", layers: [stream.layers - 1, stream.layers] } : {});
      query = Math.min(state.query ?? 0, stream.queries - 1);
      mirror.controls = controls();
      await ask();
    },
  };
}
