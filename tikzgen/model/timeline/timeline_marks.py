"""Marks of a timeline besides spans: idle time, events, periods, levels, arrows, and the axis."""

from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.model.exact_fields import Duration, Time
from tikzgen.model.part import Id, Part, Ref, Words, fail, make_empty_list
from tikzgen.text import Said, Text


class LaneGroup(Part):
    """Lanes that belong together, with a bracket and a label before them; groups nest: node, GPU, stream."""

    lanes: list[Id] = Field(min_length=1)
    """Ids of adjacent lanes."""
    label: Text = ""
    """Text at the bracket."""
    id: Id | None = None
    """Name of the bracket; null takes `group<k>`."""


class Frame(Part):
    """A box behind the spans of a period; any area that no span covers is idle time."""

    start: Time
    """Start time."""
    end: Time
    """End time."""
    lanes: list[Id] = Field(default_factory=make_empty_list)
    """Ids of adjacent lanes; empty means all."""


class Bubble(Part):
    """A period in which a lane waits, drawn in the style of the phase `idle`."""

    lane: Id
    """Id of the waiting lane."""
    start: Time
    """Start time."""
    end: Time
    """End time."""
    label: Text = ""
    """Text inside, if it fits."""
    cause: Words = ""
    """Cause of the wait, as a comment in the file."""
    slide: int | None = Field(default=None, ge=1, le=999)
    """First overlay of the Beamer frame that shows it; null shows it on all overlays."""


class Barrier(Part):
    """A time at which lanes wait for each other: a line across them."""

    time: Time
    """Time of the barrier."""
    lanes: list[Id] = Field(default_factory=make_empty_list)
    """Ids of adjacent lanes; empty means all."""
    label: Text = ""
    """Text at the end of the line."""
    kind: str | None = None
    """Kind of the line: a name of `kinds` or a built-in one, which sets color, dashes and width; null is the usual
    line."""


class Dependency(Part):
    """An arrow from the end of one span to the beginning of another."""

    source: Ref
    """Name of the earlier span."""
    target: Ref
    """Name of the waiting span."""
    kind: Literal["dependency", "message", "critical"] = "dependency"
    """Thin arrow; dashed arrow for a message between devices; heavy arrow on the critical path."""
    route: Literal["auto", "bend"] = "auto"
    """Shape of the arrow: straight if no label is in the way (`auto`), or a curve that leaves and arrives along the
    time axis (`bend`)."""
    label: Text = ""
    """Text next to the arrow."""
    slide: int | None = Field(default=None, ge=1, le=999)
    """First overlay of the Beamer frame that shows it; null shows it on all overlays."""


class Brace(Part):
    """A curly brace along a period with text at its middle: warm-up, steady state, cool-down."""

    start: Time
    """Start time."""
    end: Time
    """End time."""
    label: Text = ""
    """Text at the middle of the brace."""
    side: Literal["before", "after"] = "before"
    """Before the first lane (above, if time runs to the right) or after the last one."""


class Dimension(Part):
    """A double arrow that measures a period, with a label."""

    start: Time
    """Start time."""
    end: Time
    """End time."""
    label: Text = ""
    """Text next to the arrow."""
    lane: Id | None = None
    """Lane of the arrow; null puts it after the last lane, with lines to the lanes."""
    side: Literal["before", "after"] | None = None
    """Before the first lane (above, if time runs to the right) or after the last one; null depends on `lane`."""


class Event(Part):
    """A marker at a time: a checkpoint, a failure, an arrival."""

    time: Time
    """Time of the event."""
    lane: Id | None = None
    """Lane of the event; null puts it on the time arrow."""
    label: Text = ""
    """Text at the marker."""
    mark: Literal["dot", "diamond", "triangle", "cross"] = "diamond"
    """Shape of the marker."""
    id: Id | None = None
    """Name of the event; null takes `event<k>`."""


class Remark(Part):
    """A note with a thin line to its span."""

    about: Ref
    """Name of the span."""
    text: Said
    """Text of the note."""
    side: Literal["before", "after"] = "before"
    """Before the first lane (above, if time runs to the right) or after the last one."""


class Level(Part):
    """A value that is constant over a period."""

    start: Time
    """Start time."""
    end: Time
    """End time."""
    value: Time
    """Value in this period, in any unit."""


class Strip(Part):
    """A step curve over time, such as the activations that a device holds, with its peak and its limit."""

    levels: list[Level] = Field(default_factory=make_empty_list)
    """The values, in the order of time; between them the value is 0."""
    of: str | None = None
    """Name of a phase, instead of `levels`: the curve is the number of its simultaneous spans, on `lane` or on all
    lanes."""
    label: Text = ""
    """Text before the curve."""
    lane: Id | None = None
    """Lane above the strip; null puts it under all lanes."""
    cap: Time | None = None
    """Limit, drawn as a dashed line; null draws none."""
    cap_label: Text = ""
    """Text at the limit; empty shows its value."""
    peak: bool = True
    """Whether the greatest value is marked with its number."""
    id: Id | None = None
    """Name of the strip; null takes `strip<k>`."""


class Break(Part):
    """An interval of time that the drawing leaves out."""

    start: Time
    """Start time."""
    end: Time
    """End time."""


class Tick(Part):
    """A custom tick mark on the time arrow."""

    at: Time
    """Time of the tick mark."""
    label: Text = ""
    """Text at the tick mark."""


class Rules(Part):
    """Lines along time between lanes."""

    between: Literal["none", "solid", "dotted"] = "none"
    """Lines between neighboring lanes."""
    groups: Literal["none", "solid", "dotted"] = "none"
    """Lines between groups of lanes, instead of the lines between lanes."""


_CLOCKS = ("h:mm", "hh:mm", "m:ss", "mm:ss", "h:mm:ss", "hh:mm:ss")
_NUMBERED_LABEL = pattern_of(r"[A-Za-z0-9 .:/+-]*\{n\}[A-Za-z0-9 .:/+-]*")


class Axis(Part):
    """The time arrow, which can be a ruler."""

    label: Text = "time"
    """Text at the arrow."""
    ticks: Duration | list[Tick] | None = None
    """Distance of tick marks in time units, or a list of labeled marks; null draws no ticks."""
    format: str = Field(default="{n}", max_length=30)
    """Format of the tick labels. `{n}` is the number, as in `{n}T`. `mm:ss` and `hh:mm:ss` read time units as seconds,
    `hh:mm` as minutes; a single `m` or `h` at the start omits the leading zero."""
    grid: bool = False
    """Whether the ticks continue across the lanes as thin lines."""
    unit: Words = Field(default="", max_length=20)
    """Unit after the numbers at the ticks, such as ms."""
    until: Time | None = None
    """End of the ruler; null takes the end of the timeline."""
    breaks: list[Break] = Field(default_factory=make_empty_list, max_length=64)
    """Intervals that the drawing leaves out. They can contain only idle time and spans that continue across the
    interval."""

    @model_validator(mode="after")
    def _format_is_known(self) -> Self:
        if self.format not in _CLOCKS and not _NUMBERED_LABEL.fullmatch(self.format):
            hint = f"write {{n}} for the number, with plain letters around it, or one of {', '.join(_CLOCKS)}"
            fail(f"unknown format {quote(self.format)}", "format", hint=hint)
        if self.grid and not self.ticks:
            fail("a grid needs ticks", "grid", hint="set their distance: ticks: 1")
        return self
