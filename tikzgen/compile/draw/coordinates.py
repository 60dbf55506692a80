"""Coordinates: (x,y), (angle:radius), (name.anchor), with shifts, and points between two."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from math import cos, floor, hypot, radians, sin

from tikzgen.base.plane import IDENTITY, Matrix, Point, compose_matrices, invert_matrix, map_point, shift, turn
from tikzgen.compile.draw.canvas import Canvas
from tikzgen.compile.draw.colors_lengths_fonts import number, read_length
from tikzgen.compile.draw.node_borders import NodeBorder
from tikzgen.compile.draw.option_lists import find_closing, parse_options, read_bracket, skip_blanks, without_braces
from tikzgen.compile.draw.state import State
from tikzgen.compile.draw.unsupported import Unsupported

_PARTS = re.compile(r"\|-|-\||[{}(),:]")
_PARTWAY = re.compile(r"!\s*([^!]+?)\s*!\s*(?:([^!():]+)\s*:)?\s*")


TRANSFORMATIONS = ("xshift", "yshift", "shift", "rotate", "scale", "xscale", "yscale")
"""Keys that move, turn and scale."""


def read_transformation(canvas: Canvas, state: State, key: str, value: str | None) -> Matrix | None:
    """Return the transformation of a key such as `xshift`; None for all other keys."""
    value = value or ""
    match key:
        case "xshift":
            return shift(read_length(canvas, value, state), 0.0)
        case "yshift":
            return shift(0.0, read_length(canvas, value, state))
        case "shift":
            return shift(*read_local_point(canvas, state, _strip_parentheses(without_braces(value))))
        case "rotate":
            return turn(number(canvas, value)[0])
        case "scale" | "xscale" | "yscale":
            share = number(canvas, value)[0]
            if not share:
                raise Unsupported(f"{key}={value}")
            return (share if key != "yscale" else 1.0, 0.0, 0.0, share if key != "xscale" else 1.0, 0.0, 0.0)
    return None


def _strip_parentheses(text: str) -> str:
    text = text.strip()
    if not text.startswith("(") or find_closing(text, 0) != len(text):
        raise Unsupported(f"the coordinate {text!r}")
    return text[1:-1]


def read_local_point(canvas: Canvas, state: State, text: str) -> Point:
    """Return a coordinate as it is written, before the transformation of the picture."""
    text = canvas.expand(text).strip()
    if text.startswith("[") or not _split_coordinate(text) or _split_crossing(text):
        return map_point(locate_point(canvas, state, text), invert_matrix(state.matrix))
    sign, left, right = _split_coordinate(text) or ("", "", "")
    (one, one_unit), (two, two_unit) = number(canvas, left), number(canvas, right)
    if sign == ":":
        across, up = two * cos(radians(one)), two * sin(radians(one))
        return (across, up) if two_unit else (across * state.x_vector[0], up * state.y_vector[1])
    a = (one, 0.0) if one_unit else (one * state.x_vector[0], one * state.x_vector[1])
    b = (0.0, two) if two_unit else (two * state.y_vector[0], two * state.y_vector[1])
    return a[0] + b[0], a[1] + b[1]


@lru_cache(maxsize=16384)
def _split_coordinate(text: str, signs: Container[str] = (",", ":")) -> tuple[str, str, str] | None:
    """Split a coordinate at the first of some separators outside brackets; return None if it has none."""
    depth = 0
    for mark in _PARTS.finditer(text):
        sign = mark[0]
        if sign in "{(":
            depth += 1
        elif sign in "})":
            depth -= 1
        elif depth == 0 and sign in signs:
            return sign, text[: mark.start()], text[mark.end() :]
    return None


def _split_crossing(text: str) -> tuple[str, str, str] | None:
    """Split `a |- b` or `a -| b`; return None for other coordinates."""
    return _split_coordinate(text, ("|-", "-|")) if "|" in text else None


def read_vector(canvas: Canvas, state: State, text: str) -> Point:
    """Return the vector of a relative coordinate, in the picture."""
    x, y = read_local_point(canvas, state, text)
    a, b, c, d, _, _ = state.matrix
    return a * x + c * y, b * x + d * y


def locate_point(canvas: Canvas, state: State, text: str) -> Point:
    """Return the position of a coordinate, given without its parentheses."""
    return locate_node(canvas, state, text)[0]


def locate_node(canvas: Canvas, state: State, text: str) -> tuple[Point, NodeBorder | None]:
    """Return the position of a coordinate, and its node if it names a node without an anchor."""
    text = text.strip()
    if text.startswith("["):
        return _coordinate_with_keys(canvas, state, text), None
    text = canvas.expand(text).strip()
    if text.startswith("["):
        return _coordinate_with_keys(canvas, state, text), None
    if text.startswith("$"):
        return _interpolate_coordinate(canvas, state, text), None
    if crossing := _split_crossing(text):
        sign, *parts = crossing
        one, other = (locate_point(canvas, state, part) for part in parts)
        return ((one[0], other[1]) if sign == "|-" else (other[0], one[1])), None
    if _split_coordinate(text):
        return map_point(read_local_point(canvas, state, text), state.matrix), None
    name, _, anchor = text.partition(".")
    name = " ".join(name.split())
    node = _make_picture_node(canvas) if name == "current bounding box" else canvas.nodes.get(name)
    if node is None:
        raise Unsupported(f"the node {name!r}, which is not defined before,")
    if anchor:
        return node.anchor(" ".join(anchor.split())), None
    return node.centre, node if node.kind != "coordinate" else None


def _make_picture_node(canvas: Canvas) -> NodeBorder | None:
    """Return the bounding box of the picture up to here; None for an empty picture."""
    if canvas.box is None:
        return None
    left, bottom, right, top = canvas.box
    middle = shift((left + right) / 2, (bottom + top) / 2)
    return NodeBorder("rectangle", middle, (right - left) / 2, (top - bottom) / 2)


def _coordinate_with_keys(canvas: Canvas, state: State, text: str) -> Point:
    """Return a coordinate with keys: their transformations apply inside the picture's."""
    given, end = read_bracket(text, 0)
    point = locate_point(canvas, state, text[end:])
    moves = IDENTITY
    for key, value in parse_options(given):
        step = read_transformation(canvas, state, key, value)
        if step is None:
            raise Unsupported(f"the key {key!r} of a coordinate")
        moves = compose_matrices(step, moves)
    return map_point(map_point(map_point(point, invert_matrix(state.matrix)), moves), state.matrix)


def _interpolate_coordinate(canvas: Canvas, state: State, text: str) -> Point:
    """Return the point `$(a)!share!angle:(b)$`: between two points, rotated about the first."""
    if not text.endswith("$") or len(text) < 2:
        raise Unsupported(f"the coordinate {text!r}")
    text = text[1:-1].strip()
    one, end = read_bracket(text, 0)
    way = _PARTWAY.match(text, end)
    if way is None:
        raise Unsupported(f"the coordinate {text!r}")
    other, end = read_bracket(text, way.end())
    if skip_blanks(text, end) != len(text):
        raise Unsupported(f"the coordinate {text!r}")
    start, goal = locate_point(canvas, state, one), locate_point(canvas, state, other)
    share = number(canvas, way[1])[0]
    angle = number(canvas, way[2])[0] if way[2] else 0.0
    x, y = map_point(((goal[0] - start[0]) * share, (goal[1] - start[1]) * share), turn(angle))
    return start[0] + x, start[1] + y


def measure_bent_distance(vector: Point) -> float:
    """Return the length of a vector in the eight bits in which TikZ's `bend left` divides."""
    most, length = max(map(abs, vector)), hypot(*vector)
    share = floor(most / length * 65536) // 255 if length else 0
    return most * 256 / share if share else 0.0
