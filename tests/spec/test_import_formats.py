"""Languages of diagrams: each documented example is imported, each case gives its spec, and packages add languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT
from extension_packages import install

from tikzgen.base.errors import SpecError, TikzgenError
from tikzgen.base.extensions import is_attribute_missing
from tikzgen.emit.render_figure import render
from tikzgen.spec.diagrams.import_formats import BUILT_IN_SUFFIXES, IMPORT_FORMATS, Syntax, read_diagram_text
from tikzgen.spec.load_figure import figure_of, import_diagram, load, load_from_text
from tikzgen.spec.spec_text import to_yaml

CASES = ROOT / "tests" / "cases" / "import"
_LEAST_COUNTS = {"flowchart": 45, "sequence": 34, "gantt": 19, "dot": 60, "d2": 60}
FILES = sorted(file for file in CASES.glob("*/*") if file.suffix in BUILT_IN_SUFFIXES)


def list_examples(*, taken: bool) -> list[tuple[str, Syntax]]:
    """Return the documented examples with their languages."""
    names = IMPORT_FORMATS.built_in
    return [(name, each) for name in names for each in IMPORT_FORMATS[name].syntax if each.is_taken == taken]


def frame(name: str, example: str) -> str:
    return IMPORT_FORMATS[name].frame.format(example)


def read(name: str, text: str, *, partial: bool = False) -> tuple[str, list[str]]:
    """Return the spec and the omissions of a text."""
    builder, source = read_diagram_text(text, "x", stated=name, partial=partial)
    document = builder.make_document()
    figure_of(document)
    return to_yaml(document.data), [str(problem) for problem in source.problems]


def test_each_language_is_complete_and_its_suffixes_are_known() -> None:
    for name in IMPORT_FORMATS.built_in:
        found = IMPORT_FORMATS[name]
        assert not [each for each in IMPORT_FORMATS.needed if is_attribute_missing(found, each)], name
        assert {each.is_taken for each in found.syntax} == {True, False}, name
        assert len([file for file in FILES if file.parent.name == name]) >= _LEAST_COUNTS[name], (
            f"write cases of {name}"
        )
    suffixes = [suffix for name in IMPORT_FORMATS.built_in for suffix in IMPORT_FORMATS[name].suffixes]
    assert tuple(dict.fromkeys(suffixes)) == BUILT_IN_SUFFIXES


@pytest.mark.parametrize(("name", "syntax"), list_examples(taken=True))
def test_a_documented_example_is_taken(name: str, syntax: Syntax) -> None:
    spec, left_out = read(name, frame(name, syntax.example))
    assert not left_out
    assert (spec == read(name, frame(name, ""))[0]) == syntax.meaning.startswith("nothing")


@pytest.mark.parametrize(("name", "syntax"), list_examples(taken=False))
def test_a_documented_example_is_refused_with_its_line_and_left_out(name: str, syntax: Syntax) -> None:
    text = frame(name, syntax.example)
    with pytest.raises(SpecError) as caught:
        read(name, text)
    example_line = text[: text.index(syntax.example)].count("\n") + 1
    lines = syntax.example.count("\n")
    for problem in caught.value.problems:
        assert problem.hint
        assert problem.place is not None
        assert example_line <= (problem.place.line or 0) <= example_line + lines
    assert len(read(name, text, partial=True)[1]) == len(caught.value.problems)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_case_gives_its_spec(file: Path) -> None:
    spec = file.with_suffix(".yaml").read_text("utf-8")
    assert to_yaml(import_diagram(file).document.data) == spec
    assert load_from_text(spec) == load(file)  # a YAML parser reads the same labels


@pytest.mark.slow
@pytest.mark.parametrize("name", IMPORT_FORMATS.built_in)
def test_the_cases_of_a_language_are_drawn(name: str) -> None:
    for file in FILES:
        if file.parent.name == name:
            rendered = render(load(file))
            assert not rendered.notes, file


@pytest.mark.parametrize("name", IMPORT_FORMATS.built_in)
def test_the_contents_decide_without_a_suffix(name: str) -> None:
    for file in (each for each in FILES if each.parent.name == name):
        text = file.read_text("utf-8")
        known = [each for each in IMPORT_FORMATS.built_in if IMPORT_FORMATS[each].recognizes_text(text)]
        assert known[0] == name, file


def test_render_and_check_and_show_take_a_diagram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.mmd").write_text("flowchart LR\nA --> B\n")
    assert run("render", "x.mmd").status == 0
    assert "tikzpicture" in Path("x.tex").read_text()
    assert run("check", "x.mmd").status == 0
    Path("y.yaml").write_text("extends: x.mmd\nwidth: 8.4\n")
    assert run("render", "y.yaml").status == 0
    assert run("render", "-", "--stdin-filename", "z.dot", stdin="digraph { a -> b }").status == 0


@pytest.mark.parametrize(
    "words", [("show",), ("edit", "add-node node=c"), ("pull",), ("upgrade",)], ids=lambda each: each[0]
)
def test_commands_for_figures_name_the_way_from_a_diagram(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.mmd").write_text("flowchart LR\nA --> B\n")
    command, *operation = words
    done = run(command, "x.mmd", *" ".join(operation).split())
    assert done.status in (1, 2)
    assert done.err == (
        "x.mmd: is a diagram, not a figure "
        "(`tikzgen render x.mmd` writes x.tex, `tikzgen import x.mmd` a spec; name x.tex)\n"
    )


def test_import_writes_a_spec_that_renders_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.d2").write_text("a -> b: text\n")
    done = run("import", "x.d2", "-o", "x.yaml")
    assert (done.status, done.out, done.err) == (0, "", "x.yaml written; next: tikzgen render x.yaml\n")
    assert render(load("x.yaml")).tex == render(load("x.d2")).tex
    again = run("import", "x.d2", "-o", "x.yaml")
    assert (again.status, again.err) == (1, "x.yaml: exists already (--force overwrites it, -o writes elsewhere)\n")
    assert run("import", "x.d2", "-o", "x.yaml", "--force").status == 0
    assert run("import", "-", stdin="graph { a -- b }").out.count("direction: none") == 1
    unknown = run("import", "x.d2", "--language", "dott")
    assert (unknown.status, unknown.err) == (2, 'language: unknown language "dott" (did you mean "dot"?)\n')


def test_a_partial_import_lists_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.mmd").write_text("flowchart LR\nA[[sub]] --> B:::c\nclassDef c fill:#f96\nA_1 --> A-1\n")
    done = run("import", "x.mmd", "--partial")
    assert done.status == 0
    assert done.err.splitlines() == [
        'x.mmd:2:2: left out: shape "[[]]"',
        "x.mmd:2:15: left out: unsupported class of a node",
        'x.mmd:3:1: left out: unsupported statement "classDef"',
        'x.mmd:4:9: "A-1" has the id "A-1-2", because "A-1" is in use',
    ]
    strict = run("import", "x.mmd")
    assert (strict.status, strict.out) == (2, "")
    assert strict.err.splitlines()[2] == (
        'x.mmd:3:1: unsupported statement "classDef" (`tikzgen import --partial` leaves it out)'
    )
    assert run("render", "x.mmd").err == strict.err


def test_a_package_adds_a_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.edges"
    file.write_text("a b\nb c\n")
    with pytest.raises(TikzgenError):
        import_diagram(file)
    install(monkeypatch, tmp_path / "site", "edge-import")
    flows = import_diagram(file).document.data["panels"][0]["content"]["flows"]
    assert json.dumps(flows) == '[{"source": "a", "target": "b"}, {"source": "b", "target": "c"}]'
    assert load(file).panels
    file.write_text("a b\na b c\n")
    with pytest.raises(SpecError, match=r"x\.edges:2:1: an edge has two names"):
        load(file)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot calls old names of pyparsing
def test_pydot_finds_the_same_edges_and_clusters() -> None:
    """The names of pydot keep their quotation marks and ports; it reads no subgraph as an end of an edge."""
    import pydot

    for file in (each for each in FILES if each.parent.name == "dot"):
        if file.stem == "attribute-lists":
            continue  # pydot reads only one list of attributes
        text = file.read_text("utf-8")
        graphs = pydot.graph_from_dot_data(text)
        assert graphs, file
        content = import_diagram(file).document.data["panels"][0]["content"]
        flows = {(flow["source"], flow["target"]) for flow in content.get("flows", [])}
        edges = [edge for edge in list_edges(graphs[0]) if all(isinstance(end, str) for end in edge)]
        if text.startswith("strict"):
            edges = [edge for at, edge in enumerate(edges) if not {edge, edge[::-1]} & {*edges[:at]}]
        plain = {edge for edge in edges if all(end.isalnum() and end.isascii() and end[0].isalpha() for end in edge)}
        if "compound" not in text:
            is_turned = "rankdir=RL" in text or "rankdir=BT" in text
            assert plain <= ({(target, source) for source, target in flows} if is_turned else flows), file
        assert len(edges) <= len(content.get("flows", []))
        assert len(list_clusters(graphs[0])) == len(content.get("groups", []))


def list_edges(graph: Any) -> list[tuple[Any, Any]]:
    inside = [edge for each in graph.get_subgraphs() for edge in list_edges(each)]
    return inside + [(edge.get_source(), edge.get_destination()) for edge in graph.get_edges()]


def list_clusters(graph: Any) -> list[str]:
    inside = [name for each in graph.get_subgraphs() for name in list_clusters(each)]
    return inside + [each.get_name() for each in graph.get_subgraphs() if each.get_name().startswith("cluster")]
