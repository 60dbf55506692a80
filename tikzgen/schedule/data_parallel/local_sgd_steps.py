"""Local SGD: every worker takes H steps alone, then all average their weights."""

from __future__ import annotations

from tikzgen.schedule.exact import Number, bearable, exact, exacts, whole
from tikzgen.schedule.operation import Builder, Lane
from tikzgen.schedule.pipeline.costs import Times
from tikzgen.schedule.simulate import Schedule, simulate

__all__ = ["local_sgd", "rounds"]


def rounds(steps: int, local_steps: int) -> int:
    """How often weights are averaged: once every `local_steps` steps, and after the last."""
    return -(-whole(steps, "steps") // whole(local_steps, "local_steps"))


def local_sgd(workers: int, steps: int, local_steps: int, *, step: Times = 1, average: Number = 1) -> Schedule:
    """`steps` steps of every worker (one duration, or one for each), averaged after every `local_steps`."""
    bearable(whole(workers, "workers") * whole(steps, "steps"))
    lanes = [Lane(worker) for worker in range(workers)]
    times = exacts(step, workers, "step", one="worker")
    mean = exact(average, "average")
    builder = Builder()
    for turn in range(rounds(steps, local_steps)):
        first = turn * local_steps
        for number in range(first, min(first + local_steps, steps)):
            for worker, lane in enumerate(lanes):
                builder.add("step", lane, times[worker], name=f"worker {worker}: step {number}", number=number)
        builder.add("average", lanes, mean, name=f"average {turn}", number=turn)
    return simulate(builder.program())
