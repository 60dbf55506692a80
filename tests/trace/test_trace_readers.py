"""Files of profilers: whatever their form, the same run; what is wrong with one is told in a line."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import scaled
from hypothesis import given, settings
from hypothesis import strategies as some
from trace_files import SYNTHETIC, TRACES, events_of, kernel, written

from tikzgen.base.errors import FileRefused, TikzgenError
from tikzgen.trace.exact_times import nanoseconds
from tikzgen.trace.readers.chrome_events import read_chrome
from tikzgen.trace.readers.json_events import EventCutter
from tikzgen.trace.readers.read_run import read_run, shared_base
from tikzgen.trace.readers.read_trace import read_trace
from tikzgen.trace.run_model import Stream, TraceRun

STAMPS = {
    "1712195495505582.988": 1712195495505582988,
    "-0.5": -500,
    "12": 12000,
    "0.0001": Fraction(1, 10),
    "1e3": 1000000,
    "4381262440454.43": 4381262440454430,
}


@pytest.mark.parametrize(("spelt", "exact"), STAMPS.items())
def test_stamps_are_exact(spelt: str, exact: int | Fraction) -> None:
    assert nanoseconds(spelt) == exact == Fraction(Decimal(spelt) * 1000)


@pytest.mark.parametrize("spelt", ["", "x", "1.2.3", "1e999", "1_000", "nan", None, True, 1.5, "1" * 40])
def test_what_is_no_stamp_is_refused(spelt: object) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        nanoseconds(spelt)


def _array(document: dict[str, Any]) -> bytes:
    return json.dumps(document["traceEvents"]).encode()


def _indented(document: dict[str, Any]) -> bytes:
    return json.dumps(document, indent=3).encode()


def _base_behind(document: dict[str, Any]) -> bytes:
    return json.dumps({key: document[key] for key in sorted(document, key=lambda key: key != "traceEvents")}).encode()


def _packed(document: dict[str, Any]) -> bytes:
    return gzip.compress(json.dumps(document).encode())


def _other_first_key(document: dict[str, Any]) -> bytes:
    """Every second event begins with a key that no cut is made at."""
    events = [{"zz": 1, **each} if place % 2 else each for place, each in enumerate(document["traceEvents"])]
    return json.dumps({**document, "traceEvents": events}).encode()


def _objects_inside(document: dict[str, Any]) -> bytes:
    """Events hold lists of objects that look like events, and texts that look like ends."""
    inside = [{"name": "n", "cat": "cpu_op"}, {"name": 'x}], "a": [{"ph": "X"}, {"name"', "cat": "kernel", "ph": "X"}]
    events = [{**each, "args": {**each.get("args", {}), "list": inside}} for each in document["traceEvents"]]
    return json.dumps({**document, "traceEvents": events}).encode()


FORMS: list[Callable[[dict[str, Any]], bytes]] = [
    _array,
    _indented,
    _base_behind,
    _packed,
    _other_first_key,
    _objects_inside,
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("piece", [61, 1 << 20])
def test_every_form_of_a_file_tells_the_same(
    form: Callable[[dict[str, Any]], bytes], piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tikzgen.trace.readers.json_events._PIECE_BYTES", piece)
    text = gzip.decompress((SYNTHETIC / "rank1.json.gz").read_bytes())
    document = json.loads(text, parse_float=float)
    (plain,) = read_trace(SYNTHETIC / "rank1.json.gz")
    (other,) = read_trace(written(tmp_path, form(document)))
    if form is _array:  # has no fields, and so no base
        assert not other.absolute
        assert len(other.events) == len(plain.events) == 93
    else:
        assert events_of(other) == events_of(plain)
        assert (other.number, other.world, other.counts) == (1, 4, plain.counts)
    assert len(other.annotations) == len(plain.annotations)
    assert other.warnings == ()


@pytest.mark.parametrize("rank", range(4))
def test_sqlite_and_json_tell_the_same_events(rank: int) -> None:
    (one,), (other,) = (read_trace(SYNTHETIC / f"rank{rank}.{form}") for form in ("json.gz", "sqlite"))
    shift = events_of(one)[0][0] - events_of(other)[0][0]
    assert events_of(one) == [(start + shift, end + shift, *more) for start, end, *more in events_of(other)]


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    path = SYNTHETIC / "truncated_rank0.json"
    (rank,) = read_trace(path)
    assert sum(rank.counts.values()) == 124
    (warning,) = rank.warnings
    assert warning.startswith("truncated_rank0.json: breaks off at byte 26549; 124 events before it are read")
    assert (rank.number, rank.world, rank.absolute) == (0, 4, True)
    with pytest.raises(FileRefused, match=r"breaks off at byte 26549 \(without --strict it is read so far"):
        read_trace(path, strict=True)


def test_a_base_that_is_lost_keeps_a_rank_from_standing_beside_others(tmp_path: Path) -> None:
    head = '{"distributedInfo": {"rank": %d, "world_size": 2}, "traceEvents": ['
    one = written(tmp_path, head % 0 + json.dumps(kernel(1)) + ",", "a.json")
    other = written(tmp_path, head % 1 + json.dumps(kernel(2)) + '], "baseTimeNanoseconds": 5}', "b.json")
    alone = shared_base(read_run([one]))
    assert "perhaps the base of the stamps, are lost" in alone.warnings[0]
    with pytest.raises(TikzgenError, match=r"a\.json breaks off before the base of its stamps"):
        shared_base(read_run([one, other]))


def test_control_characters_and_bad_utf8_in_names_are_taken(tmp_path: Path) -> None:
    text = json.dumps({"traceEvents": [kernel(1, name="bad@name"), kernel(3)]}).encode()
    (rank,) = read_trace(written(tmp_path, text.replace(b"@", b"\x01\xff\n")))
    assert (len(rank.events), rank.warnings) == (2, ())


def test_stamps_may_be_texts_and_events_may_lack_what_others_have(tmp_path: Path) -> None:
    odd = [
        {},
        kernel("1712195495505582.988", "0"),
        kernel("x"),
        kernel(4, -1),
        {"ph": "B"},
        {"ph": "X", "cat": "kernel"},
    ]
    (rank,) = read_trace(written(tmp_path, {"traceEvents": odd}))
    assert [event[:2] for event in events_of(rank)] == [(1712195495505582988, 1712195495505582988)]
    assert [warning.partition(": ")[2] for warning in rank.warnings] == [
        "4 events are not read: without a time",
    ]


def test_streams_are_those_of_the_categories_not_of_the_arguments(tmp_path: Path) -> None:
    more = [
        kernel(5, cat="cpu_op"),
        kernel(5, cat="cuda_sync"),
        kernel(5, cat="gpu_user_annotation"),
        kernel(5, cat="overhead"),
    ]
    (rank,) = read_trace(written(tmp_path, {"traceEvents": [*more, kernel(1, pid=2), kernel(2, cat="Memset")]}))
    assert [event[0] for event in events_of(rank)] == [1000, 2000]
    assert rank.streams == (Stream("2", "7"), Stream("0", "7"))


def test_a_file_of_jax_holds_several_devices_and_its_derived_threads_are_not_counted(tmp_path: Path) -> None:
    def named(what: str, pid: int, name: str, tid: int = 0) -> dict[str, Any]:
        return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}

    def ran(pid: int, tid: int, start: float, name: str) -> dict[str, Any]:
        return {"ph": "X", "pid": pid, "tid": tid, "ts": start, "dur": 2.5, "name": name}

    events = [
        ran(1, 16, 1.25, "all-reduce.1"),
        *(named("process_name", pid, f"/device:GPU:{pid - 1}") for pid in (2, 1)),
        named("process_name", 701, "/host:CPU"),
        *(named("thread_name", pid, "Stream #16(Kernel)", 16) for pid in (1, 2)),
        named("thread_name", 1, "XLA Ops - from #16", 17),
        ran(1, 17, 1.25, "all-reduce.1"),
        ran(2, 16, 3, "MemcpyD2D"),
        ran(701, 16, 3, "python"),
        {},
    ]
    run = read_run([written(tmp_path, {"displayTimeUnit": "ns", "traceEvents": events})])
    assert {number: events_of(rank) for number, rank in run.ranks.items()} == {
        0: [(1250, 3750, "all-reduce.1", "16")],
        1: [(3000, 5500, "MemcpyD2D", "16")],
    }
    tpu = [named("process_name", 1, "/device:TPU:0"), named("thread_name", 1, "XLA Ops", 3), ran(1, 3, 1, "fusion")]
    assert events_of(read_trace(written(tmp_path, tpu))[0]) == [(1000, 3500, "fusion", "XLA Ops")]


def test_records_of_rocprof_are_a_rank_with_a_device_for_each_agent(tmp_path: Path) -> None:
    def dispatched(agent: int, start: int, symbol: int) -> dict[str, Any]:
        info = {"agent_id": {"handle": agent}, "queue_id": {"handle": 1}, "kernel_id": symbol}
        times = {"start_timestamp": start, "end_timestamp": start + 7}
        return {**times, "dispatch_info": info, "correlation_id": {"internal": start}, "stream_id": {"handle": 2}}

    tool = {
        "kernel_symbols": [{"kernel_id": 9, "formatted_kernel_name": "Cijk_Ailk"}],
        "buffer_records": {
            "kernel_dispatch": [dispatched(4, 10, 9), dispatched(3, 30, 8)],
            "memory_copy": [{"start_timestamp": 40, "end_timestamp": 44, "src_agent_id": {"handle": 3}}],
        },
    }
    run = read_run([written(tmp_path, {"rocprofiler-sdk-tool": [tool]})])
    (rank,) = run.ranks.values()
    assert events_of(rank) == [(10, 17, "Cijk_Ailk", "2"), (30, 37, "", "2"), (40, 44, "Memory copy", "0")]
    assert [len(rank.select_device(device)) for device in rank.devices] == [2, 1]
    with pytest.raises(FileRefused, match="the records of rocprofv3 are no whole JSON"):
        read_trace(written(tmp_path, '{"rocprofiler-sdk-tool": [{'))
    with pytest.raises(FileRefused, match="a record of rocprofv3 lacks what every one has"):
        read_trace(written(tmp_path, {"rocprofiler-sdk-tool": [{"buffer_records": {"kernel_dispatch": [{}]}}]}))


def test_a_table_is_the_plain_way_in(tmp_path: Path) -> None:
    table = (
        "rank,lane,start,end,class,name,microbatch,stage\n1,gpu,0.5,2,forward,F,3,1\n0,net,1,1.25,communication,,,\n"
    )
    run = read_run([written(tmp_path, table, "t.csv")])
    assert {number: events_of(rank) for number, rank in run.ranks.items()} == {
        0: [(1000, 1250, "", "net")],
        1: [(500, 2000, "F", "gpu")],
    }
    assert [each.name for each in run.ranks[1].annotations] == ["PP:1F3"]


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "t.nsys-rep": (
        b"\x00\x01binary",
        r"is not a trace that tikzgen reads \(export it: nsys export --type sqlite t\.nsys-rep",
    ),
    "t.pftrace": (b"\x0a\x80", r"is not a trace that tikzgen reads \(export it as JSON: traceconv json t\.pftrace"),
    "t.pb": (b"\x0a\x80", r"is not a trace that tikzgen reads \(export it as trace\.json\.gz"),
    "t.txt": ("hello", r"is not a trace that tikzgen reads \(a trace is JSON of torch\.profiler"),
    "empty.json": ("", "is empty"),
    "none.json": ('{"traceEvents": []}', r"none\.json: holds no events"),
    "other.json": ('{"a": [1, 2]}', r"other\.json: is JSON without traceEvents"),
    "bad.json": ("{nothing", r"bad\.json: is no JSON, or breaks off before its first event \(byte 8\)"),
    "bad.json.gz": (gzip.compress(b'{"a": 1, "traceEvents": [')[:-9], "breaks off before its first event"),
    "other.sqlite": (b"SQLite format 3\x00 and no more", "the report cannot be read|no report of Nsight"),
    "head.csv": ("rank,lane,start\n", r'head\.csv:1: has no column "end" \(the first line is rank,lane,start,end,'),
    "named.csv": (
        "rank,name,start,end\n",
        r'named\.csv:1: has no column "lane" \(the first line is rank,lane,start,end,',
    ),
    "rank.csv": ("rank,lane,start,end\nx,a,1,2\n", r'rank\.csv:2: the rank "x" is not a number'),
    "time.csv": ("rank,lane,start,end\n0,a,1,x\n", r'time\.csv:2: "1" to "x" are no times'),
    "back.csv": ("rank,lane,start,end\n0,a,2,1\n", r"back\.csv:2: ends before it starts"),
    "class.csv": ("rank,lane,start,end,class\n0,a,1,2,计算\n", r'class\.csv:2: the class "计算" is not a name'),
    "long.csv": ("rank,lane,start,end\n0,a,2,3,4\n", r"long\.csv:2: the row has not as many fields"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_trace_is_refused_with_the_way_out(name: str, tmp_path: Path) -> None:
    content, says = REFUSED[name]
    with pytest.raises(FileRefused, match=says) as refused:
        read_run([written(tmp_path, content, name)])
    assert "\n" not in str(refused.value)


def test_another_database_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with sqlite3.connect(path) as database:
        database.execute('CREATE TABLE "a""b" (x)')
    with pytest.raises(FileRefused, match=r"is SQLite, but no report of Nsight Systems \(nsys export --type sqlite"):
        read_trace(path)


def test_ranks_are_those_of_the_files_their_names_or_their_order(tmp_path: Path) -> None:
    def files(*names: str) -> list[Path]:
        return [written(tmp_path, {"traceEvents": [kernel(1)]}, name) for name in names]

    assert list(read_run(files("run_rank-7.json")).ranks) == [7]
    assert list(read_run(files("w_rank_3.json", "w_rank_1.json")).ranks) == [1, 3]
    unknown = read_run(files("b.json", "a.json"))
    assert {number: rank.source for number, rank in unknown.ranks.items()} == {0: "b.json", 1: "a.json"}
    assert unknown.warnings == (
        "the files do not say which ranks they are of: they are numbered in the order in which they are given",
    )
    first, second = files("b.json", "a.json")
    assert list(read_run({4: first, 2: second}).ranks) == [2, 4]


def test_ranks_that_do_not_belong_together_are_refused() -> None:
    twice = [SYNTHETIC / "rank0.json.gz", SYNTHETIC / "truncated_rank0.json"]
    with pytest.raises(TikzgenError, match=r"rank 0 is in two files, rank0\.json\.gz and truncated_rank0\.json"):
        read_run(twice)
    worlds = [SYNTHETIC / "rank0.json.gz", TRACES / "sampled_rank-1.json.gz"]
    with pytest.raises(TikzgenError, match=r"of a run of 4 ranks and .* of one of 128"):
        read_run(worlds)
    with pytest.raises(TikzgenError, match="no traces"):
        read_run([])


def test_a_run_knows_how_many_ranks_left_no_file() -> None:
    run: TraceRun = read_run([SYNTHETIC / f"rank{rank}.json.gz" for rank in (0, 1, 3)])
    assert (list(run.ranks), run.world) == ([0, 1, 3], 4)


SMALL = gzip.decompress((SYNTHETIC / "rank0.json.gz").read_bytes())[:6000]


@settings(max_examples=scaled(2000))
@given(
    some.lists(some.tuples(some.integers(0, len(SMALL) - 1), some.binary(max_size=3), some.integers(0, 9)), max_size=4),
    some.integers(0, len(SMALL)),
)
def test_a_mutated_file_never_ends_in_a_traceback(changes: list[tuple[int, bytes, int]], end: int) -> None:
    text = SMALL[:end]
    for place, inserted, dropped in changes:
        text = text[:place] + inserted + text[place + dropped :]
    try:
        ranks = read_chrome(io.BytesIO(text), "t.json", operators=False)
    except TikzgenError as refused:
        assert "\n" not in str(refused)
    else:
        assert all(start <= finish for rank in ranks for start, finish, *_ in events_of(rank))


@settings(max_examples=scaled(1000))
@given(
    some.lists(
        some.fixed_dictionaries(
            {"ph": some.sampled_from("XMi"), "cat": some.sampled_from(["kernel", "cpu_op", ""])},
            optional={"name": some.text(), "args": some.recursive(some.text(), some.lists, max_leaves=3)},
        )
    ),
    some.integers(1, 99),
    some.sampled_from([None, 1]),
)
def test_cutting_finds_each_wanted_event_whatever_it_holds(
    events: list[dict[str, Any]], piece: int, indent: int | None
) -> None:
    text = json.dumps({"a": [{"ph": 1}], "traceEvents": events, "z": [{"name": 1}, {"name": 2}]}, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tikzgen.trace.readers.json_events._PIECE_BYTES", piece)
        cutter = EventCutter(io.BytesIO(text.encode()), {"kernel": ""})
        found = list(cutter.events())
    assert found == [each for each in events if each["cat"] != "cpu_op"]
    assert (sum(cutter.sorts.values()), cutter.stopped) == (len(events), None)
    assert cutter.header == {"a": [{"ph": 1}], "z": [{"name": 1}, {"name": 2}]}


@pytest.mark.parametrize("kernels", [0, 1])
def test_operators_are_the_same_in_any_order_of_keys(kernels: int, tmp_path: Path) -> None:
    """Those in the usual order are read without decoding, and the file is read once where it says that it may be."""

    def event(number: int) -> dict[str, Any]:
        sort = ("cpu_op", "Operator")[number % 2]
        place = {"pid": 7, "tid": 7 + number % 3, "ts": (10**12 + number) / 1000, "dur": 2}
        return {"ph": "X", "cat": sort, "name": "aten::" + "x" * 150, **place, "args": {"cat": "kernel", "ts": 1}}

    events = [event(number) for number in range(6000)]
    events += [{**events[0], "cat": "kernel", "name": "k", "args": {"stream": 7}}] * kernels
    found = []
    for place, order in enumerate((list, reversed)):
        listed = [dict(order(list(each.items()))) for each in events]
        for properties in ([], [{"id": 0}]):
            path = tmp_path / f"{place}{len(properties)}.json"
            path.write_text(json.dumps({"deviceProperties": properties, "traceEvents": listed}), encoding="utf-8")
            (rank,) = read_trace(path)
            names = (rank.threads[each] for each in rank.operators.threads)
            operators = [*zip(rank.operators.starts, names, strict=True)]
            found.append((operators, rank.counts, len(rank.events)))
            assert len(rank.operators.links) == len(operators) == (0 if kernels else 6000)
    assert all(each == found[0] for each in found)
