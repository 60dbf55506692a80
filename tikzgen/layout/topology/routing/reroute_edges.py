"""Router on a grid: each edge gets the cheapest route given the other routes, and can be rerouted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from math import dist

from tikzgen.base.plane import Box, Point, grow_box, lines_cross
from tikzgen.base.record import NOTHING, replace
from tikzgen.layout.topology.nested.bus_geometry import bus, comb, find_channel
from tikzgen.layout.topology.nested.flow_label_places import spots
from tikzgen.layout.topology.nested.nested_graph import Graph, Route
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.routing.find_cheapest_route import (
    TEXT_COST,
    FoundRoute,
    cost_off_center,
    least_cost,
    search,
)
from tikzgen.layout.topology.routing.route_corridors import Corridors
from tikzgen.layout.topology.routing.route_grid import CROSS_COST, UNIT, Ends, Port, RouteGrid

_TEXT_ROOM = 0.15  # cm between a label and other edges
_FAR = 8.0  # cm between the ends of an edge, from which a dense grid uses corridors
_NEIGHBOURS = 4.5 * UNIT  # cm between the bends of parallel edges, across plus down
_LONG_BUS_COUNT = 6  # edges of a bundle, above which a bus may have a bar for each row of nodes
_NEW_PORT_COST = 32.0  # extra cost of a port that other edges of the bundle do not use, in steps


def _is_beside(one: Port, other: Port) -> bool:
    """Return whether edges at two ports would run side by side."""
    return one.way == other.way and 0.5 * UNIT < dist(one.place, other.place) < 2.5 * UNIT


class Router:
    """State of the routing: current routes, which can be added, removed and replaced."""

    def __init__(self, graph: Graph, placed: Placed, titles: Sequence[Box]) -> None:
        self.graph, self.placed, self.grid = graph, placed, RouteGrid(graph, placed, titles)
        self.corridors = Corridors(self.grid) if self.grid.dense else None
        self.courses: dict[int, FoundRoute] = {}
        self.texts: dict[int, Box] = {}
        self.taken: dict[Port, list[int]] = {}
        self.direct: dict[int, Route] = {}
        self.buses: dict[tuple[int, ...], None] = {}
        self.least: dict[int, float] = {}
        self.foreign = [
            {
                number
                for number, frame in enumerate(graph.frames, 1)
                if frame.id not in graph.around(line) or frame.id in line.ends
            }
            for line in graph.lines
        ]

    def own(self, index: int) -> int:
        """Return the number that marks an edge's cells: its own, or that of its bundle."""
        bundle = self.graph.lines[index].bundle
        return -bundle if bundle else index + 1

    def mates(self, index: int) -> list[int]:
        bundle = self.graph.lines[index].bundle
        lines = self.graph.lines
        return [one for one in self.courses if one != index and bundle and lines[one].bundle == bundle]

    def trunks(self, order: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the edges of each bundle that may become a bus.

        Woven bundles have too many edges. In bundles with opposite edges, each pair has separate routes.
        """
        lines = self.graph.lines
        back = {line.ends[::-1] for line in lines}
        bundles: dict[int, list[int]] = {}
        for index in order:
            if lines[index].bundle and not lines[index].woven:
                bundles.setdefault(lines[index].bundle, []).append(index)
        for bundle in bundles.values():
            mesh = lines[bundle[0]].mesh
            if len(bundle) > 1 and (mesh or not any(lines[index].ends in back for index in bundle)):
                yield tuple(bundle)

    def units(self) -> list[tuple[int, ...]]:
        """Return the groups of edges that are routed together: each bus, and every other edge alone."""
        bound = {index for bus in self.buses for index in bus}
        return [*self.buses, *((index,) for index in self.courses if index not in bound)]

    def route_lines(
        self,
        lines: tuple[int, ...],
        given: Mapping[int, Mapping[str, Port]] = NOTHING,
        beside: tuple[int, ...] = (),
    ) -> None:
        """Route edges: a bundle as a bus if there is room, others sequentially.

        Labels of edges in `beside` are placed after both routes.
        """
        ways = self._bus(lines) if len(lines) > 1 and not given else None
        if ways:
            self.buses |= {lines: None}
        for place, index in enumerate(lines):
            ports = given.get(index, NOTHING)
            if place and self.graph.lines[index].mesh and lines[0] in self.courses:
                ports = {self.graph.lines[index].source: self.courses[lines[0]].start}  # one trunk leaves the hub
            self._lay(index, ways[place] if ways else self.route_line(index, ports))
            if index not in beside:
                self._label(index)
            elif index == beside[-1]:
                for one in beside:
                    self._label(one)

    def _bus(self, lines: Sequence[int]) -> list[FoundRoute] | None:
        """Return the routes of a bundle's edges from or to their common node, or None."""
        every = [self.graph.lines[index] for index in lines]
        place = 0 if len({line.source for line in every}) == 1 else 1
        free = {
            name: [port for port in self.grid.ports[name] if not self.taken.get(port)]
            for name in dict.fromkeys(name for line in every for name in line.ends)
        }
        served = [free[line.ends[1 - place]] for line in every]
        hub, own = free[every[0].ends[place]], self.own(lines[0])
        foreign, channel = [self.foreign[index] for index in lines], find_channel(self.graph, self.placed, every)
        ways = channel and bus(self.grid, hub, served, own, foreign, channel)
        ways = ways or bus(self.grid, hub, served, own, foreign)
        if every[0].mesh or len(lines) > _LONG_BUS_COUNT:
            ways = ways or comb(self.grid, hub, served, own, foreign, merged=every[0].mesh)
            self.grid.spent += sum(len(way.cells) for way in ways or ())
        if ways is None or place == 0:
            return ways
        return [replace(way, start=way.goal, goal=way.start, cells=way.cells[::-1]) for way in ways]

    def route_line(self, index: int, given: Mapping[str, Port] = NOTHING) -> FoundRoute | None:
        """Return the cheapest route of an edge; it crosses obstacles only if no route is clear.

        `given` fixes the ports at some nodes.
        """
        line, own = self.graph.lines[index], self.own(index)
        starts, goals = (
            [(given[name], cost_off_center(given[name]))] if name in given else self._ends(name, index)
            for name in line.ends
        )
        way = self._cheapest_route(index, starts, goals)
        if way is None and line.straight:
            way = search(self.grid, starts, goals, own, self.foreign[index])
        if way is None:
            starts, goals = (
                [(port, cost_off_center(port)) for port in self.list_ports(name, index)]
                for name in (line.source, line.target)
            )
            way = search(self.grid, starts, goals, own, self.foreign[index], soft=True)
        return way and replace(way, crossed=self._cost_of_others(index, way))

    def _cheapest_route(self, index: int, starts: Ends, goals: Ends) -> FoundRoute | None:
        """Return the cheapest clear route of an edge, in dense grids first through a corridor."""
        line, own, foreign = self.graph.lines[index], self.own(index), self.foreign[index]
        one, other = (self.placed.anchors[name] for name in line.ends)
        if self.corridors and not line.straight and starts and goals and dist(one, other) > _FAR:
            way = self.corridors.find_route(starts, goals, own, foreign)
            if way is not None:
                return way
        return search(self.grid, starts, goals, own, foreign, straight=line.straight)

    def list_ports(self, name: str, index: int) -> Sequence[Port]:
        """Return the ports of a node at which an edge may end; the nearest ports for a part without ports."""
        line, ports = self.graph.lines[index], self.grid.ports[name]
        span, side = line.span_at(name), line.side_at(name)
        if span is None and side is None and line.feedback:  # it leaves and arrives beside the layers
            way = self.placed.arranged.get(self.graph.find_siblings(*line.ends)[0])
            return [port for port in ports if port.way % 2 != bool(way and way.down)]
        if span is None:
            return ports if side is None else [port for port in ports if port.way == side]
        anchor = self.placed.anchors[name]
        found = []
        for side in span.sides:
            offs = [
                (abs(port.place[1 - side % 2] - anchor[1 - side % 2] - span.middle), port)
                for port in ports
                if port.way == side
            ]
            reach = max((span.high - span.low) / 2, min((off for off, _ in offs), default=0.0))
            found += [port for off, port in offs if off <= reach]
        return found

    def _ends(self, name: str, index: int) -> list[tuple[Port, float]]:
        mates = self.mates(index)
        shared = {port for mate in mates for port in (self.courses[mate].start, self.courses[mate].goal)}
        shared &= set(self.grid.ports[name])
        hub = bool(shared) and all(
            name in (self.graph.lines[mate].source, self.graph.lines[mate].target) for mate in mates
        )
        free = []
        for port in self.list_ports(name, index):
            if port in shared and hub:
                free.append((port, 0.0))
            elif not self.taken.get(port):
                free.append((port, cost_off_center(port) + (_NEW_PORT_COST if hub else 0.0)))
        return free

    def lay(self, index: int, course: FoundRoute | None) -> None:
        """Add a route: mark its cells, and the cells where its label may be placed."""
        self._lay(index, course)
        self._label(index)

    def _lay(self, index: int, course: FoundRoute | None) -> None:
        """Mark the cells of a route as used."""
        if course is None:
            return
        self.courses[index] = course
        self._use(index, course)
        for port in (course.start, course.goal):
            self.taken.setdefault(port, []).append(index)

    def _label(self, index: int) -> None:
        """Mark the cells where the label of an edge may be placed."""
        if index in self.courses and self.graph.lines[index].label[0]:
            self.texts[index] = self._text(index, self.courses[index])
            self.grid.write(self._text_cells(index), 1)

    def _text(self, index: int, course: FoundRoute) -> Box:
        """Return a possible box for the label of an edge."""
        every = sorted((spot.cost, spot.box) for spot in spots(self.points(course), self.graph.lines[index]))
        least = every[0][0] + self._cost_of_overlaps(every[0][1]), every[0][1]
        for cost, box in every[1:]:
            if cost > least[0]:
                break
            least = min(least, (cost + self._cost_of_overlaps(box), box))
        return least[1]

    def _cost_of_overlaps(self, box: Box) -> float:
        grid = self.grid
        found = 0.0
        for cell in grid.cells(grow_box(box, 0.05)):
            found += max(grid.prices[0][cell], grid.prices[1][cell]) > 2.0 or grid.text[cell] > 0
        return found

    def _use(self, index: int, course: FoundRoute) -> None:
        own = self.own(index)
        for port in (course.start, course.goal):
            self.grid.use(port.cell, port.way % 2, own)
        for one, other in pairwise(course.cells):
            axis = int(abs(other - one) == 1)
            self.grid.use(one, axis, own)
            self.grid.use(other, axis, own)

    def lift(self, index: int) -> None:
        """Remove a route."""
        course, own, grid = self.courses.pop(index), self.own(index), self.grid
        for cell in course.cells:
            for axis in (0, 1):
                if grid.used[axis][cell] == own:
                    grid.free(cell, axis)
        for mate in self.mates(index):
            self._use(mate, self.courses[mate])
        for port in (course.start, course.goal):
            self.taken[port].remove(index)
        self.grid.write(self._text_cells(index), -1)
        self.texts.pop(index, None)

    def bends(self, index: int) -> bool:
        """Return whether an edge has a bend."""
        return index in self.courses and len(self.points(self.courses[index])) > 2

    def cost(self, index: int) -> float:
        return self.courses[index].cost if index in self.courses else 0.0

    def again(
        self,
        lines: Sequence[int],
        gain: float,
        given: Mapping[int, Mapping[str, Port]] = NOTHING,
        beside: tuple[int, ...] = (),
    ) -> bool:
        """Replace the routes of edges, with the ports `given` for some; return whether that gains enough.

        The edges in `beside` must then run side by side. Otherwise restore the previous routes.
        """
        before = {index: self.courses[index] for index in lines}
        forced, worth = self._worth(before)
        if not given and not forced and self._least(lines) >= worth - gain:
            return False
        for index in before:
            self.lift(index)
        self.route_lines(tuple(lines), given, beside)
        after = {index: self.courses[index] for index in lines if index in self.courses}
        better = len(after) == len(before) and self._worth(after) < (forced, worth - gain)
        if better and (not beside or self.side_by_side(*beside)):
            return True
        for index in after:
            self.lift(index)
        for index, course in before.items():
            self.lay(index, course)
        return False

    def _least(self, lines: Sequence[int]) -> float:
        """Return a lower bound of the cost of some edges; it is 0 for edges of bundles, and at parts of nodes."""
        plain = [index for index in lines if not self._is_bound(index)]
        ends = {index: self.graph.lines[index].ends for index in plain}
        for index in ends.keys() - self.least.keys():
            self.least[index] = least_cost(self.grid, *(self.grid.ports[name] for name in ends[index]))
        return sum(self.least[index] for index in ends)

    def _is_bound(self, index: int) -> bool:
        """Return whether an edge shares its ends with a bundle, or ends at a part or a stated side of a node."""
        line = self.graph.lines[index]
        return bool(line.bundle) or not line.has_free_ends

    def swap_ports(self, one: int, other: int) -> dict[int, dict[str, Port]]:
        """Return the ports of two edges at their common node, swapped."""
        (shared,) = {*self.graph.lines[one].ends} & {*self.graph.lines[other].ends}
        ports = self.grid.ports[shared]
        found = {}
        for index, course in ((one, self.courses[other]), (other, self.courses[one])):
            found[index] = {shared: course.start if course.start in ports else course.goal}
        return found

    def siblings(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of separately routed edges that join one node to two other nodes."""
        lines, bound = self.graph.lines, {index for bus in self.buses for index in bus}
        for one, other in combinations(sorted(self.courses.keys() - bound), 2):
            alone = not lines[one].bundle or lines[one].bundle != lines[other].bundle
            alone = alone and lines[one].has_free_ends and lines[other].has_free_ends
            if alone and len({*lines[one].ends, *lines[other].ends}) == 3:
                yield one, other

    def twins(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of opposite edges between two nodes, without edges of bundles."""
        lines = self.graph.lines
        alone = [index for index in sorted(self.courses) if not self._is_bound(index)]
        for one, other in combinations(alone, 2):
            if lines[one].ends == lines[other].ends[::-1]:
                yield one, other

    def side_by_side(self, one: int, other: int) -> bool:
        """Return whether two opposite edges run side by side along their full length."""
        there, back = self.points(self.courses[one]), self.points(self.courses[other])[::-1]
        near = (abs(x - u) + abs(y - v) < _NEIGHBOURS for (x, y), (u, v) in zip(there, back, strict=False))
        return len(there) == len(back) and all(near)

    def neighboring_ports(self, one: int, other: int) -> Iterator[dict[int, dict[str, Port]]]:
        """Yield ports for two opposite edges: one edge keeps its ports, the other gets adjacent ports."""
        for first, second in ((one, other), (other, one)):
            course, ends = self.courses[first], self.graph.lines[first].ends
            kept = dict(zip(ends, (course.start, course.goal), strict=True))
            beside = [[port for port in self.grid.ports[name] if _is_beside(port, kept[name])] for name in ends]
            for ports in product(*beside):
                yield {first: kept, second: dict(zip(ends, ports, strict=True))}

    def cross(self, one: int, other: int) -> bool:
        """Return whether two edges cross."""
        ways = [self.points(self.courses[index]) for index in (one, other)]
        return any(lines_cross(*leg, *near) for leg, near in product(*map(pairwise, ways)))

    def _worth(self, courses: Mapping[int, FoundRoute]) -> tuple[int, float]:
        """Return the number of forced routes, and the current total cost, with crossings by later edges."""
        found = sum(
            course.cost - course.crossed + self._cost_of_others(index, course) for index, course in courses.items()
        )
        return sum(course.forced for course in courses.values()), found

    def _cost_of_others(self, index: int, course: FoundRoute) -> float:
        """Return the part of a route's cost for crossing other edges and their labels."""
        grid, own, found = self.grid, self.own(index), 0.0
        beside = self._text_cells(index)
        for one, other in pairwise(course.cells):
            axis = int(abs(other - one) == 1)
            found += CROSS_COST * (grid.used[1 - axis][other] not in (0, own))
            found += TEXT_COST * (grid.text[other] > (other in beside))
        return found

    def _text_cells(self, index: int) -> frozenset[int]:
        """Return the cells of an edge's label, empty without a label."""
        box = self.texts.get(index)
        return frozenset(self.grid.cells(grow_box(box, _TEXT_ROOM)) if box else ())

    def points(self, course: FoundRoute) -> tuple[Point, ...]:
        """Return the points of a route, from border to border."""
        cells = [self.grid.point_of(cell) for cell in course.cells]
        every = [course.start.place, *cells, course.goal.place]
        kept = [every[0]]
        for before, point, after in zip(every, every[1:], every[2:], strict=False):
            straight = all(
                abs(before[axis] - point[axis]) < 1e-6 and abs(point[axis] - after[axis]) < 1e-6 for axis in (0,)
            )
            straight |= abs(before[1] - point[1]) < 1e-6 and abs(point[1] - after[1]) < 1e-6
            if not straight:
                kept.append(point)
        return (*kept, every[-1])
