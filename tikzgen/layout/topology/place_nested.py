"""A topology whose layout finds itself: measured, laid out in cm, and spelt in lengths that follow the distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import floor

from tikzgen.base.errors import Problem, SpecError, quoted
from tikzgen.base.record import replace
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.constants import INNER, LABEL_INNER_PT, MARGIN
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Caption, Item, Note
from tikzgen.layout.length import ZERO, Length, Pair
from tikzgen.layout.number_words import wordy
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.nested.containers import PAD
from tikzgen.layout.topology.nested.nested_graph import ROOT, Frame, Graph, Leaf, Line
from tikzgen.layout.topology.nested.nested_layout import MARK, Layout, laid_out
from tikzgen.layout.topology.nested.routes import Way
from tikzgen.layout.topology.nested.stretch import stretches
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.node_shapes import Shape, caption, draw, shape_of
from tikzgen.layout.topology.outlines import MIDDLE
from tikzgen.layout.topology.place_topology import member_names, stands_clear
from tikzgen.layout.topology.places import Place, places
from tikzgen.layout.topology.topology_items import Fit
from tikzgen.layout.topology.topology_items import Way as WayItem
from tikzgen.layout.topology.topology_macros import flow_label
from tikzgen.model.entities import Dots, Entity
from tikzgen.model.figure import Figure, Panel
from tikzgen.model.topology import Auto, Flow, Grid, Levels, Ring, Star, Topology, Tree
from tikzgen.model.widths import width_in_cm
from tikzgen.plane.rectangles import Box, Point
from tikzgen.plane.units import CM_PER_PT
from tikzgen.text import typeset

_WIDEST, _HIGHEST = 17.8, 21.0  # cm, where nobody said how wide: the text of a paper
_BASE = 0.6  # cm from the line of anchors down to the lower edge of an icon, so that captions stand on one line
_LEAST = 0.4  # of a distance: so far may it shrink, and lines beside each other stay two
_PANELS = 0.9  # cm between panels
_MANY = 3  # flows that leave, and that arrive: so many of a kind share trunks
_STEP = 0.25  # cm: widths that are nearly the same have one layout
_ROUND = LABEL_INNER_PT * CM_PER_PT  # cm around the label of a frame
_SIDES = ("east", "south", "west", "north")
_ANCHORS = ("east", "south", "west", "north")
_GAPS = {
    "colsep": ("x", "width of the free paper between columns"),
    "rowsep": ("y", "height of the free paper between rows"),
}


def is_nested(plan: Plan, panel: Panel, part: Topology) -> bool:
    """Whether a topology finds its own layout: it was asked to, or frames would be in the way of what was stated.

    Flows that are to run straight do so in a stated layout, where another one would bend them.
    """
    if isinstance(part.arrangement, Auto):
        return True
    held = [member for group in part.groups for member in group.members]
    stated = isinstance(part.arrangement, (Grid, Levels, Ring, Star, Tree)) and len(held) == len({*held})
    free = bool(part.groups) or all(flow.route == "auto" for flow in part.flows)
    if not stated or not free or part.crowded or stands_clear(plan, panel.id, part):
        return False
    return all(flow.route != "straight" for flow in part.flows) or not _bent(_graph(plan, panel, part))


def nested_spacing(plan: Plan, panel: Panel, part: Topology) -> dict[str, Need]:
    """The distances that a topology uses: 1 cm where nothing presses."""
    graph = _graph(plan, panel, part)
    used = stretches(graph, laid_out(graph))
    return {
        way.name: Need(_LEAST, 1.0, "x" if way.name == "colsep" else "y", _GAPS[way.name][1])
        for way in used
        if way.free
    }


def nested_topology(plan: Plan, panel: Panel, part: Topology, points: Mapping[str, tuple[float, ...]]) -> Piece:
    """The topology around its upper left corner."""
    graph = _graph(plan, panel, part)
    _refuse_bent(plan, part, graph)
    paper = _Paper(plan, panel.id, part, graph, laid_out(graph))
    linked = bool(plan.figure.links)
    return Piece(
        items=tuple(paper.items(points)),
        extent=paper.extent(),
        outlines=dict(paper.outlines(points)) if linked else {},
        texts=tuple(paper.texts()) if linked else (),
    )


def _bent(graph: Graph) -> list[int]:
    """The numbers of the lines that were to run straight, and cannot without passing through something."""
    ways = laid_out(graph).ways
    return [index for index, line in enumerate(graph.lines) if line.straight and len(ways[index].points) > 2]


def _refuse_bent(plan: Plan, part: Topology, graph: Graph) -> None:
    """A flow that was to run straight is not drawn otherwise."""
    for index in _bent(graph):
        flow = part.flows[index]
        panel, content = next((panel, place) for panel, place, one in plan.figure.parts(Topology) if one is part)
        message = f"cannot run straight from {quoted(flow.source)} to {quoted(flow.target)}: others stand between"
        path = f"panels[{panel}].content[{content}].flows[{index}].route"
        raise SpecError([Problem(message, path, hint="use route: auto, or state a layout in which it can")])


def stops_of(
    plan: Plan, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[Flow, str, float]]:
    """The places along flows that links end on, with the names of their coordinates."""
    for flow in part.flows:
        wanted, base = points.get(flow.id or "", ()), plan.name(panel, flow.id or "")
        for number, place in enumerate(wanted, 1):
            yield flow, base if len(wanted) == 1 else f"{base}-{number}", place


def _graph(plan: Plan, panel: Panel, part: Topology) -> Graph:
    """The topology in numbers."""
    figure = plan.figure
    beside = _beside(figure, panel)
    whole = width_in_cm(figure.width) if figure.width is not None else _WIDEST
    leaves = tuple(_leaf(plan, panel.id, part, index) for index in range(len(part.nodes)))
    first = {node.id: place for place, node in enumerate(part.nodes)}
    for group in part.groups:
        first[group.id] = min(first[member] for member in group.members)
    held = {member for group in part.groups for member in group.members}
    ranks, direction = _ranks(part)
    direction = "" if direction == "auto" else direction
    own = getattr(part.arrangement, "direction", "") if isinstance(part.arrangement, Auto) else ""
    own = "" if own == "auto" else own
    frames = tuple(
        Frame(group.id, tuple(group.members), _title(plan, group.label), direction, _layers(part, group.members, ranks))
        for group in part.groups
    )
    loose = sorted((name for name in first if name not in held), key=first.__getitem__)
    return Graph(
        leaves,
        Frame(ROOT, tuple(loose), direction=direction or own, layers=_layers(part, loose, ranks)),
        frames,
        tuple(_lines(plan, part)),
        floor((whole - 2 * MARGIN - _PANELS * (beside - 1)) / beside / _STEP) * _STEP,
        _HIGHEST,
        figure.width is not None,
    )


def _beside(figure: Figure, panel: Panel) -> int:
    """How many share the width: all in the panel's row, or, where no width is asked for, topologies everywhere.

    So a topology is the same wherever it stands in a figure whose width is free.
    """
    panels = (figure.columns or len(figure.panels)) if figure.arrange == "row" else 1
    if figure.width is not None:
        return panels * (len(panel.content) if panel.arrange != "column" else 1)
    rows = (one.content for one in figure.panels if one.arrange != "column")
    return panels * max([1, *(sum(isinstance(part, Topology) for part in row) for row in rows)])


def _ranks(part: Topology) -> tuple[dict[str, int], str]:
    """The level of each entity by a layout that was stated, in the order of the levels, and where the next one is."""
    layout = part.arrangement
    if isinstance(layout, Levels):
        levels = layout.levels
        return {name: depth for depth, level in enumerate(levels) for name in level}, layout.direction
    if isinstance(layout, (Grid, Tree)):
        return {name: place.level for name, place in places(part).items()}, "down"
    return {}, ""


def _layers(part: Topology, members: Sequence[str], ranks: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """The members of a container in the levels that were stated: a frame stands where its first member does."""
    if not ranks:
        return ()
    inside = {group.id: group.members for group in part.groups}
    order = {name: place for place, name in enumerate(ranks)}

    def first(name: str) -> str:
        return min(map(first, inside[name]), key=order.__getitem__) if name in inside else name

    found: dict[int, list[str]] = {}
    for name in sorted(members, key=lambda name: order[first(name)]):
        found.setdefault(ranks[first(name)], []).append(name)
    return tuple(tuple(found[depth]) for depth in sorted(found))


def _title(plan: Plan, label: str) -> Point:
    size = plan.measure(label) if label else None
    return (round(size.width + 2 * _ROUND, 4), round(size.height + size.depth + 2 * _ROUND, 4)) if size else (0.0, 0.0)


def _lines(plan: Plan, part: Topology) -> Iterator[Line]:
    bundles = _bundles(part.flows)
    for flow, bundle in zip(part.flows, bundles, strict=True):
        size = plan.measure(flow.label) if flow.label else None
        label = (round(size.width, 4), round(size.height + size.depth, 4)) if size else (0.0, 0.0)
        side = "" if flow.side == "auto" else flow.side
        yield Line(flow.source, flow.target, label, bundle, flow.step is not None, flow.route == "straight", side)


_Hub = tuple[str, str, int]
"""A kind of flow, an entity, and whether it is the source (0) or the target (1)."""


def _bundles(flows: Sequence[Flow]) -> list[int]:
    """The number of each flow's bundle, 0 for none: buses with a common end, and flows from many to many."""
    hubs: dict[_Hub, list[int]] = {}
    for index, flow in enumerate(flows):
        for place, end in enumerate((flow.source, flow.target)):
            if flow.source != flow.target and flow.route in ("auto", "bus"):
                hubs.setdefault((flow.kind, end, place), []).append(index)
    found = [0] * len(flows)
    for hub, members in sorted(hubs.items(), key=lambda each: -len(each[1])):
        free = [index for index in members if not found[index] and _joins(flows, hubs, hub, index)]
        if len(free) > 1:
            for index in free:
                found[index] = max(found) + 1 if index == free[0] else found[free[0]]
    return found


def _joins(flows: Sequence[Flow], hubs: Mapping[_Hub, Sequence[int]], hub: _Hub, index: int) -> bool:
    """Whether a flow shares a trunk: it is a bus, or one of many that leave where as many arrive elsewhere."""
    flow = flows[index]
    if flow.route == "bus":
        return True
    labels = sum(bool(flows[one].label) for one in hubs[hub])
    ends = ((flow.kind, flow.source, 0), (flow.kind, flow.target, 1))
    return hub[2] == 0 and labels < 2 and min(len(hubs[end]) for end in ends) >= _MANY


def _leaf(plan: Plan, panel: str, part: Topology, index: int) -> Leaf:
    """An entity around its anchor: the middle of a box, or a fixed height above the lower edge of an icon."""
    node = part.nodes[index]
    shape = shape_of(plan, panel, node)
    net = Network(plan, panel, part, {node.id: shape}, {}, {})
    wide, tall = net.half(node.id)
    middle, loop = _middle(shape), 0.0
    for flow in part.flows:
        if flow.source == flow.target == node.id:
            size = plan.measure(flow.label) if flow.label else None
            loop = 0.55 + (size.height + size.depth + 0.2 if size else 0.0)
    half = max(wide, shape.span / 2)
    body = (-wide, middle - tall, wide, middle + tall)
    foot = (-half, body[1] - loop, half, max(body[3], middle + shape.height / 2 + shape.below))
    return Leaf(node.id, _rounded(body), _rounded(foot), MIDDLE.get(shape.form, 1.0))


def _rounded(box: Box) -> Box:
    return round(box[0], 4), round(box[1], 4), round(box[2], 4), round(box[3], 4)


def _middle(shape: Shape) -> float:
    """How far below its anchor the middle of an entity is."""
    return _BASE - shape.height / 2 if shape.below else 0.0


def _line_count(node: Entity) -> int:
    """How many lines the caption of an entity has."""
    return sum(1 + text.count("\n") for text in (node.label, node.sublabel) if text)


class _Paper:
    """A layout with its lengths: what is drawn, and where it is."""

    def __init__(self, plan: Plan, panel: str, part: Topology, graph: Graph, layout: Layout) -> None:
        self.plan, self.panel, self.part, self.graph, self.layout = plan, panel, part, graph, layout
        self.across, self.down = stretches(graph, layout)
        self.shapes = {node.id: shape_of(plan, panel, node) for node in part.nodes}
        where = {}
        for node in part.nodes:
            x, y = layout.placed.anchors[node.id]
            spot = self.at((x, y))
            where[node.id] = Place(x, -y, spot=(spot[0], spot[1] - _middle(self.shapes[node.id])))
        self.where = where
        self.net = Network(plan, panel, part, self.shapes, where, {})

    def at(self, point: Point) -> Pair:
        return self.across.at(point[0]), -self.down.at(point[1])

    def box(self, box: Box) -> Extent:
        (left, top), (right, bottom) = self.at((box[0], box[1])), self.at((box[2], box[3]))
        return Extent(left, bottom, right, top)

    def items(self, points: Mapping[str, tuple[float, ...]]) -> Iterator[Item]:
        """All that is drawn, under its headings."""
        nodes: list[Item] = []
        captions: list[Item] = []
        framed = {member for group in self.part.groups for member in group.members}
        under = {
            name
            for flow, way in zip(self.part.flows, self.layout.ways, strict=True)
            for name, side in zip((flow.source, flow.target), way.sides, strict=True)
            if _SIDES[side] == "south"
        }
        for node in self.part.nodes:
            nodes.extend(draw(self.plan, self.panel, node, *self.where[node.id].at))
            if not isinstance(node, Dots):
                text = caption(self.plan, self.panel, node, named=node.id in under or node.id in framed)
                captions.extend([self._on_line(node, text)] if text else [])
        frames, flows = list(self.frames()), list(self.flows(points))
        for title, section in (
            ("nodes", nodes),
            ("labels below the icons", captions),
            ("frames", frames),
            ("flows", flows),
        ):
            yield from (Note(title), *section) if section else ()

    def _on_line(self, node: Entity, text: Caption) -> Caption:
        """A caption of several lines whose first one is on that of its neighbours, which have other numbers of lines.

        A node without a width of its own has its last line there.
        """
        own = _line_count(node)
        y = self.layout.placed.anchors[node.id][1]
        row = [one for one in self.part.nodes if abs(self.layout.placed.anchors[one.id][1] - y) < 0.2]
        others = {
            _line_count(one)
            for one in row
            if isinstance(one, Entity) and one.form == "icon" and (one.label or one.sublabel)
        }
        plain = not typeset(node.label).cjk and not typeset(node.sublabel).cjk
        if own < 2 or others <= {own} or text.wrap or not plain:
            return text
        return replace(text, wrap=self.shapes[node.id].caption - 2 * INNER + 0.02)

    def frames(self) -> Iterator[Fit]:
        inside = {member for group in self.part.groups for member in group.members}
        for group in self.part.groups:
            left, top, right, bottom = self.layout.placed.frames[group.id]
            corners = self.at((left + PAD, top + PAD)), self.at((right - PAD, bottom - PAD))
            name = self.plan.name(self.panel, group.id)
            macro = self.plan.labels.macro(self.panel, wordy(group.id) + "label") if group.label else ""
            members = tuple(member_names(self.plan, self.panel, self.part, group))
            label = f"{name}-label" if macro and group.id in inside else ""
            yield Fit(name, members, macro, PAD, label, corners=corners)

    def flows(self, points: Mapping[str, tuple[float, ...]]) -> Iterator[WayItem]:
        stops: dict[int, list[tuple[str, Length, Length]]] = {}
        numbers = {id(flow): place for place, flow in enumerate(self.part.flows)}
        for flow, name, share in stops_of(self.plan, self.panel, self.part, points):
            index = numbers[id(flow)]
            stops.setdefault(index, []).append((name, *self.at(_along(self.layout.ways[index], share))))
        for index, (flow, way) in enumerate(zip(self.part.flows, self.layout.ways, strict=True)):
            look = self.plan.figure.kind(flow.kind)
            corners, last = self._corners(way)
            spot, mark = self.layout.texts[index], self.layout.marks[index]
            yield WayItem(
                style=look.tikz_style(flow.kind),
                source=self.net.anchor(flow.source, _SIDES[way.sides[0]]),
                target=self.net.anchor(flow.target, _SIDES[way.sides[1]]),
                source_shift=self._shift(flow.source, way.points[0], way.sides[0]),
                target_shift=self._shift(flow.target, way.points[-1], way.sides[1]),
                corners=corners,
                last=last,
                arrow=flow.direction,
                curved=flow.route == "bend",
                label=self.plan.labels.macro(self.panel, flow_label(flow, index, self.net.mark)) if spot else "",
                label_style=look.color,
                at=self.at(spot.at) if spot else (ZERO, ZERO),
                anchor=_ANCHORS[spot.side] if spot else "",
                step=str(flow.step or ""),
                step_at=self.at(mark) if mark else (ZERO, ZERO),
                points=tuple(stops.get(index, ())),
            )

    def _shift(self, name: str, point: Point, side: int) -> Pair:
        """How far from the middle of its side a flow meets an entity: in cm, for a side does not stretch."""
        x, y = self.layout.placed.anchors[name]
        aside = point[0] - x if side % 2 else y + _middle(self.shapes[name]) - point[1]
        length = Length(round(aside, 3)) if abs(aside) > 5e-4 else ZERO
        return self.net.onto(name, _SIDES[side], (length, ZERO) if side % 2 else (ZERO, length))

    def _corners(self, way: Way) -> tuple[tuple[tuple[str, Length, Length], ...], str]:
        """Every other corner, which the ones between follow from, and how the last one is left."""
        level = way.sides[0] % 2 == 0
        first, other = ("-|", "|-") if level else ("|-", "-|")
        turns = list(way.points[1:-1])
        if not turns:
            return (), "--"
        if len(turns) == 1:
            return (), first
        found = [(first, *self.at(point)) for point in turns[1::2]]
        if len(turns) % 2 == 0:  # the last leg runs as the first one does: from the middle of the leg before it
            (x0, y0), (x1, y1) = turns[-2:]
            found[-1] = (first, *self.at(((x0 + x1) / 2, (y0 + y1) / 2)))
            return tuple(found), other
        return tuple(found), first

    def extent(self) -> Extent:
        left, top, right, bottom = self.layout.extent
        marks = [mark for mark in self.layout.marks if mark]
        xs, ys = [x for x, _ in marks], [y for _, y in marks]
        low, high = min([left, *(x - MARK / 2 for x in xs)]), max([right, *(x + MARK / 2 for x in xs)])
        first, last = min([top, *(y - MARK / 2 for y in ys)]), max([bottom, *(y + MARK / 2 for y in ys)])
        return self.box((low, first, high, last)).grown(0.03)

    def outlines(self, points: Mapping[str, tuple[float, ...]]) -> Iterator[tuple[str, Extent]]:
        """The places of all that links can end on, by name."""
        yield from ((self.plan.name(self.panel, name), self.net.outline(name)) for name in self.where)
        for name, box in self.layout.placed.frames.items():
            yield self.plan.name(self.panel, name), self.box(box)
        numbers = {id(flow): place for place, flow in enumerate(self.part.flows)}
        for flow, name, share in stops_of(self.plan, self.panel, self.part, points):
            x, y = self.at(_along(self.layout.ways[numbers[id(flow)]], share))
            yield name, Extent(x, y, x, y)

    def texts(self) -> Iterator[tuple[str, Extent]]:
        """Where texts stand: those in boxes and below icons, with their nodes' names, and those beside flows."""
        for node in self.where:
            name, text = self.plan.name(self.panel, node), self.net.caption(node)
            yield name, self.net.outline(node).grown(-PAD if node in self.net.boxes else 0.0)
            if text:
                yield name, text
        yield from (("", self.box(spot.box)) for spot in self.layout.texts if spot)


def _along(way: Way, share: float) -> Point:
    """The point at a share of the length of a way."""
    rest = share * sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(way.points))
    for (x0, y0), (x1, y1) in pairwise(way.points):
        long = abs(x1 - x0) + abs(y1 - y0)
        if rest <= long and long:
            return x0 + (x1 - x0) * rest / long, y0 + (y1 - y0) * rest / long
        rest -= long
    return way.points[-1]
