"""Reports of Nsight Systems, exported as SQLite: one rank per process. The file is opened read-only."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tikzgen.base.errors import FileRefused, shorten_for_message
from tikzgen.trace.readers.trace_formats import TraceFile, TraceFormat
from tikzgen.trace.run_model import Annotation, RankBuilder, RankTrace, Stream, name_processes

_KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
_GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
_COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"
_FILLS = "CUPTI_ACTIVITY_KIND_MEMSET"
_LAUNCHES = "CUPTI_ACTIVITY_KIND_RUNTIME"
_RANGES = "NVTX_EVENTS"
_DIRECTIONS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}
_PUSHED, _STARTED = 59, 60
_ENDING = (_PUSHED, _STARTED)
_EXPORT = "export it again: nsys export --type sqlite"
_PROCESS = 1 << 24  # threads per process: an id is process * _PROCESS + thread


class _Tables:
    """A database whose tables and columns may be missing."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        self.names = {str(name): self._columns(str(name)) for (name,) in rows}

    def _columns(self, table: str) -> set[str]:
        return {str(row[1]) for row in self._database.execute(f'PRAGMA table_info("{table.replace(chr(34), "")}")')}

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table; the value of a missing column is null."""
        known = self.names.get(table)
        if known is not None:
            spelt = ", ".join(f'"{column}"' if column in known else "NULL" for column in columns)
            found = self._database.execute(f'SELECT {spelt} FROM "{table}"')
            while row := found.fetchone():  # `yield from` would close a closed cursor
                yield row


class NsightFormat(TraceFormat):
    """A report of Nsight Systems, exported as SQLite."""

    phrase = "SQLite of nsys"
    suffixes = (".sqlite",)

    def matches(self, head: bytes) -> bool:
        """Return whether the file is a database."""
        return head.startswith(b"SQLite format 3\0")

    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        """Return one rank per process."""
        with file.on_disk() as path:
            return read_nsight(path, file.name)


def read_nsight(path: Path, source: str) -> list[RankTrace]:
    """Return the ranks in a report. Raise `FileRefused` if it is damaged, or not from Nsight Systems."""
    try:
        database = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        raise FileRefused(f"{source}: cannot be opened: {error}") from None
    database.execute("PRAGMA trusted_schema = OFF")
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    try:
        return _ranks(_Tables(database), source)
    except (sqlite3.Error, TypeError, ValueError, OverflowError) as error:
        raise FileRefused(
            f"{source}: the report cannot be read: {shorten_for_message(error)}",
            hint=_EXPORT,
        ) from None
    finally:
        database.close()


def _ranks(tables: _Tables, source: str) -> list[RankTrace]:
    if not {_KERNELS, _RANGES, "StringIds"} & tables.names.keys():
        raise FileRefused(f"{source}: is SQLite, but no report of Nsight Systems", hint="nsys export --type sqlite")
    texts = {key: str(value) for key, value in tables.rows("StringIds", ("id", "value"))}
    stamps = (row[0] for row in tables.rows("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",)))
    begun = next((stamp for stamp in stamps if type(stamp) is int), None)
    found: dict[int | None, RankBuilder] = {}

    def rank(process: int | None) -> RankBuilder:
        key = _process_of(process)
        if key not in found:
            found[key] = RankBuilder(source, "nsight", absolute=begun is not None, base=begun or 0)
        return found[key]

    _take_device(tables, texts, rank)
    if None in found and len(found) > 1:
        raise FileRefused(f"{source}: only some device events state their process", hint=_EXPORT)
    for process, each in (found or {None: rank(None)}).items():
        _take_threads(tables, texts, each, process)
    if ranks := name_processes({process or 0: each for process, each in found.items()}):
        ranks[0].warnings += _warn_of_processes(tables, source, found)
    return [each.build_rank() for each in ranks]


def _warn_of_processes(tables: _Tables, source: str, found: Collection[int | None]) -> Iterator[str]:
    """Yield warnings about processes without device events, and about processes that share a rank."""
    ranges = Counter(
        _process_of(thread) for thread, kind in tables.rows(_RANGES, ("globalTid", "eventType")) if kind in _ENDING
    )
    launching = {_process_of(thread) for (thread,) in tables.rows(_LAUNCHES, ("globalTid",))}
    known = {*ranges, *launching} - {None}
    if None not in found:
        for process in sorted(process for process in ranges.keys() - found if process is not None):
            told = f"{ranges[process]} ranges of process {process} are not read: it ran nothing on a device"
            yield f"{source}: {told}"
    elif len(known) > 1:
        yield f"{source}: device events do not state their process: {len(known)} processes are read as one rank"


def _take_device(tables: _Tables, texts: dict[Any, str], rank: Any) -> None:
    """Kernels, graphs that are traced whole, copies and fills."""
    place = ("start", "end", "globalPid", "deviceId", "streamId", "correlationId")
    for start, end, process, device, stream, link, name, short in tables.rows(
        _KERNELS, (*place, "demangledName", "shortName")
    ):
        text = texts.get(name) or texts.get(short) or ""
        _add(rank(process), start, end, "kernel", text, device, stream, link)
    for start, end, process, device, stream, link in tables.rows(_GRAPHS, place):
        _add(rank(process), start, end, "kernel", "CUDA graph", device, stream, link)
    for start, end, process, device, stream, link, way in tables.rows(_COPIES, (*place, "copyKind")):
        text = f"Memcpy {_DIRECTIONS.get(way, '')}".strip()
        _add(rank(process), start, end, "memcpy", text, device, stream, link)
    for start, end, process, device, stream, link in tables.rows(_FILLS, place):
        _add(rank(process), start, end, "memset", "Memset", device, stream, link)


def _add(
    rank: RankBuilder,
    start: object,
    end: object,
    filed: str,
    name: str,
    device: int | None,
    stream: int | None,
    link: object,
) -> None:
    rank.counts[filed] += 1
    if type(start) is int and type(end) is int and start <= end:
        rank.event(start, end, filed, name, Stream(str(device or 0), str(stream or 0)), _read_link(link))
    else:
        rank.unread += 1


def _read_link(link: object) -> int:
    """Return a correlation; 0 if it is missing."""
    return link if type(link) is int and link > 0 else 0


def _take_threads(tables: _Tables, texts: dict[Any, str], rank: RankBuilder, process: int | None) -> None:
    """Add the launches and ranges of one process; of all processes without device events."""
    for start, thread, link in tables.rows(_LAUNCHES, ("start", "globalTid", "correlationId")):
        if _is_of(thread, process) and type(start) is int:
            rank.counts["launch"] += 1
            rank.launch(start, _spell_thread(thread), _read_link(link))
    open_ranges = 0
    for start, end, kind, text, number, thread in tables.rows(
        _RANGES, ("start", "end", "eventType", "text", "textId", "globalTid")
    ):
        if kind not in _ENDING or not _is_of(thread, process):
            continue
        rank.counts["annotation"] += 1
        if end is None:
            open_ranges += 1
            continue
        if type(start) is not int or type(end) is not int or end < start:
            rank.unread += 1
            continue
        name = text if text is not None else texts.get(number, "")
        rank.annotations.append(Annotation(str(name), _spell_thread(thread), start, end))
    if rank.unread:
        rank.warnings.append(f"{rank.source}: {rank.unread} events are not read: they do not end after they start")
    if open_ranges:
        rank.warnings.append(f"{rank.source}: {open_ranges} ranges are not read: they never end")


def _is_of(thread: int | None, process: int | None) -> bool:
    return process is None or thread is None or _process_of(thread) == process


def _process_of(number: int | None) -> int | None:
    """Return the process of the id of a process or thread; None if it is missing."""
    return None if number is None else number // _PROCESS % _PROCESS


def _spell_thread(thread: int | None) -> str:
    """Return process and thread of the id of a thread."""
    return f"{_process_of(thread) or 0}/{(thread or 0) % _PROCESS}"
