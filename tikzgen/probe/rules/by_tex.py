"""What only TeX can tell: TG312, TG316."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

from tikzgen.base.errors import LatexError, Place, SpecError, quoted
from tikzgen.base.record import Record
from tikzgen.compile.text_sizes import Preamble, TexBox, Unsettable, measure_texts
from tikzgen.diagnosis import said_at
from tikzgen.drawing.refused import Unsupported
from tikzgen.icons import wanted, with_plugins
from tikzgen.layout import layout
from tikzgen.layout.sizes import Asked, Sizes
from tikzgen.lint.registry import Broken, Rule, Severity
from tikzgen.loading import loads
from tikzgen.model.figure import Figure
from tikzgen.plane.rectangles import middle, surround
from tikzgen.plane.units import PT_PER_CM
from tikzgen.probe.drawn_pages import drawn_page
from tikzgen.probe.ink_apart import FAR, ink_apart
from tikzgen.probe.page_data import Node
from tikzgen.probe.run import engine_of
from tikzgen.probe.sheet import Sheet, cm
from tikzgen.text import Extent, Margin, typeset
from tikzgen.tikz.embedded_spec import is_untouched, unseal


def _planned_size(subject: Sheet) -> Iterator[Broken]:
    # a document of several pages is none of tikzgen's figures
    if subject.pages > 1:
        return
    for found in misfits(subject):
        true, planned = found.true, found.planned
        sizes = f"{cm(true[0])} × {cm(true[1])}, and {cm(planned[0])} × {cm(planned[1])} was planned"
        message = f"text {found.text} takes {sizes}"
        yield Broken(found.place, message, "`tikzgen render --measure` takes the size from TeX")


_SIGNS = ('"tex":', '"measured":')  # what a description has that has raw TeX, or measured sizes


class Misfit(Record):
    """A text with its true and its planned size: width and total height in pt."""

    text: str
    place: Place
    true: tuple[float, float]
    planned: tuple[float, float]


def misfits(sheet: Sheet) -> Iterator[Misfit]:
    """The texts of a figure of ours whose size is off by more than the margin."""
    figure = _described(sheet)
    if figure is None:
        return
    sizes = Sizes(figure.measured)
    true = _true(figure, sizes, sheet.source)
    seen: set[str] = set()
    for asked, box in true.items():
        extent = sizes.of(asked.text, asked.family, asked.bold, asked.size)
        if asked.text not in seen and not _fits(box, extent):
            seen.add(asked.text)
            planned = extent.width * PT_PER_CM, (extent.height + extent.depth) * PT_PER_CM
            place = _place(sheet, asked.text)
            yield Misfit(quoted(asked.text), place, (box.width, box.height + box.depth), planned)


def _described(sheet: Sheet) -> Figure | None:
    """The figure that was drawn; nothing for a file that is not as tikzgen writes it."""
    inside = unseal(sheet.source)
    if inside is None or not any(sign in inside for sign in _SIGNS) or not is_untouched(sheet.source):
        return None
    try:
        return loads(inside)
    except SpecError:
        return None


def _place(sheet: Sheet, text: str) -> Place:
    """Where the description says the text, or where the figure defines its macro."""
    if sheet.described is not None:
        try:
            return said_at(text, loads(sheet.described, name=sheet.name))[1] or Place(sheet.name)
        except SpecError:
            return Place(sheet.name)  # it takes settings from the command line to be one
    body = f"{{{typeset(text).source}}}%"
    rows = enumerate(sheet.source.splitlines(), 1)
    return Place(sheet.name, next((number for number, row in rows if row.startswith("\\def") and body in row), None))


def _true(figure: Figure, sizes: Sizes, source: str) -> dict[Asked, TexBox]:
    """The sizes that the figure's own engine gives to the texts in question; none where it cannot set them."""
    try:
        folders = with_plugins(figure, ())
        scene = layout(figure, wanted(figure, folders), sizes)
        known = {(str(each.text), each.size, each.bold) for each in scene.measured}
        texts = [one for one in sizes.asked if one.raw or (one.text, one.size, one.bold) in known]
        preamble = Preamble(scene.packages, scene.cjk, scene.libraries, folders)
        return measure_texts(texts, preamble, engine_of(source)) if texts else {}
    except (SpecError, LatexError, Unsettable):
        return {}  # another rule, or compiling it, says what is wrong


def _fits(box: TexBox, planned: Extent) -> bool:
    sides = [(box.width, planned.width), (box.height + box.depth, planned.height + planned.depth)]
    return all(
        true - Margin.exact <= ours * PT_PER_CM <= Margin.varying * true + 2 * Margin.slack for true, ours in sides
    )


PLANNED_SIZE = Rule(
    "TG312",
    "planned-size",
    "raw TeX or a measured text is not as large as planned",
    Sheet,
    _planned_size,
    Severity.WARNING,
)


_APART = 0.1
"""pt: what is less far from where TeX has it is at the same place."""


def _drawn_otherwise(subject: Sheet) -> Iterator[Broken]:
    if not subject.by_pdftex or subject.pages > 1:
        return
    try:
        ours = drawn_page(subject.source)
    except Unsupported:
        return  # what takes TeX has no other picture
    theirs = subject.page
    if len(ours.nodes) != len(theirs.nodes):
        yield Broken(subject.whole, f"TeX sets {len(theirs.nodes)} nodes, and {len(ours.nodes)} are drawn", _WAY)
        return
    moved = [(_apart(one, other), other) for one, other in zip(ours.nodes, theirs.nodes, strict=True)]
    far, node = max(moved, key=lambda each: each[0], default=(0.0, None))
    if node is not None and far > _APART:
        place = subject.place(node.where, name=node.name, order=node.order)
        yield Broken(place, f"{subject.node(node)} is drawn {far:.2f} pt from where TeX sets it", _WAY)
    elif (wider := max(abs(ours.width - theirs.width), abs(ours.height - theirs.height))) > _APART:
        yield Broken(subject.whole, f"the page of TeX is {wider:.2f} pt larger or smaller than the drawn one", _WAY)
    elif (found := ink_apart(ours, theirs, _APART)) is not None:
        what, far, where = found
        how_far = f"{far:.2f} pt" if far < FAR else "far"
        yield Broken(subject.place(where), f"{what} is drawn {how_far} from where TeX sets it", _WAY)


def _apart(one: Node, other: Node) -> float:
    """How far two nodes are apart, in pt: their borders, or their middles where these have other corners."""
    if len(one.border) != len(other.border):
        return dist(middle(surround(one.border)), middle(surround(other.border)))
    return max(map(dist, one.border, other.border), default=0.0)


_WAY = "trust TeX's picture, and report it: the two are meant to be the same"

DRAWN_OTHERWISE = Rule(
    "TG316",
    "drawn-otherwise",
    "pdfTeX sets the figure otherwise than it is drawn without TeX",
    Sheet,
    _drawn_otherwise,
    Severity.WARNING,
)
