"""Parallelism of a measured run: axes and positions of ranks, from the spec or from evidence.

Evidence, in order: labels of ranks, process groups, stages in annotations. Without evidence no axis is claimed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.record import NOTHING, replace
from tikzgen.trace.annotated_operations import annotated_stages
from tikzgen.trace.run_model import Evidence, Parallelism, TraceRun

Places: TypeAlias = dict[int, dict[str, int]]

_GROUP_NAMES = {
    "pp": "mesh_pp|pipeline_model_parallel_group",
    "dp": "mesh_dp|mesh_fsdp|data_parallel_group",
    "dp_replicate": "mesh_dp_replicate",
    "dp_shard": "mesh_dp_shard",
    "cp": "mesh_cp|context_parallel_group",
    "ep": "mesh_ep|expert_model_parallel_group",
    "tp": "mesh_tp|tensor_model_parallel_group",
}
"""Descriptions of process groups by axis, as whole names: `mesh_dp_cp` is a product of axes.

The axes are sorted from outside in: the ranks of a tp group are adjacent.
"""


def find_parallelism(
    run: TraceRun, given: Mapping[str, int | Sequence[Sequence[int]]] = NOTHING, order: Sequence[str] = ()
) -> TraceRun:
    """Return the run with its parallelism: `given` by the spec, else from evidence in the traces.

    Raise `TikzgenError` if the spec does not fit the ranks, or contradicts the process groups.
    """
    by_groups, named = _read_groups(run)
    if given:
        found = _read_spec(run, given, order)
        _check_groups(found, by_groups, named)
    else:
        found = _read_labels(run) or _read_evidence(run, by_groups, named)
    warnings = [*run.warnings, *_find_misfits(run, found)]
    return replace(run, parallelism=found, warnings=tuple(warnings))


def _read_spec(run: TraceRun, given: Mapping[str, int | Sequence[Sequence[int]]], order: Sequence[str]) -> Parallelism:
    """Return the parallelism of the spec: sizes from outside in, or the groups of an axis."""
    names = [*(order or given)]
    if order and set(order) != set(given):
        raise TikzgenError("parallelism: order must name every given axis once", hint=f"order: [{', '.join(given)}]")
    sizes = {axis: value for axis in names if isinstance(value := given[axis], int)}
    places: Places = {rank: {} for rank in run.ranks}
    for axis in names:
        groups = given[axis]
        if not isinstance(groups, int):
            _place_groups(places, axis, groups)
            sizes[axis] = len(groups[0])
    if all(isinstance(given[axis], int) for axis in names):
        if prod(sizes.values()) != run.world:
            spelt = " × ".join(map(str, sizes.values()))
            raise TikzgenError(f"parallelism: {spelt} is not the number of ranks, {run.world}")
        for rank, place in places.items():
            for axis in reversed(names):
                rank, place[axis] = divmod(rank, sizes[axis])
    else:
        rest = [axis for axis in names if isinstance(given[axis], int)]
        if len(rest) > 1:
            message = f"parallelism: {rest[0]} and {rest[1]} are sizes, other axes are groups"
            raise TikzgenError(message, hint="list the groups of all but one axis")
        if rest and _number_copies(places, rest[0]) != sizes[rest[0]]:
            raise TikzgenError(f"parallelism: {rest[0]} {sizes[rest[0]]} does not fit the listed groups")
    return Parallelism({axis: sizes[axis] for axis in names}, places, (Evidence("spec"),))


def _place_groups(places: Places, axis: str, groups: Sequence[Sequence[int]]) -> None:
    """Add the positions on an axis, from its groups of ranks."""
    members = Counter(rank for group in groups for rank in group)
    if len({len(group) for group in groups}) > 1 or max(members.values()) > 1:
        raise TikzgenError(f"parallelism: {axis}: groups must have one size and no rank twice")
    missing = [rank for rank in places if rank not in members]
    if missing:
        raise TikzgenError(f"parallelism: {axis}: rank {missing[0]} is in no group")
    for group in groups:
        for position, rank in enumerate(group):
            if rank in places:
                places[rank][axis] = position


def _number_copies(places: Places, axis: str) -> int:
    """Number ranks with equal positions on a further axis; return its size, or 0 if the numbers differ."""
    alike: Counter[tuple[tuple[str, int], ...]] = Counter()
    for place in places.values():
        key = tuple(sorted(place.items()))
        place[axis] = alike[key]
        alike[key] += 1
    return max(alike.values()) if len(set(alike.values())) == 1 else 0


def _read_labels(run: TraceRun) -> Parallelism | None:
    labels = {number: dict(rank.label) for number, rank in run.ranks.items()}
    axes = next(iter(labels.values()))
    if not axes or any(label.keys() != axes.keys() for label in labels.values()):
        return None
    sizes = {axis: 1 + max(label[axis] for label in labels.values()) for axis in axes}
    return Parallelism(_sort_axes(sizes), labels, (Evidence("labels"),))


def _sort_axes(sizes: Mapping[str, int]) -> dict[str, int]:
    """Sort axes from outside in, unknown ones last."""
    return {axis: sizes[axis] for axis in (*_GROUP_NAMES, *sizes) if axis in sizes}


def _read_groups(run: TraceRun) -> tuple[Parallelism, dict[str, str]]:
    """Return the axes that the process groups of all ranks state, and the description of each."""
    sizes: dict[str, int] = {}
    named: dict[str, str] = {}
    places: Places = {number: {} for number in run.ranks}
    for number, rank in run.ranks.items():
        for group in rank.groups:
            for axis, pattern in _GROUP_NAMES.items():
                known = re.fullmatch(pattern, group.description, re.IGNORECASE)
                if known and number in group.ranks and len(group.ranks) > 1:
                    sizes[axis], named[axis] = len(group.ranks), group.description
                    places[number][axis] = sorted(group.ranks).index(number)
    if any(place.keys() != sizes.keys() for place in places.values()):
        return Parallelism(), {}
    return Parallelism(_sort_axes(sizes), places), named


def _read_evidence(run: TraceRun, by_groups: Parallelism, named: Mapping[str, str]) -> Parallelism:
    """Return the parallelism by process groups, then annotated stages; ranks with equal positions are copies."""
    sizes: dict[str, int] = dict(by_groups.axes)
    places: Places = {number: dict(by_groups.places.get(number, {})) for number in run.ranks}
    evidence = [Evidence("groups", tuple(dict.fromkeys(named.values())))] if sizes else []
    complete = len(run.ranks) == run.world
    if "pp" not in sizes and complete:
        sets = [*map(annotated_stages, run.ranks.values())]
        distinct = sorted(set(sets), key=lambda stages: min(stages, default=0))
        if all(sets) and sum(map(len, distinct)) == len(frozenset().union(*distinct)):
            sizes["pp"] = len(distinct)
            evidence.append(Evidence("annotations"))
            for number, stages in zip(run.ranks, sets, strict=True):
                places[number]["pp"] = distinct.index(stages)
    if sizes and complete and prod(sizes.values()) < run.world:
        axis = "dp" if "dp" not in sizes else "rest"
        copies = _number_copies(places, axis)
        if copies * prod(sizes.values()) == run.world:
            sizes[axis] = copies
        else:
            for place in places.values():
                del place[axis]
    if all(size == 1 for size in sizes.values()):
        return Parallelism()
    return Parallelism(_sort_axes(sizes), places, tuple(evidence))


def _check_groups(given: Parallelism, by_groups: Parallelism, named: Mapping[str, str]) -> None:
    """Raise `TikzgenError` if the spec contradicts the process groups."""
    for axis, size in by_groups.axes.items():
        if axis not in given.axes:
            continue
        differ = (rank for rank, place in by_groups.places.items() if given.places[rank][axis] != place[axis])
        wrong = next(differ, None)
        if given.axes[axis] != size or wrong is not None:
            where = f" and puts rank {wrong} elsewhere" if given.axes[axis] == size else ""
            message = f"parallelism: {axis} {given.axes[axis]} contradicts process group {quote(named[axis])}"
            raise TikzgenError(f"{message}, which has {size} ranks{where}", hint="leave it out, or correct it")


def _find_misfits(run: TraceRun, found: Parallelism) -> list[str]:
    """Return warnings about annotated stages that do not fit the place of their rank: round robin, or a V.

    Stages fit by definition if the places come from them.
    """
    size = found.axes.get("pp", 0)
    if not size or any(each.by == "annotations" for each in found.evidence):
        return []
    warnings = []
    for number, rank in run.ranks.items():
        place = found.places[number]["pp"]
        wrong = [stage for stage in annotated_stages(rank) if stage % size != place and 2 * size - 1 - stage != place]
        if wrong:
            warnings.append(f"rank {number} has pp place {place}, but annotates stage {min(wrong)}")
    return warnings
