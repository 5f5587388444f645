// Dialogs: the browser's own <dialog>, which keeps the focus inside, closes on Escape and gives the focus back.
import { element, icon } from "./dom.js";

/**
 * @typedef {{text: string, primary?: boolean, act?: () => void}} DialogButton
 * @param {{
 *   title: string,
 *   kind?: "error" | "plain",
 *   wide?: boolean, widest?: boolean,
 *   body: (Node | null)[],
 *   foot?: (Node | null)[],   at the left of the foot: a code, a link
 *   buttons?: DialogButton[],
 *   actions?: Node[],         in place of them, buttons that decide themselves when to close
 *   closeLabel: string,
 * }} parts
 * @returns {HTMLDialogElement}
 */
export function openDialog({ title, kind = "plain", wide = false, widest = false, body, foot = [], buttons = [], actions = [], closeLabel }) {
  const heading = element("h2", { id: `dialog-title-${++count}` }, title);
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { class: `dialog ${kind}${wide ? " wide" : ""}${widest ? " widest" : ""}`, "aria-labelledby": heading.id }));
  const close = () => dialog.close();
  dialog.append(
    element("div", { class: "dialog-body" },
      kind === "error" ? element("div", { class: "dialog-sign" }, icon("warn")) : null,
      element("div", { class: "dialog-text" }, heading, ...body),
      kind === "plain" ? element("button", { type: "button", class: "quiet sign dialog-close", "aria-label": closeLabel, onclick: close }, icon("close")) : null),
    ...(foot.length || buttons.length || actions.length ? [element("div", { class: "dialog-foot" },
      element("div", { class: "dialog-note" }, ...foot),
      ...buttons.map(({ text, primary, act }) => element("button", { type: "button", class: primary ? "primary" : "", onclick: () => { close(); act?.(); } }, text)), ...actions)] : []));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });  // on the ground outside
  dialog.addEventListener("close", () => dialog.remove());
  closeDialogs();  // what it said may no longer hold
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector("button.primary") ?? dialog.querySelector("button"))?.focus();
  return dialog;
}
let count = 0;

/** Closes what is open: another file, another message. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (dialog).close();
}

/** Puts text on the clipboard; a button is a user's own act, which browsers ask for. @returns {Promise<boolean>} */
export async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { return false; }
}
