// The canvas beside the browser: sharp at every ratio, quiet when idle, and it leaves the browser's keys alone.
import { openSite, settled } from "./support/open.mjs";

const canvasSize = (page) => page.evaluate(() => {
  const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
  return { width: canvas.width, height: canvas.height, cssWidth: box.width, cssHeight: box.height, ratio: devicePixelRatio };
});

function assertSharp(assert, size) {
  // Half a device pixel of rounding at a fractional ratio.
  assert.ok(Math.abs(size.width - size.cssWidth * size.ratio) <= 1, JSON.stringify(size));
  assert.ok(Math.abs(size.height - size.cssHeight * size.ratio) <= 1, JSON.stringify(size));
}

const frames = (page) => page.evaluate(async () => (await window.rollscope.stats()).frames);
/** Before the page's own scripts: hears each key first, and looks afterwards whether its default was prevented. */
const watchKeys = () => {
  window.keys = [];
  addEventListener("keydown", (event) => setTimeout(() => window.keys.push([event.key, event.defaultPrevented]), 0), true);
};

export default [
  ...[1, 1.5, 2].map((dpr) => ({
    name: `the canvas has true device pixels at ratio ${dpr}`,
    async run(ctx) {
      const page = await openSite(ctx, { dpr });
      const size = await canvasSize(page);
      ctx.assert.equal(size.ratio, dpr);
      assertSharp(ctx.assert, size);
    },
  })),
  {
    name: "fifty resizes leave a sharp picture that still takes clicks",
    timeout: 120_000,
    async run(ctx) {
      const page = await openSite(ctx);
      for (let i = 0; i < 50; ++i) await page.setViewportSize({ width: 600 + (i * 137) % 800, height: 500 + (i * 71) % 400 });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.waitForFunction(() => document.getElementById("canvas").width === 1280);
      await settled(page);
      assertSharp(ctx.assert, await canvasSize(page));
      const { tokens } = await page.evaluate(() => window.rollscope.layout());
      const box = await page.evaluate(() => document.getElementById("canvas").getBoundingClientRect().toJSON());
      const token = tokens.find((one) => one.index === 5);
      await page.mouse.click(box.x + token.x + token.w / 2, box.y + token.y + token.h / 2);
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).query, 5);
    },
  },
  {
    name: "find, reload, the address bar and zoom stay the browser's, on the canvas and beside it",
    async run(ctx) {
      const page = await openSite(ctx, { init: watchKeys });
      for (const focus of ["canvas", "open-button"]) {
        await page.focus(`#${focus}`);
        for (const key of ["Control+f", "Control+l", "Control+p", "Control+=", "Control+-", "Control+c", "Control+v", "F3", "F1", "F12"]) await page.keyboard.press(key);
      }
      await page.waitForTimeout(100);
      const seen = await page.evaluate(() => window.keys);
      ctx.assert.ok(seen.length >= 20 && seen.some(([key]) => key === "F3"), "the keys were heard");
      ctx.assert.deepEqual(seen.filter(([key, prevented]) => prevented && key !== "Control"), []);
      // The keys of the page are its own while the canvas has the focus, and only then.
      await page.focus("#canvas");
      await page.keyboard.press("ArrowRight");
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).query, 1);
      await page.focus("#open-button");
      await page.keyboard.press("ArrowRight");
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).query, 1);
    },
  },
  {
    name: "F5 on the canvas is left to the browser",
    async run(ctx) {
      const page = await openSite(ctx, { init: watchKeys });
      await page.focus("#canvas");
      await page.keyboard.press("F5");
      await page.waitForTimeout(50);
      ctx.assert.deepEqual(await page.evaluate(() => window.keys.filter(([key]) => key === "F5")), [["F5", false]]);
    },
  },
  {
    name: "a field over the canvas takes accents, Japanese and digits",
    async run(ctx) {
      const page = await openSite(ctx);
      const { controls } = await page.evaluate(() => window.rollscope.layout());
      const place = controls.findIndex((control) => control.id === "recipe.residual.number");
      ctx.assert.ok(place >= 0, "the residual weight is drawn as a number");
      // By the keyboard: a double click takes two frames in time, which software rendering may miss.
      await page.focus("#canvas");
      for (let i = 0; i <= place; ++i) { await page.keyboard.press("Tab"); await settled(page); }
      await page.keyboard.press("Enter");
      const field = page.locator("input.edit");
      await field.waitFor();
      await field.press("Control+a");
      await page.keyboard.insertText("été 日本語");
      ctx.assert.equal(await field.inputValue(), "été 日本語");
      await page.keyboard.press("Backspace");
      ctx.assert.equal(await field.inputValue(), "été 日本");
      await field.press("Control+a");
      await page.keyboard.type("0,25");
      await page.keyboard.press("Enter");
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).recipe.residual, 0.25);
      ctx.assert.equal(await page.locator("input.edit").count(), 0);
      ctx.assert.equal(await page.evaluate(() => document.activeElement.id), "canvas");
    },
  },
  {
    name: "Ctrl and wheel zoom the matrix about the pointer, a plain wheel does not",
    async run(ctx) {
      const page = await openSite(ctx);
      await page.evaluate(() => window.rollscope.run("view.matrix"));
      await settled(page);
      const box = await page.evaluate(() => document.getElementById("canvas").getBoundingClientRect().toJSON());
      const { matrix } = await page.evaluate(() => window.rollscope.layout());
      await page.mouse.move(box.x + matrix.x + matrix.w / 2, box.y + matrix.y + matrix.h / 2);
      const zoom = async () => (await page.evaluate(() => window.rollscope.state())).matrix.camera?.zoom ?? 1;
      ctx.assert.equal(await zoom(), 1);
      await page.keyboard.down("Control");
      for (let i = 0; i < 6; ++i) await page.mouse.wheel(0, -100);
      await page.keyboard.up("Control");
      await settled(page);
      ctx.assert.ok(await zoom() > 1.5, `zoom ${await zoom()}`);
      ctx.assert.equal(await page.evaluate(() => Math.round(visualViewport.scale * 100)), 100, "the page itself did not zoom");
    },
  },
  {
    name: "without input no frame is drawn and nothing is armed",
    async run(ctx) {
      const page = await openSite(ctx, {
        init: () => {
          window.armed = { frames: 0, timers: 0 };
          const { requestAnimationFrame: frame, setTimeout: timer } = window;
          window.requestAnimationFrame = (work) => { ++window.armed.frames; return frame.call(window, work); };
          window.setTimeout = (...more) => { ++window.armed.timers; return timer.apply(window, more); };
        },
      });
      await page.mouse.move(640, 400);
      await settled(page);
      const before = await frames(page);
      const armed = await page.evaluate(() => ({ ...window.armed }));
      await new Promise((done) => setTimeout(done, 1000));
      ctx.assert.deepEqual(await page.evaluate(() => ({ ...window.armed })), armed);
      ctx.assert.equal(await frames(page), before);
    },
  },
  {
    name: "a lost graphics context comes back with the same picture",
    async run(ctx) {
      const page = await openSite(ctx);
      const before = await page.screenshot();
      await page.evaluate(async () => {
        const context = document.getElementById("canvas").getContext("webgl2");
        window.loser = context.getExtension("WEBGL_lose_context");
        window.loser.loseContext();
        await new Promise((done) => setTimeout(done, 100));
      });
      ctx.assert.match(await page.textContent("#notices"), /graphics device/);
      await page.evaluate(async () => { window.loser.restoreContext(); await new Promise((done) => setTimeout(done, 300)); });
      await settled(page);
      ctx.assert.equal((await page.textContent("#notices")).trim(), "");
      const after = await page.screenshot();
      ctx.assert.ok(before.equals(after), "the picture is the same, pixel by pixel");
    },
  },
  {
    name: "one finger taps, two fingers pinch",
    async run(ctx) {
      const page = await openSite(ctx, { touch: true, viewport: { width: 390, height: 844 } });
      const { tokens } = await page.evaluate(() => window.rollscope.layout());
      const box = await page.evaluate(() => document.getElementById("canvas").getBoundingClientRect().toJSON());
      const token = tokens.find((one) => one.index === 5);
      await page.touchscreen.tap(box.x + token.x + token.w / 2, box.y + token.y + token.h / 2);
      await settled(page);
      ctx.assert.equal((await page.evaluate(() => window.rollscope.state())).query, 5);
      await page.evaluate(() => window.rollscope.run("view.matrix"));
      await settled(page);
      const { matrix } = await page.evaluate(() => window.rollscope.layout());
      const [x, y] = [box.x + matrix.x + matrix.w / 2, box.y + matrix.y + matrix.h / 2];
      const touch = await page.context().newCDPSession(page);
      const fingers = (type, gap) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: gap === null ? [] : [{ x: x - gap, y, id: 0 }, { x: x + gap, y, id: 1 }] });
      await fingers("touchStart", 20);
      for (const gap of [30, 40, 50, 60]) await fingers("touchMove", gap);
      await fingers("touchEnd", null);
      await settled(page);
      ctx.assert.ok((await page.evaluate(() => window.rollscope.state())).matrix.camera.zoom > 1.5);
    },
  },
];
