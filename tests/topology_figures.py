"""Figures of one topology, from the fields of their content."""

from __future__ import annotations

from typing import Any

from tikzgen import Figure


def topology_figure(**facts: Any) -> Figure:
    """Return a figure with one topology."""
    return Figure.model_validate({"panels": [{"content": {"type": "topology", **facts}}]})
