// The page's side of the engine: questions out, answers in. The engine runs in one worker that is started from a Blob
// and gets its wasm by message, so that it also starts where workers cannot load files. Where no worker starts at all,
// the page runs the same two scripts itself and reads whole files, up to 64 MB.
//
// The worker hears nothing while it is inside one call (a JSON text is parsed in one), and its memory never shrinks. So it
// may be ended and started anew at any time: the dump that is open is then read again, and every question that has no
// answer yet is asked again. Whoever asked notices nothing but the time.

/**
 * @typedef {{code: string, text?: string, fix?: string, params?: Record<string, string>}} Failure
 * @typedef {{fraction: number, bytes: number, total: number, layer: number, layers: number, kept: number, silent?: boolean}} Progress
 *   kept > 0: the plan is known: `total` bytes will be read, `kept` of memory stay taken once heads are fused.
 *   silent: nothing was heard for 20 s; whoever waits may offer to stop
 * @typedef {{stream: string, query: number, layers: number, of: number, tokens: string[], weights: number[]}} Partial
 *   one row through the first `layers` of `of` layers; a cross stream alone: the raw row of the newest layer
 * @typedef {{json: string, blob: ArrayBuffer}} Answer
 * @typedef {{name: string, assume?: Record<string, string>, item?: number, describe?: boolean, preview?: boolean,
 *            beside?: {name: string, text: string}[]}} OpenArgs  as Session::open (src/app/session.h)
 * @typedef {Blob | URL | import("./remote.js").RangedSource} Source  a URL is on the page's own host
 * @typedef {{engine: string, server: string, wasm: ArrayBuffer}} Parts  the two scripts' text, the module's bytes
 */

const HELLO_MS = 4000;       // a worker that has not said a word by then never will
const PAGE_LIMIT = 64 << 20; // bytes that the page itself reads into memory
const URL_LIMIT = 4e9;
const CANCEL_MS = 200;       // a cancelled opening that has not ended by then is inside one long call; over within 300
const SILENT_MS = 20_000;
const LARGE_HEAP = 40 << 20; // worth giving back
const SMALL_FILE = 32 << 20; // read again in no time

/** An error in the form of the contracts; `text` and `fix` are filled in by whoever shows it. */
export class RollscopeError extends Error {
  /** @param {Failure} failure */
  constructor(failure) {
    super(failure.text ?? failure.code);
    Object.assign(this, { name: "RollscopeError", code: failure.code, text: failure.text, fix: failure.fix, params: failure.params });
  }
}

const megabytes = (bytes) => `${Math.ceil(bytes / 1e6)} MB`;

/**
 * A question that has no answer yet.
 * @typedef {{
 *   prepare: () => Promise<object>,   the message, but for its number
 *   resolve: (answer: Answer) => void, reject: (error: RollscopeError) => void,
 *   onProgress?: (progress: Progress) => void, onPartial?: (partial: Partial) => void,
 *   reads?: boolean,                                 reads a file
 *   opens?: {source: Source, args: OpenArgs},   what is open once it is answered (with a blob)
 *   cancelled: boolean, timer: any, last: Progress,
 * }} Question
 */

export class Engine {
  /** @type {Map<number, Question>} */
  #open = new Map();
  #count = 0;
  #post = null;       // sends a message to wherever the engine runs
  #worker = null;
  #current = null;    // {source, args} of the dump that is open
  #restoring = false; // that dump is being read again
  #restarting = false;
  #growing = false;   // the whole engine is on its way
  heap = 0;

  /**
   * @param {Parts} parts
   * @param {{scripts: string[], more?: () => Promise<{parts: Parts, scripts: string[]}>, noWorker?: boolean, onChange?: () => void, onCrash?: (failure: Failure) => void}} options
   *   scripts: addresses of the two scripts, for the page; more: the whole engine, where `parts` is the small one; onChange: an answer came, the heap may have grown; onCrash: no dump is open any more
   */
  constructor(parts, options) {
    this.parts = parts;
    this.options = options;
    this.inPage = false;
    this.ready = this.#start();
  }

  /** Questions that have no answer yet. */
  get pending() { return this.#open.size + (this.#restarting || this.#growing ? 1 : 0); }
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
      const heard = (message) => { if (worker === this.#worker) receive(message); };  // what was on its way when it was ended is void
      worker.onmessage = (event) => heard(event.data);
      worker.onerror = (event) => heard({ kind: "crash", reason: event.message, heap: 0 });
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
    if (message.kind === "room") { this.#shrink(message); return; }
    const question = this.#open.get(message.id);
    if (!question) return;
    if (message.kind === "progress") {
      question.last = message.progress;
      this.#listenFor(question);
      question.onProgress?.(message.progress);
      return;
    }
    if (message.kind === "partial") { question.onPartial?.(message.partial); return; }
    if (message.error?.code === "more_needed" && this.options.more) { this.#grow(); return; }  // asked again by the whole engine
    clearTimeout(question.timer);
    this.#open.delete(message.id);
    if (message.kind === "done") {
      if (question.opens && message.blob.byteLength > 0) this.#current = question.opens;
      question.resolve({ json: message.json, blob: message.blob });
    } else {
      question.reject(new RollscopeError(message.error));
    }
    this.options.onChange?.();
  }

  /** Says so when an opening gives no sign of life. It is never ended unasked: a slow disk is no failure. */
  #listenFor(question) {
    if (!question.onProgress || question.cancelled) return;
    clearTimeout(question.timer);
    question.timer = setTimeout(() => question.onProgress({ ...question.last, silent: true }), SILENT_MS);
  }

  /** The module is gone with its dump: what was asked fails. The dump is read again, unless that was what ended it. */
  #crashed(message) {
    const failure = message.memory
      ? { code: "out_of_memory", params: { needed: "?" } }
      : { code: "read_failed", params: { detail: message.reason } };
    const told = this.#restoring;  // by #restore, which fails now
    if (told) this.#current = null;
    for (const id of [...this.#open.keys()]) this.#receive({ kind: "failed", id, error: failure });
    this.#restart();
    if (!this.#current && !told) this.options.onCrash?.(failure);
    this.options.onChange?.();
  }

  /** A new worker in place of this one, with the same dump; what was not cancelled is asked again. */
  #restart() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#post = null;
    this.heap = 0;
    for (const [id, question] of this.#open) if (question.cancelled) this.#receive(cancelledAnswer(id));
    const again = [...this.#open.keys()];
    this.#restarting = true;
    const ready = this.#start().then(() => this.#restore());
    this.ready = ready;
    ready.then(() => { for (const id of again) this.#deliver(id); }, (cause) => { for (const id of again) this.#receive(failedAnswer(id, cause)); })
      .finally(() => { this.#restarting = this.ready !== ready; this.options.onChange?.(); });
  }

  /** The small engine has met what it cannot do: the whole one takes its place, with the same dump and questions. */
  #grow() {
    if (this.#growing) return;
    this.#growing = true;
    this.options.more().then(({ parts, scripts }) => {
      this.parts = parts;
      this.options = { ...this.options, scripts, more: undefined };
      globalThis.rollscopeServe = undefined;
      this.#restart();
    }, () => {
      this.options.more = undefined;  // no network: the questions fail with what the engine said
      for (const id of [...this.#open.keys()]) this.#receive({ kind: "failed", id, error: { code: "more_needed", params: {} } });
    }).finally(() => { this.#growing = false; });
  }

  async #restore() {
    if (!this.#current) return;
    this.#restoring = true;
    try {
      const { source, args } = this.#current;
      await new Promise((resolve, reject) => {
        const id = ++this.#count;
        this.#open.set(id, { prepare: () => this.#opening(source, args), resolve, reject, cancelled: false, timer: 0, last: NOTHING_READ });
        this.#deliver(id);
      });
    } catch (error) {
      // Its file has gone, or it is what the module dies of.
      this.#current = null;
      this.options.onCrash?.(error);
    } finally {
      this.#restoring = false;
    }
  }

  /** wasm memory never shrinks: when little of it is still in use, a new worker gives the rest back. */
  #shrink({ heap, used, size }) {
    const busy = [...this.#open.values()].some((question) => question.opens);
    if (this.#worker && this.#current && !busy && heap > LARGE_HEAP && used * 4 < heap && size < SMALL_FILE) this.#restart();
  }

  async #deliver(id) {
    const question = this.#open.get(id);
    if (!question) return;
    try {
      const message = await question.prepare();
      if (question.cancelled) { this.#receive(cancelledAnswer(id)); return; }
      if (!this.#post) return;  // ended meanwhile: the next start asks it again
      this.#post({ ...message, id });
      this.#listenFor(question);
    } catch (cause) {
      this.#receive(failedAnswer(id, cause));
    }
  }

  /** @returns {{promise: Promise<Answer>, cancel: () => void}} */
  #send(prepare, more = {}) {
    const id = ++this.#count;
    /** @type {Question} */ let question;
    const promise = new Promise((resolve, reject) => {
      question = { prepare, resolve, reject, cancelled: false, timer: 0, last: NOTHING_READ, ...more };
      this.#open.set(id, question);
    });
    let posted = false;
    const cancel = () => {
      if (question.cancelled || !this.#open.has(id)) return;
      question.cancelled = true;
      clearTimeout(question.timer);
      if (!posted || !this.#post) { this.#receive(cancelledAnswer(id)); return; }
      this.#post({ kind: "cancel", id });
      if (question.reads && this.#worker) question.timer = setTimeout(() => this.#restart(), CANCEL_MS);
    };
    this.ready.then(() => { posted = true; return this.#deliver(id); }, (cause) => this.#receive(failedAnswer(id, cause)));
    return { promise, cancel };
  }

  async #opening(source, args) {
    return {
      kind: "open",
      source: this.inPage ? { bytes: await wholeFile(source, args.name) } : source instanceof Blob ? { file: source } : { limit: URL_LIMIT, ...(source instanceof URL ? { url: source.href } : source) },
      args: JSON.stringify(args),
    };
  }

  /**
   * Opens a dump beside the one that is open; only success replaces it. With `args.preview` nothing is replaced, and the
   * answer's blob is one matrix (session.h).
   * @param {Source} source
   * @param {OpenArgs} args
   * @param {(progress: Progress) => void} [onProgress]
   * @param {(partial: Partial) => void} [onPartial]  while reading, after each layer of the stream that is shown first
   */
  open(source, args, onProgress, onPartial) {
    return this.#send(() => this.#opening(source, args), { onProgress, onPartial, opens: args.preview ? undefined : { source, args }, reads: true });
  }

  /** @param {string} verb @param {string} args  a JSON object */
  ask(verb, args) {
    return this.#send(async () => ({ kind: "ask", verb, args }));
  }
}

const NOTHING_READ = { fraction: 0, bytes: 0, total: 0, layer: 0, layers: 0, kept: 0 };
const cancelledAnswer = (id) => ({ kind: "failed", id, error: { code: "cancelled", params: {} } });
const failedAnswer = (id, cause) => ({
  kind: "failed", id,
  error: cause instanceof RollscopeError ? cause : { code: "read_failed", params: { detail: String(cause?.message ?? cause) } },
});

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
    const response = await fetch(source instanceof URL ? source : source.url);
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
