// Python that mends what an error names, shown under its text with a Copy button. The language of code is the same
// everywhere, so it stands here and not in the locales.
const SAVE = `out = model(**batch, output_attentions=True)
A = torch.stack(out.attentions).squeeze(1).numpy()
tokens = tokenizer.convert_ids_to_tokens(batch["input_ids"][0])
numpy.savez("dump.npz", attentions=A, tokens=tokens)`;

/** @type {Record<string, string>} error code to Python */
export const SAMPLES = {
  all_none: `model = AutoModel.from_pretrained(name,
    attn_implementation="eager")
out = model(**batch, output_attentions=True)`,
  not_attention: SAVE,
  model_weights: SAVE,
  unknown_format: SAVE,
  empty: SAVE,
  object_array: `numpy.savez("dump.npz", *[numpy.asarray(a) for a in layers])`,
  unsupported_dtype: `numpy.save("dump.npy", A.astype("float32"))`,
  too_big: `numpy.savez("dump.npz", attentions=A.mean(1).astype("float16"), tokens=tokens)`,
  transposed: `A = A.swapaxes(-1, -2)  # rows are queries, columns are keys`,
  ragged: `json.dump({"attentions": A.tolist(), "tokens": tokens}, f)`,
};
