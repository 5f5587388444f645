// Opening a dump, from wherever it comes: a file, a drop, an example, an address, a script. One is read at a time; the
// open one stays, and stays usable, until the new one has been read to its end.
import { RollscopeError } from "./engine-client.js";
import { ownUrl } from "./fragment.js";

/**
 * @typedef {{name?: string, assume?: Record<string, string>, item?: number, state?: object}} OpenOptions
 * @typedef {{name: string, source: Blob | URL, info: any, archive: ArrayBuffer, state: object | undefined}} OpenDump
 */

export class Opener {
  #job = null;

  /**
   * @param {{
   *   engine: () => import("./engine-client.js").Engine,
   *   reading: (name: string, cancel: () => void) => {progress: (p: any) => void, done: () => void},
   *   opened: (dump: OpenDump) => void | Promise<void>,
   * }} app  opened: shows it; its promise says that the first row is there
   */
  constructor(app) {
    this.app = app;
    /** @type {OpenDump | null} */ this.current = null;
  }

  get busy() { return this.#job !== null; }

  /**
   * @param {Blob | URL | string} from @param {OpenOptions} [options]
   * @returns {Promise<any>} info; rejects with a RollscopeError, its `params.file` filled in
   */
  async open(from, options = {}) {
    const name = options.name ?? nameOf(from);
    try {
      const source = from instanceof Blob ? from : ownUrl(String(from), location.href);
      if (!source) throw new RollscopeError({ code: "host_not_allowed", params: {} });
      return await this.#read(source, name, options);
    } catch (error) {
      if (error instanceof RollscopeError) error.params = { file: name, ...error.params };
      if (error && typeof error === "object") error.file = name;
      throw error;
    }
  }

  async #read(source, name, options) {
    this.#job?.cancel();
    let card = null;
    const { assume = {}, item = 0 } = options;
    const job = this.app.engine().open(source, { name, assume, item }, (progress) => card?.progress(progress));
    this.#job = job;
    card = this.app.reading(name, job.cancel);
    let answer;
    try {
      answer = await job.promise;
    } finally {
      card.done();
      if (this.#job === job) this.#job = null;
    }
    const info = JSON.parse(answer.json);
    this.current = { name, source, info, archive: answer.blob, state: options.state };
    await this.app.opened(this.current);
    return info;
  }

  /** The same file with other answers to the importer's questions. @param {Record<string, string>} assume @param {number} [item] */
  again(assume, item) {
    const { source, name } = this.current;
    return this.open(source, { name, assume, item });
  }
}

/** @param {Blob | URL | string} from */
export function nameOf(from) {
  if (from instanceof Blob) return /** @type {File} */ (from).name || "dump";
  const path = String(from).split(/[?#]/)[0];
  const last = path.slice(path.lastIndexOf("/") + 1) || path;
  try { return decodeURIComponent(last); } catch { return last; }
}
