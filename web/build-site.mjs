// Assembles build/site from the built modules, the fonts and web/: a static site that works under any path.
//
//   node web/build-site.mjs [--partial]     --partial: go on without modules that are not built yet
//
//   build/site/index.html     web/index.html, with {{assets}} replaced by the folder below, {{sizes}} by a JSON object
//                             of its files' sizes in bytes (for a true progress bar), {{version}} by the version
//   build/site/a/<hash>/      everything else, and the page once more in one file (single.html, without a dump). The name is the hash of all of it, so that an old page never meets a
//                             new module, and a cache may keep each file for ever
//   build/site/gallery/       the examples, by their own names: links point at them; for each a page with its own title
//                             and preview picture, which chat programs show beside a link, and index.html with all.
//                             Most of them want the picture's full address: --address https://example.org/rollscope/
//   build/site/export/, embed/   what notebooks copy and what other pages load, likewise
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import Module, { createRequire } from "node:module";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { splitWords } from "./locale-parts.mjs";

const web = path.dirname(fileURLToPath(import.meta.url));
const top = path.dirname(web);
const deps = path.join(top, "build/deps");
const partial = process.argv.includes("--partial");

const NOT_PUBLISHED = new Set(["serve.mjs", "build-site.mjs", "locale-parts.mjs", "single.js"]);
const MODULES = ["page.mjs", "page.wasm", "engine-first.js", "engine-first.wasm", "engine.js", "engine.wasm"];

// What the page holds of other people's work, and where its licence lies on the building machine.
const debian = (name) => `/usr/share/doc/${name}/copyright`;
const LICENCES = [
  ["Rollscope", path.join(top, "LICENSE")],
  ["Dear ImGui", path.join(deps, "imgui/LICENSE.txt")],
  ["SDL2", path.join(deps, "sdl2/LICENSE.txt")],
  ["zlib", path.join(deps, "zlib/LICENSE")],
  ["QR Code Generator for JavaScript (qrcode-generator)", path.join(deps, "npm/web/node_modules/qrcode-generator/dist/qrcode.mjs")],
  ["xz-decompress, with xzwasm and XZ Embedded (pages in one file)", path.join(deps, "npm/web/node_modules/xz-decompress/dist/package/xz-decompress.js")],
  ["IBM Plex Sans and IBM Plex Mono", path.join(deps, "fonts/plex-sans-LICENSE.txt")],
  ["IBM Plex Sans JP", path.join(deps, "fonts/plex-sans-jp-LICENSE.txt")],
  ["Eigen", debian("libeigen3-dev")],
  ["{fmt}", debian("libfmt-dev")],
  ["RapidJSON", debian("rapidjson-dev")],
  ["fast_float", debian("libfast-float-dev")],
  ["tl::expected", debian("libexpected-dev")],
  ["Emscripten, with musl, libc++, libc++abi and compiler-rt", debian("emscripten")],
];

function fail(text) {
  console.error(`web/build-site.mjs: ${text}`);
  process.exit(1);
}

/** Files of a folder that match, sorted; none when the folder is not there. */
const list = (folder, pattern) => (existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)).sort() : []);

/** Custom properties for the themes: the same tokens.json from which the C++ header is made. */
function themeCss() {
  const tokens = JSON.parse(readFileSync(path.join(web, "tokens.json"), "utf8"));
  const named = (scheme) => Object.entries(tokens[scheme]).map(([name, colour]) => `--${name}: ${colour};`);
  const properties = (scheme) => [
    `color-scheme: ${scheme};`,
    ...named(scheme),
    ...["weight", "difference", "heads"].flatMap((group) => tokens[group][scheme].map((colour, i) => `--${group}-${i}: ${colour};`)),
  ].join(" ");
  const face = (family, weight, file) =>
    `@font-face { font-family: "${family}"; font-weight: ${weight}; font-display: swap; src: url(fonts/${file}.ttf) format("truetype"); }`;
  return [
    face("IBM Plex Sans", 400, "plex-sans-400"), face("IBM Plex Sans", 500, "plex-sans-500"),
    face("IBM Plex Sans", 600, "plex-sans-600"), face("IBM Plex Mono", 400, "plex-mono-400"),
    `:root, [data-theme="light"] { ${properties("light")} }`,
    `@media (prefers-color-scheme: dark) { :root:not([data-theme]) { ${properties("dark")} } }`,
    `[data-theme="dark"] { ${properties("dark")} }`,
    // More contrast changes text, lines and grounds; weights keep their colours, which have to be told apart.
    `[data-contrast="more"] { ${named("light-contrast").join(" ")} }`,
    `[data-theme="dark"][data-contrast="more"] { ${named("dark-contrast").join(" ")} }`, "",
  ].join("\n");
}

/** What `entry` imports, and what that imports: named in the page's head, they load side by side. */
function importedFrom(entry, assets, found = new Set()) {
  const text = assets.get(entry)?.toString("utf8") ?? "";
  for (const [, name] of text.matchAll(/\b(?:import|export)\b[^"'();]*["']\.\/([^"']+)["']/g)) {
    if (!found.has(name) && assets.has(name)) importedFrom(name, assets, found.add(name));
  }
  return found;
}

function licencesText() {
  return LICENCES.map(([name, file]) => {
    if (!existsSync(file)) {
      if (!partial) fail(`the licence of ${name} is not at ${file}; reinstall its package, or run web/setup/setup native web`);
      return "";
    }
    const text = readFileSync(file, "utf8").trim();
    // Of a script the comment that it opens with, which is its licence.
    return `${"=".repeat(78)}\n${name}\n${"=".repeat(78)}\n\n${/\.m?js$/.test(file) ? /^((\/\/.*\n)+|\/\*[^]*?\*\/)/.exec(text)[0].trim() : text}\n`;
  }).join("\n");
}

/** Name -> bytes of everything that goes into the hashed folder. */
function collectAssets() {
  const assets = new Map();
  const add = (name, file) => assets.set(name, readFileSync(file));
  add("single.js", path.join(web, "single.js"));
  for (const name of list(web, /\.(m?js|css)$/)) if (!NOT_PUBLISHED.has(name)) add(name, path.join(web, name));
  for (const name of list(path.join(web, "locales"), /\.json$/)) {
    const { first, later } = splitWords(JSON.parse(readFileSync(path.join(web, "locales", name), "utf8")));
    assets.set(`locales/${name}`, Buffer.from(JSON.stringify(first)));
    assets.set(`locales/${name.replace(/json$/, "later.json")}`, Buffer.from(JSON.stringify(later)));
  }
  add("qrcode.mjs", path.join(deps, "npm/web/node_modules/qrcode-generator/dist/qrcode.mjs"));
  for (const name of list(path.join(web, "tours"), /\.json$/)) add(`tours/${name}`, path.join(web, "tours", name));
  for (const name of list(path.join(deps, "fonts"), /\.ttf$/)) add(`fonts/${name}`, path.join(deps, "fonts", name));
  for (const name of MODULES) {
    const file = path.join(top, "build/web", name);
    if (existsSync(file)) add(name, file);
    else if (partial) console.error(`Not built yet, left out: ${name}`);
    else fail(`build/web/${name} is not there; run web/setup/build web (or pass --partial)`);
  }
  assets.set("theme.css", Buffer.from(themeCss()));
  assets.set("licenses.txt", Buffer.from(licencesText()));
  return assets;
}

/** Scripts without their comments and long names, by Debian's terser; as they are where it is not installed. */
async function minified(assets) {
  process.env.NODE_PATH = "/usr/share/nodejs";  // where Debian's node modules find one another
  Module._initPaths();
  let terser;
  try { terser = createRequire(import.meta.url)("terser"); } catch { return assets; }
  const out = new Map();
  for (const [name, bytes] of assets) {
    const script = /\.m?js$/.test(name);
    const module = script && /^(import|export)\b/m.test(bytes.toString("utf8"));  // the others run as classic scripts
    const made = script ? await terser.minify({ [name]: bytes.toString("utf8") }, { module, compress: true, mangle: true, ecma: 2020 }) : null;
    out.set(name, made ? Buffer.from(made.code) : /\.json$/.test(name) ? Buffer.from(JSON.stringify(JSON.parse(bytes.toString("utf8")))) : bytes);
  }
  return out;
}

// What a page in one file holds. One Japanese face stands for both weights there: it is a tenth of the whole.
const SINGLE = ["page.mjs", "page.wasm", "engine.js", "engine.wasm", "engine-worker.js", "theme.css", "style.css", "later.css", "licenses.txt",
  "fonts/plex-sans-400.ttf", "fonts/plex-sans-500.ttf", "fonts/plex-sans-600.ttf", "fonts/plex-mono-400.ttf", "fonts/plex-sans-jp-400.ttf"];

/**
 * esbuild over the page's modules. @param {Map<string, Buffer>} modules @param {string[]} options
 * @returns {Map<string, Buffer>} the files that it wrote
 */
function esbuild(modules, ...options) {
  const folder = path.join(top, "build/site.scripts"), out = path.join(folder, "out");  // they import one another from one place
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of modules) writeFileSync(path.join(folder, name), bytes);
  try {
    execFileSync("esbuild", [path.join(folder, "boot.js"), "--bundle", "--minify", "--target=es2022", "--log-level=warning", `--outdir=${out}`, ...options]);
    return new Map(list(out, /\.js$/).map((name) => [name, readFileSync(path.join(out, name))]));
  } catch (cause) {
    return fail(`esbuild could not join the scripts of the page; is the package esbuild installed? (${cause.message.split("\n")[0]})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page's own modules, of all assets: not the built ones, and no classic script. */
const modulesOf = (sources) => new Map([...sources].filter(([name, bytes]) => /^[^/]+\.m?js$/.test(name) && !MODULES.includes(name) && /^(import|export)\b/m.test(bytes.toString("utf8"))));

/**
 * Bytes as text, seven bits a sign: an eighth more, where base64 is a third more. The signs are those that HTML keeps in
 * a script as they are, read back by single.js: ASCII but NUL, carriage return and "<", and three behind it.
 */
function inSigns(bytes) {
  const signs = [...Array.from({ length: 127 }, (_, i) => i + 1).filter((code) => code !== 13 && code !== 60), 0xa1, 0xa2, 0xa3].map((code) => String.fromCharCode(code));
  let out = "", held = 0, bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 7; held &= (1 << bits) - 1) out += signs[held >> (bits -= 7)];
  }
  return bits > 0 ? out + signs[held << (7 - bits)] : out;
}

/** The page in one file, with places for what is inside (single.js, single-file.js). Policy: its own two scripts and nothing from outside. */
function singlePage(modules, assets, version) {
  const script = esbuild(modules, "--format=iife", "--define:import.meta.url=document.baseURI").get("boot.js");
  const files = new Map([["app.js", script]]);
  for (const name of [...SINGLE, ...[...assets.keys()].filter((one) => one.startsWith("locales/"))]) if (assets.has(name)) files.set(name, assets.get(name));
  const list = Buffer.from(JSON.stringify(Object.fromEntries([...files].map(([name, bytes]) => [name, bytes.length]))));
  const all = Buffer.concat([Buffer.from(list.length.toString(16).padStart(8, "0")), list, ...files.values()]);
  const machine = inSigns(execFileSync("xz", ["--format=xz", "--check=crc32", "--lzma2=preset=9e,lc=4,pb=0,dict=4MiB", "-c"], { input: all, maxBuffer: 1 << 26 }));
  const unpacker = readFileSync(path.join(deps, "npm/web/node_modules/xz-decompress/dist/package/xz-decompress.min.js"), "utf8").trim();
  const own = assets.get("single.js").toString("utf8").trim();
  if (/<\/script|<!--/i.test(unpacker + own)) fail("a script of single.html would end its element");
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const body = /<body>[^]*<\/body>/.exec(readFileSync(path.join(web, "index.html"), "utf8"))[0].replace("</body>", "");
  const policy = `default-src 'none'; script-src ${hash(unpacker)} ${hash(own)} blob: 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'`;
  const words = { policy, version, body, machine, unpacker, script: own };
  return Buffer.from(readFileSync(path.join(web, "single.html"), "utf8").replace(/{{(\w+)}}/g, (slot, name) => words[name] ?? slot));
}

const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The page of one example: index.html that opens it, with what a chat program reads of it. */
function examplePage(html, folder, { id, title, line }) {
  const at = process.argv.indexOf("--address"), site = at > 0 ? new URL("gallery/", process.argv[at + 1]).href : "";
  const name = escaped(title.en), text = escaped(line.en);
  const card = [["og:type", "website"], ["og:site_name", "Rollscope"], ["og:title", name], ["og:description", text], ["og:image", `${site}previews/${id}.png`],
    ["og:image:width", 1200], ["og:image:height", 630], ["og:image:alt", `${name}: ${text}`], ["twitter:card", "summary_large_image"]];
  return html.replaceAll(`"${folder}/`, `"../${folder}/`).replace("<html ", `<html data-example="${id}" `).replace(/<title>[^<]*/, `<title>${name} – Rollscope`)
    .replace(/(<meta name="description" content=")[^"]*/, `$1${text}`)
    .replace("</head>", card.map(([property, content]) => `<meta ${property.startsWith("og") ? "property" : "name"}="${property}" content="${content}">\n`).join("") + "</head>");
}

/** All examples side by side, without a script. */
function galleryPage(html, folder, examples) {
  const head = html.slice(0, html.indexOf("</head>")).replaceAll(`"${folder}/`, `"../${folder}/`).replace(/<(script|link rel="modulepreload")[^]*?(<\/script>|>)\n/g, "")
    .replace(/script-src[^;]*; worker-src[^;]*; /, "").replace(/<title>[^<]*/, "<title>Examples – Rollscope")
    .replace(' data-theme="light"', "");  // no script here changes it: the system's choice holds
  const cards = examples.map(({ id, title, line }) => `<a class="example" href="${id}.html"><img src="previews/${id}.png" width="600" height="315" alt=""><b>${escaped(title.en)}</b><span>${escaped(line.en)}</span></a>`);
  return `${head}<style>body { display: block; overflow: auto; padding: 24px; } h1 { font-size: 24px; line-height: 32px; margin-bottom: 16px; } main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 20px; max-width: 1200px; margin: 0 auto; } h1, main > p { grid-column: 1 / -1; } .example { display: block; padding: 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--panel); color: inherit; text-decoration: none; } .example:hover { border-color: var(--accent); } .example img { display: block; width: 100%; height: auto; margin-bottom: 10px; } .example b { display: block; font-size: 15px; font-weight: 600; } a { color: var(--accent); }</style></head>\n<body><main><h1>What does an output token read?</h1>\n${cards.join("\n")}\n<p><a href="../index.html">Open your own attention weights</a></p></main></body></html>\n`;
}

async function main() {
  const index = path.join(web, "index.html");
  if (!existsSync(index)) fail("web/index.html is not there");
  const version = /project\(rollscope VERSION ([\d.]+)/.exec(readFileSync(path.join(top, "CMakeLists.txt"), "utf8"))[1];
  // Modules that start together come as one file, the others in pieces: fewer requests, and an eighth less to load.
  const sources = collectAssets(), modules = modulesOf(sources);
  for (const name of modules.keys()) sources.delete(name);
  for (const [name, bytes] of esbuild(modules, "--format=esm", "--splitting")) sources.set(name, bytes);
  const assets = await minified(sources);
  assets.set("single.html", singlePage(modules, assets, version));
  assets.delete("single.js");
  const hash = createHash("sha256");
  const sizes = {};
  for (const [name, bytes] of assets) {
    hash.update(name).update("\0").update(String(bytes.length)).update("\0").update(bytes);
    sizes[name] = bytes.length;
  }
  const folder = `a/${hash.digest("hex").slice(0, 16)}`;

  // Built beside the old site and then put in its place, so that a server never shows half of one.
  const site = path.join(top, "build/site"), fresh = path.join(top, "build/site.new");
  rmSync(fresh, { recursive: true, force: true });
  for (const [name, bytes] of assets) {
    const file = path.join(fresh, folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  for (const name of ["gallery", "manual", "export", "embed"]) {
    if (existsSync(path.join(web, name)))
      cpSync(path.join(web, name), path.join(fresh, name), { recursive: true, filter: (file) => !file.endsWith("__pycache__") });
  }
  const html = readFileSync(index, "utf8")
    .replace(/<script type="module" src="{{assets}}\/([^"]+)"/, (tag, entry) =>
      [...importedFrom(entry, sources)].map((name) => `<link rel="modulepreload" href="{{assets}}/${name}">\n`).join("") + tag)
    .replaceAll("{{assets}}", folder).replaceAll("{{sizes}}", JSON.stringify(sizes)).replaceAll("{{version}}", version);
  writeFileSync(path.join(fresh, "index.html"), html);
  const { examples } = JSON.parse(readFileSync(path.join(web, "gallery/index.json"), "utf8"));
  for (const example of examples) writeFileSync(path.join(fresh, "gallery", `${example.id}.html`), examplePage(html, folder, example));
  writeFileSync(path.join(fresh, "gallery/index.html"), galleryPage(html, folder, examples));
  rmSync(site, { recursive: true, force: true });
  renameSync(fresh, site);
}

await main();
