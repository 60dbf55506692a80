"""Flows as they are spelt; those that differ in one member of a family stand in one loop: one place for all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tikzgen.base.record import replace
from tikzgen.layout.items import Item
from tikzgen.layout.length import NOWHERE
from tikzgen.layout.topology.flow_path import Run, stops
from tikzgen.layout.topology.flow_texts import flow_text
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.topology_items import Edge, Family
from tikzgen.layout.topology.topology_macros import flow_label


def edges(net: Network, runs: Sequence[Run]) -> Iterator[Edge]:
    """Every flow as an edge between anchors."""
    for index, run in enumerate(runs):
        flow, look = run.flow, net.plan.figure.kind(run.flow.kind)
        source, target = (net.anchor(*end) for end in zip(run.ends, run.sides, strict=True))
        yield Edge(
            style=look.tikz_style(flow.kind),
            source=source,
            target=target,
            source_shift=run.shifts[0],
            target_shift=run.shifts[1],
            route=run.how,
            bend=run.bend,
            label=net.plan.labels.macro(net.panel, flow_label(flow, index, net.mark)) if flow.label else "",
            label_style=look.color,
            side=run.side,
            pos=run.pos,
            arrow=flow.direction,
            points=tuple((at, name) for name, at, _ in stops(net, run)),
            step=str(flow.step or ""),
            inline=run.inline,
            wrap=flow_text(net.plan, flow)[1] if flow.label else 0.0,
            sloped=flow.label_at == "sloped" and run.how != "loop",
        )


def fold(edges: Sequence[Edge], members: Collection[str]) -> list[Item]:
    r"""Gather bent flows that differ only in one member of a family into one `\foreach`, labels apart.

    Where ends are spread along a side every flow has a place of its own.
    """
    if any(edge.route == "bend" and (edge.source_shift, edge.target_shift) != (NOWHERE, NOWHERE) for edge in edges):
        return list(edges)
    items: list[Item] = []
    waiting: dict[tuple[Edge, ...], list[str]] = {}
    labelled: list[Edge] = []
    runs: dict[str, list[Edge]] = {}
    for edge in edges:
        member = next((name for end in (edge.source, edge.target) if (name := _node(end)) in members), "")
        if edge.route == "bend" and member and not edge.points and not edge.step:
            runs.setdefault(member, []).append(_abstract(edge, member))
            if edge.label:
                labelled.append(replace(edge, style=""))
        else:
            items.append(edge)
    for member, shapes in runs.items():
        waiting.setdefault(tuple(shapes), []).append(member)
    items.extend(Family(tuple(names), shapes) for shapes, names in waiting.items())
    items.extend(labelled)
    return items


def _node(end: str) -> str:
    return end.rpartition(".")[0]


def _abstract(edge: Edge, member: str) -> Edge:
    source, target = (
        f"\\w.{end.rpartition('.')[2]}" if _node(end) == member else end for end in (edge.source, edge.target)
    )
    return replace(edge, source=source, target=target, label="", label_style="", side="left", pos=0.5)
