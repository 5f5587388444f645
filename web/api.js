// window.rollscope: what scripts, tests and embedding pages may ask (contracts, section "Page"). The JSON is that of the
// command line. Failures reject with {code, text, fix} in English: scripts match on codes.

/**
 * @param {{
 *   ready: Promise<void>,
 *   locale: import("./locale.js").Locale,
 *   opener: import("./opener.js").Opener,
 *   ask: (verb: string, args: object) => Promise<any>,    the answer's JSON
 *   page: () => import("./page.js").Page | null,           null: nothing is drawn here
 *   idle: () => Promise<void>,
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
      const plain = app.locale.plainError(error);
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
    open: (source, options = {}) => failing(() => app.opener.open(source, options ?? {})),
    info: () => failing(() => app.ask("info", {})),
    explain: (options = {}) => failing(() => app.ask("explain", options ?? {})),
    commands: () => failing(async () => app.page()?.commands() ?? []),
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
