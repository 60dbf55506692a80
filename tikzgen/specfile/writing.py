"""A description as YAML or JSON; onto an existing file, only what differs is changed, and its comments stay."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import Any

from tikzgen.specfile.schema import MODELINE

_INDENT = re.compile(r"^\{\s*\n([ \t]+)\S")


def to_yaml(data: dict[str, Any], existing: str = "", before: Any = None) -> str:
    """The text of a spec for `data`; or the `existing` one with only what differs changed.

    `before` is what the existing text says, in the same shortest form as `data`: fields that it states although they
    are as by default stay stated.
    """
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.indent(mapping=2, sequence=2, offset=0)
    yaml.allow_unicode = True
    out = StringIO()
    tree = yaml.load(existing) if existing.strip() else None
    if isinstance(tree, dict):
        yaml.width = 4096  # lines stay as long as their author made them
        yaml.dump(_updated(tree, before, data), out)
        return out.getvalue()
    yaml.width = 110
    yaml.dump(_styled(data, 0), out)
    head = existing if tree is None and existing.strip() else f"{MODELINE}\n"  # comments alone stay
    return head + out.getvalue()


def to_json(data: dict[str, Any], existing: str, before: Any = None) -> str:
    """The `existing` JSON with only what differs from `before` changed, as in `to_yaml`; `ValueError` if it is none."""
    indent = _INDENT.match(existing.lstrip())
    tree = _updated(json.loads(existing), before, data)
    return json.dumps(tree, ensure_ascii=False, indent=indent[1] if indent else None) + "\n"


def _updated(tree: Any, before: Any, data: Any) -> Any:
    """`tree`, which knows its comments, brought from what it says (`before`) to `data`."""
    if before is not None and before == data:
        return tree
    if isinstance(tree, dict) and isinstance(data, list) and len(data) == 1:
        first = before[0] if isinstance(before, list) and before else None
        return _updated(tree, first, data[0])  # one thing that stands for a list of one
    if isinstance(tree, dict) and isinstance(data, dict):
        known = before if isinstance(before, dict) else {}
        for key in [key for key in tree if key not in data and (before is None or key in known)]:
            del tree[key]
        for key, value in data.items():
            if key not in tree and key in known and known[key] == value:
                continue  # a file that it extends, or the configuration, says so
            # what stands there although it is as by default is no part of what the text says in its shortest form
            said = known.get(key, {} if isinstance(before, dict) and isinstance(value, dict) else None)
            tree[key] = _updated(tree[key], said, value) if key in tree else _styled(value, 1)
        return tree
    if isinstance(tree, list) and isinstance(data, list):
        known_items = before if isinstance(before, list) and len(before) == len(tree) else [None] * len(tree)
        for index, value in enumerate(data[: len(tree)]):
            tree[index] = _updated(tree[index], known_items[index], value)
        added = [_styled(value, 1) for value in data[len(tree) :]]
        del tree[len(data) :]
        tree.extend(added)
        return tree
    return tree if type(tree) is type(data) and tree == data else _styled(data, 1)


def _styled(value: Any, depth: int) -> Any:
    """Plain data as ruamel dumps it: small collections on one line, the rest in blocks."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, dict):
        found = CommentedMap((key, _styled(one, depth + 1)) for key, one in value.items())
        if depth and _small(value):
            found.fa.set_flow_style()
        return found
    if isinstance(value, list):
        items = CommentedSeq(_styled(one, depth + 1) for one in value)
        if _small(value):
            items.fa.set_flow_style()
        return items
    return value


def _small(value: Any) -> bool:
    """Whether a collection fits a line: scalars and short lists of them."""
    parts = list(value.values()) if isinstance(value, dict) else value
    flat = all(not isinstance(part, (dict, list)) or (isinstance(part, list) and _small(part)) for part in parts)
    return flat and len(str(value)) < 90
