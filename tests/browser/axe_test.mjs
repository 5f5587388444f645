// What axe-core finds wrong for people who see little or nothing, or have no mouse: nothing serious or critical, in any
// state of the page, any language, light or dark. The canvas itself is out of its reach; mirror_test.mjs is about that.
import { readFileSync } from "node:fs";
import path from "node:path";
import { npy } from "./support/big_dump.mjs";
import { choose, openSite, settled } from "./support/open.mjs";

const LOCALES = { en: "en-GB", fr: "fr-FR", ja: "ja-JP" };
const withoutWebGL = () => {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return /webgl/.test(kind) ? null : original.call(this, kind, ...more); };
};

// Without motion: in the midst of a fade a colour is none that anybody reads.
/** Adds what axe finds to `found`: what, where, and why. @param {any} ctx @param {any} page @param {string} state @param {string[]} found */
async function look(ctx, page, state, found) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(readFileSync(path.join(ctx.deps, "npm/playwright/node_modules/axe-core/axe.min.js"), "utf8"));
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations", "passes"] }));
  ctx.assert.ok(passes.length > 10, `${state}: axe has looked`);
  for (const { id, impact, nodes } of violations.filter((one) => one.impact === "serious" || one.impact === "critical")) {
    found.push(`${state}: ${impact} ${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary.replace(/\s+/g, " ")}`).join("; ")}`);
  }
}

async function closeDialog(page) {
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
}

/** Every dialog and state of the page with an open dump, one after another. @param {string} paste  what the button for tokens is called */
async function visit(ctx, page, paste) {
  const found = [];
  const dialog = async (state, open) => {
    await open();
    await page.waitForSelector("dialog[open]");
    await look(ctx, page, state, found);
    await closeDialog(page);
  };
  await look(ctx, page, "first visit", found);
  await page.focus("#mirror");
  await look(ctx, page, "the table in sight", found);
  await dialog("open", () => page.click("#open-button"));
  await dialog("help", async () => { await page.click("#help-button"); await page.click("dialog summary"); });
  await dialog("limits", () => page.evaluate(() => window.rollscope.run("limits")));
  await dialog("palette", async () => { await page.keyboard.press("Control+k"); await page.waitForSelector("dialog.palette"); await page.fill("#palette-text", "a"); });
  for (const menu of ["examples", "language", "theme"]) {
    await page.click(`#${menu}-button`);
    await look(ctx, page, `menu ${menu}`, found);
    await page.keyboard.press("Escape");
  }
  const shared = async () => { await page.click("#share-button"); await page.waitForSelector("#share tr.chosen"); };
  await shared();
  const link = await page.inputValue(".share-link");
  await look(ctx, page, "share", found);
  await closeDialog(page);
  await dialog("figure", async () => { await shared(); await page.click("#share .dialog-note button >> nth=1"); await page.waitForFunction(() => document.querySelector(".figure-picture")?.naturalWidth > 0); });
  await dialog("numbers", async () => { await shared(); await page.click("#share .dialog-note button >> nth=2"); await page.waitForSelector("#numbers"); });
  await page.click("#examples-button");
  await page.click(".menu button >> nth=-2");
  await page.waitForSelector("#tour");
  await settled(page);
  await look(ctx, page, "tour", found);
  await page.click("#tour .tour-head button >> nth=0");
  await look(ctx, page, "a tour being made", found);
  await page.click("#tour .tour-head button >> nth=-1");
  await page.evaluate((hash) => { location.hash = hash; }, link.slice(link.indexOf("#")));
  await page.waitForSelector("#sent");
  await settled(page);
  await look(ctx, page, "a link", found);
  await dialog("error", () => choose(page, { name: "letter.npz", buffer: Buffer.from("Dear reader, this is no dump.") }));
  await dialog("consent", () => page.evaluate(() => { location.hash = "src=https://example.org/attention.npz"; }));
  await dialog("question", () => choose(page, { name: "layer6.npy", buffer: npy([4, 3, 3], new Float32Array(36).fill(1 / 3)) }));
  await settled(page);
  await dialog("report", () => page.click("#report-button"));
  await dialog("tokens", async () => {
    await page.click("#report-button");
    await page.click(`dialog button.link:has-text("${paste}")`);
    await page.waitForSelector("#tokens-text");
  });
  await choose(page, { name: "sums.npy", buffer: npy([2, 1, 3, 3], new Float32Array(18).fill(0.3)) });
  await page.waitForSelector("#notices .notice");
  await look(ctx, page, "a notice", found);
  return found;
}

export default [
  ...Object.entries(LOCALES).flatMap(([language, locale]) => ["light", "dark"].map((colorScheme) => ({
    name: `nothing serious in ${language}, ${colorScheme}`,
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx, { locale, colorScheme, reducedMotion: "reduce" });
      ctx.assert.deepEqual(await visit(ctx, page, JSON.parse(readFileSync(path.join(ctx.top, `web/locales/${language}.json`), "utf8"))["dom.report.paste"]), []);
    },
  }))),
  {
    name: "nothing serious with high contrast, light and dark",
    timeout: 120_000,
    async run(ctx) {
      const found = [];
      for (const theme of ["light-contrast", "dark-contrast"]) {
        const page = await openSite(ctx, { reducedMotion: "reduce" }, `#theme=${theme}`);
        ctx.assert.equal(await page.getAttribute("html", "data-contrast"), "more");
        await look(ctx, page, theme, found);
        await page.click("#help-button");
        await page.waitForSelector("dialog");
        await look(ctx, page, `${theme} help`, found);
        await closeDialog(page);
        await page.keyboard.press("Control+k");
        await page.waitForSelector("dialog.palette");
        await look(ctx, page, `${theme} palette`, found);
      }
      ctx.assert.deepEqual(found, []);
    },
  },
  {
    name: "nothing serious on a phone, while something is dropped, and where nothing can be drawn or computed",
    timeout: 120_000,
    async run(ctx) {
      const found = [];
      const phone = await openSite(ctx, { viewport: { width: 390, height: 844 }, touch: true });
      await look(ctx, phone, "phone", found);
      await phone.tap("#menu-button");
      await look(ctx, phone, "phone menu", found);
      const desk = await openSite(ctx);
      await desk.evaluate(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["x"], "x.npy"));
        document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      });
      await look(ctx, desk, "drop", found);
      await look(ctx, await openSite(ctx, { init: withoutWebGL }), "no WebGL2", found);
      const old = await ctx.newPage({ init: () => { delete globalThis.WebAssembly; } });
      await old.goto(ctx.url);
      await old.waitForSelector("#mirror table");
      await look(ctx, old, "no WebAssembly", found);
      ctx.assert.deepEqual(found, []);
    },
  },
];
