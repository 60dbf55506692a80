"""One figure through one engine: source in, PDF out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tikzgen.base.errors import LatexError
from tikzgen.base.files import write_files
from tikzgen.compile.argv import JOB, Limits, engine_argv
from tikzgen.compile.confine import Cell, placed
from tikzgen.compile.engines import Engine, Installed, find_engine
from tikzgen.compile.formats import Formats, preamble_of
from tikzgen.compile.process import Ended, Running
from tikzgen.compile.results import read_made
from tikzgen.compile.settling import read_log, run_until_settled
from tikzgen.compile.workplace import ANOTHER_DISK, is_full, workplace

__all__ = ["Compiled", "compile_tex"]

_FOLDER_MIB = 256
_WORD = re.compile(r"[^\s\\{}%]+")
_LONG_WORD = 900
_MOST_LINES = 80  # xdvipdfmx nests 256 boxes, and each line takes three
_DEFINED = re.compile(r"^\\def(\\[A-Za-z]+)\{")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled figure: the PDF, TeX's log, and the wall time that it took, in seconds."""

    pdf: bytes
    log: str
    seconds: float

    @property
    def missing_characters(self) -> tuple[str, ...]:
        """Characters that no font had, and that the picture therefore lacks: `"😀" (U+1F600)`."""
        from tikzgen.compile.lost import lost_characters

        return tuple(dict.fromkeys(map(str, lost_characters(self.log))))


def compile_tex(
    source: str,
    *,
    engine: Engine | str = Engine.PDFLATEX,
    time_limit: float = 60.0,
    memory_limit_mib: int = 2048,
    keep: Path | None = None,
    name: str = JOB,
    running: Running | None = None,
    cell: Cell | None = None,
    formats: Formats | None = None,
) -> Compiled:
    """Compile a standalone figure in a private folder: the same source gives the same bytes in any folder.

    `time_limit` is in seconds, for all runs together. `keep` is a folder for `<name>.tex` and `<name>.log`, whatever
    the outcome. The job has no shell, no sockets and no input; `\\input`, `\\openin` and `\\openout` stay inside its
    folder and the TeX trees; it ends when the limits are reached or this process is interrupted. That guards against
    accidents and most mischief, not all (see `engine_argv`); a `cell` from `tikzgen.compile.confine` guards against
    the rest. With `formats`, preambles that were met before are not read again; the bytes are the same.

    Raises `LatexMissing` where the engine is not installed, `LatexError` where the figure does not compile, and
    `FileRefused` where nothing can be kept.
    """
    installed = find_engine(engine)
    limits = Limits(seconds=time_limit, memory_mib=memory_limit_mib, folder_mib=_FOLDER_MIB)
    preamble = preamble_of(source, installed.engine) if formats and not cell and keep is None else None
    dumped = formats.find(preamble, installed) if formats and preamble else None
    if preamble and dumped:
        quick = _attempt(preamble.rest, installed, limits, running, dumped=dumped)
        if quick.pdf:
            return Compiled(quick.pdf, quick.log, quick.ended.seconds)
        # what fails is run again as it stands, so that its log is whole
        limits = replace(limits, seconds=max(limits.seconds - quick.ended.seconds, 0.1))
    tried = _attempt(source, installed, limits, running, cell=cell, keep=(keep, name) if keep else None)
    if not tried.pdf:
        if tried.full:
            raise LatexError(f"the disk that {installed.engine} works on is full", hint=ANOTHER_DISK, log=tried.log)
        raise _error(tried.ended, tried.log, source, installed, replace(limits, seconds=time_limit))
    if formats and preamble and dumped:
        formats.forget(preamble, installed)  # damaged, or it does not suit this figure
    elif formats and preamble and formats.pays(preamble, installed):

        def same(dumped: Path) -> bool:
            return _attempt(preamble.rest, installed, limits, running, dumped=dumped).pdf == tried.pdf

        formats.make(preamble, installed, same, limits=limits, running=running)
    return Compiled(tried.pdf, tried.log, tried.ended.seconds)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """How a compilation went; `pdf` is empty where it failed, perhaps because the disk is `full`."""

    pdf: bytes
    log: str
    ended: Ended
    full: bool = False


def _attempt(
    source: str,
    installed: Installed,
    limits: Limits,
    running: Running | None,
    *,
    cell: Cell | None = None,
    dumped: Path | None = None,
    keep: tuple[Path, str] | None = None,
) -> _Attempt:
    with workplace() as work:
        (work / f"{JOB}.tex").write_bytes(source.encode("utf-8", "surrogatepass"))
        argv, env = placed(engine_argv(installed.engine, installed.path, str(dumped or "")), work, cell)
        try:
            ended = run_until_settled(argv, work, env, limits, running, confined=cell is not None)
        finally:
            log = read_log(work)
            if keep is not None:
                place, name = keep
                kept = {f"{name}.tex": source.encode("utf-8", "surrogatepass"), f"{name}.log": log.encode()}
                write_files({place / file: data for file, data in kept.items()})
        pdf = read_made(work / f"{JOB}.pdf") if ended.status == 0 else b""
        pdf = b"" if pdf and _is_empty(pdf) else pdf
        return _Attempt(pdf, log, ended, full=not pdf and is_full(work))


def _is_empty(pdf: bytes) -> bool:
    from tikzgen.compile.pdf import page_size

    try:
        return 0 in page_size(pdf)
    except ValueError:
        return False  # a PDF of an unknown make is no reason to refuse it


def _error(ended: Ended, log: str, source: str, installed: Installed, limits: Limits) -> LatexError:
    from tikzgen.compile.install import this_system
    from tikzgen.compile.log import latex_error

    engine = installed.engine
    if ended.timed_out or ended.signalled("SIGXCPU"):
        hint = "an endless loop, or raise --time-limit"
        return LatexError(f"{engine} was stopped after {limits.seconds:g} s", hint=hint, log=log)
    if ended.signalled("SIGXFSZ"):
        message = f"{engine} was stopped: it wrote more than {limits.file_mib} MiB"
        return LatexError(message, hint="an endless loop, or too large a figure", log=log)
    if ended.overfull:
        message = f"{engine} was stopped: it filled its folder with more than {limits.folder_mib} MiB"
        return LatexError(message, hint="an endless loop, or too large a figure", log=log)
    if ended.status == 0:
        hint = r"nothing is drawn between \begin{document} and \end{document}"
        return LatexError("the figure is empty", hint=hint, log=log)
    if error := latex_error(log, source, engine=engine, system=this_system()):
        return error
    if "buf_size" in ended.last_words:
        return _too_long(source, log)
    longest = max(_lines(source), key=lambda each: _breaks(each[1]))
    if "No output PDF file written" in ended.last_words and _breaks(longest[1]) >= _MOST_LINES:
        return _too_many_lines(longest, engine, log)
    if ended.signalled("SIGKILL"):
        return LatexError(f"{engine} was killed", hint="the machine may be short of memory", log=log)
    if ended.status < 0:
        return _crashed(source, engine, -ended.status, log)
    return LatexError(f"{engine} ended with {ended.last_words}", log=log)


def _too_many_lines(text: tuple[int, str], engine: Engine, log: str) -> LatexError:
    """What xdvipdfmx means, which makes XeTeX's PDF: TikZ puts each line of a text into a box with those before it."""
    number, source = text
    message = f"{engine} cannot set a text of {_breaks(source) + 1} lines: its boxes are nested too deep"
    hint = f"write {_MOST_LINES} lines at most, or use pdflatex or lualatex"
    return LatexError(message, hint=hint, line=number, excerpt=source[:80], log=log, trail=_DEFINED.findall(source))


def _crashed(source: str, engine: Engine, signal: int, log: str) -> LatexError:
    """An engine's own fault; XeTeX has one with words of about a thousand characters."""
    number, text = max(_lines(source), key=lambda each: len(_longest_word(each[1])))
    if (length := len(_longest_word(text))) < _LONG_WORD:
        return LatexError(f"{engine} crashed (signal {signal})", hint="another --engine may set it", log=log)
    message = f"{engine} crashed (signal {signal}), as it may at a word of {length} characters"
    hint = "break it, or use pdflatex or lualatex"
    return LatexError(message, hint=hint, line=number, excerpt=text[:80], log=log, trail=_DEFINED.findall(text))


def _lines(source: str) -> list[tuple[int, str]]:
    """The lines that TeX reads, with their numbers."""
    return list(enumerate(source.partition("\\end{document}")[0].split("\n"), 1))


def _breaks(text: str) -> int:
    return text.count("\\\\")


def _longest_word(text: str) -> str:
    return max(_WORD.findall(text), key=len, default="")


def _too_long(source: str, log: str) -> LatexError:
    """What TeX says on the terminal alone: of the longest line, which it could not take in."""
    number, text = max(enumerate(source.split("\n"), 1), key=lambda each: len(each[1].encode("utf-8", "replace")))
    message = f"Unable to read an entire line: it has {len(text)} characters"
    hint = "one line of the figure is too long: break it"
    return LatexError(message, hint=hint, line=number, excerpt=f"{text[:80]}…", log=log)
