"""What follows from a rule alone: all-reduce and parameter-server traffic, PipeDream's weight versions."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from tikzgen.schedule.exact import Number, exact, whole
from tikzgen.schedule.schedule_error import ScheduleError

__all__ = ["ServerTraffic", "gradient_delay", "ring_bytes", "server_traffic", "weight_versions"]


class ServerTraffic(NamedTuple):
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


def weight_versions(stages: int, stage: int) -> int:
    """How many weight versions PipeDream's `stage` (from 0) keeps: n - i for stage i of n."""
    if not 0 <= stage < whole(stages, "stages"):
        raise ScheduleError(f"stage {stage} does not exist: the stages are 0 to {stages - 1}")
    return stages - stage


def gradient_delay(stages: int, stage: int) -> int:
    """How many updates old the weights are that PipeDream's `stage` (from 0) computes its gradient with."""
    return weight_versions(stages, stage) - 1
