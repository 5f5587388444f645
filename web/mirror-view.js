// Under the table of the chosen row: what the view in sight shows beside it. The matrix may show another layer or one head,
// Heads the scores of each, Depth a measure after each layer; a chosen input has its own line. Numbers come from the engine,
// as scripts get them. Where that would read a large file again, a button asks first.
import { element } from "./dom.js";
import { Mirror } from "./mirror.js";

const PATIENCE_MS = 250;    // while somebody goes through heads or layers by key nothing is computed
const CHEAP_CELLS = 4e7;    // numbers of attention that are read again without asking
const CHEAP_TOKENS = 600;   // tokens whose matrices are multiplied again without asking
const MOST_HEADS = 1200;

const DEPTH = { entropy: "row_entropy_normalised_mean", distance: "rows_distance", top_share: "top_share", sink_mass: "sink_mass", effective_rank: "effective_rank" };
const SCORES = { previous: "previous_token", next: "next_token", self: "diagonal", first: "first_token", delimiter: "delimiter", duplicate: "duplicate_rows_mean", induction: "induction_rows_mean" };

/** Its heads are not read again without asking: that takes time and memory. */
const large = (stream) => stream.layers * Math.max(1, stream.heads) * stream.queries * stream.keys > CHEAP_CELLS;

export class MirrorView {
  #asked = 0;      // the newest question; an older answer is not shown
  #shown = "";     // what is shown, or is being computed
  #agreed = new Set();
  #kept = new Map();  // question to answer, of the open file
  #file = null;
  #timer = 0;
  /** @type {string[]} */ #said = ["graph"];  // the view, and what its parts said

  /**
   * @param {{
   *   mirror: Mirror, locale: import("./locale.js").Locale, ask: (verb: string, args: object) => Promise<any>,
   *   info: () => any, state: () => any, idle: () => void,
   * }} app
   */
  constructor(app) {
    this.app = app;
    app.locale.listeners.push(() => { this.#shown = ""; this.update(); });
  }

  update() {
    const { info, state } = this.app;
    const [now, file] = [state(), info()];
    if (!file) return;
    if (file !== this.#file) { this.#kept.clear(); this.#agreed.clear(); this.#shown = ""; this.#file = file; }
    const { last } = this.app.mirror;
    const wanted = JSON.stringify([now.view, now.query, now.key, now.level, now.recipe, now.matrix.kind, now.matrix.layer, now.matrix.head, now.heads, now.depth, last?.token]);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    const number = ++this.#asked;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(now, file, number), PATIENCE_MS);
  }

  async #show(state, info, number) {
    const { locale, mirror } = this.app;
    let parts;
    try { parts = await this.#partsOf(state, info, number); } catch { parts = []; }  // the picture says why it cannot be computed
    if (number !== this.#asked) return;
    const { view } = state;
    const title = locale.t(`ui.tab.${view}`);
    mirror.more.replaceChildren(element("h3", {}, title), ...parts.flatMap(({ nodes }) => nodes));
    // Only what is new is said; another view, or a view that loses what it said, by its name.
    const all = [view, ...parts.map((part) => part.said ?? "")];
    const fresh = all.slice(1).filter((text) => text && !this.#said.includes(text));
    if (fresh.length > 0) mirror.say([...(this.#said[0] === view ? [] : [title + "."]), ...fresh].join(" "), true);
    else if (this.#said[0] !== undefined && this.#said[0] !== view) mirror.say(title, true);
    this.#said = all;
    this.app.idle();
  }

  /** @returns {Promise<{nodes: Node[], said?: string}[]>} */
  async #partsOf(state, info, number) {
    const stream = info.streams.find(({ name }) => name === state.recipe.stream) ?? info.streams[0];
    const parts = [this.#chosenInput(state)];
    if (state.view === "matrix" && state.matrix.kind !== "result") parts.push(await this.#matrix(state, stream, number));
    if (state.view === "heads") parts.push(await this.#heads(state, stream, number));
    if (state.view === "depth") parts.push(await this.#depth(state, stream, number));
    return parts.filter(({ nodes }) => nodes.length > 0);
  }

  /** An answer of the engine, asked for once. */
  #answer(verb, args) {
    const question = verb + JSON.stringify(args);
    if (!this.#kept.has(question)) {
      if (this.#kept.size > 40) this.#kept.clear();
      this.#kept.set(question, this.app.ask(verb, args).catch((cause) => { this.#kept.delete(question); throw cause; }));
    }
    return this.#kept.get(question);
  }

  /** The input that is chosen beside the output: its number, its rank. */
  #chosenInput({ key }) {
    const { mirror, locale } = this.app;
    const rows = mirror.last?.rows ?? [];
    const at = rows.findIndex((row) => row.key === key);
    if (key < 0 || at < 0) return { nodes: [] };
    const number = mirror.numbers(mirror.last.percent !== false), row = rows[at];
    const said = locale.t("dom.mirrored.input", { query: mirror.last.token, key: row.token, weight: number(row.weight), chance: number(row.chance), rank: at + 1, count: rows.length });
    return { nodes: [element("p", {}, said)], said };
  }

  /** The chosen row in another matrix than the result. */
  async #matrix({ recipe, matrix: { kind, layer, head }, query }, stream, number) {
    const { mirror, locale } = this.app;
    if (kind !== "after_layer" && large(stream) && !this.#agreed.has("matrix")) return this.#offer("matrix", number);
    const at = Math.max(0, layer);
    const raw = { method: "raw", stream: stream.name, layers: [at, at + 1], ...(recipe.merge !== "pieces" ? { merge: recipe.merge, merge_queries: recipe.merge_queries } : {}) };
    const args = kind === "head" ? { ...raw, ...(stream.heads > 1 ? { heads: [head] } : {}) }
      : kind === "fused_layer" ? { ...raw, fusion: recipe.fusion, ...(recipe.heads.length ? { heads: recipe.heads } : {}) }
        : { ...recipe, layers: [recipe.layers[0], at + 1] };
    const { matrix: [weights], keys, queries: [token], recipe: { unit } } = await this.#answer("explain", { ...args, row: query });
    const percent = !["max-flow", "attribution"].includes(unit);
    const rows = weights.map((weight, index) => ({ token: keys[index], weight, chance: null, key: index })).sort((a, b) => (b.weight ?? -1) - (a.weight ?? -1));
    const write = mirror.numbers(percent);
    const place = { layer: at + 1, head: head + 1 };
    const what = kind === "head" ? locale.t("ui.heads.name", place) : locale.t(`dom.mirrored.${kind}`, place);
    const caption = locale.t("dom.mirror.caption", { token, sentence: what });
    return {
      nodes: [Mirror.table(caption, ["token", "weight", "position"].map((one) => locale.t(`dom.mirror.${one}`)), rows.map((row) => [row.token, write(row.weight), row.key + 1]))],
      said: `${what}. ${locale.t("dom.mirror.said", { token, list: mirror.strongest(rows, write) })}`,
    };
  }

  /** Each head with its role and scores; the chosen one in full. */
  async #heads({ heads: { layer, head } }, stream, number) {
    const { locale, mirror } = this.app;
    if (stream.heads < 1) return { nodes: [] };
    if (large(stream) && !this.#agreed.has("heads")) return this.#offer("heads", number);
    const { scores } = await this.#answer("heads", { stream: stream.name });
    const percent = mirror.numbers(true);
    const name = (one) => locale.t("ui.heads.name", { layer: one.layer + 1, head: one.head + 1 });
    const role = (one) => (locale.has(`ui.heads.role.${one.role}`) ? locale.t(`ui.heads.role.${one.role}`) : one.role);
    const chosen = scores.find((one) => one.layer === layer && one.head === head);
    const nodes = [], known = (one) => Object.entries(SCORES).filter(([, field]) => typeof one[field] === "number");
    if (chosen) {
      nodes.push(Mirror.table(`${name(chosen)}: ${role(chosen)}`, [locale.t("ui.heads.scores"), locale.t("ui.heads.mean_weight"), locale.t("dom.mirror.chance")],
        known(chosen).map(([key, field]) => [locale.t(`ui.heads.score.${key}`), percent(chosen[field]), percent(chosen.chance?.[key])])));
    }
    nodes.push(Mirror.table(locale.count("dom.heads", scores.length), [locale.t("dom.mirrored.head"), locale.t("dom.mirrored.role"), locale.t("ui.heads.order.spread")],
      scores.slice(0, MOST_HEADS).map((one) => [name(one), role(one), percent(one.entropy_normalised_mean)])));
    return { nodes, said: chosen ? `${name(chosen)}: ${role(chosen)}.` : locale.count("dom.heads", scores.length) };
  }

  /** The measure of the curve after each layer. */
  async #depth({ recipe, query, key, depth: { measure } }, stream, number) {
    const { locale, mirror } = this.app;
    if (stream.queries > CHEAP_TOKENS && !this.#agreed.has("depth")) return this.#offer("depth", number);
    // What is no product of layers has no state after each: then the layers' own attention is measured, as the curve has it.
    const own = { method: "raw", stream: stream.name, layers: recipe.layers };
    let base = recipe;
    const { layers } = await this.#answer("depth", recipe).catch(() => this.#answer("depth", base = own));
    let rows, title = "";
    if (measure === "key") {
      const all = mirror.last?.rows ?? [], input = key >= 0 ? key : (all.find((row) => !row.sink) ?? all[0])?.key ?? 0;
      title = locale.t("ui.depth.key", { token: all.find((row) => row.key === input)?.token ?? String(input + 1) });
      const upTo = (layer) => [base.method === "raw" ? layer : base.layers[0], layer + 1];
      const answers = await Promise.all(layers.map((one) => this.#answer("explain", { ...base, layers: upTo(one.layer), row: query })));
      rows = answers.map(({ matrix: [weights] }, i) => [layers[i].layer + 1, mirror.numbers(true)(weights[input])]);
    } else {
      title = locale.t(`ui.depth.${measure}`);
      const plain = mirror.numbers(measure !== "effective_rank");
      rows = layers.map((one) => [one.layer + 1, measure === "top_share" && one.top_label ? `${one.top_label} ${plain(one.top_share)}` : plain(one[DEPTH[measure]])]);
    }
    const nodes = [Mirror.table(title, [locale.t("ui.depth.layers"), title], rows)];
    if (locale.has(`ui.depth.note.${measure}`)) nodes.unshift(element("p", {}, locale.t(`ui.depth.note.${measure}`)));
    return { nodes, said: rows.length > 0 ? locale.t("dom.mirrored.curve", { measure: title, first: rows[0][1], last: rows.at(-1)[1] }) : title };
  }

  /** What would take long is done once it is asked for. */
  #offer(what, number) {
    const { locale } = this.app;
    const act = () => { this.#agreed.add(what); if (number === this.#asked) { this.#shown = ""; this.update(); } };
    return { nodes: [element("p", {}, element("button", { type: "button", onclick: act }, locale.t("dom.mirrored.compute")))], said: locale.t("dom.mirrored.compute") };
  }
}
