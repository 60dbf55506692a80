"""Schedules with more cells than a column can show: as dark in every viewer as they are, and as small as few cells."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which
from statistics import mean

import pytest

from tikzgen import loads
from tikzgen.compile.compile_tex import compile_tex

pytestmark = pytest.mark.tex

LARGE = [("1f1b", 16, 64), ("zb-h1", 16, 64), ("zb-v", 16, 64), ("interleaved-1f1b", 16, 64), ("1f1b", 64, 512)]
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
    return _darkness(subprocess.run(["pdftoppm", "-gray", "-r", str(dpi), pdf], check=True, capture_output=True).stdout)


def by_mupdf(pdf: Path, dpi: int) -> float:
    """From its colours: the greys that it makes of them are those of a printer's profile, a tenth lighter."""
    command = ["mutool", "draw", "-q", "-F", "ppm", "-c", "rgb", "-r", str(dpi), "-o", "-", pdf, "1"]
    pixels = _pixels(subprocess.run(command, check=True, capture_output=True).stdout, b"P6")
    return 1 - sum(part * mean(pixels[at::3]) for at, part in enumerate((0.3, 0.59, 0.11))) / 255


def _darkness(pgm: bytes) -> float:
    return 1 - mean(_pixels(pgm, b"P5")) / 255


def _pixels(picture: bytes, kind: bytes) -> bytes:
    found, wide, high, most, _ = picture.split(maxsplit=4)
    assert (found, most) == (kind, b"255")
    return picture[-int(wide) * int(high) * (3 if kind == b"P6" else 1) :]


VIEWERS: dict[str, Callable[[Path, int], float]] = {"pdfium": by_pdfium, "poppler": by_poppler}
if which("mutool"):
    VIEWERS["mupdf"] = by_mupdf


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
