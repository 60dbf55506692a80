"""Rules on consistency: gaps, type sizes, and adjacent numbers: TG327, TG328, TG329."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from tikzgen.base.plane import compute_bounding_box, is_within
from tikzgen.lint.probe.links_on_page import Joined
from tikzgen.lint.probe.page_data import TextLine
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.looks.vision import Color

_DIGIT_GAP = 0.2  # of the size: digits with a smaller gap read as one number
_LEVEL_PT = 0.2  # pt


@rule("TG327", "numbers of neighboring cells are legible separately", Severity.WARNING)
def _run_together(subject: Sheet) -> Iterator[Broken]:
    """Report the first pair only, because the same usually holds between many cells."""
    numbers = [line for line in subject.page.lines if line.words.isdigit() and line.depth == 0]
    numbers.sort(key=lambda line: (round(line.origin[1]), line.box[0]))
    for one, other in pairwise(numbers):
        gap = other.box[0] - one.box[2]
        level = abs(one.origin[1] - other.origin[1]) < _LEVEL_PT
        if level and 0 <= gap < _DIGIT_GAP * one.size and not one.is_of(other) and _have_cells(subject, one, other):
            message = (
                f"the numbers {subject.describe_text(one)} and "
                f"{subject.describe_text(other)} of two cells stand {spell_cm(gap)} apart"
            )
            yield Broken(
                subject.locate_text(other), message, "smaller digits, or wider cells: digits take 65 % of a cell"
            )
            return


def _have_cells(sheet: Sheet, *lines: TextLine) -> bool:
    """Return whether numbers are on filled areas."""
    middles = [((line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2) for line in lines]
    return all(
        sheet.view.background_at(spot, line.order) != sheet.page.paper
        for spot, line in zip(middles, lines, strict=True)
    )


_MINORITY_SHARE = 1 / 3  # largest share of odd sizes: a larger group is intended
_PANEL_SHARE = 1 / 2  # likewise for labels that are side by side: half of them belong to another panel
_CAPTION_DISTANCE_PT = 8.0  # pt: largest distance of a caption from its box
_OTHER_SIZE = 0.04  # of the size
_STEPS_PER_PT = 5  # steps per pt


@rule(
    "TG328",
    "similar labels have one size: numbers of cells, labels of a column, captions",
    Severity.WARNING,
)
def _odd_size(subject: Sheet) -> Iterator[Broken]:
    """Find the odd size in groups of similar labels.

    Groups are: numbers of one color on areas of one color; labels on the background that share an edge or a
    middle; captions below equal boxes.
    """
    captioned: dict[int, list[Joined]] = {}
    for target in filter(_is_box, subject.targets):
        captioned.setdefault(round(target.box[0] + target.box[2]), []).append(target)
    captions: dict[tuple[object, ...], list[TextLine]] = {}
    numbers: dict[tuple[Color, Color], list[TextLine]] = {}
    labels: dict[tuple[object, ...], list[TextLine]] = {}
    for number, lines in subject.view.lines_of.items():
        line = max(lines, key=lambda each: each.size)
        if line.depth:
            continue
        ground = subject.view.background_at(next(line.iterate_middle_points((0.5,))), line.order)
        if ground == subject.page.paper:
            left, _, right, top = compute_bounding_box(subject.view.nodes[number].border)
            for left_box, bottom, right_box, top_box in (each.box for each in captioned.get(round(left + right), ())):
                if 0 <= bottom - top < _CAPTION_DISTANCE_PT:
                    alike = line.color, round(right_box - left_box), round(top_box - bottom)
                    captions.setdefault(alike, []).append(line)
            for side, edge in (("left", left), ("right", right)):
                labels.setdefault((line.color, line.faces, side, round(edge * _STEPS_PER_PT)), []).append(line)
            middle = round((left + right) / 2 * _STEPS_PER_PT)
            labels.setdefault((line.color, line.faces, "middle", middle), []).append(line)
        elif line.words.isdigit() and len(lines) == 1:
            numbers.setdefault((ground, line.color), []).append(line)
    for what, groups, least in (("number", numbers, 3), ("label", labels, 2), ("caption", captions, 2)):
        for texts in groups.values():
            yield from _odd_ones(subject, what, texts, least)
    yield from _odd_swatches(subject)


def _odd_swatches(subject: Sheet) -> Iterator[Broken]:
    """Report the first filled entry of a legend whose height differs from the previous entry."""
    swatches = [
        (node, border.box[3] - border.box[1])
        for node in subject.page.nodes
        if node.name.startswith("legend") and (border := subject.view.find_border(node.id)) and border.fill
    ]
    for (_, usual), (node, high) in pairwise(swatches):
        if abs(high - usual) > _VISIBLE_PT:
            message = f"{subject.describe_node(node)} is {spell_cm(high)} high, the one before it {spell_cm(usual)}"
            yield Broken(
                subject.place_of(node.where, name=node.name, order=node.order), message, "one size for all of them"
            )
            return


def _odd_ones(subject: Sheet, what: str, alike: Sequence[TextLine], least: int) -> Iterator[Broken]:
    """Report all labels of another size than most as one finding."""
    sizes = Counter(round(line.size, 1) for line in alike)
    usual, most = max(sizes.items(), key=lambda each: each[1])
    odd = [line for line in alike if abs(line.size - usual) > _OTHER_SIZE * usual]
    share = _PANEL_SHARE if what == "label" and _are_together(odd, alike) else _MINORITY_SHARE
    if most >= least and odd and len(odd) <= share * len(alike):
        others = f" and {len(odd) - 1} more" if len(odd) > 1 else ""
        told = f"{what} {subject.describe_text(odd[0])}{others}: {odd[0].size:.1f} pt, {most} like it {usual:.1f} pt"
        yield Broken(subject.locate_text(odd[0]), told, "one size for all of them")


def _are_together(odd: Sequence[TextLine], alike: Sequence[TextLine]) -> bool:
    """Return whether labels are side by side among others, as the labels of one panel."""
    column = sorted(alike, key=lambda line: (-line.origin[1], line.box[0]))
    places = [number for number, line in enumerate(column) if any(line is each for each in odd)]
    return bool(places) and places[-1] - places[0] < len(places)


_SMALLEST_BOX_PT = 10.0  # pt: smaller boxes are markers
_EVEN_PT = 0.35  # pt
_VISIBLE_PT = 1.25  # pt
_SEPARATE_GAP_SHARE = 0.75  # of a gap: a box with a larger offset is separate
_LEAST_BOX_COUNT = 4


@rule("TG329", "boxes of a row or column are spaced evenly", Severity.WARNING)
def _uneven_gap(subject: Sheet) -> Iterator[Broken]:
    """Find equal boxes in a row with exactly one irregular position, except for cells of timelines."""
    boxes = [target for target in subject.targets if _is_box(target)]
    if any(True for _ in _find_uneven_gaps(subject, boxes)):  # rarely any: reading the source for spans is slow
        yield from _find_uneven_gaps(subject, [each for each in boxes if each.node.name not in subject.spans])


def _is_box(target: Joined) -> bool:
    """Return whether a node is neither a cell nor a marker."""
    left, bottom, right, top = target.box
    cell = target.node.separation[0].strip("{} ").startswith("0pt")
    return not cell and min(right - left, top - bottom) >= _SMALLEST_BOX_PT


def _find_uneven_gaps(sheet: Sheet, boxes: Sequence[Joined]) -> Iterator[Broken]:
    sizes: dict[tuple[int, int], list[Joined]] = {}
    for target in boxes:
        left, bottom, right, top = target.box
        sizes.setdefault((round(right - left), round(top - bottom)), []).append(target)
    for axis in (0, 1):
        for alike in sizes.values():
            rows: dict[int, list[Joined]] = {}
            for target in alike:
                rows.setdefault(round(target.box[1 - axis]), []).append(target)
            for row in rows.values():
                row.sort(key=lambda each: each.box[axis])
                yield from _out_of_place(sheet, row, axis)
                yield from _beside_row(sheet, row, alike, axis)
    for axis in (0, 1):
        lines: dict[tuple[int, int], list[Joined]] = {}
        for target in boxes:
            lines.setdefault((round(target.box[1 - axis]), round(target.box[3 - axis])), []).append(target)
        for line in lines.values():
            yield from _between_gaps(sheet, sorted(line, key=lambda each: each.box[axis]), axis)


def _out_of_place(sheet: Sheet, row: Sequence[Joined], axis: int) -> Iterator[Broken]:
    starts = [each.box[axis] for each in row]
    if len(row) < _LEAST_BOX_COUNT or _is_even(dict(enumerate(starts))):
        return
    for number, target in enumerate(row):
        others = {at: start for at, start in enumerate(starts) if at != number}
        if not _is_even(others):
            continue
        (first, start), *_, (last, end) = others.items()
        pitch = (end - start) / (last - first)
        off = abs(starts[number] - (start + (number - first) * pitch))
        gap = pitch - (target.box[2 + axis] - target.box[axis])
        if _VISIBLE_PT < off < _SEPARATE_GAP_SHARE * gap:
            message = (
                f"{sheet.describe_node(target.node)} is {spell_cm(off)} "
                f"away from an even position in its row of {len(row)}"
            )
            place = sheet.place_of(target.node.where, name=target.node.name, order=target.node.order)
            yield Broken(place, message, "make the gaps equal")
            return


def _between_gaps(sheet: Sheet, row: Sequence[Joined], axis: int) -> Iterator[Broken]:
    """Report the only box of several widths that is not in the middle between its neighbors."""
    gaps = [after.box[axis] - before.box[2 + axis] for before, after in pairwise(row)]
    if len(gaps) <= _LEAST_BOX_COUNT - 1 or len({round(_get_extent(each, axis)) for each in row}) == 1:
        return
    usual = median(gaps)
    odd = [number for number, gap in enumerate(gaps) if abs(gap - usual) > _EVEN_PT]
    if len(odd) != len(pair := odd[:2]) or len(pair) != 2 or pair[1] != pair[0] + 1:
        return
    off = (gaps[pair[0]] - gaps[pair[1]]) / 2
    if abs(gaps[pair[0]] + gaps[pair[1]] - 2 * usual) < _EVEN_PT and _VISIBLE_PT < abs(off) < usual:
        node = row[pair[1]].node
        message = f"{sheet.describe_node(node)} stands {spell_cm(abs(off))} off the middle between its neighbors"
        yield Broken(sheet.place_of(node.where, name=node.name, order=node.order), message, "equal gaps between them")


def _get_extent(target: Joined, axis: int) -> float:
    return target.box[2 + axis] - target.box[axis]


_ROW_BOX_COUNT = 3  # boxes in line: two may be aligned by chance
_OTHER_ROW_SHARE = 0.5  # of a box's own size: a larger offset means another row
_PAIR_PT = 8.0  # pt: the same for two aligned boxes outside other boxes


def _beside_row(sheet: Sheet, row: Sequence[Joined], alike: Sequence[Joined], axis: int) -> Iterator[Broken]:
    """Report a single box next to or between the boxes of a row that is slightly off their line."""
    if len(row) < _ROW_BOX_COUNT and (len(row) == 1 or _is_in_another(sheet, row)):
        return
    low, high = row[0].box[1 - axis], row[0].box[3 - axis]
    farthest = (
        _OTHER_ROW_SHARE * (high - low)
        if len(row) >= _ROW_BOX_COUNT
        else min(_OTHER_ROW_SHARE * (high - low), _PAIR_PT)
    )
    off = [each for each in alike if _VISIBLE_PT < abs(each.box[1 - axis] - low) < farthest]
    if len(off) != 1:
        return
    target = off[0]
    pitch = max(b.box[axis] - a.box[axis] for a, b in pairwise(row))
    within = row[0].box[axis] - pitch - _VISIBLE_PT <= target.box[axis] <= row[-1].box[axis] + pitch + _VISIBLE_PT
    if within and all(target.box[2 + axis] <= each.box[axis] or each.box[2 + axis] <= target.box[axis] for each in row):
        message = (
            f"{sheet.describe_node(target.node)} is {spell_cm(abs(target.box[1 - axis] - low))} "
            f"away from the line through {len(row)} similar boxes"
        )
        place = sheet.place_of(target.node.where, name=target.node.name, order=target.node.order)
        yield Broken(place, message, "align it with them")


def _is_in_another(sheet: Sheet, row: Iterable[Joined]) -> bool:
    """Return whether a box is inside another box."""
    return any(is_within(own.box, other.box) for own in row for other in sheet.targets if other is not own)


def _is_even(starts: dict[int, float]) -> bool:
    """Return whether positions are proportional to their indices."""
    (first, start), *_, (last, end) = starts.items()
    pitch = (end - start) / (last - first)
    return all(abs(place - start - (number - first) * pitch) < _EVEN_PT for number, place in starts.items())
