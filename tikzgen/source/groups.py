"""Groups: which brace, bracket and environment closes which, and what closes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from tikzgen.source.text import Error, Span
from tikzgen.source.tokens import Token

__all__ = ["Environment", "Groups", "group"]


@dataclass(frozen=True, slots=True)
class Environment:
    r"""`\begin{name} … \end{name}`; `body` lies between the two."""

    name: str
    span: Span
    body: Span


@dataclass(frozen=True, slots=True)
class Groups:
    """`closes` leads from the offset of an opening brace or bracket to the offset of the one that closes it.

    A bracket that nothing closes is text, as in [0, 1); a brace or an environment that nothing closes is an error, and
    has no entry. Environments are in the order of their beginnings.
    """

    closes: dict[int, int]
    environments: tuple[Environment, ...]
    errors: tuple[Error, ...]


@dataclass(slots=True)
class _Open:
    kind: str
    at: int
    name: str = ""
    body: int = 0


def group(text: str, tokens: list[Token]) -> Groups:
    """Pair up braces, brackets and environments."""
    closes: dict[int, int] = {}
    environments: list[Environment] = []
    errors: list[Error] = []
    stack: list[_Open] = []
    for index, (kind, start, end) in enumerate(tokens):
        if kind == "open" or kind == "left":
            stack.append(_Open(kind, start))
        elif kind == "close":
            while stack and stack[-1].kind != "open":
                _drop(stack.pop(), errors, inside=True)
            if stack:
                closes[stack.pop().at] = start
            else:
                errors.append(Error(start, "this brace closes nothing"))
        elif kind == "right":
            if stack and stack[-1].kind == "left":
                closes[stack.pop().at] = start
        elif kind == "word" and (end - start == 6 or end - start == 4):
            word = text[start:end]
            if word == "\\begin" and (named := _name(text, tokens, index)):
                stack.append(_Open("begin", start, *named))
            elif word == "\\end" and (named := _name(text, tokens, index)):
                found = _begin(stack, named[0])
                if found is not None:
                    for opened in stack[found + 1 :]:
                        _drop(opened, errors)
                    begin = stack[found]
                    del stack[found:]
                    environments.append(
                        Environment(begin.name, Span(begin.at, named[1]), Span(begin.body, start)),
                    )
                elif not any(opened.kind == "open" for opened in stack):
                    errors.append(Error(start, f"\\end{{{named[0]}}} without its \\begin"))
    for opened in stack:
        _drop(opened, errors)
    environments.sort(key=lambda each: each.span)
    return Groups(closes, tuple(environments), tuple(sorted(errors)))


def _name(text: str, tokens: list[Token], index: int) -> tuple[str, int] | None:
    r"""The name behind a `\begin` or an `\end`, and where its brace ends."""
    following = tokens[index + 1 : index + 5]
    if following and following[0].kind == "space":
        del following[0]
    if len(following) >= 3 and following[0].kind == "open" and following[2].kind == "close":
        return text[following[1].start : following[1].end], following[2].end
    return None


def _begin(stack: list[_Open], name: str) -> int | None:
    """The index of the beginning of an environment; a brace in between was left open, and does not hide it."""
    for index in range(len(stack) - 1, -1, -1):
        opened = stack[index]
        if opened.kind == "begin" and opened.name == name:
            return index
    return None


def _drop(opened: _Open, errors: list[Error], *, inside: bool = False) -> None:
    r"""Note what was never closed; inside braces an environment may be, as in `\newenvironment{x}{\begin{y}}{…}`."""
    if opened.kind == "open":
        errors.append(Error(opened.at, "this brace is never closed"))
    elif opened.kind == "begin" and not inside:
        errors.append(Error(opened.at, f"\\begin{{{opened.name}}} without its \\end"))
