"""All that is made of one file for the page: its picture or its troubles, and what stands beside it.

It is made here, or by workers that have a copy of the `Studio`: they have a time limit, and can be ended at any time.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tikzgen.apart.notes import working_on
from tikzgen.base.errors import FileRefused, LatexError, TikzgenError, system_error
from tikzgen.base.record import Record
from tikzgen.compile.build_figures import notes_of
from tikzgen.compile.confine import Cell
from tikzgen.compile.containment import cell_for
from tikzgen.compile.convert import to_png
from tikzgen.compile.figure_jobs import figure_source
from tikzgen.compile.figure_words import words_in
from tikzgen.compile.pdf import page_size
from tikzgen.compile.produce import Settings, open_workshop
from tikzgen.compile.truth import measured
from tikzgen.compile.without_tex import drawn_svg
from tikzgen.describe import About
from tikzgen.drawing.refused import Unsupported
from tikzgen.lint.checking import check_read
from tikzgen.lint.findings import Finding
from tikzgen.lint.valid import valid_reading
from tikzgen.plane.units import CM_PER_PT
from tikzgen.probe.look_at_figures import Drawing, drawing_of, look_at
from tikzgen.reading import Reading
from tikzgen.tikz.render_figure import render
from tikzgen.watch.editing import Request, edit
from tikzgen.watch.form_fields import Field, fields_read
from tikzgen.watch.troubles import Trouble, troubles_of

_DPI = 288  # of PNG: three pixels for each of CSS, so that it is sharp on any screen
_PAPER = re.compile(r"^\\definecolor\{paper\}\{HTML\}\{([0-9A-Fa-f]{6})\}", re.MULTILINE)
_LATER = sys.maxsize  # formats (`tikzgen.compile.formats`) are made only when somebody has time for that


class Picture(Record):
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

    def facts(self) -> dict[str, Any]:
        """What the page is told of it, beside its bytes."""
        size = {"width": round(self.width, 4), "height": round(self.height, 4)}
        return {**size, "paper": self.paper, "alt": self.alt, "language": self.language, "notes": list(self.notes)}


class Drawn(Record):
    """A picture, and the TeX that it is of."""

    picture: Picture
    source: str


class Failed(Record):
    """What is wrong with the file; `refused`: it could not be read. An error of ours, or of the disk, is `settled`."""

    troubles: tuple[Trouble, ...]
    refused: bool = False
    settled: bool = False


class Looked(Record):
    """What stands beside the picture, and lines for who watches."""

    findings: tuple[Finding, ...] = ()
    fields: tuple[Field, ...] = ()
    told: tuple[str, ...] = ()


class Studio(Record):
    """Makes it; the choices are those of `tikzgen build`, `geometry` is that of `tikzgen check`."""

    settings: Settings
    allow_invalid: bool = False
    trust: bool = False
    measure: bool = False
    geometry: bool = False

    def views(self, path: Path) -> Iterator[Drawn | Failed | Looked]:
        """First the picture or what is wrong, then what stands beside it."""
        reading = Reading(path, drawn=True)
        source = drawn = None
        try:
            source = self.source(reading)
            yield Drawn(self.picture(source, path), source)
            drawn = source
        except TikzgenError as error:
            yield Failed(troubles_of(error, path, source), refused=isinstance(error, FileRefused))
        except OSError as error:  # no room for temporary files, for one
            yield Failed((Trouble(f"{path}: {system_error(error)}"),), settled=True)
        except Exception as error:
            report(error)
            yield Failed((Trouble(f"{path}: tikzgen failed: {type(error).__name__}: {error}"),), settled=True)
        working_on(str(path))
        yield self.look(reading, drawn)

    def source(self, reading: Reading) -> str:
        """The TeX of a file: rendered from a spec, or as it stands. Raises what is wrong with it."""
        path = Path(reading.path)
        if path.exists() and not path.is_file() and not path.is_dir():
            raise FileRefused(f"{path}: is no regular file")  # reading a pipe might never end
        if path.suffix.lower() == ".tex":
            return figure_source(path)()
        valid = valid_reading(reading, allow_invalid=self.allow_invalid)
        return render(measured(valid.figure, trust=self.trust)).tex if self.measure else valid.rendered.tex

    def picture(self, source: str, path: Path) -> Picture:
        """The picture of a file's TeX; `LatexError` where it does not compile, `LatexMissing` where nothing can."""
        workshop = open_workshop(("pdf",), self.settings, pays_after=_LATER)
        cell = self._cell(source, path)
        made = workshop.produce(source, path.stem, cell=lambda: cell)
        pdf, words = made.files["pdf"], words_in(source)
        try:
            width, height = (length * CM_PER_PT for length in page_size(pdf))
        except ValueError as error:
            raise LatexError(f"the PDF cannot be shown: {error}") from None
        kind, data = _shown(source, pdf, words, cell)
        paper = _PAPER.search(source)
        return Picture(
            data,
            kind,
            width,
            height,
            pdf,
            paper=f"#{paper[1]}" if paper else "",
            alt=words.alt,
            language=words.told_in or words.language,
            notes=(*notes_of(source), *made.notes),
        )

    def look(self, reading: Reading, drawn: str | None) -> Looked:
        """The findings of `tikzgen check`, and the fields of the form; none of what cannot be read.

        `drawn` is the TeX of the picture, whose texts TeX may have measured; what is not drawn has no geometry.
        """
        found: list[Finding] = []
        told: list[str] = []
        fields: tuple[Field, ...] = ()
        if not Path(reading.path).is_file():
            return Looked()
        try:
            found += check_read(reading)
            fields = fields_read(reading, allow_invalid=self.allow_invalid)
            if self.geometry and drawn is not None and (drawing := drawing_of(reading)) is not None:
                limits: dict[str, Any] = {"trust": self.trust, "time_limit": self.settings.time_limit}
                as_drawn = Drawing(drawing.name, drawn, drawing.width, drawing.described)
                seen = look_at([as_drawn], engine=self.settings.engine, **limits)
                told += [f"no geometry: {error}" for error in seen.errors]
                found += seen.findings
        except TikzgenError:
            pass  # it stands in place of the picture
        return Looked(tuple(found), fields, tuple(told))

    def prepare(self, path: Path, source: str) -> Iterator[None]:
        """Have TeX read the preamble once and keep what it knows then; its files are in memory after that, too."""
        if self._cell(source, path) is None:
            open_workshop(("pdf",), self.settings, pays_after=1).compiled(source, path.stem)
        yield None

    def edit(self, path: Path, request: Request) -> Iterator[bool]:
        """Change the file as the form asks; whether that took a write."""
        yield edit(path, request, allow_invalid=self.allow_invalid)

    def _cell(self, source: str, path: Path) -> Cell | None:
        """The sandbox that it is compiled in, if any."""
        found, cache = path.suffix.lower() == ".tex", self.settings.cache
        return cell_for(source, path.stem, file=path, found=found, trust=self.trust, cache=cache)


def preamble_of(source: str) -> str:
    """What TeX reads before the figure."""
    return source.partition("\\begin{document}")[0]


def _shown(source: str, pdf: bytes, words: About, cell: Cell | None) -> tuple[str, bytes]:
    """The figure as SVG, which is sharp at any size; the page as PNG where only TeX can set it."""
    try:
        return "svg", drawn_svg(source, transparent=True)
    except Unsupported:
        return "png", to_png(pdf, words, dpi=_DPI, cell=cell)


def report(error: Exception) -> None:
    """Print a mistake of ours, as it came."""
    traceback.print_exception(error, file=sys.stderr)
