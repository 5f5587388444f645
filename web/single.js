// A page in one file unpacks itself: everything that the site loads stands in it, packed by xz, and so does the dump.
// Nothing is asked of any network; the policy in the page's head would not let it. A classic script, run last.
//
//   #machine   seven bits a sign (build-site.mjs, inSigns), xz of: the length of a JSON text as 8 hexadecimal digits, that text ({file: bytes}, in order),
//              then the files
//   #inside    JSON: {name, site, assume, item, beside, state, packed: "gzip" | ""}   (web/single-file.js)
//   #dump      base64 of the dump, packed as `packed` says
(function () {
  "use strict";
  const text = (id) => document.getElementById(id).textContent;
  const say = (words) => { document.getElementById("unpacking").textContent = words; };
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  function bytesOfSigns(signs) {
    const bytes = new Uint8Array(Math.floor(signs.length * 7 / 8));
    for (let at = 0, held = 0, bits = 0, next = 0; at < signs.length; ++at) {
      const code = signs.charCodeAt(at);
      held = (held << 7) | (code > 0x7f ? code - 0xa1 + 125 : code - 1 - (code > 13) - (code > 60));
      if ((bits += 7) >= 8) { bits -= 8; bytes[next++] = held >> bits; held &= (1 << bits) - 1; }
    }
    return bytes;
  }
  const collect = (stream) => new Response(stream).arrayBuffer();

  async function unpackMachine() {
    const packed = new Blob([bytesOfSigns(text("machine"))]).stream();
    const all = await collect(new self["xz-decompress"].XzReadableStream(packed));
    const decode = (from, to) => new TextDecoder().decode(new Uint8Array(all, from, to - from));
    const start = 8 + parseInt(decode(0, 8), 16);
    const files = new Map();
    let at = start;
    for (const [name, size] of Object.entries(JSON.parse(decode(8, start)))) { files.set(name, all.slice(at, at + size)); at += size; }
    return files;
  }

  async function unpackDump(inside) {
    const bytes = bytesOf(text("dump"));
    if (!inside.packed) return new Blob([bytes]);
    return new Blob([await collect(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(inside.packed)))]);
  }

  function dress(files, ...names) {
    for (const name of names) {
      const style = document.createElement("style");
      style.textContent = new TextDecoder().decode(files.get(name)).replace(/url\(([^)]+)\)/g, (_, file) => `url(${address(files, file)})`);
      document.head.append(style);
    }
  }
  function address(files, name) {
    if (!files.has(name)) return "data:,";
    return URL.createObjectURL(new Blob([files.get(name)], { type: /\.m?js$/.test(name) ? "text/javascript" : /\.txt$/.test(name) ? "text/plain;charset=utf-8" : "application/octet-stream" }));
  }

  async function start() {
    const inside = JSON.parse(text("inside"));
    const [files, dump] = await Promise.all([unpackMachine(), inside ? unpackDump(inside) : null]);
    for (const id of ["machine", "dump"]) document.getElementById(id).remove();  // their text is large, and read
    dress(files, "theme.css", "style.css");
    window.rollscopeInside = { files, address: (name) => address(files, name), dump, ...inside };
    document.getElementById("unpacking").remove();
    const script = document.createElement("script");
    script.src = address(files, "app.js");
    document.body.append(script);
  }

  const old = "This browser is too old for Rollscope. Please use a version of 2023 or later of Chrome, Edge, Firefox or Safari.";
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") { say(old); return; }
  start().catch((cause) => say(`This file is damaged: ${cause && cause.message || cause}. Ask for it again.`));
})();
