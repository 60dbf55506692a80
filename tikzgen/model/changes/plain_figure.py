"""The parts of a figure as plain data: what its panels hold, and what is found in there by its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["Data", "contents"]

Data = dict[str, Any]


def contents(data: Data, kind: str) -> Iterator[tuple[int, int, Data]]:
    """Every topology or timeline of a long form, with the places of its panel and of itself."""
    for panel, one in enumerate(data.get("panels", ())):
        parts = one["content"]
        for index, content in enumerate(parts if isinstance(parts, list) else [parts]):
            if content.get("type") == kind:
                yield panel, index, content
