"""What comes up on which slide: each `tests/cases/slides/NAME.yaml` says it of some elements in its last comments."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from command import run
from conftest import ROOT, some
from folded import unfold
from hypothesis import given
from hypothesis import strategies as st
from papers import typeset
from pypdfium2 import PdfDocument

from tikzgen import Figure, load, loads, recipes, render
from tikzgen.base.errors import SpecError
from tikzgen.compile.make_formats import slides_of, with_pages
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.recipe.recipe_names import NAMES, NEEDS

CASES = sorted((ROOT / "tests" / "cases" / "slides").glob("*.yaml"))


def lines(tex: str) -> Iterator[tuple[str, int]]:
    """Each line of the picture with the slide from which it is shown."""
    scopes: list[int] = []
    for line in unfold(tex).partition("\n  \\ifcsname lxSVG")[2].partition("\\end{tikzpicture}")[0].splitlines():
        own = max((int(found) for found in re.findall(r"from slide=(\d+)", line)), default=1)
        if line.strip() == r"\end{scope}":
            scopes.pop()
        elif r"\begin{scope}" in line:
            scopes.append(own)
        else:
            yield line.strip(), max([own, *scopes])


def slide(tex: str, what: str) -> int:
    """The slide of the line with a node, a text's macro, or other words."""
    pattern = rf"{re.escape(what)}(?![A-Za-z])" if what.startswith("\\") else rf"\({re.escape(what)}\)"
    if what.startswith('"'):
        pattern = re.escape(what.strip('"'))
    found = {shown for line, shown in lines(tex) if re.search(pattern, line)}
    drawn = min(found, default=0)
    assert drawn, f"{what} is not drawn"
    return drawn


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_everything_comes_up_when_it_is_known(case: Path) -> None:
    tex = render(load(case)).tex
    said = re.findall(r"^# (\S+|\".*\"): (\d+)$", case.read_text("utf-8"), re.MULTILINE)
    assert said
    assert {what: slide(tex, what) for what, _ in said} == {what: int(number) for what, number in said}


@given(st.data())
def test_a_slide_depends_on_nothing_later(data: st.DataObject) -> None:
    """Whatever is done to what begins at the turn, the slide before it stays the same, line by line."""
    steps = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), min_size=3, max_size=6))
    turn = data.draw(st.integers(1, len(steps) - 1))
    kinds = st.sampled_from(["forward", "backward", "update"])
    both: list[str] = []
    early = data.draw(st.lists(kinds, min_size=turn, max_size=turn))
    for _ in range(2):
        late = data.draw(st.lists(kinds, min_size=len(steps) - turn, max_size=len(steps) - turn))
        spans, at, starts = [], 0, []
        for (gap, long), phase in zip(steps, [*early, *late], strict=True):
            own = {"id": f"s{len(spans)}", "lane": "a", "start": at + gap, "duration": long, "phase": phase}
            spans.append(own | {"number": len(spans)})
            starts.append(at + gap)
            at += gap + long
        bubbles = [
            {"lane": "a", "start": one["start"] + one["duration"], "end": other["start"]}
            for one, other in pairwise(spans)
            if one["start"] + one["duration"] < other["start"]
        ]
        part = {"type": "timeline", "lanes": [{"id": "a", "label": "lane"}], "spans": spans, "bubbles": bubbles}
        figure = Figure.model_validate(
            {
                "panels": [{"content": {**part, "summary": "10" if both else "01"}}],
                "slides": {"by": "time", "at": [starts[turn]]},
                "legend": {"position": "none"},
            }
        )
        shown = [line for line, number in lines(render(figure).tex) if number == 1 and not line.startswith("%")]
        both.append("\n".join(shown))
    assert both[0] == both[1]
    assert "s0" in both[0]
    assert f"s{turn}" not in both[0]


def test_legend_entries_appear_with_their_step_or_the_first_flow_of_their_kind() -> None:
    steps = enumerate((("a", "b", "data"), ("b", "c", "control"), ("c", "a", "data")), 1)
    flows = [{"source": one, "target": other, "kind": kind, "step": step} for step, (one, other, kind) in steps]
    part = {"type": "topology", "nodes": [{"id": name, "label": name} for name in "abc"], "flows": flows}
    texts = {"1": "ask", "2": "allow", "3": "answer", "data": "messages", "control": "permits"}
    figure = Figure.model_validate(
        {"panels": [{"content": part}], "slides": "flows", "legend": {"of": ["steps", "kinds"], "texts": texts}}
    )
    tex = figure.tex()
    names = ("onestep", "twostep", "threestep", "datakind", "controlkind")
    assert [slide(tex, f"legend-{name}-text") for name in names] == [2, 3, 4, 2, 3]


@pytest.mark.parametrize("slides", ["time", "microbatch"])
def test_spans_come_in_order(slides: str) -> None:
    figure = recipes.pipeline(slides=slides)
    tex, (_, _, part) = figure.tex(), next(figure.parts(Timeline))
    shown = {name: slide(tex, name) for name in part.names()}
    order = [span.start if slides == "time" else span.number for span in part.spans]
    ranks = {moment: place for place, moment in enumerate(sorted(set(order)), 1)}
    assert list(shown.values()) == [ranks[moment] for moment in order]


def test_edits_keep_slides(tmp_path: Path) -> None:
    figure = load(CASES[0].with_stem("groups"))
    made = Figure.model_validate({**figure.__dict__, "title": "A talk"})
    assert slide(made.tex(), "b") == 2
    path = figure.save(tmp_path / "figure.tex")
    assert run("edit", str(path), "set", "atobdatalabel=please ask").status == 0
    edited = load(path)
    assert "please ask" in path.read_text("utf-8")
    assert edited.slides == figure.slides
    assert edited.tex() == path.read_text("utf-8")


BROKEN = {
    "slides: flows\nrecipe: pipeline\n": "no flow has a step, by which slides could go",
    "slides: panels\nrecipe: pipeline\n": "there is one panel, by which slides could go",
    "slides: time\nrecipe: all-reduce\n": "no timeline has spans, by which slides could go",
    "slides: {groups: {one: [gpu9]}}\nrecipe: ring-all-reduce\n": 'unknown node "gpu9"',
    "slides: {by: time, at: [3, 1]}\nrecipe: pipeline\n": "must be increasing times",
    "slides: {by: panels, at: [3]}\nrecipe: pipeline\n": 'only slides by: time have "at"',
    "slides: {groups: {one: [w1], two: [w1]}}\nrecipe: data-parallel\n": '"w1" already appears with "one"',
    "slides: groups\nrecipe: data-parallel\n": "needs groups",
    "slides: microbatch\nrecipe: pipeline\ndevices: 16\nmicrobatches: 64\nwidth: 12\n": "by microbatch needs fewer",
}


@pytest.mark.parametrize("spec", BROKEN)
def test_slides_that_cannot_be_are_refused(spec: str) -> None:
    with pytest.raises(Exception, match=re.escape(BROKEN[spec])):
        loads(spec).tex()


def test_many_spans_come_up_in_rows() -> None:
    tex = recipes.pipeline(devices=16, microbatches=32, slides={"by": "time", "at": [20, 60]}).tex()
    assert slides_of(tex) == 3
    rows = [(float(line.split()[1].split(",")[0]), shown) for line, shown in lines(tex) if line.startswith("\\row ")]
    assert len(rows) > 100
    # bubbles come up when they are over
    assert all(1 + (start >= 20) + (start >= 60) <= shown for start, shown in rows)
    assert {shown for start, shown in rows if start < 2} == {1}


@pytest.mark.tex
def test_pages_and_overlays_show_the_same(tmp_path: Path) -> None:
    """The pages of the PDF, and Beamer's, are of one size and hold the texts of their slides alone."""
    tex = load(CASES[0].with_stem("groups")).tex()
    (tmp_path / "figure.tex").write_text(tex, "utf-8")
    beamer = r"""\documentclass{beamer}\usepackage{standalone}\usepackage{tikz}
\usetikzlibrary{arrows.meta,backgrounds,fit,positioning}
\begin{document}\begin{frame}\input{figure}\end{frame}\end{document}"""
    texts = []
    for name, source in (("pages", with_pages(tex)), ("talk", beamer)):
        found = typeset(tmp_path, name, source)
        sizes = {(page.width, page.height) for page in found.pages()}
        assert (len(found.pages()), len(sizes)) == (3, 1)
        pages = subprocess.run(["pdftotext", "-raw", found.pdf, "-"], capture_output=True, check=True).stdout.decode()
        texts.append([set(page.split()) & {"client", "server", "rack", "ask", "idle"} for page in pages.split("\f")])
    assert texts[0] == texts[1]
    asked = {"client", "server", "rack", "ask"}
    assert texts[0][:3] == [{"client"}, asked, asked | {"idle"}]


def test_slides_are_pages_and_pictures_without_tex(tmp_path: Path) -> None:
    """Pages of one size, each with more than the one before it; and a PNG of each beside that of all."""
    shutil.copy(CASES[0].with_stem("flows"), tmp_path / "fig.yaml")
    assert run("build", str(tmp_path / "fig.yaml"), "-f", "pdf,png", "--engine", "none").status == 0
    assert {path.name for path in tmp_path.glob("*.png")} == {"fig.png", "fig-1.png", "fig-2.png", "fig-3.png"}
    pages = list(PdfDocument(tmp_path / "fig.pdf"))
    things = [len(list(page.get_objects())) for page in pages]
    assert len({page.get_size() for page in pages}) == 1
    assert len(things) == 3 and things == sorted(set(things))


@pytest.mark.tex
def test_pictures_of_slides_have_numbers(tmp_path: Path) -> None:
    """Each slide is a picture of its own, of one size, beside the picture of all."""
    shutil.copy(CASES[0].with_stem("flows"), tmp_path / "fig.yaml")
    assert run("build", str(tmp_path / "fig.yaml"), "-f", "pdf,svg").status == 0
    pictures = [tmp_path / f"fig{end}.svg" for end in ("-1", "-2", "-3")]
    every = tmp_path / "fig-steps.svg"
    assert sorted(tmp_path.glob("fig*.svg")) == sorted([*pictures, every, tmp_path / "fig.svg"])
    assert "<script>" in every.read_text("utf-8")  # what it does is seen in `test_animated_svg.py`
    sizes = {re.findall(r'<svg[^>]* (width="[^"]+" height="[^"]+")', each.read_text("utf-8"))[0] for each in pictures}
    assert len(sizes) == 1
    marks = [each.read_text("utf-8").count("<use") + each.read_text("utf-8").count("<path") for each in pictures]
    assert marks == sorted(set(marks)), "each shows more than the one before it"


RACK = """slides: {groups}
panels:
- content:
    type: topology
    nodes:
    - {{kind: node, id: a, label: client}}
    - {{kind: server, id: b, label: "{server}", state: "{state}"}}
    - {{kind: node, id: c, label: store}}
    flows:
    - {{source: a, target: c, label: always}}
    - {{source: a, target: b, label: "{ask}", kind: {kind}, step: 2}}
"""
PANELS = """recipe: pipeline
schedule: [gpipe, {schedule}]
devices: 4
microbatches: 4
slides: panels
"""
LATER: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "flows": (
        RACK,
        {"groups": "flows", "server": "PS", "state": "normal", "ask": "put", "kind": "push"},
        {"groups": "flows", "server": "PS", "state": "normal", "ask": "get", "kind": "fetch"},
    ),
    "groups": (
        RACK,
        {
            "groups": "{groups: {client: [a], rest: [b]}}",
            "server": "PS",
            "state": "normal",
            "ask": "put",
            "kind": "push",
        },
        {
            "groups": "{groups: {client: [a], rest: [b]}}",
            "server": "FS",
            "state": "failed",
            "ask": "get",
            "kind": "fetch",
        },
    ),
    "panels": (PANELS, {"schedule": "1f1b"}, {"schedule": "zb-h1"}),
}
_PLACE = re.compile(r" at \(.*?\) (?=\{)|-?\d+(?:\.\d+)?")


def first_slide(spec: str) -> list[str]:
    """What the first slide shows, with its texts, wherever that stands."""
    tex = loads(spec).tex()
    words = dict(re.findall(r"^\\def(\\\w+)\{(.*)\}%", tex, re.MULTILINE))
    shown = [line for line, number in lines(tex) if number == 1 and not line.startswith("%")]
    return [_PLACE.sub(" ", re.sub(r"\\[a-z]+", lambda found: words.get(found[0], found[0]), line)) for line in shown]


@pytest.mark.parametrize("by", LATER)
def test_the_first_slide_tells_nothing_of_what_comes_later(by: str) -> None:
    """Only places may follow from it: nothing moves from slide to slide."""
    spec, *both = LATER[by]
    one, other = (first_slide(spec.format(**facts)) for facts in both)
    assert one == other != []


@pytest.mark.parametrize("recipe", some(name for name in NAMES if name not in NEEDS))
def test_titles_stand_over_talks_and_where_they_are_asked_for(recipe: str) -> None:
    def has_title(more: str) -> bool:
        return r"{\titlelabel}" in loads(f"recipe: {recipe}\nmeta: {{name: A name}}\n{more}").tex()

    assert [has_title(more) for more in ("", "title: true\n", "title: Another\n")] == [False, True, True]
    try:
        in_talk = [has_title(f"slides: time\n{more}") for more in ("", "title: false\n")]
    except SpecError as refused:
        assert "by which slides could go" in str(refused)
    else:
        assert in_talk == [True, False]
