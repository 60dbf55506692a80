"""A figure as PDF, PNG and SVG: from the cache, drawn without TeX, or compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache, cache_key, program_key
from tikzgen.base.defaults import PNG_DPI, TIME_LIMIT_SECONDS
from tikzgen.base.errors import LatexError, LatexMissing
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record, replace
from tikzgen.base.version_and_cache_folder import cache_folder
from tikzgen.compile.draw.unsupported import GlyphsMissing, Unsupported
from tikzgen.compile.formats.format_table import FORMATS, Conversion, find_format
from tikzgen.compile.formats_without_tex import fonts_key
from tikzgen.compile.tex.argv import SETTINGS, engine_argv
from tikzgen.compile.tex.dumped_preambles import PAYS_AFTER_COUNT, Formats
from tikzgen.compile.tex.engines import MISSING_ENGINE, NO_ENGINE, Engine, Installed, find_engine
from tikzgen.compile.tex.process import Running
from tikzgen.model.about import WORDLESS, About

if TYPE_CHECKING:
    from tikzgen.compile.sandbox.sandbox import ProcessSandbox
    from tikzgen.compile.tex.compile_tex import Compiled


# A figure with slides, as a document with a page per slide, each of which simulates Beamer's overlay.

_SLIDE = pattern_of(r"\bfrom slide=(\d+)")
_CLASS = r"\documentclass[border=0pt]{standalone}"
_BEGIN = r"\begin{document}"
_END = r"\end{document}"
_PICTURE = r"\begin{tikzpicture}"


def slides_of(source: str) -> int:
    """Return the number of slides of a .tex; 1 without slides."""
    body = source.partition(_PICTURE)[2].partition(_END)[0]
    return max((int(slide) for slide in _SLIDE.findall(body)), default=1)


def with_pages(source: str, only: int = 0) -> str:
    """Return the figure with a page for each slide, or for one; unchanged without slides.

    The first page has the same line numbers as the figure.
    """
    count = slides_of(source)
    if count < 2 or not source.startswith(_CLASS):
        return source
    from tikzgen.emit.environment import fill

    head, _, rest = source.partition(_BEGIN)
    body, _, tail = rest.partition(_END)
    pages = [only] if only else range(1, count + 1)
    return fill("slide_pages.tex.j2", head=head.removeprefix(_CLASS), body=body, tail=tail, pages=pages)


# Part of every cache key: a new number discards all older results.
_GENERATION = "4"


class Settings(Record):
    """Settings of builds: `dpi` of PNG; PNG and SVG on white or `transparent`.

    `words` returns title and description of a .tex. `time_limit` is in seconds per figure. `keep` is a folder for
    sources and logs; with it, TeX compiles even cached figures. `compiler` replaces `compile_tex`.
    """

    words: Callable[[str], About]
    engine: Engine | str = Engine.PDFLATEX
    dpi: float = PNG_DPI
    transparent: bool = False
    time_limit: float = TIME_LIMIT_SECONDS
    keep: Path | None = None
    cache: Cache = Cache(cache_folder)
    compiler: Callable[..., Compiled] | None = None


class Product(Record):
    """A figure's data in each format, and notes on defects that did not stop the build."""

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()


def no_sandbox() -> ProcessSandbox | None:
    """Return no sandbox for compiling."""
    return None


class Workshop(Record):
    """Programs that make `formats`, found once for many figures. Made by `open_workshop`.

    SVG is drawn without TeX if possible. If `installed` is `MISSING_ENGINE`, every format is drawn and no code of a
    file runs. Then `missing` has the program to install, if an engine was requested.
    """

    formats: tuple[str, ...]
    settings: Settings
    installed: Installed
    converters: Mapping[str, str]
    running: Running
    preambles: Formats | None
    missing: LatexMissing | None

    def make_product(
        self,
        source: str,
        name: str = "figure",
        *,
        cell: Callable[[], ProcessSandbox | None] = no_sandbox,
        partial: bool = False,
    ) -> Product:
        """Return the figure in every format, from the cache, drawn, or compiled.

        Without an engine, a picture may be `partial` in formats for previews; then notes list its gaps.

        If `cell` returns a sandbox (`sandbox.needs_sandbox` decides), TeX and the programs that read its output run in
        it. Results from inside and outside of a sandbox are cached separately. Raise `LatexError` if the figure does
        not compile, or has a character that no font has.
        """
        if self.installed is MISSING_ENGINE:
            made_without = {suffix: self._without_tex(source, suffix, partial) for suffix in self.formats}
            files = {suffix: data for suffix, (data, _) in made_without.items()}
            return Product(files, tuple(note for _, notes in made_without.values() for note in notes))
        pages = with_pages(source)
        paged_formats = [suffix for suffix in self.formats if FORMATS[suffix].has_pages]
        if pages != source and paged_formats:
            others = tuple(suffix for suffix in self.formats if suffix not in paged_formats)
            rest = replace(self, formats=others).make_product(source, name, cell=cell)
            compiled, notes = self._compile_formats(pages, paged_formats, source, name, cell)
            return Product({**rest.files, **compiled}, (*rest.notes, *notes))
        made = {}
        lacking: GlyphsMissing | None = None
        for suffix in [suffix for suffix in self.formats if FORMATS[suffix].is_drawn_first]:
            try:
                made[suffix] = self._draw_without_tex(source, suffix)
            except GlyphsMissing as error:
                lacking = error
            except Unsupported:
                pass
        if len(made) == len(self.formats):
            return Product(made)
        wanted = [suffix for suffix in self.formats if suffix not in made]
        try:
            compiled, notes = self._compile_formats(source, wanted, source, name, cell)
        except LatexMissing:
            if lacking is None:
                raise
            raise glyphs_missing(lacking) from None  # a font is easier to install than a converter of PDF
        return Product(made | compiled, notes)

    def make_slides(
        self, source: str, suffix: str, name: str, *, cell: Callable[[], ProcessSandbox | None]
    ) -> dict[str, bytes]:
        """Return each slide of a figure by its number, drawn or compiled; empty without slides.

        If SVG is drawn, `steps` is one file with all slides.
        """
        count = slides_of(source)
        without_tex = self.installed is MISSING_ENGINE
        if count > 1 and (without_tex or FORMATS[suffix].is_drawn_first):
            with suppress(Unsupported):
                return self._drawn_slides(source, suffix, count)
        pages = [with_pages(source, slide) for slide in range(1, count + 1)] if count > 1 and not without_tex else []
        return {
            str(slide): self._compile_formats(page, [suffix], source, name, cell)[0][suffix]
            for slide, page in enumerate(pages, 1)
            if page != source
        }

    def _compile_formats(
        self, source: str, wanted: Sequence[str], figure: str, name: str, cell: Callable[[], ProcessSandbox | None]
    ) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """Compile a figure with TeX, or take the results from the cache; return them with notes."""
        room = cell()
        cache = self.settings.cache if self.settings.keep is None else Cache(None)

        def make_key(suffix: str) -> str:
            return self._make_cache_key(source, suffix, confined=room is not None)

        made = {suffix: data for suffix in wanted if (data := cache.get(make_key(suffix))) is not None}
        missing = [suffix for suffix in wanted if suffix not in made]
        if not missing:
            return made, ()
        notes: tuple[str, ...] = ()
        words = self.settings.words(figure)
        pdf = made.get("pdf") or cache.get(make_key("pdf"))
        if pdf is None:
            found = self.compile_figure(source, name, cell=room, words=words)
            notes = self._note_missing_glyphs(found)
            pdf = found.pdf
            if notes:
                cache = Cache(None)  # not cached, so that the next build repeats the notes
            cache.store(make_key("pdf"), pdf)
        for suffix in missing:
            made[suffix] = FORMATS[suffix].convert(pdf, words, self._make_conversion(room))
            if suffix != "pdf":
                cache.store(make_key(suffix), made[suffix])
        return made, notes

    def _without_tex(self, source: str, suffix: str, partial: bool) -> tuple[bytes, tuple[str, ...]]:
        """Draw one format without TeX, with notes on its gaps if it may be `partial`; raise `LatexError` otherwise."""
        try:
            return self._draw_without_tex(source, suffix), ()
        except GlyphsMissing as error:
            raise glyphs_missing(error) from None
        except Unsupported as error:
            if partial:
                with suppress(Unsupported):
                    words = self.settings.words(source)
                    if found := FORMATS[suffix].draw_partly(source, words, self._make_conversion()):
                        return found.data, found.notes
            if self.missing is None:
                raise LatexError(error.message, hint=error.hint) from None
            raise LatexMissing(f"{error.message}, and {self.missing.message}", hint=self.missing.hint) from None

    def _draw_without_tex(self, source: str, suffix: str) -> bytes:
        """Draw one format without TeX; raise `Unsupported` if it needs TeX."""
        settings = self.settings

        def draw() -> bytes:
            return FORMATS[suffix].draw(source, settings.words(source), self._make_conversion())

        looks = f"{settings.dpi:g} {settings.transparent} {FORMATS.release_of(suffix)}"
        return settings.cache.get_or_make(draw, "drawn", source, suffix, looks, fonts_key(source))

    def _drawn_slides(self, source: str, suffix: str, count: int) -> dict[str, bytes]:
        """Return the slides drawn without TeX, from the cache if it has all of them."""
        settings, cache = self.settings, self.settings.cache
        names = FORMATS[suffix].slide_names(count)
        looks = f"{settings.dpi:g} {settings.transparent} {FORMATS.release_of(suffix)} {fonts_key(source)}"
        keys = {name: cache_key("slide", program_key(), source, suffix, name, looks) for name in names}
        kept = {name: data for name in names if (data := cache.get(keys[name])) is not None}
        if len(kept) == len(names):
            return kept
        made = FORMATS[suffix].draw_slides(source, settings.words(source), self._make_conversion(), count)
        for name in names:
            cache.store(keys[name], made[name])
        return made

    def _note_missing_glyphs(self, compiled: Compiled) -> tuple[str, ...]:
        """Return notes on invisible missing characters; raise `LatexError` for a visible one."""
        from tikzgen.compile.tex.failures import find_hole, lost_characters

        if error := find_hole(compiled.log, engine=self.installed.engine):
            raise error
        return tuple(f"the font {lost.font} has no character {lost}" for lost in lost_characters(compiled.log))

    def compile_figure(
        self, source: str, name: str, *, cell: ProcessSandbox | None = None, words: About = WORDLESS
    ) -> Compiled:
        """Compile a figure with its engine; raise `LatexError` if it does not compile."""
        from tikzgen.compile.tex.compile_tex import compile_tex

        settings = self.settings
        return (settings.compiler or compile_tex)(
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

    def _make_conversion(self, cell: ProcessSandbox | None = None) -> Conversion:
        return Conversion(self.settings.dpi, self.settings.transparent, self.running, cell)

    def _make_cache_key(self, source: str, suffix: str, *, confined: bool) -> str:
        """Return the cache key of a format, from everything that its data depend on."""
        run = " ".join([*engine_argv(self.installed.engine, ""), *map("=".join, SETTINGS.items())])
        made_by = self.converters.get(suffix, "") + FORMATS.release_of(suffix)
        settings = self.settings
        looks = "" if suffix == "pdf" else f"{settings.dpi:g} {settings.transparent}"
        engine = (self.installed.engine, self.installed.version, run, "confined" if confined else "")
        return cache_key(_GENERATION, source, *engine, suffix, made_by, looks)


def open_workshop(formats: Sequence[str], settings: Settings, *, pays_after: int = PAYS_AFTER_COUNT) -> Workshop:
    """Find the engine and the converters; raise `LatexMissing` with the programs to install.

    Without an engine, figures are drawn. A PDF for a paper needs an engine, so this is an error unless the caller
    requests the engine "none". `pays_after` is the number of figures with one preamble after which TeX's format of it
    is made.
    """
    converters = {name: find_format(name).describe_converter() for name in formats}
    missing = None
    try:
        installed = find_engine(settings.engine) if settings.engine != NO_ENGINE else MISSING_ENGINE
    except LatexMissing as error:
        if "pdf" in formats or settings.keep is not None:
            way = f"{error.hint}; or draw it without TeX: --engine {NO_ENGINE}"
            raise LatexMissing(error.message, hint=way) from None
        missing, installed = error, MISSING_ENGINE
    folder = settings.cache.folder
    preambles = Formats(folder / "formats", pays_after) if folder and installed is not MISSING_ENGINE else None
    return Workshop(tuple(formats), settings, installed, converters, Running(), preambles, missing)


def glyphs_missing(error: GlyphsMissing) -> LatexError:
    """Return the error as one of a .tex, for whose line `tikzgen.compile.diagnosis` finds the field."""
    return LatexError(error.fact, hint=error.hint, line=error.line)
