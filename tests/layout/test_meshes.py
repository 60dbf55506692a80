"""Flows from each of several nodes to each of several nodes: one trunk per kind, from 25 flows on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from topology_figures import topology_figure
from topology_judge import faults, seen, told

from tikzgen import Figure
from tikzgen.base.plane import is_within
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.emit.render_figure import render
from tikzgen.layout.topology.choose_buses import find_meshes, find_repeated_labels
from tikzgen.model.topology import Topology

Flows = list[dict[str, Any]]
WORKERS = [f"w{number}" for number in range(1, 9)]
SERVERS = ["s1", "s2", "s3"]


def join(sources: Sequence[str], targets: Sequence[str], **style: Any) -> Flows:
    return [{"source": one, "target": other, **style} for one in sources for other in targets if one != other]


PUSH_AND_PULL = join(WORKERS, SERVERS, kind="push") + join(SERVERS, WORKERS, kind="fetch")


def figure_of(names: Sequence[str], flows: Flows, **more: Any) -> Figure:
    return topology_figure(nodes=[{"id": name, "label": name.upper()} for name in names], flows=flows, **more)


def part_of(figure: Figure) -> Topology:
    (part,) = [part for _, _, part in figure.parts(Topology)]
    return part


@pytest.mark.parametrize(
    ("flows", "sizes"),
    [
        (PUSH_AND_PULL, [24, 24]),
        (join(WORKERS, SERVERS), []),
        (join(WORKERS, [*SERVERS, "x"]), [32]),
        (join(WORKERS, WORKERS), [56]),
        (join(WORKERS, WORKERS[:5]), [35]),
        (join(WORKERS, [*SERVERS, "x"]) + join(["w3"], ["y"]) + join(["z"], ["s2"]), [32]),
        (join(WORKERS, [*SERVERS, "x"], label="same"), [32]),
        ([{**flow, "label": str(at)} for at, flow in enumerate(join(WORKERS, [*SERVERS, "x"]))], []),
        ([{**flow, "direction": "both"} for flow in join(WORKERS, [*SERVERS, "x"])], [32]),
        ([{**flow, "route": "straight"} for flow in join(WORKERS, [*SERVERS, "x"])], []),
    ],
    ids=["both ways", "24", "32", "all", "overlapping", "others beside", "labels", "other labels", "heads", "straight"],
)
def test_complete_sets_of_flows_are_found(flows: Flows, sizes: list[int]) -> None:
    found = [*find_meshes(part_of(figure_of([*WORKERS, *SERVERS, "x", "y", "z"], flows))).values()]
    assert [found.count(number) for number in sorted({*found})] == sizes


def test_a_ring_keeps_its_chords() -> None:
    assert find_meshes(part_of(figure_of(WORKERS, join(WORKERS, WORKERS), layout={"type": "ring"}))) == {}


LAYOUTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "down": {"layout": {"type": "auto", "direction": "down"}},
    "levels": {"layout": {"type": "levels", "levels": [SERVERS, WORKERS]}},
    "row": {"layout": {"type": "row"}},
    "grid": {"layout": {"type": "grid", "columns": 4}},
    "pins": {"nodes": [{"id": "s1", "label": "S1", "pin": {"level": 1}}]},
    "racks": {
        "groups": [
            {"id": "r1", "label": "Rack 1", "members": [*WORKERS[:4], "s1"]},
            {"id": "r2", "label": "Rack 2", "members": [*WORKERS[4:], "s2", "s3"]},
        ]
    },
    "alike": {
        "groups": [
            {"id": "r1", "label": "Rack 1", "members": WORKERS[:4]},
            {"id": "r2", "label": "Rack 2", "members": WORKERS[4:], "like": "r1"},
        ]
    },
    "column": {"width": 8.4},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_trunks_have_no_fault_in_any_layout(name: str) -> None:
    more = dict(LAYOUTS[name])
    stated = {node["id"]: node for node in more.pop("nodes", ())}
    nodes = [stated.get(one, {"id": one, "label": one.upper()}) for one in (*WORKERS, *SERVERS)]
    width = more.pop("width", None)
    figure = topology_figure(nodes=nodes, flows=PUSH_AND_PULL, **more).model_copy(update={"width": width})
    tex = figure.tex()
    assert faults(tex, part_of(figure)) == []
    again = figure.keep_layout(render(figure).scene.layout_record)  # type: ignore[union-attr]
    assert again.tex() == tex


def test_a_stated_row_is_kept() -> None:
    drawing = draw(figure_of([*WORKERS, *SERVERS], PUSH_AND_PULL, layout={"type": "row"}).tex())
    heights = [drawing.nodes[name].anchor("center")[1] for name in (*WORKERS, *SERVERS)]
    assert max(heights) - min(heights) < 2  # pt: icons and boxes differ by 1.1


def test_a_trunk_is_drawn_once_and_has_its_label_once() -> None:
    """Each flow has a line of the source, and one of them has the label."""
    figure = figure_of([*WORKERS, *SERVERS, "s4"], join(WORKERS, [*SERVERS, "s4"], kind="push", label="gradients"))
    lines = [line.strip() for line in figure.tex().partition(r"\end{document}")[0].splitlines()]
    assert len([line for line in lines if line.startswith(r"\draw[push, on trunk]")]) == 32
    drawn = [line for line in lines if line.startswith((r"\draw[push, -]", r"\draw[push] "))]
    assert len([line for line in drawn if line.startswith(r"\draw[push] ")]) == 4  # heads, at the servers
    assert len(drawn) == 1 + 8 + 4
    assert sum("gradients" in line for line in lines) == 1
    assert len(find_repeated_labels(part_of(figure))) == 31


def test_all_to_all_in_a_frame_stays_in_the_frame() -> None:
    frame = {"id": "f", "label": "Host", "members": WORKERS}
    figure = figure_of(WORKERS, join(WORKERS, WORKERS), groups=[frame])
    found = seen(draw(figure.tex()), part_of(figure), "")
    assert len(found.lines) == 1 + 8
    assert all(is_within((*point, *point), found.frames["f"]) for *_, way in found.lines for point in way)
    assert told(found) == []


@pytest.mark.parametrize(("sources", "targets"), ((3, 3), (6, 4), (8, 3)))
@pytest.mark.parametrize("width", (8.4, 17.8))
def test_small_complete_sets_are_all_straight_or_on_one_trunk(sources: int, targets: int, width: float) -> None:
    workers, servers = (
        [f"{kind}{number}" for number in range(count)] for kind, count in (("w", sources), ("s", targets))
    )
    icons = [{"id": name, "kind": "worker", "label": f"Worker {name}"} for name in workers]
    boxes = [{"id": name, "kind": "server", "label": f"Server {name}"} for name in servers]
    figure = topology_figure(nodes=[*icons, *boxes], flows=join(workers, servers))
    tex = figure.model_copy(update={"width": width}).tex()
    drawn = re.findall(r"\\draw\[data.*[( \]]w\d.*[( \]]s\d.*;", tex)
    on_trunk = sum("on trunk" in line for line in drawn)
    straight = sum(" -- " in line for line in drawn)
    assert (on_trunk or straight) == sources * targets, drawn  # other lines of a trunk draw its parts
