// What a first visit downloads, compressed as a good static host would (brotli 11). The example's data is listed
// apart. Run alone it prints the table for the built site, without a browser: node tests/browser/size.mjs
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

export const LIMIT = 650_000;  // bytes; issue of the first release

const site = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../build/site");

/** Bytes after brotli at its highest setting. */
function compressed(bytes) {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;
}

/**
 * @param {string[]} files  paths inside the site, "/" first; "/" alone is index.html
 * @returns {{rows: {file: string, raw: number, brotli: number, example: boolean}[], total: number}}  total: without examples
 */
export function measure(files) {
  const rows = [...new Set(files)].sort().map((file) => {
    const bytes = readFileSync(path.join(site, file.endsWith("/") ? file + "index.html" : file));
    return { file, raw: bytes.length, brotli: compressed(bytes), example: file.startsWith("/gallery/") };
  });
  return { rows, total: rows.filter((row) => !row.example).reduce((sum, row) => sum + row.brotli, 0) };
}

export function table({ rows, total }) {
  const line = (name, raw, brotli) => `  ${name.padEnd(34)}${String(raw).padStart(10)}${String(brotli).padStart(10)}`;
  return [
    line("file", "bytes", "brotli 11"),
    ...rows.filter((row) => !row.example).map((row) => line(row.file.replace(/^\/a\/[0-9a-f]+\//, ""), row.raw, row.brotli)),
    line(`total, of at most ${LIMIT}`, rows.filter((row) => !row.example).reduce((sum, row) => sum + row.raw, 0), total),
    ...rows.filter((row) => row.example).map((row) => line(`(example) ${row.file.slice(1)}`, row.raw, row.brotli)),
  ].join("\n");
}

/** All that an English first visit may ask for, when no browser is there to tell. */
function expectedFiles() {
  const folder = readdirSync(path.join(site, "a")).map((name) => `a/${name}`)[0];
  const named = [...readFileSync(path.join(site, "index.html"), "utf8").matchAll(/(?:src|href)="(a\/[^"]+)"/g)].map(([, file]) => file);  // all but what waits for an act
  const names = readdirSync(path.join(site, folder), { recursive: true }).map(String);
  const fetched = names.filter((name) => ["engine-first.js", "engine-worker.js", "page.mjs", "locales/en.json"].includes(name) || /(page|engine-first)\.wasm$|plex-sans-\d+\.ttf$/.test(name));
  return [...new Set(["/", ...named.map((file) => `/${file}`), ...fetched.map((name) => `/${folder}/${name}`)])];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(site)) { console.error("build/site is not there; run web/run --build-only"); process.exit(1); }
  const result = measure(expectedFiles());
  console.log(table(result));
  process.exit(result.total <= LIMIT ? 0 : 1);
}
