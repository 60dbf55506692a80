"""Operations on space-time diagrams: messages; lanes are their lifelines, where a figure has no timeline."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.base.suggest import suggestion
from tikzgen.model.base import Cost, Id, Time
from tikzgen.model.figure import Figure
from tikzgen.model.lifelines import Message
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import Renames, changed_first, changed_parts, copied, parts
from tikzgen.model.operations.spacetime_changes import with_messages
from tikzgen.model.spacetime import SpaceTime
from tikzgen.text import Text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class AddMessage(Operation):
    """Add a message from a lifeline to another one, to several, or to itself."""

    do: Literal["add-message"]
    """The operation."""
    source: Name
    """The lifeline that sends it."""
    target: Annotated[list[Id], BeforeValidator(_listed, json_schema_input_type=Id | list[Id])] = Field(min_length=1)
    """The lifeline that receives it, or several."""
    sent: Time
    """When it is sent, in time units."""
    travel: Cost | None = None
    """How long it is under way; null takes one time unit."""
    label: Text = ""
    """Text beside it."""
    kind: Name = "message"
    """What travels: a name of `kinds` or a built-in one."""
    reply: bool = False
    """Whether it answers another message: dashed."""
    asynchronous: bool = False
    """Whether its sender goes on without an answer: an open head."""
    lost: bool = False
    """Whether it never arrives."""

    hand = "draw an arrow from (sent, lifeline) to (received, lifeline) in the style of its kind, with its point midway"
    needs = ("lifelines",)
    names: ClassVar = {"source": "lifelines", "target": "lifelines"}
    undoes = ("remove-message",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The message in the first diagram that has its lifelines."""

        def grown(part: SpaceTime) -> tuple[SpaceTime, Renames] | None:
            if not {self.source, *self.target} <= {one.id for one in part.lifelines}:
                return None
            target: Any = self.target[0] if len(self.target) == 1 else self.target
            fields = ("source", "sent", "travel", "label", "kind", "reply", "asynchronous", "lost")
            given = {name: getattr(self, name) for name in fields}
            return with_messages(
                part, [*((one, one) for one in part.messages), (None, Message(target=target, **given))]
            )

        made = changed_first(figure, SpaceTime, grown)
        if made is None:
            ids = ", ".join(dict.fromkeys(one.id for _, part in parts(figure, SpaceTime) for one in part.lifelines))
            message = f"no diagram has {' and '.join(map(quoted, (self.source, *self.target)))}"
            raise EditRefused("no-lifeline", message, nearest=f"the lifelines are {ids}" if ids else "")
        return made


class SetMessage(Operation):
    """Change a message: when it is sent, how long it travels, what it says, whether it arrives."""

    do: Literal["set-message"]
    """The operation."""
    message: Name
    """Its name: `<lifeline>-m<k>`."""
    sent: Time | None = None
    """When it is sent, in time units."""
    travel: Cost | None = None
    """How long it is under way, to all of its targets."""
    label: Text | None = None
    """Text beside it."""
    kind: Name | None = None
    """What travels: a name of `kinds` or a built-in one."""
    reply: bool | None = None
    """Whether it answers another message: dashed."""
    asynchronous: bool | None = None
    """Whether its sender goes on without an answer: an open head."""
    lost: bool | None = None
    """Whether it never arrives."""

    hand = "change the coordinates of its arrow: (sent, lifeline) and (received, lifeline); its style is its kind"
    needs = ("messages",)
    names: ClassVar = {"message": "messages"}
    about = ("message",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The message with what was given; a message that is sent at another time travels as long as before."""
        changes = {name: value for name, value in self.given().items() if name != "message" and value is not None}

        def changed(message: Message) -> Message:
            more = dict(changes)
            if "travel" in more or more.get("lost"):
                more["received"] = None
            elif "sent" in more and message.received is not None:
                later = more["sent"] - message.sent
                times = message.received
                more["received"] = [one + later for one in times] if isinstance(times, list) else times + later
            return copied(message, **more)

        return _with_message(figure, self.message, changed)


class RemoveMessage(Operation):
    """Remove a message."""

    do: Literal["remove-message"]
    """The operation."""
    message: Name
    """Its name: `<lifeline>-m<k>`."""

    hand = "take out its arrow, or arrows, with the crosses where it is lost, and the links that name it"
    needs = ("messages",)
    names: ClassVar = {"message": "messages"}
    undoes = ("add-message",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The message away."""
        return _with_message(figure, self.message, lambda message: None)


class SetLifeline(Operation):
    """Change what happens to a lifeline: when it fails, when it is back, the text at its end."""

    do: Literal["set-lifeline"]
    """The operation."""
    lifeline: Name
    """Its name."""
    crash: Time | None = None
    """When it fails; what it sends and receives afterwards must be lost, or go before."""
    restart: Time | None = None
    """When it is back."""
    foot: Text | None = None
    """Text at its end."""

    hand = "end its line at the cross (<lifeline>-crash), and go on from the ring (<lifeline>-restart)"
    needs = ("lifelines",)
    names: ClassVar = {"lifeline": "lifelines"}
    about = ("lifeline",)
    makes_parts = True

    def change(self, figure: Figure) -> Figure:
        """The lifeline with what was given."""
        changes = {name: value for name, value in self.given().items() if name != "lifeline" and value is not None}

        def changed(part: SpaceTime) -> tuple[SpaceTime, Renames] | None:
            if all(one.id != self.lifeline for one in part.lifelines):
                return None
            lines = [copied(one, **changes) if one.id == self.lifeline else one for one in part.lifelines]
            return copied(part, lifelines=lines), {}

        made = changed_parts(figure, SpaceTime, changed)
        if made is None:
            known = list(dict.fromkeys(one.id for _, part in parts(figure, SpaceTime) for one in part.lifelines))
            hint = suggestion(self.lifeline, known, "the lifelines are", most=12) if known else ""
            raise EditRefused("no-lifeline", f"there is no lifeline {quoted(self.lifeline)}", nearest=hint)
        return made


def _with_message(figure: Figure, name: str, change: Callable[[Message], Message | None]) -> Figure:
    """The figure with one message changed, in every diagram that has one of this name."""

    def changed(part: SpaceTime) -> tuple[SpaceTime, Renames] | None:
        names = part.names()
        if name not in names:
            return None
        pairs = zip(part.messages, names, strict=True)
        return with_messages(part, [(one, change(one) if own == name else one) for one, own in pairs])

    made = changed_parts(figure, SpaceTime, changed)
    if made is None:
        known = list(dict.fromkeys(own for _, part in parts(figure, SpaceTime) for own in part.names()))
        hint = suggestion(name, known, "the messages are", most=12) if known else ""
        raise EditRefused("no-message", f"there is no message {quoted(name)}", nearest=hint)
    return made


SPACETIME_OPERATIONS: tuple[type[Operation], ...] = (AddMessage, SetMessage, RemoveMessage, SetLifeline)
