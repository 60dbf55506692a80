"""Spans that are too thin to be seen: each hairline of paper shows one of those that share it, by their shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from tikzgen.base.record import Record, replace

__all__ = ["Piece", "joined", "merged"]


class Piece(Record):
    """A rectangle of a timeline, in time units and lanes, with its style and its text.

    An empty style is a border without a fill; `part` is a part of a fused cell, whose border is a piece of its own.
    """

    start: float
    duration: float
    lane: float
    lanes: float
    style: str
    text: str = ""
    number: str = ""
    size: str = ""
    level: bool = False
    lines: bool = False
    part: bool = False

    @property
    def end(self) -> float:
        return self.start + self.duration

    @property
    def macro(self) -> str:
        """The macro that sets this piece's number, empty where it has none."""
        return self.text if self.number else ""


def merged(pieces: Sequence[Piece], hairline: float) -> tuple[list[Piece], int, int]:
    """The pieces, with those that are shorter than a hairline merged; how many these were, and what they became.

    On each lane, thin pieces with less than a hairline between them are one crowd. It is cut into hairlines, each of
    which shows the style that is furthest behind its share of the time so far, so that a third of forward remains a
    third of the ink. Borders of fused cells that thin are left out.
    """
    thick: list[Piece] = []
    thin: dict[tuple[float, float], list[Piece]] = {}
    count = 0
    for piece in pieces:
        if piece.duration >= hairline:
            thick.append(piece)
        elif piece.style:
            thin.setdefault((piece.lane, piece.lanes), []).append(piece)
            count += 1
    found = [
        strip for group in thin.values() for crowd in _crowds(group, hairline) for strip in _strips(crowd, hairline)
    ]
    return thick + found, count, len(found)


def _crowds(pieces: list[Piece], hairline: float) -> Iterator[list[Piece]]:
    pieces.sort(key=attrgetter("start"))
    crowd: list[Piece] = []
    end = 0.0
    for piece in pieces:
        if crowd and piece.start - end >= hairline:
            yield crowd
            crowd = []
        crowd.append(piece)
        end = piece.start + piece.duration
    if crowd:
        yield crowd


def _strips(crowd: list[Piece], hairline: float) -> Iterator[Piece]:
    start, end = crowd[0].start, crowd[-1].end
    count = max(1, round((end - start) / hairline))
    step = max(hairline, (end - start) / count)
    owed: dict[str, float] = {}
    looks: dict[str, Piece] = {}
    shown: Piece | None = None
    since = start
    at = 0
    left = crowd[0].duration
    many = len(crowd)
    for index in range(count):
        edge = start + (index + 1) * step
        # what of the pieces lies in this hairline is owed to their styles
        while at < many:
            piece = crowd[at]
            name = piece.style
            if name not in owed:
                looks[name], owed[name] = piece, 0.0
            share = edge - (piece.start + piece.duration - left)
            share = 0.0 if share < 0.0 else min(share, left)
            owed[name] += share
            left -= share
            if left > 1e-12:
                break
            at += 1
            if at == many:
                break
            left = crowd[at].duration
            if crowd[at].start >= edge:
                break
        style = max(owed, key=owed.__getitem__)
        # a hairline in which nearly nothing lies stays empty
        chosen = looks[style] if sum(owed.values()) >= step / 2 or count == 1 else None
        if chosen:
            owed[style] -= step
        if shown is not None and (chosen is None or chosen.style != shown.style):
            yield _strip(shown, since, edge - step)
            shown = None
        if chosen is not None and shown is None:
            shown, since = chosen, edge - step
    if shown is not None:
        yield _strip(shown, since, start + count * step)


def _strip(look: Piece, start: float, end: float) -> Piece:
    # a figure has many, and `replace` would take five times as long
    return Piece(start, end - start, look.lane, look.lanes, look.style, level=look.level, lines=look.lines)


def joined(pieces: Sequence[Piece], bordered: float) -> tuple[list[Piece], int, int]:
    """Pieces too short for a border that touch another of their style made one: how many, and what they became."""
    found: list[Piece] = []
    plain: dict[tuple[float, float, str, bool], list[Piece]] = {}
    for piece in pieces:
        if piece.duration < bordered and piece.style and not piece.text:
            plain.setdefault((piece.lane, piece.lanes, piece.style, piece.part), []).append(piece)
        else:
            found.append(piece)
    touching = blocks = 0
    for group in plain.values():
        group.sort(key=attrgetter("start"))
        for run in _runs(group):
            first = run[0]
            found.append(first if len(run) == 1 else replace(first, duration=run[-1].end - first.start))
            if len(run) > 1:
                touching, blocks = touching + len(run), blocks + 1
    return found, touching, blocks


def _runs(group: Sequence[Piece]) -> Iterator[list[Piece]]:
    run: list[Piece] = []
    end = 0.0
    for piece in group:
        start = piece.start
        if run and start - end > 1e-6 * (start if start > 1.0 else 1.0):
            yield run
            run = []
        run.append(piece)
        end = start + piece.duration
    yield run
