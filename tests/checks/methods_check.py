"""Every method at the command line against the reference vectors: the questions of tests/vectors/questions.json, each a
dump made of a vector's inputs, options of `explain`, and the place of the expected numbers. The page is asked the same
ones (tests/browser/methods_test.mjs)."""
import json, math, subprocess, tempfile, unittest
from pathlib import Path

import numpy as np

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
VECTORS = TOP / "tests/vectors"


def number(x):
    return math.nan if x is None else x


def array(value):
    if isinstance(value, list):
        return np.array([array(v) for v in value], dtype="f8")
    return np.float64(number(value))


def at(tree, path):
    for part in path.split("/"):
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def jittered(a):
    """A copy without ties, by the rule that the vector states."""
    layers, heads, n, _ = a.shape
    out = np.empty_like(a)
    place = (np.arange(n)[:, None] * n + np.arange(n)) % 977 + 1
    for l in range(layers):
        for h in range(heads):
            m = a[l, h] + place / 2**26 * (1 + l * heads + h)
            out[l, h] = m / m.sum(-1, keepdims=True)
    return out


def source(vector, name):
    if name == "attn_jittered":
        return jittered(array(vector["inputs"]["attn"]))
    ratio = lambda: array([layer["residual_ratio_per_token"] for layer in vector["expected"]["per_layer"]])
    if name == "@residual_ratio":
        return ratio()
    if name == "@1-residual_ratio":
        return 1 - ratio()
    if "/*/" in name:
        before, after = name.split("/*/")
        return array([layer[after] for layer in at(vector, before)])
    return array(vector["inputs"][name])


def difference(a, b):
    """The largest difference, relative to the largest number expected."""
    a, b = array(a), array(b)
    if a.shape != b.shape:
        return math.inf
    if a.size == 0:
        return 0
    return float(np.max(np.abs(a - b))) / max(1.0, float(np.max(np.abs(b))))


class Methods(unittest.TestCase):
    def explain(self, path, options):
        words = [str(PROGRAM), "explain", str(path), "--json"]
        for name, value in options.items():
            words += ["--" + name.replace("_", "-"), str(value)]
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{words[2:]}: {done.stderr}")
        return json.loads(done.stdout)

    def test_every_question_is_answered_as_the_vector_says(self):
        vectors = {}
        with tempfile.TemporaryDirectory() as folder:
            for q in json.loads((VECTORS / "questions.json").read_text()):
                vector = vectors.setdefault(q["case"], json.loads((VECTORS / (q["case"] + ".json")).read_text()))
                path = Path(folder) / "dump.npz"
                meta = {"format": "attn-dump", "version": 1, **q.get("meta", {})}
                np.savez(path, meta=np.array(json.dumps(meta)), **{name: source(vector, place) for name, place in q["arrays"].items()})
                answer = self.explain(path, q["options"])
                got = at(answer, q.get("where", "matrix"))
                limit = 1e-9 if str(q["options"].get("method", "")).startswith("flow") else 1e-12
                with self.subTest(case=q["case"], expected=q["expected"], options=q["options"]):
                    self.assertLess(difference(got, at(vector, q["expected"])), limit)

    def test_a_stored_attribution_says_how_far_it_is_from_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "dump.npz"
            said = {"ig": {"method": "integrated gradients", "baseline": "zero embedding", "value": 2.0, "value_at_baseline": 0.5}}
            np.savez(path, attentions=np.full((2, 1, 3, 3), 1 / 3), meta=np.array(json.dumps({"attr": said})), **{"attr/ig": np.array([1, 0.25, -0.15])})
            answer = self.explain(path, {"method": "attribution:ig"})
            self.assertEqual(answer["matrix"], [[1, 0.25, -0.15]])
            self.assertTrue(answer["signed"])
            told = answer["diagnostics"]["attribution"]
            self.assertAlmostEqual(told["sum"], 1.1)
            self.assertAlmostEqual(told["completeness_gap"], 0.4)
            self.assertEqual(told["baseline"], "zero embedding")


if __name__ == "__main__":
    unittest.main()
