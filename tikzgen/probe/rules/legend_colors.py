"""The colours of the legend: TG311, TG325."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from math import atan2, degrees

from tikzgen.base.errors import quoted
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.vision import EYES, Color, difference, lightness
from tikzgen.probe.page_data import Line, Node
from tikzgen.probe.sheet import Sheet
from tikzgen.probe.view import HATCH

_LEAST = 5.0  # CIELAB: two patches apart from each other
_LARGEST = 20.0  # pt: a swatch
_NEAR = 12.0  # pt: from a swatch to its text


class _Swatch(Record):
    node: Node
    text: Line
    fill: Color
    marks: frozenset[object]


@rule("TG311", "two phases cannot be told apart in greyscale or by the colour-blind", Severity.WARNING)
def _phases_alike(subject: Sheet) -> Iterator[Broken]:
    patches = list(swatches(subject))
    named = _names_others(subject)
    for one, other in combinations(patches, 2):
        if one.fill == other.fill and not named:
            continue  # a sign that the figure repeats; no legend has an entry twice
        if one.marks != other.marks or _told_by_text(subject, one, other):
            continue
        eyes = [name for name in EYES if difference(one.fill, other.fill, name) < _LEAST]
        if eyes:
            least = min(difference(one.fill, other.fill, name) for name in eyes)
            message = (
                f"{quoted(one.text.words)} and {quoted(other.text.words)} cannot be told apart {' or '.join(eyes)}"
            )
            place = subject.at(other.text)
            yield Broken(place, f"{message} (difference {least:.1f}, less than 5)", "hatch one of them, or dash it")


def swatches(sheet: Sheet) -> Iterator[_Swatch]:
    """Small filled boxes without a text of their own, each with a text close to its right."""
    for node in sheet.page.nodes:
        border = sheet.view.border(node.id)
        if node.depth or border is None or border.fill is None or sheet.view.lines_of.get(node.id):
            continue
        left, bottom, right, top = border.box
        if right - left > _LARGEST or top - bottom > _LARGEST:
            continue
        middle = (bottom + top) / 2
        texts = [
            line
            for line in sheet.page.lines
            if 0 <= line.box[0] - right < _NEAR and line.box[1] - 1 < middle < line.box[3] + 1
        ]
        if node.name.startswith(("legend-two-phases", "legend-hues")):
            continue  # both fills of a cell that is split; hues of one lightness, whose cells have numbers
        if texts and (node.name.startswith("legend") or not _names_others(sheet)):
            text = min(texts, key=lambda line: line.box[0])
            yield _Swatch(node, text, border.fill, _marks(sheet, node))


def _names_others(sheet: Sheet) -> bool:
    """Whether the figure names its legend: then nothing else is one."""
    return any(node.name.startswith("legend") for node in sheet.page.nodes)


def _marks(sheet: Sheet, node: Node) -> frozenset[object]:
    """What tells a swatch apart without colour: its hatching, by direction, and a dashed border."""
    found: set[object] = set()
    for path in sheet.view.paths_of.get(node.id, ()):
        if path.stroke is not None and path.width > HATCH:
            (ax, ay), (bx, by) = path.lines[0][0], path.lines[0][-1]
            found.add((round(degrees(atan2(by - ay, bx - ax)) % 180 / 5), round(path.dash, 1)))
        elif path.dash < 1:
            found.add("dashed")
        elif path.fill is None and path.clip is not None:
            found.add("drawing")
    return frozenset(found)


def _told_by_text(sheet: Sheet, one: _Swatch, other: _Swatch) -> bool:
    """Whether the boxes of the two colours carry texts, of which none is in both."""
    mine, yours = (_texts(sheet, swatch.fill) for swatch in (one, other))
    return bool(mine) and bool(yours) and mine.isdisjoint(yours)


def _texts(sheet: Sheet, fill: Color) -> set[str]:
    """The first signs of the texts in boxes of a colour; nothing where one of them has none."""
    found: set[str] = set()
    for node in sheet.page.nodes:
        border = sheet.view.border(node.id)
        if border is None or border.fill != fill or node.name.startswith("legend"):
            continue
        lines = sheet.view.lines_of.get(node.id)
        if not lines:
            return set()
        found.add(lines[0].words[:1])
    return found


_IDLE = pattern_of(r"\b(idle|bubbles?|waiting|wait)\b|空闲|等待|气泡", re.IGNORECASE)
_NEARLY = 1.0  # L*


@rule("TG325", "idle time stands out more than work", Severity.WARNING)
def _tonal_order(subject: Sheet) -> Iterator[Broken]:
    """Of the legend's entries, idle time is the nearest to the paper."""
    paper = lightness(subject.page.paper)
    entries = [(abs(lightness(each.fill) - paper), each.text) for each in swatches(subject)]
    for idle, text in entries:
        stronger = [(away, other) for away, other in entries if away < idle - _NEARLY and not _IDLE.search(other.words)]
        if _IDLE.search(text.words) and stronger:
            _, other = min(stronger, key=lambda each: each[0])
            message = f"{quoted(text.words)} stands out more from the paper than {quoted(other.words)}"
            yield Broken(subject.at(text), message, "make idle time the lightest of all, the darkest on dark paper")
