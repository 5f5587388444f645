// A button that opens a short list. Arrow keys move, Escape closes and gives the focus back.
import { element } from "./dom.js";

/**
 * @typedef {{text: string, line?: string, chosen?: boolean, act: () => void}} MenuItem
 * @param {HTMLElement} button
 * @param {() => MenuItem[]} items  asked each time the menu opens
 */
export function attachMenu(button, items) {
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  let list = null;

  const close = (giveBack) => {
    if (!list) return;
    list.remove();
    list = null;
    button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", outside, true);
    if (giveBack) button.focus();
  };
  const outside = (event) => { if (!list.contains(event.target) && !button.contains(event.target)) close(false); };

  const move = (step) => {
    const all = [...list.children];
    const now = all.indexOf(document.activeElement);
    all[(now + step + all.length) % all.length].focus();
  };
  const key = (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Home") list.firstElementChild.focus();
    else if (event.key === "End") list.lastElementChild.focus();
    else if (event.key === "Escape") close(true);
    else if (event.key === "Tab") { close(false); return; }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const open = () => {
    list = element("div", { class: "menu", role: "menu", onkeydown: key }, ...items().map(({ text, line, chosen, act }) =>
      element("button", {
        type: "button", role: chosen === undefined ? "menuitem" : "menuitemradio", "aria-checked": chosen === undefined ? undefined : String(chosen),
        tabIndex: -1, onclick: () => { close(true); act(); },
      }, element("span", { class: "menu-text" }, text), line ? element("span", { class: "menu-line" }, line) : null)));
    document.body.append(list);
    const box = button.getBoundingClientRect();
    list.style.top = `${box.bottom + 6}px`;
    list.style.left = `${Math.max(8, Math.min(box.left, innerWidth - list.offsetWidth - 8))}px`;
    button.setAttribute("aria-expanded", "true");
    addEventListener("pointerdown", outside, true);
    (list.querySelector("[aria-checked=true]") ?? list.firstElementChild)?.focus();
  };

  button.addEventListener("click", () => (list ? close(true) : open()));
  button.addEventListener("keydown", (event) => { if (event.key === "ArrowDown" && !list) { event.preventDefault(); open(); } });
  return { open: () => { if (!list) open(); }, close: () => close(false) };
}
