"""The one line that installs TeX, system by system."""

from __future__ import annotations

import pytest
from conftest import at_once

from tikzgen.compile.tex.install import NEEDS_OF, InstallNeed, System, install_line, os_ids

APT = "sudo apt-get update && sudo apt-get install --no-install-recommends "
LINES = [
    (
        System("linux", ("debian",)),
        APT + "texlive-latex-extra texlive-pictures latex-cjk-chinese latex-cjk-chinese-arphic-gbsn00lp",
    ),
    (
        System("linux", ("linuxmint", "ubuntu", "debian")),
        APT + "texlive-latex-extra texlive-pictures latex-cjk-chinese latex-cjk-chinese-arphic-gbsn00lp",
    ),
    (
        System("linux", ("fedora",)),
        "sudo dnf install texlive-collection-latex texlive-standalone texlive-pgf texlive-cjk texlive-arphic",
    ),
    (
        System("linux", ("rocky", "rhel", "centos", "fedora"), root=True),
        "dnf install texlive-collection-latex texlive-standalone texlive-pgf texlive-cjk texlive-arphic",
    ),
    (
        System("linux", ("opensuse-tumbleweed", "opensuse", "suse")),
        "sudo zypper install texlive-collection-latex texlive-standalone texlive-pgf texlive-cjk texlive-arphic",
    ),
    (
        System("linux", ("arch",)),
        "sudo pacman -S --needed texlive-latexextra texlive-pictures texlive-langcjk texlive-langchinese",
    ),
    (
        System("linux", ("nixos",)),
        "TeX Live from https://tug.org/texlive, then: tlmgr install standalone pgf xkeyval luatex85 cjk arphic",
    ),
    (System("win32"), "winget install MiKTeX.MiKTeX && initexmf --set-config-value [MPM]AutoInstall=1"),
]


@pytest.mark.parametrize(("system", "line"), LINES, ids=[" ".join((s.platform, *s.ids)) for s, _ in LINES])
def test_pdflatex_and_chinese(system: System, line: str) -> None:
    assert install_line(NEEDS_OF["pdflatex"], system) == line


def test_macos() -> None:
    line = install_line(NEEDS_OF["pdflatex"], System("darwin"))
    assert line.startswith("brew install --cask basictex && ")
    assert line.endswith(" && sudo tlmgr install standalone pgf xkeyval luatex85 cjk arphic")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_a_converter_alone_brings_no_tex(platform: str) -> None:
    line = install_line([InstallNeed.POPPLER], System(platform))
    assert "poppler" in line.lower()
    assert "tex" not in line.lower()


@at_once
@pytest.mark.parametrize("system", [system for system, _ in LINES] + [System("darwin")])
@pytest.mark.parametrize("need", InstallNeed)
def test_every_need_has_a_line_everywhere(need: InstallNeed, system: System) -> None:
    assert install_line([need], system)


def test_the_order_of_needs_does_not_matter_and_no_package_stands_twice() -> None:
    system = System("linux", ("debian",))
    line = install_line([InstallNeed.LUALATEX, InstallNeed.XELATEX, InstallNeed.LATEX], system)
    assert line == install_line(
        [InstallNeed.LATEX, InstallNeed.XELATEX, InstallNeed.LUALATEX, InstallNeed.LATEX], system
    )
    packages = line.rpartition("recommends ")[2].split()
    assert len(packages) == len(set(packages))


@pytest.mark.parametrize(
    ("release", "ids"),
    [
        ('NAME="Debian GNU/Linux"\nID=debian\n', ("debian",)),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', ("linuxmint", "ubuntu", "debian")),
        ("ID_LIKE='suse opensuse'\nID=\"opensuse-leap\"\n", ("opensuse-leap", "suse", "opensuse")),
        ("# nothing\n\nodd line\n", ()),
        ("", ()),
    ],
)
def test_os_release(release: str, ids: tuple[str, ...]) -> None:
    assert os_ids(release) == ids
