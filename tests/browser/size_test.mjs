// The promise of a small first visit, held against what the browser really asks for.
import { LIMIT, measure, table } from "./size.mjs";

export default [
  {
    name: "a first visit downloads at most 650 kB",
    timeout: 120_000,
    async run(ctx) {
      const page = await ctx.newPage();
      await page.goto(ctx.url);
      await page.evaluate(() => window.rollscope.ready);
      await page.evaluate(() => window.rollscope.idle());
      const result = measure(ctx.requests.map((request) => request.url).filter((url) => url !== "/favicon.ico"));
      console.log(table(result));
      ctx.assert.ok(result.rows.some((row) => row.file.endsWith(".wasm")), "the page has loaded its modules");
      ctx.assert.ok(result.total <= LIMIT, `${result.total} bytes`);
    },
  },
  {
    name: "no visit asks another host for anything",
    async run(ctx) {
      const page = await ctx.newPage();
      const foreign = [];
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (!["blob:", "data:"].includes(url.protocol) && url.origin !== new URL(ctx.url).origin) foreign.push(request.url());
      });
      await page.goto(ctx.url);
      await page.evaluate(() => window.rollscope.ready);
      ctx.assert.deepEqual(foreign, []);
    },
  },
];
