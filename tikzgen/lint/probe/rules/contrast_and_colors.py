"""Rules on contrast, lines, fills and legends: TG309, TG310, TG311, TG324, TG325, TG332, TG333."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import atan2, degrees

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import Point, grow_box, measure_distance_to_lines, touch
from tikzgen.base.record import Record
from tikzgen.lint.probe.page_data import NodeOnPage, PathOnPage, TextLine
from tikzgen.lint.probe.page_index import HATCH_PT, PathPiece
from tikzgen.lint.probe.page_with_source import Sheet
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.looks.vision import (
    EYES,
    LEAST_CONTRAST,
    Color,
    compute_contrast,
    compute_difference,
    compute_lightness,
    join_eyes,
    mix_colors,
)

_SAMPLE_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # share of a line's length


@rule("TG309", "labels have a contrast of at least 4.5:1", Severity.WARNING)
def _text_contrast(subject: Sheet) -> Iterator[Broken]:
    seen: set[tuple[object, ...]] = set()
    for line in subject.page.lines:
        near = subject.view.find_pieces_near(line.box)
        looks = {_text_at(subject, line, point, near) for point in line.iterate_middle_points(_SAMPLE_SHARES)}
        worst, behind = min(
            (compute_contrast(mix_colors(color, ground, line.opacity), ground), ground) for color, ground in looks
        )
        key = (line.words, line.color, line.opacity, line.group and line.group[1], behind)
        if worst < LEAST_CONTRAST and key not in seen:
            seen.add(key)
            message = f"text {subject.describe_text(line)} has a contrast of {worst:.1f}:1, less than 4.5:1"
            yield Broken(subject.locate_text(line), message, "use a darker text or a lighter fill")


def _text_at(sheet: Sheet, line: TextLine, point: Point, near: list[PathPiece]) -> tuple[Color, Color]:
    """Return the color of a label at a point, and its background there; `near` are the pieces at the label."""
    behind, seen = sheet.view.background_at(point, line.order, near), line.color
    if line.group is not None:
        begin, opacity = line.group
        seen = mix_colors(seen, sheet.view.background_at(point, begin, near), opacity)
    return seen, behind


_LEAST_OF_LINES = 3.0  # WCAG 2.1, 1.4.11


@rule("TG310", "lines have a contrast of at least 3:1", Severity.WARNING)
def _stroke_contrast(subject: Sheet) -> Iterator[Broken]:
    """Find lines with low contrast.

    Lines of icons and borders of nodes are skipped. Lines in the background color are gaps. Thin rules from line to
    line divide an area. An outline is visible if it contrasts with the ground around it.
    """
    strokes = [path for path in subject.page.paths if path.stroke is not None and path.width <= HATCH_PT]
    seen: set[int] = set()
    wider: dict[object, PathOnPage] = {}  # last painted path of each course
    for path in subject.page.paths:
        if path.stroke is None or path.fill is not None or path.width > HATCH_PT or path.depth > 0 or path.nodes:
            continue
        under, wider[path.lines] = wider.get(path.lines), path
        if path.paint in seen or path.stroke == subject.page.paper:
            continue
        if under is not None and under.stroke is not None and under.width > path.width:
            grounds = [under.stroke]
        else:
            places = [*_list_line_places(path), *_list_places_outside(path)]
            grounds = [subject.view.background_at(point, path.order) for point in places]
        ratios = [compute_contrast(mix_colors(path.stroke, ground, path.stroke_opacity), ground) for ground in grounds]
        if ratios and max(ratios) < _LEAST_OF_LINES and not _is_rule_between(path, strokes):
            seen.add(path.paint)
            message = f"{subject.describe_path(path)} has a contrast of {max(ratios):.1f}:1, less than 3:1"
            yield Broken(subject.place_of(path.where), message, "use a darker line or a lighter background")


def _is_rule_between(path: PathOnPage, strokes: Sequence[PathOnPage]) -> bool:
    """Return whether a path consists of thin straight lines that end at other lines, as in a table."""
    if path.width > _THICKEST_RULE_PT or any(len(line) != 2 for line in path.lines):
        return False
    near = grow_box(path.box, _RULE_END_PT)
    others = [line for other in strokes if other is not path and touch(other.box, near) for line in other.lines]
    ends = (end for line in path.lines for end in line)
    return bool(path.lines) and all(measure_distance_to_lines(end, others) <= _RULE_END_PT for end in ends)


def _list_places_outside(path: PathOnPage) -> list[Point]:
    """Return places just outside of each side of a closed outline; none for an open path."""
    if not path.lines or any(len(line) < 4 or line[0] != line[-1] for line in path.lines):
        return []
    left, bottom, right, top = grow_box(path.box, path.width / 2 + _RULE_END_PT)
    x, y = (left + right) / 2, (bottom + top) / 2
    return [(left, y), (right, y), (x, bottom), (x, top)]


def _list_line_places(path: PathOnPage) -> list[Point]:
    """Return places along the middle segment of each of its first eight lines.

    A single place may be where another line crosses it.
    """
    found = []
    for line in path.lines[:8]:
        if len(line) > 1:
            (ax, ay), (bx, by) = line[(len(line) - 1) // 2], line[(len(line) - 1) // 2 + 1]
            found += [(ax + share * (bx - ax), ay + share * (by - ay)) for share in _SAMPLE_SHARES]
    return found


_THICKEST_RULE_PT = 0.65  # pt: thickest rule of a table
_RULE_END_PT = 0.6  # pt: distance of the end of a rule from the line at which it ends
_THINNEST_PT = 0.2  # pt: thinner lines break up in print, and differ between viewers
_WIDTH_TOLERANCE_PT = 0.005  # pt: widths are rounded to two digits


@rule("TG324", "lines are at least 0.2 pt thick in print", Severity.WARNING)
def _hairline(subject: Sheet) -> Iterator[Broken]:
    """Find thin lines, with one finding for each width."""
    thin: dict[float, list[PathOnPage]] = {}
    for path in subject.page.paths:
        width = round(path.width * subject.scale, 2)
        if path.stroke and path.depth == 0 and path.width <= HATCH_PT and width < _THINNEST_PT - _WIDTH_TOLERANCE_PT:
            thin.setdefault(width, []).append(path)
    for width, paths in thin.items():
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        thick = f"{'are' if others else 'is'} {width:g} pt thick, less than {_THINNEST_PT:g} pt"
        message = f"{subject.describe_path(paths[0])}{others} {thick}"
        yield Broken(subject.locate_path(paths[0]), message, "a thicker line, or a fill without one")


_FINEST_GAP_PT = 0.75  # pt: finer dashes look like a solid, pale line


@rule("TG333", "gaps of dashed lines are at least 0.75 pt long in print", Severity.WARNING)
def _fine_dash(subject: Sheet) -> Iterator[Broken]:
    """Find dashed lines that look solid, with one finding for each gap."""
    fine: dict[float, list[PathOnPage]] = {}
    for path in subject.page.paths:
        gap = round(path.gap * subject.scale, 2)
        if (
            path.stroke
            and path.depth == 0
            and path.width <= HATCH_PT
            and 0 < gap < _FINEST_GAP_PT - _WIDTH_TOLERANCE_PT
        ):
            fine.setdefault(gap, []).append(path)
    for gap, paths in fine.items():
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        message = f"{subject.describe_path(paths[0])}{others}: gaps of {gap:g} pt, less than {_FINEST_GAP_PT:g} pt"
        yield Broken(subject.locate_path(paths[0]), message, "dashed or densely dashed, or a solid line")


_LEAST_OF_AREAS = 1.2  # contrast
_BESIDE_AREA_PT = 0.8  # pt


@rule("TG332", "boxes, cells and legend entries differ visibly from the background", Severity.WARNING)
def _faint_area(subject: Sheet) -> Iterator[Broken]:
    """Find labeled areas and legend entries without visible border or fill, one finding for each fill.

    Idle time is faint by design. A label in the color of its background only covers a line.
    """
    faint: dict[Color, list[tuple[float, NodeOnPage]]] = {}
    for node in subject.page.nodes:
        border = subject.view.find_border(node.id)
        if node.depth or border is None or border.fill is None or border.shaded or _is_idle(subject, node, border):
            continue
        entry = node.name.startswith("legend-")
        if not entry and not subject.view.lines_of.get(node.id):
            continue
        ratios = list(_list_contrasts(subject, border))
        if max(ratios) < _LEAST_OF_AREAS and (entry or min(ratios) > 1.0):
            faint.setdefault(border.fill, []).append((max(ratios), node))
    for found in faint.values():
        ratio, node = min(found, key=lambda each: each[1].name.startswith("legend-"))
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        least = f"to the background, less than {_LEAST_OF_AREAS:g}:1"
        message = f"{subject.describe_node(node)}{others}: a contrast of {ratio:.2f}:1 {least}"
        place = subject.place_of(node.where, name=node.name, order=node.order)
        yield Broken(place, message, "a stronger fill, or a border")


def _list_contrasts(sheet: Sheet, border: PathOnPage) -> Iterator[float]:
    """Yield the contrasts of the fill and the line of a node with the background at each side."""
    left, bottom, right, top = grow_box(border.box, _BESIDE_AREA_PT)
    x, y = (left + right) / 2, (bottom + top) / 2
    for spot in ((left, y), (right, y), (x, bottom), (x, top)):
        ground = sheet.view.background_at(spot, border.order)
        for color, opacity in ((border.fill, border.fill_opacity), (border.stroke, border.stroke_opacity)):
            if color is not None:
                yield compute_contrast(mix_colors(color, ground, opacity), ground)


def _is_idle(sheet: Sheet, node: NodeOnPage, border: PathOnPage) -> bool:
    """Return whether an area is idle time, by its own name, its label or the label of its legend entry."""
    text = _text_of(sheet, border) if node.name.startswith("legend-") else None
    lines = sheet.view.lines_of.get(node.id, ())
    words = (
        node.name.rstrip("0123456789"),
        *(line.words for line in lines),
        *((text.words,) if text is not None else ()),
    )
    return any(_IDLE.search(each) for each in words)


_COLOR_DIFFERENCE_LIMIT = 5.0  # CIELAB: two separate patches
_SURE_DIFFERENCE_LIMIT = 8.0  # CIELAB: labels do not make up for a smaller difference in every kind of vision
_SWATCH_PT = 20.0  # pt: largest swatch
_SWATCH_TO_TEXT_PT = 12.0  # pt: from a swatch to its label


class _Swatch(Record):
    """A small filled area with its label, and its node unless it is a path."""

    node: NodeOnPage | None
    text: TextLine
    fill: Color
    marks: frozenset[object]


@rule("TG311", "phases differ in grayscale and for color-blind readers", Severity.WARNING)
def _phases_alike(subject: Sheet) -> Iterator[Broken]:
    patches = list(_find_swatches(subject))
    named = _names_others(subject)
    for one, other in combinations(patches, 2):
        if one.fill == other.fill and not named:
            continue  # the figure repeats a marker; a legend has no entry twice
        if one.marks != other.marks or (not _is_one(one.fill, other.fill) and _told_by_text(subject, one, other)):
            continue
        eyes = [name for name in EYES if compute_difference(one.fill, other.fill, name) < _COLOR_DIFFERENCE_LIMIT]
        if eyes:
            least = min(compute_difference(one.fill, other.fill, name) for name in eyes)
            message = f"{quote(one.text.words)} and {quote(other.text.words)} look the same {join_eyes(eyes)}"
            phase, place = subject.find_phase(other.node.name if other.node is not None else "")
            hint = f"phases: {{{phase}: {{hatch: dots}}}}" if phase else "hatch one of them, or dash it"
            yield Broken(
                place or subject.locate_text(other.text), f"{message} (difference {least:.1f}, less than 5)", hint
            )


def _is_one(fill: Color, other: Color) -> bool:
    """Return whether two colors are hardly distinguishable for every kind of color vision."""
    return all(compute_difference(fill, other, eyes) < _SURE_DIFFERENCE_LIMIT for eyes in EYES)


_EXPLAINED_COLORS = ("legend-two-phases", "legend-hues")
"""Legend entries with several colors: both fills of a split cell; hues of one lightness, whose cells have numbers."""
_ENTITIES = ("role", "state")
"""Legend entries for nodes, which also differ by icons and labels; states also differ by borders."""


def _find_swatches(sheet: Sheet) -> Iterator[_Swatch]:
    """Yield small filled boxes without a label inside, each with a label close to its right."""
    for node in sheet.page.nodes:
        border = sheet.view.find_border(node.id)
        if node.depth or border is None or border.fill is None or sheet.view.lines_of.get(node.id):
            continue
        if node.name.startswith(_EXPLAINED_COLORS) or (
            node.name.startswith("legend-") and node.name.endswith(_ENTITIES)
        ):
            continue
        text = _text_of(sheet, border)
        if text is not None and (node.name.startswith("legend") or not _names_others(sheet)):
            yield _Swatch(node, text, border.fill, _list_swatch_features(sheet, node))
    if not _names_others(sheet):
        yield from _painted_swatches(sheet)


def _painted_swatches(sheet: Sheet) -> Iterator[_Swatch]:
    """Yield small areas of paths, each with a label on the background close to its right.

    Labels of cells are not on the background.
    """
    for path in sheet.page.paths:
        if path.nodes or path.depth or path.fill is None or not path.whole or len(path.lines) > 1:
            continue
        text = _text_of(sheet, path)
        if text is not None and _stands_on(sheet, text) == sheet.page.paper:
            yield _Swatch(None, text, path.fill, frozenset())


def _stands_on(sheet: Sheet, line: TextLine) -> Color:
    return sheet.view.background_at(next(line.iterate_middle_points((0.5,))), line.order)


def _text_of(sheet: Sheet, area: PathOnPage) -> TextLine | None:
    """Return the label close to the right of an area of swatch size; None without one."""
    left, bottom, right, top = area.box
    if right - left > _SWATCH_PT or top - bottom > _SWATCH_PT:
        return None
    middle = (bottom + top) / 2
    beside = [
        line
        for line in sheet.page.lines
        if 0 <= line.box[0] - right < _SWATCH_TO_TEXT_PT and line.box[1] - 1 < middle < line.box[3] + 1
    ]
    return min(beside, key=lambda line: line.box[0], default=None)


def _names_others(sheet: Sheet) -> bool:
    """Return whether the figure has named legend nodes: then no other area is a legend entry."""
    return any(node.name.startswith("legend") for node in sheet.page.nodes)


def _list_swatch_features(sheet: Sheet, node: NodeOnPage) -> frozenset[object]:
    """Return the features of a swatch besides color: hatching by direction, and a dashed border."""
    found: set[object] = set()
    for path in sheet.view.paths_of.get(node.id, ()):
        if path.stroke is not None and path.width > HATCH_PT:
            (ax, ay), (bx, by) = path.lines[0][0], path.lines[0][-1]
            found.add((round(degrees(atan2(by - ay, bx - ax)) % 180 / 5), round(path.dash, 1)))
        elif path.dash < 1:
            found.add("dashed")
        elif path.fill is None and path.clip is not None:
            found.add("drawing")
    return frozenset(found)


def _told_by_text(sheet: Sheet, one: _Swatch, other: _Swatch) -> bool:
    """Return whether the boxes of the two colors have labels with different first characters."""
    mine, yours = (_list_first_characters(sheet, swatch.fill) for swatch in (one, other))
    return bool(mine) and bool(yours) and mine.isdisjoint(yours)


def _list_first_characters(sheet: Sheet, fill: Color) -> set[str]:
    """Return the first characters of labels in boxes of a color; empty if a box has no label."""
    found: set[str] = set()
    for node in sheet.page.nodes:
        border = sheet.view.find_border(node.id)
        if border is None or border.fill != fill or node.name.startswith("legend"):
            continue
        lines = sheet.view.lines_of.get(node.id)
        if not lines:
            return set()
        found.add(lines[0].words[:1])
    return found


_IDLE = pattern_of(r"\b(idle|bubbles?|waiting|wait)\b|空闲|等待|气泡", re.IGNORECASE)
_EQUAL_LIGHTNESS_LIMIT = 1.0  # L*


@rule("TG325", "idle time is less prominent than work", Severity.WARNING)
def _tonal_order(subject: Sheet) -> Iterator[Broken]:
    """Find legend entries of idle time that differ more from the background than an entry of work."""
    paper = compute_lightness(subject.page.paper)
    entries = [(abs(compute_lightness(each.fill) - paper), each.text) for each in _find_swatches(subject)]
    for idle, text in entries:
        stronger = [
            (away, other)
            for away, other in entries
            if away < idle - _EQUAL_LIGHTNESS_LIMIT and not _IDLE.search(other.words)
        ]
        if _IDLE.search(text.words) and stronger:
            _, other = min(stronger, key=lambda each: each[0])
            message = f"{quote(text.words)} has more contrast with the background than {quote(other.words)}"
            yield Broken(
                subject.locate_text(text), message, "make idle time the lightest of all, the darkest on dark paper"
            )
