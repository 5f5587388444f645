// Every command by a few letters, and the sheet of keys: both are made from the command table.
import assert from "node:assert/strict";
import path from "node:path";
import { fits } from "../../web/fuzzy.js";
import { choose, openSite, settled } from "./support/open.mjs";

const rows = (page) => page.$$eval("dialog.palette [role=option]", (all) => all.map((row) => ({
  text: row.firstElementChild.textContent, more: row.children[1]?.textContent ?? "", selected: row.getAttribute("aria-selected") === "true", disabled: row.getAttribute("aria-disabled") === "true",
})));
const state = (page) => page.evaluate(() => window.rollscope.state());

async function openPalette(page, chord = "Control+k") {
  await page.keyboard.press(chord);
  await page.waitForSelector("dialog.palette[open]");
}

export default [
  {
    name: "a few letters find what is meant, accents and case aside",
    run() {
      const found = (typed, ...texts) => texts.map((text) => [fits(typed, text), text]).filter(([score]) => score > 0).sort(([a], [b]) => b - a).map(([, text]) => text);
      assert.deepEqual(found("mat", "Format", "Show the matrix", "Matrix values"), ["Matrix values", "Show the matrix", "Format"]);
      assert.deepEqual(found("hf max", "Head fusion: Max", "Head fusion: Mean", "Method: Flow"), ["Head fusion: Max"]);
      assert.deepEqual(found("echelle", "Échelle de couleurs"), ["Échelle de couleurs"]);
      assert.deepEqual(found("行列", "行列を表示", "グラフを表示"), ["行列を表示"]);
      assert.deepEqual(found("xyz", "Show the matrix"), []);
      assert.ok(fits("", "anything") > 0);
    },
  },
  {
    name: "Ctrl+K lists the commands; letters, arrows and Enter run one, and it stands first the next time",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.focus("#canvas");
      await openPalette(page);
      ctx.assert.equal(await page.evaluate(() => document.activeElement.id), "palette-text");
      const all = await rows(page);
      const titles = all.map(({ text }) => text);
      for (const title of ["Show the matrix", "Head fusion: Max", "Undo", "Method: Rollout"]) ctx.assert.ok(titles.includes(title), title);
      ctx.assert.ok(all.find(({ text }) => text === "Show the matrix").more.includes("M"), "the shortcut stands beside it");
      ctx.assert.ok(all[0].selected);
      await page.keyboard.type("show");
      const found = await rows(page);
      ctx.assert.ok(found.every(({ text }) => /show/i.test(text)), JSON.stringify(found));
      const at = found.findIndex(({ text }) => text === "Show the matrix");
      for (let i = 0; i < at; ++i) await page.keyboard.press("ArrowDown");
      ctx.assert.equal((await rows(page)).find(({ selected }) => selected).text, "Show the matrix");
      const active = await page.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).textContent);
      ctx.assert.match(active, /Show the matrix/);
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog.palette", { state: "detached" });
      await settled(page);
      ctx.assert.equal((await state(page)).view, "matrix");
      ctx.assert.equal(await page.evaluate(() => document.activeElement.id), "canvas", "the focus goes back");
      await openPalette(page, "Control+Shift+P");
      ctx.assert.equal((await rows(page))[0].text, "Show the matrix");
      await ctx.picture(page, "palette_light");
      await page.keyboard.press("Control+k");
      await page.waitForSelector("dialog.palette", { state: "detached" });
    },
  },
  {
    name: "values are found with their command: a token, a method, another example",
    async run(ctx) {
      const page = await openSite(ctx);
      for (const [typed, holds] of [["terrible", async () => (await state(page)).query === 10], ["flow", async () => (await state(page)).recipe.method === "flow"]]) {
        await openPalette(page);
        await page.keyboard.type(typed);
        await page.keyboard.press("Enter");
        await page.waitForSelector("dialog.palette", { state: "detached" });
        await settled(page);
        ctx.assert.ok(await holds(), typed);
      }
      await page.click("#commands-button");
      await page.waitForSelector("dialog.palette[open]");
      await page.click("dialog.palette [role=option]:has-text('Language: Français')");
      await page.waitForFunction(() => document.documentElement.lang === "fr");
      await openPalette(page);
      await page.keyboard.type("methode attention brute");
      await page.keyboard.press("Enter");
      await settled(page);
      ctx.assert.equal((await state(page)).recipe.method, "raw");
    },
  },
  {
    name: "what cannot be had says why, and Enter on it changes nothing",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, path.join(ctx.top, "tests/dumps/minilm_cat.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz");
      await settled(page);
      await openPalette(page);
      await page.keyboard.type("show the image");
      const [image] = await rows(page);
      ctx.assert.ok(image.disabled);
      ctx.assert.equal(image.more, "this file holds no patch grid");
      await page.keyboard.press("Enter");
      ctx.assert.equal(await page.locator("dialog.palette").count(), 1);
      await page.fill("#palette-text", "grad-sam");
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog.palette [aria-disabled]");
      const [method] = await rows(page);
      ctx.assert.match(method.text, /Grad-SAM/);
      ctx.assert.match(method.more, /gradient/i);
      ctx.assert.equal((await state(page)).recipe.method, "rollout");
      await page.fill("#palette-text", "qqq");
      ctx.assert.equal(await page.isVisible(".palette-none"), true);
      ctx.assert.equal(await page.getAttribute("#palette-text", "aria-activedescendant"), null);
      await ctx.picture(page, "palette_none");
    },
  },
  {
    name: "a field that is being typed in and another dialog keep their keys",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.click("#help-button");
      await page.waitForSelector("dialog[open]");
      await page.keyboard.press("Control+k");
      await page.waitForTimeout(100);
      ctx.assert.equal(await page.locator("dialog.palette").count(), 0);
      await page.click("dialog button:has-text('All commands')");
      await page.waitForSelector("dialog.palette[open]");
      ctx.assert.equal(await page.locator("dialog[open]").count(), 1);
      await page.keyboard.type("m0");
      ctx.assert.equal(await page.inputValue("#palette-text"), "m0", "letters are no shortcuts here");
      ctx.assert.equal((await state(page)).view, "graph");
    },
  },
];
