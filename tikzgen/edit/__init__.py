"""Operations on figures: possible changes for users, scripts and agents, which keep manual edits.

>>> import tikzgen.edit
>>> figure = tikzgen.edit.open("tests/goldens/distributed-training.tex").add_worker().set("rowsep", 2)
>>> [outcome.status for outcome in figure.outcomes]
['applied', 'applied']

Only `save` writes the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tikzgen.edit.open_figure import Editing

__all__ = ["open", "undo"]


def open(path: str | Path, *, freeze: bool = False) -> Editing:  # noqa: A001  # it is called as tikzgen.edit.open
    """Open a .tex for operations; raise `FileRefused` if it is unreadable, `EditRefused` if it allows none.

    With `freeze`, detach its recipe, so that every part can be changed.
    """
    from tikzgen.edit.open_figure import open_figure

    return open_figure(path, freeze=freeze)


def undo(path: str | Path) -> Path:
    """Undo the last edit of a figure and its metadata; raise `FileRefused` if a file changed since."""
    from tikzgen.edit.history import undo as take_back

    take_back(Path(path))
    return Path(path)
