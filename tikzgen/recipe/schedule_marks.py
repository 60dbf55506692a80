"""Marks of a simulated schedule: bubbles, phases, memory, arrows, measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import floor, log10

from tikzgen.base.record import NOTHING
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.timeline import Axis, Brace, Bubble, Dependency, Strip, Timeline
from tikzgen.recipe.schedule_lanes import LanesOfSchedule, Naming, lanes_of_schedule
from tikzgen.schedule import (
    COMPUTE,
    MESSAGE,
    OperationNeed,
    Schedule,
    ScheduledOperation,
    ScheduleMetrics,
    count_held_activations,
    critical_path,
    find_device_phases,
    list_gaps,
    spell_exact_number,
)
from tikzgen.text import fill_placeholders

_TICK_COUNT = 9


def make_bubbles(
    schedule: Schedule, naming: Naming, picture: LanesOfSchedule, until: Fraction | None = None
) -> list[Bubble]:
    """Return the idle times (before `until`) of devices with lanes, with their causes."""
    limit = schedule.makespan if until is None else until
    lanes = {lane.id for lane in picture.lanes}
    operations = schedule.operations
    return [
        Bubble(
            lane=lane,
            start=gap.start,
            end=min(gap.end, limit),
            cause="" if gap.source is None else f"waits for {operations[gap.source].name}",
        )
        for gap in list_gaps(schedule)
        if gap.start < limit and (lane := naming.make_id(gap.lane)) in lanes
    ]


def make_phase_braces(
    schedule: Schedule, device: int, texts: tuple[str, str, str], megatron: str | None
) -> list[Brace]:
    """Return braces over warm-up, steady state and cool-down of one device, if it has them.

    `megatron` names the schedule if Megatron-LM's definition applies instead of PyTorch's.
    """
    own = find_device_phases(schedule, megatron).get(device)
    if own is None:
        return []
    moments = (own.start, own.steady, max(own.steady, own.cooling), own.end)
    periods = zip(moments, moments[1:], texts, strict=False)
    return [Brace(start=start, end=end, label=text) for start, end, text in periods if start < end]


def make_memory_strips(
    schedule: Schedule,
    which: str,
    naming: Naming,
    label: str,
    cap: Fraction | None,
    *,
    kept: Fraction | int = 0,
) -> list[Strip]:
    """Return strips of the microbatches in flight: of every device, or of the device with the peak.

    The strip of every device is under its lane, a single one under all lanes. The share `kept` of recomputed
    activations counts.
    """
    held = {} if which == "none" else count_held_activations(schedule, kept)
    if not held:
        return []
    peaks = {device: max(level.count for level in levels) for device, levels in held.items()}
    chosen = list(held) if which == "all" else [max(peaks, key=lambda device: (peaks[device], -device))]
    lanes = {lane.device: naming.make_id(lane) for lane in schedule.program.list_lanes() if lane.stream == COMPUTE}
    found = []
    for device in chosen:
        levels = [{"start": each.start, "end": each.end, "value": Fraction(each.count)} for each in held[device]]
        under = lanes[device] if which == "all" else None
        text = fill_placeholders(label, n=device + naming.first)
        found.append(Strip.model_validate({"levels": levels, "label": text, "lane": under, "cap": cap}))
    return found


def make_arrows(schedule: Schedule, picture: LanesOfSchedule, which: str) -> list[Dependency]:
    """Return arrows for messages between devices, or for steps of the critical path that change lanes."""
    if which == "messages":
        operations = schedule.operations
        pairs = [
            (source, index)
            for index, operation in enumerate(operations)
            if operation.kind != MESSAGE
            for source in map(partial(_find_maker, operations), operation.needs)
            if not {lane.device for lane in operation.lanes} & {lane.device for lane in operations[source].lanes}
        ]
        return _join_dependencies(pairs, picture, "message")
    if which == "critical":
        path = _on_lanes(schedule)
        lanes = [schedule.operations[index].lanes for index in path]
        steps = zip(path, path[1:], lanes, lanes[1:], strict=False)
        return _join_dependencies(
            [(a, b) for a, b, here, there in steps if not {*here} & {*there}], picture, "critical"
        )
    return []


def _find_maker(operations: Sequence[ScheduledOperation], need: OperationNeed) -> int:
    """Return the operation whose result is needed; for a message, the operation that sends it."""
    index = need.operation
    return operations[index].needs[0].operation if operations[index].kind == MESSAGE else index


def _on_lanes(schedule: Schedule) -> list[int]:
    """Return the critical path without messages."""
    operations = schedule.operations
    return [index for index in critical_path(schedule) if operations[index].lanes]


def _join_dependencies(pairs: list[tuple[int, int]], picture: LanesOfSchedule, kind: str) -> list[Dependency]:
    names = picture.names
    return [
        Dependency.model_validate({"source": names[source][0], "target": names[target][0], "kind": kind})
        for source, target in pairs
        if source in names and target in names
    ]


def list_critical_spans(schedule: Schedule, picture: LanesOfSchedule) -> list[str]:
    """Return the names of the spans on the critical path."""
    return [name for index in critical_path(schedule) for name in picture.names.get(index, ())[:1]]


def step(until: Fraction) -> Fraction:
    """Return the distance of tick marks: 1, 2 or 5 times a power of ten, for at most `_TICK_COUNT` ticks."""
    size = Fraction(10) ** floor(log10(until / _TICK_COUNT)) if until else Fraction(1)
    return next((size * factor for factor in (1, 2, 5) if until / (size * factor) <= _TICK_COUNT), size * 10)


def value_of(metrics: ScheduleMetrics, measure: str) -> Fraction:
    """Return a measure that panels print, by its name."""
    if measure == "total":
        return metrics.bubble_over_total
    if measure == "ideal":
        return metrics.bubble_over_ideal
    return metrics.worst_span_idle if measure == "span" else Fraction(max(metrics.peak_in_flight, default=0))


_DISTINGUISHING = (("total",), ("span",), ("total", "span"), ("total", "peak"), ("total", "span", "peak"))


def choose_measures(panels: Sequence[ScheduleMetrics]) -> tuple[str, ...]:
    """Return the fewest measures that distinguish most panels; only `total` if other sets are not better."""

    def count_distinct(measures: tuple[str, ...]) -> int:
        return len({tuple(value_of(metrics, each) for each in measures) for metrics in panels})

    return max(_DISTINGUISHING, key=count_distinct)


def format_measure(value: Fraction, measure: str, text: str, unit: str) -> str:
    """Format a measure in its label: a time with its unit, a number, or a ratio, exact and in percent."""
    if measure == "span":
        return fill_placeholders(text, exact=f"{spell_time(value)}{unit and ' ' + unit}")
    return fill_placeholders(text, exact=spell_exact_number(value), percent=format_percent(value))


def format_percent(share: Fraction) -> str:
    """Format a ratio in percent with one decimal, `27.3` for 3/11."""
    return f"{float(share * 100):.1f}"


def timeline(
    schedule: Schedule, *, device: str = "GPU {n}", streams: Mapping[str, str] = NOTHING, first: int = 0
) -> Timeline:
    """Return the timeline of a schedule from `tikzgen.schedule.simulate`, with its idle time, for a panel.

    `device` labels the devices, which count from `first`; `streams` labels the lanes of devices with several streams.
    The kind of an operation is the phase of its span. Add styles of new phases to `find_device_phases` of the figure.

    >>> from tikzgen.schedule import Builder, Lane, simulate
    >>> steps = Builder()
    >>> before = steps.add("forward", Lane(0), Fraction(1, 3), name="F")
    >>> after = steps.add("backward", Lane(1), Fraction(2), [before], name="B")
    >>> [str(span.start) for span in timeline(simulate(steps.program())).spans]
    ['0', '1/3']
    """
    naming = Naming(device=device, streams=streams, first=first)
    picture = lanes_of_schedule(schedule, naming)
    return Timeline(
        lanes=picture.lanes,
        groups=picture.groups,
        spans=picture.spans,
        barriers=picture.barriers,
        shades=picture.shades,
        bubbles=make_bubbles(schedule, naming, picture),
        axis=Axis(ticks=step(schedule.makespan)),
    )
