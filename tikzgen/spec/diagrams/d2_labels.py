"""Labels, colors and line styles of D2 as fields of a spec."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.spec.diagrams.d2_syntax import D2Entry, D2Value
from tikzgen.spec.diagrams.diagram_source import DiagramSource
from tikzgen.spec.diagrams.graph_parts import THICK_PT
from tikzgen.spec.diagrams.label_text import clean_label, is_color

_USUAL_WIDTH = 2  # px: the width of connections in D2


def read_d2_label(value: D2Value, source: DiagramSource) -> str:
    """Return a label; Markdown and code lose their form, LaTeX becomes a formula."""
    if value.language in ("latex", "tex"):
        return f"${' '.join(value.text.split())}$"
    if value.language and value.language not in ("md", "markdown", "txt"):
        source.report(f"code in the language {quote(value.language)}", value.offset)
    text = value.text
    if value.language in ("md", "markdown"):
        text = re.sub(r"^#{1,6}[ \t]+", "", text, flags=re.MULTILINE)
    return clean_label(text, source, value.offset, markdown=value.language in ("md", "markdown"))


def list_leaves(entries: tuple[D2Entry, ...]) -> list[tuple[str, D2Entry]]:
    """Return the attributes in nested maps with their paths: `style.stroke`."""
    found: list[tuple[str, D2Entry]] = []
    for entry in entries:
        path = ".".join(entry.path)
        if entry.has_map and not entry.value:
            found += [(f"{path}.{inner}", each) for inner, each in list_leaves(entry.entries)]
        else:
            found.append((path, entry))
    return found


def read_look(attributes: list[tuple[str, D2Entry]], source: DiagramSource) -> tuple[dict[str, Any], str | None]:
    """Return the style of a connection, and a label in its map; report other attributes."""
    look: dict[str, Any] = {}
    label = None
    for name, entry in attributes:
        text = entry.value.text if entry.value else ""
        if name == "label" and entry.value:
            label = read_d2_label(entry.value, source)
        elif name == "style.stroke" and is_color(text):
            look = {"color": text} | look
        elif name == "style.stroke-dash" and text.isdigit():
            look |= {"dash": "dashed"} if int(text) else {}
        elif name == "style.stroke-width" and text.isdigit():
            look |= {"width": THICK_PT} if int(text) > _USUAL_WIDTH else {}
        else:
            source.report(f"unsupported attribute {quote(name)} of a connection", entry.offset)
    return look, label
