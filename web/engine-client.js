// The page's side of the engine: questions out, answers in. The engine runs in one worker that is started from a Blob
// and gets its wasm by message, so that it also starts where workers cannot load files. Where no worker starts at all,
// the page runs the same two scripts itself and reads whole files, up to 64 MB.

/**
 * @typedef {{code: string, text?: string, fix?: string, params?: Record<string, string>}} Failure
 * @typedef {{fraction: number, bytes: number, total: number, layer: number, layers: number}} Progress
 * @typedef {{json: string, blob: ArrayBuffer}} Answer
 * @typedef {{engine: string, server: string, wasm: ArrayBuffer}} Parts  the two scripts' text, the module's bytes
 */

const HELLO_MS = 4000;       // a worker that has not said a word by then never will
const PAGE_LIMIT = 64 << 20; // bytes that the page itself reads into memory
const URL_LIMIT = 4e9;

/** An error in the form of the contracts; `text` and `fix` are filled in by whoever shows it. */
export class RollscopeError extends Error {
  /** @param {Failure} failure */
  constructor(failure) {
    super(failure.text ?? failure.code);
    Object.assign(this, { name: "RollscopeError", code: failure.code, text: failure.text, fix: failure.fix, params: failure.params });
  }
}

const megabytes = (bytes) => `${Math.ceil(bytes / 1e6)} MB`;

export class Engine {
  #open = new Map();  // id to {resolve, reject, onProgress}
  #count = 0;
  #post = null;       // sends a message to wherever the engine runs
  #worker = null;
  heap = 0;

  /**
   * @param {Parts} parts
   * @param {{scripts: string[], noWorker?: boolean, onChange?: () => void, onCrash?: (failure: Failure) => void}} options
   *   scripts: addresses of the two scripts, for the page; onChange: an answer came, the heap may have grown
   */
  constructor(parts, options) {
    this.parts = parts;
    this.options = options;
    this.inPage = false;
    this.ready = this.#start();
  }

  /** Questions that have no answer yet. */
  get pending() { return this.#open.size; }
  get workers() { return this.#worker ? 1 : 0; }

  async #start() {
    if (!this.options.noWorker && await this.#startWorker()) return;
    this.inPage = true;
    await this.#startInPage();
  }

  /** @returns {Promise<boolean>} false: no worker can be had here */
  async #startWorker() {
    let worker;
    try {
      const url = URL.createObjectURL(new Blob([this.parts.engine, "\n", this.parts.server], { type: "text/javascript" }));
      worker = new Worker(url);
    } catch {
      return false;
    }
    const greeted = await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), HELLO_MS);
      worker.onmessage = () => { clearTimeout(timer); resolve(true); };
      worker.onerror = (event) => { event.preventDefault(); clearTimeout(timer); resolve(false); };
    });
    if (!greeted) { worker.terminate(); return false; }
    this.#worker = worker;
    await this.#handshake((receive) => {
      worker.onmessage = (event) => receive(event.data);
      worker.onerror = (event) => receive({ kind: "crash", reason: event.message, heap: 0 });
      this.#post = (message) => worker.postMessage(message);
    });
    return true;
  }

  async #startInPage() {
    if (!globalThis.rollscopeServe) {
      for (const address of this.options.scripts) await loadScript(address);
    }
    await this.#handshake((receive) => {
      // A timer between two steps, so that frames and input come in.
      const serve = globalThis.rollscopeServe((message) => queueMicrotask(() => receive(message)), (then) => setTimeout(then, 0));
      this.#post = serve;
    });
  }

  #handshake(connect) {
    return new Promise((resolve, reject) => {
      let ready = false;
      connect((message) => {
        this.heap = message.heap;
        if (message.kind === "ready") { ready = true; resolve(); }
        else if (message.kind === "crash") ready ? this.#crashed(message) : reject(new Error(message.reason));
        else this.#receive(message);
      });
      this.#post({ kind: "start", wasm: this.parts.wasm });
    });
  }

  #receive(message) {
    const question = this.#open.get(message.id);
    if (message.kind === "progress") { question?.onProgress?.(message.progress); return; }
    this.#open.delete(message.id);
    if (message.kind === "done") question?.resolve({ json: message.json, blob: message.blob });
    else if (message.kind === "failed") question?.reject(new RollscopeError(message.error));
    this.options.onChange?.();
  }

  /** The module is gone with its dump: what was asked fails, and a new one starts empty. */
  #crashed(message) {
    const failure = message.memory
      ? { code: "out_of_memory", params: { needed: "?" } }
      : { code: "read_failed", params: { detail: message.reason } };
    const lost = [...this.#open.values()];
    this.#open.clear();
    this.#worker?.terminate();
    this.#worker = null;
    this.ready = this.#start();
    for (const question of lost) question.reject(new RollscopeError(failure));
    this.options.onCrash?.(failure);
    this.options.onChange?.();
  }

  /** @returns {{promise: Promise<Answer>, cancel: () => void}} */
  #send(message, onProgress) {
    const id = ++this.#count;
    let cancelled = false;
    const promise = new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject, onProgress });
      this.ready.then(async () => {
        const complete = await message();
        if (cancelled) this.#receive({ kind: "failed", id, error: { code: "cancelled", params: {} } });
        else this.#post({ ...complete, id });
      }).catch((cause) => {
        const error = cause instanceof RollscopeError ? cause : { code: "read_failed", params: { detail: String(cause?.message ?? cause) } };
        this.#receive({ kind: "failed", id, error });
      });
    });
    const cancel = () => { cancelled = true; this.#post?.({ kind: "cancel", id }); };
    return { promise, cancel };
  }

  /**
   * Opens a dump beside the one that is open; only success replaces it.
   * @param {Blob | URL} source
   * @param {{name: string, assume?: Record<string, string>, item?: number}} args
   * @param {(progress: Progress) => void} [onProgress]
   */
  open(source, args, onProgress) {
    const prepare = async () => ({
      kind: "open",
      source: this.inPage ? { bytes: await wholeFile(source, args.name) } : source instanceof Blob ? { file: source } : { url: source.href, limit: URL_LIMIT },
      args: JSON.stringify(args),
    });
    return this.#send(prepare, onProgress);
  }

  /** @param {string} verb @param {string} args  a JSON object */
  ask(verb, args) {
    return this.#send(async () => ({ kind: "ask", verb, args }));
  }
}

/** Without a worker nobody can read byte ranges synchronously, so the file comes whole, or not at all. */
async function wholeFile(source, name) {
  const refuse = (size) => {
    throw new RollscopeError({ code: "too_big", params: { file: name, needed: megabytes(size), limit: megabytes(PAGE_LIMIT), detail: "no background worker can be started here, so the file is read whole" } });
  };
  try {
    if (source instanceof Blob) {
      if (source.size > PAGE_LIMIT) refuse(source.size);
      return await source.arrayBuffer();
    }
    const response = await fetch(source);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const size = Number(response.headers.get("Content-Length") ?? 0);
    if (size > PAGE_LIMIT) refuse(size);
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength > PAGE_LIMIT) refuse(bytes.byteLength);
    return bytes;
  } catch (cause) {
    if (cause instanceof RollscopeError) throw cause;
    throw new RollscopeError({ code: "read_failed", params: { file: name, detail: String(cause?.message ?? cause) } });
  }
}

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = () => reject(new Error(address));
    document.head.append(script);
  });
}
