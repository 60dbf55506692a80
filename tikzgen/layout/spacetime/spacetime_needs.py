"""How long a time unit must be, and how far apart lifelines must lie, so that heads and texts have room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import floor

from tikzgen.layout.attempt import Direction, Need, Plan
from tikzgen.layout.constants import INNER, SIZES
from tikzgen.layout.spacetime.life_marks import point_texts
from tikzgen.layout.spacetime.lifeline_heads import feet, heads
from tikzgen.layout.spacetime.regions import areas
from tikzgen.layout.spacetime.texts_beside import label_size
from tikzgen.layout.spacetime.weave import OUT, Track, Weave, tracks
from tikzgen.model.base import spell_time

_BESIDE = 0.12  # cm between a text and the next arrow
_UNIT = {"right": (0.4, 1.0), "down": (0.4, 0.6)}  # cm: the least and the usual time unit, where nothing decides
_SHORT = (3.5, 7.0)  # cm that it does not stretch the diagram to, then
_LONG = (6.0, 10.0)  # cm that texts may stretch it to
_APART = (0.75, 1.05)  # cm between lifelines, where nothing else decides
_CLEAR = (0.3, 0.6)  # cm that lifelines are farther apart than a text between them is wide
_HEADS = (0.12, 0.3)  # cm between two heads


def spacing(plan: Plan, weave: Weave) -> dict[str, Need]:
    """The distances that a space-time diagram uses."""
    level = weave.part.direction == "right"
    along: Direction = "x" if level else "y"
    across: Direction = "y" if level else "x"
    unit = spell_time(weave.unit)
    meaning = "length of one time unit" if unit == 1 else f"length of {unit} time units"
    apart = _heights(plan, weave) if level else _widths(plan, weave)
    return {
        "timeunit": Need(*_unit(plan, weave), along, meaning),
        "lifelinesep": Need(*apart, across, "gap between neighbouring lifelines"),
    }


def _unit(plan: Plan, weave: Weave) -> tuple[float, float]:
    """Long enough that the text beside an arrow ends before the next one begins, as far as that is not too long."""
    end = weave.end or 1.0
    level = weave.part.direction == "right"
    found = []
    for index, size in enumerate((SIZES[-1], label_size(plan))):
        wish = 0.0
        for crossings in _crossings(plan, weave).values():
            for (time, label), (later, _) in pairwise(sorted(crossings)):
                if label and later > time:
                    text = plan.measure(label, size=size)
                    room = text.width if level else text.height + text.depth
                    wish = max(wish, (room + 2 * INNER + _BESIDE) / (later - time))
        for one, other in pairwise(sorted(_moments(plan, weave))):
            if one[0] == other[0] and other[1] > one[1]:  # they stand before and after the lifeline in turn
                wish = max(wish, ((one[2] + other[2]) / 2 + 2 * INNER) / 2 / (other[1] - one[1]))
        found.append(max(min(_UNIT[weave.part.direction][index], _SHORT[index] / end), min(wish, _LONG[index] / end)))
    return found[0], max(found)


def _moments(plan: Plan, weave: Weave) -> Iterator[tuple[int, float, float]]:
    """The texts at moments of lifelines: where they stand, and how far they reach along time."""
    for _, row, time, (long, _) in point_texts(plan, weave):
        yield row, float(time), long


def _crossings(plan: Plan, weave: Weave) -> dict[int, list[tuple[float, str]]]:
    """By the gap between two lifelines: when each message passes its middle, and the text that it has there."""
    gaps: dict[int, list[tuple[float, str]]] = defaultdict(list)
    spoken: set[int] = set()
    for track in tracks(plan, weave):
        label = "" if track.place in spoken else weave.part.messages[track.place].label
        spoken.add(track.place)
        start, goal = track.turns[0], track.turns[-1]
        low, high = sorted((start.row, goal.row))
        inside = list(range(floor(low), max(floor(low) + 1, floor(high + 0.99))))
        for gap in inside:
            share = (gap + 0.5 - start.row) / (goal.row - start.row) if goal.row != start.row else 0.5
            time = float(start.time) + float(goal.time - start.time) * min(max(share, 0.0), 1.0)
            gaps[gap].append((time, label if gap == _home(track, inside) else ""))
    return gaps


def _home(track: Track, gaps: list[int]) -> int:
    """The gap in which the text of a message stands: in the middle of its way."""
    return gaps[len(gaps) // 2] if track.turns[0].row < track.turns[-1].row else gaps[(len(gaps) - 1) // 2]


def _heights(plan: Plan, weave: Weave) -> tuple[float, float]:
    """For lifelines one below the other: room for heads, and for a text beside an arrow or over a loop."""
    labels = [one.label for one in weave.part.messages if one.label]
    texts = [plan.measure(label, size=label_size(plan)) for label in labels]
    tallest = max((size.height + size.depth for size in texts), default=0.0)
    loop = OUT if any(one.source in one.targets for one in weave.part.messages) else 0.0
    high = max(head.height for head in heads(plan, weave))
    points = max((size[1] + INNER for _, _, _, size in point_texts(plan, weave)), default=0.0) + _frames(plan, weave)
    least, usual = (
        max(apart, high + gap, tallest + loop + points + 2 * INNER + gap)
        for apart, gap in zip(_APART, _HEADS, strict=True)
    )
    return least, usual


def _widths(plan: Plan, weave: Weave) -> tuple[float, float]:
    """For lifelines side by side: room for heads, and for the widest text between two of them."""
    ends = heads(plan, weave), feet(plan, weave)
    wide = [(one.width + other.width) / 2 for each in ends for one, other in pairwise(each)]
    points = [size[1] for _, _, _, size in point_texts(plan, weave)]
    frames = _frames(plan, weave)
    texts = [each + frames for each in (*_between(plan, weave), *points)]
    least, usual = (
        max([apart, *(each + gap for each in wide), *(each + clear for each in texts)])
        for apart, gap, clear in zip(_APART, _HEADS, _CLEAR, strict=True)
    )
    return least, usual


def _frames(plan: Plan, weave: Weave) -> float:
    """The room that frames with their tabs take between two lifelines."""
    found, last = areas(plan, weave), len(weave.part.lifelines) - 1
    near = max((area.near for area in found if area.first > 0), default=0.0)
    return near + max((area.far for area in found if area.last < last), default=0.0)


def _between(plan: Plan, weave: Weave) -> Iterator[float]:
    """What the texts take between two lifelines; beside the last one there is room."""
    last = len(weave.part.lifelines) - 1
    for message in weave.part.messages:
        if message.label:
            loop = message.source in message.targets
            if not (loop and weave.row(message.source) == last):
                yield plan.measure(message.label, size=label_size(plan)).width + OUT * loop
