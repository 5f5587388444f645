// From DOM events to the page module: pointer, wheel, pinch, keys. SDL, which keeps the window, registers listeners of
// its own on the canvas and would prevent defaults and swallow the browser's keys; so everything is taken here, on the
// window in the capture phase, before it can reach the canvas, and goes no further.

const KIND = { move: 0, down: 1, up: 2, leave: 3, cancel: 4 };
const POINTER = { mouse: 0, touch: 1, pen: 2 };
const LINE = 16;        // CSS pixels for a line of a wheel that counts lines (Firefox)
const PINCH_MOST = 30;  // of one event: a wheel with Ctrl sends 100 and more at once, a trackpad 1 to 10

// Chords with Ctrl or Cmd that the page may use. All others are the browser's: find, reload, address, zoom, copy, tabs.
const CHORDS = new Set(["z", "y", "k", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Control", "Meta", "Shift", "Alt"]);
const FUNCTION_KEY = /^F\d+$/;

/** @param {KeyboardEvent | MouseEvent} event */
export const modifiersOf = (event) => (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0) | (event.metaKey ? 8 : 0);

/** @param {KeyboardEvent} event @returns {boolean} the page may see this key */
export function mayUse(event) {
  if (event.isComposing || event.key === "Process" || event.key === "Dead" || FUNCTION_KEY.test(event.key)) return false;
  return !(event.ctrlKey || event.metaKey) || CHORDS.has(event.key.length === 1 ? event.key.toLowerCase() : event.key);
}

/** Ctrl or Cmd with K, or with Shift and P, wherever the focus is but in another dialog. @param {() => void} open */
export function onPaletteKey(open) {
  addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing || !(event.shiftKey ? key === "p" : key === "k")) return;
    const dialog = document.querySelector("dialog[open]");
    if (dialog && !dialog.classList.contains("palette")) return;
    event.preventDefault();
    event.stopImmediatePropagation();  // nor is it a key of the canvas
    if (dialog) /** @type {HTMLDialogElement} */ (dialog).close();
    else open();
  }, true);
}

/**
 * @param {{deltaX: number, deltaY: number, deltaMode: number, ctrlKey: boolean}} event
 * @param {number} page  height of the view
 * @returns {{dx: number, dy: number, pinch: boolean}} in CSS pixels
 */
export function wheelOf(event, page) {
  const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? page : 1;
  const dx = event.deltaX * unit, dy = event.deltaY * unit;
  if (!event.ctrlKey) return { dx, dy, pinch: false };
  return { dx: 0, dy: Math.max(-PINCH_MOST, Math.min(PINCH_MOST, dy)), pinch: true };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {import("./page.js").Page} page
 * @param {boolean} embedded  the wheel stays the host page's until the picture has the focus, and Escape gives that back
 */
export function listen(canvas, page, embedded) {
  const take = (type, handle) => addEventListener(type, (event) => {
    if (event.target !== canvas) return;
    event.stopImmediatePropagation();
    handle?.(event);
  }, { capture: true, passive: false });

  listenPointers(canvas, page, take);
  listenWheel(canvas, page, (type, handle) => take(type, (event) => { if (!embedded || document.activeElement === canvas) handle(event); }));
  listenKeys(canvas, page, take);
  // What SDL would hear beside: the mouse events that follow pointers, touches, its own idea of focus.
  for (const type of ["mousedown", "mouseup", "mousemove", "mouseenter", "mouseleave", "mouseover", "mouseout", "touchstart", "touchmove",
    "touchend", "touchcancel", "keypress"]) take(type);
  take("contextmenu", (event) => event.preventDefault());

  // A key or button that is released elsewhere never says so.
  addEventListener("blur", () => page.blur());
  canvas.addEventListener("focusout", () => page.blur());
  document.addEventListener("visibilitychange", () => { if (document.hidden) page.blur(); });
}

function at(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function listenPointers(canvas, page, take) {
  const fingers = new Map();  // pointerId to [x, y], touches only
  let gesture = false;        // two fingers are or were down: until all are up, none of them points

  const point = (kind, event) => page.pointer(kind, ...at(canvas, event), event.button < 0 ? 0 : event.button, POINTER[event.pointerType] ?? 0, modifiersOf(event));

  take("pointerdown", (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture?.(event.pointerId);
    if (event.pointerType === "touch") {
      fingers.set(event.pointerId, at(canvas, event));
      if (fingers.size > 1) {
        if (!gesture) point(KIND.cancel, event);
        gesture = true;
        return;
      }
    }
    point(KIND.down, event);
  });
  take("pointermove", (event) => {
    if (gesture && fingers.has(event.pointerId)) { pinch(page, fingers, event.pointerId, at(canvas, event)); return; }
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at(canvas, event));
    point(KIND.move, event);
  });
  const end = (kind) => (event) => {
    const finger = fingers.delete(event.pointerId);
    if (!gesture || !finger) point(kind, event);
    else if (fingers.size === 0) gesture = false;
  };
  take("pointerup", end(KIND.up));
  take("pointercancel", end(KIND.cancel));
  // A touch leaves when it is lifted: what it has touched stays to be read.
  take("pointerleave", (event) => { if (event.pointerType !== "touch") point(KIND.leave, event); });
}

/** Two fingers: their distance is the zoom, their middle the pan. A third one is ignored. */
function pinch(page, fingers, moved, position) {
  const [first, second] = [...fingers.keys()];
  if (moved !== first && moved !== second) return;
  const before = [fingers.get(first), fingers.get(second)];
  fingers.set(moved, position);
  const after = [fingers.get(first), fingers.get(second)];
  const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const distance = ([a, b]) => Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1]));
  const [x, y] = middle(after), [oldX, oldY] = middle(before);
  page.gesture(x, y, distance(after) / distance(before), x - oldX, y - oldY);
}

function listenWheel(canvas, page, take) {
  take("wheel", (event) => {
    event.preventDefault();
    const { dx, dy, pinch: zoom } = wheelOf(event, canvas.clientHeight);
    page.wheel(...at(canvas, event), dx, dy, zoom, modifiersOf(event));
  });
  // Safari speaks of a trackpad's pinch in events of its own.
  let scale = 1;
  take("gesturestart", (event) => { event.preventDefault(); scale = 1; });
  take("gesturechange", (event) => {
    event.preventDefault();
    page.gesture(...at(canvas, event), event.scale / scale, 0, 0);
    scale = event.scale;
  });
  take("gestureend", (event) => event.preventDefault());
}

function listenKeys(canvas, page, take) {
  const held = new Set();
  take("keydown", (event) => {
    if (!mayUse(event)) return;
    held.add(event.key);
    if (page.key(event.key, true, modifiersOf(event))) event.preventDefault();
    else if (event.key === "Escape") canvas.blur();  // nothing to step back from: the keys are the page's again
  });
  take("keyup", (event) => {
    held.delete(event.key);
    page.key(event.key, false, modifiersOf(event));
    if (event.key !== "Meta") return;
    // macOS sends no keyup for what was pressed together with Cmd.
    for (const key of held) page.key(key, false, modifiersOf(event));
    held.clear();
  });
  canvas.addEventListener("blur", () => held.clear());
  // Shortcuts work wherever the focus is, but where letters are typed, in dialogs and menus, and for the keys that
  // buttons and scrolling use.
  addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target === canvas || event.defaultPrevented || !mayUse(event) || event.key.length > 1 || event.key === " ") return;
    if (target.closest?.("input, textarea, select, dialog, [role=menu]") || document.querySelector("dialog[open]")) return;
    if (page.key(event.key, true, modifiersOf(event))) event.preventDefault();
    page.key(event.key, false, modifiersOf(event));
  });
}
