"""Labels of a topology: stems of their macros, and sizes of flow labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tikzgen.layout.attempt import WITHOUT_ID, LayoutAttempt
from tikzgen.layout.label_lines import in_lines
from tikzgen.layout.layout_kinds import Said
from tikzgen.layout.scene.number_words import part_mark
from tikzgen.layout.topology.choose_buses import find_repeated_labels
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology import Dots, Entity, Flow, Server, Topology
from tikzgen.text import TextSize as TextExtent

_LONG = 3.6  # maximum width of a line of a flow label, in cm
_PRESSED = 1.8  # maximum width of a line in a narrow figure, or without room, in cm

_FLOW_LABELS = {
    "data": "label on the data-sharding edge",
    "gradient": "gradient-flow label (math allowed)",
    "weight": "weight-flow label (math allowed)",
}


def node_stem(node: Entity | Dots) -> str:
    """Return the stem of a node's macros: `worker 1` for worker `w1`, otherwise the id."""
    match = re.fullmatch(r"w([0-9]+)", node.id)
    return f"worker {match[1]}" if match and getattr(node, "role", None) in ("", "worker") else node.id


def flow_stems(topology: Topology) -> list[str]:
    """Return the stems for the labels of flows: from the id, or from ends and kind; number equal ones."""
    ends = {node.id: node_stem(node) for node in topology.nodes}
    count: Counter[str] = Counter()
    found = []
    for flow in topology.flows:
        source, target = (ends.get(end, end) for end in (flow.source, flow.target))
        stem = flow.id or f"{source} to {target} {flow.kind}"
        count[stem] += 1
        found.append(f"{stem} label {count[stem]}" if count[stem] > 1 else f"{stem} label")
    return found


def flow_text(plan: LayoutAttempt, flow: Flow) -> tuple[TextExtent, float]:
    """Return the size of a flow label, and its wrap width in cm, or 0 if it is not wrapped."""
    return in_lines(plan, flow.label, _PRESSED if plan.limit or plan.spread > 1 else _LONG)


def brace_stem(index: int, mark: str) -> str:
    """Return the stem of the label at a brace; `mark` identifies its topology."""
    return f"{WITHOUT_ID}spanning {index + 1} label {mark}"


def note_stem(index: int, mark: str) -> str:
    """Return the stem of a note; `mark` identifies its topology."""
    return f"{WITHOUT_ID}note {index + 1} text {mark}"


def level_stem(index: int, mark: str) -> str:
    """Return the stem of the name of a level; `mark` identifies its topology."""
    return f"{WITHOUT_ID}level {index + 1} name {mark}"


def _ordinal(index: int, count: int, *, across: bool) -> str:
    first, last = ("left ", "right ") if across else ("top ", "bottom ")
    names = {1: [""], 2: [first, last], 3: [first, "middle ", last]}.get(count)
    return names[index] if names else ""


def topology_texts(panel: Panel, topology: Topology) -> Iterator[Said]:
    """Yield the labels of a topology."""
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
        yield f"{stem} label", node.label, f"{what} label", *here, "label"
        yield f"{stem} sublabel", node.sublabel, f"second line of the {what} label", *here, "sublabel"
        if isinstance(node, Server):
            yield f"{stem} rule", node.rule, f"update rule of the {what} (math allowed)", *here, "rule"
        for index, part in enumerate(node.parts):
            name, meaning = f"{stem} part {index + 1} label", f"part {index + 1} of the {what}"
            yield name, part.label, meaning, *here, "parts", index, "label"
    repeated = find_repeated_labels(topology)
    for index, (flow, stem) in enumerate(zip(topology.flows, flow_stems(topology), strict=True)):
        if index in repeated:
            continue
        what = _FLOW_LABELS.get(flow.kind, f"{flow.kind} label (math allowed)")
        place = topology.place_of("flows", index)
        yield stem, flow.label, what, "flows", place, "label"
    for index, span in enumerate(topology.braces):
        yield brace_stem(index, mark), span.label, f"label at brace {index + 1}", "braces", index, "label"
    for index, note in enumerate(topology.notes):
        yield note_stem(index, mark), note.text, f"note {index + 1}", "notes", index, "text"
    for index, text in enumerate(getattr(topology.layout, "labels", ())):
        yield level_stem(index, mark), text, f"name of level {index + 1}", "layout", "labels", index
    for index, group in enumerate(topology.groups):
        yield f"{group.id} label", group.label, f"label of group {group.id}", "groups", index, "label"


def _describe_node(node: Entity, workers: list[str], *, across: bool) -> str:
    kind = getattr(node, "kind", "node")
    if kind == "worker":
        unit = "GPU worker" if node.icon == "gpu" else "worker"
        place = _ordinal(workers.index(node.id), len(workers), across=across)
        return f"{place}{unit}" if place or len(workers) == 1 else f"{unit} {node.id}"
    known = {"data-source": "data-source", "server": "parameter-server" if node.id == "ps" else f"server {node.id}"}
    return node.role or known.get(kind, f"node {node.id}")
