// Short messages at the foot of the page. They stay until they are closed: nobody reads by the clock. A message that is
// said again takes its old place, and of many only the newest stay.
import { byId, element, icon } from "./dom.js";

const MOST = 3;

/**
 * @param {string} text @param {string} closeLabel
 * @param {{text: string, act: () => void}} [action]
 * @returns {() => void} takes it away
 */
export function notice(text, closeLabel, action) {
  const list = byId("notices");
  const close = () => card.remove();
  const card = element("div", { class: "card notice" },
    element("p", {}, text),
    action ? element("button", { type: "button", class: "link", onclick: () => { close(); action.act(); } }, action.text) : null,
    element("button", { type: "button", class: "quiet sign", "aria-label": closeLabel, onclick: close }, icon("close")));
  const same = [...list.children].find((other) => other.querySelector("p").textContent === text);
  if (same) same.replaceWith(card);
  else list.append(card);
  while (list.children.length > MOST) list.firstElementChild.remove();
  return close;
}
