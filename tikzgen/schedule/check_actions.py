"""Checks of operation lists: data dependencies first, then the rules of the named schedule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tikzgen.base.record import replace
from tikzgen.schedule.actions import Rows, to_plan
from tikzgen.schedule.check_communication import check_messages, check_parameters
from tikzgen.schedule.exact_numbers import Deadlock, ScheduleError
from tikzgen.schedule.measure_schedule import in_flight
from tikzgen.schedule.operation import ScheduledOperation
from tikzgen.schedule.pipeline.families import build_program, find_family, make_costs
from tikzgen.schedule.pipeline.families import plan as canonical_plan
from tikzgen.schedule.schedule_faults import ScheduleFault, ScheduleRule
from tikzgen.schedule.simulate import simulate
from tikzgen.schedule.tasks import PipelinePlan, Task, TaskKind, spell_cell

_Places: TypeAlias = dict[Task, tuple[int, int]]
"""Position of every task: its device, and its index on the device."""


def check(plan: PipelinePlan, *, schedule: str | None = None) -> tuple[ScheduleFault, ...]:
    """Return all rule violations of `plan`.

    The rules of `schedule` (default: the plan's own name, "" for no rules) are checked only if the data dependencies
    are correct. Raise `ScheduleError` for an unknown schedule.
    """
    called = plan.schedule if schedule is None else schedule
    called = find_family(called).name if called else ""
    places: _Places = {}
    findings = [
        *_check_fused_pairs(plan),
        *_find_invalid_tasks(plan, places),
        *_find_missing_tasks(plan, places),
        *_check_local_inputs(places),
    ]
    if not findings:
        findings = list(_check_deadlock(plan))
    if not findings and called:
        findings = list(_check_schedule_promises(plan, called))
    return tuple(findings)


def check_actions(rows: Rows, *, schedule: str = "") -> tuple[ScheduleFault, ...]:
    """Return all rule violations of the lists: `check` for computations, then messages and parameters.

    Positions count all actions of a list.
    """
    return (*_check_computations(rows, schedule=schedule), *check_messages(rows), *check_parameters(rows))


def _check_computations(rows: Rows, *, schedule: str) -> tuple[ScheduleFault, ...]:
    """Return the violations that `check` finds among the computations; positions count all actions of a list."""
    places = [[place for place, action in enumerate(row) if action.tasks] for row in rows]
    findings = []
    for finding in check(to_plan(rows, schedule)):
        if finding.device is not None and finding.position is not None:
            mine = places[finding.device]
            at_end = finding.position == len(mine)
            finding = replace(finding, position=mine[-1] + 1 if at_end else mine[finding.position])
        findings.append(finding)
    return tuple(findings)


def _check_fused_pairs(plan: PipelinePlan) -> Iterator[ScheduleFault]:
    """Find fused operations that are not one forward and one backward."""
    for device, cells in enumerate(plan.cells):
        for position, cell in enumerate(cells):
            forwards = sum(task.kind is TaskKind.FORWARD for task in cell)
            backwards = sum(task.kind in (TaskKind.BACKWARD, TaskKind.INPUT_GRAD) for task in cell)
            if len(cell) > 1 and (forwards, backwards, len(cell)) != (1, 1, 2):
                message = f"{spell_cell(cell)} holds more or other than one forward and one backward"
                yield ScheduleFault(ScheduleRule.DEPENDENCY, message, device, position, cell[0])


def _find_invalid_tasks(plan: PipelinePlan, places: _Places) -> Iterator[ScheduleFault]:
    """Fill `places`; find tasks that do not exist or are duplicates."""
    for device, cells in enumerate(plan.cells):
        for position, cell in enumerate(cells):
            for task in cell:
                message = ""
                if not 0 <= task.microbatch < plan.microbatches:
                    message = f"{task} does not exist: the microbatches are 0 to {plan.microbatches - 1}"
                elif not 0 <= task.stage < plan.stages:
                    message = f"{task} does not exist: the stages are 0 to {plan.stages - 1}"
                elif task in places:
                    message = f"{task} is used twice, first on device {places[task][0]}"
                if message:
                    yield ScheduleFault(ScheduleRule.DEPENDENCY, message, device, position, task)
                else:
                    places[task] = (device, position)


def _find_missing_tasks(plan: PipelinePlan, places: _Places) -> Iterator[ScheduleFault]:
    """Find missing forwards and backwards, and gradients that do not form one backward.

    Lists without any backward are inference.
    """
    homes = {task.stage: place[0] for task, place in places.items()}
    trains = any(task.kind is not TaskKind.FORWARD for task in places)
    for stage in range(plan.stages):
        if stage not in homes:
            continue
        for k in range(plan.microbatches):
            forward, full, half, rest = (Task(kind, stage, k) for kind in TaskKind)
            if forward not in places:
                user = next((task for task in (full, half) if task in places), None)
                device, position = places[user] if user else _find_missing_place(forward, homes, places)
                after = f", but {user} needs it" if user else ""
                yield ScheduleFault(ScheduleRule.DEPENDENCY, f"{forward} is missing{after}", device, position, forward)
            if full in places and (half in places or rest in places):
                split = half if half in places else rest
                message = f"{split} stands beside {full}, which is the whole backward"
                yield ScheduleFault(ScheduleRule.DEPENDENCY, message, *places[split], split)
            elif full not in places and trains:
                absent = [task for task in (half, rest) if task not in places]
                missing = full if len(absent) == 2 else absent[0] if absent else None
                if missing:
                    yield ScheduleFault(
                        ScheduleRule.DEPENDENCY,
                        f"{missing} is missing",
                        *_find_missing_place(missing, homes, places),
                        missing,
                    )
    for stage in range(plan.stages):
        if stage not in homes:
            yield ScheduleFault(ScheduleRule.DEPENDENCY, f"no device runs stage {stage}")


def _find_missing_place(missing: Task, homes: dict[int, int], places: _Places) -> tuple[int, int | None]:
    """Return the device and position at which `missing` should be.

    It is after the same task of the previous microbatch, or before that of the next one, on its device. Otherwise it
    is after the other tasks of its stage and microbatch. Without them, return None as the position.
    """
    before, after = (replace(missing, microbatch=missing.microbatch + step) for step in (-1, 1))
    mine = [places[each] for kind in TaskKind if (each := replace(missing, kind=kind)) in places]
    device = mine[0][0] if mine else homes[missing.stage]
    if before in places and places[before][0] == device:
        return device, places[before][1] + 1
    if after in places and places[after][0] == device:
        return places[after]
    behind = max((place for home, place in mine if home == device), default=None)
    return device, None if behind is None else behind + 1


def _check_local_inputs(places: _Places) -> Iterator[ScheduleFault]:
    """Find tasks before their input on the same device, or on another device than it."""
    for task, (device, position) in places.items():
        if task.kind is TaskKind.FORWARD:
            continue
        used = TaskKind.INPUT_GRAD if task.kind is TaskKind.WEIGHT_GRAD else TaskKind.FORWARD
        source = Task(used, task.stage, task.microbatch)
        if source not in places:
            continue
        where, when = places[source]
        if where != device:
            message = f"{task} needs what {source} left on device {where}"
            yield ScheduleFault(ScheduleRule.DEPENDENCY, message, device, position, task)
        elif when >= position:
            message = f"{task} stands before {source}, which it needs"
            yield ScheduleFault(ScheduleRule.DEPENDENCY, message, device, position, task)


def _check_deadlock(plan: PipelinePlan) -> Iterator[ScheduleFault]:
    """Find devices that wait for each other."""
    operations = build_program(plan, make_costs(plan.stages))
    try:
        simulate(operations)
    except Deadlock as error:
        blamed = operations.operations[error.cycle[0]]
        device = blamed.lanes[0].device
        position = plan.cells[device].index(blamed.tasks)
        yield ScheduleFault(ScheduleRule.DEPENDENCY, error.message, device, position, blamed.tasks[0])


def _check_schedule_promises(plan: PipelinePlan, schedule: str) -> Iterator[ScheduleFault]:
    """Find violations of the in-flight limit and of the order that the schedule's name promises."""
    chunks = plan.stages // plan.devices if find_family(schedule).chunks is None else None
    group = _group(plan) if find_family(schedule).grouped else None
    also = find_family(schedule).also
    if also and plan.cells == tuple(map(tuple, also(plan.devices, plan.microbatches, chunks))):
        return
    try:
        slices = plan.slices if find_family(schedule).sliced else None
        microbatches = plan.microbatches // (slices or 1)
        model = canonical_plan(schedule, plan.devices, microbatches, chunks, group=group, slices=slices)
    except ScheduleError as error:
        yield ScheduleFault(ScheduleRule.SCHEDULE, str(error))
        return
    if model.stages != plan.stages:
        message = f"{plan.stages} stages on {plan.devices} devices, where {schedule} has {model.stages}"
        yield ScheduleFault(ScheduleRule.SCHEDULE, message)
        return
    formula = find_family(schedule).bound and f"{find_family(schedule).bound} = "
    held, allowed = _activations_in_flight(plan), _activations_in_flight(model)
    for device, (mine, right) in enumerate(zip(plan.cells, model.cells, strict=True)):
        limit = max(allowed[device])
        over = next((i for i, count in enumerate(held[device]) if count > limit), None)
        if over is not None:
            message = (
                f"{spell_cell(mine[over])} makes {held[device][over]} microbatches in flight "
                f"where {schedule} allows {formula}{limit}"
            )
            yield ScheduleFault(ScheduleRule.SCHEDULE, message, device, over, mine[over][0])
            continue
        wrong = next((i for i, (a, b) in enumerate(zip(mine, right, strict=False)) if a != b), None)
        if wrong is not None:
            message = f"{spell_cell(mine[wrong])} stands where {schedule} has {spell_cell(right[wrong])}"
            yield ScheduleFault(ScheduleRule.SCHEDULE, message, device, wrong, mine[wrong][0])
        elif len(mine) != len(right):
            message = f"{len(mine)} operations where {schedule} has {len(right)}"
            yield ScheduleFault(ScheduleRule.SCHEDULE, message, device)


def _group(plan: PipelinePlan) -> int | None:
    """Return how many microbatches form a group: the first device runs these forwards of its first chunk.

    Return None if no such number exists.
    """
    forwards = [task for cell in plan.cells[0] for task in cell if task.kind is TaskKind.FORWARD]
    count = next((place for place, task in enumerate(forwards) if task.stage != forwards[0].stage), 0)
    group, rest = divmod(count, plan.slices)
    fits = min(plan.devices, plan.microbatches) <= count
    return group if fits and not rest else None


def _activations_in_flight(plan: PipelinePlan) -> list[list[int]]:
    operations = build_program(plan, make_costs(plan.stages)).operations
    by_device: list[list[ScheduledOperation]] = [[] for _ in plan.cells]
    for operation in operations:
        by_device[operation.lanes[0].device].append(operation)
    return [in_flight(each) for each in by_device]
