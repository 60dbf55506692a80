"""Checks of files by geometry: render descriptions, measure figures in few TeX runs, apply all rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache
from tikzgen.base.child import working_on
from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import FileRefused, LatexError, TikzgenError
from tikzgen.base.record import Record
from tikzgen.base.version_and_cache_folder import cache_folder
from tikzgen.compile.diagnosis import with_cause
from tikzgen.compile.draw import Unsupported
from tikzgen.compile.sandbox import ProcessSandbox, cell_for
from tikzgen.compile.tex import NO_ENGINE, Engine, Running, engines_here
from tikzgen.lint.probe.drawn_pages import drawn_page
from tikzgen.lint.probe.page_with_source import Sheet
from tikzgen.lint.probe.probing import Probed, probe
from tikzgen.lint.probe.tex_runs import document_of, engine_of
from tikzgen.lint.registry import FINDINGS_PER_RULE, Finding, look
from tikzgen.lint.rule_table import GEOMETRY, rules_in
from tikzgen.model.looks import width_in_cm
from tikzgen.texfile import read_tex

if TYPE_CHECKING:
    from tikzgen.emit.spec_in_three_stages import SpecReading


class FigureToProbe(Record):
    """A figure to measure: the source of a .tex file, or the rendering of a description."""

    name: str
    source: str
    width: float | None = None
    described: str | None = None


@dataclass
class ProbeOutcome:
    """Findings of all drawings, and errors of drawings that could not be measured."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[TikzgenError] = field(default_factory=list)


def drawing_of(reading: SpecReading, *, width: float | None = None) -> FigureToProbe | None:
    """Return the figure in a file, or None if the file draws none, such as a list of operations.

    `width` is the width of the column in cm. Without it, the width in the description counts, if any.
    """
    path = str(reading.path)
    if path.endswith(".tex"):
        return FigureToProbe(path, read_tex(Path(path)), width)
    if path.endswith(".csv"):
        return None
    if path == "-":
        raise TikzgenError("standard input has no geometry to look at", hint="write it to a file")
    figure = reading.figure
    own = width_in_cm(figure.width) if figure.width is not None else None
    return FigureToProbe(path, reading.render_result.tex, width or own, reading.text)


def look_at(
    drawings: Sequence[FigureToProbe],
    *,
    engine: Engine | str | None = None,
    trust: bool = False,
    time_limit: float = TIME_LIMIT_SECONDS,
    running: Running | None = None,
) -> ProbeOutcome:
    """Return the findings in figures as TeX sets them, in the order of the figures and of their lines.

    Each figure is compiled in a sandbox if `compile.needs_sandbox` requires it. Without a sandbox, such a figure is an
    error, unless `trust` is set. With the engine "none", or without an installed engine, figures are drawn and TeX
    does not run. `time_limit` is in seconds, for each figure. `running` can stop all runs.
    """
    found = ProbeOutcome()
    if engine == NO_ENGINE or (engine is None and not engines_here()):
        for drawing in drawings:
            working_on(drawing.name)
            try:
                found.findings += findings_of(drawing, Probed((drawn_page(drawing.source),)), by_pdftex=False)
            except Unsupported as error:
                found.errors.append(LatexError(f"{drawing.name}: {error.message}", hint=error.hint))
        return found
    cells: list[ProcessSandbox | None] = []
    taken: list[FigureToProbe] = []
    for drawing in drawings:
        try:
            cells.append(_choose_sandbox(drawing, trust))
            taken.append(drawing)
        except FileRefused as refused:
            found.errors.append(refused)
    documents = [document_of(each.source) for each in taken]
    all_probed = probe(documents, engine=engine, time_limit=time_limit, cells=cells, running=running)
    for drawing, probed in zip(taken, all_probed, strict=True):
        working_on(drawing.name)
        if probed.error is not None:
            found.errors.append(_with_name(probed.error, drawing))
        used = engine or engine_of(drawing.source)
        found.findings += findings_of(drawing, probed, by_pdftex=used == Engine.PDFLATEX)
    return found


def _choose_sandbox(drawing: FigureToProbe, trust: bool) -> ProcessSandbox | None:
    """Return the sandbox in which the figure is compiled, if any."""
    found, cache = drawing.described is None, Cache(cache_folder())
    return cell_for(drawing.source, drawing.name, file=Path(drawing.name), found=found, trust=trust, cache=cache)


def findings_of(drawing: FigureToProbe, probed: Probed, *, by_pdftex: bool) -> list[Finding]:
    """Return the findings on the pages of one figure; `by_pdftex` states whether pdfTeX set them."""
    found: list[Finding] = []
    for number, page in enumerate(probed.pages, 1):
        facts = (drawing.width, drawing.described, number, len(probed.pages), by_pdftex)
        sheet = Sheet(drawing.name, drawing.source, page, *facts)
        found += look(sheet, rules_in(GEOMETRY, packages=True), FINDINGS_PER_RULE)
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda each: (each.place.line or 0, each.place.column or 0, each.code))


def _with_name(error: TikzgenError, drawing: FigureToProbe) -> TikzgenError:
    if isinstance(error, LatexError):
        return with_cause(error, drawing.source, Path(drawing.name))
    if drawing.name not in error.message:
        error.message = f"{drawing.name}: {error.message}"
    return error
