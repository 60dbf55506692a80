r"""Every visible text has a macro of its own: which texts a figure has, and what their macros are called.

A text is wanted under a stem (`workerone`); the same text under the same stem in several panels is one macro, and
different texts under one stem get their panel's id in front.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tikzgen.base.errors import Problem, SpecError
from tikzgen.base.record import Record
from tikzgen.layout.cell_texts import bubble_stems, cell_stem, half_stem
from tikzgen.layout.chart import Chart, part_mark
from tikzgen.layout.mark_macros import Slot, mark_slots
from tikzgen.layout.number_words import spell, wordy
from tikzgen.model.entities import Dots, Entity, Server
from tikzgen.model.figure import Figure, Panel
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import Flow, Topology

__all__ = [
    "BANDS",
    "Labels",
    "Slot",
    "collect",
    "flow_label",
    "node_stem",
    "used_phases",
]

BANDS = "shade changes every {n}"
# LaTeX's own macros that end in "label"; inside the figure's group they would be hidden.
_RESERVED = {"newlabel", "makelabel", "reflabel", "itemlabel", "taglabel", "ltxlabel"}


class Labels(Record):
    """The texts of a figure by (panel, stem), with their macros, and with the paths of all fields that say them."""

    slots: Mapping[tuple[str, str], Slot]
    macros: Mapping[tuple[str, str], str]
    homes: Mapping[tuple[str, str], Sequence[tuple[str | int, ...]]]

    def macro(self, panel: str, stem: str) -> str:
        """The macro's name without backslash, empty where there is no such text."""
        return self.macros.get((panel, stem), "")

    def text(self, panel: str, stem: str) -> str:
        """The text itself, empty where there is none."""
        slot = self.slots.get((panel, stem))
        return slot.text if slot else ""


def collect(figure: Figure, charts: Mapping[tuple[str, int], Chart]) -> Labels:
    """Name every text of the figure, in reading order."""
    slots: dict[tuple[str, str], Slot] = {}
    homes: dict[tuple[str, str], list[tuple[str | int, ...]]] = {}
    for slot in _slots(figure, charts):
        if slot.text:
            homes.setdefault((slot.panel, slot.stem), []).append(slot.path)
            first = slots.setdefault((slot.panel, slot.stem), slot)
            if first.text != slot.text:
                _clash(f"{first.meaning} and {slot.meaning} would share the macro \\{slot.stem}", slot)
    texts: dict[str, set[str]] = {}
    for slot in slots.values():
        texts.setdefault(slot.stem, set()).add(slot.text)
    macros = {
        key: slot.stem if len(texts[slot.stem]) == 1 else wordy(key[0]) + slot.stem for key, slot in slots.items()
    }
    _refuse_clashes(slots, macros)
    return Labels(slots, macros, homes)


def _refuse_clashes(slots: Mapping[tuple[str, str], Slot], macros: Mapping[tuple[str, str], str]) -> None:
    owner: dict[str, Slot] = {}
    for key, macro in macros.items():
        slot = slots[key]
        first = owner.setdefault(macro, slot)
        if macro in _RESERVED:
            _clash(f"{slot.meaning} would need the macro \\{macro}, which LaTeX uses itself", slot)
        if first.text != slot.text:
            _clash(f"{first.meaning} and {slot.meaning} would share the macro \\{macro}", slot)


def _clash(message: str, slot: Slot) -> None:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in slot.path)
    raise SpecError([Problem(message, path[1:], hint="choose another id")])


def node_stem(node: Entity) -> str:
    """The stem for an entity's macros: `w1` of a worker is `workerone`, any other id is spelt as it is."""
    match = re.fullmatch(r"w([0-9]+)", node.id)
    if match and node.role in ("", "worker"):
        return "worker" + spell(int(match[1]))
    return wordy(node.id)


def flow_label(flow: Flow, index: int, mark: str) -> str:
    """The stem for a flow's label: from its id, or its kind and place; `mark` tells it from another topology's."""
    return f"{wordy(flow.id)}label" if flow.id else f"{wordy(flow.kind)}flow{spell(index + 1)}label{mark}"


def used_phases(figure: Figure, charts: Iterable[Chart]) -> dict[str, set[int]]:
    """The phases that the figure shows with their chunks, in the order of the legend's entries or of first use.

    Frames show idle time, which stands first then; where only bubbles do, it stands last.
    """
    charts = tuple(charts)
    used: dict[str, set[int]] = {}
    if any(chart.part.frames for chart in charts):
        used["idle"] = {0}
    for chart in charts:
        for phase, found in chart.chunks.items():
            used.setdefault(phase, set()).update(found)
    if any(chart.part.bubbles for chart in charts):
        used.setdefault("idle", {0})
    wanted = figure.legend.entries
    return used if wanted is None else {name: used[name] for name in wanted if name in used}


def _chunks_text(charts: Iterable[Chart]) -> str:
    """What the legend says about shades: the chunks that they stand for, empty where there is one."""
    used = {chunk for chart in charts for found in chart.chunks.values() for chunk in found}
    if len(used) < 2:
        return ""
    listed = sorted(used)
    ends = ", ".join(f"{chunk + 1}" for chunk in listed) if len(listed) < 5 else f"{listed[0] + 1} to {listed[-1] + 1}"
    return f"shades: chunk {ends}"


def _slots(figure: Figure, charts: Mapping[tuple[str, int], Chart]) -> Iterator[Slot]:
    yield Slot("", "titlelabel", figure.title, "figure title", ("title",))
    for number, panel in enumerate(figure.panels):
        for index, content in enumerate(panel.content):
            if isinstance(content, Timeline):
                yield from _timeline_slots(charts[panel.id, index], ("panels", number, "content", index))
            else:
                yield from _topology_slots(panel, content, ("panels", number, "content", index))
        yield Slot(panel.id, "captionlabel", panel.caption, "caption below the panel", ("panels", number, "caption"))
    if figure.legend.position != "none":
        for name in used_phases(figure, charts.values()):
            meaning = f"legend entry for {name}"
            yield Slot("", wordy(name) + "label", figure.phase(name).label, meaning, ("phases", name, "label"))
        yield Slot("", "chunkslabel", _chunks_text(charts.values()), "legend entry for the shades of a color")
        if any(chart.runs for chart in charts.values()):
            yield Slot("", "bandslabel", BANDS, "legend entry for alternating shades: #1 is how many", numbered=True)
        faulty = any(span.fault for chart in charts.values() for span in chart.part.spans)
        yield Slot("", "invalidlabel", "invalid" if faulty else "", "legend entry for cells that cannot be")
    for name in dict.fromkeys(cell.phase for chart in charts.values() for cell in chart.cells):
        meaning = f"number in the {name} spans: #1 is the number"
        yield Slot("", cell_stem(name), figure.phase(name).cell, meaning, ("phases", name, "cell"), numbered=True)


def _ordinal(index: int, count: int, *, across: bool) -> str:
    first, last = ("left ", "right ") if across else ("top ", "bottom ")
    names = {1: [""], 2: [first, last], 3: [first, "middle ", last]}.get(count)
    return names[index] if names else ""


def _topology_slots(panel: Panel, topology: Topology, at: tuple[str | int, ...]) -> Iterator[Slot]:
    mark = part_mark(panel, topology)
    workers = [node.id for node in topology.nodes if getattr(node, "kind", "") == "worker"]
    across = getattr(topology.layout, "direction", "down" if topology.layout.type == "row" else "right") == "down"
    for number, node in enumerate(topology.nodes):
        if isinstance(node, Dots):
            continue
        here = (*at, "nodes", number)
        stem, what = node_stem(node), _meaning(node, workers, across=across)
        yield Slot(panel.id, stem + "label", node.label, f"{what} label", (*here, "label"))
        yield Slot(panel.id, stem + "sublabel", node.sublabel, f"second line of the {what} label", (*here, "sublabel"))
        if isinstance(node, Server):
            yield Slot(panel.id, stem + "rule", node.rule, f"update rule of the {what} (math allowed)", (*here, "rule"))
        for index, part in enumerate(node.parts):
            name = f"{stem}part{spell(index + 1)}label"
            yield Slot(panel.id, name, part.label, f"part {index + 1} of the {what}", (*here, "parts", index, "label"))
    for index, flow in enumerate(topology.flows):
        what = {"data": "label on the data-sharding edge"}.get(flow.kind, f"{flow.kind}-flow label (math allowed)")
        name = flow_label(flow, index, mark)
        yield Slot(panel.id, name, flow.label, what, (*at, "flows", index, "label"))
    for index, group in enumerate(topology.groups):
        meaning = f"label of the frame {group.id}"
        yield Slot(panel.id, wordy(group.id) + "label", group.label, meaning, (*at, "groups", index, "label"))


def _meaning(node: Entity, workers: list[str], *, across: bool) -> str:
    kind = getattr(node, "kind", "node")
    if kind == "worker":
        unit = "GPU worker" if node.icon == "gpu" else "worker"
        place = _ordinal(workers.index(node.id), len(workers), across=across)
        return f"{place}{unit}" if place or len(workers) == 1 else f"{unit} {node.id}"
    known = {"data-source": "data-source", "server": "parameter-server" if node.id == "ps" else f"server {node.id}"}
    return node.role or known.get(kind, f"node {node.id}")


def _timeline_slots(chart: Chart, at: tuple[str | int, ...]) -> Iterator[Slot]:
    panel, part, mark = chart.panel, chart.part, chart.mark
    for index, lane in enumerate(part.lanes):
        meaning = f"label of lane {lane.id}"
        yield Slot(panel, f"{wordy(lane.id)}lanelabel{mark}", lane.label, meaning, (*at, "lanes", index, "label"))
    for index, (span, stem) in enumerate(zip(part.spans, chart.stems, strict=True)):
        here, short = (*at, "spans", index), span.short if span.label else ""
        yield Slot(panel, stem + "text", span.label, f"text in the {span.phase} spans", (*here, "label"))
        yield Slot(panel, stem + "short", short, f"short text in the {span.phase} spans", (*here, "short"))
    for index, (span, name) in enumerate(zip(part.spans, chart.names, strict=True)):
        if span.second and span.second.label:
            meaning, home = f"text in the second part of {name}", (*at, "spans", index, "second", "label")
            yield Slot(panel, half_stem(name) + "text", span.second.label, meaning, home)
    for index, (bubble, stem) in enumerate(zip(part.bubbles, bubble_stems(part, mark), strict=True)):
        yield Slot(panel, stem + "text", bubble.label, "text in the bubbles", (*at, "bubbles", index, "label"))
    for index, barrier in enumerate(part.barriers):
        meaning, home = f"label of barrier {index + 1}", (*at, "barriers", index, "label")
        yield Slot(panel, f"barrier{spell(index + 1)}label{mark}", barrier.label, meaning, home)
    yield from mark_slots(chart, at)
    yield Slot(panel, f"timelinetitle{mark}", part.title, "title of the timeline", (*at, "title"))
