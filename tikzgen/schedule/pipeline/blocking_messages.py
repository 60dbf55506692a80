"""Messages between devices that keep somebody waiting: the sender while it sends, or both until both are there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tikzgen.base.record import replace
from tikzgen.schedule.operation import Need, Operation

_Message: TypeAlias = tuple[int, int]
"""The operation that makes what is sent, and the one that uses it, by index."""


def blocking(operations: Sequence[Operation], *, rendezvous: bool) -> tuple[Operation, ...]:
    """The operations, with each need of another device's result as a message of its own, which takes its latency.

    Messages are on no lane, and stand behind all else. Without `rendezvous` the device that sends waits until the
    message is there, then for its next one. With it, sender and receiver both wait, each from the end of what it did
    last: what a device sends to and receives from the same other one between two operations goes as one batch (as
    Megatron-LM's `send_forward_recv_backward` and PyTorch's `_batch_p2p`), other batches one after the other, those
    that send first.
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
    waits: dict[int, list[int]] = defaultdict(list)  # what an operation or a message waits for, besides what it uses
    for before, after, batches in _pauses(messages, device, rendezvous):
        done = [] if before is None else [before]
        for batch in batches:
            for message in batch:
                waits[place[message]] += done
            done = [place[message] for message in batch]
        if after is not None:
            waits[after] += [place[message] for batch in batches for message in batch]
    computing = [
        replace(operation, needs=_needs(index, operation, device, place, waits[index]))
        for index, operation in enumerate(operations)
    ]
    sending = [
        Operation(
            f"message of {operations[source].name}",
            "send",
            (),
            times[source, target],
            _waits([source, *waits[place[source, target]]]),
        )
        for source, target in messages
    ]
    return (*computing, *sending)


def _needs(
    index: int, operation: Operation, device: Sequence[int], place: dict[_Message, int], waits: Sequence[int]
) -> tuple[Need, ...]:
    """What an operation uses, from its own device or by message, and the messages of its device before it."""
    used = [place.get((need.operation, index), need.operation) for need in operation.needs]
    return _waits([*used, *waits])


def _waits(indices: Sequence[int]) -> tuple[Need, ...]:
    return tuple(Need(index) for index in dict.fromkeys(indices))


def _pauses(
    messages: Sequence[_Message], device: Sequence[int], rendezvous: bool
) -> Iterator[tuple[int | None, int | None, list[list[_Message]]]]:
    """The time between two operations of a device: the one before, the one after, and its batches in their order."""
    sent: dict[int, list[_Message]] = defaultdict(list)
    received: dict[int, list[_Message]] = defaultdict(list)
    for message in messages:
        sent[message[0]].append(message)
        received[message[1]].append(message)
    before: int | None = None
    for after in range(len(device) + 1):
        same = before is not None and after < len(device) and device[before] == device[after]
        outgoing = sent[before] if before is not None else []
        incoming = received[after] if after < len(device) and rendezvous else []
        if same:
            yield before, after, _batches(outgoing, incoming, device, rendezvous)
        else:
            yield before, None, _batches(outgoing, [], device, rendezvous)
            if after < len(device):
                yield None, after, _batches([], incoming, device, rendezvous)
        before = after


def _batches(
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
