"""Steps with a synchronising update, and gradient accumulation with or without `no_sync`."""

from __future__ import annotations

from tikzgen.schedule.exact import Number, bearable, exact, exacts, whole
from tikzgen.schedule.operation import COMMUNICATION, Builder, Lane
from tikzgen.schedule.pipeline.costs import Times
from tikzgen.schedule.simulate import Schedule, simulate

__all__ = ["data_parallel"]


def data_parallel(
    workers: int,
    steps: int,
    *,
    micro_steps: int = 1,
    no_sync: bool = True,
    forward: Times = 1,
    backward: Times = 2,
    all_reduce: Number = 0,
    update: Number = 0,
) -> Schedule:
    """`steps` updates, each after `micro_steps` forwards and backwards of every worker; all wait for all.

    Gradients are reduced once a step with `no_sync`, else after every backward. `forward` and `backward` are one
    duration for all workers or one for each; an `all_reduce` or `update` of no duration leaves a barrier.
    """
    whole(steps, "steps")
    whole(micro_steps, "micro_steps")
    bearable(2 * steps * micro_steps * whole(workers, "workers"))
    compute = [Lane(worker) for worker in range(workers)]
    links = [Lane(worker, COMMUNICATION) for worker in range(workers)]
    f = exacts(forward, workers, "forward", one="worker")
    b = exacts(backward, workers, "backward", one="worker")
    reduce, apply = exact(all_reduce, "all_reduce"), exact(update, "update")
    builder = Builder()
    synced: list[int] = []
    for micro in range(steps * micro_steps):
        last = (micro + 1) % micro_steps == 0
        ends = []
        for worker, lane in enumerate(compute):
            begun = builder.add("forward", lane, f[worker], synced, name=f"worker {worker}: F{micro}", number=micro)
            ends.append(
                builder.add("backward", lane, b[worker], [begun], name=f"worker {worker}: B{micro}", number=micro)
            )
        if not (last or not no_sync):
            continue
        synced = []
        if reduce:
            synced = [builder.add("all-reduce", links, reduce, ends, name=f"all-reduce {micro}", number=micro)]
        if last and apply:
            step = micro // micro_steps
            synced = [builder.add("update", compute, apply, synced, name=f"update {step}", number=step)]
        if not synced:
            synced = [builder.barrier(compute, name=f"barrier {micro}", number=micro)]
    return simulate(builder.program())
