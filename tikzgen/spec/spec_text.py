"""Text of a spec: a commented spec for a recipe, or an existing spec with minimal changes.

Comments of an existing file are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from io import StringIO
from operator import itemgetter
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from tikzgen.base.record import NOTHING
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.model.figure_options import Options
from tikzgen.model.part import Part, shorten_description
from tikzgen.recipe.recipe_names import NEEDS, recipe
from tikzgen.spec.errors.field_docs import field_docs, first_line

MODELINE = "# yaml-language-server: $schema=tikzgen.schema.json"
_SPECIAL_KEYS = ("recipe", "overrides", "reading")  # at the beginning, at the end, and never handwritten
_PLAIN_STRING = re.compile(r"[A-Za-z(][A-Za-z0-9 /()_.,+-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off"}
_INDENT = re.compile(r"^\{\s*\n([ \t]+)\S")


def make_starter_spec(name: str, facts: Mapping[str, Any] = NOTHING, remarks: Sequence[str] = ()) -> str:
    """Return the text of a commented spec for a recipe, with shared options at the end, commented out.

    `facts` are parameters that differ from the defaults, `remarks` further comments at the beginning.
    """
    model = recipe(name)
    lines = [MODELINE, f"# {first_line(model)}", *(f"# {line}".rstrip() for line in remarks), f"recipe: {name}"]
    instance = model(**{**NEEDS.get(name, {}), **facts})
    docs = field_docs(model)
    own = [field for field in model.model_fields if field not in Options.model_fields and field not in _SPECIAL_KEYS]
    # Order: parameters that define the recipe, shared ones, labels.
    own.sort(key=lambda field: (field == "labels", field not in model.__annotations__))
    for field in ("title", *own):
        value = getattr(instance, field)
        if value != "":
            lines += ["", *_write_field(model.model_fields[field].alias or field, value, docs[field], "")]
    lines += ["", "# What every figure takes:"]
    for field in ("palette", "width", "font", "spacing", "meta", "overrides"):
        lines.append(f"# {field}: {_format_flow(getattr(instance, field))}  # {' '.join(docs[field].split())}")
    return "\n".join(lines) + "\n"


def _write_field(name: str, value: Any, doc: str, pad: str) -> Iterator[str]:
    yield from (f"{pad}# {line}" for line in doc.splitlines() or [""])
    if isinstance(value, Part) and name not in ("workers",):
        yield f"{pad}{name}:"
        docs = field_docs(type(value))
        for field, info in type(value).model_fields.items():
            yield from _write_field(info.alias or field, getattr(value, field), docs[field], pad + "  ")
    else:
        yield f"{pad}{name}: {_format_flow(value)}"


def _format_flow(value: Any) -> str:
    """Format a value in YAML's flow style, with quotes only if necessary."""
    if isinstance(value, Part):
        data = shorten_description(value)
        return str(data["count"]) if set(data) == {"count"} else _format_flow(data)
    value = shorten_description(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_format_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_flow, value)) + "]"
    if isinstance(value, str):
        return (
            value
            if _PLAIN_STRING.fullmatch(value) and value.lower() not in _WORDS and "," not in value
            else _quote(value)
        )
    return json.dumps(value)


def _quote(text: str) -> str:
    """Quote a string: single quotes keep the backslashes of math; a line break needs double quotes."""
    return json.dumps(text, ensure_ascii=False) if "\n" in text else "'" + text.replace("'", "''") + "'"


STARTS = ("figure", "topology", "timeline", "sequence")


def start(name: str) -> str:
    """Return the text of one of `STARTS`, with comments."""
    return (template_folder() / "new" / f"{name}.yaml").read_text(encoding="utf-8")


def to_yaml(data: dict[str, Any], existing: str = "", before: Any = None) -> str:
    """Return the text of a spec for `data`, or the `existing` text with only the differences changed.

    `before` is the data of the existing text, in the same shortest form as `data`. Fields with explicit default values
    in the text are kept.
    """
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.indent(mapping=2, sequence=2, offset=0)
    yaml.allow_unicode = True
    out = StringIO()
    tree = yaml.load(existing) if existing.strip() else None
    if isinstance(tree, dict):
        yaml.width = 4096  # keep the author's line lengths
        yaml.dump(_update_tree(tree, before, data), out)
        return out.getvalue()
    yaml.width = 110
    yaml.dump(_with_flow_style(data, 0), out)
    head = existing if tree is None and existing.strip() else f"{MODELINE}\n"  # keep a file that has comments only
    return head + out.getvalue()


def to_json(data: dict[str, Any], existing: str, before: Any = None) -> str:
    """Return the `existing` JSON with only the differences from `before` changed, as in `to_yaml`.

    Raise `ValueError` if it is not JSON.
    """
    indent = _INDENT.match(existing.lstrip())
    tree = _update_tree(json.loads(existing), before, data)
    return json.dumps(tree, ensure_ascii=False, indent=indent[1] if indent else None) + "\n"


def _update_tree(tree: Any, before: Any, data: Any) -> Any:
    """Update `tree`, which keeps comments, from `before` to `data`."""
    if before is not None and before == data:
        return tree
    if isinstance(tree, int) and isinstance(data, dict) and set(data) == {"count"}:
        return data["count"]  # a number in place of {count: …}
    if isinstance(tree, dict) and isinstance(data, list) and len(data) == 1:
        first = before[0] if isinstance(before, list) and before else None
        return _update_tree(tree, first, data[0])  # one part in place of a list with one entry
    if isinstance(tree, dict) and isinstance(data, dict):
        known = before if isinstance(before, dict) else {}
        for key in [key for key in tree if key not in data and (before is None or key in known)]:
            del tree[key]
        for key, value in data.items():
            if key not in tree and key in known and known[key] == value:
                continue  # inherited from an extended file or the configuration
            # An explicit default value is not in the shortest form, and is kept.
            said = known.get(key, {} if isinstance(before, dict) and isinstance(value, dict) else None)
            tree[key] = _update_tree(tree[key], said, value) if key in tree else _with_flow_style(value, 1)
        return tree
    if isinstance(tree, list) and isinstance(data, list):
        _update_items(tree, before, data)
        return tree
    return tree if type(tree) is type(data) and tree == data else _with_flow_style(data, 1)


def _update_items(tree: list[Any], before: Any, data: list[Any]) -> None:
    """Update the items to `data`, matched with the old items, so that comments of an item are kept."""
    known = before if isinstance(before, list) and len(before) == len(tree) else [None] * len(tree)
    matcher = SequenceMatcher(None, [*map(_find_identity, known)], [*map(_find_identity, data)], autojunk=False)
    for _, start, end, first, last in reversed(matcher.get_opcodes()):
        pairs = _most_alike(known[start:end], data[first:last])
        items = {new: _update_tree(tree[start + old], known[start + old], data[first + new]) for old, new in pairs}
        kept = {old for old, _ in pairs}
        for old, new in pairs:
            tree[start + old] = items[new]
        for old in reversed(range(end - start)):
            if old not in kept:
                del tree[start + old]
        for new in range(last - first):
            if new not in items:
                tree.insert(start + new, _with_flow_style(data[first + new], 1))


_Pairing = tuple[int, list[tuple[int, int]]]
"""How much is the same in pairs of items, and the pairs."""
_COMPARED_PAIRS_LIMIT = 40_000  # pairs of items above which items are paired by index


def _most_alike(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the index pairs of corresponding items, in order, with the maximum total similarity."""
    if len(old) == len(new) or len(old) * len(new) > _COMPARED_PAIRS_LIMIT:
        return [*zip(range(len(old)), range(len(new)), strict=False)]
    before: list[_Pairing] = [(0, [])] * (len(new) + 1)
    for row, one in enumerate(old):
        best: list[_Pairing] = [(0, [])]
        for column, other in enumerate(new):
            score, pairs = before[column]
            paired = (score + _count_equal_fields(one, other), [*pairs, (row, column)])
            best.append(max(before[column + 1], best[column], paired, key=itemgetter(0)))
        before = best
    return before[-1][1]


def _count_equal_fields(one: Any, other: Any) -> int:
    """Return the similarity of two items."""
    if isinstance(one, dict) and isinstance(other, dict):
        return sum(1 for field, value in one.items() if field in other and other[field] == value)
    return int(one == other)


def _find_identity(item: Any) -> str:
    """Return the key that identifies an item: its id, or all of its contents."""
    name = item.get("id") if isinstance(item, dict) else None
    return json.dumps(item if name is None else {"id": name}, sort_keys=True, default=str)


def _with_flow_style(value: Any, depth: int) -> Any:
    """Return plain data as ruamel dumps it: small collections on one line, and 5 instead of 5.0."""
    if isinstance(value, dict):
        found = CommentedMap((key, _with_flow_style(one, depth + 1)) for key, one in value.items())
        if depth and _is_small(value):
            found.fa.set_flow_style()
        return found
    if isinstance(value, list):
        items = CommentedSeq(_with_flow_style(one, depth + 1) for one in value)
        if _is_small(value):
            items.fa.set_flow_style()
        return items
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_small(value: Any) -> bool:
    """Return whether a collection fits on one line: scalars and short lists of scalars."""
    parts = list(value.values()) if isinstance(value, dict) else value
    flat = all(not isinstance(part, (dict, list)) or (isinstance(part, list) and _is_small(part)) for part in parts)
    return flat and len(str(value)) < 90
