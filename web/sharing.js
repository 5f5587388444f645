// All ways to hand an explanation on: a link, one HTML file, a figure, its numbers. Each is fetched when it is asked for.
import { showShare } from "./share.js";

const size = (bytes, locale) => locale.t("dom.share.html.size", { size: new Intl.NumberFormat(locale.language, { maximumFractionDigits: 1 }).format(bytes / 1e6) });

/**
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   ask: (verb: string, args: object) => Promise<any>,
 *   current: import("./opener.js").OpenDump,
 *   state: any,
 *   site: string,                              the page's own address, which a link starts with
 *   template: (() => Promise<string>) | null,  the text of single.html; null: this page is such a file
 *   sizes: Record<string, number>,             of the site's files
 *   problem: (error: any) => void,
 *   dark: boolean,
 *   faces: () => Promise<ArrayBuffer[]>,       the regular and the bold face
 * }} app
 */
export async function share(app) {
  const { locale, current, state, problem } = app;
  const { largest } = await import("./single-file.js");
  const saves = [
    ...(app.template ? [{ text: size(largest(app.sizes["single.html"], current.source), locale), act: () => saveHtml(app).catch(problem) }] : []),
    { text: locale.t("dom.share.figure"), act: async () => (await import("./figure.js")).showFigure({ locale, ask: app.ask, state, file: current.name, dark: app.dark, problem, faces: app.faces }) },
    { text: locale.t("dom.share.numbers"), act: async () => (await import("./numbers.js")).showNumbers({ locale, ask: app.ask, state, file: current.name, info: current.info, problem }) },
  ];
  const address = current.source instanceof Blob ? "" : String(current.source.url ?? current.source);
  await showShare({ locale, ask: app.ask, state, base: app.site, address, tokens: current.info.streams[0].keys, saves, problem });
}

async function saveHtml({ template, current, state: { tour, ...state }, site }) {
  const { download, singleFile } = await import("./single-file.js");
  const blob = await singleFile(await template(), current, state, { site, tour });
  download(blob, `${current.name.replace(/\.[^.]*$/, "")}.html`);
}
