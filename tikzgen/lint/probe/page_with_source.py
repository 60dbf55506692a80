"""Subject of the geometry rules: a page of a figure, with its source and its target width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tikzgen.base.errors import Place
from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import CM_PER_PT, Box, compute_bounding_box, is_point_inside
from tikzgen.base.record import Record, WithCache
from tikzgen.lint.inventory import LABEL
from tikzgen.lint.probe.drawn_elements import Element, elements_of, patterns_of
from tikzgen.lint.probe.links_on_page import Joined, OpenPath, links_of, targets_of
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage, TextLine, Where
from tikzgen.lint.probe.page_index import PageIndex
from tikzgen.texfile import pairs_of_flow, scan

_LEAST_TEXT_CHARS = 3  # letters: a shorter label does not identify its origin in a description
_LOOP_LINES = 100  # lines of source: longer loops are rare
_NODE_NAME = pattern_of(r"\(([^()\s,=]+)\)")
_MACRO = pattern_of(r"\\[A-Za-z]+")
_PICTURE = pattern_of(r"\\begin\s*\{tikzpicture\}|\\tikz\b")
_NODE = pattern_of(r"(?:\\|\b)node\b")


def is_fragment(source: str) -> bool:
    """Return whether a .tex file draws something and is not a document."""
    return "\\documentclass" not in source and _PICTURE.search(source) is not None


class Sheet(WithCache, Record):
    """A page of the file `name`. `width` is the width of the column in cm.

    `described` is the text of `name` if that is a description, from which `source` was made. `number` counts the pages
    of a document from 1, `pages` is their number. `by_pdftex` is true if pdfTeX set it: drawings without TeX must
    agree with it.
    """

    name: str
    source: str
    page: PageData
    width: float | None = None
    described: str | None = None
    number: int = 1
    pages: int = 1
    by_pdftex: bool = False

    @cached_property
    def view(self) -> PageIndex:
        """Index of the page."""
        return PageIndex(self.page)

    @cached_property
    def links(self) -> tuple[OpenPath, ...]:
        """Open paths, with their heads."""
        return links_of(self.page)

    @cached_property
    def targets(self) -> tuple[Joined, ...]:
        """Boxes that links can join."""
        return targets_of(self.view)

    @cached_property
    def texts(self) -> tuple[Box, ...]:
        """Boxes of all labels; the box of a caption is its node, which has room for descenders."""
        nodes = {line.node for line in self.page.lines}
        captions = (compute_bounding_box(node.border) for node in self.page.nodes if node.id in nodes and node.border)
        return (*captions, *(line.box for line in self.page.lines))

    @cached_property
    def spans(self) -> frozenset[str]:
        """Names of the nodes that are spans: their times fix their positions, so links may have to cross them."""
        from tikzgen.lint.drawn_bars import find_bars  # few figures have a link through a box

        return frozenset(bar.name for bar in find_bars(scan(self.source)) if bar.name)

    @cached_property
    def _ends(self) -> dict[int, frozenset[str]]:
        """Names of the nodes at which the flows in a line end, by the number of the line."""
        facts = scan(self.source)
        found: dict[int, frozenset[str]] = {}
        for flow in facts.flows:
            span = facts.find_whole_span(flow.statement)
            names = frozenset(name.removesuffix(LABEL) for pair in pairs_of_flow(facts, flow) for name in pair)
            for line in range(facts.lines.find_line(span.start), facts.lines.find_line(span.end) + 1):
                found[line] = found.get(line, frozenset()) | names
        return found

    def find_ends(self, where: Where) -> frozenset[str]:
        """Return the names of the nodes at which the flows in some lines end; empty for another file."""
        lines = () if where.file else range(where.first, where.last + 1)
        return frozenset(name for line in lines for name in self._ends.get(line, ()))

    @cached_property
    def is_tikzgen_figure(self) -> bool:
        """Whether tikzgen's conventions for sizes and colors apply: third-party drawings have others."""
        from tikzgen.lint.written_tex import names_palette  # few figures have labels near their frames

        return self.described is not None or names_palette(scan(self.source))

    @cached_property
    def is_figure_alone(self) -> bool:
        """Whether the page is the figure, not a page that contains a figure."""
        return "{standalone}" in self.source or is_fragment(self.source)

    @cached_property
    def scale(self) -> float:
        """Factor that scales the page to the column; 1 if it fits, or if it is not a figure alone."""
        wide = self.page.width * CM_PER_PT
        return min(1.0, self.width / wide) if self.width and wide and self.is_figure_alone else 1.0

    @property
    def place_of_file(self) -> Place:
        """Location of the file."""
        return Place(self.name)

    @cached_property
    def wide(self) -> frozenset[int]:
        """Orders of the lines that extend beyond their own box: TG305 reports them, other rules skip them."""
        return frozenset(overflow.line.order for overflow in self.overflows)

    @cached_property
    def overflows(self) -> tuple[Overflow, ...]:
        """Every line of text that extends beyond the box that contains it."""
        return tuple(_find_overflows(self.page, self.view))

    @cached_property
    def _rows(self) -> list[str]:
        return self.source.splitlines()

    def place_of(self, where: Where, *, words: str = "", name: str = "", order: int = 0) -> Place:
        """Return the location of an element: in the .tex, or in the description if its text is unique there."""
        if self.described is not None:
            return self._place_in_spec(words, name, where)
        if where.file:
            return Place(where.file, where.last or None)
        if not 0 < where.first <= len(self._rows):
            return Place(self.name)
        row = self._rows[where.first - 1]
        column = row.find(f"({name})") if name else -1
        if column < 0 and name and (before := self._find_node_before(where.first, name)):
            return Place(self.name, *before)
        if column < 0:
            nodes = [found.start() for found in _NODE.finditer(row)]
            column = nodes[order] if order < len(nodes) and words else len(row) - len(row.lstrip())
        return Place(self.name, where.first, column + 1)

    def _find_node_before(self, last: int, name: str) -> tuple[int, int] | None:
        """Return line and column of a node in a loop or a frame of slides: TeX knows only their last line."""
        for number in range(last, max(last - _LOOP_LINES, 0), -1):
            row = self._rows[number - 1]
            for found in _NODE_NAME.finditer(row) if _NODE.search(row) else ():
                # A macro in the name represents the value of a loop variable.
                pattern = _MACRO.sub(".+", re.escape(found[1]).replace(r"\\", "\\"))
                if re.fullmatch(pattern, name):
                    return number, found.start() + 1
        return None

    def _place_in_spec(self, words: str, name: str, where: Where) -> Place:
        """Return the location in the description, if it contains the label, or the id, exactly once."""
        text = self.described or ""
        told = [re.escape(words)] if len(words) > _LEAST_TEXT_CHARS else []
        told += [rf"(?<=\bid: ){re.escape(part)}\b" for part in (name, name.partition("-")[2]) if part]
        if not name and (element := self._find_element(where)):
            told += patterns_of(element)
        for pattern in told:
            found = list(re.finditer(pattern, text))
            if len(found) == 1:
                return self._locate_character(found[0].start())
        return Place(self.name)

    def _locate_character(self, at: int) -> Place:
        """Return the location of a character of the spec."""
        text = self.described or ""
        return Place(self.name, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))

    def find_phase(self, swatch: str) -> tuple[str, Place | None]:
        """Return the phase of a legend entry and the location of its style in the spec; empty if not there."""
        name = swatch.removeprefix("legend-")
        found = re.search(rf"(?<![\w-]){re.escape(name)}(?=:)", self.described or "") if name != swatch else None
        if found is None:
            return "", None
        return name, self._locate_character(found.start())

    def locate_text(self, line: TextLine) -> Place:
        """Return the location of a line of text."""
        node = self.view.nodes.get(line.node) if line.node is not None else None
        if node is None:
            return self.place_of(line.where, words=line.words)
        return self.place_of(node.where, words=line.words, name=node.name, order=node.order)

    def locate_path(self, path: PathOnPage) -> Place:
        """Return the location of a path, or of the node whose border it is."""
        node = self.view.nodes.get(path.nodes[-1]) if path.nodes else None
        return (
            self.place_of(path.where) if node is None else self.place_of(node.where, name=node.name, order=node.order)
        )

    def describe_text(self, line: TextLine) -> str:
        """Return `"push (P)"`, followed by the name of its node if it has one."""
        node = self.view.nodes.get(line.node) if line.node is not None else None
        short = line.words if len(line.words) <= 40 else f"{line.words[:37]}..."
        return f'"{short}"' + (f" ({node.name})" if node is not None and node.name else "")

    def describe_path(self, path: PathOnPage) -> str:
        """Describe a path: `node w1`, `the border of a node in line 12` or `the path in line 7`."""
        for number in reversed(path.nodes):
            node = self.view.nodes.get(number)
            if node is not None and node.name:
                return f"node {node.name}"
        kind = "a node" if path.nodes else "the path"
        return self._in_spec(path.where) or f"{kind} in {self.describe_line(path.where)}"

    def describe_node(self, node: NodeOnPage) -> str:
        """Return `node w1`, or `the node in line 12`."""
        if node.name:
            return f"node {node.name}"
        if self.described is not None and (lines := self.view.lines_of.get(node.id)):
            return f"text {self.describe_text(lines[0])}"
        return self._in_spec(node.where) or f"the node in {self.describe_line(node.where)}"

    def _in_spec(self, where: Where) -> str:
        """Return the words of a spec for an element that a line of its .tex draws; empty for other subjects."""
        element = self._find_element(where) if self.described is not None else None
        return element.words if element is not None else ""

    def find_style(self, path: PathOnPage) -> str:
        """Return the style of the element that a path draws, or an empty string."""
        element = self._find_element(path.where)
        return element.style if element is not None else ""

    def _find_element(self, where: Where) -> Element | None:
        return None if where.file else self._elements.get(where.first)

    @cached_property
    def _elements(self) -> dict[int, Element]:
        return elements_of(scan(self.source))

    def describe_line(self, where: Where) -> str:
        """Return `line 7`, with the file if it is another one."""
        of = f" of {where.file}" if where.file else " of the .tex" if self.described is not None else ""
        return f"line {where.first}{of}"


def spell_cm(points: float) -> str:
    """Return a length for people: `0.12 cm`."""
    return f"{points * CM_PER_PT:.2f} cm"


_OVERHANG_PT = 0.3  # pt


class Overflow(Record):
    """A line of text that extends `beyond` its box, in pt; `room` is the box's extent in that direction."""

    line: TextLine
    beyond: float
    room: float
    wide: bool


def _find_overflows(page: PageData, view: PageIndex) -> Iterator[Overflow]:
    for line in page.lines:
        box = _box_of(page, view, line)
        if box is None:
            continue
        across = max(box[0] - line.box[0], line.box[2] - box[2])
        upwards = max(box[1] - line.box[1], line.box[3] - box[3])
        if max(across, upwards) > _OVERHANG_PT:
            wide = across >= upwards
            yield Overflow(line, max(across, upwards), box[2] - box[0] if wide else box[3] - box[1], wide)


def _box_of(page: PageData, view: PageIndex, line: TextLine) -> Box | None:
    """Return the visible box around a line of text; None without one.

    It is the box of its node, or the filled cell of a row that contains its middle.
    """
    if line.node is not None:
        border = view.find_border(line.node)
        seen = border is not None and (border.stroke is not None or border.fill != page.paper)
        return border.box if border is not None and seen else None
    middle = (sum(x for x, _ in line.corners) / 4, sum(y for _, y in line.corners) / 4)
    rows = view.paint_before(line.order)
    cells = [
        piece
        for piece in view.find_pieces_near((*middle, *middle))
        if len(piece.path.lines) > 1
        and not piece.path.nodes
        and piece.path.fill is not None
        and piece.path.paint == rows
        and is_point_inside(piece.lines, middle)
    ]
    return cells[-1].box if cells else None
