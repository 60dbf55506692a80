"""A file of measured times, known by its content, not by its name."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO, cast

from tikzgen.base.errors import FileRefused, refusal
from tikzgen.trace.readers.chrome_events import NO_DEVICE, read_chrome
from tikzgen.trace.readers.csv_table import COLUMNS, read_csv
from tikzgen.trace.readers.json_events import read_some
from tikzgen.trace.readers.nsight_tables import read_nsight
from tikzgen.trace.readers.rocprof_records import KEY, read_rocprof
from tikzgen.trace.readers.trace_places import Place, base_name, local_copy, open_place, spell_location
from tikzgen.trace.run_model import RankTrace

_HEAD_BYTES = 4096  # bytes that tell the format of a file
_EXPORTS = {
    ".nsys-rep": "export it: nsys export --type sqlite {name}",
    ".qdrep": "export it: nsys export --type sqlite {name}",
    ".pftrace": "export it as JSON: traceconv json {name}, or rocprofv3 --output-format json",
    ".perfetto-trace": "export it as JSON: traceconv json {name}",
    ".pb": "export it as trace.json.gz: xprof's or TensorBoard's trace viewer writes it",
}
_PROFILE = "profile at least one step, and end the profiler"
_WAYS_IN = "a trace is JSON of torch.profiler, JAX or rocprofv3, SQLite of nsys, or a table " + ",".join(COLUMNS[:4])


def read_trace(place: Place, *, strict: bool = False, told: Callable[[float], None] | None = None) -> list[RankTrace]:
    """The ranks in a file: most often one.

    A file that breaks off is read as far as it goes, with a warning; with `strict` it is refused. `told` hears which
    share of it was read. `FileRefused` where it is no trace, or cannot be read.
    """
    try:
        ranks = _read_ranks(place, base_name(place), told)
    except (OSError, EOFError, zlib.error) as error:
        why = refusal(error) if isinstance(error, OSError) else "it breaks off"
        raise FileRefused(f"{spell_location(place)}: cannot be read: {why}") from None
    if not ranks:
        raise FileRefused(f"{spell_location(place)}: holds no events", hint=_PROFILE)
    for rank in ranks:
        if strict and rank.cut_at is not None:
            hint = "without --strict it is read so far"
            raise FileRefused(f"{spell_location(place)}: breaks off at byte {rank.cut_at}", hint=hint)
    return ranks


def _read_ranks(place: Place, source: str, told: Callable[[float], None] | None) -> list[RankTrace]:
    with open_place(place) as file:
        head = file.read(_HEAD_BYTES)
    if head.startswith(b"SQLite format 3\0"):
        with local_copy(place) as path:
            return read_nsight(path, source)
    packed = head.startswith(b"\x1f\x8b")

    @contextmanager
    def open_source() -> Iterator[BinaryIO]:
        with open_place(place, told) as file:
            yield cast("BinaryIO", gzip.GzipFile(fileobj=file)) if packed else file

    if packed:
        with open_source() as stream:
            head = read_some(stream, _HEAD_BYTES)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith((b"{", b"[")):
        return _read_json(open_source, head, source)
    heads = {each.strip(b' "\r').decode("utf-8", "replace") for each in text.split(b"\n", 1)[0].lower().split(b",")}
    if len(heads & {*COLUMNS}) > 1:  # what is missing is told there
        with open_source() as stream:
            return read_csv(io.TextIOWrapper(stream, "utf-8-sig", "replace", newline=""), source)
    if not text:
        raise FileRefused(f"{spell_location(place)}: is empty", hint=_WAYS_IN)
    export = next((way for ending, way in _EXPORTS.items() if source.lower().endswith(ending)), None)
    hint = export.format(name=source) if export else _WAYS_IN
    raise FileRefused(f"{spell_location(place)}: is no trace that tikzgen reads", hint=hint)


def _read_json(opened: Callable[[], AbstractContextManager[BinaryIO]], head: bytes, source: str) -> list[RankTrace]:
    """Chrome's events, or records of rocprofv3. What threads computed is only read where no device did anything, which
    the head may say: else the file is read twice."""
    alone = NO_DEVICE.search(head) is not None
    with opened() as stream:
        if f'"{KEY}"'.encode() in head:
            return read_rocprof(stream, source)
        ranks = read_chrome(stream, source, operators=alone)
    ran = any(len(rank.events) for rank in ranks)
    if not ran and not ranks[0].counts:
        stopped = ranks[0].cut_at
        what = (
            "holds no events"
            if stopped is None
            else f"is no JSON, or breaks off before its first event (byte {stopped})"
        )
        raise FileRefused(f"{source}: {what}", hint=_PROFILE)
    if ran != alone:
        return ranks
    with opened() as stream:
        return read_chrome(stream, source, operators=not ran)
