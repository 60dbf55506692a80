"""A spec with something in it changed: only the lines that say so, everything else to the byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

from tikzgen.errors import TikzgenError

__all__ = ["encoded", "rewritten"]

_TOKEN = re.compile(r"[^\s,:\[\]{}]*$")  # what a change inside a line is widened to

Data = dict[str, Any]


def rewritten(text: str, name: str, before: Data, after: Data, meant: Data) -> str:
    """The spec that says `after` where `text` says `before`; `meant` is the shortest form of what it is to say.

    A writer of YAML spells what it did not change in its own way. So it writes both, and what differs between the two
    is put into the text as its author made it, if the result says what is meant; else its own spelling stands.
    """
    spell = _json if name.lower().endswith(".json") or text.lstrip()[:1] == "{" else _yaml
    base, ours, theirs = (
        spelt.splitlines(keepends=True) for spelt in (spell(text, before, before), spell(text, before, after), text)
    )
    for candidate in _candidates(base, ours, theirs):
        if _says(candidate, name) == meant:
            return candidate
    raise TikzgenError("the file is written in a way that cannot be kept", hint="change it in the file")


def encoded(text: str, before: bytes) -> bytes:
    """The bytes of a text with the line ends and the byte order mark that the file had."""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b"") + text.encode()


def _candidates(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[str]:
    """The texts that may be meant, the one that keeps most first."""
    from tikzgen.edit.merge import merge

    if len(base) == len(theirs):
        yield "".join(_line_by_line(base, ours, theirs))
    yield "".join(merge(base, ours, theirs, "ours").lines)
    yield "".join(ours)


def _line_by_line(base: list[str], ours: list[str], theirs: list[str]) -> Iterator[str]:
    """What leads from `base` to `ours`, done to `theirs`, whose lines are those of `base` in another spelling."""
    for kind, start, stop, first, last in SequenceMatcher(None, base, ours, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from theirs[start:stop]
        elif stop - start == last - first:
            for old, new, line in zip(base[start:stop], ours[first:last], theirs[start:stop], strict=True):
                yield _in_line(old, new, line)
        else:
            yield from ours[first:last]


def _in_line(old: str, new: str, line: str) -> str:
    """The change from `old` to `new` done to a line that says the same as `old`; `new` where it cannot be found."""
    head = _TOKEN.sub("", _common(old, new))
    tail = _TOKEN.sub("", _common(old[len(head) :][::-1], new[len(head) :][::-1]))
    gone, come = (text[len(head) : len(text) - len(tail)] for text in (old, new))
    return line.replace(gone, come) if gone and line.count(gone) == 1 else new


def _common(one: str, other: str) -> str:
    """What both begin with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(char for char, _ in same)


def _yaml(text: str, before: Data, after: Data) -> str:
    from ruamel.yaml.error import YAMLError

    from tikzgen.spec.writing import to_yaml

    try:
        return to_yaml(after, text, before)
    except YAMLError as error:
        raise TikzgenError(f"the file cannot be rewritten: {str(error).splitlines()[0]}") from None


def _json(text: str, before: Data, after: Data) -> str:
    from tikzgen.spec.writing import to_json

    try:
        return to_json(after, text, before)
    except ValueError:
        raise TikzgenError("the file is no plain JSON", hint="change it in the file") from None


def _says(text: str, name: str) -> Any:
    """What a text says in its shortest form; None where it says nothing."""
    from tikzgen.loading import loads
    from tikzgen.rendering.capsule import description

    try:
        return description(loads(text, name=name))
    except TikzgenError:
        return None
