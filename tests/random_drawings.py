"""Random figures, many of them pages of one document for pdfTeX; and what is kept of them for tests without TeX."""

from __future__ import annotations

import json
import lzma
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pdf_ink import UNPACKED, TexInk, read_pages
from strategies import figures

from tikzgen import Figure, SpecError, render
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.unsupported import Unsupported

KEPT = Path(__file__).parent / "cases" / "drawing" / "random.json.xz"

_EVERY = 20  # of these points one is kept, in their order along the page
_FINE = 200  # parts of a pt
_BATCH = 25  # pages of a document
_SHARED = 20  # formulas of a figure
_LONGEST = 16_000  # characters of a figure's TeX
_LARGEST = 2500.0  # pt
_SHIP = r"""
\setbox0\hbox{\input{BODY}}%
\pdfhorigin=0pt \pdfvorigin=0pt \hoffset=0pt \voffset=0pt \pdfpagewidth=\wd0 \pdfpageheight=\dimexpr\ht0+\dp0\relax
\shipout\box0
"""


class Kept(NamedTuple):
    """A figure's TeX, and of pdfTeX's page the size, how many characters and points are on it, and some of them.

    `mean` is the point in the middle of all characters.
    """

    source: str
    size: tuple[float, float]
    counts: tuple[int, int]
    mean: tuple[float, float]
    glyphs: list[tuple[float, float]]
    points: list[tuple[float, float]]


def random_sources(count: int) -> tuple[list[str], list[str]]:
    """The TeX of so many random figures that can be drawn, each in both palettes; and why others are refused."""
    found: dict[str, str] = {}
    refused: list[str] = []

    @settings(max_examples=12 * count, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(figures)
    def collect(figure: Any) -> None:
        if len(found) >= count:
            return
        try:
            light, dark = (body(figure.model_copy(update={"palette": each})) for each in ("light", "dark"))
            box = draw(light).box
        except SpecError:
            return  # two of its names clash
        except Unsupported as error:
            refused.append(error.what)
            return
        if max(box[2] - box[0], box[3] - box[1]) < _LARGEST and len(light) < _LONGEST:
            found[light] = dark

    collect()
    return [source for pair in found.items() for source in pair], refused


def body(figure: Figure) -> str:
    """The TeX of a figure, without its description."""
    source = render(figure).tex.partition("% tikzgen spec")[0]
    return source if r"\end{document}" in source else source + "\n\\end{document}\n"


_HEAD = r"""\documentclass[border=0pt]{standalone}
\usepackage{tikz}
\usepackage{amsmath}
\usepackage{amssymb}
\begin{document}
\begingroup%
\definecolor{ink}{HTML}{1A1A1A}%
\begin{tikzpicture}[node font=\sffamily\footnotesize]
"""
_FOOT = "\\end{tikzpicture}%\n\\endgroup%\n\\end{document}\n"
_GRAMMAR: dict[str, str] = json.loads((KEPT.parent / "formulas.json").read_text(encoding="utf-8"))
_ATOMS, _BETWEEN, _AROUND, _PAIRS = (st.sampled_from(_GRAMMAR[name].split()) for name in _GRAMMAR)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    around = st.builds(lambda frame, one: frame.replace("@", f" {one}"), _AROUND, inner)
    pair = st.builds(lambda frame, one, two: frame.replace("@", f" {one}").replace("#", two), _PAIRS, inner, inner)
    row = st.builds(lambda one, sign, two: f"{one} {sign} {two}", inner, _BETWEEN, inner)
    return around | pair | row


formulas = st.recursive(_ATOMS, _grown, max_leaves=6)
"""Formulas of the commands that people use, some of which only TeX can set; pdfTeX takes all of them with AMS."""


def random_formulas(count: int) -> tuple[list[str], dict[str, str]]:
    """Figures of so many random formulas that can be drawn, some in each; and why others are refused."""
    found: dict[str, None] = {}
    refused: dict[str, str] = {}

    @settings(max_examples=4 * count, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(formulas)
    def collect(formula: str) -> None:
        if len(found) >= count:
            return
        try:
            draw(_page([formula]))
        except Unsupported as error:
            assert error.line is not None
            refused[formula] = error.what
        else:
            found[formula] = None

    collect()
    listed = list(found)
    return [_page(listed[begin : begin + _SHARED]) for begin in range(0, len(listed), _SHARED)], refused


def _page(listed: Sequence[str]) -> str:
    rows = [f"  \\node[draw=ink] (n{place}) at (0,{-2 * place}) {{${each}$}};\n" for place, each in enumerate(listed)]
    return f"{_HEAD}{''.join(rows)}{_FOOT}"


def set_by_tex(sources: Sequence[str], folder: Path) -> dict[str, TexInk]:
    """What pdfTeX draws of figures."""
    found: dict[str, TexInk] = {}
    for batch, pdf in documents(sources, folder):
        found |= zip(batch, read_pages(pdf), strict=False)  # and an empty page of the class
    return found


def documents(sources: Sequence[str], folder: Path) -> Iterator[tuple[list[str], bytes]]:
    """Figures, and the document that each of them is a page of: those with one preamble share some."""
    groups: dict[str, list[str]] = defaultdict(list)
    for source in sources:
        groups[source.partition(r"\begin{document}")[0]].append(source)
    for preamble, group in groups.items():
        for begin in range(0, len(group), _BATCH):
            batch = group[begin : begin + _BATCH]
            pages = []
            for number, source in enumerate(batch):
                body = source.partition(r"\begin{document}")[2].rpartition(r"\end{document}")[0]
                (folder / f"body{number}.tex").write_text(body.strip(), encoding="utf-8")
                pages.append(_SHIP.replace("BODY", f"body{number}"))
            document = f"{UNPACKED}{preamble}\\begin{{document}}\n{''.join(pages)}\\end{{document}}\n"
            (folder / "figures.tex").write_text(document, encoding="utf-8")
            command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "figures.tex"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            yield batch, (folder / "figures.pdf").read_bytes()


def packed(inks: Mapping[str, TexInk]) -> bytes:
    """Return figures and where pdfTeX puts them, as the file of kept figures has it."""
    rows = _kept_rows() if KEPT.exists() else {}
    for source, ink in inks.items():
        some = [[round(_FINE * value) for point in sorted(set(each))[::_EVERY] for value in point] for each in ink[1:]]
        facts = [[round(1000 * value) for value in pair] for pair in (ink.size, mean(ink.glyphs))]
        rows[source] = [facts[0], [len(ink.glyphs), len(ink.points)], facts[1], *some]
    data = json.dumps([[source, *row] for source, row in rows.items()], separators=(",", ":"))
    return lzma.compress(data.encode(), preset=9)


def kept() -> list[Kept]:
    """Return the kept figures."""
    return [
        Kept(source, (w / 1000, h / 1000), (n, m), (x / 1000, y / 1000), _pairs(a), _pairs(b))
        for source, ((w, h), (n, m), (x, y), a, b) in _kept_rows().items()
    ]


def _kept_rows() -> dict[str, list[list[int]]]:
    return {source: row for source, *row in json.loads(lzma.decompress(KEPT.read_bytes()))}


def mean(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The point in the middle of all."""
    count = len(points) or 1
    return sum(x for x, _ in points) / count, sum(y for _, y in points) / count


def _pairs(values: list[int]) -> list[tuple[float, float]]:
    return [(x / _FINE, y / _FINE) for x, y in zip(values[::2], values[1::2], strict=True)]
