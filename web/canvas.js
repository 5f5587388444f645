// The canvas as a thing of the page: its size in true device pixels, its lost context, its cursor.

/**
 * Tells the page module the canvas's size, now and whenever it or the device pixel ratio changes.
 * @param {HTMLCanvasElement} canvas
 * @param {(width: number, height: number, ratio: number) => void} resize  CSS pixels; device pixels per CSS pixel
 */
export function watchSize(canvas, resize) {
  let last = "";
  const tell = () => {
    const { width, height } = canvas.getBoundingClientRect();
    const now = [width, height, devicePixelRatio].join(" ");
    if (now === last || width === 0 || height === 0) return;
    last = now;
    resize(width, height, devicePixelRatio);
  };
  new ResizeObserver(tell).observe(canvas);
  // Another screen or the browser's zoom: not every browser sends a resize, and the query holds for one ratio only.
  const watchRatio = () => {
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => { tell(); watchRatio(); }, { once: true });
  };
  watchRatio();
  tell();
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{lost: () => void, restored: () => void}} handlers
 */
export function watchContext(canvas, { lost, restored }) {
  canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); lost(); });  // prevented: it may come back
  canvas.addEventListener("webglcontextrestored", restored);
}
