"""Rules on the page: TG307, TG308, TG322, TG323."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tikzgen.base.errors import Place
from tikzgen.base.plane import CM_PER_PT, PAGE_LIMIT_CM, Box, compute_bounding_box, grow_box
from tikzgen.lint.probe.page_data import PathOnPage, TextLine
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule

_OVERFULL_CM = 0.02  # cm: smaller excess is not visible


@rule("TG307", "figures fit their column")
def _wide_page(subject: Sheet) -> Iterator[Broken]:
    """Check the page of a standalone figure; on other pages, check each picture."""
    if subject.width is None:
        return
    outer = [picture for picture in subject.page.pictures if picture.depth == 0 and picture.box is not None]
    if subject.is_figure_alone:
        place = subject.place_of(outer[0].where) if outer else Place(subject.name)
        widths = [(place, subject.page.width)]
    else:
        widths = [(subject.place_of(each.where), each.box[2] - each.box[0]) for each in outer if each.box is not None]
    for place, points in widths:
        wide = points * CM_PER_PT
        if wide > subject.width + _OVERFULL_CM:
            message = f"the figure is {wide:.2f} cm wide, the column {subject.width:g} cm"
            yield Broken(place, message, "narrower spacing, or a width for the figure")


_LEAK_PT = 0.5  # pt


@rule("TG308", "pages have no blank space at their edges", Severity.WARNING)
def _leaked_edge(subject: Sheet) -> Iterator[Broken]:
    """Find a difference of both side margins: a space in the source causes it."""
    if "{standalone}" not in subject.source:
        return
    outer = [picture for picture in subject.page.pictures if picture.depth == 0 and picture.box is not None]
    if len(outer) != 1 or any(
        line.depth == 0 and not _is_inside(line.box, outer[0].box) for line in subject.page.lines
    ):
        return
    box = outer[0].box
    assert box is not None
    left, right = box[0], subject.page.width - box[2]
    if abs(left - right) > _LEAK_PT:
        side = "left" if left > right else "right"
        message = (
            f"{spell_cm(abs(left - right))} ({abs(left - right):.2f} pt) of blank space leaked in at the {side} edge"
        )
        yield Broken(subject.place_of(outer[0].where), message, "end the lines before the picture with %")


def _is_inside(inner: tuple[float, ...], outer: tuple[float, ...] | None) -> bool:
    return outer is not None and inner[0] > outer[0] - 1 and inner[2] < outer[2] + 1


_FARTHEST = 1.5 / CM_PER_PT
_ONE_ROW_PT = 6.0  # pt: twice the largest difference between the middles of one row
_ALIGNED_PT = 0.5  # pt: largest difference of the starts or baselines of aligned labels
_SWATCH_TO_TEXT_PT = 2.0  # pt: largest distance of a label from its swatch
_TORN_RATIO = 3.0  # times as far as the others
_SWATCH_PT = 20.0  # pt: the largest


@rule("TG322", "legend and title are near the figure, and legend entries near each other", Severity.WARNING)
def _far_legend(subject: Sheet) -> Iterator[Broken]:
    """Find labels far from the drawing and from other labels, except headings above or below the figure."""
    yield from _torn_row(subject)
    far = list(_far_texts(subject)) if subject.is_figure_alone else []
    near = [line for line in subject.page.lines if line not in far]
    far = [line for line in far if not any(_are_headings(subject, line, other) for other in near)]
    while far and (
        joined := [line for line in far if any(_gap_between(line.box, each.box) <= _FARTHEST for each in near)]
    ):
        near = joined
        far = [line for line in far if line not in joined]
    if not far:
        return
    rest = [piece.box for piece in subject.view.pieces if not _is_swatch(piece.path)]
    rest += [line.box for line in subject.page.lines if line not in far]
    spanned = compute_bounding_box(corner for box in rest for corner in (box[:2], box[2:]))
    far = [line for line in far if not _is_heading(line.box, spanned)]
    if far:
        first = min(far, key=lambda line: line.order)
        away = min(_gap_between(line.box, box) for line in far for box in rest)
        message = f"text {subject.describe_text(first)} is {spell_cm(away)} away from the rest of the figure"
        yield Broken(subject.locate_text(first), message, "move it closer, to 1.5 cm at most")


def _torn_row(sheet: Sheet) -> Iterator[Broken]:
    """Report the first legend entry in a single row whose gap to the previous entry is unusually large."""
    entries = [
        (node, compute_bounding_box(node.border)) for node in sheet.page.nodes if node.name.startswith("legend-")
    ]
    middles = [box[1] + box[3] for _, box in entries]
    if not entries or max(middles) - min(middles) > _ONE_ROW_PT:  # entries of several rows are stacked
        return
    entries.sort(key=lambda entry: entry[1][0])
    gaps = [after[0] - before[2] for (_, before), (_, after) in pairwise(entries)]
    usual = sorted(gap for gap in gaps if gap > _SWATCH_TO_TEXT_PT)[:-1]
    for (_, before), (node, box) in pairwise(entries):
        if usual and box[0] - before[2] > max(_FARTHEST, _TORN_RATIO * usual[-1]):
            message = f"{sheet.describe_node(node)} is {spell_cm(box[0] - before[2])} behind the previous one"
            place = sheet.place_of(node.where, name=node.name, order=node.order)
            yield Broken(place, message, "make the gaps of the legend equal")
            return


def _far_texts(sheet: Sheet) -> Iterator[TextLine]:
    """Yield the labels without any drawing near them, unless the page has no drawing."""
    if all(_is_swatch(path) for path in sheet.page.paths):
        return
    for line in sheet.page.lines:
        near = sheet.view.find_pieces_near(grow_box(line.box, _FARTHEST))
        if all(_is_swatch(piece.path) for piece in near):
            yield line


def _is_swatch(path: PathOnPage) -> bool:
    """Return whether a path is a small area, or invisible."""
    if path.stroke is None and path.fill is None and not path.shaded:
        return True
    left, bottom, right, top = path.box
    return path.fill is not None and max(right - left, top - bottom) < _SWATCH_PT


def _are_headings(sheet: Sheet, one: TextLine, other: TextLine) -> bool:
    """Return whether two labels without boxes are aligned in a row or column, as names of layers are."""
    if (one.size, one.color) != (other.size, other.color) or one.node is None or other.node is None:
        return False
    if one.is_of(other) or sheet.view.find_border(one.node) or sheet.view.find_border(other.node):
        return False
    return any(abs(one.origin[axis] - other.origin[axis]) < _ALIGNED_PT for axis in (0, 1))


def _is_heading(text: Box, spanned: Box) -> bool:
    """Return whether a label is close above or below the whole figure, within its width."""
    gap = max(spanned[1] - text[3], text[1] - spanned[3])
    return spanned[0] <= text[0] and text[2] <= spanned[2] and 0 <= gap <= _FARTHEST


def _gap_between(one: Box, other: Box) -> float:
    across = max(one[0] - other[2], other[0] - one[2], 0.0)
    upwards = max(one[1] - other[3], other[1] - one[3], 0.0)
    return max(across, upwards)


@rule("TG323", "figures fit the text height of a page", Severity.WARNING)
def _tall_page(subject: Sheet) -> Iterator[Broken]:
    high = subject.page.height * subject.scale * CM_PER_PT
    if subject.is_figure_alone and high > PAGE_LIMIT_CM:
        message = f"the figure is {high:.1f} cm tall, the text of a page {PAGE_LIMIT_CM:g} cm"
        yield Broken(Place(subject.name), message, "fewer rows, a `height`, or a wider figure")
