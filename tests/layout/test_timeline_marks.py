"""What stands beside spans: small figures to the byte and on paper, and the shelves that texts stand on."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import ROOT
from folded import unfold
from hypothesis import given
from hypothesis import strategies as st
from pictures.goldens import body_of

from tikzgen import Figure, load, render
from tikzgen.base.cache import Cache
from tikzgen.base.plane.units import CM_PER_PT
from tikzgen.compile.pdf import page_size
from tikzgen.compile.tex.compile_tex import Compiled, compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.layout import layout
from tikzgen.layout.timeline.marks.pack_shelves import SHELF_TEXT_GAP, Put, Want, pack
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.looks.icons import icons_of_figure

CASES = sorted((ROOT / "tests" / "cases" / "marks").glob("*.yaml"))


@cache
def compiled(case: Path) -> Compiled:
    return compile_tex(load(case).tex())


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_marks_are_drawn_as_reviewed(case: Path, golden: Callable[[Path, str], None]) -> None:
    golden(case.with_suffix(".tex"), body_of(render(load(case)).tex))


@pytest.mark.tex
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_marks_stay_on_their_page(case: Path) -> None:
    figure = load(case)
    scene = layout(figure, icons_of_figure(figure))
    values = {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}
    done = compiled(case)
    assert not lost_characters(done.log)
    planned = scene.extent.measure_width(values), scene.extent.measure_height(values)
    assert [size * CM_PER_PT for size in page_size(done.pdf)] == pytest.approx(planned, abs=0.02)


def timeline(**parts: object) -> str:
    lanes = [{"id": "g1"}, {"id": "g2"}]
    spans = [
        {"lane": "g1", "start": 0, "duration": 4},
        {"lane": "g2", "start": 4, "duration": 4},
        {"lane": "g1", "start": 8, "duration": 2},
    ]
    content = {"type": "timeline", "lanes": lanes, "spans": spans, **parts}
    return unfold(Figure.model_validate({"panels": [{"content": content}]}).tex()).partition("% tikzgen spec")[0]


def test_only_the_styles_that_are_used_stand_in_the_file() -> None:
    plain = timeline()
    for style in ("message", "critical", "leader", "brace", "bracket", "dimension", "tick", "tear", "levels", "sign"):
        assert f"{style}/.style" not in plain
    assert "dot sign/.style" in timeline(events=[{"time": 3, "mark": "dot"}])


@pytest.mark.parametrize("unit", [0.1, 0.42, 2.0])
def test_numbers_never_touch(unit: float) -> None:
    figure = {"lanes": [{"id": "g1"}], "axis": {"ticks": 1, "until": 120}, "type": "timeline"}
    tex = Figure.model_validate({"panels": [{"content": figure}], "spacing": {"timeunit": unit}}).tex()
    shown = re.search(r"\\foreach \\t in \{([0-9,.]+)\} \\node", tex)
    assert shown
    first, second, *_ = shown[1].split(",")
    assert (int(second) - int(first)) * unit > 0.4
    assert int(second) in (1, 2, 5, 10)


def test_ticks_keep_their_true_times_after_a_break() -> None:
    tex = timeline(
        spans=[{"lane": "g1", "start": 0, "duration": 4}, {"lane": "g1", "start": 100, "duration": 4}],
        axis={"ticks": 2, "breaks": [{"start": 10, "end": 96}]},
    )
    shown = re.search(r"\\foreach \\t/\\n in \{([^}]*)\}\s+\\node", tex)
    assert shown
    places = {text: Fraction(at) for at, text in (pair.split("/") for pair in shown[1].split(","))}
    assert places["104"] - places["100"] == 4
    assert places["100"] < 20
    assert not {"50", "90"} & set(places)


def test_critical_arrows_go_from_lane_to_lane_once() -> None:
    names = ["g1-compute1", "g2-compute1", "g1-compute2"]
    tex = timeline(critical=names, dependencies=[{"source": names[0], "target": names[1], "kind": "critical"}])
    assert tex.count("\\draw[critical arrow]") == 2


def test_what_a_strip_holds_above_its_limit_is_drawn_apart() -> None:
    times = [(0, 2, 1), (2, 5, 4), (6, 8, 3)]
    levels = [{"start": start, "end": end, "value": value} for start, end, value in times]
    tex = timeline(strips=[{"levels": levels, "cap": 3}])
    assert "\\path[levels] (0,0) coordinate (strip1) |- (2,1) |- (5,4) |- (6,0) |- (8,3) |- (8,0) -- cycle;" in tex
    assert tex.count("\\path[over]") == 1
    assert "\\path[over] (2,3) |- (5,4) |- (5,3) -- cycle;" in tex


wants = st.lists(
    st.builds(
        Want,
        key=st.uuids().map(str),
        width=st.floats(0.1, 4),
        depth=st.floats(0.1, 1),
        stems=st.floats(0, 10).map(lambda at: (at,)),
        centred=st.booleans(),
    ),
    max_size=6,
)


@given(wants)
def test_texts_on_shelves_never_overlap(asked: list[Want]) -> None:
    placed, depth = pack(asked, 0.05, 0.0, 10.0)
    assert set(placed) == {want.key for want in asked}
    puts = list(placed.values())
    assert all(0.05 <= put.near < put.far <= depth + 1e-9 for put in puts)
    for index, put in enumerate(puts):
        for other in puts[:index]:
            apart = put.start >= other.stop + SHELF_TEXT_GAP - 1e-9 or other.start >= put.stop + SHELF_TEXT_GAP - 1e-9
            assert apart or put.near >= other.far - 1e-9 or other.near >= put.far - 1e-9


def test_a_line_passes_beside_the_texts_that_stand_nearer() -> None:
    near = Put(2.0, 4.0, 3.0, (3.0,), 2.0, 0.0, 0.3)
    placed, _ = pack([Want(("note", 0), 1.0, 0.3, (3.0, 3.5, 4.3), centred=False)], 0.3, 0.0, 10.0, [near])
    assert placed["note", 0].stem == 4.3


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("mm:ss", ["00:00", "01:30", "03:00"]),
        ("m:ss", ["0:00", "1:30", "3:00"]),
        ("h:mm", ["0:00", "1:30", "3:00"]),
        ("hh:mm:ss", ["00:00:00", "00:01:30", "00:03:00"]),
        ("{n}T", ["0T", "90T", "180T"]),
    ],
)
def test_ticks_say_their_times_in_a_format(form: str, shown: list[str]) -> None:
    tex = timeline(axis={"ticks": 90, "until": 180, "format": form})
    pairs = re.search(r"\\foreach \\t/\\n in \{([^}]*)\}\s+\\node", tex)
    assert pairs
    assert [pair.partition("/")[2] for pair in pairs[1].split(",")] == shown


def test_periods_that_touch_are_measured_on_one_line() -> None:
    ends = [0, 2, 5, 8, 10]
    dimensions = [{"start": a, "end": b, "label": "p"} for a, b in pairwise(ends)]
    for side in ("before", "after"):
        tex = timeline(dimensions=[{**one, "side": side} for one in dimensions])
        lines = re.findall(r"\\draw\[dimension[^\]]*\] \(\[yshift=([^\]]*)\][^)]*,([^)]*)\)", tex)
        assert len(lines) == 4
        assert len(set(lines)) == 1


def test_a_strip_counts_the_spans_of_a_phase() -> None:
    spans = [
        {"lane": "g1", "start": 1, "duration": 4, "phase": "push"},
        {"lane": "g2", "start": 3, "duration": 4, "phase": "push"},
        {"lane": "g1", "start": 5, "duration": 1, "phase": "forward"},
    ]
    both, one = ({"of": "push"}, {"of": "push", "lane": "g2"})
    assert "(strip1) |- (1,0) |- (3,1) |- (5,2) |- (7,1) |- (7,0) -- cycle;" in timeline(spans=spans, strips=[both])
    assert "(strip1) |- (3,0) |- (7,1) |- (7,0) -- cycle;" in timeline(spans=spans, strips=[one])


def test_a_barrier_has_the_look_of_a_kind_of_flow() -> None:
    tex = timeline(barriers=[{"time": 4, "kind": "push"}, {"time": 8}])
    assert "push/.style={flow=otpurple, line width=1.2pt}" in tex
    assert tex.count("\\draw[push, -]") == tex.count("\\draw[barrier]") == 1


def test_a_bent_dependency_leaves_and_arrives_across_the_lanes() -> None:
    names = {"source": "g1-compute1", "target": "g2-compute1"}
    bent, plain = timeline(dependencies=[{**names, "route": "bend"}]), timeline(dependencies=[names])
    curve = re.search(
        r"(\(g1-compute1[^;]*) \.\. controls \((\S+)4,0\) and \((\S+)4,1\) \.\. (\(g2-compute1[^;]*);", bent
    )
    assert curve
    assert f"{curve[1]} -- {curve[4]};" in plain


EVERY_LABEL = {
    "spans": [
        {"lane": "g1", "start": 0, "duration": 4, "label": "load batch", "id": "load"},
        {"lane": "g2", "start": 4, "duration": 4, "label": "reduce", "id": "reduce"},
        {"lane": "g1", "start": 8, "duration": 2, "label": "save", "second": {"phase": "update", "label": "log"}},
    ],
    "bubbles": [{"lane": "g2", "start": 0, "end": 4, "label": "idle"}],
    "dependencies": [{"source": "load", "target": "reduce", "label": "gradient"}],
    "braces": [{"start": 0, "end": 4, "label": "a brace with a long label"}],
    "dimensions": [{"start": 4, "end": 8, "label": "4 ms"}],
    "events": [{"time": 6, "lane": "g2", "label": "checkpoint"}, {"time": 3, "label": "start"}],
    "remarks": [{"about": "reduce", "text": "waits for the slowest rank", "side": "before"}],
    "summary": "idle 30 %",
    "axis": {"ticks": 2, "unit": "ms"},
}


@pytest.mark.parametrize("summary", ["idle", "idle for 30 % of the time of all four ranks"])
def test_labels_are_level_if_time_runs_down(summary: str) -> None:
    content = {"type": "timeline", "lanes": [{"id": "g1"}, {"id": "g2"}], "direction": "down", **EVERY_LABEL}
    tex = Figure.model_validate({"panels": [{"content": {**content, "summary": summary}}]}).tex()
    body = body_of(tex)
    assert not re.search(r"node *\[[^\]]*along time", body)
    assert not re.search(r"\\(node|path)\[span[=,]", body)
    assert body.count("[flatspan=") + body.count("[flatfused=") == 4
    assert judge_figure("fig", tex, None, Cache(None)).findings == ()


def test_labels_too_wide_for_lanes_run_along_time() -> None:
    spans = [{"lane": "g1", "start": 0, "duration": 9, "label": "an all-reduce of all gradients of the last step"}]
    tex = timeline(direction="down", spans=spans)
    assert "[flatspan=" not in tex and "[span=9" in tex
