// Says when nothing is pending any more: no question, no frame, no upload. Looked at after each of them; never polled.

export class Idle {
  #waiting = [];

  /** @param {() => boolean} isIdle */
  constructor(isIdle) { this.isIdle = isIdle; }

  /** @returns {Promise<void>} */
  wait() {
    return new Promise((done) => { this.#waiting.push(done); this.look(); });
  }

  look() {
    if (this.#waiting.length === 0) return;
    // After the current turn: an answer that has just come usually asks for a frame.
    setTimeout(() => {
      if (!this.isIdle()) return;
      for (const done of this.#waiting.splice(0)) done();
    }, 0);
  }
}
