"""Good neighbours: figures disturb neither each other nor the paper, and the lines in its preamble change nothing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from command import run
from conftest import ENGINES, NIGHTLY
from papers import DARK, FIGURES, SHIP, Page, Paper, build_figures, differences, names_of, state, typeset

pytestmark = pytest.mark.tex


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every example as `<name>.tex`, some as `<name>-dark.tex`, with `preamble.tex`."""
    made = tmp_path_factory.mktemp("figures")
    build_figures(made)
    return made


@cache
def alone(folder: Path, figures: tuple[str, ...], engine: str) -> dict[str, Page]:
    """The page of each figure that is compiled by itself, the last of those that come up on slides."""
    made = run("build", *(str(folder / f"{figure}.tex") for figure in figures), "--engine", engine, "-q")
    assert made.status == 0
    told = [line for line in made.err.splitlines() if not re.search("warning: joined |drawn without a node", line)]
    assert told == []
    found = {}
    for figure in figures:
        *_, found[figure] = Paper("", folder / f"{figure}.pdf").pages()
    return found


# What reaches all figures is looked at for each of them in one paper of pdfLaTeX's; what takes longer is for some.
# Chinese differs between the engines; hatching, formulas and icons are theirs, too.
SOME = ["distributed-training", "gradient-accumulation", "memory"]
BY_DAY = FIGURES if NIGHTLY else [*SOME, "cluster", "login"]


def there_and_back(names: list[str]) -> list[str]:
    """A sequence in which every name comes after every other, and after itself.

    What a figure leaves behind stays until the document ends, unless a later one leaves its own over it: that a figure
    is as it was after all the others tells as much as a page for each of the n * n pairs, at 2 * n pages.
    """
    return [*names, *reversed(names)]


def test_every_pair_of_figures_lives_in_one_paper(folder: Path) -> None:
    """By day, every second figure: dark after light, and light after dark."""
    walk = there_and_back([*(FIGURES if NIGHTLY else FIGURES[::2]), *(f"{name}-dark" for name in DARK)])
    steps = list(zip(["nothing", *walk], walk, strict=False))
    body = "\n".join(rf"\typeout{{NOW {two} after {one}}}\ship{{\input{{{two}}}}}" for one, two in steps)
    source = f"\\documentclass{{article}}\n\\input{{preamble}}\n{SHIP}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    pages = typeset(folder, "pairs", source).pages()
    assert len(pages) == len(steps)
    wanted = alone(folder, tuple(dict.fromkeys(walk)), "pdflatex")
    paired = zip(steps, pages, strict=True)
    assert [f"{two} after {one}" for (one, two), page in paired if not page.looks_like(wanted[two])] == []


# A paper that has a use of its own for every name that a figure defines, and for every sign that LaTeX lets it make
# active: as babel does for Spanish, Turkish, Hungarian, Czech, French and others, as fancyvrb, csquotes and underscore
# do. Its text is bold, italic, red and double spaced, and its pictures have styles for everything.
OWN = r"""
\documentclass{article}
\usepackage[dvipsnames,table]{xcolor}
\usepackage{csquotes,microtype,underscore,fancyvrb,setspace,lineno}
\usepackage[english]{babel}
\usepackage[colorlinks]{hyperref}
\usepackage{cleveref}
\input{preamble}
%(ship)s
%(state)s
%(macros)s
\definecolor{paper}{HTML}{FFE4B5}
\definecolor{ink}{HTML}{8B0000}
\definecolor{otblue}{HTML}{123456}
\definecolor{otorange}{HTML}{654321}
\definecolor{otgray}{HTML}{ABCDEF}
\tikzset{%(styles)s}
\pgfdeclarelayer{background}
\pgfdeclarelayer{front}
\pgfsetlayers{background,main,front}
\fboxsep=7pt
\parindent=11pt
\newcommand\mine{%%
  \begin{tikzpicture}
    \node[icon] (data) {\colsep, \workeronelabel};
    \node[worker] (w1) at (3,0) {\fbox{\titlelabel}};
    \draw[data] (data) -- (w1);
    \begin{pgfonlayer}{background}
      \fill[otblue] (-1,-1) rectangle (4,1);
    \end{pgfonlayer}
    \begin{pgfonlayer}{front}
      \fill[otgray!50!paper, opacity=0.5] (1,-1) rectangle (2,1);
    \end{pgfonlayer}
  \end{tikzpicture}}
\newcommand\surrounded{%%
  \doublespacing\linespread{1.5}\linenumbers\color{red}\bfseries\itshape
  \tikzset{every picture/.style={scale=2, line width=3pt, green}, every scope/.style={rotate=90},
    every node/.style={draw, font=\Huge}, every path/.style={dashed}}%%
  \MakeOuterQuote{"}\DefineShortVerb{\|}%%
  %(signs)s}
\begin{document}
\ship{\mine}
%(body)s
\ship{\mine}
\end{document}
"""
# `\useshorthands` is how babel's languages make a sign active; TeX's own error is what a sign is worth in a figure.
SIGNS = r"!':;<=>?`^-"


@pytest.mark.parametrize(
    ("engine", "figures"),
    [("pdflatex", BY_DAY), ("xelatex", SOME), ("lualatex", SOME)],
    ids=ENGINES,
)
def test_what_a_paper_has_defined_survives_and_does_not_reach_in(folder: Path, engine: str, figures: list[str]) -> None:
    macros, styles = names_of(folder)
    own = [style for style in styles if not style.startswith("every ")]
    taken = "\n".join(rf"\ship{{\surrounded\remembered\input{{{figure}}}\compared{{{figure}}}}}" for figure in figures)
    facts = {
        "ship": SHIP,
        "state": state(macros, styles),
        "macros": "\n".join(rf"\def\{name}{{the paper's {name}}}" for name in macros),
        "styles": ", ".join(f"{style}/.style={{draw=ink, fill=paper!{n % 100}}}" for n, style in enumerate(own)),
        "signs": "".join(
            rf"\catcode{ord(sign)}=13 \lccode126={ord(sign)} \lowercase{{\def~}}{{\bad}}" for sign in SIGNS
        ),
        "body": taken,
    }
    paper = typeset(folder, f"own-{engine}", OWN.lstrip() % facts, engine=engine)
    assert differences(paper, figures) == {}
    first, *pages, last = paper.pages()
    assert first == last, "the paper's own picture is what it was"
    assert len(pages) == len(figures)
    paired = zip(figures, pages, strict=True)
    wanted = alone(folder, tuple(figures), engine)
    found = [figure for figure, page in paired if not page.looks_like(wanted[figure])]
    assert found == [], "what is the paper's does not reach into the figures"


# Every control sequence that LuaTeX knows, with its meaning, before and after each figure.
WATCH = r"""
\documentclass{article}
\input{preamble}
\newsavebox\taken
\begin{document}
A page.
\directlua{dofile("watch.lua") watch_from_here()}
%s
\end{document}
"""
WATCH_LUA = r"""
local registers = {assign_dimen = "dimen", assign_int = "count", assign_toks = "toks", assign_glue = "skip"}

local function meaning(name)
  local command = token.create(name)
  if not command or command.cmdname == "undefined_cs" then return nil end
  local text = token.get_macro(name)
  if not text and registers[command.cmdname] then
    local _, value = pcall(function() return tex[registers[command.cmdname]][name] end)
    text = type(value) == "userdata" and table.concat({value.width, value.stretch, value.shrink}, " ") or value
  end
  return command.cmdname .. " " .. tostring(text or command.mode)
end

local function all()
  local found = {}
  for _, name in ipairs(tex.hashtokens()) do found[name] = meaning(name) end
  return found
end

local before
function watch_from_here() before = all() end

function report(figure)
  local after = all()
  for name, now in pairs(after) do
    if before[name] ~= now then texio.write_nl("log", "CHANGED " .. figure .. ": " .. name .. "\n") end
  end
  before = after
end
"""
# What loading a font or drawing any picture changes in LaTeX, TikZ and luatexja: serial numbers, scratch registers,
# node names, caches of arrow heads. The values of TikZ's keys (`pgfk@…`) are not among them.
INTERNAL = re.compile(
    r"(c@)?pgf(?!k@)|ifpgf|tikz@|ltj|.*/.*/|math\w+ $|c?@?mv@|@curr@file|@defaultsubs|glb@|last@fontshape|s?[st]f@size"
    r"|font@name$"
)


def test_no_control_sequence_is_left_behind(folder: Path) -> None:
    (folder / "watch.lua").write_text(WATCH_LUA, "utf-8")
    taken = "\n".join(rf'\sbox\taken{{\input{{{f}}}}}\directlua{{report("{f}")}}' for f in BY_DAY)
    paper = typeset(folder, "watch", WATCH.lstrip() % taken, engine="lualatex")
    seen = paper.told("CHANGED")
    assert [line for line in seen if line.startswith("cluster: pgf@")], "the watch sees what it must see"
    assert [line for line in seen if not INTERNAL.match(line.partition(": ")[2])] == []


PLAIN = r"""
\documentclass{%(cls)s}
\usepackage{graphicx}
%(own)s
%(lines)s
\begin{document}
\section{Signs “of” all kinds}
“Quoted”, ‘quoted’, ``quoted'' and don’t; a—b, a–b, a -- b; wait… and \dots{} and \slash{}; ± × ÷ ² ½ § ¶ ° · † ‡ é ü ß.
\textsf{Sans “serif” 1–2}, \texttt{type “writer” …}, \textsc{Small Caps}, \textbf{bold}, \emph{emphasis}, 100\%%.
\[ x = 1,\quad \mathrm{abc} + \mathbf{x} \le \sin 2x,\quad \alpha\beta\Gamma, \quad \frac{1}{2} \]
Words that are long enough to be hyphenated: communication, synchronisation, accumulation, straightforwardness. A
paragraph has lines, and lines have stretch; whatever changes a font, a space or a glue shows itself here.
\[ \sum_{i=1}^{n} \nabla\theta_i \]
\end{document}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("cls", "own"),
    [("article", "\\usepackage{lmodern}"), ("IEEEtran", "\\usepackage[T1]{fontenc}")],
    ids=["article", "IEEEtran"],
)
def test_the_printed_preamble_changes_nothing(folder: Path, engine: str, cls: str, own: str) -> None:
    """Chinese fonts come with packages that widen quotes, exchange math fonts and forget 8-bit ones."""
    pages = []
    for name, lines in (("with", r"\input{preamble}"), ("without", "")):
        source = PLAIN.lstrip() % {"cls": cls, "own": own, "lines": lines}
        pages.append(typeset(folder, f"{name}-{cls}-{engine}", source, engine=engine).pages())
    assert len(pages[0]) == 1
    assert pages[0] == pages[1]


CHINESE = r"""
\documentclass{article}
\usepackage{graphicx}
%(lines)s
\pagestyle{empty}
\begin{document}
同步更新“引用”——分布式训练……\textsf{黑体 abc}，\textbf{粗体}。``x'' — don’t, αβγ.
\newpage
%(taken)s
\end{document}
"""
KAI = r"\usepackage{xeCJK}\setCJKmainfont{FandolKai-Regular.otf}\setCJKsansfont{FandolFang-Regular.otf}"


@pytest.mark.parametrize(
    ("engine", "own"),
    [
        ("xelatex", r"\usepackage{ctex}"),
        ("xelatex", KAI),
        ("lualatex", r"\usepackage{luatexja}"),
        *[("lualatex", r"\usepackage{ctex}")] * NIGHTLY,
    ],
    ids=["ctex-xelatex", "xeCJK", "luatexja", *["ctex-lualatex"] * NIGHTLY],
)
def test_a_paper_keeps_its_own_chinese(folder: Path, engine: str, own: str) -> None:
    """Whether it stands before our lines or, for the packages that people load last, after them."""
    preamble = r"\input{preamble}"
    taken = r"\input{gradient-accumulation}"
    name = re.sub(r"\W", "", own) + engine

    def paper(kind: str, lines: str, taken: str) -> Paper:
        source = CHINESE.lstrip() % {"lines": lines, "taken": taken}
        return typeset(folder, f"{kind}{name}", source, engine=engine)

    [wanted] = paper("own", own, "").pages()
    for kind, lines in (("before", own + preamble), ("after", preamble + own)):
        first, second = paper(kind, lines, taken).pages()
        assert first == wanted, kind
        assert len(set(second.pixels[0])) > 8, "the figure is there"
