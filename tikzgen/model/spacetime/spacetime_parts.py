"""Parts of a space-time diagram: lifelines, messages, and the base class `SpaceTimeParts`."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field, model_validator

from tikzgen.model.content import Content, Path
from tikzgen.model.exact_fields import Cost, Time
from tikzgen.model.looks.palettes import Color
from tikzgen.model.part import Id, Part, label_by_id, make_empty_list
from tikzgen.model.spacetime.logical_clocks import Occurrence
from tikzgen.model.spacetime.spacetime_marks import (
    Activation,
    Cut,
    HappenedBefore,
    LifeEvent,
    LifeNote,
    Region,
    Separator,
)
from tikzgen.text import Text


class Lifeline(Part):
    """A process, a worker or a server over time."""

    id: Id
    """Name of the lifeline; names of messages begin with the name of the sender: `<lifeline>-m<k>`."""
    label: Text = ""
    """Text at the start of the lifeline. Without this field, the text is the id; an empty string leaves it blank."""
    color: Color = "otgray"
    """Color of the line and its head."""
    crash: Time | None = None
    """Time of a failure, marked by a cross. The lifeline then sends and receives no messages."""
    restart: Time | None = None
    """Time of the restart after the failure, marked by a ring. The lifeline then sends and receives messages again."""
    after: Literal["dotted", "none"] = "dotted"
    """Line between failure and restart: dotted, or none."""
    foot: Text = ""
    """Text at the end of the lifeline."""
    ellipsis: bool = False
    """Whether it represents lifelines that are left out. It then has no line, no events and no messages. Without a
    label it shows three dots."""

    @model_validator(mode="before")
    @classmethod
    def _label_by_id(cls, data: Any) -> Any:
        return data if isinstance(data, dict) and data.get("ellipsis") else label_by_id(data)

    def stated_fields(self) -> frozenset[str]:
        """Return "label" if the label is empty, because without this field, the lifeline shows its id."""
        return frozenset() if self.label or self.ellipsis else frozenset({"label"})

    def fails(self, time: Fraction) -> bool:
        """Return whether the lifeline has failed before a time and is not back then."""
        return self.crash is not None and time > self.crash and (self.restart is None or time < self.restart)


class Message(Part):
    """A message from one lifeline to another, to several, or to itself."""

    source: Id
    """Lifeline of the sender."""
    target: Id | list[Id]
    """Lifeline of the receiver, or several."""
    sent: Time
    """Send time."""
    received: Time | list[Time] | None = None
    """Receive time: one for all targets, or one per target that the message reaches, in their order. Null takes
    `travel`."""
    travel: Cost | None = None
    """Latency, in time units, as an alternative to `received`; null is one time unit."""
    label: Text = ""
    """Text next to the arrow."""
    kind: str = "message"
    """Kind of the message: a name of `kinds` or a built-in one (message, data, control, gradient, …)."""
    reply: bool = False
    """Whether the message is a reply, drawn with a dashed line."""
    asynchronous: bool = False
    """Whether the sender does not wait for a reply, drawn with an open arrow head."""
    label_at: Literal["beside", "on"] = "beside"
    """Position of the label: next to the arrow, or on it."""
    lost: bool | list[Id] = False
    """Whether the message is lost, or the targets that it does not reach; a cross marks the loss."""
    id: Id | None = None
    """Name of the message; null takes `<lifeline>-m<k>`."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Lifelines that receive it."""
        return (self.target,) if isinstance(self.target, str) else tuple(self.target)

    @property
    def unreached_targets(self) -> frozenset[str]:
        """Targets that it never reaches."""
        return frozenset(self.targets if self.lost is True else self.lost or ())

    @property
    def arrivals(self) -> dict[str, Fraction]:
        """Time at which it reaches each of its targets, or would reach it if it were not lost."""
        usual = self.sent + (Fraction(1) if self.travel is None else self.travel)
        if isinstance(self.received, list):
            reached = [target for target in self.targets if target not in self.unreached_targets]
            times = dict(zip(reached, self.received, strict=True))
            return {target: times.get(target, usual) for target in self.targets}
        return dict.fromkeys(self.targets, usual if self.received is None else self.received)


class SpaceTimeParts(Content):
    """Parts of a space-time diagram, without consistency checks."""

    layout_address = "tikzgen.layout.spacetime.spacetime_kind:KIND"
    sentences_address = "tikzgen.model.spacetime.spacetime_sentences:describe"
    operations_address = "tikzgen.model.spacetime.spacetime_names:OPERATIONS"
    names_address = "tikzgen.model.spacetime.spacetime_names:list_names"
    rows_address = "tikzgen.model.spacetime.spacetime_operations:ROWS"
    subject_address = "tikzgen.lint.rules.space_time:DrawnDiagram"
    other_names = ("sequence", "sequencediagram", "messages")

    type: Literal["spacetime"] = "spacetime"
    """Type of the part."""
    lifelines: list[Lifeline] = Field(min_length=1)
    """The lifelines: top to bottom, or left to right if time runs down."""
    messages: list[Message] = Field(default_factory=make_empty_list)
    """The messages, in any order."""
    direction: Literal["right", "down"] = "right"
    """Direction of time. All labels stay horizontal."""
    time: Text = ""
    """Text at a time arrow next to the lifelines; empty draws no arrow."""
    until: Time | None = None
    """Time at which the lifelines end; null takes the time of the last event."""
    activations: list[Activation] = Field(default_factory=make_empty_list)
    """Periods in which lifelines are busy."""
    events: list[LifeEvent] = Field(default_factory=make_empty_list)
    """Events other than messages, or names for sends and receives."""
    clocks: Literal["vector", "lamport"] | None = None
    """Type of logical clock that tikzgen computes and prints at every event and message end; null prints none."""
    ticks: bool = False
    """Whether to draw a line at each tick of the Lamport clocks. Events are then ordered from line to line."""
    happened_before: list[HappenedBefore] = Field(default_factory=make_empty_list)
    """Arrows between events; tikzgen checks that each follows from the messages."""
    regions: list[Region] = Field(default_factory=make_empty_list)
    """Boxes over lifelines; they can be nested."""
    separators: list[Separator] = Field(default_factory=make_empty_list)
    """Lines across all lifelines."""
    notes: list[LifeNote] = Field(default_factory=make_empty_list)
    """Boxed notes next to lifelines."""
    cuts: list[Cut] = Field(default_factory=make_empty_list)
    """Lines that separate a past from a future; tikzgen checks that each is consistent."""

    def names(self) -> list[str]:
        """Return the name of every message, in order: `<lifeline>-m<k>`, counted from 1 per sending lifeline."""
        return _number_names(((message.id, message.source) for message in self.messages), "m")

    def event_names(self) -> list[str]:
        """Return the name of every event, in order: `<lifeline>-e<k>`, counted from 1 per lifeline."""
        return _number_names(((event.id, event.lifeline) for event in self.events), "e")

    def named_parts(self) -> Iterator[tuple[str, Path]]:
        """Yield lifelines, messages and events."""
        yield from ((lifeline.id, ("lifelines", index)) for index, lifeline in enumerate(self.lifelines))
        yield from ((name, ("messages", index)) for index, name in enumerate(self.names()))
        yield from ((name, ("events", index)) for index, name in enumerate(self.event_names()))

    def flow_kinds(self) -> Iterator[tuple[str, Path]]:
        """Yield the flow kinds of its messages."""
        yield from ((message.kind, ("messages", index, "kind")) for index, message in enumerate(self.messages))

    def colors(self) -> Iterator[str]:
        """Yield the colors of its lifelines and regions."""
        yield from (line.color for line in self.lifelines)
        yield from (region.color for region in self.regions if region.color)

    def moments(self) -> Iterator[Fraction]:
        """Yield the times of events and arrivals, and the ends of periods."""
        for message in self.messages:
            yield from message.arrivals.values()
        for one in self.lifelines:
            yield from (time for time in (one.crash, one.restart) if time is not None)
        yield from (one.end for one in self.activations)
        yield from (one.time for one in self.events)
        yield from (one.time for one in self.separators)
        yield from (one.time for one in self.notes)
        yield from (one.end for one in self.regions)
        for cut in self.cuts:
            yield from self.crossings(cut)

    @property
    def end(self) -> Fraction:
        """Time at which everything has ended, in time units."""
        return max(*self.moments(), self.until or Fraction(0), Fraction(0))

    def occurrences(self) -> list[Occurrence]:
        """Return all events: messages sent and received, and further events.

        A further event at the time of a message only names the message, so it is not included.
        """
        place = {one.id: index for index, one in enumerate(self.lifelines)}
        found = []
        for index, message in enumerate(self.messages):
            sent = ("sent", index)
            found.append(Occurrence(sent, place[message.source], message.sent, 2))
            for target, arrival in message.arrivals.items():
                if target not in message.unreached_targets:
                    found.append(Occurrence(("received", index, target), place[target], arrival, 0, sent))
        there = {(one.line, one.time) for one in found}
        for index, event in enumerate(self.events):
            if (place[event.lifeline], event.time) not in there:
                found.append(Occurrence(("event", index), place[event.lifeline], event.time, 1))
        return found

    def named_occurrences(self, order: Sequence[Occurrence]) -> list[Occurrence]:
        """Return the occurrence of each event: its own, or the first message that it names."""
        own = {one.key: one for one in order}
        there: dict[tuple[int, Fraction], Occurrence] = {}
        for one in order:
            there.setdefault((one.line, one.time), one)
        place = {one.id: index for index, one in enumerate(self.lifelines)}
        return [
            own.get(("event", index)) or there[place[event.lifeline], event.time]
            for index, event in enumerate(self.events)
        ]

    def broken_by(self, cut: Cut) -> Iterator[str]:
        """Yield the names of messages that a cut contains as received, but not as sent."""
        times = dict(zip((one.id for one in self.lifelines), self.crossings(cut), strict=True))
        for message, name in zip(self.messages, self.names(), strict=True):
            got = (at <= times[goal] for goal, at in message.arrivals.items() if goal not in message.unreached_targets)
            if message.sent > times[message.source] and any(got):
                yield name

    def crossings(self, cut: Cut) -> list[Fraction]:
        """Return the time at which a cut crosses each lifeline."""
        return cut.at if isinstance(cut.at, list) else [cut.at] * len(self.lifelines)


def _number_names(found: Iterable[tuple[str | None, str]], letter: str) -> list[str]:
    """Return a name for each: its own, or a number along its lifeline."""
    counts: dict[str, int] = {}
    names = []
    for name, lifeline in found:
        counts[lifeline] = counts.get(lifeline, 0) + 1
        names.append(name or f"{lifeline}-{letter}{counts[lifeline]}")
    return names
