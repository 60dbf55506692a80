"""What TeX reads of a source, at the offsets of the source, with a way over its groups."""

from __future__ import annotations

import re

from tikzgen.base.record import Record
from tikzgen.texfile.text import Span

__all__ = ["Code"]

_BLANK = " \t\r\n"
_SPAN = tuple.__new__  # half the time that `Span(…)` takes, and there are thousands
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_PARENTHESIS = re.compile(r"[(){\[]")


class Code(Record):
    """The text, the same with blanks for what is not code, and where each brace and bracket closes."""

    text: str
    mask: str
    closes: dict[int, int]

    def skip(self, at: int, end: int | None = None) -> int:
        """The next place that is not blank, `end` where there is none."""
        mask = self.mask
        limit = len(mask) if end is None else end
        if at < limit and mask[at] not in _BLANK:
            return at
        found = _NOT_BLANK.search(mask, at, limit)
        return found.start() if found else limit

    def peek(self, at: int) -> str:
        """The character at a place; nothing behind the end."""
        return self.mask[at : at + 1]

    def after(self, at: int) -> int:
        """The place after the group that opens at `at`; after the character alone where nothing closes it."""
        return self.closes.get(at, at) + 1

    def inside(self, at: int) -> Span:
        """What stands between the brackets that open at `at`."""
        return _SPAN(Span, (at + 1, self.closes.get(at, at + 1)))

    def after_parenthesis(self, at: int, end: int) -> int:
        """The place after the parenthesis that closes the one at `at`; `end` where none does."""
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
                at = self.after(found.start())
        return end

    def trim(self, start: int, end: int) -> Span:
        """The span without the blanks at its ends, measured in the code: a comment is blank."""
        mask = self.mask
        if start < end and mask[start] not in _BLANK and mask[end - 1] not in _BLANK:
            return _SPAN(Span, (start, end))
        part = mask[start:end]
        rest = part.lstrip(_BLANK)
        start += len(part) - len(rest)
        return _SPAN(Span, (start, start + len(rest.rstrip(_BLANK))))

    def bare(self, start: int, end: int) -> Span:
        """The span without the blanks and the pair of braces around it."""
        span = self.trim(start, end)
        if self.peek(span.start) == "{" and self.closes.get(span.start) == span.end - 1:
            return Span(span.start + 1, span.end - 1)
        return span

    def parts(self, start: int, end: int, splitting: re.Pattern[str]) -> list[Span]:
        """The spans between what `splitting` finds, which also finds what opens a group, to be passed over."""
        found: list[Span] = []
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
                found.append(_SPAN(Span, (begin, at)))
                begin = at = at + 1
        found.append(_SPAN(Span, (begin, end)))
        return found
