"""Durations from lists with one entry per stage, per device, or per chunk of a finer cut."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Literal, TypeAlias

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.pipeline.pipeline_costs import Times, joined_rows, read_duration_grid
from tikzgen.schedule.tasks import PipelinePlan

Part: TypeAlias = Literal["stage", "device", "chunk"]
"""Part of the model to which an entry of a list of durations belongs."""


class StageCut(Record):
    """Cut of the model by a schedule: `plan`, and the stages of the `finest` cut among schedules of one model.

    If `whole`, a duration is for all chunks and slices of a device together.
    """

    plan: PipelinePlan
    finest: int
    whole: bool

    @property
    def chunks(self) -> int:
        """Number of chunks of the model on each device."""
        return self.plan.stages // self.plan.devices


def part_of(entries: int, cut: StageCut) -> Part | None:
    """Return the meaning of a list of this length: an entry per stage, device or chunk; None if invalid."""
    plan = cut.plan
    if entries == plan.stages:
        return "stage"
    if entries == plan.devices:
        return "device"
    return "chunk" if entries == cut.finest and entries % plan.stages == 0 else None


def durations_of_stages(
    value: Fraction | Sequence[Times], name: str, cut: StageCut
) -> Fraction | list[Fraction | list[Fraction]]:
    """Return one duration for all stages, or the durations of each stage by microbatch (or slice).

    - An entry for a stage is its own time.
    - An entry for a device is the time of each of its stages; if durations are for a whole device, they share it.
    - Entries for chunks of a finer cut are added up to stages.

    Raise `ScheduleError` for a list of another length.
    """
    plan = cut.plan
    slices = plan.slices if cut.whole else 1
    if not isinstance(value, Sequence):
        return value / (cut.chunks * slices) if cut.whole else value
    part = part_of(len(value), cut)
    if part is None:
        raise _wrong_length(name, len(value), cut)
    rows = read_duration_grid(len(value), plan.microbatches // slices, value, name)
    if part == "device":
        homes = {task.stage: device for device, cells in enumerate(plan.cells) for cell in cells for task in cell}
        # a list of operations may lack a stage, which then needs no duration
        rows = tuple(rows[homes.get(stage, 0)] for stage in range(plan.stages))
        slices *= cut.chunks if cut.whole else 1
    elif part == "chunk":
        size = len(value) // plan.stages
        rows = tuple(
            reduce(lambda a, b: joined_rows(a, b, add), rows[at : at + size]) for at in range(0, len(rows), size)
        )
    times = plan.slices if cut.whole else 1  # repeat the divided duration of a microbatch for each of its slices
    return [[each / slices for each in row for _ in range(times)] if len(row) > 1 else row[0] / slices for row in rows]


def _wrong_length(name: str, entries: int, cut: StageCut) -> ScheduleError:
    """Return the error that lists the allowed numbers of entries."""
    stages = max(count for count in (cut.plan.stages, cut.finest) if part_of(count, cut))
    devices = cut.plan.devices
    if stages == devices:
        return ScheduleError(
            f"{name}: {entries} values for {stages} stages", hint="give one value, or one for each stage"
        )
    message = f"{name}: {entries} values for {devices} devices or {stages} stages"
    return ScheduleError(message, hint="give one value, one for each device, or one for each stage")
