"""Figures of one topology, from the fields of their content."""

from __future__ import annotations

import re
from typing import Any

from tikzgen import Figure


def topology_figure(**facts: Any) -> Figure:
    """Return a figure with one topology."""
    return Figure.model_validate({"panels": [{"content": {"type": "topology", **facts}}]})


_ABSOLUTE = re.compile(r"\((?:\[[^]]*\])?(?:\{[^}]*\}|[-.\d]+)[,:]")
"""A coordinate that names no node."""


def list_absolute_points(tex: str, *titles: str) -> list[str]:
    """Return the coordinates below headings of a figure that do not follow a node."""
    title, found = "", []
    for line in tex.splitlines():
        if line.startswith("  % "):
            title = line[4:]
        elif title in titles:
            found += _ABSOLUTE.findall(line)
    return found
