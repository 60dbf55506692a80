"""Rules on gaps around labels: to the own border TG304, to another label or node TG314."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist, inf

from tikzgen.base.plane import (
    CM_PER_PT,
    Point,
    grow_box,
    is_within,
    measure_distance_to_lines,
    measure_gap_to_lines,
    measure_penetration,
    touch,
)
from tikzgen.base.record import Record
from tikzgen.lint.probe.links_on_page import NO_FRAMES
from tikzgen.lint.probe.page_data import PathOnPage, TextLine
from tikzgen.lint.probe.page_index import HATCH_PT
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.probe.rules.text_overlaps import is_part_of_container
from tikzgen.lint.registry import Broken, Severity, rule

_PADDING_CM = 0.25
_ROUND_PADDING_CM = 0.1  # only the corners of a label are this close to a round border
_FOREIGN_PADDING_SHARE = 0.3  # of the type size, in figures not made by tikzgen: slightly less than TikZ's default
_FOREIGN_ROUND_PADDING_SHARE = 0.1  # of the type size
_ROUND_SHAPES = ("circle", "ellipse", "diamond", "cloud")
_PADDING_TOLERANCE_PT = 0.35


@rule("TG304", "labels are at least 0.25 cm from their border", Severity.WARNING)
def _tight_padding(subject: Sheet) -> Iterator[Broken]:
    for node in subject.page.nodes:
        border, lines = subject.view.find_border(node.id), subject.view.lines_of.get(node.id, [])
        if border is None or border.stroke is None or not lines or _is_cell(node.separation) or node.depth > 0:
            continue
        if node.shape in NO_FRAMES or (len(lines) == 1 and len(lines[0].words) <= 2):
            continue  # the letter of a badge fills it
        if _is_part(subject, node.id, border):
            continue  # a cell of a box, or at its side
        padding = min(measure_distance_to_lines(corner, border.lines) for line in lines for corner in line.corners)
        least = (_ROUND_PADDING_CM if node.shape in _ROUND_SHAPES else _PADDING_CM) / CM_PER_PT
        if padding < least - _PADDING_TOLERANCE_PT and not subject.is_tikzgen_figure:
            least = (_FOREIGN_ROUND_PADDING_SHARE if node.shape in _ROUND_SHAPES else _FOREIGN_PADDING_SHARE) * lines[
                0
            ].size
        if padding < least - _PADDING_TOLERANCE_PT:
            text = subject.describe_text(lines[0])
            message = f"{spell_cm(max(padding, 0.0))} between text {text} and its frame, less than {spell_cm(least)}"
            yield Broken(subject.locate_text(lines[0]), message, "a larger inner sep, or a wider box")


def _is_cell(separation: tuple[str, str]) -> bool:
    """Return whether a node is a cell, which its label may fill: its inner separation is 0."""
    return all(each.strip("{} ").rstrip("ptcmexin").strip() in ("0", "0.0", ".0") for each in separation)


def _is_part(sheet: Sheet, node: int, border: PathOnPage) -> bool:
    """Return whether an earlier, larger box with a label contains a box or shares a part of its border."""
    left, bottom, right, top = border.box
    for other, lines in sheet.view.lines_of.items():
        around = sheet.view.find_border(other) if lines and other != node else None
        if around is not None and around.order < border.order:
            box = around.box
            larger = (right - left) * (top - bottom) < (box[2] - box[0]) * (box[3] - box[1])
            if larger and box[0] < right and box[1] < top and left < box[2] and bottom < box[3]:
                return True
    return False


@rule("TG314", "labels keep a distance from other labels and nodes", Severity.WARNING)
def _near_text(subject: Sheet) -> Iterator[Broken]:
    for found in _find_neighbours(subject):
        away = f"{found.gap:.1f} pt from {_describe_text(subject, found)}"
        message = f"text {subject.describe_text(found.line)} is {away}, less than {found.least:g} pt"
        yield Broken(subject.locate_text(found.line), message, "move it away, or make it shorter")


def _describe_text(sheet: Sheet, found: _Neighbour) -> str:
    if found.path is not None:
        return f"the border of {sheet.describe_path(found.path)}"
    assert found.other is not None
    return f"text {sheet.describe_text(found.other)}"


_NEAR_ROW_PT = 1.5
"""Minimum distance on the side of a label, in pt at the printed size.

It is the space between words, a quarter of an em, in the smallest allowed font size (6 pt, TG306). An element that
is closer reads as a part of the label."""
_ABOVE_LINE_PT = 1.0
r"""Minimum distance above and below a label, in pt: TeX's `\lineskip`, its least distance between lines."""
_DISTANCE_TOLERANCE = 0.01  # pt


class _Neighbour(Record):
    """A label and a close neighbor: another label, or the border of another node.

    `gap` is in pt in print, and `least` is the required gap.
    """

    line: TextLine
    gap: float
    least: float
    path: PathOnPage | None = None
    other: TextLine | None = None


def _find_neighbours(sheet: Sheet) -> Iterator[_Neighbour]:
    """Yield labels and borders that are too close to a label without touching it.

    TG305 reports labels that extend beyond their box, TG301 and TG302 report overlaps.
    """
    lines = [line for line in sheet.page.lines if line.order not in sheet.wide]
    room = _NEAR_ROW_PT / sheet.scale
    for line in lines:
        yield from _near_borders(sheet, line, room)
    yield from _near_pairs(sheet, sorted(lines, key=lambda line: line.box[0]), room)


def _near_borders(sheet: Sheet, line: TextLine, room: float) -> Iterator[_Neighbour]:
    """Yield borders of nodes near a label; if the label has a box, only borders inside that box."""
    own = sheet.view.find_border(line.node) if line.node is not None else None
    nearest: dict[int, _Neighbour] = {}
    for piece in sheet.view.find_pieces_near(grow_box(line.box, room + HATCH_PT / 2)):
        path = piece.path
        if path.stroke is None or path.width > HATCH_PT or not path.nodes or is_part_of_container(sheet, line, path):
            continue
        if path.stroke == sheet.page.paper or (own is not None and not is_within(path.box, own.box)):
            continue
        away, place = measure_gap_to_lines(line.corners, piece.lines)
        away, least = (
            (away - path.width / 2) * sheet.scale,
            _least_gap(line, place, [point for each in piece.lines for point in each]),
        )
        if not 0 < away < least or sheet.view.is_covered(place, path.order, inf):
            continue
        if path.paint not in nearest or away < nearest[path.paint].gap:
            nearest[path.paint] = _Neighbour(line, away, least, path=path)
    yield from nearest.values()


def _near_pairs(sheet: Sheet, lines: list[TextLine], room: float) -> Iterator[_Neighbour]:
    """Yield pairs of close labels without a box; `lines` are ordered from left to right."""
    boxed = [_is_boxed(sheet, line) for line in lines]
    for place, one in enumerate(lines):
        if boxed[place]:
            continue
        for number in range(place + 1, len(lines)):
            other = lines[number]
            if other.box[0] > one.box[2] + room:
                break
            if boxed[number] or one.is_of(other) or not touch(grow_box(one.box, room), other.box):
                continue
            if measure_penetration(one.corners, other.corners):
                continue
            away, spot = measure_gap_to_lines(one.corners, ((*other.corners, other.corners[0]),))
            least = _least_gap(one, spot, other.corners)
            if 0 < away * sheet.scale < least:
                first, second = sorted((one, other), key=lambda line: line.order)
                yield _Neighbour(second, away * sheet.scale, least, other=first)


def _is_boxed(sheet: Sheet, line: TextLine) -> bool:
    """Return whether a label has a box, or is one of many in rows of cells."""
    if line.node is None:
        return line.text is None
    return sheet.view.find_border(line.node) is not None


def _least_gap(line: TextLine, place: Point, other: Sequence[Point]) -> float:
    """Return the required gap in pt between a label and a neighbor with the nearest point `place`.

    It is larger if the neighbor is at the side of the label than if it is above or below.
    """
    (ax, ay), (bx, by), _, (dx, dy) = line.corners
    length, height = dist((ax, ay), (bx, by)) or 1.0, dist((ax, ay), (dx, dy)) or 1.0
    along = ((place[0] - ax) * (bx - ax) + (place[1] - ay) * (by - ay)) / length
    if _DISTANCE_TOLERANCE < along < length - _DISTANCE_TOLERANCE:
        return _ABOVE_LINE_PT
    across = [((x - ax) * (dx - ax) + (y - ay) * (dy - ay)) / height for x, y in other]
    return _NEAR_ROW_PT if min(across) < height and max(across) > 0 else _ABOVE_LINE_PT
