"""One figure to PDF, PNG and SVG: from the cache where it was made before, compiled otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from tikzgen.base.cache import Cache, cache_key
from tikzgen.base.errors import LatexError, LatexMissing, TikzgenError, quoted
from tikzgen.base.record import Record
from tikzgen.base.shipped import cache_folder
from tikzgen.compile.argv import SETTINGS, engine_argv
from tikzgen.compile.compile_tex import Compiled, compile_tex
from tikzgen.compile.confine import Cell
from tikzgen.compile.convert import png_converter, svg_converters, to_png, to_svg
from tikzgen.compile.drawn_svg import drawn_svg
from tikzgen.compile.dvi import dvi_converter, dvi_svg, has_dvisvgm
from tikzgen.compile.engines import NOWHERE, Engine, Installed, find_engine
from tikzgen.compile.figure_words import words_in
from tikzgen.compile.formats import PAYS_AFTER, Formats
from tikzgen.compile.lost import hole, lost_characters
from tikzgen.compile.process import Running
from tikzgen.describe import About

__all__ = ["FORMATS", "Compiler", "Product", "Settings", "SvgText", "Workshop", "open_workshop"]

FORMATS = ("pdf", "png", "svg")
"""What a figure can be built into."""

SvgText: TypeAlias = Literal["paths", "text"]
"""How SVG has its letters: as paths, or as text with the fonts inside."""

_WORDLESS = About()

# Part of every key: a new number forgets all results of older versions.
_GENERATION = "4"


class Compiler(Protocol):
    """`compile_tex`, or what stands in for it."""

    def __call__(
        self,
        source: str,
        *,
        engine: Engine | str,
        time_limit: float,
        keep: Path | None,
        name: str,
        running: Running,
        cell: Cell | None,
        formats: Formats | None,
        words: About,
    ) -> Compiled: ...


class Settings(Record):
    """How figures are built: `dpi` for PNG; PNG and SVG on white or `transparent`; SVG's letters as `svg_text` says.

    `time_limit` is in seconds, for each figure.
    `keep` is a folder for sources and logs; with it, every figure is compiled, cached or not.
    """

    engine: Engine | str = Engine.PDFLATEX
    dpi: float = 200
    transparent: bool = False
    svg_text: SvgText = "paths"
    time_limit: float = 60.0
    keep: Path | None = None
    cache: Cache = Cache(cache_folder)
    compiler: Compiler = compile_tex


class Product(Record):
    """A figure's bytes in each format, and notes on what is wrong with it all the same."""

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()


class Workshop(Record):
    """The programs that make `formats` here, looked up once for many figures. Made by `open_workshop`.

    Where `missing` says that there is no engine, figures are drawn without one.
    """

    formats: tuple[str, ...]
    settings: Settings
    installed: Installed
    converters: Mapping[str, str]
    running: Running
    preambles: Formats | None
    missing: LatexMissing | None = None

    def produce(self, source: str, name: str = "figure", *, cell: Cell | None = None) -> Product:
        """Make every format, from the cache or by compiling.

        `LatexError` where the figure does not compile, or lacks a character that no font has.

        With a `cell` (`tikzgen.compile.containment` decides), all of it is done in there. What was made of a source in
        a sandbox is never taken for what it would give outside, nor the reverse.
        """
        if self.missing is not None:
            return Product(dict.fromkeys(self.formats, drawn_svg(source, self.missing, self.settings.transparent)))
        cache = self.settings.cache if self.settings.keep is None else Cache(None)

        def key(suffix: str) -> str:
            return self._key(source, suffix, confined=cell is not None)

        made = {suffix: data for suffix in self.formats if (data := cache.get(key(suffix))) is not None}
        missing = [suffix for suffix in self.formats if suffix not in made]
        if not missing:
            return Product(made)
        notes: tuple[str, ...] = ()
        words = words_in(source)
        pdf = made.get("pdf") or cache.get(key("pdf"))
        if pdf is None:
            compiled = self.compiled(source, name, cell=cell, words=words)
            notes = self._unseen(compiled)
            pdf = compiled.pdf
            if notes:
                cache = Cache(None)  # not kept, so that the next build says it again
            cache.put(key("pdf"), pdf)
        for suffix in missing:
            made[suffix] = self._converted(pdf, suffix, source, words, cell)
            if suffix != "pdf":
                cache.put(key(suffix), made[suffix])
        return Product(made, notes)

    def _unseen(self, compiled: Compiled) -> tuple[str, ...]:
        """Notes on characters that no font has and nobody sees; `LatexError` for one that leaves a hole."""
        if error := hole(compiled.log, engine=self.installed.engine):
            raise error
        return tuple(f"the font {lost.font} has no character {lost}" for lost in lost_characters(compiled.log))

    def compiled(self, source: str, name: str, *, cell: Cell | None = None, words: About = _WORDLESS) -> Compiled:
        """A figure as its engine makes it; `LatexError` where it does not compile."""
        settings = self.settings
        return settings.compiler(
            source,
            engine=self.installed.engine,
            time_limit=settings.time_limit,
            keep=settings.keep,
            name=name,
            running=self.running,
            cell=cell,
            formats=self.preambles,
            words=words,
        )

    def _converted(self, pdf: bytes, suffix: str, source: str, words: About, cell: Cell | None) -> bytes:
        """One format of a compiled figure."""
        settings, clear, running = self.settings, self.settings.transparent, self.running
        if suffix == "png":
            return to_png(pdf, words, dpi=settings.dpi, transparent=clear, running=running, cell=cell)
        if suffix == "svg" and settings.svg_text == "paths":
            try:
                return to_svg(pdf, words, transparent=clear, running=running, cell=cell).encode("utf-8")
            except LatexError:
                if not has_dvisvgm():
                    raise
        if suffix == "svg":
            return self._from_dvi(source, words, cell).encode("utf-8")
        return pdf

    def _from_dvi(self, source: str, words: About, cell: Cell | None) -> str:
        """SVG that no way through the PDF gives: with text, or where what is here loses something of the PDF."""
        from tikzgen.compile.svg import finished_svg

        settings = self.settings
        limit, letters = settings.time_limit, settings.svg_text
        svg = dvi_svg(source, letters=letters, time_limit=limit, running=self.running, cell=cell)
        try:
            return finished_svg(svg, words, paper=not settings.transparent)
        except ValueError as error:
            raise LatexError(str(error)) from None

    def _key(self, source: str, suffix: str, *, confined: bool) -> str:
        """Everything that the bytes depend on."""
        run = " ".join([*engine_argv(self.installed.engine, ""), *map("=".join, SETTINGS.items())])
        made_by = self.converters.get(suffix, "")
        settings = self.settings
        looks = {
            "png": f"{settings.dpi:g} {settings.transparent}",
            "svg": f"{settings.svg_text} {settings.transparent}",
        }
        engine = (self.installed.engine, self.installed.version, run, "confined" if confined else "")
        return cache_key(_GENERATION, source, *engine, suffix, made_by, looks.get(suffix, ""))


def open_workshop(formats: Sequence[str], settings: Settings, *, pays_after: int = PAYS_AFTER) -> Workshop:
    """Look up the engine and the converters; `LatexMissing` says what to install. SVG alone takes no engine.

    `pays_after` says for how many figures with one preamble its format is made.
    """
    if settings.svg_text not in ("paths", "text"):
        raise TikzgenError(f"no letters of SVG are {quoted(settings.svg_text)}", hint="they are paths or text")
    try:
        installed = find_engine(settings.engine)
    except LatexMissing as missing:
        if set(formats) != {"svg"} or settings.svg_text != "paths" or settings.keep is not None:
            raise
        return Workshop(tuple(formats), settings, NOWHERE, {}, Running(), None, missing)
    folder = settings.cache.folder
    preambles = Formats(folder / "formats", pays_after) if folder else None
    return Workshop(tuple(formats), settings, installed, _converters(formats, settings), Running(), preambles)


def _converters(formats: Sequence[str], settings: Settings) -> dict[str, str]:
    """What makes each format here, program and version."""
    makers: dict[str, Callable[[], str]] = {
        "pdf": str,
        "png": lambda: str(png_converter()),
        "svg": lambda: dvi_converter() if settings.svg_text == "text" else _joined(svg_converters()),
    }
    for name in formats:
        if name not in makers:
            raise TikzgenError(f"there is no format {quoted(name)}", hint="the formats are " + ", ".join(FORMATS))
    return {name: makers[name]() for name in formats}


def _joined(programs: Iterable[object]) -> str:
    return "; ".join(map(str, programs))
