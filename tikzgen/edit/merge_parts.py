"""What two sides made of one sequence, lines or tokens: part by part, where neither, one or both of them changed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from tikzgen.base.record import Record

__all__ = ["Hunk", "Part", "changed_blocks", "parts"]


class Hunk(Record):
    """What stood from `start` to `stop` became `new`."""

    start: int
    stop: int
    new: tuple[str, ...]


class Part(Record):
    """A piece of the base (`kept`), and what the sides have in its place."""

    kept: tuple[str, ...]
    mine: tuple[str, ...]
    yours: tuple[str, ...]

    @property
    def settled(self) -> tuple[str, ...] | None:
        """What both want; None where each wants something else."""
        if self.yours in (self.kept, self.mine):
            return self.mine
        return self.yours if self.mine == self.kept else None


def changed_blocks(base: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where `other` differs: from where to where in the base, and what stands there instead."""
    for tag, start, stop, first, last in SequenceMatcher(None, base, other, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start, stop, tuple(other[first:last])


def parts(base: Sequence[str], mine: Iterable[Hunk], yours: Iterable[Hunk]) -> Iterator[Part]:
    """The whole base, part by part. Hunks that only touch each other are parts of their own."""
    done = 0
    mine, yours = list(mine), list(yours)
    hunks = sorted([*((each, True) for each in mine), *((each, False) for each in yours)], key=_order)
    for cluster in _clusters(hunks):
        start, stop = min(hunk.start for hunk, _ in cluster), max(hunk.stop for hunk, _ in cluster)
        if done < start:
            same = tuple(base[done:start])
            yield Part(same, same, same)
        done = stop
        versions = (
            _version(base, start, stop, [hunk for hunk, ours in cluster if ours is side]) for side in (True, False)
        )
        yield Part(tuple(base[start:stop]), *versions)
    same = tuple(base[done:])
    yield Part(same, same, same)


def _order(hunk: tuple[Hunk, bool]) -> tuple[int, int, bool]:
    return hunk[0].start, hunk[0].stop, not hunk[1]


def _clusters(hunks: Sequence[tuple[Hunk, bool]]) -> Iterator[list[tuple[Hunk, bool]]]:
    """Hunks that have something of the base in common, or insert at one place; sorted by place."""
    cluster: list[tuple[Hunk, bool]] = []
    reach = 0
    for each in hunks:
        hunk = each[0]
        if cluster and (hunk.start < reach or (hunk.start == hunk.stop and _inserts_at(cluster, hunk.start))):
            cluster.append(each)
        else:
            if cluster:
                yield cluster
            cluster = [each]
            reach = hunk.start
        reach = max(reach, hunk.stop)
    if cluster:
        yield cluster


def _inserts_at(cluster: Sequence[tuple[Hunk, bool]], place: int) -> bool:
    return any(hunk.start == hunk.stop == place for hunk, _ in cluster)


def _version(base: Sequence[str], start: int, stop: int, hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """One side's text of the base from `start` to `stop`."""
    found: list[str] = []
    done = start
    for hunk in hunks:
        found += [*base[done : hunk.start], *hunk.new]
        done = hunk.stop
    return (*found, *base[done:stop])
