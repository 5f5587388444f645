"""The table that a browser without WebAssembly shows is what the command line computes.

  table_check.py            compares web/gallery/*.table.json
  table_check.py --write    makes it anew, after the first example or a method has changed
"""
import json
import subprocess
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
GALLERY = TOP / "web/gallery"
NAME = "sentiment_negative"


def ask(verb):
    return json.loads(subprocess.run([TOP / "build/native/rollscope", verb, GALLERY / f"{NAME}.npz", "--json"],
                                     check=True, capture_output=True, text=True).stdout)


def rounded(rows):
    return [[round(x, 6) for x in row] for row in rows]


def table():
    info, answer = ask("info"), ask("explain")
    stream = info["streams"][0]
    return {
        "info": {"format": info["format"], "streams": [{k: stream[k] for k in ("name", "kind", "layers", "heads", "queries", "keys", "causal")}],
                 "tokens": info["tokens"], "report": info["report"]},
        "explain": {"recipe": {"method": answer["recipe"]["method"], "sentence": answer["recipe"]["sentence"]},
                    "queries": answer["queries"], "keys": answer["keys"],
                    "matrix": rounded(answer["matrix"]), "uniform": rounded(answer["uniform"])},
    }


class Table(unittest.TestCase):
    def test_the_stored_table_is_what_the_command_line_says(self):
        self.assertEqual(json.loads((GALLERY / f"{NAME}.table.json").read_text(encoding="utf-8")), table())


if __name__ == "__main__":
    if "--write" in sys.argv:
        (GALLERY / f"{NAME}.table.json").write_text(json.dumps(table(), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    else:
        unittest.main()
