"""Program that reads an untrusted PDF and writes JSON: `python -m tikzgen.lint.probe.pdf.read_apart`.

The format is JSON, not pickle, because the output of the sandbox is untrusted and must not run code here.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from tikzgen.base.errors import LatexError
from tikzgen.base.record import as_dict
from tikzgen.compile.pdf import PACKAGES
from tikzgen.compile.sandbox import ProcessSandbox, ReaderProcess, made_of
from tikzgen.compile.tex.workplace import INPUT_NAME, OUTPUT_NAME
from tikzgen.lint.probe.marked_page import Marked, MarkedPage, MarkedPath, MarkedText
from tikzgen.lint.probe.page_data import MOST_PIXELS, Raster
from tikzgen.lint.probe.pdf.pdf_pages import find_pdfium, read_pdf

_KINDS: dict[str, type[Marked]] = {kind.__name__: kind for kind in (MarkedPath, MarkedText)}


def read_pdf_apart(pdf: bytes, cell: ProcessSandbox | None) -> list[MarkedPage]:
    """Return every page of a PDF, read with limits in the sandbox `cell`. Raise `LatexError` if unreadable."""
    find_pdfium()  # better message than from inside the sandbox
    return read_json(made_of(ReaderProcess("tikzgen.lint.probe.pdf.read_apart", PACKAGES, "PDFium"), pdf, cell=cell))


def written_as_json(pages: list[MarkedPage]) -> str:
    """Return pages as JSON."""
    told = [(page.width, page.height, list(map(_as_list, page.things)), _pack_raster(page.raster)) for page in pages]
    return json.dumps(told, separators=(",", ":"))


def _as_list(thing: Marked) -> list[Any]:
    return [type(thing).__name__, *as_dict(thing).values()]


def read_json(text: str | bytes) -> list[MarkedPage]:
    """Return pages from JSON. Raise `LatexError` for anything else."""
    try:
        pages = json.loads(text)
        if not isinstance(pages, list):
            raise TypeError
        return [
            MarkedPage(width, height, tuple(_from_list(*facts) for facts in things), _unpack_raster(pixels))
            for width, height, things, pixels in pages
        ]
    except (ValueError, TypeError, LookupError, RecursionError, zlib.error):
        raise LatexError("PDFium returned an invalid page") from None


def _from_list(kind: str, *facts: Any) -> Marked:
    return _KINDS[kind](*map(_as_tuples, facts))


def _pack_raster(raster: Raster | None) -> tuple[int, int, float, str] | None:
    if raster is None:
        return None
    pixels = b64encode(zlib.compress(raster.pixels, 1)).decode()
    return raster.width, raster.height, raster.scale, pixels


def _unpack_raster(packed: Any) -> Raster | None:
    if packed is None:
        return None
    width, height, scale, text = int(packed[0]), int(packed[1]), float(packed[2]), packed[3]
    size = 4 * width * height
    if width < 0 or height < 0 or size > 4 * MOST_PIXELS:
        raise ValueError("too many pixels")
    # The size limit protects from a compressed bomb.
    pixels = zlib.decompressobj().decompress(b64decode(text), size + 1)
    if len(pixels) != size:
        raise ValueError("not as many pixels as it says")
    return Raster(width, height, scale, pixels)


def _as_tuples(value: Any) -> Any:
    """Convert lists to tuples."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def main() -> None:
    """Read the file in the current folder that `tikzgen.compile.sandbox.reader_process` put there."""
    Path(OUTPUT_NAME).write_text(written_as_json(read_pdf(Path(INPUT_NAME).read_bytes())), "ascii")


if __name__ == "__main__":
    main()
