"""Text of a diagram: locations, a cursor, and the problems and notes that a reader collects."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NoReturn

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.document import DocumentBuilder

MAX_PARTS_COUNT = 5_000
"""Maximum number of nodes, connections, messages and tasks of a diagram; a figure shows about 60 nodes."""
MAX_GROUP_LEVELS = 16
"""Maximum depth of nested groups and blocks."""
MAX_LABEL_CHARS = 2_000
"""Maximum length of a label, which bounds each search for its end."""
_MAX_PROBLEM_COUNT = 200
"""Maximum number of problems that are listed."""
_ID_CHARS = 40
"""Maximum length of an id that is derived from a name."""

PARTIAL_HINT = "`tikzgen import --partial` leaves it out"

_SPACE = pattern_of(r"[ \t]*")
_BLANK = pattern_of(r"[ \t\n]*")


class Located(dict[str, Any]):
    """A mapping of a spec with the location in the diagram that it comes from."""

    def __init__(self, offset: int, **fields: Any) -> None:
        super().__init__(fields)
        self.offset = offset


class Unreadable(Exception):
    """A statement that a reader does not understand; readers continue with the next statement."""


class DiagramSource:
    """The text of a diagram.

    Unsupported statements are problems. Without `partial` they make the import fail; with it they are left out.
    """

    def __init__(self, text: str, name: str, *, partial: bool = False) -> None:
        self.text = text
        self.name = name
        self.partial = partial
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._ids: dict[str, str] = {}
        self._used: set[str] = set()
        self._part_count = 0

    def locate_offset(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def place_of(self, offset: int) -> Place:
        """Return the location of an offset."""
        return Place(self.name, *self.locate_offset(offset))

    def refuse(self, message: str, offset: int, hint: str = "") -> NoReturn:
        """Raise a `SpecError` with all recorded problems and a last one, which `--partial` cannot leave out."""
        raise SpecError([*self.problems, Problem(message, place=self.place_of(offset), hint=hint)])

    def refuse_empty(self, message: str, hint: str) -> NoReturn:
        """Raise a `SpecError` for a diagram without parts; if problems explain it, only with them."""
        self.check()
        self.refuse(message, 0, hint)

    def report(self, message: str, offset: int, hint: str = "") -> None:
        """Record a problem: an error, or with `partial` a part that is left out."""
        if len(self.problems) >= _MAX_PROBLEM_COUNT:
            self.refuse(f"more than {_MAX_PROBLEM_COUNT} problems", offset, "correct the first ones")
        hint = hint if self.partial else hint or PARTIAL_HINT
        problem = Problem(message, place=self.place_of(offset), hint=hint)
        if problem not in self.problems:  # a class of D2 is read for each of its members
            self.problems.append(problem)

    def reject(self, message: str, offset: int, hint: str = "") -> NoReturn:
        """Record a problem and leave the statement."""
        self.report(message, offset, hint)
        raise Unreadable

    def add_note(self, message: str, offset: int) -> None:
        """Record a change that is not an error, such as another id."""
        self.notes.append(Problem(message, place=self.place_of(offset)))

    def check(self) -> None:
        """Raise a `SpecError` if there are problems, unless the import is partial."""
        if self.problems and not self.partial:
            raise SpecError(self.problems)

    def count_part(self, offset: int) -> None:
        """Count a node, a connection, a message or a task. Raise `SpecError` for too many."""
        self._part_count += 1
        self.check_count(self._part_count, offset)

    def check_count(self, count: int, offset: int) -> None:
        """Raise `SpecError` for too many parts."""
        if count > MAX_PARTS_COUNT:
            self.refuse(f"more than {MAX_PARTS_COUNT} nodes and connections", offset, "import a part of the diagram")

    def check_depth(self, depth: int, offset: int) -> None:
        """Raise `SpecError` for too many nested groups or blocks."""
        if depth > MAX_GROUP_LEVELS:
            self.refuse(f"nested more than {MAX_GROUP_LEVELS} levels deep", offset, "flatten the diagram")

    def id_of(self, name: str, offset: int) -> str:
        """Return the id in the spec for a name in the diagram; one name has one id."""
        if name not in self._ids:
            self._ids[name] = self.make_id(name, offset)
        return self._ids[name]

    def make_id(self, name: str, offset: int) -> str:
        """Return a new id for a name or a label, and note it if another part has the usual id of this name."""
        plain = unicodedata.normalize("NFKD", name[:MAX_LABEL_CHARS]).encode("ascii", "ignore").decode()
        words = "-".join(re.findall("[A-Za-z0-9]+", plain))[:_ID_CHARS].strip("-")
        usual = words if words[:1].isalpha() else f"n{words or 1}"
        found, number = usual, 1
        while found.lower() in self._used:
            number += 1
            found = f"{usual}-{number}" if words else f"n{number}"
        if found != usual and words:
            self.add_note(f"{quote(name)} has the id {quote(found)}, because {quote(usual)} is in use", offset)
        self._used.add(found.lower())
        return found


class DiagramCursor:
    """A position in the text of a diagram, up to an end."""

    def __init__(self, source: DiagramSource, at: int = 0, end: int | None = None) -> None:
        self.source = source
        self.text = source.text
        self.at = at
        self.end = len(source.text) if end is None else end

    @property
    def is_done(self) -> bool:
        """Whether the cursor is at the end."""
        return self.at >= self.end

    @property
    def rest_of_line(self) -> str:
        """The text up to the end of the line, of at most one label."""
        return self.text[self.at : self.find_line_end()][:MAX_LABEL_CHARS]

    @property
    def next_word(self) -> str:
        """The rest of the line for a message, in quotes."""
        found = self.rest_of_line.split(";")[0].strip()
        return quote(found) if found else "the end of the line"

    def find_line_end(self) -> int:
        """Return the offset of the end of the line."""
        found = self.text.find("\n", self.at, self.end)
        return self.end if found < 0 else found

    def skip_spaces(self, *, lines: bool = False) -> None:
        """Skip spaces, and with `lines` also line breaks."""
        self.at = (_BLANK if lines else _SPACE).match(self.text, self.at, self.end).end()  # type: ignore[union-attr]

    def skip_line(self) -> None:
        """Go to the beginning of the next line."""
        self.at = min(self.find_line_end() + 1, self.end)

    def accept(self, sign: str) -> bool:
        """Return whether a string follows, and skip it."""
        if not self.text.startswith(sign, self.at, self.end):
            return False
        self.at += len(sign)
        return True

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of a pattern at the cursor, and skip it."""
        found = pattern.match(self.text, self.at, self.end)
        if found:
            self.at = found.end()
        return found

    def read_until(self, closers: Sequence[str], what: str, *, on_line: bool = False) -> tuple[str, str]:
        """Return the text before the first of the closers, at most on this line, and the closer; skip both.

        Leave the statement if there is no closer within the length of a label.
        """
        begin = self.at
        limit = min(self.find_line_end() if on_line else self.end, begin + MAX_LABEL_CHARS)
        found = [(at, closer) for closer in closers if (at := self.text.find(closer, begin, limit)) >= 0]
        if not found:
            ends = " or ".join(quote(closer) if closer != '"' else "a quotation mark" for closer in closers)
            self.source.reject(f"{what} is not closed", begin, f"end it with {ends}")
        at, closer = min(found, key=lambda pair: (pair[0], -len(pair[1])))
        self.at = at + len(closer)
        return self.text[begin:at], closer


def add_data(builder: DocumentBuilder, value: Any, source: DiagramSource, mark: tuple[int, int] = (1, 1)) -> None:
    """Add plain data to a builder; fields have the location of the nearest `Located` around them."""
    if isinstance(value, Located):
        mark = source.locate_offset(value.offset)
    if isinstance(value, dict):
        builder.begin({}, mark)
        for key, part in value.items():
            builder.add_key(key, mark)
            add_data(builder, part, source, mark)
        builder.end()
    elif isinstance(value, list):
        builder.begin([], mark)
        for part in value:
            add_data(builder, part, source, mark)
        builder.end()
    else:
        builder.add_scalar(value, mark)
