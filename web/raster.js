// Draws token labels with the browser's own text engine: every script, right to left, emoji, without shipping fonts.
// A whole label at a time, never glyph by glyph, so that shaping is right. Called by src/platform/host_web.cpp.

const FAMILY = '"IBM Plex Sans", "IBM Plex Sans JP", system-ui, "Noto Sans", "Hiragino Sans", "Yu Gothic", sans-serif';

/** The isolates keep a Hebrew token from reordering what stands beside it. @param {string} text */
const isolated = (text) => `\u2068${text}\u2069`;

export class Raster {
  #context = null;

  #surface(width, height) {
    if (!this.#context) {
      const canvas = typeof OffscreenCanvas === "function" ? new OffscreenCanvas(1, 1) : document.createElement("canvas");
      this.#context = canvas.getContext("2d", { willReadFrequently: true });
    }
    const { canvas } = this.#context;
    if (canvas.width < width || canvas.height < height) {
      canvas.width = Math.max(canvas.width, width);
      canvas.height = Math.max(canvas.height, height);
    }
    return this.#context;
  }

  #font(context, px, bold) {
    context.font = `${bold ? 600 : 400} ${px}px ${FAMILY}`;
  }

  /** @param {string} text @param {number} px @param {boolean} bold @returns {number} advance, in the unit of px */
  measure(text, px, bold) {
    const context = this.#surface(1, 1);
    this.#font(context, px, bold);
    return context.measureText(isolated(text)).width;
  }

  /**
   * @param {string} text
   * @param {{px: number, bold: boolean, x: number, y: number, w: number, h: number}} slot  device pixels in the image
   * @param {Uint8Array} rgba  [height][width][4], premultiplied; only the slot is overwritten
   * @param {number} width  of the image
   */
  draw(text, { px, bold, x, y, w, h }, rgba, width) {
    const context = this.#surface(w, h);
    context.clearRect(0, 0, w, h);
    this.#font(context, px, bold);
    context.fillStyle = "#fff";
    context.textBaseline = "alphabetic";
    const size = context.measureText(isolated(text));
    const ascent = size.fontBoundingBoxAscent ?? px, descent = size.fontBoundingBoxDescent ?? px * 0.25;
    const left = Math.max(0, (w - size.width) / 2);
    context.fillText(isolated(text), left, Math.round((h - ascent - descent) / 2 + ascent));
    const { data } = context.getImageData(0, 0, w, h);
    for (let row = 0; row < h; ++row) {
      let to = ((y + row) * width + x) * 4;
      for (let from = row * w * 4, end = from + w * 4; from < end; from += 4, to += 4) {
        const alpha = data[from + 3];
        rgba[to] = (data[from] * alpha + 127) / 255;
        rgba[to + 1] = (data[from + 1] * alpha + 127) / 255;
        rgba[to + 2] = (data[from + 2] * alpha + 127) / 255;
        rgba[to + 3] = alpha;
      }
    }
  }
}
