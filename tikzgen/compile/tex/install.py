"""The command that installs TeX on this system."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from pathlib import Path

from tikzgen.base.record import Record


class InstallNeed(StrEnum):
    """A set of programs or packages that is installed together."""

    LATEX = "latex"
    CJK = "cjk"
    XELATEX = "xelatex"
    LUALATEX = "lualatex"
    POPPLER = "poppler"
    SANDBOX = "sandbox"


NEEDS_OF = {
    "pdflatex": (InstallNeed.LATEX, InstallNeed.CJK),
    "xelatex": (InstallNeed.LATEX, InstallNeed.XELATEX),
    "lualatex": (InstallNeed.LATEX, InstallNeed.LUALATEX),
}
"""Everything that tikzgen's figures need for each engine, including Chinese."""


class System(Record):
    """A system: `platform` as in `sys.platform`, `ids` from os-release, most exact first."""

    platform: str
    ids: tuple[str, ...] = ()
    root: bool = False
    """Whether commands run as root and need no `sudo`."""


class _Family(Record):
    """A package manager: its commands, and the packages for each need."""

    commands: tuple[str, ...]
    packages: dict[InstallNeed, str]


# Debian's sets were measured on fresh systems; other distributions name packages after TeX Live's own.
_DEBIAN = _Family(
    ("apt-get update", "apt-get install --no-install-recommends"),
    {
        InstallNeed.LATEX: "texlive-latex-extra texlive-pictures",
        InstallNeed.CJK: "latex-cjk-chinese latex-cjk-chinese-arphic-gbsn00lp",
        InstallNeed.XELATEX: "texlive-xetex texlive-lang-chinese lmodern",
        InstallNeed.LUALATEX: "texlive-luatex texlive-lang-chinese texlive-lang-japanese lmodern",
        InstallNeed.POPPLER: "poppler-utils",
        InstallNeed.SANDBOX: "bubblewrap",
    },
)
_RPM = {
    InstallNeed.LATEX: "texlive-collection-latex texlive-standalone texlive-pgf",
    InstallNeed.CJK: "texlive-cjk texlive-arphic",
    InstallNeed.XELATEX: "texlive-collection-xetex texlive-xecjk texlive-fandol",
    InstallNeed.LUALATEX: "texlive-collection-luatex texlive-luatexja texlive-fandol",
}
_FEDORA = _Family(("dnf install",), {**_RPM, InstallNeed.POPPLER: "poppler-utils", InstallNeed.SANDBOX: "bubblewrap"})
_SUSE = _Family(("zypper install",), {**_RPM, InstallNeed.POPPLER: "poppler-tools", InstallNeed.SANDBOX: "bubblewrap"})
_ARCH = _Family(
    ("pacman -S --needed",),
    {
        InstallNeed.LATEX: "texlive-latexextra texlive-pictures",
        InstallNeed.CJK: "texlive-langcjk texlive-langchinese",
        InstallNeed.XELATEX: "texlive-xetex texlive-langchinese",
        InstallNeed.LUALATEX: "texlive-luatex texlive-langchinese texlive-langjapanese",
        InstallNeed.POPPLER: "poppler",
        InstallNeed.SANDBOX: "bubblewrap",
    },
)
_TLMGR = {
    InstallNeed.LATEX: "standalone pgf xkeyval luatex85",
    InstallNeed.CJK: "cjk arphic",
    InstallNeed.XELATEX: "xetex xecjk ctex fandol",
    InstallNeed.LUALATEX: "fontspec luaotfload luatexja fandol",
}
_FAMILIES = {
    "debian": _DEBIAN,
    "ubuntu": _DEBIAN,
    "fedora": _FEDORA,
    "rhel": _FEDORA,
    "suse": _SUSE,
    "opensuse": _SUSE,
    "arch": _ARCH,
}
_MANUAL = "TeX Live from https://tug.org/texlive, then: tlmgr install"


def install_line(needs: Iterable[InstallNeed], system: System) -> str:
    """Return the command that installs `needs` on `system`, or advice if no command is known."""
    wanted = sorted(set(needs), key=list(InstallNeed).index)
    family = _find_family(system) if system.platform == "linux" else None
    if family is None and InstallNeed.SANDBOX in wanted:
        wanted.remove(InstallNeed.SANDBOX)
        if not wanted:
            return "bubblewrap is for Linux: take its package there, or compile in a container"
    if system.platform == "darwin":
        return _spell_mac_commands(wanted)
    if system.platform == "win32":
        return _spell_windows_commands(wanted)
    if family is None:
        return f"{_MANUAL} {_join_packages(_TLMGR.get(need, '') for need in wanted)}".strip()
    *before, install = family.commands
    return _join_with_sudo([*before, f"{install} {_join_packages(family.packages[need] for need in wanted)}"], system)


def package_line(debian: str, texlive: str, system: System) -> str:
    """Return the command that adds one package to an installed TeX."""
    family = _find_family(system) if system.platform == "linux" else None
    if family is _DEBIAN:
        return _join_with_sudo([f"apt-get install {debian}"], system)
    if family in (_FEDORA, _SUSE):
        return _join_with_sudo([f"{family.commands[-1]} texlive-{texlive}"], system)
    if system.platform == "win32":
        return f"miktex packages install {texlive}"
    return f"tlmgr install {texlive}"


@cache
def this_system() -> System:
    """Return the system of this process, cached."""
    try:
        release = Path("/etc/os-release").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        release = ""
    return System(sys.platform, os_ids(release), root=hasattr(os, "geteuid") and os.geteuid() == 0)


def os_ids(release: str) -> tuple[str, ...]:
    """Return ID and then ID_LIKE of an os-release file: `("linuxmint", "ubuntu", "debian")`."""
    fields = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    names = [fields.get(key, "").strip().strip("\"'") for key in ("ID", "ID_LIKE")]
    return tuple(" ".join(names).lower().split())


def _find_family(system: System) -> _Family | None:
    # openSUSE's ids are opensuse-tumbleweed, opensuse-leap ...
    names = [name.partition("-")[0] for name in system.ids]
    return next((_FAMILIES[name] for name in names if name in _FAMILIES), None)


def _join_with_sudo(commands: list[str], system: System) -> str:
    return " && ".join(commands if system.root else [f"sudo {command}" for command in commands])


def _join_packages(packages: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(" ".join(packages).split()))


def _spell_mac_commands(wanted: list[InstallNeed]) -> str:
    steps = []
    texlive = _join_packages(_TLMGR.get(need, "") for need in wanted)
    if InstallNeed.LATEX in wanted:
        # a fresh BasicTeX is not on the PATH of the shell that installs it
        steps.append('brew install --cask basictex && eval "$(/usr/libexec/path_helper)"')
    if texlive:
        steps.append(f"sudo tlmgr update --self && sudo tlmgr install {texlive}")
    if InstallNeed.POPPLER in wanted:
        steps.append("brew install poppler")
    return " && ".join(steps)


def _spell_windows_commands(wanted: list[InstallNeed]) -> str:
    # MiKTeX has all engines, and downloads packages at first use
    steps = []
    if wanted != [InstallNeed.POPPLER]:
        steps.append("winget install MiKTeX.MiKTeX && initexmf --set-config-value [MPM]AutoInstall=1")
    if InstallNeed.POPPLER in wanted:
        steps.append("winget install oschwartz10612.Poppler")
    return " && ".join(steps)
