"""A sandbox for figures that strangers wrote: they see TeX and their own folder, and nothing of the reader's.

No setting of the engines closes all ways to a file (see `engine_argv`). Linux' `bwrap` (bubblewrap) does: a root of
its own with the system's programs and TeX's trees to read, the job's folder to write, no network, no other process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which

from tikzgen.errors import FileRefused
from tikzgen.tex.argv import environment

__all__ = ["JOB_FOLDER", "Cell", "cell_state", "confined", "confined_environment", "find_cell", "placed"]

JOB_FOLDER = "/job"
"""Where the job's folder stands inside."""

# Read-only where they exist: programs, TeX's trees and formats, fonts. All of it is the system's, none a person's.
_READ = ("/usr", "/opt/texlive", "/etc/alternatives", "/etc/ld.so.cache", "/etc/texmf", "/etc/fonts")
_READ_STATE = ("/var/lib/texmf", "/var/cache/fontconfig", "/gnu/store", "/nix/store")
_LINKED = ("bin", "sbin", "lib", "lib32", "lib64")


@dataclass(frozen=True, slots=True)
class Cell:
    """A `bwrap` that works on this machine: `path` of the program."""

    path: str

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        walls = _walls((*_tree(argv[0]), *reads))
        return [self.path, *walls, "--bind", str(work), JOB_FOLDER, "--chdir", JOB_FOLDER, "--", *argv]


def _tree(program: str) -> tuple[str, ...]:
    """Where TeX Live stands if it was installed by itself, perhaps in a home: `ROOT/bin/ARCH/pdflatex`."""
    place = Path(program).resolve()
    root = place.parents[2] if len(place.parents) > 2 else place
    return (str(root),) if (root / "texmf-dist").is_dir() else ()


def _walls(trees: Sequence[str] = ()) -> list[str]:
    walls = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev"]
    for place in (*_READ, *_READ_STATE, *trees):
        walls += ["--ro-bind-try", place, place]
    for folder in (Path("/", name) for name in _LINKED):
        if folder.is_symlink():
            walls += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            walls += ["--ro-bind", str(folder), str(folder)]
    # else files made beside the job's folder, or in /dev/shm, would fill the memory
    return [*walls, "--dir", JOB_FOLDER, "--remount-ro", "/", "--remount-ro", "/dev"]


def confined_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Of the reader's environment only the search path: the rest may hold secrets."""
    return environment({"PATH": base.get("PATH", os.defpath), "HOME": JOB_FOLDER})


def placed(
    argv: Sequence[str], work: Path, cell: Cell | None, reads: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment that run `argv` in the folder `work`: in the sandbox, if there is a cell.

    There it sees the system's programs, TeX's trees, and the folders `reads`.
    """
    if cell:
        return cell.argv(argv, work, reads), confined_environment(os.environ)
    return list(argv), environment(os.environ)


def find_cell() -> Cell | None:
    """The sandbox of this machine; nothing where `bwrap` is missing or may not work here (many containers)."""
    path = which("bwrap")
    return Cell(path) if path and not _trouble(path) else None


def cell_state() -> tuple[str, str]:
    """The path of `bwrap`, and why it does not work here; both may be empty."""
    path = which("bwrap") or ""
    return path, _trouble(path) if path else ""


@cache
def _trouble(path: str) -> str:
    """Why an empty program does not run inside; empty where it does. Tried once per process."""
    import subprocess

    probe = [path, *_walls(), "--", "/bin/sh", "-c", ":"]
    try:
        done = subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return told[-1] if told else f"it ends with status {done.returncode}"


def confined(name: str) -> Cell:
    """The sandbox for a foreign figure; `FileRefused` says why there is none, and the ways out."""
    if cell := find_cell():
        return cell
    path, trouble = cell_state()
    if path:
        way = f"bwrap does not work here: {trouble}; `--trust` compiles it without, if you know what it does"
    else:
        way = "install bubblewrap, or compile it with `--trust` if you know what it does"
    raise FileRefused(f"{name}: is not as tikzgen wrote it, and there is no sandbox to compile it in", hint=way)
