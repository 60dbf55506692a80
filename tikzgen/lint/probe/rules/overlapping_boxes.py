"""Rule on boxes that overlap partly: TG313."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.plane import (
    Point,
    compute_bounding_box,
    find_box_center,
    make_convex_hull,
    measure_distance_to_lines,
    measure_least_width,
    measure_penetration,
    reach_beyond,
    touch,
)
from tikzgen.base.record import Record
from tikzgen.lint.probe.page_data import PathOnPage
from tikzgen.lint.probe.page_index import HATCH_PT
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, rule

_TOUCH_PT = 1.0  # pt: a smaller overlap is a contact, as of two coinciding borders of 0.4 pt
_STACK_SHIFT_SHARE = 1 / 3  # of its size: a copy with a smaller shift belongs to a stack
_EQUAL_SIZE_PT = 1.0  # pt: sizes that differ by less are equal
_BADGE_WIDTH_SHARE = 0.6  # of a box's width: a narrower box can be a label on its border
_ON_BORDER_SHARE = 0.3  # of a label's width: largest distance of its middle from the border


class _Box(Record):
    """The border of a node, or a closed shape of a path, with its outline."""

    path: PathOnPage
    outline: tuple[Point, ...]


@rule("TG313", "boxes do not overlap partly")
def _box_over_box(subject: Sheet) -> Iterator[Broken]:
    """Find pairs of boxes that overlap partly; at least one of them is a node.

    A box in a box, copies in a stack, a label or badge on a border, adjacent boxes, areas of one color, and parts of an
    icon are intended.
    """
    boxes = sorted(_find_boxes(subject), key=lambda box: box.path.box[0])
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            if other.path.box[0] > one.path.box[2] - _TOUCH_PT:
                break
            if not touch(one.path.box, other.path.box) or not _is_pair(one.path, other.path):
                continue
            deep = measure_penetration(one.outline, other.outline)
            if deep > _TOUCH_PT and not _is_intended(one, other):
                lower, upper = sorted((one.path, other.path), key=lambda path: path.order)
                message = (
                    f"{subject.describe_path(upper)} is partly over "
                    f"{subject.describe_path(lower)}, {spell_cm(deep)} deep"
                )
                yield Broken(subject.locate_path(upper), message, "move one of them, or make it smaller")


def _find_boxes(sheet: Sheet) -> Iterator[_Box]:
    borders = (sheet.view.find_border(node.id) for node in sheet.page.nodes if node.depth == 0)
    shapes = (path for path in sheet.page.paths if not path.nodes and path.depth == 0 and path.is_closed_outline)
    for path in (*borders, *shapes):
        if path is not None and path.width <= HATCH_PT and _is_seen(sheet, path):
            outline = make_convex_hull(point for line in path.lines for point in line)
            if len(outline) > 2:
                yield _Box(path, outline)


def _is_seen(sheet: Sheet, path: PathOnPage) -> bool:
    """Return whether a box is visible; a box in the background color only clears the area of a label."""
    paper = sheet.page.paper
    filled = path.fill is not None and path.fill != paper and path.fill_opacity > 0
    stroked = path.stroke is not None and path.stroke != paper and path.stroke_opacity > 0
    return filled or stroked or path.shaded


def _is_pair(one: PathOnPage, other: PathOnPage) -> bool:
    """Return whether at least one outline is a node's, and neither is drawn inside the other's node."""
    if not one.nodes or not other.nodes:
        return bool(one.nodes or other.nodes)
    return one.nodes[-1] not in other.nodes and other.nodes[-1] not in one.nodes


def _is_intended(one: _Box, other: _Box) -> bool:
    if one.path.stroke is other.path.stroke is None and one.path.fill == other.path.fill:
        return True  # areas of one color without borders, such as a cleared line in a cell
    if min(reach_beyond(one.outline, other.outline), reach_beyond(other.outline, one.outline)) <= _TOUCH_PT:
        return True  # one in the other
    return _is_stack(one, other) or _is_badge(*sorted((one, other), key=lambda box: measure_least_width(box.outline)))


def _is_stack(one: _Box, other: _Box) -> bool:
    """Return whether two boxes are equal, with a small shift, as in a stack."""
    (ax, ay, bx, by), (cx, cy, dx, dy) = one.path.box, other.path.box
    wide, high = bx - ax, by - ay
    if abs(wide - (dx - cx)) > _EQUAL_SIZE_PT or abs(high - (dy - cy)) > _EQUAL_SIZE_PT:
        return False
    return abs(cx - ax) <= _STACK_SHIFT_SHARE * wide and abs(cy - ay) <= _STACK_SHIFT_SHARE * high


def _is_badge(small: _Box, large: _Box) -> bool:
    """Return whether the middle of a small box is on the border of a larger one, as for a title or port."""
    across = measure_least_width(small.outline)
    if across > _BADGE_WIDTH_SHARE * measure_least_width(large.outline):
        return False
    return (
        measure_distance_to_lines(
            find_box_center(compute_bounding_box(small.outline)), ([*large.outline, large.outline[0]],)
        )
        <= _ON_BORDER_SHARE * across
    )
