"""A legend explains numbers and letters in cells only if a cell shows one."""

from __future__ import annotations

import re

import pytest

from tikzgen import Figure, Lane, Panel, Phase, Span, Timeline, recipes

_ENTRY = re.compile(r"^\\def\\(\w+)\{(.*)\}% legend entry for ([\w-]+)$", re.MULTILINE)


def entries(figure: Figure) -> dict[str, str]:
    """Return the texts of the legend that the .tex draws, by phase."""
    tex = figure.tex()
    return {name: text for macro, text, name in _ENTRY.findall(tex) if f"{{\\{macro}}}" in tex}


@pytest.mark.parametrize(
    ("workers", "width", "text"), [(3, 8.4, "update (its staleness)"), (8, 6, "update"), (64, 6, "update")]
)
def test_staleness_is_explained_where_updates_show_it(workers: int, width: float, text: str) -> None:
    assert entries(recipes.stale_synchronous(workers=workers, width=width))["update"] == text


def test_own_texts_of_the_entry() -> None:
    labels = {"update": "apply", "staleness": "age"}
    assert entries(recipes.stale_synchronous(labels=labels, width=8.4))["update"] == "apply (age)"
    assert entries(recipes.stale_synchronous(workers=8, labels=labels, width=6))["update"] == "apply"
    assert entries(recipes.stale_synchronous(labels={"staleness": ""}, width=8.4))["update"] == "update"
    assert "update" not in entries(recipes.stale_synchronous(labels={"update": ""}, width=8.4))


def test_versions_are_explained_in_cells_and_above_them() -> None:
    assert entries(recipes.rollouts())["rollout"] == "rollout (its weights)"
    counted = recipes.rollouts(steps=12, width=8.4)  # too many for numbers in cells: some stand above the lanes
    assert entries(counted)["rollout"] == "rollout (its weights)"


@pytest.mark.parametrize(("compute", "text"), [([6], "fetch (F)"), ([30], "fetch")])
def test_letters_are_explained_where_cells_show_them(compute: list[int], text: str) -> None:
    figure = recipes.parameter_server(workers={"count": 12, "show": 6}, compute=compute, width=8.4)
    assert entries(figure)["fetch"] == text


@pytest.mark.parametrize(("duration", "text"), [(6, "forward (microbatch)"), (0.01, "forward")])
def test_an_entry_by_hand(duration: float, text: str) -> None:
    spans = [Span(lane="a", start=0, duration=duration, phase="f", number=7), Span(lane="a", start=8, duration=4)]
    phases = {"f": Phase(label="forward", cell_label="forward (microbatch)", color="otblue")}
    timeline = Timeline(lanes=[Lane(id="a")], spans=spans)
    assert entries(Figure(phases=phases, panels=[Panel(content=[timeline])], width=8.4))["f"] == text
