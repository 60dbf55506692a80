"""Whatever is wrong with a field, the refusal names its line: the examples with one field broken after another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, some
from ruamel.yaml import YAML

from tikzgen import loads
from tikzgen.base.errors import TikzgenError

PLAIN = [path for path in EXAMPLES if "!tex" not in path.read_text(encoding="utf-8")]
BROKEN = [None, {"zz": 1}, -1, 1e308, "nope-x", [[1]]]


def fields(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every field, and of the first entries of lists."""
    steps = data if isinstance(data, dict) else range(min(len(data), 2)) if isinstance(data, list) else ()
    for step in steps:
        yield (*path, step)
        yield from fields(data[step], (*path, step))


@pytest.mark.parametrize("example", some(PLAIN, 16), ids=lambda path: path.stem)
def test_every_refusal_names_a_line(example: Path) -> None:
    data = YAML(typ="safe").load(example.read_text(encoding="utf-8"))
    for *above, last in fields(data):
        for value in BROKEN:
            spec = deepcopy(data)
            inside = spec
            for step in above:
                inside = inside[step]
            inside[last] = value
            try:
                loads(json.dumps(spec, indent=1), name="a.json")
            except TikzgenError as refused:
                for problem in refused.list_problems()[:10]:
                    assert problem.place is not None, (above, last, value, str(problem))
                    assert problem.place.line, (above, last, value, str(problem))


_PANEL = "panels: [{content: {type: topology, nodes: [{id: a}, {id: b}], %s}}]"
_HABITS = [
    (_PANEL % "flows: [{source: a, target: b, bundle: up}]", "share a trunk with route: bus"),
    (_PANEL % "flows: {source: a, target: b}", 'begin each entry with "- "'),
    (_PANEL % "layout: {type: levels, levels: [a, b]}", "write [a]"),
    (_PANEL % "layout: {type: auto, keep: [a, b]}", "write [a]"),
    (_PANEL % "notes: [{at: a, text: x}]", 'did you mean "about"?'),
    (_PANEL % "groups: [{id: g, members: [a], like: h}]", 'unknown other frame "h" (none exist)'),
    ("panels: [{content: {type: topology, nodes: [{id: a, joined: true}]}}]", "write cells: joined"),
    ("panels: [{content: {type: topology, nodes: [{id: a, label: w_{i}^2}]}}]", "write math in single quotes"),
    (
        "panels: [{content: {type: spacetime, lifelines: [{id: a}], messages: [{source: a@1/2, target: b@1}]}}]",
        "write target: b, received: 1",
    ),
]


@pytest.mark.parametrize(("spec", "way_out"), _HABITS, ids=[way for _, way in _HABITS])
def test_habits_from_elsewhere_are_told_the_way_here(spec: str, way_out: str) -> None:
    with pytest.raises(TikzgenError) as refused:
        loads(spec)
    assert way_out in str(refused.value)
