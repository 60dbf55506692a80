"""Timelines of more spans than TeX bears as nodes: rectangles and texts in rows that the basic layer draws.

A named node takes TeX 1.5 ms and 500 words of its memory, a row of the mass 25 µs and 30 words (90 with its text).
The rows hold what a bar holds (start, lane, duration, text), grouped by what they have in common. Spans that something
points to keep their node, without ink; those with a mark of their own stay bars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.items import Caption, Item, shade
from tikzgen.layout.length import number
from tikzgen.layout.timeline.thin_spans import Piece, joined, merged
from tikzgen.layout.timeline.timeline_items import Bar, Mass, Rows
from tikzgen.model.timeline import Timeline
from tikzgen.plane.units import PT_PER_CM

__all__ = ["is_mass", "items", "spacing", "thinned"]

_NODES = 600  # spans and bubbles that a figure may have as nodes
_HAIRLINE = 0.2  # pt at the figure's width: what is thinner is merged with its neighbours
_ROOM = 2_300_000  # words of TeX's memory: 5 000 000, less what LaTeX, TikZ and a paper's packages take
_RECTANGLE, _TEXT = 32, 60  # words for each, measured where they are most (xelatex)
_BATCH = 200  # rows drawn at once: LuaTeX saves no more values than that leaves
_WIDTH = 16.0  # cm that the lanes take where no width is asked for
_UNIT = 0.1  # cm that a time unit takes where there is room
_HEIGHT = 16.0  # cm that they take across, all together
_THINNEST = 0.1  # cm of a lane


def is_mass(plan: Plan) -> bool:
    """Whether a figure has more spans than nodes can draw."""
    return _count(plan) > _NODES


def _count(plan: Plan) -> int:
    return sum(len(chart.part.spans) + len(chart.part.bubbles) for chart in plan.charts.values())


def spacing(plan: Plan, chart: Chart, needs: dict[str, Need]) -> dict[str, Need]:
    """What a timeline asks for, within a page: labels that do not fit are left out, and lanes grow thinner."""
    if not is_mass(plan):
        return needs
    unit, lane = needs["timeunit"], needs["laneheight"]
    usual = min(max(unit.usual, _UNIT), _WIDTH / (float(chart.end) or 1.0))
    height = max(_THINNEST, min(lane.usual, _HEIGHT / max(chart.rows, 1)))
    return needs | {
        "timeunit": replace(unit, least=usual / 100, usual=usual, tight=0.0),
        "laneheight": replace(lane, least=min(lane.least, height), usual=height),
    }


def items(plan: Plan, chart: Chart, bars: Iterable[Bar]) -> tuple[Item, ...]:
    """The mass, then the bars that stay."""
    every = list(bars)
    stays = [bar for bar in every if bar.fault or bar.heavy or bar.slide]
    many, notes = every, []
    if len(stays) > _NODES:
        notes.append(f"{_many(len(stays) - _NODES)} marks of faults, of the critical path or of slides are left out")
        stays = stays[:_NODES]
    if stays:
        names = {bar.name for bar in stays}
        many = [bar for bar in every if bar.name not in names]
    unit = plan.values["timeunit"] * PT_PER_CM
    room = int(_ROOM * len(every) / _count(plan))
    pieces = [piece for bar in many for piece in _pieces(bar)]
    line, inked = _line(pieces, unit)
    pieces = _even(pieces)
    drawn, more = _drawn(pieces, unit, line, room // _RECTANGLE)
    kept, dropped = _labelled(drawn, (room - _RECTANGLE * len(drawn)) // _TEXT)
    if dropped:
        more.append(f"{_many(dropped)} labels are left out: TeX's memory has no room for them")
    wanted = _named(plan, chart)
    styles = {piece.style for piece in kept}
    looks = [look for look in _looks(many) if _style(*look) in styles]
    hatched = frozenset(_style(*look) for look in looks if plan.figure.phase(look[0]).hatch != "none")
    mass = Mass(
        direction=chart.part.direction,
        count=len(many),
        groups=tuple(_groups(kept, unit, line, inked, hatched)),
        points=tuple(bar for bar in many if bar.name in wanted),
        looks=tuple((phase, chunk) for phase, chunk, _ in looks),
        text=tuple(dict.fromkeys(piece.text for piece in kept if piece.text)),
        notes=(*notes, *more),
    )
    return (mass, *stays)


def thinned(plan: Plan, found: Iterable[Item]) -> Iterator[Item]:
    """The labels of lanes, in a mass without those that would stand in each other's way."""
    if not is_mass(plan):
        yield from found
        return
    pitch = plan.values["laneheight"] + plan.values["lanesep"]
    step = max(1, -int(-_label_height(plan) // pitch))
    captions = 0
    for item in found:
        if isinstance(item, Caption) and "strong" not in item.styles:
            captions += 1
            if (captions - 1) % step:
                continue
        yield item


def _label_height(plan: Plan) -> float:
    size = plan.measure("Sg")
    return size.height + size.depth + 0.02


def _looks(bars: Iterable[Bar]) -> dict[tuple[str, int, bool], None]:
    """The phases of bars and their halves, with their chunks, and whether they are bubbles."""
    found = dict.fromkeys((bar.phase, bar.chunk, bar.idle) for bar in bars)
    found.update(dict.fromkeys((bar.second.phase, bar.second.chunk, False) for bar in bars if bar.second))
    return found


def _style(phase: str, chunk: int, idle: bool) -> str:
    return shade(phase, chunk) + (", bubble" if idle else "")


def _named(plan: Plan, chart: Chart) -> set[str]:
    """The nodes that arrows, notes and links of this figure end on."""
    part: Timeline = chart.part
    ends = {end for arrow in part.dependencies for end in (arrow.source, arrow.target)}
    ends.update(remark.about for remark in part.remarks)
    prefix = f"{chart.panel}." if len(plan.figure.panels) > 1 else ""
    for link in plan.figure.links:
        ends.update(end.removeprefix(prefix) for end in (link.source, link.target) if end.startswith(prefix))
    return {plan.name(chart.panel, end) for end in ends}


def _pieces(bar: Bar) -> Iterator[Piece]:
    """A bar as a rectangle with its text; a fused one as two without a border, and the border around them."""
    start, duration = float(bar.start), float(bar.duration)
    style = _style(bar.phase, bar.chunk, bar.idle)
    whole = Piece(start, duration, bar.lane, bar.lanes, style, bar.text, bar.number, bar.size, bar.level, bar.lines)
    rest = bar.second
    if rest is None:
        yield whole
        return
    share = float(rest.share)
    first = duration * (1 - share)
    yield replace(whole, duration=first, part=True)
    yield replace(
        whole,
        start=start + first,
        duration=duration - first,
        style=shade(rest.phase, rest.chunk),
        text=rest.text,
        number=rest.number,
        size=rest.size,
        lines=rest.lines,
        part=True,
    )
    yield replace(whole, style="", text="", number="", size="")


_INKED = 4.5  # pt: cells that are shorter have borders of paper, so that these do not blacken the figure
_HATCHED = 3.0  # pt: no hatch shows in a cell that is shorter
_LEAST = 8.0  # borders: a cell that is not as long as so many of them has none


def _line(pieces: Sequence[Piece], unit: float) -> tuple[float, bool]:
    """The width in pt of all borders, by the shorter cells, and whether they are of ink, as those of nodes are."""
    widths = sorted(piece.duration * unit for piece in pieces) or [0.0]
    short = widths[len(widths) // 10]
    if short >= _INKED:
        return (0.5 if widths[0] >= _INKED else 0.2), True
    return (0.25 if short >= 2 else 0.12), False


def _drawn(pieces: list[Piece], unit: float, line: float, limit: int) -> tuple[list[Piece], list[str]]:
    """What is drawn: no thinner than a hairline, nor more than TeX's memory holds; and what is to be said of it."""
    hairline = _HAIRLINE
    while True:
        found, thin, strips = merged(pieces, hairline / unit)
        found, touching, blocks = joined(found, _LEAST * line / unit)
        if len(found) <= limit:
            break
        hairline *= max(1.1, min(2.0, len(found) / limit))
    notes = []
    if thin > strips:
        notes.append(f"merged {_many(thin)} spans thinner than {hairline:.2g} pt into {_many(strips)}")
    if touching > blocks:
        notes.append(f"joined {_many(touching)} spans without borders that touch into {_many(blocks)}")
    return found, notes


def _many(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def _even(pieces: list[Piece]) -> list[Piece]:
    """The pieces without the numbers of phases in which most cells have no room for theirs."""
    all_, numbered = Counter(p.style for p in pieces), Counter(p.style for p in pieces if p.number)
    mute = {style for style, count in numbered.items() if count < all_[style] / 2}
    if not mute:
        return pieces
    return [replace(p, text="", number="", size="") if p.number and p.style in mute else p for p in pieces]


def _labelled(pieces: list[Piece], limit: int) -> tuple[list[Piece], int]:
    """The pieces with no more than `limit` texts, and how many are left out.

    All texts of a style go together, most first: a row in which some cells have their text would be misread.
    """
    counts = Counter(piece.style for piece in pieces if piece.text)
    mute: set[str] = set()
    left = sum(counts.values())
    for style, count in counts.most_common():
        if left <= limit:
            break
        mute.add(style)
        left -= count
    if not mute:
        return pieces, 0
    found = [replace(p, text="", number="", size="") if p.text and p.style in mute else p for p in pieces]
    return found, sum(counts.values()) - left


def _groups(pieces: list[Piece], unit: float, line: float, inked: bool, hatched: frozenset[str]) -> Iterator[Rows]:
    """Pieces that are drawn alike, in rows by lane and time; the borders of fused cells after what they surround."""
    found: dict[tuple[bool, str, bool, bool, float, bool, str, str, bool, bool], list[Piece]] = {}
    for piece in pieces:
        has_line = piece.duration * unit >= _LEAST * line and not piece.part
        if piece.style or has_line:
            styles = piece.style if has_line else piece.style.partition(",")[0]
            if piece.style in hatched and piece.duration * unit < _HATCHED:
                styles += ", path picture={}"
            inset, says = not has_line and not piece.part, bool(piece.text)
            key = (
                not piece.style,
                styles,
                has_line,
                inset,
                piece.lanes,
                says,
                piece.macro,
                piece.size,
                piece.level,
                piece.lines,
            )
            found.setdefault(key, []).append(piece)
    for key, group in sorted(found.items(), key=lambda entry: entry[0][0]):
        _, styles, has_line, inset, lanes, says, macro, size, level, lines = key
        group.sort(key=attrgetter("lane", "start"))
        rows = [(number(p.start, 4), number(p.lane), number(p.duration, 4), _said(p)) for p in group]
        batches = tuple(tuple(rows[at : at + _BATCH]) for at in range(0, len(rows), _BATCH))
        width = number(line) if has_line else "0"
        yield Rows(styles, width, inked, number(lanes), batches, inset, says, macro, size, level, lines)


def _said(piece: Piece) -> str:
    """What a row says of its text: the number that its group's macro sets, or the macro's name."""
    return piece.number if piece.macro else piece.text
