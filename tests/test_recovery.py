"""Training through failures, against a second simulator that counts small units of work and shares no code."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tikzgen
from tikzgen import SpecError, loads, recipes
from tikzgen.schedule.failing_run import Means, survive


def units(
    means: str, failures: list[int], steps: int, step: int, every: int, save: int, restart: int, more: int, over: int
) -> tuple[int, int]:
    """The end, and the units of work on steps that count: unit by unit, with what there is to do on a list."""
    redundant = means == "redundant"
    now = counted = 0
    saved, done, progress, pause = 0, 0, 0, 0
    while done < steps:
        if any(moment == now for moment in failures):
            progress, pause = 0, over if redundant else restart
            if not redundant:
                counted -= (done - saved) * step
                done = saved
            if pause:
                now += 1
                pause -= 1
                continue
        if pause:
            pause -= 1
        elif not redundant and every and done - saved == every and save:
            progress += 1
            if progress == save:
                saved, progress = done, 0
        else:
            progress += 1
            if progress == step + more * redundant:
                progress = 0
                done += 1
                counted += step
                if every and done - saved == every and not save:
                    saved = done  # at once, before what fails at the same moment
        now += 1
    return now, counted


small = st.integers(0, 3)


@given(
    st.sampled_from(["checkpoint", "redundant"]),
    st.lists(st.integers(0, 40), max_size=4, unique=True),
    st.integers(1, 7),
    st.integers(1, 4),
    *[small] * 5,
)
def test_a_second_simulator_agrees(
    means: Means,
    failures: list[int],
    steps: int,
    step: int,
    every: int,
    save: int,
    restart: int,
    more: int,
    over: int,
) -> None:
    run = survive(
        means,
        [(Fraction(moment), 0) for moment in failures],
        workers=2,
        steps=steps,
        step=Fraction(step),
        every=every,
        save=Fraction(save),
        restart=Fraction(restart),
        redundancy=Fraction(more),
        failover=Fraction(over),
    )
    end, counted = units(means, failures, steps, step, every, save, restart, more, over)
    assert run.schedule.makespan == end
    counts = [piece for piece in run.pieces if piece.kind == "step"]
    assert counted == steps * step
    assert [piece.number for piece in counts] == list(range(steps)), "every step counts once, in order"
    assert sum((piece.end - piece.start for piece in run.pieces), Fraction(0)) == end, "no time is left over"


def test_by_hand() -> None:
    """Steps 0-6, a save to 6.5, steps to 10.5; half a unit more is lost with them; restart 11-14, 5 steps, a save."""
    checkpoint, redundant = tikzgen.metrics(recipes.recovery(failures=[{"at": 11}])).panels
    assert checkpoint.values["lost"] == Fraction(9, 2)
    assert checkpoint.values["makespan"] == 14 + 5 * 2 + Fraction(1, 2)
    assert checkpoint.values["goodput"] == Fraction(16) / Fraction(49, 2)
    # steps of 2.5: four end at 10, one unit of the fifth is lost, one of failover, then four more
    assert redundant.values["makespan"] == 12 + 4 * Fraction(5, 2)
    assert redundant.values["lost"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("failures: [{at: 3, worker: 3}]", r"failures\[0\].worker: there is no worker 3 \(the workers are 0 to 2\)"),
        ("means: [redundant, redundant]", r"means\[1\]: redundant stands twice"),
    ],
)
def test_what_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        loads(f"recipe: recovery\n{text}\n")
