"""Marks of a timeline besides spans: idle time, events, periods, levels, arrows, and the axis."""

from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.model.exact_fields import Duration, Time
from tikzgen.model.part import Id, Part, Ref, Words, empty, fail
from tikzgen.text import Said, Text


class LaneGroup(Part):
    """Lanes that belong together, with a bracket and a label before them; groups nest: node, GPU, stream."""

    lanes: list[Id] = Field(min_length=1)
    """The ids of adjacent lanes."""
    label: Text = ""
    """Text at the bracket."""
    id: Id | None = None
    """A name for the bracket; null takes `group<k>`."""


class Frame(Part):
    """A box behind the spans of a period; any area that no span covers is idle time."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    lanes: list[Id] = Field(default_factory=empty)
    """The ids of adjacent lanes; empty means all."""


class Bubble(Part):
    """A period in which a lane waits, drawn in the style of the phase `idle`."""

    lane: Id
    """The lane that waits."""
    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    label: Text = ""
    """Text inside, where it fits."""
    cause: Words = ""
    """What it waits for, as a comment in the file."""
    slide: int | None = Field(default=None, ge=1, le=999)
    """The overlay of a Beamer frame from which it is shown; null shows it always."""


class Barrier(Part):
    """A time at which lanes wait for each other: a line across them."""

    time: Time
    """When."""
    lanes: list[Id] = Field(default_factory=empty)
    """The ids of adjacent lanes; empty means all."""
    label: Text = ""
    """Text at its end."""
    kind: str | None = None
    """What waits there: a name of `kinds` or a built-in one, whose colour, dashes and width the line has."""


class Dependency(Part):
    """An arrow from the end of one span to the beginning of another."""

    source: Ref
    """The span that comes first, by its name."""
    target: Ref
    """The span that waits, by its name."""
    kind: Literal["dependency", "message", "critical"] = "dependency"
    """A thin arrow; a dashed one for what travels between devices; a heavy one on the critical path."""
    route: Literal["auto", "bend"] = "auto"
    """How it runs: straight where no text is in the way, or along a curve that leaves and arrives along time."""
    label: Text = ""
    """Text beside the arrow."""
    slide: int | None = Field(default=None, ge=1, le=999)
    """The overlay of a Beamer frame from which it is shown; null shows it always."""


class Brace(Part):
    """A curly brace along a period with text at its middle: warm-up, steady state, cool-down."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    label: Text = ""
    """Text at its middle."""
    side: Literal["before", "after"] = "before"
    """Before the first lane (above, where time runs to the right) or after the last one."""


class Dimension(Part):
    """A double arrow that measures a period, with a label."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    label: Text = ""
    """Text beside it."""
    lane: Id | None = None
    """The lane on which it lies; null puts it after the last lane, with lines up to the lanes."""
    side: Literal["before", "after"] | None = None
    """Before the first lane (above, where time runs to the right) or after the last one; null lets its lane decide."""


class Event(Part):
    """A marker at a time: a checkpoint, a failure, an arrival."""

    time: Time
    """When."""
    lane: Id | None = None
    """The lane on which it lies; null puts it on the time arrow."""
    label: Text = ""
    """Text at the sign."""
    mark: Literal["dot", "diamond", "triangle", "cross"] = "diamond"
    """Its sign."""
    id: Id | None = None
    """A name; null takes `event<k>`."""


class Remark(Part):
    """A note with a thin line to its span."""

    about: Ref
    """The span, by its name."""
    text: Said
    """What it says."""
    side: Literal["before", "after"] = "before"
    """Before the first lane (above, where time runs to the right) or after the last one."""


class Level(Part):
    """A value that is constant over a period."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    value: Time
    """How much, in any unit."""


class Strip(Part):
    """A step curve over time, such as the activations that a device holds, with its peak and its limit."""

    levels: list[Level] = Field(default_factory=empty)
    """The values, in the order of time; where there is none, it is 0."""
    of: str | None = None
    """A phase in place of levels: how many of its spans run at once, on `lane` or on all lanes."""
    label: Text = ""
    """Text before it."""
    lane: Id | None = None
    """The lane under which it lies; null puts it under all lanes."""
    cap: Time | None = None
    """The limit, drawn as a dashed line; null draws none."""
    cap_label: Text = ""
    """Text at the limit; empty gives its value."""
    peak: bool = True
    """Whether the greatest value is marked with its number."""
    id: Id | None = None
    """A name; null takes `strip<k>`."""


class Break(Part):
    """An interval of time that the drawing leaves out."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""


class Tick(Part):
    """A custom tick mark on the time arrow."""

    at: Time
    """When."""
    label: Text = ""
    """Text at the mark."""


class Rules(Part):
    """Lines along time between lanes."""

    between: Literal["none", "solid", "dotted"] = "none"
    """Between neighbouring lanes."""
    groups: Literal["none", "solid", "dotted"] = "none"
    """Between groups of lanes, in place of those between lanes."""


_CLOCKS = ("h:mm", "hh:mm", "m:ss", "mm:ss", "h:mm:ss", "hh:mm:ss")
_NUMBERED_LABEL = pattern_of(r"[A-Za-z0-9 .:/+-]*\{n\}[A-Za-z0-9 .:/+-]*")


class Axis(Part):
    """The time arrow, which can be a ruler."""

    label: Text = "time"
    """Text at the arrow."""
    ticks: Duration | list[Tick] | None = None
    """The distance of tick marks in time units, or each mark with its text; null draws none."""
    format: str = Field(default="{n}", max_length=30)
    """What stands at a tick: `{n}` is the number, as in `{n}T`; `mm:ss` and `hh:mm:ss` read time units as seconds,
    `hh:mm` as minutes; one `m` or `h` in front writes no zero."""
    grid: bool = False
    """Whether the ticks go on across the lanes as thin lines."""
    unit: Words = Field(default="", max_length=20)
    """The unit behind the numbers at the ticks, such as ms."""
    until: Time | None = None
    """When the ruler ends; null takes the end of the timeline."""
    breaks: list[Break] = Field(default_factory=empty, max_length=64)
    """Stretches left out; nothing but idle time and spans that outlast them may lie there."""

    @model_validator(mode="after")
    def _format_is_known(self) -> Self:
        if self.format not in _CLOCKS and not _NUMBERED_LABEL.fullmatch(self.format):
            hint = f"write {{n}} for the number, with plain letters around it, or one of {', '.join(_CLOCKS)}"
            fail(f"there is no format {quote(self.format)}", "format", hint=hint)
        if self.grid and not self.ticks:
            fail("a grid goes through ticks, and there are none", "grid", hint="say their distance: ticks: 1")
        return self
