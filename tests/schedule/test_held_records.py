"""Block caches, logs, memory, lineage and experts, each against a second derivation that shares no code."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tikzgen.schedule.held import (
    BlockCopy,
    BlockEvent,
    DatasetStep,
    ImpossibleFacts,
    TransformerLayer,
    choose_experts,
    count_moved_tokens,
    dispatch_tokens,
    divide_memory,
    find_least_term,
    match_logs,
    measure_activations,
    run_block_cache,
    trace_lineage,
)


def refused_at(call: Any, *args: Any, **more: Any) -> tuple[tuple[str | int, ...], str]:
    with pytest.raises(ImpossibleFacts) as refused:
        call(*args, **more)
    return refused.value.field_path, refused.value.message


def begin(request: str, tokens: int, parent: str | None = None, prefix: int = 0) -> BlockEvent:
    return BlockEvent("begin", request, tokens, parent, prefix, ("requests", request))


def test_a_shared_prefix_is_copied_on_write() -> None:
    cache = run_block_cache(4, 8, [begin("A", 10), begin("B", 1, "A", 10)])
    assert cache.tables == {"A": (0, 1, 2), "B": (0, 1, 3)} and cache.lengths == {"A": 10, "B": 11}
    assert cache.references == (2, 2, 1, 1, 0, 0, 0, 0)
    assert cache.copies == (BlockCopy(2, 3, "B", 2),)
    assert (cache.slots, cache.filled_count, cache.waste) == (16, 13, Fraction(3, 16))
    assert cache.contents[3] == (("A", 8), ("A", 9), ("B", 10))


def test_blocks_are_taken_in_the_order_of_the_free_list() -> None:
    cache = run_block_cache(4, 8, [begin("A", 10), begin("B", 1, "A", 10)], free=[7, 1, 3, 5])
    assert cache.tables == {"A": (7, 1, 3), "B": (7, 1, 5)}


class Cache:
    """A second cache: each request keeps its tokens in cells of blocks, blocks are sets of owners, no counters."""

    def __init__(self, size: int, pool: int) -> None:
        self.size, self.pool = size, pool
        self.where: dict[str, list[int]] = {}
        self.said: dict[str, list[tuple[str, int]]] = {}

    def owners(self, block: int) -> set[str]:
        return {name for name, blocks in self.where.items() if block in blocks}

    def free(self) -> int | None:
        return next((block for block in range(self.pool) if not self.owners(block)), None)

    def write(self, name: str) -> bool:
        at = len(self.said[name])
        if at % self.size == 0 or self.owners(self.where[name][-1]) != {name}:
            if (block := self.free()) is None:
                return False
            self.where[name][at // self.size :] = [block]
        self.said[name].append((name, at))
        return True


@settings(max_examples=300)
@given(st.integers(1, 4), st.integers(1, 12), st.data())
def test_a_second_cache_agrees(size: int, pool: int, data: st.DataObject) -> None:
    second, events, fits = Cache(size, pool), [], True
    for number in range(data.draw(st.integers(1, 8))):
        known = sorted(second.where)
        action = data.draw(st.sampled_from(["begin", "append", "finish"] if known else ["begin"]))
        name = f"r{number}" if action == "begin" else data.draw(st.sampled_from(known))
        tokens = 0 if action == "finish" else data.draw(st.integers(0, 6))
        parent, prefix = None, 0
        if action == "begin":
            if known and data.draw(st.booleans()):
                parent = data.draw(st.sampled_from(known))
                prefix = data.draw(st.integers(0, len(second.said[parent])))
            second.said[name] = second.said[parent][:prefix] if parent else []
            second.where[name] = second.where[parent][: ceil(prefix / size)] if parent else []
        events.append(BlockEvent(action, name, tokens, parent, prefix))
        if action == "finish":
            del second.where[name], second.said[name]
        fits = all(second.write(name) for _ in range(tokens))
        if not fits:
            break
    if not fits:
        with pytest.raises(ImpossibleFacts, match="no block is free"):
            run_block_cache(size, pool, events)
        return
    cache = run_block_cache(size, pool, events)
    assert {name: list(table) for name, table in cache.tables.items()} == second.where
    assert list(cache.references) == [len(second.owners(block)) for block in range(pool)]
    cells = {
        (block, place % size): token
        for name, blocks in second.where.items()
        for place, token in enumerate(second.said[name])
        for block in [blocks[place // size]]
    }
    assert cache.filled_count == len(cells)
    assert cells == {(b, slot): token for b, tokens in enumerate(cache.contents) for slot, token in enumerate(tokens)}


def test_caches_that_cannot_be() -> None:
    path, message = refused_at(run_block_cache, 4, 2, [begin("A", 8), begin("B", 1)])
    assert path == ("requests", "B") and message == "no block is free for token 0 of request B"
    path, message = refused_at(run_block_cache, 4, 4, [begin("A", 3), begin("B", 1, "A", 4)])
    assert path == ("requests", "B", "prefix") and "has 4 tokens, but request A has 3" in message
    assert refused_at(run_block_cache, 4, 4, [begin("B", 1, "A", 4)])[0] == ("requests", "B", "prefix_of")
    assert refused_at(run_block_cache, 4, 4, [begin("A", 3), begin("A", 3)])[0] == ("requests", "A", "id")
    assert refused_at(run_block_cache, 4, 4, [BlockEvent("finish", "A", path=("events", 0))])[0] == ("events", 0)
    assert refused_at(run_block_cache, 4, 4, [], free=[1, 4])[0] == ("free", 1)
    assert refused_at(run_block_cache, 4, 4, [], free=[1, 1])[0] == ("free", 1)


LOGS = ["11123333", "111233", "11123333", "111", "111222"]


def terms(*logs: str) -> list[list[int]]:
    return [[int(term) for term in log] for log in logs]


def test_the_logs_of_five_servers() -> None:
    found = match_logs(terms(*LOGS), 0, 3)
    assert (found.match, found.commit) == ((8, 6, 8, 3, 4), 6)
    assert found.removed_from == (None, None, None, None, 5)
    assert match_logs(terms(*LOGS), 0, 4).commit == 0
    assert match_logs(terms(*LOGS), 0, 4, committed=3).commit == 3


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Logs that leaders wrote, by replicating a part of their log to some servers, term by term."""
    servers = draw(st.integers(1, 5))
    logs: list[list[int]] = [[] for _ in range(servers)]
    for term in range(1, draw(st.integers(1, 5)) + 1):
        leader = draw(st.integers(0, servers - 1))
        logs[leader] = [*logs[leader], *[term] * draw(st.integers(0, 3))]
        for server in range(servers):
            if server != leader and draw(st.booleans()):
                upto = draw(st.integers(0, len(logs[leader])))
                sent, own = logs[leader][:upto], logs[server]
                agrees = own[: len(sent)] == sent
                logs[server] = own if agrees else sent
    return logs, max([1, *(each for log in logs for each in log)])


@settings(max_examples=300)
@given(histories(), st.data())
def test_the_commit_index_by_counting_servers(facts: tuple[list[list[int]], int], data: st.DataObject) -> None:
    logs, last = facts
    leader = data.draw(st.integers(0, len(logs) - 1))
    term, own = last + data.draw(st.integers(0, 1)), logs[leader]
    lacks = any(log[i] == last and own[i : i + 1] != [last] for log in logs for i in range(len(log)))
    assert find_least_term(logs, leader) == last + lacks
    if lacks and term == last:
        assert refused_at(match_logs, logs, leader, term)[0] == ("term",)
        return
    found = match_logs(logs, leader, term)
    for server, log in enumerate(logs):
        same = [index for index in range(1, len(own) + 1) if log[:index] == own[:index]]
        assert found.match[server] == len(same)
        conflicts = [i for i in range(1, min(len(own), len(log)) + 1) if log[i - 1] != own[i - 1]]
        assert found.removed_from[server] == (conflicts[0] if conflicts else None)
    commits = [
        index
        for index in range(1, len(own) + 1)
        if 2 * sum(log[:index] == own[:index] for log in logs) > len(logs) and own[index - 1] == term
    ]
    assert found.commit == max(commits, default=0)


@pytest.mark.parametrize(
    ("logs", "term", "committed", "path", "words"),
    [
        (["112", "114"], 3, 0, ("term",), "the leader's term 3 is below term 4 of entry 3 of server 2"),
        (["1133", "1233"], 3, 0, ("logs", 1), "entry 3 has term 3 on servers 1 and 2, but entry 2 differs"),
        (["112", "113"], 3, 0, ("term",), "entry 3 of server 2 has the leader's term 3, but the leader lacks it"),
        (["12", "2"], 3, 0, ("logs", 1), "term 2 begins at entry 2 on server 1, at entry 1 on server 2"),
        (["121"], 3, 0, ("logs", 0), "entry 3 has term 1, after term 2"),
        (["11"], 3, 3, ("committed",), "entry 3 is committed, but the leader's log has 2 entries"),
        (
            ["11", "1", "1"],
            3,
            2,
            ("committed",),
            "entry 2 of the leader is not on a majority, so it cannot be committed",
        ),
    ],
)
def test_logs_that_raft_cannot_have(
    logs: list[str], term: int, committed: int, path: tuple[Any, ...], words: str
) -> None:
    assert refused_at(match_logs, terms(*logs), 0, term, committed) == (path, words)


@given(st.integers(1, 512), st.integers(0, 24))
def test_the_stages_of_zero_in_closed_form(ranks: int, extra: int) -> None:
    n, k = Fraction(ranks), extra
    closed = [4 + k, 4 + k / n, 2 + (2 + k) / n, (4 + k) / n]
    assert [divide_memory(stage, ranks, k).total for stage in (0, 1, 2, 3)] == closed


def test_the_memory_of_a_model_on_64_ranks() -> None:
    totals = [divide_memory(stage, 64, 12).total * Fraction(15, 2) for stage in (0, 1, 2, 3)]
    assert [float(total) for total in totals] == [120, 31.40625, 16.640625, 1.875]


def test_the_activations_of_a_layer() -> None:
    plain = TransformerLayer(2048, 4, 6144, 64)
    assert measure_activations(plain) == Fraction("6.59375") * 2**30
    divided = TransformerLayer(2048, 4, 6144, 64, tensor=8, sequence_parallel=True)
    assert measure_activations(divided) == Fraction("0.82421875") * 2**30


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 16), st.integers(1, 16), st.integers(1, 8), st.booleans())
def test_activations_tensor_by_tensor(s: int, b: int, each: int, a: int, t: int, shared: bool) -> None:
    h = a * each
    whole = {"attention input": 2, "mlp input": 2, "attention dropout": 1, "mlp dropout": 1, "norms": 4}
    parallel = {"q and k": 4, "v": 2, "projection input": 2, "mlp": 16}
    scores = {"softmax": 2, "softmax dropout": 1, "over v": 2}
    cut = t if shared else 1
    total = sum(Fraction(x * s * b * h, cut) for x in whole.values())
    total += sum(Fraction(x * s * b * h, t) for x in parallel.values())
    selective = total
    total += sum(Fraction(x * a * s * s * b, t) for x in scores.values())
    layer = {"sequence": s, "batch": b, "hidden": h, "heads": a, "tensor": t, "sequence_parallel": shared}
    assert measure_activations(TransformerLayer(**layer)) == total
    assert measure_activations(TransformerLayer(**layer, recompute="selective")) == selective
    assert measure_activations(TransformerLayer(**layer, recompute="full")) == Fraction(2 * s * b * h, cut)


PARTITIONS = {"A": 3, "B": 3, "C": 2, "D": 2, "E": 2, "F": 4, "G": 3}
STEPS = [
    DatasetStep("group", ("A",), "B"),
    DatasetStep("map", ("C",), "D"),
    DatasetStep("union", ("D", "E"), "F"),
    DatasetStep("join", ("B", "F"), "G"),
]


def test_the_stages_of_a_job() -> None:
    found = trace_lineage(PARTITIONS, STEPS)
    assert [(each.parent, each.child, len(each.pairs)) for each in found.dependencies if each.wide] == [
        ("A", "B", 9),
        ("F", "G", 12),
    ]
    assert found.stages == (("A",), ("B", "G"), ("C", "D", "E", "F"))


@st.composite
def jobs(draw: st.DrawFn) -> tuple[dict[str, int], list[DatasetStep]]:
    counts, steps = {"d0": draw(st.integers(1, 4)), "d1": draw(st.integers(1, 4))}, []
    for number in range(2, 2 + draw(st.integers(1, 6))):
        operation = draw(st.sampled_from(["map", "filter", "union", "join", "group"]))
        many = 2 if operation in ("union", "join") else 1
        parents = tuple(draw(st.permutations(sorted(counts)))[:many])
        count = draw(st.integers(1, 4)) if operation in ("join", "group") else sum(counts[p] for p in parents)
        counts[f"d{number}"] = count
        steps.append(DatasetStep(operation, parents, f"d{number}"))
    return counts, steps


@settings(max_examples=200)
@given(jobs())
def test_lineage_from_the_use_of_each_partition(job: tuple[dict[str, int], list[DatasetStep]]) -> None:
    counts, steps = job
    found, keyed, near = trace_lineage(counts, steps), set(), set()
    uses = {(each.parent, each.child): set(each.pairs) for each in found.dependencies}
    for step in steps:
        shift = 0
        for parent in step.parents:
            parts = range(counts[parent])
            if step.operation == "union":
                expected = {(part, shift + part) for part in parts}
                shift += counts[parent]
            elif step.operation in ("map", "filter") or (
                step.operation == "join" and parent in keyed and counts[parent] == counts[step.child]
            ):
                expected = {(part, part) for part in parts}
            else:
                expected = set(product(parts, range(counts[step.child])))
            assert uses[parent, step.child] == expected
            if all(sum(one == part for one, _ in expected) <= 1 for part in parts):
                near |= {(parent, step.child), (step.child, parent)}
        if step.operation in ("join", "group") or (step.operation == "filter" and step.parents[0] in keyed):
            keyed.add(step.child)
    for names in found.stages:
        reached = {names[0]}
        while more := {two for one, two in near if one in reached} - reached:
            reached |= more
        assert reached == set(names)
    assert sorted(name for names in found.stages for name in names) == sorted(counts)


@pytest.mark.parametrize(
    ("step", "path"),
    [
        (DatasetStep("map", ("X",), "D"), ("steps", 0, "of", 0)),
        (DatasetStep("map", ("C",), "X"), ("steps", 0, "to")),
        (DatasetStep("map", ("A",), "D"), ("datasets", "D")),
        (DatasetStep("union", ("C", "E"), "D"), ("datasets", "D")),
        (DatasetStep("join", ("C", "C"), "D"), ("steps", 0, "of", 1)),
        (DatasetStep("join", ("A", "C"), "D", aligned=("A",)), ("steps", 0, "narrow", 0)),
        (DatasetStep("join", ("A", "C"), "D", aligned=("E",)), ("steps", 0, "narrow", 0)),
        (DatasetStep("map", ("D",), "D"), ("steps", 0, "of", 0)),
    ],
)
def test_jobs_that_cannot_be(step: DatasetStep, path: tuple[Any, ...]) -> None:
    assert refused_at(trace_lineage, PARTITIONS, [step])[0] == path


def test_a_dataset_is_made_once() -> None:
    twice = [DatasetStep("map", ("C",), "D"), DatasetStep("map", ("E",), "D")]
    assert refused_at(trace_lineage, PARTITIONS, twice)[0] == ("steps", 1, "to")


CHOICES = [[each] for each in (0, 2, 0, 0, 1, 0, 2, 0)]


@pytest.mark.parametrize(
    ("factor", "capacity", "load", "dropped"),
    [(Fraction(1), 2, (2, 1, 2, 0), [3, 5, 7]), (Fraction(5, 4), 3, (3, 1, 2, 0), [5, 7])],
)
def test_eight_tokens_for_four_experts(
    factor: Fraction, capacity: int, load: tuple[int, ...], dropped: list[int]
) -> None:
    found = dispatch_tokens(CHOICES, 4, factor)
    assert (found.capacity, found.load, [token for token, _ in found.dropped]) == (capacity, load, dropped)


@settings(max_examples=200)
@given(st.integers(1, 12), st.integers(1, 6), st.data(), st.fractions(Fraction(1, 4), 3, max_denominator=8))
def test_each_expert_keeps_its_first_choices(tokens: int, experts: int, data: st.DataObject, factor: Fraction) -> None:
    top = data.draw(st.integers(1, experts))
    choices = choose_experts(tokens, experts, top, data.draw(st.integers(0, 1000)))
    assume(choices)
    found = dispatch_tokens(choices, experts, factor)
    asks = sorted((place, token, chosen[place]) for token, chosen in enumerate(choices) for place in range(top))
    capacity = -(-factor.numerator * tokens * top // (factor.denominator * experts))
    for expert in range(experts):
        wanted = [(token, place) for place, token, chosen in asks if chosen == expert]
        assert list(found.slots[expert]) == wanted[:capacity]
        assert set(wanted[capacity:]) <= set(found.dropped)
    assert len(found.dropped) + sum(found.load) == tokens * top
    moved = count_moved_tokens(found, [token % 2 for token in range(tokens)], [expert % 2 for expert in range(experts)])
    assert sum(map(sum, moved)) == sum(found.load)


@pytest.mark.parametrize(
    ("choices", "path"),
    [([[0], [4]], ("choices", 1, 0)), ([[0], [0, 1]], ("choices", 1)), ([[1, 1]], ("choices", 0, 1))],
)
def test_choices_that_cannot_be(choices: list[list[int]], path: tuple[Any, ...]) -> None:
    assert refused_at(dispatch_tokens, choices, 4, Fraction(1))[0] == path
