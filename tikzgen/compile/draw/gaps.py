"""Gaps of a partial picture: statements and keys that it lacks, each with its source text and the reasons."""

from __future__ import annotations

import re

from tikzgen.base.plain_words import join_words
from tikzgen.base.record import Record
from tikzgen.compile.draw.option_lists import find_closing, skip_blanks
from tikzgen.compile.draw.unsupported import Unsupported

FAILURES = (Unsupported, RecursionError, OverflowError, ZeroDivisionError)
"""Errors of a statement that cannot be drawn."""
_BEGIN = re.compile(r"\\begin\s*\{([^{}]*)\}")
_MARKS = re.compile(r"\n[ \t]*(?=\\[A-Za-z])|\\.|[{};]", re.DOTALL)
"""Ends of statements outside of braces: a semicolon, or a line before a command."""
_SOURCE_CHARS = 400  # characters of a gap's source text
_MOST_GAPS_COUNT = 200


class DrawingGap(Record):
    """Source text that a picture lacks in part or completely, its first line in the file, and the reasons."""

    line: int
    source: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"line {self.line}: {join_words(self.reasons)} cannot be drawn without TeX"


class Gaps:
    """Collector of gaps while a picture is drawn; equal lines and sources are one gap."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], dict[str, None]] = {}

    def add(self, line: int, source: str, error: Exception) -> None:
        """Add the reason why a source text cannot be drawn."""
        place = (line, source.strip()[:_SOURCE_CHARS])
        if len(self._found) < _MOST_GAPS_COUNT or place in self._found:
            self._found.setdefault(place, {})[explain_failure(error)] = None

    def list_gaps(self) -> tuple[DrawingGap, ...]:
        """Return all gaps in the order of the file."""
        return tuple(
            DrawingGap(line, source, tuple(reasons)) for (line, source), reasons in sorted(self._found.items())
        )


def explain_failure(error: Exception) -> str:
    """Return the name of the element that cannot be drawn."""
    if isinstance(error, Unsupported):
        return error.what
    return "what is nested this deep" if isinstance(error, RecursionError) else "a map without a way back"


def find_statement_end(text: str, at: int) -> int:
    """Return the end of a statement that cannot be read: its semicolon, its environment, or its line."""
    at = skip_blanks(text, at)
    if (found := _BEGIN.match(text, at)) is not None:
        end = text.find(rf"\end{{{found[1]}}}", found.end())
        if end >= 0:
            return end + len(rf"\end{{{found[1]}}}")
    line_end = text.find("\n", at)
    end = _find_end(text, at)
    return end if end > at else line_end if line_end >= 0 else len(text)


def _find_end(text: str, at: int) -> int:
    """Return the end of a statement at a semicolon or before a line with a command; -1 without one."""
    while (found := _MARKS.search(text, at)) is not None:
        if found[0] == ";":
            return found.end()
        if found[0][0] == "\n":
            return found.start()
        if found[0] == "}":
            return -1
        try:
            at = find_closing(text, found.start()) if found[0] == "{" else found.end()
        except Unsupported:
            return -1
    return -1
