"""Embedded descriptions of earlier versions: which of them are read, and with which labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tikzgen.base.errors import Problem, SpecError
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import FORMAT, format_of, identity_of


def check_format(document: Document) -> None:
    """Raise `SpecError` for a description in another format, which can have other defaults."""
    found = format_of(document.data)
    if found != FORMAT:
        message = f"embedded in format {str(found)[:20]}, which this version of tikzgen does not read"
        hint = f"render the figure again from its spec; this version reads format {FORMAT}"
        raise SpecError([Problem(message, "tikzgen", document.places.locate_value(("tikzgen",)), hint)])


def with_empty_labels(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an embedded description in which each node or lifeline without a label has an empty label.

    Earlier versions left out empty labels. In a spec, a label that is left out is the node's name.
    """
    if identity_of(data) is None or not isinstance(data.get("panels"), list):
        return dict(data)
    return {**data, "panels": [_map_parts(panel, "content", _label_parts) for panel in data["panels"]]}


def _label_parts(content: Any) -> Any:
    for field in ("nodes", "lifelines"):
        content = _map_parts(content, field, lambda part: {"label": "", **part} if _takes_label(part) else part)
    return content


def _takes_label(part: Any) -> bool:
    return isinstance(part, dict) and part.get("kind") != "ellipsis" and not part.get("ellipsis")


def _map_parts(whole: Any, field: str, change: Callable[[Any], Any]) -> Any:
    """Return a mapping in which one field, a list of parts or one part, is changed."""
    if not isinstance(whole, dict) or field not in whole:
        return whole
    parts = whole[field]
    return {**whole, field: [change(part) for part in parts] if isinstance(parts, list) else change(parts)}
