"""Sharding: the part of a tensor on each rank of a mesh, and the collectives to another placement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, prod
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from tikzgen.base.plain_words import join_words, list_names, spell_rounded
from tikzgen.base.record import Record
from tikzgen.model.cells import (
    HOLE,
    CellArray,
    CellBrace,
    CellEntry,
    CellKey,
    CellMark,
    CellRegion,
    Cells,
    Header,
    HeaderGroup,
)
from tikzgen.model.content import FreeNote
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import Id, Part, fail
from tikzgen.recipe.arrays.computed_arrays import LETTERS, MOST_FILLED_OWNERS, ComputedArrays, write_keys
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import (
    Box,
    Coordinates,
    Placement,
    Redistribution,
    check_placements,
    count_elements,
    hold_boxes,
    list_ranks,
    plan_redistribution,
)
from tikzgen.text import Numbered, Text, fill_number, fill_placeholders

PlacementName = Annotated[
    str,
    StringConstraints(pattern=r"^(?:(?:Shard|S|StridedShard)\([0-9]\)|Replicate(?:\(\))?|R|Partial(?:\(\))?|P)$"),
    Field(description="`Shard(0)`, `StridedShard(0)`, `Replicate` or `Partial`, as in PyTorch."),
]
_SINGLE_CELLS = 16  # elements of a dimension up to which each element is a cell
_MOST_CELLS = 64  # cells of a dimension
_MOST_UNNAMED_OWNERS = 4  # owners that their fills alone distinguish
_MOST_GROUPS = 8  # groups of ranks with equal parts that the description lists
_FEWEST_CELLS = 8  # cells of a long dimension, if its pieces allow it


class ShardingLabels(Part):
    """Labels of a sharded tensor."""

    tensor: Text = r"$W$: {shape}, {placements}"
    """Label of the tensor; `{shape}` is its shape, `{placements}` its placements."""
    whole: Text = "on each rank of {axes}"
    """Text about the axes of the mesh that do not cut the tensor; `{axes}` are their names and sizes."""
    axis: Text = "{axis} = {n}"
    """Label of an axis of the mesh, at the dimension that it cuts."""
    rank: Numbered = "rank {n}"
    """Label of the part on each rank."""
    step: Text = "{collective} along {axis}\n{received}"
    """Text at the arrow of a collective; `{received}` states the elements that each rank receives."""
    after: Text = "{placements}"
    """Text about the placement after it."""
    cell: Text = "one cell: {shape} elements"
    """Text about the size of a cell with several elements."""


class _Pieces(Record):
    """Boxes of the ranks in order, the collectives, and the elements in a cell along each dimension."""

    before: dict[Coordinates, Box]
    after: dict[Coordinates, Box]
    steps: tuple[Redistribution, ...]
    units: tuple[int, ...]


class Sharding(ComputedArrays):
    """A tensor on a mesh of ranks: the part of each rank, and the collectives to another placement."""

    field_group = "arrays"
    common = (
        "shape: [8, 8]",
        "mesh: {dp: 2, tp: 4}",
        "placements: [Shard(0), Shard(1)]",
        "then: [Shard(0), Replicate]",
    )
    schedule_facts: ClassVar[tuple[str, ...]] = ("shape", "mesh", "placements", "then", "ranks")

    recipe: Literal["sharding"] = "sharding"
    """Name of the recipe."""
    id: Slug = "sharding"
    shape: list[Annotated[int, Field(ge=1, le=2**40)]] = Field(default=[8, 8], min_length=1, max_length=3)
    """Elements along each dimension of the tensor. Dimensions of more than 16 have cells of several elements."""
    mesh: dict[Id, Annotated[int, Field(ge=1, le=MOST_FILLED_OWNERS)]] = Field(
        default={"dp": 2, "tp": 4}, min_length=1, max_length=4
    )
    """Axes of the mesh with their numbers of ranks, such as `{dp: 2, tp: 4}`; ranks count along the last axis first."""
    ranks: int | None = Field(default=None, ge=1)
    """Number of ranks, to check the mesh; null is the product of its axes."""
    placements: list[PlacementName] = Field(default=["Shard(0)", "Shard(1)"], min_length=1)
    """Placement along each axis of the mesh, as in PyTorch: `Shard(d)` cuts dimension d into pieces of ceil(n/m)
    elements, from the left axis to the right one. A `StridedShard(d)` cuts after all axes to its right."""
    then: list[PlacementName] | None = None
    """Placements after a redistribution, which tikzgen computes axis by axis. Null has none."""
    parts: bool | None = None
    """Whether the part on each rank is also drawn. Null draws it if there is a redistribution."""
    labels: ShardingLabels = Field(default_factory=ShardingLabels)
    """Labels of the figure."""

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the ranks."""
        return [f"rank {rank}" for rank in range(prod(self.mesh.values()))]

    def measure_arrays(self) -> Told:
        """Return the elements on each rank, and the elements that it receives."""
        pieces = self._pieces
        told: Told = {"elements": tuple(count_elements(box) for box in pieces.before.values())}
        if self.then is not None:
            received = [step.received for step in pieces.steps]
            told["received"] = tuple(map(sum, zip(*received, strict=True))) if received else (0,) * len(pieces.before)
            told["elements_after"] = tuple(count_elements(box) for box in pieces.after.values())
        return told

    @property
    def _pieces(self) -> _Pieces:
        return self.compute_once("pieces", self._cut_pieces)

    def _cut_pieces(self) -> _Pieces:
        sizes, before = [*self.mesh.values()], [*map(read_placement, self.placements)]
        check_placements(self.shape, sizes, before)
        after = [*map(read_placement, self.then)] if self.then is not None else before
        check_placements(self.shape, sizes, after, "then")
        boxes = [hold_boxes(self.shape, sizes, each) for each in (before, after)]
        steps = tuple(plan_redistribution(self.shape, sizes, before, after))
        found = [box for each in boxes for box in each.values()]
        units = tuple(
            _choose_unit(length, {bound for box in found for bound in box[dimension]}, dimension)
            for dimension, length in enumerate(self.shape)
        )
        return _Pieces(boxes[0], boxes[1], steps, units)

    def check_facts(self) -> None:
        """Check the parameters that concern each other."""
        count = prod(self.mesh.values())
        if self.ranks is not None and self.ranks != count:
            hint = f"use a mesh of {self.ranks}, or ranks: {count}"
            fail(f"the mesh has {count} ranks, not {self.ranks}", "mesh", hint=hint)
        if count > MOST_FILLED_OWNERS:
            fail(f"{count} ranks are more than {MOST_FILLED_OWNERS}", "mesh", hint="draw a smaller mesh")

    def summary(self) -> str:
        mesh = " by ".join(f"{size} ({name})" for name, size in self.mesh.items())
        shape = " by ".join(map(str, self.shape))
        return f"A tensor of {shape} elements on a mesh of {mesh} ranks, placed as {_list_placements(self.placements)}"

    def list_derivations(self) -> list[str]:
        """Return the collectives with the received elements, and the ranks without elements."""
        told = [f"{self._name_step(step)}: {_spell_received(step)}" for step in self._pieces.steps]
        empty = [f"rank {rank}" for rank, box in enumerate(self._pieces.before.values()) if not count_elements(box)]
        alike = [
            f"{join_words([f'rank {rank}' for rank in own])} have equal parts"
            for own in self._group_ranks().values()
            if len(own) > 1
        ]
        return told + alike[:_MOST_GROUPS] + ([f"no elements on {list_names(empty)}"] if empty else [])

    def _group_ranks(self) -> dict[Box, list[int]]:
        """Return the ranks of each part of the tensor that has elements."""
        ranks: dict[Box, list[int]] = {}
        for rank, box in enumerate(self._pieces.before.values()):
            if count_elements(box):
                ranks.setdefault(box, []).append(rank)
        return ranks

    def _name_step(self, step: Redistribution) -> str:
        return f"{step.name} along {[*self.mesh][step.axis]}"

    def expand(self) -> FigureModel:
        """Return the tensor by rank, then the part on each rank."""
        count = prod(self.mesh.values())
        content = [self._draw_tensor()]
        if self.parts or (self.parts is None and self.then is not None):
            content.append(self._draw_parts(count))
        return FigureModel(panels=[Panel(content=content)], **self.collect_common_options())

    def _draw_tensor(self) -> Cells:
        texts, pieces = self.labels, self._pieces
        label = fill_placeholders(
            texts.tensor, shape=r" $\times$ ".join(map(str, self.shape)), placements=_list_placements(self.placements)
        )
        ranks = self._group_ranks()
        regions = [
            CellRegion(at=self._keys(box), fill=LETTERS[own[0]], label=_spell_ranks(own)) for box, own in ranks.items()
        ]
        rows, columns = (self._make_header(dimension, ranks) for dimension in range(-2, 0))
        tensor = CellArray(
            id="w",
            label=label,
            label_at="below",
            size=self._size,
            rows=rows,
            columns=columns,
            regions=regions,
            divided=True,
        )
        notes = []
        if axes := self._list_uncut_axes():
            notes.append(FreeNote(text=fill_placeholders(texts.whole, axes=axes)))
        if any(unit > 1 for unit in pieces.units):
            shape = r" $\times$ ".join(map(str, pieces.units))
            notes.append(FreeNote(text=fill_placeholders(texts.cell, shape=shape)))
        return Cells(
            arrays=[tensor],
            keys=self._make_keys(self.placements),
            braces=list(self._iterate_braces()),
            notes=notes,
            owner_name=texts.rank,
        )

    @property
    def _size(self) -> list[int]:
        """Size of the drawn arrays, in cells."""
        sizes = [length // unit for length, unit in zip(self.shape, self._pieces.units, strict=True)]
        return sizes if len(sizes) > 1 else [1, *sizes]

    def _keys(self, box: Box) -> str:
        """Return the cells of a box as keys of the drawn array."""
        ranges = [(a // unit, b // unit) for (a, b), unit in zip(box, self._pieces.units, strict=True)]
        return write_keys(*([(0, 1)] if len(ranges) == 1 else []), *ranges)

    def _make_keys(self, names: Sequence[str]) -> dict[str, CellKey]:
        hatch: Any = "north east lines" if any(read_placement(name).kind == "partial" for name in names) else "none"
        return {
            letter: CellKey(owner=rank, hatch=hatch) for rank, letter in enumerate(LETTERS[: prod(self.mesh.values())])
        }

    def _make_header(self, place: int, boxes: dict[Box, list[int]]) -> Header:
        """Return the header of rows or columns: coordinates of the ranks along the cutting axes."""
        dimension = len(self.shape) + place
        cutting = [axis for axis, name in enumerate(self.placements) if self._cuts(name, dimension)]
        if dimension < 0 or not cutting:
            return Header(side="none")
        ranks, unit = list_ranks([*self.mesh.values()]), self._pieces.units[dimension]
        ranges = sorted(
            {(box[dimension], tuple(ranks[own[0]][axis] for axis in cutting)) for box, own in boxes.items()}
        )
        groups = [
            HeaderGroup(cells=f"{first // unit}:{end // unit}", label=", ".join(map(str, at)))
            for (first, end), at in ranges
        ]
        return Header(side="none", groups=groups)

    def _list_uncut_axes(self) -> str:
        """Return the axes of the mesh that do not cut the tensor, with their sizes."""
        return ", ".join(
            fill_placeholders(self.labels.axis, axis=name, n=size)
            for (name, size), placement in zip(self.mesh.items(), self.placements, strict=True)
            if not read_placement(placement).cuts
        )

    def _cuts(self, name: str, dimension: int) -> bool:
        placement = read_placement(name)
        return placement.cuts and placement.dimension == dimension

    def _iterate_braces(self) -> Iterator[CellBrace]:
        sides: tuple[tuple[int, Literal["rows", "columns"]], ...] = ((-2, "rows"), (-1, "columns"))
        for place, axis in sides:
            dimension = len(self.shape) + place
            names = [
                fill_placeholders(self.labels.axis, axis=name, n=self.mesh[name])
                for name, placement in zip(self.mesh, self.placements, strict=True)
                if self._cuts(placement, dimension)
            ]
            if names and dimension >= 0:
                yield CellBrace(over="w", label=", ".join(names), axis=axis)

    def _draw_parts(self, count: int) -> Cells:
        pieces = self._pieces
        names = self.placements if self.then is None else self.then
        was_partial = any(read_placement(name).kind == "partial" for name in self.placements)
        source = pieces.after if was_partial else pieces.before
        owners: dict[Box, int] = {}
        for rank, box in enumerate(source.values()):
            owners.setdefault(box, rank)
        ranks = [*pieces.after]
        # the label of its owner array names an owner, if the array has elements of it
        is_numbered = len(owners) > _MOST_UNNAMED_OWNERS and any(
            not count_elements(_intersect(pieces.after[ranks[owner]], held)) for held, owner in owners.items()
        )
        arrays = []
        for rank, (at, box) in enumerate(pieces.after.items()):
            fills = [
                (common, owner) for held, owner in owners.items() if count_elements(common := _intersect(box, held))
            ]
            regions = [
                CellRegion(at=self._keys(common), fill=LETTERS[owner], label=str(owner) if is_numbered else "")
                for common, owner in fills
            ]
            kept = _intersect(box, pieces.before[at])
            marks = []
            if pieces.steps and not was_partial and count_elements(kept) and kept != box:
                marks = [CellMark(at=self._keys(kept))]
            arrays.append(
                CellArray(
                    id=f"r{rank}",
                    label=fill_number(self.labels.rank, rank),
                    size=self._size,
                    fill=self._make_holes(),
                    regions=regions,
                    marks=marks,
                    rows=Header(side="none"),
                    columns=Header(side="none"),
                )
            )
        texts = self.labels
        told = [
            fill_placeholders(
                texts.step, collective=step.name, axis=[*self.mesh][step.axis], received=_spell_received(step)
            )
            for step in pieces.steps
        ]
        after = fill_placeholders(texts.after, placements=_list_placements(names))
        return Cells(
            arrays=arrays,
            arrange="grid",
            columns=min(count, [*self.mesh.values()][-1]) if len(self.mesh) > 1 else None,
            keys=self._make_keys(names),
            entry=CellEntry(label="\n".join(told), kind="message" if told else "data"),
            notes=[FreeNote(text=after)],
            owner_name=texts.rank,
        )

    def _make_holes(self) -> str | list[str]:
        *layers, rows, columns = self._size
        lines = "\n".join([HOLE * columns] * rows)
        return [lines] * layers[0] if layers else lines


def read_placement(name: str) -> Placement:
    """Return the placement that a name states.

    >>> str(read_placement("S(1)")), str(read_placement("R")), str(read_placement("StridedShard(0)"))
    ('Shard(1)', 'Replicate', 'StridedShard(0)')
    """
    kind, _, dimension = name.rstrip("()").partition("(")
    if dimension:
        return Placement("strided" if kind == "StridedShard" else "shard", int(dimension))
    return Placement("replicate" if kind.startswith("R") else "partial")


def _list_placements(names: Sequence[str]) -> str:
    return f"[{', '.join(str(read_placement(name)) for name in names)}]"


def _choose_unit(length: int, bounds: set[int], dimension: int) -> int:
    """Return the elements in a cell along a dimension, so that pieces end between cells."""
    if length <= _SINGLE_CELLS:
        return 1
    unit = gcd(length, *bounds)
    while unit % 2 == 0 and length // unit < _FEWEST_CELLS:
        unit //= 2
    if length // unit > _MOST_CELLS:
        message = f"pieces of {unit} of {length} elements need more than {_MOST_CELLS} cells"
        fail(message, "shape", dimension, hint="use a length that the mesh divides, or a shorter one")
    return unit


def _intersect(one: Box, two: Box) -> Box:
    pairs = ((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, two, strict=True))
    return tuple((first, max(first, end)) for first, end in pairs)


def _spell_ranks(ranks: Sequence[int]) -> str:
    """Return ranks as a short text: `0`, `0, 4`, `0–3`."""
    if len(ranks) > 2 and ranks[-1] - ranks[0] == len(ranks) - 1:
        return f"{ranks[0]}–{ranks[-1]}"
    return ", ".join(map(str, ranks)) if len(ranks) < 4 else f"{ranks[0]}, {ranks[1]}, …, {ranks[-1]}"


def _spell_received(step: Redistribution) -> str:
    """Return the elements that a rank receives, as a number or a range."""
    least, most = min(step.received), max(step.received)
    if not most:
        return "nothing is received"
    amount = spell_rounded(most) if least == most else f"{spell_rounded(least)} to {spell_rounded(most)}"
    return f"each rank receives {amount} {'element' if least == most == 1 else 'elements'}"
