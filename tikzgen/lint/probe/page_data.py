"""Frozen data of a set page: pictures, nodes, paths and labels, in pt from the page's lower left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor

from tikzgen.base.plane import Box, Point
from tikzgen.base.record import Record
from tikzgen.model.looks.vision import Color


class Where(Record):
    """The lines of the source that drew something; `file` is empty for the figure itself."""

    first: int
    last: int
    file: str = ""


class PictureOnPage(Record):
    """A picture with its box; `depth` is 0 on the page itself, 1 inside a node of such a picture."""

    id: int
    depth: int
    box: Box | None
    where: Where


class NodeRecord(Record):
    """A node in TeX, named or not; lengths in pt before the transformation of the node.

    `text` is width, height and depth of its label. `separation` is the inner separation as written. `order` counts the
    nodes of the same source line from 0.
    """

    name: str
    shape: str
    text: tuple[float, float, float]
    separation: tuple[str, str]
    where: Where
    order: int


class NodeOnPage(NodeRecord):
    """A node on its page, with its border as a polygon, and the picture that contains it."""

    id: int
    border: tuple[Point, ...]
    picture: int
    depth: int


class PathOnPage(Record):
    """A painted path: polygons (curves are cut into segments) with their colors.

    `order` is the painting order: later objects cover earlier ones. `nodes` are the nodes to which it belongs, as
    border or inner drawing, outermost first. `dash` is the painted share of the stroke, 1 for a solid line, and `gap`
    its smallest gap in pt. `clip` is the box outside which it is invisible, and `clips` are clips of several areas.
    `paint` is equal for all parts of one path. `whole` is false for rules inside a label. Opacities are between 0 and
    1. `shaded` means no single color, but a shading, a pattern, an image, a fading or a blend.
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
    gap: float = 0.0

    @property
    def is_closed_outline(self) -> bool:
        """Whether the path draws one closed outline, entirely visible."""
        if not self.whole or len(self.lines) != 1 or self.clip is not None:
            return False
        line = self.lines[0]
        return len(line) > 3 and line[0] == line[-1]


class TextLine(Record):
    """A line of text: the corners of its ink, from the lower left in reading direction, and its size.

    `size` is in pt. `clip` is the box outside which it is invisible. `text` is equal for the letters of one label on a
    path. `group` is the painting order at which its transparent group begins, and the opacity of that group. `origin`
    is the start of its baseline. `faces` are the typefaces of its characters, without size: `cmss`.
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
    origin: Point = (0.0, 0.0)
    faces: frozenset[str] = frozenset()

    def is_of(self, other: TextLine) -> bool:
        """Return whether both lines belong to the same label."""
        return (self.node is not None and self.node == other.node) or (
            self.text is not None and self.text == other.text
        )

    def iterate_middle_points(self, parts: Sequence[float]) -> Iterator[Point]:
        """Yield points along the middle of the line, at those shares of its length."""
        return self.iterate_points_at(0.5, parts)

    def iterate_points_at(self, height: float, parts: Sequence[float]) -> Iterator[Point]:
        """Yield points along the line at a share of its height, at those shares of its length."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.corners
        start = ax + height * (dx - ax), ay + height * (dy - ay)
        end = bx + height * (cx - bx), by + height * (cy - by)
        for part in parts:
            yield start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


MOST_PIXELS = 4_000_000  # px
"""Maximum number of pixels of a drawn page."""

_MARGIN_PX = 2  # pixels on each side: a pattern counts by the share that it covers


class Raster(Record):
    """Pixels from the top left, in four bytes: blue, green, red, unused; `scale` is pixels per pt."""

    width: int
    height: int
    scale: float
    pixels: bytes

    def color(self, point: Point) -> tuple[float, float, float] | None:
        """Return the mean color around a point of the page; None beyond the page's edge."""
        x, y = floor(point[0] * self.scale), self.height - 1 - floor(point[1] * self.scale)
        if not (0 <= x < self.width and 0 <= y < self.height):
            return None
        left, right = max(x - _MARGIN_PX, 0), min(x + _MARGIN_PX + 1, self.width)
        rows = range(max(y - _MARGIN_PX, 0), min(y + _MARGIN_PX + 1, self.height))
        bytes_ = b"".join(self.pixels[4 * (row * self.width + left) : 4 * (row * self.width + right)] for row in rows)
        count = 255 * len(bytes_) / 4
        return sum(bytes_[2::4]) / count, sum(bytes_[1::4]) / count, sum(bytes_[0::4]) / count


class PageData(Record):
    """A page with its width and height in pt, and its contents; `paper` is the background color.

    `raster` is its image without labels, if something on it is shaded.
    """

    width: float
    height: float
    paper: Color
    pictures: tuple[PictureOnPage, ...] = ()
    nodes: tuple[NodeOnPage, ...] = ()
    paths: tuple[PathOnPage, ...] = ()
    lines: tuple[TextLine, ...] = ()
    raster: Raster | None = None
