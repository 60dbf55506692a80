"""How far the links across a figure swing out: their curves belong to its size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Arrow
from tikzgen.layout.length import Length
from tikzgen.layout.links.curved_links import Site
from tikzgen.layout.topology.flow_outline import Point, controls
from tikzgen.plane.cubics import arms

__all__ = ["swings"]

_SIDES = ("right", "top", "left", "bottom")


def swings(arrows: Iterable[Arrow], sites: Iterable[Site], outlines: Mapping[str, Extent]) -> Iterator[Extent]:
    """What the curves of links reach: PGF counts their control points to the size of a picture."""
    by_node = {site.node: site for site in sites}
    for arrow in arrows:
        source, target = (_end(by_node, outlines, name) for name in (arrow.source, arrow.target))
        for x, y in controls(source, target, arms((arrow.out_angle, arrow.in_angle), arrow.reach))[1:3]:
            yield Extent(x, y, x, y)


def _end(sites: Mapping[str, Site], outlines: Mapping[str, Extent], name: str) -> Point:
    """The place that an arrow's end names: the middle of a side of a node, or a point on a flow."""
    node = name.partition(".")[0]
    site, outline = sites[node], outlines[node]
    side = next(side for side in _SIDES if site.anchor(side) == name)
    middle: Point = (outline.left + outline.right) * 0.5, (outline.bottom + outline.top) * 0.5
    return _side(outline, side, middle)


def _side(outline: Extent, side: str, middle: Point) -> Point:
    edges: dict[str, Length] = {
        "right": outline.right,
        "top": outline.top,
        "left": outline.left,
        "bottom": outline.bottom,
    }
    return (edges[side], middle[1]) if side in ("right", "left") else (middle[0], edges[side])
