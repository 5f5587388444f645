// What the page does by itself, as entries of the palette: examples, language, theme; and opening and help, where no
// picture is there whose table names them.
import { LANGUAGES } from "./locale.js";
import { THEMES } from "./theme.js";

/**
 * @param {{
 *   locale: import("./locale.js").Locale, theme: import("./theme.js").Theme, examples: import("./gallery.js").Gallery["examples"],
 *   openExample: (id: string) => void, openDialog: () => void, openHelp: () => void, drawn: boolean,
 * }} app
 */
export function ownEntries({ locale, theme, examples, openExample, openDialog, openHelp, drawn }) {
  const later = (work) => () => { setTimeout(work, 0); };  // once the palette has given the focus back
  const t = (key) => locale.t(key);
  return [
    ...(drawn ? [] : [{ key: "open", text: t("command.open"), run: later(openDialog) }, { key: "help", text: t("command.help"), run: later(openHelp) }]),
    ...examples.map(({ id, title }) => ({ key: `example ${id}`, text: t("dom.header.examples"), value: title[locale.language] ?? title.en, run: later(() => openExample(id)) })),
    ...Object.entries(LANGUAGES).map(([code, name]) => ({ key: `language ${code}`, text: t("dom.header.language"), value: name, run: later(() => locale.choose(code)) })),
    ...THEMES.map((name) => ({ key: `theme ${name}`, text: t("dom.header.theme"), value: t(`dom.theme.${name || "system"}`), run: later(() => theme.choose(name)) })),
  ];
}
