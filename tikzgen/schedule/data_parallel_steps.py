"""Data-parallel training: steps, gradient accumulation, DDP, FSDP, ring all-reduce, local SGD."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.schedule.exact_numbers import (
    Number,
    ScheduleError,
    check_integer,
    check_operation_count,
    read_exact_number,
    read_numbers_per_item,
)
from tikzgen.schedule.operation import COMMUNICATION, Builder, OperationNeed, Program, ScheduledOperation, ScheduleLane
from tikzgen.schedule.pipeline.pipeline_costs import Times
from tikzgen.schedule.simulate import Schedule, simulate


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
    """Simulate `steps` updates, each after `micro_steps` forwards and backwards of every worker.

    All workers wait for each other. With `no_sync`, gradients are reduced once per step, else after every backward.
    `forward` and `backward` are one duration for all workers, or one for each. An `all_reduce` or `update` without
    duration leaves a barrier.
    """
    check_integer(steps, "steps")
    check_integer(micro_steps, "micro_steps")
    check_operation_count(2 * steps * micro_steps * check_integer(workers, "workers"))
    compute = [ScheduleLane(worker) for worker in range(workers)]
    links = [ScheduleLane(worker, COMMUNICATION) for worker in range(workers)]
    f = read_numbers_per_item(forward, workers, "forward", one="worker")
    b = read_numbers_per_item(backward, workers, "backward", one="worker")
    reduce, apply = read_exact_number(all_reduce, "all_reduce"), read_exact_number(update, "update")
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


def ddp(
    workers: int,
    *,
    buckets: Sequence[Number],
    all_reduce: Times,
    forward: Times = 0,
    update: Number = 0,
    overlap: bool = True,
) -> Schedule:
    """Simulate one step with a forward, and one backward part and one all-reduce per bucket.

    The all-reduce of a bucket starts when all workers have the bucket and the previous all-reduce has ended. Without
    `overlap`, it also waits for the whole backward. `all_reduce` is one duration or one per bucket, `forward` one for
    all workers or one per worker. An `update` waits for all buckets.
    """
    count = len(buckets)
    check_integer(count, "number of buckets")
    check_operation_count(check_integer(workers, "workers") * count)
    compute = [ScheduleLane(worker) for worker in range(workers)]
    links = [ScheduleLane(worker, COMMUNICATION) for worker in range(workers)]
    f = read_numbers_per_item(forward, workers, "forward", one="worker")
    b = read_numbers_per_item(buckets, count, "buckets", one="bucket")
    a = read_numbers_per_item(all_reduce, count, "all_reduce", one="bucket")
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
    if read_exact_number(update, "update"):
        builder.add("update", compute, read_exact_number(update, "update"), reduced, name="update")
    return simulate(builder.program())


def fsdp(
    workers: int,
    layers: int,
    *,
    gather: Times = 1,
    forward: Times = 2,
    backward: Times | None = None,
    reduce_scatter: Times = 0,
    prefetch: int = 1,
    reshard_last: bool = False,
) -> Schedule:
    """Simulate the forward through `layers` layers and, if `backward` is given, the backward with reduce-scatters.

    All durations are per layer. `prefetch` is the number of layers that may be gathered before the current computation
    has ended. With 0, a gather waits for the previous layer, so that nothing overlaps. The parameters of a layer are
    freed after its forward, and gathered again for its backward. The last layer is needed again immediately and keeps
    its parameters, unless `reshard_last` (as in PyTorch's torchtitan).
    """
    check_operation_count(2 * check_integer(workers, "workers") * check_integer(layers, "layers"))
    compute = [ScheduleLane(worker) for worker in range(workers)]
    links = [ScheduleLane(worker, COMMUNICATION) for worker in range(workers)]
    check_integer(prefetch, "prefetch", 0)
    g = read_numbers_per_item(gather, layers, "gather", one="layer")
    r = read_numbers_per_item(reduce_scatter, layers, "reduce_scatter", one="layer")
    visits = [
        ("forward", layer, time)
        for layer, time in enumerate(read_numbers_per_item(forward, layers, "forward", one="layer"))
    ]
    if backward is not None:
        back = read_numbers_per_item(backward, layers, "backward", one="layer")
        visits += [("backward", layer, back[layer]) for layer in reversed(range(layers))]
    builder = Builder()
    computed: list[list[int]] = []
    gathered: list[int] = []

    def fetch(visit: int) -> None:
        kind, layer, _ = visits[visit]
        if kind == "backward" and layer == layers - 1 and not reshard_last:
            gathered.append(gathered[layer])
            return
        before = visit - 1 - prefetch
        if kind == "backward":
            before = max(before, layer)  # a layer is not gathered again before its forward has ended
        if before < len(computed):
            needs = computed[before] if before >= 0 else []
            gathered.append(
                builder.add("all-gather", links, g[layer], needs, name=f"gather {layer} ({kind})", number=layer)
            )

    for visit, (kind, layer, time) in enumerate(visits):
        for ahead in range(len(gathered), min(visit + prefetch + 1, len(visits))):
            if ahead == len(gathered):
                fetch(ahead)
        computed.append(
            [
                builder.add(kind, lane, time, [gathered[visit]], name=f"worker {w}: {kind} {layer}", number=layer)
                for w, lane in enumerate(compute)
            ]
        )
        if kind == "backward" and r[layer]:
            builder.add("reduce-scatter", links, r[layer], computed[-1], name=f"reduce-scatter {layer}", number=layer)
    return simulate(builder.program())


def ring_all_reduce(ranks: int, *, size: Number = 1, bandwidth: Number = 1, latency: Number = 0) -> Schedule:
    """Simulate a ring: N-1 steps of reduce-scatter, then N-1 steps of all-gather.

    A step lasts `latency` + `size`/(N `bandwidth`). In step j, rank r sends chunk (r - j) mod N, the operation's
    number. After the first step, the previous rank has sent that chunk in the step before. Raise `ScheduleError` for a
    bandwidth of zero.
    """
    check_operation_count(2 * check_integer(ranks, "ranks") ** 2)
    speed = read_exact_number(bandwidth, "bandwidth")
    if not speed:
        raise ScheduleError("bandwidth: nothing arrives at a bandwidth of 0")
    time = read_exact_number(latency, "latency") + read_exact_number(size, "size") / (ranks * speed)
    operations = []
    for step in range(2 * (ranks - 1)):
        for rank in range(ranks):
            received = (OperationNeed((step - 1) * ranks + (rank - 1) % ranks),) if step else ()
            chunk = (rank - step) % ranks
            kind = "reduce-scatter" if step < ranks - 1 else "all-gather"
            lanes = (ScheduleLane(rank, COMMUNICATION),)
            operations.append(ScheduledOperation(f"rank {rank}: chunk {chunk}", kind, lanes, time, received, chunk))
    return simulate(Program(tuple(operations)))


def count_averaging_rounds(steps: int, local_steps: int) -> int:
    """Return how often weights are averaged: after every `local_steps` steps, and after the last step."""
    return -(-check_integer(steps, "steps") // check_integer(local_steps, "local_steps"))


def local_sgd(workers: int, steps: int, local_steps: int, *, step: Times = 1, average: Number = 1) -> Schedule:
    """Simulate `steps` steps of every worker (one duration, or one per worker), averaged after `local_steps`."""
    check_operation_count(check_integer(workers, "workers") * check_integer(steps, "steps"))
    lanes = [ScheduleLane(worker) for worker in range(workers)]
    times = read_numbers_per_item(step, workers, "step", one="worker")
    mean = read_exact_number(average, "average")
    builder = Builder()
    for turn in range(count_averaging_rounds(steps, local_steps)):
        first = turn * local_steps
        for number in range(first, min(first + local_steps, steps)):
            for worker, lane in enumerate(lanes):
                builder.add("step", lane, times[worker], name=f"worker {worker}: step {number}", number=number)
        builder.add("average", lanes, mean, name=f"average {turn}", number=turn)
    return simulate(builder.program())
