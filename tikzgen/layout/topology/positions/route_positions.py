"""Positions of the flows of a topology as lengths, with their labels and step numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tikzgen.base.plane import Box, Compass, find_box_center
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, SymbolicBox, find_farthest_length, make_box_around
from tikzgen.layout.topology.nested.flow_label_places import NEAR_END_CM, LabelPlace
from tikzgen.layout.topology.nested.placed_nodes import LEAST_SHARE, MOST_SHARE
from tikzgen.layout.topology.nested.placement_with_lines import LABEL_ROOM_CM
from tikzgen.layout.topology.positions.flow_tracks import Border, FlowTrack, find_tracks
from tikzgen.layout.topology.positions.node_positions import (
    BOX_SIDES,
    NodePositions,
    mix_shifts,
    shift_box,
    shift_point,
)

_FIRST: tuple[Compass, ...] = ("west", "south")
_LAST: tuple[Compass, ...] = ("east", "north")
_SQUARE_CM = 1e-3  # cm that the ends of a horizontal or vertical segment may differ
_PORT_CM = 0.05  # cm between the end of a flow and the end of its side
_STEEP_CM = 0.8  # cm that the ends of a route across a side may differ, so that it is about straight
_LEVEL_CM = 1e-6  # cm that the ends of a straight route may differ


class RoutePositions(NodePositions):
    """Flows of a topology as lengths.

    Segments keep their distance from a node or frame, and labels their share of a segment.
    """

    def extent(self) -> SymbolicBox:
        """Return the box around nodes, frames, flows with control points, like PGF, and labels.

        The sides of a stated layout move with its outermost nodes.
        """
        solid = [
            shift_box(self.layout.placed.box(leaf.id, leaf.foot), self.find_node_shift(leaf.id))
            for leaf in self.graph.leaves
            if leaf.id not in self.long
        ]
        solid += [*(self.outline(name) for name in self.long), *self.frame_boxes.values()]
        inner = [*self.mark_boxes.values(), *(box.grow_by(LABEL_ROOM_CM) for box in self.label_boxes.values())]
        for index, way in enumerate(self.layout.ways):
            points, ends = self.find_points(index), self.route_shifts[index]
            for number, point in enumerate(way.path.list_inner_points() if way.bend else (), 1):
                points.append(shift_point(point, mix_shifts(ends[0], ends[-1], number / 3)))
            inner += map(make_box_around, points)
        room = 0.03 if self.graph.frames or not self.layout.direct else 0.0
        west, south = (
            -self._find_farthest([-box.find_side(side) for box in solid], [-box.find_side(side) for box in inner])
            for side in _FIRST
        )
        east, north = (
            self._find_farthest([box.find_side(side) for box in solid], [box.find_side(side) for box in inner])
            for side in _LAST
        )
        return SymbolicBox(west, south, east, north).grow_by(room)

    def _find_farthest(self, solid: Sequence[Length], others: Sequence[Length]) -> Length:
        """Return the largest of some lengths, plus the cm by which others exceed it in the layout."""
        found = bool(self.layout.placed.growth)
        solid = [*solid, *others] if found else solid
        first = max(solid, key=lambda length: length.compute_cm(self.rest))
        shares = (LEAST_SHARE, MOST_SHARE) if found else (MOST_SHARE,)  # closer stated nodes would overlap
        ends = [{name: value * share for name, value in self.rest.items()} for share in shares]
        beyond = [one for one in _drop_inner(solid) if any((one - first).compute_cm(end) > _SQUARE_CM for end in ends)]
        farthest = find_farthest_length([first, *beyond], self.rest)
        most = max((length.compute_cm(self.rest) for length in others), default=0.0)
        return farthest + max(0.0, most - farthest.compute_cm(self.rest))

    @cached_property
    def tracks(self) -> Mapping[int, Mapping[int, FlowTrack]]:
        """Tracks of inner segments, by the numbers of flow and segment."""
        return find_tracks(self.graph.lines, self.layout.ways, self._iterate_borders(), self.rest)

    @cached_property
    def label_boxes(self) -> Mapping[int, SymbolicBox]:
        """Boxes of the labels of flows, by the number of the flow."""
        return {
            index: shift_text(spot.box, self._find_label_shift(index, spot))
            for index, spot in enumerate(self.layout.texts)
            if spot
        }

    @cached_property
    def mark_boxes(self) -> Mapping[int, SymbolicBox]:
        """Boxes of step numbers, by the number of the flow."""
        return {
            index: shift_text(mark.box, self._find_shift(index, mark.segment, mark.share))
            for index, mark in enumerate(self.layout.marks)
            if mark
        }

    def find_points(self, index: int) -> list[Pair]:
        """Return the points of a flow."""
        return list(map(shift_point, self.layout.ways[index].points, self.route_shifts[index]))

    def find_point(self, index: int, segment: int, share: float) -> Pair:
        """Return the point at a share of a segment of a flow, or of its curve."""
        way = self.layout.ways[index]
        if way.bend:
            at = way.path.find_point_at(share)
        else:
            (x0, y0), (x1, y1) = way.points[segment : segment + 2]
            at = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        return shift_point(at, self._find_shift(index, segment, share))

    def find_point_along(self, index: int, share: float) -> Pair:
        """Return the point at a share of the length of a flow."""
        return self.find_point(index, *self.layout.ways[index].find_segment(share))

    def find_control_shifts(self, index: int) -> tuple[Pair, Pair]:
        """Return the control points of a curve, relative to its ends."""
        ((start, first, second, goal),) = self.layout.ways[index].path.legs
        one, other = self.route_shifts[index]
        (x0, y0), (u0, v0) = shift_point(start, one), shift_point(first, mix_shifts(one, other, 1 / 3))
        (x1, y1), (u1, v1) = shift_point(goal, other), shift_point(second, mix_shifts(one, other, 2 / 3))
        return (u0 - x0, v0 - y0), (u1 - x1, v1 - y1)

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
            for end, side in enumerate(BOX_SIDES[axis] if box[1 - axis] < high and low < box[3 - axis] else ()):
                share = (box[axis + 2 * end] - start[axis]) / along
                if min(share, 1 - share) * abs(along) > NEAR_END_CM:
                    found.append((share, name, side))
        before, after = ([one for one in found if (one[0] < spot.share) is is_before] for is_before in (True, False))
        return [*sorted(before)[-1:], *sorted(after)[:1]]

    def splits(self, index: int) -> bool:
        """Return whether the ends of a straight route between nodes move apart if the distances change."""
        shifts = self._find_straight_shifts(index)
        return shifts is not None and shifts[0].terms != shifts[1].terms

    def _find_label_shift(self, index: int, spot: LabelPlace) -> Pair:
        """Return the shift of a label, which keeps its share of the part of its segment between frames."""
        ends = [(0.0, self._find_shift(index, spot.segment, 0.0)), (1.0, self._find_shift(index, spot.segment, 1.0))]
        for share, name, side in self.find_cuts(index):
            axis = 0 if side in BOX_SIDES[0] else 1
            at, shift = (
                self._find_shift(index, spot.segment, share),
                self.find_side_shift(name, axis, side in ("east", "south")),
            )
            ends[int(share >= spot.share)] = share, ((shift, at[1]) if axis == 0 else (at[0], shift))
        (low, one), (high, other) = ends
        return mix_shifts(one, other, (spot.share - low) / (high - low))

    def iterate_course(self, index: int) -> Iterator[Pair]:
        """Yield points of a flow, about every third one of a curve."""
        way = self.layout.ways[index]
        if not way.bend:
            yield from self.find_points(index)
            return
        course = way.course[::3]
        for number, point in enumerate(course):
            yield shift_point(point, self._find_shift(index, 0, number / (len(course) - 1)))

    def _find_shift(self, index: int, segment: int, share: float) -> Pair:
        """Return the shift at a share of a segment of a route."""
        shifts = self.route_shifts[index]
        return mix_shifts(shifts[segment], shifts[segment + 1], share)

    @cached_property
    def route_shifts(self) -> Sequence[Sequence[Pair]]:
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

    def _find_port_shift(self, index: int, place: int) -> Pair:
        """Return the shift of an end of a route.

        On a side of a node or frame that scales, a route that is about straight has the shift of its other end.
        """
        way, ends = self.layout.ways[index], self.graph.lines[index].ends
        name, other = ends[place], ends[-1 - place]
        if not self.is_stretched(name):
            x, y = self.find_node_shift(name)
            move = self.find_port_moves(index)[place]
            return (x + move, y) if way.sides[place] % 2 else (x, y + move)
        side, point, far = way.sides[place], way.points[place], way.points[-1 - place]
        normal = side % 2
        found = [ZERO, ZERO]
        found[normal] = self.find_side_shift(name, normal, int(side < 2))
        along = 1 - normal
        straight = len(way.points) == 2 and abs(point[along] - far[along]) < _STEEP_CM
        if straight and not self.is_stretched(other):
            found[along] = self.find_node_shift(other)[along]
        else:
            if straight and place:  # both ends scale
                name, point = other, far
            found[along] = self.find_shift_inside(name, along, point[along])
        return found[0], found[1]

    def _find_straight_shifts(self, index: int) -> tuple[Length, Length] | None:
        """Return the shifts of the nodes at the ends of a straight route across it; None for other routes."""
        way, ends = self.layout.ways[index], self.graph.lines[index].ends
        along = 1 - way.sides[0] % 2
        (first, last) = (way.points[0][along], way.points[-1][along])
        if (
            len(way.points) > 2
            or way.bend
            or self.graph.lines[index].straight
            or abs(first - last) > _LEVEL_CM
            or any(map(self.is_stretched, ends))
        ):
            return None
        one, other = (self.find_node_shift(name)[along] for name in ends)
        return one, other

    def find_port_moves(self, index: int) -> tuple[float, float]:
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
            long = (leaf.body[along + 2] - leaf.body[along]) * leaf.share
            if way.sides[place] == 1 and leaf.caption:  # it ends below the caption
                long = min(long, leaf.caption)
            half = long / 2 - _PORT_CM
            rooms.append(0.0 if line.spans[place] else max(0.0, half - toward * (at[along] - middle)))
        if sum(rooms) < abs(apart):
            return 0.0, 0.0
        first = min(max(abs(apart) / 2, abs(apart) - rooms[1]), rooms[0])
        sign = 1 if apart > 0 else -1
        return sign * first, sign * (first - abs(apart))

    def _iterate_borders(self) -> Iterator[Border]:
        """Yield the sides of nodes and frames, and the segments at the ends of flows.

        Yield the sides of dots only if all nodes are dots.
        """
        placed, leaves = self.layout.placed, self.graph.leaves
        solid = [leaf for leaf in leaves if not leaf.dots] or leaves
        bodies = {leaf.id: placed.box(leaf.id, leaf.body) for leaf in solid}
        for name, box in {**bodies, **placed.frames}.items():
            drawn, node = self.find_border(name), self.plan.name(self.panel, name)
            for axis, sides in enumerate(BOX_SIDES):
                for end, side in enumerate(sides):
                    yield Border(
                        name,
                        f"{node}.{side}",
                        axis,
                        2 * end - 1,
                        box[axis + 2 * end],
                        drawn.find_side(side),
                        self.find_side_shift(name, axis, end),
                        box[1 - axis],
                        box[3 - axis],
                    )
        for index, (line, way) in enumerate(zip(self.graph.lines, self.layout.ways, strict=True)):
            for place, far in ((0, 1), (-1, -2)) if len(way.points) > 2 else ():
                axis = 1 - way.sides[place] % 2
                start, goal = way.points[place], way.points[far]
                low, high = sorted((start[1 - axis], goal[1 - axis]))
                shift = self._find_port_shift(index, place)[axis]
                yield Border(line.ends[place], "", axis, 0, start[axis], ZERO, shift, low, high)


def _drop_inner(lengths: Sequence[Length]) -> list[Length]:
    """Return the largest of the lengths with equal terms."""
    found: dict[object, Length] = {}
    for length in lengths:
        if length.terms not in found or found[length.terms].constant < length.constant:
            found[length.terms] = length
    return list(found.values())


def shift_text(box: Box, shift: Pair) -> SymbolicBox:
    """Return a box around its shifted center."""
    return make_box_around(shift_point(find_box_center(box), shift), (box[2] - box[0]) / 2, (box[3] - box[1]) / 2)
