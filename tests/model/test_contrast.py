"""Colors that people can read: contrast of WCAG 2.1, lightness of phases, and phases that all readers distinguish."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from functools import cache

import pytest

from tikzgen import Figure, Lane, Panel, Span, Timeline, loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import SpecError
from tikzgen.layout.scene.phase_shades import GREY, shade_by_owner, shade_phases
from tikzgen.layout.scene.tikz_styles_used import with_hatches
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.looks import vision
from tikzgen.model.looks.palettes import HUES, PALETTES
from tikzgen.model.looks.phase_and_flow_looks import (
    FLOW_KINDS,
    GROUND_CONTRASTS,
    HATCHES,
    MEETING,
    PHASES,
    ROLES,
    FlowKind,
    Phase,
)


def text_of(phase: Phase, palette: str) -> vision.Color:
    """The color of labels on a phase."""
    return vision.color_of_hex(PALETTES[palette][phase.text])


@pytest.mark.parametrize("palette", PALETTES)
def test_text_is_readable_on_every_fill(palette: str) -> None:
    colors = {name: vision.color_of_hex(value) for name, value in PALETTES[palette].items()}
    for name, phase in PHASES.items():
        assert vision.compute_contrast(text_of(phase, palette), phase.fill(palette)) >= 4.5, name
    for color in HUES:
        for share, least in ((0.6, 4.5), (0.8, 3)):
            line = vision.mix_colors(colors[color], colors["ink"], share)
            assert vision.compute_contrast(line, colors["paper"]) >= least, f"labels and lines of flows in {color}"
    labels = vision.mix_colors(colors["otgray"], colors["ink"], 0.85)
    assert vision.compute_contrast(labels, colors["paper"]) >= 4.5, "labels"


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("chunks", [2, 4, 16])
def test_numbers_are_readable_on_every_shade_of_a_chunk(palette: str, chunks: int) -> None:
    colors = PALETTES[palette]
    for name in ("forward", "backward", "input-grad", "weight-grad", "all-reduce", "update"):
        cells = [
            Span(lane="gpu", start=Fraction(2 * k), duration=Fraction(1), phase=name, chunk=k) for k in range(chunks)
        ]
        figure = Figure(panels=[Panel(content=[Timeline(lanes=[Lane(id="gpu")], spans=cells)])])
        shades = re.findall(r"fill=(ot\w+)!(\d+)!(otbase|ink)(?:, text=(paper|otblack))?}", figure.tex())
        assert len(shades) == chunks, name
        for color, share, other, text in shades:
            fill = vision.mix_colors(
                vision.color_of_hex(colors[color]), vision.color_of_hex(colors[other]), int(share) / 100
            )
            assert vision.compute_contrast(vision.color_of_hex(colors[text or "ink"]), fill) >= 4.5, (name, share)


TARGETS = {
    "light": {"paper": 100, "idle": 96, "forward": 79, "weight-grad": 72, "input-grad": 66, "backward": 42},
    "dark": {"paper": 10, "idle": 14, "forward": 40, "weight-grad": 52, "input-grad": 62, "backward": 76},
}
"""Lightness L* of the background and of the phases of a pipeline."""


@pytest.mark.parametrize("palette", PALETTES)
def test_the_lightness_of_phases_is_that_of_the_design(palette: str) -> None:
    fills = {name: look.fill(palette) for name, look in PHASES.items()}
    fills["paper"] = vision.color_of_hex(PALETTES[palette]["paper"])
    found = {name: vision.compute_lightness(fills[name]) for name in TARGETS[palette]}
    assert found == pytest.approx(TARGETS[palette], abs=1.5)


@pytest.mark.parametrize("palette", PALETTES)
def test_work_is_clear_of_the_background_and_has_a_color_in_the_dark(palette: str) -> None:
    ground = vision.color_of_hex(PALETTES[palette]["paper"])
    for name, look in PHASES.items():
        if name != "idle":
            assert vision.compute_contrast(look.fill(palette), ground) >= GROUND_CONTRASTS[palette], name
            assert palette == "light" or vision.compute_chroma(look.fill(palette)) >= 24.5, name


@pytest.mark.parametrize("palette", PALETTES)
def test_rare_phases_are_nearer_to_the_background_than_the_main_work(palette: str) -> None:
    ground = vision.color_of_hex(PALETTES[palette]["paper"])
    far = {name: vision.compute_contrast(look.fill(palette), ground) for name, look in PHASES.items()}
    for work in ("backward", "forward-backward", "compute"):
        assert far["update"] < far[work]


@pytest.mark.parametrize("palette", PALETTES)
def test_phases_that_meet_are_distinct_for_all_readers(palette: str) -> None:
    for group in MEETING:
        for one, other in itertools.combinations(group, 2):
            assert vision.are_distinct(PHASES[one].fill(palette), PHASES[other].fill(palette)), (one, other)


@pytest.mark.parametrize("palette", PALETTES)
def test_roles_of_memory_are_distinct_and_their_texts_are_readable(palette: str) -> None:
    together = [ROLES[name] for name in ("parameters", "gradients", "optimizer", "activations")]
    for one, other in itertools.combinations(together, 2):
        assert vision.are_distinct(one.fill(palette), other.fill(palette)), (one.label, other.label)
    for name, look in ROLES.items():
        assert vision.compute_contrast(text_of(look, palette), look.fill(palette)) >= 4.5, name


def test_phases_need_no_hatch_and_idle_is_nearest_to_the_paper() -> None:
    for palette, colors in PALETTES.items():
        paper = vision.compute_lightness(vision.color_of_hex(colors["paper"]))
        far = {name: abs(vision.compute_lightness(look.fill(palette)) - paper) for name, look in PHASES.items()}
        assert min(far, key=lambda name: far[name]) == "idle"
    assert {look.hatch for look in PHASES.values()} == {"none"}


def _alone(*phases: str, **options: object) -> Figure:
    spans = [Span(lane="gpu", start=Fraction(2 * k), duration=Fraction(2), phase=name) for k, name in enumerate(phases)]
    return Figure.model_validate(
        {"panels": [Panel(content=[Timeline(lanes=[Lane(id="gpu")], spans=spans)])], **options}
    )


def test_any_phases_that_meet_are_distinct_or_hatched() -> None:
    for met in (*itertools.combinations(PHASES, 2), tuple(PHASES)):
        looks = with_hatches(_alone(*met), {name: PHASES[name] for name in met})
        for (one, look), (other, second) in itertools.combinations(looks.items(), 2):
            apart = all(vision.are_distinct(look.fill(palette), second.fill(palette)) for palette in PALETTES)
            assert apart or look.hatch != second.hatch or look.label == second.label, (met, one, other)


def test_a_hatch_is_drawn_only_where_phases_would_be_alike() -> None:
    for group in MEETING:
        assert "hatch lines" not in _alone(*group).tex()
    both = _alone("push", "communication").tex()
    assert "communication phase/.style={fill=otpurple!95!ink, text=otblack}" in both
    assert "push phase/.style={fill=otpurple!95!ink, text=otblack, hatch lines" in " ".join(both.split())
    assert "hatch lines" not in _alone("push", "communication", phases={"push": {"hatch": "none"}}).tex()


@pytest.mark.parametrize("palette", PALETTES)
def test_lines_of_a_hatch_are_seen_on_its_fill(palette: str) -> None:
    for name in HATCHES:
        look = PHASES[name]
        lines = look.model_copy(update={"tint": look.hatch_tint})
        assert abs(vision.compute_lightness(lines.fill(palette)) - vision.compute_lightness(look.fill(palette))) >= 7, (
            name
        )


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("eyes", vision.EYES)
def test_shades_of_two_chunks_are_told_apart_as_check_asks(palette: str, eyes: str) -> None:
    phases = ("forward", "backward", "input-grad", "weight-grad")
    looks = shade_phases(PHASES, {"idle": {0}, **{name: {0, 1} for name in phases}})
    assert len(looks) == 9
    for (one, look), (other, second) in itertools.combinations(looks.items(), 2):
        assert vision.compute_difference(look.fill(palette), second.fill(palette), eyes) > 5, (one, other)


def test_shades_of_what_is_alike_or_hatched_keep_their_spread() -> None:
    alone = shade_phases(PHASES, {"forward": {0, 1}})
    hatched = PHASES["weight-grad"].model_copy(update={"hatch": "dots"})
    for other in (PHASES["compute"], hatched):
        both = shade_phases({"forward": PHASES["forward"], "other": other}, {"forward": {0, 1}, "other": {0, 1}})
        assert [both["forward", chunk] for chunk in (0, 1)] == [alone["forward", chunk] for chunk in (0, 1)]


_TIKZ = ("fill", "draw", "text", "node", "shape", "icon", "frame", "circle", "group", "grad", "cell")


def test_styles_of_flows_hide_no_key_of_tikz_and_no_style_of_ours() -> None:
    nodes = [{"kind": "worker", "id": name} for name in ("w1", "w2")]
    flows = [{"source": "w1", "target": "w2", "kind": name} for name in _TIKZ]
    content = {"type": "topology", "nodes": nodes, "flows": flows}
    named = Figure(panels=[{"content": content}], kinds={name: {} for name in _TIKZ})
    styled = named.model_copy(update={"kinds": {name: FlowKind(style=name) for name in _TIKZ}})
    assert styled.tex().partition("\\end{document}")[0] == named.tex().partition("\\end{document}")[0]
    for name in _TIKZ:
        assert f"    {name} flow/.style={{flow=otgray" in named.tex()
        assert f"\\draw[{name} flow] " in named.tex()
    built_in = {name: look.tikz_style(name) for name, look in FLOW_KINDS.items()}
    assert {built_in["data"], built_in["gradient"], built_in["weight"]} == {"data", "grad", "wts"}


def test_flows_that_meet_differ_in_dash_or_text_too() -> None:
    for one, other in (("gradient", "weight"), ("push", "fetch")):
        assert FLOW_KINDS[one].color != FLOW_KINDS[other].color
        assert FLOW_KINDS[one].dash != FLOW_KINDS[other].dash


OWNED = ("forward", "backward", "all-gather", "reduce-scatter")
OWNERS_COUNT = 12


@cache
def by_owner() -> dict[tuple[str, int], Phase]:
    return shade_by_owner(PHASES, {key: {*range(1, OWNERS_COUNT + 1), GREY} for key in OWNED}, OWNERS_COUNT)


@pytest.mark.parametrize("palette", PALETTES)
def test_texts_on_fills_of_owners_are_readable(palette: str) -> None:
    for look in by_owner().values():
        assert vision.compute_contrast(text_of(look, palette), look.fill(palette)) >= 4.5


def test_phases_of_one_owner_differ_in_their_hatch() -> None:
    for owner in (*range(1, OWNERS_COUNT + 1), GREY):
        looks = [by_owner()[phase, owner] for phase in OWNED]
        assert len({(look.color, look.tint) for look in looks}) == 1
        assert len({look.hatch for look in looks}) == len(OWNED)
        assert looks[0].hatch == "none"


def test_hatches_distinguish_more_owners_of_one_phase() -> None:
    looks = shade_by_owner(PHASES, {"forward": {*range(1, 73)}, "idle": {0}}, 72)
    assert len({(look.color, look.tint, look.hatch) for (name, _), look in looks.items() if name == "forward"}) == 72
    assert looks["idle", 0] == PHASES["idle"]


TIMELINES = ["ddp", "fsdp", "local-sgd", "pipeline", "ring-all-reduce", "rollouts", "serving", "stale-synchronous"]
PLAIN = ["gradient-accumulation", "parameter-server"]  # their cells have no numbers


@pytest.mark.parametrize("recipe", PLAIN)
def test_what_has_no_number_is_no_microbatch(recipe: str) -> None:
    with pytest.raises(SpecError, match="no span has a number to be a microbatch"):
        loads(f"recipe: {recipe}\ncolor_by: microbatch\n").tex()


@pytest.mark.parametrize(
    ("recipe", "by"),
    [
        pytest.param(one, by, marks=[pytest.mark.slow] * (one not in ("pipeline", "local-sgd")))
        for by, all_of in (("microbatch", TIMELINES), ("lane", TIMELINES + PLAIN))
        for one in all_of
    ],
)
def test_every_timeline_is_coloured_by_what_its_cells_belong_to(recipe: str, by: str) -> None:
    plain, tex = (loads(f"recipe: {recipe}\n{more}width: 17.8\n").tex() for more in ("", f"color_by: {by}\n"))
    assert len(set(re.findall(r"shade [1-4]/\.style", tex))) >= 2
    codes = [
        [finding.code for finding in judge_figure("fig", each, None, Cache(None)).findings] for each in (plain, tex)
    ]
    assert codes[0] == codes[1]


def test_layers_are_told_by_hue_and_phases_by_lightness() -> None:
    tex = loads("recipe: fsdp\ncolor_by: layer\n").tex()
    cells = re.findall(r"span=\S+, (\S+) shade (\d)\] \(\S+\) at \S+ \{\\\w+cell\{(\d+)\}", tex)
    assert {phase for phase, _, _ in cells} >= {"forward", "all-gather"}
    assert all(int(hue) == int(layer) % 4 + 1 for _, hue, layer in cells)
    assert "\\def\\hueslabel{layer 0, 1, 2, 3" in tex


def test_the_legend_has_every_hue_though_no_phase_has_all() -> None:
    """Computing has two of the four lanes, and communication the others."""
    tex = loads("recipe: ddp\ncolor_by: lane\n").tex()
    assert re.findall(r"swatch, (.+) shade (\d), anchor=west\] \(legend-hues", tex) == [
        ("forward", "1"),
        ("all-reduce", "2"),
        ("forward", "3"),
        ("all-reduce", "4"),
    ]


ODD = [
    "spans: [{lane: a, start: 0, duration: 1, phase: forward, number: 1, second: {phase: backward, number: 0}}]",
    "spans: [{lane: a, start: 0, duration: 1, phase: idle, number: 1}]",
]


@pytest.mark.parametrize("by", ["lane", "microbatch"])
@pytest.mark.parametrize("legend", ["entries: []", "entries: [idle]", "position: none"])
@pytest.mark.parametrize("spans", ODD)
def test_hues_of_odd_timelines_are_drawn(spans: str, legend: str, by: str) -> None:
    part = f"type: timeline, lanes: [{{id: a}}], {spans}"
    spec = f"panels: [{{content: {{{part}}}}}]\nlegend: {{{legend}}}\ncolor_by: {by}\n"
    assert "shade" in loads(spec).tex()
