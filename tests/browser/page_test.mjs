// What a visitor meets around the picture: errors, drops, languages, themes, and browsers that lack something.
import { readFileSync } from "node:fs";
import path from "node:path";
import { npy } from "./support/big_dump.mjs";
import { choose, explain, openName, openSite, settled } from "./support/open.mjs";

const words = (ctx, language) => JSON.parse(readFileSync(path.join(ctx.top, `web/locales/${language}.json`), "utf8"));

/** Columns sum to 1, rows do not. */
function exchanged() {
  const cell = [0.7, 0.2, 0.6, 0.2, 0.5, 0.1, 0.1, 0.3, 0.3];
  return npy([2, 2, 3, 3], Array.from({ length: 36 }, (_, i) => cell[i % 9]));
}

const third = () => npy([2, 1, 3, 3], new Float32Array(18).fill(1 / 3));

const withoutWebGL = () => {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return /webgl/.test(kind) ? null : original.call(this, kind, ...more); };
};

export default [
  {
    name: "an error names the file, the cause, a remedy, and that nothing else has changed",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, { name: "letter.npz", buffer: Buffer.from("Dear reader, this is no dump.") });
      await page.waitForSelector("dialog");
      const text = await page.textContent("dialog");
      ctx.assert.match(await page.textContent("dialog h2"), /letter\.npz/);
      ctx.assert.match(text, /numpy\.savez/);
      const script = await page.evaluate(async (href) => { const answer = await fetch(href); return [answer.ok, (await answer.text()).includes("def save(")]; }, await page.getAttribute("dialog a[download]", "href"));
      ctx.assert.deepEqual(script, [true, true], "what saves the attention lies on the site");
      ctx.assert.match(text, /Your open file, sentiment_negative\.npz, is unchanged\./);
      ctx.assert.equal(await page.textContent("dialog .dialog-note code"), "unknown_format");
      await ctx.picture(page, "error_light");
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog", { state: "detached" });
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
    },
  },
  {
    name: "exchanged rows and columns are opened by one button",
    async run(ctx) {
      const page = await openSite(ctx, { colorScheme: "dark" });
      await choose(page, { name: "run.npy", buffer: exchanged() });
      await page.waitForSelector("dialog");
      ctx.assert.equal(await page.textContent("dialog .dialog-note code"), "transposed");
      await ctx.picture(page, "error_dark");
      await page.click("dialog button.primary");
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "run.npy");
      ctx.assert.equal((await page.evaluate(() => window.rollscope.info())).assumed.orientation, "columns");
    },
  },
  {
    name: "an assumption of the importer is switched in its report",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, { name: "layer6.npy", buffer: npy([4, 3, 3], new Float32Array(36).fill(1 / 3)) });
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "layer6.npy");
      ctx.assert.equal((await page.evaluate(() => window.rollscope.info())).streams[0].layers, 4);
      await page.waitForSelector("dialog .readings");
      await page.keyboard.press("Escape");
      await page.click("#report-button");
      await page.waitForSelector("dialog");
      await ctx.picture(page, "report");
      await page.click("dialog button.link:has-text('heads of one layer')");
      await page.waitForFunction(async () => (await window.rollscope.info()).streams[0].heads === 4);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.info())).streams[0].layers, 1);
    },
  },
  {
    name: "while a file is dragged over the page it says what a drop does",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.evaluate(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["x"], "x.npy"));
        document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      });
      ctx.assert.match(await page.textContent("#drop"), /Drop to open/);
      await ctx.picture(page, "drop");
    },
  },
  ...["en", "fr", "ja"].map((language) => ({
    name: `a browser that asks for ${language} gets it, and no key shows through`,
    async run(ctx) {
      const page = await openSite(ctx, { locale: { en: "en-GB", fr: "fr-FR", ja: "ja-JP" }[language] });
      ctx.assert.equal(await page.getAttribute("html", "lang"), language);
      ctx.assert.equal(await page.textContent("#open-button"), words(ctx, language)["dom.header.open"]);
      await page.click("#help-button");
      const text = await page.textContent("body");
      const keys = (text.match(/\b(dom|ui|command|error|report)(\.[a-z_]+)+/g) ?? []);
      ctx.assert.deepEqual(keys, []);
      await ctx.picture(page, `help_${language}`);
      await page.keyboard.press("Escape");
      await ctx.picture(page, `first_visit_${language}_light`);
      ctx.assert.deepEqual(page.consoleLines.filter((line) => line.startsWith("error")), []);
    },
  })),
  {
    name: "words that a first visit does without come when they are needed, in the language chosen since",
    async run(ctx) {
      const page = await openSite(ctx);
      const asked = () => ctx.requests.map(({ url }) => url).filter((url) => /later\.json|mono/.test(url)).map((url) => path.basename(url));
      ctx.assert.deepEqual(asked(), []);
      await page.click("#language-button");
      await page.click(".menu button:has-text('Français')");
      await page.waitForFunction(() => document.documentElement.lang === "fr");
      await choose(page, { name: "letter.npz", buffer: Buffer.from("Dear reader, this is no dump.") });
      await page.waitForSelector("dialog");
      ctx.assert.ok(asked().includes("fr.later.json") && !asked().includes("en.later.json"), String(asked()));
      ctx.assert.equal(await page.textContent("dialog .dialog-foot button.primary"), words(ctx, "fr")["dom.back_to"].replace("{file}", "sentiment_negative"));
      await page.keyboard.press("Escape");
      await page.click("#language-button");
      await page.click(".menu button:has-text('日本語')");
      await page.waitForFunction(() => document.documentElement.lang === "ja");
      await page.click("#help-button");
      await page.waitForSelector("dialog");
      ctx.assert.ok((await page.textContent("dialog")).includes(words(ctx, "ja")["dom.help.private"]));
      const titles = (await page.evaluate(() => window.rollscope.commands())).map(({ title }) => title);
      ctx.assert.ok(titles.includes(words(ctx, "ja")["command.undo"]), titles.join(", "));
    },
  },
  {
    name: "words that do not arrive are never replaced by keys, and may be asked for again",
    async run(ctx) {
      const page = await openSite(ctx, { locale: "fr-FR" });
      await page.route("**/*.later.json", (route) => route.fulfill({ status: 503, body: "busy" }));
      await page.click("#help-button");
      await page.waitForSelector("#notices .notice");
      ctx.assert.equal(await page.locator("dialog").count(), 0);
      ctx.assert.equal(await page.textContent("#notices .notice p"), words(ctx, "fr")["dom.part_missing"]);
      ctx.assert.doesNotMatch(await page.textContent("body"), /\b(dom|ui|error|command)\.[a-z_]+/);
      await page.unroute("**/*.later.json");
      await page.click("#help-button");
      await page.waitForSelector("dialog");
      page.problems.length = 0;  // what a missing part throws is told above
    },
  },
  {
    name: "a chosen language and theme are kept for the next visit",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.click("#language-button");
      await page.click(".menu button:has-text('Français')");
      await page.waitForFunction(() => document.documentElement.lang === "fr");
      await page.click("#theme-button");
      await page.click(".menu button:has-text('Sombres'):not(:has-text('contraste'))");
      ctx.assert.equal(await page.getAttribute("html", "data-theme"), "dark");
      await page.reload();
      await settled(page);
      ctx.assert.equal(await page.getAttribute("html", "lang"), "fr");
      ctx.assert.equal(await page.getAttribute("html", "data-theme"), "dark");
      ctx.assert.equal(await page.textContent("#open-button"), "Ouvrir…");
      await page.goto("about:blank");
      await page.goto(ctx.url + "?lang=ja#theme=light");
      await settled(page);
      ctx.assert.equal(await page.getAttribute("html", "lang"), "ja");
      ctx.assert.equal(await page.getAttribute("html", "data-theme"), "light");
    },
  },
  {
    name: "the theme follows the system while the page is open",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
      await settled(page);
      await ctx.picture(page, "first_visit_en_dark");
    },
  },
  {
    name: "more contrast is what the system asks for or the visitor chooses, from the first paint on",
    async run(ctx) {
      const looks = (page) => page.evaluate(() => {
        const { theme, contrast } = document.documentElement.dataset, style = getComputedStyle(document.body);
        return [theme, contrast, style.color, style.backgroundColor];
      });
      const page = await openSite(ctx, { context: { contrast: "more" } });
      ctx.assert.deepEqual(await looks(page), ["light", "more", "rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
      await page.click("#theme-button");
      await ctx.picture(page, "theme_menu_contrast");
      await page.click(".menu button:has-text('Light'):not(:has-text('contrast'))");
      ctx.assert.equal((await looks(page))[1], "", "a choice goes before the system");
      await page.click("#theme-button");
      await page.click(".menu button:has-text('Dark, high contrast')");
      ctx.assert.deepEqual(await looks(page), ["dark", "more", "rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
      await page.click("#help-button");
      await page.waitForSelector("dialog");
      await ctx.picture(page, "help_dark_contrast");
      await page.addInitScript(() => addEventListener("DOMContentLoaded", () => { window.early = { ...document.documentElement.dataset }; }));
      await page.reload();
      await settled(page);
      ctx.assert.deepEqual(await page.evaluate(() => window.early), { theme: "dark", contrast: "more" });
      await page.click("#theme-button");
      await page.click(".menu button:has-text('As the system has it')");
      ctx.assert.deepEqual((await looks(page)).slice(0, 2), ["light", "more"]);
      await page.emulateMedia({ contrast: "no-preference" });
      await page.waitForFunction(() => document.documentElement.dataset.contrast === "");
      await page.emulateMedia({ forcedColors: "active" });
      await page.waitForFunction(() => document.documentElement.dataset.contrast === "more");
      await page.click("#theme-button");
      const chosen = await page.evaluate(() => ["true", "false"].map((checked) => getComputedStyle(document.querySelector(`.menu [aria-checked=${checked}]`)).backgroundColor));
      ctx.assert.notEqual(chosen[0], chosen[1], "what is chosen shows in the system's colours, too");
      await ctx.picture(page, "theme_menu_forced");
    },
  },
  {
    name: "storage that is refused costs nothing but the memory of choices",
    async run(ctx) {
      const page = await openSite(ctx, { init: () => { Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } }); } });
      await page.click("#theme-button");
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      ctx.assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    },
  },
  {
    name: "without WebGL2 the table is complete and can be asked",
    async run(ctx) {
      const page = await openSite(ctx, { init: withoutWebGL });
      ctx.assert.match(await page.textContent("#message"), /cannot draw the views. The table below is complete/);
      const cells = () => page.$$eval("#mirror tbody tr", (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
      const first = await cells();
      ctx.assert.equal(first.length, 13);
      ctx.assert.deepEqual(first[10].slice(0, 2), ["terrible", "49.7%"]);
      await ctx.picture(page, "no_webgl");
      await page.selectOption("#table-output", "8");
      await page.waitForFunction((before) => document.querySelector("#mirror tbody td").textContent !== before, first[0][1]);
      ctx.assert.match(await page.textContent("#mirror caption"), /plot/);
      await choose(page, { name: "small.npy", buffer: third() });
      await page.waitForFunction(() => document.querySelectorAll("#mirror tbody tr").length === 3);
    },
  },
  {
    name: "without WebAssembly the page says what it needs",
    async run(ctx) {
      const page = await ctx.newPage({ init: () => { delete globalThis.WebAssembly; } });
      await page.goto(ctx.url);
      await page.waitForSelector("#message:not([hidden])");
      ctx.assert.match(await page.textContent("#message"), /needs WebAssembly/);
      await page.waitForSelector("#mirror table");
      ctx.assert.match(await page.textContent("#mirror"), /terrible.*49\.7/s);
      await page.selectOption("#table-output", "10");
      await page.waitForFunction(() => /Output terrible/.test(document.querySelector("#mirror").textContent));
      await ctx.picture(page, "no_wasm");
    },
  },
  {
    name: "a file of the page that does not arrive is named",
    async run(ctx) {
      const page = await ctx.newPage();
      await page.route("**/engine-first.wasm", (route) => route.fulfill({ status: 503, body: "busy" }));
      await page.goto(ctx.url);
      await page.waitForSelector("#message:not([hidden])");
      ctx.assert.match(await page.textContent("#message"), /engine-first\.wasm: HTTP 503/);
    },
  },
  {
    name: "the page can ask no other host, whatever a script tries",
    async run(ctx) {
      const page = await openSite(ctx);
      const blocked = await page.evaluate(() => fetch("https://example.org/").then(() => false, () => true));
      ctx.assert.ok(blocked);
      ctx.assert.ok((await page.evaluate(() => window.violations)).some((line) => /connect-src.*example\.org/.test(line)));
    },
  },
  {
    name: "the keyboard reaches everything, and dialogs give the focus back",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.evaluate(() => document.activeElement?.blur());
      const reached = [];
      for (let i = 0; i < 9; ++i) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate(() => document.activeElement?.id));
      }
      for (const id of ["open-button", "examples-button", "language-button", "commands-button", "theme-button", "help-button", "canvas"]) ctx.assert.ok(reached.includes(id), `${id} in ${reached}`);
      await page.focus("#help-button");
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog");
      ctx.assert.ok(await page.evaluate(() => document.querySelector("dialog").contains(document.activeElement)));
      await page.keyboard.press("Escape");
      ctx.assert.equal(await page.evaluate(() => document.activeElement.id), "help-button");
      await page.focus("#examples-button");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz");
    },
  },
  {
    name: "keys of the canvas open the sheet of help, which lists every command",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.focus("#canvas");
      await page.keyboard.press("?");
      await page.waitForSelector("dialog");
      const commands = await page.evaluate(() => window.rollscope.commands());
      await page.click("dialog summary");
      ctx.assert.equal(await page.locator("dialog .keysheet tr").count(), commands.length);
    },
  },
  {
    name: "a screen reader finds the explanation as a table and hears each choice",
    async run(ctx) {
      const page = await openSite(ctx);
      const rows = await page.$$eval("#mirror tbody tr", (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
      ctx.assert.equal(rows.length, 13);
      ctx.assert.deepEqual(rows.find(([token]) => token === "terrible").slice(0, 2), ["terrible", "49.7%"]);
      ctx.assert.match(await page.textContent("#mirror caption"), /\[CLS\]/);
      await page.evaluate(() => window.rollscope.run("select.query", { query: 10 }));
      await settled(page);
      ctx.assert.match(await page.textContent("#live"), /terrible/);
      const visible = await page.evaluate(() => document.getElementById("mirror").getBoundingClientRect().width);
      ctx.assert.ok(visible <= 1, "it is out of sight");
    },
  },
  {
    name: "on a phone the same actions stand in one menu",
    async run(ctx) {
      const page = await openSite(ctx, { viewport: { width: 390, height: 844 }, touch: true, dpr: 2 });
      ctx.assert.equal(await page.isVisible("#examples-button"), false);
      await page.tap("#menu-button");
      const entries = await page.$$eval(".menu button", (all) => all.map((one) => one.querySelector(".menu-text").textContent));
      ctx.assert.equal(entries[0], "Open…");
      ctx.assert.equal(entries.at(-1), "Help");
      ctx.assert.equal(entries.length, 3 + 6 + 2 + 3 + 5 + 1);  // open, share, commands; examples, tours, languages, colours; help
      await ctx.picture(page, "phone_menu");
      await page.keyboard.press("Escape");
      await ctx.picture(page, "phone_light");
      ctx.assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    },
  },
  {
    name: "an engine that dies is replaced: the open dump answers again, and the next file opens",
    async run(ctx) {
      const page = await openSite(ctx, {
        init: () => {
          const Original = window.Worker;
          window.Worker = class extends Original { constructor(...more) { super(...more); window.engineWorker = this; } };
        },
      });
      await page.evaluate(() => window.engineWorker.dispatchEvent(new ErrorEvent("error", { message: "RuntimeError: memory access out of bounds" })));
      ctx.assert.ok(Math.abs((await explain(page, { row: 0 })).matrix[0][10] - 0.497) < 0.001, "the dump was read again");
      ctx.assert.equal(await page.textContent("#notices"), "", "nothing was lost, so there is nothing to say");
      await choose(page, { name: "small.npy", buffer: third() });
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "small.npy");
      ctx.assert.equal((await explain(page, { row: 0 })).matrix[0].length, 3);
    },
  },
];
