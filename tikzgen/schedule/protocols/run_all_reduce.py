"""All-reduce by messages: every rank ends with the sum over all ranks.

The ring in 2(p-1) steps: Patarasuk and Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations"
(2009). Recursive doubling in log2(p) steps, for powers of two: Thakur, Rabenseifner and Gropp, "Optimization of
Collective Communication Operations in MPICH" (2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.protocols.message_network import Faults, Letter, Network


class Reduced(Record):
    """Result: the values of each rank, chunk by chunk, and the number of steps."""

    run: Network
    held: tuple[tuple[int, ...], ...]
    steps: int


def ring_letters(values: Sequence[Sequence[int]], *, delays: Sequence[Fraction], add: Fraction) -> Reduced:
    """Run a ring all-reduce: each rank sends one of its p chunks to the next rank in each step.

    The first p-1 steps add the received chunk, the other p-1 steps store it. `values` are the chunks of each rank,
    `delays` the delays of the links to the next rank, and `add` is the time to add a chunk.
    """
    ranks = len(values)
    run = Network(lambda source, target: delays[source], Faults())
    held = [list(each) for each in values]

    def send(rank: int, step: int) -> None:
        if step < 2 * (ranks - 1):
            chunk = (rank - step) % ranks
            says = "reduce" if step < ranks - 1 else "gather"
            run.send(rank, [(rank + 1) % ranks], says, n=chunk, step=step, value=held[rank][chunk])

    # A rank continues when it has sent a step and processed the chunk received in it.
    def handle_letter(letter: Letter) -> None:
        rank, facts = letter.target, letter.facts

        def keep() -> None:
            chunk = facts["n"]
            held[rank][chunk] = facts["value"] + (held[rank][chunk] if letter.says == "reduce" else 0)
            send(rank, facts["step"] + 1)

        if letter.says == "reduce":
            run.schedule_work(rank, add, "add", keep)
        else:
            keep()

    for rank in range(ranks):
        send(rank, 0)
    run.run_until(handle_letter)
    return Reduced(run, tuple(map(tuple, held)), 2 * (ranks - 1))


def doubling_letters(values: Sequence[int], *, delay: Fraction, add: Fraction) -> Reduced:
    """Run recursive doubling: in step k, ranks at distance 2^k exchange their sums."""
    ranks = len(values)
    steps = (ranks - 1).bit_length()
    run = Network(lambda source, target: delay, Faults())
    held = list(values)
    done = [0] * ranks

    def send(rank: int) -> None:
        if done[rank] < steps:
            run.send(rank, [rank ^ (1 << done[rank])], "exchange", n=done[rank] + 1, value=held[rank])

    def handle_letter(letter: Letter) -> None:
        rank = letter.target

        def keep() -> None:
            held[rank] += letter.facts["value"]
            done[rank] += 1
            send(rank)

        run.schedule_work(rank, add, "add", keep)

    for rank in range(ranks):
        send(rank)
    run.run_until(handle_letter)
    return Reduced(run, tuple((each,) for each in held), steps)
