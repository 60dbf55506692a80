"""The geometry that is drawn without TeX is that of pdfTeX: the same nodes, paths and texts, the same findings."""

from __future__ import annotations

import re
from math import dist
from pathlib import Path

import pytest
from command import run
from conftest import EXAMPLES, NIGHTLY, example_tex, written

from tikzgen import loads
from tikzgen.base.record import replace
from tikzgen.lint.probe import PageData, probe
from tikzgen.lint.probe.drawn_pages import drawn_page
from tikzgen.lint.probe.look_at_figures import FigureToProbe, look_at
from tikzgen.lint.probe.page_with_source import Sheet
from tikzgen.lint.rule_table import GEOMETRY, rules_in

APART = 0.1
"""pt: how far a border may be from where TeX has it."""
TG316 = next(rule for rule in rules_in(GEOMETRY) if rule.code == "TG316")
INK = 0.25
"""pt: how far the corners of a text's ink may be: PDFium rounds the boxes of characters."""

# a parameter, what a hand makes of it, and the codes of what is wrong then
BROKEN = [
    ("distributed-training", "gradlabel", "the gradients of all the weights of the layers", {"TG306", "TG307"}),
    ("parameter-server-en", "workertwolabel", "the second of all the processors", {"TG302", "TG306", "TG313"}),
    ("zero-bubble", "laneheight", "0.12", {"TG301", "TG313"}),
    ("ring", "laneheight", "0.1", {"TG301"}),
    ("moe", "eonelabel", "the first of sixty-four experts", {"TG301", "TG313"}),
]


def broken(figure: str, parameter: str, value: str) -> str:
    text = example_tex(figure).read_text(encoding="utf-8")
    return re.sub(rf"\\def\\{parameter}\{{[^}}]*\}}", lambda _: rf"\def\{parameter}{{{value}}}", text)


def by_tex(source: str) -> PageData:
    (probed,) = probe([source])
    (page,) = probed.pages
    return page


def found(source: str, engine: str | None) -> list[str]:
    looked = look_at([FigureToProbe("fig.tex", source, 8.4)], engine=engine, trust=True)
    assert looked.errors == []
    return [re.sub(r"the path in line \d+", "the path", str(finding)) for finding in looked.findings]


@pytest.mark.tex
@pytest.mark.parametrize("file", EXAMPLES if NIGHTLY else EXAMPLES[::2], ids=lambda path: path.stem)
def test_the_two_geometries_agree(file: Path) -> None:
    source = written(file)
    ours, tex = drawn_page(source), by_tex(source)
    assert (ours.width, ours.height) == pytest.approx((tex.width, tex.height), abs=0.02)
    assert [len(each) for each in (ours.nodes, ours.paths, ours.lines)] == [
        len(each) for each in (tex.nodes, tex.paths, tex.lines)
    ]
    theirs = {node.name: node for node in tex.nodes}
    for node in ours.nodes:
        if node.name:
            other = theirs[node.name]
            assert max(map(dist, node.border, other.border)) <= APART, node.name
            assert (node.where.first, node.order, node.shape) == (other.where.first, other.order, other.shape)
            assert node.text == pytest.approx(other.text, abs=0.01), node.name
    for line in ours.lines:
        away = min(max(map(dist, line.corners, other.corners)) for other in tex.lines)
        assert away <= (INK if line.words.isascii() or not re.search("[⺀-鿿]", line.words) else 1.0), line.words
    assert found(source, "none") == found(source, "pdflatex")


@pytest.mark.tex
@pytest.mark.parametrize(("figure", "parameter", "value", "codes"), BROKEN, ids=[each[0] for each in BROKEN])
def test_what_a_hand_breaks_is_found_by_both(figure: str, parameter: str, value: str, codes: set[str]) -> None:
    source = broken(figure, parameter, value)
    drawn, set_ = (found(source, engine) for engine in ("none", "pdflatex"))
    assert codes <= {line.split()[1] for line in drawn}
    assert drawn == set_


def test_check_looks_without_tex(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No engine on the PATH: the figure is drawn; what cannot be drawn is told, with its line."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text("recipe: data-parallel\n")
    Path("bad.tex").write_text(broken("ring", "laneheight", "0.1"), encoding="utf-8")
    Path("raw.yaml").write_text("recipe: data-parallel\nlabels: {server: !tex '\\fbox{a}'}\n")
    assert run("check", "--geometry", "good.yaml").status == 0
    assert "TG301" in run("check", "--geometry", "bad.tex").out
    assert "TG301" in run("check", "--geometry", "--engine", "none", "bad.tex").out
    done = run("check", "--geometry", "raw.yaml")
    assert done.status == 3
    assert re.search(r"raw\.yaml: line \d+: the text \\fbox cannot be drawn without TeX", done.err)
    assert run("check", "--engine", "none", "bad.tex").status == 2


@pytest.mark.tex
def test_dots_above_each_other_are_the_same_lines_in_both() -> None:
    """They are 4 pt apart, half of what their text is large: a PDF rounds that."""
    lanes = "lanes: [{id: a}, {id: b, label: $\\vdots$}, {id: c}]"
    spans = "spans: [{lane: a, start: 0, duration: 4}, {lane: c, start: 0, duration: 4}]"
    source = loads(f"panels: [{{content: {{type: timeline, {lanes}, {spans}}}}}]").tex()
    ours, tex = (
        [line.words for line in page.lines if set(line.words) == {"."}] for page in (drawn_page(source), by_tex(source))
    )
    assert ours == tex == ["."] * len(ours)
    assert len(ours) >= 3


@pytest.mark.parametrize("filled", [False, True], ids=["drawn", "filled"])
def test_a_path_or_a_text_that_pdftex_has_elsewhere_is_found(filled: bool) -> None:
    source = loads("recipe: data-parallel\nworkers: 2\n").tex()
    page = drawn_page(source)
    sheet = Sheet("a.tex", source, page, by_pdftex=True)
    assert list(TG316.look(sheet)) == []
    line = page.lines[-1]
    path = next(each for each in page.paths if each.whole and (each.stroke is None) is filled)
    for by, said in ((0.05, None), (0.2, "0.20 pt"), (30.0, "far")):
        moved = replace(path, lines=tuple(tuple((x + by, y) for x, y in one) for one in path.lines))
        paths = tuple(moved if each is path else each for each in page.paths)
        lines = (*page.lines[:-1], replace(line, origin=(line.origin[0], line.origin[1] - by)))
        for what, other in (("a path", replace(page, paths=paths)), ("a line of text", replace(page, lines=lines))):
            told = [broken.message for broken in TG316.look(replace(sheet, page=other))]
            assert told == ([f"{what} is drawn {said} from where TeX sets it"] if said else [])
