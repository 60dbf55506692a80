r"""Topologies whose entities are moved by hand in the .tex: flows, their labels and frames follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, some
from topology_figures import list_absolute_points, topology_figure
from topology_judge import faults

from tikzgen import Figure, Topology, load
from tikzgen.base.plane.units import CM_PER_PT
from tikzgen.compile.draw.canvas import DrawnGroup, PaintedPath
from tikzgen.compile.draw.draw_tex import DrawnPicture, draw

CASES = [
    *sorted((ROOT / "tests" / "cases" / "topologies").glob("*.yaml")),
    *(ROOT / "examples" / f"{name}.yaml" for name in ("retrieval", "rlhf", "serving-system", "cluster")),
]
BY = (0.6, -0.3)  # cm


def parts_of(figure: Figure) -> list[Topology]:
    return [part for panel in figure.panels for part in panel.content if isinstance(part, Topology)]


def move(tex: str, name: str) -> str:
    """Return the source with a node moved."""
    head, at, rest = tex.partition(f"({name}) at (")
    assert at, name
    return f"{head}{at}[xshift={BY[0]}cm, yshift={BY[1]}cm]{rest}"


def corners_of(drawing: DrawnPicture, first: int, last: int) -> Iterator[list[tuple[float, float]]]:
    """Yield the points of the paths between two lines of the file."""
    for group in drawing.items:
        if isinstance(group, DrawnGroup) and group.kind == "path" and first <= group.line <= last:
            yield from ([step.end for step in item.path] for item in group.items if isinstance(item, PaintedPath))


def box(drawing: DrawnPicture, name: str) -> tuple[float, float, float, float]:
    node = drawing.nodes[name]
    sides = node.anchor("west")[0], node.anchor("south")[1], node.anchor("east")[0], node.anchor("north")[1]
    left, bottom, right, top = (length * CM_PER_PT for length in sides)
    return left, bottom, right, top


@pytest.mark.parametrize("case", some(CASES, 5), ids=lambda path: path.stem)
def test_flows_keep_their_angles_and_frames_their_members(case: Path) -> None:
    figure = load(case)
    tex = figure.tex()
    (part,) = parts_of(figure)
    places = {line: number for number, line in enumerate(tex.splitlines(), 1)}
    first, last = places["  % flows"], places.get("  % title", tex.count("\n"))
    usual = list(corners_of(draw(tex), first, last))
    square = [number for number, path in enumerate(usual) if len(path) > 2 and all(map(is_square, path, path[1:]))]
    for name in [node.id for node in part.nodes if node.kind != "ellipsis"][:: max(1, len(part.nodes) // 4)]:
        drawing = draw(move(tex, name))
        paths = list(corners_of(drawing, first, last))
        assert len(paths) == len(usual)
        for number in square:
            assert all(map(is_square, paths[number], paths[number][1:])), (name, paths[number])
        for group in part.frames:
            left, bottom, right, top = box(drawing, group.id)
            for member in group.members:
                west, south, east, north = box(drawing, member)
                inside = (west - left, south - bottom, right - east, top - north)
                assert min(inside) > 0.12, (name, group.id, member)


@pytest.mark.parametrize("looped", ["a1", "a2", "s1"])
def test_a_frame_contains_the_loops_of_its_members(looped: str) -> None:
    nodes = [{"kind": "worker", "id": name, "label": name.upper()} for name in ("a1", "a2")]
    nodes += [{"kind": "server", "id": name, "label": name.upper()} for name in ("s1", "s2")]
    groups = [{"id": "inner", "label": "Inner", "members": ["a1", "a2"]}]
    groups += [{"id": "outer", "label": "Outer", "members": ["s1"]}]
    flows = [{"source": "inner", "target": "outer", "kind": "gradient", "label": "g", "route": "elbow"}]
    flows += [{"source": "s2", "target": "inner"}, {"source": looped, "target": looped, "label": "again"}]
    figure = topology_figure(nodes=nodes, groups=groups, flows=flows)
    (part,) = parts_of(figure)
    assert faults(figure.tex(), part) == []
    lines = drawn_loops(figure.tex(), looped)
    left, bottom, right, top = box(draw(figure.tex()), "outer" if looped == "s1" else "inner")
    assert lines and all(left < x < right and bottom < y < top for x, y in lines)


def drawn_loops(tex: str, name: str) -> list[tuple[float, float]]:
    """Return the corners, in cm, of the loop of an entity."""
    drawing, rows = draw(tex), tex.splitlines()
    first = next(number for number, row in enumerate(rows, 1) if re.search(rf"\\draw.*{name}(-label)?\.\w+\)$", row))
    paths = corners_of(drawing, first, first)
    return [(x * CM_PER_PT, y * CM_PER_PT) for path in paths for x, y in path]


def test_a_flow_around_dots_alone_has_corners() -> None:
    dots = [{"kind": "ellipsis", "id": name} for name in "ab"]
    flows = [{"source": "a", "target": "b", "route": "elbow"}, {"source": "b", "target": "a", "route": "elbow"}]
    flows += [{"source": "a", "target": "a"}]
    figure = topology_figure(nodes=dots, flows=flows, layout={"type": "row"})
    assert list_absolute_points(figure.tex(), "flows") == []


def is_square(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return min(abs(one[0] - other[0]), abs(one[1] - other[1])) < 0.01
