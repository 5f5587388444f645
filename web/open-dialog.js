// The dialog behind "Open…": files by hand, or an address, numbers or tokens as text. And what happens to a text that is
// pasted anywhere on the page. Fields are DOM, for the system's keyboard, selection and input methods.
import { openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { hasTouch } from "./features.js";
import { addressOf, kindOf, tokensOf } from "./typed.js";

/**
 * @typedef {{
 *   locale: import("./locale.js").Locale,
 *   openName: string | null,
 *   pick: () => void,
 *   openAddress: (text: string) => void,
 *   openText: (text: string) => void,            numbers, as a file without a name
 *   useTokens: (tokens: string[]) => void,       for the open dump
 * }} OpenApp
 */

/** Does what a text asks for; tokens need an open dump. @param {string} text @param {OpenApp} app @returns {boolean} false: nothing could be done */
function take(text, app) {
  const kind = kindOf(text);
  if (kind === "address") app.openAddress(addressOf(text));
  else if (kind === "dump") app.openText(text);
  else if (kind === "tokens" && app.openName) app.useTokens(tokensOf(text));
  else return false;
  return true;
}

/** Text that was pasted on the page itself. Words may be pasted by mistake: they are asked about. @param {string} text @param {OpenApp} app */
export function takePasted(text, app) {
  if (["address", "dump"].includes(kindOf(text))) take(text, app);
  else if (kindOf(text) === "tokens") showOpen(app, text);
}

/** @param {OpenApp} app @param {string} [given] */
export function showOpen(app, given = "") {
  const { locale } = app;
  const hint = element("p", { class: "faint", "aria-live": "polite", id: "open-hint" });
  const field = /** @type {HTMLTextAreaElement} */ (element("textarea", {
    id: "open-text", rows: 4, spellcheck: false, value: given, placeholder: locale.t("dom.open.placeholder"), "aria-describedby": "open-hint", oninput: look,
    onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey || kindOf(field.value) === "address")) { event.preventDefault(); go(); } },
  }));
  const open = /** @type {HTMLButtonElement} */ (element("button", { type: "button", onclick: go }, locale.t("dom.open.go")));
  const files = element("button", { type: "button", class: given ? "" : "primary", onclick: () => { dialog.close(); app.pick(); } }, locale.t("dom.open.files"));
  function look() {
    const kind = kindOf(field.value);
    const usable = kind !== "nothing" && (kind !== "tokens" || app.openName !== null);
    open.disabled = !usable;
    open.classList.toggle("primary", usable);
    files.classList.toggle("primary", !usable);
    open.textContent = locale.t(kind === "tokens" ? "dom.open.use_tokens" : "dom.open.go");
    hint.textContent = kind === "tokens" ? locale.count(app.openName ? "dom.open.is_tokens" : "dom.open.no_dump", tokensOf(field.value).length, { file: app.openName ?? "" }) : locale.t(`dom.open.is_${kind}`) + (kind === "nothing" && !hasTouch() ? ` ${locale.t("dom.open.keys")}` : "");
  }
  function go() {
    const text = field.value;
    if (open.disabled) return;
    dialog.close();
    take(text, app);
  }
  const dialog = openDialog({
    title: locale.t("dom.open.title"),
    closeLabel: locale.t("dom.close"),
    body: [
      element("p", {}, locale.t("dom.open.what")),
      element("div", { class: "row start" }, files, hasTouch() ? null : element("span", { class: "faint" }, locale.t("dom.open.drop"))),
      element("label", { class: "field" }, element("span", { class: "strong" }, locale.t("dom.open.label")), field),
      hint,
    ],
    foot: [locale.t("dom.private")],
    actions: [open],
  });
  look();
  (given ? open : files).focus();
  return dialog;
}

/**
 * Asks for the tokens of the open dump.
 * @param {{locale: import("./locale.js").Locale, name: string, positions: number, use: (tokens: string[]) => void}} app
 */
export function showTokens({ locale, name, positions, use }) {
  const hint = element("p", { class: "faint", "aria-live": "polite", id: "tokens-hint" });
  const field = /** @type {HTMLTextAreaElement} */ (element("textarea", { id: "tokens-text", rows: 6, spellcheck: false, "aria-describedby": "tokens-hint", placeholder: locale.t("dom.tokens_dialog.placeholder"), oninput: look }));
  const button = /** @type {HTMLButtonElement} */ (element("button", { type: "button", class: "primary", onclick: () => { const list = tokensOf(field.value); dialog.close(); use(list); } }, locale.t("dom.open.use_tokens")));
  function look() {
    const count = field.value.trim() === "" ? 0 : tokensOf(field.value).length;
    button.disabled = count === 0;
    hint.textContent = count === 0 ? locale.t("dom.tokens_dialog.forms")
      : locale.t(count === positions ? "dom.tokens_dialog.fits" : "dom.tokens_dialog.differs", { count: locale.count("dom.tokens", count), positions: locale.number.format(positions) });
  }
  const dialog = openDialog({
    title: locale.t("dom.tokens_dialog.title", { file: name }),
    closeLabel: locale.t("dom.close"),
    body: [element("p", {}, locale.count("dom.tokens_dialog.what", positions)), element("label", { class: "field" }, element("span", { class: "strong" }, locale.t("dom.tokens_dialog.label")), field), hint],
    foot: [locale.t("dom.private")],
    actions: [button],
  });
  look();
  field.focus();
  return dialog;
}
