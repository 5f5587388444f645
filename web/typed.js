// What a text is that somebody pastes or drops: an address, tokens, or the numbers of a dump. Rules only: node runs the
// tests. Tokens come as people have them: a list that Python or JSON printed, one a line, or words with spaces.

const MOST = 8 << 20;  // characters that are looked at as a whole; longer text is a dump

/** The strings of a list as Python prints it, or null. @param {string} text */
function pythonList(text) {
  if (!/^\[\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*,\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))*\s*,?\s*\]$/.test(text)) return null;
  const signs = { n: "\n", t: "\t", r: "\r" };
  return [...text.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)].map(([, single, double]) =>
    (single ?? double).replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gi, (_, x, u, other) => (x || u ? String.fromCharCode(parseInt(x ?? u, 16)) : signs[other] ?? other)));
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

const isStrings = (value) => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");

/** Whether a parsed JSON value holds lists of numbers in lists, as matrices are. */
function hasMatrix(value, depth = 0, left = { nodes: 2000 }) {
  if (--left.nodes < 0 || value === null || typeof value !== "object") return false;
  if (!Array.isArray(value)) return Object.values(value).some((one) => hasMatrix(one, 0, left));
  if (depth > 0 && typeof value[0] === "number") return true;
  return value.some((one) => hasMatrix(one, depth + 1, left));
}

/** Rows of numbers under each other, as a table is written; a head of names may stand above. @param {string} text */
function isTable(text) {
  const lines = text.slice(0, 20_000).split(/\r?\n/).filter((line) => line.trim() !== "").slice(0, 20);
  const cells = lines.map((line) => line.trim().split(/[,;\t]|\s+/).map((cell) => cell.trim()).filter((cell) => cell !== ""));
  const numeric = (row) => row.filter((cell) => Number.isFinite(Number(cell))).length;
  const rows = cells.filter((row) => row.length > 1 && numeric(row) >= row.length - 1 && numeric(row) > 1);
  return rows.length > 0 && rows.length >= cells.length - 1;
}

/**
 * @param {string} text
 * @returns {string[]} the tokens that it lists, in order
 */
export function tokensOf(text) {
  const plain = text.trim();
  const json = /^[[{]/.test(plain) ? parsed(plain) : undefined;
  const list = Array.isArray(json) ? json : json?.tokens;
  if (isStrings(list)) return list;
  if (isStrings(list?.[0])) return list[0];  // of a batch
  const printed = pythonList(plain);
  if (printed) return printed;
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.length > 1 ? lines : plain.split(/\s+/).filter((word) => word !== "");
}

/**
 * @param {string} text
 * @returns {"nothing" | "address" | "tokens" | "dump"}
 */
export function kindOf(text) {
  const plain = text.trim();
  if (plain === "") return "nothing";
  if (plain.length > MOST) return "dump";
  if (!/\s/.test(plain) && (/^(https?|ftp|file|data|blob|javascript):/i.test(plain) || /^\/\/[\w-]+\./.test(plain) || /^(\w[\w-]*\.)+[a-z]{2,}(:\d+)?\/\S/i.test(plain))) return "address";
  if (plain[0] === "<" || /^\(*(array|tensor|torch\.tensor|np\.array)\(/.test(plain) || /^\(+\[*\s*-?[\d.]/.test(plain)) return "dump";
  if (/^\[+\s*-?\d[\d.e+-]*\s+[-\d.]/.test(plain)) return "dump";  // numpy's print, without commas, or with "..." in it
  if (plain[0] === "[" || plain[0] === "{") {
    const value = parsed(plain);
    if (value === undefined) return pythonList(plain) || !/[0-9]/.test(plain) || /^\[[^\]\s,"']+\]\s/.test(plain) ? "tokens" : "dump";  // "[CLS] the cat"
    return hasMatrix(value) || !(Array.isArray(value) ? isStrings(value) || isStrings(value[0]) : "tokens" in value) ? "dump" : "tokens";
  }
  return isTable(plain) ? "dump" : "tokens";
}

/** What was typed without "https://", as people write it. @param {string} text */
export const addressOf = (text) => (/^([a-z][a-z0-9+.-]*:|\/)/i.test(text.trim()) ? text.trim() : `https://${text.trim()}`);
