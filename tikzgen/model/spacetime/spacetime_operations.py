"""Operations on space-time diagrams: messages, and lifelines as their lanes."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import EditRefused, quote
from tikzgen.model.exact_fields import Cost, Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.operation_model import Name, Operation
from tikzgen.model.operations.parts_of_figures import (
    Ids,
    Named,
    Pairs,
    Renames,
    Rows,
    changed_first,
    copy_with,
    list_entry_ids,
    with_entries,
)
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_marks import Cut
from tikzgen.model.spacetime.spacetime_parts import Lifeline, Message
from tikzgen.text import Text


def with_messages(part: SpaceTime, messages: Pairs) -> tuple[SpaceTime, Renames]:
    """Return the diagram with other messages, and the renames that follow."""
    return with_entries(part, "messages", SpaceTime.names, messages)


LIFELINES = Named(SpaceTime, "lifelines", "lifeline", lambda part: list_entry_ids(part.lifelines))
MESSAGES = Named(SpaceTime, "messages", "message", SpaceTime.names, with_messages)


def without_lifeline(part: SpaceTime, name: str) -> tuple[SpaceTime, Renames] | None:
    """Return the diagram without a lifeline and its messages, or None if it has no such lifeline.

    Raise `EditRefused` for the only lifeline.
    """
    if all(one.id != name for one in part.lifelines):
        return None
    if len(part.lifelines) == 1:
        raise EditRefused("last-lane", f"{quote(name)} is the only lifeline", invariant="a diagram keeps a lifeline")
    place = next(index for index, one in enumerate(part.lifelines) if one.id == name)
    events = [(one, own) for one, own in zip(part.events, part.event_names(), strict=True) if one.lifeline != name]
    kept = {own for _, own in events}
    left = copy_with(
        part,
        lifelines=[one for one in part.lifelines if one.id != name],
        activations=[one for one in part.activations if one.lifeline != name],
        events=[one for one, _ in events],
        happened_before=[one for one in part.happened_before if {one.source, one.target} <= kept],
        notes=[one for one in part.notes if one.lifeline != name],
        regions=[
            copy_with(one, lifelines=[each for each in one.lifelines if each != name])
            for one in part.regions
            if one.lifelines != [name]
        ],
        cuts=[_without_crossing(one, place) for one in part.cuts],
    )
    made, renames = with_messages(left, [(one, _without_end(one, name)) for one in part.messages])
    gone = dict.fromkeys((own for own in part.event_names() if own not in kept), None)
    return made, {**renames, **gone, name: None}


def with_lifeline(part: SpaceTime, lifeline: Lifeline) -> SpaceTime:
    """Return the diagram with another lifeline, which cuts cross at the same time as the last one."""
    cuts = [copy_with(one, at=[*one.at, one.at[-1]]) if isinstance(one.at, list) else one for one in part.cuts]
    return copy_with(part, lifelines=[*part.lifelines, lifeline], cuts=cuts)


def _with_row(part: SpaceTime, name: str, label: Text) -> tuple[SpaceTime, Renames]:
    said = {"label": label} if label else {}  # without a label, a lifeline shows its id
    return with_lifeline(part, Lifeline(id=name, color=part.lifelines[-1].color, **said)), {}


ROWS = Rows(lambda part: list_entry_ids(part.lifelines), _with_row, without_lifeline)


def _without_crossing(cut: Cut, place: int) -> Cut:
    at = cut.at
    return copy_with(cut, at=[*at[:place], *at[place + 1 :]]) if isinstance(at, list) else cut


def _without_end(message: Message, name: str) -> Message | None:
    """Return a message without one of its ends, or None if it has no sender or no receiver left."""
    targets = [target for target in message.targets if target != name]
    if message.source == name or not targets:
        return None
    if len(targets) == len(message.targets):
        return message
    reached = [target for target in message.targets if target not in message.unreached_targets]
    received = message.received
    if isinstance(received, list):
        pairs = zip(reached, received, strict=True)
        received = [time for target, time in pairs if target != name] or None
    lost = message.lost
    if isinstance(lost, list):
        lost = [target for target in lost if target != name] or False
    return copy_with(message, target=targets[0] if len(targets) == 1 else targets, received=received, lost=lost)


class AddMessage(Operation):
    """Add a message from a lifeline to another one, to several, or to itself."""

    do: Literal["add-message"]
    source: Name
    """Lifeline of the sender."""
    target: Ids = Field(min_length=1)
    """Lifeline of the receiver, or several."""
    sent: Time
    """Send time, in time units."""
    travel: Cost | None = None
    """Latency, in time units; null is one time unit."""
    label: Text = ""
    """Text next to the arrow."""
    kind: Name = "message"
    """Kind of the message: a name of `kinds` or a built-in one."""
    reply: bool = False
    """Whether the message is a reply, drawn with a dashed line."""
    asynchronous: bool = False
    """Whether the sender does not wait for a reply, drawn with an open arrow head."""
    lost: bool = False
    """Whether the message is lost."""

    hand = "draw an arrow from (sent, lifeline) to (received, lifeline) in the style of its kind, with its point midway"
    names: ClassVar = {"source": "lifelines", "target": "lifelines"}
    undoes = ("remove-message",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the message in the first diagram that has its lifelines."""

        def add_message(part: SpaceTime) -> tuple[SpaceTime, Renames] | None:
            if not {self.source, *self.target} <= {one.id for one in part.lifelines}:
                return None
            target: Any = self.target[0] if len(self.target) == 1 else self.target
            fields = ("source", "sent", "travel", "label", "kind", "reply", "asynchronous", "lost")
            given = {name: getattr(self, name) for name in fields}
            return with_messages(
                part, [*((one, one) for one in part.messages), (None, Message(target=target, **given))]
            )

        made = changed_first(figure, SpaceTime, add_message)
        if made is None:
            message = f"no diagram has {' and '.join(map(quote, (self.source, *self.target)))}"
            raise EditRefused("no-lifeline", message, nearest=LIFELINES.list_names_in(figure))
        return made


class SetMessage(Operation):
    """Change a message: its send time, latency, label or kind, or whether it arrives."""

    do: Literal["set-message"]
    message: Name
    """Name of the message: `<lifeline>-m<k>`."""
    sent: Time | None = None
    """Send time, in time units."""
    travel: Cost | None = None
    """Latency to all targets, in time units."""
    label: Text | None = None
    """Text next to the arrow."""
    kind: Name | None = None
    """Kind of the message: a name of `kinds` or a built-in one."""
    reply: bool | None = None
    """Whether the message is a reply, drawn with a dashed line."""
    asynchronous: bool | None = None
    """Whether the sender does not wait for a reply, drawn with an open arrow head."""
    lost: bool | None = None
    """Whether the message is lost."""

    hand = "change the coordinates of its arrow: (sent, lifeline) and (received, lifeline); its style is its kind"
    names: ClassVar = {"message": "messages"}
    about = ("message",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed message; a message sent at another time keeps its latency."""
        return MESSAGES.change_named(figure, self.message, self._with_changes)

    def _with_changes(self, message: Message) -> Message:
        changes, times = self.collect_changes(), message.received
        if "travel" in changes or changes.get("lost"):
            changes["received"] = None
        elif "sent" in changes and times is not None:
            later = changes["sent"] - message.sent
            changes["received"] = [one + later for one in times] if isinstance(times, list) else times + later
        return copy_with(message, **changes)


class RemoveMessage(Operation):
    """Remove a message."""

    do: Literal["remove-message"]
    message: Name
    """Name of the message: `<lifeline>-m<k>`."""

    hand = "remove its arrows, with the crosses of lost messages, and the links that name it"
    names: ClassVar = {"message": "messages"}
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure without the message."""
        return MESSAGES.change_named(figure, self.message, lambda message: None)


class SetLifeline(Operation):
    """Change a lifeline: the times of its failure and its restart, the text at its end."""

    do: Literal["set-lifeline"]
    lifeline: Name
    """Name of the lifeline."""
    crash: Time | None = None
    """Time of the failure. Later messages of the lifeline must be lost or removed."""
    restart: Time | None = None
    """Time of the restart."""
    foot: Text | None = None
    """Text at the end of the lifeline."""

    hand = "end its line at the cross (<lifeline>-crash), and continue at the ring (<lifeline>-restart)"
    names: ClassVar = {"lifeline": "lifelines"}
    about = ("lifeline",)
    makes_parts = True

    def change(self, figure: FigureModel) -> FigureModel:
        """Return the figure with the changed lifeline."""
        return LIFELINES.change_named(figure, self.lifeline, lambda line: copy_with(line, **self.collect_changes()))


SPACETIME_OPERATIONS: tuple[type[Operation], ...] = (AddMessage, SetMessage, RemoveMessage, SetLifeline)
