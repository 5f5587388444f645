// The page module (src/app/page.h) as an object: text and bytes go in and out of its heap here and nowhere else.

/** @typedef {import("./host.js").Host} Host */

export class Page {
  #module;

  constructor(module, onDead) {
    this.#module = module;
    this.onDead = onDead;
    this.dead = false;  // the module has stopped: its last picture stays, nothing is asked of it any more
  }

  /**
   * @param {(options: object) => Promise<any>} factory  default export of page.mjs
   * @param {ArrayBuffer} wasm
   * @param {HTMLCanvasElement} canvas
   * @param {Host} host  what host.h calls
   * @param {(reason: string) => void} onDead
   */
  static async load(factory, wasm, canvas, host, onDead) {
    const module = await factory({ wasmBinary: wasm, locateFile: (name) => name, canvas, host, print: () => {}, printErr: (line) => console.warn(line) });
    return new Page(module, onDead);
  }

  /** Every call into the module: a trap ends the picture, not the page. */
  #call(work, otherwise) {
    if (this.dead) return otherwise;
    try {
      return work(this.#module);
    } catch (cause) {
      this.dead = true;
      console.error(cause);
      this.onDead(String(cause?.message ?? cause));
      return otherwise;
    }
  }

  #text(module, text, use) {
    const size = module.lengthBytesUTF8(text) + 1;
    const pointer = module._malloc(size);
    module.stringToUTF8(text, pointer, size);
    try { return use(pointer); } finally { module._free(pointer); }
  }

  #bytes(module, buffer, use) {
    const bytes = new Uint8Array(buffer);
    const pointer = module._malloc(bytes.length || 1);
    module.HEAPU8.set(bytes, pointer >>> 0);
    try { return use(pointer, bytes.length); } finally { module._free(pointer); }
  }

  /** @param {string} text  what a function that returns text gave @param {any} otherwise */
  #json(work, otherwise) {
    return this.#call((m) => JSON.parse(m.UTF8ToString(work(m))), otherwise);
  }

  get heap() { return this.#module.HEAPU8.length; }

  /** @returns {boolean} false: no WebGL2 */
  start() { return this.#call((m) => m._page_start(), 1) === 0; }
  resize(width, height, ratio) { this.#call((m) => m._page_resize(width, height, ratio)); }
  /** @returns {number} frames drawn so far */
  frame(now) { return this.#call((m) => m._page_frame(now), -1); }
  font(slot, buffer) { this.#call((m) => this.#bytes(m, buffer, (at, size) => m._page_font(slot, at, size))); }
  strings(language, lines) {
    this.#call((m) => this.#text(m, language, (lang) => this.#text(m, lines, (text) => m._page_strings(lang, text))));
  }
  /** @param {import("./theme.js").Theme} theme @param {boolean} touch */
  theme({ isDark, contrast, reducedMotion }, touch) {
    this.#call((m) => {
      m._page_theme(+isDark + 2 * +contrast, +reducedMotion, +touch);
    });
  }

  pointer(kind, x, y, button, pointer, modifiers) { this.#call((m) => m._page_pointer(kind, x, y, button, pointer, modifiers)); }
  wheel(x, y, dx, dy, pinch, modifiers) { this.#call((m) => m._page_wheel(x, y, dx, dy, +pinch, modifiers)); }
  gesture(x, y, factor, dx, dy) { this.#call((m) => m._page_gesture(x, y, factor, dx, dy)); }
  /** @returns {boolean} the page uses this key */
  key(key, down, modifiers) { return this.#call((m) => this.#text(m, key, (at) => m._page_key(at, +down, modifiers)), 0) === 1; }
  blur() { this.#call((m) => m._page_blur()); }

  /** @param {ArrayBuffer} archive  DumpInfo */
  dump(archive) { this.#call((m) => this.#bytes(m, archive, (at, size) => m._page_dump(at, size))); }
  /** @param {number} number @param {ArrayBuffer | null} archive @param {object | null} error */
  answer(number, archive, error) {
    if (archive) this.#call((m) => this.#bytes(m, archive, (at, size) => m._page_answer(number, at, size, 0)));
    else this.#call((m) => this.#text(m, JSON.stringify(error), (text) => m._page_answer(number, 0, 0, text)));
  }
  /** @param {string} name @param {{fraction: number, bytes: number, total: number, layer: number, layers: number}} p */
  progress(name, p) {
    this.#call((m) => this.#text(m, name, (at) => m._page_progress(at, p.fraction, p.bytes, p.total, p.layer, p.layers)));
  }
  /** @param {Uint8Array} rgb */
  picture(rgb, width, height) { this.#call((m) => this.#bytes(m, rgb.buffer, (at) => m._page_picture(at, width, height))); }
  memory(bytes) { this.#call((m) => m._page_memory(bytes)); }

  command(id, args) {
    return this.#json((m) => this.#text(m, id, (name) => this.#text(m, JSON.stringify(args ?? {}), (text) => m._page_command(name, text))), {});
  }
  commands() { return this.#json((m) => m._page_commands(), []); }
  state() { return this.#json((m) => m._page_state(), {}); }
  setState(state) { return this.#json((m) => this.#text(m, JSON.stringify(state), (text) => m._page_set_state(text)), {}); }
  stats() { return this.#json((m) => m._page_stats(), {}); }
  layout() { return this.#json((m) => m._page_layout(), {}); }
  busy() { return this.#call((m) => m._page_busy(), 0) !== 0; }

  contextLost() { this.#call((m) => m._page_context_lost()); }
  contextRestored() { this.#call((m) => m._page_context_restored()); }
}
