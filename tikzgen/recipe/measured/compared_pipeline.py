"""Simulated pipeline for comparison with a measured run: its durations are medians per stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.plain_words import format_percent, spell_rounded
from tikzgen.base.record import Record
from tikzgen.model.exact_fields import Cost
from tikzgen.model.part import Part
from tikzgen.model.timeline import Timeline
from tikzgen.recipe.measured.measured_reading import MeasuredCell, Reading
from tikzgen.recipe.simulated_recipe import PanelSchedule
from tikzgen.recipe.training.pipeline import Name, Pipeline
from tikzgen.recipe.training.pipeline_facts import Costs
from tikzgen.schedule import FAMILIES, KINDS, Task
from tikzgen.text import Text
from tikzgen.trace import hint_axes

_FIELDS = {phase: phase.replace("-", "_") for phase in KINDS}


Fit = Literal["fit"]


class Comparison(Part):
    """Simulated pipeline on the axis of the measured run; `fit` uses measured durations."""

    recipe: Literal["pipeline"] = "pipeline"
    """Name of the recipe."""
    schedule: Name = "1f1b"
    """Name of the schedule."""
    group: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of consecutive microbatches per chunk in interleaved-1f1b; null is the smallest possible number."""
    forward: Costs | Fit = "fit"
    """Duration of a forward, in `unit` of the trace; `fit` is the median over the microbatches of each stage."""
    backward: Costs | Fit = "fit"
    """Duration of an entire backward, in `unit` of the trace."""
    input_grad: Costs | Fit = "fit"
    """Duration of the input gradient, in `unit` of the trace."""
    weight_grad: Costs | Fit = "fit"
    """Duration of the weight gradient, in `unit` of the trace."""
    latency: Cost | Fit = "fit"
    """Latency of a message, in `unit` of the trace; `fit` is the median over the messages for which a rank was only
    waiting."""
    p2p: Literal["async", "sender", "rendezvous"] = "async"
    """Blocking rank while a message is in flight: none, the sender, or both."""
    measured: Text = "measured"
    """Caption of the measured run."""
    simulated: Text = ""
    """Caption of the simulated run; empty takes the name of the schedule."""


class RankedPipeline(Pipeline):
    """Pipeline whose devices have the names of the measured ranks."""

    _stem: ClassVar[str] = "rank"


class Model(Record):
    """Comparison: the measured operations, and the simulated pipeline fitted to them."""

    pipeline: Pipeline
    fits: tuple[tuple[str, tuple[Fraction, ...]], ...]
    cells: tuple[MeasuredCell, ...]
    measured: Fraction

    @property
    def plan(self) -> PanelSchedule:
        """Simulated schedule."""
        return self.pipeline.compute_plans()[0]

    def make_timeline(self, *, bubbles: bool) -> Timeline:
        """Return the timeline of the simulated schedule."""
        (timeline,) = self.pipeline.model_copy(update={"bubbles": bubbles}).expand().panels[0].content
        assert isinstance(timeline, Timeline)
        return timeline

    @property
    def name(self) -> str:
        """Name of the schedule in papers."""
        return FAMILIES[(self.pipeline.schedule or ["1f1b"])[0]].title

    @property
    def error(self) -> Fraction:
        """Relative error of the simulated makespan; positive if it is longer than the measured one."""
        return (self.plan.schedule.makespan - self.measured) / self.measured

    def differs_most(self) -> tuple[str, Fraction, Fraction]:
        """Return the operation whose duration differs most: its name, measured and simulated duration."""
        schedule = self.plan.schedule
        simulated = {
            task: schedule.end(index) - schedule.start(index)
            for index, operation in enumerate(schedule.operations)
            for task in operation.tasks
        }
        pairs = [
            (f"{KINDS[cell.phase]}{cell.number} of stage {cell.stage}", cell.duration, simulated[task])
            for cell in self.cells
            if (task := _make_task(cell)) in simulated
        ]
        return max(pairs, key=lambda pair: abs(pair[1] - pair[2]))

    def describe_model(self, unit: str) -> str:
        """Return a description of the compared pipeline as text."""
        name, was, ought = self.differs_most()
        own = self.plan.schedule.makespan
        fits = "; ".join(
            f"{what} {', '.join(spell_rounded(each) for each in values)} {unit}" for what, values in self.fits
        )
        fitted = f", by medians over microbatches for each stage: {fits}" if fits else ""
        more = "longer" if self.error >= 0 else "shorter"
        return (
            f"beside a simulated {self.name}{fitted}; it takes "
            f"{spell_rounded(own)} {unit}, {format_percent(abs(self.error))} % {more}; {name} differs most, measured "
            f"{spell_rounded(was)} and simulated {spell_rounded(ought)} {unit}"
        )


def _make_task(cell: MeasuredCell) -> Task:
    return Task(KINDS[cell.phase], cell.stage or 0, cell.number or 0)


def fit_pipeline(reading: Reading, wanted: Comparison, unit: str) -> Model:
    """Return the pipeline that matches a measured run.

    Raise `SpecError` if operations are missing, or no pipeline matches.
    """
    cells = [cell for cell in reading.cells if cell.stage is not None and cell.phase in KINDS]
    ranks = reading.ranks_count
    if not cells and any(cell.number is not None for cell in reading.cells):
        raise _refuse("nothing states the stages of the operations", hint_axes(reading.world))
    if not cells:
        raise _refuse("no operations are drawn that a pipeline could be like", "lanes: annotations")
    if len(reading.replicas) > 1:
        raise _refuse(f"{len(reading.replicas)} replicas are drawn", "replica: 0")
    if len(reading.ranks) > ranks:
        raise _refuse("a rank has several devices", "a stage of the simulated pipeline has one")
    if ranks < reading.world:
        raise _refuse(f"{ranks} of {reading.world} ranks are drawn", "a pipeline has all of them")
    if len({cell.step for cell in cells}) > 1:
        raise _refuse("several steps are drawn", "step: last-complete")
    stages = 1 + max(cell.stage or 0 for cell in cells)
    facts: dict[str, Any] = {"schedule": wanted.schedule, "group": wanted.group, "devices": ranks, "p2p": wanted.p2p}
    facts |= {"microbatches": 1 + max(cell.number or 0 for cell in cells), "unit": unit, "bubble_measure": "none"}
    facts |= {"chunks": stages // ranks if stages > ranks else None, "labels": {"device": "rank {n}"}}
    fits = []
    for phase, field in _FIELDS.items():
        given = getattr(wanted, field)
        own = [cell for cell in cells if cell.phase == phase]
        if given != "fit":
            facts[field] = given
        elif own:
            facts[field] = _compute_medians(own, stages)
            fits.append((field, tuple(facts[field])))
        elif field in wanted.model_fields_set:
            raise _refuse(f"no {phase} was measured", f"leave {field} out")
    if wanted.latency == "fit":
        facts["latency"] = _measure_latency(cells)
        fits.append(("latency", (facts["latency"],)))
    else:
        facts["latency"] = wanted.latency
    try:
        pipeline = RankedPipeline.model_validate({name: value for name, value in facts.items() if value is not None})
    except ValidationError as error:
        raise _refuse(
            f"the schedule does not match the run: {error.errors()[0]['msg']}", "compare: {schedule: 1f1b}"
        ) from None
    if (needed := pipeline.count_stages()) != stages:
        message = f"the schedule does not match the run: {stages} stages were measured, {wanted.schedule} has {needed}"
        raise _refuse(message, "compare: {schedule: 1f1b}")
    return Model(pipeline, tuple(fits), tuple(cells), reading.makespan)


def _compute_medians(cells: Sequence[MeasuredCell], stages: int) -> list[Fraction]:
    """Return the median duration of each stage."""
    by_stage: list[list[Fraction]] = [[] for _ in range(stages)]
    for cell in cells:
        by_stage[cell.stage or 0].append(cell.duration)
    for stage, durations in enumerate(by_stage):
        if not durations:
            raise _refuse(f"no {cells[0].phase} of stage {stage} was measured", "step: all, or a longer window")
    return [median(durations) for durations in by_stage]


def _measure_latency(cells: Sequence[MeasuredCell]) -> Fraction:
    """Return the median latency of messages whose receiver was free when they were sent.

    For other messages, the delay includes work of the receiver.
    """
    free: dict[int, Fraction] = {}
    lanes: dict[str, list[MeasuredCell]] = {}
    for cell in sorted(cells, key=lambda each: each.start):
        lanes.setdefault(cell.lane, []).append(cell)
    for own in lanes.values():
        free |= {id(cell): before.end for before, cell in pairwise(own)}
    waited = [
        target.start - source.end
        for source, target in _pair_messages(cells)
        if source.end >= free.get(id(target), Fraction(0))
    ]
    return max(median(waited), Fraction(0)) if waited else Fraction(0)


def _pair_messages(cells: Sequence[MeasuredCell]) -> Iterator[tuple[MeasuredCell, MeasuredCell]]:
    """Yield pairs of operations on different ranks, of which the second needs the result of the first."""
    found = {(cell.phase, cell.stage, cell.number): cell for cell in cells}
    for (phase, stage, number), cell in found.items():
        way = -1 if phase == "forward" else 1
        source = found.get((phase, (stage or 0) + way, number))
        if source is not None and phase != "weight-grad" and source.lane != cell.lane:
            yield source, cell


def _refuse(message: str, hint: str) -> SpecError:
    return SpecError([Problem(message, "compare", hint=hint)])
