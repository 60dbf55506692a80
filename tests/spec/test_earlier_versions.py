"""Files of earlier versions: those of the current format are read and edited, those of other formats are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT
from lift_cases import edited_by, lifted, operations
from past_figures import MINE, PAST, edit_by_hand
from ruamel.yaml import YAML

from tikzgen import check, load, loads, show
from tikzgen.edit.run_operation import run_operation
from tikzgen.model.operations import read_operation
from tikzgen.spec.embedded_spec import extract_spec, hash_lines, identity_of, is_untouched, rows_of, split_file


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def head(text: str) -> str:
    return split_file(text)[0]


@pytest.mark.slow
@pytest.mark.parametrize("past", PAST, ids=lambda path: path.stem)
def test_a_file_as_it_was_written_is_ours(past: Path) -> None:
    path = Path("fig.tex")
    path.write_bytes(past.read_bytes())
    figure = show(path)
    assert figure.own
    assert figure.origin.untouched
    assert figure.hand_edits == ()
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    assert load("fig.yaml") == load(path)
    assert run("edit", "fig.tex", "palette", "dark").err == "fig.tex: palette: applied\n"
    # what was applied is not lost: the figure is the one that its description makes
    text = path.read_text(encoding="utf-8")
    assert load(path).palette == "dark"
    assert load(path).tex() == text
    assert identity_of(json.loads(extract_spec(text) or "{}")).version  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("past", PAST, ids=lambda path: path.stem)
def test_a_file_that_was_edited_by_hand_is_ours(past: Path) -> None:
    path = Path("fig.tex")
    path.write_text(edit_by_hand(past.read_text(encoding="utf-8")), encoding="utf-8")
    figure = show(path)
    assert figure.own
    assert figure.hand_edits is not None
    assert [edit.after for edit in figure.hand_edits if edit.kind == "added"] == [MINE[0].strip()]
    assert len(figure.hand_edits) == 2
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    assert run("render", "fig.yaml", "-o", "fig.tex").status == 1
    assert run("render", "fig.yaml", "-o", "fig.tex", "--set", "palette=dark", "--merge").status == 0
    text = path.read_text(encoding="utf-8")
    assert all(mine in text for mine in MINE)
    assert load(path).palette == "dark"
    # and what came of it is of this version: known by its lines, whatever a later version would draw
    assert run("edit", "fig.tex", "palette", "light").status == 0
    assert all(mine in path.read_text(encoding="utf-8") for mine in MINE)


def test_an_edit_of_a_file_of_an_earlier_version_is_not_lost() -> None:
    path = Path("fig.tex")
    path.write_bytes((ROOT / "tests/cases/past/d7853c3-distributed-training.tex").read_bytes())
    assert run("edit", "fig.tex", "add-worker", "+", "set", "rowsep=3").status == 0
    assert run("render", "fig.tex", "-o", "again.tex").status == 0
    again = Path("again.tex").read_text(encoding="utf-8")
    assert "(w4)" in again
    assert "\\def\\rowsep{3}%" in again
    assert again == path.read_text(encoding="utf-8")
    assert run("edit", "fig.tex", "width", "ieee-column").status == 0


LIFTED = YAML(typ="safe").load((ROOT / "tests/cases/lift/past.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", LIFTED, ids=[f"{case['file']}-{number}" for number, case in enumerate(LIFTED)])
def test_manual_edits_of_a_file_of_an_earlier_version_are_operations(case: dict[str, Any]) -> None:
    text = edited_by(case, (ROOT / f"tests/cases/past/{case['file']}.tex").read_text(encoding="utf-8"))
    assert text is not None
    found = lifted(text)
    assert operations(found) == case["operations"]
    assert found.left_lines == ()
    Path("fig.tex").write_text(text, encoding="utf-8")
    assert run("edit", "fig.tex", "set-title", "Other").status == 0
    again = lifted(Path("fig.tex").read_text(encoding="utf-8"))
    assert not operations(again)
    assert again.own.first.draws_as(run_operation(found.said, read_operation("set-title", {"title": "Other"})))


LABELS = {
    r"\def\gradientflowtwolabel{second}": ("second", "pushed"),
    r"\def\forwardtext{F}": ("F", "forth"),
    r"\def\gpuonebackwardonetext{C}": ("C", "back"),
}
"""Labels of a file of an earlier version, which named the first two by number and by phase: old and new text."""


@pytest.mark.parametrize("verb", ["edit", "merge", "edit twice"])
def test_labels_by_hand_in_a_file_of_an_earlier_version_stay(verb: str) -> None:
    text = (ROOT / "tests/cases/past/4d8eaad-labels-by-number.tex").read_text(encoding="utf-8")
    Path("fig.tex").write_text(text, encoding="utf-8")
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    for definition, (old, new) in LABELS.items():
        assert text.count(definition) == 1
        text = text.replace(definition, definition.replace(f"{{{old}}}", f"{{{new}}}"))
    Path("fig.tex").write_text(text, encoding="utf-8")
    if verb == "merge":
        assert run("render", "fig.yaml", "-o", "fig.tex", "--set", "palette=dark", "--merge").status == 0
    else:
        assert run("edit", "fig.tex", "palette", "dark").status == 0
    if verb == "edit twice":
        assert run("edit", "fig.tex", "remove-node", "w1").status == 0
    nodes = {node.id: node.label for node in show("fig.tex").nodes}
    assert [nodes[name] for name in ("gpu0-forward1", "gpu1-forward1", "gpu1-backward1")] == ["forth", "forth", "back"]
    edited = Path("fig.tex").read_text(encoding="utf-8")
    assert r"\def\workertwotopsgradientlabel{pushed}" in edited
    assert r"\gradientflowtwolabel" not in edited
    assert not [each for each in check("fig.tex") if each.code == "TG227"]


@pytest.mark.parametrize("recorded", ["1", '{"format": 3, "version": "0.1"}', '{"format": 5}', '{"version": "0.1"}'])
def test_a_file_of_another_format_is_refused_in_one_line(recorded: str) -> None:
    text = loads("recipe: data-parallel\n").tex()
    block = json.dumps(json.loads(extract_spec(text) or "")["tikzgen"], indent=1)
    assert '"format": 4' in block
    inside = re.sub(r'%   "tikzgen": \{.*?\n%   \}', f'%   "tikzgen": {recorded}', text, flags=re.S)
    Path("fig.tex").write_text(inside, encoding="utf-8")
    number = re.search(r'format": (\d)|^(1)$', recorded)
    named = f"embedded in format {(number[1] or number[2]) if number else None}, which"
    for verb in (["render", "fig.tex", "-o", "out.tex"], ["check", "fig.tex"]):
        done = run(*verb)
        assert done.status == 2
        (line,) = [each for each in done.err.splitlines() if named in each]
        assert re.match(r"fig\.tex:\d+:\d+: tikzgen: embedded in format ", line)
    assert not Path("out.tex").exists()
    pulled = run("pull", "fig.tex", "-o", "fig.yaml")
    assert (pulled.status, Path("fig.yaml").exists()) == (1, False)
    assert "contains no spec of format 4" in pulled.err
    assert not show("fig.tex").own


@pytest.mark.slow
def test_what_a_file_records_of_itself() -> None:
    figure = load(ROOT / "examples/parameter-server-column.yaml")
    text = figure.tex()
    identity = identity_of(json.loads(extract_spec(text) or "{}"))
    assert identity is not None
    assert identity.lines == hash_lines(rows_of(head(text)))
    assert identity.form == {"facts": {"timeline": "below", "nodes": 3}}
    assert set(identity.values) == {"colsep", "rowsep", "timeunit", "laneheight", "lanesep", "panelsep"}
    assert is_untouched(text)


@pytest.mark.parametrize(
    "told",
    [
        None,
        3,
        "2",
        {},
        {"format": 9},
        {"format": 4, "lines": 3},
        {"format": 4, "lines": [1]},
        {"format": 4, "form": []},
    ],
)
def test_what_no_version_recorded_is_refused(told: object) -> None:
    assert identity_of({"tikzgen": told}) is None


def test_files_with_templates_of_ones_own_are_not_rendered_with_tikzgens() -> None:
    Path("mine").mkdir()
    source = (ROOT / "templates/figure.tex.j2").read_text(encoding="utf-8")
    Path("mine/figure.tex.j2").write_text("% from my own template\n" + source, encoding="utf-8")
    Path("fig.yaml").write_text("recipe: data-parallel\n", encoding="utf-8")
    assert run("render", "fig.yaml", "--templates", "mine").status == 0
    figure = show("fig.tex")
    assert not figure.own
    assert figure.origin.trouble == "the figure was rendered with custom templates"
    assert run("edit", "fig.tex", "set", "rowsep=3").status == 0
    text = Path("fig.tex").read_text(encoding="utf-8")
    assert text.startswith("% from my own template\n")
    assert "\\def\\rowsep{3}%" in text


def test_a_node_without_a_label_stays_blank_in_a_figure_of_an_earlier_version() -> None:
    spec = "panels:\n- content: {type: topology, nodes: [{id: a, kind: node, label: ''}, {id: b, kind: node}]}\n"
    tex = loads(spec).tex()
    assert [node["label"] for node in json.loads(extract_spec(tex) or "")["panels"][0]["content"][0]["nodes"]] == [
        "",
        "b",
    ]
    assert loads(extract_spec(tex) or "").tex() == tex
    before = re.sub(r',\n% +"label": ""', "", tex)  # earlier versions left out empty labels
    assert before.count("label") < tex.count("label")
    assert loads(extract_spec(before) or "").tex() == tex
