// Every method in the page: its numbers against the vectors, with the questions that the command line is asked too
// (tests/checks/methods_check.py); and its picture, chosen from the menu by hand.
import { readFileSync } from "node:fs";
import path from "node:path";
import { choose, openSite, settled } from "./support/open.mjs";

const LIMIT = 1e-5;  // relative to the largest number expected; the page computes in float32

const at = (tree, place) => place.split("/").reduce((node, part) => node[part], tree);
const isList = Array.isArray;
const numbers = (value) => (isList(value) ? value.map(numbers) : value === null ? NaN : value);
const mapped = (value, f) => (isList(value) ? value.map((one) => mapped(one, f)) : f(value));

/** A copy without ties, by the rule that the vector states. */
function jittered(stack) {
  return stack.map((heads, l) => heads.map((matrix, h) => matrix.map((row, i) => {
    const out = row.map((x, j) => x + ((i * matrix.length + j) % 977 + 1) / 2 ** 26 * (1 + l * heads.length + h));
    const sum = out.reduce((a, b) => a + b, 0);
    return out.map((x) => x / sum);
  })));
}

/** The numbers that a question calls by their place in its vector. */
function source(vector, name) {
  const ratio = () => vector.expected.per_layer.map((layer) => numbers(layer.residual_ratio_per_token));
  if (name === "attn_jittered") return jittered(numbers(vector.inputs.attn));
  if (name === "@residual_ratio") return ratio();
  if (name === "@1-residual_ratio") return mapped(ratio(), (x) => 1 - x);
  if (name.includes("/*/")) {
    const [before, after] = name.split("/*/");
    return at(vector, before).map((layer) => numbers(layer[after]));
  }
  return numbers(vector.inputs[name]);
}

const shapeOf = (value) => (isList(value) ? [value.length, ...shapeOf(value[0])] : []);

/** The arrays as a safetensors file. */
function safetensors(arrays, meta) {
  const header = { __metadata__: Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])) };
  const parts = [];
  let end = 0;
  for (const [name, value] of Object.entries(arrays)) {
    const flat = Float64Array.from([value].flat(Infinity));
    header[name] = { dtype: "F64", shape: shapeOf(value), data_offsets: [end, end + flat.byteLength] };
    end += flat.byteLength;
    parts.push(Buffer.from(flat.buffer));
  }
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, ...parts]);
}

/** The largest difference, relative to the largest number expected; Infinity where the shapes differ. */
function difference(got, wanted) {
  const a = [got].flat(Infinity), b = [wanted].flat(Infinity);
  if (JSON.stringify(shapeOf(got)) !== JSON.stringify(shapeOf(wanted))) return Infinity;
  const most = Math.max(1, ...b.map((x) => Math.abs(x ?? 0)));
  return Math.max(0, ...a.map((x, i) => (x === null && b[i] === null ? 0 : Math.abs((x ?? NaN) - (b[i] ?? NaN))))) / most;
}

async function control(page, id) {
  const { controls } = await page.evaluate(() => window.rollscope.layout());
  return controls.find((one) => one.id === id);
}

/** Presses a control of the picture in its middle, where it can be seen. */
async function pressAt(page, box) {
  const canvas = await page.locator("canvas").first().boundingBox();
  await page.mouse.click(canvas.x + box.x + box.w / 2, canvas.y + box.y + box.h / 2);
  await settled(page);
}
async function press(page, id) {
  const box = await control(page, id);
  if (!box) throw new Error(`${id} is not there`);
  await pressAt(page, box);
}

const entries = async (page) => {
  const { controls } = await page.evaluate(() => window.rollscope.layout());
  return controls.filter((one) => one.id.startsWith("recipe.method/")).map((one) => one.id);
};

export default [
  {
    name: "every question of the vectors is answered in the page as at the command line",
    timeout: 180_000,
    async run(ctx) {
      const read = (name) => JSON.parse(readFileSync(path.join(ctx.top, "tests/vectors", name), "utf8"));
      const questions = read("questions.json"), vectors = new Map();
      const page = await openSite(ctx);
      ctx.assert.ok(questions.length > 50);
      for (const q of questions) {
        if (!vectors.has(q.case)) vectors.set(q.case, read(`${q.case}.json`));
        const vector = vectors.get(q.case);
        const arrays = Object.fromEntries(Object.entries(q.arrays).map(([name, place]) => [name, source(vector, place)]));
        const file = safetensors(arrays, { format: "attn-dump", version: 1, ...q.meta });
        const answer = await page.evaluate(async ([base64, options]) => {
          const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
          await window.rollscope.open(new File([bytes], "vector.safetensors"));
          return window.rollscope.explain(options);
        }, [file.toString("base64"), q.options]);
        const off = difference(at(answer, q.where ?? "matrix"), at(vector, q.expected));
        ctx.assert.ok(off < LIMIT, `${q.case} ${JSON.stringify(q.options)} ${q.expected}: ${off}`);
      }
    },
  },
  {
    name: "every entry of the method menu draws, and what the file lacks stays as it was",
    timeout: 180_000,
    async run(ctx) {
      const page = await openSite(ctx);
      const lacking = { "minilm_grads.npz": ["joint", "cdam"], "enfr_i_love_you.npz": ["gradient-rollout", "gradient-rollout-mean-first", "relevance", "relevance-causal", "grad-sam", "attention-gradient", "norm-rollout", "cdam", "attribution"], "vit_digit_a.npz": ["joint", "norm-rollout", "cdam", "attribution"] };
      for (const [name, without] of Object.entries(lacking)) {
        await choose(page, path.join(ctx.top, "tests/dumps", name));
        await settled(page);
        await press(page, "recipe.method");
        const ids = await entries(page);
        ctx.assert.ok(ids.length >= 17, `${ids.length} entries`);
        await page.keyboard.press("Escape");
        await settled(page);
        for (const id of ids) {
          const method = id.slice("recipe.method/".length);
          await press(page, "recipe.method");
          await press(page, id);
          const state = await page.evaluate(() => window.rollscope.state());
          if (without.includes(method)) {
            ctx.assert.notEqual(state.recipe.method, method, `${name} ${method}`);
            const refused = await page.evaluate((m) => window.rollscope.run("recipe.method", { method: m }).then(() => null, ({ code, text, fix }) => ({ code, text, fix })), method);
            ctx.assert.equal(refused?.code, "method_not_for_stream", `${name} ${method}`);
            ctx.assert.ok(refused.text.length > 40 && refused.fix.length > 10, refused.text);
            await page.keyboard.press("Escape");
            await settled(page);
            continue;
          }
          ctx.assert.equal(state.recipe.method, method, name);
          for (const view of ["view.matrix", "view.graph"]) await page.evaluate((v) => window.rollscope.run(v).then(() => window.rollscope.idle()), view);
          ctx.assert.equal(await page.locator("dialog[open]").count(), 0, `${name} ${method}`);
        }
      }
    },
  },
  {
    name: "merging, sinks and classes are commands, and the state tells them as explain takes them",
    async run(ctx) {
      const page = await openSite(ctx);
      await choose(page, path.join(ctx.top, "tests/dumps/vit_digit_a.npz"));
      await settled(page);
      const run = (id, args) => page.evaluate(([i, a]) => window.rollscope.run(i, a).then(() => window.rollscope.idle()), [id, args]);
      await run("recipe.method", { method: "gradient-rollout" });
      let state = await page.evaluate(() => window.rollscope.state());
      ctx.assert.equal(state.recipe.class, "class_4", "what the model predicts");
      await run("recipe.class", { class: "class_9" });
      state = await page.evaluate(() => window.rollscope.state());
      const answer = await page.evaluate((recipe) => window.rollscope.explain({ ...recipe, row: 0 }), state.recipe);
      ctx.assert.equal(answer.recipe.class, "class_9");
      await choose(page, path.join(ctx.top, "tests/dumps/minilm_pair.npz"));
      await settled(page);
      await run("recipe.merge", { merge: "words" });
      await run("recipe.sink", { sink: "renormalise" });
      state = await page.evaluate(() => window.rollscope.state());
      ctx.assert.equal(state.recipe.merge, "words");
      ctx.assert.equal(state.recipe.sink, "renormalise");
      const words = await page.evaluate((recipe) => window.rollscope.explain({ ...recipe, row: 0 }), state.recipe);
      const cells = await page.locator("#mirror tbody tr").count();
      ctx.assert.equal(cells, words.keys.length, "the table has one row per word");
    },
  },
];
