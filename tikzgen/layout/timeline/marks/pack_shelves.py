"""Rows of labels next to the lanes: labels that would touch use different rows.

No leader line to the lanes crosses a label, if possible. `pack` is the main function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, inf
from typing import Generic, TypeAlias, TypeVar

from tikzgen.base.record import Record, replace
from tikzgen.layout.timeline.labels_outside_cells import NO_TEXT, Fitted

SHELF_TEXT_GAP = 0.1  # cm between labels in one row
_TEXT_TO_LINE_CM = 0.04  # cm between a label and a line that passes it


class Want(Record):
    """A placement request in cm: size along time (`width`) and away from the lanes (`depth`).

    `stems` are the possible positions of its leader line to the lanes. The label is `centred` on the line or may be
    next to it. `lines` lead to the lanes at any position of the label. `core` is the length of its label, which no
    line may cross, if the request is longer.
    """

    key: tuple[str, int]
    width: float
    depth: float
    stems: tuple[float, ...]
    centred: bool = True
    lines: tuple[float, ...] = ()
    core: float | None = None
    text: Fitted = NO_TEXT


class Put(Record):
    """A position in cm: along time, from `near` to `far` away from the lanes, with its leader line at `stem`.

    `struck` is true if the line of another mark crosses it.
    """

    start: float
    stop: float
    stem: float
    lines: tuple[float, ...]
    core: float
    near: float = 0.0
    far: float = 0.0
    struck: bool = False
    text: Fitted = NO_TEXT

    @property
    def middle(self) -> float:
        return (self.start + self.stop) / 2

    @property
    def room(self) -> tuple[float, float]:
        """Range along time in which no line may pass, because it would cross the label."""
        half = self.core / 2 + _TEXT_TO_LINE_CM
        return self.middle - half, self.middle + half


def pack(
    wants: Sequence[Want], base: float, low: float, high: float, inner: Sequence[Put] = ()
) -> tuple[dict[tuple[str, int], Put], float]:
    """Place each request, the first ones nearest to the lanes; return positions and total depth in cm.

    `inner` are placed already, nearer to the lanes. Labels stay between `low` and `high` along time if possible.
    """
    order = list(wants)
    levels: list[_Level] = []
    for _ in range(min(len(order), max(_MOST_PLACEMENTS_COUNT // max(len(order), 1), 1))):
        levels, stuck = _place_in_levels(order, low, high, inner)
        if stuck is None or order[0] is stuck:
            break
        # A request whose line has no free route is placed first.
        order.remove(stuck)
        order.insert(0, stuck)
    found: dict[tuple[str, int], Put] = {}
    for shelf in levels:
        depth = max(want.depth for want, _ in shelf.held)
        for want, put in shelf.held:
            found[want.key] = replace(put, near=base, far=base + want.depth)
        base += depth
    lines: _Lines = _Along()
    for put in found.values():
        for line in put.lines:
            lines.add((line, put.near), line, line)
    for key, put in found.items():
        if _find_farthest_line(lines, put) >= put.far - 1e-9:
            found[key] = replace(put, struck=True)
    return found, base


_MOST_PLACEMENTS_COUNT = (
    2000  # placements of all tries together: for few labels, the search tries every order that helps
)
T = TypeVar("T")


class _Along(Generic[T]):
    """Index of objects by their range along time: returns the objects near a range without a full scan."""

    def __init__(self) -> None:
        self._found: dict[int, list[T]] = {}

    def add(self, thing: T, low: float, high: float) -> None:
        for cell in range(floor(low / _CELL_CM), floor(high / _CELL_CM) + 1):
            self._found.setdefault(cell, []).append(thing)

    def iterate_near(self, low: float, high: float) -> Iterator[T]:
        """Yield all objects that may overlap a range; some more than once."""
        for cell in range(floor(low / _CELL_CM), floor(high / _CELL_CM) + 1):
            yield from self._found.get(cell, ())


_CELL_CM = 0.5  # cm per cell
_Lines: TypeAlias = _Along[tuple[float, float]]
"""Lines to the lanes, each with the distance of its origin."""
_Texts: TypeAlias = _Along[tuple[float, float, int]]
"""For each label, the range in which a line would cross it, and its level."""


def _find_farthest_line(lines: _Lines, text: Put) -> float:
    """Return the largest distance of the lines that cross this label; -1 if no line does."""
    low, high = text.room
    return max((far for line, far in lines.iterate_near(low, high) if low < line < high), default=-1.0)


class _Level:
    """Requests and positions at one distance from the lanes; they do not touch each other."""

    def __init__(self) -> None:
        self.held: list[tuple[Want, Put]] = []
        self.taken: _Along[Put] = _Along()

    def has_room(self, put: Put) -> bool:
        beside = self.taken.iterate_near(put.start - SHELF_TEXT_GAP, put.stop + SHELF_TEXT_GAP)
        return not any(
            put.start < other.stop + SHELF_TEXT_GAP and other.start < put.stop + SHELF_TEXT_GAP for other in beside
        )


def _place_in_levels(
    wants: Sequence[Want], low: float, high: float, inner: Sequence[Put]
) -> tuple[list[_Level], Want | None]:
    """Return the rows of requests, and the first request without a clear place; `inner` are before all rows."""
    levels: list[_Level] = []
    lines: _Lines = _Along()
    texts: _Texts = _Along()
    for put in inner:
        texts.add((*put.room, -1), *put.room)
    stuck: Want | None = None
    for want in wants:
        level, put, fits = _choose(want, levels, lines, texts, low, high)
        if not fits and stuck is None:
            stuck = want
        if level == len(levels):
            levels.append(_Level())
        levels[level].held.append((want, put))
        levels[level].taken.add(put, put.start, put.stop)
        texts.add((*put.room, level), *put.room)
        for line in put.lines:
            lines.add((line, level), line, line)
    return levels, stuck


def _choose(
    want: Want, levels: Sequence[_Level], lines: _Lines, texts: _Texts, low: float, high: float
) -> tuple[int, Put, bool]:
    """Return the row and position of a request, and whether it is clear.

    It is clear if no line crosses it and its lines reach the lanes without crossing a label.
    """
    options = list(_iterate_candidate_puts(want, low, high))

    def find_nearest_level(line: float) -> float:
        """Return the row of the first label that a line crosses, seen from the lanes; infinity without one."""
        return min((level for left, right, level in texts.iterate_near(line, line) if left < line < right), default=inf)

    met = {line: find_nearest_level(line) for put in options for line in put.lines}
    ranges = [(put, _find_farthest_line(lines, put), min(met[line] for line in put.lines)) for put in options]
    for level in range(len(levels) + 1):
        for put, least, most in ranges:
            if least <= level <= most and (level == len(levels) or levels[level].has_room(put)):
                return level, put, True
    return len(levels), options[0], False


def _iterate_candidate_puts(want: Want, low: float, high: float) -> Iterator[Put]:
    for share in (0.5,) if want.centred else (0.5, 0.08, 0.92):
        for stem in want.stems:
            start = stem - share * want.width
            if not want.centred:
                # inside the figure's width, but not off its own line
                start = max(min(start, high - want.width), low)
                start = max(min(start, stem - 0.02), stem - want.width + 0.02)
            core = want.width if want.core is None else want.core
            yield Put(start, start + want.width, stem, want.lines or (stem,), core, text=want.text)
