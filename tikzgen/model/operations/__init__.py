"""Operations on figures: one model per operation, by the type of content it changes, and their table."""

from __future__ import annotations

from tikzgen.model.operations.figure_names import fixed_names, names_of
from tikzgen.model.operations.figure_operations import (
    ChangeSpacing,
    Palette,
    Recolor,
    RenameId,
    RenameNode,
    Set,
    SetLegend,
    SetTitle,
    Width,
    kinds_of,
    map_styles_to_kinds,
    phases_of,
)
from tikzgen.model.operations.operation_model import Names, Operation
from tikzgen.model.operations.operations_table import OPERATIONS, read_operation
from tikzgen.model.operations.parts_of_figures import iterate_entries
from tikzgen.model.operations.schedule_operations import SetSchedule
from tikzgen.model.operations.text_fields import Path, at_path, place_of_text, with_value_at
from tikzgen.model.operations.worker_operations import WORKERS, AddWorker, RemoveWorker

__all__ = [
    "OPERATIONS",
    "WORKERS",
    "AddWorker",
    "ChangeSpacing",
    "Names",
    "Operation",
    "Palette",
    "Path",
    "Recolor",
    "RemoveWorker",
    "RenameId",
    "RenameNode",
    "Set",
    "SetLegend",
    "SetSchedule",
    "SetTitle",
    "Width",
    "at_path",
    "fixed_names",
    "iterate_entries",
    "kinds_of",
    "map_styles_to_kinds",
    "names_of",
    "phases_of",
    "place_of_text",
    "read_operation",
    "with_value_at",
]
