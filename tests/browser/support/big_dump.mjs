// A dump too big to hold: 12 layers x 12 heads x 1,024 x 1,024 float32, 604 MB on disk. Every head holds the same matrix,
// so that the file is written in a second and its rollout can be computed here.
import { closeSync, openSync, writeSync } from "node:fs";
import { constants, deflateRawSync } from "node:zlib";

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

/**
 * The same size as a deflated .npz of a few MB: every row of every head is the same, so that it packs well. A head is
 * deflated once, up to a full flush, after which nothing refers back: such pieces may be put one behind the other.
 * @param {string} file
 * @returns {{n: number, layers: number, row: (query: number) => Float64Array}}  row: rollout with residual 0.5
 */
export function writeDeflatedDump(file, { layers = 12, heads = 12, n = 1024 } = {}) {
  const weights = Float32Array.from({ length: n }, (_, j) => 1 + (j % 61));
  const sum = weights.reduce((a, b) => a + b);
  weights.forEach((value, j) => { weights[j] = value / sum; });
  const row = Buffer.from(weights.buffer), header = npyHeader([layers, heads, n, n]);
  const piece = (bytes) => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
  const head = piece(Buffer.concat(Array(n).fill(row)));
  const parts = [piece(header), ...Array(layers * heads).fill(head), Buffer.from([3, 0])];
  const packed = parts.reduce((all, part) => all + part.length, 0), size = header.length + layers * heads * n * n * 4;
  const name = Buffer.from("attentions.npy");
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0); local.writeUInt16LE(20, 4); local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed, 18); local.writeUInt32LE(size, 22); local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);  // its checksum is left 0: who reads only a part cannot check it
  entry.writeUInt32LE(0x02014b50, 0); entry.writeUInt16LE(20, 4); entry.writeUInt16LE(20, 6); entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed, 20); entry.writeUInt32LE(size, 24); entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0); end.writeUInt16LE(1, 8); end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length + name.length, 12); end.writeUInt32LE(local.length + name.length + packed, 16);
  const out = openSync(file, "w");
  for (const part of [local, name, ...parts, entry, name, end]) writeSync(out, part);
  closeSync(out);
  const kept = 0.5 ** layers;
  return { n, layers, row: (query) => Float64Array.from(weights, (x, j) => (1 - kept) * x + (j === query ? kept : 0)) };
}
