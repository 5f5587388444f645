// The page's modules that need no browser: node runs them.
import assert from "node:assert/strict";
import { File } from "node:buffer";  // node 18 has it here only
import { ownUrl, splitFragment } from "../../web/fragment.js";
import { mayUse, wheelOf } from "../../web/input.js";
import { fill, pickLanguage } from "../../web/locale.js";
import { nameOf } from "../../web/opener.js";
import { offersOf } from "../../web/report.js";

const key = (name, more = {}) => ({ key: name, ctrlKey: false, metaKey: false, isComposing: false, ...more });

export default [
  {
    name: "a field of a link that cannot be read costs only itself",
    run() {
      const { fields, problems } = splitFragment("#src=a%2Fb.npz&lang=%E0%A4%A&theme=dark&colour=red&src=second");
      assert.deepEqual([...fields], [["src", "a/b.npz"], ["theme", "dark"]]);
      assert.deepEqual(problems, [{ code: "bad_link_field", field: "lang" }]);
      assert.equal(splitFragment("").fields.size, 0);
      assert.equal(splitFragment("#src=a=b").fields.get("src"), "a=b");
    },
  },
  {
    name: "only addresses of the page's own host are read",
    run() {
      const base = "https://host.example/course/rollscope/index.html#src=x";
      assert.equal(ownUrl("dump/a.npz", base).href, "https://host.example/course/rollscope/dump/a.npz");
      assert.equal(ownUrl("/b.npz", base).href, "https://host.example/b.npz");
      for (const evil of ["https://other.example/a", "//other.example/a", "javascript:alert(1)", "data:,x", "file:///etc/passwd", "blob:https://host.example/1",
        "https://user:pass@host.example/a", "http://host.example/a", "https://host.example:8443/a", "http://["]) assert.equal(ownUrl(evil, base), null, evil);
    },
  },
  {
    name: "chords belong to the browser, but for undo and the like",
    run() {
      for (const chord of ["f", "r", "l", "t", "w", "n", "p", "s", "c", "v", "x", "a", "+", "-", "0", "Tab", "F5"]) {
        assert.equal(mayUse(key(chord, { ctrlKey: true })), false, `Ctrl+${chord}`);
        assert.equal(mayUse(key(chord, { metaKey: true })), false, `Cmd+${chord}`);
      }
      for (const chord of ["z", "Z", "y"]) assert.equal(mayUse(key(chord, { ctrlKey: true })), true);
      for (const plain of ["a", "ArrowLeft", "Enter", "Tab", "?", "Control"]) assert.equal(mayUse(key(plain)), true);
      for (const none of [key("F5"), key("F12"), key("Process"), key("Dead"), key("a", { isComposing: true })]) assert.equal(mayUse(none), false);
    },
  },
  {
    name: "wheels that count lines or pages move as far as those that count pixels",
    run() {
      const wheel = (deltaX, deltaY, deltaMode, ctrlKey = false) => wheelOf({ deltaX, deltaY, deltaMode, ctrlKey }, 600);
      assert.deepEqual(wheel(5, 100, 0), { dx: 5, dy: 100, pinch: false });
      assert.deepEqual(wheel(0, 3, 1), { dx: 0, dy: 48, pinch: false });
      assert.deepEqual(wheel(0, 1, 2), { dx: 0, dy: 600, pinch: false });
      assert.deepEqual(wheel(9, -4, 0, true), { dx: 0, dy: -4, pinch: true });
      assert.equal(wheel(0, -120, 0, true).dy, -30, "a notch zooms by a third, not by three");
    },
  },
  {
    name: "the language is what the address, the visitor or the browser asks for, in this order",
    run() {
      assert.equal(pickLanguage([null, undefined, null], ["de-DE", "fr-CA", "en"]), "fr");
      assert.equal(pickLanguage(["ja", "fr", "en"], ["en"]), "ja");
      assert.equal(pickLanguage(["xx", null, "fr"], ["en"]), "fr");
      assert.equal(pickLanguage([], ["de", "ko"]), "en");
      assert.equal(pickLanguage([], ["constructor"]), "en");
      assert.equal(fill("{a} of {b}, {c}", { a: 1, b: "two" }), "1 of two, ");
    },
  },
  {
    name: "a remark offers the switches that would read the file otherwise",
    run() {
      assert.deepEqual(offersOf({ code: "ambiguous_axes", assumption: "layout=heads" }, {}), [["layout", "heads"]]);
      assert.deepEqual(offersOf({ code: "ambiguous_axes", assumption: "layout=heads" }, { layout: "heads" }), []);
      assert.deepEqual(offersOf({ code: "rows_not_normalised" }, { sums: "renormalise" }), [["sums", "sink"]]);
      assert.deepEqual(offersOf({ code: "token_count", assumption: "tokens" }, {}), [["tokens", "add_specials"], ["tokens", "ignore"]]);
      assert.deepEqual(offersOf({ code: "padding" }, {}), []);
    },
  },
  {
    name: "a file is called by its own name, whatever it comes in",
    run() {
      assert.equal(nameOf(new File([], "a.npz")), "a.npz");
      assert.equal(nameOf(new Blob([])), "dump");
      assert.equal(nameOf("https://host.example/x/far%20away.npy?download=1#x"), "far away.npy");
      assert.equal(nameOf(new URL("https://host.example/x/%E0.npy")), "%E0.npy");
    },
  },
];
