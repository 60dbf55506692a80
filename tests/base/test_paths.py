"""What is in the way is passed by: by the first way that strikes nothing, or the first of those that strike least."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure
from tikzgen.base.plane.path import (
    Path,
    choose_clearest,
    compute_control_offsets,
    count_crossed_boxes,
    direction_at,
    flatten_path,
    make_polyline,
)
from tikzgen.base.plane.rectangles import Box, Point, is_segment_across_box

spots = st.tuples(st.floats(-8, 8), st.floats(-8, 8))
angles = st.tuples(st.sampled_from([0, 90, 180, 145]), st.sampled_from([0, 180, 40, -30]))
curves = st.builds(
    lambda start, goal, both: Path.make_curve(start, goal, compute_control_offsets(both, 0.6)), spots, spots, angles
)
lines = st.builds(lambda points: Path.join_points(*points), st.lists(spots, min_size=2, max_size=4))
paths = st.one_of(curves, lines)
boxes = st.builds(
    lambda at, wide, high: (at[0], at[1], at[0] + wide, at[1] + high), spots, st.floats(0.1, 3), st.floats(0.1, 0.5)
)


def casteljau(leg: tuple[Point, ...], t: float) -> Point:
    """A point of a leg, a line or a cubic, by de Casteljau's construction."""
    points = list(leg)
    while len(points) > 1:
        points = [(a + t * (c - a), b + t * (d - b)) for (a, b), (c, d) in pairwise(points)]
    return points[0]


@given(paths, st.integers(0, 40))
def test_the_points_of_a_path_are_those_of_its_legs(path: Path[float], step: int) -> None:
    share = step / 40 * len(path.legs)
    leg = min(int(share), len(path.legs) - 1)
    assert path.find_point_at(step / 40) == pytest.approx(casteljau(path.legs[leg], share - leg), abs=1e-9)


@given(paths, st.lists(boxes, max_size=8))
def test_a_path_strikes_the_boxes_that_its_pieces_meet(path: Path[float], texts: list[Box]) -> None:
    legs = list(pairwise(make_polyline(path)))
    met = sum(any(is_segment_across_box(start, goal, box) for start, goal in legs) for box in texts)
    assert count_crossed_boxes(path, texts) == met
    assert count_crossed_boxes(path, texts, most=1) == min(met, 1)
    # what a point of the path is well inside of is struck
    inside = [casteljau(leg, step / 24) for leg in path.legs for step in range(1, 24)]
    deep = [box for box in texts if any(_within(point, box) for point in inside)]
    assert count_crossed_boxes(path, deep) == len(deep)


def _within(point: Point, box: Box) -> bool:
    return box[0] + 0.01 < point[0] < box[2] - 0.01 and box[1] + 0.01 < point[1] < box[3] - 0.01


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9))
def test_the_clearest_is_the_first_of_those_that_cost_least(costs: list[int]) -> None:
    asked: list[int] = []

    def cost(choice: int, most: float) -> float:
        asked.append(choice)
        return min(costs[choice], most)

    found = choose_clearest(range(len(costs)), cost)
    assert found == costs.index(min(costs))
    assert asked == list(range(len(asked))) and (0 not in costs or len(asked) == costs.index(0) + 1)


def test_a_path_heads_along_its_legs() -> None:
    path = Path.join_points((0.0, 0.0), (2.0, 0.0), (2.0, 3.0))
    assert [direction_at(path, share) for share in (0.25, 0.75)] == [(1.0, 0.0), (0.0, 1.0)]


def test_a_link_passes_by_a_text_in_its_way() -> None:
    nodes = [{"kind": "node", "id": name, "label": name} for name in ("a", "wide text", "c")]
    for node in nodes:
        node["id"] = node["id"][0]
    panel = {"content": {"type": "topology", "nodes": nodes}}
    figure = Figure.model_validate({"panels": [panel], "links": [{"source": "a", "target": "c"}]})
    assert "controls +(0:" not in figure.tex(), "it does not run straight through the middle"


OPEN = [("M", [(0, 0)]), ("L", [(1, 0)]), ("L", [(1, 1)])]
POLYGONS = [
    ([], ()),
    (OPEN, (((0, 0), (1, 0), (1, 1)),)),
    ([*OPEN, ("Z", [])], (((0, 0), (1, 0), (1, 1), (0, 0)),)),
    ([*OPEN, ("L", [(0, 0)]), ("Z", [])], (((0, 0), (1, 0), (1, 1), (0, 0)),)),
    ([*OPEN, ("M", [(5, 5)]), ("L", [(6, 5)])], (((0, 0), (1, 0), (1, 1)), ((5, 5), (6, 5)))),
    ([("L", [(2, 2)])], (((2, 2),),)),
]


@pytest.mark.parametrize(("steps", "lines"), POLYGONS)
def test_a_path_as_polygons(steps: list[tuple[str, list[tuple[float, float]]]], lines: object) -> None:
    assert flatten_path(steps) == lines


def test_a_curve_in_a_polygon_has_eight_pieces() -> None:
    ((start, *inner, end),) = flatten_path([("M", [(0, 0)]), ("C", [(0, 1), (1, 1), (1, 0)])])
    assert (start, end, len(inner)) == ((0, 0), (1, 0), 7)
    assert inner[3] == (0.5, 0.75)
