"""Beginning of Mermaid diagrams: front matter, directives, comments; and shared statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.diagram_source import DiagramCursor, DiagramSource, Unreadable
from tikzgen.spec.diagrams.label_text import clean_mermaid_label

MERMAID_SUFFIXES = (".mmd", ".mermaid")

_FRONT_MATTER = pattern_of(r"[ \t\n]*---[ \t]*\n")
_FRONT_END = pattern_of(r"^---[ \t]*$", re.MULTILINE)
_FIELD = pattern_of(r"([A-Za-z]+)[ \t]*:[ \t]*([^\n]*)")
_FIRST_WORD = pattern_of(r"[A-Za-z][\w-]*")
_ABOUT = pattern_of(r"(accTitle|accDescr)[ \t]*(?::[ \t]*([^\n]*)|\{([^{}]{0,4000})\})")
_LAST_ENTITY = pattern_of(r"[#&][A-Za-z0-9]{1,30};$")
_TYPE_LINE = pattern_of(r"^(?:flowchart|graph|sequenceDiagram|gantt)\b", re.MULTILINE)
_TITLE = pattern_of(r"title(?:[ \t]*:[ \t]*|[ \t]+)([^\n]+)")


class MermaidHead(Record):
    """First word of a diagram, the offset after it, and the title in the front matter."""

    word: str
    end: int
    title: str = ""


def skip_mermaid_blanks(cursor: DiagramCursor, report: bool = True) -> None:
    """Skip blank lines and comments; report directives, which set the style of Mermaid."""
    while True:
        cursor.skip_spaces(lines=True)
        if not cursor.text.startswith("%%", cursor.at, cursor.end):
            return
        if cursor.text.startswith("%%{", cursor.at):
            if report:
                cursor.source.report("unsupported directive", cursor.at)
            end = cursor.text.find("}%%", cursor.at, cursor.end)
            if end >= 0:
                cursor.at = end + 3
                continue
        cursor.skip_line()


def read_mermaid_head(source: DiagramSource, *, report: bool = True) -> MermaidHead:
    """Read up to the first word of a diagram, which is its type; take the title from the front matter."""
    cursor, title = DiagramCursor(source), ""
    if front := cursor.match(_FRONT_MATTER):
        end = _FRONT_END.search(source.text, front.end())
        if end is None:
            source.refuse("the front matter is not closed", front.start(), 'end it with a line "---"')
        title = _read_front_matter(DiagramCursor(source, front.end(), end.start()), report=report)
        cursor.at = end.end()
    skip_mermaid_blanks(cursor, report)
    word = cursor.match(_FIRST_WORD)
    return MermaidHead(word[0] if word else "", cursor.at, title)


def _read_front_matter(cursor: DiagramCursor, *, report: bool) -> str:
    """Return the title in the front matter; report other fields."""
    title = ""
    while True:
        cursor.skip_spaces(lines=True)
        if cursor.is_done:
            return title
        begin = cursor.at
        indent = begin - cursor.text.rfind("\n", 0, begin) - 1
        found = cursor.match(_FIELD)
        if found and found[1] == "title" and not indent:
            title = clean_mermaid_label(found[2].strip().strip("\"'"), cursor.source, begin) if report else found[2]
        elif report and not indent and not cursor.text.startswith("#", begin):
            cursor.source.report("unsupported field in the front matter", begin)
        cursor.skip_line()


def begin_mermaid(source: DiagramSource) -> tuple[DiagramCursor, AboutDiagram]:
    """Return a cursor after the first word of a diagram, and the title in the front matter."""
    head = read_mermaid_head(source)
    return DiagramCursor(source, head.end), AboutDiagram(head.title)


def read_mermaid_lines(
    cursor: DiagramCursor, about: AboutDiagram, read_statement: Callable[[], None], *, separator: str = ""
) -> None:
    """Read statements of one line each, which a `separator` may also end; leave unreadable statements."""
    while True:
        skip_mermaid_blanks(cursor)
        if separator and cursor.accept(separator):
            continue
        if cursor.is_done:
            return
        end = cursor.find_line_end()
        if not about.read_statement(cursor, titled=True):
            with suppress(Unreadable):  # its problem is recorded
                read_statement()
            cursor.at = end


def first_word_of(text: str) -> str:
    """Return the type of a Mermaid diagram, or an empty string."""
    if text.lstrip().startswith("---") and not _FRONT_END.search(text, text.find("---") + 3):
        found = _TYPE_LINE.search(text)  # the reader reports the front matter
        return found[0] if found else ""
    return read_mermaid_head(DiagramSource(text, ""), report=False).word


def remove_semicolon(text: str) -> str:
    """Return a line without a semicolon at its end, unless the semicolon ends an entity such as `#quot;`."""
    text = text.rstrip(" \t")
    return text if _LAST_ENTITY.search(text[-40:]) else text.rstrip(" \t;")


class AboutDiagram:
    """The title of a diagram, and its name and description for screen readers."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self._meta: dict[str, str] = {}

    def read_statement(self, cursor: DiagramCursor, *, titled: bool = False) -> bool:
        """Read `accTitle`, `accDescr` or, in a `titled` language, `title`; return whether there is one."""
        begin = cursor.at
        if found := cursor.match(_ABOUT):
            field = "name" if found[1] == "accTitle" else "description"
            self._meta[field] = " ".join((found[2] or found[3] or "").split())
            return True
        if titled and (found := cursor.match(_TITLE)):
            self.title = clean_mermaid_label(found[1], cursor.source, begin)
            return True
        return False

    def make_fields(self) -> dict[str, object]:
        """Return the fields of the figure."""
        title: dict[str, object] = {"title": self.title} if self.title else {}
        return title | ({"meta": self._meta} if self._meta else {})
