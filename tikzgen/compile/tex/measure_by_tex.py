"""Sizes of labels by TeX: many in one run, under the preamble of their figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

from tikzgen.base.cache import Cache, cache_key
from tikzgen.base.errors import LatexError
from tikzgen.base.record import Record, replace
from tikzgen.base.version_and_cache_folder import cache_folder
from tikzgen.compile.sandbox.sandbox import ProcessSandbox
from tikzgen.compile.tex.argv import SETTINGS
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.engines import Engine, find_engine
from tikzgen.emit.environment import fill
from tikzgen.layout.label_sizes import FAMILIES, Asked
from tikzgen.model.looks import PALETTES
from tikzgen.text import LOANS, typeset_label

_GENERATION = "3"
_SECONDS = 60.0  # s for a run, and for each label after a failure
_EACH_SECONDS = 0.05
_RESULT = re.compile(r"^tikzgen box (\d+)( first|): (-?[\d.]+)pt, (-?[\d.]+)pt, (-?[\d.]+)pt$", re.MULTILINE)
_TOKEN = re.compile(r"\\\\|\\(?:begin|end)\b|\\.|[{}$]", re.DOTALL)


class TextPreamble(Record):
    """The parts of a figure's preamble that affect labels; `folders` has the user's templates."""

    packages: tuple[str, ...] = ()
    cjk: bool = False
    libraries: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()


class TexBox(Record):
    """Sizes in pt: `height` above the first line's baseline, `depth` below it, down to the end of the last line."""

    width: float
    height: float
    depth: float


class Unsettable(Exception):
    """A label that an engine cannot set, while it can set others; `error` is the reason."""

    def __init__(self, asked: Asked, error: LatexError) -> None:
        super().__init__(str(error))
        self.asked = asked
        self.error = error


class _Line(Record):
    """A label in one font, as the template writes it."""

    source: str
    first: str
    family: str
    bold: bool
    size: float


def measure_texts(
    texts: Iterable[Asked],
    preamble: TextPreamble,
    engine: Engine | str = Engine.PDFLATEX,
    *,
    cell: ProcessSandbox | None = None,
    cache: Cache | None = None,
    time_limit: float = _SECONDS,
) -> dict[Asked, TexBox]:
    """Return the sizes of labels in their fonts by one engine, with one run for labels not in the cache.

    For the paper's font (`inherit`), it is the larger size of sans and serif. The limits are the same as for every
    compilation. With a `cell`, TeX runs in that sandbox.

    Raise `LatexMissing` if the engine is not installed, `Unsettable` for a label that does not compile, and
    `LatexError` if even an empty job fails.
    """
    cache = cache if cache is not None else Cache(cache_folder())
    wanted = {asked: _make_lines(asked) for asked in texts}
    lines = list(dict.fromkeys(line for mine in wanted.values() for line in mine))
    installed = find_engine(engine)
    settings = " ".join(map("=".join, SETTINGS.items()))
    under = (_GENERATION, installed.engine, installed.version, settings, "confined" if cell else "")
    if not any(asked.raw for asked in wanted):
        preamble = replace(preamble, libraries=())  # labels without raw TeX draw nothing
    head = _write_job((), preamble)
    keys = {line: cache_key("box", *under, head, repr(line)) for line in lines}
    known = {
        line: TexBox(*map(float, data.decode("ascii").split())) for line in lines if (data := cache.get(keys[line]))
    }
    missing = [line for line in lines if line not in known]
    if missing:
        job = _Job(preamble, installed.engine, time_limit, cell)
        try:
            made = job.measure_lines(missing)
        except LatexError as error:
            culprit, why = job.find_culprit(missing, error)
            raise Unsettable(next(asked for asked in wanted if culprit in wanted[asked]), why) from None
        for line, box in zip(missing, made, strict=True):
            cache.store(keys[line], f"{box.width} {box.height} {box.depth}".encode("ascii"))
            known[line] = box
    return {asked: _merge_boxes([known[line] for line in mine]) for asked, mine in wanted.items()}


class _Job(Record):
    """Runs of one engine under one preamble."""

    preamble: TextPreamble
    engine: Engine
    seconds: float
    cell: ProcessSandbox | None

    def measure_lines(self, lines: Sequence[_Line], seconds: float = 0.0) -> list[TexBox]:
        """Measure labels; raise `LatexError` if TeX fails on one of them."""
        source = _write_job(lines, self.preamble)
        limit = seconds or self.seconds
        done = compile_tex(source, engine=self.engine, time_limit=limit, cell=self.cell)
        told = {(int(number), bool(first)): tuple(map(float, box)) for number, first, *box in _RESULT.findall(done.log)}
        try:
            return [_make_box(told[number, False], told.get((number, True))) for number in range(len(lines))]
        except KeyError:
            raise LatexError(f"{self.engine} told no sizes", log=done.log) from None

    def find_culprit(self, lines: Sequence[_Line], error: LatexError) -> tuple[_Line, LatexError]:
        """Return the first label that does not compile, by bisection, with its error alone.

        If each label compiles alone, raise `error`.
        """
        started = perf_counter()
        self.measure_lines([])  # an error without labels is not caused by a label
        seconds = min(self.seconds, 2 + 3 * (perf_counter() - started))  # an endless loop is not waited for each time
        seen = True  # whether `error` is from exactly these labels
        while len(lines) > 1:
            half = lines[: len(lines) // 2]
            try:
                self.measure_lines(half, seconds + _EACH_SECONDS * len(half))
                lines, seen = lines[len(half) :], False
            except LatexError as found:
                lines, error, seen = half, found, True
        if seen:
            return lines[0], error
        try:
            self.measure_lines(lines, seconds)
        except LatexError as found:
            return lines[0], found
        raise error


def _make_box(whole: tuple[float, ...], first: tuple[float, ...] | None) -> TexBox:
    """Return the size of a measured node; the baseline of a node with several lines is in its last line."""
    width, height, depth = whole
    above = max(first[1] if first else height, 0.0)
    return TexBox(width, above, max(height + depth - above, 0.0))


def _write_job(lines: Sequence[_Line], preamble: TextPreamble) -> str:
    # Raw TeX may name colors; their values do not affect sizes.
    libraries, loans = ("arrows.meta", *preamble.libraries), tuple(LOANS.values())
    scene = {"packages": preamble.packages, "cjk": preamble.cjk, "borrowed": loans, "libraries": libraries}
    return fill("boxes.tex.j2", preamble.folders, scene={**scene, "palette": PALETTES["light"]}, texts=lines)


def _make_lines(asked: Asked) -> list[_Line]:
    source = typeset_label(asked.text).source
    first = _first_line(source)
    return [_Line(source, first, family, asked.bold, asked.size) for family in FAMILIES[asked.family]]


def _first_line(source: str) -> str:
    """Return a label up to its first line break outside of groups, formulas and tables."""
    depth, formula = 0, False
    for token in _TOKEN.finditer(source):
        match token[0]:
            case "{" | r"\begin":
                depth += 1
            case "}" | r"\end":
                depth -= 1
            case "$":
                formula = not formula
            case "\\\\" if depth == 0 and not formula:
                return source[: token.start()]
    return source


def _merge_boxes(boxes: Sequence[TexBox]) -> TexBox:
    return TexBox(*(max(getattr(box, side) for box in boxes) for side in ("width", "height", "depth")))
