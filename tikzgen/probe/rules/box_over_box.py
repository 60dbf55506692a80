"""TG313: a box lies partly over another one."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.record import Record
from tikzgen.lint.registry import Broken, rule
from tikzgen.plane.polygons import beyond, depth, distance, hull, narrow
from tikzgen.plane.rectangles import Point, middle, surround, touch
from tikzgen.probe.page_data import Painted
from tikzgen.probe.sheet import Sheet, cm
from tikzgen.probe.view import HATCH

_TOUCH = 1.0  # pt: boxes that share less touch each other: two borders of 0.4 pt, drawn over each other, do so
_STACKED = 1 / 3  # of its size: a copy that is shifted by less belongs to a stack
_SAME = 1.0  # pt: sizes that differ by less are equal
_BADGE = 0.6  # of a box's width: what is narrower can be a label on its border
_ON_BORDER = 0.3  # of a label's width: its middle is this near to the border


class _Box(Record):
    """The border of a node, or a closed shape that a path draws, with its outline."""

    path: Painted
    outline: tuple[Point, ...]


@rule("TG313", "a box lies partly over another box")
def _box_over_box(subject: Sheet) -> Iterator[Broken]:
    """Each pair of boxes that share a part and each have another for themselves; one of them at least is a node's.

    A box in a box, copies in a stack, a label or a badge on a border and boxes side by side are meant so, and so is
    what an icon is made of.
    """
    boxes = sorted(_boxes(subject), key=lambda box: box.path.box[0])
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            if other.path.box[0] > one.path.box[2] - _TOUCH:
                break
            if not touch(one.path.box, other.path.box) or not _is_pair(one.path, other.path):
                continue
            deep = depth(one.outline, other.outline)
            if deep > _TOUCH and not _meant(one, other):
                lower, upper = sorted((one.path, other.path), key=lambda path: path.order)
                message = f"{subject.thing(upper)} lies partly over {subject.thing(lower)}, {cm(deep)} deep"
                yield Broken(subject.of(upper), message, "move one of them, or make it smaller")


def _boxes(sheet: Sheet) -> Iterator[_Box]:
    borders = (sheet.view.border(node.id) for node in sheet.page.nodes if node.depth == 0)
    shapes = (path for path in sheet.page.paths if not path.nodes and path.depth == 0 and _is_shape(path))
    for path in (*borders, *shapes):
        if path is not None and path.width <= HATCH and _is_seen(sheet, path):
            outline = hull(point for line in path.lines for point in line)
            if len(outline) > 2:
                yield _Box(path, outline)


def _is_shape(path: Painted) -> bool:
    """Whether a path draws one closed outline, all of which shows."""
    if not path.whole or len(path.lines) != 1 or path.clip is not None:
        return False
    line = path.lines[0]
    return len(line) > 3 and line[0] == line[-1]


def _is_seen(sheet: Sheet, path: Painted) -> bool:
    """Whether a box shows: one in the paper's colour makes room for a label."""
    paper = sheet.page.paper
    filled = path.fill is not None and path.fill != paper and path.fill_opacity > 0
    stroked = path.stroke is not None and path.stroke != paper and path.stroke_opacity > 0
    return filled or stroked or path.shaded


def _is_pair(one: Painted, other: Painted) -> bool:
    """Whether one of two outlines at least is a node's, and neither is drawn within the other's node."""
    if not one.nodes or not other.nodes:
        return bool(one.nodes or other.nodes)
    return one.nodes[-1] not in other.nodes and other.nodes[-1] not in one.nodes


def _meant(one: _Box, other: _Box) -> bool:
    if min(beyond(one.outline, other.outline), beyond(other.outline, one.outline)) <= _TOUCH:
        return True  # one in the other
    return _is_stack(one, other) or _is_badge(*sorted((one, other), key=lambda box: narrow(box.outline)))


def _is_stack(one: _Box, other: _Box) -> bool:
    """Whether two boxes are equal, and one only peeps out behind the other."""
    (ax, ay, bx, by), (cx, cy, dx, dy) = one.path.box, other.path.box
    wide, high = bx - ax, by - ay
    if abs(wide - (dx - cx)) > _SAME or abs(high - (dy - cy)) > _SAME:
        return False
    return abs(cx - ax) <= _STACKED * wide and abs(cy - ay) <= _STACKED * high


def _is_badge(small: _Box, large: _Box) -> bool:
    """Whether the middle of a small box lies on the border of a larger one, as a title, a port or a number does."""
    across = narrow(small.outline)
    if across > _BADGE * narrow(large.outline):
        return False
    return distance(middle(surround(small.outline)), ([*large.outline, large.outline[0]],)) <= _ON_BORDER * across
