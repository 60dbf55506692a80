"""Views of a file for the page: its picture or its errors, its findings, fields and elements.

This process makes them, or workers with a copy of the `Studio` do. Workers have a time limit and can be stopped at any
time.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.child import working_on
from tikzgen.base.errors import FileRefused, LatexError, LatexMissing, TikzgenError, system_error
from tikzgen.base.read_files import record_files
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.compile.convert import to_png
from tikzgen.compile.draw import GlyphsMissing, Unsupported
from tikzgen.compile.figure_jobs import read_tex
from tikzgen.compile.formats_without_tex import drawn_fonts, drawn_pdf, drawn_svg
from tikzgen.compile.make_formats import Settings, glyphs_missing, open_workshop
from tikzgen.compile.pdf import page_size
from tikzgen.compile.sandbox import ProcessSandbox, cell_for
from tikzgen.compile.true_text_sizes import with_true_sizes
from tikzgen.edit.find_words import find_words
from tikzgen.edit.session import Session
from tikzgen.emit.render_figure import render
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.check_figure import check_read
from tikzgen.lint.probe.look_at_figures import FigureToProbe, drawing_of, look_at
from tikzgen.lint.read_valid import valid_reading
from tikzgen.lint.registry import Finding
from tikzgen.model.about import About
from tikzgen.model.looks import PALETTES
from tikzgen.model.operations import read_operation
from tikzgen.serve.watch.click_and_drag import ElementBox, spots_of
from tikzgen.serve.watch.editing import FieldChange, edit
from tikzgen.serve.watch.form_fields import Field, fields_read
from tikzgen.serve.watch.troubles import Trouble, troubles_of
from tikzgen.serve.watch.views import WatchedPicture, draw_partial_picture, drawn_picture, paper_of, picture_of
from tikzgen.spec.load_figure import load_from_text

_DPI = 288  # of PNG: three pixels per CSS pixel, for sharp pictures on any screen
_NEVER_COUNT = sys.maxsize  # formats of preambles are made in idle time only


class PictureOfFigure(Record):
    """TeX of a figure, and its picture, or None while only TeX can make it.

    `files` has the files that it was made from, as `record_files` returns them.
    """

    picture: WatchedPicture | None
    source: str
    files: Mapping[str, int | None] = NOTHING


class Failed(Record):
    """Errors of a file: `refused` if it could not be read, `settled` for an error of tikzgen or the disk."""

    troubles: tuple[Trouble, ...]
    refused: bool = False
    settled: bool = False
    files: Mapping[str, int | None] = NOTHING


class WatchFindings(Record):
    """Findings, fields and elements of a figure, and lines for the terminal."""

    findings: tuple[Finding, ...] = ()
    fields: tuple[Field, ...] = ()
    told: tuple[str, ...] = ()
    spots: tuple[ElementBox, ...] = ()


class Studio(Record):
    """Maker of views, with the options of `tikzgen build`, and of `tikzgen check` for `geometry`."""

    settings: Settings
    allow_invalid: bool
    trust: bool
    measure: bool
    geometry: bool

    def warm_up(self) -> None:
        """Draw a figure and discard it, so that templates and fonts are loaded before the first request."""
        drawn_picture(render(load_from_text("recipe: data-parallel\nworkers: 1\n")).tex)

    def draw(self, path: Path) -> Iterator[PictureOfFigure | Failed]:
        """Yield the first view: the picture, if it needs no TeX, or the errors of the file."""
        found: PictureOfFigure | Failed
        with record_files() as read:
            try:
                source = self.make_tex(SpecReading(path, drawn=True))
                picture = drawn_picture(source)
                if picture is None and path.suffix.lower() == ".tex":
                    picture = draw_partial_picture(source)
                found = PictureOfFigure(picture, source)
            except Exception as error:
                found = _view_of_error(error, path)
        yield replace(found, files=read.changed)

    def finish(self, path: Path, drawn: PictureOfFigure | None) -> Iterator[PictureOfFigure | Failed | WatchFindings]:
        """Yield the remaining views: findings and fields, and the result of TeX.

        The result of TeX is first if there is no picture yet.
        """
        reading = SpecReading(path, drawn=True)
        if drawn is None:
            yield self.look(reading, None)
            return
        if drawn.picture is not None:
            yield self.look(reading, drawn.source)
            working_on(str(path))
        seen: str | None = None
        try:
            yield PictureOfFigure(self.make_picture(drawn.source, path, drawn.picture), drawn.source)
            seen = drawn.source
        except Exception as error:
            yield _view_of_error(error, path, drawn.source)
        if drawn.picture is None:
            working_on(str(path))
            yield self.look(reading, seen)

    def make_tex(self, reading: SpecReading) -> str:
        """Return the TeX of a file: rendered from a spec, or its contents. Raise the errors of the file."""
        path = Path(reading.path)
        if path.exists() and not path.is_file() and not path.is_dir():
            raise FileRefused(f"{path}: is not a regular file")  # reading a pipe might never end
        if path.suffix.lower() == ".tex":
            return read_tex(path)
        valid = valid_reading(reading, allow_invalid=self.allow_invalid)
        return render(with_true_sizes(valid.figure, trust=self.trust)).tex if self.measure else valid.render_result.tex

    def make_picture(self, source: str, path: Path, at_once: WatchedPicture | None) -> WatchedPicture:
        """Return the picture of a file's TeX.

        A picture `at_once` stays, and gets a PDF: TeX's, or a drawn one without an engine. A partial picture stays
        only without an engine. Raise `LatexError` if the figure does not compile, `LatexMissing` if no program can
        make it.
        """
        try:
            workshop = open_workshop(("pdf",), self.settings, pays_after=_NEVER_COUNT)
        except LatexMissing as missing:
            if at_once is not None and at_once.is_partial:
                return at_once
            if at_once is not None:
                return replace(at_once, pdf=drawn_pdf(source, find_words(source)))
            try:
                drawn_fonts(source)
            except GlyphsMissing as error:
                raise glyphs_missing(error) from None
            except Unsupported:
                pass
            raise missing from None
        cell = self._make_sandbox(source, path)
        made = workshop.make_product(source, path.stem, cell=lambda: cell)
        pdf, words = made.files["pdf"], find_words(source)
        if at_once is not None and not at_once.is_partial:
            return replace(at_once, pdf=pdf, notes=(*at_once.notes, *made.notes))
        try:
            size = page_size(pdf)
        except ValueError as error:
            raise LatexError(f"the PDF cannot be shown: {error}") from None
        kind, data = _draw_page(source, pdf, words, cell)
        return picture_of(source, kind, data, size, words, pdf=pdf, notes=made.notes)

    def look(self, reading: SpecReading, drawn: str | None) -> WatchFindings:
        """Return the findings of `tikzgen check`, and the fields of the form; empty for an unreadable file.

        `drawn` is the TeX of the picture, whose labels TeX may have measured. Without it, the geometry is not checked.
        """
        found: list[Finding] = []
        told: list[str] = []
        fields: tuple[Field, ...] = ()
        spots: tuple[ElementBox, ...] = ()
        if not Path(reading.path).is_file():
            return WatchFindings()
        try:
            found += check_read(reading)
            fields = fields_read(reading, allow_invalid=self.allow_invalid)
            if drawn is not None:
                spots = spots_of(drawn, fields, is_file=Path(reading.path).suffix.lower() == ".tex")
            if self.geometry and drawn is not None and (drawing := drawing_of(reading)) is not None:
                limits: dict[str, Any] = {"trust": self.trust, "time_limit": self.settings.time_limit}
                as_drawn = FigureToProbe(drawing.name, drawn, drawing.width, drawing.described)
                seen = look_at([as_drawn], engine=self.settings.engine, **limits)
                told += [f"no geometry: {error}" for error in seen.errors]
                found += seen.findings
        except TikzgenError:
            pass  # the page shows the error in place of the picture
        return WatchFindings(tuple(found), fields, tuple(told), spots)

    def prepare(self, path: Path, source: str) -> Iterator[None]:
        """Let TeX dump the preamble for later runs; this also loads TeX's files into memory."""
        if self._make_sandbox(source, path) is None:
            open_workshop(("pdf",), self.settings, pays_after=1).compile_figure(source, path.stem)
        yield None

    def edit(self, path: Path, request: FieldChange) -> Iterator[bool]:
        """Change the file as the form requests; yield whether it was written."""
        yield edit(path, request, allow_invalid=self.allow_invalid)

    def other(self, path: Path) -> Iterator[WatchedPicture]:
        """Yield the figure in the other palette: dark for a light one. Raise errors that prevent this."""
        source = self.make_tex(SpecReading(path, drawn=True))
        palette = "light" if paper_of(source).upper() == f"#{PALETTES['dark']['paper']}" else "dark"
        session = Session(source, str(path))
        session.apply(read_operation("palette", {"palette": palette}))
        picture = drawn_picture(session.result().tex)
        if picture is None:
            raise FileRefused(f"{path}: TeX alone can set this, in one palette at a time")
        yield picture

    def _make_sandbox(self, source: str, path: Path) -> ProcessSandbox | None:
        """Return the sandbox for its TeX, or None."""
        found, cache = path.suffix.lower() == ".tex", self.settings.cache
        return cell_for(source, path.stem, file=path, found=found, trust=self.trust, cache=cache)


def _view_of_error(error: Exception, path: Path, source: str | None = None) -> Failed:
    """Return the view of an error."""
    if isinstance(error, TikzgenError):
        return Failed(troubles_of(error, path, source), refused=isinstance(error, FileRefused))
    if isinstance(error, OSError):  # for example, no space for temporary files
        return Failed((Trouble(f"{path}: {system_error(error)}"),), settled=True)
    report(error)
    return Failed((Trouble(f"{path}: tikzgen failed: {type(error).__name__}: {error}"),), settled=True)


def preamble_of(source: str) -> str:
    """Return the TeX before the document."""
    return source.partition("\\begin{document}")[0]


def _draw_page(source: str, pdf: bytes, words: About, cell: ProcessSandbox | None) -> tuple[str, bytes]:
    """Return the figure as SVG, which is sharp at any size; as PNG if only TeX can set it."""
    try:
        return "svg", drawn_svg(source, words, transparent=True)
    except Unsupported:
        return "png", to_png(pdf, words, dpi=_DPI, cell=cell)


def report(error: Exception) -> None:
    """Print an internal error with its traceback."""
    traceback.print_exception(error, file=sys.stderr)
