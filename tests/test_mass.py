"""Timelines of more spans than nodes can draw: rows that hold every span, hairlines that keep the shares of phases."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen import Bubble, Dependency, Figure, Half, Lane, Panel, Phase, Span, Timeline, loads, render
from tikzgen.compile.argv import SETTINGS
from tikzgen.compile.compile_tex import compile_tex
from tikzgen.compile.engines import Engine
from tikzgen.layout.timeline.thin_spans import Piece, joined, merged
from tikzgen.tikz.embedded_spec import unseal

LANES = [Lane(id=f"gpu{place}", label=f"GPU {place}") for place in range(4)]


def spans(count: int, *, duration: Fraction | int = 2, **facts: object) -> list[Span]:
    """Spans that follow each other on four lanes, forward and backward in turns."""
    return [
        Span.model_validate(
            {
                "lane": f"gpu{place % 4}",
                "start": place // 4 * duration,
                "duration": duration,
                "phase": ("forward", "backward")[place // 4 % 2],
                **facts,
            }
        )
        for place in range(count)
    ]


def figure(timeline: Timeline, **facts: object) -> Figure:
    return Figure.model_validate({"panels": [Panel(content=[timeline])], **facts})


def rows(tex: str) -> list[tuple[float, float, float, str]]:
    """Start, lane, duration and text of every row."""
    found = re.findall(r"^ +\\row ([0-9.]+),([0-9.]+),([0-9.]+),(.*);$", tex, flags=re.MULTILINE)
    return [(float(start), float(lane), float(duration), text) for start, lane, duration, text in found]


def test_a_figure_of_few_spans_has_nodes_and_one_of_many_has_rows() -> None:
    few, many = (render(figure(Timeline(lanes=LANES, spans=spans(count)))) for count in (600, 601))
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
        assert re.search(rf"\\rows\{{draw, line width=0.5pt, {phase} phase\}}\{{%", tex)
    body = tex.partition("\\begin{document}")[2].partition("\\end{document}")[0]
    assert not re.search(r"\\(global|gdef|xdef|newcommand|newdimen)", body)
    defined = re.findall(r"^    \\e?def\\([a-z]+)", body, flags=re.MULTILINE)
    assert defined
    assert body.index("\\begingroup% 700 spans") < body.index(f"\\def\\{defined[-1]}") < body.rindex("    \\endgroup")


def test_spans_that_something_points_to_keep_their_nodes() -> None:
    arrow = Dependency(source="gpu0-forward1", target="gpu1-backward1")
    tex = figure(Timeline(lanes=LANES, spans=spans(700), dependencies=[arrow])).tex()
    assert re.findall(r"\\node\[span=2, draw=none\] \(([a-z0-9-]+)\)", tex) == ["gpu0-forward1", "gpu1-backward1"]
    assert len(rows(tex)) == 700


def test_marked_spans_stay_bars() -> None:
    listed = spans(700)
    marked = [listed[0].model_copy(update={"fault": "too early"}), *listed[1:]]
    tex = figure(Timeline(lanes=LANES, spans=marked, critical=["gpu1-forward1"])).tex()
    assert len(rows(tex)) == 698
    assert "(gpu0-forward1)" in tex
    assert "(gpu1-forward1)" in tex


def test_fused_cells_are_two_rows_in_one_border() -> None:
    timeline = Timeline(lanes=LANES, spans=spans(700, second=Half(phase="update", share="1/4")))
    tex = figure(timeline, spacing={"timeunit": 0.4}).tex()
    assert len(rows(tex)) == 3 * 700
    assert tex.index("\\rows{update phase}") < tex.index("\\rows{draw, line width=0.5pt}")
    assert {row[2] for row in rows(tex)} == {1.5, 0.5, 2.0}


def test_bubbles_are_rows_too() -> None:
    idle = [Bubble(lane="gpu0", start=1000 + place, end=1001 + place) for place in range(0, 20, 2)]
    tex = figure(Timeline(lanes=LANES, spans=spans(700), bubbles=idle)).tex()
    assert len(rows(tex)) == 710
    assert "idle phase" in tex


def test_a_natural_width_fits_a_page() -> None:
    tex = figure(Timeline(lanes=LANES, spans=spans(8000))).tex()
    unit = re.search(r"\\def\\timeunit\{([0-9.]+)\}", tex)
    assert unit
    assert 15 < float(unit[1]) * 4000 <= 16


@pytest.mark.parametrize(("duration", "said", "unit"), [(100, 100, "10"), ("1/100000", 0.1, "0.0001")])
def test_long_and_short_times_are_counted_in_powers_of_ten(duration: object, said: float, unit: str) -> None:
    tex = figure(Timeline(lanes=LANES, spans=spans(4 * 200, duration=Fraction(str(duration))))).tex()
    assert {row[2] for row in rows(tex)} == {said / 10 if said == 100 else said}
    assert f"% length of {unit} time units (cm)" in tex


def test_what_is_merged_is_said_in_the_file_and_to_the_caller() -> None:
    found = render(figure(Timeline(lanes=LANES, spans=spans(8000, duration=1)), width=3))
    assert len(found.notes) == 1
    assert re.fullmatch(r"merged 8 000 spans thinner than 0\.2 pt into [0-9 ]+", found.notes[0])
    assert f"    % note: {found.notes[0]}\n" in found.tex
    assert 600 < len(rows(found.tex)) < 4000


def test_the_description_of_many_spans_stands_close_and_is_read_back() -> None:
    made = figure(Timeline(lanes=LANES, spans=spans(700, number=3)))
    tex = made.tex()
    tail = tex.partition("\\end{document}\n")[2]
    assert max(map(len, tail.splitlines())) <= 120
    described, _, identity = tail.partition('"tikzgen": {')
    assert len(described) < 90 * 700
    assert len(identity) < 6 * tex.count("\n") + 1000  # a few characters a line of the file
    inside = unseal(tex)
    assert inside is not None
    assert loads(inside).__dict__ == made.__dict__
    assert loads(inside).tex() == tex


# ---- hairlines ----

STYLES = ("forward phase", "backward phase", "update phase")


@st.composite
def pieces(draw: st.DrawFn) -> list[Piece]:
    found = []
    for lane in range(draw(st.integers(1, 3))):
        at = 0
        for _ in range(draw(st.integers(0, 40))):
            at += draw(st.sampled_from((0, 0, 1, 5, 40)))
            length = draw(st.integers(1, 30))
            found.append(Piece(at / 10, length / 10, lane, 1, draw(st.sampled_from(STYLES))))
            at += length
    return found


@settings(deadline=None, max_examples=150, derandomize=True)
@given(pieces(), st.sampled_from((0.05, 0.5, 1.0, 2.0)))
def test_every_piece_is_there_or_merged(given_: list[Piece], hairline: float) -> None:
    found, thin, strips = merged(given_, hairline)
    thick = [piece for piece in given_ if piece.duration >= hairline]
    assert found[: len(thick)] == thick
    assert thin == len(given_) - len(thick)
    assert strips == len(found) - len(thick)
    assert strips <= thin
    for strip in found[len(thick) :]:
        assert strip.duration >= hairline - 1e-9
        near = [
            p
            for p in given_
            if p.lane == strip.lane and p.start < strip.end + 1e-9 and p.end > strip.start - 2 * hairline
        ]
        assert near, "a strip stands where nothing was"
    for lane in {piece.lane for piece in found}:
        ends = sorted((piece.start, piece.end) for piece in found[len(thick) :] if piece.lane == lane)
        assert all(after[0] >= before[1] - 1e-9 for before, after in pairwise(ends))


def test_a_hairline_shows_phases_by_their_shares() -> None:
    crowd = [Piece(place * 0.3, 0.1, 0, 1, STYLES[place // 50 % 2 * 2]) for place in range(1000)]
    crowd += [Piece(place * 0.3 + 0.1, 0.2, 0, 1, STYLES[1]) for place in range(1000)]
    found, thin, strips = merged(crowd, 1.0)
    assert (thin, strips) == (2000, len(found))
    ends = sorted((piece.start, piece.end) for piece in found)
    assert all(before[1] == pytest.approx(after[0]) for before, after in pairwise(ends)), "paper shows through"
    ink = [sum(piece.duration for piece in found if piece.style == style) for style in STYLES[:2]]
    assert ink[0] == pytest.approx(50, abs=2)
    assert ink[1] == pytest.approx(200, abs=2)


def test_touching_pieces_without_borders_are_one() -> None:
    run = [Piece(place * 0.5, 0.5, 0, 1, STYLES[0]) for place in range(10)]
    other = [Piece(6.0, 0.5, 0, 1, STYLES[0]), Piece(0.0, 0.5, 1, 1, STYLES[0]), Piece(5.0, 3.0, 2, 1, STYLES[0])]
    found, touching, blocks = joined([*run, *other], 1.0)
    assert (touching, blocks) == (10, 1)
    assert sorted((p.lane, p.start, p.duration) for p in found) == [(0, 0, 5), (0, 6, 0.5), (1, 0, 0.5), (2, 5, 3)]


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
@pytest.mark.parametrize("engine", Engine)
def test_two_thousand_spans_compile(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("extra_mem_bot", "extra_mem_top", "save_size"):  # what TeX has where nobody raised it
        monkeypatch.delitem(SETTINGS, room)
    tex = mixed(2000, 8, direction="right" if engine is Engine.PDFLATEX else "up").tex()
    assert compile_tex(tex, engine=engine).pdf.startswith(b"%PDF-")


@pytest.mark.tex
def test_thirty_thousand_spans_compile_in_tex_s_own_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("extra_mem_bot", "extra_mem_top", "save_size"):
        monkeypatch.delitem(SETTINGS, room)
    found = render(mixed(30_000, 64))
    assert 20_000 < len(rows(found.tex)) <= 30_000
    assert compile_tex(found.tex).pdf.startswith(b"%PDF-")


@pytest.mark.tex
def test_texts_of_rows_stand_in_the_pdf() -> None:
    pdfium = pytest.importorskip("pypdfium2")
    timeline = Timeline(lanes=LANES, spans=spans(700, number=42))
    pdf = compile_tex(figure(timeline, spacing={"timeunit": 0.5}, width=None).tex()).pdf
    text = pdfium.PdfDocument(pdf)[0].get_textpage().get_text_range()
    assert text.count("42") == 700
