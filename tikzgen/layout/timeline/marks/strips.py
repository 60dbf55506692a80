"""Strips: step curves of a value over time, such as memory use, with peak and limit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import NUMBER_INNER, SIZES
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, SymbolicBox, make_length, number
from tikzgen.layout.time.part_with_time import Patch
from tikzgen.layout.timeline.timeline_items import StepCurveItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Strip

_Corner = tuple[str, str]


def _merge_equal_levels(facts: TimelineOnPaper, strip: Strip) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return start, end and value of the levels, without gaps; equal adjacent levels are merged."""
    found: list[tuple[Fraction, Fraction, Fraction]] = []
    for level in facts.part.levels(strip):
        at = found[-1][1] if found else Fraction(0)
        for start, end, value in ((at, level.start, Fraction(0)), (level.start, level.end, level.value)):
            if end <= start:
                continue
            if found and found[-1][2] == value:
                start = found.pop()[0]
            found.append((start, end, value))
    return found


def strip_parts(facts: TimelineOnPaper) -> Iterator[Item | SymbolicBox]:
    """Yield a curve for each strip, its area, and the areas of the numbers at its limit and peak."""
    yield from (facts.patch(place) for place in strip_numbers(facts))
    for index, (strip, row) in enumerate(zip(facts.part.strips, facts.strips, strict=True)):
        runs = _merge_equal_levels(facts, strip)
        clock = facts.clock
        corners: list[_Corner] = [(clock.spell_moment(end), _spell_level(facts, value)) for _, end, value in runs]
        corners.append((clock.spell_moment(runs[-1][1]), "0"))
        peak = _place_peak(facts, strip, runs)
        cap = _spell_level(facts, strip.cap) if strip.cap is not None else ""
        macro = facts.find_field_macro("strips", index, "cap_label")
        yield StepCurveItem(
            name=facts.name(strip.id or f"strip{index + 1}{facts.mark}"),
            row=number(row),
            top=_spell_level(facts, facts.top),
            direction=facts.part.direction,
            corners=tuple(corners),
            over=tuple(_iterate_parts_over_cap(facts, runs, strip.cap)) if strip.cap is not None else (),
            cap=cap,
            end=number(float(facts.end), 4),
            cap_text=macro if cap else "",
            cap_number=_spell_value(strip.cap) if strip.cap is not None else "",
            cap_size=number(SIZES[-1]),
            peak=(number(peak.at, 4), _spell_level(facts, peak.value), peak.text) if peak else ("", "", ""),
            inside=peak is not None and peak.inside,
        )
        floor = facts.place_row(row) + make_length("laneheight", 0.5 if facts.right else -0.5)
        yield facts.make_extent(ZERO, facts.place_time(runs[-1][1]), floor, floor)


def _spell_level(facts: TimelineOnPaper, value: Fraction) -> str:
    """Return a value as a coordinate: itself, or thousandths of the row if TeX cannot represent it."""
    scale = 1 if Fraction(1, 10) <= facts.top <= 5000 else Fraction(1000) / facts.top
    return number(float(value * scale), 4)


def _spell_value(value: Fraction) -> str:
    """Spell a value for readers."""
    return number(float(value), 3)


def _iterate_parts_over_cap(
    facts: TimelineOnPaper, runs: list[tuple[Fraction, Fraction, Fraction]], cap: Fraction
) -> Iterator[tuple[_Corner, ...]]:
    """Yield the parts of the curve above the limit."""
    part: list[_Corner] = []
    for start, end, value in runs:
        if value > cap:
            if not part:
                part.append((facts.clock.spell_moment(start), _spell_level(facts, cap)))
            part.append((facts.clock.spell_moment(end), _spell_level(facts, value)))
        if part and (value <= cap or end == runs[-1][1]):
            yield (*part, (part[-1][0], _spell_level(facts, cap)))
            part = []


class _Peak(Record):
    """Number of the greatest value: its time, value and text, and whether it is inside the curve."""

    at: float
    value: Fraction
    text: str
    inside: bool = False


def _place_peak(facts: TimelineOnPaper, strip: Strip, runs: list[tuple[Fraction, Fraction, Fraction]]) -> _Peak | None:
    """Return the number of the greatest value, at the first time that it is reached; None if not shown.

    A limit just above the number would cross it, and a number beyond the limit would seem to belong to the limit. The
    number is then inside the curve, if the curve has room for it.
    """
    top = max(value for _, _, value in runs)
    if not strip.peak or top == 0:
        return None
    start, end, _ = next(run for run in runs if run[2] == top)
    left, right = facts.clock.clear(start, end)
    found = _Peak(float(left + right) / 2, top, _spell_value(top))
    if strip.cap is None or strip.cap <= top:
        return found
    along, across = _measure_strip_number(facts, found.text)
    per_value = facts.plan.values["laneheight"] / float(facts.top)
    if float(strip.cap - top) * per_value >= across:
        return found
    if float(top) * per_value >= across and float(right - left) * facts.plan.values["timeunit"] >= along:
        return replace(found, inside=True)
    return replace(found, value=strip.cap)


def _measure_strip_number(facts: TimelineOnPaper, text: str) -> tuple[float, float]:
    """Return the size of a number along time and away from the lanes, in cm."""
    along, across = facts.size_of(text, SIZES[-1])
    return along + 2 * NUMBER_INNER, across + 2 * NUMBER_INNER


def strip_numbers(facts: TimelineOnPaper) -> Iterator[Patch]:
    """Yield the areas of the numbers at the limits and the peaks."""
    level = facts.right
    rising = -1 if level else 1
    for strip, row in zip(facts.part.strips, facts.strips, strict=True):
        floor = facts.place_row(row) + make_length("laneheight", -0.5 * rising)
        if strip.cap is not None:
            along, across = _measure_strip_number(facts, strip.cap_label or _spell_value(strip.cap))
            end = make_length("timeunit", float(facts.end))
            middle = floor + make_length("laneheight", rising * float(strip.cap / facts.top))
            yield Patch(end, middle - across / 2, end + along, middle + across / 2)
        peak = _place_peak(facts, strip, _merge_equal_levels(facts, strip))
        if peak:
            along, across = _measure_strip_number(facts, peak.text)
            middle = make_length("timeunit", peak.at)
            edge = floor + make_length("laneheight", rising * float(peak.value / facts.top))
            end = edge + (-rising if peak.inside else rising) * across
            near, far = (edge, end) if (rising > 0) != peak.inside else (end, edge)
            yield Patch(middle - along / 2, near, middle + along / 2, far)
