"""What is to be done: operations with durations on lanes, and what each waits for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.tasks import Cell

COMPUTE = "compute"
COMMUNICATION = "communication"
NOTHING = Fraction(0)
MESSAGE = "send"
"""What a message between devices is called that is an operation of its own."""
MOVES = frozenset(
    {
        *("communication", "fetch", "push", MESSAGE, "receive"),
        *("all-reduce", "all-gather", "reduce-scatter", "average"),
        *("dispatch", "combine", "offload", "reload", "sync", "transfer"),
    }
)
"""Kinds of operations (and phases of spans) that move data and compute nothing."""
STOPS = frozenset({"save", "restart"})
"""Kinds that save the state or bring workers back, while no work is done."""
UPDATES = frozenset({"update", "server-update"})
"""Kinds that apply gradients to weights: no work on a microbatch."""


class ScheduleLane(Record):
    """One stream of one device: it runs one operation at a time.

    Operations run in the order in which the program lists them; a `queue` takes them in the order in which they
    become ready.
    """

    device: int
    stream: str = COMPUTE
    queue: bool = False


class OperationNeed(Record):
    """The operation at index `operation` must have ended `latency` time units ago."""

    operation: int
    latency: Fraction = NOTHING


class ScheduledOperation(Record):
    """Something that takes `duration` on every one of its `lanes` at once.

    `kind` picks the colour, `number` is what stands in the cell (microbatch, step, bucket, layer); `tasks` says what
    a pipeline's operation computes (two for a fused forward and backward, `parts` is how long each takes alone). An
    operation of duration 0 over several
    lanes is a barrier.
    """

    name: str
    kind: str
    lanes: tuple[ScheduleLane, ...]
    duration: Fraction
    needs: tuple[OperationNeed, ...] = ()
    number: int = 0
    tasks: Cell = ()
    parts: tuple[Fraction, ...] = ()


def computes(kind: str) -> bool:
    """Return whether an operation (or a span in the phase) of this kind works on data: forwards, backwards, steps."""
    return kind not in MOVES and kind not in UPDATES and kind not in STOPS


class Program(Record):
    """Operations in an order that is, for every lane, the order in which that lane runs them.

    A microbatch of a pipeline is so many `slices`, which tasks count one by one.
    """

    operations: tuple[ScheduledOperation, ...]
    slices: int = 1

    def lanes(self) -> tuple[ScheduleLane, ...]:
        """Every lane that is used: by device, then in the order of first use."""
        found = dict.fromkeys(lane for operation in self.operations for lane in operation.lanes)
        return tuple(sorted(found, key=lambda lane: lane.device))


@dataclass
class Builder:
    """Collects operations; `add` answers with the index that later operations may wait for."""

    operations: list[ScheduledOperation] = field(default_factory=list)

    def add(
        self,
        kind: str,
        lanes: ScheduleLane | Iterable[ScheduleLane],
        duration: Fraction,
        needs: Iterable[int] = (),
        *,
        name: str,
        number: int = 0,
    ) -> int:
        """Append an operation that waits for the operations at the indices `needs`."""
        where = (lanes,) if isinstance(lanes, ScheduleLane) else tuple(lanes)
        waits = tuple(OperationNeed(index) for index in needs)
        self.operations.append(ScheduledOperation(name, kind, where, duration, waits, number))
        return len(self.operations) - 1

    def barrier(self, lanes: Iterable[ScheduleLane], *, name: str = "barrier", number: int = 0) -> int:
        """Append a moment at which all `lanes` wait for each other."""
        return self.add("barrier", lanes, NOTHING, name=name, number=number)

    def program(self) -> Program:
        """What has been collected."""
        return Program(tuple(self.operations))
