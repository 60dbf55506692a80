r"""Lists: options with their styles, `[draw=otblue, name/.style={…}]`, and the members of a `\foreach`."""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.texfile.code import Code
from tikzgen.texfile.source_facts import Member, Option, Style
from tikzgen.texfile.text import Span

_COMMA = pattern_of(r"[,{]")
_STYLE = pattern_of(r"(.+?)/\.(style(?: n args| 2 args| args)?|append style|prefix style|pic)\s*$", re.DOTALL)
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
            found.append(Option(text[first:last], None, span, span, None))
        else:
            key, value = trim(first, sign), trim(sign + 1, last)
            found.append(Option(text[key[0] : key[1]], text[value[0] : value[1]], span, key, value))
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


_MEMBER = pattern_of(r"[,{(]")
_SLASH = pattern_of(r"[/{(]")
_VARIABLES = pattern_of(r"\s*(\\[A-Za-z@]+(?:\s*/\s*\\[A-Za-z@]+)*)\s*")
_IN = pattern_of(r"\s*in\b\s*")
_MACRO = pattern_of(r"\\[A-Za-z@]+")


def foreach_head(code: Code, at: int, limit: int) -> tuple[tuple[str, ...], tuple[Member, ...], Span, int] | None:
    r"""The variables, the members and the list of a `\foreach` whose name ends at `at`, and where its body begins."""
    names = _VARIABLES.match(code.mask, at, limit)
    if not names:
        return None
    at = names.end()
    if code.peek(at) == "[":
        at = code.after(at)
    keyword = _IN.match(code.mask, at, limit)
    if not keyword:
        return None
    at = keyword.end()
    variables = tuple(name.strip() for name in names[1].split("/"))
    if code.peek(at) != "{" or at not in code.closes:
        macro = _MACRO.match(code.mask, at, limit)
        return (variables, (), Span(at, macro.end()), macro.end()) if macro else None
    inside = code.inside(at)
    members = []
    for part in code.parts(*inside, _MEMBER):
        span = code.trim(*part)
        if span.start < span.end:
            braced = len(variables) > 1 and code.peek(span.start) == "{" and code.after(span.start) == span.end
            parts = code.parts(*(code.inside(span.start) if braced else span), _SLASH)
            pieces = tuple(code.trim(*piece) for piece in parts)
            members.append(Member(span.of(code.text), span, pieces))
    return variables, tuple(members), inside, code.after(at)
