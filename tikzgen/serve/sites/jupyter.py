"""The cell magic `%%tikzgen` of Jupyter and IPython, after `%load_ext tikzgen`: the cell is a spec."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from tikzgen.api import Figure, loads
from tikzgen.base.errors import TikzgenError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def add_magic(shell: InteractiveShell) -> None:
    """Register `%%tikzgen [NAME] [PATH=VALUE ...]` in the shell."""

    def tikzgen(line: str, cell: str) -> Figure:
        """Show the figure of the spec in this cell: %%tikzgen [NAME] [PATH=VALUE ...]

        NAME is a variable for the figure. PATH=VALUE overrides a field: %%tikzgen fig workers=8
        """
        words = shlex.split(line)
        name = words.pop(0) if words and words[0].isidentifier() else None
        try:
            figure = loads(cell, name="cell", settings=words)
        except TikzgenError as error:
            raise UsageError(str(error)) from None
        if name:
            shell.user_ns[name] = figure
        return figure

    shell.magics_manager.register_function(tikzgen, magic_kind="cell", magic_name="tikzgen")
