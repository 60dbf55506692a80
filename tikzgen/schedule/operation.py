"""Operations with durations on lanes, and their dependencies."""

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
"""Kind of an operation that represents a message between devices."""
MOVES = frozenset(
    {
        *("communication", "fetch", "push", MESSAGE, "receive"),
        *("all-reduce", "all-gather", "reduce-scatter", "average"),
        *("dispatch", "combine", "offload", "reload", "sync", "transfer"),
    }
)
"""Kinds of operations (and phases of spans) that move data and compute nothing."""
STOPS = frozenset({"save", "restart"})
"""Kinds of operations that save the state or restart workers, while no work is done."""
UPDATES = frozenset({"update", "server-update"})
"""Kinds of operations that apply gradients to weights and are not work on a microbatch."""


class ScheduleLane(Record):
    """Stream of a device, which runs one operation at a time.

    Operations run in the order of the program; on a `queue`, in the order in which they become ready.
    """

    device: int
    stream: str = COMPUTE
    queue: bool = False


class OperationNeed(Record):
    """Dependency: the operation at index `operation` must have ended `latency` time units before."""

    operation: int
    latency: Fraction = NOTHING


class ScheduledOperation(Record):
    """Operation that occupies all of its `lanes` for `duration`.

    `kind` selects the color. `number` is the text of the cell (microbatch, step, bucket, layer). `tasks` are the
    computations of a pipeline operation: two for a fused forward and backward, whose separate durations are `parts`.
    An operation of duration 0 over several lanes is a barrier.
    """

    name: str
    kind: str
    lanes: tuple[ScheduleLane, ...]
    duration: Fraction
    needs: tuple[OperationNeed, ...] = ()
    number: int = 0
    tasks: Cell = ()
    parts: tuple[Fraction, ...] = ()


def is_computing_kind(kind: str) -> bool:
    """Return whether an operation or span of this kind works on data: a forward, a backward, a step."""
    return kind not in MOVES and kind not in UPDATES and kind not in STOPS


class Program(Record):
    """Operations in an order that is also the order of execution on each lane.

    A microbatch of a pipeline consists of `slices`; tasks count slices.
    """

    operations: tuple[ScheduledOperation, ...]
    slices: int = 1

    def list_lanes(self) -> tuple[ScheduleLane, ...]:
        """Return every used lane: by device, then in the order of first use."""
        found = dict.fromkeys(lane for operation in self.operations for lane in operation.lanes)
        return tuple(sorted(found, key=lambda lane: lane.device))


@dataclass
class Builder:
    """Collector of operations; `add` returns the index that later operations may wait for."""

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
        """Append a barrier, at which all `lanes` wait for each other."""
        return self.add("barrier", lanes, NOTHING, name=name, number=number)

    def program(self) -> Program:
        """Return the program of the collected operations."""
        return Program(tuple(self.operations))
