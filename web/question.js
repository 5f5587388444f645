// The question that a file leaves open: two readings side by side, each with the picture that it gives. Asked once per
// file and visit; the report keeps the other answer at hand.
import { openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { drawHeat, matrixOf, topWithoutHeaviest } from "./heat.js";
import { reportRows, reportSection } from "./report.js";

const MOST_CELLS = 4 << 20;

const asked = new Set();

/** Whether this file has not been asked about in this visit; from now on it has. @param {import("./opener.js").OpenDump} dump */
export function asksFirst({ name, source }) {
  const key = `${name} ${source.size} ${source instanceof Blob ? "" : source.url}`;
  return !asked.has(key) && Boolean(asked.add(key));
}

/**
 * @param {import("./opener.js").OpenDump} dump
 * @param {any} item  the remark that asks, its `assumption` the other reading
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   engine: import("./engine-client.js").Engine,
 *   again: (assume: Record<string, string>, item?: number) => void,
 *   pasteTokens: () => void,
 * }} app
 */
export function showQuestion(dump, item, { locale, engine, again, pasteTokens }) {
  const { info, name } = dump;
  const [key, value] = item.assumption.split("=");
  const kind = locale.has(`dom.question.${item.assumption}.other`) ? item.assumption : "any";
  const stream = info.streams.find((one) => one.name === item.where) ?? info.streams[0];
  const slots = { ...item.params, file: name, switch: item.assumption, count: item.params?.count ?? stream.layers, shape: (item.params?.shape ?? "").replace(/[[\]()]/g, "").replace(/\s*[,x]\s*/g, " × ") };
  const words = (part) => locale.t(`dom.question.${kind}.${part}`, slots);
  let dialog = null;
  const answer = (other) => { dialog.close(); if (other) again({ ...dump.assume, [key]: value }); };

  const card = (side, picture) => element("label", { class: "reading-card" },
    element("span", { class: "reading-name" }, element("input", { type: "radio", name: "reading", value: side, checked: side === "this", onchange: mark }), words(side)),
    element("span", { class: "reading-text" }, picture, element("span", {}, ...["shows", "means", "usual"].filter((part) => locale.has(`dom.question.${kind}.${side}.${part}`))
      .map((part) => element("span", { class: "reading-line" }, words(`${side}.${part}`))))));
  const picture = (made) => {
    const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", { role: "img", "aria-label": locale.t("dom.question.picture"), width: 1, height: 1 }));
    const frame = element("span", { class: "reading-picture" }, canvas);
    made.then(({ blob }) => {
      const matrix = matrixOf(blob);
      drawHeat(canvas, matrix, Math.round((frame.clientWidth - 8) * devicePixelRatio), topWithoutHeaviest(matrix));
      canvas.style.width = `${canvas.width / devicePixelRatio}px`;  // a pixel of it is one of the screen: its lines stay even
    })
      .catch(() => frame.replaceChildren(element("span", { class: "faint" }, locale.t("dom.question.no_picture"))));
    return frame;
  };
  const fits = stream.queries * stream.keys <= MOST_CELLS;
  const late = Promise.reject(new Error("too big for a picture"));
  late.catch(() => {});
  const now = fits ? engine.ask("matrix", JSON.stringify({ recipe: {}, kind: "result" })) : { promise: late, cancel() {} };
  const then = fits ? engine.open(dump.source, { name, assume: { ...dump.assume, [key]: value }, item: dump.item, preview: true }) : { promise: late, cancel() {} };

  const buttons = { other: element("button", { type: "button", onclick: () => answer(true) }, words("take_other")), this: element("button", { type: "button", onclick: () => answer(false) }, words("take_this")) };
  const cards = element("div", { class: "readings", role: "radiogroup", "aria-label": words("title"), onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); answer(chosen() === "other"); } } });
  const chosen = () => /** @type {HTMLInputElement} */ (cards.querySelector("input:checked")).value;
  function mark() { for (const [side, button] of Object.entries(buttons)) button.classList.toggle("primary", side === chosen()); }
  cards.append(card("this", picture(now.promise)), card("other", picture(then.promise)));

  const rows = reportRows(info, {
    locale,
    again: (assume, batchItem) => { dialog.close(); again(assume, batchItem); },
    pasteTokens: () => { dialog.close(); pasteTokens(); },
  }, (one) => one.code !== item.code);
  dialog = openDialog({
    title: locale.t("dom.question.title", slots),
    widest: true,
    closeLabel: locale.t("dom.close"),
    body: [
      element("p", {}, words("title")),
      cards,
      element("div", { class: "two-lists" }, reportSection("dom.report.found", rows.found, locale), reportSection("dom.report.assumed", rows.assumed, locale)),
    ],
    foot: [element("code", {}, item.code), ` ${locale.t("dom.question.later")}`],
    buttons: [],
    actions: [buttons.other, buttons.this],
  });
  mark();
  dialog.addEventListener("close", () => { now.cancel(); then.cancel(); });
  /** @type {HTMLElement} */ (cards.querySelector("input")).focus();
  return dialog;
}
