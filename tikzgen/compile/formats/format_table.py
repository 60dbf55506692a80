"""Formats of finished figures: the table `FORMATS` and the base class of its entries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.defaults import PNG_DPI
from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.extensions import Table
from tikzgen.base.record import Record
from tikzgen.base.suggest import did_you_mean
from tikzgen.model.about import About

if TYPE_CHECKING:
    from tikzgen.compile.formats_without_tex import PartialPicture
    from tikzgen.compile.sandbox.sandbox import ProcessSandbox
    from tikzgen.compile.tex.process import Running


class Conversion(Record):
    """Options of a conversion: `dpi` for pixels, a white or a `transparent` background.

    `running` collects the programs that run. With a `cell`, the PDF is untrusted and only read in that sandbox.
    """

    dpi: float = PNG_DPI
    transparent: bool = False
    running: Running | None = None
    cell: ProcessSandbox | None = None


class Format:
    """A format of finished figures. Its name in the table is the suffix of its files."""

    signature: bytes
    """First bytes of each file in this format."""
    media_type: str
    """Media type for HTTP and notebooks."""
    has_pages = False
    """Whether one file contains all slides as pages; otherwise each slide is a file."""
    is_drawn_first = False
    """Whether drawing without TeX has priority over an installed TeX."""

    @abstractmethod
    def draw(self, source: str, words: About, way: Conversion, slide: int = 0) -> bytes:
        """Return the figure, or one slide of it, without TeX; `words` are its title and description.

        Raise `Unsupported` if only TeX can set it.
        """

    def draw_partly(self, source: str, words: About, way: Conversion) -> PartialPicture | None:
        """Return the partial picture without TeX; None if pictures of this format must be exact.

        Raise `Unsupported` for a file without a picture.
        """
        return None

    @abstractmethod
    def convert(self, pdf: bytes, words: About, way: Conversion) -> bytes:
        """Return the figure of a PDF that TeX made; `words` are its title and description."""

    def describe_converter(self) -> str:
        """Return the name and version of the program that converts, a part of cache keys; empty for none."""
        return ""

    def slide_names(self, count: int) -> list[str]:
        """Return the names of the files that `draw_slides` makes."""
        return [str(slide) for slide in range(1, count + 1)]

    def draw_slides(self, source: str, words: About, way: Conversion, count: int) -> dict[str, bytes]:
        """Return each slide by its name, without TeX."""
        return {str(slide): self.draw(source, words, way, slide) for slide in range(1, count + 1)}


FORMATS: Table[Format] = Table(
    "formats",
    {
        "pdf": "tikzgen.compile.formats.pdf_format:PdfFormat",
        "png": "tikzgen.compile.formats.png_format:PngFormat",
        "svg": "tikzgen.compile.formats.svg_format:SvgFormat",
    },
    needed=(
        *("signature", "media_type", "has_pages", "is_drawn_first"),
        *("draw", "draw_partly", "convert", "describe_converter", "slide_names", "draw_slides"),
    ),
)


def find_format(name: str) -> Format:
    """Return the format of that name; raise `TikzgenError` for an unknown name."""
    if name not in FORMATS:
        raise TikzgenError(f"unknown format {quote(name)}", hint=f"the formats are {list_formats()}")
    return FORMATS[name]


def list_formats(names: Iterable[str] | None = None) -> str:
    """Return the names of the formats for a message."""
    return ", ".join(FORMATS.list_entry_names() if names is None else names)


def is_built(path: Path) -> bool:
    """Return whether a figure is built into this file, not written as .tex.

    Raise `TikzgenError` for any other suffix.
    """
    suffix = path.suffix.lower()
    if suffix == ".tex":
        return False
    if suffix.removeprefix(".") in FORMATS:
        return True
    known = [f".{name}" for name in ("tex", *FORMATS)]
    hint = did_you_mean(path.suffix, known)
    raise TikzgenError(f"{path}: figures are written as {', '.join(known[:-1])} or {known[-1]}", hint=hint)
