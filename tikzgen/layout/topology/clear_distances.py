r"""The least \colsep and \rowsep of stated places, by themselves and as shares of each other: so that no label, line or
entity comes to lie on another one where a hand halves or doubles either of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from math import floor

from tikzgen.base.record import Record, replace
from tikzgen.layout.lengths import Length, param
from tikzgen.layout.plan import Need
from tikzgen.layout.scene import AtLeast
from tikzgen.layout.topology.nested.other_distances import MOST, Struck, sketched, struck
from tikzgen.layout.topology.topology_paper import Paper

_SHARES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of what a distance is: so long it is at least
_CHANGES = (0.5, 1.0, 2.0)  # times that a distance is as long


class _Held(Record):
    """How short columns and rows may be, as shares of what they are: by themselves, and beside the other one."""

    columns: float = 0.0
    rows: float = 0.0
    narrow: float = 0.0
    low: float = 0.0

    def at(self, across: float, down: float) -> tuple[float, float]:
        """What a change comes to."""
        across = max(across, self.columns)
        down = max(down, self.rows, self.low * across)
        return max(across, self.narrow * down), down


def clear_distances(paper: Paper, needs: Mapping[str, Need]) -> Iterator[AtLeast]:
    """What distances are at least, beyond what their needs say."""
    values = paper.plan.values
    texts = sum(spot is not None for spot in paper.layout.texts)
    large = len(paper.layout.ways) * (texts + len(paper.where)) > MOST
    if large or not {"colsep", "rowsep"} <= {*needs}:
        return
    across, down = values["colsep"], values["rowsep"]
    firm = {name: min(needs[name].firm / values[name], 1.0) for name in ("colsep", "rowsep")}
    held = _held(_Judged(paper), _Held(firm["colsep"], firm["rowsep"]))
    if held.columns > firm["colsep"]:
        yield "colsep", Length(held.columns * across)
    if held.rows > firm["rowsep"]:
        yield "rowsep", Length(held.rows * down)
    if held.low:
        yield "rowsep", param("colsep", _down(held.low * down / across))
    if held.narrow:
        yield "colsep", param("rowsep", _down(held.narrow * across / down))


def _down(ratio: float) -> float:
    """A ratio as it is spelt, no larger than it is: the distances that were chosen hold."""
    return floor(ratio * 1e4) / 1e4


class _Judged:
    """What lies on something where columns and rows are so many times as far apart, and does not as they are."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._place = cache(paper.lengths.at)  # the same few points at all distances
        self._bodies = {
            name: [one for one in (paper.outline(name), paper.caption(name)) if one] for name in paper.where
        }
        self._seen: dict[tuple[float, float], Struck] = {}

    def __call__(self, across: float, down: float) -> Struck:
        found = self._at(across, down)
        return found - self._at(1.0, 1.0) if found else found

    def _at(self, across: float, down: float) -> Struck:
        if (across, down) not in self._seen:
            paper = self._paper
            usual = paper.plan.values
            values = {**usual, "colsep": usual["colsep"] * across, "rowsep": usual["rowsep"] * down}
            bodies = {name: [one.box(values) for one in extents] for name, extents in self._bodies.items()}
            layout = paper.layout
            sketch = sketched(paper.graph, layout.ways, layout.texts, self._place, values, bodies)
            self._seen[across, down] = struck(sketch)
        return self._seen[across, down]


def _held(judged: Callable[[float, float], Struck], firm: _Held) -> _Held:
    """The least distances that keep all clear, or most: first both of them short, then one beside the other."""

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
    """Two shares each, the smallest first: one by itself before both."""
    return sorted(product(_SHARES, _SHARES), key=lambda pair: (max(pair), sum(pair), pair))
