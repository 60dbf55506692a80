"""Partial pictures: a manually edited .tex is drawn except what needs TeX, which is shown as source text."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from command import run

from tikzgen import loads
from tikzgen.compile.draw.draw_tex import PACKAGES, DrawnPicture, draw
from tikzgen.compile.draw.read_path import OPERATIONS
from tikzgen.compile.draw.run_statements import PATHS
from tikzgen.compile.draw.tikz_keys import KEYS, TIPS
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.compile.formats_without_tex import draw_partly
from tikzgen.model.about import WORDLESS

HEAD = "\\documentclass[border=0pt]{standalone}\n\\usepackage{tikz}\n"
DRAWN = r"\draw (0,0) -- (1,1);"


def document(*lines: str, options: str = "", preamble: str = "") -> str:
    """Return a file whose statements begin in line 5, or later after lines of a `preamble`."""
    begin = f"\\begin{{document}}\n\\begin{{tikzpicture}}{options}"
    return "\n".join([HEAD + preamble + begin, *lines, "\\end{tikzpicture}", "\\end{document}\n"])


def gaps_of(*lines: str, **more: str) -> tuple[DrawnPicture, list[tuple[int, str]]]:
    """Return the partial picture, and the lines and source texts of its gaps."""
    source = document(*lines, **more)
    with pytest.raises(Unsupported):
        draw(source)
    drawing = draw(source, partial=True)
    return drawing, [(gap.line, gap.source) for gap in drawing.gaps]


@pytest.mark.parametrize(
    "statement",
    [
        r"\shade[ball color=red] (0,0) circle (1cm);",
        "\\shade (0,0)\n  circle (1cm);",
        "\\begin{axis}\n\\addplot {x};\n\\end{axis}",
        r"\pgfmathsetmacro\x{3}",
        r"\node (a) {$\text{\unknown}$} {;",
        r"\draw (0,0) to[in=3, out=4] (zz);",
        r"\draw plot coordinates {(0,0) (1,1)};",
        r"\node[icon (w1) at (1,1 {A};",
        "stray words",
        r"\end{scope}",
        r"\begin{pgfonlayer}{background} \draw (0,0) -- (3,3); \end{pgfonlayer}",
    ],
)
def test_a_statement_that_needs_tex_is_left_out_alone(statement: str) -> None:
    drawing, gaps = gaps_of(DRAWN, statement, r"\draw (2,2) -- (3,1);")
    assert gaps[0] == (6, statement)
    exact = draw(document(DRAWN, r"\draw (2,2) -- (3,1);"))
    lines = [item for item in drawing.items if getattr(item, "kind", "") == "path"]
    assert [line.items for line in lines][:1] == [exact.items[0].items]  # type: ignore[union-attr]
    assert [line.items for line in lines][-1:] == [exact.items[1].items]  # type: ignore[union-attr]


def test_an_unknown_key_is_left_out_of_its_statement() -> None:
    drawing, gaps = gaps_of(r"\draw[drop shadow, ultra bold, line width=2pt] (0,0) -- (1,1);", DRAWN)
    assert gaps == [(5, r"\draw[drop shadow, ultra bold, line width=2pt] (0,0) -- (1,1);")]
    assert str(drawing.gaps[0]) == (
        "line 5: the key 'drop shadow' and the key 'ultra bold' cannot be drawn without TeX"
    )
    assert drawing.items == draw(document(r"\draw[line width=2pt] (0,0) -- (1,1);", DRAWN)).items


def test_a_node_that_needs_tex_leaves_a_mark_for_its_flows() -> None:
    drawing, gaps = gaps_of(r"\node[draw] (a) at (1,2) at {A};", r"\node[draw] (b) at (4,2) {B};", r"\draw (a) -- (b);")
    assert [line for line, _ in gaps] == [5]
    assert set(drawing.nodes) == {"a", "b"}
    assert drawing.nodes["a"].centre == draw(document(r"\node[draw] (a) at (1,2) {A};")).nodes["a"].centre


def test_a_label_that_needs_tex_names_its_line() -> None:
    source = document(r"\node[draw] (a) at (1,2) {\includegraphics{x}};", DRAWN)
    found = draw_partly(source, WORDLESS)
    assert found.notes[0].startswith(r"line 5: the text \includegraphics")
    assert ">line 5</text>" in found.data.decode()


def test_a_turn_of_a_loop_is_left_out_once() -> None:
    drawing, gaps = gaps_of(
        r"\coordinate (w1) at (0,0); \coordinate (w3) at (2,0);",
        "\\foreach \\w in {w1,w2,w3} {\n  \\draw (\\w) -- (1,1);\n  \\draw (\\w) -- (1,2);\n}",
        DRAWN,
    )
    assert [line for line, _ in gaps] == [6]
    assert gaps[0][1].endswith("}")
    assert sum(getattr(item, "kind", "") == "path" for item in drawing.items) >= 5


def test_preambles_and_lines_around_the_picture_are_gaps() -> None:
    _, gaps = gaps_of(DRAWN, preamble="\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.18}\n", options="[blob, thick=1]")
    assert gaps == [
        (3, "\\usepackage{pgfplots}"),
        (4, "\\pgfplotsset{compat=1.18}"),
        (6, "[blob, thick=1]"),
    ]
    text = document(DRAWN).replace("\\end{tikzpicture}", "\\end{tikzpicture}\nsome words")
    assert [gap.source for gap in draw(text, partial=True).gaps] == ["some words"]


@pytest.mark.parametrize("text", ["", "x", "\\begin{document}\\end{document}", HEAD])
def test_without_a_picture_nothing_is_drawn(text: str) -> None:
    with pytest.raises(Unsupported):
        draw(text, partial=True)


def test_a_picture_of_gaps_alone_has_its_boxes() -> None:
    found = draw_partly(document(r"\shade (0,0) circle (1cm);"), WORDLESS)
    root = ElementTree.fromstring(found.data)
    assert found.size[0] > 200 and found.size[1] > 20
    assert len([each for each in root.iter() if each.tag.endswith("rect") and each.get("stroke-dasharray")]) == 1


def test_an_exact_picture_has_no_gaps() -> None:
    source = loads("recipe: data-parallel\nworkers: 2\n").tex()
    assert draw(source, partial=True) == draw(source)


def test_boxes_are_below_the_picture_and_no_wider_than_their_lines() -> None:
    many = [rf"\shade ({number},0) circle (1cm) node {{{'a long text ' * 30}}};" for number in range(20)]
    found = draw_partly(document(DRAWN, *many), WORDLESS)
    root = ElementTree.fromstring(found.data)
    _, top, width, height = map(float, str(root.get("viewBox")).split())
    rows = [each for each in root.iter() if each.get("font-family") == "monospace"]
    assert all(0.62 * 6.5 * len(each.text or "") < width for each in rows)
    assert max(float(str(each.get("y"))) for each in rows) < top + height
    assert (rows[-1].text, len(found.notes)) == ("8 statements more", 20)


def test_damaged_files_give_well_formed_pictures_or_a_reason() -> None:
    random, drawn = Random(7), 0
    source = loads("recipe: parameter-server\nworkers: 2\n").tex()
    for _ in range(30):
        text = source
        for _ in range(random.randint(1, 5)):
            at = random.randrange(source.index("\\begin{tikzpicture}"), len(text))
            inserted = random.choice(["{", "}", "[", "]", ";", r"\foo", r"\end{scope}", "(", "%", "$", "1/0", "#1", ""])
            text = text[:at] + inserted + text[at + random.randint(0, 6) :]
        try:
            found = draw_partly(text, WORDLESS)
        except Unsupported:
            continue
        drawn += 1
        ElementTree.fromstring(found.data)
        assert len(found.notes) == len(set(found.notes))
    assert drawn > 20


# ---- in commands ----


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("fig.tex")
    tex = loads("recipe: data-parallel\nworkers: 2\n").tex()
    line = "  \\shade[ball color=otblue] (0,0) circle (1cm);\n"
    path.write_text(tex.replace("\\end{tikzpicture}", line + "\\end{tikzpicture}"), encoding="utf-8")
    return path


def test_svg_without_an_engine_is_partial_and_other_formats_are_refused(edited: Path) -> None:
    done = run("build", "fig.tex", "-f", "svg", "--engine", "none")
    assert done.status == 0
    assert re.search(r"fig: warning: line \d+: \\shade cannot be drawn without TeX\n", done.err)
    text = Path("fig.svg").read_text(encoding="utf-8")
    assert ">\\shade[ball color=otblue] (0,0) circle (1cm);</text>" in text
    for other in ("pdf", "png"):
        done = run("build", "fig.tex", "-f", other, "--engine", "none")
        assert done.status == 3
        assert "cannot be drawn without TeX" in done.err
        assert not Path(f"fig.{other}").exists()


def test_the_figure_of_a_spec_is_exact_or_missing(edited: Path) -> None:
    Path("raw.yaml").write_text(
        "panels: [{content: {type: topology, nodes: [{kind: node, id: a, label: !tex '\\textsc{a}'}]}}]\n"
    )
    done = run("build", "raw.yaml", "-f", "svg", "--engine", "none")
    if done.status == 0:
        pytest.fail("the label is drawn today; name another one")
    assert done.status == 3
    assert not Path("raw.svg").exists()


# ---- the table of supported TeX ----

VALUES = {
    **dict.fromkeys(("minimum width", "minimum height", "minimum size", "line width", "outer sep", "inner sep"), "2pt"),
    **dict.fromkeys(("xshift", "yshift", "x", "y", "double distance", "inner frame sep", "text width"), "9pt"),
    **dict.fromkeys(("rotate", "scale", "xscale", "yscale", "opacity", "text opacity", "pos", "bend left"), "0.5"),
    **dict.fromkeys(("text height", "text depth"), "1em"),
    **dict.fromkeys(("double", "text"), "red"),
    **dict.fromkeys(("node font", "font"), r"\small"),
    "line cap": "round",
    "line join": "round",
    "anchor": "west",
    "name": "k",
    "fit": "(0,0)",
    "auto": "left",
    "label": "[anchor=south]above:A",
    "path picture": r"\draw (0,0) -- (1,1);",
    "below": "1pt of n",
    "at": "(1,1)",
    "to path": r"-- (\tikztotarget)",
    "append after command": "(0,0) -- (1,1)",
    "insert path": "(0,0) -- (1,1)",
    "execute at begin node": r"\rightskip=0pt plus 1fil",
    "shift": "(1,1)",
    "dash pattern": "on 1pt off 2pt",
    "decoration": None,
    "align": "center",
    ">": "{Stealth[length=2mm]}",
}
OPTIONS = [*((key, VALUES.get(key, "")) for key in KEYS), *((">", f"{{{tip}[length=1mm]}}") for tip in TIPS)]


def test_each_listed_key_is_drawn() -> None:
    """Of `decoration`, only the waves that tikzgen's files declare."""
    for key, value in OPTIONS:
        if value is None:
            continue
        option = f"{key}={{{value}}}" if value and not value.startswith("{") else f"{key}={value}" if value else key
        lines = r"\node (n) at (0,0) {N};", rf"\draw (0,0) -- node[align=center, {option}] {{A}} (1,1);"
        draw(document(*lines, rf"\draw (0,0) rectangle (1,1) [{option}];" if key in ("draw", "fill") else DRAWN))


def test_each_listed_statement_and_operation_is_drawn() -> None:
    ends = {"node": " {A}", "circle": " [radius=1]", "arc": " (0:90:1)", "cycle": "", "coordinate": " (c)"}
    for name in OPERATIONS:
        curve = " (1,1) .. " if name == ".. controls" else " "
        draw(document(rf"\draw (0,0) -- (1,0) {name}{ends.get(name, f'{curve}(2,1)')};"))
    for name in PATHS:
        draw(document(rf"\{name} (0,0) {{}};" if name == "node" else rf"\{name} (0,0);", DRAWN))
    draw(document("\\begin{scope}[draw]\n\\color{red}\\foreach \\x in {1,2} {\\draw (\\x,0) -- (1,1);}\n\\end{scope}"))


def test_each_listed_package_is_drawn() -> None:
    for name in PACKAGES:
        options = "[match]" if name == "luatexja-fontspec" else ""
        draw(document(DRAWN, preamble=f"\\usepackage{options}{{{name}}}\n"))
