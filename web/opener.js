// Opening a dump, from wherever it comes: a file, a drop, an example, an address, a script. One is read at a time; the
// open one stays, and stays usable, until the new one has been read to its end.
import { RollscopeError } from "./engine-client.js";

/**
 * @typedef {import("./remote.js").RangedSource} RangedSource
 * @typedef {{name: string, text: string}} Beside  what was given beside a dump: tokens, a picture
 * @typedef {{name?: string, assume?: Record<string, string>, item?: number, beside?: Beside[], state?: object, byHand?: boolean}} OpenOptions
 *   byHand: by a visitor, who can be asked; scripts are not
 * @typedef {{name: string, source: Blob | RangedSource, assume: Record<string, string>, item: number, beside: Beside[],
 *            info: any, archive: ArrayBuffer, state: object | undefined, byHand: boolean}} OpenDump
 */

export class Opener {
  #work = null;

  /**
   * @param {{
   *   engine: () => import("./engine-client.js").Engine,
   *   reading: (name: string, cancel: () => void) => Reading,
   *   opened: (dump: OpenDump) => void | Promise<void>,
   * }} app  opened: shows it; its promise says that the first row is there
   * @typedef {{progress: (p: any) => void, partial: (row: any) => void, done: () => void}} Reading
   */
  constructor(app) {
    this.app = app;
    /** @type {OpenDump | null} */ this.current = null;
  }

  get busy() { return this.#work !== null; }

  /**
   * @param {Blob | URL | string | RangedSource} from @param {OpenOptions} [options]
   * @returns {Promise<any>} info; rejects with a RollscopeError, its `params.file` filled in. host_not_allowed carries
   *   `address`, what the visitor may agree to
   */
  async open(from, options = {}) {
    const name = options.name ?? nameOf(from);
    const stop = new AbortController();
    let job = null;
    const work = { cancel() { stop.abort(); job?.cancel(); } };
    this.#work?.cancel();
    this.#work = work;
    const card = this.app.reading(name, work.cancel);
    const { assume = {}, item = 0, beside = [] } = options;
    try {
      const source = await this.#source(from, name, stop.signal, card);
      if (stop.signal.aborted) throw new RollscopeError({ code: "cancelled", params: {} });
      const args = { name, assume, item, ...(beside.length ? { beside } : {}) };
      job = this.app.engine().open(source, args, (p) => card.progress(p), (row) => card.partial(row));
      const answer = await job.promise;
      const info = JSON.parse(answer.json);
      this.current = { name, source, assume, item, beside, info, archive: answer.blob, state: options.state, byHand: options.byHand ?? false };
    } catch (cause) {
      const error = cause instanceof RollscopeError ? cause : new RollscopeError({ code: "read_failed", params: { detail: String(cause?.message ?? cause) } });
      error.params = { file: name, ...error.params };
      throw Object.assign(error, { file: name });
    } finally {
      card.done();
      if (this.#work === work) this.#work = null;
    }
    const { current } = this;
    await this.app.opened(current);
    return current.info;
  }

  /** The bytes, or where to read them in ranges. */
  async #source(from, name, signal, card) {
    if (from instanceof Blob || (typeof from === "object" && "size" in from)) return from;
    const [{ judgeAddress }, { allowedHosts }, { reach, WHOLE_LIMIT }] = await Promise.all([import("./address.js"), import("./consent.js"), import("./remote.js")]);
    const address = judgeAddress(String(from), location.href);
    if ("refusal" in address) throw new RollscopeError({ code: "address_refused", params: { kind: address.refusal, host: address.host, link: address.link ?? "" } });
    if (!address.own && !address.hosts.every((host) => allowedHosts().includes(host))) {
      throw Object.assign(new RollscopeError({ code: "host_not_allowed", params: { host: address.url.host } }), { address });
    }
    const { inPage } = this.app.engine();
    return reach(address.url, name, {
      signal, whole: inPage, limit: inPage ? IN_PAGE_LIMIT : WHOLE_LIMIT,
      progress: (bytes, total) => card.progress({ fraction: total ? bytes / total : -1, bytes, total, layer: 0, layers: 0, kept: 0 }),
    });
  }
}
const IN_PAGE_LIMIT = 64 << 20;  // what the page itself reads into memory, as in engine-client.js

/** @param {Blob | URL | string | RangedSource} from */
export function nameOf(from) {
  if (from instanceof Blob) return /** @type {File} */ (from).name || "dump";
  const path = String(from instanceof URL || typeof from === "string" ? from : from.url).split(/[?#]/)[0];
  const last = path.slice(path.lastIndexOf("/") + 1) || path;
  try { return decodeURIComponent(last); } catch { return last; }
}
