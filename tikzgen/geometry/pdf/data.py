"""A PDF's page as it is painted, as frozen data: lengths in pt, points from the page's lower left."""

from __future__ import annotations

from dataclasses import dataclass

from tikzgen.geometry.data import Box, Color, Point

__all__ = ["Drawn", "Run", "Sheet"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A path; `clip` is a box without area where nothing of it shows.

    `clips` are the clips that consist of several areas, such as the cells that one hatching fills.
    """

    marks: tuple[str, ...]
    lines: tuple[tuple[Point, ...], ...]
    stroke: Color | None
    fill: Color | None
    width: float
    dash: float
    opaque: bool
    clip: Box | None
    clips: tuple[tuple[tuple[Point, ...], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """Text that was set in one go: the corners of its ink, its origin and direction on the page, its size in pt.

    `leapt` tells that it stands apart from the one before, in the same object of the PDF.
    """

    marks: tuple[str, ...]
    words: str
    corners: tuple[Point, Point, Point, Point]
    origin: Point
    direction: Point
    size: float
    color: Color
    leapt: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page, its size in pt."""

    width: float
    height: float
    things: tuple[Drawn | Run, ...]
