"""Stretches that the axis leaves out: a torn gap across the lanes, and two strokes on the time arrow."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.chart import Chart
from tikzgen.layout.items import Item
from tikzgen.layout.length import number
from tikzgen.layout.timeline.axis import arrow_at
from tikzgen.layout.timeline.directions import edge, spot
from tikzgen.layout.timeline.margin_needs import Stack
from tikzgen.layout.timeline.timeline_items import Path, Spot

_SWING = 0.035  # cm: how far a torn edge swings to and fro
_TEETH = 2  # for each lane
_STROKE = 0.09  # cm: half the height of a stroke on the time arrow
_SLANT = 0.04  # cm: half its slant
_INSET = 0.3  # of the gap: where the torn edges lie from its ends


def _edges(chart: Chart) -> Iterator[tuple[str, str]]:
    """Where the two torn edges of each gap lie, in time units."""
    for start, end in chart.clock.cuts:
        low, high = float(chart.clock.at(start)), float(chart.clock.at(end))
        inset = (high - low) * _INSET
        yield number(low + inset, 4), number(high - inset, 4)


def across(chart: Chart) -> Iterator[Item]:
    """The gap, in the colour of the paper between two torn edges."""
    count = max(2, round(chart.rows * _TEETH))
    for left, right in _edges(chart):
        first, second = _torn(chart, left, count), _torn(chart, right, count)
        yield Path(("tear",), (*first, *reversed(second)), closed=True)
        yield Path(("rip",), first)
        yield Path(("rip",), second)


def _torn(chart: Chart, time: str, count: int) -> tuple[Spot, ...]:
    rows = [-0.6 + (chart.rows + 0.2) * step / count for step in range(count + 1)]
    return tuple(
        spot(chart, time, round(row, 3), along=_SWING if step % 2 else -_SWING) for step, row in enumerate(rows)
    )


def on_axis(chart: Chart, stack: Stack) -> Iterator[Item]:
    """The time arrow is interrupted between two slanted strokes."""
    if chart.part.axis is None:
        return
    row, off = edge(chart, "after"), arrow_at(chart, stack)
    for left, right in _edges(chart):
        strokes = [
            (spot(chart, time, row, -_SLANT, off + _STROKE), spot(chart, time, row, _SLANT, off - _STROKE))
            for time in (left, right)
        ]
        yield Path(("tear",), (*strokes[0], *reversed(strokes[1])), closed=True)
        for stroke in strokes:
            yield Path(("cut",), stroke)
