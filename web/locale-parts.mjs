// Which words a first visit does without. web/build-site.mjs cuts each locale in two by this: locales/en.json is drawn from
// at once, locales/en.later.json comes with the first thing that needs it (locale.js, `whole`). A key that nothing here
// names is in the first part, so that a new word shows wherever it is used. The interface in the canvas cannot wait for
// words in the midst of a frame: all that it draws stays in the first part (tests/browser/locales_test.mjs holds it to that).

/** Limits that the inspector spells out (src/analysis/limits.cpp). */
export const LIMITS = ["sink", "dominant_token", "rollout_collapsed", "rows_similar", "fixed_source_share", "bad_gradients",
  "no_positive_gradient", "flow_saturated", "absorbing_first_token", "nearly_uniform", "below_uniform", "residual_sensitive"];

// Groups of the page's own words that belong to a dialog, to files given together, or to browsers that lack something.
const DIALOGS = ["assume", "commands", "copied", "copy", "copy_failed", "open_another", "private", "consent", "exporter", "files", "find", "head", "help", "kind", "limits", "mirrored", "no_wasm", "open", "open_link", "palette",
  "question", "report", "tokens_dialog", "unchanged", "what_was_read", "back_to", "share", "link", "numbers", "figure", "tour", "poster"];

/** @param {string} key @returns {boolean} */
export function isLater(key) {
  const [group, name] = key.split(".");
  if (group === "error" || group === "narration" || group === "command") return true;
  if (group === "report") return !(LIMITS.includes(name) && key.endsWith(".text"));
  return group === "dom" && DIALOGS.includes(name);
}

/** @param {Record<string, string>} words @returns {{first: Record<string, string>, later: Record<string, string>}} */
export function splitWords(words) {
  const part = (later) => Object.fromEntries(Object.entries(words).filter(([key]) => isLater(key) === later));
  return { first: part(false), later: part(true) };
}
