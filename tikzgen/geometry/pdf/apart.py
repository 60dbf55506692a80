"""A stranger's PDF read by a program of its own: `python -m tikzgen.geometry.pdf.apart` writes what it read as JSON.

JSON and no pickle: what comes out of the sandbox is a stranger's still, and must not be able to run anything here.
"""

from __future__ import annotations

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tikzgen.errors import LatexError
from tikzgen.geometry.pdf.data import Drawn, Run, Sheet
from tikzgen.tex.confine import Cell
from tikzgen.tex.results import GIVEN, MADE

__all__ = ["read", "sheets_apart", "written"]

_KINDS: dict[str, type[Drawn] | type[Run]] = {"Drawn": Drawn, "Run": Run}


def sheets_apart(pdf: bytes, cell: Cell | None) -> list[Sheet]:
    """Every page of a PDF, read within limits and in the sandbox of `cell`; `LatexError` where it cannot be read."""
    from tikzgen.tex.child import Reader, made_of
    from tikzgen.tex.pdfium import PACKAGES

    return read(made_of(Reader("tikzgen.geometry.pdf.apart", PACKAGES, "PDFium"), pdf, cell=cell))


def written(sheets: list[Sheet]) -> bytes:
    """Pages as JSON."""
    pages = [
        [sheet.width, sheet.height, [[type(thing).__name__, *astuple(thing)] for thing in sheet.things]]
        for sheet in sheets
    ]
    return json.dumps(pages, separators=(",", ":")).encode()


def read(data: bytes) -> list[Sheet]:
    """Pages from JSON. `LatexError` where it is something else."""
    try:
        pages = json.loads(data)
        if not isinstance(pages, list):
            raise TypeError
        return [
            Sheet(width, height, tuple(_KINDS[kind](*map(_fixed, facts)) for kind, *facts in things))
            for width, height, things in pages
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LatexError("PDFium gave something that is no page") from None


def _fixed(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def main() -> None:
    """Read the file in the current folder that `tikzgen.tex.child` put there."""
    from tikzgen.geometry.pdf.sheets import open_sheets

    Path(MADE).write_bytes(written(open_sheets(Path(GIVEN).read_bytes())))


if __name__ == "__main__":
    main()
