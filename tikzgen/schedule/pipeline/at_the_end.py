"""What follows a device's last gradient: its sum over replicas of the pipeline, and the optimizer's step."""

from __future__ import annotations

from tikzgen.schedule.exact import Number, exact
from tikzgen.schedule.operation import COMMUNICATION, COMPUTE, Lane, Need, Operation, Program


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
