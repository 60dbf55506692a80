"""Shards of tensors on a mesh of ranks, and the collectives between two placements.

`Shard(d)` cuts a dimension like `torch.chunk`: ceil(n/m) elements for each of m ranks, the last pieces shorter or
empty. The axes of the mesh cut from left to right; an axis with `StridedShard(d)` cuts after all axes to its right,
which is FSDP over tensor parallelism. Source: PyTorch, `torch.distributed.tensor` (DTensor placements).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, product
from math import prod
from typing import Literal, TypeAlias

from tikzgen.base.plain_words import count_of
from tikzgen.base.record import Record
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts

Coordinates: TypeAlias = tuple[int, ...]
Box: TypeAlias = tuple[tuple[int, int], ...]
"""Part of a tensor: the first index and the end of each dimension."""


class Placement(Record):
    """Placement of a tensor along one axis of the mesh; `dimension` is the cut one."""

    kind: Literal["shard", "strided", "replicate", "partial"]
    dimension: int = 0

    @property
    def cuts(self) -> bool:
        """Whether it divides a dimension of the tensor."""
        return self.kind in ("shard", "strided")

    def __str__(self) -> str:
        names = {"shard": "Shard", "strided": "StridedShard", "replicate": "Replicate", "partial": "Partial"}
        return f"{names[self.kind]}({self.dimension})" if self.cuts else names[self.kind]


REPLICATE = Placement("replicate")


class Redistribution(Record):
    """A collective along one axis of the mesh; `received` has the elements for each rank, in order."""

    axis: int
    name: Literal["all-gather", "all-reduce", "reduce-scatter", "all-to-all", "slice"]
    after: tuple[Placement, ...]
    received: tuple[Fraction, ...]


def cut_piece(length: int, pieces: int, index: int) -> tuple[int, int]:
    """Return the range of one piece, like `torch.chunk`, with empty pieces at the end.

    >>> [cut_piece(10, 4, index) for index in range(4)], cut_piece(2, 3, 2)
    ([(0, 3), (3, 6), (6, 9), (9, 10)], (2, 2))
    """
    each = -(-length // pieces)
    return min(index * each, length), min((index + 1) * each, length)


def list_ranks(mesh: Sequence[int]) -> list[Coordinates]:
    """Return the coordinates of all ranks, in rank order: the last axis varies fastest."""
    return list(product(*map(range, mesh)))


def order_cuts(placements: Sequence[Placement]) -> list[int]:
    """Return the axes that cut, in the order of cutting: a strided axis follows all axes to its right."""
    order: list[int] = []
    for axis in reversed(range(len(placements))):
        if placements[axis].kind == "shard":
            order.insert(0, axis)
        elif placements[axis].kind == "strided":
            order.append(axis)
    return order


def hold_boxes(shape: Sequence[int], mesh: Sequence[int], placements: Sequence[Placement]) -> dict[Coordinates, Box]:
    """Return the part of the tensor on each rank, by the coordinates of the rank."""
    order = order_cuts(placements)
    held = {}
    for rank in list_ranks(mesh):
        box = [(0, length) for length in shape]
        for axis in order:
            first, end = box[placements[axis].dimension]
            start, stop = cut_piece(end - first, mesh[axis], rank[axis])
            box[placements[axis].dimension] = first + start, first + stop
        held[rank] = tuple(box)
    return held


def count_elements(box: Box) -> int:
    """Return the number of elements in a part of a tensor."""
    return prod(end - first for first, end in box)


def check_placements(
    shape: Sequence[int], mesh: Sequence[int], placements: Sequence[Placement], field: str = "placements"
) -> None:
    """Raise `ImpossibleFacts` if the placements do not fit the mesh or the tensor."""
    if len(placements) != len(mesh):
        message = f"{count_of(len(placements), 'placement')} for a mesh of {len(mesh)}"
        raise ImpossibleFacts(message, field, hint="give one for each axis of the mesh")
    for axis, placement in enumerate(placements):
        if placement.cuts and placement.dimension >= len(shape):
            message = f"the tensor has no dimension {placement.dimension}"
            raise ImpossibleFacts(message, field, axis, hint=f"its dimensions are 0 to {len(shape) - 1}")
    for axis, placement in enumerate(placements):
        if placement.kind == "strided":
            dimension = placement.dimension
            pieces = prod(mesh[i] for i, each in enumerate(placements) if each.cuts and each.dimension == dimension)
            if shape[dimension] % pieces:
                message = (
                    f"{pieces} strided pieces do not divide the {shape[dimension]} elements of dimension {dimension}"
                )
                raise ImpossibleFacts(message, field, axis, hint=f"use a multiple of {pieces}, or Shard")


def plan_redistribution(
    shape: Sequence[int], mesh: Sequence[int], before: Sequence[Placement], after: Sequence[Placement]
) -> list[Redistribution]:
    """Return the collectives from one placement to another, in order.

    Each changes one axis, to its new placement or to `Replicate`, with data from ranks along this axis only. This
    sequence has the fewest received elements, then the fewest collectives.
    """
    for axis, (source, target) in enumerate(zip(before, after, strict=True)):
        if target.kind == "partial" and source.kind != "partial":
            hint = "keep Partial from the placement before, or use Replicate"
            raise ImpossibleFacts(f"no collective makes Partial of {source}", "then", axis, hint=hint)
    start, goal = tuple(before), tuple(after)
    ties = count()
    queue: list[tuple[Fraction, int, int, tuple[Placement, ...], tuple[Redistribution, ...]]]
    queue = [(Fraction(0), 0, next(ties), start, ())]
    done: set[tuple[Placement, ...]] = set()
    while queue:
        cost, steps, _, state, path = heapq.heappop(queue)
        if state == goal:
            return list(path)
        if state not in done:
            done.add(state)
            for step in _iterate_collectives(shape, mesh, state, goal):
                entry = cost + sum(step.received), steps + 1, next(ties), step.after, (*path, step)
                heapq.heappush(queue, entry)
    raise AssertionError("replicating every axis reaches every placement")


def _iterate_collectives(
    shape: Sequence[int], mesh: Sequence[int], state: tuple[Placement, ...], goal: tuple[Placement, ...]
) -> Iterator[Redistribution]:
    """Yield the possible next collectives, rightmost axis first."""
    held = hold_boxes(shape, mesh, state)
    for axis in reversed(range(len(mesh))):
        for target in dict.fromkeys((goal[axis], REPLICATE)):
            if target == state[axis] or target.kind == "partial":
                continue
            after = (*state[:axis], target, *state[axis + 1 :])
            new = hold_boxes(shape, mesh, after)
            if state[axis].kind == "replicate" or state[axis].kind == "partial":
                covered = all(_is_inside(new[rank], held[rank]) for rank in new)
            else:
                covered = all(_is_covered(new[rank], _list_group(held, rank, axis, mesh)) for rank in new)
            if covered:
                received = tuple(
                    _count_received(held[rank], new[rank], state[axis], target, mesh[axis]) for rank in new
                )
                yield Redistribution(axis, _name_collective(state[axis], target, received), after, received)


def _list_group(held: Mapping[Coordinates, Box], rank: Coordinates, axis: int, mesh: Sequence[int]) -> list[Box]:
    """Return the parts of the ranks that differ from a rank along one axis only, with the rank itself."""
    return [held[(*rank[:axis], other, *rank[axis + 1 :])] for other in range(mesh[axis])]


def _is_inside(box: Box, other: Box) -> bool:
    return not count_elements(box) or all(a >= c and b <= d for (a, b), (c, d) in zip(box, other, strict=True))


def _is_covered(box: Box, parts: Sequence[Box]) -> bool:
    """Return whether parts that differ in one dimension contain a box together."""
    if not count_elements(box):
        return True
    for dimension, (reached, end) in enumerate(box):
        for first, stop in sorted(part[dimension] for part in parts):
            if first <= reached:
                reached = max(reached, stop)
        if reached < end:
            return False
    return True


def _count_received(old: Box, new: Box, source: Placement, target: Placement, ranks: int) -> Fraction:
    """Return the elements that a rank receives from the other ranks of an axis.

    An all-reduce receives 2 (n - 1)/n of the elements (Patarasuk and Yuan 2009), a reduce-scatter n - 1 addends for
    each element that stays.
    """
    if source.kind == "partial":
        share = Fraction(2 * (ranks - 1), ranks) if target.kind == "replicate" else Fraction(ranks - 1)
        return share * count_elements(new)
    common = prod(max(0, min(b, d) - max(a, c)) for (a, b), (c, d) in zip(old, new, strict=True))
    return Fraction(count_elements(new) - common)


def _name_collective(
    source: Placement, target: Placement, received: Sequence[Fraction]
) -> Literal["all-gather", "all-reduce", "reduce-scatter", "all-to-all", "slice"]:
    if source.kind == "partial":
        return "all-reduce" if target.kind == "replicate" else "reduce-scatter"
    if not any(received):
        return "slice"
    return "all-gather" if target.kind == "replicate" else "all-to-all"
