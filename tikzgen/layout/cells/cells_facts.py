"""Facts of a figure of cells in one layout attempt: units of cells, texts with sizes, and looks of fills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.cells.runs import Positions, make_positions
from tikzgen.layout.constants import SIZES
from tikzgen.layout.scene.items import name_fill_style, name_value_style
from tikzgen.layout.scene.number_words import spell_identifier
from tikzgen.layout.symbolic_lengths import Length, make_length, number
from tikzgen.model.addresses import read_address
from tikzgen.model.cells import MASKED, VALUE_PREFIX, CellArray, CellElement, CellKey, Cells, Rectangle
from tikzgen.model.content import Path
from tikzgen.model.looks import Phase, owner_look
from tikzgen.model.panel_parts import Panel
from tikzgen.text import Text, typeset_label

CELL_PAD_CM = 0.16
LEAST_CELL_CM = 0.2
LEAST_SMALL_CELL_CM = 0.1  # in an array with many columns
_MOST_LARGE_CELLS_COUNT = 32
USUAL_CELL_CM = 0.4
BLOCK_ROOM_CM = 0.3  # beside a label on the slanted top of a block
ARROW_ROOM_CM = 0.36  # beside a text that a short arrow passes
TEXT_PAD_CM = 0.06  # cm beside a text in the narrowest cells
_TIGHT_TEXT_PAD_CM = 0.04
CELL_HEIGHT_CM = 0.46
APART_SHARE = 0.77
"""Share of a row that its cells take if gaps divide the rows."""
RAMP_LOOKS = tuple(Phase(color="otblue", tint=tint) for tint in (13, 30, 48, 66, 84, 103, 130))
"""Looks of the classes of a ramp; the lightest one differs from an empty cell."""
_GROWTH_FACTOR = 1.5
_LAYER_AT_SIDE = {"left": 0, "above": 0, "right": -1, "below": -1}
_COLUMN_GAP_CM = 0.12  # cm between two headers of columns


class CellUnit(Record):
    """Width or height of a cell: a multiple of a parameter."""

    name: str
    factor: float = 1.0

    @property
    def length(self) -> Length:
        """The unit as a length."""
        return make_length(self.name, self.factor)

    def __str__(self) -> str:
        return f"\\{self.name}" if self.factor == 1 else f"{number(self.factor, 6)}*\\{self.name}"


class ArrayFacts(Record):
    """An array in a layout attempt: its index, positions and units, and whether curved flows join it to others.

    A layer that is drawn as a separate array has the index and the `origin`, which is the id, of its array.
    """

    index: int
    array: CellArray
    origin: str
    layer: int | None
    rows: Positions
    columns: Positions
    across: CellUnit
    down: CellUnit
    has_short_flows: bool = False
    is_joined: bool = False

    @property
    def width(self) -> Length:
        """Width of all columns."""
        return self.across.length * self.columns.size

    @property
    def height(self) -> Length:
        """Height of all rows."""
        return self.down.length * self.rows.size


class CellsFacts(Record):
    """A figure of cells in a layout attempt."""

    plan: LayoutAttempt
    panel: Panel
    at: Path
    part: Cells
    arrays: Mapping[str, ArrayFacts]

    @property
    def drawn_arrays(self) -> list[CellArray]:
        """The arrays that are drawn, in reading order."""
        return [one.array for one in self.arrays.values()]

    @property
    def is_tight(self) -> bool:
        """Whether no other attempt or form fits: cells and tracks of flows then have the least space."""
        return self.plan.pressed and bool(self.plan.figure.form)

    def name(self, own: str) -> str:
        """Return the name of a node."""
        return self.plan.name(self.panel.id, own)

    def find_macro(self, *field: str | int) -> str:
        """Return the macro of the label in a field of the part."""
        return self.plan.labels.find_field_macro(*self.at, *field)

    def find_element(self, address: str) -> CellElement:
        """Return the element at a checked address; its array is drawn."""
        found = self.part.find_checked_element(address)
        if found.array is None or found.cells is None:
            return found
        layers = found.array.layers_apart
        if not layers:
            return replace(found, array=self.arrays[found.array.id].array)
        array = self.arrays[layers[found.cells.layers[0]].id].array
        cells = Rectangle((0, 1), found.cells.rows, found.cells.columns)
        return replace(found, array=array, cells=cells, way="all" if found.is_layer else found.way)

    def measure(self, length: Length) -> float:
        """Return a length in cm for the values of the attempt."""
        return length.compute_cm(self.plan.values)


def make_facts(plan: LayoutAttempt, panel: Panel, index: int, part: Cells) -> CellsFacts:
    """Return the facts of the part of a panel with this index."""
    place = next(number for number, one in enumerate(plan.figure.panels) if one is panel)
    made: dict[str, ArrayFacts] = {}
    # Rows and columns collapse only if no larger type fits.
    at_most = part.collapse if plan.figure.width is not None and plan.size <= SIZES[-1] else None
    kept = _collect_ends(plan, panel, part)
    drawn = [*_iterate_drawn_arrays(part)]
    waiting = [*drawn]
    while waiting:
        origin, layer, array = waiting.pop(0)
        if array.beside is not None and array.beside not in made:
            waiting.append((origin, layer, array))
            continue
        name = part.arrays[origin].id
        made[array.id] = _make_array_facts(origin, name, layer, array, made, at_most, kept.get(name, []))
    arrays = {array.id: made[array.id] for _, _, array in drawn}
    facts = CellsFacts(plan, panel, ("panels", place, "content", index), part, arrays)
    for name in find_arrays_with_short_flows(facts):
        arrays[name] = replace(arrays[name], has_short_flows=True)
    for joined in iterate_curved_flows(facts):
        arrays.update({name: replace(arrays[name], is_joined=True) for name in joined})
    return facts


def _iterate_drawn_arrays(part: Cells) -> Iterator[tuple[int, int | None, CellArray]]:
    """Yield the arrays that are drawn: index, layer if it is one that is apart, and the array.

    An array that is attached to layers apart is next to the first or the last of them.
    """
    layers = {array.id: array.layers_apart for array in part.arrays}
    for index, array in enumerate(part.arrays):
        beside = array.beside
        if beside is not None and layers[beside]:
            beside = layers[beside][_LAYER_AT_SIDE[array.side]].id
        for layer, one in enumerate(layers[array.id] or (array,)):
            placed = one if one.beside == beside else one.model_copy(update={"beside": beside})
            yield index, layer if layers[array.id] else None, placed
            beside = one.id if beside is not None else None


def _collect_ends(plan: LayoutAttempt, panel: Panel, part: Cells) -> dict[str, list[Rectangle]]:
    """Return the cells at which flows, notes and links end, by array."""
    ends = [end for flow in part.flows for end in (flow.source, flow.target)]
    ends += [note.about for note in part.notes if note.about is not None]
    inside = f"{panel.id}." if len(plan.figure.panels) > 1 else ""
    links = [end for link in plan.figure.links for end in (link.source, link.target)]
    ends += [end.removeprefix(inside) for end in links if end.startswith(inside)]
    found: dict[str, list[Rectangle]] = {}
    for end in ends:
        element = part.find_element(read_address(end))
        if isinstance(element, CellElement) and element.array is not None and element.cells is not None:
            found.setdefault(element.array.id, []).append(element.cells)
    return found


def _make_array_facts(
    index: int,
    origin: str,
    layer: int | None,
    array: CellArray,
    known: Mapping[str, ArrayFacts],
    at_most: int | None,
    kept: Sequence[Rectangle],
) -> ArrayFacts:
    _, count_rows, count_columns = array.shape
    rows = make_positions(array.rows, count_rows, at_most, {cells.rows[0] for cells in kept})
    columns = make_positions(array.columns, count_columns, at_most, {cells.columns[0] for cells in kept})
    own = f"{spell_identifier(origin)} ".replace(" ", "") if array.cell == "own" else ""
    across = CellUnit(f"{own}cellwidth")
    down = CellUnit(f"{own}cellheight") if has_texts(array) or array.rows.apart else across
    if array.beside is not None:
        holder = known[array.beside]
        if array.is_level:
            down = CellUnit(holder.down.name, holder.down.factor * holder.rows.size / rows.size)
        else:
            across = CellUnit(holder.across.name, holder.across.factor * holder.columns.size / columns.size)
            down = CellUnit(f"{own}cellheight") if has_texts(array) else across
    return ArrayFacts(index, array, origin, layer, rows, columns, across, down)


def find_arrays_with_short_flows(facts: CellsFacts) -> set[str]:
    """Return the arrays in which flows run from one row to the next, next to the labels of the cells."""
    found = set()
    for flow in facts.part.flows:
        ends = [facts.find_element(end) for end in (flow.source, flow.target)]
        cells = [end.cells for end in ends if end.cells is not None]
        arrays = {end.array.id for end in ends if end.array is not None}
        if (
            len(cells) == 2
            and len(arrays) == 1
            and cells[0].columns == cells[1].columns
            and _are_near(cells[0], cells[1], flow.route)
        ):
            found |= arrays
    return found


def iterate_curved_flows(facts: CellsFacts) -> Iterator[list[str]]:
    """Yield the two arrays of each curved flow between arrays that are not attached to each other."""
    for flow in facts.part.flows:
        if flow.route != "curved":
            continue
        ends = [facts.find_element(end) for end in (flow.source, flow.target)]
        names = [end.array.id for end in ends if end.array is not None]
        if len({find_root(facts, name) for name in names}) == 2:
            yield names


def find_root(facts: CellsFacts, name: str) -> str:
    """Return the array to which an array is attached, directly or by others; itself if it is attached to none."""
    holder = facts.arrays[name].array.beside
    return name if holder is None else find_root(facts, holder)


def _are_near(one: Rectangle, other: Rectangle, route: str) -> bool:
    """Return whether cells are in consecutive rows, or a flow wraps from one to the other."""
    return route == "wrap" or one.rows[1] == other.rows[0] or other.rows[1] == one.rows[0]


def has_texts(array: CellArray) -> bool:
    """Return whether cells of an array have texts of their own."""
    return bool(array.grid.texts) or any(array.regions[one.region].merged for one in array.grid.labeled)


def find_cell_needs(facts: CellsFacts) -> dict[str, DistanceNeed]:
    """Return the widths and heights of cells that the arrays require."""
    found: dict[str, DistanceNeed] = {}
    for one in facts.arrays.values():
        least, usual = _measure_cell_widths(facts, one)
        _add(found, one, "across", least, usual)
        if one.down.name != one.across.name:
            high = CELL_HEIGHT_CM * facts.plan.size / 8 / (APART_SHARE if one.array.rows.apart else 1)
            _add(found, one, "down", high, high)
    return found


def _add(found: dict[str, DistanceNeed], one: ArrayFacts, way: str, least: float, usual: float) -> None:
    unit: CellUnit = getattr(one, way)
    if unit.name not in found:
        which = f" of {one.origin}" if one.array.cell == "own" else ""
        meaning = f"{'width' if unit.name.endswith('cellwidth') else 'height'} of a cell{which}"
        axis = "x" if unit.name.endswith("cellwidth") else "y"
        found[unit.name] = DistanceNeed(0.0, 0.0, "x" if axis == "x" else "y", meaning, firm=0.1)
    need = found[unit.name]
    low, high = max(need.least, least / unit.factor), max(need.usual, usual / unit.factor)
    found[unit.name] = DistanceNeed(low, high, need.axis, need.meaning, most=high * _GROWTH_FACTOR, firm=0.1)


def _measure_cell_widths(facts: CellsFacts, one: ArrayFacts) -> tuple[float, float]:
    """Return the least and the usual width of a cell: its texts, and headers that are no plain numbers."""
    array, plan = one.array, facts.plan
    widths = [plan.measure(text).width for text in dict.fromkeys(array.grid.texts.values()) if text]
    for region in array.grid.labeled:
        span = one.columns.find_span(region.place.columns)
        if span is not None:
            widths.append(plan.measure(array.regions[region.region].label).width / (span[1] - span[0]))
    heads: list[float] = []
    header = array.columns
    if header.side != "none" and not is_numbered(header.texts, header.text):
        texts = {header.text_of(index) for index in one.columns.starts}
        heads = [plan.measure(text).width + _COLUMN_GAP_CM for text in texts | set(header.after) if text]
    for group in header.groups:
        held = header.find_range(group.cells, "column", array.shape[2])
        if isinstance(held, tuple):
            heads.append((plan.measure(group.label).width + _COLUMN_GAP_CM) / (held[1] - held[0]))
    widest = max(widths, default=0.0)
    room = ARROW_ROOM_CM if one.has_short_flows else 0.0
    if widths and array.hides_layers:
        widest += BLOCK_ROOM_CM
    smallest = LEAST_CELL_CM if one.columns.size <= _MOST_LARGE_CELLS_COUNT else LEAST_SMALL_CELL_CM
    pad = _TIGHT_TEXT_PAD_CM if facts.is_tight else TEXT_PAD_CM
    least = max([smallest, widest + max(pad, room / 2) if widths else 0.0, *heads])
    return least, max([USUAL_CELL_CM, widest + CELL_PAD_CM + room if widths else 0.0, *heads])


def is_numbered(texts: Sequence[Text], text: Text) -> bool:
    """Return whether headers are plain numbers, some of which may be left out."""
    return not texts and text == "{n}"


class Fills:
    """Styles of fills, and the looks that they need, for one part."""

    def __init__(self, facts: CellsFacts) -> None:
        self._facts = facts
        self._owner_count = facts.plan.figure.owner_count
        self.looks: dict[str, Phase] = {}
        self.phases: dict[str, None] = {}
        self.styles: dict[str, None] = {}

    def find_style(self, array: CellArray, letter: str) -> str:
        """Return the style of a fill of an array."""
        if letter == MASKED:
            self.styles["masked"] = None
            return "masked"
        if letter.startswith(VALUE_PREFIX):
            for number, look in enumerate(RAMP_LOOKS):
                self.looks[name_value_style(number)] = look
            return name_value_style(int(letter.removeprefix(VALUE_PREFIX)))
        key = self._facts.part.key_of(array, letter)
        assert key is not None
        return self.find_key_style(key)

    def find_key_style(self, key: CellKey) -> str:
        """Return the style of a role or an owner."""
        style = name_fill_style(key.role, key.owner, key.hatch)
        if key.hatch != "none":
            self.looks[style] = self.find_key_look(key)
        elif key.role is not None:
            self.phases[key.role] = None
        else:
            self.styles[style] = None
        return style

    def find_key_look(self, key: CellKey) -> Phase:
        """Return the look of a role or an owner."""
        if key.role is not None:
            look = self._facts.plan.figure.phase(key.role)
        else:
            look = owner_look(key.owner or 0, self._owner_count)
        return look if key.hatch == "none" else look.model_copy(update={"hatch": key.hatch})

    def find_ink(self, array: CellArray, letter: str) -> str:
        """Return the color of texts on a fill; empty for the usual one."""
        if letter.startswith(VALUE_PREFIX):
            text = RAMP_LOOKS[int(letter.removeprefix(VALUE_PREFIX))].text
        else:
            key = self._facts.part.key_of(array, letter)
            text = self.find_key_look(key).text if key is not None else "ink"
        return "" if text == "ink" else text


def spell_tex(text: Text) -> str:
    """Return the TeX of a text, in braces if a list would divide it."""
    source = typeset_label(text).source
    return f"{{{source}}}" if set(source) & set(",/{}[]\\ ") and not _is_plain_formula(source) else source


def _is_plain_formula(source: str) -> bool:
    return source.startswith("$") and source.endswith("$") and not set(source) & set(",/{}[]\\ ")
