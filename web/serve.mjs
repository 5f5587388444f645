// A static server for one person: the built site on 127.0.0.1, and one dump beside it.
//
//   node web/serve.mjs [--site DIR] [--port N] [--file DUMP]
//
// Byte ranges work, because dumps are read in pieces. Tests import serve() and let it mount further folders.
import { createReadStream, promises as fs } from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".txt": "text/plain; charset=utf-8",
  ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8", ".wasm": "application/wasm", ".ttf": "font/ttf", ".woff2": "font/woff2",
  ".png": "image/png", ".svg": "image/svg+xml", ".jpg": "image/jpeg",
};

/** The part of the file that a Range header asks for. @returns {{start: number, end: number} | null} null: not satisfiable */
function parseRange(header, size) {
  const m = /^bytes=(\d*)-(\d*)$/.exec(header);
  if (!m || (m[1] === "" && m[2] === "")) return { start: 0, end: size - 1 };  // a form that we may ignore
  const start = m[1] === "" ? Math.max(0, size - Number(m[2])) : Number(m[1]);
  const end = m[1] === "" || m[2] === "" ? size - 1 : Math.min(Number(m[2]), size - 1);
  return start <= end ? { start, end } : null;
}

/** The file that a URL path names, or null. The first mount whose prefix fits decides. */
async function resolve(mounts, urlPath) {
  for (const { prefix, root } of mounts) {
    if (!urlPath.startsWith(prefix)) continue;
    const rest = urlPath.slice(prefix.length);
    let file = path.join(root, rest);
    if (file !== root && !file.startsWith(root + path.sep)) return null;  // "../": nothing outside is served
    let stat = await fs.stat(file).catch(() => null);
    if (stat?.isDirectory()) {
      file = path.join(file, "index.html");
      stat = await fs.stat(file).catch(() => null);
    }
    return stat?.isFile() ? { file, stat } : null;
  }
  return null;
}

/**
 * Serves folders and files until the returned server is closed.
 * @param {{mounts: {prefix: string, root: string}[], port?: number, tries?: number, onRequest?: (url: string, range?: string) => void,
 *          headers?: Record<string, string>}} options
 *   mounts   URL prefix to folder or file, the most specific first; "/" last
 *   port     0 (default): any free one; else that one, or one of the next `tries` - 1
 *   headers  sent with every answer (tests use it)
 * @returns {Promise<{port: number, close: () => Promise<void>}>}
 */
export async function serve({ mounts, port = 0, tries = 1, onRequest, headers = {} }) {
  const roots = mounts.map(({ prefix, root }) => ({ prefix, root: path.resolve(root) }));
  const server = http.createServer(async (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const fail = (status, text) => { response.writeHead(status, { "Content-Type": TYPES[".txt"] }); response.end(text + "\n"); };
    if (request.method !== "GET" && request.method !== "HEAD") return fail(405, "Only GET and HEAD");
    let urlPath;
    try { urlPath = decodeURIComponent(new URL(request.url, "http://localhost").pathname); } catch { return fail(400, "Bad address"); }
    onRequest?.(urlPath, request.headers.range);
    const found = await resolve(roots, urlPath);
    if (!found) return fail(404, "Not found: " + urlPath);
    const { file, stat } = found;
    response.setHeader("Content-Type", TYPES[path.extname(file)] ?? "application/octet-stream");
    response.setHeader("Accept-Ranges", "bytes");
    response.setHeader("X-Content-Type-Options", "nosniff");
    // A folder named by the hash of its content never changes; everything else may at any moment.
    response.setHeader("Cache-Control", /\/a\/[0-9a-f]{12,}\//.test(urlPath) ? "public, max-age=31536000, immutable" : "no-store");
    let start = 0, end = stat.size - 1, status = 200;
    if (request.headers.range) {
      const range = parseRange(request.headers.range, stat.size);
      if (!range) { response.setHeader("Content-Range", `bytes */${stat.size}`); return fail(416, "Range not satisfiable"); }
      ({ start, end } = range);
      status = 206;
      response.setHeader("Content-Range", `bytes ${start}-${end}/${stat.size}`);
    }
    response.writeHead(status, { "Content-Length": end - start + 1 });
    if (request.method === "HEAD" || stat.size === 0) return response.end();
    createReadStream(file, { start, end }).on("error", () => response.destroy()).pipe(response);
  });
  for (let attempt = 0; ; attempt++) {
    try {
      await new Promise((done, failed) => {
        server.once("error", failed);
        server.listen(port === 0 ? 0 : port + attempt, "127.0.0.1", () => { server.off("error", failed); done(); });
      });
      break;
    } catch (error) {
      if (error.code !== "EADDRINUSE" || attempt + 1 >= tries) throw error;
    }
  }
  return {
    port: server.address().port,
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections?.(); }),
  };
}

async function main(args) {
  const options = {};
  for (let i = 0; i < args.length; i += 2) options[args[i].replace(/^--/, "")] = args[i + 1];
  const site = options.site ?? path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../build/site");
  const mounts = [{ prefix: "/", root: site }];
  let fragment = "";
  if (options.file) {
    const name = path.basename(options.file);
    mounts.unshift({ prefix: `/dump/${name}`, root: options.file });
    // Encoded twice: once as an address, once as a field of the fragment, where "/" may stand as it is.
    fragment = "#src=" + encodeURIComponent(`dump/${encodeURIComponent(name)}`).replaceAll("%2F", "/");
  }
  const fixed = options.port !== undefined;
  let server;
  try {
    server = await serve({ mounts, port: fixed ? Number(options.port) : 8000, tries: fixed ? 1 : 50 });
  } catch (error) {
    console.error(`web/run: port ${options.port ?? 8000} cannot be used (${error.code}); choose another by --port N`);
    process.exit(1);
  }
  console.log(`Rollscope: http://127.0.0.1:${server.port}/${fragment}   (Ctrl+C stops)`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
