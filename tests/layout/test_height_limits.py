"""A figure is as tall as was asked at most, or says so; labels of lanes leave the figure its width."""

from __future__ import annotations

import re
from functools import cache

import pytest
from conftest import ROOT, some
from folded import unfold
from page_survey import survey_recipe, write_spec
from recipes_page import DRAWN

from tikzgen import load, loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import SpecError
from tikzgen.base.plane.units import PAGE_LIMIT_CM, PT_PER_CM
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.layout import layout
from tikzgen.layout.scene.items import CaptionItem
from tikzgen.layout.scene.scene import Scene
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.topology.topology import Topology

TALL = "recipe: local-sgd\nworkers: 60\nshow: 60\nwidth: 8.4\n"


@cache
def scene_of(spec: str) -> Scene:
    """Lay out a spec."""
    figure = loads(spec)
    return layout(figure, icons_of_figure(figure))


def values_of(scene: Scene) -> dict[str, float]:
    """Return the lengths of a layout, in cm."""
    return {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}


def height(spec: str) -> float:
    return scene_of(spec).extent.measure_height(values_of(scene_of(spec)))


def width_of(spec: str) -> float:
    return scene_of(spec).extent.measure_width(values_of(scene_of(spec)))


def tall_notes(spec: str) -> list[str]:
    """Return the notes on a height beyond a page."""
    return [note for note in scene_of(spec).notes if "cm tall" in note]


@pytest.mark.parametrize("most", [20, "20cm", "8in"])
def test_rows_come_closer_for_a_height(most: object) -> None:
    wanted = {"8in": 20.32}.get(str(most), 20)
    assert wanted - 0.2 < height(f"{TALL}height: {most}\n") <= wanted + 0.003


def test_a_height_that_is_reached_changes_nothing() -> None:
    spec = "recipe: pipeline\nwidth: 8.4\n"
    body = [loads(text).tex().partition("\\end{document}")[0] for text in (spec, f"{spec}height: 20\n")]
    assert body[0] == body[1]


def test_a_height_that_cannot_be_reached_is_refused_with_one_that_can() -> None:
    with pytest.raises(SpecError, match="height: does not fit 3 cm: it takes") as refused:
        loads(f"{TALL}height: 3\n").tex()
    enough = re.search(r"a height of ([0-9.]+) cm", str(refused.value))
    assert enough
    assert height(f"{TALL}height: {enough[1]}\n") <= float(enough[1]) + 0.003


BROKEN = {
    # Two copies of its topology are taller than a column's share.
    "parameter-server": ["tall"],
    "rlhf": ["narrow"],
    # Arrays keep the usual size of their cells.
    "sharding": ["narrow"],
    "attention-mask": ["narrow"],
    "replicated-log": ["narrow"],
}
"""Rules of a printable figure that recipes break at the width of a column."""


@pytest.mark.parametrize("name", some(DRAWN, 8))
def test_recipes_are_printable_in_a_column(name: str) -> None:
    assert list(survey_recipe(write_spec(name, 8.4), 8.4).list_broken_rules()) == BROKEN.get(name, [])


@pytest.mark.parametrize(("name", "usual"), [("serving", 9.4), ("raft-replication", 10.4), ("rollouts", 10.5)])
def test_only_figures_in_a_column_have_closer_rows(name: str, usual: float) -> None:
    assert height(f"recipe: {name}\nwidth: 8.4\n") <= 9.003
    assert height(f"recipe: {name}\nwidth: 10.2\n") > usual - 0.2


def test_a_stated_height_replaces_the_usual_maximum_in_a_column() -> None:
    assert 9.5 < height("recipe: rollouts\nwidth: 8.4\nheight: 10\n") <= 10.003


def test_lanes_in_a_column_keep_half_of_their_spare_thickness() -> None:
    found = [
        re.findall(r"\\def\\laneheight\{([0-9.]+)", loads(f"{TALL}{height}").tex()) for height in ("", "height: 20\n")
    ]
    assert float(found[0][0]) > float(found[1][0])


@pytest.mark.parametrize(("width", "cm", "most"), [("beamer", 10.8, 6.6), ("beamer-16x9", 14.0, 6.4)])
@pytest.mark.parametrize("recipe", ["pipeline", "serving-system", "rlhf", "two-phase-commit"])
def test_a_figure_for_a_slide_fits_below_its_title(width: str, cm: float, most: float, recipe: str) -> None:
    spec = f"recipe: {recipe}\nwidth: {width}\n"
    scene = scene_of(spec)
    assert (scene.size, scene.fixed, scene.notes) == (10, True, ())
    assert width_of(spec) <= cm
    assert height(spec) <= most + 0.003


def test_what_does_not_fit_a_slide_is_refused_or_reported() -> None:
    with pytest.raises(SpecError, match=r"width: does not fit 6\.6 cm, the height of a slide: it takes 10\.\d+ cm"):
        loads("recipe: parameter-server\nwidth: beamer\n").tex()
    assert height("recipe: parameter-server\nwidth: beamer\nheight: 15\n") <= 15.003
    many = "recipe: 3d-parallel\nwidth: beamer\n"
    assert [note for note in scene_of(many).notes if "pt, and a slide needs 10 pt" in note]
    assert not scene_of(f"{many}font: {{size: 7}}\n").notes


NAMED = "Gradient accumulation worker {n} with a long name"


def test_what_only_close_rows_bring_on_a_page_has_them() -> None:
    """They take 22.9 cm: more than the 22 that are aimed at."""
    texts = {"worker": NAMED, "lane": NAMED, "push": NAMED.replace("{n} ", ""), "fetch": NAMED.replace("{n} ", "")}
    labels = "".join(f"  {name}: '{text}'\n" for name, text in texts.items())
    assert 22 < height(f"recipe: parameter-server\nworkers: 8\nwidth: 8.4\nlabels:\n{labels}") <= PAGE_LIMIT_CM


@pytest.mark.parametrize("recipe", ["raft-election", "raft-replication"])
def test_moments_of_messages_are_pressed_before_a_width_is_refused(recipe: str) -> None:
    spec = f"recipe: {recipe}\nservers: 8\nwidth: 8.4\nlabels: {{server: '{NAMED}'}}\n"
    assert width_of(spec) <= 8.403
    assert height(spec) <= 22


def test_a_long_name_in_a_cylinder_is_broken_where_the_width_is_asked_for() -> None:
    renamed = NAMED.replace("{n} ", "")
    spec = (
        f"recipe: federated\nclients: 3\noverrides: [{{do: rename-node, node: data3, label: {renamed}}}]\nwidth: 8.4\n"
    )
    found = re.findall(r"text width=[0-9.]+cm.*\(data3\)", unfold(loads(spec).tex()))
    assert len(found) == 1


BESIDE = "recipe: parameter-server\nupdate: 1/2\nwidth: 9.5\ntimeline: beside\n"


@pytest.mark.slow
def test_rows_come_no_closer_than_the_width_takes() -> None:
    """Between its rows closer a label of this figure has no room but beside them, beyond the width."""
    assert width_of(BESIDE) <= 9.503
    with pytest.raises(
        SpecError, match=r"height: does not fit 22 cm: with its rows so close it takes 1[0-9.]+ cm of"
    ) as e:
        loads(f"{BESIDE}height: 22\n").tex()
    enough = re.search(r"a height of ([0-9.]+) cm", str(e.value))
    assert enough
    assert height(f"{BESIDE}height: {enough[1]}\n") <= float(enough[1]) + 0.003


@pytest.mark.slow
def test_small_icons_bring_tall_frames_on_a_page() -> None:
    """Rows come closer after icons are small: neither alone was enough, and the figure was 29.5 cm tall."""
    cases = ROOT / "tests" / "cases" / "topologies"
    drawn = load(cases / "megatron-3d.yaml").model_copy(update={"width": 8.4})
    _, low, _, high = draw(drawn.tex()).box
    assert (high - low) / PT_PER_CM < 22.2


def test_a_venue_is_no_height() -> None:
    with pytest.raises(SpecError, match="not a venue's name"):
        loads(f"{TALL}height: ieee-column\n")


def test_a_figure_taller_than_a_page_is_told() -> None:
    told = tall_notes(f"{TALL}spacing: {{laneheight: 0.6}}\n")
    assert len(told) == 1
    assert f"the text area of a page {PAGE_LIMIT_CM:g} cm" in told[0]
    assert not tall_notes("recipe: pipeline\n")


LONG = 'recipe: local-sgd\nwidth: {width}\nlabels: {{device: "Accelerator {{n}} in rack seven, row twelve"}}\n'


@pytest.mark.parametrize("width", [8.4, 12])
def test_labels_of_lanes_take_a_third_of_the_width_at_most(width: float) -> None:
    tex = unfold(loads(LONG.format(width=width)).tex())
    left = re.search(r"\\path \((-[0-9.]+),", tex)
    assert left
    assert -float(left[1]) <= width / 3 + 0.1


def test_wrapped_labels_end_at_their_lanes() -> None:
    tex = loads(LONG.format(width=8.4)).tex()
    wrapped = re.findall(r"\\node\[[^]]*text width[^]]*\]", tex)
    assert wrapped
    assert all("anchor=east" in each and r"\leftskip=0pt plus4em\rightskip=0pt" in each for each in wrapped)


MANY = """recipe: pipeline
devices: 64
microbatches: 64
schedule: gpipe
width: 8.4
height: 19
labels: {device: "%s {n}"}
"""


@pytest.mark.slow
@pytest.mark.parametrize("label", ["Accelerator in rack seven", "GPU"])
def test_of_very_many_lanes_those_have_labels_that_have_room(label: str) -> None:
    figure = loads(MANY % label)
    assert figure.check() == ()
    assert 8 <= figure.tex().count("lanelabel};") < 64


RING = "panels: [{content: {type: topology, layout: {type: ring}, nodes: [%s], flows: [%s]}}]\n"


def ring(count: int) -> str:
    nodes = ", ".join(f"{{kind: worker, id: w{n}, label: GPU {n}}}" for n in range(count))
    flows = ", ".join(f"{{source: w{n}, target: w{(n + 1) % count}}}" for n in range(count))
    return RING % (nodes, flows)


@pytest.mark.parametrize("count", some([3, 1, 9, 8, 16, 64], 6))
@pytest.mark.parametrize("recipe", ["data-parallel", "parameter-server"])
def test_many_workers_take_no_more_than_a_page(recipe: str, count: int) -> None:
    spec = f"recipe: {recipe}\nworkers: {count}\nwidth: 8.4\n"
    assert tall_notes(spec) == []
    assert height(spec) < PAGE_LIMIT_CM


@pytest.mark.slow
@pytest.mark.parametrize("modes", ["[asynchronous]", "[synchronous, asynchronous]"])
def test_six_updates_in_turn_fit_a_column(modes: str) -> None:
    """Their cells are a trifle too short for a word, which stands in the legend then, as of seven."""
    tex = loads(f"recipe: parameter-server\nworkers: 6\nwidth: 8.4\nmodes: {modes}\n").tex()
    assert "(legend-server-update)" in tex


@pytest.mark.parametrize(("count", "most"), [(3, 5), (8, 8), (16, 14)])
def test_rings_are_ellipses_where_they_are_wide(count: int, most: float) -> None:
    assert height(f"width: 17.8\n{ring(count)}") < most
    assert height(f"width: 17.8\nspacing: {{ringheight: 15}}\n{ring(count)}") > 12


def test_a_circle_stays_one_where_nothing_stretches_it() -> None:
    values = values_of(scene_of(ring(6)))
    assert values["ringheight"] == pytest.approx(2 * values["radius"], abs=0.002)


@pytest.mark.parametrize("recipe", ["serving", "parameter-server", "stale-synchronous"])
@pytest.mark.parametrize("width", [8.4, 17.8])
def test_panels_below_each_other_keep_their_distance(recipe: str, width: float) -> None:
    """A wide figure of few parts is no taller for it."""
    assert 0.36 <= values_of(scene_of(f"recipe: {recipe}\nwidth: {width}\n"))["panelsep"] <= 1.8


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_legend_wider_than_the_lanes_keeps_them_from_no_width(ranks: int) -> None:
    figure = loads(f"recipe: ring-all-reduce\nranks: {ranks}\nwidth: 8.4\n")
    [unit] = [float(p.value) for p in layout(figure, {}).parameters if p.name == "timeunit"]
    assert unit * float(next(part.end for _, _, part in figure.parts(Timeline))) > 5


@pytest.mark.parametrize("recipe", ["gradient-accumulation\ndevices: 64\nshow: 64", "local-sgd\nworkers: 64\nshow: 64"])
def test_many_lanes_are_thin_enough_for_a_page(recipe: str) -> None:
    assert height(f"recipe: {recipe}\nwidth: 8.4\n") < PAGE_LIMIT_CM


def test_captions_of_a_row_stand_on_one_side() -> None:
    figure = loads("recipe: gradient-accumulation\nwidth: 8.4\n")
    scene = layout(figure, {})
    below = [item for item in scene.items if isinstance(item, CaptionItem)]
    assert below == []


@pytest.mark.parametrize("width", [8.4, 17.8])
@pytest.mark.parametrize("data", [3, 64])
def test_dots_between_replicas_stand_between_them_on_one_page(data: int, width: float) -> None:
    spec = f"recipe: 3d-parallel\ndata: {data}\nwidth: {width}\n"
    assert height(spec) < 22
    assert tall_notes(spec) == []
    if data == 64:
        flows = {(flow.source, flow.target) for _, _, part in loads(spec).parts(Topology) for flow in part.flows}
        assert {source for source, target in flows if target == "d-dots"}
        assert {target for source, target in flows if source == "d-dots"} == {"d63s1"}


def test_lanes_come_no_closer_than_their_labels_allow() -> None:
    lanes = "recipe: gradient-accumulation\ndevices: 12\narrange: column\nwidth: 8.4\nlabels: {device: '工作者 {n}'}\n"
    with pytest.raises(SpecError) as refused:
        loads(f"{lanes}height: 8\n").tex()
    (least,) = re.findall(r"a height of ([0-9.]+) cm", str(refused.value))
    text = f"{lanes}height: {least}\n"
    assert not judge_figure("fig", loads(text).tex(), text, Cache(None)).findings


@pytest.mark.slow
def test_a_large_schedule_with_a_zoom_keeps_to_a_page() -> None:
    lanes = "[gpu0, gpu1, gpu2, gpu3]"
    spec = (
        f"recipe: pipeline\ndevices: 64\nmicrobatches: 64\nwidth: 8.4\nzoom: {{start: 20, end: 60, lanes: {lanes}}}\n"
    )
    assert height(spec) <= 22.005


@pytest.mark.parametrize("width", ["8.4", "beamer"])
@pytest.mark.parametrize("example", ["measured-ranks", "expert-overlap"])
def test_a_height_that_a_refusal_names_fits_though_close_rows_need_more_width(example: str, width: str) -> None:
    path = ROOT / "examples" / f"{example}.yaml"
    with pytest.raises(SpecError) as refused:
        load(path, settings=[f"width={width}", "height=2"]).tex()
    (least,) = re.findall(r"a height of ([0-9.]+) cm", str(refused.value))
    load(path, settings=[f"width={width}", f"height={least}"]).tex()
