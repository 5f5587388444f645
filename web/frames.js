// When a frame is drawn: one animation frame per wish, none without. Nothing is armed while nothing changes, and
// nothing while the page is hidden; coming back asks for one.

export class Frames {
  #draw;
  #frame = 0;
  #timer = 0;
  #due = Infinity;

  /** @param {(now: number) => void} draw  called once per frame */
  constructor(draw) {
    this.#draw = draw;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#disarm();
      else this.request();
    });
  }

  /** A frame or a timer is on its way. */
  get pending() { return this.#frame !== 0 || this.#timer !== 0; }

  request() {
    if (document.hidden) return;
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#run(now));
  }

  /** The earliest wish wins; a frame that comes before does not take it back. */
  requestIn(ms) {
    const due = performance.now() + ms;
    if (document.hidden || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => { this.#timer = 0; this.#due = Infinity; this.request(); }, Math.max(0, ms));
  }

  #run(now) {
    this.#frame = 0;
    this.#draw(now);
  }

  #disarm() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = this.#timer = 0;
    this.#due = Infinity;
  }
}
