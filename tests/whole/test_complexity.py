"""Work grows no faster than what is drawn: twice as much takes less than three times as many calls."""

from __future__ import annotations

import json
from contextlib import suppress
from cProfile import Profile
from pathlib import Path
from pstats import Stats
from typing import Any

import pytest
from conftest import ROOT

from tikzgen import SpecError, check, load, loads
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.page import fit_width
from tikzgen.layout.page.panels import PlacedPage, place_page


def timeline(many: int, **marks: list[dict[str, Any]]) -> str:
    lanes = [{"id": "a"}, {"id": "b"}]
    spans = [
        {"id": f"{lane}{index}", "lane": lane, "start": 2 * index + late, "duration": 1, "phase": "forward"}
        for index in range(many)
        for late, lane in enumerate("ab")
    ]
    return json.dumps({"panels": [{"content": {"type": "timeline", "lanes": lanes, "spans": spans, **marks}}]})


def remarks(many: int) -> str:
    return timeline(many, remarks=[{"about": f"a{index}", "text": f"remark {index}"} for index in range(many)])


def dependencies(many: int) -> str:
    arrows = [{"source": f"a{index}", "target": f"b{index}", "label": f"d{index}"} for index in range(many)]
    return timeline(many, dependencies=arrows)


def short_forms(many: int) -> str:
    facts = json.loads(timeline(many))
    for index, span in enumerate(facts["panels"][0]["content"]["spans"]):
        span |= {"label": f"w{index % 7}", "short": "w"}
    return json.dumps(facts)


def complete(many: int, **more: Any) -> str:
    """Every node linked with every other one, each flow with a label, and at least so many flows."""
    count = next(nodes for nodes in range(many + 2) if nodes * (nodes - 1) // 2 >= many)
    nodes = [{"id": f"n{index}", "kind": "node", "label": f"N{index}"} for index in range(count)]
    flows = [
        {"source": f"n{low}", "target": f"n{high}", "label": f"g{low}-{high}"}
        for high in range(count)
        for low in range(high)
    ]
    return json.dumps({"panels": [{"content": {"type": "topology", "nodes": nodes, "flows": flows, **more}}]})


def grid(many: int) -> str:
    return complete(many, layout={"type": "grid", "columns": 6})


def calls(spec: str) -> int:
    return counted(loads(spec, name="spec.json").tex)


def counted(work: Any, *arguments: Any) -> int:
    profile = Profile()
    profile.runcall(work, *arguments)
    return int(Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "many"), [(remarks, 150), (dependencies, 150), (short_forms, 300), (complete, 45), (grid, 45)]
)
def test_twice_as_many_take_less_than_three_times_the_work(spec: Any, many: int) -> None:
    loads(spec(2), name="spec.json").tex()  # what is made once
    assert calls(spec(2 * many)) < 3 * calls(spec(many))


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "layouts"), [(dependencies, 1), (complete, 2), (grid, 1)])  # its record is tried, too
def test_a_text_at_an_arrow_is_placed_with_a_look_into_few_cells(spec: Any, layouts: int) -> None:
    loads(spec(2), name="spec.json").tex()
    assert calls(spec(136)) < layouts * 136 * 10_000  # a look at all texts for each takes several times as many


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "\\coordinate (c{0}) at ({0},1);",
        "\\draw (a.{0}) -- (a.north);",
        "\\coordinate (c{0}) at (0,{0}); \\draw (u{0}) -- (0,0);",
    ],
    ids=["coordinates", "anchors", "unknown names"],
)
def test_twice_as_many_names_in_a_file_take_less_than_three_times_the_work(line: str, tmp_path: Path) -> None:
    def written(many: int) -> Path:
        lines = "\n".join(line.format(number) for number in range(many))
        picture = f"\\begin{{tikzpicture}}\n\\node (a) at (0,0) {{x}};\n{lines}\n\\end{{tikzpicture}}"
        path = tmp_path / f"{many}.tex"
        path.write_text(f"\\documentclass{{standalone}}\n\\begin{{document}}\n{picture}\n\\end{{document}}\n")
        return path

    check(written(2))
    assert counted(check, written(1000)) < 3 * counted(check, written(500))


TRIALS = {
    "moe width=8.4": "rrrrrF",
    "distributed-training width=12": "rrrF",
    "distributed-training height=7": "FrrrF",
    "zero-bubble height=6.5": "rrrFrrrrrF",
    "zero-bubble height=5": "rrrFrrrFrrrFrrrFrrFrrrF",
    "vector-clocks width=8.4": "rrrrrrF",
    "vector-clocks height=4": "rrrrrrF",
    "login height=7": "rrrFrrrF",
    "login width=3": "rrrrrrrrrrrrFrrrrrrFrr",
    "memory height=6": "rrrF",
    "ring width=5": "rrF",
    "parameter-server height=12.5": "FrrrF",
}
"""Layouts until a size is reached: r for a rough one, which has no items, F for a complete one."""


@pytest.mark.parametrize("case", TRIALS)
def test_a_size_is_reached_with_few_trials_most_of_them_rough(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def page_of(plan: LayoutAttempt) -> PlacedPage:
        tried.append("r" if plan.rough else "F")
        return place_page(plan)

    monkeypatch.setattr(fit_width, "place_page", page_of)
    example, setting = case.split()
    with suppress(SpecError):  # too low
        load(ROOT / "examples" / f"{example}.yaml", settings=[setting]).tex()
    assert "".join(tried) == TRIALS[case]
