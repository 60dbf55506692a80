"""Tectonic, where it is on the PATH: what it is started with, and where it is taken without being named.

It is not installed here: a program stands in for it, which notes how it was called and hands out a PDF.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from command import run

import tikzgen
from tikzgen.compile.tex.engines import usual_engine
from tikzgen.compile.tex.tools_here import examine_machine

SPEC = "recipe: data-parallel\nworkers: 2\ntitle: Two workers\n"
STAND_IN = """\
#!{python}
import json, pathlib, sys
if "--version" in sys.argv:
    sys.exit(print("tectonic 0.15.0"))
text = pathlib.Path("figure.tex").read_text()
words = pathlib.Path("words.tex").read_text()
pathlib.Path({seen!r}).write_text(json.dumps([sys.argv[1:], text.splitlines()[0], words]))
if "broken" in text:
    pathlib.Path("figure.log").write_text("figure.tex:12: Undefined control sequence.\\nl.12 \\\\broken\\n")
    sys.exit(1)
pathlib.Path("figure.pdf").write_bytes(pathlib.Path({pdf!r}).read_bytes())
"""


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has nothing but Tectonic; the file that tells how it was called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    Path("a.yaml").write_text(SPEC, encoding="utf-8")
    assert run("build", "a.yaml", "--engine", "none", "-o", "drawn.pdf").status == 0
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "tectonic"
    facts = {"python": sys.executable, "seen": str(tmp_path / "seen.json"), "pdf": str(tmp_path / "drawn.pdf")}
    program.write_text(STAND_IN.format(**facts), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "seen.json"


@pytest.mark.parametrize("words", [[], ["--engine", "tectonic"]])
def test_it_compiles_where_it_is_the_only_engine_and_where_it_is_named(seen: Path, words: list[str]) -> None:
    done = run("build", "a.yaml", "-o", "fig.pdf", *words)
    assert (done.status, Path("fig.pdf").read_bytes()[:5]) == (0, b"%PDF-"), done.err
    arguments, first, title = json.loads(seen.read_text("utf-8"))
    assert arguments == [*["--outdir", ".", "--chatter", "minimal", "--keep-logs", "--untrusted"], "figure.tex"]
    assert first.startswith(r"\input{words.tex}\documentclass")
    assert "pdf:docinfo" in title
    assert tikzgen.load("a.yaml").build("api.pdf").is_file()
    assert run("render", "a.yaml", "-o", "b.pdf").status == 0


def test_what_it_stops_at_is_told(seen: Path) -> None:
    Path("a.yaml").write_text(SPEC.replace("Two workers", "broken"), encoding="utf-8")
    done = run("build", "a.yaml")
    assert (done.status, "Undefined control sequence" in done.err) == (3, True)


def test_pdflatex_goes_before_it_and_is_not_replaced_where_it_is_named(seen: Path) -> None:
    assert "pdflatex is not on the PATH" in run("build", "a.yaml", "--engine", "pdflatex").err
    assert usual_engine() == "tectonic"
    (seen.parent / "bin" / "xelatex").symlink_to("tectonic")
    assert usual_engine() == "pdflatex"


def test_the_doctor_knows_it(seen: Path) -> None:
    report = examine_machine()
    assert report.usable
    assert any(each.name == "tectonic" and each.found == "tectonic 0.15.0" for each in report.findings)
    assert run("doctor").status == 0


def test_the_configuration_names_it(seen: Path) -> None:
    (seen.parent / "bin" / "pdflatex").symlink_to("tectonic")
    Path("tikzgen.toml").write_text('engine = "tectonic"\n', encoding="utf-8")
    assert run("build", "a.yaml").status == 0
    assert json.loads(seen.read_text("utf-8"))[0][0] == "--outdir"
