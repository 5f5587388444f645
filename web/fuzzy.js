// Finds what somebody means by a few letters. Every word that was typed must be found, its letters in order; the start of
// a word counts more than its middle, letters in a row more than scattered ones. Accents and case do not count.

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** @param {string} word @param {string} text  both plain @returns {number} 0: not found */
function scoreOf(word, text) {
  const letters = [...word];
  let best = 0;
  const whole = text.indexOf(word);
  if (whole >= 0) return 4 + (whole === 0 ? 2 : /[\p{L}\p{N}]/u.test(text[whole - 1]) ? 0 : 1) + word.length / (text.length + 1);
  // The letters apart, each at the start of a word or right after the one before: "hf" finds "Head fusion".
  for (let start = 0; start < text.length; ++start) {
    if (text[start] !== letters[0] || (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1]))) continue;
    let at = start, found = 1, row = 0;
    for (let i = start + 1; i < text.length && found < letters.length; ++i) {
      if (text[i] !== letters[found]) continue;
      const begins = !/[\p{L}\p{N}]/u.test(text[i - 1]);
      if (i !== at + 1 && !begins) continue;
      row += i === at + 1 ? 1 : 0;
      at = i;
      ++found;
    }
    if (found === letters.length) best = Math.max(best, 1 + row / letters.length + found / (text.length + 1));
  }
  return best;
}

/**
 * How well a text fits what was typed.
 * @param {string} typed @param {string} text
 * @returns {number} 0: not at all; with nothing typed everything fits
 */
export function fits(typed, text) {
  const words = plain(typed).split(/[\s　:：]+/).filter(Boolean), target = plain(text);
  let sum = 1;
  for (const word of words) {
    const score = scoreOf(word, target);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}
