"""What logical clocks show, and where on the lifelines of a space-time diagram."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction

from tikzgen.base.record import NOTHING
from tikzgen.layout.spacetime.spacetime_facts import Weave
from tikzgen.model.logical_clocks import Occurrence, lamport_clocks, ordered, vector_clocks


def moments(weave: Weave) -> dict[tuple[int, Fraction], str]:
    """What clocks show, by the lifeline and the time: those of all that happens at one moment, one after the other."""
    order = _order(weave)
    shown = _shown(weave, order)
    found: dict[tuple[int, Fraction], str] = {}
    for one in order:
        before = found.get((one.line, one.time))
        found[one.line, one.time] = f"{before}, {shown[one.key]}" if before else shown[one.key]
    return found


def _order(weave: Weave) -> list[Occurrence]:
    return (ordered(weave.part.occurrences()) or []) if weave.part.clocks else []


def _shown(weave: Weave, order: list[Occurrence]) -> Mapping[Hashable, str]:
    if weave.part.clocks == "lamport":
        return {key: str(clock) for key, clock in lamport_clocks(order).items()}
    vectors = vector_clocks(order, len(weave.part.lifelines)) if order else NOTHING
    return {key: f"({','.join(map(str, vector))})" for key, vector in vectors.items()}


def ticks(weave: Weave) -> Iterator[list[Fraction]]:
    """Where each tick of Lamport's clocks crosses the lifelines: between what happens before it and after it."""
    if not weave.part.ticks:
        return
    order = _order(weave)
    clocks = lamport_clocks(order)
    last, end = max(clocks.values(), default=0), weave.last
    lines: list[list[tuple[int, Fraction]]] = [[(0, Fraction(0))] for _ in weave.part.lifelines]
    for one in order:
        lines[one.line].append((clocks[one.key], one.time))
    for line in lines:
        line.append((last + 1, max(end, line[-1][1])))
    for tick in range(1, last):
        crossed = []
        for line in lines:
            low = max(one for one in line if one[0] <= tick)
            high = min(one for one in line if one[0] > tick)
            share = Fraction(tick - low[0] + 1, high[0] - low[0] + 1)
            crossed.append(low[1] + (high[1] - low[1]) * share)
        yield crossed
