// Runs the browser tests: the built site in Chromium, served by web/serve.mjs on a free port.
//
//   node tests/browser/run.mjs [WORD...]     only tests whose "file: name" holds one of the words
//
// A test file is tests/browser/NAME_test.mjs:
//
//   export default [
//     { name: "opens a dump by its address",
//       timeout: 90_000,                                  // ms, default 60,000; a test that hangs has failed
//       async run(ctx) {
//         const page = await ctx.newPage({ viewport: { width: 390, height: 844 }, dpr: 2 });
//         await page.goto(ctx.url + "#src=" + ctx.dumpUrl("minilm_cat.npz"));
//         ctx.assert.equal(await page.title(), "Rollscope");
//       } },
//   ];
//
// ctx.url            the site's address, with "/" at its end
// ctx.dumpUrl(name)  address of tests/dumps/name, or of a file in ctx.scratch, or of web/gallery/name
// ctx.scratch        a folder of this run, served too: dumps that a test makes
// ctx.newPage(o)     a playwright Page in a context of its own, closed after the test. o: {viewport, dpr, locale,
//                    colorScheme, reducedMotion, touch, init (a script run before the page's), context (further
//                    playwright options)}. 1280 x 800 at dpr 1 by default. What the page throws fails the test, and so does a key
//                    that shows where words belong; page.consoleLines holds the console's lines, page.problems what it threw
// ctx.newSite(o)     the site again with other surroundings: {prefix: "/some/path/", headers}; returns its address
// ctx.afterwards(f)  f is called after the test
// ctx.requests       what the site's server was asked for by this test: [{url, range}]
// ctx.assert         node:assert/strict
// ctx.picture(page, name)   a screenshot into build/pictures/name.png, for people to look at
// ctx.deps           build/deps; ctx.top: the repository; ctx.browser: playwright's Browser
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { serve } from "../../web/serve.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const top = path.resolve(here, "../..");
const deps = path.join(top, "build/deps");
const site = path.join(top, "build/site");
const { chromium } = createRequire(path.join(deps, "npm/playwright/package.json"))("playwright-core");

const CHROMIUM = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Rejects when `promise` takes longer than `ms`. */
function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`not finished after ${ms / 1000} s`)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What one test is given, and how to clear it away. */
function makeContext(shared) {
  const opened = [], servers = [], pages = [], last = [];
  const ctx = {
    ...shared, assert, top, deps, requests: [],
    dumpUrl(name) {
      const folders = [["scratch", shared.scratch], ["dumps", path.join(top, "tests/dumps")], ["gallery", path.join(site, "gallery")]];
      const [prefix] = folders.find(([, folder]) => existsSync(path.join(folder, name))) ?? assert.fail(`no dump ${name}`);
      return `${shared.url}${prefix}/${encodeURIComponent(name)}`;
    },
    async newPage({ viewport = { width: 1280, height: 800 }, dpr = 1, locale = "en-US", colorScheme = "light", reducedMotion = "no-preference",
                    touch = false, init, context: more = {} } = {}) {
      const context = await shared.browser.newContext({ viewport, deviceScaleFactor: dpr, locale, colorScheme, reducedMotion, hasTouch: touch, ...more });
      opened.push(context);
      context.setDefaultTimeout(30_000);
      if (init) await context.addInitScript(init);
      const page = await context.newPage();
      page.problems = []; page.consoleLines = [];
      page.on("pageerror", (error) => page.problems.push(error));
      page.on("crash", () => page.problems.push(new Error("the page crashed")));
      page.on("console", (message) => page.consoleLines.push(`${message.type()}: ${message.text()}`));
      pages.push(page);
      return page;
    },
    async newSite({ prefix = "/", headers = {} } = {}) {
      const server = await serve({ mounts: [{ prefix, root: site }], headers });
      servers.push(server);
      return `http://127.0.0.1:${server.port}${prefix}`;
    },
    afterwards(work) { last.push(work); },
    async picture(page, name) {
      const folder = path.join(top, "build/pictures");
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: path.join(folder, `${name}.png`) });
    },
  };
  const close = async () => {
    await within(15_000, Promise.all([...opened.map((context) => context.close()), ...servers.map((server) => server.close())])).catch(() => {});
    for (const work of last) await work();
  };
  return { ctx, pages, close };
}

async function runOne(test, shared, log) {
  const { ctx, pages, close } = makeContext(shared);
  log.into = ctx.requests;
  try {
    await within(test.timeout ?? 60_000, Promise.resolve().then(() => test.run(ctx)));
    const thrown = pages.flatMap((page) => page.problems);
    if (thrown.length > 0) throw thrown[0];
    const wordless = pages.flatMap((page) => page.consoleLines).find((line) => /^warning: No words for /.test(line));
    if (wordless) throw new Error(wordless);  // a key showed where words belong
    return null;
  } catch (error) {
    const lines = pages.flatMap((page) => page.consoleLines).slice(-12).map((line) => `    console ${line}`);
    return [error?.stack ?? String(error), ...lines].join("\n");
  } finally {
    await close();
  }
}

async function main(words) {
  if (!existsSync(path.join(site, "index.html"))) throw new Error("build/site is not there; tests/run browser builds it");
  const scratch = mkdtempSync(path.join(os.tmpdir(), "rollscope-browser-"));
  const log = { into: [] };
  const server = await serve({
    mounts: [{ prefix: "/scratch/", root: scratch }, { prefix: "/dumps/", root: path.join(top, "tests/dumps") }, { prefix: "/", root: site }],
    onRequest: (url, range) => log.into.push({ url, range }),
  });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM });
  const shared = { url: `http://127.0.0.1:${server.port}/`, scratch, browser };
  let passed = 0, failed = 0;
  for (const file of readdirSync(here).filter((name) => name.endsWith("_test.mjs")).sort()) {
    let tests;
    try { tests = (await import(pathToFileURL(path.join(here, file)).href)).default; }
    catch (error) { tests = [{ name: "can be loaded", run: () => { throw error; } }]; }
    for (const test of tests) {
      const title = `${file.replace(/_test\.mjs$/, "")}: ${test.name}`;
      if (words.length > 0 && !words.some((word) => title.includes(word))) continue;
      const start = Date.now();
      const problem = await runOne(test, shared, log);
      if (problem === null) passed++; else failed++;
      console.log(`${problem === null ? "ok  " : "FAIL"} ${title} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      if (problem !== null) console.log(problem.replace(/^/gm, "     "));
    }
  }
  await within(15_000, browser.close()).catch(() => {});
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

await main(process.argv.slice(2));
