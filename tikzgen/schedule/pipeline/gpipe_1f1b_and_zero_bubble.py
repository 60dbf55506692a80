"""GPipe, 1F1B and its heirs: which cells each device runs, in which order.

- GPipe: all forwards, then all backwards (arXiv 1811.06965).
- 1F1B: a few forwards, then one forward and one backward in turn, then the backwards that are left (Megatron-LM).
- ZB-H1 and ZB-H2: weight gradients wait until they fill what would be a bubble (arXiv 2401.10241).
- PipeDream and PipeDream-2BW: 1F1B that is never flushed (arXiv 1806.03377, 2006.09503).
- TeraPipe and Seq1F1B: GPipe and 1F1B of slices of sequences (arXiv 2102.07988; 2406.03488 and its authors' code).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.tasks import Cell, Task, TaskKind


def in_turns(
    devices: int,
    chunks: int,
    steps: Sequence[tuple[int, int]],
    warmup: Callable[[int], int],
    lag: Callable[[int], int] | None = None,
    slices: int = 1,
) -> list[list[Cell]]:
    """Device r runs `warmup(r)` forwards, then forward and backward in turn, each by the chunk and the unit of `steps`.

    With a `lag`, backwards are input gradients, and their weight gradients come `lag(r)` steps later.
    """
    kind, lists = TaskKind.BACKWARD if lag is None else TaskKind.INPUT_GRAD, []
    for r in range(devices):
        first, late = min(warmup(r), len(steps)), min(lag(r), len(steps)) if lag else 0
        forwards: list[Cell] = [(Task(TaskKind.FORWARD, chunk * devices + r, unit),) for chunk, unit in steps]
        backwards = [
            Task(kind, (chunks - 1 - chunk) * devices + r, backward_slice(unit, slices)) for chunk, unit in steps
        ]
        weights: list[Cell] = [(replace(task, kind=TaskKind.WEIGHT_GRAD),) for task in backwards if lag]
        cells = forwards[:first]
        for step, backward in enumerate(backwards):
            cells += [*forwards[first + step : first + step + 1], (backward,)]
            cells += weights[step - late : step - late + 1] if step >= late else []
        lists.append(cells + weights[len(steps) - late :])
    return lists


def backward_slice(unit: int, slices: int) -> int:
    """Which slice runs backwards as the `unit`-th: a microbatch's last one first, for it is needed by none."""
    microbatch, place = divmod(unit, slices)
    return (microbatch + 1) * slices - 1 - place


def _units(count: int) -> list[tuple[int, int]]:
    return [(0, unit) for unit in range(count)]


def gpipe(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Every device keeps all microbatches in flight; any number of microbatches."""
    return in_turns(devices, 1, _units(microbatches), lambda r: microbatches)


def gpipe_reversed(devices: int, microbatches: int, chunks: int | None) -> list[list[Cell]]:
    """The same with the backwards from the last microbatch to the first, as the paper draws them (its figure 2c)."""
    lists = gpipe(devices, microbatches, 1)
    return [[*cells[:microbatches], *reversed(cells[microbatches:])] for cells in lists]


def terapipe(devices: int, microbatches: int, chunks: int, slices: int) -> list[list[Cell]]:
    """GPipe of slices; those of one microbatch go back from the last to the first."""
    units = microbatches * slices
    return in_turns(devices, 1, _units(units), lambda r: units, slices=slices)


def seq_1f1b(devices: int, microbatches: int, chunks: int, slices: int) -> list[list[Cell]]:
    """1F1B of slices: device r warms up with p-2-r+n forwards, for all n slices of a microbatch go before any comes
    back."""
    return in_turns(devices, 1, _units(microbatches * slices), lambda r: devices - 2 - r + slices, slices=slices)


def one_f_one_b(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Device r warms up with min(m, p-1-r) forwards: at most min(m, p-r) microbatches are in flight."""
    return in_turns(devices, 1, _units(microbatches), lambda r: devices - 1 - r)


def eager(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Eager 1F1B: twice the warm-up, so that messages overlap with computation (arXiv 2211.05322)."""
    return in_turns(devices, 1, _units(microbatches), lambda r: 2 * (devices - 1 - r))


def two_buffered(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """1F1B without flush, with two versions of the weights: a new one every m microbatches.

    `ScheduleError` for fewer than p microbatches a version, which would need a third one.
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
    return in_turns(devices, 1, _units(microbatches), lambda r: devices - 1 - r, lambda r: r)


def zb_h2(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """No idle time between a device's first and last operation when F = D = W, for 2p-1 microbatches in flight.

    `ScheduleError` where there are fewer than 2p-1 microbatches, too few to fill the pipeline.
    """
    least = 2 * devices - 1
    if microbatches < least:
        raise ScheduleError(
            f"zb-h2 fills {devices} devices with 2p-1 = {least} microbatches in flight: {microbatches} are too few",
            hint=f"microbatches: {least}, or schedule: zb-h1",
        )
    return in_turns(devices, 1, _units(microbatches), lambda r: 2 * (devices - 1 - r), lambda r: 2 * r)


# Schedules of devices that hold v chunks of the model, p stages apart.


def list_interleaved(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """List the cells of interleaved 1F1B: groups of N microbatches, warm-up of 2(p-r-1) + (v-1)N.

    N is `group` (Megatron-LM's `microbatch_group_size_per_vp_stage`), at least p; the last group may be smaller, but
    not below p. Fewer than p microbatches go in one group (PyTorch's Interleaved1F1B). What is left out is the least N
    that works. `ScheduleError` where one of several groups would be smaller than the number of devices, which would
    wait for each other.
    """
    steps = _rounds("interleaved-1f1b", devices, microbatches, chunks, group)
    held = (chunks - 1) * steps.group
    return in_turns(devices, chunks, steps.order, lambda r: 2 * (devices - r - 1) + held)


def seq_interleaved(
    devices: int, microbatches: int, chunks: int, slices: int, group: int | None = None
) -> list[list[Cell]]:
    """Interleaved 1F1B of slices: the groups, of whole microbatches, have at least p of them; the warm-up has n-1 more.

    `ScheduleError` where one of several groups would have fewer slices than there are devices.
    """
    steps = _rounds("seq1f1b-interleaved", devices, microbatches, chunks, group, slices)
    held = (chunks - 1) * steps.group + slices - 1
    return in_turns(devices, chunks, steps.order, lambda r: 2 * (devices - r - 1) + held, slices=slices)


def list_overlapped(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """List the cells of interleaved 1F1B with one more warm-up forward; later pairs are fused cells.

    `ScheduleError` where one of several groups would be smaller than the number of devices.
    """
    steps = _rounds("overlapped-1f1b", devices, microbatches, chunks, group)
    held, many, lists = (chunks - 1) * steps.group + 1, len(steps.order), []
    for r, cells in enumerate(in_turns(devices, chunks, steps.order, lambda r: 2 * (devices - r - 1) + held)):
        warmup = min(2 * (devices - r - 1) + held, many)
        pairs = many - warmup
        paired = cells[warmup : warmup + 2 * pairs]
        both = [(*forward, *backward) for forward, backward in zip(paired[::2], paired[1::2], strict=True)]
        lists.append([*cells[:warmup], *both, *cells[warmup + 2 * pairs :]])
    return lists


class _Rounds(Record):
    """The chunk and the microbatch of each forward, which are the same for all devices, and how many go together."""

    group: int
    order: tuple[tuple[int, int], ...]


def _rounds(name: str, devices: int, microbatches: int, chunks: int, group: int | None, slices: int = 1) -> _Rounds:
    least = min(-(-devices // slices), microbatches)  # a slice for each device, or all microbatches in one group
    size = group or next(n for n in range(least, microbatches + 1) if _fits(n, least, microbatches))
    if not _fits(size, least, microbatches):
        last = microbatches % size if size >= least else size
        raise ScheduleError(
            f"{name} needs a microbatch for each of {devices} devices in every group: with group {size}, "
            f"{microbatches} microbatches leave a group of {last}",
            hint="leave group out: the least that works is taken",
        )
    steps = [
        (chunk, unit)
        for first in range(0, microbatches, size)
        for chunk in range(chunks)
        for unit in range(first * slices, min(first + size, microbatches) * slices)
    ]
    return _Rounds(size * slices, tuple(steps))


def _fits(group: int, devices: int, microbatches: int) -> bool:
    return devices <= group <= microbatches and (microbatches % group == 0 or microbatches % group >= devices)


def interleaved_zb(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """Interleaved 1F1B whose warm-up is p-r-1 + (v-1)N and whose weight gradients are r steps late, as in ZB-H1.

    `ScheduleError` where one of several groups would be smaller than the number of devices.
    """
    steps = _rounds("interleaved-zb", devices, microbatches, chunks, group)
    held = (chunks - 1) * steps.group
    return in_turns(devices, chunks, steps.order, lambda r: devices - r - 1 + held, lambda r: r)


def breadth_first(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """All microbatches through one chunk after the other, then backwards from the last chunk and microbatch on."""
    return [
        [
            (Task(kind, chunk * devices + device, k),)
            for kind, way in ((TaskKind.FORWARD, 1), (TaskKind.BACKWARD, -1))
            for chunk in range(chunks)[::way]
            for k in range(microbatches)[::way]
        ]
        for device in range(devices)
    ]
