"""TG314: a text almost touches another text, or the border of another node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist, inf

from tikzgen.base.record import Record
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.plane.polygons import depth, gap
from tikzgen.plane.rectangles import Point, grown, is_within, touch
from tikzgen.probe.page_data import Line, Painted
from tikzgen.probe.rules.texts_met import belongs
from tikzgen.probe.sheet import Sheet
from tikzgen.probe.view import HATCH


@rule("TG314", "a text almost touches another text or node", Severity.WARNING)
def _near_text(subject: Sheet) -> Iterator[Broken]:
    for found in neighbours(subject):
        away = f"{found.gap:.1f} pt from {_other(subject, found)}"
        message = f"text {subject.text(found.line)} is {away}, less than {found.least:g} pt"
        yield Broken(subject.at(found.line), message, "move it away, or make it shorter")


def _other(sheet: Sheet, found: Neighbour) -> str:
    if found.path is not None:
        return f"the border of {sheet.thing(found.path)}"
    assert found.other is not None
    return f"text {sheet.text(found.other)}"


BESIDE = 1.5
"""In pt, at the size that the figure is printed in: the space between words, a quarter of an em, of the smallest type
that is let pass (6 pt, TG306). What is nearer beside a text reads as a part of it."""
ABOVE = 1.0
"""In pt, above and below a text: TeX's own `\\lineskip`, which it keeps between lines that come too close."""
_ALMOST = 0.01  # pt


class Neighbour(Record):
    """A text, and what almost touches it: another text, or the border of another node; `gap` is in pt, in print,
    and `least` what it should be."""

    line: Line
    gap: float
    least: float
    path: Painted | None = None
    other: Line | None = None


def neighbours(sheet: Sheet) -> Iterator[Neighbour]:
    """What stands nearer to a text than `BESIDE` or `ABOVE` and does not touch it; texts that reach beyond their box
    are left to the rule that says so (TG305), touching ones to TG301 and TG302."""
    lines = [line for line in sheet.page.lines if line.order not in sheet.wide]
    room = BESIDE / sheet.scale
    for line in lines:
        yield from _borders(sheet, line, room)
    yield from _texts(sheet, sorted(lines, key=lambda line: line.box[0]), room)


def _borders(sheet: Sheet, line: Line, room: float) -> Iterator[Neighbour]:
    """Borders of nodes near a text: where it has a box of its own, only those within that box."""
    own = sheet.view.border(line.node) if line.node is not None else None
    nearest: dict[int, Neighbour] = {}
    for piece in sheet.view.near(grown(line.box, room + HATCH / 2)):
        path = piece.path
        if path.stroke is None or path.width > HATCH or not path.nodes or belongs(sheet, line, path):
            continue
        if path.stroke == sheet.page.paper or (own is not None and not is_within(path.box, own.box)):
            continue
        away, place = gap(line.corners, piece.lines)
        away, least = (
            (away - path.width / 2) * sheet.scale,
            _least(line, place, [point for each in piece.lines for point in each]),
        )
        if not 0 < away < least or sheet.view.covered(place, path.order, inf):
            continue
        if path.paint not in nearest or away < nearest[path.paint].gap:
            nearest[path.paint] = Neighbour(line, away, least, path=path)
    yield from nearest.values()


def _texts(sheet: Sheet, lines: list[Line], room: float) -> Iterator[Neighbour]:
    """Pairs of texts, unless a box around one of them parts them; `lines` go from left to right."""
    boxed = [_is_boxed(sheet, line) for line in lines]
    for place, one in enumerate(lines):
        if boxed[place]:
            continue
        for number in range(place + 1, len(lines)):
            other = lines[number]
            if other.box[0] > one.box[2] + room:
                break
            if boxed[number] or one.is_of(other) or not touch(grown(one.box, room), other.box):
                continue
            if depth(one.corners, other.corners):
                continue
            away, spot = gap(one.corners, ((*other.corners, other.corners[0]),))
            least = _least(one, spot, other.corners)
            if 0 < away * sheet.scale < least:
                first, second = sorted((one, other), key=lambda line: line.order)
                yield Neighbour(second, away * sheet.scale, least, other=first)


def _is_boxed(sheet: Sheet, line: Line) -> bool:
    """Whether a text has a box of its own, or is one of many that fill rows of cells."""
    if line.node is None:
        return line.text is None
    return sheet.view.border(line.node) is not None


def _least(line: Line, place: Point, other: Sequence[Point]) -> float:
    """How far away from a text something should be, whose nearest point is `place`: does it reach into the row of the
    text, beside it, or is it above or below it?"""
    (ax, ay), (bx, by), _, (dx, dy) = line.corners
    length, height = dist((ax, ay), (bx, by)) or 1.0, dist((ax, ay), (dx, dy)) or 1.0
    along = ((place[0] - ax) * (bx - ax) + (place[1] - ay) * (by - ay)) / length
    if _ALMOST < along < length - _ALMOST:
        return ABOVE
    across = [((x - ax) * (dx - ax) + (y - ay) * (dy - ay)) / height for x, y in other]
    return BESIDE if min(across) < height and max(across) > 0 else ABOVE
