"""Three-way merges of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.edit.merge import merge

CASES = [
    ("nobody changed", "abc", "abc", "abc", "abc"),
    ("one side", "abc", "aXc", "abc", "aXc"),
    ("other side", "abc", "abc", "abY", "abY"),
    ("both, apart", "abcde", "Xbcde", "abcdY", "XbcdY"),
    ("both, side by side", "abc", "Xbc", "aYc", "XYc"),
    ("the same change", "abc", "aXc", "aXc", "aXc"),
    ("insertions apart", "abc", "aXbc", "abYc", "aXbYc"),
    ("deletion and change elsewhere", "abcd", "bcd", "abcY", "bcY"),
    ("insertion after a changed line", "ab", "Xb", "aYb", "XYb"),
    ("everything new on one side", "", "xyz", "", "xyz"),
]


@pytest.mark.parametrize(("base", "ours", "theirs", "wanted"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_merge(base: str, ours: str, theirs: str, wanted: str) -> None:
    merged = merge(base, ours, theirs)
    assert "".join(merged.lines) == wanted
    assert not merged.conflicts


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [("abc", "aXc", "aYc"), ("abc", "ac", "aYc"), ("ab", "aXb", "aYb"), ("abcd", "aXXXd", "abYd"), ("", "x", "y")],
)
def test_conflicts_are_reported_and_decided(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)
    assert len(merged.conflicts) == 1
    assert "".join(merge(base, ours, theirs, "ours").lines) == ours
    assert "".join(merge(base, ours, theirs, "theirs").lines) == theirs


LINES = st.text("abcd", max_size=12)


@given(LINES, LINES)
def test_one_side_alone_wins(base: str, other: str) -> None:
    assert "".join(merge(base, base, other).lines) == other
    assert "".join(merge(base, other, base).lines) == other
    assert "".join(merge(base, other, other).lines) == other


@given(LINES, LINES, LINES)
def test_sides_are_equal(base: str, ours: str, theirs: str) -> None:
    one, two = merge(base, ours, theirs), merge(base, theirs, ours)
    assert bool(one.conflicts) == bool(two.conflicts)
    assert {frozenset((c.ours, c.theirs)) for c in one.conflicts} == {
        frozenset((c.ours, c.theirs)) for c in two.conflicts
    }
