"""The committed tables are what the installed TeX says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from font_tables import packed_fonts
from tfm import parse

import tikzgen.text
from tikzgen.text.metrics.fonts import load_face

DATA = Path(tikzgen.text.__file__).parent / "data"


@pytest.mark.tex
def test_font_tables_are_those_of_the_installed_fonts() -> None:
    committed = json.loads((DATA / "fonts.json").read_text("ascii"))
    assert json.loads(json.dumps(packed_fonts())) == committed


def test_tables_are_small() -> None:
    assert (DATA / "fonts.json").stat().st_size < 250_000


@pytest.mark.parametrize(
    ("shape", "size", "char", "width"),
    [
        ("sans", 8, "M", 7.41676),  # cmss8
        ("sans", 5, "M", 4.63547),  # cmss8 at 5pt
        ("sans bold", 8, "M", 7.82227),  # cmssbx10 at 8pt
        ("serif", 10, "M", 9.16669),  # cmr10
        ("mono", 10, "M", 5.24996),  # cmtt10
    ],
)
def test_the_right_font_is_used(shape: str, size: float, char: str, width: float) -> None:
    used = load_face(shape, size)
    assert used.metrics.widths[char] * used.size == pytest.approx(width, abs=1e-4)


def test_what_is_no_font_is_refused() -> None:
    with pytest.raises(ValueError, match="not a TFM file"):
        parse(bytes(100))


def test_importing_the_room_loads_no_table_and_no_pylatexenc() -> None:
    code = (
        "import sys, tikzgen.text, tikzgen.text.escape_characters as c, tikzgen.text.metrics.fonts as m;"
        "tikzgen.text.typeset_label('GPU 1');"
        "sizes = [read.cache_info().currsize for read in (c.load_character_table, m._load_font_tables)];"
        "print('pylatexenc' in sys.modules, *sizes)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "0", "0"]
