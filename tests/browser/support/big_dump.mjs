// A dump too big to hold: 12 layers x 12 heads x 1,024 x 1,024 float32, 604 MB on disk. Every head holds the same matrix,
// so that the file is written in a second and its rollout can be computed here.
import { closeSync, openSync, writeSync } from "node:fs";

/** Row-stochastic matrix [n][n] with structure: near the diagonal, and a few strong columns. */
function matrix(n) {
  const cells = new Float32Array(n * n);
  for (let i = 0; i < n; ++i) {
    let sum = 0;
    for (let j = 0; j < n; ++j) {
      const value = 1 / (1 + Math.abs(i - j)) + (j % 97 === 5 ? 0.5 : 0) + ((i * 31 + j * 17) % 64) / 4096;
      sum += cells[i * n + j] = value;
    }
    for (let j = 0; j < n; ++j) cells[i * n + j] /= sum;
  }
  return cells;
}

/** Bytes of a .npy header, format 1.0. @param {number[]} shape */
export function npyHeader(shape, descr = "<f4") {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n";
  const head = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0, 0]);
  head.writeUInt16LE(padded.length, 8);
  return Buffer.concat([head, Buffer.from(padded, "latin1")]);
}

/** @param {number[]} shape @param {ArrayLike<number>} values @returns {Buffer} a whole .npy */
export const npy = (shape, values) => Buffer.concat([npyHeader(shape), Buffer.from(Float32Array.from(values).buffer)]);

/**
 * @param {string} file
 * @returns {{n: number, layers: number, row: (query: number) => Float64Array}}  row: rollout with residual 0.5
 */
export function writeBigDump(file, { layers = 12, heads = 12, n = 1024 } = {}) {
  const cells = matrix(n), bytes = Buffer.from(cells.buffer);
  const out = openSync(file, "w");
  writeSync(out, npyHeader([layers, heads, n, n]));
  for (let head = 0; head < layers * heads; ++head) writeSync(out, bytes);
  closeSync(out);
  return {
    n, layers,
    row(query) {
      let row = new Float64Array(n);
      row[query] = 1;
      for (let layer = 0; layer < layers; ++layer) {
        const next = new Float64Array(n);
        for (let i = 0; i < n; ++i) {
          next[i] += 0.5 * row[i];
          const half = 0.5 * row[i];
          for (let j = 0; j < n; ++j) next[j] += half * cells[i * n + j];
        }
        row = next;
      }
      return row;
    },
  };
}
