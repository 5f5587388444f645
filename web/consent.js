// Asking another host. The page's policy names only its own host; policies can be narrowed but never widened, so for
// one more the page loads again and first.js names it. What the visitor agreed to lasts as long as the tab.
import { hostName } from "./address.js";
import { openDialog } from "./dialogs.js";
import { element } from "./dom.js";

const KEY = "rollscope.hosts";  // read by first.js

/** The hosts that this page may ask, beside its own: what its policy says. @returns {string[]} */
export function allowedHosts() {
  const policies = /** @type {NodeListOf<HTMLMetaElement>} */ (document.querySelectorAll("meta[http-equiv=Content-Security-Policy]"));
  const named = /connect-src 'self'([^;]*)/.exec(policies[policies.length - 1].content);
  return named ? named[1].split(" ").filter((source) => source !== "") : [];
}

/** Keeps the consent and loads the page again. @returns {boolean} false: this browser keeps nothing for a tab */
export function grant(hosts, address) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(hosts));
  } catch { return false; }
  const fields = location.hash.replace(/^#/, "").split("&").filter((field) => field !== "" && !field.startsWith("src="));
  history.pushState(null, "", `#${[`src=${encodeURIComponent(address)}`, ...fields].join("&")}`);
  location.reload();
  return true;
}

/**
 * @param {import("./address.js").Address} address
 * @param {{
 *   locale: import("./locale.js").Locale,
 *   lost: string | null,     a dump that has to be opened again afterwards
 *   agreed: () => void,
 *   declined: () => void,
 * }} app
 */
export function askConsent({ url, name, hosts, rewritten }, { locale, lost, agreed, declined }) {
  const host = hostName(hosts[0]);
  const also = hosts.slice(1).map(hostName);
  let answered = false;
  const dialog = openDialog({
    title: locale.t("dom.consent.title", { host }),
    closeLabel: locale.t("dom.close"),
    body: [
      element("p", {}, locale.t("dom.consent.what", { file: name, host })),
      element("p", { class: "address" }, element("code", {}, url.href)),
      rewritten ? element("p", { class: "faint" }, locale.t("dom.consent.rewritten")) : null,
      element("p", {}, locale.t("dom.consent.learns", { host })),
      also.length ? element("p", {}, locale.t("dom.consent.also", { host, hosts: also.join(", ") })) : null,
      element("p", { class: "faint" }, locale.t("dom.consent.reload"), lost ? ` ${locale.t("dom.consent.lost", { file: lost })}` : ""),
    ],
    buttons: [
      { text: locale.t("dom.consent.no") },
      { text: locale.t("dom.consent.yes", { host }), primary: true, act: () => { answered = true; agreed(); } },
    ],
  });
  dialog.addEventListener("close", () => setTimeout(() => { if (!answered) declined(); }, 0));
  return dialog;
}
