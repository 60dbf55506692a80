r"""Letters that pdfLaTeX's default fonts lack, in figures and in papers: there, and leaving nothing behind."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ENGINES, ROOT

from tikzgen import load, loads
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.text import typeset_label
from tikzgen.text.escape_characters import LOANS

pytestmark = pytest.mark.tex

FIGURE = load(ROOT / "tests/cases/text/borrowed.yaml").tex()
SAID = ["Łączność", "ąęįų", "đ", "Węzeł", "€5", "£3", "¢9", "Đor", "đe", "þÞ", "№", "‰", "ŋ", "ǫdð"]
# Set in T1 by fonts of its own, as NeurIPS' papers are; in OT1, as most are.
PAPERS = {"T1": r"\usepackage[T1]{fontenc}\usepackage{times}", "OT1": ""}


def asked(program: str, pdf: bytes, folder: Path, *after: str) -> str:
    """What one of poppler's programs says of a PDF."""
    (folder / "a.pdf").write_bytes(pdf)
    done = subprocess.run([program, "a.pdf", *after], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_letter_stands_in_the_pdf(engine: str, tmp_path: Path) -> None:
    done = compile_tex(FIGURE, engine=engine)
    assert not lost_characters(done.log)
    text = asked("pdftotext", done.pdf, tmp_path, "-")
    # pdfLaTeX composes some letters of parts, and T1 has one sign for Đ and Ð
    composed = set("łśįǫĐ") if engine == "pdflatex" else set()
    assert [word for word in SAID if word not in text and composed.isdisjoint(word)] == []
    assert "Type 3" not in asked("pdffonts", done.pdf, tmp_path)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_gets_the_letters_in_its_fonts_and_keeps_its_own(paper: str, tmp_path: Path) -> None:
    leaks = "".join(
        f"\\ifcsname {loan.home}\\string\\{loan.name}\\endcsname\\errmessage{{{loan.name} leaks}}\\fi\n"
        for loan in LOANS.values()
        if loan.home == "?" and loan.encoding == "T1"
    )
    body = FIGURE.partition("\\begin{document}")[2].partition("\\end{document}")[0]
    source = f"""\\documentclass[border=0pt]{{standalone}}
{PAPERS[paper]}
\\usepackage{{tikz}}
\\usetikzlibrary{{arrows.meta, backgrounds, positioning}}
\\begin{{document}}
{leaks}{body}{body}{leaks}
\\end{{document}}
"""
    fonts = asked("pdffonts", compile_tex(source).pdf, tmp_path)
    assert ("Nimbus" in fonts, "LMSans" in fonts) == (paper == "T1", paper == "OT1")


def test_a_figure_says_only_what_it_borrows() -> None:
    plain = loads("recipe: data-parallel\n").tex()
    assert "lend" not in plain
    some = loads("recipe: data-parallel\nlabels: {server: Đuro}\n").tex()
    assert re.findall(r"\\string\\(\w+)", some) == ["DJ"]
    assert typeset_label("ąę€").borrowed == ("k", "texteuro")
