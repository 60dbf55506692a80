"""Coordinates and the nodes that they refer to: `(w1.east)`, `([xshift=1pt]w1)`, `($(a)!.5!(b)$)`, `(a -| b.north)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.code import Code
from tikzgen.texfile.source_facts import Coordinate, Option, Reference
from tikzgen.texfile.text import Span

# A name may hold blanks, hyphens and macros; no dot, comma, colon or parenthesis.
_NAME = pattern_of(r"([^.,:;()$\[\]=!|]*?[^.,:;()$\[\]=!|\s])\s*(?:\.\s*([^,:()$\[\]=!|]*?))?\s*$")
_NUMBER = pattern_of(r"[-+\d.\s]+(?:cm|mm|pt|em|ex|in|bp)?$|[+]")
_CORNER = pattern_of(r"\|-|-\|")
_SYSTEM = pattern_of(r"[a-z ]*\bcs:")
_NODE_SYSTEM = pattern_of(r"\bname\s*=\s*([^,)]+)")
_WEIGHT = pattern_of(r"([^,=]+)=")
_PLACED = {"left", "right", "above", "below"}
_DEEPEST = 20  # parentheses in each other
_OF = pattern_of(r"(?<![A-Za-z@\\])of(?=[\s{(\\])\s*")


def coordinate(code: Code, start: int, end: int) -> Coordinate:
    """What stands between the parentheses at `start` and before `end`."""
    span = Span(start + 1, max(end - 1, start + 1))
    inner = _without_options(code, span)
    named = _named(code, inner)
    return Coordinate(span.of(code.text), span, "name" if named else "place")


def in_coordinate(code: Code, span: Span, statement: int | None, depth: int = 0) -> Iterator[Reference]:
    """The nodes that a coordinate refers to; `span` lies inside its parentheses."""
    inner = _without_options(code, span)
    mask = code.mask
    if depth > _DEEPEST:
        return
    if mask.startswith("$", inner.start):
        yield from _in_parentheses(code, inner, "coordinate", statement, depth)
        return
    corner = _CORNER.search(mask, *inner)
    if corner:
        yield from in_coordinate(code, Span(inner.start, corner.start()), statement, depth + 1)
        yield from in_coordinate(code, Span(corner.end(), inner.end), statement, depth + 1)
        return
    system = _SYSTEM.match(mask, *inner)
    if system:
        pattern = _WEIGHT if "barycentric" in system[0] else _NODE_SYSTEM
        for weight in pattern.finditer(mask, system.end(), inner.end):
            name = code.trim(*weight.span(1))
            yield Reference(name.of(code.text), "", name, "coordinate", statement)
        return
    if found := _named(code, inner):
        yield _reference(code, found, "coordinate", statement)
    elif mask.startswith("(", inner.start):  # ((a)!.5!(b)) is no TikZ, but whoever writes it means a and b
        yield from _in_parentheses(code, inner, "coordinate", statement, depth)


def is_whole(code: Code, span: Span, found: Reference) -> bool:
    """Whether a coordinate is nothing but a node or its anchor, as far as its options leave it where it is."""
    before, after = code.mask[span.start : found.span.start].strip(), code.mask[found.span.end : span.end].strip()
    return (not before or before.endswith("]")) and (not after or after.startswith(".")) and not _CORNER.search(after)


def in_options(code: Code, given: tuple[Option, ...], statement: int | None) -> Iterator[Reference]:
    """The nodes that options refer to: `fit=(a)(b)`, `below=2pt of w1`, `at=(a.north)`, `shift={(a)}`."""
    for option in given:
        if option.value_span is None:
            continue
        key = option.key
        if key == "fit" or key == "at" or key == "shift":
            yield from _in_parentheses(code, option.value_span, "fit" if key == "fit" else "coordinate", statement)
        elif key.rpartition(" ")[2] in _PLACED:
            placed = _OF.search(code.mask, *option.value_span)
            if placed:
                name = code.bare(placed.end(), option.value_span.end)
                if code.peek(name.start) == "(":
                    name = Span(name.start + 1, name.end - 1)
                if found := _NAME.match(code.mask, *name):
                    yield _reference(code, found, "of", statement)


def _in_parentheses(code: Code, span: Span, role: str, statement: int | None, depth: int = 0) -> Iterator[Reference]:
    at = span.start
    while (at := code.mask.find("(", at, span.end)) >= 0:
        end = code.after_parenthesis(at, span.end)
        for found in in_coordinate(code, Span(at + 1, end - 1), statement, depth + 1):
            fits = role == "fit"
            yield Reference(found.name, found.anchor, found.span, "fit" if fits else "coordinate", statement)
        at = end


def _without_options(code: Code, span: Span) -> Span:
    start = code.skip(*span)
    if code.peek(start) == "[":
        start = code.after(start)
    return code.trim(start, span.end)


def _named(code: Code, inner: Span) -> re.Match[str] | None:
    if inner.start >= inner.end:
        return None
    found = _NAME.match(code.mask, *inner)
    return None if not found or _NUMBER.match(found[0]) else found


def _reference(code: Code, found: re.Match[str], role: str, statement: int | None) -> Reference:
    name = Span(*found.span(1))
    return Reference(name.of(code.text), found[2] or "", name, role, statement)  # type: ignore[arg-type]
