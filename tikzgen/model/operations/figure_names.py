"""What a figure has that operations speak of, by kind: its workers, lanes, spans, events …"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tikzgen.model.entities import Entity, Worker
from tikzgen.model.figure import Figure
from tikzgen.model.operations.figure_operations import kinds_of, phases_of
from tikzgen.model.operations.mark_operations import event_names
from tikzgen.model.operations.operation_model import Names
from tikzgen.model.operations.parts_of_figures import entries, ids_in, parts
from tikzgen.model.operations.topology_operations import layered_names, unframed_names
from tikzgen.model.spacetime import SpaceTime
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology import Topology

Found = dict[str, Iterable[str]]


def names_of(figure: Figure) -> Names:
    """The names, each once, in reading order; those of its macros and of icons are no affair of the model."""
    origin = figure.origin  # asked once: it compares all parts of the figure with what the recipe said
    contents = [content for panel in figure.panels for content in panel.content]
    colored = [
        *sorted(kinds_of(figure)),
        *(name for name in sorted(phases_of(figure)) if name != "idle" or _idles(figure)),
    ]
    found: Found = {
        "named": (name for content in contents for name in ids_in(content)),
        "labelled": (name for content in contents for _, _, entry in entries(content) if (name := _labelled(entry))),
        "colored": colored,
        "facts": origin.schedule_facts if origin is not None else (),
    }
    for of_kind in _OF_KINDS:
        found |= of_kind(figure)
    names = {kind: tuple(dict.fromkeys(each)) for kind, each in found.items()}
    counted = origin.counts if origin is not None else ""
    # a recipe that counts workers may draw them, their lanes, or both: one more is one more of either
    names["rows"] = (*names["lanes"], *names["lifelines"]) or (names["workers"] if counted else ())
    names["workers"] = names["workers"] or (names["lanes"] if counted else ())
    names["recolored"] = tuple(dict.fromkeys((*names["colored"], *names.get("nodes", ()))))
    for kind, several in _SEVERAL.items():
        held = names.get(kind, ())
        names[several] = held if len(held) > 1 else ()
    if counted and getattr(origin, counted) == 1:
        names["spare_workers"] = ()
    return names


_SEVERAL = {"nodes": "pairs", "workers": "spare_workers", "rows": "spare_rows", "spans": "span_pairs"}
"""Kinds of names of which an operation needs more than one, with what they are called then."""


def _labelled(entry: Any) -> str:
    """The id of what has a label, too."""
    return getattr(entry, "id", None) or "" if "label" in type(entry).model_fields else ""


def _idles(figure: Figure) -> bool:
    return any(part.bubbles or part.frames for _, part in parts(figure, Timeline))


def _topology_names(figure: Figure) -> Found:
    nodes = [node for _, part in parts(figure, Topology) for node in part.nodes if isinstance(node, Entity)]
    flows = [flow for _, part in parts(figure, Topology) for flow in part.flows]
    return {
        "nodes": (node.id for node in nodes),
        "with_icon": (node.id for node in nodes if any(one.icon for one in nodes)),
        "workers": (node.id for node in nodes if isinstance(node, Worker)),
        "flow_sources": (flow.source for flow in flows),
        "flow_targets": (flow.target for flow in flows),
        "layered": (name for _, part in parts(figure, Topology) for name in layered_names(part)),
        "unframed": (name for _, part in parts(figure, Topology) for name in unframed_names(part)),
    }


def _timeline_names(figure: Figure) -> Found:
    found = [part for _, part in parts(figure, Timeline)]
    arrows = [arrow for part in found for arrow in part.dependencies]
    return {
        "lanes": (lane.id for part in found for lane in part.lanes),
        "spans": (name for part in found for name in part.names()),
        "phases": (name for name in sorted(phases_of(figure))),
        "events": (name for part in found for name in event_names(part)),
        "arrow_sources": (arrow.source for arrow in arrows),
        "arrow_targets": (arrow.target for arrow in arrows),
    }


def _spacetime_names(figure: Figure) -> Found:
    found = [part for _, part in parts(figure, SpaceTime)]
    return {
        "lifelines": (lifeline.id for part in found for lifeline in part.lifelines),
        "messages": (name for part in found for name in part.names()),
    }


_OF_KINDS: tuple[Callable[[Figure], Found], ...] = (_topology_names, _timeline_names, _spacetime_names)
