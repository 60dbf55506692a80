"""From a file to the picture on the page: rendered, compiled, turned into SVG; PNG where nothing makes SVG."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tikzgen.errors import FileRefused, LatexError
from tikzgen.tex.cache import Cache
from tikzgen.tex.process import Running
from tikzgen.tex.produce import Product, Settings, open_workshop

__all__ = ["Maker", "Picture", "Started"]

_DPI = 288  # of PNG: three pixels for each of CSS, so that it is sharp on any screen
_NOTE = re.compile(r"^ +% note: (.+)$", re.MULTILINE)
_PAPER = re.compile(r"^\\definecolor\{paper\}\{HTML\}\{([0-9A-Fa-f]{6})\}", re.MULTILINE)

Started = Callable[[Running], None]
"""Told what runs the programs, so that they can be stopped."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as the page shows it; `width` and `height` are true, in cm, `paper` is the colour below it."""

    data: bytes
    kind: str
    width: float
    height: float
    pdf: bytes
    paper: str = ""
    notes: tuple[str, ...] = ()


class Maker:
    """Makes pictures; `allow_invalid` and `trust` are as in `tikzgen build`."""

    def __init__(self, settings: Settings, *, allow_invalid: bool = False, trust: bool = False) -> None:
        self._settings = settings
        self.allow_invalid = allow_invalid
        self._trust = trust

    def source(self, path: Path) -> str:
        """The TeX of a file: rendered from a spec, or as it stands. Raises what is wrong with it."""
        from tikzgen.tex.sources import figure_source

        if path.exists() and not path.is_file() and not path.is_dir():
            raise FileRefused(f"{path}: is no regular file")  # reading a pipe might never end
        return figure_source(path, self.allow_invalid)()

    def picture(self, source: str, path: Path, started: Started) -> Picture:
        """The picture of a file's TeX; `LatexError` where it does not compile, `LatexMissing` where nothing can."""
        from tikzgen.tex.pdf import CM_PER_PT, page_size

        running = _Told(started)
        made = self._compiled(source, path, self._settings, running)
        pdf = made.files["pdf"]
        try:
            width, height = (length * CM_PER_PT for length in page_size(pdf))
        except ValueError as error:
            raise LatexError(f"the PDF cannot be shown: {error}") from None
        kind, data = _shown(pdf, running.last)
        # what the file says of its own drawing: what was merged or left out
        notes = _NOTE.findall(source.partition("\\end{document}")[0])
        return Picture(data, kind, width, height, pdf, _paper(source), (*notes, *made.notes))

    def warm_up(self, source: str, path: Path, started: Started) -> None:
        """Compile although the cache may hold the result: the next compilation finds TeX's files in memory."""
        self._compiled(source, path, replace(self._settings, cache=Cache(None)), started)

    def prune(self) -> None:
        """Keep the cache within its limit: every version on the way leaves a PDF there."""
        self._settings.cache.prune()

    def _compiled(self, source: str, path: Path, settings: Settings, started: Started) -> Product:
        from tikzgen.tex.foreign import is_foreign

        workshop = open_workshop(("pdf",), settings)
        started(workshop.running)
        found = path.suffix.lower() == ".tex"  # not made here, so perhaps a stranger's
        return workshop.produce(source, path.stem, foreign=found and not self._trust and is_foreign(source))


def _paper(source: str) -> str:
    """What the figure is drawn for, from its palette: `#FFFFFF`; empty where it says nothing."""
    found = _PAPER.search(source)
    return f"#{found[1]}" if found else ""


class _Told:
    """Passes on what runs the programs, and remembers it."""

    def __init__(self, started: Started) -> None:
        self._started = started
        self.last: Running | None = None

    def __call__(self, running: Running) -> None:
        self.last = running
        self._started(running)


def _shown(pdf: bytes, running: Running | None) -> tuple[str, bytes]:
    """The first page as SVG, which is sharp at any size; as PNG where nothing here draws it as SVG."""
    from tikzgen.tex.convert import to_png, to_svg

    try:
        return "svg", to_svg(pdf, running=running).encode()
    except LatexError as failure:
        try:
            return "png", to_png(pdf, dpi=_DPI, running=running)
        except LatexError:
            raise failure from None
