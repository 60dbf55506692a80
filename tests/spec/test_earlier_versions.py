"""Files that earlier versions wrote: they are ours for ever, as they are and edited by hand.

`tests/cases/past` holds a file of every generation of the templates, by the commit that wrote it; more are added, and
none is taken away.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import run
from conftest import ROOT

from tikzgen import load, loads, show
from tikzgen.spec.embedded_spec import FORMAT, Identity, hashes, identity_of, is_untouched, rows_of, split_file, unseal

PAST = sorted((ROOT / "tests/cases/past").glob("*.tex"))
MINE = ("% a comment of mine\n", "% the second node\n")


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_format_is_among_them() -> None:
    told = [identity_of(json.loads(unseal(path.read_text(encoding="utf-8")) or "{}")) for path in PAST]
    assert {identity.format for identity in told if identity} >= {*range(1, FORMAT + 1)}


def by_hand(text: str) -> str:
    """A file with a comment more, and one node changed: one that is spelt today as it was then, or the first text of
    its line would be nowhere."""
    rows = rows_of(text)
    today = set(rows_of(loads(unseal(text) or "").tex()))
    begin = rows.index("\\begin{document}\n")
    nodes = [place for place, row in enumerate(rows) if place > begin and "\\node" in row and row.endswith(";\n")]
    node = [place for place in nodes if rows[place] in today][1]
    rows[node] = rows[node].replace(";\n", f";{MINE[1]}")
    return "".join([*rows[:begin], MINE[0], *rows[begin:]])


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
    assert identity_of(json.loads(unseal(text) or "{}")).version  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("past", PAST, ids=lambda path: path.stem)
def test_a_file_that_was_edited_by_hand_is_ours(past: Path) -> None:
    path = Path("fig.tex")
    path.write_text(by_hand(past.read_text(encoding="utf-8")), encoding="utf-8")
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
    path.write_bytes((ROOT / "tests/cases/past/12c2688-distributed-training.tex").read_bytes())
    assert run("edit", "fig.tex", "add-worker", "+", "set", "rowsep=3").status == 0
    assert run("render", "fig.tex", "-o", "again.tex").status == 0
    again = Path("again.tex").read_text(encoding="utf-8")
    assert "(w4)" in again
    assert "\\def\\rowsep{3}%" in again
    assert again == path.read_text(encoding="utf-8")
    assert run("edit", "fig.tex", "width", "ieee-column").status == 0


@pytest.mark.parametrize("past", ["71562c2-parameter-server", "71562c2-ddp-overlap", "12c2688-distributed-training"])
def test_comments_in_a_file_of_format_1_are_no_conflict(past: str) -> None:
    """Though its lines are spelt otherwise today."""
    text = (ROOT / f"tests/cases/past/{past}.tex").read_text(encoding="utf-8")
    begin = text.index("\\begin{document}")
    node = text.index(";\n", text.index("\\node", begin)) + 1
    path = Path("fig.tex")
    path.write_text(f"{text[:begin]}% mine\n{text[begin:node]} % TODO ask Bob{text[node:]}", encoding="utf-8")
    figure = show(path)
    assert [each.after for each in figure.hand_edits or () if each.kind == "added"] == ["% mine"]
    assert run("edit", "fig.tex", "palette", "dark").status == 0
    edited = path.read_text(encoding="utf-8")
    assert "% mine\n" in edited
    assert "; % TODO ask Bob\n" in edited


def test_where_nothing_tells_what_was_edited_all_that_stands_is_kept() -> None:
    """A line that the templates spell otherwise now and that a person changed: its first text is nowhere."""
    path = Path("fig.tex")
    text = (ROOT / "tests/cases/past/aba0c82-distributed-training.tex").read_text(encoding="utf-8")
    begin = text.index("\\begin{document}")
    path.write_text(text[:begin] + text[begin:].replace("\\node[", "\\node[% mine\n    "), encoding="utf-8")
    figure = show(path)
    assert figure.own
    assert figure.hand_edits is None
    before = path.read_text(encoding="utf-8")
    done = run("edit", "fig.tex", "palette", "dark")
    if done.status:
        assert path.read_text(encoding="utf-8") == before
    else:
        assert path.read_text(encoding="utf-8").count("% mine\n") == before.count("% mine\n")


@pytest.mark.slow
def test_what_a_file_records_of_itself() -> None:
    figure = load(ROOT / "examples/parameter-server-column.yaml")
    text = figure.tex()
    identity = identity_of(json.loads(unseal(text) or "{}"))
    assert identity is not None
    assert identity.format == FORMAT
    assert identity.lines == hashes(rows_of(head(text)))
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
        {"format": 2, "lines": 3},
        {"format": 2, "lines": [1]},
        {"format": 2, "form": []},
    ],
)
def test_what_no_version_recorded_is_refused(told: object) -> None:
    assert identity_of({"tikzgen": told}) is None


def test_format_1_says_its_number_alone() -> None:
    assert identity_of({"tikzgen": 1}) == Identity(1)


def test_files_with_templates_of_ones_own_are_not_rendered_with_tikzgens() -> None:
    Path("mine").mkdir()
    source = (ROOT / "templates/figure.tex.j2").read_text(encoding="utf-8")
    Path("mine/figure.tex.j2").write_text("% from my own template\n" + source, encoding="utf-8")
    Path("fig.yaml").write_text("recipe: data-parallel\n", encoding="utf-8")
    assert run("render", "fig.yaml", "--templates", "mine").status == 0
    figure = show("fig.tex")
    assert not figure.own
    assert figure.origin.trouble == "the figure was rendered with templates of one's own"
    assert run("edit", "fig.tex", "set", "rowsep=3").status == 0
    text = Path("fig.tex").read_text(encoding="utf-8")
    assert text.startswith("% from my own template\n")
    assert "\\def\\rowsep{3}%" in text


@pytest.mark.parametrize(
    ("stem", "texts"),
    [
        ("71562c2-distributed-training", {"titlelabel": "Distributed data-parallel training"}),
        ("71562c2-gradient-accumulation-en", {"gpuonelanelabel": "GPU1"}),
        ("71562c2-stale-synchronous", {"wzerolanelabel": "worker 0"}),
        ("71562c2-parameter-server-en", {"gonelanelabel": "G1", "workeronesublabel": "on GPU1 (G1)"}),
    ],
)
def test_what_was_by_default_stays_in_files_of_then(stem: str, texts: dict[str, str]) -> None:
    past = (ROOT / f"tests/cases/past/{stem}.tex").read_text(encoding="utf-8")
    Path("fig.tex").write_text(past, encoding="utf-8")
    assert run("pull", "fig.tex", "-o", "fig.yaml").status == 0
    for figure in (load("fig.tex"), load("fig.yaml"), loads(unseal(load("fig.yaml").tex()) or "")):
        assert all(f"\\def\\{name}{{{text}}}" in figure.tex() for name, text in texts.items())


def test_what_was_by_default_in_format_two_stays() -> None:
    old = '{"tikzgen": {"format": 2, "version": "0.1"}, "recipe": '
    assert loads(old + '"data-parallel"}') == loads(
        "recipe: data-parallel\ntitle: Distributed data-parallel training\n"
    )
    assert loads(old + '"gradient-accumulation"}') == loads(
        "recipe: gradient-accumulation\nfirst: 1\nshow: 1024\nlabels: {update: gradient update}\n"
    )
    assert loads(old + '"fsdp", "workers": 16}') == loads("recipe: fsdp\nworkers: 16\nshow: 16\n")
    talk = '"pipeline", "schedule": "1f1b", "slides": "time", "meta": {"name": "A talk"}}'
    assert [loads(start + talk).title for start in (old, '{"recipe": ')] == ["", "A talk"]
    again = json.loads(unseal(loads(old + talk).tex()) or "")
    assert again["title"] == ""


def test_what_was_by_default_in_format_three_stays() -> None:
    two = '"pipeline", "schedule": ["1f1b", "interleaved-1f1b"]}'
    old = loads('{"tikzgen": {"format": 3, "version": "0.2"}, "recipe": ' + two)
    assert old == loads('{"recipe": ' + two[:-1] + ', "durations": "stage"}')
    assert old != loads('{"recipe": ' + two) == loads('{"recipe": ' + two[:-1] + ', "durations": "device"}')
    for recipe, labels in (
        ("parameter-server", "compute: minibatch"),
        ("gradient-accumulation", "update: gradient update"),
        ("serving", "waiting: waiting"),
    ):
        was = loads('{"tikzgen": {"format": 3, "version": "0.2"}, "recipe": "' + recipe + '"}')
        assert was.tex() == loads(f"recipe: {recipe}\nlabels: {{{labels}}}\n").tex()


def test_what_was_by_default_in_the_format_that_was_taken_back_stays() -> None:
    fsdp = ', "version": "0.1.0"}, "recipe": "fsdp"}'
    assert loads('{"tikzgen": {"format": 5' + fsdp) == loads("recipe: fsdp\nbackward: 4\nreduce_scatter: 1\n")
    assert loads('{"tikzgen": {"format": 4' + fsdp) == loads("recipe: fsdp\n")


def test_a_node_without_a_label_stays_blank_in_a_figure_of_an_earlier_version() -> None:
    spec = "panels:\n- content: {type: topology, nodes: [{id: a, kind: node, label: ''}, {id: b, kind: node}]}\n"
    tex = loads(spec).tex()
    assert [node["label"] for node in json.loads(unseal(tex) or "")["panels"][0]["content"][0]["nodes"]] == ["", "b"]
    assert loads(unseal(tex) or "").tex() == tex
    before = re.sub(r',\n% +"label": ""', "", tex)  # earlier versions left out empty labels
    assert before.count("label") < tex.count("label")
    assert loads(unseal(before) or "").tex() == tex
