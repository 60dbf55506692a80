"""What holds for every schedule and any durations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen.schedule import (
    FAMILIES,
    PipelinePlan,
    Schedule,
    Task,
    TaskKind,
    actions,
    build_program,
    check,
    in_flight,
    make_costs,
    measure,
    parse,
    plan,
    read_csv,
    simulate,
    to_plan,
    write_csv,
)
from tikzgen.schedule.pipeline.families import Costs

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Case:
    plan: PipelinePlan
    times: dict[str, object]

    def costs(self, scale: Fraction = Fraction(1), latency: Fraction | None = None) -> Costs:
        def scaled(value: object) -> object:
            return [each * scale for each in value] if isinstance(value, list) else value and value * scale

        times = {key: scaled(value) for key, value in self.times.items()}
        if latency is not None:
            times["latency"] = latency
        return make_costs(self.plan.stages, **times)  # type: ignore[arg-type]


durations = st.fractions(min_value=Fraction(1, 8), max_value=9, max_denominator=8)


@st.composite
def plans(draw: st.DrawFn) -> PipelinePlan:
    schedule = draw(st.sampled_from(sorted(FAMILIES)))
    p = draw(st.integers(1, 6))
    m = draw(st.integers(1, 14))
    chunks = None
    if schedule in ("dualpipe", "chimera"):
        p += p % 2
    if schedule == "hanayo":
        m, chunks = min(m, p), 2 * draw(st.integers(1, 2))
    if schedule in ("looped-bfs", "interleaved-1f1b", "interleaved-zb", "overlapped-1f1b", "seq1f1b-interleaved"):
        chunks = draw(st.integers(1, 3))
    if schedule == "pipedream-2bw":
        m += p - 1
    if schedule == "zb-h2":
        m += 2 * p - 2
    if schedule.startswith("dualpipe"):
        m = 2 * p + m - m % 2
    return plan(schedule, p, m, chunks)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    what = draw(plans())
    each = st.lists(durations, min_size=what.stages, max_size=what.stages)
    times: dict[str, object] = {name: draw(durations | each) for name in ("forward", "input_grad", "weight_grad")}
    times["latency"] = draw(st.just(Fraction(0)) | durations)
    times["overlapped"] = draw(st.none() | durations)
    return Case(what, times)


def spans(schedule: Schedule) -> dict[Task, tuple[Fraction, Fraction, int]]:
    return {
        task: (schedule.start(i), schedule.end(i), operation.lanes[0].device)
        for i, operation in enumerate(schedule.program.operations)
        for task in operation.tasks
    }


@given(plans())
def test_every_microbatch_passes_every_stage_once_each_way(what: PipelinePlan) -> None:
    kinds: dict[tuple[int, int], Counter[TaskKind]] = {}
    for task in (task for cells in what.cells for cell in cells for task in cell):
        kinds.setdefault((task.stage, task.microbatch), Counter())[task.kind] += 1
    assert kinds.keys() == {(s, k) for s in range(what.stages) for k in range(what.microbatches)}
    whole, halves = Counter("FB"), Counter("FIW")
    assert all(counter in (whole, halves) for counter in kinds.values())


@given(cases())
def test_dependencies_hold(case: Case) -> None:
    schedule = simulate(build_program(case.plan, case.costs()))
    times = spans(schedule)
    latency = case.times["latency"]
    assert isinstance(latency, Fraction)

    def after(task: Task, source: Task) -> None:
        start, _, device = times[task]
        _, end, other = times[source]
        assert start >= end + (latency if device != other else 0), f"{task} begins before {source} has arrived"

    def gradient(stage: int, k: int) -> Task:
        full = Task(TaskKind.BACKWARD, stage, k)
        return full if full in times else Task(TaskKind.INPUT_GRAD, stage, k)

    for task in times:
        s, k = task.stage, task.microbatch
        if task.kind is TaskKind.FORWARD and s:
            after(task, Task(TaskKind.FORWARD, s - 1, k))
        elif task.kind is TaskKind.WEIGHT_GRAD:
            after(task, Task(TaskKind.INPUT_GRAD, s, k))
        elif task.kind is not TaskKind.FORWARD:
            after(task, Task(TaskKind.FORWARD, s, k))
            if s + 1 < case.plan.stages:
                after(task, gradient(s + 1, k))


@given(cases())
def test_a_device_does_one_thing_at_a_time_and_starts_no_later_than_it_must(case: Case) -> None:
    schedule = simulate(build_program(case.plan, case.costs()))
    operations = schedule.program.operations
    for device in range(case.plan.devices):
        mine = [i for i, each in enumerate(operations) if each.lanes[0].device == device]
        for before, then in pairwise([None, *mine]):
            assert then is not None
            free = Fraction(0) if before is None else schedule.end(before)
            arrived = [schedule.end(need.operation) + need.latency for need in operations[then].needs]
            assert schedule.start(then) == max([free, *arrived])
    metrics = measure(schedule)
    assert metrics.makespan >= max(metrics.busy)
    assert all(0 <= span <= idle for span, idle in zip(metrics.span_idle, metrics.idle, strict=True))
    assert 0 <= metrics.bubble_over_total < 1
    busy = sum(metrics.busy)
    assert metrics.bubble_over_ideal == (metrics.makespan * len(metrics.busy) - busy) / busy


@given(plans())
def test_activations_come_and_go(what: PipelinePlan) -> None:
    operations = build_program(what, make_costs(what.stages)).operations
    for device in range(what.devices):
        mine = [each for each in operations if each.lanes[0].device == device]
        assert min(in_flight(mine)) > 0
        kinds = Counter(task.kind for each in mine for task in each.tasks)
        assert kinds[TaskKind.FORWARD] == kinds[TaskKind.BACKWARD] + kinds[TaskKind.WEIGHT_GRAD]


@given(cases(), durations)
def test_time_scales(case: Case, factor: Fraction) -> None:
    once, scaled = (simulate(build_program(case.plan, case.costs(by))) for by in (Fraction(1), factor))
    assert scaled.makespan == factor * once.makespan
    assert [scaled.start(i) for i in range(9) if i < len(scaled.starts)] == [
        factor * once.start(i) for i in range(9) if i < len(once.starts)
    ]


@given(cases(), st.lists(durations, min_size=2, max_size=4))
def test_time_never_falls_when_latency_grows(case: Case, latencies: list[Fraction]) -> None:
    spent = [simulate(build_program(case.plan, case.costs(latency=c))).makespan for c in sorted(latencies)]
    assert spent == sorted(spent)


@given(plans())
def test_a_named_plan_keeps_its_own_rules(what: PipelinePlan) -> None:
    assert check(what) == ()


@given(plans())
def test_lists_survive_a_file(what: PipelinePlan) -> None:
    rows = actions(what)
    text = write_csv(rows)
    assert read_csv(text) == rows
    assert write_csv(read_csv(text)) == text
    assert to_plan(rows, what.schedule) == what
    assert parse([text for action in row for text in (str(action), "")] for row in rows) == rows


def _swap(what: PipelinePlan, device: int, at: int) -> PipelinePlan:
    cells = list(what.cells[device])
    cells[at], cells[at + 1] = cells[at + 1], cells[at]
    lists = [*what.cells]
    lists[device] = tuple(cells)
    return PipelinePlan(what.schedule, what.stages, what.microbatches, tuple(lists))


def _drop(what: PipelinePlan, device: int, at: int) -> PipelinePlan:
    lists = [*what.cells]
    lists[device] = what.cells[device][:at] + what.cells[device][at + 1 :]
    return PipelinePlan(what.schedule, what.stages, what.microbatches, tuple(lists))


def _double(what: PipelinePlan, device: int, at: int) -> PipelinePlan:
    lists = [*what.cells]
    lists[device] = what.cells[device][: at + 1] + what.cells[device][at:]
    return PipelinePlan(what.schedule, what.stages, what.microbatches, tuple(lists))


@settings(max_examples=200)
@given(plans(), st.sampled_from([_swap, _drop, _double]), st.data())
def test_no_damage_goes_unnoticed(
    what: PipelinePlan, damage: Callable[[PipelinePlan, int, int], PipelinePlan], data: st.DataObject
) -> None:
    device = data.draw(st.integers(0, what.devices - 1))
    at = data.draw(st.integers(0, len(what.cells[device]) - 2))
    findings = check(damage(what, device, at))
    assert findings
    assert all(str(finding) and "\n" not in str(finding) for finding in findings)
