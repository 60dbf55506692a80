"""Graph to place: nodes, nested frames, and edges between them; in cm, y down."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf

from tikzgen.base.plane import (
    Box,
    Path,
    Point,
    bow_arms,
    make_polyline,
)
from tikzgen.base.record import Record, WithCache, replace
from tikzgen.layout.topology.shapes.port_spans import PortSpan
from tikzgen.model.topology import TopologyRecord

PAD = 0.25  # cm between a frame and its members
CLOSE_PAD = 0.15  # cm, if the width is short
LABEL_ROOM = 0.14  # cm around the label of a frame, both sides together
ROOT = ""
"""The id of the container around all others."""
Layers = tuple[tuple[str, ...], ...]
"""Members of a container, layer by layer."""


class Leaf(Record):
    """A node around its anchor: `body`, at which edges end, and `foot`, the body with its caption.

    Edges end on the middle `share` of each side, or below the caption within its width. Dots follow the member before
    them. Nodes of one `look` may share a layer. A node with a `core` is as long as all levels, and the core is its own
    size. The corners of an `icon` may be empty. An `offset` moves the node from its position.
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
        """Occupied boxes: the foot, or body and caption if the caption is wider."""
        if not self.caption or self.foot[1] != self.body[1]:
            return (self.foot,)
        return self.body, self.caption_box

    @property
    def caption_box(self) -> Box:
        """Box of the caption, below the body."""
        half = self.caption / 2
        left, right = (-half, half) if half else (self.foot[0], self.foot[2])
        return left, self.body[3], right, self.foot[3]

    @property
    def own_foot(self) -> Box:
        """Foot of the node at its own size."""
        if self.core is None:
            return self.foot
        (left, top, right, bottom), (x0, y0, x1, y1) = self.foot, self.core
        return (left, y0, right, y1) if self.long_axis else (x0, top, x1, bottom)

    @property
    def long_axis(self) -> int:
        """Axis on which a node with a core is as long as all levels: 0 for a wide one."""
        return int(self.core is not None and self.core[::2] == self.body[::2])

    def long(self, axis: int, half: float) -> Leaf:
        """Return the node with half of a length on an axis, around its anchor."""
        body, foot = [*self.body], [*self.foot]
        body[axis], body[axis + 2] = foot[axis], foot[axis + 2] = -half, half
        return replace(self, body=tuple(body), foot=tuple(foot), core=self.body)


class GraphCells(Record):
    """Stated positions: by column and row, or on a circle of radius 1 around (0, 0).

    For levels, `spread` is the axis along which members are at multiples of one distance, level by level. Without
    `spread`, columns and rows are common to all levels.
    """

    places: tuple[tuple[str, Point], ...]
    around: bool
    spread: int | None


class GraphFrame(Record):
    """A frame with the size of its label; `direction` is the stated direction of its layers, or empty.

    Members use its `cells`, if any. A frame that is `like` another one has its arrangement. The label is at a `corner`,
    or at the middle of a side, by TikZ's names. `pad` is the distance around the members.
    """

    id: str
    members: tuple[str, ...]
    label: Point = (0.0, 0.0)
    direction: str = ""
    layers: tuple[tuple[str, ...], ...] = ()
    fold: int = 0
    cells: GraphCells | None = None
    like: str = ""
    corner: str = "north west"
    pad: float = PAD

    @property
    def rooms(self) -> tuple[float, float]:
        """Heights in cm above and below the members, inside the frame."""
        room = max(self.pad, self.label[1] + LABEL_ROOM) if self.label[1] else self.pad
        return (self.pad, room) if self.corner.startswith("south") else (room, self.pad)


class GraphEdge(Record):
    """An edge with the size of its label, (0, 0) without one.

    Edges of one `bundle` share a trunk; 0 means none. `marked` edges have a step number. `straight` edges have no
    bends. `woven` edges are many-to-many or on a circle, and straight if clear. `alike` edges share an unrequested
    trunk if that is clearer. Edges of a `mesh` run from each of several nodes to each of several others, on one trunk.
    Edges of one `complete` set, if it is not 0, become a mesh unless all of them are straight.
    `bent` edges are curves in direct layouts. The label is on a `side` of the direction, `left`, `right` or any;
    `label_at` is next to it, `on` it or `sloped`. `spans` restrict ends to parts of nodes, and `sides` to sides of
    nodes, numbered as in `Route`. `feedback` edges make no layers if true, and run forward if false.
    """

    source: str
    target: str
    label: Point = (0.0, 0.0)
    bundle: int = 0
    marked: bool = False
    straight: bool = False
    woven: bool = False
    alike: bool = False
    mesh: bool = False
    complete: int = 0
    bent: bool = False
    side: str = ""
    label_at: str = "beside"
    spans: tuple[PortSpan | None, PortSpan | None] = (None, None)
    sides: tuple[int | None, int | None] = (None, None)
    feedback: bool | None = None

    @property
    def has_free_ends(self) -> bool:
        """Whether it may end anywhere at its nodes."""
        return not any(self.spans) and self.sides == (None, None) and not self.feedback

    def side_at(self, name: str) -> int | None:
        """Return the stated side of the node at which it ends, or None."""
        return self.sides[self.ends.index(name)]

    def span_at(self, name: str) -> PortSpan | None:
        return self.spans[self.ends.index(name)]

    @property
    def ends(self) -> tuple[str, str]:
        """Source and target."""
        return self.source, self.target

    @property
    def is_loop(self) -> bool:
        """Whether source and target are equal."""
        return self.source == self.target


def count_tracks(lines: Collection[GraphEdge], *, shared: bool = False) -> int:
    """Return the number of parallel tracks that edges need: a mesh needs one, and if `shared`, each bundle."""
    bundles = [line.bundle for line in lines if line.mesh or (shared and line.bundle)]
    return len(lines) - len(bundles) + len({*bundles})


class GraphMesh(Record):
    """Two sets of nodes between which all edges of some bundles run; `label` is their largest label."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    label: Point = (0.0, 0.0)
    tracks: int = 0


class Route(Record):
    """Route from border to border: its points, and the sides that it leaves and reaches.

    Sides are directions away from the node: 0 right, 1 down, 2 left, 3 up. A curve begins `bend` degrees to the left of
    the line between its ends. A `forced` route crosses obstacles, because no clear route was found.
    """

    points: tuple[Point, ...]
    sides: tuple[int, int]
    forced: bool = False
    bend: int = 0

    @property
    def path(self) -> Path[float]:
        """Segments, or the curve."""
        if not self.bend:
            return Path.join_points(*self.points)
        (x0, y0), (x1, y1) = self.points
        return Path.make_curve((x0, y0), (x1, y1), bow_arms(x1 - x0, y1 - y0, -self.bend))

    @property
    def course(self) -> Sequence[Point]:
        """Route as a polyline."""
        return make_polyline(self.path) if self.bend else self.points

    def along(self, share: float) -> Point:
        """Return the point at a share of the length, or of the curve."""
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
    """Nodes, frames and edges to place, with the maximum width and height in cm.

    With `fill`, the layout should use the width, which was requested. Use the stated positions in `cells` if frames
    allow them. `pins` and `keep` have stated layers and orders. Edges of a `slanting` graph may run straight from side
    to side if they are clear. No placement may be wider than `paper`. Long layers of a `compact` graph may be cut into
    rows. `recorded` are the layers of an earlier layout, to keep. `meshes` are in the placement, but not in `lines`.
    Members of `same` share a layer. `hints` have an axis, and two ids: the first one is left of, or above, the second.
    """

    leaves: tuple[Leaf, ...]
    root: GraphFrame
    frames: tuple[GraphFrame, ...]
    lines: tuple[GraphEdge, ...]
    width: float
    height: float
    fill: bool = False
    cells: GraphCells | None = None
    pins: tuple[tuple[str, int], ...] = ()
    keep: tuple[tuple[str, ...], ...] = ()
    same: tuple[tuple[str, ...], ...] = ()
    hints: tuple[tuple[int, str, str], ...] = ()
    slanting: bool = False
    paper: float = inf
    compact: bool = False
    recorded: TopologyRecord | None = None
    meshes: tuple[GraphMesh, ...] = ()

    @cached_property
    def anywhere(self) -> Graph:
        """Graph without a maximum size."""
        return replace(self, width=inf, height=inf, fill=False, paper=inf, compact=False, recorded=None)

    def left_over(self, width: float) -> float:
        """Return the width in cm that a layout leaves unused, beyond the permitted fifth of a width to fill."""
        return max(0.0, 0.8 * self.width - width) if self.fill else 0.0

    @cached_property
    def at_rest(self) -> Graph:
        """Graph without offsets of nodes."""
        if not any(any(leaf.offset) for leaf in self.leaves):
            return self
        return replace(self, leaves=tuple(replace(leaf, offset=(0.0, 0.0)) for leaf in self.leaves))

    @cached_property
    def has_mesh(self) -> bool:
        """Whether some edges are edges of a mesh."""
        return any(line.mesh for line in self.lines)

    @cached_property
    def shares_trunks(self) -> bool:
        """Whether at least half of the edges may share a trunk, which those with an opposite edge cannot."""
        back = {line.ends[::-1] for line in self.lines}
        sharing = sum(bool(line.bundle) and not line.woven and line.ends not in back for line in self.lines)
        return 2 * sharing >= len(self.lines)

    @cached_property
    def without_free_trunks(self) -> Graph:
        """Graph without trunks that were not requested."""
        lines = (replace(line, bundle=0, alike=False) if line.alike else line for line in self.lines)
        return replace(self, lines=tuple(lines))

    @cached_property
    def containers(self) -> dict[str, GraphFrame]:
        """Root and all frames, by id."""
        return {ROOT: self.root, **{frame.id: frame for frame in self.frames}}

    @cached_property
    def parents(self) -> dict[str, str]:
        """Container of each node and frame."""
        return {member: name for name, frame in self.containers.items() for member in frame.members}

    def above(self, name: str) -> Iterator[str]:
        """Yield the containers around a node or a frame, from the inside out, the root last."""
        while name != ROOT:
            name = self.parents[name]
            yield name

    @cached_property
    def dots(self) -> frozenset[str]:
        """Ids of the dots, which represent nodes that are not drawn."""
        return frozenset(leaf.id for leaf in self.leaves if leaf.dots)

    @cached_property
    def order(self) -> dict[str, int]:
        """Input position of each node and frame."""
        leaves = {leaf.id: place for place, leaf in enumerate(self.leaves)}
        for frame in self.frames:
            leaves[frame.id] = min(leaves[member] for member in frame.members)
        return leaves

    @cached_property
    def by_id(self) -> dict[str, Leaf]:
        """Nodes by id."""
        return {leaf.id: leaf for leaf in self.leaves}

    @property
    def size(self) -> int:
        """Number of nodes and edges."""
        return len(self.leaves) + len(self.lines)

    @cached_property
    def members_of_containers(self) -> dict[str, list[Leaf]]:
        """Nodes that are direct members of each container, without empty containers."""
        found: dict[str, list[Leaf]] = {}
        for leaf in self.leaves:
            found.setdefault(self.parents[leaf.id], []).append(leaf)
        return found

    @cached_property
    def neighbors(self) -> dict[str, frozenset[str]]:
        """Nodes and frames that edges join to each."""
        found: dict[str, set[str]] = {}
        for line in self.lines:
            for here, there in (line.ends, line.ends[::-1]):
                found.setdefault(here, set()).add(there)
        return {name: frozenset(others) for name, others in found.items()}

    @cached_property
    def looks(self) -> dict[str, str]:
        """Styles of nodes that have one, by id."""
        return {leaf.id: leaf.look for leaf in self.leaves if leaf.look}

    @cached_property
    def holders(self) -> dict[str, frozenset[str]]:
        """Frames around each node, and around each frame including itself."""
        around = {leaf.id: frozenset(self.above(leaf.id)) for leaf in self.leaves}
        return around | {frame.id: frozenset({frame.id, *self.above(frame.id)}) for frame in self.frames}

    def around(self, line: GraphEdge) -> frozenset[str]:
        """Return the frames that an edge may cross: frames around its ends, and its ends themselves."""
        return self.holders[line.source] | self.holders[line.target]

    @cached_property
    def has_wishes(self) -> bool:
        """Whether some layers or orders are stated."""
        return bool(self.pins or self.keep or self.same or self.hints)

    def find_siblings(self, one: str, other: str) -> tuple[str, str, str]:
        """Return the innermost container of two nodes or frames, and its members that are or contain them."""
        ways = [[name, *self.above(name)] for name in (one, other)]
        common = next(name for name in ways[0] if name in ways[1][1:] and name in self.containers)
        first, second = (way[way.index(common) - 1] for way in ways)
        return common, first, second

    @cached_property
    def hints_inside(self) -> dict[str, list[tuple[int, str, str]]]:
        """Hints between two different members of each container."""
        found: dict[str, list[tuple[int, str, str]]] = {}
        for axis, one, other in self.hints:
            common, first, second = self.find_siblings(one, other)
            if first != second:
                found.setdefault(common, []).append((axis, first, second))
        return found

    @cached_property
    def links(self) -> dict[str, tuple[tuple[str, str, int], ...]]:
        """Edges between two members of each container, direct or nested, with their indices in `lines`."""
        found: dict[str, list[tuple[str, str, int]]] = {name: [] for name in self.containers}
        for index, line in enumerate(self.lines):
            common, one, other = self.find_siblings(*line.ends)
            if one != other:
                found[common].append((one, other, index))
        return {name: tuple(each) for name, each in found.items()}
