"""The part of JSON Schema 2020-12 that tests/contracts uses. A keyword that is not known here is an error, not a pass."""
import json, math, re
from pathlib import Path

CONTRACTS = Path(__file__).resolve().parents[1] / "contracts"
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SILENT = {"$schema", "$id", "$defs", "title", "description"}


def load(name):
    return json.loads((CONTRACTS / name).read_text())


def is_type(value, name):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "number":
        return number
    if name == "integer":
        return number and math.isfinite(value) and value == int(value)
    return isinstance(value, TYPES[name])


def problems(value, schema, root=None, where="$"):
    """What in the value breaks the schema, each with its place. `root`: the document that "#" names."""
    root = root or schema
    out = []
    for word, rule in schema.items():
        if word in SILENT:
            continue
        if word == "$ref":
            file, _, path = rule.partition("#")
            top = load(file) if file else root
            target = top
            for part in path.strip("/").split("/"):
                target = target[part]
            out += problems(value, target, top, where)
        elif word == "type":
            if not any(is_type(value, name) for name in ([rule] if isinstance(rule, str) else rule)):
                out.append(f"{where} is no {rule}: {str(value)[:60]}")
        elif word == "enum":
            if not any(value == one and type(value) is type(one) for one in rule):
                out.append(f"{where} is none of {rule}: {str(value)[:60]}")
        elif word in ("minimum", "maximum"):
            if is_type(value, "number") and (value < rule if word == "minimum" else value > rule):
                out.append(f"{where} breaks {word} {rule}: {value}")
        elif word in ("minItems", "maxItems", "minLength"):
            if isinstance(value, str if word == "minLength" else list) and (len(value) > rule if word == "maxItems" else len(value) < rule):
                out.append(f"{where} breaks {word} {rule}: {len(value)}")
        elif word == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                out.append(f"{where} does not match {rule}: {value[:60]}")
        elif word == "required":
            if isinstance(value, dict):
                out += [f"{where} lacks {name}" for name in rule if name not in value]
        elif word == "properties":
            if isinstance(value, dict):
                for name, inner in rule.items():
                    if name in value:
                        out += problems(value[name], inner, root, f"{where}.{name}")
        elif word == "additionalProperties":
            for name in value if isinstance(value, dict) else ():
                if name not in schema.get("properties", {}):
                    out += problems(value[name], rule, root, f"{where}.{name}")
        elif word == "items":
            if isinstance(value, list):
                for k, item in enumerate(value):
                    out += problems(item, rule, root, f"{where}[{k}]")
        else:
            raise ValueError(f"{word} is not known to tests/checks/schema.py")
    return out
