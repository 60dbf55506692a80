"""What the documents say is so: commands and code of the README run, its reference is generated, its links lead on."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from command import run
from conftest import ROOT

from tikzgen import loads
from tikzgen.checks.reference import renewed as table_of_rules
from tikzgen.measures.catalogue import CATALOGUE
from tikzgen.spec.reference import renewed

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_the_reference_is_generated() -> None:
    assert renewed(README) == README, "run: python -m tikzgen.spec.reference README.md"


def test_the_rules_are_generated() -> None:
    assert table_of_rules(README) == README, "run: python -m tikzgen.checks.reference README.md"


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_five_minutes_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line.partition("#")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("tikzgen ")]
    assert [command[0] for command in commands] == ["new", "render", "build", "preamble"]
    for command in commands:
        done = run(*command)
        assert done.status == 0, done.err
    assert (tmp_path / "data-parallel.pdf").read_bytes().startswith(b"%PDF")


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {})
    written = {path.name for path in tmp_path.iterdir()}
    assert {"fig.tex", "fig.meta.json", "fig.pdf", "three.tex"} <= written
    assert {"1f1b.tex", "mine.tex", "ranks.csv", "ranks.tex"} <= written


def test_the_schedule_shown_renders() -> None:
    specs = [text for text in blocks("yaml") if text.startswith("recipe: ")]
    assert specs
    for text in specs:
        assert loads(text).tex()


def test_the_error_shown_is_the_error_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "tests" / "cases" / "errors" / "unknown-field.yaml").read_text(encoding="utf-8")
    Path("spec.yaml").write_text(text, encoding="utf-8")
    assert run("render", "spec.yaml").err in README


def test_every_measure_is_listed() -> None:
    rows = [f"| `{key}` | {measure.title}{', by device' * measure.by_device} |" for key, measure in CATALOGUE.items()]
    assert "\n".join(["| key | measure |", "|---|---|", *rows, ""]) in README


def test_the_check_shown_is_the_check_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lists = ROOT / "tests" / "cases" / "schedule" / "lists"
    Path("ranks.csv").write_bytes((lists / "pytorch-1f1b.csv").read_bytes())
    Path("fig4.csv").write_bytes((lists / "drawn-1f1b.csv").read_bytes())
    shown = "".join(blocks("console"))
    commands = re.findall(r"^\$ tikzgen (.*)$", shown, re.MULTILINE)
    assert [shlex.split(command)[0] for command in commands] == ["metrics", "check", "check"]
    for command in commands:
        assert f"$ tikzgen {command}\n{run(*shlex.split(command)).out}" in shown


@pytest.mark.parametrize("module", ["tikzgen", "tikzgen.checks", "tikzgen.measures", "tikzgen.recipes"])
def test_examples_in_docstrings(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = doctest.testmod(import_module(module))
    assert done.attempted
    assert not done.failed


def test_every_public_name_is_there_and_documented() -> None:
    import tikzgen

    for name in tikzgen.__all__:
        thing = getattr(tikzgen, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name
    with pytest.raises(AttributeError, match="nothing"):
        tikzgen.nothing  # noqa: B018
