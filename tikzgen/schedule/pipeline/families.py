"""Pipeline schedules by name: plans (the order of cells per device) and simulated times.

The main functions are `plan` and `pipeline`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

from tikzgen.base.errors import quote
from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import Number, ScheduleError, check_integer, check_operation_count
from tikzgen.schedule.pipeline.dualpipe_and_zb_v import (
    list_chimera_cells,
    list_dualpipe_cells,
    list_dualpipev_cells,
    zb_v,
)
from tikzgen.schedule.pipeline.gpipe_1f1b_and_zero_bubble import (
    breadth_first,
    gpipe_reversed,
    interleaved_zb,
    list_eager_cells,
    list_gpipe_cells,
    list_interleaved,
    list_overlapped,
    list_terapipe_cells,
    one_f_one_b,
    seq_1f1b,
    seq_interleaved,
    two_buffered,
    zb_h1,
    zb_h2,
)
from tikzgen.schedule.pipeline.hanayo_and_list_scheduling import list_hanayo_cells
from tikzgen.schedule.pipeline.pipeline_costs import P2P, Around, Besides, Costs, Matrix, make_costs, read_extra_work
from tikzgen.schedule.pipeline.plan_to_program import build_program
from tikzgen.schedule.pipeline.v_half_and_v_min import v_half, v_min
from tikzgen.schedule.simulate import Schedule, simulate
from tikzgen.schedule.tasks import Cell, PipelinePlan

__all__ = [
    "FAMILIES",
    "P2P",
    "PYTORCH_CLASSES",
    "Around",
    "Costs",
    "ScheduleFamily",
    "build_program",
    "find_family",
    "make_costs",
    "pipeline",
    "plan",
    "read_extra_work",
    "schedule_name",
]


class ScheduleFamily(Record):
    """Kind of pipeline schedule; `lists` returns the cells per device for devices, microbatches and chunks.

    `title` is its name in papers. `chunks` is the number of chunks per device, or None if it is free. `bound` is the
    formula for the maximum number of microbatches in flight. `lists` also takes the number of slices per sequence if
    `sliced`, and the size of microbatch groups if `grouped`. `also` returns another order with the same name.
    `pytorch` is the class in `torch.distributed.pipelining` that runs the same lists, without the prefix `Schedule`.
    """

    name: str
    title: str
    lists: Callable[..., list[list[Cell]]]
    chunks: int | None = 1
    bound: str = ""
    grouped: bool = False
    sliced: bool = False
    also: Callable[..., list[list[Cell]]] | None = None
    pytorch: str = ""


FAMILIES = {
    each.name: each
    for each in (
        ScheduleFamily("gpipe", "GPipe", list_gpipe_cells, bound="m", also=gpipe_reversed, pytorch="GPipe"),
        ScheduleFamily("1f1b", "1F1B", one_f_one_b, bound="min(m, p - r)", pytorch="1F1B"),
        ScheduleFamily("eager-1f1b", "eager 1F1B", list_eager_cells, bound="min(m, 2(p - r) - 1)"),
        ScheduleFamily(
            *("interleaved-1f1b", "interleaved 1F1B", list_interleaved, None),
            bound="warm-up + 1",
            grouped=True,
            pytorch="Interleaved1F1B",
        ),
        ScheduleFamily("zb-h1", "ZB-H1", zb_h1, bound="min(m, p)"),
        ScheduleFamily("zb-h2", "ZB-H2", zb_h2, bound="2p - 1"),
        ScheduleFamily("zb-v", "ZB-V", zb_v, 2, bound="2p chunks", pytorch="ZBVZeroBubble"),
        ScheduleFamily("dualpipe", "DualPipe", list_dualpipe_cells, bound="p + 1"),
        ScheduleFamily("dualpipev", "DualPipeV", list_dualpipev_cells, 2, bound="2p + 1 chunks", pytorch="DualPipeV"),
        ScheduleFamily("chimera", "Chimera", list_chimera_cells),
        ScheduleFamily(
            *("interleaved-zb", "interleaved zero bubble", interleaved_zb, None),
            bound="warm-up + lag + 1",
            grouped=True,
            pytorch="InterleavedZeroBubble",
        ),
        ScheduleFamily("looped-bfs", "breadth-first", breadth_first, None, bound="mv", pytorch="LoopedBFS"),
        ScheduleFamily("v-half", "V-Half", v_half, 2),
        ScheduleFamily("v-min", "V-Min", v_min, 2),
        ScheduleFamily("hanayo", "Hanayo", list_hanayo_cells, None),
        ScheduleFamily("pipedream", "PipeDream", one_f_one_b, bound="min(m, p - r)"),
        ScheduleFamily("pipedream-2bw", "PipeDream-2BW", two_buffered, bound="min(m, p - r)"),
        ScheduleFamily("terapipe", "TeraPipe", list_terapipe_cells, sliced=True),
        ScheduleFamily("seq1f1b", "Seq1F1B", seq_1f1b, sliced=True),
        ScheduleFamily("seq1f1b-interleaved", "interleaved Seq1F1B", seq_interleaved, None, grouped=True, sliced=True),
        ScheduleFamily("overlapped-1f1b", "overlapped 1F1B", list_overlapped, None, grouped=True),
    )
}


PYTORCH_CLASSES = {f"Schedule{each.pytorch}": each.name for each in FAMILIES.values() if each.pytorch}
"""The schedules by the names of PyTorch's classes."""
_SMALL_CLASSES = {name.lower().removeprefix("schedule"): schedule for name, schedule in PYTORCH_CLASSES.items()}


def schedule_name(name: str) -> str:
    """Return the name of the schedule for a class of PyTorch; return any other name unchanged.

    The prefix `Schedule` is optional and case is ignored, as in PyTorch.
    >>> schedule_name("ScheduleZBVZeroBubble"), schedule_name("interleaved1f1b"), schedule_name("zb-h1")
    ('zb-v', 'interleaved-1f1b', 'zb-h1')
    """
    return name if name in FAMILIES else _SMALL_CLASSES.get(name.lower().removeprefix("schedule"), name)


def find_family(schedule: str) -> ScheduleFamily:
    """Return the family called `schedule`, by the name of tikzgen or PyTorch.

    Raise `ScheduleError` for an unknown name; the hint lists the known ones.
    """
    name = schedule_name(schedule)
    if name not in FAMILIES:
        raise ScheduleError(f"unknown schedule {quote(schedule)}", hint="known: " + ", ".join(FAMILIES))
    return FAMILIES[name]


def plan(
    schedule: str,
    devices: int,
    microbatches: int,
    chunks: int | None = None,
    *,
    group: int | None = None,
    slices: int | None = None,
) -> PipelinePlan:
    """Return the plan for p `devices`, m `microbatches` and v `chunks` per device (default 2 if free).

    `group` is the size of microbatch groups if a schedule interleaves chunks (default: the least valid size). `slices`
    is the number of slices if a schedule cuts sequences (default 2). Raise `ScheduleError` for an unknown schedule, or
    if it is not defined for these numbers, with the reason.
    """
    which = find_family(schedule)
    check_integer(devices, "devices")
    check_integer(microbatches, "microbatches")
    if chunks is not None and which.chunks not in (None, check_integer(chunks, "chunks")):
        raise ScheduleError(
            f"{schedule} has {which.chunks} chunk{'s' if which.chunks != 1 else ''} a device, not {chunks}",
            hint="leave chunks out, or schedule: interleaved-1f1b",
        )
    if group is not None and not which.grouped:
        raise ScheduleError(f"{schedule} has no groups of microbatches", hint="leave group out")
    if slices is not None and not which.sliced:
        names = ", ".join(each.name for each in FAMILIES.values() if each.sliced)
        raise ScheduleError(
            f"{schedule} does not cut sequences", hint=f"leave slices out; schedules with slices: {names}"
        )
    held = which.chunks or chunks or 2
    parts = check_integer(2 if slices is None else slices, "slices") if which.sliced else 1
    check_operation_count(2 * devices * microbatches * held * parts)
    more = ([parts] if which.sliced else []) + ([group] if which.grouped else [])
    lists = which.lists(devices, microbatches, held, *more)
    check_operation_count(sum(map(len, lists)))  # some schedules split backwards into two operations
    return PipelinePlan(which.name, devices * held, microbatches * parts, tuple(map(tuple, lists)), parts)


def pipeline(
    schedule: str,
    devices: int,
    microbatches: int,
    *,
    chunks: int | None = None,
    group: int | None = None,
    slices: int | None = None,
    forward: Matrix = 1,
    backward: Matrix | None = None,
    input_grad: Matrix | None = None,
    weight_grad: Matrix | None = None,
    overlapped: Number | None = None,
    latency: Number = 0,
    p2p: P2P = "async",
    per_node: int | Sequence[int] | None = None,
    node_latency: Number | None = None,
    links: bool = False,
    **besides: Unpack[Besides],
) -> Schedule:
    """Simulate a pipeline schedule; durations are for one stage (one chunk, one slice).

    Raise `ScheduleError` as `plan`, `make_costs` and `read_extra_work` do.
    """
    what = plan(schedule, devices, microbatches, chunks, group=group, slices=slices)
    cost = make_costs(
        what.stages,
        microbatches=what.microbatches,
        forward=forward,
        backward=backward,
        input_grad=input_grad,
        weight_grad=weight_grad,
        overlapped=overlapped,
        latency=latency,
        p2p=p2p,
        per_node=per_node,
        node_latency=node_latency,
        links=links,
    )
    return simulate(build_program(what, cost, read_extra_work(what.stages, microbatches=what.microbatches, **besides)))
