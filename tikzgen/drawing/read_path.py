"""Paths as they are written: points, lines, curves, circles, and the nodes on the way."""

from __future__ import annotations

import re
from math import cos, hypot, radians, sin

from tikzgen.base.record import Record
from tikzgen.drawing.canvas import Canvas, Item
from tikzgen.drawing.coordinates import direction, locate_node
from tikzgen.drawing.key_values import number
from tikzgen.drawing.option_lists import closing, options, skip_blanks
from tikzgen.drawing.painting import paint
from tikzgen.drawing.place_nodes import place_node, read_node
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.shapes import Shape, spot
from tikzgen.drawing.state import State
from tikzgen.drawing.strokes import Step, arc, between, ellipse, rectangle
from tikzgen.drawing.tikz_keys import apply
from tikzgen.plane.affine import moved, times
from tikzgen.plane.path import LOOSENESS
from tikzgen.plane.rectangles import Point
from tikzgen.plane.units import PT_PER_CM

_WORD = re.compile(r"--|\|-|-\||\.\.\s*controls|\+\+|\+|rectangle|cycle|circle|arc|node|coordinate|to\b|edge|[(\[]")
_NODE = re.compile(r"\s*(node|coordinate)")
_AND, _DOTS = re.compile(r"\s*and\s*"), re.compile(r"\s*\.\.")
_START, _TARGET = "tikz start", "tikz target"
_SIDE = 0.05  # of a unit vector: what counts as level or upright for `auto`
_LOOP, _LOOP_LOOSENESS, _LOOP_LEAST = (105, 75), 8, 5 * PT_PER_CM / 10
_TEX = 256 / 257  # of a distance: what TikZ has left of it behind its divisions
_ACROSS = {"south": "north", "north": "south", "east": "west", "west": "east"}


class Segment(Record):
    """The last piece of a path: a line, a curve, or the two legs of a corner."""

    kind: str
    points: tuple[Point, ...]

    def along(self, share: float) -> tuple[Point, Point]:
        """The point at a share of the way, and the direction there."""
        points, share = self.points, share
        if self.kind == "legs":
            points, share = (points[:2], 2 * share) if share < 0.5 else (points[1:], 2 * share - 1)
        if self.kind != "curve":
            start, goal = points
            return between(start, goal, share), (goal[0] - start[0], goal[1] - start[1])
        a, b, c, d = points
        one = [between(a, b, share), between(b, c, share), between(c, d, share)]
        two = [between(one[0], one[1], share), between(one[1], one[2], share)]
        return between(two[0], two[1], share), (two[1][0] - two[0][0], two[1][1] - two[0][1])


class Way:
    """One path while it is read. `at` is the point it has reached, `node` the node there whose border counts."""

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
        self.segment: Segment | None = None
        self.above: list[Item] = []  # drawn when the path is

    # -- reading -----------------------------------------------------------------------------------------------

    def read(self, text: str, at: int = 0) -> int:
        """Read up to the semicolon, and paint; where the path ends."""
        at = self.follow(text, at)
        if self.state.inserted:
            inserted, self.state.inserted = self.state.inserted, ""
            self.follow(inserted + ";", 0)
        items = self.canvas.items
        paint(self.canvas, self.steps, self.state)
        items += self.above
        return at

    def follow(self, text: str, at: int) -> int:
        canvas = self.canvas
        while True:
            at = skip_blanks(text, at)
            if text[at : at + 1] == ";":
                return at + 1
            found = _WORD.match(text, at)
            if found is None:
                rest = text[at : at + 30].strip()
                raise Unsupported(f"{rest!r} on a path" if rest and rest[0] != "\\" else "a path without its ;")
            canvas.spend()
            word, at = found[0], found.end()
            if word in ("(", "+", "++"):
                at = self.point(text, found.start(), word)
            elif word == "[":
                end = closing(text, at - 1)
                apply(canvas, self.state, text[at : end - 1])
                at = end
            elif word in ("--", "|-", "-|", "rectangle"):
                self.how = word
            elif word == "cycle":
                self.close()
            elif word in ("node", "coordinate"):
                at = self.label(text, at, word)
            elif word == "circle":
                at = self.circle(text, at)
            elif word == "arc":
                at = self.arc(text, at)
            elif word == "to":
                at = self.to(text, at)
            elif word == "edge":
                at = self.edge(text, at)
            else:
                at = self.curve(text, at)

    def inner(self, text: str, at: int) -> tuple[str, int]:
        """What stands in parentheses, and where it ends."""
        at = skip_blanks(text, at)
        end = closing(text, at)
        if text[at] != "(":
            raise Unsupported(f"{text[at : at + 20]!r} in the place of a coordinate")
        return text[at + 1 : end - 1], end

    def point(self, text: str, at: int, word: str) -> int:
        if word == "(":
            inside, end = self.inner(text, at)
            point, node = locate_node(self.canvas, self.state, inside)
            self.reach(point, node)
            self.anchor = point
            return end
        inside, end = self.inner(text, at + len(word))
        x, y = direction(self.canvas, self.state, inside)
        point = (self.anchor[0] + x, self.anchor[1] + y)
        self.reach(point, None)
        if word == "++":
            self.anchor = point
        return end

    def curve(self, text: str, at: int) -> int:
        begin = skip_blanks(text, at)
        at = self.past_control(text, begin)
        one = two = text[begin:at].strip()
        if (found := _AND.match(text, at)) is not None:
            begin = found.end()
            at = self.past_control(text, begin)
            two = text[begin:at].strip()
        found = _DOTS.match(text, at)
        if found is None:
            raise Unsupported("a curve without its end")
        self.how, self.controls = "curve", (one, two)
        return found.end()

    def past_control(self, text: str, at: int) -> int:
        while text[at : at + 1] == "+":
            at += 1
        return closing(text, at)

    # -- steps -------------------------------------------------------------------------------------------------

    def reach(self, point: Point, node: Shape | None) -> None:
        """Go on to a point, in the way that was said."""
        how, self.how = self.how, "move"
        radius = self.state.radius
        if how == "move":
            if self.steps and self.steps[-1].kind == "M":
                self.steps.pop()
            self.steps.append(Step("M", (point,), radius))
            self.segment = None
        elif how == "rectangle":
            if self.steps and self.steps[-1].kind == "M":
                self.steps.pop()
            corners = self.corners(self.at, point)
            self.steps += corners
            self.segment = Segment("line", (self.at, point))
        elif how == "curve":
            first = self.control(self.controls[0], self.at)
            second = self.control(self.controls[1], point)
            start = self.leave(first)
            goal = node.border(second) if node else point
            self.steps.append(Step("C", (first, second, goal), radius))
            self.segment = Segment("curve", (start, first, second, goal))
        elif how == "--":
            start = self.leave(point)
            goal = node.border(self.at) if node else point
            self.steps.append(Step("L", (goal,), radius))
            self.segment = Segment("line", (start, goal))
        else:
            middle = (self.at[0], point[1]) if how == "|-" else (point[0], self.at[1])
            start = self.leave(middle)
            goal = node.border(middle) if node else point
            self.steps += [Step("L", (middle,), radius), Step("L", (goal,), radius)]
            self.segment = Segment("legs", (start, middle, goal))
        waiting, self.waiting = self.waiting, []
        self.at, self.node = point, node
        for own, source in waiting:
            self.put(own, source, 0.5)

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
        if self.steps and self.steps[-1].kind == "M":
            self.steps.pop()
        self.steps.append(Step("M", (start,), self.state.radius))
        return start

    def close(self) -> None:
        start = next((step for step in reversed(self.steps) if step.kind == "M"), None)
        if start is None:
            raise Unsupported("a cycle without a path")
        self.steps.append(Step("Z", start.points, self.state.radius))
        self.at, self.node, self.how = start.end, None, "move"

    # -- what stands on it -------------------------------------------------------------------------------------

    def label(self, text: str, at: int, word: str) -> int:
        """A node or a coordinate: on the segment to come, on the last one, or at the point that is reached."""
        end, own, source = read_node(self.canvas, self.state, text, at, word)
        if self.how != "move":
            self.waiting.append((own, source))
        else:
            self.put(own, source, None)
        return end

    def put(self, own: State, source: str, share: float | None) -> None:
        where = self.at if self.steps else moved((0.0, 0.0), self.state.matrix)
        if own.position is not None:
            share = own.position
        if share is not None and self.segment is not None and not own.at:
            where, heading = self.segment.along(share)
            if own.sloped:
                across, up = _readable(heading)
                own.node_matrix = times(own.node_matrix, (across, up, -up, across, 0.0, 0.0))
                heading = (1.0, 0.0)
            if own.auto:
                own.anchor = _beside(heading, own.auto)
        items, self.canvas.items = self.canvas.items, []
        place_node(self.canvas, own, source, where)
        self.above += self.canvas.items
        self.canvas.items = items

    def circle(self, text: str, at: int) -> int:
        at = skip_blanks(text, at)
        end = closing(text, at)
        given = dict(options(text[at + 1 : end - 1]))
        across, up = given.get("x radius", given.get("radius")), given.get("y radius", given.get("radius"))
        if text[at] != "[" or not across or not up or set(given) - {"radius", "x radius", "y radius"}:
            raise Unsupported("a circle without its radius")
        if self.steps and self.steps[-1].kind == "M":
            self.steps.pop()
        self.steps += ellipse(self.at, abs(self.radius(across)), abs(self.radius(up)))
        self.node = None
        return end

    def arc(self, text: str, at: int) -> int:
        inside, end = self.inner(text, at)
        first, _, rest = self.canvas.expand(inside).partition(":")
        last, _, radius = rest.partition(":")
        across, _, up = radius.partition(" and ")
        turn = [number(self.canvas, part)[0] for part in (first, last)]
        steps = arc(self.at, turn[0], turn[1], self.radius(across), self.radius(up or across))
        self.steps += steps
        self.at = self.anchor = steps[-1].end
        self.node = None
        return end

    def radius(self, text: str) -> float:
        value, unit = number(self.canvas, text)
        return value if unit else value * hypot(*self.state.x_vector)

    def to(self, text: str, at: int) -> int:
        """`to[…]`: the path that its keys tell, with the nodes on it, to the coordinate that follows."""
        at = skip_blanks(text, at)
        state = self.state.copy()
        state.to_path, state.loop = "", False
        if text[at : at + 1] == "[":
            end = closing(text, at)
            apply(self.canvas, state, text[at + 1 : end - 1])
            at = end
        nodes = at
        while (found := _NODE.match(text, at)) is not None:
            at = read_node(self.canvas, self.state, text, found.end(), found[1])[0]
        target, end = self.inner(text, at)
        point, node = locate_node(self.canvas, self.state, target)
        if state.loop:
            self.loop(text[nodes:at])
            return end
        shapes = {_START: self.node or spot(self.at), _TARGET: node or spot(point)}
        self.canvas.nodes.update(shapes)
        way = state.to_path or r"-- (\tikztotarget) \tikztonodes"
        for macro, name in ((r"\tikztostart", _START), (r"\tikztotarget", _TARGET)):
            way = way.replace(macro, name)
        self.follow(way.replace(r"\tikztonodes", "") + ";", 0) if nodes == at else self.with_nodes(way, text[nodes:at])
        self.anchor = point
        return end

    def loop(self, nodes: str) -> None:
        """TikZ's `loop above`: from the node to itself, and what stands on it is above it."""
        node = self.node
        if node is None:
            raise Unsupported("a loop without a node")
        x, y = node.centre
        ways = [(cos(radians(angle)), sin(radians(angle))) for angle in _LOOP]
        start, goal = (node.border((x + across, y + up)) for across, up in ways)
        far = max(_LOOP_LEAST, LOOSENESS * _LOOP_LOOSENESS * _TEX * hypot(goal[0] - start[0], goal[1] - start[1]))
        first, second = (
            (point[0] + far * across, point[1] + far * up)
            for point, (across, up) in zip((start, goal), ways, strict=True)
        )
        self.leave((x + ways[0][0], y + ways[0][1]))
        self.steps.append(Step("C", (first, second, goal), self.state.radius))
        self.segment = Segment("curve", (start, first, second, goal))
        self.how = "move"
        self.put_all(nodes, "south")

    def with_nodes(self, way: str, nodes: str) -> None:
        """The nodes stand behind the target, at the middle of the way where they say nothing else."""
        self.follow(way.replace(r"\tikztonodes", "") + ";", 0)
        self.put_all(nodes, "center")

    def put_all(self, nodes: str, anchor: str) -> None:
        at = 0
        while at < len(nodes.rstrip()):
            found = _NODE.match(nodes, at)
            assert found is not None  # they were read before
            at, own, source = read_node(self.canvas, self.state, nodes, found.end(), found[1])
            if own.anchor == "center":
                own.anchor = anchor
            self.put(own, source, 0.5)

    def edge(self, text: str, at: int) -> int:
        """`edge[…] (b)`: a path of its own, drawn after this one."""
        at = skip_blanks(text, at)
        state = self.state.copy()
        state.draw = True
        if text[at : at + 1] == "[":
            end = closing(text, at)
            apply(self.canvas, state, text[at + 1 : end - 1])
            at = end
        target, end = self.inner(text, at)
        way = Way(self.canvas, state)
        way.reach(self.at, self.node)
        way.how = "--"
        way.reach(*locate_node(self.canvas, state, target))
        items, self.canvas.items = self.canvas.items, []
        paint(self.canvas, way.steps, state)
        self.above += self.canvas.items
        self.canvas.items = items
        return end


def _readable(heading: Point) -> Point:
    """A direction of length 1, from left to right."""
    far = hypot(*heading) or 1.0
    x, y = heading[0] / far, heading[1] / far
    return (-x, -y) if x < 0 else (x, y)


def _beside(heading: Point, side: str) -> str:
    """The anchor of a node that stands beside a line, left or right of its direction."""
    far = hypot(*heading) or 1.0
    x, y = heading[0] / far, heading[1] / far
    if x > _SIDE:
        anchor = "south east" if y > _SIDE else "south west" if y < -_SIDE else "south"
    elif x < -_SIDE:
        anchor = "north east" if y > _SIDE else "north west" if y < -_SIDE else "north"
    else:
        anchor = "east" if y > 0 else "west"
    return " ".join(_ACROSS[word] for word in anchor.split()) if side == "right" else anchor
