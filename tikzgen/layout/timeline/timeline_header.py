"""Header above the lanes, on their left edge: the name of the timeline (bold) and its measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER, MARGIN
from tikzgen.layout.label_lines import broken_at, set_within
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, Length, SymbolicBox
from tikzgen.layout.time.timed_items import ORIGIN_POINT, LabelItem
from tikzgen.layout.timeline.labels_outside_cells import shrink_label
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper, on_paper
from tikzgen.model.looks import width_in_cm
from tikzgen.model.panel_parts import Panel
from tikzgen.text import TextSize as TextExtent

_NAME_GAP = 0.3  # cm between the name and the measure
_BRACKETS_WIDTH = 2.2  # cm that brackets of lanes take with their labels
_NAME_WIDTH = 5.0  # cm: a caption of at most this length is a name
_ARROW_OVERHANG_CM = 0.5  # cm by which the time axis extends beyond the lanes
_DEEP_LETTER = "g"  # gives all headers the same depth
_HEADER_WIDTH = 8.0  # cm of a header above shorter lanes, if no width is stated


def is_alone(facts: TimelineOnPaper) -> bool:
    """Return whether the timeline is the only content of its panel and horizontal: it then has a header."""
    return len(_find_panel(facts).content) == 1 and facts.right


def names_panel(facts: TimelineOnPaper) -> bool:
    """Return whether the header shows the panel's caption: if it is a name, not a long sentence.

    If another panel of the figure can only have its caption below it, the captions of timelines are also below.
    """
    caption = _find_panel(facts).caption
    if not caption or facts.part.title or not is_alone(facts):
        return False
    every = (on_paper(facts.plan, other) for other in facts.plan.timelines.values())
    with_headers = {each.panel for each in every if is_alone(each)}
    if any(panel.caption and panel.id not in with_headers for panel in facts.plan.figure.panels):
        return False
    if "\n" in caption:
        return False
    short = facts.plan.measure(caption, bold=True).width <= _NAME_WIDTH or _beside_names(facts)
    return _can_fit_caption(facts, 1) or (_can_fit_caption(facts, 3) and short)


def _can_fit_caption(facts: TimelineOnPaper, lines: int) -> bool:
    """Return whether the panel's caption fits above the lanes in at most `lines` lines."""
    caption, room = _find_panel(facts).caption, _limit_header_width(facts)
    broken = broken_at(facts.plan, caption, room, bold=True) if lines > 1 else caption
    return broken.count("\n") < lines and facts.plan.measure(broken, bold=True).width <= room


def _beside_names(facts: TimelineOnPaper) -> bool:
    """Return whether other panels have their captions above the lanes: then all timelines have."""
    every = (on_paper(facts.plan, other) for other in facts.plan.timelines.values() if other.key != facts.key)
    return any(_find_panel(other).caption and _can_fit_caption(other, 1) for other in every if is_alone(other))


def _limit_header_width(facts: TimelineOnPaper) -> float:
    """Return the maximum width of a header, in cm."""
    own = float(facts.end) * facts.plan.values["timeunit"]
    figure = facts.plan.figure
    if figure.width is None:
        return max(own, _HEADER_WIDTH)
    if figure.abreast > 1:
        return own + _ARROW_OVERHANG_CM
    labels = max((_beside_lane(facts, lane.label) for lane in facts.part.lanes if lane.label), default=0.0)
    beside = labels + 2 * INNER + 2 * MARGIN + (_BRACKETS_WIDTH if facts.part.groups else 0.0)
    return max(own, width_in_cm(figure.width) - beside)


def _beside_lane(facts: TimelineOnPaper, label: str) -> float:
    """Return the width of a lane's label, with shrinking or wrapping if used, in cm."""
    short = shrink_label(facts, label)
    return short.width - 2 * INNER if short else facts.plan.measure(label).width


def _find_panel(facts: TimelineOnPaper) -> Panel:
    return next(panel for panel in facts.plan.figure.panels if panel.id == facts.panel)


_Line = tuple[LabelItem, TextExtent]
"""Label of the header without its position, and its size."""


def _make_header_line(plan: LayoutAttempt, text: str, macro: str, room: float, *, bold: bool, known: str = "") -> _Line:
    """Return a line of the header, wrapped if it is too long; a measure is `known` at the end."""
    size, wrap = set_within(plan, text, room, bold=bold)
    look = ("slbl", "strong") if bold else ("slbl",)
    return LabelItem((macro,), ORIGIN_POINT, "south west", look, wrap=wrap, known=known), size


def header_parts(facts: TimelineOnPaper, before: float) -> Iterator[Item | SymbolicBox]:
    """Yield the header of a horizontal timeline, `before` cm above the lanes, in one row if it fits."""
    if not facts.right:
        return
    part, panel, room = facts.part, _find_panel(facts), _limit_header_width(facts)
    found: list[_Line] = []
    if part.title:
        macro = facts.find_field_macro("title")
        found.append(_make_header_line(facts.plan, part.title, macro, room, bold=True))
    elif names_panel(facts):
        macro = facts.plan.labels.find_field_macro(*facts.at[:2], "caption")
        found.append(_make_header_line(facts.plan, panel.caption, macro, room, bold=True))
    if part.summary and is_alone(facts):
        macro = facts.find_field_macro("summary")
        found.append(
            _make_header_line(
                facts.plan, part.summary, macro, room, bold=False, known=facts.clock.spell_moment(facts.last)
            )
        )
    level = len(found) == 2 and sum(size.width for _, size in found) + _NAME_GAP <= room
    off = before
    for row in [found] if level else [[line] for line in reversed(found)]:
        sink = max(facts.plan.measure(_DEEP_LETTER).depth, *(size.depth for _, size in row))
        yield from _place_header_row(facts, row, off + sink)
        high = max(size.height for _, size in row) + sink + 2 * INNER
        reach = sum(size.width for _, size in row) + _NAME_GAP * (len(row) - 1)
        foot = facts.place_row(facts.find_edge_row("before")) - off
        yield facts.make_extent(ZERO, Length(reach), foot - high, foot)
        off += high


def _place_header_row(facts: TimelineOnPaper, row: Sequence[_Line], off: float) -> Iterator[LabelItem]:
    """Yield labels on one baseline, `off` cm above the lanes without the labels' padding."""
    along = -INNER
    for label, size in row:
        yield replace(
            label, at=facts.make_point("0", facts.find_edge_row("before"), along=along, off=-(off - size.depth))
        )
        along += size.width + _NAME_GAP
