"""A space-time diagram with other messages or lifelines: links that speak of a message by its name follow."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.model.lifelines import Lifeline, Message
from tikzgen.model.operations.parts_of_figures import Renames, copied
from tikzgen.model.spacetime import SpaceTime
from tikzgen.model.spacetime_marks import Cut


def with_messages(
    part: SpaceTime, messages: Sequence[tuple[Message | None, Message | None]]
) -> tuple[SpaceTime, Renames]:
    """The diagram with other messages, each a pair of what it was and what it is: None where it was or is not."""
    before = {id(message): name for message, name in zip(part.messages, part.names(), strict=True)}
    made = copied(part, messages=[new for _, new in messages if new is not None])
    after = dict(zip(map(id, made.messages), made.names(), strict=True))
    renames = {before[id(old)]: after[id(new)] if new else None for old, new in messages if old is not None}
    return made, {old: new for old, new in renames.items() if old != new}


def without_lifeline(part: SpaceTime, name: str) -> tuple[SpaceTime, Renames] | None:
    """The diagram without a lifeline and its messages; None where it has no such lifeline."""
    if all(one.id != name for one in part.lifelines):
        return None
    if len(part.lifelines) == 1:
        raise EditRefused("last-lane", f"{quoted(name)} is the only lifeline", invariant="a diagram keeps a lifeline")
    place = next(index for index, one in enumerate(part.lifelines) if one.id == name)
    events = [(one, own) for one, own in zip(part.events, part.event_names(), strict=True) if one.lifeline != name]
    kept = {own for _, own in events}
    left = copied(
        part,
        lifelines=[one for one in part.lifelines if one.id != name],
        activations=[one for one in part.activations if one.lifeline != name],
        events=[one for one, _ in events],
        happened_before=[one for one in part.happened_before if {one.source, one.target} <= kept],
        notes=[one for one in part.notes if one.lifeline != name],
        regions=[
            copied(one, lifelines=[each for each in one.lifelines if each != name])
            for one in part.regions
            if one.lifelines != [name]
        ],
        cuts=[_without_crossing(one, place) for one in part.cuts],
    )
    made, renames = with_messages(left, [(one, _without_end(one, name)) for one in part.messages])
    gone = dict.fromkeys((own for own in part.event_names() if own not in kept), None)
    return made, {**renames, **gone, name: None}


def with_lifeline(part: SpaceTime, lifeline: Lifeline) -> SpaceTime:
    """The diagram with one more lifeline, which cuts cross when they cross the last one."""
    cuts = [copied(one, at=[*one.at, one.at[-1]]) if isinstance(one.at, list) else one for one in part.cuts]
    return copied(part, lifelines=[*part.lifelines, lifeline], cuts=cuts)


def _without_crossing(cut: Cut, place: int) -> Cut:
    at = cut.at
    return copied(cut, at=[*at[:place], *at[place + 1 :]]) if isinstance(at, list) else cut


def _without_end(message: Message, name: str) -> Message | None:
    """A message without one of its ends; None where nobody is left to send or to receive it."""
    targets = [target for target in message.targets if target != name]
    if message.source == name or not targets:
        return None
    if len(targets) == len(message.targets):
        return message
    reached = [target for target in message.targets if target not in message.missed]
    received = message.received
    if isinstance(received, list):
        pairs = zip(reached, received, strict=True)
        received = [time for target, time in pairs if target != name] or None
    lost = message.lost
    if isinstance(lost, list):
        lost = [target for target in lost if target != name] or False
    return copied(message, target=targets[0] if len(targets) == 1 else targets, received=received, lost=lost)
