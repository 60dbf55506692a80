"""A file of measured times, known by its content, not by its name."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

from tikzgen.base.errors import FileRefused, refusal
from tikzgen.trace.chrome_events import read_chrome
from tikzgen.trace.csv_rows import COLUMNS, read_csv
from tikzgen.trace.cut_events import read_some
from tikzgen.trace.nsight_tables import read_nsight
from tikzgen.trace.rocprof_records import KEY, read_rocprof
from tikzgen.trace.run_model import RankTrace

_LOOKED_AT = 4096
_EXPORTS = {
    ".nsys-rep": "export it: nsys export --type sqlite {name}",
    ".qdrep": "export it: nsys export --type sqlite {name}",
    ".pftrace": "export it as JSON: traceconv json {name}, or rocprofv3 --output-format json",
    ".perfetto-trace": "export it as JSON: traceconv json {name}",
    ".pb": "export it as trace.json.gz: xprof's or TensorBoard's trace viewer writes it",
}
_WAYS_IN = "a trace is JSON of torch.profiler, JAX or rocprofv3, SQLite of nsys, or a table " + ",".join(COLUMNS[:4])


def read_trace(path: Path, *, strict: bool = False) -> list[RankTrace]:
    """The ranks in a file: most often one.

    A file that breaks off is read as far as it goes, with a warning; with `strict` it is refused.

    Raises:
        FileRefused: it is no trace, or cannot be read.
    """
    source = path.name
    try:
        ranks = _read(path, source)
    except (OSError, EOFError, zlib.error) as error:
        why = refusal(error) if isinstance(error, OSError) else "it breaks off"
        raise FileRefused(f"{path}: cannot be read: {why}") from None
    for rank in ranks:
        if strict and rank.cut_at is not None:
            raise FileRefused(f"{path}: breaks off at byte {rank.cut_at}", hint="without --strict it is read so far")
    return ranks


def _read(path: Path, source: str) -> list[RankTrace]:
    with path.open("rb") as file:
        head = file.read(_LOOKED_AT)
    if head.startswith(b"SQLite format 3\0"):
        return read_nsight(path, source)
    packed = head.startswith(b"\x1f\x8b")

    def opened() -> BinaryIO:
        return cast("BinaryIO", gzip.open(path)) if packed else path.open("rb")

    if packed:
        with opened() as stream:
            head = read_some(stream, _LOOKED_AT)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith((b"{", b"[")):
        return _read_json(opened, head, source)
    if text.lower().startswith(b"rank,") or b",lane," in text.split(b"\n", 1)[0].lower():
        with opened() as stream:
            return read_csv(io.TextIOWrapper(stream, "utf-8-sig", "replace", newline=""), source)
    if not text:
        raise FileRefused(f"{path}: is empty", hint=_WAYS_IN)
    export = _EXPORTS.get(path.suffix.lower())
    hint = export.format(name=source) if export else _WAYS_IN
    raise FileRefused(f"{path}: is no trace that tikzgen reads", hint=hint)


def _read_json(opened: Callable[[], BinaryIO], head: bytes, source: str) -> list[RankTrace]:
    """Chrome's events, or records of rocprofv3. What threads computed is only read where no device did anything."""
    with opened() as stream:
        if f'"{KEY}"'.encode() in head:
            return read_rocprof(stream, source)
        ranks = read_chrome(stream, source)
    if any(len(rank.events) for rank in ranks):
        return ranks
    if not ranks[0].counts:
        stopped = ranks[0].cut_at
        what = (
            "holds no events"
            if stopped is None
            else f"is no JSON, or breaks off before its first event (byte {stopped})"
        )
        raise FileRefused(f"{source}: {what}", hint="profile at least one step, and end the profiler")
    with opened() as stream:
        return read_chrome(stream, source, operators=True)
