"""Positions of the nodes of a graph, and the arrangements of its containers; in cm, y down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.base.plane import Box, Point, compute_bounding_box, find_box_center, grow_box
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_length
from tikzgen.layout.topology.nested.nested_graph import ROOT, Graph, GraphCells, GraphEdge, Layers, Leaf

BLANK_CM = 0.5  # value of \\colsep and \\rowsep at the usual gaps
LEAST_SHARE = 0.4  # minimum share of \\colsep and \\rowsep, at which parallel edges stay distinct
MOST_SHARE = 2.0  # share of them up to which no members overlap
_GROWTH_DIGITS = 3
_STEP_CM = 0.02  # small change of all gaps
_LIKE_CM = 0.6  # cm by which an interpolated placement may differ from the usual one
RECORD_DIGITS = 4  # digits after the point of recorded positions in cm
_SAME_CM = 0.01  # cm by which a box may overlap the next one that a hint names
_ARROW_CM = 0.6  # minimum cm between layers
_LAYER_SHARES = (0.7, 0.5)  # part of a gap between layers that does not scale, as a share of the blank space


class Arrangement(Record):
    """Arrangement of a container: layers to the right or down, folded into `fold` bands.

    Long layers may be `broken` into rows. With `winding`, every other band runs back. `loose` is a factor on the gaps,
    to which `more` adds cm on each axis. `rooms` has the label sizes after each layer, shared by similar containers. If
    `cells` are set, they replace the layers. `kept` are positions of members in an earlier layout, by layer and place:
    they change as little as possible.
    """

    layers: Layers
    down: bool
    fold: int = 1
    winding: bool = False
    loose: float = 1.0
    broken: bool = False
    rooms: tuple[Point, ...] = ()
    cells: GraphCells | None = None
    kept: tuple[tuple[str, Point], ...] = ()
    more: Point = (0.0, 0.0)


class Placed(Record):
    """A placement: the anchor of each node, the box of each frame, and the total size, in cm.

    A frame with edges has an anchor in its middle.

    `misread` is the cost of members out of their input order and of bands, in cm of edge. If the layout is too wide
    otherwise, `folded` has the number of bands of stated containers, and `broken` names containers with layers in rows.
    Offsets of nodes do not move the `origin` of the coordinates of a figure. `arranged` is the arrangement of each
    container, empty for stated positions, and `places` are the positions in its layers. `junctions` are positions for
    the trunks of meshes, or None. `growth` has the cm by which each anchor (twice), each frame, and the whole (as
    `ROOT`) move or grow per cm of \\colsep and \\rowsep, which both are `blank` cm in this placement.
    """

    anchors: dict[str, Point]
    frames: dict[str, Box]
    width: float
    height: float
    misread: float = 0.0
    folded: tuple[tuple[str, int], ...] = ()
    broken: tuple[str, ...] = ()
    origin: Point = (0.0, 0.0)
    arranged: Mapping[str, Arrangement] = NOTHING
    places: Mapping[str, Mapping[str, Point]] = NOTHING
    junctions: tuple[Point | None, ...] = ()
    growth: Mapping[str, Box] = NOTHING
    blank: float = BLANK_CM

    @property
    def least_width(self) -> float:
        """Minimum width in cm; edges and labels can only add to it."""
        return self.width - (self.blank - self.least_blank[0]) * self.growth[ROOT][2]

    @property
    def least_blank(self) -> Point:
        r"""Minimum \colsep and \rowsep in cm: arrows between layers stay longer than their heads."""
        arrows = (min(_ARROW_CM - share * self.blank, self.blank) for share in _LAYER_SHARES)
        x, y = (max(LEAST_SHARE * self.blank, arrow) for arrow in arrows)
        return x, y

    @property
    def most_blank(self) -> float:
        r"""Maximum \colsep and \rowsep in cm that a width may result in: more separates related nodes."""
        return MOST_SHARE * self.blank

    def is_like(self, other: Placed) -> bool:
        """Return whether all nodes are about where another placement has them."""
        pairs = ((at, other.anchors[name]) for name, at in self.anchors.items())
        return all(max(abs(x - u), abs(y - v)) < _LIKE_CM for (x, y), (u, v) in pairs)

    def at(self, point: Point, growth: Sequence[float]) -> Pair:
        """Return a point as lengths, y up, by its growth."""
        (x, y), (left, top) = point, self.origin
        return self._make_length("colsep", x - left, growth[0]), -self._make_length("rowsep", y - top, growth[1])

    def box_at(self, box: Box, growth: Box) -> SymbolicBox:
        """Return a box as lengths, y up, by the growth of its sides."""
        (left, top), (right, bottom) = self.at(box[:2], growth[:2]), self.at(box[2:], growth[2:])
        return SymbolicBox(left, bottom, right, top)

    def _make_length(self, name: str, at: float, growth: float) -> Length:
        return make_length(name, growth) + round(at - growth * self.blank, 5)

    def joints(self, graph: Graph) -> dict[str, Leaf]:
        """Return the ends of edges: nodes, and frames as nodes of their size."""
        found = dict(graph.by_id)
        for name, (left, top, right, bottom) in self.frames.items():
            if name in self.anchors:
                half = (left - right) / 2, (top - bottom) / 2, (right - left) / 2, (bottom - top) / 2
                found[name] = Leaf(name, half, half)
        return found

    def start(self, name: str, other: str) -> Point:
        """Return the start of a straight edge to another node: an anchor, or a point on a frame's border."""
        x, y = self.anchors[name]
        if name not in self.frames:
            return x, y
        (u, v), (_, _, right, bottom) = self.anchors[other], self.frames[name]
        shares = [half / far for half, far in ((right - x, abs(u - x)), (bottom - y, abs(v - y))) if far > half]
        share = min(shares, default=1.0)
        return x + (u - x) * share, y + (v - y) * share

    def with_offsets(self, graph: Graph) -> Placed:
        """Return the positions with the offsets of nodes; frames grow so that they contain their members."""
        offsets = {leaf.id: leaf.offset for leaf in graph.leaves}
        anchors = {name: _add(at, offsets.get(name, (0.0, 0.0))) for name, at in self.anchors.items()}
        moved = replace(self, anchors=anchors)
        boxes = {leaf.id: moved.box(leaf.id, leaf.foot) for leaf in graph.leaves}
        for frame in graph.frames:
            left, top, right, bottom = self.frames[frame.id]
            above, below = frame.rooms
            for x0, y0, x1, y1 in (boxes[member] for member in frame.members):
                left, right = min(left, x0 - frame.pad), max(right, x1 + frame.pad)
                top, bottom = min(top, y0 - above), max(bottom, y1 + below)
            boxes[frame.id] = left, top, right, bottom
        left, top, right, bottom = compute_bounding_box([at for box in boxes.values() for at in (box[:2], box[2:])])
        frames = {name: boxes[name] for name in self.frames}
        anchors |= {name: find_box_center(box) for name, box in frames.items() if name in anchors}
        return replace(
            self,
            anchors={name: _add(at, (-left, -top)) for name, at in anchors.items()},
            frames={name: (x0 - left, y0 - top, x1 - left, y1 - top) for name, (x0, y0, x1, y1) in frames.items()},
            width=right - left,
            height=bottom - top,
            origin=(-left, -top),
        )

    def __hash__(self) -> int:
        return hash((*self.anchors.items(), *self.frames.items()))

    def box(self, name: str, shape: Box) -> Box:
        """Return a shape around the anchor of a node."""
        x, y = self.anchors[name]
        return x + shape[0], y + shape[1], x + shape[2], y + shape[3]

    def list_broken_hints(self, graph: Graph) -> list[int]:
        """Return the indices of the hints that the positions contradict: the first box ends before the second."""
        found = []
        for index, (axis, *names) in enumerate(graph.hints):
            one, other = (self.frames.get(name) or self.box(name, graph.by_id[name].foot) for name in names)
            if one[axis + 2] > other[axis] + _SAME_CM:
                found.append(index)
        return found

    def obstacles_of(self, graph: Graph, line: GraphEdge, clear: float, border: float) -> list[Box]:
        """Return the obstacles of an edge, larger by `clear` cm around nodes and by `border` cm around frames.

        They are the nodes that it does not join, and the frames that neither are nor contain one of its ends.
        """
        around = graph.around(line)
        others = [leaf for leaf in graph.leaves if leaf.id not in line.ends]
        feet = [grow_box(self.box(leaf.id, leaf.foot), clear) for leaf in others]
        return feet + [grow_box(box, border) for name, box in self.frames.items() if name not in around]


def list_gap_changes(blank: float) -> list[tuple[float, float]]:
    """Return pairs of cm that all gaps get, compared to the usual ones, for two placements that are interpolated.

    The first pair spans all distances. If the placement changes its structure between them, only small changes help.
    """
    return [((LEAST_SHARE - 1) * blank, (MOST_SHARE - 1) * blank), (-_STEP_CM, _STEP_CM)]


def interpolate_placements(least: Placed, most: Placed, changes: tuple[float, float], blank: float) -> Placed:
    r"""Return the placement between two others, with its growth.

    They have gaps that are changed by some cm, and \colsep and \rowsep are `blank` cm without a change. Where both
    have enough room, so have all placements in between, because the room that members need is convex.
    """
    small, large = changes
    scale, more = large - small, -small

    def find_growth(low: Sequence[float], high: Sequence[float]) -> tuple[float, ...]:
        return tuple(round((there - here) / scale, _GROWTH_DIGITS) + 0.0 for here, there in zip(low, high, strict=True))

    def add(values: Sequence[float], by: Sequence[float]) -> tuple[float, ...]:
        return tuple(round(value + more * each, 4) for value, each in zip(values, by, strict=True))

    points = {name: find_growth(at, most.anchors[name]) for name, at in least.anchors.items()}
    growth = {name: by * 2 for name, by in points.items()}
    growth |= {name: find_growth(box, most.frames[name]) for name, box in least.frames.items()}
    growth[ROOT] = 0.0, 0.0, *find_growth((least.width, least.height), (most.width, most.height))
    return replace(
        least,
        anchors={name: add(at, points[name]) for name, at in least.anchors.items()},
        frames={name: add(box, growth[name]) for name, box in least.frames.items()},
        width=least.width + more * growth[ROOT][2],
        height=least.height + more * growth[ROOT][3],
        places=interpolate_places(least, most, changes),
        growth=growth,
        blank=blank,
    )


def interpolate_places(least: Placed, most: Placed, changes: tuple[float, float]) -> dict[str, dict[str, Point]]:
    """Return the positions in layers between those of two placements with changed gaps."""
    share = -changes[0] / (changes[1] - changes[0])

    def join(one: Point, other: Point) -> Point:
        (x0, y0), (x1, y1) = one, other
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)

    return {
        name: {member: join(at, most.places[name][member]) for member, at in inner.items()}
        for name, inner in least.places.items()
    }


def title_box(graph: Graph, name: str, box: Box) -> Box:
    """Return the box of a frame's label: inside, at a corner or at the middle of a side."""
    (wide, tall), corner = graph.containers[name].label, graph.containers[name].corner
    left, top, right, bottom = box
    x = left if corner.endswith("west") else right - wide if corner.endswith("east") else (left + right - wide) / 2
    y = bottom - tall if corner.startswith("south") else top
    return x, y, x + wide, y + tall


def _add(one: Point, other: Point) -> Point:
    return round(one[0] + other[0], 4), round(one[1] + other[1], 4)
