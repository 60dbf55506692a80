"""Reinforcement learning with generators, a buffer and a trainer: idle time and staleness of weights.

Rollout r (from 0, by start) may begin when `r // B <= version + bound`. B rollouts form a training step; the version
counts the updates that generators have (AReaL, arXiv 2505.24298, section 5.1). Bound 0 is synchronous and bound 1 one
step off; without a bound (None), the run is fully asynchronous. A rollout keeps the weights with which it began, the
newest at that time. AReaL can also interrupt it and continue with new weights. In Laminar (arXiv 2510.12633) relays
distribute weights, and the trainer does not wait for that: a `sync` of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import check_operation_count
from tikzgen.schedule.operation import ScheduledOperation, ScheduleLane
from tikzgen.schedule.simulate import Schedule, schedule_at

TRAINER = ScheduleLane(-1, "trainer")


class Learnt(Record):
    """Schedule of rollouts and training steps, whose numbers are weight versions.

    `staleness` has one entry per step: the difference between its version and the oldest version of its rollouts.
    """

    schedule: Schedule
    staleness: tuple[int, ...]
    trainer_idle: Fraction


def simulate_rollouts(
    lengths: Sequence[Fraction],
    *,
    generators: int,
    batch: int,
    steps: int,
    train: Fraction,
    sync: Fraction,
    bound: int | None,
) -> Learnt:
    """Simulate `steps` training steps; rollout r takes the r-th of `lengths`, which repeat.

    The lowest free generator takes the next rollout. The trainer takes the `batch` rollouts that ended first, then
    sends its weights for `sync`. The next version is available when the transfer has ended.
    """
    check_operation_count(2 * steps * batch)
    placed: list[tuple[Fraction, ScheduledOperation]] = []
    staleness: list[int] = []
    began: list[int] = []  # version at the start of each rollout
    free = list(range(generators))
    buffer: list[int] = []
    events: list[tuple[Fraction, int, int]] = [(Fraction(0), -1, -1)]  # time, rollout and generator (-1: the trainer)
    version = 0
    trainer_free, idle, since = True, Fraction(0), Fraction(0)
    while events:
        now = events[0][0]
        while events and events[0][0] == now:
            _, rollout, generator = heappop(events)
            if rollout >= 0:
                buffer.append(rollout)
                free.append(generator)
            elif now:
                version, trainer_free, since = version + 1, True, now
        if trainer_free and len(buffer) >= batch and version < steps:
            taken, buffer = buffer[:batch], buffer[batch:]
            idle += now - since
            staleness.append(version - min(began[rollout] for rollout in taken))
            placed.append((now, ScheduledOperation(f"step {version}", "train", (TRAINER,), train, number=version)))
            if sync:
                name = f"weights {version + 1}"
                placed.append((now + train, ScheduledOperation(name, "sync", (TRAINER,), sync, number=version + 1)))
            trainer_free = False
            heappush(events, (now + train + sync, -1, -1))
        free.sort()
        while free and len(began) < steps * batch and (bound is None or len(began) // batch <= version + bound):
            number, generator = len(began), free.pop(0)
            began.append(version)
            time = lengths[number % len(lengths)]
            operation = ScheduledOperation(
                f"rollout {number}", "rollout", (ScheduleLane(generator),), time, number=version
            )
            placed.append((now, operation))
            heappush(events, (now + time, number, generator))
    return Learnt(schedule_at(placed), tuple(staleness), idle)
