"""Three-way merge of lines: what two people made of one text, put together; where both changed the same, a conflict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from tikzgen.base.record import Record

__all__ = ["Conflict", "Merged", "Side", "merge"]

Side = Literal["ours", "theirs"]

_ALIKE = 0.75  # of two lines' characters: from here on one is taken for the other, changed
_MOST = 2500  # pairs of lines that are compared; larger changes are taken as a whole


class Conflict(Record):
    """Lines that both sides changed, each in its own way; `line` counts from 1 in the merged text."""

    line: int
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


class Merged(Record):
    """The merged lines; at a conflict they hold the base's lines, or those of the side that was to win."""

    lines: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()


class _Hunk(Record):
    """The base's lines from `start` to `stop` became `lines`; `ours` says on which side."""

    start: int
    stop: int
    lines: tuple[str, ...]
    ours: bool


def merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], prefer: Side | None = None) -> Merged:
    """Put the changes from `base` to `ours` and from `base` to `theirs` together.

    Changes that only touch each other are both taken; those that overlap are a conflict, unless they are the same or
    `prefer` names the side that wins.
    """
    lines: list[str] = []
    conflicts: list[Conflict] = []
    done = 0
    for hunks in _clusters(sorted([*_hunks(base, ours, True), *_hunks(base, theirs, False)], key=_order)):
        start, stop = min(hunk.start for hunk in hunks), max(hunk.stop for hunk in hunks)
        lines += base[done:start]
        done = stop
        mine = _version(base, start, stop, [hunk for hunk in hunks if hunk.ours])
        yours = _version(base, start, stop, [hunk for hunk in hunks if not hunk.ours])
        kept = tuple(base[start:stop])
        if yours in (kept, mine):
            lines += mine
        elif mine == kept:
            lines += yours
        elif prefer:
            lines += mine if prefer == "ours" else yours
        else:
            conflicts.append(Conflict(len(lines) + 1, kept, mine, yours))
            lines += kept
    lines += base[done:]
    return Merged(tuple(lines), tuple(conflicts))


def _order(hunk: _Hunk) -> tuple[int, int, bool]:
    return hunk.start, hunk.stop, not hunk.ours


def _hunks(base: Sequence[str], other: Sequence[str], ours: bool) -> Iterator[_Hunk]:
    matcher = SequenceMatcher(None, base, other, autojunk=False)
    for tag, start, stop, first, last in matcher.get_opcodes():
        if tag == "replace":
            # line by line: neighbours that different people changed are not one change
            for low, high, new in _pairs(base[start:stop], other[first:last]):
                yield _Hunk(start + low, start + high, new, ours)
        elif tag != "equal":
            yield _Hunk(start, stop, tuple(other[first:last]), ours)


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Which old line became which new one, by likeness; new lines without an old one stand before the next pair."""
    if len(old) == len(new):
        yield from ((index, index + 1, (line,)) for index, line in enumerate(new))
        return
    if len(old) * len(new) > _MOST:
        yield 0, len(old), tuple(new)
        return
    done_old = done_new = 0
    for one, two in [*_aligned(old, new), (len(old), len(new))]:
        if done_old < one or done_new < two:
            yield done_old, one, tuple(new[done_new:two])
        if one < len(old):
            yield one, one + 1, (new[two],)
        done_old, done_new = one + 1, two + 1


def _aligned(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of lines, in order, that are most alike in all; lines that are not alike are no pair."""
    likeness = [[_like(one, two) for two in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], likeness[i][j] and likeness[i][j] + best[i + 1][j + 1])
    found, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _like(one: str, two: str) -> float:
    ratio = SequenceMatcher(None, one, two, autojunk=False).ratio()
    return ratio if ratio > _ALIKE else 0.0


def _clusters(hunks: Sequence[_Hunk]) -> Iterator[list[_Hunk]]:
    """Hunks that have lines in common, or insert at one place; sorted by place."""
    cluster: list[_Hunk] = []
    reach = 0
    for hunk in hunks:
        if cluster and (hunk.start < reach or (hunk.start == hunk.stop and _inserts_at(cluster, hunk.start))):
            cluster.append(hunk)
        else:
            if cluster:
                yield cluster
            cluster = [hunk]
            reach = hunk.start
        reach = max(reach, hunk.stop)
    if cluster:
        yield cluster


def _inserts_at(cluster: Sequence[_Hunk], place: int) -> bool:
    return any(hunk.start == hunk.stop == place for hunk in cluster)


def _version(base: Sequence[str], start: int, stop: int, hunks: Sequence[_Hunk]) -> tuple[str, ...]:
    """One side's text of the base's lines from `start` to `stop`."""
    lines: list[str] = []
    done = start
    for hunk in hunks:
        lines += [*base[done : hunk.start], *hunk.lines]
        done = hunk.stop
    return (*lines, *base[done:stop])
