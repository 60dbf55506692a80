"""GPipe, 1F1B and related schedules: the cells of each device in order.

- GPipe: all forwards, then all backwards (arXiv 1811.06965).
- 1F1B: a few forwards, then one forward and one backward alternately, then the remaining backwards (Megatron-LM).
- ZB-H1 and ZB-H2: weight gradients are delayed to fill bubbles (arXiv 2401.10241).
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
    """List cells that alternate: device r runs `warmup(r)` forwards, then forward and backward in turn.

    `steps` has the chunk and unit (microbatch or slice) of each forward. With a `lag`, backwards are input gradients,
    and their weight gradients follow `lag(r)` steps later.
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
    """Return the slice of backward number `unit`.

    Within a microbatch, the last slice is first, because no later slice needs it.
    """
    microbatch, place = divmod(unit, slices)
    return (microbatch + 1) * slices - 1 - place


def _list_units(count: int) -> list[tuple[int, int]]:
    return [(0, unit) for unit in range(count)]


def list_gpipe_cells(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of GPipe: every device keeps all microbatches in flight."""
    return in_turns(devices, 1, _list_units(microbatches), lambda r: microbatches)


def gpipe_reversed(devices: int, microbatches: int, chunks: int | None) -> list[list[Cell]]:
    """List the cells of GPipe, backwards from the last microbatch to the first (figure 2c of its paper)."""
    lists = list_gpipe_cells(devices, microbatches, 1)
    return [[*cells[:microbatches], *reversed(cells[microbatches:])] for cells in lists]


def list_terapipe_cells(devices: int, microbatches: int, chunks: int, slices: int) -> list[list[Cell]]:
    """List the cells of TeraPipe: GPipe of slices, with backwards from the last slice of a microbatch."""
    units = microbatches * slices
    return in_turns(devices, 1, _list_units(units), lambda r: units, slices=slices)


def seq_1f1b(devices: int, microbatches: int, chunks: int, slices: int) -> list[list[Cell]]:
    """List the cells of Seq1F1B: 1F1B of slices, with p-2-r+n warm-up forwards on device r.

    All n slices of a microbatch run forward before its first backward.
    """
    return in_turns(devices, 1, _list_units(microbatches * slices), lambda r: devices - 2 - r + slices, slices=slices)


def one_f_one_b(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of 1F1B: min(m, p-1-r) warm-up forwards on device r.

    At most min(m, p-r) microbatches are in flight.
    """
    return in_turns(devices, 1, _list_units(microbatches), lambda r: devices - 1 - r)


def list_eager_cells(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of eager 1F1B: twice the warm-up of 1F1B.

    Messages then overlap with computation (arXiv 2211.05322).
    """
    return in_turns(devices, 1, _list_units(microbatches), lambda r: 2 * (devices - 1 - r))


def two_buffered(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of PipeDream-2BW: 1F1B without flush, with two versions of the weights.

    A new version follows every m microbatches. Raise `ScheduleError` for fewer than p microbatches per version, which
    would need a third version.
    """
    if microbatches < devices:
        raise ScheduleError(
            f"pipedream-2bw needs at least p = {devices} microbatches, not {microbatches}",
            hint=f"microbatches: {devices}, or schedule: pipedream",
        )
    return one_f_one_b(devices, microbatches, chunks)


def zb_h1(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of ZB-H1: at most min(m, p) microbatches in flight on every device.

    This is the memory of 1F1B's first device. If m >= p and W is at most F and D, every device is idle for (p-1)(F + D
    - W).
    """
    return in_turns(devices, 1, _list_units(microbatches), lambda r: devices - 1 - r, lambda r: r)


def zb_h2(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of ZB-H2: 2p-1 microbatches in flight, for no idle time within a device's span.

    This requires F = D = W. Raise `ScheduleError` for fewer than 2p-1 microbatches, which cannot fill the pipeline.
    """
    least = 2 * devices - 1
    if microbatches < least:
        raise ScheduleError(
            f"zb-h2 fills {devices} devices with 2p-1 = {least} microbatches in flight: {microbatches} are too few",
            hint=f"microbatches: {least}, or schedule: zb-h1",
        )
    return in_turns(devices, 1, _list_units(microbatches), lambda r: 2 * (devices - 1 - r), lambda r: 2 * r)


# Schedules of devices that hold v chunks of the model, p stages apart.


def list_interleaved(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """List the cells of interleaved 1F1B: groups of N microbatches, warm-up of 2(p-r-1) + (v-1)N.

    N is `group` (Megatron-LM's `microbatch_group_size_per_vp_stage`), at least p. The last group may be smaller, but
    not below p. Fewer than p microbatches form one group (PyTorch's Interleaved1F1B). The default is the least valid
    N. Raise `ScheduleError` if one of several groups is smaller than the number of devices, because devices would then
    wait for each other.
    """
    steps = _split_into_rounds("interleaved-1f1b", devices, microbatches, chunks, group)
    held = (chunks - 1) * steps.group
    return in_turns(devices, chunks, steps.order, lambda r: 2 * (devices - r - 1) + held)


def seq_interleaved(
    devices: int, microbatches: int, chunks: int, slices: int, group: int | None = None
) -> list[list[Cell]]:
    """List the cells of interleaved 1F1B of slices, with a warm-up of 2(p-r-1) + (v-1)Nn + n-1.

    N is the size of a group of microbatches, n the number of slices. Raise `ScheduleError` if one of several groups
    has fewer slices than there are devices.
    """
    steps = _split_into_rounds("seq1f1b-interleaved", devices, microbatches, chunks, group, slices)
    held = (chunks - 1) * steps.group + slices - 1
    return in_turns(devices, chunks, steps.order, lambda r: 2 * (devices - r - 1) + held, slices=slices)


def list_overlapped(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """List the cells of interleaved 1F1B with one more warm-up forward; later pairs are fused cells.

    Raise `ScheduleError` if one of several groups is smaller than the number of devices.
    """
    steps = _split_into_rounds("overlapped-1f1b", devices, microbatches, chunks, group)
    held, many, lists = (chunks - 1) * steps.group + 1, len(steps.order), []
    for r, cells in enumerate(in_turns(devices, chunks, steps.order, lambda r: 2 * (devices - r - 1) + held)):
        warmup = min(2 * (devices - r - 1) + held, many)
        pairs = many - warmup
        paired = cells[warmup : warmup + 2 * pairs]
        both = [(*forward, *backward) for forward, backward in zip(paired[::2], paired[1::2], strict=True)]
        lists.append([*cells[:warmup], *both, *cells[warmup + 2 * pairs :]])
    return lists


class _Rounds(Record):
    """Chunk and unit of each forward, the same for all devices, and the number of units in a group."""

    group: int
    order: tuple[tuple[int, int], ...]


def _split_into_rounds(
    name: str, devices: int, microbatches: int, chunks: int, group: int | None, slices: int = 1
) -> _Rounds:
    least = min(-(-devices // slices), microbatches)  # one slice per device, or all microbatches in one group
    size = group or next(n for n in range(least, microbatches + 1) if _is_valid_group(n, least, microbatches))
    if not _is_valid_group(size, least, microbatches):
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


def _is_valid_group(group: int, devices: int, microbatches: int) -> bool:
    return devices <= group <= microbatches and (microbatches % group == 0 or microbatches % group >= devices)


def interleaved_zb(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """List the cells of interleaved 1F1B with weight gradients r steps late, as in ZB-H1.

    The warm-up is p-r-1 + (v-1)N. Raise `ScheduleError` if one of several groups is smaller than the number of
    devices.
    """
    steps = _split_into_rounds("interleaved-zb", devices, microbatches, chunks, group)
    held = (chunks - 1) * steps.group
    return in_turns(devices, chunks, steps.order, lambda r: devices - r - 1 + held, lambda r: r)


def breadth_first(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of the breadth-first schedule: all microbatches through each chunk, then the reverse."""
    return [
        [
            (Task(kind, chunk * devices + device, k),)
            for kind, way in ((TaskKind.FORWARD, 1), (TaskKind.BACKWARD, -1))
            for chunk in range(chunks)[::way]
            for k in range(microbatches)[::way]
        ]
        for device in range(devices)
    ]
