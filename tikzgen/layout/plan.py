"""What every layout function works from: the figure, its names, its icons, the type size and the distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tikzgen.icons import Icon
from tikzgen.layout.chart import Chart
from tikzgen.layout.labels import Labels
from tikzgen.layout.sizes import Sizes
from tikzgen.model.figure import Figure
from tikzgen.text import Extent as TextExtent

__all__ = ["INNER", "MARGIN", "PAD", "SIZES", "Direction", "Need", "Plan", "strongest"]

SIZES = (10.0, 9.0, 8.0, 7.0, 6.0)  # pt; nothing is set smaller than 6
MARGIN = 0.06  # cm of paper around everything
PAD = 0.25  # cm between a text and the frame around it
Direction = Literal["x", "y"]
INNER = 0.07  # cm of inner sep round free-standing labels (2 pt)


@dataclass(frozen=True, slots=True)
class Need:
    """How far a distance may shrink (`least`) and what it is where nothing presses (`usual`), in cm.

    A vertical distance may have to grow where the width is short (`tight`).
    """

    least: float
    usual: float
    axis: Direction
    meaning: str
    tight: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """One attempt at a layout: type size in pt, parameter values in cm, which captions are set narrow.

    `limit` is the width in cm that the title may take, 0 for any. A `rough` layout is asked for its size only:
    timelines, which have many items, leave them out.
    """

    figure: Figure
    labels: Labels
    charts: Mapping[tuple[str, int], Chart]
    icons: Mapping[str, Icon]
    size: float
    values: Mapping[str, float]
    sizes: Sizes
    wrapped: frozenset[str] = frozenset()
    limit: float = 0.0
    rough: bool = False

    def measure(self, text: str, *, bold: bool = False, size: float | None = None) -> TextExtent:
        """The size in cm that a text will have; in the paper's own font, the larger of sans and serif."""
        return self.sizes.of(text, self.figure.font.family, bold, size or self.size)

    def name(self, panel: str, identifier: str) -> str:
        """A node's name: with several panels it begins with the panel's id."""
        return f"{panel}-{identifier}" if len(self.figure.panels) > 1 else identifier


def strongest(needs: list[dict[str, Need]]) -> dict[str, Need]:
    """Merge what several parts ask of the same distances."""
    merged: dict[str, Need] = {}
    for part in needs:
        for name, need in part.items():
            other = merged.get(name)
            if other is not None:
                need = Need(
                    max(need.least, other.least),
                    max(need.usual, other.usual),
                    need.axis,
                    need.meaning,
                    max(need.tight, other.tight),
                )
            merged[name] = need
    return merged
