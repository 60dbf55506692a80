"""Groups: which brace, bracket and environment closes which, and what closes nothing."""

from __future__ import annotations

import re

from tikzgen.base.record import Record
from tikzgen.texfile.text import Error, Span
from tikzgen.texfile.tokens import Token

__all__ = ["Environment", "Groups", "group"]


_NAME = re.compile(r"[ \t\r\n]*\{([^\\%{}\[\] \t\r\n]+|[ \t\r\n]+|\\(?:[A-Za-z@]+|(?s:.))|[\[\]])\}")


class Environment(Record):
    r"""`\begin{name} … \end{name}`; `body` lies between the two."""

    name: str
    span: Span
    body: Span


class Groups(Record):
    """`closes` leads from the offset of an opening brace or bracket to the offset of the one that closes it.

    A bracket that nothing closes is text, as in [0, 1); a brace or an environment that nothing closes is an error, and
    has no entry. Environments are in the order of their beginnings.
    """

    closes: dict[int, int]
    environments: tuple[Environment, ...]
    errors: tuple[Error, ...]


_Open = tuple[str, int, str, int]  # the kind, where it begins, the name of an environment, where its body begins


def group(text: str, tokens: list[Token]) -> Groups:
    """Pair up braces, brackets and environments."""
    closes: dict[int, int] = {}
    environments: list[Environment] = []
    errors: list[Error] = []
    stack: list[_Open] = []
    for kind, start, end in tokens:
        if kind == "open" or kind == "left":
            stack.append((kind, start, "", 0))
        elif kind == "close":
            while stack and stack[-1][0] != "open":
                _drop(stack.pop(), errors, inside=True)
            if stack:
                closes[stack.pop()[1]] = start
            else:
                errors.append(Error(start, "this brace closes nothing"))
        elif kind == "right":
            if stack and stack[-1][0] == "left":
                closes[stack.pop()[1]] = start
        elif kind == "word" and (end - start == 6 or end - start == 4):
            word = text[start:end]
            if word == "\\begin" and (named := _name(text, end)):
                stack.append(("begin", start, *named))
            elif word == "\\end" and (named := _name(text, end)):
                found = _begin(stack, named[0])
                if found is not None:
                    for opened in stack[found + 1 :]:
                        _drop(opened, errors)
                    _, at, name, body = stack[found]
                    del stack[found:]
                    environments.append(Environment(name, Span(at, named[1]), Span(body, start)))
                elif not any(opened[0] == "open" for opened in stack):
                    errors.append(Error(start, f"\\end{{{named[0]}}} without its \\begin"))
    for opened in stack:
        _drop(opened, errors)
    environments.sort(key=lambda each: each.span)
    return Groups(closes, tuple(environments), tuple(sorted(errors)))


def _name(text: str, at: int) -> tuple[str, int] | None:
    r"""The name behind a `\begin` or an `\end`, and where its brace ends."""
    named = _NAME.match(text, at)
    return (named[1], named.end()) if named else None


def _begin(stack: list[_Open], name: str) -> int | None:
    """The index of the beginning of an environment; a brace in between was left open, and does not hide it."""
    for index in range(len(stack) - 1, -1, -1):
        if stack[index][0] == "begin" and stack[index][2] == name:
            return index
    return None


def _drop(opened: _Open, errors: list[Error], *, inside: bool = False) -> None:
    r"""Note what was never closed; inside braces an environment may be, as in `\newenvironment{x}{\begin{y}}{…}`."""
    kind, at, name, _ = opened
    if kind == "open":
        errors.append(Error(at, "this brace is never closed"))
    elif kind == "begin" and not inside:
        errors.append(Error(at, f"\\begin{{{name}}} without its \\end"))
