"""Rules on elements that differ from their siblings: TG334, TG335, TG336."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeVar

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import is_within
from tikzgen.lint.probe.links_on_page import Joined, OpenPath
from tikzgen.lint.probe.page_data import TextLine
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.registry import Broken, Severity, rule

_T = TypeVar("_T")
_MINORITY_SHARE = 1 / 3  # largest share of odd ones: a larger group is intended
_PAIR_COUNT = 2  # siblings: fewer have no usual value
_SINGLE_RATIO = 1.9  # times the common value: a single element of its kind may be emphasized by less


def _group(elements: Iterable[_T], key: Callable[[_T], Hashable]) -> list[list[_T]]:
    groups: dict[Hashable, list[_T]] = {}
    for element in elements:
        groups.setdefault(key(element), []).append(element)
    return list(groups.values())


def _list_odd_ones(
    elements: Sequence[_T], value: Callable[[_T], float], ratio: float, common: float = 0.0
) -> Iterator[tuple[_T, float]]:
    """Yield the few elements with another value than the most frequent value, each with that value.

    Of two elements, an element with the `common` value is not odd. A single element is odd if it is twice as large.
    """
    counts = Counter(round(value(element), 1) for element in elements)
    usual, most = counts.most_common()[0]
    if len(elements) == 1 and common:
        usual, most, ratio = common, _PAIR_COUNT, _SINGLE_RATIO
    elif len(elements) == _PAIR_COUNT and common in counts:
        usual, most = common, _PAIR_COUNT
    odd = [element for element in elements if max(value(element), usual) >= ratio * min(value(element), usual)]
    if most >= _PAIR_COUNT and (len(odd) <= _MINORITY_SHARE * len(elements) or len(elements) <= _PAIR_COUNT):
        yield from ((element, usual) for element in odd)


_THICKER_RATIO = 1.4  # times the usual thickness
_LARGER_HEAD_RATIO = 1.35  # times the usual size
_AXIS_STYLE = "time"
"""Style of time axes, which no link has."""


@rule("TG334", "links of one kind have one thickness and one size of head", Severity.WARNING)
def _odd_link(subject: Sheet) -> Iterator[Broken]:
    """Find links with another thickness or head than links of their color and dashes.

    Of two links, a link that is like most links of the figure is not odd.
    """
    joining = (link for link in subject.links if link.at_start or link.at_end)
    leading = [link for link in joining if subject.find_style(link.path) != _AXIS_STYLE]
    ways: tuple[tuple[str, Callable[[OpenPath], Hashable], Callable[[OpenPath], float], float], ...] = (
        ("thick", _get_kind, lambda link: link.path.width, _THICKER_RATIO),
        ("of arrowhead", lambda link: (*_get_kind(link), link.path.width), lambda link: link.head, _LARGER_HEAD_RATIO),
    )
    for what, kind, value, ratio in ways:
        sized = [link for link in leading if value(link)]
        common = Counter(round(value(link), 1) for link in sized).most_common(1)
        for links in _group(sized, kind):
            for link, usual in _list_odd_ones(
                links, value, ratio, common[0][0] if common[0][1] >= _PAIR_COUNT else 0.0
            ):
                size = f"{value(link):.1f} pt {what}, links like it {usual:.1f} pt"
                place = subject.place_of(link.path.where)
                yield Broken(place, f"{subject.describe_path(link.path)}: {size}", "one size for all of them")


def _get_kind(link: OpenPath) -> tuple[Hashable, ...]:
    return link.path.stroke, round(link.path.dash, 1)


_FORMULA_FACES = ("cmmi", "cmsy", "cmex", "msam", "msbm", "math")
_LEAST_LETTERS = 2  # letters: a single letter may be a formula
_STEPS_PER_PT = 2  # steps per pt: of an edge or a baseline that labels share


@rule("TG335", "labels of one kind are in one typeface", Severity.WARNING)
def _odd_face(subject: Sheet) -> Iterator[Broken]:
    """Find the only label in another typeface in its row or column, or in another family than all others."""
    labels = [line for line in subject.page.lines if _is_plain_label(line)]
    bold = [line for line in labels if _BOLD.search(_get_face(line))]
    told = {line.order for line in bold} if len(bold) > 1 else set()  # headings
    groups = [
        *_group(labels, lambda line: (line.size, line.color, "left", round(line.box[0] * _STEPS_PER_PT))),
        *_group(labels, lambda line: (line.size, line.color, "right", round(line.box[2] * _STEPS_PER_PT))),
        *_group(labels, lambda line: (line.size, line.color, "middle", round(sum(line.box[::2]) * _STEPS_PER_PT / 2))),
        *_group(labels, lambda line: (line.size, line.color, "row", round(line.origin[1] * _STEPS_PER_PT))),
    ]
    words = [line for line in labels if not line.words.isdigit()]
    for group, name_face in (*((group, _name_style) for group in groups), (words, _name_family), (words, _name_slope)):
        counts = Counter(map(name_face, group)).most_common(1)
        odd = [line for line in group if name_face(line) != counts[0][0]]
        single = len({line.order if line.node is None else -line.node for line in odd}) == 1
        if not single or counts[0][1] < _PAIR_COUNT or odd[0].order in told or _is_heading(odd[0], group):
            continue
        told.add(odd[0].order)
        usual = f"{counts[0][1]} labels like it in {counts[0][0]}"
        message = f"text {subject.describe_text(odd[0])} is in {name_face(odd[0])}, {usual}"
        yield Broken(subject.locate_text(odd[0]), message, "one typeface for all of them")


def _is_heading(line: TextLine, group: Sequence[TextLine]) -> bool:
    """Return whether a label is bold and above all others of its group."""
    return bool(_BOLD.search(_get_face(line))) and all(line.box[3] >= other.box[3] for other in group)


def _is_plain_label(line: TextLine) -> bool:
    """Return whether a line is a label of the page in one typeface, not a formula and not Chinese."""
    if line.depth or len(line.faces) != 1 or not line.words.isascii() or _get_face(line).startswith(_FORMULA_FACES):
        return False
    return sum(map(str.isalpha, line.words)) >= _LEAST_LETTERS or line.words.isdigit()


def _get_face(line: TextLine) -> str:
    return next(iter(line.faces))


def _name_family(line: TextLine) -> str:
    face = _get_face(line)
    if "tt" in face or "mono" in face:
        return "typewriter"
    return "sans serif" if "ss" in face or "sans" in face else "serif"


_BOLD = pattern_of("bx|bold|sx")
_ITALIC = pattern_of("ti$|sl$|ssi$|ital|obli")


def _name_slope(line: TextLine) -> str:
    return "italic" if _ITALIC.search(_get_face(line)) else "upright"


def _name_style(line: TextLine) -> str:
    """Return the style of a typeface: `bold sans serif`."""
    face = _get_face(line)
    bold, italic = ("bold " if _BOLD.search(face) else ""), ("italic " if _ITALIC.search(face) else "")
    return f"{bold}{italic}{_name_family(line)}"


_LARGER_BOX_RATIO = 1.15  # times the usual extent
_SMALLEST_BOX_PT = 10.0  # pt: smaller boxes are markers
_LINE_PT = 3.0  # pt: largest offset of the middles of boxes in one row
_TEXT_PT = 1.0  # pt: a label that is larger by less does not need a larger box


@rule("TG336", "boxes of a row or column with equal contents have one size", Severity.WARNING)
def _odd_box(subject: Sheet) -> Iterator[Broken]:
    """Find the only box of a row or column that is larger or smaller, although its content is not.

    Cells of timelines are skipped: their length is a duration.
    """
    boxes = [target for target in subject.targets if _is_box(target)]
    contents = [(_describe_content(subject, box), box) for box in boxes]
    lines = [((content, axis, _find_line(box, axis)), box) for content, box in contents for axis in (0, 1)]
    rows = [[box for _, box in row] for row in _group(lines, lambda line: line[0])]
    told: set[int] = set()
    for row, (axis, what) in product(rows, ((0, "wide"), (1, "high"))):
        for target, usual in _list_odd_boxes(row, axis):
            if target.node.id in told:
                continue
            told.add(target.node.id)
            extent = f"{spell_cm(_get_extent(target, axis))} {what}, boxes like it {spell_cm(usual)}"
            place = subject.place_of(target.node.where, name=target.node.name, order=target.node.order)
            yield Broken(place, f"{subject.describe_node(target.node)} is {extent}", "one size for all of them")


def _is_box(target: Joined) -> bool:
    cell = target.node.separation[0].strip("{} ").startswith("0pt")
    return not cell and min(_get_extent(target, 0), _get_extent(target, 1)) >= _SMALLEST_BOX_PT


def _get_extent(target: Joined, axis: int) -> float:
    return target.box[2 + axis] - target.box[axis]


def _find_line(target: Joined, across: int) -> int:
    """Return the number of the line on which the middle of a box is."""
    return round((target.box[across] + target.box[2 + across]) / 2 / _LINE_PT)


def _describe_content(sheet: Sheet, target: Joined) -> Hashable:
    """Return the shape of a box, the number of paths in it, and the colors of its drawing."""
    drawn = [path for path in sheet.view.paths_of.get(target.node.id, ()) if path.depth]
    own = () if drawn or sheet.view.lines_of.get(target.node.id) else (target.node.id,)  # equal to no other
    inside = sum(is_within(piece.path.box, target.box) for piece in sheet.view.find_pieces_near(target.box))
    return target.node.shape, inside, len(drawn), *((drawn[0].stroke, drawn[0].fill) if drawn else own)


def _list_odd_boxes(row: Sequence[Joined], axis: int) -> Iterator[tuple[Joined, float]]:
    """Yield the few boxes whose extent is odd without need, each with the usual extent."""
    if len(row) <= _PAIR_COUNT:
        return
    for target, usual in _list_odd_ones(row, lambda each: _get_extent(each, axis), _LARGER_BOX_RATIO):
        labels = [_get_text_extent(each, axis) for each in row if abs(_get_extent(each, axis) - usual) < _TEXT_PT]
        label = _get_text_extent(target, axis)
        needed = label > max(labels) + _TEXT_PT if _get_extent(target, axis) > usual else label < min(labels) - _TEXT_PT
        if not needed:
            yield target, usual


def _get_text_extent(target: Joined, axis: int) -> float:
    width, height, depth = target.node.text
    return height + depth if axis else width
