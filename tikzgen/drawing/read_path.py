"""Paths as they are written: the words of a path, each a step of its way or something that stands on it."""

from __future__ import annotations

import re
from math import cos, hypot, radians, sin

from tikzgen.drawing.colors_lengths_fonts import number
from tikzgen.drawing.coordinates import direction, locate_node
from tikzgen.drawing.follow_way import Way
from tikzgen.drawing.option_lists import closing, inside, options, skip_blanks
from tikzgen.drawing.painting import paint
from tikzgen.drawing.place_nodes import read_node
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.shapes import spot
from tikzgen.drawing.strokes import Step, arc, ellipse
from tikzgen.drawing.tikz_keys import apply_brackets
from tikzgen.plane.path import LOOSENESS
from tikzgen.plane.units import PT_PER_CM

_WORD = re.compile(r"--|\|-|-\||\.\.\s*controls|\+\+|\+|rectangle|cycle|circle|arc|node|coordinate|to\b|edge|[(\[]")
_NODE = re.compile(r"\s*(node|coordinate)")
_AND, _DOTS = re.compile(r"\s*and\s*"), re.compile(r"\s*\.\.")
_START, _TARGET = "tikz start", "tikz target"
_LOOP, _LOOP_LOOSENESS, _LOOP_LEAST = (105, 75), 8, 5 * PT_PER_CM / 10
_TEX = 256 / 257  # of a distance: what TikZ has left of it behind its divisions


class PathReader(Way):
    """Reads one path: each word of it is a step of the way, or something that stands on it."""

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
                at = apply_brackets(canvas, self.state, text, found.start())
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
        found = inside(text, at)
        if text[at] != "(":
            raise Unsupported(f"{text[at : at + 20]!r} in the place of a coordinate")
        return found

    def point(self, text: str, at: int, word: str) -> int:
        if word == "(":
            place, end = self.inner(text, at)
            point, node = locate_node(self.canvas, self.state, place)
            self.reach(point, node)
            self.anchor = point
            return end
        way, end = self.inner(text, at + len(word))
        x, y = direction(self.canvas, self.state, way)
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

    def label(self, text: str, at: int, word: str) -> int:
        """A node or a coordinate: on the segment to come, on the last one, or at the point that is reached."""
        end, own, source = read_node(self.canvas, self.state, text, at, word)
        if self.how != "move":
            self.waiting.append((own, source))
        else:
            self.put(own, source, None)
        return end

    def circle(self, text: str, at: int) -> int:
        at = skip_blanks(text, at)
        told, end = inside(text, at)
        given = dict(options(told))
        across, up = given.get("x radius", given.get("radius")), given.get("y radius", given.get("radius"))
        if text[at] != "[" or not across or not up or set(given) - {"radius", "x radius", "y radius"}:
            raise Unsupported("a circle without its radius")
        self.instead_of_move(ellipse(self.at, abs(self.radius(across)), abs(self.radius(up))))
        self.node = None
        return end

    def arc(self, text: str, at: int) -> int:
        angles, end = self.inner(text, at)
        first, _, rest = self.canvas.expand(angles).partition(":")
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
        nodes = at = apply_brackets(self.canvas, state, text, at)
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
        self.follow(way.replace(r"\tikztonodes", "") + ";", 0)
        self.put_all(text[nodes:at], "center")
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
        self.segment = (start, first, second, goal)
        self.how = "move"
        self.put_all(nodes, "south")

    def put_all(self, nodes: str, anchor: str) -> None:
        """Nodes that are written before the target, at the middle of the way where they say nothing else."""
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
        at = apply_brackets(self.canvas, state, text, at)
        target, end = self.inner(text, at)
        way = Way(self.canvas, state)
        way.reach(self.at, self.node)
        way.how = "--"
        way.reach(*locate_node(self.canvas, state, target))
        with self.canvas.apart() as above:
            paint(self.canvas, way.steps, state)
        self.above += above
        return end
