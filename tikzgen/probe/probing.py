"""Sources in, geometry out: from the cache where it was measured before, by TeX otherwise."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.errors import LatexError, TikzgenError
from tikzgen.base.record import Record
from tikzgen.base.shipped import cache_folder
from tikzgen.compile.argv import SETTINGS
from tikzgen.compile.compile_tex import compile_tex
from tikzgen.compile.confine import Cell
from tikzgen.compile.containment import cell_for
from tikzgen.compile.engines import Engine, engine_named, find_engine
from tikzgen.compile.failures import hole
from tikzgen.compile.process import Running
from tikzgen.probe.batching import Batch, batches
from tikzgen.probe.page_data import Page
from tikzgen.probe.pdf import Sheet
from tikzgen.probe.pdf.sheets import open_sheets
from tikzgen.probe.read_pages import read_page
from tikzgen.probe.records import read_records
from tikzgen.probe.run import Measured, engine_of, measure

_OWN = "drawing.tex"


class Probed(Record):
    """A figure's pages, or why there are none."""

    pages: tuple[Page, ...] = ()
    error: TikzgenError | None = None


def probe(
    sources: Sequence[str],
    *,
    engine: Engine | str | None = None,
    time_limit: float = 60.0,
    cache: Cache | None = None,
    cells: Sequence[Cell | None] | None = None,
    running: Running | None = None,
) -> list[Probed]:
    """The geometry of figures, in their order: each the text of a .tex file.

    Figures that can share a run do so, a page each; where it fails, each half of them, so that a figure that does not
    compile is alone in having an `error`. Without `engine`, each figure's own (`% !TeX program`, or what its packages
    need). `time_limit` is in seconds for each figure; `cells` are the sandboxes that `tikzgen.compile.containment`
    chose; it is asked where they are left out. `running` can stop it all. Results are cached by source and engine.

    Raises `LatexMissing` where an engine is not installed, and `FileRefused` where there is no sandbox for one that was
    not chosen for.
    """
    cache = cache if cache is not None else Cache(cache_folder())
    engines = [engine_named(engine) if engine is not None else engine_of(source) for source in sources]
    if cells is None:
        cells = [cell_for(source, "the figure", cache=cache) for source in sources]
    ways = list(zip(engines, cells, strict=True))
    keys = [_key(source, *way) for source, way in zip(sources, ways, strict=True)]
    found = _known(dict(zip(keys, cells, strict=True)), cache)
    for way in dict.fromkeys(ways):
        mine = {
            key: source
            for source, key, each in zip(sources, keys, ways, strict=True)
            if each == way and key not in found
        }
        found |= _probed(mine, _Runs(*way, time_limit, cache, running))
    return [found[key] for key in keys]


def _known(keys: Mapping[str, Cell | None], cache: Cache) -> dict[str, Probed]:
    """What was measured before: a figure's entry names the run that it was part of, and its page there."""
    runs: dict[str, list[Probed]] = {}
    found = {}
    for key, cell in keys.items():
        run, _, page = (cache.get(key) or b"").decode("ascii", "replace").partition(" ")
        if not page.isdecimal():
            continue
        if run not in runs:
            measured = _cached(cache, run)
            with suppress(LatexError):
                runs[run] = (_pages(measured, cell) if measured else None) or []
        if int(page) < len(runs.get(run, ())):
            found[key] = runs[run][int(page)]
    return found


class _Runs(Record):
    """How figures are set: the engine, the sandbox if any, the seconds for each, where results are kept."""

    engine: Engine
    cell: Cell | None
    time_limit: float
    cache: Cache
    running: Running | None


def _probed(sources: Mapping[str, str], how: _Runs) -> dict[str, Probed]:
    """Figures by their keys, in as few runs as will do."""
    keys = list(sources)
    found: dict[str, Probed] = {}
    for batch in batches(list(sources.values())):
        found |= _run(batch, {keys[number]: sources[keys[number]] for number in batch.figures}, how)
    return found


def _run(batch: Batch, sources: Mapping[str, str], how: _Runs) -> dict[str, Probed]:
    """One run, or more of them where it fails."""
    keys = list(sources)
    try:
        measured = measure(batch, how.engine, cell=how.cell, time_limit=how.time_limit, running=how.running)
        pages = _pages(measured, how.cell)
    except LatexError:
        pages = None
    if pages is not None and len(pages) == len(keys):
        run = cache_key("run", *keys)
        _keep(how.cache, run, measured)
        for number, key in enumerate(keys):
            how.cache.put(key, f"{run} {number}".encode("ascii"))
        return dict(zip(keys, pages, strict=True))
    if len(keys) == 1:
        return {keys[0]: Probed(error=_reason(sources[keys[0]], how))}
    halves = keys[: len(keys) // 2], keys[len(keys) // 2 :]
    first, second = (_probed({key: sources[key] for key in half}, how) for half in halves)
    return first | second


def _pages(measured: Measured, cell: Cell | None) -> list[Probed] | None:
    """A page for each figure, or all pages of one; nothing where the run gave another number.

    `LatexError` where a figure wrote records of its own that are none.
    """
    try:
        return _joined(measured, cell)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise LatexError("what TeX said of the figure cannot be read") from None


def _joined(measured: Measured, cell: Cell | None) -> list[Probed] | None:
    records = read_records(measured.records.splitlines(), _OWN)
    sheets = _sheets(measured.pdf, cell)
    if len(records) == 1:
        return [Probed(tuple(read_page(sheet, records[0]) for sheet in sheets))]
    if len(sheets) != len(records):
        return None
    return [Probed((read_page(sheet, each),)) for sheet, each in zip(sheets, records, strict=True)]


def _sheets(pdf: bytes, cell: Cell | None) -> list[Sheet]:
    if cell is None:
        return open_sheets(pdf)
    from tikzgen.probe.pdf.apart import sheets_apart  # which is a program, too

    return sheets_apart(pdf, cell)


def _reason(source: str, how: _Runs) -> TikzgenError:
    """What is wrong with a figure, as compiling it says; or that only measuring it fails."""
    limits: dict[str, Any] = {"time_limit": how.time_limit, "running": how.running}
    try:
        compiled = compile_tex(source, engine=how.engine, cell=how.cell, **limits)
    except LatexError as error:
        return error
    unmeasured = LatexError(f"{how.engine} compiles the figure, but cannot measure it")
    return hole(compiled.log, engine=how.engine) or unmeasured


def _key(source: str, engine: Engine, cell: Cell | None) -> str:
    installed = find_engine(engine)
    settings = " ".join(map("=".join, SETTINGS.items()))
    where = "confined" if cell else ""
    return cache_key("geometry", program_key(), engine, installed.version, settings, where, source)


def _cached(cache: Cache, key: str) -> Measured | None:
    data = cache.get(key)
    if data is None:
        return None
    records, _, pdf = data.partition(b"\n")
    return Measured(pdf, b64decode(records).decode("utf-8"))


def _keep(cache: Cache, key: str, measured: Measured) -> None:
    cache.put(key, b64encode(measured.records.encode("utf-8")) + b"\n" + measured.pdf)
