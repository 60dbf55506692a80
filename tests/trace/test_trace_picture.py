"""What of a run is drawn: nothing is lost, what was done to it is said, and the measures are those of the events."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from tikzgen import trace
from tikzgen.base.errors import TikzgenError
from tikzgen.schedule.measure_schedule import bubble_shares
from tikzgen.trace.choose_run import ClockChoice, choose_ranks, choose_time, set_clocks
from tikzgen.trace.event_classes import ClassRules, class_rules
from tikzgen.trace.picture_model import TracePicture
from tikzgen.trace.picture_run import picture_of
from tikzgen.trace.readers.read_run import shared_base

TRACES = ROOT / "tests" / "cases" / "traces"
PIPELINE = sorted(TRACES.glob("pp_*"))
NCCL = [TRACES / "nccl_data.json.gz"]
SAMPLED = sorted(TRACES.glob("sampled_*"))
SYNTHETIC = TRACES / "synthetic"


_read = cache(lambda *files: trace.read(list(files)))


def pictured(
    files: list[Path],
    *,
    ranks: list[int] | None = None,
    clock: ClockChoice = "auto",
    step: str | int = "last-complete",
    window: tuple[int, int] | None = None,
    rules: ClassRules | None = None,
    **how: Any,
) -> TracePicture:
    """The picture of a run; first is said which ranks, and by which clocks."""
    run, of = choose_ranks(shared_base(_read(*files)), ranks, 64)
    run, clocks = set_clocks(run, clock)
    between = (Fraction(window[0]), Fraction(window[1])) if window else None
    found = picture_of(choose_time(run, step, between), rules or ClassRules(), **how)
    return TracePicture(**{**as_fields(found), "said": [each for each in (of, clocks, *found.said) if each]})


def as_fields(picture: TracePicture) -> dict[str, Any]:
    """The fields by name."""
    return {name: getattr(picture, name) for name in picture._fields}


def test_operations_are_cells_with_their_microbatches() -> None:
    found = pictured(PIPELINE)
    assert (len(found.cells), [lane.label for lane in found.lanes]) == (64, [f"rank {rank}" for rank in range(4)])
    assert found.length == found.whole.makespan == 182612048
    assert sum(found.whole.busy.values()) == 267902171
    assert found.said == ["clocks of one host", "64 operations; operations begin when they compute"]
    own = [cell for cell in found.cells if cell.lane == "rank2"]
    assert sum(cell.waited for cell in own) == 1914977
    as_annotated = pictured(PIPELINE, begin="annotation")
    assert sum(as_annotated.whole.busy.values()) == 275975643
    assert not any(cell.waited for cell in as_annotated.cells)


FIGURES: dict[str, tuple[list[Path], dict[str, Any], int, str]] = {
    "a step by stream": (NCCL, {"step": 5}, 1258, "1 of 2 ranks; step 5; 28 drawn + 1230 merged into 113 cells, 3 cut"),
    "all by class": (NCCL, {"step": "all", "lanes": "class"}, 3774, "1 of 2 ranks; 79 drawn + 3695 merged into 60"),
    "a window": (NCCL, {"window": (1, 80)}, 358, "1 of 2 ranks; from 1 to 80 ms; 75 drawn + 283 merged into 41 cells;"),
    "two ranks": (
        SAMPLED,
        {"step": 551},
        1179,
        "2 of 128 ranks; clocks as they are; step 551; 78 drawn + 1101 merged into 113 cells,",
    ),
    "overlaps": (
        [TRACES / "v100_rank1of2.json.gz"],
        {"step": "all"},
        5006,
        "1 of 2 ranks; 59 drawn + 4947 merged into 104 cells, 11",
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_event_is_lost_and_no_lane_holds_two_cells_at_a_time(name: str) -> None:
    files, how, events, says = FIGURES[name]
    found = pictured(files, **how)
    assert sum(cell.events for cell in found.cells) == events
    assert sum(measures.events for measures in found.ranks.values()) == events
    said = "; ".join(found.said)
    assert f"{events} events: " in said
    assert said.replace(f"{events} events: ", "").startswith(says)
    for lane in found.lanes:
        cells = [cell for cell in found.cells if cell.lane == lane.id]
        assert cells
        assert all(before.end <= after.start for before, after in pairwise(cells))
        assert all(0 <= cell.start <= cell.end <= found.length and 0 < cell.occupancy <= 1 for cell in cells)


@pytest.mark.parametrize(
    "how", [{"detail": Fraction(1, 50)}, {"lanes": "class"}, {"lanes": "rank"}, {"detail": Fraction(0)}]
)
def test_measures_do_not_change_with_what_is_merged(how: dict[str, Any]) -> None:
    plain, other = pictured(NCCL, step=5), pictured(NCCL, step=5, **how)
    assert (plain.ranks, plain.whole) == (other.ranks, other.whole)
    assert (plain.ranks[0, ""].busy, plain.ranks[0, ""].exposed_time) == (49728926, 10539609)


def test_both_formats_draw_the_same() -> None:
    one, other = (
        pictured([SYNTHETIC / f"rank{rank}.{form}" for rank in range(4)], clock="collectives")
        for form in ("json.gz", "sqlite")
    )
    assert one == other
    assert one.said[0].startswith(
        "clocks by the ends of collectives: rank 1 0.84592 ms (residual 0 ms), rank 2 6.863832"
    )
    assert bubble_shares(one.whole.makespan, one.whole.busy.values())[0] == Fraction(98456280, 305225120)
    assert sum(cell.start == cell.end for cell in one.cells) == 0
    assert sum(measures.instants for measures in one.ranks.values()) == 4


def test_a_users_class_is_drawn_as_such() -> None:
    found = pictured(NCCL, step=5, lanes="class", rules=class_rules({"layout": ["nchwToNhwc"]}))
    assert {lane.label for lane in found.lanes} == {"layout", "compute", "communication", "memcpy", "memset"}


def test_ranks_are_moved_by_the_users_word() -> None:
    files = [SYNTHETIC / f"rank{rank}.json.gz" for rank in (0, 1)]
    plain = pictured(files, clock="raw")
    moved = pictured(files, clock={1: Fraction("-0.84592")})
    assert moved.said[1] == "clocks moved: rank 1 by -0.84592 ms"
    cells = [next(cell.start for cell in each.cells if cell.lane == "rank1-stream7") for each in (plain, moved)]
    assert cells[0] - cells[1] == 845920


REFUSED: dict[str, tuple[list[Path], dict[str, Any], str]] = {
    "no rank": (PIPELINE, {"ranks": [0, 9]}, r"ranks: rank 9 left no trace \(there are 0, 1, 2, 3\)"),
    "no step": (NCCL, {"step": 9}, r'there is no step "9" \(the steps are 4, 5, 6\)'),
    "no steps": (PIPELINE, {"step": 3}, r"no step is marked \(step: all, or a window in ms"),
    "no device": (
        PIPELINE,
        {"lanes": "stream"},
        r"nothing ran on a device \(lanes: annotations draws .*: F0, gloo:send",
    ),
    "no operations": (
        NCCL,
        {"lanes": "annotations"},
        r"no annotation is known as an operation; the most frequent .* are ",
    ),
    "no pattern": (PIPELINE, {"pattern": "("}, r'operations: "\(" is not a regular expression'),
    "no group": (PIPELINE, {"pattern": "F(?P<microbatch>.)"}, r'has no group "phase"'),
    "empty window": (
        NCCL,
        {"window": (900, 1000)},
        r"window: nothing happens in it \(the traces last from 0 to 660\.551005 ms",
    ),
    "no clock": (SAMPLED, {"clock": "collectives"}, r"rank 1 has no blocking collective in common"),
    "not drawn": (SAMPLED, {"clock": {7: Fraction(1)}}, r"clock: rank 7 is not drawn"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_drawn_is_refused_with_the_way_out(name: str) -> None:
    files, how, says = REFUSED[name]
    with pytest.raises(TikzgenError, match=says) as refused:
        pictured(files, **how)
    assert "\n" not in str(refused.value)
