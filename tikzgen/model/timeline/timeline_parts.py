"""Parts of a timeline: lanes, spans, and the base class `TimelineParts`."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import lcm
from typing import Literal

from pydantic import Field

from tikzgen.model.content import Content, FreeNote, Path
from tikzgen.model.exact_fields import Duration, Share, Time, count_units
from tikzgen.model.looks.owner_fills import MOST_OWNERS_COUNT
from tikzgen.model.looks.palettes import Color
from tikzgen.model.part import Id, Part, Ref, make_empty_list
from tikzgen.model.timeline.mark_table import PackageMark, list_marks
from tikzgen.model.timeline.timeline_marks import (
    Axis,
    Barrier,
    Brace,
    Bubble,
    Dependency,
    Dimension,
    Event,
    Frame,
    LaneGroup,
    Level,
    Remark,
    Rules,
    Strip,
)
from tikzgen.text import Text

WAIT = "wait"
"""Phase of waiting time inside an annotated range, which contains no work."""


class Lane(Part):
    """A resource that runs one task at a time: a GPU, a stream, a link."""

    id: Id
    """Name of the lane; names of spans begin with it: `<lane>-<phase><k>`."""
    label: Text = ""
    """Text at the beginning of the lane."""
    worker: Id | None = None
    """Worker of the lane; operations on the worker also change the lane."""
    ellipsis: bool = False
    """Whether it represents lanes that are left out. It then is not a device and is not measured. Without a label it
    shows three dots."""
    line: bool = False
    """Whether a thin line runs along its middle, under its spans."""
    band: Color | None = None
    """Color of a background for the whole lane, much lighter than any span."""
    cells: list[Text] = Field(default_factory=make_empty_list, max_length=8)
    """Row of the lane in the table next to the lanes; the timeline's `columns` are the headings."""


class Half(Part):
    """The second part of a fused span, such as the backward of an overlapped forward and backward."""

    phase: str
    """Phase of this part: a name of `phases` or a built-in one."""
    label: Text = ""
    """Text in this part."""
    number: int | None = Field(default=None, ge=0, le=10**9)
    """Number in this part, if it has no label."""
    chunk: int = Field(default=0, ge=0, le=15)
    """Number of the model chunk; each chunk has its own shade of the phase's color."""
    share: Share = Fraction(1, 2)
    """Share of the span that this part covers, up to the end."""


class Span(Part):
    """An activity on one lane, or on several lanes simultaneously."""

    lane: Id | list[Id]
    """Id of the lane, or ids of adjacent lanes that the span covers together."""
    start: Time
    """Start time."""
    duration: Duration
    """Duration."""
    phase: str = "compute"
    """Phase of the span: a name of `phases` or a built-in one (forward, backward, update, fetch, push, …)."""
    label: Text = ""
    """Text in the span."""
    short: Text = ""
    """Shorter text to use if `label` does not fit."""
    number: int | None = Field(default=None, ge=0, le=10**9)
    """Number in the span (microbatch, step, bucket), if it has no label; the phase's `cell` sets its format."""
    chunk: int = Field(default=0, ge=0, le=15)
    """Number of the model chunk; each chunk has its own shade of the phase's color."""
    owner: int | None = Field(default=None, ge=0, lt=MOST_OWNERS_COUNT)
    """Number of its owner, whose fill it gets; phases then differ in their hatch."""
    second: Half | None = None
    """Second activity at the same time; the cell is split, inside one border."""
    occupancy: Share | Literal[1] = 1
    """Share of the span in which slices run, if the span merges several slices; it sets the height of the fill, which
    has no border."""
    shape: Literal["bar", "arrow"] = "bar"
    """Bar, or bar with a tip at its end, such as for a transfer."""
    fault: Text = ""
    """Reason why the span is invalid; the cell is marked."""
    slide: int | None = Field(default=None, ge=1, le=999)
    """First overlay of the Beamer frame that shows it; null shows it on all overlays."""
    id: Id | None = None
    """Name of the span; null takes `<lane>-<phase><k>`."""

    @property
    def lanes(self) -> tuple[str, ...]:
        """Ids of the lanes that it covers."""
        return (self.lane,) if isinstance(self.lane, str) else tuple(self.lane)

    @property
    def end(self) -> Fraction:
        """End of the span, in time units."""
        return self.start + self.duration


def span_names(spans: Iterable[tuple[Sequence[str], str, str | None]]) -> list[str]:
    """Return the node names of spans, from the lanes, the phase and the id (None: numbered) of each."""
    counts: dict[str, int] = {}
    found = []
    for lanes, phase, identifier in spans:
        stem = f"{lanes[0]}-{phase}" if len(lanes) == 1 else phase
        counts[stem] = counts.get(stem, 0) + 1
        found.append(identifier or f"{stem}{counts[stem]}")
    return found


class TimelineParts(Content):
    """Parts of a timeline, without consistency checks."""

    layout_address = "tikzgen.layout.timeline.timeline_kind:KIND"
    sentences_address = "tikzgen.model.timeline.timeline_sentences:describe"
    operations_address = "tikzgen.model.timeline.timeline_names:OPERATIONS"
    names_address = "tikzgen.model.timeline.timeline_names:list_names"
    rows_address = "tikzgen.model.timeline.timeline_operations:ROWS"
    subject_address = "tikzgen.lint.check_figure:GivenTimeline"
    other_names = ("gantt", "schedule", "trace")

    type: Literal["timeline"] = "timeline"
    """Type of the part."""
    lanes: list[Lane] = Field(min_length=1)
    """The lanes: top to bottom, or left to right if time runs up or down."""
    groups: list[LaneGroup] = Field(default_factory=make_empty_list)
    """Lanes that belong together."""
    spans: list[Span] = Field(default_factory=make_empty_list)
    """The spans, in any order; spans on one lane must not overlap."""
    direction: Literal["right", "up", "down"] = "right"
    """Direction of time. Labels are level if it runs right or down, and run along time if it runs up; labels of spans
    too wide for their lanes always run along time."""
    lane_labels: Literal["before", "after"] = "before"
    """Position of the lane labels: at the start or at the end of time."""
    rules: Rules = Field(default_factory=Rules)
    """Lines between lanes, and between groups of lanes."""
    columns: list[Text] = Field(default_factory=make_empty_list, max_length=8)
    """Headings of a table after the lanes, whose rows are the `cells` of the lanes; time must run to the right."""
    shades: Literal["chunk", "direction", "slice", "pipeline"] = "chunk"
    """Meaning of the shades of a phase's color in the legend: model chunks, directions through the model, slices of
    sequences, or pipelines."""
    frames: list[Frame] = Field(default_factory=make_empty_list)
    """Boxes behind the spans, in which idle time is visible."""
    bubbles: list[Bubble] = Field(default_factory=make_empty_list)
    """Drawn idle time."""
    barriers: list[Barrier] = Field(default_factory=make_empty_list)
    """Lines across lanes."""
    dependencies: list[Dependency] = Field(default_factory=make_empty_list)
    """Arrows between spans."""
    critical: list[Ref] = Field(default_factory=make_empty_list)
    """Names of the spans on the critical path, in the order of time, drawn with a heavy border."""
    braces: list[Brace] = Field(default_factory=make_empty_list)
    """Periods with a name."""
    dimensions: list[Dimension] = Field(default_factory=make_empty_list)
    """Periods with a measure."""
    events: list[Event] = Field(default_factory=make_empty_list)
    """Times with a marker."""
    remarks: list[Remark] = Field(default_factory=make_empty_list)
    """Notes outside the lanes, each with a line to its span."""
    notes: list[FreeNote] = Field(default_factory=make_empty_list)
    """Notes next to the timeline, in its middle, or next to a lane or a span."""
    strips: list[Strip] = Field(default_factory=make_empty_list)
    """Step curves under the lanes."""
    marks: list[PackageMark] = Field(default_factory=make_empty_list, max_length=256)
    """Marks whose types installed packages provide, each with its `type`."""
    axis: Axis | None = Field(default_factory=Axis)
    """The time arrow; null draws none."""
    title: Text = ""
    """Text below the lane labels if time runs up, otherwise above the lanes."""
    summary: Text = ""
    """Text at the beginning of the time arrow, such as the share of idle time."""

    def named_parts(self) -> Iterator[tuple[str, Path]]:
        """Yield its spans."""
        yield from ((name, ("spans", index)) for index, name in enumerate(self.names()))

    def phases(self) -> Iterator[tuple[str, Path]]:
        """Yield the phases of its spans, of their second parts, and of its strips."""
        for index, span in enumerate(self.spans):
            yield span.phase, ("spans", index, "phase")
            if span.second:
                yield span.second.phase, ("spans", index, "second", "phase")
        for index, strip in enumerate(self.strips):
            if strip.of is not None:
                yield strip.of, ("strips", index, "of")

    def list_owners(self) -> Iterator[tuple[int, Path]]:
        """Yield the owners of its spans."""
        yield from (
            (span.owner, ("spans", index, "owner")) for index, span in enumerate(self.spans) if span.owner is not None
        )

    @property
    def has_owned_spans(self) -> bool:
        """Whether a span has an owner."""
        return any(span.owner is not None for span in self.spans)

    def count_lanes(self) -> int:
        """Return the number of its lanes."""
        return len(self.lanes)

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """Yield the flow kinds whose style its barriers use."""
        for index, barrier in enumerate(self.barriers):
            if barrier.kind is not None:
                yield barrier.kind, ("barriers", index, "kind")

    def colors(self) -> Iterator[str]:
        """Yield the colors of the bands of its lanes."""
        yield from (lane.band for lane in self.lanes if lane.band)

    def levels(self, strip: Strip) -> list[Level]:
        """Return the values of a strip: its own, or the number of concurrent spans of its phase."""
        if strip.of is None:
            return strip.levels
        changes: dict[Fraction, int] = {}
        for span in self.spans:
            if span.phase == strip.of and (strip.lane is None or strip.lane in span.lanes):
                changes[span.start] = changes.get(span.start, 0) + 1
                changes[span.end] = changes.get(span.end, 0) - 1
        moments = sorted(changes)
        running = accumulate(changes[moment] for moment in moments)
        return [
            Level(start=start, end=end, value=Fraction(many))
            for (start, end), many in zip(pairwise(moments), running, strict=False)
        ]

    def names(self) -> list[str]:
        """Return the node name of every span, in order: `<lane>-<phase><k>`, or `<phase><k>` across lanes."""
        return span_names((span.lanes, span.phase, span.id) for span in self.spans)

    def backward_arrows(self) -> Iterator[tuple[int, Span, Span]]:
        """Yield the dependencies whose source ends after the target starts: index, source span, target span.

        A valid schedule has none.
        """
        if self.dependencies:
            spans = dict(zip(self.names(), self.spans, strict=True))
            for index, arrow in enumerate(self.dependencies):
                source, target = spans[arrow.source], spans[arrow.target]
                if source.end > target.start:
                    yield index, source, target

    def starts(self) -> list[Fraction]:
        """Return the distinct start times of its spans, in order."""
        return sorted({span.start for span in self.spans})

    def list_numbers(self) -> list[int]:
        """List the numbers of its spans, and of their second parts."""
        cells = [cell for span in self.spans for cell in (span, span.second) if cell]
        return sorted({cell.number for cell in cells if cell.number is not None})

    @property
    def end(self) -> Fraction:
        """Time at which everything has ended, in time units."""
        per_unit = lcm(*{time.denominator for span in self.spans for time in (span.start, span.duration)})
        spans = (count_units(span.start, per_unit) + count_units(span.duration, per_unit) for span in self.spans)
        ends = [Fraction(max(spans, default=0), per_unit)]
        ends.extend(end for kind, _, mark in list_marks(self) for end in kind.iterate_end_times(mark))
        if self.axis and self.axis.until is not None:
            ends.append(self.axis.until)
        return max(ends)
