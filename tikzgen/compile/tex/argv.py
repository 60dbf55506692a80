"""What an engine is started with: the argument list and the environment. Nothing is run here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil

from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.record import Record
from tikzgen.compile.tex.engines import Engine
from tikzgen.model.about import About

JOB = "figure"
"""The name that every job has in its private folder: part of what the engines write into the PDF."""

WORDS = "words.tex"
"""What the PDF is to say of the figure, as TeX that is read before it."""

_COMMON_OPTIONS = (
    "-no-shell-escape",
    "-file-line-error",
    "-interaction=batchmode",
    "-halt-on-error",
    f"-jobname={JOB}",
)

SETTINGS = {
    # Read and write nothing outside the job's folder and the TeX trees.
    "openin_any": "p",
    "openout_any": "p",
    # The same bytes at any time.
    "SOURCE_DATE_EPOCH": "0",
    "FORCE_SOURCE_DATE": "1",
    # Logs that a program can read: lines are not broken.
    "max_print_line": "1000",
    "error_line": "254",
    "half_error_line": "238",
    # Room for figures of ten thousand items; memory is only taken when it is used.
    "extra_mem_bot": "30000000",
    "extra_mem_top": "30000000",
    "save_size": "2000000",
}
"""Environment of every engine run, as kpathsea reads it."""

# These would let a job write into a folder of the caller's.
_UNWANTED_VARIABLES = ("TEXMFOUTPUT", "TEXMF_OUTPUT_DIRECTORY")


class Limits(Record):
    """What one run may take: wall and CPU seconds, MiB of address space, MiB for each file that it writes.

    `folder_mib` is for all files in its folder together; null is without a limit, for folders that are not the run's.
    """

    seconds: float = TIME_LIMIT_SECONDS
    memory_mib: int = 2048
    file_mib: int = 64
    folder_mib: int | None = None


def engine_argv(engine: Engine, program: str, dumped: str = "", *, words: bool = False) -> list[str]:
    """The arguments that compile `figure.tex` in the current folder; `dumped` is pdfLaTeX's format, if not its own.

    With `words`, `words.tex` there is read before it; Tectonic takes one file, which reads it itself.

    What no setting of the engines closes: pdfTeX's `\\pdfobj … file` and XeTeX's `pdf:fstream` special can copy a file
    that the user may read into the PDF, and Lua can open any file that the user can. (`--safer` would stop Lua, but
    luaotfload refuses to start under it, and no OpenType font loads then.) So raw TeX from a stranger is compiled in
    the sandbox of `tikzgen.compile.sandbox.sandbox`, or not at all.
    """
    # An error shows all macros that it happened in, not the innermost alone. (And a first line `%&...` is a comment.)
    if engine is Engine.TECTONIC:
        # It runs as often as it takes, and lets documents start no programs; what it lacks it fetches for itself.
        return [program, "--outdir", ".", "--chatter", "minimal", "--keep-logs", "--untrusted", f"{JOB}.tex"]
    files = [WORDS] * words + [f"{JOB}.tex"]
    start = r"\errorcontextlines=99 " + "".join(rf"\input{{{file}}}" for file in files)
    if engine is Engine.LUALATEX:
        # LuaTeX derives the PDF's /ID from the folder's name: 512 leaves it out, so that every folder gives one PDF.
        return [program, "--nosocket", *_COMMON_OPTIONS, rf"\pdfvariable suppressoptionalinfo 512 {start}"]
    return [program, *([f"-fmt={dumped}"] if dumped else []), *_COMMON_OPTIONS, start]


# How each engine is told what its PDF says: Title and Subject, and what its root does: Lang.
_DATE_VARIABLES = {
    Engine.PDFLATEX: r"\pdfinfo{%s}\pdfcatalog{%s}",
    Engine.LUALATEX: r"\pdfextension info{%s}\pdfextension catalog{%s}",
    **dict.fromkeys(
        (Engine.XELATEX, Engine.TECTONIC),
        r"\AddToHook{shipout/firstpage}{\special{pdf:docinfo <<%s>>}\special{pdf:put @catalog <<%s>>}}",
    ),
}


def words_tex(words: About, engine: Engine) -> str:
    """The TeX of `words.tex`, empty where nothing is said; no sign of what is said means anything to TeX."""
    info = [f"/{key} <{_hex(text)}>" for key, text in (("Title", words.title), ("Subject", words.description)) if text]
    root = f"/Lang <{_hex(words.language)}>" if words.language else ""
    return _DATE_VARIABLES[engine] % ("\n".join(info), root) + "%\n" if info or root else ""


def _hex(text: str) -> str:
    """A PDF string: ASCII as it is, UTF-16 otherwise; in lines, of which TeX takes no endless ones."""
    data = text.encode() if text.isascii() else b"\xfe\xff" + text.encode("utf-16-be", "replace")
    return data.hex("\n", -40)


def dump_argv(program: str) -> list[str]:
    """The arguments that make pdfLaTeX dump `figure.fmt` from `figure.tex`, and tell in `figure.fls` what it read."""
    return [program, "-ini", "-recorder", *_COMMON_OPTIONS, "&pdflatex", f"{JOB}.tex"]


def environment(base: Mapping[str, str]) -> dict[str, str]:
    """`base` with our settings."""
    return {key: value for key, value in base.items() if key not in _UNWANTED_VARIABLES} | SETTINGS


# years of TeX Live, by trying 2020, 2022 and 2025
_FIRST_PARANOID = {Engine.XELATEX: 2022, Engine.LUALATEX: 2022}
_LAST_PARANOID = {Engine.LUALATEX: 2022}  # in 2023, security fixes put Lua's `io.open` under `openin_any`


def version_settings(engine: Engine, version: str) -> dict[str, str]:
    """Return the environment that replaces `SETTINGS` for a version, which is the first line of `--version`.

    Under `openin_any=p`, some versions of XeLaTeX and LuaLaTeX refuse the absolute paths of their own classes or fonts.
    """
    found = re.search(r"TeX Live (\d{4})", version)
    year = int(found[1]) if found else 0
    works = _FIRST_PARANOID.get(engine, year) <= year <= _LAST_PARANOID.get(engine, year)
    return {} if works or not year else {"openin_any": "r"}


_LIMITER = """\
ulimit -S -t "$1" 2>/dev/null
ulimit -v "$2" 2>/dev/null
ulimit -f "$3" 2>/dev/null
ulimit -c 0 2>/dev/null
shift 3
exec "$@"
"""


def limit_argv(argv: Sequence[str], limits: Limits) -> list[str]:
    """Return `argv` under resource limits, by the shell's own `ulimit`.

    A function between fork and exec could deadlock in a threaded process; the shell cannot. The CPU limit replaces the
    timer if this process dies. A limit that a system does not support (macOS has no -v) is left out.
    """
    seconds, kib, blocks = ceil(limits.seconds) + 1, limits.memory_mib * 1024, limits.file_mib * 2048
    return ["/bin/sh", "-c", _LIMITER, "sh", str(seconds), str(kib), str(blocks), *argv]
