"""What a span is on paper: its number, its shade, its halves, its marks, and when it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from conftest import ENGINES, ROOT
from folded import unfold
from jsonschema import Draft202012Validator
from opentikz import SCHEMA
from papers import Paper, text_of, typeset
from pictures.goldens import body_of

from tikzgen import Figure, load, loads, render
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.output.write_pdf import to_pdf
from tikzgen.compile.paper.figure_preamble import preamble_of
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.layout import layout
from tikzgen.layout.scene.fates import notes_on
from tikzgen.layout.scene.items import Item, LegendItem, ScopeItem
from tikzgen.layout.scene.scene import Scene
from tikzgen.layout.time.cell_texts import make_macro_body
from tikzgen.layout.timeline.timeline_items import NumberItem, SpanItem
from tikzgen.model.looks.phase_and_flow_looks import PHASES, Phase
from tikzgen.schedule import pipeline
from tikzgen.text import fill_number

CASES = sorted((ROOT / "tests" / "cases" / "timelines").glob("*.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case_is_rendered_as_reviewed(case: Path, golden: Callable[[Path, str], None]) -> None:
    rendered = render(load(case))
    golden(case.with_suffix(".tex"), body_of(rendered.tex))
    Draft202012Validator(SCHEMA).validate(rendered.metadata)


@pytest.mark.tex
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case_compiles(case: Path) -> None:
    done = compile_tex(load(case).tex(), engine="pdflatex")
    assert not lost_characters(done.log)


# ---- overlays ----

TALK = r"""
\documentclass{beamer}
\input{preamble}
\begin{document}
\begin{frame}
  \input{cells}
\end{frame}
\end{document}
"""


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
def test_a_talk_shows_spans_one_after_the_other(tmp_path: Path, engine: str) -> None:
    from command import run

    (tmp_path / "cells.tex").write_text(load(CASES[0].with_name("cells.yaml")).tex(), "utf-8")
    printed = run("preamble", str(tmp_path / "cells.tex"))
    assert printed.status == 0, printed.err
    (tmp_path / "preamble.tex").write_text(printed.out, "utf-8")
    talk = typeset(tmp_path, "talk", TALK.lstrip(), engine=engine)
    pages = [_page_text(talk, number) for number in (1, 2, 3)]
    assert len(talk.pages()) == 3
    assert ["反向传播" in page for page in pages] == [False, True, True]
    assert ["grad" in page.replace("gradients", "") for page in pages] == [False, False, True]
    assert all("all-reduce" in page for page in pages)
    sizes = {(page.width, page.height) for page in talk.pages()}
    assert len(sizes) == 1


def _page_text(paper: Paper, number: int) -> str:
    with pypdfium2.PdfDocument(paper.pdf) as pdf, pypdfium2.PdfDocument.new() as one:
        one.import_pages(pdf, [number - 1])
        path = paper.pdf.with_name(f"page{number}.pdf")
        one.save(path)
    return text_of(Paper("", path))


@pytest.mark.tex
def test_outside_a_talk_everything_is_shown(tmp_path: Path) -> None:
    case = CASES[0].with_name("cells.yaml")
    shown = text_of(typeset(tmp_path, "cells", load(case).tex()))
    assert "反向传播" in shown
    assert "grad" in shown


# ---- numbers ----


def bars(items: tuple[Item, ...]) -> list[SpanItem]:
    found: list[SpanItem] = []
    for item in items:
        found += bars(item.items) if isinstance(item, ScopeItem) else [item] if isinstance(item, SpanItem) else []
    return found


def inside(scene: Scene, kind: type[Any]) -> list[Any]:
    """All items of a kind, in scopes or not."""
    flat = [inner for item in scene.items for inner in (item.items if isinstance(item, ScopeItem) else (item,))]
    return [item for item in flat if isinstance(item, kind)]


def schedule(devices: int, microbatches: int, width: float | None, **facts: Any) -> Figure:
    """1F1B with a backward of two units."""
    planned = pipeline("1f1b", devices, microbatches, backward=2)
    spans = [
        {
            "lane": f"d{operation.lanes[0].device}",
            "start": planned.start(index),
            "duration": operation.duration,
            "phase": "forward" if operation.tasks[0].kind == "F" else "backward",
            "number": operation.tasks[0].microbatch + 1,
        }
        for index, operation in enumerate(planned.program.operations)
    ]
    lanes = [{"id": f"d{device}", "label": f"GPU {device}"} for device in range(devices)]
    timeline = {"type": "timeline", "lanes": lanes, "spans": spans, **facts}
    return Figure.model_validate({"panels": [{"content": timeline}], "width": width})


@pytest.mark.parametrize(
    ("cell", "body"),
    [
        ("{n}", "#1"),
        ("F{n}", "F#1"),
        ("$b_{n}$", "$b_{#1}$"),
        ("{n} %", r"#1 \%"),
        ("$x^{n}_{n}$", "$x^{#1}_{#1}$"),
        ("x", "x"),
    ],
)
def test_the_format_of_a_number_becomes_a_macro(cell: str, body: str) -> None:
    assert make_macro_body(cell) == body


def test_an_index_of_two_digits_keeps_them_together() -> None:
    assert fill_number("$b_{n}$", 12) == "$b_{12}$"


@pytest.mark.parametrize("direction", ["right", "up", "down"])
@pytest.mark.parametrize("width", [None, 8.4])
def test_all_numbers_of_a_phase_have_one_size_and_all_or_none_stand(direction: str, width: float | None) -> None:
    scene = layout(schedule(4, 12, width, direction=direction), {})
    for phase in ("forward", "backward"):
        cells = [bar for bar in bars(scene.items) if bar.phase == phase]
        assert len(cells) == 48
        assert len({(bar.said.size, bool(bar.said.number)) for bar in cells}) == 1


def test_each_panel_and_each_class_of_cells_decides_on_its_numbers() -> None:
    """The cells of 1F1B have room; of the interleaved schedule, only those of the backward, which are twice as long."""
    two = "recipe: pipeline\nschedule: [1f1b, interleaved-1f1b]\ndevices: 4\nmicrobatches: 8\nwidth: 8.4\n"
    scene = layout(loads(two), {})
    numbered: dict[tuple[str, str], set[bool]] = {}
    for bar in bars(scene.items):
        if not bar.idle:
            numbered.setdefault((bar.name.partition("-gpu")[0], bar.phase), set()).add(bool(bar.said.number))
    assert len(numbered) == 3, "the other forward cells are runs"
    assert all(found == {True} for found in numbered.values())
    [told] = [note for note in notes_on(scene.fates) if "numbers" in note]
    assert told == ("the numbers of 64 forward spans do not fit and are left out (1 mm; width: 13.1 shows them)")


def test_cells_of_many_lengths_have_one_note_with_the_width_that_shows_all() -> None:
    lengths = [f"{10 + place}/100" for place in range(60)]
    spans = [
        {"start": 2 * place, "duration": length, "phase": "forward", "number": place * 7 % 13}
        for place, length in enumerate(lengths)
    ]
    figure = one_lane(*spans)
    narrow = layout(figure.model_copy(update={"width": 8.4}), {})
    [told] = [note for note in notes_on(narrow.fates) if "numbers" in note]
    assert told == (
        "the numbers of 60 forward spans do not fit and are left out (0.065 to 0.45 mm; width: 241.4 shows them)"
    )


def test_a_stated_tint_is_drawn_even_if_labels_on_it_have_little_contrast() -> None:
    figure = one_lane({"start": 0, "duration": 1, "phase": "forward"})
    looks = layout(figure.model_copy(update={"phases": {"forward": Phase(color="otblue", tint=62)}}), {}).styles
    assert [style.look.tint for style in looks if style.name == "forward phase"] == [62]


@pytest.mark.parametrize(("devices", "microbatches", "width"), [(8, 32, 8.4), (16, 64, 17.8)])
def test_cells_too_narrow_for_numbers_are_counted_beside_the_first_lane(
    devices: int, microbatches: int, width: float
) -> None:
    scene = layout(schedule(devices, microbatches, width), {})
    assert not any(bar.said.number for bar in bars(scene.items))
    numerals = inside(scene, NumberItem)
    counted = [int(numeral.number) for numeral in numerals]
    every = counted[1] - counted[0]
    assert counted == list(range(1, microbatches + 1, every))
    assert microbatches % every == 0
    entries = [entry for key in inside(scene, LegendItem) for entry in key.entries]
    assert [entry.name for entry in entries] == ["forward", "backward", f"bands{every}"]
    assert [len(entry.swatches) for entry in entries] == [2, 2, 0]
    unit = next(float(p.value) for p in scene.parameters if p.name == "timeunit")
    places = [float(numeral.start) * unit for numeral in numerals]
    assert min(after - before for before, after in pairwise(places)) > 0.2


def test_the_shade_changes_where_a_number_stands() -> None:
    scene = layout(schedule(8, 32, 17.8), {})
    changes = {int(numeral.number) for numeral in inside(scene, NumberItem)}
    for phase in ("forward", "backward"):
        for lane in range(8):
            shades = [bar.chunk for bar in bars(scene.items) if bar.lane == lane and bar.phase == phase]
            assert len(shades) == 32
            assert {1} | {place + 2 for place, (one, two) in enumerate(pairwise(shades)) if one != two} == changes


def test_hundreds_of_cells_share_one_macro() -> None:
    tex = schedule(4, 12, None).tex()
    assert tex.count("\\def\\forwardcell#1{#1}% number in the forward spans: #1 is the number\n") == 1
    assert tex.count("{\\forwardcell{") == 48


# ---- shades, halves, marks ----


def one_lane(*spans: dict[str, Any], **facts: Any) -> Figure:
    timeline = {"type": "timeline", "lanes": [{"id": "a"}], "spans": [{"lane": "a", **span} for span in spans], **facts}
    return Figure.model_validate({"panels": [{"content": timeline}]})


@pytest.mark.parametrize("many", [2, 3, 4, 8, 16])
def test_texts_are_readable_on_every_shade(many: int) -> None:
    phases = [name for name in PHASES if name != "idle"]
    for phase in phases:
        figure = one_lane(*({"start": chunk, "duration": 1, "phase": phase, "chunk": chunk} for chunk in range(many)))
        looks = [style.look for style in layout(figure, {}).styles if isinstance(style.look, Phase)]
        tints = [look.tint for look in looks]
        assert len(tints) == many
        assert tints == sorted(tints)
        assert len(set(tints)) >= min(many, 8)
        assert min(look.contrast(look.text) for look in looks) >= 4.5, (phase, tints)


def test_styles_are_there_for_the_shades_in_use_only() -> None:
    spans = ({"start": chunk, "duration": 1, "phase": "forward", "chunk": chunk} for chunk in (0, 3))
    names = [style.name for style in layout(one_lane(*spans), {}).styles if style.kind == "phase"]
    assert names == ["forward phase", "forward shade 3"]


def test_a_fused_cell_is_one_node_in_one_line() -> None:
    half = {"phase": "backward", "number": 2, "share": "2/3"}
    tex = one_lane({"start": 1, "duration": 3, "phase": "forward", "number": 7, "second": half}).tex()
    [line] = [line for line in unfold(tex).splitlines() if "(a-forward1)" in line]
    assert line.count("\\forwardcell{7}") == line.count("\\backwardcell{2}") == 1
    assert "fused={3}{0.6667}, shift={(1,0)}" in line


def test_a_fault_says_why_above_its_line() -> None:
    rendered = render(one_lane({"start": 0, "duration": 2, "fault": "starts\nbefore 50% \\end{document}"}))
    lines = unfold(rendered.tex).splitlines()
    [at] = [number for number, line in enumerate(lines) if "(a-compute1)" in line]
    assert lines[at - 1].strip() == "% starts before 50% \\end{document}"
    assert "\\def\\invalidlabel{invalid}%" in rendered.tex
    preamble_of(rendered.tex, "figure.tex")


def test_bubbles_have_names_causes_and_stand_behind_the_spans() -> None:
    bubbles = [{"lane": "a", "start": 0, "end": 1, "cause": "F3"}, {"lane": "a", "start": 2, "end": 3, "label": "idle"}]
    tex = one_lane({"start": 1, "duration": 1, "phase": "forward"}, bubbles=bubbles).tex()
    names = re.findall(r"\] \((a-[a-z0-9]+)\) at", tex)
    assert names == ["a-bubble1", "a-bubble2", "a-forward1"]
    assert re.search(r"\(a-bubble1\) at .*; % F3\n", tex)
    assert re.findall(r"\(legend-([a-z]+)\)", tex) == ["forward", "idle"]


def test_what_is_emphasised_is_drawn_last() -> None:
    spans = [{"start": start, "duration": 1, "phase": "forward"} for start in range(3)]
    tex = one_lane(*spans, critical=["a-forward1"]).tex()
    assert re.findall(r"\((a-forward\d)\) at", tex) == ["a-forward2", "a-forward3", "a-forward1"]


def test_a_label_that_fits_nowhere_stands_beside_the_lanes() -> None:
    figure = Figure.model_validate(
        {
            "width": 8.4,
            "panels": [
                {
                    "content": {
                        "type": "timeline",
                        "lanes": [{"id": "a"}],
                        "spans": [
                            {"lane": "a", "start": 0, "duration": 1, "label": "optimizer step"},
                            {"lane": "a", "start": 1, "duration": 19},
                        ],
                    }
                }
            ],
        }
    )
    drawn = figure.tex().partition("% --- figure ---")[2]
    assert "{\\acomputeonetext}" in drawn or "{\\computetext}" in drawn
    [bar] = [bar for bar in bars(layout(figure, {}).items) if bar.start == "0"]
    assert bar.said.macro == ""


def test_the_contract_of_a_schedule() -> None:
    contract = render(load(CASES[0].with_name("chunks.yaml"))).metadata["edit_contract"]
    found = [operation["id"] for operation in contract["operations"]]
    assert {"rename-node", "change-spacing", "add-lane", "set-span", "add-span", "remove-span", "recolor"} <= set(found)
    assert {"set-chunk", "set-cell", "add-worker", "add-message"}.isdisjoint(found), "set-span sets what a span shows"
    kinds = {parameter["name"]: parameter["type"] for parameter in contract["parameters"]}
    assert kinds["\\forwardcell"] == "text-of-number"
    assert {"\\timeunit", "\\laneheight", "\\lanesep"} <= kinds.keys()
    assert "<lane>-bubble<k>" in contract["node_naming"]
    assert not any("\\node" in operation["summary"] for operation in contract["operations"])


def test_paper_parts_sharp_cells_on_screens_too() -> None:
    spec = "recipe: local-sgd\nworkers: 8\nlocal_steps: [8]\nwidth: 8.4\nstyle: plain\nphases: {step: {cell: ''}}\n"
    page = pypdfium2.PdfDocument(to_pdf(draw(loads(spec).tex())))[0]
    image = page.render(scale=100 / 72, grayscale=True)
    rows = [list(image.buffer[at : at + image.width]) for at in range(0, image.stride * image.height, image.stride)]
    cells = [row for row in rows if sum(105 < shade < 130 for shade in row) > 150]
    assert len(cells) > 80
    for row in cells:
        gaps = sum(light - dark > 30 for dark, light in pairwise(row))
        assert gaps >= 7, "between eight steps"


def test_idle_time_has_an_edge_in_the_legend_only() -> None:
    """Without it nobody would see its swatch on paper."""
    tex = loads("recipe: pipeline\ndevices: 2\nmicrobatches: 2\n").tex()
    edged = [line for line in tex.splitlines() if ", pale," in line]
    assert [name in line for line, name in zip(edged, ["(legend-idle)"], strict=True)] == [True]


@pytest.mark.parametrize(
    ("width", "label", "turned"), [(8.4, "GPU {n}", True), (17.8, "GPU {n}", False), (8.4, "$G_{{n}}$ here", False)]
)
def test_labels_of_brackets_are_turned_where_that_saves_much(width: float, label: str, turned: bool) -> None:
    tex = loads(f"recipe: ddp\nwidth: {width}\nlabels: {{device: '{label}'}}\n").tex()
    assert ("rotate=90" in tex) == turned
