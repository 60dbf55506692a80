"""Rules on measured runs: what traces tell of operations, beside what can be.

- TG116: an operation that begins before what it needs has ended, by more than clocks may be apart.
- TG117: operations that do not stand in the order of the schedule that they are to be.
- TG118: much of what a device did is in no class.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tikzgen.base.errors import TikzgenError
from tikzgen.base.rounding import percent
from tikzgen.lint.checking import Measured, said
from tikzgen.lint.registry import Broken, Rule, Severity
from tikzgen.model.base import spell_time
from tikzgen.recipe.fitted_pipeline import KINDS
from tikzgen.recipe.measured_reading import MeasuredCell
from tikzgen.schedule import Action, Task, check_actions
from tikzgen.schedule.operation import Kind
from tikzgen.trace.annotated_operations import MeasuredOperation
from tikzgen.trace.order_checks import broken
from tikzgen.trace.rank_measures import MOST_UNKNOWN


def _operations(subject: Measured) -> list[MeasuredCell]:
    return [cell for cell in subject.reading.cells if cell.stage is not None and cell.phase in KINDS]


def _too_early(subject: Measured) -> Iterator[Broken]:
    operations = [
        MeasuredOperation(cell.phase, cell.number or 0, cell.stage or 0, cell.start - cell.waited, cell.start, cell.end)
        for cell in _operations(subject)
    ]
    residual = subject.reading.residual
    for need in broken(operations, residual):
        source, target = need.source, need.target
        begins, ended = (spell_time(Fraction(moment)) for moment in (target.start, source.end))
        message = (
            f"data dependency: {target.name} of stage {target.stage} begins at {begins}, "
            f"before {source.name} of stage {source.stage}, which it needs, has ended at {ended}"
        )
        known = f"{message}; clocks agree within {spell_time(residual)}" if residual else message
        yield Broken(subject.place("clock"), known, "clock: collectives moves ranks, or say it: clock: {1: -7.2}")


TOO_EARLY = Rule(
    "TG116", "measured-dependency", "measured operations begin after what they need has ended", Measured, _too_early
)


def _other_order(subject: Measured) -> Iterator[Broken]:
    if not subject.schedule:
        return
    cells, ranks = _operations(subject), len(subject.reading.ranks)
    if not cells:
        message = f"no operations are drawn that {subject.schedule} could have ordered"
        raise TikzgenError(f"{subject.document.name}: {message}", hint="--set lanes=annotations")
    if ranks < subject.reading.world:
        message = f"{ranks} of {subject.reading.world} ranks are drawn, and {subject.schedule} orders all"
        raise TikzgenError(f"{subject.document.name}: {message}", hint="check it with all ranks")
    lanes: dict[str, list[MeasuredCell]] = {lane.id: [] for lane in subject.reading.lanes}
    for cell in sorted(cells, key=lambda cell: cell.start):
        lanes[cell.lane].append(cell)
    rows = tuple(tuple(map(_action, own)) for own in lanes.values())
    for each in check_actions(rows, schedule=subject.schedule):
        yield Broken(subject.place(), said(each))


def _action(cell: MeasuredCell) -> Action:
    return Action((Task(Kind(KINDS[cell.phase]), cell.stage or 0, cell.number or 0),))


OTHER_ORDER = Rule(
    "TG117", "measured-order", "measured operations run in the order of the schedule's name", Measured, _other_order
)


def _unknown(subject: Measured) -> Iterator[Broken]:
    for rank in subject.reading.ranks:
        busy, unknown = rank.values.get("busy"), rank.values.get("unclassified", Fraction(0))
        if busy and unknown / busy > MOST_UNKNOWN:
            message = f"rank {rank.rank}: {percent(unknown / busy)} % of the busy time is in no class but compute"
            yield Broken(subject.place("classes"), message, "classes: {norm: ['bn_|layer_norm']} names some of it")


UNKNOWN = Rule(
    "TG118",
    "unclassified-kernels",
    "what no class knows is at most 5 % of what a device did",
    Measured,
    _unknown,
    Severity.WARNING,
)
