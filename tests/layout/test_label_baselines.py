"""Texts under the icons of one row stand on one baseline, in every example and recipe, as they are drawn."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import pytest
from conftest import ROOT, SWEPT, some, written

from tikzgen import load, loads
from tikzgen.base.plane.rectangles import Box, compute_bounding_box
from tikzgen.lint.probe.drawn_pages import drawn_page
from tikzgen.model.figure import FigureModel
from tikzgen.model.topology.entities import Entity
from tikzgen.model.topology.topology import Topology
from tikzgen.recipe.recipe_names import NAMES, NEEDS

LEVEL = 0.55  # pt: letters of one height and another, and what is rounded
ROW = 0.05  # pt by which icons of one row may be apart
NEAR = 12.0  # pt below its icon that a caption begins at most

LABELS = {
    "data-parallel": ("worker", "server", "data"),
    "rlhf": ("rollout", "trainer", "reward", "reference"),
    "serving-system": ("worker", "router", "transfer"),
    "federated": ("client",),
}
TEXTS = ["$G_{0}^{\\mathrm{dev}}$", "sum", "$x_i$", "图形处理器", "server"]


def captions(figure: FigureModel, tex: str) -> list[tuple[Box, float, str]]:
    """The icons with a caption of one line: the icon's box, the caption's baseline, what it says; in pt."""
    page = drawn_page(tex)
    boxes = {node.name: compute_bounding_box(node.border) for node in page.nodes if node.name}
    found = []
    for place, _, part in figure.parts(Topology):
        prefix = f"{figure.panels[place].id}-" if len(figure.panels) > 1 else ""
        for node in part.nodes:
            if not isinstance(node, Entity) or node.form != "icon" or (box := boxes.get(prefix + node.id)) is None:
                continue
            x = (box[0] + box[2]) / 2
            below = [
                line
                for line in page.lines
                if abs((line.box[0] + line.box[2]) / 2 - x) < 3 and 0 < box[1] - line.box[3] < NEAR
            ]
            if below:
                top = max(below, key=lambda line: line.box[3])
                of_its_node = [line for line in page.lines if line.node == top.node]
                lowest = max(of_its_node, key=lambda line: line.size)  # scripts stand elsewhere
                found.append((box, lowest.origin[1], lowest.words))
    return found


def uneven(figure: FigureModel, tex: str) -> list[str]:
    """The captions of one row that stand on two lines."""
    return [
        f"{one} and {other} are {abs(base - second):.2f} pt apart"
        for (box, base, one), (beside, second, other) in combinations(captions(figure, tex), 2)
        if abs(box[1] - beside[1]) < ROW and abs(base - second) > LEVEL
    ]


@pytest.mark.parametrize("example", SWEPT)
def test_captions_of_a_row_are_level_in_every_example(example: Path) -> None:
    assert uneven(load(example), written(example)) == []


WITHOUT_FILES = [name for name in NAMES if name not in NEEDS]


@pytest.mark.parametrize(("recipe", "width"), some(product(WITHOUT_FILES, [8.4, 17.8]), 5))
def test_captions_of_a_row_are_level_in_every_recipe(recipe: str, width: float) -> None:
    figure = loads(f"recipe: {recipe}\nwidth: {width}\n")
    assert uneven(figure, figure.tex()) == []


@pytest.mark.parametrize("place", some(range(len(TEXTS)), 6))
@pytest.mark.parametrize("recipe", LABELS)
def test_captions_of_letters_of_any_height_are_level(recipe: str, place: int) -> None:
    """One after another takes other letters, so that each meets each of the others in a row."""
    texts = [TEXTS[(place + step) % len(TEXTS)] for step in range(len(LABELS[recipe]))]
    said = "".join(
        f"  {name}: {text!r}\n".replace("\\\\", "\\") for name, text in zip(LABELS[recipe], texts, strict=True)
    )
    figure = loads(f"recipe: {recipe}\nwidth: 17.8\nlabels:\n{said}")
    assert uneven(figure, figure.tex()) == []


ROW_OF_ALL = "panels: [{content: {type: topology, layout: {type: row}, nodes: [%s]}}]\n"


def test_a_row_of_letters_of_every_height_is_level() -> None:
    nodes = ", ".join(f"{{kind: worker, id: w{n}, label: '{text}'}}" for n, text in enumerate(TEXTS))
    figure = loads(ROW_OF_ALL % nodes)
    tex = figure.tex()
    assert len(captions(figure, tex)) == len(TEXTS)
    assert uneven(figure, tex) == []


def test_headers_stand_as_high_above_their_lanes_with_and_without_low_letters() -> None:
    spec = "recipe: local-sgd\nwidth: 8.4\nlocal_steps: [2, 4]\nlabels: {captions: [ace, gap]}\n"
    said = [(line.words, line.origin[1]) for line in drawn_page(loads(spec).tex()).lines]
    lines = dict(said)
    lanes = [height for words, height in said if words == "GPU 0"]
    above = [abs(lines[name] - lane) for name, lane in zip(("ace", "gap"), lanes, strict=True)]
    assert above[0] == pytest.approx(above[1], abs=0.1)


def test_captions_of_a_row_within_a_frame_are_level() -> None:
    """The worker beside the driver stood 0.7 mm lower, where what flows to both came from another height."""
    figure = load(ROOT / "tests" / "cases" / "topologies" / "ray.yaml").model_copy(update={"width": 8.4, "height": 20})
    lines = {words: line for _, line, words in reversed(captions(figure, figure.tex()))}
    assert lines["Driver"] == pytest.approx(lines["Worker"], abs=0.5)
