"""The edit contract of topologies: fixed names, how workers come and go, who is in which list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.contract_words import drawn_as
from tikzgen.layout.layout_kinds import LayoutKind
from tikzgen.layout.scene.scene import Scene
from tikzgen.layout.topology.topology_items import FlowLoopItem
from tikzgen.model.figure import FigureModel
from tikzgen.model.topology import DataSource, Server, Topology, Worker


class TopologyContract(LayoutKind[Topology]):
    """Entities and flows."""

    def naming_scheme(self, figure: FigureModel, scene: Scene, parts: Sequence[Topology]) -> Iterator[str]:
        nodes, direction = parts[0].nodes, getattr(parts[0].layout, "direction", "")
        sources = "".join(f"({node.id})" for node in nodes if isinstance(node, DataSource))
        servers = "".join(f"({node.id})" for node in nodes if isinstance(node, Server))
        workers = _workers(parts)
        named = [f"{sources} source"] if sources else []
        if workers:
            order = "top-to-bottom" if direction in ("right", "") else "left-to-right"
            unit = "GPU workers" if workers[0].icon == "gpu" else "workers"
            named.append(f"{unit} {''.join(f'({worker.id})' for worker in workers)} {order}")
        named += [f"{servers} parameter server"] if servers else []
        others = [node.id for node in nodes if not isinstance(node, (DataSource, Server, Worker))]
        named += ["".join(f"({name})" for name in others)] if others else []
        yield "fixed semantic names: " + "; ".join(named)
        if workers and workers[0].id == "w1":
            where = r"(\colsep, k*\rowsep)" if "right" in direction else "their level"
            yield f"New workers continue the w<n> sequence and are positioned at {where}"

    def by_hand(self, figure: FigureModel, scene: Scene, parts: Sequence[Topology]) -> dict[str, str]:
        workers = _workers(parts)
        if not workers:
            return {}
        drawn = r"\gpupic" if workers[0].icon == "gpu" else "the style of its siblings"
        listed = bool(drawn_as(scene, FlowLoopItem))
        add, away = ("add it to the sync \\foreach list and ", "its place in the sync \\foreach list, ")
        added, gone = (add, away) if listed else ("", "")
        return {
            "add_worker": f"declare the next node (w<n>) with {drawn} and its label macro, "
            f"then {added}draw its other flows",
            "remove_worker": f"take out its node, its label macro and all its flows, {gone}"
            "and its lane where it has one",
        }

    def invariants(self, figure: FigureModel, scene: Scene, parts: Sequence[Topology]) -> Iterator[str]:
        by_style = {
            figure.kind(kind).tikz_style(kind): kind
            for _, _, part in figure.parts(Topology)
            for kind, _ in part.flow_kinds()
        }
        for family in drawn_as(scene, FlowLoopItem)[:1] if by_style else ():
            names = "/".join(by_style[way.style] for way in family.ways)
            yield f"every worker added to the layout must also appear in the {names} sync \\foreach list"


def _workers(parts: Sequence[Topology]) -> list[Worker]:
    """The workers of the first topology that has some."""
    found = ([node for node in part.nodes if isinstance(node, Worker)] for part in parts)
    return next((workers for workers in found if workers), [])
