// What the page computes, against references made elsewhere: the vectors (formulas in numpy) and the dumps of real
// models. The same engine is held to 1e-12 natively; here it computes in float32.
import { readFileSync, existsSync } from "node:fs";
import path from "node:path";
import { openSite } from "./support/open.mjs";

const load = (ctx, name) => JSON.parse(readFileSync(path.join(ctx.top, "tests/vectors", name + ".json"), "utf8"));

/** Opens nested lists as a JSON dump and asks for every row. */
const explainLists = (page, attentions, options) => page.evaluate(async ([lists, more]) => {
  await window.rollscope.open(new File([JSON.stringify({ attentions: lists })], "vector.json"));
  return window.rollscope.explain(more);
}, [attentions, options]);

/** The largest difference; relative where the value is not small. */
function difference(matrix, wanted) {
  let worst = matrix.length === wanted.length ? 0 : Infinity;
  matrix.forEach((row, i) => row.forEach((x, j) => {
    worst = Math.max(worst, Math.abs(x - wanted[i][j]) / Math.max(Math.abs(wanted[i][j]), 1e-3));
  }));
  return worst;
}

const copy = (x) => JSON.parse(JSON.stringify(x));

/** [what, lists, options of explain, expected matrix] of every vector. */
function cases(ctx) {
  const out = [];
  const add = (what, lists, options, wanted) => out.push([what, lists, { row: "all", ...options }, wanted]);
  const tiny = load(ctx, "tiny_3x2_counterexample");
  add("tiny, no residual", tiny.inputs.attn, { residual: 0 }, tiny.expected.no_residual.right_order_A2A1);
  add("tiny, half", tiny.inputs.attn, {}, tiny.expected.residual_half.right_order);
  const hand = load(ctx, "hand_fractions_3x2");
  for (const r of ["0", "0.25", "0.5", "0.75", "1"]) {
    add(`hand, residual ${r}`, hand.inputs.attn, { residual: Number(r) }, hand.expected[`residual_${r}`].rollout);
    hand.expected[`residual_${r}`].per_layer.forEach((wanted, k) =>
      add(`hand, residual ${r}, after layer ${k}`, hand.inputs.attn, { residual: Number(r), layers: [0, k + 1] }, wanted));
  }
  const causal = load(ctx, "causal_6x4x3");
  add("causal", causal.inputs.attn, {}, causal.expected.rollout);
  causal.expected.rollout_per_layer.forEach((wanted, k) => add(`causal, after layer ${k}`, causal.inputs.attn, { layers: [0, k + 1] }, wanted));
  for (const [r, wanted] of Object.entries(causal.expected.alpha)) add(`causal, residual ${r}`, causal.inputs.attn, { residual: Number(r) }, wanted);
  for (const fusion of ["max", "min"]) add(`causal, ${fusion}`, causal.inputs.attn, { fusion }, causal.expected.fusion[fusion]);
  add("causal, heads 0 and 2", causal.inputs.attn, { heads: [0, 2] }, causal.expected.fusion.select_0_2);
  add("causal, from layer 2", causal.inputs.attn, { layers: [2, 4] }, causal.expected.start_layer_2);
  const encoder = load(ctx, "encoder_10x3x2");
  add("encoder", encoder.inputs.attn, {}, encoder.expected.rollout);
  add("encoder, raw last layer", encoder.inputs.attn, { method: "raw", layers: [2, 3] }, encoder.expected.raw_last_layer_mean);
  add("encoder, raw mean", encoder.inputs.attn, { method: "raw" }, encoder.expected.raw_mean_all_layers);
  const odd = load(ctx, "degenerate");
  const zeroRow = copy(odd.inputs.attn), oneHead = copy(odd.inputs.attn);
  for (const head of zeroRow[1]) head[2].fill(0);
  oneHead[1][0][2].fill(0);
  add("zero row", zeroRow, {}, odd.expected.zero_row_all_heads.rollout);
  add("zero row, no residual", zeroRow, { residual: 0 }, odd.expected.zero_row_all_heads.rollout_no_residual);
  add("zero row of one head", oneHead, {}, odd.expected.zero_row_one_head.rollout);
  add("NaN row", odd.inputs.nan_row, {}, odd.expected.nan_row.rollout_nan_as_zero);
  add("one token", [[[[1]]]], {}, odd.expected.single_token.rollout);
  add("half precision", odd.expected.fp16.attn_fp16, {}, odd.expected.fp16.rollout_from_fp16_row_renormalised);
  const padding = load(ctx, "padding_10");
  add("padding, kept", padding.inputs.attn, {}, padding.expected.rollout_full);
  const window = load(ctx, "sliding_window_8");
  add("sliding window", window.inputs.attn, {}, window.expected.rollout);
  const both = load(ctx, "encdec_5x7");
  add("encoder of two", both.inputs.enc_attn, {}, both.expected.encoder_rollout);
  add("decoder of two", both.inputs.dec_attn, {}, both.expected.decoder_self_rollout);
  return out;
}

export default [
  {
    name: "every reference vector comes out of the page within 1e-5",
    timeout: 180_000,
    async run(ctx) {
      const page = await openSite(ctx);
      for (const [what, lists, options, wanted] of cases(ctx)) {
        const answer = await explainLists(page, lists, options);
        const worst = difference(answer.matrix, wanted);
        ctx.assert.ok(worst <= 1e-5, `${what}: off by ${worst}`);
      }
      const depth = load(ctx, "depth_24");
      for (const kind of ["bidirectional", "causal"]) {
        for (const layers of [1, 2, 4, 8, 16, 24]) {
          const { matrix } = await explainLists(page, depth.inputs[`${kind}_attn`], { row: 7, layers: [0, layers] });
          const worst = difference(matrix, [depth.expected[kind][layers].row_last]);
          ctx.assert.ok(worst <= 1e-5, `${kind}, ${layers} layers: off by ${worst}`);
        }
      }
    },
  },
  {
    name: "every dump of a real model gives the rollout that numpy gives",
    timeout: 180_000,
    async run(ctx) {
      const expected = JSON.parse(readFileSync(path.join(ctx.top, "tests/dumps/expected.json"), "utf8"));
      const page = await openSite(ctx);
      let seen = 0;
      for (const [key, wanted] of Object.entries(expected)) {
        const [name, part = ""] = key.split("#");
        if (!existsSync(path.join(ctx.top, "tests/dumps", name)) || part === "joint") continue;
        const item = /^item(\d+)$/.exec(part)?.[1] ?? 0, stream = part && !item && !part.startsWith("item") ? part : undefined;
        if (stream === "cross") {  // the head mean of all layers, as numbers of the raw method
          const answer = await page.evaluate(async (url) => {
            await window.rollscope.open(url);
            return window.rollscope.explain({ stream: "cross", method: "raw", layers: [0, 3], row: 0 });
          }, ctx.dumpUrl(name));
          const worst = Math.max(...answer.matrix[0].map((x, j) => Math.abs(x - wanted.mean_first_row[j])));
          ctx.assert.ok(worst <= 1e-5, `${key}: off by ${worst}`);
          ++seen;
          continue;
        }
        const answer = await page.evaluate(async ([url, options]) => {
          await window.rollscope.open(url, { item: options.item });
          const rows = [];
          for (const row of options.rows) rows.push((await window.rollscope.explain({ row, ...options.more })).matrix[0]);
          return rows;
        }, [ctx.dumpUrl(name), { item: Number(item), rows: [0, wanted.n - 1], more: stream ? { stream } : {} }]);
        const tolerance = /f16/.test(name) ? 2e-3 : /bf16/.test(name) ? 2e-2 : 1e-5;
        for (const [row, reference] of [[answer[0], wanted.first_row], [answer[1], wanted.last_row]]) {
          const worst = Math.max(...row.map((x, j) => Math.abs(x - reference[j])));
          ctx.assert.ok(worst <= tolerance, `${key}: off by ${worst}`);
        }
        ++seen;
      }
      ctx.assert.ok(seen >= 77, `only ${seen} dumps were compared`);
    },
  },
];
