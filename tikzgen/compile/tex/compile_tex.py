"""One figure through one engine: source in, PDF out."""

from __future__ import annotations

from pathlib import Path

from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import LatexError
from tikzgen.base.record import Record, replace
from tikzgen.base.write_files import write_files
from tikzgen.compile.pdf import page_size
from tikzgen.compile.sandbox.sandbox import ProcessSandbox, sandbox_argv
from tikzgen.compile.tex.argv import JOB, WORDS, Limits, engine_argv, version_settings, words_tex
from tikzgen.compile.tex.dumped_preambles import Formats, preamble_of
from tikzgen.compile.tex.engines import Engine, Installed, find_engine
from tikzgen.compile.tex.errors_in_log import wants_rerun
from tikzgen.compile.tex.failures import why_it_stopped
from tikzgen.compile.tex.process import Ended, Running, run_process
from tikzgen.compile.tex.workplace import ANOTHER_DISK, is_full, make_workplace, read_made
from tikzgen.model.about import WORDLESS, About

_FOLDER_MIB = 256  # MiB (1024 * 1024 bytes)
_RUN_LIMIT = 3
_SIGNAL_STATUS = 128
_LOG_BYTES = 8 * 1024 * 1024


class Compiled(Record):
    """A compiled figure: the PDF, TeX's log, and the wall time that it took, in seconds."""

    pdf: bytes
    log: str
    seconds: float


def compile_tex(
    source: str,
    *,
    engine: Engine | str = Engine.PDFLATEX,
    time_limit: float = TIME_LIMIT_SECONDS,
    memory_limit_mib: int = 2048,
    keep: Path | None = None,
    name: str = JOB,
    running: Running | None = None,
    cell: ProcessSandbox | None = None,
    formats: Formats | None = None,
    words: About = WORDLESS,
) -> Compiled:
    r"""Compile a standalone figure in a private folder; the result does not depend on the folder.

    `time_limit` is in seconds, for all runs together. `keep` is a folder for `<name>.tex` and `<name>.log`, also after
    an error. With `formats`, known preambles are not read again, which does not change the PDF. The PDF's Title,
    Subject and Lang are the `words`.

    The job has no shell, no sockets and no input. `\input`, `\openin` and `\openout` stay inside its folder and the
    TeX trees. It ends at the limits or when this process is interrupted. That protects against accidents and most
    attacks, but not all (see `engine_argv`); a `cell` from `compile.sandbox.sandbox` protects against the rest.

    Raise `LatexMissing` if the engine is not installed, `LatexError` if the figure does not compile, and `FileRefused`
    if `keep` is not writable.
    """
    installed = find_engine(engine)
    limits = Limits(seconds=time_limit, memory_mib=memory_limit_mib, folder_mib=_FOLDER_MIB)
    said = words_tex(words, installed.engine)
    preamble = preamble_of(source, installed.engine) if formats and not cell and keep is None else None
    dumped = formats.find(preamble, installed) if formats and preamble else None
    if preamble and dumped:
        quick = _run_attempt(preamble.rest, said, installed, limits, running, dumped=dumped)
        if quick.pdf:
            return Compiled(quick.pdf, quick.log, quick.ended.seconds)
        # On failure, run it again without the format, for a complete log.
        limits = replace(limits, seconds=max(limits.seconds - quick.ended.seconds, 0.1))
    tried = _run_attempt(source, said, installed, limits, running, cell=cell, keep=(keep, name) if keep else None)
    if not tried.pdf:
        if tried.full:
            raise LatexError(f"the disk that {installed.engine} works on is full", hint=ANOTHER_DISK, log=tried.log)
        raise why_it_stopped(tried.ended, tried.log, source, installed.engine, replace(limits, seconds=time_limit))
    if formats and preamble and dumped:
        formats.drop_format(preamble, installed)  # damaged, or unsuitable for this figure
    elif formats and preamble and formats.count_use(preamble, installed):

        def is_same_pdf(dumped: Path) -> bool:
            return _run_attempt(preamble.rest, said, installed, limits, running, dumped=dumped).pdf == tried.pdf

        formats.make(preamble, installed, is_same_pdf, limits=limits, running=running)
    return Compiled(tried.pdf, tried.log, tried.ended.seconds)


class _Attempt(Record):
    """Result of a compilation; `pdf` is empty after a failure, perhaps because the disk is `full`."""

    pdf: bytes
    log: str
    ended: Ended
    full: bool


def _run_attempt(
    source: str,
    said: str,
    installed: Installed,
    limits: Limits,
    running: Running | None,
    *,
    cell: ProcessSandbox | None = None,
    dumped: Path | None = None,
    keep: tuple[Path, str] | None = None,
) -> _Attempt:
    with make_workplace() as work:
        first = (
            rf"\input{{{WORDS}}}" if said and installed.engine is Engine.TECTONIC else ""
        )  # on the first line, to keep line numbers
        (work / f"{JOB}.tex").write_bytes((first + source).encode("utf-8", "surrogatepass"))
        if said:
            (work / WORDS).write_text(said, "ascii")
        argv = engine_argv(installed.engine, installed.path, str(dumped or ""), words=bool(said))
        argv, env = sandbox_argv(argv, work, cell)
        env |= version_settings(installed.engine, installed.version)
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
    try:
        return 0 in page_size(pdf)
    except ValueError:
        return False  # an unknown PDF is not rejected


def run_until_settled(
    argv: list[str],
    work: Path,
    env: dict[str, str],
    limits: Limits,
    running: Running | None,
    *,
    confined: bool,
) -> Ended:
    """Run an engine in `work`, again as long as the figure needs it.

    The times and the limit cover all runs.
    """
    spent, before = 0.0, b""
    for _ in range(_RUN_LIMIT):
        left = replace(limits, seconds=limits.seconds - spent)
        ended = run_process(argv, cwd=work, env=env, limits=left, running=running)
        if confined and ended.status > _SIGNAL_STATUS:
            ended = replace(ended, status=_SIGNAL_STATUS - ended.status)  # bwrap reports signals as a shell does
        spent += ended.seconds
        after = read_made(work / f"{JOB}.aux")
        if ended.status != 0 or spent >= limits.seconds or not _asks_again(work, before, after):
            break
        before = after
    return replace(ended, seconds=spent)


def _asks_again(work: Path, before: bytes, after: bytes) -> bool:
    # `remember picture` needs a second run without a message in the log
    return (b"\\pgfsyspdfmark" in after and after != before) or wants_rerun(read_log(work))


def read_log(work: Path) -> str:
    """Return the log of the last run, up to a maximum size."""
    return read_made(work / f"{JOB}.log", _LOG_BYTES).decode("utf-8", "backslashreplace")
