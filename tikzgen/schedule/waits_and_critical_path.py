"""Idle time of a schedule: bubbles, their causes, and the critical path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.operation import COMPUTE, MESSAGE, ScheduleLane, is_computing_kind
from tikzgen.schedule.simulate import Schedule


class Gap(Record):
    """Idle time of `lane` before operation `then` (None at the end), which waits for `source`.

    `source` is the operation whose result arrives last; None if `then` has no dependencies.
    """

    lane: ScheduleLane
    start: Fraction
    end: Fraction
    then: int | None
    source: int | None


def list_gaps(schedule: Schedule, stream: str = COMPUTE) -> tuple[Gap, ...]:
    """Return all gaps from time 0 to the makespan on the lanes of `stream`, by lane and time."""
    operations = schedule.operations
    lanes = [lane for lane in schedule.program.list_lanes() if lane.stream == stream]
    reached = dict.fromkeys(lanes, 0)
    found: dict[ScheduleLane, list[Gap]] = {lane: [] for lane in lanes}
    for index in schedule.order:
        start = schedule.starts[index]
        for lane in operations[index].lanes:
            if lane not in reached:
                continue
            if start > reached[lane]:
                begin, end = Fraction(reached[lane], schedule.scale), schedule.start(index)
                found[lane].append(Gap(lane, begin, end, index, _last_source(schedule, index)))
            reached[lane] = schedule.ends[index]
    last = max(schedule.ends, default=0)
    for lane, done in reached.items():
        if done < last:
            found[lane].append(Gap(lane, Fraction(done, schedule.scale), schedule.makespan, None, None))
    return tuple(gap for each in found.values() for gap in each)


def _last_source(schedule: Schedule, index: int) -> int | None:
    """Return the dependency of the operation at `index` whose result arrives last; None without dependencies."""
    needs = schedule.operations[index].needs
    arrivals = [(schedule.ends[need.operation] + need.latency * schedule.scale, need.operation) for need in needs]
    return max(arrivals)[1] if arrivals else None


def measure_waits(
    schedule: Schedule, name: Callable[[int], str] = lambda device: f"device {device}"
) -> dict[int, dict[str, Fraction]]:
    """Return, for each computing device, the duration of its idle time by cause.

    The cause `device 1` means that it computes the input, `message of device 1` that the input is in transit. Other
    causes are the kind of an operation on another stream of the same device, `others`, and `the end` (no work is
    left). `name` returns the name of a device.
    """
    found: dict[int, dict[str, Fraction]] = {}
    for gap in list_gaps(schedule):
        own = found.setdefault(gap.lane.device, {})
        for cause, time in _split_gap_by_cause(schedule, gap, name):
            if time > 0:
                own[cause] = own.get(cause, Fraction(0)) + time
    return found


def _split_gap_by_cause(schedule: Schedule, gap: Gap, name: Callable[[int], str]) -> Iterator[tuple[str, Fraction]]:
    operations = schedule.operations
    whole = gap.end - gap.start
    if gap.then is None:
        yield "the end", whole
        return
    if gap.source is None:
        yield "others", whole  # devices that share an operation with it
        return
    source = operations[gap.source]
    sent = schedule.end(gap.source)
    if source.kind == MESSAGE:
        sent = schedule.start(gap.source)
        source = operations[source.needs[0].operation]
    device = source.lanes[0].device if source.lanes else gap.lane.device
    sent = min(max(sent, gap.start), gap.end)
    own = device == gap.lane.device
    yield source.kind if own else name(device), sent - gap.start
    yield "others" if own else f"message of {name(device)}", gap.end - sent


def critical_path(schedule: Schedule) -> tuple[int, ...]:
    """Return the indices of the operations on one longest chain, from the beginning to the makespan.

    If several operations determine a start, the chain stays on the lane if possible.
    """
    if not schedule.order:
        return ()
    before = _lane_predecessors(schedule)
    at = max(schedule.order, key=lambda index: (schedule.ends[index], -index))
    path = [at]
    while schedule.starts[at] > 0:
        source = _find_cause(schedule, at, before[at])
        if source is None:
            break
        path.append(source)
        at = source
    return tuple(reversed(path))


def critical_computing(schedule: Schedule) -> Fraction | None:
    """Return the compute time of the critical path, in time units.

    The rest communicates, updates weights, saves or restarts. Return None if the chain does not start at 0, because an
    operation has a fixed start.
    """
    operations = schedule.operations
    path = critical_path(schedule)
    if path and schedule.starts[path[0]]:
        return None
    return sum((operations[index].duration for index in path if is_computing_kind(operations[index].kind)), Fraction(0))


def _find_cause(schedule: Schedule, index: int, before: tuple[int, ...]) -> int | None:
    """Return the operation whose end, or the arrival of whose result, equals the start of operation `index`.

    Prefer an operation on the same lane. Return None if neither exists.
    """
    start = schedule.starts[index]
    for source in before:
        if schedule.ends[source] == start:
            return source
    for need in schedule.operations[index].needs:
        if schedule.ends[need.operation] + need.latency * schedule.scale == start:
            return need.operation
    return None


def _lane_predecessors(schedule: Schedule) -> dict[int, tuple[int, ...]]:
    last: dict[ScheduleLane, int] = {}
    found: dict[int, tuple[int, ...]] = {}
    for index in schedule.order:
        lanes = schedule.operations[index].lanes
        found[index] = tuple(last[lane] for lane in lanes if lane in last)
        last.update((lane, index) for lane in lanes)
    return found
