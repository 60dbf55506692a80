"""A pipeline's plan with durations becomes a program: one operation a cell, each waiting for what it computes with."""

from __future__ import annotations

from tikzgen.schedule.exact import Number, exact
from tikzgen.schedule.operation import COMMUNICATION, COMPUTE, NOTHING, Cell, Kind, Lane, Need, Operation, Plan, Program
from tikzgen.schedule.pipeline.around_stages import Around
from tikzgen.schedule.pipeline.costs import Costs
from tikzgen.schedule.pipeline.messages import with_messages
from tikzgen.schedule.pipeline.pieces import PHASES, name, taken_apart
from tikzgen.schedule.pipeline.task_sources import Place, no_places, place_of, sources


def program(plan: Plan, costs: Costs, around: Around | None = None) -> Program:
    """The operations of `plan`, device after device, with what is done `around` its stages.

    A forward waits for that of the stage before, a backward or input gradient for its forward and for that of the
    stage after, a weight gradient for its input gradient; latencies count between devices only, and `costs.p2p`
    says who waits for it. What the plan lacks is not waited for: `check` finds it.
    """
    operations = _cells(plan, costs) if around is None else taken_apart(plan, costs, around)
    if costs.p2p == "async" and not costs.links:
        return Program(operations, plan.slices)
    return Program(with_messages(operations, costs.p2p, costs.links), plan.slices)


def _cells(plan: Plan, costs: Costs) -> tuple[Operation, ...]:
    forwards, backwards = _places(plan, Kind.FORWARD), _places(plan, Kind.BACKWARD, Kind.INPUT_GRAD)
    known: dict[tuple[int, int], Need] = {}

    def needs(device: int, index: int, cell: Cell) -> tuple[Need, ...]:
        found = []
        for task in cell:
            for place in sources(task, plan, forwards, backwards):
                if place is not None and place[0] != index:
                    if (place[0], device) not in known:
                        latency = costs.between(place[1], device) if place[1] != device else NOTHING
                        known[place[0], device] = Need(place[0], latency)
                    found.append(known[place[0], device])
        return tuple(found)

    operations: list[Operation] = []
    for device, cells in enumerate(plan.cells):
        lanes = (Lane(device),)
        for cell in cells:
            operations.append(
                Operation(
                    name(cell),
                    PHASES[cell[0].kind] if len(cell) == 1 else "overlapped",
                    lanes,
                    costs.of(cell),
                    needs(device, len(operations), cell),
                    cell[0].microbatch // plan.slices,
                    cell,
                    tuple(map(costs.alone, cell)) if len(cell) > 1 else (),
                )
            )
    return tuple(operations)


def _places(plan: Plan, *kinds: Kind) -> list[Place]:
    """Where each (stage, microbatch) has its task of one of `kinds`."""
    places = no_places(plan)
    index = 0
    for device, cells in enumerate(plan.cells):
        for cell in cells:
            for task in cell:
                if task.kind in kinds and (place := place_of(task, plan)) is not None:
                    places[place] = (index, device)
            index += 1
    return places


def with_update(program: Program, all_reduce: Number = 0, update: Number = 0) -> Program:
    """The same operations, and behind each device's last one an all-reduce on its communication stream and an update.

    Either is left out if it takes no time. Devices do not wait for each other: each sums with its own replicas.
    """
    lasting = (
        ("all-reduce", COMMUNICATION, exact(all_reduce, "all_reduce")),
        ("update", COMPUTE, exact(update, "update")),
    )
    last = {
        operation.lanes[0].device: index
        for index, operation in enumerate(program.operations)
        if operation.lanes and operation.lanes[0].stream == COMPUTE
    }
    more = list(program.operations)
    for device, index in last.items():
        for kind, stream, time in lasting:
            if time:
                more.append(Operation(f"{kind} of {device}", kind, (Lane(device, stream),), time, (Need(index),)))
                index = len(more) - 1
    return Program(tuple(more), program.slices)
