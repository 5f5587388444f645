// Embedding: the page that holds this one in a frame, or opened it, asks by postMessage what scripts ask of
// window.rollscope. Only those two windows are heard. Events go to whoever has asked something, and to that origin only.

const VERBS = new Set(["open", "info", "explain", "heads", "depth", "compare", "plan", "audit", "link", "figure", "commands", "run", "state", "setState", "idle", "stats"]);
const MOST = 200;  // messages a second that are heard; a slider sends sixty

/**
 * @param {Record<string, any>} api  window.rollscope
 * @returns {(event: "selection" | "loaded", detail: object) => void} tells the host
 */
export function listenToHost(api) {
  const hosts = [window.parent, window.opener].filter((host) => host && host !== window);
  const listeners = new Map();  // window to origin
  // "null" is a page without an origin, a file for instance; it can only be addressed as a window.
  let second = 0, heard = 0;
  const target = (origin) => (origin === "null" ? "*" : origin);

  addEventListener("message", async (event) => {
    const { source, origin, data } = event;
    if (!hosts.includes(source) || data?.rollscope !== 1 || typeof data.verb !== "string") return;
    if (event.timeStamp - second > 1000) { second = event.timeStamp; heard = 0; }
    if (++heard > MOST) return;
    listeners.set(source, origin);
    const reply = (rest) => source.postMessage({ rollscope: 1, id: data.id, ...rest }, target(origin));
    try {
      if (!VERBS.has(data.verb)) throw { code: "usage", text: `There is no verb ${data.verb}.`, fix: `It is one of ${[...VERBS].join(", ")}.` };
      const args = Array.isArray(data.args) ? data.args : data.args === undefined ? [] : [data.args];
      reply({ result: await api[data.verb](...args) });
    } catch (error) {
      reply({ error: { code: error.code, text: error.text, fix: error.fix } });
    }
  });
  // Says nothing about the visitor, so anyone may hear it.
  api.ready.then(() => { for (const host of hosts) host.postMessage({ rollscope: 1, event: "ready", detail: {} }, "*"); }, () => {});

  return (event, detail) => {
    for (const [host, origin] of listeners) host.postMessage({ rollscope: 1, event, detail }, target(origin));
  };
}
