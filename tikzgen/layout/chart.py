"""What is known of a timeline before it is placed: names, places of lanes, moments on paper. Computed once a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tikzgen.layout.cells import Cell, cells
from tikzgen.layout.length import number
from tikzgen.layout.words import spell, wordy
from tikzgen.model.figure import Figure
from tikzgen.model.timeline import Timeline

__all__ = ["Chart", "Clock", "charts"]

_GAP = Fraction(1, 25)  # of what is drawn: the paper that a break still takes


@dataclass(frozen=True, slots=True)
class Clock:
    """Where moments lie on paper, in time units: stretches that the axis leaves out shrink to `gap`."""

    cuts: tuple[tuple[Fraction, Fraction], ...] = ()
    gap: Fraction = Fraction(0)

    def at(self, moment: Fraction) -> Fraction:
        """The place of a moment; inside a break, the share of its gap."""
        left = Fraction(0)
        for start, end in self.cuts:
            if moment <= start:
                break
            left += (min(moment, end) - start) * (1 - self.gap / (end - start))
        return moment - left

    def spelt(self, moment: Fraction) -> str:
        """The place of a moment as TeX reads it; four digits are finer than any printer for figures under a metre."""
        return number(float(self.at(moment)), 4)


@dataclass(frozen=True, slots=True)
class Chart:
    """A timeline with what its drawing needs to know throughout.

    `names` and `stems` go with the spans: their nodes' names, and the stems of the macros of their texts. `place` is
    the coordinate of each lane's middle and `strips` that of each strip's, in lanes from the first one; `rows` is how
    many lanes' room all of it takes. `end` is where the last moment lies on paper, in time units. `mark` tells the
    texts of a panel's second timeline from those of its first. `cells` are the kinds of numbered cells.
    """

    panel: str
    part: Timeline
    names: tuple[str, ...]
    stems: tuple[str, ...]
    clock: Clock
    place: Mapping[str, float]
    strips: tuple[float, ...]
    rows: float
    end: Fraction
    mark: str = ""
    cells: tuple[Cell, ...] = ()

    def middle(self, lanes: tuple[str, ...] | list[str]) -> tuple[float, float]:
        """The coordinate of the middle of adjacent lanes (all where none is named), and over how many they reach."""
        places = [self.place[lane] for lane in lanes] or list(self.place.values())
        low, high = min(places), max(places)
        return (low + high) / 2, high - low + 1


def charts(figure: Figure) -> dict[tuple[str, int], Chart]:
    """The charts of a figure's timelines, by panel and by place among the panel's contents."""
    found: dict[tuple[str, int], Chart] = {}
    single = _single_texts(figure)
    for panel in figure.panels:
        before = 0
        for index, content in enumerate(panel.content):
            if isinstance(content, Timeline):
                mark = spell(before + 1) if before else ""
                found[panel.id, index] = _chart(figure, panel.id, content, single, mark)
                before += 1
    return found


def _chart(figure: Figure, panel: str, part: Timeline, single: frozenset[str], mark: str) -> Chart:
    names = tuple(part.names())
    stems = tuple(
        # its phase where all spans of the phase say the same, its own name otherwise
        wordy(span.phase if span.phase in single else name) if span.label else ""
        for span, name in zip(part.spans, names, strict=True)
    )
    end = part.end
    cuts = tuple((cut.start, cut.end) for cut in part.axis.breaks) if part.axis else ()
    left_out = sum((stop - start for start, stop in cuts), Fraction(0))
    clock = Clock(cuts, (end - left_out) * _GAP) if cuts else Clock()
    place, strips, rows = _rows(part)
    return Chart(panel, part, names, stems, clock, place, strips, rows, clock.at(end), mark, cells(figure, part))


def _rows(part: Timeline) -> tuple[dict[str, float], tuple[float, ...], float]:
    """Where the lanes lie, with their strips right below them and the other strips after all."""
    place: dict[str, float] = {}
    strips: dict[int, float] = {}
    down = 0.0
    for lane in part.lanes:
        place[lane.id] = down
        down += 1
        for index, strip in enumerate(part.strips):
            if strip.lane == lane.id:
                strips[index] = down
                down += 1
    for index, strip in enumerate(part.strips):
        if strip.lane is None:
            strips[index] = down
            down += 1
    return place, tuple(strips[index] for index in range(len(part.strips))), down


def _single_texts(figure: Figure) -> frozenset[str]:
    """The phases whose labelled spans all say the same: they share one macro."""
    texts: dict[str, set[tuple[str, str]]] = {}
    for timeline in _timelines(figure):
        for span in timeline.spans:
            if span.label:
                texts.setdefault(span.phase, set()).add((span.label, span.short))
    return frozenset(phase for phase, found in texts.items() if len(found) == 1)


def _timelines(figure: Figure) -> Iterator[Timeline]:
    for panel in figure.panels:
        for content in panel.content:
            if isinstance(content, Timeline):
                yield content
