"""What each profiler writes differently, and where its files deceive: one trap, one test."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import run
from trace_files import SYNTHETIC, events_of, kernel, written

from tikzgen import trace
from tikzgen.base.errors import FileRefused, TikzgenError
from tikzgen.trace.annotated_operations import early_messages, operations_of
from tikzgen.trace.choose_run import choose_time
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.rank_clocks import check_clocks, find_clocks
from tikzgen.trace.rank_measures import measure_rank
from tikzgen.trace.run_model import RankTrace, TraceRun
from tikzgen.trace.trace_steps import launched_in, steps_of


def one(folder: Path, events: Sequence[Any], **header: Any) -> RankTrace:
    """The only rank of a file of these events."""
    (rank,) = trace.read([written(folder, {**header, "traceEvents": list(events)})]).ranks.values()
    return rank


def thread(category: str, name: str, start: object, length: object = 1, **args: Any) -> dict[str, Any]:
    """Something that a thread did."""
    return {"ph": "X", "cat": category, "name": name, "pid": 9, "tid": 9, "ts": start, "dur": length, "args": args}


def test_rocm_launches_are_filed_as_cudas_and_its_devices_are_not_the_first(tmp_path: Path) -> None:
    names = ["hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemcpyAsync", "hipGetDevice"]
    launches = [thread("cuda_runtime", name, at, correlation=at) for at, name in enumerate(names, 1)]
    kernels = [kernel(9 + at, pid=2, args={"stream": 0, "correlation": at, "kind": "Dispatch"}) for at in range(1, 5)]
    rank = one(tmp_path, [*launches, *kernels, thread("cuda_sync", "Stream Sync", 1, stream=-1)])
    assert {stream.device for stream in rank.streams} == {"2"}
    assert launched_in(rank, 0, 10**6) == [0, 1, 2]


def test_only_the_device_is_counted_not_what_repeats_or_waits_for_it(tmp_path: Path) -> None:
    repeats = [
        "gpu_user_annotation",
        "cuda_sync",
        "overhead",
        "cuda_profiler_range",
        "Trace",
        "python_function",
        "ac2g",
    ]
    others = [thread(category, "x", 1, 50, stream=7, correlation=3) for category in repeats]
    odd = [{"ph": phase, "cat": "kernel", "name": "x", "ts": 1} for phase in ("i", "C", "s", "f", "M")]
    triton = thread("cpu_op", "triton_", 1, stream=7)
    rank = one(tmp_path, [*others, *odd, triton, kernel(5, 2)])
    assert [event[:2] for event in events_of(rank)] == [(5000, 7000)]
    assert rank.counts["gpu_user_annotation"] == 1


def test_mtia_has_categories_of_its_own(tmp_path: Path) -> None:
    events = [kernel(start, cat="mtia_ccp_events", name=name) for start, name in ((1, "gemm"), (3, "event_wait"))]
    launch = thread("mtia_runtime", "runtimeLaunch", 0, correlation=3)
    rank = one(tmp_path, [*events, launch])
    assert [event[2] for event in events_of(rank)] == ["gemm"]
    assert launched_in(rank, 0, 1000) == [0]


STAMPS: dict[str, tuple[object, dict[str, Any], int, bool]] = {
    "whole microseconds since 1970": (1712195495505582, {}, 1712195495505582000, True),
    "fractional": ("1712195495505582.988", {}, 1712195495505582988, True),
    "from a base": ("4381262440454.431", {"baseTimeNanoseconds": 1700000000000000000}, 1704381262440454431, True),
    "from a base that is spelt": (5, {"baseTimeNanoseconds": "1700000000000000000"}, 1700000000000005000, True),
    "since the profile began": (12.5, {}, 12500, False),
}


@pytest.mark.parametrize("name", STAMPS)
def test_stamps_are_taken_to_the_nanosecond_whatever_they_count_from(name: str, tmp_path: Path) -> None:
    stamp, header, moment, absolute = STAMPS[name]
    text = json.dumps({**header, "traceEvents": [kernel("@")]}).replace('"@"', str(stamp))
    (rank,) = trace.read([written(tmp_path, text)]).ranks.values()
    assert (events_of(rank)[0][0], rank.absolute) == (moment, absolute)


def test_a_collective_is_known_by_what_the_profiler_writes(tmp_path: Path) -> None:
    named = {"Collective name": "allreduce", "Seq": 7, "Process Group Name": "1", "Process Group Ranks": "[0, 1, ...]"}
    rank = one(tmp_path, [kernel(1, args={"stream": 7, **named}), kernel(3, args={"stream": 7, **named, "Seq": "x"})])
    assert [(each.group, each.name, each.number) for each in rank.collectives.values()] == [("1", "allreduce", 7)]


def message(name: str, start: int, **more: Any) -> dict[str, Any]:
    """One end of a message from rank 0 to rank 1."""
    ends = {"Process Group Name": "0", "Seq": 1, "Src Rank": 0, "Dst Rank": 1}
    return kernel(start, 5, name="ncclDevKernel_SendRecv", args={"stream": 7, "Collective name": name, **ends, **more})


@pytest.mark.parametrize(("received", "early"), [(90, 1), (96, 0), (120, 0)])
def test_a_message_that_arrives_before_it_is_sent_is_told(received: int, early: int, tmp_path: Path) -> None:
    for number, event in enumerate([message("send", 100), message("recv", received)]):
        header = {"distributedInfo": {"rank": number, "world_size": 2}, "baseTimeNanoseconds": 10**18}
        written(tmp_path, {**header, "traceEvents": [event]}, f"r{number}.json")
    found = early_messages(trace.read(sorted(tmp_path.iterdir())))
    assert found == ["message 1 from rank 0 has arrived at rank 1 0.005 ms before it is sent"] * early
    assert not early_messages(trace.read(sorted(tmp_path.iterdir())), 5000)
    done = run("trace", "align", str(tmp_path))
    assert (done.status, "too early by the clocks as they are: 1\n" in done.out) == (1, bool(early))


def clocks_of(folder: Path, events: Sequence[list[dict[str, Any]]]) -> TraceRun:
    """A run of ranks on hosts of their own."""
    for number, own in enumerate(events):
        header = {"distributedInfo": {"rank": number, "world_size": len(events)}, "baseTimeNanoseconds": 10**18}
        written(folder, {**header, "host_name": f"h{number}", "traceEvents": own}, f"r{number}.json")
    return trace.read(sorted(folder.iterdir()))


def reduced(group: str, number: int, end: int) -> dict[str, Any]:
    """One rank's part of an all-reduce of a group."""
    named = {"Collective name": "allreduce", "Process Group Ranks": group, "Seq": number}
    return kernel(end - 5, 5, name="ncclDevKernel_AllReduce", args={"stream": 7, **named})


def test_clocks_are_found_over_ranks_in_between(tmp_path: Path) -> None:
    first = [reduced("[0, 1]", number, 100 * number) for number in (1, 2, 3)]
    middle = [reduced("[0, 1]", number, 100 * number + 7) for number in (1, 2, 3)]
    middle += [reduced("[1, 2]", number, 100 * number + 50) for number in (1, 2, 3)]
    last = [reduced("[1, 2]", number, 100 * number + 30) for number in (1, 2, 3)]
    clocks = find_clocks(clocks_of(tmp_path, [first, middle, last]))
    assert [(each.offset, each.residual, each.matched) for each in clocks.values()][1:] == [
        (7000, 0, 3),
        (-13000, 0, 3),
    ]


def passed(name: str, source: int, target: int, start: int) -> dict[str, Any]:
    """One end of a message."""
    ends = {"Process Group Ranks": "[0, 1]", "Seq": 1, "Src Rank": source, "Dst Rank": target}
    return kernel(start, 5, name="ncclDevKernel_SendRecv", args={"stream": 7, "Collective name": name, **ends})


@pytest.mark.parametrize("ahead", [0, 1000])
def test_messages_both_ways_bound_a_clock(ahead: int, tmp_path: Path) -> None:
    first = [passed("send", 0, 1, 100), passed("recv", 1, 0, 230)]
    other = [passed("recv", 0, 1, 115 + ahead), passed("send", 1, 0, 200 + ahead)]
    found = find_clocks(clocks_of(tmp_path, [first, other]))[1]
    assert (found.offset, found.residual, found.matched) == (ahead * 1000 - 7500, 27500, 2)


def test_messages_that_contradict_each_other_refuse_a_clock(tmp_path: Path) -> None:
    first = [passed("send", 0, 1, 100), passed("recv", 1, 0, 110)]
    other = [passed("recv", 0, 1, 80), passed("send", 1, 0, 130)]
    found = clocks_of(tmp_path, [first, other])
    with pytest.raises(TikzgenError, match="messages to and from rank 1 contradict each other"):
        check_clocks(found, find_clocks(found), asked=True)


def test_clocks_by_which_operations_are_too_early_are_told() -> None:
    files = [str(SYNTHETIC / f"rank{rank}.json.gz") for rank in range(4)]
    done = run("trace", "align", *files)
    assert done.status == 1
    assert "too early by the clocks as they are: 24\n  F0 of stage 3 begins 8.826059 ms before F0 of" in done.out
    facts = json.loads(run("trace", "align", *files, "--format", "json").out)
    assert (len(facts["early"]), facts["early_moved"]) == (24, [])


def test_a_file_of_jax_that_a_converter_cut_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tikzgen.trace.readers.chrome_writers._ROUND", (4,))
    names = [("process_name", 0, "/device:GPU:0"), ("thread_name", 2, "Stream #2")]
    named = [{"ph": "M", "name": what, "pid": 1, "tid": tid, "args": {"name": name}} for what, tid, name in names]
    ran = [{"ph": "X", "pid": 1, "tid": 2, "ts": at, "dur": 1, "name": name} for at, name in enumerate("ab")]
    rank = one(tmp_path, [*ran, *named])
    assert (len(rank.events), rank.absolute) == (2, False)
    assert rank.warnings == ("t.json: holds exactly 4 events; a converter stops there",)


def report(folder: Path, tables: dict[str, tuple[str, list[tuple[Any, ...]]]]) -> list[RankTrace]:
    """The ranks of a report with these tables only."""
    path = folder / "r.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        for name, (columns, rows) in tables.items():
            database.execute(f"CREATE TABLE {name} ({columns})")
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * (columns.count(',') + 1))})", rows)
    return [*trace.read([path]).ranks.values()]


STRINGS = ("id, value", [(1, "gemm"), (2, "PP:0F0")])
PROCESS = (7 << 56) | (40 << 24)


def test_a_report_may_lack_tables_and_columns_and_hold_several_devices(tmp_path: Path) -> None:
    kernels = [(5, 9, 1, 7, PROCESS, 3, 1), (1, 2, 0, 7, PROCESS, 2, 1)]
    columns = "start, end, deviceId, streamId, globalPid, correlationId, shortName"
    graph = ("start, end, deviceId, streamId, globalPid", [(20, 30, 0, 7, PROCESS)])
    copies = ("start, end, deviceId, streamId, globalPid, copyKind", [(40, 44, 0, 8, PROCESS, 2)])
    tables = {"CUPTI_ACTIVITY_KIND_KERNEL": (columns, kernels), "StringIds": STRINGS}
    tables |= {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE": graph, "CUPTI_ACTIVITY_KIND_MEMCPY": copies}
    (rank,) = report(tmp_path, tables)
    assert [event[:3] for event in events_of(rank)] == [
        (1, 2, "gemm"), (5, 9, "gemm"), (20, 30, "CUDA graph"), (40, 44, "Memcpy DtoH"),
    ]  # fmt: skip
    assert [len(rank.select_device(device)) for device in rank.devices] == [3, 1]
    assert (rank.source, rank.absolute) == ("r.sqlite", False)


def test_ranges_of_a_report_are_named_by_text_or_number_and_may_be_open(tmp_path: Path) -> None:
    here, elsewhere = PROCESS | 5, (41 << 24) | 5
    ranges = [
        (1, 9, 59, None, 2, here), (2, None, 59, "open", None, here), (3, 4, 34, "mark", None, here),
        (5, 6, 60, "B0", None, here), (7, 8, 59, "other", None, elsewhere), (9, 8, 59, "back", None, here),
    ]  # fmt: skip
    kernels = ("start, end, globalPid", [(1, 2, PROCESS), (3, None, PROCESS), ("x", 5, PROCESS)])
    tables = {"CUPTI_ACTIVITY_KIND_KERNEL": kernels, "StringIds": STRINGS}
    (rank,) = report(tmp_path, tables | {"NVTX_EVENTS": ("start, end, eventType, text, textId, globalTid", ranges)})
    assert [(each.name, each.thread) for each in rank.annotations] == [("PP:0F0", "40/5"), ("B0", "40/5")]
    assert rank.warnings == (
        "r.sqlite: 3 events are not read: they do not end after they start",
        "r.sqlite: 1 ranges are not read: they never end",
        "r.sqlite: 1 ranges of process 41 are not read: it ran nothing on a device",
    )
    assert [each.name for each in operations_of(rank)] == ["F0"]


@pytest.mark.parametrize(
    "head",
    ["rank,lane,start,end", '"Rank", "Lane","start","end"', "lane,end,start,rank", "\ufeffrank,lane,start,end,note"],
)
def test_a_table_is_known_by_its_columns_in_any_order(head: str, tmp_path: Path) -> None:
    names = [each.strip(' "\ufeff').lower() for each in head.split(",")]
    row = {"rank": "3", "lane": "gpu", "start": "1.5", "end": "2", "note": ""}
    path = written(tmp_path, f"{head}\r\n{','.join(row[name] for name in names)}\r\n", "t.txt")
    (rank,) = trace.read([path]).ranks.values()
    assert (rank.number, [event[:2] for event in events_of(rank)]) == (3, [(1500, 2000)])


def test_classes_of_a_table_become_names_of_phases(tmp_path: Path) -> None:
    rows = ["rank,lane,start,end,class", "0,gpu,0,10,All Reduce (x)", "0,net,5,9,data_loading"]
    written(tmp_path, "\n".join(rows), "t.csv")
    (tmp_path / "fig.yaml").write_text("recipe: trace\nsource: t.csv\n")
    assert run("render", str(tmp_path / "fig.yaml")).status == 0
    (rank,) = trace.read([tmp_path / "t.csv"]).ranks.values()
    assert [kind.filed for kind in rank.kinds] == ["All-Reduce-x", "data-loading"]


NOTHING_IN_IT = {
    "t.csv": "rank,lane,start,end\n",
    "t.json": '{"rocprofiler-sdk-tool": [{"buffer_records": {}}]}',
    "u.json": "[]",
}


@pytest.mark.parametrize("name", NOTHING_IN_IT)
def test_a_file_without_events_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match=r"holds no events \(profile at least one step"):
        trace.read([written(tmp_path, NOTHING_IN_IT[name], name)])


def test_a_cut_keeps_the_classes_of_a_table(tmp_path: Path) -> None:
    rows = ["0,a,0,100,compute", "0,b,50,150,communication", "0,c,150,160,memcpy", "0,d,160,170,loading"]
    written(tmp_path, "\n".join(["rank,lane,start,end,class", *rows]), "t.csv")
    assert run("trace", "cut", str(tmp_path / "t.csv"), "-o", str(tmp_path / "cut")).status == 0
    before, after = (
        measure_rank(trace.read([path]).ranks[0], ClassRules())
        for path in (tmp_path / "t.csv", tmp_path / "cut" / "rank0.json")
    )
    assert before and after and before.by_class == after.by_class
    assert (after.exposed_time, after.compute) == (before.exposed_time, before.compute) == (50_000, 110_000)


@pytest.mark.parametrize("name", ["all-reduce", "All_Reduce", "allgather", "NCCL", "comm", "communication", "send"])
def test_communication_in_a_table_has_many_names(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"rank,lane,start,end,class\n0,a,0,100,compute\n0,b,50,150,{name}\n", "t.csv")
    found = trace.read([path])
    measures = measure_rank(found.ranks[0], ClassRules())
    assert measures and (measures.compute, measures.communication, found.warnings) == (100_000, 100_000, ())


def test_an_unknown_class_of_a_table_is_stated(tmp_path: Path) -> None:
    rows = ["0,a,0,9,Forward", "0,a,9,20,data loading", "0,a,20,30,data loading"]
    path = written(tmp_path, "\n".join(["rank,lane,start,end,class", *rows]), "t.csv")
    told = "t.csv: the class data-loading counts as computing: write communication, memcpy or memset if it is not"
    assert trace.read([path]).warnings == (told,)


def test_events_of_a_report_without_correlation_are_in_no_step(tmp_path: Path) -> None:
    columns = "start, end, globalPid, deviceId, streamId, correlationId, shortName"
    kernels = [(at * 100 + 10, at * 100 + 20, PROCESS, 0, 7, at + 1, 1) for at in range(2)]
    kernels += [(at * 100 + 15, at * 100 + 18, PROCESS, 0, 9, None, 1) for at in range(2)]
    launches = [(at * 100 + 5, PROCESS, at + 1) for at in range(2)]
    launches += [(at * 100 + 6, PROCESS, none) for at, none in enumerate((None, 0))]
    steps = [(at * 100, at * 100 + 90, 59, f"iteration {at}", PROCESS) for at in range(2)]
    tables = {"CUPTI_ACTIVITY_KIND_KERNEL": (columns, kernels), "StringIds": STRINGS}
    tables |= {"CUPTI_ACTIVITY_KIND_RUNTIME": ("start, globalTid, correlationId", launches)}
    tables |= {"NVTX_EVENTS": ("start, end, eventType, text, globalTid", steps)}
    (rank,) = report(tmp_path, tables)
    assert [launched_in(rank, step.start, step.end) for step in steps_of(rank)] == [[0], [1]]
    chosen = choose_time(trace.read([tmp_path / "r.sqlite"]), 0, None)
    assert "1 events without a known launch are not drawn: nothing states their step" in chosen.said


def step_marks(*numbers: int) -> list[dict[str, Any]]:
    """Steps of 100 us, one after another, each with a kernel."""
    found = []
    for at, number in enumerate(numbers, 1):
        found.append(thread("user_annotation", f"ProfilerStep#{number}", at * 100, 100))
        found.append(thread("cuda_runtime", "cudaLaunchKernel", at * 100 + 1, correlation=at))
        found.append(kernel(at * 100 + 5, 10 * at, args={"stream": 7, "correlation": at}))
    return found


def test_steps_that_share_a_number_are_stated(tmp_path: Path) -> None:
    outer = thread("user_annotation", "iteration 3", 510, 20)
    found = trace.read([written(tmp_path, {"traceEvents": [*step_marks(1, 2, 1, 2, 3), outer]})])
    assert [(step.number, step.start) for step in steps_of(found.ranks[0])] == [(3, 500_000)]
    left_out = "several steps have the same number (a window selects one)"
    assert found.warnings == (f"t.json: steps 1, 2 are left out: {left_out}",)
    with pytest.raises(TikzgenError, match="there is no step"):
        choose_time(found, 1, None)


@pytest.mark.parametrize("command", ["render", "cut"])
def test_a_rank_without_steps_is_refused_beside_ranks_with_steps(command: str, tmp_path: Path) -> None:
    for number, events in enumerate((step_marks(1, 2), [kernel(5, 900)])):
        written(tmp_path, {"traceEvents": events}, f"rank{number}.json")
    spec = written(tmp_path, "recipe: trace\nsource: rank{0..1}.json\n", "fig.yaml")
    files = [str(tmp_path / f"rank{number}.json") for number in range(2)]
    done = run("render", str(spec)) if command == "render" else run("trace", "cut", *files, "-o", str(tmp_path / "o"))
    assert done.status == 2
    assert "rank1.json has no marked step, but other ranks have (step: all, or a window in ms" in done.err


NAMED = {
    "all schemes": (["F0", "PP:0F1", "Forward 2", "forward mb3", "F4.0.1"], "F0 F1 F2 F3 F4"),
    "one operation, two names": (["PP:0F1", ("Forward 1", 10), "F2"], "F1 F2"),
    "on two threads": (["PP:0B1", ("Backward 1", 10, 8), ("Backward 2", 20, 8)], "B1 B2"),
}


@pytest.mark.parametrize("name", NAMED)
def test_operations_may_have_names_of_several_schemes(name: str, tmp_path: Path) -> None:
    names, expected = NAMED[name]
    events = []
    for at, each in enumerate(names):
        title, start, own = (*each, 9)[:3] if isinstance(each, tuple) else (each, at * 100, 9)
        events.append({**thread("user_annotation", title, start, 60), "tid": own})
    assert " ".join(each.name for each in operations_of(one(tmp_path, events))) == expected


ROWS = {
    "of pandas": ("0,a,0,10,forward,0.0,0", "0,a,10,30,Backward,0.0,0", "F0 B0"),
    "without a stage": ("0,a,0,10,forward,0,0", "0,a,10,30,backward,1,", "F0 B1"),
}


@pytest.mark.parametrize("name", ROWS)
def test_microbatches_and_stages_of_a_table(name: str, tmp_path: Path) -> None:
    *rows, expected = ROWS[name]
    head = "rank,lane,start,end,class,microbatch,stage"
    (rank,) = trace.read([written(tmp_path, "\n".join([head, *rows]), "t.csv")]).ranks.values()
    assert " ".join(each.name for each in operations_of(rank)) == expected


def test_a_microbatch_of_a_table_is_a_number(tmp_path: Path) -> None:
    path = written(tmp_path, "rank,lane,start,end,class,microbatch\n0,a,0,10,forward,x\n", "t.csv")
    with pytest.raises(FileRefused, match='the microbatch "x" is not a number'):
        trace.read([path])


def test_devices_of_two_tasks_of_tensorflow_are_two(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    for process, task in enumerate((0, 1), 1):
        name = f"/job:worker/replica:0/task:{task}/device:GPU:0/stream:13 Compute"
        events.append({"ph": "M", "name": "process_name", "pid": process, "args": {"name": name}})
        events.append({"ph": "X", "pid": process, "tid": 0, "cat": "Op", "name": "MatMul", "ts": 50 * task, "dur": 100})
    assert one(tmp_path, events).devices == ["task:0/GPU:0", "task:1/GPU:0"]
    assert one(tmp_path, events[:2]).devices == ["GPU:0"]


def test_a_process_of_a_report_that_ran_nothing_is_stated(tmp_path: Path) -> None:
    other = (41 << 24) | 5
    ranges = [(1, 9, 59, "F0", PROCESS | 5), (2, 5, 59, "F1", other), (6, 8, 59, "B1", other)]
    tables = {"CUPTI_ACTIVITY_KIND_KERNEL": ("start, end, globalPid", [(1, 2, PROCESS)])}
    (rank,) = report(tmp_path, tables | {"NVTX_EVENTS": ("start, end, eventType, text, globalTid", ranges)})
    assert rank.warnings == ("r.sqlite: 2 ranges of process 41 are not read: it ran nothing on a device",)


@pytest.mark.parametrize("processes", [1, 2])
def test_kernels_of_a_report_may_lack_a_process(processes: int, tmp_path: Path) -> None:
    threads = [PROCESS | 5, (41 << 24) | 5][:processes]
    tables: dict[str, Any] = {"StringIds": STRINGS}
    columns = "start, end, deviceId, streamId, correlationId, shortName"
    tables["CUPTI_ACTIVITY_KIND_KERNEL"] = (columns, [(10, 20, 0, 7, 1, 1), (30, 40, 0, 7, 2, 1)])
    launches = [(8, threads[0], 1), (28, threads[0], 2)]
    tables["CUPTI_ACTIVITY_KIND_RUNTIME"] = ("start, globalTid, correlationId", launches)
    ranges = [(7, 11, 59, "F0", threads[0]), (27, 31, 59, "B0", threads[-1])]
    tables["NVTX_EVENTS"] = ("start, end, eventType, text, globalTid", ranges)
    (rank,) = report(tmp_path, tables)
    assert (len(rank.launches), [each.name for each in operations_of(rank)]) == (2, ["F0", "B0"])
    told = "r.sqlite: device events do not state their process: 2 processes are read as one rank"
    assert rank.warnings == (told,) * (processes == 2)


def test_a_report_where_only_some_events_state_their_process_is_refused(tmp_path: Path) -> None:
    kernels = [(1, 2, PROCESS), (3, 4, None)]
    with pytest.raises(FileRefused, match="only some device events state their process"):
        report(tmp_path, {"CUPTI_ACTIVITY_KIND_KERNEL": ("start, end, globalPid", kernels)})


def test_asynchronous_work_of_a_tpu_is_read(tmp_path: Path) -> None:
    names = [("process_name", 0, "/device:TPU:0"), ("thread_name", 1, "XLA Ops"), ("thread_name", 2, "Steps")]
    names.append(("thread_name", 3, "Async XLA Ops"))
    named = [{"ph": "M", "name": what, "pid": 1, "tid": tid, "args": {"name": name}} for what, tid, name in names]
    ran = [("fusion.1", 1, 10, 100), ("3", 2, 10, 200), ("all-reduce.2", 3, 50, 100), ("copy-start.4", 3, 150, 9)]
    events = [{"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": ts, "dur": dur} for name, tid, ts, dur in ran]
    measures = measure_rank(one(tmp_path, [*named, *events]), ClassRules())
    assert measures and measures.by_class == {"communication": 100_000, "compute": 100_000, "memcpy": 9000}


def test_ranks_of_a_file_of_nccl_are_several_and_may_begin_at_zero(tmp_path: Path) -> None:
    events = []
    for rank in range(2):
        for at in range(2):
            each = {"cat": "COLL", "name": "AllReduce", "id": at, "pid": 7 + rank, "tid": 1}
            events.append({**each, "ph": "b", "ts": at * 100, "args": {"Rank": 3 - rank, "Seq": at}})
            events.append({**each, "ph": "e", "ts": at * 100 + 50})
    found = trace.read([written(tmp_path, {"traceEvents": events})])
    assert [(number, sorted(span.start for span in rank.spans)) for number, rank in found.ranks.items()] == [
        (2, [0, 100_000]), (3, [0, 100_000]),
    ]  # fmt: skip
    assert found.warnings == ()
