"""Durations of stages: one for all stages, one per stage, one per microbatch, and what follows from the others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from conftest import at_once

from tikzgen.schedule.pipeline.pipeline_costs import Costs, ScheduleError, make_costs, node_of

HALF = Fraction(1, 2)
TWO_MICROBATCHES = [[2, 3], [4, 5]]
GIVEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"forward": [[1], [1]], "backward": [[2], [2]], "input_grad": [[1], [1]], "weight_grad": [[1], [1]]}),
    (
        {"forward": 3},
        {"backward": [[6], [6]], "input_grad": [[3], [3]], "weight_grad": [[3], [3]]},
    ),
    (
        {"forward": [1, 3]},
        {"forward": [[1], [3]], "backward": [[2], [6]], "input_grad": [[1], [3]], "weight_grad": [[1], [3]]},
    ),
    ({"backward": 3}, {"forward": [[1], [1]], "input_grad": [[3 * HALF], [3 * HALF]]}),
    ({"backward": 5, "input_grad": 2}, {"input_grad": [[2], [2]], "weight_grad": [[3], [3]]}),
    ({"backward": 5, "weight_grad": 2}, {"input_grad": [[3], [3]], "weight_grad": [[2], [2]]}),
    ({"forward": 2, "input_grad": 1}, {"backward": [[4], [4]], "weight_grad": [[3], [3]]}),
    ({"forward": 2, "weight_grad": 1}, {"backward": [[4], [4]], "input_grad": [[3], [3]]}),
    # one duration for all microbatches, and one per microbatch
    (
        {"input_grad": 1, "weight_grad": TWO_MICROBATCHES},
        {"backward": [[3, 4], [5, 6]], "input_grad": [[1], [1]], "weight_grad": TWO_MICROBATCHES},
    ),
    ({"input_grad": TWO_MICROBATCHES, "weight_grad": 1}, {"backward": [[3, 4], [5, 6]]}),
    ({"input_grad": TWO_MICROBATCHES, "weight_grad": TWO_MICROBATCHES}, {"backward": [[4, 6], [8, 10]]}),
    ({"backward": TWO_MICROBATCHES, "input_grad": 1}, {"weight_grad": [[1, 2], [3, 4]]}),
    ({"backward": 6, "weight_grad": TWO_MICROBATCHES}, {"input_grad": [[4, 3], [2, 1]]}),
    ({"forward": TWO_MICROBATCHES}, {"backward": [[4, 6], [8, 10]], "input_grad": TWO_MICROBATCHES}),
    ({"forward": TWO_MICROBATCHES, "input_grad": 1}, {"weight_grad": [[3, 5], [7, 9]]}),
    ({"forward": [[2, 3], 4]}, {"forward": [[2, 3], [4]], "backward": [[4, 6], [8]]}),
    ({"forward": [[2, 3], 4], "input_grad": [1, [1, 2]]}, {"weight_grad": [[3, 5], [7, 6]]}),
]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"backward": 3, "input_grad": 1, "weight_grad": 1}, "backward must be input_grad + weight_grad on every stage"),
    (
        {"backward": [[3, 4], [5, 7]], "input_grad": 1, "weight_grad": TWO_MICROBATCHES},
        "backward must be input_grad + weight_grad on every stage",
    ),
    ({"input_grad": 3}, "input_grad is longer than the whole backward"),
    ({"backward": [[2, 3], [4, 1]], "weight_grad": 2}, "weight_grad is longer than the whole backward"),
    ({"forward": [1, 2, 3]}, "forward: 3 values for 2 stages"),
]


@at_once
@pytest.mark.parametrize(("given", "expected"), GIVEN)
def test_durations_that_are_left_out_follow_from_the_others(given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = make_costs(2, microbatches=2, **given)
    assert {name: [[*row] for row in getattr(found, name)] for name in expected} == expected


@at_once
@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_durations_that_contradict_each_other_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ScheduleError) as error:
        make_costs(2, microbatches=2, **given)
    assert error.value.message == message


NODES = [(2, [0, 0, 1, 1, 2, 2]), ((1, 3), [0, 1, 1, 1, 2, 2]), ((2, 2, 2), [0, 0, 1, 1, 2, 2])]


@at_once
@pytest.mark.parametrize(("per_node", "nodes"), NODES)
def test_the_node_of_each_device(per_node: int | tuple[int, ...], nodes: list[int]) -> None:
    assert [node_of(device, per_node) for device in range(6)] == nodes


def test_a_message_between_nodes_takes_longer() -> None:
    found = make_costs(2, latency=1, per_node=2, node_latency=5)
    assert [found.find_latency(1, other) for other in range(4)] == [1, 1, 5, 5]
    assert make_costs(2, latency=1, per_node=2).find_latency(1, 2) == 1
    assert make_costs(2, latency=1).node_latency == 1
    assert Costs.find_latency(make_costs(2, latency=1, node_latency=5), 0, 9) == 1
