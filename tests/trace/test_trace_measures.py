"""Measured traces: the numbers are those of the files, exactly, whatever the format says them in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as some

from tikzgen.base.errors import TikzgenError
from tikzgen.base.intervals import Interval, intersect_intervals, subtract_intervals, sum_lengths, union
from tikzgen.schedule.measure_schedule import bubble_shares
from tikzgen.trace.annotated_operations import MeasuredOperation, find_unmet, needs, operations_of, operations_of_run
from tikzgen.trace.event_classes import ClassRules, class_rules
from tikzgen.trace.parallelism import find_parallelism
from tikzgen.trace.rank_clocks import check_clocks, find_clocks, moved_by
from tikzgen.trace.rank_measures import RankMeasures, compute_intervals, measure_rank, measure_run
from tikzgen.trace.readers.read_run import read_run, shared_base
from tikzgen.trace.run_model import EventKind, RankTrace, TraceRun
from tikzgen.trace.trace_steps import choose_step, launched_in, steps_of

TRACES = ROOT / "tests" / "cases" / "traces"
CASES = json.loads((TRACES / "measured.json").read_text(encoding="utf-8"))
"""What one rank's device did, in microseconds."""


def micro(time: Any) -> Fraction:
    """Nanoseconds in microseconds."""
    return Fraction(time) / 1000


def one(name: str) -> RankTrace:
    """The only rank of a file."""
    (rank,) = read_run([TRACES / name]).ranks.values()
    return rank


def pipeline() -> TraceRun:
    """A step of four ranks on CPUs."""
    return find_parallelism(shared_base(read_run(sorted(TRACES.glob("pp_1f1b_p4_m8_rank?.json.gz")))), {"pp": 4})


def synthetic(pattern: str) -> TraceRun:
    """Four ranks with known truth and wrong clocks."""
    return shared_base(read_run(sorted((TRACES / "synthetic").glob(pattern))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['file']}-{case.get('step', 'all')}")
def test_a_rank_is_measured_exactly(case: Mapping[str, Any]) -> None:
    rank = one(case["file"])
    chosen = None
    if "step" in case:
        step = choose_step(rank, int(case["step"]))
        assert step
        chosen = launched_in(rank, step.start, step.end)
    measures = measure_rank(rank, ClassRules(), chosen=chosen)
    assert measures
    assert told(rank, measures, case) == {key: value for key, value in case.items() if key not in ("file", "step")}


def told(rank: RankTrace, measures: RankMeasures, case: Mapping[str, Any]) -> dict[str, Any]:
    """What a case asks for, spelt as there."""
    names = ("extent", "busy", "idle", "communication", "compute")
    times = {name: micro(getattr(measures, name)) for name in names}
    times["exposed"] = micro(measures.exposed_time)
    times |= {name: micro(measures.by_class.get(name, 0)) for name in ("memcpy", "memset")}
    times["self_overlap"] = micro(sum(each.overlap for each in measures.streams.values()))
    found: dict[str, Any] = {key: value for key, value in times.items() if key in case}
    for key in found:
        assert found[key] == Fraction(str(case[key])), key
        found[key] = case[key]
    facts = {
        "events": dict(measures.counts),
        "total": measures.events,
        "world": rank.world,
        "streams": [stream.name for stream in measures.streams],
    }
    found |= {key: value for key, value in facts.items() if key in case}
    if "overlap" in case:
        share = measures.overlap_share
        assert share is not None
        digits = len(str(case["overlap"]).partition(".")[2])
        found["overlap"] = type(case["overlap"])(f"{float(share * 100):.{digits}f}")
    return found


def test_all_steps_but_the_last_agree_with_what_another_tool_counts() -> None:
    """HolisticTraceAnalysis 0.5.0 rounds each event to whole microseconds; without that, 2 an event is the bound."""
    rank = one("nccl_data.json.gz")
    steps = steps_of(rank)[:-1]
    chosen = {place for step in steps for place in launched_in(rank, step.start, step.end)}
    measures = measure_rank(rank, ClassRules(), chosen=chosen)
    assert measures and measures.events == 2516
    for name, value in (("extent", 435586), ("idle", 338781), ("compute", 75169)):
        assert abs(micro(getattr(measures, name)) - value) <= 2 * 2516, name


def test_steps_are_chosen_by_number_or_by_word() -> None:
    rank = one("nccl_data.json.gz")
    assert [step.number for step in steps_of(rank)] == [4, 5, 6]
    chosen = [choose_step(rank, wanted) for wanted in ("first", "median", "last-complete", 6, "all")]
    assert [step and step.number for step in chosen] == [4, 4, 6, 6, None]
    with pytest.raises(TikzgenError, match=r'no step "7" \(the steps are 4, 5, 6\)'):
        choose_step(rank, 7)


@pytest.mark.parametrize("step", [0, 1], ids=["551", "552"])
def test_steps_last_as_long_as_the_profiler_says(step: int) -> None:
    lasts = [(607312, 607904), (622928, 630639)][step]
    steps = [steps_of(one(f"sampled_rank-{rank}.json.gz"))[step] for rank in (0, 1)]
    assert [each.number for each in steps] == [551 + step] * 2
    assert tuple(micro(each.end - each.start) for each in steps) == lasts


BUSY = ("81281.647", "66545.973", "60057.502", "68090.521")
WAITS = ("1836.372", "2645.709", "1914.977", "1676.414")


def test_operations_as_they_are_annotated() -> None:
    run = pipeline()
    ranks = run.ranks.items()
    found = {number: operations_of(rank, "annotation", parallelism=run.parallelism) for number, rank in ranks}
    assert [len(each) for each in found.values()] == [16, 16, 16, 16]
    assert " ".join(each.name for each in found[2]) == "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7"
    measures = measure_run(worked(found))
    assert micro(measures.makespan) == Fraction("182612.048")
    assert [micro(busy) for busy in measures.busy.values()] == [Fraction(busy) for busy in BUSY]
    assert round(float(bubble_shares(measures.makespan, measures.busy.values())[0]), 6) == 0.622183
    every = [each for operations in found.values() for each in operations]
    slacks = [need.slack for need in needs(every)]
    assert (len(slacks), micro(min(slacks)), find_unmet(every)) == (56, Fraction("132.827"), [])


def test_operations_begin_when_something_is_computed() -> None:
    run = pipeline()
    found = {number: operations_of(rank) for number, rank in run.ranks.items()}
    waits = [micro(sum(each.wait for each in operations)) for operations in found.values()]
    assert waits == [Fraction(wait) for wait in WAITS]
    every = [each for operations in found.values() for each in operations]
    window = min(each.opened for each in every), max(each.end for each in every)
    measures = measure_run(worked(found), window)
    assert micro(sum(measures.busy.values())) == Fraction("267902.171")
    assert round(float(bubble_shares(measures.makespan, measures.busy.values())[0]), 6) == 0.633236


def worked(found: Mapping[int, list[MeasuredOperation]]) -> dict[int, list[Interval]]:
    """When each rank worked."""
    return {number: union((each.start, each.end) for each in operations) for number, operations in found.items()}


@pytest.mark.parametrize("files", ["rank?.json.gz", "rank?.sqlite"])
def test_clocks_are_found_by_a_collective_that_the_user_trusts(files: str) -> None:
    run = synthetic(files)
    clocks = find_clocks(run)
    offsets = [micro(clock.offset) for clock in clocks.values()]
    assert offsets == [Fraction(each) for each in ("0", "845.920", "6863.832", "-2262.227")]
    assert {clock.residual for clock in clocks.values()} == {0}
    with pytest.raises(TikzgenError, match=r"only 1 collective of rank 1 tells its clock \(clock: collectives uses"):
        check_clocks(run, clocks)
    assert len(check_clocks(run, clocks, asked=True)) == 3
    assert find_unmet(each for rank in run.ranks.values() for each in operations_of(rank))
    moved = moved_by(run, clocks)
    assert not find_unmet(each for rank in moved.ranks.values() for each in operations_of(rank))
    measures = measure_run({number: compute_intervals(rank, ClassRules()) for number, rank in moved.ranks.items()})
    assert micro(measures.makespan) == Fraction("76306.280")
    assert bubble_shares(measures.makespan, measures.busy.values())[0] == Fraction(98456280, 305225120)


ANNOTATED = "source: 'pp_*'\nlanes: annotations\nparallelism: {pp: 4}\nbegin: annotation\n"
COMPUTING = ANNOTATED.replace("begin: annotation", "begin: work")
APART = "source: 'synthetic/rank{0..3}.json.gz'\nlanes: stream\nclock: collectives\n"
STEP_5 = "source: nccl_data.json.gz\nstep: 5\n"
NUMBERS: dict[tuple[str, str], object] = {
    (ANNOTATED, "makespan"): "182.612048",
    (ANNOTATED, "busy"): ["81.281647", "66.545973", "60.057502", "68.090521"],
    (ANNOTATED, "bubble_over_total"): Fraction(454472549, 730448192),
    (COMPUTING, "waited"): ["1.836372", "2.645709", "1.914977", "1.676414"],
    (COMPUTING, "busy_in_all"): "267.902171",
    (COMPUTING, "makespan"): "182.612048",
    (COMPUTING, "bubble_over_total"): Fraction(462546021, 730448192),
    ("source: nccl_data.json.gz\nstep: all\n", "extent"): ["660.551005"],
    ("source: nccl_data.json.gz\nstep: all\n", "busy"): ["157.500014"],
    ("source: nccl_data.json.gz\nstep: all\n", "idle"): ["503.050991"],
    ("source: nccl_data.json.gz\nstep: all\n", "communication"): ["46.876493"],
    ("source: nccl_data.json.gz\nstep: all\n", "exposed_communication"): ["39.559468"],
    (STEP_5, "extent"): ["213.532750"],
    (STEP_5, "busy"): ["49.728926"],
    (STEP_5, "communication"): ["12.300029"],
    (STEP_5, "exposed_communication"): ["10.539609"],
    ("source: 'sampled*'\nstep: all\nclock: raw\n", "busy"): ["547.656", "580.050"],
    ("source: 'sampled*'\nstep: all\nclock: raw\n", "communication"): ["396.199", "379.053"],
    ("source: 'sampled*'\nstep: all\nclock: raw\n", "exposed_communication"): ["336.983", "303.523"],
    ("source: 'sampled*'\nstep: all\nclock: raw\n", "extent"): ["1222.847", "1231.186"],
    (APART, "makespan"): "76.306280",
    (APART, "bubble_over_total"): Fraction(98456280, 305225120),
}
"""Numbers of real and synthetic runs, in ms, from other programs and by hand."""


@pytest.mark.parametrize("spec", dict.fromkeys(spec for spec, _ in NUMBERS))
@pytest.mark.parametrize("more", ["", "detail: 1/40\nwidth: 8.4\n"])
def test_the_metrics_of_a_figure_are_the_known_numbers(spec: str, more: str, tmp_path: Path) -> None:
    for path in TRACES.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "fig.yaml").write_text(f"recipe: trace\n{spec}{more}", encoding="utf-8")
    done = run("metrics", str(tmp_path / "fig.yaml"), "--format", "json", "--allow", str(TRACES))
    assert done.status == 0, done.err
    found = json.loads(done.out)
    for (own, name), right in NUMBERS.items():
        if own == spec:
            several = isinstance(right, list)
            values = [Fraction(value) for value in (found[name] if several else [found[name]])]
            assert values == [Fraction(value) for value in (right if isinstance(right, list) else [str(right)])], name


def test_both_formats_tell_the_same_of_the_synthetic_run() -> None:
    runs = [synthetic(files).ranks for files in ("rank?.json.gz", "rank?.sqlite")]
    measured = [[measure_rank(rank, ClassRules()) for rank in run.values()] for run in runs]
    for one_way, other in zip(*measured, strict=True):
        assert one_way and other
        assert (one_way.counts, one_way.by_class, one_way.exposed_time) == (
            other.counts,
            other.by_class,
            other.exposed_time,
        )
        assert one_way.instants == 1
        assert [micro(each.overlap) for each in one_way.streams.values()] == [Fraction(3, 2), 0, 0]


@pytest.mark.parametrize("rank", range(4))
def test_an_operation_of_nsight_lasts_as_long_as_the_kernels_launched_in_its_range(rank: int) -> None:
    """SQL joins ranges, calls and kernels by thread and correlation; the file has no shadows, which Kineto writes."""
    path = TRACES / "synthetic" / f"rank{rank}.sqlite"
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        joined = database.execute(
            """SELECT r.text, k.start, k.end FROM NVTX_EVENTS r
            JOIN CUPTI_ACTIVITY_KIND_RUNTIME c ON c.globalTid = r.globalTid AND r.start <= c.start AND c.start < r.end
            JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = c.correlationId
            JOIN StringIds s ON s.id = k.demangledName
            WHERE r.text LIKE 'PP:%' AND s.value NOT LIKE 'nccl%'"""
        ).fetchall()
    kernels: dict[str, list[Interval]] = {}
    for name, start, end in joined:
        kernels.setdefault(name, []).append((start, end))
    (found,) = operations_of_run(TraceRun({rank: read_run([path]).ranks[rank]}, 4))[0].values()
    assert sorted((f"PP:{each.stage}{each.name}", each.start, each.end, each.busy) for each in found.found) == sorted(
        (name, min(start for start, _ in own), max(end for _, end in own), sum_lengths(union(own)))
        for name, own in kernels.items()
    )
    assert len(kernels) == 16 and not found.is_complete  # most kernels are launched after their range: no bubble


def test_ranks_that_no_collective_joins_are_not_moved() -> None:
    run = shared_base(read_run(sorted(TRACES.glob("sampled_rank-?.json.gz"))))
    assert (len(run.ranks), run.world) == (2, 128)
    with pytest.raises(TikzgenError, match=r"no blocking collective in common .* differ by -67\.842 to 134\.153 ms"):
        check_clocks(run, find_clocks(run), asked=True)


def test_a_users_classes_come_first_and_the_longest_unmatched_kernels_are_named() -> None:
    rank = one("nccl_data.json.gz")
    rules = class_rules({"layout": ["nchwToNhwc"]})
    before, after = measure_rank(rank, ClassRules()), measure_rank(rank, rules)
    assert before and after
    assert "cudnn::ops::nchwToNhwcKernel" in next(iter(before.unmatched))
    assert micro(next(iter(before.unmatched.values()))) == Fraction("12616.974")
    assert "bn_bw_1C11" in next(iter(after.unmatched))
    assert "layout" not in before.by_class and after.by_class["layout"] > 0
    assert (before.busy, before.compute, before.exposed_time) == (after.busy, after.compute, after.exposed_time)
    with pytest.raises(TikzgenError, match=r'classes: norm: "\(" is not a regular expression'):
        class_rules({"norm": ["("]})


NAMES = {
    "ncclDevKernel_Generic": "communication",
    "void deep_ep::internode::dispatch<4>()": "communication",
    "dpsk::ep::intranode::combine": "communication",
    "cross_device_reduce_1stage": "communication",
    "all-gather-start.3": "communication",
    "flash_fwd_kernel": "attention",
    "sm90_xmma_gemm_bf16": "gemm",
    "nvjet_hsh_128x256": "gemm",
    "vectorized_elementwise_kernel": "compute",
}


@pytest.mark.parametrize(("name", "known"), NAMES.items())
def test_kernels_have_classes_by_name(name: str, known: str) -> None:
    assert ClassRules().of(EventKind("kernel", name)) == known


SETS = some.lists(some.tuples(some.integers(0, 40), some.integers(0, 40)).map(lambda pair: (min(pair), max(pair))))


@given(SETS, SETS)
def test_sets_of_moments_are_what_counting_every_moment_says(one: list[Interval], other: list[Interval]) -> None:
    def moments(intervals: list[Interval]) -> set[int]:
        return {moment for start, end in intervals for moment in range(int(start), int(end))}

    some_, others = union(one), union(other)
    for found, counted in (
        (some_, moments(one)),
        (intersect_intervals(some_, others), moments(one) & moments(other)),
        (subtract_intervals(some_, others), moments(one) - moments(other)),
    ):
        assert moments(found) == counted
        assert sum_lengths(found) == len(counted)
        assert all(start < end for start, end in found)


def test_the_files_are_not_written_to() -> None:
    path: Path = TRACES / "synthetic" / "rank0.sqlite"
    before = path.read_bytes(), sorted(path.parent.iterdir())
    read_run([path])
    assert before == (path.read_bytes(), sorted(path.parent.iterdir()))
