"""What is found near a place is what a look at everything finds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tikzgen.base.plane.near_places import PlaceIndex
from tikzgen.base.plane.rectangles import Box, Point, has_overlap, is_segment_across_box

# whole numbers make lines that are level, upright, or end on the side of a box
numbers = st.integers(-9, 9).map(float) | st.floats(-9, 9).map(lambda number: round(number, 3))
points = st.tuples(numbers, numbers)
ways = st.lists(st.lists(points, min_size=2, max_size=4), max_size=12)
sizes = st.tuples(st.floats(0.1, 4), st.floats(0.1, 4))


def box(at: Point, size: Point) -> Box:
    return at[0], at[1], at[0] + size[0], at[1] + size[1]


boxes = st.builds(box, points, sizes)


@given(ways, sizes, st.sampled_from([0.0, 0.02, 0.5]), st.lists(boxes, min_size=1), st.sampled_from([1, 2, 99]))
def test_lines_through_a_box_are_counted_as_by_a_look_at_all(
    lines: list[list[Point]], text: Point, half: float, places: list[Box], most: int
) -> None:
    drawn = PlaceIndex(lines, [text], half)
    for place in places:
        struck = [any(is_segment_across_box(*leg, place, half) for leg in pairwise(line)) for line in lines]
        assert drawn.count_crossing_lines(place, most=most) == min(sum(struck), most)
        assert drawn.count_crossing_lines(place, but=0) == sum(struck[1:])


@given(st.lists(boxes), sizes, st.lists(st.tuples(st.integers(0, 5), boxes), min_size=1), boxes)
def test_boxes_under_a_box_are_counted_where_they_stand_now(
    first: list[Box], text: Point, moves: list[tuple[int, Box]], place: Box
) -> None:
    drawn, stand = PlaceIndex([], [text]), dict(enumerate(first))
    for number, one in [*stand.items(), *moves]:
        drawn.place_box(number, one)
        stand[number] = one
    under = {number for number, one in stand.items() if has_overlap(one, place)}
    assert drawn.count_overlaps(place) == len(under)
    assert drawn.count_overlaps(place, but=0) == len(under - {0})
    assert drawn.count_overlaps(place, most=1) == min(len(under), 1)


def cut(start: Point, goal: Point, sides: Box) -> bool:
    """Whether one of many points on a line is in a box."""
    spots = (
        (start[0] + (goal[0] - start[0]) * at / 499, start[1] + (goal[1] - start[1]) * at / 499) for at in range(500)
    )
    return any(sides[0] < x < sides[2] and sides[1] < y < sides[3] for x, y in spots)


@given(points, points, boxes)
def test_a_line_with_a_point_in_a_box_meets_it(start: Point, goal: Point, sides: Box) -> None:
    if cut(start, goal, sides):
        assert is_segment_across_box(start, goal, sides)
    if is_segment_across_box(start, goal, sides):
        grown = sides[0] - 0.1, sides[1] - 0.1, sides[2] + 0.1, sides[3] + 0.1
        assert cut(start, goal, grown)
