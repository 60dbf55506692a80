"""Shelves beside the lanes: texts that would touch go to different levels, and no line to the lanes strikes a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.record import Record, replace

__all__ = ["GAP", "Put", "Want", "pack"]

GAP = 0.1  # cm between texts on one shelf
_CLEAR = 0.04  # cm between a text and a line that passes it


class Want(Record):
    """What asks for a place, in cm: how long it is along time and how deep away from the lanes.

    `stems` are the places where its line to the lanes may stand; it is `centred` on the line or may stand beside it.
    `lines` go to the lanes wherever it is put. `core` is the length of its text, where no line may pass, if it takes
    more than that.
    """

    key: str
    width: float
    depth: float
    stems: tuple[float, ...]
    centred: bool = True
    lines: tuple[float, ...] = ()
    core: float | None = None


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

    @property
    def middle(self) -> float:
        return (self.start + self.stop) / 2


def pack(
    wants: Sequence[Want], base: float, low: float, high: float, inner: Sequence[Put] = ()
) -> tuple[dict[str, Put], float]:
    """Give each its place, the first ones nearest; `inner` stand nearer already. Also how deep all of it is.

    Texts stay between `low` and `high` along time where they can.
    """
    order = list(wants)
    levels: _Levels = []
    for _ in wants:
        levels, stuck = _levels(order, low, high, inner)
        if stuck is None or order[0] is stuck:
            break
        # what found no place that its line can reach comes first
        order.remove(stuck)
        order.insert(0, stuck)
    found: dict[str, Put] = {}
    for shelf in levels:
        depth = max(want.depth for want, _ in shelf)
        for want, put in shelf:
            found[want.key] = replace(put, near=base, far=base + want.depth)
        base += depth
    puts = list(found.values())
    for key, put in found.items():
        if any(other.near >= put.far - 1e-9 and _strikes(other, put) for other in puts):
            found[key] = replace(put, struck=True)
    return found, base


_Levels = list[list[tuple[Want, Put]]]


def _levels(wants: Sequence[Want], low: float, high: float, inner: Sequence[Put]) -> tuple[_Levels, Want | None]:
    """What stands on each level, and the first that stands in another's way."""
    levels: _Levels = []
    stuck: Want | None = None
    for want in wants:
        level, put, fits = _choose(want, levels, low, high, inner)
        if not fits and stuck is None:
            stuck = want
        if level == len(levels):
            levels.append([])
        levels[level].append((want, put))
    return levels, stuck


def _choose(want: Want, levels: _Levels, low: float, high: float, inner: Sequence[Put]) -> tuple[int, Put, bool]:
    options = list(_options(want, low, high))
    for level in range(len(levels) + 1):
        for put in options:
            if _free(put, level, levels, inner):
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
            yield Put(start, start + want.width, stem, want.lines or (stem,), core)


def _free(put: Put, level: int, levels: _Levels, inner: Sequence[Put]) -> bool:
    nearer = [other for shelf in levels[:level] for _, other in shelf]
    beside = [other for _, other in levels[level]] if level < len(levels) else []
    beyond = [other for shelf in levels[level + 1 :] for _, other in shelf]
    if any(put.start < other.stop + GAP and other.start < put.stop + GAP for other in beside):
        return False
    if any(_strikes(put, other) for other in (*nearer, *inner)):
        return False
    return not any(_strikes(other, put) for other in beyond)


def _strikes(line: Put, text: Put) -> bool:
    return any(abs(place - text.middle) < text.core / 2 + _CLEAR for place in line.lines)
