// The bar at the top: what is open, and the few things that can be done at any time. On a phone the actions fold into
// one menu with the same entries.
import { byId, element, icon } from "./dom.js";
import { LANGUAGES } from "./locale.js";
import { attachMenu } from "./menu.js";
import { THEMES } from "./theme.js";

/** A dump's kind in a word, from what `info` says; a guess from structure, never from the file's name. */
export function familyOf(info) {
  const [stream] = info.streams;
  if (stream.kind === "cross" || info.streams.some((one) => one.kind === "cross")) return "encdec";
  const keys = info.tokens[stream.name]?.keys ?? [];
  if (info.grid?.rows || keys.some((token) => /^(patch|<patch|row \d)/i.test(token.raw))) return "vit";
  if (stream.causal) return "causal";
  if (keys.some((token) => token.raw === "[CLS]")) return info.predictions?.length ? "bert_classifier" : "bert";
  return "";
}

/** "BERT-like, 6 layers × 12 heads, 12 tokens" @param {import("./locale.js").Locale} locale */
export function describe(info, locale) {
  const [stream] = info.streams;
  const parts = [];
  const family = familyOf(info);
  if (family) parts.push(locale.t(`dom.family.${family}`));
  const layers = locale.count("dom.layers", stream.layers);
  parts.push(stream.heads > 0
    ? locale.t("dom.file.stack", { layers, heads: locale.count("dom.heads", stream.heads) })
    : locale.t("dom.file.fused", { layers }));
  parts.push(stream.queries === stream.keys
    ? locale.count("dom.tokens", stream.keys)
    : locale.t("dom.file.two", { queries: locale.number.format(stream.queries), keys: locale.number.format(stream.keys) }));
  return parts.join(" · ");
}

/**
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   theme: import("./theme.js").Theme,
 *   examples: () => {id: string, title: Record<string, string>, line: Record<string, string>}[] | null,   null: none here
 *   openFiles: (files: File[]) => void,
 *   openDialog: () => void,
 *   kept: () => {text: string, chosen: boolean, act: () => void}[],   dumps to switch between; none or one: no menu
 *   openExample: (id: string) => void,
 *   tour?: () => void, make_tour: () => void,   plays the one that comes with the page, makes one
 *   share: () => void,
 *   showHelp: () => void,
 *   showPalette: () => void,
 *   showReport: () => void,
 * }} app
 */
export function makeHeader(app) {
  const { locale, theme } = app;
  const input = byId("file-input");
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";  // the same file may be chosen again
    if (files.length > 0) app.openFiles(files);
  });
  const pick = () => input.click();

  const button = (name, act, ...children) => element("button", { type: "button", id: `${name}-button`, "data-t": children.length ? undefined : `dom.header.${name}`, "data-t-label": children.length ? `dom.header.${name}` : undefined, onclick: act }, ...children);
  const open = button("open", app.openDialog);
  const examples = button("examples");
  examples.hidden = app.examples() === null;
  const share = button("share", app.share);
  const language = element("button", { type: "button", id: "language-button", class: "quiet" });
  const themeButton = button("theme", undefined, icon("sun"));
  const commands = button("commands", app.showPalette);
  const help = button("help", app.showHelp, icon("help"));
  const more = button("menu", undefined, icon("menu"));
  for (const one of [themeButton, help, more]) one.classList.add("quiet", "sign");
  byId("actions").append(open, examples, share, commands, language, themeButton, help, more);
  byId("report-button").addEventListener("click", app.showReport);

  const exampleItems = () => [...(app.examples() ?? []).map(({ id, title, line }) => ({
    text: title[locale.language] ?? title.en, line: line[locale.language] ?? line.en, act: () => app.openExample(id),
  })), ...["tour", "make_tour"].filter((name) => app[name]).map((name) => ({ text: locale.t(`dom.header.${name}`), act: app[name] }))];
  const languageItems = () => Object.entries(LANGUAGES).map(([code, name]) => ({
    text: name, chosen: code === locale.language, act: () => locale.choose(code),
  }));
  const themeItems = () => THEMES.map((name) => ({ text: locale.t(`dom.theme.${name || "system"}`), chosen: name === theme.chosen, act: () => theme.choose(name) }));
  const examplesMenu = attachMenu(examples, exampleItems);
  attachMenu(byId("kept-button"), app.kept);
  attachMenu(language, languageItems);
  attachMenu(themeButton, themeItems);
  attachMenu(more, () => [
    { text: locale.t("dom.header.open"), act: app.openDialog },
    { text: locale.t("dom.header.share"), act: app.share },
    { text: locale.t("dom.header.commands"), act: app.showPalette },
    ...exampleItems(),
    ...languageItems(),
    ...themeItems(),
    { text: locale.t("dom.header.help"), act: app.showHelp },
  ]);

  let shown = null;  // {name, info}
  const update = () => {
    language.textContent = locale.language.toUpperCase();
    language.setAttribute("aria-label", locale.t("dom.header.language_now", { code: language.textContent }));  // holds what is seen: it may be spoken
    themeButton.replaceChildren(icon(theme.isDark ? "moon" : "sun"));
    for (const [one, key] of [[themeButton, "theme"], [help, "help"], [language, "language"]]) one.title = locale.t(`dom.header.${key}`);
    byId("file").hidden = !shown;
    if (!shown) return;
    byId("file-name").textContent = shown.name;
    byId("file-kind").textContent = describe(shown.info, locale);
    const chip = byId("report-button");
    const remarks = shown.info.report;
    chip.hidden = remarks.length === 0;
    chip.classList.toggle("warn", remarks.some((item) => item.severity !== "note"));
    chip.textContent = locale.count("dom.remarks", remarks.length);
    const kept = app.kept();
    byId("kept-button").hidden = kept.length < 2;
    byId("kept-button").textContent = locale.t("dom.kept.of", { n: kept.findIndex((one) => one.chosen) + 1, count: kept.length });
    document.title = locale.t("dom.title", { file: shown.name });
  };
  locale.listeners.push(update);
  theme.listeners.push(update);

  return {
    /** @param {string} name @param {any} info */
    show(name, info) { shown = { name, info }; update(); },
    pick,
    openExamples: () => examplesMenu.open(),
    update,
  };
}
