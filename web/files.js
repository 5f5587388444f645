// What several files are that were given at once: dumps, and what belongs beside a dump, its tokens and its picture.
// The name says what to look at, the content decides.
import { kindOf, tokensOf } from "./typed.js";

const TEXT_LIMIT = 8 << 20;  // bytes of what is given beside a dump
const SIDE = 1024;           // pixels; a picture is shown behind a grid of some dozen patches
const FEW = 16;              // files of a folder

/** @typedef {{name: string, text: string}} Beside  as Session::open takes it */

/** @param {Uint8Array} head */
export function isPicture(head) {
  const text = String.fromCharCode(...head.subarray(0, 12));
  return text.startsWith("\x89PNG") || text.startsWith("\xff\xd8\xff") || text.startsWith("GIF8") || /^RIFF....WEBP/s.test(text) || /^....ftypavi[fs]/s.test(text);
}

/**
 * @param {File[]} files
 * @returns {Promise<{dumps: File[], tokens: {name: string, tokens: string[]} | null, picture: File | null, aside: string[]}>}
 *   aside: files that are of no use here, by name
 */
export async function sortFiles(files) {
  const dumps = [], aside = [];
  let tokens = null, picture = null;
  for (const file of files) {
    const kind = await fileKind(file).catch(() => "dump");  // what cannot be read the engine refuses in words
    if (kind === "dump") dumps.push(file);
    else if (kind === "picture") { if (picture) aside.push(file.name); else picture = file; }
    else if (tokens) aside.push(file.name);
    else tokens = { name: file.name, tokens: kind };
  }
  return { dumps, tokens, picture, aside };
}

/** @returns {Promise<"dump" | "picture" | string[]>} a list: it holds these tokens */
async function fileKind(file) {
  const head = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  if (isPicture(head)) return "picture";
  if (file.size === 0 || file.size > TEXT_LIMIT || !/\.(txt|json|tokens)$/i.test(file.name)) return "dump";
  const text = await file.text();
  return kindOf(text) === "dump" || text.includes("\0") ? "dump" : tokensOf(text);
}

/** @param {string[]} tokens @returns {Beside} */
export const besideTokens = (tokens) => ({ name: "tokens.json", text: JSON.stringify(tokens) });

/** The picture as the browser reads it, made small enough to be kept. @param {File} file @returns {Promise<Beside>} */
export async function besidePicture(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const exact = canvas.toDataURL("image/png");
  return { name: "image.json", text: JSON.stringify({ image: exact.length < 2e6 ? exact : canvas.toDataURL("image/jpeg", 0.9) }) };
}

/** What is given goes before what was there of its kind. @param {Beside[]} before @param {Beside[]} given */
export const withBeside = (before, given) => [...before.filter((old) => !given.some((one) => one.name === old.name)), ...given];

/**
 * The files of folders, if they are few.
 * @param {any[]} entries  FileSystemDirectoryEntry
 * @returns {Promise<{files: File[], crowded: string | null}>}  crowded: a folder with too many
 */
export async function filesOfFolders(entries) {
  const files = [];
  for (const entry of entries) {
    const inside = (await entriesOf(entry)).filter((one) => one.isFile && !one.name.startsWith("."));
    if (inside.length > FEW) return { files: [], crowded: entry.name };
    for (const one of inside) files.push(await new Promise((done, failed) => one.file(done, failed)));
  }
  return { files, crowded: null };
}

/** A folder is read in portions until one is empty; no more than are wanted. */
async function entriesOf(folder) {
  const reader = folder.createReader();
  const all = [];
  while (all.length <= 4 * FEW) {
    const portion = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (portion.length === 0) break;
    all.push(...portion);
  }
  return all.sort((a, b) => a.name.localeCompare(b.name));
}
