"""Measures of a panel: of a computed schedule, of listed spans, or of a measured run.

For listed spans, each lane is a device. A lane with only communication is a stream of the device before it, or after
it for the first lane. Spans of the phase `idle` do not count as work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from tikzgen.base.record import replace
from tikzgen.lint.measures.known_measures import PanelMeasures, Value, in_order
from tikzgen.model.timeline import WAIT, Span, Timeline
from tikzgen.recipe.measured.measured_reading import MeasuredLane, Reading
from tikzgen.recipe.measured.measured_trace import Trace
from tikzgen.schedule import (
    COMMUNICATION,
    COMPUTE,
    MOVES,
    SERVER,
    Schedule,
    ScheduledOperation,
    ScheduleLane,
    bubble_shares,
    critical_computing,
    exposed_communication,
    is_computing_kind,
    measure,
    measure_communication_times,
    measure_waits,
    schedule_at,
    update_times,
    waiting_times,
)

_NOTHING = Fraction(0)
_NO_WORK = ("idle", WAIT)


def measure_schedule(
    panel: str,
    schedule: Schedule,
    more: Mapping[str, Value] = MappingProxyType({}),
    name: Callable[[ScheduleLane], str] = lambda lane: f"device {lane.device}",
) -> PanelMeasures:
    """Return the measures of `schedule`, with `more` measures; `name` returns the name of a device.

    Devices that only communicate count if none computes.
    """
    lanes = schedule.program.list_lanes()
    computing = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMPUTE)
    linked = dict.fromkeys(lane.device for lane in lanes if lane.stream == COMMUNICATION)
    devices = tuple(computing or linked)
    values = {"devices": len(devices), **_of_schedule(schedule)}
    if (on_path := critical_computing(schedule)) is not None:
        values["critical_computing"] = on_path
    if linked and not computing:
        counts = Counter(lane for operation in schedule.operations for lane in operation.lanes)
        values["steps"] = max(counts.values())
    averages = sum(operation.kind == "average" for operation in schedule.operations)
    if averages:
        values["rounds"] = averages
    names = {device: name(ScheduleLane(device)) for device in devices}
    waited = measure_waits(schedule, lambda device: names.get(device) or name(SERVER))
    own = {names[device]: causes for device, causes in waited.items() if device in names and causes}
    return PanelMeasures(panel, tuple(names.values()), in_order({**values, **more}), own)


def _of_schedule(schedule: Schedule) -> dict[str, Value]:
    """Return the measures that depend only on the times of a schedule."""
    metrics = measure(schedule)
    values: dict[str, Value] = {
        "makespan": metrics.makespan,
        "busy": metrics.busy,
        "bubble_over_total": metrics.bubble_over_total,
        "bubble_over_ideal": metrics.bubble_over_ideal,
        "idle": metrics.idle,
        "span_idle": metrics.span_idle,
        "worst_span_idle": metrics.worst_span_idle,
        "peak_in_flight": metrics.peak_in_flight,
        "blocked": waiting_times(schedule),
    }
    moved, updated = measure_communication_times(schedule), update_times(schedule)
    if any(moved):
        values["communication"] = moved
        values["exposed_communication"] = exposed_communication(schedule)
    if any(updated):
        values["updating"] = updated
    return values


def measure_timeline(panel: str, timeline: Timeline, more: Mapping[str, Value] = MappingProxyType({})) -> PanelMeasures:
    """Return the measures of `timeline`, from the start of its first span to the end of its last span.

    `blocked` is a device's waiting time before its own last end: for inputs of its spans, or for others. The peak in
    flight requires numbered forwards and backwards. `more` are other known measures.
    """
    work = _group_work_by_lane(timeline)
    lanes = _find_lane_roles(work)
    devices = tuple(name for name, lane in lanes.items() if lane.stream == COMPUTE)
    spans = [span for span in timeline.spans if span.phase not in _NO_WORK]
    begin = min((span.start for span in spans), default=_NOTHING)
    schedule = schedule_at((span.start - begin, _as_operation(span, lanes)) for span in spans)
    values = {"devices": len(devices), **_of_schedule(schedule)}
    del values["peak_in_flight"]  # listed spans have no tasks
    if peaks := _count_peaks(work[name] for name in devices):
        values["peak_in_flight"] = peaks
    return PanelMeasures(panel, devices, in_order({**values, **more}))


def _group_work_by_lane(timeline: Timeline) -> dict[str, list[Span]]:
    """Return the working spans of each lane that has any."""
    by_lane: dict[str, list[Span]] = {lane.id: [] for lane in timeline.lanes if not lane.ellipsis}
    for span in timeline.spans:
        if span.phase not in _NO_WORK:
            for lane in by_lane.keys() & set(span.lanes):
                by_lane[lane].append(span)
    return {lane: spans for lane, spans in by_lane.items() if spans}


def _find_lane_roles(work: Mapping[str, Sequence[Span]]) -> dict[str, ScheduleLane]:
    """Return the role of each lane: device if it computes, else communication stream of a device.

    If no lane computes, every lane is a device.
    """
    moves = {lane: all(span.phase in MOVES for span in spans) for lane, spans in work.items()}
    none_computes = all(moves.values())
    found, device = {}, -1
    for lane, beside in moves.items():
        own = none_computes or not beside
        device += own
        found[lane] = ScheduleLane(max(device, 0), COMPUTE if own else COMMUNICATION)
    return found


def _as_operation(span: Span, lanes: Mapping[str, ScheduleLane]) -> ScheduledOperation:
    return ScheduledOperation(
        span.phase, span.phase, tuple(lanes[lane] for lane in span.lanes if lane in lanes), span.duration
    )


def gathered_twice(timeline: Timeline) -> Iterator[tuple[Span, Span]]:
    """Yield all-gathers of parameters that are still present, each with the previous all-gather.

    Parameters are still present if no use of them has ended since the previous all-gather. The number of a span
    identifies its parameters, so computing spans need numbers as well.
    """
    work = _group_work_by_lane(timeline)
    by_device: dict[int, list[Span]] = {}
    for name, lane in _find_lane_roles(work).items():
        by_device.setdefault(lane.device, []).extend(work[name])
    for unsorted in by_device.values():
        spans = sorted(unsorted, key=lambda span: span.start)
        last: dict[int, Span] = {}
        for span in spans:
            if span.phase != "all-gather" or span.number is None:
                continue
            uses = [each for each in spans if is_computing_kind(each.phase) and each.number == span.number]
            before = last.get(span.number)
            if before is not None and uses:
                between = [each for each in uses if before.end <= each.start < span.start]
                if not between or max(each.end for each in between) > span.start:
                    yield before, span
            last[span.number] = span


def _count_peaks(devices: Iterable[Sequence[Span]]) -> tuple[int, ...]:
    """Return the peak of microbatches in flight for each device; empty without numbered spans.

    A microbatch (of each chunk) is in flight from the start of its forward to the end of its last gradient.
    """
    found = []
    for spans in devices:
        kinds = {"forward": 1, "backward": -1, "weight-grad": -1}
        numbered = [span for span in spans if span.phase in kinds and span.number is not None]
        if not numbered or any(span.phase in kinds and span.number is None for span in spans):
            return ()
        changes = [(span.start if span.phase == "forward" else span.end, kinds[span.phase]) for span in numbered]
        held = peak = 0
        for _, change in sorted(changes):
            held += change
            peak = max(peak, held)
        found.append(peak)
    return tuple(found)


_BY_RANK = {
    "busy": "busy",
    "idle": "idle",
    "computing": "computing",
    "span-idle": "span_idle",
    "extent": "extent",
    "communication": "communication",
    "exposed-communication": "exposed_communication",
    "waited": "waited",
}
_TOTALS = {
    "busy": "busy_in_all",
    "idle": "idle_in_all",
    "communication": "communication_in_all",
    "exposed_communication": "exposed_in_all",
    "waited": "waited_in_all",
}


def of_trace(recipe: Trace) -> Iterator[PanelMeasures]:
    """Yield the measures of a trace in the drawn unit, and of a simulated pipeline if it has a model.

    Each copy of the model has its own measures if operations of several are drawn.
    """
    model, reading = recipe.fit_model(), recipe.scaled_reading()
    if len(reading.replicas) > 1:
        for number, lanes in reading.replicas.items():
            yield _measure_devices(_select_replica(reading, lanes), f"replica-{number}")
        return
    yield _measure_devices(reading, "measured" if model else "main")
    if model:
        naming, (name, was, ought) = model.pipeline.lane_names(), model.differs_most()
        more: dict[str, Value] = {"model_error": model.error, "differs_most_by": ought - was}
        found = measure_schedule("simulated", model.plan.schedule, more, lambda lane: naming.label(lane.device))
        yield replace(found, said={"differs_most": name})


def _select_replica(reading: Reading, lanes: Sequence[MeasuredLane]) -> Reading:
    """Return the part of a reading in the lanes of one replica, with its makespan."""
    own, ranks = {lane.id for lane in lanes}, {lane.rank for lane in lanes}
    cells = [cell for cell in reading.cells if cell.lane in own]
    makespan = max(cell.end for cell in cells) - min(cell.start - cell.waited for cell in cells)
    held = [each for each in reading.ranks if each.rank in ranks]
    return reading.model_copy(update={"lanes": [*lanes], "cells": cells, "makespan": makespan, "ranks": held})


def _measure_devices(reading: Reading, panel: str) -> PanelMeasures:
    """Return the measures of all devices; without other events, operations count as busy time."""
    found = [each.values for each in reading.ranks]
    work = [each["computing"] for each in found]
    over_total, over_ideal = bubble_shares(reading.makespan, work)
    values: dict[str, Value] = {
        key: tuple(each[name] for each in found)
        for name, key in _BY_RANK.items()
        if all(name in each for each in found)
    }
    if "busy" not in values:
        values |= {"busy": tuple(work), "idle": tuple(reading.makespan - each for each in work)}
        del values["computing"]
    values |= {"devices": len(work), "makespan": reading.makespan}
    if reading.bubble:
        idle = max((each["span-idle"] for each in found), default=Fraction(0))
        values |= {"bubble_over_total": over_total, "bubble_over_ideal": over_ideal, "worst_span_idle": idle}
    values |= _compute_overlap(values) | {key: _sum(values[name]) for name, key in _TOTALS.items() if name in values}
    names = sorted({name for each in reading.ranks for name in each.classes})
    classes = {name: tuple(each.classes.get(name, Fraction(0)) for each in reading.ranks) for name in names}
    ranks = tuple(f"rank {each.rank}" + (f", {each.device}" if each.device else "") for each in reading.ranks)
    return PanelMeasures(panel, ranks, in_order(values), classes=classes)


def _compute_overlap(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the share of communication that computation hides; empty without communication."""
    moved, exposed = values.get("communication"), values.get("exposed_communication")
    if not isinstance(moved, tuple) or not isinstance(exposed, tuple) or not sum(moved):
        return {}
    pairs = [(Fraction(whole), Fraction(bare)) for whole, bare in zip(moved, exposed, strict=True)]
    shares = tuple((whole - bare) / whole if whole else 0 for whole, bare in pairs)
    return {"overlap": shares, "overlap_in_all": Fraction(sum(moved) - sum(exposed)) / Fraction(sum(moved))}


def _sum(value: Value) -> Fraction:
    return Fraction(sum(value) if isinstance(value, tuple) else value)
