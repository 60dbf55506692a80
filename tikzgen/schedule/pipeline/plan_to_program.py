"""Conversion of a pipeline plan with durations to a program: operations with their dependencies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tikzgen.base.record import replace
from tikzgen.schedule.exact_numbers import Number, read_exact_number
from tikzgen.schedule.operation import (
    COMMUNICATION,
    COMPUTE,
    MESSAGE,
    OperationNeed,
    Program,
    ScheduledOperation,
    ScheduleLane,
)
from tikzgen.schedule.pipeline.cell_operations import operations_of
from tikzgen.schedule.pipeline.pipeline_costs import P2P, Around, Costs
from tikzgen.schedule.tasks import PipelinePlan


def build_program(plan: PipelinePlan, costs: Costs, around: Around | None = None) -> Program:
    """Return the program of `plan`, device by device, including work `around` its stages.

    A forward waits for the forward of the previous stage. A backward or input gradient waits for its forward, and for
    the backward of the next stage. A weight gradient waits for its input gradient. Latencies apply between devices
    only; `costs.p2p` selects the devices that wait for them. Tasks missing from the plan are ignored here: `check`
    reports them.
    """
    operations = operations_of(plan, costs, around)
    if costs.p2p == "async" and not costs.links:
        return Program(operations, plan.slices)
    return Program(with_messages(operations, costs.p2p, costs.links), plan.slices)


def with_update(program: Program, all_reduce: Number = 0, update: Number = 0) -> Program:
    """Append an all-reduce and a weight update after each device's last operation.

    The all-reduce is on the communication stream. Each is omitted if its duration is 0. Devices do not wait for each
    other: each sums with its own replicas.
    """
    lasting = (
        ("all-reduce", COMMUNICATION, read_exact_number(all_reduce, "all_reduce")),
        ("update", COMPUTE, read_exact_number(update, "update")),
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
                more.append(
                    ScheduledOperation(
                        f"{kind} of {device}", kind, (ScheduleLane(device, stream),), time, (OperationNeed(index),)
                    )
                )
                index = len(more) - 1
    return Program(tuple(more), program.slices)


_Message: TypeAlias = tuple[int, int]
"""Indices of the operation that produces a message, and of the operation that uses it."""


def with_messages(operations: Sequence[ScheduledOperation], p2p: P2P, links: bool) -> tuple[ScheduledOperation, ...]:
    """Replace each dependency on another device by a message operation with its latency.

    Messages follow all other operations and have no lane. With `links`, they occupy a send lane of the sender and a
    receive lane of the receiver, in the order in which they are ready.

    With `async`, devices do not wait. With `sender`, the sending device waits until the message has arrived before it
    sends the next one. With `rendezvous`, sender and receiver both wait, each from the end of its previous operation.
    All messages between the same two devices in one pause form a batch (as in Megatron-LM's
    `send_forward_recv_backward` and PyTorch's `_batch_p2p`). Other batches follow sequentially, sends first.
    """
    device = [operation.lanes[0].device for operation in operations]
    times = {
        (need.operation, index): need.latency
        for index, operation in enumerate(operations)
        for need in operation.needs
        if device[need.operation] != device[index]
    }
    messages = list(times)
    place = {message: len(operations) + number for number, message in enumerate(messages)}
    waits: dict[int, list[int]] = defaultdict(list)  # additional dependencies of operations and messages
    computing = [index for index, operation in enumerate(operations) if operation.lanes[0].stream == COMPUTE]
    pauses = [] if p2p == "async" else _list_pauses(messages, device, computing, p2p == "rendezvous")
    for before, after, batches in pauses:
        done = [] if before is None else [before]
        for batch in batches:
            for message in batch:
                waits[place[message]] += done
            done = [place[message] for message in batch]
        if after is not None:
            waits[after] += [place[message] for batch in batches for message in batch]
    waiting = [
        replace(operation, needs=_list_needs(index, operation, place, waits[index]))
        for index, operation in enumerate(operations)
    ]
    sending = [
        ScheduledOperation(
            f"message of {operations[source].name}",
            MESSAGE,
            (ScheduleLane(device[source], "send", queue=True), ScheduleLane(device[target], "receive", queue=True))
            if links
            else (),
            times[source, target],
            _make_needs([source, *waits[place[source, target]]]),
            operations[source].number,
        )
        for source, target in messages
    ]
    return (*waiting, *sending)


def _list_needs(
    index: int, operation: ScheduledOperation, place: dict[_Message, int], waits: Sequence[int]
) -> tuple[OperationNeed, ...]:
    """Return the dependencies of an operation: its inputs, local or by message, and its device's messages."""
    used = [place.get((need.operation, index), need.operation) for need in operation.needs]
    return _make_needs([*used, *waits])


def _make_needs(indices: Sequence[int]) -> tuple[OperationNeed, ...]:
    return tuple(OperationNeed(index) for index in dict.fromkeys(indices))


def _list_pauses(
    messages: Sequence[_Message], device: Sequence[int], order: Sequence[int], rendezvous: bool
) -> Iterator[tuple[int | None, int | None, list[list[_Message]]]]:
    """Yield the pauses of devices: the operation before, the operation after, and the batches in order."""
    sent: dict[int, list[_Message]] = defaultdict(list)
    received: dict[int, list[_Message]] = defaultdict(list)
    for message in messages:
        sent[message[0]].append(message)
        received[message[1]].append(message)
    before: int | None = None
    for after in (*order, None):
        same = before is not None and after is not None and device[before] == device[after]
        outgoing = sent[before] if before is not None else []
        incoming = received[after] if after is not None and rendezvous else []
        if same:
            yield before, after, _group_messages(outgoing, incoming, device, rendezvous)
        else:
            yield before, None, _group_messages(outgoing, [], device, rendezvous)
            if after is not None:
                yield None, after, _group_messages([], incoming, device, rendezvous)
        before = after


def _group_messages(
    outgoing: Sequence[_Message], incoming: Sequence[_Message], device: Sequence[int], rendezvous: bool
) -> list[list[_Message]]:
    if not rendezvous:
        return [[message] for message in outgoing]
    batches: dict[int, list[_Message]] = defaultdict(list)
    for message in outgoing:
        batches[device[message[1]]].append(message)
    for message in incoming:
        batches[device[message[0]]].append(message)
    return list(batches.values())
