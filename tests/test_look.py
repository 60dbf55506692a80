"""Colours that people can read: contrast, and phases that stay apart without colour. Ratios are WCAG 2.1's."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import pytest

from tikzgen import Figure, Lane, Panel, Span, Timeline
from tikzgen.model.look import FLOW_KINDS, PALETTES, PHASES, FlowKind
from tikzgen.recipe import recipe

# Phases that stand in one figure of ours; the others never meet.
TOGETHER = [
    ("idle", "forward-backward", "update"),
    ("compute", "fetch", "push"),
    ("idle", "forward", "backward"),
    ("forward", "backward", "communication"),
    ("idle", "forward", "backward", "input-grad", "weight-grad"),
    ("idle", "forward", "backward", "all-reduce", "update"),
    ("idle", "forward", "backward", "all-gather", "reduce-scatter"),
    ("idle", "step", "average"),
]


def channels(value: str) -> list[float]:
    return [int(value[start : start + 2], 16) / 255 for start in (0, 2, 4)]


def mixed(color: str, share: float, other: str, palette: dict[str, str]) -> list[float]:
    pairs = zip(channels(palette[color]), channels(palette[other]), strict=True)
    return [one * share / 100 + two * (100 - share) / 100 for one, two in pairs]


def luminance(color: list[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list[float], other: list[float]) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def lightness(color: list[float]) -> float:
    """CIE L*, 0 to 100."""
    y = luminance(color)
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


@pytest.mark.parametrize("palette", PALETTES)
def test_text_is_readable_on_every_fill(palette: str) -> None:
    colors = PALETTES[palette]
    ink, paper = channels(colors["ink"]), channels(colors["paper"])
    for name, phase in PHASES.items():
        assert contrast(ink, mixed(phase.color, phase.tint, "paper", colors)) >= 4.5, name
    for color in ("otblue", "otorange", "otteal", "otpurple", "otgray"):
        assert contrast(mixed(color, 60, "ink", colors), paper) >= 4.5, f"flow labels in {color}"
        assert contrast(mixed(color, 80, "ink", colors), paper) >= 3, f"flows in {color}"
    assert contrast(mixed("otgray", 85, "ink", colors), paper) >= 4.5, "labels"


@pytest.mark.parametrize("palette", PALETTES)
def test_a_parameter_server_s_own_looks_keep_apart_too(palette: str) -> None:
    colors = PALETTES[palette]
    looks = recipe("stale-synchronous")().looks() | {"idle": PHASES["idle"]}  # type: ignore[attr-defined]
    for one, other in itertools.combinations(looks.values(), 2):
        apart = abs(
            lightness(mixed(one.color, one.tint, "paper", colors))
            - lightness(mixed(other.color, other.tint, "paper", colors))
        )
        assert apart >= 5 or one.hatch != other.hatch, (one.label, other.label, apart)
    for look in looks.values():
        assert contrast(channels(colors["ink"]), mixed(look.color, look.tint, "paper", colors)) >= 4.5, look.label


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("chunks", [2, 4, 16])
def test_numbers_are_readable_on_every_shade_of_a_chunk(palette: str, chunks: int) -> None:
    colors = PALETTES[palette]
    for name in ("forward", "backward", "input-grad", "weight-grad"):
        cells = [
            Span(lane="gpu", start=Fraction(2 * k), duration=Fraction(1), phase=name, chunk=k) for k in range(chunks)
        ]
        figure = Figure(panels=[Panel(content=[Timeline(lanes=[Lane(id="gpu")], spans=cells)])])
        shades = re.findall(r"fill=(ot\w+)!(\d+)!paper", figure.tex())
        assert len(shades) >= chunks, name
        for color, tint in shades:
            assert contrast(channels(colors["ink"]), mixed(color, int(tint), "paper", colors)) >= 4.5, (name, tint)


@pytest.mark.parametrize("palette", PALETTES)
def test_phases_that_meet_keep_apart_in_greyscale(palette: str) -> None:
    for group in TOGETHER:
        for one, other in itertools.combinations(group, 2):
            fills = [mixed(PHASES[name].color, PHASES[name].tint, "paper", PALETTES[palette]) for name in (one, other)]
            apart = abs(lightness(fills[0]) - lightness(fills[1]))
            assert apart >= 5 or PHASES[one].hatch != PHASES[other].hatch, (one, other, apart)


_TIKZ = ("fill", "draw", "text", "node", "shape", "icon", "frame", "circle", "group", "grad", "cell")


def test_styles_of_flows_hide_no_key_of_tikz_and_no_style_of_ours() -> None:
    nodes = [{"kind": "worker", "id": name} for name in ("w1", "w2")]
    flows = [{"source": "w1", "target": "w2", "kind": name} for name in _TIKZ]
    content = {"type": "topology", "nodes": nodes, "flows": flows}
    named = Figure(panels=[{"content": content}], kinds={name: {} for name in _TIKZ})
    styled = named.model_copy(update={"kinds": {name: FlowKind(style=name) for name in _TIKZ}})
    assert styled.tex().partition("\\end{document}")[0] == named.tex().partition("\\end{document}")[0]
    for name in _TIKZ:
        assert f"    {name} flow/.style={{draw=otgray" in named.tex()
        assert f"\\draw[{name} flow] " in named.tex()
    built_in = {name: look.tikz_style(name) for name, look in FLOW_KINDS.items()}
    assert {built_in["data"], built_in["gradient"], built_in["weight"]} == {"data", "grad", "wts"}


def test_flows_that_meet_differ_in_dash_or_text_too() -> None:
    for one, other in (("gradient", "weight"), ("push", "fetch")):
        assert FLOW_KINDS[one].color != FLOW_KINDS[other].color
        assert FLOW_KINDS[one].dash != FLOW_KINDS[other].dash
