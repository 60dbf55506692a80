"""Paths as they are written: each word is a step of the path, or a node on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import atan2, cos, degrees, hypot, radians, sin

from tikzgen.base.plane import LOOSENESS_SHARE, PT_PER_CM, Point, compose_matrices, map_point
from tikzgen.compile.draw.canvas import Canvas, Item
from tikzgen.compile.draw.colors_lengths_fonts import number
from tikzgen.compile.draw.coordinates import locate_node, measure_bent_distance, read_vector
from tikzgen.compile.draw.node_borders import NodeBorder, make_coordinate_node
from tikzgen.compile.draw.option_lists import find_closing, parse_options, read_bracket, skip_blanks
from tikzgen.compile.draw.output.painting import paint
from tikzgen.compile.draw.place_nodes import place_node, read_node
from tikzgen.compile.draw.state import State
from tikzgen.compile.draw.strokes import (
    PathStep,
    locate_on_segment,
    make_arc,
    make_ellipse,
    make_rectangle,
)
from tikzgen.compile.draw.tikz_keys import apply_brackets
from tikzgen.compile.draw.unsupported import Unsupported

# A path in progress: its steps between points and nodes, and the nodes on it.

_LEVEL_TOLERANCE = 0.05  # share of a unit vector: a smaller component counts as 0 for `auto`
_OPPOSITE_ANCHORS = {"south": "north", "north": "south", "east": "west", "west": "east"}


class PathInProgress:
    """A path while it is read.

    `at` is the current point, `node` the node there at whose border lines begin.
    """

    def __init__(self, canvas: Canvas, state: State) -> None:
        self.canvas = canvas
        self.state = state
        self.steps: list[PathStep] = []
        self.at: Point = (0.0, 0.0)
        self.node: NodeBorder | None = None
        self.anchor: Point = (0.0, 0.0)  # start of relative coordinates
        self.how = "move"
        self.controls: tuple[str, str] = ("", "")
        self.waiting: list[tuple[State, str]] = []
        self.segment: tuple[Point, ...] = ()  # last segment: a line, two lines with a bend, or a curve
        self.above: list[Item] = []  # drawn after the path

    def extend_to(self, point: Point, node: NodeBorder | None) -> None:
        """Extend the path to a point by the operation that was read before."""
        how, self.how = self.how, "move"
        radius = self.state.radius
        if how == "move":
            self.begin(point)
            self.segment = ()
        elif how == "rectangle":
            self.instead_of_move(self.make_upright_rectangle(self.at, point))
            self.segment = (self.at, point)
        elif how == "curve":
            first = self.locate_control(self.controls[0], self.at)
            second = self.locate_control(self.controls[1], point)
            start = self.leave(first)
            goal = node.find_border_point(second) if node else point
            self.steps.append(PathStep("C", (first, second, goal), radius))
            self.segment = (start, first, second, goal)
        elif how == "--":
            start = self.leave(point)
            goal = node.find_border_point(self.at) if node else point
            self.steps.append(PathStep("L", (goal,), radius))
            self.segment = (start, goal)
        else:
            middle = (self.at[0], point[1]) if how == "|-" else (point[0], self.at[1])
            start = self.leave(middle)
            goal = node.find_border_point(middle) if node else point
            self.steps += [PathStep("L", (middle,), radius), PathStep("L", (goal,), radius)]
            self.segment = (start, middle, goal)
        waiting, self.waiting = self.waiting, []
        self.at, self.node = point, node
        for own, source in waiting:
            self.add_node(own, source, 0.5)

    def begin(self, point: Point) -> None:
        """Begin a new part of the path."""
        self.instead_of_move([PathStep("M", (point,), self.state.radius)])

    def instead_of_move(self, steps: Sequence[PathStep]) -> None:
        """Append steps; drop a part of the path that has only its start."""
        if self.steps and self.steps[-1].kind == "M":
            self.steps.pop()
        self.steps += steps

    def make_upright_rectangle(self, one: Point, other: Point) -> list[PathStep]:
        """Return a rectangle; raise `Unsupported` if the transformation rotates it."""
        a, b, c, d, _, _ = self.state.matrix
        if b == c == 0 or a == d == 0:
            return make_rectangle(one, other, self.state.radius)
        raise Unsupported("a rectangle that is turned")

    def locate_control(self, text: str, start: Point) -> Point:
        if text.startswith("+"):
            x, y = read_vector(self.canvas, self.state, text.lstrip("+").strip()[1:-1])
            return start[0] + x, start[1] + y
        return locate_node(self.canvas, self.state, text[1:-1])[0]

    def leave(self, towards: Point) -> Point:
        """Return the start of a line from the current node, where a new part of the path begins."""
        if self.node is None:
            return self.at
        start = self.node.find_border_point(towards)
        self.begin(start)
        return start

    def close(self) -> None:
        start = next((step for step in reversed(self.steps) if step.kind == "M"), None)
        if start is None:
            raise Unsupported("a cycle without a path")
        self.steps.append(PathStep("Z", start.points, self.state.radius))
        self.at, self.node, self.how = start.end, None, "move"

    def add_node(self, own: State, source: str, share: float | None) -> None:
        where = self.at if self.steps else map_point((0.0, 0.0), self.state.matrix)
        if own.position is not None:
            share = own.position
        if share is not None and self.segment and not own.at:
            where, (x, y) = locate_on_segment(self.segment, share)
            if own.sloped:
                x, y = (-x, -y) if x < 0 else (x, y)  # labels are read from left to right
                own.node_matrix = compose_matrices(own.node_matrix, (x, y, -y, x, 0.0, 0.0))
                x, y = 1.0, 0.0
            if own.auto:
                own.anchor = _anchor_beside(x, y, own.auto)
        with self.canvas.collect_items() as above:
            place_node(self.canvas, own, source, where)
        self.above += above


def _anchor_beside(x: float, y: float, side: str) -> str:
    """Return the anchor of a node next to a line, left or right of its direction."""
    if x > _LEVEL_TOLERANCE:
        anchor = "south east" if y > _LEVEL_TOLERANCE else "south west" if y < -_LEVEL_TOLERANCE else "south"
    elif x < -_LEVEL_TOLERANCE:
        anchor = "north east" if y > _LEVEL_TOLERANCE else "north west" if y < -_LEVEL_TOLERANCE else "north"
    else:
        anchor = "east" if y > 0 else "west"
    return " ".join(_OPPOSITE_ANCHORS[word] for word in anchor.split()) if side == "right" else anchor


_LINES = ("--", "|-", "-|")
OPERATIONS = (*_LINES, ".. controls", "rectangle", "cycle", "circle", "arc", "node", "coordinate", "to", "edge")
"""Operations on paths."""
_PATTERNS = {".. controls": r"\.\.\s*controls", "to": r"to\b"}
_WORD = re.compile("|".join((*(_PATTERNS.get(name, re.escape(name)) for name in OPERATIONS), r"\+\+|\+|[(\[]")))
_NODE = re.compile(r"\s*(node|coordinate)")
_AND = re.compile(r"\s*and\s*")
_DOTS = re.compile(r"\s*\.\.")
_START = "tikz start"
_TARGET = "tikz target"
_LOOP_DEGREES = (105, 75)
_LOOP_LOOSENESS_RATIO = 8
_LOOP_LEAST = 5 * PT_PER_CM / 10
_DIVISION_SHARE = 256 / 257  # of a distance: the rest after the rounding of TikZ's divisions


class PathReader(PathInProgress):
    """Reader of a path: each word is a step of the path, or a node on it."""

    def read_path(self, text: str, at: int = 0) -> int:
        """Read up to the semicolon and paint; return the end of the path."""
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
            canvas.count_steps()
            word, at = found[0], found.end()
            if word in ("(", "+", "++"):
                at = self.add_point(text, found.start(), word)
            elif word == "[":
                at = apply_brackets(canvas, self.state, text, found.start())
            elif word in ("--", "|-", "-|", "rectangle"):
                self.how = word
            elif word == "cycle":
                self.close()
            elif word in ("node", "coordinate"):
                at = self.label(text, at, word)
            elif word == "circle":
                at = self.add_circle(text, at)
            elif word == "arc":
                at = self.add_arc(text, at)
            elif word == "to":
                at = self.read_to_operation(text, at)
            elif word == "edge":
                at = self.draw_edge(text, at)
            else:
                at = self.add_curve(text, at)

    def read_parentheses(self, text: str, at: int) -> tuple[str, int]:
        """Return the text in parentheses at a position, and its end."""
        at = skip_blanks(text, at)
        found = read_bracket(text, at)
        if text[at] != "(":
            raise Unsupported(f"{text[at : at + 20]!r} in the place of a coordinate")
        return found

    def add_point(self, text: str, at: int, word: str) -> int:
        if word == "(":
            place, end = self.read_parentheses(text, at)
            point, node = locate_node(self.canvas, self.state, place)
            self.extend_to(point, node)
            self.anchor = point
            return end
        way, end = self.read_parentheses(text, at + len(word))
        x, y = read_vector(self.canvas, self.state, way)
        point = (self.anchor[0] + x, self.anchor[1] + y)
        self.extend_to(point, None)
        if word == "++":
            self.anchor = point
        return end

    def add_curve(self, text: str, at: int) -> int:
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
        return find_closing(text, at)

    def label(self, text: str, at: int, word: str) -> int:
        """Read a node or coordinate on the next or last segment, or at the current point; return its end."""
        end, own, source = read_node(self.canvas, self.state, text, at, word)
        if self.how != "move":
            self.waiting.append((own, source))
        else:
            self.add_node(own, source, None)
        return end

    def add_circle(self, text: str, at: int) -> int:
        at = skip_blanks(text, at)
        told, end = read_bracket(text, at)
        given = dict(parse_options(told))
        across, up = given.get("x radius", given.get("radius")), given.get("y radius", given.get("radius"))
        if text[at] != "[" or not across or not up or set(given) - {"radius", "x radius", "y radius"}:
            raise Unsupported("a circle without its radius")
        self.instead_of_move(make_ellipse(self.at, abs(self.read_radius(across)), abs(self.read_radius(up))))
        self.node = None
        return end

    def add_arc(self, text: str, at: int) -> int:
        angles, end = self.read_parentheses(text, at)
        first, _, rest = self.canvas.expand(angles).partition(":")
        last, _, radius = rest.partition(":")
        across, _, up = radius.partition(" and ")
        turn = [number(self.canvas, part)[0] for part in (first, last)]
        steps = make_arc(self.at, turn[0], turn[1], self.read_radius(across), self.read_radius(up or across))
        self.steps += steps
        self.at = self.anchor = steps[-1].end
        self.node = None
        return end

    def read_radius(self, text: str) -> float:
        value, unit = number(self.canvas, text)
        return value if unit else value * hypot(*self.state.x_vector)

    def read_to_operation(self, text: str, at: int) -> int:
        """Read `to[…]`: the path of its keys, with the nodes on it, to the next coordinate; return its end."""
        at = skip_blanks(text, at)
        state = self.state.copy()
        state.to_path, state.loop, state.bend = "", False, None
        nodes = at = apply_brackets(self.canvas, state, text, at)
        while (found := _NODE.match(text, at)) is not None:
            at = read_node(self.canvas, self.state, text, found.end(), found[1])[0]
        target, end = self.read_parentheses(text, at)
        point, node = locate_node(self.canvas, self.state, target)
        if state.loop:
            self.add_loop(text[nodes:at])
            return end
        if state.bend is not None:
            self.add_bend(point, node, state.bend)
            self.put_all(text[nodes:at], "center")
            return end
        shapes = {_START: self.node or make_coordinate_node(self.at), _TARGET: node or make_coordinate_node(point)}
        self.canvas.nodes.update(shapes)
        way = state.to_path or r"-- (\tikztotarget) \tikztonodes"
        for macro, name in ((r"\tikztostart", _START), (r"\tikztotarget", _TARGET)):
            way = way.replace(macro, name)
        self.follow(way.replace(r"\tikztonodes", "") + ";", 0)
        self.put_all(text[nodes:at], "center")
        self.anchor = point
        return end

    def add_bend(self, point: Point, node: NodeBorder | None, bend: float) -> None:
        """Add TikZ's `bend left`: a curve that leaves and arrives at an angle to the line between its ends."""
        slope = degrees(atan2(point[1] - self.at[1], point[0] - self.at[0]))
        ways = [(cos(radians(angle)), sin(radians(angle))) for angle in (slope + bend, slope + 180 - bend)]
        ends = zip((self.at, point), (self.node, node), ways, strict=True)
        start, goal = (
            border.find_border_point((x + across, y + up)) if border else (x, y)
            for (x, y), border, (across, up) in ends
        )
        far = LOOSENESS_SHARE * measure_bent_distance((goal[0] - start[0], goal[1] - start[1]))
        first, second = (
            (x + far * across, y + far * up) for (x, y), (across, up) in zip((start, goal), ways, strict=True)
        )
        self.leave(first)
        self.steps.append(PathStep("C", (first, second, goal), self.state.radius))
        self.segment = (start, first, second, goal)
        self.at, self.node, self.anchor, self.how = point, node, point, "move"

    def add_loop(self, nodes: str) -> None:
        """Add TikZ's `loop above`: from the node to itself, with other nodes above it."""
        node = self.node
        if node is None:
            raise Unsupported("a loop without a node")
        x, y = node.centre
        ways = [(cos(radians(angle)), sin(radians(angle))) for angle in _LOOP_DEGREES]
        start, goal = (node.find_border_point((x + across, y + up)) for across, up in ways)
        far = max(
            _LOOP_LEAST,
            LOOSENESS_SHARE * _LOOP_LOOSENESS_RATIO * _DIVISION_SHARE * hypot(goal[0] - start[0], goal[1] - start[1]),
        )
        first, second = (
            (point[0] + far * across, point[1] + far * up)
            for point, (across, up) in zip((start, goal), ways, strict=True)
        )
        self.leave((x + ways[0][0], y + ways[0][1]))
        self.steps.append(PathStep("C", (first, second, goal), self.state.radius))
        self.segment = (start, first, second, goal)
        self.how = "move"
        self.put_all(nodes, "south")

    def put_all(self, nodes: str, anchor: str) -> None:
        """Add the nodes before the target, at the middle of the path by default, with an `anchor`."""
        at = 0
        while at < len(nodes.rstrip()):
            found = _NODE.match(nodes, at)
            assert found is not None  # they were read before
            at, own, source = read_node(self.canvas, self.state, nodes, found.end(), found[1])
            if own.anchor == "center":
                own.anchor = anchor
            self.add_node(own, source, 0.5)

    def draw_edge(self, text: str, at: int) -> int:
        """Draw `edge[…] (b)`, a separate path, after this one; return its end."""
        at = skip_blanks(text, at)
        state = self.state.copy()
        state.draw = True
        at = apply_brackets(self.canvas, state, text, at)
        target, end = self.read_parentheses(text, at)
        way = PathInProgress(self.canvas, state)
        way.extend_to(self.at, self.node)
        way.how = "--"
        way.extend_to(*locate_node(self.canvas, state, target))
        with self.canvas.collect_items() as above:
            paint(self.canvas, way.steps, state)
        self.above += above
        return end
