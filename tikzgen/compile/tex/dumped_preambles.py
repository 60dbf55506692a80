r"""Cache of preambles as TeX formats: loading TikZ takes half of the time of a small figure.

A format is TeX's memory after a preamble, as `\dump` writes it. It is used only after a test that the PDF is identical
to one without it, so a PDF never depends on the formats in the cache. (One run for many figures would be faster still,
but its pages share their fonts, so a PDF would contain characters of other figures.)
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from tikzgen.base.cache import cache_key
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_cached
from tikzgen.compile.tex.argv import JOB, SETTINGS, Limits, dump_argv, make_engine_environment
from tikzgen.compile.tex.engines import Engine, Installed
from tikzgen.compile.tex.process import Running, run_process
from tikzgen.compile.tex.workplace import make_scratch_folder

_DOCUMENT = "\\begin{document}\n"
_GENERATION = "1"

# A format lacks xcolor's choice of the current color, which waits for the page while a preamble is read.
_AFTERWARDS = "\\csname set@color\\endcsname\n"

PAYS_AFTER_COUNT = 4
"""Number of figures whose saved time pays for making and testing a format."""

_MOST_FORMATS_COUNT = 8


class DumpedPreamble(Record):
    """The preamble of a figure; `rest` is the figure without it, with unchanged line numbers."""

    text: str
    rest: str


def preamble_of(source: str, engine: Engine) -> DumpedPreamble | None:
    r"""Return the preamble that a format can replace, or None.

    None means that the figure has no such preamble, or that the engine keeps fonts outside of a format.

    >>> source = "\\documentclass{standalone}\n\\usepackage{tikz}\n\\begin{document}\nHi"
    >>> print(preamble_of(source, Engine.PDFLATEX).rest)
    \csname set@color\endcsname
    %
    \begin{document}
    Hi
    """
    text, begin, document = source.partition(_DOCUMENT)
    # XeTeX cannot dump native fonts, and LuaTeX loses the state of luaotfload.
    if engine is not Engine.PDFLATEX or not begin or not text.startswith("\\documentclass") or text[-1] != "\n":
        return None
    return DumpedPreamble(text, _AFTERWARDS + "%\n" * (text.count("\n") - 1) + begin + document)


class Formats:
    """A folder of formats; an unusable folder counts as empty, which is slower, but never an error.

    `pays_after` is the number of figures with one preamble after which its format is made.
    """

    def __init__(self, folder: Path, pays_after: int = PAYS_AFTER_COUNT) -> None:
        self.folder = folder
        self.pays_after = pays_after
        self._under_way: set[str] = set()
        self._lock = Lock()

    def find(self, preamble: DumpedPreamble, installed: Installed) -> Path | None:
        """Return the format of a preamble, if it exists, passed its test, and no package changed since."""
        key = _make_format_key(preamble, installed)
        if not self._read_verdict(key):
            return None
        place = self._place(key, "fmt")
        with suppress(OSError):
            os.utime(place)  # `_prune` drops the least recently used
        return place

    def count_use(self, preamble: DumpedPreamble, installed: Installed) -> bool:
        """Count a figure with that preamble; return whether the count is high enough to make its format."""
        uses = self._place(_make_format_key(preamble, installed), "uses")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with uses.open("ab") as file:
                file.write(b".")
                return file.tell() >= self.pays_after
        except OSError:
            return False

    def make(
        self,
        preamble: DumpedPreamble,
        installed: Installed,
        same: Callable[[Path], bool],
        *,
        limits: Limits,
        running: Running | None = None,
    ) -> None:
        """Make a format, and keep it if `same` confirms an identical result.

        A failure is not repeated until a package changes. Two threads never make one format simultaneously.
        """
        key = _make_format_key(preamble, installed)
        with self._lock:
            if key in self._under_way or self._read_verdict(key) is not None:
                return
            self._under_way.add(key)
        try:
            with suppress(OSError), make_scratch_folder(self.folder) as draft:
                files = _dump(preamble, installed, draft, limits, running)
                dumped = draft / f"{JOB}.fmt"
                good = dumped.exists() and same(dumped)
                if not (running and running.stopped):  # a stopped run has no verdict
                    self._record_verdict(key, dumped, files, good)
        finally:
            with self._lock:
                self._under_way.discard(key)

    def drop_format(self, preamble: DumpedPreamble, installed: Installed) -> None:
        """Drop a format if a figure compiles only without it; otherwise each such figure would run twice."""
        with suppress(OSError):
            self._place(_make_format_key(preamble, installed), "json").unlink(missing_ok=True)

    def _record_verdict(self, key: str, dumped: Path, files: list[str], good: bool) -> None:
        """Record whether a format is usable, and keep it if it is."""
        record = {"same": good, "size": dumped.stat().st_size if good else 0, "files": _read_file_stats(files)}
        if good:
            dumped.replace(self._place(key, "fmt"))
        write_cached(self._place(key, "json"), json.dumps(record).encode())
        self._prune()

    def _read_verdict(self, key: str) -> bool | None:
        """Return whether the format of a key is usable, or None if unknown or changed since its test."""
        try:
            record = json.loads(self._place(key, "json").read_bytes())
            if _read_file_stats(record["files"]) != record["files"]:
                return None
            if record["same"] and self._place(key, "fmt").stat().st_size != record["size"]:
                return None
            return bool(record["same"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _prune(self) -> None:
        """Remove all formats except the most recently used ones; a format has about 18 MB."""
        kept = sorted(self.folder.glob("*.fmt"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in kept[_MOST_FORMATS_COUNT:]:
            file.unlink(missing_ok=True)

    def _place(self, key: str, suffix: str) -> Path:
        return self.folder / f"{key}.{suffix}"


def _make_format_key(preamble: DumpedPreamble, installed: Installed) -> str:
    """Return the key of a format: everything that it depends on, except packages, which are checked later."""
    searched = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("TEX")]
    settings = map("=".join, SETTINGS.items())
    return cache_key(_GENERATION, installed.path, installed.version, *settings, *searched, preamble.text)[:32]


def _read_file_stats(files: list[str] | dict[str, list[int]]) -> dict[str, list[int]]:
    """Return the modification time (ns) and size (bytes) of each file; raise `OSError` for a missing one."""
    found = {}
    for name in files:
        facts = Path(name).stat()
        found[name] = [facts.st_mtime_ns, facts.st_size]
    return found


def _dump(
    preamble: DumpedPreamble, installed: Installed, folder: Path, limits: Limits, running: Running | None
) -> list[str]:
    """Write `figure.fmt` into the folder, if possible; return the files that TeX read for it."""
    (folder / f"{JOB}.tex").write_bytes(f"{preamble.text}\\dump\n".encode("utf-8", "surrogatepass"))
    argv = dump_argv(installed.path)
    ended = run_process(argv, cwd=folder, env=make_engine_environment(os.environ), limits=limits, running=running)
    dumped = folder / f"{JOB}.fmt"
    if ended.status != 0:
        dumped.unlink(missing_ok=True)
    elif dumped.exists():
        data = dumped.read_bytes()
        with suppress(gzip.BadGzipFile):
            dumped.write_bytes(gzip.decompress(data))  # TeX reads both forms; unpacking takes most of a short run
    try:
        lines = (folder / f"{JOB}.fls").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    read = {line.removeprefix("INPUT ") for line in lines if line.startswith("INPUT ")}
    return sorted(name for name in read if Path(name).is_absolute() and not name.startswith(str(folder)))
