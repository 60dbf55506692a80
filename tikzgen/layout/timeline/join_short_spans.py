"""Bands for cells that are too short to distinguish: alternating phases are stacked by their shares.

`join_into_bands` is the main function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from tikzgen.base.record import Record, replace
from tikzgen.layout.timeline.timeline_items import NO_CELL_TEXT, CellText

_BAND_STEPS = 12  # heights that a band may have, per lane


class BandPiece(Record):
    """A rectangle of a timeline, in time units and lanes, with its phase, style and label.

    `low` and `high` are the shares of the lanes' height at its edges, from the first lane's edge. A `run` represents
    several spans. `half` is 1 for the first and 2 for the second part of a fused cell. `full` is the share of its time
    in which something runs.
    """

    start: float
    duration: float
    lane: float
    lanes: float
    phase: str
    style: str
    said: CellText = NO_CELL_TEXT
    level: bool = False
    low: float = 0.0
    high: float = 1.0
    run: bool = False
    half: int = 0
    full: float = 1.0

    @property
    def end(self) -> float:
        return self.start + self.duration

    @property
    def weight(self) -> float:
        """Duration for which something runs, in time units."""
        return self.duration * self.full

    def lower_to_share(self) -> BandPiece:
        """Return the piece as high as its share on the lane's far edge; unchanged if it is full."""
        if self.full == 1.0:
            return self
        steps = max(round(self.full * _BAND_STEPS), 1)
        return replace(self, low=1 - steps / _BAND_STEPS, run=True)


def join_into_bands(pieces: Sequence[BandPiece], least: float, phases: Sequence[str]) -> list[BandPiece]:
    """Join short pieces into bands: pieces of a lane with gaps below `least` form one crowd.

    A crowd begins and ends with work. It is cut at a change of the alternating phases. In each stretch, phases are
    stacked in the order of `phases`, each as high as its share of the time; the rest of the height stays blank. Within
    a band, shades follow each other, or are stacked if they alternate.
    """
    lanes: dict[tuple[float, float], list[BandPiece]] = {}
    for piece in pieces:
        lanes.setdefault((piece.lane, piece.lanes), []).append(piece)
    order = {phase: place for place, phase in enumerate(phases)}
    found: list[BandPiece] = []
    for row in lanes.values():
        row.sort(key=attrgetter("start"))
        for crowd in _split_into_crowds(row, least):
            while _is_idle(crowd[0]) and len(crowd) > 1:  # idle time before and after all work is separate
                found.append(crowd.pop(0))
            while _is_idle(crowd[-1]) and len(crowd) > 1:
                found.append(crowd.pop())
            for stretch in _split_into_stretches([piece.phase for piece in crowd], crowd, least / 2):
                whole = stretch[-1].end - stretch[0].start
                for band in _stack_by_share(Band(stretch), "phase", whole, order):
                    found.extend(_split_by_shade(band, least))
    return found


def _is_idle(piece: BandPiece) -> bool:
    return piece.phase == "idle"


def _split_into_crowds(row: Sequence[BandPiece], least: float) -> Iterator[list[BandPiece]]:
    crowd: list[BandPiece] = []
    for piece in row:
        if crowd and piece.start - crowd[-1].end >= least:
            yield crowd
            crowd = []
        crowd.append(piece)
    yield crowd


def _split_into_stretches(keys: Sequence[str], crowd: Sequence[BandPiece], least: float) -> Iterator[list[BandPiece]]:
    """Yield the crowd in stretches, cut where the alternating keys change.

    No stretch is shorter than `least` unless it is the only one.
    """
    held: list[BandPiece] = []
    for start, stop in _iterate_alternating_ranges(keys):
        held.extend(crowd[start:stop])
        left = crowd[-1].end - crowd[stop].start if stop < len(crowd) else least
        if stop == len(crowd) or (held[-1].end - held[0].start >= least and left >= least):
            yield held
            held = []


def _iterate_alternating_ranges(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield ranges in which the same few keys alternate.

    A range ends at a new key after all others have occurred twice, or after the last occurrence of a key.
    """
    start = at = 0
    last: dict[str, int] = {}
    count: dict[str, int] = {}
    while at < len(keys):
        key = keys[at]
        settled = min(count.values(), default=0) >= 2
        gone = min(last.values(), default=at)
        if key not in last and settled:
            cut = at
        elif len(last) > 1 and at - gone > 2 * len(last) + 2:
            cut = gone + 1  # last occurrence of one of the keys
        else:
            last[key], count[key] = at, count.get(key, 0) + 1
            at += 1
            continue
        yield start, cut
        start = at = cut
        last, count = {}, {}
    if start < len(keys):
        yield start, len(keys)


class Band(Record):
    """Pieces of a lane that follow each other, and the shares of its height that they take."""

    pieces: list[BandPiece]
    low: float = 0.0
    high: float = 1.0


def _stack_by_share(band: Band, key: str, whole: float, order: dict[str, int]) -> Iterator[Band]:
    """Yield the pieces of each key, stacked by their shares of `whole`, for the length of the band.

    The first piece of each key starts its band, the last one ends it.
    """
    groups: dict[str, list[BandPiece]] = {}
    for piece in band.pieces:
        groups.setdefault(getattr(piece, key), []).append(piece)
    first, last = band.pieces[0], band.pieces[-1]
    at = max(0.0, 1.0 - sum(piece.weight for piece in band.pieces) / whole)
    names = sorted(groups, key=lambda name: order.get(name, len(order)))
    steps: list[tuple[int, int]] = []
    for name in names:
        until = at + sum(piece.weight for piece in groups[name]) / whole
        near = min(round(at * _BAND_STEPS), _BAND_STEPS - 1)
        steps.append((near, min(max(round(until * _BAND_STEPS), near + 1), _BAND_STEPS)))
        at = until
    for name, (near, far) in zip(names, _separate_bands(steps), strict=True):
        low, high = (band.low + (band.high - band.low) * step / _BAND_STEPS for step in (near, far))
        put = groups[name]
        # The band is as long as the stretch.
        put[0] = replace(put[0], start=first.start, duration=put[0].end - first.start)
        put[-1] = replace(put[-1], duration=last.end - put[-1].start)
        yield Band(put, low, high)


def _separate_bands(steps: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Separate bands so that each has at least one step: small bands take space from adjacent ones.

    >>> _separate_bands([(0, 1), (0, 12), (11, 12)]), _separate_bands([(11, 12), (11, 12)])
    ([(0, 1), (1, 11), (11, 12)], [(10, 11), (11, 12)])
    """
    found, least = [], 0
    for left, (near, far) in zip(range(len(steps) - 1, -1, -1), steps, strict=True):
        most = _BAND_STEPS - left
        near = min(max(min(near, most - 1), least), _BAND_STEPS - 1)
        least = max(min(far, most), near + 1)
        found.append((near, least))
    return found


def _split_by_shade(band: Band, least: float) -> Iterator[BandPiece]:
    """Yield a band by its shades, in sequence; stacked if they alternate."""
    keys, end = [piece.style for piece in band.pieces], band.pieces[-1].end
    if len(set(keys)) == 1:
        yield _merge_pieces(band, end)
        return
    stretches = list(_split_into_stretches(keys, band.pieces, least / 4))
    ends = [*(stretch[0].start for stretch in stretches[1:]), end]
    for stretch, until in zip(stretches, ends, strict=True):
        part = replace(band, pieces=stretch)
        if len({piece.style for piece in stretch}) == 1:
            yield _merge_pieces(part, until)
        else:
            for shade in _stack_by_share(part, "style", sum(piece.weight for piece in stretch), {}):
                yield _merge_pieces(shade, until)


def _merge_pieces(band: Band, until: float) -> BandPiece:
    first = band.pieces[0]
    return replace(
        first,
        duration=until - first.start,
        said=NO_CELL_TEXT,
        low=band.low,
        high=band.high,
        run=True,
        half=0,
        full=1.0,
    )
