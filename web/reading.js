// The card that says how far a file has been read. It comes only when reading takes a moment; what is open stays usable.
import { byId, element } from "./dom.js";

const PATIENCE_MS = 300;
const MB = 1e6;

/**
 * @param {string} name @param {import("./locale.js").Locale} locale @param {() => void} cancel
 * @returns {{progress: (p: import("./engine-client.js").Progress) => void, done: () => void}}
 */
export function showReading(name, locale, cancel) {
  const card = byId("reading");
  const amount = element("span", { class: "faint" });
  const bar = /** @type {HTMLProgressElement} */ (element("progress", { max: 1, value: 0, "aria-label": locale.t("dom.reading.title", { file: name }) }));
  const layers = element("span", { class: "faint" });
  card.replaceChildren(
    element("p", {}, element("b", {}, locale.t("dom.reading.title", { file: name })), " ", amount),
    bar,
    element("div", { class: "row" }, layers, element("button", { type: "button", onclick: cancel }, locale.t("dom.reading.cancel"))));
  const timer = setTimeout(() => { card.hidden = false; }, PATIENCE_MS);
  let over = false;
  return {
    progress(p) {
      if (over) return;
      if (p.fraction >= 0) bar.value = p.fraction;
      else bar.removeAttribute("value");
      const whole = (bytes) => locale.number.format(Math.round(bytes / MB));
      amount.textContent = p.total >= MB ? locale.t("dom.reading.amount", { read: whole(p.bytes), total: whole(p.total) }) : "";
      layers.textContent = p.layers > 0 ? locale.t("dom.reading.layer", { layer: p.layer, layers: p.layers }) : "";
    },
    done() {
      over = true;
      clearTimeout(timer);
      card.hidden = true;
      card.replaceChildren();
    },
  };
}
