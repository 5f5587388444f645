// window.rollscope and the embedding protocol, as the contracts name them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { npy } from "./support/big_dump.mjs";
import { choose, explain, openName, openSite, settled } from "./support/open.mjs";

const close = (assert, value, wanted, tolerance = 1e-3) => assert.ok(Math.abs(value - wanted) <= tolerance, `${value}, not ${wanted}`);

/** A head-averaged-like stack whose columns sum to 1, not its rows. */
function transposed(n = 6, layers = 2, heads = 2) {
  const values = new Float32Array(layers * heads * n * n);
  for (let m = 0; m < layers * heads; ++m) {
    for (let j = 0; j < n; ++j) {
      let sum = 0;
      for (let i = 0; i < n; ++i) sum += values[(m * n + i) * n + j] = 1 + ((i * 5 + j * 3 + m) % 7);
      for (let i = 0; i < n; ++i) values[(m * n + i) * n + j] /= sum;
    }
  }
  return npy([layers, heads, n, n], values);
}

const openBytes = (page, buffer, name, options) => page.evaluate(async ([base64, fileName, more]) => {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return window.rollscope.open(new File([bytes], fileName), more).then((info) => ({ info }), ({ code, text, fix }) => ({ code, text, fix }));
}, [buffer.toString("base64"), name, options]);

export default [
  {
    name: "info and explain speak the contracts' JSON",
    async run(ctx) {
      const page = await openSite(ctx);
      const info = await page.evaluate(() => window.rollscope.info());
      ctx.assert.equal(info.format, "npz");
      ctx.assert.deepEqual([info.streams[0].layers, info.streams[0].heads, info.streams[0].queries], [4, 4, 13]);
      ctx.assert.equal(info.tokens.self.keys[10].label, "terrible");
      const answer = await explain(page, { row: 0 });
      for (const [token, weight] of [[10, 0.497], [0, 0.113], [5, 0.088]]) close(ctx.assert, answer.matrix[0][token], weight);
      ctx.assert.equal(answer.recipe.mark, "published");
      ctx.assert.ok(answer.uniform[0].length === 13);
      const all = await explain(page, { row: "all", residual: 1 });
      ctx.assert.equal(all.matrix.length, 13);
      close(ctx.assert, all.matrix[4][4], 1, 1e-6);
      const part = await explain(page, { row: 0, layers: [2, 4], heads: [0, 3], fusion: "max" });
      ctx.assert.deepEqual([part.recipe.first_layer, part.recipe.end_layer], [2, 4]);
    },
  },
  {
    name: "failures reject with code, text and fix, and leave the open dump alone",
    async run(ctx) {
      const page = await openSite(ctx);
      const bad = await explain(page, { residual: 2 });
      ctx.assert.equal(bad.code, "bad_value");
      ctx.assert.ok(bad.text.length > 8 && bad.fix.length > 4);
      ctx.assert.equal((await explain(page, { row: 99 })).code, "out_of_range");
      ctx.assert.equal((await explain(page, { colour: "red" })).code, "unknown_option");
      ctx.assert.equal((await openBytes(page, Buffer.alloc(0), "nothing.npy")).code, "empty");
      ctx.assert.equal((await openBytes(page, Buffer.from("hello world, this is text"), "letter.npz")).code, "unknown_format");
      const foreign = await page.evaluate(() => window.rollscope.open("https://example.org/a.npz").catch(({ code, text }) => ({ code, text })));
      ctx.assert.equal(foreign.code, "host_not_allowed");
      ctx.assert.match(foreign.text, /a\.npz/);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
      close(ctx.assert, (await explain(page, { row: 0 })).matrix[0][10], 0.497);
      ctx.assert.equal(await page.locator("dialog").count(), 0, "scripts get a rejection, not a dialog");
    },
  },
  {
    name: "heads, depth, compare, plan and audit answer as at the command line",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx, {}, "#src=" + ctx.dumpUrl("minilm_cat.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz" || document.querySelector("dialog button"));
      await settled(page);
      ctx.assert.equal(await openName(page), "minilm_cat.npz");
      const program = path.join(ctx.top, "build/native/rollscope");
      const native = (...words) => JSON.parse(execFileSync(program, [...words, "--json"], { cwd: path.join(ctx.top, "tests/dumps"), maxBuffer: 1 << 26 }));
      const asked = (verb, options) => page.evaluate(([name, o]) => window.rollscope[name](o).catch(({ code, text, fix }) => ({ code, text, fix })), [verb, options]);
      // The page computes in single precision: numbers agree to what it can hold, all else to the letter.
      const alike = (found, wanted, where, tolerance) => {
        if (typeof wanted === "number") ctx.assert.ok(Math.abs(found - wanted) <= tolerance, `${where}: ${found}, not ${wanted}`);
        else if (wanted !== null && typeof wanted === "object") {
          ctx.assert.deepEqual(Object.keys(found), Object.keys(wanted), where);
          for (const key of Object.keys(wanted)) if (key !== "precision") alike(found[key], wanted[key], `${where}.${key}`, tolerance);
        } else ctx.assert.equal(found, wanted, where);
      };
      const file = "minilm_cat.npz";
      const heads = native("heads", file), found = await asked("heads", {});
      alike(found.scores, heads.scores, "heads", 1e-4);
      ctx.assert.deepEqual(found.similar.clusters, heads.similar.clusters);
      alike(await asked("depth", { residual: 0.3 }), native("depth", file, "--residual", "0.3"), "depth", 2e-3);
      alike(await asked("compare", { a: { residual: 0.3 }, b: { method: "raw" }, row: 8 }), native("compare", file, "--a", "residual=0.3", "--b", "method=raw", "--row", "8"), "compare", 1e-4);
      const plan = await asked("plan", { row: 8, random: 2, seed: 5 });
      alike(plan, native("plan", file, "--row", "8", "--random", "2", "--seed", "5"), "plan", 1e-5);
      const sheet = await asked("audit", { row: 8 }), wanted = native("audit", file, "--row", "8");
      ctx.assert.equal(sheet.dump.sha256, wanted.dump.sha256);
      ctx.assert.equal(sheet.dump.sha256, createHash("sha256").update(readFileSync(path.join(ctx.top, "tests/dumps", file))).digest("hex"));
      ctx.assert.deepEqual([sheet.narration.en, sheet.narration.fr, sheet.narration.ja], [wanted.narration.en, wanted.narration.fr, wanted.narration.ja]);
      ctx.assert.equal((await asked("compare", { a: {}, b: "flow" })).code, "bad_value");
      ctx.assert.equal((await asked("audit", { row: "all" })).code, "bad_value");
      ctx.assert.equal((await asked("depth", { method: "flow" })).code, "usage");
    },
  },
  {
    name: "open resolves with info once the first row is there, and takes assumptions",
    async run(ctx) {
      const page = await openSite(ctx);
      const refused = await openBytes(page, transposed(), "columns.npy");
      ctx.assert.equal(refused.code, "transposed");
      ctx.assert.match(refused.text, /columns\.npy/);
      const { info } = await openBytes(page, transposed(), "columns.npy", { assume: { orientation: "columns" } });
      ctx.assert.equal(info.assumed.orientation, "columns");
      ctx.assert.equal(await openName(page), "columns.npy");
      ctx.assert.equal((await explain(page, { row: 0 })).matrix[0].length, 6);
      ctx.assert.equal((await openBytes(page, transposed(), "x.npy", { assume: { orientation: "upwards" } })).code, "bad_value");
    },
  },
  {
    name: "commands change the state, and setState brings it back",
    async run(ctx) {
      const page = await openSite(ctx);
      const commands = await page.evaluate(() => window.rollscope.commands());
      ctx.assert.ok(commands.some((command) => command.id === "select.next" && command.shortcut));
      const before = await page.evaluate(() => window.rollscope.state());
      await page.evaluate(() => window.rollscope.run("select.query", { query: 5 }));
      await page.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.25 }));
      await settled(page);
      const after = await page.evaluate(() => window.rollscope.state());
      ctx.assert.equal(after.query, 5);
      ctx.assert.equal(after.recipe.residual, 0.25);
      const failure = await page.evaluate(() => window.rollscope.run("make.coffee").catch(({ code, text }) => ({ code, text })));
      ctx.assert.ok(failure.code && failure.text);
      await page.evaluate((state) => window.rollscope.setState(state), before);
      await settled(page);
      ctx.assert.deepEqual(await page.evaluate(() => window.rollscope.state()), before);
    },
  },
  {
    name: "stats count, the first picture is marked, and the page then rests",
    async run(ctx) {
      const page = await openSite(ctx);
      const marks = await page.evaluate(() => performance.getEntriesByName("rollscope:first-picture").length);
      ctx.assert.equal(marks, 1);
      const first = await page.evaluate(() => window.rollscope.stats());
      for (const name of ["frames", "heapBytes", "gpuBytes", "edgesDrawn", "edgesHidden", "lastFrameMs", "workers"]) ctx.assert.equal(typeof first[name], "number", name);
      ctx.assert.ok(first.frames > 0 && first.heapBytes > 1e6);
    },
  },
  {
    name: "every example opens in its own state",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      const examples = await page.evaluate(async (url) => (await (await fetch(url)).json()).examples, new URL("gallery/index.json", ctx.url).href);
      ctx.assert.equal(examples.length, 6);
      for (const [index, example] of examples.entries()) {
        await page.click("#examples-button");
        await page.locator(".menu button").nth(index).click();
        await page.waitForFunction((name) => document.getElementById("file-name").textContent === name, example.file);
        await settled(page);
        const state = await page.evaluate(() => window.rollscope.state());
        ctx.assert.equal(state.query, example.state.query, example.id);
        ctx.assert.equal(state.recipe.method, example.state.recipe.method, example.id);
        ctx.assert.equal(await page.locator("dialog").count(), 0, example.id);
        await ctx.picture(page, `example_${example.id}`);
      }
      ctx.assert.deepEqual(await page.evaluate(() => window.violations), []);
    },
  },
  {
    name: "a page that embeds this one asks by message",
    async run(ctx) {
      const page = await ctx.newPage();
      await page.goto(ctx.url + "gallery/index.json");  // any page of this origin
      const heard = await page.evaluate(async (url) => {
        const events = [], answers = new Map();
        addEventListener("message", ({ data }) => { if (data?.rollscope === 1) (data.event ? events.push(data.event) : answers.set(data.id, data)); });
        const frame = document.createElement("iframe");
        frame.src = url;
        document.body.append(frame);
        const until = async (test) => { while (!test()) await new Promise((done) => setTimeout(done, 20)); };
        await until(() => events.includes("ready"));
        const ask = async (id, verb, args) => {
          frame.contentWindow.postMessage({ rollscope: 1, id, verb, args }, "*");
          await until(() => answers.has(id));
          return answers.get(id);
        };
        const info = await ask(1, "info");
        const explain = await ask(2, "explain", { row: 0 });
        const unknown = await ask(3, "eval", "1 + 1");
        return { format: info.result?.format, weight: explain.result?.matrix[0][10], code: unknown.error?.code };
      }, ctx.url);
      ctx.assert.equal(heard.format, "npz");
      close(ctx.assert, heard.weight, 0.497);
      ctx.assert.equal(heard.code, "usage");
    },
  },
  {
    name: "works under any path of a host, and from a file chosen by hand",
    async run(ctx) {
      const page = await ctx.newPage();
      await page.goto(await ctx.newSite({ prefix: "/course/week 3/rollscope/" }));
      await settled(page);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
      await choose(page, { name: "rows.npy", buffer: npy([2, 1, 3, 3], new Float32Array(18).fill(1 / 3)) });
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "rows.npy");
    },
  },
];
