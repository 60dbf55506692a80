"""Schedules with more cells than a column can show: as dark in every viewer as they are, and as small as few cells."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import mean

import pytest
from conftest import NIGHTLY

from tikzgen import loads
from tikzgen.compile.tex.compile_tex import compile_tex

pytestmark = pytest.mark.tex

LARGE = [("1f1b", 16, 64), ("1f1b", 64, 512)]
if NIGHTLY:
    LARGE += [("zb-h1", 16, 64), ("zb-v", 16, 64), ("interleaved-1f1b", 16, 64)]
SCREEN, PRINT = 110, 600  # dpi


def by_pdfium(pdf: Path, dpi: int) -> float:
    """The mean darkness of the first page, from 0 (paper) to 1 (ink)."""
    from pypdfium2 import PdfDocument

    with PdfDocument(pdf) as document:
        bitmap = document[0].render(scale=dpi / 72, grayscale=True)
        rows = bytes(bitmap.buffer)
        step, wide = bitmap.stride, bitmap.width
        return 1 - mean(sum(rows[at : at + wide]) for at in range(0, step * bitmap.height, step)) / wide / 255


def by_poppler(pdf: Path, dpi: int) -> float:
    pgm = subprocess.run(["pdftoppm", "-gray", "-r", str(dpi), pdf], check=True, capture_output=True).stdout
    _, wide, high, _, _ = pgm.split(maxsplit=4)
    return 1 - mean(pgm[-int(wide) * int(high) :]) / 255


def by_mupdf(pdf: Path, dpi: int) -> float:
    """From its colours: the greys that it makes of them are those of a printer's profile, a tenth lighter."""
    import pymupdf

    with pymupdf.open(pdf) as document:
        pixels = document[0].get_pixmap(dpi=dpi, colorspace=pymupdf.csRGB, alpha=False).samples
    return 1 - sum(part * mean(pixels[at::3]) for at, part in enumerate((0.3, 0.59, 0.11))) / 255


VIEWERS: dict[str, Callable[[Path, int], float]] = {"pdfium": by_pdfium, "poppler": by_poppler, "mupdf": by_mupdf}


@pytest.mark.parametrize(("schedule", "devices", "microbatches"), LARGE)
def test_every_viewer_shows_as_much_ink_as_there_is(
    schedule: str, devices: int, microbatches: int, tmp_path: Path
) -> None:
    spec = f"recipe: pipeline\nschedule: {schedule}\ndevices: {devices}\nmicrobatches: {microbatches}\nwidth: 8.4\n"
    pdf = tmp_path / "large.pdf"
    pdf.write_bytes(compile_tex(loads(spec).tex(), engine="pdflatex").pdf)
    truth = by_pdfium(pdf, PRINT)
    seen = {name: darkness(pdf, SCREEN) for name, darkness in VIEWERS.items()}
    assert max(seen.values()) / min(seen.values()) <= 1.1, seen
    for name, darkness in seen.items():
        assert abs(darkness / truth - 1) <= 0.1, (name, darkness, truth)
