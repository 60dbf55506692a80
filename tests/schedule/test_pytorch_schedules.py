"""Schedules that PyTorch has, too, run PyTorch's lists: for all sizes that were recorded, and under its class names.

The data are of PyTorch 2.9.0, `torch.distributed.pipelining.schedules`. `Schedule1F1B` is not among them: the table
that it prints is wrong on the last rank, and for fewer microbatches than ranks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import run
from conftest import NIGHTLY, ROOT

from tikzgen import check, loads, recipes
from tikzgen.base.errors import SpecError
from tikzgen.schedule import PYTORCH_CLASSES, actions, check_actions, plan, write_csv
from tikzgen.schedule import check as check_plan

CASES = ROOT / "tests" / "cases/schedule/pytorch-2.9"
WHOLE = sorted(CASES.glob("*.csv"))


def recorded() -> Iterator[tuple[str, int, int, int, str]]:
    """Each class with ranks, microbatches, chunks of a rank, and the digest of its list."""
    for line in (CASES / "digests.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, p, v, *digests = line.split()
            for m, digest in enumerate(digests, 1):
                if digest != "-":
                    yield name, int(p.removeprefix("p=")), m, int(v.removeprefix("v=")), digest


@pytest.mark.slow
def test_all_lists_are_those_of_pytorch() -> None:
    cases = list(recorded())
    assert len(cases) == 2376
    assert {name for name, *_ in cases} == PYTORCH_CLASSES.keys() - {"Schedule1F1B"}
    for name, p, m, v, digest in cases:
        text = write_csv(actions(plan(name, p, m, v)))
        assert hashlib.sha256(text.encode()).hexdigest()[:8] == digest, (name, p, m, v)


@pytest.mark.slow
def test_no_list_breaks_a_rule_of_its_schedule() -> None:
    for name, p, m, v, _ in list(recorded())[:: 1 if NIGHTLY else 40]:
        assert check_actions(actions(plan(name, p, m, v)), schedule=name) == (), (name, p, m, v)


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_a_list_in_a_file(path: Path) -> None:
    name, *sizes = path.stem.split("-")
    p, m, v = (int(size[1:]) for size in sizes)
    assert path.read_text(encoding="utf-8") == write_csv(actions(plan(name, p, m, v)))
    assert check(path, schedule=PYTORCH_CLASSES[name]) == check(path, schedule=name) == ()


@pytest.mark.parametrize(
    ("name", "schedule"),
    [
        *PYTORCH_CLASSES.items(),
        ("Interleaved1F1B", "interleaved-1f1b"),
        ("schedulezbvzerobubble", "zb-v"),
        ("1F1B", "1f1b"),
        ("LOOPEDBFS", "looped-bfs"),
    ],
)
def test_names_of_classes(name: str, schedule: str) -> None:
    assert plan(name, 2, 4) == plan(schedule, 2, 4)
    figure = loads(f"recipe: pipeline\nschedule: {name}\ndevices: 2\n")
    assert figure.tex() == recipes.pipeline(schedule=schedule, devices=2).tex()


@pytest.mark.parametrize("name", ["Schedule", "ScheduleZB", "ZBVZeroBubbleSchedule", "Schedulezb-h1"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match="schedule"):
        loads(f"recipe: pipeline\nschedule: {name}\n")


def test_one_schedule_by_both_names_is_one() -> None:
    with pytest.raises(SpecError, match=r"schedule\[1\]: zb-v is used twice"):
        loads("recipe: pipeline\nschedule: [zb-v, ScheduleZBVZeroBubble]\n")


def test_the_command_line_takes_a_name_of_a_class() -> None:
    path = str(CASES / "ScheduleZBVZeroBubble-p3-m4-v2.csv")
    assert run("check", path, "--schedule", "ScheduleZBVZeroBubble").status == 0
    wrong = run("check", path, "--schedule", "ScheduleInterleaved1F1B")
    assert (wrong.status, "TG102" in wrong.out) == (1, True)


@pytest.mark.parametrize("name", ["interleaved-1f1b", "interleaved-zb", "overlapped-1f1b", "seq1f1b-interleaved"])
@pytest.mark.parametrize(("microbatches", "group"), [(1, 1), (3, 3), (10, 5), (10, 10)])
def test_groups_are_read_from_the_order(name: str, microbatches: int, group: int) -> None:
    assert check_plan(plan(name, 4, microbatches, 2, group=group)) == ()
