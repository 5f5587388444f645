// How a shortcut of the command table is written: "Mod+Shift+z" as keys to press.
import { element } from "./dom.js";

const KEYS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };
const apple = /Mac|iP/.test(navigator.platform ?? "");

/** @param {string} shortcut */
export function keysOf(shortcut) {
  const keys = shortcut === "+" ? ["+"] : shortcut.split("+").filter(Boolean);
  return element("span", { class: "keys" }, ...keys.map((key) =>
    element("kbd", {}, key === "Mod" ? (apple ? "⌘" : "Ctrl") : KEYS[key] ?? (key.length === 1 ? key.toUpperCase() : key))));
}
