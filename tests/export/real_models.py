"""Real models of transformers, tiny and random, saved by web/export/rollscope_dump.py and opened by the command line.

The oracle of generate() is a single pass over the finished text: its attention is what the steps must add up to.
Ends with "N passed, N failed"; tests/export/run starts it.
"""
import importlib
import os
import sys
import unittest
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is fetched
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checks"))
import export_check  # noqa: E402
from export_check import Case, ask, np, rollout, save  # noqa: E402


def missing():
    for name in ("torch", "transformers"):
        try:
            importlib.import_module(name)
        except ImportError as error:
            return "%s: %s" % (name, error)
    return None


MISSING = missing()
if not MISSING:
    import torch
    import transformers as hf

SMALL = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 32, "attn_implementation": "eager"}
GENERATE = {"return_dict_in_generate": True, "output_attentions": True, "output_scores": True, "max_new_tokens": 6, "min_new_tokens": 6, "pad_token_id": 0}


class Words:
    """A tokenizer of forty words."""
    pad_token_id, eos_token_id = 0, 1
    def convert_ids_to_tokens(self, ids): return ["w%d" % i for i in ids]


def model(kind, config, **more):
    torch.manual_seed(3)
    made = getattr(hf, kind)(getattr(hf, config)(**{**SMALL, "bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0, **more}))
    with torch.no_grad():
        for p in made.parameters():  # as initialised, all rows are nearly uniform, and a mistake would hardly show
            if p.dim() > 1:
                p.mul_(8)
    return made.eval()


def ids(*shape):
    return torch.randint(3, 40, shape, generator=torch.Generator().manual_seed(5))


def stack(layers, item=0):
    return np.stack([layer[item].detach().float().numpy() for layer in layers])


@unittest.skipIf(MISSING, str(MISSING))
class Real(Case):
    def opens(self, file, a, at_most=1e-5, options=()):
        """`a` [L][H][N][N] is in the file, and the command line explains it without anything to report."""
        self.explains(file, rollout(a), at_most, options)
        file = Path(file)
        return self.read(file) if file.suffix == ".npz" else None

    def test_bert_with_padding_gradients_and_bfloat16(self):
        bert = model("BertModel", "BertConfig")
        x = hf.BatchEncoding({"input_ids": ids(2, 7), "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2])})
        out = bert(**x, output_attentions=True)
        grads = torch.autograd.grad(out.last_hidden_state[1, 0].sum(), out.attentions)
        a = stack(out.attentions, 1)[..., :5, :5]
        for name in ("dump.npz", "dump.safetensors"):
            self.opens(self.save(out, x, tokenizer=Words(), item=1, grads={"first": grads}, name=name, model=bert), a)
        arrays, meta = self.read(self.folder / "dump.npz")
        np.testing.assert_array_equal(arrays["attention_grads/first"], stack(grads, 1)[..., :5, :5])
        self.assertEqual((len(meta["tokens"]), meta["model"]), (5, "BertModel"))
        half = model("BertModel", "BertConfig").bfloat16()(**x, output_attentions=True)
        self.opens(self.save(half, x, tokenizer=Words(), name="half.npz"), stack(half.attentions), 1e-4)

    def test_sdpa_and_output_attentions_forgotten(self):
        bert = model("BertModel", "BertConfig", attn_implementation="sdpa")
        self.refuses('attn_implementation="eager"', bert(ids(1, 5)), ["a"] * 5)

    def whole_pass(self, decoder, sequence, **options):
        with torch.no_grad():
            return stack(decoder(sequence[None, :-1], output_attentions=True, **options).attentions)

    def decoder(self, made, steps=6, tokens=5, at_most=2e-5):
        x = ids(1, tokens)
        for options in ({}, {"use_cache": False}, *([{"cache_implementation": "static"}] if hasattr(hf, "StaticCache") else [])):
            with self.subTest(**options):
                g = made.generate(x, attention_mask=torch.ones_like(x), do_sample=False, **GENERATE, **options)
                a = self.whole_pass(made, g.sequences[0])
                arrays, meta = self.opens(self.save(g, tokenizer=Words()), a, at_most)
                np.testing.assert_allclose(arrays["attentions"], a, atol=at_most)
                self.assertEqual((meta["prompt_len"], len(meta["tokens"])), (tokens, tokens + steps - 1))
                self.assertEqual(meta["output_tokens"], Words().convert_ids_to_tokens(g.sequences[0, 1:].tolist()))

    def test_gpt2_generates(self):
        self.decoder(model("GPT2LMHeadModel", "GPT2Config", n_positions=64))

    def test_llama_generates(self):
        self.decoder(model("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=2))

    @unittest.skipUnless(MISSING or hasattr(hf, "MistralForCausalLM"), "this transformers has no Mistral")
    def test_mistral_generates_through_a_sliding_window(self):
        made = model("MistralForCausalLM", "MistralConfig", num_key_value_heads=2, sliding_window=4)
        x = ids(1, 5)
        g = made.generate(x, attention_mask=torch.ones_like(x), do_sample=False, **GENERATE)
        a = self.whole_pass(made, g.sequences[0])
        self.assertEqual(a[:, :, 9, :6].max(), 0)  # the window is at work
        arrays, _ = self.opens(self.save(g, tokenizer=Words()), a, 2e-5)
        np.testing.assert_allclose(arrays["attentions"], a, atol=2e-5)

    def test_gpt2_with_beams_and_a_batch_padded_on_the_left(self):
        made = model("GPT2LMHeadModel", "GPT2Config", n_positions=64)
        x = ids(2, 5)
        x[1, :2] = 0
        mask = torch.ones_like(x)
        mask[1, :2] = 0
        options = {**GENERATE, "num_beams": 3, "num_return_sequences": 2, "do_sample": False}
        g = made.generate(x, attention_mask=mask, **options)
        self.assertGreater(len({tuple(row.tolist()) for row in g.beam_indices}), 1)
        for item in range(4):
            with self.subTest(item=item):
                left = 2 * (item // 2)
                arrays, meta = self.read(self.save(g, tokenizer=Words(), item=item, attention_mask=mask))
                a = self.whole_pass(made, g.sequences[item][left:])
                np.testing.assert_allclose(arrays["attentions"], a, atol=2e-5)
                self.assertEqual(meta["prompt_len"], 5 - left)

    def test_t5_once_and_generating(self):
        made = model("T5ForConditionalGeneration", "T5Config", d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4, decoder_start_token_id=0)
        x = hf.BatchEncoding({"input_ids": ids(1, 6), "attention_mask": torch.ones(1, 6, dtype=torch.long)})
        for options in ({}, {"num_beams": 3}, {"use_cache": False}):
            with self.subTest(**options):
                g = made.generate(**x, do_sample=False, **GENERATE, **options)
                with torch.no_grad():
                    whole = made(**x, decoder_input_ids=g.sequences[:, :-1], output_attentions=True)
                file = self.save(g, tokenizer=Words(), source_tokens=x)
                arrays, meta = self.read(file)
                once, _ = self.read(self.save(whole, g.sequences[:, :-1], tokenizer=Words(), source_tokens=x, name="once.npz"))
                for name in ("encoder_attentions", "decoder_attentions", "cross_attentions"):
                    np.testing.assert_allclose(arrays[name], stack(whole[name]), atol=2e-5)
                    np.testing.assert_array_equal(once[name], stack(whole[name]))
                self.assertEqual((len(meta["source_tokens"]), len(meta["tokens"])), (6, 6))
                self.explains(file, rollout(stack(whole.encoder_attentions)), options=("--stream", "encoder"))
                self.explains(file, rollout(stack(whole.decoder_attentions)), 2e-5, options=("--stream", "decoder"))

    def test_vit_with_its_picture(self):
        vit = model("ViTForImageClassification", "ViTConfig", image_size=12, patch_size=4, num_channels=1, num_labels=3)
        picture = torch.rand(1, 1, 12, 12)
        out = vit(picture * 2 - 1, output_attentions=True)
        grads = {str(c): torch.autograd.grad(out.logits[0, c], out.attentions, retain_graph=True) for c in range(3)}
        file = self.save(out, grid=(3, 3), prefix_tokens=1, image=picture, grads=grads, target="logit of 1")
        arrays, meta = self.opens(file, stack(out.attentions))
        self.assertEqual((arrays["image"].shape, meta["grid"], len(grads)), ((12, 12), [3, 3], 3))
        np.testing.assert_array_equal(arrays["attention_grads/2"], stack(grads["2"]))

    def test_dlpack_alone(self):
        class Bare:
            def __init__(self, t): self.t = t
            def __dlpack__(self, **how): return self.t.__dlpack__()
            def __dlpack_device__(self): return self.t.__dlpack_device__()
        a = torch.rand(2, 3, 4, 4).softmax(-1)
        arrays, _ = self.opens(self.save(Bare(a), list("abcd")), a.numpy())
        np.testing.assert_array_equal(arrays["attentions"], a.numpy())


def main():
    names = unittest.defaultTestLoader.loadTestsFromModule(export_check)
    names.addTests(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    result = unittest.TextTestRunner(verbosity=1).run(names)
    bad = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    if MISSING:
        print("The real libraries were not tried, for want of %s. PYTHON=... names an interpreter that has them." % MISSING)
    else:
        print("torch %s, transformers %s" % (torch.__version__, hf.__version__))
    print("%d passed, %d failed" % (max(0, result.testsRun - skipped - bad), bad) + (", %d skipped" % skipped if skipped else ""))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
