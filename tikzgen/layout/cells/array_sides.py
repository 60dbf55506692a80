"""What stands along the four sides of an array, from the inside out: headers, groups, labels, braces, its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tikzgen.layout.cells.cells_facts import ArrayFacts, CellsFacts, is_numbered, spell_tex
from tikzgen.layout.cells.cells_items import GroupLineItem, HeaderRow, TextItem
from tikzgen.layout.cells.runs import Positions
from tikzgen.layout.constants import CURL, INNER
from tikzgen.layout.scene.items import Item, SpanningItem
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, SymbolicBox, make_length, number
from tikzgen.model.addresses import Range
from tikzgen.model.cells import CellBrace, CellLine, Header, Rectangle
from tikzgen.text import Text, fill_number, fill_placeholders

Side = Literal["above", "below", "left", "right"]
HEADER_INNER = 0.053  # cm around a header
_HEADER_GAP = 0.1  # cm between two numbers along a side
_GROUP_GAP = 0.06  # cm between a header and the line below its groups
STUB_CM = 0.4
"""Length of the stubs of a flow that wraps around an array, beyond its cells."""
LINE_OVERHANG = 0.1  # cm by which a heavy line extends beyond its array
_BRACE_GAP = 0.08  # cm between a brace and what it spans
_BEHIND: tuple[Side, ...] = ("above", "right")
"""Sides at which the layers behind the first one are."""
_BESIDE: tuple[Side, ...] = ("left", "right")
_POWERS_COUNT = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_ROUND_COUNT = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_ANCHORS: dict[Side, str] = {"above": "south", "below": "north", "left": "east", "right": "west"}


class ArraySides:
    """The elements beside one array, around its upper left corner; `out` is how far each side reaches."""

    def __init__(self, facts: CellsFacts, one: ArrayFacts) -> None:
        self.facts, self.one, self.array = facts, one, one.array
        self.items: list[Item] = []
        self.headers: list[HeaderRow] = []
        self.boxes: list[SymbolicBox] = []
        self.labels: list[SymbolicBox] = []
        self.written: list[Text] = []
        behind = one.array.shape[0] - 1 if one.array.hides_layers else 0
        self.depth = behind + 1 if behind else 0
        self.out: dict[Side, Length] = {
            "above": make_length("depthy", self.depth) if self.depth else ZERO,
            "below": ZERO,
            "left": ZERO,
            "right": make_length("depthx", self.depth) if self.depth else ZERO,
        }
        self._header_depths: dict[str, dict[int, float]] = {}
        self._add_headers()
        for axis in ("columns", "rows"):
            self._add_groups(axis)
            self._add_axis_label(axis)

    @property
    def box(self) -> SymbolicBox:
        """The cells with everything at their sides."""
        out = self.out
        return SymbolicBox(-out["left"], -self.one.height - out["below"], self.one.width + out["right"], out["above"])

    def _find_sides(self, axis: str) -> tuple[Side, Side]:
        """Return the sides before and after the rows or columns; in front of a block, columns have theirs below."""
        if axis == "rows":
            return "left", "right"
        return ("below", "above") if self.depth else ("above", "below")

    def _find_header(self, axis: str) -> tuple[Header, Positions, int]:
        if axis == "rows":
            return self.array.rows, self.one.rows, self.array.shape[1]
        return self.array.columns, self.one.columns, self.array.shape[2]

    def _add_headers(self) -> None:
        for axis in ("columns", "rows"):
            header, _, _ = self._find_header(axis)
            before, after = self._find_sides(axis)
            if header.has_side_before:
                self._add_header(axis, before, header.texts)
            if header.has_side_after:
                self._add_header(axis, after, header.after or header.texts)
        if self.depth:
            self._add_layer_numbers()

    def _add_header(self, axis: str, side: Side, texts: Sequence[Text]) -> None:
        header, positions, _ = self._find_header(axis)
        unit = self.one.down if axis == "rows" else self.one.across
        shown = {index: texts[index] if texts else header.text_of(index) for index in positions.starts}
        sizes = [self.facts.plan.measure(text) for text in dict.fromkeys(shown.values()) if text]
        if not sizes:
            return
        long = max(size.total if axis == "rows" else size.width for size in sizes)
        deep = max(size.width if axis == "rows" else size.total for size in sizes)
        every = shown
        if is_numbered(texts, header.text):
            step = _choose_step(len(shown), (long + _HEADER_GAP) / self.facts.measure(unit.length))
            shown = {index: text for index, text in shown.items() if (header.first + index) % step == 0}
        edge = {"above": self.one.rows.start, "below": self.one.rows.end, "left": self.one.columns.start}
        fixed = edge.get(side, self.one.columns.end)
        places = tuple(number(positions.starts[index], 4) for index in shown)
        if self.depth and side in _BEHIND:
            return  # layers cover the area
        macro = (
            "" if texts else self.facts.plan.labels.find_macro(self.facts.panel.id, f"{self.one.origin} {axis} header")
        )
        plain = () if not texts and (macro or is_numbered((), header.text)) else tuple(map(spell_tex, shown.values()))
        self.written += shown.values() if plain else ()
        numbers = tuple(str(header.first + index) for index in shown)
        self.headers.append(
            HeaderRow("y" if axis == "rows" else "x", _ANCHORS[side], number(fixed, 4), places, plain or numbers, macro)
        )
        same = axis == "columns" or len(shown) < len(every)  # one baseline, or numbers between the shown ones
        self._header_depths[side] = {
            index: (deep if same else self.facts.plan.measure(text).width) + 2 * HEADER_INNER if text else 0.0
            for index, text in every.items()
        }
        self.out[side] = self.out[side] + (deep + 2 * HEADER_INNER)

    def _add_layer_numbers(self) -> None:
        """Reserve the space of the header of layers at the lower right edge of a block."""
        header = self.array.layers.text
        texts = [fill_number(header, layer) for layer in range(self.array.shape[0])]
        wide = max(self.facts.plan.measure(text).width for text in texts) + 2 * HEADER_INNER + 0.05
        self.out["right"] = self.out["right"] + wide

    def _add_groups(self, axis: str) -> None:
        header, positions, count = self._find_header(axis)
        side = self._find_sides(axis)[0]
        if not header.groups:
            return
        deepest = 0.0
        for place, group in enumerate(header.groups):
            found = header.find_range(group.cells, axis.removesuffix("s"), count)
            span = positions.find_span(found) if isinstance(found, tuple) else None
            if span is None:
                continue
            size = self.facts.plan.measure(group.label)
            turned = axis == "rows" and size.width <= self.facts.measure(self.one.down.length * (span[1] - span[0]))
            deepest = max(deepest, size.total if axis == "columns" or turned else size.width)
            start, end = (self._find_point(side, at, _GROUP_GAP) for at in (span[0] + 0.1, span[1] - 0.1))
            self.items.append(GroupLineItem(start, end))
            macro = self.facts.find_macro("arrays", self.one.index, axis, "groups", place, "label")
            middle = self._find_point(side, (span[0] + span[1]) / 2, _GROUP_GAP + 0.01)
            self._add_text(macro, middle, side, size.width, size.total, turned=turned)
        self.out[side] = self.out[side] + (deepest + 2 * INNER + _GROUP_GAP)

    def _add_axis_label(self, axis: str) -> None:
        header, positions, _ = self._find_header(axis)
        if not header.label:
            return
        side = self._find_sides(axis)[0]
        size = self.facts.plan.measure(header.label)
        long = self.one.height if axis == "rows" else self.one.width
        turned = axis == "rows" and size.width <= self.facts.measure(long)
        middle = self._find_point(side, (positions.start + positions.end) / 2, 0.0)
        macro = self.facts.find_macro("arrays", self.one.index, axis, "label")
        self._add_text(macro, middle, side, size.width, size.total, turned=turned)
        deep = size.total if axis == "columns" or turned else size.width
        self.out[side] = self.out[side] + (deep + 2 * INNER)

    def _find_point(self, side: Side, place: float, beyond: float) -> Pair:
        """Return the point at a place along a side, beyond everything there."""
        out = self.out[side] + beyond
        x = self.one.across.length * (place - self.one.columns.start)
        y = -(self.one.down.length * (place - self.one.rows.start))
        points: dict[Side, Pair] = {
            "above": (x, out),
            "below": (x, -self.one.height - out),
            "left": (-out, y),
            "right": (self.one.width + out, y),
        }
        return points[side]

    def _add_text(self, macro: str, at: Pair, side: Side, wide: float, tall: float, *, turned: bool) -> None:
        anchor = ("south" if side == "left" else "north") if turned else _ANCHORS[side]
        self.items.append(TextItem(macro, at, anchor, rotate=turned))
        across, up = (tall, wide) if turned else (wide, tall)
        self._reserve_space(at, side, across + 2 * INNER, up + 2 * INNER)

    def add_braces(self, braces: Sequence[tuple[int, CellBrace, str, tuple[float, float]]]) -> None:
        """Add braces: index, brace, axis, and the places of their ends; braces of one side share a level."""
        deepest: dict[Side, float] = {}
        for index, brace, axis, (start, end) in braces:
            before, after = self._find_sides(axis)
            side = before if brace.side == "before" else after
            size = self.facts.plan.measure(brace.label)
            long = self.facts.measure((self.one.down if axis == "rows" else self.one.across).length * (end - start))
            turned = axis == "rows" and size.width <= long
            tip = self._find_point(side, (start + end) / 2, _BRACE_GAP)
            ends = [self._find_point(side, at, _BRACE_GAP) for at in (start, end)]
            low, high = ends if axis == "columns" else ends[::-1]
            anchor = ("south" if side == "left" else "north") if turned else _ANCHORS[side]
            macro = self.facts.find_macro("braces", index, "label")
            upright = axis == "rows" and not turned
            self.items.append(SpanningItem(low, tip, high, side, "" if upright else macro, anchor))
            if upright:
                self.items.append(TextItem(macro, self._find_point(side, (start + end) / 2, _BRACE_GAP + CURL), anchor))
            deep = (size.total if axis == "columns" or turned else size.width) + 2 * INNER
            outer = self._find_point(side, (start + end) / 2, _BRACE_GAP + CURL)
            wide = size.width if not turned else size.total
            tall = size.total if not turned else size.width
            self._reserve_space(outer, side, wide + 2 * INNER, tall + 2 * INNER)
            deepest[side] = max(deepest.get(side, 0.0), _BRACE_GAP + CURL + deep)
        for side, deep in deepest.items():
            self.out[side] = self.out[side] + deep

    def _reserve_space(self, at: Pair, side: Side, across: float, up: float) -> None:
        x, y = at
        shares: dict[Side, tuple[float, float]] = {
            "above": (0.5, 0.0),
            "below": (0.5, 1.0),
            "left": (1.0, 0.5),
            "right": (0.0, 0.5),
        }
        left, bottom = x - across * shares[side][0], y - up * shares[side][1]
        box = SymbolicBox(left, bottom, left + across, bottom + up)
        self.boxes.append(box)
        self.labels.append(box)

    def measure_headers(self, side: str, cells: Rectangle) -> tuple[float, float]:
        """Return the depths of the headers of cells at a side, and of all headers there."""
        depths = self._header_depths.get(side, {})
        span = cells.rows if side in _BESIDE else cells.columns
        return max((depths.get(index, 0.0) for index in range(*span)), default=0.0), max(depths.values(), default=0.0)

    def find_pads(self, cells: Rectangle) -> tuple[float, float, float, float]:
        """Return the depths of the headers left of, right of, above and below cells, for whole rows and columns."""
        _, rows, columns = self.array.shape
        row, column = cells.columns == (0, columns), cells.rows == (0, rows)
        if cells.rows[1] - cells.rows[0] == cells.columns[1] - cells.columns[0] == 1:
            return 0.0, 0.0, 0.0, 0.0  # one cell, which may have a label
        left, right, above, below = (
            self.measure_headers(side, cells)[0] for side in ("left", "right", "above", "below")
        )
        across = (left, right) if row and not column else (0.0, 0.0)
        up = (above, below) if column and not row else (0.0, 0.0)
        return (*across, *up)

    def reserve_stubs(self, sides: Sequence[str]) -> None:
        """Reserve the space of the stubs of flows that wrap around the array."""
        for side in self.out:
            if side in sides:
                self.out[side] = self.out[side] + STUB_CM

    def add_lines(self) -> None:
        """Add the labels of heavy lines: below a line behind a column, right of one behind a row."""
        deepest: dict[Side, float] = {}
        for place, line in enumerate(self.array.lines):
            if not line.label:
                continue
            side: Side = "right" if line.axis == "rows" else "below"
            size = self.facts.plan.measure(line.label)
            at = self._find_point(side, self.find_line_place(line), LINE_OVERHANG)
            macro = self.facts.find_macro("arrays", self.one.index, "lines", place, "label")
            self._add_text(macro, at, side, size.width, size.total, turned=False)
            deep = (size.width if side == "right" else size.total) + 2 * INNER + LINE_OVERHANG
            deepest[side] = max(deepest.get(side, 0.0), deep)
        for side, deep in deepest.items():
            self.out[side] = self.out[side] + deep

    def find_line_place(self, line: CellLine) -> float:
        """Return the place of a heavy line, in cells."""
        header, positions, _ = self._find_header(line.axis)
        index = header.ids.index(line.after) if isinstance(line.after, str) else line.after - header.first
        return positions.start if index < 0 else positions.starts[index] + 1

    def add_name(self) -> None:
        """Add the label of the array, beyond everything at its side."""
        label, layer = self.array.label, self._layer_format
        if not label and layer is None:
            return
        sides: dict[str, Side] = {"above": "above", "below": "below", "before": "left", "after": "right"}
        side = sides[self.array.label_at]
        size = self.facts.plan.measure(self._spell_name(label))
        level = side in _BESIDE
        positions = self.one.rows if level else self.one.columns
        at = self._find_point(side, (positions.start + positions.end) / 2, 0.0)
        macro = self.facts.find_macro("arrays", self.one.index, "label")
        wide = size.width + 2 * INNER
        anchor = _ANCHORS[side]
        leaves = self.one.is_joined and self.array.beside is not None and self.array.is_level
        if leaves and not level and wide > self.facts.measure(self.one.width):
            outer, toward = ("east", 1) if self.array.side == "right" else ("west", -1)
            edge = self.one.width if toward > 0 else ZERO
            corner = edge, at[1]
            self.items.append(TextItem(macro, corner, f"{anchor} {outer}", styles=("array name",), layer=layer))
            at = edge - toward * wide / 2, at[1]
        else:
            self.items.append(TextItem(macro, at, anchor, styles=("array name",), layer=layer))
        self._reserve_space(at, side, wide, size.total + 2 * INNER)
        self.out[side] = self.out[side] + ((size.width if level else size.total) + 2 * INNER)

    @property
    def _layer_format(self) -> tuple[str, str] | None:
        """The macro of the header of layers, which may be empty, and the number of the layer, if it is apart."""
        if self.one.layer is None:
            return None
        macro = self.facts.plan.labels.find_macro(self.facts.panel.id, f"{self.one.origin} layers header")
        return macro, str(self.one.layer)

    def _spell_name(self, label: Text) -> Text:
        """Return the label of the array as it is drawn, with the header of its layer if that is apart."""
        if self.one.layer is None:
            return label
        origin = self.facts.part.arrays[self.one.index]
        layer = fill_number(origin.layers.text, self.one.layer)
        return fill_placeholders("{label}, {layer}", label=label, layer=layer) if label else layer

    def iterate_boxes(self) -> Iterator[SymbolicBox]:
        """Yield the areas of the array and of the labels at its sides."""
        yield self.box
        yield from self.boxes


def _choose_step(count: int, needed: float) -> int:
    """Return every how many numbers are shown, if each needs the space of so many."""
    steps = _POWERS_COUNT if count & (count - 1) == 0 else _ROUND_COUNT
    return next((step for step in steps if step >= needed), steps[-1])


def choose_brace_axis(brace: CellBrace, rows: Range, columns: Range, shape: tuple[int, int, int]) -> str:
    """Return whether a brace runs along rows or along columns."""
    if brace.axis is not None:
        return brace.axis
    every_row = rows == (0, shape[1]) and columns != (0, shape[2])
    return "columns" if every_row or rows[1] - rows[0] == 1 else "rows"
