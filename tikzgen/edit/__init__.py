"""Operations on figures: what a person, a script or an agent may change, and how hand edits survive it.

>>> import tikzgen.edit
>>> figure = tikzgen.edit.open("tests/goldens/distributed-training.tex").add_worker().set("rowsep", 2)
>>> [outcome.status for outcome in figure.outcomes]
['applied', 'applied']

`save` writes the file; nothing is written before.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tikzgen.edit.open_figure import Editing

__all__ = ["open", "undo"]


def open(path: str | Path, *, freeze: bool = False) -> Editing:  # noqa: A001  # it is called as tikzgen.edit.open
    """Open a .tex for operations; `FileRefused` if it cannot be read, `EditRefused` if it allows none.

    With `freeze` the recipe that it comes from is given up, so that every part may be changed, whatever it means.
    """
    from tikzgen.edit.open_figure import open_figure

    return open_figure(path, freeze=freeze)


def undo(path: str | Path) -> Path:
    """Give a figure and its metadata back what they held before its last edit; `FileRefused` where that is unsafe."""
    from tikzgen.edit.history import undo as take_back

    take_back(Path(path))
    return Path(path)
