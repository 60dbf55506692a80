"""A paper's own build makes the figures again whose specs changed: make by `build --deps`, latexmk by its latexmkrc."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from tikzgen.base.errors import FileRefused
from tikzgen.compile.build_figures import Job
from tikzgen.compile.figure_jobs import make_rules

SPEC = "recipe: data-parallel\nworkers: 2\nlabels: {server: Store}\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with two specs, a cache of its own, and this project's `tikzgen` before all others."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    Path("bin").mkdir()
    Path("bin/tikzgen").write_text(
        f'#!/bin/sh\necho "$*" >>"{tmp_path}/calls"\nexec {sys.executable} -m tikzgen "$@"\n'
    )
    Path("bin/tikzgen").chmod(0o755)
    Path("figs").mkdir()
    for name in ("one", "two"):
        Path(f"figs/{name}.yaml").write_text(SPEC, "utf-8")


def calls() -> list[str]:
    """What `tikzgen` was called with since this was asked last."""
    file = Path("calls")
    found = file.read_text("utf-8").splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return found


def nothing_more(file: Path) -> list[str]:
    return []


def changed(path: str, word: str) -> None:
    file = Path(path)
    file.write_text(file.read_text("utf-8").replace("Store", word), "utf-8")
    later = file.stat().st_mtime + 5
    os.utime(file, (later, later))


@pytest.mark.tex
def test_a_rule_for_each_figure() -> None:
    done = run("build", "figs", "-o", "out", "--format", "pdf,svg", "--deps", "-", "--quiet")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "out/one.pdf out/one.svg: figs/one.yaml\n\nfigs/one.yaml:\n"
        "\nout/two.pdf out/two.svg: figs/two.yaml\n\nfigs/two.yaml:\n"
    )


@pytest.mark.tex
def test_rules_are_there_for_figures_that_fail() -> None:
    Path("figs/two.yaml").write_text("recipe: data-parallel\nworker: 2\n", "utf-8")
    assert run("build", "figs/two.yaml", "-o", "two.pdf", "--deps", "two.d").status == 2
    assert Path("two.d").read_text("utf-8") == "two.pdf: figs/two.yaml\n\nfigs/two.yaml:\n"


def test_names_are_spelt_for_make() -> None:
    [rule, *_] = make_rules([Job("a", str, Path("$x/#1 a"), Path("b c.yaml"))], ["pdf"], nothing_more).splitlines()
    assert rule == r"$$x/\#1\ a.pdf: b\ c.yaml"
    assert make_rules([Job("a", str, Path("a"))], ["pdf"], nothing_more) == ""


@pytest.mark.parametrize("name", ["PATH=bin", "a;b", "a\nb", "\udcff", "a\x1bb"])
def test_a_name_that_make_takes_for_something_else_is_refused(name: str) -> None:
    jobs = [Job(name, str, Path(name), Path(f"{name}.yaml"))]
    with pytest.raises(FileRefused, match="make would take this name for something else"):
        make_rules(jobs, ["pdf"], nothing_more)
    with pytest.raises(FileRefused):
        make_rules([Job("a", str, Path("a"), Path("a.yaml"))], ["pdf"], lambda _: [f"{name}.csv"])


def test_a_rule_names_every_file_that_was_read() -> None:
    """Whatever else stands in the files: shared parts, durations, the configuration and the style."""
    files = {
        "base.yaml": "recipe: pipeline\ndevices: 2\nmicrobatches: 2\n",
        "fig.yaml": "extends: base.yaml\nforward: d.csv\n",
        "d.csv": "1\n2\n",
        "tikzgen.toml": "width = 9\n",
        "tikzgen-style.yaml": "corners: 2\n",
    }
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    done = run("build", "fig.yaml", "--engine", "none", "-f", "svg", "--deps", "-", "--quiet")
    assert done.out.splitlines()[0] == "fig.svg: fig.yaml base.yaml d.csv tikzgen-style.yaml tikzgen.toml"
    assert all(f"\n{name}:\n" in done.out for name in files)
    Path("base.yaml").unlink()  # a spec that is refused has the rule of its own file
    done = run("build", "fig.yaml", "--engine", "none", "-f", "svg", "--deps", "-", "--quiet")
    assert done.out.startswith("fig.svg: fig.yaml")


@pytest.mark.tex
@pytest.mark.parametrize("name", ["a b", "c:d", "e%f", "g%h i", "#j", "é", "k$l", "m~n", "-o"])
def test_make_reads_any_name(name: str) -> None:
    Path(f"{name}.yaml").write_text("", "utf-8")
    Path("odd.d").write_text(
        make_rules([Job(name, str, Path(name), Path(f"{name}.yaml"))], ["pdf"], nothing_more), "utf-8"
    )
    Path("Makefile").write_text("include odd.d\n%.pdf:\n\t@printf '%s' '$@ from $^'\n", "utf-8")
    for _ in range(2):  # and where the source was deleted
        argv = ["make", "--", f"{name}.pdf"]
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        assert done.stdout == f"{name}.pdf from {name}.yaml"
        Path(f"{name}.yaml").unlink(missing_ok=True)


MAKEFILE = """\
all: figs/one.pdf figs/two.pdf
%.pdf:
\ttikzgen build --quiet $*.yaml -o $@ --deps $*.d
-include figs/one.d figs/two.d
"""


@pytest.mark.tex
def test_make_builds_what_changed() -> None:
    Path("Makefile").write_text(MAKEFILE, "utf-8")

    def make() -> list[str]:
        subprocess.run(["make", "-s"], check=True, capture_output=True)
        return [call.split()[2] for call in calls()]

    assert make() == ["figs/one.yaml", "figs/two.yaml"]
    assert make() == []
    changed("figs/two.yaml", "Shelf")
    assert make() == ["figs/two.yaml"]


PAPER = r"""
\documentclass{article}
\usepackage[paperwidth=30cm, margin=1cm]{geometry}
\usepackage{graphicx}
\input{preamble}
\begin{document}
\input{figs/one}
\newpage
\includegraphics{figs/two}
\end{document}
"""


@pytest.mark.tex
def test_latexmk_makes_what_changed(tmp_path: Path) -> None:
    Path("paper.tex").write_text(PAPER.lstrip(), "utf-8")
    Path("preamble.tex").write_text(run("preamble", "figs/one.yaml").out, "utf-8")
    Path("latexmkrc").write_text(run("preamble", "--latexmkrc", "figs/one.yaml", "./figs/two.yaml").out, "utf-8")
    Path("paper.yaml").write_text("neither: a figure\n", "utf-8")

    def latexmk() -> tuple[set[str], str]:
        argv = ["latexmk", "-pdf", "-interaction=nonstopmode", "-silent", "paper"]
        done = subprocess.run(argv, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        text = subprocess.run(["pdftotext", "paper.pdf", "-"], capture_output=True, text=True, check=True).stdout
        return {call for call in calls() if ".tex" in call or "build" in call}, text

    made, text = latexmk()
    assert {
        "render --as-before -o figs/one.tex -- figs/one.yaml",
        "build --as-before -o figs/two.pdf -- figs/two.yaml",
    } <= made
    assert text.count("Store") == 2
    assert latexmk()[0] == set()
    changed("figs/one.yaml", "Shelf")
    made, text = latexmk()
    assert made == {"render --as-before -o figs/one.tex -- figs/one.yaml"}
    assert (text.count("Shelf"), text.count("Store")) == (1, 1)
    assert Path("paper.tex").read_text("utf-8") == PAPER.lstrip()


@pytest.mark.tex
def test_an_edited_figure_stops_latexmk_and_is_kept() -> None:
    Path("latexmkrc").write_text(run("preamble", "--latexmkrc", "figs/one.yaml").out, "utf-8")
    Path("paper.tex").write_text("\\documentclass{article}\\begin{document}\\input{figs/one}\\end{document}\n", "utf-8")
    Path("figs/one.tex").write_text("my own", "utf-8")
    changed("figs/one.yaml", "Shelf")
    done = subprocess.run(["latexmk", "-pdf", "-interaction=batchmode", "paper"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "figs/one.tex: not overwritten: tikzgen did not write this file" in done.stdout + done.stderr
    assert Path("figs/one.tex").read_text("utf-8") == "my own"


REFUSED = {
    ("figs/one.tex",): (
        "figs/one.tex: latexmk has nothing to render it from (name specs, which end in .yaml, .yml, .json, .toml)"
    ),
    ("figs/one.yaml", "figs/one.json"): ("figs/one.yaml and figs/one.json would both become figs/one.tex (rename one)"),
}


@pytest.mark.parametrize("specs", REFUSED)
def test_latexmkrc_refused_in_one_line(specs: tuple[str, ...]) -> None:
    done = run("preamble", "--latexmkrc", *specs)
    assert (done.status, done.out, done.err) == (2, "", REFUSED[specs] + "\n")


def test_names_are_spelt_for_perl() -> None:
    out = run("preamble", "--latexmkrc", "it's/a.yml").out
    assert r"    'it\'s/a' => 'it\'s/a.yml'," in out
    assert "add_cus_dep('yml', 'tex', 0, 'tikzgen_render');" in out
