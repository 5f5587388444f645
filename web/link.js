// Opens what stands in a link, and says in the reader's language what it is: someone's text and weights, where they differ
// from the standard recipe, what they show and what not. A field that cannot be read costs itself and a message.
import { openDialog } from "./dialogs.js";
import { byId, element, icon } from "./dom.js";
import { recipeOptions } from "./share.js";

const STANDARD = { method: "rollout", fusion: "mean", heads: [], residual: 0.5, layers: [0, -1], sink: "keep", merge: "pieces" };

/**
 * @typedef {{
 *   locale: import("./locale.js").Locale,
 *   ask: (verb: string, args: object) => Promise<any>,
 *   open: (source: any, options: object) => Promise<boolean>,   tells failures itself
 *   setState: (state: object) => void,
 *   say: (text: string, action?: {text: string, act: () => void}) => any,
 *   dumpOpen: () => any,
 *   openTour: (data: any) => Promise<void>,
 *   otherwise: () => Promise<void>,   where nothing is open, what a visit without a link shows
 * }} LinkApp
 * @param {string} hash @param {LinkApp} app
 */
export async function openLink(hash, app) {
  const { locale } = app;
  let held;
  try {
    held = await app.ask("unlink", { link: hash, weights: false });
  } catch (failure) {
    await app.otherwise();
    tell(failure, null, app);
    return;
  }
  const broken = held.problems.find(({ field }) => field === "a");
  for (const { field, error } of held.problems) if (field !== "a") app.say(locale.error({ ...error, params: { ...error.params, field } }).what);
  const { note, tour, ...state } = held.state ?? {};  // these are its writer's, not the page's
  held = { ...held, state: held.state && state, tour, note: typeof note === "string" ? note.slice(0, 1000) : "" };
  if (held.data) {
    if (await app.open(new Blob([hash], { type: "text/plain" }), { name: locale.t("dom.link.name"), state: held.state })) {
      showLine(held, hash.length, app);
      if (tour) await app.openTour(tour);
    }
    return;
  }
  if (held.src) { if (await app.open(held.src, { state: held.state }) && tour) await app.openTour(tour); return; }
  await app.otherwise();
  if (broken) tell(broken.error, held.saved, app);
  if (held.sha && !broken) app.say(locale.t("dom.link.view_only"), { text: locale.t("dom.link.choose"), act: () => chooseFile(held, app) });
}

/** A message about data that cannot be had, with the text where it has arrived. */
function tell(failure, saved, { locale }) {
  const { what, fix } = locale.error({ code: failure.code, params: { file: locale.t("dom.link.this"), ...failure.params } });
  const text = saved?.text ? saved.keys.join(" ") : "";
  openDialog({
    title: what, kind: "error", closeLabel: locale.t("dom.close"), buttons: [{ text: locale.t("dom.close"), primary: true }],
    body: [element("p", {}, fix), text ? element("p", { class: "faint" }, locale.t("dom.link.saved")) : null, text ? element("p", { class: "saved-text" }, text) : null],
    foot: [element("code", {}, failure.code)],
  });
}

/** The file that a view is of, told by its digest: a view of another file would show what its writer never saw. */
function chooseFile(held, app) {
  const input = element("input", { type: "file" });
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    const digest = [...new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const same = digest.startsWith(held.sha);
    if (!same) app.say(app.locale.t("dom.link.other_file", { file: file.name }));
    if (await app.open(file, same ? { state: held.state } : {}) && same && held.tour) await app.openTour(held.tour);
  });
  input.click();
}

const methodName = (value, locale) => (locale.has(`ui.method.${value}`) ? locale.t(`ui.method.${value}`) : value);

/** The recipe of a link: what it was made with, and what its writer looked at. */
export function differences(held, locale) {
  const recipe = { ...held.data.recipe, ...held.state?.recipe };
  // A finished result is looked at as it is; what it was made with stands beside the data.
  const used = held.data.payload === "layers" ? recipe : held.data.recipe;
  const every = (range) => range[0] === 0 && (range[1] === -1 || range[1] === held.data.layers.length);
  const layers = (range) => (every(range) ? locale.t("dom.link.all") : `${range[0] + 1}–${range[1] === -1 ? held.data.layers.length : range[1]}`);
  const exact = (value) => new Intl.NumberFormat(locale.language, { maximumFractionDigits: 3 }).format(value);
  const written = {
    method: (value) => methodName(value, locale),
    fusion: (value) => (locale.has(`ui.fusion.name.${value}`) ? locale.t(`ui.fusion.name.${value}`) : value),
    heads: (value) => (value.length ? value.map((head) => head + 1).join(", ") : locale.t("dom.link.all")),
    residual: (value) => (typeof value === "number" ? exact(value) : String(value)),
    layers, sink: String, merge: String,
  };
  const same = (name) => (name === "layers" ? every(used.layers) : JSON.stringify(used[name]) === JSON.stringify(STANDARD[name]));
  return Object.keys(STANDARD).filter((name) => used[name] !== undefined && !same(name))
    .map((name) => locale.t(`dom.link.${name}`, { value: written[name](used[name]), standard: written[name](STANDARD[name]) }));
}

/** Whether another recipe would put another token first, sinks and all: the one sentence that a reader needs. */
async function firstToken(held, { ask, locale }) {
  const recipe = { ...held.data.recipe, ...held.state?.recipe };
  const firstOf = async (options) => {
    const { matrix: [weights], keys } = await ask("explain", { ...options, row: held.state?.query ?? held.data.row });
    const at = weights.indexOf(Math.max(...weights));
    return { at, token: keys[at] ?? String(at + 1) };
  };
  const [now, standard] = [await firstOf(recipeOptions(recipe)), await firstOf({})];
  return now.at === standard.at ? locale.t("dom.link.first_same", { now: now.token }) : locale.t("dom.link.first_changes", { now: now.token, standard: standard.token });
}

function showInside(held, characters, { locale }) {
  const { data, state } = held;
  const text = data.text ? data.keys.join(" ") : "";
  openDialog({
    title: locale.t("dom.link.inside"), wide: true, closeLabel: locale.t("dom.close"), buttons: [{ text: locale.t("dom.close"), primary: true }],
    body: [
      element("p", {}, locale.t("dom.link.inside.size", { characters: locale.number.format(characters) })),
      text ? element("p", { class: "saved-text" }, text) : null,
      element("div", { class: "sample" }, element("pre", { tabIndex: 0 }, element("code", {}, JSON.stringify({ ...data, queries: undefined, keys: undefined, state }, null, 1)))),
    ],
  });
}

function showLine(held, characters, app) {
  const { locale, setState, dumpOpen } = app;
  const { data } = held, opened = dumpOpen();
  const live = data.payload === "layers";
  const list = (lines) => element("ul", {}, ...lines.map((one) => element("li", {}, one)));
  const differs = differences(held, locale);
  const error = data.max_error === null ? null : locale.t("dom.link.error", { error: new Intl.NumberFormat(locale.language, { maximumFractionDigits: 4 }).format(data.max_error) });
  const row = (data.payload === "row" ? data.queries[0] : data.queries[data.row]) ?? String(data.row + 1);
  const changes = element("p", { class: "sent-changes" });
  const line = element("section", { id: "sent", "aria-label": locale.t("dom.link.name") },
    element("div", { class: "sent-head" },
      element("p", {}, element("b", {}, locale.t("dom.link.sent")), " ", locale.t("dom.link.theirs")),
      element("button", { type: "button", class: "link", onclick: () => showInside(held, characters, app) }, locale.t("dom.link.inside")),
      element("button", { type: "button", class: "quiet sign", "aria-label": locale.t("dom.close"), onclick: () => line.remove() }, icon("close"))),
    held.note ? element("p", { class: "sent-note" }, locale.t("dom.link.note"), " ", held.note) : null,
    element("div", { class: "sent-parts" },
      element("div", {}, element("h3", {}, locale.t("dom.link.differs")), list(differs.length ? differs : [locale.t("dom.link.same")]), changes),
      differs.length && live ? element("button", { type: "button", id: "sent-standard", onclick: () => { if (dumpOpen() === opened) setState({ recipe: STANDARD }); } }, locale.t("dom.link.show_standard")) : null,
      element("div", {}, element("h3", {}, locale.t("dom.link.shows")), list([locale.t(`dom.link.shows.${data.payload}`, { token: row }), ...(live ? [] : [locale.t("dom.link.made", { method: methodName(data.recipe.method ?? "rollout", locale) })]), ...(live ? [locale.t("dom.link.live")] : []), ...(error ? [error] : [])])),
      element("div", {}, element("h3", {}, locale.t("dom.link.hides")), list([...(live ? [] : [locale.t("dom.link.hides.layers")]), locale.t("dom.link.hides.model"), locale.t("dom.link.hides.rest")]))));
  byId("stage").before(line);
  if (differs.length && live) firstToken(held, app).then((sentence) => { changes.textContent = sentence; }, () => {});  // what differs is said above
}
