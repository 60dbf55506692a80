"""Labels, boxes and lines anywhere: the rules find what counting points on paper finds."""

from __future__ import annotations

from math import cos, hypot, radians, sin

from hypothesis import assume, given
from hypothesis import strategies as st

from tikzgen.geometry.batching import batches
from tikzgen.geometry.data import Box, Line, Page, Painted, Point, Where
from tikzgen.geometry.looking import Drawing, findings_of
from tikzgen.geometry.probing import Probed

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


def label(rectangle: Rectangle, order: int) -> Line:
    points = corners(rectangle)
    return Line(order, f"label {order}", points, around(points), 10.0, BLACK, None, (), 0, HERE)


def painted(points: tuple[Point, ...], order: int, width: float = 0.0, *, filled: bool = False) -> Painted:
    stroke, fill = (BLACK if width else None), (WHITE if filled else None)
    box = around(points, width / 2)
    return Painted(order, (points,), box, stroke, fill, width, 1.0, None, (), order, True, 0, HERE)


def codes(*things: Line | Painted) -> set[str]:
    lines = tuple(thing for thing in things if isinstance(thing, Line))
    paths = tuple(thing for thing in things if isinstance(thing, Painted))
    page = Page(200.0, 200.0, WHITE, lines=lines, paths=paths)
    return {found.code for found in findings_of(Drawing("x.tex", "%\n"), Probed((page,)))}


def inside(point: Point, rectangle: Rectangle, by: float = 0.0) -> bool:
    """Whether a point lies in a rectangle that is larger by so much on each side."""
    (x, y), wide, high, turn = rectangle
    c, s = cos(radians(turn)), sin(radians(turn))
    dx, dy = point[0] - x, point[1] - y
    return abs(dx * c + dy * s) < wide / 2 + by and abs(dy * c - dx * s) < high / 2 + by


def spots(rectangle: Rectangle, by: float) -> list[Point]:
    """Points all over a rectangle that is larger by so much on each side."""
    (x, y), wide, high, turn = rectangle
    steps = [step / 50 - 0.5 for step in range(51)]
    return [
        corner
        for a in steps
        for b in steps
        for corner in corners(((x, y), 2 * a * (wide / 2 + by), 2 * b * (high / 2 + by), turn))[:1]
    ]


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


@given(st.lists(st.sampled_from(["", r"\usepackage{amsmath}", r"\usetikzlibrary{fit}", r"\tikzset{x/.style={}}", "?"])))
def test_every_figure_is_in_one_run_and_keeps_its_lines(heads: list[str]) -> None:
    rest = "\\begin{document}\nfigure {number}\n\\end{document}\n"
    figures = [
        f"\\documentclass{{standalone}}\n\\usepackage{{tikz}}\n{head}\n" + rest.replace("{number}", str(number))
        for number, head in enumerate(heads)
    ]
    found = batches(figures)
    assert sorted(number for batch in found for number in batch.figures) == list(range(len(heads)))
    for batch in found:
        for number, body in zip(batch.figures, batch.bodies, strict=True):
            assert body.split("\n")[4].rstrip("%") == f"figure {number}"
