// Which addresses may be read, and where the file behind a link really lies. Rules only, no network and no DOM: node
// runs the tests. Whoever sends a link decides what is asked for, so nothing is asked but over https, without
// credentials, of a host that the whole world can reach, and only after the visitor has agreed (consent.js).
// A public name that resolves to a private address cannot be told from here; browsers guard that themselves.

const LONGEST = 4096;

/**
 * @typedef {"malformed" | "scheme" | "http" | "credentials" | "private" | "share" | "closed"} Refusal
 *   share: a link to a page for people, from which no file can be had; closed: the host lets no other page read
 * @typedef {{url: URL, own: boolean, name: string, hosts: string[], rewritten: boolean}} Address
 *   hosts  sources for a policy, the first is the host that is asked, the others those it may pass the request on to
 */

/**
 * Bare numbers are refused whole: a private one must not be asked, and a policy cannot name a public one (CSP 3, 6.7.2.8).
 * @param {string} host  of a URL, so already in small letters and with numbers in their usual form
 */
export function isPrivateHost(host) {
  const plain = host.replace(/\.$/, "");
  return plain.startsWith("[") || /^[\d.]+$/.test(plain) || !plain.includes(".")
    || /\.(localhost|local|internal|intranet|lan|home|corp|private|arpa|test|invalid|onion)$/.test(plain);
}

// Hosts whose links lead to a page around the file. `raw` gives the file's own address, or says why there is none.
/** @type {{host: RegExp, raw: (url: URL) => {url?: string, hosts?: string[], refusal?: Refusal} | null}[]} */
const CODE_HOSTS = [
  { host: /^(www\.)?github\.com$/, raw: ({ pathname }) => {
    if (/^\/[^/]+\/[^/]+\/releases\/download\//.test(pathname)) return { refusal: "closed" };
    const m = /^\/([^/]+\/[^/]+)\/(?:blob|raw)\/(.+)$/.exec(pathname);
    return m ? { url: `https://raw.githubusercontent.com/${m[1]}/${m[2]}` } : { refusal: "share" };
  } },
  { host: /^gist\.github\.com$/, raw: ({ pathname }) => {
    const m = /^\/([^/]+)\/([0-9a-f]+)(?:\/raw(\/.*)?)?\/?$/.exec(pathname);
    return m ? { url: `https://gist.githubusercontent.com/${m[1]}/${m[2]}/raw${m[3] ?? ""}` } : { refusal: "share" };
  } },
  { host: /^gitlab\.com$/, raw: ({ pathname }) => (/\/-\/(blob|raw)\//.test(pathname) ? { url: `https://gitlab.com${pathname.replace("/-/blob/", "/-/raw/")}`, refusal: "closed" } : null) },
  { host: /^(www\.)?huggingface\.co$/, raw: ({ pathname }) => (/\/(blob|resolve|raw)\//.test(pathname)
    ? { url: `https://huggingface.co${pathname.replace(/\/(blob|raw)\//, "/resolve/")}`, hosts: ["https://*.hf.co", "https://*.huggingface.co"] } : { refusal: "share" }) },
  { host: /^codeberg\.org$/, raw: ({ pathname }) => (/^\/[^/]+\/[^/]+\/src\//.test(pathname) ? { url: `https://codeberg.org${pathname.replace(/^(\/[^/]+\/[^/]+)\/src\//, "$1/raw/")}` } : null) },
  { host: /^bitbucket\.org$/, raw: ({ pathname }) => (/^\/[^/]+\/[^/]+\/src\//.test(pathname) ? { url: `https://bitbucket.org${pathname.replace(/^(\/[^/]+\/[^/]+)\/src\//, "$1/raw/")}` } : null) },
  { host: /^(www\.)?dropbox\.com$/, raw: (url) => {
    if (!/^\/(s|scl\/fi)\//.test(url.pathname)) return { refusal: "share" };
    const kept = new URLSearchParams(url.search);
    for (const name of ["dl", "raw"]) kept.delete(name);
    return { url: `https://dl.dropboxusercontent.com${url.pathname}${String(kept) && `?${kept}`}`, hosts: ["https://*.dl.dropboxusercontent.com"] };
  } },
  { host: /^(drive|docs)\.google\.com$|^1drv\.ms$|(^|\.)onedrive\.live\.com$|\.sharepoint\.com$|^(www\.)?icloud\.com$|^we\.tl$|(^|\.)wetransfer\.com$|^mega\.nz$|(^|\.)box\.com$/,
    raw: () => ({ refusal: "share" }) },
];

/** The last part of an address's path, readable. @param {URL} url */
function fileOf({ pathname, hostname }) {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  try { return decodeURIComponent(last) || hostname; } catch { return last; }
}

/**
 * @param {string} text  what a link or a visitor says; untrusted
 * @param {string} base  location.href
 * @returns {Address | {refusal: Refusal, host: string, link?: string}}  link: where a person can fetch the file
 */
export function judgeAddress(text, base) {
  const page = new URL(base);
  let url;
  if (text.length > LONGEST) return { refusal: "malformed", host: "" };
  try { url = new URL(text.trim(), base); } catch { return { refusal: "malformed", host: "" }; }
  url.hash = "";
  if (!/^https?:$/.test(url.protocol)) return { refusal: "scheme", host: url.protocol };
  if (url.username || url.password) return { refusal: "credentials", host: url.host };
  if (url.origin === page.origin) return { url, own: true, name: fileOf(url), hosts: [], rewritten: false };
  if (isPrivateHost(url.hostname)) return { refusal: "private", host: url.host };
  if (url.protocol === "http:") return { refusal: "http", host: url.host };
  const raw = CODE_HOSTS.find(({ host }) => host.test(url.hostname))?.raw(url) ?? {};
  if (raw.refusal) return { refusal: raw.refusal, host: url.host, link: raw.url ?? url.href };
  const file = raw.url ? new URL(raw.url) : url;
  return { url: file, own: false, name: fileOf(file), hosts: [file.origin, ...(raw.hosts ?? [])], rewritten: file.href !== url.href };
}

/** One host of a list as a policy writes it: https://host, https://*.host or https://host:port. */
const SOURCE = /^https:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/;

/**
 * Whether an address lies on one of these hosts; also asked about where a redirect has led.
 * @param {string} address @param {string[]} hosts  as in Address
 */
export function liesOn(address, hosts) {
  let url;
  try { url = new URL(address); } catch { return false; }
  if (url.protocol !== "https:" || url.username || url.password || isPrivateHost(url.hostname)) return false;
  return hosts.some((host) => SOURCE.test(host)
    && (host.includes("*.") ? url.port === "" && url.hostname.endsWith(host.slice("https://*".length)) : url.origin === host));
}

/** What to call a host in a sentence. @param {string} source */
export const hostName = (source) => source.replace("https://", "");
