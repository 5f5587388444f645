// The dialog that says why a file did not open: what it is, why, one remedy, and that nothing else has changed.
import { element } from "./dom.js";
import { copyText, openDialog } from "./dialogs.js";
import { KIND_SAMPLES, SAMPLES } from "./samples.js";

// Errors that one switch can settle: the button opens the same file again with it.
const REMEDIES = { transposed: ["orientation", "columns"], logits: ["values", "logits"] };

// Errors that end only when the attention itself is saved.
const SAVED_ANEW = new Set(["all_none", "not_attention", "model_weights", "unknown_format", "empty"]);

/** A line of code with a button that copies it. @param {import("./locale.js").Locale} locale */
export function sample(code, locale) {
  const copy = element("button", {
    type: "button",
    async onclick() { copy.textContent = locale.t(await copyText(code) ? "dom.copied" : "dom.copy_failed"); },
  }, locale.t("dom.copy"));
  return element("div", { class: "sample" }, element("pre", { tabIndex: 0 }, code), copy);
}

/**
 * @param {any} failure  {code, text?, fix?, params?}
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   name: string,          the file that failed
 *   openName: string | null,  the file that is open
 *   again: (assume: Record<string, string>) => void,
 *   pick: () => void,
 *   exporter: string,            the script that saves attention from a notebook; "" where it is out of reach
 * }} app
 */
export function showError(failure, { locale, name, openName, again, pick, exporter }) {
  const { what, fix: said } = locale.error(failure);
  const fix = said.replace(/\s*[(（]--[^)）]*[)）]/g, "");  // how the command line says what a button here does
  const head = locale.has(`dom.head.${failure.code}`) ? `dom.head.${failure.code}` : "dom.head.other";
  const kind = failure.params?.kind;
  const code = kind in KIND_SAMPLES ? KIND_SAMPLES[kind] : SAMPLES[failure.code];
  // Its kind says all in the page's language; otherwise what exactly was met comes from the engine, in English: a line
  // of its own, never a piece of a sentence.
  const detail = locale.language !== "en" && !locale.has(`error.${failure.code}.${kind}.what`) ? failure.params?.detail : null;
  const remedy = REMEDIES[failure.code];
  // What the page may not read a person may still fetch: by a click of their own, in a tab of its own.
  const link = /^https:/.test(failure.params?.link ?? "")
    ? element("a", { href: failure.params.link, target: "_blank", rel: "noopener noreferrer" }, locale.t("dom.open_link", { host: new URL(failure.params.link).host })) : null;
  const buttons = [{ text: locale.t("dom.open_another"), act: pick }];
  if (remedy) buttons.unshift({ text: locale.t(`dom.assume.${remedy.join("=")}`), primary: true, act: () => again({ [remedy[0]]: remedy[1] }) });
  if (openName) buttons.push({ text: locale.t("dom.back_to", { file: openName.replace(/\.\w+$/, "") }), primary: !remedy });
  else if (!remedy) buttons.push({ text: locale.t("dom.close"), primary: true });
  const found = failure.params?.found;  // names and shapes, as they stand in the file
  return openDialog({
    title: locale.t(head, { file: name }),
    kind: "error",
    closeLabel: locale.t("dom.close"),
    body: [
      element("p", {}, what),
      detail ? element("p", { class: "faint", lang: "en" }, detail) : null,
      fix ? element("p", { class: code ? "strong" : "" }, fix) : null,
      code ? sample(code, locale) : null,
      exporter && SAVED_ANEW.has(failure.code) ? element("p", {}, locale.t("dom.exporter"), " ", element("a", { href: exporter, download: "rollscope_dump.py" }, "rollscope_dump.py")) : null,
      openName ? element("p", { class: "faint" }, locale.t("dom.unchanged", { file: openName })) : null,
      found ? element("details", { class: "found" }, element("summary", {}, locale.t("dom.what_was_read")),
        element("pre", { tabIndex: 0, lang: "en" }, found.replace(/, (?![^(]*\))/g, "\n").replace(": ", "\n"))) : null,
    ],
    foot: [element("code", {}, failure.code), ...(link ? [" ", link] : [])],
    buttons,
  });
}
