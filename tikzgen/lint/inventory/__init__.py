"""Inventory of a figure: parameters, nodes, families, flows, styles, origin, manual edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names
from tikzgen.lint.inventory.nodes import (
    LABEL,
    drawn_directly,
    find_label_texts,
    find_panel,
    iterate_own_styles,
    placed_beside,
)

if TYPE_CHECKING:
    from tikzgen.lint.inventory.check_values import check_value, is_text, spell_value
    from tikzgen.lint.inventory.hand_edits import (
        WrittenLines,
        edited_by_hand,
        lines_by_hand,
        without_words,
        written_lines,
    )
    from tikzgen.lint.inventory.inventory_facts import Inventory, ParameterInFile
    from tikzgen.lint.inventory.metadata_text import Metadata, metadata_of
    from tikzgen.lint.inventory.take_inventory import read_inventory, take
else:  # a render asks only which nodes are labels
    __getattr__ = lazy_names(
        __name__,
        {
            "check_values": "check_value is_text spell_value",
            "hand_edits": "WrittenLines edited_by_hand lines_by_hand without_words written_lines",
            "inventory_facts": "Inventory ParameterInFile",
            "metadata_text": "Metadata metadata_of",
            "take_inventory": "read_inventory take",
        },
    )

__all__ = [
    "LABEL",
    "Inventory",
    "Metadata",
    "ParameterInFile",
    "WrittenLines",
    "check_value",
    "drawn_directly",
    "edited_by_hand",
    "find_label_texts",
    "find_panel",
    "is_text",
    "iterate_own_styles",
    "lines_by_hand",
    "metadata_of",
    "placed_beside",
    "read_inventory",
    "spell_value",
    "take",
    "without_words",
    "written_lines",
]
