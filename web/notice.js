// Short messages at the foot of the page. They stay until they are closed or the next one comes: nobody reads by the clock.
import { byId, element, icon } from "./dom.js";

/**
 * @param {string} text @param {string} closeLabel
 * @param {{text: string, act: () => void}} [action]
 */
export function notice(text, closeLabel, action) {
  const close = () => card.remove();
  const card = element("div", { class: "card notice" },
    element("p", {}, text),
    action ? element("button", { type: "button", class: "link", onclick: () => { close(); action.act(); } }, action.text) : null,
    element("button", { type: "button", class: "quiet sign", "aria-label": closeLabel, onclick: close }, icon("close")));
  byId("notices").replaceChildren(card);
  return close;
}
