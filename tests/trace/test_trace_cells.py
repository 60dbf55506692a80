"""Cells of measured timelines: what is merged is counted, and nothing that is measured depends on them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as some

from tikzgen import trace
from tikzgen.base.intervals import Interval, sum_lengths, union
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.merge_and_stack_cells import MergedEvents, merge_cells, stack_cells

COARSE = {"gemm": "compute", "attention": "compute"}


@pytest.mark.parametrize(("detail", "cells"), [(320, 110), (640, 139), (1280, 161)])
def test_a_finer_detail_has_more_cells_and_never_more_than_it_says(detail: int, cells: int) -> None:
    rank = trace.read([ROOT / "tests/cases/traces/nccl_data.json.gz"]).ranks[0]
    classes = [ClassRules().of(kind) for kind in rank.kinds]
    by_class: dict[str, list[Interval]] = {}
    for start, end, kind in zip(rank.events.starts, rank.events.ends, rank.events.kinds, strict=True):
        by_class.setdefault(COARSE.get(classes[kind], classes[kind]), []).append((start, end))
    first, last = rank.extent or (0, 0)
    gap = Fraction(last - first, detail)
    found = [merge_cells(name, intervals, gap) for name, intervals in by_class.items()]
    assert sum(map(len, found)) == cells
    assert max(map(len, found)) <= detail
    assert sum(cell.events for lane in found for cell in lane) == len(rank.events) == 3774


INTERVALS = some.lists(some.tuples(some.integers(0, 60), some.integers(0, 9)).map(lambda each: (each[0], sum(each))))


@given(INTERVALS, some.integers(0, 8))
def test_merging_keeps_every_event_and_every_moment(intervals: list[Interval], gap: int) -> None:
    cells = merge_cells("k", intervals, gap)
    assert sum(cell.events for cell in cells) == len(intervals)
    assert sum(cell.busy for cell in cells) == sum_lengths(union(intervals))
    assert all(after.start - before.end > gap for before, after in pairwise(cells))
    for start, end in intervals:
        assert any(cell.start <= start and end <= cell.end for cell in cells)


@given(INTERVALS, INTERVALS, some.integers(0, 4))
def test_rows_hold_every_cell_and_overlap_nowhere(one: list[Interval], other: list[Interval], clip: int) -> None:
    cells = [*merge_cells("a", one, 1), *merge_cells("b", other, 1)]
    found = stack_cells(cells, clip)
    kept = [cell for row in found.rows for cell in row]
    assert sorted((cell.name, cell.start, cell.events) for cell in kept) == sorted(
        (cell.name, cell.start, cell.events) for cell in cells
    )
    assert sum(a.end for a in cells) - sum(a.end for a in kept) <= clip * found.clipped
    for row in found.rows:
        assert all(before.end <= after.start for before, after in pairwise(row))


def test_a_kernel_that_starts_before_the_one_before_ends_is_clipped() -> None:
    found = stack_cells(
        [MergedEvents("a", 0, 10, 1, 10), MergedEvents("b", 8, 20, 1, 12), MergedEvents("c", 12, 14, 1, 2)], 2
    )
    assert [[(cell.name, cell.start, cell.end) for cell in row] for row in found.rows] == [
        [("a", 0, 8), ("b", 8, 20)],
        [("c", 12, 14)],
    ]
    assert found.clipped == 1
