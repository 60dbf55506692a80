"""What stands on a timeline beside its spans: idle time, moments, periods, levels, arrows, and the axis."""

from typing import Literal

from pydantic import Field

from tikzgen.model.base import Duration, Id, Part, Ref, Time, Words, empty
from tikzgen.text import Text


class LaneGroup(Part):
    """Lanes that belong together, with a bracket and a label before them; groups nest: node, GPU, stream."""

    lanes: list[Id] = Field(min_length=1)
    """The ids of adjacent lanes."""
    label: Text = ""
    """Text at the bracket."""
    id: Id | None = None
    """A name for the bracket; null takes `group<k>`."""


class Frame(Part):
    """A box behind the spans of a period; what no span covers inside it is idle time."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    lanes: list[Id] = Field(default_factory=empty)
    """The ids of adjacent lanes; empty means all."""


class Bubble(Part):
    """A time in which a lane waits: drawn in the look of the phase `idle`."""

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
    """A moment at which lanes wait for each other: a line across them."""

    time: Time
    """When."""
    lanes: list[Id] = Field(default_factory=empty)
    """The ids of adjacent lanes; empty means all."""
    label: Text = ""
    """Text at its end."""


class Dependency(Part):
    """An arrow from the end of one span to the beginning of another."""

    source: Ref
    """The span that comes first, by its name."""
    target: Ref
    """The span that waits, by its name."""
    kind: Literal["dependency", "message", "critical"] = "dependency"
    """A thin arrow; a dashed one for what travels between devices; a heavy one on the critical path."""
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
    """A double arrow that measures a period, with text beside it."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    label: Text = ""
    """Text beside it."""
    lane: Id | None = None
    """The lane on which it lies; null puts it after the last lane, with lines up to the lanes."""


class Event(Part):
    """A moment worth a sign: a checkpoint, a failure, an arrival."""

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
    """A note with a thin line to the span that it speaks of."""

    about: Ref
    """The span, by its name."""
    text: Text
    """What it says."""
    side: Literal["before", "after"] = "before"
    """Before the first lane (above, where time runs to the right) or after the last one."""


class Level(Part):
    """A value that holds for a period."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    value: Time
    """How much, in any unit."""


class Strip(Part):
    """A step curve over time, such as the activations that a device holds, with its peak and its limit."""

    levels: list[Level] = Field(min_length=1)
    """The values, in the order of time; where there is none, it is 0."""
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
    """A stretch of time that is left out of the drawing."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""


class Axis(Part):
    """The time arrow, which can be a ruler."""

    label: Text = "time"
    """Text at the arrow."""
    ticks: Duration | None = None
    """The distance of tick marks in time units; null draws none."""
    unit: Words = Field(default="", max_length=20)
    """The unit behind the numbers at the ticks, such as ms."""
    until: Time | None = None
    """When the ruler ends; null takes the end of the timeline."""
    breaks: list[Break] = Field(default_factory=empty, max_length=64)
    """Stretches left out; nothing but idle time and spans that outlast them may lie there."""
