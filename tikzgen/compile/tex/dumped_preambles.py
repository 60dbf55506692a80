"""Preambles that TeX has read before: loading TikZ takes half of a small figure's time, a dumped format does not.

A format is TeX's memory after a preamble, as `\\dump` writes it. It is used only where it was seen to give the same
bytes as a run without it, so a figure's PDF never depends on which formats lie in the cache. (One run for many figures
would be faster still, but its pages share their fonts: a PDF would hold its neighbours' letters.)
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
from tikzgen.compile.tex.argv import JOB, SETTINGS, Limits, dump_argv, environment
from tikzgen.compile.tex.engines import Engine, Installed
from tikzgen.compile.tex.process import Running, run_process
from tikzgen.compile.tex.workplace import scratch

_DOCUMENT = "\\begin{document}\n"
_GENERATION = "1"

# What a format does not hold: xcolor's choice of the ink's colour, which waits on the page while a preamble is read.
_AFTERWARDS = "\\csname set@color\\endcsname\n"

PAYS_AFTER_COUNT = 4
"""Making a format and trying it takes about as long as so many figures gain by it."""

_MOST_FORMATS_COUNT = 8


class DumpedPreamble(Record):
    """The lines of a figure before its document; `rest` is the figure without them, every line at its old number."""

    text: str
    rest: str


def preamble_of(source: str, engine: Engine) -> DumpedPreamble | None:
    r"""What a format could stand for; nothing where there is no such preamble, or the engine keeps fonts outside.

    >>> source = "\\documentclass{standalone}\n\\usepackage{tikz}\n\\begin{document}\nHi"
    >>> print(preamble_of(source, Engine.PDFLATEX).rest)
    \csname set@color\endcsname
    %
    \begin{document}
    Hi
    """
    text, begin, document = source.partition(_DOCUMENT)
    # XeTeX refuses to dump native fonts, and LuaTeX forgets what luaotfload knows
    if engine is not Engine.PDFLATEX or not begin or not text.startswith("\\documentclass") or text[-1] != "\n":
        return None
    return DumpedPreamble(text, _AFTERWARDS + "%\n" * (text.count("\n") - 1) + begin + document)


class Formats:
    """A folder of formats. One that cannot be read or written holds none: slower, and never an error.

    `pays_after` says for how many figures with one preamble its format is made.
    """

    def __init__(self, folder: Path, pays_after: int = PAYS_AFTER_COUNT) -> None:
        self.folder = folder
        self.pays_after = pays_after
        self._under_way: set[str] = set()
        self._lock = Lock()

    def find(self, preamble: DumpedPreamble, installed: Installed) -> Path | None:
        """The format of that preamble, if there is one, it gives the same bytes, and no package changed since."""
        key = _key(preamble, installed)
        if not self._verdict(key):
            return None
        place = self._place(key, "fmt")
        with suppress(OSError):
            os.utime(place)  # `_prune` drops what was not used for longest
        return place

    def pays(self, preamble: DumpedPreamble, installed: Installed) -> bool:
        """Count one more figure with that preamble; whether there were enough of them to make its format."""
        uses = self._place(_key(preamble, installed), "uses")
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
        """Make a format, and keep it if `same` finds that it gives what a run without it gave.

        What does not work is not tried again as long as the packages stay as they are, nor by two threads at once.
        """
        key = _key(preamble, installed)
        with self._lock:
            if key in self._under_way or self._verdict(key) is not None:
                return
            self._under_way.add(key)
        try:
            with suppress(OSError), scratch(self.folder) as draft:
                files = _dump(preamble, installed, draft, limits, running)
                dumped = draft / f"{JOB}.fmt"
                good = dumped.exists() and same(dumped)
                if not (running and running.stopped):  # what was stopped midway tells nothing
                    self._judge(key, dumped, files, good)
        finally:
            with self._lock:
                self._under_way.discard(key)

    def forget(self, preamble: DumpedPreamble, installed: Installed) -> None:
        """Drop a format under which a figure failed that compiles without: each figure would be run twice."""
        with suppress(OSError):
            self._place(_key(preamble, installed), "json").unlink(missing_ok=True)

    def _judge(self, key: str, dumped: Path, files: list[str], good: bool) -> None:
        """Note whether a format is of use, and keep it if it is."""
        record = {"same": good, "size": dumped.stat().st_size if good else 0, "files": _facts(files)}
        if good:
            dumped.replace(self._place(key, "fmt"))
        write_cached(self._place(key, "json"), json.dumps(record).encode())
        self._prune()

    def _verdict(self, key: str) -> bool | None:
        """Whether the format of that key is of use; nothing where it is not known, or no longer as it was judged."""
        try:
            record = json.loads(self._place(key, "json").read_bytes())
            if _facts(record["files"]) != record["files"]:
                return None
            if record["same"] and self._place(key, "fmt").stat().st_size != record["size"]:
                return None
            return bool(record["same"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _prune(self) -> None:
        """A format has about 18 MB; those that were used last stay."""
        kept = sorted(self.folder.glob("*.fmt"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in kept[_MOST_FORMATS_COUNT:]:
            file.unlink(missing_ok=True)

    def _place(self, key: str, suffix: str) -> Path:
        return self.folder / f"{key}.{suffix}"


def _key(preamble: DumpedPreamble, installed: Installed) -> str:
    """What a format depends on, but for the packages: their files are looked at each time."""
    searched = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("TEX")]
    settings = map("=".join, SETTINGS.items())
    return cache_key(_GENERATION, installed.path, installed.version, *settings, *searched, preamble.text)[:32]


def _facts(files: list[str] | dict[str, list[int]]) -> dict[str, list[int]]:
    """When each file was last changed, in ns, and its size in bytes. `OSError` where one is gone."""
    found = {}
    for name in files:
        facts = Path(name).stat()
        found[name] = [facts.st_mtime_ns, facts.st_size]
    return found


def _dump(
    preamble: DumpedPreamble, installed: Installed, folder: Path, limits: Limits, running: Running | None
) -> list[str]:
    """Write `figure.fmt` into the folder, if that works; the files that were read for it."""
    (folder / f"{JOB}.tex").write_bytes(f"{preamble.text}\\dump\n".encode("utf-8", "surrogatepass"))
    argv = dump_argv(installed.path)
    ended = run_process(argv, cwd=folder, env=environment(os.environ), limits=limits, running=running)
    dumped = folder / f"{JOB}.fmt"
    if ended.status != 0:
        dumped.unlink(missing_ok=True)
    elif dumped.exists():
        data = dumped.read_bytes()
        with suppress(gzip.BadGzipFile):
            dumped.write_bytes(gzip.decompress(data))  # TeX reads both forms; unpacking takes it most of a short run
    try:
        lines = (folder / f"{JOB}.fls").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    read = {line.removeprefix("INPUT ") for line in lines if line.startswith("INPUT ")}
    return sorted(name for name in read if Path(name).is_absolute() and not name.startswith(str(folder)))
