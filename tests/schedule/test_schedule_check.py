"""The validator: which rule is broken, of which class, and where; real operation lists, real traces."""

from __future__ import annotations

import gzip
import json
import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen.schedule import (
    PipelinePlan,
    Rows,
    ScheduleError,
    ScheduleRule,
    Task,
    TaskKind,
    actions,
    build_program,
    check,
    check_actions,
    make_costs,
    measure,
    parse,
    plan,
    read_csv,
    simulate,
    to_plan,
    write_csv,
)
from tikzgen.schedule.tasks import Cell

CASES = ROOT / "tests" / "cases/schedule"
CHANGES = YAML(typ="safe").load((CASES / "mutated.yaml").read_text(encoding="utf-8"))


def said(name: str, schedule: str = "") -> list[str]:
    text = (CASES / "lists" / name).read_text(encoding="utf-8")
    return [str(finding) for finding in check_actions(read_csv(text), schedule=schedule)]


@pytest.mark.parametrize("path", sorted((CASES / "lists").glob("*.csv")), ids=lambda path: path.stem)
def test_lists(path: Path) -> None:
    """Beside each list stands what is said about it: the schedule that it is called, then the findings."""
    schedule, *expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert said(path.name, schedule.removeprefix("schedule:").strip()) == expected


def changed(base: str, rank: int, old: str, new: str) -> Rows:
    rows = list(CHANGES["bases"][base])
    assert old in rows[rank]
    rows[rank] = rows[rank].replace(old, new, 1)
    return parse(row.split() for row in rows)


@pytest.mark.parametrize("base", CHANGES["bases"])
def test_lists_that_are_changed_run_before(base: str) -> None:
    rows = parse(row.split() for row in CHANGES["bases"][base])
    assert check_actions(rows, schedule=CHANGES["called"].get(base, "")) == ()


@pytest.mark.parametrize("case", CHANGES["wrong"], ids=lambda case: " ".join(map(str, case[:4])))
def test_wrong_changes_are_told_with_class_and_place(case: tuple[str, int, str, str, str, int, int]) -> None:
    *change, rule, device, position = case
    findings = check_actions(changed(*change), schedule=CHANGES["called"].get(case[0], ""))
    assert (rule, device, position) in {(each.rule, each.device, each.position) for each in findings}


@pytest.mark.parametrize("case", CHANGES["right"], ids=lambda case: " ".join(map(str, case)))
def test_unusual_changes_are_right(case: tuple[str, int, str, str]) -> None:
    assert check_actions(changed(*case)) == ()


@pytest.mark.parametrize("path", sorted((CASES / "lists").glob("*.csv")), ids=lambda path: path.stem)
def test_a_forgiving_simulation_times_every_list(path: Path) -> None:
    what = to_plan(read_csv(path.read_text(encoding="utf-8")))
    schedule = simulate(build_program(what, make_costs(what.stages)), forgiving=True)
    assert sorted(schedule.order) == list(range(sum(map(len, what.cells))))
    for device in range(what.devices):
        mine = [i for i in schedule.order if schedule.program.operations[i].lanes[0].device == device]
        assert [schedule.program.operations[i].tasks for i in mine] == list(what.cells[device])
        assert all(schedule.end(before) <= schedule.start(after) for before, after in pairwise(mine))
    blocked = [each for each in check(what) if "stands before" in each.message or "deadlock" in each.message]
    assert len(schedule.forced) == len(blocked)


def test_pytorchs_1f1b_list_for_the_last_rank_breaks_a_dependency() -> None:
    rows = read_csv((CASES / "lists/pytorch-1f1b.csv").read_text(encoding="utf-8"))
    findings = check_actions(rows, schedule="1f1b")
    assert {finding.rule for finding in findings} == {ScheduleRule.DEPENDENCY}
    assert {(finding.device, finding.task) for finding in findings} == {
        (3, Task(TaskKind.FORWARD, 3, 0)),
        (3, Task(TaskKind.FORWARD, 3, 8)),
    }


def test_the_drawn_1f1b_order_breaks_a_schedule_rule_and_no_dependency() -> None:
    rows = read_csv((CASES / "lists/drawn-1f1b.csv").read_text(encoding="utf-8"))
    assert check_actions(rows) == ()
    findings = check(to_plan(rows, "1f1b"))
    assert {finding.rule for finding in findings} == {ScheduleRule.SCHEDULE}
    assert (2, Task(TaskKind.FORWARD, 2, 2)) in {(finding.device, finding.task) for finding in findings}
    drawn = simulate(build_program(to_plan(rows), make_costs(4)))
    assert drawn.makespan == 33
    assert measure(drawn).peak_in_flight == (4, 4, 3, 1), "nothing is gained by the early forwards"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0F0,zero\n", 'rank 0, action 1: "zero" is not an action'),
        ("0F0\n1X0\n", 'rank 1, action 0: "1X0" is not an action'),
        ("0F\n", '"0F" is not an action'),
        ("(0F0;B)OVERLAP_F_B\n", '"B" is not an action'),
        ("٣F0\n", "is not an action"),
        ("", "no actions in the list"),
        ("0F9999999999\n", "is not an action"),
        (" , \n", "no actions in the list"),
    ],
)
def test_what_is_no_list_is_refused(text: str, message: str) -> None:
    with pytest.raises(ScheduleError) as error:
        read_csv(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_list_of_messages_only_is_no_plan() -> None:
    with pytest.raises(ScheduleError, match="no action computes anything"):
        to_plan(read_csv("0SEND_F0\n1RECV_F0\n"))


def test_a_stage_beyond_all_counting_is_refused() -> None:
    with pytest.raises(ScheduleError, match="stage 99999999 among 2 computations"):
        to_plan(read_csv("99999999F0,0B0\n"))


def test_all_actions_survive_a_file() -> None:
    text = (CASES / "lists/all-actions.csv").read_text(encoding="utf-8")
    assert write_csv(read_csv(text)) == text
    padded = "\n".join("," + line.replace(",", ", ,") for line in text.splitlines())
    assert read_csv(padded) == read_csv(text)


def test_unknown_schedules_are_refused() -> None:
    with pytest.raises(ScheduleError, match='unknown schedule "fastest"'):
        check(plan("1f1b", 2, 2), schedule="fastest")


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("interleaved-1f1b", "schedule rule: device 0, operation 4: 0B0 stands where interleaved-1f1b has 0F4"),
        ("zb-v", "schedule rule: 4 stages on 4 devices, where zb-v has 8"),
        ("gpipe", "schedule rule: device 0, operation 4: 0B0 stands where gpipe has 0F4"),
        ("zb-h1", "schedule rule: device 0, operation 4: 0B0 stands where zb-h1 has 0I0"),
    ],
)
def test_a_plan_that_is_not_what_it_is_called(schedule: str, message: str) -> None:
    first, *_ = check(plan("1f1b", 4, 8), schedule=schedule)
    assert str(first).startswith(message)


def trace() -> tuple[PipelinePlan, dict[Cell, tuple[Fraction, Fraction]]]:
    """The four ranks' F<k> and B<k> annotations as a plan in the order of time, and their times in microseconds."""
    lists: list[tuple[Cell, ...]] = []
    times: dict[Cell, tuple[Fraction, Fraction]] = {}
    for rank in range(4):
        with gzip.open(CASES.parent / f"traces/pp_1f1b_p4_m8_rank{rank}.json.gz", "rt", encoding="utf-8") as file:
            events = json.load(file, parse_float=Decimal)["traceEvents"]
        cells: list[Cell] = []
        for event in events:
            match = re.fullmatch(r"([FB])(\d)", event["name"])
            if match and event["cat"] == "user_annotation":
                start = Fraction(event["ts"])
                cell = (Task(TaskKind(match[1]), rank, int(match[2])),)
                times[cell] = (start, start + Fraction(event["dur"]))
                cells.append(cell)
        lists.append(tuple(sorted(cells, key=lambda cell: times[cell])))
    return PipelinePlan("1f1b", 4, 8, tuple(lists)), times


def test_a_real_run_has_the_order_of_1f1b() -> None:
    run, times = trace()
    assert run == plan("1f1b", 4, 8)
    span = max(end for _, end in times.values()) - min(start for start, _ in times.values())
    assert round(span) == 182_612


def test_lists_can_be_made_into_a_schedule() -> None:
    rows = actions(plan("zb-h1", 4, 8))
    assert simulate(build_program(to_plan(rows), make_costs(4))).makespan == 27
