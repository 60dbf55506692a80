"""Argument lists and environments of the engines. The module starts no program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil

from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.record import Record
from tikzgen.compile.tex.engines import Engine
from tikzgen.model.about import About

JOB = "figure"
"""Job name in the private folder of every job; the engines write it into the PDF."""

WORDS = "words.tex"
"""File with the metadata of the PDF, as TeX that the engine reads first."""

_COMMON_OPTIONS = (
    "-no-shell-escape",
    "-file-line-error",
    "-interaction=batchmode",
    "-halt-on-error",
    f"-jobname={JOB}",
)

SETTINGS = {
    # Read and write only in the job's folder and the TeX trees.
    "openin_any": "p",
    "openout_any": "p",
    # Make the output independent of the time.
    "SOURCE_DATE_EPOCH": "0",
    "FORCE_SOURCE_DATE": "1",
    # Do not wrap lines of the log, so that a program can read it.
    "max_print_line": "1000",
    "error_line": "254",
    "half_error_line": "238",
    # Capacity for figures of 10,000 items; TeX allocates memory only on use.
    "extra_mem_bot": "30000000",
    "extra_mem_top": "30000000",
    "save_size": "2000000",
}
"""Environment of every engine run, as kpathsea reads it."""

# These variables would let a job write into a folder of the caller.
_UNWANTED_VARIABLES = ("TEXMFOUTPUT", "TEXMF_OUTPUT_DIRECTORY")


class Limits(Record):
    """Limits of a run: wall and CPU seconds, MiB of address space, MiB per file that it writes.

    `folder_mib` limits all files in its folder together; None means no limit, for folders that the run does not own.
    """

    seconds: float = TIME_LIMIT_SECONDS
    memory_mib: int = 2048
    file_mib: int = 64
    folder_mib: int | None = None


def engine_argv(engine: Engine, program: str, dumped: str = "", *, words: bool = False) -> list[str]:
    r"""Return the arguments that compile `figure.tex` in the current folder.

    `dumped` is a format that replaces pdfLaTeX's default. With `words`, the engine first reads `words.tex` there;
    Tectonic accepts a single file, so there the figure reads it.

    No setting of the engines closes these gaps: pdfTeX's `\pdfobj … file` and XeTeX's `pdf:fstream` special can copy
    any file readable by the user into the PDF. Lua can open any file that the user can. (`--safer` would stop Lua, but
    then luaotfload does not start, and OpenType fonts do not load.) So untrusted raw TeX is compiled only in the
    sandbox of `tikzgen.compile.sandbox.sandbox`.
    """
    # An error shows all surrounding macros, not only the innermost. (And a first line `%&...` is a comment.)
    if engine is Engine.TECTONIC:
        # Tectonic repeats its run if necessary, lets documents start no programs, and downloads missing packages.
        return [program, "--outdir", ".", "--chatter", "minimal", "--keep-logs", "--untrusted", f"{JOB}.tex"]
    files = [WORDS] * words + [f"{JOB}.tex"]
    start = r"\errorcontextlines=99 " + "".join(rf"\input{{{file}}}" for file in files)
    if engine is Engine.LUALATEX:
        # LuaTeX derives the PDF's /ID from the folder's name. 512 omits it, so that the PDF does not depend on the
        # folder.
        return [program, "--nosocket", *_COMMON_OPTIONS, rf"\pdfvariable suppressoptionalinfo 512 {start}"]
    return [program, *([f"-fmt={dumped}"] if dumped else []), *_COMMON_OPTIONS, start]


# Code per engine for the PDF's metadata: Title and Subject in the information, Lang in the root.
_METADATA_COMMANDS = {
    Engine.PDFLATEX: r"\pdfinfo{%s}\pdfcatalog{%s}",
    Engine.LUALATEX: r"\pdfextension info{%s}\pdfextension catalog{%s}",
    **dict.fromkeys(
        (Engine.XELATEX, Engine.TECTONIC),
        r"\AddToHook{shipout/firstpage}{\special{pdf:docinfo <<%s>>}\special{pdf:put @catalog <<%s>>}}",
    ),
}


def words_tex(words: About, engine: Engine) -> str:
    """Return the TeX of `words.tex`; empty without words. The words are in hexadecimal, so TeX ignores them."""
    info = [
        f"/{key} <{_spell_hex(text)}>" for key, text in (("Title", words.title), ("Subject", words.description)) if text
    ]
    root = f"/Lang <{_spell_hex(words.language)}>" if words.language else ""
    return _METADATA_COMMANDS[engine] % ("\n".join(info), root) + "%\n" if info or root else ""


def _spell_hex(text: str) -> str:
    """Return a PDF string, ASCII or else UTF-16, in short lines, because TeX limits their length."""
    data = text.encode() if text.isascii() else b"\xfe\xff" + text.encode("utf-16-be", "replace")
    return data.hex("\n", -40)


def dump_argv(program: str) -> list[str]:
    """Return the arguments that dump `figure.fmt` of `figure.tex`, and list the read files in `figure.fls`."""
    return [program, "-ini", "-recorder", *_COMMON_OPTIONS, "&pdflatex", f"{JOB}.tex"]


def make_engine_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with the settings for engines."""
    return {key: value for key, value in base.items() if key not in _UNWANTED_VARIABLES} | SETTINGS


# releases of TeX Live; tested: 2020, 2022 and 2025
_FIRST_PARANOID = {Engine.XELATEX: 2022, Engine.LUALATEX: 2022}
_LAST_PARANOID = {Engine.LUALATEX: 2022}  # in 2023, security fixes put Lua's `io.open` under `openin_any`


def version_settings(engine: Engine, version: str) -> dict[str, str]:
    """Return the environment that replaces `SETTINGS` for a version, which is the first line of `--version`.

    Under `openin_any=p`, some versions of XeLaTeX and LuaLaTeX cannot open the absolute paths of their classes or
    fonts.
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
