"""Labels of other languages as labels of a spec: entities, line breaks, markup, dollars."""

from __future__ import annotations

import html
import re

from pydantic_core import PydanticCustomError

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.model.looks import read_color
from tikzgen.spec.diagrams.diagram_source import DiagramSource

_BREAK = pattern_of(r"[ \t]*<br[ \t]*/?>[ \t]*", re.IGNORECASE)
_TAG = pattern_of(r"</?[A-Za-z][A-Za-z0-9]*(?:[ \t][^<>\n]*)?/?>")
_SHARP_ENTITY = pattern_of(r"#([A-Za-z][A-Za-z0-9]{1,30}|[0-9]{1,7});")
_ICON = pattern_of(r"\bfa[bsr]?:fa-[\w-]+ ?")
_FORMULA = pattern_of(r"\$\$([^$\n]{1,1000})\$\$")
_EMPHASIS = pattern_of(r"\*\*([^*\n]{1,1000})\*\*|__([^_\n]{1,1000})__|\*([^*\s][^*\n]{0,1000})\*")
_NOT_ALLOWED = pattern_of("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def clean_label(text: str, source: DiagramSource, offset: int, *, markdown: bool = False) -> str:
    """Return a label with HTML as plain text and with escaped dollars; report unsupported markup."""
    text = _BREAK.sub("\n", text)
    if found := _TAG.search(text):
        source.report(f"markup {quote(found[0])} in a label", offset, "write the label without it")
        text = _TAG.sub("", text)
    if markdown and (found := _EMPHASIS.search(text)):
        source.report(f"emphasis {quote(found[0])} in a label", offset, "write the label without it")
        text = _EMPHASIS.sub(lambda match: match[1] or match[2] or match[3], text)
    text = html.unescape(text)
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return escape_dollars("\n".join(lines).strip())


def escape_dollars(text: str) -> str:
    r"""Return a label in which a dollar is a character and begins no formula."""
    return _NOT_ALLOWED.sub("", text).replace("$", "\\$")


def is_color(text: str) -> bool:
    """Return whether a spec accepts a color."""
    try:
        read_color(text)
    except PydanticCustomError:
        return False
    return True


def clean_mermaid_label(text: str, source: DiagramSource, offset: int) -> str:
    r"""Return a label of Mermaid: entities such as `#quot;`, Markdown between backquotes, formulas between `$$`."""
    text = text.strip()
    markdown = len(text) > 1 and text[0] == text[-1] == "`"
    text = text[1:-1] if markdown else text
    text = _SHARP_ENTITY.sub(lambda match: f"&{'#' * match[1].isdigit()}{match[1]};", text)
    if found := _ICON.search(text):
        source.report(f"icon {quote(found[0].strip())} in a label", offset, "name an icon of tikzgen in the spec")
        text = _ICON.sub("", text)
    parts = _FORMULA.split(text.replace("\\n", "\n"))  # formulas are at odd positions
    cleaned = [
        f"${part}$" if index % 2 else _clean_part(part, source, offset, markdown=markdown)
        for index, part in enumerate(parts)
    ]
    return "".join(cleaned).strip()


def _clean_part(text: str, source: DiagramSource, offset: int, *, markdown: bool) -> str:
    """Return the text between formulas, with its spaces at both ends."""
    cleaned = clean_label(text, source, offset, markdown=markdown)
    return f"{' ' * text[:1].isspace()}{cleaned}{' ' * text[-1:].isspace()}" if cleaned else " " * bool(text)
