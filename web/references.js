// Where the methods come from, as BibTeX.

const ENTRIES = {
  abnar: "@inproceedings{abnar-zuidema-2020-quantifying,\n  title = {Quantifying Attention Flow in Transformers},\n  author = {Abnar, Samira and Zuidema, Willem},\n  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},\n  year = {2020}, pages = {4190--4197}, doi = {10.18653/v1/2020.acl-main.385}\n}",
  vaswani: "@inproceedings{vaswani-2017-attention,\n  title = {Attention Is All You Need},\n  author = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki and Uszkoreit, Jakob and Jones, Llion and Gomez, Aidan N. and Kaiser, {\\L}ukasz and Polosukhin, Illia},\n  booktitle = {Advances in Neural Information Processing Systems 30},\n  year = {2017}\n}",
  gildenblat: "@misc{gildenblat-2020-explainability,\n  title = {Exploring Explainability for Vision Transformers},\n  author = {Gildenblat, Jacob},\n  year = {2020}, howpublished = {\\url{https://github.com/jacobgil/vit-explain}}\n}",
  chefer2021a: "@inproceedings{chefer-2021-beyond,\n  title = {Transformer Interpretability Beyond Attention Visualization},\n  author = {Chefer, Hila and Gur, Shir and Wolf, Lior},\n  booktitle = {IEEE/CVF Conference on Computer Vision and Pattern Recognition},\n  year = {2021}, pages = {782--791}\n}",
  chefer2021b: "@inproceedings{chefer-2021-generic,\n  title = {Generic Attention-model Explainability for Interpreting Bi-Modal and Encoder-Decoder Transformers},\n  author = {Chefer, Hila and Gur, Shir and Wolf, Lior},\n  booktitle = {IEEE/CVF International Conference on Computer Vision},\n  year = {2021}, pages = {397--406}\n}",
  barkan: "@inproceedings{barkan-2021-gradsam,\n  title = {Grad-SAM: Explaining Transformers via Gradient Self-Attention Maps},\n  author = {Barkan, Oren and Hauon, Edan and Caciularu, Avi and Katz, Ori and Malkiel, Itzik and Armstrong, Omri and Koenigstein, Noam},\n  booktitle = {Proceedings of the 30th ACM International Conference on Information and Knowledge Management},\n  year = {2021}, doi = {10.1145/3459637.3482126}\n}",
  kobayashi: "@inproceedings{kobayashi-2020-attention,\n  title = {Attention is Not Only a Weight: Analyzing Transformers with Vector Norms},\n  author = {Kobayashi, Goro and Kuribayashi, Tatsuki and Yokoi, Sho and Inui, Kentaro},\n  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing},\n  year = {2020}, doi = {10.18653/v1/2020.emnlp-main.574}\n}",
  brocki: "@misc{brocki-2023-cdam,\n  title = {Class-Discriminative Attention Maps for Vision Transformers},\n  author = {Brocki, Lennart and Binda, Jakub and Chung, Neo Christopher},\n  year = {2023}, eprint = {2312.02364}, archivePrefix = {arXiv}\n}",
};
const OF = {
  raw: ["vaswani"], rollout: ["abnar"], "rollout-reversed": ["abnar"], flow: ["abnar"], "flow-normalised": ["abnar"], joint: ["abnar"],
  "vit-explain": ["gildenblat", "abnar"], "vit-explain-corrected": ["gildenblat", "abnar"], "gradient-rollout": ["chefer2021a", "abnar"],
  "gradient-rollout-mean-first": ["chefer2021a", "abnar"], relevance: ["chefer2021b"], "relevance-causal": ["chefer2021b"], "grad-sam": ["barkan"],
  "norm-rollout": ["kobayashi", "abnar"], cdam: ["brocki"],
};

/** @param {string} method  of a recipe @returns {string} empty: a stored attribution, whose source its file knows */
export const bibtex = (method) => (OF[method] ?? []).map((name) => ENTRIES[name]).join("\n\n");
