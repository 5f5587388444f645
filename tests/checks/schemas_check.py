"""What the commands print keeps to the schemas in tests/contracts, over dumps of every kind that a command meets."""
import json, subprocess, tempfile, unittest
from pathlib import Path

import numpy as np

from schema import CONTRACTS, load, problems

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
DUMPS = TOP / "tests/dumps"
CLASSES = ["--method", "relevance", "--class", "class_4"]


def ask(*words, cwd=DUMPS):
    done = subprocess.run([str(PROGRAM), *map(str, words), "--json"], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return json.loads(done.stdout, parse_constant=lambda name: 1 / 0)


class Schemas(unittest.TestCase):
    def keeps(self, name, *words, cwd=DUMPS):
        answer = ask(*words, cwd=cwd)
        self.assertEqual(problems(answer, load(f"{name}.schema.json")), [], words)
        return answer

    def test_info(self):
        for file in ("minilm_cat.npz", "enfr_i_love_you.npz", "vit_digit_a.npz", "minilm_cat.headmean.npy"):
            self.keeps("info", "info", file)

    def test_explain(self):
        self.keeps("explain", "explain", "minilm_cat.npz")
        self.keeps("explain", "explain", "minilm_cat.npz", "--method", "flow", "--pairs", "8:2,0:3")
        self.keeps("explain", "explain", "vit_digit_a.npz", *CLASSES, "--minus", "class_9", "--row", 0, "--region", "17,18,24")
        self.keeps("explain", "explain", "minilm_cat.npz", "--head", "3:2")
        self.keeps("explain", "explain", "enfr_i_love_you.npz", "--method", "joint", "--stream", "cross")

    def test_heads(self):
        self.keeps("heads", "heads", "minilm_cat.npz")
        self.keeps("heads", "heads", "enfr_i_love_you.npz", "--stream", "cross")
        self.keeps("heads", "heads", "vit_digit_a.npz", "--layers", "1:3", "--heads", "0,2")
        self.keeps("heads", "heads", "minilm_cat.headmean.npy")
        self.assertEqual(self.keeps("heads", "heads", "sentiment_negative.npz", "sentiment_positive.npz")["files"], ["sentiment_negative.npz", "sentiment_positive.npz"])

    def test_depth(self):
        self.keeps("depth", "depth", "minilm_cat.npz")
        self.keeps("depth", "depth", "vit_digit_a.npz", "--residual", 0)
        self.assertIsNone(self.keeps("depth", "depth", "minilm_cat.npz", "--method", "raw")["verdict"])
        self.keeps("depth", "depth", "vit_digit_a.npz", *CLASSES)

    def test_compare(self):
        self.keeps("compare", "compare", "minilm_cat.npz", "--a", "method=rollout", "--b", "method=raw", "--row", 3)
        self.keeps("compare", "compare", "vit_digit_a.npz", "--a", "method=relevance,class=class_4,minus=class_9", "--b", "method=rollout")
        self.assertEqual(self.keeps("compare", "compare", "minilm_cat.npz", "--control", "uniform")["b"]["control"], "uniform")

    def test_audit(self):
        self.keeps("audit", "audit", "minilm_cat.npz", "--row", 8)
        self.keeps("audit", "audit", "vit_digit_a.npz", *CLASSES, "--minus", "class_9", "--row", 0)
        self.keeps("audit", "audit", "enfr_i_love_you.npz", "--stream", "cross", "--row", 0)

    def test_a_plan_and_what_its_answers_say(self):
        with tempfile.TemporaryDirectory() as folder:
            for k, row in enumerate((8, 2, 0)):
                plan = self.keeps("plan", "plan", DUMPS / "minilm_cat.npz", "--row", row, "--random", 3)
                for step in plan["steps"]:
                    step["p"] = sum(step["keep"]) / (1 + len(step["keep"]))
                self.assertEqual(problems(plan, load("plan.schema.json")), [])
                (Path(folder) / f"{k}.json").write_text(json.dumps(plan))
            self.keeps("faithfulness", "faithfulness", "0.json", cwd=folder)
            self.assertEqual(len(self.keeps("faithfulness", "faithfulness", ".", cwd=folder)["plans"]), 3)

    def test_link(self):
        self.keeps("link", "link", "minilm_cat.npz")
        self.keeps("link", "link", "enfr_i_love_you.npz", "--stream", "cross", "--no-text", "--budget", 1900)
        self.keeps("link", "link", "minilm_cat.npz", "--what", "view")

    def test_bias(self):
        rng = np.random.default_rng(5)
        with tempfile.TemporaryDirectory() as folder:
            for k in range(7):
                for side, word in (("a", "she"), ("b", "he")):
                    np.savez(Path(folder) / f"p{k}_{side}.npz", attentions=rng.dirichlet(np.ones(5), (2, 2, 5)), tokens=["[CLS]", "the", "nurse", word, "[SEP]"])
            self.keeps("bias", "bias", "--pairs", folder)
            self.keeps("bias", "bias", "p0_a.npz", "p0_b.npz", cwd=folder)


class Validator(unittest.TestCase):
    def test_every_contract_is_asked_for_and_refuses_what_is_missing_or_of_another_kind(self):
        text = Path(__file__).read_text()
        for path in sorted(CONTRACTS.glob("*.schema.json")):
            name = path.name.removesuffix(".schema.json")
            self.assertIn(f'keeps("{name}"', text)
            schema = load(path.name)
            self.assertTrue(schema["required"], name)
            self.assertEqual(len(problems({}, schema)), len(schema["required"]), name)
            self.assertTrue(problems([], schema), name)

    def test_a_broken_answer_is_told_with_its_place(self):
        plan = ask("plan", "minilm_cat.npz", "--row", 8, "--random", 1)
        plan["steps"][1]["keep"][0] = 2
        plan["version"] = 2
        del plan["steps"][2]["p"]
        wrong = problems(plan, load("plan.schema.json"))
        self.assertEqual([line.split(" ", 1)[0] for line in wrong], ["$.version", "$.steps[1].keep[0]", "$.steps[2]"])
        sheet = ask("audit", "minilm_cat.npz", "--row", 8)
        sheet["recipe"]["merge"] = "letters"
        sheet["limits"][0]["severity"] = True
        self.assertEqual([line.split(" ", 1)[0] for line in problems(sheet, load("audit.schema.json"))], ["$.recipe.merge", "$.limits[0].severity"])
        with self.assertRaises(ValueError):
            problems(1, {"multipleOf": 2})


if __name__ == "__main__":
    unittest.main()
