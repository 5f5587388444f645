// The engine's side of the conversation: takes questions, works on them in small steps, answers. Classic script text:
// behind engine.js it makes the worker (started from a Blob), and where no worker starts the page runs the same two
// files itself. Between two steps it looks at its messages, so cancelling and a newer question are seen at once.
//
// Page to engine:  {kind: "start", wasm}, {kind: "open", id, source, args}, {kind: "ask", id, verb, args},
//                  {kind: "cancel", id}.   source: {file: Blob} | {url, limit, size?, etag?, modified?} | {bytes: ArrayBuffer}; args: JSON text
// Engine to page:  {kind: "hello"}, {kind: "ready"}, {kind: "progress", id, progress}, {kind: "partial", id, partial},
//                  {kind: "done", id, json, blob}, {kind: "failed", id, error}, {kind: "crash", reason}, and after a dump
//                  took another's place {kind: "room", used, size}: bytes of memory still in use, size of the file.
//                  Each carries `heap`, the bytes of its memory.
// progress and partial: as Job::progress() and Job::partial() of src/app/session.h, progress with `kept` > 0 once the plan
// is known.
"use strict";

(function (scope) {
  const STEP_MS = 16;
  const PROGRESS_MS = 50;
  // The smaller first. A question about the open dump overtakes the reading of the next one; thumbnails wait for both.
  const PRIORITY = { view: 0, info: 0, matrix: 1, explain: 1, open: 2, preview: 2, thumbs: 3 };
  const PLAN_BYTES = 8 << 20;  // what is read in no time needs no plan
  const SAMPLE_BYTES = 20 << 20;  // the importer reads no more of stored numbers; what goes on is a text
  const BLOCK = 1 << 20;  // bytes that one request over the network brings

  /**
   * Reads byte ranges of a Blob, inside a worker. A request costs milliseconds, however little it asks for, so small
   * ones that follow each other (a text, a packed array) are served from a block.
   */
  function fileReader(file) {
    const reader = new FileReaderSync();
    const { size } = file;
    if (size === 0) reader.readAsArrayBuffer(file);  // of a file that has gone the size is 0, and reading says so
    const get = (from, to) => new Uint8Array(reader.readAsArrayBuffer(file.slice(from, to)));
    let start = 0, block = new Uint8Array(0), next = -1;  // next: where the last request ended
    return {
      size,
      read(offset, length) {
        const follows = offset === next, end = offset + length;
        next = end;
        if (offset < start || end > start + block.length) {
          if (!follows || length >= BLOCK) return get(offset, end);
          block = get(offset, Math.min(size, offset + BLOCK));
          start = offset;
        }
        return block.subarray(offset - start, end - start);
      },
    };
  }

  function memoryReader(buffer) {
    const bytes = new Uint8Array(buffer);
    return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
  }

  function failure(code, params) {
    return Object.assign(new Error(code), { failure: { code, params } });
  }

  /**
   * Reads byte ranges of a URL by synchronous requests; a server that knows no ranges gives the whole at once. What the
   * page has found out of the file (size, etag, modified; remote.js) is not asked again, and has to stay true: pieces of
   * two versions are no file. The policy of the page holds here too, so no redirect leads to another host.
   */
  function urlReader({ url, limit, size: known, etag, modified }, name) {
    const failed = (detail) => failure("read_failed", { file: name, detail });
    let version = { etag, modified };
    const get = (from, to) => {
      const request = new XMLHttpRequest();
      request.open("GET", url, false);
      request.responseType = "arraybuffer";
      request.setRequestHeader("Range", `bytes=${from}-${to - 1}`);
      try { request.send(); } catch (cause) { throw failed(String(cause.message || cause)); }
      const empty = request.status === 416 && from === 0;  // no byte is in range
      if (request.status !== 200 && request.status !== 206 && !empty) throw failed(`HTTP ${request.status}`);
      return request;
    };
    const total = (request) => Number((/\/(\d+)$/.exec(request.getResponseHeader("Content-Range") || "") || [])[1] ?? NaN);
    const versionOf = (request) => ({ etag: request.getResponseHeader("ETag") || "", modified: request.getResponseHeader("Last-Modified") || "" });
    let size = known, start = 0, block = new Uint8Array(0);
    if (size === undefined) {
      const first = get(0, BLOCK);
      if (first.status === 416) return memoryReader(new ArrayBuffer(0));
      // Offsets into a packed transfer would not be those of the file.
      if (first.status === 200 || Number.isNaN(total(first)) || first.getResponseHeader("Content-Encoding")) {
        if (first.status === 206) throw failed("Content-Range");
        return memoryReader(first.response);
      }
      size = total(first);
      version = versionOf(first);
      block = new Uint8Array(first.response);
    }
    if (size > limit) throw failure("too_big", { file: name, needed: `${Math.ceil(size / 1e6)} MB`, limit: `${Math.floor(limit / 1e6)} MB`, detail: url });
    return {
      size,
      read(offset, length) {
        if (offset < start || offset + length > start + block.length) {
          const request = get(offset, Math.min(size, offset + Math.max(length, BLOCK)));
          const now = versionOf(request);
          // A header that this answer lacks says nothing; some servers send them with some answers only.
          const differs = (one) => version[one] && now[one] && version[one] !== now[one];
          if (request.status !== 206 || total(request) !== size || differs("etag") || differs("modified")) throw failed("it has changed on the server since it was opened");
          block = new Uint8Array(request.response);
          start = offset;
        }
        return block.subarray(offset - start, offset - start + length);
      },
    };
  }

  /**
   * @param {(message: object, transfer?: Transferable[]) => void} send
   * @param {(then: () => void) => void} turn  lets messages, and in the page frames, come in between
   * @returns {(message: any) => void} what to call with each message of the page
   */
  scope.rollscopeServe = function (send, turn) {
    let module = null;
    const sources = new Map();  // number to reader
    let sourceCount = 0, currentSource = -1;
    let jobs = [];  // {id, job, verb, priority, source, told, planned, imported, trouble}
    let working = null;  // the job that is inside the module now
    let running = false, dead = false;

    const heap = () => (module ? module._rs_heap() : 0);
    const say = (message, transfer) => send(Object.assign(message, { heap: dead ? 0 : heap() }), transfer);

    function readSource(number, offset, pointer, length) {
      try {
        const { read, size } = sources.get(number);
        const bytes = read(offset, length);
        if (bytes.length !== length) throw failure("read_failed", { detail: "it became shorter while it was read" });
        module.HEAPU8.set(bytes, pointer >>> 0);  // taken anew each time: the view is lost when memory grows
        if (working && working.reads && !working.planned) importing(working, length, size);
        return 1;
      } catch (cause) {
        if (working) working.trouble = why(cause);
        return 0;
      }
    }

    /** What the browser says of a file that it cannot read, in words. */
    function why(cause) {
      if (cause && cause.failure) return cause.failure.params.detail;
      if (cause && cause.name === "NotReadableError") return "it was changed, moved or removed, or may no longer be read";
      if (cause && cause.name === "NotFoundError") return "it is no longer where it was";
      return String((cause && cause.message) || cause);
    }

    /** A text like JSON is read in one call. The page cannot be listened to meanwhile, but it can be told. */
    function importing(one, length, size) {
      one.imported += length;
      const now = performance.now();
      if (one.imported < SAMPLE_BYTES || now - one.told < PROGRESS_MS) return;
      one.told = now;
      const bytes = Math.min(one.imported, size);
      one.start = 0.9 * bytes / size;
      say({ kind: "progress", id: one.id, progress: { fraction: one.start, bytes, total: size, layer: 0, layers: 0, kept: 0 } });
    }

    async function start(wasm) {
      try {
        module = await scope.RollscopeEngine({
          wasmBinary: wasm, readSource,
          print: () => {}, printErr: (line) => console.warn(line),
        });
        say({ kind: "ready" });
      } catch (cause) {
        crash(cause);
      }
    }

    function crash(cause) {
      const reason = String((cause && cause.message) || cause);
      const memory = /memory|allocat|OOM|enlarge/i.test(reason);
      dead = true;
      jobs = [];
      say({ kind: "crash", reason, memory });
    }

    function withText(text, use) {
      const size = module.lengthBytesUTF8(text) + 1;
      const pointer = module._malloc(size);
      if (!pointer) throw failure("out_of_memory", { needed: `${size} B` });
      module.stringToUTF8(text, pointer, size);
      try { return use(pointer); } finally { module._free(pointer); }
    }

    const lastError = () => JSON.parse(module.UTF8ToString(module._rs_error()));

    /** Guards a call into the module: our own failures answer the question, anything else is the module's end. */
    function guarded(id, work) {
      try {
        work();
      } catch (cause) {
        if (cause && cause.failure) say({ kind: "failed", id, error: cause.failure });
        else if (cause instanceof DOMException) say({ kind: "failed", id, error: { code: "read_failed", params: { detail: why(cause) } } });
        else crash(cause);
      }
    }

    function begin(id, verb, job, source) {
      if (job < 0) {
        sources.delete(source);
        say({ kind: "failed", id, error: lastError() });
        return;
      }
      const reads = source >= 0;
      jobs.push({ id, job, verb, priority: PRIORITY[verb] ?? 1, source, reads, told: performance.now(), planned: false, imported: 0, start: 0, trouble: "" });
      if (!running) { running = true; turn(step); }
    }

    function open(message) {
      const { source, args } = message;
      const { name, preview } = JSON.parse(args);
      const reader = source.file ? fileReader(source.file) : source.url ? urlReader(source, name) : memoryReader(source.bytes);
      const number = sourceCount++;
      sources.set(number, reader);
      begin(message.id, preview ? "preview" : "open", withText(args, (text) => module._rs_open(number, reader.size, text)), number);
    }

    function ask(message) {
      // Of pictures only the newest is wanted.
      if (message.verb === "view") for (const old of jobs.filter((one) => one.verb === "view")) drop(old);
      const job = withText(message.verb, (verb) => withText(message.args, (args) => module._rs_ask(verb, args)));
      begin(message.id, message.verb, job, -1);
    }

    /** Takes a job off the list and lets its question end as cancelled. */
    function drop(one) {
      jobs = jobs.filter((other) => other !== one);
      module._rs_drop(one.job);
      if (one.source >= 0) sources.delete(one.source);
      say({ kind: "failed", id: one.id, error: { code: "cancelled", params: {} } });
    }

    function step() {
      if (dead) return;
      if (jobs.length === 0) { running = false; return; }
      const one = jobs.reduce((best, other) => (other.priority < best.priority ? other : best));
      guarded(one.id, () => {
        working = one;
        let state;
        try { state = module._rs_step(one.job, STEP_MS); } finally { working = null; }
        if (state === 0) progress(one);
        else if (state === 1) finish(one);
        else fail(one);
      });
      turn(step);
    }

    function progress(one) {
      const now = performance.now();
      const late = now - one.told >= PROGRESS_MS;
      if (late || (one.reads && !one.planned)) {
        const found = JSON.parse(module.UTF8ToString(module._rs_progress(one.job)));
        found.fraction = one.start + (1 - one.start) * found.fraction;
        const plan = !one.planned && found.total > 0;  // told before the first head is read
        if (plan) one.planned = true;
        if (late || (plan && found.total > PLAN_BYTES)) {
          one.told = now;
          say({ kind: "progress", id: one.id, progress: found });
        }
      }
      if (one.verb !== "open") return;
      const partial = module.UTF8ToString(module._rs_partial(one.job));
      if (partial) say({ kind: "partial", id: one.id, partial: JSON.parse(partial) });
    }

    function finish(one) {
      const json = module.UTF8ToString(module._rs_result_json(one.job));
      const size = module._rs_result_blob_size(one.job);
      const pointer = module._rs_result_blob(one.job) >>> 0;
      const blob = module.HEAPU8.slice(pointer, pointer + size).buffer;
      module._rs_drop(one.job);
      jobs = jobs.filter((other) => other !== one);
      say({ kind: "done", id: one.id, json, blob }, [blob]);
      if (!one.reads) return;
      if (one.verb === "preview" || size === 0) { sources.delete(one.source); return; }  // looked at, not opened
      // The dump has changed hands: what was asked about the old one is no longer of use, nor are its bytes.
      for (const old of jobs.filter((other) => !other.reads)) drop(old);
      sources.delete(currentSource);
      currentSource = one.source;
      say({ kind: "room", used: module._rs_used(), size: sources.get(one.source).size });
    }

    function fail(one) {
      const error = lastError();
      if (error.code === "read_failed" && one.trouble) {  // the browser knows more about it than the module
        error.params.detail = one.trouble;
        delete error.text;
      }
      module._rs_drop(one.job);
      jobs = jobs.filter((other) => other !== one);
      if (one.source >= 0) sources.delete(one.source);
      say({ kind: "failed", id: one.id, error });
    }

    return function receive(message) {
      if (dead) return;
      if (message.kind === "start") start(message.wasm);
      else if (message.kind === "open") guarded(message.id, () => open(message));
      else if (message.kind === "ask") guarded(message.id, () => ask(message));
      else if (message.kind === "cancel") {
        const one = jobs.find((other) => other.id === message.id);
        if (one) guarded(message.id, () => drop(one));
      }
    };
  };

  if (typeof WorkerGlobalScope !== "undefined" && scope instanceof WorkerGlobalScope) {
    // A message to itself is a turn without the 4 ms that nested timers are made to wait.
    const channel = new MessageChannel();
    let next = null;
    channel.port1.onmessage = () => next();
    const turn = (then) => { next = then; channel.port2.postMessage(0); };
    const receive = scope.rollscopeServe((message, transfer) => scope.postMessage(message, transfer || []), turn);
    scope.onmessage = (event) => receive(event.data);
    scope.postMessage({ kind: "hello", heap: 0 });
  }
})(typeof self === "object" ? self : globalThis);
