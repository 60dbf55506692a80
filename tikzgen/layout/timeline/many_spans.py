"""Spans in rows for PGF's basic layer: runs of short spans, and more spans than TeX can draw as nodes.

TeX needs 1.5 ms and 500 words of memory for a named node, but 25 µs and 30 words for a row (90 with its label). A row
holds the data of a bar (start, lane, duration, label); rows are grouped by common properties. Spans that are the
target of an arrow, note or link keep an invisible node. Spans with their own marks stay bars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from operator import attrgetter

from tikzgen.base.record import replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.constants import SHORTEST
from tikzgen.layout.scene.items import Item, name_phase_style
from tikzgen.layout.symbolic_lengths import number
from tikzgen.layout.timeline.join_short_spans import BandPiece, join_into_bands
from tikzgen.layout.timeline.timeline_items import NO_CELL_TEXT, SpanItem, SpanMassItem, SpanRowsItem
from tikzgen.layout.timeline.timeline_needs import share_of_page
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Timeline

_SPAN_NODE_LIMIT = 600  # spans and bubbles that a figure may have as nodes
_MEMORY_LIMIT = 2_300_000  # words of TeX's memory: 5,000,000 minus LaTeX, TikZ and the packages of a paper
_RECTANGLE_WORDS = 32  # words per rectangle, measured with the most demanding engine (xelatex)
_TEXT_WORDS = 60  # words per label
_SHORTEST_SPELLED_LENGTH = 0.00005  # time units as drawn: shorter ones round to 0 (four digits per number)
_BATCH_ROWS = 200  # rows per batch: leaves LuaTeX enough save stack
_WIDTH = 16.0  # cm for the lanes if no width is stated
_TIME_UNIT_CM = 0.1  # cm of a time unit if there is room
_HEIGHT = 16.0  # cm of all lanes together
_LEAST_LANE_CM = 0.1  # cm of a lane
_NARROW_LANE_RATIO = 0.75  # of it, if the page has no room for more


def is_mass(plan: LayoutAttempt) -> bool:
    """Return whether a figure has more spans than nodes can draw."""
    return _count(plan) > _SPAN_NODE_LIMIT


def _count(plan: LayoutAttempt) -> int:
    return sum(len(facts.part.spans) + len(facts.part.bubbles) for facts in plan.timelines.values())


def distances_of_many_spans(facts: TimelineOnPaper, needs: dict[str, DistanceNeed]) -> dict[str, DistanceNeed]:
    """Return the distances of a timeline within a page: leave out labels and make lanes thinner."""
    if not is_mass(facts.plan):
        return needs
    unit, lane = needs["timeunit"], needs["laneheight"]
    usual = min(max(unit.usual, _TIME_UNIT_CM), _WIDTH / (float(facts.end) or 1.0))
    height = max(_LEAST_LANE_CM, min(lane.usual, _HEIGHT / max(facts.rows, 1), share_of_page(facts.plan)))
    return needs | {
        "timeunit": replace(unit, least=usual / 100, usual=usual, tight=0.0),
        "laneheight": replace(
            lane, least=min(lane.least, max(_LEAST_LANE_CM, height * _NARROW_LANE_RATIO)), usual=height
        ),
    }


def merge_many_bars(facts: TimelineOnPaper, bars: Iterable[SpanItem]) -> tuple[Item, ...]:
    """Return the bars; bars too short for a cell become runs, and very many bars become rows.

    Marked bars stay bars.
    """
    every = list(bars)
    unit = facts.plan.values["timeunit"]
    is_many = is_mass(facts.plan)
    stays = [bar for bar in every if bar.fault or bar.heavy or bar.slide or bar.arrow]
    notes = []
    if is_many and len(stays) > _SPAN_NODE_LIMIT:
        over = format_thousands(len(stays) - _SPAN_NODE_LIMIT)
        notes.append(f"{over} marks of faults, of the critical path, of slides or of arrows are left out")
        stays = stays[:_SPAN_NODE_LIMIT]
    names = {bar.name for bar in stays}
    many = [bar for bar in every if bar.name not in names and (is_many or not is_cell(bar, unit))]
    if not many:
        return tuple(every)
    rows = {bar.name for bar in many}
    few = min(
        (_RECTANGLE_WORDS + _TEXT_WORDS) * len(every), _MEMORY_LIMIT // (8 * len(facts.plan.timelines))
    )  # enough for a small part
    room = max(int(_MEMORY_LIMIT * len(every) / _count(facts.plan)), few)
    pieces = [piece for bar in many for piece in _split_bar(bar) if piece.duration > 0]
    unseen = sum(float(bar.duration) == 0 and not bar.idle for bar in many)
    if unseen:
        spans = "spans are" if unseen > 1 else "span is"
        notes.append(
            f"{format_thousands(unseen)} {spans} too short to be seen: "
            f"less than {_SHORTEST_SPELLED_LENGTH:g} time units"
        )
    drawn, more = cells_and_runs(facts, pieces, room // _RECTANGLE_WORDS)
    kept, dropped = _limit_texts(drawn, (room - _RECTANGLE_WORDS * len(drawn)) // _TEXT_WORDS)
    if dropped:
        more.append(f"{format_thousands(dropped)} labels are left out: TeX's memory has no room for them")
    wanted = _linked_nodes(facts)
    styles = {piece.style for piece in kept}
    looks = [look for look in _list_distinct_looks(many) if _name_span_style(*look) in styles]
    mass = SpanMassItem(
        direction=facts.part.direction,
        count=len(many),
        groups=tuple(_group_pieces(kept)),
        points=tuple(bar for bar in many if bar.name in wanted),
        looks=tuple((phase, chunk) for phase, chunk, _ in looks),
        text=tuple(dict.fromkeys(piece.said.macro for piece in kept if piece.said.macro)),
        notes=(*notes, *more),
    )
    return (mass, *(bar for bar in every if bar.name not in rows and (bar.name in names or not is_many)))


def _list_distinct_looks(bars: Iterable[SpanItem]) -> dict[tuple[str, int, bool], None]:
    """Return the distinct combinations of phase, chunk and idleness of all spans and their halves."""
    found = dict.fromkeys((bar.phase, bar.chunk, bar.idle) for bar in bars)
    found.update(dict.fromkeys((bar.second.phase, bar.second.chunk, False) for bar in bars if bar.second))
    return found


def _name_span_style(phase: str, chunk: int, idle: bool) -> str:
    return name_phase_style(phase, chunk) + (", bubble" if idle else "")


def _linked_nodes(facts: TimelineOnPaper) -> set[str]:
    """Return the nodes at which arrows, notes and links of this figure end."""
    part: Timeline = facts.part
    ends = {end for arrow in part.dependencies for end in (arrow.source, arrow.target)}
    ends.update(remark.about for remark in part.remarks)
    prefix = f"{facts.panel}." if len(facts.plan.figure.panels) > 1 else ""
    for link in facts.plan.figure.links:
        ends.update(end.removeprefix(prefix) for end in (link.source, link.target) if end.startswith(prefix))
    return {facts.name(end) for end in ends}


def _split_bar(bar: SpanItem) -> Iterator[BandPiece]:
    """Yield a bar as a rectangle with its label; a fused one as two that touch."""
    start, duration = float(bar.start), float(bar.duration)
    style = _name_span_style(bar.phase, bar.chunk, bar.idle)
    whole = BandPiece(start, duration, bar.lane, bar.lanes, bar.phase, style, bar.said, bar.level, full=bar.full)
    rest = bar.second
    if rest is None:
        yield whole
        return
    first = duration * (1 - float(rest.share))
    at, left, style = start + first, duration - first, name_phase_style(rest.phase, rest.chunk)
    yield replace(whole, duration=first, half=1)
    yield replace(whole, start=at, duration=left, phase=rest.phase, style=style, said=rest.said, half=2)


def _limit_texts(pieces: list[BandPiece], limit: int) -> tuple[list[BandPiece], int]:
    """Keep at most `limit` labels; return the pieces and the number of labels left out.

    All labels of a style are dropped together, the most numerous first: a row with some labels would be misread.
    """
    counts = Counter(piece.style for piece in pieces if piece.said.macro)
    mute: set[str] = set()
    left = sum(counts.values())
    for style, count in counts.most_common():
        if left <= limit:
            break
        mute.add(style)
        left -= count
    if not mute:
        return pieces, 0
    found = [replace(p, said=NO_CELL_TEXT) if p.style in mute else p for p in pieces]
    return found, sum(counts.values()) - left


_Look = tuple[str, bool, int, float, float, float, tuple[bool, str, str, bool, bool]]


def _group_pieces(pieces: list[BandPiece]) -> Iterator[SpanRowsItem]:
    """Yield pieces of equal appearance, in rows by lane and time."""
    found: dict[_Look, list[BandPiece]] = {}
    for p in pieces:
        said = p.said
        macro = said.macro if said.number else ""  # macro for the numbers; other labels have one macro per row
        words = bool(said.macro), macro, said.size, p.level, said.lines
        found.setdefault((p.style, p.run, p.half, p.lanes, p.low, p.high, words), []).append(p)
    for (style, run, half, lanes, low, high, words), group in found.items():
        group.sort(key=attrgetter("lane", "start"))
        rows = [
            (number(p.start, 4), number(p.lane), number(p.duration, 4), p.said.number or p.said.macro) for p in group
        ]
        batches = tuple(tuple(rows[at : at + _BATCH_ROWS]) for at in range(0, len(rows), _BATCH_ROWS))
        ends = (0, 0) if run else _GAPS[half]
        yield SpanRowsItem(style, number(lanes), batches, ends, number(low), number(high), *words)


# Halves of a gap that a cell leaves at its beginning and at its end: parts of a fused cell touch.
_GAPS = {0: (1, 1), 1: (1, 0), 2: (0, 1)}


def is_cell(bar: SpanItem, unit: float) -> bool:
    """Return whether a span is long enough for a cell, and busy all the time; `unit` is the time unit in cm."""
    return bar.full == 1 and (not unit or float(bar.duration) >= SHORTEST / unit)


def cells_and_runs(facts: TimelineOnPaper, pieces: list[BandPiece], limit: int) -> tuple[list[BandPiece], list[str]]:
    """Return cells and runs, at most `limit`, and notes for the user.

    Short pieces are joined into runs. The length below which pieces count as short grows until TeX's memory suffices.
    """
    phases = ["idle", *facts.chunks]
    longest = SHORTEST
    while True:
        least = longest / facts.plan.values["timeunit"]
        short = [piece for piece in pieces if piece.duration < (least / 2 if piece.half else least)]
        cells = [piece.lower_to_share() for piece in pieces if piece.duration >= (least / 2 if piece.half else least)]
        runs = join_into_bands(short, least, phases)
        if len(cells) + len(runs) <= limit:
            break
        longest *= max(1.1, min(2.0, (len(cells) + len(runs)) / limit))
    if not short:
        return cells, []
    limits = f"shorter than {longest * 10:.2g} mm"
    more = "(a larger width shows more of them)"
    if len(runs) == len(short):
        spans = "spans" if short[1:] else "span"
        return cells + runs, [f"{format_thousands(len(short))} {spans} {limits} drawn without a node {more}"]
    joined = f"joined {format_thousands(len(short))} spans {limits} into {format_thousands(len(runs))}"
    return cells + runs, [f"{joined} {more}"]


def format_thousands(count: int) -> str:
    """Return a number with thousands separated by spaces: 12 345."""
    return f"{count:,}".replace(",", " ")
