"""Writes what transformers return as a dump that Rollscope opens: attn-dump v1, as .npz or .safetensors.

One file that needs numpy only: copy it beside a notebook. Nothing of torch, transformers or jax is imported here.

    from rollscope_dump import save

    x = tokenizer("The cat sat on the mat.", return_tensors="pt")
    model = AutoModel.from_pretrained(name, attn_implementation="eager")   # sdpa and flash attention return no weights
    save("cat.npz", model(**x, output_attentions=True), x, tokenizer=tokenizer)

    g = model.generate(**x, max_new_tokens=20, return_dict_in_generate=True, output_attentions=True)
    save("answer.npz", g, tokenizer=tokenizer)                             # encoder-decoder: also source_tokens=x

    out = vit(pixels, output_attentions=True)
    grads = torch.autograd.grad(out.logits[0, 4], out.attentions)
    save("digit.safetensors", out, grid=(7, 7), prefix_tokens=1, image=picture, grads={"four": grads}, dtype="float16")

Row = query, column = key: row i holds what token i reads. L layers, H heads, q queries, k keys, B items of a batch.
Layers are copied one at a time and written as they are copied, so a dump of 600 MB takes one layer of memory.
Anything that offers __array__ or DLPack is taken, on any device, in any type of number.
"""
import json
import os
import re
import struct
import warnings
import zipfile
from collections.abc import Mapping
from numbers import Number

import numpy as np

__all__ = ["save"]

STACKS = {"self": "attentions", "encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
EAGER = ('load the model with attn_implementation="eager" (sdpa and flash attention return no weights) '
         "and call it with output_attentions=True")


def save(path, outputs, tokens=None, *, tokenizer=None, source_tokens=None, output_tokens=None, item=0, axes=None,
         attention_mask=None, decoder_attention_mask=None, dtype=None, grads=None, value_norms=None,
         value_weighted_norms=None, norms=None, mixing_ratios=None, residual_norms=None, attention_norms=None,
         residual_inside=None, attributions=None, scores=None, predictions=None, target=None, grid=None,
         prefix_tokens=None, image=None, causal=None, key_offset=None, prompt_len=None, sink=None, values=None,
         model=None, title=None, note=None, meta=None):
    """Writes `path` (.npz or .safetensors) and returns it. A save that fails leaves no file.

    outputs   what the model or generate() returned; or its attentions: a tuple of one array per layer, [B][H][q][k],
              [H][q][k] or [q][k], None where a layer has none; or one array [L][B][H][q][k], [L][H][q][k], [L][q][k];
              or a dict {layer: array}. The steps of generate() are put together into one square.
    axes      says what the axes are where that reading is wrong: letters of l b h q k, such as "bqk"
    tokens    texts, one per position; or ids, with tokenizer=; or what the tokenizer returned (its mask, segments and
              words are then used too). Of generate() the whole sequence, prompt and answer; left out, or given as
              the prompt's tokenizer output, it is taken from outputs.sequences. Of an encoder-decoder, the decoder's; source_tokens are the encoder's.
    output_tokens   what each row predicts
    item      which item of a batch, or which of the sequences that generate() returned
    attention_mask, decoder_attention_mask   [k] or [B][k]: positions where it is 0 are left out
    dtype     "float32", or "float16" for half the size; left out, float16 for what the model computed in 16 bits or
              fewer: rows are as far off 1 as that type, and Rollscope judges them by the type of the file. Gradients
              and norms stay float32
    grads     a tuple as the attentions, or {class: tuple}; a None in it is a gradient of zero
    value_norms [L][H][k]; value_weighted_norms and norms={name: ...} [L][q][k]; residual_inside says whether their
              diagonal already holds the residual; mixing_ratios, residual_norms, attention_norms [L][q]
    attributions, scores   {name: ...} of [k], [q][k] or [rows][columns] of the grid
    predictions     per position [{"token": ..., "p": ...}] or [(token, p)], strongest first; or logits [q][vocabulary]
              with tokenizer=, of which the five best are kept
    target    the scalar whose gradient or attribution is stored
    grid, prefix_tokens, image   (rows, columns) of the patches, how many tokens stand before them, and the picture:
              [rows][columns] or [rows][columns][3], bytes or 0..1, or a data URL
    causal, key_offset, prompt_len, model, title, note   metadata; `meta` holds more of it (attn-dump v1, or your own)
    sink      "dropped" where rows sum to less than 1 by design
    values    "logits" for scores before the softmax

    With several streams (encoder, decoder, cross) grads and norms are given as {"decoder": ...}.
    Raises ValueError, saying what to do, for what cannot become a dump; warns of what is odd and still opens.
    """
    path = os.fspath(path)
    write = {".npz": _write_npz, ".safetensors": _write_safetensors}.get(os.path.splitext(path)[1].lower())
    if write is None:
        raise ValueError("%r: the name must end in .npz or .safetensors" % path)
    if dtype not in (None, "float32", "float16", np.float32, np.float16):
        raise ValueError('dtype=%r: "float32" or "float16"' % (dtype,))
    if axes is not None and (set(axes) - set("lbhqk") or len(set(axes)) != len(axes) or not {"q", "k"} <= set(axes)):
        raise ValueError("axes=%r: letters of l b h q k, each at most once, with q and k" % (axes,))
    if sink not in (None, "dropped"):
        raise ValueError('sink=%r: "dropped", or leave it out' % (sink,))
    if values not in (None, "probs", "logits", "log_probs"):
        raise ValueError('values=%r: "probs", "logits" or "log_probs"' % (values,))

    odd = []  # what still opens, said at the end
    raw = _find_stacks(outputs, odd)
    generated = next((stack for stack in raw.values() if _layout(stack) == "steps"), None)
    rows = _Item(item) if generated is None else _Steps(item, outputs, generated, axes and axes.replace("l", ""))
    sequence = rows.sequence(tokenizer)
    streams = {kind: _Stack(STACKS[kind], kind, stack, axes, rows, odd) for kind, stack in raw.items()}
    _agree(streams)

    # Which side of the model each axis belongs to. A decoder without an encoder's maps is all there is: "target".
    own = next((streams[kind] for kind in ("self", "decoder") if kind in streams), None)
    two_sided = "encoder" in streams or "decoder" in streams or "cross" in streams
    encoding, source_encoding = _encoding(tokens), _encoding(source_tokens)
    if encoding is not None and two_sided and "self" not in streams:
        raise ValueError("tokens holds what the encoder was given: pass it as source_tokens, and the decoder's tokens as tokens")
    length = own.queries if own else streams["cross"].queries if "cross" in streams else None
    source_length = next((streams[k].keys for k in ("encoder", "cross") if k in streams), None)
    sourced = _tokens(source_tokens, tokenizer, rows, "source_tokens")
    named = _tokens(tokens, tokenizer, rows, "tokens") if encoding is None or sequence is None else (None, None)
    if sequence is not None and (tokens is None or encoding is not None):
        if len(sequence) in (length, length + 1):
            named = (None if tokenizer is None else _texts(sequence, tokenizer)), sequence
        else:  # generated from inputs_embeds
            odd.append("outputs.sequences has %d ids for %d positions and is left out; pass tokens=" % (len(sequence), length))
    if attention_mask is None:
        attention_mask = _get(source_encoding if "self" not in streams else encoding, "attention_mask")
    target_mask, source_mask = (attention_mask, None) if "self" in streams else (decoder_attention_mask, attention_mask)
    if "self" in streams and "cross" in streams:
        source_mask = _get(source_encoding, "attention_mask")

    target_kept = _kept(target_mask, length, rows, bool(generated), "attention_mask" if "self" in streams else "decoder_attention_mask")
    source_kept = _kept(source_mask, source_length, rows, False, "attention_mask")
    for kind, stack in streams.items():
        stack.crop(source_kept if kind == "encoder" else target_kept, source_kept if kind in ("encoder", "cross") else target_kept)

    info = {"format": "attn-dump", "version": 1, "axes": "lqk" if all(s.heads is None for s in streams.values()) else "lhqk"}
    _add_tokens(info, "tokens", named, length, target_kept, bool(generated))
    if source_length is not None:
        _add_tokens(info, "source_tokens", sourced, source_length, source_kept, False)
    if output_tokens is not None:
        info.pop("output_tokens", None)
        _add_tokens(info, "output_tokens", _tokens(output_tokens, tokenizer, rows, "output_tokens"), length or source_length,
                    target_kept if length else source_kept, False)
    arrays = []
    _add_layers(info, streams)
    for stack in streams.values():
        arrays.extend(stack.entries(stack.name, np.dtype(dtype or stack.dtype()), _Sums(stack.name, sink, values, odd)))
    arrays.extend(_gradients(grads, streams, axes, rows))
    for name, value, shape in (("value_norms", value_norms, "lhk"), ("value_weighted_norms", value_weighted_norms, "lqk"),
                               ("mixing_ratios", mixing_ratios, "lq"), ("residual_norms", residual_norms, "lq"),
                               ("attention_norms", attention_norms, "lq")):
        arrays.extend(_companion(name, value, shape, streams, rows))
    for name, value in dict(norms or {}).items():
        arrays.extend(_companion("norms/" + str(name), value, "lqk", streams, rows))
    for prefix, group in (("attr/", attributions), ("scores/", scores)):
        for name, value in dict(group or {}).items():
            arrays.append(_attribution(prefix + str(name), value, streams, grid))
    _add_encoding(arrays, info, encoding, rows, length, target_kept)
    _add_picture(arrays, info, grid, prefix_tokens, image, length or source_length)

    if predictions is not None:
        info["predictions"] = _predictions(predictions, tokenizer, rows, length or source_length, target_kept if length else source_kept)
    if causal is None and generated and list(streams) == ["self"]:
        causal = True
    if prompt_len is None and generated:
        prompt_len = own.prompt if own else None
        if prompt_len is not None and target_kept is not None:
            prompt_len = int((target_kept < prompt_len).sum())
    if model is not None and not isinstance(model, str):  # the model itself
        model = getattr(model, "name_or_path", None) or type(model).__name__
    info.update(dict(meta or {}))
    for key, value in (("causal", causal), ("key_offset", key_offset), ("prompt_len", prompt_len), ("sink", sink),
                       ("values", values), ("residual_inside", residual_inside), ("target", target), ("model", model),
                       ("title", title), ("note", note)):
        if value is not None:
            info[key] = value

    part = path + ".part"
    try:
        with open(part, "wb") as file:
            write(file, arrays, json.loads(json.dumps(info, default=_plain), parse_constant=lambda _: None))
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)
    for text in odd:
        warnings.warn(text, stacklevel=2)
    return path


# ---- numbers, from wherever they come

def _shape(x):
    shape = getattr(x, "shape", None)
    return tuple(int(n) for n in (_array(x).shape if shape is None else shape))


def _array(x):
    """The numbers of `x` in this process's memory, as numpy has them; bfloat16 and the 8-bit floats as float32."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "fiub":
        return x
    for step in ("detach", "cpu"):
        if callable(getattr(x, step, None)):
            x = getattr(x, step)()
    kind = str(getattr(x, "dtype", ""))
    if "bfloat" in kind or "float8" in kind or "float4" in kind:  # numpy has none of them
        if callable(getattr(x, "float", None)):
            x = x.float()
        elif callable(getattr(x, "astype", None)):
            x = x.astype("float32")
    if hasattr(x, "__array__") or hasattr(x, "__array_interface__") or isinstance(x, (list, tuple, Number)):
        try:
            a = np.asarray(x)
        except ValueError as error:
            raise ValueError("a list of lists is ragged: every row needs as many numbers (%s)" % error) from None
    elif hasattr(x, "__dlpack__"):
        if not hasattr(np, "from_dlpack"):
            raise ValueError("%s offers DLPack only, which numpy reads from 1.22 on: install a newer numpy" % type(x).__name__)
        a = np.from_dlpack(x)
    else:
        raise ValueError("a %s is no array: it offers neither __array__ nor DLPack" % type(x).__name__)
    if a.dtype.kind == "V":
        raise ValueError("numbers of type %s are unknown to numpy here: convert them to float32 first" % a.dtype)
    if a.dtype.kind not in "fiub":
        raise ValueError("an array of type %s holds no plain numbers: are its rows of different lengths?" % a.dtype)
    return a


def _float32(x):
    return np.asarray(_array(x), np.float32)


def _get(thing, name):
    if thing is None:
        return None
    if isinstance(thing, Mapping) and name in thing:
        return thing[name]
    return None if isinstance(thing, (list, tuple)) and not hasattr(thing, "_fields") else getattr(thing, name, None)


def _plain(x):
    """For json: numbers and arrays of any kind."""
    a = _array(x)
    return a.item() if a.ndim == 0 else a.tolist()


# ---- where the attention is, and which axis is what

def _layout(stack):
    """ "array": all layers in one; "layers": one array each; "steps": generate()'s tuple of such; "none": nothing. """
    if not isinstance(stack, (list, tuple)):
        return "array"
    first = next((x for x in stack if x is not None), None)
    if first is None:
        return "none"
    if isinstance(first, Number):
        return "array"
    if not isinstance(first, (list, tuple)):
        return "layers"
    if all(isinstance(x, (list, tuple)) and all(y is None for y in x) for x in stack if x is not None):
        return "none"
    inner = next((y for y in first if y is not None), None)
    if isinstance(inner, (list, tuple, Number)):  # nested lists of numbers
        return "layers" if any(x is None for x in stack) else "array"
    return "steps"


def _find_stacks(outputs, odd):
    if outputs is None:
        raise ValueError("outputs is None; " + EAGER)
    is_array = hasattr(outputs, "shape") or hasattr(outputs, "__dlpack__") or (hasattr(outputs, "__array__") and not isinstance(outputs, Mapping))
    if is_array or (isinstance(outputs, (list, tuple)) and not hasattr(outputs, "_fields")):
        found = {"self": outputs}
    else:
        found = {kind: _get(outputs, name) for kind, name in STACKS.items()}
        if all(stack is None for stack in found.values()) and isinstance(outputs, Mapping) and not any(n in outputs for n in STACKS.values()):
            layers = _numbered(outputs)
            if layers:
                found = {"self": layers}
    stacks = {}
    for kind, stack in found.items():
        if stack is None or (isinstance(stack, (list, tuple)) and not stack):
            continue  # an encoder says cross_attentions=()
        stacks[kind] = stack
    if not stacks:
        if any(stack is not None for stack in found.values()):
            raise ValueError("the attentions are an empty tuple; " + EAGER)
        names = list(outputs) if isinstance(outputs, Mapping) else [n for n in vars(outputs) if not n.startswith("_")] if hasattr(outputs, "__dict__") else []
        raise ValueError("there are no attentions in %s (it holds %s); %s" % (type(outputs).__name__, ", ".join(map(str, names[:8])) or "nothing", EAGER))
    good = {kind: stack for kind, stack in stacks.items() if _layout(stack) != "none"}
    if not good:
        raise ValueError("%s holds None for every layer; %s" % (" and ".join(STACKS[kind] for kind in stacks), EAGER))
    for kind in stacks:
        if kind not in good:
            odd.append("%s holds None for every layer and is left out" % STACKS[kind])
    return good


def _numbered(outputs):
    """{0: A, 1: B}, or the one family of names that differ in a number: blocks.0.attn.hook_pattern."""
    if outputs and all(isinstance(key, int) for key in outputs):
        return dict(sorted(outputs.items()))
    families = {}
    for key, value in outputs.items():
        parts = re.fullmatch(r"(\D*)(\d+)(.*)", str(key))
        if parts and (value is None or len(_shape(value)) >= 2):
            families.setdefault((parts[1], parts[3]), {})[int(parts[2])] = value
    likely = {name: layers for name, layers in families.items()
              if re.search("att|pattern", "".join(name).lower()) and not re.search("score|logit|grad", "".join(name).lower())} or families
    patterns = {name: layers for name, layers in likely.items() if name[1].endswith("hook_pattern")}
    likely = patterns or likely
    if len(likely) > 1:
        raise ValueError("which of these are the attention: %s? Pass {layer: array} with those alone" % ", ".join("%s0%s" % name for name in likely))
    return dict(sorted(next(iter(likely.values())).items())) if likely else None


def _layer_axes(shape, axes, name):
    axes = axes or {2: "qk", 3: "bqk" if shape[0] == 1 else "hqk", 4: "bhqk"}.get(len(shape), "")
    if len(axes) != len(shape):
        raise ValueError("%s: a layer has the shape %s, which is read in no known order of axes; say axes=, such as \"bhqk\"" % (name, list(shape)))
    return axes


def _sizes(x, axes, name):
    """(B, H, q, k) of one layer or step; None where there is no such axis."""
    shape = _shape(x)
    axes = _layer_axes(shape, axes, name)
    return tuple(shape[axes.index(letter)] if letter in axes else None for letter in "bhqk")


def _pick(x, axes, row_of, name, *step):
    """One item of one layer: [H][q][k], or [q][k] where heads are fused."""
    shape = _shape(x)
    axes = _layer_axes(shape, axes, name)
    if "b" in axes:
        at = axes.index("b")
        item = row_of(*step, shape[at])
        if at == 0 and hasattr(x, "__getitem__"):
            x = x[item]  # before the copy: the others stay where they are
        else:
            x = np.take(_array(x), item, at)
        axes = axes.replace("b", "")
    a = _float32(x)
    return np.transpose(a, [axes.index(letter) for letter in ("hqk" if "h" in axes else "qk")])


class _Item:
    """Which row of a batch is meant."""

    def __init__(self, item):
        self.item = item

    def of(self, batch):
        if not 0 <= self.item < batch:
            raise ValueError("item=%d: a batch of %d has items 0 to %d" % (self.item, batch, batch - 1))
        return self.item

    def sequence(self, tokenizer):
        return None


class _Steps(_Item):
    """Which row of each step of generate() belongs to one returned sequence, and how many steps it took."""

    def __init__(self, item, outputs, steps, axes):
        super().__init__(item)
        first, last = (_sizes(next(x for x in step if x is not None), axes, "attentions") for step in (steps[0], steps[-1]))
        self.prompt, self.rows = first[2], last[0] or 1
        self.ids = _get(outputs, "sequences")
        self.returned = self.rows if self.ids is None else len(np.atleast_2d(_array(self.ids)))
        if not 0 <= item < self.returned:
            raise ValueError("item=%d: generate() returned %d sequences" % (item, self.returned))
        beams = _get(outputs, "beam_indices")  # [returned][steps], -1 after the end
        self.beams = None if beams is None else [int(b) for b in np.atleast_2d(_array(beams))[item] if b >= 0]
        if self.beams is None and self.returned < self.rows:
            raise ValueError("%d beams were followed and %d sequences came back, and beam_indices, which says which is which, is missing; "
                             "generate with output_scores=True, or num_beams=1" % (self.rows, self.returned))
        self.count = len(steps) if self.beams is None else min(len(steps), len(self.beams))

    def step(self, step, batch):
        row = self.item if self.beams is None else self.beams[step]
        return self._within(row, batch)

    def _within(self, row, batch):  # what was computed before the batch was widened to its beams
        return row // (self.rows // batch) if self.rows > batch else row

    def of(self, batch):
        return self.item if batch == self.returned else self._within(self.item if self.beams is None else self.beams[0], batch)

    def sequence(self, tokenizer):
        """The ids of the sequence. Those of a batch end at different steps, and the shorter are filled up: leaves that out."""
        if self.ids is None:
            return None
        ids = _ids_of(self.ids, self)
        if self.beams is not None:
            return ids[:self.prompt + self.count]
        pad = getattr(tokenizer, "pad_token_id", None)
        if isinstance(pad, int) and self.rows > 1 and len(ids) == self.prompt + self.count:
            end = len(ids)
            while end > self.prompt + 1 and ids[end - 1] == pad:
                end -= 1
            if end < len(ids) and pad == getattr(tokenizer, "eos_token_id", None):
                end += 1  # the first of them is the end itself
            self.count, ids = self.count - (len(ids) - end), ids[:end]
        return ids


class _Stack:
    """One stream, read layer by layer. `queries` and `keys` count before positions are left out, `shape` after."""

    def __init__(self, name, kind, raw, axes, item, odd):
        self.name, self.kind, self.item, self.odd, self.prompt, self.apart = name, kind, item, odd, None, False
        self.rows = self.columns = None
        self.axes = axes
        self.steps = item if _layout(raw) == "steps" else None
        if self.steps:
            raw = raw[:self.steps.count]
            layers = [[step[l] for step in raw] for l in range(len(raw[0]))]
            layers = [None if any(x is None for x in layer) else layer for layer in layers]
            numbers = range(len(layers))
        elif isinstance(raw, dict):
            numbers, layers = list(raw), list(raw.values())
        elif _layout(raw) == "layers":
            layers = [np.asarray(_array(x)) if isinstance(x, (list, tuple)) else x for x in raw]
            numbers = range(len(layers))
        else:
            layers = self._split(raw)
            numbers = range(len(layers))
        self.total = len(layers)
        self.numbers = [n for n, layer in zip(numbers, layers) if layer is not None]
        self.present = [i for i, layer in enumerate(layers) if layer is not None]
        self.layers = [layer for layer in layers if layer is not None]
        if not self.layers:
            raise ValueError("%s holds None for every layer; %s" % (name, EAGER))
        if self.axes:
            self.axes = self.axes.replace("l", "")
        self._measure()

    def _split(self, raw):
        shape = _shape(raw)
        axes = self.axes or {2: "qk", 3: "lqk", 4: "lhqk", 5: "blhqk" if shape[0] == 1 and shape[1:2] != (1,) else "lbhqk"}.get(len(shape), "")
        if len(axes) != len(shape):
            raise ValueError("%s has the shape %s, which is read in no known order of axes; say axes=, such as \"lbhqk\"" % (self.name, list(shape)))
        self.axes = axes
        if "l" not in axes:
            return [raw]
        if axes[0] != "l" or not hasattr(raw, "__getitem__"):
            raw = np.moveaxis(_array(raw), axes.index("l"), 0)
        return [raw[i] for i in range(shape[axes.index("l")])]

    def _measure(self):
        if self.steps:
            self._measure_steps()
            return
        sizes = [_sizes(layer, self.axes, self.name) for layer in self.layers]
        first = sizes[0]
        for number, size in zip(self.numbers, sizes):
            if size[2:] != first[2:]:
                raise ValueError("%s: layer %d is %d x %d and layer %d is %d x %d; a rollout needs layers over the same tokens: save those that are"
                                 % (self.name, number, size[2], size[3], self.numbers[0], first[2], first[3]))
            if size[1] != first[1]:
                raise ValueError("%s: layer %d has %s heads and layer %d has %s; save their means, [q][k] for each layer"
                                 % (self.name, number, size[1], self.numbers[0], first[1]))
        _, self.heads, self.queries, self.keys = first
        if not self.queries or not self.keys or self.heads == 0:
            raise ValueError("%s: a layer has the shape %s, so there is nothing in it" % (self.name, list(_shape(self.layers[0]))))
        if self.kind != "cross" and self.keys > self.queries and self._unread(self.queries):
            self.keys = self.queries  # a static cache, longer than the text
        elif self.kind != "cross" and self.keys != self.queries:
            self.odd.append("%s: %d rows and %d columns; there is no rollout over such layers" % (self.name, self.queries, self.keys))

    def _unread(self, end):
        return all(not _pick(layer, self.axes, self.item.of, self.name)[..., end:].any() for layer in self.layers)

    def _measure_steps(self):
        sizes = [_sizes(x, self.axes, self.name) for x in self.layers[0]]
        for number, layer in zip(self.numbers, self.layers):
            if [_sizes(x, self.axes, self.name)[1:3] for x in layer] != [size[1:3] for size in sizes]:
                raise ValueError("%s: layer %d has other heads or steps than layer %d" % (self.name, number, self.numbers[0]))
        self.heads = sizes[0][1]
        q = [size[2] for size in sizes]
        self.prompt = q[0]
        self.whole = len(q) > 1 and q[1] > q[0]  # use_cache=False: each step holds all rows again
        self.ends = q if self.whole else list(np.cumsum(q))
        self.queries = int(self.ends[-1])
        self.keys = sizes[0][3] if self.kind == "cross" else self.queries

    def _read(self, layer):
        if not self.steps:
            return _pick(layer, self.axes, self.item.of, self.name)[..., :self.keys]
        out = np.zeros(((self.heads,) if self.heads else ()) + (self.queries, self.keys), np.float32)
        for s, x in enumerate(layer):
            if self.whole and s + 1 < len(layer):
                continue
            a = _pick(x, self.axes, self.steps.step, self.name, s)
            end, width = int(self.ends[s]), a.shape[-1]
            begin = end - a.shape[-2]
            if self.kind == "cross":
                out[..., begin:end, :] = a
            elif width <= end:  # narrower: a sliding window, of which the last column is the newest token
                out[..., begin:end, end - width:end] = a
            elif not a[..., end:].any():  # wider: a static cache, empty behind
                out[..., begin:end, :end] = a[..., :end]
            else:
                raise ValueError("%s: step %d reads %d keys where %d tokens are known; part of the text was in the cache before: "
                                 "generate from the whole text, without past_key_values" % (self.name, s, width, end))
        return out

    def crop(self, rows, columns):
        self.rows, self.columns = rows, columns
        n = [size if kept is None else len(kept) for size, kept in ((self.queries, rows), (self.keys, columns))]
        self.shape = ((self.heads,) if self.heads else ()) + tuple(n)

    def dtype(self):
        kind = str(getattr(self.layers[0][0] if self.steps else self.layers[0], "dtype", ""))
        return "float16" if re.search("float(16|8|4)|half", kind) else "float32"

    def layer(self, i):
        return _cropped(self._read(self.layers[i]), self.rows, self.columns)

    def entries(self, name, dtype, sums):
        """What is written: one array, or one for each layer where the metadata cannot hold this stream's layer numbers."""
        def chunk(i):
            a = self.layer(i)
            sums.look(a, self.numbers[i])
            with np.errstate(over="ignore"):  # masks of logits: -inf says the same
                return a.astype(dtype, copy=False)

        def chunks():
            for i in range(len(self.layers)):
                yield chunk(i)
            sums.report()

        if self.apart:
            every = chunks()
            last = len(self.layers) - 1
            return [(name + "." + str(n), dtype, self.shape, (lambda i=i: every if i == last else iter([next(every)])))
                    for i, n in enumerate(self.numbers)]
        return [(name, dtype, (len(self.layers),) + self.shape, chunks)]


def _cropped(a, rows, columns):
    if rows is not None:
        a = np.take(a, rows, -2)
    return a if columns is None else np.take(a, columns, -1)


def _agree(streams):
    """Decoder and cross share their rows, encoder and cross their columns."""
    for first, second, side in (("decoder", "cross", "queries"), ("self", "cross", "queries"), ("encoder", "cross", "keys")):
        if first in streams and second in streams:
            a, b = getattr(streams[first], side), getattr(streams[second], side)
            if a != b:
                raise ValueError("%s has %d %s and %s has %d; save what one call returned" % (STACKS[first], a, side, STACKS[second], b))


def _add_layers(info, streams):
    """The true layer numbers, where some have no weights. attn-dump v1 has one list for all streams."""
    lists = [stack.numbers for stack in streams.values()]
    plain = [numbers == list(range(len(numbers))) and stack.total == len(numbers) for numbers, stack in zip(lists, streams.values())]
    if all(plain):
        return
    if all(numbers == lists[0] for numbers in lists):
        info["layers"] = lists[0]
        return
    for stack, is_plain in zip(streams.values(), plain):
        stack.apart = not is_plain


class _Sums:
    """Looks at rows as they are written. A row of weights sums to 1; what does not is said once, not mended."""

    def __init__(self, name, sink, values, odd):
        self.name, self.sink, self.quiet, self.odd = name, sink, values in ("logits", "log_probs"), odd
        self.low, self.high, self.nan, self.empty = np.inf, -np.inf, 0, 0

    def look(self, a, number):
        if self.quiet:
            return
        sums = a.sum(-1)
        self.nan += int(np.isnan(sums).sum())
        self.empty += int((sums == 0).sum())
        sums = sums[np.isfinite(sums) & (sums != 0)]
        if sums.size:
            self.low, self.high = min(self.low, float(sums.min())), max(self.high, float(sums.max()))
        with np.errstate(invalid="ignore"):
            least = float(np.nanmin(a)) if a.size and not np.isnan(a).all() else 0.0
        if least < -1e-3:
            raise ValueError('%s: layer %d holds %.3g, and a weight is never negative; for scores before the softmax say values="logits"'
                             % (self.name, number, least))

    def report(self):
        if self.quiet:
            return
        if self.nan:
            self.odd.append("%s: %d rows hold NaN; padding? Pass attention_mask" % (self.name, self.nan))
        if self.empty:
            self.odd.append("%s: %d rows are all zero; padding? Pass attention_mask" % (self.name, self.empty))
        low = 1.0 if self.sink == "dropped" else self.low
        if low < 0.97 or self.high > 1.03:  # bfloat16 is off by up to 0.003, 8-bit floats by 0.03
            self.odd.append('%s: rows sum to %.3g to %.3g instead of 1. Dropout? Call model.eval() first. Weights that go to a sink '
                            'outside the text? Say sink="dropped"' % (self.name, self.low, self.high))


# ---- tokens

def _ids_of(value, item):
    if value is None:
        return None
    a = np.atleast_1d(_array(value))
    if a.ndim == 2:
        a = a[item.of(len(a)) if len(a) > 1 else 0]
    if a.ndim != 1 or a.dtype.kind not in "iu":
        raise ValueError("token ids are whole numbers, [n] or [B][n]")
    return [int(n) for n in a]


def _encoding(tokens):
    """What a tokenizer returned, if that is what it is."""
    return tokens if tokens is not None and not isinstance(tokens, (list, tuple, str)) and _get(tokens, "input_ids") is not None else None


def _place(encoding, item):
    shape = np.shape(_array(_get(encoding, "input_ids")))
    return item.of(shape[0]) if len(shape) == 2 and shape[0] > 1 else 0


def _text(piece):
    return piece.decode("utf-8", "backslashreplace") if isinstance(piece, (bytes, bytearray)) else str(piece)


def _tokens(value, tokenizer, item, name):
    """(texts or None, ids or None)"""
    if value is None:
        return None, None
    if isinstance(value, str):
        raise ValueError("%s is one text; pass one text per position, or the ids with tokenizer=" % name)
    encoding = _encoding(value)
    if encoding is not None:
        ids = _ids_of(_get(encoding, "input_ids"), item)
        if tokenizer is None:
            try:
                return [_text(t) for t in encoding.tokens(_place(encoding, item))], ids  # tokenizers written in Rust know them
            except (AttributeError, TypeError, ValueError):
                raise ValueError("%s holds ids; pass tokenizer= too" % name) from None
        return _texts(ids, tokenizer), ids
    if isinstance(getattr(value, "tokens", None), list):  # tokenizers.Encoding
        return [_text(t) for t in value.tokens], [int(n) for n in value.ids]
    if isinstance(value, np.ndarray) and value.dtype.kind in "USO":
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (list, tuple)) and value[0] and isinstance(value[0][0], (str, bytes)):
            value = value[item.of(len(value)) if len(value) > 1 else 0]
        if all(isinstance(t, (str, bytes)) for t in value):
            return [_text(t) for t in value], None
    try:
        a = _array(value)
    except ValueError:
        raise ValueError("%s is a %s; pass one text per position, or the ids with tokenizer=" % (name, type(value).__name__)) from None
    ids = _ids_of(a, item)
    if tokenizer is None:
        raise ValueError("%s holds ids; pass tokenizer= too" % name)
    return _texts(ids, tokenizer), ids


def _texts(ids, tokenizer):
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        texts = tokenizer.convert_ids_to_tokens(ids)
    elif hasattr(tokenizer, "id_to_token"):
        texts = [tokenizer.id_to_token(n) for n in ids]
    elif hasattr(tokenizer, "decode"):
        texts = [tokenizer.decode([n]) for n in ids]
    else:
        raise ValueError("tokenizer= has none of convert_ids_to_tokens, id_to_token, decode")
    return ["" if t is None else _text(t) for t in texts]


def _add_tokens(info, key, named, length, kept, generated):
    texts, ids = named
    n = length if kept is None else len(kept)
    for name, entries in ((key, texts), ("token_ids" if key == "tokens" else None, ids)):
        if entries is None or name is None:
            continue
        if length is None:
            raise ValueError("%s were given, and no stream has them on an axis; an encoder's are source_tokens" % name)
        beyond = None
        if generated and len(entries) == length + 1:  # the last one was never a query: it is what the last row predicts
            beyond, entries = entries[1:], entries[:-1]
        if len(entries) not in (length, n):
            more = " (or %d with the last token generated)" % (length + 1) if generated else ""
            raise ValueError("%d %s for %d positions%s; special tokens count: %s"
                             % (len(entries), name, length, more, "tokenizer.convert_ids_to_tokens(x.input_ids[0])"))
        select = kept is not None and len(entries) == length
        info[name] = [entries[i] for i in kept] if select else list(entries)
        if beyond is not None and name == "tokens":
            info["output_tokens"] = [beyond[i] for i in kept] if kept is not None else list(beyond)


def _kept(mask, length, item, generated, name):
    """Positions that the mask keeps; None: all. A prompt's mask is continued over what was generated."""
    if mask is None or length is None:
        return None
    a = np.atleast_2d(_array(mask))
    if a.ndim > 2:
        raise ValueError("%s has the shape %s; it should be [k] or [B][k], one number for each position" % (name, list(a.shape)))
    a = a[item.of(len(a)) if len(a) > 1 else 0]
    keep = a == 0 if (a < 0).any() else a != 0  # 0 and a large negative number, or 1 and 0
    if generated and len(keep) < length:
        keep = np.concatenate([keep, np.ones(length - len(keep), bool)])
    elif generated and len(keep) == length + 1:
        keep = keep[:-1]
    if len(keep) != length:
        raise ValueError("%s has %d entries for %d positions" % (name, len(keep), length))
    if not keep.any():
        raise ValueError("%s keeps no position" % name)
    return None if keep.all() else np.flatnonzero(keep)


def _add_encoding(arrays, info, encoding, item, length, kept):
    """Segments and words, where the tokenizer says them."""
    if encoding is None or length is None:
        return
    segments = _ids_of(_get(encoding, "token_type_ids"), item)
    if segments is not None and len(segments) == length:
        arrays.append(_ready("token_type_ids", np.array(segments, np.int32) if kept is None else np.array(segments, np.int32)[kept]))
    words = getattr(encoding, "word_ids", None)
    if callable(words):
        try:
            words = words(_place(encoding, item))
        except (TypeError, ValueError):
            return  # a tokenizer written in Python
        if words is not None and len(words) == length:
            info["word_ids"] = [words[i] for i in (range(length) if kept is None else kept)]


# ---- what stands beside the attention

def _ready(name, a):
    a = np.ascontiguousarray(a)
    return name, a.dtype, a.shape, lambda: iter([a])


def _per_stream(value, streams, what):
    """[(stream, value)]: of one stream as it is, of several as {"decoder": ...}."""
    names = set(STACKS) | set(STACKS.values())
    if isinstance(value, Mapping) and value and set(map(str, value)) <= names:
        short = {name: kind for kind, name in STACKS.items()}
        out = []
        for key, part in value.items():
            kind = short.get(key, key)
            if kind not in streams:
                raise ValueError("%s: there is no stream %r here, only %s" % (what, key, ", ".join(streams)))
            if part is not None:
                out.append((streams[kind], part))
        return out
    if len(streams) > 1:
        raise ValueError("%s: there are several streams; pass a dict such as {%r: ...}" % (what, list(streams)[-1]))
    return [(next(iter(streams.values())), value)]


def _beside(stack, name, streams):
    """decoder_attention_grads, but attention_grads where there is one stream."""
    return name if len(streams) == 1 and stack.kind == "self" else stack.kind + "_" + name


def _gradients(grads, streams, axes, item):
    if grads is None:
        return []
    out = []
    for stack, value in _per_stream(grads, streams, "grads"):
        name = _beside(stack, "attention_grads", streams)
        by_class = value if isinstance(value, Mapping) else {None: value}
        for label, part in by_class.items():
            full = name if label is None else name + "/" + str(label)
            if isinstance(part, (list, tuple)):
                if len(part) == stack.total and len(part) != len(stack.layers):
                    part = [part[i] for i in stack.present]
                if all(x is None for x in part):
                    raise ValueError("%s holds None for every layer: the scalar does not depend on these attentions, or no gradient was kept; "
                                     "torch.autograd.grad(scalar, outputs.attentions), outside torch.no_grad()" % full)
            like = _Gradient(full, part, axes, item, stack)
            out.extend(like.entries())
    return out


class _Gradient:
    def __init__(self, name, raw, axes, item, like):
        self.name, self.like = name, like
        layers = list(raw) if isinstance(raw, (list, tuple)) else None
        self.zero = [x is None for x in layers] if layers else []
        self.stack = _Stack(name, "cross", raw, axes, item, [])  # "cross": nothing is said of its width
        count = len(layers) if layers else self.stack.total
        if count == like.total and count != len(like.layers) and not layers:
            self.stack.layers = [self.stack.layers[i] for i in like.present]
            count = len(like.layers)
        if count != len(like.layers):
            raise ValueError("%s has %d layers and %s has %d" % (name, count, like.name, len(like.layers)))
        got, want = (self.stack.heads, self.stack.queries, self.stack.keys), (like.heads, like.queries, like.keys)
        if got != want:
            raise ValueError("%s is %s for each layer and %s is %s" % (name, _by(got), like.name, _by(want)))
        self.stack.crop(like.rows, like.columns)

    def entries(self):
        def chunks():
            at = 0
            for i in range(len(self.like.layers)):
                if self.zero and self.zero[i]:
                    yield np.zeros(self.stack.shape, np.float32)
                    continue
                yield self.stack.layer(at)
                at += 1
        return [(self.name, np.dtype(np.float32), (len(self.like.layers),) + self.stack.shape, chunks)]


def _by(sizes):
    return " x ".join(str(n) for n in sizes if n is not None)


def _companion(name, value, letters, streams, item):
    if value is None:
        return []
    out = []
    for stack, part in _per_stream(value, streams, name):
        if isinstance(part, (list, tuple)) and _layout(part) == "layers":
            if len(part) == stack.total:
                part = [part[i] for i in stack.present]
            if any(x is None for x in part):
                raise ValueError("%s: a layer that has weights has None here" % name)
            a = np.stack([_float32(x) for x in part])
        else:
            a = _float32(part)
        full = _beside(stack, name, streams)
        if a.ndim == len(letters) + 1:  # [L][B]...
            a = a[:, item.of(a.shape[1]) if a.shape[1] > 1 else 0]
        if len(a) == stack.total:
            a = a[stack.present]
        sizes = {"l": len(stack.layers), "h": stack.heads or 1, "q": stack.queries, "k": stack.keys}
        kept = {"q": stack.rows, "k": stack.columns}
        want = tuple(sizes[letter] for letter in letters)
        done = tuple(sizes[letter] if kept.get(letter) is None else len(kept[letter]) for letter in letters)
        if a.shape == want:
            for axis, letter in enumerate(letters):
                if kept.get(letter) is not None:
                    a = np.take(a, kept[letter], axis)
        elif a.shape != done:
            raise ValueError("%s has the shape %s; it should be %s" % (full, list(a.shape), _by(want)))
        out.append(_ready(full, a))
    return out


def _attribution(name, value, streams, grid):
    a = _float32(value)
    if a.ndim > 1 and a.shape[0] == 1:
        a = a[0]
    shapes = []
    for stack in streams.values():
        for full, rows, columns in ((True, stack.rows, stack.columns), (False, None, None)):
            q = stack.queries if full or stack.rows is None else len(stack.rows)
            k = stack.keys if full or stack.columns is None else len(stack.columns)
            if a.shape == (k,):
                return _ready(name, a if columns is None else a[columns])
            if a.shape == (q, k):
                return _ready(name, _cropped(a, rows, columns))
        shapes += [str(stack.keys), _by((stack.queries, stack.keys))]
    if grid is not None:
        shapes.append(_by(tuple(grid)[-2:]))
        if a.shape == tuple(int(n) for n in grid)[-2:]:
            return _ready(name, a)
    raise ValueError("%s has the shape %s; it should be %s" % (name, list(a.shape), " or ".join(dict.fromkeys(shapes))))


def _predictions(value, tokenizer, item, length, kept, best=5):
    if hasattr(value, "shape") or hasattr(value, "__dlpack__"):
        if len(_shape(value)) == 3:
            value = value[item.of(_shape(value)[0])]
        if len(_shape(value)) != 2:
            raise ValueError("predictions has the shape %s; logits are [q][vocabulary]" % list(_shape(value)))
        if tokenizer is None:
            raise ValueError("predictions are logits; pass tokenizer= too")
        rows = []
        for i in range(_shape(value)[0]):  # row by row: a vocabulary is large
            logits = _float32(value[i]).astype(np.float64)
            p = np.exp(logits - logits.max())
            p /= p.sum()
            top = np.argsort(-p, kind="stable")[:best]
            rows.append([{"token": t, "p": float(p[n])} for t, n in zip(_texts([int(n) for n in top], tokenizer), top)])
        value = rows
    out = []
    for row in value:
        entries = []
        for entry in row or []:
            token, p = (entry["token"], entry.get("p")) if isinstance(entry, Mapping) else entry
            entries.append({"token": _text(token), "p": None if p is None else float(p)})
        out.append(entries)
    if kept is not None and len(out) == length:
        return [out[i] for i in kept]
    if len(out) not in (length, length if kept is None else len(kept)):
        raise ValueError("%d predictions for %d positions; one list for each, empty where there is none" % (len(out), length))
    return out


def _add_picture(arrays, info, grid, prefix_tokens, image, length):
    if prefix_tokens is not None:
        info["prefix_tokens"] = int(prefix_tokens)
    if grid is not None:
        grid = [int(n) for n in grid]
        if len(grid) not in (2, 3) or min(grid) < 1:
            raise ValueError("grid=%r: (rows, columns) of the patches, or (frames, rows, columns)" % (grid,))
        patches = int(np.prod(grid))
        prefix = int(prefix_tokens) if prefix_tokens is not None else length - patches
        if prefix < 0 or prefix + patches > length:
            raise ValueError("grid %s with %d tokens before it makes %d positions, and there are %d"
                             % (_by(grid), max(prefix, 0), max(prefix, 0) + patches, length))
        info["grid"], info["prefix_tokens"] = grid, prefix
        if "tokens" not in info and prefix + patches == length and len(grid) == 2:
            before = ["[CLS]"] + ["[EXTRA]"] * (prefix - 1) if prefix else []
            info["tokens"] = before + ["r%dc%d" % (r, c) for r in range(grid[0]) for c in range(grid[1])]
    if isinstance(image, str):
        if not image.startswith("data:image/"):
            raise ValueError("image is a text and no data URL; pass the picture itself, such as np.asarray(PIL.Image.open(file))")
        info["image"] = image
    elif image is not None:
        a = _array(image)
        a = a[0] if a.ndim == 4 and a.shape[0] == 1 else a
        if a.ndim == 3 and a.shape[0] in (1, 3) and a.shape[-1] not in (1, 3, 4):
            a = np.moveaxis(a, 0, -1)  # channels first
        if a.ndim == 3:
            a = a[..., 0] if a.shape[-1] == 1 else a[..., :3]
        if a.ndim not in (2, 3) or (a.ndim == 3 and a.shape[-1] != 3):
            raise ValueError("image has the shape %s; it should be [rows][columns] or [rows][columns][3]" % list(a.shape))
        if a.dtype.kind == "f":
            if not np.isfinite(a).all() or a.min() < -1e-6 or a.max() > 1 + 1e-6:
                raise ValueError("image goes from %.3g to %.3g; pass the picture before it is normalised, as bytes or 0..1" % (a.min(), a.max()))
            a = np.rint(np.clip(a, 0, 1) * 255)
        elif a.dtype.kind == "b":
            a = a * 255
        elif a.min() < 0 or a.max() > 255:
            raise ValueError("image goes from %d to %d; bytes go from 0 to 255" % (a.min(), a.max()))
        arrays.append(_ready("image", a.astype(np.uint8)))


# ---- files. An array is (name, dtype, shape, function that returns its parts in order)

def _bytes(dtype, shape, chunks):
    """The parts as little-endian bytes, one layer at a time."""
    size = 0
    for a in chunks():
        a = np.ascontiguousarray(a, np.dtype(dtype).newbyteorder("<"))
        size += a.nbytes
        yield a.reshape(-1).view(np.uint8).data if a.size else b""
    assert size == int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize, "wrong number of bytes"


def _write_npz(file, arrays, info):
    """Stored, not deflated: Rollscope then reads layers without unpacking, and weights hardly shrink anyway."""
    text = np.array(json.dumps(info))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, dtype, shape, chunks in arrays + [("meta", text.dtype, (), None)]:
            with archive.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                descr = np.lib.format.dtype_to_descr(np.dtype(dtype).newbyteorder("<"))
                np.lib.format.write_array_header_1_0(member, {"descr": descr, "fortran_order": False, "shape": tuple(shape)})
                if chunks is None:
                    member.write(text.astype(text.dtype.newbyteorder("<")).tobytes())
                    continue
                for part in _bytes(dtype, shape, chunks):
                    member.write(part)


def _write_safetensors(file, arrays, info):
    """Eight bytes of length, a JSON header, the numbers. Metadata are texts only; what is none is JSON."""
    codes = {"float32": "F32", "float16": "F16", "uint8": "U8", "int32": "I32"}
    header, at = {"__metadata__": {k: v if isinstance(v, str) else json.dumps(v) for k, v in info.items()}}, 0
    for name, dtype, shape, _ in arrays:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        header[name] = {"dtype": codes[np.dtype(dtype).name], "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for _, dtype, shape, chunks in arrays:
        for part in _bytes(dtype, shape, chunks):
            file.write(part)
