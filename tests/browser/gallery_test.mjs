// The gallery: a page for each example, under any path, with what chat programs read of it.
import { readFileSync } from "node:fs";
import path from "node:path";

export default [
  {
    name: "each example has a page of its own that opens it, with a title and a picture for chat programs",
    timeout: 120_000,
    async run(ctx) {
      const site = await ctx.newSite({ prefix: "/some/where/" });
      const { examples } = JSON.parse(readFileSync(path.join(ctx.top, "web/gallery/index.json"), "utf8"));
      for (const { id, file, title } of examples) {
        const page = await ctx.newPage();
        await page.goto(`${site}gallery/${id}.html`);
        ctx.assert.equal(await page.title(), `${title.en} – Rollscope`);
        const of = (property) => page.getAttribute(`meta[property="${property}"]`, "content");
        ctx.assert.equal(await of("og:title"), title.en);
        const picture = readFileSync(path.join(ctx.top, "build/site/gallery", await of("og:image")));
        ctx.assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1200, 630]);
        await page.evaluate(async () => { await window.rollscope.ready; await window.rollscope.idle(); });
        ctx.assert.equal(await page.textContent("#file-name"), file);
        await page.context().close();
      }
    },
  },
  {
    name: "all examples stand on one page without a script, in the system's colours",
    async run(ctx) {
      const page = await ctx.newPage({ colorScheme: "dark", context: { javaScriptEnabled: false } });
      await page.goto(`${ctx.url}gallery/`);
      ctx.assert.equal(await page.locator("a.example").count(), 6);
      ctx.assert.equal(await page.locator("script").count(), 0);
      await page.locator("a.example img").first().click();
      await page.waitForURL(/gallery\/sentiment_negative\.html/);
    },
  },
];
