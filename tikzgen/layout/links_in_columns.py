"""Links between parts that stand one below the other: with square corners, in the channel between the parts.

What stands in the first row of the upper part hides what is above it: a link to that runs up the right margin. Links
that would lie on each other in a channel run on tracks of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.layout.items import Elbow
from tikzgen.layout.lengths import Extent, Length
from tikzgen.model.panel_parts import Link
from tikzgen.plane.path import clearest
from tikzgen.plane.rectangles import Box, is_within

_MARGIN = 0.18  # cm between the parts of a column and the link beside them
_TRACK = 0.12  # cm between links beside each other
_TRACKS = (0, -1, 1, -2, 2)  # of a channel, counted upwards from its middle
_AROUND = 0.05  # cm that a link keeps off a text
_BACK = {"forward": "backward", "backward": "forward"}
_OVER = 100  # crossings that are better than links on each other


class Column(Record):
    """Parts of a panel one below the other: for each node the number of its part and the channel above that part.

    `right` is the right edge of all parts.
    """

    parts: Mapping[str, int]
    channels: Mapping[str, Length]
    right: Length

    def joins(self, source: str, target: str) -> bool:
        """Whether these nodes stand in two parts of it."""
        parts = self.parts
        return source in parts and target in parts and parts[source] != parts[target]


class _Run(Record):
    """The level stretch of a link in a channel: where it comes from below, where it goes on upwards (cm), its track."""

    start: float
    goal: float
    track: int = 0

    @property
    def reach(self) -> tuple[float, float]:
        """From where to where it runs."""
        return min(self.start, self.goal), max(self.start, self.goal)

    def passes(self, x: float) -> bool:
        """Whether it passes above or below a place."""
        left, right = self.reach
        return left < x < right


class ColumnLinks:
    """The links of one column, each clear of those before it; `solids` are the boxes of the `outlines` of nodes and of
    all texts, with their nodes' names."""

    def __init__(
        self,
        column: Column,
        outlines: Mapping[str, Extent],
        solids: Sequence[tuple[str, Box]],
        values: Mapping[str, float],
    ) -> None:
        self.column, self.outlines, self.solids, self.values = column, outlines, solids, values
        self.beside = 0
        self.runs: defaultdict[int, list[_Run]] = defaultdict(list)

    def elbow(self, link: Link, ends: tuple[str, str], anchors: Mapping[tuple[str, str], str]) -> Elbow:
        """The way of a link; `anchors` has the anchor of each end's sides."""
        column, outlines, values = self.column, self.outlines, self.values
        low, high = ends if column.parts[ends[0]] > column.parts[ends[1]] else ends[::-1]
        direction = link.direction if low == ends[0] else _BACK.get(link.direction, link.direction)
        below, above, channel = outlines[low], outlines[high], column.channels[low]
        boxes = list(_boxes(self.solids, (low, high), [outlines[end].box(values) for end in (low, high)]))
        margin = column.right + (_MARGIN + _TRACK * self.beside)
        (start, _), (goal, _) = below.middle, above.middle
        leaves = _is_free(start.at(values), below.top.at(values), channel.at(values), boxes)
        enters = _is_free(goal.at(values), channel.at(values), above.bottom.at(values), boxes)
        self.beside += not (leaves and enters)
        run = _Run((start if leaves else margin).at(values), (goal if enters else margin).at(values))
        return Elbow(
            anchors[low, "top" if leaves else "right"],
            anchors[high, "bottom" if enters else "right"],
            "|-" if leaves else "-|",
            "-|" if enters else "|-",
            (start + goal) * 0.5 if leaves and enters else margin,
            channel + _TRACK * self._track(column.parts[low], run),
            direction,
        )

    def _track(self, part: int, run: _Run) -> int:
        """The track of a link in the channel above a part: on no other link, and across as few as can be."""
        others = self.runs[part]
        tried = (replace(run, track=track) for track in _TRACKS)
        found = clearest(tried, lambda one, _: sum(_trouble(one, other) for other in others))
        others.append(found)
        return found.track


def _trouble(one: _Run, other: _Run) -> float:
    """How often two links cross in their channel; much more where they lie on each other."""
    if one.track == other.track:
        (left, right), (first, last) = one.reach, other.reach
        return _OVER * (max(left, first) < min(right, last))
    upper, lower = (one, other) if one.track > other.track else (other, one)
    return lower.passes(upper.start) + upper.passes(lower.goal)


def _boxes(solids: Sequence[tuple[str, Box]], ends: tuple[str, str], held: Sequence[Box]) -> Iterator[Box]:
    """What may stand in the way: nodes and texts, but for the ends, what holds them and what they hold."""
    for name, box in solids:
        if name not in ends and not any(is_within(box, end) or is_within(end, box) for end in held):
            yield box


def _is_free(x: float, bottom: float, top: float, boxes: Iterable[Box]) -> bool:
    """Whether nothing stands in the way of an upright line."""
    return not any(box[0] - _AROUND < x < box[2] + _AROUND and box[1] < top and bottom < box[3] for box in boxes)
