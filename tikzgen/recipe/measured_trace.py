"""A measured run: what profilers wrote, as a timeline with the lengths that it had."""

import json
from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.errors import Problem, SpecError
from tikzgen.model.base import Id, Part, Share, Time, Words, empty
from tikzgen.model.figure import Figure, Legend, Panel, Slug
from tikzgen.model.look import PHASES, Phase
from tikzgen.model.marks import Axis, Bubble, Event
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.timeline import Timeline
from tikzgen.model.timeline_parts import Lane, Span
from tikzgen.recipe.schedule_marks import step as tick_step
from tikzgen.recipe.shared_facts import common, listed
from tikzgen.text import Text

Rank = Annotated[int, Field(ge=0, le=1_000_000)]
_Pattern = Annotated[str, Field(max_length=1000)]
_HUES = ("otteal", "otblue", "otorange", "otpurple")
_OWN = {
    "memcpy": Phase(label="copy", color="otgray", tint=85),
    "memset": Phase(label="fill", color="otgray", tint=130),
}


class MeasuredLane(Part):
    """A row of the timeline."""

    id: Id
    """Its id."""
    label: Text = ""
    """Text at its beginning; rows after the first of what overlaps have none."""
    rank: Rank
    """Whose time it is."""


class MeasuredCell(Part):
    """What is drawn as one, in ms."""

    lane: Id
    """Where it is."""
    phase: Id
    """Its class, or what an operation is."""
    start: Time
    """When it begins."""
    duration: Time
    """How long it lasts; 0 is a moment."""
    events: int = Field(default=1, ge=1)
    """How many events of the trace it stands for."""
    occupancy: Share | Literal[1] = 1
    """The share of its length in which something ran."""
    number: int | None = Field(default=None, ge=0, le=10**9)
    """The microbatch."""
    chunk: int = Field(default=0, ge=0, le=15)
    """The part of the model."""
    waited: Time = Fraction(0)
    """How long before it its annotation began."""


class RankNumbers(Part):
    """What was measured of one rank, on its events and not on cells; times in ms."""

    rank: Rank
    """Which."""
    values: dict[Id, Time]
    """By name."""


class Reading(Part):
    """What the traces held: with it a figure is drawn again where they are no longer at hand."""

    facts: Words
    """A digest of the facts that it was read by."""
    lanes: list[MeasuredLane] = Field(min_length=1, max_length=4096)
    """The rows."""
    cells: list[MeasuredCell] = Field(max_length=50_000)
    """What is drawn."""
    length: Time
    """From the first moment to the last, in ms."""
    makespan: Time
    """From the first computation to the last end."""
    ranks: list[RankNumbers]
    """What was measured."""
    notes: list[Words] = Field(default_factory=empty)
    """What a reader must know: ranks, clocks, the step, what was merged."""


class Trace(EditableRecipe):
    """A measured run: traces of torch.profiler, JAX, rocprofv3 or Nsight Systems, or a table of times."""

    counts = "ranks"

    recipe: Literal["trace"] = "trace"
    """Names the recipe."""
    id: Slug = "trace"
    source: str | list[str] | dict[Rank, str]
    """The files, beside the spec or below it: a name, a pattern such as `rank{0..3}.json.gz` or `traces/*.json`, a list
    of these, or one file a rank."""
    ranks: list[Rank] | None = Field(default=None, min_length=1, max_length=64)
    """The ranks that are drawn; null draws the first eight."""
    step: Literal["last-complete", "first", "median", "all"] | Annotated[int, Field(ge=0)] = "last-complete"
    """The step by its number or place; all draws everything."""
    window: tuple[Time, Time] | None = None
    """A stretch of time in ms from the first event, in place of a step."""
    lanes: Literal["auto", "stream", "class", "rank", "annotations"] = "auto"
    """What a lane is; auto is a stream where something ran on a device, else annotated operations."""
    operations: _Pattern = "auto"
    """How operations are annotated: a regular expression with the groups phase, microbatch and, if need be, stage."""
    begin: Literal["work", "annotation"] = "work"
    """Whether an operation begins at the first thing that is computed inside of its annotation, or with that."""
    classes: dict[Id, Annotated[list[_Pattern], BeforeValidator(listed)]] = Field(default_factory=dict)
    """Classes of kernels by name: regular expressions, before the built-in ones."""
    clock: Literal["auto", "raw", "collectives"] | dict[Rank, Fraction] = "auto"
    """Whose clock: raw takes the stamps, collectives moves ranks so that those end together, numbers move them by ms.
    auto is raw on one host."""
    detail: Annotated[Fraction, Field(ge=0, le=1)] = Fraction(1, 640)
    """What is nearer together than this share of the time is drawn as one cell."""
    marks: list[Literal["idle"]] = Field(default_factory=empty)
    """What is drawn besides: idle time."""
    time: Text = "time"
    """At the time arrow."""
    phases: dict[str, Phase] = Field(default_factory=dict)
    """Looks of classes and operations, over the built-in ones."""
    legend: Legend = Field(default_factory=Legend)
    """What the fills mean."""
    reading: Reading | None = None
    """What the files held, which tikzgen writes: a figure carries it, and does not need the files."""

    @property
    def facts(self) -> str:
        """A digest of the facts by which files are read."""
        names = ("source", "ranks", "step", "window", "lanes", "operations", "begin", "classes", "clock", "detail")
        spelt = json.dumps([getattr(self, name) for name in names], default=str)
        return sha256(spelt.encode()).hexdigest()[:16]

    def read(self) -> Reading:
        """What the traces held.

        Raises:
            SpecError: they were not read, or by other facts.
        """
        if self.reading is None or self.reading.facts != self.facts:
            why = "were not read" if self.reading is None else "were read by other facts"
            hint = "render the spec beside the traces; from Python, tikzgen.load reads it"
            raise SpecError([Problem(f"the traces {why}", "source", hint=hint)])
        return self.reading

    def expand(self) -> Figure:
        """One panel with one timeline."""
        reading = self.read()
        used = {cell.phase for cell in reading.cells}
        looks = {**_OWN, **{name: _hue(place, name) for place, name in enumerate(self.classes)}}
        own = {name: look for name, look in looks.items() if name in used and name not in PHASES}
        given = {name: look.over(own.get(name)) for name, look in self.phases.items()}
        unknown = used - PHASES.keys() - own.keys() - given.keys()
        own |= {name: _hue(place, name) for place, name in enumerate(sorted(unknown))}
        timeline = Timeline(
            lanes=[Lane(id=lane.id, label=lane.label) for lane in reading.lanes],
            spans=[_span(cell) for cell in reading.cells if cell.duration],
            events=[Event(time=cell.start, lane=cell.lane, mark="dot") for cell in reading.cells if not cell.duration],
            bubbles=[*_bubbles(reading, idle="idle" in self.marks)],
            axis=Axis(label=self.time, ticks=tick_step(reading.length), unit="ms", until=reading.length),
        )
        return Figure(panels=[Panel(content=[timeline])], phases={**own, **given}, legend=self.legend, **common(self))


def _hue(place: int, name: str) -> Phase:
    return Phase(label=name, color=_HUES[place % len(_HUES)], tint=70)


def _span(cell: MeasuredCell) -> Span:
    where: dict[str, Any] = {"lane": cell.lane, "start": cell.start, "duration": cell.duration}
    return Span(**where, phase=cell.phase, number=cell.number, chunk=cell.chunk)


def _bubbles(reading: Reading, *, idle: bool) -> Iterator[Bubble]:
    """The waits at the beginning of operations; with `idle`, all time in which a lane has no cell."""
    by_lane: dict[str, list[MeasuredCell]] = {lane.id: [] for lane in reading.lanes}
    for cell in reading.cells:
        by_lane[cell.lane].append(cell)
    for lane, cells in by_lane.items():
        moments = [(Fraction(0), Fraction(0)), *sorted((each.start, each.start + each.duration) for each in cells)]
        waits = {each.start: each.waited for each in cells}
        for (_, before), (start, _) in pairwise([*moments, (reading.length, reading.length)]):
            begin = before if idle else max(before, start - waits.get(start, Fraction(0)))
            if begin < start:
                yield Bubble(lane=lane, start=begin, end=start)
