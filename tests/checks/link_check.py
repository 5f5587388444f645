"""rollscope link and unlink, as scripts and people meet them."""
import json, subprocess, unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
DUMPS = TOP / "tests/dumps"
SCHEMA = TOP / "tests/contracts/link.schema.json"


def run(*words, given=None):
    return subprocess.run([PROGRAM, *words], cwd=DUMPS, capture_output=True, text=True, input=given)


def link(*words):
    done = run("link", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Links(unittest.TestCase):
    def fails(self, status, code, *words, given=None):
        done = run(*words, given=given)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"\Aerror\[{code}\]: [^\n]+\n\Z")
        return done.stderr

    def test_the_answer_has_what_the_contract_names(self):
        schema = json.loads(SCHEMA.read_text())
        answer = link("minilm_cat.npz")
        for name in schema["required"]:
            self.assertIn(name, answer)
        self.assertIn(answer["payload"], schema["properties"]["payload"]["enum"])
        self.assertTrue(answer["fragment"].startswith("#a1"))
        self.assertEqual(answer["characters"], len(answer["fragment"]))
        self.assertRegex(answer["fragment"], r"[A-Za-z0-9]\Z")

    def test_the_richest_that_fits_is_taken_and_says_what_it_costs(self):
        self.assertEqual(link("minilm_cat.npz")["payload"], "layers")
        small = link("minilm_cat.npz", "--budget", "500")
        self.assertEqual((small["payload"], small["budget"]), ("rollout", 500))
        self.assertLessEqual(small["characters"], 500)
        self.assertEqual(link("minilm_cat.npz", "--budget", "200")["payload"], "row")
        self.assertEqual(link("minilm_cat.npz", "--what", "row")["payload"], "row")
        self.assertEqual(link("minilm_cat.npz", "--payload", "rollout")["payload"], "rollout")
        self.assertIn("too_big", self.fails(1, "too_big", "link", "minilm_cat.npz", "--budget", "20"))
        rungs = link("sentiment_negative.npz")["ladder"]
        self.assertEqual([r["payload"] for r in rungs], ["view", "row", "rollout", "layers", "layers", "layers"])
        self.assertEqual([r["quantisation"] for r in rungs], ["none", "sqrt8", "sqrt8", "sum63", "sum127", "sum255"])
        self.assertIn("heads", rungs[-1]["left_out"])
        self.assertIn("layers", rungs[1]["left_out"])
        lengths = [r["characters"] for r in rungs[1:]]
        self.assertEqual(lengths, sorted(lengths))

    def test_real_sentences_stay_within_their_budgets(self):
        rungs = {(r["payload"], r["quantisation"]): r for r in link("minilm_cat.npz", "--row", "8")["ladder"]}
        for kind, characters, error in ((("row", "sqrt8"), 200, .002), (("rollout", "sqrt8"), 330, .0028), (("layers", "sum255"), 1150, .002)):
            self.assertLessEqual(rungs[kind]["characters"], characters)
            self.assertLessEqual(rungs[kind]["max_error"], error)

    def test_what_is_decoded_is_off_by_no_more_than_was_said(self):
        for name, options in (("minilm_cat.npz", []), ("sentiment_negative.npz", ["--residual", "0.25", "--layers", "1:4"]), ("causal_full.pt", []),
                              ("minilm_pair.npz", ["--sink", "renormalise"]), ("vit_digit_a.npz", ["--method", "raw"]), ("sort_full.npz", ["--merge", "words"])):
            with self.subTest(name=name):
                exact = json.loads(run("explain", name, "--json", *options).stdout)["matrix"]
                for rung in link(name, *options)["ladder"]:
                    if rung["payload"] != "layers":
                        continue
                    file = Path("/tmp") / "rollscope-link-check.txt"
                    file.write_text("https://example.org/" + rung["fragment"])
                    again = json.loads(run("explain", str(file), "--json", *options).stdout)["matrix"]
                    off = max(abs(a - b) for x, y in zip(exact, again) for a, b in zip(x, y))
                    self.assertLessEqual(off, rung["max_error"] + 1e-6)

    def test_a_link_is_read_again_from_an_argument_or_from_standard_input(self):
        text = run("link", "sentiment_negative.npz", "--base", "https://example.org/r/", "--residual", "0.25", "--what", "rollout", "--row", "3")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertTrue(text.stdout.startswith("https://example.org/r/#a1d"))
        self.assertEqual(text.stdout.count("\n"), 1)
        self.assertIn("left out", text.stderr)
        for words, given in ((["unlink", text.stdout.strip()], None), (["unlink", "-"], text.stdout), (["link", text.stdout.strip(), "--decode"], None)):
            held = json.loads(run(*words, "--json", given=given).stdout)
            self.assertEqual(held["data"]["payload"], "rollout")
            self.assertEqual(held["data"]["recipe"], {"residual": 0.25})
            self.assertEqual(held["data"]["row"], 3)
            self.assertEqual(held["state"]["query"], 3)
            self.assertEqual(held["problems"], [])
            exact = json.loads(run("explain", "sentiment_negative.npz", "--json", "--residual", "0.25").stdout)
            self.assertEqual(held["data"]["keys"], exact["keys"])
            off = max(abs(a - b) for x, y in zip(exact["matrix"], held["data"]["matrix"]) for a, b in zip(x, y))
            self.assertLessEqual(off, held["data"]["max_error"])
        self.assertIn("although the music was good", run("unlink", text.stdout.strip()).stdout)

    def test_the_text_can_be_left_out(self):
        with_text, without = link("minilm_cat.npz"), link("minilm_cat.npz", "--no-text")
        self.assertLess(without["characters"], with_text["characters"])
        self.assertIn("text", without["left_out"])
        held = json.loads(run("unlink", without["fragment"], "--json").stdout)
        self.assertEqual(held["data"]["keys"][:3], ["1", "2", "3"])
        self.assertFalse(held["data"]["text"])

    def test_a_view_only_link_names_the_file_by_its_digest(self):
        view = link("minilm_cat.npz", "--what", "view", "--residual", "0.9")
        held = json.loads(run("unlink", view["fragment"], "--json").stdout)
        digest = json.loads(run("audit", "minilm_cat.npz", "--json").stdout)["dump"]["sha256"]
        self.assertTrue(digest.startswith(held["sha"]))
        self.assertEqual(held["state"]["recipe"], {"residual": 0.9})
        self.assertNotIn("data", held)
        source = link("minilm_cat.npz", "--what", "view", "--src", "https://example.org/a.npz")
        self.assertEqual(json.loads(run("unlink", source["fragment"], "--json").stdout)["src"], "https://example.org/a.npz")

    def test_a_finished_result_is_not_multiplied_again(self):
        file = Path("/tmp") / "rollscope-link-check-row.txt"
        file.write_text(link("minilm_cat.npz", "--what", "rollout")["fragment"])
        exact = json.loads(run("explain", "minilm_cat.npz", "--json").stdout)["matrix"]
        again = json.loads(run("explain", str(file), "--json").stdout)["matrix"]
        self.assertLess(max(abs(a - b) for x, y in zip(exact, again) for a, b in zip(x, y)), .003)
        self.assertIn("finished result", self.fails(2, "method_not_for_stream", "explain", str(file), "--method", "rollout"))

    def test_methods_that_layers_cannot_give_again_travel_as_rows_or_not_at_all(self):
        kinds = lambda *words: [r["payload"] for r in link(*words)["ladder"]]
        self.assertEqual(kinds("minilm_grads.npz", "--method", "gradient-rollout"), ["view", "row", "rollout"])
        self.assertEqual(kinds("minilm_cat.npz", "--method", "flow"), ["view", "layers", "layers", "layers"])
        self.assertEqual(kinds("enfr_i_love_you.npz", "--method", "joint"), ["view", "row", "rollout"])
        self.assertEqual(kinds("enfr_i_love_you.npz", "--stream", "cross"), ["view", "row", "rollout", "layers", "layers", "layers"])
        self.fails(2, "usage", "link", "minilm_cat.npz", "--method", "flow", "--what", "row")

    def test_broken_links_say_what_happened_and_what_could_be_saved(self):
        good = link("minilm_cat.npz")["fragment"].split("&")[0]
        for text, code in ((good[:300], "link_cut"), (good[:300] + "x" + good[301:], "link_damaged"), ("#a2" + good[3:], "newer_version"), (good[:300] + "%2", "link_encoded")):
            held = json.loads(run("unlink", text, "--json").stdout)
            self.assertEqual(held["problems"][0]["error"]["code"], code)
            self.assertNotIn("data", held)
            if code != "newer_version":
                self.assertEqual(held["saved"]["keys"][:3], ["[CLS]", "the", "cat"])
            self.assertIn(f"error[{code}]", run("unlink", text).stdout)
        self.fails(1, "no_link", "unlink", "https://example.org/")
        self.fails(2, "unknown_option", "link", "minilm_cat.npz", "--what-else", "row")
        self.fails(2, "bad_value", "link", "minilm_cat.npz", "--what", "heads")


if __name__ == "__main__":
    unittest.main()
