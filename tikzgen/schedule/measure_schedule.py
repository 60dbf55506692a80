"""Exact measures of schedules: makespan, busy time, bubbles, microbatches in flight, traffic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.intervals import Interval, Time, merge_intervals, sum_lengths, union
from tikzgen.base.record import Record, as_dict
from tikzgen.schedule.exact_numbers import Number, ScheduleError, check_integer, read_exact_number, spell_exact_number
from tikzgen.schedule.operation import COMPUTE, MOVES, UPDATES, ScheduledOperation, ScheduleLane, is_computing_kind
from tikzgen.schedule.simulate import Schedule
from tikzgen.schedule.tasks import TaskKind

# Formulas without a schedule: bytes of a ring and of a server, weight versions of a pipeline, delays.


class ServerTraffic(Record):
    """Traffic of one iteration in each direction, in the unit of the gradient's size."""

    worker: Fraction
    server: Fraction


def ring_bytes(ranks: int, size: Number) -> Fraction:
    """Return the bytes that each rank sends in a ring all-reduce of `size` bytes: 2(N-1)/N `size`."""
    return Fraction(2 * (check_integer(ranks, "ranks") - 1), ranks) * read_exact_number(size, "size")


def server_traffic(workers: int, size: Number, shards: int = 1) -> ServerTraffic:
    """Return the traffic of each worker and of each of `shards` equal servers for a gradient of `size`.

    It is the same for sending and receiving.
    """
    gradient = read_exact_number(size, "size")
    return ServerTraffic(gradient, check_integer(workers, "workers") * gradient / check_integer(shards, "shards"))


def server_load(workers: int, shards: int) -> dict[str, Fraction]:
    """Return the traffic of one round in each direction, in sizes of the gradient; `shards` 0 is one server."""
    whole_server = server_traffic(workers, 1)
    load = {"worker_traffic": whole_server.worker, "server_traffic": whole_server.server}
    return load | ({"shard_traffic": server_traffic(workers, 1, shards).server} if shards else {})


def weight_versions(stages: int, stage: int) -> int:
    """Return the number of weight versions of PipeDream's `stage` (from 0): n - i for stage i of n.

    Raise `ScheduleError` for an unknown stage.
    """
    if not 0 <= stage < check_integer(stages, "stages"):
        raise ScheduleError(f"stage {stage} does not exist: the stages are 0 to {stages - 1}")
    return stages - stage


def versions_kept(schedule: str, stages: int) -> tuple[int, ...]:
    """Return the number of weight versions per stage without flush; empty for schedules with flush."""
    if schedule == "pipedream":
        return tuple(weight_versions(stages, stage) for stage in range(stages))
    return (2,) * stages if schedule == "pipedream-2bw" else ()


def gradient_delay(stages: int, stage: int) -> int:
    """Return the age of the weights in the gradient of PipeDream's `stage` (from 0), in updates."""
    return weight_versions(stages, stage) - 1


# Activations of microbatches on each device of a pipeline over time.


class HeldCount(Record):
    """Activations on a device: `count` microbatches (of each chunk) from `start` to `end`."""

    start: Fraction
    end: Fraction
    count: Fraction | int


def count_held_activations(schedule: Schedule, kept: Fraction | int = 0) -> dict[int, tuple[HeldCount, ...]]:
    """Return, for each device, the microbatches whose activations it holds, from 0 to the makespan.

    A microbatch counts from the start of its forward to the end of its last gradient. If it is recomputed, it counts
    as `kept` until the recomputation. If it is offloaded, it does not count from the end of the offload to the reload.
    """
    operations = schedule.operations
    lives: dict[int, dict[tuple[int, int], dict[str, int]]] = {}
    for index in schedule.order:
        operation = operations[index]
        for task in operation.tasks:
            moments = lives.setdefault(operation.lanes[0].device, {}).setdefault((task.stage, task.microbatch), {})
            if operation.kind in _MOMENTS:
                moments[operation.kind] = index
            elif task.kind is TaskKind.FORWARD and operation.lanes[0].stream == COMPUTE:
                moments.setdefault("forward", index)
            elif task.kind in (TaskKind.BACKWARD, TaskKind.WEIGHT_GRAD):
                moments["freed"] = index
    found = {}
    for device, microbatches in sorted(lives.items()):
        changes: dict[Fraction, Fraction | int] = {Fraction(0): 0, schedule.makespan: 0}
        for moments in microbatches.values():
            for time, change in _list_activation_changes(schedule, moments, kept):
                changes[time] = changes.get(time, 0) + change
        levels, held = [], Fraction(0)
        for start, end in pairwise(sorted(changes)):
            held += Fraction(changes[start]) / schedule.program.slices
            levels.append(HeldCount(start, end, held))
        found[device] = _merge_equal_counts(levels)
    return found


_MOMENTS = ("recompute", "offload", "reload")


def _list_activation_changes(
    schedule: Schedule, moments: dict[str, int], kept: Fraction | int
) -> Iterator[tuple[Fraction, Fraction | int]]:
    """Yield the times and changes of the activations of one microbatch on a device."""
    if "forward" not in moments:
        return
    again = moments.get("recompute")
    yield schedule.start(moments["forward"]), 1 if again is None else kept
    if again is not None:
        yield schedule.start(again), 1 - kept
    if "offload" in moments:
        yield schedule.end(moments["offload"]), -1
    if "reload" in moments:
        yield schedule.start(moments["reload"]), 1
    if "freed" in moments:
        yield schedule.end(moments["freed"]), -1


def _merge_equal_counts(levels: list[HeldCount]) -> tuple[HeldCount, ...]:
    """Merge neighbors with equal counts."""
    merged: list[HeldCount] = []
    for level in levels:
        if merged and merged[-1].count == level.count:
            merged[-1] = HeldCount(merged[-1].start, level.end, level.count)
        else:
            merged.append(level)
    return tuple(merged)


class ScheduleMetrics(Record):
    """Exact measures of a schedule; tuples have one entry per computing device, in the order of devices.

    `bubble_over_total` is (T - busy)/T, `bubble_over_ideal` is (T - busy)/busy, both over all devices together. Busy
    is the time of computation, without messages, weight updates, saves and restarts. `span_idle` is the idle time of a
    device between the start of its first and the end of its last computation. `peak_in_flight` counts the microbatches
    (of each chunk) between the start of a forward and the end of its backward or weight gradient.
    """

    makespan: Fraction
    busy: tuple[Fraction, ...]
    bubble_over_total: Fraction
    bubble_over_ideal: Fraction
    span_idle: tuple[Fraction, ...]
    peak_in_flight: tuple[Fraction | int, ...]

    @property
    def idle(self) -> tuple[Fraction, ...]:
        """Time without computation per device, T - busy."""
        return tuple(self.makespan - each for each in self.busy)

    @property
    def worst_span_idle(self) -> Fraction:
        """Longest `span_idle` of any device: the bubble of the zero-bubble papers."""
        return max(self.span_idle, default=Fraction(0))

    def as_json(self) -> dict[str, object]:
        """Return the measures for a JSON file: integers, and strings such as `"3/11"`."""
        values = as_dict(self).items()
        return {
            name: [*map(spell_exact_number, each)] if isinstance(each, tuple) else spell_exact_number(each)
            for name, each in values
        }


def measure(schedule: Schedule) -> ScheduleMetrics:
    """Return the measures of the compute streams in `schedule`."""
    devices = _compute_operations(schedule)
    total = max(schedule.ends, default=0)
    busy = [sum(schedule.ends[i] - schedule.starts[i] for i in indices) for indices in devices.values()]
    spans = [
        max((schedule.ends[i] for i in indices), default=0) - min((schedule.starts[i] for i in indices), default=0)
        for indices in devices.values()
    ]
    shares, slices = bubble_shares(total, busy), schedule.program.slices
    peaks = [max(in_flight(schedule.operations[i] for i in each), default=0) for each in devices.values()]
    return ScheduleMetrics(
        makespan=schedule.makespan,
        busy=_convert_to_times(busy, schedule),
        bubble_over_total=shares[0],
        bubble_over_ideal=shares[1],
        span_idle=_convert_to_times((span - each for span, each in zip(spans, busy, strict=True)), schedule),
        peak_in_flight=tuple(peaks) if slices == 1 else tuple(Fraction(each, slices) for each in peaks),
    )


def bubble_shares(makespan: Fraction | int, busy: Collection[Fraction | int]) -> tuple[Fraction, Fraction]:
    """Return the shares of idle time in total time, (T - busy)/T, and in work, (T - busy)/busy.

    Both are over all devices together; 0 if the denominator is 0.
    """
    work = Fraction(sum(busy))
    idle = makespan * len(busy) - work
    return (idle / (idle + work) if idle + work else Fraction(0)), (idle / work if work else Fraction(0))


def in_flight(operations: Iterable[ScheduledOperation]) -> list[int]:
    """Return the number of microbatches (or slices) on one device during each of its operations, in order."""
    given = list(operations)
    freed = {
        (task.stage, task.microbatch): index
        for index, operation in enumerate(given)
        for task in operation.tasks
        if task.kind in (TaskKind.BACKWARD, TaskKind.WEIGHT_GRAD)
    }
    held: set[tuple[int, int]] = set()
    counts = []
    for index, operation in enumerate(given):
        held |= {(task.stage, task.microbatch) for task in operation.tasks if task.kind is TaskKind.FORWARD}
        counts.append(len(held))
        held -= {key for task in operation.tasks if freed.get(key := (task.stage, task.microbatch)) == index}
    return counts


def measure_communication_times(schedule: Schedule) -> tuple[Fraction, ...]:
    """Return the communication time per device, whether it overlaps with computation or not.

    A message between devices counts for the receiver, and also for the sender if the sender waits for it.
    """
    return _convert_to_times(
        (sum_lengths(merge_intervals(moves)) for _, moves in _find_compute_and_moves(schedule)), schedule
    )


def exposed_communication(schedule: Schedule) -> tuple[Fraction, ...]:
    """Return the communication time per device that does not overlap with its computation."""
    found = (
        sum_lengths(union([*own, *moves])) - sum_lengths(merge_intervals(own))
        for own, moves in _find_compute_and_moves(schedule)
    )
    return _convert_to_times(found, schedule)


def update_times(schedule: Schedule) -> tuple[Fraction, ...]:
    """Return the time of weight updates per device, by the device or by a server."""
    operations = schedule.operations
    found = (
        [i for i in indices if operations[i].kind in UPDATES] for indices in by_device(schedule, _on_compute).values()
    )
    return _convert_to_times(
        (sum_lengths(merge_intervals(_list_intervals(schedule, each))) for each in found), schedule
    )


def waiting_times(schedule: Schedule, until: Fraction | None = None) -> tuple[Fraction, ...]:
    """Return, for each computing device, its waiting time before `until` (default: its own last end)."""
    found = []
    for indices in by_device(schedule, _on_compute).values():
        own = max(schedule.ends[i] for i in indices)
        limit = Fraction(own, schedule.scale) if until is None else until
        parts = (min(schedule.end(i), limit) - min(schedule.start(i), limit) for i in indices)
        found.append(limit - sum(parts, Fraction(0)))
    return tuple(found)


def speed_up(before: Schedule, after: Schedule) -> Fraction:
    """Return the speedup of `after` over `before`, as the ratio of their makespans."""
    return before.makespan / after.makespan


def _compute_operations(schedule: Schedule) -> dict[int, list[int]]:
    """Return the operations of each device that compute on its compute stream."""
    operations = schedule.operations
    return {
        device: [i for i in indices if is_computing_kind(operations[i].kind)]
        for device, indices in by_device(schedule, _on_compute).items()
    }


def _find_compute_and_moves(schedule: Schedule) -> list[tuple[list[Interval], list[Interval]]]:
    """Return the intervals of computation and of data movement per device, on any stream or by message."""
    computing, messages = _compute_operations(schedule), _find_message_intervals(schedule)
    moving = by_device(schedule, lambda operation, lane: lane.device >= 0 and operation.kind in MOVES)
    return [
        (
            _list_intervals(schedule, computing.get(device, [])),
            sorted([*_list_intervals(schedule, moving.get(device, [])), *messages.get(device, ())]),
        )
        for device in sorted(computing.keys() | moving.keys())
    ]


def _find_message_intervals(schedule: Schedule) -> dict[int, set[Interval]]:
    """Return the intervals of messages per receiving device, and per sending device if it waits for them."""
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


def _on_compute(operation: ScheduledOperation, lane: ScheduleLane) -> bool:
    return lane.stream == COMPUTE


def by_device(schedule: Schedule, keep: Callable[[ScheduledOperation, ScheduleLane], bool]) -> dict[int, list[int]]:
    """Return the selected operations of each device, in the order in which they run."""
    found: dict[int, list[int]] = {}
    for index in schedule.order:
        operation = schedule.operations[index]
        for lane in operation.lanes:
            if keep(operation, lane):
                found.setdefault(lane.device, []).append(index)
    return dict(sorted(found.items()))


def _list_intervals(schedule: Schedule, indices: Sequence[int]) -> list[Interval]:
    return sorted((schedule.starts[i], schedule.ends[i]) for i in indices)


def _convert_to_times(units: Iterable[Time], schedule: Schedule) -> tuple[Fraction, ...]:
    return tuple(Fraction(each, schedule.scale) for each in units)
