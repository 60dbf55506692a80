"""From a file to the picture on the page: rendered, compiled, turned into SVG; PNG where nothing makes SVG."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tikzgen.base.errors import FileRefused, LatexError
from tikzgen.compile.confine import Cell
from tikzgen.compile.process import Running
from tikzgen.compile.produce import Settings, Workshop, open_workshop
from tikzgen.compile.scratch import sweep
from tikzgen.lint.valid import valid_reading
from tikzgen.reading import Reading

__all__ = ["Maker", "Picture", "Started", "Stoppable", "unstoppable"]

_DPI = 288  # of PNG: three pixels for each of CSS, so that it is sharp on any screen
_PAPER = re.compile(r"^\\definecolor\{paper\}\{HTML\}\{([0-9A-Fa-f]{6})\}", re.MULTILINE)


class Stoppable(Protocol):
    """What can be stopped by another thread."""

    def stop(self) -> None:
        """End it, now or as soon as it begins."""


Started = Callable[[Stoppable], None]
"""Told what runs the programs, so that they can be stopped."""


def unstoppable(work: Stoppable) -> None:
    """For who does one thing after another: who stops that stops the process."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as the page shows it; `width` and `height` are true, in cm, `paper` is the colour below it.

    `alt` says what it shows, in its `language` where that is known, and `notes` what was merged or left out.
    """

    data: bytes
    kind: str
    width: float
    height: float
    pdf: bytes
    paper: str = ""
    alt: str = ""
    language: str = ""
    notes: tuple[str, ...] = ()


class Maker:
    """Makes pictures; `allow_invalid`, `trust` and `measure` are as in `tikzgen build`."""

    def __init__(
        self, settings: Settings, *, allow_invalid: bool = False, trust: bool = False, measure: bool = False
    ) -> None:
        self._settings = settings
        self.allow_invalid = allow_invalid
        self._trust = trust
        self._measure = measure
        self._prepared: set[str] = set()

    @property
    def time_limit(self) -> float:
        """In seconds, for rendering a figure, and for each of TeX's runs."""
        return self._settings.time_limit

    def source(self, reading: Reading, started: Started) -> str:
        """The TeX of a file: rendered from a spec, or as it stands. Raises what is wrong with it."""
        from tikzgen.compile.figure_jobs import figure_source

        path = Path(reading.path)
        if path.exists() and not path.is_file() and not path.is_dir():
            raise FileRefused(f"{path}: is no regular file")  # reading a pipe might never end
        if path.suffix.lower() == ".tex":
            return figure_source(path)()
        valid = valid_reading(reading, allow_invalid=self.allow_invalid)
        if not self._measure:
            return valid.rendered.tex
        from tikzgen.compile.truth import measured
        from tikzgen.tikz import render

        running = Running()
        started(running)
        return render(measured(valid.figure, trust=self._trust, running=running)).tex

    def picture(self, source: str, path: Path, started: Started) -> Picture:
        """The picture of a file's TeX; `LatexError` where it does not compile, `LatexMissing` where nothing can."""
        from tikzgen.compile.build_figures import notes_of
        from tikzgen.compile.pdf import page_size
        from tikzgen.compile.pdfwords import words_of
        from tikzgen.plane.units import CM_PER_PT

        workshop = self._opened(started)
        cell = self._cell(source, path)
        made = workshop.produce(source, path.stem, cell=cell)
        pdf = made.files["pdf"]
        try:
            width, height = (length * CM_PER_PT for length in page_size(pdf))
        except ValueError as error:
            raise LatexError(f"the PDF cannot be shown: {error}") from None
        kind, data = _shown(pdf, workshop.running, cell)
        words, notes = words_of(pdf), (*notes_of(source), *made.notes)
        return Picture(
            data, kind, width, height, pdf, _paper(source), words.alt, words.told_in or words.language, notes
        )

    def prepare(self, source: str, path: Path, started: Started) -> None:
        """Have TeX read the preamble once and keep what it knows then; its files are in memory after that, too.

        That is done once for each preamble, whatever the cache holds. Raises as `picture` does.
        """
        preamble = source.partition("\\begin{document}")[0]
        if preamble in self._prepared or self._cell(source, path):
            return
        workshop = self._opened(started, pays_after=1)
        self._settings.compiler(
            source,
            engine=workshop.installed.engine,
            time_limit=self._settings.time_limit,
            keep=None,
            name=path.stem,
            running=workshop.running,
            cell=None,
            formats=workshop.preambles,
        )
        self._prepared.add(preamble)

    def prune(self) -> None:
        """Keep the cache within its limit: every version on the way leaves a PDF there."""
        self._settings.cache.prune()
        sweep()

    def _opened(self, started: Started, pays_after: int = sys.maxsize) -> Workshop:
        """A workshop that makes formats (`tikzgen.compile.formats`) only when somebody has time for that."""
        workshop = open_workshop(("pdf",), self._settings)
        started(workshop.running)
        preambles = workshop.preambles and replace(workshop.preambles, pays_after=pays_after)
        return replace(workshop, preambles=preambles)

    def _cell(self, source: str, path: Path) -> Cell | None:
        """The sandbox that it is compiled in, if any."""
        from tikzgen.compile.containment import cell_for

        found, cache = path.suffix.lower() == ".tex", self._settings.cache
        return cell_for(source, path.stem, file=path, found=found, trust=self._trust, cache=cache)


def _paper(source: str) -> str:
    """What the figure is drawn for, from its palette: `#FFFFFF`; empty where it says nothing."""
    found = _PAPER.search(source)
    return f"#{found[1]}" if found else ""


def _shown(pdf: bytes, running: Running, cell: Cell | None) -> tuple[str, bytes]:
    """The first page as SVG, which is sharp at any size; as PNG where nothing here draws it as SVG."""
    from tikzgen.compile.convert import to_png, to_svg

    try:
        return "svg", to_svg(pdf, transparent=True, running=running, cell=cell).encode()
    except LatexError as failure:
        try:
            return "png", to_png(pdf, dpi=_DPI, running=running, cell=cell)
        except LatexError:
            raise failure from None
