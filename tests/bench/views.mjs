// What a frame costs the page's thread while a view is panned and zoomed, at 12 layers x 1,024 tokens and over a matrix of
// 4,096 x 4,096, and what stays in memory after files were opened and closed. The limits are the budget itself. Adds its rows to
// build/bench.json (contracts: bench.schema.json); exit status 1: a target was missed.
//   node tests/bench/views.mjs build/bench.json
import { existsSync, mkdirSync, readFileSync, writeFileSync, openSync, writeSync, closeSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../../web/serve.mjs";
import { npyHeader } from "../browser/support/big_dump.mjs";

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const folder = path.join(top, "build/bench");
const { chromium } = createRequire(path.join(top, "build/deps/npm/playwright/package.json"))("playwright-core");
const VIEWS = ["graph", "matrix", "heads", "lines", "depth", "compare"];

/** Causal maps of made-up weights, rows summing to 1, [layers][heads][n][n] as float32; one matrix repeated with another shift. */
function writeDump(file, layers, heads, n) {
  if (existsSync(file)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  const out = openSync(file, "w");
  writeSync(out, npyHeader([layers, heads, n, n]));
  const cells = new Float32Array(n * n);
  for (let m = 0; m < layers * heads; ++m) {
    let state = m + 1;
    for (let i = 0; i < n; ++i) {
      let sum = 0;
      for (let j = 0; j <= i; ++j) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        sum += cells[i * n + j] = (state / 2 ** 32) ** 8 + (j === 0 ? 2 : 0) + 1 / (1 + i - j);
      }
      for (let j = 0; j <= i; ++j) cells[i * n + j] /= sum;
    }
    writeSync(out, new Uint8Array(cells.buffer));
  }
  closeSync(out);
}

const target = process.argv[2] ?? path.join(top, "build/bench.json");
const wide = path.join(folder, "views-12x2x1024.npy"), large = path.join(folder, "views-4096.npy");
writeDump(wide, 12, 2, 1024);
writeDump(large, 1, 1, 4096);
const server = await serve({ mounts: [{ prefix: "/", root: path.join(top, "build/site") }] });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(`http://127.0.0.1:${server.port}/`);

const rows = [];
/** ours must stay under the budget: ratio = budget / ours, at least 1. */
const under = (name, ours, unit, budget) => rows.push({ name, where: "chromium", ours, unit, against: "budget", theirs: budget, ratio: budget / Math.max(ours, 1e-9), target: 1, met: ours <= budget });
const idle = () => page.evaluate(async () => { await window.rollscope.ready; await window.rollscope.idle(); });
const run = (id, args = {}) => page.evaluate(([i, a]) => window.rollscope.run(i, a), [id, args]);
const stats = () => page.evaluate(() => window.rollscope.stats());
const open = async (file) => {
  await page.setInputFiles("#file-input", file);
  await page.waitForFunction((name) => document.getElementById("file-name").textContent === name, path.basename(file), { timeout: 120_000 });
  await idle();
};
/** Own CPU time of the frames, ms, while the wheel pans and (with Ctrl) zooms over the view; and the most that its GPU memory grew by between two frames, MB. */
async function moved(steps) {
  const area = await page.locator("#canvas").boundingBox();
  await page.mouse.move(area.x + area.width * 0.35, area.y + area.height * 0.6);
  const times = [];
  let grew = 0, before = (await stats()).gpuBytes, edges = 0;
  for (const [dx, dy, zoom] of steps) {
    if (zoom) await page.keyboard.down("Control");
    await page.mouse.wheel(dx, dy);
    if (zoom) await page.keyboard.up("Control");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const now = await stats();
    times.push(now.lastFrameMs);
    grew = Math.max(grew, (now.gpuBytes - before) / 1e6);
    before = now.gpuBytes;
    edges = Math.max(edges, now.edgesDrawn);
  }
  times.sort((a, b) => a - b);
  // The median: what else runs on the machine lengthens some frames. The longest are told beside it.
  return { typical: times[Math.floor(times.length / 2)], worst: times[Math.floor(times.length * 0.95)], grew, edges };
}
const PAN = Array.from({ length: 24 }, (_, k) => [k % 2 ? 40 : 0, k % 2 ? 0 : 40 * (k % 4 < 2 ? 1 : -1), false]);

try {
  await idle();
  await open(wide);
  for (const view of VIEWS) {
    await run(`view.${view}`);
    await idle();
    if (view === "graph" || view === "matrix") await run("view.zoom", { factor: 3 });
    await idle();
    const { typical, worst, grew, edges } = await moved(PAN);
    under(`frame while panning ${view}, 12 x 1,024 (95th ${worst.toFixed(0)} ms)`, typical, "ms", 8);
    under(`upload in a frame, ${view}`, grew, "MB", 4);
    if (view === "graph" || view === "lines") under(`edges drawn, ${view}`, edges, "edges", 20_000);
  }
  await open(large);
  await run("view.matrix");
  await idle();
  const inward = Array.from({ length: 30 }, () => [0, -240, true]), outward = Array.from({ length: 30 }, () => [0, 240, true]);
  const { worst } = await moved([...inward, ...outward]);
  under("frame while zooming 4,096 x 4,096 to a cell and back", worst, "ms", 33);

  const small = path.join(top, "tests/dumps/minilm_long.f16.npz");
  await run("view.graph");
  const round = async () => { await open(wide); await open(small); };
  for (let k = 0; k < 3; ++k) await round();
  const first = await stats();
  for (let k = 0; k < 17; ++k) await round();
  const last = await stats();
  under("memory after 20 rounds of opening, against 3", (last.heapBytes + last.gpuBytes) / 1e6, "MB", (first.heapBytes + first.gpuBytes) / 1e6 * 1.05);
} finally {
  await browser.close();
  await server.close();
}
const all = existsSync(target) ? JSON.parse(readFileSync(target, "utf8")) : { machine: {}, rows: [] };
const mine = new Set(rows.map(({ name }) => name));
all.rows = [...all.rows.filter(({ name }) => !mine.has(name)), ...rows];
writeFileSync(target, JSON.stringify(all, null, 1));
for (const row of rows) console.log(`${row.name.padEnd(56)} ${row.ours.toFixed(1).padStart(9)} ${row.unit} of ${row.theirs.toFixed(1)}${row.met ? "" : " MISSED"}`);
const missed = rows.filter((row) => !row.met).length;
console.log(`${rows.length - missed} passed, ${missed} failed`);
process.exitCode = missed ? 1 : 0;
