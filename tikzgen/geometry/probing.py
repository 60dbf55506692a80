"""Sources in, geometry out: from the cache where it was measured before, by TeX otherwise."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tikzgen.cache import cache_folder, cache_key
from tikzgen.errors import LatexError, TikzgenError
from tikzgen.geometry.data import Page
from tikzgen.geometry.pdf import open_sheets
from tikzgen.geometry.reading import read_page
from tikzgen.geometry.records import read_records
from tikzgen.geometry.run import Measured, batches, engine_of, measure, probe_source
from tikzgen.tex.argv import SETTINGS
from tikzgen.tex.cache import Cache
from tikzgen.tex.engines import Engine, engine_named, find_engine

__all__ = ["Probed", "probe"]

_GENERATION = "1"
_OWN = "drawing.tex"


@dataclass(frozen=True, slots=True)
class Probed:
    """A figure's pages, or why there are none."""

    pages: tuple[Page, ...] = ()
    error: TikzgenError | None = None


def probe(
    sources: Sequence[str], *, engine: Engine | str | None = None, time_limit: float = 60.0, cache: Cache | None = None
) -> list[Probed]:
    """The geometry of figures, in their order: each the text of a .tex file.

    Figures with the same preamble are set in one run, a page each; where that fails, one by one, so that a figure that
    does not compile is alone in having an `error`. Without `engine`, each figure's own (`% !TeX program`, or what its
    packages need). `time_limit` is in seconds for each figure. Results are cached by source and engine.

    Raises `LatexMissing` where an engine is not installed.
    """
    cache = cache if cache is not None else Cache(cache_folder())
    engines = [engine_named(engine) if engine is not None else engine_of(source) for source in sources]
    keys = [_key((source,), chosen) for source, chosen in zip(sources, engines, strict=True)]
    found = _known(dict.fromkeys(keys), cache)
    for chosen in dict.fromkeys(engines):
        mine = {
            key: source
            for source, key, each in zip(sources, keys, engines, strict=True)
            if each is chosen and key not in found
        }
        texts, names = list(mine.values()), list(mine)
        for group in batches(texts):
            group_keys = [names[place] for place in group]
            probed = _group([texts[place] for place in group], group_keys, chosen, time_limit, cache)
            found |= dict(zip(group_keys, probed, strict=True))
    return [found[key] for key in keys]


def _known(keys: Iterable[str], cache: Cache) -> dict[str, Probed]:
    """What was measured before: a figure's entry names the run that it was part of, and its page there."""
    runs: dict[str, list[Probed]] = {}
    found = {}
    for key in keys:
        run, _, page = (cache.get(key) or b"").decode("ascii", "replace").partition(" ")
        if run and run not in runs:
            measured = _cached(cache, run)
            runs[run] = (_pages(measured) if measured else None) or []
        if run and int(page) < len(runs[run]):
            found[key] = runs[run][int(page)]
    return found


def _group(sources: list[str], keys: list[str], engine: Engine, time_limit: float, cache: Cache) -> list[Probed]:
    """Figures that can share a run."""
    try:
        measured = measure(sources, engine, time_limit=time_limit)
        pages = _pages(measured)
    except LatexError:
        pages = None
    if pages is None or len(pages) != len(sources):
        if len(sources) == 1:
            return [Probed(error=_reason(sources[0], engine, time_limit))]
        return [_group([one], [key], engine, time_limit, cache)[0] for one, key in zip(sources, keys, strict=True)]
    run = cache_key("run", *keys)
    _keep(cache, run, measured)
    for number, key in enumerate(keys):
        cache.put(key, f"{run} {number}".encode("ascii"))
    return pages


def _pages(measured: Measured) -> list[Probed] | None:
    """A page for each figure, or all pages of one; nothing where the run gave another number."""
    records = read_records(measured.records.splitlines(), _OWN)
    sheets = open_sheets(measured.pdf)
    if len(records) == 1:
        return [Probed(tuple(read_page(sheet, records[0]) for sheet in sheets))]
    if len(sheets) != len(records):
        return None
    return [Probed((read_page(sheet, each),)) for sheet, each in zip(sheets, records, strict=True)]


def _reason(source: str, engine: Engine, time_limit: float) -> TikzgenError:
    """What is wrong with a figure, as compiling it says; or that only measuring it fails."""
    from tikzgen.tex.compile import compile_tex
    from tikzgen.tex.confine import find_cell
    from tikzgen.tex.foreign import is_foreign

    try:
        compile_tex(source, engine=engine, time_limit=time_limit, cell=find_cell() if is_foreign(source) else None)
    except LatexError as error:
        return error
    return LatexError(f"{engine} compiles the figure, but cannot measure it")


def _key(sources: Sequence[str], engine: Engine) -> str:
    installed = find_engine(engine)
    settings = " ".join(map("=".join, SETTINGS.items()))
    return cache_key("geometry", _GENERATION, probe_source(), engine, installed.version, settings, *sources)


def _cached(cache: Cache, key: str) -> Measured | None:
    data = cache.get(key)
    if data is None:
        return None
    records, _, pdf = data.partition(b"\n")
    return Measured(pdf, b64decode(records).decode("utf-8"))


def _keep(cache: Cache, key: str, measured: Measured) -> None:
    cache.put(key, b64encode(measured.records.encode("utf-8")) + b"\n" + measured.pdf)
