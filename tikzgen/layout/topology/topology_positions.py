"""A topology layout with its lengths: drawn items and their positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.plane import Compass, find_outward_sign, is_level
from tikzgen.base.record import replace
from tikzgen.layout.constants import INNER
from tikzgen.layout.place_free_notes import Taken
from tikzgen.layout.scene.items import CaptionItem, Item, NoteItem
from tikzgen.layout.symbolic_lengths import (
    ZERO,
    ZERO_PAIR,
    Length,
    Pair,
    SymbolicBox,
    make_box_around,
    union,
)
from tikzgen.layout.topology.nested.nested_graph import PAD, Route
from tikzgen.layout.topology.node_items import caption, draw
from tikzgen.layout.topology.positions.node_positions import shift_box, shift_point
from tikzgen.layout.topology.positions.route_positions import RoutePositions
from tikzgen.layout.topology.topology_graph import below_anchor, span_of_part
from tikzgen.layout.topology.topology_items import Crossing, FitItem
from tikzgen.model.addresses import PartEnd, read_address
from tikzgen.model.topology import Dots, Entity, Group
from tikzgen.text import typeset_label

_SIDES: tuple[Compass, ...] = ("east", "south", "west", "north")
_FRAME_SIDES: tuple[Compass, ...] = ("west", "south", "east", "north")
_FRAME_CORNERS: tuple[tuple[Compass, Compass], ...] = (
    ("north", "west"),
    ("south", "east"),
    ("north", "east"),
    ("south", "west"),
)
_ROW_TOLERANCE_CM = 0.05  # cm that the sides of members in a row may differ
_ASIDE_TOLERANCE_CM = 0.005  # cm by which a flow may miss the middle of a part
_FRAME_TOLERANCE_CM = 0.01  # cm that a frame may be larger than its members need
_NOTE_SHARES = (0.5, 0.35, 0.65)  # share of a flow at which a note may point at it


class Paper(RoutePositions):
    """A topology layout with its lengths: drawn items and their positions."""

    def items(self, flows: Sequence[Item]) -> Iterator[Item]:
        """Yield all items, under their headings."""
        nodes: list[Item] = []
        captions: list[Item] = []
        framed = {member for group in self.part.groups for member in group.members}
        under = {
            name
            for flow, way in zip(self.part.flows, self.layout.ways, strict=True)
            for name, place in ((flow.source, 0), (flow.target, -1))
            if self._meets_caption(name, way, place)
        }
        for node in self.part.nodes:
            long, level = self.long.get(node.id, ZERO_PAIR), node.id in self.level
            nodes.extend(draw(self.plan, self.panel, node, *self.where[node.id].at, long, level=level))
            if not isinstance(node, Dots):
                text = caption(self.plan, self.panel, node, named=node.id in under or node.id in framed)
                captions.extend([self._on_line(node, text)] if text else [])
        frames = list(self.frames())
        for title, section in (
            ("nodes", nodes),
            ("labels below the icons", captions),
            ("groups", frames),
            ("flows", flows),
        ):
            yield from (NoteItem(title), *section) if section else ()

    def _on_line(self, node: Entity, text: CaptionItem) -> CaptionItem:
        """Align the first line of a multi-line caption with the captions in its row.

        Captions in a row may have different numbers of lines. A TikZ node without a width would align its last line.
        """
        own = _line_count(node)
        y = self.layout.placed.anchors[node.id][1]
        row = [one for one in self.part.nodes if abs(self.layout.placed.anchors[one.id][1] - y) < 0.2]
        others = {
            _line_count(one)
            for one in row
            if isinstance(one, Entity) and one.form == "icon" and (one.label or one.sublabel)
        }
        plain = not typeset_label(node.label).cjk and not typeset_label(node.sublabel).cjk
        if own < 2 or others <= {own} or text.wrap or not plain:
            return text
        return replace(text, wrap=self.shapes[node.id].caption - 2 * INNER + 0.02)

    def frames(self) -> Iterator[FitItem]:
        for group in self.part.frames:
            name, frame = self.plan.name(self.panel, group.id), self.graph.containers[group.id]
            macro = self.plan.labels.find_macro(self.panel, f"{group.id} label") if group.label else ""
            label, members = f"{name}-label" if macro else "", tuple(self._members(group))
            reach = tuple(self._reach_frame(group))
            yield FitItem(name, members, macro, frame.pad, label, frame.corner, reach=reach)

    def _reach_frame(self, group: Group) -> Iterator[Crossing]:
        """Yield the points, next to the outermost members, that a frame contains besides its members."""
        pad, values = self.graph.containers[group.id].pad, self.plan.values
        frame = self.frame_boxes[group.id].grow_by(-pad)
        boxes: dict[str, SymbolicBox] = {}
        for member in group.members:
            boxes[name := self.plan.name(self.panel, member)] = self.find_border(member)
            if member in self.shapes and self.shapes[member].below:
                text = self.layout.placed.box(member, self.graph.by_id[member].caption_box)
                boxes[f"{name}-label"] = shift_box(text, self.find_node_shift(member))
        points: dict[str, dict[Compass, Length]] = {}
        for side in _FRAME_SIDES:
            sign = find_outward_sign(side)
            reach = {name: sign * box.find_side(side).compute_cm(values) for name, box in boxes.items()}
            farthest = max(reach.values())
            outermost = [name for name in boxes if farthest - reach[name] < _ROW_TOLERANCE_CM]
            for name in dict.fromkeys((outermost[0], outermost[-1])):  # an author may move one of them
                off = frame.find_side(side) - boxes[name].find_side(side)
                if abs(off.compute_cm(values)) > _FRAME_TOLERANCE_CM:
                    points.setdefault(name, {})[side] = off
        for name, sides in points.items():
            for level, upright in _FRAME_CORNERS:
                if level in sides and upright in sides:
                    yield Crossing(f"{name}.{level} {upright}", (sides.pop(upright), sides.pop(level)))
            for side, off in sides.items():
                yield Crossing(f"{name}.{side}", (ZERO, off) if is_level(side) else (off, ZERO))

    def _members(self, group: Group) -> Iterator[str]:
        """Yield the nodes that a frame fits: its members, with their captions and labels."""
        labelled = {inner.id for inner in self.part.groups if inner.label}
        for member in group.members:
            name = self.plan.name(self.panel, member)
            yield name
            if member in labelled or (member in self.shapes and self.shapes[member].below):
                yield f"{name}-label"

    def anchor(self, name: str, way: Route, place: int) -> str:
        """Return the TikZ anchor of a flow at its first (0) or last (-1) point."""
        if isinstance(name, PartEnd):
            return f"{self.plan.name(self.panel, self.part.name_node(name.address))}.{_SIDES[way.sides[place]]}"
        label, side = ("-label", "south") if self._meets_caption(name, way, place) else ("", _SIDES[way.sides[place]])
        return f"{self.plan.name(self.panel, name)}{label}.{side}"

    def _meets_caption(self, name: str, way: Route, place: int) -> bool:
        """Return whether a flow ends below the caption of an icon; a flow outside its width ends at the icon."""
        shape = self.shapes.get(name)  # a frame has none
        if shape is None or not shape.below or isinstance(name, PartEnd) or way.sides[place] != 1:
            return False
        return abs(way.points[place][0] - self.layout.placed.anchors[name][0]) <= shape.caption / 2

    def shift(self, name: str, index: int, place: int) -> Pair:
        """Return the shift of a flow end from the middle of a side.

        It is fixed in cm, except at frames and at boxes that scale with the distances.
        """
        way = self.layout.ways[index]
        point, side = way.points[place], way.sides[place]
        if self.is_stretched(name):
            (x, y), (across, up) = self.box(name).middle, shift_point(point, self.route_shifts[index][place])
            return (across - x, ZERO) if side % 2 else (ZERO, up - y)
        left, down = self.layout.placed.anchors[name]
        if isinstance(name, PartEnd):
            span = span_of_part(self.plan, self.panel, self.part, name)
            aside = round(point[0] - left - span.middle if side % 2 else down + span.middle - point[1], 3)
            length = Length(aside) if abs(aside) > _ASIDE_TOLERANCE_CM else ZERO
            return (length, ZERO) if side % 2 else (ZERO, length)
        aside = point[0] - left if side % 2 else down + below_anchor(self.shapes[name]) - point[1]
        aside += self.find_port_moves(index)[place]
        length = Length(round(aside, 3)) if abs(aside) > 5e-4 else ZERO
        return self._onto(name, _SIDES[side], (length, ZERO) if side % 2 else (ZERO, length))

    def list_points(self, index: int, shifts: tuple[Pair, Pair]) -> list[Pair]:
        """Return the points of a flow from anchor to anchor; `shifts` moves its first and last point."""
        flow, way = self.part.flows[index], self.layout.ways[index]
        points = self.find_points(index)
        for name, place, shift in ((flow.source, 0, shifts[0]), (flow.target, -1, shifts[1])):
            if not self._meets_caption(name, way, place):
                side, (x, y) = _SIDES[way.sides[place]], points[place]
                border = self.find_border(name).find_side(side)
                points[place] = (x, border + shift[1]) if is_level(side) else (border + shift[0], y)
        return points

    def _onto(self, name: str, side: Compass, shift: Pair) -> Pair:
        """Return a shift along a side that ends on the outline, if the outline is inside of the box."""
        along = shift[0] if is_level(side) else shift[1]
        shape = self.shapes[name]
        inside = shape.inset(side, along.compute_cm(self.plan.values))
        if shape.strip.side:
            x, y = shape.strip.onto(side)
            return shift[0] + x, shift[1] + y
        if not inside:
            return shift
        step = -find_outward_sign(side) * inside
        return (shift[0], shift[1] + step) if is_level(side) else (shift[0] + step, shift[1])

    def taken_areas(self) -> Taken:
        """Return the areas that notes avoid, and the subjects of notes."""
        frames = self.frame_boxes
        feet = {name: [one for one in (self.outline(name), self.caption(name)) if one] for name in self.where}
        solids = [one for each in feet.values() for one in each]
        solids += [*self.label_boxes.values(), *self.mark_boxes.values()]
        solids += [self.find_title(name) for name in frames if self.graph.containers[name].label[0]]
        about: dict[str, tuple[SymbolicBox, ...]] = {
            name: (union(each, self.plan.values),) for name, each in feet.items()
        }
        about |= {name: (box,) for name, box in frames.items()}
        for note in self.part.notes:
            if note.about and self.part.index_of_part(address := read_address(note.about)) is not None:
                about[note.about] = (self.part_box(address),)
        for index, flow in enumerate(self.part.flows):
            if flow.id:
                about[flow.id] = tuple(make_box_around(self.find_point_along(index, share)) for share in _NOTE_SHARES)
        courses = tuple(tuple(self.iterate_course(index)) for index in range(len(self.part.flows)))
        times = (1.0,) if self.layout.direct else (1.0, 0.5, 2.0)
        return Taken(tuple(solids), tuple(frames.values()), courses, about, times)

    def texts(self) -> Iterator[tuple[str, SymbolicBox]]:
        """Yield boxes of labels: in nodes and below icons with the node's name, and on flows with ""."""
        for node in self.where:
            name, text = self.plan.name(self.panel, node), self.caption(node)
            yield name, self.outline(node).grow_by(-PAD if getattr(self.nodes[node], "form", "") != "icon" else 0.0)
            if text:
                yield name, text
        yield from (("", box) for box in self.label_boxes.values())


def _line_count(node: Entity) -> int:
    """Return the number of lines in the caption of a node."""
    return sum(1 + text.count("\n") for text in (node.label, node.sublabel) if text)
