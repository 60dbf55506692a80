"""A pipeline's plan with durations becomes a program: one operation a cell, each waiting for what it computes with."""

from __future__ import annotations

from typing import TypeAlias

from tikzgen.schedule.operation import NOTHING, Cell, Kind, Lane, Need, Operation, Plan, Program, Task
from tikzgen.schedule.pipeline.blocking_messages import blocking
from tikzgen.schedule.pipeline.costs import Costs

_KINDS = {
    Kind.FORWARD: "forward",
    Kind.BACKWARD: "backward",
    Kind.INPUT_GRAD: "input-grad",
    Kind.WEIGHT_GRAD: "weight-grad",
}


def program(plan: Plan, costs: Costs) -> Program:
    """The operations of `plan`, device after device.

    A forward waits for that of the stage before, a backward or input gradient for its forward and for that of the
    stage after, a weight gradient for its input gradient; latencies count between devices only, and `costs.p2p`
    says who waits for it. What the plan lacks is not waited for: `check` finds it.
    """
    forwards, backwards = _places(plan, Kind.FORWARD), _places(plan, Kind.BACKWARD, Kind.INPUT_GRAD)
    width = plan.microbatches
    known: dict[tuple[int, int], Need] = {}

    def needs(device: int, index: int, cell: Cell) -> tuple[Need, ...]:
        found = []
        for task in cell:
            for place in _sources(task, plan.stages, width, forwards, backwards):
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
                    _KINDS[cell[0].kind] if len(cell) == 1 else "overlapped",
                    lanes,
                    costs.of(cell),
                    needs(device, len(operations), cell),
                    cell[0].microbatch,
                    cell,
                    tuple(map(costs.alone, cell)) if len(cell) > 1 else (),
                )
            )
    if costs.p2p == "async":
        return Program(tuple(operations))
    return Program(blocking(operations, rendezvous=costs.p2p == "rendezvous"))


def name(cell: Cell) -> str:
    """A cell as PyTorch writes it: `2F0`, or `(0F3;7B1)OVERLAP_F_B`."""
    return str(cell[0]) if len(cell) == 1 else f"({';'.join(map(str, cell))})OVERLAP_F_B"


_Place: TypeAlias = tuple[int, int] | None
"""An operation's index and its device; None where there is no such operation."""


def _places(plan: Plan, *kinds: Kind) -> list[_Place]:
    """Where each (stage, microbatch) has its task of one of `kinds`: entry stage * microbatches + microbatch."""
    places: list[_Place] = [None] * (plan.stages * plan.microbatches)
    index = 0
    for device, cells in enumerate(plan.cells):
        for cell in cells:
            for task in cell:
                if task.kind in kinds and task.stage < plan.stages and task.microbatch < plan.microbatches:
                    places[task.stage * plan.microbatches + task.microbatch] = (index, device)
            index += 1
    return places


def _sources(task: Task, stages: int, width: int, forwards: list[_Place], backwards: list[_Place]) -> list[_Place]:
    """Where the operations stand whose results `task` uses."""
    if task.stage >= stages or task.microbatch >= width:
        return []
    here = task.stage * width + task.microbatch
    match task.kind:
        case Kind.FORWARD:
            return [forwards[here - width]] if task.stage else []
        case Kind.WEIGHT_GRAD:
            return [backwards[here]]
        case _:
            after = [backwards[here + width]] if task.stage + 1 < stages else []
            return [forwards[here], *after]
