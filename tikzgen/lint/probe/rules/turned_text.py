"""Rules on the direction of labels, and on titles: TG330, TG331."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from math import atan2, degrees

from tikzgen.base.plane import compute_bounding_box, find_box_center, grow_box, measure_distance_to_lines
from tikzgen.lint.probe.page_data import TextLine
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule

_LEVEL_DEGREES = 2.0  # degrees: a smaller tilt is not visible
_UPRIGHT_DEGREES = 100.0  # degrees: a label that is turned further reads backward
_ALONG_DEGREES = 6.0  # degrees: between a label and the line along which it runs
_ALONG_PT = 16.0  # pt: distance of a label from the line along which it runs


@rule("TG330", "labels are level or upright, or follow a line", Severity.WARNING)
def _turned_text(subject: Sheet) -> Iterator[Broken]:
    """Find labels that are turned by more than 100 degrees, and single tilted labels.

    A label along a line, and each of several labels with one tilt, is correct.
    """
    turns = {line.order: _measure_turn(line) for line in subject.page.lines if _has_direction(line)}
    owned = {
        (line.order if line.node is None else -line.node, round(turns[line.order]))
        for line in subject.page.lines
        if line.order in turns
    }
    tilts = Counter(turn for _, turn in owned)
    level = any(abs(turn % 90) <= _LEVEL_DEGREES for turn in tilts)
    for line in subject.page.lines:
        turn = turns.get(line.order, 0.0)
        off = abs(turn - 90 * round(turn / 90))
        if abs(turn) > _UPRIGHT_DEGREES:
            message = f"text {subject.describe_text(line)} is turned by {abs(turn):.0f} degrees"
        elif level and off > _LEVEL_DEGREES and tilts[round(turn)] == 1 and not _is_along_line(subject, line, turn):
            message = f"text {subject.describe_text(line)} is tilted by {off:.0f} degrees"
        else:
            continue
        yield Broken(subject.locate_text(line), message, "set it level, or turn it by 90 degrees")


def _has_direction(line: TextLine) -> bool:
    """Return whether a line is a label of the page whose direction counts, not a letter on a path."""
    return line.depth == 0 and line.text is None and any(map(str.isalnum, line.words))


def _measure_turn(line: TextLine) -> float:
    (ax, ay), (bx, by) = line.corners[:2]
    return degrees(atan2(by - ay, bx - ax))


def _is_along_line(sheet: Sheet, line: TextLine, turn: float) -> bool:
    """Return whether a line next to the middle of a label has its direction."""
    middle = find_box_center(line.box)
    for piece in sheet.view.find_pieces_near(grow_box((*middle, *middle), _ALONG_PT)):
        if piece.path.stroke is None or piece.path.depth:
            continue
        for (ax, ay), (bx, by) in chain.from_iterable(map(pairwise, piece.lines)):
            between = (degrees(atan2(by - ay, bx - ax)) - turn) % 180
            near = measure_distance_to_lines(middle, (((ax, ay), (bx, by)),)) < _ALONG_PT
            if near and min(between, 180 - between) < _ALONG_DEGREES:
                return True
    return False


_TITLE_SIZE_RATIO = 1.1  # of the other labels: a title is larger
_LEAST_OTHERS = 3  # labels
_OFF_CENTER_SHARE = 0.04  # of the figure's width
_OFF_CENTER_PT = 9.0  # pt
_ALIGNED_PT = 3.0  # pt


@rule("TG331", "titles are level, above the middle of the figure, or at its left edge", Severity.WARNING)
def _title_off_center(subject: Sheet) -> Iterator[Broken]:
    """Find a title that is turned, or neither centered over the figure nor aligned with an edge."""
    if (turned := _find_turned_title(subject)) is not None:
        message = f"title {subject.describe_text(turned)} is turned by {abs(_measure_turn(turned)):.0f} degrees"
        yield Broken(subject.locate_text(turned), message, "set it level, above the figure")
    title = _find_title(subject)
    if not title:
        return
    left, _, right, _ = compute_bounding_box([corner for line in title for corner in line.corners])
    orders = {line.order for line in title}
    boxes = [line.box for line in subject.page.lines if line.order not in orders]
    boxes += [path.box for path in subject.page.paths if path.stroke or path.fill not in (None, subject.page.paper)]
    low, high = min(box[0] for box in boxes), max(box[2] for box in boxes)
    middles = ((low + high) / 2, subject.page.width / 2)
    off = min(abs((left + right) / 2 - middle) for middle in middles)
    edges = abs(left - low), abs(right - high)
    if off > max(_OFF_CENTER_PT, _OFF_CENTER_SHARE * (high - low)) and min(edges) > _ALIGNED_PT:
        message = f"title {subject.describe_text(title[0])} is {spell_cm(off)} off the middle of the figure"
        yield Broken(subject.locate_text(title[0]), message, "center it, or align it with the left edge")


def _find_turned_title(sheet: Sheet) -> TextLine | None:
    """Return the only label that is larger than all others, if it is upright; None otherwise."""
    labels = [line for line in sheet.page.lines if _has_direction(line)]
    largest = max(labels, key=lambda line: line.size, default=None)
    others = [line for line in labels if line is not largest and not (largest and line.is_of(largest))]
    if largest is None or len(others) < _LEAST_OTHERS or abs(abs(_measure_turn(largest)) - 90) > _LEVEL_DEGREES:
        return None
    return largest if largest.size > _TITLE_SIZE_RATIO * max(line.size for line in others) else None


def _find_title(sheet: Sheet) -> Sequence[TextLine]:
    """Return the lines of the title: the only label above everything else that is larger than all others."""
    levels = [line for line in sheet.page.lines if line.depth == 0 and sum(map(str.isalnum, line.words)) > 1]
    if not levels:
        return ()
    top = max(levels, key=lambda line: line.box[3])
    title = [line for line in sheet.page.lines if line.is_of(top) or line is top]
    low = min(line.box[1] for line in title)
    others = [line for line in sheet.page.lines if not line.is_of(top) and line is not top and line.depth == 0]
    inked = [path for path in sheet.page.paths if path.stroke or path.fill not in (None, sheet.page.paper)]
    above = all(line.box[3] <= low + _ALIGNED_PT for line in others) and all(
        path.box[3] <= low + _ALIGNED_PT for path in inked if not set(path.nodes) & set(top.nodes)
    )
    larger = others and top.size > _TITLE_SIZE_RATIO * max(line.size for line in others)
    return title if above and larger and inked else ()
