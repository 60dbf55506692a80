"""A layout with its lengths: what is drawn, and where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import INNER
from tikzgen.layout.extent import Extent, around, union
from tikzgen.layout.items import Caption, Item, Note
from tikzgen.layout.length import ZERO, Length, Pair
from tikzgen.layout.number_words import wordy
from tikzgen.layout.topology.flow_texts import flow_text
from tikzgen.layout.topology.nested.nested_graph import PAD, Graph
from tikzgen.layout.topology.nested.nested_layout import MARK, Layout, title_box
from tikzgen.layout.topology.nested.routes import Way
from tikzgen.layout.topology.nested.stretch import stretches
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.node_shapes import caption, draw, shape_of
from tikzgen.layout.topology.places import Place
from tikzgen.layout.topology.side_notes import Taken
from tikzgen.layout.topology.topology_graph import below_anchor
from tikzgen.layout.topology.topology_items import Fit
from tikzgen.layout.topology.topology_items import Way as WayItem
from tikzgen.layout.topology.topology_macros import flow_label
from tikzgen.model.entities import Dots, Entity
from tikzgen.model.topology import Flow, Group, Topology
from tikzgen.plane.rectangles import Box, Point
from tikzgen.text import typeset

_SIDES = ("east", "south", "west", "north")
_ANCHORS = (*_SIDES, "center")
_PLACES = (0.5, 0.35, 0.65)  # of a flow, where a note may point at it
_TURNED = ("south", "east", "north", "west")  # of a text that runs up, seen from the paper


def stops_of(
    plan: Plan, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[Flow, str, float]]:
    """The places along flows that links end on, with the names of their coordinates."""
    for flow in part.flows:
        wanted, base = points.get(flow.id or "", ()), plan.name(panel, flow.id or "")
        for number, place in enumerate(wanted, 1):
            yield flow, base if len(wanted) == 1 else f"{base}-{number}", place


class Paper:
    """A layout with its lengths: what is drawn, and where it is."""

    def __init__(self, plan: Plan, panel: str, part: Topology, graph: Graph, layout: Layout) -> None:
        self.plan, self.panel, self.part, self.graph, self.layout = plan, panel, part, graph, layout
        self.across, self.down = stretches(graph, layout)
        self.level = frozenset(name for name in graph.dots if self._in_row(name))
        self.bars = {leaf.id: self.box(layout.placed.box(leaf.id, leaf.body)) for leaf in graph.leaves if leaf.core}
        self.shapes = {
            node.id: shape_of(plan, panel, node, self._long(node.id), level=node.id in self.level)
            for node in part.nodes
        }
        where = {}
        for node in part.nodes:
            x, y = layout.placed.anchors[node.id]
            spot = self.at((x, y))
            if bar := self.bars.get(node.id):
                spot = (bar.left + bar.right) * 0.5, (bar.bottom + bar.top) * 0.5
            where[node.id] = Place(x, -y, spot=(spot[0], spot[1] - below_anchor(self.shapes[node.id])))
        self.where = where
        self.net = Network(plan, panel, part, self.shapes, where, {})

    def _long(self, name: str) -> Pair:
        """How wide and how tall a box is at least that is as long as all levels."""
        bar = self.bars.get(name)
        return (bar.right - bar.left, bar.top - bar.bottom) if bar else (ZERO, ZERO)

    def _in_row(self, dots: str) -> bool:
        """Whether the member before dots stands to the left of them."""
        members = self.graph.containers[self.graph.parents[dots]].members
        before = members[max(members.index(dots) - 1, 0)]
        placed = self.layout.placed
        frame = placed.frames.get(before)
        right = frame[2] if frame else placed.anchors[before][0]
        return right < placed.anchors[dots][0] - 0.1

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
            for name, place in ((flow.source, 0), (flow.target, -1))
            if self._anchor(name, way, place).endswith("-label.south")
        }
        for node in self.part.nodes:
            long, level = self._long(node.id), node.id in self.level
            nodes.extend(draw(self.plan, self.panel, node, *self.where[node.id].at, long, level=level))
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
            members = tuple(self._members(group))
            label = f"{name}-label" if macro and group.id in inside else ""
            at = self.graph.containers[group.id].corner
            yield Fit(name, members, macro, PAD, label, at, corners=corners)

    def _members(self, group: Group) -> Iterator[str]:
        """The nodes that a frame stands around: what it holds, with their captions and labels."""
        labelled = {inner.id for inner in self.part.groups if inner.label}
        for member in group.members:
            name = self.plan.name(self.panel, member)
            yield name
            if member in labelled or (member in self.shapes and self.shapes[member].below):
                yield f"{name}-label"

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
            turned = spot is not None and flow.label_at == "sloped" and spot.side in (0, 2)
            anchor = (_TURNED if turned else _ANCHORS)[spot.side] if spot else ""
            yield WayItem(
                style=look.tikz_style(flow.kind),
                source=self._anchor(flow.source, way, 0),
                target=self._anchor(flow.target, way, -1),
                source_shift=self._shift(flow.source, way.points[0], way.sides[0]),
                target_shift=self._shift(flow.target, way.points[-1], way.sides[1]),
                corners=corners,
                last=last,
                arrow=flow.direction,
                curved=flow.route in ("bend", "curved"),
                label=self.plan.labels.macro(self.panel, flow_label(flow, index, self.net.mark)) if spot else "",
                label_style=look.color,
                at=self.at(spot.at) if spot else (ZERO, ZERO),
                anchor=anchor,
                turned=turned,
                wrap=flow_text(self.plan, flow)[1] if spot else 0.0,
                step=str(flow.step or ""),
                step_at=self.at(mark) if mark else (ZERO, ZERO),
                points=tuple(stops.get(index, ())),
            )

    def _anchor(self, name: str, way: Way, place: int) -> str:
        """What a flow names at its first or last place."""
        if name in self.layout.placed.frames:
            return f"{self.plan.name(self.panel, name)}.{_SIDES[way.sides[place]]}"
        aside = way.points[place][0] - self.layout.placed.anchors[name][0]
        return self.net.anchor(name, _SIDES[way.sides[place]], aside)

    def _shift(self, name: str, point: Point, side: int) -> Pair:
        """How far from the middle of its side a flow meets an entity: in cm, for a side does not stretch.

        Those of frames do, and of what is as long as all levels.
        """
        frame = self.layout.placed.frames.get(name)
        if box := self.bars.get(name) or (self.box(frame) if frame else None):
            across, up = self.at(point)
            return (
                (across - (box.left + box.right) * 0.5, ZERO) if side % 2 else (ZERO, up - (box.bottom + box.top) * 0.5)
            )
        x, y = self.layout.placed.anchors[name]
        aside = point[0] - x if side % 2 else y + below_anchor(self.shapes[name]) - point[1]
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

    def boxes(self) -> dict[str, Extent]:
        """The places of entities and frames."""
        nodes = {name: self.net.outline(name) for name in self.where}
        return nodes | {name: self.box(box) for name, box in self.layout.placed.frames.items()}

    def taken(self) -> Taken:
        """What notes keep clear of, and what they are about."""
        frames = {name: self.box(box) for name, box in self.layout.placed.frames.items()}
        feet = {name: [one for one in (self.net.outline(name), self.net.caption(name)) if one] for name in self.where}
        solids = [one for each in feet.values() for one in each]
        solids += [self.box(spot.box) for spot in self.layout.texts if spot]
        solids += [around(self.at(mark), MARK / 2, MARK / 2) for mark in self.layout.marks if mark]
        solids += [
            self.box(title_box(self.graph, name, box))
            for name, box in self.layout.placed.frames.items()
            if self.graph.containers[name].label[0]
        ]
        about: dict[str, tuple[Extent, ...]] = {name: (union(each, self.plan.values),) for name, each in feet.items()}
        about |= {name: (box,) for name, box in frames.items()}
        for flow, way in zip(self.part.flows, self.layout.ways, strict=True):
            if flow.id:
                about[flow.id] = tuple(around(self.at(_along(way, share))) for share in _PLACES)
        courses = tuple(tuple(map(self.at, way.points)) for way in self.layout.ways)
        return Taken(tuple(solids), tuple(frames.values()), courses, about)

    def texts(self) -> Iterator[tuple[str, Extent]]:
        """Where texts stand: those in boxes and below icons, with their nodes' names, and those beside flows."""
        for node in self.where:
            name, text = self.plan.name(self.panel, node), self.net.caption(node)
            yield name, self.net.outline(node).grown(-PAD if node in self.net.boxes else 0.0)
            if text:
                yield name, text
        yield from (("", self.box(spot.box)) for spot in self.layout.texts if spot)


def _line_count(node: Entity) -> int:
    """How many lines the caption of an entity has."""
    return sum(1 + text.count("\n") for text in (node.label, node.sublabel) if text)


def _along(way: Way, share: float) -> Point:
    """The point at a share of the length of a way."""
    rest = share * sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(way.points))
    for (x0, y0), (x1, y1) in pairwise(way.points):
        long = abs(x1 - x0) + abs(y1 - y0)
        if rest <= long and long:
            return x0 + (x1 - x0) * rest / long, y0 + (y1 - y0) * rest / long
        rest -= long
    return way.points[-1]
