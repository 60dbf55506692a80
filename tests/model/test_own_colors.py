"""Any color may stand in a phase, a node or a kind of flow: the .tex defines it once, and what is in it can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure, loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import SpecError
from tikzgen.base.stock_colors import COLORS_BY_NAME, STOCK
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.looks import vision
from tikzgen.model.looks.own_colors import color_in
from tikzgen.model.looks.palettes import PALETTES, OwnColor, own_color, read_color
from tikzgen.model.looks.phase_and_flow_looks import Phase
from tikzgen.model.operations.figure_operations import Recolor
from tikzgen.model.part import shorten_description

SPEC = """phases: {{attention: {{color: {color}}}}}
kinds: {{warning: {{color: {color}}}}}
panels:
- content:
    type: timeline
    lanes: [{{id: g, label: G, band: {color}}}]
    spans: [{{lane: g, start: 0, duration: 2, phase: attention, label: a}}]
- content:
    type: topology
    nodes:
    - {{kind: node, id: a, color: {color}, parts: [{{label: x, color: {color}}}]}}
    - {{kind: worker, id: b, color: {color}}}
    flows: [{{source: a, target: b, kind: warning, label: go}}]
"""
_INKS = ("ink", "paper")
COLORS = {
    '"#cc0000"': "ownCC0000",
    '"#C00"': "ownCC0000",
    "cc0000": "ownCC0000",
    "red": "ownred",
    "DarkOrange": "owndarkorange",
    "yellow": "ownyellow",
    "navy": "ownnavy",
    '"#dae8fc"': "ownDAE8FC",
    "white": "ownwhite",
    "black": "ownblack",
    "gray": "owngray",
}


def findings(figure: Figure) -> list[str]:
    """What the rules find in a figure that is drawn without TeX."""
    return [str(each) for each in judge_figure("fig", figure.tex(), None, Cache(None)).findings]


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("color", COLORS)
def test_a_color_is_defined_once_and_can_be_read(color: str, palette: str) -> None:
    figure = loads(SPEC.format(color=color)).model_copy(update={"palette": palette})
    tex, name = figure.tex(), COLORS[color]
    assert len(re.findall(rf"\\definecolor\{{{name}\}}", tex)) == 1
    assert f"{name}!100!otbase" in tex
    assert "% legend entry for attention" in tex
    assert not [each for each in findings(figure) if "TG309" in each or "TG310" in each or "TG311" in each]


@given(st.one_of(st.sampled_from(sorted(COLORS_BY_NAME)), st.from_regex(r"#[0-9a-f]{6}", fullmatch=True)))
def test_texts_on_a_color_and_lines_in_it_can_be_read(written: str) -> None:
    color = read_color(written)
    assert isinstance(color, OwnColor)
    look = Phase(color=color)
    assert look.tint == 100
    assert look.contrast(look.text) >= vision.LEAST_CONTRAST
    for palette, names in PALETTES.items():
        line = vision.mix_colors(
            vision.color_of_hex(color_in(color, palette, filled=False, lined=True)),
            vision.color_of_hex(names["ink"]),
            0.8,
        )
        assert vision.compute_contrast(line, vision.color_of_hex(names["paper"])) >= 3


@given(st.integers(0, 0xFFFFFF))
def test_a_color_on_white_paper_is_as_written_unless_no_text_on_it_can_be_read(value: int) -> None:
    color = OwnColor(f"own{value:06X}")
    contrasts = [
        vision.compute_contrast(vision.color_of_hex(color.value), vision.color_of_hex(PALETTES["light"][each]))
        for each in _INKS
    ]
    assert (color_in(color, "light") == color.value) == (max(contrasts) >= vision.LEAST_CONTRAST)


def test_a_spec_keeps_a_color_as_it_is_written() -> None:
    figure = loads(SPEC.format(color='"#c00"'))
    data = shorten_description(figure)
    assert data["kinds"]["warning"]["color"] == "#CC0000"
    assert Figure.model_validate(data) == figure
    assert shorten_description(loads(SPEC.format(color="Navy")))["kinds"]["warning"]["color"] == "navy"
    assert read_color("ownCC0000") == read_color("#cc0000") == own_color("ownCC0000")
    assert {own_color(each) for each in ("ownrad", "owncc0000", "otblue", "own")} == {None}


def test_names_mean_what_they_mean_in_tex_and_else_in_css() -> None:
    assert (len(COLORS_BY_NAME), COLORS_BY_NAME["steelblue"], COLORS_BY_NAME["green"]) == (148, "4682B4", "00FF00")
    assert STOCK.keys() <= COLORS_BY_NAME.keys()


REFUSED: dict[str, str] = {
    "rad": 'phases.attention.color: "rad" is not a color (did you mean "red"?)',
    "otgreen": '"otgreen" is not a color (write a name of the palette (otblue, ',
    "red!50": '"red!50" is not a color (',
    "'#12345'": '"#12345" is not a color (write a name of the palette (otblue, ',
    "112233": '"112233" is not a color (write it in quotes: "#112233")',
    "[red]": "is not a color (write a name",
}


@pytest.mark.parametrize("color", REFUSED)
def test_what_is_not_a_color_is_refused_at_its_field(color: str) -> None:
    with pytest.raises(SpecError) as refused:
        loads(SPEC.format(color=color))
    assert REFUSED[color] in str(refused.value)


def test_a_color_that_yaml_reads_as_a_comment_is_not_lost() -> None:
    spec = "panels:\n- content:\n    type: topology\n    nodes:\n    - id: a\n      color: #cc0000\n"
    with pytest.raises(SpecError) as refused:
        loads(spec)
    assert '6:14: "#cc0000" is a comment, not a color (put it in quotes: "#cc0000")' in str(refused.value)
    assert loads(spec.replace("#cc0000", '"#cc0000" # a color'))


ALIKE = """phases:
  attention: {{color: "#cc0000"}}
  mlp: {{color: "#cc1100"{}}}
panels:
- content:
    type: timeline
    lanes: [{{id: g, label: G}}]
    spans:
    - {{lane: g, start: 0, duration: 2, phase: attention}}
    - {{lane: g, start: 2, duration: 2, phase: mlp}}
"""


def test_phases_that_look_alike_are_found_at_their_field() -> None:
    spec = ALIKE.format("")
    (found,) = judge_figure("fig.yaml", loads(spec).tex(), spec, Cache(None)).findings
    assert (found.code, found.place.line, found.place.column) == ("TG311", 3, 3)
    assert found.hint == "phases: {mlp: {hatch: dots}}"
    hatched = ALIKE.format(", hatch: dots")
    assert judge_figure("fig.yaml", loads(hatched).tex(), hatched, Cache(None)).findings == ()


def test_recolor_takes_any_color_and_keeps_a_value_edited_by_hand(tmp_path: Path) -> None:
    spec, tex = tmp_path / "fig.yaml", tmp_path / "fig.tex"
    spec.write_text(SPEC.format(color='"#cc0000"'), encoding="utf-8")
    assert run("render", str(spec), "-o", str(tex)).status == 0
    edited = tex.read_text(encoding="utf-8").replace("{HTML}{CC0000}", "{HTML}{BB0000}")
    tex.write_text(edited, encoding="utf-8")
    assert run("check", str(tex)).status == 0
    assert run("edit", str(tex), "recolor", "b=navy", "+", "recolor", "attention=teal").status == 0
    after = tex.read_text(encoding="utf-8")
    assert "{HTML}{BB0000}" in after
    assert re.search(r"\\definecolor\{ownnavy\}", after)
    assert "attention phase/.style={fill=ownteal!100!otbase" in after
    contract = json.loads((tmp_path / "fig.meta.json").read_text(encoding="utf-8"))["edit_contract"]
    assert "ownnavy, ownteal" in contract["invariants"][-1]


def test_recoloring_a_phase_fills_it_with_the_color() -> None:
    figure = recolored(loads(SPEC.format(color="otblue")), "attention", "red")
    assert (figure.phases["attention"].color, figure.phases["attention"].tint) == ("ownred", 100)
    assert recolored(figure, "attention", "otteal").phase("attention").tint == 25


def recolored(figure: Figure, what: str, color: str) -> Figure:
    """The figure after the operation."""
    return Recolor.model_validate({"do": "recolor", "what": what, "color": color}).change(figure)
