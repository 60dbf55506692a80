"""What a schedule costs, exactly: makespan, busy time, bubbles by name, microbatches in flight, traffic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction

from tikzgen.base.intervals import Interval, Time, joined, length, union
from tikzgen.base.record import Record, as_dict
from tikzgen.schedule.exact_numbers import spell
from tikzgen.schedule.operation import COMPUTE, MOVES, UPDATES, Lane, Operation, computes
from tikzgen.schedule.simulate import Schedule
from tikzgen.schedule.tasks import Kind


class Metrics(Record):
    """Exact measures of a schedule; tuples have one entry for each device that computes, in the order of the devices.

    `bubble_over_total` is (T - busy)/T, `bubble_over_ideal` is (T - busy)/busy, both over all devices together;
    busy is what a device computes: messages, updates of the weights, saves and restarts are none. `span_idle` is a
    device's idle time between the start of its first and the end of its last computation. `peak_in_flight` counts the
    microbatches (of each chunk) between the start of a forward and the end of its backward or weight gradient.
    """

    makespan: Fraction
    busy: tuple[Fraction, ...]
    bubble_over_total: Fraction
    bubble_over_ideal: Fraction
    span_idle: tuple[Fraction, ...]
    peak_in_flight: tuple[Fraction | int, ...]

    @property
    def idle(self) -> tuple[Fraction, ...]:
        """For each device, the time in which it computes nothing, T - busy."""
        return tuple(self.makespan - each for each in self.busy)

    @property
    def worst_span_idle(self) -> Fraction:
        """The longest `span_idle` of any device: the zero-bubble papers' bubble."""
        return max(self.span_idle, default=Fraction(0))

    def as_json(self) -> dict[str, object]:
        """The same facts for a JSON file: integers, and strings such as `"3/11"`."""
        values = as_dict(self).items()
        return {name: [*map(spell, each)] if isinstance(each, tuple) else spell(each) for name, each in values}


def measure(schedule: Schedule) -> Metrics:
    """The measures of the compute streams in `schedule`."""
    devices = _computing(schedule)
    total = max(schedule.ends, default=0)
    busy = [sum(schedule.ends[i] - schedule.starts[i] for i in indices) for indices in devices.values()]
    spans = [
        max((schedule.ends[i] for i in indices), default=0) - min((schedule.starts[i] for i in indices), default=0)
        for indices in devices.values()
    ]
    shares, slices = bubble_shares(total, busy), schedule.program.slices
    peaks = [max(in_flight(schedule.operations[i] for i in each), default=0) for each in devices.values()]
    return Metrics(
        makespan=schedule.makespan,
        busy=_times(busy, schedule),
        bubble_over_total=shares[0],
        bubble_over_ideal=shares[1],
        span_idle=_times((span - each for span, each in zip(spans, busy, strict=True)), schedule),
        peak_in_flight=tuple(peaks) if slices == 1 else tuple(Fraction(each, slices) for each in peaks),
    )


def bubble_shares(makespan: Fraction | int, busy: Collection[Fraction | int]) -> tuple[Fraction, Fraction]:
    """The idle time in all time and in terms of the work, (T - busy)/T and (T - busy)/busy, over all devices."""
    work = Fraction(sum(busy))
    idle = makespan * len(busy) - work
    return (idle / (idle + work) if idle + work else Fraction(0)), (idle / work if work else Fraction(0))


def in_flight(operations: Iterable[Operation]) -> list[int]:
    """How many microbatches (or slices) one device holds during each of its operations, in the order of running."""
    given = list(operations)
    freed = {
        (task.stage, task.microbatch): index
        for index, operation in enumerate(given)
        for task in operation.tasks
        if task.kind in (Kind.BACKWARD, Kind.WEIGHT_GRAD)
    }
    held: set[tuple[int, int]] = set()
    counts = []
    for index, operation in enumerate(given):
        held |= {(task.stage, task.microbatch) for task in operation.tasks if task.kind is Kind.FORWARD}
        counts.append(len(held))
        held -= {key for task in operation.tasks if freed.get(key := (task.stage, task.microbatch)) == index}
    return counts


def communication(schedule: Schedule) -> tuple[Fraction, ...]:
    """For each device, how long it communicates, whether it computes at the same time or not.

    A message between devices counts for the one that receives it, and where its sender waits for it, for both.
    """
    return _times((length(joined(moves)) for _, moves in _streams(schedule)), schedule)


def exposed_communication(schedule: Schedule) -> tuple[Fraction, ...]:
    """For each device, how long it communicates without computing at the same time."""
    found = (length(union([*own, *moves])) - length(joined(own)) for own, moves in _streams(schedule))
    return _times(found, schedule)


def updating(schedule: Schedule) -> tuple[Fraction, ...]:
    """For each device, how long its weights are updated, by itself or by a server."""
    operations = schedule.operations
    found = (
        [i for i in indices if operations[i].kind in UPDATES] for indices in by_device(schedule, _on_compute).values()
    )
    return _times((length(joined(_intervals(schedule, each))) for each in found), schedule)


def blocked(schedule: Schedule, until: Fraction | None = None) -> tuple[Fraction, ...]:
    """For each device that computes, how long it waits before `until` (its own last end if left out)."""
    found = []
    for indices in by_device(schedule, _on_compute).values():
        own = max(schedule.ends[i] for i in indices)
        limit = Fraction(own, schedule.scale) if until is None else until
        parts = (min(schedule.end(i), limit) - min(schedule.start(i), limit) for i in indices)
        found.append(limit - sum(parts, Fraction(0)))
    return tuple(found)


def speed_up(before: Schedule, after: Schedule) -> Fraction:
    """How many times faster `after` is than `before`."""
    return before.makespan / after.makespan


def _computing(schedule: Schedule) -> dict[int, list[int]]:
    """The operations of each device on its compute stream that compute."""
    operations = schedule.operations
    return {
        device: [i for i in indices if computes(operations[i].kind)]
        for device, indices in by_device(schedule, _on_compute).items()
    }


def _streams(schedule: Schedule) -> list[tuple[list[Interval], list[Interval]]]:
    """For each device, when it computes, and when it moves data, on whichever stream or by message."""
    computing, messages = _computing(schedule), _messages(schedule)
    moving = by_device(schedule, lambda operation, lane: lane.device >= 0 and operation.kind in MOVES)
    return [
        (
            _intervals(schedule, computing.get(device, [])),
            sorted([*_intervals(schedule, moving.get(device, [])), *messages.get(device, ())]),
        )
        for device in sorted(computing.keys() | moving.keys())
    ]


def _messages(schedule: Schedule) -> dict[int, set[Interval]]:
    """When messages are under way, for each device that receives them or, if they are operations, sends them."""
    operations = schedule.operations
    found: dict[int, set[Interval]] = {}
    for index, operation in enumerate(operations):
        for need in operation.needs:
            source = operations[need.operation]
            if operation.lanes and source.lanes and need.latency:
                end = schedule.ends[need.operation]
                when = (end, end + int(need.latency * schedule.scale))
            elif bool(operation.lanes) != bool(source.lanes):
                message = need.operation if operation.lanes else index
                when = (schedule.starts[message], schedule.ends[message])
            else:
                continue
            for lane in (operation if operation.lanes else source).lanes:
                found.setdefault(lane.device, set()).add(when)
    return found


def _on_compute(operation: Operation, lane: Lane) -> bool:
    return lane.stream == COMPUTE


def by_device(schedule: Schedule, keep: Callable[[Operation, Lane], bool]) -> dict[int, list[int]]:
    """The operations of each device that are kept, in the order in which they run; by device."""
    found: dict[int, list[int]] = {}
    for index in schedule.order:
        operation = schedule.operations[index]
        for lane in operation.lanes:
            if keep(operation, lane):
                found.setdefault(lane.device, []).append(index)
    return dict(sorted(found.items()))


def _intervals(schedule: Schedule, indices: Sequence[int]) -> list[Interval]:
    return sorted((schedule.starts[i], schedule.ends[i]) for i in indices)


def _times(units: Iterable[Time], schedule: Schedule) -> tuple[Fraction, ...]:
    return tuple(Fraction(each, schedule.scale) for each in units)
