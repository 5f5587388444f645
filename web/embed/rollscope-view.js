// <rollscope-view>: an explanation in a page of yours. One script, no dependency; a classic one, which any host may serve
// to any page, where a module would need a header of it:
//
//   <script src="https://example.org/rollscope/embed/rollscope-view.js"></script>
//   <rollscope-view src="dump.npz" view="graph" height="480"></rollscope-view>
//   <rollscope-view link="#a1d..."></rollscope-view>
//
//   src      a dump, which this page fetches and hands over; the frame asks no host
//   link     what stands behind "#" in a link that was shared, or the whole link
//   state    JSON, as window.rollscope.setState takes it: {"recipe": {"residual": 0.3}, "query": 4}
//   view     graph, matrix, heads, lines, depth or compare
//   height   CSS pixels (480); the width is that of the element
//   lang, theme   en, fr or ja; light or dark. As the reader's browser has it where they are missing
//   site     where Rollscope lies, where that is not beside this script
//   live     starts at once, without the picture
//
// A view is a picture until it is clicked. Browsers give a page about sixteen WebGL contexts: of more views than MOST that
// were clicked, the one that was used longest ago becomes a picture again, and keeps what it showed.
// Methods, as those of window.rollscope: ask(verb, ...args) -> Promise. Event: "rollscope" with {event, detail}.

(() => {
const MOST = 6;
const awake = [];  // the newest last
const here = document.currentScript?.src;

class RollscopeView extends HTMLElement {
  #frame = null;
  #ready = null;
  #kept = null;      // state of a view that became a picture again
  #count = 0;
  #open = new Map(); // number to {resolve, reject}

  static observedAttributes = ["src", "link", "view", "state", "height"];

  get #site() { return new URL(this.getAttribute("site") ?? "../", this.hasAttribute("site") ? document.baseURI : here); }

  connectedCallback() {
    addEventListener("message", this.#hear);
    this.style.display ||= "block";
    this.#start();
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear);
    this.#sleepless();
    this.replaceChildren();
    this.#frame = null;
  }

  attributeChangedCallback(name, before, now) {
    if (!this.#frame || before === now) return;
    if (name === "height") { this.#frame.style.height = `${Number(now) || 480}px`; return; }
    this.#kept = null;
    this.#start();
  }

  #start() {
    const address = new URL("index.html", this.#site);
    address.searchParams.set("embed", "1");
    for (const name of ["lang", "theme", "live"]) if (this.hasAttribute(name)) address.searchParams.set(name, this.getAttribute(name));
    const link = this.getAttribute("link");
    if (link) address.hash = link.slice(link.indexOf("#") + 1);
    else if (this.hasAttribute("src")) address.searchParams.set("wait", "1");
    this.#frame = document.createElement("iframe");
    this.#frame.title = this.getAttribute("title") ?? "Rollscope";
    this.#frame.referrerPolicy = "no-referrer";
    this.#frame.loading = "lazy";
    this.#frame.style.cssText = `display: block; width: 100%; height: ${Number(this.getAttribute("height")) || 480}px; border: 0;`;
    this.#frame.src = address.href;
    const { promise, resolve } = withResolvers();
    this.#ready = { promise, resolve };
    promise.then(() => this.#fill()).catch((error) => this.#tell("error", error));
    this.replaceChildren(this.#frame);
  }

  async #fill() {
    const src = this.getAttribute("src");
    if (src && !this.getAttribute("link")) {
      const response = await fetch(new URL(src, document.baseURI));
      if (!response.ok) throw Object.assign(new Error(`${src}: HTTP ${response.status}`), { code: "read_failed" });
      await this.ask("open", new File([await response.blob()], src.split(/[?#]/)[0].split("/").at(-1) || "dump"));
    } else {
      await this.ask("info");  // so that the frame knows whom to tell
    }
    const own = this.getAttribute("state"), view = this.getAttribute("view");
    const state = this.#kept ?? { ...(own ? JSON.parse(own) : {}), ...(view ? { view } : {}) };
    if (Object.keys(state).length > 0) await this.ask("setState", state);
    this.#tell("loaded", {});
  }

  /** @param {string} verb  of window.rollscope @param {...any} args */
  async ask(verb, ...args) {
    await this.#ready.promise;
    const id = ++this.#count, frame = this.#frame.contentWindow;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      frame.postMessage({ rollscope: 1, id, verb, args }, this.#site.origin === "null" ? "*" : this.#site.origin);
    });
  }

  #hear = ({ source, origin, data }) => {
    if (!this.#frame || source !== this.#frame.contentWindow || data?.rollscope !== 1) return;
    if (this.#site.origin !== "null" && origin !== this.#site.origin) return;  // the frame has gone somewhere else
    if (data.event === "ready") { this.#ready.resolve(); return; }
    if (data.event === "awake") this.#woken();
    if (data.event) { this.#tell(data.event, data.detail); return; }
    const asked = this.#open.get(data.id);
    this.#open.delete(data.id);
    if (data.error) asked?.reject(Object.assign(new Error(data.error.text), data.error));
    else asked?.resolve(data.result);
  };

  #tell(event, detail) { this.dispatchEvent(new CustomEvent("rollscope", { detail: { event, detail } })); }
  #sleepless() { const at = awake.indexOf(this); if (at >= 0) awake.splice(at, 1); }
  #woken() {
    this.#sleepless();
    awake.push(this);
    if (awake.length > MOST) awake.shift().#rest();
  }

  /** Becomes a picture of what it shows. */
  async #rest() {
    this.#kept = await this.ask("state").catch(() => null);
    this.#start();
  }
}

function withResolvers() {
  let resolve, reject;
  const promise = new Promise((done, failed) => { resolve = done; reject = failed; });
  return { promise, resolve, reject };
}

customElements.define("rollscope-view", RollscopeView);
})();
