// Small heatmaps of the page itself, in the colours of tokens.json that theme.css holds. Row = query, column = key.

const STEPS = 16;  // of a colormap, look.md

/** @returns {number[][]} the weight map of the theme in force, low to high */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return Array.from({ length: STEPS }, (_, i) => {
    const hex = parseInt(style.getPropertyValue(`--weight-${i}`).trim().slice(1), 16);
    return [hex >> 16, (hex >> 8) & 255, hex & 255];
  });
}

/** @param {number} t  in [0, 1] @param {number[][]} map */
function mix(t, map) {
  const at = Math.min(1, Math.max(0, t)) * (STEPS - 1), low = Math.min(STEPS - 2, Math.floor(at)), part = at - low;
  return map[low].map((value, i) => Math.round(value + (map[low + 1][i] - value) * part));
}

/**
 * The end of a scale that one column, a sink for instance, does not eat: the largest value outside the heaviest column.
 * What lies above is drawn in the last colour.
 * @param {{rows: number, columns: number, values: ArrayLike<number>}} matrix
 */
export function topWithoutHeaviest({ rows, columns, values }) {
  const sums = new Float64Array(columns), tops = new Float64Array(columns);
  for (let at = 0; at < rows * columns; ++at) {
    if (!(values[at] > 0)) continue;
    sums[at % columns] += values[at];
    tops[at % columns] = Math.max(tops[at % columns], values[at]);
  }
  const heaviest = sums.indexOf(Math.max(...sums));
  return Math.max(...tops.filter((_, column) => column !== heaviest), columns === 1 ? tops[0] : 0);
}

/**
 * Draws a matrix, each cell a pixel at least: what does not fit is pooled by its maximum, so that no strong cell is lost.
 * @param {HTMLCanvasElement} canvas
 * @param {{rows: number, columns: number, values: ArrayLike<number>}} matrix  [rows][columns]; NaN: no value
 * @param {number} most  pixels of a side
 * @param {number} [end]  of the scale, from 0; else the largest value
 */
export function drawHeat(canvas, { rows, columns, values }, most, end = 0) {
  const pool = (n) => Math.ceil(n / most);
  const down = pool(rows), across = pool(columns);
  const height = Math.ceil(rows / down), width = Math.ceil(columns / across);
  const cells = new Float64Array(width * height).fill(NaN);
  let largest = 0;
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      const value = values[i * columns + j], at = Math.floor(i / down) * width + Math.floor(j / across);
      if (!(value <= cells[at])) cells[at] = Number.isNaN(value) ? cells[at] : value;
      if (value > largest) largest = value;
    }
  }
  // Whole pixels to a cell, and between few cells a line, so that a matrix looks like one.
  const unit = Math.max(1, Math.floor(most / Math.max(width, height))), gap = unit >= 6 && height > 1 ? 1 : 0;
  canvas.width = width * unit;
  canvas.height = height * unit;
  const context = canvas.getContext("2d"), map = colours(), top = end > 0 ? end : largest;
  cells.forEach((value, at) => {
    if (Number.isNaN(value)) return;
    context.fillStyle = `rgb(${mix(top > 0 ? value / top : 0, map)})`;
    context.fillRect((at % width) * unit, Math.floor(at / width) * unit, unit - gap, unit - gap);
  });
}

/**
 * The head of a MatrixData archive (src/analysis/view_data.h, base/archive.h: little endian, no padding).
 * @param {ArrayBuffer} archive
 * @returns {{rows: number, columns: number, values: Float32Array}}
 */
export function matrixOf(archive) {
  const view = new DataView(archive);
  const rows = view.getInt32(9, true), columns = view.getInt32(13, true);  // after kind (1 byte), layer, head
  const count = view.getUint32(18, true);                                  // after causal (1 byte)
  if (rows < 1 || columns < 1 || count !== rows * columns) throw new RangeError("not a matrix");
  return { rows, columns, values: new Float32Array(archive.slice(22, 22 + 4 * count)) };
}
