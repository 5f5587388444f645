// Reads a dump from an address. One request says what the server can do: where it sends ranges, the engine's worker
// reads what it needs; where not, that same answer is the download, shown as it comes. The page's policy decides which
// hosts can be asked at all; this file only says in words what happened.
import { liesOn } from "./address.js";
import { allowedHosts } from "./consent.js";
import { RollscopeError } from "./engine-client.js";

const SPOOL = 16 << 20;  // bytes after which what has come becomes a Blob, which the browser may keep on disk
export const WHOLE_LIMIT = 1e9;

/**
 * @typedef {{url: string, size: number, etag: string, modified: string}} RangedSource  the file as it was when it was asked for
 * @param {URL} url @param {string} file  its name, for messages
 * @param {{
 *   signal: AbortSignal,
 *   whole: boolean,      ranges are of no use here
 *   limit: number,       of a whole download
 *   progress: (bytes: number, total: number) => void,  total 0: unknown
 * }} options
 * @returns {Promise<Blob | RangedSource>} rejects with a RollscopeError
 */
export async function reach(url, file, { signal, whole, limit, progress }) {
  const own = url.origin === location.origin;
  const fail = (code, params) => new RollscopeError({ code, params: { file, host: url.host, link: own ? "" : url.href, ...params } });
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort(), { once: true });
  const ask = (headers) => fetch(url, { headers, signal: stop.signal, credentials: "omit", referrerPolicy: "no-referrer", redirect: "follow" });

  const blocked = watchPolicy();
  let response;
  try {
    // "0-" and not a first piece: a server without ranges, or one that does not let them be read, sends all at once.
    response = await ask(whole ? {} : { Range: "bytes=0-" })
      .catch((cause) => (whole || signal.aborted ? Promise.reject(cause) : ask({})));  // a header too many for some servers
  } catch (cause) {
    if (signal.aborted) throw fail("cancelled", {});
    throw await blocked.happened() ? fail("unreachable", { kind: "redirected" }) : fail("unreachable", own ? { kind: "own" } : {});
  } finally {
    blocked.stop();
  }
  const refuse = (error) => { stop.abort(); return error; };
  if (new URL(response.url).origin !== location.origin && !liesOn(response.url, allowedHosts())) throw refuse(fail("unreachable", { kind: "redirected" }));
  if (response.status === 416) return new Blob([]);  // no byte is in range: an empty file
  if (!response.ok) throw refuse(fail("http_status", { status: String(response.status), kind: [401, 403].includes(response.status) ? "refused" : [404, 410].includes(response.status) ? "missing" : "" }));
  if (/^text\/html\b/i.test(response.headers.get("Content-Type") ?? "") && !/\.html?$/i.test(url.pathname)) throw refuse(fail("not_a_file", {}));

  const range = /^bytes 0-\d+\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "");
  // Offsets into a packed transfer would not be those of the file.
  if (!whole && response.status === 206 && range && !response.headers.get("Content-Encoding")) {
    stop.abort();
    return { url: url.href, size: Number(range[1]), etag: response.headers.get("ETag") ?? "", modified: response.headers.get("Last-Modified") ?? "" };
  }
  const megabytes = (bytes) => `${Math.ceil(bytes / 1e6)} MB`;
  const tooBig = (bytes) => refuse(fail("too_big", { needed: megabytes(bytes), limit: megabytes(limit), detail: url.host }));
  const total = response.headers.get("Content-Encoding") ? 0 : Number(response.headers.get("Content-Length") ?? 0);
  if (total > limit) throw tooBig(total);
  return download(response, { limit, total, progress, tooBig, broken: (cause) => (signal.aborted ? fail("cancelled", {}) : fail("unreachable", { kind: "broken", detail: String(cause?.message ?? cause) })) });
}

/** The body as a Blob; never more than the limit, whatever the server announced. */
async function download(response, { limit, total, progress, tooBig, broken }) {
  const reader = response.body.getReader();
  const spooled = [];
  let chunks = [], waiting = 0, bytes = 0;
  for (;;) {
    let next;
    try { next = await reader.read(); } catch (cause) { throw broken(cause); }
    if (next.done) break;
    bytes += next.value.byteLength;
    if (bytes > limit) throw tooBig(bytes);
    chunks.push(next.value);
    waiting += next.value.byteLength;
    if (waiting >= SPOOL) { spooled.push(new Blob(chunks)); chunks = []; waiting = 0; }
    progress(bytes, total);
  }
  return new Blob([...spooled, ...chunks]);
}

/** A redirect to a host that nobody agreed to is stopped by the policy, and fetch does not say so. */
function watchPolicy() {
  let seen = false;
  const note = (event) => { if (/^connect-src/.test(event.violatedDirective)) seen = true; };
  addEventListener("securitypolicyviolation", note);
  return {
    happened: () => new Promise((tell) => setTimeout(() => tell(seen), 50)),  // the event comes in a task of its own
    stop: () => setTimeout(() => removeEventListener("securitypolicyviolation", note), 100),
  };
}
