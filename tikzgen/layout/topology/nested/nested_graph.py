"""What is placed: boxes, frames of boxes and frames, lines between boxes. In cm, y downwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf

from tikzgen.base.plane import (
    Box,
    Path,
    Point,
    bow_arms,
    compute_bounding_box,
    find_box_center,
    grow_box,
    make_polyline,
)
from tikzgen.base.record import Record, WithCache, replace

PAD = 0.25  # cm between a frame and what it holds
CLOSE_PAD = 0.15  # cm, where the paper is narrow
LABEL_ROOM = 0.14  # cm around the label of a frame, both sides together
ROOT = ""
"""The container that holds all others."""


class Leaf(Record):
    """An entity around its anchor: its body, where lines end, and its foot, which is that with its caption.

    Lines end on this share of each side, around its middle, and below its caption, so wide. Dots keep behind the
    member before them; entities of one `look` may stand in one layer. One with a `core` is as long as all levels: the
    core is what it takes by itself. The corners of an `icon` may be empty. An `offset` moves it from its place.
    """

    id: str
    body: Box
    foot: Box
    share: float = 1.0
    dots: bool = False
    look: str = ""
    core: Box | None = None
    caption: float = 0.0
    icon: bool = False
    offset: Point = (0.0, 0.0)

    @property
    def solids(self) -> tuple[Box, ...]:
        """What it takes, its caption apart where that is wider."""
        if not self.caption or self.foot[1] != self.body[1]:
            return (self.foot,)
        return self.body, self.caption_box

    @property
    def caption_box(self) -> Box:
        """The box of its caption, below the body."""
        half = self.caption / 2
        left, right = (-half, half) if half else (self.foot[0], self.foot[2])
        return left, self.body[3], right, self.foot[3]

    def long(self, axis: int, half: float) -> Leaf:
        """The same with half such a length on an axis, around its anchor."""
        body, foot = [*self.body], [*self.foot]
        body[axis], body[axis + 2] = foot[axis], foot[axis + 2] = -half, half
        return replace(self, body=tuple(body), foot=tuple(foot), core=self.body)


class Cells(Record):
    """Places that were stated: by column and row, or on a circle around (0, 0) of radius 1.

    Where they are levels, each spreads along an axis on its own; null where columns and rows go through all of them.
    """

    places: tuple[tuple[str, Point], ...]
    around: bool
    spread: int | None


class GraphFrame(Record):
    """A frame with the size of its label; `direction` is that of its layers where somebody chose it.

    Members keep to its `cells`, where it has some; one that is `like` another has its arrangement. The label stands at
    a `corner`, or in the middle of a side, as TikZ calls it; `pad` is the room around the members.
    """

    id: str
    members: tuple[str, ...]
    label: Point = (0.0, 0.0)
    direction: str = ""
    layers: tuple[tuple[str, ...], ...] = ()
    fold: int = 0
    cells: Cells | None = None
    like: str = ""
    corner: str = "north west"
    pad: float = PAD

    @property
    def rooms(self) -> tuple[float, float]:
        """What a frame takes above and below its members."""
        room = max(self.pad, self.label[1] + LABEL_ROOM) if self.label[1] else self.pad
        return (self.pad, room) if self.corner.startswith("south") else (room, self.pad)


class GraphEdge(Record):
    """A line with the size of its label, 0 for none; those of one `bundle` share a trunk, 0 is none.

    `marked` lines carry a number in a circle, `straight` ones turn no corner, nor do `woven` ones from many to many, or
    on a circle, where nothing is in their way, `alike` ones share their trunk where that is clearer, and nobody asked
    for it, `bent` ones are curves where lines run from side to side; the text stands on a `side` of the line's
    direction, left or right, or on any, or `on` it, or along it, `sloped`.
    """

    source: str
    target: str
    label: Point = (0.0, 0.0)
    bundle: int = 0
    marked: bool = False
    straight: bool = False
    woven: bool = False
    alike: bool = False
    bent: bool = False
    side: str = ""
    label_at: str = "beside"

    @property
    def ends(self) -> tuple[str, str]:
        """The entities and frames that it joins."""
        return self.source, self.target

    @property
    def is_loop(self) -> bool:
        """Whether it comes back to where it begins."""
        return self.source == self.target


class Route(Record):
    """A line from border to border: its corners, the sides that it leaves and reaches, and whether it had no clear way.

    Sides are directions away from the entity: 0 right, 1 down, 2 left, 3 up. A curve sets out `bend` degrees to the
    left of the line between its ends.
    """

    points: tuple[Point, ...]
    sides: tuple[int, int]
    forced: bool = False
    bend: int = 0

    @property
    def path(self) -> Path[float]:
        """Its legs, or its curve."""
        if not self.bend:
            return Path.join_points(*self.points)
        (x0, y0), (x1, y1) = self.points
        return Path.make_curve((x0, y0), (x1, y1), bow_arms(x1 - x0, y1 - y0, -self.bend))

    @property
    def course(self) -> Sequence[Point]:
        """The same in straight pieces."""
        return make_polyline(self.path) if self.bend else self.points

    def along(self, share: float) -> Point:
        """The point at a share of its length, or of its curve."""
        segment, part = self.find_segment(share)
        if self.bend:
            return self.path.find_point_at(part)
        (x0, y0), (x1, y1) = self.points[segment : segment + 2]
        return x0 + (x1 - x0) * part, y0 + (y1 - y0) * part

    def find_segment(self, share: float) -> tuple[int, float]:
        """Return the segment at a share of the length, and the share of that segment."""
        longs = [abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(self.points)]
        rest = share * sum(longs)
        for segment, long in enumerate(longs):
            if rest <= long and long:
                return segment, rest / long
            rest -= long
        return len(longs) - 1, 1.0


class Graph(Record, WithCache):
    """All of it, with the width and height that it should not exceed; it should `fill` a width that was asked for.

    It keeps to `cells` where frames allow that, to the layers of `pins`, and to the orders of what is to `keep` one.
    The lines of a `slanting` one may all run straight from side to side where nothing is in their way, those of a
    `crowded` one do so whatever is. It is refused where no placement fits its `paper`. Long
    layers of a `compact` one may be broken into rows.
    """

    leaves: tuple[Leaf, ...]
    root: GraphFrame
    frames: tuple[GraphFrame, ...]
    lines: tuple[GraphEdge, ...]
    width: float
    height: float
    fill: bool = False
    cells: Cells | None = None
    pins: tuple[tuple[str, int], ...] = ()
    keep: tuple[tuple[str, ...], ...] = ()
    slanting: bool = False
    crowded: bool = False
    paper: float = inf
    compact: bool = False

    @cached_property
    def anywhere(self) -> Graph:
        """The same on paper that is large enough."""
        return replace(self, width=inf, height=inf, fill=False, paper=inf, compact=False)

    def left_over(self, width: float) -> float:
        """How much a layout of some width leaves of the one that it should fill, beyond the fifth that it may leave."""
        return max(0.0, 0.8 * self.width - width) if self.fill else 0.0

    @cached_property
    def at_rest(self) -> Graph:
        """The same without offsets of entities."""
        if not any(any(leaf.offset) for leaf in self.leaves):
            return self
        return replace(self, leaves=tuple(replace(leaf, offset=(0.0, 0.0)) for leaf in self.leaves))

    @cached_property
    def without_free_trunks(self) -> Graph:
        """The same where lines to what is alike share no trunk that nobody asked for."""
        lines = (replace(line, bundle=0, alike=False) if line.alike else line for line in self.lines)
        return replace(self, lines=tuple(lines))

    @cached_property
    def containers(self) -> dict[str, GraphFrame]:
        """The root and all frames, by id."""
        return {ROOT: self.root, **{frame.id: frame for frame in self.frames}}

    @cached_property
    def parents(self) -> dict[str, str]:
        """The container of each entity and frame."""
        return {member: name for name, frame in self.containers.items() for member in frame.members}

    def above(self, name: str) -> Iterator[str]:
        """The containers around an entity or a frame, from the inside out, the root last."""
        while name != ROOT:
            name = self.parents[name]
            yield name

    @cached_property
    def dots(self) -> frozenset[str]:
        """What stands for entities that are not drawn."""
        return frozenset(leaf.id for leaf in self.leaves if leaf.dots)

    @cached_property
    def order(self) -> dict[str, int]:
        """Where each entity and frame was named."""
        leaves = {leaf.id: place for place, leaf in enumerate(self.leaves)}
        for frame in self.frames:
            leaves[frame.id] = min(leaves[member] for member in frame.members)
        return leaves

    @cached_property
    def by_id(self) -> dict[str, Leaf]:
        """The entities."""
        return {leaf.id: leaf for leaf in self.leaves}

    @property
    def size(self) -> int:
        """How many entities and lines there are."""
        return len(self.leaves) + len(self.lines)

    @cached_property
    def members_of_containers(self) -> dict[str, list[Leaf]]:
        """The entities that are members of each container, where it has some."""
        found: dict[str, list[Leaf]] = {}
        for leaf in self.leaves:
            found.setdefault(self.parents[leaf.id], []).append(leaf)
        return found

    @cached_property
    def neighbors(self) -> dict[str, frozenset[str]]:
        """The entities and frames that lines join to each."""
        found: dict[str, set[str]] = {}
        for line in self.lines:
            for here, there in (line.ends, line.ends[::-1]):
                found.setdefault(here, set()).add(there)
        return {name: frozenset(others) for name, others in found.items()}

    @cached_property
    def looks(self) -> dict[str, str]:
        """The looks of entities that have one."""
        return {leaf.id: leaf.look for leaf in self.leaves if leaf.look}

    @cached_property
    def holders(self) -> dict[str, frozenset[str]]:
        """The frames around each entity; around each frame, with itself."""
        around = {leaf.id: frozenset(self.above(leaf.id)) for leaf in self.leaves}
        return around | {frame.id: frozenset({frame.id, *self.above(frame.id)}) for frame in self.frames}

    def around(self, line: GraphEdge) -> frozenset[str]:
        """The frames that a line has business with: those around what it joins, and those that it joins."""
        return self.holders[line.source] | self.holders[line.target]

    @cached_property
    def links(self) -> dict[str, tuple[tuple[str, str, int], ...]]:
        """By container, the lines between two of its members or what these hold, with their places in `lines`."""
        found: dict[str, list[tuple[str, str, int]]] = {name: [] for name in self.containers}
        for index, line in enumerate(self.lines):
            ways = [[one, *self.above(one)] for one in (line.source, line.target)]
            common = next(name for name in ways[0] if name in ways[1][1:] and name in self.containers)
            one, other = (way[way.index(common) - 1] for way in ways)
            if one != other:
                found[common].append((one, other, index))
        return {name: tuple(each) for name, each in found.items()}


class Placed(Record):
    """Where everything stands: the anchor of each entity, the box of each frame, and the size of it all.

    The anchor of a frame that lines join is its middle.

    It is `misread` as far as things stand in another order than they are named in, in cm of line. Where all is too wide
    otherwise, what was stated for some containers is `folded` into bands: so many of each; or layers of some are
    `broken` into rows. Offsets of entities do not move the `origin`, from which places are counted in a figure.
    """

    anchors: dict[str, Point]
    frames: dict[str, Box]
    width: float
    height: float
    misread: float = 0.0
    folded: tuple[tuple[str, int], ...] = ()
    broken: tuple[str, ...] = ()
    origin: Point = (0.0, 0.0)

    def joints(self, graph: Graph) -> dict[str, Leaf]:
        """What lines join: entities, and frames as if they were entities of their size."""
        found = dict(graph.by_id)
        for name, (left, top, right, bottom) in self.frames.items():
            if name in self.anchors:
                half = (left - right) / 2, (top - bottom) / 2, (right - left) / 2, (bottom - top) / 2
                found[name] = Leaf(name, half, half)
        return found

    def start(self, name: str, other: str) -> Point:
        """Where a straight line from one to another begins: at an entity's anchor, or on a frame's border."""
        x, y = self.anchors[name]
        if name not in self.frames:
            return x, y
        (u, v), (_, _, right, bottom) = self.anchors[other], self.frames[name]
        shares = [half / far for half, far in ((right - x, abs(u - x)), (bottom - y, abs(v - y))) if far > half]
        share = min(shares, default=1.0)
        return x + (u - x) * share, y + (v - y) * share

    def with_offsets(self, graph: Graph) -> Placed:
        """Return the positions with the offsets of entities; frames grow so that they contain their members."""
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
        """A shape around an anchor, at its place."""
        x, y = self.anchors[name]
        return x + shape[0], y + shape[1], x + shape[2], y + shape[3]

    def obstacles_of(self, graph: Graph, line: GraphEdge, clear: float, border: float) -> list[Box]:
        """What a line has no business in, and so far around it: entities that it does not join, and frames that
        neither are nor hold one of its ends.
        """
        around = graph.around(line)
        others = [leaf for leaf in graph.leaves if leaf.id not in line.ends]
        feet = [grow_box(self.box(leaf.id, leaf.foot), clear) for leaf in others]
        return feet + [grow_box(box, border) for name, box in self.frames.items() if name not in around]


def _add(one: Point, other: Point) -> Point:
    return round(one[0] + other[0], 4), round(one[1] + other[1], 4)
