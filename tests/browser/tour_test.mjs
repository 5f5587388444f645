// Tours: the one that comes with the page, in three languages; made, edited and carried by a link and by a file.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { readTour } from "../../web/tour.js";
import { openName, openSite, settled } from "./support/open.mjs";

const text = (page) => page.innerText(".tour-text");
const state = (page) => page.evaluate(() => window.rollscope.state());
async function play(page) { await page.click("#examples-button"); await page.click(".menu button >> nth=-2"); await page.waitForSelector("#tour"); await settled(page); }

export default [
  {
    name: "the tour of the page plays in three languages, by keys; nothing is clipped and its numbers are the engine's",
    timeout: 180_000,
    async run(ctx) {
      const { steps } = JSON.parse(readFileSync(path.join(ctx.top, "web/tours/rollout.json"), "utf8"));
      for (const [locale, viewport] of [["en-US", { width: 1280, height: 800 }], ["fr-FR", { width: 390, height: 844 }], ["ja-JP", { width: 1024, height: 640 }]]) {
        const page = await openSite(ctx, { locale, viewport });
        if (viewport.width < 640) { await page.click("#menu-button"); await page.click(".menu button:has-text('pas à pas')"); await page.waitForSelector("#tour"); }
        else await play(page);
        for (const [at, step] of steps.entries()) {
          const words = await text(page), code = locale.slice(0, 2);
          ctx.assert.equal(words, step.text[code]);
          await settled(page);
          const now = await state(page);
          ctx.assert.deepEqual([now.recipe.method, now.recipe.layers, now.key, now.view], [step.state.recipe.method, step.state.recipe.layers, step.state.key, step.state.view]);
          const row = (await page.evaluate(({ recipe }) => window.rollscope.explain({ method: recipe.method, layers: recipe.layers, row: 0 }), now)).matrix[0];
          for (const [, said] of words.matchAll(/(\d+[.,]\d)\s%/g)) ctx.assert.ok(row.some((weight) => (100 * weight).toFixed(1) === said.replace(",", ".")), `${said} in step ${at + 1}`);
          const inside = await page.evaluate(() => { const panel = document.getElementById("tour"); return panel.scrollWidth <= panel.clientWidth + 1 && panel.getBoundingClientRect().bottom <= innerHeight + 1; });
          ctx.assert.ok(inside, "within the window");
          await ctx.picture(page, `tour_${code}_${at + 1}`);
          await page.keyboard.press("PageDown");
          await page.waitForFunction(([next, of]) => document.querySelectorAll(".tour-dots i")[Math.min(next, of - 1)].className === "now", [at + 1, steps.length]);
        }
        await page.keyboard.press("PageUp");
        ctx.assert.equal(await text(page), steps.at(-2).text[locale.slice(0, 2)]);
        await page.click("#tour button.sign");
        ctx.assert.equal(await page.$("#tour"), null);
      }
    },
  },
  {
    name: "a tour is made in the page, changed, and carried by a link and by one HTML file",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await page.click("#examples-button");
      await page.click(".menu button >> nth=-1");
      await page.click("#tour >> text=Add what is shown");
      await page.fill("#tour input", "For my class");
      await page.fill("#tour textarea", "First <b>this</b>.");
      await page.evaluate(() => window.rollscope.run("view.matrix"));
      await page.click("#tour >> text=Add what is shown");
      await page.fill("#tour textarea", "Then the matrix.");
      await page.evaluate(() => window.rollscope.run("select.query", { query: 4 }));
      await page.click("#tour >> text=Add what is shown");
      await page.fill("#tour textarea", "Last.");
      await page.click("#tour >> text=Earlier");
      ctx.assert.match(await page.innerText("#tour"), /Step 2 of 3/);
      await page.click("#tour >> text=Later");
      await page.click("#tour >> text=Play");
      await page.click("#tour-back");
      await page.click("#tour-back");
      await settled(page);
      ctx.assert.equal((await state(page)).view, "graph");
      await page.click("#share-button");
      await page.waitForSelector("#share tr.chosen");
      const link = await page.inputValue(".share-link");
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("#share button:has-text('HTML')")]);
      const file = path.join(ctx.scratch, "tour.html");
      writeFileSync(file, readFileSync(await download.path()));
      for (const address of [ctx.url + link.slice(link.indexOf("#")), pathToFileURL(file).href]) {
        const reader = await ctx.newPage({ locale: "fr-FR" });
        await reader.goto(address);
        await reader.waitForFunction(() => window.rollscope);
        await settled(reader);
        ctx.assert.equal(await text(reader), "First <b>this</b>.");
        ctx.assert.match(await reader.innerText("#tour"), /For my class/);
        await reader.click("#tour button.primary");
        await reader.click("#tour button.primary");
        await settled(reader);
        ctx.assert.equal(await text(reader), "Last.");
        const there = await state(reader);
        ctx.assert.deepEqual([there.view, there.query], ["matrix", 4]);
        await reader.click("#tour button.primary");
        ctx.assert.equal(await reader.$("#tour"), null, "the last one ends it");
        ctx.assert.ok(await openName(reader));
      }
    },
  },
  {
    name: "what a stranger's link calls a tour is read as far as it is one",
    async run(ctx) {
      const read = [null, 7, {}, { steps: [] }, { steps: [{ text: 5, state: {} }] }, { title: { en: "T".repeat(500) }, steps: [{ text: "x".repeat(9000), state: { view: "nonsense" } }, { text: {}, state: null }] }].map(readTour);
      ctx.assert.deepEqual(read.slice(0, 5), [null, null, null, null, null]);
      ctx.assert.deepEqual([read[5].title.en.length, read[5].steps.length, read[5].steps[0].text.length], [120, 1, 1200]);
    },
  },
];
