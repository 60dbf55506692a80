"""All-reduce by letters: every rank ends with the sum of what all ranks had.

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
    """What came of it: what each rank holds, chunk by chunk, and after how many steps."""

    run: Network
    held: tuple[tuple[int, ...], ...]
    steps: int


def ring_letters(values: Sequence[Sequence[int]], *, delays: Sequence[Fraction], add: Fraction) -> Reduced:
    """A ring: each rank sends one of its p chunks to the next one in each step, p-1 times to add it there, p-1 times
    to keep it. `values` are the chunks of each rank, `delays` those of each rank's link to the next, `add` is how long
    it takes to add a chunk."""
    ranks = len(values)
    run = Network(lambda source, target: delays[source], Faults())
    held = [list(each) for each in values]

    def send(rank: int, step: int) -> None:
        if step < 2 * (ranks - 1):
            chunk = (rank - step) % ranks
            says = "reduce" if step < ranks - 1 else "gather"
            run.send(rank, [(rank + 1) % ranks], says, n=chunk, step=step, value=held[rank][chunk])

    # a rank goes on when it has sent a step and worked on what it received in it
    def handle_letter(letter: Letter) -> None:
        rank, facts = letter.target, letter.facts

        def keep() -> None:
            chunk = facts["n"]
            held[rank][chunk] = facts["value"] + (held[rank][chunk] if letter.says == "reduce" else 0)
            send(rank, facts["step"] + 1)

        if letter.says == "reduce":
            run.work(rank, add, "add", keep)
        else:
            keep()

    for rank in range(ranks):
        send(rank, 0)
    run.run_until(handle_letter)
    return Reduced(run, tuple(map(tuple, held)), 2 * (ranks - 1))


def doubling_letters(values: Sequence[int], *, delay: Fraction, add: Fraction) -> Reduced:
    """Recursive doubling: in step k, ranks that are 2^k apart exchange all they have."""
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

        run.work(rank, add, "add", keep)

    for rank in range(ranks):
        send(rank)
    run.run_until(handle_letter)
    return Reduced(run, tuple((each,) for each in held), steps)
