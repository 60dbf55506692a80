"""A topology layout with its lengths: drawn items and their positions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from tikzgen.base.plane import Box, Compass, Point, find_box_center, find_outward_sign, is_level
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER
from tikzgen.layout.place_free_notes import Taken
from tikzgen.layout.scene.items import CaptionItem, Item, NoteItem
from tikzgen.layout.scene.number_words import part_mark
from tikzgen.layout.symbolic_lengths import (
    ZERO,
    ZERO_PAIR,
    Length,
    Pair,
    SymbolicBox,
    find_farthest_length,
    make_box_around,
    union,
)
from tikzgen.layout.topology.flow_tracks import Border, FlowTrack, find_tracks
from tikzgen.layout.topology.nested.flow_label_places import NEAR_END_CM, LabelPlace
from tikzgen.layout.topology.nested.nested_graph import PAD, Graph, Route
from tikzgen.layout.topology.nested.placed_nodes import LEAST_SHARE, title_box
from tikzgen.layout.topology.nested.placement_with_lines import LABEL_ROOM_CM, Layout
from tikzgen.layout.topology.node_cells import find_border_inside
from tikzgen.layout.topology.node_items import caption, draw, part_box
from tikzgen.layout.topology.node_sizes import EntitySize, half_of
from tikzgen.layout.topology.places_by_rule import StatedCenter
from tikzgen.layout.topology.topology_graph import below_anchor, span_of_part
from tikzgen.layout.topology.topology_items import Crossing, FitItem
from tikzgen.layout.topology.topology_macros import flow_stems
from tikzgen.model.addresses import Address, PartEnd, read_address
from tikzgen.model.topology import Dots, Entity, Group, Topology
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
_BOX_SIDES: tuple[tuple[Compass, Compass], ...] = (("west", "east"), ("north", "south"))
_LAST = ("east", "south")
_SQUARE_CM = 1e-3  # cm that the ends of a horizontal or vertical segment may differ
_PORT_CM = 0.05  # cm between the end of a flow and the end of its side
_LEVEL_CM = 1e-6  # cm that the ends of a straight route may differ
_NOTE_SHARES = (0.5, 0.35, 0.65)  # share of a flow at which a note may point at it


class Paper:
    """A topology layout with its lengths: drawn items and their positions."""

    def __init__(
        self,
        plan: LayoutAttempt,
        panel: str,
        part: Topology,
        shapes: Mapping[str, EntitySize],
        where: Mapping[str, StatedCenter],
        graph: Graph,
        layout: Layout,
        boxes: Mapping[str, SymbolicBox],
        rest: Mapping[str, float],
        long: Mapping[str, Pair],
        level: Collection[str],
    ) -> None:
        """Store the layout.

        `boxes` are the frames, at the distances of the figure. The layout was found at the distances `rest`. `long`
        maps boxes that scale with the distances to their minimum sizes; `level` names the dots in a row.
        """
        self.plan, self.panel, self.part, self.shapes, self.where = plan, panel, part, shapes, where
        self.graph, self.layout, self.frame_boxes, self.long, self.level = graph, layout, boxes, long, level
        self._rest = rest
        self.mark = next(part_mark(one, part) for one in plan.figure.panels if one.id == panel)
        self.nodes = {node.id: node for node in part.nodes}
        self.flow_stems = flow_stems(part)

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
                boxes[f"{name}-label"] = self._shift_box(text, self._find_node_shift(member))
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
        if self._is_stretched(name):
            (x, y), (across, up) = self.box(name).middle, self._shift_point(point, self._route_shifts[index][place])
            return (across - x, ZERO) if side % 2 else (ZERO, up - y)
        left, down = self.layout.placed.anchors[name]
        if isinstance(name, PartEnd):
            span = span_of_part(self.plan, self.panel, self.part, name)
            aside = round(point[0] - left - span.middle if side % 2 else down + span.middle - point[1], 3)
            length = Length(aside) if abs(aside) > _ASIDE_TOLERANCE_CM else ZERO
            return (length, ZERO) if side % 2 else (ZERO, length)
        aside = point[0] - left if side % 2 else down + below_anchor(self.shapes[name]) - point[1]
        aside += self._find_port_moves(index)[place]
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

    def extent(self) -> SymbolicBox:
        """Return the box around nodes, frames, flows with control points, like PGF, and labels."""
        boxes = [
            self._shift_box(self.layout.placed.box(leaf.id, leaf.foot), self._find_node_shift(leaf.id))
            for leaf in self.graph.leaves
            if leaf.id not in self.long
        ]
        boxes += [self.outline(name) for name in self.long]
        boxes += [*self.frame_boxes.values(), *self.label_boxes.values(), *self.mark_boxes.values()]
        boxes += [box.grow_by(LABEL_ROOM_CM) for box in self.label_boxes.values()]
        for index, way in enumerate(self.layout.ways):
            points, ends = self.find_points(index), self._route_shifts[index]
            for number, point in enumerate(way.path.list_inner_points() if way.bend else (), 1):
                points.append(self._shift_point(point, _mix(ends[0], ends[-1], number / 3)))
            boxes += map(make_box_around, points)
        room = 0.03 if self.graph.frames or not self.layout.direct else 0.0
        left, bottom, right, top = (
            find_farthest_length(_drop_inner(sides, self._rest), self._rest)
            for sides in (
                [-box.left for box in boxes],
                [-box.bottom for box in boxes],
                [box.right for box in boxes],
                [box.top for box in boxes],
            )
        )
        return SymbolicBox(-left, -bottom, right, top).grow_by(room)

    def outline(self, name: str) -> SymbolicBox:
        """Return the box of the anchors of a node."""
        return self._outlines[name]

    @cached_property
    def _outlines(self) -> Mapping[str, SymbolicBox]:
        halves = {name: half_of(node, self.shapes[name]) for name, node in self.nodes.items()}
        return {name: make_box_around(self.where[name].at, *half) for name, half in halves.items()}

    def caption(self, name: str) -> SymbolicBox | None:
        """Return the box of the caption below an icon, or None."""
        (x, y), shape = self.where[name].at, self.shapes[name]
        top = y - shape.height / 2
        return (
            SymbolicBox(x - shape.caption / 2, top - shape.below, x + shape.caption / 2, top) if shape.below else None
        )

    def box(self, name: str) -> SymbolicBox:
        """Return the box of a node or a frame."""
        return self.frame_boxes[name] if name in self.frame_boxes else self.outline(name)

    def find_border(self, name: str) -> SymbolicBox:
        """Return the box of the anchors of a node, without chips next to it, of a part of it, or of a frame."""
        if isinstance(name, PartEnd):
            return self.part_box(name.address)
        box = self.box(name)
        return find_border_inside(self.shapes[name].strip, box) if name in self.shapes else box

    def part_box(self, address: Address) -> SymbolicBox:
        """Return the box of the part of a node at an address."""
        node, index = self.nodes[address.name], self.part.index_of_part(address)
        assert isinstance(node, Entity) and index is not None
        return part_box(self.plan, self.panel, node, self.shapes[node.id], index, self.box(node.id))

    def boxes(self) -> dict[str, SymbolicBox]:
        """Return the boxes of nodes and frames, by id."""
        return {name: self.box(name) for name in (*self.where, *self.layout.placed.frames)}

    def taken_areas(self) -> Taken:
        """Return the areas that notes avoid, and the subjects of notes."""
        frames = self.frame_boxes
        feet = {name: [one for one in (self.outline(name), self.caption(name)) if one] for name in self.where}
        solids = [one for each in feet.values() for one in each]
        solids += [*self.label_boxes.values(), *self.mark_boxes.values()]
        solids += [self._find_title(name) for name in frames if self.graph.containers[name].label[0]]
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
        courses = tuple(tuple(self._iterate_course(index)) for index in range(len(self.part.flows)))
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

    @cached_property
    def tracks(self) -> Mapping[int, Mapping[int, FlowTrack]]:
        """Tracks of inner segments, by the numbers of flow and segment."""
        return find_tracks(self.graph.lines, self.layout.ways, self._iterate_borders(), self._measure_loss)

    @cached_property
    def label_boxes(self) -> Mapping[int, SymbolicBox]:
        """Boxes of the labels of flows, by the number of the flow."""
        return {
            index: self._move_box(spot.box, self._find_label_shift(index, spot))
            for index, spot in enumerate(self.layout.texts)
            if spot
        }

    @cached_property
    def mark_boxes(self) -> Mapping[int, SymbolicBox]:
        """Boxes of step numbers, by the number of the flow."""
        return {
            index: self._move_box(mark.box, self._find_shift(index, mark.segment, mark.share))
            for index, mark in enumerate(self.layout.marks)
            if mark
        }

    def find_points(self, index: int) -> list[Pair]:
        """Return the points of a flow."""
        return list(map(self._shift_point, self.layout.ways[index].points, self._route_shifts[index]))

    def find_point(self, index: int, segment: int, share: float) -> Pair:
        """Return the point at a share of a segment of a flow, or of its curve."""
        way = self.layout.ways[index]
        if way.bend:
            at = way.path.find_point_at(share)
        else:
            (x0, y0), (x1, y1) = way.points[segment : segment + 2]
            at = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        return self._shift_point(at, self._find_shift(index, segment, share))

    def find_point_along(self, index: int, share: float) -> Pair:
        """Return the point at a share of the length of a flow."""
        return self.find_point(index, *self.layout.ways[index].find_segment(share))

    def find_control_shifts(self, index: int) -> tuple[Pair, Pair]:
        """Return the control points of a curve, relative to its ends."""
        ((start, first, second, goal),) = self.layout.ways[index].path.legs
        one, other = self._route_shifts[index]
        (x0, y0), (u0, v0) = self._shift_point(start, one), self._shift_point(first, _mix(one, other, 1 / 3))
        (x1, y1), (u1, v1) = self._shift_point(goal, other), self._shift_point(second, _mix(one, other, 2 / 3))
        return (u0 - x0, v0 - y0), (u1 - x1, v1 - y1)

    def _iterate_course(self, index: int) -> Iterator[Pair]:
        """Yield points of a flow, about every third one of a curve."""
        way = self.layout.ways[index]
        if not way.bend:
            yield from self.find_points(index)
            return
        course = way.course[::3]
        for number, point in enumerate(course):
            yield self._shift_point(point, self._find_shift(index, 0, number / (len(course) - 1)))

    def find_cuts(self, index: int) -> list[tuple[float, str, Compass]]:
        """Return the sides of frames around the label of a flow that its segment crosses, at most two.

        The segment ends there, so that the label has its part between them. The first value of each is the share of the
        segment.
        """
        spot, points = self.layout.texts[index], self.layout.ways[index].points
        if spot is None or self.layout.direct or self.layout.ways[index].bend:
            return []
        start, goal = points[spot.segment : spot.segment + 2]
        axis = int(abs(goal[0] - start[0]) < abs(goal[1] - start[1]))
        along, aside = goal[axis] - start[axis], start[1 - axis]
        if abs(goal[1 - axis] - aside) > _SQUARE_CM:
            return []
        low, high = min(aside, spot.box[1 - axis]), max(aside, spot.box[3 - axis])
        found: list[tuple[float, str, Compass]] = []
        for name, box in self.layout.placed.frames.items():
            for end, side in enumerate(_BOX_SIDES[axis] if box[1 - axis] < high and low < box[3 - axis] else ()):
                share = (box[axis + 2 * end] - start[axis]) / along
                if min(share, 1 - share) * abs(along) > NEAR_END_CM:
                    found.append((share, name, side))
        before, after = ([one for one in found if (one[0] < spot.share) is is_before] for is_before in (True, False))
        return [*sorted(before)[-1:], *sorted(after)[:1]]

    def _find_label_shift(self, index: int, spot: LabelPlace) -> Pair:
        """Return the shift of a label, which keeps its share of the part of its segment between frames."""
        ends = [(0.0, self._find_shift(index, spot.segment, 0.0)), (1.0, self._find_shift(index, spot.segment, 1.0))]
        for share, name, side in self.find_cuts(index):
            axis = 0 if side in _BOX_SIDES[0] else 1
            at, shift = (
                self._find_shift(index, spot.segment, share),
                self._find_side_shift(name, axis, int(side in _LAST)),
            )
            ends[int(share >= spot.share)] = share, ((shift, at[1]) if axis == 0 else (at[0], shift))
        (low, one), (high, other) = ends
        return _mix(one, other, (spot.share - low) / (high - low))

    def _move_box(self, box: Box, shift: Pair) -> SymbolicBox:
        """Return a box around its shifted center."""
        return make_box_around(
            self._shift_point(find_box_center(box), shift), (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
        )

    def _find_title(self, name: str) -> SymbolicBox:
        """Return the box of a frame's label."""
        frame, box = self.frame_boxes[name], self.layout.placed.frames[name]
        text = title_box(self.graph, name, box)
        left, top = frame.left + (text[0] - box[0]), frame.top - (text[1] - box[1])
        if self.graph.containers[name].corner.endswith("east"):
            left = frame.right - (box[2] - text[0])
        elif not self.graph.containers[name].corner.endswith("west"):
            left = frame.middle[0] - (text[2] - text[0]) / 2
        if self.graph.containers[name].corner.startswith("south"):
            top = frame.bottom + (box[3] - text[1])
        return SymbolicBox(left, top - (text[3] - text[1]), left + (text[2] - text[0]), top)

    def _is_stretched(self, name: str) -> bool:
        """Return whether a node or frame scales with the distances."""
        return name in self.long or name in self.frame_boxes

    def _find_node_shift(self, name: str) -> Pair:
        """Return the shift of a node from the layout to the figure."""
        (x, y), (across, up) = self.layout.placed.anchors[name], self.where[name].at
        return across - x, up + (y + below_anchor(self.shapes[name]))

    def _find_side_shift(self, name: str, axis: int, end: bool | int) -> Length:
        """Return the shift of a side of a node or frame: the first (0) or last (1) one on an axis."""
        if not self._is_stretched(name):
            return self._find_node_shift(name)[axis]
        frames = self.layout.placed.frames
        box = frames[name] if name in frames else self.layout.placed.box(name, self.graph.by_id[name].body)
        side, at = self.box(name).find_side(_BOX_SIDES[axis][end]), box[axis + 2 * end]
        return side + at if axis else side - at

    def _find_port_shift(self, index: int, place: int) -> Pair:
        """Return the shift of an end of a route.

        On a side of a node or frame that scales, a straight route has the shift of its other end. Other routes keep
        their share of the side.
        """
        way, ends = self.layout.ways[index], self.graph.lines[index].ends
        name, other = ends[place], ends[-1 - place]
        if not self._is_stretched(name):
            x, y = self._find_node_shift(name)
            move = self._find_port_moves(index)[place]
            return (x + move, y) if way.sides[place] % 2 else (x, y + move)
        side, point, far = way.sides[place], way.points[place], way.points[-1 - place]
        normal = side % 2
        found = [ZERO, ZERO]
        found[normal] = self._find_side_shift(name, normal, int(side < 2))
        along = 1 - normal
        straight = len(way.points) == 2 and abs(point[along] - far[along]) < _LEVEL_CM
        if straight and not self._is_stretched(other):
            found[along] = self._find_node_shift(other)[along]
        else:
            if straight and place:  # both ends scale
                name, point = other, far
            found[along] = self._find_shift_inside(name, along, point[along])
        return found[0], found[1]

    def splits(self, index: int) -> bool:
        """Return whether the ends of a straight route between nodes move apart if the distances change."""
        shifts = self._find_straight_shifts(index)
        return shifts is not None and shifts[0].terms != shifts[1].terms

    def _find_straight_shifts(self, index: int) -> tuple[Length, Length] | None:
        """Return the shifts of the nodes at the ends of a straight route across it; None for other routes."""
        way, ends = self.layout.ways[index], self.graph.lines[index].ends
        along = 1 - way.sides[0] % 2
        (first, last) = (way.points[0][along], way.points[-1][along])
        if len(way.points) > 2 or way.bend or abs(first - last) > _LEVEL_CM or any(map(self._is_stretched, ends)):
            return None
        one, other = (self._find_node_shift(name)[along] for name in ends)
        return one, other

    def _find_port_moves(self, index: int) -> tuple[float, float]:
        """Return the cm by which both ends of a straight route move along their nodes, so that it stays straight.

        Both are 0 if they have no room to move so far; then the route turns.
        """
        shifts = self._find_straight_shifts(index)
        apart = (shifts[1] - shifts[0]).compute_cm(self.plan.values) if shifts else 0.0
        if abs(apart) < _LEVEL_CM:
            return 0.0, 0.0
        way, line = self.layout.ways[index], self.graph.lines[index]
        rooms = []
        for place, sign in ((0, 1), (-1, -1)):
            name, toward = line.ends[place], sign * (1 if apart > 0 else -1)
            leaf, at = self.graph.by_id[name], way.points[place]
            along = 1 - way.sides[place] % 2
            if along:  # y points down in the layout
                toward = -toward
            middle = self.layout.placed.anchors[name][along] + (leaf.body[along] + leaf.body[along + 2]) / 2
            half = (leaf.body[along + 2] - leaf.body[along]) / 2 * leaf.share - _PORT_CM
            rooms.append(0.0 if line.spans[place] else max(0.0, half - toward * (at[along] - middle)))
        if sum(rooms) < abs(apart):
            return 0.0, 0.0
        first = min(max(abs(apart) / 2, abs(apart) - rooms[1]), rooms[0])
        sign = 1 if apart > 0 else -1
        return sign * first, sign * (first - abs(apart))

    def _find_shift_inside(self, name: str, axis: int, at: float) -> Length:
        """Return the shift of a position along a side of a node or frame that scales."""
        frames = self.layout.placed.frames
        box = frames[name] if name in frames else self.layout.placed.box(name, self.graph.by_id[name].body)
        share = (at - box[axis]) / (box[axis + 2] - box[axis])
        low, high = (self._find_side_shift(name, axis, end) for end in (0, 1))
        return low * (1 - share) + high * share

    @cached_property
    def _route_shifts(self) -> Sequence[Sequence[Pair]]:
        """Shifts of the points of each route from the layout to the figure."""
        found = []
        for index, way in enumerate(self.layout.ways):
            first, last = self._find_port_shift(index, 0), self._find_port_shift(index, -1)
            shifts = [first]
            for number in range(1, len(way.points) - 1):
                pair = [ZERO, ZERO]
                for segment in (number - 1, number):
                    axis = (way.sides[0] + segment + 1) % 2
                    if segment == 0:
                        pair[axis] = first[axis]
                    elif segment == len(way.points) - 2:
                        pair[axis] = last[axis]
                    else:
                        at, length = way.points[segment][axis], self.tracks[index][segment].length
                        pair[axis] = length + at if axis else length - at
                shifts.append((pair[0], pair[1]))
            found.append((*shifts, last))
        return found

    def _find_shift(self, index: int, segment: int, share: float) -> Pair:
        """Return the shift at a share of a segment of a route."""
        shifts = self._route_shifts[index]
        return _mix(shifts[segment], shifts[segment + 1], share)

    @staticmethod
    def _shift_point(point: Point, shift: Pair) -> Pair:
        return shift[0] + point[0], shift[1] - point[1]

    @staticmethod
    def _shift_box(box: Box, shift: Pair) -> SymbolicBox:
        left, top, right, bottom = box
        return SymbolicBox(shift[0] + left, shift[1] - bottom, shift[0] + right, shift[1] - top)

    def _measure_loss(self, length: Length) -> float:
        """Return the cm by which a length is smaller at the smallest distances than in the layout."""
        least = {name: value * LEAST_SHARE for name, value in self._rest.items()}
        return length.compute_cm(self._rest) - length.compute_cm(least)

    def _iterate_borders(self) -> Iterator[Border]:
        """Yield the sides of nodes and frames; use the sides of dots only if all nodes are dots."""
        placed, leaves = self.layout.placed, self.graph.leaves
        solid = [leaf for leaf in leaves if not leaf.dots] or leaves
        bodies = {leaf.id: placed.box(leaf.id, leaf.body) for leaf in solid}
        for name, box in {**bodies, **placed.frames}.items():
            drawn, node = self.find_border(name), self.plan.name(self.panel, name)
            for axis, sides in enumerate(_BOX_SIDES):
                for end, side in enumerate(sides):
                    yield Border(
                        f"{node}.{side}",
                        axis,
                        2 * end - 1,
                        box[axis + 2 * end],
                        drawn.find_side(side),
                        self._find_side_shift(name, axis, end),
                        box[1 - axis],
                        box[3 - axis],
                    )


def _mix(one: Pair, other: Pair, share: float) -> Pair:
    """Return the pair at a share of the way from one to another."""
    if one == other:
        return one
    (x0, y0), (x1, y1) = one, other
    return x0 * (1 - share) + x1 * share, y0 * (1 - share) + y1 * share


def _drop_inner(lengths: Sequence[Length], values: Mapping[str, float]) -> list[Length]:
    """Return the largest of the lengths with equal terms."""
    found: dict[object, Length] = {}
    for length in lengths:
        if length.terms not in found or found[length.terms].constant < length.constant:
            found[length.terms] = length
    return list(found.values())


def _line_count(node: Entity) -> int:
    """Return the number of lines in the caption of a node."""
    return sum(1 + text.count("\n") for text in (node.label, node.sublabel) if text)
