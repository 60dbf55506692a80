"""Links take the way that strikes through fewest texts, and the usual one where it is clear."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tikzgen.layout.links.clearest import Way, clearest
from tikzgen.plane.rectangles import Box

spots = st.tuples(st.floats(-8, 8), st.floats(-8, 8))
ways = st.builds(
    Way, spots, spots, st.sampled_from([0, 90, 180, 145]), st.sampled_from([0, 180, 40, -30]), st.just(0.6)
)
boxes = st.builds(
    lambda at, wide, high: (at[0], at[1], at[0] + wide, at[1] + high), spots, st.floats(0.1, 3), st.floats(0.1, 0.5)
)


def struck(way: Way, texts: list[Box]) -> int:
    """Texts with a point of the curve inside, by de Casteljau's construction."""

    def spot(t: float) -> tuple[float, float]:
        points = list(way.points())
        while len(points) > 1:
            points = [(a + t * (c - a), b + t * (d - b)) for (a, b), (c, d) in pairwise(points)]
        return points[0]

    curve = [spot(step / 40) for step in range(1, 40)]
    return sum(any(left < x < right and low < y < high for x, y in curve) for left, low, right, high in texts)


@given(ways, st.lists(boxes, max_size=8))
def test_the_clearest_way_strikes_no_more_than_the_usual(usual: Way, texts: list[Box]) -> None:
    found = clearest(usual, texts)
    assert (found.start, found.goal) == (usual.start, usual.goal)
    if struck(usual, texts) == 0:
        assert found == usual
    else:
        assert struck(found, texts) <= struck(usual, texts)
        assert found == usual or struck(found, texts) < struck(usual, texts)


def test_a_text_in_the_way_is_passed_by() -> None:
    usual = Way((10.0, 0.0), (0.0, 0.0), 180, 0, 0.6)
    in_the_way = (8.9, -0.1, 9.1, 0.1)
    found = clearest(usual, [in_the_way])
    assert struck(usual, [in_the_way]) == 1
    assert struck(found, [in_the_way]) == 0
    assert found.out_angle == 150, "it rises"
