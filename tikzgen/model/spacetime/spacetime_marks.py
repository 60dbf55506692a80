"""Marks of space-time diagrams: activations, events and their order, cuts, regions, lines, notes."""

from typing import Annotated, Literal

from pydantic import Field

from tikzgen.model.exact_fields import Time
from tikzgen.model.looks.palettes import Color
from tikzgen.model.part import Id, Part, empty
from tikzgen.text import Said, Text


class Activation(Part):
    """A period in which a lifeline is busy: a bar on it."""

    lifeline: Id
    """The lifeline."""
    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    label: Text = ""
    """Text beside it."""


class LifeEvent(Part):
    """An event on a lifeline, or a name for a message that is sent or received there at that time."""

    lifeline: Id
    """The lifeline on which it happens."""
    time: Time
    """When."""
    label: Text = ""
    """Text beside it."""
    mark: Literal["dot", "diamond", "triangle", "cross"] = "dot"
    """Its sign."""
    id: Id | None = None
    """A name; null takes `<lifeline>-e<k>`."""


class HappenedBefore(Part):
    """An arrow from an event to a later one that it may have caused, by way of messages."""

    source: Id
    """The event that happened before, by its name."""
    target: Id
    """The later one."""
    label: Text = ""
    """Text beside it."""


class Cut(Part):
    """A line across all lifelines that separates a past from a future."""

    at: Time | Annotated[list[Time], Field(min_length=1)]
    """When it crosses each lifeline, in their order; or one moment for all."""
    label: Text = ""
    """Text at its end."""
    consistent: bool = True
    """Whether every message that it has as received was sent before it. An inconsistent one must say so."""


class Case(Part):
    """The time at which another alternative of a region begins."""

    time: Time
    """When."""
    guard: Text = ""
    """When it holds: [else]."""


class Region(Part):
    """A box over lifelines for a period: a phase, a loop, alternatives."""

    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    lifelines: list[Id] = Field(default_factory=empty)
    """The ids of adjacent lifelines; empty means all."""
    label: Text = ""
    """Text in the tab at its corner: alt, loop, a phase's name."""
    guard: Text = ""
    """Text beside the tab: when it holds, or how often."""
    color: Color | None = None
    """The color that it is filled with; null draws a frame alone."""
    cases: list[Case] = Field(default_factory=empty)
    """Its other alternatives, in order: a line where each begins."""


class Separator(Part):
    """A line across all lifelines, at the start of a new phase."""

    time: Time
    """When."""
    label: Text = ""
    """Text at its end."""


class LifeNote(Part):
    """A boxed note next to a lifeline, at one time."""

    lifeline: Id
    """The lifeline."""
    time: Time
    """When."""
    text: Said
    """What it says; a long one is broken into lines."""
    side: Literal["auto", "above", "below", "left", "right"] = "auto"
    """On which side of that it stands; auto is where there is free paper."""
