"""Flows that differ only in one member of a family stand in one loop, so that a member is added in one place."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tikzgen.base.record import replace
from tikzgen.layout.items import Item
from tikzgen.layout.topology.topology_items import Edge, Family

__all__ = ["fold"]


def fold(edges: Sequence[Edge], members: Collection[str]) -> list[Item]:
    r"""Gather bent flows that differ only in one member of a family into one `\foreach`, labels apart."""
    items: list[Item] = []
    waiting: dict[tuple[Edge, ...], list[str]] = {}
    labelled: list[Edge] = []
    runs: dict[str, list[Edge]] = {}
    for edge in edges:
        member = _member(edge, members)
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


def _member(edge: Edge, members: Collection[str]) -> str:
    for end in (edge.source, edge.target):
        name = end.rpartition(".")[0]
        if name in members:
            return name
    return ""


def _abstract(edge: Edge, member: str) -> Edge:
    def swap(end: str) -> str:
        name, _, anchor = end.rpartition(".")
        return f"\\w.{anchor}" if name == member else end

    return replace(
        edge, source=swap(edge.source), target=swap(edge.target), label="", label_style="", side="left", pos=0.5
    )
