"""Operations on space-time diagrams, and the names in a figure that they take."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.model.figure import FigureModel
from tikzgen.model.spacetime.spacetime_operations import LIFELINES, MESSAGES, SPACETIME_OPERATIONS

OPERATIONS = SPACETIME_OPERATIONS


def list_names(figure: FigureModel) -> dict[str, Iterable[str]]:
    """Return the names of lifelines and messages."""
    lifelines = LIFELINES.names_in(figure)
    return {"lifelines": lifelines, "rows": lifelines, "messages": MESSAGES.names_in(figure)}
