"""Drawings without TeX stand where pdfTeX puts everything, or are refused with a line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from math import cos, pi
from operator import sub
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest
from command import run
from conftest import EXAMPLES, ROOT, SWEPT, chosen_cases, example_tex, scaled, written
from drawn_ink import STILL, apart, compare, ink_of
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_ink import TexInk, read_pages
from random_drawings import documents

import tikzgen.edit
from tikzgen import load, loads, recipes, render
from tikzgen.base.errors import LatexMissing
from tikzgen.base.plane.units import CM_PER_PT
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.output.write_pdf import to_pdf
from tikzgen.compile.draw.output.write_svg import to_svg
from tikzgen.compile.draw.output.write_svg_of_steps import animated_svg
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.compile.formats_without_tex import drawn_slides, drawn_svg
from tikzgen.compile.pdf import page_size
from tikzgen.edit.find_words import find_words
from tikzgen.lint.probe.drawn_pages import drawn_page

CASES = ROOT / "tests" / "cases" / "drawing"
LARGE = sorted(CASES.glob("cells-*.yaml"))
"""Arrays of 64 x 64 cells."""
FILES = [*EXAMPLES, *sorted(CASES.glob("*.tex")), *LARGE]
KEPT = [file for file in FILES if (CASES / f"{file.stem}.json").exists()]
"""Files of which it is kept where pdfTeX puts everything, one of each kind: TeX is asked about all others."""
REFUSALS: list[dict[str, str]] = json.loads((CASES / "refused.json").read_text())


@pytest.mark.usefixtures("golden")  # so that each run by day notices a record that is out of date
@pytest.mark.parametrize("file", KEPT, ids=lambda path: path.stem)
def test_everything_stands_where_pdftex_put_it(file: Path) -> None:
    compare(draw(text_of(file)), kept(CASES / f"{file.stem}.json"))


def text_of(file: Path) -> str:
    """Return the text of an example, a file or a spec."""
    if file in LARGE:
        return load(file).tex()
    return written(file) if file.suffix == ".yaml" else file.read_text(encoding="utf-8")


def kept(place: Path) -> TexInk:
    """What was written down of pdfTeX."""
    facts = json.loads(place.read_text())
    size, glyphs, points = ([(x / 1000, y / 1000) for x, y in facts[key]] for key in ("page", "glyphs", "points"))
    return TexInk(size[0], glyphs, points)


@pytest.fixture(scope="module")
def set_by_pdftex(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[TexInk, bytes, int]]:
    """What pdfTeX puts where in each file of this run, and the page of its document. Equal preambles share a run."""
    names = {text_of(case["file"]): case["file"].stem for case in chosen_cases(request)}
    found = {}
    for batch, pdf in documents(list(names), tmp_path_factory.mktemp("drawing")):
        for number, (source, ink) in enumerate(zip(batch, read_pages(pdf), strict=False)):
            found[names[source]] = ink, pdf, number
    return found


@pytest.mark.tex
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_pdftex_still_puts_everything_there(
    file: Path, set_by_pdftex: dict[str, tuple[TexInk, bytes, int]], golden: Callable[[Path, str], None]
) -> None:
    tex = set_by_pdftex[file.stem][0]
    place = CASES / f"{file.stem}.json"
    is_kept = place.exists() and is_still(kept(place), tex)
    if not is_kept and (file in KEPT or file.suffix == ".tex"):
        facts = {"page": [tex.size], "glyphs": tex.glyphs, "points": set(tex.points)}
        whole = {key: sorted([round(1000 * v) for v in point] for point in points) for key, points in facts.items()}
        golden(place, json.dumps(whole, separators=(",", ":")) + "\n")
    compare(draw(text_of(file)), tex)


def is_still(kept: TexInk, tex: TexInk) -> bool:
    sizes = max(abs(one - other) for one, other in zip(kept.size, tex.size, strict=True))
    return sizes <= STILL and all(apart(one, other) <= STILL for one, other in zip(kept[1:], tex[1:], strict=True))


@pytest.mark.parametrize("example", SWEPT)
def test_the_dark_palette_moves_nothing(example: Path) -> None:
    other = "light" if "palette: dark" in written(example) else "dark"
    one, two = (draw(tex) for tex in (written(example), load(example, settings=[f"palette={other}"]).tex()))
    assert ink_of(one).glyphs == ink_of(two).glyphs
    assert one.box == pytest.approx(two.box, abs=1e-9)
    assert one.colors["paper"] != two.colors["paper"]
    assert to_svg(one) != to_svg(two)


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case["says"][:40])
def test_what_is_not_known_is_refused_with_its_line(case: dict[str, str]) -> None:
    source = example_tex(case.get("file", "distributed-training")).read_text(encoding="utf-8")
    assert source.count(case["replace"]) >= 1
    changed = source.replace(case["replace"], case["by"], 1)
    line = source[: source.index(case["replace"])].count("\n") + 1 + int(case.get("below", "0"))
    with pytest.raises(Unsupported) as refused:
        draw(changed)
    assert refused.value.message.startswith(f"line {line}: {case['says']}")


STRANGE = ("99999999999", "-1e9", "{" * 50, r"\foreach", "#1", "0")
_BITS = re.compile(r"\\[A-Za-z]+|\d+(?:\.\d+)?|[{}()\[\],;=$!:.+*/-]|[a-z]+")


@st.composite
def mutated(draw_: st.DrawFn) -> str:
    """The text of a figure with some of its tokens dropped, doubled, or replaced by others of it or by huge numbers."""
    text = written(draw_(st.sampled_from(EXAMPLES)))
    text = text[: text.index(r"\end{document}") + 14] + "\n"
    bits = list(_BITS.finditer(text, text.index("% ==== parameters")))
    for _ in range(draw_(st.integers(1, 4))):
        one, other = (bits[draw_(st.integers(0, len(bits) - 1))] for _ in range(2))
        new = draw_(
            st.sampled_from(["", one[0] * 2, other[0], "99999999999", "-1e9", "{" * 50, r"\foreach", "#1", "0"])
        )
        if text[one.start() : one.end()] == one[0]:
            text = text[: one.start()] + new + text[one.end() :]
            bits = [bit for bit in bits if bit.end() <= one.start()] or bits[:1]
    return text


@settings(max_examples=scaled(1500))
@given(mutated())
def test_a_broken_file_is_drawn_or_refused_with_a_line(text: str) -> None:
    try:
        to_svg(draw(text))
    except Unsupported as error:
        assert error.line is not None
        assert "\n" not in error.message


@pytest.mark.parametrize(
    "hostile",
    [
        r"\foreach \a in {1,...,99999} \foreach \b in {1,...,99999} \draw (0,0) -- (\a,\b);",
        r"\foreach \a in {1,...,99999999} \draw (0,0) -- (\a,0);",
        r"\def\a{\b\b\b\b\b\b\b\b\b\b}\draw (0,\a) -- (1,1);",
        r"\draw[line width=\loop pt] (0,0) -- (1,1);",
        r"\begin{scope}" * 5000,
        r"\draw (" + "(" * 5000 + "0,0);",
        r"\draw ({" + "-(" * 5000 + "0,0);",
        r"\node at (0,0) {$" + r"\frac{1}{" * 400 + "1" + "}" * 400 + "$};",
        r"\node[grow] at (0,0) {};",
        r"\draw (99999999cm,0) -- (1e9,0);",
        r"\node[scale=0] at (0,0) {a}; \draw (0,0) -- (1,1);",
        r"\draw[" + ",".join(f"s{n}/.style={{s{n + 1},s{n + 1}}}" for n in range(28)) + ",s28/.style={draw},s0] (0,0);",
        r"\node at (0,0) {$" + r"\left(" * 300 + "x" + r"\right)" * 300 + "$};",
        r"\node[text width=1cm, align=center] at (0,0) {" + "a " * 5000 + "};",
        r"\draw (0,0) arc (0:999999999:1);",
        r"\draw (0,0) -- (1e-320,1e308);",
        r"\node at (0,0) {\begin{tikzpicture}" * 60 + r"\end{tikzpicture}};" * 60,
    ],
    ids=lambda text: text[:40],
)
def test_a_stranger_cannot_make_it_hang(hostile: str) -> None:
    with pytest.raises(Unsupported) as refused:
        draw(with_line(hostile))
    assert refused.value.line is not None


def with_line(hostile: str) -> str:
    """A figure with a line of a stranger's, and macros that grow."""
    source = example_tex("ring").read_text(encoding="utf-8")
    macros = r"\def\loop{\loop}\def\b{\c\c\c\c\c\c\c\c\c\c}\def\c{\d\d\d\d\d\d\d\d\d\d}\def\d{1111111111}"
    source = source.replace("% ==== parameters", macros + "\n% ==== parameters", 1)
    return source.replace("  \\color{ink}\n", "  \\color{ink}\n  " + hostile + "\n", 1)


GREEDY = [
    r"\foreach \a in {1,...,16000} \foreach \b in {1,...,99} \node[draw] at (0,0) {x};",
    r"\foreach \a in {1,...,16000} \foreach \b in {1,...,99} \draw[rounded corners] (0,0) -- (1,1) -- (0,1) -- cycle;",
    r"\foreach \a in {1,...,16000} \node at (0,0) {\b};",
]
LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); "
LIMITED += "resource.setrlimit(resource.RLIMIT_CPU, (60, 60)); "
LIMITED += "from tikzgen.compile.draw.draw_tex import draw; draw(sys.stdin.read())"


@pytest.mark.slow
@pytest.mark.parametrize("hostile", GREEDY, ids=lambda text: text[-20:])
def test_a_stranger_cannot_take_all_time_and_memory(hostile: str) -> None:
    """A GiB and a minute of the processor are enough to refuse it."""
    done = subprocess.run([sys.executable, "-c", LIMITED], input=with_line(hostile), capture_output=True, text=True)
    assert re.search(r"Unsupported: line \d+: a picture of more than \d+ steps", done.stderr), done.stderr[-300:]


@pytest.mark.parametrize(
    ("crossing", "at"),
    [
        ("a |- b", (0.0, 2.0)),
        ("a -| b", (3.0, 0.0)),
        ("[xshift=1cm, yshift=-0.5cm]a |- b", (1.0, 1.5)),
        ("[xshift=1cm]a -| b", (4.0, 0.0)),
        ("1,5 |- 7,3", (1.0, 3.0)),
        ("{2*0.5},0 |- [yshift=1cm]b", (1.0, 3.0)),
        ("a -| 30:2", (2 * cos(pi / 6), 0.0)),
        ("a |- [yshift=1cm]current bounding box.north", (0.0, 51.0)),
        ("[xshift=-1cm]current bounding box.east |- b", (49.0, 2.0)),
    ],
)
def test_a_crossing_has_the_x_of_one_point_and_the_y_of_another(crossing: str, at: tuple[float, float]) -> None:
    points = (
        rf"\coordinate (a) at (0,0); \coordinate (b) at (3,2); \path (0,0) -- (50,50); \coordinate (c) at ({crossing});"
    )
    head, end, rest = text_of(CASES / "loops.tex").rpartition(r"\end{tikzpicture}%")
    drawn = draw(head + points + end + rest).nodes
    found = [length * CM_PER_PT for length in map(sub, drawn["c"].anchor("center"), drawn["a"].anchor("center"))]
    assert found == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize(
    ("option", "at"), [("scale=2", (6, 4)), ("xscale=2", (6, 2)), ("yscale=-1", (3, -2)), ("xshift=1cm", (4, 2))]
)
def test_a_scope_scales_and_shifts_its_coordinates(option: str, at: tuple[float, float]) -> None:
    points = rf"\coordinate (a) at (0,0); \begin{{scope}}[{option}]\coordinate (b) at (3,2);\end{{scope}}"
    head, end, rest = text_of(CASES / "loops.tex").rpartition(r"\end{tikzpicture}%")
    drawn = draw(head + points + end + rest).nodes
    found = [length * CM_PER_PT for length in map(sub, drawn["b"].anchor("center"), drawn["a"].anchor("center"))]
    assert found == pytest.approx(at, abs=1e-6)


def test_the_variable_of_a_loop_names_styles() -> None:
    head = example_tex("memory").read_text("utf-8").partition("  ]\n  \\color{ink}")[0]
    styles = "    one/.style={fill=otblue},\n    two/.style={fill=otteal},\n  ]"
    looped = r"\foreach \c/\f in {0/one,2/two} \fill[\f] (\c,0) rectangle +(1,1);"
    plain = r"\fill[one] (0,0) rectangle +(1,1); \fill[two] (2,0) rectangle +(1,1);"
    tail = "\\end{tikzpicture}%\n\\endgroup%\n\\end{document}\n"
    drawn = [to_svg(draw(f"{head}{styles}\n{body}\n{tail}")) for body in (looped, plain)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("name", ["distributed-training", "serving", "gpu-cluster", "ring-all-reduce", "rlhf"])
def test_a_title_follows_content_that_was_moved_by_hand(name: str) -> None:
    tex = load(ROOT / "examples" / f"{name}.yaml").tex()
    moved = tex.replace("  % title\n", "  \\path (0,30) -- (0.1,30);\n  % title\n")
    pages = [drawn_page(each) for each in (tex, moved)]
    titles = [max(page.lines, key=lambda line: line.box[3]) for page in pages]
    assert titles[0].words == titles[1].words
    gaps = [page.height - title.box[3] for page, title in zip(pages, titles, strict=True)]
    assert gaps[0] == pytest.approx(gaps[1], abs=0.1)
    assert pages[1].height > 30 / CM_PER_PT > titles[1].box[1] - titles[0].box[1] > 15 / CM_PER_PT


def test_svg_names_the_figure_and_its_ids_clash_with_no_other() -> None:
    seen: set[str] = set()
    for example in EXAMPLES[2:6]:
        root = ElementTree.fromstring(to_svg(draw(written(example)), title="A <title>", description="What & why"))
        ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(ids) == len(set(ids)) and seen.isdisjoint(ids)
        seen |= set(ids)
        used = {element.attrib["href"][1:] for element in root.iter() if "href" in element.attrib}
        assert used <= set(ids)
        texts = {child.tag.rpartition("}")[2]: child.text for child in root}
        assert (texts["title"], texts["desc"]) == ("A <title>", "What & why")


def test_texts_can_be_found_in_the_svg() -> None:
    root = ElementTree.fromstring(to_svg(draw(example_tex("parameter-server").read_text())))
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Processor 1", "on GPU1 (G1)", "minibatch2", "push (P)"} <= set(words)
    assert "(a) 同步更新" in words
    assert "∂L" in words and any("α" in word for word in words)


RAW = "recipe: data-parallel\nlabels: {server: !tex '\\fbox{a}'}\n"


@pytest.fixture
def without_tex(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_a_notebook_without_tex_shows_the_figure_or_the_reason(without_tex: Path) -> None:
    figure = load(EXAMPLES[0])
    shown = figure._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg ")
    assert shown["text/plain"] == figure.tex()
    raw = loads(RAW)
    bundle = raw._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    reason, _, source = bundle["text/plain"].partition("\n")
    assert re.match(r"% no picture: line \d+: the text \\fbox cannot be drawn without TeX, and pdflatex is not", reason)
    assert source == raw.tex()


def test_whatever_holds_a_figure_is_shown_in_a_notebook(without_tex: Path) -> None:
    figure = load(ROOT / "examples" / "distributed-training.yaml")
    place = figure.save(without_tex / "a.tex")
    edited = tikzgen.edit.open(place).set("colsep", 5)
    raw = loads(RAW).save(without_tex / "raw.tex")
    for shown in (recipes.data_parallel(workers=2), render(figure), edited):
        bundle = shown._repr_mimebundle_()
        assert bundle["image/svg+xml"].startswith("<svg ") and bundle["text/plain"].startswith("\\documentclass")
    assert r"\def\colsep{5}%" in edited._repr_mimebundle_()["text/plain"]
    for refused in (render(loads(RAW)), tikzgen.edit.open(raw)):
        reason, _, source = refused._repr_mimebundle_()["text/plain"].partition("\n")
        assert re.match(r"% no picture: line \d+: the text \\fbox cannot be drawn without TeX", reason)
        assert source == raw.read_text()


@pytest.mark.parametrize("example", SWEPT)
def test_build_makes_svg_without_tex(example: Path, without_tex: Path) -> None:
    figure = load(example)
    place = figure.build(without_tex / "figure.svg")
    root = ElementTree.fromstring(place.read_text(encoding="utf-8"))
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert root.find("{http://www.w3.org/2000/svg}rect") is not None, "white paper"
    again = figure.build(without_tex / "clear.svg", transparent=True)
    assert ElementTree.fromstring(again.read_text(encoding="utf-8")).find("{http://www.w3.org/2000/svg}rect") is None


@pytest.mark.parametrize("example", SWEPT[::6])
def test_png_and_pdf_are_drawn_without_tex(example: Path, without_tex: Path) -> None:
    figure = load(example)
    png, clear = (figure.build(without_tex / f"{look}.png", dpi=100, transparent=look) for look in (False, True))
    assert png.read_bytes()[:4] == clear.read_bytes()[:4] == b"\x89PNG"
    assert png.read_bytes() != clear.read_bytes()
    drawn = figure.build(without_tex / "a.pdf", engine="none").read_bytes()
    assert drawn == figure.build(without_tex / "b.pdf", engine="none").read_bytes()
    left, bottom, right, top = draw(figure.tex()).box
    assert page_size(drawn) == pytest.approx((right - left, top - bottom), abs=1e-3)
    with pytest.raises(LatexMissing, match=r"pdflatex is not on the PATH.*or draw it without TeX: --engine none"):
        figure.build(without_tex / "c.pdf")


SLIDES = """panels: [{content: {type: timeline, lanes: [{id: g, label: GPU 1}], spans: [
  {lane: g, start: 0, duration: 2, phase: forward, label: F},
  {lane: g, start: 2, duration: 2, phase: backward, slide: 2},
  {lane: g, start: 4, duration: 2, phase: update, label: U, slide: 3}]}}]
"""


def test_steps_are_drawings_of_one_size_and_one_animated_file() -> None:
    source = loads(SLIDES).tex()
    assert draw(source).steps == 3
    steps = [draw(source, number) for number in (1, 2, 3)]
    assert {step.box for step in steps} == {draw(source).box}
    counts = [len(ink_of(step).points) for step in steps]
    assert counts == sorted(set(counts)), "each step shows more"
    assert steps[2].items == draw(source).items
    slides = drawn_slides(source, find_words(source), transparent=False)
    assert len({ElementTree.fromstring(slides[number]).attrib["viewBox"] for number in ("1", "2", "3")}) == 1
    animated = slides["steps"].decode()
    shown = re.findall(r'<g data-steps="([\d ]+)"', animated)
    assert shown == ["2 3", "3"] and "display" not in animated.partition("<script>")[0]
    root = ElementTree.fromstring(animated)
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert len(animated) < 1.5 * len(drawn_svg(source, find_words(source))) + 2500, "what steps share stands there once"


def test_steps_of_different_figures_have_one_frame() -> None:
    one, other = (draw(loads(f"recipe: data-parallel\nworkers: {count}\n").tex()) for count in (2, 4))
    animated = animated_svg([one, other], title="Growing")
    assert re.findall(r'<g data-steps="(\d)"( display="none")?>', animated)[0] == ("1", ' display="none"')
    assert ElementTree.fromstring(animated).find("{http://www.w3.org/2000/svg}title") is not None


_RUN = 48  # bytes
OFF, MOST = 96, 0.005
"""A pixel differs by more than this of 255; the share of such pixels at 150 dpi."""


@pytest.mark.tex
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.stem)
def test_the_pixels_are_those_of_pdftex(file: Path, set_by_pdftex: dict[str, tuple[TexInk, bytes, int]]) -> None:
    _, pdf, number = set_by_pdftex[file.stem]
    source, compiled = written(file), pypdfium2.PdfDocument(pdf)[number]
    drawn = pypdfium2.PdfDocument(to_pdf(draw(source)))[0]
    assert drawn.get_size() == pytest.approx(compiled.get_size(), abs=0.02)
    drawn.set_mediabox(*compiled.get_mediabox())  # a hundredth of a point may be one more row of pixels
    off = _off(*(bytes(page.render(scale=150 / 72).buffer) for page in (drawn, compiled)))
    assert off <= MOST * (3 if "CJK" in source else 1), "Chinese has another face"


def _off(ours: bytes, tex: bytes) -> float:
    """The share of pixels that differ; most runs of them are white on both."""
    runs = ((ours[at : at + _RUN], tex[at : at + _RUN]) for at in range(0, len(tex), _RUN))
    off = sum(abs(one - other) > OFF for run in runs if run[0] != run[1] for one, other in zip(*run, strict=True))
    return off / len(tex)


def test_an_l_is_as_dark_as_its_stroke() -> None:
    """At the size of a paper as in a large picture: rectangles would be filled in whole pixels."""
    small, large = (_dark(40, dpi) - _dark(20, dpi) for dpi in (110, 1100))
    assert small == pytest.approx(large, rel=0.03)


def _dark(count: int, dpi: int) -> float:
    """How much ink a figure with so many l has."""
    page = pypdfium2.PdfDocument(to_pdf(draw(recipes.moe(labels={"tokens": "l" * count}).tex())))[0]
    pixels = bytes(page.render(scale=dpi / 72, grayscale=True).buffer)
    return (255 * len(pixels) - sum(pixels)) / dpi**2


@pytest.mark.slow
def test_the_examples_end_with_pictures_without_tex(tmp_path: Path) -> None:
    """`examples/run` where nothing but a shell and Python is on the PATH."""
    for name in ("examples", "tests", "path"):
        (tmp_path / name).mkdir()
    for source in (ROOT / "examples" / "run", EXAMPLES[0]):
        shutil.copy(source, tmp_path / "examples")
    (tmp_path / "tests" / "setup-python").write_text("#!/usr/bin/env bash\n")  # it is set up already
    (tmp_path / "tests" / "setup-python").chmod(0o755)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for program in ("bash", "env", "dirname", "basename", "mkdir"):
        (tmp_path / "path" / program).symlink_to(str(shutil.which(program)))
    env = {"PATH": str(tmp_path / "path"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run([tmp_path / "examples" / "run"], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "build" / "examples").iterdir()}
    stem = EXAMPLES[0].stem
    assert {f"{stem}.tex", f"{stem}.png", f"{stem}.svg"} <= made and f"{stem}.pdf" not in made


def test_build_without_tex_says_what_takes_it(without_tex: Path) -> None:
    """A file that was edited, too: to draw it runs nothing of it, so that it takes no sandbox."""
    (without_tex / "raw.yaml").write_text(RAW)
    edited = load(EXAMPLES[3]).tex().replace(r"\def\colsep{4.6}", r"\def\colsep{5}")
    (without_tex / "edited.tex").write_text(edited)
    done = run("build", "-f", "svg", str(without_tex / "raw.yaml"), str(without_tex / "edited.tex"))
    assert done.status == 3
    assert (without_tex / "edited.svg").exists() and not (without_tex / "raw.svg").exists()
    assert re.search(
        r"line \d+: the text \\fbox cannot be drawn without TeX, and pdflatex is not on the PATH", done.err
    )
    assert run("build", "-f", "pdf", str(without_tex / "edited.tex")).status == 3
