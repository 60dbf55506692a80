"""Durations of forwards and backwards by stage and microbatch, of messages, and of additional work.

The main functions are `make_costs` and `read_extra_work`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, starmap, zip_longest
from operator import add, sub
from typing import Literal, TypeAlias, TypedDict, Unpack

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import Number, ScheduleError, read_exact_number, read_numbers_per_item
from tikzgen.schedule.operation import NOTHING
from tikzgen.schedule.tasks import PHASES, Cell, Task

Times: TypeAlias = Number | Sequence[Number]
"""One duration for all stages, or one per stage."""
Matrix: TypeAlias = Number | Sequence[Times]
"""One duration for all stages, or one per stage, which may be a list with one per microbatch."""
Grid: TypeAlias = tuple[tuple[Fraction, ...], ...]
"""For each stage, one duration, or one per microbatch."""


def node_of(device: int, per_node: int | Sequence[int]) -> int:
    """Return the node of a device; `per_node` is the number of devices of each node, or a list of numbers.

    Devices after the end of the list are on one more node.
    """
    return device // per_node if isinstance(per_node, int) else bisect_right(tuple(accumulate(per_node)), device)


P2P: TypeAlias = Literal["async", "sender", "rendezvous"]
"""Blocking device while a message between devices is in flight."""


class Costs(Record):
    """Durations by stage and microbatch, in time units; `overlapped` is for a fused forward and backward.

    If `overlapped` is unset, the fused duration is the sum. A message takes `latency`, or `node_latency` between nodes
    of `per_node` devices. `p2p` selects the devices that wait during a message. With `async`, only a receiver without
    other work waits. With `sender`, the sender also waits. With `rendezvous`, both wait, from the time at which both
    are ready. With `links`, a device sends one message at a time and receives one at a time, on separate lanes.
    """

    forward: Grid
    backward: Grid
    input_grad: Grid
    weight_grad: Grid
    overlapped: Fraction | None
    latency: Fraction
    p2p: P2P
    per_node: int | tuple[int, ...] | None
    node_latency: Fraction
    links: bool

    def compute_cell_time(self, cell: Cell) -> Fraction:
        """Return the duration of `cell`."""
        if len(cell) == 1:
            return self.cost_of_task(cell[0])
        if self.overlapped is not None:
            return self.overlapped
        return sum(map(self.cost_of_task, cell), Fraction(0))

    def cost_of_task(self, task: Task) -> Fraction:
        """Return the duration of one task."""
        row: tuple[Fraction, ...] = getattr(self, _FIELDS[task.kind])[task.stage]
        return row[task.microbatch if len(row) > 1 else 0]

    def find_latency(self, one: int, other: int) -> Fraction:
        """Return the latency of a message between two devices."""
        far = self.per_node is not None and node_of(one, self.per_node) != node_of(other, self.per_node)
        return self.node_latency if far else self.latency


_FIELDS = {kind: phase.replace("-", "_") for kind, phase in PHASES.items()}


def make_costs(
    stages: int,
    *,
    microbatches: int | None = None,
    forward: Matrix = 1,
    backward: Matrix | None = None,
    input_grad: Matrix | None = None,
    weight_grad: Matrix | None = None,
    overlapped: Number | None = None,
    latency: Number = 0,
    p2p: P2P = "async",
    per_node: int | Sequence[int] | None = None,
    node_latency: Number | None = None,
    links: bool = False,
) -> Costs:
    """Return the durations for `stages` stages (chunks); missing ones follow from B = D + W.

    A stage may have a duration for each of `microbatches` microbatches. By default a backward is twice the forward,
    and its halves are equal. `latency` is the time from the end of an operation until another device can use its
    result. `p2p` selects the devices that wait during that time. Raise `ScheduleError` if backward, input_grad and
    weight_grad contradict each other, or a list has the wrong length.
    """
    rows = partial(read_duration_grid, stages, microbatches)
    f = rows(forward, "forward")
    d = None if input_grad is None else rows(input_grad, "input_grad")
    w = None if weight_grad is None else rows(weight_grad, "weight_grad")
    if backward is not None:
        b = rows(backward, "backward")
    elif d is not None and w is not None:
        b = _combine_grids(d, w, add)
    else:
        b = _combine_grids(f, f, add)
    if d is None and w is None:
        d = w = tuple(tuple(each / 2 for each in row) for row in b)
    elif d is None and w is not None:
        d = _subtract_grid(b, w, "weight_grad")
    elif w is None and d is not None:
        w = _subtract_grid(b, d, "input_grad")
    assert d is not None and w is not None
    if any(any(row) for row in _combine_grids(_combine_grids(d, w, add), b, sub)):
        raise ScheduleError(
            "backward must be input_grad + weight_grad on every stage", hint="leave one of the three out: it follows"
        )
    both = None if overlapped is None else read_exact_number(overlapped, "overlapped")
    near = read_exact_number(latency, "latency")
    far = near if node_latency is None else read_exact_number(node_latency, "node_latency")
    nodes = tuple(per_node) if isinstance(per_node, Sequence) else per_node
    return Costs(f, b, d, w, both, near, p2p, nodes, far, links)


def read_duration_grid(stages: int, microbatches: int | None, value: Matrix, name: str) -> Grid:
    """Return one duration per stage, or one per microbatch of a stage, from the value called `name`.

    Raise `ScheduleError` if a list has the wrong length.
    """
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ((read_exact_number(value, name),),) * stages
    if len(value) != stages:
        raise ScheduleError(
            f"{name}: {len(value)} values for {stages} stages", hint="give one value, or one for each stage"
        )
    rows = []
    for stage, entry in enumerate(value):
        count = 1
        if isinstance(entry, Sequence) and not isinstance(entry, str):
            count = len(entry) if microbatches is None else microbatches
        rows.append(read_numbers_per_item(entry, count, f"{name}[{stage}]", one="microbatch"))
    return tuple(rows)


def _combine_grids(one: Grid, other: Grid, operator: Callable[[Fraction, Fraction], Fraction]) -> Grid:
    return tuple(joined_rows(x, y, operator) for x, y in zip(one, other, strict=True))


def joined_rows(
    one: tuple[Fraction, ...], other: tuple[Fraction, ...], operator: Callable[[Fraction, Fraction], Fraction]
) -> tuple[Fraction, ...]:
    """Combine two rows duration by duration; a single duration applies to all microbatches."""
    return tuple(starmap(operator, zip_longest(one, other, fillvalue=one[0] if len(one) == 1 else other[0])))


def _subtract_grid(whole: Grid, part: Grid, name: str) -> Grid:
    left = _combine_grids(whole, part, sub)
    if min(map(min, left)) < 0:
        raise ScheduleError(
            f"{name} is longer than the whole backward", hint="give backward, which is twice forward if left out"
        )
    return left


Both: TypeAlias = tuple[Fraction, Fraction]
"""Durations in the forward and in the backward direction."""


class Around(Record):
    """Durations of additional work; 0 (or None) omits it.

    - recompute: before a backward, by stage and microbatch, when its gradient has arrived. The share `kept` of the
      activations is held from the forward on, the rest from the recomputation on.
    - offload, reload: activations move to the host after their forward, and return before their backward, on separate
      streams. The reload may begin with the operation before the backward. If the backward follows immediately, the
      activations stay.
    - embedding: at the first stage. vocabulary, loss: at the last stage, the loss in forward only.
    - dispatch, combine: tokens are sent to their experts and returned within each stage, forward and backward, on the
      communication stream. `experts` is the experts' share of a stage's time. In a cell of forward and backward, one
      communicates while the other computes (Megatron-LM's order).
    """

    recompute: Grid | None = None
    kept: Fraction = NOTHING
    offload: Fraction = NOTHING
    reload: Fraction = NOTHING
    embedding: Both = (NOTHING, NOTHING)
    vocabulary: Both = (NOTHING, NOTHING)
    loss: Fraction = NOTHING
    dispatch: Fraction = NOTHING
    combine: Fraction = NOTHING
    experts: Fraction = Fraction(1, 2)

    @property
    def travels(self) -> bool:
        """Whether tokens are sent to experts."""
        return bool(self.dispatch or self.combine)


class Besides(TypedDict, total=False):
    """Parameters of `read_extra_work`."""

    recompute: Matrix | None
    kept: Number
    offload: Number
    reload: Number | None
    embedding: Number | Sequence[Number]
    vocabulary: Number | Sequence[Number]
    loss: Number
    dispatch: Number
    combine: Number | None
    experts: Number


def read_extra_work(stages: int, *, microbatches: int | None = None, **said: Unpack[Besides]) -> Around | None:
    """Return the durations of additional work; None without any.

    By default, a reload takes as long as an offload, a combine as long as a dispatch. A backward takes as long as the
    forward for an embedding, and twice as long for a vocabulary. Raise `ScheduleError` for a share above one, or for
    activations that are both recomputed and offloaded.
    """
    out, send = (
        read_exact_number(said.get("offload", 0), "offload"),
        read_exact_number(said.get("dispatch", 0), "dispatch"),
    )
    again, reload, combine = said.get("recompute"), said.get("reload"), said.get("combine")
    found = Around(
        None if again is None else read_duration_grid(stages, microbatches, again, "recompute"),
        read_exact_number(said.get("kept", 0), "kept"),
        out,
        out if reload is None else read_exact_number(reload, "reload"),
        _read_both_ways(said.get("embedding", 0), "embedding", 1),
        _read_both_ways(said.get("vocabulary", 0), "vocabulary", 2),
        read_exact_number(said.get("loss", 0), "loss"),
        send,
        send if combine is None else read_exact_number(combine, "combine"),
        read_exact_number(said.get("experts", Fraction(1, 2)), "experts"),
    )
    for share, name in ((found.kept, "kept"), (found.experts, "experts")):
        if share > 1:
            raise ScheduleError(f"{name}: a share is at most 1, not {share}")
    if found.recompute is not None and (found.offload or found.reload):
        raise ScheduleError("offload: recomputed activations are not stored", hint="leave recompute or offload out")
    idle = Around(kept=found.kept, experts=found.experts)
    return None if found == idle else found


def _read_both_ways(value: Number | Sequence[Number], name: str, back: int) -> Both:
    if isinstance(value, Sequence) and not isinstance(value, str):
        one, other = read_numbers_per_item(value, 2, name, one="way")
        return one, other
    time = read_exact_number(value, name)
    return time, back * time
