"""Operations on timelines, and the names in a figure that they take."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.figure_operations import phases_of
from tikzgen.model.timeline.mark_operations import EVENTS, MARK_OPERATIONS
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_operations import LANES, SPANS, TIMELINE_OPERATIONS

OPERATIONS = (*TIMELINE_OPERATIONS, *MARK_OPERATIONS)


def list_names(figure: FigureModel) -> dict[str, Iterable[str]]:
    """Return the names of lanes, spans, phases, events and arrows."""
    arrows = [arrow for _, _, part in figure.parts(Timeline) for arrow in part.dependencies]
    return {
        "lanes": LANES.names_in(figure),
        "rows": LANES.names_in(figure),
        "spans": SPANS.names_in(figure),
        "phases": sorted(phases_of(figure)),
        "events": EVENTS.names_in(figure),
        "arrow_sources": (arrow.source for arrow in arrows),
        "arrow_targets": (arrow.target for arrow in arrows),
    }
