"""What a figure shows besides operations: gaps, the critical path, activations, phases, listed actions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tikzgen.schedule import (
    FAMILIES,
    Program,
    Schedule,
    ScheduleLane,
    add_communication,
    count_held_activations,
    critical_path,
    ddp,
    exposed_communication,
    find_device_phases,
    list_gaps,
    make_costs,
    measure,
    pipeline,
    read_csv,
    simulate,
)

even = st.sampled_from([2, 4])
runs = st.builds(
    lambda schedule, p, latency, forward: pipeline(
        schedule, p, p if schedule == "hanayo" else 2 * p, forward=forward, latency=latency
    ),
    st.sampled_from(sorted(FAMILIES)),
    even,
    st.fractions(0, 3, max_denominator=4),
    st.fractions(Fraction(1, 4), 3, max_denominator=4),
)


def named(schedule: Schedule, index: int | None) -> str:
    return "" if index is None else schedule.program.operations[index].name


def test_gaps_say_what_is_waited_for() -> None:
    schedule = pipeline("1f1b", 2, 2)
    assert [
        (gap.lane.device, gap.start, gap.end, named(schedule, gap.then), named(schedule, gap.source))
        for gap in list_gaps(schedule)
    ] == [
        (0, 2, 4, "0B0", "1B0"),
        (0, 6, 7, "0B1", "1B1"),
        (1, 0, 1, "1F0", "0F0"),
        (1, 7, 9, "", ""),
    ]


@given(runs)
def test_gaps_are_the_idle_time(schedule: Schedule) -> None:
    for device, idle in enumerate(measure(schedule).idle):
        assert sum(gap.end - gap.start for gap in list_gaps(schedule) if gap.lane == ScheduleLane(device)) == idle


def test_the_critical_path_of_a_small_pipeline() -> None:
    schedule = pipeline("gpipe", 2, 2)
    assert [named(schedule, index) for index in critical_path(schedule)] == ["0F0", "1F0", "1F1", "1B0", "0B0", "0B1"]


@given(runs)
def test_the_critical_path_is_as_long_as_the_schedule(schedule: Schedule) -> None:
    path = critical_path(schedule)
    assert schedule.start(path[0]) == 0
    assert schedule.end(path[-1]) == schedule.makespan
    for before, after in pairwise(path):
        operation = schedule.program.operations[after]
        latency = {need.operation: need.latency for need in operation.needs}.get(before, Fraction(0))
        assert schedule.start(after) - schedule.end(before) in (0, latency)


def test_nothing_has_no_critical_path() -> None:
    assert critical_path(simulate(Program(()))) == ()


@given(runs)
def test_activations_rise_to_the_peak_and_fall_to_nothing(schedule: Schedule) -> None:
    peaks = measure(schedule).peak_in_flight
    for device, levels in count_held_activations(schedule).items():
        assert max(level.count for level in levels) == peaks[device]
        assert levels[0].start == 0
        assert levels[-1].end == schedule.makespan
        for before, after in pairwise(levels):
            assert before.end == after.start
            assert before.count != after.count


def test_phases() -> None:
    found = find_device_phases(pipeline("1f1b", 4, 8))
    assert (found[0].start, found[0].steady, found[0].cooling, found[0].end) == (0, 10, 22, 33)
    assert found[3].steady == 4
    assert find_device_phases(ddp(1, buckets=[1], all_reduce=1)) == {}


def test_gathers_and_reductions_of_a_list_run_beside_its_computations() -> None:
    rows = read_csv("0UNSHARD,0F0,1UNSHARD,1F0,1B0,1REDUCE_GRAD,0B0,0REDUCE_GRAD\n")
    schedule = simulate(add_communication(rows, make_costs(2), unshard=2, reduce_grad=3))
    times = {each.name: (schedule.start(i), schedule.end(i)) for i, each in enumerate(schedule.program.operations)}
    assert times == {
        "0UNSHARD": (0, 2),
        "1UNSHARD": (2, 4),
        "0F0": (2, 3),
        "1F0": (4, 5),
        "1B0": (5, 7),
        "1REDUCE_GRAD": (7, 10),
        "0B0": (7, 9),
        "0REDUCE_GRAD": (10, 13),
    }
    assert exposed_communication(schedule) == (2 + 1 + 4,)
    assert simulate(add_communication(rows, make_costs(2))).makespan == 6
