// What the palette offers: the command table, and for commands that take one of a few values an entry for each value.
// What the table itself says about a command (enabled, reason, choices) goes before what is known here.

/**
 * @typedef {{id: string, title: string, shortcut: string, args?: string, enabled?: boolean, reason?: string,
 *            choices?: {text: string, args: object, enabled?: boolean, reason?: string}[]}} TableCommand
 * @typedef {{key: string, text: string, shortcut?: string, reason?: string, value: boolean, deep?: boolean, run: () => any}} Entry
 *   key: the same entry in every language and of every file; value: a command with one of its values; reason: why it cannot be had now; deep: listed only when
 *   something was typed; run gives what the page module answers
 */

// Commands that need no value, until the table says what each takes.
const ALONE = new Set(["image.smooth", "image.outline", "heads.open", "heads.fuse"]);
const DEEP = new Set(["select.query", "heads.choose", "recipe.layers"]);  // a file may have thousands: they are found by typing

/** @param {any} info @param {any} state @param {import("./locale.js").Locale} locale @returns {Record<string, {text: string, args: object}[]>} */
function choicesOf(info, state, locale) {
  if (!info) return {};
  const stream = info.streams.find(({ name }) => name === state.recipe?.stream) ?? info.streams[0];
  const named = (name, values, prefix) => values.map((value) => ({ text: locale.t(`${prefix}${value}`), args: { [name]: value } }));
  const percent = new Intl.NumberFormat(locale.language, { style: "percent" });
  const number = new Intl.NumberFormat(locale.language);
  const methods = Object.keys(locale.words).map((key) => /^ui\.method\.([\w-]+)$/.exec(key)?.[1]).filter((name) => name && name !== "elsewhere" && name !== "attribution");
  const companions = info.companions ?? [];
  const stored = companions.filter((name) => name.startsWith("attr/")).map((name) => name.slice(5));
  const layer = (from) => ({ text: locale.t("ui.layers.single", { layer: from + 1 }), args: { layers: [from, from + 1] } });
  const queries = info.tokens[stream.name]?.queries ?? [];
  return {
    "select.query": Array.from({ length: stream.queries }, (_, query) => ({ text: `${query + 1} ${queries[query]?.label ?? ""}`.trim(), args: { query } })),
    "recipe.method": [...named("method", methods, "ui.method."),
      ...stored.map((name) => ({ text: locale.has(`ui.source.${name}`) ? locale.t(`ui.source.${name}`) : name, args: { method: `attribution:${name}` } }))],
    "recipe.stream": info.streams.length > 1 ? info.streams.map(({ name, kind }) => ({ text: locale.t(`ui.stream.${kind}`), args: { stream: name } })) : [],
    "recipe.fusion": stream.heads > 1 ? named("fusion", ["mean", "max", "min"], "ui.fusion.name.") : [],
    "recipe.residual": [0, 0.25, 0.5, 0.75, 0.9].map((residual) => ({ text: number.format(residual), args: { residual } })),
    "recipe.layers": [{ text: locale.t("ui.layers.all"), args: { layers: [0, stream.layers] } }, ...Array.from({ length: stream.layers }, (_, from) => layer(from))],
    "recipe.sink": named("sink", ["keep", "renormalise", "remove", "lift"], "ui.sink."),
    "recipe.merge": named("merge", ["pieces", "words", "segments"], "ui.merge."),
    "graph.keep": [0.5, 0.75, 0.9, 1].map((keep) => ({ text: percent.format(keep), args: { keep } })),
    "matrix.scale": named("scale", ["linear", "log", "per_row"], "ui.scale.name."),
    "heads.choose": stream.heads > 0 ? Array.from({ length: stream.layers * stream.heads }, (_, at) => {
      const [row, head] = [Math.floor(at / stream.heads), at % stream.heads];
      return { text: locale.t("ui.heads.name", { layer: row + 1, head: head + 1 }), args: { layer: row, head } };
    }) : [],
    "heads.order": named("order", ["layer", "role", "spread", "distance"], "ui.heads.order."),
    "image.opacity": [0.25, 0.5, 0.75, 1].map((opacity) => ({ text: percent.format(opacity), args: { opacity } })),
    "depth.measure": [...named("measure", ["entropy", "distance", "top_share", "sink_mass", "effective_rank"], "ui.depth.")],
  };
}

/** Why a command cannot run here, as far as it can be seen from the file. @param {string} id @param {any} info @param {any} state @param {import("./locale.js").Locale} locale */
function reasonOf(id, info, state, locale) {
  if (["help", "open", "examples"].includes(id)) return undefined;
  if (!info) return locale.t("dom.palette.no_file");
  const grid = info.grid?.rows > 0 || info.grid?.length > 0;
  if ((id === "view.image" || id.startsWith("image.")) && !grid) return locale.t("dom.palette.no_grid");
  if ((id === "view.heads" || id.startsWith("heads.") || id === "recipe.fusion") && !info.streams.some(({ heads }) => heads > 0)) return locale.t("dom.palette.fused");
  if ((id === "heads.open" || id === "heads.fuse") && !(state.heads?.head >= 0)) return locale.t("dom.palette.no_head");
  if (id === "recipe.stream" && info.streams.length < 2) return locale.t("dom.palette.one_stream");
  if (id === "report" && info.report.length === 0) return locale.t("dom.palette.no_remarks");
  return undefined;
}

/**
 * @param {{
 *   commands: TableCommand[], info: any, state: any, locale: import("./locale.js").Locale,
 *   run: (id: string, args?: object) => any,
 *   own: {key: string, text: string, value?: string, run: () => void}[],   what the page does by itself: language, theme, examples
 * }} app
 * @returns {Entry[]} in the table's order
 */
export function entriesOf({ commands, info, state, locale, run, own }) {
  const pair = (command, value) => locale.t("dom.palette.choice", { command, value });
  const known = choicesOf(info, state, locale);
  const entries = [];
  for (const command of commands) {
    if (command.id === "palette" || command.id === "escape") continue;  // what brings it up, and what closes it
    const title = locale.commandTitle(command);
    const reason = command.enabled === false ? command.reason || locale.t("dom.palette.not_now") : reasonOf(command.id, info, state, locale);
    const choices = reason ? [] : command.choices ?? known[command.id] ?? [];
    for (const choice of choices) {
      entries.push({
        key: `${command.id} ${JSON.stringify(choice.args)}`, text: pair(title, choice.text), value: true, deep: DEEP.has(command.id),
        reason: choice.enabled === false ? choice.reason || locale.t("dom.palette.not_now") : undefined, run: () => run(command.id, choice.args),
      });
    }
    if (choices.length > 0) continue;
    const alone = command.args === "{}" || Boolean(command.shortcut) || ALONE.has(command.id);
    entries.push({
      key: command.id, text: title, value: false, shortcut: command.shortcut, deep: !alone && !reason,
      reason: reason ?? (alone ? undefined : locale.t("dom.palette.value")), run: () => run(command.id, chosenHead(command.id, state)),
    });
  }
  return [...entries, ...own.map(({ key, text, value, run: act }) => ({ key, text: value ? pair(text, value) : text, value: Boolean(value), run: act }))];
}

/** The head that is chosen, for commands that ask which. */
const chosenHead = (id, state) => (id === "heads.open" ? { layer: state.heads.layer, head: state.heads.head } : id === "heads.fuse" ? { head: state.heads.head } : {});
