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
  bad_table: `numpy.savetxt("dump.csv", A[layer, head], delimiter=",")`,
  ragged: `numpy.savez("dump.npz", attentions=numpy.stack(layers), tokens=tokens)  # says which shape is another`,
};

/** @type {Record<string, string | undefined>} what a file is that is no dump (src/base/foreign_kinds.inc) to Python; undefined: no code mends it */
export const KIND_SAMPLES = {
  windows: undefined,
  layers: `numpy.savez("dump.npz", *[a for a in layers if a.shape == layers[0].shape])`,
  hdf5: `import h5py, numpy
f = h5py.File("dump.h5")
print(list(f))
numpy.savez("dump.npz", attentions=f["attentions"][()])`,
  columns: `import numpy, pandas
table = pandas.read_parquet("dump.parquet")  # or read_feather
A = numpy.array(table["attentions"].tolist())
numpy.savez("dump.npz", attentions=A)`,
  matlab: `import numpy, scipy.io
A = scipy.io.loadmat("dump.mat")["attentions"]
numpy.savez("dump.npz", attentions=A)`,
  tensors: `numpy.savez("dump.npz", attentions=numpy.asarray(A), tokens=tokens)`,
  gguf: SAMPLES.all_none,
  elided: `numpy.savetxt("dump.csv", A[layer, head], delimiter=",")`,
  text: `numpy.savetxt("dump.csv", A[layer, head], delimiter=",")`,
  notebook: `page = bertviz.head_view(attentions, tokens, html_action="return")
open("dump.html", "w").write(page.data)`,
  html: `page = bertviz.head_view(attentions, tokens, html_action="return")
open("dump.html", "w").write(page.data)`,
  neuron_view: `page = bertviz.head_view(attentions, tokens, html_action="return")
open("dump.html", "w").write(page.data)`,
  archive: undefined,
  lfs_pointer: undefined,
  mac_fork: undefined,
  cloud_placeholder: undefined,
  zeros: undefined,
  page_about_file: undefined,
  error_page: undefined,
  utf16: undefined,
};
