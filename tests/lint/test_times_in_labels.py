"""Times that labels state, and which of them are wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tikzgen.lint.times_in_labels import find_wrong_times, read_time


@pytest.mark.parametrize(
    ("label", "value", "unit"),
    [
        ("5", 5, ""),
        ("$5$", 5, ""),
        ("5 saved", 5, ""),
        ("saves 5", 5, ""),
        ("saved: 2.5", Fraction(5, 2), ""),
        ("$T = 4$", 4, ""),
        (r"$7$ \text{idle}", 7, ""),
        ("2 time units", 2, ""),
        ("1/3 longer", Fraction(1, 3), ""),
        ("40 ms", 40, "ms"),
        ("节省 5", 5, ""),
    ],
)
def test_labels_that_state_a_time(label: str, value: int | Fraction, unit: str) -> None:
    stated = read_time(label, bare=True)
    assert stated is not None
    assert (stated.value, stated.unit) == (value, unit)


@pytest.mark.parametrize(
    "label",
    [
        "",
        "one step",
        "4 microbatches",
        "2 idle devices",
        "step 5",
        "$t_5$",
        "m = 4",
        "12:30",
        "30 %",
        "2-4",
        "~5",
        "x5",
        r"$p-1$",
    ],
)
def test_labels_that_state_no_time(label: str) -> None:
    assert read_time(label, bare=True) is None


def test_a_number_alone_states_a_time_only_where_asked() -> None:
    assert read_time("5", bare=False) is None
    assert read_time("5 saved", bare=False) is not None


@pytest.mark.parametrize(
    ("times", "labels", "wrong"),
    [
        ([0, 2], ["0", "5"], [1]),
        ([2], ["5"], [0]),
        ([2, 4], ["2", "5"], [1]),
        ([1, 2, 3], ["1", "5", "3"], [1]),
        ([0, 10, 20], ["0", "1000", "2000"], []),  # another scale
        ([0, 10, 20], ["0 ms", "10 ms", "30 ms"], [2]),  # no common scale
        ([10], ["7 ms"], []),  # nothing to compare with
        ([2, 2], ["5", "5"], [0, 1]),  # one time twice shows no scale
        (["16/3", "8/3"], ["5.3", "2.7"], []),  # rounded
        ([12], ["5 idle"], []),  # a part of the period
        ([2], ["5 idle"], [0]),
    ],
)
def test_wrong_times(times: list[int | str], labels: list[str], wrong: list[int]) -> None:
    stated = [read_time(label, bare=True) for label in labels]
    found = [(Fraction(time), each) for time, each in zip(times, stated, strict=True) if each is not None]
    assert [index for index, _ in find_wrong_times(found, any_origin=False)] == wrong


def test_ticks_may_count_from_another_origin() -> None:
    found = [(Fraction(time), read_time(str(100 + time), bare=True)) for time in (0, 1, 2)]
    exact = [(time, each) for time, each in found if each is not None]
    assert list(find_wrong_times(exact, any_origin=True)) == []
    assert [index for index, _ in find_wrong_times(exact, any_origin=False)] == [0, 1, 2]


def test_the_unit_of_the_axis_has_the_scale_of_the_axis() -> None:
    stated = read_time("5 ms", "ms", bare=True)
    assert stated is not None
    assert list(find_wrong_times([(Fraction(2), stated)], any_origin=False)) == [(0, Fraction(2))]


def test_a_wrong_time_is_told_in_the_scale_of_the_others() -> None:
    stated = [(Fraction(time), read_time(f"{text} ms", bare=True)) for time, text in ((1, 10), (2, 20), (3, 35))]
    found = [(time, each) for time, each in stated if each is not None]
    assert list(find_wrong_times(found, any_origin=False)) == [(2, Fraction(30))]
