"""PDF to PNG and SVG, with what is installed; the size of a page; a figure in a notebook."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import zlib
from base64 import b64decode
from functools import cache
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pypdfium2
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.api import _make_mime_bundle
from tikzgen.base.errors import LatexError, LatexMissing
from tikzgen.base.plane.units import CM_PER_PT, PT_PER_BP
from tikzgen.compile import convert
from tikzgen.compile.build_figures import build_file
from tikzgen.compile.pdf import page_size, png_bytes
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.engines import FAMILIAR, Engine
from tikzgen.edit.find_words import find_words
from tikzgen.model.about import About

FIGURES = {path.stem: path.read_text("utf-8") for path in (ROOT / "tests" / "cases/tex/figures").glob("*.tex")}


@cache
def pdf(name: str, engine: str = "pdflatex") -> bytes:
    return compile_tex(FIGURES[name], engine=engine).pdf


def picture(drawing: str) -> str:
    return rf"\documentclass{{standalone}}\usepackage{{tikz}}\begin{{document}}\tikz{drawing}\end{{document}}"


def decoded(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and RGB bytes of a PNG that has no filters."""
    width, height = struct.unpack(">II", png[16:24])
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, chunk = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + chunk)
        data += chunk if name == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(data)
    stride = 3 * width + 1
    assert {rows[row * stride] for row in range(height)} == {0}
    return width, height, b"".join(rows[row * stride + 1 : (row + 1) * stride] for row in range(height))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 3), st.randoms(use_true_random=False))
def test_pixels_survive_png(width: int, height: int, padding: int, random: object) -> None:
    stride = 3 * width + padding
    rows = bytes(index * 37 % 256 for index in range(stride * height))
    wanted = b"".join(rows[row * stride : row * stride + 3 * width] for row in range(height))
    assert decoded(png_bytes(rows, width, height, stride=stride, dpi=200, alpha=False)) == (width, height, wanted)


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
@pytest.mark.parametrize("name", ["plain", "chinese", "hatched"])
def test_the_size_of_a_page(name: str, engine: Engine) -> None:
    document = pypdfium2.PdfDocument(pdf(name, engine))
    size = tuple(length * PT_PER_BP for length in document[0].get_size())
    document.close()
    assert page_size(pdf(name, engine)) == pytest.approx(size, abs=0.001)


@pytest.mark.tex
def test_an_inch_is_an_inch() -> None:
    assert pytest.approx(2.54) == 72.27 * CM_PER_PT
    inches = compile_tex(picture(r"\path (0,0) rectangle (1in,2in);")).pdf
    assert page_size(inches) == pytest.approx((72.27, 2 * 72.27), abs=0.02)


@pytest.mark.parametrize("junk", [b"", b"%PDF-1.5", b"/Type/ObjStm stream\nnot compressed"])
def test_what_has_no_page_has_no_size(junk: bytes) -> None:
    with pytest.raises(ValueError, match="MediaBox"):
        page_size(junk)


@pytest.mark.tex
def test_png_has_the_resolution_asked_for() -> None:
    wide, high = (round(length / PT_PER_BP / 72 * 300) for length in page_size(pdf("plain")))
    width, height, pixels = decoded(convert.to_png(pdf("plain"), dpi=300))
    assert (width, height) == (pytest.approx(wide, abs=1), pytest.approx(high, abs=1))
    assert pixels[:3] == b"\xff\xff\xff", "on white"
    assert min(pixels) < 64, "with ink"


@pytest.mark.tex
def test_the_same_pdf_gives_the_same_png_and_svg() -> None:
    assert convert.to_png(pdf("plain")) == convert.to_png(pdf("plain"))
    assert convert.to_svg(pdf("plain")) == convert.to_svg(pdf("plain"))


@pytest.mark.tex
def test_a_png_beyond_reason_is_refused() -> None:
    with pytest.raises(LatexError, match=r"million pixels \(lower --dpi\)"):
        convert.to_png(pdf("plain"), dpi=1e5)


@pytest.fixture
def no_pypdfium2(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("tikzgen.compile.convert.version", version)


@pytest.mark.tex
@pytest.mark.usefixtures("no_pypdfium2")
def test_without_pypdfium2_poppler_makes_the_png() -> None:
    assert convert.png_converter().name == "pdftoppm"
    png = convert.to_png(pdf("plain"), dpi=100)
    wide, high = (length / PT_PER_BP / 72 * 100 for length in page_size(pdf("plain")))
    assert struct.unpack(">II", png[16:24]) == (pytest.approx(wide, abs=1), pytest.approx(high, abs=1))


@pytest.mark.tex
@pytest.mark.usefixtures("no_pypdfium2")
def test_without_any_converter_there_is_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    source = pdf("plain")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LatexMissing, match="pip install pypdfium2"):
        convert.to_png(source)
    with pytest.raises(LatexMissing, match=r"no installed program converts PDF to SVG .*poppler"):
        convert.to_svg(source)


@pytest.mark.tex
def test_svg_stands_where_the_pdf_stands() -> None:
    """Poppler alone would shrink the drawing to whole points."""
    svg = convert.to_svg(compile_tex(picture(r"\fill[red] (0,0) rectangle (10.5bp,7.25bp);")).pdf).decode()
    assert svg.startswith("<svg ")
    path = re.search(r'<path[^>]*100%,0%,0%[^>]* d="([^"]*)"|<path[^>]* d="([^"]*)"[^>]*100%', svg)
    assert path is not None
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path[1] or path[2])]
    assert max(numbers[0::2]) - min(numbers[0::2]) == pytest.approx(10.5, abs=0.05)
    assert max(numbers[1::2]) - min(numbers[1::2]) == pytest.approx(7.25, abs=0.05)


@pytest.mark.tex
def test_hatching_stays_in_the_svg() -> None:
    assert convert.to_svg(pdf("hatched")).count(b"<path") > 10


@pytest.mark.tex
def test_what_only_tex_can_set_is_shown_as_its_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    foreign = FIGURES["hatched"]
    shown, reason = _make_mime_bundle(foreign)
    assert (list(shown), reason) == (["image/png"], "")
    assert b64decode(shown["image/png"]).startswith(b"\x89PNG")
    made = build_file(foreign, tmp_path / "a.svg", find_words, trust=True).read_bytes()
    assert made == convert.to_svg(pdf("hatched"))
    assert b"<title>a &lt;b&gt;</title>" in convert.to_svg(pdf("hatched"), About("a <b>"))
    assert b"#ffffff" in made and b"#ffffff" not in convert.to_svg(pdf("hatched"), transparent=True)
    with pytest.raises(
        LatexError, match=r"^line \d+: .* cannot be drawn without TeX \(build it with an engine of TeX\)$"
    ):
        build_file(foreign, tmp_path / "b.pdf", find_words, engine="none")


@pytest.mark.parametrize("source", ["", r"\foo", r"\documentclass{standalone}\begin{document}\end{document}"])
def test_a_notebook_gets_nothing_and_no_error_from_a_bad_figure(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/cache")
    assert _make_mime_bundle(source)[0] == {}


def test_a_notebook_without_tex_gets_what_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    shown, reason = _make_mime_bundle(FIGURES["hatched"])
    assert shown == {}
    assert "cannot be drawn without TeX, and pdflatex is not on the PATH" in reason


def test_no_converter_is_imported_before_it_is_used() -> None:
    """The command line starts quickly: pypdfium2 alone takes a tenth of a second."""
    script = "import sys, tikzgen.compile.build_figures; sys.exit('pypdfium2' in sys.modules or 'xml' in sys.modules)"
    root = str(ROOT)
    assert subprocess.run([sys.executable, "-c", script], cwd=root).returncode == 0


@pytest.mark.parametrize("box", [b"", b"/MediaBox [0 0 1.2.3 5]", b"/MediaBox [0 0 a 5]", b"/MediaBox [0 0 . 5]"])
def test_a_page_without_a_size_is_an_error(box: bytes) -> None:
    with pytest.raises(LatexError, match="the PDF cannot be drawn: the PDF has no MediaBox"):
        convert.to_png(b"%PDF-1.5 " + box)
