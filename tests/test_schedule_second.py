"""Every family's lists, as text, through a second simulator: event by event, from the papers' rules, no code shared."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen.schedule import FAMILIES, actions, costs, plan, program, simulate, write_csv

pytestmark = pytest.mark.slow

times = st.fractions(min_value=Fraction(1, 4), max_value=6, max_denominator=4)
SIZES: dict[str, Any] = {
    "dualpipe": lambda p, m: (2 * p, 4 * p + 2 * m),
    "dualpipev": lambda p, m: (p, 2 * p + m),
    "chimera": lambda p, m: (2 * p, m),
    "zb-h2": lambda p, m: (p, 2 * p - 1 + m),
    "zb-v": lambda p, m: (p, m if m <= p else 2 * p - 1 + m),
    "interleaved-1f1b": lambda p, m: (p, p + m),
    "interleaved-zb": lambda p, m: (p, p + m),
    "pipedream-2bw": lambda p, m: (p, p + m),
    "hanayo": lambda p, m: (p, min(p, m)),
}


def second(
    text: str, spent: dict[str, list[Fraction]], near: Fraction, far: Fraction, node: int
) -> dict[str, Fraction]:
    """When each task begins: at every event, whoever is free and has all that its next cell needs begins it.

    `spent` has the times of F, B, I and W of each stage; a message takes `near` within a node of so many ranks, `far`
    between nodes, and holds nobody up.
    """
    lists = [
        [re.findall(r"(\d+)([FBIW])(\d+)", cell) for cell in line.split(",") if cell] for line in text.splitlines()
    ]
    home = {task: rank for rank, cells in enumerate(lists) for cell in cells for task in cell}
    ended: dict[tuple[str, str, str], Fraction] = {}
    begun: dict[str, Fraction] = {}
    place, free = [0] * len(lists), [Fraction(0)] * len(lists)
    last = max(int(stage) for stage, _, _ in home)
    clock = Fraction(0)
    events = {clock}

    def arrivals(task: tuple[str, str, str], rank: int, own: list[tuple[str, str, str]]) -> list[Fraction] | None:
        stage, kind, k = int(task[0]), task[1], task[2]
        wanted = []
        if kind == "F" and stage:
            wanted.append((str(stage - 1), "F", k))
        if kind in "BI":
            wanted.append((task[0], "F", k))
            if stage < last:
                wanted.append(next(each for letter in "BI" if (each := (str(stage + 1), letter, k)) in home))
        if kind == "W":
            wanted.append((task[0], "I", k))
        wanted = [each for each in wanted if each not in own]
        if any(each not in ended for each in wanted):
            return None
        apart = [0 if home[each] == rank else near if home[each] // node == rank // node else far for each in wanted]
        return [ended[each] + time for each, time in zip(wanted, apart, strict=True)]

    while events:
        clock = min(events)
        events.remove(clock)
        for rank, cells in enumerate(lists):
            if place[rank] == len(cells) or free[rank] > clock:
                continue
            cell = cells[place[rank]]
            ready = [arrivals(task, rank, cell) for task in cell]
            if any(each is None for each in ready):
                continue
            moment = max([clock, *(time for each in ready if each for time in each)])
            if moment > clock:
                events.add(moment)
                continue
            end = clock + sum((spent[kind][int(stage)] for stage, kind, _ in cell), Fraction(0))
            for task in cell:
                begun["".join(task)], ended[task] = clock, end
            place[rank] += 1
            free[rank] = end
            events |= {end, end + near, end + far}
    assert place == [len(cells) for cells in lists]
    return begun


@pytest.mark.parametrize("name", FAMILIES)
@settings(deadline=None, max_examples=12)
@given(
    p=st.integers(1, 3),
    m=st.integers(1, 5),
    data=st.data(),
    near=st.just(Fraction(0)) | times,
    far=times,
    node=st.integers(1, 3),
)
def test_every_family_begins_when_the_second_simulator_says(
    name: str, p: int, m: int, data: st.DataObject, near: Fraction, far: Fraction, node: int
) -> None:
    devices, microbatches = SIZES.get(name, lambda p, m: (p, m))(p, m)
    what = plan(name, devices, microbatches)
    each = st.lists(times, min_size=what.stages, max_size=what.stages)
    forward, half, rest = (data.draw(each) for _ in range(3))
    cost = costs(
        what.stages,
        forward=forward,
        input_grad=half,
        weight_grad=rest,
        latency=near,
        node_latency=far,
        per_node=node,
    )
    found = simulate(program(what, cost))
    whole = [a + b for a, b in zip(half, rest, strict=True)]
    expected = second(write_csv(actions(what)), {"F": forward, "B": whole, "I": half, "W": rest}, near, far, node)
    assert expected == {
        str(task): found.start(index)
        for index, operation in enumerate(found.program.operations)
        for task in operation.tasks
    }
