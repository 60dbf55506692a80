"""Topologies laid out here and by Graphviz, side by side: sizes, crossings and turns, as a table.

    python tools/topologies.py [SPEC.yaml ...]

Without specs, those of `tests/cases/topologies`. `dot` draws the same graph with the same sizes of entities, frames as
clusters and labels beside lines, in the better of two directions and with right angles (`splines=ortho`); where it is
not installed, its columns are empty.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from time import process_time

from tikzgen import Figure, load
from tikzgen.drawing.canvas import Item, Painted, Part
from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.shapes import Shape
from tikzgen.model.topology import Topology
from tikzgen.plane.rectangles import Point
from tikzgen.plane.units import PT_PER_CM

_CASES = Path(__file__).parent.parent / "tests" / "cases" / "topologies"
_PT_PER_INCH = 72.0
_CM_PER_PT = 2.54 / _PT_PER_INCH

Row = tuple[float, float, int, int]
"""Width and height in cm, crossings, turns."""


def measured(ways: Sequence[Sequence[Point]], wide: float, tall: float) -> Row:
    """What a picture comes to."""
    crossings = sum(
        _cross(*leg, *other) for one, two in combinations(ways, 2) for leg in pairwise(one) for other in pairwise(two)
    )
    return wide, tall, crossings, sum(max(0, len(way) - 2) for way in ways)


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def ours(figure: Figure) -> tuple[Row, dict[str, Shape], float]:
    """Our picture, the nodes in it, and the seconds that it took."""
    start = process_time()
    tex = figure.tex()
    took = process_time() - start
    drawing = draw(tex)
    count = sum(len(part.flows) for _, _, part in figure.parts(Topology))
    lines = [
        item for item in _flat(drawing.items) if getattr(item, "stroke", None) and getattr(item, "fill", True) is None
    ]
    paths = (line.path for line in lines[-count:] if isinstance(line, Painted))
    ways = [_corners([step.points[-1] for step in path if step.points]) for path in paths]
    left, bottom, right, top = drawing.box
    return measured(ways, (right - left) / PT_PER_CM, (top - bottom) / PT_PER_CM), drawing.nodes, took


def _flat(items: Iterable[Item]) -> Iterator[Item]:
    """The lines and texts of a drawing, but for those within pictures."""
    for item in items:
        if isinstance(item, Part):
            yield from _flat(item.items) if item.kind != "picture" else ()
        else:
            yield item


def graph_of(part: Topology, nodes: dict[str, Shape], direction: str) -> str:
    """The same topology in the language of dot."""
    lines = [f"digraph {{ rankdir={direction}; splines=ortho; node [shape=box fixedsize=true]; edge [fontsize=9];"]
    for node in part.nodes:
        shape = nodes[node.id]
        wide, tall = (2 * half / _PT_PER_INCH for half in (shape.half_width, shape.half_height))
        lines.append(f'"{node.id}" [label="" width={wide:.3f} height={tall:.3f}];')
    held = {member for group in part.groups for member in group.members}
    groups = {group.id: group for group in part.groups}

    def cluster(name: str) -> Iterator[str]:
        yield f'subgraph "cluster_{name}" {{ label={json.dumps(groups[name].label)};'
        for member in groups[name].members:
            yield from cluster(member) if member in groups else (f'"{member}";',)
        yield "}"

    for name in groups:
        lines += cluster(name) if name not in held else ()
    lines += [f'"{flow.source}" -> "{flow.target}" [xlabel={json.dumps(flow.label)}];' for flow in part.flows]
    return "\n".join([*lines, "}"])


def dots(part: Topology, nodes: dict[str, Shape]) -> Row | None:
    """The better of dot's two pictures."""
    if shutil.which("dot") is None:
        return None
    return min((_drawn(graph_of(part, nodes, way)) for way in ("TB", "LR")), key=lambda row: (row[2], row[0] * row[1]))


def _drawn(text: str) -> Row:
    made = subprocess.run(["dot", "-Tjson"], input=text, capture_output=True, text=True, check=True)
    found = json.loads(made.stdout)
    wide, tall = (float(size) * _CM_PER_PT for size in found["bb"].split(",")[2:])
    ways = []
    for edge in found.get("edges", ()):
        path = next((each["points"] for each in edge.get("_draw_", ()) if each["op"] == "b"), [])
        ways.append(_corners([(x, y) for x, y in path[::3]]))
    return measured(ways, wide, tall)


def _corners(points: Sequence[Point]) -> list[Point]:
    """The ends of a line, and where it turns."""
    inner = [b for a, b, c in zip(points, points[1:], points[2:], strict=False) if not _straight(a, b, c)]
    return [*points[:1], *inner, *points[-1:]]


def _straight(a: Point, b: Point, c: Point) -> bool:
    return abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) < 1.0


def _told(row: Row | None) -> str:
    return f"{row[0]:.1f} x {row[1]:.1f} | {row[2]} | {row[3]}" if row else " | | "


def main(paths: Sequence[str]) -> None:
    print("| topology | cm | crossings | turns | seconds | dot: cm | crossings | turns |")
    print("|---|---|---|---|---|---|---|---|")
    for path in map(Path, paths) if paths else sorted(_CASES.glob("*.yaml")):
        figure = load(path)
        (part,) = [part for _, _, part in figure.parts(Topology)]
        row, nodes, took = ours(figure)
        print(f"| {path.stem} | {_told(row)} | {took:.2f} | {_told(dots(part, nodes))} |")


if __name__ == "__main__":
    main(sys.argv[1:])
