"""Pipeline schedules by name: which device runs what in which order, and when."""

from __future__ import annotations

from collections.abc import Callable

from tikzgen.base.errors import quoted
from tikzgen.base.record import Record
from tikzgen.schedule.exact import Number, ScheduleError, bearable, whole
from tikzgen.schedule.operation import Cell, Plan
from tikzgen.schedule.pipeline.building_blocks import v_half, v_min
from tikzgen.schedule.pipeline.by_priority import hanayo
from tikzgen.schedule.pipeline.costs import P2P, Costs, Matrix, costs
from tikzgen.schedule.pipeline.dualpipe import chimera, dualpipe, dualpipev, zb_v
from tikzgen.schedule.pipeline.onefoneb import (
    breadth_first,
    eager,
    gpipe,
    gpipe_reversed,
    interleaved,
    interleaved_zb,
    one_f_one_b,
    two_buffered,
    zb_h1,
    zb_h2,
)
from tikzgen.schedule.pipeline.program import program
from tikzgen.schedule.simulate import Schedule, simulate

__all__ = ["FAMILIES", "P2P", "Costs", "Family", "Times", "costs", "family", "pipeline", "plan", "program"]


class Family(Record):
    """A kind of pipeline schedule: `lists` writes each device's cells from devices, microbatches and chunks a device.

    `chunks` is how many parts of the model a device holds, None if one may choose; `bound` says how many microbatches
    may be in flight; `grouped` lists take the size of the groups in which microbatches go round, too. `also` writes
    another order that goes by the same name.
    """

    name: str
    lists: Callable[..., list[list[Cell]]]
    chunks: int | None = 1
    bound: str = ""
    grouped: bool = False
    also: Callable[..., list[list[Cell]]] | None = None


FAMILIES = {
    each.name: each
    for each in (
        Family("gpipe", gpipe, bound="m", also=gpipe_reversed),
        Family("1f1b", one_f_one_b, bound="min(m, p - r)"),
        Family("eager-1f1b", eager, bound="min(m, 2(p - r) - 1)"),
        Family("interleaved-1f1b", interleaved, None, bound="warm-up + 1", grouped=True),
        Family("zb-h1", zb_h1, bound="min(m, p)"),
        Family("zb-h2", zb_h2, bound="2p - 1"),
        Family("zb-v", zb_v, 2, bound="2p chunks"),
        Family("dualpipe", dualpipe, bound="p + 1"),
        Family("dualpipev", dualpipev, 2, bound="2p + 1 chunks"),
        Family("chimera", chimera),
        Family("interleaved-zb", interleaved_zb, None, bound="warm-up + lag + 1", grouped=True),
        Family("looped-bfs", breadth_first, None, bound="mv"),
        Family("v-half", v_half, 2),
        Family("v-min", v_min, 2),
        Family("hanayo", hanayo, None),
        Family("pipedream", one_f_one_b, bound="min(m, p - r)"),
        Family("pipedream-2bw", two_buffered, bound="min(m, p - r)"),
    )
}


def family(schedule: str) -> Family:
    """The family called `schedule`.

    Raises:
        ScheduleError: there is none; the hint lists those there are.
    """
    if schedule not in FAMILIES:
        raise ScheduleError(f"unknown schedule {quoted(schedule)}", hint="known: " + ", ".join(FAMILIES))
    return FAMILIES[schedule]


def plan(
    schedule: str, devices: int, microbatches: int, chunks: int | None = None, *, group: int | None = None
) -> Plan:
    """Who does what in which order: p `devices`, m `microbatches`, v `chunks` a device (2 if it may be chosen).

    `group` microbatches go round together where a schedule interleaves chunks; the least that works if left out.

    Raises:
        ScheduleError: an unknown schedule, or one that is not defined for these numbers, with the reason.
    """
    which = family(schedule)
    whole(devices, "devices")
    whole(microbatches, "microbatches")
    if chunks is not None and which.chunks not in (None, whole(chunks, "chunks")):
        raise ScheduleError(
            f"{schedule} has {which.chunks} chunk{'s' if which.chunks != 1 else ''} a device, not {chunks}",
            hint="leave chunks out, or schedule: interleaved-1f1b",
        )
    if group is not None and not which.grouped:
        raise ScheduleError(f"{schedule} has no groups of microbatches", hint="leave group out")
    held = which.chunks or chunks or 2
    bearable(2 * devices * microbatches * held)
    lists = which.lists(devices, microbatches, held, *([group] if which.grouped else []))
    return Plan(schedule, devices * held, microbatches, tuple(map(tuple, lists)))


def pipeline(
    schedule: str,
    devices: int,
    microbatches: int,
    *,
    chunks: int | None = None,
    group: int | None = None,
    forward: Matrix = 1,
    backward: Matrix | None = None,
    input_grad: Matrix | None = None,
    weight_grad: Matrix | None = None,
    overlapped: Number | None = None,
    latency: Number = 0,
    p2p: P2P = "async",
    per_node: int | None = None,
    node_latency: Number | None = None,
) -> Schedule:
    """A pipeline schedule with its times; durations are for one stage (one chunk), as in `costs`.

    Raises:
        ScheduleError: what `plan` and `costs` refuse.
    """
    what = plan(schedule, devices, microbatches, chunks, group=group)
    cost = costs(
        what.stages,
        microbatches=microbatches,
        forward=forward,
        backward=backward,
        input_grad=input_grad,
        weight_grad=weight_grad,
        overlapped=overlapped,
        latency=latency,
        p2p=p2p,
        per_node=per_node,
        node_latency=node_latency,
    )
    return simulate(program(what, cost))
