"""Geometry of figures from their sources: cached if measured before, otherwise measured by TeX."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import LatexError, TikzgenError
from tikzgen.base.record import Record
from tikzgen.base.version_and_cache_folder import cache_folder
from tikzgen.compile.sandbox import ProcessSandbox, cell_for
from tikzgen.compile.tex import SETTINGS, Engine, Running, engine_named, find_engine, find_hole
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.lint.probe.marked_page import MarkedPage, read_records, records_by_figure
from tikzgen.lint.probe.page_data import PageData
from tikzgen.lint.probe.pdf.pdf_pages import read_pdf
from tikzgen.lint.probe.pdf.read_apart import read_json, read_pdf_apart, written_as_json
from tikzgen.lint.probe.read_pages import read_page
from tikzgen.lint.probe.tex_runs import Batch, ProbeRun, engine_of, make_batches, measure

_PROBE_FILE = "drawing.tex"


class Probed(Record):
    """Pages of a figure, or the error that prevented its measurement."""

    pages: tuple[PageData, ...] = ()
    error: TikzgenError | None = None


def probe(
    sources: Sequence[str],
    *,
    engine: Engine | str | None = None,
    time_limit: float = TIME_LIMIT_SECONDS,
    cache: Cache | None = None,
    cells: Sequence[ProcessSandbox | None] | None = None,
    running: Running | None = None,
) -> list[Probed]:
    """Return the geometry of figures (contents of .tex files), in order.

    Figures that can share a run are set in one run, a page each. If the run fails, each half runs separately, so only
    a figure that does not compile has an `error`. Without `engine`, each figure selects its engine (`% !TeX program`,
    or the needs of its packages). `time_limit` is in seconds for each figure. `cells` are the sandboxes; if omitted,
    `sandbox.needs_sandbox` decides. `running` can stop all runs. Results are cached by source and engine.

    Raise `LatexMissing` if an engine is not installed, and `FileRefused` if a required sandbox is not available.
    """
    cache = cache if cache is not None else Cache(cache_folder())
    engines = [engine_named(engine) if engine is not None else engine_of(source) for source in sources]
    if cells is None:
        cells = [cell_for(source, "the figure", cache=cache) for source in sources]
    ways = list(zip(engines, cells, strict=True))
    keys = [_make_probe_key(source, *way) for source, way in zip(sources, ways, strict=True)]
    found = _read_cached(keys, cache)
    for way in dict.fromkeys(ways):
        mine = {
            key: source
            for source, key, each in zip(sources, keys, ways, strict=True)
            if each == way and key not in found
        }
        found |= _probe_figures(mine, _Runs(*way, time_limit, cache, running))
    return [found[key] for key in keys]


def _read_cached(keys: Sequence[str], cache: Cache) -> dict[str, Probed]:
    """Return the cached results, by key."""
    found = {}
    for key in dict.fromkeys(keys):
        with suppress(LatexError, ValueError, zlib.error):
            records, pages = json.loads(zlib.decompress(cache.get(key) or b""))
            found[key] = _probed_pages(records, read_json(pages))
    return found


class _Runs(Record):
    """Settings of the runs: engine, sandbox if any, seconds for each figure, and cache."""

    engine: Engine
    cell: ProcessSandbox | None
    time_limit: float
    cache: Cache
    running: Running | None


def _probe_figures(sources: Mapping[str, str], how: _Runs) -> dict[str, Probed]:
    """Probe figures by their keys, in as few runs as possible."""
    keys = list(sources)
    found: dict[str, Probed] = {}
    for batch in make_batches(list(sources.values())):
        found |= _run_batch(batch, {keys[number]: sources[keys[number]] for number in batch.figures}, how)
    return found


def _run_batch(batch: Batch, sources: Mapping[str, str], how: _Runs) -> dict[str, Probed]:
    """Return the results of one run; if it fails, run its halves separately."""
    keys = list(sources)
    try:
        measured = measure(batch, how.engine, cell=how.cell, time_limit=how.time_limit, running=how.running)
        if (figures := _by_figure(measured, how.cell)) and len(figures) == len(keys):
            found = {key: _probed_pages(*figure) for key, figure in zip(keys, figures, strict=True)}
            for key, (records, pages) in zip(keys, figures, strict=True):
                how.cache.store(key, zlib.compress(json.dumps([records, written_as_json(pages)]).encode(), 1))
            return found
        why = LatexError("it gives another number of pages than figures")
    except LatexError as error:
        why = error
    if len(keys) == 1:
        return {keys[0]: Probed(error=_find_failure_reason(sources[keys[0]], how, why))}
    halves = keys[: len(keys) // 2], keys[len(keys) // 2 :]
    first, second = (_probe_figures({key: sources[key] for key in half}, how) for half in halves)
    return first | second


def _by_figure(measured: ProbeRun, cell: ProcessSandbox | None) -> list[tuple[list[str], list[MarkedPage]]] | None:
    """Return the records and the pages of each figure of a run; None if the number of pages is wrong.

    A single figure has all pages of the run.
    """
    try:
        records = records_by_figure(measured.records)
    except ValueError:
        raise _make_unreadable_error() from None
    pages = read_pdf(measured.pdf) if cell is None else read_pdf_apart(measured.pdf, cell)
    if len(records) == 1:
        return [(records[0], pages)]
    return [(lines, [page]) for lines, page in zip(records, pages, strict=True)] if len(pages) == len(records) else None


def _probed_pages(records: list[str], pages: list[MarkedPage]) -> Probed:
    """Return the pages of a figure. Raise `LatexError` if its records are invalid."""
    try:
        read = read_records(records, _PROBE_FILE)
        return Probed(tuple(read_page(page, read) for page in pages))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise _make_unreadable_error() from None


def _make_unreadable_error() -> LatexError:
    return LatexError("cannot read the output of TeX for this figure")


def _find_failure_reason(source: str, how: _Runs, why: LatexError) -> TikzgenError:
    """Return the compilation error of a figure, or an error that states why only its measurement fails."""
    limits: dict[str, Any] = {"time_limit": how.time_limit, "running": how.running}
    try:
        compiled = compile_tex(source, engine=how.engine, cell=how.cell, **limits)
    except LatexError as error:
        return error
    unmeasured = f"{how.engine} compiles the figure, but it cannot be measured: {why.message}"
    return find_hole(compiled.log, engine=how.engine) or LatexError(unmeasured, hint=why.hint)


def _make_probe_key(source: str, engine: Engine, cell: ProcessSandbox | None) -> str:
    installed = find_engine(engine)
    settings = " ".join(map("=".join, SETTINGS.items()))
    where = "confined" if cell else ""
    return cache_key("geometry", program_key(), engine, installed.version, settings, where, source)
