"""A topology on paper: measure the entities, place them, route the flows, frame the groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.constants import INNER, PAD
from tikzgen.layout.extent import Extent, union
from tikzgen.layout.extent import around as spot_around
from tikzgen.layout.items import Item, Note
from tikzgen.layout.length import ZERO, Length, param
from tikzgen.layout.number_words import wordy
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.braces import braced
from tikzgen.layout.topology.flow_items import edges, fold
from tikzgen.layout.topology.flow_labels import labelled, ways
from tikzgen.layout.topology.flow_path import Run, label_place, reach, stops
from tikzgen.layout.topology.flow_routes import courses, route
from tikzgen.layout.topology.level_labels import named_levels
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.node_shapes import Shape, caption, draw, shape_of
from tikzgen.layout.topology.places import needs, places, runs_down
from tikzgen.layout.topology.side_notes import Taken, noted
from tikzgen.layout.topology.topology_items import Fit
from tikzgen.model.entities import Dots, Entity
from tikzgen.model.topology import Grid, Group, Levels, Line, Topology
from tikzgen.plane.path import strikes
from tikzgen.plane.rectangles import Box, Point, crosses, is_within, overlap

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
    framed = {member for group in part.groups for member in group.members}
    under = {name for run in runs for name, side in zip(run.ends, run.sides, strict=True) if side == "south"}
    items: list[Item] = []
    captions: list[Item] = []
    for node in part.nodes:
        x, y = where[node.id].at
        items.extend(draw(plan, panel, node, x, y, (across.get(node.id, ZERO), ZERO), level=_in_rows(part)))
        if not isinstance(node, Dots):
            text = caption(plan, panel, node, named=node.id in under or node.id in framed)
            captions.extend([text] if text else [])
    workers = {plan.name(panel, node.id) for node in part.nodes if getattr(node, "kind", "") == "worker"}
    # what comes up one by one stands in no loop
    flows = fold(list(edges(net, runs)), set() if plan.figure.slides else workers)
    around = {name: _around(shape, *where[name].at) for name, shape in shapes.items()}
    frames, framings, insides = _groups(plan, panel, part, around, ways(runs) if part.groups else [])
    reaches = [extent for run in runs for extent in reach(net, run)]
    sections = (("nodes", items), ("labels below the icons", captions), ("frames", frames), ("flows", flows))
    linked = bool(plan.figure.links)
    piece = Piece(
        items=tuple(item for title, section in sections if section for item in (Note(title), *section)),
        extent=union([*around.values(), *reaches, *framings], plan.values),
        axis=_axis(part, plan, where_x=[place.at[0] for place in where.values()]),
        struck=frozenset(plan.name(panel, name) for name in _struck_captions(net, runs)),
        outlines=dict(_outlines(net, runs, frames, insides)) if linked else {},
        texts=tuple(_texts(net, runs)) if linked else (),
    )
    boxes = {**around, **dict(zip((group.id for group in part.groups), framings, strict=True))}
    piece = named_levels(plan, panel, part, net.mark, piece, boxes, down=runs_down(part))
    if part.notes:
        piece = noted(plan, panel, part, net.mark, piece, _taken(net, runs, boxes))
    return braced(plan, panel, part, net.mark, piece, boxes)


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
    frames = tuple(boxes[group.id] for group in net.topology.groups)
    return Taken(tuple(solids), frames, courses, about, (1.0,))


def stands_clear(plan: Plan, panel: str, part: Topology) -> bool:
    """Whether frames hold their members alone, and flows pass through no entity and no frame that they do not join.

    Elbows and buses turn corners, which straight lines do not. It is asked of the type and the distances that the
    figure has where nothing presses, once.
    """
    if id(part) not in plan.clear:
        plan.clear[id(part)] = not part.asks and _stands_clear(plan, panel, part)
    return plan.clear[id(part)]


def _stands_clear(plan: Plan, panel: str, part: Topology) -> bool:
    plain = replace(plan, size=plan.figure.font.size, wrapped=frozenset(), limit=0.0, values={})
    plain = replace(plain, values={name: need.usual for name, need in spacing(plain, panel, part).items()})
    shapes, where = _shapes(plain, panel, part), places(part)
    net = Network(plain, panel, part, shapes, where, {})
    runs = courses(net)
    around = {name: _around(shape, *where[name].at) for name, shape in shapes.items()}
    _, framings, _ = _groups(plain, panel, part, around, ways(runs))
    boxes = dict(zip((group.id for group in part.groups), (one.box(plain.values) for one in framings), strict=True))
    inside: dict[str, frozenset[str]] = {}
    for group in part.groups:
        inside[group.id] = frozenset().union(*(inside.get(one, frozenset((one,))) for one in group.members))
    for name, box in boxes.items():
        strangers = [solid for node, solids in net.solids.items() if node not in inside[name] for solid in solids]
        if any(overlap(box, solid) for solid in strangers):
            return False
        if any(inside[name].isdisjoint(run.ends) and strikes(run.way, [box]) for run in runs):
            return False
    for one, other in combinations(boxes, 2):
        if inside[one].isdisjoint(inside[other]) and overlap(boxes[one], boxes[other]):
            return False
    if any(strikes(run.way, solids) for run in runs for name, solids in net.solids.items() if name not in run.ends):
        return False
    return not part.groups or _labels_clear(net, labelled(net, runs), list(boxes.values()))


def _labels_clear(net: Network, runs: Sequence[Run], frames: Sequence[Box]) -> bool:
    """Whether no label of a flow stands on the border of a frame, on an entity, on a label or under another flow."""
    solids = [solid for solids in net.solids.values() for solid in solids]
    labels = [
        (index, label_place(net, run).grown(-_ROUND).box(net.plan.values))
        for index, run in enumerate(runs)
        if run.flow.label
    ]
    for index, label in labels:
        others = [*solids, *(box for other, box in labels if other != index)]
        if any(overlap(label, frame) and not is_within(label, frame) for frame in frames):
            return False
        if any(overlap(label, box) for box in others):
            return False
        if any(strikes(run.way, [label], _BESIDE) for place, run in enumerate(runs) if place != index):
            return False
    return True


def _outlines(
    net: Network, runs: Sequence[Run], frames: Sequence[Fit], insides: Sequence[Extent]
) -> Iterator[tuple[str, Extent]]:
    """The places of all that links can end on, by name."""
    yield from ((net.plan.name(net.panel, name), net.outline(name)) for name in net.nodes)
    yield from ((frame.name, inside) for frame, inside in zip(frames, insides, strict=True))
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


def _groups(
    plan: Plan, panel: str, part: Topology, extents: dict[str, Extent], flows: Sequence[Sequence[Point]]
) -> tuple[list[Fit], list[Extent], list[Extent]]:
    """Frames from the inside out, with and without their labels; a frame of frames keeps its distance from them."""
    items: list[Fit] = []
    known = dict(extents)
    insides: list[Extent] = []
    inside = {member for group in part.groups for member in group.members}
    frames = {group.id for group in part.groups}
    for group in part.groups:
        macro = plan.labels.macro(panel, wordy(group.id) + "label") if group.label else ""
        nested = not frames.isdisjoint(group.members)
        inner = union([known[name] for name in group.members], plan.values).grown(PAD + (_LINES if nested else 0.0))
        insides.append(inner)
        label, at = _group_label(plan, group, inner, flows)
        known[group.id] = union([inner, label], plan.values)
        members = tuple(member_names(plan, panel, part, group))
        name = plan.name(panel, group.id)
        # a frame around this one goes round its label too
        items.append(Fit(name, members, macro, PAD, f"{name}-label" if macro and group.id in inside else "", at))
    return items, [known[group.id] for group in part.groups], insides


def _group_label(plan: Plan, group: Group, inner: Extent, flows: Sequence[Sequence[Point]]) -> tuple[Extent, str]:
    """Where the label of a frame stands: below its middle, or below the corner where no flow passes through it."""
    size = plan.measure(group.label) if group.label else None
    room = size.height + size.depth + 2 * INNER + 0.03 if size else 0.0
    wide = size.width + 2 * INNER if size else 0.0
    middle = (inner.left + inner.right) * 0.5
    places = (
        ("", Extent(middle - wide / 2, inner.bottom - room, middle + wide / 2, inner.top)),
        ("west", Extent(inner.left, inner.bottom - room, inner.left + wide, inner.top)),
        ("east", Extent(inner.right - wide, inner.bottom - room, inner.right, inner.top)),
    )
    for at, label in places if size else ():
        left, bottom, right, top = Extent(label.left, label.bottom, label.right, inner.bottom).box(plan.values)
        if not any(crosses(way, (left + INNER, bottom, right - INNER, top - INNER)) for way in flows):
            return label, at
    return places[0][1], ""


def member_names(plan: Plan, panel: str, part: Topology, group: Group) -> list[str]:
    captioned = {
        node.id
        for node in part.nodes
        if isinstance(node, Entity) and node.form == "icon" and node.label + node.sublabel
    }
    captioned |= {inner.id for inner in part.groups if inner.label}
    names = []
    for member in group.members:
        names.append(plan.name(panel, member))
        if member in captioned:
            names.append(plan.name(panel, member) + "-label")
    return names
