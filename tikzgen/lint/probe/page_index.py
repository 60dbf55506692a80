"""Spatial index of a page: paths near a box, and the background and cover of a point."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import dist, inf

from tikzgen.base.plane import Box, Near, Point, compute_bounding_box, find_box_center, grow_box, is_point_inside, touch
from tikzgen.base.record import Record
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage, TextLine
from tikzgen.model.looks.vision import Color, mix_colors

HATCH_PT = 8.0
"""A stroke wider than this, in pt, is an area or its hatching, not a line."""
_CELL_PT = 28.0
_MANY_PIECES_COUNT = 8
_MOST_CELLS = 100  # cells in each direction


class PathPiece(Record):
    """A path, or one of its parts if it has many: rows of cells are one path."""

    path: PathOnPage
    lines: tuple[tuple[Point, ...], ...]
    box: Box


class PageIndex:
    """A page with an index over its squares of 1 cm."""

    def __init__(self, page: PageData) -> None:
        self.page = page
        self.nodes: dict[int, NodeOnPage] = {node.id: node for node in page.nodes}
        self._regions: dict[int, PolygonIndex] = {}
        self._borders: dict[int, PathOnPage | None] = {}
        side = max(_CELL_PT, page.width / _MOST_CELLS, page.height / _MOST_CELLS)
        self._near = Near(side, side)
        for number, piece in enumerate(self.pieces):
            self._near.add_entry(number, self._on_paper(piece.box))

    @cached_property
    def pieces(self) -> tuple[PathPiece, ...]:
        """All paths, in order of painting."""
        return tuple(piece for path in self.page.paths for piece in _split_path(path))

    @cached_property
    def lines_of(self) -> dict[int, list[TextLine]]:
        """Lines of text of each node."""
        found: dict[int, list[TextLine]] = {}
        for line in self.page.lines:
            if line.node is not None:
                found.setdefault(line.node, []).append(line)
        return found

    @cached_property
    def paths_of(self) -> dict[int, list[PathOnPage]]:
        """Paths of each node: its border and inner drawing, without paths of nodes inside it."""
        found: dict[int, list[PathOnPage]] = {}
        for path in self.page.paths:
            if path.nodes:
                found.setdefault(path.nodes[-1], []).append(path)
        return found

    def find_border(self, node: int) -> PathOnPage | None:
        """Return the path of a node's shape, not its shadow; None without one."""
        if node not in self._borders:
            self._borders[node] = self._choose_border(node)
        return self._borders[node]

    def _choose_border(self, node: int) -> PathOnPage | None:
        known = self.nodes.get(node)
        depth = known.depth if known is not None else 0
        own = [path for path in self.paths_of.get(node, ()) if path.depth == depth and path.whole]
        own = [path for path in own if not (path.stroke and path.width > HATCH_PT)]
        if len(own) < 2 or known is None:
            return own[0] if own else None
        return min(
            own,
            key=lambda path: round(
                dist(find_box_center(path.box), find_box_center(compute_bounding_box(known.border)))
            ),
        )

    def find_pieces_near(self, box: Box) -> list[PathPiece]:
        """Return the pieces whose boxes meet `box`, each once, in order of painting."""
        left, bottom, right, top = box
        near = (self.pieces[number] for number in sorted(self._near.find_near_entries(self._on_paper(box))))
        return [  # inlined `touch`: thousands of pieces are tested
            piece
            for piece in near
            if piece.box[0] <= right and left <= piece.box[2] and piece.box[1] <= top and bottom <= piece.box[3]
        ]

    def _on_paper(self, box: Box) -> Box:
        """Return the box, with parts beyond the page moved to its edge."""
        left, bottom, right, top = box
        wide, high = self.page.width, self.page.height
        return (
            min(max(left, 0.0), wide),
            min(max(bottom, 0.0), high),
            min(max(right, 0.0), wide),
            min(max(top, 0.0), high),
        )

    def paint_before(self, order: int) -> int | None:
        """Return the `paint` of the last filled path that was painted before an order; None without one."""
        orders, paints = self._fills_by_order
        place = bisect_left(orders, order)
        return paints[place - 1] if place else None

    @cached_property
    def _fills_by_order(self) -> tuple[list[int], list[int]]:
        filled = sorted((path.order, path.paint) for path in self.page.paths if path.fill is not None)
        return [order for order, _ in filled], [paint for _, paint in filled]

    def is_covered(self, point: Point, after: int, before: float) -> bool:
        """Return whether something opaque was painted over a point in between."""
        return self.find_covering_path(point, after, before) is not None

    def find_covering_path(self, point: Point, after: int, before: float = inf) -> PathOnPage | None:
        """Return the first opaque path that was painted over a point in between; None without one."""
        over = (piece for piece in self.find_pieces_near((*point, *point)) if after < piece.path.order < before)
        hides = (piece.path for piece in over if piece.path.fill_opacity == 1 and self._is_filled_at(piece, point))
        return next(hides, None)

    def background_at(self, point: Point, before: int, among: Sequence[PathPiece] | None = None) -> Color:
        """Return the color of the area at a point.

        Transparent areas mix with their background. Hatching counts by its share. Colors of shaded areas are read from
        the raster of the page. `among` are the pieces near the point, if known.
        """
        layers: list[tuple[Color, float]] = []
        known, spot, found = True, (*point, *point), self.page.paper
        for piece in reversed(self.find_pieces_near(spot) if among is None else among):
            path = piece.path
            if path.order >= before or (among is not None and not touch(piece.box, spot)):
                continue
            if path.shaded and self._is_unclipped_at(path, point) and is_point_inside(piece.lines, point):
                known = False
            elif path.fill and self._is_filled_at(piece, point):
                if path.fill_opacity == 1:
                    found = path.fill  # covers all layers below
                    break
                layers.append((path.fill, path.fill_opacity))
            elif path.stroke and path.width > HATCH_PT and self._is_unclipped_at(path, point):
                layers.append((path.stroke, path.dash * path.stroke_opacity))
        for color, part in reversed(layers):
            found = mix_colors(color, found, part)
        seen = self.page.raster.color(point) if self.page.raster is not None and not known else None
        return seen or found

    def _is_filled_at(self, piece: PathPiece, point: Point) -> bool:
        return (
            piece.path.fill is not None
            and self._is_unclipped_at(piece.path, point)
            and is_point_inside(piece.lines, point)
        )

    def _is_unclipped_at(self, path: PathOnPage, point: Point) -> bool:
        """Return whether a path's clips let it be seen at a point."""
        if path.clip is not None and not touch(path.clip, (*point, *point)):
            return False
        return not path.clips or all(point in self._index_clip(clip) for clip in path.clips)

    def _index_clip(self, clip: tuple[tuple[Point, ...], ...]) -> PolygonIndex:
        if id(clip) not in self._regions:
            self._regions[id(clip)] = PolygonIndex(clip)
        return self._regions[id(clip)]


def _split_path(path: PathOnPage) -> Iterator[PathPiece]:
    if len(path.lines) <= _MANY_PIECES_COUNT:
        yield PathPiece(path, path.lines, path.box)
        return
    half = path.width / 2 if path.stroke else 0.0
    for line in path.lines:
        yield PathPiece(path, (line,), grow_box(compute_bounding_box(line), half))


_SQUARE_PT = 14.0  # pt


class PolygonIndex:
    """Polygons with an index over squares: a query examines only polygons near a point."""

    def __init__(self, polygons: Sequence[Sequence[Point]]) -> None:
        self._polygons, self._near = polygons, Near(_SQUARE_PT, _SQUARE_PT)
        for number, polygon in enumerate(polygons):
            self._near.add_entry(number, compute_bounding_box(polygon))

    def __contains__(self, point: Point) -> bool:
        near = self._near.find_near_entries((*point, *point))
        return bool(near) and is_point_inside([self._polygons[number] for number in near], point)
