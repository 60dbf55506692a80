"""Measured run: traces of profilers as a timeline with measured durations.

Cells have their measured occupancy; waits, idle time and braces over periods are marked.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.plain_words import count_of, spell_rounded
from tikzgen.model.exact_fields import Grain, Offset, Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import PHASES, Phase
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.panel_parts import Legend, Panel
from tikzgen.model.part import Id, Part, make_empty_list
from tikzgen.model.timeline import WAIT, Axis, Brace, Bubble, Event, Lane, LaneGroup, Span, Timeline
from tikzgen.recipe.measured.compared_pipeline import Comparison, Model, fit_pipeline
from tikzgen.recipe.measured.measured_reading import MOST_RANKS_COUNT, MeasuredCell, MeasuredPeriod, Rank, Reading
from tikzgen.recipe.schedule_marks import step as tick_step
from tikzgen.recipe.shared_facts import as_list
from tikzgen.text import Text

# Default styles of measured operations: cycling hues; gray for copies, fills and waits.

_HUES: dict[Literal["otteal", "otblue", "otorange", "otpurple"], int] = {
    "otteal": 80,
    "otblue": 39,
    "otorange": 96,
    "otpurple": 130,
}
"""Hues of classes, with tints that differ in grayscale."""
_HATCHES: tuple[Literal["none", "north east lines", "crosshatch", "dots"], ...] = (
    "none",
    "north east lines",
    "crosshatch",
    "dots",
)
"""Hatches of classes that share a hue."""
_OWN_TEXTS = {
    "memcpy": Phase(label="copy", color="otgray", tint=85),
    "memset": Phase(label="fill", color="otgray", tint=130),
    WAIT: Phase(label="wait", color="otgray", tint=8, hatch="north east lines"),
}


def looks_of(reading: Reading, classes: Collection[str]) -> dict[str, Phase]:
    """Return the styles of phases without a built-in style; the user's classes are first."""
    used = {cell.phase for cell in reading.cells} | {WAIT for cell in reading.cells if cell.waited}
    looks = {**_OWN_TEXTS, **{name: _make_phase(place, name) for place, name in enumerate(classes)}}
    own = {name: look for name, look in looks.items() if name in used and name not in PHASES}
    unknown = used - PHASES.keys() - own.keys()
    return own | {name: _make_phase(place, name) for place, name in enumerate(sorted(unknown))}


def _make_phase(place: int, name: str) -> Phase:
    cycle, position = divmod(place, len(_HUES))
    color, tint = [*_HUES.items()][position]
    return Phase(label=name, color=color, tint=tint, hatch=_HATCHES[cycle % len(_HATCHES)])


_Pattern = Annotated[str, Field(max_length=1000)]
_Stream = Annotated[str, Field(max_length=200)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$", max_length=40)]
_UNITS = {"s": Fraction(1, 1000), "ms": Fraction(1), "us": Fraction(1000)}
_THIN_SHARE = Fraction(1, 100)
"""Minimum exposed time for a brace, as a share of the drawn time."""


def _convert_numbers(value: Any) -> Any:
    """Convert stream numbers to strings, and a single one to a list."""
    if isinstance(value, list):
        return [str(each) if _is_whole(each) else each for each in value]
    return [str(value)] if _is_whole(value) else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Given = Literal["auto", "hide"] | int | list[int | _Stream]
_Held = Annotated[
    Literal["auto", "hide"] | list[_Stream], BeforeValidator(_convert_numbers, json_schema_input_type=_Given)
]


_Groups = list[Annotated[list[Rank], Field(min_length=2, max_length=100_000)]]
_Axis = Literal["pp", "dp", "cp", "ep", "tp"]
_Size = Annotated[int, Field(ge=1, le=1_000_000)] | Annotated[_Groups, Field(min_length=1, max_length=100_000)]


class MeasuredParallelism(Part):
    """Axes of parallelism, each with its size or its groups of ranks."""

    pp: _Size | None = None
    """Pipeline stages."""
    dp: _Size | None = None
    """Copies of the model."""
    cp: _Size | None = None
    """Context parallelism."""
    ep: _Size | None = None
    """Expert parallelism."""
    tp: _Size | None = None
    """Tensor parallelism."""
    order: list[_Axis] = Field(default_factory=make_empty_list)
    """Axes from outside in; the ranks of the last one are adjacent. Empty means pp, dp, cp, ep, tp."""

    @property
    def sizes(self) -> dict[str, int | list[list[int]]]:
        """Given axes with their sizes or groups."""
        given = {axis: getattr(self, axis) for axis in get_args(_Axis)}
        return {axis: size for axis, size in given.items() if size is not None}


class Trace(EditableRecipe):
    """A measured run: traces of torch.profiler, JAX, rocprofv3 or Nsight Systems, or a table of times."""

    field_group = "source"
    field_groups = (
        "lanes: streams lanes operations begin timing classes replica",
        "display: detail marks compare unit time phases legend",
    )
    common = ("source: traces/rank0.json.gz", "step", "lanes", "classes", "marks", "parallelism", "clock")

    recipe: Literal["trace"] = "trace"
    """Name of the recipe."""
    id: Slug = "trace"
    source: str | list[str] | dict[Rank, str]
    """Trace files, relative to the spec's folder: a name, a pattern such as `rank{0..3}.json.gz` or `traces/*.json`, a
    list of these, or one file per rank."""
    format: Annotated[str, Field(min_length=1, max_length=40)] = "auto"
    """Format of the files, or the program that wrote them: `kineto` (PyTorch), `jax`, `tensorflow`, `horovod`, `nccl`,
    `ray`, `dask`, `viztracer`, `pipelining`, `generic` (lanes of threads), `rocprof`, `nsight` or `csv`. `auto`
    recognizes it by the contents."""
    ranks: Annotated[list[Rank], Field(min_length=1, max_length=MOST_RANKS_COUNT)] | Literal["all"] | None = None
    """Ranks to draw. Null draws the first eight; `all` is an error if a rank of the run is missing."""
    step: Literal["last-complete", "first", "median", "all"] | Annotated[int, Field(ge=0)] = "last-complete"
    """Step to draw, by its number or position; `all` draws the entire trace."""
    window: tuple[Time, Time] | None = None
    """Period to draw instead of a step, in ms from the first event."""
    streams: dict[_Name, _Held] = Field(default_factory=dict)
    """Additional lanes, which precede the others, by name. Each lists its streams or classes, or is `auto` for the
    class of that name (compute, communication, copies, or one of `classes`). `hide` removes a class or a stream
    from the figure."""
    lanes: Literal["auto", "stream", "class", "rank", "annotations", "thread"] = "auto"
    """Meaning of a lane. `auto` is a stream if the trace has events of a device, otherwise annotated operations,
    otherwise a thread."""
    operations: _Pattern = "auto"
    """Names of annotated operations: a regular expression with the groups `phase`, `microbatch` and, optionally,
    `stage`."""
    begin: Literal["work", "annotation"] = "work"
    """Start of an operation: the first computation inside its annotation (`work`), or the start of the annotation."""
    timing: Literal["auto", "device", "thread"] = "auto"
    """Times of operations: of their kernels on devices, or of their annotations on threads. `auto` is `device` if
    kernels of an operation are known; `begin` is for threads."""
    parallelism: MeasuredParallelism | None = None
    """Axes of parallelism, such as `{pp: 4, dp: 2}`. Null takes them from labels, process groups and annotations."""
    replica: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    """Pipeline to draw: its number among the positions on the axes other than pp. It is a copy of the model if these
    axes are only dp. Null draws all."""
    classes: dict[Id, Annotated[list[_Pattern], BeforeValidator(as_list)]] = Field(default_factory=dict)
    """Custom classes of kernels: regular expressions by class name. They take precedence over the built-in ones."""
    clock: Literal["auto", "raw", "collectives"] | dict[Rank, Offset] = "auto"
    """Clock correction of ranks. `raw` keeps the timestamps, `collectives` shifts ranks so that their collectives end
    together, numbers shift ranks by ms. `auto` is `raw` on a single host."""
    detail: Grain = Fraction(1, 640)
    """Merge slices that are closer than this share of the drawn time."""
    marks: list[Literal["idle", "exposed", "step"]] = Field(default_factory=make_empty_list)
    """Additional marks: idle time, braces over exposed communication (for one or two ranks), and braces over steps."""
    compare: Comparison | None = None
    """Simulated pipeline to draw below the measured operations, on the same axis."""
    unit: Literal["us", "ms", "s"] = "ms"
    """Unit of the axis and of all measures; `window` and `clock` are in ms."""
    time: Text = "time"
    """Label of the time arrow."""
    phases: dict[str, Phase] = Field(default_factory=dict)
    """Styles of classes and operations, over the built-in ones."""
    legend: Legend = Field(default_factory=Legend)
    """The legend, which explains the fills."""
    reading: Reading | None = None
    """Contents of the traces. tikzgen writes them into the figure, which can then be drawn again without the files."""

    def summary(self) -> str:
        reading = self.load_reading()
        if self.lanes == "thread":
            return f"Measured timeline of {count_of(len(reading.lanes), 'lane')}"
        return f"Measured timeline of {count_of(reading.ranks_count, 'rank')}"

    @property
    def facts(self) -> str:
        """Digest of the parameters for reading the files."""
        names = ("source", "ranks", "step", "window", "lanes", "operations", "begin", "classes", "clock", "detail")
        values = [getattr(self, name) for name in (*names, "streams")]
        fields = type(self).model_fields  # later fields count only if they are set: earlier figures keep their digest
        later = [
            name
            for name in ("timing", "parallelism", "replica", "format")
            if getattr(self, name) != fields[name].default
        ]
        values += [[name, getattr(self, name)] for name in later]
        spelt = json.dumps(values, default=str)
        return sha256(spelt.encode()).hexdigest()[:16]

    def load_reading(self) -> Reading:
        """Return the contents of the traces.

        Raise `SpecError` if they are missing, or come from other parameters.
        """
        if self.reading is None or self.reading.facts != self.facts:
            why = "were not read" if self.reading is None else "were read with other options"
            hint = "render the spec in the folder of the traces; from Python, tikzgen.load reads it"
            raise SpecError([Problem(f"the traces {why}", "source", hint=hint)])
        return self.reading

    @property
    def spelt_unit(self) -> str:
        """Unit in the notation of the axis."""
        if self.reading is not None and self.reading.unit == "plan step":
            return "steps"
        return "µs" if self.unit == "us" else self.unit

    def scaled_reading(self) -> Reading:
        """Return the contents of the traces in the unit of the figure."""
        reading = self.load_reading()
        return reading.in_unit(Fraction(1000) if reading.unit == "plan step" else _UNITS[self.unit])

    def fit_model(self) -> Model | None:
        """Return the pipeline for comparison with the run, if requested."""
        return fit_pipeline(self.scaled_reading(), self.compare, self.spelt_unit) if self.compare else None

    def list_derivations(self) -> list[str]:
        """Return notes about choices, moved clocks, merged slices, and the comparison."""
        model = self.fit_model()
        return [
            *self.scaled_reading().notes,
            *self.describe_braces(),
            *([model.describe_model(self.spelt_unit)] if model else []),
        ]

    def describe_braces(self) -> list[str]:
        """Return the part of the exposed communication that has braces; empty if it is complete."""
        if "exposed" not in self.marks:
            return []
        reading = self.scaled_reading()
        periods = [each for each in reading.periods if each.rank is not None]
        wide = sum((each.exposed for each in periods if is_wide(each, reading)), Fraction(0))
        every = sum((each.exposed for each in periods), Fraction(0))
        shares = f"{spell_rounded(wide, 1)} of {spell_rounded(every, 1)} {self.spelt_unit}"
        return [f"braces over {shares} of exposed communication"] if wide < every else []

    def expand(self) -> FigureModel:
        """Return a panel with the measured timeline, and one with the simulated timeline if requested."""
        reading, model = self.scaled_reading(), self.fit_model()
        panels = [measured_timeline(reading, self.marks, self.time, self.spelt_unit)]
        if model:
            panels.append(model.make_timeline(bubbles="idle" in self.marks))
            panels = on_one_axis(panels)
        ids = ("measured", "simulated") if model else ("main",)
        below = (self.compare.simulated or f"simulated: {model.name}") if model and self.compare else ""
        captions = (self.compare.measured, below) if self.compare else ("",)
        looks = looks_of(reading, self.classes)
        return FigureModel(
            panels=[
                Panel(id=name, caption=caption, content=[timeline])
                for name, caption, timeline in zip(ids, captions, panels, strict=True)
            ],
            arrange="column",
            phases={**looks, **{name: look.over(looks.get(name)) for name, look in self.phases.items()}},
            legend=self.legend,
            **self.collect_common_options(),
        )


def measured_timeline(reading: Reading, marks: Collection[str], label: str, unit: str) -> Timeline:
    """Return the timeline of a reading, in the unit of the reading.

    Raise `SpecError` for exposed communication of more than two ranks, for which there are no braces.
    """
    return Timeline(
        lanes=[Lane(id=lane.id, label=lane.label) for lane in reading.lanes],
        groups=[*_make_lane_groups(reading)],
        spans=[span for cell in reading.cells if cell.duration for span in _make_spans(cell, reading)],
        events=[Event(time=cell.start, lane=cell.lane, mark="dot") for cell in reading.cells if not cell.duration],
        bubbles=[*_find_idle_times(reading)] if "idle" in marks else [],
        braces=[*_make_braces(reading, marks, unit)],
        axis=Axis(label=label, ticks=tick_step(reading.length), unit=unit, until=reading.length),
    )


def _make_lane_groups(reading: Reading) -> Iterator[LaneGroup]:
    for label in dict.fromkeys(lane.group for lane in reading.lanes if lane.group):
        yield LaneGroup(lanes=[lane.id for lane in reading.lanes if lane.group == label], label=label)


def on_one_axis(timelines: Sequence[Timeline]) -> list[Timeline]:
    """Return the timelines with one shared axis at the last of them, as long as the longest."""
    axes = [timeline.axis for timeline in timelines if timeline.axis]
    until = max(axis.until or Fraction(0) for axis in axes)
    axis = axes[0].model_copy(update={"until": until, "ticks": tick_step(until)})
    last = len(timelines) - 1
    return [
        timeline.model_copy(update={"axis": axis if place == last else None})
        for place, timeline in enumerate(timelines)
    ]


def _make_spans(cell: MeasuredCell, reading: Reading) -> Iterator[Span]:
    """Yield the span of a cell, preceded by its wait."""
    if cell.waited:
        yield Span(lane=cell.lane, start=cell.start - cell.waited, duration=cell.waited, phase=WAIT)
    facts: dict[str, Any] = {"start": cell.start, "duration": cell.duration, "number": cell.number}
    facts["chunk"] = min((cell.stage or 0) // reading.axes.get("pp", reading.world), 15)
    yield Span(lane=cell.lane, phase=cell.phase, occupancy=cell.occupancy, **facts)


def _find_idle_times(reading: Reading) -> Iterator[Bubble]:
    """Yield all times in which a lane has no cell."""
    by_lane: dict[str, list[MeasuredCell]] = {lane.id: [] for lane in reading.lanes}
    for cell in reading.cells:
        by_lane[cell.lane].append(cell)
    for lane, cells in by_lane.items():
        moments = sorted((each.start - each.waited, each.end) for each in cells)
        edges = [(Fraction(0), Fraction(0)), *moments, (reading.length, reading.length)]
        for (_, before), (start, _) in pairwise(edges):
            if before < start:
                yield Bubble(lane=lane, start=before, end=start)


def _make_braces(reading: Reading, marks: Collection[str], unit: str) -> Iterator[Brace]:
    """Yield braces over exposed communication and over steps.

    The first rank has its braces above the lanes, a second rank below.
    """
    ranks = [(each.rank, each.device) for each in reading.ranks]
    if "exposed" in marks and len(ranks) > 2:
        message = f"exposed communication is braced above the lanes and below: of two ranks, not of {len(ranks)}"
        raise SpecError([Problem(message, "marks", hint=f"ranks: [{ranks[0][0]}]")])
    wide = [period for period in reading.periods if period.rank is not None and is_wide(period, reading)]
    longest = {(period.rank, period.device): period for period in sorted(wide, key=lambda period: period.exposed)}
    for period in reading.periods if "step" in marks else ():
        if period.rank is None:
            yield Brace(start=period.start, end=period.end, label=period.name)
    for period in wide if "exposed" in marks else ():
        own = period.rank, period.device
        name = f"{period.name} " if period is longest[own] else ""
        where: dict[str, Any] = {"side": "before" if own == ranks[0] else "after"}
        text = f"{name}{float(period.exposed):.1f}\u00a0{unit}"
        yield Brace(start=period.start, end=period.end, label=text, **where)


def is_wide(period: MeasuredPeriod, reading: Reading) -> bool:
    """Return whether a period has enough exposed communication for a brace."""
    return period.exposed >= reading.length * _THIN_SHARE
