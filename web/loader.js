// Loads the files of the page and counts their bytes, so that the bar tells the truth. Content-Length counts packed
// bytes and a stream unpacked ones, so the sizes come from the build ({{sizes}} in index.html).

export class LoadError extends Error {
  /** @param {string} file @param {string} reason */
  constructor(file, reason) {
    super(`${file}: ${reason}`);
    this.file = file;
    this.reason = reason;
  }
}

export class Loader {
  /**
   * @param {URL} base  the folder of the assets
   * @param {Record<string, number>} sizes  file to bytes, unpacked
   * @param {(fraction: number) => void} onProgress  in [0, 1], never falling
   * @param {Map<string, ArrayBuffer>} [inside]  the files themselves, where the page is one file (single.js)
   */
  constructor(base, sizes, onProgress, inside) {
    this.base = base;
    this.inside = inside;
    this.sizes = sizes;
    this.onProgress = onProgress;
    this.expected = 0;
    this.loaded = 0;
    this.fraction = 0;
  }

  /** @param {string} file  relative to the assets @returns {Promise<ArrayBuffer>} */
  async bytes(file) {
    if (this.inside) {
      if (!this.inside.has(file)) throw new LoadError(file, "not in this file");
      return this.inside.get(file);
    }
    this.expected += this.sizes[file] ?? 0;
    let response;
    try { response = await fetch(new URL(file, this.base)); } catch (cause) { throw new LoadError(file, String(cause)); }
    if (!response.ok) throw new LoadError(file, `HTTP ${response.status}`);
    try {
      const counted = response.body?.pipeThrough(new TransformStream({
        transform: (chunk, out) => { this.#count(chunk.byteLength); out.enqueue(chunk); },
      }));
      return await new Response(counted ?? response.body).arrayBuffer();
    } catch (cause) {
      throw new LoadError(file, String(cause));  // the connection broke off
    }
  }

  /** @param {string} file @returns {Promise<string>} */
  async text(file) {
    return new TextDecoder().decode(await this.bytes(file));
  }

  /** @param {string} file */
  async json(file) {
    return JSON.parse(await this.text(file));
  }

  #count(bytes) {
    this.loaded += bytes;
    const fraction = this.expected > 0 ? Math.min(1, this.loaded / this.expected) : 0;
    if (fraction > this.fraction) this.onProgress(this.fraction = fraction);
  }
}
