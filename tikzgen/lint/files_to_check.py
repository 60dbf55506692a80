"""Which files `tikzgen check` looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tikzgen.base.errors import FileRefused, refusal
from tikzgen.base.files import open_file
from tikzgen.specfile.actionlist import looks_like_actions
from tikzgen.specfile.source import specs_in

__all__ = ["files_of"]


def files_of(paths: Iterable[str]) -> tuple[list[str], list[FileRefused]]:
    """The files to look at, folders standing for the specs, lists and figures in them; each once, in order.

    With them, an error for each folder that holds none or cannot be read.
    """
    found: list[str] = []
    errors: list[FileRefused] = []
    for path in paths:
        if path == "-" or not Path(path).is_dir():
            found.append(path)
            continue
        try:
            found += _inside(Path(path))
        except FileRefused as refused:
            errors.append(refused)
    return list(dict.fromkeys(found)), errors


def _inside(folder: Path) -> list[str]:
    """The specs in a folder, the CSV files that hold actions, and the figures that stand alone, by name."""
    try:
        lists = [file for file in folder.glob("*.csv") if _begins(file, looks_like_actions)]
        figures = [file for file in folder.glob("*.tex") if _begins(file, lambda head: "{standalone}" in head)]
        found = sorted([*specs_in(folder)[0], *lists, *figures])
    except OSError as error:
        raise FileRefused(f"{folder}: {refusal(error)}") from None
    if not found:
        raise FileRefused(f"{folder}: no specs, lists or figures here")
    return [str(file) for file in found]


def _begins(file: Path, so: Callable[[str], bool]) -> bool:
    """Whether a file's beginning is so; one that cannot be read counts, for looking at it says what is wrong."""
    if not file.is_file():
        return False
    try:
        with open_file(file) as opened:
            return so(opened.read(4096).decode("utf-8", "replace"))
    except OSError:
        return True
