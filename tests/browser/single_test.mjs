// One HTML file, and the numbers: what is saved from the page, opened again elsewhere.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { choose, explain, openName, openSite, settled } from "./support/open.mjs";

const MACHINE = 1_200_000;  // bytes of a file before its data
const saved = async (page, act) => { const [download] = await Promise.all([page.waitForEvent("download"), act()]); return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }; };
async function saveHtml(page) {
  await page.click("#share-button");
  await page.waitForSelector("#share tr.chosen");
  return saved(page, () => page.click("#share button:has-text('HTML')"));
}
/** Opens a file from the disk without a network. */
async function openFile(ctx, file, options = {}) {
  const page = await ctx.newPage({ ...options, context: { offline: true } });
  const asked = [];
  page.on("request", (request) => { if (!request.url().startsWith("blob:")) asked.push(request.url()); });
  await page.addInitScript(() => { window.violations = []; addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`)); });
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.rollscope);
  await settled(page);
  return { page, asked };
}

export default [
  {
    name: "one HTML file opens from the disk, from a path with spaces and Japanese, without a network, as it was left, in the reader's language",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await page.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.75 }));
      await page.evaluate(() => window.rollscope.run("view.matrix"));
      await settled(page);
      const [state, exact] = [await page.evaluate(() => window.rollscope.state()), await explain(page, { residual: 0.75 })];
      const { name, bytes } = await saveHtml(page);
      ctx.assert.equal(name, "sentiment_negative.html");
      const dump = readFileSync(path.join(ctx.top, "web/gallery/sentiment_negative.npz")).length;
      ctx.assert.ok(bytes.length <= MACHINE + (4 / 3) * dump, `${bytes.length}`);
      const folder = path.join(ctx.scratch, "my pages 説明");
      mkdirSync(folder, { recursive: true });
      const file = path.join(folder, "an explanation.html");
      writeFileSync(file, bytes);
      const { page: reader, asked } = await openFile(ctx, file, { locale: "ja-JP" });
      ctx.assert.deepEqual(asked, [pathToFileURL(file).href], "nothing but itself");
      ctx.assert.deepEqual(await reader.evaluate(() => window.violations), []);
      ctx.assert.deepEqual(await reader.evaluate(() => window.rollscope.state()), state);
      ctx.assert.deepEqual((await explain(reader, { residual: 0.75 })).matrix, exact.matrix);
      for (const options of [{ method: "flow", row: 0 }, { method: "gradient-rollout", row: 0 }]) ctx.assert.ok((await explain(reader, options)).matrix, options.method);
      await reader.click("#help-button");
      ctx.assert.match(await reader.innerText("dialog"), /Rollscope/);
      await ctx.picture(reader, "single_ja");
      await reader.keyboard.press("Escape");
      await reader.click("#share-button");
      await reader.waitForSelector("#share tr.chosen");
      ctx.assert.ok((await reader.inputValue(".share-link")).startsWith(`${ctx.url}#a1d`), "a link leads to the site where the file was made");
    },
  },
  {
    name: "the command line makes the same file, with its recipe and its row",
    async run(ctx) {
      const program = path.join(ctx.top, "build/native/rollscope"), file = path.join(ctx.scratch, "from the shell.html");
      const run = (...words) => execFileSync(program, ["html", path.join(ctx.top, "tests/dumps/minilm_cat.npz"), ...words], { stdio: "pipe" }).toString();
      ctx.assert.match(run("-o", file, "--row", "8", "--residual", "0.7", "--layers", "1:5", "--base", "https://example.org/r/"), /opens by double click/);
      const { page, asked } = await openFile(ctx, file);
      ctx.assert.equal(asked.length, 1);
      const { recipe, query } = await page.evaluate(() => window.rollscope.state());
      ctx.assert.deepEqual([recipe.residual, recipe.layers, query], [0.7, [1, 5], 8]);
      await page.click("#share-button");
      await page.waitForSelector("#share tr.chosen");
      ctx.assert.ok((await page.inputValue(".share-link")).startsWith("https://example.org/r/#a1d"));
      for (const [words, said] of [[["-o", "/nowhere/x.html"], /write_failed/], [["-o", file, "--page", path.join(ctx.top, "README.md")], /single\.html of a web build/], [[], /Where to/]]) {
        try { run(...words); ctx.assert.fail(words.join(" ")); } catch (failure) { ctx.assert.match(String(failure.stderr), said); }
      }
    },
  },
  {
    name: "the file works in a frame without an origin, where no worker starts, and says so when it is damaged",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      const { bytes } = await saveHtml(page);
      const file = path.join(ctx.scratch, "framed.html");
      writeFileSync(file, bytes);
      const host = await ctx.newPage();
      await host.evaluate((html) => {
        const frame = document.createElement("iframe");
        Object.assign(frame, { sandbox: "allow-scripts", srcdoc: html, width: 900, height: 600, id: "frame" });
        document.body.replaceChildren(frame);
      }, bytes.toString("utf8"));
      const frame = await (await host.waitForSelector("#frame")).contentFrame();
      await frame.waitForFunction(() => window.rollscope, undefined, { timeout: 60_000 });
      ctx.assert.ok((await frame.evaluate(async () => { await window.rollscope.ready; return window.rollscope.explain({ row: 0 }); })).matrix);
      const { page: slow } = await openFile(ctx, file, { init: "window.Worker = function () { throw new Error('no workers here'); };" });
      ctx.assert.ok((await explain(slow, { row: 0 })).matrix);
      const cut = path.join(ctx.scratch, "cut.html");
      writeFileSync(cut, bytes.subarray(0, 400_000));
      const broken = await ctx.newPage({ context: { offline: true } });
      await broken.goto(pathToFileURL(cut).href);
      ctx.assert.ok(await broken.$("#unpacking"), "a file that was cut opens nothing");
      writeFileSync(cut, Buffer.concat([bytes.subarray(0, 400_000), Buffer.from("AAAA"), bytes.subarray(400_004)]));
      await broken.goto(pathToFileURL(cut).href);
      await broken.waitForFunction(() => /damaged/.test(document.body.innerText));
    },
  },
  {
    name: "tokens are text in the file, whatever they hold",
    timeout: 90_000,
    async run(ctx) {
      const page = await openSite(ctx);
      const tokens = ["</script><script>window.hacked=1</script>", "<!--<script>", "\u2028{{dump}}", "]]>", "'\"&amp;", "=HYPERLINK(\"http://x\")"];
      const n = tokens.length;
      const json = JSON.stringify({ attentions: [[Array.from({ length: n }, () => Array(n).fill(1 / n))]], tokens });
      await choose(page, { name: "</title><script>window.hacked=1</script>.json", buffer: Buffer.from(json) });
      await page.waitForFunction(() => /hacked/.test(document.getElementById("file-name").textContent));
      await settled(page);
      const { bytes } = await saveHtml(page);
      const file = path.join(ctx.scratch, "hostile.html");
      writeFileSync(file, bytes);
      const { page: reader, asked } = await openFile(ctx, file);
      ctx.assert.equal(asked.length, 1);
      ctx.assert.deepEqual((await reader.evaluate(() => window.rollscope.info())).tokens.self.keys.map((one) => one.raw), tokens);
      ctx.assert.equal(await reader.evaluate(() => window.hacked), undefined);
      ctx.assert.equal(await openName(reader), "</title><script>window.hacked=1</script>.json");
      ctx.assert.deepEqual(await reader.evaluate(() => window.violations), []);
      await page.keyboard.press("Escape");
      await page.click("#share-button");
      await page.click("#share button:has-text('Numbers')");
      const lines = (await page.innerText("#numbers pre")).split("\n");
      ctx.assert.ok(lines.some((line) => line.includes(`"'=HYPERLINK(""http://x"")"`)), "no cell is a formula");
    },
  },
  {
    name: "numbers go on as tables, arrays, lines of numpy and a reference, all of them true",
    timeout: 90_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, path.join(ctx.top, "tests/dumps/minilm_cat.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz");
      await page.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.3 }));
      await settled(page);
      const exact = await explain(page, { residual: 0.3 });
      await page.click("#share-button");
      await page.click("#share button:has-text('Numbers')");
      await page.waitForSelector("#numbers");
      const form = async (name) => { await page.click(`#numbers label:has-text("${name}")`); return page.innerText("#numbers pre"); };
      const row = (await form("This row, CSV")).trim().split(/\r?\n/).slice(1).map((line) => Number(line.split(",").at(-2)));
      ctx.assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-5);
      ctx.assert.match(await form("BibTeX"), /Abnar, Samira and Zuidema, Willem/);
      ctx.assert.match(await form("LaTeX"), /\\begin\{tabular\}/);
      ctx.assert.match(await form("Markdown"), /\| \\\[CLS\\\] \|/);
      const lines = await form("numpy");
      const matrix = JSON.parse(execFileSync("python3", ["-c", `${lines}\nimport json; print(json.dumps(R.tolist()))`], { cwd: path.join(ctx.top, "tests/dumps") }).toString());
      ctx.assert.ok(Math.max(...matrix.flatMap((weights, i) => weights.map((weight, j) => Math.abs(weight - exact.matrix[i][j])))) < 1e-5, "as the page, in single precision");
      await form("Arrays, npz");
      const { name, bytes } = await saved(page, () => page.click("#numbers button.primary"));
      ctx.assert.equal(name, "minilm_cat.rollout.npz");
      await page.keyboard.press("Escape");
      await choose(page, { name, buffer: bytes });
      await page.waitForFunction((one) => document.getElementById("file-name").textContent === one, name);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).recipe.method, "raw", "a finished result is not multiplied again");
      const again = await explain(page, {});
      ctx.assert.deepEqual(again.keys, exact.keys);
      ctx.assert.ok(Math.abs(again.matrix[2][3] - exact.matrix[2][3]) < 1e-6);
      await ctx.picture(page, "numbers");
    },
  },
];
