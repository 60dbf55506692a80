"""The measures of a timeline whose spans were given: by hand, or by a recipe that computes no schedule.

A lane is a device of its own, except that a lane with nothing but communication is a stream of the device before it
(or after it, for the first lane). Spans in the phase `idle` are no work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from tikzgen.measures.known_measures import PanelMeasures, Value
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_parts import Span

__all__ = ["COMMUNICATION_PHASES", "drawn"]

COMMUNICATION_PHASES = frozenset(
    {"communication", "fetch", "push", "send", "receive", "all-reduce", "all-gather", "reduce-scatter"}
)
"""Phases in which a lane moves data and computes nothing."""

_NOTHING = Fraction(0)
_Period: TypeAlias = tuple[Fraction, Fraction]


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
    worked = [_merged((span.start, span.end) for span in device.own) for device in devices]
    spans = [span for span in timeline.spans if span.phase != "idle"]
    begin = min((span.start for span in spans), default=_NOTHING)
    makespan = max((span.end for span in spans), default=_NOTHING) - begin
    busy = tuple(_length(periods) for periods in worked)
    idle = tuple(makespan - each for each in busy)
    span_idle = tuple(
        (periods[-1][1] - periods[0][0] if periods else _NOTHING) - each
        for periods, each in zip(worked, busy, strict=True)
    )
    work, room = sum(busy), makespan * len(devices)
    values: dict[str, Value] = {
        "devices": len(devices),
        "makespan": makespan,
        "busy": busy,
        "bubble_over_total": (room - work) / room if room else _NOTHING,
        "bubble_over_ideal": (room - work) / work if work else _NOTHING,
        "idle": idle,
        "span_idle": span_idle,
        "worst_span_idle": max(span_idle, default=_NOTHING),
        "blocked": tuple(
            (periods[-1][1] - begin if periods else _NOTHING) - each for periods, each in zip(worked, busy, strict=True)
        ),
    }
    if any(span.phase in COMMUNICATION_PHASES for span in spans):
        values["exposed_communication"] = tuple(_exposed(device) for device in devices)
    if peaks := _peaks(devices):
        values["peak_in_flight"] = peaks
    return PanelMeasures.of(panel, tuple(device.name for device in devices), {**values, **more})


def _devices(timeline: Timeline) -> list[_Device]:
    by_lane: dict[str, list[Span]] = {lane.id: [] for lane in timeline.lanes}
    for span in timeline.spans:
        if span.phase != "idle":
            for lane in span.lanes:
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
    return all(span.phase in COMMUNICATION_PHASES for span in spans)


def _exposed(device: _Device) -> Fraction:
    """How long the device communicates without computing at the same time."""
    everything = [*device.own, *device.streams]
    computing = [(span.start, span.end) for span in everything if span.phase not in COMMUNICATION_PHASES]
    return _length(_merged((span.start, span.end) for span in everything)) - _length(_merged(computing))


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


def _merged(periods: Iterable[_Period]) -> list[_Period]:
    """The union of periods as periods that do not meet, in the order of time."""
    found: list[_Period] = []
    for start, end in sorted(periods):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _length(periods: Iterable[_Period]) -> Fraction:
    return sum((end - start for start, end in periods), _NOTHING)
