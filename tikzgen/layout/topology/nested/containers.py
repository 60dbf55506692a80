"""Positions of the members of nested containers: each container is a box in its parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tikzgen.base.plane import Box, Point, compute_bounding_box, find_box_center
from tikzgen.base.record import replace
from tikzgen.layout.topology.nested.nested_graph import LABEL_ROOM, ROOT, Graph, Layers
from tikzgen.layout.topology.nested.placed_nodes import Arrangement, Placed
from tikzgen.layout.topology.nested.places_in_layers import (
    APART,
    NEARLY,
    LaidOutContainer,
    median,
    places_in_layers,
)
from tikzgen.layout.topology.nested.stated_places import member_places

_ASIDE = 0.35  # cm from the middle of two edges to the far end of a label next to them, without the label
_CHANNEL = 0.45  # cm for edges that pass above a node between their ends
_EMPTY = 0.5  # cm of blank space below the members of a frame; with more, the members spread


def arrange(
    graph: Graph,
    ways: Mapping[str, Arrangement],
    least: Mapping[str, Point],
    known: dict[tuple[object, ...], LaidOutContainer],
) -> Placed:
    """Place all members; `least` has minimum sizes of frames, `known` is a cache of containers."""
    block = _make_container(graph, ROOT, ways, least, known)
    left, top, right, bottom = block.box
    anchors = _in_line(block.anchors, [name for name in graph.root.members if name in graph.by_id])
    return Placed(
        {name: (x - left, y - top) for name, (x, y) in anchors.items()},
        {name: _move_box(box, -left, -top) for name, box in block.frames.items()},
        right - left,
        bottom - top,
        arranged=ways,
        places=block.places,
    )


def _in_line(anchors: Mapping[str, Point], loose: Sequence[str], axes: Sequence[int] = (0, 1)) -> dict[str, Point]:
    """Return the anchors, with `loose` nodes aligned to nearly equal coordinates of other anchors."""
    found = dict(anchors)
    for axis in axes:
        for name in loose:
            here = found[name][axis]
            near = [at[axis] for one, at in found.items() if one != name and abs(at[axis] - here) < NEARLY]
            if near:
                at = min(near, key=lambda value: abs(value - here))
                found[name] = (at, found[name][1]) if axis == 0 else (found[name][0], at)
    return found


def _make_container(
    graph: Graph,
    name: str,
    ways: Mapping[str, Arrangement],
    least: Mapping[str, Point],
    known: dict[tuple[object, ...], LaidOutContainer],
) -> LaidOutContainer:
    inner = {member: _make_container(graph, member, ways, least, known) for member in _frames_in(graph, name)}
    key = (name, ways[name], least.get(name), *((member, id(block)) for member, block in inner.items()))
    if key not in known:
        leaves = _leaves_in(graph, name)
        blocks = {**leaves, **inner}
        way = ways[name]
        if way.cells:
            boxes = {member: block.box for member, block in blocks.items()}
            layered, places = None, member_places(graph, name, way.cells, boxes, way.loose, way.more)
        else:
            layered, places = _find_bands(graph, name, way, blocks)
            if name != ROOT:
                # align rows for captions; columns stay, because they affect the width
                places |= _in_line({leaf: places[leaf] for leaf in leaves}, list(leaves), (1,))
        roomy = name != ROOT or ways[name].loose >= 1
        framed = _frame_members(graph, name, blocks, places, least.get(name, (0.0, 0.0)), roomy=roomy)
        inside = {one: each for block in inner.values() for one, each in block.places.items()}
        known[key] = replace(framed, places={**inside, name: layered} if layered else inside)
    return known[key]


def _frames_in(graph: Graph, name: str) -> list[str]:
    return [member for member in graph.containers[name].members if member in graph.containers]


def _leaves_in(graph: Graph, name: str) -> dict[str, LaidOutContainer]:
    return {
        leaf.id: LaidOutContainer(leaf.foot, {leaf.id: (0.0, 0.0)}, {})
        for leaf in graph.members_of_containers.get(name, ())
    }


def _frame_members(
    graph: Graph,
    name: str,
    blocks: Mapping[str, LaidOutContainer],
    places: Mapping[str, Point],
    least: Point,
    *,
    roomy: bool,
) -> LaidOutContainer:
    """Return the members at given positions with the frame around them, centered on their middle row.

    With `roomy`, the frame has room for labels next to its vertical edges.
    """
    anchors = {
        one: (x + places[member][0], y + places[member][1])
        for member, block in blocks.items()
        for one, (x, y) in block.anchors.items()
    }
    frames = {
        one: _move_box(box, *places[member]) for member, block in blocks.items() for one, box in block.frames.items()
    }
    corners = [_move_box(block.box, *places[member]) for member, block in blocks.items()]
    corners += _texts_beside(graph, name, anchors) if roomy else ()
    if name != ROOT:
        corners += _areas_of_passing_lines(
            graph, name, {member: _move_box(block.box, *places[member]) for member, block in blocks.items()}
        )
    left, top, right, bottom = compute_bounding_box([point for box in corners for point in (box[:2], box[2:])])
    if name != ROOT:
        frame = graph.containers[name]
        (wide, _), (above, below) = frame.label, frame.rooms
        left, top, right, bottom = left - frame.pad, top - above, right + frame.pad, bottom + below
        if (empty := least[1] - (bottom - top)) > _EMPTY and (wider := _stretch_members(places, empty)):
            return _frame_members(graph, name, blocks, wider, least, roomy=roomy)
        more = max(0.0, wide + LABEL_ROOM - (right - left), least[0] - (right - left))
        left, right = left - more / 2, right + more / 2
        bottom += max(0.0, least[1] - (bottom - top))
        frames[name] = (left, top, right, bottom)
        if name in graph.neighbors:
            anchors[name] = find_box_center(frames[name])
    ys = sorted(point[1] for point in places.values())
    x, y = (left + right) / 2, (ys[(len(ys) - 1) // 2] + ys[len(ys) // 2]) / 2
    return LaidOutContainer(
        _move_box((left, top, right, bottom), -x, -y),
        {one: (u - x, v - y) for one, (u, v) in anchors.items()},
        {one: _move_box(box, -x, -y) for one, box in frames.items()},
    )


def _stretch_members(places: Mapping[str, Point], by: float) -> dict[str, Point]:
    """Spread positions vertically by `by` cm in total; return {} for a single row."""
    top, bottom = min(y for _, y in places.values()), max(y for _, y in places.values())
    if bottom - top < NEARLY:
        return {}
    return {name: (x, top + (y - top) * (1 + by / (bottom - top))) for name, (x, y) in places.items()}


def _move_box(box: Box, x: float, y: float) -> Box:
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y


def _find_bands(
    graph: Graph, name: str, way: Arrangement, blocks: Mapping[str, LaidOutContainer]
) -> tuple[Mapping[str, Point] | None, dict[str, Point]]:
    """Return the positions in layers, if there is one band, and the positions in bands side by side."""
    found: dict[str, Point] = {}
    layered: Mapping[str, Point] | None = None
    before = 0.0
    across = 0 if way.down else 1
    end = 0.0
    for number, band in enumerate(_fold_layers(way, blocks)):
        back = way.winding and number % 2 == 1
        places = places_in_layers(graph, name, way, band[::-1] if back else band, blocks)
        layered = places if way.fold == 1 else None
        last = max(place[1 - across] for place in places.values())
        if back:  # a band that runs back begins at the end of the previous band
            places = {one: (x, y + end - last) if way.down else (x + end - last, y) for one, (x, y) in places.items()}
        else:
            end = last
        low, high = _span(places, across, blocks)
        aside = _shift_band(graph, name, 1 - across, found, places, blocks) if found else 0.0
        for member, (x, y) in places.items():
            found[member] = (x + before - low, y + aside) if way.down else (x + aside, y + before - low)
        before += high - low + (APART + 0.25) * way.loose + way.more[across]
    return layered, found


def _shift_band(
    graph: Graph,
    name: str,
    axis: int,
    found: Mapping[str, Point],
    band: Mapping[str, Point],
    blocks: Mapping[str, LaidOutContainer],
) -> float:
    """Return the median shift that straightens a band's edges to earlier bands without added length."""
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
    return min(max(median(wants, 0.0), least), most)


def _span(places: Mapping[str, Point], axis: int, blocks: Mapping[str, LaidOutContainer]) -> tuple[float, float]:
    """Return the interval that members occupy on an axis."""
    lows = (at[axis] + blocks[member].box[axis] for member, at in places.items())
    highs = (at[axis] + blocks[member].box[axis + 2] for member, at in places.items())
    return min(lows), max(highs)


def _fold_layers(way: Arrangement, blocks: Mapping[str, LaidOutContainer]) -> list[Layers]:
    """Return the layers in bands of about equal length; cut a single layer into several."""
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


def _texts_beside(graph: Graph, name: str, anchors: Mapping[str, Point]) -> list[Box]:
    """Return the areas of labels next to steep edges: right of the first edge of a pair, left of the next."""
    found: list[Box] = []
    seen: dict[tuple[str, ...], int] = {}
    for one, other, index in graph.links[name]:
        line = graph.lines[index]
        if line.label[0]:
            (x0, y0), (x1, y1) = anchors[line.source], anchors[line.target]
            if abs(x1 - x0) > abs(y1 - y0):
                continue
            pair = tuple(sorted((one, other)))
            turn = -1 if seen.setdefault(pair, 0) % 2 else 1
            seen[pair] += 1
            x, y, aside = (x0 + x1) / 2, (y0 + y1) / 2, turn * (line.label[0] + _ASIDE)
            found.append((min(x, x + aside), y, max(x, x + aside), y))
    return found


def _areas_of_passing_lines(graph: Graph, name: str, boxes: Mapping[str, Box]) -> Iterator[Box]:
    """Yield the areas of members of a row, with room for the edges that pass above them."""
    for one, other, _ in graph.links[name]:
        first, last = sorted((boxes[one], boxes[other]))
        low, high = max(first[1], last[1]), min(first[3], last[3])
        for left, top, right, bottom in boxes.values():
            if first[2] < left and right < last[0] and top < high and low < bottom:
                yield left, top - _CHANNEL, right, bottom
