"""Places of arrays: attached arrays beside theirs, then all in a row, a grid or a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from tikzgen.base.record import Record
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.cells.array_sides import ArraySides, choose_brace_axis
from tikzgen.layout.cells.cell_flows import OPPOSITE_SIDES, choose_wrap_side
from tikzgen.layout.cells.cells_facts import CellsFacts, find_root, iterate_curved_flows
from tikzgen.layout.constants import MARGIN
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, SymbolicBox, find_farthest_length, make_length, union
from tikzgen.model.cells import CellFlow
from tikzgen.model.looks import TEXT_WIDE, width_in_cm

ATTACHED_GAP_CM = 0.08  # cm between an array and one that is attached to it
_LABEL_GAP_CM = 0.15  # cm between the labels of these
_CURVE_GAP_CM = 0.35  # cm of distance for each curved flow between two clusters, so that steep ones stay apart
_MOST_CURVES_CM = 2.8
_TIGHT_CURVE_GAP_CM = 0.2  # cm for each in a narrow figure
_MOST_TIGHT_CURVES_CM = 1.4
_ROW_SHARE = 0.6
"""Share of the distance of arrays that is between the rows of a grid."""


class ArrayCluster(Record):
    """An array with the arrays attached to it: their upper left corners from its own, and the extent of all.

    `top` and `bottom` are the edges of the cells that align in a row: those at which curved flows of other clusters
    end, or the array.
    """

    root: str
    places: Mapping[str, Pair]
    extent: SymbolicBox
    top: Length
    bottom: Length

    @property
    def middle(self) -> Length:
        """Height at which the cluster aligns with others."""
        return (self.top + self.bottom) * 0.5


def make_sides(facts: CellsFacts) -> dict[str, ArraySides]:
    """Return the elements beside each array."""
    found = {name: ArraySides(facts, one) for name, one in facts.arrays.items()}
    stubs = [side for name in found for side in _iterate_stub_sides(facts, name)]  # so that labels of a row align
    for name, sides in found.items():
        array, one = sides.array, sides.one
        braces = []
        for index, brace in enumerate(facts.part.braces):
            element = facts.find_element(brace.over)
            if element.array is None or element.array.id != name or element.cells is None:
                continue
            axis = choose_brace_axis(brace, element.cells.rows, element.cells.columns, array.shape)
            span = (
                one.rows.find_span(element.cells.rows)
                if axis == "rows"
                else one.columns.find_span(element.cells.columns)
            )
            if span is not None:
                braces.append((index, brace, axis, span))
        sides.add_braces(braces)
        sides.reserve_stubs(stubs)
        sides.add_lines()
        sides.add_name()
    return found


def _iterate_stub_sides(facts: CellsFacts, name: str) -> Iterator[str]:
    """Yield the sides of an array at which flows that wrap around it have stubs."""
    for flow in facts.part.flows:
        ends = [facts.find_element(end) for end in (flow.source, flow.target)] if flow.route == "wrap" else []
        cells = [end.cells for end in ends if end.cells is not None]
        if len(cells) < 2:
            continue
        level = cells[0].rows == cells[1].rows
        first, last = ((one.columns if level else one.rows)[0] for one in cells)
        leaves = choose_wrap_side(level=level, forth=first >= last)
        for end, side in zip(ends, (leaves, OPPOSITE_SIDES[leaves]), strict=True):
            if end.array is not None and end.array.id == name:
                yield side


def make_clusters(facts: CellsFacts, sides: Mapping[str, ArraySides]) -> list[ArrayCluster]:
    """Return the arrays that are attached to no other one, with those attached to them."""
    found = []
    for array in facts.drawn_arrays:
        if array.beside is None:
            places = dict(_iterate_attached_places(facts, sides, array.id, (ZERO, ZERO)))
            boxes = [box.move_by(*at) for name, at in places.items() for box in sides[name].iterate_boxes()]
            ends = [name for name in places if facts.arrays[name].is_joined] or [array.id]
            tops = [places[name][1] for name in ends]
            bottoms = [facts.arrays[name].height - places[name][1] for name in ends]
            values = facts.plan.values
            top, bottom = find_farthest_length(tops, values), -find_farthest_length(bottoms, values)
            found.append(ArrayCluster(array.id, places, union(boxes, values), top, bottom))
    return found


def _iterate_attached_places(
    facts: CellsFacts, sides: Mapping[str, ArraySides], name: str, at: Pair
) -> Iterator[tuple[str, Pair]]:
    yield name, at
    holder, one = sides[name], facts.arrays[name]
    for array in facts.drawn_arrays:
        if array.beside != name:
            continue
        own, other = sides[array.id], facts.arrays[array.id]
        shifts: dict[str, Pair] = {
            "right": (one.width + holder.out["right"] + own.out["left"] + ATTACHED_GAP_CM, ZERO),
            "left": (-holder.out["left"] - own.out["right"] - other.width - ATTACHED_GAP_CM, ZERO),
            "below": (ZERO, -one.height - holder.out["below"] - own.out["above"] - ATTACHED_GAP_CM),
            "above": (ZERO, holder.out["above"] + own.out["below"] + other.height + ATTACHED_GAP_CM),
        }
        x, y = shifts[array.side]
        if toward := {"left": -1, "right": 1}.get(array.side):
            x += toward * _measure_overlap(facts, holder, own, (x, y), toward)
        x, y = at[0] + x, at[1] + y
        yield from _iterate_attached_places(facts, sides, array.id, (x, y))


def _measure_overlap(facts: CellsFacts, holder: ArraySides, own: ArraySides, at: Pair, toward: int) -> float:
    """Return the width, in cm, by which labels of an array and of one to its right (1) or left (-1) are too near."""
    values, most = facts.plan.values, 0.0
    for one in (box.measure_box(values) for box in holder.labels):
        for other in (box.move_by(*at).measure_box(values) for box in own.labels):
            if min(one[3], other[3]) > max(one[1], other[1]):
                near = one[2] - other[0] if toward > 0 else other[2] - one[0]
                most = max(most, near + (ATTACHED_GAP_CM if facts.is_tight else _LABEL_GAP_CM))
    return most


def find_arrangement_needs(plan: LayoutAttempt, facts: CellsFacts) -> dict[str, DistanceNeed]:
    """Return the distance of arrays, and the depth of layers."""
    found = {}
    if sum(array.beside is None for array in facts.drawn_arrays) > 1:
        least, usual = (0.5, 1.2) if any(_joins_arrays(facts, flow) for flow in facts.part.flows) else (0.25, 0.9)
        curves = _count_curves(facts)
        if not facts.is_tight:
            least = max(least, min(curves * _TIGHT_CURVE_GAP_CM, _MOST_TIGHT_CURVES_CM))
        usual = max(usual, min(curves * _CURVE_GAP_CM, _MOST_CURVES_CM))
        most = max(2.0, usual)
        found["arraysep"] = DistanceNeed(least, usual, "x", "distance between neighboring arrays", most=most)
    if any(array.hides_layers for array in facts.drawn_arrays):
        found["depthx"] = DistanceNeed(0.42, 0.42, "x", "to the right, each layer farther back", most=0.42)
        found["depthy"] = DistanceNeed(0.34, 0.34, "y", "upwards, each layer farther back")
    return found


def _count_curves(facts: CellsFacts) -> int:
    """Return the largest number of curved flows between two clusters."""
    pairs = Counter(frozenset(find_root(facts, name) for name in names) for names in iterate_curved_flows(facts))
    return max(pairs.values(), default=0)


def _joins_arrays(facts: CellsFacts, flow: CellFlow) -> bool:
    """Return whether a flow runs between two arrays."""
    ends = [facts.find_element(end).array for end in (flow.source, flow.target)]
    return ends[0] is not ends[1]


def choose_columns(facts: CellsFacts, needs: Mapping[str, DistanceNeed], clusters: Sequence[ArrayCluster]) -> int:
    """Return the number of arrays side by side: as stated, else the most that fit the width with the least cells."""
    part, many = facts.part, len(clusters)
    if part.arrange == "column" or many < 2:
        return 1
    if part.columns is not None:
        return min(part.columns, many)
    if part.arrange == "row":
        return many
    least = {name: need.least for name, need in needs.items()} | {
        name: value for name in needs if (value := getattr(facts.plan.figure.spacing, name, None)) is not None
    }
    room = _measure_room(facts)
    for rows in range(1, many + 1):
        columns = ceil(many / rows)
        widths = [
            max(cluster.extent.measure_width(least) for cluster in clusters[start::columns]) for start in range(columns)
        ]
        if sum(widths) + (columns - 1) * least["arraysep"] <= room:
            return columns
    return 1


def _measure_room(facts: CellsFacts) -> float:
    """Return the width in cm that a part may have."""
    figure = facts.plan.figure
    width = width_in_cm(figure.width) if figure.width is not None else TEXT_WIDE
    across = figure.abreast * (1 if facts.panel.arrange == "column" else len(facts.panel.content))
    return width / across - 2 * MARGIN - (0.4 if across > 1 else 0.0)


def arrange_clusters(facts: CellsFacts, clusters: Sequence[ArrayCluster], columns: int) -> dict[str, Pair]:
    """Return the upper left corner of every array: left edges of cells in a column align, middles in a row."""
    values = facts.plan.values
    places: dict[str, Pair] = {}
    lefts: list[Length] = []
    right: Length | None = None
    for start in range(columns):
        held = clusters[start::columns]
        near = find_farthest_length([-cluster.extent.left for cluster in held], values)
        lefts.append(near if right is None else right + make_length("arraysep") + near)
        right = lefts[-1] + find_farthest_length([cluster.extent.right for cluster in held], values)
    down: Length | None = None
    for start in range(0, len(clusters), columns):
        row = clusters[start : start + columns]
        high = find_farthest_length([one.extent.top - one.middle for one in row], values)
        low = find_farthest_length([one.middle - one.extent.bottom for one in row], values)
        middle = high * -1 if down is None else down - make_length("arraysep", _ROW_SHARE) - high
        for cluster, left in zip(row, lefts, strict=False):
            for name, (x, y) in cluster.places.items():
                places[name] = left + x, middle - cluster.middle + y
        down = middle - low
    return places
