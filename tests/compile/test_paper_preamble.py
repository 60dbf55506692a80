"""`tikzgen preamble`: what figures load, as one; what they would lose, named; what cannot be one, refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run
from conftest import EXAMPLES, ROOT, written
from hypothesis import given
from hypothesis import strategies as st
from papers import typeset

from tikzgen import load
from tikzgen.compile.paper.figure_preamble import JoinedPreamble, preamble_of
from tikzgen.compile.paper.join_preambles import joined_preamble
from tikzgen.compile.paper.statements import read_commands, split_entries

HEAD = "% for figures included by \\input or \\includestandalone; insert after the packages of the paper\n"


def figure(*lines: str, options: str = "") -> str:
    """A standalone document with these lines in its preamble."""
    return "\n".join([rf"\documentclass[{options}]{{standalone}}", *lines, r"\begin{document}x\end{document}", ""])


def printed(tmp_path: Path, **figures: str) -> tuple[int, str, str]:
    """What the command says to figures, each `name=text`; the folder does not stand in the messages."""
    for name, text in figures.items():
        (tmp_path / f"{name}.tex").write_text(text, "utf-8")
    done = run("preamble", *(str(tmp_path / f"{name}.tex") for name in figures))
    return done.status, done.out, done.err.replace(f"{tmp_path}/", "")


def test_a_figure_that_needs_only_tikz_gets_only_tikz(tmp_path: Path) -> None:
    plain = figure(r"\usepackage{tikz}")
    assert printed(tmp_path, fig=plain) == (0, HEAD + "\\usepackage{standalone}\n\\usepackage{tikz}\n", "")


@pytest.mark.slow
def test_a_spec_and_its_figure_get_the_same_lines(tmp_path: Path) -> None:
    for example in EXAMPLES:
        rendered = tmp_path / f"{example.stem}.tex"
        rendered.write_text(written(example), "utf-8")
        from_spec, from_figure = run("preamble", str(example)), run("preamble", str(rendered))
        assert from_spec.out == from_figure.out
        assert (from_spec.status, from_spec.err) == (from_figure.status, from_figure.err) == (0, "")


def test_only_chinese_figures_get_chinese_fonts() -> None:
    english = [str(example) for example in EXAMPLES if example.stem.endswith("-en")]
    out = run("preamble", *english).out
    head, libraries = out.split("\\usetikzlibrary")
    assert head == HEAD + "\\usepackage{standalone}\n\\usepackage{tikz}\n"
    assert libraries.startswith("{arrows.meta") and libraries.endswith("}\n")
    chinese = run("preamble", *english, str(ROOT / "examples/parameter-server.yaml")).out
    assert chinese.startswith(out)
    for package in ("iftex", "CJKutf8", "xeCJK", "luatexja-fontspec"):
        assert chinese.count(f"{{{package}}}") == 1


@pytest.mark.slow
def test_the_order_of_the_figures_does_not_matter() -> None:
    names = [str(example) for example in EXAMPLES]
    assert run("preamble", *names).out == run("preamble", *reversed(names)).out


FOREIGN = figure(
    r"% not yet \begin{document}",
    r"\usepackage[svgnames]{xcolor} % 50\%",
    r"\usepackage{amsmath, tikz}[2020/01/01]",
    r"\usepackage[active, tightpage]{preview}",
    r"\usepackage[a4paper]{geometry}",
    r"\usetikzlibrary{positioning,",
    r"  arrows.meta}",
    r"\usetikzlibrary[calc]",
    r"\usepgfplotslibrary{groupplots}",
    r"\definecolor{otblue} {HTML}{0072b2}",
    r"\colorlet{soft}{otblue!20}",
    r"\makeatletter",
    r"\newcommand{\gpupic}[1]{%",
    r"  \begin{tikzpicture}\draw (0,0) -- (1,#1);\end{tikzpicture}}",
    r"\def\gap#1[#2]{\usepackage{nothing}}",
    r"\let\one=\gap",
    r"\newif\iflarge",
    r"\iflarge \usepackage{never}",
    r"  \ifx\one\gap\fi",
    r"\else \fi",
    r"\tikzset{a/.style={draw}, b/.style={fill}}",
    r"\pgfsetlayers{background, main}",
    r"\setlength\parindent{0pt}",
    r"\pagestyle{empty}",
    options="tikz, border=2pt, dvipsnames",
)
FOREIGN_LINES = r"""\usepackage{standalone}
\usepackage[dvipsnames, svgnames]{xcolor}
\usepackage{tikz}
\usepackage{amsmath}
\usetikzlibrary{arrows.meta, calc, positioning}
\usepgfplotslibrary{groupplots}
\definecolor{otblue}{HTML}{0072B2}
\colorlet{soft}{otblue!20}
"""
LOST = {
    14: r"\newcommand\gpupic",
    16: r"\def\gap",
    17: r"\let\one",
    18: r"\newif\iflarge",
    19: r"\iflarge \usepackage{never}",
    22: r"\tikzset",
    23: r"\pgfsetlayers",
    24: r"\setlength\parindent",
}


def test_a_foreign_figure(tmp_path: Path) -> None:
    """Everything that a preamble may hold; what `\\input` drops is named with its line and a way out."""
    moved, stays = "`tikzgen bundle` moves it into the figure; or include", "move it into the picture, or include"
    warnings = [
        f"foreign.tex:{line}: {what} stands in the preamble, which \\input drops "
        f"({stays if line == 19 else moved} the PDF)\n"
        for line, what in LOST.items()
    ]
    assert printed(tmp_path, foreign=FOREIGN) == (0, HEAD + FOREIGN_LINES, "".join(warnings))


REFUSED = {
    "colour": (
        {"one": figure(r"\definecolor{otblue}{HTML}{0072B2}"), "two": figure(r"\definecolor{otblue}{HTML}{0072B3}")},
        "one.tex and two.tex define the colour otblue differently in their preambles (include one of them as PDF)",
    ),
    "option": (
        {"one": figure(r"\usepackage[scale=0.9]{tgheros}"), "two": figure(r"\usepackage[scale=1]{tgheros}")},
        "one.tex loads tgheros with the option scale=0.9, two.tex with scale=1 "
        "(give both the same, or include one of them as PDF)",
    ),
    "fragment": (
        {"one": "\\begin{tikzpicture}\\end{tikzpicture}\n% \\begin{document}\n"},
        "one.tex: has no \\begin{document}, so it does not say which packages it needs "
        "(render it with tikzgen, or make it a standalone document)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_line(tmp_path: Path, case: str) -> None:
    figures, message = REFUSED[case]
    assert printed(tmp_path, **figures) == (2, "", message + "\n")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = run("preamble", str(tmp_path / "nothing.tex"))
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith("nothing.tex: file not found\n")


# The packages of each figure in the order in which it loads them, and those of the paper.
ORDERS = [
    (["tikz", "xcolor tikz"], "xcolor tikz"),
    (["tikz", "tikz amsmath", "xcolor amsmath"], "tikz xcolor amsmath"),
    (["a b", "b c", "c d"], "a b c d"),
    (["c d", "b c", "a b"], "a b c d"),
    (["a b", "b a"], "a b"),
    (["a b", "b a c", "d"], "d a b c"),
]


@pytest.mark.parametrize(("figures", "paper"), ORDERS)
def test_packages_keep_their_order(figures: list[str], paper: str) -> None:
    read = [preamble_of(figure(*(rf"\usepackage{{{name}}}" for name in names.split())), names) for names in figures]
    found = joined_preamble([(str(number), one) for number, one in enumerate(read)])
    assert [package.name for package in found.packages] == paper.split()


# What figures load, and the options that the paper gives.
OPTIONS = [
    (["[svgnames]{p}", "[dvipsnames, svgnames]{p}", "{p}", "[ table ]{p}"], ["svgnames", "dvipsnames", "table"]),
    (["[scale = 1]{p}", "[fit, scale = 1]{p}"], ["scale = 1", "fit"]),
    (["[scale={1, 2}, fit]{p}[2020/01/01]"], ["scale={1, 2}", "fit"]),
]


@pytest.mark.parametrize(("loaded", "options"), OPTIONS)
def test_options_are_joined(loaded: list[str], options: list[str]) -> None:
    [package] = joined_preamble([("", preamble_of(figure(rf"\usepackage{one}"), "")) for one in loaded]).packages
    assert list(package.options) == options


def test_options_that_are_passed_on_count() -> None:
    [package] = preamble_of(figure(r"\PassOptionsToPackage{svgnames}{p}", r"\usepackage[table]{p}"), "").packages
    assert package.options == ("svgnames", "table")


def test_options_for_no_package_load_nothing() -> None:
    assert preamble_of(figure(r"\PassOptionsToPackage{svgnames}", ""), "").packages == ()


CHINESE = [
    (r"\ifpdftex\usepackage{CJKutf8}\else\usepackage{xeCJK}\fi", True),
    (r"\ifxetex\usepackage{fontspec}\usepackage{xeCJK}\fi", True),
    (r"\usepackage{ctex}", False),
    (r"\usepackage{CJKutf8}", False),
]


@pytest.mark.parametrize(("line", "chosen"), CHINESE)
def test_fonts_for_chinese_that_depend_on_the_engine(line: str, chosen: bool) -> None:
    """A figure that chooses among the engines gets our choice; a plain package is copied like any other."""
    found = preamble_of(figure(line), "")
    assert found.chinese is chosen
    assert bool(found.packages) is not chosen
    assert found.lost == ()


def test_a_union_of_nothing_is_empty() -> None:
    assert joined_preamble([]) == JoinedPreamble()


@given(st.text(alphabet="\\{}[]%,=* \nabifx@#"))
def test_any_text_can_be_taken_apart(text: str) -> None:
    lines = [statement.line for statement in read_commands(text)]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)
    assert all(part and part == part.strip() for part in split_entries(text))


@pytest.mark.tex
def test_foreign_figures_and_ours_in_one_paper(tmp_path: Path) -> None:
    drawn = r"""\begin{document}
\begin{tikzpicture}
  \draw[Goldenrod, fill=soft] ($(0,0)+(1,1)$) circle[radius=1];
  \node[fill=DarkSeaGreen, right=of current bounding box] {$\text{one}$};
\end{tikzpicture}
\end{document}"""
    head, _, rest = FOREIGN.replace(r"\usepgfplotslibrary{groupplots}", "").partition(r"\newif")
    # `standalone` itself cannot read past conditions that the paper does not know
    foreign = head + rest[rest.index(r"\tikzset") :].replace(r"\begin{document}x\end{document}", drawn)
    ours = load(ROOT / "examples/distributed-training.yaml").tex()
    _, lines, _ = printed(tmp_path, ours=ours, foreign=foreign)
    source = [r"\documentclass{article}", lines, r"\begin{document}\input{ours}", r"\input{foreign}\end{document}"]
    assert len(typeset(tmp_path, "paper", "\n\n".join(source)).pages()) == 1
