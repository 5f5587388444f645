// A tour: an explanation as a sequence of views with words in large type. It is played with Page Down and Page Up, which
// is what a clicker sends, and made in the page: show something, add it, say something about it.
import { byId, element, icon } from "./dom.js";

const MOST = 40, LONGEST = 1200, TITLE = 120;  // steps, characters

/**
 * @typedef {string | Record<string, string>} Words  in one language, or by its code
 * @typedef {{title: Words, example?: string, steps: {text: Words, state: any}[]}} TourData
 * @typedef {{
 *   locale: import("./locale.js").Locale,
 *   state: () => any, setState: (state: any) => void,
 *   say: (text: string) => void,
 *   closed: () => void,
 * }} TourApp
 */

const isWords = (words) => typeof words === "string" || (typeof words === "object" && words !== null && !Array.isArray(words) && Object.values(words).every((text) => typeof text === "string"));
const cut = (words, most) => (typeof words === "string" ? words.slice(0, most) : Object.fromEntries(Object.entries(words).slice(0, 8).map(([code, text]) => [code, text.slice(0, most)])));

/** What may come from a stranger's link, as a tour; null: it is none. @param {any} data @returns {TourData | null} */
export function readTour(data) {
  if (typeof data !== "object" || data === null || !Array.isArray(data.steps)) return null;
  const steps = data.steps.slice(0, MOST).filter((step) => isWords(step?.text) && typeof step.state === "object" && step.state !== null)
    .map(({ text, state }) => ({ text: cut(text, LONGEST), state }));
  return steps.length > 0 ? { title: isWords(data.title) ? cut(data.title, TITLE) : "", steps } : null;
}

export class Tour {
  /** @param {TourData} data @param {TourApp} app @param {{edit?: boolean}} [options] */
  constructor(data, app, { edit = false } = {}) {
    this.data = data;
    this.app = app;
    this.at = 0;
    this.editing = edit;
    this.panel = element("section", { id: "tour", "aria-label": app.locale.t("dom.tour.label") });
    this.key = (event) => {
      const step = event.key === "PageDown" ? 1 : event.key === "PageUp" ? -1 : 0;
      if (!step || this.editing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      event.stopImmediatePropagation();  // nor is it a key of the canvas
      this.go(this.at + step);
    };
    this.language = () => this.draw();
    addEventListener("keydown", this.key, true);
    app.locale.listeners.push(this.language);
    byId("stage").after(this.panel);
    this.go(0);
  }

  /** @param {Words} words */
  words(words) {
    return typeof words === "string" ? words : words[this.app.locale.language] ?? words.en ?? Object.values(words)[0] ?? "";
  }

  close() {
    removeEventListener("keydown", this.key, true);
    const { listeners } = this.app.locale;
    listeners.splice(listeners.indexOf(this.language), 1);
    this.panel.remove();
    this.app.closed();
  }

  /** @param {number} step */
  go(step) {
    const { steps } = this.data;
    if (step >= steps.length && steps.length > 0 && !this.editing) return;  // a clicker is pressed once too often
    this.at = Math.max(0, Math.min(step, steps.length - 1));
    if (steps[this.at]) this.app.setState(steps[this.at].state);
    this.draw();
  }

  draw() {
    this.panel.classList.toggle("editing", this.editing);
    this.panel.replaceChildren(...(this.editing ? this.editor() : this.player()));
  }

  head(button) {
    const { locale } = this.app;
    return element("div", { class: "tour-head" },
      element("b", {}, this.words(this.data.title) || locale.t("dom.tour.untitled")),
      element("span", { class: "tour-dots", "aria-hidden": "true" }, ...this.data.steps.map((_, i) => element("i", { class: i === this.at ? "now" : i < this.at ? "past" : undefined }))),
      this.data.steps.length ? element("span", { class: "faint" }, locale.t("dom.tour.step", { at: this.at + 1, of: this.data.steps.length })) : null,
      button,
      element("button", { type: "button", class: "quiet sign", "aria-label": locale.t("dom.tour.end"), onclick: () => this.close() }, icon("close")));
  }

  switch(edit) {
    this.editing = edit;
    this.draw();
    this.panel.querySelector(edit ? "textarea" : "button.primary")?.focus();
  }

  player() {
    const { locale } = this.app, { steps } = this.data, last = this.at === steps.length - 1;
    const move = (step) => { this.go(this.at + step); this.panel.querySelector(step > 0 && this.at < steps.length - 1 ? "button.primary" : "#tour-back:not(:disabled), button.primary")?.focus(); };
    return [
      this.head(element("button", { type: "button", class: "quiet", onclick: () => this.switch(true) }, locale.t("dom.tour.edit"))),
      element("div", { class: "tour-body" },
        element("p", { class: "tour-text", "aria-live": "polite" }, this.words(steps[this.at].text)),
        element("div", { class: "tour-buttons" },
          element("button", { type: "button", id: "tour-back", disabled: this.at === 0, onclick: () => move(-1) }, locale.t("dom.tour.back")),
          element("button", { type: "button", class: "primary", title: locale.t("dom.tour.keys"), onclick: () => (last ? this.close() : move(1)) }, locale.t(last ? "dom.tour.end" : "dom.tour.next")))),
    ];
  }

  editor() {
    const { locale, state } = this.app, { steps } = this.data;
    const button = (key, act, more = {}) => element("button", { type: "button", onclick: () => { act(); this.draw(); this.panel.querySelector("textarea")?.focus(); }, ...more }, locale.t(`dom.tour.${key}`));
    /** Words are written in the writer's language; a shipped tour keeps its others until they are changed. */
    const write = (words, text) => (typeof words === "string" ? text : { ...words, [locale.language]: text });
    const swap = (step) => { const [one] = steps.splice(this.at, 1); this.at += step; steps.splice(this.at, 0, one); };
    const title = element("input", { type: "text", maxLength: TITLE, value: this.words(this.data.title), "aria-label": locale.t("dom.tour.title"), placeholder: locale.t("dom.tour.title"), oninput: () => { this.data.title = write(this.data.title, title.value); } });
    const step = steps[this.at];
    const text = step && element("textarea", { rows: 3, maxLength: LONGEST, value: this.words(step.text), "aria-label": locale.t("dom.tour.text"), placeholder: locale.t("dom.tour.text"), oninput: () => { step.text = write(step.text, text.value); } });
    return [
      this.head(steps.length ? element("button", { type: "button", class: "quiet", onclick: () => { this.switch(false); this.go(this.at); } }, locale.t("dom.tour.play")) : null),
      element("div", { class: "tour-body" },
        element("div", { class: "tour-text" }, title, text ?? element("p", {}, locale.t("dom.tour.empty"))),
        element("div", { class: "tour-buttons" },
          button("add", () => { steps.splice(this.at + (step ? 1 : 0), 0, { text: "", state: state() }); if (step) ++this.at; }, { class: "primary", disabled: steps.length >= MOST }),
          step ? button("take", () => { step.state = state(); }) : null,
          step ? button("back", () => this.go(this.at - 1), { disabled: this.at === 0 }) : null,
          step ? button("next", () => this.go(this.at + 1), { disabled: this.at === steps.length - 1 }) : null,
          step ? button("up", () => swap(-1), { disabled: this.at === 0 }) : null,
          step ? button("down", () => swap(1), { disabled: this.at === steps.length - 1 }) : null,
          step ? button("remove", () => { steps.splice(this.at, 1); this.at = Math.max(0, this.at - 1); }) : null)),
    ];
  }
}
