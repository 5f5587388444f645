// The server of web/run: readers of dumps rely on its byte ranges, and it must hand out nothing but its folders.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../../web/serve.mjs";

let folder, server, url;
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "rollscope-serve-"));
  mkdirSync(path.join(folder, "site/a/0123456789abcdef"), { recursive: true });
  writeFileSync(path.join(folder, "site/index.html"), "<title>hello</title>");
  writeFileSync(path.join(folder, "site/a/0123456789abcdef/page.wasm"), "0123456789");
  writeFileSync(path.join(folder, "secret.txt"), "secret");
  writeFileSync(path.join(folder, "my dump.npz"), "dump");
  server = await serve({ mounts: [{ prefix: "/dump/my dump.npz", root: path.join(folder, "my dump.npz") }, { prefix: "/sub/", root: path.join(folder, "site") }] });
  url = `http://127.0.0.1:${server.port}`;
});
after(async () => { await server.close(); rmSync(folder, { recursive: true }); });

const wasm = "/sub/a/0123456789abcdef/page.wasm";
const get = (path, range) => fetch(url + path, { headers: range ? { Range: range } : {} });

test("a folder's address shows its index, uncached and typed", async () => {
  const answer = await get("/sub/");
  assert.equal(await answer.text(), "<title>hello</title>");
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "no-store");
});

test("a file in a folder named by its hash is typed and may be kept", async () => {
  const answer = await get(wasm);
  assert.equal(answer.headers.get("content-type"), "application/wasm");
  assert.match(answer.headers.get("cache-control"), /immutable/);
});

for (const [range, text, said] of [["bytes=2-4", "234", "bytes 2-4/10"], ["bytes=7-", "789", "bytes 7-9/10"], ["bytes=-2", "89", "bytes 8-9/10"], ["bytes=8-99", "89", "bytes 8-9/10"]]) {
  test(`the range ${range} is answered with exactly these bytes`, async () => {
    const answer = await get(wasm, range);
    assert.equal(answer.status, 206);
    assert.equal(answer.headers.get("content-range"), said);
    assert.equal(await answer.text(), text);
  });
}

test("a range past the end is refused with the size", async () => {
  const answer = await get(wasm, "bytes=10-12");
  assert.equal(answer.status, 416);
  assert.equal(answer.headers.get("content-range"), "bytes */10");
});

test("one dump is served beside the site, and nothing around it", async () => {
  assert.equal(await (await get("/dump/my%20dump.npz")).text(), "dump");
  assert.equal((await get("/dump/secret.txt")).status, 404);
});

test("an address with dots leaves no folder", async () => {
  // fetch() would tidy the path up before sending it.
  for (const path of ["/sub/../secret.txt", "/sub/%2e%2e/secret.txt", "/sub/..%2fsecret.txt"]) {
    const status = await new Promise((done) => request({ host: "127.0.0.1", port: server.port, path }, (answer) => { answer.resume(); done(answer.statusCode); }).end());
    assert.equal(status, 404, path);
  }
});
