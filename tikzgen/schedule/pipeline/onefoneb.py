"""GPipe, 1F1B and its heirs: which cells each device runs, in which order.

- GPipe: all forwards, then all backwards (arXiv 1811.06965).
- 1F1B: a few forwards, then one forward and one backward in turn, then the backwards that are left (Megatron-LM).
- ZB-H1 and ZB-H2: weight gradients wait until they fill what would be a bubble (arXiv 2401.10241).
- PipeDream and PipeDream-2BW: 1F1B that is never flushed (arXiv 1806.03377, 2006.09503).
- TeraPipe and Seq1F1B: GPipe and 1F1B of slices of sequences (arXiv 2102.07988; 2406.03488 and its authors' code).
"""

from __future__ import annotations

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


def terapipe(devices: int, microbatches: int, chunks: int, slices: int) -> list[list[Cell]]:
    """GPipe of slices; those of one microbatch go back from the last to the first."""
    units = range(microbatches * slices)
    return [
        [
            *((Task(Kind.FORWARD, stage, unit),) for unit in units),
            *((Task(Kind.BACKWARD, stage, backward_slice(unit, slices)),) for unit in units),
        ]
        for stage in range(devices)
    ]


def backward_slice(unit: int, slices: int) -> int:
    """Which slice runs backwards as the `unit`-th: a microbatch's last one first, for it is needed by none."""
    microbatch, place = divmod(unit, slices)
    return (microbatch + 1) * slices - 1 - place


def seq_1f1b(devices: int, microbatches: int, chunks: int, slices: int) -> list[list[Cell]]:
    """1F1B of slices: device r warms up with p-2-r+n forwards, for all n slices of a microbatch go before any comes
    back."""
    return [_device_of_1f1b(r, devices - 2 - r + slices, microbatches * slices, slices) for r in range(devices)]


def one_f_one_b(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Device r warms up with min(m, p-1-r) forwards: at most min(m, p-r) microbatches are in flight."""
    return [_device_of_1f1b(r, devices - 1 - r, microbatches) for r in range(devices)]


def eager(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Eager 1F1B: twice the warm-up, so that messages overlap with computation (arXiv 2211.05322)."""
    return [_device_of_1f1b(r, 2 * (devices - 1 - r), microbatches) for r in range(devices)]


def _device_of_1f1b(stage: int, warmup: int, microbatches: int, slices: int = 1) -> list[Cell]:
    warmup = min(warmup, microbatches)
    cells: list[Cell] = [(Task(Kind.FORWARD, stage, k),) for k in range(warmup)]
    for k in range(microbatches):
        if warmup + k < microbatches:
            cells.append((Task(Kind.FORWARD, stage, warmup + k),))
        cells.append((Task(Kind.BACKWARD, stage, backward_slice(k, slices)),))
    return cells


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
