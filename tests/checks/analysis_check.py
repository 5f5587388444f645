"""Heads, depth, comparisons, plans and pairs at the command line, against numpy written from the definitions and
against published measurements of the same dumps. Nothing here shares code with the program."""
import hashlib, json, math, re, subprocess, tempfile, unittest
from pathlib import Path

import numpy as np

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
DUMPS = TOP / "tests/dumps"


def ask(*words, cwd=DUMPS):
    done = subprocess.run([str(PROGRAM), *map(str, words), "--json"], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout, parse_constant=lambda name: 1 / 0)


def attention(name):
    """[L][H][N][N], rows divided by their sums, and the tokens."""
    with np.load(DUMPS / name) as file:
        a = file["attentions"].astype("f8")
        tokens = [str(t) for t in file["tokens"]] if "tokens" in file else []
    a = a.reshape(a.shape[0], a.shape[-3], a.shape[-2], a.shape[-1])
    return a / a.sum(-1, keepdims=True), tokens


def rollouts(a, residual=0.5):
    """The rollout after each layer."""
    r, out = np.eye(a.shape[-1]), []
    for layer in a.mean(1):
        layer = layer / layer.sum(-1, keepdims=True)
        r = (residual * np.eye(len(r)) + (1 - residual) * layer) @ r
        out.append(r)
    return out


def entropy(rows):
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(rows > 0, rows * np.log(rows), 0).sum(-1)


def js(a, b):
    return (entropy((a + b) / 2) - (entropy(a) + entropy(b)) / 2).mean()


def ranks(x):
    return np.array([(x < v).sum() + ((x == v).sum() - 1) / 2 for v in x], dtype="f8")


def spearman(a, b):
    x, y = ranks(np.asarray(a)), ranks(np.asarray(b))
    return float(np.corrcoef(x, y)[0, 1])


class Heads(unittest.TestCase):
    def test_scores_of_every_head_are_those_of_numpy(self):
        a, tokens = attention("minilm_cat.npz")
        n = len(tokens)
        i = np.arange(n)
        same = np.array([[x == y for y in tokens] for x in tokens])
        earlier = np.tril(same, -1)
        delimiter = np.array([t in ("[SEP]", ".", ",", "##.") for t in tokens])
        delimiter[0] = False
        answer = ask("heads", "minilm_cat.npz")
        self.assertEqual(len(answer["scores"]), a.shape[0] * a.shape[1])
        for s in answer["scores"]:
            m = a[s["layer"], s["head"]]
            expected = {
                "entropy_mean": entropy(m).mean(),
                "entropy_normalised_mean": entropy(m).mean() / math.log(n),
                "confidence_mean_max": m.max(-1).mean(),
                "mean_distance": (m * abs(i[:, None] - i)).sum(-1).mean(),
                "signed_offset": (m * (i - i[:, None])).sum(-1).mean(),
                "first_token": m[:, 0].mean(),
                "first_token_excl_row0": m[1:, 0].mean(),
                "previous_token": np.diag(m, -1).mean(),
                "previous_token_tl_mul": np.diag(m, -1).sum() / n,
                "next_token": np.diag(m, 1).mean(),
                "diagonal": np.diag(m).mean(),
                "duplicate_tl_mul": (m * earlier).sum() / n,
                "delimiter": m[:, delimiter].sum(-1).mean(),
            }
            for name, value in expected.items():
                self.assertAlmostEqual(s[name], value, places=9, msg=f"{name} of layer {s['layer']}, head {s['head']}")
            self.assertAlmostEqual(s["chance"]["previous"], 1 / n, places=9)
        first = answer["scores"][2]
        self.assertEqual((first["role"], first["role_score"] > 0.9), ("previous", True))

    def test_heads_that_are_joined_first_are_the_closest_pair(self):
        a, _ = attention("minilm_cat.npz")
        heads = a.reshape(-1, *a.shape[2:])
        d = np.array([[js(x, y) if k != l else math.inf for l, y in enumerate(heads)] for k, x in enumerate(heads)])
        answer = ask("heads", "minilm_cat.npz")["similar"]
        closest = np.unravel_index(np.argmin(d), d.shape)
        merge = answer["merges"][0]
        self.assertEqual({merge["a"], merge["b"]}, {int(k) for k in closest})
        self.assertAlmostEqual(merge["height"], math.sqrt(d.min()), places=9)
        self.assertEqual(sorted(answer["order"]), list(range(len(heads))))
        for cluster in answer["clusters"]:
            inside = [layer * a.shape[1] + head for layer, head in cluster]
            self.assertGreater(len(inside), 1)

    def test_scores_of_two_texts_are_means_over_the_rows_of_both(self):
        one, other, both = ask("heads", "minilm_cat.npz"), ask("heads", "minilm_pair.npz"), ask("heads", "minilm_cat.npz", "minilm_pair.npz")
        n, m = (ask("info", name)["streams"][0]["queries"] for name in ("minilm_cat.npz", "minilm_pair.npz"))
        self.assertEqual(both["files"], ["minilm_cat.npz", "minilm_pair.npz"])
        for a, b, c in zip(one["scores"], other["scores"], both["scores"]):
            self.assertAlmostEqual(c["confidence_mean_max"], (n * a["confidence_mean_max"] + m * b["confidence_mean_max"]) / (n + m), places=9)
        self.assertTrue(any("mean over 2 texts" in line for line in both["narration"]["en"]))

    def test_a_decoder_has_its_reference_scores(self):
        one = ask("heads", "sort_full.npz")
        self.assertTrue(one["repeats_known"])
        for s in one["scores"]:
            if s["next_token"] is not None:
                self.assertEqual(s["next_token"], 0)

    def test_a_part_of_the_heads_can_be_asked_for(self):
        part = ask("heads", "minilm_cat.npz", "--layers", "1:3", "--heads", "0,11")
        self.assertEqual([(s["layer"], s["head"]) for s in part["scores"]], [(1, 0), (1, 11), (2, 0), (2, 11)])
        whole = ask("heads", "minilm_cat.npz")["scores"]
        self.assertEqual(part["scores"][1], whole[12 + 11])


class Depth(unittest.TestCase):
    def check(self, name, residual=0.5):
        a, _ = attention(name)
        answer = ask("depth", name, "--residual", residual)
        for layer, r in zip(answer["layers"], rollouts(a, residual)):
            s = np.linalg.svd(r, compute_uv=False)
            p = s / s.sum()
            tv = max(abs(x - y).sum() / 2 for x in r for y in r)
            expected = {
                "row_entropy_mean": entropy(r).mean(),
                "row_entropy_normalised_mean": entropy(r).mean() / math.log(len(r)),
                "effective_rank": math.exp(entropy(p)),
                "stable_rank": (s**2).sum() / s[0] ** 2,
                "dobrushin": tv,
                "top_share": r.mean(0).max(),
            }
            for key, value in expected.items():
                self.assertAlmostEqual(layer[key], value, places=6, msg=f"{key} after layer {layer['layer']}")
            self.assertEqual(layer["top_key"], int(r.mean(0).argmax()))
        return answer

    def test_numbers_after_each_layer_are_those_of_numpy(self):
        self.check("minilm_cat.npz")
        self.check("minilm_cat.npz", 0.25)

    def test_an_image_model_collapses_in_its_last_layer(self):
        answer = self.check("vit_digit_a.npz")
        last = answer["layers"][-1]
        self.assertTrue(0.042 <= last["dobrushin"] + 5e-4 and last["dobrushin"] <= 0.05)
        self.assertEqual(answer["verdict"]["collapsed_from"], 5)
        self.assertIn("From layer 6 on the tokens no longer differ", answer["narration"]["en"][0])
        self.assertEqual([round(l["row_entropy_normalised_mean"], 2) for l in answer["layers"]], [0.59, 0.85, 0.94, 0.97, 0.98, 0.98])

    def test_published_measurements_of_minilm(self):
        answer = ask("depth", "minilm_cat.npz")
        self.assertEqual([round(l["dobrushin"], 2) for l in answer["layers"]], [0.78, 0.60, 0.44, 0.30, 0.20, 0.11])
        self.assertEqual([round(l["top_share"], 2) for l in answer["layers"]], [0.16, 0.33, 0.45, 0.53, 0.59, 0.62])
        self.assertEqual([round(l["sink_mass"], 2) for l in answer["layers"]], [0.16, 0.33, 0.45, 0.53, 0.59, 0.62])
        self.assertEqual((answer["verdict"]["collapsed_from"], answer["verdict"]["similar_from"]), (None, 5))

    def test_a_causal_model_is_judged_by_its_later_rows(self):
        answer = ask("depth", "causal_full.pt")
        for layer in answer["layers"]:
            self.assertLessEqual(layer["rows_distance"], layer["dobrushin"])
        self.assertIsNone(answer["verdict"]["collapsed_from"])
        self.assertIn("second half", answer["narration"]["en"][1])

    def test_raw_attention_is_measured_layer_by_layer_and_gets_no_verdict(self):
        a, _ = attention("minilm_cat.npz")
        answer = ask("depth", "minilm_cat.npz", "--method", "raw")
        self.assertEqual((answer["of"], answer["verdict"]), ("layer", None))
        for layer, m in zip(answer["layers"], a.mean(1)):
            self.assertAlmostEqual(layer["top_share"], m.mean(0).max(), places=9)

    def test_the_range_of_layers_is_kept(self):
        self.assertEqual([l["layer"] for l in ask("depth", "minilm_cat.npz", "--layers", "2:4")["layers"]], [2, 3])


def kendall(a, b):
    n = len(a)
    s = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i in range(n) for j in range(i)]
    top = sum(x * y for x, y in s)
    return top / math.sqrt(sum(x != 0 for x, _ in s) * sum(y != 0 for _, y in s))


def explain(name, *words):
    return np.array(ask("explain", name, *words)["matrix"], dtype="f8")


class Compare(unittest.TestCase):
    def agrees(self, row, a, b):
        p, q = a / a.sum(), b / b.sum()
        m = (p + q) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            kl = lambda x: np.where(x > 0, x * np.log2(x / m), 0).sum()
        expected = {
            "spearman": spearman(a, b),
            "kendall_tau_b": kendall(a, b),
            "pearson": np.corrcoef(a, b)[0, 1],
            "cosine": a @ b / np.linalg.norm(a) / np.linalg.norm(b),
            "js_bits": (kl(p) + kl(q)) / 2,
            "total_variation": abs(p - q).sum() / 2,
        }
        for name, value in expected.items():
            self.assertAlmostEqual(row[name], value, places=9, msg=name)
        k = row["k"]
        top_a, top_b = (set(np.argsort(-x, kind="stable")[:k].tolist()) for x in (a, b))
        self.assertEqual((set(row["top_a"]), set(row["top_b"])), (top_a, top_b))
        self.assertAlmostEqual(row["top_overlap"], len(top_a & top_b) / k)

    def test_every_measure_is_that_of_numpy_on_the_rows_of_explain(self):
        name = "minilm_cat.npz"
        a, b = explain(name), explain(name, "--method", "raw", "--layers", "5:6")
        answer = ask("compare", name, "--a", "method=rollout", "--b", "method=raw,layers=5:6")
        self.assertEqual(len(answer["rows"]), 13)
        for i, row in enumerate(answer["rows"]):
            self.agrees(row, a[i], b[i])
        mean = answer["mean"]["spearman"]
        self.assertAlmostEqual(mean["mean"], np.mean([row["spearman"] for row in answer["rows"]]))
        self.assertEqual(answer["differs"], ["method", "layers"])

    def test_a_causal_row_is_compared_on_the_tokens_it_can_see(self):
        name = "causal_full.pt"
        a, b = explain(name), explain(name, "--residual", "0.3")
        answer = ask("compare", name, "--a", "residual=0.5", "--b", "residual=0.3")
        for i in (5, 12, 28):
            self.assertEqual(answer["rows"][i]["keys"], i + 1)
            self.agrees(answer["rows"][i], a[i, : i + 1], b[i, : i + 1])

    def test_rollout_and_flow_agree_as_published(self):
        for name, row, value in (("minilm_cat.npz", 0, 0.85), ("minilm_cat.npz", 12, 0.58)):
            answer = ask("compare", name, "--a", "method=rollout", "--b", "method=flow", "--row", row)
            self.assertEqual(round(answer["rows"][0]["spearman"], 2), value)
        answer = ask("compare", "vit_digit_a.npz", "--a", "method=rollout", "--b", "method=flow", "--row", 0)
        self.assertTrue(0.80 <= round(answer["rows"][0]["spearman"], 2) <= 0.85)

    def test_two_residual_weights_are_never_compared_silently(self):
        answer = ask("compare", "minilm_cat.npz", "--a", "residual=0.3", "--b", "method=rollout", "--row", 0)
        self.assertEqual(answer["differs"], ["residual"])
        self.assertEqual((answer["a"]["recipe"]["residual"], answer["b"]["recipe"]["residual"]), (0.3, 0.5))
        self.assertIn("0.30 and 0.50", answer["narration"]["en"][0])
        self.assertIn("0,30 et 0,50", answer["narration"]["fr"][0])
        two = ask("compare", "minilm_cat.npz", "minilm_cat.dict.pt", "--a", "residual=0.3", "--b", "residual=0.5", "--row", 0)
        self.assertEqual(two["differs"], ["residual"])
        self.assertIn("0.30 and 0.50", two["narration"]["en"][0])

    def test_uniform_attention_is_a_named_control(self):
        e = ask("explain", "minilm_cat.npz", "--row", 0)
        answer = ask("compare", "minilm_cat.npz", "--control", "uniform", "--row", 0)
        self.assertEqual(answer["b"]["control"], "uniform")
        self.agrees(answer["rows"][0], np.array(e["matrix"][0]), np.array(e["uniform"][0]))

    def test_a_second_dump_of_the_same_tokens_is_matched_row_by_row(self):
        with tempfile.TemporaryDirectory() as folder:
            a, tokens = attention("minilm_cat.npz")
            random = np.random.default_rng(1).dirichlet(np.ones(len(tokens)), a.shape[:-1])
            np.savez(Path(folder) / "random.npz", attentions=random, tokens=tokens)
            answer = ask("compare", DUMPS / "minilm_cat.npz", "random.npz", "--control", "randomised weights", cwd=folder)
            self.assertEqual((answer["merged"], answer["b"]["control"]), (False, "randomised weights"))
            r = rollouts(random)[-1]
            for i, row in enumerate(answer["rows"]):
                self.agrees(row, explain("minilm_cat.npz")[i], r[i])
            part = ask("compare", DUMPS / "minilm_cat.npz", "random.npz", "--without", "specials", "--row", 3, cwd=folder)
            self.assertEqual(([part["keys"][k] for k in part["without"]], part["rows"][0]["keys"]), (["[CLS]", "[SEP]"], 11))

    def test_models_that_cut_the_text_differently_are_compared_by_words(self):
        rng = np.random.default_rng(2)
        fine, coarse = ["[CLS]", "un", "##believ", "##able", "cats", "[SEP]"], ["<s>", "Unbeliev", "able", "\u0120cats", "</s>"]
        a, b = (rng.dirichlet(np.ones(len(t)), (1, 2, len(t))) for t in (fine, coarse))
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "fine.npz", attentions=a, tokens=fine)
            np.savez(Path(folder) / "coarse.npz", attentions=b, tokens=coarse)
            answer = ask("compare", "fine.npz", "coarse.npz", cwd=folder)
            one = ask("compare", "fine.npz", "coarse.npz", "--row", 2, cwd=folder)
        self.assertTrue(answer["merged"])
        self.assertEqual(answer["keys"], ["unbelievable", "cats"])
        x, y = rollouts(a)[-1], rollouts(b)[-1]
        groups = [([1, 2, 3], [1, 2]), ([4], [3])]
        for row, (i, j) in zip(answer["rows"], groups):
            p = np.array([x[i][:, k].sum(1).mean() for k, _ in groups])
            q = np.array([y[j][:, k].sum(1).mean() for _, k in groups])
            self.agrees(row, p, q)
        self.assertEqual(one["rows"], answer["rows"][:1])
        self.assertIn("2 parts", answer["narration"]["en"][-1])


class Faithfulness(unittest.TestCase):
    """The toy of the vector: six tokens, a logistic sum over those that are kept."""

    def setUp(self):
        self.vector = json.loads((TOP / "tests/vectors/compare_and_faithfulness.json").read_text())
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def plan(self, row, name, *words):
        np.savez(self.path / "toy.npz", attentions=np.full((1, 1, 6, 6), 1 / 6), tokens=[f"t{j}" for j in range(6)], **{"attr/x": np.array(row)})
        plan = ask("plan", "toy.npz", "--method", "attribution:x", "--row", 0, *words, cwd=self.path)
        inputs = self.vector["inputs"]
        for step in plan["steps"]:
            step["p"] = 1 / (1 + math.exp(-inputs["bias"] - np.dot(inputs["weights"], step["keep"])))
        (self.path / name).write_text(json.dumps(plan))
        return plan

    def test_the_round_trip_gives_the_reference_numbers(self):
        expected = self.vector["expected"]["faithfulness"]
        plan = self.plan(self.vector["inputs"]["x"], "plan.json")
        self.assertEqual(plan["order"], expected["order"])
        one = ask("faithfulness", "plan.json", cwd=self.path)["plans"][0]
        found = {
            "p_full": one["p_full"], "deletion_curve": one["deletion"], "insertion_curve": one["insertion"],
            "deletion_auc": one["scores"]["deletion_auc"], "insertion_auc": one["scores"]["insertion_auc"], "eraser_k": one["k"],
            "comprehensiveness": one["comprehensiveness"], "comprehensiveness_aopc": one["scores"]["comprehensiveness_aopc"],
            "sufficiency": one["sufficiency"], "sufficiency_aopc": one["scores"]["sufficiency_aopc"], "occlusion": one["occlusion"],
            "spearman_with_occlusion": one["spearman_with_occlusion"],
        }
        for name, value in found.items():
            self.assertLess(np.max(np.abs(np.array(value) - np.array(expected[name]))), 1e-12, name)
        self.assertEqual(one["dump"], "toy.npz")

    def test_a_folder_is_tested_dump_by_dump_against_random_orders(self):
        rng = np.random.default_rng(3)
        for k in range(6):
            self.plan(np.array(self.vector["inputs"]["weights"]) + rng.normal(0, 0.05, 6), f"good{k}.json", "--seed", k)
        answer = ask("faithfulness", ".", cwd=self.path)
        (summary,) = answer["summary"]
        self.assertEqual((summary["plans"], len(answer["plans"])), (6, 6))
        for score in summary["scores"]:
            own = np.array([plan["scores"][score["name"]] for plan in answer["plans"]])
            random = np.array([np.mean([r["scores"][score["name"]] for r in plan["random"]]) for plan in answer["plans"]])
            self.assertAlmostEqual(score["own"]["mean"], own.mean())
            self.assertAlmostEqual(score["gain"]["mean"], (own - random).mean())
            self.assertTrue(score["gain"]["low"] <= score["gain"]["mean"] <= score["gain"]["high"])
            signs = np.array([[1 if bits >> i & 1 else -1 for i in range(6)] for bits in range(64)])
            means = abs((signs * (own - random)).mean(1))
            self.assertAlmostEqual(score["p_value"], np.mean(means >= abs((own - random).mean()) * (1 - 1e-12)))
            self.assertGreater(score["gain"]["mean"] if score["high_is_good"] else -score["gain"]["mean"], 0)
        self.assertIn("unusual inputs", answer["narration"]["en"][0])

    def test_special_tokens_stay_unless_told_otherwise(self):
        plan = ask("plan", "minilm_cat.npz", "--random", 2)
        self.assertEqual((plan["query"], sorted(plan["order"]), len(plan["random_orders"])), (0, list(range(1, 12)), 2))
        self.assertTrue(all(step["keep"][0] == 1 and step["keep"][12] == 1 for step in plan["steps"]))
        weights = explain("minilm_cat.npz", "--row", 0)[0]
        self.assertEqual(plan["order"], [int(k) for k in np.argsort(-weights, kind="stable") if 0 < k < 12])
        self.assertEqual(sorted(ask("plan", "minilm_cat.npz", "--keep", "none")["order"]), list(range(13)))
        self.assertEqual(sorted(ask("plan", "minilm_cat.npz", "--keep", "0,1,2")["order"]), list(range(3, 13)))

    def test_what_a_causal_row_cannot_see_is_never_removed(self):
        plan = ask("plan", "causal_full.pt", "--row", 6, "--keep", "none")
        self.assertEqual(sorted(plan["order"]), list(range(7)))


class Audit(unittest.TestCase):
    def test_the_sheet_names_the_bytes_and_repeats_the_numbers(self):
        for name in ("minilm_cat.npz", "causal_full.pt", "minilm_unicode.safetensors", "minilm_cat.json"):
            data = (DUMPS / name).read_bytes()
            sheet = ask("audit", name)
            self.assertEqual(sheet["dump"]["sha256"], hashlib.sha256(data).hexdigest())
            self.assertEqual(sheet["dump"]["bytes"], len(data))
            e = ask("explain", name, "--row", sheet["recipe"]["row"])
            self.assertEqual((sheet["recipe"], sheet["limits"], sheet["numbers"]["row"]), (e["recipe"], e["report"], e["matrix"][0]))
            row = np.array(e["matrix"][0])
            listed = sheet["numbers"]["key_tokens"]["tokens"]
            self.assertEqual([t["key"] for t in listed], [int(k) for k in np.argsort(-row, kind="stable")[:10]])
            self.assertAlmostEqual(listed[-1]["cumulative"], sum(t["share"] for t in listed))

    def test_no_sentence_says_why(self):
        for name, *words in (("minilm_cat.npz",), ("sentiment_negative.npz", "--row", "3"), ("vit_digit_a.npz", "--method", "flow"), ("broken_dropout.pt",),
                             ("enfr_i_love_you.npz", "--method", "joint"), ("minilm_grads.npz", "--method", "relevance"), ("broken_nan_leftpad.pt",)):
            spoken = ask("audit", name, *words)["narration"]
            self.assertEqual({len(spoken[language]) for language in ("en", "fr", "ja")}, {len(spoken["facts"])})
            for language, banned in (("en", r"\bbecause\b|\bcauses\b|\bdue to\b"), ("fr", r"\bcar\b|parce que|puisque"), ("ja", "なぜなら|だから|からです")):
                for line in spoken[language]:
                    line = re.sub("“[^”]*”|«[^»]*»|「[^」]*」", "", line)  # the text's own words may
                    self.assertNotRegex(line, banned)
                    self.assertNotIn("{", line)
            self.assertTrue(spoken["facts"][-1]["id"].startswith("caveat_"))


class Bias(unittest.TestCase):
    """Sentences in pairs: "the nurse said she left" with "she" or "he" in the fifth place."""

    def make(self, folder, count, words=("she", "he"), prefix="pair"):
        rng = np.random.default_rng(4)
        out = []
        for k in range(count):
            weights = []
            for side, word in zip("ab", words):
                tokens = ["[CLS]", "the", "nurse", "said", *word.split("+"), "left", "[SEP]"]
                n, m = len(tokens), word.count("+") + 1
                a = rng.dirichlet(np.ones(n), (2, 3, n))
                np.savez(Path(folder) / f"{prefix}{k}_{side}.npz", attentions=a, tokens=tokens)
                weights.append(rollouts(a)[-1][0, 4 : 4 + m].sum())
            out.append(weights)
        return np.array(out)

    def test_the_difference_is_that_of_numpy_with_an_interval_around_it(self):
        with tempfile.TemporaryDirectory() as folder:
            w = self.make(folder, 8)
            answer = ask("bias", "--pairs", folder)
            self.assertEqual(answer, ask("bias", "--pairs", folder))  # the same interval every time
            files = [f"pair{k}_{side}.npz" for k in range(8) for side in "ba"]  # names tell, whatever the order
            self.assertEqual(ask("bias", *files, cwd=folder), answer)
        for pair, (a, b) in zip(answer["pairs"], w):
            self.assertAlmostEqual(pair["weight_a"], a)
            self.assertAlmostEqual(pair["weight_b"], b)
            self.assertEqual((pair["word_a"], pair["word_b"], pair["row_a"]), ("she", "he", 0))
        d = w[:, 0] - w[:, 1]
        found = answer["difference"]
        self.assertAlmostEqual(found["mean"], d.mean())
        rng = np.random.default_rng(5)
        low, high = np.percentile(rng.choice(d, (20000, 8)).mean(1), [2.5, 97.5])
        self.assertAlmostEqual(found["low"], low, delta=0.1 * (high - low))
        self.assertAlmostEqual(found["high"], high, delta=0.1 * (high - low))
        signs = np.array([[1 if bits >> i & 1 else -1 for i in range(8)] for bits in range(256)])
        self.assertAlmostEqual(found["p_value"], np.mean(abs((signs * d).mean(1)) >= abs(d.mean()) * (1 - 1e-12)))
        self.assertEqual([(g["word"], g["count"]) for g in answer["groups"]], [("she", 8), ("he", 8)])
        self.assertAlmostEqual(answer["groups"][1]["mean"], w[:, 1].mean())
        self.assertIn("The pair is the unit", answer["narration"]["en"][0])

    def test_a_word_of_two_pieces_counts_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            w = self.make(folder, 2, ("she", "ze+##ro"))
            answer = ask("bias", "pair0_a.npz", "pair0_b.npz", "pair1_a.npz", "pair1_b.npz", "--row", "0", cwd=folder)
            self.assertAlmostEqual(answer["pairs"][1]["weight_b"], w[1, 1])
            self.assertEqual(answer["pairs"][0]["word_b"], "zero")
            last = ask("bias", "--pairs", ".", "--row", 6, cwd=folder)["pairs"][0]  # [SEP] stands one place later there
            self.assertEqual((last["query_a"], last["row_b"], last["query_b"]), ("[SEP]", 7, "[SEP]"))

    def test_another_token_can_be_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            self.make(folder, 1)
            answer = ask("bias", "--pairs", folder, "--token", "nurse")
            self.assertAlmostEqual(answer["pairs"][0]["weight_a"], ask("explain", "pair0_a.npz", "--row", 0, cwd=folder)["matrix"][0][2])
            self.assertEqual((answer["difference"]["low"], answer["difference"]["count"]), (None, 1))
            self.assertIn("one pair gives no interval", answer["narration"]["en"][1])

    def test_what_is_no_pair_is_refused(self):
        def fails(folder, *words):
            done = subprocess.run([str(PROGRAM), "bias", *words], cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            return done.stderr

        with tempfile.TemporaryDirectory() as folder:
            self.make(folder, 1)
            self.assertIn("has no fellow", fails(folder, "pair0_a.npz"))
            self.assertIn("do not differ", fails(DUMPS, "minilm_cat.npz", "minilm_cat.dict.pt"))
            self.assertIn("two files each", fails(DUMPS, "minilm_cat.npz"))
            self.assertIn("Which pairs", fails(folder))
            self.assertIn("no token", fails(folder, "--pairs", ".", "--token", "doctor"))
            self.assertIn("out of range", fails(folder, "--pairs", ".", "--row", "7"))


if __name__ == "__main__":
    unittest.main()
