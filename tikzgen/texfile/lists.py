r"""The head of a `\foreach`: its variables and the members of its list."""

from __future__ import annotations

import re

from tikzgen.texfile.code import Code
from tikzgen.texfile.source_facts import Member
from tikzgen.texfile.text import Span

__all__ = ["foreach_head"]

_MEMBER = re.compile(r"[,{(]")
_SLASH = re.compile(r"[/{(]")
_VARIABLES = re.compile(r"\s*(\\[A-Za-z@]+(?:\s*/\s*\\[A-Za-z@]+)*)\s*")
_IN = re.compile(r"\s*in\b\s*")
_MACRO = re.compile(r"\\[A-Za-z@]+")


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
            pieces = tuple(code.trim(*piece) for piece in code.parts(*span, _SLASH))
            members.append(Member(span.of(code.text), span, pieces))
    return variables, tuple(members), inside, code.after(at)
