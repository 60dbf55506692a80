"""Damaged files of every format, through all that is done with a run: a line, or what is left; never a traceback."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from conftest import ROOT, scaled
from hypothesis import given, settings
from hypothesis import strategies as some

from tikzgen import trace
from tikzgen.base.errors import TikzgenError
from tikzgen.trace.choose_run import choose_ranks, choose_time, set_clocks
from tikzgen.trace.cut_run import cut_run
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.picture_run import picture_of
from tikzgen.trace.readers.read_run import shared_base
from tikzgen.trace.survey_run import survey, survey_text

TRACES = ROOT / "tests" / "cases" / "traces"


def _jax() -> bytes:
    def named(what: str, pid: int, name: str, tid: int = 0) -> dict[str, Any]:
        return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}

    threads = [named("thread_name", 1, "Stream #16(Kernel)", 16), named("thread_name", 1, "XLA Ops - from #16", 17)]
    ran = [
        {"ph": "X", "pid": 1, "tid": 16 + at % 2, "ts": 1.5 * at, "dur": 1.25, "name": "all-reduce.1"}
        for at in range(6)
    ]
    return json.dumps({"traceEvents": [named("process_name", 1, "/device:GPU:0"), *threads, *ran, {}]}).encode()


def _rocprof() -> bytes:
    def dispatched(start: int) -> dict[str, Any]:
        info = {"agent_id": {"handle": 4}, "queue_id": {"handle": 1}, "kernel_id": 9}
        times = {"start_timestamp": start, "end_timestamp": start + 7}
        return {**times, "dispatch_info": info, "correlation_id": {"internal": start}, "stream_id": {"handle": 2}}

    copied = {"start_timestamp": 40, "end_timestamp": 44, "src_agent_id": {"handle": 4}, "stream_id": {"handle": 2}}
    marked = {"start_timestamp": 4, "end_timestamp": 44, "args": {"message": "F3"}, "thread_id": 7}
    records = {"kernel_dispatch": [dispatched(10), dispatched(30)], "memory_copy": [copied], "marker_api": [marked]}
    symbols = [{"kernel_id": 9, "formatted_kernel_name": "Cijk_Ailk"}]
    return json.dumps({"rocprofiler-sdk-tool": [{"kernel_symbols": symbols, "buffer_records": records}]}).encode()


@cache
def sound(name: str) -> bytes:
    """A file that can be read."""
    match name:
        case "jax":
            return _jax()
        case "rocprof":
            return _rocprof()
        case "table":
            rows = (f"{at % 2},gpu,{at}.5,{at + 2},forward,F,{at},0" for at in range(6))
            return "\n".join(["rank,lane,start,end,class,name,microbatch,stage", *rows]).encode()
        case "packed":
            return gzip.compress(sound("kineto"), mtime=0)
        case "sqlite":
            return (TRACES / "synthetic" / "rank0.sqlite").read_bytes()
        case "cpu":
            return gzip.decompress((TRACES / "pp_1f1b_p4_m8_rank2.json.gz").read_bytes())[:9000]
    return gzip.decompress((TRACES / "synthetic" / "rank0.json.gz").read_bytes())[:5000]


def all_that_is_done(path: Path) -> None:
    """Everything that the verbs and the recipe do with a run; each part may refuse it, in a line."""
    run = shared_base(trace.read([path]))
    assert survey_text(survey(run, ClassRules()))
    for step in ("last-complete", "all"):
        for text in cut_run(run, step).values():
            json.loads(text)
    run, _ = set_clocks(choose_ranks(run, None, 64)[0], "auto")
    chosen = choose_time(run, "all", None)
    picture = picture_of(chosen, ClassRules())
    assert picture.cells
    assert all(0 <= cell.start <= cell.end for cell in picture.cells)
    first, last = sorted([Fraction(chosen.stretch[0]), Fraction(chosen.stretch[1])])
    choose_time(run, "all", (Fraction(0), max(Fraction(last - first), Fraction(1))))


def attempt(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.json")
        path.write_bytes(content)
        try:
            all_that_is_done(path)
        except TikzgenError as refused:
            assert "\n" not in str(refused)


FORMATS = ["kineto", "cpu", "jax", "rocprof", "table", "packed", "sqlite"]
CHANGES = some.lists(
    some.tuples(
        some.floats(0, 1),
        some.one_of(some.binary(max_size=3), some.integers(-9, 99).map(lambda n: str(n).encode())),
        some.integers(0, 9),
    ),
    max_size=5,
)


@pytest.mark.parametrize("name", FORMATS)
def test_a_sound_file_is_measured_and_drawn(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(sound(name))
    all_that_is_done(path)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=scaled(250))
@given(CHANGES, some.one_of(some.just(1.0), some.floats(0, 1)))
def test_a_damaged_file_never_ends_in_a_traceback(
    name: str, changes: list[tuple[float, bytes, int]], end: float
) -> None:
    content = sound(name)
    content = content[: int(end * len(content))]
    for place, inserted, dropped in changes:
        at = int(place * len(content))
        content = content[:at] + inserted + content[at + dropped :]
    attempt(content)


VALUES = some.one_of(
    some.none(),
    some.booleans(),
    some.integers(-(2**65), 2**65),
    some.floats(),
    some.text(max_size=3),
    some.sampled_from(["12.5", "1e300", "[]", 10**400, "X", "kernel", "user_annotation", "cpu_op"]),
    some.lists(some.integers(), max_size=2),
    some.dictionaries(some.text(max_size=2), some.integers(), max_size=2),
)


@pytest.mark.parametrize("name", ["kineto", "cpu", "jax", "rocprof"])
@settings(max_examples=scaled(250))
@given(some.lists(some.tuples(some.floats(0, 1), VALUES), min_size=1, max_size=4))
def test_whatever_a_field_holds_there_is_no_traceback(name: str, changes: list[tuple[float, Any]]) -> None:
    text = sound(name)
    if name in ("kineto", "cpu"):
        text = text[: text.rindex(b"},")] + b"}]}"
    document = json.loads(text)
    for place, value in changes:
        fields = list(_fields(document))
        holder, key = fields[int(place * (len(fields) - 1))]
        holder[key] = value
    attempt(json.dumps(document).encode())


def _fields(value: Any) -> Any:
    """Where values stand."""
    for key, held in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _fields(held)


COLUMNS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": ["start", "end", "deviceId", "streamId", "correlationId", "globalPid", "shortName"],
    "CUPTI_ACTIVITY_KIND_RUNTIME": ["start", "globalTid", "correlationId"],
    "NVTX_EVENTS": ["start", "end", "eventType", "text", "textId", "globalTid"],
    "StringIds": ["value"],
    "TARGET_INFO_SESSION_START_TIME": ["utcEpochNs"],
}
CELLS = [(table, column) for table, columns in COLUMNS.items() for column in columns]


@settings(max_examples=scaled(250))
@given(
    some.lists(
        some.tuples(
            some.sampled_from(CELLS),
            some.one_of(some.integers(-(2**62), 2**62), some.floats(), some.text(max_size=2), some.binary(max_size=2)),
        ),
        min_size=1,
        max_size=4,
    ),
    some.integers(1, 9),
)
def test_whatever_a_report_holds_there_is_no_traceback(changes: list[tuple[tuple[str, str], Any]], every: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.sqlite")
        path.write_bytes(sound("sqlite"))
        with closing(sqlite3.connect(path)) as database, database:
            for (table, column), value in changes:
                query = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid % ? = 0 OR {every} = 1"
                database.execute(query, (value, every))
        try:
            all_that_is_done(path)
        except TikzgenError as refused:
            assert "\n" not in str(refused)


BOMBS = {  # what begins it, what is there how often, and what ends it
    "one long name": (b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "', b"a", 80 << 20, b""),
    "deep": (b'{"traceEvents": [', b'{"a":', 2 << 20, b""),
    "blank": (b"", b" ", 8 << 20, b""),
    "no events": (b'{"a": "', b"x", 80 << 20, b'"}'),
    "lists in an event": (
        *(b'{"traceEvents": [{"ph": "X", "cat": "kernel", "args": {"l": [', b'{"name": 1},', 1 << 18, b""),
    ),
    "fields of a table": (b"rank,lane,start,end\n0,a,", b"1", 1 << 20, b""),
    "columns": (b"rank,lane,start,end", b",a", 1 << 18, b"\n0,a,1,2\n" * 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_what_unpacks_to_much_is_soon_refused_or_read(name: str) -> None:
    begin, part, times, end = BOMBS[name]
    attempt(gzip.compress(begin + part * times + end, 1))
