"""Phases that a figure names without a color are told apart, and the legend explains them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure, Lane, Panel, Span, Timeline, loads
from tikzgen.base.cache import Cache
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.looks import vision
from tikzgen.model.looks.palettes import PALETTES
from tikzgen.model.looks.phase_and_flow_looks import PHASES, Phase
from tikzgen.model.timeline.phase_ladder import LADDER, STEPS, are_alike

THREE = {"read": {}, "train": {}, "write": {}}


def of_phases(names: list[str], **options: Any) -> Figure:
    """A figure with a span of each phase."""
    spans = [Span(lane="a", start=Fraction(2 * k), duration=Fraction(2), phase=name) for k, name in enumerate(names)]
    return Figure(panels=[Panel(content=[Timeline(lanes=[Lane(id="a", label="A")], spans=spans)])], **options)


def entries(tex: str) -> list[str]:
    """The legend's texts."""
    return [line.partition("{")[2].partition("}")[0] for line in tex.splitlines() if "% legend entry for " in line]


@pytest.mark.parametrize("palette", PALETTES)
def test_each_has_a_color_and_a_legend_entry(palette: str) -> None:
    figure = of_phases(list(THREE), phases=THREE, palette=palette, width=8.4)
    assert len({(look.color, look.tint) for look in map(figure.phase, THREE)}) == 3
    assert entries(figure.tex()) == ["read", "train", "write"]
    assert judge_figure("fig", figure.tex(), None, Cache(None)).findings == ()


def test_steps_keep_apart_and_their_numbers_can_be_read() -> None:
    for one, other in combinations(STEPS, 2):
        assert not are_alike(one, other, PALETTES), (one, other)
    for step in STEPS[: len(LADDER)]:
        assert step.contrast(step.text) >= vision.LEAST_CONTRAST


names = st.lists(st.sampled_from([*PHASES, "read", "write", "to-disk", "x", "y", "z", "a", "b", "c"]), unique=True)


@given(names.filter(bool))
def test_no_own_phase_is_like_another_phase(shown: list[str]) -> None:
    own = [name for name in shown if name not in PHASES]
    figure = of_phases(shown, phases={name: {} for name in own})
    for name in own:
        for other in shown:
            assert name == other or not are_alike(figure.phase(name), figure.phase(other), PALETTES)


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        ({"color": "otteal"}, ("read", "otteal", 25, "none")),
        ({"tint": 60}, ("read", "otgray", 60, "none")),
        ({"label": "Reading"}, ("Reading", "otblue", 39, "none")),
        ({"label": ""}, ("", "otblue", 39, "none")),
        ({"color": "#c00", "label": ""}, ("", "ownCC0000", 100, "none")),
        ({"color": "Red", "tint": 40}, ("read", "ownred", 40, "none")),
        ({"hatch": "dots"}, ("read", "otblue", 39, "dots")),
        ({"cell": "R{n}"}, ("read", "otblue", 39, "none")),
    ],
)
def test_what_is_said_stands(look: dict[str, Any], expected: tuple[str, str, int, str]) -> None:
    found = of_phases(["read"], phases={"read": look}).phase("read")
    assert (found.label, found.color, found.tint, found.hatch) == expected


def test_a_step_that_others_have_is_passed_over() -> None:
    """`forward` has the first step, and `write` a color near to the second."""
    figure = of_phases(["forward", "read", "write"], phases={"read": {}, "write": {"color": "otorange", "tint": 96}})
    assert figure.phase("read").color == "otteal"
    assert of_phases(["forward", "read"], phases={"read": {}}).phase("read").color == "otorange"
    assert of_phases(["read"], phases={"read": {}}).phase("read").color == "otblue"


def test_names_are_read_as_words() -> None:
    assert entries(of_phases(["to-disk"], phases={"to-disk": {}}).tex()) == ["to disk"]


def test_a_changed_figure_is_looked_at_anew() -> None:
    figure = of_phases(["read"], phases={"read": Phase()})
    assert figure.phase("read").color == "otblue"
    figure.phases["more"] = Phase()
    assert figure.phase("more").color == "otorange"
    changed = figure.model_copy(update={"panels": of_phases(["forward", "read"], phases={"read": {}}).panels})
    assert changed.phase("read").color == "otorange"


def test_more_phases_than_steps_are_drawn() -> None:
    own = {f"p{number}": Phase() for number in range(len(STEPS) + 3)}
    figure = of_phases(list(own), phases=own)
    looks = [(look.color, look.tint, look.hatch) for look in map(figure.phase, own)]
    assert len(set(looks)) == len(STEPS)


def test_a_file_keeps_the_steps() -> None:
    """What is not said is not written into the spec."""
    spec = "phases: {read: {}}\npanels:\n- content:\n    type: timeline\n    lanes: [{id: a, label: A}]\n"
    figure = loads(spec + "    spans: [{lane: a, start: 0, duration: 2, phase: read}]\n")
    assert "otblue" not in figure.tex().partition("\\end{document}")[2]
