// window.rollscope: what scripts, tests and embedding pages may ask (contracts, section "Page"). The JSON is that of the
// command line. Failures reject with {code, text, fix} in English: scripts match on codes.

/**
 * What `open` takes, checked and in the opener's form.
 * @param {any} source @param {any} options  {assume, item, tokens, beside}
 */
function openArguments(source, options) {
  const wrong = (text, fix) => ({ code: "usage", text, fix });
  const shown = (value) => { try { return JSON.stringify(value)?.slice(0, 40) ?? String(value); } catch { return typeof value; } };
  if (!(source instanceof Blob) && !(source instanceof URL) && (typeof source !== "string" || source.trim() === "")) {
    throw wrong(`open takes a File, a Blob or an address, not ${shown(source)}.`, "Pass the File itself, or the address as text or URL.");
  }
  const { assume = {}, item = 0, tokens, beside = [] } = options;
  if (typeof assume !== "object" || assume === null || Array.isArray(assume)) throw wrong(`assume is an object, not ${shown(assume)}.`, "For instance {orientation: \"columns\"}.");
  if (!Number.isInteger(item) || item < 0) throw wrong(`item is a number from 0, not ${shown(item)}.`, "Items of a batch count from 0.");
  if (!Array.isArray(beside) || !beside.every((one) => typeof one?.name === "string" && typeof one?.text === "string")) throw wrong("beside is a list of {name, text}.", "For instance [{name: \"tokens.txt\", text: \"the\\ncat\"}].");
  if (tokens !== undefined && typeof tokens !== "string" && !(Array.isArray(tokens) && tokens.every((one) => typeof one === "string"))) throw wrong(`tokens is a list of strings, not ${shown(tokens)}.`, "Pass what tokenizer.convert_ids_to_tokens gives.");
  const given = tokens === undefined ? beside : [...beside, typeof tokens === "string" ? { name: "tokens.txt", text: tokens } : { name: "tokens.json", text: JSON.stringify(tokens) }];
  return [source, { assume: Object.fromEntries(Object.entries(assume).map(([name, value]) => [name, String(value)])), item, beside: given }];
}

/**
 * @param {{
 *   ready: Promise<void>,
 *   locale: import("./locale.js").Locale,
 *   opener: import("./opener.js").Opener,
 *   ask: (verb: string, args: object) => Promise<any>,    the answer's JSON
 *   page: () => import("./page.js").Page | null,           null: nothing is drawn here
 *   idle: () => Promise<void>,
 *   site: string,                                          where its links lead
 *   heapBytes: () => number,
 *   workers: () => number,
 * }} app
 */
export function makeApi(app) {
  const failing = async (work) => {
    await app.ready.catch(() => {});  // what cannot start says so in its own words below
    try {
      return await work();
    } catch (error) {
      const plain = await app.locale.plainError(error);
      throw Object.assign(new Error(plain.text), plain);
    }
  };
  const drawn = () => {
    const page = app.page();
    if (!page) throw { code: "usage", params: { detail: "This browser draws no views" } };
    return page;
  };
  /** What the page module answers to a command. */
  const checked = (answer) => {
    if (answer.error) throw answer.error;
    return answer;
  };

  return {
    ready: app.ready,
    open: (source, options = {}) => failing(async () => app.opener.open(...openArguments(source, options ?? {}))),
    info: () => failing(() => app.ask("info", {})),
    explain: (options = {}) => failing(() => app.ask("explain", options ?? {})),
    // As at the command line: what heads do, what each layer adds, {a, b} compared, a removal plan, a sheet about one row.
    heads: (options = {}) => failing(() => app.ask("heads", options ?? {})),
    depth: (options = {}) => failing(() => app.ask("depth", options ?? {})),
    compare: (options = {}) => failing(() => app.ask("compare", options ?? {})),
    plan: (options = {}) => failing(() => app.ask("plan", options ?? {})),
    audit: (options = {}) => failing(() => app.ask("audit", options ?? {})),
    // An explanation as a link, with options as at the command line: {payload, budget, no_text, row, base, src, ...those of explain}.
    link: (options = {}) => failing(() => {
      const { row, no_text = false, payload, budget, base = app.site, src, state, ...recipe } = options ?? {};
      return app.ask("link", { recipe, query: row, text: !no_text, payload, budget, base, src, state });
    }),
    figure: (options = {}) => failing(() => app.ask("figure", options ?? {})),  // {recipe, query, view, theme, width}, as session.h says
    commands: () => failing(async () => {
      await app.locale.whole();
      return (app.page()?.commands() ?? []).map((command) => ({ ...command, title: app.locale.commandTitle(command) }));
    }),
    run: (id, args = {}) => failing(async () => checked(drawn().command(id, args ?? {}))),
    state: () => failing(async () => drawn().state()),
    setState: (state) => failing(async () => checked(drawn().setState(state))),
    idle: () => failing(app.idle),
    stats: () => failing(async () => ({
      frames: 0, gpuBytes: 0, edgesDrawn: 0, edgesHidden: 0, lastFrameMs: 0,
      ...app.page()?.stats(), heapBytes: app.heapBytes(), workers: app.workers(),
    })),
  };
}
