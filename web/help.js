// The help sheet, made from the command table, so that it never promises what is not there; and the limits of a picture.
import { element } from "./dom.js";
import { openDialog } from "./dialogs.js";
import { keysOf } from "./keys.js";

/**
 * @param {{id: string, title: string, shortcut: string}[]} commands
 * @param {{locale: import("./locale.js").Locale, licences: string, exporter: string, showPalette: () => void}} app
 */
export function showHelp(commands, { locale, licences, exporter, showPalette }) {
  const listed = commands.filter((command) => command.shortcut);
  const others = commands.filter((command) => !command.shortcut);
  const rows = (some) => some.map((command) => element("tr", {}, element("th", { scope: "row" }, locale.commandTitle(command)),
    element("td", {}, command.shortcut ? keysOf(command.shortcut) : element("code", {}, command.id))));
  return openDialog({
    title: locale.t("dom.help.title"),
    wide: true,
    closeLabel: locale.t("dom.close"),
    body: [
      element("p", {}, locale.t("dom.help.what")),
      element("p", {}, locale.t("dom.help.method")),
      element("p", {}, locale.t("dom.help.private")),
      exporter ? element("p", {}, locale.t("dom.help.save"), " ", element("a", { href: exporter, download: "rollscope_dump.py" }, "rollscope_dump.py")) : null,
      element("h3", {}, locale.t("dom.help.keys")),
      element("p", { class: "row start" }, element("button", { type: "button", onclick: showPalette }, locale.t("dom.palette.title")), keysOf("Mod+k")),
      listed.length ? element("table", { class: "keysheet" }, element("tbody", {}, ...rows(listed))) : null,
      element("p", { class: "faint" }, locale.t("dom.help.mouse")),
      others.length ? element("details", {}, element("summary", {}, locale.t("dom.help.more")), element("table", { class: "keysheet" }, element("tbody", {}, ...rows(others)))) : null,
      element("p", {}, element("a", { href: licences, target: "_blank", rel: "noopener" }, locale.t("dom.help.licences"))),
    ],
  });
}

/** @param {{code: string, severity: string, params?: any, text: string}[]} items @param {import("./locale.js").Locale} locale */
export function showLimits(items, locale) {
  return openDialog({
    title: locale.t("dom.limits.title"),
    closeLabel: locale.t("dom.close"),
    body: items.length
      ? [element("ul", { class: "report" }, ...items.map((item) => {
        const { text, fix } = locale.remark(item);
        return element("li", { class: item.severity }, element("div", {}, element("p", {}, text), fix ? element("p", { class: "faint" }, fix) : null, element("code", {}, item.code)));
      }))]
      : [element("p", {}, locale.t("dom.limits.none"))],
  });
}
