"""Shelves beside the lanes: texts that would touch go to different levels, and no line to the lanes strikes a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["GAP", "Put", "Want", "pack"]

GAP = 0.1  # cm between texts on one shelf
_CLEAR = 0.04  # cm between a text and a line that passes it


@dataclass(frozen=True, slots=True)
class Want:
    """What asks for a place, in cm: how long it is along time and how deep away from the lanes.

    `stems` are the places where its line to the lanes may stand; it is `centred` on the line or may stand beside it.
    `lines` go to the lanes wherever it is put. Without stems it stands between `lines`.
    """

    key: str
    width: float
    depth: float
    stems: tuple[float, ...]
    centred: bool = True
    lines: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Put:
    """Where it stands, in cm: along time, from `near` to `far` away from the lanes, with its line at `stem`."""

    start: float
    stop: float
    stem: float
    lines: tuple[float, ...] = ()
    near: float = 0.0
    far: float = 0.0

    @property
    def middle(self) -> float:
        return (self.start + self.stop) / 2


def pack(
    wants: Sequence[Want], base: float, low: float, high: float, inner: Sequence[Put] = ()
) -> tuple[dict[str, Put], float]:
    """Give each its place, the first ones nearest; `inner` stand nearer already. Also how deep all of it is.

    Texts stay between `low` and `high` along time where they can.
    """
    levels: list[list[tuple[Want, Put]]] = []
    for want in wants:
        level, put = _choose(want, levels, low, high, inner)
        if level == len(levels):
            levels.append([])
        levels[level].append((want, put))
    found: dict[str, Put] = {}
    for shelf in levels:
        depth = max(want.depth for want, _ in shelf)
        for want, put in shelf:
            found[want.key] = Put(put.start, put.stop, put.stem, put.lines, base, base + want.depth)
        base += depth
    return found, base


def _choose(
    want: Want, levels: list[list[tuple[Want, Put]]], low: float, high: float, inner: Sequence[Put]
) -> tuple[int, Put]:
    options = list(_options(want, low, high))
    for level in range(len(levels) + 1):
        for put in options:
            if _free(put, level, levels, inner):
                return level, put
    return len(levels), options[0]


def _options(want: Want, low: float, high: float) -> Iterator[Put]:
    for share in (0.5,) if want.centred else (0.5, 0.08, 0.92):
        for stem in want.stems:
            start = stem - share * want.width
            if not want.centred:
                # inside the figure's width, but not off its own line
                start = max(min(start, high - want.width), low)
                start = max(min(start, stem - 0.02), stem - want.width + 0.02)
            yield Put(start, start + want.width, stem, want.lines or (stem,))


def _free(put: Put, level: int, levels: list[list[tuple[Want, Put]]], inner: Sequence[Put]) -> bool:
    nearer = [other for shelf in levels[:level] for _, other in shelf]
    beside = [other for _, other in levels[level]] if level < len(levels) else []
    beyond = [other for shelf in levels[level + 1 :] for _, other in shelf]
    if any(put.start < other.stop + GAP and other.start < put.stop + GAP for other in beside):
        return False
    if any(_strikes(put, other) for other in (*nearer, *inner)):
        return False
    return not any(_strikes(other, put) for other in beyond)


def _strikes(line: Put, text: Put) -> bool:
    return any(text.start - _CLEAR < place < text.stop + _CLEAR for place in line.lines)
