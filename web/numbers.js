// The numbers of an explanation in the forms that people go on with: tables, arrays, lines of code, the reference.
import { copyText, openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { npz, numbersArray, textArray, textValue } from "./npz.js";
import { bibtex } from "./references.js";
import { recipeOptions } from "./share.js";
import { download } from "./single-file.js";

const TOP = 10;        // tokens of a table
const PREVIEW = 6000;  // characters

/** A cell that a spreadsheet takes for text or a number, never for a formula. @param {string | number | null} value */
export function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r;]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll("\"", "\"\"")}"` : safe;
}
const csv = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");

const markdownCell = (text) => text.replace(/[\\`*_{}[\]<>()#+\-.!|~]/g, "\\$&").replace(/\s/g, " ");
const LATEX = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}" };
const latexCell = (text) => text.replace(/[\\{}$&#%_^~<>]/g, (sign) => LATEX[sign]).replace(/\s/g, " ");

/** The keys of a row, the heaviest first. */
function ranked({ keys, matrix, uniform }, row) {
  const weights = matrix[row], chance = uniform?.[row] ?? [];
  return keys.map((token, at) => ({ token, at, weight: weights[at] ?? 0, chance: chance[at] ?? null })).sort((a, b) => b.weight - a.weight || a.at - b.at);
}
const figure = (value) => (value === null ? "" : Math.abs(value) >= 1e-4 || value === 0 ? value.toFixed(4) : value.toExponential(2));

/** @param {any} all  an answer of explain: one row in the tables, all of it in arrays @param {number} row */
export const forms = {
  row_csv: (all, row) => csv([["position", "token", "weight", "chance"], ...ranked(all, row).sort((a, b) => a.at - b.at).map(({ token, at, weight, chance }) => [at + 1, token, weight, chance])]),
  matrix_csv: (all) => csv([["", ...all.keys], ...all.matrix.map((weights, i) => [all.queries[i], ...weights])]),
  json: (all) => `${JSON.stringify(all, null, 1)}\n`,
  markdown: (all, row) => `| | token | ${all.recipe.unit} | chance |\n|--:|:--|--:|--:|\n${ranked(all, row).slice(0, TOP).map(({ token, at, weight, chance }) => `| ${at + 1} | ${markdownCell(token)} | ${figure(weight)} | ${figure(chance)} |\n`).join("")}\n${markdownCell(all.queries[row])}: ${all.recipe.sentence}\n`,
  latex: (all, row) => `% ${all.recipe.sentence}\n\\begin{tabular}{rlrr}\n  & token & ${latexCell(all.recipe.unit)} & chance \\\\\n  \\hline\n${ranked(all, row).slice(0, TOP).map(({ token, at, weight, chance }) => `  ${at + 1} & ${latexCell(token)} & ${figure(weight)} & ${figure(chance)} \\\\\n`).join("")}\\end{tabular}\n`,
  numpy: (all, row, file, info) => numpyLines(all.recipe, file, info),
  bibtex: (all) => `${bibtex(all.recipe.method)}\n`,
};

/** The few lines that give the same matrix from the file; empty where they would not be few. */
export function numpyLines(recipe, file, info) {
  const { method, stream, fusion, heads, first_layer: first, end_layer: end, residual, sink, merge } = recipe;
  const streamInfo = info.streams.find(({ name }) => name === stream) ?? info.streams[0];
  const plain = (method === "rollout" || method === "rollout-reversed" || method === "raw") && typeof residual !== "string" && sink === "keep" && (merge ?? "pieces") === "pieces" && streamInfo.batch === 1;
  if (!plain || streamInfo.kind === "contributions") return "";
  const array = { self: "attentions", encoder: "encoder_attentions", decoder: "decoder_attentions", cross: "cross_attentions" }[streamInfo.kind] ?? "attentions";
  const load = info.format === "npz" ? `A = np.load(${JSON.stringify(file)})["${array}"].astype(float)` : `A = ...  # attention of ${JSON.stringify(file)}, float`;
  const headless = streamInfo.heads === 0 || heads.length === 0;
  const lines = ["import numpy as np", "", `${load}  # [layer]${headless ? "" : "[head]"}[query][key]`];
  if (first !== 0 || end !== streamInfo.layers) lines.push(`A = A[${first}:${end}]`);
  if (!headless && heads.length !== streamInfo.heads) lines.push(`A = A[:, ${JSON.stringify(heads)}]`);
  lines.push("A /= A.sum(-1, keepdims=True)");
  if (!headless) lines.push(`F = A.${fusion}(1)`, ...(fusion === "mean" ? [] : ["F /= F.sum(-1, keepdims=True)"]));
  else lines.push("F = A");
  if (method === "raw") return [...lines, "R = F[-1]", ""].join("\n");
  const each = Array.isArray(residual);
  lines.push(each ? `r = np.array(${JSON.stringify(residual)})[:, None, None]` : `r = ${residual}`);
  lines.push("M = r * np.eye(F.shape[-1]) + (1 - r) * F", `R = np.linalg.multi_dot(${method === "rollout" ? "M[::-1]" : "M"}) if len(M) > 1 else M[0]  # R[i, j]: from output i to input j`, "");
  return lines.join("\n");
}

const ENDS = { row_csv: "csv", matrix_csv: "csv", json: "json", npz: "npz", markdown: "md", latex: "tex", numpy: "py", bibtex: "bib" };

/**
 * @param {{
 *   locale: import("./locale.js").Locale, ask: (verb: string, args: object) => Promise<any>,
 *   state: any, file: string, info: any, problem: (error: any) => void,
 * }} app
 */
export async function showNumbers({ locale, ask, state, file, info, problem }) {
  let all;
  try {
    all = await ask("explain", recipeOptions(state.recipe));
  } catch (failure) {
    if (failure.code !== "too_slow" && failure.code !== "too_big") { problem(failure); return; }
    try { all = await ask("explain", { ...recipeOptions(state.recipe), row: state.query }); } catch (again) { problem(again); return; }
  }
  const row = all.matrix.length === 1 ? 0 : Math.min(state.query, all.matrix.length - 1);
  const possible = Object.keys(ENDS).filter((name) => (name === "numpy" ? numpyLines(all.recipe, file, info) !== "" : name === "bibtex" ? bibtex(all.recipe.method) !== "" : true));
  const preview = element("code");
  const copy = element("button", { type: "button" }), save = element("button", { type: "button", class: "primary" }, locale.t("dom.numbers.save"));
  const stem = file.replace(/\.[^.]*$/, "");
  let chosen = possible[0];
  const text = () => forms[chosen](all, row, file, info);
  const blob = () => (chosen === "npz"
    ? npz({ contributions: numbersArray([1, all.queries.length, all.keys.length], all.matrix.flat()), tokens: textArray(all.queries), source_tokens: textArray(all.keys), meta: textValue(JSON.stringify({ format: "attn-dump", version: 1, axes: "lqk", finished: true, recipe: all.recipe })) })
    : new Blob([text()], { type: "text/plain;charset=utf-8" }));
  const choose = (name) => {
    chosen = name;
    const shown = name === "npz" ? locale.t("dom.numbers.npz.holds", { rows: all.queries.length, columns: all.keys.length }) : text();
    preview.textContent = shown.length > PREVIEW ? `${shown.slice(0, PREVIEW)}…` : shown;
    copy.disabled = name === "npz";
    copy.textContent = locale.t("dom.copy");
  };
  copy.addEventListener("click", async () => { copy.textContent = locale.t(await copyText(text()) ? "dom.copied" : "dom.copy_failed"); });
  save.addEventListener("click", () => download(blob(), `${stem}.${all.recipe.method.replace(/[^\w-]/g, "-")}.${ENDS[chosen]}`));
  const dialog = openDialog({
    title: locale.t("dom.numbers.title"), widest: true, closeLabel: locale.t("dom.close"),
    body: [
      element("p", {}, all.recipe.sentence),
      element("div", { class: "numbers" },
        element("fieldset", {}, element("legend", { class: "unseen" }, locale.t("dom.numbers.form")), ...possible.map((name) => element("label", {}, element("input", { type: "radio", name: "form", checked: name === chosen, onchange: () => choose(name) }), " ", locale.t(`dom.numbers.${name}`)))),
        element("pre", { tabIndex: 0 }, preview)),
    ],
    buttons: [{ text: locale.t("dom.close") }], actions: [copy, save],
  });
  dialog.id = "numbers";
  choose(chosen);
}
