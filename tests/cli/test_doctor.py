"""`tikzgen doctor`: what is here, what is not, and the line that installs it."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from command import run

from tikzgen.compile.tex import tools_here as doctor
from tikzgen.compile.tex.install import NEEDS_OF, InstallNeed, System, install_line
from tikzgen.compile.tex.tools_here import ToolFinding, ToolReport, examine_machine

DEBIAN = System("linux", ("debian",))


def missing(report: ToolReport) -> set[str]:
    return {finding.name for finding in report.findings if not finding.found}


@pytest.mark.tex
def test_a_machine_with_all_of_tex() -> None:
    report = examine_machine(DEBIAN)
    assert report.usable
    assert missing(report) <= {"bwrap", "tectonic"}, "the tests install the rest; bwrap may not work in a container"
    assert report.install == ""
    done = run("doctor")
    assert (done.status, done.err) == (0, "")
    assert "figures can be compiled here" in done.out
    assert "pdfTeX" in done.out


def test_a_machine_without_tex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    report = examine_machine(DEBIAN)
    assert not report.usable
    assert {"pdflatex", "xelatex", "lualatex", "standalone.cls", "tikz.sty", "gbsnu4e.tfm"} <= missing(report)
    everything = {need for needs in NEEDS_OF.values() for need in needs} | {InstallNeed.POPPLER, InstallNeed.SANDBOX}
    assert report.install == install_line(everything, DEBIAN)
    assert report.least == install_line(NEEDS_OF["pdflatex"], DEBIAN)
    done = run("doctor")
    assert done.status == 1
    assert "install the least: " in done.out
    assert "MISSING  pdflatex" in done.out
    assert "missing  xelatex" in done.out
    assert "install what is missing: " in done.out
    assert done.out.endswith("no PDF can be compiled here yet; everything else works, pictures too\n")


def test_every_finding_tells_what_it_is_for() -> None:
    done = run("doctor")
    for finding in examine_machine(DEBIAN).findings:
        assert finding.purpose
        assert f"{finding.name} " in done.out
        assert finding.purpose in done.out


@pytest.mark.tex
def test_pdflatex_alone_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("pdflatex", "kpsewhich", "pdftocairo", "sh"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    monkeypatch.setenv("PATH", str(tmp_path))
    report = examine_machine(DEBIAN)
    assert report.usable
    assert {"xelatex", "lualatex", "pdftoppm", "bwrap"} <= missing(report)
    assert report.install == install_line([InstallNeed.XELATEX, InstallNeed.LUALATEX, InstallNeed.SANDBOX], DEBIAN), (
        "one converter is enough"
    )


@pytest.mark.tex
def test_no_python_package_for_png(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "pypdfium2":
            raise PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(doctor, "version", version)
    assert "pypdfium2" in missing(examine_machine(DEBIAN))
    assert examine_machine(DEBIAN).install == "", "pdftoppm does it too"
    monkeypatch.setenv("PATH", "")
    assert examine_machine(DEBIAN).install.endswith("poppler-utils bubblewrap")


@pytest.mark.tex
@pytest.mark.parametrize("path", [None, ""])
def test_json_says_the_same(path: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if path is not None:
        monkeypatch.setenv("PATH", path)
    done = run("doctor", "--json")
    facts = json.loads(done.out)
    assert done.status == (0 if facts["usable"] else 1)
    assert facts["usable"] is (path is None)
    assert list(facts) == [
        "usable",
        "install",
        "install_least",
        "engines",
        "TeX files",
        "converters",
        "fonts",
        "sandbox",
        "Python",
    ]
    assert [entry["name"] for entry in facts["engines"]] == ["pdflatex", "xelatex", "lualatex", "tectonic"]
    assert all(set(entry) == {"name", "found", "purpose", "critical"} for entry in facts["engines"])
    assert bool(facts["install"]) is bool(facts["install_least"]) is (path == "")


def test_only_what_is_critical_makes_a_machine_unusable() -> None:
    def finding(found: str, critical: bool) -> ToolFinding:
        return ToolFinding("group", "name", "purpose", found, critical=critical)

    assert ToolReport((finding("", False), finding("1", True)), "").usable
    assert not ToolReport((finding("1", False), finding("", True)), "").usable


def test_a_broken_kpsewhich_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kpsewhich").write_text("not a program")
    (tmp_path / "kpsewhich").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "tikz.sty" in missing(examine_machine(DEBIAN))
