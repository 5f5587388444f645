// A word looked for among the tokens: a field over the canvas. What it finds becomes the chosen input, and comes into sight.
import { element } from "./dom.js";

/**
 * @param {HTMLElement} stage  the canvas's parent
 * @param {{locale: import("./locale.js").Locale, focusBack: () => void, find: (text: string, step: number) => {error?: object}}} app
 */
export function openFind(stage, { locale, focusBack, find }) {
  stage.querySelector(".find")?.remove();
  const close = () => { bar.remove(); focusBack(); };
  /** @param {number} step  0: the chosen token counts too, while the word is being typed */
  const go = (step) => {
    const text = field.value.trim();
    const missing = text !== "" && Boolean(find(text, step)?.error);
    field.setAttribute("aria-invalid", String(missing));
    said.textContent = missing ? locale.t("dom.find.none", { text }) : "";
  };
  const field = /** @type {HTMLInputElement} */ (element("input", {
    type: "search", "aria-label": locale.t("dom.find.label"), placeholder: locale.t("dom.find.label"), autocomplete: "off", spellcheck: "false",
    oninput: () => go(0),
    onkeydown: (event) => {
      if (event.key === "Enter") { event.preventDefault(); go(event.shiftKey ? -1 : 1); }
      else if (event.key === "Escape") { event.stopPropagation(); close(); }
    },
  }));
  const said = element("span", { role: "status", class: "find-none" });
  const bar = element("div", { class: "find", role: "search" }, field, said,
    element("button", { type: "button", onclick: () => go(-1) }, locale.t("dom.find.previous")),
    element("button", { type: "button", onclick: () => go(1) }, locale.t("dom.find.next")),
    element("button", { type: "button", onclick: close }, locale.t("dom.close")));
  stage.append(bar);
  field.focus({ preventScroll: true });
}
