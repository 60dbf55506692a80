"""Pipeline schedules come to what their papers and code say: the worked numbers, and the rules behind them."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from conftest import ROOT, at_once

from tikzgen.schedule import PipelinePlan, ScheduleError, check, measure, pipeline, plan
from tikzgen.schedule.exact_numbers import spell_exact_number

CASES = json.loads((ROOT / "tests" / "cases/schedule/pipeline.json").read_text(encoding="utf-8"))


@at_once
@pytest.mark.parametrize("case", CASES)
def test_worked_numbers(case: dict[str, Any]) -> None:
    metrics = measure(pipeline(*case["spec"], **case.get("with", {})))
    found = {**metrics.as_json(), "idle": [spell_exact_number(each) for each in metrics.idle]}
    assert {key: found[key] for key in case["expect"]} == case["expect"]


def test_the_table_beside_other_tools_has_our_numbers() -> None:
    page = (ROOT / "docs/reference/schedules.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]*?, (?:p=|4 ranks)[^|]*) \| (\d+)[^|]*\|[^|]*\|[^|]*\|[^|]*\|$", page, re.MULTILINE)
    names = {"1F1B": "1f1b", "interleaved": "interleaved-1f1b", "ZB-V": "zb-v", "DualPipeV": "dualpipev"}
    assert len(rows) == 6
    for case, length in rows:
        name, *facts = case.split(", ")
        found = dict(fact.split("=") for fact in facts if "=" in fact)
        given = {} if name != "DualPipeV" else {"weight_grad": 1, "input_grad": 1, "overlapped": 3}
        chunks = int(found["v"]) if "v" in found else None
        assert pipeline(names[name], int(found.get("p", 4)), int(found["m"]), chunks=chunks, **given).makespan == int(
            length
        ), case


def order(what: PipelinePlan, device: int) -> str:
    return " ".join(f"{task.kind}{task.microbatch}" for cell in what.cells[device] for task in cell)


@pytest.mark.parametrize(
    ("schedule", "devices", "microbatches", "device", "expected"),
    [
        ("1f1b", 4, 8, 2, "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7"),
        ("1f1b", 4, 8, 3, "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7"),
        ("1f1b", 4, 2, 0, "F0 F1 B0 B1"),
        ("gpipe", 2, 3, 1, "F0 F1 F2 B0 B1 B2"),
        ("eager-1f1b", 3, 6, 1, "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5"),
        ("zb-h1", 3, 4, 0, "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3"),
        ("zb-h1", 3, 4, 2, "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3"),
        ("interleaved-1f1b", 2, 4, 1, "F0 F1 F0 B0 F1 B1 F2 B0 F3 B1 F2 B2 F3 B3 B2 B3"),
    ],
)
def test_orders(schedule: str, devices: int, microbatches: int, device: int, expected: str) -> None:
    assert order(plan(schedule, devices, microbatches), device) == expected


SIZES = [(p, m) for p in range(1, 9) for m in (1, 2, 3, p - 1, p, p + 1, 2 * p - 1, 2 * p, 3 * p + 1) if m > 0]
DURATIONS = [(1, 1, 1), (2, 3, 1), (1, 2, 1), (3, 2, 2), (Fraction(1, 2), Fraction(2, 3), Fraction(2, 5))]


@at_once
@pytest.mark.parametrize("schedule", ["gpipe", "1f1b", "eager-1f1b"])
@pytest.mark.parametrize(("p", "m"), SIZES)
def test_equal_stages_take_m_plus_p_minus_1_steps(schedule: str, p: int, m: int) -> None:
    metrics = measure(pipeline(schedule, p, m, forward=2, backward=3))
    assert metrics.makespan == (m + p - 1) * 5
    assert metrics.bubble_over_ideal == Fraction(p - 1, m)
    peaks = {"gpipe": lambda r: m, "1f1b": lambda r: min(m, p - r), "eager-1f1b": lambda r: min(m, 2 * (p - r) - 1)}
    assert metrics.peak_in_flight == tuple(peaks[schedule](r) for r in range(p))


@at_once
@pytest.mark.parametrize("latency", [Fraction(1, 2), 1, 5])
@pytest.mark.parametrize(("p", "m"), SIZES)
def test_gpipe_pays_latency_on_one_way_down_and_one_way_up(p: int, m: int, latency: Fraction) -> None:
    assert pipeline("gpipe", p, m, latency=latency).makespan == (m + p - 1) * 3 + 2 * (p - 1) * latency


@at_once
@pytest.mark.parametrize("p", range(1, 9))
@pytest.mark.parametrize("v", [1, 2, 3, 4])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_interleaving(p: int, v: int, groups: int) -> None:
    m = groups * p
    metrics = measure(pipeline("interleaved-1f1b", p, m, chunks=v))
    assert metrics.makespan == (m * v + p - 1) * 3
    assert metrics.bubble_over_ideal == Fraction(p - 1, v * m)
    warmups = [min(m * v, 2 * (p - r - 1) + (v - 1) * p) for r in range(p)]
    assert metrics.peak_in_flight == tuple(min(m * v, warmup + 1) for warmup in warmups)
    if groups > 1:
        whole = measure(pipeline("1f1b", p, m)).peak_in_flight[0]
        assert Fraction(metrics.peak_in_flight[0], v * whole) == 1 + Fraction(p - 1, p * v)


@pytest.mark.slow
@at_once
@pytest.mark.parametrize("v", [2, 3])
@pytest.mark.parametrize(
    ("p", "m", "group"), [(p, m, g) for p in range(1, 6) for m in range(p, 14) for g in range(p, m + 1)]
)
def test_interleaving_in_groups(p: int, v: int, m: int, group: int) -> None:
    if m % group and m % group < p:
        with pytest.raises(ScheduleError, match=f"with group {group}, {m} microbatches leave a group of {m % group} "):
            plan("interleaved-1f1b", p, m, v, group=group)
        return
    run = pipeline("interleaved-1f1b", p, m, chunks=v, group=group)
    metrics = measure(run)
    assert metrics.makespan == (m * v + p - 1) * 3
    assert metrics.peak_in_flight == tuple(min(m * v, 2 * (p - r - 1) + (v - 1) * group + 1) for r in range(p))
    assert check(plan("interleaved-1f1b", p, m, v, group=group)) == ()


@at_once
@pytest.mark.parametrize(("f", "d", "w"), DURATIONS)
@pytest.mark.parametrize(("p", "m"), [size for size in SIZES if size[1] >= size[0]])
def test_zb_h1(p: int, m: int, f: Fraction, d: Fraction, w: Fraction) -> None:
    metrics = measure(pipeline("zb-h1", p, m, forward=f, input_grad=d, weight_grad=w))
    assert metrics.makespan == m * (f + d + w) + (p - 1) * (f + d - w)
    assert metrics.peak_in_flight == (p,) * p


@at_once
@pytest.mark.parametrize(("f", "d", "w"), [each for each in DURATIONS if each[0] + each[1] >= 2 * each[2]])
@pytest.mark.parametrize(("p", "m"), [size for size in SIZES if size[1] >= 2 * size[0] - 1])
def test_zb_h2(p: int, m: int, f: Fraction, d: Fraction, w: Fraction) -> None:
    metrics = measure(pipeline("zb-h2", p, m, forward=f, input_grad=d, weight_grad=w))
    assert metrics.worst_span_idle == (p - 1) * (f + d - 2 * w)
    assert metrics.peak_in_flight == (2 * p - 1,) * p


@at_once
@pytest.mark.parametrize(("p", "m"), [size for size in SIZES if size[1] >= 2 * size[0] - 1])
def test_zb_v_has_no_idle_time_in_a_span(p: int, m: int) -> None:
    metrics = measure(pipeline("zb-v", p, m, input_grad=1, weight_grad=1))
    assert metrics.span_idle == (0,) * p
    assert metrics.makespan == 6 * m + p - 1
    assert max(metrics.peak_in_flight) == min(2 * p, 2 * m)


@at_once
@pytest.mark.parametrize(
    ("f", "d", "w", "both"), [(1, 1, 1, 3), (1, 1, 1, 2), (1, 1, 1, "5/2"), (2, 2, 2, 6), (2, 2, 2, 5)]
)
@pytest.mark.parametrize(
    ("schedule", "devices", "stages", "microbatches"),
    [
        ("dualpipe", 2, 2, 4),
        ("dualpipe", 4, 4, 10),
        ("dualpipe", 6, 6, 12),
        ("dualpipe", 8, 8, 24),
        ("dualpipev", 1, 2, 3),
        ("dualpipev", 2, 4, 4),
        ("dualpipev", 3, 6, 7),
        ("dualpipev", 4, 8, 13),
    ],
)
def test_dualpipe_idle(
    schedule: str, devices: int, stages: int, microbatches: int, f: int, d: int, w: int, both: int | str
) -> None:
    run = pipeline(schedule, devices, microbatches, forward=f, input_grad=d, weight_grad=w, overlapped=both)
    metrics = measure(run)
    assert max(metrics.idle) == (Fraction(stages, 2) - 1) * (Fraction(both) + d + w - 3 * w)
    assert metrics.peak_in_flight == (stages + 1,) * devices


@at_once
@pytest.mark.parametrize("devices", [2, 4, 6, 8, 10])
@pytest.mark.parametrize("units", [1, 2, 5])
def test_chimera_bubbles(devices: int, units: int) -> None:
    """Forwards of the next p microbatches fill the end of the first ones, whole where F = B."""
    m = units * devices
    assert measure(pipeline("chimera", devices, m, backward=1)).bubble_over_total == Fraction(
        devices - 2, 2 * m + devices - 2
    )


@pytest.mark.parametrize("devices", [2, 4, 6, 8, 10])
def test_chimera_bubbles_of_one_unit(devices: int) -> None:
    equal = measure(pipeline("chimera", devices, devices, backward=1))
    twice = measure(pipeline("chimera", devices, devices, backward=2))
    assert equal.bubble_over_total == Fraction(devices - 2, 3 * devices - 2)
    assert twice.bubble_over_total == (devices - 2) / (Fraction(3, 2) * devices + devices - 2)


@at_once
@pytest.mark.parametrize("p", range(2, 9))
@pytest.mark.parametrize("v", [1, 2, 3])
def test_interleaved_zero_bubble(p: int, v: int) -> None:
    """Interleaving leaves ZB-H1's idle time as it is, of chunks that are v times shorter (derived)."""
    unit = {"input_grad": 1, "weight_grad": 1}
    metrics = measure(pipeline("interleaved-zb", p, 2 * p, chunks=v, **unit))
    assert metrics.worst_span_idle == p - 1
    assert metrics.makespan == 6 * p * v + p - 1
    if v == 1:
        assert metrics == measure(pipeline("zb-h1", p, 2 * p, **unit))


@pytest.mark.parametrize(("p", "m", "v"), [(4, 8, 2), (4, 4, 2), (8, 8, 4), (3, 7, 2)])
def test_breadth_first_is_as_long_as_interleaving_and_holds_all(p: int, m: int, v: int) -> None:
    metrics = measure(pipeline("looped-bfs", p, m, chunks=v))
    assert metrics.bubble_over_ideal == Fraction(p - 1, m * v)
    assert metrics.peak_in_flight == (m * v,) * p


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_one_wave_is_chimera_folded(p: int) -> None:
    """Chimera of 2p devices and microbatches, folded, as DualPipe of 2p devices is DualPipeV of p."""
    assert pipeline("hanayo", p, p).makespan == pipeline("chimera", 2 * p, 2 * p).makespan


V_LENGTHS = {
    "v-half": {(2, 4): 25, (3, 6): 41, (4, 8): 53, (4, 16): 101, (5, 10): 71, (6, 12): 83, (8, 8): 65, (8, 16): 113},
    "v-min": {(2, 4): 27, (3, 6): 41, (4, 8): 59, (4, 16): 107, (5, 10): 75, (6, 12): 89, (8, 8): 75, (8, 16): 123},
}


@pytest.mark.parametrize("name", V_LENGTHS)
def test_building_blocks_are_as_long_as_their_authors(name: str) -> None:
    """What the authors' zbv_greedy gives with F = D = W = 1 and no latency; the steady state adds 6 a microbatch."""
    for (p, m), length in V_LENGTHS[name].items():
        assert pipeline(name, p, m).makespan == length
    assert pipeline(name, 4, 116).makespan == V_LENGTHS[name][4, 16] + 600


@pytest.mark.parametrize(("p", "half", "third"), [(2, 4, 4), (3, 4, 4), (4, 6, 4), (6, 8, 6), (8, 10, 8), (9, 10, 8)])
def test_building_blocks_hold_about_a_half_and_a_third(p: int, half: int, third: int) -> None:
    """In chunks of half a stage: of 2p, which 1F1B's first device holds."""
    assert max(measure(pipeline("v-half", p, 3 * p)).peak_in_flight) == half == p + 2 - p % 2
    assert max(measure(pipeline("v-min", p, 3 * p)).peak_in_flight) == third
