// The import report: what was found, what was assumed and may be switched, what was left aside.
import { element, icon } from "./dom.js";
import { openDialog } from "./dialogs.js";
import { offersOf } from "./offers.js";

const TOKENS = new Set(["no_tokens", "token_count"]);  // a list of tokens settles it
const ASIDE = new Set(["ignored", "duplicate_member", "checksum", "unknown_assumption", "causal_differs"]);

/**
 * @typedef {{
 *   locale: import("./locale.js").Locale,
 *   again: (assume: Record<string, string>, item?: number) => void,   opens the file with other answers
 *   pasteTokens: () => void,
 * }} ReportApp
 * @param {any} info @param {ReportApp} app  @param {(item: any) => boolean} [shown]  which remarks
 * @returns {{found: HTMLElement[], assumed: HTMLElement[], aside: HTMLElement[]}} items of lists
 */
export function reportRows(info, { locale, again, pasteTokens }, shown = () => true) {
  const assumed = info.assumed ?? {};
  const row = (sign, text, small, ...actions) => element("li", { class: sign },
    sign === "warning" || sign === "error" ? icon("warn") : element("span", { class: "tick", "aria-hidden": "true" }, sign === "found" ? "✓" : "–"),
    element("div", {}, element("p", {}, text), small ? element("p", { class: "faint" }, small) : null),
    ...actions);
  const action = (text, act) => element("button", { type: "button", class: "link", onclick: act }, text);
  const label = (pair) => (locale.has(`dom.assume.${pair.join("=")}`) ? locale.t(`dom.assume.${pair.join("=")}`) : locale.t("dom.assume.other", { switch: pair.join("=") }));

  // The only stream of a file need not be named; one of several is named in words.
  const locatedText = (where, text) => {
    const stream = info.streams.find((one) => one.name === where);
    if (!where || (stream && info.streams.length === 1)) return text;
    return locale.t("dom.report.where", { where: stream ? locale.t(`dom.kind.${stream.kind}`) : where, text });
  };
  const remark = (item) => {
    const { text, fix } = locale.remark(item.code === "batch_item" ? { ...item, params: { ...item.params, item: String(Number(item.params.item) + 1) } } : item);
    const offers = offersOf(item, assumed).map(([key, value]) => action(label([key, value]), () => again({ ...assumed, [key]: value })));
    if (TOKENS.has(item.code)) offers.push(action(locale.t("dom.report.paste"), pasteTokens));
    return row(item.severity, locatedText(item.where, text), offers.length || item.code === "batch_item" ? "" : fix, ...offers);  // an item is chosen beside its stream
  };

  const found = info.streams.map((stream) => row("found",
    locale.t("dom.report.stream", {
      kind: locale.t(`dom.kind.${stream.kind}`), layers: locale.count("dom.layers", stream.layers),
      heads: stream.heads ? locale.count("dom.heads", stream.heads) : locale.t("dom.report.fused"),
      queries: locale.number.format(stream.queries), keys: locale.number.format(stream.keys),
    }),
    locale.t(stream.causal ? "dom.report.causal" : "dom.report.not_causal", { dtype: stream.dtype }),
    stream.batch > 1 ? batchChooser(stream, locale, (item) => again(assumed, item)) : null));

  const inForce = Object.entries(assumed).map(([key, value]) => row("note", label([key, value]), locale.t("dom.report.as_asked"),
    action(locale.t("dom.report.take_back"), () => again(Object.fromEntries(Object.entries(assumed).filter(([other]) => other !== key))))));

  const remarks = info.report.filter(shown);
  return {
    found,
    assumed: [...inForce, ...remarks.filter((item) => !ASIDE.has(item.code)).map(remark)],
    aside: remarks.filter((item) => ASIDE.has(item.code)).map(remark),
  };
}

/** @param {string} title  a key @param {HTMLElement[]} rows @param {import("./locale.js").Locale} locale */
export const reportSection = (title, rows, locale) => (rows.length
  ? element("section", {}, element("h3", {}, locale.t(title)), element("ul", { class: "report" }, ...rows)) : null);

/** @param {string} name @param {any} info @param {ReportApp} app */
export function showReport(name, info, app) {
  const { locale } = app;
  let dialog = null;
  const rows = reportRows(info, {
    locale,
    again: (assume, item) => { dialog.close(); app.again(assume, item); },
    pasteTokens: () => { dialog.close(); app.pasteTokens(); },
  });
  dialog = openDialog({
    title: locale.t("dom.report.title", { file: name }),
    wide: true,
    closeLabel: locale.t("dom.close"),
    body: [reportSection("dom.report.found", rows.found, locale), reportSection("dom.report.assumed", rows.assumed, locale), reportSection("dom.report.aside", rows.aside, locale)],
  });
  return dialog;
}

function batchChooser(stream, locale, choose) {
  const select = element("select", { "aria-label": locale.t("dom.report.item"), onchange: () => choose(Number(select.value)) },
    ...Array.from({ length: stream.batch }, (_, item) => element("option", { value: String(item), selected: item === (stream.item ?? 0) },
      locale.t("dom.report.item_of", { item: item + 1, count: stream.batch }))));
  return select;
}
