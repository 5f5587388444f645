// Small helpers to make elements. Text is always set as text: names and tokens come from strangers' files.

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties]  "class" and names with "-" become attributes, "on…" listeners, the rest properties
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class" || name === "role" || name.includes("-")) made.setAttribute(name, value === true ? "" : value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

const SHAPES = {
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  help: "M8.5 9a3.5 3.5 0 1 1 5.2 3c-1.2.7-1.7 1.3-1.7 2.7M12 18.5v.01",
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6L6 18",
  warn: "M12 4L2.5 20h19zM12 10v4.5M12 17.3v.01",
};

/** A drawn sign; always beside a word or under an aria-label. @param {keyof typeof SHAPES} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);
