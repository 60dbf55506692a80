"""Rules on courses of links, and on frames: TG337, TG338, TG339, TG340."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from tikzgen.base.plane import (
    Near,
    Point,
    compute_bounding_box,
    grow_box,
    has_overlap,
    is_point_inside,
    is_within,
    lines_cross,
    measure_distance_to_lines,
    touch,
)
from tikzgen.lint.inventory import LABEL
from tikzgen.lint.probe.links_on_page import Joined, OpenPath
from tikzgen.lint.probe.page_data import PathOnPage
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule

_ONE_SIDE_PT = 2.0  # pt: largest offset of two ends at one side of a box
_LEAST_BOX_PT = 7.0  # pt: a thinner box is a lifeline or a bar
_SQUARE_PT = 28.0  # pt
_JOINED_PT = 4.0  # pt: largest distance of an end from the box that it joins
_NEAR_END_PT = 2.0  # pt: links that touch at their ends do not cross


@rule("TG337", "links of one kind at one side of a box do not cross each other", Severity.WARNING)
def _needless_crossing(subject: Sheet) -> Iterator[Broken]:
    """Find two links of one color that join a box side by side and cross: their ends could change places."""
    ends = _list_joined_ends(subject)
    told: set[int] = set()
    for node, joined in ends.items():
        for (one, a), (other, b) in combinations(joined, 2):
            alike = one.path.stroke == other.path.stroke and one.path.paint != other.path.paint
            beside = min(abs(a[0] - b[0]), abs(a[1] - b[1])) < _ONE_SIDE_PT
            if not alike or not beside or other.path.order in told or not _cross(one.course, other.course):
                continue
            if all(_is_named_end(subject, link, node) for link in (one, other)):
                told.add(other.path.order)
                message = f"{subject.describe_path(other.path)} crosses {subject.describe_path(one.path)}"
                message += ", and both join one box"
                yield Broken(subject.place_of(other.path.where), message, "exchange their ends at this box")


def _is_named_end(sheet: Sheet, link: OpenPath, node: int) -> bool:
    """Return whether the source names a node as the end of a link; true if it names none."""
    names = sheet.find_ends(link.path.where)
    return not names or sheet.view.nodes[node].name.removesuffix(LABEL) in names


def _list_joined_ends(sheet: Sheet) -> dict[int, list[tuple[OpenPath, Point]]]:
    """Return the links that end at each box or label, with their ends there."""
    found: dict[int, list[tuple[OpenPath, Point]]] = {}
    near = Near(_SQUARE_PT, _SQUARE_PT)
    ends = (node for node in sheet.page.nodes if not node.depth and (node.name or sheet.view.find_border(node.id)))
    nodes = [(node, compute_bounding_box(node.border)) for node in ends if node.border]
    for number, (_, box) in enumerate(nodes):
        if min(box[2] - box[0], box[3] - box[1]) > _LEAST_BOX_PT:
            near.add_entry(number, grow_box(box, _JOINED_PT))
    for link in sheet.links:
        for end, _, _ in link.ends if link.at_start or link.at_end else ():
            for number in near.find_near_entries((*end, *end)):
                node, box = nodes[number]
                if measure_distance_to_lines(end, ((*node.border, node.border[0]),)) < _JOINED_PT:
                    found.setdefault(node.id, []).append((link, end))
    return found


def _get_ends(link: OpenPath) -> tuple[Point, Point]:
    return link.course[0], link.course[-1]


def _cross(one: Sequence[Point], other: Sequence[Point]) -> bool:
    if not touch(compute_bounding_box(one), compute_bounding_box(other)):
        return False
    return any(
        lines_cross(*leg, *other_leg) and not _meet(leg, other_leg)
        for leg in pairwise(one)
        for other_leg in pairwise(other)
    )


def _meet(leg: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    return any(measure_distance_to_lines(end, (other,)) < _NEAR_END_PT for end in leg) or any(
        measure_distance_to_lines(end, (leg,)) < _NEAR_END_PT for end in other
    )


_VISIBLE_PT = 1.25  # pt
_OFF_AXIS_PT = 16.0  # pt: a larger offset is intended
_SLOPE = 0.45  # of the length: a steeper link is intended


@rule("TG338", "a single link between two boxes is level or upright", Severity.WARNING)
def _off_axis(subject: Sheet) -> Iterator[Broken]:
    """Find nearly level or upright links, each alone at both its boxes, except between cells of timelines."""
    joined = _list_joined_ends(subject)
    for link in subject.links:
        if len(link.course) != 2 or not (link.at_start or link.at_end):
            continue
        (ax, ay), (bx, by) = link.course
        off, long = sorted((abs(ax - bx), abs(ay - by)))
        if not _VISIBLE_PT < off < min(_OFF_AXIS_PT, _SLOPE * long):
            continue
        ends = [node for node, found in joined.items() for each, _ in found if each is link]
        alone = all(_is_alone(joined[node], link, upright=abs(ay - by) > abs(ax - bx)) for node in ends)
        names = {subject.view.nodes[node].name for node in ends}
        if len(ends) == len(link.course) and alone and not names & subject.spans:
            message = f"{subject.describe_path(link.path)} is {spell_cm(off)} off its axis"
            yield Broken(subject.place_of(link.path.where), message, "align the boxes that it joins")


def _is_alone(joined: Sequence[tuple[OpenPath, Point]], link: OpenPath, *, upright: bool) -> bool:
    """Return whether no other link joins a box at the side at which a link joins it."""
    axis = 1 if upright else 0
    own = next(end for each, end in joined if each is link)
    return not any(each is not link and abs(end[axis] - own[axis]) < _JOINED_PT for each, end in joined)


_LONGEST_LEADER_PT = 85.0  # pt: 3 cm
_AT_TEXT_PT = 5.0  # pt
_THIN_PT = 0.45  # pt: lifelines and axes are thicker


@rule("TG339", "leader lines of labels are at most 3 cm long", Severity.WARNING)
def _long_leader(subject: Sheet) -> Iterator[Broken]:
    """Find long lines without heads that end at a label outside of boxes."""
    for link in subject.links:
        if link.at_start or link.at_end or link.length <= _LONGEST_LEADER_PT or not _is_leader(link):
            continue
        for end, _, _ in link.ends:
            for line in subject.page.lines:
                if (
                    line.depth
                    or _has_ink(subject, link, end)
                    or not touch(grow_box(line.box, _AT_TEXT_PT), (*end, *end))
                ):
                    continue
                message = f"the leader line of text {subject.describe_text(line)} is {spell_cm(link.length)} long"
                yield Broken(subject.locate_text(line), message, "place the label closer, 3 cm at most")


def _is_leader(link: OpenPath) -> bool:
    """Return whether a line is diagonal or thin, unlike lifelines and axes."""
    (ax, ay), (bx, by) = _get_ends(link)
    diagonal = min(abs(ax - bx), abs(ay - by)) > _SLOPE * link.length / 2
    return len(link.course) == 2 and (diagonal or link.path.width <= _THIN_PT)


def _has_ink(sheet: Sheet, link: OpenPath, end: Point) -> bool:
    """Return whether an end of a line is at another line or area, not at a label alone."""
    near = sheet.view.find_pieces_near(grow_box((*end, *end), _VISIBLE_PT))
    return any(
        measure_distance_to_lines(end, piece.lines) < _VISIBLE_PT
        or (piece.path.fill is not None and is_point_inside(piece.lines, end))
        for piece in near
        if piece.path.paint != link.path.paint and _is_drawn(sheet, piece.path)
    )


def _is_drawn(sheet: Sheet, path: PathOnPage) -> bool:
    return path.stroke is not None or path.fill not in (None, sheet.page.paper)


_ROOMY_RATIO = 1.7  # times the extent of the content
_LEAST_MEMBER_COUNT = 2  # members
_ROOMY_PT = 28.0  # pt: blank space that is larger by the content
_BLANK_PT = 20.0  # pt: largest blank side of a frame
_OUTSIDE_PT = 3.0  # pt
_ALIKE_SHARE = 0.1  # difference of the sizes of similar frames


@rule("TG340", "frames fit their contents, and links between members stay inside", Severity.WARNING)
def _loose_frame(subject: Sheet) -> Iterator[Broken]:
    """Find frames with as much empty space as content, and links that leave the frame of both their ends."""
    for frame in subject.targets:
        if not frame.is_frame:
            continue
        blank = _measure_blank(subject, frame)
        place = subject.place_of(frame.node.where, name=frame.node.name, order=frame.node.order)
        if blank:
            message = f"{subject.describe_node(frame.node)} has {spell_cm(blank)} of empty space at one side"
            yield Broken(place, message, "fit it around its members")
        for link in subject.links:
            if link.at_start or link.at_end:
                beyond = _measure_detour(link, frame)
                if beyond > _OUTSIDE_PT:
                    message = f"{subject.describe_path(link.path)} runs {spell_cm(beyond)} outside of "
                    message += f"{subject.describe_node(frame.node)}, which has both its ends"
                    yield Broken(subject.place_of(link.path.where), message, "keep it inside, or widen the frame")


def _measure_blank(sheet: Sheet, frame: Joined) -> float:
    """Return the empty space at one side of a frame, if it is as large as the content; else 0."""
    boxes = [target.box for target in sheet.targets if target is not frame and is_within(target.box, frame.box)]
    own = [grow_box(box, _VISIBLE_PT) for box in boxes]
    texts = [box for box in sheet.texts if is_within(box, frame.box)]
    members = [*boxes, *(text for text in texts if not any(is_within(text, box) for box in own))]
    if len(members) < _LEAST_MEMBER_COUNT:
        return 0.0
    drawn = [path.box for path in sheet.page.paths if _is_drawn(sheet, path)]
    inside = [*members, *(box for box in drawn if is_within(box, grow_box(frame.box, -_VISIBLE_PT)))]
    content = compute_bounding_box([corner for box in inside for corner in (box[:2], box[2:])])
    border = sheet.view.find_border(frame.node.id)
    even = border is not None and border.fill is not None  # a wide box with its members in the middle
    siblings = [each for each in sheet.targets if each.is_frame and not has_overlap(each.box, frame.box)]
    worst = 0.0
    for axis in (0, 1):
        whole, held = (box[2 + axis] - box[axis] for box in (frame.box, content))
        if any(abs(other.box[2 + axis] - other.box[axis] - whole) < _ALIKE_SHARE * whole for other in siblings):
            continue  # siblings have one size
        before, after = content[axis] - frame.box[axis], frame.box[2 + axis] - content[2 + axis]
        if whole > _ROOMY_RATIO * held and whole - held > _ROOMY_PT and (not even or abs(before - after) > _ROOMY_PT):
            worst = max(worst, before, after)
    return worst if worst > _BLANK_PT else 0.0


def _measure_detour(link: OpenPath, frame: Joined) -> float:
    """Return how far a link between two points of a frame leaves it, in pt."""
    if not all(touch(frame.box, (*end, *end)) for end in _get_ends(link)):
        return 0.0
    left, bottom, right, top = frame.box
    low_x, low_y, high_x, high_y = compute_bounding_box(link.course)
    return max(left - low_x, bottom - low_y, high_x - right, high_y - top)
