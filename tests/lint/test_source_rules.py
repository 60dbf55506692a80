"""Rules that read a .tex as it is written: mutants of a figure of others, and tikzgen's own figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import EXAMPLES, ROOT, example_tex, some
from jsonschema import Draft202012Validator
from mutants import DRAWN, OF_LAYERS, OF_MASSES, OF_OTHERS, OF_TIMELINES, OF_TOPOLOGIES, Mutant, figure
from opentikz import SEED

from tikzgen import load, loads
from tikzgen.base.errors import SpecError
from tikzgen.lint.check_figure import broken_written, check
from tikzgen.lint.inventory.metadata_text import Metadata
from tikzgen.lint.registry import Finding
from tikzgen.lint.rule_table import all_rules
from tikzgen.lint.rules.metadata_beside import SCHEMA, find_schema_errors
from tikzgen.lint.written_tex import FigureFile, read_figure_file, read_written

LAYERS = ROOT / "tests" / "cases" / "others" / "layers.tex"

SPEC = "% tikzgen spec: what this figure was rendered from; `tikzgen render` reads it"

# what is wrong with the template as it is: its parameters leave blanks, and all its definitions leak
ALWAYS = Counter(["TG212", "TG213"])


def standing_at(found: FigureFile, finding: Finding) -> str:
    """The text from the place of a finding on."""
    text = found.metadata.text if finding.place.file == found.metadata.name else found.facts.text
    lines = text.splitlines(keepends=True)
    assert finding.place.line and finding.place.column
    return "".join([lines[finding.place.line - 1][finding.place.column - 1 :], *lines[finding.place.line :]])


def found_in(path: Path, mutant: Mutant, always: Counter[str]) -> list[str]:
    """Check the rules that a mutant breaks and the place of the first; return what is told of them."""
    found = figure(path, mutant.before, mutant.after)
    findings = broken_written(found)
    assert sorted(Counter(each.code for each in findings) - always) == mutant.codes.split(), mutant.name
    first = mutant.codes.split()[0]
    where = [standing_at(found, each) for each in findings if each.code == first]
    assert any(text.startswith(mutant.at) for text in where), (mutant.name, where)
    return [f"{mutant.name}: {each}" for each in findings if each.code not in always]


TABLES: dict[str, tuple[Callable[[], Path], list[Mutant], Counter[str]]] = {
    "template": (lambda: SEED, OF_OTHERS, ALWAYS),
    "topology": (partial(example_tex, "distributed-training"), OF_TOPOLOGIES, Counter()),
    "timeline": (partial(example_tex, "overlap"), OF_TIMELINES, Counter()),
    "large-timeline": (partial(example_tex, "pipeline-schedules"), OF_MASSES, Counter()),
    "lists": (lambda: LAYERS, OF_LAYERS, Counter()),
}


@pytest.mark.parametrize("table", TABLES)
def test_mutants_of_a_figure_are_found_and_told_as_reviewed(table: str, golden: Callable[[Path, str], None]) -> None:
    path, mutants, always = TABLES[table]
    lines = [line for mutant in mutants for line in found_in(path(), mutant, always)]
    golden(ROOT / "tests" / "goldens" / "findings" / f"{table}.txt", "\n".join(lines) + "\n")


def test_a_figure_with_lists_as_it_is() -> None:
    assert check(LAYERS) == ()


OTHERS = {
    "a slide draws a node once more": (
        r"""
\documentclass{beamer}
\begin{document}
\begin{frame}
\begin{tikzpicture}
  \node (a) at (0,0) {A};
  \only<2>{\node (a) at (0,0) {B};}
\end{tikzpicture}
\end{frame}
\end{document}""",
        "",
    ),
    "a frame has no blanks": (
        r"""
\documentclass{beamer}
\begin{document}
\begin{frame}
\begingroup
% ==== parameters (edit these) ====
\def\gap{1.5}
% ====
\begin{tikzpicture}
  \node (a) at (\gap,0) {A};
\end{tikzpicture}
\endgroup
\end{frame}
\end{document}""",
        "",
    ),
    "names are used again by those who draw by hand": (
        r"""
\begin{tikzpicture}
  \node (a) at (0,0) {A};
  \node (b) at (0,1) {A};
  \draw (a) -- (b);
  \node (a) at (1,0) {B};
\end{tikzpicture}""",
        "",
    ),
    "a package's command makes nodes": (
        r"""
\begin{tikzpicture}
  \Vertex[x=0,y=0]{a} \Vertex[x=1,y=0]{b}
  \draw (a) -- (b);
\end{tikzpicture}""",
        "",
    ),
    "a macro makes nodes": (
        r"""
\newcommand\feature[3]{\draw (#1,#2) circle[radius=1]; \node (#3) at (#1,#2) {};}
\begin{tikzpicture}
  \foreach \x/\y/\id in {0/0/a,1/0/b}
    \feature{\x}{\y}{\id}
  \foreach \a/\b in {a/b} \draw (\a) -- (\b);
\end{tikzpicture}""",
        "TG213",
    ),
    "a command of a package that is called much like a path's": (
        r"""
\begin{tikzpicture}
  \NOEA(a){b} \fi \drawing
\end{tikzpicture}""",
        "",
    ),
    "a paper keeps its own colours": (
        r"""
\documentclass{article}
\usepackage{tikz}
\definecolor{mine}{HTML}{123456}
\begin{document}
\begin{figure}
\begin{tikzpicture}
  \node[draw=mine] (a) at (0,0) {A};
\end{tikzpicture}
\end{figure}
\end{document}""",
        "",
    ),
    "a name that something else makes": (
        r"""
\begin{tikzpicture}
  \matrix (m) [matrix of nodes] { a & b \\ };
  \draw (m-1-1) -- (m-1-2);
\end{tikzpicture}""",
        "",
    ),
    "names in a loop": (
        r"""
\begin{tikzpicture}
  \foreach \i in {1,2} { \node (n\i) at (\i,0) {}; }
  \draw (n1) -- (n2) (n2) -- (n3);
\end{tikzpicture}""",
        "TG219",
    ),
    "a name for a stock colour": (
        r"""
\colorlet{accent}{red!50!black}
\begin{tikzpicture}
  \draw[accent] (0,0) -- (1,1);
\end{tikzpicture}""",
        "",
    ),
    "a palette of its own": (
        r"""
\documentclass{standalone}
\usepackage[dvipsnames]{xcolor}
\usepackage{tikz}
\colorlet{tone}{NavyBlue}
\begin{document}%
\begin{tikzpicture}
  \draw[tone!70] (0,0) -- (1,1);
\end{tikzpicture}
\end{document}""",
        "",
    ),
    "names from parameters, in lists and counted": (
        r"""
% ==== parameters (edit these) ====
\def\sizes{2,3}%
\def\most{2}%
% ====
\begin{tikzpicture}
  \foreach \size [count=\layer, remember=\size as \before (initially 0)] in \sizes {
    \foreach \n in {1,...,\size} { \node (l\layer-\n) at (\layer,\n) {}; }
    \pgfmathtruncatemacro{\left}{\layer-1}
    \ifnum\layer>1
      \foreach \p in {1,...,\before} { \draw (l\left-\p) -- (l\layer-1); }
    \fi
  }
  \node[right=of l\most-3] (end) {};
  \draw (l\most-1) -- (l\most-3) (l1-1) -- (end);
  \draw (l\most-1) -- (l\most-4);
\end{tikzpicture}""",
        "TG213 TG219",
    ),
    "a number that is a distance in the other direction, too": (
        r"""
\begingroup
% ==== parameters (edit these) ====
\def\pitch{0.55}% horizontal gap between the boxes (cm)
\def\drop{1.25}% vertical gap (cm)
% ====
\begin{tikzpicture}
  \node (a) at (\pitch,0.55) {};
  \node (b) at (0.55,\drop) {};
  \draw (a) -- (1.25,0) -- (0,1.25) -- (b);
\end{tikzpicture}%
\endgroup""",
        "TG217 TG217",
    ),
    "nobody to stand right of": (
        r"""
\begin{tikzpicture}
  \node (a) {};
  \node[right=of a] (b) {};
  \node[above right=of c] (d) {};
  \draw (a) -- (b) -- (d);
\end{tikzpicture}""",
        "TG219",
    ),
    "a colour of the palette, spelt in numbers": (
        r"""
\definecolor{otblue}{RGB}{0,114,178}
\definecolor{otteal}{rgb}{0,0.63,0.45}
\begin{tikzpicture}
  \draw[otblue, fill=otteal] (0,0) -- (1,1);
\end{tikzpicture}""",
        "TG209",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("spell", ["\n", "\r\n", "\n\ufeff"], ids=["lf", "crlf", "bom"])
def test_figures_of_other_kinds(name: str, spell: str) -> None:
    source, wanted = OTHERS[name]
    text = "\ufeff" * spell.endswith("\ufeff") + source.strip().replace("\n", spell.removesuffix("\ufeff"))
    found = broken_written(read_written("fig.tex", text.encode(), Metadata.parse_file("fig.meta.json", None)))
    assert [each.code for each in found] == wanted.split()


def test_line_ends_and_byte_order_marks_move_no_place() -> None:
    text = SEED.read_text(encoding="utf-8")
    places = []
    for spelt in (text, text.replace("\n", "\r\n"), f"\ufeff{text}"):
        found = broken_written(read_written("fig.tex", spelt.encode(), Metadata.parse_file("fig.meta.json", None)))
        places.append([(each.code, each.place) for each in found])
    assert places[0] == places[1] == places[2]


def test_findings_of_a_figure_are_annotations(tmp_path: Path) -> None:
    place = tmp_path / "fig.tex"
    place.write_text(figure(SEED, "{\\pslabel};", "{Parameter server};").facts.text, encoding="utf-8")
    lines = run("check", str(place), "--format", "github").out.splitlines()
    assert f"::error file={place},line=87,col=33,title=TG216 repeated-text::" in "\n".join(lines)
    assert {line.split()[0] for line in lines} == {"::error", "::warning"}


def test_every_rule_has_a_bad_and_a_good_example() -> None:
    held = {path.name.partition(".")[0] for path in (ROOT / "tests" / "cases" / "rules").glob("TG*.bad.*")}
    good = {path.name.partition(".")[0] for path in (ROOT / "tests" / "cases" / "rules").glob("TG*.good.*")}
    assert held == good == {rule.code for rule in all_rules()}


def test_there_are_mutants_of_every_rule() -> None:
    mutants = [
        *OF_OTHERS,
        *OF_TOPOLOGIES,
        *OF_TIMELINES,
        *OF_MASSES,
        *OF_LAYERS,
        *(mutant for each in DRAWN.values() for mutant in each),
    ]
    broken = {code for mutant in mutants for code in mutant.codes.split()}
    written = {rule.code for rule in all_rules() if rule.code.startswith("TG2")}
    assert {code for code in broken if code.startswith("TG2")} == written
    assert len({mutant.name for mutant in mutants}) >= 60
    assert len(OF_OTHERS) >= 25
    assert len(OF_TOPOLOGIES) + len(OF_TIMELINES) >= 15


def test_the_template_as_it_is() -> None:
    found = [(each.code, each.place.line, each.place.column) for each in check(SEED)]
    assert found == [("TG213", 17, 1), ("TG212", 50, 17)]


@pytest.mark.parametrize("example", some(EXAMPLES), ids=lambda path: path.stem)
def test_own_figures_break_no_rule(example: Path) -> None:
    assert check(example_tex(example.stem)) == ()


KINDS_OF_ONE_COLOUR = """\
panels:
- content:
    type: topology
    nodes: [{id: w1}, {id: w2}, {id: ps}]
    flows:
    - {source: w1, target: ps, kind: data}
    - {source: w2, target: ps, kind: control}
    - {source: w1, target: w2, kind: fetch}
    - {source: ps, target: w2, kind: activation}
"""


def test_built_in_kinds_of_one_colour_are_apart_by_their_dash() -> None:
    tex = loads(KINDS_OF_ONE_COLOUR).tex()
    metadata = Metadata.parse_file("fig.meta.json", json.dumps(loads(KINDS_OF_ONE_COLOUR).metadata()).encode())
    assert "distinct palette colors or dashes" in metadata.text
    assert not broken_written(read_written("fig.tex", tex.encode(), metadata))
    solid = tex.replace(", dotted}", "}")
    assert [each.code for each in broken_written(read_written("fig.tex", solid.encode(), metadata))] == ["TG207"]


def test_a_decoration_is_no_style_of_the_contract() -> None:
    figure = load(ROOT / "tests/cases/topologies/chips.yaml")
    assert "decoration={waves" in figure.tex()
    metadata = Metadata.parse_file("fig.meta.json", json.dumps(figure.metadata()).encode())
    assert not broken_written(read_written("fig.tex", figure.tex().encode(), metadata))


def test_a_description_of_another_version_is_still_looked_at(tmp_path: Path) -> None:
    place = tmp_path / "fig.tex"
    place.write_text(example_tex("overlap").read_text(encoding="utf-8").replace('": 1,', '": 2,'))
    assert read_figure_file(place).has_description
    spec = '{"recipe": "nowhere"}'
    place.write_text(place.read_text(encoding="utf-8").partition("% tikzgen spec")[0] + f"{SPEC}\n% {spec}\n")
    with pytest.raises(SpecError, match="nowhere"):
        check(place)


# ---- metadata ----

MISSHAPEN = [
    ({"requires": None}, "", 'the field "requires" is missing'),
    ({"id": None}, "", 'the field "id" is missing'),
    ({"id": "Not Kebab"}, '"Not Kebab"', 'the field "id" is "Not Kebab"'),
    ({"tag": ["x"]}, '["x"]', 'the field "tag" is not a field that the schema knows'),
    ({"type": "figure"}, '"figure"', 'the field "type" is "figure"'),
    ({"tags": ["a", "a"]}, '"a"]', '"a" is used twice in the field "tags"'),
    ({"domain": []}, "[]", 'the field "domain" is empty'),
    ({"author": 3}, "3", 'the field "author" is not a text'),
    ({"edit_contract": {"styles": ["x"]}}, '{"styles', 'the field "edit_contract.parameters" is missing'),
]


@pytest.mark.parametrize(("change", "at", "message"), MISSHAPEN, ids=[each[2] for each in MISSHAPEN])
def test_metadata_are_checked_against_the_whole_schema(change: dict[str, Any], at: str, message: str) -> None:
    data = json.loads(SEED.with_suffix(".meta.json").read_bytes()) | change
    data = {key: value for key, value in data.items() if value is not None}
    metadata = Metadata.parse_file("fig.meta.json", json.dumps(data).encode())
    found = read_written("fig.tex", SEED.read_bytes(), metadata)
    findings = [each for each in broken_written(found) if each.code == "TG214"]
    assert message in [each.message for each in findings]
    told = next(each for each in findings if each.message == message)
    assert standing_at(found, told).startswith(at)
    assert told.place.file == "fig.meta.json"


def values(schema: dict[str, Any]) -> list[Any]:
    """Right and wrong values for a schema, one thing wrong at a time."""
    kind = schema["type"]
    if kind == "string":
        return ["fine", "", "Not Kebab", "template", 3, None]
    if kind == "boolean":
        return [True, 0, "yes"]
    if kind == "array":
        inner = values(schema["items"])
        return [[], [inner[0]], [inner[0], inner[0]], *([each] for each in inner), "no list", {}]
    whole = {name: values(each)[1 if each["type"] == "array" else 0] for name, each in schema["properties"].items()}
    if "enum" in schema["properties"].get("type", {}):
        whole["type"] = "template"
    changed = [whole | {name: value} for name, each in schema["properties"].items() for value in values(each)]
    missing = [{name: value for name, value in whole.items() if name != gone} for gone in whole]
    return [whole, *changed, *missing, whole | {"other": 1}, {}, [], None]


def test_our_schema_takes_what_that_of_opentikz_takes() -> None:
    theirs = json.loads((SEED.parent / "meta.schema.json").read_bytes())
    both = [(Draft202012Validator(schema), values(schema)) for schema in (SCHEMA, theirs)]
    (ours, first), (other, second) = both
    data = [*first, *second]
    assert [each for each in data if ours.is_valid(each) != other.is_valid(each)] == []
    assert {ours.is_valid(each) for each in data} == {True, False}


def test_all_that_is_wrong_is_told() -> None:
    for data in values(SCHEMA):
        assert bool(find_schema_errors(data)) is not Draft202012Validator(SCHEMA).is_valid(data), data


@pytest.mark.parametrize(
    ("data", "message", "line", "column"),
    [
        (b'{\n  "id": }', "no JSON: Expecting value", 2, 9),
        (b"[]", "no mapping", 1, 1),
        (b"\xff{}", "no JSON in UTF-8", 1, 1),
    ],
)
def test_metadata_that_cannot_be_read_are_told_with_their_place(
    data: bytes, message: str, line: int, column: int
) -> None:
    found = read_written("fig.tex", SEED.read_bytes(), Metadata.parse_file("fig.meta.json", data))
    (told,) = [each for each in broken_written(found) if each.code == "TG214"]
    assert (told.message, told.place.line, told.place.column) == (f"the metadata are {message}", line, column)


def test_what_arrows_end_on_in_a_figure_of_rows_overlaps_nothing(tmp_path: Path) -> None:
    spec = "recipe: pipeline\nschedule: zb-v\ndevices: 8\nmicrobatches: 16\nlatency: 1/2\narrows: critical\n"
    drawn = tmp_path / "figure.tex"
    drawn.write_text(loads(spec).tex(), "utf-8")
    text = drawn.read_text("utf-8")
    assert "\\row " in text and "draw=none]" in text
    assert not [found for found in check(drawn) if found.code == "TG221"]


def test_what_others_name_as_they_like_is_theirs(tmp_path: Path) -> None:
    body = r"""\begin{tikzpicture}
\foreach \at/\name in {{(0,2)/1st}, {(2,1)/2_nd}} \node (\name) at \at {};
\draw[->] (1st) -- (2_nd);
\end{tikzpicture}
"""
    source = "\\documentclass{standalone}\n\\usepackage{tikz}\n\\begin{document}\n" + body + "\\end{document}\n"
    path = tmp_path / "figure.tex"
    path.write_text(source, encoding="utf-8")
    assert {each.code for each in check(path)} & {"TG204", "TG219"} == set()


def test_equal_numbers_in_lines_of_a_render_are_a_coincidence(tmp_path: Path) -> None:
    """A number that equals a parameter is reported where a person wrote it."""
    path = tmp_path / "fig.tex"
    text = load(ROOT / "tests/cases/lint/equal-numbers.yaml").tex()
    line = next(line for line in text.split("\n") if ",0.388)" in line)
    assert "\\def\\lanesep{0.388}" in text
    for tex, codes in ((text, []), (text.replace(line, line.replace("anchor=west", "anchor=east")), ["TG217"])):
        path.write_text(tex, encoding="utf-8")
        assert [each.code for each in check(path)] == codes
