// A number typed over the canvas: a real field, so that the system's keyboard, selection and decimal comma work.
import { element } from "./dom.js";

/**
 * @param {HTMLElement} stage  the canvas's parent
 * @param {{x: number, y: number, w: number, h: number, value: number, min: number, max: number, command?: string, argument?: string}} at
 * @param {{label: string, commit: (value: number) => void, focusBack: () => void}} app
 */
export function editNumber(stage, at, { label, commit, focusBack }) {
  stage.querySelector(".edit")?.remove();
  let over = false;
  const end = (keep) => {
    if (over) return;
    over = true;
    const value = Number(field.value.trim().replace(",", "."));
    field.remove();
    focusBack();
    if (keep && field.value.trim() !== "" && Number.isFinite(value)) commit(Math.min(at.max, Math.max(at.min, value)));
  };
  const field = /** @type {HTMLInputElement} */ (element("input", {
    type: "text", inputMode: "decimal", class: "edit", "aria-label": label, value: String(at.value), autocomplete: "off",
    onkeydown: (event) => {
      if (event.key === "Enter") end(true);
      else if (event.key === "Escape") end(false);
    },
    onblur: () => end(true),
  }));
  Object.assign(field.style, { left: `${at.x}px`, top: `${at.y}px`, width: `${Math.max(56, at.w)}px`, height: `${Math.max(24, at.h)}px` });
  stage.append(field);
  field.focus({ preventScroll: true });
  field.select();
}
