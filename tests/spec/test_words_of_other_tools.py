"""What the command line says to words of other programs, and to what is written as elsewhere: the way here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from tikzgen import load
from tikzgen.base.errors import SpecError
from tikzgen.cli import _FOREIGN_NAMES, _OPTIONS_ELSEWHERE, COMMANDS, cli


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("recipe: data-parallel\n", encoding="utf-8")


WRONG_COMMANDS = {
    "a.yaml": 'unknown command "a.yaml" (`tikzgen render a.yaml` draws it)',
    "compile a.yaml": 'unknown command "compile" (did you mean "build"?)',
    "init": 'unknown command "init" (did you mean "new"?)',
    "preview a.yaml": 'unknown command "preview" (did you mean "open"?)',
    "help": 'unknown command "help" (did you mean "--help"?)',
    "version": 'unknown command "version" (did you mean "--version"?)',
    "rendre a.yaml": 'unknown command "rendre" (did you mean "render"?)',
    "render a.yaml --theme dark": "No such option '--theme'. Did you mean '--palette'?",
    "render a.yaml --palete dark": "No such option '--palete'. Did you mean '--palette'?",
    "render a.yaml --engine xelatex": "No such option '--engine': `tikzgen build --engine` has it.",
    "render a.yaml --xyzzy": "No such option '--xyzzy'.",
    "build a.yaml -o out.png -f pdf,png": "out.png is one file, and pdf and png are 2 (give a folder to -o)",
    "build a.yaml -o out.png -f pdf": "out.png is no pdf (leave out --format, or give a folder to -o)",
    "render a.yaml fig.tex": "fig.tex: file not found (to write it: -o fig.tex)",
    "build a.yaml fig.pdf": "fig.pdf: file not found (to write it: -o fig.pdf)",
}


@pytest.mark.parametrize("command", WRONG_COMMANDS)
def test_a_command_of_elsewhere_is_told_its_name_here_and_writes_nothing(command: str) -> None:
    done = run(*command.split())
    assert done.status == 2
    assert WRONG_COMMANDS[command] in done.err, done.err
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def test_words_of_elsewhere_are_no_words_of_ours_and_mean_some() -> None:
    assert not _FOREIGN_NAMES.keys() & COMMANDS.keys()
    assert {each for each in _FOREIGN_NAMES.values() if not each.startswith("-")} <= COMMANDS.keys()
    context = cli.make_context("tikzgen", ["render"], resilient_parsing=True)
    verbs = [cli.get_command(context, name) for name in COMMANDS]
    ours = {option for verb in verbs if verb for param in verb.params for option in param.opts}
    assert not _OPTIONS_ELSEWHERE.keys() & ours
    assert {*_OPTIONS_ELSEWHERE.values()} <= ours


FIELDS = {
    "recipe: data-parallel\nracks: 3\n": "2:1: racks: unknown field (its own are recipe, workers, ",
    "recipe: data-parallel\nsteps: 3\n": "2:1: steps: unknown field (its own are recipe, workers, ",
    "recipe: data-parallel\nwokers: 3\n": '2:1: wokers: unknown field (did you mean "workers"?)',
    "nodes: [{kind: node, id: a}]\n": "1:1: nodes: has no panels (write it in a panel: panels: "
    "[{content: {type: topology, nodes: …}}])",
    "spans: []\n": "1:1: spans: has no panels (write it in a panel: panels: [{content: {type: timeline, spans: …}}])",
    "messages: []\n": "1:1: messages: has no panels (write it in a panel: panels: [{content: {type: spacetime, ",
    "panels:\n- content:\n    type: timeline\n    lanes: [{id: g}]\n    spans:\n    - {lane: g, start: 4, end: 6}\n": (
        "6:27: panels[0].content.spans[0].end: unknown field (write duration, which is end - start)"
    ),
    "panels:\n- content:\n    type: topology\n    nodes: [{kind: node, id: b, label: \\textbf{bold}}]\n": (
        "(TeX commands stand after !tex in single quotes: label: !tex '\\textbf{bold}')"
    ),
    "panels:\n- content:\n    type: topology\n    nodes: [{kind: node, id: b, label: $w_{1}$}]\n": (
        "(inside {…}, write math in single quotes: label: '$w_{1}$')"
    ),
}


@pytest.mark.parametrize("text", FIELDS)
def test_a_field_of_elsewhere_is_told_its_name_here(text: str) -> None:
    Path("b.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as refused:
        load("b.yaml")
    assert FIELDS[text] in str(refused.value)


TABLES = {
    "stage,ms\n0,1.5\n1,2\n": ["3/2", 2],
    "rank,ms\n1,3\n2,4\n": [3, 4],
    "forward\n3\n4\n": [3, 4],
    "mb0,mb1,mb2\n1,2,3\n4,5,6\n": [[1, 2, 3], [4, 5, 6]],
    "stage,mb0,mb1,mb2\n0,1,2,3\n1,4,5,6\n": [[1, 2, 3], [4, 5, 6]],
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_durations_may_have_a_header(table: str) -> None:
    Path("t.csv").write_text(table, encoding="utf-8")
    spec = "recipe: pipeline\ndevices: 2\nmicrobatches: 3\nforward: {}\n"
    Path("b.yaml").write_text(spec.format("t.csv"), encoding="utf-8")
    Path("c.yaml").write_text(spec.format(TABLES[table]), encoding="utf-8")
    assert load("b.yaml") == load("c.yaml")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (
            "stage,ms\n0,1.5\n2,2\n",
            't.csv:3:1: expected stage 1, found "2" (one line per number',
        ),
        (
            "stage,ms\n0,1.5\nx,2\n",
            't.csv:3:1: expected stage 1, found "x" (one line per number',
        ),
        ("stage,ms\n0,1.5\n1,x\n", 't.csv:3:3: "x" is not a number'),
        ("x,1\n1,2\n", 't.csv:1:1: "x" is not a number'),
    ],
)
def test_what_is_wrong_below_a_header_is_told_with_its_place(table: str, says: str) -> None:
    Path("t.csv").write_text(table, encoding="utf-8")
    Path("b.yaml").write_text("recipe: pipeline\ndevices: 2\nforward: t.csv\n", encoding="utf-8")
    with pytest.raises(SpecError) as refused:
        load("b.yaml")
    assert says in str(refused.value)


@pytest.mark.parametrize("words", ["check --rules", "schema", "recipes"])
def test_a_reader_that_has_seen_enough_is_told_nothing(words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)  # nobody reads
    command = [sys.executable, "-m", "tikzgen", *words.split()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
