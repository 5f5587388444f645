// Every command by a few letters of its name. A list box under a text field, as screen readers know it (ARIA combobox);
// what was used last stands first, and what cannot be had now says why.
import { element } from "./dom.js";
import { openDialog } from "./dialogs.js";
import { fits } from "./fuzzy.js";
import { keysOf } from "./keys.js";
import { entriesOf } from "./palette-entries.js";
import { recall, remember } from "./store.js";

const MOST = 200;   // rows that are made; what lies beyond is found by typing on
const RECENT = 6;

function recent() {
  try {
    const kept = JSON.parse(recall("recent") ?? "[]");
    return Array.isArray(kept) ? kept.filter((key) => typeof key === "string").slice(0, RECENT) : [];
  } catch { return []; }
}

/** @param {Parameters<typeof entriesOf>[0]} app @returns {HTMLDialogElement} */
export function showPalette(app) {
  const { locale } = app;
  const entries = entriesOf(app), last = recent();
  const failed = new Map();  // entry to why it did not run
  const rank = (entry) => { const at = last.indexOf(entry.key); return at < 0 ? RECENT : at; };
  let shown = [], at = 0;

  const list = element("ul", { role: "listbox", id: "palette-list", class: "palette-list", "aria-label": locale.t("dom.palette.title") });
  const field = /** @type {HTMLInputElement} */ (element("input", {
    type: "text", id: "palette-text", role: "combobox", spellcheck: false, autocomplete: "off", placeholder: locale.t("dom.palette.placeholder"),
    "aria-label": locale.t("dom.palette.label"), "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
    oninput: () => { at = 0; list.scrollTop = 0; fill(); }, onkeydown: key,
  }));
  const count = element("p", { class: "unseen", role: "status" });
  const none = element("p", { class: "faint palette-none", hidden: true }, locale.t("dom.palette.none"));
  const reasonFor = (entry) => failed.get(entry) ?? entry.reason;

  /** The entries that fit: what can be had, best first; equal ones as they were used, then as they stand in the table (before something is typed, whole commands before values). */
  function found() {
    const typed = field.value.trim();
    return entries.map((entry, order) => ({ entry, order, score: typed || !entry.deep || rank(entry) < RECENT ? fits(typed, entry.text) : 0 }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => Number(Boolean(a.entry.reason)) - Number(Boolean(b.entry.reason)) || b.score - a.score || rank(a.entry) - rank(b.entry) || (typed ? 0 : Number(a.entry.value) - Number(b.entry.value)) || a.order - b.order)
      .map(({ entry }) => entry);
  }
  function fill() {
    const all = found();
    shown = all.slice(0, MOST);
    list.replaceChildren(...shown.map((entry, index) => {
      const reason = reasonFor(entry);
      return element("li", {
        role: "option", id: `palette-${index}`, "aria-disabled": reason ? "true" : undefined, onclick: () => { at = index; go(); },
        onpointermove: () => { if (at !== index) { at = index; mark(false); } },
      }, element("span", {}, entry.text), reason ? element("span", { class: "faint" }, reason) : entry.shortcut ? keysOf(entry.shortcut) : null);
    }));
    none.hidden = shown.length > 0;
    list.hidden = shown.length === 0;
    count.textContent = locale.count("dom.palette.count", all.length);
    mark(true);
  }
  /** @param {boolean} reveal  scrolls to the row; not under a pointer, from which it would run away */
  function mark(reveal) {
    [...list.children].forEach((row, index) => row.setAttribute("aria-selected", String(index === at)));
    const row = list.children[at];
    if (row) field.setAttribute("aria-activedescendant", row.id);
    else field.removeAttribute("aria-activedescendant");
    if (reveal) row?.scrollIntoView({ block: "nearest" });
  }
  function go() {
    const entry = shown[at];
    if (!entry || entry.reason) { fill(); return; }
    const error = entry.run()?.error;
    if (error) {  // it stays open, and the row says why
      failed.set(entry, locale.error(error).what);
      fill();
      return;
    }
    remember("recent", JSON.stringify([entry.key, ...last.filter((one) => one !== entry.key)].slice(0, RECENT)));
    dialog.close();
  }
  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    if (event.key === "Enter") go();
    else if (event.key in steps && shown.length > 0) {
      const step = steps[event.key], next = at + step;
      at = Math.abs(step) === 1 ? (next + shown.length) % shown.length : Math.max(0, Math.min(shown.length - 1, next));
      mark(true);
    } else return;
    event.preventDefault();
  }

  const dialog = openDialog({ title: locale.t("dom.palette.title"), closeLabel: locale.t("dom.close"), body: [field, count, list, none] });
  dialog.classList.add("palette");
  fill();
  field.focus();
  return dialog;
}
