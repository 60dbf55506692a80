"""A sandbox for what strangers wrote: it sees TeX and its own folder, and nothing of the reader's.

No setting of the engines closes all ways to a file (see `engine_argv`). The system does: `bwrap` where it is installed
and works, else Landlock, on Linux; `sandbox-exec` on macOS. Each makes the same thing, a `Cell`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from pathlib import Path
from shutil import which
from typing import Protocol

from tikzgen.base.record import Record
from tikzgen.compile.argv import environment
from tikzgen.compile.sandboxes import Bubblewrap, Landlock, Seatbelt, inner_environment


class Cell(Hashable, Protocol):
    """A sandbox that works on this machine."""

    @property
    def name(self) -> str:
        """What the program or the kernel's part is called."""

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""

    def folder(self, work: Path) -> str:
        """What `work` is called inside."""


class Tried(Record):
    """A sandbox that this system knows: `trouble` says why it does not work here, empty where it does.

    `cell` is missing where its program is.
    """

    name: str
    cell: Cell | None
    trouble: str = ""

    @property
    def works(self) -> bool:
        """Whether it does."""
        return self.cell is not None and not self.trouble


def placed(
    argv: Sequence[str], work: Path, cell: Cell | None, reads: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment that run `argv` in the folder `work`: in the sandbox, if there is a cell.

    There it sees the system's programs, TeX's trees, and the folders `reads`. What it leaves among temporary files
    goes with the folder.
    """
    if cell:
        return cell.argv(argv, work, reads), inner_environment(argv[0], cell.folder(work))
    return list(argv), environment({**os.environ, "TMPDIR": str(work)})


def find_cell() -> Cell | None:
    """The sandbox of this machine; nothing where none works here (some containers)."""
    return next((tried.cell for tried in sandboxes() if tried.works), None)


def why_no_cell() -> str:
    """What is wrong with the sandbox that is installed; empty where none is, and one could be."""
    tried = next(sandboxes(), None)
    return f"{tried.name} does not work here: {tried.trouble}" if tried and tried.trouble else ""


def sandboxes(platform: str = sys.platform) -> Iterator[Tried]:
    """The sandboxes that a system of this kind may have, the best first, each tried once per process."""
    cells: dict[str, Cell | None] = {}
    if platform == "linux":
        path = which("bwrap")
        cells = {Bubblewrap.name: Bubblewrap(path) if path else None, Landlock.name: Landlock()}
    elif platform == "darwin":
        path = which("sandbox-exec")
        cells = {Seatbelt.name: Seatbelt(path) if path else None}
    return (Tried(name, cell, _trouble(cell) if cell else "") for name, cell in cells.items())


@cache
def _trouble(cell: Cell) -> str:
    """Why an empty program does not run inside; empty where it does."""
    with tempfile.TemporaryDirectory() as folder:
        probe = cell.argv(["/bin/sh", "-c", ":"], Path(folder))
        try:
            done = subprocess.run(probe, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if done.returncode == 0:
        return ""
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return told[-1] if told else f"it ends with status {done.returncode}"
