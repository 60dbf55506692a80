"""Attributes of DOT with a counterpart in a spec: labels, shapes, records, colors."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.diagram_source import DiagramSource
from tikzgen.spec.diagrams.label_text import clean_label, is_color

_ESCAPE = pattern_of(r"\\(.)", re.DOTALL)
_SHAPES = {
    **dict.fromkeys(("box", "rect", "rectangle", "square"), "box"),
    **dict.fromkeys(("ellipse", "oval"), "pill"),
    **{name: name for name in ("circle", "diamond", "cylinder")},
    **dict.fromkeys(("plaintext", "plain", "none", "text"), "text"),
    **dict.fromkeys(("record", "mrecord"), "record"),
}
_PORT = pattern_of(r"[ \t]*<([^<>|{}]{1,60})>")
MAX_RECORD_FIELDS = 64
"""Maximum number of fields of a record, as of the parts of a node."""


class DotValue(Record):
    """The value of an attribute."""

    text: str
    offset: int
    is_html: bool = False

    def read_label(self, source: DiagramSource, name: str = "") -> str:
        r"""Return the value as a label; `\N` is the name of the node."""
        if self.is_html:
            return clean_label(self.text, source, self.offset)

        def replace_escape(found: re.Match[str]) -> str:
            return "\n" if found[1] in "nlr" else name if found[1] in "NG" else found[1]

        return clean_label(_ESCAPE.sub(replace_escape, self.text), source, self.offset)

    def read_color(self) -> str:
        """Return the value as a color of a spec, or an empty string."""
        return self.text if is_color(self.text) else ""


DotAttributes: TypeAlias = dict[str, DotValue]
"""Attributes by name, in lowercase."""


def read_node_fields(name: str, attributes: DotAttributes, source: DiagramSource, direction: str) -> dict[str, Any]:
    """Return the fields of a node; report the attributes without a counterpart."""
    fields: dict[str, Any] = {}
    shape, is_record = "pill", False
    for key, value in attributes.items():
        if key == "shape":
            if value.text.lower() not in _SHAPES:
                source.report(f"shape {quote(value.text)}", value.offset, "`tikzgen import --partial` draws a box")
            shape = _SHAPES.get(value.text.lower(), "box")
            is_record = shape == "record"
        elif key == "color" and (color := value.read_color()):
            fields["color"] = color
        elif key == "style":
            continue  # depends on the shape
        elif key not in ("label", "xlabel"):
            source.report(f"unsupported attribute {quote(key)} of a node", value.offset)
    shape = "box" if is_record else shape
    if style := attributes.get("style"):
        shape = _read_style(style, shape, source)
    label = attributes.get("label") or attributes.get("xlabel")
    if is_record:
        fields |= _read_record(label, source, name, direction)
    elif label is not None:
        fields = {"label": label.read_label(source, name)} | fields
    return fields | ({} if shape == "box" else {"shape": shape})


def spell_part_id(port: str) -> str:
    """Return the id of the part of a record at a port."""
    return re.sub(r"[^A-Za-z0-9]+", "-", port).strip("-")


def _read_style(value: DotValue, shape: str, source: DiagramSource) -> str:
    """Return the shape with a style; nodes of a spec are always filled."""
    for style in value.text.split(","):
        if (style := style.strip()) == "rounded" and shape == "box":
            shape = "rounded"
        elif style not in ("filled", "solid", "rounded", ""):
            source.report(f"unsupported style {quote(style)} of a node", value.offset)
    return shape


def _read_record(label: DotValue | None, source: DiagramSource, name: str, direction: str) -> dict[str, Any]:
    """Return the fields of a record: parts in a row, or in rows if the graph runs to the right."""
    if label is None:
        return {}
    text, turned = label.text.strip(), False
    if text.startswith("{") and text.endswith("}") and "{" not in text[1:]:
        text, turned = text[1:-1], True
    if "{" in text or "}" in text:
        source.report("nested fields of a record", label.offset, "use one level of fields")
        text = text.replace("{", "").replace("}", "")
    pieces = re.split(r"(?<!\\)\|", text)
    if len(pieces) > MAX_RECORD_FIELDS:
        source.refuse(f"more than {MAX_RECORD_FIELDS} fields in a record", label.offset, "use several nodes")
    parts = []
    for piece in pieces:
        port = _PORT.match(piece)
        value = DotValue(piece[port.end() :] if port else piece, label.offset)
        part = {"label": value.read_label(source, name)}
        if port and (own := spell_part_id(port[1])) and own[0].isalpha():
            part["id"] = own
        parts.append(part)
    if len(parts) == 1:
        return {"label": parts[0]["label"]}
    if (direction == "right") == turned:
        return {"label": "", "parts": parts, "cells": "joined"}
    return {"label": parts[0]["label"], "parts": parts[1:], "cells": "rows"}
