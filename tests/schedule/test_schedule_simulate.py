"""The simulator: order, dependencies, latency, queues, barriers, exact numbers, deadlocks, size."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tikzgen.schedule import (
    Builder,
    Deadlock,
    OperationNeed,
    Program,
    ScheduledOperation,
    ScheduleError,
    ScheduleLane,
    cut_schedule,
    measure,
    pipeline,
    plan,
    simulate,
)
from tikzgen.schedule.exact_numbers import read_exact_number

ONE = Fraction(1)
A, B = ScheduleLane(0), ScheduleLane(1)


def operation(name: str, lane: ScheduleLane, *needs: OperationNeed, duration: Fraction = ONE) -> ScheduledOperation:
    return ScheduledOperation(name, "work", (lane,), duration, needs)


def test_a_lane_keeps_its_order_and_a_need_its_latency() -> None:
    program = Program((operation("a", A, OperationNeed(1, Fraction(1, 2))), operation("b", B), operation("c", A)))
    schedule = simulate(program)
    assert [schedule.start(i) for i in range(3)] == [Fraction(3, 2), 0, Fraction(5, 2)]
    assert schedule.makespan == Fraction(7, 2)
    assert schedule.order == (1, 0, 2)


def test_a_queue_takes_what_comes_first() -> None:
    queue = ScheduleLane(2, queue=True)
    program = Program(
        (
            operation("slow", A, duration=Fraction(3)),
            operation("fast", B),
            operation("of slow", queue, OperationNeed(0)),
            operation("of fast", queue, OperationNeed(1), duration=Fraction(5)),
        )
    )
    schedule = simulate(program)
    assert (schedule.start(2), schedule.start(3)) == (6, 1)


def test_a_barrier_makes_all_lanes_wait() -> None:
    builder = Builder()
    builder.add("work", A, Fraction(3), name="long")
    builder.add("work", B, ONE, name="short")
    builder.barrier([A, B])
    after = builder.add("work", B, ONE, name="after")
    schedule = simulate(builder.program())
    assert schedule.start(after) == 3
    assert builder.program().list_lanes() == (A, B)


def test_nothing_takes_no_time() -> None:
    assert simulate(Program(())).makespan == 0


def test_a_deadlock_names_the_cycle() -> None:
    program = Program(
        (operation("x", A, OperationNeed(3)), operation("y", A), operation("z", B, OperationNeed(1)), operation("w", B))
    )
    with pytest.raises(
        Deadlock, match="deadlock: on device 0, x waits for w waits for z waits for y waits for x"
    ) as error:
        simulate(program)
    assert error.value.cycle == (0, 3, 2, 1)
    assert "4 of 4 operations" in error.value.hint


def test_a_long_cycle_is_cut_short() -> None:
    count = 50
    program = Program(tuple(operation(f"o{i}", ScheduleLane(i), OperationNeed((i + 1) % count)) for i in range(count)))
    with pytest.raises(Deadlock, match=r"… \(43 more\) waits for o0") as error:
        simulate(program)
    assert len(error.value.cycle) == count


def test_forgiving_starts_what_is_blocked_and_says_so() -> None:
    program = Program((operation("x", A, OperationNeed(1)), operation("y", B, OperationNeed(0)), operation("z", B)))
    schedule = simulate(program, forgiving=True)
    assert schedule.forced == (0,)
    assert [schedule.start(i) for i in range(3)] == [0, 1, 2]


def test_a_need_must_exist() -> None:
    with pytest.raises(ScheduleError, match="x needs operation 7, which does not exist"):
        simulate(Program((operation("x", A, OperationNeed(7)),)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (Decimal("1676.834"), Fraction(1676834, 1000)),
        (1e-7, Fraction(1, 10**7)),
    ],
)
def test_numbers_are_what_was_written(value: float | str | Decimal, expected: Fraction) -> None:
    assert read_exact_number(value) == expected


@pytest.mark.parametrize("value", ["two", float("nan"), float("inf"), True, None, "1/0", -1])
def test_what_is_no_duration_is_refused(value: object) -> None:
    with pytest.raises(ScheduleError, match="duration"):
        read_exact_number(value)  # type: ignore[arg-type]


def test_measured_times_stay_exact() -> None:
    schedule = pipeline("1f1b", 3, 1, forward=[0.1, 0.3, 0.2], backward=[0.2, 0.45, 0.7])
    assert schedule.makespan == Fraction(39, 20)


def test_unequal_stages_wait_for_the_slowest() -> None:
    metrics = measure(pipeline("gpipe", 3, 5, forward=[1, 4, 1], backward=[2, 8, 2]))
    assert metrics.makespan == 1 + 5 * 4 + 1 + 2 + 5 * 8 + 2
    assert metrics.busy == (15, 60, 15)
    assert metrics.bubble_over_total == 1 - Fraction(90, 3 * 66)


def test_cutting_keeps_what_has_begun() -> None:
    schedule = cut_schedule(pipeline("1f1b", 2, 2), Fraction(3))
    assert [each.name for each in schedule.program.operations] == ["0F0", "0F1", "1F0", "1B0"]
    assert schedule.makespan == 4


@pytest.mark.slow
def test_a_hundred_thousand_operations() -> None:
    devices, microbatches = 50, 1000
    schedule = pipeline("1f1b", devices, microbatches, forward="1/3", backward="2/7")
    assert len(schedule.order) == 100_000
    assert schedule.makespan == (microbatches + devices - 1) * Fraction(13, 21)


REFUSED = [
    (("1f1b", 0, 8), {}, "devices: 0 must be a whole number"),
    (("1f1b", 4, 1.5), {}, "microbatches: 1.5 must be a whole number"),
    (("2f2b", 4, 8), {}, 'unknown schedule "2f2b" (known: gpipe, 1f1b'),
    (("interleaved-1f1b", 4, 3), {"group": 2}, "with group 2, 3 microbatches leave a group of 2 (leave group out"),
    (("interleaved-1f1b", 4, 6), {"group": 4}, "with group 4, 6 microbatches leave a group of 2 (leave group out"),
    (("interleaved-1f1b", 4, 6), {"group": 3}, "with group 3, 6 microbatches leave a group of 3 (leave group out"),
    (("1f1b", 4, 8), {"group": 4}, "1f1b has no groups of microbatches (leave group out)"),
    (("hanayo", 4, 5), {}, "at most p = 4 microbatches, not 5: its paper has no order for more (microbatches: 4)"),
    (("hanayo", 4, 4), {"chunks": 3}, "3 chunks are odd (chunks: 4)"),
    (("v-half", 4, 4), {"chunks": 3}, "v-half has 2 chunks a device, not 3"),
    (("pipedream-2bw", 4, 3), {}, "at least p = 4 microbatches, not 3"),
    (("1f1b", 4, 8), {"chunks": 2}, "1f1b has 1 chunk a device, not 2"),
    (("zb-v", 4, 8), {"chunks": 3}, "zb-v has 2 chunks a device, not 3"),
    (("zb-h2", 4, 6), {}, "2p-1 = 7 microbatches in flight: 6 are too few (microbatches: 7"),
    (("dualpipe", 5, 20), {}, "5 devices are odd (devices: 6)"),
    (("dualpipe", 4, 6), {}, "at least 2p = 8, not 6 (microbatches: 8)"),
    (("dualpipe", 4, 9), {}, "an even number of microbatches, at least 2p = 8, not 9 (microbatches: 10)"),
    (("dualpipev", 4, 7), {}, "2p = 8, not 7 (microbatches: 8)"),
    (("chimera", 3, 3), {}, "even number of devices, not 3 (devices: 4)"),
    (("1f1b", 4, 8), {"forward": [1, 2]}, "forward: 2 values for 4 stages"),
    (("1f1b", 2, 2), {"forward": [1, "x"]}, 'forward[1]: "x" is not a number'),
    (("1f1b", 2, 2), {"forward": [1, [1, 2, 3]]}, "forward[1]: 3 values for 2 microbatches"),
    (("1f1b", 2, 2), {"backward": [2, [2, 4]], "input_grad": [1, [1, 5]]}, "input_grad is longer than the whole"),
    (("1f1b", 2, 2), {"latency": -1}, "latency: -1 is negative"),
    (("1f1b", 2, 2), {"backward": 2, "input_grad": 1, "weight_grad": 2}, "backward must be input_grad + weight_grad"),
    (("1f1b", 10**9, 10**9), {}, "operations are more than"),
    (("1f1b", 2, 2), {"forward": "1e99"}, "forward: longer than"),
    (("1f1b", 2, 2), {"forward": "1e999999999"}, 'forward: "1e999999999" is not a number'),
    (("zb-h1", 2, 2), {"input_grad": 3}, "input_grad is longer than the whole backward"),
]


@pytest.mark.parametrize(("spec", "options", "message"), REFUSED, ids=[case[2] for case in REFUSED])
def test_what_a_schedule_cannot_do_is_refused(
    spec: tuple[str, int, int], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScheduleError) as error:
        pipeline(*spec, **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_one_device_has_all_stages() -> None:
    assert plan("zb-v", 1, 1).stages == 2
    assert measure(pipeline("interleaved-1f1b", 1, 1, chunks=3)).span_idle == (0,)
