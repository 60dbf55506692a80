"""PDF to PNG and to SVG, by what is installed. Title and description go along, from the PDF's own."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from shutil import which
from threading import Lock

from tikzgen.errors import LatexError, LatexMissing
from tikzgen.tex.argv import Limits
from tikzgen.tex.engines import first_line
from tikzgen.tex.pdfwords import words_of
from tikzgen.tex.process import Running, run
from tikzgen.tex.workplace import workplace

__all__ = ["SVG_TOOLS", "Converter", "finished", "png_converter", "svg_converters", "to_png", "to_svg"]

_MAX_PIXELS = 200_000_000
_LIMITS = Limits(seconds=60, memory_mib=4096, file_mib=256)
# PDFium keeps global state: one page at a time.
_PDFIUM = Lock()


@dataclass(frozen=True, slots=True)
class Converter:
    """A program or module on this machine: `path` is empty for a module."""

    name: str
    version: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class _SvgTool:
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


def to_png(pdf: bytes, *, dpi: float = 200, transparent: bool = False, running: Running | None = None) -> bytes:
    """The first page as PNG on white, or on nothing (`transparent`), `dpi` pixels for an inch.

    `LatexMissing` where nothing can make it.
    """
    from tikzgen.tex.pdf import PT_PER_BP, page_size

    width, height = page_size(pdf)
    pixels = width * height * (dpi / 72 / PT_PER_BP) ** 2
    if pixels > _MAX_PIXELS:
        raise LatexError(f"the PNG would have {pixels / 1e6:.0f} million pixels", hint="lower --dpi")
    converter = png_converter()
    if converter.path:
        from tikzgen.tex.png import with_texts

        if transparent:
            raise LatexMissing("nothing here makes transparent PNG", hint="install it: pip install pypdfium2")
        made = _converted(converter, f"-png -singlefile -r {dpi:g} figure.pdf out", "out.png", pdf, running)
        return with_texts(made, words_of(pdf))
    return _by_pdfium(pdf, dpi, transparent)


def to_svg(pdf: bytes, *, transparent: bool = False, running: Running | None = None) -> str:
    """The first page as SVG, text as paths, on white or on nothing (`transparent`).

    There are drawing elements only, no comments; the ids are the figure's own on any page.
    """
    return finished(_drawing(pdf, running), pdf, transparent=transparent)


def finished(svg: str, pdf: bytes, *, transparent: bool = False) -> str:
    """What a program made of a figure as SVG, cleaned, with the words of its PDF; `ValueError` where it is no SVG."""
    from tikzgen.tex.svg import finished_svg

    return finished_svg(svg, words_of(pdf), paper=not transparent)


def _drawing(pdf: bytes, running: Running | None) -> str:
    from tikzgen.tex.pdf import has_patterns
    from tikzgen.tex.svg import clean_svg

    converters = svg_converters()
    if has_patterns(pdf):
        converters = tuple(found for found in converters if found.name != "dvisvgm")
        if not converters:
            raise _no_svg("dvisvgm loses the hatching and shading of this figure")
    failures = []
    for converter in converters:
        tool = SVG_TOOLS[converter.name]
        try:
            return clean_svg(_converted(converter, tool.arguments, tool.result, pdf, running).decode("utf-8"))
        except (LatexError, ValueError) as error:
            failures.append(str(error))
    raise LatexError("; ".join(failures))


def _no_svg(message: str) -> LatexMissing:
    from tikzgen.tex.install import Need, install_line, this_system

    return LatexMissing(message, hint=f"install pdftocairo: {install_line([Need.POPPLER], this_system())}")


def _by_pdfium(pdf: bytes, dpi: float, transparent: bool) -> bytes:
    import pypdfium2  # type: ignore[import-untyped]

    from tikzgen.tex.png import png_bytes

    with _PDFIUM:
        document = pypdfium2.PdfDocument(pdf)
        try:
            ground = (255, 255, 255, 0 if transparent else 255)
            bitmap = document[0].render(scale=dpi / 72, rev_byteorder=True, fill_color=ground)
            rows, width, height, stride = bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride
        finally:
            document.close()
    return png_bytes(rows, width, height, stride=stride, dpi=dpi, alpha=transparent, words=words_of(pdf))


def _converted(converter: Converter, arguments: str, result: str, pdf: bytes, running: Running | None) -> bytes:
    with workplace() as work:
        (work / "figure.pdf").write_bytes(pdf)
        ended = run([converter.path, *arguments.split()], cwd=work, limits=_LIMITS, running=running)
        made = work / result
        if ended.status == 0 and made.is_file():
            return made.read_bytes()
    raise LatexError(f"{converter.name} failed with {ended.last_words}")
