"""The layout of small specs, in their natural width and in a column: a golden has one line per layout.

A line has the size of the picture, the number of its nodes, and a digest of its statements without the styles. If a
line changes, look at the figure before and after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen import Figure, TikzgenError, load, loads, render
from tikzgen.base.plane.units import CM_PER_PT
from tikzgen.compile.draw.draw_tex import draw

CASES = ROOT / "tests" / "cases"
FOLDERS = [
    "crowded",
    "describe",
    "drawing",
    "marks",
    "notes",
    "pages",
    "parts",
    "placing",
    "slides",
    "swept",
    "text",
    "timelines",
    "topologies",
    "traces",
]
LONG = """a3c chips bars-right branches branches2 branches3 branches4 clear/ensemble clocks-apart everywhere
feature-store five-long-texts frame-labels gfs grid-and-arrow-texts kafka labels-of-lanes-pressed links megatron-3d
mesh-16 microservice moe-all-to-all narrow note-beside-a-bar note-by-number note-in-a-fan note-in-a-loop
parameter-server-li pipeline pools ray rlhf-async spark topologies/frames topologies/marks two-busy-lifelines
unclassified"""
"""Specs that take a tenth of a second or more in both widths; they are laid out in one."""
NO_FIGURES = {"spoken", "commands", "sentences", "borrowed", "branches-barbs", "raw-reviewed"}
_STATEMENT = re.compile(r" *\\\w")


def describe_layout(figure: Figure) -> str:
    tex = render(figure).tex
    body = "\n".join(filter(_STATEMENT.match, tex.partition(r"\end{document}")[0].splitlines()))
    drawing = draw(tex)
    left, bottom, right, top = (length * CM_PER_PT for length in drawing.box)
    size = f"{right - left:.2f} x {top - bottom:.2f} cm, {len(drawing.nodes)} nodes"
    return f"{size}, {sha256(body.encode()).hexdigest()[:8]}"


def describe_layouts(path: Path, widths: Sequence[str]) -> Iterator[str]:
    for width in widths:
        name = f"{path.stem}{width and f', {width} cm'}"
        try:
            yield f"{name}: {describe_layout(load(path, settings=[f'width={width}'] if width else []))}"
        except TikzgenError as error:
            yield f"{name}: {str(error).splitlines()[0].removeprefix(str(path))}"


def specs(folder: str, *, long: bool) -> list[Path]:
    found = [path for path in sorted((CASES / folder).glob("*.yaml")) if path.stem not in NO_FIGURES]
    return [path for path in found if bool({path.stem, f"{folder}/{path.stem}"} & {*LONG.split()}) is long]


@pytest.mark.parametrize("folder", FOLDERS)
def test_layouts_are_as_reviewed(folder: str, golden: Callable[[Path, str], None]) -> None:
    lines = [line for path in specs(folder, long=False) for line in describe_layouts(path, ("", "8.4"))]
    golden(ROOT / "tests" / "goldens" / "layouts" / f"{folder}.txt", "\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if specs(folder, long=True)])
def test_long_layouts_are_as_reviewed(folder: str, golden: Callable[[Path, str], None]) -> None:
    lines = [line for path in specs(folder, long=True) for line in describe_layouts(path, ("",))]
    golden(ROOT / "tests" / "goldens" / "layouts" / f"{folder}-long.txt", "\n".join(lines) + "\n")


def options(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = YAML(typ="safe").load((CASES / "layouts" / f"{name}.yaml").read_text("utf-8"))
    return found


OPTIONS, RARER = options("options"), options("rarer-options")


@pytest.mark.parametrize("case", OPTIONS, ids=[case["name"] for case in OPTIONS])
def test_each_option_moves_what_it_moved_when_reviewed(
    case: dict[str, Any], golden: Callable[[Path, str], None]
) -> None:
    compare_options(case, golden)


@pytest.mark.parametrize("case", RARER, ids=[case["name"] for case in RARER])
def test_rarer_options_move_what_they_moved(case: dict[str, Any], golden: Callable[[Path, str], None]) -> None:
    compare_options(case, golden)


def compare_options(case: dict[str, Any], golden: Callable[[Path, str], None]) -> None:
    lines = [f"as it is: {describe_layout(loads(json.dumps(case['figure'])))}"]
    for place, values in case["vary"].items():
        for value in values:
            figure = deepcopy(case["figure"])
            *way, last = place.split(".")
            part = figure["panels"][0]["content"][0]
            for step in way:
                part = part[int(step)] if isinstance(part, list) else part.setdefault(step, {})
            part[last] = value
            try:
                found = describe_layout(loads(json.dumps(figure)))
            except TikzgenError as error:
                found = str(error).splitlines()[0]
            lines.append(f"{place} {value}: {found}")
    golden(ROOT / "tests" / "goldens" / "layouts" / f"options-{case['name']}.txt", "\n".join(lines) + "\n")


GRAPHS: dict[str, str] = YAML(typ="safe").load((CASES / "layouts" / "graphs.yaml").read_text(encoding="utf-8"))
_WORD = re.compile(r"\[(\w+):([^]]+)\]|(\w)(\w)(?::(\w+))?")


def graph(words: str) -> dict[str, Any]:
    nodes: dict[str, dict[str, str]] = {}
    flows, groups = [], []
    for members, name, source, target, label in _WORD.findall(words):
        for letter in members or source + target:
            nodes.setdefault(letter, {"kind": "worker" if letter.isupper() else "node", "id": letter, "label": letter})
        if members:
            groups.append({"id": name, "label": name, "members": list(members)})
        else:
            flows.append({"source": source, "target": target, "label": label})
    return {"type": "topology", "nodes": [*nodes.values()], "flows": flows, "groups": groups}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_are_laid_out_as_before(name: str, golden: Callable[[Path, str, str], None]) -> None:
    lines = []
    for width in (None, 5.5, 9):
        figure = {"panels": [{"content": graph(GRAPHS[name])}], "width": width}
        try:
            found = describe_layout(loads(json.dumps(figure)))
        except TikzgenError as error:
            found = str(error).splitlines()[0]
        lines.append(f"{width}: {found}\n")
    golden(ROOT / "tests" / "goldens" / "layouts" / "graphs.txt", "".join(lines), name)
