// Other hosts, played by the test: a real server with a certificate of its own, reached through a proxy, so that policies,
// redirects, consent and cross-origin rules are those of the web. playwright's own route() answers redirects and
// cross-origin questions itself.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import net from "node:net";
import path from "node:path";

/** A certificate for this run, made once. @param {string} folder */
function certificate(folder) {
  const key = path.join(folder, "key.pem"), cert = path.join(folder, "cert.pem");
  if (!existsSync(cert)) {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=example", "-keyout", key, "-out", cert], { stdio: "ignore" });
  }
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

const listening = (server) => new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));

/**
 * @param {any} ctx
 * @param {Record<string, {body?: Buffer, headers?: Record<string, string>, status?: number, ranges?: boolean, exposed?: boolean, open?: boolean, stall?: number}>} files
 *   address to answer, looked up anew at each request. ranges: byte ranges are served; exposed (default true): their
 *   Content-Range may be read by other sites; open (default true): other sites may read at all; stall: bytes after which
 *   nothing more comes
 * @returns {Promise<{page: (options?: object) => Promise<any>, asked: {url: string, range?: string, headers: Record<string, string>}[]}>}
 *   page: as ctx.newPage, on a net where these hosts are; asked: what was asked of them, growing
 */
export async function playHosts(ctx, files) {
  const asked = [];
  const secure = createServer(certificate(ctx.scratch), (request, response) => {
    const url = `https://${request.headers.host}${request.url}`;
    const range = request.headers.range;
    asked.push({ url, range, headers: request.headers });
    const { body = Buffer.alloc(0), status = 200, ranges = false, exposed = true, open = true, stall, headers } = files[url] ?? { status: 404 };
    const more = { ...(open ? { "Access-Control-Allow-Origin": "*" } : {}), ...(exposed ? { "Access-Control-Expose-Headers": "Content-Range, ETag" } : {}), "Content-Type": "application/octet-stream", ...headers };
    const wanted = ranges && /^bytes=(\d+)-(\d*)$/.exec(range ?? "");
    const from = wanted ? Number(wanted[1]) : 0, to = wanted && wanted[2] !== "" ? Math.min(Number(wanted[2]), body.length - 1) : body.length - 1;
    response.writeHead(wanted ? 206 : status, { ...more, "Content-Length": to + 1 - from, ...(wanted ? { "Content-Range": `bytes ${from}-${to}/${body.length}` } : {}) });
    if (stall === undefined) response.end(body.subarray(from, to + 1));
    else response.write(body.subarray(0, stall));
  });
  const port = await listening(secure);
  const hosts = new Set(Object.keys(files).map((address) => new URL(address).host));
  const proxy = createHttpServer((_, response) => response.writeHead(502).end());
  const sockets = new Set();
  proxy.on("connect", (request, socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (!hosts.has(request.url.replace(/:443$/, ""))) { socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"); return; }
    const through = net.connect(port, "127.0.0.1", () => { socket.write("HTTP/1.1 200 OK\r\n\r\n"); socket.pipe(through).pipe(socket); });
    through.on("error", () => socket.destroy());
  });
  const proxyPort = await listening(proxy);
  ctx.afterwards(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of [secure, proxy]) { server.closeAllConnections?.(); server.close(); }
  });
  const surroundings = { proxy: { server: `http://127.0.0.1:${proxyPort}`, bypass: "127.0.0.1" }, ignoreHTTPSErrors: true };
  return { asked, page: (options = {}) => ctx.newPage({ ...options, context: { ...surroundings, ...options.context } }) };
}
