// Writes .npz: a zip of stored .npy members, as numpy.load and Rollscope itself read it.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; ++k) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1; return n; });
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

const utf8 = (text) => new TextEncoder().encode(text);
const little = (bytes, ...values) => { const out = new Uint8Array(bytes * values.length), view = new DataView(out.buffer); values.forEach((value, i) => (bytes === 2 ? view.setUint16(2 * i, value, true) : view.setUint32(4 * i, value, true))); return out; };
function join(parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { out.set(part, at); at += part.length; }
  return out;
}

/** @param {string} type  "<f8" or "<U7" @param {number[]} shape @param {Uint8Array} data */
function npy(type, shape, data) {
  const head = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.map((n) => `${n},`).join("")}), }`;
  const padded = head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11) + "\n";  // data starts at a multiple of 64
  return join([Uint8Array.of(0x93, ...utf8("NUMPY"), 1, 0), little(2, padded.length), utf8(padded), data]);
}

/** @param {number[]} shape @param {(number | null)[]} values  null: NaN */
export const numbersArray = (shape, values) => npy("<f8", shape, new Uint8Array(Float64Array.from(values, (value) => value ?? NaN).buffer));

/** @param {string[]} texts */
export function textArray(texts, shape = [texts.length]) {
  const signs = texts.map((text) => [...text].map((sign) => sign.codePointAt(0))), longest = Math.max(1, ...signs.map((one) => one.length));
  const codes = new Uint32Array(texts.length * longest);
  signs.forEach((one, i) => codes.set(one, i * longest));
  return npy(`<U${longest}`, shape, new Uint8Array(codes.buffer));
}

/** One text, as numpy.save writes a str. @param {string} text */
export const textValue = (text) => textArray([text], []);

/** @param {Record<string, Uint8Array>} arrays  name to .npy bytes @returns {Blob} */
export function npz(arrays) {
  const local = [], central = [];
  let at = 0;
  for (const [array, bytes] of Object.entries(arrays)) {
    const name = utf8(`${array}.npy`), sum = crc32(bytes);
    const common = [little(2, 20, 0x800, 0, 0, 0x21), little(4, sum, bytes.length, bytes.length), little(2, name.length, 0)];
    const member = join([little(4, 0x04034b50), ...common, name, bytes]);
    central.push(join([little(4, 0x02014b50), little(2, 20), ...common, little(2, 0, 0, 0), little(4, 0, at), name]));
    local.push(member);
    at += member.length;
  }
  const directory = join(central);
  return new Blob([...local, directory, little(4, 0x06054b50), little(2, 0, 0, central.length, central.length), little(4, directory.length, at), little(2, 0)]);
}
