"""Rules that compare a figure with the output of TeX: TG312, TG316."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

from tikzgen.base.errors import LatexError, Place, SpecError, quote
from tikzgen.base.plane import PT_PER_CM, Near, Point, compute_bounding_box, find_box_center, grow_box
from tikzgen.compile.diagnosis import said_at
from tikzgen.compile.draw import Unsupported
from tikzgen.compile.tex import TexBox, TextPreamble, Unsettable, measure_texts
from tikzgen.layout import layout
from tikzgen.layout.label_sizes import Asked, Sizes
from tikzgen.lint.probe.drawn_pages import drawn_page
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, Where
from tikzgen.lint.probe.page_with_source import Sheet, spell_cm
from tikzgen.lint.probe.tex_runs import engine_of
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import icons_of_figure, with_plugins
from tikzgen.spec.embedded_spec import extract_spec, is_untouched
from tikzgen.spec.load_figure import load_from_text
from tikzgen.text import Margin, TextSize, typeset_label

_SIGNS = ('"tex":', '"measured":')  # present in a description with raw TeX or measured sizes


@rule("TG312", "raw TeX and measured labels have the planned size", Severity.WARNING)
def _planned_size(subject: Sheet) -> Iterator[Broken]:
    """Find labels of a tikzgen figure whose size differs by more than the margin."""
    # A document of several pages is not a tikzgen figure.
    figure = _figure_of_sheet(subject) if subject.pages == 1 else None
    if figure is None:
        return
    sizes = Sizes(figure.measured)
    seen: set[str] = set()
    for asked, box in _measure_true_sizes(figure, sizes, subject.source).items():
        extent = sizes.measure_label(asked.text, asked.family, asked.bold, asked.size)
        if asked.text not in seen and not _has_planned_size(box, extent):
            seen.add(asked.text)
            high = (extent.height + extent.depth) * PT_PER_CM
            planned = f"{spell_cm(extent.width * PT_PER_CM)} × {spell_cm(high)} was planned"
            message = (
                f"text {quote(asked.text)} takes {spell_cm(box.width)} "
                f"× {spell_cm(box.height + box.depth)}, and {planned}"
            )
            place = _place_of_text(subject, asked.text)
            yield Broken(place, message, "`tikzgen render --measure` takes the size from TeX")


def _figure_of_sheet(sheet: Sheet) -> FigureModel | None:
    """Return the figure that was drawn; None for a file that is not as tikzgen writes it."""
    inside = extract_spec(sheet.source)
    if inside is None or not any(sign in inside for sign in _SIGNS) or not is_untouched(sheet.source):
        return None
    try:
        return load_from_text(inside)
    except SpecError:
        return None


def _place_of_text(sheet: Sheet, text: str) -> Place:
    """Return the location of the label in the description, or of its macro in the figure."""
    if sheet.described is not None:
        try:
            return said_at(text, load_from_text(sheet.described, name=sheet.name))[1] or Place(sheet.name)
        except SpecError:
            return Place(sheet.name)  # the description is only valid with settings of the command line
    body = f"{{{typeset_label(text).source}}}%"
    rows = enumerate(sheet.source.splitlines(), 1)
    return Place(sheet.name, next((number for number, row in rows if row.startswith("\\def") and body in row), None))


def _measure_true_sizes(figure: FigureModel, sizes: Sizes, source: str) -> dict[Asked, TexBox]:
    """Return the sizes of unmeasured labels according to the figure's engine; empty if it fails."""
    try:
        folders = with_plugins(figure, ())
        scene = layout(figure, icons_of_figure(figure, folders), sizes)
        known = {(str(each.text), each.size, each.bold) for each in scene.measured}
        texts = [one for one in sizes.estimated_texts if one.raw or (one.text, one.size, one.bold) in known]
        preamble = TextPreamble(scene.packages, scene.cjk, scene.libraries, folders)
        return measure_texts(texts, preamble, engine_of(source)) if texts else {}
    except (SpecError, LatexError, Unsettable):
        return {}  # another rule, or the compilation, reports the error


def _has_planned_size(box: TexBox, planned: TextSize) -> bool:
    sides = [(box.width, planned.width), (box.height + box.depth, planned.height + planned.depth)]
    return all(
        true - Margin.exact <= ours * PT_PER_CM <= Margin.varying * true + 2 * Margin.slack for true, ours in sides
    )


_DISTANCE_TOLERANCE_PT = 0.1
"""pt: a position within this distance of TeX's position is the same."""


@rule("TG316", "pdfTeX and the drawing without TeX agree", Severity.WARNING)
def _drawn_otherwise(subject: Sheet) -> Iterator[Broken]:
    if not subject.by_pdftex or subject.pages > 1:
        return
    try:
        ours = drawn_page(subject.source)
    except Unsupported:
        return  # a figure that needs TeX cannot be drawn without it
    theirs = subject.page
    if len(ours.nodes) != len(theirs.nodes):
        yield Broken(
            subject.place_of_file, f"TeX sets {len(theirs.nodes)} nodes, and {len(ours.nodes)} are drawn", _WAY
        )
        return
    moved = [(_distance_of_nodes(one, other), other) for one, other in zip(ours.nodes, theirs.nodes, strict=True)]
    far, node = max(moved, key=lambda each: each[0], default=(0.0, None))
    if node is not None and far > _DISTANCE_TOLERANCE_PT:
        place = subject.place_of(node.where, name=node.name, order=node.order)
        yield Broken(place, f"{subject.describe_node(node)} is drawn {far:.2f} pt from where TeX sets it", _WAY)
    elif (wider := max(abs(ours.width - theirs.width), abs(ours.height - theirs.height))) > _DISTANCE_TOLERANCE_PT:
        yield Broken(
            subject.place_of_file, f"the page of TeX is {wider:.2f} pt larger or smaller than the drawn one", _WAY
        )
    elif (found := ink_apart(ours, theirs)) is not None:
        what, far, where = found
        how_far = f"{far:.2f} pt" if far < FAR_PT else "far"
        yield Broken(subject.place_of(where), f"{what} is drawn {how_far} from where TeX sets it", _WAY)


def _distance_of_nodes(one: NodeOnPage, other: NodeOnPage) -> float:
    """Return the distance of two nodes in pt: of their borders, or of their centers.

    The centers count if the borders have different numbers of corners.
    """
    if len(one.border) != len(other.border):
        return dist(
            find_box_center(compute_bounding_box(one.border)), find_box_center(compute_bounding_box(other.border))
        )
    return max(map(dist, one.border, other.border), default=0.0)


_WAY = "trust TeX's picture, and report it: the two are meant to be the same"


FAR_PT = 1.0
"""pt: maximum search distance for the same element in TeX's drawing."""

_Ink = list[tuple[Point, Where]]


def ink_apart(ours: PageData, theirs: PageData) -> tuple[str, float, Where] | None:
    """Return the largest deviation of a path, or else a line of text: its type, distance and source lines.

    The distance is in pt, at most `FAR_PT`. Return None if nothing deviates.
    """
    for what, ink in (("a path", _list_path_points), ("a line of text", _list_line_origins)):
        pairs = ((ours, theirs), (theirs, ours))
        far, where = max(
            (_find_loneliest_point(ink(one, False), ink(other, True)) for one, other in pairs), key=lambda each: each[0]
        )
        if where is not None and far > _DISTANCE_TOLERANCE_PT:
            return what, far, where
    return None


def _list_path_points(page: PageData, every: bool) -> _Ink:
    """Return the points of paths, without rules inside labels: pdfTeX draws thin rules as lines."""
    return [(point, path.where) for path in page.paths if every or path.whole for line in path.lines for point in line]


def _list_line_origins(page: PageData, every: bool) -> _Ink:
    return [(line.origin, line.where) for line in page.lines]


def _find_loneliest_point(some: _Ink, others: _Ink) -> tuple[float, Where | None]:
    """Return the largest distance of a point from its nearest point in `others`, and its source lines."""
    index = Near(FAR_PT, FAR_PT)
    for number, (point, _) in enumerate(others):
        index.add_entry(number, (*point, *point))

    def distance_to_others(point: Point) -> float:
        near = index.find_near_entries(grow_box((*point, *point), FAR_PT))
        return min(FAR_PT, min((dist(point, others[number][0]) for number in near), default=FAR_PT))

    return max(
        ((distance_to_others(point), where) for point, where in some), key=lambda each: each[0], default=(0.0, None)
    )
