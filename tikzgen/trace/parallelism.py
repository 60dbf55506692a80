"""Parallelism of a measured run: axes and positions of ranks, from the spec or from evidence.

Evidence, in order: labels of ranks, process groups, stages in annotations. Without evidence no axis is claimed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.record import NOTHING, Record, replace
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


_REUSED = "ep"
"""Axis that may share the ranks of other axes: experts are often spread over the copies of the model."""


class AxisGroups(Record):
    """Process groups of an axis: their description, and the sorted ranks of the group of each rank."""

    name: str
    members: Mapping[int, tuple[int, ...]]


def hint_axes(world: int) -> str:
    """Return the fix for unknown axes of parallelism."""
    return f"parallelism gives the sizes of pp, dp, cp, ep and tp; their product is {world}"


def find_parallelism(
    run: TraceRun, given: Mapping[str, int | Sequence[Sequence[int]]] = NOTHING, order: Sequence[str] = ()
) -> TraceRun:
    """Return the run with its parallelism: `given` by the spec, else from evidence in the traces.

    Raise `TikzgenError` if the spec does not fit the ranks, or contradicts the process groups.
    """
    groups = _read_groups(run)
    told: list[str] = []
    if given:
        found = _read_spec(run, given, order, groups)
        _check_groups(found, groups)
    else:
        told = [*_find_uneven(groups)]
        found = _read_labels(run) or _read_evidence(run, {} if told else groups)
    warnings = [*run.warnings, *told, *_find_misfits(run, found)]
    return replace(run, parallelism=found, warnings=tuple(warnings))


def _read_spec(
    run: TraceRun,
    given: Mapping[str, int | Sequence[Sequence[int]]],
    order: Sequence[str],
    known: Mapping[str, AxisGroups],
) -> Parallelism:
    """Return the parallelism of the spec: sizes from outside in, or the groups of an axis.

    Listed groups that are less than the run are copies: `dp`, or `rest` if process groups state further axes.
    """
    names = [*(order or given)]
    if order and set(order) != set(given):
        raise TikzgenError("parallelism: order must name every given axis once", hint=f"order: [{', '.join(given)}]")
    sizes = {axis: value for axis in names if isinstance(value := given[axis], int)}
    listed = {axis: groups for axis in names if not isinstance(groups := given[axis], int)}
    rest = [*sizes]
    every = {rank for groups in listed.values() for group in groups for rank in group}
    places: Places = {rank: {} for rank in sorted({*run.ranks, *every})}
    for axis, groups in listed.items():
        _place_groups(places, axis, groups)
        sizes[axis] = len(groups[0])
    if not listed:
        if prod(sizes.values()) != run.world:
            spelt = " × ".join(map(str, sizes.values()))
            raise TikzgenError(f"parallelism: {spelt} is not the number of ranks, {run.world}")
        for rank, place in places.items():
            for axis in reversed(names):
                rank, place[axis] = divmod(rank, sizes[axis])
    elif len(rest) > 1:
        message = f"parallelism: {rest[0]} and {rest[1]} are sizes, other axes are groups"
        raise TikzgenError(message, hint="list the groups of all but one axis")
    else:
        axis = rest[0] if rest else "dp" if "dp" not in names and known.keys() <= {*names, "dp"} else "rest"
        copies = _number_copies(places, axis, [group for groups in listed.values() for group in groups])
        if rest and copies != sizes[axis]:
            raise TikzgenError(f"parallelism: {axis} {sizes[axis]} does not fit the listed groups")
        if copies * prod(sizes[axis] for axis in listed) != len(places):
            hint = "ranks of a group differ on its axis only"
            raise TikzgenError(f"parallelism: the groups of {' and '.join(listed)} do not fit each other", hint=hint)
        if not rest and copies > 1:
            names, sizes[axis] = [*names, axis], copies
    own = {rank: {axis: place[axis] for axis in names} for rank, place in places.items() if rank in run.ranks}
    return Parallelism({axis: sizes[axis] for axis in names}, own, (Evidence("spec"),))


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
            places[rank][axis] = position


def _number_copies(places: Places, axis: str, groups: Iterable[Sequence[int]]) -> int:
    """Number ranks with equal positions on a further axis; return its size, or 0 if the numbers differ.

    Ranks of one group are in one copy.
    """
    alike: Counter[tuple[tuple[str, int], ...]] = Counter()
    for ranks in _join_groups(places, groups):
        keys = [tuple(sorted(places[rank].items())) for rank in ranks]
        copy = max(alike[key] for key in keys)
        for rank in ranks:
            places[rank][axis] = copy
        alike.update(keys)
    distinct = {tuple(sorted(place.items())) for place in places.values()}
    sizes = set(alike.values())
    return sizes.pop() if len(sizes) == 1 and len(distinct) == len(places) else 0


def _join_groups(places: Places, groups: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the sets of ranks that groups join, each sorted, in the order of their first ranks."""
    sets = {rank: {rank} for rank in places}
    for group in groups:
        joined = set().union(*(sets[rank] for rank in group if rank in sets))
        sets.update(dict.fromkeys(joined, joined))
    return [sorted(own) for rank, own in sorted(sets.items()) if rank == min(own)]


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


def _read_groups(run: TraceRun) -> dict[str, AxisGroups]:
    """Return the process groups of each axis that the traces state, sorted from outside in."""
    found: dict[str, AxisGroups] = {}
    for axis, pattern in _GROUP_NAMES.items():
        own = {
            number: group
            for number, rank in run.ranks.items()
            for group in rank.groups
            if number in group.ranks and len(group.ranks) > 1
            if re.fullmatch(pattern, group.description, re.IGNORECASE)
        }
        if own:
            members = {number: tuple(sorted(group.ranks)) for number, group in own.items()}
            found[axis] = AxisGroups([*own.values()][-1].description, members)
    return found


def _find_uneven(groups: Mapping[str, AxisGroups]) -> Iterator[str]:
    """Yield warnings about axes whose process groups differ in size."""
    for each in groups.values():
        sizes = sorted({len(members) for members in each.members.values()}, reverse=True)
        if len(sizes) > 1:
            spelt = " and ".join(map(str, sizes))
            yield f"process groups {quote(each.name)} have {spelt} ranks: no parallelism is taken from process groups"


def _read_evidence(run: TraceRun, groups: Mapping[str, AxisGroups]) -> Parallelism:
    """Return the parallelism by process groups, then by annotated stages.

    Process groups count if they state the same axes for all ranks. Ranks with equal positions are copies.
    """
    if any(each.members.keys() != run.ranks.keys() for each in groups.values()):
        groups = {}
    sizes = {axis: len(each.members[next(iter(run.ranks))]) for axis, each in groups.items()}
    places: Places = {
        number: {axis: each.members[number].index(number) for axis, each in groups.items()} for number in run.ranks
    }
    names = dict.fromkeys(each.name for each in groups.values())
    evidence = [Evidence("groups", tuple(names))] if sizes else []
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
        joined = {members for each in groups.values() for members in each.members.values()}
        copies = _number_copies(places, axis, joined)
        if copies * prod(sizes.values()) == run.world:
            sizes[axis] = copies
        else:
            for place in places.values():
                del place[axis]
    if all(size == 1 for size in sizes.values()):
        return Parallelism()
    return Parallelism(_sort_axes(sizes), places, tuple(evidence))


def _check_groups(given: Parallelism, groups: Mapping[str, AxisGroups]) -> None:
    """Raise `TikzgenError` if the spec contradicts the process groups.

    The spec may leave out an axis only if its groups may share the ranks of other axes.
    """
    for axis, each in groups.items():
        if axis not in given.axes and (axis == _REUSED or {axis.partition("_")[0], "rest"} & given.axes.keys()):
            continue
        if axis not in given.axes:
            message = f"parallelism: {axis} is missing, but process group {quote(each.name)} has several ranks"
            raise TikzgenError(message, hint="state all axes, or leave parallelism out")
        size = given.axes[axis]
        for rank, members in each.members.items():
            fits = size == len(members)
            if not fits or given.places[rank][axis] != members.index(rank):
                where = f" and puts rank {rank} elsewhere" if fits else ""
                message = f"parallelism: {axis} {size} contradicts process group {quote(each.name)}"
                raise TikzgenError(
                    f"{message}, which has {len(members)} ranks{where}", hint="leave it out, or correct it"
                )


def _find_misfits(run: TraceRun, found: Parallelism) -> list[str]:
    """Return warnings about annotated stages that do not fit the position of their rank.

    Round robin fits, and a V. Stages fit by definition if the positions come from them.
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
