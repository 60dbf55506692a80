"""Schedules of devices that hold v chunks of the model, p stages apart.

- Interleaved 1F1B: groups of microbatches go through chunk after chunk (arXiv 2104.04473, section 2.2).
- Overlapped 1F1B: with one forward more in the warm-up, so that the forward and the backward of a pair do not need each
  other and run as one (Megatron-LM's `overlap_moe_expert_parallel_comm`).
- Interleaved Seq1F1B: of slices of sequences (arXiv 2406.03488 and its authors' code).
- Interleaved zero bubble: with ZB-H1's late weight gradients (PyTorch's InterleavedZeroBubble).
- Breadth-first: all microbatches through a device's chunks, chunk by chunk, and back (arXiv 2211.05953, PyTorch).
"""

from __future__ import annotations

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.pipeline.gpipe_1f1b_and_zero_bubble import in_turns
from tikzgen.schedule.tasks import Cell, Kind, Task


def interleaved(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """Groups of N microbatches go through chunk after chunk; the warm-up is 2(p-r-1) + (v-1)N.

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


def overlapped(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """Interleaved 1F1B with one forward more in the warm-up; every later pair of forward and backward is one cell.

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
            for kind, way in ((Kind.FORWARD, 1), (Kind.BACKWARD, -1))
            for chunk in range(chunks)[::way]
            for k in range(microbatches)[::way]
        ]
        for device in range(devices)
    ]
