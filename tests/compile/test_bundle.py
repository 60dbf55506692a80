"""`tikzgen bundle`: complete, the same bytes every time, safe names, and nothing overwritten that it did not write."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from command import Done, run
from conftest import EXAMPLES, NIGHTLY, ROOT, written
from hypothesis import given
from hypothesis import strategies as st
from papers import SHIP, Paper, text_of, typeset, without_comments

from tikzgen import TikzgenError, bundle, load, recipes
from tikzgen.compile.paper.bundling import folder_name, list_digests, safe_name
from tikzgen.compile.paper.foreign_in_group import group_definitions, strip_comments
from tikzgen.compile.tex.compile_tex import compile_tex

CHINESE = ROOT / "examples/gradient-accumulation.yaml"
ENGLISH = ROOT / "examples/distributed-training.yaml"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with two specs, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copy(ENGLISH, "one.yaml")
    shutil.copy(CHINESE, "two.yaml")


def packed(*arguments: str) -> Done:
    return run("bundle", "one.yaml", "two.yaml", *arguments)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_folder() -> None:
    done = packed("-o", "figs")
    assert (done.status, done.out, done.err) == (0, "", "figs: 2 figures, 4 files, written\n")
    held = contents(Path("figs"))
    assert sorted(held) == ["README.txt", "figures-preamble.tex", "one.tex", "two.tex"]
    assert held["one.tex"].decode() == load("one.yaml").tex()
    assert held["figures-preamble.tex"].decode() == run("preamble", "one.yaml", "two.yaml").out
    readme = held["README.txt"].decode()
    assert all(rf"\input{{figs/{name}}}" in readme for name in ("figures-preamble", "one"))
    assert "Fandol" in readme
    assert "includegraphics" not in readme
    assert sorted(list_digests(readme)) == ["figures-preamble.tex", "one.tex", "two.tex"]
    assert max(map(len, readme.splitlines())) < 121
    assert packed("-o", "figs").err == "figs: 2 figures, 4 files, up to date\n"


@pytest.mark.parametrize(
    ("output", "name"),
    [("a/figs", "figs"), ("figs.v2", "figs.v2"), ("a/Figs.ZIP", "Figs"), (".", "work"), ("..", "in")],
)
def test_the_folder_has_a_name(output: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in" / "work").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in" / "work")
    assert folder_name(Path(output)) == name


def test_an_archive_has_the_same_bytes_every_time() -> None:
    assert packed("-o", "figs").status == packed("-o", "figs.zip").status == 0
    first = Path("figs.zip").read_bytes()
    with zipfile.ZipFile("figs.zip") as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {name: archive.read(name) for name in archive.namelist()} == {
            f"figs/{name}": data for name, data in contents(Path("figs")).items()
        }
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert packed("-o", "figs.zip").err == "figs.zip: 2 figures, 4 files, up to date\n"
    Path("figs.zip").unlink()
    assert packed("-o", "figs.zip").status == 0
    assert Path("figs.zip").read_bytes() == first


PAPER = r"""
\documentclass{CLASS}
\usepackage{graphicx}
\input{figs/figures-preamble}
\begin{document}
\typeout{SIZE one}\input{figs/one}
\newpage
\includestandalone{figs/two}
\includestandalone[mode=tex]{figs/one}
\newpage
\includestandalone[mode=image]{figs/pdf/one}
\includestandalone[mode=image|tex]{figs/two}
\newpage
\includegraphics{figs/pdf/two}
\end{document}
"""


def arxiv_keeps(names: Iterable[str]) -> list[str]:
    """What is left of an upload: arXiv (arxiv-filemanager) takes a file beside a .tex of its name for TeX's output."""
    sources = {name.removesuffix(".tex") for name in names if name.endswith(".tex")}
    made = re.compile(r"(.+)\.(log|aux|out|blg|dvi|ps|pdf)", re.IGNORECASE)
    return [name for name in names if not ((found := made.fullmatch(name)) and found[1] in sources)]


@pytest.mark.tex
def test_a_paper_takes_the_bundle_in(tmp_path: Path) -> None:
    done = packed("-o", "figs", "--pdf", "--strip")
    assert (done.status, done.err) == (0, "figs: 2 figures, 6 files, written\n")
    assert r"\includegraphics{figs/pdf/one}" in Path("figs/README.txt").read_text("utf-8")
    for name in ("one", "two"):
        source = Path(f"figs/{name}.tex").read_text("utf-8")
        assert "%" not in re.sub(r"%$", "", source, flags=re.MULTILINE).replace("\\%", "")
        whole = load(f"{name}.yaml").tex()
        assert compile_tex(whole).pdf == Path(f"figs/pdf/{name}.pdf").read_bytes(), "the page as with its comments"
    assert arxiv_keeps(sorted(contents(Path("figs")))) == sorted(contents(Path("figs")))
    assert len(typeset(tmp_path, "paper", PAPER.lstrip().replace("CLASS", "article")).pages()) == 4


@pytest.mark.tex
@pytest.mark.parametrize("options", ["IEEEtran", *["acmart"] * NIGHTLY])
def test_a_newcomer_unpacks_the_archive_and_runs_latexmk(tmp_path: Path, options: str) -> None:
    """In an empty folder, without tikzgen."""
    packed("-o", "figs.zip", "--pdf")
    away = tmp_path / "away"
    with zipfile.ZipFile("figs.zip") as archive:
        archive.extractall(away)
    source = PAPER.lstrip().replace("CLASS", options)
    if options == "acmart":
        source = source.replace("\\begin{document}", "\\begin{document}\\title{T}\\author{A}\\maketitle")
    (away / "paper.tex").write_text(source, "utf-8")
    search = os.pathsep.join(
        part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "tikzgen").exists()
    )
    argv = ["latexmk", "-norc", "-pdf", "-interaction=nonstopmode", "-halt-on-error", "-silent", "paper"]
    done = subprocess.run(argv, cwd=away, env=os.environ | {"PATH": search}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "LaTeX Warning: File" not in (away / "paper.log").read_text("utf-8", "replace")


THESIS = {
    "thesis/main.tex": r"""
\documentclass[draft=false]{report}
\usepackage[dvipsnames,table]{xcolor}
\usepackage{graphicx, import, subfig, wrapfig, microtype}
\usepackage[colorlinks]{hyperref}
\graphicspath{{../figs/pdf/}}
\input{../figs/figures-preamble}
\usepackage{cleveref}
\begin{document}
\include{chapters/one}
\subimport{sections/}{two}
\end{document}
""",
    "thesis/chapters/one.tex": r"""
\chapter{\texorpdfstring{Small: \protect\scalebox{.1}{\protect\input{../figs/one}}}{Small}}
\begin{figure}
  \subfloat[Input]{\input{../figs/one}}\\
  \subfloat[Two]{\includestandalone[width=.5\linewidth]{../figs/two}}
  \caption{Both}\label{fig:both}
\end{figure}
\begin{wrapfigure}{r}{.5\linewidth}\includegraphics[width=\linewidth]{two}\end{wrapfigure}
\Cref{fig:both,fig:import} in a text. \begin{minipage}{.7\linewidth}\footnotesize\input{../figs/one}\end{minipage}
""",
    "thesis/sections/two.tex": r"""
\begin{figure}\subimport{../../figs/}{two}\caption{Imported}\label{fig:import}\end{figure}
""",
}


@pytest.mark.tex
def test_a_thesis_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """Its main file, chapters and sections stand elsewhere than the figures, as in a project of Overleaf."""
    packed("-o", "figs", "--pdf")
    for name, text in THESIS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text.lstrip(), "utf-8")
    argv = ["latexmk", "-norc", "-pdf", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "main"]
    done = subprocess.run(argv, cwd=tmp_path / "thesis", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    log = (tmp_path / "thesis/main.log").read_text("utf-8", "replace")
    assert "undefined references" not in log
    found = text_of(Paper(log, tmp_path / "thesis/main.pdf"))
    assert (found.count("Trainingdata"), found.count("空闲")) == (3, 3)


STRIPPED = [
    ("a% b\n", "a%\n"),
    ("  % b\nc\n", "c\n"),
    ("% a\n\n% b\n\nc% d", "\n\nc%"),
    ("a%\n", "a%\n"),
    ("50\\% a\\\\% b\n", "50\\% a\\\\%\n"),
    ("\\verb|% a|% b\n", "\\verb|% a|%\n"),
    ("\\begin{verbatim}\n% a\n\\end{verbatim}\n", "\\begin{verbatim}\n% a\n\\end{verbatim}\n"),
    ("\\url{a%20b}\n% \\url{x%20y}\n", "\\url{a%20b}\n"),
    ("a\n\\end{document}\n% spec\nmore\n", "a\n\\end{document}\n"),
    ("a % b\r\n% c\r\nd\r\n", "a %\r\nd\r\n"),
]


@pytest.mark.parametrize(("text", "wanted"), STRIPPED)
def test_comments_are_taken_out(text: str, wanted: str) -> None:
    assert strip_comments(text) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_left_of_a_figure_is_what_a_cleaner_leaves(example: Path) -> None:
    """`test_examples_in_engines` shows that such a copy gives the same page."""
    text = written(example)
    wanted = [line for line in without_comments(text).splitlines() if line.strip()]
    assert [line for line in strip_comments(text).splitlines() if line.strip()] == wanted


NAMES = [
    ("fig_1+a", "fig_1+a"),
    ("Übersicht (v2.1)", "Ubersicht-v2-1"),
    ("-rf", "rf"),
    (".hidden", "hidden"),
    ("图", "figure"),
    ("a b,c=d", "a-b-c-d"),
]


@pytest.mark.parametrize(("name", "safe"), NAMES)
def test_names_that_arxiv_takes(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@given(st.text())
def test_any_name_becomes_safe_and_stays_so(name: str) -> None:
    safe = safe_name(name)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_+-]*", safe)
    assert safe_name(safe) == safe


def test_a_changed_name_is_told() -> None:
    shutil.copy("one.yaml", "Übersicht 2.yaml")
    done = run("bundle", "Übersicht 2.yaml", "-o", "figs")
    assert "Übersicht 2.yaml: Ubersicht-2.tex in the bundle\n" in done.err
    assert Path("figs/Ubersicht-2.tex").exists()


@pytest.mark.parametrize("twin", ["One.yaml", "one.yml", "figures-preamble.yaml"])
def test_two_files_of_one_name_are_refused(twin: str) -> None:
    shutil.copy("one.yaml", twin)
    done = run("bundle", "one.yaml", twin, "-o", "figs")
    assert (done.status, Path("figs").exists()) == (2, False)
    assert done.err.endswith(".tex (rename one of them)\n")
    assert done.err.count("\n") == 1


EDITED = {
    "one.tex": "not overwritten: it has manual edits",
    "figures-preamble.tex": "not overwritten: it has manual edits",
    "README.txt": "not overwritten: `tikzgen bundle` did not write this file",
}


@pytest.mark.parametrize("name", EDITED)
def test_edited_files_are_left_alone(name: str) -> None:
    packed("-o", "figs")
    file = Path("figs") / name
    file.write_text("mine\n" + file.read_text("utf-8"), "utf-8")
    before = contents(Path("figs"))
    done = run("bundle", "one.yaml", "-o", "figs", "--strip")
    assert done.status == 1
    assert EDITED[name] in done.err
    assert "--force" in done.err
    assert contents(Path("figs")) == before
    assert run("bundle", "one.yaml", "-o", "figs", "--strip", "--force").status == 0
    assert b"mine" not in file.read_bytes()


def test_files_of_other_origin_are_left_alone() -> None:
    Path("figs").mkdir()
    Path("figs/one.tex").write_text("mine", "utf-8")
    done = packed("-o", "figs")
    assert (done.status, [file.name for file in Path("figs").iterdir()]) == (1, ["one.tex"])
    assert done.err == (
        "figs/one.tex: not overwritten: `tikzgen bundle` did not write this file "
        "(--force overwrites it, -o writes elsewhere)\n"
    )
    Path("figs.zip").write_bytes(b"mine")
    assert packed("-o", "figs.zip").status == 1
    with zipfile.ZipFile("other.zip", "w") as archive:
        archive.writestr("other/one.tex", "mine")
    assert packed("-o", "other.zip").status == 1
    for name in ("one.yaml", "figs.txt", "figs.tar.gz"):
        assert packed("-o", name).err == f"{name}: is a file (a bundle is a folder, or ends in .zip)\n"
    assert not Path("figs.txt").exists()
    assert packed("-o", "paper.v2").status == 0
    assert Path("figs.zip").read_bytes() == b"mine"


def test_an_archive_that_somebody_added_to_is_left_alone() -> None:
    packed("-o", "figs.zip")
    with zipfile.ZipFile("figs.zip", "a") as archive:
        archive.writestr("figs/mine.tex", "mine")
    before = Path("figs.zip").read_bytes()
    assert run("bundle", "one.yaml", "-o", "figs.zip").status == 1
    assert Path("figs.zip").read_bytes() == before


def test_a_new_bundle_replaces_the_old_one_and_names_what_is_left() -> None:
    packed("-o", "figs")
    done = run("bundle", "one.yaml", "-o", "figs", "--strip")
    assert done.status == 0
    assert done.err == (
        "figs/two.tex: is of an earlier bundle and not part of this one\nfigs: 1 figure, 3 files, written\n"
    )
    assert Path("figs/two.tex").exists()
    assert packed("-o", "figs.zip").status == run("bundle", "one.yaml", "-o", "figs.zip").status == 0
    with zipfile.ZipFile("figs.zip") as archive:
        assert len(archive.namelist()) == 3


def test_a_figure_may_stand_in_its_own_bundle() -> None:
    run("render", "one.yaml", "-o", "figs/one.tex")
    before = Path("figs/one.tex").read_bytes()
    assert run("bundle", "figs/one.tex", "-o", "figs").status == 0
    assert Path("figs/one.tex").read_bytes() == before


def test_what_input_drops_is_told_and_written_down() -> None:
    source = "\\documentclass{standalone}\n\\newtheorem{a}{A}\n\\begin{document}x\\end{document}\n"
    Path("mine.tex").write_text(source, "utf-8")
    done = run("bundle", "mine.tex", "-o", "figs")
    warning = (
        "mine.tex:2: \\newtheorem stands in the preamble, which \\input drops "
        "(move it into the picture, or include the PDF)\n"
    )
    assert (done.status, done.err) == (0, warning + "figs: 1 figure, 3 files, written\n")
    assert f"Note:     {warning}" in Path("figs/README.txt").read_text("utf-8")


# of two strangers, who give their macros the same names; the paper has some of them, too
STRANGER = r"""\documentclass[border=3pt]{standalone}
\usepackage{tikz}
\newcommand{\unit}{% a picture in a node
  \begin{tikzpicture}\filldraw[fill=HUE] (0,0) rectangle (0.6,0.4);\end{tikzpicture}}
\newcommand\two[1]{#1 #1}
\tikzset{pale/.style={fill=HUE!20}}
\pgfdeclarelayer{under}
\pgfsetlayers{under,main} % below all
\definecolor{HUE}{HTML}{0072B2}

\begin{document}
\def\gap{SIZE} % between the nodes
\def\words{HUE}%
\begin{tikzpicture}
  \node (a) at (0,0) {\unit};
  \node[draw] (b) at (\gap,0) {\two{\words}};
  \begin{pgfonlayer}{under}
    \fill[pale] (0,-1) rectangle (\gap,1);
  \end{pgfonlayer}
\end{tikzpicture}
\end{document}
"""
SHARED = r"""\documentclass{article}
\input{figs/figures-preamble}
\input{ship}
\def\gap{mine}
\newcommand\unit{kept}
\pgfdeclarelayer{own}
\pgfsetlayers{own,main}
\begin{document}
\ship{\input{figs/huey}}
\ship{\input{figs/dewey}}
\ship{\input{figs/huey}}
\typeout{NOW \gap, \unit, \ifdefined\words words\fi, \ifdefined\two two\fi}
\begin{pgfonlayer}{own}\end{pgfonlayer}
\end{document}
"""


def strangers() -> None:
    Path("huey.tex").write_text(STRANGER.replace("HUE", "huered").replace("SIZE", "2"), "utf-8")
    Path("dewey.tex").write_text(STRANGER.replace("HUE", "dewblue").replace("SIZE", "3"), "utf-8")


@pytest.mark.tex
def test_figures_of_others_live_in_one_paper() -> None:
    strangers()
    done = run("bundle", "huey.tex", "dewey.tex", "-o", "figs")
    assert (done.status, done.err) == (0, "figs: 2 figures, 4 files, written\n")
    Path("ship.tex").write_text(SHIP, "utf-8")
    paper = typeset(Path(), "paper", SHARED)
    assert "NOW mine, kept, , " in paper.log
    first, other, again = paper.pages()
    assert (first == again, first == other) == (True, False)
    for name in ("huey", "dewey"):
        [before] = typeset(Path(), name).pages()
        [after] = typeset(Path("figs"), name).pages()
        assert after.looks_like(before), name


def test_what_a_stranger_defines_stands_in_a_group() -> None:
    strangers()
    run("bundle", "huey.tex", "one.yaml", "-o", "figs")
    held = Path("figs/huey.tex").read_text("utf-8")
    head, _, body = held.partition("\\begin{document}\n")
    assert "\\newcommand" not in head and "\\definecolor" in head
    assert body.startswith("\\begingroup%")
    assert "\\let\\unit\\relax" in body and "\\let\\two\\relax" in body
    assert body.endswith("\\endgroup\n\\end{document}\n")
    assert group_definitions(held) == held
    fonts = "\\documentclass{standalone}\n\\renewcommand\\familydefault{\\sfdefault}\n\\begin{document}x\\end{document}"
    assert group_definitions(fonts) == fonts
    assert group_definitions("no document") == "no document"


@pytest.mark.tex
def test_figures_that_do_not_compile_are_all_told_and_nothing_is_written() -> None:
    for name in ("bad", "worse"):
        Path(f"{name}.tex").write_text("\\documentclass{standalone}\\begin{document}\\foo\\end{document}", "utf-8")
    done = run("bundle", "bad.tex", "one.yaml", "worse.tex", "--pdf", "--trust", "-o", "figs")
    assert (done.status, Path("figs").exists()) == (3, False)
    assert [line.partition(":")[0] for line in done.err.splitlines()] == ["bad.tex", "worse.tex"]


@pytest.mark.tex
def test_texts_are_measured_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("formula.yaml").write_text("recipe: data-parallel\nlabels: {gradient: !tex '\\fbox{a}'}\n", "utf-8")
    done = run("bundle", "formula.yaml", "two.yaml", "--measure", "-o", "figs")
    assert (done.status, done.err) == (0, "figs: 2 figures, 4 files, written\n")
    rendered = run("render", "formula.yaml", "--measure", "-o", "-").out
    assert contents(Path("figs"))["formula.tex"].decode() == rendered
    assert '"measured": [' in rendered
    figure = load("formula.yaml")
    assert bundle({"formula": figure}, "py", measure=True).files["formula.tex"].decode() == rendered
    monkeypatch.setenv("PATH", "")
    Path("formula.yaml").write_text("recipe: data-parallel\nlabels: {gradient: !tex '\\fbox{b}'}\n", "utf-8")
    done = run("bundle", "formula.yaml", "--measure", "-o", "more")
    assert (done.status, Path("more").exists()) == (3, False)
    assert done.err == run("build", "formula.yaml", "--measure", "-q").err.replace(
        "; or draw it without TeX: --engine none", ""
    )


def test_from_python() -> None:
    made = bundle({"training": recipes.data_parallel()}, "figs")
    assert made.written
    assert (
        sorted(contents(Path("figs"))) == sorted(made.files) == ["README.txt", "figures-preamble.tex", "training.tex"]
    )
    assert not bundle({"training": recipes.data_parallel()}, "figs").written
    (one,) = bundle(["one.yaml"], "one.zip", strip=True).members
    assert (one.name, one.file, made.members[0].file) == ("one", Path("one.yaml"), None)
    with pytest.raises(TikzgenError, match="no figures"):
        bundle([], "figs")
