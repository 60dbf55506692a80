"""Runs with known truth, however they are written: random offsets, overlaps, orders and ends are seen through."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conftest import scaled
from hypothesis import given, settings
from hypothesis import strategies as some

from tikzgen import trace
from tikzgen.schedule.measure_schedule import bubble_shares
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.rank_clocks import check_clocks, find_clocks, moved_by
from tikzgen.trace.rank_measures import RankMeasures, compute_intervals, measure_rank, measure_run
from tikzgen.trace.readers.read_run import shared_base

NAMES = ("ncclDevKernel_SendRecv", "sm90_gemm", "elementwise")
KERNELS = some.lists(
    some.tuples(some.integers(0, 300), some.integers(0, 40), some.sampled_from(NAMES), some.integers(7, 9)),
    min_size=1,
    max_size=12,
)


def event(start: int, end: int, name: str, stream: int) -> dict[str, Any]:
    """A kernel; a thousandth of a microsecond is a nanosecond."""
    stamps = {"ts": start / 1000, "dur": (end - start) / 1000}
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, **stamps, "args": {"stream": stream}}


def moments(kernels: list[tuple[int, int, str, int]], *names: str) -> set[int]:
    """Every ns at which one of these runs."""
    return {at for start, length, name, _ in kernels if name in names for at in range(start, start + length)}


@settings(max_examples=scaled(600))
@given(some.lists(KERNELS, min_size=1, max_size=3), some.data())
def test_the_truth_is_measured_whatever_the_clocks_say(ranks: list[list[tuple[int, int, str, int]]], data: Any) -> None:
    offsets = [0, *(data.draw(some.integers(-1000, 1000)) for _ in ranks[1:])]
    ends = [400 + 7 * number for number in range(3)]
    with TemporaryDirectory() as folder:
        for number, (kernels, offset) in enumerate(zip(ranks, offsets, strict=True)):
            base = data.draw(some.integers(1, 5)) * 1000
            shift = 5000 + offset - base
            events = [event(start + shift, start + length + shift, *more) for start, length, *more in kernels]
            events += [event(end - 3 + shift, end + shift, "ncclDevKernel_AllReduce", 17) for end in ends]
            events = data.draw(some.permutations(events))
            info = {"rank": number, "world_size": len(ranks)}
            document = {"distributedInfo": info, "traceEvents": events, "baseTimeNanoseconds": base}
            text = json.dumps(document, indent=data.draw(some.sampled_from([None, 1])))
            Path(folder, f"{number}.json").write_text(text, encoding="utf-8")
        run = shared_base(trace.read(sorted(Path(folder).iterdir())))
    clocks = find_clocks(run)
    assert [clock.offset for clock in clocks.values()] == offsets
    assert {clock.residual for clock in clocks.values()} == {0}
    assert check_clocks(run, clocks) == []
    moved = moved_by(run, clocks)
    work = [moments(kernels, *NAMES[1:]) for kernels in ranks]
    for number, kernels in enumerate(ranks):
        measures = measure_rank(moved.ranks[number], ClassRules())
        assert isinstance(measures, RankMeasures)
        moving = moments(kernels, NAMES[0]) | {at for end in ends for at in range(end - 3, end)}
        assert measures.events == len(kernels) + len(ends)
        assert (measures.compute, measures.communication) == (len(work[number]), len(moving))
        assert (measures.busy, measures.exposed_time) == (len(work[number] | moving), len(moving - work[number]))
        assert measures.instants == sum(not length for _, length, *_ in kernels)
    whole = measure_run({number: compute_intervals(rank, ClassRules()) for number, rank in moved.ranks.items()})
    every = set().union(*work)
    assert whole.makespan == (max(every) + 1 - min(every) if every else 0)
    assert sum(whole.busy.values()) == sum(map(len, work))
    share = bubble_shares(whole.makespan, whole.busy.values())[0]
    assert share == (1 - Fraction(sum(map(len, work)), whole.makespan * len(ranks)) if every else 0)


@settings(max_examples=scaled(600))
@given(KERNELS, some.floats(0, 1), some.sampled_from([None, 1]))
def test_what_was_written_before_a_trace_broke_off_is_read(
    kernels: list[tuple[int, int, str, int]], share: float, indent: int | None
) -> None:
    events = [event(start, start + length, *more) for start, length, *more in kernels]
    whole = json.dumps({"distributedInfo": {"rank": 0}, "traceEvents": events}, indent=indent)
    first = whole.index('"traceEvents": [') + len('"traceEvents": [')
    text = whole[: first + int(share * (len(whole) - first))]
    complete = _complete(text[first:])
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.json")
        path.write_text(text, encoding="utf-8")
        if not complete:
            return
        (rank,) = trace.read([path]).ranks.values()
    assert len(rank.events) == complete
    assert (rank.cut_at is None) == ("]" in text[first:])


def _complete(text: str) -> int:
    """How many events a list that breaks off holds, by their braces: no name has one."""
    depth = found = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        found += char == "}" and depth == 0
    return found
