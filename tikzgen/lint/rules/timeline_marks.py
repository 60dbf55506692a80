"""Rules on the marks of a timeline: bubbles, barriers, and labels that state times.

TG119, TG120, TG121, TG122.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter

from tikzgen.base.errors import quote
from tikzgen.lint.check_figure import GivenTimeline
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.lint.times_in_labels import find_wrong_times, read_time
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.timeline import WAIT, Span, Timeline

_IDLE = (WAIT, "idle")


class _WorkOfLane:
    """Spans in which a lane works, with their positions in the timeline and their names, sorted by start."""

    def __init__(self, spans: Sequence[tuple[int, str, Span]]) -> None:
        self._spans = sorted(spans, key=lambda each: each[2].start)
        self._starts = [span.start for _, _, span in self._spans]
        self._reaches = [*accumulate((span.end for _, _, span in self._spans), max)]

    def find_span(self, start: Fraction, end: Fraction) -> tuple[str, Span] | None:
        """Return the first span of the timeline that begins before `end` and ends after `start`."""
        near = self._spans[bisect_right(self._reaches, start) : bisect_left(self._starts, end)]
        _, name, span = min((each for each in near if each[2].end > start), default=(0, "", None), key=itemgetter(0))
        return None if span is None else (name, span)


def _work_by_lane(timeline: Timeline) -> dict[str, _WorkOfLane]:
    running: dict[str, list[tuple[int, str, Span]]] = {lane.id: [] for lane in timeline.lanes}
    for position, (name, span) in enumerate(zip(timeline.names(), timeline.spans, strict=True)):
        for lane in span.lanes if span.phase not in _IDLE else ():
            running[lane].append((position, name, span))
    return {lane: _WorkOfLane(spans) for lane, spans in running.items()}


def _describe_span(name: str, span: Span) -> str:
    return f"{quote(name)} runs from {spell_time(span.start)} to {spell_time(span.end)}"


@rule("TG119", "lanes have no spans during their bubbles")
def _busy_bubble(subject: GivenTimeline) -> Iterator[Broken]:
    work = _work_by_lane(subject.timeline) if subject.timeline.bubbles else {}
    for index, bubble in enumerate(subject.timeline.bubbles):
        if found := work[bubble.lane].find_span(bubble.start, bubble.end):
            when = f"{spell_time(bubble.start)} to {spell_time(bubble.end)}"
            message = f"lane {quote(bubble.lane)} is marked as idle from {when}, but {_describe_span(*found)}"
            yield Broken(subject.place_of("bubbles", index), message, "shorten the bubble, or move the span")


@rule("TG120", "spans do not cross barriers of their lanes")
def _crossed_barrier(subject: GivenTimeline) -> Iterator[Broken]:
    work = _work_by_lane(subject.timeline) if subject.timeline.barriers else {}
    for index, barrier in enumerate(subject.timeline.barriers):
        for lane in barrier.lanes or work:
            if found := work[lane].find_span(barrier.time, barrier.time):
                waits = f"lane {quote(lane)} waits at the barrier at {spell_time(barrier.time)}"
                message = f"{waits}, but {_describe_span(*found)}"
                yield Broken(subject.place_of("barriers", index), message, "move the barrier, or end the span there")
                break


@rule("TG121", "ticks are at the times in their labels", Severity.WARNING)
def _wrong_tick(subject: GivenTimeline) -> Iterator[Broken]:
    axis = subject.timeline.axis
    ticks = axis.ticks if axis and isinstance(axis.ticks, list) else []
    marks = [(("axis", "ticks", index), tick.label, tick.at, True) for index, tick in enumerate(ticks)]
    for path, label, time, right in _find_wrong_marks(subject.timeline, marks, any_origin=True):
        message = f"tick {quote(label)} is at time {spell_time(time)}"
        yield Broken(subject.place_of(*path, "label"), message, f"label it {spell_time(right)}, or move it")


@rule("TG122", "periods are as long as their labels state", Severity.WARNING)
def _wrong_length(subject: GivenTimeline) -> Iterator[Broken]:
    timeline = subject.timeline
    marks = [
        ((field, index), mark.label, mark.end - mark.start, field == "dimensions")
        for field in ("dimensions", "braces", "bubbles")
        for index, mark in enumerate(getattr(timeline, field))
    ]
    for path, label, length, right in _find_wrong_marks(timeline, marks):
        message = f"{quote(label)} labels a length of {spell_time(length)}"
        yield Broken(subject.place_of(*path, "label"), message, f"write {spell_time(right)}, or change start or end")


_Mark = tuple[tuple[str | int, ...], object, Fraction, bool]


def _find_wrong_marks(
    timeline: Timeline, marks: Iterable[_Mark], *, any_origin: bool = False
) -> Iterator[tuple[tuple[str | int, ...], str, Fraction, Fraction]]:
    """Yield the path, label and time of each mark whose label states another time, and the right number."""
    unit = timeline.axis.unit if timeline.axis else ""
    read = [(mark, read_time(mark[1], unit, bare=mark[3])) for mark in marks]
    found = [(mark, stated) for mark, stated in read if stated is not None]
    for index, right in find_wrong_times([(mark[2], stated) for mark, stated in found], any_origin=any_origin):
        path, label, time, _ = found[index][0]
        yield path, str(label), time, right
