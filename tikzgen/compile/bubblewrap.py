"""A sandbox by Linux' `bwrap` (bubblewrap): a root of its own, no network, no other process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tikzgen.compile.walls import SYSTEM, readable

__all__ = ["Bubblewrap"]

_JOB_FOLDER = "/job"


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """`path` is that of the program `bwrap`."""

    name: ClassVar[str] = "bwrap"
    path: str

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        walls = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev"]
        for place in (*SYSTEM, *readable(argv[0]), *reads):
            walls += _wall(Path(place))
        # else files made beside the job's folder, or in /dev/shm, would fill the memory
        walls += ["--dir", _JOB_FOLDER, "--remount-ro", "/", "--remount-ro", "/dev"]
        return [self.path, *walls, "--bind", str(work), _JOB_FOLDER, "--chdir", _JOB_FOLDER, "--", *argv]

    def folder(self, work: Path) -> str:
        """What `work` is called inside."""
        return _JOB_FOLDER


def _wall(place: Path) -> list[str]:
    """A place to read; /bin and its like are links on most systems, and then stay links."""
    if place.parent == Path("/") and place.is_symlink():
        return ["--symlink", str(place.readlink()), str(place)]
    return ["--ro-bind-try", str(place), str(place)]
