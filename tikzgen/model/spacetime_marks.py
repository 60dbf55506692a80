"""What stands on the lifelines of a space-time diagram beside messages: activity, events, their order, cuts."""

from typing import Annotated, Literal

from pydantic import Field

from tikzgen.model.base import Id, Part, Time
from tikzgen.text import Text

__all__ = ["Activation", "Cut", "HappenedBefore", "LifeEvent"]


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
    """Something that happens on a lifeline. At a moment at which a message is sent or received there, it names that."""

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
    """A line across all lifelines that parts what happened before it from what happens after it."""

    at: Time | Annotated[list[Time], Field(min_length=1)]
    """When it crosses each lifeline, in their order; or one moment for all."""
    label: Text = ""
    """Text at its end."""
    consistent: bool = True
    """Whether every message that it has as received was sent before it. An inconsistent one must say so."""
