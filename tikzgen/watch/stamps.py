"""Has a file changed? By what the system tells of it, without reading it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Stamp", "depends_on", "stamp", "stamps"]


class Stamp(NamedTuple):
    """What changes when a file does: written in place, replaced by another, or touched. Times are in nanoseconds."""

    modified: int
    changed: int
    size: int
    inode: int


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file; None where there is none, or where it cannot be told."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino)


def stamps(paths: Iterable[Path]) -> tuple[Stamp | None, ...]:
    """The stamps of several files, in their order."""
    return tuple(stamp(path) for path in paths)


def depends_on(path: Path) -> tuple[Path, ...]:
    """The files that the view of a figure is made from, itself first.

    A spec reads no other file. Of a .tex, the metadata and the contract beside it say what its parameters are.
    """
    if path.suffix.lower() != ".tex":
        return (path,)
    return (path, path.with_suffix(".meta.json"), path.with_suffix(".contract.json"))
