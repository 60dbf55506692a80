"""Logical clocks against a search for a chain of messages, and cuts against their definition."""

from __future__ import annotations

from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st
from strategies import spacetimes

from tikzgen.model.spacetime.logical_clocks import (
    Occurrence,
    has_happened_before,
    lamport_clocks,
    sort_occurrences,
    vector_clocks,
)
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_marks import Cut


def after(order: list[Occurrence], first: Occurrence) -> set[Hashable]:
    """All that a chain of messages leads to: found step by step."""
    lines = {first.line}
    reached: set[Hashable] = {first.key}
    begun = False
    for one in order:
        if one.key == first.key:
            begun = True
        elif begun and (one.line in lines or one.cause in reached):
            reached.add(one.key)
            lines.add(one.line)
    return reached - {first.key}


@given(spacetimes())
def test_clocks_say_what_happened_before_what(part: SpaceTime) -> None:
    order = sort_occurrences(part.occurrences())
    assert order is not None
    vectors, lamport = vector_clocks(order, len(part.lifelines)), lamport_clocks(order)
    for first in order:
        later = after(order, first)
        assert {one.key for one in order if has_happened_before(vectors, first, one)} == later
        assert all(lamport[first.key] < lamport[key] for key in later)


@given(spacetimes())
def test_every_event_counts_itself_once(part: SpaceTime) -> None:
    order = sort_occurrences(part.occurrences()) or []
    vectors = vector_clocks(order, len(part.lifelines))
    for row in range(len(part.lifelines)):
        assert [vectors[one.key][row] for one in order if one.line == row] == list(
            range(1, 1 + sum(one.line == row for one in order))
        )


@given(spacetimes(), st.data())
def test_a_cut_is_consistent_if_its_past_is_closed(part: SpaceTime, data: st.DataObject) -> None:
    at = [data.draw(st.integers(0, 20)) for _ in part.lifelines]
    order = sort_occurrences(part.occurrences()) or []
    past = {one.key for one in order if one.time <= at[one.line]}
    closed = all(one.key in past for later in order if later.key in past for one in order if one.key == later.cause)
    assert closed == (not list(part.broken_by(Cut(at=at))))


def test_messages_without_time_that_wait_for_each_other_have_no_order() -> None:
    circle = [Occurrence("s", 0, 1, 2), Occurrence("r", 1, 1, 0, "s"), Occurrence("t", 1, 1, 2)]
    circle.append(Occurrence("u", 0, 1, 0, "t"))
    assert sort_occurrences(circle) is None
