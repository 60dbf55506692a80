"""Flows as they are spelt; those that differ in one member of a family stand in one loop: one place for all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import dist

from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO_PAIR, Length
from tikzgen.layout.topology.nested.flow_label_places import ON
from tikzgen.layout.topology.nested.nested_graph import Route as Route
from tikzgen.layout.topology.nested.placement_with_lines import MARK_SHARES
from tikzgen.layout.topology.topology_items import FlowItem, FlowLoopItem
from tikzgen.layout.topology.topology_macros import flow_text
from tikzgen.layout.topology.topology_positions import Paper
from tikzgen.model.topology import Flow, Topology

_ANCHORS = ("east", "south", "west", "north", "center")
_FAR_CM = 30.0
"""TikZ computes `bend left` with sixteen times the distance: more than 36 cm is too large a dimension for TeX."""
_TURNED = ("south", "east", "north", "west")  # of a text that runs up, seen from the paper


def stops_of(
    plan: LayoutAttempt, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[int, Flow, str, float]]:
    """The places along flows that links end on, with the flows' places and the names of their coordinates."""
    for index, flow in enumerate(part.flows):
        wanted, base = points.get(flow.id or "", ()), plan.name(panel, flow.id or "")
        for number, place in enumerate(wanted, 1):
            yield index, flow, base if len(wanted) == 1 else f"{base}-{number}", place


def flow_items(paper: Paper, points: Mapping[str, tuple[float, ...]]) -> list[Item]:
    """Every flow; those of workers in loops, but where what comes up one by one needs lines of its own."""
    stops: dict[int, list[tuple[str, float]]] = {}
    for index, _, name, share in stops_of(paper.plan, paper.panel, paper.part, points):
        stops.setdefault(index, []).append((name, share))
    ways = [_make_flow(paper, index, stops.get(index, ())) for index in range(len(paper.part.flows))]
    ways, over = _separate_labels(paper, ways)
    workers = [node.id for node in paper.part.nodes if getattr(node, "kind", "") == "worker"]
    members = set() if paper.plan.figure.slides else {paper.plan.name(paper.panel, one) for one in workers}
    return _gather_loops(ways, over, members)


def _make_flow(paper: Paper, index: int, stops: Sequence[tuple[str, float]]) -> FlowItem:
    """A flow with what stands along it: at shares of one without corners, elsewhere at places of their own."""
    flow, course, at = paper.part.flows[index], paper.layout.ways[index], paper.lengths.at
    look, spot, mark = paper.plan.figure.kind(flow.kind), paper.layout.texts[index], paper.layout.marks[index]
    direct = paper.layout.direct and len(course.points) == 2
    bend = 0 if _are_far(paper.layout.ways) else course.bend
    corners, last = _controls(paper, course) if course.bend and not bend else _corners(paper, course)
    snake = look.line == "snake"  # a loop is too small for waves, and they have no round corners
    found = FlowItem(
        look.tikz_style(flow.kind) + (", decorate=false" if snake and flow.source == flow.target else ""),
        paper.anchor(flow.source, course, 0),
        paper.anchor(flow.target, course, -1),
        paper.shift(flow.source, course, 0),
        paper.shift(flow.target, course, -1),
        corners,
        last,
        flow.direction,
        curved=flow.route in ("bend", "curved") and not direct and not snake,
        bend=bend,
        step=str(flow.step or ""),
        points=tuple((name, share if direct else at(course.along(share))) for name, share in stops),
    )
    if mark:
        share = min(MARK_SHARES, key=lambda share: dist(course.path.find_point_at(share), mark))
        found = replace(found, step_at=share if direct else at(mark))
    if spot is None:
        return found
    turned = flow.label_at == "sloped" and (direct or spot.side in (0, 2))
    anchor = (_TURNED if turned and not direct else _ANCHORS)[spot.side]
    if direct and spot.side != ON:
        anchor = "auto" if spot.left else "auto, swap"
    return replace(
        found,
        label=paper.plan.labels.find_macro(paper.panel, paper.flow_stems[index]),
        at=spot.share if direct else at(spot.at),
        anchor=anchor,
        turned=turned,
        wrap=flow_text(paper.plan, flow)[1],
    )


def _are_far(ways: Sequence[Route]) -> bool:
    """Return whether an end of a curve is so far from the other that TikZ's `bend left` could not compute it."""
    vectors = ([goal - start for start, goal in zip(*way.points, strict=True)] for way in ways if way.bend)
    return any(abs(length) > _FAR_CM for vector in vectors for length in vector)


def _controls(paper: Paper, way: Route) -> tuple[tuple[tuple[str, Length, Length], ...], str]:
    """Return the control points of a curve with the words before them, and the word after them."""
    ((_, first, second, _),) = way.path.legs
    return ((".. controls", *paper.lengths.at(first)), ("and", *paper.lengths.at(second))), ".."


def _corners(paper: Paper, way: Route) -> tuple[tuple[tuple[str, Length, Length], ...], str]:
    """Every other corner, which the ones between follow from, and how the last one is left."""
    level = way.sides[0] % 2 == 0
    first, other = ("-|", "|-") if level else ("|-", "-|")
    turns = list(way.points[1:-1])
    if not turns:
        return (), "--"
    if len(turns) == 1:
        return (), first
    found = [(first, *paper.lengths.at(point)) for point in turns[1::2]]
    if len(turns) % 2 == 0:  # the last leg runs as the first one does: from the middle of the leg before it
        (x0, y0), (x1, y1) = turns[-2:]
        found[-1] = (first, *paper.lengths.at(((x0 + x1) / 2, (y0 + y1) / 2)))
        return tuple(found), other
    return tuple(found), first


def _separate_labels(paper: Paper, ways: Sequence[FlowItem]) -> tuple[list[FlowItem], list[FlowItem]]:
    """The ways, and what stands on those that share a trunk, by itself: later ways would be drawn over it."""
    found, over = [*ways], []
    for index, (line, spot, way) in enumerate(zip(paper.graph.lines, paper.layout.texts, ways, strict=True)):
        on = spot is not None and spot.side == ON
        if line.bundle and (on or way.step):
            found[index] = replace(way, step="", label="" if on else way.label)
            over.append(replace(way, only_texts=True, points=(), label=way.label if on else ""))
    return found, over


def _gather_loops(ways: Sequence[FlowItem], over: Sequence[FlowItem], members: Collection[str]) -> list[Item]:
    r"""Gather curves that differ only in one member of a family into one `\foreach`, labels apart.

    Where ends are spread along a side every flow has a place of its own.
    """
    if any(way.bend and (way.source_shift, way.target_shift) != (ZERO_PAIR, ZERO_PAIR) for way in ways):
        return [*ways, *over]
    items: list[Item] = []
    labelled = [*over]
    runs: dict[str, list[FlowItem]] = {}
    for way in ways:
        member = next((name for end in (way.source, way.target) if (name := end.rpartition(".")[0]) in members), "")
        if way.bend and member and not way.points and not way.step:
            runs.setdefault(member, []).append(_abstract(way, member))
            if way.label:
                labelled.append(replace(way, only_texts=True))
        else:
            items.append(way)
    waiting: dict[tuple[FlowItem, ...], list[str]] = {}
    for member, shapes in runs.items():
        waiting.setdefault(tuple(shapes), []).append(member)
    items.extend(FlowLoopItem(tuple(names), shapes) for shapes, names in waiting.items())
    return [*items, *labelled]


def _abstract(way: FlowItem, member: str) -> FlowItem:
    """A flow of any member of a family, without its label."""
    source, target = (
        f"\\w.{end.rpartition('.')[2]}" if end.rpartition(".")[0] == member else end for end in (way.source, way.target)
    )
    return FlowItem(way.style, source, target, arrow=way.arrow, bend=way.bend)
