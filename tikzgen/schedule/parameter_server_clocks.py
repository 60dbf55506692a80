"""Workers and a parameter server with synchronous, stale-synchronous or asynchronous clocks.

They are abbreviated BSP, SSP and ASP. `parameter_server` simulates them. `make_synchronous_rounds` and
`make_asynchronous_rounds` compute the same times directly, as blocks. `make_asynchronous_rounds` also supports shared
updates: the workers of an update depend on earlier updates, but a program for the simulator is fixed before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from tikzgen.base.record import Record, replace
from tikzgen.schedule.exact_numbers import (
    Number,
    ScheduleError,
    check_integer,
    check_operation_count,
    read_exact_number,
    read_numbers_per_item,
)
from tikzgen.schedule.measure_schedule import waiting_times
from tikzgen.schedule.operation import NOTHING, OperationNeed, Program, ScheduledOperation, ScheduleLane
from tikzgen.schedule.pipeline.pipeline_costs import Times
from tikzgen.schedule.simulate import Schedule, simulate


def cut_schedule(schedule: Schedule, until: Fraction) -> Schedule:
    """Return `schedule` without operations that take time and begin at `until` or later; running ones end."""
    limit = until * schedule.scale
    kept = [
        index
        for index, (start, end) in enumerate(zip(schedule.starts, schedule.ends, strict=True))
        if start < limit or end <= limit
    ]
    place = {index: new for new, index in enumerate(kept)}
    operations = schedule.operations
    program = Program(
        tuple(
            replace(
                operations[index],
                needs=tuple(OperationNeed(place[need.operation], need.latency) for need in operations[index].needs),
            )
            for index in kept
        )
    )
    return Schedule(
        program,
        schedule.scale,
        tuple(schedule.starts[index] for index in kept),
        tuple(schedule.ends[index] for index in kept),
        tuple(place[index] for index in schedule.order if index in place),
        tuple(place[index] for index in schedule.forced if index in place),
    )


SERVER = ScheduleLane(-1, "server", queue=True)
"""Lane of the server, which applies updates in the order of their arrival."""


class Update(Record):
    """Weight update of `worker` (None for all together), at its `clock` from 0, as operation `index`.

    `staleness` counts the updates that the server applied between the pull for this update and the update.
    """

    index: int
    worker: int | None
    clock: int
    staleness: int


class ServerRun(Record):
    """Simulated parameter server; tuples have one entry per worker."""

    schedule: Schedule
    clocks: tuple[int, ...]
    blocked: tuple[Fraction, ...]
    updates: tuple[Update, ...]


class _Trip(Record):
    """Durations of a worker's clock: fetch, compute (by clock, repeating) and push."""

    fetch: Fraction
    compute: tuple[Fraction, ...]
    push: Fraction

    def list_parts(self, clock: int) -> list[tuple[str, Fraction]]:
        compute = self.compute[clock % len(self.compute)]
        ends = (("fetch", self.fetch), ("compute", compute), ("push", self.push))
        return [(kind, time) for kind, time in ends if time or kind == "compute"]

    def compute_least_time(self) -> Fraction:
        return self.fetch + min(self.compute) + self.push


def parameter_server(
    compute: Sequence[Times],
    *,
    bound: int | None = None,
    joint: bool = False,
    fetch: Times = 0,
    push: Times = 0,
    update: Number = 0,
    clocks: int | None = None,
    until: Number | None = None,
) -> ServerRun:
    """Simulate workers for a number of `clocks` each, or `until` a time.

    `compute` has an entry per worker: a duration, or durations by clock that repeat (an occasional straggler). `fetch`
    and `push` are one duration for all workers or one per worker; `update` is the duration of one update on the
    server. A worker may start clock k if k - min(clock) <= `bound`: 0 is bulk-synchronous, None asynchronous. A worker
    waits for its own update. With `joint`, all wait for one update that sums their gradients (the bound is then 0).

    Raise `ScheduleError` for both or neither of `clocks` and `until`, for `joint` with a bound, or for a clock without
    duration.
    """
    count = len(compute)
    check_integer(count, "number of workers")
    if bound is not None:
        check_integer(bound, "bound", 0)
    if joint and bound:
        raise ScheduleError(f"joint updates keep all workers at one clock: a bound of {bound} has no effect")
    f, p = (
        read_numbers_per_item(fetch, count, "fetch", one="worker"),
        read_numbers_per_item(push, count, "push", one="worker"),
    )
    trips = []
    for worker, time in enumerate(compute):
        length = len(time) if isinstance(time, Sequence) and not isinstance(time, str) else 1
        check_integer(length, f"number of compute[{worker}]")
        trips.append(
            _Trip(f[worker], read_numbers_per_item(time, length, f"compute[{worker}]", one="clock"), p[worker])
        )
    cost = read_exact_number(update, "update")
    if (clocks is None) == (until is None):
        raise ScheduleError("say either clocks or until", hint="clocks: 4, or until: 24")
    limit = None if until is None else read_exact_number(until, "until")
    limits = _count_clocks(trips, cost, clocks, limit)
    check_operation_count(sum(limits) * 4)
    program = (
        _build_joint_clocks(trips, cost, min(limits))
        if joint
        else _program_with_own_updates(trips, cost, limits, bound)
    )
    schedule = simulate(program)
    if limit is not None:
        schedule = cut_schedule(schedule, limit)
    updates = _list_updates(schedule)
    done = [0] * count
    for each in updates:
        if limit is None or schedule.end(each.index) <= limit:
            for worker in range(count) if each.worker is None else (each.worker,):
                done[worker] += 1
    return ServerRun(schedule, tuple(done), waiting_times(schedule, limit), updates)


def _count_clocks(trips: Sequence[_Trip], update: Fraction, clocks: int | None, until: Fraction | None) -> list[int]:
    """Return the number of clocks to simulate per worker: enough to reach `until`."""
    if clocks is not None:
        return [check_integer(clocks, "clocks")] * len(trips)
    assert until is not None
    if any(not trip.compute_least_time() + update for trip in trips):
        raise ScheduleError("a clock of duration 0 never reaches the end", hint="set clocks instead of until")
    return [int(until // (trip.compute_least_time() + update)) + 1 for trip in trips]


def _build_joint_clocks(trips: Sequence[_Trip], update: Fraction, clocks: int) -> Program:
    """Build clocks that end with one update, in which all workers and the server take part."""
    operations: list[ScheduledOperation] = []
    for clock in range(clocks):
        for worker, trip in enumerate(trips):
            operations += [_make_trip_operation(worker, clock, kind, time) for kind, time in trip.list_parts(clock)]
        lanes = (*(ScheduleLane(worker) for worker in range(len(trips))), SERVER)
        operations.append(ScheduledOperation(f"update {clock}", "update", lanes, update, (), clock))
    return Program(tuple(operations))


def _program_with_own_updates(
    trips: Sequence[_Trip], update: Fraction, limits: Sequence[int], bound: int | None
) -> Program:
    """Build clocks that end with the worker's own update; simultaneous pushes are ordered by worker."""
    # With a bound, mark k is the time at which every worker has finished clock k. Marks follow all other operations.
    marks = 0 if bound is None else min(limits)
    reach = [limit if bound is None else min(limit, marks + bound + 1) for limit in limits]
    total = sum(
        len(trip.list_parts(clock)) + 1 for trip, limit in zip(trips, reach, strict=True) for clock in range(limit)
    )
    operations: list[ScheduledOperation] = []
    ends: list[list[OperationNeed]] = [[] for _ in range(marks)]
    for worker, trip in enumerate(trips):
        for clock in range(reach[worker]):
            needs = (OperationNeed(total + clock - bound - 1),) if bound is not None and clock > bound else ()
            for kind, time in trip.list_parts(clock):
                operations.append(_make_trip_operation(worker, clock, kind, time, needs))
                needs = ()
            name = f"worker {worker}: update {clock}"
            operations.append(ScheduledOperation(name, "update", (ScheduleLane(worker), SERVER), update, (), clock))
            if clock < marks:
                ends[clock].append(OperationNeed(len(operations) - 1))
    operations += [
        ScheduledOperation(f"clock {clock}", "clock", (), NOTHING, tuple(each), clock)
        for clock, each in enumerate(ends)
    ]
    return Program(tuple(operations))


def _make_trip_operation(
    worker: int, clock: int, kind: str, time: Fraction, needs: tuple[OperationNeed, ...] = ()
) -> ScheduledOperation:
    return ScheduledOperation(f"worker {worker}: {kind} {clock}", kind, (ScheduleLane(worker),), time, needs, clock)


def _list_updates(schedule: Schedule) -> tuple[Update, ...]:
    """Return the updates in the order in which the server applied them."""
    taken = {index: place for place, index in enumerate(schedule.order)}
    pulled: set[tuple[int, int]] = set()
    events: list[tuple[int, int, bool, int]] = []  # time, order of simulation, is an update, operation
    for index, operation in enumerate(schedule.operations):
        if operation.kind == "update":
            events.append((schedule.ends[index], taken[index], True, index))
        elif operation.lanes and (operation.lanes[0].device, operation.number) not in pulled:
            pulled.add((operation.lanes[0].device, operation.number))
            events.append((schedule.starts[index], taken[index], False, index))
    applied = 0
    seen: dict[int, int] = {}
    updates = []
    for _, _, is_update, index in sorted(events):
        operation = schedule.operations[index]
        workers = [lane.device for lane in operation.lanes if lane != SERVER]
        if is_update:
            alone = workers[0] if len(workers) == 1 else None
            updates.append(Update(index, alone, operation.number, applied - seen[workers[0]]))
            applied += 1
        else:
            seen[workers[0]] = applied
    return tuple(updates)


class Round(Record):
    """Durations of a round besides computation, in time units."""

    fetch: Fraction
    push: Fraction
    update: Fraction


class WorkerBlock(Record):
    """Block of some workers (adjacent indices), with its phase, start and duration.

    An update of workers on lanes that are not adjacent consists of several blocks at the same time.
    """

    workers: tuple[int, ...]
    phase: str
    start: Fraction
    duration: Fraction


def _make_round_blocks(worker: int, start: Fraction, compute: Fraction, cost: Round) -> list[WorkerBlock]:
    """Return fetch, compute and push of one worker, back to back."""
    middle = start + cost.fetch
    return [
        WorkerBlock((worker,), "fetch", start, cost.fetch),
        WorkerBlock((worker,), "compute", middle, compute),
        WorkerBlock((worker,), "push", middle + compute, cost.push),
    ]


def make_synchronous_rounds(
    compute: Sequence[Fraction], cost: Round, rounds: int, order: Sequence[int]
) -> Iterator[WorkerBlock]:
    """Yield the blocks of bulk-synchronous rounds: all workers push, the server updates, all wait for it."""
    now = Fraction(0)
    for _ in range(rounds):
        for worker in order:
            yield from _make_round_blocks(worker, now, compute[worker], cost)
        last = now + cost.fetch + max(compute) + cost.push
        yield WorkerBlock(tuple(order), "server-update", last, cost.update)
        now = last + cost.update


def make_asynchronous_rounds(
    compute: Sequence[Fraction], cost: Round, rounds: int, order: Sequence[int], *, shared: bool
) -> Iterator[WorkerBlock]:
    """Yield the blocks of asynchronous rounds: the server applies gradients in the order of arrival.

    Each push is one update; with `shared`, simultaneous pushes form one. A worker continues after its own update. Of
    simultaneous pushes, the push of the worker with the lowest index is first.
    """
    place = {worker: index for index, worker in enumerate(order)}
    arrivals: list[tuple[Fraction, int]] = []
    left = dict.fromkeys(order, rounds)

    def begin(worker: int, start: Fraction) -> Iterator[WorkerBlock]:
        yield from _make_round_blocks(worker, start, compute[worker], cost)
        left[worker] -= 1
        heappush(arrivals, (start + cost.fetch + compute[worker] + cost.push, worker))

    for worker in order:
        yield from begin(worker, Fraction(0))
    free = Fraction(0)
    while arrivals:
        when, worker = heappop(arrivals)
        together = [worker]
        while shared and arrivals and arrivals[0][0] == when:
            together.append(heappop(arrivals)[1])
        start = max(when, free)
        free = start + cost.update
        for run in _split_into_runs(sorted(place[worker] for worker in together)):
            yield WorkerBlock(tuple(order[index] for index in run), "server-update", start, cost.update)
        for worker in sorted(together, key=place.__getitem__):
            if left[worker]:
                yield from begin(worker, free)


def _split_into_runs(places: Sequence[int]) -> list[list[int]]:
    """Split positions into runs of adjacent ones."""
    runs: list[list[int]] = []
    for each in places:
        if runs and runs[-1][-1] == each - 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    return runs
