"""Lines on a grid: each is laid where it costs least among those that lie there, and taken up again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from math import dist

from tikzgen.base.plane import Box, Point, grow_box, lines_cross
from tikzgen.base.record import NOTHING, replace
from tikzgen.layout.topology.nested.flow_label_places import spots
from tikzgen.layout.topology.nested.nested_graph import Graph, Placed, Route
from tikzgen.layout.topology.nested.route_buses import bus
from tikzgen.layout.topology.nested.route_corridors import Corridors
from tikzgen.layout.topology.nested.route_grid import CROSS_COST, UNIT, Ends, Port, RouteGrid
from tikzgen.layout.topology.nested.route_search import TEXT_COST, FoundRoute, cost_off_center, least_cost, search

_TEXT_ROOM = 0.15  # cm between a text and the lines of others
_FAR = 8.0  # cm between the ends of a line that is led through a corridor, where there are many lines
_NEIGHBOURS = 4.5 * UNIT  # cm between corners of lines that run along each other, across and down together
_NEW_PORT_COST = 32.0  # what it costs a line of a bundle not to begin where the others do, in steps


def _is_beside(one: Port, other: Port) -> bool:
    """Whether lines at two ports would run side by side."""
    return one.way == other.way and 0.5 * UNIT < dist(one.place, other.place) < 2.5 * UNIT


class Router:
    """Where lines lie so far: they are laid, taken up, and laid anew."""

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
        """The number that a line's cells have: its own, or its bundle's."""
        bundle = self.graph.lines[index].bundle
        return -bundle if bundle else index + 1

    def mates(self, index: int) -> list[int]:
        bundle = self.graph.lines[index].bundle
        lines = self.graph.lines
        return [one for one in self.courses if one != index and bundle and lines[one].bundle == bundle]

    def trunks(self, order: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The lines of each bundle that becomes a bus where there is room for one.

        Those from many to many are too many, and where others run back each pair has its own place.
        """
        lines = self.graph.lines
        back = {line.ends[::-1] for line in lines}
        bundles: dict[int, list[int]] = {}
        for index in order:
            if lines[index].bundle and not lines[index].woven:
                bundles.setdefault(lines[index].bundle, []).append(index)
        for bundle in bundles.values():
            if len(bundle) > 1 and not any(lines[index].ends in back for index in bundle):
                yield tuple(bundle)

    def units(self) -> list[tuple[int, ...]]:
        """The lines that are laid together: those of a bus, and each other one by itself."""
        bound = {index for bus in self.buses for index in bus}
        return [*self.buses, *((index,) for index in self.courses if index not in bound)]

    def route_lines(
        self,
        lines: tuple[int, ...],
        given: Mapping[int, Mapping[str, Port]] = NOTHING,
        beside: tuple[int, ...] = (),
    ) -> None:
        """Lay some lines: those of a bundle as a bus where there is room for one, others one after the other.

        Texts of those that lie `beside` each other look for a place when both do.
        """
        ways = self._bus(lines) if len(lines) > 1 and not given else None
        if ways:
            self.buses |= {lines: None}
        for place, index in enumerate(lines):
            self._lay(index, ways[place] if ways else self.route_line(index, given.get(index, NOTHING)))
            if index not in beside:
                self._label(index)
            elif index == beside[-1]:
                for one in beside:
                    self._label(one)

    def _bus(self, lines: Sequence[int]) -> list[FoundRoute] | None:
        """The ways of the lines of a bundle from or to the entity that they share."""
        every = [self.graph.lines[index] for index in lines]
        place = 0 if len({line.source for line in every}) == 1 else 1
        free = {
            name: [port for port in self.grid.ports[name] if not self.taken.get(port)]
            for name in dict.fromkeys(name for line in every for name in line.ends)
        }
        served = [free[line.ends[1 - place]] for line in every]
        hub, own = free[every[0].ends[place]], self.own(lines[0])
        ways = bus(self.grid, hub, served, own, [self.foreign[index] for index in lines])
        if ways is None or place == 0:
            return ways
        return [replace(way, start=way.goal, goal=way.start, cells=way.cells[::-1]) for way in ways]

    def route_line(self, index: int, given: Mapping[str, Port] = NOTHING) -> FoundRoute | None:
        """The cheapest way for a line; one that is not clear only where there is no other.

        At an entity whose port is `given` it has that one.
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
                [(port, cost_off_center(port)) for port in self.grid.ports[name]] for name in (line.source, line.target)
            )
            way = search(self.grid, starts, goals, own, self.foreign[index], soft=True)
        return way and replace(way, crossed=self._cost_of_others(index, way))

    def _cheapest_route(self, index: int, starts: Ends, goals: Ends) -> FoundRoute | None:
        """The cheapest way for a line, through a corridor first where there are many."""
        line, own, foreign = self.graph.lines[index], self.own(index), self.foreign[index]
        one, other = (self.placed.anchors[name] for name in line.ends)
        if self.corridors and not line.straight and starts and goals and dist(one, other) > _FAR:
            way = self.corridors.find_route(starts, goals, own, foreign)
            if way is not None:
                return way
        return search(self.grid, starts, goals, own, foreign, straight=line.straight)

    def _ends(self, name: str, index: int) -> list[tuple[Port, float]]:
        mates = self.mates(index)
        shared = {port for mate in mates for port in (self.courses[mate].start, self.courses[mate].goal)}
        shared &= set(self.grid.ports[name])
        hub = bool(shared) and all(
            name in (self.graph.lines[mate].source, self.graph.lines[mate].target) for mate in mates
        )
        free = []
        for port in self.grid.ports[name]:
            if port in shared and hub:
                free.append((port, 0.0))
            elif not self.taken.get(port):
                free.append((port, cost_off_center(port) + (_NEW_PORT_COST if hub else 0.0)))
        return free

    def lay(self, index: int, course: FoundRoute | None) -> None:
        """Mark the cells of a way as used, and those where its text might stand."""
        self._lay(index, course)
        self._label(index)

    def _lay(self, index: int, course: FoundRoute | None) -> None:
        """Mark the cells of a way as used."""
        if course is None:
            return
        self.courses[index] = course
        self._use(index, course)
        for port in (course.start, course.goal):
            self.taken.setdefault(port, []).append(index)

    def _label(self, index: int) -> None:
        """Mark the cells where the text of a line might stand."""
        if index in self.courses and self.graph.lines[index].label[0]:
            self.texts[index] = self._text(index, self.courses[index])
            self.grid.write(self._text_cells(index), 1)

    def _text(self, index: int, course: FoundRoute) -> Box:
        """Where the text of a line might stand."""
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
        """Take a way up again."""
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
        """Whether a line turns somewhere."""
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
        """Take lines up and lay them anew, with the ports `given` for some; whether that gains as much, and two lie
        `beside` each other that should.

        They lie as before where it does not.
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
        """What some lines cost at least, wherever others lie; those of a bundle may cost next to nothing."""
        ends = {index: self.graph.lines[index].ends for index in lines if not self.graph.lines[index].bundle}
        for index in ends.keys() - self.least.keys():
            self.least[index] = least_cost(self.grid, *(self.grid.ports[name] for name in ends[index]))
        return sum(self.least[index] for index in ends)

    def swap_ports(self, one: int, other: int) -> dict[int, dict[str, Port]]:
        """The ports of two lines at the entity that they share, each for the other line."""
        (shared,) = {*self.graph.lines[one].ends} & {*self.graph.lines[other].ends}
        ports = self.grid.ports[shared]
        found = {}
        for index, course in ((one, self.courses[other]), (other, self.courses[one])):
            found[index] = {shared: course.start if course.start in ports else course.goal}
        return found

    def siblings(self) -> Iterator[tuple[int, int]]:
        """The pairs of lines that join one entity to two others, each for itself."""
        lines, bound = self.graph.lines, {index for bus in self.buses for index in bus}
        for one, other in combinations(sorted(self.courses.keys() - bound), 2):
            alone = not lines[one].bundle or lines[one].bundle != lines[other].bundle
            if alone and len({*lines[one].ends, *lines[other].ends}) == 3:
                yield one, other

    def twins(self) -> Iterator[tuple[int, int]]:
        """The pairs of lines there and back between two, each for itself."""
        lines = self.graph.lines
        alone = [index for index in sorted(self.courses) if not lines[index].bundle]
        for one, other in combinations(alone, 2):
            if lines[one].ends == lines[other].ends[::-1]:
                yield one, other

    def side_by_side(self, one: int, other: int) -> bool:
        """Whether a line there and one back run along each other all the way."""
        there, back = self.points(self.courses[one]), self.points(self.courses[other])[::-1]
        near = (abs(x - u) + abs(y - v) < _NEIGHBOURS for (x, y), (u, v) in zip(there, back, strict=False))
        return len(there) == len(back) and all(near)

    def neighboring_ports(self, one: int, other: int) -> Iterator[dict[int, dict[str, Port]]]:
        """Ports for a line there and one back: one keeps its own, the other has those beside them."""
        for first, second in ((one, other), (other, one)):
            course, ends = self.courses[first], self.graph.lines[first].ends
            kept = dict(zip(ends, (course.start, course.goal), strict=True))
            beside = [[port for port in self.grid.ports[name] if _is_beside(port, kept[name])] for name in ends]
            for ports in product(*beside):
                yield {first: kept, second: dict(zip(ends, ports, strict=True))}

    def cross(self, one: int, other: int) -> bool:
        """Whether two lines cross."""
        ways = [self.points(self.courses[index]) for index in (one, other)]
        return any(lines_cross(*leg, *near) for leg, near in product(*map(pairwise, ways)))

    def _worth(self, courses: Mapping[int, FoundRoute]) -> tuple[int, float]:
        """How many ways are forced, and what all cost now that others have come, which may cross or stand on them."""
        found = sum(
            course.cost - course.crossed + self._cost_of_others(index, course) for index, course in courses.items()
        )
        return sum(course.forced for course in courses.values()), found

    def _cost_of_others(self, index: int, course: FoundRoute) -> float:
        """What of a way's cost comes from the lines and texts of others."""
        grid, own, found = self.grid, self.own(index), 0.0
        beside = self._text_cells(index)
        for one, other in pairwise(course.cells):
            axis = int(abs(other - one) == 1)
            found += CROSS_COST * (grid.used[1 - axis][other] not in (0, own))
            found += TEXT_COST * (grid.text[other] > (other in beside))
        return found

    def _text_cells(self, index: int) -> frozenset[int]:
        """The cells that a line's text takes, where it has one."""
        box = self.texts.get(index)
        return frozenset(self.grid.cells(grow_box(box, _TEXT_ROOM)) if box else ())

    def points(self, course: FoundRoute) -> tuple[Point, ...]:
        """The corners of a way, from border to border."""
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
