"""Formulas of no one schedule: bytes of a ring and of a server, versions of weights that a pipeline keeps, delays."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import Number, ScheduleError, exact, whole


class ServerTraffic(Record):
    """What goes each way in one iteration, in the unit of the gradient's size."""

    worker: Fraction
    server: Fraction


def ring_bytes(ranks: int, size: Number) -> Fraction:
    """What each rank sends in a ring all-reduce of `size` bytes: 2(N-1)/N times as much."""
    return Fraction(2 * (whole(ranks, "ranks") - 1), ranks) * exact(size, "size")


def server_traffic(workers: int, size: Number, shards: int = 1) -> ServerTraffic:
    """What each worker and each of `shards` equal servers sends (and receives) for a gradient of `size`."""
    gradient = exact(size, "size")
    return ServerTraffic(gradient, whole(workers, "workers") * gradient / whole(shards, "shards"))


def server_load(workers: int, shards: int) -> dict[str, Fraction]:
    """What goes each way in one round, in sizes of the gradient; a server may hold its parameters in shards."""
    whole_server = server_traffic(workers, 1)
    load = {"worker_traffic": whole_server.worker, "server_traffic": whole_server.server}
    return load | ({"shard_traffic": server_traffic(workers, 1, shards).server} if shards else {})


def weight_versions(stages: int, stage: int) -> int:
    """How many weight versions PipeDream's `stage` (from 0) keeps: n - i for stage i of n."""
    if not 0 <= stage < whole(stages, "stages"):
        raise ScheduleError(f"stage {stage} does not exist: the stages are 0 to {stages - 1}")
    return stages - stage


def versions_kept(schedule: str, stages: int) -> tuple[int, ...]:
    """How many versions of its weights each stage keeps in a schedule without flush; none for other schedules."""
    if schedule == "pipedream":
        return tuple(weight_versions(stages, stage) for stage in range(stages))
    return (2,) * stages if schedule == "pipedream-2bw" else ()


def gradient_delay(stages: int, stage: int) -> int:
    """How many updates old the weights are that PipeDream's `stage` (from 0) computes its gradient with."""
    return weight_versions(stages, stage) - 1
