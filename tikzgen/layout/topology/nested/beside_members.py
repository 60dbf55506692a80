"""What the lines of a container take beside its members: texts, and the lines that pass by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.plane.rectangles import Box, Point

_ASIDE = 0.35  # cm from the middle of two lines to the far end of a label beside them, but for the label
_CHANNEL = 0.45  # cm for lines that pass above what stands between their ends


def texts_beside(graph: Graph, name: str, anchors: Mapping[str, Point]) -> list[Box]:
    """What labels take beside lines that run down: right of the first one between two members, left of the next."""
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


def passing(graph: Graph, name: str, boxes: Mapping[str, Box]) -> Iterator[Box]:
    """What the members of a row take with the lines that pass above them."""
    for one, other, _ in graph.links[name]:
        first, last = sorted((boxes[one], boxes[other]))
        low, high = max(first[1], last[1]), min(first[3], last[3])
        for left, top, right, bottom in boxes.values():
            if first[2] < left and right < last[0] and top < high and low < bottom:
                yield left, top - _CHANNEL, right, bottom
