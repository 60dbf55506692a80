"""Formats of trace files: the table `TRACE_FORMATS` and the base class of its entries."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, cast

from tikzgen.base.errors import FileRefused, TikzgenError, quote
from tikzgen.base.extensions import Table
from tikzgen.base.suggest import suggest_known_names
from tikzgen.trace.readers.json_events import read_some
from tikzgen.trace.readers.trace_places import (
    BUFFER_BYTES,
    Place,
    base_name,
    is_url,
    open_place,
    report_errors,
    spell_location,
)
from tikzgen.trace.run_model import RankTrace

_HEAD_BYTES = 4096
_UNPACKERS: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}
"""Packed files by their first bytes."""
_OTHER_CONTENTS = {
    b"PK\x03\x04": ("is a zip archive", "unzip {name}"),
    b"\x28\xb5\x2f\xfd": ("is packed by zstd", "zstd -d {name}"),
    b"\xff\xfe": ("is UTF-16", "iconv -f UTF-16 -t UTF-8 {name} > utf8-{name}"),
    b"\xfe\xff": ("is UTF-16", "iconv -f UTF-16 -t UTF-8 {name} > utf8-{name}"),
}
"""Files that must be converted first, by their first bytes: problem and command."""

EXPORTS = {
    ".nsys-rep": "export it: nsys export --type sqlite {name}",
    ".qdrep": "export it: nsys export --type sqlite {name}",
    ".pftrace": "export it as JSON: traceconv json {name}, or rocprofv3 --output-format json",
    ".perfetto-trace": "export it as JSON: traceconv json {name}",
    ".pb": "export it as trace.json.gz: xprof's or TensorBoard's trace viewer writes it",
}
"""Suffixes of reports that only the program that wrote them can read, and the command that exports them."""
PROFILE_HINT = "profile at least one step, and end the profiler"
"""The fix for a trace without events."""


class TraceFile:
    """A file of measured times: its name, its first bytes and its contents. A gzip file is unpacked."""

    def __init__(self, place: Place, report_share: Callable[[float], None] | None = None, stated: str = "") -> None:
        """Remember the location; `report_share` receives the share of the file that was read, from 0 to 1.

        `stated` is the format or writer that the user states; empty means that the contents decide.
        """
        self.place = place
        self.stated = stated
        self.name = base_name(place)
        self._report_share = report_share

    @cached_property
    def head(self) -> bytes:
        """The first 4096 bytes at most."""
        if not self._is_packed:
            return self._raw_head
        with self.open() as stream:
            return read_some(stream, _HEAD_BYTES)

    @cached_property
    def _raw_head(self) -> bytes:
        with open_place(self.place) as file:
            return file.read(_HEAD_BYTES)

    @property
    def _is_packed(self) -> bool:
        return self._raw_head.startswith(tuple(_UNPACKERS))

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the contents for reading."""
        with open_place(self.place, self._report_share) as file:
            unpack = next((opener for magic, opener in _UNPACKERS.items() if self._raw_head.startswith(magic)), None)
            yield cast("BinaryIO", unpack(file)) if unpack else file

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """Provide the contents as a file of this machine: the file, or a copy that is removed afterwards."""
        if not is_url(self.place) and not self._is_packed:
            yield Path(self.place)
            return
        with TemporaryDirectory() as folder:
            copy = Path(folder, "contents")
            with report_errors(self.place), self.open() as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target, BUFFER_BYTES)
            yield copy


class TraceFormat:
    """A format of trace files."""

    phrase: str
    """The format in a sentence, such as "SQLite of nsys"."""
    suffixes: tuple[str, ...]
    """Suffixes of its files in lowercase, such as ".csv": other files of a folder are not read."""
    writers: tuple[str, ...] = ()
    """Names of the programs that write it, if their files differ in meaning."""

    @abstractmethod
    def matches(self, head: bytes) -> bool:
        """Return whether a file with these first bytes has the format."""

    def may_match(self, head: bytes) -> bool:
        """Return whether a file may have the format if no format matches."""
        return False

    @abstractmethod
    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        """Return the ranks in a file, with times in ns. Raise `FileRefused` if it is damaged."""


TRACE_FORMATS: Table[TraceFormat] = Table(
    "traces",
    {
        "chrome": "tikzgen.trace.readers.chrome_events:ChromeFormat",
        "rocprof": "tikzgen.trace.readers.rocprof_records:RocprofFormat",
        "nsight": "tikzgen.trace.readers.nsight_tables:NsightFormat",
        "csv": "tikzgen.trace.readers.csv_table:CsvFormat",
    },
    needed=("phrase", "suffixes", "matches", "may_match", "read_ranks"),
)
"""Formats in the order in which a file is compared with them."""


def find_format(file: TraceFile) -> str:
    """Return the name of the format of a file: the stated one, else that of its contents.

    Raise `FileRefused` if the file is empty or of another format, `TikzgenError` if the stated format is unknown.
    """
    if file.stated:
        return find_stated_format(file.stated)
    for name in _names():
        if TRACE_FORMATS[name].matches(file.head):
            return name
    for name in _names():
        if TRACE_FORMATS[name].may_match(file.head):
            return name
    phrases = [TRACE_FORMATS[name].phrase for name in TRACE_FORMATS]
    accepted = f"a trace is {', '.join(phrases[:-1])} or {phrases[-1]}"
    if not skip_blanks(file.head):
        raise FileRefused(f"{spell_location(file.place)}: is empty", hint=accepted)
    for magic, (problem, command) in _OTHER_CONTENTS.items():
        if file.head.startswith(magic):
            raise FileRefused(f"{spell_location(file.place)}: {problem}", hint=command.format(name=file.name))
    export = next((hint for suffix, hint in EXPORTS.items() if file.name.lower().endswith(suffix)), accepted)
    message = f"{spell_location(file.place)}: is not a trace that tikzgen reads"
    raise FileRefused(message, hint=export.format(name=file.name))


def find_stated_format(stated: str) -> str:
    """Return the format of that name, or with a writer of that name. Raise `TikzgenError` if there is none."""
    for name in _names():
        if stated in (name, *TRACE_FORMATS[name].writers):
            return name
    known = [each for name in _names() for each in (TRACE_FORMATS[name].writers or [name])]
    hint = suggest_known_names(stated, known, "the formats are")
    raise TikzgenError(f"format: unknown format {quote(stated)}", hint=hint)


def _names() -> Iterator[str]:
    """Yield the built-in formats, then those of packages, which are looked up only if they are needed."""
    yield from TRACE_FORMATS.built_in
    yield from TRACE_FORMATS.map_entry_packages()


def trace_suffixes() -> Iterator[tuple[str, ...]]:
    """Yield the suffixes of built-in formats, then those of packages."""
    for names in (TRACE_FORMATS.built_in, TRACE_FORMATS.map_entry_packages()):
        yield tuple(suffix for name in names for suffix in TRACE_FORMATS[name].suffixes)


def skip_blanks(head: bytes) -> bytes:
    """Return text without a byte order mark and spaces at its start."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")


def is_json(head: bytes) -> bool:
    """Return whether text begins as a JSON object or list."""
    return skip_blanks(head).startswith((b"{", b"["))
