"""Shelves beside the lanes: texts that would touch go to different levels, and no line to the lanes strikes a text."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from math import floor, inf

from tikzgen.base.record import Record, replace
from tikzgen.layout.timeline.fit_labels import NO_TEXT, Fitted

GAP = 0.1  # cm between texts on one shelf
_CLEAR = 0.04  # cm between a text and a line that passes it


class Want(Record):
    """What asks for a place, in cm: how long it is along time and how deep away from the lanes.

    `stems` are the places where its line to the lanes may stand; it is `centred` on the line or may stand beside it.
    `lines` go to the lanes wherever it is put. `core` is the length of its text, where no line may pass, if it takes
    more than that.
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
    """Where it stands, in cm: along time, from `near` to `far` away from the lanes, with its line at `stem`.

    `struck` is set where another's line passes behind it after all.
    """

    start: float
    stop: float
    stem: float
    lines: tuple[float, ...] = ()
    core: float = 0.0
    near: float = 0.0
    far: float = 0.0
    struck: bool = False
    text: Fitted = NO_TEXT

    @property
    def middle(self) -> float:
        return (self.start + self.stop) / 2


def pack(
    wants: Sequence[Want], base: float, low: float, high: float, inner: Sequence[Put] = ()
) -> tuple[dict[tuple[str, int], Put], float]:
    """Give each its place, the first ones nearest; `inner` stand nearer already. Also how deep all of it is.

    Texts stay between `low` and `high` along time where they can.
    """
    order = list(wants)
    levels: list[_Shelf] = []
    for _ in range(min(len(order), max(_PUTS // max(len(order), 1), 1))):
        levels, stuck = _levels(order, low, high, inner)
        if stuck is None or order[0] is stuck:
            break
        # what found no place that its line can reach comes first
        order.remove(stuck)
        order.insert(0, stuck)
    found: dict[tuple[str, int], Put] = {}
    for shelf in levels:
        depth = max(want.depth for want, _ in shelf.held)
        for want, put in shelf.held:
            found[want.key] = replace(put, near=base, far=base + want.depth)
        base += depth
    lines = _Lines()
    for put in found.values():
        lines.add(put, put.near)
    for key, put in found.items():
        if lines.farthest(put) >= put.far - 1e-9:
            found[key] = replace(put, struck=True)
    return found, base


_PUTS = 2000  # texts that are put down, all tries counted: with few of them every order that helps is tried
_NEAR = 1e-6  # cm: what sorting may leave out is looked at, too


class _Shelf:
    """What stands on one level, in the order of time: no two of them touch."""

    def __init__(self) -> None:
        self.held: list[tuple[Want, Put]] = []
        self._starts: list[float] = []
        self._puts: list[Put] = []

    def add(self, want: Want, put: Put) -> None:
        at = bisect_left(self._starts, put.start)
        self._starts.insert(at, put.start)
        self._puts.insert(at, put)
        self.held.append((want, put))

    def has_room(self, put: Put) -> bool:
        """Whether it touches none of these."""
        return not any(
            put.start < other.stop + GAP and other.start < put.stop + GAP for other in self._last(put.stop + GAP)
        )

    def _last(self, place: float) -> list[Put]:
        """The last two that begin before a place: what begins earlier has ended before these begin."""
        at = bisect_left(self._starts, place + _NEAR)
        return self._puts[max(at - 2, 0) : at]


class _Texts:
    """The rooms of texts, where no line may pass, with their levels; found by where they are."""

    def __init__(self, inner: Sequence[Put]) -> None:
        """The `inner` ones are nearer than any level."""
        self._found: dict[int, list[tuple[Put, int]]] = {}
        for put in inner:
            self.add(put, -1)

    def add(self, put: Put, level: int) -> None:
        half = put.core / 2 + _CLEAR + _NEAR
        for cell in range(floor((put.middle - half) / _CELL), floor((put.middle + half) / _CELL) + 1):
            self._found.setdefault(cell, []).append((put, level))

    def nearest(self, line: float) -> float:
        """The level of the first text that a line strikes on its way from the lanes."""
        around = self._found.get(floor(line / _CELL), ())
        return min((level for text, level in around if _strikes(line, text)), default=inf)


_CELL = 0.5  # cm


class _Lines:
    """The lines to the lanes, each with a number that says how far it comes from."""

    def __init__(self) -> None:
        self._found: list[tuple[float, float]] = []

    def add(self, put: Put, far: float) -> None:
        for line in put.lines:
            insort(self._found, (line, far))

    def farthest(self, text: Put) -> float:
        """Of the lines that strike this text, how far the farthest comes from; -1 where none does."""
        half = text.core / 2 + _CLEAR + _NEAR
        first, last = bisect_left(self._found, (text.middle - half,)), bisect_left(self._found, (text.middle + half,))
        return max((far for line, far in self._found[first:last] if _strikes(line, text)), default=-1.0)


def _levels(wants: Sequence[Want], low: float, high: float, inner: Sequence[Put]) -> tuple[list[_Shelf], Want | None]:
    """What stands on each level, and the first that stands in another's way."""
    levels: list[_Shelf] = []
    lines, texts = _Lines(), _Texts(inner)
    stuck: Want | None = None
    for want in wants:
        level, put, fits = _choose(want, levels, lines, texts, low, high)
        if not fits and stuck is None:
            stuck = want
        if level == len(levels):
            levels.append(_Shelf())
        levels[level].add(want, put)
        lines.add(put, level)
        texts.add(put, level)
    return levels, stuck


def _choose(
    want: Want, levels: Sequence[_Shelf], lines: _Lines, texts: _Texts, low: float, high: float
) -> tuple[int, Put, bool]:
    """The level and the place there that no line strikes and from which its own lines reach the lanes."""
    options = list(_options(want, low, high))
    nearest = {line: texts.nearest(line) for put in options for line in put.lines}
    reached = [
        (put, least, most)
        for put in options
        if (least := lines.farthest(put)) <= (most := min(nearest[line] for line in put.lines))
    ]
    for level in range(len(levels) + 1):
        for put, least, most in reached:
            if least <= level <= most and (level == len(levels) or levels[level].has_room(put)):
                return level, put, True
    return len(levels), options[0], False


def _options(want: Want, low: float, high: float) -> Iterator[Put]:
    for share in (0.5,) if want.centred else (0.5, 0.08, 0.92):
        for stem in want.stems:
            start = stem - share * want.width
            if not want.centred:
                # inside the figure's width, but not off its own line
                start = max(min(start, high - want.width), low)
                start = max(min(start, stem - 0.02), stem - want.width + 0.02)
            core = want.width if want.core is None else want.core
            yield Put(start, start + want.width, stem, want.lines or (stem,), core, text=want.text)


def _strikes(line: float, text: Put) -> bool:
    return abs(line - text.middle) < text.core / 2 + _CLEAR
