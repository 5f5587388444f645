// The card that says what reading a file takes and how far it has come, with the first row as soon as there is one. It
// comes only when reading takes a moment; what is open stays usable.
import { byId, element } from "./dom.js";

const PATIENCE_MS = 300;
const MB = 1e6;
let shown = null;  // whose card it is: a newer file takes it over

/**
 * @param {string} name @param {import("./locale.js").Locale} locale @param {() => void} cancel
 * @returns {import("./opener.js").Reading}
 */
export function showReading(name, locale, cancel) {
  const card = byId("reading"), mine = shown = {};
  const amount = element("span", { class: "faint" });
  const bar = /** @type {HTMLProgressElement} */ (element("progress", { max: 1, value: 0, "aria-label": locale.t("dom.reading.title", { file: name }) }));
  const plan = element("p", { class: "faint", hidden: true });
  const layers = element("span", { class: "faint" });
  const row = element("div", {});
  card.replaceChildren(
    element("p", {}, element("b", {}, locale.t("dom.reading.title", { file: name })), " ", amount),
    plan, bar,
    element("div", { class: "row" }, layers, element("button", { type: "button", onclick: cancel }, locale.t("dom.reading.cancel"))),
    row);
  const timer = setTimeout(() => { if (shown === mine) card.hidden = false; }, PATIENCE_MS);
  const whole = (bytes) => locale.number.format(Math.max(1, Math.round(bytes / MB)));
  let newest = null;  // a row that waits to be drawn
  return {
    progress(p) {
      if (shown !== mine) return;
      if (p.fraction >= 0) bar.value = p.fraction;
      else bar.removeAttribute("value");
      amount.textContent = p.total >= MB ? locale.t("dom.reading.amount", { read: locale.number.format(Math.round(p.bytes / MB)), total: whole(p.total) })
        : p.bytes >= MB ? locale.t("dom.reading.so_far", { read: whole(p.bytes) }) : "";
      plan.hidden = !(p.kept > 0 && p.total >= MB);
      if (!plan.hidden) plan.textContent = locale.t("dom.reading.plan", { total: whole(p.total), kept: whole(p.kept) });
      layers.textContent = p.silent ? locale.t("dom.reading.silent") : p.layers > 0 ? locale.t("dom.reading.layer", { layer: p.layer, layers: p.layers }) : "";
    },
    partial(data) {
      const loads = newest === null;
      newest = data;
      if (!loads) return;
      import("./partial.js").then(({ partialRow }) => {
        if (shown === mine && newest) row.replaceChildren(partialRow(newest, locale));
        newest = null;
      }).catch(() => {});  // the bar goes on without it
    },
    done() {
      clearTimeout(timer);
      if (shown !== mine) return;
      shown = null;
      card.hidden = true;
      card.replaceChildren();
    },
  };
}
