// The page's modules that need no browser: node runs them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { File } from "node:buffer";  // node 18 has it here only
import { judgeAddress, liesOn } from "../../web/address.js";
import { sortFiles, withBeside } from "../../web/files.js";
import { splitFragment } from "../../web/fragment.js";
import { topWithoutHeaviest } from "../../web/heat.js";
import { mayUse, wheelOf } from "../../web/input.js";
import { Kept } from "../../web/kept.js";
import { fill, pickLanguage } from "../../web/locale.js";
import { nameOf } from "../../web/opener.js";
import { offersOf } from "../../web/offers.js";
import { addressOf, kindOf, tokensOf } from "../../web/typed.js";

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
    name: "an address is refused with its reason before anything is asked",
    run() {
      const base = "https://host.example/course/rollscope/index.html#src=x";
      const own = (text) => { const { own: mine, url } = judgeAddress(text, base); return mine && url.href; };
      assert.equal(own("dump/a.npz"), "https://host.example/course/rollscope/dump/a.npz");
      assert.equal(own("/b.npz#part"), "https://host.example/b.npz");
      for (const [text, reason] of [
        ["javascript:alert(1)", "scheme"], ["data:,x", "scheme"], ["file:///etc/passwd", "scheme"], ["blob:https://host.example/1", "scheme"], ["ftp://other.example/a", "scheme"],
        ["https://user:pass@host.example/a", "credentials"], ["https://user@other.example/a", "credentials"],
        ["http://other.example/a", "http"], ["http://host.example/a", "http"],
        ["http://[", "malformed"], ["https://other.example/" + "a".repeat(5000), "malformed"],
        ...["localhost", "a.localhost", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "10.0.0.7", "192.168.1.1", "169.254.169.254", "172.20.0.1", "0.0.0.0", "8.8.8.8",
          "[::1]", "[fe80::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "[2001:db8::1]", "printer.local", "wiki.corp", "intranet", "localhost.", "db.internal"]
          .map((host) => [`https://${host}/a.npz`, "private"]),
      ]) assert.equal(judgeAddress(text, base).refusal, reason, text);
      const other = judgeAddress("//other.example:8443/x/far%20away.npz?download=1#x", base);
      assert.deepEqual([other.own, other.url.href, other.name, other.hosts, other.rewritten], [false, "https://other.example:8443/x/far%20away.npz?download=1", "far away.npz", ["https://other.example:8443"], false]);
      assert.equal(judgeAddress("http://127.0.0.1:8000/dump/a.npz", "http://127.0.0.1:8000/").own, true, "whoever serves the page serves dumps");
    },
  },
  {
    name: "links to the pages of code hosts become links to the files",
    run() {
      const base = "https://host.example/";
      for (const [page, file] of [
        ["https://github.com/o/r/blob/main/d/a b.npz", "https://raw.githubusercontent.com/o/r/main/d/a%20b.npz"],
        ["https://github.com/o/r/raw/v1/a.npz", "https://raw.githubusercontent.com/o/r/v1/a.npz"],
        ["https://gist.github.com/u/0123abcd", "https://gist.githubusercontent.com/u/0123abcd/raw"],
        ["https://huggingface.co/datasets/o/r/blob/main/a.npz", "https://huggingface.co/datasets/o/r/resolve/main/a.npz"],
        ["https://codeberg.org/o/r/src/branch/main/a.npz", "https://codeberg.org/o/r/raw/branch/main/a.npz"],
        ["https://bitbucket.org/o/r/src/main/a.npz", "https://bitbucket.org/o/r/raw/main/a.npz"],
        ["https://www.dropbox.com/scl/fi/k/a.npz?rlkey=x&dl=0", "https://dl.dropboxusercontent.com/scl/fi/k/a.npz?rlkey=x"],
      ]) {
        const judged = judgeAddress(page, base);
        assert.equal(judged.url?.href, file);
        assert.ok(judged.rewritten && liesOn(file, judged.hosts), page);
      }
      assert.equal(judgeAddress("https://raw.githubusercontent.com/o/r/main/a.npz", base).rewritten, false);
      for (const page of ["https://drive.google.com/file/d/1/view", "https://1drv.ms/u/s!A", "https://x.sharepoint.com/a", "https://github.com/o/r", "https://huggingface.co/o/r"]) {
        assert.equal(judgeAddress(page, base).refusal, "share", page);
      }
      assert.deepEqual(judgeAddress("https://gitlab.com/o/r/-/blob/main/a.npz", base), { refusal: "closed", host: "gitlab.com", link: "https://gitlab.com/o/r/-/raw/main/a.npz" });
      assert.equal(judgeAddress("https://github.com/o/r/releases/download/v1/a.npz", base).refusal, "closed");
    },
  },
  {
    name: "a redirect may lead only to the hosts that were named",
    run() {
      const hosts = judgeAddress("https://huggingface.co/o/r/blob/main/a.npz", "https://host.example/").hosts;
      assert.ok(liesOn("https://cdn-lfs.hf.co/x?signed", hosts) && liesOn("https://huggingface.co/o/r/resolve/main/a.npz", hosts));
      for (const other of ["https://hf.co.evil.example/x", "https://evilhf.co/x", "http://cdn-lfs.hf.co/x", "https://cdn-lfs.hf.co:8443/x", "https://u:p@cdn-lfs.hf.co/x", "https://127.0.0.1/x", "nothing"]) {
        assert.equal(liesOn(other, hosts), false, other);
      }
    },
  },
  {
    name: "what is pasted is told apart: an address, numbers, tokens",
    run() {
      for (const [text, kind] of [
        ["  ", "nothing"], ["https://a.example/x.npz", "address"], ["github.com/o/r/blob/main/a.npz", "address"], ["javascript:alert(1)", "address"],
        ["0.5,0.5\n0.1,0.9", "dump"], ["0.5 0.5\n0.1 0.9\n", "dump"], [",the,cat\nthe,0.5,0.5\ncat,0.1,0.9", "dump"], ["[[0.5, 0.5], [0.1, 0.9]]", "dump"],
        ['{"attentions": [[[1]]], "tokens": ["a"]}', "dump"], ["<html><body></body></html>", "dump"], ["[[0.5, 0.5], [0.1,", "dump"],
        ['["[CLS]", "the"]', "tokens"], ["['[CLS]', 'don\\'t', \"it's\"]", "tokens"], ["[CLS] the cat [SEP]", "tokens"], ["the cat sat", "tokens"], ['{"tokens": ["a", "b"]}', "tokens"],
        ["[CLS]\nthe\ncat", "tokens"], ["in 1969 they", "tokens"], ["(a) the cat", "tokens"],
        ["array([[0.5, 0.5],\n       [0.2, 0.8]])", "dump"], ["tensor([[0.5, 0.5],\n        [0.2, 0.8]], grad_fn=<SoftmaxBackward0>)", "dump"],
        ["(tensor([[0.5, 0.5]]), tensor([[0.2, 0.8]]))", "dump"], ["[[0.5 0.5]\n [0.2 0.8]]", "dump"], ["[[0.1 0.2 ... 0.3]\n ...\n [0.2 0.8 ... 0.1]]", "dump"],
      ]) assert.equal(kindOf(text), kind, text);
      assert.deepEqual(tokensOf('["[CLS]", "the"]'), ["[CLS]", "the"]);
      assert.deepEqual(tokensOf("['[CLS]', 'don\\'t', \"it's\", '\\u0120x']"), ["[CLS]", "don't", "it's", "\u0120x"]);
      assert.deepEqual(tokensOf("[CLS]\nthe\n cat\n"), ["[CLS]", "the", " cat"]);
      assert.deepEqual(tokensOf(" [CLS] the  cat "), ["[CLS]", "the", "cat"]);
      assert.deepEqual(tokensOf('[["a", "b"]]'), ["a", "b"]);
      assert.equal(addressOf("github.com/o"), "https://github.com/o");
      assert.equal(addressOf("javascript:x"), "javascript:x");
    },
  },
  {
    name: "files that were given together are sorted by what they hold",
    async run() {
      const png = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0)], "photo.dat");
      const sorted = await sortFiles([
        new File(["[CLS]\nthe\ncat"], "tokens.txt"), new File(['{"attentions": [[[[1]]]]}'], "dump.json"), png, new File(['["a"]'], "more.json"), new File(["0.5 0.5\n0.1 0.9"], "matrix.txt"), new File([], "empty.txt"),
      ]);
      assert.deepEqual(sorted.dumps.map(({ name }) => name), ["dump.json", "matrix.txt", "empty.txt"]);
      assert.deepEqual(sorted.tokens, { name: "tokens.txt", tokens: ["[CLS]", "the", "cat"] });
      assert.equal(sorted.picture, png);
      assert.deepEqual(sorted.aside, ["more.json"]);
      assert.deepEqual(withBeside([{ name: "tokens.json", text: "1" }, { name: "image.json", text: "2" }], [{ name: "tokens.json", text: "3" }]),
        [{ name: "image.json", text: "2" }, { name: "tokens.json", text: "3" }]);
    },
  },
  {
    name: "eight dumps are kept, and the open one is never the one that goes",
    run() {
      const kept = new Kept();
      const dumps = Array.from({ length: 10 }, (_, i) => ({ name: `${i}.npz`, source: new Blob([String(i)]) }));
      for (const dump of dumps) kept.keep(dump, dumps[0]);
      assert.deepEqual(kept.dumps.map(({ name }) => name), ["0.npz", ...[3, 4, 5, 6, 7, 8, 9].map((i) => `${i}.npz`)]);
      kept.keep({ ...dumps[4], item: 2 });
      assert.equal(kept.dumps.length, 8);
      assert.equal(kept.dumps[kept.indexOf(dumps[4].source)].item, 2);
    },
  },
  {
    name: "a picture's scale is not eaten by one column",
    run() {
      const values = [0.9, 0.1, 0, 0.8, 0, 0.2];
      assert.equal(topWithoutHeaviest({ rows: 2, columns: 3, values }), 0.2);
      assert.equal(topWithoutHeaviest({ rows: 2, columns: 1, values: [1, 1] }), 1);
    },
  },
  {
    name: "high contrast means seven to one for text, and three to one for lines",
    run() {
      const tokens = JSON.parse(readFileSync(new URL("../../web/tokens.json", import.meta.url), "utf8"));
      const light = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
      for (const scheme of ["light-contrast", "dark-contrast"]) {
        const of = tokens[scheme];
        assert.deepEqual(Object.keys(of), Object.keys(tokens.light), "the same names in the same order");
        const pairs = [...["ink", "ink2", "ink3"].flatMap((ink) => ["ground", "panel", "raised", "well"].map((under) => [ink, under])),
          ["accent", "panel"], ["accent", "accentbg"], ["onaccent", "accent"], ["warn", "warnbg"], ["err", "errbg"], ["ok", "panel"], ["node", "panel"]];
        for (const [over, under] of pairs) assert.ok(ratio(of[over], of[under]) >= 7, `${scheme}: ${over} on ${under} ${ratio(of[over], of[under])}`);
        for (const line of ["line", "line2", "sink", "kept"]) assert.ok(ratio(of[line], of.panel) >= 3, `${scheme}: ${line}`);
      }
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
