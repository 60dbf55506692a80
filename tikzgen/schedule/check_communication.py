"""Checks of communication in operation lists: messages, and parameters and gradients of shards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from typing import TypeAlias

from tikzgen.schedule.actions import Action, Rows, Verb, homes_of
from tikzgen.schedule.exact_numbers import Deadlock
from tikzgen.schedule.operation import NOTHING, OperationNeed, Program, ScheduledOperation, ScheduleLane
from tikzgen.schedule.schedule_faults import ScheduleFault, broken_dependency
from tikzgen.schedule.simulate import simulate
from tikzgen.schedule.tasks import Task, TaskKind

_Message: TypeAlias = tuple[Verb, int, int | None]
_Place: TypeAlias = tuple[int, int]
"""A rank and a position in its list."""
_FORWARD = (TaskKind.FORWARD,)
_GRADIENT = (TaskKind.BACKWARD, TaskKind.INPUT_GRAD)
_COMPUTES = {Verb.SEND_F: _FORWARD, Verb.RECV_F: _FORWARD, Verb.SEND_B: _GRADIENT, Verb.RECV_B: _GRADIENT}
_SENDS = (Verb.SEND_F, Verb.SEND_B)
_OTHER_END = {
    Verb.SEND_F: (Verb.RECV_F, 1),
    Verb.RECV_F: (Verb.SEND_F, -1),
    Verb.SEND_B: (Verb.RECV_B, -1),
    Verb.RECV_B: (Verb.SEND_B, 1),
}


def check_messages(rows: Rows) -> tuple[ScheduleFault, ...]:
    """Return the messages that cannot arrive or are mixed up, as violations; empty without messages.

    The rule is the rule of PyTorch's runtime. A SEND never waits, a RECV waits for its SEND, and each rank runs its
    list in order. Messages between two ranks arrive in the order of the SENDs. Lists with some messages must have all
    of them.
    """
    ends: dict[_Message, _Place] = {}
    findings = [*_stray_ends(rows, ends)]
    if ends or findings:
        findings += _find_broken_messages(rows, ends)
        findings = findings or [*_check_message_order(rows, ends)] or [*_check_deadlocks(rows, ends)]
    return tuple(sorted(findings, key=lambda each: (each.device, each.position)))


def _stray_ends(rows: Rows, ends: dict[_Message, _Place]) -> Iterator[ScheduleFault]:
    """Fill `ends`; find SENDs and RECVs that are duplicate, incomplete or on a rank without their stage."""
    homes = homes_of(rows)
    for rank, position, action in _list_message_ends(rows):
        key = _identify_message(action)
        message = ""
        if action.microbatch is None:
            message = f"{action} names no microbatch"
        elif rank not in homes.get(action.stage, ()):
            message = f"{action} stands on rank {rank}, which does not compute stage {action.stage}"
        elif key in ends:
            message = f"{action} is used twice, first on rank {ends[key][0]}"
        if message:
            yield broken_dependency(message, rank, position)
        else:
            ends[key] = (rank, position)


def _list_message_ends(rows: Rows) -> Iterator[tuple[int, int, Action]]:
    for rank, row in enumerate(rows):
        for position, action in enumerate(row):
            if action.verb in _OTHER_END:
                yield rank, position, action


def _identify_message(action: Action) -> _Message:
    assert action.verb is not None
    return action.verb, action.stage, action.microbatch


def _find_other_end(action: Action) -> Action:
    """Return the other end of a SEND or RECV."""
    assert action.verb is not None
    verb, step = _OTHER_END[action.verb]
    return Action((), verb, action.stage + step, action.microbatch)


def _find_broken_messages(rows: Rows, ends: dict[_Message, _Place]) -> list[ScheduleFault]:
    """Find ends without counterpart, ends in the wrong order, and computations without a required RECV."""
    done: dict[Task, _Place] = {}
    for rank, row in enumerate(rows):
        for position, action in enumerate(row):
            for task in action.tasks:
                done.setdefault(task, (rank, position))
    findings = [each for task, place in done.items() for each in _check_receives(task, *place, ends, done)]
    for rank, position, action in _list_message_ends(rows):
        if ends.get(_identify_message(action)) == (rank, position):
            findings += _check_message_ends(action, rank, position, ends, done)
    return findings


def _check_receives(
    task: Task, rank: int, position: int, ends: dict[_Message, _Place], done: dict[Task, _Place]
) -> Iterator[ScheduleFault]:
    """Find inputs of `task` that another rank computes and this rank does not receive."""
    if task.kind is TaskKind.WEIGHT_GRAD:
        return
    verb, step = (Verb.RECV_F, -1) if task.kind is TaskKind.FORWARD else (Verb.RECV_B, 1)
    sources = (Task(kind, task.stage + step, task.microbatch) for kind in _COMPUTES[verb])
    remote = any(each in done and done[each][0] != rank for each in sources)
    if remote and ends.get((verb, task.stage, task.microbatch), (-1, 0))[0] != rank:
        message = f"{task} uses another rank's result without {task.stage}{verb}{task.microbatch}"
        yield broken_dependency(message, rank, position, task)


def _check_message_ends(
    action: Action, rank: int, position: int, ends: dict[_Message, _Place], done: dict[Task, _Place]
) -> Iterator[ScheduleFault]:
    assert action.verb is not None
    far = _find_other_end(action)
    place = ends.get(_identify_message(far))
    if place is None:
        yield broken_dependency(f"{action} has no other end: {far} is missing", rank, position)
    elif place[0] == rank:
        yield broken_dependency(f"{action} is a message of rank {rank} to itself, which needs none", rank, position)
    tasks = [Task(kind, action.stage, action.microbatch or 0) for kind in _COMPUTES[action.verb]]
    before = [task for task in tasks if task in done and done[task][0] == rank and done[task][1] < position]
    if action.verb in _SENDS and not before:
        yield broken_dependency(f"{action} sends what is not computed yet", rank, position)
    if action.verb not in _SENDS and before:
        yield broken_dependency(f"{action} receives what {before[0]} has used before", rank, position, before[0])


def _check_message_order(rows: Rows, ends: dict[_Message, _Place]) -> Iterator[ScheduleFault]:
    """For each pair of ranks, find the first RECV that would receive the wrong message."""
    sent: dict[tuple[int, int], list[Action]] = defaultdict(list)
    taken: dict[tuple[int, int], list[tuple[int, Action]]] = defaultdict(list)
    for rank, position, action in _list_message_ends(rows):
        far = ends[_identify_message(_find_other_end(action))][0]
        if action.verb in _SENDS:
            sent[rank, far].append(action)
        else:
            taken[far, rank].append((position, action))
    for (source, rank), receives in taken.items():
        for (position, receive), send in zip(receives, sent[source, rank], strict=True):
            if _find_other_end(receive) != send:
                message = (
                    f"{receive} takes the data of {send}: rank {source} sends that before {_find_other_end(receive)}"
                )
                yield broken_dependency(message, rank, position)
                break


def _check_deadlocks(rows: Rows, ends: dict[_Message, _Place]) -> Iterator[ScheduleFault]:
    """Find the first RECV that waits forever if each rank runs its list in order."""
    first = [0, *accumulate(map(len, rows))]
    operations = []
    for rank, row in enumerate(rows):
        for action in row:
            needs: tuple[OperationNeed, ...] = ()
            if action.verb in _OTHER_END and action.verb not in _SENDS:
                far, place = ends[_identify_message(_find_other_end(action))]
                needs = (OperationNeed(first[far] + place),)
            operations.append(ScheduledOperation(str(action), "", (ScheduleLane(rank),), NOTHING, needs))
    try:
        simulate(Program(tuple(operations)))
    except Deadlock as error:
        waiting = next(index for index in error.cycle if operations[index].needs)
        rank = operations[waiting].lanes[0].device
        yield broken_dependency(error.message, rank, waiting - first[rank])


def check_parameters(rows: Rows) -> tuple[ScheduleFault, ...]:
    """Return invalid actions on parameters, and computations without parameters.

    The result is empty for lists without such actions. If any stage has an UNSHARD or RESHARD, all stages start
    sharded, and each must compute between the two. If any stage has a REDUCE_GRAD, each stage that computes gradients
    must have exactly one, after the last gradient.
    """
    homes = homes_of(rows)
    verbs = {action.verb for row in rows for action in row}
    sharding = bool(verbs & {Verb.UNSHARD, Verb.RESHARD})
    found = (each for rank, row in enumerate(rows) for each in _check_rank_parameters(rank, row, homes, sharding))
    return (*found, *(_check_reductions(rows) if Verb.REDUCE_GRAD in verbs else ()))


def _check_rank_parameters(
    rank: int, row: tuple[Action, ...], homes: dict[int, set[int]], sharding: bool
) -> Iterator[ScheduleFault]:
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
                message = f"{action} is used twice: stage {stage}'s gradients are summed already"
            if message:
                yield broken_dependency(message, rank, position)
            changed = reduced if action.verb is Verb.REDUCE_GRAD else gathered
            (changed.discard if action.verb is Verb.RESHARD else changed.add)(stage)
        for task in action.tasks:
            if sharding and task.stage not in gathered:
                message = f"{task} needs stage {task.stage}'s parameters, which are sharded here"
                yield broken_dependency(message, rank, position, task)
            if task.stage in reduced and task.kind is not TaskKind.FORWARD:
                message = f"{task} comes after {task.stage}REDUCE_GRAD, which has summed stage {task.stage}'s gradients"
                yield broken_dependency(message, rank, position, task)


def _check_reductions(rows: Rows) -> Iterator[ScheduleFault]:
    """Find stages whose gradients their rank does not reduce although other stages are reduced."""
    for rank, row in enumerate(rows):
        reduced = {action.stage for action in row if action.verb is Verb.REDUCE_GRAD}
        last = {
            task.stage: (position, task)
            for position, action in enumerate(row)
            for task in action.tasks
            if task.kind is not TaskKind.FORWARD
        }
        for stage, (position, task) in last.items():
            if stage not in reduced:
                message = f"{stage}REDUCE_GRAD is missing after {task}: other gradients are summed"
                yield broken_dependency(message, rank, position + 1)
