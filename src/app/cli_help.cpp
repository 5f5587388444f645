#include "app/cli_args.h"

namespace rollscope {

const char* help_text() {
  return R"(Rollscope: which input tokens does an output read, and through which layers?

  rollscope info FILE [--json] [--item N] [--tokens FILE] [--assume NAME=VALUE]...
      what the dump holds, and what was assumed about it
  rollscope explain FILE [--json] [options]
      the weights of one output token, or of all
  rollscope render FILE -o OUT.svg|OUT.png [--view NAME] [--row N] [look] [options of explain]
      a figure for a paper: row (text and bars), matrix, graph, heads, depth, or compare (--b RECIPE)
  rollscope heads FILE... [--json] [--stream NAME] [--heads 0,3] [--layers 2:6] [--height D]
      what each head does and which are alike; roles averaged over several dumps
  rollscope depth FILE [--json] [options of explain but --row]
      what each layer adds: entropy, rank, distance between rows, sinks, and the verdict
  rollscope compare FILE [CONTROL|OTHER] --a RECIPE --b RECIPE [--row N] [--k N] [--json]
      how far two recipes agree, or one with uniform attention (--control uniform), or two dumps of
      one text (other models are merged to words; --control NAME says what the second one is).
      RECIPE: options without dashes, "method=rollout,residual=0.5"; --without none|specials|sinks
  rollscope plan FILE --json [--row N] [--random 10] [--seed 1] [--keep specials|none|0,12] [options]
      which tokens to remove, so that your model can say what each removal does to its output
  rollscope faithfulness PLAN... [--json]
      the plans with every "p" filled in, or folders of them: curves and numbers beside random orders
  rollscope audit FILE [--json] [--row N] [--k 10] [options]
      a sheet about one row: the file's SHA-256, the recipe, its numbers, limits and sentences
  rollscope bias A B [A B]... [--row N] [--token WORD] [--json] [options]; rollscope bias --pairs FOLDER
      pairs of texts with one word swapped (NAME_a and NAME_b, or in turns): the weight on that word,
      or on WORD, its paired difference with an interval, and the mean for each word
  rollscope link FILE [--budget N] [--what row|rollout|layers|view] [--no-text] [--base URL] [--src URL]
                 [--row N] [--json] [options]
      the explanation inside a link: the richest of at most N characters (8000), and on standard error
      what each kind of link takes, leaves out and is off by. --payload is --what
  rollscope unlink LINK|- [--json]; rollscope link LINK --decode
      what a link holds; of a cut link the text, where it has arrived
  rollscope html FILE -o OUT.html [--row N] [--base URL] [options]
      the page, the dump and the view in one file that opens by double click, without a network.
      --page FILE: the single.html of a web build; --base: the site that its links lead to

Options of explain:
  --method NAME                 rollout (Abnar & Zuidema 2020), raw, rollout-reversed, vit-explain,
                                vit-explain-corrected, flow, flow-normalised, norm-rollout, joint
                                with gradients in the file: gradient-rollout,
                                gradient-rollout-mean-first, relevance, relevance-causal, grad-sam,
                                attention-gradient
                                stored: cdam, attribution:NAME                                 rollout
  --stream NAME                 self, encoder, decoder, cross, or the name in the file         the first of these
  --fusion mean|max|min         how the heads of a layer become one                            mean
  --heads 0,3                   heads that are fused                                           all
  --head 3:2                    of rollout: layer 3 is its head 2 alone and ends the range, the layers
                                below stay fused (Abnar & Zuidema, appendix A.1)               none
  --residual R                  weight of the residual connection, 0 to 1; one for each layer
                                (0.2,0.4); or measured in the file: norms, norms-mean, mixing  0.5
  --layers 2:6                  range of layers, its end excluded                              all
  --class NAME                  gradient, behind attention_grads/                              the only one
  --minus NAME                  a second class, or second scores, whose rows are subtracted: signed, with both
                                rows on one scale                                              none
  --norms NAME                  of norm-rollout: behind norms/, value_weighted_norms,
                                value_norms                                                    the first of these
  --discard D                   of vit-explain: share of the smallest entries set to 0         0.9
  --sink keep|renormalise|remove|lift
                                attention sinks: as they are, out of each row, out of the
                                product, or every weight over uniform attention                keep
  --merge pieces|words|segments tokens, or their sums                                          pieces
  --merge-queries mean|last     which query stands for a word                                  mean
  --merge-time after|before     the product                                                    after
  --row N|all                   the output token                                               all
  --pairs 5:0,7:2               of flow: these outputs and inputs alone, in a text of any length,
                                each with its bottleneck                                       none
  --region 17,18,24             whether the map lies on these tokens or patches by more than its
                                values would if they were shuffled                             none
  --item N                      item of a batch                                                0
  --tokens FILE                 the tokens, one a line or as JSON, where the dump has none or others
                                are wanted; of several dumps once for all, or once for each    those of the dump
  --language en|fr|ja           of the sentences, where --json is not given                    en
  --assume NAME=VALUE           axes=lhqk, orientation=rows|columns, values=probs|logits,
                                layout=layers|heads, sums=renormalise|sink, tokens=add_specials|ignore

Look of a figure:
  --view NAME                   row, matrix, graph, heads, depth, compare                      row
  --width 85mm|170mm|640px      of one column, of a page, or any other: type is laid out anew  170mm
  --theme light|dark            as on screen                                                   light
  --ground theme|transparent    behind the picture                                             theme
  --caption none|TEXT           the recipe's sentence left to the paper, or other words        the recipe
  --scale 1..4                  pixels of a PNG for each px of its width                       2
  --keep 0.75                   graph: part of each layer's attention that is drawn at least
  --curve linear|log|per_row, --kind result|after_layer|fused_layer|head, --matrix-layer L, --matrix-head H

Layers, heads, rows and items count from 0. FILE is .npz, .npy, .safetensors, .pt, .pkl, .json, a page of BertViz, or .csv.
Exit status 0: done; 1: the file cannot be used; 2: wrong usage.
)";
}

}  // namespace rollscope
