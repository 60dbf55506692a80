"""Arrows strike no text: they bend around it, their own stands clear; and what a sweep found does not come back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from conftest import ROOT
from folded import unfold
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure, load
from tikzgen.base.plane.near_places import PlaceIndex
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.layout.time.labels_beside_arrows import LaneOnPaper, choose_place
from tikzgen.layout.timeline.arrow_routes import LaneCrossings
from tikzgen.lint.probe.look_at_figures import drawing_of, look_at

SWEPT = sorted((ROOT / "tests/cases/swept").glob("*.yaml"))
DENSE = ROOT / "tests/cases/swept/messages.yaml"
HIGH, PITCH, LINE = 0.5, 0.85, 0.035  # cm


@pytest.mark.tex
def test_nothing_is_found_in_what_was_swept(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    drawings = [drawing for path in SWEPT if (drawing := drawing_of(SpecReading(path, drawn=True)))]
    assert len(drawings) == len(SWEPT)
    looked = look_at(drawings)
    # arrows of a dense schedule share pieces of their ways where they lead through the same gaps
    found = [str(each) for each in looked.findings if (each.code, each.place.file) != ("TG319", str(DENSE))]
    assert (found, looked.errors) == ([], [])


@st.composite
def lanes(draw: st.DrawFn) -> list[LaneOnPaper]:
    """Lanes with spans, each with a text that leaves a tenth of a cm on either side."""
    found = []
    for place in range(draw(st.integers(3, 6))):
        at, spans, texts = 0.0, [], []
        near = place * PITCH
        for _ in range(draw(st.integers(0, 8))):
            at += draw(st.sampled_from([0.0, 0.0, 0.2, 1.0]))
            length = draw(st.floats(0.4, 2.0))
            half = draw(st.floats(0.05, (length - 0.2) / 2))
            spans.append((at, at + length))
            texts.append((at + length / 2 - half, near + 0.1, at + length / 2 + half, near + HIGH - 0.1))
            at += length
        found.append(LaneOnPaper(near, near + HIGH, tuple(texts), tuple(spans), ()))
    return found


@given(lanes(), st.lists(st.tuples(st.floats(0, 12), st.floats(0, 12), st.booleans()), min_size=1, max_size=4))
def test_an_arrow_across_lanes_strikes_no_text(rows: list[LaneOnPaper], ends: list[tuple[float, float, bool]]) -> None:
    ways = LaneCrossings(rows)
    for start, goal, down in ends:
        source, target = (0, len(rows) - 1) if down else (len(rows) - 1, 0)
        crossed = ways.route_between_lanes(source, target, start, goal, LINE)
        if crossed:
            assert [lane for lane, _ in crossed] == list(range(source, target, 1 if down else -1))[1:]
        for lane, row in enumerate(rows[1:-1], 1):
            inside = [dict(crossed)[lane]] if crossed else straight(start, goal, len(rows), row, down)
            assert not any(low < at < high for low, _, high, _ in row.texts for at in inside)


def straight(start: float, goal: float, count: int, row: LaneOnPaper, down: bool) -> list[float]:
    """Where a straight arrow from the first lane to the last passes the texts of a lane, or back."""
    first, last = (HIGH, (count - 1) * PITCH) if down else ((count - 1) * PITCH, HIGH)
    depths = [row.near + 0.1 + (HIGH - 0.2) * step / 20 for step in range(21)]
    return [start + (goal - start) * (depth - first) / (last - first) for depth in depths]


@given(lanes(), st.floats(0, 12), st.floats(0, 12))
def test_an_arrow_that_strikes_nothing_stays_straight(rows: list[LaneOnPaper], start: float, goal: float) -> None:
    empty = [LaneOnPaper(row.near, row.far, (), row.spans, ()) for row in rows]
    assert not LaneCrossings(empty).route_between_lanes(0, len(rows) - 1, start, goal, LINE)


def test_arrows_do_not_lie_on_each_other_where_there_is_room() -> None:
    spans = tuple((float(at), at + 1.0) for at in range(8))
    texts = tuple((low + 0.1, 0.95, high - 0.1, 1.25) for low, high in spans)
    rows = [
        LaneOnPaper(0, HIGH, (), (), ()),
        LaneOnPaper(PITCH, PITCH + HIGH, texts, spans, ()),
        LaneOnPaper(1.7, 2.2, (), (), ()),
    ]
    ways = LaneCrossings(rows)
    assert {ways.route_between_lanes(0, 2, 3.5, 3.5, LINE)[0][1] for _ in range(2)} == {3.0, 4.0}


def test_a_text_stands_beside_its_arrow_where_nothing_is() -> None:
    rows = [LaneOnPaper(0, HIGH, (), ((0.0, 4.0),), ()), LaneOnPaper(1.1, 1.6, (), ((0.0, 4.0),), ())]
    way = ((1.0, HIGH), (3.0, 1.1))
    drawn = PlaceIndex([way], [(0.8, 0.2)] * 2, LINE)
    found = choose_place(way, 0.8, 0.2, rows, drawn)
    left, near, right, far = found.box
    assert HIGH <= near < far <= 1.1
    drawn.place_box(0, found.box)
    again = choose_place(way, 0.8, 0.2, rows, drawn)
    assert again.box[2] <= left or right <= again.box[0] or again.box[3] <= near or far <= again.box[1]


def test_bends_follow_the_distances_of_the_file() -> None:
    tex = unfold(load(ROOT / "tests/cases/swept/wrap.yaml").tex())
    (bent,) = set(re.findall(r"\\draw\[critical arrow, (bent arrow)\]", tex))
    assert f"{bent}/.style={{rounded corners=" in tex
    ways = re.findall(r"\\draw\[critical arrow, bent arrow\] (.*);", tex)
    assert ways
    for way in ways:
        first, *between, last = way.split(" -- ")
        assert re.fullmatch(r"\([a-z0-9-]+\.(north|south) east\)", first)
        assert re.fullmatch(r"\([a-z0-9-]+\.(north|south) west\)", last)
        for bend in between:
            assert re.fullmatch(r"\(\[yshift=-?0\.5\*\\laneheight cm\][0-9.]+,[0-9]\)", bend)


def test_what_bends_nowhere_has_no_style_for_it() -> None:
    assert "bent arrow" not in load(ROOT / "examples/overlap.yaml").tex()


def timeline(**facts: Any) -> str:
    lanes = [{"id": "a"}, {"id": "b"}]
    content = {"type": "timeline", "lanes": lanes, **facts}
    return unfold(Figure.model_validate({"panels": [{"content": content}]}).tex())


def test_rails_that_would_lie_on_each_other_are_apart() -> None:
    spans = [{"lane": "b", "start": 2 * n, "duration": 2} for n in range(4)]
    names = [f"b-compute{n}" for n in range(1, 5)]
    ends = [(0, 2), (1, 3), (0, 1), (2, 3)]
    tex = timeline(spans=spans, dependencies=[{"source": names[a], "target": names[b]} for a, b in ends])
    shifts = re.findall(r"\\draw\[dependency\] \(b-compute\d\.north\) -- \(\[yshift=([0-9.]+)cm\]", tex)
    assert [shift == shifts[0] for shift in shifts] == [True, False, False, True]


@pytest.mark.parametrize(
    ("start", "drawn"),
    [(4, r"\(3,0\) -- \(a-compute1\.west\)"), (3, r"\(\[xshift=-0\.15cm.*\]3,0\) -- \(\[xshift=0\.15cm.*\]3,0\)")],
)
def test_an_arrow_runs_along_the_lane_that_a_wide_span_shares(start: int, drawn: str) -> None:
    spans = [
        {"lane": ["a", "b"], "start": 0, "duration": 3, "phase": "communication"},
        {"lane": "a", "start": start, "duration": 2},
    ]
    tex = timeline(spans=spans, dependencies=[{"source": "communication1", "target": "a-compute1"}])
    assert re.search(r"\\draw\[dependency\] " + drawn, tex)
