// Dumps that were given together: one is open, the others wait under its name, to be switched to at once. Nothing of
// them is held but where they lie.

/** @typedef {Pick<import("./opener.js").OpenDump, "name" | "source" | "assume" | "item" | "beside">} KeptDump */

const sameFile = (a, b) => a === b || (a instanceof File && b instanceof File && a.name === b.name && a.size === b.size && a.lastModified === b.lastModified);

export class Kept {
  static MOST = 8;
  /** @type {KeptDump[]} */ dumps = [];

  /** @param {Blob | object} source */
  has(source) { return this.dumps.some((one) => sameFile(one.source, source)); }

  /** Takes a dump in, or what has changed about it; the oldest makes room, but never the open one. @param {KeptDump} dump @param {KeptDump | null} [open] */
  keep({ name, source, assume = {}, item = 0, beside = [] }, open = null) {
    const dump = { name, source, assume, item, beside };
    const at = this.dumps.findIndex((one) => sameFile(one.source, source));
    if (at >= 0) this.dumps[at] = dump;
    else this.dumps.push(dump);
    if (this.dumps.length > Kept.MOST) this.dumps.splice(this.dumps.findIndex((one) => !open || !sameFile(one.source, open.source)), 1);
  }

  clear() { this.dumps = []; }

  /** @param {Blob | object} source */
  indexOf(source) { return this.dumps.findIndex((one) => sameFile(one.source, source)); }
}

/** Whether one file alone may be something else than a dump. @param {File} file */
export const mayStandBeside = ({ name, type }) => /\.(txt|json|tokens|png|jpe?g|webp|gif|bmp|avif)$/i.test(name) || type.startsWith("image/");
