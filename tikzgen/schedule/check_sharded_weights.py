"""Whether parameters are there when a stage computes, and gradients are summed once, after the last of them."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.schedule.actions import Action, Rows, Verb, homes_of
from tikzgen.schedule.broken_rules import Finding, broken_dependency
from tikzgen.schedule.operation import Kind


def check_parameters(rows: Rows) -> tuple[Finding, ...]:
    """Every action on parameters that cannot be, and every computation without them; nothing in lists without any.

    Where one stage is UNSHARDed or RESHARDed, all begin sharded, and each computes between the two. Where one stage
    has its REDUCE_GRAD, each stage that computes gradients has one, once, after the last of them.
    """
    homes = homes_of(rows)
    verbs = {action.verb for row in rows for action in row}
    sharding = bool(verbs & {Verb.UNSHARD, Verb.RESHARD})
    found = (each for rank, row in enumerate(rows) for each in _parameters(rank, row, homes, sharding))
    return (*found, *(_unreduced(rows) if Verb.REDUCE_GRAD in verbs else ()))


def _parameters(rank: int, row: tuple[Action, ...], homes: dict[int, set[int]], sharding: bool) -> Iterator[Finding]:
    gathered: set[int] = set()
    reduced: set[int] = set()
    for position, action in enumerate(row):
        if action.verb in (Verb.UNSHARD, Verb.RESHARD, Verb.REDUCE_GRAD):
            stage, message = action.stage, ""
            if rank not in homes.get(stage, ()):
                message = f"{action} stands on rank {rank}, which does not compute stage {stage}"
            elif action.verb is Verb.UNSHARD and stage in gathered:
                message = f"{action} gathers what is there already: stage {stage} was not RESHARDed since"
            elif action.verb is Verb.RESHARD and stage not in gathered:
                message = f"{action} frees what is not there: stage {stage} is not UNSHARDed here"
            elif action.verb is Verb.REDUCE_GRAD and stage in reduced:
                message = f"{action} stands twice: stage {stage}'s gradients are summed already"
            if message:
                yield broken_dependency(message, rank, position)
            changed = reduced if action.verb is Verb.REDUCE_GRAD else gathered
            (changed.discard if action.verb is Verb.RESHARD else changed.add)(stage)
        for task in action.tasks:
            if sharding and task.stage not in gathered:
                message = f"{task} needs stage {task.stage}'s parameters, which are sharded here"
                yield broken_dependency(message, rank, position, task)
            if task.stage in reduced and task.kind is not Kind.FORWARD:
                message = f"{task} comes after {task.stage}REDUCE_GRAD, which has summed stage {task.stage}'s gradients"
                yield broken_dependency(message, rank, position, task)


def _unreduced(rows: Rows) -> Iterator[Finding]:
    """Stages with gradients that their rank does not sum, where others are."""
    for rank, row in enumerate(rows):
        reduced = {action.stage for action in row if action.verb is Verb.REDUCE_GRAD}
        last = {
            task.stage: (position, task)
            for position, action in enumerate(row)
            for task in action.tasks
            if task.kind is not Kind.FORWARD
        }
        for stage, (position, task) in last.items():
            if stage not in reduced:
                message = f"{stage}REDUCE_GRAD is missing after {task}: other gradients are summed"
                yield broken_dependency(message, rank, position + 1)
