"""Rules on overflow, size and alignment of labels: TG305, TG306, TG320."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import dist

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import find_box_center
from tikzgen.lint.probe.page_data import TextLine
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule


@rule("TG305", "labels fit into their boxes and cells")
def _wide_text(subject: Sheet) -> Iterator[Broken]:
    for found in subject.overflows:
        what = "wider" if found.wide else "higher"
        message = f"text {subject.describe_text(found.line)} is {what} than its box of {spell_cm(found.room)}: "
        yield Broken(
            subject.locate_text(found.line),
            message + f"{spell_cm(found.beyond)} beyond it",
            "a shorter text, or more room",
        )


_SMALLEST_TYPE_PT = 6.0
_TYPE_TOLERANCE = 0.06  # fonts of 6 pt are slightly smaller: 5.98


@rule("TG306", "labels are at least 6 pt high at the target width", Severity.WARNING)
def _small_text(subject: Sheet) -> Iterator[Broken]:
    """Find small labels, with one finding for each size, because a shrunk figure shrinks all labels.

    Labels without letters and digits are skipped.
    """
    small: dict[float, list[TextLine]] = {}
    for line in subject.page.lines:
        size = round(line.size * subject.scale, 1)
        if (
            size < _SMALLEST_TYPE_PT - _TYPE_TOLERANCE
            and any(map(str.isalnum, line.words))
            and not _is_script(subject, line)
        ):
            small.setdefault(size, []).append(line)
    for size, lines in small.items():
        first = min(lines, key=lambda line: (line.where.first, line.order))
        others = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        shrinks = f" when the figure is {subject.width:g} cm wide" if subject.scale < 1 else ""
        message = f"text {subject.describe_text(first)}{others}: {size:g} pt{shrinks}, less than 6 pt"
        yield Broken(
            subject.locate_text(first), message, "a larger font, or a narrower figure" if shrinks else "a larger font"
        )


def _is_script(sheet: Sheet, line: TextLine) -> bool:
    """Return whether a line is a script of a formula, next to a larger line of its node."""
    beside = sheet.view.lines_of.get(line.node, ()) if line.node is not None else ()
    return any(other.size > line.size and _is_beside(line, other) for other in beside)


def _is_beside(line: TextLine, larger: TextLine) -> bool:
    """Return whether a line overlaps the row of a larger line, which may be rotated."""
    (ax, ay), (bx, by), _, (dx, dy) = larger.corners
    high, long = dist((ax, ay), (dx, dy)), dist((ax, ay), (bx, by)) or 1.0
    across = [((y - ay) * (bx - ax) - (x - ax) * (by - ay)) / long for x, y in line.corners]
    return min(across) <= high and max(across) >= 0


_SHIFT_PT = 1.25  # pt: centered 10 pt labels in boxes differ by less
_INTENDED_SHIFT_PT = 3.0  # pt: larger shifts are intended
_EQUAL_SIZE_PT = 0.5  # pt
_CENTERED_PT = 3.0  # pt: largest horizontal offset of a caption from its box
_CAPTION_DISTANCE_PT = 12.0  # pt
_ROW_DISTANCE_PT = 90.0  # pt between two labels of a row
_CAPTION = pattern_of(r"\([a-z]\)")


@rule("TG320", "labels of a row are on one baseline", Severity.WARNING)
def _shifted_baseline(subject: Sheet) -> Iterator[Broken]:
    rows = sorted(_level_texts(subject), key=lambda line: line.box[0])
    told: set[int] = set()
    for one, other in combinations(rows, 2):
        away = other.box[0] - one.box[2]
        shift = abs(one.origin[1] - other.origin[1])
        if away <= 0 or abs(one.size - other.size) > 0.1 or not _SHIFT_PT < shift < _INTENDED_SHIFT_PT:
            continue
        beside = away < _ROW_DISTANCE_PT and _are_in_one_row(subject, one, other)
        if other.order not in told and (beside or _are_captions(one, other)):
            told.add(other.order)
            message = (
                f"the baseline of text {subject.describe_text(other)} is "
                f"{shift:.1f} pt off that of text {subject.describe_text(one)}"
            )
            yield Broken(
                subject.locate_text(other), message, "one anchor for both: anchor=base, or text height and text depth"
            )


def _level_texts(sheet: Sheet) -> Iterator[TextLine]:
    """Yield level labels in nodes of the page: the only line of each, or the first without a border.

    A label without letters and digits, such as an ellipsis or an arrow, has no baseline to compare.
    """
    for node, lines in sheet.view.lines_of.items():
        line = max(lines, key=lambda line: (line.size, line.origin[1], -line.box[0]))
        level = abs(line.corners[0][1] - line.corners[1][1]) < 0.01 and line.corners[0][0] < line.corners[1][0]
        alone = len(lines) == 1 or sheet.view.find_border(node) is None
        if level and alone and line.depth == 0 and any(map(str.isalnum, line.words)):
            yield line


def _are_in_one_row(sheet: Sheet, one: TextLine, other: TextLine) -> bool:
    """Return whether two labels are both in boxes of one row, or both below boxes of one row.

    In third-party figures, two centered labels are not compared.
    """
    first, second = _find_box_range(sheet, one), _find_box_range(sheet, other)
    if first is None or second is None or any(abs(a - b) >= _EQUAL_SIZE_PT for a, b in zip(first, second, strict=True)):
        return False
    return sheet.is_tikzgen_figure or not (_is_centred(sheet, one) and _is_centred(sheet, other))


def _is_centred(sheet: Sheet, line: TextLine) -> bool:
    """Return whether a label is vertically centered in its own box, as by TikZ's default."""
    node = sheet.view.nodes.get(line.node) if line.node is not None else None
    border = sheet.view.find_border(node.id) if node is not None else None
    if node is None or border is None:
        return False
    _, height, depth = node.text
    return abs(line.origin[1] + (height - depth) / 2 - find_box_center(border.box)[1]) < _SHIFT_PT


def _are_captions(one: TextLine, other: TextLine) -> bool:
    """Return whether two labels are captions of panels, such as (a) and (b)."""
    return _CAPTION.match(one.words) is not None and _CAPTION.match(other.words) is not None


def _find_box_range(sheet: Sheet, line: TextLine) -> tuple[float, float] | None:
    """Return bottom and top of the box that contains a label or is above it; None without one."""
    assert line.node is not None
    border = sheet.view.find_border(line.node)
    if border is not None:
        return border.box[1], border.box[3]
    across = (line.box[0] + line.box[2]) / 2
    for box in sheet.targets:
        left, bottom, right, _ = box.box
        if abs((left + right) / 2 - across) < _CENTERED_PT and 0 < bottom - line.box[3] < _CAPTION_DISTANCE_PT:
            return bottom, bottom
    return None
