"""What TeX really set, as frozen data: pages of pictures, nodes, paths and texts, in pt from the page's lower left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.plane import Box, Point
from tikzgen.base.record import Record
from tikzgen.model.looks.vision import Color


class Where(Record):
    """The lines of the source that drew something; `file` is empty for the figure itself."""

    first: int
    last: int
    file: str = ""


class PictureOnPage(Record):
    """A picture: `depth` is 0 on the page itself, 1 inside a node of such a picture; `box` is what it takes there."""

    id: int
    depth: int
    box: Box | None
    where: Where


class NodeRecord(Record):
    """A node as TeX knew it, named or not; lengths in pt as the node has them before its transformation.

    `text` is width, height and depth of its text; `separation` is the inner separation as it was written;
    `order` counts from 0 the nodes that the same line of the source drew.
    """

    name: str
    shape: str
    text: tuple[float, float, float]
    separation: tuple[str, str]
    where: Where
    order: int


class NodeOnPage(NodeRecord):
    """A node on its page, with its border as a polygon, and the picture that it stands in."""

    id: int
    border: tuple[Point, ...]
    picture: int
    depth: int


class PathOnPage(Record):
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


class TextLine(Record):
    """A line of text: the four corners of its ink, from the lower left in reading direction, and its size in pt.

    `clip` is the box outside which nothing of it shows; `text` is the same for the letters of a text on a path;
    `group` is where the painting of a transparent group begins that it belongs to, and how opaque that group is.
    `origin` is where its baseline begins.
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

    def is_of(self, other: TextLine) -> bool:
        """Whether both lines belong to the same text."""
        return (self.node is not None and self.node == other.node) or (
            self.text is not None and self.text == other.text
        )

    def along(self, parts: Sequence[float]) -> Iterator[Point]:
        """Points along the middle of the line, at those parts of its length."""
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.corners
        start, end = ((ax + dx) / 2, (ay + dy) / 2), ((bx + cx) / 2, (by + cy) / 2)
        for part in parts:
            yield start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


MOST_PIXELS = 4_000_000  # px
"""What a page is drawn with at most."""

_MARGIN_PX = 2  # pixels on each side: a pattern counts by the part that it covers


class Raster(Record):
    """Pixels from the top left, four bytes each: blue, green, red and one that says nothing; `scale` of them a pt."""

    width: int
    height: int
    scale: float
    pixels: bytes

    def color(self, point: Point) -> tuple[float, float, float] | None:
        """The mean colour around a point of the page; nothing beyond the page's edge."""
        x, y = int(point[0] * self.scale), self.height - 1 - int(point[1] * self.scale)
        if not (0 <= x < self.width and 0 <= y < self.height):
            return None
        left, right = max(x - _MARGIN_PX, 0), min(x + _MARGIN_PX + 1, self.width)
        rows = range(max(y - _MARGIN_PX, 0), min(y + _MARGIN_PX + 1, self.height))
        bytes_ = b"".join(self.pixels[4 * (row * self.width + left) : 4 * (row * self.width + right)] for row in rows)
        count = 255 * len(bytes_) / 4
        return sum(bytes_[2::4]) / count, sum(bytes_[1::4]) / count, sum(bytes_[0::4]) / count


class PageData(Record):
    """A page, its width and height in pt, and all that is on it; `paper` is the colour that lies behind all.

    `raster` is how it looks without its texts, where something on it is shaded.
    """

    width: float
    height: float
    paper: Color
    pictures: tuple[PictureOnPage, ...] = ()
    nodes: tuple[NodeOnPage, ...] = ()
    paths: tuple[PathOnPage, ...] = ()
    lines: tuple[TextLine, ...] = ()
    raster: Raster | None = None
