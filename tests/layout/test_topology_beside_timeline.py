"""A topology is one picture wherever it stands: alone, or in another panel beside a timeline. Real TeX, all routes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle, pairwise, product
from math import dist
from typing import Any

import pytest
from conftest import chosen_cases

from tikzgen import Figure
from tikzgen.base.plane.path import flatten_curve
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.layout.topology.stated_space import stated_paper
from tikzgen.layout.topology.topology_positions import Paper
from tikzgen.lint.probe import NodeOnPage, PageData, probe

pytestmark = pytest.mark.tex

ROUTES = ("auto", "straight", "bend", "elbow", "bus")
LAYOUTS: dict[str, dict[str, Any]] = {
    "row": {"type": "row"},
    "column": {"type": "column"},
    "grid": {"type": "grid", "columns": 2},
    "star": {"type": "star", "center": "c"},
    "ring": {"type": "ring"},
    "tree": {"type": "tree", "root": "a"},
    "levels": {"type": "levels", "levels": [["a"], ["b", "c"], ["d", "e"]]},
    "levels-down": {"type": "levels", "levels": [["a"], ["b", "c"], ["d", "e"]], "direction": "down"},
}
NODES = [
    {"kind": "worker", "id": "a", "label": "GPU 0", "sublabel": "shard"},
    {"kind": "server", "id": "b", "label": "server"},
    {"kind": "node", "id": "c", "label": "C", "state": "failed"},
    {"kind": "worker", "id": "d", "label": "GPU 1"},
    {"kind": "node", "id": "e", "label": "E", "replicas": 3},
]
# across what stands between, there and back, beside each other
PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "e"), ("b", "d"), ("d", "b"), ("a", "e")]
CLEAR = [("a", "b"), ("b", "a")]  # nothing stands between: what is to run straight through something is refused
LANE = {
    "type": "timeline",
    "lanes": [{"id": "l", "label": "lane"}],
    "spans": [{"lane": "l", "start": 0, "duration": 3}],
}
Point = tuple[float, float]
NEAR = 0.05  # pt: what TeX and the PDF round,
ENDS = 2.5  # pt: the height that the layout leaves for a text, whatever its letters are


def topology(route: str, layout: str, directions: Sequence[str] = ("forward", "backward", "both", "none")) -> Any:
    turns = cycle(directions)
    flows: list[Any] = [
        {"source": one, "target": other, "route": route, "direction": next(turns), "label": f"f{place}", "step": place}
        for place, (one, other) in enumerate(CLEAR if route == "straight" else PAIRS, 1)
    ]
    flows += [
        {"source": "d", "target": "d", "route": "loop", "label": "again", "step": 8, "id": "round"},
        {"source": "c", "target": "d", "route": route, "id": "marked", "side": "right", "label": "side"},
    ]
    groups = [{"id": "all", "members": ["d", "e"], "label": "frame"}]
    return {"type": "topology", "nodes": NODES, "flows": flows, "groups": groups, "layout": LAYOUTS[layout]}


def twice(route: str, layout: str, arrange: str) -> Figure:
    """The same part alone in a panel, and beside a timeline in another one."""
    part = topology(route, layout)
    contents = {"p": [part], "q": [LANE, part]}
    panels = [{"id": name, "content": content, "arrange": arrange} for name, content in contents.items()]
    return Figure.model_validate({"panels": panels, "arrange": arrange, "legend": {"position": "none"}})


# a flow of any other route than these is one of level and upright legs, or as straight as TikZ draws lines
CASES = [*product(("auto", "bend"), LAYOUTS), *product(("straight", "elbow", "bus"), ("row", "grid", "levels-down"))]


# panels in rows and in columns by turns
ARRANGED = dict(zip(CASES, cycle(("row", "column")), strict=False))


@pytest.fixture(scope="module")
def set_by_tex(request: pytest.FixtureRequest) -> dict[tuple[str, str], tuple[list[str], PageData]]:
    """The lines of each figure of this run and its page as TeX sets it, by route and layout; few runs of TeX."""
    cases = [(case["route"], case["layout"]) for case in chosen_cases(request)]
    sources = {case: twice(*case, ARRANGED[case]).tex() for case in cases}
    found = {}
    for case, probed in zip(sources, probe(list(sources.values())), strict=True):
        assert probed.error is None, (case, probed.error)
        (page,) = probed.pages
        found[case] = sources[case].split("\n"), page
    return found


Things = list[tuple[Any, list[Point]]]


def drawing(lines: list[str], page: PageData, node: str) -> Things:
    """What the part of this node draws: how each thing is painted, and its points, seen from the node."""
    first = next(number for number, line in enumerate(lines, 1) if re.match(rf"\s*\\node\[[^(]*\({node}\) at ", line))
    last = next(number for number, line in enumerate(lines[first:], first) if line.strip() == r"\end{scope}")
    x, y = next(_middle(each) for each in page.nodes if each.name == node and each.depth == 0)
    found: Things = []
    for path in page.paths:
        if first <= path.where.first <= last:
            look = path.stroke, path.fill, round(path.width, 2), round(path.dash, 2), len(path.lines)
            found.append((look, [point for line in path.lines for point in line]))
    found += [(each.words, list(each.corners)) for each in page.lines if first <= each.where.first <= last]
    return [(look, [(right - x, up - y) for right, up in points]) for look, points in found]


def _middle(node: NodeOnPage) -> Point:
    xs, ys = zip(*node.border, strict=True)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def farthest(one: Things, other: Things) -> float:
    """How far (pt) two drawings of the same things are apart."""
    assert [look for look, _ in one] == [look for look, _ in other]
    return max(_apart(mine, theirs) for (_, mine), (_, theirs) in zip(one, other, strict=True))


def _apart(one: Sequence[Point], other: Sequence[Point]) -> float:
    """How far the points of two lines are from the other one: curves may be cut into pieces at other places."""
    return max(_off(point, line) for points, line in ((one, other), (other, one)) for point in points)


def _off(point: Point, line: Sequence[Point]) -> float:
    """How far a point is from a line of several legs."""
    return min(_away(point, *leg) for leg in pairwise(line))


def _away(point: Point, start: Point, goal: Point) -> float:
    """How far a point is from a leg of a line."""
    (x, y), (x0, y0), (x1, y1) = point, start, goal
    length = dist(start, goal) ** 2
    share = min(1.0, max(0.0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length)) if length else 0.0
    return dist(point, (x0 + share * (x1 - x0), y0 + share * (y1 - y0)))


@pytest.mark.parametrize(("route", "layout"), CASES)
def test_a_topology_is_the_same_picture_wherever_it_stands(
    route: str, layout: str, set_by_tex: dict[tuple[str, str], tuple[list[str], PageData]]
) -> None:
    found = set_by_tex[route, layout]
    assert farthest(drawing(*found, "p-a"), drawing(*found, "q-a")) < NEAR


def bare(layout: str) -> Figure:
    """Flows without heads, which are drawn from end to end."""
    nodes = [{"kind": "node", "id": name, "label": name} for name in "abcde"]
    turns = cycle(("bend", "auto"))
    flows = [{"source": one, "target": other, "route": next(turns), "direction": "none"} for one, other in PAIRS]
    flows.append({"source": "d", "target": "d", "direction": "none"})
    part = {"type": "topology", "nodes": nodes, "flows": flows, "layout": LAYOUTS[layout]}
    return Figure.model_validate({"panels": [{"id": "p", "content": LANE}, {"id": "q", "content": part}]})


def test_the_curve_that_is_drawn_is_the_one_that_the_layout_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the layout's own cubic labels are placed and texts are kept clear."""
    papers: list[Paper] = []

    def watched(*args: Any) -> Paper:
        papers.append(stated_paper(*args))
        return papers[-1]

    monkeypatch.setattr("tikzgen.layout.topology.place_topology.stated_paper", watched)
    sources, planned = [], []
    for layout in ("star", "ring", "tree", "levels"):  # in the others something is in the way
        sources.append(bare(layout).tex())
        x0, y0 = papers[-1].layout.placed.anchors["a"]
        # in as many pieces as the probe has; loops have corners, as flows around things do
        ways = [way for way in papers[-1].layout.ways if len(way.points) == 2]
        legs = [flatten_curve(way.path.legs[0], 8) if way.bend else way.points for way in ways]
        planned.append([[((x - x0) * PT_PER_CM, (y0 - y) * PT_PER_CM) for x, y in points] for points in legs])
    assert {9} <= {len(points) for flows in planned for points in flows}
    for flows, probed in zip(planned, probe(sources), strict=True):
        (page,) = probed.pages
        x, y = next(_middle(each) for each in page.nodes if each.name == "q-a" and each.depth == 0)
        lines = [
            [complex(right - x, up - y) for right, up in line]
            for path in page.paths
            if not path.nodes and path.depth == 0 and path.stroke
            for line in path.lines
        ]
        for points in flows:
            # but for the letters of the texts at its ends, the same curve
            legs = [complex(*point) for point in points]
            drawn = min(lines, key=lambda line: abs(line[0] - legs[0]) + abs(line[-1] - legs[-1]))
            assert abs(drawn[0] - legs[0]) < ENDS and abs(drawn[-1] - legs[-1]) < ENDS
            scale = (drawn[-1] - drawn[0]) / (legs[-1] - legs[0])
            meant = [drawn[0] + (leg - legs[0]) * scale for leg in legs]
            assert max(abs(here - there) for here, there in zip(meant, drawn, strict=True)) < NEAR
