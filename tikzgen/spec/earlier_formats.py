"""Earlier forms of descriptions and packages: their deprecations, with end dates and replacements.

Codes of deprecations do not change and are not used again. `tools/reference.py` writes the table as a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.record import Record
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import FORMAT, format_of, identity_of


class Deprecation(Record):
    """A deprecated form: `since` is the version that replaced it; it is read until the day `end`.

    `effect` is the result of reading it.
    """

    form: str
    replacement: str
    since: str
    end: date
    effect: str


OTHER_FORMAT = "D001"
UNLABELED_PARTS = "D002"
TEMPLATES_GROUP = "D003"

DEPRECATIONS = {
    OTHER_FORMAT: Deprecation(
        "embedded specs of formats 1, 2, 3 and 5",
        "format 4: render the figure again from its spec",
        "0.3.0",
        date(2026, 11, 29),
        "an error",
    ),
    UNLABELED_PARTS: Deprecation(
        'embedded specs in which a node or lifeline without `label` is blank, instead of `label: ""`',
        "`tikzgen upgrade` writes the label",
        "0.3.0",
        date(2027, 12, 31),
        "read; `tikzgen upgrade` names it",
    ),
    TEMPLATES_GROUP: Deprecation(
        "the entry point group `tikzgen.templates` of packages with icons",
        "the group `tikzgen.icons`",
        "0.3.0",
        date(2027, 12, 31),
        "read",
    ),
}
"""All deprecated forms by their codes, in the order of the codes."""

_LAST_FORMAT = 5
"""Largest number of a format that this or an earlier version wrote."""


def check_format(document: Document) -> None:
    """Raise `SpecError` for a description in another format, which can have other defaults."""
    found = format_of(document.data)
    if found != FORMAT:
        message = f"embedded in format {str(found)[:20]}, which this version of tikzgen does not read"
        hint = f"{OTHER_FORMAT}: render the figure again from its spec; this version reads format {FORMAT}"
        if isinstance(found, int) and found > _LAST_FORMAT:
            hint = f"update tikzgen; this version reads format {FORMAT}"
        raise SpecError([Problem(message, "tikzgen", document.places.locate_value(("tikzgen",)), hint)])


def with_empty_labels(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an embedded description in which each node or lifeline without a label has an empty label.

    Earlier versions left out empty labels. In a spec, a label that is left out is the node's name.
    """
    if identity_of(data) is None or not isinstance(data.get("panels"), list):
        return dict(data)
    return {**data, "panels": [_map_parts(panel, "content", _label_parts) for panel in data["panels"]]}


def describe_deprecations(data: Mapping[str, Any]) -> list[str]:
    """Return the deprecated forms of an embedded description that is read, each with its code."""
    codes = [UNLABELED_PARTS] if with_empty_labels(data) != data else []
    return [f"{code}: {DEPRECATIONS[code].form}" for code in codes]


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
