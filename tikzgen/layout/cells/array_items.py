"""The item of an array: runs of fills, lines, borders, marks, texts and nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.errors import quote
from tikzgen.base.plain_words import count_of
from tikzgen.base.record import replace
from tikzgen.layout.cells.array_sides import LINE_OVERHANG, ArraySides
from tikzgen.layout.cells.cells_facts import APART_SHARE, ArrayFacts, CellsFacts, Fills, spell_tex
from tikzgen.layout.cells.cells_items import ArrayItem, BlockItem, BlockLayer, MarkedCells, RowRuns, RowTexts, SiteNode
from tikzgen.layout.cells.runs import DOTS_SHARE, Lines, Positions, find_lines, find_runs
from tikzgen.layout.symbolic_lengths import Length, number
from tikzgen.model.addresses import name_of_ranges
from tikzgen.model.cells import EMPTY, HOLE, MASKED, CellMark, Rectangle
from tikzgen.text import Text


class ArrayDrawing:
    """The drawing of one array; `wanted` are cells that need a node, by its name."""

    def __init__(self, facts: CellsFacts, one: ArrayFacts, fills: Fills, sides: ArraySides) -> None:
        self.sides = sides
        self.facts, self.one, self.fills, self.array = facts, one, fills, one.array
        self.grid = one.array.grid
        self.stem = facts.name(one.array.id)
        self.written: list[Text] = []
        self.merged = {
            cell: place
            for place, merged in enumerate(self.grid.merged)
            for cell in merged.place.iterate_cells()
            if cell[0] == 0
        }

    def make_item(self, x: Length, y: Length, sites: dict[str, Rectangle]) -> ArrayItem:
        """Return the item of the array whose upper left corner is at a point."""
        one, array = self.one, self.array
        rows = tuple(self._iterate_rows())
        layers, count, columns = array.shape
        size = f"{layers} x {count} x {columns}" if array.has_layers else f"{count} x {columns}"
        texts, nodes = self._make_texts(sites)
        self.written += self.sides.written
        lines = [*self._iterate_lines(), *self._iterate_end_lines()]
        return ArrayItem(
            f"{array.id}: {size}",
            x - one.across.length * one.columns.start,
            y + one.down.length * one.rows.start,
            (str(one.across), str(one.down)),
            rows,
            block=self._make_block(),
            lines=tuple((style, tuple(map(_spell_lines, found))) for style, found in lines if found),
            outline=self._find_outline(),
            boxes=tuple(self._iterate_boxes()),
            halves=tuple(self._iterate_halves()),
            dots=tuple(self._iterate_dots()),
            texts=tuple(texts),
            nodes=tuple(nodes),
            headers=tuple(self.sides.headers),
            looks=tuple(self.fills.looks.items()),
            phases=tuple(self.fills.phases),
            styles=tuple(self._iterate_styles()),
            written=tuple(dict.fromkeys(self.written)),
            remark=self._report_hidden_texts(),
        )

    def _make_block(self) -> BlockItem | None:
        """Return the top and the right side of layers that are seen obliquely."""
        if not self.array.hides_layers:
            return None
        rows, columns = self.one.rows, self.one.columns
        layers, _, count = self.array.shape
        found = []
        for layer in range(layers):
            fills = self.grid.fills[layer]
            top = [fills[0][index] for index in range(count)]
            side = [line[count - 1] for line in fills]
            found.append(BlockLayer(layer, self._spell_runs(top, columns), self._spell_runs(side, rows)))
        texts = []
        for column, start in columns.starts.items():
            text = self.grid.texts.get((layers - 1, 0, column))
            if text:
                self.written.append(text)
                place = Rectangle((layers - 1, layers), (0, 1), (column, column + 1))
                ink = self.fills.find_ink(self.array, self.grid.fills[layers - 1][0][column])
                style = "cell text" + (f", text={ink}" if ink else "")
                texts.append((number(start + 0.5, 4), self.spell_node_name(place), spell_tex(text), style))
        corners = tuple(number(place, 4) for place in (columns.start, rows.start, columns.end, rows.end))
        inner = tuple(tuple(number(place, 4) for place in list(way.starts.values())[1:]) for way in (columns, rows))
        has_empty = any(letter == EMPTY for layer in self.grid.fills for line in layer for letter in line)
        rule = "open rule" if has_empty else "cell rule"
        header = self.facts.plan.labels.find_macro(self.facts.panel.id, f"{self.one.origin} layers header")
        return BlockItem(corners, tuple(found), inner, tuple(texts), header, rule)  # type: ignore[arg-type]

    def _report_hidden_texts(self) -> str:
        """Return a remark on labels that nearer layers hide: all but those of the front and of the last layer's top."""
        last = self.array.shape[0] - 1
        hidden = [text for (layer, row, _), text in self.grid.texts.items() if layer and (layer, row) != (last, 0)]
        if not hidden:
            return ""
        return f"nearer layers hide {count_of(len(hidden), 'text')} of {quote(self.array.id)} (set layers: apart)"

    def _spell_runs(self, line: Sequence[str], along: Positions) -> tuple[tuple[str, str, str], ...]:
        """Return the runs of a line of cells: start, end and style of each."""
        return tuple(
            (number(start, 4), number(start + length, 4), self.fills.find_style(self.array, letter))
            for start, length, letter in find_runs(line, along)
        )

    @property
    def _inset(self) -> float:
        """Share of a row at its top and bottom that stays blank if gaps divide the rows."""
        return (1 - APART_SHARE) / 2 if self.array.rows.apart else 0.0

    def _iterate_rows(self) -> Iterator[RowRuns]:
        """Yield the rows that have fills, with merged regions in their fill."""
        for index, start in self.one.rows.starts.items():
            runs = list(find_runs(self.grid.fills[0][index], self.one.columns))
            if runs:
                made = tuple(
                    (number(at, 4), number(length, 4), self.fills.find_style(self.array, letter))
                    for at, length, letter in runs
                )
                yield RowRuns(number(start + self._inset, 4), made, number(1 - 2 * self._inset, 4))

    def _is_cell(self, row: int, column: int) -> bool:
        return row >= 0 and column >= 0 and self.grid.fills[0][row][column] != HOLE

    def _iterate_lines(self) -> Iterator[tuple[str, tuple[Lines, ...]]]:
        """Yield lines by style: rules between cells, gaps between shards, and borders around holes."""
        rows, columns = self.one.rows, self.one.columns
        fills = self.grid.fills[0]
        has_empty = any(letter == EMPTY for layer in self.grid.fills for line in layer for letter in line)

        def is_inner(row: int, column: int, other: int, next_to: int) -> bool:
            both = self._is_cell(row, column) and self._is_cell(other, next_to)
            merged = self.merged.get((0, row, column), -1)
            return both and (merged == -1 or merged != self.merged.get((0, other, next_to), -1))

        def is_divided(row: int, column: int, other: int, next_to: int) -> bool:
            return is_inner(row, column, other, next_to) and fills[row][column] != fills[other][next_to]

        rule = "open rule" if has_empty else "cell rule"
        found = find_lines(rows, columns, is_inner, outer=False)
        if self.array.rows.apart:
            found = list(self._iterate_upright_rules(found))
        yield rule, tuple(found)
        if self.array.divided:
            yield "shard edge", tuple(find_lines(rows, columns, is_divided, outer=False))
        if self._find_outline() is None and not self.array.rows.apart:

            def is_edge(row: int, column: int, other: int, next_to: int) -> bool:
                return self._is_cell(row, column) != self._is_cell(other, next_to)

            def is_blank(row: int, column: int, other: int, next_to: int) -> bool:
                outer = min(row, column, other, next_to) < 0
                return outer and not self._is_cell(row, column) and not self._is_cell(other, next_to)

            yield "cell edge", tuple(find_lines(rows, columns, is_edge, outer=True))
            yield "hole edge", tuple(find_lines(rows, columns, is_blank, outer=True))

    def _iterate_upright_rules(self, found: Sequence[Lines]) -> Iterator[Lines]:
        """Yield the upright rules of rows that gaps divide, row by row."""
        for way, places, start, end in found:
            rows = [at for at in self.one.rows.starts.values() if start <= at < end] if way == "v" else []
            yield from (("v", places, at + self._inset, at + 1 - self._inset) for at in rows)

    def _iterate_end_lines(self) -> Iterator[tuple[str, tuple[Lines, ...]]]:
        """Yield the heavy lines behind rows and columns."""
        found: list[Lines] = []
        for line in self.array.lines:
            across, unit = (
                (self.one.columns, self.one.across) if line.axis == "rows" else (self.one.rows, self.one.down)
            )
            beyond = LINE_OVERHANG / self.facts.measure(unit.length)
            ends = round(across.start - beyond / 2, 3), round(across.end + beyond, 3)
            found.append(("h" if line.axis == "rows" else "v", (self.sides.find_line_place(line),), *ends))
        if found:
            yield "end line", tuple(found)

    def _find_outline(self) -> tuple[str, str, str, str] | None:
        """Return the corners of the border of an array without holes, dots and gaps."""
        rows, columns = self.one.rows, self.one.columns
        holes = any(letter == HOLE for line in self.grid.fills[0] for letter in line)
        if holes or rows.dots or columns.dots or self.array.rows.apart:
            return None
        return tuple(number(place, 4) for place in (columns.start, rows.start, columns.end, rows.end))  # type: ignore[return-value]

    def _iterate_boxes(self) -> Iterator[MarkedCells]:
        """Yield borders of rows with gaps between them, and marks, by style."""
        if self.array.rows.apart:
            yield MarkedCells("cell edge", tuple(self._iterate_row_borders()))
        for look in ("removed", "held"):
            places = [place for mark in self.array.marks if mark.look == look for place in self._find_mark_box(mark)]
            if places:
                yield MarkedCells(look, tuple(places))

    def _iterate_row_borders(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the border of each run of cells that exist."""
        for index, start in self.one.rows.starts.items():
            line = [EMPTY if letter == HOLE else MASKED for letter in self.grid.fills[0][index]]
            for at, length, _ in find_runs(line, self.one.columns):
                yield tuple(number(each, 4) for each in (at, start + self._inset, length, 1 - 2 * self._inset))  # type: ignore[misc]

    def _find_mark_box(self, mark: CellMark) -> Iterator[tuple[str, str, str, str]]:
        place = self.array.find_checked(mark.at)
        rows, columns = self.one.rows.find_span(place.rows), self.one.columns.find_span(place.columns)
        if rows is not None and columns is not None and place.layers[0] == 0:
            inset = self._inset
            spelled = (columns[0], rows[0] + inset, columns[1] - columns[0], rows[1] - rows[0] - 2 * inset)
            yield tuple(number(each, 4) for each in spelled)  # type: ignore[misc]

    def _iterate_halves(self) -> Iterator[tuple[str, str]]:
        """Yield the cells of which the upper right half is pale."""
        for mark in self.array.marks:
            for layer, row, column in (
                self.array.find_checked(mark.at).iterate_cells() if mark.look == "diagonal" else ()
            ):
                if layer == 0 and row in self.one.rows.starts and column in self.one.columns.starts:
                    yield number(self.one.columns.starts[column], 4), number(self.one.rows.starts[row], 4)

    def _iterate_dots(self) -> Iterator[tuple[str, str, str]]:
        """Yield the three dots of omitted rows and columns: style and middle."""
        rows, columns = self.one.rows, self.one.columns
        middle = number((rows.start + rows.end) / 2, 4), number((columns.start + columns.end) / 2, 4)
        yield from (("level dots", number(at + DOTS_SHARE / 2, 4), middle[0]) for at in columns.dots)
        yield from (("upright dots", middle[1], number(at + DOTS_SHARE / 2, 4)) for at in rows.dots)

    def spell_node_name(self, place: Rectangle) -> str:
        """Return the name of the node over some cells."""
        ranges = [place.layers, place.rows, place.columns] if self.array.has_layers else [place.rows, place.columns]
        return f"{self.stem}-{name_of_ranges(self.array.axes, ranges)}"

    def _make_texts(self, sites: dict[str, Rectangle]) -> tuple[list[RowTexts], list[SiteNode]]:
        """Return the texts by row, and the nodes of merged cells, of other sites and of the array."""
        nodes: list[SiteNode] = [self._make_node(self.stem, self._find_whole())]
        taken = dict(sites)
        texts: list[RowTexts] = []
        for row in self.one.rows.starts:
            texts += self._iterate_row_texts(row, taken, nodes)
        for labeled in self.grid.labeled:
            region = self.array.regions[labeled.region]
            name = self.spell_node_name(labeled.place)
            taken.pop(name, None)
            row, column = labeled.place.rows[0], labeled.place.columns[0]
            letter = self.grid.fills[labeled.place.layers[0]][row][column]
            styles = ["cell text"]
            if letter not in (EMPTY, HOLE) and not region.merged:
                styles.append(self.fills.find_style(self.array, letter))
            elif ink := self.fills.find_ink(self.array, letter):
                styles.append(f"text={ink}")
            self.written.append(region.label)
            if self._find_box(labeled.place) is None:
                continue
            node = self._make_node(name, labeled.place, region.label, tuple(styles), sized=name in sites)
            backed = len(styles) > 1 and not region.merged and name not in sites
            spans = (labeled.place.columns, labeled.place.rows)
            backing = tuple(str(max(1, (end - start) // 2)) for start, end in spans)  # rules end at its border
            nodes.append(replace(node, size=backing) if backed else node)
        for name, place in taken.items():
            if self._find_box(place) is not None:
                nodes.append(replace(self._make_node(name, place), pads=self.sides.find_pads(place)))
        return texts, nodes

    def _iterate_row_texts(self, row: int, taken: dict[str, Rectangle], nodes: list[SiteNode]) -> Iterator[RowTexts]:
        """Yield the texts of a row, those of equal color together; cells at which something ends are nodes."""
        by_ink: dict[tuple[str, bool], list[tuple[str, str, str]]] = {}
        for column, start in self.one.columns.starts.items():
            text = self.grid.texts.get((0, row, column))
            if not text:
                continue
            self.written.append(text)
            ink = self.fills.find_ink(self.array, self.grid.fills[0][row][column])
            place = Rectangle((0, 1), (row, row + 1), (column, column + 1))
            name = self.spell_node_name(place)
            if name in taken:
                del taken[name]
                styles = ("cell text", *([f"text={ink}"] if ink else []))
                nodes.append(self._make_node(name, place, text, styles, sized=True))
                continue
            same = start == self.array.columns.first + column
            end = name.removeprefix(self._spell_row_stem(row))
            by_ink.setdefault((ink, same), []).append((number(start, 4), end, spell_tex(text)))
        at = number(self.one.rows.starts[row] + 0.5, 4)
        for (ink, _), found in by_ink.items():
            yield RowTexts(at, self._spell_row_stem(row), tuple(found), ink)

    def _spell_row_stem(self, row: int) -> str:
        layer = "0-" if self.array.has_layers else ""
        return f"{self.stem}-{layer}{self.array.rows.first + row}-"

    def _find_whole(self) -> Rectangle:
        layers, rows, columns = self.array.shape
        return Rectangle((0, layers), (0, rows), (0, columns))

    def _find_box(self, place: Rectangle) -> tuple[float, float, float, float] | None:
        rows, columns = self.one.rows.find_span(place.rows), self.one.columns.find_span(place.columns)
        return None if rows is None or columns is None else (columns[0], rows[0], columns[1], rows[1])

    def _make_node(
        self, name: str, place: Rectangle, text: Text = "", styles: Sequence[str] = (), *, sized: bool = True
    ) -> SiteNode:
        box = self._find_box(place)
        assert box is not None
        left, top, right, bottom = box
        size = (number(right - left, 4), number(bottom - top - 2 * self._inset, 4)) if sized else ("", "")
        at = number((left + right) / 2, 4), number((top + bottom) / 2, 4)
        return SiteNode(name, at, size, spell_tex(text) if text else "", tuple(styles))

    def _iterate_styles(self) -> Iterator[str]:
        yield from self.fills.styles
        if self.array.lines:
            yield "end line"
        yield from (style for style, lines in self._iterate_lines() if lines)
        yield from ("cell edge", "cell site")
        if self.array.hides_layers:
            yield from ("block top", "block side", "header")
        if self.grid.texts or self.grid.labeled:
            yield "cell text"
        yield from (boxes.style for boxes in self._iterate_boxes())
        if any(mark.look == "diagonal" for mark in self.array.marks):
            yield "diagonal"
        if self.sides.headers:
            yield "header"
        if self.one.rows.dots or self.one.columns.dots:
            yield from (style for style, _, _ in self._iterate_dots())


def _spell_lines(lines: Lines) -> tuple[str, tuple[str, ...], str, str]:
    """Return parallel lines as a file states them."""
    way, places, start, end = lines
    return way, tuple(number(place, 4) for place in places), number(start, 4), number(end, 4)
