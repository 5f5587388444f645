// The current explanation as a real table, for screen readers and for browsers that cannot draw; and a live region that
// says each new choice. Fed by the event "selection" of the page module, or by the engine where there is no picture.
// What a view shows beside the row (a head, one layer, curves) stands under it: mirror-view.js.
import { byId, element } from "./dom.js";

const SAID = 3;  // tokens that the live region names
const TOGETHER_MS = 1000;

export class Mirror {
  /** @param {import("./locale.js").Locale} locale */
  constructor(locale) {
    this.locale = locale;
    this.section = byId("mirror");
    this.live = byId("live");
    this.last = null;
    this.controls = null;
    this.saidRow = "";
    this.saidAt = -TOGETHER_MS;
    this.more = element("div", { id: "mirror-view" });
    locale.listeners.push(() => { if (this.last) this.update(this.last, false); });
  }

  /** @param {boolean} visible  true: the table is all there is to see */
  show(visible) {
    this.section.hidden = !this.last;
    this.section.classList.toggle("unseen", !visible);
    this.section.tabIndex = visible ? -1 : 0;
  }

  /** How this row's numbers are written: parts of 100 %, or numbers that are none. @param {boolean} percent */
  numbers(percent) {
    const style = percent ? { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumSignificantDigits: 3 };
    const format = new Intl.NumberFormat(this.locale.language, /** @type {Intl.NumberFormatOptions} */ (style));
    return (value) => (value === null || value === undefined || Number.isNaN(value) ? "–" : format.format(value));
  }

  /**
   * @param {string} caption @param {string[]} head @param {(string | number)[][]} rows  cells as text; the first of each names it
   * @param {string} [id]  of the caption
   */
  static table(caption, head, rows, id) {
    return element("table", {},
      element("caption", { id }, caption),
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows.map(([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, String(name)), ...cells.map((cell) => element("td", {}, String(cell)))))));
  }

  /**
   * @param {{token: string, sentence: string, caption?: string, percent?: boolean, rows: MirrorRow[]}} detail
   *   percent: false where the numbers are no parts of 100 %
   * @typedef {{token: string, weight: number | null, chance: number | null, key?: number, sink?: boolean}} MirrorRow
   * @param {boolean} [speak]
   */
  update(detail, speak = true) {
    const { locale } = this;
    this.last = detail;
    this.section.hidden = false;
    const number = this.numbers(detail.percent !== false);
    const name = (row) => (row.sink ? locale.t("dom.mirror.sink", { token: row.token }) : row.token);
    const rows = detail.rows.map((row, index) => [name(row), number(row.weight), number(row.chance), (row.key ?? index) + 1]);
    const head = ["token", "weight", "chance", "position"].map((key) => locale.t(`dom.mirror.${key}`));
    const table = Mirror.table(locale.t("dom.mirror.caption", { token: detail.token, sentence: detail.sentence ?? "" }) + (detail.caption ? ` ${detail.caption}` : ""), head, rows, "mirror-caption");
    this.section.replaceChildren(...(this.controls ? [this.controls] : []), element("h2", {}, locale.t("dom.mirror.title", { token: detail.token })), table, this.more);
    if (speak) this.say(locale.t("dom.mirror.said", { token: detail.token, list: this.strongest(detail.rows, number) }));
  }

  /** The first few by weight, in one line. @param {MirrorRow[]} rows @param {(value: number | null) => string} number */
  strongest(rows, number) {
    const first = rows.filter((row) => row.weight !== null).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, SAID);
    return new Intl.ListFormat(this.locale.language, { type: "unit" }).format(first.map((row) => `${row.token} ${number(row.weight)}`));
  }

  /**
   * @param {string} text  what a screen reader reads as soon as it is silent
   * @param {boolean} [more]  belongs to the row and does not take its place, if that was said just now
   */
  say(text, more = false) {
    const now = performance.now();
    this.live.textContent = more && now - this.saidAt < TOGETHER_MS ? `${this.saidRow} ${text}` : text;
    if (!more) Object.assign(this, { saidRow: text, saidAt: now });
  }
}
