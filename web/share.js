// The Share dialog: what a link can carry, what fits where, and what it costs, measured on the decoded link before it is
// copied. The engine makes the links (src/app/verbs_link.cpp); here they are only chosen.
import { copyText, openDialog } from "./dialogs.js";
import { element } from "./dom.js";

const USUAL = 1900;         // a chat message: the richest that fits is chosen at first
const QR = 500, MOST = 30_000;
const NOTE = 280;           // characters that a writer may add
const BAR = [100, 40_000];  // ends of the length's scale, which is logarithmic
const along = (characters) => Math.min(1, Math.max(0.01, Math.log(characters / BAR[0]) / Math.log(BAR[1] / BAR[0])));

/** A recipe of the page's state as the engine takes it: what is at its default is not said. */
export function recipeOptions(recipe) {
  const standard = { sink: "keep", merge: "pieces", merge_queries: "mean", merge_time: "after", discard: 0.9 };
  return Object.fromEntries(Object.entries(recipe).filter(([name, value]) => !(
    standard[name] === value || (name === "heads" && value.length === 0) || (name === "layers" && value[0] === 0 && value[1] === -1))));
}

/** Where it can go: the first budget that it fits. */
const smallest = (budgets, characters) => budgets.find((one) => characters <= one.characters)?.name ?? "nowhere";

/**
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   ask: (verb: string, args: object) => Promise<any>,
 *   state: any,          of the page
 *   base: string,        the page's own address, which a link starts with
 *   address: string,     where the dump came from, if it can be fetched from there; or ""
 *   tokens: number,
 *   problem: (error: any) => void,
 *   saves: {text: string, act: () => void}[],   other ways to share: files
 * }} app
 */
export async function showShare({ locale, ask, state, base, address, tokens, problem, saves }) {
  const status = element("p", { role: "status", id: "share-status" });
  const rows = element("tbody");
  const left = element("dd"), checked = element("dd"), seen = element("dd");
  const field = element("input", { type: "text", readOnly: true, class: "share-link", "aria-label": locale.t("dom.share.link"), onfocus: () => field.select() });
  const withText = element("input", { type: "checkbox", checked: true });
  const withTour = element("input", { type: "checkbox", checked: true });
  const withNote = element("input", { type: "checkbox" });
  const note = element("input", { type: "text", class: "share-note", maxLength: NOTE, hidden: true, placeholder: locale.t("dom.share.note.for"), "aria-label": locale.t("dom.share.note") });
  const qr = element("button", { type: "button", class: "share-qr", hidden: true, "aria-label": locale.t("dom.share.qr.large"), onclick: () => qr.classList.toggle("large") });
  const qrLine = element("small", { class: "faint" });
  const copy = element("button", { type: "button", class: "primary" });
  let ladder = null, chosen = -1, asked = 0;

  const number = (value) => locale.number.format(value);
  const error = (value) => new Intl.NumberFormat(locale.language, { maximumFractionDigits: 4, minimumFractionDigits: 4 }).format(value);
  const name = (rung) => locale.t(rung.payload === "layers" ? "dom.share.layers" : `dom.share.${rung.payload}`, { steps: rung.quantisation.replace("sum", "") });
  const line = (rung) => locale.t(rung.payload === "view" && address ? "dom.share.view_src.line" : `dom.share.${rung.payload}.line`);
  const fits = (rung) => locale.t(`dom.share.fits.${smallest(ladder.budgets, rung.characters)}`);
  const kept = (rung) => {
    const [rowsKept, all] = rung.top3_kept.split(" of ");
    return { kept: number(Number(rowsKept)), all: number(Number(all)) };
  };

  function choose(index) {
    chosen = index;
    const rung = ladder.ladder[index];
    left.textContent = rung.left_out.length ? rung.left_out.map((what) => locale.t(`dom.share.left.${what}`)).join(locale.t("dom.share.comma")) : locale.t("dom.share.left.nothing");
    checked.textContent = rung.max_error === undefined ? locale.t("dom.share.not_measured")
      : locale.t("dom.share.checked", { error: error(rung.max_error), ...kept(rung), ties: number(rung.new_ties) });
    seen.textContent = locale.t(withText.checked && rung.payload !== "view" ? "dom.share.seen" : "dom.share.seen_without");
    field.value = base + rung.fragment;
    copy.textContent = rung.characters > MOST ? locale.t("dom.share.too_long") : locale.t("dom.share.copy", { characters: number(rung.characters) });
    copy.disabled = rung.characters > MOST;
    for (const row of rows.rows) row.classList.toggle("chosen", Number(row.dataset.rung) === index);
  }

  /** The richest that fits a chat message; where none with weights does, the richest that fits at all. */
  function usual() {
    const fitting = ladder.budgets.filter((one) => one.characters >= USUAL).map((one) => one.richest ?? 0);
    return fitting.find((at) => ladder.ladder[at].payload !== "view") ?? 0;
  }

  const ticks = () => ladder.budgets.map((one) => element("i", { style: `left: ${100 * along(one.characters)}%` }));
  function draw() {
    rows.replaceChildren(...ladder.ladder.map((rung, index) => {
      const radio = element("input", { type: "radio", name: "rung", id: `rung-${index}`, checked: index === chosen, "aria-describedby": `rung-line-${index} rung-fits-${index}`, onchange: () => choose(index) });
      const row = element("tr", { onclick: () => { radio.checked = true; choose(index); } },
        element("td", {}, radio),
        element("th", { scope: "row" }, element("label", { htmlFor: radio.id }, name(rung)), element("small", { id: `rung-line-${index}` }, line(rung)), element("small", { class: "share-fits", id: `rung-fits-${index}` }, fits(rung))),
        element("td", { class: "share-bar", "aria-hidden": "true" }, ...ticks(), element("b", { style: `width: ${100 * along(rung.characters)}%` })),
        element("td", { class: "figure" }, number(rung.characters)),
        element("td", { class: "figure" }, rung.max_error === undefined ? "–" : error(rung.max_error)),
        element("td", { class: "figure" }, rung.max_error === undefined ? "–" : locale.t("dom.share.kept", kept(rung)),
          rung.new_ties ? element("small", {}, locale.count("dom.share.ties", rung.new_ties)) : null));
      row.dataset.rung = String(index);
      return row;
    }));
    scale.replaceChildren(...ladder.budgets.map((one) => element("span", { style: `left: ${100 * along(one.characters)}%` }, locale.t(`dom.share.budget.${one.name}`), element("br"), short(one.characters))));
  }
  const short = (characters) => (characters < 1000 ? number(characters) : `${number(characters / 1000)}k`);

  /** The richest that a camera reads. */
  async function drawQr() {
    const rung = ladder.ladder.filter((one) => one.characters <= QR).at(-1);
    qr.hidden = qrLine.hidden = !rung;
    if (!rung) return;
    const { qrCode } = await import("./qr.js");
    qr.replaceChildren(qrCode(base + rung.fragment));
    qrLine.textContent = locale.t("dom.share.qr", { what: name(rung), characters: number(rung.characters) });
  }

  async function measure() {
    const turn = ++asked;
    status.textContent = locale.t("dom.share.measuring");
    copy.disabled = true;
    const { tour, ...view } = state;
    const written = { ...view, ...(withNote.checked && note.value.trim() !== "" ? { note: note.value.trim() } : {}), ...(tour && withTour.checked ? { tour } : {}) };
    let answer;
    try {
      answer = await ask("link", {
        recipe: recipeOptions(state.recipe), query: state.query, state: JSON.stringify(written), text: withText.checked, base, budget: 10_000_000,
        ...(address ? { src: encodeURIComponent(address) } : {}),
      });
    } catch (failure) {
      if (turn !== asked) return;
      dialog.close();
      problem(failure);
      return;
    }
    if (turn !== asked) return;
    ladder = answer;
    status.textContent = locale.t("dom.share.no_server");
    if (chosen < 0 || chosen >= ladder.ladder.length) chosen = usual();
    draw();
    choose(chosen);
    await drawQr().catch(() => {});  // the link itself is there
  }

  for (const one of [withText, withTour]) one.addEventListener("change", measure);
  withNote.addEventListener("change", () => { note.hidden = !withNote.checked; if (withNote.checked) note.focus(); measure(); });
  note.addEventListener("change", measure);
  copy.addEventListener("click", async () => {
    const done = await copyText(field.value);
    copy.textContent = locale.t(done ? "dom.copied" : "dom.copy_failed");
    if (!done) field.focus();
  });
  const head = (key) => element("th", { scope: "col", class: "figure" }, locale.t(`dom.share.head.${key}`));
  const scale = element("div");
  const dialog = openDialog({
    title: locale.t("dom.share.title"), widest: true, closeLabel: locale.t("dom.close"),
    body: [
      status,
      element("table", { class: "share" },
        element("thead", {}, element("tr", {}, element("td"), element("th", { scope: "col" }, locale.t("dom.share.head.travels")),
          element("td", { class: "share-scale", "aria-hidden": "true" }, scale), head("characters"), head("error"), head("order"))), rows),
      element("div", { class: "share-lower" },
        element("div", {},
          element("p", { class: "share-choices" }, element("label", {}, withText, " ", locale.count("dom.share.text", tokens)), state.tour ? element("label", {}, withTour, " ", locale.t("dom.share.tour", { n: state.tour.steps.length })) : null, element("label", {}, withNote, " ", locale.t("dom.share.note")), note),
          element("dl", { class: "share" }, element("dt", {}, locale.t("dom.share.left")), left, element("dt", {}, locale.t("dom.share.check")), checked, element("dt", {}, locale.t("dom.share.who")), seen),
          field),
        element("div", { class: "share-camera" }, qr, qrLine)),
    ],
    foot: saves.map(({ text, act }) => element("button", { type: "button", onclick: () => { dialog.close(); act(); } }, text)),
    buttons: [{ text: locale.t("dom.close") }], actions: [copy],
  });
  dialog.id = "share";
  await measure();
}
