"""Syntax of D2: maps of fields and connections, with strings, block strings and comments."""

from __future__ import annotations

import re
from typing import NoReturn

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.diagram_source import MAX_LABEL_CHARS, DiagramCursor, DiagramSource

_KEY = pattern_of(
    r"(?:[^\s:;{}.#\"'|()\[\]<>*&\\-]|\\.|-(?![->])|[ \t]+(?![\s:;{}.#<>-]|$)|[ \t]+-(?![->]))+", re.MULTILINE
)
_ARROW = pattern_of(r"<-+>?|-+>|--+")
_VALUE = pattern_of(r"(?:[^\n;{}\\#]|\\.|(?<![ \t:])#)*")
_INDEX = pattern_of(r"\[([0-9]{1,4})\]")
_BLOCK = pattern_of(r"(\|+)([`]?)([A-Za-z0-9]*)[ \t]*")
_COMMENT = pattern_of(r'#[^\n]*|"""')
_ESCAPE = pattern_of(r"\\(.)")


class D2Value(Record):
    """A scalar: its text, its offset, and the language of a block string."""

    text: str
    offset: int
    language: str = ""


class D2Connection(Record):
    """A connection between two paths: `->`, `<-`, `<->` or `--`."""

    source: tuple[str, ...]
    arrow: str
    target: tuple[str, ...]


class D2Entry(Record):
    """A field, or connections, with a value and the entries of a map."""

    offset: int
    path: tuple[str, ...]
    connections: tuple[D2Connection, ...] = ()
    index: int | None = None
    """Number of the connection that the entry changes, as in `(a -> b)[0]`."""
    value: D2Value | None = None
    entries: tuple[D2Entry, ...] = ()
    has_map: bool = False


def parse_d2(source: DiagramSource) -> tuple[D2Entry, ...]:
    """Return the entries of a D2 file. Raise `SpecError` for invalid syntax."""
    parser = _D2Parser(source)
    entries = parser.parse_entries(0)
    return tuple(entries)


class _D2Parser:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._cursor = DiagramCursor(source)

    def parse_entries(self, depth: int) -> list[D2Entry]:
        """Return the entries up to the closing brace, or to the end of the file."""
        cursor = self._cursor
        entries: list[D2Entry] = []
        begin = cursor.at - 1
        self._source.check_depth(depth, max(begin, 0))
        while True:
            self._skip_blanks()
            if cursor.is_done:
                if depth:
                    self._source.refuse("the map is not closed", begin, 'end it with "}"')
                return entries
            if cursor.text[cursor.at] == "}":
                if not depth:
                    self._refuse('"}" without a map', "remove it")
                cursor.at += 1
                return entries
            if entry := self._parse_entry(depth):
                entries.append(entry)

    def _refuse(self, message: str, hint: str) -> NoReturn:
        self._source.refuse(message, self._cursor.at, hint)

    def _skip_blanks(self) -> None:
        """Skip spaces, line breaks, semicolons and comments."""
        cursor = self._cursor
        while True:
            cursor.skip_spaces(lines=True)
            begin = cursor.at
            if cursor.accept(";"):
                continue
            found = cursor.match(_COMMENT)
            if found is None:
                return
            if found[0] == '"""':
                end = cursor.text.find('"""', cursor.at)
                if end < 0:
                    self._source.refuse("the comment is not closed", begin, 'end it with """')
                cursor.at = end + 3

    def _parse_entry(self, depth: int) -> D2Entry | None:
        cursor = self._cursor
        begin = cursor.at
        if cursor.text.startswith(("...", "&", "!&"), begin) or cursor.text[begin] in "*":
            self._source.report(f"unsupported {quote(cursor.rest_of_line.strip())}", begin)
            self._skip_statement()
            return None
        is_grouped = cursor.accept("(")
        paths, arrows = [self._parse_path()], []
        while arrow := self._parse_arrow():
            arrows.append(arrow)
            paths.append(self._parse_path())
        index = None
        if is_grouped:
            cursor.skip_spaces()
            found = cursor.match(_INDEX) if cursor.accept(")") else None
            if found is None or not arrows:
                self._refuse("expected the number of a connection", 'write "(a -> b)[0]"')
            index = int(found[1])
        below = self._parse_path() if is_grouped and cursor.accept(".") else ()
        connections = tuple(
            D2Connection(source, arrow, target) for source, arrow, target in zip(paths, arrows, paths[1:], strict=False)
        )
        value, entries, has_map = self._parse_value(depth)
        path = below if arrows else paths[0]
        return D2Entry(begin, path, connections, index, value, tuple(entries), has_map)

    def _skip_statement(self) -> None:
        """Skip to the end of the statement, over maps and lists that begin in it."""
        cursor, depth = self._cursor, 0
        while not cursor.is_done:
            char = cursor.text[cursor.at]
            if not depth and char in "\n;}":
                return
            depth += (char in "{[") - (char in "]}")
            cursor.at += 1

    def _parse_arrow(self) -> str:
        self._cursor.skip_spaces()
        found = self._cursor.match(_ARROW)
        if found is None:
            return ""
        tail, head = found[0].startswith("<"), found[0].endswith(">")
        return ("<->" if head else "<-") if tail else ("->" if head else "--")

    def _parse_path(self) -> tuple[str, ...]:
        steps = [self._parse_key()]
        while self._cursor.accept("."):
            steps.append(self._parse_key())
        return tuple(steps)

    def _parse_key(self) -> str:
        cursor = self._cursor
        cursor.skip_spaces()
        begin = cursor.at
        for mark in ('"', "'"):
            if cursor.accept(mark):
                return self._parse_string(mark, begin)
        found = cursor.match(_KEY)
        if found is None:
            self._refuse(f"expected a name, found {cursor.next_word}", "put names with signs in double quotes")
        key = _ESCAPE.sub(r"\1", found[0]).strip()
        if len(key) > MAX_LABEL_CHARS:
            self._source.refuse("the name is too long", begin, f"use at most {MAX_LABEL_CHARS} characters")
        return key

    def _parse_string(self, mark: str, begin: int) -> str:
        """Return a string in quotes, whose first quotation mark has been read."""
        cursor = self._cursor
        start = cursor.at
        while True:
            end = cursor.text.find(mark, cursor.at)
            if end < 0 or end - start > MAX_LABEL_CHARS:
                self._source.refuse("the string is not closed", begin, "end it with a quotation mark")
            cursor.at = end + 1
            if mark == "'" or not _is_escaped(cursor.text, end, start):
                text = cursor.text[start:end]
                return text if mark == "'" else _ESCAPE.sub(_replace_escape, text)

    def _parse_value(self, depth: int) -> tuple[D2Value | None, list[D2Entry], bool]:
        """Return the value after a colon, and the entries of a map."""
        cursor = self._cursor
        cursor.skip_spaces()
        has_colon = cursor.accept(":")
        cursor.skip_spaces()
        value = self._parse_scalar() if has_colon else None
        cursor.skip_spaces()
        if cursor.accept("{"):
            entries = self.parse_entries(depth + 1)
            self._require_end()
            return value, entries, True
        self._require_end()
        return value, [], False

    def _require_end(self) -> None:
        cursor = self._cursor
        cursor.skip_spaces()
        if not cursor.is_done and cursor.text[cursor.at] not in "\n;}#":
            self._refuse(f"unexpected {cursor.next_word}", "write a colon, a connection or a new line")

    def _parse_scalar(self) -> D2Value | None:
        cursor = self._cursor
        begin = cursor.at
        if cursor.text.startswith("|", begin):
            return self._parse_block()
        for mark in ('"', "'"):
            if cursor.accept(mark):
                return D2Value(self._parse_string(mark, begin), begin)
        found = cursor.match(_VALUE)
        text = (found[0] if found else "").strip()
        is_variable = text.endswith("$") and cursor.text.startswith("{", cursor.at)
        if is_variable or text.startswith(("@", "[")):
            what = "variable" if is_variable else "import" if text.startswith("@") else "list"
            self._source.report(f"unsupported {what}", begin)
            cursor.at = begin
            self._skip_statement()
            return None
        if len(text) > MAX_LABEL_CHARS:
            self._source.refuse("the value is too long", begin, f"use at most {MAX_LABEL_CHARS} characters")
        return D2Value(_ESCAPE.sub(_replace_escape, text), begin) if text else None

    def _parse_block(self) -> D2Value:
        """Return a block string: `|md … |`, `||go … ||`, and the language in it."""
        cursor = self._cursor
        begin = cursor.at
        found = cursor.match(_BLOCK)
        assert found is not None  # a bar follows
        closer = found[2] + found[1]
        end = cursor.text.find(closer, cursor.at)
        if end < 0:
            self._source.refuse("the block string is not closed", begin, f"end it with {quote(closer)}")
        text = cursor.text[cursor.at : end]
        cursor.at = end + len(closer)
        if len(text) > MAX_LABEL_CHARS:
            self._source.refuse("the block string is too long", begin, f"use at most {MAX_LABEL_CHARS} characters")
        lines = [line.strip() for line in text.strip().split("\n")]
        return D2Value("\n".join(lines), begin, found[3].lower() or "md")


def _is_escaped(text: str, at: int, start: int) -> bool:
    """Return whether an odd number of backslashes precedes an offset."""
    count = 0
    while at - count > start and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _replace_escape(found: re.Match[str]) -> str:
    return "\n" if found[1] == "n" else found[1]
