"""What is known of a space-time diagram before it is placed: names, times on paper, the way of every message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import part_mark, time_unit
from tikzgen.layout.constants import ACTIVE
from tikzgen.layout.number_words import spell, wordy
from tikzgen.model.figure import Figure, Panel
from tikzgen.model.lifelines import Message
from tikzgen.model.spacetime import SpaceTime
from tikzgen.plane.rectangles import Point

OUT = 0.3  # cm that a message to oneself goes out
_REACH = Fraction(3, 5)  # of its way that a lost message gets


class Weave(Record):
    """A space-time diagram with what its drawing needs throughout: the names of its messages, and the time in whose
    lengths times are drawn. `mark` tells its names from those of another one in the panel."""

    panel: str
    part: SpaceTime
    names: tuple[str, ...]
    unit: Fraction
    mark: str = ""

    @property
    def end(self) -> float:
        """Where the last moment lies on paper, in time units."""
        return float(self.part.end / self.unit)

    def rows(self, lifelines: Sequence[str]) -> list[int]:
        """The places of some lifelines, in order; of all where none is named."""
        return sorted(map(self.row, lifelines)) or list(range(len(self.part.lifelines)))

    def row(self, lifeline: str) -> int:
        """The place of a lifeline, counted from the first one."""
        return next(index for index, one in enumerate(self.part.lifelines) if one.id == lifeline)


def weave_of(figure: Figure, panel: Panel, part: SpaceTime) -> Weave:
    """What is known of a part."""
    return Weave(panel.id, part, tuple(part.names()), time_unit(figure), part_mark(panel, part))


def life_stem(part: SpaceTime, index: int, mark: str) -> str:
    """The stem of the macro of a lifeline's label."""
    return f"{wordy(part.lifelines[index].id)}label{mark}"


def foot_stem(part: SpaceTime, index: int, mark: str) -> str:
    """The stem of the macro of the text at a lifeline's end."""
    return f"{wordy(part.lifelines[index].id)}foot{mark}"


def message_stem(part: SpaceTime, index: int, mark: str) -> str:
    """The stem of the macro of a message's label."""
    name = part.messages[index].id
    return f"{wordy(name)}label{mark}" if name else f"message{spell(index + 1)}label{mark}"


class Turn(Record):
    """A point of a message's way: when, at which lifeline, or between two of them, and how far from there in cm."""

    time: Fraction
    row: float
    off: float = 0.0


class Track(Record):
    """A message on its way to one lifeline, by its place among the messages; `name` is that of its node."""

    place: int
    name: str
    turns: tuple[Turn, ...]
    lost: bool = False


def tracks(plan: Plan, weave: Weave) -> Iterator[Track]:
    """The way of every message to each of its targets."""
    for place, (message, name) in enumerate(zip(weave.part.messages, weave.names, strict=True)):
        several = len(message.targets) > 1
        for target, arrival in message.arrivals.items():
            lost = target in message.missed
            own = plan.name(weave.panel, f"{name}-{target}" if several else name)
            yield Track(place, own, _turns(weave, message, target, arrival / weave.unit, lost=lost), lost)


def busy(weave: Weave, lifeline: str, time: Fraction) -> float:
    """How far from its lifeline an arrow ends there in cm: at the edge of the bar while it is busy."""
    bars = (one for one in weave.part.activations if one.lifeline == lifeline)
    return ACTIVE / 2 if any(one.start <= time <= one.end for one in bars) else 0.0


def _turns(weave: Weave, message: Message, target: str, arrival: Fraction, *, lost: bool) -> tuple[Turn, ...]:
    sent, source, goal = message.sent / weave.unit, weave.row(message.source), weave.row(target)
    if source == goal:
        way = -1 if weave.part.direction == "right" else 1
        ends = [way * busy(weave, target, time * weave.unit) for time in (sent, arrival)]
        out = way * OUT + (ends[0] if abs(ends[0]) > abs(ends[1]) else ends[1])
        return (
            Turn(sent, source, ends[0]),
            Turn(sent, source, out),
            Turn(arrival, source, out),
            Turn(arrival, source, ends[1]),
        )
    way = 1 if source < goal else -1
    start = Turn(sent, source, way * busy(weave, message.source, message.sent))
    if lost:
        return start, Turn(sent + (arrival - sent) * _REACH, float(source + (goal - source) * _REACH))
    return start, Turn(arrival, goal, -way * busy(weave, target, message.arrivals[target]))


def way(plan: Plan, track: Track) -> list[Point]:
    """Its points in cm: along time, and away from the first lifeline."""
    unit, apart = plan.values["timeunit"], plan.values["lifelinesep"]
    return [(float(turn.time) * unit, turn.row * apart + turn.off) for turn in track.turns]
