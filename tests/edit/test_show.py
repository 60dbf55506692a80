"""`tikzgen show`: what a figure holds, what a person changed in it, and which operations it allows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import EXAMPLES, ROOT, SWEPT, example_tex
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from opentikz import SEED
from pydantic import ValidationError
from source import TEXTS

from tikzgen import load, show
from tikzgen.edit.allowed_operations import names_in, reasons, schema
from tikzgen.edit.show_figure import as_data, as_text
from tikzgen.emit.figure_files import Rendered
from tikzgen.lint.inventory import Inventory, take
from tikzgen.lint.inventory.inventory_facts import HandEdit
from tikzgen.model.operations.operations_table import OPERATIONS, read_operation
from tikzgen.texfile.source_text import encode

CASES = ROOT / "tests" / "cases" / "show"
OWN = example_tex("distributed-training")

# a topology and a timeline: the others would only be long
REVIEWED = ["distributed-training", "overlap"]

HAND_EDITS = [
    (r"\def\colsep{4.6}", r"\def\colsep{5}"),
    (r"\def\pslabel{Parameter server}", r"\def\pslabel{PS}"),
    (r"(w3) at (\colsep,-\rowsep)", r"(w3) at (\colsep,{-\rowsep-1})"),
    ("  % title\n", "  \\node (mine) at (0,0) {x};\n  % title\n"),
    ("  % labels below the icons\n", ""),
]


def by_hand(text: str) -> str:
    """The figure as a person left it."""
    for before, after in HAND_EDITS:
        assert before in text
        text = text.replace(before, after)
    return text


@pytest.fixture(scope="module")
def edited() -> Inventory:
    return take(by_hand(OWN.read_text(encoding="utf-8")).encode(), "fig.tex")


@pytest.mark.parametrize("name", REVIEWED)
def test_examples_hold_what_was_reviewed(name: str, golden: Callable[[Path, str], None]) -> None:
    path = example_tex(name)
    data = as_data(take(path.read_bytes(), path.name, path))
    assert data.pop("digest") == sha256(path.read_bytes()).hexdigest()
    if name != REVIEWED[0]:  # the schemas of operations are the same but for names
        data["operations"] = [each["id"] for each in data["operations"]]
    golden(CASES / f"{name}.json", json.dumps(data, ensure_ascii=False, indent=1) + "\n")


@pytest.mark.parametrize("example", SWEPT)
def test_every_example_is_read_whole(example: Path) -> None:
    found = show(example_tex(example.stem))
    assert found.own
    assert found.origin.untouched
    assert found.problems == ()
    assert found.hand_edits == ()
    assert all(each.default == each.value for each in found.parameters)


def test_the_template_of_others_holds_what_was_reviewed(golden: Callable[[Path, str], None]) -> None:
    found = take(SEED.read_bytes(), SEED.name, SEED)
    golden(CASES / "opentikz.json", json.dumps(as_data(found), ensure_ascii=False, indent=1) + "\n")
    golden(CASES / "opentikz.txt", as_text(found))


LABELED = r"""\documentclass{standalone}\usepackage{tikz}\begin{document}\begin{tikzpicture}
\node (a) at (0,0) {A}; \node (b) at (2,0) {B}; \node (c) at (4,0) {C};
\draw[->] (a) -- node {one} node {two} (b);
\draw[->] (b) -- (c) node[midway] {three};
\end{tikzpicture}\end{document}
"""


def test_the_labels_of_a_flow_are_listed() -> None:
    found = take(LABELED.encode(), "fig.tex")
    assert [(flow.source, flow.target, flow.label) for flow in found.flows] == [
        ("a", "b", "one, two"),
        ("b", "c", "three"),
    ]


def test_text_for_people(edited: Inventory, golden: Callable[[Path, str], None]) -> None:
    golden(CASES / "edited-by-hand.txt", as_text(edited))


@pytest.mark.parametrize("name", ["zero-bubble", "parameter-server-column"])  # most nodes, and most text
def test_a_large_figure_is_told_in_brief_and_whole_where_that_is_asked(name: str) -> None:
    path = str(example_tex(name))
    brief, whole = run("show", path).out, run("show", path, "--all").out
    assert len(brief.encode()) < 8192 < len(whole)
    assert re.search(r"^nodes\n(?:  \S.*\n){7}  … and \d+ more \(--all\)$", brief, re.MULTILINE)
    nodes = [each["name"] for each in json.loads(run("show", path, "--format", "json").out)["nodes"]]
    assert len(nodes) > 70
    assert all(f"\n  {name} " in whole for name in nodes)


def test_hand_edits_are_told_line_by_line(edited: Inventory) -> None:
    found = edited.hand_edits
    assert found is not None
    assert found[:2] == (
        HandEdit("parameter", "\\colsep", "4.6", "5", 13),
        HandEdit("parameter", "\\pslabel", "Parameter server", "PS", 19),
    )
    assert [each.kind for each in found[2:]] == ["changed", "removed", "added"]
    assert {each.name: each.default for each in edited.parameters}["\\colsep"] == "4.6"
    assert not edited.origin.untouched
    assert edited.own


@given(st.sampled_from(["\r\n", "\n"]), st.booleans())
def test_line_ends_and_a_byte_order_mark_are_no_edits(end: str, mark: bool) -> None:
    text = OWN.read_text(encoding="utf-8").replace("\n", end)
    found = take(("\ufeff" * mark + text).encode(), "fig.tex")
    assert found.own
    assert found.hand_edits == ()


@pytest.mark.parametrize(
    ("before", "after", "trouble"),
    [
        ('"format": 4', '"format": 7', "the description inside has format 7, not 4"),
        ('%     "format": 4,', "%   oops", "the description inside cannot be read"),
        ('"data-parallel"', '"data-serial"', "the description inside cannot be rendered: fig.tex:"),
    ],
    ids=["other format", "no JSON", "no recipe"],
)
def test_a_description_that_cannot_be_used_is_said(before: str, after: str, trouble: str) -> None:
    text = OWN.read_text(encoding="utf-8")
    assert before in text
    found = take(text.replace(before, after).encode(), "fig.tex")
    assert found.origin.trouble.startswith(trouble)
    assert not found.own
    assert found.hand_edits is None
    assert reasons(OPERATIONS["width"], found, names_in(found)) == (found.origin.trouble,)


def test_a_parameter_has_its_default_without_metadata() -> None:
    found = take(OWN.read_bytes(), "fig.tex")
    assert all(each.default == each.value for each in found.parameters)


@pytest.mark.parametrize("path", [*SWEPT, pytest.param(SEED, id="seed")])
def test_schemas_name_what_the_figure_has(path: Path) -> None:
    path = path if path == SEED else example_tex(path.stem)
    found = take(path.read_bytes(), path.name, path)
    names = names_in(found)
    for each in OPERATIONS.values():
        if reasons(each, found, names):
            continue
        told = schema(each, names, found)
        Draft202012Validator.check_schema(told)
        for name, field in told["properties"].items():
            assert "choices" not in field
            assert field["description"]
            for value in field.get("enum", ()):
                others: dict[str, Any] = {key: "x" for key in told.get("required", ()) if key != name}
                others |= {key: 1 for key in others if _number(told["properties"][key])}
                one = {k: f.get("anyOf", [f])[0] for k, f in told["properties"].items()}  # of several, the first
                others |= {k: f["enum"][0] for k, f in one.items() if k in others and "enum" in f}
                Draft202012Validator(told).validate({**others, name: value})
                read_operation(each.operation_name(), {**others, name: value})


def _number(field: dict[str, Any]) -> bool:
    types = {field.get("type"), *(each.get("type") for each in field.get("anyOf", ()))}
    return not types.isdisjoint({"number", "integer"})


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(ValidationError):
        read_operation("add-worker", {"lable": "x"})


@pytest.mark.slow
def test_every_operation_is_possible_somewhere_and_impossible_elsewhere(tmp_path: Path) -> None:
    figures = [show(example_tex(path.stem)) for path in EXAMPLES]
    figures.append(show(load(ROOT / "tests/cases/marks/right.yaml").save(tmp_path / "marks.tex")))
    named = [(figure, names_in(figure)) for figure in figures]
    empty = take(b"\\documentclass{article}\n", "x.tex")
    for name, each in OPERATIONS.items():
        assert any(not reasons(each, *pair) for pair in named), name
        why = reasons(each, empty, names_in(empty))
        assert why, name
        assert all(reason.strip() for reason in why)


@given(TEXTS)
def test_any_text_can_be_shown(text: str) -> None:
    found = take(encode(text), "x.tex")
    json.dumps(as_data(found))
    as_text(found)


def test_the_command_line_reads_files_and_standard_input() -> None:
    for arguments, stdin in (((str(OWN),), b""), (("-",), OWN.read_bytes())):
        done = run("show", *arguments, "--format", "json", stdin=stdin)
        assert done.status == 0, done.err
        assert [each["name"] for each in json.loads(done.out)["nodes"]] == ["data", "w1", "w2", "w3", "ps"]


def test_a_file_that_is_not_there_is_one_line() -> None:
    done = run("show", "nowhere.tex")
    assert (done.status, done.err) == (2, "nowhere.tex: no such file or directory\n")


def test_showing_an_untouched_figure_renders_nothing() -> None:
    program = "import sys; from tikzgen import show; from tikzgen.edit.show_figure import as_data; "
    program += "as_data(show(sys.argv[1])); "
    program += "print(sorted(name for name in sys.modules if name.startswith('jinja2')))"
    done = subprocess.run([sys.executable, "-c", program, str(OWN)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_load_and_show_agree_on_the_nodes() -> None:
    figure = load(ROOT / "examples" / "distributed-training.yaml")
    assert {node.id for node in show(OWN).nodes} == figure.refs().keys() - {"batch", "grad", "weight"}


def test_hand_edits_are_known_by_the_lines_that_the_file_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a version that drew another picture: only what stood there before is not known then."""
    text = by_hand(OWN.read_text(encoding="utf-8"))
    first = take(text.encode(), "fig.tex").hand_edits or ()
    monkeypatch.setattr("tikzgen.emit.render_figure.render", lambda figure: Rendered("% other templates\n", {}))
    then = take(text.encode(), "fig.tex").hand_edits or ()
    assert [(each.kind, each.name, each.after, each.line) for each in then] == [
        (each.kind, each.name, each.after, each.line) for each in first
    ]
    assert [each.before for each in then if each.name == "\\colsep"] == ["4.6"]


def test_a_digest_that_somebody_changed_is_no_edit_of_the_figure() -> None:
    text = OWN.read_text(encoding="utf-8").replace("% tikzgen digest: ", "% tikzgen digest: 0")
    found = take(text.encode(), "fig.tex")
    assert not found.origin.untouched
    assert found.hand_edits == ()
    assert found.own


def test_a_path_is_a_flow_only_if_it_is_drawn(tmp_path: Path) -> None:
    paths = "\\path[draw] (a) -- (b);\n\\path (a) -- (b);\n\\path[->] (b) -- (a);\n"
    nodes = "\\node (a) at (0,0) {A};\n\\node (b) at (1,0) {B};\n"
    file = tmp_path / "fig.tex"
    file.write_text(
        "\\documentclass{standalone}\n\\usepackage{tikz}\n\\begin{document}\n\\begin{tikzpicture}\n"
        f"{nodes}{paths}\\end{{tikzpicture}}\n\\end{{document}}\n"
    )
    assert [(flow.source, flow.target) for flow in show(file).flows] == [("a", "b"), ("b", "a")]


def test_a_moved_node_is_shown_as_an_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = example_tex("distributed-training").read_text(encoding="utf-8")
    Path("fig.tex").write_text(text.replace("(w1) at (\\colsep,", "(w1) at ({\\colsep+0.3},"), encoding="utf-8")
    done = run("show", "fig.tex")
    assert done.status == 0
    assert "set-node node=w1 offset=0.3,0.0" in done.out
    assert run("edit", "fig.tex", "set-node", "w1", "offset=[0.3,0.5]").status == 0


def test_manual_edits_of_a_file_of_an_earlier_version_have_its_lines(tmp_path: Path) -> None:
    """The lines are those of the file, not those of the drawing; an unknown earlier text is not an empty one."""
    text = (ROOT / "tests/cases/past/4d8eaad-labels-by-number.tex").read_text(encoding="utf-8")
    edits = (("\\begin{document}", "% mine\n% mine\n\\begin{document}"), ("{first}", "{once}"))
    for old, new in (*edits, ("  % flows", "  \\draw (0,0) -- (9,9);\n  % flows")):
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "fig.tex"
    path.write_text(text, encoding="utf-8")
    line = 1 + text[: text.index("(0,0) -- (9,9)")].count("\n")
    shown = run("show", str(path)).out
    assert f"manual edits that are not in the spec\n  line {line}: line\n" in shown
    assert "\\gradientflowonelabel is once\n" in shown
    assert f"fig.tex:{line}: the spec cannot express " in run("check", str(path)).err
