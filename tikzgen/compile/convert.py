"""Conversion of PDF to PNG and SVG with installed programs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from shutil import which

from tikzgen.base.defaults import PNG_DPI
from tikzgen.base.errors import LatexError, LatexMissing
from tikzgen.base.plane import PT_PER_BP
from tikzgen.base.record import Record
from tikzgen.compile.draw.output.numerals import xml_text
from tikzgen.compile.pdf import PACKAGES, draw_page, page_size, with_texts
from tikzgen.compile.sandbox.reader_process import ReaderProcess, made_by, made_of
from tikzgen.compile.sandbox.sandbox import ProcessSandbox
from tikzgen.compile.tex.engines import first_line
from tikzgen.compile.tex.install import InstallNeed, install_line, this_system
from tikzgen.compile.tex.process import Running
from tikzgen.compile.tex.workplace import INPUT_NAME
from tikzgen.model.about import WORDLESS, About

_PIXEL_LIMIT = 200_000_000


class Converter(Record):
    """A program or Python module for conversions: `path` is empty for a module."""

    name: str
    version: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def png_converter() -> Converter:
    """Return pypdfium2, or else pdftoppm; raise `LatexMissing` with a hint if neither is installed."""
    try:
        return Converter("pypdfium2", version("pypdfium2"))
    except PackageNotFoundError:
        pass
    if path := which("pdftoppm"):
        return Converter("pdftoppm", first_line(path, "-v"), path)
    raise LatexMissing("no installed program converts PDF to PNG", hint="install it: pip install pypdfium2")


def to_png(
    pdf: bytes,
    words: About = WORDLESS,
    *,
    dpi: float = PNG_DPI,
    transparent: bool = False,
    running: Running | None = None,
    cell: ProcessSandbox | None = None,
) -> bytes:
    """Return the first page as PNG, on white or `transparent`, with `dpi` pixels per inch.

    With a `cell`, the PDF is untrusted, and a separate program draws it in that sandbox. Raise `LatexMissing` without
    an installed converter, `LatexError` for a PDF that cannot be drawn.
    """
    try:
        width, height = page_size(pdf)
    except ValueError as error:
        raise LatexError(f"the PDF cannot be drawn: {error}") from None
    pixels = width * height * (dpi / 72 / PT_PER_BP) ** 2
    if pixels > _PIXEL_LIMIT:
        raise LatexError(f"the PNG would have {pixels / 1e6:.0f} million pixels", hint="lower --dpi")
    converter = png_converter()
    if converter.path:
        if transparent:
            raise LatexMissing("no installed program makes transparent PNG", hint="install it: pip install pypdfium2")
        program = [converter.path, "-png", "-singlefile", "-r", f"{dpi:g}", INPUT_NAME, "out"]
        made = made_by(program, converter.name, "out.png", pdf, cell=cell, running=running)
    elif cell is not None:
        reader = ReaderProcess("tikzgen.compile.pdf", PACKAGES, "PDFium")
        flags = ("transparent",) if transparent else ()
        made = made_of(reader, pdf, f"{dpi:g}", *flags, cell=cell, running=running)
    else:
        made = draw_page(pdf, dpi, transparent)
    return with_texts(made, words)


def to_svg(
    pdf: bytes,
    words: About = WORDLESS,
    *,
    transparent: bool = False,
    running: Running | None = None,
    cell: ProcessSandbox | None = None,
) -> bytes:
    """Return the first page as SVG in its true size, by pdftocairo; characters become paths.

    It is used for figures that need TeX.
    """
    path = which("pdftocairo")
    if path is None:
        hint = f"install pdftocairo: {install_line([InstallNeed.POPPLER], this_system())}"
        raise LatexMissing("no installed program converts PDF to SVG", hint=hint)
    program = [path, "-svg", "-noshrink", "-nocenter", "-l", "1", INPUT_NAME, "out.svg"]
    made = made_by(program, "pdftocairo", "out.svg", pdf, cell=cell, running=running).decode("utf-8")
    head, _, drawing = made[max(made.find("<svg"), 0) :].partition(">")
    said = (("title", words.title), ("desc", words.description))
    ahead = "".join(f"<{name}>{xml_text(text)}</{name}>" for name, text in said if text)
    paper = "" if transparent else '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f"{head}>{ahead}{paper}{drawing}".encode()
