"""Rules on the marks of a timeline: bubbles, barriers, and labels that state times.

TG119, TG120, TG121, TG122.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from tikzgen.base.errors import quote
from tikzgen.lint.check_figure import GivenTimeline
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.lint.times_in_labels import find_wrong_times, read_time
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.timeline import WAIT, Span, Timeline

_IDLE = (WAIT, "idle")


def _spans_by_lane(timeline: Timeline) -> dict[str, list[tuple[str, Span]]]:
    """Return the spans in which each lane works, with their names."""
    running: dict[str, list[tuple[str, Span]]] = {lane.id: [] for lane in timeline.lanes}
    for name, span in zip(timeline.names(), timeline.spans, strict=True):
        for lane in span.lanes if span.phase not in _IDLE else ():
            running[lane].append((name, span))
    return running


@rule("TG119", "lanes have no spans during their bubbles")
def _busy_bubble(subject: GivenTimeline) -> Iterator[Broken]:
    running = _spans_by_lane(subject.timeline)
    for index, bubble in enumerate(subject.timeline.bubbles):
        for name, span in running[bubble.lane]:
            if span.start < bubble.end and bubble.start < span.end:
                when = f"{spell_time(bubble.start)} to {spell_time(bubble.end)}"
                runs = f"{quote(name)} runs from {spell_time(span.start)} to {spell_time(span.end)}"
                message = f"lane {quote(bubble.lane)} is marked as idle from {when}, but {runs}"
                yield Broken(subject.place_of("bubbles", index), message, "shorten the bubble, or move the span")
                break


@rule("TG120", "spans do not cross barriers of their lanes")
def _crossed_barrier(subject: GivenTimeline) -> Iterator[Broken]:
    running = _spans_by_lane(subject.timeline)
    for index, barrier in enumerate(subject.timeline.barriers):
        for lane in barrier.lanes or running:
            crossing = next((each for each in running[lane] if each[1].start < barrier.time < each[1].end), None)
            if crossing is not None:
                name, span = crossing
                runs = f"{quote(name)} runs from {spell_time(span.start)} to {spell_time(span.end)}"
                message = f"lane {quote(lane)} waits at the barrier at {spell_time(barrier.time)}, but {runs}"
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
