"""Every branch of every template of a figure is drawn without TeX, but for what takes other fonts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from conftest import EXAMPLES, ROOT
from dense_timelines import LANES, figure, spans
from drawn_ink import compare
from random_drawings import set_by_tex
from template_branches import Watched

from tikzgen import Figure, Timeline, load, loads, render
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.emit import environment
from tikzgen.model.timeline.timeline_marks import Dependency
from tikzgen.model.timeline.timeline_parts import Lane
from tikzgen.spec.settings.house_style import STYLE

CASES = ROOT / "tests" / "cases"
FILES = """marks/lanes-down marks/up marks/right timelines/cells-down drawing/branches drawing/branches2
drawing/branches3 drawing/branches4 drawing/branches5 drawing/branches6 crowded/mixed-texts slides/panels
text/broken-cells text/everywhere topologies/marks topologies/chips swept/messages cells/everything
cells/rarer-cells"""
"""Specs that together with the figures below take every branch that no example takes."""
OTHER_FILES = (
    "boxes",
    "fragment",
    "housed",
    "metrics",
    "paper",
    "preamble",
    "probe_job",
    "slide_pages",
)  # no figure's own .tex
REFUSED = {"borrowed.tex.j2"}
"""What takes other fonts, and the file that shows it: such texts are refused by name."""
UNREACHED = {"elements.tex.j2": 1, "mass.tex.j2": 1, "topology.tex.j2": 1}
"""How many branches no figure here takes: the title of an upright timeline away from its lanes, a span of several lanes
among very many that something points to, a curve in a scope that is a line for points alone."""


BARBS = [f"{STYLE}{CASES / 'drawing' / 'branches-barbs.yaml'}"]
FIGURES: dict[str, Callable[[], Figure]] = {
    **{name: partial(load, CASES / f"{name}.yaml") for name in FILES.split()},
    "timelines/cells-barbs": lambda: load(CASES / "timelines/cells.yaml", settings=BARBS),
    "drawing/branches3-barbs": lambda: load(CASES / "drawing/branches3.yaml", settings=BARBS),
    "mass/workers": lambda: loads("recipe: two-phase-commit\nworkers: 64\n"),
    "timelines/assumed": lambda: loads(
        "recipe: pipeline\nschedule: zb-v\ndevices: 2\nmicrobatches: 2\nforward: [1, 2]\n"
    ),
    "topologies/all-to-all-8": partial(load, CASES / "topologies/all-to-all-8.yaml"),
    "mass/numbers-down": lambda: rows("down", number=7),
    "mass/two-lines-right": lambda: rows("right", label="one\ntwo"),
    "mass/two-lines-up": lambda: rows("up", label="one\ntwo"),
    "mass/idle-down": lambda: rows("down", label="idle time", phase="idle"),
    "mass/narrow-down": lambda: rows("down", {"laneheight": 0.6}, label="idle time", phase="idle"),
}
NOT_IN_FAST_RUNS = {"drawing/branches3", "drawing/branches3-barbs"}
_NUMBER = re.compile(r"\d+(\.\d+)?")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in NOT_IN_FAST_RUNS)) for name in FIGURES]
)
def test_figure_is_rendered_as_reviewed(name: str, golden: Callable[[Path, str], None]) -> None:
    """The golden has the TeX without the contract; of lines that differ in numbers alone it has the first."""
    tex = render(FIGURES[name]()).tex.partition("\\end{document}")[0]
    lines = {_NUMBER.sub("0", line): line for line in reversed(tex.splitlines())}
    golden(ROOT / "tests" / "goldens" / "branches" / f"{name}.tex", "\n".join(reversed(lines.values())) + "\n")


def rows(direction: str, spacing: Mapping[str, float] = MappingProxyType({}), **facts: Any) -> Figure:
    arrow = Dependency(source="gpu0-forward1", target="gpu1-backward1") if "phase" not in facts else None
    lanes = [Lane(id=lane.id, label="") for lane in LANES]
    found = Timeline(lanes=lanes, spans=spans(601, **facts), direction=direction, dependencies=[arrow] if arrow else [])
    return figure(found, spacing={"timeunit": 0.6, **spacing})


@pytest.mark.slow
def test_every_branch_of_the_templates_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    monkeypatch.setattr(environment, "make_environment", lambda folders=(): watched)
    for shown in [*map(load, EXAMPLES), *(make() for make in FIGURES.values())]:
        draw(render(shown).tex)
    drawn = set(watched.taken)
    with pytest.raises(Unsupported):
        draw(render(load(CASES / "text" / "borrowed.yaml")).tex)
    assert {name for name, _, _ in watched.taken - drawn} == REFUSED
    for name in watched.list_templates(extensions=["j2"]):
        if name.endswith(".tex.j2") and name.partition(".")[0] not in OTHER_FILES:
            watched.get_template(name)
    left = {branch for branch in watched.all - drawn if branch[0].partition(".")[0] not in OTHER_FILES}
    assert Counter(name for name, _, _ in left if name not in REFUSED) == UNREACHED, sorted(left)


@pytest.mark.tex
def test_pdftex_puts_them_where_they_are_drawn(tmp_path: Path) -> None:
    sources = [render(load(CASES / "drawing" / f"branches{number}.yaml")).tex for number in ("", "2", "3", "4")]
    for source, ink in set_by_tex(sources, tmp_path).items():
        compare(draw(source), ink)
