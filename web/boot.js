// Starts the page: says at once what cannot work here, loads everything in parallel, then joins the parts. The engine
// and the picture start apart: either works without the other.
import { makeApi } from "./api.js";
import { watchContext, watchSize } from "./canvas.js";
import { closeDialogs } from "./dialogs.js";
import { byId, element } from "./dom.js";
import { acceptDrops } from "./drop.js";
import { Engine } from "./engine-client.js";
import { hasTouch, hasWebAssembly, hasWebGL2 } from "./features.js";
import { splitFragment } from "./fragment.js";
import { Frames } from "./frames.js";
import { Gallery } from "./gallery.js";
import { rememberState } from "./gl-state.js";
import { makeHeader } from "./header.js";
import { makeHost } from "./host.js";
import { Idle } from "./idle.js";
import { listen, onPaletteKey } from "./input.js";
import { Kept, mayStandBeside } from "./kept.js";
import { Loader } from "./loader.js";
import { firstLanguage, Locale } from "./locale.js";
import { hideLoading, showLoading, showMessage } from "./loading.js";
import { Mirror } from "./mirror.js";
import { notice } from "./notice.js";
import { questionOf } from "./offers.js";
import { Opener } from "./opener.js";
import { Page } from "./page.js";
import { showReading } from "./reading.js";
import { recall, remember } from "./store.js";
import { Theme } from "./theme.js";

const inside = window.rollscopeInside;  // of a page in one file (single.js): all its files, and its dump
const assets = new URL("./", inside ? "file:///" : import.meta.url);  // a page in a frame without an origin has no address
const query = new URLSearchParams(location.search);
const embedded = query.has("embed");  // in a page of someone else's: small, and a picture until it is clicked
document.body.classList.toggle("embedded", embedded);
const { fields } = splitFragment(location.hash);
const canvas = byId("canvas");

const sizes = inside ? {} : JSON.parse(byId("sizes").textContent);
const loader = new Loader(assets, sizes, (fraction) => showLoading(fraction, locale), inside?.files);
const address = (file) => inside?.address(file) ?? new URL(file, assets).href;
const once = new Map();  // files that are asked for once; what did not arrive may be asked for again
const asset = (file, load) => {
  if (!once.has(file)) once.set(file, load(file).catch((cause) => { once.delete(file); throw cause; }));
  return once.get(file);
};
const locale = new Locale((name) => asset(`locales/${name}.json`, (file) => loader.json(file)));
const theme = new Theme(fields.get("theme") ?? query.get("theme") ?? undefined);
const site = inside?.site ?? location.origin + location.pathname;
const exporter = inside ? "" : address("../../export/rollscope_dump.py");
const kept = new Kept();
const gallery = new Gallery(new URL("../../gallery/", assets));

/** @type {Engine | null} */ let engine = null;
/** @type {Page | null} */ let page = null;
/** @type {import("./host.js").Host | null} */ let host = null;
let poster = null;  // of an embedded page that has not been clicked
let header = null, mirror = null, tableView = null, tellHost = () => {};

const frames = new Frames((now) => {
  if (!page) return;  // asked for while it is still being made
  page.frame(now);
  idle.look();
});
let facesDue = 0;  // typefaces that the picture waits for
const idle = new Idle(() => facesDue === 0 && !opener.busy && (engine?.pending ?? 0) === 0 && !host?.pending && !frames.pending && !page?.busy() && !poster?.pending);

const heapBytes = () => (engine?.heap ?? 0) + (page?.heap ?? 0);
const ask = async (verb, args) => {
  if (!engine) throw { code: "no_dump", params: {} };
  return JSON.parse((await engine.ask(verb, JSON.stringify(args)).promise).json);
};
const say = (text, action) => notice(text, locale.t("dom.close"), action);

/** A failure in one line. @param {any} failure @param {(what: string) => string} sentence */
const sayError = (failure, sentence) => locale.whole().catch(() => {}).then(() => say(sentence(locale.error(failure).what)));

/** Modules that are fetched once they are needed, and the words for them. A page that stayed open while its site changed finds them no more. */
async function part(load) {
  try {
    const [module] = await Promise.all([load(), locale.whole(), asset("later.css", dress)]);
    return module;
  } catch (cause) {
    say(locale.t("dom.part_missing"), { text: locale.t("dom.reload"), act: () => location.reload() });
    throw cause;
  }
}

/** The look of dialogs. @param {string} file */
const dress = async (file) => { document.head.append(element("style", {}, await loader.text(file))); };

const opener = new Opener({
  engine: () => engine,
  reading(name, cancel) {
    const card = showReading(name, locale, cancel);
    let told = 0;  // each word to the picture costs a frame, and the card is there for the details
    return {
      partial: card.partial,
      progress(p) {
        card.progress(p);
        if (performance.now() - told < 400) return;
        told = performance.now();
        page?.progress(name, p);
      },
      done() { card.done(); page?.progress(name, { fraction: -1, bytes: 0, total: 0, layer: 0, layers: 0 }); idle.look(); },
    };
  },
  async opened(dump) {
    const { name, info, archive, state } = dump;
    tour?.close();  // it is about the other one, and so is the line over a link
    byId("sent")?.remove();
    if (kept.dumps.length > 0) kept.keep(dump, dump);
    header.show(name, info);
    closeDialogs();
    forgetTokens();
    tellHost("loaded", { name });
    askAbout(dump);
    if (tableView) { await tableView.show(info, state); return; }
    if (poster) { await poster.show(info, state); return; }
    if (page) await showDump(archive, state);
  },
});

/** What a file leaves open is asked once of a visitor; a script and a later visit find it in the report. */
function askAbout(dump) {
  const question = questionOf(dump.info);
  if (!question) return;
  const remind = () => locale.whole().then(() => {
    if (opener.current === dump) say(locale.remark(question).text, { text: locale.t("dom.report.look"), act: openReport });
  }).catch(() => {});  // the number of remarks still stands beside the file's name
  if (!dump.byHand || question.code !== "ambiguous_axes") { remind(); return; }
  part(() => import("./question.js")).then(({ asksFirst, showQuestion }) => {
    if (opener.current !== dump || !asksFirst(dump)) return;
    showQuestion(dump, question, { locale, engine, again: reopen, pasteTokens });
  }).catch(remind);
}

/** The first example as a table that was computed beforehand: nothing can be computed here. */
async function showStoredTable() {
  await gallery.load();
  const { name, info, explain } = await gallery.table();
  header.show(name, info);
  mirror.show(true);
  const row = (query) => ({ ...explain, queries: [explain.queries[query]], matrix: [explain.matrix[query]], uniform: [explain.uniform[query]] });
  const { makeTableView } = await import("./table-view.js");
  await makeTableView({ locale, mirror, explain: async (options) => row(options.row) }).show(info);
}

/** Gives a dump to the picture; done when its first row is there. */
async function showDump(archive, state) {
  page.dump(archive);
  if (state) page.setState(state);
  page.memory(heapBytes());
  frames.request();
  await host.answered("view");
}

/** What the visitor opens, as against a script: failures are told in a dialog. @returns {Promise<boolean>} it is open */
async function openByHand(source, options = {}) {
  try {
    await opener.open(source, { ...options, byHand: true });
    return true;
  } catch (error) {
    if (error.code === "cancelled") return false;
    if (error.address) { await askForHost(error, source); return false; }
    await tellError(error, error.file ?? "", (assume) => openByHand(source, { ...options, assume: { ...options.assume, ...assume } }));
    return false;
  }
}

/** @param {any} error @param {string} name  the file @param {(assume: Record<string, string>) => void} again */
async function tellError(error, name, again) {
  const openName = opener.current?.name ?? null;
  try {
    (await part(() => import("./errors.js"))).showError(error, { locale, name, openName, again, pick: header.pick, exporter });
  } catch {
    say(`${name}: ${error.text ?? error.code}`);  // beside the word that a part of the page is missing
  }
}

/** Another host is asked only after the visitor has agreed, and then by a page that names it in its policy. */
async function askForHost({ address }, source) {
  const { askConsent, grant } = await part(() => import("./consent.js"));
  const { current } = opener;
  askConsent(address, {
    locale,
    lost: current?.source instanceof Blob && !gallery.examples.some(({ file }) => file === current.name) ? current.name : null,
    agreed: () => {
      if (grant(address.hosts, String(source))) return;
      const failure = { code: "host_not_allowed", params: { kind: "no_storage", file: address.name, host: address.url.host, link: address.url.href } };
      tellError(failure, address.name, () => {});
    },
    // A link that opens nothing leaves the page as a visit without one.
    declined: openFirst,
  });
}

const openExample = (id) => openByHand(...gallery.source(id));

/** What a visit without a link shows, where nothing is open. */
async function openFirst() {
  if (opener.current || opener.busy || query.has("wait")) return;  // whoever holds this page will say what to open
  if (inside?.dump) { const { dump, name, assume, item, beside, state } = inside; await openByHand(dump, { name, assume, item, beside, state }); if (inside.tour) await openTour(inside.tour); }
  else if (gallery.first) await openExample(gallery.first.id);
}

/** The open dump with other answers to the importer's questions. @param {Record<string, string>} assume @param {number} [item] */
const reopen = (assume, item = opener.current.item) => openByHand(opener.current.source, { ...opener.current, state: undefined, assume, item });

/** The open dump with something beside it: tokens, a picture. @param {import("./opener.js").Beside[]} beside */
const reopenWith = (beside) => openByHand(opener.current.source, { ...opener.current, state: undefined, beside });

/** Takes away the offer to take tokens back, once another dump is open. */
let forgetTokens = () => {};

/** Tokens for the open dump; what was there before can be had back. @param {string[]} tokens @param {string} [from]  the file they are of */
async function useTokens(tokens, from) {
  const { besideTokens, withBeside } = await part(() => import("./files.js"));
  const { name, beside } = opener.current;
  if (!await reopenWith(withBeside(beside, [besideTokens(tokens)]))) return;
  const count = locale.count("dom.tokens", tokens.length);
  forgetTokens = say(locale.t(from ? "dom.files.tokens_of" : "dom.files.tokens", { count, from: from ?? "", file: name }), { text: locale.t("dom.report.take_back"), act: () => reopenWith(beside) });
}

async function pasteTokens() {
  const { showTokens } = await part(() => import("./open-dialog.js"));
  const { name, info } = opener.current;
  showTokens({ locale, name, positions: info.streams[0].keys, use: (tokens) => useTokens(tokens) });
}

const openApp = () => ({
  locale, openName: opener.current?.name ?? null, pick: header.pick, useTokens: (tokens) => useTokens(tokens),
  openAddress: (text) => openByHand(text),
  openText: (text) => openByHand(new Blob([text], { type: "text/plain" }), { name: locale.t("dom.open.pasted") }),
});
const openDialog = async () => (await part(() => import("./open-dialog.js"))).showOpen(openApp());
const openPasted = async (text) => (await part(() => import("./open-dialog.js"))).takePasted(text, openApp());

/**
 * Files that were chosen, dropped or pasted together: a dump with its tokens and its picture, or several dumps.
 * @param {File[]} files @param {any[]} [folders]
 */
async function openFiles(files, folders = []) {
  if (files.length === 1 && folders.length === 0 && !mayStandBeside(files[0])) { await openByHand(files[0]); return; }
  const { besidePicture, besideTokens, filesOfFolders, sortFiles, withBeside } = await part(() => import("./files.js"));
  const inside = await filesOfFolders(folders).catch(() => ({ files: [], crowded: folders[0].name }));
  if (inside.crowded !== null) { say(locale.t("dom.files.crowded", { folder: inside.crowded })); return; }
  const all = [...files, ...inside.files];
  if (all.length === 0) { say(locale.t("dom.files.nothing_inside", { folder: folders[0]?.name ?? "" })); return; }
  const { dumps, tokens, picture, aside } = await sortFiles(all);
  const beside = tokens ? [besideTokens(tokens.tokens)] : [];
  if (picture) {
    await besidePicture(picture).then((one) => beside.push(one)).catch(() => say(locale.t("dom.files.bad_picture", { file: picture.name })));
  }
  if (aside.length > 0) say(locale.t("dom.files.aside", { files: aside.join(", ") }));
  if (dumps.length > 0) { await openDumps(dumps, beside); return; }
  const { current } = opener;
  if (!current) say(locale.t("dom.files.no_dump", { file: all[0].name }));
  else if (tokens && !picture) await useTokens(tokens.tokens, tokens.name);
  else if (beside.length > 0 && await reopenWith(withBeside(current.beside, beside))) {
    say(locale.t("dom.files.beside", { from: picture?.name ?? "", file: current.name }), { text: locale.t("dom.report.take_back"), act: () => reopenWith(current.beside) });
  }
}

/** The first is opened; with others it makes a set, which can be switched under its name. */
async function openDumps([first, ...others], beside) {
  if (others.length === 0) { await openByHand(first, { beside }); return; }
  const before = kept.dumps;
  kept.clear();
  for (const source of [first, ...others].slice(0, Kept.MOST)) kept.keep({ name: source.name, source, beside: source === first ? beside : [] });
  if (!await openByHand(first, { beside })) kept.dumps = before.length > 0 ? before : kept.dumps.filter((dump) => dump.source !== first);
  header.update();
  const names = kept.dumps.filter((dump) => dump.source !== opener.current?.source).map((dump) => dump.name).join(", ");
  if (opener.current?.source === first) say(locale.t("dom.kept.said", { file: first.name, others: names }));
  if (others.length >= Kept.MOST) say(locale.t("dom.kept.most", { count: Kept.MOST }));
}

const keptItems = () => kept.dumps.map((dump) => ({
  text: dump.name, chosen: opener.current !== null && kept.indexOf(opener.current.source) === kept.dumps.indexOf(dump),
  line: locale.t(dump.source === opener.current?.source ? "dom.kept.open" : "dom.kept.line"), act: () => openByHand(dump.source, dump),
}));

const openReport = async () => {
  const { showReport } = await part(() => import("./report.js"));
  const { current } = opener;
  if (current) showReport(current.name, current.info, { locale, again: reopen, pasteTokens });
};
const openHelp = async () => (await part(() => import("./help.js"))).showHelp(page?.commands() ?? [], { locale, licences: address("licenses.txt"), exporter, showPalette: openPalette });

/** Whether a link stands behind "#": #a1..., or the view of a file. What chat programs did to it is undone later. */
const isLink = (hash) => /^#(a[=\d]|(v|sha)(=|%(25)*3D))/i.test(hash);
const openSent = async () => (await part(() => import("./link.js"))).openLink(location.hash, {
  locale, ask, open: openByHand, say, setState: (state) => { page?.setState(state); frames.request(); }, dumpOpen: () => opener.current,
  otherwise: openFirst, openTour,
}).catch(openFirst);  // a part that did not come has said so

/** @type {import("./tour.js").Tour | null} */ let tour = null;

/** Plays a tour over the open dump, or makes one where none is given. @param {any} [data]  as a link or a file has it */
async function openTour(data) {
  const { readTour, Tour } = await part(() => import("./tour.js"));
  const given = data === undefined ? { title: "", steps: [] } : readTour(data);
  if (!page || !given) return;
  tour?.close();
  tour = new Tour(given, {
    locale, say, state: () => page.state(), setState: (state) => { page.setState(state); frames.request(); }, closed: () => { tour = null; },
  }, { edit: data === undefined });
}

/** The tour that comes with the page, on the example that it is about. */
async function openOwnTour() {
  const data = await loader.json("tours/rollout.json").catch(() => null);
  if (!data || (data.example && !await openExample(data.example))) return;
  await openTour(data);
}

async function openShare() {
  const { current } = opener;
  if (!current || !page) { if (!current) openDialog(); return; }
  const { share } = await part(() => import("./sharing.js"));
  await share({
    locale, ask, current, state: tour ? { ...page.state(), tour: tour.data } : page.state(), site, dark: theme.isDark, sizes, faces: () => Promise.all([400, 600].map((weight) => loader.bytes(`fonts/plex-sans-${weight}.ttf`))),
    template: inside ? null : () => asset("single.html", (file) => loader.text(file)), problem: (error) => sayError(error, (what) => what),
  });
}

async function openPalette() {
  const [{ showPalette }, { ownEntries }] = await part(() => Promise.all([import("./palette.js"), import("./palette-own.js")]));
  const drawn = page?.dead ? null : page;
  showPalette({
    commands: drawn?.commands() ?? [], info: opener.current?.info ?? null, state: drawn?.state() ?? {}, locale,
    run: (id, args) => { const answer = drawn.command(id, args); frames.request(); return answer; },
    own: ownEntries({ locale, theme, examples: gallery.examples, openExample, openDialog, openHelp, drawn: drawn !== null }),
  });
}

/** The face of codes in the canvas: few pictures hold one, and until it is there the regular face stands in. */
function codeFace() {
  if (once.has("code")) return;
  once.set("code", true);
  ++facesDue;
  loader.bytes("fonts/plex-mono-400.ttf").then((bytes) => page.font(3, bytes), () => once.delete("code")).finally(() => { --facesDue; frames.request(); idle.look(); });
}

/** What the view in sight shows beside the row, for the table; the graph alone shows no more than the row. */
let mirrorView = null;
function besideRow() {
  const state = page?.state();
  if (!state || !opener.current) return;
  if (state.view === "heads") codeFace();
  if (!mirrorView && state.view === "graph" && state.key < 0) return;
  mirrorView ??= part(() => import("./mirror-view.js")).then(({ MirrorView }) => new MirrorView({ mirror, locale, ask, info: () => opener.current?.info, state: () => page.state(), idle: () => idle.look() }))
    .catch(() => { mirrorView = null; });  // the row itself is there
  mirrorView?.then((view) => view?.update());
}

/** Events of the page module (host.h, tell). */
function hear(event, detail) {
  if (event === "first-picture") performance.mark("rollscope:first-picture");
  else if (event === "selection") { mirror.update(detail); tellHost("selection", detail); besideRow(); }
  else if (event === "limits") part(() => import("./help.js")).then(({ showLimits }) => showLimits(detail.items ?? [], locale)).catch(() => {});
  else if (event === "state") besideRow();
  else if (event === "help") openHelp();
  else if (event === "open") openDialog();
  else if (event === "examples") header.openExamples();
  else if (event === "find") {
    Promise.all([part(() => import("./find.js")), locale.whole()]).then(([{ openFind }]) => openFind(byId("stage"), {
      locale, focusBack: () => canvas.focus({ preventScroll: true }), find: (text, step) => page.command("select.find", { text, step }),
    })).catch(() => {});
  }
  else if (event === "layout") remember("layout", JSON.stringify(detail));
  else if (event === "report") openReport();
  else if (event === "error") { if (detail.code !== "cancelled") sayError(detail, (what) => what); }
  else if (event === "picture") part(() => import("./picture.js")).then(({ decode }) => decode(detail.url)).then(({ rgb, width, height }) => page.picture(rgb, width, height)).catch(() => {});
  else if (event === "edit") {
    part(() => import("./edit.js")).then(({ editNumber }) => editNumber(byId("stage"), detail, {
      label: locale.t("dom.edit"), focusBack: () => canvas.focus({ preventScroll: true }),
      commit: (value) => page.command(detail.command ?? "recipe.residual", { [detail.argument ?? "residual"]: value }),
    })).catch(() => {});
  }
}

async function startEngine() {
  const server = loader.text("engine-worker.js");
  const set = async (name) => {
    const [text, wasm] = await Promise.all([loader.text(`${name}.js`), loader.bytes(`${name}.wasm`)]);
    return { parts: { engine: text, server: await server, wasm }, scripts: [address(`${name}.js`), address("engine-worker.js")] };
  };
  const { parts, scripts } = await set(inside ? "engine" : "engine-first");
  engine = new Engine(parts, {
    scripts,
    more: inside ? undefined : () => set("engine"),
    noWorker: query.has("noworker"),
    onChange: () => { page?.memory(heapBytes()); idle.look(); },
    onCrash: (failure) => sayError(failure, (what) => locale.t("dom.engine_crashed", { what })),
  });
  await engine.ready;
  if (engine.inPage) say(locale.t("dom.no_worker"));
}

async function startPage() {
  const fontFiles = ["plex-sans-400", "plex-sans-500", "plex-sans-600"];
  const [{ default: factory }, wasm, ...fonts] = await Promise.all([
    import(address("page.mjs")), loader.bytes("page.wasm"), ...fontFiles.map((name) => loader.bytes(`fonts/${name}.ttf`)),
  ]);
  host = makeHost({
    frames, canvas, tell: hear,
    ask: (verb, args) => engine.ask(verb, args),
    answer: (number, archive, error) => { page.answer(number, archive, error); idle.look(); },
  });
  rememberState(canvas);
  const made = await Page.load(factory, wasm, canvas, host, (reason) => showMessage(locale.t("dom.stopped"), [reason], { text: locale.t("dom.reload"), act: () => location.reload() }));
  fonts.forEach((bytes, slot) => made.font(slot, bytes));
  await Promise.all(["400 16px 'IBM Plex Sans'", "600 16px 'IBM Plex Sans'"].map((font) => document.fonts.load(font).catch(() => {})));
  await words(made);
  canvas.hidden = false;
  made.theme(theme, hasTouch());
  if (!made.start()) throw new Error("webgl2");
  page = made;
  try { made.setState(JSON.parse(recall("layout") ?? "{}")); } catch { /* what was kept is no arrangement */ }
  locale.listeners.push(() => words(made).then(() => frames.request()));
  theme.listeners.push(() => { made.theme(theme, hasTouch()); frames.request(); });
  watchSize(canvas, (...size) => { made.resize(...size); frames.request(); });
  let lostNotice = () => {};
  watchContext(canvas, {
    lost: () => { made.contextLost(); lostNotice = say(locale.t("dom.context_lost")); },
    restored: () => { made.contextRestored(); lostNotice(); frames.request(); },
  });
  listen(canvas, made, embedded);
  frames.request();
}

/** The picture of an embedded page; a click puts the page in its place. */
async function startPoster() {
  const { makePoster } = await part(() => import("./poster.js"));
  const wake = async (state) => {
    poster.remove();
    poster = null;
    await startPage();
    tellHost("awake", {});
    const { current } = opener;
    if (current) await showDump(current.archive, state);
    canvas.focus({ preventScroll: true });
  };
  poster = makePoster(byId("stage"), { locale, theme, ask, wake, idle: () => idle.look() });
}

/** The words of the page module, and what it needs to write them. */
async function words(made) {
  if (locale.language === "ja" && !once.has("fonts")) {
    once.set("fonts", Promise.all(["400", "600"].map(async (weight, index) => {
      const bytes = await loader.bytes(`fonts/plex-sans-jp-${inside ? "400" : weight}.ttf`);
      document.fonts.add(await new FontFace("IBM Plex Sans JP", bytes, { weight }).load());
      made.font(4 + index, bytes);
    })).catch((error) => console.warn(String(error))));
  }
  await once.get("fonts");
  made.strings(locale.language, locale.lines());
}

async function start() {
  await locale.use(firstLanguage(query.get("lang"), fields.get("lang")));
  mirror = new Mirror(locale);
  header = makeHeader({ locale, theme, examples: () => (inside ? null : gallery.examples), openFiles, openDialog, kept: keptItems, openExample, tour: inside ? null : openOwnTour, make_tour: () => openTour(), share: openShare, showHelp: openHelp, showReport: openReport, showPalette: openPalette });
  onPaletteKey(openPalette);
  locale.apply(document);
  header.update();
  if (!hasWebAssembly()) {
    await locale.whole();
    showMessage(locale.t("dom.no_wasm.title"), [locale.t("dom.no_wasm.text")], undefined, true);
    await showStoredTable().catch((cause) => console.warn(String(cause)));  // the message stands without it
    throw new Error("WebAssembly");
  }
  acceptDrops({ locale, openFiles, openText: openPasted, say });
  const sent = isLink(location.hash), src = sent ? undefined : fields.get("src");
  const examples = inside ? null : gallery.load()
    .then(() => (src === undefined && !sent && gallery.first ? gallery.fetchAhead(gallery.first.id) : undefined))
    .catch(() => {});  // without examples the page still opens files
  const starting = startEngine();
  try {
    if (!hasWebGL2()) throw new Error("webgl2");
    if (embedded && !query.has("live")) await Promise.all([startPoster(), starting]);
    else await Promise.all([startPage(), starting]);
    mirror.show(false);
  } catch (cause) {
    if (cause.message !== "webgl2") throw cause;
    await starting;
    canvas.hidden = true;
    mirror.show(true);
    showMessage(locale.t("dom.no_webgl"), [], undefined, true);
    tableView = (await import("./table-view.js")).makeTableView({ locale, mirror, explain: (options) => ask("explain", options) });
  }
  await examples;
  // What comes first decides when the page is ready: its own first picture, or the reason why there is none.
  if (src !== undefined) await openByHand(src);
  else if (sent) await openSent();
  else await openFirst();
  hideLoading();
  if (page && !opener.current) codeFace();  // the empty page shows a line of code
  idle.look();
}

const ready = start().catch((cause) => {
  hideLoading();
  if (cause.message !== "WebAssembly") {
    const title = locale.has("dom.load_failed") ? locale.t("dom.load_failed") : "Rollscope could not be loaded.";
    showMessage(title, [String(cause?.message ?? cause)], { text: locale.has("dom.reload") ? locale.t("dom.reload") : "Reload", act: () => location.reload() });
  }
  throw cause;
});
ready.catch(() => {});  // told above; whoever waits for it still sees it fail

const api = makeApi({ ready, locale, opener, ask, page: () => (page?.dead ? null : page ?? poster), site, idle: () => idle.wait(), heapBytes, workers: () => engine?.workers ?? 0 });
Object.defineProperty(api, "layout", { value: async () => page?.layout() ?? {}, enumerable: false });  // where things are drawn, for tests
window.rollscope = Object.freeze(api);
// Only a page that holds this one, or opened it, asks by message.
if (window.parent !== window || window.opener) import("./embed.js").then(({ listenToHost }) => { tellHost = listenToHost(api); }, (cause) => console.warn(String(cause)));
addEventListener("hashchange", () => {
  if (isLink(location.hash)) { openSent(); return; }
  const { fields: now } = splitFragment(location.hash);
  if (now.has("src")) openByHand(now.get("src"));
});
