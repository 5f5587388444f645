// The words of the page. Flat files, key to text with named {slots}; a slot has its place in the sentence of each
// language, nothing is glued. A language comes in two parts: what is drawn at once, and what only dialogs, errors and
// reports say (locale-parts.mjs); whoever needs the second part awaits whole() first. Scripts get English.
import { recall, remember } from "./store.js";

export const LANGUAGES = { en: "English", fr: "Français", ja: "日本語" };

/** @typedef {Record<string, string | number>} Slots */

/**
 * The language to speak: the address, an earlier choice, what the browser asks for, English.
 * @param {(string | null | undefined)[]} wishes @param {readonly string[]} browser
 */
export function pickLanguage(wishes, browser) {
  const known = (tag) => (tag && Object.hasOwn(LANGUAGES, tag.slice(0, 2).toLowerCase()) ? tag.slice(0, 2).toLowerCase() : null);
  for (const tag of [...wishes, ...browser]) if (known(tag)) return known(tag);
  return "en";
}

/** Fills {name} by slots.name; a slot without a value goes, with its braces. @param {string} text @param {Slots} slots */
export const fill = (text, slots) => text.replace(/\{(\w+)\}/g, (_, name) => String(slots[name] ?? ""));

export class Locale {
  #whole = false;  // the second part has been asked for: it goes with every language from then on

  /** @param {(file: string) => Promise<Record<string, string>>} load  file: "en", "en.later" */
  constructor(load) {
    this.load = load;
    this.language = "en";
    /** @type {Record<string, string>} */ this.words = {};
    /** @type {(() => void)[]} */ this.listeners = [];
  }

  async #partsOf(language, whole) {
    const [first, later] = await Promise.all([this.load(language), whole ? this.load(`${language}.later`) : {}]);
    return { ...first, ...later };
  }

  /** @param {string} language */
  async use(language) {
    const words = await this.#partsOf(language, this.#whole);
    Object.assign(this, { language, words });
    document.documentElement.lang = language;
    this.plural = new Intl.PluralRules(language);
    this.number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    this.apply(document);
    for (const listener of this.listeners) listener();
  }

  /** The second part too. @returns {Promise<void>} rejects where it cannot be had */
  async whole() {
    const { language } = this;
    const words = await this.#partsOf(language, true);
    this.#whole = true;
    if (this.language !== language) return this.whole();  // another one was chosen meanwhile
    this.words = words;
  }

  /** The visitor chooses. @param {string} language */
  async choose(language) {
    remember("language", language);
    await this.use(language);
  }

  has(key) { return Object.hasOwn(this.words, key); }

  /** @param {string} key @param {Slots} [slots] */
  t(key, slots = {}) {
    if (!this.has(key)) console.warn(`No words for ${key}`);
    return fill(this.words[key] ?? key, slots);
  }

  /** Two keys, `key.one` and `key.other`; the number itself is the slot {n}. */
  count(key, count, slots = {}) {
    const form = this.plural.select(count) === "one" ? "one" : "other";
    return this.t(`${key}.${form}`, { ...slots, n: this.number.format(count) });
  }

  /** Values that are numbers, as the language writes them. @param {Slots} slots @returns {Slots} */
  numbers(slots) {
    if (this.language !== "fr") return slots;
    return Object.fromEntries(Object.entries(slots).map(([name, value]) => [name, /^-?\d+\.\d+$/.test(String(value)) ? String(value).replace(".", ",") : value]));
  }

  /** @param {import("./engine-client.js").Failure} failure @returns {{what: string, fix: string}} in the page's language */
  error(failure) {
    const own = `error.${failure.code}.${failure.params?.kind}`;  // what a file is that is no dump: a whole sentence
    const base = `error.${failure.code}`;
    if (!failure.params || !(this.has(`${own}.what`) || this.has(`${base}.what`))) return { what: failure.text ?? failure.code, fix: failure.fix ?? "" };
    const params = this.numbers(failure.params);
    const part = (name) => this.t(this.has(`${own}.${name}`) ? `${own}.${name}` : `${base}.${name}`, params);  // a kind may have its own sentence and share the remedy
    return { what: part("what"), fix: part("fix") };
  }

  /** The same in English, for scripts. @param {any} failure @returns {Promise<{code: string, text: string, fix: string}>} */
  async plainError(failure) {
    const code = failure?.code ?? "read_failed";
    const english = await this.load("en.later").catch(() => ({}));  // without them its code says what it is
    const say = (part) => fill(english[`error.${code}.${failure?.params?.kind}.${part}`] ?? english[`error.${code}.${part}`] ?? "", failure?.params ?? {});
    return { code, text: failure?.text ?? (say("what") || String(failure?.message ?? code)), fix: failure?.fix ?? say("fix") };
  }

  /** @param {{code: string, text: string, fix?: string, params?: Slots}} item  of a report @returns {{text: string, fix: string}} */
  remark(item) {
    const key = `report.${item.code}`, ofKind = `${key}.${item.params?.kind}.text`;
    if (!this.has(`${key}.text`)) return { text: item.text, fix: item.fix ?? "" };
    const params = this.numbers(item.params ?? {});
    return { text: this.t(this.has(ofKind) ? ofKind : `${key}.text`, params), fix: this.t(`${key}.fix`, params) };
  }

  /** @param {{id: string, title: string}} command  of the table; its title is a key, unless the page module has put words there */
  commandTitle({ id, title }) { return this.has(title) ? this.t(title) : this.has(`command.${id}`) ? this.t(`command.${id}`) : title; }

  /** Puts words into elements that carry data-t (their text) or data-t-label (their aria-label). @param {ParentNode} root */
  apply(root) {
    for (const one of root.querySelectorAll("[data-t]")) one.textContent = this.t(/** @type {HTMLElement} */ (one).dataset.t);
    for (const one of root.querySelectorAll("[data-t-label]")) one.setAttribute("aria-label", this.t(/** @type {HTMLElement} */ (one).dataset.tLabel));
  }

  /** What the page module needs: lines "id\ttext\n". The DOM's own words stay here. */
  lines() {
    const escape = (text) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
    return Object.entries(this.words)
      .filter(([key]) => !key.startsWith("dom."))
      .map(([key, text]) => `${key}\t${escape(text)}\n`).join("");
  }
}

export const firstLanguage = (query, fragment) => pickLanguage([query, fragment, recall("language")], navigator.languages ?? [navigator.language]);
