"""Recipes of arrays: cells, marks and measures of known cases, and refusals at their fields."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest

import tikzgen
from tikzgen import SpecError, loads, recipes
from tikzgen.model.cells import CellArray, Cells


def arrays_of(figure: Any) -> dict[str, CellArray]:
    return {array.id: array for _, _, part in figure.parts(Cells) for array in part.arrays}


def rows_of(array: CellArray) -> list[str]:
    return ["".join(line) for line in array.grid.fills[0]]


def measures_of(figure: Any) -> dict[str, Any]:
    return dict(tikzgen.metrics(figure).as_json())


def test_each_rank_has_its_block_and_receives_the_rest_of_its_row() -> None:
    figure = recipes.sharding(mesh={"dp": 2, "tp": 4}, then=["Shard(0)", "Replicate"])
    arrays = arrays_of(figure)
    assert rows_of(arrays["w"]) == ["aabbccdd"] * 4 + ["eeffgghh"] * 4
    assert rows_of(arrays["r6"]) == [" " * 8] * 4 + ["eeffgghh"] * 4
    assert [mark.at for mark in arrays["r6"].marks] == ["4:8,4:6"]
    found = measures_of(figure)
    assert (found["elements"], found["received"], found["elements_after"]) == ([8] * 8, [24] * 8, [32] * 8)
    assert "all-gather along tp: each rank receives 24 elements" in figure.description


def test_uneven_shards_leave_ranks_without_elements() -> None:
    figure = recipes.sharding(shape=[9], mesh={"dp": 8}, placements=["Shard(0)"], parts=True)
    assert measures_of(figure)["elements"] == [2, 2, 2, 2, 1, 0, 0, 0]
    assert "no elements on rank 5 to rank 7" in figure.description
    assert rows_of(arrays_of(figure)["r7"]) == [" " * 9]


@pytest.mark.parametrize("width", [8.4, 17.8])
def test_an_arrow_leads_from_a_tensor_to_its_parts(width: float) -> None:
    moved = recipes.sharding(mesh={"dp": 2, "tp": 4}, then=["Shard(0)", "Replicate"], width=width)
    _, (_, _, after) = moved.parts(Cells)
    assert after.entry is not None
    assert after.entry.label == "all-gather along tp\neach rank receives 24 elements"
    code = moved.tex()
    anchor = "west" if width == 8.4 else "south"
    assert re.search(rf"draw\[msg\] \(.*\n?.*anchor={anchor}\] \{{\\twoentrylabel\}}", code)
    assert r"\draw[data] (" in recipes.sharding(mesh={"tp": 4}, placements=["Shard(0)"], parts=True, width=width).tex()


def test_a_partial_tensor_is_hatched_on_all_ranks() -> None:
    figure = recipes.sharding(mesh={"tp": 4}, placements=["Partial"], then=["Shard(0)"])
    before, after = (part for _, _, part in figure.parts(Cells))
    assert before.keys["a"].hatch == "north east lines"
    assert after.keys["a"].hatch == "none"
    assert before.arrays[0].regions[0].label == "0–3"
    assert measures_of(figure)["received"] == [48] * 4


def test_pieces_from_other_ranks_have_the_numbers_of_these_ranks() -> None:
    facts = {"shape": [8], "mesh": {"x": 2, "y": 4}, "placements": ["Shard(0)"] * 2}
    arrays = arrays_of(recipes.sharding(**facts, then=["Replicate", "Shard(0)"]))
    assert [(region.at, region.label) for region in arrays["r1"].regions] == [("0,2", "2"), ("0,3", "3")]


def test_a_long_dimension_has_cells_of_several_elements() -> None:
    figure = recipes.sharding(shape=[4096, 16384], placements=["Shard(0)", "Shard(1)"])
    assert arrays_of(figure)["w"].shape == (1, 8, 8)
    assert measures_of(figure)["elements"] == [4096 * 16384 // 8] * 8


def test_the_sums_on_the_ranks_of_a_ring() -> None:
    arrays = arrays_of(recipes.ring_steps(ranks=4))
    assert [arrays["s2"].grid.texts[0, 2, chunk] for chunk in range(4)] == ["$abc$", "$bc$", "$c$", "$c$"]
    assert [mark.at for mark in arrays["s3"].marks] == ["0,1", "1,2", "2,3", "3,0"]
    assert [*arrays_of(recipes.ring_steps(ranks=4, phase="both", steps=[0, 3, 6]))] == ["s0", "s3", "s6"]


def test_the_work_of_a_zigzag_split() -> None:
    zigzag = measures_of(recipes.attention_mask(blocks=8, ranks=4, split="zigzag"))
    assert (zigzag["work"], zigzag["slowest_work"]) == ([8] * 4, 8)
    assert measures_of(recipes.attention_mask(blocks=8, ranks=4))["slowest_work"] == 14
    for mask, cells in (("causal", 36), ({"window": 3}, 21), ({"documents": [3, 1, 4]}, 17), ("full", 64)):
        figure = recipes.attention_mask(tokens=8, mask=mask)
        assert measures_of(figure)["computed"] == cells
        assert sum(letter not in ".# " for line in rows_of(arrays_of(figure)["mask"]) for letter in line) == cells


def test_a_shared_prefix_in_a_block_table() -> None:
    figure = recipes.block_table()
    found = measures_of(figure)
    assert (found["slots"], found["filled"], found["waste"], found["copies"]) == (16, 13, "3/16", 1)
    assert found["references"] == [2, 2, 1, 1, 0, 0, 0, 0]
    assert rows_of(arrays_of(figure)["pool"])[:4] == ["ssss", "ssss", "aa..", "bbb."]
    ((_, _, part),) = figure.parts(Cells)
    assert {(flow.source, flow.target) for flow in part.flows if flow.kind == "copy"} == {("pool[2,1]", "pool[3,1]")}


def test_a_label_of_a_copy_has_the_room_of_the_first_empty_slots() -> None:
    """Its ground covered the edge of the physical blocks where it began at the last copied slot."""
    spec = (
        "recipe: block-table\nblock: 4\npool: 8\nfree: [7, 1, 3, 5, 0, 2, 4, 6]\nrequests:\n"
        "- {id: A, tokens: [a, b, c, d, e, f, g, h, i, j]}\n- {id: B, tokens: [k], prefix_of: A}\n"
    )
    (part,) = [part for _, _, part in loads(spec).parts(Cells)]
    (copy,) = [flow for flow in part.flows if flow.kind == "copy"]
    assert (copy.source, copy.target, copy.label) == ("pool[3,0]", "pool[5,0]", "copy on write")


def test_a_request_ends_and_its_blocks_are_used_again() -> None:
    events = [{"request": "A", "finish": True}, {"request": "B", "append": 5}]
    figure = recipes.block_table(pool=4, events=events)
    assert measures_of(figure)["references"] == [1, 1, 1, 1]
    arrays = arrays_of(figure)
    assert [*arrays] == ["request-B", "table-B", "pool"]
    assert arrays["table-B"].values == [["0"], ["1"], ["3"], ["2"]]


def test_the_logs_of_five_servers() -> None:
    figure = recipes.replicated_log()
    found = measures_of(figure)
    assert (found["matching"], found["removed"], found["commit"]) == ([8, 6, 8, 3, 4], [0, 0, 0, 0, 2], 6)
    (logs,) = arrays_of(figure).values()
    assert [mark.at for mark in logs.marks] == ["5,5:7"]
    assert logs.lines[0].after == 6
    assert measures_of(recipes.replicated_log(term=4))["commit"] == 0


def test_the_memory_of_a_rank_in_the_stages_of_zero() -> None:
    assert measures_of(recipes.memory_bars())["memory"] == [120, "1005/32", "1065/64", "15/8"]
    assert recipes.memory_bars(parameters="7.5B") == recipes.memory_bars(parameters=7_500_000_000)
    layer = {"layers": 1, "sequence": 2048, "batch": 4, "hidden": 6144, "heads": 64}
    plain = measures_of(recipes.memory_bars(parameters=1, stages=[3], activations=layer))["memory"][0]
    assert plain == str((Fraction("6.59375") * 2**30 + Fraction(16, 64)) / 10**9)


def test_small_models_have_a_smaller_unit() -> None:
    for parameters, unit, size in ((10**6, "MB", 16), (1000, "kB", 16), (1, "B", 16)):
        ((_, _, part),) = recipes.memory_bars(parameters=parameters, ranks=8).parts(Cells)
        assert (part.axis.unit, part.bars[0].size) == (unit, size)


def test_the_stages_of_a_job() -> None:
    figure = recipes.partitions()
    ((_, _, part),) = figure.parts(Cells)
    kinds = [(flow.source[0], flow.target[0]) for flow in part.flows if flow.kind == "message"]
    assert (kinds.count(("A", "B")), kinds.count(("F", "G")), len(kinds)) == (9, 12, 21)
    found = measures_of(figure)
    assert (found["wide"], found["dependencies"], found["partitions"]) == (2, 6, [3, 6, 10])


def test_dropped_tokens() -> None:
    facts = {"choices": [0, 2, 0, 0, 1, 0, 2, 0], "experts": 4}
    figure = recipes.dispatch(**facts, capacity_factor="5/4", ranks=2)
    assert measures_of(figure) == {"capacity": 3, "load": [3, 1, 2, 0], "dropped": 2, "moved": 2}
    assert [mark.at for mark in arrays_of(figure)["choices"].marks] == ["1,5", "1,7"]
    assert "tokens 3, 5 and 7 dropped" in recipes.dispatch(**facts).description
    assert recipes.dispatch(seed=3, top=2) == recipes.dispatch(seed=3, top=2)


@pytest.mark.parametrize(("facts", "rows"), [({}, 4), ({"ranks": 4}, 4), ({"top": 2, "capacity_factor": "1/2"}, 8)])
@pytest.mark.parametrize("width", [8.4, 17.8])
def test_64_tokens_are_in_several_rows(facts: dict[str, Any], rows: int, width: float) -> None:
    figure = recipes.dispatch(tokens=64, experts=8, width=width, **facts)
    choices = arrays_of(figure)["choices"]
    assert choices.shape == (1, rows, 16)
    top = rows // 4
    recipe = figure.origin
    assert recipe is not None
    for token, chosen in enumerate(recipe._choices):
        for place, expert in enumerate(chosen):
            assert choices.grid.texts[0, token // 16 * top + place, token % 16] == str(expert)
    dropped = {choices.find_checked(mark.at) for mark in choices.marks}
    places = {(cells.rows[0], cells.columns[0]) for cells in dropped}
    assert places == {(token // 16 * top + place, token % 16) for token, place in recipe._result.dropped}
    assert places
    assert choices.rows.texts
    figure.tex()


LAYER = {"layers": 1, "sequence": 2048, "batch": 4, "hidden": 6144, "heads": 64}
REFUSED = {
    "sharding": [
        ({"ranks": 6}, "mesh", "the mesh has 8 ranks, not 6"),
        ({"placements": ["Shard(0)", "Shard(2)"]}, "placements[1]", "the tensor has no dimension 2"),
        ({"placements": ["StridedShard(0)", "Shard(0)"], "shape": [6, 6]}, "placements[0]", "8 strided pieces"),
        ({"placements": ["Shard(0)", "Shard(9)"]}, "placements[1]", "the tensor has no dimension 9"),
        ({"then": ["Shard(0)"]}, "then", "1 placement for a mesh of 2"),
        ({"then": ["Partial", "Shard(1)"]}, "then[0]", "no collective makes Partial of Shard(0)"),
        ({"shape": [8, 202]}, "shape[1]", "need more than 64 cells"),
    ],
    "ring-steps": [({"steps": [4]}, "steps[0]", "unknown step 4 of 4 ranks")],
    "attention-mask": [
        ({"blocks": 12, "ranks": 4, "split": "zigzag"}, "split", "8 pieces do not divide 12 positions"),
        ({"tokens": 10, "ranks": 4}, "ranks", "4 pieces do not divide 10 positions"),
        ({"mask": {"window": 0}}, "mask.window", "a window of 0 has no key"),
        ({"mask": {"documents": [3, 4]}}, "mask.documents", "the documents have 7 positions, not 8"),
        ({"tokens": 8, "blocks": 8}, "blocks", "conflicts with tokens"),
    ],
    "block-table": [
        ({"pool": 3}, "requests[1]", "no block is free for token 10 of request B"),
        (
            {"requests": [{"id": "A", "tokens": 3}, {"id": "B", "prefix_of": "A", "prefix": 4}]},
            "requests[1].prefix",
            "the prefix has 4 tokens, but request A has 3",
        ),
        ({"events": [{"request": "C", "append": 1}]}, "events[0]", 'unknown request "C" in the cache'),
        ({"events": [{"request": "A"}]}, "events[0].append", "needs either new tokens or an end"),
        ({"free": [9]}, "free[0]", "unknown block 9"),
    ],
    "replicated-log": [
        ({"term": 2}, "term", "the leader's term 2 is below term 3 of entry 5 of server 1"),
        ({"logs": ["113", "123"]}, "logs[1]", "entry 3 has term 3 on servers 1 and 2, but entry 2 differs"),
        ({"logs": ["112", "113"], "term": 3}, "term", "entry 3 of server 2 has the leader's term 3"),
        ({"logs": ["11a"]}, "logs[0]", 'should be digits such as 1123, or a list of terms, not "11a"'),
        ({"committed": 9}, "committed", "entry 9 is committed, but the leader's log has 8 entries"),
        ({"leader": 6}, "leader", "unknown server 6"),
        (
            {"logs": ["11", "11"], "commands": [["a", "b"], ["a", "c"]]},
            "commands[1][1]",
            "entry 2 of term 1 has another",
        ),
    ],
    "memory-bars": [
        ({"parameters": "7.5X"}, "parameters", "should be a number of parameters such as 7.5B"),
        ({"stages": [1, 1]}, "stages[1]", "stage 1 is used twice"),
        ({"activations": {**LAYER, "heads": 5}}, "activations.heads", "5 heads do not divide 6144"),
        ({"activations": {**LAYER, "tensor": 7}}, "activations.tensor", "7 ranks do not divide 64 heads"),
    ],
    "partitions": [
        (
            {
                "datasets": {"A": 3, "B": 4, "C": 4},
                "steps": [{"do": "join", "of": ["A", "B"], "to": "C", "narrow": ["A"]}],
            },
            "steps[0].narrow[0]",
            "A has 3 partitions, but C has 4",
        ),
        ({"datasets": {"A": 3, "B": 4}, "steps": [{"do": "map", "of": ["A"], "to": "B"}]}, "datasets.B", "A has 3"),
        ({"datasets": {"A": 3}, "steps": [{"do": "map", "of": ["A"], "to": "B"}]}, "steps[0].to", "unknown dataset"),
    ],
    "dispatch": [
        ({"choices": [0, 4]}, "choices[1][0]", "unknown expert 4"),
        ({"choices": [0, 1], "seed": 1}, "seed", "conflicts with choices"),
        ({"top": 5}, "top", "5 choices of 4 experts"),
        ({"ranks": 3}, "ranks", "3 ranks do not divide 8 tokens"),
    ],
}


@pytest.mark.parametrize(
    ("name", "facts", "field", "words"), [(name, *each) for name, cases in REFUSED.items() for each in cases]
)
def test_facts_without_a_result_are_refused_at_their_field(
    name: str, facts: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(SpecError) as refused:
        tikzgen.loads(json.dumps({"recipe": name, **facts}))
    (problem,) = refused.value.problems
    assert problem.path == field
    assert words in problem.message


@pytest.mark.parametrize("ranks", range(2, 11))
def test_addends_are_legible_on_every_fill_of_a_ring(ranks: int) -> None:
    """Of four ranks, the texts of three addends had a contrast of 4.3:1 in the dark palette."""
    figure = recipes.ring_steps(ranks=ranks, steps=[0, ranks - 1])
    looks = [look for name, look in figure.phases.items() if name.startswith("addends-")]
    assert looks
    assert [look.tint for look in looks if look.contrast(look.text) < 4.5] == []
    assert [look.tint for look in looks] == sorted({look.tint for look in looks})
