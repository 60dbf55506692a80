"""Nothing in a figure stands in the way of anything else, and a look keeps what a spec does not change."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, some
from folded import unfold
from topology_figures import topology_figure
from topology_judge import faults, seen

from tikzgen import Figure, Node, Panel, Phase, load, loads, render
from tikzgen.base.cache import Cache
from tikzgen.base.plane.rectangles import grow_box, is_segment_across_box
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.lint.probe.look_at_figures import FigureToProbe, look_at
from tikzgen.model.topology.topology import Topology


def timeline(**facts: Any) -> Figure:
    lanes = facts.pop("lanes", [{"id": "a", "label": "A"}])
    more = facts.pop("figure", {})
    return Figure.model_validate({"panels": [{"content": {"type": "timeline", "lanes": lanes, **facts}}], **more})


CASES = ROOT / "tests" / "cases" / "clear"
WORKERS = [{"kind": "worker", "id": f"w{n}", "label": f"GPU {n}"} for n in range(1, 5)]


def drawn(figure: Figure) -> str:
    return unfold(figure.tex()).partition(r"\end{document}")[0]


@pytest.mark.parametrize("width", [None, 10.5])
@pytest.mark.parametrize("layout", [{"type": "row"}, {"type": "grid", "columns": 2}], ids=lambda layout: layout["type"])
def test_frames_of_neighbours_keep_apart(layout: dict[str, Any], width: float | None) -> None:
    """Labels and all: these stand inside."""
    groups = [{"id": "one", "members": ["w1", "w2"], "label": "one"}, {"id": "two", "members": ["w3", "w4"]}]
    figure = topology_figure(nodes=WORKERS, groups=groups, layout=layout).model_copy(update={"width": width})
    (part,) = (part for _, _, part in figure.parts(Topology))
    assert faults(figure.tex(), part) == []


@pytest.mark.parametrize(("source", "target", "ends"), [("w1", "w2", ("east", "west")), ("w2", "w1", ("west", "east"))])
def test_links_within_a_topology_leave_the_sides_that_face(source: str, target: str, ends: tuple[str, str]) -> None:
    figure = topology_figure(nodes=WORKERS[:2], layout={"type": "row"})
    figure = Figure.model_validate({**figure.model_dump(), "links": [{"source": source, "target": target}]})
    assert re.findall(r"\\draw\[link, .*?\] \((\w+\.\w+)\) .*? \((\w+\.\w+)\);", figure.tex()) == [
        (f"{source}.{ends[0]}", f"{target}.{ends[1]}")
    ]


def test_the_label_between_two_flows_stands_on_its_own_line() -> None:
    flows = [{"source": "w1", "target": "w3", "label": f"flow {n}"} for n in range(3)]
    row = topology_figure(nodes=[WORKERS[0], WORKERS[2]], flows=flows, layout={"type": "row"})
    found = re.findall(r"node\[flbl, ([^]]*)\] \{\\(\w+)\}", drawn(row))
    assert ["fill=paper" in options for options, name in found if "to" in name] == [False, True, False]


def test_a_break_tears_no_label() -> None:
    spans = [{"lane": "a", "start": 0, "duration": 100, "label": "long", "phase": "forward"}]
    axis = {"breaks": [{"start": 10, "end": 60}]}
    tex = drawn(timeline(spans=spans, axis=axis))
    assert re.search(r"\\node\[span=[0-9.]+, forward phase\] \(a-forward1\) at \(0,0\) \{\};", tex)
    (at,) = re.findall(r"\\node\[inner sep=0pt, along time\] at \(([0-9.]+),0\) \{\\aforwardonetext\};", tex)
    gap = 2.0  # a twenty-fifth of the 50 that are drawn
    assert float(at) == pytest.approx((10 + gap + 10 + gap + 40) / 2)


def test_a_span_as_long_as_a_break_has_the_gap() -> None:
    spans = [{"lane": "a", "start": 10, "duration": 50, "label": "x"}, {"lane": "a", "start": 70, "duration": 9}]
    assert r"\node[span=" in drawn(timeline(spans=spans, axis={"breaks": [{"start": 10, "end": 60}]}))


def test_what_fits_nowhere_is_said() -> None:
    half = {"phase": "backward", "label": "a very long label here"}
    spans = [{"lane": "a", "start": 0, "duration": 1, "phase": "forward", "second": half}]
    figure = timeline(spans=spans, bubbles=[{"lane": "a", "start": 1, "end": 2, "label": "this is no short text"}])
    rendered = render(figure)
    which = "a-forward1 (its second half), a-bubble1"
    assert rendered.notes == (f"2 labels do not fit and are left out: {which} (set a larger width, or shorter labels)",)
    assert f"note: {rendered.notes[0]}" in re.sub(r"\n *% (?!note)", " ", rendered.tex)
    assert not render(timeline(spans=[{"lane": "a", "start": 0, "duration": 5, "label": "f"}])).notes


def test_captions_side_by_side_share_the_width_with_their_panels() -> None:
    spec = (ROOT / "examples" / "gradient-accumulation-en.yaml").read_text(encoding="utf-8")
    wide, narrow = (
        float(re.findall(r"\\def\\timeunit\{([0-9.]+)\}", text.tex())[0])
        for text in (
            loads(spec, settings=["width=8.4", "labels.captions=[one, two]"]),
            loads(spec, settings=["width=8.4"]),
        )
    )
    assert narrow == pytest.approx(wide, abs=0.01)


def test_a_legend_without_a_width_is_no_wider_than_a_page() -> None:
    phases = [f"phase-{letter}" for letter in "abcdefghijklmnopqrstuvw"]
    spans = [{"lane": "a", "start": n, "duration": 1, "phase": name} for n, name in enumerate(phases)]
    looks = {name: {"label": f"what {name} does"} for name in phases}
    tex = drawn(timeline(spans=spans, figure={"phases": looks}))
    rows = set(re.findall(r"\(legend-phase-\w\) at \(\{?[^,]*,([^)]*)\)", tex))
    assert len(rows) >= 3


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        (["a", "b", "c", "idle"], ["abcd"]),
        (["fetch", "compute", "push", "update (its staleness)", "idle"], ["abc", "de"]),
        (["one", "two", "three", "four", "five", "something much longer", "six"], ["abcde", "fg"]),
    ],
    ids="".join,
)
def test_rows_of_a_legend_are_as_even_as_can_be_and_begin_at_one_place(labels: list[str], wanted: list[str]) -> None:
    names = "abcdefg"[: len(labels)]
    spans = [{"lane": "a", "start": n, "duration": 1, "phase": f"phase-{name}"} for n, name in enumerate(names)]
    looks = {f"phase-{name}": {"label": label} for name, label in zip(names, labels, strict=True)}
    tex = drawn(timeline(spans=spans, figure={"phases": looks, "width": 8}))
    rows: list[str] = []
    for name, place in re.findall(r"\(legend-phase-(\w)\)\s+at \((\[|0,)", tex):
        rows += [] if place == "[" else [""]
        rows[-1] += name
    assert rows[::-1] == wanted, "the first row is the highest, and set last"


def test_captions_of_panels_all_stand_below_where_one_can_only_stand_there() -> None:
    timeline = "content: {type: timeline, lanes: [{id: a}], spans: [{lane: a, start: 0, duration: 9}]}"
    topology = "content: {type: topology, nodes: [{kind: worker, id: w}]}"

    def places(*contents: str) -> list[tuple[str, str]]:
        panels = "".join(f"- {{caption: c{place}, {content}}}\n" for place, content in enumerate(contents))
        tex = drawn(loads(f"arrange: row\npanels:\n{panels}"))
        return re.findall(r"\\node\[slbl,(.*)\] at .*,(.*)\) \{\\panel\w+captionlabel\};", tex)

    assert [look for look, _ in places(timeline, timeline)] == [" strong, anchor=south west"] * 2
    below = places(topology, timeline, topology)
    assert below == [below[0]] * 3
    assert below[0][0] == " anchor=north"


def test_captions_of_icons_stand_on_one_baseline_whatever_their_letters() -> None:
    icons = {"cloud": "cloud", "rack": "one", "gpu": "sea", "dataset": "data", "user": "user $x_{n}$", "cpu": "Gypsy"}
    nodes = [Node(id=icon, icon=icon, label=label) for icon, label in icons.items()]
    tex = Figure(panels=[Panel(content=[Topology(nodes=nodes)])], width=17.8).tex()
    looked = look_at([FigureToProbe("icons.tex", tex)], engine="none")
    assert ([str(each) for each in looked.findings], looked.errors) == ([], [])
    assert tex.partition("% --- figure ---")[2].count(", text height=") == 3  # of those without a letter that rises


def test_texts_of_the_legend_stand_on_one_baseline() -> None:
    tex = drawn(load(ROOT / "examples" / "zero-bubble.yaml"))
    assert set(re.findall(r"\\node\[([^]]*)\] \(legend-[\w-]+-text\)", tex)) == {"entry"}


def test_a_look_keeps_what_is_not_changed() -> None:
    spans = [{"lane": "a", "start": 0, "duration": 1, "phase": "weight-grad"}]
    figure = timeline(spans=spans, figure={"phases": {"weight-grad": {"label": "dW"}}})
    assert figure.phase("weight-grad") == Phase(label="dW", color="otorange", tint=96)
    hatched = timeline(spans=spans, figure={"phases": {"weight-grad": {"hatch": "dots"}}})
    assert hatched.phase("weight-grad").hatch == "dots"


def test_a_look_that_hatches_survives_in_the_file(tmp_path: Any) -> None:
    spans = [{"lane": "a", "start": 0, "duration": 1, "phase": "weight-grad"}]
    figure = timeline(spans=spans, figure={"phases": {"weight-grad": {"hatch": "dots"}}})
    path = tmp_path / "fig.tex"
    figure.save(path)
    again = load(path)
    assert again.phase("weight-grad").hatch == "dots"
    assert again.tex() == figure.tex()


def test_a_kind_of_flow_keeps_what_is_not_changed() -> None:
    flows = [{"source": "w1", "target": "w2", "kind": "weight"}]
    figure = Figure.model_validate(
        {
            "panels": [{"content": {"type": "topology", "nodes": WORKERS[:2], "flows": flows}}],
            "kinds": {"weight": {"color": "otblue"}},
        }
    )
    assert (figure.kind("weight").color, figure.kind("weight").dash) == ("otblue", "dashed")


def test_a_recipe_s_look_takes_a_label_in_another_language() -> None:
    spec = "recipe: pipeline\nphases: {forward: {label: 前向}}"
    assert loads(spec).phase("forward").color == "otblue"


def test_a_unit_without_ticks_is_told() -> None:
    span = {"lane": "a", "start": 0, "duration": 5, "label": "f"}
    (note,) = render(timeline(spans=[span], axis={"unit": "ms"})).notes
    assert note == "the unit of the axis is left out, because the axis has no ticks (set ticks: 1)"
    assert not render(timeline(spans=[span], axis={"unit": "ms", "ticks": 1})).notes


@pytest.mark.parametrize("width", [3, 4, 4.5, 4.8, 5])
def test_a_label_that_would_make_the_lanes_too_wide_stands_beside_them(width: float) -> None:
    spans = [{"lane": lane, "start": 0, "duration": 4} for lane in "ab"]
    spans.append({"lane": ["a", "b"], "start": 4, "duration": 1, "label": "re-shard"})
    lanes = [{"id": "a", "label": "a"}, {"id": "b", "label": "b"}]
    rendered = render(timeline(lanes=lanes, spans=spans, axis={}, figure={"width": width}))
    assert not rendered.notes
    assert r"re-shard" in rendered.tex


def test_a_label_over_lanes_is_turned_where_it_fits_no_other_way() -> None:
    spans = [{"lane": lane, "start": 0, "duration": 6} for lane in "ab"]
    both: list[dict[str, Any]] = [
        {"lane": ["a", "b"], "start": 6, "duration": 1, "phase": "update", "label": "re-shard"}
    ]
    both += [{"lane": ["a", "b"], "start": 7, "duration": 5, "label": "level"}]
    lanes = [{"id": "a", "label": "a"}, {"id": "b", "label": "b"}]
    tex = render(timeline(lanes=lanes, spans=[*spans, *both], axis={}, figure={"width": 6})).tex
    assert re.search(r"\\node\[inner sep=0pt, text=otblack, rotate=90.*\] at \(6\.5,0\.5\) \{\\updateonetext\}", tex)
    assert len(re.findall("rotate=90", tex)) == 1
    assert not judge_figure("turned", tex, None, Cache(None)).findings


CROWDED = sorted((ROOT / "tests/cases/crowded").glob("*.yaml"))


@pytest.mark.parametrize("path", some(CROWDED), ids=lambda path: path.stem)
def test_nothing_lies_on_anything_where_much_is_said(path: Path) -> None:
    """Lifelines stand farther apart, texts are broken, notes are led to from free paper; texts of a lane are level."""
    found = judge_figure(path.stem, load(path).tex(), None, Cache(None)).findings
    assert [str(one) for one in found if one.code != "TG311"] == []  # the looks of phases are theirs


def test_lines_keep_from_icons_with_their_outlines() -> None:
    """These reach half their width beyond what an icon takes."""
    figure = load(CASES / "ensemble.yaml")
    (part,) = (part for _, _, part in figure.parts(Topology))
    found = seen(draw(figure.tex()), part)
    near = [
        (source, target, name)
        for source, target, way in found.lines
        for name, boxes in found.feet.items()
        if name not in (source, target)
        for box in boxes
        for leg in pairwise(way)
        if is_segment_across_box(*leg, grow_box(box, 0.1))
    ]
    assert near == []


@pytest.mark.slow
def test_a_line_meets_a_diamond_near_its_corner() -> None:
    """It seems to run into the box around it otherwise."""
    figure = load(CASES / "speculative.yaml")
    (part,) = (part for _, _, part in figure.parts(Topology))
    found = seen(draw(figure.tex()), part)
    ((left, *_),) = found.feet["acc"]
    (end,) = (way[-1] for source, target, way in found.lines if (source, target) == ("ver", "acc"))
    assert end[0] - left < 0.3


def test_texts_stand_beside_icons_above_their_wider_captions() -> None:
    """There is room for one of two opposite flows' texts, which lay between them."""
    figure = load(CASES / "agent.yaml")
    (part,) = (part for _, _, part in figure.parts(Topology))
    found = seen(draw(figure.tex()), part)
    legs = [leg for *_, way in found.lines for leg in pairwise(way)]
    assert [
        text for text in found.texts if any(is_segment_across_box(*leg, grow_box(text, 0.06)) for leg in legs)
    ] == []
