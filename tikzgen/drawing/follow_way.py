"""The way of one path: where it goes from point to point and from node to node, and what stands on it."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from tikzgen.drawing.canvas import Canvas, Item
from tikzgen.drawing.coordinates import direction, locate_node
from tikzgen.drawing.place_nodes import place_node
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.shapes import Shape
from tikzgen.drawing.state import State
from tikzgen.drawing.strokes import Step, between, parted, rectangle
from tikzgen.plane.affine import moved, times
from tikzgen.plane.rectangles import Point

_SIDE = 0.05  # of a unit vector: what counts as level or upright for `auto`
_ACROSS = {"south": "north", "north": "south", "east": "west", "west": "east"}


class Way:
    """One path while it is followed. `at` is the point it has reached, `node` the node there whose border counts."""

    def __init__(self, canvas: Canvas, state: State) -> None:
        self.canvas = canvas
        self.state = state
        self.steps: list[Step] = []
        self.at: Point = (0.0, 0.0)
        self.node: Shape | None = None
        self.anchor: Point = (0.0, 0.0)  # what relative coordinates start from
        self.how = "move"
        self.controls: tuple[str, str] = ("", "")
        self.waiting: list[tuple[State, str]] = []
        self.segment: tuple[Point, ...] = ()  # its last piece: a line, the two legs of a corner, or a curve
        self.above: list[Item] = []  # drawn when the path is

    def reach(self, point: Point, node: Shape | None) -> None:
        """Go on to a point, in the way that was said."""
        how, self.how = self.how, "move"
        radius = self.state.radius
        if how == "move":
            self.begin(point)
            self.segment = ()
        elif how == "rectangle":
            self.instead_of_move(self.corners(self.at, point))
            self.segment = (self.at, point)
        elif how == "curve":
            first = self.control(self.controls[0], self.at)
            second = self.control(self.controls[1], point)
            start = self.leave(first)
            goal = node.border(second) if node else point
            self.steps.append(Step("C", (first, second, goal), radius))
            self.segment = (start, first, second, goal)
        elif how == "--":
            start = self.leave(point)
            goal = node.border(self.at) if node else point
            self.steps.append(Step("L", (goal,), radius))
            self.segment = (start, goal)
        else:
            middle = (self.at[0], point[1]) if how == "|-" else (point[0], self.at[1])
            start = self.leave(middle)
            goal = node.border(middle) if node else point
            self.steps += [Step("L", (middle,), radius), Step("L", (goal,), radius)]
            self.segment = (start, middle, goal)
        waiting, self.waiting = self.waiting, []
        self.at, self.node = point, node
        for own, source in waiting:
            self.put(own, source, 0.5)

    def begin(self, point: Point) -> None:
        """Begin a part of the path."""
        self.instead_of_move([Step("M", (point,), self.state.radius)])

    def instead_of_move(self, steps: Sequence[Step]) -> None:
        """Go on with steps; a part of the path that has only begun is forgotten."""
        if self.steps and self.steps[-1].kind == "M":
            self.steps.pop()
        self.steps += steps

    def corners(self, one: Point, other: Point) -> list[Step]:
        """A rectangle that lies as the picture's map has it."""
        a, b, c, d, _, _ = self.state.matrix
        if b == c == 0 or a == d == 0:
            return rectangle(one, other, self.state.radius)
        raise Unsupported("a rectangle that is turned")

    def control(self, text: str, start: Point) -> Point:
        if text.startswith("+"):
            x, y = direction(self.canvas, self.state, text.lstrip("+").strip()[1:-1])
            return start[0] + x, start[1] + y
        return locate_node(self.canvas, self.state, text[1:-1])[0]

    def leave(self, towards: Point) -> Point:
        """Where a line begins that leaves the node at hand; a new part of the path begins there."""
        if self.node is None:
            return self.at
        start = self.node.border(towards)
        self.begin(start)
        return start

    def close(self) -> None:
        start = next((step for step in reversed(self.steps) if step.kind == "M"), None)
        if start is None:
            raise Unsupported("a cycle without a path")
        self.steps.append(Step("Z", start.points, self.state.radius))
        self.at, self.node, self.how = start.end, None, "move"

    def put(self, own: State, source: str, share: float | None) -> None:
        where = self.at if self.steps else moved((0.0, 0.0), self.state.matrix)
        if own.position is not None:
            share = own.position
        if share is not None and self.segment and not own.at:
            where, (x, y) = _along(self.segment, share)
            if own.sloped:
                x, y = (-x, -y) if x < 0 else (x, y)  # texts are read from left to right
                own.node_matrix = times(own.node_matrix, (x, y, -y, x, 0.0, 0.0))
                x, y = 1.0, 0.0
            if own.auto:
                own.anchor = _beside(x, y, own.auto)
        with self.canvas.apart() as above:
            place_node(self.canvas, own, source, where)
        self.above += above


def _along(segment: Sequence[Point], share: float) -> tuple[Point, Point]:
    """The point at a share of a segment, and the direction there, of length 1."""
    if len(segment) == 4:
        half, rest = parted(segment, share)
        at, (a, b), (c, d) = half[3], half[2], rest[1]
    else:
        if len(segment) == 3:
            segment, share = (segment[:2], 2 * share) if share < 0.5 else (segment[1:], 2 * share - 1)
        (a, b), (c, d) = segment
        at = between((a, b), (c, d), share)
    far = hypot(c - a, d - b) or 1.0
    return at, ((c - a) / far, (d - b) / far)


def _beside(x: float, y: float, side: str) -> str:
    """The anchor of a node that stands beside a line, left or right of its direction."""
    if x > _SIDE:
        anchor = "south east" if y > _SIDE else "south west" if y < -_SIDE else "south"
    elif x < -_SIDE:
        anchor = "north east" if y > _SIDE else "north west" if y < -_SIDE else "north"
    else:
        anchor = "east" if y > 0 else "west"
    return " ".join(_ACROSS[word] for word in anchor.split()) if side == "right" else anchor
