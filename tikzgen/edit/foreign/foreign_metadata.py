"""The metadata beside a figure of others: its parameters follow, and every other byte of the file stays."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["kept_in_step"]

_OBJECT = re.compile(r"\{")
_SEPARATOR = re.compile(r"\s*,\s*")


def kept_in_step(text: str, before: Mapping[str, str], after: Mapping[str, str], meanings: Mapping[str, str]) -> str:
    """The text of the metadata with the parameters that came, went or have another value, by macro.

    `meanings` says what those mean that came. A parameter that came is listed behind the one before it in the figure.
    A file that is no JSON stays as it is.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    for name in before.keys() - after.keys():
        text = _without(text, name)
    names = list(after)
    for place, name in enumerate(names):
        if name not in before:
            text = _with(text, name, meanings.get(name, "text"), names[place - 1] if place else "")
        elif before[name] != after[name]:
            text = _changed(text, name, before[name], after[name])
    return text


def _find(text: str, name: str) -> tuple[int, int, dict[str, Any]] | None:
    """Where the object of a parameter stands, and the object."""
    decoder = json.JSONDecoder()
    for opening in _OBJECT.finditer(text):
        try:
            found, end = decoder.raw_decode(text, opening.start())
        except ValueError:  # a brace in a text
            continue
        if found.get("name") == name and "type" in found:
            return opening.start(), end, found
    return None


def _without(text: str, name: str) -> str:
    if (place := _find(text, name)) is None:
        return text
    start, end, _ = place
    comma = text[:start].rstrip()
    if comma.endswith(","):
        return comma[:-1] + text[end:]
    after = _SEPARATOR.match(text, end)
    return text[:start] + text[after.end() if after else end :]


def _with(text: str, name: str, meaning: str, neighbour: str) -> str:
    if _find(text, name) or (place := _find(text, neighbour)) is None:
        return text
    start, end, found = place
    head = text[:start].rstrip()
    blanks = text[len(head) : start]
    new = {key: value for key, value in found.items() if key != "default"} | {"name": name, "meaning": meaning}
    return f"{text[:end]},{blanks}{json.dumps(new, ensure_ascii=False)}{text[end:]}"


def _changed(text: str, name: str, before: str, after: str) -> str:
    place = _find(text, name)
    if place is None or str(place[2].get("default")) != before:
        return text
    start, end, _ = place
    old, new = (json.dumps(value, ensure_ascii=False) for value in (before, after))
    return (
        text[:start]
        + re.sub(rf'("default"\s*:\s*){re.escape(old)}', lambda found: found[1] + new, text[start:end], count=1)
        + text[end:]
    )
