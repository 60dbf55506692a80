"""Sources in, geometry out: from the cache where it was measured before, by TeX otherwise."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
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
    found: list[Probed | None] = [None] * len(sources)
    engines = [engine_named(engine) if engine is not None else engine_of(source) for source in sources]
    keys = [_key((source,), chosen) for source, chosen in zip(sources, engines, strict=True)]
    for chosen in dict.fromkeys(engines):
        mine = [number for number, each in enumerate(engines) if each is chosen]
        for group in batches([sources[number] for number in mine]):
            numbers = [mine[place] for place in group]
            for number, probed in zip(numbers, _group(sources, numbers, keys, chosen, time_limit, cache), strict=True):
                found[number] = probed
    return [probed for probed in found if probed is not None]


def _group(
    sources: Sequence[str], numbers: list[int], keys: list[str], engine: Engine, time_limit: float, cache: Cache
) -> list[Probed]:
    """Figures that can share a run."""
    if len(numbers) > 1:
        texts = tuple(sources[number] for number in numbers)
        key = _key(texts, engine)
        measured = _cached(cache, key)
        if measured is None:
            try:
                measured = measure(texts, engine, time_limit=time_limit)
            except LatexError:
                measured = None
        if measured is not None and (pages := _pages(measured, len(numbers))) is not None:
            _keep(cache, key, measured)
            return pages
    return [_alone(sources[number], keys[number], engine, time_limit, cache) for number in numbers]


def _alone(source: str, key: str, engine: Engine, time_limit: float, cache: Cache) -> Probed:
    measured = _cached(cache, key)
    if measured is None:
        try:
            measured = measure([source], engine, time_limit=time_limit)
        except LatexError:
            return Probed(error=_reason(source, engine, time_limit))
        _keep(cache, key, measured)
    records = read_records(measured.records.splitlines(), _OWN)[0]
    return Probed(tuple(read_page(sheet, records) for sheet in open_sheets(measured.pdf)))


def _pages(measured: Measured, count: int) -> list[Probed] | None:
    """A page for each figure; nothing where the run gave another number."""
    records = read_records(measured.records.splitlines(), _OWN)
    sheets = open_sheets(measured.pdf)
    if not len(sheets) == len(records) == count:
        return None
    return [Probed((read_page(sheet, each),)) for sheet, each in zip(sheets, records, strict=True)]


def _reason(source: str, engine: Engine, time_limit: float) -> TikzgenError:
    """What is wrong with a figure, as compiling it says; or that only measuring it fails."""
    from tikzgen.tex.compile import compile_tex

    try:
        compile_tex(source, engine=engine, time_limit=time_limit)
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
