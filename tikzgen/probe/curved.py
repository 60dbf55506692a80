"""Texts along a path: TeX sets each letter by itself, and a reader reads them as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import dist

from tikzgen.probe.page_data import Line

__all__ = ["along_paths"]

_LONGEST = 2  # signs that are set by themselves: a letter with its accent
_APART = 0.8  # of the size: the next letter begins this near, after a space too
_SPACE = 0.25  # of the size: what is wider parts words


def along_paths(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines in the order of painting; letters that follow each other along a path say what all of them say."""
    letters: list[Line] = []
    for line in lines:
        if letters and not _follows(letters[-1], line):
            yield from _joined(letters)
            letters = []
        letters.append(line)
    yield from _joined(letters)


def _follows(last: Line, line: Line) -> bool:
    if any(each.node is not None or len(each.words) > _LONGEST for each in (last, line)):
        return False
    if line.order != last.order + 1 or (line.nodes, line.depth, line.where) != (last.nodes, last.depth, last.where):
        return False
    return _direction(line) != _direction(last) and _gap(last, line) < _APART * line.size


def _gap(last: Line, line: Line) -> float:
    return dist(last.corners[1], line.corners[0])


def _direction(line: Line) -> tuple[float, float]:
    (ax, ay), (bx, by) = line.corners[:2]
    long = dist((ax, ay), (bx, by)) or 1.0
    return round((bx - ax) / long, 2), round((by - ay) / long, 2)


def _joined(letters: list[Line]) -> Iterator[Line]:
    if len(letters) < 2:
        yield from letters
        return
    words = letters[0].words
    for last, line in pairwise(letters):
        words += (" " if _gap(last, line) > _SPACE * line.size else "") + line.words
    for line in letters:
        yield replace(line, words=words, text=letters[0].order)
