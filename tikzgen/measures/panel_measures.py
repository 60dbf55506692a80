"""The measures of a timeline, whose times were computed, or whose spans were given.

A lane is a device of its own, except that a lane with nothing but communication is a stream of the device before it
(or after it, for the first lane). Spans in the phase `idle` are no work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from tikzgen.base.intervals import Interval, length, union
from tikzgen.measures.known_measures import PanelMeasures, Value
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_parts import WAIT, Span
from tikzgen.schedule import (
    COMMUNICATION,
    COMPUTE,
    SERVER,
    Lane,
    Schedule,
    blocked,
    communication,
    critical_computing,
    exposed_communication,
    measure,
    updating,
    waits,
)
from tikzgen.schedule.measure_schedule import bubble_shares
from tikzgen.schedule.operation import MOVES, UPDATES, computes


def measured(
    panel: str,
    schedule: Schedule,
    more: Mapping[str, Value] = MappingProxyType({}),
    name: Callable[[Lane], str] = lambda lane: f"device {lane.device}",
) -> PanelMeasures:
    """Everything that can be said of `schedule`, and what `more` is known of it; `name` is what a device is called.

    Devices that only communicate count where none computes.
    """
    metrics = measure(schedule)
    lanes = schedule.program.lanes()
    computing = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMPUTE)
    linked = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMMUNICATION)
    devices = tuple(computing or linked)
    values: dict[str, Value] = {
        "devices": len(devices),
        "makespan": metrics.makespan,
        "busy": metrics.busy,
        "bubble_over_total": metrics.bubble_over_total,
        "bubble_over_ideal": metrics.bubble_over_ideal,
        "idle": metrics.idle,
        "span_idle": metrics.span_idle,
        "worst_span_idle": metrics.worst_span_idle,
        "peak_in_flight": metrics.peak_in_flight,
        "blocked": blocked(schedule),
    }
    if (on_path := critical_computing(schedule)) is not None:
        values["critical_computing"] = on_path
    moved, updated = communication(schedule), updating(schedule)
    if any(moved):
        values["communication"] = moved
        values["exposed_communication"] = exposed_communication(schedule)
    if any(updated):
        values["updating"] = updated
    if linked and not computing:
        counts = Counter(lane for operation in schedule.program.operations for lane in operation.lanes)
        values["steps"] = max(counts.values())
    averages = sum(operation.kind == "average" for operation in schedule.program.operations)
    if averages:
        values["rounds"] = averages
    names = {device: name(Lane(device)) for device in devices}
    waited = waits(schedule, lambda device: names.get(device) or name(SERVER))
    own = {names[device]: causes for device, causes in waited.items() if device in names and causes}
    return PanelMeasures.of(panel, tuple(names.values()), {**values, **more}, own)


_NOTHING = Fraction(0)
_NO_WORK = ("idle", WAIT)


@dataclass(slots=True)
class _Device:
    """A lane that computes, and the spans on it and on the communication lanes beside it."""

    name: str
    own: list[Span] = field(default_factory=list)
    streams: list[Span] = field(default_factory=list)


def drawn(panel: str, timeline: Timeline, more: Mapping[str, Value] = MappingProxyType({})) -> PanelMeasures:
    """The measures of `timeline`, from its first span's start to its last one's end.

    `blocked` is what a device waits before its own last end: for what a span there needs, or for the others. The peak
    in flight is told where forwards and backwards have numbers. `more` is what else is known of it.
    """
    devices = _devices(timeline)
    worked = [_periods(span for span in device.own if computes(span.phase)) for device in devices]
    taken = [_periods(device.own) for device in devices]
    spans = [span for span in timeline.spans if span.phase not in _NO_WORK]
    begin = min((span.start for span in spans), default=_NOTHING)
    makespan = max((span.end for span in spans), default=_NOTHING) - begin
    busy = tuple(_length(periods) for periods in worked)
    idle = tuple(makespan - each for each in busy)
    span_idle = tuple(
        (periods[-1][1] - periods[0][0] if periods else _NOTHING) - each
        for periods, each in zip(worked, busy, strict=True)
    )
    over_total, over_ideal = bubble_shares(makespan, busy)
    values: dict[str, Value] = {
        "devices": len(devices),
        "makespan": makespan,
        "busy": busy,
        "bubble_over_total": over_total,
        "bubble_over_ideal": over_ideal,
        "idle": idle,
        "span_idle": span_idle,
        "worst_span_idle": max(span_idle, default=_NOTHING),
        "blocked": tuple((periods[-1][1] - begin if periods else _NOTHING) - _length(periods) for periods in taken),
    }
    if any(span.phase in MOVES for span in spans):
        values["communication"] = tuple(_taken(device, MOVES) for device in devices)
        values["exposed_communication"] = tuple(_exposed(device) for device in devices)
    if any(span.phase in UPDATES for span in spans):
        values["updating"] = tuple(_taken(device, UPDATES) for device in devices)
    if peaks := _peaks(devices):
        values["peak_in_flight"] = peaks
    return PanelMeasures.of(panel, tuple(device.name for device in devices), {**values, **more})


def _devices(timeline: Timeline) -> list[_Device]:
    """The lanes that compute, each with the lanes beside it that only communicate."""
    by_lane: dict[str, list[Span]] = {lane.id: [] for lane in timeline.lanes if not lane.ellipsis}
    for span in timeline.spans:
        if span.phase not in _NO_WORK:
            for lane in by_lane.keys() & set(span.lanes):
                by_lane[lane].append(span)
    by_lane = {lane: spans for lane, spans in by_lane.items() if spans}
    computing = [lane for lane, spans in by_lane.items() if not _only_communicates(spans)]
    devices = {lane: _Device(lane, by_lane[lane]) for lane in computing or by_lane}
    before = next(iter(devices), "")
    for lane, spans in by_lane.items():
        if lane in devices:
            before = lane
        else:
            devices[before].streams += spans
    return list(devices.values())


def _only_communicates(spans: Sequence[Span]) -> bool:
    return all(span.phase in MOVES for span in spans)


def _taken(device: _Device, phases: Set[str]) -> Fraction:
    """How long the device has something to do in one of the phases."""
    return _length(_periods(span for span in (*device.own, *device.streams) if span.phase in phases))


def _exposed(device: _Device) -> Fraction:
    """How long the device communicates without computing at the same time."""
    everything = [*device.own, *device.streams]
    computing = [span for span in everything if computes(span.phase)]
    moving = [span for span in everything if span.phase in MOVES]
    return _length(_periods([*computing, *moving])) - _length(_periods(computing))


def gathered_twice(timeline: Timeline) -> Iterator[tuple[Span, Span]]:
    """All-gathers of parameters that are there still, each with the one before: no use of them has ended in between.

    Parameters are known by their number, where what computes on the device has numbers, too.
    """
    for device in _devices(timeline):
        spans = sorted((*device.own, *device.streams), key=lambda span: span.start)
        last: dict[int, Span] = {}
        for span in spans:
            if span.phase != "all-gather" or span.number is None:
                continue
            uses = [each for each in spans if computes(each.phase) and each.number == span.number]
            before = last.get(span.number)
            if before is not None and uses:
                between = [each for each in uses if before.end <= each.start < span.start]
                if not between or max(each.end for each in between) > span.start:
                    yield before, span
            last[span.number] = span


def _peaks(devices: Iterable[_Device]) -> tuple[int, ...]:
    """For each device, the most microbatches (of each chunk) between a forward's start and the last gradient's end."""
    found = []
    for device in devices:
        kinds = {"forward": 1, "backward": -1, "weight-grad": -1}
        numbered = [span for span in device.own if span.phase in kinds and span.number is not None]
        if not numbered or any(span.phase in kinds and span.number is None for span in device.own):
            return ()
        changes = [(span.start if span.phase == "forward" else span.end, kinds[span.phase]) for span in numbered]
        held = peak = 0
        for _, change in sorted(changes):
            held += change
            peak = max(peak, held)
        found.append(peak)
    return tuple(found)


def _periods(spans: Iterable[Span]) -> list[Interval]:
    """When one of the spans runs, as periods that do not meet, in the order of time."""
    return union((span.start, span.end) for span in spans)


def _length(periods: list[Interval]) -> Fraction:
    return Fraction(length(periods))
