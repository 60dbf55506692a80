r"""Minimum \colsep and \rowsep of a layout that keep labels, lines and nodes clear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import floor

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed
from tikzgen.layout.scene.scene import AtLeast
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_length
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.other_distances import MOST, Struck, find_overlaps, sketch_routes
from tikzgen.layout.topology.nested.placement_with_lines import Layout
from tikzgen.layout.topology.topology_positions import Paper

_SHARES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # share of a distance: so long it is at least
_CHANGES = (0.5, 1.0, 2.0)  # times that a distance is as long


class _Held(Record):
    """Minimum factors on columns and rows, alone and as shares of the other factor."""

    columns: float = 0.0
    rows: float = 0.0
    narrow: float = 0.0
    low: float = 0.0

    def at(self, across: float, down: float) -> tuple[float, float]:
        """Return the factors that a requested change results in."""
        across = max(across, self.columns)
        down = max(down, self.rows, self.low * across)
        return max(across, self.narrow * down), down


class _Laid(Record):
    """A layout with variable distances: all inputs of its overlaps, as a cache key."""

    graph: Graph
    layout: Layout
    courses: tuple[tuple[Pair, ...], ...]
    labels: tuple[tuple[int, SymbolicBox], ...]
    bodies: tuple[tuple[str, tuple[SymbolicBox, ...]], ...]
    borders: tuple[SymbolicBox, ...]
    values: tuple[tuple[str, float], ...]


def clear_distances(paper: Paper, needs: Mapping[str, DistanceNeed]) -> Iterator[AtLeast]:
    """Yield minimum distances that exceed the minimum of their needs."""
    values = {name: paper.rest[name] for name in needs if name in paper.rest}
    texts = sum(spot is not None for spot in paper.layout.texts)
    large = len(paper.layout.ways) * (texts + len(paper.where)) > MOST
    if large or not values.keys() & {"colsep", "rowsep"}:
        return
    across, down = values.get("colsep", 0.0), values.get("rowsep", 0.0)
    firm = dict.fromkeys(("colsep", "rowsep"), 1.0)
    firm |= {name: min(needs[name].firm / values[name], 1.0) for name in firm if name in values}
    bodies = ((name, (paper.outline(name), paper.caption(name))) for name in paper.where)
    solid = tuple((name, tuple(filter(None, extents))) for name, extents in bodies)
    courses = tuple(tuple(paper.find_points(index)) for index in range(len(paper.layout.ways)))
    labels, borders = tuple(paper.label_boxes.items()), tuple(paper.frame_boxes.values())
    laid = _Laid(paper.graph, paper.layout, courses, labels, solid, borders, tuple(values.items()))
    held = _least_clear_distances(laid, _Held(firm["colsep"], firm["rowsep"]))
    if held.columns > firm["colsep"]:
        yield "colsep", Length(held.columns * across)
    if held.rows > firm["rowsep"]:
        yield "rowsep", Length(held.rows * down)
    if held.low and across and down:
        yield "rowsep", make_length("colsep", _down(held.low * down / across))
    if held.narrow and across and down:
        yield "colsep", make_length("rowsep", _down(held.narrow * across / down))


def _down(ratio: float) -> float:
    """Return a ratio rounded down to 4 decimals, so that the chosen distances still satisfy it."""
    return floor(ratio * 1e4) / 1e4


class _Judged:
    """Overlaps at scaled distances that do not occur at the current ones; cached by scale."""

    def __init__(self, laid: _Laid) -> None:
        self._laid, self._usual = laid, dict(laid.values)
        self._seen: dict[tuple[float, float], Struck] = {}

    def __call__(self, across: float, down: float) -> Struck:
        found = self._at(across, down)
        return found - self._at(1.0, 1.0) if found else found

    def _at(self, across: float, down: float) -> Struck:
        if (across, down) not in self._seen:
            usual, layout = self._usual, self._laid.layout
            factors = {"colsep": across, "rowsep": down}
            values = {name: value * factors.get(name, 1.0) for name, value in usual.items()}
            bodies = {name: [one.measure_box(values) for one in extents] for name, extents in self._laid.bodies}
            courses, labels = self._laid.courses, dict(self._laid.labels)
            borders = [border.measure_box(values) for border in self._laid.borders]
            sketch = sketch_routes(self._laid.graph, layout, courses, labels, values, bodies, borders)
            self._seen[across, down] = find_overlaps(sketch)
        return self._seen[across, down]


@lru_cache(maxsize=64)
def _least_clear_distances(laid: _Laid, firm: _Held) -> _Held:
    """Return the minimum distances with the fewest overlaps, cached because each save requests them again.

    Choose the factors of columns and rows first, then the share of each in the other.
    """
    judged = _Judged(laid)

    def clearest(choices: Iterable[_Held], *changes: tuple[float, float]) -> _Held:
        found = {}
        for held in choices:
            found[held] = sum(len(judged(*held.at(*change))) for change in changes)
            if not found[held]:
                return held
        return min(found, key=found.__getitem__)

    changes = (change for change in product(_CHANGES, repeat=2) if change != (1.0, 1.0))
    if not any(judged(*firm.at(*change)) for change in changes):
        return firm
    both = (replace(firm, columns=max(firm.columns, one), rows=max(firm.rows, other)) for one, other in _by_size())
    held = clearest(both, (0.5, 0.5))
    held = clearest((replace(held, low=share) for share in _SHARES), (1.0, 0.5), (2.0, 0.5), (2.0, 1.0))
    return clearest((replace(held, narrow=share) for share in _SHARES), (0.5, 1.0), (0.5, 2.0), (1.0, 2.0))


def _by_size() -> list[tuple[float, float]]:
    """Return pairs of shares by size; a pair with one nonzero share is before both."""
    return sorted(product(_SHARES, _SHARES), key=lambda pair: (max(pair), sum(pair), pair))
