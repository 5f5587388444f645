// The examples that come with the page: web/gallery/index.json names them, their words in each language, and the state
// that each opens in (as setState takes it).

export class Gallery {
  /** @param {URL} folder */
  constructor(folder) {
    this.folder = folder;
    /** @type {{id: string, file: string, title: Record<string, string>, line: Record<string, string>, state: object}[]} */
    this.examples = [];
    this.fetched = new Map();  // id to File
  }

  /** The one that a visit begins with: that of the page, where it is one of the gallery's. */
  get first() { return this.examples.find(({ id }) => id === document.documentElement.dataset.example) ?? this.examples[0]; }

  async load() {
    const response = await fetch(new URL("index.json", this.folder));
    if (response.ok) this.examples = (await response.json()).examples;
  }

  /** Fetches an example while the page is still loading its modules. @param {string} id */
  async fetchAhead(id) {
    const { file } = this.examples.find((example) => example.id === id);
    const response = await fetch(new URL(file, this.folder));
    if (response.ok) this.fetched.set(id, new File([await response.blob()], file));
  }

  /** What the first example says, computed beforehand: for browsers that cannot compute. @returns {Promise<{name: string, info: any, explain: any}>} */
  async table() {
    const [{ id, file }] = this.examples;
    const response = await fetch(new URL(`${id}.table.json`, this.folder));
    if (!response.ok) throw new Error(`${id}.table.json: HTTP ${response.status}`);
    return { name: file, ...(await response.json()) };
  }

  /** @param {string} id @returns {[URL | File, {name: string, state: object}]} arguments for Opener.open */
  source(id) {
    const { file, state } = this.examples.find((example) => example.id === id);
    return [this.fetched.get(id) ?? new URL(file, this.folder), { name: file, state }];
  }
}
