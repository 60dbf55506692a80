"""Timelines of more spans than nodes can draw: rows that hold every span, hairlines that keep the shares of phases."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest
from conftest import scaled
from dense_timelines import LANES, figure, spans
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen import Bubble, Dependency, Figure, Half, Lane, Panel, Phase, Span, Timeline, loads, render
from tikzgen.compile.tex.argv import SETTINGS
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.engines import FAMILIAR, Engine
from tikzgen.layout.timeline.join_short_spans import BandPiece, join_into_bands
from tikzgen.model.looks.spacing import Spacing
from tikzgen.spec.embedded_spec import extract_spec

WIDE: dict[str, object] = {"spacing": {"timeunit": 0.1}}  # so that no cell is too short


def rows(tex: str) -> list[tuple[float, float, float, str]]:
    """Start, lane, duration and text of every row."""
    found = re.findall(r"^ +\\row ([0-9.]+),([0-9.]+),([0-9.]+),(.*);$", tex, flags=re.MULTILINE)
    return [(float(start), float(lane), float(duration), text) for start, lane, duration, text in found]


def test_a_figure_of_few_spans_has_nodes_and_one_of_many_has_rows() -> None:
    few, many = (render(figure(Timeline(lanes=LANES, spans=spans(count)), **WIDE)) for count in (600, 601))
    assert few.tex.count("\\node[span=") == 600
    assert not rows(few.tex)
    assert len(rows(many.tex)) == 601
    assert "\\node[span=" not in many.tex
    assert many.notes == ()


def test_rows_say_when_where_how_long_and_what() -> None:
    timeline = Timeline(lanes=LANES, spans=spans(700, number=7))
    tex = figure(timeline, spacing={"timeunit": 0.4}).tex()
    wanted = sorted((float(span.start), float(span.lane[3:]), 2.0, "7") for span in timeline.spans)
    assert sorted(rows(tex)) == wanted
    for phase in ("forward", "backward"):
        assert f"\\def\\{phase}cell#1{{#1}}%" in tex
        assert f"\\def\\rowmacro{{\\{phase}cell}}" in tex
        assert re.search(rf"\\rows\{{{phase} phase\}}\{{%", tex)
    body = tex.partition("\\begin{document}")[2].partition("\\end{document}")[0]
    assert not re.search(r"\\(global|gdef|xdef|newcommand|newdimen)", body)
    defined = re.findall(r"^    \\e?def\\([a-z]+)", body, flags=re.MULTILINE)
    assert defined
    assert body.index("% 700 spans") < body.index(f"\\def\\{defined[-1]}") < body.rindex("    \\endgroup")


def test_spans_that_something_points_to_keep_their_nodes() -> None:
    arrow = Dependency(source="gpu0-forward1", target="gpu1-backward1")
    tex = figure(Timeline(lanes=LANES, spans=spans(700), dependencies=[arrow]), **WIDE).tex()
    assert re.findall(r"\\node\[span=2, draw=none\] \(([a-z0-9-]+)\)", tex) == ["gpu0-forward1", "gpu1-backward1"]
    assert len(rows(tex)) == 700


def test_marked_spans_stay_bars() -> None:
    listed = spans(700)
    marked = [listed[0].model_copy(update={"fault": "too early"}), *listed[1:]]
    tex = figure(Timeline(lanes=LANES, spans=marked, critical=["gpu1-forward1"]), **WIDE).tex()
    assert len(rows(tex)) == 698
    assert "(gpu0-forward1)" in tex
    assert "(gpu1-forward1)" in tex


def test_fused_cells_are_two_rows_that_touch() -> None:
    timeline = Timeline(lanes=LANES, spans=spans(700, second=Half(phase="update", share="1/4")))
    tex = figure(timeline, spacing={"timeunit": 0.4}).tex()
    assert len(rows(tex)) == 2 * 700
    assert {row[2] for row in rows(tex)} == {1.5, 0.5}
    assert {(one, two) for one, two in re.findall(r"\\rowbox\{1\}\{([0-9.]+)\}\{([0-9.]+)\}", tex)} == {
        ("0.35", "0"),
        ("0", "0.35"),
    }


def test_bubbles_are_rows_too() -> None:
    idle = [Bubble(lane="gpu0", start=1000 + place, end=1001 + place) for place in range(0, 20, 2)]
    tex = figure(Timeline(lanes=LANES, spans=spans(700), bubbles=idle), spacing={"timeunit": 0.15}).tex()
    assert len(rows(tex)) == 710
    assert "idle phase" in tex


@pytest.mark.slow
def test_a_natural_width_fits_a_page() -> None:
    tex = figure(Timeline(lanes=LANES, spans=spans(8000))).tex()
    unit = re.search(r"\\def\\timeunit\{([0-9.]+)\}", tex)
    assert unit
    assert 15 < float(unit[1]) * 4000 <= 16


@pytest.mark.parametrize(("duration", "said", "unit"), [(100, 100, "10"), ("1/100000", 0.1, "0.0001")])
def test_long_and_short_times_are_counted_in_powers_of_ten(duration: object, said: float, unit: str) -> None:
    lasts = said / 10 if said == 100 else said
    timeline = Timeline(lanes=LANES, spans=spans(4 * 200, duration=Fraction(str(duration))))
    tex = figure(timeline, spacing={"timeunit": 0.15 / lasts}).tex()
    assert {row[2] for row in rows(tex)} == {lasts}
    assert f"% length of {unit} time units (cm)" in tex


@pytest.mark.slow
def test_what_is_joined_is_said_in_the_file_and_to_the_caller() -> None:
    found = render(figure(Timeline(lanes=LANES, spans=spans(8000, duration=1)), width=3))
    assert len(found.notes) == 1
    assert re.fullmatch(
        r"joined 8 000 spans shorter than 1\.2 mm into \d+ \(a larger width shows more of them\)", found.notes[0]
    )
    assert f"    % note: {found.notes[0]}\n" in found.tex
    assert len(rows(found.tex)) == 8  # forward and backward above each other on each lane


def test_few_spans_that_are_too_short_are_runs_beside_cells() -> None:
    short = spans(40, duration=1)
    long = [Span(lane="gpu0", start=100, duration=40, phase="update", number=3)]
    found = render(figure(Timeline(lanes=LANES, spans=[*short, *long]), spacing={"timeunit": 0.05}))
    assert len(rows(found.tex)) == 8
    assert re.findall(r"\\node\[span=40, update phase[^]]*\] \(gpu0-update1\)", found.tex)


def test_the_description_of_many_spans_stands_close_and_is_read_back() -> None:
    made = figure(Timeline(lanes=LANES, spans=spans(700, number=3)))
    tex = made.tex()
    tail = tex.partition("\\end{document}\n")[2]
    assert max(len(line) for line in tail.splitlines() if '"description":' not in line) <= 120  # what is said is a line
    described, _, identity = tail.partition('"tikzgen": {')
    assert len(described) < 90 * 700
    assert len(identity) < 6 * tex.count("\n") + 1000  # a few characters a line of the file
    inside = extract_spec(tex)
    assert inside is not None
    assert loads(inside).__dict__ == made.__dict__
    assert loads(inside).tex() == tex


# ---- runs ----

STYLES = ("forward phase", "backward phase", "update phase")
PHASES = ("forward", "backward", "update")


@st.composite
def pieces(draw: st.DrawFn) -> list[BandPiece]:
    found = []
    for lane in range(draw(st.integers(1, 3))):
        at = 0
        for _ in range(draw(st.integers(0, 40))):
            at += draw(st.sampled_from((0, 0, 1, 5, 40)))
            length = draw(st.integers(1, 9))
            phase = draw(st.sampled_from(PHASES))
            style = draw(st.sampled_from((f"{phase} phase", f"{phase} shade 1")))
            found.append(BandPiece(at / 10, length / 10, lane, 1, phase, style))
            at += length
    return found


@settings(deadline=None, max_examples=scaled(1500), derandomize=True)
@given(pieces())
def test_runs_keep_where_something_is_and_how_much_of_it(given_: list[BandPiece]) -> None:
    found = join_into_bands(given_, 1.0, PHASES)
    assert bool(found) == bool(given_)
    for band in found:
        assert band.run
        assert 0 <= band.low < band.high <= 1 + 1e-9
        own = [p for p in given_ if p.lane == band.lane and p.start < band.end + 1e-9 and p.end > band.start - 1e-9]
        assert any(p.phase == band.phase for p in own), "a phase stands where it was not"
    for piece in given_:
        over = [band for band in found if band.lane == piece.lane and band.phase == piece.phase]
        assert any(b.start <= piece.start + 1e-9 and piece.end <= b.end + 1e-9 for b in over) or len(over) > 1


def test_phases_that_take_turns_lie_above_each_other_by_their_shares() -> None:
    warm = [BandPiece(place * 0.1, 0.1, 0, 1, "forward", STYLES[0]) for place in range(30)]
    steady = [BandPiece(3 + place * 0.3, 0.1, 0, 1, "forward", STYLES[0]) for place in range(100)]
    steady += [BandPiece(3.1 + place * 0.3, 0.2, 0, 1, "backward", STYLES[1]) for place in range(100)]
    cool = [BandPiece(33 + place * 0.4, 0.2, 0, 1, "backward", STYLES[1]) for place in range(20)]
    found = join_into_bands([*warm, *steady, *cool], 1.0, PHASES)
    assert [(b.phase, round(b.low, 2), round(b.high, 2)) for b in sorted(found, key=lambda b: (b.start, b.low))][
        :3
    ] == [
        ("forward", 0.0, 1.0),
        ("forward", 0.0, 0.33),
        ("backward", 0.33, 1.0),
    ]
    first, *_, last = sorted(found, key=lambda b: b.start)
    assert (first.start, first.end, last.end) == (0, pytest.approx(3, abs=0.2), pytest.approx(cool[-1].end))


def test_shades_follow_each_other_and_show_the_slope_of_microbatches() -> None:
    lanes = []
    for lane in range(3):
        for place in range(64):
            shade = STYLES[0] if place // 16 % 2 == 0 else "forward shade 1"
            lanes.append(BandPiece(lane * 0.5 + place * 0.1, 0.1, lane, 1, "forward", shade))
    found = join_into_bands(lanes, 1.0, PHASES)
    for lane in range(3):
        edges = [round(b.start, 2) for b in sorted(found, key=lambda b: b.start) if b.lane == lane]
        assert edges == [round(lane * 0.5 + place * 1.6, 2) for place in range(4)]
    assert all((b.low, b.high) == (0, 1) for b in found)


def test_shades_that_take_turns_lie_above_each_other() -> None:
    turns = [
        BandPiece(place * 0.1, 0.1, 0, 1, "forward", ("forward phase", "forward shade 1")[place % 2])
        for place in range(40)
    ]
    found = join_into_bands(turns, 1.0, PHASES)
    assert [(b.style, b.low, b.high, round(b.end - b.start, 6)) for b in found] == [
        ("forward phase", 0.0, 0.5, 4.0),
        ("forward shade 1", 0.5, 1.0, 4.0),
    ]


# ---- with real TeX ----


def mixed(count: int, lanes: int, *, direction: str = "right") -> Figure:
    """Spans of random lengths and phases, some hatched, some numbered."""
    random, at, found = Random(1), [0] * lanes, []
    phases = ("forward", "backward", "communication", "update", "idle")
    for place in range(count):
        lane = place % lanes
        at[lane] += random.choice((0, 0, 0, 5))
        length = random.randint(3, 30)
        found.append(Span(lane=f"gpu{lane}", start=at[lane], duration=length, phase=random.choice(phases), number=8))
        at[lane] += length
    listed = [Lane(id=f"gpu{lane}", label=f"GPU {lane}") for lane in range(lanes)]
    timeline = Timeline(lanes=listed, spans=found, direction=direction)
    return figure(timeline, width=17.8, phases={"forward": Phase(cell="Q{n}", color="otblue")})


@pytest.mark.tex
@pytest.mark.parametrize("engine", FAMILIAR)
def test_two_thousand_spans_compile(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("extra_mem_bot", "extra_mem_top", "save_size"):  # what TeX has where nobody raised it
        monkeypatch.delitem(SETTINGS, room)
    tex = mixed(2000, 8, direction="right" if engine is Engine.PDFLATEX else "up").tex()
    assert compile_tex(tex, engine=engine).pdf.startswith(b"%PDF-")


@pytest.mark.tex
def test_thirty_thousand_spans_compile_in_tex_s_own_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("extra_mem_bot", "extra_mem_top", "save_size"):
        monkeypatch.delitem(SETTINGS, room)
    found = render(mixed(30_000, 64).model_copy(update={"width": None, "spacing": Spacing(timeunit=0.05)}))
    assert 20_000 < len(rows(found.tex)) <= 30_000
    assert compile_tex(found.tex).pdf.startswith(b"%PDF-")


@pytest.mark.tex
def test_texts_of_rows_stand_in_the_pdf() -> None:
    pdfium = pytest.importorskip("pypdfium2")
    timeline = Timeline(lanes=LANES, spans=spans(700, number=42))
    pdf = compile_tex(figure(timeline, spacing={"timeunit": 0.5}, width=None).tex()).pdf
    text = pdfium.PdfDocument(pdf)[0].get_textpage().get_text_range()
    assert text.count("42") == 700


@pytest.mark.slow
def test_a_very_large_schedule_with_all_its_lanes_in_a_zoom_fits_a_page() -> None:
    made = render(loads("recipe: pipeline\ndevices: 64\nmicrobatches: 128\nwidth: 8.4\nzoom: {start: 0, end: 100}\n"))
    assert not [note for note in made.notes if "tall" in note]


@pytest.mark.parametrize("latency", ["1/1000000", "1/100000", "1/30000"])
def test_spans_that_take_no_length_on_paper_are_left_out(latency: str) -> None:
    spec = f"recipe: pipeline\nschedule: 1f1b\ndevices: 2\nmicrobatches: 4\nlatency: {latency}\n"
    assert "gpu1-forward4" in loads(spec).tex()


def test_spans_that_cannot_be_seen_are_counted() -> None:
    few = [Span(lane="a", start=0, duration=1), Span(lane="a", start=1, duration="1/1000000")]
    whole = Timeline(lanes=[Lane(id="a")], spans=[*few, Span(lane="a", start=2, duration=9)])
    rendered = render(Figure(panels=[Panel(content=[whole])]))
    assert any("1 span is too short to be seen" in note for note in rendered.notes), rendered.notes
