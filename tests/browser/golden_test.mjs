// Every view against a picture of itself that somebody has looked at: tests/golden/NAME.png, 240 x 150, the same at
// device pixel ratio 1 and 2. What differs: a block of colour that moved, a view gone blank, a scale turned round; not how a browser
// smooths a letter. After a wanted change: ROLLSCOPE_GOLDEN=write node tests/browser/run.mjs golden, look at them, commit.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { choose, openSite, settled } from "./support/open.mjs";

const SIZE = { width: 240, height: 150 };
const MEAN = 4;     // of 255, over all pixels and channels
const BLOCK = 40;   // of 255, mean of the block of 12 x 7.5 pixels that differs most: 400 blocks

/** [name, dump, commands] */
const SCENES = [
  ["graph", "minilm_cat.npz", [["view.graph"], ["select.query", { query: 8 }]]],
  ["trace", "sentiment_negative.npz", [["view.graph"], ["select.key", { key: 3 }]]],
  ["flow", "sentiment_negative.npz", [["recipe.method", { method: "flow" }]]],
  ["matrix", "minilm_cat.npz", [["view.matrix"], ["select.query", { query: 8 }]]],
  ["causal", "causal_full.pt", [["view.matrix"]]],
  ["heads", "minilm_cat.npz", [["view.heads"], ["heads.choose", { layer: 0, head: 2 }]]],
  ["lines", "minilm_cat.npz", [["view.lines"], ["lines.show", { top: 1 }]]],
  ["depth", "vit_digit_a.npz", [["view.depth"]]],
  ["image", "vit_digit_a.npz", [["view.image"]]],
  ["compare", "minilm_cat.npz", [["layout.compare"], ["select.query", { query: 8 }]]],
  ["two", "minilm_long.f16.npz", [["layout.teach"]]],
];

/** The picture at the size of the golden ones, as a PNG and as its RGBA bytes. Done by the browser, which knows PNG. */
const reduced = (page, png) => page.evaluate(async ({ url, width, height }) => {
  const image = await createImageBitmap(await (await fetch(url)).blob(), { resizeWidth: width, resizeHeight: height, resizeQuality: "high" });
  const canvas = new OffscreenCanvas(width, height), context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return { png: [...bytes], rgba: [...context.getImageData(0, 0, width, height).data] };
}, { url: `data:image/png;base64,${Buffer.from(png).toString("base64")}`, ...SIZE });

/** Mean difference of two pictures, and of the block that differs most. */
function difference(a, b) {
  const blocks = new Float64Array(400);
  let sum = 0;
  for (let y = 0; y < SIZE.height; ++y)
    for (let x = 0; x < SIZE.width; ++x) {
      const at = 4 * (y * SIZE.width + x);
      const d = (Math.abs(a[at] - b[at]) + Math.abs(a[at + 1] - b[at + 1]) + Math.abs(a[at + 2] - b[at + 2])) / 3;
      sum += d;
      blocks[Math.floor(y / 7.5) * 20 + Math.floor(x / 12)] += d / 90;
    }
  return { mean: sum / (SIZE.width * SIZE.height), block: Math.max(...blocks) };
}

const file = (ctx, name) => path.join(ctx.top, "tests/golden", `${name}.png`);

export default [1, 2].map((dpr) => ({
  name: `every view looks as it did when somebody looked, at a device pixel ratio of ${dpr}`,
  timeout: 240_000,
  async run(ctx) {
    const page = await openSite(ctx, { dpr, reducedMotion: "reduce" });
    const judge = await ctx.newPage();  // no policy of the site stands in its way
    const apart = [];
    let open = "";
    for (const [name, dump, commands] of SCENES) {
      if (dump !== open) {
        await choose(page, path.join(ctx.top, "tests/dumps", dump));
        await page.waitForFunction((wanted) => document.getElementById("file-name").textContent === wanted, dump);
        open = dump;
      }
      for (const [id, args] of [["layout.read"], ...commands]) {
        const answer = await page.evaluate(([i, a]) => window.rollscope.run(i, a), [id, args ?? {}]);
        ctx.assert.equal(answer?.error, undefined, `${name}: ${id} ${JSON.stringify(answer)}`);
        await settled(page);
      }
      await page.mouse.move(640, 20);
      await page.waitForFunction(() => window.rollscope.idle().then(() => true));
      await page.waitForTimeout(200);
      const shot = await reduced(judge, await page.screenshot());
      const golden = file(ctx, name);
      if (process.env.ROLLSCOPE_GOLDEN === "write") {
        mkdirSync(path.dirname(golden), { recursive: true });
        writeFileSync(golden, Buffer.from(shot.png));
      } else {
        ctx.assert.ok(existsSync(golden), `${golden} is not there`);
        const was = await reduced(judge, readFileSync(golden));
        const { mean, block } = difference(was.rgba, shot.rgba);
        if (mean > MEAN || block > BLOCK) {
          await ctx.picture(page, `golden-${name}@${dpr}`);
          apart.push(`${name}: mean ${mean.toFixed(1)}, block ${block.toFixed(1)}`);
        }
      }
      await page.evaluate(() => window.rollscope.run("escape"));
      if (name === "flow") await page.evaluate(() => window.rollscope.run("recipe.method", { method: "rollout" }));
      await settled(page);
    }
    ctx.assert.deepEqual(apart, []);
  },
}));
