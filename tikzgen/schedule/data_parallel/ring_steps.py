"""Ring all-reduce: in 2(N-1) steps every rank sends one of N chunks to the next rank."""

from __future__ import annotations

from tikzgen.schedule.exact import Number, bearable, exact, whole
from tikzgen.schedule.operation import COMMUNICATION, Lane, Need, Operation, Program
from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.simulate import Schedule, simulate

__all__ = ["ring_all_reduce"]


def ring_all_reduce(ranks: int, *, size: Number = 1, bandwidth: Number = 1, latency: Number = 0) -> Schedule:
    """N-1 steps of reduce-scatter, N-1 of all-gather, each `latency` + `size`/(N `bandwidth`) long.

    In step j rank r sends chunk (r - j) mod N, the operation's number; from the second step on it is what the rank
    before has sent it.

    Raises:
        ScheduleError: a bandwidth of zero.
    """
    bearable(2 * whole(ranks, "ranks") ** 2)
    speed = exact(bandwidth, "bandwidth")
    if not speed:
        raise ScheduleError("bandwidth: nothing arrives at a bandwidth of 0")
    time = exact(latency, "latency") + exact(size, "size") / (ranks * speed)
    operations = []
    for step in range(2 * (ranks - 1)):
        for rank in range(ranks):
            received = (Need((step - 1) * ranks + (rank - 1) % ranks),) if step else ()
            chunk = (rank - step) % ranks
            kind = "reduce-scatter" if step < ranks - 1 else "all-gather"
            lanes = (Lane(rank, COMMUNICATION),)
            operations.append(Operation(f"rank {rank}: chunk {chunk}", kind, lanes, time, received, chunk))
    return simulate(Program(tuple(operations)))
