"""The texts of a topology: which it has, the stems of their macros, and how large those of flows are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.layout_kinds import Said
from tikzgen.layout.scene.number_words import part_mark, spell_cardinal, spell_identifier
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology import Dots, Entity, Flow, Server, Topology
from tikzgen.text import TextSize as TextExtent

_LONG = 3.6  # cm of a line of a flow's text at most
_PRESSED = 1.8  # cm of one where captions are set narrow, or it finds no room

_FLOW_LABELS = {
    "data": "label on the data-sharding edge",
    "gradient": "gradient-flow label (math allowed)",
    "weight": "weight-flow label (math allowed)",
}


def node_stem(node: Entity) -> str:
    """The stem for an entity's macros: `w1` of a worker is `workerone`, any other id is spelt as it is."""
    match = re.fullmatch(r"w([0-9]+)", node.id)
    if match and node.role in ("", "worker"):
        return "worker" + spell_cardinal(int(match[1]))
    return spell_identifier(node.id)


def flow_label(flow: Flow, index: int, mark: str) -> str:
    """The stem for a flow's label: from its id, or its kind and place; `mark` tells it from another topology's."""
    return (
        f"{spell_identifier(flow.id)}label"
        if flow.id
        else f"{spell_identifier(flow.kind)}flow{spell_cardinal(index + 1)}label{mark}"
    )


def flow_text(plan: LayoutAttempt, flow: Flow) -> tuple[TextExtent, float]:
    """The size of a flow's text, and the width in cm that it is broken to, 0 where it is not."""
    return in_lines(plan, flow.label, _PRESSED if plan.limit or plan.spread > 1 else _LONG)


def brace_stem(index: int, mark: str) -> str:
    """The stem of the text at a brace; `mark` tells it from another topology's."""
    return f"spanning{spell_cardinal(index + 1)}label{mark}"


def note_stem(index: int, mark: str) -> str:
    """The stem of the text of a note; `mark` tells it from another topology's."""
    return f"note{spell_cardinal(index + 1)}text{mark}"


def level_stem(index: int, mark: str) -> str:
    """The stem of the name of a level; `mark` tells it from another topology's."""
    return f"level{spell_cardinal(index + 1)}name{mark}"


def _ordinal(index: int, count: int, *, across: bool) -> str:
    first, last = ("left ", "right ") if across else ("top ", "bottom ")
    names = {1: [""], 2: [first, last], 3: [first, "middle ", last]}.get(count)
    return names[index] if names else ""


def topology_texts(panel: Panel, topology: Topology) -> Iterator[Said]:
    """Every text of a topology."""
    mark = part_mark(panel, topology)
    workers = [node.id for node in topology.nodes if getattr(node, "kind", "") == "worker"]
    across = (
        getattr(topology.arrangement, "direction", "down" if topology.arrangement.type == "row" else "right") == "down"
    )
    for number, node in enumerate(topology.nodes):
        if isinstance(node, Dots):
            continue
        here = ("nodes", topology.place_of("nodes", number))
        stem, what = node_stem(node), _describe_node(node, workers, across=across)
        yield stem + "label", node.label, f"{what} label", *here, "label"
        yield stem + "sublabel", node.sublabel, f"second line of the {what} label", *here, "sublabel"
        if isinstance(node, Server):
            yield stem + "rule", node.rule, f"update rule of the {what} (math allowed)", *here, "rule"
        for index, part in enumerate(node.parts):
            name, meaning = f"{stem}part{spell_cardinal(index + 1)}label", f"part {index + 1} of the {what}"
            yield name, part.label, meaning, *here, "parts", index, "label"
    for index, flow in enumerate(topology.flows):
        what = _FLOW_LABELS.get(flow.kind, f"{flow.kind} label (math allowed)")
        place = topology.place_of("flows", index)
        yield flow_label(flow, index, mark), flow.label, what, "flows", place, "label"
    for index, span in enumerate(topology.braces):
        yield brace_stem(index, mark), span.label, f"text at brace {index + 1}", "braces", index, "label"
    for index, note in enumerate(topology.notes):
        yield note_stem(index, mark), note.text, f"note {index + 1}", "notes", index, "text"
    for index, text in enumerate(getattr(topology.layout, "labels", ())):
        yield level_stem(index, mark), text, f"name of level {index + 1}", "layout", "labels", index
    for index, group in enumerate(topology.groups):
        yield (
            spell_identifier(group.id) + "label",
            group.label,
            f"label of the frame {group.id}",
            "groups",
            index,
            "label",
        )


def _describe_node(node: Entity, workers: list[str], *, across: bool) -> str:
    kind = getattr(node, "kind", "node")
    if kind == "worker":
        unit = "GPU worker" if node.icon == "gpu" else "worker"
        place = _ordinal(workers.index(node.id), len(workers), across=across)
        return f"{place}{unit}" if place or len(workers) == 1 else f"{unit} {node.id}"
    known = {"data-source": "data-source", "server": "parameter-server" if node.id == "ps" else f"server {node.id}"}
    return node.role or known.get(kind, f"node {node.id}")
