"""Papers for the tests: figures in a folder, documents that take them in, and what came out."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from command import run
from conftest import KINDS, written

from tikzgen import load
from tikzgen.base.plane.units import PT_PER_BP
from tikzgen.compile.tex.argv import make_engine_environment, version_settings
from tikzgen.compile.tex.engines import find_engine
from tikzgen.compile.tex.errors_in_log import first_error

__all__ = [
    "COLORS",
    "DARK",
    "FIGURES",
    "SHIP",
    "Page",
    "Paper",
    "as_pages",
    "build_figures",
    "differences",
    "names_of",
    "overfull",
    "state",
    "text_of",
    "typeset",
    "without_comments",
]

FIGURES = [example.stem for example in KINDS]
"""The figures of papers: one example of each kind by day, all at night."""
DARK = ["distributed-training", "gradient-accumulation", "parameter-server"]
"""The figures that `build_figures` also renders in the dark palette, as `<name>-dark`."""


COLORS = ["paper", "ink", "otblue", "otorange", "otteal", "otpurple", "otgray", "black"]
KEPT = ["f@family", "f@series", "f@shape", "f@size", "f@encoding", "baselinestretch", "current@color", "@currentlabel"]
KEPT += ["@currenvir", "pgf@layerlist", "pgfkeysdefaultpath", "pgfsys@invoke", "tikz@semi", "shipout", "do", "par"]
SETTINGS = ["fboxsep", "parindent", "baselineskip", "tabcolsep", "parskip", "hsize", "tolerance", "endlinechar"]
SETTINGS += ["everypar", "pgflinewidth", "hyphenpenalty", "language", "currentgrouplevel", "escapechar", "font"]

# A page that is exactly the box, as the standalone class makes it.
SHIP = r"""
\ifdefined\pagewidth\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi
\newsavebox\shipped
\hoffset=-1in
\voffset=-1in
\newcommand\ship[1]{%
  \setbox\shipped\hbox{#1}%
  \setbox\shipped\hbox{\raise\dp\shipped\box\shipped}%
  \pdfpagewidth=\wd\shipped
  \pdfpageheight=\ht\shipped
  \shipout\box\shipped}
"""


_BEGIN, _END = "\\begin{document}\n", "\\end{document}"
_BOX = r"""
\ifdefined\pagewidth\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi
\hoffset=-1in \voffset=-1in
\setbox0\hbox\bgroup
BODY%
\egroup
\pdfpagewidth=\wd0 \pdfpageheight=\dimexpr\ht0+\dp0\relax
\shipout\vbox{\box0}
"""
_MOST = 25  # pages of a document


def as_pages(sources: Sequence[str]) -> Iterator[tuple[list[int], str]]:
    """Figures, by their numbers, and the document that each of them is a page of: those with one preamble share some.

    One that shares its preamble with no other stays as it is; after several the class adds an empty page.
    """
    groups: dict[str, list[int]] = {}
    for number, source in enumerate(sources):
        groups.setdefault(source.partition(_BEGIN)[0], []).append(number)
    for preamble, group in groups.items():
        for batch in (group[start : start + _MOST] for start in range(0, len(group), _MOST)):
            bodies = (sources[number].partition(_BEGIN)[2].partition(_END)[0].strip() for number in batch)
            pages = "".join(_BOX.replace("BODY", body) for body in bodies)
            yield batch, sources[batch[0]] if len(batch) == 1 else f"{preamble}{_BEGIN}{pages}{_END}\n"


@dataclass(frozen=True)
class Page:
    """A page of a PDF: width and height in pt, and its pixels at each of the scales."""

    width: float
    height: float
    pixels: tuple[bytes, ...]

    def looks_like(self, other: Page) -> bool:
        """Whether no eye could tell one from the other: TeX rounds places to a thousandth of a point.

        A glyph on the edge between two places of a renderer's raster jumps by a fraction of a pixel for that
        thousandth, at one scale; a difference of the figures shows at every scale.
        """
        if self == other:
            return True
        if (self.width, self.height) != (other.width, other.height):
            return False
        scales = zip(self.pixels, other.pixels, strict=True)
        return any(_no_eye_tells(ours, theirs) for ours, theirs in scales)


_RUN = 4096  # bytes


def _no_eye_tells(ours: bytes, theirs: bytes) -> bool:
    """Whether no pixel differs by much; most runs of them are the same."""
    runs = ((ours[at : at + _RUN], theirs[at : at + _RUN]) for at in range(0, len(ours), _RUN))
    return all(abs(one - other) < 16 for run in runs if run[0] != run[1] for one, other in zip(*run, strict=True))


@dataclass(frozen=True)
class Paper:
    """A compiled document: its log, and its PDF as a file."""

    log: str
    pdf: Path

    def told(self, word: str) -> list[str]:
        r"""What the document said by `\typeout{word …}`, line by line."""
        return re.findall(rf"^{word} (.*)$", self.log, re.MULTILINE)

    def pages(self) -> list[Page]:
        """Every page, in order."""
        from pypdfium2 import PdfDocument

        with PdfDocument(self.pdf) as pdf:
            return [_page(pdf[number]) for number in range(len(pdf))]


def _page(page: Any) -> Page:
    width, height = page.get_size()
    pixels = tuple(bytes(page.render(scale=scale).buffer) for scale in (1.5, 1.7, 1.9))
    return Page(width * PT_PER_BP, height * PT_PER_BP, pixels)


def build_figures(folder: Path) -> None:
    """Write each of `FIGURES` as `<name>.tex`, and what a paper needs for them as `preamble.tex`."""
    for example in KINDS:
        (folder / f"{example.stem}.tex").write_text(written(example), "utf-8")
        if example.stem in DARK:
            dark = load(example, settings=["palette=dark"])
            (folder / f"{example.stem}-dark.tex").write_text(dark.tex(), "utf-8")
    printed = run("preamble", *sorted(str(figure) for figure in folder.glob("*.tex")))
    assert (printed.status, printed.err) == (0, "")
    (folder / "preamble.tex").write_text(printed.out, "utf-8")


def typeset(folder: Path, name: str, source: str | None = None, *, engine: str = "pdflatex", runs: int = 1) -> Paper:
    """Compile `source`, or the file that is there, as `<name>.tex` in the folder; an error fails the test."""
    if source is not None:
        (folder / f"{name}.tex").write_text(source, "utf-8")
    installed = find_engine(engine)
    env = make_engine_environment(os.environ) | version_settings(installed.engine, installed.version)
    argv = [installed.path, "-no-shell-escape", "-halt-on-error", "-file-line-error"]
    argv += ["-interaction=batchmode", f"{name}.tex"]
    for _ in range(runs):
        done = subprocess.run(argv, cwd=folder, env=env, capture_output=True)
        log = (folder / f"{name}.log").read_text("utf-8", "replace")
        said = [line for line in log.splitlines() if line.startswith("NOW ")]
        assert done.returncode == 0, (engine, *said[-1:], first_error(log, ""))
    return Paper(log, folder / f"{name}.pdf")


def text_of(paper: Paper) -> str:
    """All text, without blanks and line ends."""
    done = subprocess.run(["pdftotext", "-raw", paper.pdf, "-"], capture_output=True, check=True)
    return "".join(done.stdout.decode().split())


def overfull(paper: Paper) -> list[str]:
    """The boxes that are too wide by what an eye can see.

    Labels are measured in Computer Modern Sans; a paper's own sans serif may be a trifle wider.
    """
    found = re.findall(r"^(Overfull \\hbox \(([\d.]+)pt too wide\).*)$", paper.log, re.MULTILINE)
    return [line for line, width in found if float(width) > 1]


def names_of(folder: Path) -> tuple[list[str], list[str]]:
    """Every macro and every style that a figure in the folder defines."""
    sources = [(folder / f"{figure}.tex").read_text("utf-8") for figure in FIGURES]
    macros = {name for source in sources for name in re.findall(r"\\def\\([A-Za-z]+)", source)}
    styles = {name for source in sources for name in re.findall(r"([a-z][a-z -]*)/\.style", source)}
    assert {"colsep", "rowsep", "titlelabel", "backdrop", "gpupic"} <= macros
    assert {"span", "worker", "every picture"} <= styles
    return sorted(macros), sorted(styles)


def state(macros: list[str], styles: list[str]) -> str:
    r"""TeX that defines `\remembered` and `\compared{what}`: how things stand, and whether they still stand so.

    Looked at: macros, TikZ styles, colours, layers, libraries, the font, lengths, all ASCII category codes, the groups
    that are open. The second says `SAME what`, or `DIFFERS what` with every `STATE name: meaning`, before and `NOW`.
    """
    names = [*macros, *KEPT] + [rf"\string\color@{color}" for color in COLORS]
    names += [f"pgfk@/tikz/{style}/.@cmd" for style in styles]
    names += [f"tikz@library@{library}@loaded" for library in ("babel", "fit", "calc", "quotes", "external")]
    entries = [rf"{name}: \expandafter\meaning\csname {name}\endcsname" for name in names]
    entries += [rf"{name}: \the\csname {name}\endcsname" for name in SETTINGS]
    entries += [rf"catcode {code}: \the\catcode{code} " for code in (*range(33, 127), 0xE4, 0xE5)]
    lines = "%\n".join(rf"\entry{{{entry}}}" for entry in entries)
    return STATE.lstrip("\n") % lines


STATE = r"""
\makeatletter
\def\everything{%%
%s}
\newcommand\remembered{\let\entry\relax\edef\before{\everything}}
\newcommand\compared[1]{%%
  \let\entry\relax
  \edef\now{\everything}%%
  \ifx\now\before\typeout{SAME #1}\else
    \typeout{DIFFERS #1}\def\entry##1{\typeout{STATE \detokenize{##1}}}\before\typeout{NOW}\now
  \fi}
\makeatother
"""


def differences(paper: Paper, taken: list[str]) -> dict[str, list[str]]:
    """What became of the paper's state after each of the takes that are named, where anything did."""
    found = {}
    for text in paper.log.split("\nDIFFERS ")[1:]:
        name, _, said = text.partition("\n")
        before, _, now = said.partition("\nNOW\n")
        was = set(re.findall(r"^STATE .*$", before, re.MULTILINE))
        found[name] = sorted(set(re.findall(r"^STATE .*$", now, re.MULTILINE)) - was)
    # what comes up on slides is set once for each of them
    assert found or [name for name, _ in groupby(paper.told("SAME"))] == [name for name, _ in groupby(taken)]
    return found


def without_comments(text: str) -> str:
    """What arXiv's cleaners do: drop comments, keep escaped percent signs, and stop at the end of the document."""
    body = text.partition("\\end{document}")[0] + "\\end{document}\n"
    lines = [re.sub(r"(?<!\\)%.*", "%", line) for line in body.splitlines()]
    stripped = "\n".join(line for line in lines if line.strip() != "%") + "\n"
    assert "%" not in stripped.replace("%\n", "").replace("\\%", "")
    return stripped
