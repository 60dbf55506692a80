"""PDF to PNG and to SVG, by what is installed, with the figure's title and description."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from shutil import which

from tikzgen.base.errors import LatexError, LatexMissing
from tikzgen.base.record import Record
from tikzgen.compile.argv import Limits
from tikzgen.compile.child import Reader, made_of
from tikzgen.compile.confine import Cell, placed
from tikzgen.compile.engines import first_line
from tikzgen.compile.install import Need, install_line, this_system
from tikzgen.compile.pdf import has_patterns, page_size
from tikzgen.compile.pdfium import PACKAGES, drawn, with_texts
from tikzgen.compile.process import Running, run
from tikzgen.compile.workplace import GIVEN, read_made, workplace
from tikzgen.describe import About
from tikzgen.plane.units import PT_PER_BP

__all__ = ["SVG_TOOLS", "Converter", "png_converter", "svg_converters", "to_png", "to_svg"]

_WORDLESS = About()
_MAX_PIXELS = 200_000_000
_LIMITS = Limits(seconds=60, memory_mib=4096, file_mib=256, folder_mib=512)


class Converter(Record):
    """A program or module on this machine: `path` is empty for a module."""

    name: str
    version: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class _SvgTool(Record):
    """How a program turns `figure.pdf` in its folder into `result`."""

    arguments: str
    result: str
    version_flag: str


# Best first, for letters as paths. poppler draws everything, and in its place with these two flags (without, it
# shrinks the drawing to whole points). mutool before 1.24 tears some hatchings. dvisvgm 3.0 takes ten times as long,
# its files are 1.2 to 2 times as large, and it loses PDF's patterns, shading and group opacity.
SVG_TOOLS = {
    "pdftocairo": _SvgTool("-svg -noshrink -nocenter -l 1 figure.pdf out.svg", "out.svg", "-v"),
    "mutool": _SvgTool("draw -q -F svg -o out%d.svg figure.pdf 1", "out1.svg", "-v"),
    "dvisvgm": _SvgTool("--pdf --no-fonts --verbosity=3 -o out.svg figure.pdf", "out.svg", "--version"),
}


def png_converter() -> Converter:
    """pypdfium2, or else pdftoppm; `LatexMissing` says how to get one."""
    try:
        return Converter("pypdfium2", version("pypdfium2"))
    except PackageNotFoundError:
        pass
    if path := which("pdftoppm"):
        return Converter("pdftoppm", first_line(path, "-v"), path)
    raise LatexMissing("nothing here turns PDF into PNG", hint="install it: pip install pypdfium2")


def svg_converters() -> tuple[Converter, ...]:
    """The programs that make SVG, best first; `LatexMissing` says how to get one."""
    found = []
    for name, tool in SVG_TOOLS.items():
        if path := which(name):
            found.append(Converter(name, first_line(path, tool.version_flag), path))
    if not found:
        raise _no_svg("nothing here turns PDF into SVG")
    return tuple(found)


def to_png(
    pdf: bytes,
    words: About = _WORDLESS,
    *,
    dpi: float = 200,
    transparent: bool = False,
    running: Running | None = None,
    cell: Cell | None = None,
) -> bytes:
    """The first page as PNG on white, or on nothing (`transparent`), `dpi` pixels for an inch.

    With a `cell`, the PDF is what a stranger may have made, and is drawn by a program of its own in that sandbox.
    `LatexMissing` where nothing can make it, `LatexError` where the PDF cannot be drawn.
    """
    try:
        width, height = page_size(pdf)
    except ValueError as error:
        raise LatexError(f"the PDF cannot be drawn: {error}") from None
    pixels = width * height * (dpi / 72 / PT_PER_BP) ** 2
    if pixels > _MAX_PIXELS:
        raise LatexError(f"the PNG would have {pixels / 1e6:.0f} million pixels", hint="lower --dpi")
    converter = png_converter()
    if converter.path:
        if transparent:
            raise LatexMissing("nothing here makes transparent PNG", hint="install it: pip install pypdfium2")
        made = _converted(converter, f"-png -singlefile -r {dpi:g} figure.pdf out", "out.png", pdf, running, cell)
    elif cell is not None:
        reader = Reader("tikzgen.compile.pdfium", PACKAGES, "PDFium")
        flags = ("transparent",) if transparent else ()
        made = made_of(reader, pdf, f"{dpi:g}", *flags, cell=cell, running=running)
    else:
        made = drawn(pdf, dpi, transparent)
    return with_texts(made, words)


def to_svg(
    pdf: bytes,
    words: About = _WORDLESS,
    *,
    transparent: bool = False,
    running: Running | None = None,
    cell: Cell | None = None,
) -> str:
    """The first page as SVG, text as paths, on white or on nothing (`transparent`).

    There are drawing elements only, no comments; the ids are the figure's own on any page. What a stranger may have
    made is drawn in the sandbox of `cell`.
    """
    from tikzgen.compile.svg import finished_svg  # with the library that reads XML

    return finished_svg(_drawing(pdf, running, cell), words, paper=not transparent)


def _drawing(pdf: bytes, running: Running | None, cell: Cell | None) -> str:
    from tikzgen.compile.svg import clean_svg

    converters = svg_converters()
    if has_patterns(pdf):
        converters = tuple(found for found in converters if found.name != "dvisvgm")
        if not converters:
            raise _no_svg("dvisvgm loses the hatching and shading of this figure")
    failures = []
    for converter in converters:
        tool = SVG_TOOLS[converter.name]
        try:
            made = _converted(converter, tool.arguments, tool.result, pdf, running, cell)
            return clean_svg(made.decode("utf-8"))
        except (LatexError, ValueError) as error:
            failures.append(str(error))
    raise LatexError("; ".join(failures))


def _no_svg(message: str) -> LatexMissing:
    return LatexMissing(message, hint=f"install pdftocairo: {install_line([Need.POPPLER], this_system())}")


def _converted(
    converter: Converter, arguments: str, result: str, pdf: bytes, running: Running | None, cell: Cell | None
) -> bytes:
    with workplace() as work:
        (work / GIVEN).write_bytes(pdf)
        argv, env = placed([converter.path, *arguments.split()], work, cell)
        ended = run(argv, cwd=work, env=env, limits=_LIMITS, running=running)
        made = read_made(work / result, _LIMITS.file_mib * 1024 * 1024) if ended.status == 0 else b""
    if made:
        return made
    if ended.timed_out:
        raise LatexError(f"{converter.name} was stopped after {_LIMITS.seconds:g} s")
    raise LatexError(f"{converter.name} failed with {ended.last_words}")
