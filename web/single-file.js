// One HTML file with everything inside: the page of single.html, the dump as it is, and what is looked at.
import { RollscopeError } from "./engine-client.js";

export const LIMIT = 100e6;  // bytes of a dump; browsers open a file of more than that slowly or not at all

/** Text for a script element of type JSON: no sign of it can end the element. @param {any} value */
export const jsonInScript = (value) => JSON.stringify(value).replace(/[<\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** @param {Uint8Array} bytes */
function base64(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 0x6000) pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));  // a multiple of 3
  return pieces;
}

/** @param {import("./opener.js").OpenDump} dump  @returns {Promise<Blob>} its bytes, wherever they lie */
async function whole({ source, name }) {
  if (source instanceof Blob) return source;
  const response = await fetch(source instanceof URL ? source : source.url);
  if (!response.ok) throw new RollscopeError({ code: "read_failed", params: { file: name, detail: `HTTP ${response.status}` } });
  return response.blob();
}

/** What the file will take at most, in bytes. @param {number} machine  of single.html @param {any} source */
export const largest = (machine, source) => machine + Math.ceil((4 / 3) * (source.size ?? 0));

/**
 * @param {string} page  the text of single.html
 * @param {import("./opener.js").OpenDump} dump @param {object} state  as setState takes it
 * @param {{site: string, tour?: object}} more  site: where a link from that file leads
 * @returns {Promise<Blob>}
 */
export async function singleFile(page, dump, state, more) {
  const bytes = await whole(dump);
  if (bytes.size > LIMIT) throw new RollscopeError({ code: "too_big", params: { file: dump.name, needed: `${Math.ceil(bytes.size / 1e6)} MB`, limit: `${LIMIT / 1e6} MB`, detail: "one HTML file" } });
  const stream = bytes.stream().pipeThrough(new CompressionStream("gzip"));
  const packed = base64(new Uint8Array(await new Response(stream).arrayBuffer()));
  const { name, assume, item, beside } = dump;
  const inside = jsonInScript({ name, assume, item, beside, state, packed: "gzip", ...more });
  const [before, between, after] = page.split(/{{inside}}|{{dump}}/);
  return new Blob([before, inside, between, ...packed, after], { type: "text/html" });
}

/** Hands a file to the visitor. @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
