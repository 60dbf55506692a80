"""Option lists: `[draw=otblue, ->, name/.style={…}]`, with a span for each key and each value."""

from __future__ import annotations

import re

from tikzgen.texfile.code import Code
from tikzgen.texfile.source_facts import Option, Style
from tikzgen.texfile.text import Span

__all__ = ["options", "styles"]

_COMMA = re.compile(r"[,{]")
_STYLE = re.compile(r"(.+?)/\.(style(?: n args| 2 args| args)?|append style|prefix style|pic)\s*$", re.DOTALL)
_OPTION = tuple.__new__  # half the time that `Option(…)` takes, and there are hundreds
_DEEPEST = 20  # styles in each other


def options(code: Code, start: int, end: int) -> tuple[Option, ...]:
    """The keys between two places; commas inside braces separate nothing."""
    found = []
    text, mask, trim = code.text, code.mask, code.trim
    for part in code.parts(start, end, _COMMA):
        span = trim(*part)
        first, last = span
        if first >= last:
            continue
        sign = mask.find("=", first, last)
        if sign < 0 or mask.find("{", first, sign) >= 0:
            found.append(_OPTION(Option, (text[first:last], None, span, span, None)))
        else:
            key, value = trim(first, sign), trim(sign + 1, last)
            given = (text[key[0] : key[1]], text[value[0] : value[1]], span, key, value)
            found.append(_OPTION(Option, given))
    return tuple(found)


def styles(code: Code, given: tuple[Option, ...], picture: int | None, depth: int = 0) -> list[Style]:
    """The styles that an option list declares, and those inside them."""
    found: list[Style] = []
    for option in given:
        if option.value_span is None or "/." not in option.key:
            continue
        declared = _STYLE.match(option.key)
        if not declared:
            continue
        value = _body(code, option.value_span) if "args" in declared[2] else code.bare(*option.value_span)
        name = Span(option.key_span.start, option.key_span.start + len(declared[1].rstrip()))
        extends = declared[2] in ("append style", "prefix style")
        inner = options(code, *value) if declared[2] != "pic" else ()
        found.append(Style(name.of(code.text), inner, option.span, name, value, extends, picture))
        if depth < _DEEPEST:
            found += styles(code, inner, picture, depth + 1)
    return found


def _body(code: Code, value: Span) -> Span:
    """The last braces of `2 args={…}`, or of `n args={2}{…}`: what a style with arguments stands for."""
    at, last = value.start, value
    while at < value.end:
        at = code.skip(at, value.end)
        if code.peek(at) != "{":
            break
        last, at = code.inside(at), code.after(at)
    return last
