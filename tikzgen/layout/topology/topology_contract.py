"""Edit contract of topologies: fixed names, adding and removing workers, members of lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tikzgen.layout.contract_words import drawn_as
from tikzgen.layout.layout_kinds import LayoutKind
from tikzgen.layout.scene.items import CaptionItem
from tikzgen.layout.scene.number_words import spell_identifier
from tikzgen.layout.scene.scene import Scene
from tikzgen.layout.topology.topology_items import FlowItem, FlowLoopItem, NodeItem
from tikzgen.model.figure import FigureModel
from tikzgen.model.topology import DataSource, Server, Topology, Worker

_MOST_MEMBERS_COUNT = 512  # largest number that a recipe draws
_NUMBERED = re.compile(r"([A-Za-z0-9-]*?)(0|[1-9][0-9]*)")


class TopologyContract(LayoutKind[Topology]):
    """Edit contract of topologies."""

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
        add, away = ("add it to the sync \\foreach list and ", "its entry in the sync \\foreach list, ")
        added, gone = (add, away) if listed else ("", "")
        return {
            "add_worker": f"declare the next node (w<n>) with {drawn} and its label macro, "
            f"then {added}draw its other flows",
            "remove_worker": f"remove its node, its label macro and all its flows, {gone}and its lane, if it has one",
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

    def contract_rows(self, figure: FigureModel, scene: Scene) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        nodes = {item.name: item for item in drawn_as(scene, NodeItem)}
        texts = {name: item.text for name, item in nodes.items() if item.text}
        texts |= {item.below: item.text for item in drawn_as(scene, CaptionItem) if item.below}
        values = {parameter.name: parameter.value for parameter in scene.parameters}
        numbered: dict[str, list[int]] = {}
        for panel, _, part in figure.parts(Topology):
            prefix = f"{figure.panels[panel].id}-" if len(figure.panels) > 1 else ""
            for node in part.nodes:
                found = _NUMBERED.fullmatch(prefix + node.id) if isinstance(node, Worker) else None
                if found and found[0] in nodes:
                    numbered.setdefault(found[1], []).append(int(found[2]))
        families: list[Mapping[str, Any]] = []
        for stem, numbers in numbered.items():
            names = [f"{stem}{number}" for number in numbers]
            macros = {number: texts[name][0] for number, name in zip(numbers, names, strict=True) if name in texts}
            label = _find_pattern({number: (macro, spell_identifier(str(number))) for number, macro in macros.items()})
            text = _find_pattern({number: (values.get(macro, ""), str(number)) for number, macro in macros.items()})
            column = _find_column([nodes[name] for name in names])
            row = {
                "names": f"{stem}{{n}}",
                "most": _MOST_MEMBERS_COUNT,
                "label": f"\\{label.format('{word}')}" if label else "",
                "text": text.format("{n}"),
                "flows": _list_flows_of_all(scene, {*names}),
            }
            families.append(row | column)
        return {"families": families}


def _find_pattern(spelt: Mapping[int, tuple[str, str]]) -> str:
    """Return the text that all members share, with {} for the number of each; empty if they share none."""
    known = [(text, word) for text, word in spelt.values() if word in text and not {*"{}"} & {*text}]
    found = {"{}".join(text.rsplit(word, 1)) for text, word in known}
    return found.pop() if len(found) == 1 else ""


def _find_column(nodes: Sequence[NodeItem]) -> dict[str, str]:
    """Return the common column of nodes and the step of their heights; {"layout": "derived"} if irregular."""
    columns, steps = {str(node.x) for node in nodes}, {str(name) for node in nodes for name, _ in node.y.terms}
    rows = [sum(factor for _, factor in node.y.terms) for node in nodes]
    if (
        len(columns) > 1
        or len(steps) != 1
        or any(node.y.constant for node in nodes)
        or any(2 * row % 1 for row in rows)
    ):
        return {"layout": "derived"}
    centered = rows == [(len(rows) - 1) / 2 - at for at in range(len(rows))]
    return {"layout": "centered" if centered else "derived", "column": columns.pop(), "step": f"\\{steps.pop()}"}


def _list_flows_of_all(scene: Scene, members: set[str]) -> list[dict[str, str]]:
    """Return the flows that every member has: their style, and the direction."""
    having: dict[tuple[str, str], set[str]] = {}
    loops = [(way, loop.members) for loop in drawn_as(scene, FlowLoopItem) for way in loop.ways]
    for way, listed in [*loops, *((way, ()) for way in drawn_as(scene, FlowItem) if not way.only_texts)]:
        for end, towards in ((way.source, "away"), (way.target, "member")):
            name = end.partition(".")[0]
            having.setdefault((way.style, towards), set()).update(listed if name.startswith("\\") else (name,))
    return [{"style": style, "towards": towards} for (style, towards), names in having.items() if members <= names]


def _workers(parts: Sequence[Topology]) -> list[Worker]:
    """Return the workers of the first topology that has some."""
    found = ([node for node in part.nodes if isinstance(node, Worker)] for part in parts)
    return next((workers for workers in found if workers), [])
