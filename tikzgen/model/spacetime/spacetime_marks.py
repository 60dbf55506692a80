"""Marks of space-time diagrams: activations, events and their order, cuts, regions, lines, notes."""

from typing import Annotated, Literal

from pydantic import Field

from tikzgen.model.exact_fields import Time
from tikzgen.model.looks.palettes import Color
from tikzgen.model.part import Id, Part, make_empty_list
from tikzgen.text import Said, Text


class Activation(Part):
    """A period in which a lifeline is busy: a bar on it."""

    lifeline: Id
    """Id of the lifeline."""
    start: Time
    """Start time."""
    end: Time
    """End time."""
    label: Text = ""
    """Text next to the bar."""


class LifeEvent(Part):
    """An event on a lifeline, or a name for a message that is sent or received there at that time."""

    lifeline: Id
    """Lifeline of the event."""
    time: Time
    """Time of the event."""
    label: Text = ""
    """Text next to the event."""
    mark: Literal["dot", "diamond", "triangle", "cross"] = "dot"
    """Shape of the marker."""
    id: Id | None = None
    """Name of the event; null takes `<lifeline>-e<k>`."""


class HappenedBefore(Part):
    """An arrow from an event to a later one that it may have caused, by way of messages."""

    source: Id
    """Name of the earlier event."""
    target: Id
    """Name of the later event."""
    label: Text = ""
    """Text next to the arrow."""


class Cut(Part):
    """A line across all lifelines that separates a past from a future."""

    at: Time | Annotated[list[Time], Field(min_length=1)]
    """Time at which the cut crosses each lifeline, in their order; or one time for all."""
    label: Text = ""
    """Text at the end of the line."""
    consistent: bool = True
    """Whether all messages received before the cut have their send time before the cut. Set false for an inconsistent
    cut."""


class Case(Part):
    """The time at which another alternative of a region begins."""

    time: Time
    """Start time of the alternative."""
    guard: Text = ""
    """Condition of the alternative: [else]."""


class Region(Part):
    """A box over lifelines for a period: a phase, a loop, alternatives."""

    start: Time
    """Start time."""
    end: Time
    """End time."""
    lifelines: list[Id] = Field(default_factory=make_empty_list)
    """Ids of adjacent lifelines; empty means all."""
    label: Text = ""
    """Text in the tab at the corner: alt, loop, name of a phase."""
    guard: Text = ""
    """Text next to the tab: a condition, or a number of repetitions."""
    color: Color | None = None
    """Fill color; null draws only the border."""
    cases: list[Case] = Field(default_factory=make_empty_list)
    """Further alternatives, in order; a line marks the start of each."""


class Separator(Part):
    """A line across all lifelines, at the start of a new phase."""

    time: Time
    """Time of the separator."""
    label: Text = ""
    """Text at the end of the line."""


class LifeNote(Part):
    """A boxed note next to a lifeline, at one time."""

    lifeline: Id
    """Id of the lifeline."""
    time: Time
    """Time of the note."""
    text: Said
    """Content of the note; long notes are wrapped."""
    side: Literal["auto", "above", "below", "left", "right"] = "auto"
    """Side of the lifeline at this time; `auto` takes a side with blank space."""
