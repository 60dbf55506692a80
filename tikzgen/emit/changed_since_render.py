"""Changes by operations since a render, which a render of a spec without them would undo."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from zlib import crc32

from tikzgen.spec.embedded_spec import SIZES, extract_spec, identity_of, is_untouched, split_file

_RECIPE = "recipe"
_MOST_PATHS_COUNT = 100  # recorded paths: removing a span changes the paths of later ones
_OWN_KEYS = ("tikzgen", SIZES)  # keys for records of the file itself


def edited_since(before: Mapping[str, Any], recorded: Mapping[str, str], now: Mapping[str, Any]) -> dict[str, str]:
    """Return the paths of the values that differ from the render, with a hash of each value then.

    `before` is the description when it was opened. `recorded` has the values that operations had changed by then.
    """
    first = dict(_list_leaves(before)) | dict(recorded)
    if before.get(_RECIPE) != now.get(_RECIPE) or _RECIPE in recorded:
        return {_RECIPE: first[_RECIPE]}  # the recipe was detached, so every value is new
    last = dict(_list_leaves(now))
    paths = [*last, *(path for path in first if path not in last)]
    changed = (path for path in paths if first.get(path, "") != last.get(path, ""))
    return {path: first.get(path, "") for path in islice(changed, _MOST_PATHS_COUNT)}


def find_undone(there: str, new: str) -> list[str]:
    """Return the paths that operations changed in `there` and `new` would reset, except stated ones."""
    if '"edited"' not in there or (identity := identity_of(_read_embedded_data(there))) is None:
        return []
    inside = _read_embedded_data(new)
    made, anew = dict(_list_leaves(inside)), identity_of(inside)
    said = {each.partition("=")[0] for each in anew.given} if anew else set()
    return [path for path, was in identity.edited.items() if made.get(path, "") == was and path not in said]


def says_the_same(there: str, new: str) -> bool:
    """Return whether an untouched file has the same description and TikZ as `new`.

    The source may differ: the spec, options that override it, or operations.
    """
    (head, _, tail), (made, _, end) = split_file(there), split_file(new)
    return (head, tail) == (made, end) and is_untouched(there) and records_the_same(there, new)


def records_the_same(there: str, new: str) -> bool:
    """Return whether two files record the same description, lines, layout and metadata, of any source."""
    return _read_unsigned(there) == _read_unsigned(new)


def _read_unsigned(text: str) -> dict[str, Any]:
    """Return the embedded description without the records of operations, settings and manual edits."""
    inside = _read_embedded_data(text)
    told = inside.get(_OWN_KEYS[0])
    if not isinstance(told, dict):
        return inside
    return inside | {_OWN_KEYS[0]: {**told, "edited": {}, "given": [], "lifted": []}}


def _read_embedded_data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(extract_spec(text) or "{}")
    except (ValueError, RecursionError):  # a forged digest can cover invalid JSON
        data = None
    return data if isinstance(data, dict) else {}


def _list_leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values in a description as hashes, with their paths: ids of parts, or else indices."""
    if isinstance(value, Mapping) and value:
        for name, entry in value.items():
            if path or name not in _OWN_KEYS:
                yield from _list_leaves(entry, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        for place, entry in enumerate(value):
            name = entry.get("id", place) if isinstance(entry, Mapping) else place
            yield from _list_leaves(entry, f"{path}.{name}")
    else:
        yield path, f"{crc32(json.dumps(value, sort_keys=True).encode()):08x}"
