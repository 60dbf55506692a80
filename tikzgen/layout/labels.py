"""The texts of a figure, each with the macro that holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.base.record import Record


class Slot(Record):
    """One text: where it is used, the stem of its macro, what it means, and the path of its field in the figure.

    A `numbered` text takes a number.
    """

    panel: str
    stem: str
    text: str
    meaning: str
    path: tuple[str | int, ...] = ()
    numbered: bool = False


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
