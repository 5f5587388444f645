// Figures saved from the page: every view, both themes, SVG and PNG.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { choose, openSite, settled } from "./support/open.mjs";

const saved = async (page, act) => { const [download] = await Promise.all([page.waitForEvent("download"), act()]); return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }; };
async function openFigure(page) {
  await page.click("#share-button");
  await page.click("#share button:has-text('Figure')");
  await page.waitForFunction(() => document.querySelector(".figure-picture")?.naturalWidth > 0);
}
const pngSize = (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];

export default [
  {
    name: "every view is a figure: SVG with true text, PNG at four sizes, light and dark, on white or on nothing",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      for (const view of ["graph", "matrix", "heads", "lines", "depth", "compare"]) {
        await page.evaluate((id) => window.rollscope.run(`view.${id}`), view);
        await settled(page);
        await openFigure(page);
        const { name, bytes } = await saved(page, () => page.click("#figure button:text-is('SVG')"));
        ctx.assert.equal(name, `sentiment_negative.${view === "lines" ? "row" : view}.svg`);
        const file = path.join(ctx.scratch, name);
        writeFileSync(file, bytes);
        execFileSync("xmllint", ["--noout", file]);
        const svg = bytes.toString("utf8");
        ctx.assert.match(svg, /width="170mm"/);
        if (view !== "heads" && view !== "depth") ctx.assert.match(svg, /<text[^>]*>terrible<\/text>/);
        await page.keyboard.press("Escape");
      }
      await page.evaluate(() => window.rollscope.run("view.matrix"));
      await settled(page);
      await openFigure(page);
      const { bytes: once } = await saved(page, () => page.selectOption("#figure select >> nth=4", "1").then(() => page.click("#figure button:text-is('PNG')")));
      const { bytes: four } = await saved(page, () => page.selectOption("#figure select >> nth=4", "4").then(() => page.click("#figure button:text-is('PNG')")));
      const [width, height] = pngSize(once);
      ctx.assert.deepEqual(pngSize(four).map((size, at) => Math.abs(size - 4 * [width, height][at]) <= 4), [true, true]);
      const corner = (png) => page.evaluate(async (data) => {
        const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))]));
        const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
        context.drawImage(picture, 0, 0);
        return [...context.getImageData(2, picture.height - 3, 1, 1).data];
      }, png.toString("base64"));
      ctx.assert.deepEqual(await corner(once), [255, 255, 255, 255]);
      await page.selectOption("#figure select >> nth=3", "transparent");
      await page.waitForTimeout(600);
      const { bytes: clear } = await saved(page, () => page.click("#figure button:text-is('PNG')"));
      ctx.assert.equal((await corner(clear))[3], 0);
      await page.selectOption("#figure select >> nth=3", "theme");
      await page.selectOption("#figure select >> nth=2", "dark");
      await page.waitForTimeout(600);
      const { bytes: dark } = await saved(page, () => page.click("#figure button:text-is('PNG')"));
      ctx.assert.ok((await corner(dark))[0] < 60);
      await ctx.picture(page, "figure_dialog");
    },
  },
  {
    name: "tokens of any kind are text in a figure",
    async run(ctx) {
      const page = await openSite(ctx);
      const tokens = ["<script>alert(1)</script>", "]]>", "&amp;\"'", "\u0007\u202e", "日本", "🙂"], n = tokens.length;
      await choose(page, { name: "hostile.json", buffer: Buffer.from(JSON.stringify({ attentions: [[Array.from({ length: n }, () => Array(n).fill(1 / n))]], tokens })) });
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "hostile.json");
      await settled(page);
      await openFigure(page);
      const { bytes } = await saved(page, () => page.click("#figure button:text-is('SVG')"));
      const texts = await page.evaluate((svg) => {
        const read = new DOMParser().parseFromString(svg, "image/svg+xml");
        return { broken: read.querySelector("parsererror") !== null, scripts: read.querySelectorAll("script").length, all: [...read.querySelectorAll("text")].map((one) => one.textContent) };
      }, bytes.toString("utf8"));
      ctx.assert.equal(texts.broken, false);
      ctx.assert.equal(texts.scripts, 0);
      ctx.assert.ok(texts.all.some((text) => text.includes("日本")) && texts.all.some((text) => text.startsWith("<scri")), texts.all.join("|"));
    },
  },
];
