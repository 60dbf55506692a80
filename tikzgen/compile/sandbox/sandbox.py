"""Sandboxes for untrusted TeX: a program sees the system, TeX and its own folder, but no user files.

No setting of the engines prevents all access to files (see `engine_argv`). The operating system does: on Linux by
`bwrap` if it is installed and works, else by Landlock; on macOS by `sandbox-exec`. Each is a `ProcessSandbox` with the
programs of the system, the trees of TeX, and the job's folder.

`Bubblewrap` has its own root, no network, and no other processes. `Landlock` is part of Linux from 6.7 on, unless it
is disabled. In it, a program can see names of other files, but neither their contents nor lists of folders. `Seatbelt`
(macOS) denies everything that its profile does not allow.
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
from tikzgen.compile.tex.argv import make_engine_environment

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt/texlive", "/gnu/store", "/nix/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/texmf", "/etc/fonts", "/etc/paperspecs"),
    *("/var/lib/texmf", "/var/cache/fontconfig"),
)
"""Readable folders of the system: programs, TeX trees and formats, fonts. No user owns any of them."""

_MACS = (
    *("/usr", "/bin", "/sbin", "/System", "/Library/TeX", "/Library/Fonts", "/Library/Frameworks"),
    *("/opt/homebrew", "/opt/local", "/private/etc/fonts", "/private/var/db/dyld"),
)
_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin")
_JOB_FOLDER = "/job"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_MAC_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_FONTS = ("com.apple.fonts", "com.apple.FontObjectsServer")  # services that provide fonts to XeTeX


class Bubblewrap(Record):
    """Sandbox by the program `bwrap` at `path`."""

    name: ClassVar[str] = "bwrap"
    path: str

    def wrap_argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """Return `argv` inside the sandbox, with `work` as its folder and further readable folders."""
        walls = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev"]
        for place in (*SYSTEM, *_find_texlive_root(argv[0]), *reads):
            walls += _make_bind_options(Path(place))
        # otherwise, files next to the job's folder or in /dev/shm could fill the memory
        walls += ["--dir", _JOB_FOLDER, "--remount-ro", "/", "--remount-ro", "/dev"]
        return [self.path, *walls, "--bind", str(work), _JOB_FOLDER, "--chdir", _JOB_FOLDER, "--", *argv]

    def locate_folder(self, work: Path) -> str:
        """Return the path of `work` inside the sandbox."""
        return _JOB_FOLDER


def _make_bind_options(place: Path) -> list[str]:
    """Return the options for a readable path; /bin and similar links stay links."""
    if place.parent == Path("/") and place.is_symlink():
        return ["--symlink", str(place.readlink()), str(place)]
    return ["--ro-bind-try", str(place), str(place)]


class Landlock(Record):
    """Sandbox by the launcher `tikzgen.compile.sandbox.landlocked`, run by `python`, by default this one."""

    name: ClassVar[str] = "Landlock"
    python: str = os.path.realpath(sys.executable)

    def wrap_argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """Return `argv` inside the sandbox, with `work` as its folder and further readable folders."""
        rules = ["--write", str(work)]
        for kind, places in (("--read", (*SYSTEM, *_find_texlive_root(argv[0]), *reads)), ("--device", _DEVICES)):
            for place in places:
                rules += [kind, place]
        return [self.python, "-I", "-S", "-B", landlocked.__file__, *rules, "--", *argv]

    def locate_folder(self, work: Path) -> str:
        """Return the path of `work` inside the sandbox."""
        return str(work)


class Seatbelt(Record):
    """Sandbox by the program `sandbox-exec` at `path`."""

    name: ClassVar[str] = "sandbox-exec"
    path: str

    def wrap_argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """Return `argv` inside the sandbox, with `work` as its folder and further readable folders."""
        places = (*_MACS, *_find_texlive_root(argv[0]), *(str(Path(place).resolve()) for place in reads))
        named = [f"READ{number}={place}" for number, place in enumerate(places)]
        given = [part for each in (f"JOB={self.locate_folder(work)}", *named) for part in ("-D", each)]
        return [self.path, *given, "-p", _write_profile(len(places)), *argv]

    def locate_folder(self, work: Path) -> str:
        """Return the path of `work` inside: the profile needs the resolved path, and TMPDIR is a link."""
        return str(work.resolve())


def _write_profile(reads: int) -> str:
    """Return the profile for a number of readable paths, which are parameters and thus never rules."""
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


def _find_texlive_root(program: str) -> tuple[str, ...]:
    """Return the tree of a TeX Live outside of the system's folders, as in `ROOT/bin/ARCH/pdflatex`."""
    place = Path(program).resolve()
    root = place.parents[2] if len(place.parents) > 2 else place
    return (str(root),) if (root / "texmf-dist").is_dir() else ()


def inner_environment(program: str, folder: str) -> dict[str, str]:
    """Return the environment of `program` in `folder`; the user's environment may have secrets."""
    places = dict.fromkeys((str(Path(program).resolve().parent), *_PROGRAMS))  # TeX starts other programs of its tree
    return make_engine_environment({"PATH": os.pathsep.join(places), "HOME": folder, "TMPDIR": folder})


class ProcessSandbox(Hashable, Protocol):
    """A sandbox that works on this machine."""

    @property
    def name(self) -> str:
        """Name of the program or of the kernel's feature."""

    def wrap_argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """Return `argv` inside the sandbox, with `work` as its folder and further readable folders."""

    def locate_folder(self, work: Path) -> str:
        """Return the path of `work` inside the sandbox."""


class Tried(Record):
    """A sandbox of this system: `trouble` is the reason why it does not work here, or empty.

    `cell` equals None if its program is missing.
    """

    name: str
    cell: ProcessSandbox | None
    trouble: str

    @property
    def works(self) -> bool:
        """Whether the sandbox works here."""
        return self.cell is not None and not self.trouble


def sandbox_argv(
    argv: Sequence[str], work: Path, cell: ProcessSandbox | None, reads: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the environment to run `argv` in `work`, inside the sandbox if there is one.

    The sandbox shows the system's programs, TeX's trees, and the folders `reads`. Temporary files are removed with the
    folder.
    """
    if cell:
        return cell.wrap_argv(argv, work, reads), inner_environment(argv[0], cell.locate_folder(work))
    return list(argv), make_engine_environment({**os.environ, "TMPDIR": str(work)})


def find_cell() -> ProcessSandbox | None:
    """Return the sandbox of this machine, or None if no sandbox works, as in some containers."""
    return next((tried.cell for tried in try_sandboxes() if tried.works), None)


def why_no_cell() -> str:
    """Return the defect of the preferred sandbox of this system, or an empty string."""
    tried = next(try_sandboxes(), None)
    return f"{tried.name} does not work here: {tried.trouble}" if tried and tried.trouble else ""


def try_sandboxes(platform: str = sys.platform) -> Iterator[Tried]:
    """Yield the sandboxes for this type of system, the best first, each tried once per process."""
    cells: dict[str, ProcessSandbox | None] = {}
    if platform == "linux":
        path = which("bwrap")
        cells = {Bubblewrap.name: Bubblewrap(path) if path else None, Landlock.name: Landlock()}
    elif platform == "darwin":
        path = which("sandbox-exec")
        cells = {Seatbelt.name: Seatbelt(path) if path else None}
    return (Tried(name, cell, _find_trouble(cell) if cell else "") for name, cell in cells.items())


@cache
def _find_trouble(cell: ProcessSandbox) -> str:
    """Return why an empty program does not run in the sandbox; empty if it runs."""
    with tempfile.TemporaryDirectory() as folder:
        probe = cell.wrap_argv(["/bin/sh", "-c", ":"], Path(folder))
        try:
            done = subprocess.run(probe, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if done.returncode == 0:
        return ""
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return told[-1] if told else f"it ends with status {done.returncode}"
