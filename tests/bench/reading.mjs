// How fast the engine opens a dump in Chromium's worker, heads fused and looked at, against the limits measured in the
// same run: File.slice in a worker for files of stored numbers, JSON.parse for JSON. What the page draws is not timed. Adds its rows to build/bench.json (contracts: bench.schema.json); exit status 1:
// a target was missed.
//   node tests/bench/reading.mjs build/bench.json
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../../web/serve.mjs";
import { npyHeader } from "../browser/support/big_dump.mjs";

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const folder = path.join(top, "build/bench");
const { chromium } = createRequire(path.join(top, "build/deps/npm/playwright/package.json"))("playwright-core");
const LAYERS = 12, HEADS = 12, TOKENS = 512, RUNS = 5;

/** One head of made-up attention: rows sum to 1. */
function head(n, seed) {
  const cells = new Float32Array(n * n);
  let state = seed;
  for (let i = 0; i < n; ++i) {
    let sum = 0;
    for (let j = 0; j < n; ++j) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      sum += cells[i * n + j] = Math.exp(state / 2 ** 30 - (Math.abs(i - j) % 7));
    }
    for (let j = 0; j < n; ++j) cells[i * n + j] /= sum;
  }
  return cells;
}

/** Writes `parts`, buffers or functions that write, one after another. */
function writeAll(file, parts) {
  const out = openSync(file, "w");
  for (const part of parts) typeof part === "function" ? part(out) : writeSync(out, part);
  closeSync(out);
}

/** A zip of one or more stored members [name, size, write]; checksums are left 0, as torch may leave them. */
function zipParts(members) {
  const parts = [], directory = [];
  let offset = 0;
  for (const [name, size, write] of members) {
    const local = Buffer.alloc(30), entry = Buffer.alloc(46), label = Buffer.from(name);
    local.writeUInt32LE(0x04034b50, 0); local.writeUInt16LE(20, 4);
    local.writeUInt32LE(size, 18); local.writeUInt32LE(size, 22); local.writeUInt16LE(label.length, 26);
    entry.writeUInt32LE(0x02014b50, 0); entry.writeUInt16LE(20, 4); entry.writeUInt16LE(20, 6);
    entry.writeUInt32LE(size, 20); entry.writeUInt32LE(size, 24); entry.writeUInt16LE(label.length, 28); entry.writeUInt32LE(offset, 42);
    parts.push(local, label, write);
    directory.push(entry, label);
    offset += 30 + label.length + size;
  }
  const size = directory.reduce((all, part) => all + part.length, 0), end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0); end.writeUInt16LE(members.length, 8); end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(size, 12); end.writeUInt32LE(offset, 16);
  return [...parts, ...directory, end];
}

/** data.pkl of torch.save({"attentions": tensor}), protocol 2. */
function pickle(shape, elements) {
  const ints = (values) => Buffer.concat([Buffer.from("("), ...values.map((n) => { const b = Buffer.alloc(5); b[0] = 0x4a; b.writeInt32LE(n, 1); return b; }), Buffer.from("t")]);
  const text = (value) => { const b = Buffer.alloc(5); b[0] = 0x58; b.writeUInt32LE(value.length, 1); return Buffer.concat([b, Buffer.from(value)]); };
  const one = (n) => { const b = Buffer.alloc(5); b[0] = 0x4a; b.writeInt32LE(n, 1); return b; };
  const strides = shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1));
  return Buffer.concat([
    Buffer.from([0x80, 2]), Buffer.from("}"), text("attentions"), Buffer.from("ctorch._utils\n_rebuild_tensor_v2\n(("), text("storage"),
    Buffer.from("ctorch\nFloatStorage\n"), text("0"), text("cpu"), one(elements), Buffer.from("tQ"), one(0), ints(shape), ints(strides),
    Buffer.from([0x89]), Buffer.from("ccollections\nOrderedDict\n)RtRs."),
  ]);
}

function writeFiles() {
  mkdirSync(folder, { recursive: true });
  const shape = [LAYERS, HEADS, TOKENS, TOKENS], elements = shape.reduce((a, b) => a * b), bytes = elements * 4;
  const heads = Array.from({ length: HEADS }, (_, i) => Buffer.from(head(TOKENS, i + 1).buffer));
  const numbers = (out) => { for (let l = 0; l < LAYERS; ++l) for (const one of heads) writeSync(out, one); };
  const header = npyHeader(shape);
  const json = Buffer.from(JSON.stringify({ attentions: { dtype: "F32", shape, data_offsets: [0, bytes] } }).padEnd(256));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const files = {
    npz: zipParts([["attentions.npy", header.length + bytes, (out) => { writeSync(out, header); numbers(out); }]]),
    safetensors: [length, json, numbers],
    pt: zipParts([["bench/data.pkl", pickle(shape, elements).length, (out) => writeSync(out, pickle(shape, elements))], ["bench/data/0", bytes, numbers],
                  ["bench/version", 2, (out) => writeSync(out, "3\n")]]),
  };
  for (const [kind, parts] of Object.entries(files)) if (!existsSync(path.join(folder, `dump.${kind}`))) writeAll(path.join(folder, `dump.${kind}`), parts);
  const text = path.join(folder, "dump.json");
  if (!existsSync(text)) {
    const small = 128, lists = Array.from({ length: 12 }, (_, l) => Array.from({ length: 12 }, (_, h) => {
      const cells = head(small, l * 12 + h + 1);
      return Array.from({ length: small }, (_, i) => Array.from(cells.subarray(i * small, (i + 1) * small), (x) => Number(x)));
    }));
    writeFileSync(text, JSON.stringify({ attentions: lists }));
  }
}

/** In the page: seconds of one opening by the product, and of the limit. */
async function timed(page, file, json) {
  await page.setInputFiles("#bench-file", file);
  return page.evaluate(async ({ json: parse, runs }) => {
    const chosen = document.getElementById("bench-file").files[0];
    const seconds = async (work) => { const start = performance.now(); await work(); return (performance.now() - start) / 1000; };
    const worker = new Worker(URL.createObjectURL(new Blob([`onmessage = ({ data }) => {
      const reader = new FileReaderSync(); let sum = 0;
      for (let at = 0; at < data.size; at += 1 << 20) sum += new Uint8Array(reader.readAsArrayBuffer(data.slice(at, at + (1 << 20))))[0];
      postMessage(sum); };`], { type: "text/javascript" })));
    const raw = () => new Promise((done) => { worker.onmessage = done; worker.postMessage(chosen); });
    let kept = null;
    const limit = parse ? async () => { kept = JSON.parse(await chosen.text()); } : raw;
    await window.benchEngine.open(chosen, { name: chosen.name }).promise;
    const heap = window.benchEngine.heap - window.benchHeap;  // of one opening; the next stand beside the one before
    const best = { ours: Infinity, theirs: Infinity };
    for (let run = 0; run <= runs; ++run) {  // the first is a warm-up
      const theirs = await seconds(limit), ours = await seconds(() => window.benchEngine.open(chosen, { name: chosen.name }).promise);
      if (run > 0) { best.ours = Math.min(best.ours, ours); best.theirs = Math.min(best.theirs, theirs); }
    }
    worker.terminate();
    return { ...best, kept: kept ? 1 : 0, heap };
  }, { json, runs: RUNS });
}

const target = process.argv[2] ?? path.join(top, "build/bench.json");
writeFiles();
const server = await serve({ mounts: [{ prefix: "/", root: path.join(top, "build/site") }, { prefix: "/web/", root: path.join(top, "web") }] });
const url = `http://127.0.0.1:${server.port}/`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--enable-precise-memory-info", "--js-flags=--expose-gc"] });
const rows = [];
const say = (name, ours, unit, against, theirs, ratio, least) => rows.push({ name, where: "chromium", ours, unit, against, theirs, ratio, target: least, met: ratio >= least });
const newPage = async () => {
  const page = await browser.newPage();
  await page.goto(url);
  await page.evaluate(async () => {
    await window.rollscope.ready; await window.rollscope.idle();
    const folder = document.querySelector("script[type=module]").src.replace(/[^/]*$/, "");  // an engine of our own
    const text = async (name) => (await fetch(folder + name)).text();
    const { Engine } = await import("/web/engine-client.js");
    const wasm = await (await fetch(folder + "engine.wasm")).arrayBuffer();
    window.benchEngine = new Engine({ engine: await text("engine.js"), server: await text("engine-worker.js"), wasm }, { scripts: [] });
    await window.benchEngine.ready;
    window.benchHeap = window.benchEngine.heap;
    const input = document.createElement("input");
    input.type = "file"; input.id = "bench-file";
    document.body.append(input);
  });
  return page;
};
try {
  for (const kind of ["npz", "safetensors", "pt"]) {
    const page = await newPage(), file = path.join(folder, `dump.${kind}`), mb = statSync(file).size / 1e6;
    const { ours, theirs } = await timed(page, file, false);
    say(`open .${kind}, ${LAYERS} x ${HEADS} x ${TOKENS}`, mb / ours, "MB/s", "File.slice read in a worker", mb / theirs, theirs / ours, 0.6);
    await page.close();
  }
  const page = await newPage(), file = path.join(folder, "dump.json"), mb = statSync(file).size / 1e6;
  const { ours, theirs, heap } = await timed(page, file, true);
  say(`open ${mb.toFixed(0)} MB of JSON`, mb / ours, "MB/s", "text() and JSON.parse of the file", mb / theirs, theirs / ours, 0.7);
  // What JSON.parse leaves in memory: the text and the lists, in a page that has nothing else.
  const bare = await browser.newPage();
  await bare.setContent("<input type=file id=bench-file>");
  await bare.setInputFiles("#bench-file", file);
  const parsed = await bare.evaluate(async () => {
    globalThis.gc?.();
    const before = performance.memory.usedJSHeapSize;
    globalThis.kept = JSON.parse(globalThis.text = await document.getElementById("bench-file").files[0].text());
    globalThis.gc?.();
    return performance.memory.usedJSHeapSize - before;
  });
  say("memory of that JSON", heap / 1e6, "MB", "text and lists of JSON.parse", parsed / 1e6, parsed / heap, 5);
} finally {
  await browser.close();
  await server.close();
}
const all = existsSync(target) ? JSON.parse(readFileSync(target, "utf8")) : { machine: {}, rows: [] };
all.rows = [...all.rows.filter((row) => row.where !== "chromium"), ...rows];
writeFileSync(target, JSON.stringify(all, null, 1));
for (const row of rows)
  console.log(`${row.name.padEnd(36)} ${row.ours.toFixed(1).padStart(9)} ${row.unit}, ${row.against} ${row.theirs.toFixed(1)}: ${row.ratio.toFixed(2)} (at least ${row.target})${row.met ? "" : " MISSED"}`);
const missed = rows.filter((row) => !row.met).length;
console.log(`${rows.length - missed} passed, ${missed} failed`);
process.exitCode = missed ? 1 : 0;
