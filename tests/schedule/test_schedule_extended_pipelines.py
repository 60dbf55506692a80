"""What stands around a pipeline's stages, told to a second simulator from its rules, begins when tikzgen says."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import Any

import pytest
from second_simulator import Second, chances, later, some_time

from tikzgen.schedule import (
    FAMILIES,
    ScheduleError,
    actions,
    build_program,
    count_held_activations,
    exposed_communication,
    make_costs,
    measure,
    measure_waits,
    pipeline,
    plan,
    read_extra_work,
    simulate,
    write_csv,
)

pytestmark = pytest.mark.slow

SIZES: dict[str, Any] = {
    "dualpipe": lambda p, m: (2 * min(p, 2), 4 * p + 2 * m),
    "dualpipev": lambda p, m: (min(p, 2), 4 + m),
    "chimera": lambda p, m: (2 * min(p, 2), m),
    "zb-h2": lambda p, m: (p, 2 * p - 1 + m),
    "pipedream-2bw": lambda p, m: (p, p + m),
    "hanayo": lambda p, m: (p, min(p, m)),
}


def facts(chance: random.Random, name: str) -> dict[str, Any]:
    """A pipeline with some of what may stand around its stages."""
    p, m = SIZES.get(name, lambda p, m: (p, m))(chance.randint(1, 3), chance.randint(1, 3))
    slices = chance.randint(1, 3) if FAMILIES[name].sliced else None
    stages = plan(name, p, m, slices=slices).stages
    units = m * (slices or 1)
    found: dict[str, Any] = {"devices": p, "microbatches": m, "slices": slices}
    rows = [[some_time(chance) for _ in range(chance.choice((1, units)))] for _ in range(stages)]
    found["forward"] = [row[0] if len(row) == 1 else row for row in rows]
    found["input_grad"] = [some_time(chance) for _ in range(stages)]
    found["weight_grad"] = [some_time(chance) for _ in range(stages)]
    found["latency"] = some_time(chance, 3, none=True)
    found["links"] = chance.random() < 0.3
    found["node_latency"], found["per_node"] = some_time(chance, 9), chance.randint(1, 3)
    if chance.random() < 0.4:
        found["recompute"] = [some_time(chance) for _ in range(stages)]
        found["kept"] = Fraction(1, 4)
    elif chance.random() < 0.5:
        found["offload"], found["reload"] = some_time(chance), some_time(chance)
    if chance.random() < 0.4:
        found["embedding"] = [some_time(chance, 2), some_time(chance, 2)]
        found["vocabulary"] = [some_time(chance, 2), some_time(chance, 2)]
        found["loss"] = some_time(chance, 2)
    if chance.random() < 0.4:
        found["dispatch"], found["combine"] = some_time(chance, 2), some_time(chance, 2)
        found["experts"] = Fraction(chance.randint(1, 3), 4)
    return found


def second(text: str, given: dict[str, Any], stages: int) -> dict[Any, Fraction]:
    """When everything begins, by device, kind, stage and microbatch (and its place among alike ones of a task)."""
    slices = given["slices"] or 1
    lists = [
        [[(int(s), k, int(m)) for s, k, m in re.findall(r"(\d+)([FBIW])(\d+)", cell)] for cell in line.split(",")]
        for line in text.splitlines()
    ]
    home = {task: rank for rank, cells in enumerate(lists) for cell in cells for task in cell}
    moves = "dispatch" in given
    second = Second()
    messages: dict[Any, Any] = {}

    def lasts(task: tuple[int, str, int]) -> Fraction:
        s, kind, unit = task
        halves = given["input_grad"][s], given["weight_grad"][s]
        row = given["forward"][s]
        forward = row[unit] if isinstance(row, list) else row
        return {"F": forward, "B": sum(halves), "I": halves[0], "W": halves[1]}[kind]

    def distance(sender: int, receiver: int) -> Fraction:
        near = sender // given["per_node"] == receiver // given["per_node"]
        return given["latency" if near else "node_latency"]

    def back(s: int, unit: int) -> tuple[int, str, int]:
        return (s, "B", unit) if (s, "B", unit) in home else (s, "I", unit)

    def result(task: tuple[int, str, int]) -> Any:
        """What is there when a task's result is there."""
        if moves and task[1] == "F":
            return home[task], "combine", task, 0
        fused = next(cell for cell in lists[home[task]] if task in cell)
        if len(fused) > 1 and not moves:
            return home[task], "both", fused[0], 0
        return home[task], "main", task, 1 if moves and task[1] != "W" else 0

    def used(task: tuple[int, str, int], rank: int, user: Any) -> list[Any]:
        s, kind, unit = task
        if kind == "W":
            wanted = [back(s, unit)]
        elif kind == "F":
            wanted = [(s - 1, "F", unit)] * (s > 0) + [(s, "F", unit - 1)] * (unit % slices > 0)
        else:
            wanted = [(s, "F", unit)]
            wanted += [back(s + 1, unit)] * (s + 1 < stages) + [back(s, unit + 1)] * ((unit + 1) % slices > 0)
        found = []
        for each in wanted:
            if home[each] == rank:
                found.append(result(each))
            elif given["links"]:
                key = ("message", result(each), user)  # one, whatever of it is used
                messages[key] = (result(each), home[each], rank)
                found.append(key)
            else:
                found.append(later(result(each), distance(home[each], rank)))
        return found

    for rank, cells in enumerate(lists):
        place = {task: number for number, cell in enumerate(cells) for task in cell}
        ends: list[Any] = []
        through: list[Any] = []  # what must have ended before another cell begins
        for number, cell in enumerate(cells):
            tasks = list(reversed(cell))
            first: dict[Any, list[Any]] = {}
            for task in tasks:
                s, kind, unit = task
                first[task] = []
                if kind in "BI" and "offload" in given and number - place[s, "F", unit] > 1:
                    name = (rank, "reload", task, 0)
                    second.add(
                        name, given["reload"], (rank, "in"),
                        after=[(rank, "offload", (s, "F", unit), 0), *ends[-2:-1]],
                    )  # fmt: skip
                    first[task] = [name]
            chains: dict[Any, list[tuple[str, Fraction, bool]]] = {}
            for task in tasks:
                s, kind, unit = task
                way = 0 if kind == "F" else 1
                head, tail = [], []
                if kind != "W":
                    if s == 0 and "embedding" in given:
                        (tail if way else head).append(("embedding", given["embedding"][way], True))
                    if s == stages - 1 and "vocabulary" in given:
                        (head if way else tail).append(("vocabulary", given["vocabulary"][way], True))
                        tail += [] if way else [("loss", given["loss"], True)]
                    if way and "recompute" in given:
                        head.append(("recompute", given["recompute"][s], True))
                main = [("main", lasts(task), True)]
                if moves and kind != "W":
                    inner, outer = lasts(task) * given["experts"], lasts(task) * (1 - given["experts"])
                    out, home_ = ("dispatch", given["dispatch"], False), ("combine", given["combine"], False)
                    main = [("main", outer, True), out, ("main", inner, True), home_]
                    main = [home_, ("main", inner, True), out, ("main", outer, True)] if way else main
                chains[task] = [*head, *main, *tail]
            order: list[tuple[Any, tuple[str, Fraction, bool]]] = []
            if len(tasks) == 2 and not moves:
                (a, one), (b, other) = chains.items()
                cut = [next(i for i, each in enumerate(chain) if each[0] == "main") for chain in (one, other)]
                order += [(a, each) for each in one[: cut[0]]] + [(b, each) for each in other[: cut[1]]]
                order += [(None, ("both", lasts(a) + lasts(b), True))]
                order += [(a, each) for each in one[cut[0] + 1 :]] + [(b, each) for each in other[cut[1] + 1 :]]
            else:
                left = {task: list(chain) for task, chain in chains.items()}
                while any(left.values()):
                    for task, chain in left.items():
                        while chain:
                            order.append((task, chain.pop(0)))
                            if not order[-1][1][2]:
                                break
            before: dict[Any, list[Any]] = {}
            counted: dict[Any, int] = {}
            for task, (kind, time, computes) in order:
                own = list(cell) if task is None else [task]
                name = (rank, kind, cell[0] if task is None else task, counted.get((kind, task), 0))
                after = [
                    x for each in own for x in (before.get(each) or [*first[each], *through, *used(each, rank, name)])
                ]
                after = [x for x in after if x != (rank, "both", cell[0], 0)]
                counted[kind, task] = name[3] + 1
                second.add(name, time, (rank, "compute" if computes else "comm"), after=after)
                before |= {each: [name] for each in own}
                if computes:
                    last = name
            ends.append(last)
            through = [before[task][0] for task in tasks] if moves else []
            for s, kind, unit in cell:
                if kind == "F" and "offload" in given:
                    position = place[back(s, unit)]
                    if position - number > 1:
                        name = (rank, "offload", (s, "F", unit), 0)
                        second.add(name, given["offload"], (rank, "out"), after=before[s, "F", unit])
    for key, (source, sender, receiver) in messages.items():
        second.add(
            key, distance(sender, receiver), (sender, "send"), (receiver, "receive"), after=[source], queued=True
        )
    return second.run()


SIZE = ("devices", "microbatches", "slices")
AROUND = ("recompute", "kept", "offload", "reload", "embedding", "vocabulary", "loss", "dispatch", "combine", "experts")
KINDS = {"F": "forward", "B": "backward", "I": "input-grad", "W": "weight-grad"}


@pytest.mark.parametrize("name", FAMILIES)
def test_everything_begins_when_the_second_simulator_says(name: str) -> None:
    for chance in chances(f"around {name}", 1000):
        given = facts(chance, name)
        what = plan(name, given["devices"], given["microbatches"], slices=given["slices"])
        own = {key: value for key, value in given.items() if key not in (*AROUND, *SIZE)}
        about = {key: value for key, value in given.items() if key in AROUND}
        cost = make_costs(what.stages, microbatches=what.microbatches, **own)
        run = simulate(build_program(what, cost, read_extra_work(what.stages, microbatches=what.microbatches, **about)))
        expected = sorted(
            (key[0], KINDS[key[2][1]] if key[1] == "main" else "overlapped" if key[1] == "both" else key[1], start)
            for key, start in second(write_csv(actions(what)), given, what.stages).items()
            if key[0] != "message"
        )
        found = sorted(
            (operation.lanes[0].device, operation.kind, run.start(index))
            for index, operation in enumerate(run.program.operations)
            if operation.kind != "send"
        )
        assert found == expected, given


@pytest.mark.parametrize(("p", "m", "n"), [(4, 8, 2), (4, 3, 4), (3, 1, 5), (1, 2, 3), (8, 16, 4)])
def test_slices_divide_the_bubble(p: int, m: int, n: int) -> None:
    share = {"forward": Fraction(1, n), "backward": Fraction(2, n)}
    for name in ("terapipe", "seq1f1b"):
        assert pipeline(name, p, m, slices=n, **share).makespan == Fraction(m * n + p - 1, n) * 3
    run = measure(pipeline("seq1f1b", p, m, slices=n, **share))
    assert run.peak_in_flight == tuple(Fraction(min(m * n, p - r - 1 + n), n) for r in range(p))


def test_interleaved_slices() -> None:
    run = pipeline("seq1f1b-interleaved", 4, 8, slices=2, forward=1, backward=2)
    assert run.makespan == (8 * 2 * 2 + 3) * 3
    assert measure(run).peak_in_flight == (6, 5, 4, 3)


def test_later_slices_may_take_longer() -> None:
    run = pipeline("terapipe", 2, 1, slices=3, forward=[[1, 2, 3]] * 2, backward=[[2, 4, 6]] * 2)
    ends = {operation.name: run.end(i) for i, operation in enumerate(run.program.operations)}
    assert [ends[name] for name in ("0F2", "1F2", "1B2", "1B1", "0B2", "1B0", "0B0")] == [6, 9, 15, 19, 21, 21, 27]


def test_recomputation_is_a_longer_backward_and_less_memory() -> None:
    run = pipeline("1f1b", 4, 8, recompute=1)
    assert run.makespan == (8 + 3) * (1 + 2 + 1)
    peaks = [max(level.count for level in levels) for levels in count_held_activations(run, Fraction(1, 10)).values()]
    # the shares of those in flight, and the whole of the one that runs backwards
    assert peaks == [Fraction(13, 10), Fraction(12, 10), Fraction(11, 10), 1]


def test_activations_that_leave_make_room() -> None:
    run = pipeline("1f1b", 4, 8, offload=1)
    assert run.makespan == 33
    peaks = [max(level.count for level in levels) for levels in count_held_activations(run).values()]
    assert peaks == [3, 3, 2, 1]
    names = [operation.name for operation in run.program.operations]
    assert {"offload of 2F0", "reload of 2B0"} <= {*names}
    assert "offload of 3F0" not in names  # its backward follows


def test_ends_of_the_model() -> None:
    run = pipeline("1f1b", 2, 1, embedding=[1, 2], vocabulary=3, loss=Fraction(1, 2))
    found = [(o.kind, o.lanes[0].device, run.start(i)) for i, o in enumerate(run.program.operations)]
    assert found == [
        ("embedding", 0, 0),
        ("forward", 0, 1),
        ("backward", 0, Fraction(29, 2)),
        ("embedding", 0, Fraction(33, 2)),
        ("forward", 1, 2),
        ("vocabulary", 1, 3),
        ("loss", 1, 6),
        ("vocabulary", 1, Fraction(13, 2)),
        ("backward", 1, Fraction(25, 2)),
    ]
    assert run.makespan == Fraction(37, 2)


def test_tokens_of_one_travel_while_the_other_computes() -> None:
    run = pipeline("overlapped-1f1b", 1, 2, chunks=1, forward=2, backward=4, dispatch=1)
    found = [(o.name, o.lanes[0].stream, run.start(i)) for i, o in enumerate(run.program.operations)]
    assert found[4:12] == [
        ("combine of 0B0", "communication", 4),
        ("0F1", "compute", 4),
        ("dispatch of 0F1", "communication", 5),
        ("0B0", "compute", 5),
        ("dispatch of 0B0", "communication", 7),
        ("0F1", "compute", 7),
        ("combine of 0F1", "communication", 8),
        ("0B0", "compute", 8),
    ]
    assert exposed_communication(run) == (4,)
    assert exposed_communication(pipeline("1f1b", 1, 2, forward=2, backward=4, dispatch=1)) == (8,)


def test_idle_time_says_what_is_waited_for() -> None:
    run = pipeline("1f1b", 2, 2, latency=Fraction(1, 2))
    told = measure_waits(run)
    assert {device: sum(own.values()) for device, own in told.items()} == dict(enumerate(measure(run).idle))
    assert told[1] == {"device 0": 1, "message of device 0": Fraction(1, 2), "the end": Fraction(5, 2)}


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("1f1b", {"slices": 2}, "1f1b does not cut sequences"),
        ("dualpipe", {"overlapped": 3, "dispatch": 1}, "the messages determine the length"),
        ("1f1b", {"p2p": "sender", "dispatch": 1}, "tokens to experts need asynchronous messages"),
        ("1f1b", {"recompute": 1, "offload": 1}, "what is recomputed is not held"),
        ("1f1b", {"experts": 2}, "a share is at most 1"),
        ("1f1b", {"embedding": [1, 2, 3]}, "3 values for 2 ways"),
        ("seq1f1b-interleaved", {"slices": 2, "group": 1}, "with group 1, 8 microbatches leave a group of 1"),
    ],
)
def test_what_cannot_be_is_refused(name: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        pipeline(name, 4, 8, **given)


@pytest.mark.parametrize(("given", "moves"), [({"dispatch": 1, "combine": 0}, "dispatch"), ({"combine": 1}, "combine")])
def test_tokens_may_travel_one_way_alone(given: dict[str, int], moves: str) -> None:
    run = pipeline("1f1b", 1, 1, chunks=1, forward=2, backward=4, **given)  # type: ignore[arg-type]
    streams = {o.name.partition(" ")[0]: o.lanes[0].stream for o in run.program.operations}
    assert streams[moves] == "communication"
    with pytest.raises(ScheduleError, match="tokens to experts need asynchronous messages"):
        pipeline("1f1b", 1, 1, chunks=1, p2p="sync", **given)  # type: ignore[arg-type]
