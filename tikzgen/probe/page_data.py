"""What TeX really set, as frozen data: pages of pictures, nodes, paths and texts, in pt from the page's lower left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tikzgen.plane.rectangles import Box, Point

if TYPE_CHECKING:
    from tikzgen.probe.raster import Raster

__all__ = ["Color", "Line", "Node", "Page", "Painted", "Picture", "Where"]

Color = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Where:
    """The lines of the source that drew something; `file` is empty for the figure itself."""

    first: int
    last: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: `depth` is 0 on the page itself, 1 inside a node of such a picture; `box` is what it takes there."""

    id: int
    depth: int
    box: Box | None
    where: Where


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its border as a polygon, named or not; lengths in pt as the node has them before its transformation.

    `text` is width, height and depth of its text; `separation` is the inner separation as it was written;
    `transformation` is pgf's, `order` counts the nodes of the same line of the source.
    """

    id: int
    name: str
    shape: str
    border: tuple[Point, ...]
    text: tuple[float, float, float]
    separation: tuple[str, str]
    transformation: tuple[float, float, float, float, float, float]
    picture: int
    depth: int
    where: Where
    order: int


@dataclass(frozen=True, slots=True)
class Painted:
    """A path as it was painted: polygons (curves are cut into pieces), and what with.

    `order` counts what is painted, later things over earlier ones; `nodes` are those whose border or inner drawing it
    is, from the outside; `dash` is the part of the stroke that is drawn, 1 where it is solid; `clip` is the box outside
    which nothing shows, `clips` the clips of several areas, in which alone it shows; `paint` is the same for all parts
    of one path; `whole` tells that a path was asked for, which the rules inside a text were not. The opacities go from
    0 to 1; `shaded` tells that no single colour is there: a shading, a pattern, an image, a fading or a blend.
    """

    order: int
    lines: tuple[tuple[Point, ...], ...]
    box: Box
    stroke: Color | None
    fill: Color | None
    width: float
    dash: float
    clip: Box | None
    nodes: tuple[int, ...]
    paint: int
    whole: bool
    depth: int
    where: Where
    clips: tuple[tuple[tuple[Point, ...], ...], ...] = ()
    stroke_opacity: float = 1.0
    fill_opacity: float = 1.0
    shaded: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text: the four corners of its ink, from the lower left in reading direction, and its size in pt.

    `clip` is the box outside which nothing of it shows; `text` is the same for the letters of a text on a path;
    `group` is where the painting of a transparent group begins that it belongs to, and how opaque that group is.
    """

    order: int
    words: str
    corners: tuple[Point, Point, Point, Point]
    box: Box
    size: float
    color: Color
    node: int | None
    nodes: tuple[int, ...]
    depth: int
    where: Where
    opacity: float = 1.0
    clip: Box | None = None
    text: int | None = None
    group: tuple[int, float] | None = None

    def along(self, parts: Sequence[float]) -> Iterator[Point]:
        """Points along the middle of the line, at those parts of its length."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.corners
        start, end = ((ax + dx) / 2, (ay + dy) / 2), ((bx + cx) / 2, (by + cy) / 2)
        for part in parts:
            yield start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


@dataclass(frozen=True, slots=True)
class Page:
    """A page, its width and height in pt, and all that is on it; `paper` is the colour that lies behind all.

    `raster` is how it looks without its texts, where something on it is shaded.
    """

    width: float
    height: float
    paper: Color
    pictures: tuple[Picture, ...] = ()
    nodes: tuple[Node, ...] = ()
    paths: tuple[Painted, ...] = ()
    lines: tuple[Line, ...] = ()
    raster: Raster | None = None
