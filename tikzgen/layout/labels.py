"""The texts of a figure, each with the macro that holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.base.record import Record
from tikzgen.model.content import Path


class Slot(Record):
    """One text: where it is used, the stem of its macro, what it means, and the path of its field in the figure.

    A `numbered` text takes a number.
    """

    panel: str
    stem: str
    text: str
    meaning: str
    path: Path = ()
    numbered: bool = False


class Labels(Record):
    """The texts of a figure by (panel, stem), with their macros, and with the paths of all fields that say them.

    `fields` has the macros by these paths.
    """

    slots: Mapping[tuple[str, str], Slot]
    macros: Mapping[tuple[str, str], str]
    homes: Mapping[tuple[str, str], Sequence[Path]]
    fields: Mapping[Path, str]

    def of(self, *field: str | int) -> str:
        """The macro of the text in a field of the figure, by the path of this; empty where that says nothing."""
        return self.fields.get(field, "")

    def macro(self, panel: str, stem: str) -> str:
        """The macro's name without backslash, empty where there is no such text."""
        return self.macros.get((panel, stem), "")
