"""Rules on the ends and courses of links: TG317, TG318, TG319, TG326."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, dist, floor, pi

from tikzgen.base.plane import (
    Point,
    clip_segment,
    compute_bounding_box,
    find_box_center,
    grow_box,
    is_point_inside,
    is_segment_across_box,
    is_within,
    lines_cross,
    make_convex_hull,
    measure_distance_to_lines,
    touch,
)
from tikzgen.lint.probe.links_on_page import Joined, OpenPath
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule

_JOINED_PARTS_PT = 3.5  # pt: parts that are closer belong together
_TARGET_BOX_PT = 16.0  # pt: a box this close in front of an end is the target of the link
_TARGET_LINE_PT = 24.0  # pt: likewise for a line at which other flows end
_GRAZED_TEXT_PT = 0.5  # pt: a label that a link touches by less is next to it
_LEAST_SHAFT_PT = 2.5  # pt of shaft besides the head
_HEAD_PT = 3.5  # pt: a usual head


@rule("TG317", "links reach their boxes and are long enough to see", Severity.WARNING)
def _loose_end(subject: Sheet) -> Iterator[Broken]:
    for link in subject.links:
        if not (link.at_start or link.at_end):
            continue
        heads = link.at_start + link.at_end
        if link.length < heads * _HEAD_PT + _LEAST_SHAFT_PT:
            message = (
                f"{subject.describe_path(link.path)} is only {spell_cm(link.length)} long: hardly more than its head"
            )
            yield Broken(subject.place_of(link.path.where), message, "move its ends apart")
            continue
        for end, before, head in link.ends:
            short = _measure_end_gap(subject, link, end, before)
            if short is not None:
                what = "ends" if head else "begins"
                message = f"{subject.describe_path(link.path)} {what} {spell_cm(short)} away from the box before it"
                yield Broken(subject.place_of(link.path.where), message, "lead it to the box's border")


def _measure_end_gap(sheet: Sheet, link: OpenPath, end: Point, before: Point) -> float | None:
    """Return the gap in pt from a link's end to the box or joined line in front of it; None if connected."""
    near = [box for box in sheet.targets if box.is_near(end, _JOINED_PARTS_PT)]
    if any(not box.is_frame or box.distance_to(end) <= _JOINED_PARTS_PT for box in near):
        return None
    for piece in sheet.view.find_pieces_near(grow_box((*end, *end), _JOINED_PARTS_PT)):
        own = piece.path.paint == link.path.paint or any(box.node.id in piece.path.nodes for box in near)
        if not own and not piece.path.depth:
            return None
    if any(
        is_segment_across_box(end, _extend_link(end, before, _JOINED_PARTS_PT), box, -_GRAZED_TEXT_PT)
        for box in sheet.texts
    ):
        return None
    ahead = _extend_link(end, before, _TARGET_BOX_PT)
    outlines = (*(box.outline for box in sheet.targets if box not in near), *_drawn_boxes(sheet))
    gaps = [
        dist(end, found[0])
        for outline in outlines
        if touch(compute_bounding_box((end, ahead)), compute_bounding_box(outline))
        and (found := clip_segment(end, ahead, outline))
    ]
    return min((*gaps, *_before_lines(sheet, end, _extend_link(end, before, _TARGET_LINE_PT))), default=None)


_MIDDLE_SHARE = 0.25  # of a box's sides


def _drawn_boxes(sheet: Sheet) -> Iterator[tuple[Point, ...]]:
    r"""Yield the outlines of boxes that are paths with a label in their middle: `\draw (0,0) rectangle (2,1)`."""
    for path in sheet.page.paths:
        if path.nodes or path.depth or path.stroke is None or not path.is_closed_outline:
            continue
        left, bottom, right, top = path.box
        core = grow_box(path.box, -_MIDDLE_SHARE * min(right - left, top - bottom))
        if any(touch(core, (*find_box_center(line.box), *find_box_center(line.box))) for line in sheet.page.lines):
            yield make_convex_hull(path.lines[0])


def _extend_link(end: Point, before: Point, by: float) -> Point:
    """Return the point `by` pt beyond the end of a link."""
    long = dist(end, before) or 1.0
    return end[0] + by * (end[0] - before[0]) / long, end[1] + by * (end[1] - before[1]) / long


def _before_lines(sheet: Sheet, end: Point, ahead: Point) -> Iterator[float]:
    """Yield the distances of an end from lines in front of it at which other flows end, such as lifelines."""
    for line in sheet.links:
        if line.at_start or line.at_end or not any(lines_cross(end, ahead, *leg) for leg in pairwise(line.course)):
            continue
        flows = (link for link in sheet.links if link.at_start or link.at_end)
        if any(
            measure_distance_to_lines(tip, (line.course,)) < _JOINED_PARTS_PT
            for flow in flows
            for tip, _, _ in flow.ends
        ):
            yield measure_distance_to_lines(end, (line.course,))


_CORNER_DEPTH_PT = 2.5  # pt: smaller depths are due to rounded corners


@rule("TG318", "ends of links are not inside boxes or icons", Severity.WARNING)
def _end_inside(subject: Sheet) -> Iterator[Broken]:
    """Find link ends inside a box or an icon.

    A line without heads may join inner parts. A beginning that a box covers is visible from the border of the box.
    """
    for link in subject.links:
        for end, other, head in (
            (link.course[0], link.course[-1], link.at_start),
            (link.course[-1], link.course[0], link.at_end),
        ):
            leads = link.at_start or link.at_end
            boxes = [box for box in subject.targets if box.is_near(end, _CORNER_DEPTH_PT)] if leads else []
            if any(box.distance_to(end) <= _CORNER_DEPTH_PT for box in boxes):
                continue
            for box in boxes:
                if box.is_frame or box.has_point(other) or not (head or _begins_over(subject, link, end, box)):
                    continue
                name = f"node {box.node.name}" if box.node.name else "a node"
                what = "head" if head else "beginning"
                message = (
                    f"the {what} of {subject.describe_path(link.path)} "
                    f"is {spell_cm(box.distance_to(end))} inside {name}"
                )
                yield Broken(subject.place_of(link.path.where), message, "end it at the border: (name), (name.west)")


_MARKER_PT = 10.0  # pt: an arrow may begin in the middle of a smaller box
_START_DEPTH_PT = 5.0  # pt


def _begins_over(sheet: Sheet, link: OpenPath, end: Point, box: Joined) -> bool:
    """Return whether a link that begins inside a box is visible there.

    The depth is measured in the painted outline of the box, which may not be a rectangle.
    """
    left, bottom, right, top = box.box
    painted = [path for path in sheet.view.paths_of.get(box.node.id, ()) if path.stroke or path.fill]
    if not painted or link.path.order < max(path.order for path in painted):
        return False
    outline = make_convex_hull([point for path in painted for line in path.lines for point in line])
    deep = (
        min(box.distance_to(end), measure_distance_to_lines(end, ((*outline, outline[0]),)))
        if is_point_inside((outline,), end)
        else 0.0
    )
    return deep > _START_DEPTH_PT and min(right - left, top - bottom) >= _MARKER_PT


_SHARED_COURSE_PT = 8.0  # pt
_ONE_LINE_PT = 0.8  # pt: closer courses look like one line
_ONE_END_PT = 6.0  # pt: closer ends coincide


@rule("TG319", "links do not overlap")
def _same_course(subject: Sheet) -> Iterator[Broken]:
    """Find pairs of links that share a part of their courses, except for a bus, which shares one end."""
    leading = [link for link in subject.links if link.at_start or link.at_end]
    for one, other in _parallel_links(leading):
        if _fork(one, other):
            continue
        shared = _shared_length(one.course, other.course)
        if shared > _SHARED_COURSE_PT:
            first, second = sorted((one, other), key=lambda link: link.path.order)
            message = (
                f"{subject.describe_path(second.path)} covers "
                f"{subject.describe_path(first.path)}, {spell_cm(shared)} of it"
            )
            yield Broken(subject.place_of(second.path.where), message, "bend one of them, or draw one with two heads")


_SQUARE_PT = 16.0  # pt
_SAMPLE_PT = 4.0  # pt: sampling distance along a segment, to find its squares
_SECTOR_COUNT = 31  # of half a turn: parallel segments (sine up to 0.1) differ by less than one sector


def _parallel_links(links: Sequence[OpenPath]) -> Iterator[tuple[OpenPath, OpenPath]]:
    """Yield pairs of links with nearly parallel segments in one square of the page, each pair once."""
    squares: dict[tuple[int, int, int], list[int]] = {}
    for place, link in enumerate(links):
        met: set[int] = set()
        for a, b in pairwise(link.course):
            for square in _iterate_squares(a, b):
                held = squares.setdefault(square, [])
                met.update(held)
                if not held or held[-1] != place:
                    held.append(place)
        met.discard(place)
        for before in sorted(met):
            yield links[before], link


def _iterate_squares(a: Point, b: Point) -> Iterator[tuple[int, int, int]]:
    """Yield the squares of a segment, with a margin, each with its two nearest direction sectors."""
    long = dist(a, b)
    if not long:
        return
    turn = atan2(b[1] - a[1], b[0] - a[0]) % pi / pi * _SECTOR_COUNT
    sectors = {floor(turn - 0.5) % _SECTOR_COUNT, floor(turn + 0.5) % _SECTOR_COUNT}
    steps = int(long / _SAMPLE_PT) + 1
    away = _SAMPLE_PT / 2 + _ONE_LINE_PT
    seen: set[tuple[int, int]] = set()
    for i in range(steps + 1):
        x, y = a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps
        for u in (x - away, x + away):
            seen.update((int(u // _SQUARE_PT), int(v // _SQUARE_PT)) for v in (y - away, y + away))
    for square in seen:
        for sector in sectors:
            yield (*square, sector)


def _fork(one: OpenPath, other: OpenPath) -> bool:
    """Return whether two links meet at exactly one end: they then share a trunk, or fan out."""
    mine, yours = (one.course[0], one.course[-1]), (other.course[0], other.course[-1])
    return sum(any(dist(end, each) < _ONE_END_PT for each in yours) for end in mine) == 1


def _shared_length(one: Sequence[Point], other: Sequence[Point]) -> float:
    """Return the length of a course that coincides with another one."""
    found = 0.0
    for a, b in pairwise(one):
        parts = sorted(
            part for leg in pairwise(other) if _runs_along((a, b), leg) and (part := _find_shared_part((a, b), leg))
        )
        reached, share = 0.0, 0.0
        for low, high in parts:
            share += max(0.0, high - max(low, reached))
            reached = max(reached, high)
        found += share * dist(a, b)
    return found


def _find_shared_part(one: tuple[Point, Point], leg: tuple[Point, Point]) -> tuple[float, float] | None:
    """Return the part of a segment (0 to 1) within a line's width of another segment; None without one."""
    (a, b), (c, d) = one, leg
    u, v = d[0] - c[0], d[1] - c[1]
    long = dist(c, d)
    start, goal = (((x - c[0]) * u + (y - c[1]) * v) / long**2 for x, y in (a, b))
    low, high = _find_share_range(start, goal, 0.0, 1.0)
    start, goal = (((x - c[0]) * v - (y - c[1]) * u) / long for x, y in (a, b))
    near, far = _find_share_range(start, goal, -_ONE_LINE_PT, _ONE_LINE_PT)
    low, high = max(0.0, low, near), min(1.0, high, far)
    return (low, high) if low < high else None


def _find_share_range(start: float, goal: float, least: float, most: float) -> tuple[float, float]:
    """Return the range of shares between `start` and `goal` at which a value is within limits."""
    if start == goal:
        return (0.0, 1.0) if least <= start <= most else (1.0, 0.0)
    one, other = (least - start) / (goal - start), (most - start) / (goal - start)
    return min(one, other), max(one, other)


def _runs_along(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Return whether two segments are nearly parallel, in either direction, and close to each other."""
    (a, b), (c, d) = one, other
    if not touch(grow_box(compute_bounding_box(one), _ONE_LINE_PT), compute_bounding_box(other)):
        return False
    u, v, x, y = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    mine, theirs = dist(a, b), dist(c, d)
    return bool(mine and theirs) and abs(x * v - y * u) <= 0.1 * mine * theirs


_CUT_CORNER_PT = 6.0  # pt: a shorter part of a link in a box only cuts a corner
_NUMBER_BOX_PT = 16.0  # pt: largest box of a number
_JOINED_BOX_PT = 3.0  # pt: largest distance of a link's end from a box that it joins


@rule("TG326", "links do not cross boxes that they do not join")
def _link_through_box(subject: Sheet) -> Iterator[Broken]:
    """Find boxes on a link with a head, or on a plain link between boxes: not on axes or brackets."""
    for link in subject.links:
        joins = [any(box.is_near(end, _JOINED_BOX_PT) for box in subject.targets) for end, _, _ in link.ends]
        leads = link.at_start or link.at_end or all(joins)
        for box in subject.targets if leads else ():
            if _is_joined(subject, link, box):
                continue
            inside = _way_inside(link, box)
            if inside > _CUT_CORNER_PT and box.node.name not in subject.spans and not _is_number_on(subject, link, box):
                through = f"{subject.describe_path(link.path)} passes through {subject.describe_node(box.node)}"
                message = f"{through}, {spell_cm(inside)} of it, and joins it at neither end"
                yield Broken(subject.place_of(link.path.where), message, "route it around the box, or move the box")


def _is_joined(sheet: Sheet, link: OpenPath, box: Joined) -> bool:
    """Return whether a link ends at a box, or at a box inside it.

    The source has the names of the ends: another box near an end, such as a member of a frame, is not joined.
    """
    if not any(box.is_near(end, _JOINED_BOX_PT) for end, _, _ in link.ends):
        return False
    names = sheet.find_ends(link.path.where)
    ends = [each for each in sheet.targets if each.node.name in names]
    if box.node.name in names or not box.node.name or names - {each.node.name for each in ends}:
        return True
    return not names or any(is_within(each.box, box.box) for each in ends)


def _is_number_on(sheet: Sheet, link: OpenPath, box: Joined) -> bool:
    """Return whether a box is a number on the link, which it covers."""
    left, bottom, right, top = box.box
    border = sheet.view.find_border(box.node.id)
    small = max(right - left, top - bottom) < _NUMBER_BOX_PT
    return small and border is not None and border.order > link.path.order


def _way_inside(link: OpenPath, box: Joined) -> float:
    """Return the length of a link inside a box or on its border, in pt."""
    if not touch(compute_bounding_box(link.course), grow_box(box.box, _ONE_LINE_PT)):
        return 0.0
    outline = make_convex_hull(
        (x + u, y + v)
        for x, y in box.outline
        for u in (-_ONE_LINE_PT, _ONE_LINE_PT)
        for v in (-_ONE_LINE_PT, _ONE_LINE_PT)
    )
    chords = (clip_segment(a, b, outline) for a, b in pairwise(link.course))
    return sum(dist(*found) for found in chords if found)
