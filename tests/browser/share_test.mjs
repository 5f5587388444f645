// Links: made in the page, opened in another one, and what happened to them on the way.
import { readFileSync } from "node:fs";
import path from "node:path";
import { choose, explain, openName, openSite, settled } from "./support/open.mjs";

const shared = async (page) => { await page.click("#share-button"); await page.waitForSelector("#share tr.chosen"); };
const fragment = async (page) => { const link = await page.inputValue(".share-link"); return link.slice(link.indexOf("#")); };
const rungs = (page) => page.$$eval("#share tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.split("\n")[0])));
const dump = (ctx, name) => ({ name, buffer: readFileSync(path.join(ctx.top, "tests/dumps", name)) });
const offBy = (a, b) => Math.max(...a.matrix.flatMap((row, i) => row.map((weight, j) => Math.abs(weight - b.matrix[i][j]))));

export default [
  {
    name: "the dialog says what travels, where it fits and what it costs, and each link gives what it said",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await page.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.25 }));
      await page.evaluate(() => window.rollscope.run("recipe.layers", { first: 1, last: 3 }).catch(() => {}));
      await settled(page);
      const { recipe } = await page.evaluate(() => window.rollscope.state());
      const exact = await explain(page, recipe);
      await shared(page);
      ctx.assert.match(await page.innerText("#share tr.chosen"), /Layers in 255 steps/, "the richest that fits a chat message");
      ctx.assert.equal((await rungs(page)).length, 6);
      ctx.assert.ok(await page.isVisible(".share-qr svg"));
      for (const at of [2, 3, 5]) {
        await page.click(`#rung-${at}`);
        const [, , , characters, error] = (await rungs(page))[at];
        const link = await page.inputValue(".share-link");
        ctx.assert.equal(link.length, Number(characters.replace(",", "")));
        ctx.assert.ok(link.startsWith(`${ctx.url}#a1d`), link.slice(0, 40));
        ctx.assert.match(link, /[A-Za-z0-9]$/);
        const reader = await openSite(ctx, {}, await fragment(page));
        ctx.assert.equal(await openName(reader), "shared by link");
        const state = await reader.evaluate(() => window.rollscope.state());
        if (at > 2) ctx.assert.deepEqual([state.recipe.residual, state.recipe.layers], [recipe.residual, recipe.layers], "the view came along");
        const shown = await explain(reader, at > 2 ? state.recipe : {});
        ctx.assert.ok(offBy(exact, shown) <= Number(error) + 5e-5, `${offBy(exact, shown)} of ${error}`);
        ctx.assert.match(await reader.innerText("#sent"), /Residual 0.25, standard 0.5/);
      }
    },
  },
  {
    name: "a link opens with a line that says whose it is, in the reader's language, with the writer's note; the standard recipe is one click away",
    timeout: 90_000,
    async run(ctx) {
      const page = await openSite(ctx, { locale: "fr-FR" });
      await page.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.9 }));
      await shared(page);
      await page.click("text=Une note");
      await page.fill(".share-note", "<img src=x onerror=alert(1)> voyez « terrible »");
      await page.press(".share-note", "Tab");
      await page.waitForFunction(() => document.querySelector(".share-link").value.includes("&v=") && !document.querySelector("#share button.primary").disabled);
      await page.click("#rung-5");
      const reader = await openSite(ctx, { locale: "ja-JP" }, await fragment(page));
      const said = await reader.innerText("#sent");
      ctx.assert.match(said, /このリンクは誰かから送られたものです/);
      ctx.assert.match(said, /<img src=x onerror=alert\(1\)> voyez « terrible »/);
      ctx.assert.match(said, /残差 0.9、標準は 0.5/);
      await reader.waitForFunction(() => /最上位のトークン/.test(document.querySelector("#sent").innerText));
      ctx.assert.equal(await reader.getAttribute("html", "lang"), "ja", "a link does not carry its writer's language");
      await reader.click("#sent button.link");
      ctx.assert.match(await reader.innerText("dialog"), /although the music was good/);
      await reader.keyboard.press("Escape");
      await reader.click("#sent-standard");
      await settled(reader);
      ctx.assert.equal((await reader.evaluate(() => window.rollscope.state())).recipe.residual, 0.5);
      ctx.assert.deepEqual(await reader.evaluate(() => window.violations), []);
      await ctx.picture(reader, "link_ja");
    },
  },
  {
    name: "scripts get the same links as the command line",
    async run(ctx) {
      const page = await openSite(ctx, {}, `#src=${encodeURIComponent(ctx.dumpUrl("minilm_cat.npz"))}`);
      const link = await page.evaluate(() => window.rollscope.link({ payload: "layers", budget: 1900, residual: 0.3, row: 8 }));
      const { required } = JSON.parse(readFileSync(path.join(ctx.top, "tests/contracts/link.schema.json"), "utf8"));
      for (const name of required) ctx.assert.ok(name in link, name);
      ctx.assert.ok(link.link.startsWith(ctx.url) && link.characters <= 1900 && link.payload === "layers");
      const reader = await openSite(ctx, {}, link.fragment);
      const { recipe, query } = await reader.evaluate(() => window.rollscope.state());
      ctx.assert.deepEqual([recipe.residual, query], [0.3, 8]);
      const failed = await page.evaluate(() => window.rollscope.link({ budget: 5 }).then(() => "", ({ code }) => code));
      ctx.assert.equal(failed, "too_big");
      const { svg } = await page.evaluate(() => window.rollscope.figure({ view: "row", query: 8 }));
      ctx.assert.match(svg, /^<\?xml/);
    },
  },
  {
    name: "text can be left out",
    async run(ctx) {
      const page = await openSite(ctx);
      await shared(page);
      const long = (await page.inputValue(".share-link")).length;
      await page.click("#share label:has-text('The text')");
      await page.waitForFunction((before) => document.querySelector(".share-link").value.length < before, long);
      ctx.assert.match(await page.innerText("#share"), /The link holds no text/);
      const reader = await openSite(ctx, {}, await fragment(page));
      const { keys } = await explain(reader, {});
      ctx.assert.deepEqual(keys.slice(0, 3), ["1", "2", "3"]);
    },
  },
  {
    name: "cut, changed, newer and encoded links: a message each, what can be saved, and a page that stays usable",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await shared(page);
      const good = await fragment(page);
      const data = good.split("&")[0];
      for (const [sent, code] of [[data.slice(0, 300), "link_cut"], [`${data.slice(0, 200)}${data[200] === "x" ? "y" : "x"}${data.slice(201)}`, "link_damaged"], [`#a2${good.slice(3)}`, "newer_version"]]) {
        const reader = await openSite(ctx, {}, sent);
        await reader.waitForSelector("dialog.error");
        const text = await reader.innerText("dialog.error");
        ctx.assert.ok(text.includes(code), text);
        ctx.assert.equal(text.includes("although the music was good"), code !== "newer_version", "the text, where it has arrived");
        await reader.keyboard.press("Escape");
        ctx.assert.equal(await openName(reader), "sentiment_negative.npz", "the page is that of a visit without a link");
        ctx.assert.ok((await explain(reader, { row: 0 })).matrix);
      }
      for (const sent of [encodeURIComponent(good.slice(1)).replace(/^/, "#"), `#${encodeURIComponent(encodeURIComponent(good.slice(1)))}`, `${good}>.`, `${good.slice(0, 90)}%20${good.slice(90)}`]) {
        const reader = await openSite(ctx, {}, sent);
        ctx.assert.equal(await openName(reader), "shared by link", sent.slice(0, 60));
      }
      const broken = await openSite(ctx, {}, `${data}&v=1dAAAA.0000`);
      ctx.assert.equal(await openName(broken), "shared by link", "a view that cannot be read leaves the data");
      ctx.assert.match(await broken.innerText("#notices"), /view|“v”|v /);
    },
  },
  {
    name: "a link beside an open file replaces it only when it can be read",
    async run(ctx) {
      const page = await openSite(ctx);
      await shared(page);
      const good = await fragment(page);
      await page.click("#share button:text-is('Close')");
      await choose(page, dump(ctx, "minilm_cat.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz");
      await page.evaluate((hash) => { location.hash = hash; }, good.slice(0, 250));
      await page.waitForSelector("dialog.error");
      await page.keyboard.press("Escape");
      ctx.assert.equal(await openName(page), "minilm_cat.npz");
      await page.evaluate((hash) => { location.hash = hash; }, good);
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "shared by link");
      await page.waitForSelector("#sent");
      await choose(page, dump(ctx, "minilm_cat.npz"));
      await page.waitForSelector("#sent", { state: "detached" });
      ctx.assert.equal(await openName(page), "minilm_cat.npz", "the line goes with its dump");
    },
  },
  {
    name: "a view-only link asks for its file, knows another one by its digest, and a dump at an address is linked by it",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, dump(ctx, "minilm_cat.npz"));
      await page.waitForFunction(() => document.getElementById("file-name").textContent === "minilm_cat.npz");
      await page.evaluate(() => window.rollscope.run("select.query", { query: 8 }));
      await settled(page);
      await shared(page);
      await page.click("#rung-0");
      const view = await fragment(page);
      ctx.assert.match(view, /sha=[0-9a-f]{16}$/);
      for (const [file, query] of [["minilm_pair.npz", 0], ["minilm_cat.npz", 8]]) {
        const reader = await openSite(ctx, {}, view);
        const [chooser] = await Promise.all([reader.waitForEvent("filechooser"), reader.click("#notices >> text=Choose the file")]);
        await chooser.setFiles({ mimeType: "", ...dump(ctx, file) });
        await reader.waitForFunction((name) => document.getElementById("file-name").textContent === name, file);
        await settled(reader);
        ctx.assert.equal((await reader.evaluate(() => window.rollscope.state())).query, query);
        ctx.assert.equal(/not the file/.test(await reader.innerText("#notices")), query === 0);
      }
      const fetched = await openSite(ctx, {}, `#src=${encodeURIComponent(ctx.dumpUrl("minilm_cat.npz"))}`);
      await fetched.evaluate(() => window.rollscope.run("recipe.residual", { residual: 0.75 }));
      await shared(fetched);
      await fetched.click("#rung-0");
      const there = await openSite(ctx, {}, await fragment(fetched));
      ctx.assert.equal(await openName(there), "minilm_cat.npz");
      ctx.assert.equal((await there.evaluate(() => window.rollscope.state())).recipe.residual, 0.75);
    },
  },
];
