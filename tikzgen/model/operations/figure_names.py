"""Names in a figure that operations accept, by kind: workers, lanes, spans, events …"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tikzgen.base.extensions import load_address
from tikzgen.model.content import KINDS
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.figure_operations import kinds_of, phases_of
from tikzgen.model.operations.operation_model import Names
from tikzgen.model.operations.parts_of_figures import ids_in, iterate_entries
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.topology.topology import Topology

Found = dict[str, Iterable[str]]


def names_of(figure: FigureModel) -> Names:
    """Return the distinct names in a figure by kind, in reading order.

    Names of macros and icons are not included, because they are not part of the model.
    """
    origin = figure.origin  # read once: it compares all parts of the figure with the recipe's output
    contents = [content for panel in figure.panels for content in panel.content]
    idles = any(part.bubbles or part.frames for _, _, part in figure.parts(Timeline))
    seen = (name for name in sorted(phases_of(figure)) if name != "idle" or idles)
    fixed = fixed_names(figure)
    found: Found = {
        "named": (name for content in contents for name in ids_in(content) if name not in fixed),
        "labelled": (
            name for content in contents for _, _, entry in iterate_entries(content) if (name := _id_and_label(entry))
        ),
        "colored": [*sorted(kinds_of(figure)), *seen],
        "facts": origin.schedule_facts if origin is not None else (),
    }
    own = dict.fromkeys(content.type for content in contents if content.type not in KINDS.built_in)
    for model in (KINDS[name] for name in (*KINDS.built_in, *own)):
        if model.names_address:
            for kind, each in load_address(model.names_address)(figure).items():
                found[kind] = [*found.get(kind, ()), *each]
    names = {kind: tuple(dict.fromkeys(each)) for kind, each in found.items()}
    counted = origin.counts if origin is not None else ""
    # A recipe that counts workers may draw the workers, their lanes, or both. An operation on either changes the
    # count.
    names["rows"] = names["rows"] or (names["workers"] if counted else ())
    names["workers"] = names["workers"] or (names["lanes"] if counted else ())
    names["recolored"] = tuple(dict.fromkeys((*names["colored"], *names.get("nodes", ()))))
    for kind, several in _PAIRS_OF_NAMES.items():
        held = names.get(kind, ())
        names[several] = held if len(held) > 1 else ()
    if counted and getattr(origin, counted) == 1:
        names["spare_workers"] = ()
    return names


def fixed_names(figure: FigureModel) -> frozenset[str]:
    """Return the nodes that the figure's recipe draws without overrides: its contract fixes their names."""
    origin = figure.origin
    if origin is None or not any(figure.parts(Topology)):
        return frozenset()
    has_overrides = getattr(origin, "overrides", ())
    drawn = origin.model_copy(update={"overrides": []}).to_figure() if has_overrides else figure
    return frozenset(node.id for _, _, part in drawn.parts(Topology) for node in part.nodes)


_PAIRS_OF_NAMES = {"nodes": "pairs", "workers": "spare_workers", "rows": "spare_rows", "spans": "span_pairs"}
"""Types of names of which an operation may need two, each with the type that is empty if there is only one name."""


def _id_and_label(entry: Any) -> str:
    """Return the id of a part that has a field `label`, otherwise an empty string."""
    return getattr(entry, "id", None) or "" if "label" in type(entry).model_fields else ""
