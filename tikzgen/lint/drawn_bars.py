"""Spans of timelines as a .tex draws them: nodes, fused cells, and the rows of large figures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.record import Record
from tikzgen.texfile import Facts, Option, SourceNode, SourceStatement

TIME_TOLERANCE = 0.002  # share of a time unit: numbers are written with three digits

_NUMBER = r"\s*(-?\d*\.?\d+)\s*"
_PLACE = re.compile(rf"{_NUMBER},{_NUMBER}$")
_NUMBER_ONLY = re.compile(rf"{_NUMBER}$")
_GROUPS = re.compile(rf"\{{{_NUMBER}\}}")
_SHIFT = re.compile(rf"\{{\({_NUMBER},{_NUMBER}\)\}}$")
_ROW = re.compile(
    rf"\\rowbox\{{(?P<lanes>[^{{}}]*)\}}\{{[^{{}}]*\}}\{{[^{{}}]*\}}\{{(?P<low>[^{{}}]*)\}}\{{(?P<high>[^{{}}]*)\}}|"
    rf"\\row{_NUMBER},{_NUMBER},{_NUMBER},"
)


class SpanOnPaper(Record):
    """A drawn span: its start, its duration, and the middle and number of its lanes.

    `name` is empty for rows. `looks` are the styles. `text` is its label. `at` is the offset of its first character in
    the file, `scope` the scope that contains it. A `point` is an invisible node at which arrows end; a row draws its
    span. `height` is the share of the lanes that a run covers, as two numbers.
    """

    name: str
    start: float
    duration: float
    lane: float
    lanes: float
    at: int
    scope: int | None
    looks: tuple[str, ...] = ()
    text: str = ""
    point: bool = False
    height: tuple[str, str] = ("0", "1")

    @property
    def end(self) -> float:
        return self.start + self.duration

    @property
    def covered_lanes(self) -> Iterator[float]:
        """Coordinates of the lanes that it covers."""
        count = max(round(self.lanes), 1)
        return (self.lane - (count - 1) / 2 + index for index in range(count))


def find_bars(facts: Facts) -> tuple[SpanOnPaper, ...]:
    """Return every span whose position and duration are numbers, in the order of the file."""
    cells: dict[int, list[SourceNode]] = {}
    found: list[SpanOnPaper] = []
    for node in facts.nodes:
        if node.inline:
            cells.setdefault(node.statement, []).append(node)
        else:
            found += _of_node(facts, node)
    for index, statement in enumerate(facts.statements):
        found += _of_cell(statement, cells.get(index, []))
    return tuple(sorted([*found, *_of_rows(facts)], key=lambda bar: bar.at))


def _of_node(facts: Facts, node: SourceNode) -> Iterator[SpanOnPaper]:
    given = _option_values(node.options)
    place = _PLACE.match(node.at.text) if node.at else None
    size = _read_bar_size(given, given.get("span"), given.get("flatspan"))
    if place and size:
        statement = facts.statements[node.statement]
        looks = tuple(option.key for option in node.options)
        yield SpanOnPaper(
            node.name or "",
            float(place[1]),
            size[0],
            float(place[2]),
            size[1],
            statement.span.start,
            statement.scope,
            looks,
            node.text or "",
            given.get("draw") == "none",
        )


def _of_cell(statement: SourceStatement, parts: list[SourceNode]) -> Iterator[SpanOnPaper]:
    given = _option_values(statement.options)
    place = _SHIFT.match(given.get("shift", ""))
    whole = next((node for node in parts if any(option.key == "whole" for option in node.options)), None)
    numbers = [float(each) for each in _GROUPS.findall(given.get("fused", given.get("flatfused", "")))]
    if place and len(numbers) >= 2 and whole:
        lanes = _NUMBER_ONLY.match(_option_values(whole.options).get("lanes", "1"))
        high = numbers[2] if len(numbers) > 2 else float(lanes[1]) if lanes else 1
        looks = tuple(option.key for node in (parts[0], whole) for option in node.options)
        start, lane, text = float(place[1]), float(place[2]), parts[0].text or whole.text or ""
        yield SpanOnPaper(
            whole.name or "", start, numbers[0], lane, high, statement.span.start, statement.scope, looks, text
        )


def _read_bar_size(given: dict[str, str], span: str | None, flat: str | None) -> tuple[float, float] | None:
    """Return the duration of a span and its number of lanes; None without numbers."""
    if flat is not None:
        numbers = _GROUPS.findall(flat)
        return (float(numbers[0]), float(numbers[1])) if len(numbers) == 2 else None
    lasts, lanes = _NUMBER_ONLY.match(span or ""), _NUMBER_ONLY.match(given.get("lanes", "1"))
    return (float(lasts[1]), float(lanes[1])) if lasts and lanes else None


def _option_values(options: tuple[Option, ...]) -> dict[str, str]:
    return {option.key: option.value or "" for option in options}


def _of_rows(facts: Facts) -> Iterator[SpanOnPaper]:
    if "\\row" not in facts.uses:
        return
    starts = [(scope.span.start, scope.span.end, index) for index, scope in enumerate(facts.scopes)]
    lanes, scope, until, height = "1", None, 0, ("0", "1")
    for found in _ROW.finditer(facts.code.mask):
        if found["lanes"] is not None:
            lanes, height = found["lanes"], (found["low"], found["high"])
        elif _NUMBER_ONLY.match(lanes):
            at = found.start()
            if at >= until:
                around = [(end, index) for start, end, index in starts if start <= at < end]
                until, scope = around[-1] if around else (len(facts.text), None)
            yield SpanOnPaper(
                "", float(found[4]), float(found[6]), float(found[5]), float(lanes), at, scope, height=height
            )
