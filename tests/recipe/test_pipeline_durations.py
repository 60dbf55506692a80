"""Durations of pipelines are for stages, for devices, or for chunks of the finest cut; a figure says for which."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import scaled
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen import loads, recipes
from tikzgen.base.errors import InvalidSchedule, SpecError
from tikzgen.emit.describe_figure import make_about
from tikzgen.recipe.training.pipeline import Pipeline
from tikzgen.schedule import Schedule, measure

COUNTS = {"devices": 4, "microbatches": 4}
LAST = [1, 1, 1, 2]
SHARED = "forward: one value for each device, which its chunks share"


Lengths = dict[tuple[int, int], set[Fraction]]
"""How long operations are, by device and stage."""


def lengths(phase: str, **facts: Any) -> list[Lengths]:
    """For each panel, how long the operations of a phase are."""
    found = []
    for schedule in schedules(**{**COUNTS, **facts}):
        own: Lengths = {}
        for operation in schedule.operations:
            if operation.kind == phase:
                key = operation.lanes[0].device, operation.tasks[0].stage
                own.setdefault(key, set()).add(operation.duration)
        found.append(own)
    return found


def schedules(**facts: Any) -> list[Schedule]:
    """The schedules of a pipeline's panels."""
    origin = recipes.pipeline(**facts).origin
    assert isinstance(origin, Pipeline)
    return [plan.schedule for plan in origin.compute_plans()]


def by_device(found: Lengths) -> list[list[Fraction]]:
    """The lengths of the stages of each device, which must have one length each."""
    devices: dict[int, list[Fraction]] = {}
    for (device, _), (length,) in sorted(found.items()):
        devices.setdefault(device, []).append(length)
    return [devices[device] for device in sorted(devices)]


def test_one_value_for_each_device_is_shared_by_chunks() -> None:
    plain, cut = lengths("forward", schedule=["1f1b", "interleaved-1f1b"], forward=LAST)
    assert by_device(plain) == [[1], [1], [1], [2]]
    half = Fraction(1, 2)
    assert by_device(cut) == [[half, half], [half, half], [half, half], [1, 1]]


def test_one_value_for_each_device_of_one_schedule() -> None:
    """One duration is for a stage then, and so is that of a device, unless durations are for a device."""
    (cut,) = lengths("forward", schedule="interleaved-1f1b", forward=LAST)
    assert by_device(cut) == [[1, 1], [1, 1], [1, 1], [2, 2]]
    (cut,) = lengths("forward", schedule="interleaved-1f1b", forward=LAST, durations="device")
    assert by_device(cut)[0] == [Fraction(1, 2)] * 2


def test_one_value_for_each_chunk_adds_up_to_stages() -> None:
    values = [1, 2, 3, 4, 5, 6, 7, 8]
    plain, cut = lengths("forward", schedule=["1f1b", "interleaved-1f1b"], forward=values)
    assert by_device(plain) == [[3], [7], [11], [15]]
    assert by_device(cut) == [[1, 5], [2, 6], [3, 7], [4, 8]]
    _, vee = lengths("forward", schedule=["1f1b", "zb-v"], forward=values)
    assert by_device(vee) == [[1, 8], [2, 7], [3, 6], [4, 5]]


def test_entries_by_microbatch() -> None:
    """Those of one chunk add to those of another; a slice has its share of a microbatch."""
    values = [[1, 2, 3, 4], *[1] * 7]
    plain, _ = lengths("forward", schedule=["1f1b", "interleaved-1f1b"], forward=values)
    assert plain[0, 0] == {2, 3, 4, 5}
    plain, sliced = lengths("forward", schedule=["1f1b", "terapipe"], forward=[[2, 4, 6, 8], 1, 1, 1])
    assert plain[0, 0] == {2, 4, 6, 8}
    assert sliced[0, 0] == {1, 2, 3, 4}


@settings(max_examples=scaled(1500))
@given(
    schedule=st.sampled_from(["interleaved-1f1b", "zb-v", "looped-bfs", "dualpipev", "1f1b"]),
    durations=st.sampled_from(["stage", "device", None]),
    name=st.sampled_from(["forward", "backward", "input_grad", "recompute"]),
    time=st.fractions(min_value=Fraction(1, 4), max_value=9, max_denominator=6),
)
def test_equal_values_for_devices_are_one_value(
    schedule: str, durations: str | None, name: str, time: Fraction
) -> None:
    facts: dict[str, Any] = {"schedule": ["gpipe", schedule], "devices": 2, "microbatches": 4, "durations": durations}
    one = {**facts, "forward": 20, "backward": 40, name: time}
    assert schedules(**{**one, name: [time] * 2}) == schedules(**one)


@given(st.lists(st.fractions(min_value=Fraction(1, 4), max_value=9, max_denominator=6), min_size=4, max_size=4))
def test_all_schedules_of_a_figure_do_the_same_work(values: list[Fraction]) -> None:
    for schedule in ("interleaved-1f1b", "zb-v"):
        facts: dict[str, Any] = {"schedule": ["1f1b", schedule], "devices": 2, "microbatches": 3}
        for plan in schedules(**facts, forward=values, backward=values):
            assert sum(measure(plan).busy) == 2 * 3 * sum(values)


def test_a_figure_says_what_was_assumed(tmp_path: Path) -> None:
    spec = tmp_path / "a.yaml"
    spec.write_text("recipe: pipeline\nschedule: [1f1b, interleaved-1f1b]\ndevices: 4\nforward: [1, 1, 1, 2]\n")
    done = run("render", str(spec))
    assert f"{spec}: {SHARED}\n" in done.err
    assert f"% note: {SHARED}" in spec.with_suffix(".tex").read_text()
    assert SHARED in make_about(loads(spec.read_text())).description
    assert SHARED in run("render", str(spec)).err, "also from the cache"
    spec.with_suffix(".tex").unlink()
    assert SHARED in run("build", str(spec), "--engine", "none", "-f", "svg").err


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"schedule": "1f1b", "forward": LAST}, []),
        ({"schedule": "interleaved-1f1b", "forward": [1] * 8}, []),
        ({"schedule": "interleaved-1f1b", "forward": 2}, []),
        (
            {"schedule": "zb-v", "forward": LAST, "weight_grad": LAST},
            ["forward, weight_grad: one value for each device and each of its chunks"],
        ),
        (
            {"schedule": ["1f1b", "zb-v"], "forward": [1] * 8, "backward": LAST},
            [
                "forward: one value for each of 8 chunks of the model",
                "backward: one value for each device, which its chunks share",
            ],
        ),
    ],
)
def test_what_is_said(facts: dict[str, Any], said: list[str]) -> None:
    origin = recipes.pipeline(**COUNTS, **facts).origin
    assert origin is not None
    assert origin.list_assumptions() == said


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("schedule: interleaved-1f1b\nforward: [1, 2, 3]", "forward: 3 values for 4 devices or 8 stages (give one"),
        ("schedule: [1f1b, zb-v]\nbackward: [1, 2]", "backward: 2 values for 4 devices or 8 stages (give one value"),
        ("forward: [1, 2]", "forward: 2 values for 4 stages (give one value, or one for each stage)"),
        ("schedule: zb-v\nforward: [1, 1, [1, 2], 1]", "forward[2]: 2 values for 8 microbatches"),
    ],
)
def test_other_lengths_are_refused(spec: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        loads(f"recipe: pipeline\n{spec}\n")
    assert message in str(error.value)


def test_operations_take_values_for_devices() -> None:
    """A list that lacks a stage is refused for that, not for its durations."""
    spec = "recipe: pipeline\nforward: [1, 3]\noperations: [[0F0, 3F0, 3B0, 0B0], [1F0, 2F0, 2B0, 1B0]]\n"
    origin = loads(spec).origin
    assert isinstance(origin, Pipeline)
    assert measure(origin.compute_plans()[0].schedule).busy == (6, 18)
    assert origin.list_assumptions() == ["forward: one value for each device and each of its chunks"]
    with pytest.raises(InvalidSchedule, match="no device runs stage 1"):
        loads(spec.replace("1F0, 2F0, 2B0, 1B0", "2F0, 2B0")).tex()
