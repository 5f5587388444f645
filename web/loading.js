// The page before there is a picture: a bar that tells the truth, and readable words where something cannot work.
import { byId, element } from "./dom.js";

const TEXT_AFTER_MS = 1000;  // sooner, a text would only flicker
let since = 0, over = false;

/** @param {number} fraction @param {import("./locale.js").Locale} locale */
export function showLoading(fraction, locale) {
  if (over) return;
  since ||= performance.now();
  byId("loading").hidden = false;
  byId("loading-bar").value = fraction;
  if (performance.now() - since > TEXT_AFTER_MS && locale.has("dom.loading")) byId("loading-text").textContent = locale.t("dom.loading", { percent: Math.floor(fraction * 100) });
}

export function hideLoading() {
  over = true;
  byId("loading").hidden = true;
}

/**
 * A message that stays, in place of the picture.
 * @param {string} title @param {string[]} lines @param {{text: string, act: () => void}} [action] @param {boolean} [slim]  above the table
 */
export function showMessage(title, lines, action, slim = false) {
  const section = byId("message");
  section.classList.toggle("slim", slim);
  section.replaceChildren(element("h2", {}, title), ...lines.map((line) => element("p", {}, line)),
    ...(action ? [element("button", { type: "button", class: "primary", onclick: action.act }, action.text)] : []));
  section.hidden = false;
}
