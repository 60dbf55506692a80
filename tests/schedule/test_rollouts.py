"""Reinforcement learning, against a second simulator that goes through time tick by tick and shares no code."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tikzgen
from tikzgen import recipes
from tikzgen.schedule.rollouts_run import simulate_rollouts

bounds = st.none() | st.integers(0, 3)


def ticked(
    lengths: list[int], generators: int, batch: int, steps: int, train: int, sync: int, bound: int | None
) -> tuple[list[tuple[int, int, int, int]], list[int], list[int]]:
    """For each rollout its generator, beginning, end and version; when each step began; and its staleness."""
    rollouts: list[tuple[int, int, int, int]] = []
    begun, stale = [], []
    busy = [0] * generators
    used: set[int] = set()
    version, until, now = 0, 0, 0
    while version < steps:
        if begun and until == now and len(begun) > version:
            version += 1
        ready = sorted((end, r) for r, (_, _, end, _) in enumerate(rollouts) if end <= now and r not in used)
        if until <= now and len(begun) == version < steps and len(ready) >= batch:
            mine = [r for _, r in ready[:batch]]
            used.update(mine)
            begun.append(now)
            stale.append(max(version - rollouts[r][3] for r in mine))
            until = now + train + sync
        for generator in range(generators):
            r = len(rollouts)
            if busy[generator] <= now and r < steps * batch and (bound is None or r // batch <= version + bound):
                busy[generator] = now + lengths[r % len(lengths)]
                rollouts.append((generator, now, busy[generator], version))
        now += 1
    return rollouts, begun, stale


@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=6),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 2),
    bounds,
)
def test_a_second_simulator_agrees(
    lengths: list[int], generators: int, batch: int, steps: int, train: int, sync: int, bound: int | None
) -> None:
    run = simulate_rollouts(
        [Fraction(each) for each in lengths],
        generators=generators,
        batch=batch,
        steps=steps,
        train=Fraction(train),
        sync=Fraction(sync),
        bound=bound,
    )
    rollouts, begun, stale = ticked(lengths, generators, batch, steps, train, sync, bound)
    operations = run.schedule.program.operations
    found: dict[str, list[Any]] = {"rollout": [], "train": []}
    for index, each in enumerate(operations):
        if each.kind in found:
            lane = each.lanes[0].device
            found[each.kind].append((lane, run.schedule.start(index), run.schedule.end(index), each.number))
    assert sorted(found["rollout"]) == sorted(rollouts)
    assert [start for _, start, _, _ in found["train"]] == begun
    assert list(run.staleness) == stale
    if bound is not None and generators == 1:
        assert max(run.staleness) <= bound, "one generator ends its rollouts in the order of their numbers"


def test_by_hand() -> None:
    """Two generators, two rollouts of 1 and 3 a step; training takes 2, weights 1."""
    facts = {"generators": 2, "lengths": [1, 3], "batch": 2, "steps": 2, "train": 2, "sync": 1, "bound": [0, 1]}
    together, off = tikzgen.metrics(recipes.rollouts(**facts)).panels
    # synchronous: 0-3, 3-6, 6-9, 9-12
    assert (together.values["makespan"], together.values["trainer_idle"]) == (12, 6)
    assert together.values["staleness"] == (0, 0)
    # one step off: 0-1, 1-2, 2-5 beside 0-3; the trainer takes what ended at 1 and 2, then at 5 what ended at 3 and 5
    assert (off.values["makespan"], off.values["trainer_idle"]) == (8, 2)
    assert off.values["staleness"] == (0, 1)


@pytest.mark.parametrize("bound", [0, 1, 2])
def test_no_step_is_trained_before_its_rollouts(bound: int) -> None:
    run = simulate_rollouts(
        [Fraction(2), Fraction(5)], generators=3, batch=3, steps=4, train=Fraction(1), sync=Fraction(0), bound=bound
    )
    ends = sorted(
        run.schedule.end(i) for i, each in enumerate(run.schedule.program.operations) if each.kind == "rollout"
    )
    steps = [run.schedule.start(i) for i, each in enumerate(run.schedule.program.operations) if each.kind == "train"]
    assert all(start >= ends[3 * (k + 1) - 1] for k, start in enumerate(steps))
