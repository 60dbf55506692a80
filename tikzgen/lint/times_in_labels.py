"""Times that labels state: "5", "5 saved", "2.5 ms", "T = 4"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.record import Record

_UNITS = "ns us µs μs ms s sec second seconds min minute minutes h hour hours d day days"
_TIME_WORDS = """saved saves saving gained longer shorter later earlier late early delay delayed slack total
elapsed spent long duration makespan 节省 延迟 总计"""
"""Words that identify an adjacent number as a duration. Other words count objects: "4 microbatches"."""
_SHARE = """lost wasted idle bubble wait waits waiting waited stall stalled overlap overlapped hidden exposed busy
空闲 等待"""
"""Words that identify an adjacent number as a time within a period."""
_FILLERS = "t unit units time in of the for is are"
_NUMBER = re.compile(r"([^\d.,/<>≤≥≈~-]*)(\d+(?:\.\d+|/\d+)?)([^\d.,/<>≤≥≈%×]*)")
_MACRO = re.compile(r"\\(?:text|mathrm|textbf|textit|emph)\s*\{([^{}]*)\}")


class StatedTime(Record):
    """A time in a label: its value, half a unit of its last decimal, and its unit ("" for time units).

    `is_share` marks the total of some times within a period.
    """

    value: Fraction
    rounding: Fraction
    unit: str
    is_share: bool

    def can_be(self, time: Fraction, scale: Fraction) -> bool:
        """Return whether it can be the label of this time, apart from rounding."""
        more = self.value - time * scale
        return more <= self.rounding and (self.is_share or -more <= self.rounding)


def read_time(label: object, axis_unit: str = "", *, bare: bool) -> StatedTime | None:
    """Return the single time that a label states, or None. Without `bare`, a number alone does not count."""
    if not isinstance(label, str):
        return None
    text = re.sub(r"\\[,;: ]", " ", _MACRO.sub(r"\1", label.replace("$", ""))).strip()
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    before, number, after = found[1].lower().split(), found[2], found[3].lower().split()
    if before[-1:] == ["="] and before[:-1] in (["t"], ["δt"]):
        before = ["time"]
    unit, rest = (after[0], after[1:]) if after and after[0] in {*_UNITS.split(), axis_unit.lower()} else ("", after)
    words = {word.strip(":+()") for word in [*before, *rest]} - {""}
    if not words.issubset(f"{_TIME_WORDS} {_SHARE} {_FILLERS}".split()) or not (bare or words or unit):
        return None
    decimals = len(number.partition(".")[2])
    rounding = Fraction(1, 2 * 10**decimals) if decimals or unit else Fraction(0)
    return StatedTime(
        Fraction(number), rounding, "" if unit == axis_unit.lower() else unit, bool(words & {*_SHARE.split()})
    )


def find_wrong_times(
    found: Sequence[tuple[Fraction, StatedTime]], *, any_origin: bool
) -> Iterator[tuple[int, Fraction]]:
    """Yield the index of each stated time that differs from its actual time, and the correct value.

    Numbers with a unit have a separate scale. Numbers without a unit also do, if several agree on it. With
    `any_origin`, they may also count from another origin.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for index, (_, stated) in enumerate(found):
        groups[stated.unit].append(index)
    for unit, group in groups.items():
        if any_origin and _has_own_origin([found[index] for index in group]):
            continue
        scale = _scale([found[index] for index in group], None if unit else Fraction(1))
        for index in group if scale else ():
            time, stated = found[index]
            if not stated.can_be(time, scale):
                yield index, time * scale


def _scale(group: Sequence[tuple[Fraction, StatedTime]], usual: Fraction | None) -> Fraction:
    """Return the scale on which most numbers at different times agree.

    If none agree, return the usual scale or the first one.
    """
    exact = [(time, stated) for time, stated in group if time and not stated.is_share]
    scales = [*([] if usual is None else [usual]), *(stated.value / time for time, stated in exact if stated.value)]
    agreed = [len({time for time, stated in exact if stated.can_be(time, scale)}) for scale in scales]
    most = max(agreed, default=0)
    return scales[agreed.index(most) if most > 1 else 0] if scales else Fraction(0)


def _has_own_origin(group: Sequence[tuple[Fraction, StatedTime]]) -> bool:
    """Return whether at least three numbers are on one rising line over time."""
    ordered = sorted(group, key=lambda each: each[0])
    (first, start), (last, end) = ordered[0], ordered[-1]
    if len({time for time, _ in group}) < 3 or end.value <= start.value:
        return False
    slope = (end.value - start.value) / (last - first)
    return all(abs(start.value + (time - first) * slope - each.value) <= 2 * each.rounding for time, each in ordered)
