// Views in pages of other hosts: pictures until they are clicked, messages, wheel and keys.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSite } from "./support/open.mjs";

const frameOf = async (page, at) => (await page.waitForSelector(`rollscope-view >> nth=${at} >> iframe`)).contentFrame();
const awake = (page) => page.$$eval("rollscope-view", (all) => all.length).then((count) => Promise.all(Array.from({ length: count }, async (_, at) => (await frameOf(page, at)).evaluate(() => !document.getElementById("poster") && !document.getElementById("canvas").hidden).catch(() => false))));

/** A page on the tests' own host that embeds the site, which lies on another one. */
async function host(ctx, body) {
  const site = await ctx.newSite({ prefix: "/some/where/" });
  const name = `host_${Math.random().toString(36).slice(2)}.html`;
  writeFileSync(path.join(ctx.scratch, name), `<!doctype html><meta charset="utf-8"><title>A lesson</title><script src="${site}embed/rollscope-view.js"></script><body style="margin: 0">${body}`);
  for (const dump of ["minilm_cat.npz", "sentiment_negative.npz"]) writeFileSync(path.join(ctx.scratch, dump), readFileSync(path.join(ctx.top, "tests/dumps", dump)));
  const page = await ctx.newPage();
  await page.goto(`${ctx.url}scratch/${name}`);
  return { page, site };
}

export default [
  {
    name: "eight views on a page are pictures until they are clicked; no more than six are alive, and the others keep what they showed",
    timeout: 240_000,
    async run(ctx) {
      const maker = await openSite(ctx);
      await maker.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.2 }));
      await maker.click("#share-button");
      await maker.waitForSelector("#share tr.chosen");
      const link = await maker.inputValue(".share-link");
      const views = [`src="minilm_cat.npz"`, `link="${link}"`, `src="sentiment_negative.npz" view="matrix"`, `src="minilm_cat.npz" view="heads"`, `src="minilm_cat.npz" theme="dark" lang="ja"`,
        `src="sentiment_negative.npz" view="depth"`, `src="minilm_cat.npz" state='{"query": 8, "recipe": {"residual": 0.7}}'`, `src="sentiment_negative.npz"`];
      const { page } = await host(ctx, views.map((attributes) => `<rollscope-view ${attributes} height="420"></rollscope-view><p>Text of a lesson.</p>`).join(""));
      for (let at = 0; at < 8; ++at) {
        await page.locator("rollscope-view").nth(at).scrollIntoViewIfNeeded();
        const frame = await frameOf(page, at);
        await frame.waitForFunction(() => document.querySelector("#poster img")?.naturalWidth > 0, undefined, { timeout: 60_000 });
        ctx.assert.equal(await frame.evaluate(() => document.getElementById("canvas").hidden), true, "no WebGL yet");
      }
      await ctx.picture(page, "embed_posters");
      ctx.assert.match(await (await frameOf(page, 1)).getAttribute("#poster img", "alt"), /residual 0\.20/);
      ctx.assert.match(await (await frameOf(page, 4)).innerText("#poster"), /クリックして操作/);
      for (let at = 0; at < 8; ++at) {
        await page.locator("rollscope-view").nth(at).scrollIntoViewIfNeeded();
        const frame = await frameOf(page, at);
        await frame.click("#poster");
        await frame.waitForFunction(() => !document.getElementById("poster") && !document.getElementById("canvas").hidden, undefined, { timeout: 60_000 });
        await frame.evaluate(() => window.rollscope.idle());
      }
      ctx.assert.deepEqual(await (await frameOf(page, 6)).evaluate(async () => { const { query, recipe } = await window.rollscope.state(); return [query, recipe.residual]; }), [8, 0.7]);
      await page.locator("rollscope-view").first().scrollIntoViewIfNeeded();
      await (await frameOf(page, 0)).waitForFunction(() => document.querySelector("#poster img")?.naturalWidth > 0, undefined, { timeout: 60_000 });
      await (await frameOf(page, 1)).waitForFunction(() => document.querySelector("#poster img")?.naturalWidth > 0, undefined, { timeout: 60_000 });
      ctx.assert.deepEqual(await awake(page), [false, false, true, true, true, true, true, true]);
      ctx.assert.equal((await (await frameOf(page, 1)).evaluate(() => window.rollscope.state())).recipe.residual, 0.2);
      ctx.assert.ok(!page.consoleLines.some((line) => /Too many active WebGL/.test(line)), page.consoleLines.join("\n"));
    },
  },
  {
    name: "only the page that holds a view is heard; its wheel and keys stay its own until the view is clicked, and Escape gives them back",
    timeout: 120_000,
    async run(ctx) {
      const { page } = await host(ctx, `<rollscope-view src="minilm_cat.npz" live height="420"></rollscope-view><iframe id="other" srcdoc="<p>someone else</p>"></iframe><div style="height: 3000px">Text</div>`);
      const frame = await frameOf(page, 0);
      await frame.waitForFunction(() => document.getElementById("file-name")?.textContent === "minilm_cat.npz", undefined, { timeout: 60_000 });
      await frame.evaluate(() => window.rollscope.idle());
      const own = await page.evaluate(() => document.querySelector("rollscope-view").ask("explain", { row: 8 }));
      ctx.assert.equal(own.queries[0], "it");
      await page.evaluate(() => document.querySelector("rollscope-view").ask("nonsense").then(() => "done", (error) => error.code)).then((code) => ctx.assert.equal(code, "usage"));
      const before = await frame.evaluate(() => window.rollscope.state());
      const stranger = await (await page.waitForSelector("#other")).contentFrame();
      const answered = await stranger.evaluate(() => new Promise((resolve) => {
        addEventListener("message", () => resolve(true));
        parent.frames[0].postMessage({ rollscope: 1, id: 1, verb: "setState", args: [{ query: 3 }] }, "*");
        setTimeout(() => resolve(false), 1500);
      }));
      ctx.assert.equal(answered, false);
      ctx.assert.deepEqual(await frame.evaluate(() => window.rollscope.state()), before);
      const replies = await page.evaluate(() => new Promise((resolve) => {
        let heard = 0;
        addEventListener("message", ({ data }) => { if (data?.id >= 5000) ++heard; });
        for (let n = 0; n < 1000; ++n) frames[0].postMessage({ rollscope: 1, id: 5000 + n, verb: "state", args: [] }, "*");
        setTimeout(() => resolve(heard), 3000);
      }));
      ctx.assert.ok(replies > 0 && replies <= 400, `${replies} of 1,000 messages in one breath`);
      ctx.assert.equal((await page.evaluate(() => document.querySelector("rollscope-view").ask("explain", { row: 8 }))).queries[0], "it", "and then it answers again");
      await page.mouse.move(500, 200);
      await page.mouse.wheel(0, 300);
      await page.waitForFunction(() => scrollY > 100);
      await page.evaluate(() => scrollTo(0, 0));
      await frame.click("#canvas", { position: { x: 300, y: 10 } });
      await page.mouse.move(500, 260);
      await page.mouse.wheel(0, 300);
      await page.waitForTimeout(300);
      ctx.assert.equal(await page.evaluate(() => scrollY), 0, "the view zooms");
      for (let times = 0; times < 3; ++times) await page.keyboard.press("Escape");  // what was chosen is let go first
      await frame.waitForFunction(() => document.activeElement !== document.getElementById("canvas"));
      await page.mouse.wheel(0, 300);
      await page.waitForFunction(() => scrollY > 100);
    },
  },
];
