"""Ranks that share a model: replicas of listed and of recorded groups, their bubbles, their devices and their hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from command import run
from trace_files import kernel, written

from tikzgen import trace
from tikzgen.base.errors import TikzgenError
from tikzgen.trace import ClassRules, TraceRun, find_parallelism, survey, survey_text
from tikzgen.trace.readers.read_run import shared_base

Groups = Mapping[str, Sequence[Sequence[int]]]


def write_rank(folder: Path, rank: int, world: int, events: Sequence[object], groups: Groups, host: str = "h") -> None:
    """Write the trace of a rank, with the process groups that it is in."""
    config = [{"pg_desc": name, "ranks": each} for name, every in groups.items() for each in every if rank in each]
    info = {"rank": rank, "world_size": world, "pg_config": config}
    content = {"distributedInfo": info, "host_name": host, "baseTimeNanoseconds": 10**18, "traceEvents": events}
    written(folder, content, f"rank{rank}.json")


def operation(name: str, start: int, length: int, *devices: int) -> list[object]:
    """An annotated operation; each device runs a kernel for it."""
    link = 1000 * start + len(name)
    found: list[object] = [kernel(start, length, name, cat="user_annotation", pid=100, tid=1, args={})]
    for device in devices:
        args = {"correlation": link + device}
        found.append(kernel(start, 1, "cudaLaunchKernel", cat="cuda_runtime", pid=100, tid=1, args=args))
        found.append(kernel(start, length, "gemm", pid=device, args={"stream": 7, **args}))
    return found


def read(folder: Path) -> TraceRun:
    """The run in a folder."""
    return shared_base(trace.read(sorted(folder.glob("*.json"))))


GIVEN: dict[str, tuple[int, dict[str, Any], Groups, dict[str, int], list[list[int]]]] = {
    "listed": (4, {"pp": [[0, 2], [3, 1]]}, {}, {"pp": 2, "dp": 2}, [[0, 2], [1, 3]]),
    "listed, crossed": (4, {"pp": [[0, 3], [1, 2]]}, {}, {"pp": 2, "dp": 2}, [[0, 3], [1, 2]]),
    "listed, with a size": (4, {"pp": [[0, 3], [1, 2]], "tp": 2}, {}, {"pp": 2, "tp": 2}, [[0, 3], [1, 2]]),
    "one copy": (2, {"pp": [[1, 0]]}, {}, {"pp": 2}, [[0, 1]]),
    "further groups": (
        8,
        {"pp": [[0, 4], [1, 5], [2, 6], [3, 7]]},
        {"mesh_tp": [[0, 1], [2, 3], [4, 5], [6, 7]]},
        {"pp": 2, "rest": 4},
        [[0, 4], [1, 5], [2, 6], [3, 7]],
    ),
    "recorded": (4, {}, {"mesh_pp": [[0, 2], [1, 3]]}, {"pp": 2, "dp": 2}, [[0, 2], [1, 3]]),
    "recorded, crossed": (4, {}, {"mesh_pp": [[0, 3], [1, 2]]}, {"pp": 2, "dp": 2}, [[0, 3], [1, 2]]),
    "experts": (4, {"pp": 2, "dp": 2}, {"mesh_ep": [[0, 1], [2, 3]]}, {"pp": 2, "dp": 2}, [[0, 2], [1, 3]]),
}


@pytest.mark.parametrize("name", GIVEN)
def test_ranks_of_a_group_are_in_one_replica(name: str, tmp_path: Path) -> None:
    world, given, groups, axes, replicas = GIVEN[name]
    for rank in range(world):
        write_rank(tmp_path, rank, world, operation("F0", 0, 10), groups)
    found = find_parallelism(read(tmp_path), given)
    assert (found.parallelism.axes, found.warnings) == (axes, ())
    of = {
        place: [rank for rank in range(world) if found.parallelism.replica_of(rank) == place]
        for place in found.parallelism.replicas
    }
    assert sorted(of.values()) == replicas


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a missing axis": (
        {"tp": 4},
        'parallelism: pp is missing, but process group "mesh_pp" has several ranks (state all axes',
    ),
    "another size": ({"pp": 4}, 'parallelism: pp 4 contradicts process group "mesh_pp", which has 2 ranks'),
    "crossed groups": (
        {"pp": [[0, 2], [1, 3]], "tp": [[0, 2], [1, 3]]},
        "parallelism: the groups of pp and tp do not fit each other (ranks of a group differ on its axis only)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_axes_that_do_not_fit_the_groups_are_refused(name: str, tmp_path: Path) -> None:
    given, message = REFUSED[name]
    for rank in range(4):
        write_rank(tmp_path, rank, 4, [kernel(0)], {"mesh_pp": [[0, 2], [1, 3]]})
    with pytest.raises(TikzgenError) as raised:
        find_parallelism(read(tmp_path), given)
    assert message in str(raised.value)


def test_groups_of_several_sizes_state_no_axis(tmp_path: Path) -> None:
    for rank in range(5):
        write_rank(tmp_path, rank, 5, operation("F0", 0, 10), {"mesh_pp": [[0, 1, 2], [3, 4]]})
    found = find_parallelism(read(tmp_path))
    assert not found.parallelism.axes
    assert found.warnings == (
        'process groups "mesh_pp" have 3 and 2 ranks: no parallelism is taken from process groups',
    )
    with pytest.raises(TikzgenError, match="pp 5 contradicts"):
        find_parallelism(read(tmp_path), {"pp": 5})


SPREAD = {"mesh_pp": [[0, 1]]}
PARTS: dict[str, tuple[list[str], list[str], str]] = {
    "all ranks": (["h", "h"], ["F0", "F0"], "2 operations: makespan 0.02 ms, bubble 50.0000 %"),
    "a rank without operations": (
        ["h", "h"],
        ["F0", "x"],
        "1 operations of 1 of 2 ranks: makespan 0.01 ms, bubble unknown",
    ),
    "a rank without a file": (["h"], ["F0"], "1 operations of 1 of 2 ranks: makespan 0.01 ms, bubble unknown"),
    "hosts of unknown clocks": (["a", "b"], ["F0", "F0"], "2 operations: makespan unknown, bubble unknown"),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_bubble_is_of_all_ranks_by_one_clock(name: str, tmp_path: Path) -> None:
    hosts, names, line = PARTS[name]
    for rank, (host, operated) in enumerate(zip(hosts, names, strict=True)):
        write_rank(tmp_path, rank, 2, operation(operated, 10 * rank, 10, 0), SPREAD, host)
    facts = survey(find_parallelism(read(tmp_path)), ClassRules())
    assert f"  {line}\n" in survey_text(facts)
    facts["pipelines"][0]["step"] = 3
    assert f"  step 3, {line}\n" in survey_text(facts)


def test_an_operation_on_several_devices_is_one(tmp_path: Path) -> None:
    for rank in range(2):
        devices = (2 * rank, 2 * rank + 1)
        events = [*operation("F0", 100 * rank, 100, *devices), *operation("B0", 300 + 100 * rank, 100, *devices)]
        write_rank(tmp_path, rank, 2, events, SPREAD)
    (early,) = survey(find_parallelism(read(tmp_path)), ClassRules())["clocks"]["early"]
    assert early == "B0 of stage 0 begins 0.2 ms before B0 of stage 1 ends"
    spec = tmp_path / "fig.yaml"
    spec.write_text("recipe: trace\nsource: rank*.json\nlanes: annotations\n", encoding="utf-8")
    done = run("check", str(spec))
    assert done.out.count("TG116") == 1, done.out
    assert "Measured timeline of 2 ranks" in run("render", str(spec), "-o", "-").out
    spec.write_text(spec.read_text("utf-8") + "compare: {schedule: gpipe}\n", encoding="utf-8")
    assert "a rank has several devices" in run("render", str(spec), "-o", "-").err


BRACKETS = {"{pp: 2, dp: 2}": ["replica 0", "replica 1"], "{pp: 2, tp: 2}": ["tp 0", "tp 1"]}


@pytest.mark.parametrize("axes", BRACKETS)
def test_a_bracket_names_a_copy_of_the_model_or_a_position_in_it(axes: str, tmp_path: Path) -> None:
    for rank in range(4):
        write_rank(tmp_path, rank, 4, operation("F0", 10 * (rank // 2), 10, 0), {})
    spec = tmp_path / "fig.yaml"
    text = f"recipe: trace\nsource: rank*.json\nlanes: annotations\nparallelism: {axes}\n"
    spec.write_text(text, encoding="utf-8")
    drawn = run("render", str(spec), "-o", "-").out
    assert all(f"{{{label}}}" in drawn for label in BRACKETS[axes])


def test_links_that_processes_share_join_nothing(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    for process, start in ((100, 0), (200, 500)):
        here: dict[str, Any] = {"pid": process, "tid": 1}
        events.append(kernel(start, 50, f"F{process // 200}", cat="user_annotation", args={}, **here))
        events.append(kernel(start, 1, "cudaLaunchKernel", cat="cuda_runtime", **here))
        events.append(kernel(start + 10, 20, "gemm", pid=process // 200))
    events.append(kernel(600, 1, "cudaLaunchKernel", cat="cuda_runtime", pid=100, args={"correlation": 4}))
    events.append(kernel(610, 1, "gemm", args={"correlation": 4, "stream": 7}))
    (rank,) = trace.read([written(tmp_path, {"traceEvents": events})]).ranks.values()
    assert list(rank.events.links) == [0, 0, 4]
    says = "the launches of 2 events are unknown: several processes of the file use their correlation numbers"
    assert rank.warnings == (f"t.json: {says}",)
