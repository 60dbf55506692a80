"""Whether a span is drawn as a cell of its own or joins a run: by how long it is on paper, and how many there are."""

from __future__ import annotations

from tikzgen.layout.constants import SHORTEST
from tikzgen.layout.timeline.join_short_spans import Piece, joined
from tikzgen.layout.timeline.timeline_items import Bar
from tikzgen.layout.timeline.timeline_on_paper import TimelineOnPaper


def is_cell(bar: Bar, unit: float) -> bool:
    """Whether a bar has the length of a cell, and all of its time is work; `unit` is that of time, in cm."""
    return bar.full == 1 and (not unit or float(bar.duration) >= SHORTEST / unit)


def cells_and_runs(facts: TimelineOnPaper, pieces: list[Piece], limit: int) -> tuple[list[Piece], list[str]]:
    """What is drawn: cells, and short ones as runs, no more than TeX's memory holds; and what is to be said of it."""
    phases = ["idle", *facts.chunks]
    longest = SHORTEST
    while True:
        least = longest / facts.plan.values["timeunit"]
        short = [piece for piece in pieces if piece.duration < (least / 2 if piece.half else least)]
        cells = [piece.lowered() for piece in pieces if piece.duration >= (least / 2 if piece.half else least)]
        runs = joined(short, least, phases)
        if len(cells) + len(runs) <= limit:
            break
        longest *= max(1.1, min(2.0, (len(cells) + len(runs)) / limit))
    if not short:
        return cells, []
    limits = f"shorter than {longest * 10:.2g} mm"
    if len(runs) == len(short):
        spans = "spans" if short[1:] else "span"
        return cells + runs, [f"{thousands(len(short))} {spans} {limits} drawn without a node"]
    return cells + runs, [f"joined {thousands(len(short))} spans {limits} into {thousands(len(runs))}"]


def thousands(count: int) -> str:
    """A number as people read it: 12 345."""
    return f"{count:,}".replace(",", " ")
