"""A sandbox for what strangers wrote: it sees TeX and its own folder, and nothing of the reader's.

No setting of the engines closes all ways to a file (see `engine_argv`). The system does: `bwrap` where it is installed
and works, else Landlock, on Linux; `sandbox-exec` on macOS. Each makes a `ProcessSandbox`: the programs of the system,
the trees of TeX, its own folder, and no more.

`Bubblewrap` has a root of its own, no network and no other process. `Landlock`, which Linux has from 6.7 on where it is
not turned off, needs nothing installed; inside, the names of other files are seen, and neither what is in them nor what
is in folders. What the profile of `Seatbelt` (macOS) does not allow is denied.
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
from typing import ClassVar, Protocol

from tikzgen.base.record import Record
from tikzgen.compile.sandbox import landlocked
from tikzgen.compile.tex.argv import environment

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt/texlive", "/gnu/store", "/nix/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/texmf", "/etc/fonts", "/etc/paperspecs"),
    *("/var/lib/texmf", "/var/cache/fontconfig"),
)
"""Programs, TeX's trees and formats, fonts: all of it Linux's own, none a person's."""

_MACS = (
    *("/usr", "/bin", "/sbin", "/System", "/Library/TeX", "/Library/Fonts", "/Library/Frameworks"),
    *("/opt/homebrew", "/opt/local", "/private/etc/fonts", "/private/var/db/dyld"),
)
_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin")
_JOB_FOLDER = "/job"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_MAC_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_FONTS = ("com.apple.fonts", "com.apple.FontObjectsServer")  # services that XeTeX asks for fonts


class Bubblewrap(Record):
    """`path` is that of the program `bwrap`."""

    name: ClassVar[str] = "bwrap"
    path: str

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        walls = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev"]
        for place in (*SYSTEM, *_readable(argv[0]), *reads):
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


class Landlock(Record):
    """The launcher `tikzgen.compile.sandbox.landlocked` is run by `python`, this one if none is named."""

    name: ClassVar[str] = "Landlock"
    python: str = os.path.realpath(sys.executable)

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        rules = ["--write", str(work)]
        for kind, places in (("--read", (*SYSTEM, *_readable(argv[0]), *reads)), ("--device", _DEVICES)):
            for place in places:
                rules += [kind, place]
        return [self.python, "-I", "-S", "-B", landlocked.__file__, *rules, "--", *argv]

    def folder(self, work: Path) -> str:
        """What `work` is called inside."""
        return str(work)


class Seatbelt(Record):
    """`path` is that of the program `sandbox-exec`."""

    name: ClassVar[str] = "sandbox-exec"
    path: str

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        places = (*_MACS, *_readable(argv[0]), *(str(Path(place).resolve()) for place in reads))
        named = [f"READ{number}={place}" for number, place in enumerate(places)]
        given = [part for each in (f"JOB={self.folder(work)}", *named) for part in ("-D", each)]
        return [self.path, *given, "-p", _profile(len(places)), *argv]

    def folder(self, work: Path) -> str:
        """What `work` is called inside: the profile wants the true name, and TMPDIR is a link."""
        return str(work.resolve())


def _profile(reads: int) -> str:
    """The profile for so many places to read: paths are parameters, so that none is read as a rule."""
    readable = "".join(f' (subpath (param "READ{number}"))' for number in range(reads))
    devices = "".join(f' (literal "{device}")' for device in _MAC_DEVICES)
    fonts = "".join(f' (global-name "{service}")' for service in _FONTS)
    return "\n".join(
        [
            "(version 1)",
            "(deny default)",
            "(allow process-fork sysctl-read)",
            "(allow signal (target self))",
            "(allow file-read-metadata)",
            f'(allow process-exec{readable} (subpath (param "JOB")))',
            f'(allow file-read* (literal "/"){readable} (subpath (param "JOB")){devices})',
            f'(allow file-write* (subpath (param "JOB")){devices})',
            f"(allow mach-lookup{fonts})",
        ]
    )


def _readable(program: str) -> tuple[str, ...]:
    """Where TeX Live stands if it was installed by itself, perhaps in a home: `ROOT/bin/ARCH/pdflatex`."""
    place = Path(program).resolve()
    root = place.parents[2] if len(place.parents) > 2 else place
    return (str(root),) if (root / "texmf-dist").is_dir() else ()


def inner_environment(program: str, folder: str) -> dict[str, str]:
    """The environment of `program`, whose own folder is `folder`. The reader's is left outside: it may hold secrets."""
    places = dict.fromkeys((str(Path(program).resolve().parent), *_PROGRAMS))  # TeX starts other programs of its tree
    return environment({"PATH": os.pathsep.join(places), "HOME": folder, "TMPDIR": folder})


class ProcessSandbox(Hashable, Protocol):
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
    cell: ProcessSandbox | None
    trouble: str

    @property
    def works(self) -> bool:
        """Whether it does."""
        return self.cell is not None and not self.trouble


def sandbox_argv(
    argv: Sequence[str], work: Path, cell: ProcessSandbox | None, reads: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment to run `argv` in `work`, inside the sandbox if there is one.

    The sandbox shows the system's programs, TeX's trees, and the folders `reads`. Temporary files are removed with the
    folder.
    """
    if cell:
        return cell.argv(argv, work, reads), inner_environment(argv[0], cell.folder(work))
    return list(argv), environment({**os.environ, "TMPDIR": str(work)})


def find_cell() -> ProcessSandbox | None:
    """The sandbox of this machine; nothing where none works here (some containers)."""
    return next((tried.cell for tried in sandboxes() if tried.works), None)


def why_no_cell() -> str:
    """What is wrong with the sandbox that is installed; empty where none is, and one could be."""
    tried = next(sandboxes(), None)
    return f"{tried.name} does not work here: {tried.trouble}" if tried and tried.trouble else ""


def sandboxes(platform: str = sys.platform) -> Iterator[Tried]:
    """The sandboxes that a system of this kind may have, the best first, each tried once per process."""
    cells: dict[str, ProcessSandbox | None] = {}
    if platform == "linux":
        path = which("bwrap")
        cells = {Bubblewrap.name: Bubblewrap(path) if path else None, Landlock.name: Landlock()}
    elif platform == "darwin":
        path = which("sandbox-exec")
        cells = {Seatbelt.name: Seatbelt(path) if path else None}
    return (Tried(name, cell, _trouble(cell) if cell else "") for name, cell in cells.items())


@cache
def _trouble(cell: ProcessSandbox) -> str:
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
