"""Code of a TeX source at the offsets of the source, and its groups.

`Code.read_source` reads the code, `group` pairs braces, brackets and environments.
"""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.texfile.source_text import Error, TextSpan
from tikzgen.texfile.tokens import TexToken, find_marks, mask_non_code

_BLANK = " \t\r\n"
_SPAN = tuple.__new__  # half the time of `Span(…)`, for thousands of spans
_NOT_BLANK = pattern_of(r"[^ \t\r\n]")
_PARENTHESIS = pattern_of(r"[(){\[]")
_SEPARATOR = pattern_of(r"\\.|[{},]", re.DOTALL)


class Code(Record):
    """Source text, the same with spaces in place of comments and verbatim, and the end of each group."""

    text: str
    mask: str
    closes: dict[int, int]

    @classmethod
    def read_source(cls, text: str) -> Code:
        """Read the code of a source."""
        tokens, _ = find_marks(text)
        return cls(text, mask_non_code(text, tokens), group(text, tokens).closes)

    def skip(self, at: int, end: int | None = None) -> int:
        """Return the next offset that is not whitespace; `end` if all is whitespace."""
        mask = self.mask
        limit = len(mask) if end is None else end
        if at < limit and mask[at] not in _BLANK:
            return at
        found = _NOT_BLANK.search(mask, at, limit)
        return found.start() if found else limit

    def read_character(self, at: int) -> str:
        """Return the character at an offset; empty at the end."""
        return self.mask[at : at + 1]

    def skip_group(self, at: int) -> int:
        """Return the offset after the group that opens at `at`; `at` + 1 if the group is not closed."""
        return self.closes.get(at, at) + 1

    def find_group_contents(self, at: int) -> TextSpan:
        """Return the contents of the brackets that open at `at`."""
        return _SPAN(TextSpan, (at + 1, self.closes.get(at, at + 1)))

    def after_parenthesis(self, at: int, end: int) -> int:
        """Return the offset after the parenthesis that closes the one at `at`; `end` if it is not closed."""
        depth = 0
        while found := _PARENTHESIS.search(self.mask, at, end):
            if found[0] == "(":
                depth += 1
                at = found.end()
            elif found[0] == ")":
                depth -= 1
                at = found.end()
                if depth == 0:
                    return at
            else:
                at = self.skip_group(found.start())
        return end

    def trim(self, start: int, end: int) -> TextSpan:
        """Return the span without whitespace and comments at its ends."""
        mask = self.mask
        if start < end and mask[start] not in _BLANK and mask[end - 1] not in _BLANK:
            return _SPAN(TextSpan, (start, end))
        part = mask[start:end]
        rest = part.lstrip(_BLANK)
        start += len(part) - len(rest)
        return _SPAN(TextSpan, (start, start + len(rest.rstrip(_BLANK))))

    def trim_span(self, start: int, end: int) -> TextSpan:
        """Return the span without surrounding whitespace and one pair of braces."""
        span = self.trim(start, end)
        if self.read_character(span.start) == "{" and self.closes.get(span.start) == span.end - 1:
            return TextSpan(span.start + 1, span.end - 1)
        return span

    def split_parts(self, start: int, end: int, splitting: re.Pattern[str]) -> list[TextSpan]:
        """Return the spans between separators, ignoring separators in groups.

        `splitting` must match the separators, and opening braces and parentheses.
        """
        found: list[TextSpan] = []
        begin = at = start
        mask, search, closes = self.mask, splitting.search, self.closes
        while mark := search(mask, at, end):
            at = mark.start()
            sign = mask[at]
            if sign == "{":
                at = closes.get(at, at) + 1
            elif sign == "(":
                at = self.after_parenthesis(at, end)
            else:
                found.append(_SPAN(TextSpan, (begin, at)))
                begin = at = at + 1
        found.append(_SPAN(TextSpan, (begin, end)))
        return found


def split_at_commas(text: str) -> list[str]:
    """Split a list at its commas outside braces; trim the parts."""
    found, depth, last = [], 0, 0
    for mark in _SEPARATOR.finditer(text):
        depth += (mark[0] == "{") - (mark[0] == "}")
        if mark[0] == "," and depth == 0:
            found.append(text[last : mark.start()].strip())
            last = mark.end()
    return [*found, text[last:].strip()]


_BRACED_GROUP = pattern_of(r"[ \t\r\n]*\{([^\\%{}\[\] \t\r\n]+|[ \t\r\n]+|\\(?:[A-Za-z@]+|(?s:.))|[\[\]])\}")


class Environment(Record):
    r"""`\begin{name} … \end{name}`; `body` is the span between the two."""

    name: str
    span: TextSpan
    body: TextSpan


class Groups(Record):
    """Pairs of braces and brackets: `closes` maps the offset of an opening one to the offset of its end.

    A bracket without an end is text, as in [0, 1). A brace or an environment without an end is an error, and has no
    entry. Environments are in the order of their beginnings.
    """

    closes: dict[int, int]
    environments: tuple[Environment, ...]
    errors: tuple[Error, ...]


_Open = tuple[str, int, str, int]  # kind, start, environment name, start of the body


def group(text: str, tokens: list[TexToken]) -> Groups:
    """Pair up braces, brackets and environments."""
    closes: dict[int, int] = {}
    environments: list[Environment] = []
    errors: list[Error] = []
    stack: list[_Open] = []
    # Half environments in braces: the other half may be elsewhere, as in \newenvironment{x}{\begin{y}}{\end{y}}.
    begun: list[_Open] = []
    ended: set[str] = set()
    for kind, start, end in tokens:
        if kind == "open" or kind == "left":
            stack.append((kind, start, "", 0))
        elif kind == "close":
            while stack and stack[-1][0] != "open":
                opened = stack.pop()
                begun += [opened] if opened[0] == "begin" else []
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
                    environments.append(Environment(name, TextSpan(at, named[1]), TextSpan(body, start)))
                else:
                    ended.add(named[0])
                    if not any(opened[0] == "open" for opened in stack):
                        errors.append(Error(start, f"\\end{{{named[0]}}} without its \\begin"))
    for opened in [*stack, *(opened for opened in begun if opened[2] not in ended)]:
        _drop(opened, errors)
    environments.sort(key=lambda each: each.span)
    return Groups(closes, tuple(environments), tuple(sorted(errors, key=lambda error: error.at)))


def _name(text: str, at: int) -> tuple[str, int] | None:
    r"""Return the name after a `\begin` or an `\end`, and the end of its braces."""
    named = _BRACED_GROUP.match(text, at)
    return (named[1], named.end()) if named else None


def _begin(stack: list[_Open], name: str) -> int | None:
    """Return the stack index of the start of an environment, even if a brace after it is not closed."""
    for index in range(len(stack) - 1, -1, -1):
        if stack[index][0] == "begin" and stack[index][2] == name:
            return index
    return None


def _drop(opened: _Open, errors: list[Error]) -> None:
    """Record the error of a brace or environment that is not closed."""
    kind, at, name, _ = opened
    if kind == "open":
        errors.append(Error(at, "this brace is never closed"))
    elif kind == "begin":
        errors.append(Error(at, f"\\begin{{{name}}} without its \\end"))
