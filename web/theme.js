// The colours: what the visitor chose, else what the system says, and it is listened to. The colours themselves come from
// tokens.json, as theme.css here and as a table in the page module.
import { recall, remember } from "./store.js";

/** What can be chosen; "" leaves it to the system. */
export const THEMES = ["", "light", "dark", "light-contrast", "dark-contrast"];

const dark = matchMedia("(prefers-color-scheme: dark)");
const more = matchMedia("(prefers-contrast: more)");
const forced = matchMedia("(forced-colors: active)");  // the system paints the page itself; the canvas it cannot
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Theme {
  /** @param {string | undefined} fromLink  one of THEMES in the address, for one visit */
  constructor(fromLink) {
    this.chosen = fromLink ?? recall("theme");
    if (!THEMES.includes(this.chosen)) this.chosen = "";
    /** @type {(() => void)[]} */ this.listeners = [];
    for (const query of [dark, more, forced, still]) query.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  get isDark() { return this.chosen ? this.chosen.startsWith("dark") : dark.matches; }
  get contrast() { return this.chosen ? this.chosen.endsWith("-contrast") : more.matches || forced.matches; }
  get reducedMotion() { return still.matches; }

  /** @param {string} theme  one of THEMES */
  choose(theme) {
    this.chosen = theme;
    remember("theme", theme);
    this.#apply();
  }

  #apply() {
    const { dataset } = document.documentElement;
    dataset.theme = this.isDark ? "dark" : "light";
    dataset.contrast = this.contrast ? "more" : "";
    for (const listener of this.listeners) listener();
  }
}
