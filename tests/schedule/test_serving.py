"""Requests that are served, against a second simulator that is written from the papers and shares no code."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tikzgen
from tikzgen import SpecError, loads, recipes
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.schedule.serving_run import Demand, Iteration, Policy, Rates, Served, serve

POLICIES: tuple[Policy, ...] = get_args(Policy)
times = st.fractions(0, 3, max_denominator=4)
demands = st.lists(
    st.builds(Demand, st.fractions(0, 9, max_denominator=2), st.integers(1, 9), st.integers(1, 6)),
    min_size=1,
    max_size=6,
)
rates = st.builds(Rates, st.fractions(Fraction(1, 4), 2, max_denominator=4), times, times, times)


def told(run: Served) -> list[Any]:
    return [run.tokens, run.left, run.preempted]


def second(wanted: list[Demand], policy: str, rate: Rates, batch: int, budget: int, cache: int | None) -> list[Any]:
    """Iteration by iteration with a table of requests: what each has computed, and what it must compute next."""
    count = range(len(wanted))
    line = sorted(count, key=lambda k: wanted[k].arrival)
    came = {k: wanted[k].arrival for k in count}
    computed = dict.fromkeys(count, 0)  # tokens of prompt and output whose keys and values are held
    said: dict[int, list[Fraction]] = {k: [] for k in count}
    lost: dict[int, list[Fraction]] = {k: [] for k in count}
    gone: dict[int, Fraction] = {}
    if policy == "disaggregated":
        clock = Fraction(0)
        for k in line:
            clock = max(clock, came[k]) + rate.step + rate.prefill * wanted[k].prompt
            said[k] = [clock]
            computed[k] = wanted[k].prompt
            came[k] = clock + rate.transfer * wanted[k].prompt
            if wanted[k].output == 1:
                gone[k] = clock
        line = sorted((k for k in line if k not in gone), key=lambda k: (came[k], k))
    inside: list[int] = []
    clock = Fraction(0)

    def missing(k: int) -> int:
        """How many tokens must be computed before the next one can be said: one is a decode."""
        return wanted[k].prompt + len(said[k]) - computed[k]

    def fresh(k: int) -> bool:
        return computed[k] < wanted[k].prompt or k in again

    again: set[int] = set()  # those who compute once more what they lost
    while len(gone) < len(wanted):
        here = [k for k in line if k not in gone and k not in inside and came[k] <= clock]
        if not inside and not here:
            clock = min(came[k] for k in line if k not in gone)
            continue
        if policy != "static" or not inside:
            for k in here:
                reserved = sum(max(computed[j], computed[j] + missing(j)) if fresh(j) else computed[j] for j in inside)
                need = computed[k] + missing(k) if fresh(k) else computed[k]
                if len(inside) == batch or (cache is not None and inside and reserved + need > cache):
                    break
                inside.append(k)
        while True:
            share: dict[int, int] = {k: 1 for k in inside if not fresh(k) and len(said[k]) < wanted[k].output}
            spare = budget - len(share)
            for k in inside:
                if fresh(k):
                    part = missing(k) if policy != "chunked" else min(missing(k), max(spare, 0))
                    spare -= part
                    if part:
                        share[k] = part
            if cache is None or len(inside) == 1 or sum(map(computed.get, inside)) + sum(share.values()) <= cache:  # type: ignore[arg-type]
                break
            victim = inside.pop()
            computed[victim] = 0
            again.add(victim)
            lost[victim].append(clock)
        clock += rate.step
        for k, part in share.items():
            clock += rate.prefill * part if fresh(k) else rate.decode
        for k, part in share.items():
            computed[k] += part
            if missing(k) == 0:
                again.discard(k)
                said[k].append(clock)
        done = [k for k in inside if len(said[k]) == wanted[k].output]
        if policy != "static" or len(done) == len(inside):
            for k in done:
                gone[k] = clock
                inside.remove(k)
    return [tuple(tuple(each[k]) for k in count) for each in (said,)] + [
        tuple(gone[k] for k in count),
        tuple(tuple(lost[k]) for k in count),
    ]


@given(demands, st.sampled_from(POLICIES), rates, st.integers(1, 4), st.integers(1, 9), st.none() | st.integers(14, 24))
def test_a_second_simulator_agrees(
    wanted: list[Demand], policy: Policy, rate: Rates, batch: int, budget: int, cache: int | None
) -> None:
    run = serve(wanted, policy, rate, batch=batch, budget=budget, cache=cache)
    assert told(run) == second(wanted, policy, rate, batch, budget, cache)


@given(demands, st.sampled_from(POLICIES), rates, st.integers(1, 4), st.integers(1, 9), st.none() | st.integers(14, 24))
def test_what_holds_for_all(
    wanted: list[Demand], policy: Policy, rate: Rates, batch: int, budget: int, cache: int | None
) -> None:
    run = serve(wanted, policy, rate, batch=batch, budget=budget, cache=cache)
    last: dict[int, Iteration] = {}
    for each in run.iterations:
        assert each.works
        assert len(each.works) <= batch or (policy == "disaggregated" and each.machine == 0)
        assert each.start >= (last[each.machine].end if each.machine in last else 0)
        decodes = sum(not work.tokens for work in each.works)
        if policy == "chunked":
            assert sum(work.tokens for work in each.works) <= max(0, budget - decodes)
        last[each.machine] = each
    for number, demand in enumerate(wanted):
        mine = [work.tokens for each in run.iterations for work in each.works if work.request == number]
        assert len(run.tokens[number]) == demand.output
        assert demand.arrival < run.tokens[number][0] <= run.tokens[number][-1] <= run.left[number]
        if not run.preempted[number]:
            assert sum(mine) == demand.prompt
            assert mine.count(0) == demand.output - 1


CASE = [Demand(Fraction(0), 4, 3), Demand(Fraction(1), 2, 1)]
UNIT = Rates(Fraction(1), Fraction(1, 2), Fraction(0), Fraction(1, 4))


@pytest.mark.parametrize(
    ("policy", "first", "second_", "left"),
    [
        # the prompt 0-3, tokens at 3, 4, 5; then the other's 5-7
        ("static", (3, 4, 5), (7,), (5, 7)),
        # at 3 the other comes in: one iteration of 1 + 2/2 for its prompt and a decode, then one of 1
        ("continuous", (3, 5, 6), (5,), (6, 5)),
        # pieces of three: 0-2.5 (3), 2.5-5 (1 and 2), then decodes alone
        ("chunked", (5, 6, 7), (5,), (7, 5)),
        # the prompts 0-3 and 3-5 by themselves; the first's cache is there at 4
        ("disaggregated", (3, 5, 6), (5,), (6, 5)),
    ],
)
def test_by_hand(policy: Policy, first: tuple[Any, ...], second_: tuple[Any, ...], left: tuple[Any, ...]) -> None:
    run = serve(CASE, policy, UNIT, batch=2, budget=3)
    assert run.tokens == (tuple(map(Fraction, first)), tuple(map(Fraction, second_)))
    assert run.left == tuple(map(Fraction, left))


def test_who_came_last_loses_its_place_where_the_cache_is_full() -> None:
    """Both hold 4 at 5, when each needs room for one: the second is prefilled again, 5 tokens, once the first left."""
    wanted = [Demand(Fraction(0), 4, 3), Demand(Fraction(0), 4, 2)]
    run = serve(wanted, "continuous", UNIT, batch=2, cache=9)
    assert run.preempted == ((), (5,))
    assert run.tokens == ((5, 6, 7), (5, Fraction(21, 2)))


def test_signs_stand_where_requests_arrive_and_first_tokens_come() -> None:
    recipe = recipes.serving(policy="disaggregated", signs=True)
    (timeline,) = recipe.panels[0].content
    (panel,) = tikzgen.metrics(recipe).panels
    pairs = list(zip(timeline.events[::2], timeline.events[1::2], strict=True))
    assert [token.time - arrival.time for arrival, token in pairs] == list(panel.values["ttft"])
    assert [arrival.lane for arrival, _ in pairs] == [f"r{n}" for n in range(4)]
    # an eighth of a unit for each token of a prompt; a cache that travels is exposed
    assert panel.values["transferring"] == (1, Fraction(1, 2), Fraction(3, 2), Fraction(1, 2))


def test_measures_are_those_of_the_papers() -> None:
    facts = {
        "requests": [{"arrival": 0, "prompt": 4, "output": 3}, {"arrival": 1, "prompt": 2, "output": 1}],
        "policy": "continuous",
        "batch": 2,
        "step": 1,
        "prefill": "1/2",
    }
    values = tikzgen.metrics(recipes.serving(**facts)).panels[0].values
    assert values["queueing"] == (0, 2)
    assert values["ttft"] == (3, 4)
    assert values["tpot"] == (Fraction(3, 2), 0)
    assert values["latency"] == (6, 4)


@pytest.mark.parametrize("rows", ["requests", "machines"])
def test_what_is_drawn_is_what_happened(rows: str) -> None:
    for panel in recipes.serving(policy=list(POLICIES), rows=rows, cache=24).panels:
        (part,) = panel.content
        assert isinstance(part, Timeline)
        for before in part.bubbles:
            assert all(
                span.end <= before.start or span.start >= before.end for span in part.spans if before.lane in span.lanes
            )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cache: 3", r"requests\[0\]: 13 tokens do not fit into a cache of 3 \(cache: 13\)"),
        ("arrows: critical", "arrows: requests wait for places, not for each other's results"),
        ("policy: [static, static]", r"policy\[1\]: static is used twice"),
    ],
)
def test_what_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        loads(f"recipe: serving\n{text}\n")
