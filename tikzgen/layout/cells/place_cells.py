"""Layout of a figure of cells: arrays, bars below them, flows, notes, and the possible ends of links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tikzgen.base.plane import CM_PER_PT
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed
from tikzgen.layout.cells.array_items import ArrayDrawing
from tikzgen.layout.cells.array_sides import ArraySides
from tikzgen.layout.cells.cell_flows import CellFlowEnd, draw_flow, spread_ends
from tikzgen.layout.cells.cells_facts import CellsFacts, Fills, find_cell_needs
from tikzgen.layout.cells.cells_items import EntryItem
from tikzgen.layout.cells.place_arrays import (
    arrange_clusters,
    choose_columns,
    find_arrangement_needs,
    make_clusters,
    make_sides,
)
from tikzgen.layout.cells.size_bars import PlacedBars, find_bar_needs, place_bars
from tikzgen.layout.constants import LABEL_INNER_PT
from tikzgen.layout.layout_kinds import Linked
from tikzgen.layout.page.links_across import Site
from tikzgen.layout.place_free_notes import Taken, place_free_notes
from tikzgen.layout.scene.items import AsideItem, Item, NoteItem
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, SymbolicBox, union
from tikzgen.model.addresses import read_address
from tikzgen.model.cells import CellElement, Rectangle, SizeBar

_BARS_GAP = 0.6  # cm between arrays and bars
_ENTRY_GAP = 0.15  # cm between arrays and the head of the arrow to them
_ENTRY_HEAD = 0.4  # cm by which this arrow is longer than its label
_LEAST_ENTRY = 0.8  # cm
Segments: TypeAlias = dict[str, tuple[SizeBar, tuple[int, int]]]


def find_distances(facts: CellsFacts) -> dict[str, DistanceNeed]:
    """Return the distances that a figure of cells uses."""
    return {
        **find_cell_needs(facts),
        **find_arrangement_needs(facts.plan, facts),
        **find_bar_needs(facts.plan, facts.part),
    }


class _Ends(Record):
    """Elements at which something ends, by address; cells by node name and array, and segments of bars by name."""

    elements: Mapping[str, CellElement]
    cells: Mapping[str, Mapping[str, Rectangle]]
    segments: Segments


def place_cells(facts: CellsFacts, linked: Linked) -> PlacedPart:
    """Lay out a figure of cells."""
    plan = facts.plan
    sides = make_sides(facts)
    clusters = make_clusters(facts, sides)
    ends = _collect_ends(facts, linked)
    places: dict[str, Pair] = {}
    if clusters:
        columns = choose_columns(facts, find_distances(facts), clusters)
        places = arrange_clusters(facts, clusters, columns)
    boxes = [box.move_by(*places[name]) for name, one in sides.items() for box in one.iterate_boxes()]
    bars, shift = _place_bars_below(facts, ends.segments, boxes)
    extent = union([*boxes, *([bars.extent.move_by(*shift)] if bars else [])], plan.values)
    outlines = dict(_iterate_outlines(facts, sides, places, ends))
    if bars:
        outlines |= {name: box.move_by(*shift) for name, box in bars.outlines.items()}
    flows, areas = _draw_flows(facts, sides, ends, outlines)
    extent = union([extent, *areas], plan.values)
    notes, extent = _place_notes(facts, sides, places, ends, outlines, extent, (bars, shift), areas)
    entry, extent = _place_entry(facts, extent)
    items = (
        () if plan.rough else tuple(_iterate_items(facts, sides, places, ends, (bars, shift), [*flows, *notes, *entry]))
    )
    texts = [box.move_by(*places[name]) for name, one in sides.items() for box in one.labels]
    return PlacedPart(
        items=items,
        extent=extent,
        outlines=outlines if plan.figure.links else {},
        texts=tuple(("", box) for box in texts) if plan.figure.links else (),
        sites=dict(_iterate_sites(facts, ends, linked)) if plan.figure.links else {},
    )


def _place_bars_below(
    facts: CellsFacts, segments: Segments, boxes: list[SymbolicBox]
) -> tuple[PlacedBars | None, Pair]:
    """Return the bars with their shift below the arrays."""
    if not facts.part.bars:
        return None, (ZERO, ZERO)
    bars = place_bars(facts, segments)
    if not boxes:
        return bars, (ZERO, ZERO)
    around = union(boxes, facts.plan.values)
    return bars, (around.left - bars.extent.left, around.bottom - _BARS_GAP - bars.extent.top)


def _collect_ends(facts: CellsFacts, linked: Linked) -> _Ends:
    """Return everything at which a flow, a note or a link ends."""
    part = facts.part
    flows = {flow.id for flow in part.flows if flow.id}
    named = [end for flow in part.flows for end in (flow.source, flow.target)]
    named += [end for end, _ in linked]
    quiet = [note.about for note in part.notes if note.about]
    elements: dict[str, CellElement] = {}
    cells: dict[str, dict[str, Rectangle]] = {}
    segments: Segments = {}
    for end in dict.fromkeys([*named, *quiet]):
        if end in flows:
            continue
        found = facts.find_element(end)
        elements[end] = found
        if end not in named:
            continue
        own = part.name_node(read_address(end))
        if found.array is not None and found.cells is not None:
            if own != found.array.id:
                cells.setdefault(found.array.id, {})[facts.name(own)] = found.cells
        elif found.bar is not None:
            segments[own] = (found.bar, found.parts)
    return _Ends(elements, cells, segments)


def _find_box(facts: CellsFacts, places: Mapping[str, Pair], array: str, cells: Rectangle) -> SymbolicBox | None:
    """Return the box of the drawn cells of a rectangle."""
    one, (x, y) = facts.arrays[array], places[array]
    rows, columns = one.rows.find_span(cells.rows), one.columns.find_span(cells.columns)
    if rows is None or columns is None:
        return None
    left, right = (x + one.across.length * (at - one.columns.start) for at in columns)
    top, bottom = (y - one.down.length * (at - one.rows.start) for at in rows)
    return SymbolicBox(left, bottom, right, top)


def _iterate_text_boxes(facts: CellsFacts, places: Mapping[str, Pair], name: str) -> Iterator[SymbolicBox]:
    """Yield the cells of an array that have labels."""
    array = facts.arrays[name].array
    cells = [Rectangle((0, 1), (row, row + 1), (column, column + 1)) for _, row, column in array.grid.texts]
    for place in (*cells, *(one.place for one in array.grid.labeled)):
        box = _find_box(facts, places, name, place)
        if box is not None:
            yield box


def _iterate_outlines(
    facts: CellsFacts, sides: Mapping[str, ArraySides], places: Mapping[str, Pair], ends: _Ends
) -> Iterator[tuple[str, SymbolicBox]]:
    """Yield the boxes of arrays and of cells at which something ends, by the name of their node."""
    for name, one in facts.arrays.items():
        layers, rows, columns = one.array.shape
        whole = _find_box(facts, places, name, Rectangle((0, layers), (0, rows), (0, columns)))
        if whole is not None:
            yield facts.name(name), whole
        for node, cells in ends.cells.get(name, {}).items():
            box = _find_box(facts, places, name, cells)
            if box is not None:
                left, right, top, bottom = sides[name].find_pads(cells)
                yield node, SymbolicBox(box.left - left, box.bottom - bottom, box.right + right, box.top + top)


def _draw_flows(
    facts: CellsFacts, sides: Mapping[str, ArraySides], ends: _Ends, outlines: Mapping[str, SymbolicBox]
) -> tuple[list[Item], list[SymbolicBox]]:
    """Return the items of flows, and the boxes of their labels and turns."""
    items: list[Item] = []
    areas: list[SymbolicBox] = []
    pairs = []
    for flow in facts.part.flows:
        pair = [_find_flow_end(facts, sides, ends.elements[end], end, outlines) for end in (flow.source, flow.target)]
        holders = [
            outlines[facts.name(element.array.id if element.array else element.bar.id if element.bar else "")]
            for element in (ends.elements[flow.source], ends.elements[flow.target])
        ]
        pairs.append((flow, (pair[0], pair[1]), (holders[0], holders[1])))
    for index, ((flow, _, around), spread) in enumerate(zip(pairs, spread_ends(facts, pairs), strict=True)):
        for item, boxes in draw_flow(facts, index, flow, spread, around):
            items.append(item)
            areas += boxes
    return items, areas


def _find_flow_end(
    facts: CellsFacts,
    sides: Mapping[str, ArraySides],
    found: CellElement,
    end: str,
    outlines: Mapping[str, SymbolicBox],
) -> CellFlowEnd:
    """Return the end of a flow; rows and columns end beyond their headers, arrays beyond everything."""
    node = facts.name(facts.part.name_node(read_address(end)))
    beyond: Mapping[str, Length] = {}
    leads: Mapping[str, float] = {}
    if found.array is not None and found.cells is not None:
        own = sides[found.array.id]
        if found.way == "all":
            beyond = {str(side): out for side, out in own.out.items()}
        else:
            _, rows, columns = found.array.shape
            edges = {"left": found.cells.columns[0] == 0, "right": found.cells.columns[1] == columns}
            edges |= {"above": found.cells.rows[0] == 0, "below": found.cells.rows[1] == rows}
            depths = {side: own.measure_headers(side, found.cells) for side, meets in edges.items() if meets}
            leads = {side: most - depth for side, (depth, most) in depths.items()}
            if not any(own.find_pads(found.cells)):
                beyond = {side: Length(depth) for side, (depth, _) in depths.items()}
    return CellFlowEnd(node, outlines[node], beyond, leads)


def _place_notes(
    facts: CellsFacts,
    sides: Mapping[str, ArraySides],
    places: Mapping[str, Pair],
    ends: _Ends,
    outlines: Mapping[str, SymbolicBox],
    extent: SymbolicBox,
    bars: tuple[PlacedBars | None, Pair],
    areas: list[SymbolicBox],
) -> tuple[list[Item], SymbolicBox]:
    """Return the items of the notes, and the extent with them."""
    part = facts.part
    if not part.notes:
        return [], extent
    soft = [box.move_by(*places[name]) for name, one in sides.items() for box in one.iterate_boxes()]
    solids = [box for name in sides for box in _iterate_text_boxes(facts, places, name)]
    solids += [box.move_by(*places[name]) for name, one in sides.items() for box in one.labels]
    if bars[0] is not None:
        solids += [box.move_by(*bars[1]) for box in bars[0].solids]
    about: dict[str, tuple[SymbolicBox, ...]] = {}
    for note in part.notes:
        if note.about is None:
            continue
        found = ends.elements.get(note.about)
        if found is None:
            about[note.about] = (extent,)
        elif found.array is not None and found.cells is not None:
            box = _find_box(facts, places, found.array.id, found.cells)
            own = sides[found.array.id]
            at = places[found.array.id]
            whole = own.box.move_by(*at)
            if box is not None:
                _, rows, columns = found.array.shape
                across = found.cells.columns == (0, columns)
                up = found.cells.rows == (0, rows)
                left, right = (whole.left, whole.right) if across else (box.left, box.right)
                bottom, top = (whole.bottom, whole.top) if up else (box.bottom, box.top)
                about[note.about] = (SymbolicBox(left, bottom, right, top),)
        elif found.bar is not None:
            about[note.about] = (outlines[facts.name(found.bar.id)],)
    taken = Taken((*solids, *areas), (), (), about, (1.0,), soft=tuple(soft))
    stood, extent = place_free_notes(facts.plan, part, part.notes, extent, taken)
    items: list[Item] = [NoteItem("notes")]
    for index, one in enumerate(stood):
        macro = facts.find_macro("notes", index, "text")
        items.append(AsideItem(one.at, macro, one.note.boxed, one.wrap, one.line))
    return items, extent


def _place_entry(facts: CellsFacts, extent: SymbolicBox) -> tuple[list[Item], SymbolicBox]:
    """Return the arrow to the arrays, above or to the left of them, and the extent."""
    entry = facts.part.entry
    if entry is None:
        return [], extent
    macro = facts.find_macro("entry", "label")
    size = facts.plan.measure(entry.label) if macro else None
    pad = 2 * LABEL_INNER_PT * CM_PER_PT
    wide, high = (size.width + pad, size.total + pad) if size else (0.0, 0.0)
    style = facts.plan.figure.kind(entry.kind).tikz_style(entry.kind)
    x, y = extent.middle
    if facts.panel.arrange == "column":
        end = x, extent.top + _ENTRY_GAP
        start = x, end[1] + max(_LEAST_ENTRY, high + _ENTRY_GAP)
        area = SymbolicBox(x, extent.top, x + wide, start[1])
    else:
        end = extent.left - _ENTRY_GAP, y
        start = end[0] - max(_LEAST_ENTRY, wide + _ENTRY_HEAD), y
        area = SymbolicBox(start[0], y, extent.left, y + high)
    item = EntryItem(style, start, end, macro, "west" if facts.panel.arrange == "column" else "south")
    return [item], union([extent, area], facts.plan.values)


def _iterate_items(
    facts: CellsFacts,
    sides: Mapping[str, ArraySides],
    places: Mapping[str, Pair],
    ends: _Ends,
    bars: tuple[PlacedBars | None, Pair],
    after: list[Item],
) -> Iterator[Item]:
    """Yield all items in the order of the file."""
    for array in facts.drawn_arrays:
        one, (x, y) = facts.arrays[array.id], places[array.id]
        drawing = ArrayDrawing(facts, one, Fills(facts), sides[array.id])
        yield drawing.make_item(x, y, dict(ends.cells.get(array.id, {})))
        for item in sides[array.id].items:
            yield _move_item(item, x, y)
    if bars[0] is not None:
        yield NoteItem("bars: start, length and fill of each segment")
        yield from (_move_item(item, *bars[1]) for item in bars[0].items)
    yield from after


def _move_item(item: Item, x: Length, y: Length) -> Item:
    """Return an item with its places shifted."""
    points: dict[str, Pair] = {
        name: getattr(item, name) for name in ("at", "start", "middle", "end") if hasattr(item, name)
    }
    if points:
        return replace(item, **{name: (at[0] + x, at[1] + y) for name, at in points.items()})
    own: Pair = item.x, item.y  # type: ignore[attr-defined]
    return replace(item, x=own[0] + x, y=own[1] + y)


def _iterate_sites(facts: CellsFacts, ends: _Ends, linked: Linked) -> Iterator[tuple[str, Site]]:
    """Yield the possible ends of links by address."""
    flows = {flow.id for flow in facts.part.flows if flow.id}
    for end, _ in linked:
        if end in flows:
            yield end, Site(facts.name(end), turn="point")
        else:
            yield end, Site(facts.name(facts.part.name_node(read_address(end))))
