"""Space-time diagrams: what they draw, where their texts stand, and that a kind of part needs nothing but its own."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from command import run
from conftest import EXAMPLES, ROOT, scaled
from folded import unfold
from hypothesis import given, settings
from strategies import spacetime_figures

from tikzgen import Figure, Lifeline, Message, Panel, SpaceTime, SpecError, load, loads
from tikzgen.base.cache import Cache
from tikzgen.base.plane import measure_gap_to_lines
from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.spacetime import place_spacetime, spacetime_texts
from tikzgen.layout.spacetime.facts_and_message_ways import SpacetimeFacts, iterate_tracks, route_message
from tikzgen.layout.spacetime.spacetime_texts import PlacedText
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.content import KINDS, Content

EXAMPLE = ROOT / "examples" / "two-phase-commit.yaml"


def diagram(*messages: Message, direction: str = "right", **facts: object) -> SpaceTime:
    ends = [Lifeline(id=name, label=name.upper()) for name in "abc"]
    return SpaceTime.model_validate(
        {"lifelines": ends, "messages": list(messages), "direction": direction, "until": 8, **facts}
    )


def drawn(part: SpaceTime, **facts: object) -> list[str]:
    """The lines of the file that draw it."""
    figure = Figure(panels=[Panel(content=part)], **facts)
    body = unfold(figure.tex()).partition("\\begin{scope}")[2]
    return [line.strip() for line in body.partition("\\end{scope}")[0].splitlines()]


def sole(lines: list[str], name: str) -> str:
    """The one line that names a node."""
    (found,) = [line for line in lines if f"({name})" in line]
    return found


def test_a_message_runs_from_when_it_is_sent_to_when_it_is_received() -> None:
    lines = drawn(diagram(Message(source="a", target="c", sent=1, received=Fraction(7, 2))))
    assert sole(lines, "a-m1").startswith(r"\draw[msg] (1,0) -- (3.5,2)")


def test_a_message_to_several_arrives_at_each() -> None:
    lines = drawn(diagram(Message(source="b", target=["a", "c"], sent=1, received=[2, 3], label="hi")))
    assert sole(lines, "b-m1-a").startswith(r"\draw[msg] (1,1) -- (2,0)")
    assert sole(lines, "b-m1-c").startswith(r"\draw[msg] (1,1) -- (3,2)")
    assert sum(r"\messageonelabel" in line for line in lines) == 1


def test_a_long_text_beside_an_arrow_is_broken() -> None:
    told = "the gradients of all layers, one by one"
    messages = [Message(source="a", target="c", sent=1, received=3, label=told)]
    assert "text width=" in sole(drawn(diagram(*messages), width=17.8), "a-m1")


def test_a_message_takes_one_time_unit_unless_it_says_otherwise() -> None:
    said = [Message(source="a", target="b", sent=1, travel=travel) for travel in (None, 2, Fraction(1, 4))]
    ends = [sole(drawn(diagram(message)), "a-m1").partition(" -- ")[2].partition(",")[0] for message in said]
    assert ends == ["(2", "(3", "(1.25"]


def test_a_lost_message_ends_at_a_cross_before_it_arrives() -> None:
    lines = drawn(diagram(Message(source="a", target=["b", "c"], sent=0, lost=["c"])))
    assert "lost arrow" not in sole(lines, "a-m1-b")
    assert sole(lines, "a-m1-c").startswith(r"\draw[msg, lost arrow] (0,0) -- (0.6,1.2)")
    assert sole(lines, "a-m1-c-lost") == r"\node[cross sign] (a-m1-c-lost) at (0.6,1.2) {};"


def test_a_reply_is_dashed() -> None:
    assert "reply arrow" in sole(drawn(diagram(Message(source="a", target="b", sent=0, reply=True))), "a-m1")


@pytest.mark.parametrize(("direction", "out"), [("right", "yshift=0.3cm"), ("down", "xshift=0.3cm")])
def test_a_message_to_oneself_is_a_loop(direction: str, out: str) -> None:
    line = sole(drawn(diagram(Message(source="b", target="b", sent=1, travel=2), direction=direction)), "b-m1")
    assert f"(1,1) -- ([{out}]1,1) -- ([{out}]3,1)" in line
    assert line.endswith("-- (3,1);")


def test_an_asynchronous_message_has_an_open_head() -> None:
    assert "async arrow" in sole(drawn(diagram(Message(source="a", target="b", sent=0, asynchronous=True))), "a-m1")


@pytest.mark.parametrize("direction", ["right", "down"])
def test_a_text_on_its_arrow_stands_on_paper(direction: str) -> None:
    said = Message(source="a", target="b", sent=0, label="x", label_at="on")
    line = sole(drawn(diagram(said, direction=direction)), "a-m1")
    assert "node[slbl, clear, midway" in line
    assert "anchor=center" in line


@pytest.mark.parametrize(("direction", "shift"), [("right", "yshift=-0.09cm"), ("down", "xshift=0.09cm")])
def test_messages_end_at_the_edges_of_bars(direction: str, shift: str) -> None:
    busy = {"lifeline": "a", "start": 1, "end": 2}
    lines = drawn(diagram(Message(source="a", target="b", sent=1), direction=direction, activations=[busy]))
    assert f"([{shift}]1,0) -- (2,1)" in sole(lines, "a-m1")
    assert sum("active=otgray" in line for line in lines) == 1


@pytest.mark.parametrize(("direction", "side"), [("right", "south"), ("down", "east")])
def test_the_text_of_a_bar_stands_beside_its_middle_however_short_it_is(direction: str, side: str) -> None:
    busy = {"lifeline": "b", "start": 2, "end": Fraction(5, 2), "label": "save"}
    (line,) = [line for line in drawn(diagram(direction=direction, activations=[busy])) if "activationonelabel" in line]
    assert f"anchor={side}]" in line
    assert "2.25,1)" in line


def test_a_lifeline_comes_back() -> None:
    back = [{"id": "a", "crash": 3, "restart": 5, "foot": "well"}, {"id": "b"}]
    lines = drawn(diagram(Message(source="b", target="a", sent=5), lifelines=back))
    assert r"\draw[crashed line=otgray] (3,0) -- (5,0);" in lines
    assert r"\draw[life line=otgray] (5,0) -- ([xshift=0.3cm]8,0);" in lines
    assert sole(lines, "a-restart") == r"\node[restart sign=otgray] (a-restart) at (5,0) {};"
    assert r"\afoot" in sole(lines, "a-foot")


CHAIN = Message(source="a", target="b", sent=1), Message(source="b", target="c", sent=3)


@pytest.mark.parametrize(
    ("clocks", "shown"),
    [
        ("vector", ["(1,0,0)", "(0,0,1)", "(1,1,0)", "(1,2,0)", "(1,2,2)"]),
        ("lamport", ["1", "1", "2", "3", "4"]),
    ],
)
def test_clocks_are_computed(clocks: str, shown: list[str]) -> None:
    lines = drawn(diagram(*CHAIN, clocks=clocks, events=[{"lifeline": "c", "time": 1}, {"lifeline": "b", "time": 3}]))
    found = [match[1] for line in lines if (match := re.search(r"node\[number.*\{(.*)\};", line))]
    assert sorted(found) == sorted(shown)


def test_ticks_part_what_happens_in_lamports_order() -> None:
    lines = drawn(diagram(*CHAIN, clocks="lamport", ticks=True))
    assert [line for line in lines if "clock tick" in line] == [
        rf"\draw[clock tick] ([yshift=0.3cm]{a},0) -- ({a},0) -- ({b},1) -- ({c},2) -- ([yshift=-0.3cm]{c},2);"
        for a, b, c in (("2.4", "1.3333", "1.6"), ("3.8", "2.5", "2.4"), ("5.2", "4.6667", "3.2"))
    ]


@pytest.mark.parametrize(("at", "consistent", "style"), [([0, 3, 3], False, "inconsistent cut"), (3, True, "cut line")])
def test_cuts(at: object, consistent: bool, style: str) -> None:
    lines = drawn(diagram(*CHAIN, cuts=[{"at": at, "consistent": consistent}]))
    assert sum(line.startswith(rf"\draw[{style}]") for line in lines) == 1


def test_a_frame_lies_around_the_frames_in_it() -> None:
    inner = {"start": 2, "end": 3, "lifelines": ["a", "b"], "label": "opt"}
    outer = {"start": 1, "end": 4, "lifelines": ["a", "b"], "label": "loop", "color": "otblue"}
    lines = [line for line in drawn(diagram(regions=[inner, outer])) if "region=" in line]
    assert [line.partition("]")[0] for line in lines] == [r"\draw[filled region=otblue", r"\draw[region=otgray"]
    above = [float(re.search(r"yshift=([\d.]+)cm\]\d,0", line)[1]) for line in lines]  # type: ignore[index]
    below = [float(re.search(r"yshift=-([\d.]+)cm\]\d,1", line)[1]) for line in lines]  # type: ignore[index]
    assert above[0] > above[1] + 0.2  # room for its tab
    assert below[0] > below[1]


@pytest.mark.parametrize("direction", ["right", "down"])
def test_cases_separators_and_notes(direction: str) -> None:
    region = {"start": 1, "end": 5, "label": "alt", "guard": "[x]", "cases": [{"time": 3, "guard": "[else]"}]}
    more = {"separators": [{"time": 6, "label": "then"}], "notes": [{"lifeline": "b", "time": 7, "text": "note"}]}
    lines = drawn(diagram(regions=[region], direction=direction, **more))
    styles = ("region=", "region case=", "region tab=", "separator]", "boxed note")
    assert [sum(style in line for line in lines) for style in styles] == [1, 1, 1, 1, 1]
    assert sum("regiononecaseone" in line or "regiononeguard" in line for line in lines) == 2


def test_a_note_that_finds_no_paper_stands_over_lines_and_is_told() -> None:
    every = [Message(source="a", target="b", sent=n / 4, travel=1, label="w" * 9) for n in range(24)]
    notes = [{"lifeline": "a", "time": 3, "text": "a text that is much too wide", "side": "below"}]
    tex = Figure(panels=[Panel(content=diagram(*every, notes=notes))]).tex()
    assert "boxed note" in tex
    assert judge_figure("fig", tex, None, Cache(None)).findings


@pytest.mark.parametrize("after", ["dotted", "none"])
def test_a_crashed_lifeline_ends_at_a_cross(after: str) -> None:
    crashed = [{"id": "a", "label": "A", "crash": 3, "after": after}, {"id": "b"}]
    lines = drawn(diagram(lifelines=crashed))
    assert r"\draw[life line=otgray] (a.east) -- (3,0);" in lines
    assert sole(lines, "a-crash") == r"\node[crash sign] (a-crash) at (3,0) {};"
    assert any(line.startswith(r"\draw[crashed line") for line in lines) == (after == "dotted")


def test_texts_are_upright_where_time_runs_down() -> None:
    said = Message(source="a", target="b", sent=1, label="hello"), Message(source="b", target="b", sent=3, label="loop")
    lines = drawn(diagram(*said, direction="down", time="time"))
    assert not any("rotate" in line or "along" in line or "sloped" in line for line in lines)


def test_labels_of_lifelines_stand_on_one_baseline() -> None:
    ends = [{"id": "a", "label": "ace"}, {"id": "b", "label": "gypsy"}, {"id": "c", "label": "two\nlines"}]
    heads = [line for line in drawn(diagram(lifelines=ends, direction="down")) if "life head" in line]
    sizes = {re.search(r"text height=[\d.]+cm, text depth=[\d.]+cm", line)[0] for line in heads}  # type: ignore[index]
    places = {re.search(r"anchor=south\] \(.\) at \(\[yshift=0.12cm\]0,\d\)", line) is not None for line in heads}
    assert (len(heads), len(sizes), places) == (3, 1, {True})


def test_one_lifeline_and_none_that_says_anything() -> None:
    assert r"coordinate (x);" in Figure(panels=[Panel(content=SpaceTime(lifelines=[Lifeline(id="x", label="")]))]).tex()


@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("many", [1, 3, 8])
def test_it_fits_a_column(many: int, direction: str) -> None:
    ends = [Lifeline(id=f"w{k}", label=f"W{k}") for k in range(many)]
    said = [Message(source=f"w{k}", target=f"w{k + 1}", sent=k, label="go") for k in range(many - 1)]
    part = SpaceTime(lifelines=ends, messages=said, direction=direction)  # type: ignore[arg-type]
    scene = Figure(panels=[Panel(content=part)], width=8.4).tex()
    values = dict(re.findall(r"\\def\\(timeunit|lifelinesep)\{([\d.]+)\}", scene))
    right, left = (float(values["timeunit"]) * max(many - 1, 0), float(values["lifelinesep"]) * (many - 1))
    assert (right if direction == "right" else left) < 8.4


@pytest.mark.slow
def test_four_hundred_messages_fit_a_page_in_time() -> None:
    ends = [Lifeline(id=f"w{k}", label=f"W{k}") for k in range(8)]
    said = [
        Message(source=f"w{k % 8}", target=f"w{(k * 3 + 1) % 8}", sent=Fraction(k, 4), label=f"m{k}")
        for k in range(400)
    ]
    start = process_time()
    tex = Figure(panels=[Panel(content=SpaceTime(lifelines=ends, messages=said))], width=17.8).tex()
    assert process_time() - start < 8  # it takes one: it took twenty when places were chosen for every try of a width
    right = re.search(r"rectangle \(\{([\d.]+)\*\\timeunit\+([\d.]+)\}", tex)
    left = re.search(r"\\path \((-[\d.]+),", tex)
    unit = re.search(r"\\def\\timeunit\{([\d.]+)\}", tex)
    assert right and left and unit
    assert float(right[1]) * float(unit[1]) + float(right[2]) - float(left[1]) <= 17.8


def test_what_cannot_fit_says_what_would() -> None:
    wide = diagram(lifelines=[{"id": f"w{k}", "label": "a very long label"} for k in range(8)], direction="down")
    with pytest.raises(SpecError, match=r"does not fit 8.4 cm: at 6 pt it needs .*a width of"):
        Figure(panels=[Panel(content=wide)], width=8.4).tex()


@pytest.mark.tex
@pytest.mark.parametrize("more", ["", "direction: down", "palette: dark"])
def test_texts_lie_on_nothing(more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = EXAMPLE.read_text(encoding="utf-8")
    if more.startswith("direction"):
        text = text.replace("type: spacetime", f"type: spacetime\n    {more}")
    else:
        text += more + "\n"
    Path("a.yaml").write_text(text, encoding="utf-8")
    assert run("render", "a.yaml", "-o", "a.tex").status == 0
    done = run("check", "--geometry", "a.tex")
    assert (done.status, done.out) == (0, "")


FRAMES_IN_FRAMES = """
panels:
- content:
    type: spacetime
    direction: down
    lifelines: [{id: u, label: User}, {id: a, label: Agent}, {id: t, label: Tool server}, {id: m, label: Memory}]
    messages:
    - {source: u, target: a, sent: 0, label: task}
    - {source: a, target: t, sent: 3, label: call}
    - {source: t, target: a, sent: 5, label: result, reply: true}
    - {source: t, target: a, sent: 15/2, label: error, reply: true}
    - {source: a, target: m, sent: 19/2, label: remember}
    regions:
    - {start: 2, end: 23/2, lifelines: [a, t, m], label: loop, guard: "[until done]"}
    - {start: 5/2, end: 9, lifelines: [a, t], label: alt, guard: "[tool works]", cases: [{time: 13/2, guard: "[else]"}]}
width: 8.4
"""
NOTE_AT_A_CRASH = """
panels:
- content:
    type: spacetime
    direction: down
    lifelines: [{id: c, label: coordinator}, {id: a, label: worker, crash: 4}]
    messages: [{source: c, target: a, sent: 0, label: prepare}]
    notes: [{lifeline: a, time: 4, text: asks when it is back what was decided}]
    separators: [{time: 9/2, label: phase two}]
"""
TEXTS_AT_A_BAR = """
panels:
- content:
    type: spacetime
    time: time
    lifelines:
    - {id: cl, label: Client, color: otblue}
    - {id: fe, label: Front end, color: otteal}
    - {id: db, label: Database, color: otorange}
    messages:
    - {source: cl, target: fe, sent: 0, label: POST /order, asynchronous: true}
    - {source: fe, target: db, sent: 2, label: BEGIN}
    - {source: db, target: fe, sent: 4, label: lock granted, reply: true}
    - {source: fe, target: db, sent: 11/2, label: UPDATE stock}
    - {source: db, target: fe, sent: 15/2, label: deadlock, reply: true}
    - {source: fe, target: db, sent: 9, label: ROLLBACK, label_at: "on"}
    - {source: fe, target: cl, sent: 21/2, label: 409 Conflict, reply: true, lost: true}
    - {source: cl, target: cl, sent: 12, travel: 1, label: timeout}
    - {source: cl, target: fe, sent: 27/2, label: POST /order again}
    activations:
    - {lifeline: fe, start: 1, end: 21/2, label: transaction}
    - {lifeline: db, start: 3, end: 15/2}
    regions:
    - {start: 3/2, end: 10, lifelines: [fe, db], label: opt, guard: "[stock > 0]"}
"""


TWO_PROPOSERS = """
recipe: paxos
values: [A, B]
starts: [0, 1]
acceptors: 5
timeout: 4
crashes: [{id: a5, at: 2}]
"""
SPECS = {"frames": FRAMES_IN_FRAMES, "crash": NOTE_AT_A_CRASH, "bar": TEXTS_AT_A_BAR, "paxos": TWO_PROPOSERS}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS.keys())
def test_nothing_that_is_drawn_lies_on_a_text(spec: str) -> None:
    assert judge_figure("fig", loads(spec).tex(), None, Cache(None)).findings == ()


@settings(max_examples=scaled(300))
@given(spacetime_figures())
def test_every_message_has_its_points(figure: Figure) -> None:
    tex = figure.tex()
    for _, _, part in figure.parts(SpaceTime):
        for message, name in zip(part.messages, part.names(), strict=True):
            for target in message.targets:
                assert f"({name}-{target})" in tex if len(message.targets) > 1 else f"({name})" in tex


def test_two_panels_and_a_timeline_beside_it() -> None:
    timeline = "{type: timeline, lanes: [{id: g}], spans: [{lane: g, start: 0, duration: 4, label: F}]}"
    part = "{type: spacetime, lifelines: [{id: NAME}, {id: NAMEE}], messages: [{source: NAME, target: NAMEE, sent: 1}]}"
    one, other = part.replace("NAME", "x"), part.replace("NAME", "y")
    panels = f"- {{id: p, content: [{timeline}, {one}]}}\n- {{id: q, content: {other}}}\n"
    links = "links: [{source: p.g-compute1, target: p.x-m1}, {source: q.y, target: p.x}]\n"
    tex = loads(f"panels:\n{panels}{links}").tex()
    for name in ("p-x", "p-x-m1", "q-y-m1"):
        assert f"({name})" in tex
    assert tex.count(r"\begin{scope}") == 3


@pytest.mark.slow
def test_a_kind_has_a_model_a_drawing_sentences_and_templates() -> None:
    for name, model in ((kind, KINDS[kind]) for kind in KINDS):
        assert issubclass(model, Content)
        assert (ROOT / "templates" / f"{name}.tex.j2").exists()
        assert kind_of(model.model_construct(type=name))
    assert {part.type for example in EXAMPLES for _, _, part in load(example).parts(Content)} == {*KINDS}


@pytest.mark.parametrize("direction", ["right", "down"])
def test_texts_of_lines_that_are_close_do_not_touch(direction: str) -> None:
    lines = {"separators": [{"time": 4, "label": "commit"}], "cuts": [{"at": 3.8, "label": "snapshot"}]}
    lifelines = [{"id": "p", "label": "P"}, {"id": "q", "label": "Q"}]
    content = {"type": "spacetime", "direction": direction, "lifelines": lifelines, "until": 6, **lines}
    assert Figure.model_validate({"panels": [{"content": content}]}).check() == ()


NEAR_MESSAGES = {
    "crossing": [("a", "b", 0, 2), ("b", "a", 2, 2), ("a", "b", 3, 5), ("a", "b", 5, 1)],
    "close": [("b", "a", 0, 1), ("a", "b", 1, 1), ("b", "a", 3, 1), ("a", "b", 4, 1), ("b", "a", 12, 1)],
    "parallel": [("a", "c", time, 2) for time in range(5)],
    "past others": [("a", "c", 0, 1), ("c", "a", 0, 1), ("b", "a", 1, 1), ("a", "b", 1, 2), ("c", "a", 2, 1)],
}


@pytest.mark.parametrize("width", [None, 8.4])
@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("messages", NEAR_MESSAGES.values(), ids=list(NEAR_MESSAGES))
def test_each_label_is_nearest_to_its_own_message(
    messages: list[tuple[str, str, float, float]], direction: str, width: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}

    def place_texts(facts: SpacetimeFacts, *others: Any) -> dict[str, PlacedText]:
        found.update(facts=facts, texts=spacetime_texts.place_texts(facts, *others))
        return found["texts"]

    monkeypatch.setattr(place_spacetime, "place_texts", place_texts)
    part = diagram(
        *(
            Message(source=one, target=other, sent=Fraction(sent), travel=Fraction(travel), label=f"token ({number})")
            for number, (one, other, sent, travel) in enumerate(messages)
        ),
        direction=direction,
        until=None,
    )
    Figure(panels=[Panel(content=part)], width=width).tex()
    lines = {track.name: route_message(found["facts"], track.turns) for track in iterate_tracks(found["facts"])}
    assert len(found["texts"]) == len(messages)
    for name, text in found["texts"].items():
        (left, near, right, far) = text.box
        corners = [(left, near), (right, near), (right, far), (left, far)]
        gaps = {line: measure_gap_to_lines(corners, [points])[0] for line, points in lines.items()}
        assert min(gaps, key=lambda line: gaps[line]) == name, gaps
