"""Which files `tikzgen check` looks at."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tikzgen.errors import FileRefused

__all__ = ["files_of"]


def files_of(paths: Iterable[str]) -> tuple[list[str], list[FileRefused]]:
    """The files to look at, folders standing for the specs, lists and figures in them; each once, in order.

    With them, an error for each folder that holds none.
    """
    found: list[str] = []
    errors: list[FileRefused] = []
    for path in paths:
        if path == "-" or not Path(path).is_dir():
            found.append(path)
        elif inside := _inside(Path(path)):
            found += inside
        else:
            errors.append(FileRefused(f"{path}: no specs, lists or figures here"))
    return list(dict.fromkeys(found)), errors


def _inside(folder: Path) -> list[str]:
    """The specs in a folder, the CSV files that hold actions, and the figures that stand alone, by name."""
    from tikzgen.spec.actionlist import looks_like_actions
    from tikzgen.tex.sources import specs_in

    lists = [
        file
        for file in folder.glob("*.csv")
        if file.is_file() and looks_like_actions(_head(file).decode("utf-8", "replace"))
    ]
    figures = [file for file in folder.glob("*.tex") if file.is_file() and b"{standalone}" in _head(file)]
    return [str(file) for file in sorted([*specs_in(folder)[0], *lists, *figures])]


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(4096)
