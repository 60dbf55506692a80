"""TeX's logs: the first error, its line in the figure, and the way out.

Each `tests/cases/tex/logs/NAME.ENGINE.log` was recorded from that engine on the figure beside it (the middle of the log
is left out); what tikzgen says of it is in `logs.txt`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.base.errors import ExitStatus
from tikzgen.compile.tex.errors_in_log import first_error, latex_error, wants_rerun
from tikzgen.compile.tex.failures import find_hole, lost_characters
from tikzgen.compile.tex.install import System
from tikzgen.compile.tex.remedies import find_remedy, remedy_for

CASES = ROOT / "tests" / "cases" / "tex" / "logs"
DEBIAN = System("linux", ("debian",))
ROOT = System("linux", ("debian",), root=True)
FEDORA = System("linux", ("fedora",))
MAC = System("darwin")
WINDOWS = System("win32")


@pytest.mark.parametrize("case", sorted(CASES.glob("*.log")), ids=lambda path: path.stem)
def test_a_recorded_log_is_explained(case: Path, golden: Callable[[Path, str, str], None]) -> None:
    log, source = case.read_text("utf-8"), case.with_suffix(".tex").read_text("utf-8")
    error = latex_error(log, source, engine=case.suffixes[0][1:], system=DEBIAN)
    if error is None:
        told = "no error\n"
    else:
        assert error.log == log
        assert error.exit_status is ExitStatus.LATEX
        told = f"line {error.line}: {error.excerpt}\n{error.message}\n{error.hint}\n"
    lost = "".join(f"missing character: {lost} in {lost.font}\n" for lost in lost_characters(log))
    golden(CASES.with_suffix(".txt"), told + lost, case.stem)


def test_every_recorded_error_has_a_remedy() -> None:
    for case in CASES.glob("*.log"):
        error = latex_error(case.read_text("utf-8"), case.with_suffix(".tex").read_text("utf-8"), engine="", system=MAC)
        # what an author's own Lua code raises, only the author knows
        assert error is None or error.hint or case.stem == "lua-error.lualatex", case.stem


@given(st.text(), st.text())
def test_any_log_can_be_read(log: str, source: str) -> None:
    error = first_error(log, source)
    find_hole(log, engine="")
    wants_rerun(log)
    assert error is None or error.message


@given(st.integers(1, 9), st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip))
def test_the_line_is_the_one_that_tex_names(number: int, message: str) -> None:
    source = "\n".join(f"line {index}" for index in range(1, 6))
    error = first_error(f"chatter\n./figure.tex:{number}: {message.strip()}\n", source)
    assert error is not None
    assert error.line == number
    assert error.excerpt == (f"line {number}" if number <= 5 else "")


def test_an_error_inside_a_package_is_blamed_on_the_line_that_loads_it() -> None:
    error = first_error(
        "/usr/share/tex/odd.sty:45: Package odd Error: Odd.\n", "\\documentclass{x}\n\\usepackage{odd}\n"
    )
    assert error is not None
    assert (error.line, error.excerpt, error.message) == (2, r"\usepackage{odd}", "Odd")


def test_a_long_line_is_cut() -> None:
    error = first_error("./figure.tex:1: Oops.\n", "x" * 500)
    assert error is not None
    assert len(error.excerpt) == 120
    assert error.excerpt.endswith("x…")


@pytest.mark.parametrize(
    ("log", "asks"),
    [
        ("LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.", True),
        ("Package: rerunfilecheck 2019/12/05 v1.9 Rerun checks for auxiliary files", False),
        ("Output written on figure.pdf (1 page, 9298 bytes).", False),
    ],
)
def test_a_second_run_is_asked_for(log: str, asks: bool) -> None:
    assert wants_rerun(log) is asks


@pytest.mark.parametrize(
    ("name", "font", "system", "hint"),
    [
        ("acmart.cls", False, DEBIAN, "sudo apt-get install texlive-publishers; TeX Live, MiKTeX: acmart"),
        ("acmart.cls", False, ROOT, "apt-get install texlive-publishers; TeX Live, MiKTeX: acmart"),
        ("acmart.cls", False, FEDORA, "sudo dnf install texlive-acmart; Debian: texlive-publishers"),
        ("acmart.cls", False, MAC, "tlmgr install acmart; Debian: texlive-publishers"),
        ("acmart.cls", False, WINDOWS, "miktex packages install acmart; Debian: texlive-publishers"),
        ("acmart.cls", False, System("linux", ("arch",)), "tlmgr install acmart; Debian: texlive-publishers"),
        (
            "gbsnu4e",
            True,
            DEBIAN,
            "sudo apt-get install latex-cjk-chinese-arphic-gbsn00lp; TeX Live, MiKTeX: arphic",
        ),
        ("[FandolHei-Regular.otf]", True, MAC, "tlmgr install fandol; Debian: texlive-lang-chinese"),
    ],
)
def test_what_is_missing_can_be_installed(name: str, font: bool, system: System, hint: str) -> None:
    assert remedy_for(name, system, font=font) == f"install it: {hint}"


def test_a_font_that_nobody_knows() -> None:
    assert remedy_for("Comic Sans", MAC, font=True) == "install that font, or name another one"


@pytest.mark.parametrize("name", ["nosuch.sty", "elsewhere.cls"])
def test_an_unknown_package_can_be_looked_up(name: str) -> None:
    assert f"tlmgr search --global --file /{name}" in remedy_for(name, DEBIAN)


def test_a_wrong_engine_names_the_right_one() -> None:
    message = "The fontspec package requires either XeTeX or LuaTeX"
    assert find_remedy(message, engine="pdflatex", system=MAC).endswith("use --engine xelatex or --engine lualatex")
    message = "The xeCJK package requires XeTeX to function"
    assert find_remedy(message, engine="lualatex", system=MAC).endswith("use --engine xelatex")


def test_an_unknown_message_gets_no_advice() -> None:
    assert find_remedy("Something new", engine="pdflatex", system=MAC) == ""


def test_the_message_of_tex_live_2024_for_a_missing_input_has_its_remedy() -> None:
    message = "I can't find file `\"|touch written\"'"
    assert find_remedy(message, engine="pdflatex", system=MAC).startswith("a figure is compiled alone")
