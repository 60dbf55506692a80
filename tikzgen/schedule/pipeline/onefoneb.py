"""GPipe, 1F1B and its heirs: which cells each device runs, in which order.

- GPipe: all forwards, then all backwards (arXiv 1811.06965).
- 1F1B: a few forwards, then one forward and one backward in turn, then the backwards that are left (Megatron-LM).
- Interleaved 1F1B: every device holds v chunks of the model, p stages apart (arXiv 2104.04473, section 2.2).
- Breadth-first: all microbatches through a device's chunks, chunk by chunk, and back (arXiv 2211.05953, PyTorch).
- ZB-H1 and ZB-H2: weight gradients wait until they fill what would be a bubble (arXiv 2401.10241).
- Interleaved zero bubble: interleaved 1F1B with ZB-H1's late weight gradients (PyTorch's InterleavedZeroBubble).
- PipeDream and PipeDream-2BW: 1F1B that is never flushed (arXiv 1806.03377, 2006.09503).
"""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.base.record import Record, replace
from tikzgen.schedule.exact import ScheduleError
from tikzgen.schedule.operation import Cell, Kind, Task


def gpipe(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Every device keeps all microbatches in flight; any number of microbatches."""
    return [
        [(Task(kind, stage, k),) for kind in (Kind.FORWARD, Kind.BACKWARD) for k in range(microbatches)]
        for stage in range(devices)
    ]


def gpipe_reversed(devices: int, microbatches: int, chunks: int | None) -> list[list[Cell]]:
    """The same with the backwards from the last microbatch to the first, as the paper draws them (its figure 2c)."""
    lists = gpipe(devices, microbatches, 1)
    return [[*cells[:microbatches], *reversed(cells[microbatches:])] for cells in lists]


def one_f_one_b(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Device r warms up with min(m, p-1-r) forwards: at most min(m, p-r) microbatches are in flight."""
    return [_device_of_1f1b(r, devices - 1 - r, microbatches) for r in range(devices)]


def eager(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Eager 1F1B: twice the warm-up, so that messages overlap with computation (arXiv 2211.05322)."""
    return [_device_of_1f1b(r, 2 * (devices - 1 - r), microbatches) for r in range(devices)]


def _device_of_1f1b(stage: int, warmup: int, microbatches: int) -> list[Cell]:
    warmup = min(warmup, microbatches)
    cells: list[Cell] = [(Task(Kind.FORWARD, stage, k),) for k in range(warmup)]
    for k in range(microbatches):
        if warmup + k < microbatches:
            cells.append((Task(Kind.FORWARD, stage, warmup + k),))
        cells.append((Task(Kind.BACKWARD, stage, k),))
    return cells


def interleaved(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """Groups of N microbatches go through chunk after chunk; the warm-up is 2(p-r-1) + (v-1)N.

    N is `group` (Megatron-LM's `microbatch_group_size_per_vp_stage`), at least p; the last group may be smaller, but
    not below p. What is left out is the least N that works.

    Raises:
        ScheduleError: a group would be smaller than the number of devices, which would wait for each other.
    """
    steps = _rounds("interleaved-1f1b", devices, microbatches, chunks, group)
    return [
        _interleaved_device(r, devices, chunks, 2 * (devices - r - 1) + (chunks - 1) * steps.group, steps.order)
        for r in range(devices)
    ]


class _Rounds(Record):
    """The chunk and the microbatch of each forward, which are the same for all devices, and how many go together."""

    group: int
    order: tuple[tuple[int, int], ...]


def _rounds(name: str, devices: int, microbatches: int, chunks: int, group: int | None) -> _Rounds:
    size = group or next((n for n in range(devices, microbatches + 1) if _fits(n, devices, microbatches)), 0)
    if not size:
        raise ScheduleError(
            f"{name} sends microbatches in groups of at least {devices}, one for each device: there are {microbatches}",
            hint=f"microbatches: {devices}",
        )
    if not _fits(size, devices, microbatches):
        last = microbatches % size if size >= devices else size
        raise ScheduleError(
            f"{name} needs a microbatch for each of {devices} devices in every group: with group {size}, "
            f"{microbatches} microbatches leave a group of {last}",
            hint="leave group out: the least that works is taken",
        )
    steps = [
        (chunk, microbatch)
        for first in range(0, microbatches, size)
        for chunk in range(chunks)
        for microbatch in range(first, min(first + size, microbatches))
    ]
    return _Rounds(size, tuple(steps))


def _fits(group: int, devices: int, microbatches: int) -> bool:
    return devices <= group <= microbatches and (microbatches % group == 0 or microbatches % group >= devices)


def _interleaved_device(
    device: int, devices: int, chunks: int, warmup: int, steps: Sequence[tuple[int, int]], lag: int | None = None
) -> list[Cell]:
    """`warmup` forwards, then forward and backward in turn; with a `lag` weight gradients come as many steps later."""
    kind = Kind.BACKWARD if lag is None else Kind.INPUT_GRAD
    warmup = min(warmup, len(steps))
    forwards: list[Cell] = [(Task(Kind.FORWARD, chunk * devices + device, k),) for chunk, k in steps]
    backwards = [Task(kind, (chunks - 1 - chunk) * devices + device, k) for chunk, k in steps]
    weights: list[Cell] = [(replace(task, kind=Kind.WEIGHT_GRAD),) for task in backwards if lag is not None]
    cells = forwards[:warmup]
    for step, backward in enumerate(backwards):
        cells += forwards[warmup + step : warmup + step + 1]
        cells.append((backward,))
        if lag is not None and step >= lag:
            cells.append(weights[step - lag])
    return cells + weights[len(steps) - min(lag or 0, len(steps)) :]


def interleaved_zb(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """Interleaved 1F1B whose warm-up is p-r-1 + (v-1)N and whose weight gradients are r steps late, as in ZB-H1.

    Raises:
        ScheduleError: a group would be smaller than the number of devices.
    """
    steps = _rounds("interleaved-zb", devices, microbatches, chunks, group)
    return [
        _interleaved_device(r, devices, chunks, devices - r - 1 + (chunks - 1) * steps.group, steps.order, r)
        for r in range(devices)
    ]


def breadth_first(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """All microbatches through one chunk after the other, then backwards from the last chunk and microbatch on."""
    return [
        [
            (Task(kind, chunk * devices + device, k),)
            for kind, way in ((Kind.FORWARD, 1), (Kind.BACKWARD, -1))
            for chunk in range(chunks)[::way]
            for k in range(microbatches)[::way]
        ]
        for device in range(devices)
    ]


def two_buffered(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """1F1B without flush, with two versions of the weights: a new one every m microbatches.

    Raises:
        ScheduleError: fewer than p microbatches a version, which would need a third one.
    """
    if microbatches < devices:
        raise ScheduleError(
            f"pipedream-2bw makes a version of the weights from at least p = {devices} microbatches, not "
            f"{microbatches}: with fewer, two versions are not enough",
            hint=f"microbatches: {devices}, or schedule: pipedream",
        )
    return one_f_one_b(devices, microbatches, chunks)


def zb_h1(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """The memory of 1F1B's first device on every device: min(m, p) microbatches in flight.

    With m >= p and W no longer than F and D, every device is idle for (p-1)(F + D - W).
    """
    return [_zero_bubble_device(r, devices - 1 - r, r, microbatches) for r in range(devices)]


def zb_h2(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """No idle time between a device's first and last operation when F = D = W, for 2p-1 microbatches in flight.

    Raises:
        ScheduleError: there are fewer than 2p-1 microbatches, too few to fill the pipeline.
    """
    least = 2 * devices - 1
    if microbatches < least:
        raise ScheduleError(
            f"zb-h2 fills {devices} devices with 2p-1 = {least} microbatches in flight: {microbatches} are too few",
            hint=f"microbatches: {least}, or schedule: zb-h1",
        )
    return [_zero_bubble_device(r, 2 * (devices - 1 - r), 2 * r, microbatches) for r in range(devices)]


def _zero_bubble_device(stage: int, warmup: int, lag: int, microbatches: int) -> list[Cell]:
    """`warmup` forwards, then forward and input gradient in turn; weight gradients are `lag` microbatches late."""
    warmup = min(warmup, microbatches)
    cells: list[Cell] = [(Task(Kind.FORWARD, stage, k),) for k in range(warmup)]
    for k in range(microbatches):
        if warmup + k < microbatches:
            cells.append((Task(Kind.FORWARD, stage, warmup + k),))
        cells.append((Task(Kind.INPUT_GRAD, stage, k),))
        if k >= lag:
            cells.append((Task(Kind.WEIGHT_GRAD, stage, k - lag),))
    owed = range(max(0, microbatches - lag), microbatches)
    return cells + [(Task(Kind.WEIGHT_GRAD, stage, k),) for k in owed]
