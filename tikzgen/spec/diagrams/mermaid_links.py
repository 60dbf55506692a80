"""Links of Mermaid flowcharts, with their lines, heads and labels, and labels in brackets."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.diagram_source import MAX_LABEL_CHARS, DiagramCursor
from tikzgen.spec.diagrams.graph_parts import THICK_PT
from tikzgen.spec.diagrams.label_text import clean_mermaid_label

_LINK = pattern_of(r"([<xo])?(?:--+([->xo])|==+([=>xo])|-\.+-([>xo])?)|~~~+")
_LINK_BEGIN = pattern_of(r"([<xo])?(--|==|-\.)")
_LINK_ENDS = {
    "--": pattern_of(r"--+([->xo])"),
    "==": pattern_of(r"==+([=>xo])"),
    "-.": pattern_of(r"\.+-([>xo])?"),
}
_LOOKS: dict[str, dict[str, Any]] = {"--": {}, "==": {"width": THICK_PT}, "-.": {"dash": "dashed"}}
_LINK_LENGTHS = {"--": 3, "==": 3, "-.": 3}  # characters of the shortest line without a head
_EDGE_NAME = pattern_of(r"(\w+)@(?=[<xo]?(?:--|==|-\.))")


class MermaidLink(Record):
    """A link: its style, the direction of its heads and its text."""

    offset: int
    look: dict[str, Any]
    direction: str
    label: str = ""
    is_drawn: bool = True


def read_bracketed_label(cursor: DiagramCursor, closers: tuple[str, ...], what: str) -> str:
    """Read a label, in quotes or not, and its closing bracket."""
    cursor.skip_spaces(lines=True)
    begin = cursor.at
    if not cursor.accept('"'):
        text = cursor.read_until(closers, what, on_line=True)[0]
        return clean_mermaid_label(text, cursor.source, begin)
    text = cursor.read_until(('"',), "the quotation mark")[0]
    cursor.skip_spaces(lines=True)
    if not any(cursor.accept(closer) for closer in closers):
        cursor.source.reject(f"expected {quote(closers[0])} after a label in quotes", cursor.at, "close the bracket")
    return clean_mermaid_label(text, cursor.source, begin)


def read_mermaid_link(cursor: DiagramCursor) -> MermaidLink | None:
    """Return the link that follows, with its text."""
    cursor.skip_spaces()
    if named := cursor.match(_EDGE_NAME):
        cursor.source.report(f"id {quote(named[1])} of a link", named.start())
    begin = cursor.at
    if found := cursor.match(_LINK):
        line = found[0].lstrip("<xo")[:2]
        head = found[2] or found[3] or found[4] or ""
        if line == "~~":
            cursor.source.report("invisible link", begin, "use layout hints of the spec: keep, pin")
            return MermaidLink(begin, {}, "none", is_drawn=False)
        _check_length(cursor, found, line, begin)
        label = _read_pipe_label(cursor)
    elif found := cursor.match(_LINK_BEGIN):
        line = found[2]
        label, head = _read_link_text(cursor, line)
    else:
        return None
    return MermaidLink(begin, _LOOKS[line], _find_direction(cursor, found[1] or "", head, begin), label)


def _check_length(cursor: DiagramCursor, found: re.Match[str], line: str, begin: int) -> None:
    length = len(found[0].lstrip("<xo"))
    if length > _LINK_LENGTHS[line] + (line == "-." and found[4] is not None):
        cursor.source.report(f"length of the link {quote(found[0])}", begin, "use layout hints of the spec: pin")


def _read_pipe_label(cursor: DiagramCursor) -> str:
    cursor.skip_spaces()
    begin = cursor.at
    if not cursor.accept("|"):
        return ""
    cursor.skip_spaces()
    if cursor.text.startswith('"', cursor.at):
        return read_bracketed_label(cursor, ("|",), "the text of a link")
    return clean_mermaid_label(cursor.read_until(("|",), "the text of a link", on_line=True)[0], cursor.source, begin)


def _read_link_text(cursor: DiagramCursor, line: str) -> tuple[str, str]:
    """Return the text inside a link and the head at its end."""
    begin = cursor.at
    cursor.skip_spaces()
    if cursor.accept('"'):
        text = cursor.read_until(('"',), "the quotation mark")[0]
        cursor.skip_spaces()
        end = cursor.match(_LINK_ENDS[line])
    else:
        limit = min(cursor.find_line_end(), begin + MAX_LABEL_CHARS)
        end = _LINK_ENDS[line].search(cursor.text, cursor.at, limit)
        text = cursor.text[cursor.at : end.start()] if end else ""
    if end is None:
        cursor.source.reject("a link with a text has no end", begin, 'write "A -- text --> B"')
    cursor.at = end.end()
    return clean_mermaid_label(text, cursor.source, begin), end[1] or ""


def _find_direction(cursor: DiagramCursor, tail: str, head: str, begin: int) -> str:
    if {tail, head} & {"x", "o"}:
        cursor.source.report("a cross or a circle at the end of a link", begin, "use an arrow head")
    if tail == "<":
        return "both" if head == ">" else "backward"
    return "forward" if head == ">" else "none"
