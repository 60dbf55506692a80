"""Bars to scale: their segments, the axis below them, and limits across them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.plain_words import spell_rounded
from tikzgen.base.plane import CM_PER_PT, has_overlap
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.cells.cells_facts import CellsFacts, Fills, spell_tex
from tikzgen.layout.cells.cells_items import BarAxisItem, BarGridItem, BarItem, SiteNode
from tikzgen.layout.constants import BAR_TOTAL_GAP_PT, BAR_UNIT_GAP, INNER, TICK
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, Length, SymbolicBox, make_length, number
from tikzgen.model.cells import CellKey, Cells, SizeBar
from tikzgen.text import Text

_USUAL_LENGTH_CM = 8.0
_LEAST_LENGTH_CM = 2.5
_OVERHANG_CM = 0.06  # cm by which grid lines and limits extend beyond the first and last bar
_AXIS_DROP_CM = 0.12  # cm between the last bar and the axis
_TOTAL_INNER_CM = 1 * CM_PER_PT
_LABEL_GAP_CM = 0.053
_TEXT_PAD_CM = 0.1
_MOST_TICKS_COUNT = 8
_TICK_PLACES_COUNT = 12
_LARGEST_NUMBER_COUNT = 10000
_SMALLEST_END_COUNT = 1


def find_bar_needs(plan: LayoutAttempt, part: Cells) -> dict[str, DistanceNeed]:
    """Return the distances of the bars of a part."""
    if not part.bars:
        return {}
    scale = find_scale(part)
    longest = float(_find_scale_end(part) / scale)
    unit = "one unit" if scale == 1 else f"{spell_rounded(scale, 12)} units"
    high = 0.46 * plan.size / 8
    return {
        "byteunit": DistanceNeed(
            _LEAST_LENGTH_CM / longest, _USUAL_LENGTH_CM / longest, "x", f"length of {unit} of the bars"
        ),
        "barheight": DistanceNeed(high, high, "y", "thickness of a bar"),
        **({"barsep": DistanceNeed(0.1, 0.2, "y", "distance between neighboring bars")} if len(part.bars) > 1 else {}),
    }


def find_scale(part: Cells) -> Fraction:
    """Return the power of ten by which sizes are divided in the file, so that TeX can compute with them."""
    end, scale = _find_scale_end(part), Fraction(1)
    while end / scale >= _LARGEST_NUMBER_COUNT:
        scale *= 10
    while end / scale < _SMALLEST_END_COUNT:
        scale /= 10
    return scale


def _divide_sizes(part: Cells, scale: Fraction) -> Cells:
    """Return the part with its sizes divided by a number."""
    if scale == 1:
        return part
    bars = [
        bar.model_copy(update={"parts": [one.model_copy(update={"size": one.size / scale}) for one in bar.parts]})
        for bar in part.bars
    ]
    limits = [one.model_copy(update={"at": one.at / scale}) for one in (part.axis.limits if part.axis else ())]
    axis = part.axis.model_copy(update={"limits": limits}) if part.axis else None
    return part.model_copy(update={"bars": bars, "axis": axis})


def _find_scale_end(part: Cells) -> Fraction:
    """Return the largest size on the scale."""
    limits = [limit.at for limit in part.axis.limits] if part.axis else []
    return max([*(bar.size for bar in part.bars), *limits])


class PlacedBars(Record):
    """Placed bars: their items, areas to keep clear, the whole extent, and the box of each bar and segment by name."""

    items: tuple[Item, ...]
    solids: tuple[SymbolicBox, ...]
    extent: SymbolicBox
    outlines: dict[str, SymbolicBox]


def place_bars(facts: CellsFacts, wanted: dict[str, tuple[SizeBar, tuple[int, int]]]) -> PlacedBars:
    """Return the bars, the first of which begins at the origin; `wanted` are segments that need a node, by name."""
    scale = find_scale(facts.part)
    asked, facts = facts.part, replace(facts, part=_divide_sizes(facts.part, scale))
    plan, part = facts.plan, facts.part
    pitch = make_length("barheight") + (make_length("barsep") if len(part.bars) > 1 else ZERO)
    total = make_length("barheight", len(part.bars)) + make_length("barsep", len(part.bars) - 1)
    labels = [spell_rounded(tick, _TICK_PLACES_COUNT) for tick in _list_ticks(asked)]
    ticks = [_spell_size(tick / scale) for tick in _list_ticks(asked)]
    items: list[Item] = []
    height = total + (_OVERHANG_CM + _AXIS_DROP_CM)
    if ticks:
        items.append(BarGridItem(ZERO, Length(_OVERHANG_CM), height * -1, tuple(ticks[1:])))
    solids: list[SymbolicBox] = []
    outlines: dict[str, SymbolicBox] = {}
    left = 0.0
    for index, bar in enumerate(part.bars):
        top = pitch * -index
        item, areas = _draw_bar(facts, index, bar, top, wanted, asked.bars[index].size)
        items.append(item)
        solids += areas
        outlines |= _iterate_outlines(facts, bar, top, wanted)
        left = max(left, plan.measure(bar.label).width + 2 * _LABEL_GAP_CM if bar.label else 0.0)
    limits = tuple(_iterate_limits(facts, solids))
    solids += [box for _, box in limits]
    if ticks or limits:
        unit = facts.find_macro("axis", "unit") if ticks else ""
        marks = tuple(mark for mark, _ in limits)
        unit_off = (plan.measure(labels[-1]).width / 2 if labels else 0.0) + BAR_UNIT_GAP
        items.append(
            BarAxisItem(ZERO, Length(_OVERHANG_CM), height * -1, tuple(ticks), tuple(labels), unit, unit_off, marks)
        )
    right = [one.right for one in solids]
    low = total * -1
    if ticks:
        size = plan.measure("0")
        low = low - (_AXIS_DROP_CM + TICK + size.total + 2 * _LABEL_GAP_CM)
        last = make_length("byteunit", float(ticks[-1]))
        right.append(last + plan.measure(labels[-1]).width / 2)
        if part.axis and part.axis.unit:
            right.append(last + (unit_off + plan.measure(part.axis.unit).width + 2 * _LABEL_GAP_CM))
    farthest = max(right, key=facts.measure)
    top = max((box.top for box in solids), key=facts.measure)
    extent = SymbolicBox(Length(-left), low, farthest, max(top, Length(_OVERHANG_CM), key=facts.measure))
    return PlacedBars(tuple(items), tuple(solids), extent, outlines)


def _draw_bar(
    facts: CellsFacts,
    index: int,
    bar: SizeBar,
    top: Length,
    wanted: dict[str, tuple[SizeBar, tuple[int, int]]],
    asked: Fraction,
) -> tuple[BarItem, list[SymbolicBox]]:
    """Return a bar, and the areas of the bar and of its texts."""
    fills, runs, texts = Fills(facts), [], []
    solids: list[SymbolicBox] = []
    start = Fraction(0)
    unit = facts.plan.values["byteunit"]
    for place, one in enumerate(bar.parts):
        key = CellKey(role=one.role, owner=one.owner, hatch=one.hatch)
        style = fills.find_key_style(key)
        if one.size:
            runs.append((_spell_size(start), _spell_size(one.size), style))
        wide = facts.plan.measure(one.label).width if one.label else 0.0
        if one.label and wide + _TEXT_PAD_CM <= float(one.size) * unit:
            ink = fills.find_key_look(key).text
            middle = _find_clear_middle(facts, start, one.size, wide)
            macro = facts.find_macro("bars", index, "parts", place, "label")
            texts.append((_spell_size(middle), macro, "" if ink == "ink" else ink))
            at = make_length("byteunit", float(middle))
            solids.append(SymbolicBox(at - wide / 2, top - make_length("barheight"), at + wide / 2, top))
        start += one.size
    total, wide, written = _spell_total(facts, index, bar, asked)
    end = make_length("byteunit", float(bar.size))
    gap = BAR_TOTAL_GAP_PT * CM_PER_PT + 2 * _TOTAL_INNER_CM
    place_of_total = bar.size
    for limit in sorted(limit.at for limit in facts.part.axis.limits) if facts.part.axis else ():
        if float(limit) * unit - 0.05 <= float(place_of_total) * unit + wide + gap and limit >= place_of_total:
            place_of_total = limit
    end = make_length("byteunit", float(place_of_total))
    solids.append(SymbolicBox(end, top - make_length("barheight"), end + (wide + gap if total else 0.0), top))
    nodes = [SiteNode(facts.name(bar.id), (_spell_size(bar.size / 2), ""), (_spell_size(bar.size), ""))]
    for name, (holder, span) in wanted.items():
        if holder.id == bar.id and name != bar.id:
            first, size = _find_extent(bar, span)
            nodes.append(SiteNode(facts.name(name), (_spell_size(first + size / 2), ""), (_spell_size(size), "")))
    item = BarItem(
        ZERO,
        top,
        _spell_size(bar.size),
        tuple(runs),
        tuple(nodes),
        tuple(texts),
        facts.find_macro("bars", index, "label"),
        total,
        _spell_size(place_of_total),
        tuple(fills.looks.items()),
        tuple(fills.phases),
        tuple(fills.styles),
        written,
    )
    return item, solids


def _spell_size(size: Fraction) -> str:
    return number(float(size), 4)


def _find_extent(bar: SizeBar, span: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Return the start and the size of some segments."""
    first = sum((part.size for part in bar.parts[: span[0]]), Fraction(0))
    return first, sum((part.size for part in bar.parts[span[0] : span[1]]), Fraction(0))


def _iterate_outlines(
    facts: CellsFacts, bar: SizeBar, top: Length, wanted: dict[str, tuple[SizeBar, tuple[int, int]]]
) -> Iterator[tuple[str, SymbolicBox]]:
    """Yield the boxes of a bar and of its segments that need a node, by name."""
    every = {bar.id: (bar, (0, len(bar.parts))), **{name: one for name, one in wanted.items() if one[0].id == bar.id}}
    for name, (_, span) in every.items():
        first, size = _find_extent(bar, span)
        left, right = (make_length("byteunit", float(at)) for at in (first, first + size))
        yield facts.name(name), SymbolicBox(left, top - make_length("barheight"), right, top)


def _spell_total(facts: CellsFacts, index: int, bar: SizeBar, size: Fraction) -> tuple[str, float, tuple[Text, ...]]:
    """Return the text at the end of a bar: its TeX, its width in cm, and the text itself if it is no parameter."""
    if bar.total is not None:
        return (
            ("\\" + facts.find_macro("bars", index, "total") if bar.total else ""),
            facts.plan.measure(bar.total).width,
            (),
        )
    unit = facts.part.axis.unit if facts.part.axis else ""
    text = f"{_spell_significant(size)} {unit}".strip() if not hasattr(unit, "allowed") else _spell_significant(size)
    return spell_tex(text).removeprefix("{").removesuffix("}"), facts.plan.measure(text).width, (text,)


def _spell_significant(value: Fraction) -> str:
    """Return a number with three significant digits, and all digits before the point."""
    places, size = 2, abs(value)
    while size >= 10 and places > 0:
        places, size = places - 1, size / 10
    while 0 < size < 1:
        places, size = places + 1, size * 10
    return spell_rounded(value, places)


def _list_ticks(part: Cells) -> list[Fraction]:
    """Return the numbers at the axis, from 0 to the end of the scale; empty without an axis."""
    if part.axis is None:
        return []
    end = _find_scale_end(part)
    step = part.axis.ticks or _choose_step(end)
    count = int(end / step) + (end % step != 0)
    return [step * place for place in range(count + 1)]


def _choose_step(end: Fraction) -> Fraction:
    """Return a step of 1, 2 or 5 times a power of ten that gives at most eight ticks."""
    power = Fraction(1)
    while power * 10 <= end:
        power *= 10
    while power > end:
        power /= 10
    tried = (power * factor / 10 for factor in (1, 2, 5, 10, 20, 50))
    return next(step for step in tried if end / step <= _MOST_TICKS_COUNT)


def _find_clear_middle(facts: CellsFacts, start: Fraction, size: Fraction, wide: float) -> Fraction:
    """Return the middle of a text in a segment: its middle, or beside a limit that would cross the text."""
    unit = Fraction(facts.plan.values["byteunit"])
    half = Fraction(wide / 2 + 0.08) / unit
    middle = start + size / 2
    limits = [limit.at for limit in facts.part.axis.limits] if facts.part.axis else []
    if not any(abs(limit - middle) < half for limit in limits):
        return middle
    ends = sorted([start, *(limit for limit in limits if start < limit < start + size), start + size])
    longest = max(pairwise(ends), key=lambda pair: pair[1] - pair[0])
    return (longest[0] + longest[1]) / 2 if longest[1] - longest[0] >= 2 * half else middle


def _iterate_limits(
    facts: CellsFacts, solids: Sequence[SymbolicBox]
) -> Iterator[tuple[tuple[str, str, str, Length], SymbolicBox]]:
    """Yield limits with the area of their labels: at the first bar beside which there is space, from the last one."""
    plan, part = facts.plan, facts.part
    boxes = [box.measure_box(plan.values) for box in solids]
    level = Length(_OVERHANG_CM)
    for index, limit in enumerate(part.axis.limits if part.axis else ()):
        at = make_length("byteunit", float(limit.at))
        size = plan.measure(limit.label)
        wide, tall = size.width + 2 * INNER, size.total + 2 * INNER
        macro = facts.find_macro("axis", "limits", index, "label")
        lines = (
            [float(other.at) * plan.values["byteunit"] for other in part.axis.limits if other is not limit]
            if part.axis
            else []
        )
        chosen: tuple[str, SymbolicBox] | None = None
        for row in reversed(range(len(part.bars))):
            middle = (make_length("barheight", row + 0.5) + make_length("barsep", row)) * -1
            for anchor, left in (("west", at + 0.05), ("east", at - (wide + 0.05))):
                box = SymbolicBox(left, middle - tall / 2, left + wide, middle + tall / 2)
                own = box.measure_box(plan.values)
                bar = float(part.bars[row].size) * plan.values["byteunit"]
                struck = any(own[0] < line < own[2] for line in lines)
                if (
                    chosen is None
                    and own[0] >= bar
                    and not struck
                    and not any(has_overlap(own, other) for other in boxes)
                ):
                    chosen = anchor, box
        if chosen is None:
            box = SymbolicBox(at + 0.05, level, at + (0.05 + wide), level + tall)
            while any(has_overlap(box.measure_box(plan.values), other) for other in boxes):
                box = box.move_by(ZERO, Length(tall))
            chosen = "west", box
        anchor, box = chosen
        boxes.append(box.measure_box(plan.values))
        shift = (box.bottom + box.top) * 0.5 - _OVERHANG_CM
        yield (number(float(limit.at), 4), macro, anchor, shift), box
