"""What no clock allows: messages that arrive before they are sent, operations that begin before what they need."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.trace.annotated_operations import operations_of
from tikzgen.trace.order_checks import broken
from tikzgen.trace.run_model import RankTrace, Run
from tikzgen.trace.stamps import Time, milliseconds


def early_messages(run: Run, tolerance: Time = 0) -> list[str]:
    """What is too early by more than `tolerance`, which is what the clocks do not tell: the worst first, in words."""
    found = [*_messages(run), *_operations(run)]
    return [told for by, told in sorted(found, key=lambda each: (-each[0], each[1])) if by > tolerance]


def _messages(run: Run) -> Iterator[tuple[Time, str]]:
    sent = {
        (group, source, target, number): start
        for rank in run.ranks.values()
        for group, source, target, number, start, _ in _ends(rank, "send")
    }
    for rank in run.ranks.values():
        for group, source, target, number, _, end in _ends(rank, "recv"):
            start = sent.get((group, source, target, number))
            if start is not None and end < start:
                message = f"message {number} from rank {source} has arrived at rank {target}"
                yield start - end, f"{message} {milliseconds(start - end)} ms before it is sent"


def _ends(rank: RankTrace, name: str) -> Iterator[tuple[str, int, int, int, Time, Time]]:
    for place, each in rank.collectives.items():
        if each.name == name and each.source is not None and each.target is not None:
            times = rank.events.starts[place], rank.events.ends[place]
            yield each.group, each.source, each.target, each.number, *times


def _operations(run: Run) -> Iterator[tuple[Time, str]]:
    every = [each for rank in run.ranks.values() for each in operations_of(rank)]
    for need in broken(every):
        one, other = (f"{each.name} of stage {each.stage}" for each in (need.target, need.source))
        yield -need.slack, f"{one} begins {milliseconds(-need.slack)} ms before {other} ends"
