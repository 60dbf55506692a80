"""A sandbox by macOS' `sandbox-exec`: what is not allowed by a profile is denied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tikzgen.compile.walls import readable

__all__ = ["Seatbelt"]

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/System", "/Library/TeX", "/Library/Fonts", "/Library/Frameworks"),
    *("/opt/homebrew", "/opt/local", "/private/etc/fonts", "/private/var/db/dyld"),
)
"""Programs, TeX's trees, fonts: none of it a person's."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_FONTS = ("com.apple.fonts", "com.apple.FontObjectsServer")  # services that XeTeX asks for fonts


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """`path` is that of the program `sandbox-exec`."""

    name: ClassVar[str] = "sandbox-exec"
    path: str

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        places = (*_SYSTEM, *readable(argv[0]), *(str(Path(place).resolve()) for place in reads))
        named = [f"READ{number}={place}" for number, place in enumerate(places)]
        given = [part for each in (f"JOB={self.folder(work)}", *named) for part in ("-D", each)]
        return [self.path, *given, "-p", _profile(len(places)), *argv]

    def folder(self, work: Path) -> str:
        """What `work` is called inside: the profile wants the true name, and TMPDIR is a link."""
        return str(work.resolve())


def _profile(reads: int) -> str:
    """The profile for so many places to read: paths are parameters, so that none is read as a rule."""
    readable = "".join(f' (subpath (param "READ{number}"))' for number in range(reads))
    devices = "".join(f' (literal "{device}")' for device in _DEVICES)
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
