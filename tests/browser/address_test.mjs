// Dumps by address: what is asked of whom, with whose consent, and what is said when it cannot be had.
import { npy } from "./support/big_dump.mjs";
import { explain, openName, openSite, settled } from "./support/open.mjs";
import { playHosts } from "./support/other_host.mjs";

const dump = (n = 4, layers = 3, heads = 2) => npy([layers, heads, n, n], new Float32Array(layers * heads * n * n).fill(1 / n));
const HOST = "https://dumps.example";
const link = (address) => `#src=${encodeURIComponent(address)}`;
const code = (page) => page.textContent("dialog .dialog-note code");
const opened = (page, name) => page.waitForFunction((wanted) => document.getElementById("file-name")?.textContent === wanted, name);

/** Opens the site with a link to another host, and agrees. */
async function agree(ctx, page, address, name) {
  await page.goto(ctx.url + link(address));
  await page.waitForSelector("dialog");
  await page.click("dialog button.primary");
  await opened(page, name);
  await settled(page);
}

export default [
  {
    name: "another host is named before it is asked; declining asks nothing and shows the page as it is",
    async run(ctx) {
      const { page: newPage, asked } = await playHosts(ctx, { [`${HOST}/a.npy`]: { body: dump() } });
      const page = await newPage();
      await page.goto(ctx.url + link(`${HOST}/a.npy`));
      await page.waitForSelector("dialog");
      const text = await page.textContent("dialog");
      ctx.assert.match(text, /dumps\.example will see your internet address/);
      ctx.assert.match(text, /https:\/\/dumps\.example\/a\.npy/);
      await ctx.picture(page, "consent");
      await page.click("dialog .dialog-foot button:not(.primary)");
      await opened(page, "sentiment_negative.npz");
      ctx.assert.deepEqual(asked, []);
    },
  },
  {
    name: "with consent the dump opens in ranges, without cookies or referrer, and only that host may be asked",
    async run(ctx) {
      const body = dump(64, 6, 24);
      const { page: newPage, asked } = await playHosts(ctx, { [`${HOST}/far%20away.npy`]: { body, ranges: true, headers: { ETag: '"1"' } }, "https://other.example/x": { body: Buffer.from("x") } });
      const page = await newPage();
      await agree(ctx, page, `${HOST}/far away.npy`, "far away.npy");
      const answer = await explain(page, { row: 3 });
      ctx.assert.ok(Math.abs(answer.matrix[0].reduce((sum, value) => sum + value, 0) - 1) < 1e-5);
      ctx.assert.ok(asked.length > 2 && asked.every(({ range }) => /^bytes=\d+-\d*$/.test(range)), JSON.stringify(asked.map(({ range }) => range)));
      for (const { headers } of asked) ctx.assert.deepEqual([headers.cookie, headers.referer], [undefined, undefined]);
      const others = await page.evaluate(() => fetch("https://other.example/x").then(() => "answered", () => "blocked"));
      ctx.assert.equal(others, "blocked");
      // The answer holds for this tab: loading again asks nobody.
      await page.reload();
      await opened(page, "far away.npy");
      ctx.assert.equal(await page.locator("dialog").count(), 0);
    },
  },
  {
    name: "a server without ranges, or one that hides them, is downloaded in one request",
    async run(ctx) {
      for (const how of [{ ranges: false }, { ranges: true, exposed: false }]) {
        const { page: newPage, asked } = await playHosts(ctx, { [`${HOST}/whole.npy`]: { body: dump(), ...how } });
        const page = await newPage();
        await agree(ctx, page, `${HOST}/whole.npy`, "whole.npy");
        ctx.assert.equal(asked.length, 1, JSON.stringify(how));
        ctx.assert.equal((await explain(page, { row: 1 })).matrix[0].length, 4);
      }
    },
  },
  {
    name: "a download shows its progress and can be cancelled",
    async run(ctx) {
      const body = Buffer.concat([dump(), Buffer.alloc(8e6)]);
      const { page: newPage } = await playHosts(ctx, { [`${HOST}/a.npy`]: { body: dump() }, [`${HOST}/slow.npy`]: { body, stall: 3e6 } });
      const page = await newPage();
      await agree(ctx, page, `${HOST}/a.npy`, "a.npy");
      await page.evaluate((hash) => { location.hash = hash; }, link(`${HOST}/slow.npy`));
      await page.waitForFunction(() => /3 of 8 MB/.test(document.getElementById("reading").textContent));
      await ctx.picture(page, "download");
      await page.click("#reading button");
      await page.waitForSelector("#reading", { state: "hidden" });
      ctx.assert.equal(await openName(page), "a.npy");
      ctx.assert.equal(await page.locator("dialog").count(), 0, "a cancelled download is no error");
    },
  },
  {
    name: "pages, missing files, closed hosts and foreign redirects are told in words",
    async run(ctx) {
      const { page: newPage, asked } = await playHosts(ctx, {
        [`${HOST}/a.npy`]: { body: dump() },
        [`${HOST}/page.npz`]: { body: Buffer.from("<!doctype html><p>Sign in"), headers: { "Content-Type": "text/html; charset=utf-8" } },
        [`${HOST}/secret.npz`]: { status: 403 },
        [`${HOST}/closed.npz`]: { body: dump(), open: false },
        [`${HOST}/moved.npz`]: { status: 302, headers: { Location: "https://elsewhere.example/a.npz" } },
        [`${HOST}/empty.npy`]: {},
        "https://elsewhere.example/a.npz": { body: dump() },
      });
      const page = await newPage();
      await agree(ctx, page, `${HOST}/a.npy`, "a.npy");
      for (const [file, wanted, words] of [
        ["page.npz", "not_a_file", /answered with a web page/], ["gone.npz", "http_status", /has no gone\.npz at this address \(404\)/], ["secret.npz", "http_status", /signed in/],
        ["closed.npz", "unreachable", /lets no other site read/], ["moved.npz", "unreachable", /passes the request on to another host/], ["empty.npy", "empty", /empty\.npy is empty/],
      ]) {
        await page.evaluate((hash) => { location.hash = hash; }, link(`${HOST}/${file}`));
        await page.waitForFunction((name) => document.querySelector("dialog")?.textContent.includes(name), file);
        ctx.assert.equal(await code(page), wanted, file);
        ctx.assert.match(await page.textContent("dialog"), words);
        if (wanted !== "empty") ctx.assert.equal(await page.getAttribute("dialog .dialog-note a", "href"), `${HOST}/${file}`);
        ctx.assert.match(await page.textContent("dialog"), /Your open file, a\.npy, is unchanged/);
        if (file === "closed.npz") await ctx.picture(page, "address_closed");
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog", { state: "detached" });
      }
      ctx.assert.deepEqual(asked.filter(({ url }) => url.includes("elsewhere")), [], "the host behind the redirect is not asked");
    },
  },
  {
    name: "hostile addresses are refused before anything is asked",
    async run(ctx) {
      const page = await openSite(ctx);
      const foreign = [];
      page.on("request", (request) => { if (!request.url().startsWith(ctx.url) && !/^(blob|data):/.test(request.url())) foreign.push(request.url()); });
      for (const address of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:null/1", "http://dumps.example/a.npz", "https://u:p@dumps.example/a.npz",
        "https://192.168.0.1/a.npz", "https://localhost:9/a.npz", "https://printer.local/a.npz", "https://drive.google.com/file/d/1/view", "https://gitlab.com/o/r/-/blob/main/a.npz"]) {
        await page.evaluate((hash) => { location.hash = hash; }, link(address));
        await page.waitForSelector("dialog");
        ctx.assert.equal(await code(page), "address_refused", address);
        ctx.assert.equal(await page.textContent("dialog h2"), "This address is not read");
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog", { state: "detached" });
      }
      ctx.assert.deepEqual(foreign, []);
      ctx.assert.equal(await openName(page), "sentiment_negative.npz");
    },
  },
  {
    name: "a link to a page of a code host asks for the file behind it, and names where it is kept",
    async run(ctx) {
      const raw = "https://huggingface.co/datasets/o/r/resolve/main/kept.npy", store = "https://cdn-lfs.hf.co/repos/kept?signed=1";
      const { page: newPage, asked } = await playHosts(ctx, {
        [raw]: { status: 302, headers: { Location: store } },
        [store]: { body: dump(), ranges: true },
      });
      const page = await newPage();
      await page.goto(ctx.url + link("https://huggingface.co/datasets/o/r/blob/main/kept.npy"));
      await page.waitForSelector("dialog");
      ctx.assert.match(await page.textContent("dialog"), /passes the request on to its file store, \*\.hf\.co/);
      ctx.assert.match(await page.textContent("dialog"), /resolve\/main\/kept\.npy/);
      await page.click("dialog button.primary");
      await opened(page, "kept.npy");
      ctx.assert.ok(asked.some(({ url }) => url === store));
    },
  },
  {
    name: "the field behind Open takes an address as people write it, and consent says what has to be opened again",
    async run(ctx) {
      const { page: newPage, asked } = await playHosts(ctx, { "https://raw.githubusercontent.com/o/r/main/a.npy": { body: dump() } });
      const page = await newPage();
      await page.goto(ctx.url);
      await settled(page);
      await page.setInputFiles("#file-input", { name: "mine.npy", mimeType: "", buffer: dump(3) });
      await opened(page, "mine.npy");
      await page.click("#open-button");
      await page.fill("#open-text", "github.com/o/r/blob/main/a.npy");
      ctx.assert.match(await page.textContent("#open-hint"), /address/);
      await page.press("#open-text", "Enter");
      await page.waitForFunction(() => /raw\.githubusercontent\.com/.test(document.querySelector("dialog")?.textContent));
      ctx.assert.match(await page.textContent("dialog"), /mine\.npy then has to be opened again/);
      ctx.assert.deepEqual(asked, []);
      await page.click("dialog button.primary");
      await opened(page, "a.npy");
    },
  },
  {
    name: "what else stands in the tab's storage does not widen the policy",
    async run(ctx) {
      for (const kept of ['["https://*", "*", "https:", "https://a.example; script-src *", "http://a.example"]', '{"length": 1}', "nonsense", '"https://a.example"']) {
        const page = await ctx.newPage({ init: `sessionStorage.setItem("rollscope.hosts", ${JSON.stringify(kept)})` });
        await page.goto(ctx.url);
        await settled(page);
        const policies = await page.$$eval("meta[http-equiv]", (all) => all.map((one) => one.content));
        ctx.assert.equal(policies.at(-1), "connect-src 'self'", kept);
      }
    },
  },
  {
    name: "scripts are refused another host unless this tab has agreed to it",
    async run(ctx) {
      const { page: newPage } = await playHosts(ctx, { [`${HOST}/a.npy`]: { body: dump() }, [`${HOST}/b.npy`]: { body: dump(5), ranges: true } });
      const page = await newPage();
      await page.goto(ctx.url);
      await settled(page);
      const open = (address) => page.evaluate((url) => window.rollscope.open(url).then((info) => info.streams[0].keys, ({ code: failed, text }) => [failed, text]), address);
      ctx.assert.equal((await open(`${HOST}/b.npy`))[0], "host_not_allowed");
      ctx.assert.match((await open("http://10.0.0.1/b.npy"))[1], /private network/);
      ctx.assert.equal(await page.locator("dialog").count(), 0);
      await agree(ctx, page, `${HOST}/a.npy`, "a.npy");
      ctx.assert.equal(await open(`${HOST}/b.npy`), 5);
    },
  },
];
