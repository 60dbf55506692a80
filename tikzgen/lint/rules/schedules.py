"""Rules on listed operations, schedules of recipes, and measured runs.

TG101, TG102, TG103, TG104, TG116, TG117, TG118.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tikzgen.base.errors import TikzgenError
from tikzgen.base.plain_words import format_percent
from tikzgen.lint.check_figure import CheckedSchedule, MeasuredRun, spell_fault
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.exact_fields import spell_time
from tikzgen.recipe.measured.measured_reading import MeasuredCell
from tikzgen.schedule import KINDS, Action, Task, check_actions, check_messages, check_parameters
from tikzgen.schedule import ScheduleRule as Class
from tikzgen.trace import MOST_UNKNOWN, MeasuredOperation, find_unmet, hint_axes


@rule("TG101", "each operation runs once, after the operations that it needs")
def _data_dependency(subject: CheckedSchedule) -> Iterator[Broken]:
    for broken in subject.broken:
        if broken.rule is Class.DEPENDENCY:
            yield Broken(subject.place_of(broken), spell_fault(broken))


@rule("TG102", "operations follow the order and the in-flight bound of the named schedule")
def _schedule_rule(subject: CheckedSchedule) -> Iterator[Broken]:
    hint = "reorder them, or name no schedule" if subject.rows is not None else ""
    for broken in subject.broken:
        if broken.rule is Class.SCHEDULE:
            yield Broken(subject.place_of(broken), spell_fault(broken), hint)


@rule("TG103", "each SEND has a RECV, and each RECV a SEND, in matching order")
def _messages(subject: CheckedSchedule) -> Iterator[Broken]:
    for broken in check_messages(subject.rows or ()):
        yield Broken(subject.place_of(broken), spell_fault(broken))


@rule("TG104", "a stage computes between its UNSHARD and RESHARD, before its REDUCE_GRAD")
def _parameters(subject: CheckedSchedule) -> Iterator[Broken]:
    for broken in check_parameters(subject.rows or ()):
        yield Broken(subject.place_of(broken), spell_fault(broken))


def _select_operations(subject: MeasuredRun) -> list[MeasuredCell]:
    return [cell for cell in subject.reading.cells if cell.stage is not None and cell.phase in KINDS]


@rule("TG116", "measured operations start after the operations that they need")
def _measured_dependency(subject: MeasuredRun) -> Iterator[Broken]:
    replicas = {lane.id: (lane.replica,) for lane in subject.reading.lanes}
    operations = [
        MeasuredOperation(
            *(cell.phase, cell.number or 0, cell.stage, cell.start - cell.waited, cell.start, cell.end),
            step=cell.step,
            replica=replicas[cell.lane],
            device=cell.lane,
        )
        for cell in _select_operations(subject)
    ]
    residual = subject.reading.residual
    for need in find_unmet(operations, residual):
        source, target = need.source, need.target
        begins, ended = (spell_time(Fraction(moment)) for moment in (target.start, source.end))
        message = (
            f"data dependency: {target.name} of stage {target.stage} starts at {begins}, "
            f"but needs {source.name} of stage {source.stage}, which ends at {ended}"
        )
        known = f"{message}; clocks agree within {spell_time(residual)}" if residual else message
        yield Broken(subject.place_of("clock"), known, "use clock: collectives, or clock: {1: -7.2} for rank 1")


@rule("TG117", "measured operations run in the order of the schedule's name")
def _measured_order(subject: MeasuredRun) -> Iterator[Broken]:
    if not subject.schedule:
        return
    cells, ranks = _select_operations(subject), len({lane.rank for lane in subject.reading.lanes})
    if not cells:
        drawn = any(cell.number is not None for cell in subject.reading.cells)
        message = f"no operations are drawn that {subject.schedule} could have ordered"
        hint = "--set lanes=annotations"
        if drawn:
            message, hint = "nothing states the stages of the operations", hint_axes(subject.reading.world)
        raise TikzgenError(f"{subject.document.name}: {message}", hint=hint)
    if ranks < subject.reading.world:
        message = f"{ranks} of {subject.reading.world} ranks are drawn, and {subject.schedule} orders all"
        raise TikzgenError(f"{subject.document.name}: {message}", hint="check it with all ranks")
    for lanes in subject.reading.replicas.values():
        own = {lane.id for lane in lanes}
        for step in sorted({cell.step for cell in cells if cell.lane in own}, key=lambda step: step or 0):
            rows: dict[str, list[MeasuredCell]] = {lane.id: [] for lane in lanes}
            for cell in sorted(cells, key=lambda cell: cell.start):
                if cell.lane in own and cell.step == step:
                    rows[cell.lane].append(cell)
            actions = tuple(tuple(map(_make_action, row)) for row in rows.values())
            for each in check_actions(actions, schedule=subject.schedule):
                yield Broken(subject.place_of(), spell_fault(each))


def _make_action(cell: MeasuredCell) -> Action:
    return Action((Task(KINDS[cell.phase], cell.stage or 0, cell.number or 0),))


@rule("TG118", "unclassified kernels are at most 5 % of a device's time", Severity.WARNING)
def _unclassified_kernels(subject: MeasuredRun) -> Iterator[Broken]:
    for rank in subject.reading.ranks:
        busy, unknown = rank.values.get("busy"), rank.values.get("unclassified", Fraction(0))
        if busy and unknown / busy > MOST_UNKNOWN:
            place = f"rank {rank.rank}" + (f", {rank.device}" if rank.device else "")
            message = f"{place}: {format_percent(unknown / busy)} % of the busy time is in no class but compute"
            yield Broken(subject.place_of("classes"), message, "classes: {norm: ['bn_|layer_norm']} names some of it")
