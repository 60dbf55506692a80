"""Recipes with simulated times: what they draw is what the simulator says, exactly."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from conftest import scaled, some
from folded import unfold
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tikzgen import Figure, Timeline, loads, metrics, recipes
from tikzgen.base.cache import Cache
from tikzgen.base.errors import InvalidSchedule, SpecError
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.recipe.recipe_names import NEEDS, function_name, recipe
from tikzgen.recipe.schedule_marks import format_percent, step
from tikzgen.recipe.training.ddp import Ddp
from tikzgen.recipe.training.pipeline import Pipeline
from tikzgen.recipe.training.stale_synchronous import StaleSynchronous
from tikzgen.schedule import FAMILIES, Schedule, critical_path, measure, pipeline


def timelines(figure: Figure) -> list[Timeline]:
    return [content for panel in figure.panels for content in panel.content if isinstance(content, Timeline)]


def drawn(timeline: Timeline) -> list[tuple[str, Fraction, Fraction, int | None]]:
    return sorted((lane, span.start, span.end, span.number) for span in timeline.spans for lane in span.lanes)


def planned(schedule: Schedule) -> list[tuple[str, Fraction, Fraction, int | None]]:
    return sorted(
        (f"gpu{operation.lanes[0].device}", schedule.start(index), schedule.end(index), operation.number)
        for index, operation in enumerate(schedule.program.operations)
        if operation.duration
    )


durations = st.fractions(min_value=Fraction(1, 4), max_value=9, max_denominator=6)


@st.composite
def facts(draw: st.DrawFn, name: str) -> dict[str, Any]:
    devices = 2 * draw(st.integers(1, 3))
    most = {"hanayo": 1}.get(name, 2)
    microbatches = devices * most + 2 * draw(st.integers(0, 3)) * (name != "hanayo")
    found = {"schedule": name, "devices": devices, "microbatches": microbatches, "forward": draw(durations)}
    if draw(st.booleans()):
        found |= {"input_grad": draw(durations), "weight_grad": draw(durations)}
    if draw(st.booleans()):
        found["latency"] = draw(durations)
    return found


@pytest.mark.parametrize("name", some(FAMILIES))
@settings(deadline=None, max_examples=scaled(150), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_family_is_drawn_as_it_is_simulated(name: str, data: st.DataObject) -> None:
    given_facts = data.draw(facts(name))
    (timeline,) = timelines(recipes.pipeline(**given_facts, critical=True, arrows="messages", memory="all"))
    schedule = pipeline(**given_facts)
    assert drawn(timeline) == planned(schedule)
    metrics = measure(schedule)
    assert [max(level.value for level in strip.levels) for strip in timeline.strips] == list(metrics.peak_in_flight)
    assert len(timeline.critical) == len(critical_path(schedule))
    idle = sum((bubble.end - bubble.start for bubble in timeline.bubbles), Fraction(0))
    assert idle == sum(metrics.idle)
    assert format_percent(metrics.bubble_over_total) in timeline.summary


@pytest.mark.parametrize("name", ["1f1b", "zb-v", "dualpipe"])
def test_spans_and_bubbles_fill_every_lane(name: str) -> None:
    (timeline,) = timelines(recipes.pipeline(schedule=name))
    for lane in timeline.lanes:
        own = [(span.start, span.end) for span in timeline.spans if span.lane == lane.id]
        own += [(bubble.start, bubble.end) for bubble in timeline.bubbles if bubble.lane == lane.id]
        own.sort()
        assert own[0][0] == 0
        assert own[-1][1] == timeline.end
        assert all(before[1] == after[0] for before, after in pairwise(own))


def test_names_of_marks_are_the_names_of_spans() -> None:
    (timeline,) = timelines(recipes.pipeline(schedule="dualpipe", critical=True))
    names = dict(zip(timeline.names(), timeline.spans, strict=True))
    path = [names[name] for name in timeline.critical]
    assert path[0].start == 0
    assert path[-1].end == timeline.end
    assert all(before.end == after.start for before, after in pairwise(path))


def test_schedules_share_one_axis_and_tell_what_they_save() -> None:
    figure = recipes.pipeline(schedule=["1f1b", "gpipe", "zb-h1"], input_grad=1, weight_grad=1, unit="ms")
    first, same, faster = timelines(figure)
    assert first.axis is None
    assert same.axis is None
    assert faster.axis is not None
    assert faster.axis.until == 33
    assert first.dimensions == same.dimensions == []
    (saved,) = faster.dimensions
    assert (saved.start, saved.end) == (Fraction(27), Fraction(33))
    assert saved.label == "6 ms saved (1.22×)"
    assert [panel.caption for panel in figure.panels] == ["1F1B", "GPipe", "ZB-H1"]
    assert [timeline.summary for timeline in timelines(figure)] == [
        "bubble 3/11 of total (27.3 %), at most 4 in flight",
        "bubble 3/11 of total (27.3 %), at most 8 in flight",
        "bubble 1/9 of total (11.1 %), at most 4 in flight",
    ]


def test_durations_of_a_device_are_shared_by_its_chunks() -> None:
    recipe = Pipeline.model_validate(
        {"schedule": ["gpipe", "interleaved-1f1b", "zb-v"], "durations": "device", "forward": 2, "backward": 4}
    )
    assert len({measure(plan.schedule).busy for plan in recipe.compute_plans()}) == 1
    assert recipe.compute_plans()[1].schedule.makespan == 57


def test_weight_versions_stand_beside_pipelines_that_are_never_flushed() -> None:
    figure = recipes.pipeline(schedule=["1f1b", "pipedream", "pipedream-2bw"], devices=4, microbatches=6)
    told = [panel.content[0].summary for panel in figure.panels]
    assert [text.partition(", ")[2] for text in told] == ["", "weight versions 4 to 1", "weight versions 2"]


def test_chunks_and_directions_have_their_shades() -> None:
    (vee,) = timelines(recipes.pipeline(schedule="zb-v"))
    assert {span.chunk for span in vee.spans if span.lane == "gpu0"} == {0, 1}
    (both,) = timelines(recipes.pipeline(schedule="dualpipe"))
    down = {span.number for span in both.spans if span.chunk == 0 and span.second is None}
    assert down == {0, 1, 2, 3}
    fused = [span for span in both.spans if span.second is not None]
    assert {(span.phase, span.second.phase) for span in fused if span.second} == {("forward", "backward")}


@given(st.fractions(min_value=Fraction(1, 100), max_value=10**6))
def test_ticks_are_few_and_round(until: Fraction) -> None:
    size = step(until)
    assert 3 <= until / size <= 9 or (until / size < 10 and size >= until / 9)
    digits = str(size.numerator * size.denominator).rstrip("0")
    assert digits in ("1", "2", "5", "25", "125"[:1])


# PyTorch 2.13.0's 1F1B list for the last of two ranks begins one microbatch late and ends with one that is not there.
LATE = [["0F0", "0F1", "0B0", "0B1"], ["1F1", "1B0", "1F2", "1B1"]]


def test_operations_that_break_rules_are_refused_or_marked() -> None:
    with pytest.raises(InvalidSchedule) as refused:
        recipes.pipeline(operations=LATE)
    assert all("operations[1]" in line for line in str(refused.value).splitlines())
    assert refused.value.exit_status == 1
    (timeline,) = timelines(recipes.pipeline(operations=LATE, allow_invalid=True))
    faults = {span.number: span.fault for span in timeline.spans if span.fault}
    assert "1F2 does not exist" in faults[2]


def test_operations_keep_the_rules_of_their_schedule() -> None:
    right = [["0F0", "0F1", "0B0", "0B1"], ["1F0", "1B0", "1F1", "1B1"]]
    (timeline,) = timelines(recipes.pipeline(operations=right, schedule="1f1b"))
    assert timeline.end == pipeline("1f1b", 2, 2).makespan
    with pytest.raises(InvalidSchedule, match="schedule rule"):
        recipes.pipeline(operations=right, schedule="gpipe")


def test_parameters_are_gathered_on_a_stream_of_their_own() -> None:
    rows = [["0UNSHARD", "0F0", "0B0", "0REDUCE_GRAD"]]
    (timeline,) = timelines(recipes.pipeline(operations=rows, unshard=2, reduce_grad=1))
    assert [lane.id for lane in timeline.lanes] == ["gpu0", "gpu0-comm"]
    assert timeline.names() == ["gpu0-forward1", "gpu0-backward1", "gpu0-comm-all-gather1", "gpu0-comm-reduce-scatter1"]
    assert [group.label for group in timeline.groups] == ["GPU 0"]


def test_a_copy_with_other_facts_has_other_times() -> None:
    recipe = Ddp.model_validate({"all_reduce": 3})
    assert recipe.compute_plans()[0].schedule.makespan == 18
    other = recipe.model_copy(update={"all_reduce": Fraction(1)})
    assert other.compute_plans()[0].schedule.makespan == 13
    assert timelines(other.make_figure_with_origin())[0].end == 13
    assert timelines(recipe.make_figure_with_origin())[0].end == 18


def test_staleness_stands_in_the_updates() -> None:
    recipe = StaleSynchronous.model_validate({"workers": 4, "compute": 2, "bound": None, "steps": 2})
    (plan,) = recipe.compute_plans()
    (timeline,) = timelines(recipe.make_figure_with_origin())
    told = [span.number for span in timeline.spans if span.lane == "server"]
    assert told == [update.staleness for update in plan.run.updates] == [0, 1, 2, 3, 3, 3, 3, 3]
    assert {span.number for span in timeline.spans if span.phase in ("fetch", "push")} == {None}


def test_joint_updates_lie_across_all_lanes() -> None:
    together, alone = (
        timelines(recipes.stale_synchronous(bound=0, joint=joint, steps=1))[0] for joint in (True, False)
    )
    (update,) = [span for span in together.spans if span.phase == "update"]
    assert update.lanes == ("w0", "w1", "w2", "server")
    assert sum(span.phase == "update" for span in alone.spans) == 6


def test_waiting_is_told_up_to_the_moment_of_the_cut() -> None:
    for timeline in timelines(recipes.stale_synchronous(until=12)):
        assert all(bubble.end <= 12 for bubble in timeline.bubbles)


@pytest.mark.parametrize(
    ("name", "facts", "makespans"),
    [
        ("ddp", {"overlap": [False, True]}, [24, 18]),
        ("fsdp", {"prefetch": [0, 1]}, [12, 9]),
        ("local-sgd", {"local_steps": [1, 4]}, [16, 10]),
        ("ring-all-reduce", {"size": 4}, [6]),
        ("stale-synchronous", {"compute": [2, 3, 6], "fetch": 0, "push": 0, "steps": 4, "bound": [0]}, [26]),
    ],
)
def test_other_recipes_take_as_long_as_they_should(name: str, facts: dict[str, Any], makespans: list[int]) -> None:
    figure = recipes.recipe(name)(**facts).make_figure_with_origin()
    assert [max(span.end for span in timeline.spans) for timeline in timelines(figure)] == makespans


def test_devices_of_a_node_have_a_bracket() -> None:
    (timeline,) = timelines(recipes.pipeline(per_node=2, first=1))
    assert [(group.label, group.lanes) for group in timeline.groups] == [
        ("node 1", ["gpu1", "gpu2"]),
        ("node 2", ["gpu3", "gpu4"]),
    ]
    assert timeline.spans[0].number == 1


def test_braces_name_the_periods_of_a_device() -> None:
    (timeline,) = timelines(recipes.pipeline(braces=0))
    assert [brace.label for brace in timeline.braces] == ["warm-up", "steady", "cool-down"]
    assert [int(brace.start) for brace in timeline.braces] == [0, 10, 22]
    assert [int(brace.end) for brace in timeline.braces] == [10, 22, 33]


@pytest.mark.parametrize("microbatches", [1, 2, 3, 4, 8])
@pytest.mark.parametrize(("device", "around"), [(0, {}), (1, {"embedding": 1}), (2, {"recompute": 1}), (3, {})])
def test_braces_over_the_warm_up_of_megatron(device: int, around: dict[str, Any], microbatches: int) -> None:
    """Device r of 1F1B warms up with min(m, p-1-r) forwards, and cools down with as many backwards."""
    facts = {"microbatches": microbatches, "braces": device, "warm_up": "megatron"}
    (timeline,) = timelines(recipes.pipeline(**facts, **around))
    found = {brace.label: brace for brace in timeline.braces}
    warmup = min(microbatches, 3 - device)
    counts = {"warm-up": ("forward", warmup), "cool-down": ("backward", warmup)}
    assert found.keys() == {*(counts if warmup else ()), *(["steady"] if warmup < microbatches else ())}
    for label, brace in found.items():
        inside = [
            span.phase
            for span in timeline.spans
            if span.lane == f"gpu{device}" and span.start >= brace.start and span.end <= brace.end
        ]
        phase, count = counts.get(label, ("forward", microbatches - warmup))
        assert inside.count(phase) == count
        assert label != "steady" or inside.count("backward") == count
    own = [span for span in timeline.spans if span.lane == f"gpu{device}"]
    assert timeline.braces[0].start == min(span.start for span in own)
    assert timeline.braces[-1].end == max(span.end for span in own)


@pytest.mark.parametrize(("device", "forwards"), [(0, 10), (1, 8), (2, 6), (3, 4)])
def test_the_warm_up_of_megatron_with_chunks(device: int, forwards: int) -> None:
    """2(p-1-r) + (v-1)N forwards; PyTorch counts the forward before the first backward, too."""
    spans = {}
    for definition in ("megatron", "torch"):
        facts = {"schedule": "interleaved-1f1b", "braces": device, "warm_up": definition}
        (timeline,) = timelines(recipes.pipeline(**facts))
        begin, end = timeline.braces[0].start, timeline.braces[0].end
        own = [span for span in timeline.spans if span.lane == f"gpu{device}" and begin <= span.start < end]
        spans[definition] = len(own)
    assert spans == {"megatron": forwards, "torch": forwards + 1}


@pytest.mark.parametrize(
    ("facts", "which"),
    [
        ({"schedule": ["1f1b", "zb-v"]}, "zb-v"),
        ({"operations": [["0F0", "0B0"]]}, "operations without a schedule"),
        ({"operations": [["0F0", "0B0"]], "schedule": "gpipe"}, "gpipe"),
    ],
)
def test_megatron_has_not_every_schedule(facts: dict[str, Any], which: str) -> None:
    with pytest.raises(SpecError, match=f"warm_up: no definition by Megatron-LM for {which} "):
        recipes.pipeline(**facts, braces=0, warm_up="megatron")


def test_every_recipe_is_a_function_after_its_model_was_imported() -> None:
    for name in (each for each in recipes.NAMES if each not in NEEDS):
        recipes.recipe(name)
        assert isinstance(getattr(recipes, function_name(name))(), Figure)


ALIKE = ["fsdp", "local-sgd", "stale-synchronous", "recovery", "gradient-accumulation"]


@pytest.mark.parametrize("name", ["ddp", *(pytest.param(name, marks=pytest.mark.slow) for name in ALIKE)])
def test_of_many_devices_that_do_alike_a_few_have_lanes(name: str) -> None:
    fact = recipe(name).counts
    found = {many: loads(f"recipe: {name}\n{fact}: {many}\n") for many in (64, 65)}
    for many, figure in found.items():
        part = next(content for _, _, content in figure.parts(Timeline))
        assert sum(lane.ellipsis for lane in part.lanes) == 1
        assert f"GPU {many - 1}" in figure.tex()
        assert "GPU 40" not in figure.tex()
        narrow = loads(f"recipe: {name}\n{fact}: {many}\nwidth: 8.4\n").tex()
        assert [each.code for each in judge_figure("fig", narrow, None, Cache(None)).findings] == []
    every = loads(f"recipe: {name}\n{fact}: 64\nshow: 64\n")
    assert not any(lane.ellipsis for _, _, part in every.parts(Timeline) for lane in part.lanes)
    if name != "gradient-accumulation":  # measures are of all
        assert metrics(every) == metrics(found[64])


def test_who_fails_has_a_lane() -> None:
    tex = loads("recipe: recovery\nworkers: 64\nfailures: [{at: 12, worker: 40}]\n").tex()
    assert "GPU 40" in tex
    assert "GPU 41" not in tex


ZOOM = "recipe: pipeline\nschedule: {}\ndevices: 8\nmicrobatches: 32\nwidth: 8.4\nzoom: {}\n"


@pytest.mark.parametrize("schedule", ["1f1b", "zb-h1", "dualpipe"])
def test_a_zoom_shows_what_happens_in_its_period(schedule: str) -> None:
    """Every span of the period is there, cut at its ends, and all times are those of the whole, stretched."""
    whole, zoomed = timelines(loads(ZOOM.format(schedule, "{start: 20, end: 61/2, lanes: [gpu1, gpu2, gpu3]}")))
    until = zoomed.axis.until if zoomed.axis else None
    factor = (until or 0) / Fraction(21, 2)
    inside = [
        (lane, max(span.start, 20), min(span.end, Fraction(61, 2)))
        for span in whole.spans
        for lane in span.lanes
        if lane in ("gpu1", "gpu2", "gpu3") and span.end > 20 and span.start < Fraction(61, 2)
    ]
    found = [(span.lane, span.start / factor + 20, span.end / factor + 20) for span in zoomed.spans]
    assert sorted(found) == sorted(inside)
    assert [tick.label for tick in zoomed.axis.ticks][:2] == ["20", "22"]  # type: ignore[union-attr, index]
    assert len(whole.braces) == 1


def test_cells_of_a_zoom_have_their_numbers_and_the_figure_is_well() -> None:
    tex = loads(ZOOM.format("1f1b", "{start: 20, end: 32, lanes: [gpu0, gpu1]}")).tex()
    assert [each.code for each in judge_figure("fig", tex, None, Cache(None)).findings] == []
    rows = tex.partition("time 20 to 32")[2]
    assert "\\forwardcell" in rows
    assert metrics(loads(ZOOM.format("1f1b", "{start: 20, end: 32}"))) == metrics(loads(ZOOM.format("1f1b", "null")))


@pytest.mark.parametrize("width", ["8.4", "17.8"])
def test_cells_of_a_zoom_have_their_numbers_where_the_whole_has_none(width: str) -> None:
    """Also those of a period that cuts a cell short at its end, and of several schedules."""
    several = ZOOM.format("[1f1b, zb-h1]", "{start: 14, end: 26, lanes: [gpu0, gpu1, gpu7]}") + "latency: 1/10\n"
    several = several.replace("microbatches: 32", "microbatches: 16")
    tex = loads(several.replace("width: 8.4", f"width: {width}")).tex()
    rows = tex.partition("\\begin{tikzpicture}")[2].partition("\\end{document}")[0]
    assert rows.count("\\forwardcell") > 8


def test_panels_whose_shades_change_differently_are_told_in_one_entry() -> None:
    tex = loads("recipe: pipeline\ndevices: 16\nmicrobatches: 64\nwidth: 8.4\nzoom: {start: 0, end: 60}\n").tex()
    assert "{\\bandslabel{16 / 4}}" in tex
    assert tex.count("\\bandslabel{") == 1


@pytest.mark.parametrize(
    ("zoom", "told"),
    [
        ("{start: 9, end: 4}", "ends before it begins"),
        ("{start: 9999, end: 99999}", "begins when all is over"),
        ("{start: 1, end: 4, lanes: [gpu9]}", 'unknown lane "gpu9" (there are gpu0 to gpu7)'),
    ],
)
def test_a_zoom_that_shows_nothing_is_refused(zoom: str, told: str) -> None:
    with pytest.raises(SpecError, match=re.escape(told)):
        loads(ZOOM.format("1f1b", zoom))


@pytest.mark.parametrize("workers", [3, 8, 9, 64])
def test_a_server_keeps_up_with_its_workers(workers: int) -> None:
    figure = recipes.stale_synchronous(workers=workers, bound=[1])
    ((_, _, part),) = figure.parts(Timeline)
    assert part.end < 20
    assert all(span.duration == Fraction(4, max(workers, 8)) for span in part.spans if span.phase == "update")


@pytest.mark.parametrize(("workers", "update", "end"), [(8, None, 16), (64, None, 24), (64, 1, 72)])
def test_updates_of_many_workers_leave_most_of_the_time_to_them(workers: int, update: int | None, end: int) -> None:
    """A synchronous server has one update for all."""
    figure = recipes.parameter_server(workers=workers, update=update, width=17.8, timeline="below")
    sync, found = (part for _, _, part in figure.parts(Timeline))
    assert end - 2 <= found.end <= end
    assert {span.duration for span in sync.spans if span.phase == "server-update"} == {Fraction(1)}


def test_a_long_text_at_the_time_arrow_is_smaller_and_the_measure_is_drawn_once() -> None:
    long = "time since the first microbatch entered the pipeline"
    told = f"devices: 1\nmicrobatches: 2\nwidth: 8.4\nlabels: {{time: {long}, device: 'accelerator {{n}} of the rack'}}"
    tex = loads(f"recipe: pipeline\n{told}\n").tex()
    assert tex.count("{\\summarylabel}") == 1
    (line,) = [each for each in unfold(tex).splitlines() if "{\\timelabel}" in each]
    assert "font=" in line
