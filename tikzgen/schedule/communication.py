"""Whether the messages and parameter actions of an operation list fit its computations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tikzgen.base.record import replace
from tikzgen.schedule.actions import Action, Rows, Verb, to_plan
from tikzgen.schedule.broken_rules import Finding, Rule
from tikzgen.schedule.check_actions import check
from tikzgen.schedule.tasks import Kind, Task

__all__ = ["check_actions", "check_messages", "check_parameters"]

_Found: TypeAlias = set[tuple[Verb | None, int, int | None]]
_OTHER_END = {
    Verb.SEND_F: (Verb.RECV_F, 1),
    Verb.RECV_F: (Verb.SEND_F, -1),
    Verb.SEND_B: (Verb.RECV_B, -1),
    Verb.RECV_B: (Verb.SEND_B, 1),
}
_FORWARD = (Kind.FORWARD,)
_GRADIENT = (Kind.BACKWARD, Kind.INPUT_GRAD)
_COMPUTES = {Verb.SEND_F: _FORWARD, Verb.RECV_F: _FORWARD, Verb.SEND_B: _GRADIENT, Verb.RECV_B: _GRADIENT}


def check_actions(rows: Rows, *, schedule: str = "") -> tuple[Finding, ...]:
    """Every rule that the lists break: those of `check` for the computations, then those of messages and parameters.

    A list without any SEND or RECV says nothing about messages; one with some must have all of them, in pairs.
    Parameters that are UNSHARDed somewhere must be so whenever the stage computes, and REDUCE_GRAD comes after a
    stage's last gradient. Positions count all actions of a list.
    """
    return (*_computations(rows, schedule=schedule), *check_messages(rows), *check_parameters(rows))


def _computations(rows: Rows, *, schedule: str = "") -> tuple[Finding, ...]:
    """What `check` finds among the computations; positions count all actions of a list."""
    places = [[place for place, action in enumerate(row) if action.tasks] for row in rows]
    findings = []
    for finding in check(to_plan(rows), schedule=schedule):
        if finding.device is not None and finding.position is not None:
            finding = replace(finding, position=places[finding.device][finding.position])
        findings.append(finding)
    return tuple(findings)


def check_messages(rows: Rows) -> tuple[Finding, ...]:
    """Every SEND and RECV without its other end, too early or too late; nothing in a list without any."""
    return tuple(_messages(rows))


def check_parameters(rows: Rows) -> tuple[Finding, ...]:
    """Every computation whose stage is sharded, and every gradient that comes after its stage's REDUCE_GRAD."""
    return tuple(finding for rank, row in enumerate(rows) for finding in _parameters(rank, row))


def _messages(rows: Rows) -> Iterator[Finding]:
    ranks: dict[Task, int] = {task: rank for rank, row in enumerate(rows) for each in row for task in each.tasks}
    found: _Found = {
        (each.verb, each.stage, each.microbatch) for row in rows for each in row if each.verb in _OTHER_END
    }
    if not found:
        return
    for rank, row in enumerate(rows):
        done: set[Task] = set()
        for position, action in enumerate(row):
            for task in action.tasks:
                source = _source(task)
                verb = Verb.RECV_F if task.kind is Kind.FORWARD else Verb.RECV_B
                remote = source is not None and any(ranks.get(each, rank) != rank for each in source)
                if remote and (verb, task.stage, task.microbatch) not in found:
                    message = f"{task} uses another rank's result without {task.stage}{verb}{task.microbatch}"
                    yield Finding(Rule.DEPENDENCY, message, rank, position, task)
            done.update(action.tasks)
            if action.verb in _OTHER_END:
                yield from _message(action, done, found, rank, position)


def _message(action: Action, done: set[Task], found: _Found, rank: int, position: int) -> Iterator[Finding]:
    assert action.verb is not None
    other, step = _OTHER_END[action.verb]
    stage = action.stage + step
    k = "" if action.microbatch is None else action.microbatch
    if (other, stage, action.microbatch) not in found:
        yield Finding(Rule.DEPENDENCY, f"{action} has no other end: {stage}{other}{k} is missing", rank, position)
    computed = (Task(kind, action.stage, action.microbatch or 0) for kind in _COMPUTES[action.verb])
    mine = [task for task in computed if task in done]
    if action.verb in (Verb.SEND_F, Verb.SEND_B) and not mine:
        yield Finding(Rule.DEPENDENCY, f"{action} sends what is not computed yet", rank, position)
    if action.verb in (Verb.RECV_F, Verb.RECV_B) and mine:
        yield Finding(Rule.DEPENDENCY, f"{action} receives what {mine[0]} has used before", rank, position, mine[0])


def _source(task: Task) -> tuple[Task, ...] | None:
    """The tasks of the neighbouring stage of which one hands its result to `task`."""
    match task.kind:
        case Kind.FORWARD:
            return (Task(Kind.FORWARD, task.stage - 1, task.microbatch),)
        case Kind.WEIGHT_GRAD:
            return None
        case _:
            return tuple(Task(kind, task.stage + 1, task.microbatch) for kind in (Kind.BACKWARD, Kind.INPUT_GRAD))


def _parameters(rank: int, row: tuple[Action, ...]) -> Iterator[Finding]:
    sharded = {action.stage for action in row if action.verb is Verb.UNSHARD}
    reduced: set[int] = set()
    for position, action in enumerate(row):
        if action.verb is Verb.UNSHARD:
            sharded.discard(action.stage)
        elif action.verb is Verb.RESHARD:
            sharded.add(action.stage)
        elif action.verb is Verb.REDUCE_GRAD:
            reduced.add(action.stage)
        for task in action.tasks:
            if task.stage in sharded:
                message = f"{task} needs stage {task.stage}'s parameters, which are sharded here"
                yield Finding(Rule.DEPENDENCY, message, rank, position, task)
            if task.stage in reduced and task.kind is not Kind.FORWARD:
                message = f"{task} comes after {task.stage}REDUCE_GRAD, which has summed stage {task.stage}'s gradients"
                yield Finding(Rule.DEPENDENCY, message, rank, position, task)
