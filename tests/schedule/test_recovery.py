"""Training through failures, against a second simulator that counts small units of work and shares no code."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from second_simulator import chances

import tikzgen
from tikzgen import Figure, Lane, Panel, Phase, Span, SpecError, Timeline, loads, recipes
from tikzgen.schedule import ScheduleError
from tikzgen.schedule.recovery_run import Means, measure_slowdown, reroute_pipelines, simulate_recovery


def units(
    means: str, failures: list[int], steps: int, step: int, every: int, save: int, restart: int, more: int, over: int
) -> tuple[int, int]:
    """The end, and the units of work on steps that count: unit by unit, with what there is to do on a list."""
    redundant = means == "redundant"
    now = counted = 0
    saved, done, progress, pause = 0, 0, 0, 0
    while done < steps:
        if any(moment == now for moment in failures):
            progress, pause = 0, over if redundant else restart
            if not redundant:
                counted -= (done - saved) * step
                done = saved
            if pause:
                now += 1
                pause -= 1
                continue
        if pause:
            pause -= 1
        elif not redundant and every and done - saved == every and save:
            progress += 1
            if progress == save:
                saved, progress = done, 0
        else:
            progress += 1
            if progress == step + more * redundant:
                progress = 0
                done += 1
                counted += step
                if every and done - saved == every and not save:
                    saved = done  # at once, before what fails at the same moment
        now += 1
    return now, counted


small = st.integers(0, 3)


@given(
    st.sampled_from(["checkpoint", "redundant"]),
    st.lists(st.integers(0, 40), max_size=4, unique=True),
    st.integers(1, 7),
    st.integers(1, 4),
    *[small] * 5,
)
def test_a_second_simulator_agrees(
    means: Means,
    failures: list[int],
    steps: int,
    step: int,
    every: int,
    save: int,
    restart: int,
    more: int,
    over: int,
) -> None:
    run = simulate_recovery(
        means,
        [(Fraction(moment), 0) for moment in failures],
        workers=2,
        steps=steps,
        step=Fraction(step),
        every=every,
        save=Fraction(save),
        restart=Fraction(restart),
        redundancy=Fraction(more),
        failover=Fraction(over),
    )
    end, counted = units(means, failures, steps, step, every, save, restart, more, over)
    assert run.schedule.makespan == end
    counts = [piece for piece in run.pieces if piece.kind == "step"]
    assert counted == steps * step
    assert [piece.number for piece in counts] == list(range(steps)), "every step counts once, in order"
    assert sum((piece.end - piece.start for piece in run.pieces), Fraction(0)) == end, "no time is left over"


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=5, unique_by=lambda each: each[0]),
    st.integers(1, 6),
    st.integers(1, 4),
    small,
)
def test_who_failed_stays_away_and_steps_take_longer(
    failures: list[tuple[int, int]], steps: int, step: int, over: int
) -> None:
    run = simulate_recovery(
        "rerouted",
        [(Fraction(moment), worker) for moment, worker in failures],
        workers=7,
        steps=steps,
        step=Fraction(step),
        every=1,
        save=Fraction(1),
        restart=Fraction(9),
        redundancy=Fraction(9),
        failover=Fraction(over),
        pace=lambda out: Fraction(1 + len(out)),
    )
    # unit by unit
    now, done, progress, pause = 0, 0, 0, 0
    out: set[int] = set()
    coming = dict(failures)
    while done < steps:
        if now in coming and coming[now] not in out:
            out.add(coming[now])
            progress, pause = 0, over
            if not pause:
                coming.pop(now)
                continue
        now += 1
        if pause:
            pause -= 1
            continue
        progress += 1
        if progress == step * (1 + len(out)):
            done, progress = done + 1, 0
    assert run.schedule.makespan == now
    away = {worker: moment for moment, worker in run.failures}
    for index, operation in enumerate(run.schedule.program.operations):
        for lane in operation.lanes:
            alone = operation.kind == "restart"
            assert alone or run.schedule.start(index) < away.get(lane.device, Fraction(10**6))


def in_turns(stages: int, pipelines: int, each: int, failed: set[int]) -> list[list[str]]:
    """One step with rerouted microbatches, moment by moment: what each worker runs, as text."""
    home: dict[tuple[int, int], int] = {}
    for s in range(stages):
        left = [i * stages + s for i in range(pipelines) if i * stages + s not in failed]
        guests = 0
        for number in range(pipelines * each):
            worker = number // each * stages + s
            if worker in failed:
                worker = left[guests % len(left)]
                guests += 1
            home[s, number] = worker
    lists: list[list[str]] = [[] for _ in range(stages * pipelines)]
    ended: dict[str, int] = {}
    moment = 0
    while len(ended) < 3 * len(home):
        for worker, own in enumerate(lists):
            held = sum("F" in task for task in own) - sum("W" in task for task in own)
            could = []
            for (s, number), where in home.items():
                if where != worker:
                    continue
                forward, back = f"{s}F{number}", f"{s}I{number}"
                before = {
                    forward: [f"{s - 1}F{number}"] if s else [],
                    back: [forward] + ([f"{s + 1}I{number}"] if s < stages - 1 else []),
                    f"{s}W{number}": [back],
                }
                for rank, task in enumerate((back, forward, f"{s}W{number}")):
                    ready = all(ended.get(one, moment) < moment for one in before[task])
                    if task not in ended and ready and (task != forward or held < stages):
                        could.append((rank, number % each, number, task))
            if could:
                task = min(could)[-1]
                own.append(task)
                ended[task] = moment
        moment += 1
    return lists


def test_rerouted_microbatches_against_a_second_simulator() -> None:
    for chance in chances("rerouted", 1000):
        stages, pipelines, each = chance.randint(1, 3), chance.randint(1, 3), chance.randint(1, 4)
        failed = {chance.randrange(stages * pipelines) for _ in range(chance.randint(0, 2))}
        if any(all(i * stages + s in failed for i in range(pipelines)) for s in range(stages)):
            with pytest.raises(ScheduleError, match="no worker is left that has stage"):
                reroute_pipelines(stages, pipelines, each, failed)
            continue
        plan = reroute_pipelines(stages, pipelines, each, failed)
        assert [[str(cell[0]) for cell in cells] for cells in plan.cells] == in_turns(stages, pipelines, each, failed)


def test_rerouting_by_hand() -> None:
    """Two workers of one stage: without one of them, the other does the work of both; all three take turns in pairs."""
    assert measure_slowdown(1, 2, 4, {0}) == 2
    assert measure_slowdown(1, 3, 4, {2}) == Fraction(3, 2)
    # ReCycle's three pipelines of four stages and six microbatches: peers have nine microbatches of three units
    assert measure_slowdown(4, 3, 6, {5}) == Fraction(31, 27)
    (panel,) = tikzgen.metrics(recipes.recovery(means="rerouted", failures=[{"at": 3, "worker": 2}], steps=4)).panels
    # a step ends at 2, one unit is lost, one of failover, then three steps of 3
    assert (panel.values["makespan"], panel.values["lost"]) == (2 + 1 + 1 + 3 * 3, 1)


def test_saving_and_restarting_are_not_computing() -> None:
    (panel,) = tikzgen.metrics(recipes.recovery(means="checkpoint")).panels
    assert (panel.values["makespan"], panel.values["saving"], panel.values["restarting"]) == (Fraction(51, 2), 1, 3)
    assert panel.values["critical_computing"] == Fraction(51, 2) - 1 - 3
    assert panel.values["busy"] == (Fraction(43, 2),) * 3


def test_spans_that_save_or_restart_are_not_computing() -> None:
    spans = [Span(lane="a", start=0, duration=3), Span(lane="a", start=3, duration=2, phase="restart")]
    timeline = Timeline(lanes=[Lane(id="a")], spans=spans)
    phases = {"restart": Phase(color="otgray")}
    (panel,) = tikzgen.metrics(Figure(phases=phases, panels=[Panel(content=[timeline])])).panels
    assert panel.values["busy"] == (3,)


@pytest.mark.parametrize(
    ("workers", "stages", "microbatches", "worker"), [(6, 2, 4, 2), (8, 4, 2, 7), (6, 1, 4, 0), (12, 4, 6, 5)]
)
def test_a_step_takes_the_same_time_in_the_run_and_inside(
    workers: int, stages: int, microbatches: int, worker: int
) -> None:
    facts = {"workers": workers, "stages": stages, "microbatches": microbatches, "step": 6, "means": "rerouted"}
    failures = [{"at": 5, "worker": worker}]
    (run,) = recipes.recovery(**facts, failures=failures).parts(Timeline)
    lasts = {span.duration for span in run[2].spans if span.phase == "step" and span.start > 5}
    inside = tikzgen.metrics(recipes.recovery(**facts, failures=failures, inside=True)).panels
    assert [panel.values["makespan"] for panel in inside] == [6, *lasts]


def test_one_step_from_inside() -> None:
    figure = recipes.recovery(
        means="rerouted", inside=True, workers=6, stages=3, step=18, failures=[{"at": 3, "worker": 1}]
    )
    whole, without = (panel.content[0] for panel in figure.panels)
    assert [lane.id for lane in without.lanes] == [f"gpu{n}" for n in range(6)]
    assert {span.lane for span in without.spans} == {f"gpu{n}" for n in range(6)} - {"gpu1"}
    assert sum(span.duration for span in whole.spans) == sum(span.duration for span in without.spans)
    assert [group.label for group in without.groups] == ["pipeline 1", "pipeline 2"]


def test_by_hand() -> None:
    """Steps 0-6, a save to 6.5, steps to 10.5; half a unit more is lost with them; restart 11-14, 5 steps, a save."""
    checkpoint, redundant = tikzgen.metrics(recipes.recovery(failures=[{"at": 11}])).panels
    assert checkpoint.values["lost"] == Fraction(9, 2)
    assert checkpoint.values["makespan"] == 14 + 5 * 2 + Fraction(1, 2)
    assert checkpoint.values["goodput"] == Fraction(16) / Fraction(49, 2)
    # steps of 2.5: four end at 10, one unit of the fifth is lost, one of failover, then four more
    assert redundant.values["makespan"] == 12 + 4 * Fraction(5, 2)
    assert redundant.values["lost"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("failures: [{at: 3, worker: 3}]", r"failures\[0\].worker: unknown worker 3 \(the workers are 0 to 2\)"),
        ("{workers: 4, stages: 3, means: rerouted}", r"stages: 4 workers are no pipelines of 3 stages"),
        ("inside: true", r"inside: steps have microbatches where these are rerouted"),
        ("{means: rerouted, workers: 2, stages: 2}", r"no worker is left that has stage 1"),
        ("means: [redundant, redundant]", r"means\[1\]: redundant is used twice"),
    ],
)
def test_what_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        loads("{recipe: recovery, " + text[1:] if text.startswith("{") else f"recipe: recovery\n{text}\n")
