"""The command line as scripts meet it: JSON alone on standard output, one line per error, exit status 0, 1 or 2."""
import json, re, subprocess, tempfile, unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
DUMPS = TOP / "tests/dumps"


def run(*words, cwd=DUMPS):
    return subprocess.run([PROGRAM, *words], cwd=cwd, capture_output=True, text=True)


class CommandLine(unittest.TestCase):
    def fails(self, status, code, *words):
        done = run(*words)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"\Aerror\[{code}\]: [^\n]*[^.\n]; [^\n]+\n\Z")
        return done.stderr

    def test_json_stands_alone_on_standard_output(self):
        done = run("explain", "minilm_cat.npz", "--json", "--row", "8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        e = json.loads(done.stdout)
        self.assertAlmostEqual(e["matrix"][0][2], 0.0253, places=4)
        self.assertEqual(e["keys"][:3], ["[CLS]", "the", "cat"])
        self.assertEqual(len(e["matrix"]), 1)
        info = json.loads(run("info", "minilm_cat.npz", "--json").stdout)
        self.assertEqual((info["format"], info["streams"][0]["heads"]), ("npz", 12))

    def test_without_json_a_person_can_read_it(self):
        text = run("explain", "sentiment_negative.npz", "--row=0").stdout
        self.assertIn("Rollout of self-attention over layers 1 to 4, heads fused by mean of 4, residual 0.50.", text)
        self.assertIn("terrible 49.7 %, [CLS] 11.3 %, good 8.8 %", text)
        self.assertIn("warning[rows_similar]", text)
        self.assertIn("6 layers, 12 heads, 13 x 13 tokens", run("info", "minilm_cat.npz").stdout)

    def test_a_class_difference_a_region_and_pairs_read_as_sentences(self):
        both = run("explain", "vit_digit_a.npz", "--row", "0", "--method", "relevance", "--class", "class_4", "--minus", "class_9", "--region", "17,18,24")
        self.assertEqual((both.returncode, both.stderr), (0, ""))
        self.assertIn("gradient of class_4 minus that of class_9.", both.stdout)
        self.assertRegex(both.stdout, r"(?m)^Above 0: more for class_4, below: more for class_9\. One scale for both and their difference: -([0-9.]+) to \1$")
        self.assertRegex(both.stdout, r"(?m)^\[CLS\], on the region: 0\.\d+, shuffled 0\.\d+ to 0\.\d+: (no better than chance|above|below)$")
        pairs = run("explain", "minilm_cat.npz", "--method", "flow", "--pairs", "8:2,0:3").stdout
        self.assertRegex(pairs, r"(?m)^8 it, 2 cat: 0\.\d+; narrowest (inside|at the input|at the output) in layer \d, \d+ arcs$")
        self.fails(2, "usage", "explain", "minilm_cat.npz", "--minus", "class_9")
        self.fails(2, "usage", "explain", "minilm_cat.npz", "--pairs", "8:2")
        self.fails(2, "out_of_range", "explain", "minilm_cat.npz", "--region", "99")

    def test_a_path_may_be_absolute_or_relative(self):
        absolute = run("info", str(DUMPS / "minilm_cat.npz"), "--json", cwd="/").stdout
        self.assertEqual(absolute, run("info", "tests/dumps/minilm_cat.npz", "--json", cwd=TOP).stdout)
        self.assertEqual(json.loads(absolute)["file"], "minilm_cat.npz")

    def test_files_that_cannot_be_used_end_with_status_1(self):
        self.fails(1, "read_failed", "info", "there_is_none.npz")
        self.fails(1, "read_failed", "info", "..")
        self.fails(1, "truncated_data", "explain", "broken_truncated.npz", "--json")
        self.fails(1, "object_array", "explain", "broken_object.npy", "--json")
        self.fails(1, "transposed", "explain", "broken_transposed.npy", "--json")
        self.fails(1, "logits", "explain", "broken_logits.npz", "--json")

    def test_refused_dumps_are_described_and_open_when_assumed(self):
        for name, code, switch in (("broken_transposed.npy", "transposed", "orientation=columns"), ("broken_logits.npz", "logits", "values=logits")):
            done = run("info", name, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(code, [item["code"] for item in json.loads(done.stdout)["report"]])
            done = run("explain", name, "--json", "--assume", switch)
            self.assertEqual(done.returncode, 0, done.stderr)
            good = json.loads(run("explain", "minilm_cat.npz", "--json").stdout)["matrix"]
            self.assertLess(max(abs(a - b) for x, y in zip(json.loads(done.stdout)["matrix"], good) for a, b in zip(x, y)), 1e-5)

    def test_wrong_usage_ends_with_status_2_and_says_what_is_taken(self):
        file = "minilm_cat.npz"
        self.fails(2, "usage")
        self.fails(2, "usage", "sing", file)
        self.fails(2, "usage", "info")
        self.fails(2, "usage", "info", file, "second.npz")
        self.fails(2, "usage", "explain", file, "--row")
        self.fails(2, "usage", "explain", file, "--row", "--json")
        self.fails(2, "unknown_option", "explain", file, "--bogus", "1")
        self.fails(2, "unknown_option", "info", file, "--row", "1")
        self.assertIn("0 to 12", self.fails(2, "out_of_range", "explain", file, "--row", "13"))
        self.fails(2, "out_of_range", "explain", file, "--row", "-1")
        self.fails(2, "bad_value", "explain", file, "--row", "2.5")
        self.fails(2, "bad_value", "explain", file, "--residual", "1.01")
        self.fails(2, "bad_value", "explain", file, "--residual", "half")
        self.fails(2, "out_of_range", "explain", file, "--heads", "0,12")
        self.fails(2, "out_of_range", "explain", file, "--layers", "4:7")
        self.fails(2, "bad_value", "explain", file, "--layers", "4")
        self.fails(2, "out_of_range", "explain", file, "--item", "1")
        self.fails(2, "no_such_stream", "explain", file, "--stream", "cross")
        self.fails(2, "bad_value", "explain", file, "--method", "flux")
        self.fails(2, "bad_value", "explain", file, "--merge", "letters")
        self.fails(2, "bad_value", "explain", file, "--assume", "nonsense")
        self.fails(2, "method_not_for_stream", "explain", "enfr_i_love_you.npz", "--stream", "cross", "--method", "rollout")

    def test_heads_and_depth_refuse_what_they_cannot_use(self):
        file = "minilm_cat.npz"
        self.fails(2, "usage", "heads")
        self.fails(2, "unknown_option", "heads", file, "--method", "raw")
        self.fails(1, "read_failed", "heads", file, "--tokens", "words.txt")
        self.fails(2, "out_of_range", "heads", file, "--heads", "12")
        self.fails(2, "bad_value", "heads", file, "--height", "2")
        self.fails(2, "usage", "heads", file, "vit_digit_a.npz")
        self.assertIn("minilm_none.npz", self.fails(1, "read_failed", "heads", file, "minilm_none.npz"))
        self.fails(2, "usage", "depth", file, "second.npz")
        self.fails(2, "unknown_option", "depth", file, "--row", "1")
        self.fails(2, "usage", "depth", file, "--method", "flow")
        self.fails(2, "bad_value", "depth", file, "--language", "de")
        self.assertIn("les jetons ne diffèrent plus", run("depth", "vit_digit_a.npz", "--language", "fr").stdout)
        self.assertIn("previous 1.00, chance 0.08", run("heads", file).stdout)

    def test_compare_refuses_what_it_cannot_compare(self):
        file = "minilm_cat.npz"
        self.fails(2, "usage", "compare", file)
        self.fails(2, "usage", "compare", file, "minilm_cat.dict.pt", "third.npz", "--b", "method=raw")
        self.fails(2, "usage", "compare", file, "minilm_cat.dict.pt", "--control", "uniform")
        self.fails(2, "usage", "compare", file, "--control", "randomised")
        self.fails(2, "usage", "compare", file, "--control", "uniform", "--b", "method=raw")
        self.fails(2, "usage", "compare", file, "--a", "method=flow", "--control", "uniform")
        self.fails(2, "bad_value", "compare", file, "--b", "flow")
        self.fails(2, "bad_value", "compare", file, "--b", "colour=red")
        self.fails(2, "bad_value", "compare", file, "--b", "method=raw", "--k", "0")
        self.fails(2, "bad_value", "compare", file, "--b", "method=raw", "--without", "nothing")
        self.fails(2, "out_of_range", "compare", file, "--b", "layers=0:9")
        self.fails(2, "out_of_range", "compare", file, "--b", "method=raw", "--row", "13")
        self.fails(2, "usage", "compare", "enfr_i_love_you.npz", "--a", "stream=encoder", "--b", "stream=decoder")
        error = self.fails(2, "usage", "compare", "sentiment_negative.npz", "sentiment_positive.npz")
        self.assertIn("not one text", error)
        self.assertIn("heads=", run("compare", file, "--b", "heads=0,3,residual=0.5").stdout.replace("heads 1 and 4", "heads="))

    def test_plans_that_cannot_be_used_are_refused(self):
        file = "minilm_cat.npz"
        self.fails(2, "bad_value", "plan", file, "--row", "all")
        self.fails(2, "bad_value", "plan", file, "--random", "1000")
        self.fails(2, "bad_value", "plan", file, "--seed", "-1")
        self.fails(2, "bad_value", "plan", file, "--seed", "0.5")
        self.fails(2, "bad_value", "plan", file, "--keep", "some")
        self.fails(2, "out_of_range", "plan", file, "--keep", "13")
        self.fails(2, "usage", "faithfulness")
        self.fails(2, "unknown_option", "faithfulness", "plan.json", "--item", "1")
        with tempfile.TemporaryDirectory() as folder:
            self.fails(1, "empty", "faithfulness", folder)
            plan = Path(folder) / "plan.json"
            plan.write_text(run("plan", file, "--json").stdout)
            self.assertIn("has no p", self.fails(1, "bad_plan", "faithfulness", str(plan)))
            filled = json.loads(plan.read_text())
            for step in filled["steps"]:
                step["p"] = 7
            plan.write_text(json.dumps(filled))
            self.assertIn("lies in 0 to 1", self.fails(1, "bad_plan", "faithfulness", str(plan)))
            plan.write_text("{}")
            self.fails(1, "bad_plan", "faithfulness", str(plan))
            plan.write_text("{")
            self.fails(1, "bad_json", "faithfulness", str(plan))
        self.fails(1, "read_failed", "faithfulness", "there_is_none.json")
        self.assertIn("runs of the model", run("plan", file).stdout)

    def test_a_sheet_is_about_one_row_and_reads_as_text_too(self):
        file = "minilm_cat.npz"
        self.fails(2, "bad_value", "audit", file, "--row", "all")
        self.fails(2, "out_of_range", "audit", file, "--row", "13")
        self.fails(2, "bad_value", "audit", file, "--k", "none")
        self.fails(2, "unknown_option", "audit", file, "--random", "1")
        self.fails(1, "read_failed", "audit", "there_is_none.npz")
        text = run("audit", file, "--row", "8", "--language", "ja").stdout
        self.assertIn("sha256 29d70eb813f53abe5c4c1ccd6b584ddcf8a7de03d8dadc72c52640b3e837b2bc", text)
        self.assertIn("原因ではありません。", text)
        with tempfile.TemporaryDirectory() as folder:
            self.fails(1, "empty", "bias", "--pairs", folder)

    def test_tokens_may_come_from_a_file_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            words = Path(folder) / "words.txt"
            words.write_text("\n".join(f"word{i}" for i in range(13)), encoding="utf-8")
            for verb in ("info", "explain", "heads", "depth"):
                done = run(verb, "minilm_cat.npz", "--json", "--tokens", str(words))
                self.assertEqual(done.returncode, 0, done.stderr)
            for tokens in ((str(words),), (str(words), str(words))):  # one list for both dumps, or one for each
                done = run("compare", "minilm_cat.headmean.npy", "minilm_cat.headmean.npy", "--json", "--row", "5", *(part for one in tokens for part in ("--tokens", one)))
                self.assertEqual(json.loads(done.stdout)["rows"][0]["label"], "word5", done.stderr)
        self.assertIn("words.txt", self.fails(1, "read_failed", "info", "minilm_cat.npz", "--tokens", str(words)))
        self.fails(2, "usage", "explain", "minilm_cat.npz", "--tokens")
        self.assertIn("--tokens FILE", run("--help").stdout)

    def test_help_and_version(self):
        self.assertIn("rollscope explain FILE", run("--help").stdout)
        self.assertIn("--residual", run("explain", "--help").stdout)
        self.assertRegex(run("--version").stdout, r"\Arollscope \d+\.\d+\.\d+\n\Z")

    def test_numbers_survive_the_way_through_json(self):
        text = run("explain", "minilm_cat.npz", "--json", "--row", "0").stdout
        self.assertTrue(re.search(r"\d\.\d{16}", text))
        self.assertNotIn("NaN", text)


if __name__ == "__main__":
    unittest.main()
