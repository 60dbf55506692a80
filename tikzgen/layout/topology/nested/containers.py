"""Where the members of nested containers stand: every container is a box for the one around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.beside_members import passing, texts_beside
from tikzgen.layout.topology.nested.layers import Layers
from tikzgen.layout.topology.nested.nested_graph import LABEL_ROOM, ROOT, Cells, Graph, Placed
from tikzgen.layout.topology.nested.stated_places import member_places
from tikzgen.plane.rectangles import Box, Point, middle, surround

_APART = 0.55  # cm between neighbours, more where there is a frame,
_FRAMED = 0.15
_GAP = {"right": 0.85, "down": 0.75}  # cm between layers, for an arrow
_LINE = 0.09  # cm more for each line between two layers,
_LINES = 12  # up to so many
_NEARLY = 0.15  # cm
_ROUND = 30  # sweeps over the coordinates


class Arrangement(Record):
    """How the members of a container stand: in layers to the right or down, folded into so many bands.

    Long layers may be `broken` into rows. In a `winding` one every other band runs back. `loose` widens the gaps. After
    each layer there is room for a text of such `rooms`, as those have that look alike. Where there are `cells`, members
    keep to these instead.
    """

    layers: Layers
    down: bool = False
    fold: int = 1
    winding: bool = False
    loose: float = 1.0
    broken: bool = False
    rooms: tuple[Point, ...] = ()
    cells: Cells | None = None


class Block(Record):
    """A laid out container around its anchor: its box, and the anchors and frames in it, its own with them."""

    box: Box
    anchors: Mapping[str, Point]
    frames: Mapping[str, Box]


_Wire = tuple[str, str, float, float, int]
"""Two members, where the line meets each across the layers, and its place among the lines."""


def arrange(
    graph: Graph,
    ways: Mapping[str, Arrangement],
    least: Mapping[str, Point],
    known: dict[tuple[object, ...], Block],
) -> Placed:
    """The places of all; `least` are the sizes that frames have at least, `known` what was laid out before."""
    block = _container(graph, ROOT, ways, least, known)
    left, top, right, bottom = block.box
    anchors = _in_line(block.anchors, [name for name in graph.root.members if name in graph.by_id])
    return Placed(
        {name: (x - left, y - top) for name, (x, y) in anchors.items()},
        {name: _moved(box, -left, -top) for name, box in block.frames.items()},
        right - left,
        bottom - top,
    )


def _in_line(anchors: Mapping[str, Point], loose: Sequence[str]) -> dict[str, Point]:
    """The anchors, those of `loose` entities in line with others that they nearly are in line with."""
    found = dict(anchors)
    for axis in (0, 1):
        for name in loose:
            here = found[name][axis]
            near = [at[axis] for one, at in found.items() if one != name and abs(at[axis] - here) < _NEARLY]
            if near:
                at = min(near, key=lambda value: abs(value - here))
                found[name] = (at, found[name][1]) if axis == 0 else (found[name][0], at)
    return found


def _container(
    graph: Graph,
    name: str,
    ways: Mapping[str, Arrangement],
    least: Mapping[str, Point],
    known: dict[tuple[object, ...], Block],
) -> Block:
    inner = {member: _container(graph, member, ways, least, known) for member in _frames_in(graph, name)}
    key = (name, ways[name], least.get(name), *((member, id(block)) for member, block in inner.items()))
    if key not in known:
        blocks = {**_leaves_in(graph, name), **inner}
        way = ways[name]
        if way.cells:
            boxes = {member: block.box for member, block in blocks.items()}
            places = member_places(graph, name, way.cells, boxes, way.loose)
        else:
            places = _bands(graph, name, way, blocks)
        roomy = name != ROOT or ways[name].loose >= 1
        known[key] = _framed(graph, name, blocks, places, least.get(name, (0.0, 0.0)), roomy=roomy)
    return known[key]


def _frames_in(graph: Graph, name: str) -> list[str]:
    return [member for member in graph.containers[name].members if member in graph.containers]


def _leaves_in(graph: Graph, name: str) -> dict[str, Block]:
    members = {*graph.containers[name].members}
    return {leaf.id: Block(leaf.foot, {leaf.id: (0.0, 0.0)}, {}) for leaf in graph.leaves if leaf.id in members}


def _framed(
    graph: Graph,
    name: str,
    blocks: Mapping[str, Block],
    places: Mapping[str, Point],
    least: Point,
    *,
    roomy: bool,
) -> Block:
    """The members at their places, with the frame around them; the middle of its line of anchors is its own.

    A `roomy` one has room for labels beside its lines; others have it only where there is some already.
    """
    anchors = {
        one: (x + places[member][0], y + places[member][1])
        for member, block in blocks.items()
        for one, (x, y) in block.anchors.items()
    }
    frames = {
        one: _moved(box, *places[member]) for member, block in blocks.items() for one, box in block.frames.items()
    }
    corners = [_moved(block.box, *places[member]) for member, block in blocks.items()]
    corners += texts_beside(graph, name, anchors) if roomy else ()
    if name != ROOT:
        corners += passing(
            graph, name, {member: _moved(block.box, *places[member]) for member, block in blocks.items()}
        )
    left, top, right, bottom = surround([point for box in corners for point in (box[:2], box[2:])])
    if name != ROOT:
        frame = graph.containers[name]
        (wide, _), (above, below) = frame.label, frame.rooms
        left, top, right, bottom = left - frame.pad, top - above, right + frame.pad, bottom + below
        more = max(0.0, wide + LABEL_ROOM - (right - left), least[0] - (right - left))
        left, right = left - more / 2, right + more / 2
        bottom += max(0.0, least[1] - (bottom - top))
        frames[name] = (left, top, right, bottom)
        if name in graph.joined:
            anchors[name] = middle(frames[name])
    ys = sorted(point[1] for point in places.values())
    x, y = (left + right) / 2, (ys[(len(ys) - 1) // 2] + ys[len(ys) // 2]) / 2
    return Block(
        _moved((left, top, right, bottom), -x, -y),
        {one: (u - x, v - y) for one, (u, v) in anchors.items()},
        {one: _moved(box, -x, -y) for one, box in frames.items()},
    )


def _moved(box: Box, x: float, y: float) -> Box:
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y


def _bands(graph: Graph, name: str, way: Arrangement, blocks: Mapping[str, Block]) -> dict[str, Point]:
    """The layers of a container, folded into bands one beside the other."""
    found: dict[str, Point] = {}
    before = 0.0
    across = 0 if way.down else 1
    end = 0.0
    for number, band in enumerate(_folded(way, blocks)):
        back = way.winding and number % 2 == 1
        places = _band(graph, name, way, band[::-1] if back else band, blocks)
        last = max(place[1 - across] for place in places.values())
        if back:  # it begins where the one before it ended
            places = {one: (x, y + end - last) if way.down else (x + end - last, y) for one, (x, y) in places.items()}
        else:
            end = last
        low, high = _span(places, across, blocks)
        aside = _aside(graph, name, 1 - across, found, places, blocks) if found else 0.0
        for member, (x, y) in places.items():
            found[member] = (x + before - low, y + aside) if way.down else (x + aside, y + before - low)
        before += high - low + (_APART + 0.25) * way.loose
    return found


def _aside(
    graph: Graph,
    name: str,
    axis: int,
    found: Mapping[str, Point],
    band: Mapping[str, Point],
    blocks: Mapping[str, Block],
) -> float:
    """How far a band moves along itself for its lines to those before it to run straight, on no more paper."""
    places, wants = {**found, **band}, []
    for one, other, index in graph.links[name]:
        if (one in found and other in band) or (one in band and other in found):
            here, there = (
                places[member][axis] + blocks[member].anchors[joint][axis]
                for member, joint in zip((one, other), graph.lines[index].ends, strict=True)
            )
            wants.append(here - there if other in band else there - here)
    (low, high), (first, last) = (_span(each, axis, blocks) for each in (found, band))
    least, most = sorted((low - first, high - last))
    return min(max(_median(wants, 0.0), least), most)


def _span(places: Mapping[str, Point], axis: int, blocks: Mapping[str, Block]) -> tuple[float, float]:
    """From where to where some members reach along an axis."""
    lows = (at[axis] + blocks[member].box[axis] for member, at in places.items())
    highs = (at[axis] + blocks[member].box[axis + 2] for member, at in places.items())
    return min(lows), max(highs)


def _folded(way: Arrangement, blocks: Mapping[str, Block]) -> list[Layers]:
    """The layers in bands that are about as long as each other; a single layer is cut into several."""
    if way.fold == 1:
        return [way.layers]
    if len(way.layers) == 1:
        (row,) = way.layers
        size = -(-len(row) // way.fold)
        return [tuple(row[start : start + size] for start in range(0, len(row), size))]
    axis = 1 if way.down else 0
    longs = [max(blocks[one].box[axis + 2] - blocks[one].box[axis] for one in layer) + 0.9 for layer in way.layers]
    share, passed = sum(longs) / way.fold, 0.0
    bands: list[list[tuple[str, ...]]] = [[]]
    for layer, long in zip(way.layers, longs, strict=True):
        if bands[-1] and passed + long / 2 > share * len(bands) and len(bands) < way.fold:
            bands.append([])
        bands[-1].append(layer)
        passed += long
    return [tuple(band) for band in bands]


def _band(graph: Graph, name: str, way: Arrangement, layers: Layers, blocks: Mapping[str, Block]) -> dict[str, Point]:
    """The places of the members of some layers: these follow each other, and in each the members stand apart."""
    axis = 1 if way.down else 0
    depth = {member: place for place, layer in enumerate(layers) for member in layer}
    wires: list[_Wire] = [
        (
            one,
            other,
            blocks[one].anchors[graph.lines[at].source][1 - axis],
            blocks[other].anchors[graph.lines[at].target][1 - axis],
            at,
        )
        for one, other, at in graph.links[name]
        if one in depth and other in depth
    ]
    along = _along(graph, way, layers, depth, wires, blocks)
    across = _across(graph, way, layers, depth, wires, blocks)
    return {
        member: (across[member], along[member]) if way.down else (along[member], across[member]) for member in depth
    }


def _along(
    graph: Graph,
    way: Arrangement,
    layers: Layers,
    depth: Mapping[str, int],
    wires: Sequence[_Wire],
    blocks: Mapping[str, Block],
) -> dict[str, float]:
    """The place of each layer, so far from the one before that lines and labels have room between them."""
    axis = 1 if way.down else 0
    found: dict[str, float] = {}
    edge = 0.0
    for place, layer in enumerate(layers):
        at = edge - min(blocks[member].box[axis] for member in layer)
        found.update(dict.fromkeys(layer, at))
        between = [
            graph.lines[index]
            for one, other, _, _, index in wires
            if min(depth[one], depth[other]) <= place < max(depth[one], depth[other])
        ]
        gap = _GAP["down" if way.down else "right"]
        labels = [line.label[axis] for line in between if line.label[axis]]
        labels += [room[axis] for room in way.rooms[place : place + 1] if room[axis] and way.fold == 1]
        gap = max([gap, *(label + (0.45 if way.down else 0.55) for label in labels)])
        gap += _LINE * min(max(len(between) - 1, 0), _LINES) + (0.3 if any(line.marked for line in between) else 0.0)
        edge = at + max(blocks[member].box[axis + 2] for member in layer) + gap * way.loose
    return found


def _across(
    graph: Graph,
    way: Arrangement,
    layers: Layers,
    depth: Mapping[str, int],
    wires: Sequence[_Wire],
    blocks: Mapping[str, Block],
) -> dict[str, float]:
    """The places within the layers: near the medians of those that they are joined to, and apart."""
    axis = 0 if way.down else 1
    beside: dict[str, list[tuple[str, float]]] = {member: [] for member in depth}
    for one, other, here, there, _ in wires:
        far = abs(depth[one] - depth[other])
        if far:
            # what passes other layers turns, and frames that are alike stand level: middles are enough
            aside = there - here if far == 1 and not _are_alike(graph, one, other, blocks, axis) else 0.0
            beside[one].append((other, aside))
            beside[other].append((one, -aside))
    offsets: list[list[float]] = []
    at: dict[str, float] = {}
    for layer in layers:
        places = [0.0]
        for one, other in pairwise(layer):
            room = blocks[one].box[axis + 2] - blocks[other].box[axis]
            places.append(places[-1] + room + _between(graph, way, one, other, wires))
        middle = (places[0] + blocks[layer[0]].box[axis] + places[-1] + blocks[layer[-1]].box[axis + 2]) / 2
        at.update((member, place - middle) for member, place in zip(layer, places, strict=True))
        offsets.append(places)
    free = {member for member, others in beside.items() if not others}
    place = {
        member: value
        for layer, places in zip(layers, offsets, strict=True)
        for member, value in zip(layer, places, strict=True)
    }
    for one, other, _, _, _ in wires:  # what is joined within its layer alone keeps near to that
        for member, by in ((one, other), (other, one)):
            if member in free and by not in free:
                beside[member].append((by, place[member] - place[by]))
    for sweep in range(_ROUND if any(beside.values()) else 0):
        order = range(len(layers)) if sweep % 2 == 0 else reversed(range(len(layers)))
        for number in order:
            layer = layers[number]
            wants = [_median([at[other] + by for other, by in beside[member]], at[member]) for member in layer]
            at.update(zip(layer, _separated(wants, offsets[number]), strict=True))
    return at


def _are_alike(graph: Graph, one: str, other: str, blocks: Mapping[str, Block], axis: int) -> bool:
    """Whether two are frames of as many members and of one size along an axis."""
    frames = [graph.containers[name] for name in (one, other) if name in graph.containers]
    if len(frames) < 2 or len(frames[0].members) != len(frames[1].members):
        return False
    first, second = (blocks[name].box[axis + 2] - blocks[name].box[axis] for name in (one, other))
    return abs(first - second) < _NEARLY


def _median(values: list[float], otherwise: float) -> float:
    if not values:
        return otherwise
    values.sort()
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def _separated(wants: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The places nearest to those wanted that are so far apart: neighbours that would be nearer share a mean."""
    blocks: list[list[float]] = []
    for want, offset in zip(wants, offsets, strict=True):
        blocks.append([want - offset, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (value, count), (first, many) = blocks.pop(), blocks[-1]
            blocks[-1] = [(first * many + value * count) / (many + count), many + count]
    means = [value for value, count in blocks for _ in range(int(count))]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _between(graph: Graph, way: Arrangement, one: str, other: str, wires: Sequence[_Wire]) -> float:
    """The gap between neighbours of a layer: for lines between them, and the labels of those that pass beside."""
    gap = _APART + _FRAMED * (one in graph.containers or other in graph.containers)
    axis = 0 if way.down else 1
    for first, second, _, _, index in wires:
        label = graph.lines[index].label
        if {first, second} == {one, other}:
            gap = max(gap, label[axis] + (0.55 if way.down else 0.5), 0.8)
        elif way.down and (one in (first, second) or other in (first, second)):
            gap = max(gap, min(1.6, label[0] * 0.55 + 0.25))
    return gap * way.loose
