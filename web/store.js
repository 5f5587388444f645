// What the visitor chose, kept between visits. Storage may be refused (private windows, file pages, embedding):
// then a choice lasts as long as the page.
const memory = new Map();

/** @param {string} key @returns {string | null} */
export function recall(key) {
  if (memory.has(key)) return memory.get(key);
  try { return localStorage.getItem(`rollscope.${key}`); } catch { return null; }
}

/** @param {string} key @param {string} value */
export function remember(key, value) {
  memory.set(key, value);
  try { localStorage.setItem(`rollscope.${key}`, value); } catch { /* the choice lasts as long as the page */ }
}
