"""Modules of tikzgen that read untrusted files, as separate processes with limits in a sandbox.

A malicious PDF may make its reader loop, fill the memory, or run code from the file. The process therefore sees only
Python, tikzgen and this file, and can be stopped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import LatexError
from tikzgen.base.record import NOTHING, Record
from tikzgen.base.version_and_cache_folder import PACKAGE
from tikzgen.compile.sandbox.sandbox import ProcessSandbox, sandbox_argv
from tikzgen.compile.tex.argv import Limits
from tikzgen.compile.tex.process import Ended, Running, run_process
from tikzgen.compile.tex.workplace import INPUT_NAME, OUTPUT_NAME, make_workplace, read_made

_FIND = """
import sys
from importlib.util import find_spec
unseen = [name for name in sys.argv[1:] if not find_spec(name)]
sys.exit(f"no {', '.join(unseen)}" if unseen else 0)
"""
_UNREADABLE_HINT = (
    "Python, tikzgen and its packages must stand where a sandbox may read, not below /tmp; --trust takes none"
)
_LIMITS = Limits(seconds=TIME_LIMIT_SECONDS, memory_mib=4096, file_mib=256, folder_mib=512)


class ReaderProcess(Record):
    """A module for `python -m`, and the additional packages that it may see if they are installed.

    `name` is its name in messages.
    """

    module: str
    packages: tuple[str, ...]
    name: str


def made_of(
    reader: ReaderProcess,
    pdf: bytes,
    *arguments: str,
    cell: ProcessSandbox | None,
    running: Running | None = None,
    limits: Limits = _LIMITS,
) -> bytes:
    """Return the output of a reader for a PDF, run in the sandbox `cell` if there is one.

    The output is as untrusted as the PDF. Raise `LatexError` with the reason if there is no output.
    """
    with make_workplace() as packages:
        there = {name: _find_package_folders(name) for name in reader.packages}
        reads = [str(PACKAGE), *(place for places in there.values() for place in places)]
        for place in reads:
            (packages / Path(place).name).symlink_to(place)  # Python lists the folders that it imports from
        # -P: no import of modules in the job's folder; -S: no code of site-packages at the start
        python = [os.path.realpath(sys.executable), "-P", "-S", "-s", "-B"]
        seen = (sys.base_prefix, str(packages), *reads)
        more = {"PYTHONPATH": str(packages)}
        program = [*python, "-m", reader.module, *arguments]
        try:
            return made_by(
                program, reader.name, OUTPUT_NAME, pdf, cell=cell, reads=seen, more=more, running=running, limits=limits
            )
        except LatexError:
            wanted = ["tikzgen", *(name for name, places in there.items() if places)]
            if trouble := _describe_trouble([*python, "-c", _FIND, *wanted], cell, seen, more):
                where = f" in the sandbox ({cell.name})" if cell else ""
                raise LatexError(f"{reader.name} cannot be run{where}: {trouble}", hint=_UNREADABLE_HINT) from None
            raise


def _describe_trouble(
    program: Sequence[str], cell: ProcessSandbox | None, reads: Sequence[str], more: Mapping[str, str]
) -> str:
    """Return why a program does not run in the environment of readers; empty if it runs."""
    with make_workplace() as work:
        argv, env = sandbox_argv(program, work, cell, reads)
        ended = run_process(argv, cwd=work, env=env | dict(more), limits=_LIMITS)
    return ended.last_words if ended.status else ""


def made_by(
    program: Sequence[str],
    name: str,
    result: str,
    pdf: bytes,
    *,
    cell: ProcessSandbox | None,
    reads: Sequence[str] = (),
    more: Mapping[str, str] = NOTHING,
    running: Running | None = None,
    limits: Limits = _LIMITS,
) -> bytes:
    """Return the file `result` that a program makes of a PDF in a private folder.

    `more` are additional environment variables. Raise `LatexError` without a result.
    """
    with make_workplace() as work:
        (work / INPUT_NAME).write_bytes(pdf)
        argv, env = sandbox_argv(program, work, cell, reads)
        ended = run_process(argv, cwd=work, env=env | dict(more), limits=limits, running=running)
        made = read_made(work / result, limits.file_mib * 1024 * 1024) if ended.status == 0 else b""
    if not made:
        raise LatexError(_describe_failure(name, ended, limits), hint="the PDF is damaged, or too much for this")
    return made


def _find_package_folders(package: str) -> list[str]:
    found = find_spec(package)
    return list(found.submodule_search_locations or ()) if found else []


def _describe_failure(name: str, ended: Ended, limits: Limits) -> str:
    if ended.timed_out:
        return f"{name} was stopped after {limits.seconds:g} s"
    if "MemoryError" in ended.output:
        return f"{name} needs more than {limits.memory_mib} MiB of memory"
    return f"{name} failed with {ended.last_words}"
