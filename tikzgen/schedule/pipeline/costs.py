"""How long forwards and backwards take, stage by stage, and how long a message is under way."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.record import Record
from tikzgen.schedule.exact import Number, ScheduleError, exact, exacts
from tikzgen.schedule.operation import Cell, Kind

Times: TypeAlias = Number | Sequence[Number]
"""One duration for all stages, or one for each."""


P2P: TypeAlias = Literal["async", "sender", "rendezvous"]
"""Who waits while a message between devices is under way."""


class Costs(Record):
    """Durations by stage, in time units; `overlapped` is a fused forward and backward, None their sum.

    While a message takes its `latency`, nobody waits (`async`: its receiver only if it has nothing else to do), the
    device that sends it does (`sender`), or both, until both are there (`rendezvous`), by `p2p`.
    """

    forward: tuple[Fraction, ...]
    backward: tuple[Fraction, ...]
    input_grad: tuple[Fraction, ...]
    weight_grad: tuple[Fraction, ...]
    overlapped: Fraction | None
    latency: Fraction
    p2p: P2P = "async"

    def of(self, cell: Cell) -> Fraction:
        """How long `cell` takes."""
        if len(cell) == 1:
            return self.by_kind(cell[0].kind)[cell[0].stage]
        if self.overlapped is not None:
            return self.overlapped
        return sum((self.by_kind(task.kind)[task.stage] for task in cell), Fraction(0))

    def by_kind(self, kind: Kind) -> tuple[Fraction, ...]:
        """How long this kind of work takes, stage by stage."""
        match kind:
            case Kind.FORWARD:
                return self.forward
            case Kind.BACKWARD:
                return self.backward
            case Kind.INPUT_GRAD:
                return self.input_grad
            case Kind.WEIGHT_GRAD:
                return self.weight_grad


def costs(
    stages: int,
    *,
    forward: Times = 1,
    backward: Times | None = None,
    input_grad: Times | None = None,
    weight_grad: Times | None = None,
    overlapped: Number | None = None,
    latency: Number = 0,
    p2p: P2P = "async",
) -> Costs:
    """Durations for `stages` stages (chunks); what is left out follows from B = D + W.

    A backward is twice the forward where nothing is said, and its halves are equal. `latency` is the time from the
    end of an operation to the moment at which another device may use its result; `p2p` says who waits meanwhile.

    Raises:
        ScheduleError: backward, input_grad and weight_grad contradict each other, or a list has the wrong length.
    """
    f = exacts(forward, stages, "forward")
    d = None if input_grad is None else exacts(input_grad, stages, "input_grad")
    w = None if weight_grad is None else exacts(weight_grad, stages, "weight_grad")
    if backward is not None:
        b = exacts(backward, stages, "backward")
    elif d is not None and w is not None:
        b = _added(d, w)
    else:
        b = tuple(2 * each for each in f)
    if d is None and w is None:
        d = w = tuple(each / 2 for each in b)
    elif d is None and w is not None:
        d = _left(b, w, "weight_grad")
    elif w is None and d is not None:
        w = _left(b, d, "input_grad")
    assert d is not None and w is not None
    if _added(d, w) != b:
        raise ScheduleError(
            "backward must be input_grad + weight_grad on every stage", hint="leave one of the three out: it follows"
        )
    both = None if overlapped is None else exact(overlapped, "overlapped")
    return Costs(f, b, d, w, both, exact(latency, "latency"), p2p)


def _added(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(x + y for x, y in zip(one, other, strict=True))


def _left(whole: tuple[Fraction, ...], part: tuple[Fraction, ...], name: str) -> tuple[Fraction, ...]:
    left = tuple(x - y for x, y in zip(whole, part, strict=True))
    if min(left) < 0:
        raise ScheduleError(
            f"{name} is longer than the whole backward", hint="give backward, which is twice forward if left out"
        )
    return left
