"""Links between parts that stand one below the other: they turn square corners in the channel between the parts.

What stands in the first row of the upper part hides what is above it: a link to that runs up the right margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Elbow
from tikzgen.layout.length import Length
from tikzgen.model.panel_parts import Link
from tikzgen.plane.rectangles import Box, is_within

_MARGIN = 0.18  # cm between the parts of a column and the link beside them
_TRACK = 0.12  # cm between links beside each other
_AROUND = 0.05  # cm that a link keeps off a text
_BACK = {"forward": "backward", "backward": "forward"}


class Column(Record):
    """Parts of a panel one below the other: for each node the number of its part and the channel above that part.

    `right` is the right edge of all parts.
    """

    parts: Mapping[str, int]
    channels: Mapping[str, Length]
    right: Length


def column_of(columns: Iterable[Column], source: str, target: str) -> Column | None:
    """The column in two parts of which these nodes stand."""
    for column in columns:
        parts = column.parts
        if source in parts and target in parts and parts[source] != parts[target]:
            return column
    return None


def elbow(
    column: Column,
    link: Link,
    ends: tuple[str, str],
    anchors: Mapping[tuple[str, str], str],
    outlines: Mapping[str, Extent],
    solids: Sequence[tuple[str, Box]],
    values: Mapping[str, float],
    before: int,
) -> Elbow:
    """The way of a link; `anchors` has the anchor of each end's sides, `before` is how many others run beside it.

    `solids` are the boxes of the `outlines` and of all texts, with their nodes' names.
    """
    low, high = ends if column.parts[ends[0]] > column.parts[ends[1]] else ends[::-1]
    direction = link.direction if low == ends[0] else _BACK.get(link.direction, link.direction)
    below, above, channel = outlines[low], outlines[high], column.channels[low]
    boxes = list(_boxes(solids, (low, high), [outlines[end].box(values) for end in (low, high)]))
    margin = column.right + (_MARGIN + _TRACK * before)
    start, goal = _middle(below), _middle(above)
    leaves = _is_free(start.at(values), below.top.at(values), channel.at(values), boxes)
    enters = _is_free(goal.at(values), channel.at(values), above.bottom.at(values), boxes)
    return Elbow(
        anchors[low, "top" if leaves else "right"],
        anchors[high, "bottom" if enters else "right"],
        "|-" if leaves else "-|",
        "-|" if enters else "|-",
        (start + goal) * 0.5 if leaves and enters else margin,
        channel,
        direction,
    )


def _middle(outline: Extent) -> Length:
    return (outline.left + outline.right) * 0.5


def _boxes(solids: Sequence[tuple[str, Box]], ends: tuple[str, str], held: Sequence[Box]) -> Iterator[Box]:
    """What may stand in the way: nodes and texts, but for the ends, what holds them and what they hold."""
    for name, box in solids:
        if name not in ends and not any(is_within(box, end) or is_within(end, box) for end in held):
            yield box


def _is_free(x: float, bottom: float, top: float, boxes: Iterable[Box]) -> bool:
    """Whether nothing stands in the way of an upright line."""
    return not any(box[0] - _AROUND < x < box[2] + _AROUND and box[1] < top and bottom < box[3] for box in boxes)
