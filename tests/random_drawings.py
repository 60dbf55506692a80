"""Random figures, many of them pages of one document for pdfTeX; and what is kept of them for tests without TeX."""

from __future__ import annotations

import json
import lzma
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from pdf_ink import UNPACKED, TexInk, read_pages
from strategies import figures

from tikzgen import SpecError, render
from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.refused import Unsupported

KEPT = Path(__file__).parent / "cases" / "drawing" / "random.json.xz"

_EVERY = 6  # of these points one is kept, in their order along the page
_FINE = 200  # parts of a pt
_BATCH = 25  # pages of a document
_LARGEST = 2500.0  # pt
_SHIP = r"""
\setbox0\hbox{\input{BODY}}%
\pdfhorigin=0pt \pdfvorigin=0pt \hoffset=0pt \voffset=0pt \pdfpagewidth=\wd0 \pdfpageheight=\dimexpr\ht0+\dp0\relax
\shipout\box0
"""


class Kept(NamedTuple):
    """A figure's TeX, and of pdfTeX's page the size, how many characters and points are on it, and some of them."""

    source: str
    size: tuple[float, float]
    counts: tuple[int, int]
    glyphs: list[tuple[float, float]]
    points: list[tuple[float, float]]


def random_sources(count: int) -> tuple[list[str], list[str]]:
    """The TeX of so many random figures that can be drawn, in both palettes; and why others are refused."""
    found: dict[str, None] = {}
    refused: list[str] = []

    @settings(max_examples=4 * count, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(figures)
    def collect(figure: Any) -> None:
        if len(found) >= count:
            return
        palette = ("light", "dark")[len(found) % 2]
        try:
            source = render(figure.model_copy(update={"palette": palette})).tex.partition("% tikzgen spec")[0]
        except SpecError:
            return  # two of its names clash
        source = source if r"\end{document}" in source else source + "\n\\end{document}\n"
        try:
            drawing = draw(source)
        except Unsupported as error:
            refused.append(error.what)
            return
        if max(drawing.box[2] - drawing.box[0], drawing.box[3] - drawing.box[1]) < _LARGEST:
            found[source] = None

    collect()
    return list(found), refused


def set_by_tex(sources: Sequence[str], folder: Path) -> dict[str, TexInk]:
    """What pdfTeX draws of figures: those with one preamble are pages of a document."""
    groups: dict[str, list[str]] = defaultdict(list)
    for source in sources:
        groups[source.partition(r"\begin{document}")[0]].append(source)
    found: dict[str, TexInk] = {}
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
            pages_of_it = read_pages((folder / "figures.pdf").read_bytes())  # and an empty one of the class
            found |= zip(batch, pages_of_it, strict=False)
    return found


def keep(inks: dict[str, TexInk]) -> None:
    """Write down figures and where pdfTeX puts them."""
    rows = []
    for source, ink in inks.items():
        some = [[round(_FINE * value) for point in sorted(set(each))[::_EVERY] for value in point] for each in ink[1:]]
        rows.append([source, [round(1000 * side) for side in ink.size], [len(ink.glyphs), len(ink.points)], *some])
    KEPT.write_bytes(lzma.compress(json.dumps(rows, separators=(",", ":")).encode(), preset=9))


def kept() -> list[Kept]:
    """What was written down."""
    rows = json.loads(lzma.decompress(KEPT.read_bytes()))
    return [Kept(source, (w / 1000, h / 1000), (n, m), _pairs(a), _pairs(b)) for source, (w, h), (n, m), a, b in rows]


def _pairs(values: list[int]) -> list[tuple[float, float]]:
    return [(x / _FINE, y / _FINE) for x, y in zip(values[::2], values[1::2], strict=True)]
