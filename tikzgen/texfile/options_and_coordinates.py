r"""Contents of brackets and parentheses: options with styles, heads of `\foreach`, coordinates, node names.

`[draw=otblue, name/.style={…}]`; `(w1.east)`, `([xshift=1pt]w1)`, `($(a)!.5!(b)$)`, `(a -| b.north)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.code import Code
from tikzgen.texfile.source_facts import ListEntry, Option, Reference, SourceCoordinate, SourceStyle
from tikzgen.texfile.source_text import TextSpan

_COMMA = pattern_of(r"[,{]")
_STYLE = pattern_of(r"(.+?)/\.(style(?: n args| 2 args| args)?|append style|prefix style|pic)\s*$", re.DOTALL)
_NESTING_LIMIT = 20  # nested styles or parentheses


def read_options(code: Code, start: int, end: int) -> tuple[Option, ...]:
    """Return the options between two offsets; commas in braces do not separate."""
    found = []
    text, mask, trim = code.text, code.mask, code.trim
    for part in code.split_parts(start, end, _COMMA):
        span = trim(*part)
        first, last = span
        if first >= last:
            continue
        sign = mask.find("=", first, last)
        if sign < 0 or mask.find("{", first, sign) >= 0:
            found.append(Option(text[first:last], None, span, span, None))
        else:
            key, value = trim(first, sign), trim(sign + 1, last)
            found.append(Option(text[key[0] : key[1]], text[value[0] : value[1]], span, key, value))
    return tuple(found)


def read_styles(code: Code, given: tuple[Option, ...], picture: int | None, depth: int = 0) -> list[SourceStyle]:
    """Return the styles that an option list declares, including nested ones."""
    found: list[SourceStyle] = []
    for option in given:
        if option.value_span is None or "/." not in option.key:
            continue
        declared = _STYLE.match(option.key)
        if not declared:
            continue
        value = (
            _find_style_body(code, option.value_span) if "args" in declared[2] else code.trim_span(*option.value_span)
        )
        name = TextSpan(option.key_span.start, option.key_span.start + len(declared[1].rstrip()))
        extends = declared[2] in ("append style", "prefix style")
        inner = read_options(code, *value) if declared[2] != "pic" else ()
        found.append(SourceStyle(name.extract_from(code.text), inner, option.span, name, value, extends, picture))
        if depth < _NESTING_LIMIT:
            found += read_styles(code, inner, picture, depth + 1)
    return found


def _find_style_body(code: Code, value: TextSpan) -> TextSpan:
    """Return the body of a style with arguments: the last braces of `2 args={…}`, or of `n args={2}{…}`."""
    at, last = value.start, value
    while at < value.end:
        at = code.skip(at, value.end)
        if code.read_character(at) != "{":
            break
        last, at = code.find_group_contents(at), code.skip_group(at)
    return last


_MEMBER = pattern_of(r"[,{(]")
_SLASH = pattern_of(r"[/{(]")
_VARIABLES = pattern_of(r"\s*(\\[A-Za-z@]+(?:\s*/\s*\\[A-Za-z@]+)*)\s*")
_IN_WORD = pattern_of(r"\s*in\b\s*")
_MACRO = pattern_of(r"\\[A-Za-z@]+")


def foreach_head(
    code: Code, at: int, limit: int
) -> tuple[tuple[str, ...], tuple[ListEntry, ...], TextSpan, int] | None:
    r"""Return variables, members, list and start of the body of a `\foreach` whose name ends at `at`.

    Return None if the source is not such a head.
    """
    names = _VARIABLES.match(code.mask, at, limit)
    if not names:
        return None
    at = names.end()
    if code.read_character(at) == "[":
        at = code.skip_group(at)
    keyword = _IN_WORD.match(code.mask, at, limit)
    if not keyword:
        return None
    at = keyword.end()
    variables = tuple(name.strip() for name in names[1].split("/"))
    if code.read_character(at) != "{" or at not in code.closes:
        macro = _MACRO.match(code.mask, at, limit)
        return (variables, (), TextSpan(at, macro.end()), macro.end()) if macro else None
    inside = code.find_group_contents(at)
    members = []
    for part in code.split_parts(*inside, _MEMBER):
        span = code.trim(*part)
        if span.start < span.end:
            braced = (
                len(variables) > 1
                and code.read_character(span.start) == "{"
                and code.skip_group(span.start) == span.end
            )
            parts = code.split_parts(*(code.find_group_contents(span.start) if braced else span), _SLASH)
            pieces = tuple(code.trim(*piece) for piece in parts)
            members.append(ListEntry(span.extract_from(code.text), span, pieces))
    return variables, tuple(members), inside, code.skip_group(at)


# A name may contain spaces, hyphens and macros, but no dot, comma, colon or parenthesis.
_NAME = pattern_of(r"([^.,:;()$\[\]=!|]*?[^.,:;()$\[\]=!|\s])\s*(?:\.\s*([^,:()$\[\]=!|]*?))?\s*$")
_NUMBER = pattern_of(r"[-+\d.\s]+(?:cm|mm|pt|em|ex|in|bp)?$|[+]")
_CORNER = pattern_of(r"\|-|-\|")
_SYSTEM = pattern_of(r"[a-z ]*\bcs:")
_NODE_SYSTEM = pattern_of(r"\bname\s*=\s*([^,)]+)")
_WEIGHT = pattern_of(r"([^,=]+)=")
_SIDES = {"left", "right", "above", "below"}
_OF_WORD = pattern_of(r"(?<![A-Za-z@\\])of(?=[\s{(\\])\s*")


def read_coordinate(code: Code, start: int, end: int) -> SourceCoordinate:
    """Return the coordinate in the parentheses at `start` and before `end`."""
    span = TextSpan(start + 1, max(end - 1, start + 1))
    inner = _without_options(code, span)
    named = _match_name(code, inner)
    return SourceCoordinate(span.extract_from(code.text), span, "name" if named else "place")


def in_coordinate(code: Code, span: TextSpan, statement: int | None, depth: int = 0) -> Iterator[Reference]:
    """Yield the nodes that a coordinate refers to; `span` is inside its parentheses."""
    inner = _without_options(code, span)
    mask = code.mask
    if depth > _NESTING_LIMIT:
        return
    if mask.startswith("$", inner.start):
        yield from _in_parentheses(code, inner, "coordinate", statement, depth)
        return
    corner = _CORNER.search(mask, *inner)
    if corner:
        yield from in_coordinate(code, TextSpan(inner.start, corner.start()), statement, depth + 1)
        yield from in_coordinate(code, TextSpan(corner.end(), inner.end), statement, depth + 1)
        return
    system = _SYSTEM.match(mask, *inner)
    if system:
        pattern = _WEIGHT if "barycentric" in system[0] else _NODE_SYSTEM
        for weight in pattern.finditer(mask, system.end(), inner.end):
            name = code.trim(*weight.span(1))
            yield Reference(name.extract_from(code.text), "", name, "coordinate", statement)
        return
    if found := _match_name(code, inner):
        yield _make_reference(code, found, "coordinate", statement)
    elif mask.startswith("(", inner.start):  # ((a)!.5!(b)) is invalid, but refers to a and b
        yield from _in_parentheses(code, inner, "coordinate", statement, depth)


def is_whole(code: Code, span: TextSpan, found: Reference) -> bool:
    """Return whether a coordinate is only a node or its anchor; options before it are ignored."""
    before, after = code.mask[span.start : found.span.start].strip(), code.mask[found.span.end : span.end].strip()
    return (not before or before.endswith("]")) and (not after or after.startswith(".")) and not _CORNER.search(after)


def in_options(code: Code, given: tuple[Option, ...], statement: int | None) -> Iterator[Reference]:
    """Yield the nodes that options refer to: `fit=(a)(b)`, `below=2pt of w1`, `at=(a.north)`, `shift={(a)}`."""
    for option in given:
        if option.value_span is None:
            continue
        key = option.key
        if key == "fit" or key == "at" or key == "shift":
            yield from _in_parentheses(code, option.value_span, "fit" if key == "fit" else "coordinate", statement)
        elif key.rpartition(" ")[2] in _SIDES:
            placed = _OF_WORD.search(code.mask, *option.value_span)
            if placed:
                name = code.trim_span(placed.end(), option.value_span.end)
                if code.read_character(name.start) == "(":
                    name = TextSpan(name.start + 1, name.end - 1)
                if found := _NAME.match(code.mask, *name):
                    yield _make_reference(code, found, "of", statement)


def _in_parentheses(
    code: Code, span: TextSpan, role: str, statement: int | None, depth: int = 0
) -> Iterator[Reference]:
    at = span.start
    while (at := code.mask.find("(", at, span.end)) >= 0:
        end = code.after_parenthesis(at, span.end)
        for found in in_coordinate(code, TextSpan(at + 1, end - 1), statement, depth + 1):
            fits = role == "fit"
            yield Reference(found.name, found.anchor, found.span, "fit" if fits else "coordinate", statement)
        at = end


def _without_options(code: Code, span: TextSpan) -> TextSpan:
    start = code.skip(*span)
    if code.read_character(start) == "[":
        start = code.skip_group(start)
    return code.trim(start, span.end)


def _match_name(code: Code, inner: TextSpan) -> re.Match[str] | None:
    if inner.start >= inner.end:
        return None
    found = _NAME.match(code.mask, *inner)
    return None if not found or _NUMBER.match(found[0]) else found


def _make_reference(code: Code, found: re.Match[str], role: str, statement: int | None) -> Reference:
    name = TextSpan(*found.span(1))
    return Reference(name.extract_from(code.text), found[2] or "", name, role, statement)  # type: ignore[arg-type]
