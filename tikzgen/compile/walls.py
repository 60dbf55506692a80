"""What a program sees in any sandbox: the system's programs and TeX's trees, its own folder, and no more."""

from __future__ import annotations

import os
from pathlib import Path

from tikzgen.compile.argv import environment

__all__ = ["SYSTEM", "inner_environment", "readable"]

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt/texlive", "/gnu/store", "/nix/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/texmf", "/etc/fonts", "/var/lib/texmf", "/var/cache/fontconfig"),
)
"""Programs, TeX's trees and formats, fonts: all of it Linux's own, none a person's."""

_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin")


def readable(program: str) -> tuple[str, ...]:
    """Where TeX Live stands if it was installed by itself, perhaps in a home: `ROOT/bin/ARCH/pdflatex`."""
    place = Path(program).resolve()
    root = place.parents[2] if len(place.parents) > 2 else place
    return (str(root),) if (root / "texmf-dist").is_dir() else ()


def inner_environment(program: str, folder: str) -> dict[str, str]:
    """The environment of `program`, whose own folder is `folder`. The reader's is left outside: it may hold secrets."""
    places = dict.fromkeys((str(Path(program).resolve().parent), *_PROGRAMS))  # TeX starts other programs of its tree
    return environment({"PATH": os.pathsep.join(places), "HOME": folder, "TMPDIR": folder})
