// The views of heads, depth and images in a real browser: they draw, and what is clicked is chosen.
import path from "node:path";
import { choose, openSite, settled } from "./support/open.mjs";

const dump = (ctx, name) => path.join(ctx.top, "tests/dumps", name);
const run = (page, id, args = {}) => page.evaluate(([i, a]) => window.rollscope.run(i, a), [id, args]);
const state = (page) => page.evaluate(() => window.rollscope.state());
const layout = (page) => page.evaluate(() => window.rollscope.layout());
const middle = ({ x, y, w, h }) => [x + w / 2, y + h / 2];

async function open(ctx, page, name) {
  await choose(page, dump(ctx, name));
  await page.waitForFunction((file) => document.getElementById("file-name").textContent === file, name);
  await settled(page);
}

/** Clicks a place of the canvas, in its own pixels. */
async function click(page, [x, y]) {
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
  await settled(page);
}

export default [
  {
    name: "the wall draws every head; a click chooses one, and its buttons open and fuse it",
    async run(ctx) {
      const page = await openSite(ctx);
      await open(ctx, page, "minilm_cat.npz");
      await run(page, "view.heads");
      await settled(page);
      const wall = (await layout(page)).controls.find(({ id }) => id === "heads.wall");
      ctx.assert.ok(wall.w > 400 && wall.h > 300);
      await run(page, "heads.choose", { layer: 0, head: 2 });
      await settled(page);
      await ctx.picture(page, "heads");
      const control = async (id) => (await layout(page)).controls.find((one) => one.id === id);
      await click(page, middle(await control("heads.open")));
      let now = await state(page);
      ctx.assert.equal(now.view, "matrix");
      ctx.assert.deepEqual([now.matrix.kind, now.matrix.layer, now.matrix.head], ["head", 0, 2]);
      await run(page, "view.heads");
      await settled(page);
      await click(page, middle(await control("heads.fuse")));
      now = await state(page);
      ctx.assert.deepEqual(now.recipe.heads, [2]);
      for (const order of ["role", "spread", "distance", "layer"]) {
        await run(page, "heads.order", { order });
        await settled(page);
      }
      await click(page, [wall.x + 90, wall.y + 40]);
      ctx.assert.notEqual((await state(page)).heads.layer, -1);
      ctx.assert.deepEqual(await page.evaluate(() => window.violations), []);
    },
  },
  {
    name: "curves over the layers follow the recipe; each measure can be chosen",
    async run(ctx) {
      const page = await openSite(ctx);
      await open(ctx, page, "vit_digit_a.npz");
      await run(page, "view.depth");
      await settled(page);
      for (const measure of ["entropy", "distance", "top_share", "sink_mass", "effective_rank", "key"]) {
        const control = (await layout(page)).controls.find(({ id }) => id === `depth.measure/${measure}`);
        ctx.assert.ok(control, measure);
        await click(page, middle(control));
        ctx.assert.equal((await state(page)).depth.measure, measure);
      }
      await ctx.picture(page, "depth");
      for (const method of ["raw", "flow", "relevance", "rollout"]) {
        await run(page, "recipe.method", { method });
        await settled(page);
      }
      ctx.assert.equal(await page.locator("#notices .notice").count(), 0, await page.textContent("#notices"));
    },
  },
  {
    name: "the picture lies under its weights, and a patch that is clicked is asked next",
    async run(ctx) {
      const page = await openSite(ctx);
      await open(ctx, page, "vit_digit_a.npz");
      await run(page, "view.image");
      await settled(page);
      await ctx.picture(page, "image");
      const picture = (await layout(page)).controls.find(({ id }) => id === "image.picture");
      // Row 3, column 5 of 7 x 7, one token before them.
      await click(page, [picture.x + picture.w * 4.5 / 7, picture.y + picture.h * 2.5 / 7]);
      ctx.assert.equal((await state(page)).query, 1 + 2 * 7 + 4);
      await run(page, "image.smooth");
      await run(page, "image.outline");
      await run(page, "image.opacity", { opacity: 0.4 });
      await settled(page);
      await ctx.picture(page, "image_smooth");
      await open(ctx, page, "minilm_cat.npz");
      ctx.assert.equal((await state(page)).view, "graph", "a text has no picture");
      ctx.assert.equal(await page.evaluate(() => window.rollscope.run("view.image", {}).then((answer) => answer?.error?.code ?? "ran", ({ code }) => code)), "usage");
    },
  },
  {
    name: "a lost context brings every view back",
    async run(ctx) {
      const page = await openSite(ctx);
      await open(ctx, page, "vit_digit_a.npz");
      for (const view of ["view.heads", "view.image", "view.depth", "view.lines", "view.compare"]) {
        await run(page, view);
        await settled(page);
        const before = await page.locator("#canvas").screenshot();
        await page.evaluate(async () => {
          const lose = document.getElementById("canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
          lose.loseContext();
          await new Promise((done) => setTimeout(done, 100));
          lose.restoreContext();
          await new Promise((done) => setTimeout(done, 300));
        });
        await settled(page);
        ctx.assert.ok(before.equals(await page.locator("#canvas").screenshot()), `${view} looks as before`);
      }
    },
  },
  {
    name: "in Lines a token that is clicked is asked, a head that is clicked stands alone",
    async run(ctx) {
      const page = await openSite(ctx);
      await open(ctx, page, "minilm_cat.npz");
      await run(page, "view.lines");
      await settled(page);
      const all = await layout(page);
      ctx.assert.equal(all.matrix.rows.length, 13);
      ctx.assert.equal(all.matrix.columns.length, 13);
      await click(page, middle(all.matrix.rows[8]));
      ctx.assert.equal((await state(page)).query, 8);
      await click(page, middle(all.matrix.columns[2]));
      ctx.assert.equal((await state(page)).key, 2);
      await click(page, middle(all.controls.find(({ id }) => id === "lines.head/4")));
      ctx.assert.deepEqual((await state(page)).lines.heads, [4]);
      await click(page, middle((await layout(page)).controls.find(({ id }) => id === "lines.top/1")));
      ctx.assert.equal((await state(page)).lines.top, 1);
      await ctx.picture(page, "lines");
    },
  },
  {
    name: "in Compare recipe B is kept from A, changes places with it, and comes back with undo",
    async run(ctx) {
      const page = await openSite(ctx);
      await open(ctx, page, "minilm_cat.npz");
      await run(page, "view.compare");
      await settled(page);
      const control = async (id) => (await layout(page)).controls.find((one) => one.id === id);
      await run(page, "recipe.residual", { residual: 0.25 });
      await settled(page);
      await click(page, middle(await control("compare.pin")));
      await run(page, "recipe.residual", { residual: 0.75 });
      await settled(page);
      ctx.assert.equal((await state(page)).compare.recipe.residual, 0.25);
      await click(page, middle(await control("compare.swap")));
      let now = await state(page);
      ctx.assert.deepEqual([now.recipe.residual, now.compare.recipe.residual], [0.25, 0.75]);
      await run(page, "undo");
      await settled(page);
      now = await state(page);
      ctx.assert.deepEqual([now.recipe.residual, now.compare.recipe.residual], [0.75, 0.25]);
      await click(page, middle(await control("compare.more")));
      await ctx.picture(page, "compare");
    },
  },
  {
    name: "an arrangement of two views is there again after a reload",
    async run(ctx) {
      const page = await openSite(ctx);
      await run(page, "layout.teach");
      await settled(page);
      await page.reload();
      await settled(page);
      ctx.assert.deepEqual([(await state(page)).view, (await state(page)).second], ["graph", "matrix"]);
      await run(page, "layout.read");
    },
  },
];
