"""A topology on paper: measure the entities, place them, route the flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.constants import PAD
from tikzgen.layout.extent import Extent, union
from tikzgen.layout.extent import around as spot_around
from tikzgen.layout.items import Item, Note
from tikzgen.layout.length import ZERO, Length, param
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.braces import braced
from tikzgen.layout.topology.flow_items import edges, fold
from tikzgen.layout.topology.flow_path import Run, label_place, reach, stops
from tikzgen.layout.topology.flow_routes import courses, route
from tikzgen.layout.topology.level_labels import named_levels
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.node_shapes import Shape, caption, draw, shape_of
from tikzgen.layout.topology.places import needs, places, runs_down
from tikzgen.layout.topology.side_notes import Taken, noted
from tikzgen.model.entities import Dots
from tikzgen.model.topology import Grid, Levels, Line, Topology
from tikzgen.plane.path import strikes

_LINES = 0.02  # cm that the line of a frame takes in the frame around it, and the line around an icon in that
_BESIDE = 0.03  # cm between a label and the flows of others
_PIECES = 8  # of a leg of a flow, as notes see it
_SHARE = 0.6  # of the level that a lone box faces


def _shapes(plan: Plan, panel: str, part: Topology) -> dict[str, Shape]:
    across = _across(part)
    level = _in_rows(part)
    return {node.id: shape_of(plan, panel, node, (across.get(node.id, ZERO), ZERO), level=level) for node in part.nodes}


def _in_rows(part: Topology) -> bool:
    """Whether the entities that dots stand for would stand side by side."""
    layout = part.arrangement
    return isinstance(layout, Grid) or getattr(layout, "type", "") == "row" or runs_down(part)


def _across(part: Topology) -> dict[str, Length]:
    """How wide a box becomes that stands alone above or below a whole level, so that its flows run steeply."""
    layout = part.arrangement
    if not isinstance(layout, Levels) or layout.direction != "down":
        return {}
    found = {}
    for index, level in enumerate(layout.rows):
        beside = [
            len(other) for other in (*layout.rows[max(index - 1, 0) : index], *layout.rows[index + 1 : index + 2])
        ]
        if len(level) == 1 and level[0] and beside:
            found[level[0]] = param("colsep", _SHARE * (max(beside) - 1))
    return found


def spacing(plan: Plan, panel: str, part: Topology) -> dict[str, Need]:
    """The distances that a topology uses."""
    return needs(plan, part, _shapes(plan, panel, part), places(part))


def topology(plan: Plan, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]) -> Piece:
    """Lay out a topology around its own origin."""
    shapes, where, across = _shapes(plan, panel, part), places(part), _across(part)
    net = Network(plan, panel, part, shapes, where, points)
    runs = route(net)
    under = {name for run in runs for name, side in zip(run.ends, run.sides, strict=True) if side == "south"}
    items: list[Item] = []
    captions: list[Item] = []
    for node in part.nodes:
        x, y = where[node.id].at
        items.extend(draw(plan, panel, node, x, y, (across.get(node.id, ZERO), ZERO), level=_in_rows(part)))
        if not isinstance(node, Dots):
            text = caption(plan, panel, node, named=node.id in under)
            captions.extend([text] if text else [])
    workers = {plan.name(panel, node.id) for node in part.nodes if getattr(node, "kind", "") == "worker"}
    # what comes up one by one stands in no loop
    flows = fold(list(edges(net, runs)), set() if plan.figure.slides else workers)
    around = {name: _around(shape, *where[name].at) for name, shape in shapes.items()}
    reaches = [extent for run in runs for extent in reach(net, run)]
    sections = (("nodes", items), ("labels below the icons", captions), ("flows", flows))
    linked = bool(plan.figure.links)
    piece = Piece(
        items=tuple(item for title, section in sections if section for item in (Note(title), *section)),
        extent=union([*around.values(), *reaches], plan.values),
        axis=_axis(part, plan, where_x=[place.at[0] for place in where.values()]),
        struck=frozenset(plan.name(panel, name) for name in _struck_captions(net, runs)),
        outlines=dict(_outlines(net, runs)) if linked else {},
        texts=tuple(_texts(net, runs)) if linked else (),
    )
    piece = named_levels(plan, panel, part, net.mark, piece, around, down=runs_down(part))
    if part.notes:
        piece = noted(plan, panel, part, net.mark, piece, _taken(net, runs, around))
    return braced(plan, panel, part, net.mark, piece, around)


def _taken(net: Network, runs: Sequence[Run], boxes: Mapping[str, Extent]) -> Taken:
    """What notes keep clear of, and what they are about, at the distances that the figure has."""
    solids = [one for name in net.nodes for one in (net.outline(name), net.caption(name)) if one]
    solids += [label_place(net, run) for run in runs if run.flow.label]
    courses = tuple(
        tuple(run.path.at(step / _PIECES / len(run.path.legs)) for step in range(_PIECES * len(run.path.legs) + 1))
        for run in runs
    )
    about = {name: (box,) for name, box in boxes.items()}
    about |= {run.flow.id: (spot_around(run.path.at(0.5)),) for run in runs if run.flow.id}
    return Taken(tuple(solids), (), courses, about, (1.0,))


def stands_clear(plan: Plan, panel: str, part: Topology) -> bool:
    """Whether flows pass through no entity that they do not join.

    Elbows and buses turn corners, which straight lines do not. It is asked of the type and the distances that the
    figure has where nothing presses, once.
    """
    if id(part) not in plan.clear:
        plan.clear[id(part)] = not part.asks and _stands_clear(plan, panel, part)
    return plan.clear[id(part)]


def _stands_clear(plan: Plan, panel: str, part: Topology) -> bool:
    plain = replace(plan, size=plan.figure.font.size, wrapped=frozenset(), limit=0.0, values={})
    plain = replace(plain, values={name: need.usual for name, need in spacing(plain, panel, part).items()})
    net = Network(plain, panel, part, _shapes(plain, panel, part), places(part), {})
    runs = courses(net)
    return not any(
        strikes(run.way, solids) for run in runs for name, solids in net.solids.items() if name not in run.ends
    )


def _outlines(net: Network, runs: Sequence[Run]) -> Iterator[tuple[str, Extent]]:
    """The places of all that links can end on, by name."""
    yield from ((net.plan.name(net.panel, name), net.outline(name)) for name in net.nodes)
    yield from ((name, place) for run in runs for name, _, place in stops(net, run))


_ROUND = 0.09  # cm of the room round a flow's label


def _texts(net: Network, runs: Sequence[Run]) -> Iterator[tuple[str, Extent]]:
    """Where texts stand, roughly: those in boxes and below icons, with their nodes' names, and those beside flows."""
    for node in net.nodes:
        name, caption = net.plan.name(net.panel, node), net.caption(node)
        yield name, net.outline(node).grown(-PAD if node in net.boxes else 0.0)
        if caption:
            yield name, caption
    yield from (("", label_place(net, run).grown(-_ROUND)) for run in runs if run.flow.label)


def _struck_captions(net: Network, runs: Sequence[Run]) -> frozenset[str]:
    """The ids of entities whose wide captions are met by flows that run sideways, their own or others'.

    With them those of all wide captions in the same column, which are set alike.
    """
    wide = [name for name, shape in net.shapes.items() if shape.below and shape.caption > shape.width]
    paths = [run.way for run in runs if wide and {*run.sides} <= {"east", "west"}]
    columns = {net.where[name].x for name in wide if any(strikes(path, net.solids[name][1:]) for path in paths)}
    return frozenset(name for name in wide if net.where[name].x in columns)


def _around(shape: Shape, x: Length, y: Length) -> Extent:
    return Extent(x - shape.span / 2, y - (shape.height / 2 + shape.below), x + shape.span / 2, y + shape.height / 2)


def _axis(part: Topology, plan: Plan, where_x: list[Length]) -> Length | None:
    """The line that titles are centred on, where the placement has one: the middle between first and last column."""
    if isinstance(part.arrangement, (Levels, Line)):
        first = min(where_x, key=lambda x: x.at(plan.values))
        last = max(where_x, key=lambda x: x.at(plan.values))
        return (first + last) * 0.5
    return None
