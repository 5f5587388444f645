// Splits the part of a link after "#" into its fields. Decoding a field is C++ (src/io/link.h).
// Chat programs cut links short and people edit them, so each field stands alone: one that cannot be
// read costs itself and a message, never its neighbours. No DOM here: node runs the tests.
const KNOWN = new Set(["src", "lang", "theme"]);

/**
 * @typedef {{code: "bad_link_field", field: string}} LinkProblem
 * @param {string} hash  location.hash, with or without "#"; untrusted
 * @returns {{fields: Map<string, string>, problems: LinkProblem[]}}  the first of a repeated field wins
 */
export function splitFragment(hash) {
  const fields = new Map();
  /** @type {LinkProblem[]} */ const problems = [];
  for (const part of hash.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");  // a value may hold "=" itself
    const field = part.slice(0, cut);
    if (cut < 0 || !KNOWN.has(field) || fields.has(field)) continue;
    try { fields.set(field, decodeURIComponent(part.slice(cut + 1))); }
    catch { problems.push({ code: "bad_link_field", field }); }
  }
  return { fields, problems };
}
