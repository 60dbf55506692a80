"""Data-parallel steps, collectives and parameter servers come to the times of their rules."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.schedule import (
    Schedule,
    ScheduleError,
    ServerTraffic,
    build_program,
    count_averaging_rounds,
    data_parallel,
    ddp,
    exposed_communication,
    fsdp,
    gradient_delay,
    local_sgd,
    make_costs,
    measure,
    parameter_server,
    pipeline,
    plan,
    ring_all_reduce,
    ring_bytes,
    server_traffic,
    simulate,
    speed_up,
    weight_versions,
)
from tikzgen.schedule.pipeline.families import FAMILIES
from tikzgen.schedule.pipeline.pipeline_costs import P2P
from tikzgen.schedule.pipeline.plan_to_program import with_update


def ends(schedule: Schedule, kind: str) -> list[Fraction]:
    return [schedule.end(i) for i, each in enumerate(schedule.program.operations) if each.kind == kind]


def test_all_workers_wait_for_the_slowest_before_an_update() -> None:
    schedule = data_parallel(3, 2, forward=[1, 2, 1], backward=[2, 2, 5], update=1)
    assert ends(schedule, "update") == [7, 14]
    assert schedule.makespan == 14


@pytest.mark.parametrize(("no_sync", "expected", "messages"), [(False, 24, 4), (True, 15, 1)])
def test_gradient_accumulation(no_sync: bool, expected: int, messages: int) -> None:
    schedule = data_parallel(2, 1, micro_steps=4, no_sync=no_sync, forward=1, backward=2, all_reduce=3)
    assert schedule.makespan == expected
    assert len(ends(schedule, "all-reduce")) == messages


def test_a_step_that_costs_nothing_to_synchronise_still_does() -> None:
    schedule = data_parallel(2, 2, forward=[1, 3], backward=0)
    assert ends(schedule, "barrier") == [3, 6]


@pytest.mark.parametrize(
    ("all_reduce", "overlap", "expected", "exposed"),
    [(3, True, [9, 12, 15, 18], 6), (3, False, [15, 18, 21, 24], 12), (1, True, [7, 9, 11, 13], 1)],
)
def test_buckets(all_reduce: int, overlap: bool, expected: list[int], exposed: int) -> None:
    schedule = ddp(2, forward=4, buckets=[2, 2, 2, 2], all_reduce=all_reduce, overlap=overlap)
    assert ends(schedule, "all-reduce") == expected
    assert exposed_communication(schedule) == (exposed, exposed)
    assert schedule.makespan == expected[-1]


def test_buckets_wait_for_a_straggler_and_the_update_for_them() -> None:
    schedule = ddp(2, forward=[1, 2], buckets=[1, 1], all_reduce=[2, 3], update=1)
    assert ends(schedule, "all-reduce") == [5, 8]
    assert ends(schedule, "update") == [9]


@pytest.mark.parametrize(
    ("gather", "prefetch", "expected", "exposed"), [(1, 1, 9, 1), (1, 0, 12, 4), (3, 1, 14, 6), (3, 0, 20, 12)]
)
def test_prefetching(gather: int, prefetch: int, expected: int, exposed: int) -> None:
    schedule = fsdp(2, 4, gather=gather, forward=2, prefetch=prefetch)
    assert schedule.makespan == expected
    assert exposed_communication(schedule) == (exposed, exposed)


@pytest.mark.parametrize(("reshard_last", "gathers", "makespan"), [(False, 5, 20), (True, 6, 21)])
def test_the_way_back_gathers_again_and_scatters(reshard_last: bool, gathers: int, makespan: int) -> None:
    schedule = fsdp(1, 3, gather=1, forward=2, backward=4, reduce_scatter=1, reshard_last=reshard_last)
    kinds = [each.kind for each in schedule.program.operations]
    assert (kinds.count("all-gather"), kinds.count("reduce-scatter")) == (gathers, 3)
    assert schedule.makespan == makespan, "the last layer's second gather is behind its forward, and exposed"


@given(
    layers=st.integers(1, 6),
    prefetch=st.integers(0, 9),
    gather=st.integers(1, 5),
    forward=st.integers(1, 5),
    reshard_last=st.booleans(),
)
def test_no_layer_is_gathered_while_it_is_there(
    layers: int, prefetch: int, gather: int, forward: int, reshard_last: bool
) -> None:
    schedule = fsdp(1, layers, gather=gather, forward=forward, backward=3, prefetch=prefetch, reshard_last=reshard_last)
    there: set[int] = set()
    events = []
    for index, operation in enumerate(schedule.program.operations):
        if operation.kind == "all-gather":
            events += [(schedule.start(index), 1, "ask", operation.number)]
            events += [(schedule.end(index), 0, "have", operation.number)]
        elif operation.kind == "backward" or operation.number < layers - 1 or reshard_last:
            events += [(schedule.end(index), 0, "free", operation.number)]
        if operation.kind in ("forward", "backward"):
            events += [(schedule.start(index), 2, "use", operation.number)]
    for _, _, what, layer in sorted(events):
        if what == "have":
            there.add(layer)
        elif what == "free":
            there.discard(layer)
        else:
            assert (layer in there) == (what == "use")


@pytest.mark.parametrize(("ranks", "steps", "share"), [(4, 6, "3/2"), (8, 14, "7/4"), (2, 2, 1), (1, 0, 0)])
def test_ring(ranks: int, steps: int, share: str | int) -> None:
    schedule = ring_all_reduce(ranks, size=8, bandwidth=2, latency=1)
    assert len(schedule.program.operations) == steps * ranks
    assert schedule.makespan == steps * (1 + Fraction(8, 2 * ranks))
    assert ring_bytes(ranks, 8) == 8 * Fraction(share)


def test_after_a_ring_every_rank_has_every_sum() -> None:
    ranks = 5
    held = [[{rank} for _ in range(ranks)] for rank in range(ranks)]
    schedule = ring_all_reduce(ranks)
    for index in schedule.order:
        operation = schedule.program.operations[index]
        rank, chunk = operation.lanes[0].device, operation.number
        held[(rank + 1) % ranks][chunk] |= held[rank][chunk]
    assert all(chunk == set(range(ranks)) for rank in held for chunk in rank)


def test_local_steps() -> None:
    assert count_averaging_rounds(100, 8) == 13
    schedule = local_sgd(2, 5, 2, step=[1, 2], average=3)
    assert ends(schedule, "average") == [7, 14, 19]
    assert speed_up(local_sgd(2, 5, 1, step=[1, 2], average=3), schedule) == Fraction(25, 19)


def test_traffic_and_versions() -> None:
    assert server_traffic(4, 100) == ServerTraffic(100, 400)
    assert server_traffic(4, 100, shards=4) == ServerTraffic(100, 100)
    assert [weight_versions(4, stage) for stage in range(4)] == [4, 3, 2, 1]
    assert [gradient_delay(4, stage) for stage in range(4)] == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("bound", "clocks", "blocked"),
    [(0, (4, 4, 4), (16, 12, 0)), (1, (5, 5, 4), (14, 9, 0)), (None, (12, 8, 4), (0, 0, 0))],
)
def test_clocks(bound: int | None, clocks: tuple[int, ...], blocked: tuple[int, ...]) -> None:
    run = parameter_server([2, 3, 6], bound=bound, until=24)
    assert run.clocks == clocks
    assert run.blocked == blocked


def test_bulk_synchronous_workers_share_one_update() -> None:
    run = parameter_server([2, 3, 6], joint=True, update=1, fetch=1, push=[1, 2, 1], clocks=2)
    assert [(each.worker, each.staleness) for each in run.updates] == [(None, 0), (None, 0)]
    assert ends(run.schedule, "update") == [9, 18]
    assert measure(run.schedule).makespan == 18
    assert parameter_server([2, 3, 6], joint=True, until=24).clocks == (4, 4, 4)


@pytest.mark.parametrize("workers", [1, 2, 4, 7])
def test_equal_workers_are_n_minus_1_updates_stale(workers: int) -> None:
    run = parameter_server([1] * workers, clocks=4)
    warming = list(range(workers))
    assert [each.staleness for each in run.updates] == warming + [workers - 1] * (3 * workers)


@pytest.mark.parametrize("bound", [0, 1, 3])
def test_no_clock_begins_more_than_the_bound_ahead(bound: int) -> None:
    run = parameter_server([1, [2, 9, 2], 4], bound=bound, fetch="1/2", push="1/3", update="1/5", clocks=12)
    operations = run.schedule.program.operations
    done = {(u.worker, u.clock): run.schedule.end(u.index) for u in run.updates}
    for index, operation in enumerate(operations):
        if operation.kind == "fetch":
            start = run.schedule.start(index)
            slowest = min(sum(done[worker, k] <= start for k in range(12)) for worker in range(3))
            assert operation.number - slowest <= bound
    assert run.clocks == (12, 12, 12)


def test_the_server_applies_one_update_at_a_time() -> None:
    run = parameter_server([1, 1, 1], update=1, clocks=2)
    assert sorted(ends(run.schedule, "update")) == [2, 3, 4, 5, 6, 7]
    assert run.blocked == (1, 2, 3)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: parameter_server([1]), "say either clocks or until"),
    (lambda: parameter_server([1], clocks=1, until=2), "say either clocks or until"),
    (lambda: parameter_server([0], until=2), "a clock of duration 0"),
    (lambda: parameter_server([1], until=10**9), "operations are more than"),
    (lambda: parameter_server([1], joint=True, bound=2, clocks=1), "a bound of 2 has no effect"),
    (lambda: parameter_server([], clocks=1), "number of workers: 0"),
    (lambda: parameter_server([[]], clocks=1), "number of compute[0]: 0"),
    (lambda: parameter_server([1], bound=-1, clocks=1), "bound: -1 must be a whole number of at least 0"),
    (lambda: ring_all_reduce(4, bandwidth=0), "nothing arrives at a bandwidth of 0"),
    (lambda: ring_all_reduce(10**6), "operations are more than"),
    (lambda: ddp(1, buckets=[], all_reduce=1), "number of buckets: 0"),
    (lambda: ddp(1, buckets=[1, 2], all_reduce=[1]), "all_reduce: 1 values for 2 buckets"),
    (lambda: fsdp(1, 2, gather=[1, 2, 3]), "gather: 3 values for 2 layers"),
    (lambda: data_parallel(2, 1, forward=[1]), "forward: 1 values for 2 workers"),
    (lambda: local_sgd(1, 10, 0), "local_steps: 0"),
    (lambda: weight_versions(4, 4), "the stages are 0 to 3"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ScheduleError) as error:
        call()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_stage_may_take_longer_for_some_microbatches() -> None:
    """By hand: 0F0 0-1, 0F1 1-4; 1F0 1-2, 1B0 2-4, 1F1 4-5, 1B1 5-7; 0B0 4-8, 0B1 8-14."""
    schedule = pipeline("1f1b", 2, 2, forward=[[1, 3], 1], backward=[[4, 6], 2])
    names = [operation.name for operation in schedule.program.operations]
    assert [(name, schedule.start(i), schedule.end(i)) for i, name in enumerate(names)] == [
        ("0F0", 0, 1),
        ("0F1", 1, 4),
        ("0B0", 4, 8),
        ("0B1", 8, 14),
        ("1F0", 1, 2),
        ("1B0", 2, 4),
        ("1F1", 4, 5),
        ("1B1", 5, 7),
    ]


@pytest.mark.parametrize("p2p", ["async", "sender", "rendezvous"])
def test_links_between_nodes_take_their_own_time(p2p: P2P) -> None:
    """One microbatch meets each link twice: 0-1 and 2-3 within a node, 1-2 between nodes."""
    assert pipeline("1f1b", 4, 1, latency=1, per_node=2, node_latency=5, p2p=p2p).makespan == 4 * 3 + 2 * (1 + 5 + 1)


def test_lanes_for_messages_hold_one_at_a_time() -> None:
    assert pipeline("1f1b", 4, 8, latency=5, links=True).makespan == 124
    assert pipeline("dualpipe", 4, 8, latency=2, links=True).makespan == 49  # both ends receive in order of arrival
    assert pipeline("1f1b", 4, 8, latency=Fraction(1, 2), links=True).makespan == 41


def test_nodes_may_be_of_different_sizes() -> None:
    run = pipeline("gpipe", 4, 1, latency=1, node_latency=5, per_node=[1, 2])  # the last device is one more node
    starts = [run.start(i) for i, o in enumerate(run.program.operations) if o.kind == "forward"]
    assert starts == [0, 6, 8, 14]


def test_gradients_are_summed_and_applied_behind_the_last_of_a_device() -> None:
    what = plan("1f1b", 2, 2)
    schedule = simulate(with_update(build_program(what, make_costs(2)), all_reduce=2, update=1))
    assert ends(schedule, "all-reduce") == [11, 9]
    assert ends(schedule, "update") == [12, 10]
    metrics = measure(schedule)
    assert (metrics.busy, metrics.makespan) == ((6, 6), 12)
    assert exposed_communication(schedule) == (2, 2)
    assert with_update(build_program(what, make_costs(2))) == build_program(what, make_costs(2))


GROUPED = {"interleaved-1f1b", "interleaved-zb", "seq1f1b-interleaved", "overlapped-1f1b"}
SLICED = {"terapipe", "seq1f1b", "seq1f1b-interleaved"}


@pytest.mark.parametrize("name", FAMILIES)
def test_groups_and_slices_are_for_the_schedules_that_have_them(name: str) -> None:
    for option, those in (({"group": 4}, GROUPED), ({"slices": 2}, SLICED)):
        if name in those:
            assert plan(name, 2, 4, **option).cells
        else:
            with pytest.raises(ScheduleError, match=f"^{name} (has no groups|does not cut)"):
                plan(name, 2, 4, **option)
