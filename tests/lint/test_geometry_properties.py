"""Labels, boxes and lines anywhere: the rules find what counting points on paper finds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from math import cos, dist, hypot, radians, sin
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tikzgen.base.plane.rectangles import Box, Point
from tikzgen.lint.probe.look_at_figures import FigureToProbe, findings_of
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage, Raster, TextLine, Where
from tikzgen.lint.probe.page_index import PageIndex
from tikzgen.lint.probe.probing import Probed
from tikzgen.lint.probe.rules import links_and_boxes
from tikzgen.lint.probe.tex_runs import make_batches
from tikzgen.model.looks.vision import Color

BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
HERE = Where(1, 1)
SURE = 0.7  # pt: what is nearer to a rule's limit than this may be found or not

places = st.tuples(st.floats(20, 180), st.floats(20, 180))
angles = st.sampled_from([0.0, 90.0, 180.0]) | st.floats(0, 360)
Rectangle = tuple[Point, float, float, float]
"""Its middle, width, height and turn in degrees."""
rectangles = st.tuples(places, st.floats(8, 60), st.floats(4, 12), angles)


def corners(rectangle: Rectangle) -> tuple[Point, Point, Point, Point]:
    (x, y), wide, high, turn = rectangle
    c, s = cos(radians(turn)), sin(radians(turn))
    one, two, three, four = (
        (x + a * c - b * s, y + a * s + b * c)
        for a, b in ((-wide / 2, -high / 2), (wide / 2, -high / 2), (wide / 2, high / 2), (-wide / 2, high / 2))
    )
    return one, two, three, four


def around(points: tuple[Point, ...], by: float = 0.0) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - by, min(ys) - by, max(xs) + by, max(ys) + by


def label(rectangle: Rectangle, order: int) -> TextLine:
    points = corners(rectangle)
    return TextLine(order, f"label {order}", points, around(points), 10.0, BLACK, None, (), 0, HERE)


def painted(points: tuple[Point, ...], order: int, width: float = 0.0, *, filled: bool = False) -> PathOnPage:
    stroke, fill = (BLACK if width else None), (WHITE if filled else None)
    box = around(points, width / 2)
    return PathOnPage(order, (points,), box, stroke, fill, width, 1.0, None, (), order, True, 0, HERE)


def bordered(rectangle: Rectangle, order: int, width: float) -> tuple[NodeOnPage, PathOnPage]:
    """A node without a text, and its border."""
    points = corners(rectangle)
    ring = (*points, points[0])
    path = replace(painted(ring, order, width), nodes=(order,))
    return NodeOnPage("", "rectangle", (0, 0, 0), ("", ""), HERE, order, order, points, 0, 0), path


def codes(*things: TextLine | NodeOnPage | PathOnPage) -> set[str]:
    lines = tuple(thing for thing in things if isinstance(thing, TextLine))
    paths = tuple(thing for thing in things if isinstance(thing, PathOnPage))
    nodes = tuple(thing for thing in things if isinstance(thing, NodeOnPage))
    page = PageData(200.0, 200.0, WHITE, lines=lines, paths=paths, nodes=nodes)
    return {found.code for found in findings_of(FigureToProbe("x.tex", "%\n"), Probed((page,)), by_pdftex=False)}


def inside(point: Point, rectangle: Rectangle, by: float = 0.0) -> bool:
    """Whether a point lies in a rectangle that is larger by so much on each side."""
    (x, y), wide, high, turn = rectangle
    c, s = cos(radians(turn)), sin(radians(turn))
    dx, dy = point[0] - x, point[1] - y
    return abs(dx * c + dy * s) < wide / 2 + by and abs(dy * c - dx * s) < high / 2 + by


def spots(rectangle: Rectangle, by: float) -> list[Point]:
    """Points all over a rectangle that is larger by so much on each side."""
    middle, wide, high, turn = rectangle
    (ax, ay), (bx, by_), _, (dx, dy) = corners((middle, wide + 2 * by, high + 2 * by, turn))
    steps = [step / 40 for step in range(41)]
    return [(ax + s * (bx - ax) + t * (dx - ax), ay + s * (by_ - ay) + t * (dy - ay)) for s in steps for t in steps]


def common(one: Rectangle, other: Rectangle, by: float) -> bool:
    """Whether two rectangles have a point in common, each larger by so much on each side."""
    return any(inside(point, two, by) for first, two in ((one, other), (other, one)) for point in spots(first, by))


@given(rectangles, rectangles)
def test_texts_that_have_points_in_common_lie_over_each_other(one: Rectangle, other: Rectangle) -> None:
    found = "TG301" in codes(label(one, 1), label(other, 2))
    if common(one, other, -SURE):
        assert found
    elif not common(one, other, SURE):
        assert not found


@given(rectangles, places, places, st.floats(0.2, 3.0), st.booleans())
def test_a_line_with_points_in_a_text_strikes_it(
    text: Rectangle, start: Point, end: Point, width: float, before: bool
) -> None:
    length = hypot(end[0] - start[0], end[1] - start[1])
    assume(length > 1)
    orders = (1, 2) if before else (2, 1)
    found = "TG303" in codes(painted((start, end), orders[0], width), label(text, orders[1]))
    steps = [step / 500 for step in range(501)]
    points = [(start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])) for t in steps]
    least, most = (sum(inside(point, text, width / 2 + by) for point in points) * length / 500 for by in (-0.05, 0.05))
    if least > 0.5 + SURE:
        assert found
    elif most == 0:
        assert not found


@given(rectangles, places, places)
def test_a_line_that_is_covered_before_the_text_is_set_strikes_nothing(
    text: Rectangle, start: Point, end: Point
) -> None:
    (x, y), wide, high, turn = text
    cover = painted(corners(((x, y), wide + 8, high + 8, turn)), 2, filled=True)
    assert "TG303" not in codes(painted((start, end), 1, 0.4), cover, label(text, 3))


@given(rectangles, rectangles, st.floats(-30, 30), st.floats(-15, 15))
def test_boxes_that_share_a_part_and_have_another_lie_over_each_other(
    one: Rectangle, other: Rectangle, x: float, y: float
) -> None:
    ((left, low), wide, high, _), (_, broad, tall, turn) = one, other
    other = ((left + x, low + y), broad, tall, turn)
    first, second = around(corners(one)), around(corners(other))
    unequal = abs(first[2] - first[0] - second[2] + second[0]) > 1 + SURE  # no copies of a stack
    assume(unequal and min(wide, high) < 1.5 * min(broad, tall) < 2.25 * min(wide, high))  # nor labels on a border
    found = "TG313" in codes(*bordered(one, 1, 0.4), *bordered(other, 2, 0.4))
    beyond = [
        any(not inside(point, two, 1 + SURE) for point in corners(first)) for first, two in ((one, other), (other, one))
    ]
    if all(beyond) and common(one, other, -SURE):
        assert found
    elif not common(one, other, 0):
        assert not found


def around_it(rectangle: Rectangle) -> list[Point]:
    """Points all along the sides of a rectangle."""
    points = corners(rectangle)
    parts = [step / 25 for step in range(25)]
    sides = pairwise([*points, points[0]])
    return [(ax + t * (bx - ax), ay + t * (by - ay)) for (ax, ay), (bx, by) in sides for t in parts]


@given(rectangles, st.floats(-9, 9), st.floats(-9, 9), rectangles, st.floats(0.2, 2.0))
def test_a_text_near_a_border_is_found_by_its_distance(
    text: Rectangle, x: float, y: float, box: Rectangle, width: float
) -> None:
    corner = corners(text)[2]  # boxes begin near a corner of the text
    (_, broad, tall, turn) = box
    box = ((corner[0] + x + broad / 2, corner[1] + y + tall / 2), broad, tall, turn)
    found = "TG314" in codes(*bordered(box, 1, width), label(text, 2))
    near = min(hypot(ax - bx, ay - by) for ax, ay in around_it(text) for bx, by in around_it(box)) - width / 2
    line = width / 2 + 0.05
    within = [inside(point, box, -line) for point in spots(text, 0)]
    without = [not inside(point, box, line) for point in spots(text, 0)]
    pierced = any(inside(point, text, line) for point in corners(box))
    if near < 1 - 0.05 and not pierced and (all(within) or all(without)):
        assert found
    elif near > 1.5 + SURE:
        assert not found


shades = st.tuples(*[st.floats(0, 1)] * 3)


@given(st.lists(st.tuples(rectangles, shades, st.floats(0, 1)), max_size=5), shades, places)
def test_transparent_areas_let_through_what_lies_below(
    areas: list[tuple[Rectangle, Color, float]], paper: Color, point: Point
) -> None:
    paths = tuple(
        replace(painted(corners(each), order, filled=True), fill=color, fill_opacity=opacity)
        for order, (each, color, opacity) in enumerate(areas, 1)
    )
    assume(all(inside(point, each, -0.01) == inside(point, each, 0.01) for each, _, _ in areas))
    seen, left = [0.0, 0.0, 0.0], 1.0  # from the eye downwards: what is left of the light at each area
    for each, color, opacity in [*reversed(areas), ((point, 1.0, 1.0, 0.0), paper, 1.0)]:
        part = opacity * left if inside(point, each) else 0.0
        seen = [before + part * shade for before, shade in zip(seen, color, strict=True)]
        left -= part
    found = PageIndex(PageData(200.0, 200.0, paper, paths=paths)).background_at(point, len(areas) + 1)
    assert all(abs(mine - yours) < 1e-6 for mine, yours in zip(seen, found, strict=True))


@given(st.lists(st.sampled_from(["", r"\usepackage{amsmath}", r"\usetikzlibrary{fit}", r"\tikzset{x/.style={}}", "?"])))
def test_every_figure_is_in_one_run_and_keeps_its_lines(heads: list[str]) -> None:
    rest = "\\begin{document}\nfigure {number}\n\\end{document}\n"
    figures = [
        f"\\documentclass{{standalone}}\n\\usepackage{{tikz}}\n{head}\n" + rest.replace("{number}", str(number))
        for number, head in enumerate(heads)
    ]
    found = make_batches(figures)
    assert sorted(number for batch in found for number in batch.figures) == list(range(len(heads)))
    for batch in found:
        for number, body in zip(batch.figures, batch.bodies, strict=True):
            assert body.split("\n")[4].rstrip("%") == f"figure {number}"


class Course(NamedTuple):
    """A link, as the search for pairs of links sees it."""

    course: list[Point]


grid = st.tuples(st.integers(0, 6).map(lambda i: 15.0 * i), st.integers(0, 6).map(lambda i: 15.0 * i))
courses = st.lists(grid | places, min_size=2, max_size=4)
SAMPLES = 400


@given(courses, courses)
def test_the_shared_part_of_two_courses_is_what_points_on_them_count(one: list[Point], other: list[Point]) -> None:
    shared = links_and_boxes._shared_length(one, other)
    sampled = 0.0
    for a, b in pairwise(one):
        beside = [leg for leg in pairwise(other) if links_and_boxes._runs_along((a, b), leg)]
        points = [
            (a[0] + (b[0] - a[0]) * (i + 0.5) / SAMPLES, a[1] + (b[1] - a[1]) * (i + 0.5) / SAMPLES)
            for i in range(SAMPLES)
        ]
        sampled += dist(a, b) * sum(any(lies_on(point, leg) for leg in beside) for point in points) / SAMPLES
    assert abs(shared - sampled) <= 2 * sum(dist(a, b) for a, b in pairwise(one)) / SAMPLES * len(other)


def lies_on(point: Point, leg: tuple[Point, Point]) -> bool:
    """Return whether a point is within the width of a line of a leg."""
    a, b = leg
    u, v = b[0] - a[0], b[1] - a[1]
    long = hypot(u, v)
    along = ((point[0] - a[0]) * u + (point[1] - a[1]) * v) / long**2
    across = abs((point[0] - a[0]) * v - (point[1] - a[1]) * u) / long
    return 0 <= along <= 1 and across < links_and_boxes._ONE_LINE_PT


@given(st.lists(courses, min_size=2, max_size=7))
def test_every_pair_of_links_with_a_shared_part_is_compared(drawn: list[list[Point]]) -> None:
    links = [Course(course) for course in drawn]
    compared = [frozenset((id(one), id(other))) for one, other in links_and_boxes._parallel_links(links)]  # type: ignore[arg-type]
    assert len(compared) == len(set(compared))
    for one, other in combinations(links, 2):
        if links_and_boxes._shared_length(one.course, other.course) > 0.01:
            assert frozenset((id(one), id(other))) in compared


STANDALONE = r"""\documentclass{standalone}
\usepackage{tikz}
%s
\begin{document}
\tikz \draw (0,0) -- (1,1);
\end{document}
"""
OWN = r"""\definecolor{a}{HTML}{112233}
\providecolor{a}{HTML}{112233}
\colorlet{a}{red}
\newcommand\a{b}
\renewcommand\a{b}
\providecommand\a{b}
\def\a{b}
\let\a\b
\tikzset{a/.style={draw}}
\pgfdeclarelayer{a}
\pgfsetlayers{a,main}
\makeatletter
\makeatother
\usepackage{tikz}
\usepackage{pgf}
\usepackage{xcolor}
\usepackage{graphicx}
\usepackage{iftex}
\usetikzlibrary{arrows,arrows.meta,backgrounds,calc,chains,fadings,fit,intersections,matrix}
\usetikzlibrary{patterns,patterns.meta,plotmarks,shadows,shadings,through,decorations.pathmorphing,shapes.misc}"""


@pytest.mark.parametrize("line", OWN.splitlines())
def test_figures_share_a_run_with_what_is_their_own(line: str) -> None:
    found = make_batches([STANDALONE % "", STANDALONE % line])
    assert [batch.figures for batch in found] == [(0, 1)]
    assert line.startswith(r"\use") or line in found[0].bodies[1]


@pytest.mark.parametrize("line", [r"\usepackage{amsmath}", r"\usetikzlibrary{babel}", r"\tikzexternalize"])
def test_figures_do_not_share_a_run_with_what_changes_others(line: str) -> None:
    found = make_batches([STANDALONE % "", STANDALONE % line])
    assert [batch.figures for batch in found] == [(0,), (1,)]


@pytest.mark.parametrize(("shape", "is_struck"), [("rectangle", True), ("cross out", False), ("strike out", False)])
def test_a_text_may_touch_the_lines_of_a_shape_that_crosses_it_out(shape: str, is_struck: bool) -> None:
    text = ((100.0, 100.0), 40.0, 8.0, 0.0)
    node, border = bordered(((100.0, 100.0), 42.0, 10.0, 0.0), 1, 0.4)
    words = replace(label(text, 2), words="a long text", node=1)
    found = codes(replace(node, shape=shape), border, words)
    assert ("TG304" in found) is is_struck


@pytest.mark.parametrize(("at", "mean"), [(0, 1), (1, 1.5), (4, 4), (7, 6.5), (8, 7), (-1, None), (9, None)])
def test_a_color_is_the_mean_of_two_pixels_on_each_side_within_the_page(at: int, mean: float | None) -> None:
    row = b"".join(bytes((pixel, 2 * pixel, 3 * pixel, 255)) for pixel in range(9))
    wanted = None if mean is None else pytest.approx((3 * mean / 255, 2 * mean / 255, mean / 255))
    assert Raster(9, 1, 0.5, row).color((2 * at + 1, 1)) == wanted
    assert Raster(1, 9, 0.5, row).color((1, 2 * (8 - at) + 1)) == wanted
