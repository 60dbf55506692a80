"""What recipes say: the right times, the right names, the same from YAML and from Python."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise

import pytest
from conftest import at_once
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tikzgen import Figure, Timeline, Topology, loads, recipes
from tikzgen.layout.topology.places_by_rule import arrange_nodes
from tikzgen.schedule import parameter_server
from tikzgen.schedule.parameter_server_clocks import Round, make_asynchronous_rounds, make_synchronous_rounds
from tikzgen.text import Tex


def timelines(figure: Figure) -> list[Timeline]:
    return [content for panel in figure.panels for content in panel.content if isinstance(content, Timeline)]


def spans(timeline: Timeline) -> dict[str, tuple[Fraction, Fraction]]:
    return {name: (span.start, span.end) for span, name in zip(timeline.spans, timeline.names(), strict=True)}


def test_updates_wait_for_the_slowest_device() -> None:
    single, double = timelines(recipes.gradient_accumulation())
    assert spans(single)["update1"] == (4, 5)
    assert spans(single)["update2"] == (9, 10)
    assert spans(single)["gpu1-forward-backward2"] == (5, Fraction("8.7"))
    assert spans(double)["gpu1-forward-backward2"] == (Fraction("2.8"), Fraction("6.5"))
    assert spans(double)["update1"] == (7, 8)


def test_synchronous_updates_wait_for_the_last_push_and_asynchronous_ones_do_not() -> None:
    together, apart = timelines(recipes.parameter_server())
    assert spans(together)["server-update1"] == (8, 9)
    assert spans(together)["g3-push1"] == (5, 6)
    assert spans(apart)["g2-server-update1"] == (6, 7)
    assert spans(apart)["g3-server-update1"] == (7, 8)
    assert spans(apart)["g1-server-update1"] == (8, 9)


def test_asynchronous_workers_share_an_update_on_request_only() -> None:
    (apart,) = timelines(recipes.parameter_server(modes=["asynchronous"], shared_updates=True))
    assert spans(apart)["server-update1"] == (6, 7)
    assert apart.spans[apart.names().index("server-update1")].lanes == ("g3", "g2")
    assert spans(apart)["g1-server-update1"] == (8, 9)
    (gap,) = timelines(recipes.parameter_server(modes=["asynchronous"], compute=[4, 6, 4], shared_updates=True))
    assert spans(gap)["g1-server-update1"] == spans(gap)["g3-server-update1"] == (6, 7)


@pytest.mark.parametrize("compute", [[4, 4, 5], [4, 5, 4], [5, 4, 4]])
def test_the_order_of_lanes_changes_no_time(compute: list[int]) -> None:
    (apart,) = timelines(recipes.parameter_server(modes=["asynchronous"], compute=compute))
    assert max(span.end for span in apart.spans) == 9
    rounds = recipes.stale_synchronous(bound=None, compute=compute, fetch=1, push=1, update=1, steps=1)
    assert max(span.end for each in timelines(rounds) for span in each.spans) == 9


times = st.fractions(min_value=Fraction(1, 10), max_value=20, max_denominator=12)
any_rounds = given(st.lists(times, min_size=1, max_size=6), times, times, times, st.integers(1, 4))


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@any_rounds
def test_rounds_are_those_of_the_simulator(
    compute: list[Fraction], fetch: Fraction, push: Fraction, update: Fraction, rounds: int
) -> None:
    cost, order = Round(fetch, push, update), list(range(len(compute)))
    for run, joint in ((make_synchronous_rounds, True), (partial(make_asynchronous_rounds, shared=False), False)):
        events = list(run(compute, cost, rounds, order))
        simulated = parameter_server(compute, joint=joint, fetch=fetch, push=push, update=update, clocks=rounds)
        schedule = simulated.schedule
        assert sorted((event.start, event.duration, event.phase, event.workers) for event in events) == sorted(
            (
                schedule.start(index),
                each.duration,
                "server-update" if each.kind == "update" else each.kind,
                tuple(lane.device for lane in each.lanes if lane.device >= 0),
            )
            for index, each in enumerate(schedule.program.operations)
        )


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@any_rounds
def test_rounds_obey_their_rules(
    compute: list[Fraction], fetch: Fraction, push: Fraction, update: Fraction, rounds: int
) -> None:
    cost, order = Round(fetch, push, update), list(range(len(compute)))
    for run in (
        make_synchronous_rounds,
        partial(make_asynchronous_rounds, shared=False),
        partial(make_asynchronous_rounds, shared=True),
    ):
        events = list(run(compute, cost, rounds, order))
        applied = {(e.start, e.phase): e for e in events if e.phase == "server-update"}
        updates = sorted(applied.values(), key=lambda event: event.start)
        for before, after in pairwise(updates):
            assert before.start + before.duration <= after.start, "the server applies one update at a time"
        for worker in order:
            mine = sorted((e for e in events if worker in e.workers), key=lambda event: event.start)
            assert [event.phase for event in mine] == ["fetch", "compute", "push", "server-update"] * rounds
            for before, after in pairwise(mine):
                assert before.start + before.duration <= after.start
        if run is make_synchronous_rounds:
            pushes = [e.start + e.duration for e in events if e.phase == "push"]
            assert max(pushes) == updates[-1].start


def test_a_changed_figure_is_not_passed_off_as_its_recipe() -> None:
    figure = recipes.data_parallel()
    changed = figure.model_copy(update={"title": "Another"})
    assert '"recipe"' in figure.tex()
    assert '"recipe"' not in changed.tex()
    assert changed.tex().partition("\\def\\titlelabel")[2].startswith("{Another}")


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8])
def test_data_parallel_is_balanced(count: int) -> None:
    figure = recipes.data_parallel(workers=count)
    topology = figure.panels[0].content[0]
    assert isinstance(topology, Topology)
    flows = [(flow.source, flow.target) for flow in topology.flows]
    where = arrange_nodes(topology.arrangement, [node.id for node in topology.nodes], flows)
    assert where["data"].y == where["ps"].y == 0
    assert sum(where[f"w{n}"].y for n in range(1, count + 1)) == 0
    assert where["ps"].x - where["w1"].x == where["w1"].x - where["data"].x


@pytest.mark.slow
@at_once
@pytest.mark.parametrize("timeline", ["auto", "beside", "below"])
@pytest.mark.parametrize("show", [1, 2, 3, 5, 9, None])
@pytest.mark.parametrize("count", [1, 2, 5, 200])
def test_a_parameter_server_of_any_crowd_is_a_figure(count: int, show: int | None, timeline: str) -> None:
    """However few are drawn, the links end at blocks that are there."""
    for nodes in (None, 1, 4, 512):
        for modes in (["synchronous"], ["asynchronous"], ["asynchronous", "synchronous"]):
            workers = {"count": count, "show": show}
            figure = recipes.parameter_server(workers=workers, nodes=nodes, timeline=timeline, modes=modes)
            ends = {end.partition("@")[0] for link in figure.links for end in (link.source, link.target)}
            assert any(end.endswith("server-update1") for end in ends)


def test_an_ellipsis_stands_for_the_workers_not_drawn() -> None:
    tex = recipes.data_parallel(workers={"count": 64, "show": 3}).tex()
    assert "\\def\\workersixtyfourlabel{Worker 64}%" in tex
    assert "(dots)" in tex
    assert "(w3)" not in tex


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_raw_tex_stays_raw_in_every_label(workers: int) -> None:
    raw = {"tex": r"\textbf{a}"}
    server = recipes.parameter_server(
        workers=workers,
        labels=dict.fromkeys(("push", "gradient", "fetch", "weights", "worker", "device", "lane"), raw),
    )
    topology, timeline = server.panels[0].content
    assert isinstance(topology, Topology)
    assert isinstance(timeline, Timeline)
    texts = [flow.label for flow in topology.flows if flow.label] + [lane.label for lane in timeline.lanes]
    for node in topology.nodes[1:]:
        texts += [node.label, node.sublabel]
    assert all(isinstance(text, Tex) for text in texts)
    assert r"\textbf{a}\\\textbf{a}" in texts or workers == 3


def test_a_number_is_filled_into_raw_tex() -> None:
    raw = {"tex": r"\emph{GPU} {n}"}
    lanes = timelines(recipes.gradient_accumulation(labels={"device": raw}))[0].lanes
    assert [lane.label for lane in lanes][:2] == [Tex(r"\emph{GPU} 0"), Tex(r"\emph{GPU} 1")]
    workers = list(recipes.data_parallel(labels={"worker": raw}).panels[0].content[0].nodes)
    assert all(isinstance(node.label, Tex) for node in workers[1:-1])


@pytest.mark.parametrize("name", ["gradient-accumulation", "parameter-server", "data-parallel"])
def test_a_figure_read_twice_is_the_same(name: str) -> None:
    spec = f"recipe: {name}\ntitle: x\n"
    one, other = loads(spec, name="one.yaml"), loads("\n" + spec, name="other.yaml")
    assert one == other == recipes.recipe(name)(title="x").make_figure_with_origin()
    assert one != loads(spec.replace("title: x", "title: y"))
    assert one != "x"
