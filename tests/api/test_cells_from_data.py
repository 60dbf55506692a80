"""Arrays of cells from Python data: numpy, nested lists, frames; each cell has the value that was given."""

import random

import numpy
import pytest

from tikzgen import Cells, Figure, Panel, SpecError


def texts_of(part):
    """Return the texts of an array of one layer by row and column."""
    array = part.arrays[0]
    return {(row, column): str(text) for (_, row, column), text in array.iterate_values()}


@pytest.mark.parametrize("seed", range(20))
def test_values_and_owners_are_where_they_were_given(seed):
    dice = numpy.random.default_rng(seed)
    shape = tuple(dice.integers(1, 6, 2))
    numbers = dice.integers(-1, 5, shape)
    part = Cells.from_array(numbers, id="w")
    assert texts_of(part) == {(row, column): str(value) for (row, column), value in numpy.ndenumerate(numbers)}
    part = Cells.from_array(numbers.tolist(), meaning="owners", values=numbers.tolist(), columns={"side": "none"})
    array = part.arrays[0]
    for (row, column), value in numpy.ndenumerate(numbers):
        key = part.key_of(array, array.grid.fills[0][row][column])
        assert (key.owner if key else -1) == value


def test_booleans_are_a_mask_and_none_is_empty():
    mask = numpy.tril(numpy.ones((3, 3), dtype=bool))
    assert Cells.from_array(mask).arrays[0].fill == "a##\naa#\naaa"
    assert Cells.from_array([[True, None], [False, True]]).arrays[0].fill == "a.\n#a"


def test_three_dimensions_are_layers():
    data = numpy.arange(12).reshape(2, 2, 3)
    array = Cells.from_array(data, id="cube", label="mesh").arrays[0]
    assert (array.size, array.label) == ([2, 2, 3], "mesh")
    assert {cell: int(text) for cell, text in array.iterate_values()} == dict(numpy.ndenumerate(data))
    owners = Cells.from_array(data % 3, meaning="owners").arrays[0]
    assert owners.fill == ["abc\nabc", "abc\nabc"]


def test_a_ramp_spans_the_values():
    dice = random.Random(1)
    values = [[dice.uniform(-2, 2) for _ in range(4)] for _ in range(3)]
    part = Cells.from_array(values, ramp=True)
    flat = [value for row in values for value in row]
    ramp = part.arrays[0].ramp
    assert (float(ramp.start), float(ramp.end)) == pytest.approx((min(flat), max(flat)), rel=1e-5)
    Figure(panels=[Panel(content=[part])]).tex()


def test_frames_have_their_headers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"forward": [1.5, 2], "backward": [3, None]}, index=["rank 0", "rank 1"])
    part = Cells.from_frame(frame, id="t")
    array = part.arrays[0]
    assert (array.columns.texts, array.rows.texts) == (["forward", "backward"], ["rank 0", "rank 1"])
    assert texts_of(part) == {(0, 0): "1.5", (0, 1): "3", (1, 0): "2"}
    assert Cells.from_frame(frame.reset_index(drop=True)).arrays[0].rows.texts == []


def test_polars_and_rows_are_frames_too():
    polars = pytest.importorskip("polars")
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert texts_of(Cells.from_frame(polars.DataFrame(rows))) == texts_of(Cells.from_frame(rows))


REFUSED = [
    ([1, 2], "should have 2 or 3 dimensions, not 1"),
    ("words", "should have 2 or 3 dimensions, not 0"),
    ([[1], [1, 2]], "rows have different lengths"),
    ([[[1]], [[1], [2]]], "layers have different numbers of rows"),
    (numpy.zeros((200, 200)), "40000 cells are more than 16384"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_other_data_are_refused(data, message):
    with pytest.raises(SpecError, match=message):
        Cells.from_array(data)


def test_owners_are_whole_numbers():
    with pytest.raises(SpecError, match="an owner is a whole number"):
        Cells.from_array([[0.5]], meaning="owners")
    with pytest.raises(SpecError, match="53 owners are more than 52"):
        Cells.from_array([list(range(53))], meaning="owners")


def test_a_ramp_needs_different_numbers():
    with pytest.raises(SpecError, match="a ramp needs two different numbers"):
        Cells.from_array([[1, 1]], ramp=True)


def test_a_frame_needs_rows():
    with pytest.raises(SpecError, match="the table has no rows"):
        Cells.from_frame([])
