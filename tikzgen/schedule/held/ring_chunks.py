"""Chunks on each rank after each step of a ring: reduce-scatter, all-gather, or both (an all-reduce).

Step s of the reduce-scatter, from 0: rank r sends chunk (r - s) mod N to rank r + 1; of the all-gather: chunk
(r + 1 - s) mod N. Source: Patarasuk and Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations"
(2009).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from tikzgen.base.record import Record

RingPhase: TypeAlias = Literal["reduce-scatter", "all-gather", "both"]


class RingSend(Record):
    """Chunk that a rank sends to the next one; `sum` is false if it replaces the chunk of the receiver."""

    source: int
    target: int
    chunk: int
    sum: bool


class RingState(Record):
    """Chunks after a step: `addends[rank][chunk]` are the ranks whose addends it has; `sends` is the next step."""

    addends: tuple[tuple[frozenset[int], ...], ...]
    sends: tuple[RingSend, ...]

    def find_reduced(self) -> list[tuple[int, int]]:
        """Return each rank and chunk with the addends of all ranks."""
        ranks = range(len(self.addends))
        return [(rank, chunk) for rank in ranks for chunk in ranks if len(self.addends[rank][chunk]) == len(ranks)]


def list_ring_states(ranks: int, phase: RingPhase) -> list[RingState]:
    """Return the state at the start and after each step.

    An all-gather alone starts with the result of a reduce-scatter: rank r has all of chunk (r + 1) mod N.
    """
    whole = frozenset(range(ranks))
    if phase == "all-gather":
        held = [
            [whole if chunk == (rank + 1) % ranks else frozenset() for chunk in range(ranks)] for rank in range(ranks)
        ]
    else:
        held = [[frozenset({rank})] * ranks for rank in range(ranks)]
    offsets = [(0, True)] * (phase != "all-gather") + [(1, False)] * (phase != "reduce-scatter")
    steps = [(offset, step, is_sum) for offset, is_sum in offsets for step in range(ranks - 1)]
    states = []
    for offset, step, is_sum in steps:
        sends = tuple(
            RingSend(rank, (rank + 1) % ranks, (rank + offset - step) % ranks, is_sum) for rank in range(ranks)
        )
        states.append(RingState(tuple(map(tuple, held)), sends))
        sent = [held[send.source][send.chunk] for send in sends]
        for send, addends in zip(sends, sent, strict=True):
            own = held[send.target][send.chunk] if is_sum else frozenset()
            held[send.target][send.chunk] = own | addends
    return [*states, RingState(tuple(map(tuple, held)), ())]
