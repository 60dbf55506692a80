"""What stands on a PDF's pages, in the order of painting: paths and runs of text with the marks around them."""

from __future__ import annotations

from tikzgen.base.record import Record
from tikzgen.model.vision import Color
from tikzgen.plane.rectangles import Box, Point
from tikzgen.probe.page_data import Raster

__all__ = ["Drawn", "Run", "Sheet"]


Matrix = tuple[float, float, float, float, float, float]


class Drawn(Record):
    """A path; `clip` is a box without area where nothing of it shows.

    `clips` are the clips that consist of several areas, such as the cells that one hatching fills; `shaded` tells that
    it has no single colour.
    """

    marks: tuple[str, ...]
    lines: tuple[tuple[Point, ...], ...]
    stroke: Color | None
    fill: Color | None
    width: float
    dash: float
    clip: Box | None
    clips: tuple[tuple[tuple[Point, ...], ...], ...] = ()
    stroke_opacity: float = 1.0
    fill_opacity: float = 1.0
    shaded: bool = False


class Run(Record):
    """Text that was set in one go: the corners of its ink, its origin and direction on the page, its size in pt.

    `leapt` tells that it stands apart from the one before, in the same object of the PDF; `clip` is the box outside
    which nothing of it shows; `group` is where, among the page's things, a transparent group begins that it belongs to.
    """

    marks: tuple[str, ...]
    words: str
    corners: tuple[Point, Point, Point, Point]
    origin: Point
    direction: Point
    size: float
    color: Color
    leapt: bool = False
    opacity: float = 1.0
    clip: Box | None = None
    group: int | None = None
    group_opacity: float = 1.0


class Sheet(Record):
    """A page, its size in pt; `raster` is how it looks without its texts, where something is shaded."""

    width: float
    height: float
    things: tuple[Drawn | Run, ...]
    raster: Raster | None = None
