"""Rules on overlaps of labels, and on labels near other links: TG301, TG302, TG303, TG315, TG321."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import hypot

from tikzgen.base.plane import (
    Box,
    Point,
    clip_segment,
    compute_bounding_box,
    grow_box,
    is_within,
    measure_gap_to_lines,
    measure_penetration,
    shrink_rectangle,
    touch,
)
from tikzgen.base.record import Record
from tikzgen.lint.probe.links_on_page import OpenPath
from tikzgen.lint.probe.page_data import PathOnPage, TextLine
from tikzgen.lint.probe.page_index import HATCH_PT
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.looks.vision import compute_contrast, mix_colors

_OVERLAP_PT = 0.6  # pt: with a smaller overlap of their ink boxes, letters do not touch


@rule("TG301", "labels do not overlap")
def _text_over_text(subject: Sheet) -> Iterator[Broken]:
    lines = sorted(subject.page.lines, key=lambda line: line.box[0])
    for place, one in enumerate(lines):
        for other in lines[place + 1 :]:
            if other.box[0] > one.box[2]:
                break
            if not touch(one.box, other.box) or one.is_of(other):
                continue
            deep = measure_penetration(one.corners, other.corners)
            if deep > _OVERLAP_PT and not _is_hidden(subject, one, other):
                first, second = sorted((one, other), key=lambda line: line.order)
                message = (
                    f"text {subject.describe_text(second)} overlaps text "
                    f"{subject.describe_text(first)}, {spell_cm(deep)} deep"
                )
                yield Broken(subject.locate_text(second), message, "move one of them, or shorten it")


def _is_hidden(sheet: Sheet, one: TextLine, other: TextLine) -> bool:
    """Return whether a cover hides the lower of two labels before the upper one is set."""
    first, second = sorted((one, other), key=lambda line: line.order)
    middle = (sum(x for x, _ in first.corners) / 4, sum(y for _, y in first.corners) / 4)
    return sheet.view.is_covered(middle, first.order, second.order)


@rule("TG302", "labels do not cross the borders of other nodes")
def _text_over_border(subject: Sheet) -> Iterator[Broken]:
    for strike in find_strikes(subject, of_nodes=True):
        what = f"the border of {subject.describe_path(strike.path)}"
        message = f"{what} passes through text {subject.describe_text(strike.line)}, {spell_cm(strike.length)} of it"
        yield Broken(subject.locate_text(strike.line), message, "move the text, or give it fill=paper")


@rule("TG303", "paths do not cross labels")
def _struck_text(subject: Sheet) -> Iterator[Broken]:
    for strike in find_strikes(subject, of_nodes=False):
        what = f"{subject.describe_path(strike.path)} crosses text {subject.describe_text(strike.line)}"
        message = f"{what}, {spell_cm(strike.length)} of it"
        yield Broken(subject.locate_text(strike.line), message, "move the text, or give it fill=paper")


_SAMPLE_SHARES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)  # share of a line's length
_SAMPLE_HEIGHTS = (0.2, 0.5, 0.8)  # share of a line's height
_LEAST_CUT_PT = 1.0  # pt: the box of a font's letters is slightly larger than their ink


@rule("TG315", "labels are not cut off or covered")
def _cut_text(subject: Sheet) -> Iterator[Broken]:
    page = (0.0, 0.0, subject.page.width, subject.page.height)
    seen: set[int] = set()
    for line in subject.page.lines:
        ways = [("the edge of the page", _measure_overhang(line.box, page))]
        if line.clip is not None:
            ways.append(("a clip", _measure_overhang(line.box, line.clip)))
        what, beyond = max(ways, key=lambda way: way[1])
        if line.text is not None and line.text in seen:
            continue
        if beyond > _LEAST_CUT_PT:
            message = f"text {subject.describe_text(line)} is cut off by {what}, {spell_cm(beyond)} of it"
        elif found := _find_hiding_area(subject, line):
            cover, part = found
            message = f"text {subject.describe_text(line)} lies {part}under {subject.describe_path(cover)}"
        else:
            continue
        if line.text is not None:
            seen.add(line.text)
        yield Broken(subject.locate_text(line), message, "move the text, or make room for it")


def _find_hiding_area(sheet: Sheet, line: TextLine) -> tuple[PathOnPage, str] | None:
    """Return the area that hides a label, and "partly " if it hides only a part; None without one.

    TG302 and TG303 report borders through a label.
    """
    if not any(piece.path.fill and piece.path.order > line.order for piece in sheet.view.find_pieces_near(line.box)):
        return None
    spots = [spot for height in _SAMPLE_HEIGHTS for spot in line.iterate_points_at(height, _SAMPLE_SHARES)]
    covers = [sheet.view.find_covering_path(spot, line.order) for spot in spots]
    hides = [cover for cover in covers if cover is not None]
    if len(hides) == len(covers):
        return hides[0], ""
    return (hides[0], "partly ") if hides and hides[0].stroke is None else None


def _measure_overhang(inner: Box, outer: Box) -> float:
    """Return how far a box extends beyond another one."""
    return max(outer[0] - inner[0], outer[1] - inner[1], inner[2] - outer[2], inner[3] - outer[3])


_OWN_LINK_PT = 6.0  # pt: a label this close to its own link is unambiguous
_CLEARLY_NEARER_RATIO = 2.0  # times the distance from its own link: the least to another one


@rule("TG321", "labels are clearly nearest to their own links", Severity.WARNING)
def _foreign_label(subject: Sheet) -> Iterator[Broken]:
    """Find labels on a path that are closer to another link, or between two.

    The label and the path must be alone in their source lines, outside loops.
    """
    texts = Counter(line.where for line in subject.page.lines)
    links: dict[tuple[str, int], list[OpenPath]] = {}
    for link in subject.links:
        for number in range(link.path.where.first, link.path.where.last + 1):
            links.setdefault((link.path.where.file, number), []).append(link)
    for line in subject.page.lines:
        mine = links.get((line.where.file, line.where.last), ())
        if len(mine) != 1 or texts[line.where] > 1 or line.depth:
            continue
        own = mine[0]
        away, _ = measure_gap_to_lines(line.corners, (own.course,))
        if away <= _OWN_LINK_PT:
            continue
        others = [
            (measure_gap_to_lines(line.corners, (link.course,))[0], link) for link in subject.links if link is not own
        ]
        leading = [(near, link) for near, link in others if link.at_start or link.at_end]
        near, other = min(leading, key=lambda each: each[0], default=(away, own))
        if other is not own and near < _CLEARLY_NEARER_RATIO * away:
            message = (
                f"text {subject.describe_text(line)} is {spell_cm(away)} from its own link, and {spell_cm(near)} from "
            )
            yield Broken(subject.locate_text(line), message + subject.describe_path(other.path), "move it to its own")


_STROKE_DEPTH = 0.0  # pt: least depth of a stroke's edge in the box of the ink
_FRAME_PT = 3.0  # pt: largest distance of decorations around a node
_THICK_STROKE_PT = HATCH_PT / 2
_LEAST_STROKE_PT = 0.5  # pt: a shorter part of a stroke does not count
_STROKE_SHARES = (1 / 6, 1 / 2, 5 / 6)  # share of a stroke in a label: a dot may cover its middle
_VISIBLE_CONTRAST_RATIO = 1.12  # contrast: a stroke with less is invisible


class Strike(Record):
    """A path through a line of text: `length` is the part of its stroke inside the text's ink, in pt."""

    line: TextLine
    path: PathOnPage
    length: float


def find_strikes(sheet: Sheet, *, of_nodes: bool) -> Iterator[Strike]:
    """Yield lines of text that borders of other nodes, or else paths, cross: each pair once.

    TG305 reports a label that extends beyond its own box.
    """
    seen: set[tuple[int, int]] = set()
    for line in sheet.page.lines:
        if line.order in sheet.wide:
            continue
        found: dict[int, Strike] = {}
        for piece in sheet.view.find_pieces_near(grow_box(line.box, _THICK_STROKE_PT)):
            path = piece.path
            if not _has_edge(path) or bool(path.nodes) is not of_nodes or is_part_of_container(sheet, line, path):
                continue
            if path.clip is not None and not touch(path.clip, line.box):
                continue
            length = _measure_struck_length(sheet, line, path, piece.lines)
            if length > _LEAST_STROKE_PT:
                before = found.get(path.paint)
                found[path.paint] = Strike(line, path, length + (before.length if before else 0.0))
        for strike in found.values():
            if line.text is not None:  # a letter of a label on a path
                if (line.text, strike.path.paint) in seen:
                    continue
                seen.add((line.text, strike.path.paint))
            yield strike


def _has_edge(path: PathOnPage) -> bool:
    """Return whether a path has an edge that can cross a label: a line, or the area of a node.

    A cell without a border does not count.
    """
    if path.stroke is None:
        return path.fill is not None and path.whole and bool(path.nodes)
    return path.width <= HATCH_PT


def is_part_of_container(sheet: Sheet, line: TextLine, path: PathOnPage) -> bool:
    """Return whether a path belongs to the container of a label: its box, its icon, or a cross over it."""
    if any(node in line.nodes for node in path.nodes):
        return True
    if line.depth == 0:
        return False
    outer = sheet.view.nodes.get(line.nodes[0]) if line.nodes else None
    return path.depth >= line.depth or (outer is not None and _lies_in(path.box, outer.border))


def _lies_in(box: Box, border: tuple[Point, ...]) -> bool:
    return is_within(box, grow_box(compute_bounding_box(border), _FRAME_PT))


def _measure_struck_length(
    sheet: Sheet, line: TextLine, path: PathOnPage, lines: tuple[tuple[tuple[float, float], ...], ...]
) -> float:
    ink = shrink_rectangle(line.corners, _STROKE_DEPTH - path.width / 2 if path.stroke is not None else _OVERLAP_PT)
    length = 0.0
    for points in lines:
        for a, b in pairwise(points):
            inside = clip_segment(a, b, ink)
            if inside is None:
                continue
            (ax, ay), (bx, by) = inside
            spots = [(ax + part * (bx - ax), ay + part * (by - ay)) for part in _STROKE_SHARES]
            length += (
                hypot(bx - ax, by - ay) * sum(_is_visible_at(sheet, line, path, spot) for spot in spots) / len(spots)
            )
    return length


def _is_visible_at(sheet: Sheet, line: TextLine, path: PathOnPage, point: Point) -> bool:
    """Return whether a path is visible at a point of a label: not clipped, not covered, enough contrast."""
    if path.clip is not None and not touch(path.clip, (*point, *point)):
        return False
    if path.order < line.order and sheet.view.is_covered(point, path.order, line.order):
        return False
    behind = sheet.view.background_at(point, path.order)
    color, opacity = (path.stroke, path.stroke_opacity) if path.stroke else (path.fill, path.fill_opacity)
    return color is not None and compute_contrast(mix_colors(color, behind, opacity), behind) >= _VISIBLE_CONTRAST_RATIO
