// Big files: read in slices by the worker, cancelled at once, and refused with reason where only the page can read.
import { statSync } from "node:fs";
import path from "node:path";
import { npy, writeBigDump } from "./support/big_dump.mjs";
import { choose, explain, openName, openSite, settled, withoutWorkers } from "./support/open.mjs";

let big = null;  // written once for the tests of this file
function bigDump(ctx) {
  const file = path.join(ctx.scratch, "big.npy");
  big ??= writeBigDump(file);
  return { file, ...big };
}

const HEAP_LIMIT = 160e6;

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
      await page.waitForFunction(() => /Row of .+ through layers 1–[1-9]\d* of 12/.test(document.querySelector("#reading figcaption")?.textContent));
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
    name: "a file that disappears while it is read is an error with its name",
    async run(ctx) {
      const page = await openSite(ctx);
      // A Blob whose bytes cannot be had: what a removed file looks like to the page.
      const answer = await page.evaluate(async () => {
        const file = new File([new Uint8Array(4096)], "gone.npy");
        Object.defineProperty(file, "slice", { value: () => { throw new DOMException("gone", "NotReadableError"); } });
        return window.rollscope.open(file).then(() => "opened", ({ code, text }) => ({ code, text }));
      });
      ctx.assert.ok(["read_failed", "unknown_format"].includes(answer.code), JSON.stringify(answer));
    },
  },
  {
    name: "a dump at an address is read in ranges",
    async run(ctx) {
      const { writeFileSync } = await import("node:fs");
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
