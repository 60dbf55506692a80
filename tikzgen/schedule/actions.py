"""Operation lists per rank, in the format of PyTorch's pipeline schedules: `0F0,0SEND_F0,1B0,(0F3;7B1)OVERLAP_F_B`.

`parse` and `read_csv` read them, `to_plan` converts them to a plan.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from tikzgen.base.errors import quote
from tikzgen.base.record import Record, replace
from tikzgen.schedule.exact_numbers import Number, ScheduleError, read_exact_number
from tikzgen.schedule.operation import COMMUNICATION, OperationNeed, Program, ScheduledOperation, ScheduleLane
from tikzgen.schedule.pipeline.families import FAMILIES, schedule_name
from tikzgen.schedule.pipeline.pipeline_costs import Costs
from tikzgen.schedule.pipeline.plan_to_program import build_program
from tikzgen.schedule.tasks import Cell, PipelinePlan, Task, TaskKind, spell_cell


class Verb(StrEnum):
    """Actions without computation: messages, and parameters gathered, freed or reduced."""

    SEND_F = "SEND_F"
    RECV_F = "RECV_F"
    SEND_B = "SEND_B"
    RECV_B = "RECV_B"
    UNSHARD = "UNSHARD"
    RESHARD = "RESHARD"
    REDUCE_GRAD = "REDUCE_GRAD"


class Action(Record):
    """Entry of a list: `tasks` that compute, or a `verb` with its stage and optional microbatch."""

    tasks: tuple[Task, ...]
    verb: Verb | None = None
    stage: int = 0
    microbatch: int | None = None

    def __str__(self) -> str:
        if self.tasks:
            return spell_cell(self.tasks)
        return f"{self.stage}{self.verb}{'' if self.microbatch is None else self.microbatch}"


Rows: TypeAlias = tuple[tuple[Action, ...], ...]
"""The actions of each rank, in order."""

_TASK = re.compile(r"(\d{1,9})([FBIW])(\d{1,9})", re.ASCII)
_OLD_TASK = re.compile(r"(?<![\dA-Z_])(\d{1,9})(F|BW|B|I|W)(\d{1,9})(?!\d)", re.ASCII)
_VERB = re.compile(rf"(\d{{1,9}})({'|'.join(Verb)})(\d{{0,9}})", re.ASCII)
_OVERLAP = re.compile(r"\(([^()]*)\)OVERLAP_F_B")


def parse(rows: Iterable[Iterable[str]]) -> Rows:
    """Return the actions of each rank from their names; ignore empty names (bubbles in PyTorch).

    The notation of PyTorch before 2.6 is accepted: BW, B and W for the current B, I and W. Raise `ScheduleError` for
    an invalid name, with its rank and position, both from 0.
    """
    return tuple(
        tuple(_parse_action(text.strip(), rank, place) for place, text in enumerate(row) if text.strip())
        for rank, row in enumerate(convert_old_notation(rows))
    )


def convert_old_notation(rows: Iterable[Iterable[str]]) -> list[list[str]]:
    """Convert old names to the current notation of PyTorch.

    The notation is old if I does not occur, but BW or W does. Then BW becomes B. B becomes I if BW occurs anywhere, or
    if W occurs for the same stage and microbatch.
    """
    texts = [list(row) for row in rows]
    found = [match for row in texts for text in row for match in _OLD_TASK.finditer(text)]
    kinds = {match[2] for match in found}
    halves = {(match[1], match[3]) for match in found if match[2] == "W"}
    if "I" in kinds or not kinds & {"BW", "W"}:
        return texts

    def rename_action(match: re.Match[str]) -> str:
        half = match[2] == "B" and ("BW" in kinds or (match[1], match[3]) in halves)
        return f"{match[1]}{'I' if half else {'BW': 'B'}.get(match[2], match[2])}{match[3]}"

    return [[_OLD_TASK.sub(rename_action, text) for text in row] for row in texts]


def read_csv(text: str) -> Rows:
    """Return the actions of a CSV file of PyTorch, with one line per rank; ignore empty lines at the end.

    Raise `ScheduleError` for an invalid entry, or if the file contains no actions.
    """
    rows = parse(line.replace('"', "").split(",") for line in text.strip("\ufeff \r\n").split("\n"))
    if not any(rows):
        raise ScheduleError("no actions in the list", hint="one line per rank, such as 0F0,0F1,0B0,0B1")
    return rows


def write_csv(rows: Rows) -> str:
    """Return the actions as a CSV file for `read_csv`."""
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def actions(plan: PipelinePlan) -> Rows:
    """Return the computations of `plan` as actions."""
    return tuple(tuple(Action(cell) for cell in cells) for cells in plan.cells)


def to_plan(rows: Rows, schedule: str = "") -> PipelinePlan:
    """Return the computations among the actions as a plan named `schedule`.

    The number of microbatches is the number of backwards of most stages, so that a check finds the stage that differs.
    If the schedule cuts sequences, the list determines the number of slices. Raise `ScheduleError` if no action
    computes, or if the number of a stage exceeds the number of computations.
    """
    schedule = schedule_name(schedule)
    cells = tuple(tuple(action.tasks for action in row if action.tasks) for row in rows)
    tasks = [task for row in cells for cell in row for task in cell]
    if not tasks:
        raise ScheduleError("no action computes anything", hint="0F0 is stage 0's forward of microbatch 0")
    stages = 1 + max(task.stage for task in tasks)
    if stages > len(tasks):
        raise ScheduleError(f"stage {stages - 1} among {len(tasks)} computations", hint="stages count from 0")
    halves = {(task.stage, task.microbatch) for task in tasks if task.kind in (TaskKind.BACKWARD, TaskKind.INPUT_GRAD)}
    pairs = halves or {(task.stage, task.microbatch) for task in tasks}
    counts = Counter(Counter(stage for stage, _ in pairs).values())
    microbatches = max(counts, key=lambda count: (counts[count], count))
    sliced = schedule in FAMILIES and FAMILIES[schedule].sliced
    slices = _count_slices(cells, stages - 1) if sliced else 1
    return PipelinePlan(schedule, stages, microbatches, cells, 1 if microbatches % slices else slices)


def _count_slices(cells: tuple[tuple[Cell, ...], ...], last: int) -> int:
    """Return the number of slices per sequence.

    The last stage starts its backwards with the last slice of the first sequence.
    """
    tasks = (task for row in cells for cell in row for task in cell)
    return next((1 + task.microbatch for task in tasks if task.stage == last and task.kind is TaskKind.BACKWARD), 1)


def homes_of(rows: Rows) -> dict[int, set[int]]:
    """Return the ranks that compute each stage: one, except for errors and bidirectional schedules."""
    homes: dict[int, set[int]] = {}
    for rank, row in enumerate(rows):
        for action in row:
            for task in action.tasks:
                homes.setdefault(task.stage, set()).add(rank)
    return homes


def _parse_action(text: str, rank: int, place: int) -> Action:
    try:
        return read_action(text)
    except ScheduleError as error:
        raise ScheduleError(f"rank {rank}, action {place}: {error.message}", hint=error.hint) from None


def read_action(text: str) -> Action:
    """Return the action for a name in the current notation of PyTorch. Raise `ScheduleError` for an invalid name."""
    if match := _OVERLAP.fullmatch(text):
        return Action(tuple(_parse_task(part.strip()) for part in match[1].split(";")))
    if match := _VERB.fullmatch(text):
        return Action((), Verb(match[2]), int(match[1]), int(match[3]) if match[3] else None)
    return Action((_parse_task(text),))


def _parse_task(text: str) -> Task:
    match = _TASK.fullmatch(text)
    if not match:
        hint = f"write stage, action and microbatch, as in 0F0; actions: {', '.join([*TaskKind, *Verb])}"
        raise ScheduleError(f"{quote(text)} is not an action", hint=hint)
    return Task(TaskKind(match[2]), int(match[1]), int(match[3]))


_KINDS = {Verb.UNSHARD: "all-gather", Verb.REDUCE_GRAD: "reduce-scatter"}


def add_communication(rows: Rows, costs: Costs, *, unshard: Number = 0, reduce_grad: Number = 0) -> Program:
    """Build the program of `rows`, with UNSHARDs and REDUCE_GRADs on each rank's communication lane.

    A stage computes after its last UNSHARD has ended. An UNSHARD is issued during the preceding computation of the
    list, so it waits for the computation before that. A REDUCE_GRAD waits for the preceding computation. SEND and RECV
    are the ends of a message, which lasts `costs.latency`. RESHARD has no duration.
    """
    times = {
        Verb.UNSHARD: read_exact_number(unshard, "unshard"),
        Verb.REDUCE_GRAD: read_exact_number(reduce_grad, "reduce_grad"),
    }
    operations = list(build_program(to_plan(rows), costs).operations)
    computed = 0
    for rank, row in enumerate(rows):
        first = computed
        gathered: dict[int, OperationNeed] = {}
        for action in row:
            if action.tasks:
                needs = tuple(gathered[task.stage] for task in action.tasks if task.stage in gathered)
                operations[computed] = replace(operations[computed], needs=operations[computed].needs + needs)
                computed += 1
            elif action.verb in _KINDS and times[action.verb]:
                if action.verb is Verb.UNSHARD:
                    gathered[action.stage] = OperationNeed(len(operations))
                source = computed - (2 if action.verb is Verb.UNSHARD else 1)
                waits = (OperationNeed(source),) if source >= first else ()
                lanes = (ScheduleLane(rank, COMMUNICATION),)
                kind, time = _KINDS[action.verb], times[action.verb]
                operations.append(ScheduledOperation(str(action), kind, lanes, time, waits, action.stage))
    return Program(tuple(operations))
