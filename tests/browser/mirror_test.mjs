// What the canvas shows, as tables and spoken words: every view and method, with the engine's own numbers.
import path from "node:path";
import { choose, openSite, settled } from "./support/open.mjs";

const run = async (page, id, args = {}) => { await page.evaluate(([i, a]) => window.rollscope.run(i, a), [id, args]); await settled(page); };
/** Waits for what stands under the row. @param {any} page @param {RegExp} pattern */
const shows = (page, pattern) => page.waitForFunction(([source]) => new RegExp(source, "s").test(document.getElementById("mirror-view").textContent), [pattern.source]);
const live = (page) => page.textContent("#live");
const tableRows = (page, at) => page.$$eval(`#mirror-view table >> nth=${at} >> tbody tr`, (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
const percent = (value) => new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value);

export default [
  {
    name: "tokens that stand twice are told apart by their position, under a heading",
    async run(ctx) {
      const page = await openSite(ctx);
      ctx.assert.equal(await page.textContent("#mirror h2"), "Output [CLS]");
      const the = await page.$$eval("#mirror tbody tr", (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)).filter(([token]) => token === "the"));
      ctx.assert.deepEqual(the.map((cells) => cells[3]).sort(), ["3", "8"]);
    },
  },
  {
    name: "the row of every method is the engine's",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      for (const method of ["rollout", "raw", "flow", "relevance", "gradient-rollout", "grad-sam", "norm-rollout", "vit-explain", "attribution:shapley"]) {
        await run(page, "recipe.method", { method });
        await run(page, "select.query", { query: 3 });
        const { matrix: [weights], keys } = await page.evaluate(async () => { const { recipe, query } = await window.rollscope.state(); return window.rollscope.explain({ ...recipe, row: query }); });
        const rows = await page.$$eval("#mirror > table tbody tr", (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
        ctx.assert.equal(rows.length, weights.length, method);
        for (const [token, weight, , position] of rows) {
          const own = weights[Number(position) - 1];
          ctx.assert.equal(token.replace(/ \(.*/, ""), keys[Number(position) - 1], method);
          const shown = weight.endsWith("%") ? Number(weight.slice(0, -1)) / 100 : Number(weight.replace("−", "-"));
          ctx.assert.ok(Math.abs(shown - own) <= (weight.endsWith("%") ? 0.00051 : Math.abs(own) * 0.006 + 1e-9), `${method}: ${token} ${weight}, ${own}`);
        }
      }
    },
  },
  {
    name: "a chosen input, another matrix, heads and curves are read with their numbers and said once",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      ctx.assert.equal(await page.textContent("#mirror-view"), "", "the graph shows no more than the row");
      await run(page, "select.key", { key: 10 });
      await shows(page, /\[CLS\] on terrible: 49\.7%; chance 7\.2%; rank 1 of 13/);
      ctx.assert.match(await live(page), /\[CLS\] on terrible: 49\.7%/);
      await run(page, "view.matrix");
      await run(page, "matrix.show", { kind: "head", layer: 1, head: 2 });
      await shows(page, /Layer 2, head 3/);
      const { matrix: [weights] } = await page.evaluate(() => window.rollscope.explain({ method: "raw", layers: [1, 2], heads: [2], row: 0 }));
      for (const [, weight, position] of await tableRows(page, 0)) ctx.assert.equal(weight, percent(weights[position - 1]));
      ctx.assert.match(await live(page), /Layer 2, head 3\. Output \[CLS\]: good 19\.4%/);
      ctx.assert.doesNotMatch(await live(page), /rank 1/, "what was said is not said again");
      await run(page, "view.heads");
      await shows(page, /16 heads/);
      ctx.assert.equal((await tableRows(page, 0)).length, 16);
      await run(page, "heads.choose", { layer: 0, head: 2 });
      await shows(page, /Layer 1, head 3: mixed/);
      const { scores } = await page.evaluate(() => window.rollscope.heads({}));
      const scored = Object.fromEntries(await tableRows(page, 0));
      ctx.assert.equal(scored["Previous token"], percent(scores.find(({ layer, head }) => layer === 0 && head === 2).previous_token));
      ctx.assert.match(await live(page), /Layer 1, head 3/);
      await run(page, "view.depth");
      await shows(page, /Spread of the rows/);
      const { layers } = await page.evaluate(() => window.rollscope.depth({}));
      ctx.assert.deepEqual((await tableRows(page, 0)).map(([, value]) => value), layers.map((one) => percent(one.row_entropy_normalised_mean)));
      await run(page, "depth.measure", { measure: "key" });
      await shows(page, /Weight on terrible/);
      ctx.assert.equal((await tableRows(page, 0)).at(-1)[1], "49.7%");
      await page.focus("#mirror");
      await ctx.picture(page, "mirror_depth");
    },
  },
  {
    name: "a picture's patches are read by their rows and columns",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, path.join(ctx.top, "tests/dumps/vit_digit_a.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "vit_digit_a.npz");
      await settled(page);
      await run(page, "view.image");
      await run(page, "select.query", { query: 19 });
      ctx.assert.match(await page.textContent("#mirror h2"), /row 3, column 5/);
      ctx.assert.match(await page.textContent("#mirror > table tbody"), /row \d, column \d/);
      ctx.assert.match(await live(page), /row 3, column 5/);
    },
  },
  {
    name: "Tab goes through the controls of the canvas, then to the table, then back to the top; arrows move the output",
    timeout: 90_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await page.focus("#canvas");
      await page.keyboard.press("ArrowRight");
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).query, 1);
      const { controls } = await page.evaluate(() => window.rollscope.layout());
      let steps = 0;
      while (steps < controls.length + 6 && await page.evaluate(() => document.activeElement.id) === "canvas") { await page.keyboard.press("Tab"); await settled(page); ++steps; }
      ctx.assert.equal(await page.evaluate(() => document.activeElement.id), "mirror", `after ${steps} steps`);
      const box = await page.locator("#mirror").boundingBox();
      ctx.assert.ok(box.width > 200 && box.height > 200, "it comes into sight with the focus");
      await page.keyboard.press("Tab");
      ctx.assert.notEqual(await page.evaluate(() => document.activeElement.id), "mirror");
    },
  },
  {
    name: "at 200 % browser zoom everything of the page can be reached",
    async run(ctx) {
      const page = await openSite(ctx, { viewport: { width: 640, height: 400 }, dpr: 2 });
      const inside = async (selector) => {
        const box = await page.locator(selector).boundingBox();
        ctx.assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 640 && box.y + box.height <= 400, `${selector} ${JSON.stringify(box)}`);
      };
      ctx.assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await page.click("#menu-button");
      await inside(".menu");
      await page.keyboard.press("End");
      await inside(".menu button:last-child");
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog");
      await inside("dialog");
      await page.locator("dialog a[href$='licenses.txt']").scrollIntoViewIfNeeded();
      await inside("dialog a[href$='licenses.txt']");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.waitForSelector("dialog.palette");
      await inside("dialog.palette");
      await page.keyboard.press("ArrowUp");  // the last row
      await inside("dialog.palette [aria-selected=true]");
      await ctx.picture(page, "zoom_palette");
    },
  },
];
