"""Any color may stand in a phase, a node or a kind of flow: the .tex defines it once, and what is in it can be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure, loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import SpecError
from tikzgen.base.stock_colors import NAMED, STOCK
from tikzgen.model import vision
from tikzgen.model.base import shortest
from tikzgen.model.own_colors import color_in
from tikzgen.model.palettes import PALETTES, OwnColor, own_color, read_color
from tikzgen.model.phase_and_flow_looks import Phase
from tikzgen.probe.judging import judged

SPEC = """phases: {{attention: {{color: {color}}}}}
kinds: {{warning: {{color: {color}}}}}
panels:
- content:
    type: timeline
    lanes: [{{id: g, label: G, band: {color}}}]
    spans: [{{lane: g, start: 0, duration: 2, phase: attention, label: a}}]
- content:
    type: topology
    nodes: [{{kind: node, id: a, color: {color}, parts: [{{label: x, color: {color}}}]}}, {{kind: worker, id: b, color: {color}}}]
    flows: [{{source: a, target: b, kind: warning, label: go}}]
"""
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
    return [str(each) for each in judged("fig", figure.tex(), None, Cache(None)).findings]


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("color", COLORS)
def test_a_color_is_defined_once_and_can_be_read(color: str, palette: str) -> None:
    figure = loads(SPEC.format(color=color)).model_copy(update={"palette": palette})
    tex, name = figure.tex(), COLORS[color]
    assert len(re.findall(rf"\\definecolor\{{{name}\}}", tex)) == 1
    assert f"{name}!100!paper" in tex
    assert "% legend entry for attention" in tex
    assert not [each for each in findings(figure) if "TG309" in each or "TG310" in each or "TG311" in each]
