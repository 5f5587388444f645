// Big files: read in slices by the worker, cancelled at once, and refused with reason where only the page can read.
import { appendFileSync, copyFileSync, rmSync, statSync, truncateSync, writeFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { npy, writeBigDump, writeDeflatedDump } from "./support/big_dump.mjs";
import { choose, explain, openName, openSite, settled, withoutWorkers } from "./support/open.mjs";

let big = null;  // written once for the tests of this file
function bigDump(ctx) {
  const file = path.join(ctx.scratch, "big.npy");
  big ??= writeBigDump(file);
  return { file, ...big };
}

const HEAP_LIMIT = 160e6;

/** Bytes of all wasm memories, which never shrink while their module lives. */
const heapBytes = (page) => page.evaluate(async () => (await window.rollscope.stats()).heapBytes);

/** Keeps what the engine says while it reads, in `window.said`; every worker that is started counts in `window.started`. */
const listening = () => {
  window.said = []; window.started = 0; window.worker = null;
  const Plain = Worker;
  window.Worker = class extends Plain {
    constructor(...args) {
      super(...args);
      ++window.started;
      window.worker = this;
      this.addEventListener("message", ({ data }) => { if (data.kind === "progress" || data.kind === "partial") window.said.push(data); });
    }
  };
};

const show = (page, matrix) => page.evaluate(async (wish) => {
  const state = await window.rollscope.state();
  await window.rollscope.setState({ ...state, view: "matrix", ...wish, matrix: { ...state.matrix, ...wish.matrix } });
  await window.rollscope.idle();
}, matrix);

export default [
  {
    name: "604 MB open through the worker, one row is right, memory stays small",
    timeout: 180_000,
    async run(ctx) {
      const { file, n, row } = bigDump(ctx);
      ctx.assert.ok(statSync(file).size > 600e6);
      const page = await openSite(ctx);
      await choose(page, file);
      await page.waitForFunction(() => /[1-9]\d* of 604 MB/.test(document.getElementById("reading").textContent));
      ctx.assert.match(await page.textContent("#reading"), /604 MB to read; [1-9]\d* MB kept after head fusion/);
      await page.waitForFunction(() => /Row of .+ through layers 1–[2-9]\d* of 12/.test(document.querySelector("#reading figcaption")?.textContent));
      ctx.assert.match(await page.textContent("#reading .partial ol"), /\d\.\d%/);
      await ctx.picture(page, "reading");
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "big.npy", null, { timeout: 120_000 });
      const query = 700;
      const answer = await explain(page, { row: query });
      const wanted = row(query);
      ctx.assert.equal(answer.matrix[0].length, n);
      const off = Math.max(...answer.matrix[0].map((value, j) => Math.abs(value - wanted[j])));
      ctx.assert.ok(off < 1e-5, `off by ${off}`);
      await settled(page);
      const stats = await page.evaluate(() => window.rollscope.stats());
      console.log(`     heap ${(stats.heapBytes / 1e6).toFixed(0)} MB, ${stats.workers} worker`);
      ctx.assert.equal(stats.workers, 1);
      ctx.assert.ok(stats.heapBytes <= HEAP_LIMIT, `${stats.heapBytes} bytes`);
      ctx.assert.deepEqual(await page.evaluate(() => window.violations), []);

      await choose(page, path.join(ctx.top, "tests/dumps/minilm_cat.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz");
      await settled(page);
      const after = await heapBytes(page);
      console.log(`     with a small dump after it ${(after / 1e6).toFixed(0)} MB`);
      ctx.assert.ok(after < 60e6, `${after} bytes: the memory of the large dump is given back`);
      ctx.assert.ok(Math.abs((await explain(page, { row: 8 })).matrix[0][2] - 0.0253) < 1e-4);
    },
  },
  {
    name: "604 MB deflated: the plan, a row after each layer, heads and all rows within the same memory",
    timeout: 240_000,
    async run(ctx) {
      const file = path.join(ctx.scratch, "packed.npz");
      const { n, row } = writeDeflatedDump(file);
      ctx.assert.ok(statSync(file).size < 50e6);
      const page = await openSite(ctx, { init: listening });
      await page.evaluate(() => { window.said = []; });
      await choose(page, file);
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "packed.npz", null, { timeout: 120_000 });
      await settled(page);
      const said = await page.evaluate(() => window.said);
      const [plan] = said;
      ctx.assert.equal(plan.kind, "progress");
      ctx.assert.deepEqual([plan.progress.bytes, plan.progress.total, plan.progress.kept], [0, 604e6 - 20224, 12 * 1024 * 1024 * 4]);
      const partials = said.filter((message) => message.kind === "partial").map((message) => message.partial);
      ctx.assert.deepEqual(partials.slice(0, 11).map((one) => one.layers), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      const third = await explain(page, { row: partials[2].query, layers: [0, 3] });
      ctx.assert.ok(Math.max(...third.matrix[0].map((value, j) => Math.abs(value - partials[2].weights[j]))) < 1e-7);
      const wanted = row(700), found = (await explain(page, { row: 700 })).matrix[0];
      ctx.assert.ok(Math.max(...found.map((value, j) => Math.abs(value - wanted[j]))) < 1e-6);
      ctx.assert.equal(found.length, n);
      const opened = await heapBytes(page);
      await show(page, { matrix: { kind: "result" } });
      const result = await heapBytes(page);
      await show(page, { matrix: { kind: "head", layer: 11, head: 11 } });
      await show(page, { matrix: { kind: "head", layer: 0, head: 3 } });
      const heads = await heapBytes(page);
      console.log(`     heaps: opened ${(opened / 1e6).toFixed(0)}, all rows ${(result / 1e6).toFixed(0)}, heads ${(heads / 1e6).toFixed(0)} MB`);
      ctx.assert.ok(heads <= HEAP_LIMIT, `${heads} bytes`);
      rmSync(file);
    },
  },
  {
    name: "a text of 100 MB, read in one call, is cancelled by a new start, and the open dump stays",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx, { init: listening });
      const before = await explain(page, { row: 0 });
      const { took, code, told, started } = await page.evaluate(async () => {
        const line = `[${Array(512).fill("0.001953125").join(",")}]`, head = `[${Array(512).fill(line).join(",")}]`;
        const file = new File(['{"attentions": [[', head, ...Array(31).fill(`,${head}`), "]]}"], "long.json");
        if (file.size < 95e6) throw new Error(`${file.size} bytes`);
        const first = window.started;
        window.said = [];
        const opening = window.rollscope.open(file).then(() => "opened", ({ code }) => code);
        const card = document.getElementById("reading");
        while (card.hidden || window.said.length === 0) await new Promise((done) => setTimeout(done, 5));
        const start = performance.now();
        card.querySelector("button").click();
        const code = await opening;
        const took = performance.now() - start;
        return { took, code, told: window.said.filter(({ kind }) => kind === "progress").length, started: window.started - first };
      });
      console.log(`     cancelled after ${took.toFixed(0)} ms; ${told} times told how far it was, ${started} worker started anew`);
      ctx.assert.equal(code, "cancelled");
      ctx.assert.ok(told > 0);
      ctx.assert.ok(took < 400, `${took} ms`);
      ctx.assert.equal(started, 1, "it was inside the call");
      ctx.assert.deepEqual((await explain(page, { row: 0 })).matrix, before.matrix);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
      ctx.assert.equal(await page.locator("dialog").count(), 0);
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.stats())).workers, 1);
    },
  },
  {
    name: "when the engine breaks down, the dump is there again and answers what is asked next",
    async run(ctx) {
      const page = await openSite(ctx, { init: listening });
      const before = await explain(page, { row: 0 });
      const started = await page.evaluate(() => window.started);
      const lost = await page.evaluate(async () => {
        const asked = window.rollscope.explain({ row: 1 }).then(() => "answered", ({ code }) => code);
        await Promise.resolve();
        window.worker.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
        return asked;
      });
      ctx.assert.ok(["read_failed", "answered"].includes(lost), lost);
      ctx.assert.deepEqual((await explain(page, { row: 0 })).matrix, before.matrix);
      ctx.assert.equal(await page.evaluate(() => window.started), started + 1);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
      ctx.assert.doesNotMatch(await page.textContent("#notices"), /open a file/, "nothing is asked of the reader");
    },
  },
  {
    name: "reading is cancelled within 300 ms, and the open dump stays usable",
    timeout: 120_000,
    async run(ctx) {
      const { file } = bigDump(ctx);
      const page = await openSite(ctx);
      const before = await explain(page, { row: 0 });
      await choose(page, file);
      await page.waitForSelector("#reading:not([hidden])");
      const during = await explain(page, { row: 0 });
      ctx.assert.deepEqual(during.matrix, before.matrix, "the open dump answers while the next one is read");
      const took = await page.evaluate(async () => {
        const card = document.getElementById("reading"), start = performance.now();
        card.querySelector("button").click();
        while (!card.hidden) await new Promise((done) => setTimeout(done, 5));
        return performance.now() - start;
      });
      console.log(`     cancelled after ${took.toFixed(0)} ms`);
      ctx.assert.ok(took < 300, `${took} ms`);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
      ctx.assert.deepEqual((await explain(page, { row: 0 })).matrix, before.matrix);
      ctx.assert.equal(await page.locator("dialog").count(), 0, "a cancelled file is no error");
    },
  },
  {
    name: "without workers small files open, and big ones are refused with the reason",
    timeout: 120_000,
    async run(ctx) {
      const { file } = bigDump(ctx);
      for (const [init, tail] of [[withoutWorkers, ""], [undefined, "?noworker=1"]]) {
        const page = await openSite(ctx, { init }, tail);
        ctx.assert.match(await page.textContent("#notices"), /no background worker/);
        const stats = await page.evaluate(() => window.rollscope.stats());
        ctx.assert.equal(stats.workers, 0);
        ctx.assert.ok(Math.abs((await explain(page, { row: 0 })).matrix[0][10] - 0.497) < 0.001);
        await choose(page, file);
        await page.waitForSelector("dialog");
        ctx.assert.equal(await page.textContent("dialog .dialog-note code"), "too_big");
        ctx.assert.match(await page.textContent("dialog"), /604 MB/);
        ctx.assert.match(await page.textContent("dialog"), /sentiment_negative\.npz, is unchanged/);
        ctx.assert.ok(Math.abs((await explain(page, { row: 0 })).matrix[0][10] - 0.497) < 0.001);
        ctx.assert.deepEqual(await page.evaluate(() => window.violations), []);
      }
    },
  },
  {
    name: "a file that is cut, grows or disappears before it is read is an error in words",
    async run(ctx) {
      const page = await openSite(ctx);
      const small = path.join(ctx.top, "tests/dumps/minilm_cat.npz"), file = path.join(ctx.scratch, "moving.npz");
      await page.evaluate(() => document.body.append(Object.assign(document.createElement("input"), { type: "file", id: "held" })));
      const opened = async (change) => {
        copyFileSync(small, file);
        await page.setInputFiles("#held", file);
        // The browser takes note of size and time when it is asked for them: before the change, also on a busy machine.
        await page.evaluate(async () => { const [held] = document.getElementById("held").files; return [held.size, held.lastModified, (await held.slice(0, 4).arrayBuffer()).byteLength]; });
        change();
        return page.evaluate(() => window.rollscope.open(document.getElementById("held").files[0]).then(() => "opened", ({ code, text }) => ({ code, text })));
      };
      ctx.assert.equal(await opened(() => {}), "opened");
      for (const change of [() => { truncateSync(file, 1000); utimesSync(file, 1e9, 1e9); }, () => { appendFileSync(file, "more"); utimesSync(file, 2e9, 2e9); }, () => rmSync(file)]) {
        const answer = await opened(change);
        ctx.assert.equal(answer.code, "read_failed");
        ctx.assert.match(answer.text, /^moving\.npz could not be read: it (was changed|is no longer)/);
      }
      const empty = await page.evaluate(() => window.rollscope.open(new File([], "nothing.npz")).then(() => "opened", ({ code }) => code));
      ctx.assert.equal(empty, "empty");
      ctx.assert.equal(await openName(page), "moving.npz", "what was open stays");
    },
  },
  {
    name: "a dump at an address is read in ranges",
    async run(ctx) {
      const n = 64, layers = 6, heads = 24;
      writeFileSync(path.join(ctx.scratch, "far away.npy"), npy([layers, heads, n, n], new Float32Array(layers * heads * n * n).fill(1 / n)));
      const page = await openSite(ctx, {}, `#src=${encodeURIComponent("scratch/far away.npy")}`);
      ctx.assert.equal(await openName(page), "far away.npy");
      const ranges = ctx.requests.filter((request) => request.url.includes("far away.npy")).map((request) => request.range);
      ctx.assert.ok(ranges.length > 1 && ranges.every((range) => /^bytes=\d+-\d*$/.test(range)), JSON.stringify(ranges));
      const { matrix } = await explain(page, { row: 3 });
      ctx.assert.ok(Math.abs(matrix[0].reduce((sum, value) => sum + value, 0) - 1) < 1e-5);
    },
  },
];
