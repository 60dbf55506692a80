"""DistributedDataParallel: each bucket's gradients are reduced while the backward of the next is computed."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.schedule.exact import Number, bearable, exact, exacts, whole
from tikzgen.schedule.operation import COMMUNICATION, Builder, Lane
from tikzgen.schedule.pipeline.costs import Times
from tikzgen.schedule.simulate import Schedule, simulate

__all__ = ["ddp"]


def ddp(
    workers: int,
    *,
    buckets: Sequence[Number],
    all_reduce: Times,
    forward: Times = 0,
    update: Number = 0,
    overlap: bool = True,
) -> Schedule:
    """One step: a forward, a backward of one part for each of `buckets`, and an all-reduce for each.

    A bucket is reduced once it is ready on all workers and the one before is reduced; without `overlap`, after the
    whole backward. `all_reduce` is one duration or one for each bucket, `forward` one for all workers or one for
    each; an `update` waits for all buckets.
    """
    count = len(buckets)
    whole(count, "number of buckets")
    bearable(whole(workers, "workers") * count)
    compute = [Lane(worker) for worker in range(workers)]
    links = [Lane(worker, COMMUNICATION) for worker in range(workers)]
    f = exacts(forward, workers, "forward", one="worker")
    b = exacts(buckets, count, "buckets", one="bucket")
    a = exacts(all_reduce, count, "all_reduce", one="bucket")
    builder = Builder()
    for worker, lane in enumerate(compute):
        builder.add("forward", lane, f[worker], name=f"worker {worker}: forward")
    ready = [
        [
            builder.add("backward", lane, b[bucket], name=f"worker {worker}: backward {bucket}", number=bucket)
            for worker, lane in enumerate(compute)
        ]
        for bucket in range(count)
    ]
    reduced = [
        builder.add(
            "all-reduce", links, a[bucket], ready[bucket if overlap else -1], name=f"all-reduce {bucket}", number=bucket
        )
        for bucket in range(count)
    ]
    if exact(update, "update"):
        builder.add("update", compute, exact(update, "update"), reduced, name="update")
    return simulate(builder.program())
