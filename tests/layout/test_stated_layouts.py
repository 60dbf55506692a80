"""What authors ask of a layout: places in frames, layers, orders, texts on and along flows. It is done, or refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import dist
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, some
from folded import unfold
from pydantic import ValidationError
from topology_figures import topology_figure
from topology_judge import faults, seen, stretched

from tikzgen import Figure, load, loads
from tikzgen.base.errors import EditRefused
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.edit.lift.read_elements import Elements
from tikzgen.emit.render_figure import render
from tikzgen.layout.topology.collapse_similar_nodes import leave_out_many
from tikzgen.model.operations.operations_table import read_operation
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Levels
from tikzgen.spec.embedded_spec import rows_of
from tikzgen.texfile import subtract_sums


def nodes(names: str, **facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"kind": "node", "id": name, "label": name.upper() * 3, **facts.get(name, {})} for name in names]


def flows(*ends: str, **facts: Any) -> list[dict[str, Any]]:
    return [{"source": one, "target": other, **facts} for one, other in ends]


def places(drawn: Figure, names: Sequence[str]) -> list[tuple[int, int]]:
    """Where entities stand, in pt, upwards."""
    shapes = draw(drawn.tex()).nodes
    return [(round(shapes[name].anchor("center")[0]), round(shapes[name].anchor("center")[1])) for name in names]


def judged(drawn: Figure) -> list[str]:
    (part,) = (part for _, _, part in drawn.parts(Topology))
    tex = drawn.tex()
    return [fault for factor in (0.5, 1.0, 2.0) for fault in faults(stretched(tex, factor), part)]


@pytest.mark.parametrize(
    ("layout", "columns", "rows"),
    [({"type": "row"}, 6, 1), ({"type": "column"}, 1, 6), ({"type": "grid", "columns": 3}, 3, 2)],
    ids=["row", "column", "grid"],
)
@pytest.mark.parametrize("outer", [None, {"type": "row"}, {"type": "levels", "levels": [[*"abcdef"], ["g"], ["h"]]}])
def test_a_frame_has_a_layout_of_its_own(outer: Any, layout: dict[str, Any], columns: int, rows: int) -> None:
    groups = [
        {"id": "six", "label": "six", "members": [*"abcdef"], "layout": layout},
        {"id": "all", "label": "all", "members": ["six", "g"]},
    ]
    facts = {"layout": outer} if outer else {}
    drawn = topology_figure(nodes=nodes("abcdefgh"), groups=groups, flows=flows("ag", "dg", "gh"), **facts)
    found = places(drawn, "abcdef")
    assert (len({x for x, _ in found}), len({y for _, y in found})) == (columns, rows)
    assert found == sorted(found, key=lambda place: (-place[1], place[0])), "in reading order"
    assert judged(drawn) == []


FRAMED = {
    "ring": ({"type": "ring"}, "ab bc cd de ef fa"),
    "star": ({"type": "star", "center": "c"}, "ca cb cd ec fc"),
    "tree": ({"type": "tree", "root": "b"}, "ba bc ad ae cf"),
    "levels": ({"type": "levels", "levels": [["a"], ["b", "c"], ["d", "e", "f"]]}, "ab ac bd ce cf"),
    "levels down": ({"type": "levels", "direction": "down", "levels": [["a", None, "b"], [*"cde"], ["f"]]}, "ac be df"),
    "cells": ({"type": "grid", "cells": [["a", None, "b"], [None, "c"], ["d", "e", "f"]]}, "ab ac cf de"),
}
"""Layouts of a frame around a to f, with the flows between these."""


@pytest.mark.parametrize("name", some(FRAMED, 2))
@pytest.mark.parametrize("like", [False, True])
def test_a_frame_has_any_layout(name: str, like: bool) -> None:
    layout, ends = FRAMED[name]
    names, inner = "abcdef" + ("ghijkl" if like else ""), ends.split()
    groups: list[dict[str, Any]] = [{"id": "six", "label": "six", "members": [*"abcdef"], "layout": layout}]
    if like:
        groups.append({"id": "more", "label": "more", "members": [*"ghijkl"], "like": "six"})
        inner += [end.translate(str.maketrans("abcdef", "ghijkl")) for end in inner]
    drawn = topology_figure(
        nodes=nodes(names + "z"), groups=groups, flows=flows(*inner, "zb", *(["kz"] if like else []))
    )
    assert judged(drawn) == []
    for members in (names[:6], *([names[6:]] if like else [])):
        assert stands(name, dict(zip("abcdef", places(drawn, members), strict=True)))


def stands(name: str, at: dict[str, tuple[int, int]]) -> bool:
    """Whether members stand as the layout of this name says."""
    (low, high), (left, right) = (
        (min(each), max(each)) for each in ([y for _, y in at.values()], [x for x, _ in at.values()])
    )

    def level(*groups: str, axis: int = 1) -> bool:
        """Whether these stand on one line each, and each line after the one before it."""
        lines = [{at[one][axis] for one in group} for group in groups]
        ordered = [line.copy().pop() for line in lines]
        return all(len(line) == 1 for line in lines) and ordered == sorted(ordered, reverse=axis == 1)

    match name:
        case "ring":
            return at["a"][1] == high and at["d"][1] == low and level("bf", "ce") and level("fe", "ad", "bc", axis=0)
        case "star":
            (x, y), around = at["c"], [at[one] for one in "abdef"]
            return left < x < right and low < y < high and around[0] == max(around, key=lambda place: place[1])
        case "tree":
            return level("b", "ac", "def") and left < at["b"][0] < right and level("d", "e", "f", axis=0)
        case "levels":
            return level("a", "bc", "def", axis=0) and level("b", "c")
        case "levels down":
            return level("ab", "cde", "f") and level("ac", "d", "be", axis=0)
    return level("ab", "c", "def") and level("ad", "ce", "bf", axis=0)


def test_an_order_is_kept_in_a_frame() -> None:
    groups = [{"id": "g", "members": [*"abcd"], "layout": {"type": "auto", "direction": "down", "keep": [["d", "b"]]}}]
    found = places(topology_figure(nodes=nodes("abcde"), groups=groups, flows=flows("ab", "ac", "ad", "ea")), "db")
    assert found[0][0] < found[1][0]


def test_a_frame_like_another_has_its_members_at_the_same_places() -> None:
    groups = [
        {"id": "one", "members": [*"abc"], "layout": {"type": "column"}},
        {"id": "two", "members": [*"def"], "like": "one"},
    ]
    drawn = topology_figure(nodes=nodes("abcdef"), groups=groups, flows=flows("ad", "be", "de"))
    for column in ("abc", "def"):
        found = places(drawn, column)
        assert len({x for x, _ in found}) == 1
        assert [y for _, y in found] == sorted((y for _, y in found), reverse=True)


def test_a_pin_decides_on_the_layer() -> None:
    ends = flows("ac", "cd", "be", "de")
    layout = {"type": "auto", "direction": "right"}
    free = places(topology_figure(nodes=nodes("abcde"), flows=ends, layout=layout), "abcd")
    pinned = places(topology_figure(nodes=nodes("abcde", b={"pin": {"level": 0}}), flows=ends, layout=layout), "abcd")
    assert free[1][0] == free[3][0]
    assert pinned[1][0] == pinned[0][0]


@pytest.mark.parametrize("order", ["def", "fde", "edf"])
def test_an_order_is_kept(order: str) -> None:
    layout = {"type": "auto", "direction": "down", "keep": [[*order]]}
    found = places(topology_figure(nodes=nodes("abcdef"), flows=flows("ad", "ae", "bf", "ce"), layout=layout), order)
    assert all(one < other for (one, _), (other, _) in pairwise(found))


@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("levels", [[[], ["a", "b"]], [["a", "b"], []], [[], ["a"], [], ["b"]]])
def test_levels_may_be_empty(direction: str, levels: list[list[str]]) -> None:
    layout = {"type": "levels", "direction": direction, "levels": levels}
    assert judged(topology_figure(nodes=nodes("ab"), flows=flows("ab"), layout=layout)) == []


@pytest.mark.parametrize("direction", ["right", "down"])
def test_levels_have_holes(direction: str) -> None:
    layout = {"type": "levels", "direction": direction, "levels": [["a", None, "b"], ["c", "d", "e"]]}
    found = places(topology_figure(nodes=nodes("abcde"), flows=flows("ac", "be"), layout=layout), "abcde")
    across = [place[direction == "right"] for place in found]
    assert across[0] == across[2] and across[1] == across[4]
    assert across[0] != across[3] != across[1]


@pytest.mark.parametrize("layout", [{"type": "auto"}, {"type": "row"}])
def test_texts_stand_on_flows_and_along_them(layout: dict[str, Any]) -> None:
    for at, option in (("on", "fill=paper"), ("sloped", ""), ("beside", "")):
        drawn = topology_figure(nodes=nodes("ab"), flows=flows("ab", label="text", label_at=at), layout=layout)
        (line,) = (line for line in unfold(drawn.tex()).split("\n") if r"{\atobdatalabel}" in line)
        assert ("fill=paper" in line) == bool(option)
        assert ("sloped" in line or "rotate" in line) == (at == "sloped" and layout["type"] == "row")


def test_a_sloped_text_runs_up_beside_an_upright_flow() -> None:
    layout = {"type": "auto", "direction": "down"}
    drawn = topology_figure(
        nodes=nodes("ab"), flows=flows("ab", label="a text that is long", label_at="sloped"), layout=layout
    )
    assert "rotate=90]" in drawn.tex()


@pytest.mark.parametrize("route", ["around", "curved"])
def test_a_flow_runs_around_what_stands_in_a_row(route: str) -> None:
    drawn = topology_figure(nodes=nodes("abc"), flows=flows("ab", "bc", "ca", route=route), layout={"type": "row"})
    assert ("rounded corners=6pt" in drawn.tex()) == (route == "curved")
    assert route == "curved" or judged(drawn) == []
    assert len({y for _, y in places(drawn, "abc")}) == 1


@pytest.mark.parametrize("path", sorted((ROOT / "tests/cases/placing").glob("*.yaml")), ids=lambda path: path.stem)
def test_bars_holes_and_names_of_levels_are_clear_of_all(path: Path) -> None:
    drawn = load(path)
    assert drawn.check() == ()
    if path.stem != "cells":  # whose flows run aslant
        assert judged(drawn) == []


@pytest.mark.parametrize(("name", "axis"), [("bars-down", 0), ("bars-right", 1)])
def test_a_bar_is_as_long_as_all_levels(name: str, axis: int) -> None:
    drawn = load(ROOT / f"tests/cases/placing/{name}.yaml")
    for factor in (0.5, 1.0, 2.0):
        shapes = draw(stretched(drawn.tex(), factor)).nodes
        ends = {one: [shapes[one].anchor(at)[axis] for at in ("south west", "north east")] for one in shapes}
        others = [end for one in ("m0", "m1", "m2", "a", "b") for end in ends[one]]
        for bar in ("agas", "pp"):
            assert ends[bar] == pytest.approx([min(others), max(others)], abs=2)


def test_cells_stay_where_they_were_stated() -> None:
    (fail, transport, app, log, db) = places(load(ROOT / "tests/cases/placing/cells.yaml"), CELLS)
    assert fail[0] == transport[0] < app[0] == db[0] < log[0]
    assert fail[1] == log[1] > transport[1] == app[1] > db[1]
    more = {"type": "grid", "cells": [["a", None], ["b", "c"]]}
    column = places(topology_figure(nodes=nodes("abc"), layout=more), "abc")
    assert column[0][0] == column[1][0] < column[2][0]


CELLS = ("fail", "transport", "app", "log", "db")


def test_a_long_name_is_broken_in_a_cylinder_as_in_a_box() -> None:
    name = "Durable write-ahead log on replicated block storage"
    both = [{"id": "a", "label": name}, {"id": "b", "label": name, "shape": "cylinder"}]
    box, cylinder = (draw(topology_figure(nodes=both).tex()).nodes[each] for each in "ab")
    wide = [shape.anchor("east")[0] - shape.anchor("west")[0] for shape in (box, cylinder)]
    assert wide[1] < wide[0] + PT_PER_CM / 2


def test_smaller_members_of_a_frame_that_is_like_another_fill_it() -> None:
    pools = {"w": {"kind": "worker", "icon": "gpu"}, "v": {"kind": "worker", "icon": None}}
    entities = [{"id": f"{name}{n}", "label": "x", **look} for name, look in pools.items() for n in range(4)]
    members = {name: [f"{name}{n}" for n in range(4)] for name in pools}
    groups: list[dict[str, Any]] = [
        {"id": "icons", "members": members["w"], "layout": {"type": "column"}},
        {"id": "boxes", "members": members["v"], "like": "icons"},
    ]
    drawn = topology_figure(nodes=entities, groups=groups)
    found = {name: [high for _, high in places(drawn, names)] for name, names in members.items()}
    assert found["v"][0] - found["v"][-1] > found["w"][0] - found["w"][-1] - PT_PER_CM / 2


@pytest.mark.parametrize("down", [True, False])
def test_free_places_in_levels_make_nothing_wider_and_a_long_box_is_as_long_as_all_of_them(down: bool) -> None:
    rows: list[Any] = [["a", "b", None, "c"], {"span": "d"}, ["e", None, "f"]]
    layout = {"type": "levels", "levels": rows, "direction": "down" if down else "right"}
    drawn = topology_figure(nodes=nodes("abcdef"), layout=layout, flows=flows("ad", "bd", "cd", "de", "df"))
    found = places(drawn, "abcef")
    across = [place[not down] for place in found]
    assert max(across) - min(across) < (7 if down else 5) * PT_PER_CM  # it was 14 cm
    shapes, sides = draw(drawn.tex()).nodes, ("west", "east") if down else ("south", "north")
    low, high = ({name: shapes[name].anchor(side)[not down] for name in "abcdef"} for side in sides)
    assert low["d"] <= min(low.values()) + 0.1
    assert high["d"] >= max(high.values()) - 0.1


def test_workers_come_and_go_in_cells_and_levels() -> None:
    workers = [{"kind": "worker", "id": f"w{number}"} for number in (1, 2)]
    others = nodes("ab")
    cells = {"type": "grid", "cells": [["a", None], ["w1", "w2"], ["b"]]}
    bars = {"type": "levels", "levels": [["w1", "w2"], {"span": "a"}, ["b"]], "labels": ["one"]}
    for layout, more, fewer in (
        (cells, [["a", None], ["w1", "w2", "w3"], ["b"]], [["a", None], ["w1", None], ["b"]]),
        (bars, [["w1", "w2", "w3"], ["a"], ["b"]], [["w1"], ["a"], ["b"]]),
    ):
        drawn = topology_figure(nodes=[*workers, *others], layout=layout)
        for operation, wanted in (("add-worker", more), ("remove-worker", fewer)):
            (part,) = (part for _, _, part in read_operation(operation, {}).change(drawn).parts(Topology))
            found = part.layout.cells if layout is cells else part.layout.rows  # type: ignore[union-attr]
            assert found == wanted
            assert Topology.model_validate(part.model_dump()) == part


@pytest.mark.parametrize(
    ("layout", "more", "fewer"),
    [
        (
            {"type": "grid", "cells": [["w1", None], ["a", "w2"]]},
            [["w1", None], ["a", "w2", "w3"]],
            [["w1", None], ["a", None]],
        ),
        ({"type": "levels", "levels": [["w1", "w2"], ["a"]]}, [["w1", "w2", "w3"], ["a"]], [["w1"], ["a"]]),
        ({"type": "auto", "keep": [["w2", "w1"]]}, [["w2", "w3", "w1"]], [["w1"]]),
    ],
    ids=["cells", "levels", "keep"],
)
def test_workers_come_and_go_in_frames(layout: dict[str, Any], more: Any, fewer: Any) -> None:
    parts = [{"kind": "worker", "id": f"w{number}"} for number in (1, 2)]
    drawn = topology_figure(
        nodes=[*parts, *nodes("ab")],
        groups=[{"id": "g", "members": ["w1", "w2", "a"], "layout": layout}],
        flows=[{"source": "a", "target": one} for one in ("b", "w1", "w2")],
    )
    for operation, wanted in (("add-worker", more), ("remove-worker", fewer)):
        (part,) = (part for _, _, part in read_operation(operation, {}).change(drawn).parts(Topology))
        found = part.groups[0].layout.model_dump()  # type: ignore[union-attr]
        assert next(found[field] for field in ("cells", "levels", "keep") if field in found) == wanted
        assert Topology.model_validate(part.model_dump()) == part


def test_who_holds_the_layout_of_a_frame_stays() -> None:
    hub = {"kind": "worker", "id": "hub"}
    groups = [{"id": "g", "members": ["hub", "a"], "layout": {"type": "star", "center": "hub"}}]
    drawn = topology_figure(nodes=[{"kind": "worker", "id": "w"}, *nodes("a"), hub], groups=groups, flows=[])
    with pytest.raises(EditRefused, match='"hub" holds the layout together'):
        read_operation("remove-worker", {}).change(drawn)


def test_what_a_layout_needs_is_drawn_among_dots() -> None:
    many = [{"kind": "worker", "id": f"w{number}"} for number in range(12)]
    ends = [{"source": "w6", "target": one["id"]} for one in many if one["id"] != "w6"]
    layout = {"type": "star", "center": "w6"}
    groups = [{"id": "g", "members": [one["id"] for one in many], "layout": layout, "collapse": 4}]
    drawn = topology_figure(nodes=many, groups=groups, flows=ends)
    shown = draw(drawn.tex()).nodes
    assert "w6" in shown and "w4" not in shown
    (part,) = (part for _, _, part in drawn.parts(Topology))
    assert faults(stretched(drawn.tex(), 1.0), leave_out_many(part, ())) == []


def test_long_texts_are_broken() -> None:
    words = "a text that is far too long to stand on one line of a figure"
    long = topology_figure(nodes=nodes("ab", a={"label": words}), flows=flows("ab", label=words))
    (box,) = (shape for name, shape in draw(long.tex()).nodes.items() if name == "a")
    assert 2 < (box.anchor("east")[0] - box.anchor("west")[0]) / 28.45 < 5.1
    assert long.tex().partition("% --- figure ---")[2].count("text width=") == 2
    assert judged(long) == []
    assert long.check() == ()


def test_long_chinese_is_broken_between_its_characters() -> None:
    name = "参数服务器工作节点"
    texts = "".join(f"  {each}: {name}\n" for each in ("worker", "server", "data", "batch", "gradient", "weight"))
    drawn = loads(f"recipe: data-parallel\nworkers: 3\nlanguage: zh\nwidth: 8.4\nlabels:\n{texts}")
    assert len(re.findall(r"text width=\d", drawn.tex())) == 8
    assert judged(drawn) == []


@pytest.mark.parametrize(("width", "bands"), [(None, 0), (17.8, 0), (13, 0), (10, 2)])
def test_levels_are_folded_only_where_nothing_else_fits_and_that_is_told(width: float | None, bands: int) -> None:
    """Smaller icons and closer frames come first."""
    told = f"layout: levels is folded into {bands} bands (for one band, set a larger width, a height, or direction)"
    levels = [["a"], ["b"], ["c", "d"], ["e"], ["f", "g", "h"]]
    icons = {name: {"kind": "worker"} for name in "abcdefgh"}
    drawn = topology_figure(
        nodes=nodes("abcdefgh", **icons),
        flows=flows("ab", "bc", "bd", "ce", "de", "ef", "eg", "eh", label="data"),
        groups=[{"id": "one", "members": ["c", "d"]}, {"id": "two", "members": ["f", "g", "h"]}],
        layout={"type": "levels", "levels": levels},
    )
    assert render(drawn.model_copy(update={"width": width})).notes == ((told,) if bands else ())


def asked(*more: str) -> Figure:
    """A server that asks a cache and gets an answer, beside what else it has to do with."""
    both = {"ac": "lookup", "ca": "hit", **dict.fromkeys(more, "rows")}
    return topology_figure(
        nodes=nodes("uacdl"),
        flows=[one for ends, label in {"ua": "GET", **both, "al": "log"}.items() for one in flows(ends, label=label)],
    )


@pytest.mark.parametrize("more", [(), ("ad",), ("ad", "da"), ("au", "ad", "da")], ids="-".join)
def test_lines_there_and_back_run_side_by_side_beside_others(more: tuple[str, ...]) -> None:
    drawn = asked(*more)
    (part,) = (part for _, _, part in drawn.parts(Topology))
    ways = {line[:2]: line[2] for line in seen(draw(drawn.tex()), part).lines}
    there, back = ways["a", "c"], ways["c", "a"][::-1]
    assert len(there) == len(back)
    assert all(0.1 < dist(*points) < 0.8 for points in zip(there, back, strict=True))


def ring(label: str, **facts: Any) -> Figure:
    """A ring whose flow past one of its members has a label."""
    return topology_figure(
        nodes=nodes("abcdefg", **{name: {"kind": "server"} for name in "abcdefg"}),
        flows=[*flows("ab", "bc", "cd", "de", "ef", "fg", "ga", "ae"), *flows("eg", label=label)],
        layout={"type": "ring"},
    ).model_copy(update=facts)


@pytest.mark.parametrize("width", [None, 8.4])
def test_a_label_in_a_ring_keeps_off_its_members(width: float | None) -> None:
    drawn = ring("hinted handoff", width=width)
    assert (judged(drawn), render(drawn).notes) == ([], ())


def test_a_label_without_a_clear_place_is_told() -> None:
    told = 'the label of the flow from "e" to "g" has no free position: it overlaps "f"'
    assert render(ring("unbreakable" * 5)).notes == (told,)


def test_the_label_of_a_loop_lies_on_nothing() -> None:
    drawn = topology_figure(
        nodes=nodes("abc"), flows=[*flows("ab", "cb"), *flows("aa", label="again", step=1)], layout={"type": "row"}
    )
    assert (judged(drawn), render(drawn).notes) == ([], ())


def test_a_level_in_several_rows_is_told() -> None:
    drawn = topology_figure(
        nodes=nodes("abcdefgh", **{name: {"kind": "worker"} for name in "abcdefgh"}),
        flows=flows("ab", "ac", "ad", "ae", "af", "ag", "bh", "ch", "gh"),
        groups=[{"id": "one", "members": ["b", "c", "d"]}],
        layout={"type": "levels", "direction": "down", "levels": [["a"], ["b", "c", "d", "e", "f", "g"], ["h"]]},
    )
    told = "layout: levels has levels in several rows (for one row each, set a larger width, or smaller levels)"
    for width, notes in ((8.4, (told,)), (17.8, ())):
        assert render(drawn.model_copy(update={"width": width})).notes == notes


@pytest.mark.parametrize("recipe", ["cluster\nnodes: 5", "serving-system\nprefill: 5\ndecode: 5"])
def test_what_is_to_be_wide_is_not_tall(recipe: str) -> None:
    left, low, right, high = draw(loads(f"recipe: {recipe}\nwidth: 17.8\n").tex()).box
    assert right - left > 1.5 * (high - low)


def racks(*, parts: int, count: int) -> dict[str, Any]:
    """Facts of some wide frames below three small entities."""
    cells = [{"label": f"part {number}"} for number in range(parts)]
    names = [f"r{number}" for number in range(count)]
    inner = [{"kind": "node", "id": f"{name}{one}", "label": "Node", "parts": cells} for name in names for one in "xy"]
    inner += [{"kind": "node", "id": name, "label": "Switch"} for name in names]
    return {
        "nodes": [*nodes("abc"), *inner],
        "groups": [{"id": f"g{name}", "members": [name, f"{name}x", f"{name}y"]} for name in names],
        "flows": [
            *({"source": one, "target": name} for one in "abc" for name in names),
            *({"source": name, "target": f"{name}{one}"} for name in names for one in "xy"),
        ],
        "layout": {
            "type": "levels",
            "direction": "down",
            "levels": [[*"abc"], names, [f"{name}{one}" for name in names for one in "xy"]],
        },
    }


def test_a_level_stays_whole_where_its_entities_have_room_side_by_side() -> None:
    drawn = topology_figure(**racks(parts=3, count=2)).model_copy(update={"width": 8.4})
    assert len({y for _, y in places(drawn, "abc")}) == 1
    assert judged(drawn) == []


def test_what_is_larger_than_a_page_has_frames_in_rows() -> None:
    drawn = topology_figure(**racks(parts=3, count=5))
    left, low, right, high = draw(drawn.tex()).box
    assert right - left <= 17.8 * PT_PER_CM and high - low <= 22 * PT_PER_CM
    assert judged(drawn) == []


def test_named_levels_stay_whole() -> None:
    facts = racks(parts=3, count=5)
    facts["layout"]["labels"] = ["clients", "switches", "nodes"]
    assert len({y for _, y in places(topology_figure(**facts), [f"r{number}" for number in range(5)])}) == 1


@pytest.mark.slow
def test_a_figure_in_a_width_keeps_to_the_height_of_a_page() -> None:
    facts = racks(parts=3, count=3)
    for each in facts["nodes"]:
        each["sublabel"] = "replica"
    drawn = topology_figure(**facts).model_copy(update={"width": 8.4})
    _, low, _, high = draw(drawn.tex()).box
    assert high - low <= 22 * PT_PER_CM


@pytest.mark.parametrize("direction", ["right", "down"])
def test_levels_name_frames_in_place_of_what_these_hold(direction: str) -> None:
    """What a frame holds is laid out as everything is, by its flows or as the frame says."""
    groups = [
        {"id": "inner", "members": ["c", "d"]},
        {"id": "one", "label": "one", "members": ["b", "inner"]},
        {"id": "two", "label": "two", "members": ["e", "f", "g"], "layout": {"type": "row"}},
    ]
    levels = {"type": "levels", "direction": direction, "levels": [["a"], ["one", "two"], ["h"]]}
    drawn = topology_figure(
        nodes=nodes("abcdefgh"), groups=groups, flows=flows("ab", "ae", "bc", "bd", "dh", "gh"), layout=levels
    )
    found = dict(zip("abcdefgh", places(drawn, "abcdefgh"), strict=True))
    axis, sign = (0, 1) if direction == "right" else (1, -1)
    levels_at = [found["a"][axis] * sign, *(found[name][axis] * sign for name in "bcdefg"), found["h"][axis] * sign]
    assert levels_at[0] < min(levels_at[1:-1]) and max(levels_at[1:-1]) < levels_at[-1]
    assert len({found[name][1] for name in "efg"}) == 1
    assert judged(drawn) == []


def test_a_frame_in_levels_goes_with_its_last_worker() -> None:
    entities = nodes("ab", b={"kind": "worker"}) + nodes("c", c={"kind": "worker"})
    groups = [{"id": "one", "members": ["b"]}, {"id": "two", "members": ["c"]}]
    layout = {"type": "levels", "levels": [["a"], ["one", "two"]]}
    drawn = topology_figure(nodes=entities, groups=groups, flows=flows("ab", "ac"), layout=layout)
    made = read_operation("remove-worker", {}).change(drawn)
    (part,) = (part for _, _, part in made.parts(Topology))
    assert isinstance(part.layout, Levels) and part.layout.rows == [["a"], ["one"]]


MOVED: dict[str, dict[str, Any]] = {
    "auto": {},
    "auto in a frame": {"groups": [{"id": "f", "label": "F", "members": ["b", "c"]}]},
    "row": {"layout": {"type": "row"}},
    "column": {"layout": {"type": "column"}},
    "grid": {"layout": {"type": "grid", "columns": 2}},
    "ring": {"layout": {"type": "ring"}},
    "star": {"layout": {"type": "star", "center": "b"}},
    "tree": {"layout": {"type": "tree", "root": "a"}},
    "levels": {"layout": {"type": "levels", "levels": [["a"], ["b", "c"], ["d", "e"]]}},
    "levels down": {"layout": {"type": "levels", "direction": "down", "levels": [["a"], ["b", "c"], ["d", "e"]]}},
    "frame with a layout": {"groups": [{"id": "f", "members": [*"bcd"], "layout": {"type": "row"}}]},
}
"""Facts of topologies in each layout."""


@pytest.mark.parametrize("name", MOVED)
def test_a_node_is_moved_by_its_offset(name: str) -> None:
    ends = flows("ab", "ac", "bd", "cd", "de")
    before, after = (
        topology_figure(nodes=nodes("abcde", **moved), flows=ends, **MOVED[name])
        for moved in ({}, {"c": {"offset": [0.4, -0.3]}})
    )
    shapes = [draw(each.tex()).nodes for each in (before, after)]
    for other in "abde":  # all stay together, and `c` moves
        steps = [
            tuple(
                (here - there) / PT_PER_CM
                for here, there in zip(drawn["c"].anchor("center"), drawn[other].anchor("center"), strict=True)
            )
            for drawn in shapes
        ]
        assert steps[1] == pytest.approx((steps[0][0] + 0.4, steps[0][1] - 0.3), abs=0.005)
    if "f" in shapes[1]:
        left, top = shapes[1]["f"].anchor("north west")
        right, bottom = shapes[1]["f"].anchor("south east")
        x, y = shapes[1]["c"].anchor("center")
        assert left < x < right and bottom < y < top
        assert worst_of(after) == []


@pytest.mark.parametrize("name", MOVED)
def test_an_offset_changes_no_multiple_of_a_distance(name: str) -> None:
    """Nodes follow the distances alike with an offset and without it, so that a lifted move is drawn as it was."""
    ends = flows("ab", "ac", "bd", "cd", "de")
    for node, offset in (("c", [0.4, -0.3]), ("e", [-0.3, 0.6]), ("a", [1, 0])):
        given = nodes("abcde", **{node: {"offset": offset}})
        before, after = (
            Elements(rows_of(topology_figure(nodes=each, flows=ends, **MOVED[name]).tex())).sums
            for each in (nodes("abcde"), given)
        )
        for key in before:
            steps = (subtract_sums(after[key].x, before[key].x), subtract_sums(after[key].y, before[key].y))
            wanted = offset if key[1] == node else [0, 0]
            assert [float(step.get("", 0)) for step in steps] == pytest.approx(wanted, abs=0.002)
            assert not any(macro for step in steps for macro in step)


def worst_of(drawn: Figure) -> list[str]:
    (part,) = (part for _, _, part in drawn.parts(Topology))
    return faults(drawn.tex(), part)


def test_a_moved_node_is_not_collapsed() -> None:
    members = [{"kind": "worker", "id": f"w{number}"} for number in range(1, 9)]
    members[4]["offset"] = [0.5, 0]
    drawn = topology_figure(
        nodes=[{"id": "ps"}, *members], flows=flows(*((f"w{n}", "ps") for n in range(1, 9))), collapse=3
    )
    assert "w5" in draw(drawn.tex()).nodes


def test_an_offset_outside_of_a_page_is_refused() -> None:
    with pytest.raises(ValidationError, match="offset"):
        topology_figure(nodes=[{"id": "a", "offset": [1000, 0]}])


@pytest.mark.parametrize("direction", ["right", "down"])
def test_levels_respect_frames(direction: str) -> None:
    nodes = [{"kind": "worker", "id": name, "label": name} for name in "abcdef"]
    groups = [{"id": "one", "members": ["a", "c"], "label": "one"}, {"id": "two", "members": ["d", "f"]}]
    flows = [{"source": one, "target": other} for one, other in ("ac", "cb", "be", "ed", "df", "ae")]
    layout = {"type": "levels", "direction": direction, "levels": [["a", "b"], ["c", "d"], ["e", "f"]]}
    assert judged(topology_figure(nodes=nodes, groups=groups, flows=flows, layout=layout)) == []


@pytest.mark.parametrize("radius", ["", "spacing: {radius: 2}"])
@pytest.mark.parametrize(
    ("names", "parameters"), [("a", ["ringheight"]), ("ab", ["ringheight"]), ("abc", ["radius", "ringheight"])]
)
def test_a_ring_has_only_the_distances_that_it_uses(names: str, parameters: list[str], radius: str) -> None:
    nodes = ", ".join(f"{{id: {name}}}" for name in names)
    spec = f"panels: [{{content: {{type: topology, nodes: [{nodes}], layout: {{type: ring}}}}}}]\n{radius}\n"
    tex = loads(spec, name="spec.yaml").tex()
    assert re.findall(r"\\def\\(radius|ringheight)\b", tex) == parameters
    assert all(len(re.findall(rf"\\{name}\b", tex)) > 1 for name in parameters)
