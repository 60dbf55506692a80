"""Installed tools for figures, their purposes, and the command that installs missing ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import which
from typing import Any

from tikzgen.base.record import Record, replace
from tikzgen.compile.draw.output.cjk_outlines import first_font, how_to_add_fonts
from tikzgen.compile.sandbox.sandbox import try_sandboxes
from tikzgen.compile.tex.engines import Engine, first_line, usual_engine
from tikzgen.compile.tex.install import NEEDS_OF, InstallNeed, System, install_line, this_system

_FILES_GROUP = "TeX files"


class ToolFinding(Record):
    """A tool: `found` is its version or path, empty if it is missing.

    `critical` states that no figure builds without it. `alternative` states that one of the tools with this purpose is
    enough.
    """

    group: str
    name: str
    purpose: str
    found: str
    need: InstallNeed | None = None
    critical: bool = False
    alternative: bool = False


class ToolReport(Record):
    """All findings; `install` is the command that installs missing tools, or empty.

    `least` is the command after which figures compile with the default engine, empty if they do now.
    """

    findings: tuple[ToolFinding, ...]
    install: str
    least: str = ""

    @property
    def usable(self) -> bool:
        """Whether figures can be compiled here, with the default engine."""
        return all(finding.found for finding in self.findings if finding.critical)

    def convert_to_data(self) -> dict[str, Any]:
        """Return the report as plain data, for JSON."""
        groups: dict[str, list[dict[str, Any]]] = {}
        for finding in self.findings:
            entry = {
                "name": finding.name,
                "found": finding.found or None,
                "purpose": finding.purpose,
                "critical": finding.critical,
            }
            groups.setdefault(finding.group, []).append(entry)
        lines = {"install": self.install or None, "install_least": self.least or None}
        return {"usable": self.usable, **lines, **groups}

    def __str__(self) -> str:
        lines, group = [], ""
        wide = max(len(finding.name) for finding in self.findings)
        for finding in self.findings:
            if finding.group != group:
                group = finding.group
                lines += ["", group]
            mark = "ok" if finding.found else "MISSING" if finding.critical else "missing"
            version = f" ({finding.found})" if finding.found and finding.group != _FILES_GROUP else ""
            lines.append(f"  {mark:<7}  {finding.name:<{wide}}  {finding.purpose}{version}")
        lines.append("")
        if self.least and self.least != self.install:
            lines.append(f"install the least: {self.least}")
        if self.install:
            lines.append(f"install what is missing: {self.install}")
        ready = "figures can be compiled here"
        lines.append(ready if self.usable else "no PDF can be compiled here yet; everything else works, pictures too")
        return "\n".join(lines).lstrip("\n")


_ENGINES = {
    Engine.PDFLATEX: ("compiles figures; the default, the fastest, and what arXiv runs", InstallNeed.LATEX),
    Engine.XELATEX: ("compiles figures with --engine xelatex", InstallNeed.XELATEX),
    Engine.LUALATEX: ("compiles figures with --engine lualatex", InstallNeed.LUALATEX),
    Engine.TECTONIC: ("compiles figures with --engine tectonic, and without it where it is the only engine", None),
}
# Files to look up with kpsewhich; the last column states whether every figure needs the file.
_FILES = [
    ("standalone.cls", "the class of every figure", InstallNeed.LATEX, True),
    ("tikz.sty", "draws every figure", InstallNeed.LATEX, True),
    ("CJKutf8.sty", "Chinese with pdflatex", InstallNeed.CJK, False),
    ("gbsnu4e.tfm", "the Chinese font of pdflatex", InstallNeed.CJK, False),
    ("xeCJK.sty", "Chinese with xelatex", InstallNeed.XELATEX, False),
    ("fontspec.sty", "fonts of xelatex and lualatex", InstallNeed.XELATEX, False),
    ("luaotfload-main.lua", "fonts of lualatex", InstallNeed.LUALATEX, False),
    ("luatexja-fontspec.sty", "Chinese with lualatex", InstallNeed.LUALATEX, False),
    ("FandolHei-Regular.otf", "the Chinese font of xelatex and lualatex", InstallNeed.XELATEX, False),
]
_PYTHON = ("pydantic", "jinja2", "click", "ruamel.yaml", "watchfiles")


def examine_machine(system: System | None = None) -> ToolReport:
    """Examine this machine: the PATH, TeX's trees, and Python's packages. Compile and change nothing."""
    usual = usual_engine()  # Tectonic downloads the packages of figures
    engines = [
        ToolFinding("engines", engine, purpose, _describe_program(engine, "--version"), need, engine is usual)
        for engine, (purpose, need) in _ENGINES.items()
    ]
    trees = _in_trees([name for name, *_ in _FILES])
    files = [
        ToolFinding(_FILES_GROUP, name, purpose, trees.get(name, ""), need, critical and usual is Engine.PDFLATEX)
        for name, purpose, need, critical in _FILES
    ]
    png = "PDF to PNG; one is enough"
    svg = "SVG of raw TeX and of .tex files of others; all other SVG takes nothing"
    converters = [
        ToolFinding("converters", "pypdfium2", png, _find_package_version("pypdfium2"), alternative=True),
        ToolFinding(
            "converters", "pdftoppm", png, _describe_program("pdftoppm", "-v"), InstallNeed.POPPLER, alternative=True
        ),
        ToolFinding("converters", "pdftocairo", svg, _describe_program("pdftocairo", "-v"), InstallNeed.POPPLER),
    ]
    chinese = "Chinese labels in pictures without TeX"
    fonts = [ToolFinding("fonts", kind, f"{chinese}, {kind}", first_font(kind)) for kind in ("sans", "serif")]
    if not all(font.found for font in fonts):
        fonts = [replace(font, purpose=f"{font.purpose}: {how_to_add_fonts()}") for font in fonts]
    python = [
        ToolFinding("Python", "python", "runs tikzgen", sys.version.split()[0], critical=True),
        *(
            ToolFinding("Python", name, "tikzgen needs it", _find_package_version(name), critical=True)
            for name in _PYTHON
        ),
    ]
    findings = (*engines, *files, *converters, *fonts, *_find_sandboxes(), *python)
    system = system or this_system()
    lacking = any(finding.critical and finding.need and not finding.found for finding in findings)
    least = install_line(NEEDS_OF[Engine.PDFLATEX], system) if lacking else ""
    return ToolReport(findings, _install(findings, system), least)


def _install(findings: tuple[ToolFinding, ...], system: System) -> str:
    served = {finding.purpose for finding in findings if finding.alternative and finding.found}
    needs = {
        finding.need for finding in findings if finding.need and not finding.found and finding.purpose not in served
    }
    if system.platform != "linux" or which("bwrap"):
        needs.discard(InstallNeed.SANDBOX)  # part of Linux, and no package fixes a defective one
    return install_line(needs, system) if needs else ""


def _find_sandboxes() -> list[ToolFinding]:
    """Return the sandboxes of this system; the first working one is used."""
    purpose = "compiles raw TeX, and .tex files that tikzgen did not write; without it, only --trust does"
    found: list[ToolFinding] = []
    for tried in try_sandboxes():
        trouble = f" ({tried.name} does not work here: {tried.trouble})" if tried.trouble else ""
        version = (_describe_program(tried.name, "--version") or "in the system") if tried.works else ""
        found.append(
            ToolFinding("sandbox", tried.name, purpose + trouble, version, InstallNeed.SANDBOX if not found else None)
        )
        purpose = "the same where that is missing: Linux from 6.7 on has it"
    return found


def _describe_program(name: str, flag: str) -> str:
    path = which(name)
    return (first_line(path, flag) or path) if path else ""


def _find_package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _in_trees(names: list[str]) -> Mapping[str, str]:
    """Return the path of each file in TeX's trees, from one call."""
    path = which("kpsewhich")
    if path is None:
        return {}
    try:
        done = subprocess.run([path, *names], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    places = [Path(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]
    return {place.name: str(place) for place in places}
