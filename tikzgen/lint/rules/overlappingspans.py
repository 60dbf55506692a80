"""TG221: spans on one lane that overlap, as they are written: nodes, fused cells, and the rows of large figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written
from tikzgen.texfile import Facts
from tikzgen.texfile.source_facts import Node, Statement

__all__ = ["RULE"]

_NUMBER = r"\s*(-?\d*\.?\d+)\s*"
_PLACE = re.compile(rf"{_NUMBER},{_NUMBER}$")
_PLAIN = re.compile(rf"{_NUMBER}$")
_FUSED = re.compile(rf"\{{{_NUMBER}\}}\{{{_NUMBER}\}}$")
_SHIFT = re.compile(rf"\{{\({_NUMBER},{_NUMBER}\)\}}$")
_ROW = re.compile(rf"\\rowheight\{{(?P<lanes>[^{{}}]*)\}}|\\row{_NUMBER},{_NUMBER},{_NUMBER},")
_ROUNDED = 0.002  # time units: numbers are written with three digits


class _Bar(NamedTuple):
    lane: float
    start: float
    end: float
    at: int
    name: str


def _look(subject: Written) -> Iterator[Broken]:
    if not subject.timed:
        return
    facts = subject.facts
    groups: dict[int | None, list[_Bar]] = {}
    for node in facts.nodes:
        begin = node.span.start if node.inline else facts.statements[node.statement].span.start
        for bar in _of_node(node, begin):
            groups.setdefault(facts.statements[node.statement].scope, []).append(bar)
    for statement in facts.statements:
        for bar in _of_cell(statement):
            groups.setdefault(statement.scope, []).append(bar)
    for scope, bar in _of_rows(facts):
        groups.setdefault(scope, []).append(bar)
    for bars in groups.values():
        yield from _overlaps(subject, sorted(bars))


def _overlaps(subject: Written, bars: list[_Bar]) -> Iterator[Broken]:
    last: _Bar | None = None
    for bar in bars:
        if last is not None and last.lane == bar.lane and bar.start < last.end - _ROUNDED:
            line = subject.place(last.at).line
            who = quoted(bar.name) if bar.name else "this row"
            message = f"{who} begins at {bar.start:g}, before {_called(last)} on line {line} has ended at {last.end:g}"
            yield Broken(subject.place(bar.at), message, "move one of them, or make it shorter")
        if last is None or last.lane != bar.lane or bar.end > last.end:
            last = bar


def _called(bar: _Bar) -> str:
    return quoted(bar.name) if bar.name else "the row"


def _of_node(node: Node, at: int) -> Iterator[_Bar]:
    given = {option.key: option.value or "" for option in node.options}
    if given.get("draw") == "none":
        return  # no span of its own: an arrow ends on it, in front of the row that draws the span
    place = _PLACE.match(node.at.text) if node.at else None
    duration = _PLAIN.match(given.get("span", ""))
    lanes = _PLAIN.match(given.get("lanes", "1"))
    if place and duration and lanes:
        yield from _bars(float(place[1]), float(place[2]), float(duration[1]), lanes[1], at, node.name)


def _of_cell(statement: Statement) -> Iterator[_Bar]:
    given = {option.key: option.value or "" for option in statement.options}
    cell, place = _FUSED.match(given.get("fused", "")), _SHIFT.match(given.get("shift", ""))
    if cell and place:
        yield from _bars(float(place[1]), float(place[2]), float(cell[1]), "1", statement.span.start, "")


def _of_rows(facts: Facts) -> Iterator[tuple[int | None, _Bar]]:
    if "\\row" not in facts.uses:
        return
    starts = [(scope.span.start, scope.span.end, index) for index, scope in enumerate(facts.scopes)]
    lanes, scope, until = "1", None, 0
    for found in _ROW.finditer(facts.code.mask):
        if found["lanes"] is not None:
            lanes = found["lanes"]
        elif _PLAIN.match(lanes):
            at = found.start()
            if at >= until:
                around = [(end, index) for start, end, index in starts if start <= at < end]
                until, scope = around[-1] if around else (len(facts.text), None)
            for bar in _bars(float(found[2]), float(found[3]), float(found[4]), lanes, at, None):
                yield scope, bar


def _bars(start: float, lane: float, duration: float, lanes: str, at: int, name: str | None) -> Iterator[_Bar]:
    """The bar on each lane that it covers; its place is the middle of them."""
    count = max(round(float(lanes)), 1)
    first = lane - (count - 1) / 2
    for index in range(count):
        yield _Bar(first + index, start, start + duration, at, name or "")


RULE = Rule("TG221", "overlapping-spans", "spans on one lane of a timeline do not overlap", Written, _look)
