"""What devices do besides the forwards and backwards of their stages, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypedDict, Unpack

from tikzgen.base.record import Record
from tikzgen.schedule.exact import Number, ScheduleError, exact, exacts
from tikzgen.schedule.operation import NOTHING
from tikzgen.schedule.pipeline.costs import Grid, Matrix, grid

Both = tuple[Fraction, Fraction]
"""How long something takes on the way forward, and on the way back."""


class Around(Record):
    """Durations; 0 (or None) leaves a thing out.

    - recompute: before a backward, by stage and microbatch, once its gradient has arrived; of the activations, the
      share `kept` is held from the forward on, the rest from the recomputation on.
    - offload, reload: activations leave for the host after their forward, on a stream of their own, and come back on
      another one, from the moment on at which the operation before their backward may begin; those whose backward
      follows at once stay.
    - embedding: at the first stage. vocabulary, loss: at the last one, the loss forward only.
    - dispatch, combine: tokens travel to their experts and back within each stage, on the stream that communicates,
      forward and back; `experts` is the experts' share of a stage's time. In a cell of forward and backward, those of
      the one travel while the other computes (Megatron-LM's order).
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
        """Whether tokens travel to experts."""
        return bool(self.dispatch or self.combine)


class Besides(TypedDict, total=False):
    """What `around` takes."""

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


def around(stages: int, *, microbatches: int | None = None, **said: Unpack[Besides]) -> Around | None:
    """What is said, None where nothing is. A reload takes as long as an offload, a combine as a dispatch; an embedding

    `ScheduleError` for a share of more than one, or activations that are both recomputed and offloaded.
    """
    out, send = exact(said.get("offload", 0), "offload"), exact(said.get("dispatch", 0), "dispatch")
    again, reload, combine = said.get("recompute"), said.get("reload"), said.get("combine")
    found = Around(
        None if again is None else grid(stages, microbatches, again, "recompute"),
        exact(said.get("kept", 0), "kept"),
        out,
        out if reload is None else exact(reload, "reload"),
        _both(said.get("embedding", 0), "embedding", 1),
        _both(said.get("vocabulary", 0), "vocabulary", 2),
        exact(said.get("loss", 0), "loss"),
        send,
        send if combine is None else exact(combine, "combine"),
        exact(said.get("experts", Fraction(1, 2)), "experts"),
    )
    for share, name in ((found.kept, "kept"), (found.experts, "experts")):
        if share > 1:
            raise ScheduleError(f"{name}: a share is at most 1, not {share}")
    if found.recompute is not None and (found.offload or found.reload):
        raise ScheduleError("offload: what is recomputed is not held", hint="leave recompute or offload out")
    idle = Around(kept=found.kept, experts=found.experts)
    return None if found == idle else found


def _both(value: Number | Sequence[Number], name: str, back: int) -> Both:
    if isinstance(value, Sequence) and not isinstance(value, str):
        one, other = exacts(value, 2, name, one="way")
        return one, other
    time = exact(value, name)
    return time, back * time
