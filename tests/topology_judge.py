"""A judge of drawn topologies: it reads a .tex as it is drawn, and counts what no reader should have to see.

It knows nothing of layouts: entities and frames are nodes by the ids of the description, lines are the paths that the
flows' own lines of the file draw, texts are the ink that is left.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import dist

from tikzgen.base.plane.affine import map_point
from tikzgen.base.plane.path import flatten_curve
from tikzgen.base.plane.rectangles import (
    Box,
    Point,
    compute_bounding_box,
    find_box_center,
    grow_box,
    has_overlap,
    is_within,
)
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.base.record import Record
from tikzgen.compile.draw.canvas import DrawnGroup, Item, PaintedPath, TextOnCanvas
from tikzgen.compile.draw.draw_tex import DrawnPicture, draw
from tikzgen.compile.draw.node_borders import NodeBorder
from tikzgen.layout.topology.choose_buses import find_meshes
from tikzgen.model.topology.entities import AnyEntity
from tikzgen.model.topology.topology import Topology

__all__ = ["Seen", "faults", "near_legs", "seen", "stretched", "told", "worst"]

_THIN = 0.04  # cm by which what must not be touched is smaller than it is
_BESIDE = 0.05  # cm between lines that seem to be one
_TRUNK = "a trunk"
"""One end of each line of a trunk, which joins all nodes of a mesh; the other end is a node, if it is at one."""

_Leg = tuple[Point, Point]


class Seen(Record):
    """What a drawing holds, in cm: what each entity takes, and it alone, its frames, its lines, texts elsewhere."""

    feet: dict[str, tuple[Box, ...]]
    frames: dict[str, Box]
    inside: dict[str, frozenset[str]]
    lines: tuple[tuple[str, str, tuple[Point, ...]], ...]
    texts: tuple[Box, ...]
    diamonds: frozenset[str] = frozenset()


def stretched(tex: str, across: float, down: float | None = None) -> str:
    """Return the file with its columns and rows so many times as far apart, but not below their floors.

    Rows change as much as columns if `down` is missing.
    """
    factors = {"colsep": across, "rowsep": across if down is None else down}
    found = {name: (float(value), floors or "") for name, value, floors in _DISTANCE.findall(tex)}
    values = {name: value * factors[name] for name, (value, _) in found.items()}
    for _ in range(3):  # a floor may be a multiple of the other distance
        for name, (_, floors) in found.items():
            values[name] = max(
                [values[name], *(_read_floor(each, values) for each in filter(None, floors.split(", ")))]
            )
    return _DISTANCE.sub(lambda line: line[0].replace(f"{{{line[2]}}}", f"{{{values[line[1]]:g}}}", 1), tex)


_DISTANCE = re.compile(r"\\def\\(colsep|rowsep)\{([0-9.]+)\}%[^;\n]*(?:; parts overlap below ([^\n]*))?")


def _read_floor(text: str, values: Mapping[str, float]) -> float:
    """Return a floor such as `3.72` or `1.11*\\rowsep` in cm."""
    share, _, other = text.rpartition("*\\") if "\\" in text else (text, "", "")
    return float(share or 1) * values[other] if other else float(share)


def faults(tex: str, part: Topology, prefix: str = "") -> list[str]:
    """All that is wrong with how a topology is drawn: one line each."""
    return told(seen(draw(tex), part, prefix))


def told(found: Seen) -> list[str]:
    """All that is wrong with what a drawing holds."""
    return [*_worst(found), *_struck(found)]


def worst(tex: str, part: Topology) -> list[str]:
    """What tells something false, or lies on something: all but lines that pass below a text."""
    return list(_worst(seen(draw(tex), part, "")))


def _worst(seen: Seen) -> Iterator[str]:
    for check in (_through, _own, _coincide, _overlap, _frames, _foreign):
        yield from check(seen)


# ---- what is there ----


def seen(drawing: DrawnPicture, part: Topology, prefix: str = "") -> Seen:
    """What a drawing of a topology holds."""
    nodes, items = drawing.nodes, [item for _, item in _flat(drawing.items)]
    feet = {
        node.id: tuple(_box(nodes[name]) for name in _nodes(prefix + node.id, node) if name in nodes)
        for node in part.nodes
    }
    frames = {group.id: _box(nodes[prefix + group.id]) for group in part.groups}
    inside: dict[str, frozenset[str]] = {}
    for group in part.groups:
        inside[group.id] = frozenset().union(*(inside.get(one, frozenset({one})) for one in group.members))
    texts = [box for item in items if isinstance(item, TextOnCanvas) and (box := _ink(item))]
    bodies = [grow_box(box, 0.03) for boxes in feet.values() for box in boxes]
    free = tuple(box for box in texts if not any(is_within(box, body) for body in bodies))
    own = {prefix + entry.id for entry in (*part.nodes, *part.groups)}
    meshes = find_meshes(part)
    single = [flow for index, flow in enumerate(part.flows) if index not in meshes]
    ways = list(_drawn_after(drawing, own))
    lines = [(flow.source, flow.target, way) for flow, way in zip(single, ways[: len(single)], strict=True)]
    if meshes:
        joined = {end for index in meshes for end in (part.flows[index].source, part.flows[index].target)}
        inside[_TRUNK] = frozenset(joined)
        near = {name: grow_box(compute_bounding_box(_corners(feet[name])), 0.1) for name in joined}
        for number, way in enumerate(ways[len(single) :]):
            ends = (
                name for name, box in near.items() if any(is_within((*end, *end), box) for end in (way[0], way[-1]))
            )
            lines.append((_TRUNK, next(ends, f"line {number}"), way))
    diamonds = frozenset(node.id for node in part.nodes if getattr(node, "shape", "") == "diamond")
    return Seen(feet, frames, inside, tuple(lines), free, diamonds)


def _drawn_after(drawing: DrawnPicture, names: Collection[str]) -> Iterator[tuple[Point, ...]]:
    """The lines that the file draws below the last of these nodes, where a topology has its flows."""
    nodes = (item for item in drawing.items if isinstance(item, DrawnGroup) and item.node and item.node.name in names)
    last = max((item.line for item in nodes), default=0)
    for line, item in _flat(drawing.items):
        if line > last and isinstance(item, PaintedPath) and _is_line(item):
            yield tuple((x / PT_PER_CM, y / PT_PER_CM) for x, y in _flattened(item))


def _nodes(name: str, node: AnyEntity) -> list[str]:
    """What an entity may be made of."""
    return [name, f"{name}-label", *(f"{name}-part{place + 1}" for place in range(len(getattr(node, "parts", ()))))]


def _flat(items: Iterable[Item], line: int = 0) -> Iterator[tuple[int, Item]]:
    """The lines and texts of a drawing, but for those within pictures, each with its line in the file."""
    for item in items:
        if isinstance(item, DrawnGroup):
            yield from _flat(item.items, item.line) if item.kind != "picture" else ()
        else:
            yield line, item


def _box(shape: NodeBorder) -> Box:
    points = [shape.anchor(name) for name in ("south west", "north east")]
    left, bottom, right, top = compute_bounding_box(points)
    return left / PT_PER_CM, bottom / PT_PER_CM, right / PT_PER_CM, top / PT_PER_CM


def _is_line(item: PaintedPath) -> bool:
    return item.stroke is not None and item.fill is None and {step.kind for step in item.path} <= {"M", "L", "C"}


def _flattened(item: PaintedPath) -> Iterator[Point]:
    """The points of a line, with some of each curve."""
    here = (0.0, 0.0)
    for step in item.path:
        if step.kind == "C":
            yield from flatten_curve((here, *step.points), 12)
        else:
            yield from step.points[-1:]
        here = step.points[-1]


def _ink(words: TextOnCanvas) -> Box | None:
    """The characters of a text, each about as large as it is."""
    points: list[Point] = []
    for x, y, part in words.ink:
        size = getattr(part, "size", 0.0)
        points += [
            map_point((x, y), words.matrix),
            map_point((x + 0.45 * size, y + _height(part) * size), words.matrix),
        ]
    if not points:
        return None
    left, bottom, right, top = compute_bounding_box(points)
    return left / PT_PER_CM, bottom / PT_PER_CM, right / PT_PER_CM, top / PT_PER_CM


def _height(part: object) -> float:
    return 0.43 if getattr(part, "char", "") in "acegmnopqrsuvwxyz" else 0.66


# ---- what is wrong ----


def near_legs(one: Sequence[Point], other: Sequence[Point], room: float = 0.0) -> Iterator[tuple[_Leg, _Leg]]:
    """The legs of two lines, of those that come so near to each other."""
    around, beside = (grow_box(compute_bounding_box(way), room) for way in (one, other))
    if not has_overlap(around, beside):
        return
    others = [
        (leg, box) for leg in pairwise(other) if has_overlap(box := grow_box(compute_bounding_box(leg), room), around)
    ]
    for leg in pairwise(one):
        box = grow_box(compute_bounding_box(leg), room)
        yield from ((leg, each) for each, near in others if has_overlap(box, near)) if has_overlap(box, beside) else ()


def _within(way: Sequence[Point], box: Box) -> float:
    """How long a line is within a box."""
    inner = grow_box(box, -_THIN)
    if not has_overlap(grow_box(compute_bounding_box(way), 1e-9), inner):
        return 0.0
    return sum(_part(leg, inner) for leg in pairwise(way))


def _part(leg: _Leg, box: Box) -> float:
    """How long a leg is within a box."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        start, way = leg[0][axis], leg[1][axis] - leg[0][axis]
        if abs(way) < 1e-9:
            if not box[axis] <= start <= box[axis + 2]:
                return 0.0
        else:
            ends = sorted(((box[axis] - start) / way, (box[axis + 2] - start) / way))
            low, high = max(low, ends[0]), min(high, ends[1])
    return max(0.0, high - low) * dist(*leg)


def _name(line: tuple[str, str, tuple[Point, ...]]) -> str:
    return f"{line[0]} -> {line[1]}"


def _through(seen: Seen) -> Iterator[str]:
    for line in seen.lines:
        for name, boxes in seen.feet.items():
            if name not in line[:2] and _within(line[2], compute_bounding_box(_corners(boxes))) >= 0.1:
                yield f"{_name(line)} runs through {name}"


def _corners(boxes: Sequence[Box]) -> list[Point]:
    return [point for box in boxes for point in (box[:2], box[2:])]


def _own(seen: Seen) -> Iterator[str]:
    for line in seen.lines:
        for name in dict.fromkeys(line[:2]):
            boxes = seen.feet.get(name) or [seen.frames[each] for each in (name,) if each in seen.frames]
            if any(_within(line[2], _halved(box) if name in seen.diamonds else box) >= 0.2 for box in boxes):
                yield f"{_name(line)} runs through its own {name}"


def _halved(box: Box) -> Box:
    """The largest box within a diamond."""
    left, bottom, right, top = box
    return left + (right - left) / 4, bottom + (top - bottom) / 4, right - (right - left) / 4, top - (top - bottom) / 4


def _coincide(seen: Seen) -> Iterator[str]:
    for one, other in combinations(seen.lines, 2):
        if len({*one[:2]} & {*other[:2]}) == 1 and len({*one[:2], *other[:2]}) == 3:
            continue  # a bus
        shared = sum(_along(leg, each) for leg, each in near_legs(one[2], other[2], _BESIDE))
        if shared >= 0.15:
            yield f"{_name(one)} and {_name(other)} lie on one line for {shared:.2f} cm"


def _along(one: _Leg, other: _Leg) -> float:
    """How long two legs lie on each other."""
    long = dist(*one)
    if long < 1e-6:
        return 0.0
    u, v = ((one[1][axis] - one[0][axis]) / long for axis in (0, 1))
    places = [((x - one[0][0]) * u + (y - one[0][1]) * v, (y - one[0][1]) * u - (x - one[0][0]) * v) for x, y in other]
    if max(abs(off) for _, off in places) >= _BESIDE:
        return 0.0
    low, high = sorted(place for place, _ in places)
    return max(0.0, min(high, long) - max(low, 0.0))


def _overlap(seen: Seen) -> Iterator[str]:
    solids = [(name, grow_box(compute_bounding_box(_corners(boxes)), -0.02)) for name, boxes in seen.feet.items()]
    for (one, box), (other, each) in combinations(solids, 2):
        if has_overlap(box, each):
            yield f"{one} lies on {other}"
    for text in seen.texts:
        for name, boxes in seen.feet.items():
            if any(has_overlap(grow_box(text, -_THIN), box) for box in boxes):
                yield f"a text at {find_box_center(text)} lies on {name}"
        for name, box in seen.frames.items():
            if has_overlap(grow_box(text, -_THIN), box) and not is_within(grow_box(text, -_THIN), box):
                yield f"a text at {find_box_center(text)} lies on the border of {name}"


def _frames(seen: Seen) -> Iterator[str]:
    for frame, box in seen.frames.items():
        for name, boxes in seen.feet.items():
            within = name in seen.inside[frame]
            foot = grow_box(compute_bounding_box(_corners(boxes)), -0.02)
            if has_overlap(box, foot) and not within:
                yield f"{frame} lies on {name}"
            if within and not is_within(foot, box):
                yield f"{frame} does not hold {name}"
    for one, other in combinations(seen.frames, 2):
        nested = seen.inside[one] <= seen.inside[other] or seen.inside[other] <= seen.inside[one]
        if not nested and has_overlap(grow_box(seen.frames[one], -0.02), seen.frames[other]):
            yield f"{one} lies on {other}"


def _foreign(seen: Seen) -> Iterator[str]:
    for line in seen.lines:
        joined = frozenset().union(*(seen.inside.get(end, {end}) for end in line[:2]))
        for name, box in seen.frames.items():
            if seen.inside[name].isdisjoint(joined) and _within(line[2], box) >= 0.1:
                yield f"{_name(line)} runs through the frame {name}"


def _struck(seen: Seen) -> Iterator[str]:
    for line in seen.lines:
        for text in seen.texts:
            if text[2] - text[0] > 0.3 and _within(line[2], text) >= 0.1:
                yield f"{_name(line)} strikes a text at {find_box_center(text)}"
