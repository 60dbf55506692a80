"""Every shape of the table is complete, and a package may add one."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT
from drawn_outlines import distance_to, find_painted, list_points
from extension_packages import forget, install

from tikzgen import Figure, TikzgenError, load
from tikzgen.base.plane.rectangles import Point, compute_bounding_box
from tikzgen.compile.draw.canvas import DrawnGroup
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.layout.topology import node_sizes
from tikzgen.layout.topology.node_sizes import EntitySize
from tikzgen.layout.topology.shapes.node_boxes import LEAST_HEIGHT_CM, BoxShape
from tikzgen.model.topology.node_shapes import SHAPES

CM = 28.4527559  # pt
LINE = 0.6 / CM  # cm, the line of an outline
WITHIN = 0.01  # cm
SIDES = ("north", "south", "east", "west")


def figure(shape: str, label: str = "a wide text") -> Figure:
    icon = {"icon": "gpu"} if SHAPES[shape].has_icon else {}
    nodes = [{"id": "a", "kind": "node", "label": label, "shape": shape, **icon}]
    return Figure.model_validate({"panels": [{"content": {"type": "topology", "nodes": nodes}}]})


def size_in_layout(made: Figure, patch: pytest.MonkeyPatch) -> Point:
    """Return the size in cm that the layout counts with."""
    found: list[EntitySize] = []
    measure = node_sizes._shape_of

    def shape_of(*facts: Any) -> EntitySize:
        found.append(measure(*facts))
        return found[-1]

    with patch.context() as inner:
        inner.setattr(node_sizes, "_shape_of", shape_of)
        made.tex()
    return found[-1].width, found[-1].height


def drawn_outline(made: Figure, *, has_border: bool = True) -> list[Point]:
    """Return the points of the drawn outline in cm around the middle of the node."""
    parts = [item for item in draw(made.tex()).items if isinstance(item, DrawnGroup) and item.node is not None]
    [part] = [part for part in parts if part.node is not None and part.node.name == "a"]
    assert part.node is not None
    x, y = part.node.shape.centre
    if not has_border:
        wide, tall = part.node.shape.half_width, part.node.shape.half_height
        points = [(x - wide, y - tall), (x + wide, y + tall)]
    else:
        points = list_points(next(item for item in find_painted(part.items) if item.fill is not None))
    return [((one - x) / CM, (other - y) / CM) for one, other in points]


@pytest.mark.parametrize("label", ["x", "a wide text", "three\nwhole\nlines"])
@pytest.mark.parametrize("name", SHAPES.list_entry_names())
def test_the_size_in_the_layout_is_that_of_the_drawn_outline(
    name: str, label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, shape = figure(name, label), SHAPES[name]
    left, bottom, right, top = compute_bounding_box(drawn_outline(made, has_border=shape.has_border))
    line = LINE if shape.outline else 0.0  # such an outline keeps inside its size; the line of a box is on its edge
    wide, tall = size_in_layout(made, monkeypatch)
    assert right - left + line == pytest.approx(wide, abs=WITHIN)
    if isinstance(shape, BoxShape) and tall == LEAST_HEIGHT_CM:  # the layout keeps more free than a low box takes
        assert top - bottom <= tall
    else:
        assert top - bottom + line == pytest.approx(tall, abs=WITHIN)


@pytest.mark.parametrize("name", SHAPES.list_entry_names())
def test_flows_end_on_the_drawn_outline_on_each_side(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, shape = figure(name, "three\nwhole\nlines"), SHAPES[name]
    if not shape.has_border:
        assert not any(shape.compute_inset((2.0, 1.0), side, 0.3) for side in SIDES)
        return
    border, (wide, tall) = drawn_outline(made), size_in_layout(made, monkeypatch)
    for side, share in product(SIDES, (-0.3, 0.0, 0.3)):
        level = side in ("east", "west")
        aside = share * shape.port_share * (tall if level else wide) / 2
        out = (wide if level else tall) / 2 - shape.compute_inset((wide, tall), side, aside)
        point = {"east": (out, aside), "west": (-out, aside), "north": (aside, out), "south": (aside, -out)}[side]
        assert distance_to(point, border) < 2.5 * LINE, (side, share)


@pytest.mark.parametrize("name", SHAPES.list_entry_names())
def test_each_shape_has_a_phrase_and_a_style_that_its_figure_defines(name: str) -> None:
    assert re.fullmatch(r"(an? )?[a-z ]+", SHAPES[name].phrase)
    tex = figure(name).tex()
    style = SHAPES[name].style
    assert f"{style}/.style" in tex
    assert re.search(rf"\\node\[[^\n]*\b{style}\b[^\n]*\(a\)", tex)
    assert bool(SHAPES[name].outline) == style.endswith(" outline")


def test_the_schema_lists_the_built_in_shapes_as_examples() -> None:
    text = (ROOT / "examples" / "tikzgen.schema.json").read_text("utf-8")
    listed = ",\n".join(f'                "{name}"' for name in SHAPES.built_in)
    assert listed in text


def test_a_package_adds_a_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "hexagon-shape")
    spec = tmp_path / "a.yaml"
    spec.write_text(
        "panels: [{content: {type: topology, nodes: [{id: a, label: Cell, shape: hexagon}, {id: b, label: B}],"
        " flows: [{source: a, target: b}]}}]\n",
        "utf-8",
    )
    assert run("render", str(spec)).status == 0
    assert run("build", str(spec), "-f", "svg", "--no-cache").status == 0
    checked = run("check", str(spec), str(spec.with_suffix(".tex")))
    assert (checked.status, checked.out) == (0, "")
    made = load(spec)
    assert "Cell is drawn as a hexagon." in made.description
    assert '"needs": [\n%' in spec.with_suffix(".tex").read_text("utf-8")
    test_the_size_in_the_layout_is_that_of_the_drawn_outline("hexagon", "a wide text", monkeypatch)
    test_flows_end_on_the_drawn_outline_on_each_side("hexagon", monkeypatch)
    test_each_shape_has_a_phrase_and_a_style_that_its_figure_defines("hexagon")


def test_without_the_package_its_figure_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        install(patch, tmp_path / "site", "hexagon-shape")
        figure("hexagon").save(tmp_path / "a.tex")
    forget(monkeypatch)
    with pytest.raises(TikzgenError) as caught:
        load(tmp_path / "a.tex")
    message = f'{tmp_path / "a.tex"}: requires the package "hexagon-shape", which is not installed'
    assert str(caught.value) == f"{message} (install it if you trust it)"


def test_a_misspelt_shape_of_a_package_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "hexagon-shape")
    (tmp_path / "a.yaml").write_text("panels: [{content: {type: topology, nodes: [{id: a, shape: hexagn}]}}]", "utf-8")
    assert 'did you mean "hexagon"?' in run("render", str(tmp_path / "a.yaml")).err
