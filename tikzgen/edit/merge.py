"""Three-way merge of lines: what two people made of one text, put together; where both changed the same, a conflict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

__all__ = ["Conflict", "Merged", "Side", "merge"]

Side = Literal["ours", "theirs"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that both sides changed, each in its own way; `line` counts from 1 in the merged text."""

    line: int
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged lines; at a conflict they hold the base's lines, or those of the side that was to win."""

    lines: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class _Hunk:
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
        if tag == "replace" and stop - start == last - first:
            # line by line: neighbours that different people changed are not one change
            for offset in range(stop - start):
                yield _Hunk(start + offset, start + offset + 1, (other[first + offset],), ours)
        elif tag != "equal":
            yield _Hunk(start, stop, tuple(other[first:last]), ours)


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
