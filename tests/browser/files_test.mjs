// Files that are chosen, dropped or pasted, alone and together; what a dump leaves open; tokens that come later.
import { utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { npy } from "./support/big_dump.mjs";
import { choose, explain, openName, openSite, settled } from "./support/open.mjs";

const third = (n = 3) => npy([2, 1, n, n], new Float32Array(2 * n * n).fill(1 / n));
const bare = () => npy([4, 3, 3], [0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.3, 0.3, 0.4].flatMap((_, i, one) => one).concat(...Array(3).fill([0.2, 0.2, 0.6, 0.5, 0.25, 0.25, 0.1, 0.1, 0.8])));
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const opened = (page, name) => page.waitForFunction((wanted) => document.getElementById("file-name").textContent === wanted, name);
const chooseAll = (page, files) => page.setInputFiles("#file-input", files.map(([name, buffer]) => ({ name, buffer: Buffer.from(buffer), mimeType: "" })));
const tokens = (page) => page.evaluate(async () => { const { tokens: all } = await window.rollscope.info(); return Object.values(all)[0].keys.map((one) => one.raw); });
const hasTokens = (page, wanted) => page.waitForFunction(async (list) => {
  const { tokens: all } = await window.rollscope.info();
  return JSON.stringify(Object.values(all)[0].keys.map((one) => one.raw)) === JSON.stringify(list);
}, wanted);

/** A drop of files, and of folders as {name: {file: bytes}}. */
const drop = (page, files, folders = {}) => page.evaluate(([list, dirs]) => {
  const made = list.map(([name, bytes]) => new File([Uint8Array.from(bytes)], name));
  const transfer = new DataTransfer();
  for (const file of made) transfer.items.add(file);
  const target = document.getElementById("canvas");
  for (const type of ["dragenter", "dragover"]) target.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  if (Object.keys(dirs).length > 0) {
    // Folders cannot be made by a script; this is what a browser hands over for one.
    const entry = ([name, inside]) => {
      let left = [Object.entries(inside).map(([one, bytes]) => ({ isFile: true, name: one, file: (done) => done(new File([Uint8Array.from(bytes)], one)) })), []];
      return { kind: "file", webkitGetAsEntry: () => ({ isDirectory: true, name, createReader: () => ({ readEntries: (done) => done(left.shift()) }) }), getAsFile: () => null };
    };
    const items = [...made.map((file) => ({ kind: "file", webkitGetAsEntry: () => ({ isDirectory: false }), getAsFile: () => file })), ...Object.entries(dirs).map(entry)];
    Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items } });
  }
  target.dispatchEvent(event);
}, [files.map(([name, buffer]) => [name, [...buffer]]), Object.fromEntries(Object.entries(folders).map(([name, inside]) => [name, Object.fromEntries(Object.entries(inside).map(([one, buffer]) => [one, [...buffer]]))]))]);

const paste = (page, text, files = []) => page.evaluate(([words, list]) => {
  const data = new DataTransfer();
  if (words) data.setData("text/plain", words);
  for (const [name, bytes] of list) data.items.add(new File([Uint8Array.from(bytes)], name));
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}, [text, files.map(([name, buffer]) => [name, [...buffer]])]);

export default [
  {
    name: "of two dumps the first opens and the other is kept under its name, to be switched to",
    async run(ctx) {
      const page = await openSite(ctx);
      await drop(page, [["one.npy", third()], ["two.npy", third(4)]]);
      await opened(page, "one.npy");
      await page.waitForSelector("#kept-button:not([hidden])");
      ctx.assert.match(await page.textContent("#notices"), /one\.npy is open\. Kept for comparison: two\.npy/);
      ctx.assert.equal(await page.textContent("#kept-button"), "1 of 2 files");
      await page.click("#kept-button");
      ctx.assert.deepEqual(await page.$$eval(".menu .menu-text", (all) => all.map((one) => one.textContent)), ["one.npy", "two.npy"]);
      await ctx.picture(page, "kept");
      await page.click(".menu button:has-text('two.npy')");
      await opened(page, "two.npy");
      ctx.assert.equal(await page.textContent("#kept-button"), "2 of 2 files");
      ctx.assert.equal((await explain(page, { row: 0 })).matrix[0].length, 4);
    },
  },
  {
    name: "a dump, its tokens and its picture come together",
    async run(ctx) {
      const page = await openSite(ctx);
      await chooseAll(page, [["tokens.txt", "the\ncat\nsat\n"], ["picture.png", PNG], ["dump.npy", third()]]);
      await opened(page, "dump.npy");
      ctx.assert.deepEqual(await tokens(page), ["the", "cat", "sat"]);
      ctx.assert.equal(await page.isVisible("#kept-button"), false, "one dump needs no menu");
    },
  },
  {
    name: "tokens that are dropped later are taken into the open dump, and can be taken back",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, { name: "dump.npy", buffer: third() });
      await opened(page, "dump.npy");
      await drop(page, [["tokens.json", Buffer.from('["a", "b", "c"]')]]);
      await hasTokens(page, ["a", "b", "c"]);
      ctx.assert.equal(await openName(page), "dump.npy");
      await page.waitForFunction(() => /3 tokens of tokens\.json are used for dump\.npy/.test(document.getElementById("notices").textContent));
      await page.click(".notice button.link");
      await hasTokens(page, ["", "", ""]);
    },
  },
  {
    name: "tokens are pasted from the report, as Python prints them",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, { name: "dump.npy", buffer: third() });
      await opened(page, "dump.npy");
      await page.click("#report-button");
      await page.click("dialog button:has-text('Paste tokens')");
      await page.fill("#tokens-text", "['[CLS]', 'cat']");
      ctx.assert.match(await page.textContent("#tokens-hint"), /2 tokens for 3 positions/);
      await page.fill("#tokens-text", "['[CLS]', 'cat', '##s']");
      ctx.assert.match(await page.textContent("#tokens-hint"), /one for each position/);
      await ctx.picture(page, "paste_tokens");
      await page.click("dialog button.primary");
      await hasTokens(page, ["[CLS]", "cat", "##s"]);
    },
  },
  {
    name: "Ctrl+V opens numbers, asks about words, and leaves text fields alone",
    async run(ctx) {
      const page = await openSite(ctx);
      await paste(page, "[[[[0.5, 0.5], [0.1, 0.9]]], [[[0.5, 0.5], [0.2, 0.8]]]]");
      await opened(page, "pasted");
      ctx.assert.equal((await explain(page, { row: 0 })).matrix[0].length, 2);
      await paste(page, "the cat");
      await page.waitForSelector("dialog #open-text");
      ctx.assert.match(await page.textContent("#open-hint"), /2 tokens for pasted/);
      await page.click("dialog button:has-text('Use as tokens')");
      await hasTokens(page, ["the", "cat"]);
      await paste(page, "", [["file.npy", third()]]);
      await opened(page, "file.npy");
      await page.click("#open-button");
      await page.focus("#open-text");
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData("text/plain", "[[[[1]]]]");
        document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      });
      ctx.assert.equal(await openName(page), "file.npy");
    },
  },
  {
    name: "what a file leaves open is asked once, with a picture of each reading",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, { name: "layer6.npy", buffer: bare() });
      await page.waitForSelector("dialog .readings");
      const text = await page.textContent("dialog");
      ctx.assert.match(text, /layer6\.npy is open\. One thing to check/);
      ctx.assert.match(text, /4 × 3 × 3 numbers\. They were read as 4 layers; they may be 4 heads of one layer/);
      await page.waitForFunction(() => [...document.querySelectorAll(".reading-picture canvas")].filter((one) => one.width > 50).length === 2);
      const pixels = await page.$$eval(".reading-picture canvas", (all) => all.map((one) => one.toDataURL()));
      ctx.assert.notEqual(pixels[0], pixels[1], "the two readings give two pictures");
      ctx.assert.equal(await page.textContent("dialog button.primary"), "Keep as layers");
      ctx.assert.equal((await page.evaluate(() => window.rollscope.info())).streams[0].layers, 4, "the picture of the other reading has not replaced the dump");
      await ctx.picture(page, "question");
      await page.check("dialog input[value=other]");
      ctx.assert.equal(await page.textContent("dialog button.primary"), "Read as heads");
      await page.click("dialog button.primary");
      await page.waitForFunction(async () => (await window.rollscope.info()).streams[0].heads === 4);
      // Asked once: the same file again opens without a word, and the report still offers the other reading.
      await choose(page, { name: "layer6.npy", buffer: bare() });
      await page.waitForFunction(async () => (await window.rollscope.info()).streams[0].layers === 4);
      await settled(page);
      ctx.assert.equal(await page.locator("dialog").count(), 0);
      await page.click("#report-button");
      await page.waitForSelector("dialog button.link:has-text('heads of one layer')");
    },
  },
  {
    name: "scripts are not asked; they find the question in the report",
    async run(ctx) {
      const page = await openSite(ctx);
      const codes = await page.evaluate(async (bytes) => {
        const info = await window.rollscope.open(new File([Uint8Array.from(bytes)], "s.npy"));
        await window.rollscope.idle();
        return info.report.map((item) => item.code);
      }, [...bare()]);
      ctx.assert.ok(codes.includes("ambiguous_axes"));
      ctx.assert.equal(await page.locator("dialog").count(), 0);
    },
  },
  {
    name: "a folder with few files is opened like these, one with many is said",
    async run(ctx) {
      const page = await openSite(ctx);
      await drop(page, [], { run1: { ".DS_Store": Buffer.alloc(4), "dump.npy": third(), "tokens.txt": Buffer.from("a\nb\nc\n") } });
      await opened(page, "dump.npy");
      ctx.assert.deepEqual(await tokens(page), ["a", "b", "c"]);
      await drop(page, [], { photos: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.npy`, Buffer.alloc(1)])) });
      await page.waitForFunction(() => /photos holds many files/.test(document.getElementById("notices").textContent));
      await drop(page, [], { nothing: {} });
      await page.waitForFunction(() => /nothing holds no file/.test(document.getElementById("notices").textContent));
      ctx.assert.equal(await openName(page), "dump.npy");
    },
  },
  {
    name: "an empty file, and text or a picture without a dump to go with, are told",
    async run(ctx) {
      const page = await openSite(ctx);
      await drop(page, [["nothing.npy", Buffer.alloc(0)]]);
      await page.waitForSelector("dialog");
      ctx.assert.equal(await page.textContent("dialog .dialog-note code"), "empty");
      await page.keyboard.press("Escape");
      await drop(page, [["broken.png", PNG.subarray(0, 20)]]);
      await page.waitForFunction(() => /broken\.png is not a picture/.test(document.getElementById("notices").textContent));
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
    },
  },
  {
    name: "a file that changes while it is read is an error with its name, and the open dump stays",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      const file = path.join(ctx.scratch, "growing.npy");
      const n = 1024;
      writeFileSync(file, npy([8, 8, n, n], new Float32Array(64 * n * n).fill(1 / n)));  // 268 MB: read for a while
      await choose(page, file);
      await page.waitForFunction(() => /[1-9]\d* of \d+ MB/.test(document.getElementById("reading").textContent));
      utimesSync(file, new Date(), new Date(Date.now() + 60_000));
      await page.waitForSelector("dialog");
      ctx.assert.equal(await page.textContent("dialog .dialog-note code"), "read_failed");
      ctx.assert.match(await page.textContent("dialog h2"), /growing\.npy/);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
      ctx.assert.equal((await explain(page, { row: 0 })).matrix[0].length, 13);
    },
  },
  {
    name: "open says in words what it takes, and takes tokens beside a dump",
    async run(ctx) {
      const page = await openSite(ctx);
      const attempt = (...args) => page.evaluate(([source, options]) => window.rollscope.open(source, options).then(() => null, ({ code, text, fix }) => ({ code, text, fix })), args);
      for (const [args, words] of [[[5], /takes a File, a Blob or an address, not 5/], [[null], /not null/], [[{}], /not \{\}/], [[""], /address/],
        [["a.npz", { assume: 3 }], /assume/], [["a.npz", { item: -1 }], /item/], [["a.npz", { tokens: [1] }], /tokens/], [["a.npz", { beside: [{}] }], /beside/]]) {
        const failure = await attempt(...args);
        ctx.assert.equal(failure?.code, "usage", JSON.stringify(args));
        ctx.assert.match(failure.text, words);
        ctx.assert.ok(failure.fix.length > 10);
      }
      const raw = await page.evaluate(async (bytes) => {
        const info = await window.rollscope.open(new File([Uint8Array.from(bytes)], "t.npy"), { tokens: ["x", "y", "z"] });
        return Object.values(info.tokens)[0].keys.map((one) => one.raw);
      }, [...third()]);
      ctx.assert.deepEqual(raw, ["x", "y", "z"]);
    },
  },
];
