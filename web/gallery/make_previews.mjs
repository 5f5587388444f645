// Makes previews/NAME.png, the pictures that chat programs show beside a link to an example: the built site in Chromium,
// 1200 x 630. Run after a change of the look: node web/gallery/make_previews.mjs
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../serve.mjs";

const here = path.dirname(fileURLToPath(import.meta.url)), top = path.resolve(here, "../..");
const { chromium } = createRequire(path.join(top, "build/deps/npm/playwright/package.json"))("playwright-core");
const server = await serve({ mounts: [{ prefix: "/", root: path.join(top, "build/site") }] });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const { examples } = JSON.parse(readFileSync(path.join(here, "index.json"), "utf8"));
for (const { id } of examples) {
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 630 }, locale: "en-US", colorScheme: "light" })).newPage();
  await page.goto(`http://127.0.0.1:${server.port}/gallery/${id}.html`);
  await page.evaluate(async () => { await window.rollscope.ready; await window.rollscope.idle(); });
  await page.screenshot({ path: path.join(here, `previews/${id}.png`) });
}
await browser.close();
server.close();
