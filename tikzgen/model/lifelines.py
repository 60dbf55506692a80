"""Lifelines, and the messages that travel between them."""

from fractions import Fraction
from typing import Literal

from tikzgen.model.base import Cost, Id, Part, Time
from tikzgen.model.look import Color
from tikzgen.text import Text


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
    restart: Time | None = None
    """When it is back after it has failed: a ring. It sends and receives again."""
    after: Literal["dotted", "none"] = "dotted"
    """How it goes on while it has failed: as a dotted line, or not at all."""
    foot: Text = ""
    """Text at its end."""
    ellipsis: bool = False
    """Whether it stands for lifelines that are left out: it has no line, and nothing happens on it."""

    def fails(self, time: Fraction) -> bool:
        """Whether it has failed by then, and is not back."""
        return self.crash is not None and time > self.crash and (self.restart is None or time < self.restart)


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
    asynchronous: bool = False
    """Whether its sender goes on without an answer: an open head."""
    label_at: Literal["beside", "on"] = "beside"
    """Where its text stands: beside its arrow, or on it."""
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
