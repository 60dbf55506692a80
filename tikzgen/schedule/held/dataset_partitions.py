"""Dependencies between partitions of datasets, and the stages that they cause.

A dependency is narrow if at most one partition of the child uses each partition of the parent, else wide. Stages end at
wide dependencies. A join of parents with the partitioning of the child is narrow. Source: Zaharia et al., "Resilient
Distributed Datasets" (NSDI 2012), section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from tikzgen.base.errors import quote
from tikzgen.base.record import Record
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts

Transformation: TypeAlias = Literal["map", "filter", "union", "join", "group"]


class DatasetStep(Record):
    """Transformation of datasets to a new one.

    `aligned` are the parents of a join with the partitioning of the child; None computes them.
    """

    operation: Transformation
    parents: tuple[str, ...]
    child: str
    aligned: tuple[str, ...] | None = None


class DatasetDependency(Record):
    """DatasetDependency between two datasets; `pairs` are the partitions of the parent and the child."""

    parent: str
    child: str
    wide: bool
    pairs: tuple[tuple[int, int], ...]


class Lineage(Record):
    """Dependencies of datasets, and the stages: sets of datasets joined by narrow dependencies."""

    dependencies: tuple[DatasetDependency, ...]
    stages: tuple[tuple[str, ...], ...]


def trace_lineage(partitions: Mapping[str, int], steps: Sequence[DatasetStep]) -> Lineage:
    """Return the dependencies and stages. Raise `ImpossibleFacts` for unknown datasets and unfit numbers of partitions.

    The results of `group` and `join` are partitioned by key, and a filter keeps this. A join has a narrow dependency on
    such a parent with as many partitions.
    """
    keyed: set[str] = set()
    made: set[str] = set()
    found: list[DatasetDependency] = []
    for index, step in enumerate(steps):
        _check_step(partitions, step, index, made, steps)
        made.add(step.child)
        count, first = partitions[step.child], 0
        for place, parent in enumerate(step.parents):
            size = partitions[parent]
            known = parent in keyed and size == count if step.aligned is None else parent in step.aligned
            if step.operation in ("map", "filter", "union") or (step.operation == "join" and known):
                if step.operation != "union" and size != count:
                    _refuse_counts(partitions, step, index, place)
                pairs = tuple((part, first + part) for part in range(size))
            else:
                pairs = tuple((part, other) for part in range(size) for other in range(count))
            used = [part for part, _ in pairs]
            found.append(DatasetDependency(parent, step.child, len(set(used)) < len(used), pairs))
            first += size if step.operation == "union" else 0
        if step.operation == "union" and first != count:
            message = f"the parents of {step.child} have {first} partitions, not {count}"
            raise ImpossibleFacts(message, "datasets", step.child, hint=f"use {first}")
        if step.operation in ("group", "join") or (step.operation == "filter" and step.parents[0] in keyed):
            keyed.add(step.child)
    return Lineage(tuple(found), _join_stages(partitions, found))


def _check_step(
    partitions: Mapping[str, int], step: DatasetStep, index: int, made: set[str], steps: Sequence[DatasetStep]
) -> None:
    later = {each.child for each in steps[index:]}
    for place, parent in enumerate(step.parents):
        if parent not in partitions:
            raise ImpossibleFacts(f"unknown dataset {quote(parent)}", "steps", index, "of", place, hint="list it")
        if parent in step.parents[:place]:
            message = f"{parent} is used twice"
            raise ImpossibleFacts(message, "steps", index, "of", place, hint="name each parent once")
        if parent in later:
            message = f"{parent} does not exist before this step"
            raise ImpossibleFacts(message, "steps", index, "of", place, hint="list steps in their order")
    if step.child not in partitions:
        raise ImpossibleFacts(f"unknown dataset {quote(step.child)}", "steps", index, "to", hint="list it")
    if step.child in made:
        raise ImpossibleFacts(
            f"{step.child} is made twice", "steps", index, "to", hint="each step makes another dataset"
        )
    for place, parent in enumerate(step.aligned or ()):
        if parent not in step.parents or step.operation != "join":
            message = f"{quote(parent)} is not joined by this step"
            raise ImpossibleFacts(message, "steps", index, "narrow", place, hint="name a parent of a join")


def _refuse_counts(partitions: Mapping[str, int], step: DatasetStep, index: int, place: int) -> None:
    parent = step.parents[place]
    message = f"{parent} has {partitions[parent]} partitions, but {step.child} has {partitions[step.child]}"
    if step.operation == "join":
        where = (step.aligned or ()).index(parent)
        hint = f"use {partitions[parent]} for {step.child}, or leave {parent} out"
        raise ImpossibleFacts(message, "steps", index, "narrow", where, hint=hint)
    raise ImpossibleFacts(
        message, "datasets", step.child, hint=f"a {step.operation} keeps them: use {partitions[parent]}"
    )


def _join_stages(
    partitions: Mapping[str, int], dependencies: Sequence[DatasetDependency]
) -> tuple[tuple[str, ...], ...]:
    """Return the sets of datasets that narrow dependencies connect, in the order of their first datasets."""
    stage = {name: [name] for name in partitions}
    for each in dependencies:
        if not each.wide and stage[each.parent] is not stage[each.child]:
            stage[each.parent].extend(stage[each.child])
            for name in stage[each.child]:
                stage[name] = stage[each.parent]
    order = {name: place for place, name in enumerate(partitions)}
    sets = {id(names): tuple(sorted(names, key=order.__getitem__)) for names in stage.values()}
    return tuple(sorted(sets.values(), key=lambda names: order[names[0]]))
