// Light or dark: what the visitor chose, else what the system says, and it is listened to. The colours themselves come
// from tokens.json, as theme.css here and as a table in the page module.
import { recall, remember } from "./store.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Theme {
  /** @param {string | undefined} fromLink  "light" or "dark" of the address, for one visit */
  constructor(fromLink) {
    this.chosen = fromLink ?? recall("theme");
    if (this.chosen !== "light" && this.chosen !== "dark") this.chosen = null;
    /** @type {(() => void)[]} */ this.listeners = [];
    for (const query of [dark, still]) query.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  get isDark() { return this.chosen ? this.chosen === "dark" : dark.matches; }
  get reducedMotion() { return still.matches; }

  toggle() {
    this.chosen = this.isDark ? "light" : "dark";
    remember("theme", this.chosen);
    this.#apply();
  }

  #apply() {
    document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
    for (const listener of this.listeners) listener();
  }
}
