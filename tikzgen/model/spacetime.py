"""A space-time diagram: lifelines over time, and the messages that travel between them."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import suggestion
from tikzgen.model.base import Cost, Id, Part, Time, empty, fail, spell_time
from tikzgen.model.content import Content, Path
from tikzgen.model.look import Color
from tikzgen.text import Text

__all__ = ["Lifeline", "Message", "SpaceTime"]


class Lifeline(Part):
    """Who lives through the diagram: a process, a worker, a server."""

    id: Id
    """A name; messages are named after who sends them: `<lifeline>-m<k>`."""
    label: Text = ""
    """Text at its beginning."""
    color: Color = "otgray"
    """A palette name."""
    crash: Time | None = None
    """When it fails: a cross. It sends and receives nothing afterwards."""
    after: Literal["dotted", "none"] = "dotted"
    """How it goes on after it has failed: as a dotted line, or not at all."""


class Message(Part):
    """What one lifeline sends to another, to several, or to itself."""

    source: Id
    """The lifeline that sends it."""
    target: Id | list[Id]
    """The lifeline that receives it, or several."""
    sent: Time
    """When it is sent."""
    received: Time | list[Time] | None = None
    """When it is received: by all, or by each target that it reaches, in their order. Null takes `travel`."""
    travel: Cost | None = None
    """How long it is under way, in place of `received`; null takes one time unit."""
    label: Text = ""
    """Text beside it."""
    kind: str = "message"
    """What travels: a name of `kinds` or a built-in one (message, data, control, gradient, …)."""
    reply: bool = False
    """Whether it answers another message: dashed."""
    lost: bool | list[Id] = False
    """Whether it never arrives, or which targets it never reaches: a cross where it is lost."""
    id: Id | None = None
    """A name; null takes `<lifeline>-m<k>`."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The lifelines that receive it."""
        return (self.target,) if isinstance(self.target, str) else tuple(self.target)

    @property
    def missed(self) -> frozenset[str]:
        """The targets that it never reaches."""
        return frozenset(self.targets if self.lost is True else self.lost or ())

    @property
    def arrivals(self) -> dict[str, Fraction]:
        """When it reaches each of its targets; or would reach it, if it was not lost."""
        usual = self.sent + (Fraction(1) if self.travel is None else self.travel)
        if isinstance(self.received, list):
            reached = [target for target in self.targets if target not in self.missed]
            times = dict(zip(reached, self.received, strict=True))
            return {target: times.get(target, usual) for target in self.targets}
        return dict.fromkeys(self.targets, usual if self.received is None else self.received)


class SpaceTime(Content):
    """Lifelines over time."""

    type: Literal["spacetime"] = "spacetime"
    """Tells a space-time diagram from the other kinds of parts."""
    lifelines: list[Lifeline] = Field(min_length=1)
    """The lifelines: top to bottom, or left to right where time runs downwards."""
    messages: list[Message] = Field(default_factory=empty)
    """The messages, in any order."""
    direction: Literal["right", "down"] = "right"
    """Where time runs. All texts are upright."""
    time: Text = ""
    """Text at an arrow of time beside the lifelines; empty draws none."""
    until: Time | None = None
    """When the lifelines end; null takes the last that happens."""

    def names(self) -> list[str]:
        """The name of every message, in order: `<lifeline>-m<k>`, counted from 1 along the lifeline that sends it."""
        counts: dict[str, int] = {}
        found = []
        for message in self.messages:
            counts[message.source] = counts.get(message.source, 0) + 1
            found.append(message.id or f"{message.source}-m{counts[message.source]}")
        return found

    def named(self) -> Iterator[tuple[str, Path]]:
        """Lifelines and messages."""
        yield from ((lifeline.id, ("lifelines", index)) for index, lifeline in enumerate(self.lifelines))
        yield from ((name, ("messages", index)) for index, name in enumerate(self.names()))

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """Those of its messages."""
        yield from ((message.kind, ("messages", index, "kind")) for index, message in enumerate(self.messages))

    @property
    def end(self) -> Fraction:
        """When all has ended, in time units."""
        ends = [arrival for message in self.messages for arrival in message.arrivals.values()]
        ends += [lifeline.crash for lifeline in self.lifelines if lifeline.crash is not None]
        return max(*ends, self.until or Fraction(0), Fraction(0))

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        lifelines: dict[str, Lifeline] = {}
        for index, lifeline in enumerate(self.lifelines):
            if lifeline.id in lifelines:
                _fail_twice(lifeline.id, "lifelines", index)
            lifelines[lifeline.id] = lifeline
        for index, message in enumerate(self.messages):
            _check_ends(message, lifelines, index)
            _check_times(message, index)
            _check_crashes(message, lifelines, index)
        names = set(lifelines)
        for index, name in enumerate(self.names()):
            if name in names:
                _fail_twice(name, "messages", index)
            names.add(name)
        if self.until is not None and self.until < self.end:
            last = spell_time(self.end)
            fail(f"something happens at {last}, after all have ended", "until", hint=f"use until: {last}")
        return self


def _fail_twice(name: str, field: str, index: int) -> None:
    hint = "every id names one lifeline or one message"
    fail(f"the id {quoted(name)} stands twice", field, index, "id", hint=hint)


def _check_ends(message: Message, lifelines: dict[str, Lifeline], index: int) -> None:
    """It runs between lifelines that there are."""
    listed = isinstance(message.target, list)
    ends: list[tuple[str, Path]] = [(message.source, ("source",))]
    ends += [(name, ("target", place) if listed else ("target",)) for place, name in enumerate(message.targets)]
    for name, steps in ends:
        if name not in lifelines:
            hint = suggestion(name, sorted(lifelines), most=12)
            fail(f"there is no lifeline {quoted(name)}", "messages", index, *steps, hint=hint)
    if not message.targets:
        hint = "name who receives it, or leave the message out"
        fail("needs at least one lifeline", "messages", index, "target", hint=hint)
    if len(set(message.targets)) < len(message.targets):
        fail("each lifeline receives it once", "messages", index, "target", hint="name each lifeline once")
    if len(message.targets) > 1 and message.source in message.targets:
        hint = "give what it sends to itself a message of its own"
        fail("a message to others is none to oneself", "messages", index, "target", hint=hint)


def _check_times(message: Message, index: int) -> None:
    """It arrives after it was sent, or not at all."""
    for place, name in enumerate(message.lost if isinstance(message.lost, list) else ()):
        if name not in message.targets:
            hint = suggestion(name, sorted(message.targets), most=12)
            fail(f"it is not sent to {quoted(name)}", "messages", index, "lost", place, hint=hint)
    if message.received is not None and len(message.missed) == len(message.targets):
        fail("what is lost is not received", "messages", index, "received", hint="leave out received, or lost")
    if message.received is not None and message.travel is not None:
        fail("received says how long it travels", "messages", index, "travel", hint="leave out received, or travel")
    if message.lost and message.source in message.targets:
        hint = "leave out lost"
        fail("what a lifeline sends to itself is not lost", "messages", index, "lost", hint=hint)
    reached = len(message.targets) - len(message.missed)
    if isinstance(message.received, list) and len(message.received) != reached:
        hint = "give one time for all, or one for each target that it reaches"
        text = f"the number of times is {len(message.received)}, that of targets {reached}"
        fail(text, "messages", index, "received", hint=hint)
    field = "travel" if message.received is None else "received"
    reached_at = [at for name, at in message.arrivals.items() if name not in message.missed]
    for place, arrival in enumerate(reached_at):
        steps: Path = (field, place) if isinstance(message.received, list) else (field,)
        sent = spell_time(message.sent)
        if arrival < message.sent:
            text = f"is received at {spell_time(arrival)}, before it is sent at {sent}"
            fail(text, "messages", index, *steps, hint=f"use {sent} or later")
        if arrival == message.sent and message.source in message.targets:
            text = "a message to oneself takes time"
            fail(text, "messages", index, *steps, hint=f"let it be received after {sent}")


def _check_crashes(message: Message, lifelines: dict[str, Lifeline], index: int) -> None:
    """Nobody sends or receives after having failed."""
    crash = lifelines[message.source].crash
    if crash is not None and message.sent > crash:
        text = f"{message.source} sends it at {spell_time(message.sent)}, after it has failed at {spell_time(crash)}"
        fail(text, "messages", index, "sent", hint="send it before, or let the lifeline crash later")
    field = "travel" if message.received is None else "received"
    for name, arrival in message.arrivals.items():
        crash = lifelines[name].crash
        if crash is not None and arrival > crash and name not in message.missed:
            text = f"{name} receives it at {spell_time(arrival)}, after it has failed at {spell_time(crash)}"
            fail(text, "messages", index, field, hint=f"say lost: [{name}], or let the lifeline crash later")
