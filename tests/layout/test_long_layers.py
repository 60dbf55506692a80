"""Layers and chains that are longer than a page: folded into rows, which one trunk reaches."""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import Any

import pytest
from topology_figures import topology_figure

from tikzgen import Figure
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.compile.draw.draw_tex import draw

pytestmark = pytest.mark.slow
LEAVES = [f"w{number}" for number in range(1, 40)]


def star(hubs: int, **more: Any) -> Figure:
    names = [f"h{number}" for number in range(1, hubs + 1)]
    pairs = [(names[place * hubs // len(LEAVES)], leaf) for place, leaf in enumerate(LEAVES)]
    flows = [{"source": hub, "target": leaf} for hub, leaf in pairs]
    nodes = [{"kind": "node", "id": name, "label": f"Node {name[1:]}"} for name in (*names, *LEAVES)]
    return topology_figure(nodes=nodes, flows=flows, **more)


def height_cm(figure: Figure) -> float:
    ys = [node.anchor("center")[1] for node in draw(figure.tex()).nodes.values()]
    return (max(ys) - min(ys)) / PT_PER_CM


def test_the_leaves_of_a_star_are_in_rows_with_common_columns() -> None:
    figure = star(1)
    shapes = draw(figure.tex()).nodes
    places = [shapes[name].anchor("center") for name in LEAVES]
    rows, columns = {round(y, 1) for _, y in places}, {round(x, 1) for x, _ in places}
    assert len(columns) == ceil(len(LEAVES) / len(rows))
    assert height_cm(figure) < 9


@pytest.mark.parametrize("groups", [[], [{"id": "pool", "members": LEAVES}]], ids=["two hubs", "framed leaves"])
def test_other_long_layers_fit_a_page(groups: list[dict[str, Any]]) -> None:
    assert height_cm(star(1 if groups else 2, groups=groups)) < 22


def test_a_long_chain_is_folded_into_several_bands() -> None:
    nodes = [{"kind": "node", "id": name} for name in LEAVES]
    flows = [{"source": one, "target": other} for one, other in pairwise(LEAVES)]
    assert height_cm(topology_figure(nodes=nodes, flows=flows)) < 15
