"""The measures that compared panels print: they tell the panels apart, and measured shares are in percent."""

from __future__ import annotations

from fractions import Fraction

import pytest

import tikzgen
from tikzgen import Timeline, recipes


def summaries(**facts: object) -> list[str]:
    return [part.summary for _, _, part in recipes.pipeline(devices=4, microbatches=8, **facts).parts(Timeline)]


def test_zb_h2_has_no_idle_time_within_a_span() -> None:
    assert summaries(schedule=["zb-h1", "zb-h2"]) == ["idle 3 within a device's span", "idle 0 within a device's span"]


def test_the_description_tells_the_measure() -> None:
    text = recipes.pipeline(devices=4, microbatches=8, schedule=["zb-h1", "zb-h2"]).description
    assert "ZB-H1: idle 3 within a device's span. ZB-H2: idle 0 within a device's span" in text


def test_panels_of_one_bubble_differ_in_the_microbatches_in_flight() -> None:
    bubble = "bubble 3/11 of total (27.3 %)"
    assert summaries(schedule=["gpipe", "1f1b"]) == [f"{bubble}, at most 8 in flight", f"{bubble}, at most 4 in flight"]


@pytest.mark.parametrize("schedule", ["1f1b", ["1f1b", "zb-h1"]])
def test_the_bubble_of_total_is_enough_where_it_differs(schedule: object) -> None:
    found = summaries(schedule=schedule)
    assert all(text.startswith("bubble ") and "," not in text for text in found)
    assert len({*found}) == len(found)


def test_every_pair_of_schedules_that_differ_in_a_measure_prints_different_texts() -> None:
    names = ["gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2"]
    for first in names:
        for second in names:
            if first != second:
                one, other = summaries(schedule=[first, second])
                assert one != other, (first, second)


def test_a_measure_that_is_asked_for_is_printed_alone() -> None:
    assert summaries(schedule=["zb-h1", "zb-h2"], bubble_measure="total") == ["bubble 1/9 of total (11.1 %)"] * 2
    assert summaries(schedule=["zb-h1", "zb-h2"], bubble_measure="peak") == [
        "at most 4 in flight",
        "at most 7 in flight",
    ]


MEASURED = {"forward": ["1.037", "1.081", "1.1", "1.2"], "backward": ["2.084", "2.22", "2.1", "2.3"]}


def test_measured_shares_are_in_percent() -> None:
    figure = recipes.pipeline(devices=4, microbatches=8, **MEASURED)
    ((_, _, part),) = figure.parts(Timeline)
    (panel,) = tikzgen.metrics(figure).panels
    share = panel.values["bubble_over_total"]
    assert isinstance(share, Fraction)
    assert share.denominator > 1000
    assert part.summary == f"bubble {float(share * 100):.1f} % of total"
    table = tikzgen.metrics(figure).as_text()
    assert str(share) not in table
    assert f"{float(share * 100):.1f} %" in table


def test_own_texts_of_measures_are_kept() -> None:
    (text,) = summaries(**MEASURED, labels={"total": "idle {exact}"})
    assert text.startswith("idle ")
    assert "/" in text
