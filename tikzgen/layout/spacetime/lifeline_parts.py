"""Lifelines: heads and feet on one baseline for any labels, lines, and activation bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from tikzgen.base.plane import PT_PER_CM
from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import ACTIVE, CRASH, DOTS_LONG, DOTS_WIDE, HEAD_PAD, INNER, STRUT_DEPTH, STRUT_HEIGHT
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.scene.items import Item
from tikzgen.layout.spacetime.facts_and_message_ways import LIFELINE_TAIL_CM, NARROW_LABEL_WIDTH, SpacetimeFacts
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox
from tikzgen.layout.time.part_with_time import Patch
from tikzgen.layout.time.timed_items import PathItem, RectangleItem, TimedPoint

_HEAD_LINE_CM = 0.03  # cm: line around a head, half of it on each side
_EM = 1.07  # of the size: the em of small sans fonts
HEAD_GAP = 0.12  # cm between a head and time 0
_CROSS = CRASH / 2


class LifelineHeadItem(Item):
    """The beginning of a lifeline with its label, optionally `framed`; a point without a label.

    `above` and `below` are the extents of its label from the baseline in cm, 0 for the usual extents. `wrap` is the
    width at which it wraps (cm); the baseline is then that of the first line. Instead of a label there may be `dots`:
    their style and their total height in cm.
    """

    spelling: ClassVar[str] = "spacetime.head"

    name: str
    text: str
    color: str
    at: TimedPoint
    anchor: str
    framed: bool
    above: float
    below: float
    wrap: float
    dots: tuple[str, float] | None = None

    def iterate_styles(self) -> Iterator[str]:
        if self.text:
            yield "life head" if self.framed else "life name"
        elif self.dots:
            yield self.dots[0]


class Head(Record):
    """Size of the label at a lifeline's beginning in cm; all 0 without a label.

    `width` and `height` include the padding. `above` and `below` are the extents of the label from the baseline, and
    `tall` marks larger extents than usual. `wrap` is the width at which it wraps, or 0.
    """

    width: float = 0.0
    height: float = 0.0
    above: float = 0.0
    below: float = 0.0
    tall: bool = False
    wrap: float = 0.0


def size_heads(facts: SpacetimeFacts) -> list[Head]:
    """Return the heads of all lifelines; in frames of equal height if lifelines are side by side."""
    pad = INNER if facts.right else HEAD_PAD + _HEAD_LINE_CM / 2
    size = (DOTS_WIDE, DOTS_LONG) if facts.right else (DOTS_LONG, DOTS_WIDE)
    found = [
        Head(*size) if one.ellipsis and not one.label else _size_head(facts, one.label, pad)
        for one in facts.part.lifelines
    ]
    drawn = [head for head in found if head.width]
    if facts.right or not drawn:
        return found
    above, below = max(head.above for head in drawn), max(head.below for head in drawn)
    same = {"above": above, "below": below, "height": above + below + 2 * pad, "tall": any(one.tall for one in drawn)}
    return [replace(head, **same) if head.width else head for head in found]


def size_feet(facts: SpacetimeFacts) -> list[Head]:
    """Return the labels at the ends of lifelines, without frames."""
    return [_size_head(facts, one.foot, INNER) for one in facts.part.lifelines]


def _size_head(facts: SpacetimeFacts, label: str, pad: float) -> Head:
    if not label:
        return Head()
    em = _EM * facts.plan.size / PT_PER_CM
    size, wrap = (
        in_lines(facts.plan, label, NARROW_LABEL_WIDTH) if facts.plan.limit else (facts.plan.measure(label), 0.0)
    )
    last = facts.plan.measure(label.rpartition("\n")[2] or label)
    above, below = size.total - last.depth, last.depth
    if wrap:
        above, below = max(facts.plan.measure("A").height, size.height), size.depth
    usual = STRUT_HEIGHT * em, STRUT_DEPTH * em
    tall = above > usual[0] + 0.01 or below > usual[1] + 0.01
    above, below = max(above, usual[0]), max(below, usual[1])
    return Head(size.width + 2 * pad, above + below + 2 * pad, above, below, tall, wrap)


def placed_heads(facts: SpacetimeFacts) -> Iterator[tuple[Head, Patch]]:
    """Yield the heads with their areas."""
    for row, head in enumerate(size_heads(facts)):
        long, wide = facts.swap_axes(head.width, head.height)
        line = facts.place_row(row)
        yield head, Patch(Length(-HEAD_GAP - long), line - wide / 2, Length(-HEAD_GAP), line + wide / 2)


def placed_feet(facts: SpacetimeFacts) -> Iterator[tuple[Head, Patch]]:
    """Yield the feet with their areas."""
    end = facts.place_time(facts.last) + LIFELINE_TAIL_CM
    for row, foot in enumerate(size_feet(facts)):
        long, wide = facts.swap_axes(foot.width, foot.height)
        yield foot, Patch(end, facts.place_row(row) - wide / 2, end + long, facts.place_row(row) + wide / 2)


def head_parts(
    facts: SpacetimeFacts, heads: Sequence[tuple[Head, Patch]], feet: Sequence[tuple[Head, Patch]]
) -> Iterator[Item | SymbolicBox]:
    """Yield the heads and the feet of lifelines, their areas, and the area of the lines between them."""
    last = facts.place_row(len(facts.part.lifelines) - 1)
    yield facts.make_extent(
        Length(-HEAD_GAP), facts.place_time(facts.last) + LIFELINE_TAIL_CM, Length(-_CROSS), last + _CROSS
    )
    for row, (one, (head, before), (foot, after)) in enumerate(zip(facts.part.lifelines, heads, feet, strict=True)):
        name, macro = facts.name(one.id), facts.find_field_macro("lifelines", row, "label")
        above, below = (head.above, head.below) if head.tall else (0.0, 0.0)
        place, side = facts.make_point(Fraction(0), row, along=-HEAD_GAP), "east" if facts.right else "south"
        framed = not facts.right and not one.ellipsis
        style = "omitted" if facts.right else "omitted level"
        dots = (style, head.height) if one.ellipsis and not macro else None
        yield LifelineHeadItem(name, macro, one.color, place, side, framed, above, below, head.wrap, dots)
        yield facts.patch(before)
        if one.foot:
            macro = facts.find_field_macro("lifelines", row, "foot")
            above, below = (foot.above, foot.below) if foot.tall else (0.0, 0.0)
            place, side = facts.make_point(facts.last, row, along=LIFELINE_TAIL_CM), "west" if facts.right else "north"
            yield LifelineHeadItem(f"{name}-foot", macro, one.color, place, side, False, above, below, foot.wrap)
            yield facts.patch(after)


def line_parts(facts: SpacetimeFacts) -> Iterator[Item]:
    """Yield the lifelines, up to their crash or beyond the last time."""
    for row, one in enumerate(facts.part.lifelines):
        if one.ellipsis:
            continue
        name = facts.name(one.id)
        head = TimedPoint(name=f"{name}.{'east' if facts.right else 'south'}" if one.label else name)
        last = facts.make_point(facts.last, row, along=LIFELINE_TAIL_CM)
        if one.crash is None:
            yield PathItem((f"life line={one.color}",), (head, last))
            continue
        crash = facts.make_point(one.crash, row)
        yield PathItem((f"life line={one.color}",), (head, crash))
        back = None if one.restart is None else facts.make_point(one.restart, row)
        if one.after == "dotted":
            yield PathItem((f"crashed line={one.color}",), (crash, back or last))
        if back is not None:
            yield PathItem((f"life line={one.color}",), (back, last))


def draw_activation_bars(facts: SpacetimeFacts) -> Iterator[Item]:
    """Yield the activation bars. At a crash, a bar stops before the cross, if it is long enough."""
    for one in facts.part.activations:
        row = facts.find_row(one.lifeline)
        line = facts.part.lifelines[row]
        back = CRASH / 2 if line.crash == one.end else 0.0
        if facts.measure_time(one.end - one.start) > back:
            first = facts.make_point(one.start, row, off=-ACTIVE / 2)
            yield RectangleItem((f"active={line.color}",), first, facts.make_point(one.end, row, -back, ACTIVE / 2))
