"""Specs that take over parts of others, specs in TOML, and where both say that something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run
from jsonschema import Draft202012Validator

import tikzgen
from tikzgen.spec.schema import spec_schema_text

BASE = "recipe: pipeline\ndevices: 2\nlabels: {device: Stage}\nfont: {size: 7}\nwidth: 12\n"


@pytest.fixture(autouse=True)
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, seen from its folder of figures."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    (tmp_path / "paper" / "figs").mkdir(parents=True)
    (tmp_path / "paper" / ".git").mkdir()
    (tmp_path / "outside.yaml").write_text(BASE, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "paper" / "figs")
    Path("../shared.yaml").write_text(BASE, encoding="utf-8")
    return tmp_path / "paper"


def write(**files: str) -> None:
    for name, text in files.items():
        Path(name.replace("_", ".")).write_text(text, encoding="utf-8")


def test_mappings_are_laid_over_each_other_and_all_else_counts_as_a_whole() -> None:
    write(
        looks_json='{"palette": "dark", "width": 9}',
        a_yaml="extends: [../shared.yaml, looks.json]\nfont: {family: serif}\n",
    )
    figure = tikzgen.load("a.yaml")
    facts = (figure.width, figure.palette, figure.font.size, figure.font.family)
    assert facts == (9, "dark", 7, "serif")
    assert figure.origin is not None
    assert figure.origin.devices == 2
    assert "extends" not in str(figure)


def test_what_is_shared_may_be_shared_on_and_change() -> None:
    write(b_toml='extends = "../shared.yaml"\nmicrobatches = 3\n', c_yaml="extends: b.toml\ntitle: C\n")
    assert run("render", "c.yaml").status == 0
    assert '"microbatches": 3' in Path("c.tex").read_text("utf-8")
    write(b_toml='extends = "../shared.yaml"\nmicrobatches = 5\n')
    assert run("render", ".").err.startswith("b.tex and b.meta.json written\nc.tex and c.meta.json written\n")
    assert '"microbatches": 5' in Path("c.tex").read_text("utf-8")


def test_a_change_goes_into_the_spec_itself() -> None:
    write(a_yaml="extends: ../shared.yaml  # as all\n")
    run("render", "a.yaml")
    run("edit", "a.tex", "width", "10")
    assert run("pull", "a.tex", "-o", "a.yaml").status == 0
    assert Path("a.yaml").read_text("utf-8") == "extends: ../shared.yaml  # as all\nwidth: 10\n"
    assert Path("../shared.yaml").read_text("utf-8") == BASE


TOML = """\
recipe = "pipeline"  # a comment = no field
devices = 2

[labels]
device = "Stage"
"""
PANELS = """\
[[panels]]
[[panels.content]]
type = "topology"
nodes = [
  {id = "w1", label = '''two
lines'''}, {id = "ps"},  # and no more
]
[[panels.content.flows]]
source = "w1"
target = "ps"
"""


def test_toml_says_what_yaml_does() -> None:
    write(a_toml=TOML, b_toml=PANELS)
    assert tikzgen.load("a.toml") == tikzgen.loads("recipe: pipeline\ndevices: 2\nlabels: {device: Stage}\n")
    nodes = '[{id: w1, label: "two\\nlines"}, {id: ps}]'
    flows = "[{source: w1, target: ps}]"
    said = f"panels: [{{content: [{{type: topology, nodes: {nodes}, flows: {flows}}}]}}]"
    assert tikzgen.load("b.toml") == tikzgen.loads(said)
    write(tikzgen_toml="width = 9\n")
    assert run("render", ".").err.count("written") == 2


def test_toml_is_not_rewritten() -> None:
    write(a_toml=TOML)
    run("render", "a.toml")
    done = run("pull", "a.tex", "-o", "a.toml")
    said = "a.toml: cannot write TOML (write to a .yaml file, or edit the file)\n"
    assert (done.status, done.err) == (2, said)
    assert Path("a.toml").read_text("utf-8") == TOML


WRONG = {
    "extends: ../sharde.yaml": '1:10: extends: file "../sharde.yaml" not found (did you mean "../shared.yaml"?)',
    "extends: nothing.yaml": '1:10: extends: file "nothing.yaml" not found (a name such as shared.yaml,',
    "extends: ../../outside.yaml": '1:10: extends: "../../outside.yaml" is outside the project (copy it into the',
    "recipe: pipeline\nextends: [../shared.yaml, 3]": "2:27: extends[1]: should be the name of a spec",
    "extends: a.yaml": '1:10: extends: "a.yaml" extends itself in the end',
    "extends: ../broken.yaml": "../broken.yaml:2:10: labels.nope: unknown field",
    "extends: ../shared.yaml\ndevices: many": "2:10: devices: should be a whole number",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_told_where_it_stands(text: str) -> None:
    Path("../broken.yaml").write_text("recipe: pipeline\nlabels: {nope: x}\n", encoding="utf-8")
    write(a_yaml=text + "\n")
    done = run("render", "a.yaml")
    said = WRONG[text] if WRONG[text].startswith("..") else f"a.yaml:{WRONG[text]}"
    assert (done.status, done.err.startswith(said), done.err.count("\n")) == (2, True, 1), done.err


def test_neither_a_pipe_nor_a_figure_extends_files() -> None:
    assert "needs a spec in a file" in run("render", "-", stdin="extends: ../shared.yaml\n").err
    with pytest.raises(tikzgen.SpecError, match="needs a spec in a file"):
        tikzgen.loads("extends: ../shared.yaml\n")


WRONG_TOML = {
    'recipe = "pipeline"\ndevices = \n': "2:11: is not valid TOML: ",
    'recipe = "pipeline"\ndevices = [1,': "is not valid TOML: ",
    'recipe = "pipeline"\ntitle = 2024-01-01\n': "2:9: title: should be a string, a finite number, or true",
    'recipe = "pipeline"\nlabels.nope = 1\n': "2:8: labels.nope: unknown field",
    'recipe = "pipeline"\n[font]\n"size" = 99\n': "3:10: font.size: should be 6, 7, 8, 9 or 10, not 99",
    'recipe = "pipeline"\ndevices = nan\n': "2:11: devices: should be a string, a finite number",
    PANELS.replace("target", "tarGet"): "10:1: panels[0].content[0].flows[0].tarGet: unknown field",
    PANELS.replace(
        '"ps"}', '"ps", lable = 3}'
    ): '6:24: panels[0].content[0].nodes[1].lable: unknown field (did you mean "label"?)',
}


@pytest.mark.parametrize("text", WRONG_TOML)
def test_what_is_wrong_in_toml_is_told_where_it_stands(text: str) -> None:
    write(a_toml=text)
    done = run("render", "a.toml")
    assert (done.status, WRONG_TOML[text] in done.err) == (2, True), done.err
    assert all(line.startswith("a.toml:") for line in done.err.splitlines())


def test_the_schema_knows_what_extends() -> None:
    schema = Draft202012Validator(json.loads(spec_schema_text()))
    assert schema.is_valid({"extends": "a.yaml", "devices": 3})
    assert schema.is_valid({"extends": ["a.yaml"], "recipe": "pipeline"})
    assert not schema.is_valid({"extends": "a.yaml", "recipe": "pipeline", "devcies": 3})
    assert not schema.is_valid({"devices": 3})
