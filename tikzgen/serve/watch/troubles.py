"""Errors as the page shows them: a line per problem, with its location and an excerpt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tikzgen.base.errors import LatexError, Place, Problem, TikzgenError
from tikzgen.base.record import Record, as_dict
from tikzgen.compile.diagnosis import with_cause

_PLACE = re.compile(r"(?P<line>\d+)(?::(?P<column>\d+))?: ")
_CONTEXT_LINES = 2  # lines before and after the line of an error
_LINE_CHARS = 400  # characters of a line that are shown
_PROBLEM_LIMIT = 20  # problems


class ExcerptLine(Record):
    """A line of an excerpt; `mark` is the column to mark, from 1, or 0."""

    number: int
    text: str
    here: bool = False
    mark: int = 0


class Trouble(Record):
    """A problem: `message` is its line on the command line."""

    message: str
    excerpt: tuple[ExcerptLine, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the message with its excerpt."""
        return {"message": self.message, "excerpt": [as_dict(line) for line in self.excerpt]}


def troubles_of(error: TikzgenError, path: Path, tex: str | None = None) -> tuple[Trouble, ...]:
    """Return each problem of `error` with an excerpt of the file; for a TeX error, of its cause."""
    if isinstance(error, LatexError):
        return (_trouble_of_latex(error, path, tex),)
    told = str(error).splitlines() or [type(error).__name__]
    found = []
    lines: list[str] | None = None
    for message in told[:_PROBLEM_LIMIT]:
        place = _PLACE.match(message, len(str(path)) + 1) if message.startswith(f"{path}:") else None
        if place and lines is None:
            lines = _read_lines(path)
        found.append(Trouble(message, _make_excerpt(lines or [], int(place["line"]), place["column"]) if place else ()))
    more = len(told) - _PROBLEM_LIMIT
    return (*found, Trouble(f"and {more} more"))[: _PROBLEM_LIMIT + 1] if more > 0 else tuple(found)


def _trouble_of_latex(error: LatexError, path: Path, tex: str | None) -> Trouble:
    if tex is not None and error.place is None:
        with_cause(error, tex, path)
    if error.place and error.place.line:
        column = str(error.place.column) if error.place.column else None
        return Trouble(str(error), _make_excerpt(_read_lines(path), error.place.line, column))
    name = path.with_suffix(".tex").name
    place = Place(name, error.line) if error.line else error.place
    message = str(Problem(error.message, error.path, place, error.hint))
    if error.line and tex is not None:
        return Trouble(message, _make_excerpt(tex.split("\n"), error.line, None))
    return Trouble(message, (ExcerptLine(error.line or 0, error.excerpt[:_LINE_CHARS], True),) if error.excerpt else ())


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except OSError:
        return []


def _make_excerpt(lines: list[str], number: int, column: str | None) -> tuple[ExcerptLine, ...]:
    mark = int(column) if column and int(column) <= _LINE_CHARS else 0
    first, last = max(1, number - _CONTEXT_LINES), min(len(lines), number + _CONTEXT_LINES)
    return tuple(
        ExcerptLine(each, lines[each - 1][:_LINE_CHARS].expandtabs(1), each == number, mark if each == number else 0)
        for each in range(first, last + 1)
    )
