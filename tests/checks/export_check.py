"""web/export/rollscope_dump.py: what a notebook holds becomes a dump that the command line opens and explains.

The objects are fakes of the classes that torch, jax and transformers return, and objects recorded from transformers
(tests/dumps/*.pt). tests/export/run does the same with the real libraries.
"""
import json
import pickle
import subprocess
import sys
import tempfile
import tracemalloc
import unittest
import warnings
import zipfile
from collections import OrderedDict, UserDict
from pathlib import Path

import numpy as np

TOP = Path(__file__).resolve().parents[2]
PROGRAM = TOP / "build/native/rollscope"
DUMPS = TOP / "tests/dumps"
sys.path.insert(0, str(TOP / "web/export"))
sys.dont_write_bytecode = True
from rollscope_dump import save  # noqa: E402

random = np.random.default_rng(7)


# ---- fakes

class Tensor:
    """torch.Tensor as far as an exporter meets it: numpy refuses it on a GPU, with a gradient, and in bfloat16."""

    def __init__(self, a, dtype=None, device="cpu", grad=False):
        self.a, self.device, self.requires_grad = np.asarray(a), device, grad
        self.dtype = "torch." + (dtype or self.a.dtype.name)

    shape = property(lambda self: self.a.shape)
    def _with(self, a=None, **changed):
        now = {"dtype": self.dtype[6:], "device": self.device, "grad": self.requires_grad, **changed}
        return Tensor(self.a if a is None else a, **now)
    def detach(self): return self._with(grad=False)
    def cpu(self): return self._with(device="cpu")
    def float(self): return self._with(self.a.astype(np.float32), dtype="float32")
    def __getitem__(self, at): return self._with(self.a[at])
    def __len__(self): return len(self.a)
    def __array__(self, dtype=None, copy=None):
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad")
        if self.dtype in ("torch.bfloat16", "torch.float8_e4m3fn"):
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.a if dtype is None else self.a.astype(dtype)


class OnlyDLPack:
    """A jax or mlx array of old: no __array__, no index."""
    def __init__(self, a): self.a = np.array(a)
    def __dlpack__(self, **how): return self.a.__dlpack__(**how)
    def __dlpack_device__(self): return self.a.__dlpack_device__()


class OnlyArray:
    """Offers __array__ and nothing else, not even a shape."""
    def __init__(self, a): self.a = a
    def __array__(self, dtype=None, copy=None): return self.a if dtype is None else self.a.astype(dtype)


class ModelOutput(OrderedDict):
    """transformers' output classes: a dictionary without its None entries, and attributes with them."""
    def __init__(self, **fields):
        super().__init__((k, v) for k, v in fields.items() if v is not None)
        self.__dict__.update(fields)


class Tokenizer:
    pad_token_id, eos_token_id = 0, 1

    def __init__(self, words=None): self.words = words
    def convert_ids_to_tokens(self, ids): return [self.words[i] if self.words else "t%d" % i for i in ids]


class Encoding(UserDict):
    """BatchEncoding of a tokenizer written in Rust."""
    def __init__(self, ids, mask):
        super().__init__(input_ids=Tensor(ids), attention_mask=Tensor(mask), token_type_ids=Tensor(np.zeros_like(ids)))
    def __getattr__(self, name):
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(name) from None
    def tokens(self, i=0): return ["e%d" % n for n in self.data["input_ids"].a[i]]
    def word_ids(self, i=0): return [None] + list(range(self.data["input_ids"].shape[1] - 1))


def weights(*shape, causal=False):
    a = random.random(shape, np.float32) ** 3 + 1e-3
    if causal:
        a *= np.tri(*shape[-2:], k=shape[-1] - shape[-2], dtype=np.float32)
    return a / a.sum(-1, keepdims=True)


def masked(a, item, keep):
    """[L][B][H][N][N] where one item of the batch is padded on the right."""
    a[:, item, ..., keep:] = 0
    return a / a.sum(-1, keepdims=True)


def generated(full, prompt, batch=1, cache_length=0, window=0, cached=True):
    """The tuple of steps of generate() that belongs to `full` [L][B][H][T][T]: each step's newest rows."""
    steps, total = [], full.shape[-1]
    for end in range(prompt, total + 1):
        begin = 0 if end == prompt or not cached else end - 1
        first = max(0, end - window) if window and end > prompt else 0
        step = full[:, :, :, begin:end, first:end]
        if cache_length:
            step = np.pad(step, [(0, 0)] * 4 + [(0, cache_length - step.shape[-1])])
        steps.append(tuple(Tensor(a) for a in step))
    return tuple(steps)


# ---- objects recorded by torch.save: a reader of pickles that resolves no name to foreign code

def recorded(name):
    with zipfile.ZipFile(DUMPS / name) as archive:
        top = next(n for n in archive.namelist() if n.endswith("data.pkl"))[:-len("data.pkl")]
        kinds = {"FloatStorage": "<f4", "LongStorage": "<i8", "ByteStorage": "u1", "BoolStorage": "?"}

        class Other:
            def __init__(self, *args): pass
            def __setstate__(self, state): pass

        class Output(ModelOutput):
            def __init__(self, *args): super().__init__()
            def __setstate__(self, state): self.__dict__.update(state)

        def tensor(storage, offset, size, stride, *rest):
            a = np.lib.stride_tricks.as_strided(storage[offset:], size, [n * storage.itemsize for n in stride])
            return Tensor(a, grad=bool(rest[0]))

        class Reader(pickle.Unpickler):
            def persistent_load(self, pid): return np.frombuffer(archive.read(top + "data/" + pid[2]), kinds[pid[1]])
            def find_class(self, module, name):
                if name in kinds: return name
                if name == "_rebuild_tensor_v2": return tensor
                if (module, name) == ("collections", "OrderedDict"): return OrderedDict
                return Output if name.endswith(("Output", "Attentions")) and module.startswith("transformers") else Other

        with archive.open(top + "data.pkl") as file:
            return Reader(file).load()


# ---- what the dump should explain

def rollout(a, residual=0.5):
    """[L][H][N][N] or [L][N][N] -> [N][N], by ruling 1 of the contracts."""
    a = np.asarray(a, np.float64)
    if a.ndim == 4:
        a = (a / a.sum(-1, keepdims=True)).mean(1)
    out = np.eye(a.shape[-1])
    for layer in a:
        out = (residual * np.eye(len(out)) + (1 - residual) * layer / layer.sum(-1, keepdims=True)) @ out
    return out


def ask(*words):
    done = subprocess.run([PROGRAM, *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        quiet = warnings.catch_warnings()
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        warnings.simplefilter("error")  # no test may warn unasked

    def save(self, outputs, *args, name="dump.npz", **options):
        return save(self.folder / name, outputs, *args, **options)

    def read(self, file):
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return arrays, json.loads(str(arrays.pop("meta")))

    def explains(self, file, expected, at_most=1e-5, options=(), report=()):
        """The command line computes `expected` and finds nothing to report but `report`."""
        info = ask("info", file)
        self.assertEqual(sorted(item["code"] for item in info["report"]), sorted(report), info["report"])
        answer = ask("explain", file, *options)
        np.testing.assert_allclose(np.array(answer["matrix"]), expected, rtol=0, atol=at_most)
        return info, answer

    def refuses(self, words, outputs, *args, **options):
        before = sorted(self.folder.iterdir())
        with self.assertRaises(ValueError) as caught:
            self.save(outputs, *args, **options)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, str(caught.exception))
        self.assertEqual(sorted(self.folder.iterdir()), before, "a save that fails leaves no file")


class Numbers(Case):
    def test_every_kind_of_array_is_the_same_dump(self):
        a = weights(3, 1, 2, 5, 5)
        layers = [x for x in a]
        made = {
            "tensors": tuple(map(Tensor, layers)), "on a GPU": [Tensor(x, device="cuda:0", grad=True) for x in layers],
            "numpy": tuple(layers), "DLPack": tuple(map(OnlyDLPack, layers)), "__array__": tuple(map(OnlyArray, layers)),
            "f64": tuple(x.astype(np.float64) for x in layers), "stacked, with a batch": a, "stacked": a[:, 0],
            "stacked DLPack": OnlyDLPack(a[:, 0]), "without a batch": tuple(a[:, 0]), "lists": a[:, 0].tolist(), "output": ModelOutput(attentions=tuple(layers)),
            "dictionary": {"attentions": a}, "by layer": {2: layers[2], 0: layers[0], 1: layers[1]},
            "by name": {"blocks.%d.attn.hook_pattern" % i: x for i, x in enumerate(layers)},
            "big-endian": a.astype(">f4"), "strided": [np.swapaxes(np.ascontiguousarray(np.swapaxes(x, -1, -2)), -1, -2) for x in layers],
        }
        for name, outputs in made.items():
            with self.subTest(name):
                arrays, meta = self.read(self.save(outputs, list("abcde")))
                np.testing.assert_allclose(arrays["attentions"], a[:, 0], rtol=1e-6)
                self.assertEqual((arrays["attentions"].dtype, meta["axes"], meta["tokens"]), (np.float32, "lhqk", list("abcde")))
        self.explains(self.folder / "dump.npz", rollout(a[:, 0]))

    def test_bfloat16_and_8_bit_floats_become_numbers_that_numpy_has(self):
        a = weights(2, 1, 2, 4, 4)
        a = (a.view(np.uint32) & 0xFFFF0000).view(np.float32)  # as bfloat16 has them: rows are off 1 by 0.003
        for dtype in ("bfloat16", "float8_e4m3fn"):
            layers = [Tensor(x, dtype=dtype) for x in a]
            file = self.save(layers, list("abcd"))
            self.assertEqual(self.read(file)[0]["attentions"].dtype, np.float16)  # judged as what it is, so nothing to report
            self.explains(file, rollout(a[:, 0]), 1e-5)
            arrays, _ = self.read(self.save(layers, list("abcd"), dtype="float32"))
            np.testing.assert_array_equal(arrays["attentions"], a[:, 0])

    def test_heads_that_are_fused_stay_fused(self):
        a = weights(3, 5, 5)
        for outputs in (a, tuple(a), tuple(a[:, None])):
            file = self.save(outputs, list("abcde"))
            self.assertEqual(self.read(file)[0]["attentions"].shape, (3, 5, 5))
            info, _ = self.explains(file, rollout(a))
            self.assertEqual((info["streams"][0]["layers"], info["streams"][0]["heads"]), (3, 0))

    def test_axes_say_what_the_shape_does_not(self):
        a = weights(2, 3, 4, 4)  # two layers of a batch of three, heads averaged, as nn.MultiheadAttention has them
        arrays, _ = self.read(self.save(tuple(a), list("abcd"), axes="bqk", item=2))
        np.testing.assert_array_equal(arrays["attentions"], a[:, 2])
        arrays, _ = self.read(self.save(np.moveaxis(a, 0, -1), list("abcd"), axes="hqkl"))
        np.testing.assert_array_equal(arrays["attentions"], a)
        self.refuses("letters of l b h q k", a, axes="lxqk")

    def test_float16_halves_the_file_and_keeps_gradients_whole(self):
        a = weights(2, 2, 6, 6)
        grads = tuple(np.full((1, 2, 6, 6), 1e-12, np.float32) for _ in range(2))
        file = self.save(tuple(a[:, None]), list("abcdef"), dtype="float16", grads=grads)
        arrays, _ = self.read(file)
        self.assertEqual((arrays["attentions"].dtype, arrays["attention_grads"].dtype), (np.float16, np.float32))
        self.assertTrue((arrays["attention_grads"] == np.float32(1e-12)).all())
        self.explains(file, rollout(a), 2e-3)

    def test_both_containers_hold_the_same_and_numbers_are_stored(self):
        a, image = weights(2, 2, 5, 5), np.arange(16, dtype=np.uint8).reshape(4, 4)
        options = {"grid": (2, 2), "image": image, "attributions": {"occlusion": np.arange(5.0)}, "note": "naïve ✓", "dtype": "float16"}
        npz, st = self.save(a, **options), self.save(a, name="dump.SAFETENSORS", **options)
        with zipfile.ZipFile(npz) as archive:
            self.assertEqual({m.compress_type for m in archive.infolist()}, {zipfile.ZIP_STORED})
        one, two = ask("info", npz), ask("info", st)
        self.assertEqual((one["format"], two["format"]), ("npz", "safetensors"))
        for key in ("streams", "tokens", "report"):
            self.assertEqual(one[key], two[key])
        self.assertEqual(sorted(one["companions"]), sorted(two["companions"]))
        self.assertEqual(ask("explain", npz)["matrix"], ask("explain", st)["matrix"])
        self.refuses([".npz", ".safetensors"], a, name="dump.pt")

    def test_a_layer_is_copied_at_a_time(self):
        class Layer:  # on another device: its numbers are here only while they are copied
            def __init__(self, *shape): self.shape = shape
            def __getitem__(self, item): return Layer(*self.shape[1:])
            def __array__(self, dtype=None, copy=None): return np.full(self.shape, 1 / 400, np.float32)

        one = 4 * 400 * 400 * 4
        for name in ("dump.npz", "dump.safetensors"):
            tracemalloc.start()
            try:
                file = self.save((Layer(8, 4, 400, 400),) * 24, item=3, name=name)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            self.assertGreater(Path(file).stat().st_size, 24 * one)
            self.assertLess(peak, 4 * one)


class Streams(Case):
    def output(self):
        return ModelOutput(logits=None, encoder_attentions=tuple(map(Tensor, weights(2, 1, 2, 4, 4))),
                           decoder_attentions=tuple(map(Tensor, weights(2, 1, 2, 3, 3, causal=True))),
                           cross_attentions=tuple(map(Tensor, weights(2, 1, 2, 3, 4))))

    def test_an_encoder_decoder_keeps_its_three_streams_and_both_texts(self):
        out = self.output()
        file = self.save(out, ["<s>", "je", "aime"], source_tokens=["I", "love", "you", "</s>"], output_tokens=["je", "aime", "</s>"],
                         grads={"cross": out.cross_attentions}, value_norms={"decoder": np.ones((2, 2, 3))})
        arrays, _ = self.read(file)
        self.assertEqual(set(arrays), {"encoder_attentions", "decoder_attentions", "cross_attentions", "cross_attention_grads", "decoder_value_norms"})
        self.explains(file, rollout([a.a[0] for a in out.encoder_attentions]), options=("--stream", "encoder"))
        self.explains(file, rollout([a.a[0] for a in out.decoder_attentions]), options=("--stream", "decoder"))
        answer = ask("explain", file, "--stream", "cross", "--method", "raw", "--layers", "1:2")
        np.testing.assert_allclose(answer["matrix"], out.cross_attentions[1].a[0].mean(0), atol=1e-6)
        self.assertEqual(answer["keys"], ["I", "love", "you", "</s>"])

    def test_an_encoder_says_that_it_has_no_cross_attention_with_an_empty_tuple(self):
        out = ModelOutput(attentions=tuple(weights(2, 1, 2, 3, 3)), cross_attentions=())
        self.assertEqual(set(self.read(self.save(out, list("abc")))[0]), {"attentions"})

    def test_layers_without_weights_keep_the_numbers_of_the_others(self):
        a = weights(2, 1, 2, 3, 3)
        file = self.save((None, a[0], None, a[1]), list("abc"), grads=(None, a[0], None, None), value_norms=np.arange(24.0).reshape(4, 2, 3))
        arrays, meta = self.read(file)
        self.assertEqual(meta["layers"], [1, 3])
        np.testing.assert_array_equal(arrays["attention_grads"], [a[0, 0], np.zeros_like(a[0, 0])])  # no gradient is a gradient of zero
        self.assertEqual(arrays["value_norms"][:, 0, 0].tolist(), [6, 18])
        info, _ = self.explains(file, rollout(a[:, 0]), report=["layers_missing"])
        self.assertEqual(info["streams"][0]["layer_numbers"], [1, 3])

    def test_two_streams_that_lack_different_layers_keep_their_numbers_too(self):
        e, d = weights(2, 1, 2, 3, 3), weights(3, 1, 2, 3, 3, causal=True)
        out = ModelOutput(encoder_attentions=(None, e[0], e[1]), decoder_attentions=tuple(d), cross_attentions=tuple(weights(3, 1, 2, 3, 3)))
        for name in ("dump.npz", "dump.safetensors"):
            file = self.save(out, list("abc"), source_tokens=list("xyz"), name=name)
            info, _ = self.explains(file, rollout(e[:, 0]), options=("--stream", "encoder"), report=["layers_missing"])
            self.assertEqual([s["layer_numbers"] for s in info["streams"]], [[1, 2], [0, 1, 2], [0, 1, 2]])

    def test_a_stream_of_none_is_left_out_with_a_word(self):
        out = ModelOutput(decoder_attentions=tuple(weights(2, 1, 2, 3, 3, causal=True)), cross_attentions=(None, None))
        with self.assertWarnsRegex(UserWarning, "cross_attentions holds None"):
            self.save(out, list("abc"))


class Generated(Case):
    def setUp(self):
        super().setUp()
        self.full = weights(2, 1, 3, 7, 7, causal=True)  # L B H T T; the eighth token is never a query
        self.words = ["w%d" % i for i in range(8)]

    def check(self, output, tokens=None, **options):
        file = self.save(output, tokens, **options)
        arrays, meta = self.read(file)
        np.testing.assert_array_equal(arrays["attentions"], self.full[:, 0])
        self.assertEqual((meta["prompt_len"], meta["causal"]), (4, True))
        info, answer = self.explains(file, rollout(self.full[:, 0]))
        self.assertTrue(info["streams"][0]["causal"])
        self.assertEqual(answer["queries"], self.words[:7])
        self.assertEqual(meta["output_tokens"], self.words[1:])
        return meta

    def output(self, **how):
        return ModelOutput(sequences=Tensor(np.arange(8)[None]), attentions=generated(self.full, 4, **how))

    def test_steps_become_one_lower_triangle(self):
        self.check(self.output(), self.words)
        self.check(self.output(), tokenizer=Tokenizer(self.words))

    def test_the_bare_tuple_of_steps_will_do(self):
        self.check(generated(self.full, 4), self.words)

    def test_a_static_cache_is_empty_behind(self):
        self.check(self.output(cache_length=16), self.words)

    def test_without_a_cache_each_step_holds_all_rows(self):
        self.check(self.output(cached=False), self.words)

    def test_a_sliding_window_keeps_its_place(self):
        for l in range(2):
            for i in range(7):
                self.full[l, :, :, i, :max(0, i - 3)] = 0
        self.full /= self.full.sum(-1, keepdims=True)
        self.check(self.output(window=4), self.words)

    def test_without_a_tokenizer_the_ids_stay(self):
        _, meta = self.read(self.save(self.output()))
        self.assertEqual((meta["token_ids"], "tokens" in meta), (list(range(7)), False))

    def test_beams_are_followed_through_their_rows(self):
        paths = [[0, 2, 1, 1], [0, 1, 1, 2]]  # of each returned sequence, its row in each of four steps
        second = self.full[:, 0].copy()  # the same prompt, the same third step
        second[:, :, [4, 6]] = weights(2, 3, 7, 7, causal=True)[:, :, [4, 6]]
        steps = [tuple(np.array(layer.a) for layer in step) for step in generated(weights(2, 3, 3, 7, 7, causal=True), 4)]
        for a, path in ((self.full[:, 0], paths[0]), (second, paths[1])):
            for s, row in enumerate(path):
                begin, end = (0, 4) if s == 0 else (3 + s, 4 + s)
                for l in range(2):
                    steps[s][l][row] = a[l][:, begin:end, :end]
        out = ModelOutput(sequences=Tensor(np.stack([np.arange(8), np.arange(8) + 8])), beam_indices=Tensor(paths), attentions=tuple(steps))
        self.check(out, tokenizer=Tokenizer(self.words))
        arrays, _ = self.read(self.save(out, item=1))
        np.testing.assert_array_equal(arrays["attentions"], second)
        self.refuses("item=2: generate() returned 2", out, item=2)
        self.refuses("beam_indices", ModelOutput(sequences=out.sequences, attentions=out.attentions), self.words)

    def test_a_beam_that_ended_early_ends_early(self):
        paths = np.array([[0, 2, -1, -1]])
        steps = generated(np.repeat(self.full, 3, 1), 4)
        out = ModelOutput(sequences=Tensor([[5, 6, 7, 8, 9, 1, 0, 0]]), beam_indices=Tensor(paths), attentions=steps)
        arrays, meta = self.read(self.save(out, tokenizer=Tokenizer()))
        np.testing.assert_array_equal(arrays["attentions"], self.full[:, 0, :, :5, :5])
        self.assertEqual((meta["tokens"], meta["output_tokens"][-1]), (["t5", "t6", "t7", "t8", "t9"], "t1"))

    def test_a_shorter_answer_of_a_batch_ends_where_it_ends(self):
        out = ModelOutput(sequences=Tensor([[5, 6, 7, 8, 9, 1, 0, 0], [5, 6, 7, 8, 0, 0, 0, 0]]), attentions=generated(np.repeat(self.full, 2, 1), 4))
        self.assertEqual(len(self.read(self.save(out, tokenizer=Tokenizer(), item=1))[1]["tokens"]), 4)
        arrays, meta = self.read(self.save(out, tokenizer=Tokenizer()))
        np.testing.assert_array_equal(arrays["attentions"], self.full[:, 0, :, :5, :5])
        self.assertEqual(meta["output_tokens"], ["t6", "t7", "t8", "t9", "t1"])

    def test_a_prompt_padded_on_the_left_loses_its_padding(self):
        self.full[..., :2] = 0
        self.full[..., 2:, :] /= self.full[..., 2:, :].sum(-1, keepdims=True)
        self.full[..., :2, :] = np.nan
        out = self.output()
        arrays, meta = self.read(self.save(out, self.words, attention_mask=[[0, 0, 1, 1]]))
        np.testing.assert_array_equal(arrays["attentions"], self.full[:, 0, :, 2:, 2:])
        self.assertEqual((meta["tokens"], meta["prompt_len"], meta["output_tokens"][-1]), (self.words[2:7], 2, "w7"))

        x = Encoding(np.arange(4)[None], np.array([[0, 0, 1, 1]]))  # the prompt as the tokenizer returned it: its mask is used
        again, said = self.read(self.save(out, x, tokenizer=Tokenizer(self.words)))
        np.testing.assert_array_equal(again["attentions"], arrays["attentions"])
        self.assertEqual(said["tokens"], meta["tokens"])

    def test_an_encoder_decoder_generates_three_streams(self):
        enc, cross = weights(2, 2, 3, 5, 5), weights(2, 2, 3, 4, 5)
        dec = weights(2, 2, 3, 4, 4, causal=True)
        out = ModelOutput(sequences=Tensor([[0, 1, 2, 3, 4], [0, 5, 6, 7, 8]]), encoder_attentions=tuple(enc), decoder_attentions=generated(dec, 1),
                          cross_attentions=tuple(tuple(cross[l][:, :, s:s + 1] for l in range(2)) for s in range(4)))
        file = self.save(out, tokenizer=Tokenizer(list("sabcdefghi")), item=1, source_tokens=Encoding(np.arange(10).reshape(2, 5), np.ones((2, 5))))
        arrays, meta = self.read(file)
        for name, a in (("encoder", enc), ("decoder", dec), ("cross", cross)):
            np.testing.assert_array_equal(arrays[name + "_attentions"], a[:, 1])
        self.assertEqual((meta["tokens"], meta["output_tokens"]), (list("sefg"), list("efgh")))
        self.assertEqual(meta["source_tokens"], list("efghi"))
        self.assertEqual([s["name"] for s in ask("info", file)["streams"]], ["encoder", "decoder", "cross"])

    def test_a_prompt_that_was_partly_cached_is_refused(self):
        steps = generated(self.full, 4)
        late = tuple(tuple(Tensor(x.a[:, :, -2:]) for x in step) for step in steps)
        self.refuses("without past_key_values", ModelOutput(attentions=late))


class Tokens(Case):
    def test_what_a_tokenizer_returns_is_enough(self):
        a = masked(weights(2, 2, 3, 5, 5), item=0, keep=3)
        x = Encoding(np.arange(10).reshape(2, 5), np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]))
        for options, first in (({}, "e"), ({"tokenizer": Tokenizer()}, "t")):
            file = self.save(ModelOutput(attentions=tuple(map(Tensor, a))), x, **options)
            arrays, meta = self.read(file)
            self.assertEqual((meta["tokens"], meta["token_ids"]), ([first + "0", first + "1", first + "2"], [0, 1, 2]))
            self.assertEqual((meta["word_ids"], arrays["token_type_ids"].tolist()), ([None, 0, 1], [0, 0, 0]))
            cropped = a[:, 0, :, :3, :3]
            np.testing.assert_array_equal(arrays["attentions"], cropped)
        self.assertEqual(len(self.read(self.save(ModelOutput(attentions=tuple(a)), x, item=1))[1]["tokens"]), 5)

    def test_ids_need_a_tokenizer_and_counts_must_agree(self):
        a = weights(1, 2, 4, 4)
        self.refuses("pass tokenizer=", a, [1, 2, 3, 4])
        self.refuses(["3 tokens for 4 positions", "special tokens count"], a, list("abc"))
        self.refuses("one text per position", a, "abcd")
        self.refuses("no position", a, list("abcd"), attention_mask=[0, 0, 0, 0])
        self.refuses("one number for each position", a, list("abcd"), attention_mask=np.ones((1, 1, 4, 4)))
        self.refuses("attention_mask has 3 entries for 4 positions", a, list("abcd"), attention_mask=[1, 1, 1])
        self.refuses("item=2: a batch of 2 has items 0 to 1", tuple(weights(1, 2, 2, 4, 4)), list("abcd"), item=2)
        self.refuses("source_tokens", ModelOutput(encoder_attentions=a, decoder_attentions=a, cross_attentions=a), Encoding(np.zeros((1, 4), int), np.ones((1, 4))))

    def test_any_text_is_kept(self):
        tokens = ["", "\x00", "\ud83d", "'\"\\", "\u202e", "日本", "▁a", "Ġb", b"\xe9\xff".decode("latin1")]
        file = self.save(weights(1, 1, 9, 9), tokens)
        self.assertEqual(self.read(file)[1]["tokens"], tokens)
        self.assertEqual(len(ask("info", file)["streams"]), 1)
        self.assertEqual(self.read(self.save(weights(1, 1, 2, 2), [b"caf\xc3\xa9", b"\xe9"]))[1]["tokens"], ["café", "\\xe9"])

    def test_predictions_are_lists_or_logits(self):
        a = weights(1, 1, 3, 3)
        given = [[{"token": "x", "p": 0.5}], [("y", 0.25)], []]
        _, meta = self.read(self.save(a, list("abc"), predictions=given))
        self.assertEqual(meta["predictions"], [[{"token": "x", "p": 0.5}], [{"token": "y", "p": 0.25}], []])
        logits = np.log(np.array([[0.7, 0.2, 0.1, 1e-9, 1e-9, 1e-9]] * 3, np.float32))
        for value in (logits, Tensor(logits[None], dtype="bfloat16", device="cuda:0", grad=True)):
            _, meta = self.read(self.save(a, list("abc"), predictions=value, tokenizer=Tokenizer()))
            self.assertEqual([e["token"] for e in meta["predictions"][2]][:3], ["t0", "t1", "t2"])
            self.assertEqual(len(meta["predictions"][2]), 5)
            self.assertAlmostEqual(meta["predictions"][2][0]["p"], 0.7, places=5)
        self.refuses("2 predictions for 3 positions", a, predictions=given[:2])

    def test_metadata_are_those_of_the_schema(self):
        class Model:
            name_or_path = "some/model"
        file = self.save(weights(1, 1, 3, 3), list("abc"), model=Model(), title="T", note="N", target="logit of x", causal=False, key_offset=2,
                         residual_inside=True, meta={"attr": {"x": {"sum": np.float32(1.5)}}, "gold": "yes", "probabilities": np.array([0.5, np.nan])})
        _, meta = self.read(file)
        self.assertEqual((meta["model"], meta["key_offset"], meta["attr"], meta["probabilities"]), ("some/model", 2, {"x": {"sum": 1.5}}, [0.5, None]))


class Beside(Case):
    def test_gradients_norms_and_attributions_have_the_names_of_the_contract(self):
        a = masked(weights(2, 2, 3, 5, 5), item=1, keep=3)
        mask = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
        file = self.save(tuple(map(Tensor, a)), ["a", "b", "c", "d", "e"], item=1, attention_mask=mask,
                         grads={"yes": tuple(Tensor(-x, grad=True) for x in a), 4: a}, value_norms=tuple(x[:, :, 0] for x in a),
                         value_weighted_norms=a[:, 1, 0], norms={"globenc": a[:, 1, 1]}, mixing_ratios=np.ones((2, 5)),
                         residual_norms=np.ones((2, 5)), attention_norms=np.ones((2, 5)),
                         attributions={"shapley": np.arange(5), "pairs": a[0, 1, 0]}, scores={"cdam": np.arange(3)})
        arrays, _ = self.read(file)
        want = {"attentions": (2, 3, 3, 3), "attention_grads/yes": (2, 3, 3, 3), "attention_grads/4": (2, 3, 3, 3), "value_norms": (2, 3, 3),
                "value_weighted_norms": (2, 3, 3), "norms/globenc": (2, 3, 3), "mixing_ratios": (2, 3), "residual_norms": (2, 3),
                "attention_norms": (2, 3), "attr/shapley": (3,), "attr/pairs": (3, 3), "scores/cdam": (3,)}
        self.assertEqual({name: x.shape for name, x in arrays.items()}, want)
        np.testing.assert_array_equal(arrays["attention_grads/yes"], -a[:, 1, :, :3, :3])
        np.testing.assert_array_equal(arrays["value_norms"], a[:, 1, :, 0, :3])
        info, _ = self.explains(file, rollout(a[:, 1, :, :3, :3]))
        self.assertEqual(sorted(info["companions"]), sorted(set(want) - {"attentions"}))

    def test_what_does_not_fit_is_refused_with_both_sizes(self):
        a = weights(2, 2, 3, 3)
        self.refuses("attention_grads has 1 layers and attentions has 2", a, grads=a[:1])
        self.refuses("2 x 4 x 4 for each layer and attentions is 2 x 3 x 3", a, grads=weights(2, 2, 4, 4))
        self.refuses("torch.no_grad()", a, grads=(None, None))
        self.refuses("value_norms has the shape [2, 2, 4]; it should be 2 x 2 x 3", a, value_norms=np.ones((2, 2, 4)))
        self.refuses("attr/x has the shape [4]; it should be 3 or 3 x 3", a, attributions={"x": np.ones(4)})
        self.refuses("several streams", ModelOutput(encoder_attentions=a, decoder_attentions=a), grads=a)

    def test_an_image_and_its_patches(self):
        a = weights(2, 2, 10, 10)
        picture = random.random((3, 8, 8), np.float32)
        file = self.save(a, grid=(3, 3), image=Tensor(picture[None]), attributions={"cdam": np.ones((3, 3))})
        arrays, meta = self.read(file)
        self.assertEqual((meta["grid"], meta["prefix_tokens"], meta["tokens"][:3]), ([3, 3], 1, ["[CLS]", "r0c0", "r0c1"]))
        np.testing.assert_array_equal(arrays["image"], np.rint(np.moveaxis(picture, 0, -1) * 255).astype(np.uint8))
        self.explains(file, rollout(a))
        self.refuses("before it is normalised", a, image=picture * 4 - 2)
        self.refuses("17 positions, and there are 10", a, grid=(4, 4), prefix_tokens=1)
        _, meta = self.read(self.save(a, grid=(3, 3), image="data:image/png;base64,AAAA"))
        self.assertTrue(meta["image"].startswith("data:image/png"))


class Refusals(Case):
    def test_attention_that_is_none_names_the_way_out(self):
        for outputs in (None, (None, None), {"attentions": None}, ModelOutput(attentions=(None,) * 6), ModelOutput(last_hidden_state=1, attentions=None),
                        ModelOutput(attentions=()), (), ModelOutput(attentions=((None, None), (None, None)))):
            self.refuses('attn_implementation="eager"', outputs, list("abc"))
        self.refuses("last_hidden_state", ModelOutput(last_hidden_state=1))

    def test_layers_that_cannot_be_one_stack_are_named(self):
        self.refuses("layer 1 is 2 x 2 and layer 0 is 4 x 4", (weights(1, 2, 4, 4), weights(1, 2, 2, 2)))
        self.refuses("layer 1 has 3 heads and layer 0 has 2", (weights(1, 2, 4, 4), weights(1, 3, 4, 4)))
        self.refuses("axes=", (weights(1, 1, 1, 2, 4, 4),))
        self.refuses("ragged", [[[1.0, 0.0], [1.0]]])
        self.refuses("no array", (object(), object()))
        self.refuses("nothing in it", np.zeros((1, 2, 0, 0)))

    def test_scores_must_be_called_scores(self):
        logits = random.normal(size=(2, 2, 4, 4)).astype(np.float32)
        self.refuses('values="logits"', logits, list("abcd"))
        file = self.save(logits, list("abcd"), values="logits")
        p = np.exp(logits.astype(np.float64))
        self.explains(file, rollout(p / p.sum(-1, keepdims=True)), report=["softmax_applied"])

    def test_odd_rows_are_said_and_still_open(self):
        a = weights(2, 2, 4, 4)
        with self.assertWarnsRegex(UserWarning, r"rows sum to 0.5 to 0.5.*model.eval\(\).*sink=\"dropped\""):
            self.save(a / 2, list("abcd"))
        self.save(a / 2, list("abcd"), sink="dropped")
        a[:, :, 0] = np.nan
        with self.assertWarnsRegex(UserWarning, "4 rows hold NaN; padding. Pass attention_mask"):
            file = self.save(a, list("abcd"))
        self.assertIn("nan_rows", [item["code"] for item in ask("info", file)["report"]])

    def test_a_failed_save_leaves_the_old_file(self):
        file = self.save(weights(1, 1, 2, 2), list("ab"))
        before = Path(file).read_bytes()
        self.refuses("never negative", -weights(1, 1, 2, 2), list("ab"))
        self.assertEqual(Path(file).read_bytes(), before)


class Recorded(Case):
    """What transformers 5.24 returned, saved again: the rollout is the one that tests/dumps/expected.json holds."""
    EXPECTED = json.loads((DUMPS / "expected.json").read_text())

    def check(self, case, file, at_most=1e-6, options=(), report=()):
        want = self.EXPECTED[case]
        answer = ask("explain", file, *options)
        np.testing.assert_allclose(answer["matrix"][0], want["first_row"], rtol=0, atol=at_most)
        np.testing.assert_allclose(answer["matrix"][-1], want["last_row"], rtol=0, atol=at_most)
        self.assertEqual([item["code"] for item in ask("info", file)["report"]], list(report))
        return answer

    def test_an_encoder(self):
        out = recorded("minilm_cat.modeloutput.pt")
        self.check("minilm_cat.modeloutput.pt", self.save(out, self.EXPECTED["minilm_cat.npz"]["tokens"]))

    def test_generate_of_a_decoder(self):
        tokens = recorded("causal_generate.dict.pt")["tokens"]
        out = recorded("causal_generate.output.pt")
        _, meta = self.read(self.save(out, tokens))
        self.assertEqual((meta["prompt_len"], len(meta["tokens"]), meta["output_tokens"][-1]), (10, 18, tokens[-1]))
        self.check("causal_generate.output.pt", self.folder / "dump.npz")
        self.check("causal_generate.attentions.pt", self.save(out.attentions, tokens))
        sort = recorded("sort_generate.pt")
        self.check("sort_generate.pt", self.save(sort, sort["tokens"]))

    def test_generate_of_an_encoder_decoder(self):
        out = recorded("enfr_look_it_up.generate.output.pt")
        words = {int(i): "w%d" % i for i in out.sequences.a[0]}
        file = self.save(out, tokenizer=Tokenizer(words), source_tokens=["look", "it", "up", "</s>"])
        for stream in ("encoder", "decoder"):
            self.check("enfr_look_it_up.generate.output.pt#" + stream, file, options=("--stream", stream))

    def test_a_batch_with_padding(self):
        batch = recorded("minilm_batch3.pt")
        for item in range(3):
            file = self.save(batch["attentions"], batch["tokens"], item=item, attention_mask=batch["attention_mask"])
            self.check("minilm_batch3.pt#item%d" % item, file)
        batch = recorded("broken_nan_leftpad.pt")
        file = self.save(batch["attentions"], batch["tokens"], attention_mask=batch["attention_mask"])
        self.assertEqual(ask("explain", file)["keys"][0], "[CLS]")

    def test_a_vision_model_with_gradients(self):
        out = recorded("vit_digit_b.pt")
        file = self.save(out, grads=out["attention_grads"], grid=out["grid"], image=out["image"], model="vit-digits")
        self.check("vit_digit_b.pt", file)
        arrays, _ = self.read(file)
        np.testing.assert_array_equal(arrays["attention_grads/class_8"], np.stack([g.a[0] for g in out["attention_grads"]["class_8"]]))
        np.testing.assert_array_equal(arrays["image"], out["image"].a)

    def test_dropout_is_said(self):
        with self.assertWarnsRegex(UserWarning, "model.eval"):
            self.save(recorded("broken_dropout.pt"))


if __name__ == "__main__":
    unittest.main()
