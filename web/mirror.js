// The current explanation as a real table, for screen readers and for browsers that cannot draw; and a live region that
// says each new choice. Fed by the event "selection" of the page module, or by the engine where there is no picture.
import { byId, element } from "./dom.js";

const SAID = 3;  // tokens that the live region names

export class Mirror {
  /** @param {import("./locale.js").Locale} locale */
  constructor(locale) {
    this.locale = locale;
    this.section = byId("mirror");
    this.live = byId("live");
    this.last = null;
    this.controls = null;
    locale.listeners.push(() => { if (this.last) this.update(this.last, false); });
  }

  /** @param {boolean} visible  true: the table is all there is to see */
  show(visible) {
    this.section.hidden = !this.last;
    this.section.classList.toggle("unseen", !visible);
    this.section.tabIndex = visible ? -1 : 0;
  }

  /**
   * @param {{token: string, sentence: string, caption?: string, percent?: boolean, rows: {token: string, weight: number | null, chance: number | null}[]}} detail
   *   percent: false where the numbers are no parts of 100 %
   * @param {boolean} [speak]
   */
  update(detail, speak = true) {
    const { locale } = this;
    this.last = detail;
    this.section.hidden = false;
    const style = detail.percent === false ? { maximumSignificantDigits: 3 } : { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 };
    const format = new Intl.NumberFormat(locale.language, /** @type {Intl.NumberFormatOptions} */ (style));
    const number = (value) => (value === null || value === undefined || Number.isNaN(value) ? "–" : format.format(value));
    const cells = (row) => [element("th", { scope: "row" }, row.token), element("td", {}, number(row.weight)), element("td", {}, number(row.chance))];
    const head = ["dom.mirror.token", "dom.mirror.weight", "dom.mirror.chance"].map((key) => element("th", { scope: "col" }, locale.t(key)));
    this.section.replaceChildren(
      ...(this.controls ? [this.controls] : []),
      element("table", {},
        element("caption", { id: "mirror-caption" }, locale.t("dom.mirror.caption", { token: detail.token, sentence: detail.sentence ?? "" }), detail.caption ? ` ${detail.caption}` : ""),
        element("thead", {}, element("tr", {}, ...head)),
        element("tbody", {}, ...detail.rows.map((row) => element("tr", {}, ...cells(row))))));
    if (!speak) return;
    const first = [...detail.rows].filter((row) => row.weight !== null).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, SAID);
    const list = new Intl.ListFormat(locale.language, { type: "unit" }).format(first.map((row) => `${row.token} ${number(row.weight)}`));
    this.live.textContent = locale.t("dom.mirror.said", { token: detail.token, list });
  }
}
