"""The files that are written of a drawing: SVG and PDF as reviewed, and the pixels and the header of a PNG."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT

from tikzgen import load
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.output.write_pdf import to_pdf
from tikzgen.compile.draw.output.write_svg import to_svg
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.compile.pdf import draw_page, png_bytes, with_texts
from tikzgen.model.about import About

FOLDER = ROOT / "tests" / "goldens" / "pictures"
PICTURED = draw(load(ROOT / "tests" / "cases" / "drawing" / "pictured.yaml").tex())
DOCUMENT = r"""\documentclass[border=0pt]{standalone}
\usepackage{tikz}
\begin{document}
\definecolor{otorange}{HTML}{FF8000}%
\begin{tikzpicture}
  \fill[otorange] (0,0) rectangle (1,2);
\end{tikzpicture}
\end{document}
"""


def test_an_svg_is_written_as_reviewed(golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / "pictured.svg", to_svg(PICTURED, title="A <title>", description="What & why", language="en"))


def test_a_pdf_is_written_as_reviewed(golden: Callable[[Path, str], None]) -> None:
    """The golden has the page's operators as text, and no lengths or places, which depend on the compression."""
    pdf = to_pdf(PICTURED, PICTURED, title="A title", description="naïve", language="en")
    text = re.sub(rb"stream\n(.*?)\nendstream", lambda found: b"\n" + zlib.decompress(found[1]), pdf, flags=re.DOTALL)
    objects = re.sub(rb"/Length \d+", b"/Length", text.partition(b"\nxref\n")[0]).decode("latin-1")
    first, second = re.findall(r"^[\d.]+ 0 0 .*?(?=\nendobj)", objects, re.DOTALL | re.MULTILINE)
    assert first == second
    golden(FOLDER / "pictured.pdf.txt", objects.replace(second, "(the same page)", 1).replace("\r", ""))


def test_the_table_of_a_pdf_has_the_places_of_its_objects() -> None:
    pdf = to_pdf(PICTURED)
    objects, table, rest = pdf.partition(b"xref\n0 ")
    assert rest.endswith(b"startxref\n%d\n%%%%EOF\n" % len(objects))
    places = re.findall(rb"^(\d{10}) 00000 n $", rest, re.MULTILINE)
    assert table and b"Size %d/" % (len(places) + 1) in rest
    assert [int(place) for place in places] == [found.start() for found in re.finditer(rb"(?m)^\d+ 0 obj$", objects)]


def _chunks(png: bytes) -> dict[bytes, bytes]:
    """Return the chunks of a PNG by name; check the length and the checksum of each."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = {}, 8
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        found[name] = png[at + 8 : at + 8 + length]
        assert png[at + 8 + length : at + 12 + length] == struct.pack(">I", zlib.crc32(name + found[name]))
        at += 12 + length
    return found


@pytest.mark.parametrize(
    ("alpha", "kind", "rows"), [(False, 2, b"\0abcdef\0ghijkl"), (True, 6, b"\0abcdefxx\0ghijklxx")]
)
def test_the_parts_of_a_png(alpha: bool, kind: int, rows: bytes) -> None:
    png = png_bytes(b"abcdefxxghijklxx", 2, 2, stride=8, dpi=254, alpha=alpha)
    chunks = _chunks(png)
    assert [*chunks] == [b"IHDR", b"pHYs", b"IDAT", b"IEND"]
    assert chunks[b"IHDR"] == struct.pack(">IIBBBBB", 2, 2, 8, kind, 0, 0, 0)
    assert chunks[b"pHYs"] == struct.pack(">IIB", 10_000, 10_000, 1)
    assert zlib.decompress(chunks[b"IDAT"]) == rows


def test_the_words_in_a_png_stand_before_its_pixels() -> None:
    png = png_bytes(b"abc", 1, 1, stride=3, dpi=72, alpha=False)
    chunks = _chunks(with_texts(png, About("A title", "naïve", "fr")))
    assert [*chunks] == [b"IHDR", b"pHYs", b"iTXt", b"IDAT", b"IEND"]
    chunks = _chunks(with_texts(png, About("A title", "naïve")))
    assert [*chunks] == [b"IHDR", b"pHYs", b"tEXt", b"iTXt", b"IDAT", b"IEND"]
    assert chunks[b"tEXt"] == b"Title\0A title"
    assert chunks[b"iTXt"] == b"Description\0\0\0\0\0na\xc3\xafve"
    bare = png[:33] + png[54:]
    assert with_texts(bare, About("A title")) == bare[:33] + _chunk(b"tEXt", b"Title\0A title") + bare[33:]


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def test_a_png_has_the_colors_and_the_size_of_its_drawing() -> None:
    chunks = _chunks(draw_page(to_pdf(draw(DOCUMENT)), dpi=25, transparent=False))
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert (width, height) == (10, 20)
    rows = zlib.decompress(chunks[b"IDAT"])
    assert rows[1 + 5 * 3 : 1 + 6 * 3] == b"\xff\x80\x00"


def test_what_cannot_be_drawn_is_refused_with_a_way_out() -> None:
    with pytest.raises(Unsupported) as error:
        draw(DOCUMENT.replace(r"\fill", r"\shade"))
    message = r"line 6: \shade cannot be drawn without TeX (build it with an engine of TeX)"
    assert str(error.value) == message
