"""Figures as papers take them: every dump in every view is well-formed XML, whatever its tokens hold, and nothing in it is
taken from elsewhere. xmllint and rsvg-convert judge too, where they are installed."""
import itertools, json, re, shutil, struct, subprocess, tempfile, unittest
import xml.etree.ElementTree as ET
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
DUMPS = TOP / "tests/dumps"
VIEWS = ("row", "matrix", "graph", "heads", "depth", "compare")
SVG = "{http://www.w3.org/2000/svg}"
# What refuses to be drawn, and says so: no heads, or no result after each layer.
REFUSALS = ("usage", "method_not_for_stream")

HOSTILE = ["[CLS]", "<script>alert(1)</script>", "]]>", '"&', "'-->", "<!--", "<![CDATA[", "&amp;", "a\nb\tc", "\x00", "\x1b[31m", "\x7f\x85", "\ufffe", "\uffff",
           "\u202eevil\u202d", "\u2067\u2068", "\u200f", "مرحبا", "שלום", "👩\u200d👩\u200d👧", "🇯🇵", "日本語", "e\u0301\u0302", "नमस्ते", "", " ", "W" * 300,
           "%s%n{token}", "</text></svg>", "\ufeff", "[SEP]"]


def dump(path, tokens, layers=2, heads=2, causal=False):
    """A JSON dump of these tokens: heavier near the diagonal, rows sum to 1."""
    n = len(tokens)

    def row(i, head):
        raw = [0 if causal and j > i else 1 / (1 + abs(i - j) + head * (j % 3)) for j in range(n)]
        return [x / sum(raw) for x in raw]

    attention = [[[row(i, h + l) for i in range(n)] for h in range(heads)] for l in range(layers)]
    path.write_text(json.dumps({"format": "attn-dump", "version": 1, "tokens": tokens, "attentions": attention}), encoding="utf-8")
    return path


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def render(self, file, *words, out="out.svg"):
        target = self.here / out
        target.unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, "render", str(file), "-o", str(target), *words], capture_output=True, text=True, errors="replace")
        return done, target

    def figure(self, file, *words):
        done, target = self.render(file, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return target, self.judged(target)

    def judged(self, path):
        """The parsed file, after everyone who is here has had a look at it."""
        text = path.read_bytes().decode("utf-8")
        root = ET.fromstring(text)
        self.assertEqual(root.tag, SVG + "svg")
        if shutil.which("xmllint"):
            done = subprocess.run(["xmllint", "--noout", "--nonet", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
        ids = re.findall(r'\bid="([^"]*)"', text)
        self.assertEqual(len(ids), len(set(ids)), "ids are unique")
        for element in root.iter():
            self.assertNotIn(element.tag.removeprefix(SVG), ("script", "style", "foreignObject", "a", "use"))
            for name, value in element.attrib.items():
                self.assertFalse(name.lower().startswith("on"), name)
                if name.endswith("href"):
                    self.assertTrue(value.startswith("data:image/png;base64,"), value[:40])
            size = element.get("font-size")
            if size:
                self.assertGreaterEqual(float(size), 8, "6 pt")
        meta = json.loads(root.find(SVG + "metadata").text)
        self.assertEqual(meta["format"], "rollscope-figure")
        self.assertIn("method", meta["recipe"])
        self.assertTrue(root.find(SVG + "title").text and root.find(SVG + "desc").text)
        self.inside(root)
        return root

    def inside(self, root):
        """Boxes, lines and the starts of texts lie on the page."""
        _, _, width, height = map(float, root.get("viewBox").split())
        for element in root.iter():
            tag = element.tag.removeprefix(SVG)
            if tag in ("rect", "image") and element.get("x") is not None:
                x, y, w, h = (float(element.get(k)) for k in ("x", "y", "width", "height"))
                self.assertTrue(x >= -0.5 and y >= -0.5 and x + w <= width + 0.5 and y + h <= height + 0.5, (tag, x, y, w, h, width, height))
            if tag == "text":
                x, y = float(element.get("x")), float(element.get("y"))
                self.assertTrue(0 <= x <= width and 0 < y <= height, (element.text, x, y))

    def test_every_dump_is_drawn_in_every_view(self):
        drawn = 0
        seen = set()
        for file in sorted(DUMPS.iterdir()):
            if file.name == "expected.json":
                continue
            info = subprocess.run([PROGRAM, "explain", file, "--json"], capture_output=True, text=True)
            if info.returncode != 0:
                done, target = self.render(file)
                self.assertEqual((done.returncode, target.exists()), (info.returncode, False), file.name)
                continue
            # Copies of one dump in another container are drawn once, in the view that shows most.
            key = json.dumps([json.loads(info.stdout)[k] for k in ("recipe", "keys", "queries")])
            for view in VIEWS if key not in seen else ("row",):
                with self.subTest(file=file.name, view=view):
                    done, target = self.render(file, "--view", view, "--width", "85mm")
                    if done.returncode == 2:
                        self.assertRegex(done.stderr, rf"\Aerror\[({'|'.join(REFUSALS)})\]: [^\n]+\n\Z")
                        continue
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.judged(target)
                    drawn += 1
            seen.add(key)
        self.assertGreater(drawn, 100)

    def test_no_token_breaks_out_of_the_file(self):
        file = dump(self.here / "hostile.json", HOSTILE)
        for view, theme, width in itertools.product(VIEWS, ("light", "dark"), ("85mm", "170mm")):
            with self.subTest(view=view, theme=theme, width=width):
                target, root = self.figure(file, "--view", view, "--theme", theme, "--width", width)
                text = target.read_text(encoding="utf-8")
                self.assertNotIn("<script", text)
                self.assertNotRegex(text, "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067\ufffe\uffff]")
        row, _ = self.figure(file, "--view", "row", "--row", "1")
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", row.read_text(encoding="utf-8"))
        for query in range(len(HOSTILE)):  # each of them as the chosen one
            self.figure(file, "--view", "row", "--row", str(query), "--width", "85mm")

    def test_one_token_and_hundreds_are_drawn(self):
        one = dump(self.here / "one.json", ["only"], layers=1, heads=1)
        many = dump(self.here / "many.json", [f"word{i}" for i in range(200)], layers=2, heads=1)
        deep = dump(self.here / "deep.json", list("abcde"), layers=40, heads=20, causal=True)
        japanese = dump(self.here / "japanese.json", ["私", "は", "東京", "タワー", "へ", "行き", "ました", "。"], causal=True)
        for file, view in itertools.product((one, many, deep, japanese), VIEWS):
            with self.subTest(file=file.name, view=view):
                self.figure(file, "--view", view, "--width", "85mm")
                self.figure(file, "--view", view, "--width", "1200px", "--language", "ja")
        self.assertLess((self.figure(many, "--view", "matrix")[0]).stat().st_size, 150_000)
        self.assertLess((self.figure(many, "--view", "graph")[0]).stat().st_size, 1_000_000)

    def test_every_stream_of_an_encoder_decoder_and_other_recipes_are_drawn(self):
        for stream, view in itertools.product(("encoder", "decoder", "cross"), VIEWS):
            with self.subTest(stream=stream, view=view):
                self.figure(DUMPS / "enfr_i_love_you.npz", "--stream", stream, "--view", view, "--width", "85mm", "--language", "fr")
        for words in (("--method", "joint"), ("--method", "flow"), ("--sink", "renormalise"), ("--sink", "lift"), ("--merge", "words")):
            for view in ("row", "matrix", "graph"):
                with self.subTest(words=words, view=view):
                    file = "enfr_i_love_you.npz" if "joint" in words else "minilm_cat.npz"
                    self.figure(DUMPS / file, *words, "--view", view, "--width", "85mm")
        for method in ("gradient-rollout", "attention-gradient", "grad-sam", "attribution:shapley"):
            done, target = self.render(DUMPS / "minilm_grads.npz", "--method", method)
            if done.returncode == 0:
                self.judged(target)
            else:
                self.assertEqual(done.returncode, 2, done.stderr)

    def test_numbers_in_the_picture_are_the_engines(self):
        e = json.loads(subprocess.run([PROGRAM, "explain", DUMPS / "minilm_cat.npz", "--row", "8", "--json"], capture_output=True, text=True).stdout)
        _, root = self.figure(DUMPS / "minilm_cat.npz", "--row", "8")
        group = next(g for g in root.iter(SVG + "g") if g.get("id") == "tokens")
        shown = [t.text for t in group.iter(SVG + "text")][1::2]
        self.assertEqual(shown, [f"{100 * x:.1f}" for x in e["matrix"][0]])

    def test_sizes_are_those_asked_for(self):
        for width, words in (("85mm", "85mm"), ("640", "640px"), ("17cm", "17cm")):
            _, root = self.figure(DUMPS / "minilm_cat.npz", "--width", width)
            self.assertEqual(root.get("width"), words)
            unit = words.lstrip("0123456789")
            self.assertTrue(root.get("height").endswith(unit))
        done, _ = self.render(DUMPS / "minilm_cat.npz", "--width", "5mm")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--width", done.stderr)

    def test_wrong_usage_is_told_in_one_line_and_leaves_no_file(self):
        for status, code, words in ((2, "bad_value", ("--view", "pie")), (2, "bad_value", ("--theme", "blue")), (2, "bad_value", ("--scale", "9")), (2, "unknown_option", ("--bogus", "1")),
                                    (2, "out_of_range", ("--row", "13")), (2, "usage", ("--row", "1", "--query", "1")), (2, "bad_value", ("--b", "nonsense", "--view", "compare"))):
            done, target = self.render(DUMPS / "minilm_cat.npz", *words)
            self.assertEqual(done.returncode, status, (words, done.stderr))
            self.assertRegex(done.stderr, rf"\Aerror\[{code}\]: [^\n]+\n\Z")
            self.assertFalse(target.exists())
        for out, code in (("out.pdf", "bad_value"), ("no_such_folder/out.svg", "write_failed")):
            done, _ = self.render(DUMPS / "minilm_cat.npz", out=out)
            self.assertRegex(done.stderr, rf"\Aerror\[{code}\]: ")
        done = subprocess.run([PROGRAM, "render", DUMPS / "minilm_cat.npz"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("OUT.svg", done.stderr)

    def test_png_has_the_pixels_of_its_scale_or_names_the_package(self):
        done, target = self.render(DUMPS / "minilm_cat.npz", "--width", "300px", "--scale", "3", "--ground", "transparent", "--json", out="out.png")
        if done.returncode == 1:
            self.assertRegex(done.stderr, r"\Aerror\[no_png\]: [^\n]*librsvg2-dev[^\n]*\n\Z")
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        data = target.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        said = json.loads(done.stdout)["files"][0]
        self.assertEqual((width, height), (900, said["height"]))
        self.assertEqual(data[25], 6, "with alpha")

    @unittest.skipUnless(shutil.which("rsvg-convert"), "rsvg-convert is not installed")
    def test_rsvg_draws_every_view(self):
        for view in VIEWS:
            target, _ = self.figure(DUMPS / "minilm_unicode.json", "--view", view)
            done = subprocess.run(["rsvg-convert", target, "-o", self.here / "rsvg.png"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), view)


if __name__ == "__main__":
    unittest.main()
