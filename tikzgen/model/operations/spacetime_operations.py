"""Operations on space-time diagrams: messages. Lifelines come and go as lanes do."""

from __future__ import annotations

from typing import ClassVar, Literal

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.base import Cost, Time
from tikzgen.model.figure import Figure
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Renames, changed_parts, copied, parts
from tikzgen.model.spacetime import Message, SpaceTime
from tikzgen.text import Text

__all__ = ["SPACETIME_OPERATIONS", "without_messages"]


class AddMessage(Operation):
    """Send a message from one lifeline to another."""

    do: Literal["add-message"]
    """The operation."""
    source: Name
    """The lifeline that sends it."""
    target: Name
    """The lifeline that receives it."""
    sent: Time
    """When it is sent, in time units."""
    travel: Cost | None = None
    """How long it is under way; null takes one time unit."""
    label: Text = ""
    """Text beside it."""
    kind: str = "message"
    """What travels: message, data, control …"""
    reply: bool = False
    """Whether it answers another message: dashed."""

    hand = "draw an arrow from (sent, lifeline) to (received, lifeline), with its point midway"
    needs = ("lifelines",)
    names: ClassVar = {"source": "lifelines", "target": "lifelines"}
    undoes = ("remove-message",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The message in the first diagram that has both lifelines."""
        done = False

        def grown(part: SpaceTime) -> tuple[SpaceTime, Renames] | None:
            nonlocal done
            if done or not {self.source, self.target} <= {one.id for one in part.lifelines}:
                return None
            done = True
            message = Message(**{name: getattr(self, name) for name in self.arguments()})
            return copied(part, messages=[*part.messages, message]), {}

        made = changed_parts(figure, SpaceTime, grown)
        if made is None:
            known = ", ".join(dict.fromkeys(one.id for _, part in parts(figure, SpaceTime) for one in part.lifelines))
            message = f"no diagram has both {quoted(self.source)} and {quoted(self.target)}"
            raise EditRefused("no-lifeline", message, nearest=f"the lifelines are {known or 'none'}")
        return made


class RemoveMessage(Operation):
    """Remove a message."""

    do: Literal["remove-message"]
    """The operation."""
    message: Name
    """Its name: `<lifeline>-m<k>`."""

    hand = "take out its arrow, its point and its text"
    needs = ("messages",)
    names: ClassVar = {"message": "messages"}
    undoes = ("add-message",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The message away; those after it on its lifeline are counted anew."""

        def shrunk(part: SpaceTime) -> tuple[SpaceTime, Renames] | None:
            names = part.names()
            if self.message not in names:
                return None
            return without_messages(part, [name == self.message for name in names])

        made = changed_parts(figure, SpaceTime, shrunk)
        if made is None:
            known = ", ".join(dict.fromkeys(name for _, part in parts(figure, SpaceTime) for name in part.names()))
            message = f"there is no message {quoted(self.message)}"
            raise EditRefused("no-message", message, nearest=f"the messages are {known or 'none'}")
        return made


def without_messages(part: SpaceTime, gone: list[bool]) -> tuple[SpaceTime, Renames]:
    """The diagram without some messages; links to the others follow."""
    kept = [message for message, away in zip(part.messages, gone, strict=True) if not away]
    made = copied(part, messages=kept)
    left = [name for name, away in zip(part.names(), gone, strict=True) if not away]
    renames: dict[str, str | None] = {name: None for name, away in zip(part.names(), gone, strict=True) if away}
    return made, renames | {old: new for old, new in zip(left, made.names(), strict=True) if old != new}


SPACETIME_OPERATIONS: tuple[type[Operation], ...] = (AddMessage, RemoveMessage)
